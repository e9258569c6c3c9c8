/* stored.h - what stores have put into memory, by aligned words of 8 bytes: which store wrote each byte last,
 * and with what, as far as it is followed. */
#ifndef TACHO_BLOCK_STORED_H
#define TACHO_BLOCK_STORED_H

#include <stdbool.h>
#include <stdint.h>

enum {
    WORD_BYTES = 8
};

/* What a store writes, or a register holds. */
typedef struct followed_value {
    uint64_t bits;
    bool known;
    bool constant; /* it does not depend on what registers and memory held before the block */
} followed_value;

/* A word as a load may find it; masks of its bytes. */
typedef struct memory_word {
    uint64_t bits;    /* of the known bytes, else 0 */
    uint8_t written;  /* by stores */
    uint8_t known;    /* of these, those whose values are followed */
    uint8_t constant; /* of these, those that are constants */
} memory_word;

typedef struct stored_word {
    uint64_t address;
    memory_word word;
    uint32_t writer[WORD_BYTES]; /* store that wrote the byte last, by number; 0: none */
    uint32_t last;               /* the highest of them */
} stored_word;

/* Whether two accesses have bytes in common; each may wrap around from the last address to 0. */
static inline bool accesses_meet(uint64_t a, uint64_t a_bytes, uint64_t b, uint64_t b_bytes)
{
    return a - b < b_bytes || b - a < a_bytes;
}

static inline uint64_t word_of(uint64_t address)
{
    return address & ~(uint64_t)(WORD_BYTES - 1);
}

/* Mask of the bytes of the word at `word` that an access touches; the access may wrap around from the last
 * address to 0. */
static inline uint8_t bytes_in_word(uint64_t word, uint64_t address, unsigned bytes)
{
    uint64_t from = address - word < WORD_BYTES ? address - word : 0, to = address + bytes - word;
    return (uint8_t)((to >= WORD_BYTES ? 0xff : (1u << to) - 1) & ~((1u << from) - 1));
}

/* The part of a store, number `store`, that lies in the word. */
void stored_word_write(stored_word *w, uint64_t address, unsigned bytes, uint32_t store, followed_value v);
/* The youngest store to bytes of the access that lie in the word; 0: none. */
uint32_t stored_word_youngest(const stored_word *w, uint64_t address, unsigned bytes);

#endif
