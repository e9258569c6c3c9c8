/* instance.h - an instruction of a given form, with registers of one's choice. */
#ifndef TACHO_CHARACTERISE_INSTANCE_H
#define TACHO_CHARACTERISE_INSTANCE_H

#include "tacho/insndb.h"
#include "x86/insndb/key.h"

enum {
    INSTANCE_NO_INDEX = 255
};

/** The choices; initialise with instance_defaults. */
typedef struct instance_choice {
    uint8_t reg[KEY_MAX_KINDS]; /**< of each visible register operand that the form does not fix */
    uint8_t base;               /**< of the memory operand */
    uint8_t index;              /**< of the memory operand: INSTANCE_NO_INDEX or a number; a vector
                                   register's for gathers and scatters, which must have one */
    int32_t disp;
    int64_t imm8, imm32; /**< values of 8-bit and 32-bit immediates */
} instance_choice;

/** Registers that the form's operands may have: distinct, none that the form uses implicitly, RSP, RSI, RDI
 *  or R15; addresses are [rsi]. */
void instance_defaults(instance_choice *out, uint32_t form);

/** The n-th register (from 0) that a visible register operand of the form can have and that
 * `instance_defaults` might give; -1 when there are no more. */
int instance_register(uint32_t form, unsigned operand, unsigned n);

/** @return 0; TACHO_ERR_UNSUPPORTED with the reason in `why` (static storage) when there is no such
 *  instruction or it must not be run as part of a block. The form is that of the bytes, decoded again. */
int instance_make(tacho_insn *out, uint32_t form, const instance_choice *choice, const char **why);

/** Kind of a visible operand. */
form_kind instance_kind(uint32_t form, unsigned operand);

#endif
