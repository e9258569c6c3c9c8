/* danger.h - instructions that cannot be run as part of a block outside their program. */
#ifndef TACHO_DECODE_DANGER_H
#define TACHO_DECODE_DANGER_H

#include "tacho/decode.h"

/** Why the instruction must not be run ("is a system call"), or NULL. Static storage. */
const char *decode_danger(const tacho_insn *insn);

/** What makes the instruction one after which another one than the next follows, or none ("is a call", "is a
 * branch"), or NULL. Static storage. */
const char *decode_transfer(const tacho_insn *insn);

/** Change of the x87 stack's depth by the instruction: +1 a push. *need: values that must be on it before. */
int decode_x87_change(const tacho_insn *insn, unsigned *need);

#endif
