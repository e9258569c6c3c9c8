/* cmd_measure_insn.c - tacho measure --insn: latencies and throughput of a form, beside a table. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>

#include "app/cli/cmd_insn.h"
#include "app/cli/cmd_measure.h"
#include "app/report/report_characterise.h"
#include "base/mem.h"

static bool write_result(const report_characterised *c, cli_format format)
{
    tacho_str out = {0};
    if (format == CLI_JSON) {
        json_t *j = report_characterised_json(c);
        bool made = j && !json_dumpf(j, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
        if (made)
            putchar('\n');
        json_decref(j);
        return made || ferror(stdout); /* which main reports */
    }
    if (format == CLI_CSV)
        report_characterised_csv(&out, c);
    else
        report_characterised_text(&out, c);
    bool made = !out.failed;
    if (made)
        fwrite(out.data, 1, out.length, stdout);
    tacho_str_free(&out);
    return made;
}

static int out_of_memory(void)
{
    return cli_input_error("out of memory");
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
        return out_of_memory();
    const tacho_arch *native = tacho_arch_find("native", &err);
    report_characterised c = {
        .result = result, .clock = tacho_measurer_clock(m), .arch = arch ? arch : native};
    c.own_arch = c.arch && c.arch == native;
    status = CLI_INPUT;
    if (tacho_characterise(m, id, &options, result, &err))
        cli_error("%s", err.message);
    else if (!write_result(&c, format))
        out_of_memory();
    else
        status = !result->runs || report_agreement_of(&c).missing ? CLI_PARTIAL : CLI_OK;
    if (status == CLI_PARTIAL)
        cli_note("%s", result->runs ? "some figures could not be measured" : result->why);
    tacho_mem_free(result);
    return status;
}
