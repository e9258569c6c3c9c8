/* report_kernels.c - a study of kernels for people: what was built and measured, and the paper's table
 * (CesASMe, Table 2), with and without what is bound by dependencies through memory (Table 4). */
#include "app/report/report_kernels.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/report/eval_tables.h"
#include "app/report/report.h"

enum {
    SHOWN_FAILURES = 8
};

static bool is_measured(const tacho_kernel_variant *v)
{
    return v->status == TACHO_KERNEL_OK || v->status == TACHO_KERNEL_UNSTABLE;
}

bool report_kernels_same_core(const report_kernels *k)
{
    return k->native && k->result->arch && tacho_arch_same_core(k->native, k->result->arch);
}

/* Variants with a measured number. @param pruned without those that are bound by memory */
static size_t report_kernels_measured(const tacho_kernels_result *r, bool pruned)
{
    size_t n = 0;
    for (size_t i = 0; i < r->variant_count; i++)
        n += is_measured(&r->variants[i]) && !(pruned && r->variants[i].memory_bound);
    return n;
}

static bool is_failure(tacho_kernel_status status)
{
    return status == TACHO_KERNEL_NOT_COMPILED || status == TACHO_KERNEL_CRASHED ||
           status == TACHO_KERNEL_TIMEOUT || status == TACHO_KERNEL_FAILED;
}

size_t report_kernels_failed(const tacho_kernels_result *r)
{
    size_t n = 0;
    for (int s = 0; s < TACHO_KERNEL_STATUS_COUNT; s++)
        n += is_failure((tacho_kernel_status)s) ? r->status_count[s] : 0;
    return n;
}

/* Seconds or minutes, short: "0.42 s". */
static const char *short_time(char out[TACHO_NUMBER_SIZE], double seconds)
{
    if (!isfinite(seconds))
        snprintf(out, TACHO_NUMBER_SIZE, "-");
    else if (seconds < 120)
        snprintf(out, TACHO_NUMBER_SIZE, seconds < 10 ? "%.2f s" : "%.0f s", seconds);
    else
        snprintf(out, TACHO_NUMBER_SIZE, "%.0f min", seconds / 60);
    return out;
}

/* The table of the paper: a row a predictor. `g` is not started yet. */
static void make_table(report_grid *g, const tacho_kernels_result *r, bool pruned)
{
    static const char *const names[] = {"predictor", "datapoints", "failures", "MAPE %", "median %",
                                        "q1 %",      "q3 %",       "tau",      "bias %", "time"};
    report_grid_start(g, sizeof names / sizeof *names, 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        report_grid_cell(g, names[i]);
    for (size_t i = 0; i < r->predictor_count; i++) {
        const tacho_kernels_predictor *p = &r->predictors[i];
        const tacho_score *s = pruned ? &p->pruned : &p->all;
        char text[REPORT_ESTIMATE_SIZE], number[TACHO_NUMBER_SIZE];
        size_t all = s->count + s->failures;
        report_grid_cell(g, p->name);
        report_grid_cell(g, report_count(number, s->count));
        report_grid_cellf(g, "%zu (%.1f %%)", s->failures, all ? 100 * (double)s->failures / (double)all : 0);
        report_grid_cell(g, report_estimate(text, &s->mape, true));
        report_grid_cell(g, report_percent(number, s->median.value));
        report_grid_cell(g, report_percent(number, s->q1.value));
        report_grid_cell(g, report_percent(number, s->q3.value));
        report_grid_cell(g, report_estimate(text, &s->kendall_tau, false));
        report_grid_cell(g, report_percent(number, s->bias));
        report_grid_cell(g, short_time(number, p->seconds));
    }
}

/* ---- text ---- */

static void put_counts(tacho_str *out, const report_kernels *k)
{
    const tacho_kernels_result *r = k->result;
    char n[TACHO_NUMBER_SIZE];
    static const struct {
        tacho_kernel_status status;
        const char *one, *several, *words;
    } parts[] = {{TACHO_KERNEL_MERGED, "has", "have", " the code of an earlier one"},
                 {TACHO_KERNEL_CACHE_MISSES, "misses", "miss", " the first-level data cache too often"},
                 {TACHO_KERNEL_NOT_COMPILED, "was", "were", " not compiled"},
                 {TACHO_KERNEL_CRASHED, "crashed", "crashed", ""},
                 {TACHO_KERNEL_TIMEOUT, "did not end", "did not end", ""},
                 {TACHO_KERNEL_FAILED, "went wrong", "went wrong", ""},
                 {TACHO_KERNEL_PENDING, "was", "were", " not built"},
                 {TACHO_KERNEL_COUNTED, "was", "were", " counted and not measured"},
                 {TACHO_KERNEL_UNSTABLE, "was", "were", " measured, with passes that disagree"},
                 {TACHO_KERNEL_OK, "was", "were", " measured"}};
    tacho_str line = {0};
    tacho_str_printf(&line, "%s kernel%s in ", report_count(n, r->kernel_count),
                     r->kernel_count == 1 ? "" : "s");
    tacho_str_printf(&line, "%s variant%s, of which ", report_count(n, r->variant_count),
                     r->variant_count == 1 ? "" : "s");
    bool first = true;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        size_t count = r->status_count[parts[i].status];
        if (!count)
            continue;
        tacho_str_printf(&line, "%s%s %s%s", first ? "" : ", ", report_count(n, count),
                         count == 1 ? parts[i].one : parts[i].several, parts[i].words);
        first = false;
    }
    tacho_str_puts(&line, ".\n");
    report_wrapped_text(out, &line, 0);
}

static void put_cores(tacho_str *out, const report_kernels *k)
{
    const tacho_kernels_result *r = k->result;
    tacho_str line = {0};
    if (r->arch)
        tacho_str_printf(&line, "Predicted for %s, %s", r->arch->name, r->arch->long_name);
    if (r->clock != TACHO_CLOCK_AUTO)
        tacho_str_printf(&line, "%s%s (clock %s)", r->arch ? "; measured on " : "Measured on ", r->processor,
                         tacho_clock_name(r->clock));
    if (r->arch && r->clock != TACHO_CLOCK_AUTO && !report_kernels_same_core(k))
        tacho_str_puts(&line, ", which is ANOTHER CORE: the errors include the difference between the cores; "
                              "only tau, which compares orders, is meaningful");
    if (line.length) {
        tacho_str_puts(&line, ".\n");
        report_wrapped_text(out, &line, 0);
    }
}

static void put_notes(tacho_str *out, const tacho_kernels_result *r)
{
    char n[TACHO_NUMBER_SIZE];
    for (size_t i = 0; i < r->note_count; i++) {
        tacho_str line = {0};
        tacho_str_printf(&line, "note: %s", r->notes[i].text);
        if (r->notes[i].variants)
            tacho_str_printf(&line, "; %s variant%s not there", report_count(n, r->notes[i].variants),
                             r->notes[i].variants == 1 ? " is" : "s are");
        report_put_plain(out, line.data ? line.data : "");
        tacho_str_putc(out, '\n');
        tacho_str_free(&line);
    }
}

static void put_failures(tacho_str *out, const tacho_kernels_result *r)
{
    size_t shown = 0, all = report_kernels_failed(r);
    for (size_t i = 0; i < r->variant_count && shown < SHOWN_FAILURES; i++) {
        const tacho_kernel_variant *v = &r->variants[i];
        if (!is_failure(v->status))
            continue;
        tacho_str line = {0};
        tacho_str_printf(&line, "%s: %s: %s", v->id, tacho_kernel_status_name(v->status), v->message);
        report_put_plain(out, line.data ? line.data : "");
        tacho_str_putc(out, '\n');
        tacho_str_free(&line);
        shown++;
    }
    if (all > shown)
        tacho_str_printf(out, "... and %zu more: --format csv has them all\n", all - shown);
}

static void put_table(tacho_str *out, const report_kernels *k, bool pruned, bool colour)
{
    char title[200], n[TACHO_NUMBER_SIZE];
    report_grid g;
    const size_t count = report_kernels_measured(k->result, pruned);
    const char *plural = count == 1 ? "" : "s";
    report_count(n, count);
    if (pruned)
        snprintf(title, sizeof title,
                 "Without those bound by dependencies through memory (%.0f %% of tacho's prediction): %s "
                 "variant%s",
                 100 * k->memory_bound, n, plural);
    else
        snprintf(title, sizeof title, "All that were measured: %s variant%s", n, plural);
    tacho_str_putc(out, '\n');
    report_paint(out, colour, REPORT_BOLD, title);
    tacho_str_putc(out, '\n');
    make_table(&g, k->result, pruned);
    report_grid_text(out, &g, colour);
    report_grid_free(&g);
}

static bool has_memory_bound(const tacho_kernels_result *r)
{
    for (size_t i = 0; i < r->variant_count; i++)
        if (!isnan(r->variants[i].memory_share))
            return true;
    return false;
}

static void put_times(tacho_str *out, const tacho_kernels_result *r)
{
    char build[TACHO_NUMBER_SIZE], measure[TACHO_NUMBER_SIZE];
    tacho_str_printf(out, "\nBuilding and counting took %s, measuring %s (this run).\n",
                     short_time(build, r->build_seconds), short_time(measure, r->measure_seconds));
}

void report_kernels_text(tacho_str *out, const report_kernels *k, bool colour)
{
    const tacho_kernels_result *r = k->result;
    put_counts(out, k);
    put_cores(out, k);
    report_put_plain(out, "");
    for (const char *at = r->compilers; at && *at;) {
        size_t n = strcspn(at, "\n");
        tacho_str_printf(out, "%.*s\n", (int)n, at);
        at += n + (at[n] == '\n');
    }
    put_notes(out, r);
    put_failures(out, r);
    if (r->predictor_count && report_kernels_measured(r, false)) {
        put_table(out, k, false, colour);
        if (has_memory_bound(r))
            put_table(out, k, true, colour);
    }
    put_times(out, r);
}
