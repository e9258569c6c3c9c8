/* cmd_compare_import.h - tacho compare --import: results of benchmarks. */
#ifndef TACHO_CLI_COMPARE_IMPORT_H
#define TACHO_CLI_COMPARE_IMPORT_H

#include "app/cli/cli.h"
#include "tacho/benchmarks.h"

/** For --fail-if: from which difference on. */
typedef struct compare_limit {
    int what;     /**< COMPARE_FAIL_SLOWER, _FASTER, both; 0: never */
    double above; /**< a fraction; 0: what the threshold makes interesting */
} compare_limit;

/** What was asked for. */
typedef struct compare_import {
    const char *paths[2]; /**< old and new; new */
    size_t count;         /**< that were given */
    const char *baseline, *saved;
} compare_import;
extern const cli_option compare_import_rows[];

/** @return whether it is results of benchmarks that are to be compared */
bool import_is_asked(const compare_import *i);
/** Judges, shows and saves. `metric`: NULL, "cpu" or "elapsed". @return the exit status */
int import_run(const compare_import *i, const char *metric, const tacho_judge_options *judge,
               const compare_limit *limit, int format, int colour);

/** For a row of --fail-if: WHAT[:PERCENT]. */
bool compare_take_limit(void *target, const char *option, const char *value);
/** Whether a verdict with this ratio reaches the limit. */
bool compare_reaches(const compare_limit *l, tacho_verdict verdict, double ratio, bool interesting);

#endif
