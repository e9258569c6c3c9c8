/* predictor.h - what a predictor holds; for the files that make up a prediction. */
#ifndef TACHO_MODEL_PREDICTOR_H
#define TACHO_MODEL_PREDICTOR_H

#include "model/block/cache.h"
#include "model/predict/memo.h"
#include "model/sim/steady.h"

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

/* prediction_warnings.c: sentences for people, once the result is known; also counts the instructions that
 * they are about. */
void predictor_warn(tacho_predictor *p);

#endif
