/* flow.h - one pass over a block that carries the distances from several sources at once through its µops;
 * the parts of the dependency bound share it. */
#ifndef TACHO_BOUNDS_FLOW_H
#define TACHO_BOUNDS_FLOW_H

#include "model/bounds/bounds.h"

enum {
    MAX_MEMORY_NODES = 32, /* further dependencies through memory and across iterations are overlooked */
    LANES = 4,
    SLOTS = 256 /* units and temporaries */
};

/* Distances from the sources, LANES of them. */
typedef int32_t lanes __attribute__((vector_size(4 * LANES)));

/* A µop on the longest path from the source, when there is only one. */
typedef struct path_node {
    int32_t from; /* node before, -1: the source */
    int32_t start;
    uint32_t insn;
    const uop *u;
} path_node;

/* A value: when it is ready, counted from each source; NO_PATH where the source does not matter. */
typedef struct flow {
    const bounds_input *in;
    const block *b;
    const stack_syncs *syncs;
    const forwardings *memory;
    uint32_t width; /* vectors in a value */
    lanes *slots;   /* [SLOTS][width]; valid where live */
    lanes *stores;  /* [forwarding][width]: data on the way from a store to its load */
    lanes *carried; /* [forwarding][width]: the same from earlier iterations */
    lanes *now;     /* [width] */
    uint64_t live[SLOTS / 64];
    uint8_t *store_live, *carried_live; /* [forwarding] */
    uint32_t next_forwarding;
    uint32_t by_load, zeroed; /* general registers as they came from memory, or from a zero idiom */
    /* tracing */
    path_node *nodes; /* NULL: no trace */
    int32_t node_count, node_capacity;
    int32_t *path;       /* [node_capacity] */
    int32_t *slot_node;  /* [SLOTS]; valid where live */
    int32_t *store_node; /* [forwarding] */
} flow;

/* Results become visible to the instruction's own µops as temporaries, to others when it is over. */
typedef struct visible_result {
    uint8_t unit;
    bool live;
    int32_t node;
} visible_result;

enum {
    MAX_RESULTS = 24
};

typedef struct insn_results {
    visible_result list[MAX_RESULTS];
    uint32_t count;
    lanes *values; /* [MAX_RESULTS][width] */
} insn_results;

/* What an iteration hands to the next. */
typedef struct carried_nodes {
    uint8_t unit[UNIT_COUNT];
    uint32_t units;
    struct {
        uint16_t forwarding;
        uint8_t age; /* iterations since the store */
    } memory[MAX_MEMORY_NODES];
    uint32_t memories;
} carried_nodes;

bool flow_is_live(const flow *f, uint32_t slot);
lanes *flow_value(const flow *f, uint32_t slot);
/* What the instruction makes of the general registers: as loaded, as zeroed. */
void flow_note_origin(flow *f, const block_insn *bi);
/* Runs the block with each of the nodes as a source, or with `only` alone (not -1) as source 0. */
void flow_run(flow *f, const carried_nodes *c, int32_t only, insn_results *r);
/* From now on a run notes its path, and has one source. @return 0 or TACHO_ERR_MEMORY */
int flow_start_trace(flow *f);

#endif
