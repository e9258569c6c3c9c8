/* predictor.h - what a predictor holds; for the files that make up a prediction. */
#ifndef TACHO_MODEL_PREDICTOR_H
#define TACHO_MODEL_PREDICTOR_H

#include "model/block/cache.h"
#include "model/predict/steady.h"

/* All that the machine can see of a block, of the place where it lies and of what its registers are called,
 * as 128 bits of hashes. Blocks that look the same have the same prediction. */
typedef struct machine_view {
    uint64_t hash[2];
} machine_view;
machine_view machine_view_of(const block *b, const dsb_layout *l, const tacho_predict_options *o);

/* Predictions that a predictor has made before. Many blocks of a suite differ only in displacements
 * and immediates that make other addresses and values, which the machine cannot see. Where no addresses are
 * compared, the code without these numbers (model/block/cache.c) stands for all such blocks; elsewhere its
 * bytes do. A block that is new by that can still look the same to the machine as one met before.
 *
 * The whole code (or outline), the parameters of the microarchitecture and the options are compared; a hash
 * of 64 bits alone never decides. Only simulations without details are remembered: their predictions hold no
 * pointers, and predictions by bounds take about as long as looking one up. The memory is bounded: the oldest
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
/* The same by what the machine sees, which is to stay where it is until memo_keep. */
bool memo_find_seen(memo *m, tacho_prediction *r, const machine_view *seen, const tacho_arch *arch,
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
    MAX_CYCLES_PER_RUN = 16000000,
    MAX_IDLE_CYCLES = 100000 /* without an issued µop: the machine is stuck */
};

struct tacho_predictor {
    arena memory;
    sim *machine;
    insn_cache *cache;
    memo *memo;
    machine_view view; /* of the block */
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
