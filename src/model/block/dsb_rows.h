/* dsb_rows.h - an op cache that gives a line of code a cycle, and what it gives in rows (AMD's Zen 5). The
 * simulator and the bounds both use it. */
#ifndef TACHO_BLOCK_DSB_ROWS_H
#define TACHO_BLOCK_DSB_ROWS_H

#include "model/block/dsb_layout.h"

/* What comes next. Equal members: the same will follow. */
typedef struct dsb_rows {
    uint32_t insn;
    uint8_t copy_offset;      /* of unrolled code: where this copy begins in its line of code */
    uint8_t insns, constants; /* in the row that is not full yet */
    uint8_t wait;             /* cycles in which nothing comes */
    bool entered;             /* the line of code was entered by a taken branch */
    uint8_t again;            /* how often its first rows have come already */
} dsb_rows;

/* Fills in out->rows and the tape; the rest is there. @return 0 or TACHO_ERR_MEMORY */
int dsb_rows_make(dsb_layout *out, const block *b, arena *a);
void dsb_rows_reset(dsb_rows *r, const block *b);
/* One cycle. */
dsb_row_cycle dsb_rows_cycle(dsb_rows *r, const dsb_layout *l, const block *b);
/* All members, as one number. */
static inline uint64_t dsb_rows_state(const dsb_rows *r)
{
    return r->insn | (uint64_t)r->copy_offset << 24 | (uint64_t)r->insns << 32 |
           (uint64_t)r->constants << 40 | (uint64_t)r->wait << 48 | (uint64_t)r->entered << 56 |
           (uint64_t)r->again << 57;
}

#endif
