/* cmd_predict_loops.h - tacho predict --loops. */
#ifndef TACHO_CLI_PREDICT_LOOPS_H
#define TACHO_CLI_PREDICT_LOOPS_H

#include "app/cli/pictures.h"
#include "app/cli/source.h"

#define LOOPS_TOP_ALL     UINT64_MAX
#define LOOPS_TOP_DEFAULT (UINT64_MAX - 1)

#define LOOPS_ALL UINT64_MAX

typedef struct loops_request {
    source *source;
    tacho_predict_options *predict;
    pictures *pictures;
    const tacho_arch *const *archs;
    size_t arch_count;
    bool alignment_given; /* else the loops' addresses decide */
    bool all_archs;       /* these are all: some may well not execute the code */
    bool implied;         /* nobody has asked for loops: the input holds several blocks */
    uint64_t chosen;      /* the number of a loop, or LOOPS_ALL */
    uint64_t top;         /* loops with a full report, or LOOPS_TOP_* */
    source_style style;   /* of instructions */
    int format;           /* a cli_format */
    bool colour, all_what_ifs;
} loops_request;

/* Finds the loops, predicts each and reports. Where loops are implied and there is none, nothing is reported
 * and *none is set (it may be NULL otherwise). @return an exit status */
int predict_loops(const loops_request *request, bool *none);

#endif
