/* bias_sweeps.h - sweeps of bias_probe, and what several tests ask of them. */
#ifndef TESTS_UNIT_BIAS_SWEEPS_H
#define TESTS_UNIT_BIAS_SWEEPS_H

#include <math.h>

#include "tacho/bias.h"
#include "tacho/trial.h"

static char *probe;
static tacho_error err;

/* Meson has malloc fill what it gives out, which would take longer than what the probe does. */
static inline void take_probe(int argc, char **argv)
{
    probe = argc > 1 ? argv[1] : "";
    unsetenv("MALLOC_PERTURB_");
}

/* Ends the test where a program's memory cannot be laid out as is asked for. */
static inline void need_layouts(void)
{
    char *argv[] = {probe, "none", "1", NULL};
    const tacho_trials_options o = TACHO_TRIALS_OPTIONS_INIT;
    const tacho_command command = {.argv = argv};
    const tacho_layout layout = {.fixed = true, .stack_bytes = TACHO_LAYOUT_STEP};
    tacho_trials *t = tacho_trials_new(&o, &err);
    tacho_trial out;
    bool can = t && !tacho_trials_run(t, &command, &layout, &out, &err);
    tacho_trials_free(t);
    if (can)
        return;
    printf("skipped: %s\n", err.message);
    exit(77);
}

static inline tacho_bias *sweep(char *what, char *rounds, char *percent, const tacho_bias_options *o)
{
    char *argv[] = {probe, what, rounds, percent, NULL};
    const tacho_command command = {.argv = argv};
    tacho_bias *out = NULL;
    if (tacho_bias_sweep(&out, &command, o, &err))
        fail_msg("%s", err.message);
    return out;
}

static inline tacho_bias_options options(uint32_t factors)
{
    tacho_bias_options o = TACHO_BIAS_OPTIONS_INIT;
    o.factors = factors;
    o.passes = 2;
    o.step_bytes = 128;
    o.metric = "cpu"; /* which is there also where the core's clock cannot be found */
    o.why = false;
    return o;
}

static inline uint32_t count_spikes(const tacho_bias_factor *f)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->point_count; i++)
        count += f->points[i].spike;
    return count;
}

/* What twice as many rounds make of a real run that has other work, too: at least so much. What the core adds
 * of its own is its affair (4K aliasing, crossed lines); figures are judged where they are made up, in
 * test_bias_judged.c. */
static inline void assert_found(const tacho_bias_factor *f)
{
    if (f->missing)
        fail_msg("%s", f->missing);
    if (!f->biased || !(f->effect.value > 1.1) || !(f->effect.low > 1))
        fail_msg("%s: %sbiased, effect %g (%g to %g)", f->name, f->biased ? "" : "not ", f->effect.value,
                 f->effect.low, f->effect.high);
    assert_true(f->effect.low <= f->effect.value && f->effect.value <= f->effect.high);
    assert_true(f->points[f->slow].spike);
}

#endif
