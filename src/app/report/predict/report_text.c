/* report_text.c - a prediction for people: the answer first, then why (head.c), then the details. Lines stay
 * within 100 columns as long as instructions are not very long. */
#include "app/report/report.h"

/* Whether the text was not said before; now it is. NULL: it never was. */
static bool report_said_now(report_said *said, const char *text)
{
    if (!said)
        return true;
    for (size_t at = 0; at < said->texts.length; at += strlen(said->texts.data + at) + 1)
        if (!strcmp(said->texts.data + at, text))
            return false;
    tacho_str_append(&said->texts, text, strlen(text) + 1);
    return true;
}

void report_said_free(report_said *said)
{
    tacho_str_free(&said->texts);
}

void report_warning_text(tacho_str *out, bool colour, const char *text)
{
    static const char label[] = "warning:";
    const size_t at = strlen(label) + 1;
    tacho_str plain = {0};
    report_put_plain(&plain, text);
    report_paint(out, colour, REPORT_YELLOW, label);
    tacho_str_putc(out, ' ');
    report_wrapped_text(out, &plain, at);
}

static void warn(tacho_str *out, const report_subject *s, bool colour, const char *text, size_t *count)
{
    TACHO_FREED tacho_str own = {0};
    report_own_words(&own, s->arch, text);
    if (!own.failed && report_said_now(s->said, own.data)) {
        tacho_str_puts(out, *count ? "" : "\n");
        report_warning_text(out, colour, own.data);
        ++*count;
    }
    out->failed |= own.failed;
}

void report_warnings_text(tacho_str *out, const report_subject *s, bool colour)
{
    const tacho_prediction *p = s->prediction;
    size_t count = 0;
    char flow[300];
    for (size_t i = 0; i < s->warning_count; i++)
        warn(out, s, colour, s->warnings[i], &count);
    for (size_t i = 0; p && i < p->warning_count; i++)
        if (i != p->derived_warning)
            warn(out, s, colour, p->warnings[i], &count);
    if (p && *report_flow_warning(p, flow, sizeof flow))
        warn(out, s, colour, flow, &count);
}

void report_legend_line(tacho_str *out, report_said *said, const char *key, const char *text)
{
    char line[200];
    snprintf(line, sizeof line, "%-4s %s", key, text);
    if (!report_said_now(said, line))
        return;
    tacho_str_printf(out, "  %-4s ", key);
    report_wrapped(out, text, 7);
}

void report_notes_text(tacho_str *out, const report_subject *s)
{
    const tacho_prediction *p = s->prediction;
    uint32_t seen = 0, every = UINT32_MAX, shown = report_shown_notes(p);
    for (size_t i = 0; i < p->instruction_count; i++) {
        seen |= p->instructions[i]->notes;
        every &= p->instructions[i]->notes;
    }
    for (size_t k = 0; k < report_note_count; k++) {
        const report_note *note = &report_notes[k];
        char text[160];
        snprintf(text, sizeof text, "%s%s%s", note->words, note->more ? ": " : "",
                 note->more ? note->more : "");
        if (seen & shown & note->bit && note->bit != TACHO_NOTE_ESTIMATED)
            report_legend_line(out, s->said, (char[]){note->letter, '\0'}, text);
    }
    if (seen & ~shown & TACHO_NOTE_SAME_CORE)
        report_legend_line(out, s->said, "=",
                           every & TACHO_NOTE_SAME_CORE
                               ? "all figures measured on another product with the same core"
                               : "most figures measured on another product with the same core");
    if (s->said) {
        s->said->instructions += p->instruction_count;
        s->said->derived += p->derived_count;
        s->said->some |= (seen & shown & TACHO_NOTE_ESTIMATED) != 0;
    } else if (p->derived_warning < p->warning_count) {
        report_legend_line(out, NULL, "~", p->warnings[p->derived_warning]);
    }
}

void report_said_text(tacho_str *out, const report_said *said)
{
    if (said->derived)
        tacho_str_printf(out,
                         "\n%s%zu of the %zu instructions above have figures carried over or estimated\n",
                         said->some ? "~ " : "", said->derived, said->instructions);
}

void report_units_legend(tacho_str *out, const report_subject *s, uint32_t ports)
{
    report_unit units[TACHO_MAX_PORTS];
    TACHO_FREED tacho_str what = {0}, line = {0};
    report_units_text(&what, units, report_units(s->prediction->arch, units), ports);
    if (what.length && !what.failed && report_said_now(s->said, what.data)) {
        tacho_str_puts(&line, "  ");
        report_wrapped_text(&line, &what, 2);
        tacho_str_puts(out, line.failed ? "" : line.data);
    }
}

/* ---- cycles per element, and two versions of a piece of code that are compared by them ---- */

/* "8 elements of 4 bytes" */
static void put_work(tacho_str *out, const tacho_prediction *p, tacho_work work)
{
    const tacho_elements *e = &p->elements;
    const uint32_t count = tacho_prediction_work(p, work);
    tacho_str_printf(out, "%u %s%s", count, tacho_work_name(work), tacho_plural(count));
    if (work == TACHO_WORK_ELEMENT && e->largest_bytes > e->smallest_bytes)
        tacho_str_printf(out, " of %u to %u bytes", e->smallest_bytes, e->largest_bytes);
    else if (work == TACHO_WORK_ELEMENT && e->smallest_bytes)
        tacho_str_printf(out, " of %u byte%s", e->smallest_bytes, tacho_plural(e->smallest_bytes));
}

static void put_cycles_per(tacho_str *out, const tacho_prediction *p, tacho_work work)
{
    char cycles[TACHO_NUMBER_SIZE];
    const double each = tacho_prediction_cycles_per(p, work);
    tacho_format_number(cycles, each, work && each < 1 ? TACHO_DECIMALS + 1 : TACHO_DECIMALS);
    tacho_str_printf(out, "%s%s cycle%s per %s", tacho_prediction_is_lower_bound(p) ? "at least " : "",
                     cycles, each == 1 ? "" : "s", tacho_work_name(work));
    if (!work)
        return;
    tacho_str_puts(out, " (");
    put_work(out, p, work);
    tacho_str_puts(out, " an iteration)");
}

void report_elements_text(tacho_str *out, const tacho_prediction *p)
{
    const tacho_work work = p->elements.count ? TACHO_WORK_ELEMENT : TACHO_WORK_BYTE;
    if (tacho_prediction_work(p, work))
        put_cycles_per(out, p, work);
}

static void put_why_iteration(tacho_str *out, tacho_work work, const tacho_prediction *a,
                              const tacho_prediction *b)
{
    const tacho_work both = a->elements.count && b->elements.count ? TACHO_WORK_ELEMENT : TACHO_WORK_BYTE;
    const uint32_t in_a = tacho_prediction_work(a, both), in_b = tacho_prediction_work(b, both);
    if (work == TACHO_WORK_ITERATION && in_a && in_a == in_b) {
        tacho_str_puts(out, " (");
        put_work(out, b, both);
        tacho_str_puts(out, " in both)");
    } else if (work == TACHO_WORK_ITERATION) {
        tacho_str_puts(out, " (how much data one works on is not known of both)");
    }
    tacho_str_puts(out, ": ");
}

void report_versions_text(tacho_str *out, bool colour, const char *const inputs[2],
                          const tacho_prediction *const versions[2])
{
    const tacho_work work = tacho_prediction_common_work(versions[0], versions[1]);
    double cycles[2];
    char times[TACHO_NUMBER_SIZE], limit[160];
    tacho_str line = {0};
    for (int i = 0; i < 2; i++) {
        cycles[i] = tacho_prediction_cycles_per(versions[i], work);
        report_put_plain(&line, inputs[i]);
        tacho_str_puts(&line, ": ");
        put_cycles_per(&line, versions[i], work);
        if (*report_limit(versions[i], "limited by ", limit, sizeof limit))
            tacho_str_printf(&line, ", %s", limit);
        report_line_text(out, colour, i ? "B" : "A", &line);
    }
    const int fast = cycles[1] < cycles[0];
    const bool same = fabs(cycles[1] - cycles[0]) < 0.005 * cycles[0];
    tacho_str_printf(&line, "by %s", tacho_work_name(work));
    put_why_iteration(&line, work, versions[0], versions[1]);
    if (same)
        tacho_str_puts(&line, "as fast as each other");
    else
        tacho_str_printf(&line, "%c is %s times as fast as %c", "AB"[fast],
                         report_number(times, cycles[!fast] / cycles[fast]), "AB"[!fast]);
    if (tacho_prediction_is_lower_bound(versions[0]) || tacho_prediction_is_lower_bound(versions[1]))
        tacho_str_puts(&line, ", as far as instructions have figures");
    report_line_text(out, colour, "compared", &line);
}

json_t *report_versions_json(const tacho_prediction *const versions[2], int which)
{
    const tacho_work work = tacho_prediction_common_work(versions[0], versions[1]);
    const double mine = tacho_prediction_cycles_per(versions[which], work),
                 other = tacho_prediction_cycles_per(versions[!which], work);
    return json_pack("{s:s, s:o, s:o}", "by", tacho_work_name(work), "cycles", report_json_real(mine),
                     "times_as_fast", report_json_real(other / mine));
}

/* ---- the report ---- */

typedef struct painter {
    tacho_str *out;
    bool colour;
} painter;

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
    const bool amd = arch_is_amd(p->arch);
    *c = (columns){.count = 0};
    c->unit_count = report_units(p->arch, c->units);
    add_column(c,
               (column){"lat", FIGURE(latency), .zero = true, .spare = 2,
                        .legend = "latency of the instruction alone; of a load with the first-level cache"});
    add_column(c, (column){"rthr", FIGURE(reciprocal_throughput), .zero = true, .spare = 5,
                           .legend = "reciprocal throughput: cycles between independent copies of it"});
    add_column(c, (column){report_column_word(p->arch, "MITE"), FIGURE(uops_mite), .sum = true, .spare = 3,
                           .legend = amd ? "µops from the decoders" : NULL});
    add_column(c, (column){report_column_word(p->arch, "MS"), FIGURE(uops_ms), .sum = true, .spare = 3,
                           .legend = amd ? "µops from the microcode sequencer" : NULL});
    add_column(c, (column){report_column_word(p->arch, "DSB"), FIGURE(uops_dsb), .sum = true, .spare = 3,
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
    TACHO_FREED tacho_str labels = {0};
    report_labels(&labels, s, r);
    for (char *label = labels.data, *end; label && (end = strchr(label, '\n')); label = end + 1) {
        *end = '\0';
        code_table_line(t, "", label, false);
    }
    t->lines.failed |= labels.failed;
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
    TACHO_FREED tacho_str lines = {0};
    legend(&lines, s, &c, shown);
    if (lines.length)
        tacho_str_printf(paint_->out, "\n%s", lines.data);
    paint_->out->failed |= lines.failed;
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
                     tacho_own_word(p->arch, tacho_uop_source_name(p->source)));
    tacho_str_puts(&tail, report_limit(p, "", limit, sizeof limit));
    if (*report_missing(p, missing, sizeof missing))
        tacho_str_printf(&tail, " (%s)", missing);
    if (s->region_count > 1)
        tacho_str_printf(&tail, " [%s]", report_region_name(s, name, sizeof name));
    report_wrapped_text(out, &tail, TAIL_AT);
}
