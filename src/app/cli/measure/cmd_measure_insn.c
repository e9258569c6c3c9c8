/* cmd_measure_insn.c - latencies and throughput of a form, beside a table: tacho measure --insn measures
 * them, tacho insn --chains predicts the same loops. */
#include "app/cli/tables/cmd_insn.h"
#include "app/cli/measure/cmd_measure.h"
#include "app/cli/cores.h"
#include "app/cli/output.h"
#include "app/report/measure/report_characterise.h"
#include "base/mem.h"
#include "machine/characterise/agreements.h"

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
    tacho_characterisation *result = tacho_mem_alloc(sizeof *result);
    if (!result)
        return cli_input_error("out of memory");
    c->result = result;
    int rc = m ? tacho_characterise(m, id, options, result, &err)
               : tacho_characterise_predicted(c->arch, id, result, &err);
    status = rc ? cli_input_error("%s", err.message) : write_result(c, format);
    tacho_mem_free(result);
    return status;
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

int insn_chains(const char *form, const tacho_arch *arch, cli_format format)
{
    report_characterised c = {.arch = arch};
    return characterise(form, NULL, NULL, &c, format);
}
