/* path.h - the likeliest way once around an innermost loop. */
#ifndef TACHO_FLOW_PATH_H
#define TACHO_FLOW_PATH_H

#include "x86/flow/cfg.h"
#include "tacho/assemble.h"

enum {
    PATH_MAX_BLOCKS = 4096
};

typedef struct path_branch {
    uint32_t offset;
    bool taken;
    tacho_branch_reason reason;
} path_branch;

typedef struct loop_path {
    uint32_t *blocks; /* of the loop, by address */
    uint32_t block_count;
    uint32_t *steps;     /* blocks in the order of execution; from the top of the code on */
    uint32_t step_count; /* 0: there is no path */
    path_branch *branches;
    uint32_t branch_count;
} loop_path;

/* How often blocks are executed, as a run has shown. */
typedef struct path_frequencies {
    const double *of_block; /* by number; below 0: not known */
    double ratio; /* a way is passed over for another one that is taken more often by more than this factor */
} path_frequencies;

/* Finds the path of the loop headed by block `header`, of which `members` are the other blocks.
 * `frequencies`: NULL, or what decides before all else. Returns 0 or TACHO_ERR_MEMORY. */
TACHO_PRIVATE int tacho_path_find(loop_path *out, const cfg *g, arena *memory, uint32_t header,
                                  const uint32_t *members, uint32_t member_count,
                                  const path_frequencies *frequencies);
/* The path of a block that is taken alone. The same results. */
TACHO_PRIVATE int tacho_path_of_block(loop_path *out, arena *memory, uint32_t block);
/* Whether the way from one step to the next is a taken branch. */
bool tacho_path_jumps(const cfg *g, const loop_path *p, uint32_t step);

#endif
