/* cmd_doctor.c - tacho doctor: is this machine fit for measuring, and what to change. */
#include <jansson.h>
#include <signal.h>
#include <stdio.h>

#include "app/cli/cli.h"
#include "app/report/report_doctor.h"

enum {
    O_CPU = 1,
    O_QUICK,
    O_FORMAT,
    O_JSON,
    O_COLOUR
};

static const cli_option options[] = {
    {O_CPU, "cpu", 0, "N", "the CPU that would measure; default: the last one that this process may use"},
    {O_QUICK, "quick", 'q', NULL, "leave out what takes time: drift of the clock, jitter, neighbour"},
    {O_FORMAT, "format", 'f', "FORMAT text|json", "text (default) or json"},
    {O_JSON, "json", 0, NULL, "the same as --format json"},
    {O_COLOUR, "color", 0, "WHEN auto|always|never", "auto (default), always or never"},
    {0, NULL, 0, NULL, NULL},
};

static const char more[] =
    "Takes a second, at full load on one CPU; needs no privileges. The exit status is 0 if the\n"
    "machine is fit (also with care), 1 if it is not, 2 for wrong usage.\n\n"
    "Examples:\n"
    "  tacho doctor\n"
    "  tacho doctor --cpu 0 --quick\n"
    "  tacho doctor --json\n";

typedef struct request {
    tacho_doctor_options examine;
    int format, colour;
} request;

/* @return -1: go on; else the exit status */
static int parse(request *r, int argc, char **argv)
{
    const char *value;
    uint32_t cpu;
    int id;
    cli_parser p;
    cli_parse_start(&p, &cli_doctor, argc, argv);
    while ((id = cli_next(&p, &value)) != CLI_END) {
        switch (id) {
        case CLI_HELP:
            return cli_help(&cli_doctor);
        case CLI_WRONG:
            return CLI_USAGE;
        case CLI_POSITIONAL:
            return cli_usage_error("tacho doctor takes no input: '%s'", value);
        case O_CPU:
            if (!cli_number32("--cpu", value, 0, 4095, &cpu))
                return CLI_USAGE;
            r->examine.cpu = (int)cpu;
            break;
        case O_QUICK:
            r->examine.quick = true;
            break;
        case O_JSON:
            r->format = CLI_JSON;
            break;
        case O_FORMAT:
            if ((r->format = cli_choice("--format", value, "text|json")) < 0)
                return CLI_USAGE;
            break;
        case O_COLOUR:
            if ((r->colour = cli_choice("--color", value, "auto|always|never")) < 0)
                return CLI_USAGE;
            break;
        }
    }
    return -1;
}

static bool show_text(const tacho_doctor_report *report, bool colour)
{
    tacho_str out = {0};
    report_doctor_text(&out, report, colour);
    bool ok = !out.failed;
    if (ok)
        fwrite(out.data, 1, out.length, stdout);
    tacho_str_free(&out);
    return ok;
}

static bool show_json(const tacho_doctor_report *report)
{
    json_t *j = report_doctor_json(report);
    bool ok = j && !json_dumpf(j, stdout, JSON_INDENT(2));
    if (ok)
        putchar('\n');
    json_decref(j);
    return ok || ferror(stdout); /* which main reports */
}

static int run_doctor(int argc, char **argv)
{
    request r = {.examine = TACHO_DOCTOR_OPTIONS_INIT};
    tacho_doctor_report *report;
    tacho_error err;
    int status = parse(&r, argc, argv);
    if (status >= 0)
        return status;
    /* It waits for its children, which a caller's setting could make vanish. */
    signal(SIGCHLD, SIG_DFL);
    int result = tacho_doctor_examine(&report, &r.examine, &err);
    if (result) {
        cli_error("%s", err.message);
        return result == TACHO_ERR_USAGE ? CLI_USAGE : CLI_INPUT;
    }
    status = report->verdict == TACHO_DOCTOR_UNFIT ? CLI_INPUT : CLI_OK;
    if (!(r.format == CLI_JSON ? show_json(report) : show_text(report, cli_use_colour(r.colour)))) {
        cli_error("out of memory");
        status = CLI_INPUT;
    }
    tacho_doctor_free(report);
    return status;
}

const cli_command cli_doctor = {"doctor",    run_doctor, "is this machine fit for measuring? what to change",
                                "[options]", options,    more};
