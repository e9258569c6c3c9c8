/* front_end.h - predecoder, instruction queue, decoders, microcode sequencer, DSB, and the µop queue that
 * they fill. */
#ifndef TACHO_SIM_FRONT_END_H
#define TACHO_SIM_FRONT_END_H

#include "model/sim/program.h"

typedef struct sim sim;

enum {
    SIM_IDQ = 512, /* power of two */
    SIM_IQ = 64,   /* power of two */
};

typedef enum delivery_source {
    FROM_MITE,
    FROM_MS,
    FROM_DSB,
    FROM_LSD,
    DELIVERY_SOURCES
} delivery_source;

/* Instructions that were predecoded in one cycle. */
typedef struct iq_group {
    int32_t cycle;
    uint32_t count;
} iq_group;

/* Predecoder and instruction queue. */
typedef struct predecoder {
    uint32_t next;  /* first instruction that no fetched block has covered */
    int32_t offset; /* of `next` in the block being worked on (beyond it: in the next one), or in its own */
    bool has_block;
    uint32_t pending; /* instructions of this block not yet predecoded */
    uint32_t stall;
    uint32_t cycles_in_block;      /* not stalled */
    bool crossing;                 /* a cycle is lost to an instruction that crosses into the next block */
    bool prepared;                 /* its queue begins where the DSB will need the decoders next */
    uint32_t iq_first;             /* oldest instruction in the queue */
    uint32_t iq_count, iq_visible; /* in the queue; of these, for the decoders to see */
    iq_group groups[SIM_IQ];       /* those that are not visible yet, by cycle */
    uint32_t group_head, group_count;
    int32_t times[SIM_IQ];         /* when each was predecoded; only for a trace */
    uint32_t iq_pushed, iq_popped; /* the same */
} predecoder;

typedef struct sequencer {
    bool active;
    uint32_t stall_before, stall_after;
    uint32_t next, end; /* laminated µops */
    uint32_t blank;     /* µops without a slot of their own: cycles only */
} sequencer;

/* A laminated µop in the queue; the highest bit says that no other is issued after it in the same cycle, the
 * next one that the one after it is. */
typedef uint32_t idq_entry;
#define IDQ_ENDS_GROUP ((idq_entry)1 << 31)
#define IDQ_WITH_NEXT  ((idq_entry)1 << 30)
#define IDQ_FLAGS      (IDQ_ENDS_GROUP | IDQ_WITH_NEXT)

typedef struct front_end {
    delivery_source source;
    predecoder pre;
    sequencer ms;
    uint32_t dsb_insn;
    uint32_t dsb_position;        /* in dsb_entries */
    bool dsb_delayed;             /* a µop with an extra slot ended the previous cycle */
    uint32_t dsb_bytes;           /* of code that the cycle may give beside a line: dsb_layout.by_bytes */
    uint32_t tape_next;           /* where the DSB gives rows: in their tape, in place of these; */
    dsb_rows rows;                /* without a tape, its position */
    uint32_t idq_head, idq_count; /* the head's low bits index */
    uint32_t lsd_next;
    uint32_t lsd_iteration; /* within the unrolled copies */
    int stack_offset;
    bool stack_moved;       /* since RSP was right the last time */
    uint32_t iterations;    /* delivered; counted for the tally only */
    idq_entry idq[SIM_IDQ]; /* up to here cleared for a run */
} front_end;

void predecoder_start(sim *s, predecoder *p, uint32_t insn);
/* A cycle of whatever delivers µops. */
void front_end_tick(sim *s);

#endif
