/* report_characterise.c - what was measured of instruction forms, beside a table. */
#include "app/report/report.h"
#include "app/report/measure/report_measure.h"

#include "machine/characterise/agreements.h"
#include "x86/insndb/form_find.h"

enum {
    NAME_SIZE = 200,
    MEASURED_SIZE = TACHO_NUMBER_SIZE + 4
};

static const char *const agreements[] = {"", "agrees", "differs", "within"};

/* "address of M64 (2nd) -> R64 (1st)" */
static void pair_text(const tacho_characterisation *c, const tacho_measured_latency *l, char *out,
                      size_t size)
{
    static const char *const paths[] = {"", "address of ", "index of ", "data of ", ""};
    char from[100], to[100];
    tacho_form form;
    tacho_form_get(c->form, &form);
    tacho_form_operand_text(&form, l->source, from, sizeof from);
    tacho_form_operand_text(&form, l->target, to, sizeof to);
    bool agen = form.operands[l->source].kind == TACHO_OPERAND_AGEN;
    snprintf(out, size, "%s%s -> %s%s", agen && l->path == TACHO_PATH_ADDRESS ? "base of " : paths[l->path],
             from, to, l->path == TACHO_PATH_SAME_REGISTER ? ", both one register" : "");
}

/* ---- text ---- */

static void table_text(tacho_str *out, tacho_agreement how, double figure)
{
    char number[TACHO_NUMBER_SIZE];
    tacho_str_printf(out, "  %8s  %-8s", report_number(number, figure), isnan(figure) ? "" : agreements[how]);
}

static const char *measured_text(double cycles, bool at_most, char out[MEASURED_SIZE])
{
    char number[TACHO_NUMBER_SIZE];
    snprintf(out, MEASURED_SIZE, "%s%s", at_most && !isnan(cycles) ? "<= " : "",
             report_number(number, cycles));
    return out;
}

static const char *latency_measured(const tacho_measured_latency *l, char out[MEASURED_SIZE])
{
    return measured_text(l->cycles, l->status == TACHO_LATENCY_AT_MOST, out);
}

static void chain_text(tacho_str *out, const tacho_measured_latency *l, bool measured)
{
    char number[TACHO_NUMBER_SIZE];
    tacho_str_printf(out, "%14s%s\n", "", l->chain);
    if (isnan(l->chain_cycles))
        return;
    tacho_str_printf(out, "%14s%s cycle%s", "", report_number(number, l->chain_cycles),
                     l->chain_cycles == 1 ? "" : "s");
    if (l->subtracted > 0)
        tacho_str_printf(out, ", of these %s for what is not the instruction",
                         report_number(number, l->subtracted));
    if (l->divided_by > 1)
        tacho_str_printf(out, ", for %u instances", l->divided_by);
    if (measured && !isnan(l->uncertainty))
        tacho_str_printf(out, "; ± %s", report_number(number, l->uncertainty));
    tacho_str_putc(out, '\n');
}

static void latency_text(tacho_str *out, const report_characterised *c, unsigned n)
{
    const tacho_measured_latency *l = &c->result->latencies[n];
    char cycles[MEASURED_SIZE], pair[240], words[REPORT_WORDS_SIZE];
    double figure;
    tacho_agreement how = tacho_compare_latency(c->arch, c->result, n, &figure);
    pair_text(c->result, l, pair, sizeof pair);
    tacho_str_printf(out, "  %10s", latency_measured(l, cycles));
    if (c->arch)
        table_text(out, how, figure);
    tacho_str_printf(out, "  %s", pair);
    if (l->status == TACHO_LATENCY_ROUND_TRIP)
        tacho_str_puts(out, ", round trip");
    tacho_str_putc(out, '\n');
    if (*l->chain)
        chain_text(out, l, c->clock != NULL);
    if (*l->why)
        tacho_str_printf(out, "%14s%s: %s\n", "", report_words(tacho_latency_status_name(l->status), words),
                         l->why);
}

static void throughput_text(tacho_str *out, const report_characterised *c)
{
    const tacho_measured_throughput *t = &c->result->throughput;
    double figure;
    tacho_agreement how = tacho_compare_throughput(c->arch, c->result, &figure);
    tacho_str_puts(out, "\nthroughput, in cycles an instance\n");
    if (isnan(t->cycles)) {
        tacho_str_printf(out, "  %10s  %s\n", "-", *t->why ? t->why : "no loop");
        return;
    }
    char cycles[MEASURED_SIZE], number[TACHO_NUMBER_SIZE];
    tacho_str_printf(out, "  %10s", measured_text(t->cycles, t->at_most, cycles));
    if (c->arch)
        table_text(out, how, figure);
    tacho_str_printf(out, "  %u instances, %s", t->instances,
                     t->mode == TACHO_MODE_LOOP ? "in a loop" : "unrolled");
    if (c->clock)
        tacho_str_printf(out, "; ± %s", report_number(number, t->uncertainty));
    tacho_str_putc(out, '\n');
    if (*t->breaks)
        tacho_str_printf(out, "%14seach with: %s\n", "", t->breaks);
    tacho_str_printf(out, "%14s%s\n", "", t->code);
    if (*t->why)
        tacho_str_printf(out, "%14sat most: %s\n", "", t->why);
}

enum {
    CLOCK_AT = 7 /* behind the label */
};

static void notes_text(tacho_str *out, const report_characterised *c)
{
    const tacho_characterisation *r = c->result;
    if (!c->clock)
        return;
    tacho_str_putc(out, '\n');
    char clock[400], words[REPORT_WORDS_SIZE];
    snprintf(clock, sizeof clock, "%s on CPU %d: %s", report_words(tacho_clock_name(c->clock->clock), words),
             c->clock->cpu, c->clock->promise);
    tacho_str_puts(out, "clock: ");
    report_wrapped(out, clock, CLOCK_AT);
    if (*r->values)
        tacho_str_printf(out, "values: %s\n", r->values);
    if (c->arch && !c->own_arch)
        tacho_str_printf(out, "%s is not this machine: its figures need not agree\n", c->arch->name);
    for (unsigned bit = 0; bit < TACHO_MEASURE_NOTE_COUNT; bit++)
        if (r->notes >> bit & 1)
            tacho_str_printf(out, "note: in one loop or more: %s\n", tacho_measure_note_text(1u << bit));
}

void report_characterised_text(tacho_str *out, const report_characterised *c)
{
    char name[NAME_SIZE];
    tacho_form_name(c->result->form, name, sizeof name);
    const char *how = c->clock ? "measured" : "predicted";
    tacho_str_printf(out, "%s, %s %s\n", name, how,
                     c->clock ? "on this machine" : "by the simulator, beside the table it rests on");
    if (!c->result->runs) {
        tacho_str_printf(out, "  not %s: %s\n", how, c->result->why);
        return;
    }
    throughput_text(out, c);
    tacho_str_puts(out, "\nlatency in cycles\n");
    if (c->arch)
        tacho_str_printf(out, "  %10s  %8s\n", how, c->arch->name);
    for (unsigned i = 0; i < c->result->latency_count; i++)
        latency_text(out, c, i);
    if (!c->result->latency_count)
        tacho_str_puts(out, "  no operand depends on another\n");
    notes_text(out, c);
}

/* ---- list ---- */

void report_check_header(tacho_str *out, const tacho_arch *arch)
{
    tacho_str_printf(out, "%-36s %10s %8s  %5s %6s %6s %7s\n", "form", "throughput", arch->name, "agree",
                     "within", "differ", "missing");
}

static void difference_text(tacho_str *out, const report_characterised *c, unsigned n)
{
    char cycles[MEASURED_SIZE], pair[240];
    double figure;
    if (tacho_compare_latency(c->arch, c->result, n, &figure) != TACHO_DIFFERS)
        return;
    pair_text(c->result, &c->result->latencies[n], pair, sizeof pair);
    tacho_str_printf(out, "    latency %s: %s, table %.0f\n", pair,
                     latency_measured(&c->result->latencies[n], cycles), figure);
}

void report_check_line(tacho_str *out, const report_characterised *c)
{
    char name[NAME_SIZE], cycles[MEASURED_SIZE], table[TACHO_NUMBER_SIZE];
    double figure;
    tacho_form_name(c->result->form, name, sizeof name);
    if (!c->result->runs) {
        tacho_str_printf(out, "%-36s skipped: %s\n", name, c->result->why);
        return;
    }
    tacho_agreements a = tacho_agreements_of(c->arch, c->result);
    tacho_agreement how = tacho_compare_throughput(c->arch, c->result, &figure);
    const tacho_measured_throughput *t = &c->result->throughput;
    measured_text(t->cycles, t->at_most, cycles);
    report_number(table, figure);
    tacho_str_printf(out, "%-36s %10s %8s  %5u %6u %6u %7u\n", name, cycles, table, a.agree, a.within,
                     a.differ, a.missing);
    if (how == TACHO_DIFFERS)
        tacho_str_printf(out, "    throughput: %s, table %s\n", cycles, table);
    for (unsigned i = 0; i < c->result->latency_count; i++)
        difference_text(out, c, i);
}

/* ---- JSON and CSV ---- */

#define root(at) ((const report_characterised *)report_root(at))

static report_value agreement(tacho_agreement how)
{
    return report_word(agreements[how]);
}

static double table_throughput(const report_at *at, tacho_agreement *how)
{
    double figure;
    *how = tacho_compare_throughput(root(at)->arch, root(at)->result, &figure);
    return figure;
}

static const char *throughput_status(const tacho_measured_throughput *t)
{
    return isnan(t->cycles) ? "not-measured" : t->at_most ? "at-most" : "ok";
}

#define RECORD tacho_measured_throughput
ONLY(is_timed, !isnan(r->cycles))
GETTER(throughput_figure, report_real(table_throughput(at, &(tacho_agreement){0})))
GETTER(throughput_agrees, agreement(tacho_compare_throughput(root(at)->arch, root(at)->result, &(double){0})))
ROOM_BY(throughput_form, tacho_form_name(root(at)->result->form, at->room, NAME_SIZE))
GETTER(throughput_cell, report_text_value("throughput"))
GETTER(status_cell, report_text_value(throughput_status(r)))
GETTER(loop_cycles, report_real(r->cycles * r->instances))
GETTER(why_cell, report_text_value(root(at)->result->runs ? r->why : root(at)->result->why))
GETTER(empty_cell, report_null())
static const report_field throughput[] = {
    MEMBERS2(cycles, uncertainty, "cycles an instance"),
    {WORD("mode", mode, tacho_mode_name, "loop, unroll: the faster one", .known = is_timed)},
    {MEMBER(instances, "in the loop", .known = is_timed)},
    {MEMBER(at_most, "an upper bound: the loop has `breaks` in it, or `why`", .known = is_timed)},
    {MEMBER(breaks, "instructions that end dependencies", .none = REPORT_ZERO)},
    {NAMED("loop", code, "its code", .none = REPORT_ZERO)},
    {MADE_CELL(TEXT, "status", status_cell)},
    {MADE_CELL(TEXT, "why", why_cell)},
    {WORD("status", measurement, tacho_measure_status_name, NULL)},
    {MEMBER(why, "as of a measurement", .none = REPORT_ZERO)},
    {MADE(REAL, "table", throughput_figure, NULL)},
    {MADE_OR_NULL(TEXT, "agreement", throughput_agrees,
                  "that figure of the table; agrees, differs, within: below a measured upper bound; null: "
                  "not compared")},
    {MADE_CELL(TEXT, "form", throughput_form)},
    {MADE_CELL(TEXT, "figure", throughput_cell)},
    {MADE_CELL(WHOLE, "source", empty_cell)},
    {MADE_CELL(WHOLE, "target", empty_cell)},
    {MADE_CELL(TEXT, "path", empty_cell)},
    {MADE_CELL(REAL, "loop_cycles", loop_cycles)},
    {MADE_CELL(REAL, "subtracted", empty_cell)},
    {CELL("divided_by", instances), .none = REPORT_ZERO},
};
#undef RECORD
static TABLE(throughput_table, throughput, NULL, .cell = REPORT_FIXED + 4);

#define RECORD tacho_measured_latency
static const char *operand(const report_at *at, uint8_t number)
{
    tacho_form form;
    tacho_form_get(root(at)->result->form, &form);
    tacho_form_operand_text(&form, number, at->room, REPORT_ROOM);
    return at->room;
}

static double table_latency(const report_at *at)
{
    double figure;
    tacho_compare_latency(root(at)->arch, root(at)->result, (unsigned)at->index, &figure);
    return figure;
}

GETTER(source_name, report_text_value(operand(at, r->source)))
GETTER(target_name, report_text_value(operand(at, r->target)))
ONLY(has_chain, !isnan(r->chain_cycles))
GETTER(latency_figure, report_real(table_latency(at)))
GETTER(latency_agrees,
       agreement(tacho_compare_latency(root(at)->arch, root(at)->result, (unsigned)at->index, &(double){0})))
ROOM_BY(latency_form, tacho_form_name(root(at)->result->form, at->room, NAME_SIZE))
GETTER(latency_cell, report_text_value("latency"))
static const report_field latency[] = {
    {MEMBER(source, NULL)},
    {MADE(TEXT, "source_name", source_name, NULL)},
    {MEMBER(target, NULL)},
    {MADE(TEXT, "target_name", target_name, "operand numbers, as of `tacho insn`, and what they are")},
    {WORD("path", path, tacho_path_name,
          "register, address, address-index, memory, same-register: what of the source operand")},
    {WORD("status", status, tacho_latency_status_name,
          "ok; at-most: an upper bound; round-trip: a store and a load together; independent: the target "
          "does not wait for the source; no-chain; not-measured")},
    MEMBERS2(cycles, uncertainty, "null where there is none"),
    {MEMBER(chain, "the loop", .none = REPORT_ZERO)},
    {MEMBER(chain_cycles, "an iteration of it")},
    {MEMBER(subtracted, "for what is not the instruction", .known = has_chain)},
    {MEMBER(divided_by, "passes through the pair in an iteration", .none = REPORT_ZERO)},
    {MEMBER(why, "why there is no number, or what it means", .none = REPORT_ZERO)},
    {MADE(REAL, "table", latency_figure, NULL)},
    {MADE_OR_NULL(TEXT, "agreement", latency_agrees, "as of the throughput")},
    {MADE_CELL(TEXT, "form", latency_form)},
    {MADE_CELL(TEXT, "figure", latency_cell)},
    {CELL("loop", chain)},
    {CELL("loop_cycles", chain_cycles)},
};
#undef RECORD
static TABLE(latency_table, latency, NULL, .cell = REPORT_FIXED + 4);

#define RECORD tacho_characterisation
ONLY(runs, r->runs)
ROOM_BY(form, tacho_form_name(r->form, at->room, NAME_SIZE))
LIST_OF(notes, TACHO_MEASURE_NOTE_COUNT, r->notes >> i & 1, json_string(tacho_measure_note_name(1u << i)))
static const report_field result_head[] = {
    {MADE(TEXT, "form", form, "its name in the instruction table")},
    MEMBERS2(runs, why, "this machine runs it; else why not", .none = REPORT_ZERO),
};
static const report_field result[] = {
    {RECORD_IN("throughput", throughput, &throughput_table, "null where it does not run", .known = runs)},
    {RECORDS_IN("latencies", latencies, latency_count, &latency_table, "of each pair of operands")},
    {MEMBER(values, "for which values, where the time depends on them", .none = REPORT_ZERO)},
    {MADE(LIST, "notes", notes, "of all loops, as `tacho measure` names them")},
};
#undef RECORD

#define RECORD tacho_measure_clock
static const report_field clock_fields[] = {
    {WORD("clock", clock, tacho_clock_name, NULL)},
    MEMBERS2(cpu, promise,
             "as of a measurement; missing where the loops were predicted (`tacho insn --chains`)"),
};
#undef RECORD

#define RECORD report_characterised
ONLY(has_arch, r->arch)
static const report_field characterised[] = {
    {SCHEMA("tacho-characterisation-1")},
    {PART_AT(result, ROWS(result_head))},
    {PART_AT(clock, ROWS(clock_fields))},
    {OF("arch", arch, name, "whose table is beside; null: none", .known = has_arch)},
    {NAMED("arch_is_this_machine", own_arch, "whether it is", .known = has_arch)},
    {PART_AT(result, ROWS(result))},
};
#undef RECORD
TABLE(report_characterised_table, characterised, "tacho-characterisation-1");

const char report_characterised_columns[] = "form,figure,source,target,path,status,cycles,uncertainty,table,"
                                            "agreement,loop,loop_cycles,subtracted,divided_by,why";

void report_characterised_csv(tacho_str *out, const report_characterised *c)
{
    const tacho_characterisation *r = c->result;
    report_at at = {.record = c};
    report_record_head(out, report_characterised_columns, &latency_table, NULL);
    report_record_row(out, report_characterised_columns, &throughput_table, &r->throughput, &at);
    report_record_rows(out, report_characterised_columns, &latency_table, r->latencies, r->latency_count,
                       sizeof *r->latencies, &at);
}
