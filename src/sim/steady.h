/* steady.h - detection of the steady state. */
#ifndef TACHO_SIM_STEADY_H
#define TACHO_SIM_STEADY_H

#include "sim/sim.h"

enum {
    STEADY_WARM_UP_CYCLES = 24,  /* before which no state is worth remembering */
    STEADY_RETIRE_WARM_UP = 48,  /* ... and no retirement counts for a pattern */
    STEADY_STATES = 256,         /* remembered; power of two */
    STEADY_SPACING_CYCLES = 8,   /* at least, between two states looked at */
    STEADY_FRONT_END_SHARE = 5,  /* the front end must have run unhindered for min_cycles / this */
    STEADY_TIPPING_QUARTERS = 3, /* of min_cycles, for both, where a chain of latencies has little slack */
    STEADY_CHECK_CYCLES = 32,    /* between looks at the retirements */
    STEADY_RETIRE_SHARE = 3,     /* the retirements' pattern must have repeated for min_cycles / this */
    STEADY_RETIRE_PERIODS = 4,
    STEADY_RETIRE_PERIOD_MAX = 64, /* iterations */
};

/* A state, and where it was met first. */
typedef struct state_seen {
    uint64_t hash;
    uint32_t epoch;     /* entries of other epochs do not count */
    uint32_t iteration; /* issued then */
    int32_t cycle;
    uint32_t in_flight; /* µops in the scheduler */
    int32_t drain;
    uint32_t period_iterations, period_cycles; /* to the second time; 0 before */
} state_seen;

typedef struct steady_state {
    state_seen machine[STEADY_STATES], front[STEADY_STATES]; /* by hash */
    bool exact;
    double chain_cycles; /* that dependencies alone would take an iteration; NaN without any */
    uint32_t epoch, front_epoch;
    uint32_t step; /* iterations between places where states can be equal */
    uint32_t seen_issued;
    int32_t next_look, next_state;
    uint32_t window_from, window_to;           /* iterations [from, to) to average other things over */
    uint32_t period_iterations, period_cycles; /* valid when steady_check has returned true */
} steady_state;

/* For a new run of a prepared machine, of which an iteration takes chain_cycles for dependencies alone. */
void steady_reset(steady_state *d, const sim *s, double chain_cycles);
/* To be called after each cycle; true once it is known that the state recurs. */
bool steady_check(steady_state *d, sim *s);

#endif
