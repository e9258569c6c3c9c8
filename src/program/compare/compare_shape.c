/* compare_shape.c - what samples look like: several modes, outliers, drift, steps. All of it is shown;
 * nothing is thrown away for it. */

#include "base/hash.h"
#include "base/mem.h"
#include "base/number.h"
#include "program/compare/compare_internal.h"

enum {
    DIP_MIN_SAMPLES = 20,
    DRIFT_MIN_SAMPLES = 20,
    OUTLIER_MIN_SAMPLES = 8 /* of a side: quartiles of fewer mean nothing */
};
static const double seldom = 0.01; /* a p-value below it is worth a note */

/* ---- steps ---- */

/* The smallest distance between two values where most occur several times, 0 where they do not. */
static double smallest_step(const double *sorted, size_t count)
{
    size_t different = count > 0;
    double step = INFINITY;
    for (size_t i = 1; i < count; i++)
        if (sorted[i] > sorted[i - 1]) {
            different++;
            step = fmin(step, sorted[i] - sorted[i - 1]);
        }
    return different * 2 < count && isfinite(step) ? step : 0;
}

int shape_step(const tacho_sample *samples, size_t count, tacho_judgement *out)
{
    double median = NAN, least = INFINITY;
    double *sorted = tacho_mem_zalloc(count ? count : 1, sizeof *sorted);
    if (!sorted)
        return -1;
    for (uint32_t side = 0; side < 2; side++) {
        size_t n = 0;
        median = fmin(median, out->sides[side].values.median);
        for (size_t i = 0; i < count; i++)
            if (samples[i].side == side && !isnan(samples[i].value))
                sorted[n++] = samples[i].value;
        numbers_sort(sorted, n);
        double step = smallest_step(sorted, n);
        least = step > 0 ? fmin(least, step) : least;
    }
    out->step = isfinite(least) ? least / median : 0;
    tacho_mem_free(sorted);
    return 0;
}

/* ---- modes ---- */

/* The division of ascending numbers into two groups with the least sum of squares within them. */
static void divide(const double *sorted, size_t count, tacho_judged_side *out)
{
    double all = 0, low = 0, best = -1;
    size_t at = 0;
    for (size_t i = 0; i < count; i++)
        all += sorted[i] - sorted[0];
    for (size_t i = 1; i < count; i++) {
        low += sorted[i - 1] - sorted[0];
        double n = (double)i, rest = (double)(count - i);
        double between = low * low / n + (all - low) * (all - low) / rest;
        if (between > best && sorted[i] > sorted[i - 1]) {
            best = between;
            at = i;
        }
    }
    if (!at)
        return;
    out->group_low = tacho_quantile(sorted, at, 0.5);
    out->group_high = tacho_quantile(sorted + at, count - at, 0.5);
    out->group_high_share = (double)(count - at) / (double)count;
}

/* Equal numbers that come from steps would look like modes: each is spread over its step. */
static void spread(double *sorted, size_t count, uint64_t seed)
{
    double step = smallest_step(sorted, count);
    for (size_t i = 0; i < count && step > 0; i++)
        sorted[i] += step * ((double)(hash_mix(seed + i) >> 11) * 0x1p-53 - 0.5);
    numbers_sort(sorted, count);
}

static int find_modes(double *sorted, size_t count, const tacho_judge_options *o, tacho_judged_side *out)
{
    if (count < DIP_MIN_SAMPLES)
        return 0;
    divide(sorted, count, out);
    spread(sorted, count, o->seed);
    if (tacho_dip(sorted, count, &out->dip) || tacho_dip_p(out->dip, count, o->seed, &out->dip_p))
        return -1;
    out->several_modes =
        out->dip_p < seldom && out->group_high - out->group_low > o->threshold / 4 * out->values.median;
    return 0;
}

int shape_side(const tacho_sample *samples, size_t count, uint32_t side, const tacho_judge_options *o,
               tacho_judged_side *out)
{
    size_t n = 0;
    double *values = tacho_mem_zalloc(count ? count : 1, sizeof *values);
    *out = (tacho_judged_side){.dip = NAN,
                               .dip_p = NAN,
                               .group_low = NAN,
                               .group_high = NAN,
                               .group_high_share = NAN,
                               .layout_share = NAN};
    if (!values)
        return -1;
    for (size_t i = 0; i < count; i++)
        if (samples[i].side == side && isnan(samples[i].value))
            out->missing++;
        else if (samples[i].side == side)
            values[n++] = samples[i].value;
    numbers_sort(values, n);
    int failed = tacho_distribution_compute(values, n, &out->values) || find_modes(values, n, o, out);
    tacho_mem_free(values);
    return failed ? -1 : 0;
}

/* ---- outliers ---- */

int shape_outliers(const tacho_sample *samples, size_t count, tacho_judgement *out)
{
    size_t capacity = 0;
    for (size_t i = 0; i < count; i++) {
        const tacho_distribution *d = &out->sides[samples[i].side].values;
        double value = samples[i].value, range = d->q3 - d->q1;
        double beyond = fmax(d->q1 - value, value - d->q3); /* NaN: no value */
        if (isnan(value) || d->count < OUTLIER_MIN_SAMPLES || !(beyond > 1.5 * range))
            continue;
        if (tacho_mem_grow(&out->outliers, &capacity, out->outlier_count + 1, sizeof *out->outliers))
            return -1;
        out->outliers[out->outlier_count++] = (tacho_outlier){i, beyond > 3 * range};
    }
    return 0;
}

/* ---- drift ---- */

int shape_drift(const tacho_sample *samples, size_t count, const tacho_judge_options *o, tacho_judgement *out)
{
    size_t n = 0;
    double *values = tacho_mem_zalloc(count ? 2 * count : 1, sizeof *values);
    out->drifts = false;
    out->drift_rho = out->drift_p = out->drift_change = NAN;
    if (!values)
        return -1;
    double *times = values + count;
    for (size_t i = 0; i < count; i++)
        if (!isnan(samples[i].value)) {
            times[n] = (double)i;
            values[n++] = samples[i].value / out->sides[samples[i].side].values.median;
        }
    int failed = 0;
    if (n >= DRIFT_MIN_SAMPLES) {
        failed = tacho_spearman(times, values, n, &out->drift_rho, &out->drift_p);
        double first = numbers_median(values, n / 4), last = numbers_median(values + n - n / 4, n / 4);
        out->drift_change = last / first - 1;
        out->drifts = out->drift_p < seldom && fabs(out->drift_change) > o->threshold / 4;
    }
    tacho_mem_free(values);
    return failed ? -1 : 0;
}
