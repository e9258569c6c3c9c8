/* liveness.h - which results of a block's instructions somebody waits for. */
#ifndef TACHO_SIM_LIVENESS_H
#define TACHO_SIM_LIVENESS_H

#include "model/block/block.h"

typedef struct liveness {
    unit_set *after;  /* [insn] units whose value after it is read before it is written again */
    unit_set results; /* units that can be late: some µop writes them */
    unit_set moved;   /* units that can share a physical register */
    unit_set loaded;  /* units whose value can come straight from a load */
} liveness;

/* @return 0 or TACHO_ERR_MEMORY */
int liveness_find(liveness *out, const block *b, arena *a);

#endif
