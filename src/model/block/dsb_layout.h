/* dsb_layout.h - how a loop's code lies in the µop cache (DSB): what its lines hold, what it delivers in a
 * cycle, and which unit delivers the µops. Constant for a block; the simulator and the bounds both use it. */
#ifndef TACHO_BLOCK_DSB_LAYOUT_H
#define TACHO_BLOCK_DSB_LAYOUT_H

#include "model/block/block.h"

/* One µop in a DSB line. */
typedef struct dsb_entry {
    uint32_t laminated;
    uint16_t insn;
    uint8_t slot;    /* in its line */
    bool extra_slot; /* takes two */
    bool branch;     /* ends in a branch */
    bool ends_line;
    bool microcode; /* the rest comes from the sequencer */
    bool first_of_insn;
} dsb_entry;

/* What dsb_rows.c needs of an instruction, or of the pair that it begins. */
typedef struct dsb_row_insn {
    uint32_t at;       /* of a loop: its line of code; of unrolled code: its offset */
    uint32_t entries;  /* of the DSB */
    uint16_t next;     /* instruction; 0 behind the last */
    uint8_t constants; /* block_constant_room of both */
    bool joined : 1, microcode : 1, jumps : 1;
} dsb_row_insn;

/* What the DSB gives in one cycle. */
typedef struct dsb_group {
    uint32_t count; /* entries */
    uint32_t next;  /* entry after them */
    bool leaves;    /* the DSB lacks what comes next */
    bool microcode; /* the sequencer goes on */
    bool delayed;   /* a µop with an extra slot ended the cycle */
} dsb_group;

/* A cycle of a DSB that gives rows. */
typedef struct dsb_row_cycle {
    uint64_t state; /* dsb_rows_state() before it */
    uint32_t first; /* entry with which it begins */
    dsb_group group;
} dsb_row_cycle;

/* On most cores unrolled code never finds itself in the DSB: nothing is cached there. */
typedef struct dsb_layout {
    uint8_t *insn_cached; /* [insn] lies in a block that the DSB holds */
    dsb_entry *dsb_entries;
    uint32_t *dsb_first;             /* [insn] first entry; one more at the end */
    dsb_row_insn *rows;              /* [insn] where the core has dsb_rows */
    dsb_row_cycle *tape;             /* then: all its cycles; after the last comes number `tape_again` */
    uint32_t tape_count, tape_again; /* no count: there are more than are kept */
    uint32_t dsb_entry_count;
    bool any_cached, all_cached;
    bool fits_lsd;     /* the LSD streams the loop */
    uint32_t by_bytes; /* of unrolled code that is issued faster than lines of it come, one a cycle: its
                          bytes; 0: it is not */
    uint32_t lsd_unroll;
} dsb_layout;

/* Lays the block out, and notes the JCC erratum on its instructions. @return 0 or TACHO_ERR_MEMORY */
int dsb_layout_make(dsb_layout *out, block *b, arena *a);
/* Whether the DSB takes over from the decoders after that branch: it has what follows. */
bool dsb_layout_takes_over(const dsb_layout *l, const block *b, uint32_t insn);
/* Where the µops come from, followed over two iterations: the DSB is left where it lacks a block. */
tacho_uop_source dsb_layout_source(const dsb_layout *l, const block *b);
/* Of `by_bytes`: those of the instruction, and of what has no entry behind it. */
uint32_t dsb_layout_bytes(const block *b, uint32_t insn);
/* The cycle that begins at entry `position`; `delayed` as the cycle before left it. */
dsb_group dsb_layout_group(const dsb_layout *l, const block *b, uint32_t position, bool delayed);

/* An op cache that gives a line of code a cycle, and what it gives in rows (AMD's Zen 5). The
 * simulator and the bounds both use it. */

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
