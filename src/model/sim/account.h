/* account.h - what becomes of µops and issue slots, for reports; see account.c. */
#ifndef TACHO_SIM_ACCOUNT_H
#define TACHO_SIM_ACCOUNT_H

#include "model/sim/front_end.h"
#include "model/sim/rename.h"
#include "model/sim/schedulers.h"

typedef struct sim sim;

/* What happened to a µop; kept while somebody counts. */
typedef struct uop_times {
    const op *u;
    int32_t issued, operands, ready, start, end; /* cycles: operands there, nothing but a port wanted, gone to
                                                    its port, finished */
    int32_t base;                                /* cycle that its results' latencies count from */
    int port;
    bool forwarded_late; /* a load that took longer because of the store that it reads from */
    bool with_load;      /* a store address that has no port of its own */
} uop_times;

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

/* account.c: only with a tally */
void account_slots(sim *s, uint32_t used, issue_end why);
void account_delivery(sim *s);
void account_uop(sim *s, const uop_times *times);
void account_start(sim_tally *t);
void account_move(sim_tally *t, const block_insn *bi);
void account_topdown(const sim_tally *t, tacho_topdown *out);

#endif
