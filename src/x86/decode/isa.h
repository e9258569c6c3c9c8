/* isa.h - which extensions of the instruction set an instruction needs. */
#ifndef TACHO_DECODE_ISA_H
#define TACHO_DECODE_ISA_H

#include <Zydis/Zydis.h>

#include "tacho/extension.h"
#include "x86/decode/insn_struct.h"

/* Fills in `extensions` and `else_another`. */
void isa_fill(tacho_insn *out, const ZydisDecodedInstruction *zi);

#endif
