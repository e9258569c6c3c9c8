/* same_code.c - which instructions of the block the processor takes for one: copies in an unrolled block or
 * in a window of a trace. In a trace they are told apart by their addresses, in unrolled code by their bytes.
 * These are the bytes of the code, as an instruction from the cache may have the numbers of another one. */
#include "base/hash.h"
#include "model/block/block.h"

#include <string.h>

static bool is_same(const block *b, uint32_t i, uint32_t k)
{
    const block_insn *x = &b->insns[i], *y = &b->insns[k];
    return b->in_pieces
               ? x->address == y->address
               : x->length == y->length && !memcmp(b->bytes + x->offset, b->bytes + y->offset, x->length);
}

int block_find_same_code(block *b, arena *a)
{
    if ((!b->arch->renames_memory && !b->arch->renames_stack) || !b->has_load || !b->has_store)
        return 0;
    uint32_t size = 16;
    while (size < 2 * b->insn_count)
        size *= 2;
    uint16_t *table = arena_alloc(a, size * sizeof *table); /* number and one; 0 none */
    b->same_code = arena_alloc(a, b->insn_count * sizeof *b->same_code);
    if (!table || !b->same_code)
        return TACHO_ERR_MEMORY;
    for (uint32_t i = 0; i < b->insn_count; i++) {
        const block_insn *bi = &b->insns[i];
        uint64_t h = b->in_pieces ? hash_mix(bi->address) : hash_bytes(b->bytes + bi->offset, bi->length);
        while (table[h & (size - 1)] && !is_same(b, table[h & (size - 1)] - 1u, i))
            h++;
        uint16_t *at = &table[h & (size - 1)];
        *at = *at ? *at : (uint16_t)(i + 1);
        b->same_code[i] = (uint16_t)(*at - 1);
    }
    return 0;
}
