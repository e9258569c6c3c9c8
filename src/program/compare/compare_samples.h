/* compare_samples.h - samples of a file, to be judged. */
#ifndef TACHO_PROGRAM_COMPARE_SAMPLES_H
#define TACHO_PROGRAM_COMPARE_SAMPLES_H

#include "base/private.h"
#include "tacho/compare.h"

typedef struct compare_samples {
    tacho_sample *samples;
    size_t count;
    bool layouts;
    char metric[64], unit[32];
} compare_samples;

/** Reads a CSV file with the columns side (A or B) and `metric` (NULL: value, or else cpu), and perhaps
 * block and layout; or with the columns a and b, whose rows have nothing to do with each other. `unit`: NULL:
 * by the metric's name. @return false: there is an error */
TACHO_PRIVATE bool tacho_compare_samples_read(compare_samples *out, const char *path, const char *metric,
                                              const char *unit, tacho_error *err);
TACHO_PRIVATE void tacho_compare_samples_free(compare_samples *s);

#endif
