/* sim.h - the machine: one struct a unit, all of fixed size, ticked from retirement back to the predecoder,
 * so that a µop moves one stage a cycle. Source of the behaviour: the uiCA paper, section 4, and
 * doc/INTERNALS.
 *
 * Instances are numbered: an instruction instance by its iteration and place in the block, a µop instance by
 * a sequence number whose low bits are its slot in a ring. */
#ifndef TACHO_SIM_H
#define TACHO_SIM_H

#include "block/dsb_layout.h"

enum {
    SIM_RING =
        1024, /* µop instances alive or recently retired; power of two, > 2 * reorder buffer + a group */
    SIM_ROB = 1024,             /* fused µops; power of two */
    SIM_IDQ = 256,              /* power of two */
    SIM_IQ = 64,                /* power of two */
    SIM_WHEEL = 1024,           /* cycles ahead in which a µop can become ready; power of two */
    SIM_EDGES = UOP_MAX_IN + 4, /* operands, the two parts of a store, fence and access before a fence */
    SIM_EDGE_FORWARD_ADDRESS = UOP_MAX_IN,
    SIM_EDGE_FORWARD_DATA,
    SIM_EDGE_FENCE,
    SIM_EDGE_ACCESS,
    SIM_STORES = 1024, /* remembered store addresses; power of two */
    SIM_NOT_YET = INT32_MAX,
    SIM_MAX_RS = 1024,        /* more than twice the scheduler's size, so that queues are rarely moved */
    SIM_FORWARD_WINDOW = 900, /* µops after which a store is in the cache */
};

/* A place in the code: instruction `insn` of iteration `iteration`. */
typedef struct code_point {
    uint32_t insn;
    uint32_t iteration;
} code_point;

typedef struct iq_entry {
    code_point at;
    int32_t predecoded; /* cycle */
} iq_entry;

enum {
    IDQ_STACK_SYNC = 1,
    IDQ_ENDS_GROUP = 2,
    IDQ_LAST = 4,
    IDQ_FIRST_OF_INSN = 8
};

typedef struct idq_entry {
    uint32_t laminated; /* in the block; unused for IDQ_STACK_SYNC */
    uint32_t insn;
    uint32_t iteration;
    uint8_t flags;
    uint8_t source; /* a delivery_source */
} idq_entry;

typedef enum delivery_source {
    FROM_MITE,
    FROM_MS,
    FROM_DSB,
    FROM_LSD,
    DELIVERY_SOURCES
} delivery_source;

/* Predecoder and instruction queue. */
typedef struct predecoder {
    code_point next;       /* first instruction that no fetched block has covered */
    uint64_t next_address; /* of `next` */
    uint64_t block;        /* 16-byte block being worked on */
    bool has_block;
    uint32_t pending; /* instructions of this block not yet predecoded */
    code_point pending_at;
    uint32_t stall;
    uint32_t cycles_in_block; /* not stalled */
    bool crossing;            /* a cycle is lost to an instruction that crosses into the next block */
    iq_entry iq[SIM_IQ];
    uint32_t iq_head, iq_count;
    bool alone;    /* nothing else delivers */
    bool prepared; /* its queue begins where the DSB will need the decoders next */
} predecoder;

typedef struct sequencer {
    bool active;
    uint32_t stall_before, stall_after;
    uint32_t insn, iteration;
    uint32_t next, end; /* laminated µops */
    uint32_t blank;     /* µops without a slot of their own: cycles only */
} sequencer;

typedef struct front_end {
    delivery_source source;
    predecoder pre;
    sequencer ms;
    code_point dsb_at;
    uint32_t dsb_position; /* in dsb_entries */
    bool dsb_delayed;      /* a µop with an extra slot ended the previous cycle */
    idq_entry idq[SIM_IDQ];
    uint32_t idq_head, idq_count;
    uint32_t lsd_next;
    uint32_t lsd_iteration;
    int stack_offset;
} front_end;

/* Where the current value of a unit comes from. */
typedef struct rat_entry {
    int32_t seq;    /* producing µop instance, negative: ready */
    uint8_t out;    /* index among its outputs */
    bool by_load;   /* delivered by a 32/64-bit load or pop: fast pointer chasing */
    bool by_move32; /* copied by an eliminated 32-bit move */
    bool zeroed;    /* by a zero idiom */
    int16_t alias;  /* move-elimination slot, -1 none */
} rat_entry;

/* Physical registers that several architectural ones share. */
typedef struct alias_slot {
    uint8_t users; /* architectural registers that map to it now */
} alias_slot;

enum {
    ALIAS_SLOTS = 64,
    ELIM_HISTORY = 8
};

typedef struct move_eliminator {
    alias_slot slots[ALIAS_SLOTS];
    uint64_t active; /* mask of the slots in use */
    uint16_t active_count;
    uint16_t in_use_history[ELIM_HISTORY]; /* at the end of earlier cycles */
    uint16_t
        done_history[ELIM_HISTORY]; /* eliminations in earlier cycles; both only of cycles with renaming */
} move_eliminator;

/* A result of the instruction being renamed; visible to the next instruction only. */
typedef struct pending_write {
    uint8_t unit, out;
    int32_t seq;
} pending_write;

typedef struct renamer {
    rat_entry rat[UNIT_COUNT];
    rat_entry temps[TEMP_COUNT];
    move_eliminator gpr, simd;
    pending_write pending[24];
    uint32_t pending_count;
    uint8_t high8_pending; /* bit n: the high byte of register n is renamed apart */
    uint32_t load_toggle, store_data_toggle, store_address_toggle; /* whose turn it is among those ports */
    uint16_t usage[TACHO_MAX_PORTS];                               /* now */
    uint16_t usage_start[TACHO_MAX_PORTS];                         /* at the start of this cycle */
    uint16_t usage_previous[TACHO_MAX_PORTS];                      /* at the start of the previous cycle */
    uint32_t active_cycles; /* in which the renamer was not held up: clock of the move eliminator */
    uint64_t values[16];
    uint64_t fresh;
    int32_t load_fence, store_fence; /* µop instance to wait for, -1 none */
    int32_t last_load, last_store;   /* youngest accesses, which a fence waits for; -1 none */
} renamer;

typedef struct uop_instance {
    const uop *u;
    int32_t seq;
    int32_t issued;        /* cycle */
    int32_t dispatched_at; /* cycle; SIM_NOT_YET before */
    int32_t base;          /* output k is ready at base + its latency; SIM_NOT_YET while unknown */
    int32_t operands;      /* cycle at which the last known operand is ready */
    int32_t rob;           /* number of its reorder buffer entry */
    int32_t waiters;       /* first edge, -1 none */
    int32_t next_ready;    /* list link in the wheel */
    int32_t forward_address, forward_data; /* µops of the store that a load reads from; -1 none */
    uint64_t line;                         /* STORE_DATA: 64-byte line number */
    uint32_t insn, iteration;
    int16_t waiting_for;  /* operands whose time is not known */
    int8_t forwards_open; /* parts of that store not dispatched */
    int8_t port;
    int8_t load_discount; /* cycles saved by fast pointer chasing */
} uop_instance;

typedef struct rob_entry {
    int32_t finish; /* latest finish of the finished parts */
    uint16_t open;  /* parts not finished */
    uint16_t insn;
    uint32_t iteration;
    int32_t first_seq; /* of its µops */
    bool last_of_iteration;
    uint8_t parts;
} rob_entry;

typedef struct store_entry {
    uint64_t address;
    int32_t seq_address, seq_data;
    uint64_t value;
    uint8_t bytes;
    bool value_known;
    uint32_t run; /* of the simulator, in which it was made */
} store_entry;

typedef struct port_queue {
    int32_t seq[SIM_MAX_RS]; /* [head, tail), oldest first */
    uint32_t head, tail;
} port_queue;

typedef struct scheduler {
    uint32_t occupancy;
    int32_t wheel[SIM_WHEEL]; /* first µop instance that becomes ready in that cycle, -1 none */
    uint16_t ready_ports;     /* ports that may have a ready µop */
    port_queue ready[TACHO_MAX_PORTS];
    port_queue ready_divider;
    int32_t divider_free;       /* cycle */
    uint16_t dispatched_before; /* ports used in the previous cycle */
    uint16_t dispatched_ports;  /* this cycle, whose usage count falls next cycle */
} scheduler;

/* Averages over the relevant part of the run, for reports. */
typedef struct sim_tally {
    uint32_t from_iteration, to_iteration; /* [from, to) */
    uint32_t *delivered;                   /* [insn][DELIVERY_SOURCES] */
    uint32_t *issued;                      /* [insn] */
    uint32_t *dispatched;                  /* [insn][TACHO_MAX_PORTS] */
    uint32_t *eliminated;                  /* [insn] */
    uint32_t *forwarded;                   /* [insn] */
    uint64_t slots, slots_used;            /* issue slots, of cycles between the retirements of these */
    uint64_t slots_lost[TACHO_SLOT_REASON_COUNT];
    uint64_t slots_lost_to_port[TACHO_MAX_PORTS];
    delivery_source delivering; /* who filled the µop queue in the last cycle */
    int8_t blamed_port;
} sim_tally;

/* Why the renamer issued no more µops in a cycle. */
typedef enum issue_end {
    ISSUE_QUEUE_EMPTY, /* or the group is complete */
    ISSUE_BACK_END_FULL,
    ISSUE_HELD_BACK,
    ISSUE_LOOP_END
} issue_end;

/* When an iteration was retired. */
typedef struct retirement {
    int32_t cycle;
    uint16_t place;     /* among the µops retired in that cycle */
    uint16_t in_flight; /* µops in the queue, the reorder buffer and the scheduler then */
} retirement;

typedef struct sim_trace sim_trace; /* trace.h */

typedef struct sim {
    const block *b;
    const tacho_arch *arch;
    const tacho_predict_options *options;
    int32_t cycle;
    bool backend_full; /* at the start of the cycle: no room for a whole issue group */

    /* constant during a run */
    bool use_lsd;
    bool ideal_front_end; /* what-if: streamed from the µop queue like an LSD without its limits */
    const dsb_layout *layout;
    /* from the layout */
    const uint8_t *insn_cached;
    const dsb_entry *dsb_entries;
    const uint32_t *dsb_first;
    uint32_t dsb_entry_count;
    uint32_t lsd_unroll;
    uint32_t *lsd_insns; /* [laminated µop] its instruction */
    bool *sync_before;   /* [insn] a stack synchronisation was inserted there */
    bool track_memory, track_lines, any_throttle, any_fence;
    uop sync_uop, merge_uops[4];

    front_end fe;
    renamer rn;
    scheduler sched;

    uop_instance ring[SIM_RING];
    int32_t edge_next[SIM_RING * SIM_EDGES]; /* edge e: of consumer e / SIM_EDGES, operand e % SIM_EDGES */
    uint8_t edge_out[SIM_RING * SIM_EDGES];  /* which output of the producer */
    int32_t next_seq;

    rob_entry rob[SIM_ROB];
    int32_t rob_head, rob_tail; /* numbers, low bits index */

    store_entry stores[SIM_STORES];
    uint32_t run; /* number of resets: older entries do not count */

    uint32_t iterations;     /* completed */
    int32_t last_retirement; /* cycle */
    uint32_t issued_iterations;
    bool held_up;        /* the back end was full since this was last cleared */
    int32_t *tp_free;    /* [insn] cycle from which the next instance may start */
    retirement *retired; /* cycle in which iteration i was retired */
    uint32_t retired_capacity;
    sim_tally *tally; /* NULL: nothing is counted */
    sim_trace *trace; /* NULL: nothing is traced */
} sim;

/* steady.c: detection of the steady state. */
enum {
    STEADY_WARM_UP_CYCLES = 48,    /* before which no state is worth remembering */
    STEADY_FRONT_END_CYCLES = 128, /* for which the front end must have run unhindered */
    STEADY_CHECK_CYCLES = 32,      /* between looks at the retirements */
    STEADY_RETIRE_CYCLES = 160,    /* for which their pattern must have repeated */
    STEADY_RETIRE_PERIODS = 4,
    STEADY_RETIRE_PERIOD_MAX = 64, /* iterations */
};

typedef struct recurrence {
    uint32_t anchor_iteration, next_anchor;
    int32_t anchor_cycle;
    uint64_t fingerprint, hash;
    uint32_t in_flight;
    uint32_t period_iterations, period_cycles;
} recurrence;

typedef struct steady_state {
    recurrence machine, front_end;
    uint32_t seen_retired, seen_issued;
    int32_t next_look;
    uint32_t window_from, window_to; /* iterations [from, to) to average other things over */
    uint32_t from_iteration, period_iterations, period_cycles; /* valid when steady_check has returned true */
} steady_state;

void steady_reset(steady_state *d);
/* To be called after each cycle; true once it is known that the state recurs. */
bool steady_check(steady_state *d, sim *s);

/* sim.c */
int sim_prepare(sim *s, arena *a, const block *b, const dsb_layout *layout,
                const tacho_predict_options *options);
void sim_reset(sim *s);
void sim_tick(sim *s);
uint64_t sim_address_of(const sim *s, code_point at);

/* Units, in the order of sim_tick. */
void sim_retire(sim *s);
void sim_dispatch(sim *s);
void sim_rename(sim *s);
bool sim_backend_full(const sim *s);
void sim_deliver(sim *s);

/* predecode.c, decode.c, dsb.c */
void predecoder_tick(sim *s, predecoder *p);
void predecoder_start(sim *s, predecoder *p, code_point at);
bool dsb_takes_over_after(const sim *s, code_point at);
uint32_t decoders_tick(sim *s);
void sequencer_tick(sim *s);
uint32_t dsb_tick(sim *s);
void sequencer_start(sim *s, uint32_t insn, uint32_t iteration, uint32_t first, uint32_t end,
                     uint32_t stall_before, uint32_t stall_after);
void idq_push(sim *s, uint32_t laminated, uint32_t insn, uint32_t iteration, uint8_t flags,
              delivery_source source);
void idq_begin_insn(sim *s, uint32_t insn, uint32_t iteration, delivery_source source);

/* schedule.c */
void scheduler_add(sim *s, uop_instance *i);
void scheduler_operand(sim *s, uop_instance *i, int edge, int32_t producer, uint8_t out);
void scheduler_operands_done(sim *s, uop_instance *i);
void scheduler_ready_at(sim *s, uop_instance *i);
void scheduler_forward(sim *s, uop_instance *load, int32_t address, int32_t data);

/* account.c: only with a tally */
void account_slots(sim *s, uint32_t used, issue_end why);
void account_delivery(sim *s);
void account_topdown(const sim_tally *t, tacho_topdown *out);

/* ideal.c: what the options want to be ideal, before sim_prepare. */
void ideal_apply(block *b, const tacho_predict_options *options);
void ideal_uop(uop *u, const tacho_predict_options *options);

/* ports.c */
int ports_choose(sim *s, const uop *u, uint32_t slot, const uint16_t *group_sets, uint32_t group_count);

/* address.c */
void values_step(sim *s, const block_insn *bi);
uint64_t values_address(const sim *s, const mem_access *m);
void values_reset(sim *s);
uint64_t values_store_address(const sim *s, const block_insn *bi, const mem_access *m);
void values_record_store(sim *s, const block_insn *bi, const mem_access *m, int32_t seq_address,
                         int32_t seq_data);
const store_entry *values_find_store(sim *s, const mem_access *m);

/* Microcode can have more µops in flight than the reorder buffer suggests. */
static inline bool sim_ring_full(const sim *s)
{
    return s->rob_head != s->rob_tail &&
           s->next_seq - s->rob[s->rob_head & (SIM_ROB - 1)].first_seq > SIM_RING - 300;
}

/* The place after `at`, in program order; the last instruction is followed by the next iteration. */
static inline code_point sim_following(const sim *s, code_point at)
{
    return at.insn + 1 == s->b->insn_count ? (code_point){0, at.iteration + 1}
                                           : (code_point){at.insn + 1, at.iteration};
}

/* Whether a load of `m` can take 4 cycles instead of 5: the displacement is small. What else it takes, the
 * caller knows: the base (a general register) as it came from a load, and no index, or one that was zeroed.
 */
static inline bool sim_may_chase(const sim *s, const mem_access *m)
{
    return s->arch->fast_pointer_chasing && m->base < UNIT_HIGH8 && m->disp >= 0 && m->disp < 2048 &&
           (m->index == UNIT_NONE || m->index < UNIT_HIGH8);
}

static inline uint32_t sim_in_flight(const sim *s)
{
    return (uint32_t)(s->rob_tail - s->rob_head) + s->sched.occupancy + s->fe.idq_count;
}

static inline uop_instance *sim_uop(sim *s, int32_t seq)
{
    return &s->ring[seq & (SIM_RING - 1)];
}

#endif
