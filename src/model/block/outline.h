/* outline.h - code without the numbers in it that make no difference where no addresses are compared. */
#ifndef TACHO_BLOCK_OUTLINE_H
#define TACHO_BLOCK_OUTLINE_H

#include "x86/decode/shape.h"

enum {
    OUTLINE_READ_BYTES = 8 /* can be read and written, unchanged, from each number's first byte on */
};

/* Replaces the displacement and the immediate of the instruction at `bytes` by the part of them that still
 * decides something. Two instructions that are equal up to the displacement, and equal after this, differ
 * only in addresses and in the values that they compute with. */
void outline_insn(uint8_t *bytes, const insn_shape *shape);

#endif
