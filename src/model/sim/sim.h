/* sim.h - the machine: one struct for each unit, all of fixed size. Source of the behaviour: the uiCA paper,
 * section 4, and doc/rooms/model.md.
 *
 * The front end is simulated cycle by cycle. The back end needs no events of its own: every producer of a µop
 * is older than the µop, and each port takes its oldest ready µop first, so a µop never waits for a younger
 * one. When a µop is renamed, the cycles in which it becomes ready, leaves for its port, finishes and retires
 * all follow from what is known already. They are entered into reservation tables (schedulers.c), and each
 * cycle looks up there what leaves the scheduler and the reorder buffer. */
#ifndef TACHO_SIM_H
#define TACHO_SIM_H

#include "base/number.h"
#include "model/block/streams.h"
#include "model/sim/account.h"
#include "model/sim/stores.h"

enum {
    MOST_RUNS = 4, /* of min_cycles, where averages_after_filling */
};

/* When an iteration was retired. */
typedef struct retirement {
    int32_t cycle;
    uint16_t place;     /* among the µops retired in that cycle */
    uint16_t in_flight; /* µops in the queue, the reorder buffer and the scheduler when it was issued */
    uint16_t store_lag; /* cycles from its retirement until its stores have reached the cache */
} retirement;

typedef struct sim_trace sim_trace; /* sim_trace.c */

struct sim {
    const block *b;
    const tacho_arch *arch;
    const tacho_predict_options *options;
    int32_t cycle;
    uint16_t quick;   /* LAM_SIMPLE, where nobody looks; else 0 */
    issue_way way;    /* of those; constant */
    int32_t earliest; /* cycle in which a µop that is renamed now could leave for its port */
    uint64_t stamp;   /* cycles of all runs */

    /* constant during a run */
    program prog;
    bool use_lsd;
    bool ideal_front_end; /* what-if: µops are streamed from the µop queue as if by an LSD without limits */
    const dsb_layout *layout;
    uint32_t *last_store_of; /* [same code] the last store of these instructions: stores.c */
    uint16_t *renamed_from; /* [same code] the store that a load of these read from when it was executed last,
                               plus one */
    bool renames;
    int32_t renamed_cycle;  /* the latest in which loads were renamed so, ... */
    uint32_t renamed_now;   /* ... so many */
    uint32_t renamed_alone; /* of these, loads of instructions that do not store there, too */
    uint16_t written_gprs;  /* by the block */
    bool *sync_before;      /* [insn] a stack synchronisation was inserted there */
    bool stores_unlimited;  /* what-if: any number of stores reach the cache in a cycle */
    bool track_values;      /* for any of these: */
    bool compares;          /* loads and stores by their addresses: some of track_memory meet, or may */
    access_stream (*streams)[INSN_MAX_MEM]; /* [insn] of their addresses; NULL: values are followed */
    bool track_memory, track_lines, track_splits, track_aliases, any_throttle, any_fence, any_move,
        any_divider, any_wide_load, any_mispredicted, any_bypass, any_closer;
    bool limits_moves; /* some kind of move of the block is eliminated only while there are slots for it */

    front_end fe;
    renamer rn;
    reservations reserved;
    reorder_buffer rob;
    store_buffer stored;
    scheduler_queues queues;
    scheduler_parts parts;
    waiting_loads waiting;
    bool waits;        /* some may */
    bool queued;       /* there are such schedulers */
    bool parted;       /* one of them is in parts */
    bool binds;        /* these are for addresses, and µops are bound to them by turns */
    bool counts_ports; /* of the µops that wait, as somebody asks */
    bool gathers;      /* stores go to the latest lines two a cycle */
    port_choice
        choices[1 << TACHO_MAX_BOUND_PORTS]; /* by set of ports; for renamers that bind µops to them */
    int32_t next_seq;                        /* µops renamed */
    uint32_t forwards;                       /* loads that have read what a store in flight wrote */

    word_entry words[SIM_WORDS];
    store_record stores[SIM_STORE_RECORDS]; /* by number, from 1 */
    uint32_t store_count;
    alias_tracker aliases;
    uint32_t run; /* number of resets: older entries do not count */

    uint32_t counted_iterations; /* retired before the current cycle; counted when asked for, and while
                                    somebody watches */
    uint32_t issued_iterations;
    int32_t last_issue;  /* cycle */
    bool full;           /* the back end has no room for a whole issue group at the start of the cycle */
    bool inside_insn;    /* some µops of the instruction that was renamed last are not renamed yet */
    int32_t right_path;  /* cycle before which nothing is issued, because of a mispredicted branch */
    int32_t left;        /* in which the µop that was renamed last leaves; kept in watched runs */
    bool held_up;        /* the back end was full since this was last cleared */
    load_link *links;    /* [insn] of its latest load; NULL: their links can be of any length */
    throttle *throttles; /* [insn] of those that start only every so many cycles */
    retirement *retired; /* of the issued iterations */
    uint32_t retired_capacity;
    sim_tally *tally; /* NULL: nothing is counted */
    sim_trace *trace; /* NULL: nothing is traced */
};

/* sim.c */
int sim_prepare(sim *s, arena *a, const block *b, const dsb_layout *layout,
                const tacho_predict_options *options);
void sim_reset(sim *s);
void sim_tick(sim *s);
/* How many iterations are retired. */
uint32_t sim_iterations(sim *s);

/* program.c */
int program_build(sim *s, arena *a);
/* Some load is a 256-bit one that takes two cycles. */
bool program_has_wide_load(const block *b);
/* Some µop closes ALUs: port_closer. */
bool program_has_closer(const block *b);

static inline store_record *store_number(sim *s, uint32_t number)
{
    return &s->stores[number & (SIM_STORE_RECORDS - 1)];
}

/* Whether a load of `m` can take 4 cycles instead of 5: its displacement is small. The caller knows the other
 * conditions: the base (a general register) comes straight from a load, and there is no index, or one that
 * was zeroed. */
static inline bool sim_may_chase(const sim *s, const mem_access *m)
{
    return s->arch->fast_pointer_chasing && m->base < UNIT_HIGH8 && m->disp >= 0 &&
           m->disp < FAST_DISPLACEMENT_END && (m->index == UNIT_NONE || m->index < UNIT_HIGH8);
}

static inline uint32_t stores_inside(const sim *s)
{
    return (uint32_t)(s->stored.tail - s->stored.head);
}

/* The store buffer has no room for so many more stores. Only where stores can leave for their
 * ports faster than for the cache: elsewhere the buffer fills behind an instruction that waits, as the
 * reorder buffer does. */
static inline bool store_buffer_full(const sim *s, uint32_t stores)
{
    return s->track_lines && stores_inside(s) + stores > s->arch->store_buffer_entries;
}

/* Whether stores wait longer for the cache at the end of these iterations than at their start. A difference
 * of one cycle may come from their places in the cycle. */
static inline bool sim_store_buffer_fills(const sim *s, uint32_t first, uint32_t last)
{
    return s->retired[last].store_lag > s->retired[first].store_lag + 1;
}

static inline uint32_t sim_in_flight(const sim *s)
{
    return (uint32_t)(s->rob.tail - s->rob.head) + s->reserved.occupancy + s->fe.idq_count;
}

/* Somebody counts or traces. */
static inline bool sim_is_watched(const sim *s)
{
    return s->tally || s->trace;
}

/* An instruction that ends at rename and cannot be renamed in every cycle (VZEROUPPER). */
static inline bool renamed_at_intervals(const block_insn *bi)
{
    return bi->tp_cycles && !bi->uop_count && !bi->eliminable && !bi->fused_into_previous;
}

static inline bool tally_counts(const sim_tally *t, uint32_t iteration)
{
    return t && iteration >= t->from_iteration && iteration < t->to_iteration;
}

#endif
