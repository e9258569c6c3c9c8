/* chain.h - loops that take as long as an instruction needs from one of its operands to another. */
#ifndef TACHO_CHARACTERISE_CHAIN_H
#define TACHO_CHARACTERISE_CHAIN_H

#include "machine/characterise/instance.h"
#include "machine/characterise/walk.h"
#include "tacho/characterise.h"

enum {
    CHAIN_MAX_STEPS = 40,
    CHAIN_MAX_BYTES = CHAIN_MAX_STEPS * TACHO_MAX_INSN_BYTES
};

/** What a link consists of, and how its time is known. */
typedef enum link_part {
    LINK_EXTEND = 0, /**< movsxd (or movsx) from a general register to another */
    LINK_HIGH_BYTE,  /**< movsx from a high byte */
    LINK_CLEAR,      /**< and r, 0: a zero that waits for what r was */
    LINK_FILL,       /**< or r, -1: ones that wait for what r was */
    LINK_ADDRESS,    /**< lea r, [r + constant] */
    LINK_TEST,       /**< test r, r: general register to flags; with LINK_MOVE_IF two cycles at least */
    LINK_MOVE_IF,    /**< cmov: flags to general register */
    LINK_SHUFFLE,    /**< pshufd: vector register to vector register */
    LINK_SHIFT_OUT,  /**< psrlq by 63: an index of 0 or 1 that waits for a vector */
    LINK_FILE,       /**< movq, kmovq: between files of registers, known in pairs only: at least one cycle */
    LINK_MEMORY,     /**< store or load, the other half of a round trip */
    LINK_COUNT
} link_part;

/** A loop. `target` traversals of the measured pair in an iteration. */
typedef struct chain {
    walk_step steps[CHAIN_MAX_STEPS];
    unsigned count;
    unsigned traversals;
    uint8_t links[LINK_COUNT]; /**< how often each is on the way */
    bool exact;                /**< no other dependency can be longer */
    bool failed;               /**< a step could not be made */
} chain;

/** A pair of operands of a form. */
typedef struct chain_pair {
    uint32_t form;
    uint8_t source, target; /**< the form's operands */
    tacho_path path;
} chain_pair;

/** @return 0; TACHO_ERR_UNSUPPORTED with the reason (static storage) where no chain can be built */
int chain_make(chain *out, const chain_pair *pair, const char **why);

/** The loop by which a link's own time is measured. */
void chain_of_link(chain *out, link_part part);

/** Independent instances for throughput. `breaks`: with instructions that end dependencies through fixed
 *  registers and flags (1) and through all registers that are both read and written (2).
 *  @return the number of instances, 0 where there is nothing to break */
unsigned chain_for_throughput(chain *out, uint32_t form, unsigned breaks);

/** All register operands one register. @return false where the form has no two alike */
bool chain_with_same_register(chain *out, uint32_t form);

size_t chain_bytes(const chain *c, uint8_t out[CHAIN_MAX_BYTES]);
/** In Intel syntax, instructions separated by "; ". */
void chain_format(const chain *c, char *out, size_t size);

/** Division whose operands must not overflow. */
bool chain_divides(uint32_t form);
/** Values of general registers that the chains rely on; bit n of *mask: register n. */
void chain_values(uint32_t form, uint64_t values[16], uint16_t *mask);

#endif
