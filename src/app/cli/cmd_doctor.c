/* cmd_doctor.c - tacho doctor: is this machine fit for measuring, and what to change. */
#include <signal.h>

#include "app/cli/cli.h"
#include "app/cli/learnt.h"
#include "app/cli/output.h"
#include "app/report/report_doctor.h"

typedef struct request {
    tacho_doctor_options examine;
    int format, colour;
    bool record_host;
} request;
#define CLI_REQUEST request

static const cli_option options[] = {
    {CLI_WHOLE, "cpu", 0, "N", "the CPU that would measure; default: the last one that this process may use",
     CLI_AT(examine.cpu), .high = 4095},
    {CLI_SWITCH, "quick", 'q', NULL, "leave out what takes time: drift of the clock, jitter, neighbour",
     CLI_AT(examine.quick)},
    {CLI_SWITCH, "record-host", 0, NULL,
     "only write what CPUID says of this processor, for tests on others (doc/TESTS.md), without serial "
     "numbers",
     CLI_AT(record_host)},
    CLI_FORMAT_ROWS("text|json", "text (default) or json"),
    CLI_COLOUR_ROW,
    {.kind = CLI_END},
};

static const char more[] =
    "Takes a second, at full load on one CPU; needs no privileges. The exit status is 0 if the\n"
    "machine is fit (also with care), 1 if it is not, 2 for wrong usage.\n\n"
    "Examples:\n"
    "  tacho doctor\n"
    "  tacho doctor --cpu 0 --quick\n"
    "  tacho doctor --json\n";

static bool show(const request *r, const tacho_doctor_report *report)
{
    tacho_str out = {0};
    if (r->format == CLI_JSON) {
        json_t *json = report_doctor_json(report);
        json_object_set_new(json, "learnt", learnt_json());
        return cli_put_json(json);
    }
    report_doctor_text(&out, report, cli_use_colour(r->colour));
    learnt_text(&out);
    return cli_put_text(&out);
}

static int record_host(void)
{
    char *text;
    tacho_error err;
    const int result = tacho_doctor_record_host(&text, &err);
    if (result)
        return cli_status(result, &err);
    tacho_str out = {0};
    tacho_str_puts(&out, text);
    tacho_doctor_text_free(text);
    return cli_put_text(&out) ? CLI_OK : CLI_INPUT;
}

static int run_doctor(void *asked)
{
    const request *r = asked;
    tacho_doctor_report *report;
    tacho_error err;
    if (r->record_host)
        return record_host();
    /* It waits for its children, which a caller's setting could make vanish. */
    signal(SIGCHLD, SIG_DFL);
    int result = tacho_doctor_examine(&report, &r->examine, &err);
    if (result)
        return cli_status(result, &err);
    int status = report->verdict == TACHO_DOCTOR_UNFIT ? CLI_INPUT : CLI_OK;
    if (!show(r, report))
        status = CLI_INPUT;
    tacho_doctor_free(report);
    return status;
}

CLI_DEFINE(cli_doctor, "doctor", "is this machine fit for measuring? what to change", "[options]", options,
           more, run_doctor, request, .examine = TACHO_DOCTOR_OPTIONS_INIT);
