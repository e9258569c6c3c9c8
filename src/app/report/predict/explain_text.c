/* explain_text.c - why, and what would help, for people: the critical dependency cycle, where the issue slots
 * went, what-ifs, advice. */
#include "app/report/report.h"
#include "model/explain/critical.h"

enum {
    SHOWN_WHAT_IFS = 4,
    SHOWN_STEPS = 24,
    SHOWN_SHARE_PERMILLE = 5 /* smaller shares would be printed as 0 % */
};

static void chain_step(code_table *t, const report_subject *s, size_t i)
{
    const tacho_prediction *p = s->prediction;
    uint32_t number = tacho_critical_insn(p, i);
    char text[160], before[24];
    TACHO_FREED tacho_str carried = {0};
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
                     "Issue slots: %.0f %% retiring, %.0f %% front-end bound, %.0f %% back-end bound (core "
                     "%.0f %%, dependencies %.0f %%)",
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
