/* explain_text.c - why, and what would help, for people: the critical dependency cycle, where the issue slots
 * went, what-ifs, advice. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/report/report.h"
#include "x86/arch/port_digits.h"

enum {
    LINE_COLUMNS = 100,
    SHOWN_WHAT_IFS = 4,
    SHOWN_STEPS = 24,
    SHOWN_SHARE_PERMILLE = 5 /* smaller shares would be printed as 0 % */
};

static void chain_step(tacho_str *out, const report_subject *s, size_t i)
{
    const tacho_prediction *p = s->prediction;
    uint32_t number = report_critical(p, i);
    const tacho_insn_report *r = &p->instructions[number];
    char insn[160], carried[120] = "", latency[TACHO_NUMBER_SIZE];
    report_carriers c;
    report_find_carrier(p, i, &c);
    size_t used = 0;
    for (size_t k = 0; k < c.count && used < sizeof carried; k++)
        used += (size_t)snprintf(carried + used, sizeof carried - used, "%s%s", k ? ", " : "", c.names[k]);
    if (used < sizeof carried && report_critical_wraps(p, i))
        snprintf(carried + used, sizeof carried - used, "%snext iteration", used ? ", " : "");
    report_insn_text(s, r, insn, sizeof insn);
    report_number(latency, report_critical_latency(p, i));
    tacho_str_printf(out, "%4u %4s  %-28s  %s\n", number, latency, carried, insn);
}

/* Only where it holds the code up, or nothing else does. */
void report_chain_text(tacho_str *out, const report_subject *s)
{
    const tacho_prediction *p = s->prediction;
    char cycles[TACHO_NUMBER_SIZE], iterations[TACHO_NUMBER_SIZE];
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
    tacho_str_puts(out, "   #  lat  hands on                      instruction\n");
    for (size_t i = 0; i < p->critical_cycle_length && i < SHOWN_STEPS; i++)
        chain_step(out, s, i);
    if (p->critical_cycle_length > SHOWN_STEPS)
        tacho_str_printf(out, "   ... %zu in all\n", p->critical_cycle_length);
}

void report_wrapped(tacho_str *out, const char *text, size_t at)
{
    size_t column = at;
    for (;;) {
        size_t word = 0, width = 0;
        for (; (unsigned char)text[word] > ' ' && text[word] != 0x7f; word++)
            width += ((unsigned char)text[word] & 0xc0) != 0x80; /* not a further byte of a character */
        if (column > at && column + 1 + width > LINE_COLUMNS) {
            tacho_str_printf(out, "\n%*s", (int)at, "");
            column = at;
        } else if (column > at) {
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

void report_wrapped_text(tacho_str *out, tacho_str *text, size_t at)
{
    report_wrapped(out, text->data ? text->data : "", at);
    out->failed |= text->failed;
    tacho_str_free(text);
}

/* The bytes of the first `columns` columns of a line. */
static size_t bytes_of(const char *line, size_t length, size_t columns)
{
    size_t i = 0;
    for (size_t seen = 0; i < length; i++)
        if (((unsigned char)line[i] & 0xc0) != 0x80 && seen++ == columns)
            break;
    return i;
}

/* Sentences go on in the next line; a row of a table ends with "...". */
static void put_narrow(tacho_str *out, const char *line, size_t length)
{
    static const char warning[] = "warning: ", dots[] = "...";
    size_t label = strlen(warning);
    if (bytes_of(line, length, LINE_COLUMNS) == length) {
        tacho_str_append(out, line, length);
    } else if (length > label && !memcmp(line, warning, label)) {
        tacho_str sentence = {0};
        tacho_str_puts(out, warning);
        tacho_str_append(&sentence, line + label, length - label);
        report_wrapped_text(out, &sentence, label);
        return;
    } else {
        tacho_str_append(out, line, bytes_of(line, length, LINE_COLUMNS - strlen(dots)));
        tacho_str_puts(out, dots);
    }
    tacho_str_putc(out, '\n');
}

void report_narrow(tacho_str *out, tacho_str *text)
{
    for (const char *line = text->data, *end = line + text->length; line < end;) {
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

static void lost_ports(tacho_str *out, const tacho_topdown *t)
{
    const char *before = " (";
    for (int p = 0; p < TACHO_MAX_PORTS; p++) {
        if (!is_shown(t->lost_to_port[p]))
            continue;
        tacho_str_printf(out, "%sp%c %.0f %%", before, port_digit((unsigned)p), 100 * t->lost_to_port[p]);
        before = ", ";
    }
    if (*before == ',')
        tacho_str_putc(out, ')');
}

/* Largest first. */
static void lost_slots(tacho_str *out, const tacho_topdown *t)
{
    const char *before = "  lost to ";
    uint32_t done = 0;
    for (;;) {
        int most = -1;
        for (int k = 0; k < TACHO_SLOT_REASON_COUNT; k++)
            if (!(done >> k & 1) && is_shown(t->lost[k]) && (most < 0 || t->lost[k] > t->lost[most]))
                most = k;
        if (most < 0)
            break;
        done |= 1u << most;
        tacho_str_printf(out, "%s%s %.0f %%", before, report_slot_words[most], 100 * t->lost[most]);
        if (most == TACHO_SLOT_PORTS)
            lost_ports(out, t);
        before = ", ";
    }
    if (done)
        tacho_str_putc(out, '\n');
}

void report_topdown_text(tacho_str *out, const tacho_topdown *t)
{
    if (!isfinite(t->retiring))
        return;
    tacho_str_printf(out,
                     "\nIssue slots: %.0f %% retiring, %.0f %% front-end bound, %.0f %% back-end bound "
                     "(core %.0f %%, dependencies %.0f %%)\n",
                     100 * t->retiring, 100 * t->frontend, 100 * (t->backend_core + t->backend_dependencies),
                     100 * t->backend_core, 100 * t->backend_dependencies);
    lost_slots(out, t);
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

static void what_if_line(tacho_str *out, const tacho_what_if *w)
{
    char cycles[TACHO_NUMBER_SIZE];
    report_number(cycles, w->cycles);
    tacho_str_printf(out, "  %8s  %+4.0f %%  ", cycles, w->gain ? -100 * w->gain : 0);
    report_wrapped(out, w->text, 20);
}

static void all_what_ifs(tacho_str *out, const tacho_explanation *e)
{
    for (size_t i = 0; i < e->what_if_count; i++)
        what_if_line(out, &e->what_ifs[i]);
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
        all_what_ifs(out, e);
    else
        for (size_t i = 0; i < count; i++)
            what_if_line(out, best[i]);
    if (e->advice_count)
        tacho_str_puts(out, "\nWhat would help (simulated):\n");
    for (size_t i = 0; i < e->advice_count; i++) {
        tacho_str_puts(out, "  - ");
        report_wrapped(out, e->advice[i].text, 4);
    }
}
