/* bench_suite.c - all benchmarks together: the geometric mean of their ratios. */
#include <math.h>

#include "base/numbers.h"
#include "study/import/bench_internal.h"

static bool counts(const tacho_benchmark_change *c, bool with_error)
{
    return !isnan(c->ratio) && (!with_error || isfinite(c->standard_error));
}

/* The standard error of the mean of logarithms over all benchmarks, by how much that of one run differs from
 * that of another: what all benchmarks of a run have in common is in it. NaN where runs are not the units, or
 * not the same ones everywhere. */
static double error_of_side(const tacho_benchmarks_result *r, const bench_evidence *e, int side)
{
    double sum = 0, squares = 0;
    uint32_t runs = r->runs[side];
    for (size_t i = 0; i < r->count; i++)
        if (counts(&r->list[i], true) && (!r->list[i].by_runs || r->list[i].units[side] != runs))
            return NAN;
    for (uint32_t run = 0; run < runs; run++) {
        double of_run = 0;
        for (size_t i = 0; i < r->count; i++)
            of_run += counts(&r->list[i], true) ? e[i].logs[side][run] : 0;
        of_run /= (double)r->suite_count;
        sum += of_run;
        squares += of_run * of_run;
    }
    double n = runs, variance = fmax(0, (squares - sum * sum / n) / (n - 1));
    return sqrt(variance / n);
}

void bench_suite(tacho_benchmarks_result *r, const bench_evidence *e, double confidence)
{
    double sum = 0, squares = 0;
    bool known = false;
    for (size_t i = 0; i < r->count; i++)
        known |= counts(&r->list[i], true);
    for (size_t i = 0; i < r->count; i++)
        if (counts(&r->list[i], known)) {
            r->suite_count++;
            sum += log(r->list[i].ratio);
            squares += known ? r->list[i].standard_error * r->list[i].standard_error : NAN;
        }
    double n = (double)r->suite_count, mean = sum / n, error = sqrt(squares) / n;
    double far = tacho_normal_quantile((1 + confidence) / 2) * error;
    uint32_t fewer = r->runs[0] < r->runs[1] ? r->runs[0] : r->runs[1];
    if (known && fewer > 1) {
        double by_runs = hypot(error_of_side(r, e, 0), error_of_side(r, e, 1));
        far = fmax(far, tacho_student_quantile((1 + confidence) / 2, fewer - 1) * by_runs); /* NaN: not */
    }
    r->suite = (tacho_estimate){exp(mean), exp(mean - far), exp(mean + far)};
}
