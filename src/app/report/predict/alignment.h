/* alignment.h - a block at each of the 64 places in a cache line where it can start. */
#ifndef TACHO_REPORT_ALIGNMENT_H
#define TACHO_REPORT_ALIGNMENT_H

#include "app/report/report.h"

enum {
    REPORT_ALIGNMENTS = 64
};

typedef struct report_alignment {
    double cycles;
    int64_t cycles_num, cycles_den; /**< 0/0: no steady state found */
    tacho_uop_source source;
    uint32_t bottlenecks; /**< bits 1 << tacho_bound */
} report_alignment;

typedef struct report_alignments {
    report_alignment at[REPORT_ALIGNMENTS]; /**< by offset of the first byte from a 64-byte boundary, bytes */
} report_alignments;

/** Predicts all of them with the options of the prediction (details are not needed).
 *  @return 0 or what tacho_predict returned. */
int report_alignments_predict(report_alignments *out, tacho_predictor *predictor, const report_subject *s,
                              const tacho_predict_options *options, tacho_error *err);

/** Cycles at all places where the linker may put the region, as its place_step says. */
typedef struct report_places {
    double fewest, most;
} report_places;

/** @return 0 or what tacho_predict returned. */
int report_places_predict(report_places *out, tacho_predictor *predictor, const report_subject *s,
                          const tacho_predict_options *options, tacho_error *err);
/** Says that the place was assumed where another one changes the result. @return "" where none does */
const char *report_places_warning(const report_places *places, const report_subject *s, char *out,
                                  size_t size);

void report_alignments_text(tacho_str *out, const report_subject *s, const report_alignments *a);
extern const report_table report_alignment_table;
extern const char report_alignment_columns[];
/** @return a new reference: a list. */
json_t *report_alignments_json(const report_alignments *a);
void report_alignments_csv_header(tacho_str *out);
void report_alignments_csv(tacho_str *out, const report_subject *s, const report_alignments *a);

#endif
