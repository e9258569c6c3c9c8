/* cmd_insn.c - tacho insn: the instruction table, by mnemonic or by form; latencies and throughput of a
 * form, beside a table: tacho measure --insn measures them, --chains predicts the same loops. */
#include "app/cli/measure/cmd_measure.h"
#include "app/cli/output.h"
#include "app/cli/tables/cmd_arch.h"
#include "base/mem.h"
#include "machine/characterise/agreements.h"

/* ---- the one form that is meant by what a user types ---- */

static int too_many(const char *text, const insn_forms *forms)
{
    char name[FORM_NAME_SIZE], list[600] = "";
    size_t used = 0;
    for (size_t i = 0; i < forms->count && i < 4; i++) {
        tacho_form_name(forms->ids[i], name, sizeof name);
        used += (size_t)snprintf(list + used, sizeof list - used, "%s'%.100s'", i ? ", " : "", name);
    }
    return cli_input_error("%zu forms are called '%s': one at a time, for instance %s", forms->count, text,
                           list);
}

/* The one form of that name, as tacho insn understands names. @return an exit status; unless CLI_OK with a
 *  message */
static int insn_find_one(const char *text, uint32_t *id)
{
    insn_forms forms = {0};
    if (!tacho_form_find(text, id, NULL))
        return CLI_OK;
    tacho_error err;
    if (tacho_forms_find(text, &forms, &err))
        return cli_input_error("%s", err.message);
    *id = forms.ids[0];
    int status = forms.count == 1 ? CLI_OK : too_many(text, &forms);
    tacho_mem_free(forms.ids);
    return status;
}

/* @return an exit status: CLI_PARTIAL where a figure is missing */
static int write_result(const report_characterised *c, cli_format format)
{
    tacho_str out = {0};
    const char *how = c->clock ? "measured" : "predicted";
    if (format == CLI_CSV)
        report_characterised_csv(&out, c);
    else if (format == CLI_TEXT)
        report_characterised_text(&out, c);
    if (!(format == CLI_JSON ? cli_put_json(report_characterised_json(c)) : cli_put_text(&out)))
        return CLI_INPUT;
    if (c->result->runs && !tacho_agreements_of(c->arch, c->result).missing)
        return CLI_OK;
    if (c->result->runs)
        cli_note("some figures could not be %s", how);
    else
        cli_note("%s", c->result->why);
    return CLI_PARTIAL;
}

/* Measures the form of that name, or without a measurer predicts it for c->arch. @return an exit status */
static int characterise(const char *form, tacho_measurer *m, const tacho_characterise_options *options,
                        report_characterised *c, cli_format format)
{
    tacho_error err;
    uint32_t id;
    int status = insn_find_one(form, &id);
    if (status)
        return status;
    TACHO_MEM_FREED tacho_characterisation *result = tacho_mem_alloc(sizeof *result);
    if (!result)
        return cli_input_error("out of memory");
    c->result = result;
    int rc = m ? tacho_characterise(m, id, options, result, &err)
               : tacho_characterise_predicted(c->arch, id, result, &err);
    return rc ? cli_input_error("%s", err.message) : write_result(c, format);
}

int measure_insn(const char *form, tacho_measurer *m, const tacho_measure_options *o, const tacho_arch *arch,
                 cli_format format)
{
    tacho_characterise_options options = TACHO_CHARACTERISE_OPTIONS_INIT;
    tacho_error unwanted;
    report_characterised c = {.clock = tacho_measurer_clock(m),
                              .arch = arch ? arch : cli_native_core(&unwanted)};
    options.quality = o->quality;
    c.own_arch = cli_is_native(c.arch);
    return characterise(form, m, &options, &c, format);
}

/* Shows the loops by which a form is characterised, as the simulator of `arch` predicts them.
 *  @return an exit status */
static int insn_chains(const char *form, const tacho_arch *arch, cli_format format)
{
    report_characterised c = {.arch = arch};
    return characterise(form, NULL, NULL, &c, format);
}

/* ---- tacho insn: the instruction table, by mnemonic or by form ---- */

typedef struct request {
    const char *form, *archs;
    bool chains;
    int format;
} request;
#define CLI_REQUEST request

static const cli_option options[] = {
    {CLI_STRING, "", 0, "FORM", NULL, CLI_AT(form), .once = true},
    {CLI_STRING, "arch", 'a', "ARCH",
     "microarchitecture: native (default), a name or a model's\nfile, several with commas, or all",
     CLI_AT(archs)},
    CLI_FORMAT_ROWS("text|json|csv", "text (default), json or csv"),
    {CLI_SWITCH, "chains", 0, NULL,
     "the loops by which tacho measure --insn finds latencies and\nthroughput, predicted by the simulator",
     CLI_AT(chains)},
    {.kind = CLI_END},
};

/* ---- what is shown ---- */

/* Latency and reciprocal throughput are those of tacho predict's table. */
static void variant_text(const char *title, const report_insn *e, const tacho_variant *v)
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
           report_number(throughput, tacho_form_throughput(e->arch, &e->form, v)));
}

static void latency_line(const tacho_form *form, const tacho_latency *l)
{
    static const char *const names[] = {"", "address of ", "index of ", "data of ", ""};
    const int16_t values[] = {l->cycles, l->address, l->address_index, l->memory, l->same_register};
    char from[100], to[100];
    tacho_form_operand_text(form, l->source, from, sizeof from);
    tacho_form_operand_text(form, l->target, to, sizeof to);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (values[i] != TACHO_NO_LATENCY)
            printf("  %4d  %s%s -> %s%s\n", values[i], names[i], from, to,
                   i == 4 ? ", both one register" : "");
}

static bool is_derived(const tacho_arch *arch, const tacho_figures *f)
{
    return tacho_arch_source_fields(arch, f->source, TACHO_ORIGIN_SAME_CORE);
}

static void show_form(const tacho_arch *arch, uint32_t id)
{
    char name[FORM_NAME_SIZE];
    report_insn e;
    const tacho_figures *f = &e.figures;
    tacho_form_name(id, name, sizeof name);
    printf("%s on %s\n", name, arch->name);
    if (!report_insn_get(&e, arch, id)) {
        printf("  no figures: this microarchitecture does not have it, or nobody has measured it\n");
        return;
    }
    variant_text("cost", &e, &f->base);
    if (f->has_indexed)
        variant_text("indexed address", &e, &f->indexed);
    if (f->has_same_register)
        variant_text("same register", &e, &f->same_register);
    printf("  %-16s %s%s\n", "source", tacho_arch_source_text(arch, f->source),
           is_derived(arch, f) ? " (not measured on this core)" : "");
    if (f->latency_count)
        printf("\n  latencies in cycles\n");
    for (unsigned i = 0; i < f->latency_count; i++)
        latency_line(&e.form, &f->latencies[i]);
}

static void show_line(const tacho_arch *arch, uint32_t id)
{
    char name[FORM_NAME_SIZE], ports[200], latency[24] = "", throughput[TACHO_NUMBER_SIZE];
    int low, high;
    tacho_figures f;
    tacho_form form;
    tacho_form_name(id, name, sizeof name);
    if (tacho_form_get(id, &form) || tacho_form_figures(arch, id, &f)) {
        printf("%-36s %-4s %5s\n", name, arch->name, "-");
        return;
    }
    insn_ports_text(&f.base, ports, sizeof ports);
    if (report_insn_latencies(&f, &low, &high))
        snprintf(latency, sizeof latency, low == high ? "%d" : "%d-%d", low, high);
    printf("%-36s %-4s %5u %6u  %-7s %5s  %-24s %s\n", name, arch->name, f.base.uops, f.base.retire_slots,
           latency, report_number(throughput, tacho_form_throughput(arch, &form, &f.base)), ports,
           is_derived(arch, &f) ? "~" : "");
}

/* ---- JSON and CSV ---- */

static bool put_json(const insn_forms *forms, const tacho_arch **archs, int arch_count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < forms->count; i++)
        for (int a = 0; a < arch_count; a++)
            json_array_append_new(list, report_insn_json(archs[a], forms->ids[i]));
    bool good = cli_put_results(list);
    json_decref(list);
    return good;
}

static bool put_csv(const insn_forms *forms, const tacho_arch **archs, int arch_count)
{
    tacho_str out = {0};
    report_record_head(&out, insn_columns, &insn_table, NULL);
    for (size_t i = 0; i < forms->count; i++)
        for (int a = 0; a < arch_count; a++) {
            report_insn e;
            report_insn_get(&e, archs[a], forms->ids[i]);
            report_record_row(&out, insn_columns, &insn_table, &e, NULL);
        }
    return cli_put_text(&out);
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
    tacho_error err;
    if (tacho_forms_find(r->form, &forms, &err))
        return cli_input_error("%s", err.message);
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
    if (!r->form)
        return cli_usage_error("no FORM; for instance: tacho insn 'ADD (R64, M64)' -a SKL");
    bool fallback;
    int arch_count = cli_find_archs(r->archs, archs, &fallback);
    if (arch_count < 0)
        return CLI_USAGE;
    if (r->chains && arch_count > 1)
        return cli_usage_error("--chains is for one microarchitecture at a time");
    int status =
        r->chains ? insn_chains(r->form, archs[0], (cli_format)r->format) : show(r, archs, arch_count);
    cli_note_fallback(status, fallback);
    return status;
}

CLI_DEFINE(cli_insn, "insn", "the instruction table: ports, µops, latencies, sources", "FORM [-a ARCH]",
           options, help_insn, run_insn, request, .format = CLI_TEXT);
