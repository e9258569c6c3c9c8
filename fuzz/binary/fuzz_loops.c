/* fuzz_loops.c - the search for loops in ELF files and in bare code; the last byte chooses what is asked for.
 * The loops must lie in the input, and their paths must be what they say. */
#include <stdlib.h>

#include "fuzz.h"
#include "tacho/tools.h"

static void check(const tacho_loop *l)
{
    size_t at = 0;
    volatile uint8_t sum = 0; /* every byte can be read */
    for (size_t k = 0; k < l->code_bytes; k++)
        sum = (uint8_t)(sum + l->code[k]);
    for (size_t k = 0; k < l->path_count; k++) {
        const tacho_loop_block *b = &l->blocks[l->path[k]];
        if (l->path[k] >= l->block_count || !b->on_path || b->end <= b->start)
            abort();
        at += b->end - b->start;
    }
    if (at != l->code_bytes || (l->path_count && !l->piece_count))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tacho_loops_options o = TACHO_LOOPS_OPTIONS_INIT;
    tacho_loops *loops;
    tacho_error err;
    uint8_t how = size ? data[size - 1] : 0;
    o.code.kind = how & 16 ? TACHO_INPUT_RAW : TACHO_INPUT_ELF;
    o.code.symbol = how & 1 ? "f" : NULL;
    o.code.section = how & 2 ? ".text" : NULL;
    o.code.has_range = how & 4;
    o.code.range_end = 9;
    if (tacho_loops_from_memory(&loops, data, size, "in", &o, &err))
        return 0;
    for (size_t i = 0; i < loops->count; i++)
        check(&loops->loops[i]);
    tacho_loops_free(loops);
    return 0;
}
