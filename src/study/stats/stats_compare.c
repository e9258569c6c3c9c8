/* stats_compare.c - two predictors on the same blocks: how their figures differ, with intervals of the paired
 * bootstrap. The figures of both are those of the same resamples, so that what makes a resample easy or hard
 * for both does not blur the difference. */
#include <math.h>

#include "base/mem.h"
#include "base/options_take.h"
#include "study/stats/ranks.h"
#include "study/stats/resample.h"

/* Pairs that both have a prediction for. */
typedef struct paired {
    size_t count;
    double *measured, *a, *b, *differences; /* of the errors */
    kendall of_a, of_b;
    uint32_t *drawn;
} paired;

static void paired_free(paired *p)
{
    TACHO_MEM_FREE(p->measured, p->a, p->b, p->differences, p->drawn);
    kendall_free(&p->of_a);
    kendall_free(&p->of_b);
}

/* @return -1 when memory runs out */
static int paired_take(paired *p, const double *measured, const double *a, const double *b, size_t count,
                       double step)
{
    size_t n = count ? count : 1;
    p->measured = tacho_mem_zalloc(n, sizeof *p->measured);
    p->a = tacho_mem_zalloc(n, sizeof *p->a);
    p->b = tacho_mem_zalloc(n, sizeof *p->b);
    p->differences = tacho_mem_zalloc(n, sizeof *p->differences);
    p->drawn = tacho_mem_zalloc(n, sizeof *p->drawn);
    if (!p->measured || !p->a || !p->b || !p->differences || !p->drawn)
        return -1;
    for (size_t i = 0; i < count; i++) {
        if (isnan(a[i]) || isnan(b[i]))
            continue;
        p->measured[p->count] = measured[i];
        p->a[p->count] = a[i];
        p->b[p->count] = b[i];
        p->differences[p->count++] = (fabs(measured[i] - b[i]) - fabs(measured[i] - a[i])) / measured[i];
    }
    score_round(p->measured, p->count, step);
    score_round(p->a, p->count, step);
    score_round(p->b, p->count, step);
    return kendall_prepare(&p->of_a, p->measured, p->a, p->count) ||
                   kendall_prepare(&p->of_b, p->measured, p->b, p->count)
               ? -1
               : 0;
}

/* `drawn` NULL: each once. */
static double mape_difference(const paired *p, const uint32_t *drawn)
{
    double sum = 0;
    for (size_t i = 0; i < p->count; i++)
        sum += p->differences[i] * (drawn ? drawn[i] : 1);
    return p->count ? sum / (double)p->count : NAN;
}

static double tau_difference(paired *p, const uint32_t *drawn)
{
    return kendall_tau_b(&p->of_b, drawn) - kendall_tau_b(&p->of_a, drawn);
}

/* @return -1 when memory runs out */
static int compare(paired *p, const tacho_score_options *o, tacho_score_difference *out)
{
    static const tacho_estimate none = {NAN, NAN, NAN};
    *out = (tacho_score_difference){p->count, none, none};
    out->mape.value = mape_difference(p, NULL);
    out->kendall_tau.value = tau_difference(p, NULL);
    if (!o->resamples || p->count < RESAMPLE_MIN_PAIRS)
        return 0;
    double *values = tacho_mem_zalloc((size_t)o->resamples * 2, sizeof *values);
    if (!values)
        return -1;
    for (uint32_t r = 0; r < o->resamples; r++) {
        resample_draw(p->drawn, p->count, o->seed, r);
        values[r] = mape_difference(p, p->drawn);
        values[o->resamples + r] = tau_difference(p, p->drawn);
    }
    resample_interval(values, o->resamples, o->confidence, &out->mape);
    if (!isnan(out->kendall_tau.value))
        resample_interval(values + o->resamples, o->resamples, o->confidence, &out->kendall_tau);
    tacho_mem_free(values);
    return 0;
}

int tacho_score_compare(const double *measured, const double *a, const double *b, size_t count,
                        const tacho_score_options *options, tacho_score_difference *out, tacho_error *err)
{
    tacho_score_options o;
    paired p = {0};
    int result = OPTIONS_TAKE(score, &o, options, err);
    if (!result)
        result = score_check(measured, a, count, &o, err);
    if (!result)
        result = score_check(measured, b, count, &o, err);
    if (result)
        return result;
    if (paired_take(&p, measured, a, b, count, o.tau_step) || compare(&p, &o, out))
        result = tacho_no_memory(err);
    paired_free(&p);
    return result;
}
