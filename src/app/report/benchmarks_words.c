/* benchmarks_words.c - what two results of benchmarks say, in sentences and cells. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/report/report_benchmarks.h"

enum {
    ENOUGH_RUNS = 6, /* to be what a verdict rests on, at 95 % */
    SHOWN_TROUBLES = 5
};

/* "12.4 µs" */
static const char *time_text(char out[TACHO_NUMBER_SIZE], double seconds)
{
    static const struct {
        double least;
        const char *unit;
    } units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {0, "ns"}};
    size_t u = 0;
    if (isnan(seconds))
        return "-";
    while (seconds < units[u].least)
        u++;
    double value = seconds / (u == 3 ? 1e-9 : units[u].least);
    int decimals = value >= 100 ? 1 : value >= 10 ? 2 : 3;
    snprintf(out, TACHO_NUMBER_SIZE, "%.*f %s", decimals, value, units[u].unit);
    return out;
}

static const char *percent_of(char out[TACHO_NUMBER_SIZE], double fraction)
{
    double percent = 100 * fabs(fraction);
    snprintf(out, TACHO_NUMBER_SIZE, "%.*f %%", percent >= 10 ? 0 : percent >= 0.95 ? 1 : 2, percent);
    return out;
}

/* "5.6 % slower", "2.03 times as long" */
static void put_change(tacho_str *out, double ratio)
{
    char percent[TACHO_NUMBER_SIZE];
    if (ratio >= 2)
        tacho_str_printf(out, "%.2f times as long", ratio);
    else if (ratio <= 0.5)
        tacho_str_printf(out, "%.2f times as fast", 1 / ratio);
    else
        tacho_str_printf(out, "%s %s", percent_of(percent, ratio - 1), ratio > 1 ? "slower" : "faster");
}

/* ---- sentences ---- */

static const char *are(size_t n)
{
    return n == 1 ? "is" : "are";
}

static size_t compared(const tacho_benchmarks_result *r)
{
    return r->slower + r->faster + r->same + r->unknown;
}

/* "2 of 102 benchmarks are slower, 1 is faster" */
static void put_counts(tacho_str *out, size_t slower, size_t faster, size_t all)
{
    size_t first = slower ? slower : faster;
    tacho_str_printf(out, "%zu of %zu benchmark%s %s %s", first, all, tacho_plural(all), are(first),
                     slower ? "slower" : "faster");
    if (slower && faster)
        tacho_str_printf(out, ", %zu %s faster", faster, are(faster));
}

void report_benchmarks_answer(tacho_str *out, const report_benchmarks *b)
{
    const tacho_benchmarks_result *r = b->result;
    size_t all = compared(r), judged = all - r->unknown;
    size_t slower = r->interesting_slower, faster = r->interesting_faster;
    size_t small = r->slower + r->faster - slower - faster;
    if (!all)
        tacho_str_puts(out, "no benchmark is in both");
    else if (!judged)
        tacho_str_printf(out, "no verdict: too few samples in %s",
                         all == 1 ? "the benchmark" : "all benchmarks");
    else if (!slower && !faster && !small)
        tacho_str_printf(out, "no difference found in %zu benchmark%s", judged, tacho_plural(judged));
    else if (!slower && !faster)
        tacho_str_printf(out, "no difference above %g %% found in %zu benchmark%s", 100 * b->judge->threshold,
                         judged, tacho_plural(judged));
    else
        put_counts(out, slower, faster, judged);
    if (judged && small)
        tacho_str_printf(out, "; %zu more differ%s, by less than the threshold of %g %%", small,
                         small == 1 ? "s" : "", 100 * b->judge->threshold);
}

void report_benchmarks_suite(tacho_str *out, const report_benchmarks *b)
{
    const tacho_estimate *s = &b->result->suite;
    if (isnan(s->value)) {
        tacho_str_puts(out, "no ratios");
        return;
    }
    if (s->low > 1 || s->high < 1)
        put_change(out, s->value);
    else
        tacho_str_puts(out, isnan(s->low) ? "no verdict" : "no difference found");
    tacho_str_printf(out, ": the geometric mean of %zu ratio%s is %.4f", b->result->suite_count,
                     tacho_plural(b->result->suite_count), s->value);
    if (!isnan(s->low))
        tacho_str_printf(out, ", %g %% interval %.4f to %.4f", 100 * b->judge->confidence, s->low, s->high);
}

void report_benchmarks_side(tacho_str *out, const report_benchmarks *b, int side)
{
    const tacho_benchmarks *s = b->sides[side];
    uint32_t runs = b->result->runs[side];
    tacho_str_printf(out, "%s: %s, %zu benchmark%s", b->paths[side],
                     strcmp(s->tool, "tacho") ? s->tool : "saved baseline", s->count, tacho_plural(s->count));
    if (runs > 1)
        tacho_str_printf(out, ", %u runs", runs);
}

/* ---- notes ---- */

static void note_spread(tacho_str *out, const report_benchmarks *b)
{
    const tacho_benchmarks_result *r = b->result;
    char percent[TACHO_NUMBER_SIZE];
    bool few = r->runs[0] < ENOUGH_RUNS || r->runs[1] < ENOUGH_RUNS;
    if (r->run_spread_by == TACHO_RUN_SPREAD_NONE && compared(r) > r->unknown && few)
        tacho_str_printf(out,
                         "these results do not show how much runs of the same code differ (memory layout, "
                         "neighbours): %d runs of each, in a folder for each side, would",
                         ENOUGH_RUNS);
    else if (r->run_spread_by == TACHO_RUN_SPREAD_RUNS && r->run_spread > 0)
        tacho_str_printf(out,
                         "runs of the same code differ by %s (standard deviation) beyond what their samples "
                         "show; intervals and verdicts take it into account",
                         percent_of(percent, r->run_spread));
    else if (r->run_spread_by == TACHO_RUN_SPREAD_SUITE && !(r->run_spread > 0))
        tacho_str_printf(out,
                         "each side has one run, in which a disturbance looks like a change; %d runs of "
                         "each, in turn, in a folder for each side, tell one from the other",
                         ENOUGH_RUNS);
    else if (r->run_spread_by == TACHO_RUN_SPREAD_SUITE)
        tacho_str_printf(
            out,
            "benchmarks differ by more than their samples explain: runs are assumed to vary by %s (standard "
            "deviation), which hides small changes, and a disturbance of a single benchmark still looks like "
            "a change; %d runs of each, in turn, in a folder for each side, tell one from the other",
            percent_of(percent, r->run_spread), ENOUGH_RUNS);
}

static void note_unknown(tacho_str *out, const report_benchmarks *b)
{
    size_t n = b->result->unknown;
    if (n)
        tacho_str_printf(out,
                         "%zu benchmark%s %s too few samples for a verdict: 4 of each side where they are "
                         "far apart, else 6; 10 and more are better",
                         n, tacho_plural(n), n == 1 ? "has" : "have");
}

static void note_alike(tacho_str *out, const report_benchmarks *b)
{
    const tacho_benchmarks_result *r = b->result;
    const double far = log1p(0.02);
    if (r->suite_count >= 10 && fabs(log(r->suite.value)) > far && (r->suite.low > 1 || r->suite.high < 1) &&
        r->runs[0] < 6 && r->interesting_slower + r->interesting_faster > compared(r) / 2)
        tacho_str_puts(out, "most benchmarks have changed alike: were both results made on the same machine, "
                            "in the same state?");
}

static void note_names(tacho_str *out, const report_benchmarks *b, bool gone)
{
    const tacho_benchmarks_result *r = b->result;
    size_t n = gone ? r->gone : r->fresh, shown = 0, most = 5;
    if (!n)
        return;
    tacho_str_printf(out, "only in the %s results: ", gone ? "old" : "new");
    for (size_t i = 0; i < r->count && shown < most; i++)
        if (!r->list[i].sides[gone ? 1 : 0])
            tacho_str_printf(out, "%s%s", shown++ ? ", " : "", r->list[i].name);
    if (n > shown)
        tacho_str_printf(out, " and %zu more", n - shown);
}

static void note_gone(tacho_str *out, const report_benchmarks *b)
{
    note_names(out, b, true);
}

static void note_fresh(tacho_str *out, const report_benchmarks *b)
{
    note_names(out, b, false);
}

static void note_only(tacho_str *out, const report_benchmarks *b)
{
    const tacho_benchmark_change *c = b->result->list;
    if (b->result->count == 1 && c->sides[0] && c->sides[1] && strcmp(c->sides[0]->name, c->sides[1]->name))
        tacho_str_printf(out, "the only benchmarks of both are compared: %s, %s", c->sides[0]->name,
                         c->sides[1]->name);
}

/* Troubles of benchmarks, and warnings of a side. */
static void notes_of_side(report_sentences *out, const tacho_benchmarks *s, const char *of)
{
    size_t troubles = 0;
    for (size_t i = 0; i < s->count; i++)
        if (s->list[i].trouble && troubles++ < SHOWN_TROUBLES) {
            tacho_str_printf(&out->text, "%s results of %s: %s", of, s->list[i].name, s->list[i].trouble);
            report_sentences_end(out);
        }
    if (troubles > SHOWN_TROUBLES) {
        tacho_str_printf(&out->text, "%zu more of the %s results have something wrong",
                         troubles - SHOWN_TROUBLES, of);
        report_sentences_end(out);
    }
    for (size_t i = 0; i < s->warning_count; i++) {
        tacho_str_printf(&out->text, "%s results: %s", of, s->warnings[i]);
        report_sentences_end(out);
    }
}

void report_benchmarks_notes(report_sentences *out, const report_benchmarks *b)
{
    static void (*const notes[])(tacho_str *, const report_benchmarks *) = {
        note_only, note_alike, note_spread, note_unknown, note_gone, note_fresh};
    for (size_t n = 0; n < sizeof notes / sizeof *notes; n++) {
        notes[n](&out->text, b);
        report_sentences_end(out);
    }
    notes_of_side(out, b->sides[0], "old");
    notes_of_side(out, b->sides[1], "new");
}

/* ---- cells ---- */

static void put_verdict(report_grid *g, const report_benchmarks *b, const tacho_benchmark_change *c)
{
    tacho_str words = {0};
    if (!c->sides[0] || !c->sides[1]) {
        report_grid_cell(g, c->sides[0] ? "only old" : "only new");
        return;
    }
    if (c->verdict == TACHO_VERDICT_SLOWER || c->verdict == TACHO_VERDICT_FASTER)
        put_change(&words, c->ratio);
    else if (c->verdict == TACHO_VERDICT_NO_DIFFERENCE)
        tacho_str_puts(&words, "no difference found");
    else if (isnan(c->ratio))
        tacho_str_puts(&words, "no samples");
    else
        tacho_str_printf(&words, "too few samples: %zu and %zu", c->sides[0]->count, c->sides[1]->count);
    if (c->verdict > TACHO_VERDICT_NO_DIFFERENCE && !c->interesting)
        tacho_str_puts(&words, " (below the threshold)");
    report_grid_cell(g, words.data ? words.data : "");
    tacho_str_free(&words);
}

void report_benchmarks_table(report_grid *g, const report_benchmarks *b, size_t from, size_t to)
{
    static const char *const heads[] = {"benchmark", "old", "new", "ratio"};
    char text[TACHO_NUMBER_SIZE];
    report_grid_start(g, 7, 1);
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        report_grid_cell(g, heads[i]);
    report_grid_cellf(g, "%g %% interval", 100 * b->judge->confidence);
    report_grid_cell(g, "q");
    report_grid_cell(g, "");
    for (size_t i = from; i < to; i++) {
        const tacho_benchmark_change *c = &b->result->list[i];
        report_grid_cell(g, c->name);
        for (int side = 0; side < 2; side++)
            report_grid_cell(g, time_text(text, c->medians[side]));
        if (isnan(c->ratio))
            report_grid_cell(g, "-");
        else
            report_grid_cellf(g, "%.4f", c->ratio);
        if (isnan(c->low))
            report_grid_cell(g, "-");
        else
            report_grid_cellf(g, "%.4f to %.4f", c->low, c->high);
        if (isnan(c->q_value))
            report_grid_cell(g, "-");
        else
            report_grid_cellf(g, c->q_value < 0.001 ? "%.0e" : "%.3f", c->q_value);
        put_verdict(g, b, c);
    }
}
