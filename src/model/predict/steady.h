/* steady.h - detection of the steady state. */
#ifndef TACHO_MODEL_STEADY_H
#define TACHO_MODEL_STEADY_H

#include "model/sim/sim.h"

enum {
    STEADY_WARM_UP_CYCLES = 24,    /* before which no state is worth remembering */
    STEADY_STATES = 256,           /* remembered; power of two */
    STEADY_PROBES = 8,             /* places where one may be */
    STEADY_SPACING_CYCLES = 4,     /* at least, between two states of the front end */
    STEADY_SAMPLE_CYCLES = 32,     /* on average, between two states that are samples */
    STEADY_FAR_SAMPLE = 32,        /* of so many states two, where equal ones lie far apart */
    STEADY_MODEL_CYCLES = 24,      /* for which a state to look for is kept without being met */
    STEADY_FRONT_END_SHARE = 5,    /* the front end must have run unhindered for min_cycles / this */
    STEADY_TIPPING_QUARTERS = 3,   /* of min_cycles, for both, where a chain of latencies has little slack */
    PATTERN_WARM_UP_CYCLES = 48,   /* before which no retirement counts for a pattern */
    PATTERN_LOOK_CYCLES = 4,       /* between looks at the retirements: for patterns as slow as a bound, */
    PATTERN_LONG_LOOK_CYCLES = 16, /* for others */
    PATTERN_BOUND_SHARE =
        8, /* min_cycles / this for which a pattern as slow as the highest bound must hold */
    PATTERN_CHAIN_FIFTHS = 2,      /* of min_cycles, for one as slow as a chain, */
    PATTERN_CHAIN_ITERATIONS = 16, /* each of which is an occasion to lose a cycle, */
    PATTERN_FILLING_SHARE = 2,     /* ... or min_cycles / this if it began before the scheduler was full, */
    PATTERN_FULL_SHARE = 4,        /* ... and min_cycles / this of it after that */
    PATTERN_SHARE = 3,             /* min_cycles / this for any other */
    PATTERN_PERIODS = 4,           /* of each at least */
    PATTERN_PERIOD_MAX = 64,       /* iterations */
};

/* Cycles that an iteration takes at least. */
typedef struct steady_bounds {
    double highest;
    double front_end; /* for fetching, decoding, delivery and issue alone */
    double uops;      /* for issue slots and ports alone */
    double chain;     /* for dependencies alone; 0 without any */
} steady_bounds;

/* A pace: `cycles` for `period` iterations, the smallest number for which the cycles are whole; 0 where no
 * pattern is looked for. */
typedef struct retirement_pace {
    uint32_t period;
    int32_t cycles;
    uint32_t first; /* iteration since which it should have been kept */
} retirement_pace;

/* Iterations [begin, last] that each retire the same number of cycles after the one a period before. */
typedef struct pattern_run {
    uint32_t begin, last; /* last: 0 where nothing is known */
} pattern_run;

/* What the retirements show. */
typedef struct retirement_pattern {
    retirement_pace at_bound, at_chain;
    pattern_run runs[PATTERN_PERIOD_MAX + 1]; /* by period */
    int32_t chain_window;                     /* cycles for which the chain's pace is to be kept */
    bool by_front_end;                        /* the highest bound is one of the front end */
    uint32_t filled; /* iterations issued when the back end was full first; UINT32_MAX before */
    int32_t next_look, next_long_look;
    uint32_t before_least; /* the last iteration at least so many cycles before the latest one: check_any */
} retirement_pattern;

/* A state, and where it was met first. */
typedef struct state_seen {
    uint64_t hash;
    uint32_t epoch;     /* entries of other epochs do not count */
    uint32_t iteration; /* issued then */
    int32_t cycle;
    uint32_t in_flight; /* µops in the scheduler, and stores in their buffer */
    int32_t drain;
    uint32_t period_iterations, period_cycles; /* to the second time; 0 before */
} state_seen;

/* What is cheap to know about a state: µops in each unit, and the cycles until all are retired. */
typedef struct state_glance {
    uint32_t rob, scheduler, queue;
    int32_t drain;
} state_glance;

typedef struct steady_state {
    state_seen machine[STEADY_STATES], front[STEADY_STATES]; /* by hash */
    bool exact;
    steady_bounds bounds;
    retirement_pattern pattern;
    uint32_t epoch, front_epoch;
    uint32_t distance,
        most;      /* iterations: between equal states at least; in a run at most, as far as known */
    uint32_t step; /* iterations between places where states can be equal */
    uint32_t seen_issued;
    uint32_t samples; /* of 65536 states, those that are */
    int32_t next_front;
    state_glance model;
    uint64_t model_front; /* hash of its front end */
    int32_t next_model;
    uint32_t window_from, window_to;           /* iterations [from, to) to average other things over */
    uint32_t period_iterations, period_cycles; /* valid when steady_check has returned true */
} steady_state;

/* For a new run of a prepared machine. */
void steady_reset(steady_state *d, const sim *s, const steady_bounds *bounds);
/* To be called after each cycle in which an iteration ended; true once it is known that the state recurs. */
bool steady_check(steady_state *d, sim *s);

#endif
