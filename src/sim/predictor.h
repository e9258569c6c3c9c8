/* predictor.h - what a predictor holds; for the files that make up a prediction. */
#ifndef TACHO_SIM_PREDICTOR_H
#define TACHO_SIM_PREDICTOR_H

#include "block/cache.h"
#include "sim/memo.h"
#include "sim/steady.h"

enum {
    PREDICTOR_WARNINGS = 8
};

struct tacho_predictor {
    arena memory;
    sim *machine;
    insn_cache *cache;
    memo *memo;
    block code;
    tacho_arch variant; /* the microarchitecture as the options' variants want it */
    dsb_layout layout;
    steady_state steady;
    tacho_predict_options options;
    tacho_prediction result;
    const char *warnings[PREDICTOR_WARNINGS];
};

/* warnings.c: sentences for people, once the result is known; counts what they speak of too. */
void predictor_warn(tacho_predictor *p);

#endif
