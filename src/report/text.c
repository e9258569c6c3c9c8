/* text.c - a prediction for people: the answer first, then why, then the details. Lines stay within 100
 * columns as long as instructions are not very long. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "arch/port_digits.h"
#include "report/report.h"

enum {
    BAR_WIDTH = 40
};

typedef struct painter {
    tacho_str *out;
    bool colour;
} painter;

#define RED    "\033[31m"
#define YELLOW "\033[33m"

void report_paint(tacho_str *out, bool colour, const char *style, const char *text)
{
    tacho_str_printf(out, "%s%s%s", colour ? style : "", text, colour ? "\033[0m" : "");
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

static void label(const painter *p, const char *text)
{
    report_label(p->out, p->colour, text);
}

/* ---- the bottleneck in words ---- */

/* Ports that are (nearly) as busy as the busiest one. */
static void busiest_ports(const tacho_prediction *p, char *out, size_t size)
{
    double sums[TACHO_MAX_PORTS] = {0}, most = 0;
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < p->instruction_count; i++)
        for (unsigned port = 0; port < TACHO_MAX_PORTS; port++)
            if (p->instructions[i].ports[port] > 0)
                sums[port] += p->instructions[i].ports[port];
    for (unsigned port = 0; port < TACHO_MAX_PORTS; port++)
        most = sums[port] > most ? sums[port] : most;
    for (unsigned port = 0; port < TACHO_MAX_PORTS && most > 0 && used < size; port++)
        if (sums[port] > 0.97 * most)
            used += (size_t)snprintf(out + used, size - used, "%sp%c", used ? ", " : "", port_digit(port));
}

static void carriers_text(const tacho_prediction *p, char *out, size_t size)
{
    report_carriers c;
    report_find_carriers(p, &c);
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < c.count && used < size; i++) {
        const char *before = i == 0 ? "through " : i + 1 == c.count && !c.more ? " and " : ", ";
        used += (size_t)snprintf(out + used, size - used, "%s%s", before, c.names[i]);
    }
    if (c.more && used < size)
        snprintf(out + used, size - used, ", ...");
}

static void critical_text(const tacho_prediction *p, char *out, size_t size)
{
    size_t count = p->critical_cycle_length;
    size_t used = (size_t)snprintf(out, size, "instruction%s ", count == 1 ? "" : "s");
    for (size_t i = 0; i < count && used < size; i++) {
        if (i == 12) {
            snprintf(out + used, size - used, ", ... (%zu in all)", count);
            break;
        }
        used += (size_t)snprintf(out + used, size - used, "%s%u", i ? ", " : "", report_critical(p, i));
    }
}

/* What binds, and what it would take to move it. */
static void explain(const tacho_prediction *p, tacho_bound b, char *what, char *move, size_t size)
{
    char detail[256], numbers[128];
    what[0] = move[0] = '\0';
    switch (b) {
    case TACHO_BOUND_PREDECODE:
        snprintf(what, size, "finding where instructions begin (%u bytes, up to %u instructions a cycle)",
                 p->arch->predecode_block_bytes, p->arch->predecode_width);
        snprintf(move, size,
                 "shorter instructions, no length-changing prefixes, or code that the DSB can hold");
        break;
    case TACHO_BOUND_DECODE:
        snprintf(what, size, "the decoders");
        snprintf(move, size,
                 "fewer instructions that need the complex decoder, or code that the DSB can hold");
        break;
    case TACHO_BOUND_DSB:
        snprintf(what, size, "delivery from the DSB, the cache of decoded µops (%u a cycle)",
                 p->arch->dsb_width);
        snprintf(move, size, "fewer µops, or a better placement of the code (see --alignment)");
        break;
    case TACHO_BOUND_LSD:
        snprintf(what, size, "delivery from the LSD, which replays the loop out of the µop queue");
        snprintf(move, size, "fewer µops, or an unrolled loop");
        break;
    case TACHO_BOUND_ISSUE:
        snprintf(what, size, "the renamer issues at most %u fused µops a cycle", p->arch->issue_width);
        snprintf(move, size, "fewer µops: fused memory operands, wider vectors, less loop overhead");
        break;
    case TACHO_BOUND_PORTS:
        busiest_ports(p, detail, sizeof detail);
        snprintf(what, size, "execution ports%s%s", *detail ? "; the busiest: " : "", detail);
        snprintf(move, size, "fewer µops for these ports, or instructions that can use others");
        break;
    case TACHO_BOUND_DIVIDER:
        snprintf(what, size, "the divider, which takes one division at a time");
        snprintf(move, size, "fewer or narrower divisions and square roots, or reciprocals");
        break;
    case TACHO_BOUND_PORT_CONFLICTS:
        snprintf(what, size, "expected conflicts over ports, between chains of a cycle an iteration");
        snprintf(move, size, "fewer such chains, or fewer µops for their ports");
        break;
    case TACHO_BOUND_START_INTERVALS:
        snprintf(what, size,
                 "instructions that can start only every so many cycles (locked ones, cpuid ...)");
        snprintf(move, size, "fewer of them");
        break;
    default:
        carriers_text(p, detail, sizeof detail);
        snprintf(what, size, "the dependency %s", *detail ? detail : "from one iteration to the next");
        if (p->critical_cycle_length) {
            critical_text(p, numbers, sizeof numbers);
            size_t n = strlen(what);
            snprintf(what + n, size - n, " (%s)", numbers);
        }
        snprintf(move, size, "a shorter chain, or several independent ones (more accumulators)");
        break;
    }
}

/* Whether µops came that way at all: decoders do not limit a loop that the DSB serves. */
static bool in_use(const tacho_prediction *p, int b)
{
    switch (b) {
    case TACHO_BOUND_PREDECODE:
    case TACHO_BOUND_DECODE:
        return p->source == TACHO_SOURCE_MITE || p->source == TACHO_SOURCE_MIXED;
    case TACHO_BOUND_DSB:
        return p->source == TACHO_SOURCE_DSB || p->source == TACHO_SOURCE_MIXED;
    case TACHO_BOUND_LSD:
        return p->source == TACHO_SOURCE_LSD;
    default:
        return true;
    }
}

/* The largest bound that is not a bottleneck. */
static int next_bound(const tacho_prediction *p)
{
    int best = -1;
    for (int b = 0; b < TACHO_BOUND_COUNT; b++)
        if (in_use(p, b) && !(p->bottlenecks & 1u << b) && isfinite(p->bounds[b]) &&
            (best < 0 || p->bounds[b] > p->bounds[best]))
            best = b;
    return best;
}

static void bottleneck(const painter *paint_, const tacho_prediction *p)
{
    char what[512], move[256], number[TACHO_NUMBER_SIZE], words[REPORT_WORDS_SIZE];
    int next = next_bound(p);
    for (int b = 0; b < TACHO_BOUND_COUNT; b++) {
        if (!(p->bottlenecks & 1u << b))
            continue;
        explain(p, (tacho_bound)b, what, move, sizeof move);
        label(paint_, "bottleneck");
        paint(paint_, REPORT_BOLD, report_bound_words((tacho_bound)b, words));
        tacho_str_printf(paint_->out, ": %s\n", what);
        label(paint_, "to move it");
        tacho_str_printf(paint_->out, "%s\n", move);
    }
    if (!p->bottlenecks) {
        label(paint_, "bottleneck");
        tacho_str_puts(paint_->out, "no single component: they get in each other's way");
        if (next >= 0)
            tacho_str_printf(paint_->out, "; the nearest is %s at %s",
                             report_bound_words((tacho_bound)next, words),
                             report_number(number, p->bounds[next]));
        tacho_str_putc(paint_->out, '\n');
    } else if (next >= 0) {
        label(paint_, "next limit");
        tacho_str_printf(paint_->out, "%s, at %s\n", report_bound_words((tacho_bound)next, words),
                         report_number(number, p->bounds[next]));
    }
}

void report_bottleneck_text(tacho_str *out, bool colour, const tacho_prediction *p)
{
    const painter paint_ = {out, colour};
    bottleneck(&paint_, p);
}

/* ---- the head ---- */

static void head(const painter *paint_, const report_subject *s)
{
    const tacho_prediction *p = s->prediction;
    char number[TACHO_NUMBER_SIZE], exact[48], text[160];
    snprintf(text, sizeof text, "%s cycle%s per iteration", report_number(number, p->cycles),
             p->cycles == 1 ? "" : "s");
    paint(paint_, REPORT_BOLD, text);
    if (p->cycles_den > 1 && !p->unknown_count)
        tacho_str_printf(paint_->out, " (exactly %s)", report_exact(p, exact));
    tacho_str_printf(paint_->out, " on %s, %s\n\n", p->arch->name, p->arch->long_name);
    tacho_str what_if = {0};
    if (report_what_if(p, &what_if)) {
        label(paint_, "what if");
        tacho_str_printf(paint_->out, "%s\n", what_if.failed ? "" : what_if.data);
    }
    tacho_str_free(&what_if);
    bottleneck(paint_, p);
    label(paint_, "mode");
    tacho_str_printf(paint_->out, "%s; µops from ",
                     p->mode == TACHO_MODE_LOOP ? "loop: the code jumps back to its start"
                                                : "unroll: copies of the code one after the other");
    tacho_str_printf(paint_->out, "%s\n",
                     p->source == TACHO_SOURCE_MITE  ? "the decoders (MITE)"
                     : p->source == TACHO_SOURCE_DSB ? "the DSB (µop cache)"
                     : p->source == TACHO_SOURCE_LSD ? "the LSD (loop stream detector)"
                                                     : "several sources");
    if (p->bounds_only) {
        label(paint_, "by bounds");
        tacho_str_printf(paint_->out, "the highest of the bounds, not simulated: %s\n",
                         p->bottlenecks >> TACHO_BOUND_PORT_CONFLICTS & 1
                             ? "an expectation, as that of port conflicts is no limit"
                             : "a lower limit");
    } else if (!p->cycles_den) {
        label(paint_, "steady state");
        tacho_str_printf(paint_->out, "not found: an average over %u simulated iterations\n",
                         p->simulated_iterations);
    }
}

static void bounds(const painter *paint_, const tacho_prediction *p)
{
    double most = p->cycles;
    tacho_str_puts(paint_->out, "\nEach component alone, cycles per iteration:\n");
    for (int b = 0; b < TACHO_BOUND_COUNT; b++)
        most = isfinite(p->bounds[b]) && p->bounds[b] > most ? p->bounds[b] : most;
    for (int b = 0; b < TACHO_BOUND_COUNT; b++) {
        char line[160], bar[BAR_WIDTH + 1], words[REPORT_WORDS_SIZE], number[TACHO_NUMBER_SIZE];
        if (!isfinite(p->bounds[b]) || p->bounds[b] == 0)
            continue;
        int n = most > 0 ? (int)lround(p->bounds[b] / most * BAR_WIDTH) : 0;
        memset(bar, '#', sizeof bar);
        bar[n < 0 ? 0 : n > BAR_WIDTH ? BAR_WIDTH : n] = '\0';
        const char *name = report_bound_words((tacho_bound)b, words);
        int width = 20 - (int)strlen(name); /* the number fills the column, whatever the name leaves */
        snprintf(line, sizeof line, "  %s %*s  %s", name, width, report_number(number, p->bounds[b]), bar);
        if (p->bottlenecks & 1u << b)
            paint(paint_, RED, line);
        else
            tacho_str_puts(paint_->out, line);
        tacho_str_putc(paint_->out, '\n');
    }
    report_topdown_text(paint_->out, &p->topdown);
}

/* ---- the table of instructions ---- */

enum {
    MAX_COLUMNS = 10 + TACHO_MAX_PORTS
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
static size_t add_port_columns(const tacho_prediction *p, column *columns, size_t n)
{
    bool all = p->arch->ports <= TACHO_MAX_BOUND_PORTS;
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
static size_t make_columns(const tacho_prediction *p, column *columns)
{
    static const column fixed[] = {{"MITE", offsetof(tacho_insn_report, uops_mite), true, false},
                                   {"MS", offsetof(tacho_insn_report, uops_ms), true, false},
                                   {"DSB", offsetof(tacho_insn_report, uops_dsb), true, false},
                                   {"LSD", offsetof(tacho_insn_report, uops_lsd), true, false}};
    size_t n = 0;
    columns[n++] = (column){"lat", offsetof(tacho_insn_report, latency), false, true};
    columns[n++] = (column){"rthr", offsetof(tacho_insn_report, reciprocal_throughput), false, true};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (used_at_all(p, &fixed[i]))
            columns[n++] = fixed[i];
    if (!p->bounds_only) {
        columns[n++] = (column){"issued", offsetof(tacho_insn_report, uops_issued), true, false};
        columns[n++] = (column){"exec", offsetof(tacho_insn_report, uops_executed), true, false};
        n = add_port_columns(p, columns, n);
    }
    column critical = {"crit", offsetof(tacho_insn_report, critical_latency), false, false};
    if (used_at_all(p, &critical))
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

static void row(const painter *paint_, const report_subject *s, size_t number, const column *columns,
                size_t count, size_t notes_columns, uint32_t mask)
{
    const tacho_insn_report *r = &s->prediction->instructions[number];
    char text[160], notes[40];
    size_t n = 0;
    uint32_t shown = r->notes & mask;
    tacho_str_printf(paint_->out, "%4zu", number);
    for (size_t i = 0; i < count; i++)
        cell(paint_->out, &columns[i], value_of(&columns[i], r), column_width(&columns[i]));
    for (size_t k = 0; k < report_note_count; k++)
        if (shown & report_notes[k].bit)
            notes[n++] = report_notes[k].letter;
    notes[n] = '\0';
    tacho_insn_format(&r->insn, s->region->address + r->code_offset, 1, text, sizeof text);
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

static void legend(tacho_str *out, bool critical)
{
    tacho_str_puts(out, "\n  lat  latency of the instruction alone; of a load with the first-level cache\n"
                        "  rthr reciprocal throughput: cycles between independent copies of it\n");
    if (critical)
        tacho_str_puts(out, "  crit cycles that it adds to the critical dependency cycle\n");
}

static void table(const painter *paint_, const report_subject *s)
{
    const tacho_prediction *p = s->prediction;
    column columns[MAX_COLUMNS];
    size_t count = make_columns(p, columns), notes_columns = notes_width(p);
    uint32_t mask = shown_notes(p);
    tacho_str line = {0};
    tacho_str_puts(&line, "   #");
    for (size_t i = 0; i < count; i++)
        tacho_str_printf(&line, " %*s", (int)column_width(&columns[i]), columns[i].title);
    tacho_str_printf(&line, "  %-*s  instruction", (int)notes_columns, "notes");
    tacho_str_puts(paint_->out,
                   p->bounds_only
                       ? "\nInstructions:\n"
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
    legend(paint_->out, !columns[count - 1].sum && !columns[count - 1].zero);
    for (size_t k = 0; k < report_note_count; k++)
        if (seen & report_notes[k].bit)
            report_note_text(paint_->out, &report_notes[k]);
}

static void warn(const painter *paint_, const char *text)
{
    paint(paint_, YELLOW, "warning:");
    tacho_str_printf(paint_->out, " %s\n", text);
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
    head(&p, s);
    bounds(&p, s->prediction);
    report_chain_text(out, s);
    report_help_text(out, s);
    table(&p, s);
    warnings(&p, s);
}

void report_text_row(tacho_str *out, const report_subject *s, bool colour)
{
    const tacho_prediction *p = s->prediction;
    painter paint_ = {out, colour};
    char number[TACHO_NUMBER_SIZE] = "", exact[48] = "", names[128] = "", name[100] = "";
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
    tacho_str_printf(out, "%-5s %8s  %-10s  %-6s  %-9s  %s", s->arch->name, report_number(number, p->cycles),
                     p->unknown_count ? "" : report_exact(p, exact), tacho_mode_name(p->mode),
                     tacho_uop_source_name(p->source),
                     report_bottleneck_words(p->bottlenecks, names, sizeof names));
    if (p->unknown_count)
        tacho_str_printf(out, "   (without figures for %u of %zu instructions)", p->unknown_count,
                         p->instruction_count);
    if (s->region_count > 1)
        tacho_str_printf(out, "   [%s]", report_region_name(s, name, sizeof name));
    tacho_str_putc(out, '\n');
}
