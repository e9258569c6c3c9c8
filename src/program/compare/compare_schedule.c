/* compare_schedule.c - which run comes next, and whether one does.
 *
 * A block is A B B A or B A A B: what changes steadily while it runs falls on both sides alike. Which of the
 * two is tossed for each block apart; were A and B the same, each block's difference would be as likely to
 * have the other sign, whatever the noise: that is what the signed-rank test takes for granted. */
#include <math.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/seconds.h"
#include "program/compare/compare_internal.h"

enum {
    CHECK_RESAMPLES = 500, /* while running */
    MIN_ROUNDS = 2         /* of layouts: one would not tell layouts from noise */
};

uint32_t schedule_side(comparing *c, uint32_t block, uint32_t i)
{
    bool b_first = hash_mix(hash_mix(c->options->judge.seed) + block) >> 63;
    return (i == 1 || i == 2) != b_first;
}

uint32_t schedule_layout(comparing *c, uint32_t block)
{
    uint32_t n = c->options->layouts;
    if (!n)
        return 0;
    if (block % n == 0) {
        uint64_t state = hash_mix(hash_mix(~c->options->judge.seed) + block / n);
        hash_draw_order(&state, c->layout_order, n);
    }
    return c->layout_order[block % n];
}

/* The error that no run has a value. */
static int no_values(const comparing *c, tacho_error *err)
{
    return tacho_error_set(err, TACHO_ERR_UNSUPPORTED, "none of the runs has a value of '%s'%s",
                           c->out->metrics[c->out->metric].name,
                           c->out->counters_missing[0]
                               ? ": without counters, cycles need a core clock that can be found, and "
                                 "is the same before and after a run"
                               : "");
}

/* The interval as it is now. */
static int look(comparing *c, bool *narrow, bool *dominated, tacho_error *err)
{
    const tacho_compare_options *o = c->options;
    double precision = o->precision > 0 ? o->precision : o->judge.threshold / 4;
    tacho_median_ratio ratio = {{NAN, NAN, NAN}, NAN};
    judging j;
    int rc = judging_make(&j, c->out->samples, c->out->run_count, o->layouts > 0, err);
    if (!rc) {
        if (j.units >= judging_units_needed(o->judge.confidence))
            rc = judging_ratio(&j, &o->judge, CHECK_RESAMPLES, &ratio, err);
        else if (!j.value_count)
            rc = no_values(c, err);
        *dominated = o->layouts && layouts_dominate(&j);
        judging_free(&j);
    }
    c->ratio = ratio.ratio.value;
    c->half_width = (ratio.ratio.high - ratio.ratio.low) / 2 / ratio.ratio.value;
    *narrow = c->half_width <= precision;
    return rc;
}

/* Looking takes time: it is done when there is a tenth more to look at. With layouts, after each round. */
static int look_now_and_then(comparing *c, bool *over, tacho_error *err)
{
    uint32_t layouts = c->options->layouts;
    bool narrow = false, dominated = false;
    if (c->options->runs || c->blocks < TACHO_COMPARE_MIN_BLOCKS)
        return 0;
    if (layouts ? c->blocks % layouts || c->blocks / layouts < MIN_ROUNDS : c->blocks < c->next_check)
        return 0;
    c->next_check = c->blocks + c->blocks / 10 + 1;
    int rc = look(c, &narrow, &dominated, err);
    *over = narrow || dominated;
    c->out->end = narrow ? TACHO_COMPARE_PRECISE : TACHO_COMPARE_LAYOUTS;
    return rc;
}

/* Sides that are far apart are enough, too, but at a tenth of the false alarms: they are looked at after each
 * block, and looking often is not free. @return 0; below 0: an error */
static int has_enough_for_a_verdict(const comparing *c, bool *enough, tacho_error *err)
{
    tacho_judge_options o = c->options->judge;
    uint32_t layouts = c->options->layouts;
    uint32_t units = layouts && layouts < c->blocks ? layouts : c->blocks;
    separation sides = {.is_clear = false};
    judging j;
    *enough = units >= judging_units_needed(o.confidence);
    o.confidence = 1 - (1 - o.confidence) / 10;
    if (*enough)
        return 0;
    int rc = judging_make(&j, c->out->samples, c->out->run_count, layouts > 0, err);
    if (rc)
        return rc;
    if (separation_judge(&j, &o, &sides))
        rc = tacho_no_memory(err);
    judging_free(&j);
    *enough = sides.is_clear;
    return rc;
}

int schedule_is_over(comparing *c, bool *over, tacho_error *err)
{
    const tacho_compare_options *o = c->options;
    uint64_t most = o->max_runs ? o->max_runs : TACHO_COMPARE_MAX_RUNS;
    uint32_t runs_of_each = COMPARE_BLOCK_RUNS / COMPARE_SIDES; /* in a block */
    bool late = c->late || (c->blocks && seconds_now() - c->started + c->shortest_block > c->limit);
    int rc = late && c->soft_limit ? has_enough_for_a_verdict(c, &late, err) : 0;
    if (rc)
        return rc;
    *over = true;
    if (c->stopped)
        c->out->end = TACHO_COMPARE_STOPPED;
    else if (o->runs && (uint64_t)c->blocks * runs_of_each >= o->runs)
        c->out->end = TACHO_COMPARE_RUNS;
    else if (!o->runs && runs_of_each * ((uint64_t)c->blocks + 1) > most)
        c->out->end = TACHO_COMPARE_MAX_REACHED;
    else if (late)
        c->out->end = TACHO_COMPARE_TIME;
    else {
        *over = false;
        return look_now_and_then(c, over, err);
    }
    return 0;
}
