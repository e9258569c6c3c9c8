/* bench_internal.h - what reading and judging results of benchmarks is made of. */
#ifndef TACHO_IMPORT_BENCH_INTERNAL_H
#define TACHO_IMPORT_BENCH_INTERNAL_H

#include <jansson.h>

#include "base/arena.h"
#include "base/warnings.h"
#include "tacho/benchmarks.h"

/** Samples of one benchmark in one file. */
typedef struct bench_entry {
    const char *name, *trouble;
    uint32_t file;
    size_t number; /* in the order of reading */
    double *seconds;
    size_t count, capacity;
} bench_entry;

/** What is read, before it is put in order. */
typedef struct bench_list {
    tacho_benchmarks out; /* first: the public pointer is to this */
    bench_entry *entries;
    size_t count, capacity;
    warnings warnings;
    arena memory; /* of texts */
    tacho_benchmark *benchmarks;
    double *seconds; /* of all benchmarks */
    uint32_t *runs;
    tacho_benchmark_time time;
    uint32_t file;  /* that is read now */
    size_t dropped; /* values that are no times */
} bench_list;

/* bench_list.c */
/** The entry of that name in the file that is read; made if `new_one`, or if the last entry is another one.
 *  @return NULL: no memory */
bench_entry *bench_entry_of(bench_list *l, const char *name, bool new_one);
/** @return -1: no memory */
int bench_add(bench_list *l, bench_entry *e, double seconds);
/** Remembers the first trouble. @return -1: no memory */
int bench_trouble(bench_list *l, bench_entry *e, const char *format, ...) TACHO_PRINTF(3, 4);
int bench_warn(bench_list *l, const char *format, ...) TACHO_PRINTF(2, 3);
/** Puts all in order: sets `out`. @return 0, TACHO_ERR_MEMORY */
int bench_finish(bench_list *l);
void bench_list_free(bench_list *l);

/* bench_formats.c */
typedef struct bench_format {
    const char *tool;
    bool (*is)(const json_t *root);
    /** `named`: criterion's benchmark.json, or NULL. @return 0, TACHO_ERR_INPUT with a message without the
     * file's name, TACHO_ERR_MEMORY without one */
    int (*take)(bench_list *l, const json_t *root, const char *name, tacho_error *err);
} bench_format;
/** @return NULL: of none */
const bench_format *bench_format_of(const json_t *root);
/** The name in criterion's benchmark.json; NULL */
const char *bench_criterion_name(const json_t *root);
extern const bench_format bench_criterion;
json_t *bench_saved_json(const tacho_benchmarks *b);

/** How much two sides, or runs, differ: logarithms. */
typedef struct bench_difference {
    double far, error; /* and its standard error, as the samples say */
    double runs;       /* a run's own variance is in it so many times */
} bench_difference;

/** What is known of a benchmark besides its change. */
enum {
    BENCH_MAX_UNITS = 40, /* of a run: neighbours are put together until there are no more */
    BENCH_MAX_CONTRASTS = 8
};
typedef struct bench_evidence {
    double error;    /* of the logarithm of the ratio, as the samples say */
    double memory;   /* it is larger by this factor, as neighbours are alike */
    double *logs[2]; /* with by_runs: of each run the logarithm of its median */
    bench_difference contrasts[BENCH_MAX_CONTRASTS]; /* of runs of one side */
    size_t contrast_count;
} bench_evidence;

/* bench_noise.c */
/** What is independent of each other in a run, or as near to it as can be had: medians of neighbours. `out`
 * has room for BENCH_MAX_UNITS. @return how many; -1: no memory */
int bench_units_of(const tacho_benchmark *b, uint32_t run, double *out);
/** By how much the standard error is larger because neighbours are alike: of `count` units in their order. */
double bench_memory_of(const double *units, size_t count);
/** Adds the differences of neighbouring runs. @return 0, TACHO_ERR_MEMORY */
int bench_contrasts(const tacho_benchmark *b, uint64_t seed, bench_evidence *e, tacho_error *err);
/** Finds the spread of runs, by all differences of runs, or by all benchmarks. @return 0, TACHO_ERR_MEMORY */
int bench_spread(tacho_benchmarks_result *r, const bench_evidence *e);
/** Widens the interval and raises the p-value by what the samples do not show. */
void bench_widen(const tacho_benchmarks_result *r, tacho_benchmark_change *c, const bench_evidence *e);

/* bench_suite.c */
/** The geometric mean of the ratios; standard errors are those of the changes. */
void bench_suite(tacho_benchmarks_result *r, const bench_evidence *e, double confidence);

#endif
