/* bench_noise.c - how much more than its samples say a benchmark's time varies.
 *
 * Samples of one process are alike: they share what was going on then, and the process's layout and data.
 * Taken for independent, they would find a difference between any two runs of the same program. So neighbours
 * are put together, what likeness is left enlarges the standard error, and what runs of the same code differ
 * by is added to it, as in a meta-analysis (R. DerSimonian, N. Laird, "Meta-Analysis in Clinical Trials",
 * 1986): a spread of runs, relative and the same for all benchmarks, such that differences between runs, in
 * their standard errors, are as large as chance makes them. Where each side has one run, those between the
 * sides are taken: most benchmarks are the same on both. */
#include <math.h>

#include "base/mem.h"
#include "base/numbers.h"
#include "study/import/bench_internal.h"

enum {
    FEWEST = 10, /* differences, to tell how large they usually are */
    RESAMPLES = 400
};

/* ---- what samples say ---- */

int bench_units_of(const tacho_benchmark *b, uint32_t run, double *out)
{
    size_t from, to;
    COUNT_BEFORE(from, b->count, b->runs[from] < run);
    COUNT_BEFORE(to, b->count, b->runs[to] <= run);
    size_t count = to - from, units = count < BENCH_MAX_UNITS ? count : BENCH_MAX_UNITS;
    double *room = tacho_mem_zalloc(count / BENCH_MAX_UNITS + 2, sizeof *room);
    if (!room)
        return -1;
    for (size_t u = 0; u < units; u++) {
        size_t first = from + count * u / units, end = from + count * (u + 1) / units;
        for (size_t i = first; i < end; i++)
            room[i - first] = b->seconds[i];
        out[u] = numbers_median(room, end - first);
    }
    tacho_mem_free(room);
    return (int)units;
}

/* Of a first-order autoregression with the correlation r of neighbours, n values tell as much as
 * n (1 - r) / (1 + r) independent ones. */
double bench_memory_of(const double *units, size_t count)
{
    double most = 0.95, r = count >= FEWEST ? tacho_pearson(units, units + 1, count - 1) : 0;
    r = r > most ? most : r;
    return r > 1 / sqrt((double)count) ? sqrt((1 + r) / (1 - r)) : 1;
}

static int contrast(double units[2][BENCH_MAX_UNITS], const int counts[2], uint64_t seed, bench_difference *d,
                    tacho_error *err)
{
    tacho_sided_value values[2 * BENCH_MAX_UNITS];
    tacho_median_ratio ratio;
    size_t n = 0;
    for (uint32_t side = 0; side < 2; side++)
        for (int i = 0; i < counts[side]; i++)
            values[n++] = (tacho_sided_value){units[side][i], side, (uint32_t)i};
    int rc = tacho_median_ratio_compute(values, n, false, 0.95, RESAMPLES, seed, &ratio, err);
    if (!rc)
        *d = (bench_difference){log(ratio.ratio.value), ratio.standard_error, 2};
    return rc;
}

int bench_contrasts(const tacho_benchmark *b, uint64_t seed, bench_evidence *e, tacho_error *err)
{
    double units[2][BENCH_MAX_UNITS];
    int counts[2], rc = 0;
    for (uint32_t run = 0; !rc && run + 1 < b->run_count && e->contrast_count < BENCH_MAX_CONTRASTS; run++) {
        bench_difference *d = &e->contrasts[e->contrast_count];
        for (uint32_t i = 0; i < 2; i++)
            if ((counts[i] = bench_units_of(b, run + i, units[i])) < 0)
                return tacho_no_memory(err);
        rc = contrast(units, counts, seed, d, err);
        d->error *= e->memory;
        e->contrast_count += !rc && !isnan(d->error);
    }
    return rc;
}

/* ---- what runs differ by ---- */

static double error_of(const bench_difference *d, double spread)
{
    return sqrt(d->error * d->error + d->runs * spread * spread);
}

/* How large differences are, in their standard errors, relative to those by chance: the median one, or, where
 * some runs are disturbed more than others, those that only a fifth exceed. */
static double size_of(const bench_difference *d, size_t count, double centre, double spread, double *room)
{
    const double high = 0.8;
    for (size_t i = 0; i < count; i++) {
        double far = fabs(d[i].far - centre), error = error_of(&d[i], spread);
        room[i] = far > 0 ? far / error : 0;
    }
    double median = numbers_median(room, count); /* sorts them */
    return fmax(median / tacho_normal_quantile(0.75),
                numbers_quantile(room, count, high) / tacho_normal_quantile((1 + high) / 2));
}

/* The spread with which differences are as large as by chance. `centred`: but for what they have in common.
 */
static double solve(const bench_difference *d, size_t count, bool centred, double *room)
{
    double low = 0, high = 1;
    for (size_t i = 0; i < count; i++)
        room[i] = d[i].far;
    double centre = centred ? numbers_median(room, count) : 0;
    if (size_of(d, count, centre, 0, room) <= 1)
        return 0;
    while (high < 1e6 && size_of(d, count, centre, high, room) > 1)
        high *= 2;
    for (int step = 0; step < 50; step++) {
        double middle = (low + high) / 2;
        *(size_of(d, count, centre, middle, room) > 1 ? &low : &high) = middle;
    }
    return high;
}

static bench_difference difference_of_sides(const tacho_benchmark_change *c, const bench_evidence *e)
{
    double runs = c->by_runs ? 0 : 1.0 / c->sides[0]->run_count + 1.0 / c->sides[1]->run_count;
    return (bench_difference){log(c->ratio), e->error * e->memory, runs};
}

static bool has_error(const tacho_benchmark_change *c, const bench_evidence *e)
{
    return !isnan(c->ratio) && !isnan(e->error);
}

int bench_spread(tacho_benchmarks_result *r, const bench_evidence *e)
{
    size_t of_runs = 0, of_sides = 0, most = r->count * (BENCH_MAX_CONTRASTS + 1) + 1;
    bench_difference *d = tacho_mem_zalloc(most, sizeof *d);
    double *room = tacho_mem_zalloc(most, sizeof *room);
    if (d && room) {
        for (size_t i = 0; i < r->count; i++)
            for (size_t k = 0; k < e[i].contrast_count; k++)
                d[of_runs++] = e[i].contrasts[k];
        for (size_t i = 0; of_runs < FEWEST && i < r->count; i++)
            if (!r->list[i].by_runs && has_error(&r->list[i], &e[i]))
                d[of_sides++] = difference_of_sides(&r->list[i], &e[i]);
        r->run_spread_by = of_runs >= FEWEST    ? TACHO_RUN_SPREAD_RUNS
                           : of_sides >= FEWEST ? TACHO_RUN_SPREAD_SUITE
                                                : TACHO_RUN_SPREAD_NONE;
        r->run_spread = of_runs >= FEWEST    ? solve(d, of_runs, false, room)
                        : of_sides >= FEWEST ? solve(d, of_sides, true, room)
                                             : NAN;
    }
    int failed = !d || !room;
    TACHO_MEM_FREE(d, room);
    return failed ? TACHO_ERR_MEMORY : 0;
}

/* Of a variance that is the sum of two (F. Satterthwaite, 1946): what is independent among the units, less
 * what the two medians take; and of the spread, which is not the same for all benchmarks, and still less so
 * where it was found from the differences that are to be judged, as if it came from so few runs of each. */
static double freedom_of(const tacho_benchmarks_result *r, const tacho_benchmark_change *c,
                         const bench_evidence *e, double error, double total)
{
    double own = fmax(1, (c->units[0] + c->units[1]) / (e->memory * e->memory) - 2);
    double of_spread = r->run_spread_by == TACHO_RUN_SPREAD_SUITE ? 4 : 8;
    double samples = error * error / (total * total), spread = 1 - samples;
    return 1 / (samples * samples / own + spread * spread / of_spread);
}

void bench_widen(const tacho_benchmarks_result *r, tacho_benchmark_change *c, const bench_evidence *e)
{
    if (!has_error(c, e))
        return;
    bench_difference d = difference_of_sides(c, e);
    double total = error_of(&d, isnan(r->run_spread) ? 0 : r->run_spread), factor = total / e->error;
    c->standard_error = total;
    if (!(total > e->error))
        return;
    double z = fabs(d.far) / total, freedom = freedom_of(r, c, e, d.error, total);
    c->p_value = fmax(c->p_value, 2 * tacho_student_below(-z, freedom));
    if (e->error > 0) {
        c->low = exp(d.far + factor * log(c->low / c->ratio));
        c->high = exp(d.far + factor * log(c->high / c->ratio));
    } else {
        c->low = exp(d.far + 1.96 * -total);
        c->high = exp(d.far + 1.96 * total);
    }
}
