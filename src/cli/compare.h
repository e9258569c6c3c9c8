/* compare.h - parts of tacho compare. */
#ifndef TACHO_CLI_COMPARE_H
#define TACHO_CLI_COMPARE_H

#include "cli/cli.h"
#include "tacho/compare.h"

/** Samples of a file, for --samples. */
typedef struct compare_samples {
    tacho_sample *samples;
    size_t count;
    bool layouts;
    char metric[64], unit[32];
} compare_samples;

/** Reads a CSV file with the columns side (A or B) and `metric` (NULL: value, or else cpu), and perhaps block
 *  and layout; or with the columns a and b, whose rows have nothing to do with each other. `unit`: NULL: by
 * the metric's name. @return false with a message */
bool compare_samples_read(compare_samples *out, const char *path, const char *metric, const char *unit);
void compare_samples_free(compare_samples *s);

#endif
