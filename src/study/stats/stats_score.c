/* stats_score.c - the score of a predictor on a set of blocks, with bootstrap intervals. A resample is how
 * often each block was drawn; the errors and the rankings are sorted once. */

#include "base/hash.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/options_take.h"
#include "study/stats/ranks.h"
#include "study/stats/resample.h"

/* ---- resamples ---- */

OPTIONS_DEFINE(score, TACHO_SCORE_OPTIONS_INIT)

/* @return 0; TACHO_ERR_USAGE: of the numbers or the options, with a message */
static int score_check(const double *measured, const double *predicted, size_t count,
                       const tacho_score_options *o, tacho_error *err)
{
    if (o->resamples > TACHO_MAX_RESAMPLES)
        return tacho_error_set(err, TACHO_ERR_USAGE, "at most %d resamples", TACHO_MAX_RESAMPLES);
    if (!(o->confidence > 0 && o->confidence < 1) || !(o->tau_step >= 0) || !isfinite(o->tau_step))
        return tacho_error_set(err, TACHO_ERR_USAGE,
                               "confidence must be between 0 and 1, the step of tau at least 0");
    if (count > INT32_MAX)
        return tacho_error_set(err, TACHO_ERR_USAGE, "more than %d blocks", INT32_MAX);
    for (size_t i = 0; i < count; i++)
        if (!(measured[i] > 0) || isinf(measured[i]) || isinf(predicted[i]))
            return tacho_error_set(err, TACHO_ERR_USAGE, "pair %zu: %g measured, %g predicted", i,
                                   measured[i], predicted[i]);
    return 0;
}

/* Rounds to multiples of `step`, if that is not 0: differences below it are no order. */
static void score_round(double *numbers, size_t count, double step)
{
    for (size_t i = 0; step > 0 && i < count; i++)
        numbers[i] = round(numbers[i] / step);
}

void resample_draw(uint32_t *drawn, size_t count, uint64_t seed, uint32_t resample)
{
    uint64_t stream = hash_mix(hash_mix(seed) ^ resample);
    memset(drawn, 0, count * sizeof *drawn);
    for (size_t i = 0; i < count; i++) {
        uint64_t random = hash_mix(stream + i) >> 32;
        drawn[random * count >> 32]++;
    }
}

/* The percentile interval of a figure's values, which are sorted. NaNs are left out: a resample may have no
 * two different values to rank. */
static void resample_interval(double *values, size_t count, double confidence, tacho_estimate *out)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(values[i]))
            values[n++] = values[i];
    numbers_sort(values, n);
    out->low = tacho_quantile(values, n, (1 - confidence) / 2);
    out->high = tacho_quantile(values, n, (1 + confidence) / 2);
}

typedef struct ranked_error {
    double error;
    uint32_t pair;
} ranked_error;

/* Pairs with a prediction. */
typedef struct pairs {
    size_t count;
    double *measured, *predicted, *errors; /* the errors ascending */
    ranked_error *ranked;
    kendall rankings;
    uint32_t *drawn; /* how often each pair is in the resample */
} pairs;

/* Figures that have intervals. */
enum {
    MAPE,
    MEDIAN,
    Q1,
    Q3,
    TAU,
    FIGURES
};

ORDER_BY_TWO(by_error, ranked_error, error, pair);

static void pairs_free(pairs *p)
{
    TACHO_MEM_FREE(p->measured, p->predicted, p->errors, p->ranked, p->drawn);
    kendall_free(&p->rankings);
}

/* @return -1 when memory runs out */
static int pairs_take(pairs *p, const double *measured, const double *predicted, size_t count)
{
    size_t n = count ? count : 1;
    p->measured = tacho_mem_zalloc(n, sizeof *p->measured);
    p->predicted = tacho_mem_zalloc(n, sizeof *p->predicted);
    p->errors = tacho_mem_zalloc(n, sizeof *p->errors);
    p->ranked = tacho_mem_zalloc(n, sizeof *p->ranked);
    p->drawn = tacho_mem_zalloc(n, sizeof *p->drawn);
    if (!p->measured || !p->predicted || !p->errors || !p->ranked || !p->drawn)
        return -1;
    for (size_t i = 0; i < count; i++)
        if (!isnan(predicted[i])) {
            p->measured[p->count] = measured[i];
            p->predicted[p->count] = predicted[i];
            p->ranked[p->count] =
                (ranked_error){fabs(measured[i] - predicted[i]) / measured[i], (uint32_t)p->count};
            p->count++;
        }
    return 0;
}

/* The error at place `at` of the resample's errors in ascending order, for several ascending places. */
static void errors_at(const pairs *p, const size_t *at, size_t count, double *out)
{
    size_t below = 0, i = 0;
    for (size_t e = 0; e < p->count && i < count; e++) {
        below += p->drawn[p->ranked[e].pair];
        for (; i < count && at[i] < below; i++)
            out[i] = p->errors[e];
    }
}

static void resample_errors(const pairs *p, double figures[FIGURES])
{
    static const double shares[3] = {0.25, 0.5, 0.75};
    static const int figure[3] = {Q1, MEDIAN, Q3};
    size_t at[6];
    double errors[6], sum = 0;
    for (int i = 0; i < 3; i++) {
        at[2 * i] = (size_t)(shares[i] * (double)(p->count - 1));
        at[2 * i + 1] = at[2 * i] + (at[2 * i] + 1 < p->count);
    }
    /* Places may come twice but never go back: quartiles are a quarter of the count apart. */
    errors_at(p, at, 6, errors);
    for (int i = 0; i < 3; i++) {
        double part = shares[i] * (double)(p->count - 1) - (double)at[2 * i];
        figures[figure[i]] = errors[2 * i] + part * (errors[2 * i + 1] - errors[2 * i]);
    }
    for (size_t e = 0; e < p->count; e++)
        sum += p->errors[e] * p->drawn[p->ranked[e].pair];
    figures[MAPE] = sum / (double)p->count;
}

/* @return -1 when memory runs out */
static int intervals(pairs *p, const tacho_score_options *o, tacho_estimate *const estimates[FIGURES])
{
    if (!o->resamples || p->count < RESAMPLE_MIN_PAIRS)
        return 0;
    TACHO_MEM_FREED double *values = tacho_mem_zalloc((size_t)o->resamples * FIGURES, sizeof *values);
    if (!values)
        return -1;
    for (uint32_t r = 0; r < o->resamples; r++) {
        double figures[FIGURES];
        resample_draw(p->drawn, p->count, o->seed, r);
        resample_errors(p, figures);
        figures[TAU] = kendall_tau_b(&p->rankings, p->drawn);
        for (int f = 0; f < FIGURES; f++)
            values[(size_t)f * o->resamples + r] = figures[f];
    }
    for (int f = 0; f < FIGURES; f++)
        if (!isnan(estimates[f]->value))
            resample_interval(values + (size_t)f * o->resamples, o->resamples, o->confidence, estimates[f]);
    return 0;
}

/* An error of 0.01 in decimal is a little more in binary. */
static double share_within(const pairs *p, double limit)
{
    size_t n = 0;
    while (n < p->count && p->errors[n] <= limit * (1 + 1e-9))
        n++;
    return p->count ? (double)n / (double)p->count : NAN;
}

static void figures(const pairs *p, tacho_score *out)
{
    double errors = 0, signed_errors = 0;
    for (size_t i = 0; i < p->count; i++) {
        errors += p->errors[i];
        signed_errors += (p->predicted[i] - p->measured[i]) / p->measured[i];
    }
    out->mape.value = p->count ? errors / (double)p->count : NAN;
    out->bias = p->count ? signed_errors / (double)p->count : NAN;
    out->median.value = tacho_quantile(p->errors, p->count, 0.5);
    out->q1.value = tacho_quantile(p->errors, p->count, 0.25);
    out->q3.value = tacho_quantile(p->errors, p->count, 0.75);
    out->worst = p->count ? p->errors[p->count - 1] : NAN;
    out->within_1 = share_within(p, 0.01);
    out->within_5 = share_within(p, 0.05);
    out->within_10 = share_within(p, 0.1);
}

/* @return -1 when memory runs out */
static int score(pairs *p, const tacho_score_options *o, tacho_score *out)
{
    tacho_estimate *const estimates[FIGURES] = {[MAPE] = &out->mape,
                                                [MEDIAN] = &out->median,
                                                [Q1] = &out->q1,
                                                [Q3] = &out->q3,
                                                [TAU] = &out->kendall_tau};
    tacho_sort(p->ranked, p->count, sizeof *p->ranked, by_error);
    for (size_t i = 0; i < p->count; i++)
        p->errors[i] = p->ranked[i].error;
    for (int f = 0; f < FIGURES; f++)
        *estimates[f] = (tacho_estimate){NAN, NAN, NAN};
    figures(p, out);
    score_round(p->measured, p->count, o->tau_step);
    score_round(p->predicted, p->count, o->tau_step);
    if (kendall_prepare(&p->rankings, p->measured, p->predicted, p->count))
        return -1;
    out->kendall_tau.value = kendall_tau_b(&p->rankings, NULL);
    return intervals(p, o, estimates);
}

int tacho_score_compute(const double *measured, const double *predicted, size_t count,
                        const tacho_score_options *options, tacho_score *out, tacho_error *err)
{
    tacho_score_options o;
    TACHO_ENDS(pairs_free) pairs p = {0};
    int result = OPTIONS_TAKE(score, &o, options, err);
    if (result || (result = score_check(measured, predicted, count, &o, err)))
        return result;
    if (pairs_take(&p, measured, predicted, count) || score(&p, &o, out))
        result = tacho_no_memory(err);
    out->count = p.count;
    out->failures = count - p.count;
    return result;
}
