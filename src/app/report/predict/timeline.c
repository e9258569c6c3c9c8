/* timeline.c - the timeline for a terminal: a row for each µop, a column for each cycle, as people know it
 * from llvm-mca; the stages are those of tacho/trace.h. */
#include "app/report/report.h"
#include "x86/arch/port_digits.h"

/* What happened in a cycle, by precedence; between the events what the µop waited for. */
typedef struct span {
    int32_t from; /* -1: did not happen */
    char at, after;
} span;

static char cell(const span *spans, size_t n, int32_t cycle, int32_t retired)
{
    char c = ' ';
    for (size_t k = 0; k < n; k++)
        if (spans[k].from >= 0 && cycle >= spans[k].from)
            c = cycle == spans[k].from ? spans[k].at : spans[k].after;
    return cycle > retired ? ' ' : c;
}

static void put_row(tacho_str *out, const tacho_trace_uop *u, int32_t cycles)
{
    const span spans[] = {
        {u->predecoded, 'P', '.'}, {u->queued, 'Q', '.'},     {u->issued, 'I', u->port >= 0 ? '~' : '-'},
        {u->ready, 'r', '='},      {u->dispatched, 'D', 'e'}, {u->executed, 'E', '-'},
        {u->retired, 'R', ' '}};
    int32_t end = u->retired + 1 < cycles ? u->retired + 1 : cycles;
    for (int32_t c = 0; c < end; c++)
        tacho_str_putc(out, cell(spans, sizeof spans / sizeof *spans, c, u->retired));
    for (int32_t c = end; c < cycles; c++)
        tacho_str_putc(out, ' ');
}

static const char legend[] =
    "  P predecoded   Q entered the µop queue   I issued   r operands ready   D dispatched to its port\n"
    "  E executed   R retired   (D in place of r: dispatched in the cycle in which it became ready)\n"
    "  . in a queue of the front end   ~ waits for operands   = waits for its port   e is being executed\n"
    "  - done, waits for older µops to retire\n";

/* Tens above, ones below. */
static void put_ruler(tacho_str *out, int indent, int32_t cycles)
{
    tacho_str_printf(out, "%-*s", indent, "iteration,");
    for (int32_t c = 0; c < cycles; c += 10)
        tacho_str_printf(out, "%-*d", c + 10 < cycles ? 10 : 1, c);
    tacho_str_printf(out, "\n%-*s", indent, "instruction  port    from");
    for (int32_t c = 0; c < cycles; c++)
        tacho_str_putc(out, (char)('0' + c % 10));
    tacho_str_putc(out, '\n');
}

/* Where the µop came from and where it went: the port, or why none. */
static const char *place_of(const tacho_trace_uop *u, char out[16])
{
    if (u->port < 0)
        return tacho_trace_kind_name(u->kind);
    snprintf(out, 16, "p%c", port_digit((unsigned)u->port));
    return out;
}

static int32_t last_cycle(const kept_trace *t, report_timeline_limits l, size_t *rows)
{
    int32_t last = 0;
    for (*rows = 0; *rows < t->uop_count; ++*rows) {
        const tacho_trace_uop *u = &t->uops[*rows];
        if (l.iterations && u->iteration >= l.iterations)
            break;
        if (l.cycles && (u->issued >= (int32_t)l.cycles))
            break;
        last = u->retired > last ? u->retired : last;
    }
    return l.cycles && last >= (int32_t)l.cycles ? (int32_t)l.cycles : last + 1;
}

void report_timeline(tacho_str *out, const report_subject *s, const kept_trace *t,
                     report_timeline_limits limits)
{
    enum {
        INDENT = 29
    };
    char text[160], place[16], name[32];
    size_t rows;
    int32_t cycles = last_cycle(t, limits, &rows);
    tacho_str_printf(
        out, "Timeline, from the start of the simulation (the result is that of iterations %u to %u)\n",
        s->prediction->averaged_from, s->prediction->averaged_to - 1);
    tacho_str_puts(out, legend);
    put_ruler(out, INDENT, cycles);
    for (size_t k = 0; k < rows; k++) {
        const tacho_trace_uop *u = &t->uops[k];
        const tacho_insn_report *r = s->prediction->instructions[u->instruction];
        report_insn_text(s, r, text, sizeof text);
        snprintf(name, sizeof name, "[%u,%u]", u->iteration, u->instruction);
        tacho_str_printf(out, "%-9s %-12s %-5s ", name, place_of(u, place),
                         report_column_word(s->prediction->arch, tacho_trace_source_name(u->source)));
        put_row(out, u, cycles);
        tacho_str_printf(out, " %s%s\n", u->uop ? "  " : "", text);
    }
    if (rows < t->uop_count)
        tacho_str_puts(
            out,
            "  (more: --timeline-max-iterations, --timeline-max-cycles; all of it: --trace FILE.html)\n");
}
