/* rename.h - the values of registers in time, and what the renamer keeps of them. */
#ifndef TACHO_SIM_RENAME_H
#define TACHO_SIM_RENAME_H

#include "model/block/registers.h"
#include "model/sim/ports.h"

/* The current value of a unit or temporary: the cycle from which it is there, with RESULT_* flags in the bits
 * below. So the latest of several values is the largest number, and a result is computed by one addition. */
typedef int32_t rat_value;
#define RAT_CYCLE (1 << RESULT_FLAG_BITS)

typedef struct sim sim;

enum {
    ALIAS_SLOTS = 64,
    ELIM_HISTORY = 8
};

/* Physical registers that several architectural ones share. */
typedef struct move_eliminator {
    uint8_t users[ALIAS_SLOTS]; /* [slot] architectural registers that map to it now */
    uint64_t active;            /* mask of the slots in use */
    uint64_t single;            /* those of them that had one name left as this cycle began */
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
    FENCE_SEES_CYCLES = 1,     /* from the end of the last access before a fence to the fence */
    FENCE_RELEASES_CYCLES = 2, /* from the end of a fence to the accesses that wait for it */
    SUM_UNIT = 32 /* immediates are added up in multiples of this, rounded towards 0: those of a loop that
                     adds little are then never too much, where one addition in hundreds is executed */
};

typedef struct renamer {
    rat_value rat[SLOTS];
    int16_t alias[SLOTS];      /* move-elimination slot, -1 none; units have one, where there are moves */
    int32_t told[SLOTS];       /* cycle for which the value was announced: scheduler_parts.c */
    move_eliminator gpr, simd; /* from here on cleared for a run */
    late_result late[LATE_RESULTS];
    uint32_t late_count;
    int16_t sums[16];          /* [general register] of immediates that its value lacks, in SUM_UNIT */
    uint8_t high8_pending;     /* bit n: the high byte of register n is renamed apart */
    uint8_t turns[PORT_TURNS]; /* whose turn it is among the ports for loads, store data, addresses */
    port_counts uses;
    uint32_t active_cycles; /* cycles without a stop of the renamer: the move eliminator's clock */
    register_values values;
    int32_t load_fence, store_fence;           /* cycle until which loads, stores must wait */
    int32_t next_load_fence, next_store_fence; /* of the fence being renamed */
    int32_t last_load, last_store;             /* cycle at which the youngest access is done */
    int32_t load_start;                        /* when the latest load that OP_MEMORY marks left, */
    int load_place;                            /* and the place of its port */
} renamer;

void sim_rename(sim *s); /* rename.c */

static inline int32_t rat_ready(rat_value v)
{
    return v >> RESULT_FLAG_BITS;
}

static inline uint32_t rat_flags(rat_value v)
{
    return (uint32_t)v & (RAT_CYCLE - 1);
}

#endif
