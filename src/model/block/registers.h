/* registers.h - the values of the general-purpose registers, as numbers, to tell which accesses meet:
 * registers and memory start with random multiples of 64 (or what the options say), instructions that
 * compilers use on addresses compute with them, everything else gives a fresh number (seeds: staticdeps,
 * section on the heuristic).
 *
 * Numbers that are not constants stand for what is not known. Where an operation leaves few of their bits, as
 * a mask or the extension of a byte does, results would meet by chance; such a result is a number that only
 * the same operation on the same operands gives again. */
#ifndef TACHO_BLOCK_REGISTERS_H
#define TACHO_BLOCK_REGISTERS_H

#include "model/block/block.h"

/* What stores have put into memory, by aligned words of 8 bytes: which store wrote each byte last, and with
 * what, as far as it is followed. */

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

typedef struct register_values {
    uint64_t r[16];
    uint16_t constant; /* bit n: r[n] does not depend on what is not known */
    uint64_t fresh;    /* how many fresh numbers there have been */
    uint64_t seed;     /* of what memory holds */
    uint64_t fixed;    /* what is added to RIP-relative and absolute addresses; 0: they are true ones */
    const tacho_arch *arch;
    bool same;      /* all words of memory hold one value */
    bool forgetful; /* what is loaded from memory that was not stored to is another value each time */
    bool arbitrary; /* fresh numbers are any numbers, not multiples of 64 */
} register_values;

/* What stores have put into the aligned word at `address`, NULL if they have not. */
typedef const memory_word *memory_at(void *payload, uint64_t address);

void registers_init(register_values *v, const tacho_arch *arch, const tacho_predict_options *options);
/* The same with other numbers for what is not known; what is loaded is another number each time. */
void registers_init_other(register_values *v, const tacho_arch *arch, const tacho_predict_options *options);
/* A memory_at without stores. */
const memory_word *registers_no_word(void *payload, uint64_t address);
/* Addresses as the instruction finds the registers. */
uint64_t registers_load_address(const register_values *v, const mem_access *m);
uint64_t registers_store_address(const register_values *v, const block_insn *bi, const mem_access *m);
/* Bytes of an access; where it has more than are followed, as many as are. */
static inline unsigned registers_access_bytes(const mem_access *m)
{
    return m->bytes ? m->bytes : 64;
}
/* Which general registers the address is made of. */
uint16_t registers_of_address(const mem_access *m);
/* Whether the access crosses a line of 64 bytes: where it goes is known. */
bool registers_cross_line(const register_values *v, const block_insn *bi, const mem_access *m);
/* Whether no register that an address is made of is written: all addresses are the same in each iteration. */
bool registers_keep_addresses(const block *b);
/* Whether no load of the block can read what a store of it wrote: all addresses are the same in each
 * iteration, and nothing is both loaded and stored. False where that takes too long to tell. */
bool registers_never_meet(const block *b, const tacho_predict_options *options);
enum {
    PAGE_BYTES = 4096 /* that loads and stores are told apart by at first */
};
/* Whether a load may be taken for one from a store, as they are a multiple of that apart (4K aliasing). */
bool registers_may_alias(const block *b, const tacho_predict_options *options);
/* What the instruction stores, before it is in memory. */
followed_value registers_stored(register_values *v, const block_insn *bi, const mem_access *m,
                                memory_at *lookup, void *payload);
/* The instruction's effect on the registers, after its stores. */
void registers_step(register_values *v, const block_insn *bi, memory_at *lookup, void *payload);

/* What happens after each iteration of a block whose addresses move on; see block_find_advance. */
void registers_advance(register_values *v, const block *b);

/* The registers that the value of the instruction's target comes from; `stored`: those that the block stores.
 */
uint16_t registers_sources(const block_insn *bi, const tacho_arch *arch, uint16_t stored);
/* The general registers whose values addresses come from, and whether an instruction changes one of them. */
uint16_t registers_needed(const block *b);
bool registers_matter(const block_insn *bi, uint16_t needed);

#endif
