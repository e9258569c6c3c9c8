/* causal_experiments.h - which experiments are made, and what comes of them. Knows no process. */
#ifndef TACHO_CAUSAL_EXPERIMENTS_H
#define TACHO_CAUSAL_EXPERIMENTS_H

#include "base/arena.h"
#include "tacho/error.h"
#include "tacho/hot_causal.h"

#define EXPERIMENT_BASE UINT32_MAX

enum {
    EXPERIMENT_STEPS = 4,  /* of each place: a quarter less time, half, ... */
    EXPERIMENT_PLACES = 6, /* at most, at a time */
    EXPERIMENT_ROUND = EXPERIMENT_PLACES * (EXPERIMENT_STEPS + 1)
};

typedef struct experiment {
    uint32_t place;  /* EXPERIMENT_BASE: nothing is changed */
    double less;     /* share of the place's time */
    uint64_t visits; /* 0: it came to no end, and is not tried again */
    double seconds;  /* for these visits, by the clocks */
} experiment;

/* Start with {0}, but for a random number. */
typedef struct experiments {
    uint64_t random;
    experiment *list;
    size_t count, capacity;
    experiment round[EXPERIMENT_ROUND]; /* what is to be done */
    size_t left;
    bool failed; /* memory ran out */
} experiments;

/* Begins a round: each place with each share, and some in which nothing is changed, in an order by chance. */
void experiments_plan(experiments *e, const uint32_t *places, size_t count);
/* After it has been done. */
void experiments_add(experiments *e, const experiment *done);
/* The points of a place: none where it has no experiments, or nothing stands against them. @return false:
 * memory ran out */
bool experiments_judge(const experiments *e, uint32_t place, arena *memory, tacho_causal_place *out);
/* Visits a second in those in which nothing is changed, how many these are, and all others. */
double experiments_base(const experiments *e, uint32_t *base, uint32_t *others);
void experiments_free(experiments *e);

#endif
