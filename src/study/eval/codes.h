/* codes.h - blocks found by their code in hex, without regard to the case of its digits. */
#ifndef TACHO_EVAL_CODES_H
#define TACHO_EVAL_CODES_H

#include <stddef.h>
#include <stdint.h>

/** The blocks of a code; numbers are one more than those of blocks. */
typedef struct code_slot {
    const char *hex;      /**< lives as long as the table; borrowed */
    uint32_t first, last; /**< 0: a free slot */
} code_slot;

/** A hash table. Start with {0}. */
typedef struct codes {
    code_slot *slots;
    size_t slot_count, used;
} codes;

/** The first block with this code; 0: none. */
uint32_t codes_find(const codes *c, const char *hex);
/** The slot of this code, or the free one where it belongs (see codes_fill); good until the next call.
 *  @return NULL when memory runs out */
code_slot *codes_slot(codes *c, const char *hex);
/** Takes a free slot for the first block of a code. */
void codes_fill(codes *c, code_slot *slot, const char *hex, uint32_t first);
/** Makes all slots free. */
void codes_clear(codes *c);
void codes_free(codes *c);

#endif
