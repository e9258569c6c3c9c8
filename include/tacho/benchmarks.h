/* benchmarks.h - results of benchmarks as other tools write them, and two such results compared: a verdict
 * for each benchmark, and the suite.
 *
 * Read are the JSON of hyperfine (--export-json), Google Benchmark (--benchmark_out), criterion (the files
 * sample.json and benchmark.json below target/criterion) and pytest-benchmark (--benchmark-json), and what
 * tacho_benchmarks_write has written. doc/COMPARE.md says how they are judged.
 *
 * Tools: may change with each minor version. */
#ifndef TACHO_BENCHMARKS_H
#define TACHO_BENCHMARKS_H

#include "compare.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Which time, where a result has several. */
typedef enum tacho_benchmark_time {
    TACHO_BENCHMARK_AUTO = 0, /**< Google Benchmark: the processor's, but for benchmarks that say that they
                                   use real or manual time; the others have one */
    TACHO_BENCHMARK_CPU,
    TACHO_BENCHMARK_ELAPSED
} tacho_benchmark_time;

typedef struct tacho_benchmark {
    const char *name;
    const double *seconds; /**< samples, in the order in which they were taken, run by run */
    const uint32_t *runs;  /**< of each: the run of the suite that it is of, from 0, ascending */
    size_t count;
    uint32_t run_count;
    const char *trouble; /**< why there are no samples, or fewer; NULL: nothing is known to be wrong */
} tacho_benchmark;

typedef struct tacho_benchmarks {
    const char *tool;            /**< "hyperfine", "google-benchmark", "criterion", "pytest-benchmark",
                                      "tacho" (a saved baseline), "several" */
    const tacho_benchmark *list; /**< by name */
    size_t count;
    size_t files;          /**< that were read */
    char *const *warnings; /**< sentences for people */
    size_t warning_count;
} tacho_benchmarks;

/** Reads a file, or all files of a folder whose names end in .json, and of those below it: each file that has
 *  a benchmark again is a further run of the suite. Of criterion's folders only those called "new" are read.
 *  @return 0 and *out, to be freed; TACHO_ERR_INPUT (it cannot be read, is damaged, of no known format, or
 * has no samples), TACHO_ERR_MEMORY */
TACHO_API int tacho_benchmarks_read(tacho_benchmarks **out, const char *path, tacho_benchmark_time time,
                                    tacho_error *err);
TACHO_API void tacho_benchmarks_free(tacho_benchmarks *b);
/** All samples as JSON, which tacho_benchmarks_read reads. @return 0 and *out, to be freed with
 *  tacho_benchmarks_text_free; TACHO_ERR_MEMORY */
TACHO_API int tacho_benchmarks_write(const tacho_benchmarks *b, char **out, tacho_error *err);
TACHO_API void tacho_benchmarks_text_free(char *text);

/** A benchmark on both sides, or on one. */
typedef struct tacho_benchmark_change {
    const char *name;                /**< of the new one, where there is one */
    const tacho_benchmark *sides[2]; /**< old, new; NULL: it is not there */
    double medians[2];               /**< seconds; NaN where there are no samples */
    tacho_verdict verdict;           /**< of new compared with old; NONE: too few samples */
    bool interesting;                /**< faster or slower, by more than the threshold */
    double ratio, low, high;         /**< median of new by median of old, and its interval; NaN: not known */
    double p_value;                  /**< that there is no difference; NaN where there are too few samples */
    double q_value; /**< the share of false discoveries, were this the last p-value that counts as one (Y.
                         Benjamini, Y. Hochberg, 1995); NaN as before */
    double standard_error; /**< of the ratio, relative; NaN: not known */
    uint32_t units[2];     /**< samples, groups of samples, or runs that it rests on */
    bool by_runs;          /**< runs of the suite are the units */
} tacho_benchmark_change;

/** What the spread of runs is known by. */
typedef enum tacho_run_spread {
    TACHO_RUN_SPREAD_NONE = 0, /**< too few benchmarks, or runs, to find out */
    TACHO_RUN_SPREAD_RUNS,     /**< how much runs of one side differ */
    TACHO_RUN_SPREAD_SUITE     /**< how much most benchmarks differ between the sides */
} tacho_run_spread;
/** "none", "runs", "suite". */
TACHO_API const char *tacho_run_spread_name(tacho_run_spread by);

typedef struct tacho_benchmarks_result {
    const tacho_benchmark_change *list; /**< slower ones first, largest change first, then faster ones, those
                                             without a difference, without a verdict, and of one side only */
    size_t count;
    size_t slower, faster, same, unknown; /**< by verdict, of those on both sides */
    size_t interesting_slower, interesting_faster;
    size_t gone, fresh;   /**< only old, only new */
    tacho_estimate suite; /**< geometric mean of the ratios, and its interval; NaN: not known */
    size_t suite_count;   /**< benchmarks that it is of */
    double run_spread;    /**< what runs of the same code differ by beyond what their samples show: a standard
                               deviation, relative to the time. It widens intervals. NaN: not known */
    tacho_run_spread run_spread_by;
    uint32_t runs[2]; /**< of the suite: the most that a benchmark has */
} tacho_benchmarks_result;

/** Compares all benchmarks that both sides have, by name; where each side has a single one, these. `options`:
 * confidence (and with it the share of false discoveries), threshold, resamples, seed. `threads`: 0 counts
 * as 1.
 *  @return 0 and *out, to be freed before the sides; TACHO_ERR_USAGE, TACHO_ERR_MEMORY */
TACHO_API int tacho_benchmarks_judge(const tacho_benchmarks *old_side, const tacho_benchmarks *new_side,
                                     const tacho_judge_options *options, unsigned threads,
                                     tacho_benchmarks_result **out, tacho_error *err);
TACHO_API void tacho_benchmarks_result_free(tacho_benchmarks_result *r);

#ifdef __cplusplus
}
#endif
#endif
