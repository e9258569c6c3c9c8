/* assembly.h - instructions as text that assemblers take. */
#ifndef TACHO_DECODE_ASSEMBLY_H
#define TACHO_DECODE_ASSEMBLY_H

#include "x86/decode/insn_struct.h"

/** Writes the instruction to `out` (always terminated) such that the GNU assembler, LLVM's and tools that
 * read their language make the same instruction of it, though not always with the same encoding. In AT&T
 * syntax mnemonics have a suffix where the operands do not tell the size. `target` is written in place of a
 * relative branch's; NULL: the distance from the branch's start as ".+0x12". TACHO_SYNTAX_AUTO is AT&T.
 *  @return 0; TACHO_ERR_INPUT (not decodable), TACHO_ERR_LIMIT (does not fit) */
TACHO_PRIVATE int tacho_insn_assembly(const tacho_insn *insn, tacho_syntax syntax, const char *target,
                                      char *out, size_t size);

#endif
