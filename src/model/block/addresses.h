/* addresses.h - which of a block's memory accesses have addresses whose distances depend on the values that
 * its registers and memory hold before it, and how far addresses move with each repetition. */
#ifndef TACHO_BLOCK_ADDRESSES_H
#define TACHO_BLOCK_ADDRESSES_H

#include "model/block/block.h"
#include "tacho/error.h"
#include "tacho/state.h"

/** Instructions of a block, and where they end; both have `count` members. */
typedef struct address_block {
    const tacho_insn *insns;
    const uint32_t *ends; /**< offsets behind them */
    uint32_t count;
} address_block;

/** What the distances say. Members `*_insn`: an instruction with such an access, -1 none. */
typedef struct address_relations {
    int32_t meeting_insn; /**< a load: the initial values decide whether it reads what the block stores */
    int32_t load_insn;    /**< ... or how far it is from another load, also of another repetition */
    int32_t store_insn;   /**< a store: ... how far it is from another store, also of another repetition */
    uint32_t accesses;    /**< memory operands that are read or written */
} address_relations;

/** Finds them, over a few repetitions of the block. @return 0 or TACHO_ERR_MEMORY */
TACHO_PRIVATE int tacho_address_relations_find(address_relations *out, const address_block *b,
                                               tacho_error *err);

/* An access of a block, and how far its address moves. */
typedef struct address_step {
    uint32_t insn;
    uint8_t operand; /* of the instruction */
    uint32_t bytes;
    int64_t step;   /* bytes from one repetition to the next; 0: none, or not always as many */
    bool irregular; /* not always as many */
    uint64_t
        first; /* its address in the first repetition, if registers began with the values that were given */
    uint32_t array; /* the same number: as far from each other whatever the initial values are, */
    int64_t offset; /* ... and that is how far from the first one */
} address_step;

/* Finds those of all accesses with one address, but not of those by RSP. Everything is in `a`. @return NULL
 * when memory runs out */
const address_step *address_steps_find(uint32_t *count, const block *b, arena *a);
/** The same of instructions alone. `registers`: initial values of the general ones, for `first`. *out is
 * freed with tacho_mem_free. @return 0 or TACHO_ERR_MEMORY */
TACHO_PRIVATE int tacho_address_steps_find(address_step **out, uint32_t *count, const address_block *b,
                                           const uint64_t registers[16], tacho_error *err);

/* What the options say of pointers before the first iteration. */

/** Whether all name registers, each once, by one that is not known by another itself.
 *  @return 0, or TACHO_ERR_USAGE with a message */
int alias_check(const tacho_alias *aliases, size_t count, tacho_error *err);

#endif
