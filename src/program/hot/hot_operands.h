/* hot_operands.h - what the addresses of an operand, as samples have them, say of it. */
#ifndef TACHO_HOT_OPERANDS_H
#define TACHO_HOT_OPERANDS_H

#include "program/hot/hot_find.h"

/** An operand's addresses in the samples of a place, in the order of time; 0: not known. */
typedef struct seen_addresses {
    const uint64_t *now;
    const uint64_t *before; /* in the thread's sample before; 0 where that does not belong to it */
    const double *lines;    /* beside `before`: that it has gone over since then, as far as is known; NaN */
    size_t count;
} seen_addresses;

/** Fills in footprint, line_bytes, reach, samples; and the pattern, where `out->pattern` leaves it open
 *  (UNSEEN: the address is no sum of registers that move by a constant). @return 0, TACHO_ERR_MEMORY */
int operand_summarise(tacho_hot_operand *out, const seen_addresses *seen);

#endif
