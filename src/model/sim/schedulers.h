/* schedulers.h - what leaves when: reservation tables, reorder buffer, schedulers of one kind of µops. */
#ifndef TACHO_SIM_SCHEDULERS_H
#define TACHO_SIM_SCHEDULERS_H

#include "model/sim/program.h"

typedef struct sim sim;

enum {
    SIM_ROB = 1024,     /* fused µops; power of two */
    SIM_HORIZON = 8192, /* cycles ahead that the reservation tables reach; power of two */
    SIM_LONG_AGO = INT32_MIN / 64,
};

enum {
    DIVIDERS_MOST = 2
};
/* What keeps other µops from ALUs in the cycle in which it leaves. */
typedef enum port_closer {
    CLOSER_TO_GENERAL = 1, /* from vectors to a general register */
    CLOSER_HIGH_HALF = 2,  /* the second result of a multiplication */
    CLOSERS = 2
} port_closer;
/* What leaves when. Bit p of taken[c] (modulo the horizon): in cycle c the port at place p is taken. */
typedef struct reservations {
    uint16_t taken[SIM_HORIZON];
    uint64_t divider[DIVIDERS_MOST][SIM_HORIZON / 64];
    uint64_t loads[SIM_HORIZON / 64]; /* cycles in which a load starts; kept only where some loads are
                                         OP_WIDE, as the next */
    uint64_t wide_loads[SIM_HORIZON / 64];
    uint64_t closed[CLOSERS][SIM_HORIZON / 64]; /* cycles in which what one of these closes does not leave, */
    uint64_t used[CLOSERS][SIM_HORIZON / 64];   /* or does already */
    uint32_t leaving[SIM_HORIZON]; /* in a cycle: the places that are taken, and above them how many µops */
    int32_t last;                  /* latest cycle with an entry */
    uint32_t occupancy;            /* of the scheduler */
} reservations;

/* The reorder buffer: when each fused µop retires. */
typedef struct reorder_buffer {
    uint32_t retire[SIM_ROB]; /* in cycle n, the first: n * width, the next one a number higher */
    int32_t head, tail; /* numbers, low bits index; [head, tail) are inside: after rob_retire, until which
                           some that have retired are among them */
    uint32_t width;     /* of retirement */
    uint32_t check;     /* with more µops inside there may be no room for an issue group */
    uint32_t next;      /* when the next one can at the earliest, in the same numbers */
} reorder_buffer;

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
    SCHEDULER_BITS = 12,
    QUEUE_FULL = 1 << (SCHEDULER_BITS - 1)
};
/* How many µops of a scheduler have not left it after a cycle. */
typedef struct scheduler_look {
    int32_t cycle;
    uint32_t count;
} scheduler_look;
typedef struct scheduler_queues {
    scheduler_counts leaving[SIM_HORIZON]; /* in a cycle */
    scheduler_counts inside;               /* those that leave after this cycle, and `lack` */
    scheduler_counts lack;                 /* with which a scheduler has QUEUE_FULL when it is full */
    uint32_t width[SCHEDULERS];            /* entries; see queues_reset */
    scheduler_look ahead[SCHEDULERS]; /* the latest looked at; as in `inside` where it is before this cycle */
    int32_t turned;                   /* the current cycle; -1 before a run */
    int32_t entered[QUEUE_MOST]; /* cycle in which each µop enters its scheduler; low bits of its number */
    uint32_t count;
    bool crowded; /* as the µop entered that was renamed last: vector_quick_places */
    int32_t entered_last;
    int32_t stopped; /* until then nothing is renamed: the latest µop finds no entry before */
    uint8_t chosen;  /* the scheduler that the latest µop of vectors entered */
} scheduler_queues;

/* The parts of the ALUs' scheduler (alu_scheduler_parts), or one for each load port
 * (shared_scheduler_entries). */
enum {
    ALU_NUMBERS = 251, /* of the random ones, which then come again; prime, so that a loop has all of them */
    SCHEDULER_PARTS = 8,
    FIRST_COUNTED_ALU = 4, /* the bytes from there on: of alus_by_waiting */
    BOUND_BITS = 4,
    BOUND_MOST = 8
};
typedef struct scheduler_parts {
    uint64_t leaving[SIM_HORIZON]; /* how many entries of each part become free in a cycle, a byte for each */
    uint64_t waiting;              /* in each: those that leave later, and the latest one */
    uint8_t picks[ALU_NUMBERS];    /* the part that each random number takes */
    port_places places[SCHEDULER_PARTS]; /* that each leads to */
    port_places alus;                    /* where alus_by_waiting are; 0: none of the block is bound so */
    int32_t turned;                      /* the current cycle; -1 before a run */
    int32_t stopped;                     /* the latest cycle in which the part in turn was full */
    uint8_t count, few;                  /* load ports; those where few wait */
    uint8_t drawn;                       /* the latest of the random numbers */
    uint8_t turn;                        /* of load ports, the part that is next */
    uint8_t chosen;                      /* part that the latest µop waits in */
    bool grouped;                        /* µops are sent by groups, and some are accesses */
    uint32_t bound;                      /* of the group's next accesses 1 + their part, BOUND_BITS each */
    uint64_t bound_alus;                 /* the same of its µops for ALUs */
    int32_t planned;                     /* the latest cycle that a group was chosen for; */
    uint32_t planned_head, planned_lams; /* where it begins in the queue, and its laminated µops */
} scheduler_parts;

/* When instances of an instruction with an initiation interval start, in the order of time. */
enum {
    THROTTLE_STARTS = 16
};
typedef struct throttle {
    int32_t floor; /* no instance starts before this cycle; used once there are more starts than are kept */
    uint32_t count;
    int32_t starts[THROTTLE_STARTS];
} throttle;

/* The rest is in inner_loop.h. */
void queues_reset(sim *s);
/* The scheduler that the µop goes to; a SCHEDULER_EITHER can differ from time to time. */
scheduler queues_of(const tacho_arch *arch, const op *u);
/* For a µop of vectors, whose operands are ready in that cycle: the cycle in which it enters a scheduler. */
int32_t queues_enter_vectors(sim *s, const op *u, int32_t ready);
/* For one of general registers or addresses, if its scheduler has no free entry. */
int32_t queues_wait(sim *s, scheduler which);
uint64_t queues_hash(const sim *s, uint64_t h);

extern const uint8_t early_picks_numbers[ALU_NUMBERS];
/* Whether each group's µops for ALUs are bound to these; where parts have room for just so many. */
static inline bool parts_bind_alus(const tacho_arch *a)
{
    return a->shared_scheduler_entries && a->shared_scheduler_uops && a->alu_balance_uops &&
           __builtin_popcount(a->alu_ports) == SCHEDULER_PARTS - FIRST_COUNTED_ALU &&
           __builtin_popcount(a->load_ports) <= FIRST_COUNTED_ALU;
}

/* The parts, and those that each of the µops is bound to one of; their places are known. */
void parts_prepare(sim *s, op *ops, uint32_t count);
void parts_reset(sim *s);
uint64_t parts_hash(const sim *s, uint64_t h);
/* Whether there is an entry for the laminated µop; where the part in turn has none, the turn goes on. */
bool parts_find_room(sim *s, const lam_op *l, bool all_full);
/* Where µops are sent by groups (shared_scheduler_uops), the first time in a cycle: whether there is one. */
bool parts_group_begins(sim *s);
/* µops picked in vain, at one of these places, from one cycle to before the other. */
void early_picks_in_vain(sim *s, port_places places, int32_t woken, int32_t ready);
/* The iterations from one state of the machine to the next that can be the same: at least so many. */
uint32_t early_picks_distance(const sim *s);

void reservations_reset(sim *s);
void reservations_clear_word(sim *s, uint32_t word);
/* The cycle in which a µop that is ready in `ready` leaves for the port at that place. */
int32_t reservations_enter(sim *s, const op *u, int place, int32_t ready);
/* The same for one that keeps it for so many. */
int32_t reservations_enter_for(sim *s, int place, int32_t ready, int32_t cycles);
/* The first cycle from `ready` on in which all earlier instances have had their initiation interval of
 * `cycles` each. */
int32_t throttle_first_free(const throttle *t, int32_t ready, int32_t cycles);
void throttle_enter(throttle *t, int32_t start, int32_t cycles);
bool divider_busy(const sim *s, int32_t cycle);
/* No general registers for a whole issue group; only where their number is known. */
bool free_registers_lack(sim *s);

/* What retires up to that cycle leaves the reorder buffer. Done where it matters who is inside: see `head`.
 */
static inline void rob_retire(reorder_buffer *r, int32_t cycle)
{
    const uint32_t end = (uint32_t)(cycle + 1) * r->width;
    int32_t head = r->head;
    while (head != r->tail && r->retire[head & (SIM_ROB - 1)] < end)
        head++;
    r->head = head;
}

/* Cycle in which the youngest µop retires. */
static inline int32_t rob_last(const reorder_buffer *r)
{
    return ((int32_t)r->next - 1) / (int32_t)r->width;
}

#endif
