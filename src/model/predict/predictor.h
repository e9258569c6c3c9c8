/* predictor.h - what a predictor holds; for the files that make up a prediction. */
#ifndef TACHO_MODEL_PREDICTOR_H
#define TACHO_MODEL_PREDICTOR_H

#include "model/block/cache.h"
#include "model/sim/steady.h"

/* Predictions that a predictor has made before. Many blocks of a suite differ only in displacements
 * and immediates that make other addresses and values, which the machine cannot see. Where no addresses are
 * compared, the code without these numbers (model/block/cache.c) stands for all such blocks; elsewhere its
 * bytes do.
 *
 * The whole code (or outline), the parameters of the microarchitecture and the options are compared; a hash
 * alone never decides. Only simulations without details are remembered: their predictions hold no pointers,
 * and predictions by bounds take about as long as looking one up. The memory is bounded: the oldest
 * predictions are forgotten. A memo belongs to one thread. */
typedef struct memo memo;

/* @return NULL when memory runs out */
memo *memo_new(void);
void memo_free(memo *m);

/* Whether predictions with these options can be remembered. */
bool memo_applies(const tacho_predict_options *o);

/* Looks for the prediction of the code that `c` has taken in, on `arch` with options that memo_applies to. If
 * it is there, fills in *r what depends on the code. */
bool memo_find(memo *m, tacho_prediction *r, insn_cache *c, const tacho_arch *arch,
               const tacho_predict_options *o);
/* The same by all that the machine can see of the code and its place (`seen`), whatever the alignment is. */
bool memo_find_seen(memo *m, tacho_prediction *r, const uint8_t *seen, uint32_t size, const tacho_arch *arch,
                    const tacho_predict_options *o);
/* Remembers what was not found in the last call of these, if there is memory for it; `b` is the block. */
void memo_keep(memo *m, const tacho_prediction *r, const insn_cache *c, const block *b,
               const tacho_predict_options *o);
/* How many have been found so far. */
uint64_t memo_found_count(const memo *m);

/* A bound is as high as the result within so much of it: where a run does not recur, that is an average. */
#define BOUND_TOLERANCE 0.02

enum {
    PREDICTOR_WARNINGS = 8,
    PREDICTOR_LATEST = 512, /* bytes */
    MAX_CYCLES_PER_RUN = 16000000,
    MAX_IDLE_CYCLES = 100000 /* without an issued µop: the machine is stuck */
};

struct tacho_predictor {
    arena memory;
    sim *machine;
    insn_cache *cache;
    memo *memo;
    uint8_t latest[PREDICTOR_LATEST]; /* the code that was simulated last, if it is so short; */
    size_t latest_size;               /* 0: it was not */
    block code;
    tacho_arch variant; /* the microarchitecture, changed by the variants that the options ask for */
    dsb_layout layout;
    steady_state steady;
    tacho_predict_options options;
    tacho_prediction result;
    tacho_insn_report *reports; /* that result.instructions point to */
    const char *warnings[PREDICTOR_WARNINGS];
};

static inline bool predictor_is_stuck(const sim *s)
{
    return s->cycle >= MAX_CYCLES_PER_RUN || s->cycle - s->last_issue > MAX_IDLE_CYCLES;
}

/* stretch.c: the code is executed once. */
int predictor_run_once(tacho_predictor *p, tacho_error *err);

/* prediction.c: sentences for people, once the result is known; also counts the instructions that
 * they are about. */
void predictor_warn(tacho_predictor *p);

#endif
