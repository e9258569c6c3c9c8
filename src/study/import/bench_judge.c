/* bench_judge.c - two results of benchmarks: a verdict for each benchmark that both have, such that few of
 * all differences that are called so are none. doc/COMPARE.md says how and why. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/numbers.h"
#include "base/options_take.h"
#include "base/parallel.h"
#include "base/search.h"
#include "study/compare/compare_internal.h"
#include "study/import/bench_internal.h"

typedef struct bench_judging {
    tacho_benchmarks_result out; /* first: the public pointer is to this */
    tacho_benchmark_change *changes;
    bench_evidence *evidence;
    const tacho_judge_options *options;
} bench_judging;

const char *tacho_run_spread_name(tacho_run_spread by)
{
    static const char *const names[] = {"none", "runs", "suite"};
    return (unsigned)by < sizeof names / sizeof *names ? names[by] : "none";
}

/* ---- one benchmark ---- */

/* The units of a side; room for all of them is at `out`. @return how many; -1: no memory */
static int units_of_side(const tacho_benchmark *b, bool by_runs, double *out, double *memory)
{
    int count = 0;
    double sum = 0;
    for (uint32_t run = 0; run < b->run_count; run++) {
        double units[BENCH_MAX_UNITS];
        int n = bench_units_of(b, run, units);
        if (n < 0)
            return -1;
        sum += bench_memory_of(units, (size_t)n);
        if (by_runs) { /* sorts them */
            out[count++] = numbers_median(units, (size_t)n);
        } else {
            memcpy(out + count, units, (size_t)n * sizeof *units);
            count += n;
        }
    }
    *memory = by_runs ? 1 : sum / b->run_count;
    return count;
}

/* The units of both sides as samples, and what else they say. @return -1: no memory */
static int take_sides(tacho_benchmark_change *c, bench_evidence *e, tacho_sample *samples, double *room)
{
    double memory[2];
    size_t n = 0;
    for (uint32_t side = 0; side < 2; side++) {
        int count = units_of_side(c->sides[side], c->by_runs, room, &memory[side]);
        if (count < 0)
            return -1;
        c->units[side] = (uint32_t)count;
        for (int i = 0; i < count; i++)
            samples[n++] = (tacho_sample){.value = room[i], .side = side, .block = TACHO_NO_BLOCK};
        if (c->by_runs && !(e->logs[side] = tacho_mem_zalloc((size_t)count, sizeof(double))))
            return -1;
        for (int i = 0; c->by_runs && i < count; i++)
            e->logs[side][i] = log(room[i]);
    }
    e->memory = (memory[0] + memory[1]) / 2;
    return 0;
}

static void take_judgement(tacho_benchmark_change *c, bench_evidence *e, const tacho_judgement *j)
{
    uint32_t units = c->units[0] < c->units[1] ? c->units[0] : c->units[1];
    c->ratio = j->ratio;
    c->low = j->ratio_low;
    c->high = j->ratio_high;
    c->p_value = j->verdict == TACHO_VERDICT_NONE && units >= j->units_needed_apart ? 1 : j->p_value;
    e->error = j->standard_error;
    if (j->by_separation) /* the interval is all that there is */
        e->error = log(j->ratio_high / j->ratio_low) / 2 / tacho_normal_quantile((1 + j->confidence) / 2);
}

static int judge_change(tacho_benchmark_change *c, bench_evidence *e, const tacho_judge_options *o,
                        tacho_error *err)
{
    size_t most = 0;
    for (int side = 0; side < 2; side++)
        most += (size_t)c->sides[side]->run_count * BENCH_MAX_UNITS;
    tacho_sample *samples = tacho_mem_zalloc(most, sizeof *samples);
    double *room = tacho_mem_zalloc(most, sizeof *room);
    tacho_judgement j = {0};
    int rc = !samples || !room || take_sides(c, e, samples, room) ? tacho_no_memory(err) : 0;
    rc = rc ? rc : tacho_judge(samples, c->units[0] + c->units[1], false, o, &j, err);
    if (!rc)
        take_judgement(c, e, &j);
    tacho_judgement_free(&j);
    TACHO_MEM_FREE(samples, room);
    for (int side = 0; !rc && !c->by_runs && side < 2; side++)
        rc = bench_contrasts(c->sides[side], o->seed, e, err);
    return rc;
}

static int judge_turn(void *payload, void *state, size_t index, tacho_error *err)
{
    bench_judging *j = payload;
    tacho_benchmark_change *c = &j->changes[index];
    bench_evidence *e = &j->evidence[index];
    const tacho_benchmark *a = c->sides[0], *b = c->sides[1];
    (void)state;
    *e = (bench_evidence){.error = NAN, .memory = 1};
    if (!a || !b || !a->count || !b->count)
        return 0;
    uint32_t needed = judging_units_needed(j->options->confidence);
    c->by_runs = a->run_count >= needed && b->run_count >= needed;
    return judge_change(c, e, j->options, err);
}

/* ---- all of them ---- */

/* Both lists are sorted by name. The only benchmarks of both are one, whatever they are called: hyperfine's
 * name is the command. */
static void match(bench_judging *j, const tacho_benchmarks *a, const tacho_benchmarks *b)
{
    bool only = a->count == 1 && b->count == 1;
    for (size_t i = 0, k = 0; i < a->count || k < b->count;) {
        int order = i == a->count   ? 1
                    : k == b->count ? -1
                    : only          ? 0
                                    : strcmp(a->list[i].name, b->list[k].name);
        const tacho_benchmark *old_one = order <= 0 ? &a->list[i++] : NULL,
                              *new_one = order >= 0 ? &b->list[k++] : NULL;
        j->changes[j->out.count++] = (tacho_benchmark_change){.name = new_one ? new_one->name : old_one->name,
                                                              .sides = {old_one, new_one},
                                                              .medians = {NAN, NAN},
                                                              .ratio = NAN,
                                                              .low = NAN,
                                                              .high = NAN,
                                                              .p_value = NAN,
                                                              .q_value = NAN,
                                                              .standard_error = NAN};
    }
}

static double median_of(const tacho_benchmark *b, double *room)
{
    if (!b || !b->count)
        return NAN;
    memcpy(room, b->seconds, b->count * sizeof *room);
    return numbers_median(room, b->count);
}

/* @return -1: no memory */
static int take_medians(bench_judging *j)
{
    size_t most = 1;
    for (size_t i = 0; i < 2 * j->out.count; i++) {
        const tacho_benchmark *b = j->changes[i / 2].sides[i % 2];
        most = b && b->count > most ? b->count : most;
        j->out.runs[i % 2] = b && b->run_count > j->out.runs[i % 2] ? b->run_count : j->out.runs[i % 2];
    }
    double *room = tacho_mem_zalloc(most, sizeof *room);
    for (size_t i = 0; room && i < 2 * j->out.count; i++)
        j->changes[i / 2].medians[i % 2] = median_of(j->changes[i / 2].sides[i % 2], room);
    tacho_mem_free(room);
    return room ? 0 : -1;
}

static void give_verdict(tacho_benchmark_change *c, const tacho_judge_options *o)
{
    bool differs = c->q_value <= 1 - o->confidence && (c->low > 1 || c->high < 1);
    if (isnan(c->q_value) || isnan(c->low)) /* few samples that are not far apart say nothing */
        return;
    c->verdict = !differs       ? TACHO_VERDICT_NO_DIFFERENCE
                 : c->ratio > 1 ? TACHO_VERDICT_SLOWER
                                : TACHO_VERDICT_FASTER;
    c->interesting = differs && fabs(c->ratio - 1) > o->threshold;
}

static void count_verdicts(tacho_benchmarks_result *r)
{
    for (size_t i = 0; i < r->count; i++) {
        const tacho_benchmark_change *c = &r->list[i];
        size_t *count = !c->sides[0]                                ? &r->fresh
                        : !c->sides[1]                              ? &r->gone
                        : c->verdict == TACHO_VERDICT_SLOWER        ? &r->slower
                        : c->verdict == TACHO_VERDICT_FASTER        ? &r->faster
                        : c->verdict == TACHO_VERDICT_NO_DIFFERENCE ? &r->same
                                                                    : &r->unknown;
        ++*count;
        r->interesting_slower += c->interesting && c->verdict == TACHO_VERDICT_SLOWER;
        r->interesting_faster += c->interesting && c->verdict == TACHO_VERDICT_FASTER;
    }
}

static int place_of(const tacho_benchmark_change *c)
{
    return !c->sides[0]                                ? 5
           : !c->sides[1]                              ? 4
           : c->verdict == TACHO_VERDICT_SLOWER        ? 0
           : c->verdict == TACHO_VERDICT_FASTER        ? 1
           : c->verdict == TACHO_VERDICT_NO_DIFFERENCE ? 2
                                                       : 3;
}

static double size_of(const tacho_benchmark_change *c)
{
    return isnan(c->ratio) ? -1 : fabs(log(c->ratio));
}

ORDER_AS(by_verdict, tacho_benchmark_change,
         ORDER(place_of(a), place_of(b)) ?: ORDER(size_of(b), size_of(a)) ?: strcmp(a->name, b->name));

/* @return -1: no memory */
static int find_shares(bench_judging *j)
{
    size_t n = j->out.count;
    double *p = tacho_mem_zalloc(2 * n + 1, sizeof *p);
    if (!p)
        return -1;
    for (size_t i = 0; i < n; i++)
        p[i] = j->changes[i].p_value;
    int failed = tacho_false_discovery(p, n, p + n);
    for (size_t i = 0; !failed && i < n; i++)
        j->changes[i].q_value = p[n + i];
    tacho_mem_free(p);
    return failed ? -1 : 0;
}

static int judge_all(bench_judging *j, unsigned threads, tacho_error *err)
{
    tacho_benchmarks_result *r = &j->out;
    parallel_loop loop = {.count = r->count, .threads = threads, .turn = judge_turn, .payload = j};
    int rc = parallel_run(&loop, err);
    if (rc)
        return rc;
    if (take_medians(j) || bench_spread(r, j->evidence))
        return tacho_no_memory(err);
    for (size_t i = 0; i < r->count; i++)
        bench_widen(r, &j->changes[i], &j->evidence[i]);
    if (find_shares(j))
        return tacho_no_memory(err);
    for (size_t i = 0; i < r->count; i++)
        give_verdict(&j->changes[i], j->options);
    bench_suite(r, j->evidence, j->options->confidence);
    count_verdicts(r);
    tacho_sort(j->changes, r->count, sizeof *j->changes, by_verdict); /* the evidence is not used any more */
    return 0;
}

int tacho_benchmarks_judge(const tacho_benchmarks *old_side, const tacho_benchmarks *new_side,
                           const tacho_judge_options *options, unsigned threads,
                           tacho_benchmarks_result **out, tacho_error *err)
{
    tacho_judge_options given;
    size_t most = old_side->count + new_side->count;
    *out = NULL;
    int rc = OPTIONS_TAKE(judge, &given, options, err);
    if (rc)
        return rc;
    bench_judging *j = tacho_mem_zalloc(1, sizeof *j);
    if (!j)
        return tacho_no_memory(err);
    j->options = &given;
    j->changes = tacho_mem_zalloc(most + 1, sizeof *j->changes);
    j->evidence = tacho_mem_zalloc(most + 1, sizeof *j->evidence);
    j->out.list = j->changes;
    if (!j->changes || !j->evidence) {
        rc = tacho_no_memory(err);
    } else {
        match(j, old_side, new_side);
        rc = judge_all(j, threads, err);
    }
    j->options = NULL;
    if (rc)
        tacho_benchmarks_result_free(&j->out);
    else
        *out = &j->out;
    return rc;
}

void tacho_benchmarks_result_free(tacho_benchmarks_result *r)
{
    bench_judging *j = (bench_judging *)r;
    if (!j)
        return;
    for (size_t i = 0; j->evidence && i < r->count; i++)
        TACHO_MEM_FREE(j->evidence[i].logs[0], j->evidence[i].logs[1]);
    TACHO_MEM_FREE(j->changes, j->evidence);
    tacho_mem_free(j);
}
