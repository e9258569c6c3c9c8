/* eval_read.h - measurements and predictions from CSV files, put together by the blocks' code. */
#ifndef TACHO_STUDY_EVAL_READ_H
#define TACHO_STUDY_EVAL_READ_H

#include "base/private.h"
#include "tacho/eval.h"

enum {
    EVAL_MAX = 64 /* files, models, conditions, thresholds: of each */
};

/** NAME=VALUE on the command line; a value alone has the name "". */
typedef struct eval_named {
    char name[256];
    const char *value;
} eval_named;

/** Rows of the measurements that count, or do not. */
typedef struct eval_condition {
    eval_named is;
    bool without;
} eval_condition;

/** Divisions of the blocks, bits. */
enum {
    EVAL_BY_APPLICATION = 1 << 0,
    EVAL_BY_CATEGORY = 1 << 1,
    EVAL_BY_LENGTH = 1 << 2,
    EVAL_BY_BOTTLENECK = 1 << 3,
    EVAL_BY_CONTENT = 1 << 4,
    EVAL_BY_COUNT = 5,
    EVAL_BY_USUAL = EVAL_BY_APPLICATION | EVAL_BY_CATEGORY | EVAL_BY_LENGTH | EVAL_BY_BOTTLENECK
};

typedef struct eval_input {
    const char *measured;
    eval_named predicted[EVAL_MAX]; /* NAME=FILE */
    size_t predicted_count;
    eval_condition conditions[EVAL_MAX];
    size_t condition_count;
    const char *categories; /* a file with the columns hex and category */
    const tacho_arch *arch; /* of predictions that say theirs; NULL: not known */
    unsigned by;            /* EVAL_BY_* */
    bool by_given;
    void (*note)(const char *text); /* told what one should know; NULL */
} eval_input;

/** Why rows of the measurements are in no figure, and how many. */
typedef struct eval_reason {
    const char *words; /* "no usable number" */
    size_t count;
} eval_reason;

/** Rows left out, by reason. The words are copies. */
typedef struct eval_left_out {
    eval_reason *reasons;
    size_t count, capacity;
} eval_left_out;
/** Counts `rows` more for that reason. @return false: memory ran out */
TACHO_PRIVATE bool tacho_eval_leave_out(eval_left_out *l, const char *words, size_t rows, tacho_error *err);
TACHO_PRIVATE void tacho_eval_left_out_free(eval_left_out *l);

/** Reads the measurements: blocks, of which there may be none, applications, categories. `predicted`: the
 * file is what `tacho predict` writes, so they are none. @return false: there is an error */
TACHO_PRIVATE bool tacho_eval_read_measured(const eval_input *in, tacho_eval *e, eval_left_out *left_out,
                                            bool *predicted, tacho_error *err);
/** Reads files of predictions. */
TACHO_PRIVATE bool tacho_eval_read_predicted(const eval_input *in, tacho_eval *e, tacho_error *err);

#endif
