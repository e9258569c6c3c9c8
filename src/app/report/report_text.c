/* report_text.c - a prediction for people: the answer first, then why (head.c), then the details. Lines stay
 * within 100 columns as long as instructions are not very long. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "app/report/grid.h"
#include "app/report/report.h"
#include "x86/arch/port_digits.h"

typedef struct painter {
    tacho_str *out;
    bool colour;
} painter;

#define YELLOW "\033[33m"

void report_paint(tacho_str *out, bool colour, const char *style, const char *text)
{
    tacho_str_puts(out, colour ? style : "");
    report_put_plain(out, text);
    tacho_str_puts(out, colour ? "\033[0m" : "");
}

void report_label(tacho_str *out, bool colour, const char *text)
{
    char padded[32];
    snprintf(padded, sizeof padded, "%-13s", text);
    report_paint(out, colour, REPORT_DIM, padded);
}

static void paint(const painter *p, const char *style, const char *text)
{
    report_paint(p->out, p->colour, style, text);
}

/* ---- the table of instructions ---- */

enum {
    MAX_COLUMNS = 10 + TACHO_MAX_PORTS,
    MOST_PORT_COLUMNS = 10 /* of ports that take nothing, too */
};
typedef struct column {
    char title[8];
    size_t offset; /* of its value, a double, in tacho_insn_report */
    bool sum;
    bool zero; /* 0 is shown as such, not left out */
} column;

static double value_of(const column *c, const tacho_insn_report *r)
{
    return *(const double *)((const char *)r + c->offset);
}

static bool used_at_all(const tacho_prediction *p, const column *c)
{
    for (size_t i = 0; i < p->instruction_count; i++)
        if (value_of(c, &p->instructions[i]) > 0)
            return true;
    return false;
}

/* Where there are so many ports that not all fit beside the code, those that take nothing have no column. */
static size_t add_port_columns(const tacho_prediction *p, bool narrow, column *columns, size_t n)
{
    bool all = p->arch->ports <= MOST_PORT_COLUMNS && !narrow;
    for (unsigned port = 0; port < p->arch->ports && port < TACHO_MAX_PORTS; port++) {
        columns[n] = (column){"", offsetof(tacho_insn_report, ports) + port * sizeof(double), true, false};
        if (!all && !used_at_all(p, &columns[n]))
            continue;
        snprintf(columns[n++].title, sizeof columns->title, "p%c", port_digit(port));
    }
    return n;
}

/* First what the instruction takes alone, then what it took here. Sources of µops and the critical cycle get
 * a column only where there is something in it. */
static size_t make_columns(const tacho_prediction *p, bool narrow, column *columns)
{
    static const column fixed[] = {{"MITE", offsetof(tacho_insn_report, uops_mite), true, false},
                                   {"MS", offsetof(tacho_insn_report, uops_ms), true, false},
                                   {"DSB", offsetof(tacho_insn_report, uops_dsb), true, false},
                                   {"LSD", offsetof(tacho_insn_report, uops_lsd), true, false}};
    size_t n = 0;
    columns[n++] = (column){"lat", offsetof(tacho_insn_report, latency), false, true};
    if (!narrow)
        columns[n++] = (column){"rthr", offsetof(tacho_insn_report, reciprocal_throughput), false, true};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (!narrow && used_at_all(p, &fixed[i]))
            columns[n++] = fixed[i];
    if (!p->bounds_only) {
        columns[n++] = (column){"issued", offsetof(tacho_insn_report, uops_issued), true, false};
        if (!narrow)
            columns[n++] = (column){"exec", offsetof(tacho_insn_report, uops_executed), true, false};
        n = add_port_columns(p, narrow, columns, n);
    }
    column critical = {"crit", offsetof(tacho_insn_report, critical_latency), false, false};
    if (!narrow && used_at_all(p, &critical))
        columns[n++] = critical;
    return n;
}

/* "1", "0.5", "12.33": short, and a whole number looks like one. */
static void cell(tacho_str *out, const column *c, double value, size_t width)
{
    char text[TACHO_NUMBER_SIZE] = "";
    if (isfinite(value) && (value >= 0.005 || c->zero))
        report_number(text, value);
    tacho_str_printf(out, " %*s", (int)width, text);
}

static size_t column_width(const column *c)
{
    size_t n = strlen(c->title);
    return n < 4 ? 4 : n;
}

/* The notes that the table shows: one that all instructions have is left to the warnings. */
static uint32_t shown_notes(const tacho_prediction *p)
{
    uint32_t all = UINT32_MAX;
    for (size_t i = 0; i < p->instruction_count; i++)
        all &= p->instructions[i].notes;
    return p->instruction_count > 1 ? ~(all & TACHO_NOTE_ESTIMATED) : UINT32_MAX;
}

static size_t notes_width(const tacho_prediction *p)
{
    size_t width = 5;
    for (size_t i = 0; i < p->instruction_count; i++) {
        size_t n = 0;
        for (size_t k = 0; k < report_note_count; k++)
            n += (p->instructions[i].notes & report_notes[k].bit) != 0;
        width = n > width ? n : width;
    }
    return width;
}

static size_t text_column(const column *columns, size_t count, size_t notes_columns)
{
    size_t at = 4 + 2 + notes_columns + 2;
    for (size_t i = 0; i < count; i++)
        at += 1 + column_width(&columns[i]);
    return at;
}

static void row(const painter *paint_, const report_subject *s, size_t number, const column *columns,
                size_t count, size_t notes_columns, uint32_t mask)
{
    const tacho_insn_report *r = &s->prediction->instructions[number];
    char text[160], notes[40];
    size_t n = 0;
    uint32_t shown = r->notes & mask;
    report_labels(paint_->out, s, r, text_column(columns, count, notes_columns));
    tacho_str_printf(paint_->out, "%4zu", number);
    for (size_t i = 0; i < count; i++)
        cell(paint_->out, &columns[i], value_of(&columns[i], r), column_width(&columns[i]));
    for (size_t k = 0; k < report_note_count; k++)
        if (shown & report_notes[k].bit)
            notes[n++] = report_notes[k].letter;
    notes[n] = '\0';
    report_insn_text(s, r, text, sizeof text);
    tacho_str_printf(paint_->out, "  %-*s  ", (int)notes_columns, notes);
    const char *style = r->notes & TACHO_NOTE_UNKNOWN    ? YELLOW
                        : r->notes & TACHO_NOTE_CRITICAL ? REPORT_BOLD
                                                         : "";
    if (*style)
        paint(paint_, style, text);
    else
        tacho_str_puts(paint_->out, text);
    tacho_str_putc(paint_->out, '\n');
}

static void sums(const painter *paint_, const tacho_prediction *p, const column *columns, size_t count)
{
    tacho_str_puts(paint_->out, " sum");
    for (size_t i = 0; i < count; i++) {
        double sum = columns[i].sum ? 0 : NAN;
        for (size_t k = 0; k < p->instruction_count && columns[i].sum; k++) {
            double value = value_of(&columns[i], &p->instructions[k]);
            sum += isfinite(value) ? value : 0;
        }
        cell(paint_->out, &columns[i], sum, column_width(&columns[i]));
    }
    tacho_str_putc(paint_->out, '\n');
}

static void legend(tacho_str *out, bool narrow, bool critical)
{
    tacho_str_puts(out, "\n  lat  latency of the instruction alone; of a load with the first-level cache\n");
    if (!narrow)
        tacho_str_puts(out, "  rthr reciprocal throughput: cycles between independent copies of it\n");
    if (critical)
        tacho_str_puts(out, "  crit cycles that it adds to the critical dependency cycle\n");
}

static void table(const painter *paint_, const report_subject *s)
{
    const tacho_prediction *p = s->prediction;
    column columns[MAX_COLUMNS];
    size_t count = make_columns(p, s->narrow, columns), notes_columns = notes_width(p);
    uint32_t mask = shown_notes(p);
    tacho_str line = {0};
    tacho_str_puts(&line, "   #");
    for (size_t i = 0; i < count; i++)
        tacho_str_printf(&line, " %*s", (int)column_width(&columns[i]), columns[i].title);
    tacho_str_printf(&line, "  %-*s  instruction", (int)notes_columns, "notes");
    tacho_str_puts(paint_->out,
                   p->bounds_only ? "\nInstructions:\n"
                   : s->narrow    ? "\nµops per iteration: issued (fused), on each port that has any\n"
                               : "\nµops per iteration: by source, issued (fused), executed, on each port\n");
    paint(paint_, REPORT_DIM, line.failed ? "" : line.data);
    tacho_str_putc(paint_->out, '\n');
    tacho_str_free(&line);
    for (size_t i = 0; i < p->instruction_count; i++)
        row(paint_, s, i, columns, count, notes_columns, mask);
    if (!p->bounds_only)
        sums(paint_, p, columns, count);
    uint32_t seen = 0;
    for (size_t i = 0; i < p->instruction_count; i++)
        seen |= p->instructions[i].notes;
    seen &= mask;
    legend(paint_->out, s->narrow, !columns[count - 1].sum && !columns[count - 1].zero);
    for (size_t k = 0; k < report_note_count; k++)
        if (seen & report_notes[k].bit)
            report_note_text(paint_->out, &report_notes[k]);
}

static void warn(const painter *paint_, const char *text)
{
    paint(paint_, YELLOW, "warning:");
    tacho_str_putc(paint_->out, ' ');
    report_put_plain(paint_->out, text);
    tacho_str_putc(paint_->out, '\n');
}

static void warnings(const painter *paint_, const report_subject *s)
{
    const tacho_prediction *p = s->prediction;
    char flow[300];
    report_flow_warning(p, flow, sizeof flow);
    if (s->warning_count + p->warning_count || *flow)
        tacho_str_putc(paint_->out, '\n');
    for (size_t i = 0; i < s->warning_count; i++)
        warn(paint_, s->warnings[i]);
    for (size_t i = 0; i < p->warning_count; i++)
        warn(paint_, p->warnings[i]);
    if (*flow)
        warn(paint_, flow);
}

void report_text(tacho_str *out, const report_subject *s, bool colour)
{
    painter p = {out, colour};
    if (s->region_count > 1 || s->region->name) {
        char name[100], text[240];
        report_region_name(s, name, sizeof name);
        snprintf(text, sizeof text, "[%zu] %s", s->region_number, name);
        if (s->region->line)
            snprintf(text + strlen(text), sizeof text - strlen(text), " (line %llu)",
                     (unsigned long long)s->region->line);
        paint(&p, REPORT_BOLD, text);
        tacho_str_putc(out, '\n');
    }
    report_head(out, s, colour);
    report_bounds_text(out, s->prediction, colour);
    report_topdown_text(out, &s->prediction->topdown);
    report_chain_text(out, s);
    report_help_text(out, s);
    table(&p, s);
    warnings(&p, s);
}

void report_text_row(tacho_str *out, const report_subject *s, bool colour)
{
    const tacho_prediction *p = s->prediction;
    painter paint_ = {out, colour};
    char cycles[REPORT_RESULT_SIZE], exact[48] = "", limit[160], name[100] = "", missing[200];
    if (s->region_number == 0 && s->arch == NULL) {
        paint(&paint_, REPORT_DIM, "arch    cycles  exactly     mode    µops from  bottleneck");
        tacho_str_putc(out, '\n');
        return;
    }
    if (!p) {
        tacho_str_printf(out, "%-5s %8s  %s", s->arch->name, "-", s->error ? s->error : "");
        if (s->region_count > 1)
            tacho_str_printf(out, "   [%s]", report_region_name(s, name, sizeof name));
        tacho_str_putc(out, '\n');
        return;
    }
    tacho_str_printf(out, "%-5s %8s  %-10s  %-6s  %-9s  %s", s->arch->name, report_prediction_cell(cycles, p),
                     p->unknown_count ? "" : report_exact(p, exact), tacho_mode_name(p->mode),
                     tacho_uop_source_name(p->source), report_limit(p, "", limit, sizeof limit));
    if (*report_missing(p, missing, sizeof missing))
        tacho_str_printf(out, "   (%s)", missing);
    if (s->region_count > 1)
        tacho_str_printf(out, "   [%s]", report_region_name(s, name, sizeof name));
    tacho_str_putc(out, '\n');
}
