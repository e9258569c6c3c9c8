/* compare_judge.c - the verdict on samples: the interval of the ratio and a rank test must agree that there
 * is a difference, or, of few units, the sides must be far apart; doc/COMPARE.md says why. */
#include <math.h>

#include "base/mem.h"
#include "base/names.h"
#include "base/options_take.h"
#include "program/compare/compare_internal.h"

/* ---- few units ---- */

/* A verdict on fewer units than the rank test of units needs: where all values of one side lie
 * far beyond all of the other.
 *
 * What it takes for granted beyond what the blocks do: that runs are independent of each other. Then the rank
 * sum's probability holds, and the ratios of the furthest and of the nearest values are an interval of at
 * least the same confidence (J. Hodges, E. Lehmann, "Estimates of Location Based on Rank Tests", 1963) where
 * both sides are equally noisy. Sides that are not widen it: both ends are moved outwards by the larger
 * range. doc/COMPARE.md has how often that is wrong. */

static const double many = 5; /* thresholds that the interval has to be away from 1 */

/* The ends of a side, as logarithms. */
typedef struct ends {
    double low, high;
} ends;

static ends ends_of(const judging *j, uint32_t side)
{
    ends e = {INFINITY, -INFINITY};
    for (size_t i = 0; i < j->value_count; i++)
        if (j->values[i].side == side) {
            e.low = fmin(e.low, log(j->values[i].value));
            e.high = fmax(e.high, log(j->values[i].value));
        }
    return e;
}

/* Of m values of each side, all of one beyond all of the other have the probability 2 m! m! / (2 m)!. */
static uint32_t separation_units_needed(const judging *j, double confidence)
{
    uint32_t values = 0, of_a_unit = j->paired ? JUDGE_RUNS_OF_A_BLOCK / 2 : 1;
    if (j->layout_count)
        return judging_units_needed(confidence);
    for (double p = 2; p > 1 - confidence + 1e-12; values++)
        p *= (values + 1.0) / (4 * values + 2);
    return (values + of_a_unit - 1) / of_a_unit;
}

static int judging_rank_sum(const judging *j, double *p)
{
    size_t n = j->value_count, sides[2] = {0, 0};
    double *room = tacho_mem_zalloc(2 * n + 1, sizeof *room);
    if (!room)
        return -1;
    for (size_t i = 0; i < n; i++) {
        uint32_t side = j->values[i].side;
        room[side * n + sides[side]++] = j->values[i].value;
    }
    int failed = tacho_rank_sum(room, sides[0], room + n, sides[1], p);
    tacho_mem_free(room);
    return failed ? -1 : 0;
}

int separation_judge(const judging *j, const tacho_judge_options *o, separation *out)
{
    *out = (separation){.low = NAN, .high = NAN, .nearest = NAN, .p = NAN};
    ends a = ends_of(j, 0), b = ends_of(j, 1);
    if (j->layout_count || isinf(a.low) || isinf(b.low))
        return 0; /* that runs are apart in some layouts says nothing of others */
    double range = fmax(a.high - a.low, b.high - b.low);
    double low = b.low - a.high - range, high = b.high - a.low + range;
    double least = many * log1p(o->threshold);
    if (!(low > 0 && low >= least) && !(high < 0 && high <= -least))
        return 0;
    double p;
    if (judging_rank_sum(j, &p))
        return -1;
    if (p > 1 - o->confidence + 1e-12)
        return 0;
    double nearest = low > 0 ? b.low - a.high : b.high - a.low;
    *out =
        (separation){.is_clear = true, .low = exp(low), .high = exp(high), .nearest = exp(nearest), .p = p};
    return 0;
}

NAMES_OF(tacho_verdict_name, tacho_verdict, "none", "none", "no_difference", "faster", "slower")

OPTIONS_DEFINE(judge, TACHO_JUDGE_OPTIONS_INIT)

static int check(const tacho_judge_options *o, size_t count, tacho_error *err)
{
    if (!(o->confidence >= 0.5 && o->confidence <= 0.9999) || !(o->threshold >= 0 && o->threshold <= 10))
        return tacho_error_set(err, TACHO_ERR_USAGE,
                               "confidence is from 0.5 to 0.9999, the threshold from 0 to 10");
    if (o->resamples < 100 || o->resamples > TACHO_MAX_RESAMPLES)
        return tacho_error_set(err, TACHO_ERR_USAGE, "100 to %d resamples", TACHO_MAX_RESAMPLES);
    if (!count || count > INT32_MAX)
        return tacho_error_set(err, TACHO_ERR_USAGE, "%s samples", count ? "too many" : "no");
    return 0;
}

/* Of the units' ratios: the caller's. NULL: no memory */
static double *log_ratios(const judging *j)
{
    const judged_unit *units = j->layout_count ? j->layouts : j->blocks;
    double *out = tacho_mem_zalloc((size_t)j->units + 1, sizeof *out);
    for (size_t i = 0; out && i < j->units; i++)
        out[i] = units[i].log_ratio;
    return out;
}

/* By signed ranks, or rank sums of independent samples. @return -1: no memory */
static int rank_test(const judging *j, double *p)
{
    if (!j->paired)
        return judging_rank_sum(j, p);
    double *room = log_ratios(j);
    int failed = !room || tacho_signed_rank(room, j->units, p);
    tacho_mem_free(room);
    return failed ? -1 : 0;
}

/* What the standard error would be by how much the units' own ratios differ, were they distributed normally:
 * a second opinion on one that few units make uncertain. 0 where there is none; -1: no memory */
static double error_by_units(const judging *j)
{
    const double median_to_mean = sqrt(M_PI / 2), mad_to_deviation = 1 / tacho_normal_quantile(0.75);
    tacho_distribution d;
    if (!j->paired)
        return 0;
    double *room = log_ratios(j);
    int failed = !room || tacho_distribution_compute(room, j->units, &d);
    tacho_mem_free(room);
    return failed ? -1 : median_to_mean * mad_to_deviation * d.mad / sqrt(j->units);
}

/* Of values whose ratio is that, and which differ or do not. */
static tacho_verdict verdict_of(const tacho_judge_options *o, bool differ, double ratio, bool *interesting)
{
    *interesting = differ && fabs(ratio - 1) > o->threshold;
    if (!differ)
        return TACHO_VERDICT_NO_DIFFERENCE;
    return (ratio > 1) == o->higher_is_better ? TACHO_VERDICT_FASTER : TACHO_VERDICT_SLOWER;
}

static void conclude(const tacho_judge_options *o, const tacho_median_ratio *ratio, double by_units,
                     tacho_judgement *out)
{
    double freedom = out->units - 1;
    double found =
        tacho_student_quantile((1 + o->confidence) / 2, freedom) + tacho_student_quantile(0.95, freedom);
    out->ratio_low = ratio->ratio.low;
    out->ratio_high = ratio->ratio.high;
    out->standard_error = ratio->standard_error;
    out->detectable = fmax(found * fmax(ratio->standard_error, by_units), out->step);
    bool apart = out->ratio_low > 1 || out->ratio_high < 1;
    out->verdict = verdict_of(o, apart && out->p_value <= 1 - o->confidence, out->ratio, &out->interesting);
}

/* Too few units for that: there is an answer only where the sides are far apart. @return -1: no memory */
static int conclude_few(const judging *j, const tacho_judge_options *o, tacho_judgement *out)
{
    separation s;
    if (separation_judge(j, o, &s))
        return -1;
    if (!s.is_clear)
        return 0;
    out->by_separation = true;
    out->ratio_low = s.low;
    out->ratio_high = s.high;
    out->nearest = s.nearest;
    out->p_value = s.p;
    out->verdict = verdict_of(o, true, out->ratio, &out->interesting);
    return 0;
}

static int weigh(const judging *j, const tacho_judge_options *o, tacho_judgement *out, tacho_error *err)
{
    tacho_median_ratio ratio;
    size_t of_side[2] = {0, 0};
    for (size_t i = 0; i < j->value_count; i++)
        of_side[j->values[i].side]++;
    if (!of_side[0] || !of_side[1])
        return 0;
    int rc = judging_ratio(j, o, o->resamples, &ratio, err);
    if (rc)
        return rc;
    out->ratio = ratio.ratio.value;
    bool few = out->units < out->units_needed;
    double by_units = few ? 0 : error_by_units(j);
    if (few ? conclude_few(j, o, out) : by_units < 0 || rank_test(j, &out->p_value))
        return tacho_no_memory(err);
    if (!few)
        conclude(o, &ratio, by_units, out);
    return 0;
}

static int describe(const tacho_sample *samples, size_t count, const tacho_judge_options *o,
                    tacho_judgement *out)
{
    for (uint32_t side = 0; side < 2; side++)
        if (shape_side(samples, count, side, o, &out->sides[side]))
            return -1;
    bool failed = shape_outliers(samples, count, out) || shape_drift(samples, count, o, out) ||
                  shape_step(samples, count, out);
    return failed ? -1 : 0;
}

int tacho_judge(const tacho_sample *samples, size_t count, bool layouts, const tacho_judge_options *options,
                tacho_judgement *out, tacho_error *err)
{
    tacho_judge_options given;
    const tacho_judge_options *o = &given;
    judging j;
    *out = (tacho_judgement){0};
    int rc = OPTIONS_TAKE(judge, &given, options, err);
    rc = rc ? rc : check(o, count, err);
    rc = rc ? rc : judging_make(&j, samples, count, layouts, err);
    if (rc)
        return rc;
    *out = (tacho_judgement){.confidence = o->confidence,
                             .ratio = NAN,
                             .ratio_low = NAN,
                             .ratio_high = NAN,
                             .p_value = NAN,
                             .standard_error = NAN,
                             .detectable = NAN,
                             .nearest = NAN,
                             .layouts_p = NAN,
                             .paired = j.paired,
                             .blocks = j.block_count,
                             .units = j.units,
                             .units_needed = judging_units_needed(o->confidence),
                             .units_needed_apart = separation_units_needed(&j, o->confidence)};
    if (describe(samples, count, o, out) || (layouts && layouts_judge(&j, o, out)))
        rc = tacho_no_memory(err);
    out->left_out = out->sides[0].values.count + out->sides[1].values.count - j.value_count;
    rc = rc ? rc : weigh(&j, o, out, err);
    judging_free(&j);
    if (rc)
        tacho_judgement_free(out);
    return rc;
}

void tacho_judgement_free(tacho_judgement *j)
{
    tacho_mem_free(j->outliers);
    tacho_mem_free(j->layouts);
    j->outliers = NULL;
    j->layouts = NULL;
    j->outlier_count = j->layout_count = 0;
}
