/* arch_diff.c - tacho learn --diff: the parameters, extensions and instruction timing in which two
 * microarchitectures differ. */
#include "app/cli/tables/cmd_arch.h"
#include "app/cli/output.h"
#include "tacho/extension.h"
#include "x86/insndb/core_diff.h"

enum {
    NAME_SIZE = 200,
    MOST_SHOWN = 5 /* forms, of each quantity */
};

static const char *const quantity_names[CORE_DIFF_QUANTITIES] = {"µops", "µops at issue", "µops decoded",
                                                                 "latency", "reciprocal throughput"};

/* ---- text ---- */

/* By how much it differs; what only one has, not at all. */
static double factor(const core_form_change *c, core_quantity q)
{
    double a = c->of[q][0], b = c->of[q][1];
    return isnan(a) || isnan(b) || a == b ? 0 : a <= 0 || b <= 0 ? INFINITY : a > b ? a / b : b / a;
}

/* The form that differs most in `q`, of those that come behind `before` in that order; NULL: there is no
 * more. */
static const core_form_change *next_by_factor(const core_diff *d, core_quantity q,
                                              const core_form_change *before)
{
    const core_form_change *next = NULL;
    for (const core_form_change *c = d->forms; c < d->forms + d->form_count; c++) {
        double f = factor(c, q), limit = before ? factor(before, q) : INFINITY;
        bool behind = f < limit || (f == limit && (!before || c > before));
        if (f > 0 && behind && (!next || f > factor(next, q)))
            next = c;
    }
    return next;
}

static void put_quantity(tacho_str *out, const core_diff *d, core_quantity q)
{
    char name[NAME_SIZE], from[TACHO_NUMBER_SIZE], to[TACHO_NUMBER_SIZE];
    if (!d->changed[q])
        return;
    tacho_str_printf(out, "  %s: %u form%s\n", quantity_names[q], d->changed[q], tacho_plural(d->changed[q]));
    const core_form_change *c = NULL;
    for (int i = 0; i < MOST_SHOWN && (c = next_by_factor(d, q, c)); i++) {
        tacho_form_name(c->id, name, sizeof name);
        tacho_str_printf(out, "      %-50s %s -> %s\n", name, report_number(from, c->of[q][0]),
                         report_number(to, c->of[q][1]));
    }
}

static void put_forms(tacho_str *out, const core_diff *d)
{
    tacho_str_printf(
        out,
        "\nTiming: %u instruction forms are on both, and %zu of them differ; %u are on %s alone, %u on %s.\n",
        d->shared, d->form_count, d->only[0], tacho_arch_name(d->of[0]), d->only[1],
        tacho_arch_name(d->of[1]));
    if (d->form_count)
        tacho_str_printf(out, "How many differ in what, and by the greatest factors:\n");
    for (int q = 0; q < CORE_DIFF_QUANTITIES; q++)
        put_quantity(out, d, (core_quantity)q);
    if (d->other_ports)
        tacho_str_printf(out, "  ports: %u form%s\n", d->other_ports, tacho_plural(d->other_ports));
}

/* "  renames_memory   no -> yes" and what that means. */
static void put_parameters(tacho_str *out, const core_diff *d)
{
    tacho_str_printf(out, "%zu of %zu parameters differ%s\n", d->parameter_count,
                     tacho_arch_parameter_count(), d->parameter_count ? ":" : ".");
    for (size_t i = 0; i < d->parameter_count; i++) {
        const core_parameter_change *c = &d->parameters[i];
        tacho_str_printf(out, "  %-30s %s -> %s%s%s\n      ", c->p.name, c->of[0], c->of[1],
                         *c->p.unit ? " " : "", c->p.unit);
        report_wrapped(out, tacho_arch_parameter_meaning(c->number), 6);
    }
}

static bool is_on_one(const core_diff *d, int side, int e)
{
    return tacho_arch_has_extension(d->of[side], (tacho_extension)e) &&
           !tacho_arch_has_extension(d->of[!side], (tacho_extension)e);
}

static void put_extensions(tacho_str *out, const core_diff *d, int side)
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

static bool put_text(const core_diff *d)
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

#define RECORD core_parameter_change
GETTER(meaning, report_text_value(tacho_arch_parameter_meaning(r->number)))
static const report_field parameter_fields[] = {
    {NAMED("name", p.name, NULL)},
    {NAMED("unit", p.unit, "null: none", .none = REPORT_ZERO)},
    {MADE(TEXT, "meaning", meaning, "to be read behind value and unit")},
    {NAMED("from", of[0], NULL)},
    {NAMED("to", of[1], "the values, as `--set` takes them")},
};
#undef RECORD

#define RECORD core_form_change
ROOM_BY(form_name, tacho_form_name(r->id, at->room, REPORT_ROOM))

static report_value ports_of(const report_at *at, int side)
{
    const core_form_change *c = at->record;
    const core_diff *d = report_root(at);
    tacho_figures f;
    if (tacho_form_figures(d->of[side], c->id, &f))
        return report_null();
    insn_ports_text(&f.base, at->room, REPORT_ROOM);
    return report_text_value(at->room);
}

GETTER(ports_from, ports_of(at, 0))
GETTER(ports_to, ports_of(at, 1))
ONLY(uops_differ, tacho_core_differs(r->of[CORE_UOPS]))
ONLY(issued_differ, tacho_core_differs(r->of[CORE_ISSUED]))
ONLY(decoded_differ, tacho_core_differs(r->of[CORE_DECODED]))
ONLY(latencies_differ, tacho_core_differs(r->of[CORE_LATENCY]))
ONLY(throughputs_differ, tacho_core_differs(r->of[CORE_THROUGHPUT]))
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
    {PAIR("uops_from", "uops_to", CORE_UOPS, uops_differ, "executed")},
    {PAIR("retire_slots_from", "retire_slots_to", CORE_ISSUED, issued_differ, "µops at issue")},
    {PAIR("uops_decoded_from", "uops_decoded_to", CORE_DECODED, decoded_differ,
          "from decoders and microcode sequencer")},
    {PAIR("latency_from", "latency_to", CORE_LATENCY, latencies_differ,
          "cycles, the largest of its latencies")},
    {PAIR("reciprocal_throughput_from", "reciprocal_throughput_to", CORE_THROUGHPUT, throughputs_differ,
          "cycles")},
    {MADE(TEXT, "ports_from", ports_from, NULL, .only = ports_differ)},
    {MADE(TEXT, "ports_to", ports_to, "as `tacho insn` shows them", .only = ports_differ)},
};
#undef RECORD

#define RECORD core_diff
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
    core_diff d;
    tacho_error err;
    if (tacho_core_diff_make(&d, from, to, &err))
        return cli_input_error("%s", err.message);
    bool put =
        format == CLI_JSON ? cli_put_json(report_record_json(&arch_diff_table, &d, NULL)) : put_text(&d);
    tacho_core_diff_free(&d);
    return put ? CLI_OK : CLI_INPUT;
}
