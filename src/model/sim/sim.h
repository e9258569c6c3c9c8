/* sim.h - the machine: one struct for each unit, all of fixed size. Source of the behaviour: the uiCA paper,
 * section 4, and doc/rooms/model.md.
 *
 * The front end is simulated cycle by cycle. The back end needs no events of its own: every producer of a µop
 * is older than the µop, and each port takes its oldest ready µop first, so a µop never waits for a younger
 * one. When a µop is renamed, the cycles in which it becomes ready, leaves for its port, finishes and retires
 * all follow from what is known already. They are entered into reservation tables (schedule.c), and each
 * cycle looks up there what leaves the scheduler and the reorder buffer. */
#ifndef TACHO_SIM_H
#define TACHO_SIM_H

#include "model/block/dsb_layout.h"
#include "model/block/dsb_rows.h"
#include "model/block/registers.h"
#include "model/block/streams.h"
#include "model/sim/sim_program.h"

#include <string.h>

enum {
    SIM_ROB = 1024,           /* fused µops; power of two */
    SIM_IDQ = 512,            /* power of two */
    SIM_IQ = 64,              /* power of two */
    SIM_HORIZON = 8192,       /* cycles ahead that the reservation tables reach; power of two */
    SIM_WORDS = 1024,         /* remembered words that were stored to; power of two */
    SIM_STORE_RECORDS = 1024, /* of stores that can be in flight; power of two */
    SIM_STORE_BUFFER = 256,   /* stores; power of two */
    PAGE_BYTES = 4096,        /* that loads and stores are told apart by at first */
    STORE_GATHER_MOST = 16,
    SIM_LONG_AGO = INT32_MIN / 64,
    MOST_RUNS = 4,             /* of min_cycles, where averages_after_filling */
    FENCE_SEES_CYCLES = 1,     /* from the end of the last access before a fence to the fence */
    FENCE_RELEASES_CYCLES = 2, /* from the end of a fence to the accesses that wait for it */
};

typedef enum delivery_source {
    FROM_MITE,
    FROM_MS,
    FROM_DSB,
    FROM_LSD,
    DELIVERY_SOURCES
} delivery_source;

/* ---- front end ---- */

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
    uint32_t dsb_position; /* in dsb_entries */
    bool dsb_delayed;      /* a µop with an extra slot ended the previous cycle */
    uint32_t tape_next;    /* where the DSB gives rows: in their tape, in place of these; */
    dsb_rows rows;         /* without a tape, its position */
    idq_entry idq[SIM_IDQ];
    uint32_t idq_head, idq_count; /* the head's low bits index */
    uint32_t lsd_next;
    uint32_t lsd_iteration; /* within the unrolled copies */
    int stack_offset;
    bool stack_moved;    /* since RSP was right the last time */
    uint32_t iterations; /* delivered; counted for the tally only */
} front_end;

/* ---- renamer ---- */

/* The current value of a unit or temporary: the cycle from which it is there, with RESULT_* flags in the bits
 * below. So the latest of several values is the largest number, and a result is computed by one addition. */
typedef int32_t rat_value;
#define RAT_CYCLE (1 << RESULT_FLAG_BITS)

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
    uint64_t single; /* those of them that had one name left as this cycle began */
    uint16_t active_count;
    uint16_t in_use_history[ELIM_HISTORY]; /* at the end of earlier cycles */
    uint16_t
        done_history[ELIM_HISTORY]; /* eliminations in earlier cycles; both only of cycles with renaming */
} move_eliminator;

/* A result of the instruction being renamed; visible to the next instruction only. */
typedef struct late_result {
    uint8_t slot;
    rat_value value;
} late_result;

enum {
    LATE_RESULTS = 24,
    PORTS_LISTED = 5,
    PORT_KEY_BITS = 4, /* for a port's number below its use */
    PORT_KEY_NUMBER = (1 << PORT_KEY_BITS) - 1
};

/* For each port, the µops that are bound to it and have not left. A word holds four ports, 16 bits each.
 * A new cycle reads and writes whole words, a µop only its lane. */
typedef enum port_count {
    USE_NOW,
    USE_START,    /* of this cycle */
    USE_PREVIOUS, /* cycle, at its start */
    USE_KEY,      /* at the start of this cycle or, by port_counts_age_cycles, of the one before; then the
                     higher number */
    USES
} port_count;

enum {
    PORT_WORDS = TACHO_MAX_PORTS / 4,
    NO_PORT = 4 * PORT_WORDS - 1 /* of the last word, after the last port that a renamer binds µops to */
};

typedef union port_counts {
    uint64_t word[PORT_WORDS][USES];
    uint16_t lane[PORT_WORDS * USES * 4];
} port_counts;

static inline uint32_t port_lane(uint32_t port, port_count what)
{
    return port / 4 * (4 * USES) + what * 4 + port % 4;
}

/* What the port policy says for one set of ports in one cycle. */
typedef struct port_choice {
    uint64_t stamp; /* cycle in which it was made */
    uint8_t count;
    uint8_t listed; /* ports in `list`; 0: there are too many */
    uint8_t used;   /* µops of that set issued in the cycle */
    uint8_t order[TACHO_MAX_BOUND_PORTS];
    uint8_t
        list[PORTS_LISTED]; /* where the keys of the set's ports are, then NO_PORT's; constant during a run */
} port_choice;

enum {
    SUM_UNIT = 32 /* immediates are added up in multiples of this, rounded towards 0: those of a loop that
                     adds little are then never too much, where one addition in hundreds is executed */
};

/* Loads that wait for the data of the store which they read from: waiting_loads.c. */
enum {
    FORWARD_WAITING_MOST = 32
};
typedef struct waiting_loads {
    int32_t until[FORWARD_WAITING_MOST]; /* each place is taken */
    int8_t change[SIM_HORIZON];          /* of `held` in a cycle */
    int32_t held;                        /* entries of the scheduler that they keep after they have left */
} waiting_loads;

/* When a load had the data of a store for which it waited, and by which port: of chains through memory. */
typedef struct load_link {
    int32_t available;
    int port;
} load_link;

typedef struct renamer {
    rat_value rat[SLOTS];
    int16_t alias[SLOTS];      /* move-elimination slot, -1 none; units have one, where there are moves */
    int32_t told[SLOTS];       /* cycle for which the value was announced: early_picks.c */
    move_eliminator gpr, simd; /* from here on cleared for a run */
    late_result late[LATE_RESULTS];
    uint32_t late_count;
    int16_t sums[16];           /* [general register] of immediates that its value lacks, in SUM_UNIT */
    uint8_t high8_pending;      /* bit n: the high byte of register n is renamed apart */
    uint32_t turns[PORT_TURNS]; /* whose turn it is among the ports for loads, store data, addresses */
    port_counts uses;
    uint32_t active_cycles; /* cycles without a stop of the renamer: the move eliminator's clock */
    register_values values;
    int32_t load_fence, store_fence;           /* cycle until which loads, stores must wait */
    int32_t next_load_fence, next_store_fence; /* of the fence being renamed */
    int32_t last_load, last_store;             /* cycle at which the youngest access is done */
} renamer;

/* ---- back end ---- */

/* A store; kept for as long as it can be in flight. */
typedef struct store_record {
    uint64_t address, other_address; /* the second with the other numbers */
    uint32_t bytes;
    int32_t address_start, data_start; /* cycles at which its µops leave for their ports */
    int32_t commit;                    /* at which it reaches the cache, or: */
    int32_t last_seq[2];               /* of these µops; negative: not renamed */
    int32_t register_ready;            /* at which the register that is stored is there */
    bool general;                      /* from a general register */
    const mem_access *by;
    uint32_t iteration;
    uint32_t insn;
} store_record;
#define STORE_INCOMPLETE INT32_MAX

typedef struct word_entry {
    stored_word stored;
    uint32_t run; /* of the simulator, in which it was made */
} word_entry;

/* For 4K aliasing: the stores by the lower 12 bits of their addresses, and the registers followed from other
 * numbers, which tell the known distances. */
typedef struct alias_tracker {
    register_values other;                  /* the same registers, from other numbers: see alias_4k.c */
    uint32_t last[PAGE_BYTES / WORD_BYTES]; /* store that wrote to such a word last; 0: none */
} alias_tracker;

/* Where a load gets its data. */
typedef struct load_source {
    const store_record *store; /* NULL: from the cache */
    bool blocked;              /* it is not forwarded: the load waits for the cache */
    bool renamed;              /* it is where the store has it from */
    bool aliased;              /* the data is not from there: the store was taken for one to that address */
    int32_t available;         /* cycle from which on the data can be there */
} load_source;

enum {
    DIVIDERS_MOST = 2
};
/* What leaves when. Bit c of busy[p] (modulo the horizon): port p is taken in cycle c. */
typedef struct reservations {
    uint64_t busy[TACHO_MAX_PORTS][SIM_HORIZON / 64];
    uint64_t divider[DIVIDERS_MOST][SIM_HORIZON / 64];
    uint64_t loads[SIM_HORIZON / 64]; /* cycles in which a load starts; kept only where some loads are
                                         OP_WIDE, as the next */
    uint64_t wide_loads[SIM_HORIZON / 64];
    uint32_t leaving[SIM_HORIZON]; /* in a cycle: mask of the ports taken, and above it how many µops */
    int32_t last;                  /* latest cycle with an entry */
    uint32_t occupancy;            /* of the scheduler */
} reservations;

/* The reorder buffer: when each fused µop retires. */
typedef struct reorder_buffer {
    int32_t retire[SIM_ROB];
    int32_t head, tail; /* numbers, low bits index; [head, tail) are inside: after rob_retire, until which
                           some that have retired are among them */
    uint32_t width;     /* of retirement */
    uint32_t check;     /* with more µops inside there may be no room for an issue group */
    uint32_t next;      /* cycle in which the next one can retire at the earliest, times ROB_CYCLE, */
                        /* and how many retire in that cycle already */
} reorder_buffer;
enum {
    ROB_CYCLE = 128 /* more than the widest retirement */
};

/* The stores between renaming and the first-level cache, which they reach in order once they have retired. */
typedef struct store_buffer {
    int32_t commit[SIM_STORE_BUFFER];     /* cycle in which each of them reaches it */
    int32_t head, tail;                   /* numbers, low bits index; [head, tail) are inside */
    int32_t last;                         /* cycle of the youngest one */
    uint64_t line;                        /* that it goes to */
    bool alone;                           /* another one to that line can go with it */
    int32_t line_free;                    /* cycle in which a line can begin that is not one of these: */
    uint64_t gathered[STORE_GATHER_MOST]; /* the latest first */
    uint64_t next_line;                   /* of the store whose data were renamed last */
    uint32_t next_more;                   /* others, behind it, that it reaches into */
} store_buffer;

/* Schedulers for the µops of one kind. */
enum {
    QUEUE_MOST = 128 /* power of two */
};
typedef enum scheduler {
    SCHEDULER_FIRST, /* of computing vector µops */
    SCHEDULER_SECOND,
    SCHEDULER_STORES, /* of those that store or go to general registers */
    SCHEDULER_ALU,
    SCHEDULER_ADDRESS,
    SCHEDULERS,
    SCHEDULER_EITHER = SCHEDULERS, /* of the first two */
    SCHEDULER_NONE
} scheduler;
/* How many µops of each scheduler, in SCHEDULER_BITS each. */
typedef uint64_t scheduler_counts;
enum {
    SCHEDULER_BITS = 12
};
typedef struct scheduler_queues {
    scheduler_counts leaving[SIM_HORIZON]; /* in a cycle */
    scheduler_counts inside;               /* those that leave after this cycle */
    uint32_t width[SCHEDULERS];            /* entries; see queues_reset */
    int32_t turned, last;                  /* cycles: the current one; in which one leaves */
    int32_t entered[QUEUE_MOST]; /* cycle in which each µop enters its scheduler; low bits of its number */
    uint32_t count;
    bool crowded; /* as the µop entered that was renamed last: vector_quick_places */
    int32_t entered_last;
    int32_t stopped; /* until then nothing is renamed: the latest µop finds no entry before */
    uint8_t chosen;  /* the scheduler that the latest µop entered */
} scheduler_queues;

/* What happened to a µop; kept while somebody counts. */
typedef struct uop_times {
    const op *u;
    int32_t issued, operands, ready, start, end; /* cycles: operands there, nothing but a port wanted, gone to
                                                    its port, finished */
    int32_t base;                                /* cycle that its results' latencies count from */
    int port;
    bool forwarded_late; /* a load that took longer because of the store that it reads from */
} uop_times;

/* The parts of the ALUs' scheduler: early_picks.c. */
enum {
    ALU_TURNS = 251, /* the same random numbers again after so many; prime, so that a loop has all of them */
    ALU_PARTS = 8
};
typedef struct alu_parts {
    uint64_t leaving[SIM_HORIZON];            /* how many µops leave each part in a cycle, a byte for each */
    uint64_t waiting;                         /* in each: those that leave later, and the latest one */
    uint8_t picks[1 << ALU_PARTS][ALU_TURNS]; /* [parts] which of them each random number takes */
    bool picked[1 << ALU_PARTS];              /* it is known */
    uint16_t places[ALU_PARTS];               /* that each leads to, as in op.places */
    int32_t turned, last;                     /* cycles: the current one; in which one leaves */
    uint8_t turn;                             /* in the random numbers */
    uint8_t chosen;                           /* part that the latest µop waits in */
} alu_parts;

enum {
    TALLY_UOPS = 4096 /* power of two; more than the reorder buffer can hold */
};

typedef struct late_writer {
    uint8_t slot;
    int32_t seq;
} late_writer;

/* What has become of an instruction's µops. */
typedef struct insn_tally {
    uint32_t delivered[DELIVERY_SOURCES], issued, dispatched[TACHO_MAX_PORTS], eliminated;
    uint32_t forwarded, blocked, blocked_by; /* loads that read from a store in flight; whose store it was */
    uint32_t aliased, aliased_by;            /* loads that took a wrong store for theirs, and which */
} insn_tally;

/* Averages over the relevant part of the run, for reports. */
typedef struct sim_tally {
    uint32_t from_iteration, to_iteration; /* [from, to) */
    insn_tally *insns;
    uint64_t slots, slots_used; /* issue slots, of cycles between the retirements of these */
    uint64_t slots_lost[TACHO_SLOT_REASON_COUNT];
    uint64_t slots_lost_to_port[TACHO_MAX_PORTS];
    delivery_source delivering; /* who filled the µop queue in the last cycle */
    int blamed_port;
    uop_times *uops;                /* [TALLY_UOPS], by number */
    int32_t *producer;              /* [TALLY_UOPS] of the last operand, -1 none */
    uint8_t *cause;                 /* [TALLY_UOPS] what it finally waits for in this cycle */
    int32_t writer[SLOT_COUNT];     /* youngest µop that writes it, -1 none */
    late_writer late[LATE_RESULTS]; /* that become so with the next instruction */
    uint32_t late_count;
    int32_t first_uop[SIM_ROB]; /* of a fused µop */
} sim_tally;

/* Why the renamer issued no more µops in a cycle. */
typedef enum issue_end {
    ISSUE_QUEUE_EMPTY, /* or the group is complete */
    ISSUE_BACK_END_FULL,
    ISSUE_HELD_BACK,
    ISSUE_LOOP_END
} issue_end;

/* When instances of an instruction with an initiation interval start, in the order of time. */
enum {
    THROTTLE_STARTS = 16
};
typedef struct throttle {
    int32_t floor; /* no instance starts before this cycle; used once there are more starts than are kept */
    uint32_t count;
    int32_t starts[THROTTLE_STARTS];
} throttle;

/* When an iteration was retired. */
typedef struct retirement {
    int32_t cycle;
    uint16_t place;     /* among the µops retired in that cycle */
    uint16_t in_flight; /* µops in the queue, the reorder buffer and the scheduler when it was issued */
    uint16_t store_lag; /* cycles from its retirement until its stores have reached the cache */
} retirement;

typedef struct sim_trace sim_trace; /* sim_trace.c */

typedef struct sim {
    const block *b;
    const tacho_arch *arch;
    const tacho_predict_options *options;
    int32_t cycle;
    int32_t earliest; /* cycle in which a µop that is renamed now could leave for its port */
    uint64_t stamp;   /* cycles of all runs */

    /* constant during a run */
    program prog;
    bool use_lsd;
    bool ideal_front_end; /* what-if: µops are streamed from the µop queue as if by an LSD without limits */
    const dsb_layout *layout;
    uint32_t *last_store_of; /* [same code] the last store of these instructions: renaming.c */
    uint16_t *renamed_from; /* [same code] the store that a load of these read from when it was executed last,
                               plus one */
    bool renames;
    int32_t renamed_cycle; /* the latest in which loads were renamed so, ... */
    uint32_t renamed_now;  /* ... so many */
    uint16_t written_gprs; /* by the block */
    bool *sync_before;     /* [insn] a stack synchronisation was inserted there */
    bool stores_unlimited; /* what-if: any number of stores reach the cache in a cycle */
    bool track_values;     /* for any of these: */
    bool compares;         /* loads and stores by their addresses: some of track_memory meet, or may */
    access_stream (*streams)[INSN_MAX_MEM]; /* [insn] of their addresses; NULL: values are followed */
    bool track_memory, track_lines, track_splits, track_aliases, any_throttle, any_fence, any_move,
        any_divider, any_wide_load, any_mispredicted, any_bypass;
    bool limits_moves; /* some kind of move of the block is eliminated only while there are slots for it */

    front_end fe;
    renamer rn;
    reservations reserved;
    reorder_buffer rob;
    store_buffer stored;
    scheduler_queues queues;
    alu_parts alu;
    waiting_loads waiting;
    bool waits;        /* some may */
    bool queued;       /* there are such schedulers */
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
} sim;

/* sim.c */
int sim_prepare(sim *s, arena *a, const block *b, const dsb_layout *layout,
                const tacho_predict_options *options);
void sim_reset(sim *s);
void sim_tick(sim *s);
/* How many iterations are retired. */
uint32_t sim_iterations(sim *s);

/* sim_program.c */
int program_build(sim *s, arena *a);
/* Some load is a 256-bit one that takes two cycles. */
bool program_has_wide_load(const block *b);

/* queues.c; the rest in queues.h */
void queues_reset(sim *s);
/* The scheduler that the µop goes to; a SCHEDULER_EITHER can differ from time to time. */
scheduler queues_of(const tacho_arch *arch, const op *u);
/* For a µop of vectors, whose operands are ready in that cycle: the cycle in which it enters a scheduler. */
int32_t queues_enter_vectors(sim *s, const op *u, int32_t ready);
/* For one of general registers or addresses, if its scheduler has no free entry. */
int32_t queues_wait(sim *s, scheduler which);
uint64_t queues_hash(const sim *s, uint64_t h);

/* early_picks.c; the rest in early_picks.h */
extern const uint8_t early_picks_numbers[ALU_TURNS];
/* The parts, and those that each of the µops can wait in; their places are known. */
void early_picks_prepare(sim *s, op *ops, uint32_t count);
void early_picks_reset(sim *s);
/* µops picked in vain, at one of these places, from one cycle to before the other. */
void early_picks_in_vain(sim *s, uint32_t places, int32_t woken, int32_t ready);
/* The iterations from one state of the machine to the next that can be the same: at least so many. */
uint32_t early_picks_distance(const sim *s);
uint64_t early_picks_hash(const sim *s, uint64_t h);

/* renaming.c */
int renaming_prepare(sim *s, arena *a);
void renaming_reset(sim *s);
void renaming_note_store(sim *s, uint32_t insn);
/* In a cycle in which loads were renamed: whether no more are, and the instruction has one that likely is. */
bool renaming_is_full(const sim *s, uint32_t insn);
/* Whether the load has its value from the register that was stored. `r` is the store in flight that begins
 * where the load does; NULL: there is none. */
bool renaming_guesses(sim *s, const op *u, const mem_access *m, const store_record *r);

/* waiting_loads.c */
void waiting_reset(sim *s);
/* A load that leaves in cycle `start` reads from a store whose data it can have in cycle `available`; if not
 * `at_once`, as one that finds no place. @return the cycle in which it has them */
int32_t waiting_enter(sim *s, const op *u, int32_t start, int32_t available, bool at_once);
/* Once a cycle: whether loads and store addresses have no room in the scheduler. */
bool waiting_full(sim *s);
uint64_t waiting_hash(const sim *s, uint64_t h);
/* A load that leaves in cycle `start`, where the links of chains through memory have a least length: `from`
 * is later where that of the load's chain would be shorter. */
void waiting_link(sim *s, const op *u, int port, int32_t start, load_source *from);
void waiting_links_reset(sim *s);
uint64_t waiting_links_hash(const sim *s, uint64_t h);

/* free_registers.c: no general registers for a whole issue group; only where their number is known. */
bool free_registers_lack(sim *s);

void sim_rename(sim *s); /* rename.c */

/* predecode.c, decoders.c, dsb.c */
void predecoder_tick(sim *s, predecoder *p);
void predecoder_start(sim *s, predecoder *p, uint32_t insn);
void decoders_tick(sim *s);
void sequencer_tick(sim *s);
void dsb_tick(sim *s);
/* The sequencer takes over at the instruction's µop `first`, with so many idle cycles before and after. */
void sequencer_start(sim *s, const front_insn *f, uint32_t first, uint32_t stall_before,
                     uint32_t stall_after);
void idq_note(sim *s, uint32_t lam, delivery_source source);
void idq_stack(sim *s, uint32_t insn, delivery_source source);

/* schedule.c */
void reservations_reset(sim *s);
void reservations_clear_word(sim *s, uint32_t word);
/* The cycle in which a µop that is ready in `ready` leaves for `port`. */
int32_t reservations_enter(sim *s, const op *u, int port, int32_t ready);
/* The same for one that keeps it for two. */
int32_t reservations_enter_twice(sim *s, int port, int32_t ready);
/* The first cycle from `ready` on in which all earlier instances have had their initiation interval of
 * `cycles` each. */
int32_t throttle_first_free(const throttle *t, int32_t ready, int32_t cycles);
void throttle_enter(throttle *t, int32_t start, int32_t cycles);
bool divider_busy(const sim *s, int32_t cycle);

/* store_buffer.c */
void store_buffer_reset(sim *s);
/* Where the next store goes to. */
void store_buffer_aim(sim *s, uint64_t address, uint32_t bytes);
/* So many stores are complete with the fused µop that entered the reorder buffer last. */
void store_buffer_enter(sim *s, uint32_t stores);

/* account.c: only with a tally */
void account_slots(sim *s, uint32_t used, issue_end why);
void account_delivery(sim *s);
void account_uop(sim *s, const uop_times *times);
void account_start(sim_tally *t);
void account_move(sim_tally *t, const block_insn *bi);
void account_topdown(const sim_tally *t, tacho_topdown *out);

/* bypass.c */
/* Whether a µop reads what one of the other kind may have written. */
bool bypass_in(const block *b);
/* Marks a µop of such a block, and its results, that are on one side of such a delay. */
void bypass_mark(const block *b, op *p, const uop *u);
/* When the operands of a marked µop are there, at the port that it goes to. */
int32_t bypass_operands(const sim *s, const op *u, int port);

/* ideal.c: makes ideal what the options ask for, before sim_prepare. */
void ideal_apply(block *b, const tacho_predict_options *options);
void ideal_uop(uop *u, const tacho_predict_options *options);

/* sim_ports.c */
int ports_choose_among(sim *s, const op *u, uint32_t slot, int32_t ready);
/* Notes the ports of a set; false if there are too many. */
bool ports_list(sim *s, uint32_t mask);
/* The same for a set whose ports are taken in turn. */
void ports_list_in_turn(sim *s, uint32_t mask);
/* For cores that take ports by turn: orders those of a set, once a cycle at most. */
void ports_order_by_turn(const sim *s, uint32_t mask, port_choice *c);
/* Orders the ports by how much the program's first `ops` µops need each. */
void ports_rank(sim *s, uint32_t ops);
/* The ports, as the bits of their places in spare_first. */
uint32_t ports_places(const program *g, uint32_t mask);

/* address.c */
void values_reset(sim *s);
/* The instruction's effect on the values of registers, after its stores. */
void values_step(sim *s, const block_insn *bi);
/* After an iteration of a block whose addresses move on. */
void values_advance(sim *s);
/* A µop of a store leaves for its port in cycle `start`. */
void values_record_store(sim *s, const block_insn *bi, const mem_access *m, const op *u, int32_t start);
/* alias_4k.c */
/* Whether a load may be that far from a store. */
bool aliases_possible(const block *b, const tacho_predict_options *options);
void aliases_reset(sim *s);
void aliases_record_store(sim *s, store_record *r, const block_insn *bi);
/* The store that 4K aliasing takes for the one a load reads from, if no store in flight has bytes for it. */
load_source aliases_find(sim *s, const mem_access *m, int32_t start);

/* A store that is not yet in the cache when a load leaves for its port. */
bool values_in_flight(sim *s, uint32_t number, int32_t start);
/* Whether an access is known to cross a line. */
bool values_split(const sim *s, const block_insn *bi, const mem_access *m);
/* What of the registers decides that, while they move. */
uint64_t values_hash_places(const sim *s, uint64_t h);
/* Where a load that leaves for its port in cycle `start` gets its data. */
load_source values_find_source(sim *s, const op *u, const mem_access *m, int32_t start);

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

static inline int32_t rat_ready(rat_value v)
{
    return v >> RESULT_FLAG_BITS;
}

static inline uint32_t rat_flags(rat_value v)
{
    return (uint32_t)v & (RAT_CYCLE - 1);
}

/* What retires up to that cycle leaves the reorder buffer. Done where it matters who is inside: see `head`.
 */
static inline void rob_retire(reorder_buffer *r, int32_t cycle)
{
    int32_t head = r->head;
    while (head != r->tail && r->retire[head & (SIM_ROB - 1)] <= cycle)
        head++;
    r->head = head;
}

/* Cycle in which the youngest µop retires. */
static inline int32_t rob_last(const reorder_buffer *r)
{
    return (int32_t)(r->next / ROB_CYCLE);
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
    return s->track_lines && stores_inside(s) + stores > s->arch->store_buffer_width;
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

static inline void idq_push(sim *s, uint32_t lam, idq_entry flags, delivery_source source)
{
    front_end *fe = &s->fe;
    fe->idq[(fe->idq_head + fe->idq_count++) & (SIM_IDQ - 1)] = lam | flags;
    if (sim_is_watched(s))
        idq_note(s, lam, source);
}

/* Consecutive µops of code that does not touch the stack, when nobody looks. */
static inline void idq_push_run(sim *s, uint32_t lam, uint32_t count)
{
    front_end *fe = &s->fe;
    uint32_t at = (fe->idq_head + fe->idq_count) & (SIM_IDQ - 1);
    fe->idq_count += count;
    if (count <= LAM_RUN && at <= SIM_IDQ - LAM_RUN) { /* too many do no harm */
        memcpy(&fe->idq[at], &s->prog.run[lam], LAM_RUN * sizeof *fe->idq);
        return;
    }
    for (; count--; at = (at + 1) & (SIM_IDQ - 1)) {
        fe->idq[at] = lam;
        lam = lam + 1 == s->prog.lam_count ? 0 : lam + 1;
    }
}

/* The stack engine keeps push and pop's changes of RSP aside; to be called before an instruction's µops. */
static inline void idq_begin_insn(sim *s, uint32_t insn, delivery_source source)
{
    if (s->prog.insns[insn].has_stack && s->b->has_stack)
        idq_stack(s, insn, source);
}

static inline uint32_t lower(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static inline uint32_t higher(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* Odd slots take the second least used port of the set, unless it has port_margin more µops. Not for
 * branches: which port they get cannot be known in advance. */
static inline int ports_choose_of_four(const sim *s, uint32_t mask, uint32_t slot)
{
    const uint8_t *list = s->choices[mask].list;
    const uint16_t *key = s->rn.uses.lane;
    uint32_t a = key[list[0]], b = key[list[1]], c = key[list[2]], d = key[list[3]];
    uint32_t first = lower(lower(a, b), lower(c, d));
    uint32_t second = lower(higher(lower(a, b), lower(c, d)), lower(higher(a, b), higher(c, d)));
    bool far = (second >> PORT_KEY_BITS) - (first >> PORT_KEY_BITS) >= s->arch->port_margin;
    uint32_t taken = far || slot % 2 == 0 ? first : second;
    return PORT_KEY_NUMBER - (int)(taken & PORT_KEY_NUMBER);
}

static inline int ports_take_turn(sim *s, const op *u)
{
    const port_choice *c = &s->choices[u->ports];
    uint32_t *turn = &s->rn.turns[u->rule - PORT_LOADS], now = *turn;
    *turn = now + 1 == c->count ? 0 : now + 1;
    return c->order[now];
}

/* The least used port of a listed set. */
static inline uint8_t ports_least_used(const sim *s, const port_choice *c)
{
    const uint16_t *key = s->rn.uses.lane;
    uint32_t least = key[c->list[0]];
    for (int k = 1; k < PORTS_LISTED; k++)
        least = lower(least, key[c->list[k]]);
    return (uint8_t)(PORT_KEY_NUMBER - (least & PORT_KEY_NUMBER));
}

/* µops with the same set take the first, second ... port of its list in turn. Where only one comes in a
 * cycle, the rest of the list is not needed. */
static inline int ports_choose_by_turn(sim *s, uint32_t mask, uint32_t slot)
{
    port_choice *c = &s->choices[mask];
    if (c->stamp != s->stamp) {
        c->stamp = s->stamp;
        c->used = c->count = 0;
    }
    uint32_t nth = c->used++;
    if (s->arch->port_policy == TACHO_PORTS_10 && slot >= 3)
        nth = slot == 3 ? higher(nth, 1) : slot == 4 ? 0 : nth;
    if (!nth && !c->count && c->listed)
        return ports_least_used(s, c);
    if (!c->count)
        ports_order_by_turn(s, mask, c);
    return c->order[nth < c->count ? nth : nth % c->count];
}

/* An instruction that ends at rename and cannot be renamed in every cycle (VZEROUPPER). */
static inline bool renamed_at_intervals(const block_insn *bi)
{
    return bi->tp_cycles && !bi->uop_count && !bi->eliminable && !bi->fused_into_previous;
}

/* The port of a µop in the given issue slot that is ready in cycle `ready`. */
static inline int ports_choose(sim *s, const op *u, uint32_t slot, int32_t ready)
{
    if (u->rule < TACHO_MAX_PORTS)
        return u->rule;
    if (u->rule == PORT_OF_FOUR)
        return ports_choose_of_four(s, u->ports, slot);
    if (u->rule >= PORT_LOADS)
        return ports_take_turn(s, u);
    if (u->rule == PORT_BY_TURN)
        return ports_choose_by_turn(s, u->ports, slot);
    if (u->rule == PORT_BY_SLOT && s->choices[u->ports].stamp == s->stamp)
        return s->choices[u->ports].order[slot & 3];
    return ports_choose_among(s, u, slot, ready);
}

static inline bool tally_counts(const sim_tally *t, uint32_t iteration)
{
    return t && iteration >= t->from_iteration && iteration < t->to_iteration;
}

#endif
