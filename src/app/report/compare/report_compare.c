/* report_compare.c - a comparison as text: the answer first, then what it rests on, then what should be
 * known about it. */
#include "app/report/compare/report_compare.h"
#include "app/report/report.h"

enum {
    SIDES = 2,
    NAMED_OUTLIERS = 4
};
static const double short_run_seconds = 0.005, sampled_seconds = 0.1;

/* Whether what decides is a time, or cycles. */
static bool report_compare_is_time(const report_compare *c)
{
    static const char *const units[] = {"s", "ms", "us", "µs", "ns", "cycles"};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!strcmp(c->unit, units[i]))
            return true;
    return false;
}

/* Digits after the point of a percentage that half of an interval's width, in percent, gives a meaning to.
 */
static int report_compare_decimals(double half_width)
{
    return half_width >= 1 || !(half_width > 0) ? 1 : half_width >= 0.1 ? 1 : half_width >= 0.01 ? 2 : 3;
}

/* "3.1 % faster than A (95 % interval 2.6 to 3.5 %)" without "faster than A". */
static void put_percent(tacho_str *out, const tacho_judgement *j, const char *between)
{
    bool less = j->ratio < 1;
    double low = 100 * (less ? 1 - j->ratio_high : j->ratio_low - 1);
    double high = 100 * (less ? 1 - j->ratio_low : j->ratio_high - 1);
    int digits = report_compare_decimals((high - low) / 2);
    tacho_str_printf(out, "%.*f %% %s (%g %% interval %.*f to %.*f %%)", digits, 100 * fabs(j->ratio - 1),
                     between, 100 * j->confidence, digits, low, digits, high);
}

/* "B is slower: its cpu time is 7.70 times that of A (95 % interval 7.12 to 8.21)": percent say little there.
 */
static void put_times(tacho_str *out, const report_compare *c)
{
    const tacho_judgement *j = c->judgement;
    bool turned = report_compare_is_time(c) && j->ratio < 1;
    if (report_compare_is_time(c))
        tacho_str_printf(out, "B is %s: %s %s time is ", turned ? "faster" : "slower", turned ? "A's" : "its",
                         c->metric);
    else
        tacho_str_printf(out, "B's %s is ", c->metric);
    int digits = turned || j->ratio > 1 ? 2 : 3;
    tacho_str_printf(out, "%.*f times that of %c (%g %% interval %.*f to %.*f)", digits,
                     turned ? 1 / j->ratio : j->ratio, turned ? 'B' : 'A', 100 * j->confidence, digits,
                     turned ? 1 / j->ratio_high : j->ratio_low, digits,
                     turned ? 1 / j->ratio_low : j->ratio_high);
}

static void put_difference(tacho_str *out, const report_compare *c)
{
    const tacho_judgement *j = c->judgement;
    bool more = j->ratio > 1;
    if (j->ratio >= 2 || j->ratio <= 0.5) {
        put_times(out, c);
    } else if (report_compare_is_time(c)) {
        tacho_str_puts(out, "B is ");
        put_percent(out, j, more ? "slower than A" : "faster than A");
    } else {
        tacho_str_printf(out, "B's %s is ", c->metric);
        put_percent(out, j, more ? "higher than A's" : "lower than A's");
    }
    if (!report_compare_is_time(c))
        tacho_str_puts(out, j->verdict == TACHO_VERDICT_FASTER ? ", which is better" : ", which is worse");
    if (!j->interesting)
        tacho_str_printf(out, "; less than the threshold of %g %%", 100 * c->judge->threshold);
}

bool report_compare_is_signed(const tacho_judgement *j)
{
    return j->paired && !j->by_separation;
}

void report_compare_answer(tacho_str *out, const report_compare *c)
{
    const tacho_judgement *j = c->judgement;
    const char *units = j->layout_count ? "layouts" : j->paired ? "blocks of runs" : "samples of a side";
    if (j->verdict == TACHO_VERDICT_NONE) {
        tacho_str_printf(out, "no verdict: too few %s, %u of the %u that a confidence of %g %% needs", units,
                         j->units, j->units_needed, 100 * j->confidence);
        if (!j->layout_count)
            tacho_str_printf(out, " (%u where the sides are far apart)", j->units_needed_apart);
    } else if (j->verdict != TACHO_VERDICT_NO_DIFFERENCE) {
        put_difference(out, c);
    } else {
        double seen = 100 * j->detectable;
        tacho_str_printf(out, "no difference found; differences above %.*f %% would have been seen",
                         report_compare_decimals(seen), seen);
    }
}

/* By what values are divided to be read, and what they are then: "ms". */
static double report_compare_scale(const report_compare *c, char *unit, size_t size)
{
    const tacho_judgement *j = c->judgement;
    double least = fmin(j->sides[0].values.median, j->sides[1].values.median);
    if (!strcmp(c->unit, "s")) {
        const char *const names[] = {"s", "ms", "µs"};
        int i = !(least < 1) ? 0 : least >= 1e-3 ? 1 : 2;
        snprintf(unit, size, "%s", names[i]);
        return i == 0 ? 1 : i == 1 ? 1e-3 : 1e-6;
    }
    const char *prefix = least >= 1e10  ? "billion "
                         : least >= 1e7 ? "million "
                         : least >= 1e5 ? "thousand "
                                        : "";
    snprintf(unit, size, "%s%s", prefix, c->unit);
    return least >= 1e10 ? 1e9 : least >= 1e7 ? 1e6 : least >= 1e5 ? 1e3 : 1;
}

/* Of commands that do not keep one processor busy, or more than one: elapsed time, and how many they use. */
static void report_compare_elapsed(tacho_str *out, const report_compare *c)
{
    const tacho_compare_result *r = c->result;
    const double waits = 0.9, at_once = 1.1;
    char unit[80];
    if (!r || !(fmin(r->processors[0], r->processors[1]) < waits ||
                fmax(r->processors[0], r->processors[1]) > at_once))
        return;
    const report_compare elapsed = {
        .judgement = &r->elapsed, .judge = c->judge, .metric = "elapsed", .unit = "s"};
    const double scale = report_compare_scale(&elapsed, unit, sizeof unit);
    for (int side = 0; side < SIDES; side++)
        tacho_str_printf(out, "%s%c %.5g %s, %.2f processors used on average", side ? "; " : "", "AB"[side],
                         r -> elapsed.sides[side].values.median / scale, unit, r->processors[side]);
    tacho_str_puts(out, ": by elapsed time ");
    report_compare_answer(out, &elapsed);
    if (r->cpu >= 0)
        tacho_str_printf(out, ". All threads had but CPU %d (--cpu any: as many as there are)", r->cpu);
}

/* ---- notes ---- */

static void put_value(tacho_str *out, const report_compare *c, double value)
{
    char unit[80];
    double scale = report_compare_scale(c, unit, sizeof unit);
    tacho_str_printf(out, "%.5g%s%s", value / scale, *unit ? " " : "", unit);
}

static void note_separation(tacho_str *out, const report_compare *c)
{
    const tacho_judgement *j = c->judgement;
    bool more = j->nearest > 1;
    if (j->by_separation)
        tacho_str_printf(
            out,
            "few runs: the verdict rests on the sides being far apart. The smallest value of %c is %.2f "
            "times the largest of %c, and values within a side differ by less. That is enough where runs are "
            "disturbed independently of each other; %u %s would do without that, and narrow the interval",
            more ? 'B' : 'A', more ? j->nearest : 1 / j->nearest, more ? 'A' : 'B', j->units_needed,
            j->paired ? "blocks" : "samples of each side");
}

static void note_modes(tacho_str *out, const report_compare *c, uint32_t side)
{
    const tacho_judged_side *s = &c->judgement->sides[side];
    if (!s->several_modes)
        return;
    tacho_str_printf(out, "%c has several modes (dip test, p = %.2g): %.0f %% of the runs near ", "AB"[side],
                     s -> dip_p, 100 * (1 - s->group_high_share));
    put_value(out, c, s->group_low);
    tacho_str_printf(out, ", %.0f %% near ", 100 * s->group_high_share);
    put_value(out, c, s->group_high);
    tacho_str_puts(out, "; a median says little of either");
}

static void note_a(tacho_str *out, const report_compare *c)
{
    note_modes(out, c, 0);
}

static void note_b(tacho_str *out, const report_compare *c)
{
    note_modes(out, c, 1);
}

static void note_drift(tacho_str *out, const report_compare *c)
{
    const tacho_judgement *j = c->judgement;
    if (j->drifts)
        tacho_str_printf(
            out, "drift: the last quarter of the runs is %.1f %% %s than the first (Spearman's rho %.2f)%s",
            100 * fabs(j->drift_change), j->drift_change > 0 ? "higher" : "lower", j->drift_rho,
            j->paired ? "; blocks have it on both sides alike" : "");
}

static void note_outliers(tacho_str *out, const report_compare *c)
{
    const tacho_judgement *j = c->judgement;
    size_t far = 0, named = 0;
    for (size_t i = 0; i < j->outlier_count; i++)
        far += j->outliers[i].far;
    if (!j->outlier_count)
        return;
    tacho_str_printf(out, "%zu outlier%s beyond Tukey's inner fences, %zu beyond the outer ones",
                     j->outlier_count, tacho_plural(j->outlier_count), far);
    for (size_t i = 0; i < j->outlier_count && named < NAMED_OUTLIERS; i++) {
        size_t run = j->outliers[i].sample;
        if (!j->outliers[i].far)
            continue;
        tacho_str_printf(out, "%srun %zu (%c, ", named++ ? ", " : ": ", run + 1, "AB"[c->samples[run].side]);
        put_value(out, c, c->samples[run].value);
        tacho_str_putc(out, ')');
    }
    tacho_str_printf(out, "%s; they count", far > named ? ", ..." : "");
}

static void note_layouts(tacho_str *out, const report_compare *c)
{
    const tacho_judgement *j = c->judgement;
    if (!j->layout_count || isnan(j->layouts_p))
        return;
    if (j->depends_on_layout)
        tacho_str_puts(out, "which of the two is faster depends on the layout");
    else if (j->layouts_p < 0.01)
        tacho_str_puts(out, "how much they differ depends on the layout, which is the faster does not");
    else
        tacho_str_puts(out, "the ratio is the same in all layouts, as far as can be told");
    tacho_str_printf(out, " (by shuffling, p = %.2g)", j->layouts_p);
}

static void note_short(tacho_str *out, const report_compare *c)
{
    for (size_t m = 0; c->result && m < c->result->metric_count; m++) {
        const tacho_metric *e = &c->result->metrics[m];
        double least = fmin(e->median[0], e->median[1]);
        if (!strcmp(e->name, "elapsed") && least < short_run_seconds)
            tacho_str_printf(out,
                             "the runs take %.2g ms: much of that is starting and ending a process; more "
                             "work in each run says more",
                             1000 * least);
    }
}

static void note_granularity(tacho_str *out, const report_compare *c)
{
    const tacho_judgement *j = c->judgement;
    double least = fmin(j->sides[0].values.median, j->sides[1].values.median);
    bool part = c->result && (!strcmp(c->metric, "user") || !strcmp(c->metric, "system"));
    if (j->step > c->judge->threshold / 4)
        tacho_str_printf(out, "the values come in steps of %.2g %%: smaller differences cannot be seen",
                         100 * j->step);
    else if (part && least < sampled_seconds)
        tacho_str_puts(out, "most kernels divide a run's time into user and system time by samples every few "
                            "milliseconds: in short runs only their sum, cpu, is precise");
}

static void note_samples(tacho_str *out, const report_compare *c)
{
    const tacho_judgement *j = c->judgement;
    size_t missing = j->sides[0].missing + j->sides[1].missing;
    if (missing)
        tacho_str_printf(
            out, "%zu run%s without a value%s", missing, missing == 1 ? " is" : "s are",
            c->result && !strcmp(c->metric, "cycles")
                ? " (without counters, cycles need a core clock that is the same before and after a run)"
                : "");
    if (j->left_out)
        tacho_str_printf(out, "%s%zu run%s not count: the block was not completed", missing ? "; " : "",
                         j->left_out, j->left_out == 1 ? " does" : "s do");
}

static void note_failures(tacho_str *out, const report_compare *c)
{
    if (c->result && c->result->failed)
        tacho_str_printf(out, "%zu of the runs failed, and count as the others do", c->result->failed);
    if (c->result && c->result->timed_out)
        tacho_str_printf(out, "%s%zu did not end in time, and do not count", c->result->failed ? "; " : "",
                         c->result->timed_out);
}

static void put_time_wanted(tacho_str *out, const tacho_judgement *j, double a_block, double warm_up)
{
    const double reserve = 1.2;
    tacho_str_printf(out, "a block of four runs takes %.2g s: --max-time %.0f would do", a_block,
                     ceil(reserve * a_block * (j->units_needed + warm_up)));
    if (!j->layout_count && j->units < j->units_needed_apart)
        tacho_str_printf(out, ", or %.0f where the sides are far apart",
                         ceil(reserve * a_block * (j->units_needed_apart + warm_up)));
}

static void note_end(tacho_str *out, const report_compare *c)
{
    const tacho_judgement *j = c->judgement;
    if (!c->result)
        return;
    double warm_up = c->options->warm_up / 2.0; /* in blocks */
    double a_block = c->result->seconds / ((double)c->result->run_count / 4 + warm_up);
    if (c->result->end == TACHO_COMPARE_STOPPED)
        tacho_str_puts(out, "it was interrupted: this is what there was until then");
    else if (c->result->end == TACHO_COMPARE_TIME && j->verdict == TACHO_VERDICT_NONE)
        put_time_wanted(out, j, a_block, warm_up);
    else if (c->result->end == TACHO_COMPARE_TIME || c->result->end == TACHO_COMPARE_MAX_REACHED)
        tacho_str_printf(out, "the interval is wider than asked for, because the %s",
                         c->result->end == TACHO_COMPARE_TIME ? "time limit was reached"
                                                              : "maximum number of runs was reached");
    else if (c->result->end == TACHO_COMPARE_LAYOUTS)
        tacho_str_puts(out, "the interval is as wide as it is because layouts differ: more runs would not "
                            "narrow it, more layouts would");
}

static void note_events(tacho_str *out, const report_compare *c)
{
    if (c->result && c->result->multiplexed)
        tacho_str_puts(out, "some events were counted for a part of the time only, and are scaled: fewer at "
                            "once would be exact");
}

void report_compare_notes(report_sentences *out, const report_compare *c)
{
    static void (*const notes[])(tacho_str *, const report_compare *) = {
        note_separation, note_end,   note_failures, note_samples,     note_layouts, note_a,
        note_b,          note_drift, note_outliers, note_granularity, note_short,   note_events};
    for (size_t n = 0; n < sizeof notes / sizeof *notes; n++) {
        notes[n](&out->text, c);
        report_sentences_end(out);
    }
}

/* ---- text ---- */

static void put_command(tacho_str *out, const report_compare *c, uint32_t side, bool colour)
{
    report_label(out, colour, side ? "B" : "A");
    if (c->names[side]) {
        report_put_plain(out, c->names[side]);
        tacho_str_puts(out, ": ");
    }
    report_command(out, c->commands[side]);
    tacho_str_putc(out, '\n');
}

static void put_ratio(tacho_str *out, const report_compare *c, bool colour)
{
    const tacho_judgement *j = c->judgement;
    tacho_str line = {0};
    if (isnan(j->ratio))
        tacho_str_printf(&line, "none: %s", j->paired ? "no block has both sides" : "a side has no samples");
    else
        tacho_str_printf(&line, "%s of B / %s of A: %.4f", c->metric, c->metric, j->ratio);
    if (!isnan(j->ratio_low))
        tacho_str_printf(&line, ", %g %% interval %.4f to %.4f; %s test p = %.2g", 100 * j->confidence,
                         j->ratio_low, j->ratio_high,
                         report_compare_is_signed(j) ? "signed-rank" : "rank-sum", j->p_value);
    report_line_text(out, colour, "ratio", &line);
}

static void put_elapsed(tacho_str *out, const report_compare *c, bool colour)
{
    tacho_str line = {0};
    report_compare_elapsed(&line, c);
    if (line.length)
        report_line_text(out, colour, "elapsed", &line);
}

/* Why there were no more runs. */
static const char *report_compare_end_words(tacho_compare_end end)
{
    static const char *const words[] = {"precise enough",
                                        "as precise as asked for",
                                        "the maximum number was reached",
                                        "the time limit was reached",
                                        "more layouts are needed",
                                        "interrupted"};
    return words[end];
}

static void put_runs(tacho_str *out, const report_compare *c, bool colour)
{
    const tacho_judgement *j = c->judgement;
    tacho_str line = {0};
    if (j->paired)
        tacho_str_printf(&line, "%u block%s of A B B A or B A A B", j->blocks, tacho_plural(j->blocks));
    else
        tacho_str_puts(&line, "independent samples");
    if (j->layout_count)
        tacho_str_printf(&line, " in %zu layouts", j->layout_count);
    if (c->result) {
        if (c->options->warm_up)
            tacho_str_printf(&line, ", after %u of each to warm up", c->options->warm_up);
        if (c->result->cpu >= 0)
            tacho_str_printf(&line, "; CPU %d", c->result->cpu);
        tacho_str_printf(&line, "; %.1f s; %s", c->result->seconds, report_compare_end_words(c->result->end));
    }
    report_line_text(out, colour, "runs", &line);
}

static void put_layouts(tacho_str *out, const report_compare *c, bool colour)
{
    const tacho_judgement *j = c->judgement;
    double low = INFINITY, high = 0;
    tacho_str line = {0};
    if (!j->layout_count)
        return;
    for (size_t i = 0; i < j->layout_count; i++) {
        low = fmin(low, j->layouts[i].ratio);
        high = fmax(high, j->layouts[i].ratio);
    }
    tacho_str_printf(&line, "%zu; ratios from %.4f to %.4f", j->layout_count, low, high);
    for (int side = 0; side < 2; side++)
        if (!isnan(j->sides[side].layout_share))
            tacho_str_printf(&line, "; of %c's variance, %.0f %% comes from the layout", "AB"[side],
                             100 * j -> sides[side].layout_share);
    report_line_text(out, colour, "layouts", &line);
}

static void put_number(tacho_str *out, double value)
{
    char text[40] = "-";
    if (!isnan(value)) {
        int digits = fabs(value) >= 1000 ? 1 : fabs(value) >= 100 ? 2 : fabs(value) >= 10 ? 3 : 4;
        if (fabs(value) < 1e12)
            snprintf(text, sizeof text, "%.*f", digits, value);
        else
            snprintf(text, sizeof text, "%.5g", value);
    }
    tacho_str_printf(out, " %10s", text);
}

static void put_table(tacho_str *out, const report_compare *c, bool colour)
{
    char unit[80];
    double scale = report_compare_scale(c, unit, sizeof unit);
    tacho_str_printf(out, "\n%s%s%s:\n%-2s", c->metric, *unit ? ", " : "", unit, "");
    report_paintf(out, colour, REPORT_DIM, "%10s %10s %10s %10s %10s %10s %10s", "runs", "min", "q1",
                  "median", "q3", "max", "MAD");
    tacho_str_putc(out, '\n');
    for (uint32_t side = 0; side < 2; side++) {
        const tacho_distribution *d = &c->judgement->sides[side].values;
        const double columns[] = {d->min, d->q1, d->median, d->q3, d->max, d->mad};
        tacho_str_printf(out, "%c %10zu", "AB"[side], d -> count);
        for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
            put_number(out, columns[i] / scale);
        tacho_str_putc(out, '\n');
    }
}

static void put_notes(tacho_str *out, const report_compare *c, bool colour)
{
    report_sentences notes = {0};
    report_compare_notes(&notes, c);
    report_sentences_text(out, &notes, colour);
    report_sentences_free(&notes);
}

void report_compare_text(tacho_str *out, const report_compare *c, bool colour)
{
    TACHO_FREED tacho_str answer = {0};
    report_compare_answer(&answer, c);
    report_paint(out, colour, REPORT_BOLD, answer.data ? answer.data : "");
    out->failed |= answer.failed;
    tacho_str_puts(out, "\n\n");
    for (uint32_t side = 0; side < 2; side++)
        if (c->commands[side])
            put_command(out, c, side, colour);
    put_ratio(out, c, colour);
    put_elapsed(out, c, colour);
    put_runs(out, c, colour);
    put_layouts(out, c, colour);
    put_table(out, c, colour);
    put_notes(out, c, colour);
}
