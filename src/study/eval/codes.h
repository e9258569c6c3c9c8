/* codes.h - blocks found by their code in hex, without regard to the case of its digits. */
#ifndef TACHO_EVAL_CODES_H
#define TACHO_EVAL_CODES_H

#include "base/hash_index.h"

/** The blocks of a code; numbers are one more than those of blocks. */
typedef struct same_code {
    const char *hex; /**< lives as long as the table; borrowed */
    uint32_t first, last;
} same_code;

/** Start with {0}. */
typedef struct codes {
    hash_index by_hex;
    same_code *list;
    size_t count, capacity;
} codes;

/** Good until the next one is added. @return NULL: there is no block with this code */
same_code *codes_find(const codes *c, const char *hex);
/** Adds a code that is not there yet, with its first block. @return -1 when memory runs out */
int codes_add(codes *c, const char *hex, uint32_t block);
/** Forgets all codes. There is room for as many as there were. */
void codes_clear(codes *c);
void codes_free(codes *c);

#endif
