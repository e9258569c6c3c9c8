/* bias_internal.h - what the parts of a bias sweep share. */
#ifndef TACHO_BIAS_INTERNAL_H
#define TACHO_BIAS_INTERNAL_H

#include <limits.h>

#include "base/arena.h"
#include "base/str.h"
#include "tacho/bias.h"
#include "tacho/stats.h"

enum {
    PLACE_PAGE = 4096,
    STANDARD_COUNTERS = 7,
    EVENTS_A_RUN = 4, /* so many counters every processor has; further events take their turn by passes */
    CONFIRM_ROUNDS = 25,
    CONFIRM_ARMS = 5, /* places of a round, at most */
    CONTENDERS = 8,   /* places among which the slowest is, and the fastest */
    CONTENDER_RUNS = 5,
    /* Of a factor, about: the contenders for both ends, then rounds of three places. */
    CONFIRM_RUNS = 2 * CONTENDERS * CONTENDER_RUNS + 3 * CONFIRM_ROUNDS,
    USUAL_PASSES = 5,
    PAIR_ROUNDS = 75,  /* at most, of confirm_pairs */
    CONFIRM_USUAL = 5, /* places about the median that stand for what is usual */
};

/* A place of a series: how the command is run there. */
typedef struct bias_place {
    double position;
    const char *label;
    tacho_layout layout;
    tacho_command command;
} bias_place;

/* The places of a factor, and the runs at them. */
typedef struct bias_series {
    tacho_bias_kind kind;
    bias_place *places;
    uint32_t count;
    uint32_t step_bytes;         /* 0: variants */
    double until;                /* seconds_now: when its sweep and its confirming should be done */
    double period_bytes;         /* after which a place should be as before, to be tried; NaN: none */
    uint32_t passes;             /* that were begun */
    double *values;              /* [pass][place]; NaN: no value */
    double *counters;            /* [pass][place][counter] */
    double *medians;             /* [place]: log of the metric, passes' drift taken off */
    double *offsets;             /* [pass]: that drift, log */
    double noise;                /* standard deviation of a value about its place's median, log */
    double centre;               /* median of the medians */
    const bias_place *slow_side; /* what the fastest is compared with: the slowest, or a usual one where only
                                    the fastest stands out */
    tacho_bias_factor *out;
} bias_series;

/* All of a sweep. The result is first, so that its pointer is that of all. */
typedef struct bias {
    tacho_bias result;
    arena memory;
    tacho_bias_options options;
    tacho_command command;
    char **environment; /* as it was, without what is put in */
    tacho_layout base;
    tacho_trials *trials[1 + (TACHO_TRIAL_MAX_EVENTS + EVENTS_A_RUN - 1) / EVENTS_A_RUN];
    uint32_t trials_count;
    int metric_event; /* of trials[i]: the last of its events; -1: not an event */
    const char *counter_names[TACHO_BIAS_MAX_COUNTERS];
    tacho_bias_factor factors[TACHO_BIAS_KIND_COUNT];
    double started, until;   /* seconds_now */
    double run_seconds;      /* that a run takes, with all about it */
    uint32_t passes;         /* as planned for the last series */
    tacho_bias_progress now; /* what it is at; runs_all 0: nothing that would be told */
    bool stopped;
    const char *name; /* of the command, as it was given */
    bool span_given;
    char linked;              /* what linked programs' names begin with */
    char temporary[PATH_MAX]; /* a directory; "": none made */
    uint64_t random;
    tacho_error *err;
} bias;

void *bias_alloc(bias *b, size_t bytes); /* zeroed; NULL with *b->err */
const char *bias_text(bias *b, const char *format, ...) TACHO_PRINTF(2, 3);
/* The command with another program. @return NULL with *b->err */
char **bias_with_program(bias *b, const char *program);
/* What is measured of a run from now on. @return 0 or TACHO_ERR_MEMORY */
int bias_use_metric(bias *b, const char *metric);
/* Adds a sentence to the factor's notes. @return 0, TACHO_ERR_MEMORY */
int bias_note(bias *b, tacho_bias_factor *f, const char *format, ...) TACHO_PRINTF(3, 4);
/* The next of the numbers that decide orders: 0..below-1. */
uint32_t bias_random(bias *b, uint32_t below);
/* How long the next factor may take, when this many are left. Each factor that wants more than it gets is to
 * get as much as the others. */
double bias_time_for(const bias *b, const bias_series *next, uint32_t count);
/* bias_sweep.c. Says what comes now: the number of runs, links or layouts. */
void bias_begin(bias *b, tacho_bias_kind kind, tacho_bias_phase phase, uint32_t all);
/* Says how far it is, before the next of them. @return whether to go on: !b->stopped */
bool bias_next(bias *b);
/* A directory of our own for what is written. @return NULL with *b->err */
const char *bias_directory(bias *b);

/* bias_variants.c: places of a factor. s->count 0 with out->missing: it cannot be had here. */
int series_make(bias *b, bias_series *s);
int series_reserve(bias *b, bias_series *s, uint32_t count);
/* Places every s->step_bytes, with positions and labels; what else they are is the caller's. */
int series_reserve_steps(bias *b, bias_series *s, uint32_t span);
/* Makes the place one that lies this many bytes further on: for factors whose places are layouts, and for
 * buffers. */
int series_move(bias *b, tacho_bias_kind kind, uint32_t bytes, bias_place *place);
/* Whether large allocations can be moved: by a library that is put before others, from our directory. false
 * also with *b->err: there is none */
bool variants_can_shift(bias *b);
/* Large allocations so many bytes apart. */
int variants_shift_buffers(bias *b, bias_place *place, uint32_t bytes);
/* Whether the place's allocator is the C library's, as far as the environment says. */
bool variants_are_glibc(const bias_place *place);
/* An environment with variables ("NAME=value") in place of those of the same names. @return NULL with *b->err
 */
char **variants_environment(bias *b, char *const *from, const char *const *set, size_t set_count);

/* link.c: programs linked otherwise. */
int link_orders(bias *b, bias_series *s);
int link_code(bias *b, bias_series *s);
/* The program as the link command makes it takes the place of the command's. */
int link_base(bias *b);

/* bias_counted.c. Looks for the cause in what the system counts; none: the cause stays as it is. */
int counted_find(bias *b, bias_series *s);
/* fault_cost.c: a file of its own, as a test replaces it. Seconds of processor time that a page fault takes
 * on this machine; NaN: unknown. */
double counted_fault_seconds(void);

/* why.c, confirm.c: of a biased factor. */
int why_find(bias *b, bias_series *s);
int advise(bias *b, bias_series *s);

/* bias_sweep.c */
/* One run. @return 0 and *value (log of the metric); NaN where the sweep is over; an error where it failed */
int sweep_run(bias *b, const bias_place *place, uint32_t trials, double *value, double *counters);
/* Finds how long the command takes and how it ends. */
int sweep_warm_up(bias *b);
/* All passes that there is time for. */
int sweep_series(bias *b, bias_series *s);

/* curve.c: what the runs say. */
int curve_smooth(bias *b, bias_series *s);
/* Marks spikes, which only a biased factor has. */
int curve_spikes(bias *b, bias_series *s);
/* The distance after which the curve comes again, of those within it; NaN: none. In steps. */
double curve_period(const bias_series *s);
int curve_correlate(bias *b, bias_series *s);

/* confirm.c. There are no figures of the places that stand out. */
void bias_no_verdict(tacho_bias_factor *f);
/* Judges by the slowest place to usual ones, usual ones to the fastest, and the slowest to the fastest. */
void bias_give_verdict(tacho_bias_factor *f, double threshold, tacho_estimate loss, tacho_estimate gain,
                       tacho_estimate spread);
/* The slowest and the fastest place again, with others. */
int confirm_series(bias *b, bias_series *s);
/* Runs at the spikes again, and takes the mark from those that are none. */
int confirm_spikes(bias *b, bias_series *s, tacho_bias_point *points);

/* the library that moves large allocations, as the program's file would be. */

extern const char bias_preload_image[];
extern const unsigned long bias_preload_image_size;

#endif
