/* arch_diff.c - tacho learn --diff: the parameters, extensions and instruction timing in which two
 * microarchitectures differ. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/cli/arch_diff.h"
#include "app/cli/cmd_insn.h"
#include "app/cli/output.h"
#include "app/report/report.h"
#include "base/mem.h"
#include "tacho/extension.h"

enum {
    NAME_SIZE = 200,
    PORTS_SIZE = 200,
    MOST_SHOWN = 5 /* forms, of each quantity */
};

/* What is compared of a form. */
typedef enum quantity {
    UOPS,
    ISSUED,
    DECODED,
    LATENCY,
    THROUGHPUT,
    QUANTITIES
} quantity;
static const char *const quantity_names[QUANTITIES] = {"µops", "µops at issue", "µops decoded", "latency",
                                                       "reciprocal throughput"};

/* A form that both have, with different timing. */
typedef struct change {
    uint32_t id;
    double of[QUANTITIES][2]; /* NaN: unknown */
    bool other_ports;
} change;

typedef struct parameter_change {
    size_t number;
    tacho_arch_parameter p;
    char of[2][80];
} parameter_change;

typedef struct diff {
    const tacho_arch *of[2];
    parameter_change *parameters;
    size_t parameter_count;
    change *forms;
    size_t form_count;
    uint32_t shared, only[2]; /* forms: with timing on both, on one alone */
    uint32_t changed[QUANTITIES], other_ports;
} diff;

/* ---- comparing ---- */

static bool is_other(const double of[2])
{
    return isnan(of[0]) || isnan(of[1]) ? isnan(of[0]) != isnan(of[1]) : of[0] != of[1];
}

static void compare_parameters(diff *d)
{
    for (size_t i = 0; i < tacho_arch_parameter_count(); i++) {
        parameter_change *c = &d->parameters[d->parameter_count];
        c->number = i;
        tacho_arch_parameter_get(i, &c->p);
        for (int side = 0; side < 2; side++)
            tacho_arch_parameter_text(d->of[side], i, c->of[side], sizeof c->of[side]);
        d->parameter_count += strcmp(c->of[0], c->of[1]) != 0;
    }
}

static void time_form(const diff *d, int side, const tacho_figures *f, const tacho_form *form, change *c)
{
    c->of[UOPS][side] = f->base.uops;
    c->of[ISSUED][side] = f->base.retire_slots;
    c->of[DECODED][side] = f->base.uops_mite + f->base.uops_ms;
    c->of[LATENCY][side] = tacho_form_latency(form, f, &f->base);
    c->of[THROUGHPUT][side] = tacho_form_throughput(d->of[side], form, &f->base);
}

static bool same_ports(const tacho_variant *a, const tacho_variant *b)
{
    bool same = a->group_count == b->group_count;
    for (unsigned g = 0; g < a->group_count && same; g++)
        same = a->groups[g].ports == b->groups[g].ports && a->groups[g].count == b->groups[g].count;
    return same;
}

static void compare_form(diff *d, uint32_t id)
{
    tacho_figures f[2];
    tacho_form form;
    bool has[2];
    change *c = &d->forms[d->form_count];
    for (int side = 0; side < 2; side++)
        has[side] = !tacho_form_figures(d->of[side], id, &f[side]);
    d->shared += has[0] && has[1];
    d->only[0] += has[0] && !has[1];
    d->only[1] += has[1] && !has[0];
    if (!has[0] || !has[1] || tacho_form_get(id, &form))
        return;
    c->id = id;
    for (int side = 0; side < 2; side++)
        time_form(d, side, &f[side], &form, c);
    bool other = c->other_ports = !same_ports(&f[0].base, &f[1].base);
    d->other_ports += other;
    for (int q = 0; q < QUANTITIES; q++) {
        bool changed = is_other(c->of[q]);
        d->changed[q] += changed;
        other |= changed;
    }
    d->form_count += other;
}

/* ---- text ---- */

/* By how much it differs; what only one has, not at all. */
static double factor(const change *c, quantity q)
{
    double a = c->of[q][0], b = c->of[q][1];
    return isnan(a) || isnan(b) || a == b ? 0 : a <= 0 || b <= 0 ? INFINITY : a > b ? a / b : b / a;
}

/* The form that differs most in `q`, of those that come behind `before` in that order; NULL: there is no
 * more. */
static const change *next_by_factor(const diff *d, quantity q, const change *before)
{
    const change *next = NULL;
    for (const change *c = d->forms; c < d->forms + d->form_count; c++) {
        double f = factor(c, q), limit = before ? factor(before, q) : INFINITY;
        bool behind = f < limit || (f == limit && (!before || c > before));
        if (f > 0 && behind && (!next || f > factor(next, q)))
            next = c;
    }
    return next;
}

static void put_quantity(tacho_str *out, const diff *d, quantity q)
{
    char name[NAME_SIZE], from[TACHO_NUMBER_SIZE], to[TACHO_NUMBER_SIZE];
    if (!d->changed[q])
        return;
    tacho_str_printf(out, "  %s: %u form%s\n", quantity_names[q], d->changed[q], tacho_plural(d->changed[q]));
    const change *c = NULL;
    for (int i = 0; i < MOST_SHOWN && (c = next_by_factor(d, q, c)); i++) {
        tacho_form_name(c->id, name, sizeof name);
        tacho_str_printf(out, "      %-50s %s -> %s\n", name, report_number(from, c->of[q][0]),
                         report_number(to, c->of[q][1]));
    }
}

static void put_forms(tacho_str *out, const diff *d)
{
    tacho_str_printf(
        out,
        "\nTiming: %u instruction forms are on both, and %zu of them differ; %u are on %s alone, %u "
        "on %s.\n",
        d->shared, d->form_count, d->only[0], tacho_arch_name(d->of[0]), d->only[1],
        tacho_arch_name(d->of[1]));
    if (d->form_count)
        tacho_str_printf(out, "How many differ in what, and by the greatest factors:\n");
    for (int q = 0; q < QUANTITIES; q++)
        put_quantity(out, d, (quantity)q);
    if (d->other_ports)
        tacho_str_printf(out, "  ports: %u form%s\n", d->other_ports, tacho_plural(d->other_ports));
}

/* "  renames_memory   no -> yes" and what that means. */
static void put_parameters(tacho_str *out, const diff *d)
{
    tacho_str_printf(out, "%zu of %zu parameters differ%s\n", d->parameter_count,
                     tacho_arch_parameter_count(), d->parameter_count ? ":" : ".");
    for (size_t i = 0; i < d->parameter_count; i++) {
        const parameter_change *c = &d->parameters[i];
        tacho_str_printf(out, "  %-30s %s -> %s%s%s\n      ", c->p.name, c->of[0], c->of[1],
                         *c->p.unit ? " " : "", c->p.unit);
        report_wrapped(out, tacho_arch_parameter_meaning(c->number), 6);
    }
}

static bool is_on_one(const diff *d, int side, int e)
{
    return tacho_arch_has_extension(d->of[side], (tacho_extension)e) &&
           !tacho_arch_has_extension(d->of[!side], (tacho_extension)e);
}

static void put_extensions(tacho_str *out, const diff *d, int side)
{
    tacho_str line = {0};
    for (int e = 1; e < TACHO_EXTENSION_COUNT; e++)
        if (is_on_one(d, side, e))
            tacho_str_printf(&line, "%s%s", line.length ? " " : "", tacho_extension_name((tacho_extension)e));
    out->failed |= line.failed;
    if (!line.length)
        return;
    tacho_str_printf(out, "\nExtensions on %s alone:\n  ", tacho_arch_name(d->of[side]));
    report_wrapped_text(out, &line, 2);
}

static bool put_text(const diff *d)
{
    tacho_str out = {0};
    for (int side = 0; side < 2; side++)
        tacho_str_printf(&out, "%s%s, %s", side ? " -> " : "", tacho_arch_name(d->of[side]),
                         tacho_arch_long_name(d->of[side]));
    tacho_str_puts(&out, "\n\n");
    put_parameters(&out, d);
    put_extensions(&out, d, 0);
    put_extensions(&out, d, 1);
    put_forms(&out, d);
    return cli_put_text(&out);
}

/* ---- JSON ---- */

#define RECORD parameter_change
GETTER(meaning, report_text_value(tacho_arch_parameter_meaning(r->number)))
static const report_field parameter_fields[] = {
    {NAMED("name", p.name, NULL)},
    {NAMED("unit", p.unit, "null: none", .none = REPORT_ZERO)},
    {MADE(TEXT, "meaning", meaning, "to be read behind value and unit")},
    {NAMED("from", of[0], NULL)},
    {NAMED("to", of[1], "the values, as `--set` takes them")},
};
#undef RECORD

#define RECORD change
static report_value form_name(const report_at *at)
{
    const change *c = at->record;
    tacho_form_name(c->id, at->room, REPORT_ROOM);
    return report_text_value(at->room);
}

static report_value ports_of(const report_at *at, int side)
{
    const change *c = at->record;
    const diff *d = report_root(at);
    tacho_figures f;
    if (tacho_form_figures(d->of[side], c->id, &f))
        return report_null();
    insn_ports_text(&f.base, at->room, REPORT_ROOM);
    return report_text_value(at->room);
}

GETTER(ports_from, ports_of(at, 0))
GETTER(ports_to, ports_of(at, 1))
ONLY(uops_differ, is_other(r->of[UOPS]))
ONLY(issued_differ, is_other(r->of[ISSUED]))
ONLY(decoded_differ, is_other(r->of[DECODED]))
ONLY(latencies_differ, is_other(r->of[LATENCY]))
ONLY(throughputs_differ, is_other(r->of[THROUGHPUT]))
ONLY(ports_differ, r->other_ports)
#define PAIR(from, to, q, condition, ...)                                                                    \
    .name = from, REPORT_AT(REPORT_REAL, of[q][0]), .only = condition                                        \
    }                                                                                                        \
    ,                                                                                                        \
    {                                                                                                        \
        .name = to, REPORT_AT(REPORT_REAL, of[q][1]), .only = condition, .meaning = __VA_ARGS__
static const report_field form_fields[] = {
    {MADE(TEXT, "form", form_name,
          "its name in the instruction table; the others are there only where they differ")},
    {PAIR("uops_from", "uops_to", UOPS, uops_differ, "executed")},
    {PAIR("retire_slots_from", "retire_slots_to", ISSUED, issued_differ, "µops at issue")},
    {PAIR("uops_decoded_from", "uops_decoded_to", DECODED, decoded_differ,
          "from decoders and microcode sequencer")},
    {PAIR("latency_from", "latency_to", LATENCY, latencies_differ, "cycles, the largest of its latencies")},
    {PAIR("reciprocal_throughput_from", "reciprocal_throughput_to", THROUGHPUT, throughputs_differ,
          "cycles")},
    {MADE(TEXT, "ports_from", ports_from, NULL, .only = ports_differ)},
    {MADE(TEXT, "ports_to", ports_to, "as `tacho insn` shows them", .only = ports_differ)},
};
#undef RECORD

#define RECORD diff
GETTER(from_name, report_text_value(tacho_arch_name(r->of[0])))
GETTER(to_name, report_text_value(tacho_arch_name(r->of[1])))
LIST_OF(extensions_from, TACHO_EXTENSION_COUNT, i &&is_on_one(r, 0, (int)i),
        json_string(tacho_extension_name((tacho_extension)i)))
LIST_OF(extensions_to, TACHO_EXTENSION_COUNT, i &&is_on_one(r, 1, (int)i),
        json_string(tacho_extension_name((tacho_extension)i)))
static const report_field fields[] = {
    {SCHEMA("tacho-arch-diff-1")},
    {MADE(TEXT, "from", from_name, NULL)},
    {MADE(TEXT, "to", to_name, "the microarchitectures")},
    {RECORDS("parameters", parameters, parameter_count, ROWS(parameter_fields), "those that differ")},
    {MADE(LIST, "extensions_from", extensions_from, NULL)},
    {MADE(LIST, "extensions_to", extensions_to, "of the instruction set, on one alone")},
    {NAMED("forms_shared", shared, NULL)},
    {NAMED("forms_from", only[0], NULL)},
    {NAMED("forms_to", only[1], "instruction forms with timing on both, and on one alone")},
    {RECORDS("forms", forms, form_count, ROWS(form_fields), "those on both that differ")},
};
#undef RECORD
TABLE(arch_diff_table, fields, "tacho-arch-diff-1");

int arch_diff(const tacho_arch *from, const tacho_arch *to, cli_format format)
{
    diff d = {.of = {from, to}};
    int status = CLI_INPUT;
    d.parameters = tacho_mem_zalloc(tacho_arch_parameter_count() + 1, sizeof *d.parameters);
    d.forms = tacho_mem_zalloc(tacho_form_count() + 1, sizeof *d.forms);
    if (d.parameters && d.forms) {
        compare_parameters(&d);
        for (uint32_t id = 0; id < tacho_form_count(); id++)
            compare_form(&d, id);
        bool put =
            format == CLI_JSON ? cli_put_json(report_record_json(&arch_diff_table, &d, NULL)) : put_text(&d);
        status = put ? CLI_OK : CLI_INPUT;
    } else {
        cli_error("out of memory");
    }
    tacho_mem_free(d.parameters);
    tacho_mem_free(d.forms);
    return status;
}
