/* report_learn.h - reports of what was learnt of a processor. */
#ifndef TACHO_REPORT_LEARN_H
#define TACHO_REPORT_LEARN_H

#include "base/records.h"
#include "tacho/learn.h"

/** What was learnt, and where the model is. */
typedef struct report_learn {
    const tacho_learnt *learnt;
    const char *file; /**< NULL: it was not written */
} report_learn;

void report_learn_text(tacho_str *out, const report_learn *r, bool colour);
JSON_BY(report_learn_json, report_learn, report_learn_table)

/** The experiments by their parts, for people. */
void report_learn_experiments(tacho_str *out);
json_t *report_learn_experiments_json(void);

/** The experiment of this name, or the one that finds the parameter of this name; NULL: none. */
const char *report_learn_find(const char *name);
/** What it has found, and its curves drawn with characters. */
void report_learn_explain(tacho_str *out, const tacho_learnt *l, const char *experiment);

#endif
