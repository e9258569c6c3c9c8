/* curve.c - what the runs of a series say: its curve, spikes, period and correlations. Values are logarithms,
 * so that differences are ratios. */

#include "base/mem.h"
#include "base/number.h"
#include "program/bias/bias_internal.h"

enum {
    POLISH_ROUNDS = 4
};

/* Of those that are numbers; the list is sorted. */
static double median_of(double *values, size_t count)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(values[i]))
            values[n++] = values[i];
    return numbers_median(values, n);
}

static double value_at(const bias_series *s, uint32_t pass, uint32_t place)
{
    return s->values[(size_t)pass * s->count + place];
}

/* Medians of places and of passes in turn (J. Tukey, "Exploratory Data Analysis", 1977, chapter 11): what a
 * whole pass was slower by is no property of a place. */
static void polish(bias_series *s, double *scratch)
{
    for (int round = 0; round < POLISH_ROUNDS; round++) {
        for (uint32_t i = 0; i < s->count; i++) {
            for (uint32_t p = 0; p < s->passes; p++)
                scratch[p] = value_at(s, p, i) - s->offsets[p];
            s->medians[i] = median_of(scratch, s->passes);
        }
        for (uint32_t p = 0; p < s->passes; p++) {
            for (uint32_t i = 0; i < s->count; i++)
                scratch[i] = value_at(s, p, i) - s->medians[i];
            double offset = median_of(scratch, s->count);
            s->offsets[p] = isnan(offset) ? 0 : offset;
        }
    }
}

/* A robust standard deviation of runs about their places' medians. */
static double noise_of(const bias_series *s, double *scratch)
{
    size_t n = 0;
    for (uint32_t p = 0; p < s->passes; p++)
        for (uint32_t i = 0; i < s->count; i++)
            scratch[n++] = fabs(value_at(s, p, i) - s->offsets[p] - s->medians[i]);
    double freedom = s->passes > 1 ? sqrt((double)s->passes / (s->passes - 1)) : NAN;
    return 1.4826 * median_of(scratch, n) * freedom;
}

static void put_counters(bias *b, const bias_series *s, uint32_t place, double *out, double *scratch)
{
    uint32_t counters = b->result.counter_count;
    for (uint32_t c = 0; c < counters; c++) {
        for (uint32_t p = 0; p < s->passes; p++)
            scratch[p] = s->counters[((size_t)p * s->count + place) * counters + c];
        out[c] = median_of(scratch, s->passes);
    }
}

static int put_points(bias *b, bias_series *s, double *scratch)
{
    tacho_bias_point *points = bias_alloc(b, s->count * sizeof *points);
    double *counters = bias_alloc(b, s->count * b->result.counter_count * sizeof *counters);
    if (!points || !counters)
        return TACHO_ERR_MEMORY;
    for (uint32_t i = 0; i < s->count; i++) {
        double *own = counters + (size_t)i * b->result.counter_count;
        put_counters(b, s, i, own, scratch);
        points[i] = (tacho_bias_point){.position = s->places[i].position,
                                       .label = s->places[i].label,
                                       .value = exp(s->medians[i]),
                                       .ratio = exp(s->medians[i] - s->centre),
                                       .counters = own};
        for (uint32_t p = 0; p < s->passes; p++)
            points[i].runs += !isnan(value_at(s, p, i));
    }
    s->out->points = points;
    s->out->point_count = s->count;
    return 0;
}

int curve_smooth(bias *b, bias_series *s)
{
    size_t most = (size_t)s->passes * s->count + s->count + s->passes;
    double *scratch = bias_alloc(b, (most + 1) * sizeof *scratch);
    if (!scratch)
        return TACHO_ERR_MEMORY;
    polish(s, scratch);
    s->noise = noise_of(s, scratch);
    memcpy(scratch, s->medians, s->count * sizeof *scratch);
    s->centre = median_of(scratch, s->count);
    s->out->median = exp(s->centre);
    s->out->noise = s->noise;
    s->out->passes = s->passes;
    s->out->step_bytes = s->step_bytes;
    return put_points(b, s, scratch);
}

/* ---- spikes ---- */

/* Those whose slowness is none of chance, at most a share of 5 % of them falsely, and large enough. */
int curve_spikes(bias *b, bias_series *s)
{
    /* Beside a large effect a small one is no spike. */
    const double false_share = 0.05,
                 threshold = fmax(log1p(b->options.threshold), log(s->out->loss.value) / 4);
    double *p = bias_alloc(b, s->count * sizeof *p), *q = bias_alloc(b, s->count * sizeof *q);
    tacho_bias_point *points = bias_alloc(b, s->count * sizeof *points);
    if (!p || !q || !points)
        return TACHO_ERR_MEMORY;
    memcpy(points, s->out->points, s->count * sizeof *points);
    for (uint32_t i = 0; i < s->count; i++) {
        double above = s->medians[i] - s->centre;
        /* of a median of so many: with normal noise, wider than a mean's by the root of pi / 2 */
        double error = s->noise * sqrt(acos(-1) / 2 / fmax(1, points[i].runs));
        bool known = points[i].runs > 1 && !isnan(above);
        p[i] = known ? 0.5 * erfc(above / fmax(error, 1e-12) / sqrt(2)) : 1;
    }
    if (tacho_false_discovery(p, s->count, q))
        return tacho_no_memory(b->err);
    for (uint32_t i = 0; i < s->count; i++)
        points[i].spike = q[i] <= false_share && s->medians[i] - s->centre > threshold;
    s->out->points = points;
    int rc = confirm_spikes(b, s, points);
    /* The slowest has had more runs of its own. */
    points[s->out->slow].spike |= s->out->loss.low > 1 && log(s->out->loss.value) > threshold;
    return rc;
}

/* ---- period ---- */

double curve_period(const bias_series *s)
{
    const double apart = 0.3, alike = 0.6;
    bool left = false;
    double best = NAN, highest = 0;
    /* Twice within the curve, or it could be anything. */
    for (uint32_t d = 1; d <= s->count / 2; d++) {
        double r = tacho_pearson(s->medians, s->medians + d, s->count - d);
        /* What chance gives is the less likely the more points there are. */
        double needed = fmax(alike, 4 / sqrt(s->count - d));
        if (!left) {
            left = !(r >= apart); /* where nothing varies there is no likeness either */
            continue;
        }
        if (r > highest && r >= needed) {
            highest = r;
            best = d;
        } else if (!isnan(best) && !(r >= apart)) {
            break; /* behind the first peak */
        }
    }
    return best;
}

/* ---- correlations ---- */

static int by_strength(const void *a, const void *b)
{
    const tacho_bias_correlation *x = a, *y = b;
    double p = isnan(x->pearson) ? -1 : fabs(x->pearson), q = isnan(y->pearson) ? -1 : fabs(y->pearson);
    return ORDER(q, p);
}

int curve_correlate(bias *b, bias_series *s)
{
    uint32_t counters = b->result.counter_count, n = 0;
    tacho_bias_correlation *list = bias_alloc(b, counters * sizeof *list);
    double *both = bias_alloc(b, 2 * s->count * sizeof *both);
    if (!list || !both)
        return TACHO_ERR_MEMORY;
    for (uint32_t c = 0; c < counters; c++) {
        const char *name = b->result.counter_names[c];
        bool same = !strcmp(name, b->result.metric);
        if (same)
            continue;
        uint32_t known = 0;
        for (uint32_t i = 0; i < s->count; i++) {
            const tacho_bias_point *p = &s->out->points[i];
            if (isnan(p->value) || isnan(p->counters[c]))
                continue;
            both[known] = p->value;
            both[s->count + known++] = p->counters[c];
        }
        double probability;
        list[n] = (tacho_bias_correlation){name, tacho_pearson(both, both + s->count, known), NAN};
        if (tacho_spearman(both, both + s->count, known, &list[n].spearman, &probability))
            return tacho_no_memory(b->err);
        n++;
    }
    tacho_sort(list, n, sizeof *list, by_strength);
    s->out->correlations = list;
    s->out->correlation_count = n;
    return 0;
}
