/* kernels_graph.h - the control flow graph of what was counted, and walks through it. */
#ifndef TACHO_KERNELS_GRAPH_H
#define TACHO_KERNELS_GRAPH_H

#include "binary/extract/callgrind.h"
#include "study/kernels/kernels_internal.h"

#define KERNELS_NO_NODE UINT32_MAX

/** How a block ends. */
typedef enum kernels_node_end {
    KERNELS_NODE_GOES_ON, /* or branches on a condition; to no node: to the block behind it */
    KERNELS_NODE_JUMPS,   /* to no node: where the region is not, which returns to the caller */
    KERNELS_NODE_CALLS,   /* ways lead to functions, which return to the block behind it */
    KERNELS_NODE_RETURNS
} kernels_node_end;

/** A way out of a block. */
typedef struct kernels_way {
    uint32_t from, to; /* nodes; to: KERNELS_NO_NODE for what the block's end says */
    uint64_t count;    /* compared with the block's other ways; these may be counted over a longer time */
    uint64_t owed;     /* of a walk: taken when it is as much as all ways of the block together */
} kernels_way;

/** A basic block. */
typedef struct kernels_node {
    uint64_t count;
    uint32_t first_step, step_count;
    uint32_t behind; /* the block that follows it in the code; KERNELS_NO_NODE: none that was executed */
    uint32_t first_way, way_count;
    kernels_node_end end;
    bool is_reached; /* something in the graph leads here */
    uint64_t visits; /* of a walk */
} kernels_node;

/** Start with {0}. */
typedef struct kernels_graph {
    kernels_step *steps; /* instructions of all nodes; their bytes are borrowed */
    size_t step_count, step_capacity;
    kernels_node *nodes;
    size_t node_count, node_capacity;
    kernels_way *ways; /* by node */
    size_t way_count, way_capacity;
} kernels_graph;

/** Makes the graph of blocks, in the order of their objects and addresses, with the branches that end them,
 *  and edges between their instructions. @return 0; TACHO_ERR_INPUT: blocks with what is no instruction;
 *  TACHO_ERR_MEMORY */
int kernels_graph_make(kernels_graph *g, const tacho_extract *blocks, const callgrind_counts *counts,
                       tacho_error *err);
/** Puts the ways in order; once, after nodes and ways are there. */
void kernels_graph_close(kernels_graph *g);
/** A way through the graph that takes each way out of a block in proportion to its count, as evenly as
 *  possible: a loop of 99 jumps back and 10 exits is left after 10 or 11 rounds each time. It goes on, at
 *  blocks that have not been visited often enough, until all have been. Where these are more than `most`
 *  instructions, it has so many, in parts that begin where most is missing of each block's share.
 *  @param order numbers of steps, to be freed with tacho_mem_free */
int kernels_graph_walk(kernels_graph *g, uint64_t most, uint32_t **order, uint64_t *count, tacho_error *err);
void kernels_graph_free(kernels_graph *g);

#endif
