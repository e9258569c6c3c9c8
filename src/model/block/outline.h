/* outline.h - code without what makes no difference where no addresses are compared: the numbers in it. */
#ifndef TACHO_BLOCK_OUTLINE_H
#define TACHO_BLOCK_OUTLINE_H

#include "x86/decode/shape.h"

enum {
    OUTLINE_READ_BYTES = 8 /* can be read and written, unchanged, from each number's first byte on */
};

/* Replaces the displacement and the immediate of the instruction at `bytes` by what of them still decides
 * something. Two instructions that begin in the same way, up to the displacement, and are the same then, can
 * differ in nothing but addresses and the values that they compute with. */
void outline_insn(uint8_t *bytes, const insn_shape *shape);

#endif
