/* cmd_eval_diff.h - tacho eval --diff: two files of predictions compared. */
#ifndef TACHO_CLI_EVAL_DIFF_H
#define TACHO_CLI_EVAL_DIFF_H

#include "app/cli/cmd_eval.h"
#include "tacho/eval_diff.h"

typedef enum eval_diff_format {
    EVAL_DIFF_TEXT,
    EVAL_DIFF_JSON,
    EVAL_DIFF_CSV,
    EVAL_DIFF_MARKDOWN
} eval_diff_format;

typedef struct eval_diff_options {
    const char *files[TACHO_DIFF_SIDE_COUNT]; /* by tacho_diff_side */
    const eval_input *in;                     /* the measurements (may be NULL there), conditions, arch */
    tacho_diff_options diff;
    eval_diff_format format;
    bool colour;
    const eval_threshold *limits; /* on the figures of the new predictions, which are called "new" */
    size_t limit_count;
} eval_diff_options;

/** Compares and writes the report. *broken: a limit is. @return an exit status, with a message unless CLI_OK
 */
int eval_diff(const eval_diff_options *o, bool *broken);

#endif
