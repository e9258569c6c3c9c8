/* cmd_measure_insn.c - tacho measure --insn: latencies and throughput of a form, beside a table. */
#include "app/cli/cmd_insn.h"
#include "app/cli/cmd_measure.h"
#include "app/cli/output.h"
#include "app/report/report_characterise.h"
#include "base/mem.h"

static bool write_result(const report_characterised *c, cli_format format)
{
    tacho_str out = {0};
    if (format == CLI_JSON)
        return cli_put_json(report_characterised_json(c));
    if (format == CLI_CSV)
        report_characterised_csv(&out, c);
    else
        report_characterised_text(&out, c);
    return cli_put_text(&out);
}

int measure_insn(const char *form, tacho_measurer *m, const tacho_measure_options *o, const tacho_arch *arch,
                 cli_format format)
{
    tacho_characterise_options options = TACHO_CHARACTERISE_OPTIONS_INIT;
    tacho_error err;
    uint32_t id;
    options.quality = o->quality;
    int status = insn_find_one(form, &id);
    if (status)
        return status;
    tacho_characterisation *result = tacho_mem_alloc(sizeof *result);
    if (!result)
        return cli_input_error("out of memory");
    const tacho_arch *native = tacho_arch_find("native", &err);
    report_characterised c = {
        .result = result, .clock = tacho_measurer_clock(m), .arch = arch ? arch : native};
    c.own_arch = c.arch && c.arch == native;
    status = CLI_INPUT;
    if (tacho_characterise(m, id, &options, result, &err))
        cli_error("%s", err.message);
    else if (write_result(&c, format))
        status = !result->runs || report_agreement_of(&c).missing ? CLI_PARTIAL : CLI_OK;
    if (status == CLI_PARTIAL)
        cli_note("%s", result->runs ? "some figures could not be measured" : result->why);
    tacho_mem_free(result);
    return status;
}
