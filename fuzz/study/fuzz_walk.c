/* fuzz_walk.c - graphs of blocks and jumps that need not fit together, and walks through them. The input: how
 * many blocks; of each its address, executions, size and bytes; then edges of four bytes each: from, to, how
 * often, and of how many. What comes out must end, and consist of the blocks' instructions. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fuzz.h"
#include "study/kernels/kernels_graph.h"

enum {
    BLOCKS = 32,
    EDGES = 256,
    MOST = 5000
};

typedef struct rest {
    const uint8_t *at;
    size_t left;
} rest;

static uint8_t next(rest *r)
{
    if (!r->left)
        return 0;
    r->left--;
    return *r->at++;
}

/* Blocks are in the order of their addresses, as those of a run are. */
static size_t take_blocks(rest *r, tacho_extract_block *blocks)
{
    const size_t wanted = next(r) % BLOCKS;
    uint64_t address = 0;
    size_t count = 0;
    for (; count < wanted && r->left; count++) {
        address += next(r);
        const uint8_t executions = next(r), size = next(r) % 24;
        const uint32_t bytes = size < r->left ? size : (uint32_t)r->left;
        if (!bytes)
            break;
        blocks[count] = (tacho_extract_block){
            .bytes = r->at, .byte_count = bytes, .address = address, .count = executions, .object = "a.so"};
        address += bytes;
        r->at += bytes;
        r->left -= bytes;
    }
    return count;
}

static size_t take_edges(rest *r, callgrind_edge *edges)
{
    size_t count = 0;
    for (; count < EDGES && r->left >= 4; count++) {
        const uint8_t from = next(r), to = next(r), times = next(r), of = next(r);
        edges[count] = (callgrind_edge){.from = from, .to = to, .count = times, .of = of};
    }
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char name[] = "a.so";
    static callgrind_edge edges[EDGES];
    tacho_extract_block blocks[BLOCKS];
    char *objects[] = {name};
    rest r = {data, size};
    tacho_error err;
    const tacho_extract x = {.blocks = blocks, .count = take_blocks(&r, blocks)};
    const callgrind_counts counts = {
        .objects = objects, .object_count = 1, .edges = edges, .edge_count = take_edges(&r, edges)};
    kernels_graph g = {0};
    if (!kernels_graph_make(&g, &x, &counts, &err)) {
        uint32_t *order;
        uint64_t count;
        if (kernels_graph_walk(&g, MOST, &order, &count, &err) || count > MOST)
            abort();
        for (uint64_t i = 0; i < count; i++)
            if (order[i] >= g.step_count)
                abort();
        tacho_mem_free(order);
    }
    kernels_graph_free(&g);
    return 0;
}
