/* written.h - which registers an instruction changes, also where no operand says so: for those that keep a
 * value in one while unknown code runs. */
#ifndef TACHO_DECODE_WRITTEN_H
#define TACHO_DECODE_WRITTEN_H

#include "x86/decode/insn_struct.h"

/** Bit n: general register n is, or may be, written, wholly or in part. */
TACHO_PRIVATE uint16_t tacho_insn_general_written(const tacho_insn *insn);

/** Bit n: the lowest 128 bits of vector register n (XMM, YMM, ZMM n; 0..31) are, or may be, written. What is
 *  above them may change in these registers only, and by VZEROUPPER, which leaves the lowest 128 bits. */
uint32_t insn_vectors_written(const tacho_insn *insn);

/** Bit n: vector register n is, or may be, read or written. FXSAVE and XSAVE read all that they may store. */
TACHO_PRIVATE uint32_t tacho_insn_vectors_used(const tacho_insn *insn);

/** Bit n: mask register n (0..7) is, or may be, written. */
uint8_t insn_masks_written(const tacho_insn *insn);

/** Whether MXCSR is, or may be, loaded. That most arithmetic may set its exception flags does not count. */
bool insn_loads_mxcsr(const tacho_insn *insn);

/** Whether it is an instruction of the x87 unit: one of the opcodes D8 to DF. */
bool insn_is_x87(const tacho_insn *insn);

/** Whether it reads or writes anything of what MMX and the x87 unit have: registers, tags, the place of the
 *  stack's top, control and status word. Every MMX instruction does. */
TACHO_PRIVATE bool tacho_insn_touches_x87(const tacho_insn *insn);

#endif
