/* deps_steps.h - the pieces of which executing an instruction is made. `op` is one of ops.h. */
#ifndef TACHO_DEPS_STEPS_H
#define TACHO_DEPS_STEPS_H

#include "model/deps/deps_internal.h"
#include "x86/decode/insn_struct.h"
#include "x86/decode/ops.h"

/* execute.c: operands. What is no general register, immediate number or memory of at most 8 bytes is unknown
 * when read; a vector register that is written becomes unknown, whatever the value. */
value operand_read(const machine *m, const tacho_insn *insn, int i, const addresses *a);
void operand_write(machine *m, const tacho_insn *insn, int i, const addresses *a, value v);

/* stack.c: what moves RSP (OP_FIRST_STACK to OP_LAST_STACK). */
/** The address of memory operand `i`, which is *out by what its registers hold, where the instruction uses
 * RSP in other ways. */
void stack_address(const machine *m, unsigned op, const tacho_insn *insn, int i, value *out);
void stack_execute(machine *m, unsigned op, const tacho_insn *insn, const addresses *a);

/* string.c: OP_STRING, OP_SCAN. */
/** With a repeat prefix, and where the direction is backwards: where the accesses begin, and how many there
 *  are. */
void string_addresses(const machine *m, unsigned op, const tacho_insn *insn, addresses *a);
void string_execute(machine *m, unsigned op, const tacho_insn *insn, const addresses *a);

#endif
