/* chain.h - loops that take as long as an instruction needs from one of its operands to another. */
#ifndef TACHO_CHARACTERISE_CHAIN_H
#define TACHO_CHARACTERISE_CHAIN_H

#include "machine/characterise/instance.h"
#include "tacho/characterise.h"
#include "x86/decode/regs.h"

/* ---- which results a loop of instructions hands from iteration to iteration, and through what ---- */

/** What carries a value: a whole register, a group of flags, the memory that the code touches (as one). */
enum {
    CARRIER_GENERAL = 0,
    CARRIER_VECTOR = 16,
    CARRIER_K = 48,
    CARRIER_MM = 56,
    CARRIER_ST = 64,
    CARRIER_C = 72,
    CARRIER_SPAZO,
    CARRIER_MEMORY,
    CARRIER_COUNT,
    CARRIER_NONE = 255
};

typedef enum step_role {
    STEP_INSTANCE, /**< of the form that is measured */
    STEP_LINK,     /**< takes its result to its source */
    STEP_BREAK     /**< ends another dependency */
} step_role;

/** An instruction of the loop; an instance has the pair that is measured: from what it reads to what it
 *  writes. CARRIER_NONE: it has no such pair. */
typedef struct walk_step {
    tacho_insn insn;
    step_role role;
    uint8_t from, to;
} walk_step;

typedef struct walk_result {
    bool target; /**< a dependency from iteration to iteration passes through measured pairs, and besides only
                    through links */
    bool other;  /**< one passes through another pair of an instance */
} walk_result;

/** Sets of carriers: what an instruction reads and writes. A register of which a part is written, or that
 * may be written, is also read. */
typedef struct carriers {
    uint64_t bits[2];
} carriers;

void walk_accesses(const tacho_insn *insn, carriers *reads, carriers *writes);
walk_result walk(const walk_step *steps, unsigned count);
/** The same where no two instructions access the same memory. */
walk_result walk_registers(const walk_step *steps, unsigned count);

/** Whether a dependency from iteration to iteration is in this carrier where an iteration ends. */
bool walk_carries(const walk_step *steps, unsigned count, unsigned carrier);

uint8_t carrier_of_reg(tacho_reg reg); /**< CARRIER_NONE for what is not followed */

static inline bool carriers_has(const carriers *set, unsigned c)
{
    return set->bits[c >> 6] >> (c & 63) & 1;
}
static inline void carriers_add(carriers *set, unsigned c)
{
    if (c < CARRIER_COUNT)
        set->bits[c >> 6] |= (uint64_t)1 << (c & 63);
}

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

/* ---- putting instructions into a chain: instances, links, breaks. For chain.c and links.c ---- */

/** Registers that all loops keep for themselves. */
enum {
    CHAIN_BASE = 6,      /**< RSI: address of memory operands */
    CHAIN_SAME_BASE = 7, /**< RDI: the same value, never written */
    CHAIN_TEMPORARY = 14,
    CHAIN_LEGACY_TEMPORARY = 5, /**< needs no REX prefix */
    CHAIN_CONSTANT = 15,        /**< never written; the same number of vector registers */
    CHAIN_VECTOR_TEMPORARY = 14
};

/** What a chain is built from. */
typedef struct builder {
    chain *c;
    tacho_form form;
    instance_choice choice;
    bool vex;       /**< vector instructions with VEX or EVEX: none of the others in between */
    bool divides;   /**< see chain_divides */
    bool gathers;   /**< the address has a vector index, the mask is used up */
    uint8_t widest; /**< class of the widest vector register */
} builder;

/** An operand of the form as it is chosen. */
typedef struct endpoint {
    uint8_t operand;
    int visible; /**< as instance_choice counts; -1 not written in assembly */
    bool fixed;  /**< its register cannot be chosen */
    bool address, index, memory, flags;
    tacho_reg reg;  /**< for registers and addresses */
    uint16_t width; /**< of memory; 0 unknown */
    uint8_t access;
    uint8_t carrier; /**< CARRIER_NONE: not followed */
} endpoint;

void builder_start(builder *b, chain *out, uint32_t form);

/** An instance with the current choice. */
void put_instance(builder *b, uint8_t from, uint8_t to);
/** Ends all dependencies through what the instance reads and writes, except through `keep`. */
void put_breaks(builder *b, const carriers *keep);
void put_break(builder *b, unsigned carrier);
/** What the instance with the current choice both reads and writes. @return false: it cannot be made */
bool instance_updates(const builder *b, carriers *out);

/** Instructions that make `to` wait for `from`. @return false where there are none */
bool put_links(builder *b, const endpoint *from, const endpoint *to);

static inline bool endpoint_is_general(const endpoint *e)
{
    return !e->address && !e->index && !e->memory && !e->flags && reg_is_general(e->reg);
}
static inline bool endpoint_is_vector(const endpoint *e)
{
    return !e->address && !e->memory && !e->flags && reg_is_vector(e->reg);
}

#endif
