/* report_machine.c - a machine: the doctor's findings and its memory. The verdict comes first, then group by
 * group what was found; beneath what is not good, why it matters and what to do. */
#include "app/report/measure/report_measure.h"
#include "app/report/report.h"

enum {
    STATE_COLUMNS = 12,
    TITLE_COLUMNS = 24,
    TITLE_AT = 2 + STATE_COLUMNS,
    VALUE_AT = TITLE_AT + TITLE_COLUMNS
};

static const char *const group_words[TACHO_DOCTOR_GROUP_COUNT] = {
    [TACHO_DOCTOR_COUNTERS] = "Performance counters",
    [TACHO_DOCTOR_CLOCK] = "Clocks",
    [TACHO_DOCTOR_FREQUENCY] = "Frequency",
    [TACHO_DOCTOR_SHARING] = "Who else uses the processor",
    [TACHO_DOCTOR_NOISE] = "What gets in the way",
    [TACHO_DOCTOR_MEMORY] = "Memory",
    [TACHO_DOCTOR_SANDBOX] = "Running unknown code safely",
};

static const char *const clock_words[TACHO_DOCTOR_CLOCK_COUNT] = {
    [TACHO_DOCTOR_CLOCK_PERF] = "perf: core cycles from performance counters",
    [TACHO_DOCTOR_CLOCK_TSC_CALIBRATED] =
        "tsc-calibrated: the time stamp counter, with chains of known latency beside each sample",
    [TACHO_DOCTOR_CLOCK_TSC] = "tsc: the time stamp counter alone, which does not give core cycles",
};

static const char *const verdict_words[TACHO_DOCTOR_VERDICT_COUNT] = {
    [TACHO_DOCTOR_FIT] = "Fit for measuring",
    [TACHO_DOCTOR_FIT_WITH_CARE] = "Fit for measuring, with care",
    [TACHO_DOCTOR_UNFIT] = "Unfit for measuring",
};

static const char *state_style(tacho_doctor_state state)
{
    return state == TACHO_DOCTOR_GOOD         ? REPORT_GREEN
           : state == TACHO_DOCTOR_ACCEPTABLE ? REPORT_YELLOW
           : state == TACHO_DOCTOR_BAD        ? REPORT_RED
                                              : REPORT_DIM;
}

static void head(tacho_str *out, const tacho_doctor_report *r, bool colour)
{
    report_paintf(out, colour, REPORT_BOLD, "%s: CPU %d, %s", verdict_words[r->verdict], r->cpu,
                  r->processor);
    tacho_str_puts(out, "\n\n");
    report_line(out, colour, "clock", "%s", clock_words[r->clock]);
    for (size_t i = 0; i < r->reason_count; i++)
        report_line(out, colour,
                    i                                  ? ""
                    : r->verdict == TACHO_DOCTOR_UNFIT ? "unfit for"
                                                       : "care for",
                    "%s", r->reasons[i]);
}

static void padded(tacho_str *out, const char *text, int columns)
{
    int width = columns - (int)tacho_str_columns(text);
    tacho_str_printf(out, "%s%*s", text, width > 0 ? width : 1, "");
}

static void finding(tacho_str *out, const tacho_doctor_finding *f, bool colour)
{
    char state[STATE_COLUMNS + 1];
    snprintf(state, sizeof state, "%-*s", STATE_COLUMNS,
             f->unfit ? "unfit" : tacho_doctor_state_name(f->state));
    tacho_str_puts(out, "  ");
    report_paint(out, colour, state_style(f->state), state);
    padded(out, f->title, TITLE_COLUMNS);
    report_wrapped(out, f->value, VALUE_AT);
    if (!f->advice)
        return;
    tacho_str_printf(out, "%*s", TITLE_AT, "");
    report_wrapped(out, f->why, TITLE_AT);
    tacho_str_printf(out, "%*s-> ", TITLE_AT, "");
    report_wrapped(out, f->advice, TITLE_AT + 3);
    if (f->command)
        tacho_str_printf(out, "%*s   $ %s\n", TITLE_AT, "", f->command);
}

void report_doctor_text(tacho_str *out, const tacho_doctor_report *r, bool colour)
{
    head(out, r, colour);
    for (size_t i = 0; i < r->finding_count; i++) {
        const tacho_doctor_finding *f = &r->findings[i];
        if (!i || f->group != r->findings[i - 1].group) {
            tacho_str_putc(out, '\n');
            report_paint(out, colour, REPORT_BOLD, group_words[f->group]);
            tacho_str_putc(out, '\n');
        }
        finding(out, f, colour);
    }
}

/* ---- JSON ---- */

#define RECORD tacho_doctor_figure
static const report_field figures[] = {
    {MEMBER(value, "a number; shares are fractions")},
    {MEMBER(unit, "of it", .none = REPORT_ZERO)},
};
#undef RECORD

#define RECORD tacho_doctor_finding
static json_t *figures_json(const tacho_doctor_finding *f)
{
    json_t *o = json_object();
    for (size_t i = 0; i < f->figure_count; i++)
        json_object_set_new(o, f->figures[i].name, report_record_json(ROWS(figures), &f->figures[i], NULL));
    return o;
}

GETTER(figures_of, report_object(figures_json(r)))
static const report_field findings[] = {
    {MEMBER(id, "below")},
    {WORD("group", group, tacho_doctor_group_name,
          "`counters`, `clock`, `frequency`, `sharing`, `noise`, `memory`, `sandbox`")},
    {MEMBER(title, "a few words")},
    {WORD("state", state, tacho_doctor_state_name, "`good`, `acceptable`, `bad`, `unknown`")},
    {MEMBER(unfit, "alone makes the machine unfit")},
    {MEMBER(value, "what was found, for people")},
    {MEMBER(why, "why it matters for measuring")},
    {MEMBER(advice, NULL, .none = REPORT_NO_TEXT)},
    {MEMBER(command, "what to change, and how", .none = REPORT_NO_TEXT)},
    {MADE(OBJECT, "figures", figures_of, "by name; one that could not be had is missing",
          .table = ROWS(figures))},
};
#undef RECORD

#define RECORD tacho_doctor_report
GETTER(fit, report_bool(r->verdict != TACHO_DOCTOR_UNFIT))
static const report_field examination[] = {
    {SCHEMA("tacho-doctor-1")},
    {WORD("verdict", verdict, tacho_doctor_verdict_name,
          "`fit`, `fit_with_care` (something is bad), `unfit`")},
    {MADE(BOOL, "fit", fit, "false only for `unfit`, as the exit status")},
    {TEXTS("reasons", reasons, reason_count,
           "for `unfit` what makes it so, for `fit_with_care` what is bad")},
    {WORD("clock", clock, tacho_doctor_clock_name,
          "what a measurement would use: `perf`, `tsc-calibrated`, `tsc`")},
    MEMBERS2(processor, cpu, "its name; number of the CPU that was examined"),
    {MEMBER(seconds, "that the measuring took")},
    {RECORDS("findings", findings, finding_count, ROWS(findings), "always all, in this order")},
};
#undef RECORD
TABLE(report_doctor_table, examination, "tacho-doctor-1");

/* ---- the levels of a machine's memory: a line for each, then translation and prefetching ---- */

/* ---- text ---- */

static const char *rounded(char out[TACHO_NUMBER_SIZE], double value)
{
    return isfinite(value) ? tacho_format_number(out, value, 1) : "-";
}

static void put_levels(tacho_str *out, const tacho_memory *m, bool colour)
{
    char n[5][TACHO_NUMBER_SIZE], size[2][TACHO_SIZE_SIZE];
    tacho_str_puts(out, "                                cycles a load     bytes a cycle\n");
    report_paint(out, colour, REPORT_BOLD,
                 "level         size   by CPUID   latency  random   loads  stores  copies");
    tacho_str_putc(out, '\n');
    for (uint32_t i = 0; i < m->level_count; i++) {
        const tacho_memory_level *l = &m->levels[i];
        tacho_str_printf(out, "%-7s %10s %10s %9s %7s %7s %7s %7s\n", l->name,
                         tacho_format_size(size[0], l->bytes),
                         l->cpuid_bytes ? tacho_format_size(size[1], l->cpuid_bytes) : "-",
                         rounded(n[0], l->latency_cycles), rounded(n[4], l->random_cycles),
                         rounded(n[1], l->load_bytes_per_cycle), rounded(n[2], l->store_bytes_per_cycle),
                         rounded(n[3], l->copy_bytes_per_cycle));
    }
}

static void put_walk(tacho_str *out, const tacho_memory *m, tacho_memory_pages pages, const char *name)
{
    char n[TACHO_NUMBER_SIZE];
    if (isfinite(m->walk_cycles[pages]))
        tacho_str_printf(out, "walk         %s cycles with %s pages\n", rounded(n, m->walk_cycles[pages]),
                         name);
}

static bool has_huge(const tacho_memory *m)
{
    return m->point_count && isfinite(m->points[0].cycles[TACHO_MEMORY_2M]);
}

static void put_translation(tacho_str *out, const tacho_memory *m)
{
    char n[TACHO_NUMBER_SIZE], size[TACHO_SIZE_SIZE];
    for (uint32_t i = 0; i < m->tlb_count; i++)
        tacho_str_printf(out,
                         "TLB %u        %u pages of 4 KiB (%s); a load that misses waits %s cycles more\n",
                         i + 1, m->tlb[i].entries, tacho_format_size(size, (uint64_t)m->tlb[i].entries << 12),
                         rounded(n, m->tlb[i].miss_cycles));
    put_walk(out, m, TACHO_MEMORY_4K, "4 KiB");
    put_walk(out, m, TACHO_MEMORY_2M, "2 MiB");
    if (m->point_count && !has_huge(m))
        tacho_str_puts(out,
                       "huge pages   none to be had here: /sys/kernel/mm/transparent_hugepage/enabled\n");
}

void report_memory_text(tacho_str *out, const tacho_memory *m, bool colour)
{
    char n[TACHO_NUMBER_SIZE], more[TACHO_NUMBER_SIZE];
    report_paintf(out, colour, REPORT_BOLD, "Memory of %s%s%s%s", m->processor, *m->core ? " (" : "", m->core,
                  *m->core ? ")" : "");
    if (isfinite(m->clock_ghz))
        tacho_str_printf(out, ", at %s GHz", report_number(n, m->clock_ghz));
    tacho_str_puts(out, "\n\n");
    put_levels(out, m, colour);
    tacho_str_putc(out, '\n');
    const tacho_memory_level *last = &m->levels[m->level_count - 1];
    if (isfinite(last->past_store_bytes_per_cycle))
        tacho_str_printf(out, "past caches  %s bytes a cycle of stores, %s of copies (non-temporal)\n",
                         rounded(n, last->past_store_bytes_per_cycle),
                         rounded(more, last->past_copy_bytes_per_cycle));
    put_translation(out, m);
    if (isfinite(m->prefetch_bytes))
        tacho_str_printf(out, "prefetching  %s bytes ahead of a stream of loads\n",
                         rounded(n, m->prefetch_bytes));
    if (m->vector_bytes)
        tacho_str_printf(out,
                         "\nLatency: loads at random places, each with its address from the last%s; random:\n"
                         "without that. Streams: vectors of %u bytes, of copies each byte once.\n",
                         has_huge(m) ? ", in 2 MiB pages" : "", m->vector_bytes);
}

/* ---- JSON ---- */

#define RECORD tacho_memory_level
static const report_field levels[] = {
    {MEMBER(name, "`L1`, `L2`, `L3`, `memory`")},
    {MEMBER(bytes,
            "the largest footprint whose loads take less than the mean of this level and the next; of "
            "memory: all of it",
            .unit = "bytes")},
    {MEMBER(cpuid_bytes, "what the processor says", .unit = "bytes", .none = REPORT_ZERO)},
    {MEMBER(latency_cycles, "of loads, each of which has its address from the last", .unit = "cycles")},
    {MEMBER(random_cycles, "of a load at a random place, of many that do not wait for each other",
            .unit = "cycles")},
    {MEMBER(set_lines,
            "lines at the same place of their pages, in one set of the first level, that it holds")},
    {MEMBER(set_cycles, "of a load of such a line, of many that do not wait for each other",
            .unit = "cycles")},
    {MEMBER(load_bytes_per_cycle, NULL)},
    {MEMBER(store_bytes_per_cycle, NULL)},
    {MEMBER(copy_bytes_per_cycle, "of streams; a store's line is read and written back in that time, which "
                                  "is not counted; of a copy each byte is counted once")},
    {MEMBER(past_store_bytes_per_cycle, NULL)},
    {MEMBER(past_copy_bytes_per_cycle, "of memory, with non-temporal stores; null elsewhere")},
};
#undef RECORD

#define RECORD tacho_memory_tlb
static const report_field tlbs[] = {
    {MEMBER(entries, "pages of 4 KiB that it reaches")},
    {MEMBER(miss_cycles, "of a load that misses it", .unit = "cycles")},
};
#undef RECORD

#define RECORD tacho_memory_point
GETTER(small, report_real(r->cycles[TACHO_MEMORY_4K]))
GETTER(huge, report_real(r->cycles[TACHO_MEMORY_2M]))
static const report_field points[] = {
    {MEMBER(bytes, "footprint", .unit = "bytes")},
    {MADE_OR_NULL(REAL, "cycles_4k", small, NULL)},
    {MADE_OR_NULL(REAL, "cycles_2m", huge, "of a dependent load, with pages of 4 KiB and of 2 MiB")},
};
#undef RECORD

#define RECORD tacho_memory
GETTER(walk_small, report_real(r->walk_cycles[TACHO_MEMORY_4K]))
GETTER(walk_huge, report_real(r->walk_cycles[TACHO_MEMORY_2M]))
static const report_field memory[] = {
    {SCHEMA("tacho-memory-1")},
    {MEMBER(processor, "its name")},
    {MEMBER(core, "the microarchitecture", .none = REPORT_ZERO)},
    {MEMBER(clock_ghz, "of the core while this was measured")},
    {MEMBER(vector_bytes, "of a load of the streams", .unit = "bytes", .none = REPORT_ZERO)},
    {RECORDS_IN("levels", levels, level_count, ROWS(levels), "from the first level of cache on")},
    {RECORDS_IN("tlb", tlb, tlb_count, ROWS(tlbs), "levels of the translation buffer for data")},
    {MADE_OR_NULL(REAL, "walk_4k_cycles", walk_small, NULL)},
    {MADE_OR_NULL(REAL, "walk_2m_cycles", walk_huge,
                  "of a load that misses all TLBs, more; null where there were no such pages",
                  .unit = "cycles")},
    {MEMBER(prefetch_bytes, "how far ahead of a stream of loads lines are there", .unit = "bytes")},
    {RECORDS_IN("points", points, point_count, ROWS(points), "the curve, by footprint")},
};
#undef RECORD
TABLE(report_memory_table, memory, "tacho-memory-1");

/* ---- picture ---- */

void report_size_plot_data(tacho_str *out, bool png)
{
    report_plot_terminal(out, 900, 480, png);
    tacho_str_puts(out, "$points << TACHO_END\n");
}

void report_size_plot_axes(tacho_str *out, const char *title, const char *upright, uint64_t low,
                           uint64_t high)
{
    char size[TACHO_SIZE_SIZE];
    const char *comma = "";
    tacho_str_puts(out, "TACHO_END\nset title ");
    report_plot_quoted(out, title);
    tacho_str_printf(out,
                     " noenhanced\nset border 3 lc rgb '#888888'\nset tics nomirror out\n"
                     "set grid ytics lc rgb '#dddddd' lt 1\nset key top left Left reverse\n%s",
                     upright);
    tacho_str_printf(out, "set logscale x 2\nset xrange [%llu:%llu]\nset xtics (", (unsigned long long)low,
                     (unsigned long long)high);
    for (uint64_t at = 1024; at <= high && at; at *= 4, comma = ", ")
        tacho_str_printf(out, "%s'%s' %llu", comma, tacho_format_size(size, at), (unsigned long long)at);
    tacho_str_puts(out, ")\nset xlabel 'footprint'\n");
}

void report_memory_plot(tacho_str *out, const tacho_memory *m, bool png)
{
    char title[160];
    report_size_plot_data(out, png);
    for (uint32_t i = 0; i < m->point_count; i++) {
        const tacho_memory_point *p = &m->points[i];
        tacho_str_printf(out, "%llu", (unsigned long long)p->bytes);
        for (int k = 0; k < TACHO_MEMORY_PAGE_KINDS; k++)
            tacho_str_printf(out, isfinite(p->cycles[k]) ? " %.9g" : " NaN", p->cycles[k]);
        tacho_str_putc(out, '\n');
    }
    snprintf(title, sizeof title, "%s: cycles of a load whose address is the last one's result",
             m->processor);
    report_size_plot_axes(out, title, "set logscale y 2\nset ylabel 'cycles a load'\n", m->points[0].bytes,
                          m->points[m->point_count - 1].bytes);
    for (uint32_t i = 0; i + 1 < m->level_count; i++) {
        const tacho_memory_level *l = &m->levels[i];
        tacho_str_printf(out,
                         "set arrow from %llu, graph 0 to %llu, graph 1 nohead dt 2 lc rgb '#c0392b'\n"
                         "set label '%s' at %llu, graph 0.04 right offset -0.5,0\n",
                         (unsigned long long)l->bytes, (unsigned long long)l->bytes, l->name,
                         (unsigned long long)l->bytes);
    }
    tacho_str_puts(
        out, "plot $points using 1:2 with linespoints pt 7 ps 0.4 lc rgb '#e69f00' title '4 KiB pages'");
    if (has_huge(m))
        tacho_str_puts(out,
                       ", '' using 1:3 with linespoints pt 7 ps 0.4 lc rgb '#2c6bd1' title '2 MiB pages'");
    tacho_str_putc(out, '\n');
}
