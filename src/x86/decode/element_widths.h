/* element_widths.h - how wide the numbers are that a vector instruction computes with. */
#ifndef TACHO_DECODE_ELEMENT_WIDTHS_H
#define TACHO_DECODE_ELEMENT_WIDTHS_H

#include "x86/decode/insn_struct.h"

/** In bytes; 0: the instruction does not say. Of gathers and scatters, `read` is that of the indices. */
typedef struct element_widths {
    uint8_t read, written;
    bool passes; /* it puts elements elsewhere as they are, whatever their width */
    bool one;    /* what it loads or stores, if that is up to 8 bytes, is one element */
} element_widths;

element_widths insn_element_widths(const tacho_insn *insn);

#endif
