/* report_hot_diff.h - two versions of a program, place by place, as text, JSON and a page. Uses public
 * headers only. */
#ifndef TACHO_REPORT_HOT_DIFF_H
#define TACHO_REPORT_HOT_DIFF_H

#include "app/report/report_hot.h"

/** The two versions, A first, and how they differ. */
typedef struct report_hot_diff {
    report_hot of[2];
    const tacho_hot_side *side[2];
    const tacho_hot_diff *diff;
} report_hot_diff;

/** A change, and what is predicted for its first places. */
typedef struct report_hot_change {
    const report_hot_diff *in;
    const tacho_hot_change *change;
    const tacho_hot_change
        *of; /**< whose places are looked at: its own, or, of a function, those of a block */
    size_t number;
    bool full;                        /**< reasons, and the code of both, are wanted */
    const report_hot_place *place[2]; /**< NULL: none */
    tacho_hot_reasons reasons;
    const tacho_hot_pair *pairs; /**< the code of both aligned */
    size_t pair_count;
} report_hot_change;

/** Whether a change is one of places or a function that differ more than by chance. */
bool report_hot_change_shown(const tacho_hot_change *c);

/* hot_diff_text.c */
void report_hot_diff_head(tacho_str *out, const report_hot_diff *d, bool colour);
/** The table of changes; the sum. */
void report_hot_diff_table(tacho_str *out, const report_hot_diff *d, bool colour);
/** A change in full. */
void report_hot_diff_text(tacho_str *out, const report_hot_change *c, bool colour);

/* hot_diff_json.c */
extern const report_table report_hot_diff_table_of;
/** New references. */
json_t *report_hot_diff_json(const report_hot_diff *d, json_t *changes);
JSON_BY(report_hot_change_json, report_hot_change, report_hot_change_table)

#endif
