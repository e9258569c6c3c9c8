/* characterise_support.h - putting instructions into a chain: instances, links, breaks. For chain.c and
 * links.c. */
#ifndef TACHO_CHARACTERISE_SUPPORT_H
#define TACHO_CHARACTERISE_SUPPORT_H

#include "machine/characterise/chain.h"
#include "x86/decode/regs.h"

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
/** An instruction of the form of that name with these registers, [base + index] where it has an address. */
void put_support(builder *b, step_role role, const char *name, const instance_choice *choice);
void put_registers(builder *b, step_role role, const char *name, int first, int second);
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
