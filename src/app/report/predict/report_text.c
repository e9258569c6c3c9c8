/* report_text.c - a prediction for people: the answer first, then why (head.c), then the details. Lines stay
 * within 100 columns as long as instructions are not very long. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "app/report/code_table.h"
#include "app/report/report.h"
#include "app/report/units.h"

typedef struct painter {
    tacho_str *out;
    bool colour;
} painter;

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
    MOST_COLUMNS = 10 + TACHO_MAX_PORTS
};

/* A column of figures. Those with `spare` are left out where the line is too short. */
typedef struct column {
    const char *title;
    size_t offset;  /* of its value, a double, in tacho_insn_report */
    uint16_t ports; /* not 0: the sum over these ports, in place of that value */
    bool sum;
    bool zero; /* 0 is shown as such, not left out */
    unsigned spare;
    const char *legend; /* or NULL */
} column;

typedef struct columns {
    column of[MOST_COLUMNS];
    size_t count;
    report_unit units[TACHO_MAX_PORTS];
    size_t unit_count;
} columns;

static double value_of(const column *c, const tacho_insn_report *r)
{
    return c->ports ? report_unit_uops(r, c->ports) : *(const double *)((const char *)r + c->offset);
}

#define FIGURE(member) .offset = offsetof(tacho_insn_report, member)
static void add_column(columns *c, column one)
{
    c->of[c->count++] = one;
}

/* First what the instruction takes alone, then what it took here. */
static void make_columns(columns *c, const tacho_prediction *p)
{
    const bool amd = report_is_amd(p->arch);
    *c = (columns){.count = 0};
    c->unit_count = report_units(p->arch, c->units);
    add_column(c,
               (column){"lat", FIGURE(latency), .zero = true, .spare = 2,
                        .legend = "latency of the instruction alone; of a load with the first-level cache"});
    add_column(c, (column){"rthr", FIGURE(reciprocal_throughput), .zero = true, .spare = 5,
                           .legend = "reciprocal throughput: cycles between independent copies of it"});
    add_column(c, (column){amd ? "dec" : "MITE", FIGURE(uops_mite), .sum = true, .spare = 3,
                           .legend = amd ? "µops from the decoders" : NULL});
    add_column(c, (column){amd ? "ucode" : "MS", FIGURE(uops_ms), .sum = true, .spare = 3,
                           .legend = amd ? "µops from the microcode sequencer" : NULL});
    add_column(c, (column){amd ? "opc" : "DSB", FIGURE(uops_dsb), .sum = true, .spare = 3,
                           .legend = amd ? "µops from the op cache" : NULL});
    add_column(c, (column){"LSD", FIGURE(uops_lsd), .sum = true, .spare = 3});
    if (!p->bounds_only) {
        add_column(c, (column){"iss", FIGURE(uops_issued), .sum = true});
        add_column(c, (column){"exec", FIGURE(uops_executed), .sum = true, .spare = 4});
        for (size_t i = 0; i < c->unit_count; i++)
            add_column(c, (column){c->units[i].title, .ports = c->units[i].ports, .sum = true});
    }
    add_column(c, (column){"crit", FIGURE(critical_latency), .spare = 1,
                           .legend = "cycles that it adds to the critical dependency cycle"});
}

static void put_labels(code_table *t, const report_subject *s, const tacho_insn_report *r)
{
    tacho_str labels = {0};
    report_labels(&labels, s, r);
    for (char *label = labels.data, *end; label && (end = strchr(label, '\n')); label = end + 1) {
        *end = '\0';
        code_table_line(t, "", label, false);
    }
    t->lines.failed |= labels.failed;
    tacho_str_free(&labels);
}

static void row(code_table *t, const report_subject *s, size_t number, const columns *c, uint32_t mask)
{
    const tacho_insn_report *r = s->prediction->instructions[number];
    char text[160], before[24], notes[REPORT_NOTES_SIZE];
    put_labels(t, s, r);
    snprintf(before, sizeof before, "%4zu", number);
    report_insn_text(s, r, text, sizeof text);
    code_table_row(t,
                   r->notes & TACHO_NOTE_UNKNOWN    ? REPORT_YELLOW
                   : r->notes & TACHO_NOTE_CRITICAL ? REPORT_BOLD
                                                    : "",
                   before, text);
    for (size_t i = 0; i < c->count; i++)
        code_table_number(t, value_of(&c->of[i], r), c->of[i].zero);
    code_table_cell(t, report_note_letters(r->notes & mask, notes));
}

static void sums(code_table *t, const tacho_prediction *p, const columns *c)
{
    code_table_row(t, "", " sum", "");
    for (size_t i = 0; i < c->count; i++) {
        double sum = c->of[i].sum ? 0 : NAN;
        for (size_t k = 0; k < p->instruction_count && c->of[i].sum; k++) {
            double value = value_of(&c->of[i], p->instructions[k]);
            sum += isfinite(value) ? value : 0;
        }
        code_table_number(t, sum, false);
    }
    code_table_cell(t, "");
}

static void legend(tacho_str *out, const report_subject *s, const columns *c, uint32_t shown)
{
    uint32_t units = 0;
    for (size_t i = 0; i < c->count; i++) {
        if (shown >> i & 1 && c->of[i].legend)
            report_legend_line(out, s->said, c->of[i].title, c->of[i].legend);
        units |= shown >> i & 1 ? c->of[i].ports : 0;
    }
    report_units_legend(out, s, units);
    report_notes_text(out, s);
}

static void table(const painter *paint_, const report_subject *s)
{
    const tacho_prediction *p = s->prediction;
    const uint32_t mask = report_shown_notes(p);
    columns c;
    code_table t;
    make_columns(&c, p);
    code_table_start(&t, "   #", "instruction", c.count + 1, 1);
    for (size_t i = 0; i < c.count; i++)
        code_table_title(&t, c.of[i].title, c.of[i].spare);
    code_table_title(&t, "notes", 0);
    for (size_t i = 0; i < p->instruction_count; i++)
        row(&t, s, i, &c, mask);
    if (!p->bounds_only)
        sums(&t, p, &c);
    tacho_str_puts(paint_->out,
                   p->bounds_only ? "\nInstructions:\n"
                                  : "\nµops per iteration: by source, issued (fused), executed, on ports\n");
    uint32_t shown = code_table_put(paint_->out, &t, paint_->colour);
    tacho_str lines = {0};
    legend(&lines, s, &c, shown);
    if (lines.length)
        tacho_str_printf(paint_->out, "\n%s", lines.data);
    paint_->out->failed |= lines.failed;
    tacho_str_free(&lines);
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
    report_topdown_text(out, s->prediction);
    report_chain_text(out, s);
    report_help_text(out, s);
    table(&p, s);
    report_warnings_text(out, s, colour);
}

enum {
    TAIL_AT = 47 /* column of the bottleneck in the table of several microarchitectures */
};

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
    tacho_str tail = {0};
    tacho_str_printf(out, "%-5s %8s  %-10s  %-6s  %-9s  ", s->arch->name, report_prediction_cell(cycles, p),
                     p->unknown_count ? "" : report_exact(p, exact), tacho_mode_name(p->mode),
                     report_source_words(p->arch, p->source));
    tacho_str_puts(&tail, report_limit(p, "", limit, sizeof limit));
    if (*report_missing(p, missing, sizeof missing))
        tacho_str_printf(&tail, " (%s)", missing);
    if (s->region_count > 1)
        tacho_str_printf(&tail, " [%s]", report_region_name(s, name, sizeof name));
    report_wrapped_text(out, &tail, TAIL_AT);
}
