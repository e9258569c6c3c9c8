/* report_characterise.c - what was measured of instruction forms, beside a table. */
#include "app/report/report.h"
#include "app/report/report_characterise.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/report/operand.h"
#include "base/csv.h"
#include "tacho/predict.h"

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
    report_operand_text(&form, l->source, from, sizeof from);
    report_operand_text(&form, l->target, to, sizeof to);
    bool agen = form.operands[l->source].kind == TACHO_OPERAND_AGEN;
    snprintf(out, size, "%s%s -> %s%s", agen && l->path == TACHO_PATH_ADDRESS ? "base of " : paths[l->path],
             from, to, l->path == TACHO_PATH_SAME_REGISTER ? ", both one register" : "");
}

static tacho_agreement compare_latency(const report_characterised *c, unsigned n, double *figure)
{
    *figure = NAN;
    return c->arch ? tacho_compare_latency(c->arch, c->result, n, figure) : TACHO_NOT_COMPARED;
}

static tacho_agreement compare_throughput(const report_characterised *c, double *figure)
{
    *figure = NAN;
    return c->arch ? tacho_compare_throughput(c->arch, c->result, figure) : TACHO_NOT_COMPARED;
}

report_agreement report_agreement_of(const report_characterised *c)
{
    report_agreement a = {0, 0, 0, 0};
    double figure;
    tacho_agreement throughput = compare_throughput(c, &figure);
    a.agree += throughput == TACHO_AGREES;
    a.differ += throughput == TACHO_DIFFERS;
    a.within += throughput == TACHO_WITHIN_BOUND;
    a.missing += isnan(c->result->throughput.cycles);
    for (unsigned i = 0; i < c->result->latency_count; i++) {
        tacho_agreement latency = compare_latency(c, i, &figure);
        a.agree += latency == TACHO_AGREES;
        a.differ += latency == TACHO_DIFFERS;
        a.within += latency == TACHO_WITHIN_BOUND;
        a.missing += c->result->latencies[i].status == TACHO_LATENCY_NOT_MEASURED;
    }
    return a;
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

static void chain_text(tacho_str *out, const tacho_measured_latency *l)
{
    char number[TACHO_NUMBER_SIZE];
    tacho_str_printf(out, "%14s%s\n", "", l->chain);
    if (isnan(l->chain_cycles))
        return;
    tacho_str_printf(out, "%14s%s cycles", "", report_number(number, l->chain_cycles));
    if (l->subtracted > 0)
        tacho_str_printf(out, ", of these %s for what is not the instruction",
                         report_number(number, l->subtracted));
    if (l->divided_by > 1)
        tacho_str_printf(out, ", for %u instances", l->divided_by);
    if (!isnan(l->uncertainty))
        tacho_str_printf(out, "; ± %s", report_number(number, l->uncertainty));
    tacho_str_putc(out, '\n');
}

static void latency_text(tacho_str *out, const report_characterised *c, unsigned n)
{
    const tacho_measured_latency *l = &c->result->latencies[n];
    char cycles[MEASURED_SIZE], pair[240], words[REPORT_WORDS_SIZE];
    double figure;
    tacho_agreement how = compare_latency(c, n, &figure);
    pair_text(c->result, l, pair, sizeof pair);
    tacho_str_printf(out, "  %10s", latency_measured(l, cycles));
    if (c->arch)
        table_text(out, how, figure);
    tacho_str_printf(out, "  %s", pair);
    if (l->status == TACHO_LATENCY_ROUND_TRIP)
        tacho_str_puts(out, ", round trip");
    tacho_str_putc(out, '\n');
    if (*l->chain)
        chain_text(out, l);
    if (*l->why)
        tacho_str_printf(out, "%14s%s: %s\n", "", report_words(tacho_latency_status_name(l->status), words),
                         l->why);
}

static void throughput_text(tacho_str *out, const report_characterised *c)
{
    const tacho_measured_throughput *t = &c->result->throughput;
    double figure;
    tacho_agreement how = compare_throughput(c, &figure);
    tacho_str_puts(out, "\nthroughput, in cycles an instance\n");
    if (isnan(t->cycles)) {
        tacho_str_printf(out, "  %10s  %s\n", "-", *t->why ? t->why : "no loop");
        return;
    }
    char cycles[MEASURED_SIZE], number[TACHO_NUMBER_SIZE];
    tacho_str_printf(out, "  %10s", measured_text(t->cycles, t->at_most, cycles));
    if (c->arch)
        table_text(out, how, figure);
    tacho_str_printf(out, "  %u instances, %s; ± %s\n", t->instances,
                     t->mode == TACHO_MODE_LOOP ? "in a loop" : "unrolled",
                     report_number(number, t->uncertainty));
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
    tacho_str_printf(out, "%s, measured on this machine\n", name);
    if (!c->result->runs) {
        tacho_str_printf(out, "  not measured: %s\n", c->result->why);
        return;
    }
    throughput_text(out, c);
    tacho_str_puts(out, "\nlatency in cycles\n");
    if (c->arch)
        tacho_str_printf(out, "  %10s  %8s\n", "measured", c->arch->name);
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
    if (compare_latency(c, n, &figure) != TACHO_DIFFERS)
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
    report_agreement a = report_agreement_of(c);
    tacho_agreement how = compare_throughput(c, &figure);
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

/* ---- JSON ---- */

static json_t *number(double value)
{
    return isnan(value) ? json_null() : json_real(value);
}

static json_t *agreement_json(tacho_agreement how)
{
    return how == TACHO_NOT_COMPARED ? json_null() : json_string(agreements[how]);
}

static json_t *text_or_null(const char *text)
{
    return *text ? json_string(text) : json_null();
}

static json_t *throughput_json(const report_characterised *c)
{
    const tacho_measured_throughput *t = &c->result->throughput;
    double figure;
    tacho_agreement how = compare_throughput(c, &figure);
    bool measured = !isnan(t->cycles);
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:o}", "cycles", number(t->cycles),
                     "uncertainty", number(t->uncertainty), "mode",
                     measured ? json_string(tacho_mode_name(t->mode)) : json_null(), "instances",
                     measured ? json_integer(t->instances) : json_null(), "at_most",
                     measured ? json_boolean(t->at_most) : json_null(), "breaks", text_or_null(t->breaks),
                     "loop", text_or_null(t->code), "status", tacho_measure_status_name(t->measurement),
                     "why", text_or_null(t->why), "table", number(figure), "agreement", agreement_json(how));
}

static json_t *latency_json(const report_characterised *c, unsigned n)
{
    const tacho_measured_latency *l = &c->result->latencies[n];
    char from[100], to[100];
    double figure;
    tacho_form form;
    tacho_agreement how = compare_latency(c, n, &figure);
    tacho_form_get(c->result->form, &form);
    report_operand_text(&form, l->source, from, sizeof from);
    report_operand_text(&form, l->target, to, sizeof to);
    bool timed = !isnan(l->chain_cycles);
    return json_pack("{s:i, s:s, s:i, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "source",
                     (int)l->source, "source_name", from, "target", (int)l->target, "target_name", to, "path",
                     tacho_path_name(l->path), "status", tacho_latency_status_name(l->status), "cycles",
                     number(l->cycles), "uncertainty", number(l->uncertainty), "chain",
                     text_or_null(l->chain), "chain_cycles", number(l->chain_cycles), "subtracted",
                     timed ? json_real(l->subtracted) : json_null(), "divided_by",
                     l->divided_by ? json_integer(l->divided_by) : json_null(), "why", text_or_null(l->why),
                     "table", number(figure), "agreement", agreement_json(how));
}

json_t *report_characterised_json(const report_characterised *c)
{
    char name[NAME_SIZE];
    const tacho_characterisation *r = c->result;
    json_t *latencies = json_array(), *notes = json_array();
    tacho_form_name(r->form, name, sizeof name);
    for (unsigned i = 0; i < r->latency_count; i++)
        json_array_append_new(latencies, latency_json(c, i));
    for (unsigned bit = 0; bit < TACHO_MEASURE_NOTE_COUNT; bit++)
        if (r->notes >> bit & 1)
            json_array_append_new(notes, json_string(tacho_measure_note_name(1u << bit)));
    return json_pack("{s:s, s:s, s:b, s:o, s:s, s:i, s:s, s:s?, s:o, s:o, s:o, s:o, s:o}", "schema",
                     "tacho-characterisation-1", "form", name, "runs", (int)r->runs, "why",
                     text_or_null(r->why), "clock", tacho_clock_name(c->clock->clock), "cpu", c->clock->cpu,
                     "promise", c->clock->promise, "arch", c->arch ? c->arch->name : NULL,
                     "arch_is_this_machine", c->arch ? json_boolean(c->own_arch) : json_null(), "throughput",
                     r->runs ? throughput_json(c) : json_null(), "latencies", latencies, "values",
                     text_or_null(r->values), "notes", notes);
}

/* ---- CSV ---- */

static void csv_number(tacho_str *out, double value)
{
    if (isnan(value))
        tacho_str_puts(out, ",");
    else
        tacho_str_printf(out, ",%.4f", value);
}

static void csv_text(tacho_str *out, const char *text)
{
    tacho_str_putc(out, ',');
    tacho_csv_put(out, text, strlen(text));
}

static void csv_latency(tacho_str *out, const report_characterised *c, const char *name, unsigned n)
{
    const tacho_measured_latency *l = &c->result->latencies[n];
    double figure;
    tacho_agreement how = compare_latency(c, n, &figure);
    tacho_csv_put(out, name, strlen(name));
    tacho_str_printf(out, ",latency,%u,%u,%s,%s", l->source, l->target, tacho_path_name(l->path),
                     tacho_latency_status_name(l->status));
    csv_number(out, l->cycles);
    csv_number(out, l->uncertainty);
    csv_number(out, figure);
    csv_text(out, agreements[how]);
    csv_text(out, l->chain);
    csv_number(out, l->chain_cycles);
    csv_number(out, isnan(l->chain_cycles) ? NAN : l->subtracted);
    tacho_str_printf(out, l->divided_by ? ",%u" : ",", l->divided_by);
    csv_text(out, l->why);
    tacho_str_putc(out, '\n');
}

void report_characterised_csv(tacho_str *out, const report_characterised *c)
{
    char name[NAME_SIZE];
    double figure;
    const tacho_measured_throughput *t = &c->result->throughput;
    tacho_agreement how = compare_throughput(c, &figure);
    tacho_form_name(c->result->form, name, sizeof name);
    tacho_str_puts(
        out, "form,figure,source,target,path,status,cycles,uncertainty,table,agreement,loop,loop_cycles,"
             "subtracted,divided_by,why\n");
    tacho_csv_put(out, name, strlen(name));
    tacho_str_printf(out, ",throughput,,,,%s",
                     isnan(t->cycles) ? "not-measured"
                     : t->at_most     ? "at-most"
                                      : "ok");
    csv_number(out, t->cycles);
    csv_number(out, t->uncertainty);
    csv_number(out, figure);
    csv_text(out, agreements[how]);
    csv_text(out, t->code);
    csv_number(out, t->cycles * t->instances);
    tacho_str_puts(out, ",");
    if (t->instances)
        tacho_str_printf(out, ",%u", t->instances);
    else
        tacho_str_putc(out, ',');
    csv_text(out, c->result->runs ? t->why : c->result->why);
    tacho_str_putc(out, '\n');
    for (unsigned i = 0; i < c->result->latency_count; i++)
        csv_latency(out, c, name, i);
}
