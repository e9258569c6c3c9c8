/* cmd_insn.c - tacho insn: the instruction table, by mnemonic or by form. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "app/cli/cmd_insn.h"
#include "app/cli/output.h"
#include "app/report/operand.h"
#include "app/report/report.h"
#include "base/mem.h"
#include "base/str.h"
#include "x86/arch/port_digits.h"

typedef struct request {
    const char *form, *archs, *batch;
    bool missing, chains;
    int format;
} request;
#define CLI_REQUEST request

static const cli_option options[] = {
    {CLI_STRING, "", 0, "FORM", NULL, CLI_AT(form), .once = true},
    {CLI_STRING, "arch", 'a', "ARCH",
     "microarchitecture: native (default), a name, several\nwith commas, or all", CLI_AT(archs)},
    CLI_FORMAT_ROWS("text|json|csv", "text (default), json or csv"),
    {CLI_SWITCH, "chains", 0, NULL,
     "the loops by which tacho measure --insn finds latencies and\nthroughput, predicted by the simulator",
     CLI_AT(chains)},
    {CLI_SWITCH, "missing", 0, NULL,
     "with --batch: the distinct instructions of these blocks\nthat the table lacks, and the share it has",
     CLI_AT(missing)},
    {CLI_STRING, "batch", 0, "FILE",
     "blocks: CSV with hex in the column that a\nheader calls so, else the first; - for standard input",
     CLI_AT(batch)},
    {.kind = CLI_END},
};

static const char more[] =
    "FORM is a mnemonic (ADD) or a form (ADD (R64, M64)); case and spaces do not matter, and the\n"
    "beginning of the operands is enough. One form is shown with its latencies, several one a line.\n\n"
    "Examples:\n"
    "  tacho insn 'ADD (R64, M64)' -a SKL\n"
    "  tacho insn imul -a SKL,ICX\n"
    "  tacho insn 'IMUL (R64, R64)' -a SKL --chains\n"
    "  tacho insn --missing --batch blocks.csv -a ICX\n";

/* ---- what is shown ---- */

void insn_ports_text(const tacho_variant *v, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (unsigned g = 0; g < v->group_count && used + 32 < size; g++) {
        used += (size_t)snprintf(out + used, size - used, "%s%u*p", g ? "+" : "", v->groups[g].count);
        for (unsigned p = 0; p < TACHO_MAX_PORTS; p++)
            if (v->groups[g].ports & 1u << p)
                used += (size_t)snprintf(out + used, size - used, "%c", port_digit(p));
    }
    if (!v->group_count)
        snprintf(out, size, "none");
}

/* Over all register-to-register pairs and addresses; false when nothing is known. */
static bool latency_range(const tacho_figures *f, int *low, int *high)
{
    bool any = false;
    for (unsigned i = 0; i < f->latency_count; i++) {
        const tacho_latency *l = &f->latencies[i];
        const int16_t all[] = {l->cycles, l->address, l->address_index, l->memory};
        for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
            if (all[k] == TACHO_NO_LATENCY)
                continue;
            *low = any && *low < all[k] ? *low : all[k];
            *high = any && *high > all[k] ? *high : all[k];
            any = true;
        }
    }
    return any;
}

/* A form on a core. */
typedef struct entry {
    const tacho_arch *arch;
    uint32_t id;
    bool known; /* it has figures there */
    tacho_form form;
    tacho_figures figures;
} entry;

static bool find_entry(entry *e, const tacho_arch *arch, uint32_t id)
{
    e->arch = arch;
    e->id = id;
    return e->known = !tacho_form_get(id, &e->form) && !tacho_form_figures(arch, id, &e->figures);
}

/* Latency and reciprocal throughput are those of tacho predict's table. */
static void variant_text(const char *title, const entry *e, const tacho_variant *v)
{
    char ports[200], latency[TACHO_NUMBER_SIZE], throughput[TACHO_NUMBER_SIZE];
    insn_ports_text(v, ports, sizeof ports);
    printf("  %-16s %u µop%s on %s; %u fused; decoders %u, microcode %u%s", title, v->uops,
           tacho_plural(v->uops), ports, v->retire_slots, v->uops_mite, v->uops_ms,
           v->complex_decoder ? ", complex decoder" : "");
    if (v->div_cycles)
        printf("; divider %u cycle%s", v->div_cycles, tacho_plural(v->div_cycles));
    if (v->tp_cycles)
        printf("; at best one in %u cycle%s", v->tp_cycles, tacho_plural(v->tp_cycles));
    printf("\n  %-16s latency %s, reciprocal throughput %s\n", "",
           report_number(latency, tacho_form_latency(&e->form, &e->figures, v)),
           report_number(throughput, tacho_variant_throughput(e->arch, v)));
}

static void latency_line(const tacho_form *form, const tacho_latency *l)
{
    static const char *const names[] = {"", "address of ", "index of ", "data of ", ""};
    const int16_t values[] = {l->cycles, l->address, l->address_index, l->memory, l->same_register};
    char from[100], to[100];
    report_operand_text(form, l->source, from, sizeof from);
    report_operand_text(form, l->target, to, sizeof to);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (values[i] != TACHO_NO_LATENCY)
            printf("  %4d  %s%s -> %s%s\n", values[i], names[i], from, to,
                   i == 4 ? ", both one register" : "");
}

static void show_form(const tacho_arch *arch, uint32_t id)
{
    char name[INSN_NAME_SIZE];
    entry e;
    const tacho_figures *f = &e.figures;
    tacho_form_name(id, name, sizeof name);
    printf("%s on %s\n", name, arch->name);
    if (!find_entry(&e, arch, id)) {
        printf("  no figures: this microarchitecture does not have it, or nobody has measured it\n");
        return;
    }
    variant_text("cost", &e, &f->base);
    if (f->has_indexed)
        variant_text("indexed address", &e, &f->indexed);
    if (f->has_same_register)
        variant_text("same register", &e, &f->same_register);
    printf("  %-16s %s%s\n", "source", tacho_source_text(f->source),
           tacho_source_is_derived(f->source) ? " (not measured on this core)" : "");
    if (f->latency_count)
        printf("\n  latencies in cycles\n");
    for (unsigned i = 0; i < f->latency_count; i++)
        latency_line(&e.form, &f->latencies[i]);
}

static void show_line(const tacho_arch *arch, uint32_t id)
{
    char name[INSN_NAME_SIZE], ports[200], latency[24] = "", throughput[TACHO_NUMBER_SIZE];
    int low, high;
    tacho_figures f;
    tacho_form_name(id, name, sizeof name);
    if (tacho_form_figures(arch, id, &f)) {
        printf("%-36s %-4s %5s\n", name, arch->name, "-");
        return;
    }
    insn_ports_text(&f.base, ports, sizeof ports);
    if (latency_range(&f, &low, &high))
        snprintf(latency, sizeof latency, low == high ? "%d" : "%d-%d", low, high);
    printf("%-36s %-4s %5u %6u  %-7s %5s  %-24s %s\n", name, arch->name, f.base.uops, f.base.retire_slots,
           latency, report_number(throughput, tacho_variant_throughput(arch, &f.base)), ports,
           tacho_source_is_derived(f.source) ? "~" : "");
}

/* ---- JSON and CSV ---- */

#define RECORD tacho_port_group
static json_t *port_numbers(uint16_t ports)
{
    json_t *list = json_array();
    for (unsigned p = 0; p < TACHO_MAX_PORTS; p++)
        if (ports & 1u << p)
            json_array_append_new(list, json_integer(p));
    return list;
}

GETTER(ports_of_group, report_list(port_numbers(r->ports)))
static const report_field groups[] = {
    {NAMED("uops", count, NULL)},
    {MADE(LIST, "ports", ports_of_group, "so many on these")},
};
#undef RECORD

static const entry *entry_of(const report_at *at)
{
    return report_root(at);
}

#define RECORD tacho_variant
GETTER(complex_decoder, report_bool(r->complex_decoder))
GETTER(variant_latency, report_real(tacho_form_latency(&entry_of(at)->form, &entry_of(at)->figures, r)))
GETTER(variant_throughput, report_real(tacho_variant_throughput(entry_of(at)->arch, r)))
static const report_field cost[] = {
    MEMBERS2(uops, retire_slots, "unfused; fused"),
    MEMBERS2(uops_mite, uops_ms, "from the decoders, from the microcode sequencer"),
    {MADE(BOOL, "complex_decoder", complex_decoder, "only that decoder takes it")},
    {RECORDS("ports", groups, group_count, ROWS(groups), "where they are executed")},
    {MEMBER(div_cycles, "that the divider is blocked", .none = REPORT_ZERO)},
    {MEMBER(tp_cycles, "least cycles between two instances", .none = REPORT_ZERO)},
    {MADE(REAL, "latency", variant_latency, NULL)},
    {MADE(REAL, "reciprocal_throughput", variant_throughput, "as of `predict`'s `instructions`", .cell = 4)},
};
#undef RECORD
TABLE(insn_cost_table, cost, "cost");

#define RECORD tacho_latency
static const char *operand(const report_at *at, uint8_t number)
{
    report_operand_text(&entry_of(at)->form, number, at->room, REPORT_ROOM);
    return at->room;
}

GETTER(source_name, report_text_value(operand(at, r->source)))
GETTER(target_name, report_text_value(operand(at, r->target)))
static const report_field latencies[] = {
    {MEMBER(source, NULL)},
    {MADE(TEXT, "source_name", source_name, NULL)},
    {MEMBER(target, NULL)},
    {MADE(TEXT, "target_name", target_name, "operand numbers, and what they are")},
    {MEMBER(cycles, "from the register", .none = REPORT_BELOW_0)},
    {MEMBER(address, NULL, .none = REPORT_BELOW_0)},
    {MEMBER(address_index, "from the base, from the index of the address", .none = REPORT_BELOW_0)},
    {MEMBER(memory, "from the data", .none = REPORT_BELOW_0)},
    {MEMBER(same_register, "where both are one register", .none = REPORT_BELOW_0)},
};
#undef RECORD

#define RECORD tacho_figures
GETTER(indexed,
       r->has_indexed ? report_object(report_record_json(&insn_cost_table, &r->indexed, at)) : report_null())
GETTER(same_register, r->has_same_register
                          ? report_object(report_record_json(&insn_cost_table, &r->same_register, at))
                          : report_null())
GETTER(source, report_text_value(tacho_source_text(r->source)))
GETTER(derived, report_bool(tacho_source_is_derived(r->source)))
static const report_field figures[] = {
    {RECORD_IN("cost", base, &insn_cost_table, "else: below")},
    {MADE_OR_NULL(OBJECT, "cost_indexed", indexed, NULL)},
    {MADE_OR_NULL(OBJECT, "cost_same_register", same_register, "null where there is no such difference")},
    {RECORDS("latencies", latencies, latency_count, ROWS(latencies),
             "of each pair of operands; cycles, null where not known")},
    {MADE(TEXT, "source", source, "of these figures")},
    {MADE(BOOL, "derived", derived, "not measured on this core")},
    {PART_IN(base, &insn_cost_table), .csv = true},
};
#undef RECORD

#define RECORD entry
static const char *form_of(const report_at *at)
{
    tacho_form_name(entry_of(at)->id, at->room, INSN_NAME_SIZE);
    return at->room;
}

static const char *ports_cell(const report_at *at)
{
    insn_ports_text(&entry_of(at)->figures.base, at->room, 200);
    return at->room;
}

static report_value latency_bound(const entry *e, bool highest)
{
    int low, high;
    return e->known && latency_range(&e->figures, &low, &high)
               ? report_whole((uint64_t)(highest ? high : low))
               : report_null();
}

ONLY(is_known, r->known)
ONLY(is_unknown, !r->known)
GETTER(form, report_text_value(form_of(at)))
GETTER(arch, report_text_value(r->arch->name))
GETTER(no_cost, report_null())
GETTER(ports, report_text_value(r->known ? ports_cell(at) : NULL))
GETTER(latency_min, latency_bound(r, false))
GETTER(latency_max, latency_bound(r, true))
static const report_field form_fields[] = {
    {SCHEMA("tacho-insn-1")},
    {MADE(TEXT, "form", form, NULL)},
    {MADE(TEXT, "arch", arch, "its name in the table; the microarchitecture")},
    {MADE_OR_NULL(OBJECT, "cost", no_cost,
                  "null, and the last one, where the microarchitecture does not have the form",
                  .only = is_unknown)},
    {MADE_CELL(TEXT, "ports", ports)},
    {MADE_CELL(WHOLE, "latency_min", latency_min)},
    {MADE_CELL(WHOLE, "latency_max", latency_max)},
    {PART_IN(figures, ROWS(figures)), .only = is_known},
};
#undef RECORD
TABLE(insn_table, form_fields, "tacho-insn-1");

static bool put_json(const insn_forms *forms, const tacho_arch **archs, int arch_count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < forms->count; i++)
        for (int a = 0; a < arch_count; a++) {
            entry e;
            find_entry(&e, archs[a], forms->ids[i]);
            json_array_append_new(list, report_record_json(&insn_table, &e, NULL));
        }
    bool good = cli_put_results(list);
    json_decref(list);
    return good;
}

const char insn_columns[] =
    "form,arch,uops,retire_slots,ports,latency_min,latency_max,source,reciprocal_throughput";

static bool put_csv(const insn_forms *forms, const tacho_arch **archs, int arch_count)
{
    tacho_str rows = {0};
    report_record_head(&rows, insn_columns, &insn_table, NULL);
    for (size_t i = 0; i < forms->count; i++)
        for (int a = 0; a < arch_count; a++) {
            entry e;
            find_entry(&e, archs[a], forms->ids[i]);
            report_record_row(&rows, insn_columns, &insn_table, &e, NULL);
        }
    return cli_put_text(&rows);
}

static void put_text(const insn_forms *forms, const tacho_arch **archs, int arch_count)
{
    bool one = forms->count == 1;
    if (!one)
        printf("%-36s %-4s %5s %6s  %-7s %5s  %-24s\n", "form", "arch", "µops", " fused", "latency", "rthr",
               "ports");
    for (size_t i = 0; i < forms->count; i++)
        for (int a = 0; a < arch_count; a++) {
            if (one && a)
                putchar('\n');
            if (one)
                show_form(archs[a], forms->ids[i]);
            else
                show_line(archs[a], forms->ids[i]);
        }
    if (!one)
        printf("\n1*p0156: one µop on one of these ports; fused: µops at issue; rthr: reciprocal throughput, "
               "cycles\n"
               "between independent copies; -: no figures for this core; ~: figures carried over from "
               "another core\n"
               "or estimated. The full name of a form shows its latencies.\n");
}

/* ---- the command ---- */

static int show(const request *r, const tacho_arch **archs, int arch_count)
{
    insn_forms forms = {0};
    int status = insn_find(r->form, &forms);
    if (status)
        return status;
    bool good = true;
    if (r->format == CLI_JSON)
        good = put_json(&forms, archs, arch_count);
    else if (r->format == CLI_CSV)
        good = put_csv(&forms, archs, arch_count);
    else
        put_text(&forms, archs, arch_count);
    tacho_mem_free(forms.ids);
    return good ? CLI_OK : CLI_INPUT;
}

static int run_insn(void *asked)
{
    const request *r = asked;
    const tacho_arch *archs[CLI_MAX_ARCHS];
    if (r->missing != (r->batch != NULL))
        return cli_usage_error("--missing and --batch FILE go together");
    if (!r->missing && !r->form)
        return cli_usage_error("no FORM; for instance: tacho insn 'ADD (R64, M64)' -a SKL");
    if (r->missing && r->form)
        return cli_usage_error("give FORM or --missing, not both");
    if (r->missing && r->chains)
        return cli_usage_error("--chains is for a FORM");
    bool fallback;
    int arch_count = cli_find_archs(r->archs, archs, &fallback);
    if (arch_count < 0)
        return CLI_USAGE;
    if ((r->missing || r->chains) && arch_count > 1)
        return cli_usage_error("--%s is for one microarchitecture at a time",
                               r->missing ? "missing" : "chains");
    int status = r->missing  ? insn_missing(r->batch, archs[0], (cli_format)r->format)
                 : r->chains ? insn_chains(r->form, archs[0], (cli_format)r->format)
                             : show(r, archs, arch_count);
    cli_note_fallback(status, fallback);
    return status;
}

CLI_DEFINE(cli_insn, "insn", "the instruction table: ports, µops, latencies, sources",
           "FORM [-a ARCH] | --missing --batch FILE [-a ARCH]", options, more, run_insn, request,
           .format = CLI_TEXT);
