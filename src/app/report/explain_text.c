/* explain_text.c - why, and what would help, for people: the critical dependency cycle, where the issue slots
 * went, what-ifs, advice. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/report/code_table.h"
#include "app/report/units.h"
#include "model/explain/critical.h"

enum {
    TEXT_COLUMNS = 100, /* of sentences, however wide the line */
    LEAST_COLUMNS = 40,
    SHOWN_WHAT_IFS = 4,
    SHOWN_STEPS = 24,
    SHOWN_SHARE_PERMILLE = 5 /* smaller shares would be printed as 0 % */
};

static size_t columns = TEXT_COLUMNS;

size_t report_line_columns(void)
{
    return columns;
}

void report_set_line_columns(size_t n)
{
    columns = n < LEAST_COLUMNS ? LEAST_COLUMNS : n;
}

static void chain_step(code_table *t, const report_subject *s, size_t i)
{
    const tacho_prediction *p = s->prediction;
    uint32_t number = tacho_critical_insn(p, i);
    char text[160], before[24];
    tacho_str carried = {0};
    critical_carriers c;
    tacho_critical_carrier(p, i, &c);
    for (size_t k = 0; k < c.count; k++)
        tacho_str_printf(&carried, "%s%s", k ? ", " : "", c.names[k]);
    if (tacho_critical_wraps(p, i))
        tacho_str_printf(&carried, "%snext iteration", carried.length ? ", " : "");
    snprintf(before, sizeof before, "%4u", number);
    report_insn_text(s, p->instructions[number], text, sizeof text);
    code_table_row(t, "", before, text);
    code_table_number(t, tacho_critical_latency(p, i), true);
    code_table_cell(t, carried.length && !carried.failed ? carried.data : "");
    t->lines.failed |= carried.failed;
    tacho_str_free(&carried);
}

/* Only where it holds the code up, or nothing else does. */
void report_chain_text(tacho_str *out, const report_subject *s)
{
    const tacho_prediction *p = s->prediction;
    char cycles[TACHO_NUMBER_SIZE], iterations[TACHO_NUMBER_SIZE];
    code_table t;
    bool binds = p->bottlenecks & 1u << TACHO_BOUND_DEPENDENCIES;
    if (!p->critical_cycle_length || !p->instruction_count || (p->bottlenecks && !binds))
        return;
    double sum = 0;
    for (size_t i = 0; i < p->critical_cycle_length; i++)
        sum += p->critical_latencies[i];
    report_number(cycles, sum);
    report_number(iterations, p->critical_cycle_iterations);
    tacho_str_printf(out, "\nCritical dependency cycle, %s cycle%s in %s iteration%s:\n", cycles,
                     sum == 1 ? "" : "s", iterations, p->critical_cycle_iterations == 1 ? "" : "s");
    code_table_start(&t, "   #", "instruction", 2, 1);
    code_table_title(&t, "lat", 0);
    code_table_title(&t, "passes on", 0);
    for (size_t i = 0; i < p->critical_cycle_length && i < SHOWN_STEPS; i++)
        chain_step(&t, s, i);
    code_table_put(out, &t, false);
    if (p->critical_cycle_length > SHOWN_STEPS)
        tacho_str_printf(out, "   ... %zu in all\n", p->critical_cycle_length);
}

void report_wrapped_from(tacho_str *out, const char *text, size_t at, size_t column)
{
    const size_t most = columns < TEXT_COLUMNS ? columns : TEXT_COLUMNS;
    for (bool first = true;; first = false) {
        size_t word = 0, width = 0;
        for (; (unsigned char)text[word] > ' ' && text[word] != 0x7f; word++)
            width += ((unsigned char)text[word] & 0xc0) != 0x80; /* not a further byte of a character */
        if (column > at && column + !first + width > most) {
            tacho_str_printf(out, "\n%*s", (int)at, "");
            column = at;
        } else if (!first && column > at) {
            tacho_str_putc(out, ' ');
            column++;
        }
        tacho_str_append(out, text, word);
        column += width;
        text += word;
        if (!*text)
            break;
        text++;
    }
    tacho_str_putc(out, '\n');
}

void report_wrapped(tacho_str *out, const char *text, size_t at)
{
    report_wrapped_from(out, text, at, at);
}

void report_wrapped_text(tacho_str *out, tacho_str *text, size_t at)
{
    report_wrapped(out, text->data ? text->data : "", at);
    out->failed |= text->failed;
    tacho_str_free(text);
}

/* The bytes of the first `wanted` columns of a line. */
static size_t bytes_of(const char *line, size_t length, size_t wanted)
{
    size_t i = 0;
    for (size_t seen = 0; i < length; i++)
        if (((unsigned char)line[i] & 0xc0) != 0x80 && seen++ == wanted)
            break;
    return i;
}

void report_cut(tacho_str *text, size_t most)
{
    static const char dots[] = "...";
    size_t bytes = text->failed || !text->length ? 0 : bytes_of(text->data, text->length, most);
    if (text->failed || bytes == text->length)
        return;
    text->length = bytes_of(text->data, text->length, most - strlen(dots));
    tacho_str_puts(text, dots);
}

/* Sentences go on in the next line; a row of a table ends with "...". */
static void put_narrow(tacho_str *out, const char *line, size_t length)
{
    static const char warning[] = "warning: ", dots[] = "...";
    size_t label = strlen(warning);
    if (bytes_of(line, length, columns) == length) {
        tacho_str_append(out, line, length);
    } else if (length > label && !memcmp(line, warning, label)) {
        tacho_str sentence = {0};
        tacho_str_puts(out, warning);
        tacho_str_append(&sentence, line + label, length - label);
        report_wrapped_text(out, &sentence, label);
        return;
    } else {
        tacho_str_append(out, line, bytes_of(line, length, columns - strlen(dots)));
        tacho_str_puts(out, dots);
    }
    tacho_str_putc(out, '\n');
}

void report_narrow(tacho_str *out, tacho_str *text)
{
    for (const char *line = text->data ? text->data : "", *end = line + text->length; line < end;) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        size_t length = (size_t)((newline ? newline : end) - line);
        put_narrow(out, line, length);
        line += length + 1;
    }
    out->failed |= text->failed;
    tacho_str_free(text);
}

static bool is_shown(double share)
{
    return share * 1000 >= SHOWN_SHARE_PERMILLE;
}

/* By groups, as the table has them. */
static void lost_ports(tacho_str *out, const tacho_prediction *p)
{
    report_unit units[TACHO_MAX_PORTS];
    size_t count = report_units(p->arch, units);
    const char *before = " (";
    for (size_t i = 0; i < count; i++) {
        double lost = 0;
        for (unsigned port = 0; port < TACHO_MAX_PORTS; port++)
            lost += units[i].ports >> port & 1 ? p->topdown.lost_to_port[port] : 0;
        if (!is_shown(lost))
            continue;
        tacho_str_printf(out, "%s%s %.0f %%", before, units[i].title, 100 * lost);
        before = ", ";
    }
    if (*before == ',')
        tacho_str_putc(out, ')');
}

/* Largest first. */
static void lost_slots(tacho_str *out, const tacho_prediction *p)
{
    const tacho_topdown *t = &p->topdown;
    tacho_str line = {0};
    const char *before = "lost to ";
    uint32_t done = 0;
    for (;;) {
        int most = -1;
        for (int k = 0; k < TACHO_SLOT_REASON_COUNT; k++)
            if (!(done >> k & 1) && is_shown(t->lost[k]) && (most < 0 || t->lost[k] > t->lost[most]))
                most = k;
        if (most < 0)
            break;
        done |= 1u << most;
        tacho_str_puts(&line, before);
        report_own_words(&line, p->arch, report_slot_words[most]);
        tacho_str_printf(&line, " %.0f %%", 100 * t->lost[most]);
        if (most == TACHO_SLOT_PORTS)
            lost_ports(&line, p);
        before = ", ";
    }
    if (!done)
        return;
    tacho_str_puts(out, "  ");
    report_wrapped_text(out, &line, 2);
}

void report_topdown_text(tacho_str *out, const tacho_prediction *p)
{
    const tacho_topdown *t = &p->topdown;
    if (!isfinite(t->retiring))
        return;
    tacho_str line = {0};
    tacho_str_printf(&line,
                     "Issue slots: %.0f %% retiring, %.0f %% front-end bound, %.0f %% back-end bound "
                     "(core %.0f %%, dependencies %.0f %%)",
                     100 * t->retiring, 100 * t->frontend, 100 * (t->backend_core + t->backend_dependencies),
                     100 * t->backend_core, 100 * t->backend_dependencies);
    tacho_str_putc(out, '\n');
    report_wrapped_text(out, &line, 0);
    lost_slots(out, p);
}

/* ---- what would help ---- */

static bool is_same(const tacho_what_if *a, const tacho_what_if *b)
{
    return fabs(a->cycles - b->cycles) < 0.005 * b->cycles;
}

/* A wider change that helps no more than a narrower one does: all ports and one set, all latencies and one,
 * no dependencies and short ones. */
static bool is_redundant(const tacho_explanation *e, const tacho_what_if *w)
{
    for (size_t i = 0; i < e->what_if_count; i++) {
        const tacho_what_if *o = &e->what_ifs[i];
        bool narrower = (w->what == TACHO_WHAT_ALL_PORTS && o->what == TACHO_WHAT_PORTS) ||
                        (w->what == TACHO_WHAT_LATENCIES && o->what == TACHO_WHAT_LATENCY) ||
                        (w->what == TACHO_WHAT_DEPENDENCIES &&
                         (o->what == TACHO_WHAT_MEMORY_DEPENDENCIES || o->what == TACHO_WHAT_LATENCY ||
                          o->what == TACHO_WHAT_LATENCIES));
        if (narrower && is_same(o, w))
            return true;
    }
    return false;
}

static void what_if_line(tacho_str *out, const report_subject *s, const tacho_what_if *w)
{
    tacho_str text = {0};
    char cycles[TACHO_NUMBER_SIZE];
    report_number(cycles, w->cycles);
    tacho_str_printf(out, "  %8s  %+4.0f %%  ", cycles, w->gain ? -100 * w->gain : 0);
    report_own_words(&text, s->prediction->arch, w->text);
    report_wrapped_text(out, &text, 20);
}

static void all_what_ifs(tacho_str *out, const report_subject *s)
{
    for (size_t i = 0; i < s->explanation->what_if_count; i++)
        what_if_line(out, s, &s->explanation->what_ifs[i]);
}

/* Those with a gain that can be seen, largest first. */
static size_t best_what_ifs(const tacho_explanation *e, const tacho_what_if *best[SHOWN_WHAT_IFS])
{
    size_t n = 0;
    for (size_t i = 0; i < e->what_if_count; i++) {
        const tacho_what_if *w = &e->what_ifs[i];
        if (w->gain < 0.01 || is_redundant(e, w))
            continue;
        size_t k = n < SHOWN_WHAT_IFS ? n++ : SHOWN_WHAT_IFS;
        for (; k > 0 && best[k - 1]->gain < w->gain; k--)
            if (k < SHOWN_WHAT_IFS)
                best[k] = best[k - 1];
        if (k < SHOWN_WHAT_IFS)
            best[k] = w;
    }
    return n;
}

void report_help_text(tacho_str *out, const report_subject *s)
{
    const tacho_explanation *e = s->explanation;
    const tacho_what_if *best[SHOWN_WHAT_IFS];
    if (!e)
        return;
    size_t count = best_what_ifs(e, best);
    if (s->all_what_ifs || count)
        tacho_str_puts(out, "\nWhat if there were (simulated), cycles per iteration:\n");
    if (s->all_what_ifs)
        all_what_ifs(out, s);
    else
        for (size_t i = 0; i < count; i++)
            what_if_line(out, s, best[i]);
    if (e->advice_count)
        tacho_str_puts(out, "\nWhat would help (simulated):\n");
    for (size_t i = 0; i < e->advice_count; i++) {
        tacho_str text = {0};
        report_own_words(&text, s->prediction->arch, e->advice[i].text);
        tacho_str_puts(out, "  - ");
        report_wrapped_text(out, &text, 4);
    }
}
