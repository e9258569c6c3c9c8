/* ratio.c - the ratio of two medians, with the interval of a bootstrap that draws whole units.
 *
 * A resample is how often each unit was drawn; the values are sorted once, so that a resample's median is
 * found by walking over them. */

#include "base/mem.h"
#include "base/number.h"
#include "study/stats/resample.h"

typedef struct side {
    size_t count, units;
    const tacho_sided_value *sorted;
    const uint32_t *drawn; /* by unit */
} side;

ORDER_AS(by_side_and_value, tacho_sided_value,
         ORDER(a->side, b->side) ?: ORDER(a->value, b->value) ?: ORDER(a->unit, b->unit));

/* NaN where nothing was drawn. */
static double median(const side *s)
{
    const tacho_sided_value *sorted = s->sorted;
    uint64_t all = 0, below = 0;
    for (size_t i = 0; i < s->count; i++)
        all += s->drawn[sorted[i].unit];
    double lower = NAN;
    for (size_t i = 0; i < s->count && all; i++) {
        below += s->drawn[sorted[i].unit];
        if (isnan(lower) && 2 * below >= all)
            lower = sorted[i].value;
        if (2 * below > all)
            return (lower + sorted[i].value) / 2;
    }
    return lower;
}

static int check(const tacho_sided_value *values, size_t count, double confidence, uint32_t resamples,
                 tacho_error *err)
{
    size_t of_side[2] = {0, 0};
    if (!(confidence > 0 && confidence < 1) || !resamples || resamples > TACHO_MAX_RESAMPLES ||
        count > INT32_MAX)
        return tacho_error_set(err, TACHO_ERR_USAGE,
                               "confidence between 0 and 1, 1 to %d resamples, at most %d values",
                               TACHO_MAX_RESAMPLES, INT32_MAX);
    for (size_t i = 0; i < count; i++) {
        if (!(values[i].value > 0) || isinf(values[i].value))
            return tacho_error_set(err, TACHO_ERR_USAGE, "a ratio needs values above 0, not %g",
                                   values[i].value);
        if (values[i].side > 1 || values[i].unit >= count)
            return tacho_error_set(err, TACHO_ERR_USAGE, "no such side, or unit");
        of_side[values[i].side]++;
    }
    if (!of_side[0] || !of_side[1])
        return tacho_error_set(err, TACHO_ERR_USAGE, "a side without values");
    return 0;
}

/* The share to use instead of `share`, for `units` units: tacho_median_ratio_compute says how this is wider
 * than the normal distribution. */
static double widened(double share, size_t units)
{
    double n = (double)units;
    return tacho_normal_below(tacho_student_quantile(share, n - 1) * sqrt(n / (n - 1)));
}

static void interval(const double *sorted, size_t count, size_t units, double confidence,
                     tacho_median_ratio *out)
{
    const double one_sigma = tacho_normal_below(1);
    double end = widened((1 + confidence) / 2, units), middle = widened(one_sigma, units);
    out->ratio.low = tacho_quantile(sorted, count, 1 - end);
    out->ratio.high = tacho_quantile(sorted, count, end);
    out->standard_error =
        (tacho_quantile(sorted, count, middle) - tacho_quantile(sorted, count, 1 - middle)) / 2 /
        out->ratio.value;
}

static void resample(side sides[2], uint32_t *drawn[2], bool paired, uint64_t seed, uint32_t resamples,
                     double *ratios)
{
    for (uint32_t r = 0; r < resamples; r++) {
        resample_draw(drawn[0], sides[0].units, seed, paired ? r : 2 * r);
        if (!paired)
            resample_draw(drawn[1], sides[1].units, seed, 2 * r + 1);
        ratios[r] = median(&sides[1]) / median(&sides[0]);
    }
    numbers_sort(ratios, resamples);
}

/* `sorted`: by side and value. */
static int compute(const tacho_sided_value *sorted, size_t count, bool paired, double confidence,
                   uint32_t resamples, uint64_t seed, tacho_median_ratio *out)
{
    side sides[2] = {{.sorted = sorted}, {0}};
    TACHO_MEM_FREED uint32_t *drawn = tacho_mem_zalloc(2 * count, sizeof *drawn);
    TACHO_MEM_FREED double *ratios = tacho_mem_zalloc(resamples, sizeof *ratios);
    if (drawn && ratios) {
        uint32_t *of_side[2] = {drawn, paired ? drawn : drawn + count};
        for (size_t i = 0; i < count; i++) {
            side *s = &sides[sorted[i].side];
            s->sorted = s->count++ ? s->sorted : &sorted[i];
            s->units = sorted[i].unit >= s->units ? sorted[i].unit + 1 : s->units;
        }
        for (size_t i = 0; i < 2 * count; i++)
            drawn[i] = 1;
        sides[0].drawn = of_side[0];
        sides[1].drawn = of_side[1];
        *out = (tacho_median_ratio){{median(&sides[1]) / median(&sides[0]), NAN, NAN}, NAN};
        size_t units = sides[0].units < sides[1].units ? sides[0].units : sides[1].units;
        if (units >= TACHO_RATIO_MIN_UNITS) {
            resample(sides, of_side, paired, seed, resamples, ratios);
            interval(ratios, resamples, units, confidence, out);
        }
    }
    return drawn && ratios ? 0 : TACHO_ERR_MEMORY;
}

int tacho_median_ratio_compute(const tacho_sided_value *values, size_t count, bool paired, double confidence,
                               uint32_t resamples, uint64_t seed, tacho_median_ratio *out, tacho_error *err)
{
    int rc = check(values, count, confidence, resamples, err);
    if (rc)
        return rc;
    TACHO_MEM_FREED tacho_sided_value *sorted = tacho_mem_zalloc(count, sizeof *sorted);
    if (sorted) {
        memcpy(sorted, values, count * sizeof *sorted);
        tacho_sort(sorted, count, sizeof *sorted, by_side_and_value);
    }
    rc = sorted ? compute(sorted, count, paired, confidence, resamples, seed, out) : TACHO_ERR_MEMORY;
    return rc ? tacho_no_memory(err) : 0;
}
