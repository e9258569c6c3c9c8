/* many_words.c - what a comparison of many commands says, in sentences. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/report/report_compare.h"
#include "app/report/report_many.h"

enum {
    NAMED = 4,        /* commands in a sentence; of more their number is said */
    NAME_LETTERS = 60 /* in a sentence */
};
static const double short_run_seconds = 0.005;

/* What comparisons of two know of a metric and of numbers. */
static report_compare as_two(const report_many *m, tacho_judgement *room)
{
    double least = NAN;
    for (size_t c = 0; c < m->judgement->count; c++)
        least = fmin(least, m->judgement->rows[c].side.values.median);
    *room = (tacho_judgement){.sides = {{.values.median = least}, {.values.median = least}}};
    return (report_compare){.judgement = room, .metric = m->metric, .unit = m->unit};
}

double report_many_scale(const report_many *m, char *unit, size_t size)
{
    tacho_judgement room;
    report_compare two = as_two(m, &room);
    return report_compare_scale(&two, unit, size);
}

/* Its beginning, in a sentence. */
static void put_name(tacho_str *out, const report_many *m, size_t command)
{
    const char *name = m->commands[command].name;
    size_t n = 0, letters = 0;
    for (; name[n]; n++)
        if ((name[n] & 0xc0) != 0x80 && letters++ == NAME_LETTERS)
            break;
    tacho_str_append(out, name, n);
    tacho_str_puts(out, name[n] ? "..." : "");
}

static bool is_time(const report_many *m)
{
    tacho_judgement room;
    report_compare two = as_two(m, &room);
    return report_compare_is_time(&two) && !m->judge->higher_is_better;
}

static bool differs(const tacho_many_row *row)
{
    return row->verdict == TACHO_VERDICT_FASTER || row->verdict == TACHO_VERDICT_SLOWER;
}

void report_many_verdict(tacho_str *out, const report_many *m, size_t command)
{
    const tacho_many_row *row = &m->judgement->rows[command];
    bool time = is_time(m), more = row->ratio > 1;
    double half = (row->ratio_high - row->ratio_low) / 2;
    if (!command) {
        tacho_str_puts(out, "baseline");
    } else if (row->verdict == TACHO_VERDICT_NONE) {
        tacho_str_puts(out, isnan(row->ratio) ? "no values" : "too few runs");
    } else if (!differs(row)) {
        tacho_str_puts(out, "no difference found");
    } else {
        if (row->ratio >= 2 || row->ratio <= 0.5)
            tacho_str_printf(out, "%.2f times ", time && !more ? 1 / row->ratio : row->ratio);
        else
            tacho_str_printf(out, "%.*f %% ", report_compare_decimals(100 * half),
                             100 * fabs(row->ratio - 1));
        tacho_str_puts(out, time ? (more ? "slower" : "faster") : more ? "more" : "less");
        if (!row->interesting)
            tacho_str_printf(out, ", below %g %%", 100 * m->judge->threshold);
    }
}

/* ---- the answer ---- */

typedef struct counted {
    size_t better, worse, equal, none, first; /* first: may be the best */
    double detectable;
    uint32_t units;
} counted;

static counted count_rows(const tacho_many_judgement *j)
{
    counted n = {.detectable = NAN, .units = UINT32_MAX};
    for (size_t c = 0; c < j->count; c++) {
        const tacho_many_row *row = &j->rows[c];
        n.first += row->rank_low == 1 && !isnan(row->median.value);
        if (!c)
            continue;
        n.better += row->verdict == TACHO_VERDICT_FASTER;
        n.worse += row->verdict == TACHO_VERDICT_SLOWER;
        n.equal += row->verdict == TACHO_VERDICT_NO_DIFFERENCE;
        n.none += row->verdict == TACHO_VERDICT_NONE;
        if (row->verdict == TACHO_VERDICT_NO_DIFFERENCE)
            n.detectable = fmax(n.detectable, row->detectable);
        n.units = row->units < n.units ? row->units : n.units;
    }
    return n;
}

static const char *units_words(const tacho_many_judgement *j)
{
    return j->has_layouts ? "layouts" : j->paired ? "blocks of runs" : "samples of a command";
}

static void put_best(tacho_str *out, const report_many *m, const counted *n)
{
    const tacho_many_judgement *j = m->judgement;
    const char *best = is_time(m) ? "fastest" : "best";
    size_t named = 0;
    if (n->first == 1)
        tacho_str_printf(out, "; the %s is ", best);
    else if (n->first <= NAMED)
        tacho_str_printf(out, "; the %s is one of ", best);
    else
        tacho_str_printf(out, "; the %s is one of %zu", best, n->first);
    for (size_t c = 0; c < j->count && n->first <= NAMED; c++)
        if (j->rows[c].rank_low == 1 && !isnan(j->rows[c].median.value)) {
            tacho_str_puts(out, named++ ? ", " : "");
            put_name(out, m, c);
        }
}

/* "2 are slower", or nothing. */
static void put_count(tacho_str *out, size_t count, const char *word)
{
    if (count)
        tacho_str_printf(out, "%zu %s %s", count, count == 1 ? "is" : "are", word);
}

void report_many_answer(tacho_str *out, const report_many *m)
{
    const tacho_many_judgement *j = m->judgement;
    counted n = count_rows(j);
    if (n.none == j->count - 1) {
        tacho_str_printf(out,
                         "no verdict: too few %s, %u of the %u that a confidence of %g %% of all %zu needs",
                         units_words(j), n.units, j->units_needed, 100 * j->confidence, j->count);
        return;
    }
    if (j->count == 2 && !n.equal) {
        put_name(out, m, 1);
        tacho_str_puts(out, " is ");
        report_many_verdict(out, m, 1);
        tacho_str_puts(out, ", compared with ");
        put_name(out, m, 0);
        return;
    }
    if (n.equal == j->count - 1) {
        double seen = 100 * n.detectable;
        if (j->count == 2)
            put_name(out, m, 1);
        else
            tacho_str_printf(out, "none of %zu", n.equal);
        tacho_str_puts(out, " is found to differ from ");
        put_name(out, m, 0);
        tacho_str_printf(out, "; differences above %.*f %% would have been seen",
                         report_compare_decimals(seen), seen);
        return;
    }
    tacho_str_printf(out, "of %zu, ", j->count - 1);
    put_count(out, n.better, is_time(m) ? "faster" : "better");
    tacho_str_puts(out, n.better && n.worse ? " and " : "");
    put_count(out, n.worse, is_time(m) ? "slower" : "worse");
    tacho_str_puts(out, n.better || n.worse ? " than " : "none is found to differ from ");
    put_name(out, m, 0);
    if (n.none)
        tacho_str_printf(out, ", and of %zu there are too few runs to say", n.none);
    put_best(out, m, &n);
}

/* ---- notes ---- */

static void put_value(tacho_str *out, const report_many *m, double value)
{
    char unit[80];
    double scale = report_many_scale(m, unit, sizeof unit);
    tacho_str_printf(out, "%.5g%s%s", value / scale, *unit ? " " : "", unit);
}

static void note_separation(tacho_str *out, const report_many *m)
{
    const tacho_many_judgement *j = m->judgement;
    size_t n = 0;
    for (size_t c = 1; c < j->count; c++)
        n += j->rows[c].by_separation;
    if (n)
        tacho_str_printf(out,
                         "few runs: %zu verdict%s on commands being far apart. That is enough where runs are "
                         "disturbed independently of each other; %u %s would do without that",
                         n, n == 1 ? " rests" : "s rest", j->units_needed,
                         j->paired ? "blocks" : "samples of each command");
}

static void note_end(tacho_str *out, const report_many *m)
{
    const tacho_many_judgement *j = m->judgement;
    const tacho_compare_result *r = m->result ? &m->result->runs : NULL;
    if (!r)
        return;
    double warm_up = m->options->warm_up;
    double of_each = r->seconds / ((double)r->run_count / (double)j->count + warm_up);
    counted n = count_rows(j);
    if (r->end == TACHO_COMPARE_STOPPED)
        tacho_str_puts(out, "it was interrupted: this is what there was until then");
    else if (r->end == TACHO_COMPARE_TIME && n.none)
        tacho_str_printf(out, "a run of each takes %.2g s: --max-time %.0f would do", of_each,
                         ceil(1.2 * of_each * (j->units_needed + warm_up)));
    else if (r->end == TACHO_COMPARE_TIME || r->end == TACHO_COMPARE_MAX_REACHED)
        tacho_str_printf(out, "intervals are wider than asked for, because the %s",
                         r->end == TACHO_COMPARE_TIME ? "time limit was reached"
                                                      : "maximum number of runs was reached");
    else if (r->end == TACHO_COMPARE_LAYOUTS)
        tacho_str_puts(out,
                       "intervals are as wide as they are because layouts differ: more runs would not narrow "
                       "them, more layouts would");
}

static void note_failures(tacho_str *out, const report_many *m)
{
    const tacho_compare_result *r = m->result ? &m->result->runs : NULL;
    if (r && r->failed)
        tacho_str_printf(out, "%zu of the runs failed, and count as the others do", r->failed);
    if (r && r->timed_out)
        tacho_str_printf(out, "%s%zu did not end in time, and do not count", r->failed ? "; " : "",
                         r->timed_out);
}

static void note_samples(tacho_str *out, const report_many *m)
{
    const tacho_many_judgement *j = m->judgement;
    size_t missing = 0;
    for (size_t c = 0; c < j->count; c++)
        missing += j->rows[c].side.missing;
    if (missing)
        tacho_str_printf(out, "%zu run%s without a value", missing, missing == 1 ? " is" : "s are");
    if (j->left_out)
        tacho_str_printf(out, "%s%zu run%s not count: the block was not completed", missing ? "; " : "",
                         j->left_out, j->left_out == 1 ? " does" : "s do");
}

static void note_ranks(tacho_str *out, const report_many *m)
{
    const tacho_many_judgement *j = m->judgement;
    counted n = count_rows(j);
    if (n.none < j->count - 1 && n.units < j->units_needed_for_ranks && n.units >= j->units_needed)
        tacho_str_printf(out, "ranks need %u %s, as all pairs are compared for them; there are %u",
                         j->units_needed_for_ranks, units_words(j), n.units);
}

static void note_modes(tacho_str *out, const report_many *m)
{
    const tacho_many_judgement *j = m->judgement;
    size_t n = 0;
    for (size_t c = 0; c < j->count; c++) {
        const tacho_judged_side *s = &j->rows[c].side;
        if (!s->several_modes || n++ >= NAMED)
            continue;
        tacho_str_puts(out, n == 1 ? "several modes: " : "; ");
        put_name(out, m, c);
        tacho_str_printf(out, " (%.0f %% of the runs near ", 100 * (1 - s->group_high_share));
        put_value(out, m, s->group_low);
        tacho_str_printf(out, ", %.0f %% near ", 100 * s->group_high_share);
        put_value(out, m, s->group_high);
        tacho_str_putc(out, ')');
    }
    if (n > NAMED)
        tacho_str_printf(out, "; and %zu more", n - NAMED);
    if (n)
        tacho_str_puts(out, ": a median says little of either");
}

static void note_drift(tacho_str *out, const report_many *m)
{
    const tacho_many_judgement *j = m->judgement;
    if (j->drifts)
        tacho_str_printf(
            out, "drift: the last quarter of the runs is %.1f %% %s than the first (Spearman's rho %.2f)%s",
            100 * fabs(j->drift_change), j->drift_change > 0 ? "higher" : "lower", j->drift_rho,
            j->paired ? "; blocks have it on all commands alike" : "");
}

static void note_outliers(tacho_str *out, const report_many *m)
{
    size_t n = 0;
    for (size_t c = 0; c < m->judgement->count; c++)
        n += m->judgement->rows[c].outliers;
    if (n)
        tacho_str_printf(out, "%zu outlier%s beyond Tukey's inner fences; %s", n, tacho_plural(n),
                         n == 1 ? "it counts" : "they count");
}

static void note_step(tacho_str *out, const report_many *m)
{
    if (m->judgement->step > m->judge->threshold / 4)
        tacho_str_printf(out, "the values come in steps of %.2g %%: smaller differences cannot be seen",
                         100 * m->judgement->step);
}

static void note_short(tacho_str *out, const report_many *m)
{
    size_t metrics = m->result ? m->result->runs.metric_count : 0;
    for (size_t i = 0; i < metrics; i++) {
        double least = NAN;
        for (size_t c = 0; c < m->judgement->count; c++)
            least = fmin(least, m->result->medians[c * metrics + i]);
        if (!strcmp(m->result->runs.metrics[i].name, "elapsed") && least < short_run_seconds)
            tacho_str_printf(
                out,
                "runs take %.2g ms: much of that is starting and ending a process; more work in each run "
                "says more",
                1000 * least);
    }
}

void report_many_notes(report_sentences *out, const report_many *m)
{
    static void (*const notes[])(tacho_str *, const report_many *) = {
        note_separation, note_end,   note_failures, note_samples, note_ranks,
        note_modes,      note_drift, note_outliers, note_step,    note_short};
    for (size_t n = 0; n < sizeof notes / sizeof *notes; n++) {
        notes[n](&out->text, m);
        report_sentences_end(out);
    }
}
