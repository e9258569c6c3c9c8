/* cmd_doctor.c - tacho doctor: is this machine fit for measuring, and what to change. */
#include <signal.h>

#include "app/cli/running.h"
#include "app/report/measure/report_measure.h"

typedef struct request {
    tacho_doctor_options examine;
    int format, colour;
    bool memory;
    const char *picture, *output;
} request;
#define CLI_REQUEST request

static const cli_option options[] = {
    {CLI_WHOLE, "cpu", 0, "N", "the CPU that would measure; default: the last one that this process may use",
     CLI_AT(examine.cpu), .high = 4095},
    {CLI_SWITCH, "memory", 0, NULL,
     "in place of all that: measure caches, memory, TLB and\nprefetching (half a minute), and keep the "
     "result for others",
     CLI_AT(memory)},
    {CLI_FILE, "svg", 0, "FILE",
     "with --memory: draw cycles a load over footprint, .svg or .png\n(with gnuplot)", CLI_AT(picture),
     .ends = "svg|png"},
    {CLI_STRING, "output", 'o', "FILE",
     "with --memory: write the description for other machines to\nFILE (tacho predict --memory FILE)",
     CLI_AT(output)},
    CLI_FORMAT_ROWS("text|json", "text (default) or json"),
    CLI_COLOUR_ROW,
    {.kind = CLI_END},
};

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

static bool show_memory(const request *r, cli_output *file, const tacho_memory *m)
{
    tacho_str text = {0}, script = {0};
    bool ok = true;
    if (r->output) {
        char *written = tacho_memory_write(m);
        tacho_str_puts(&text, written ? written : "");
        text.failed |= !written;
        tacho_memory_text_free(written);
        ok = cli_output_write(file, &text);
        text = (tacho_str){0};
    }
    if (r->picture) {
        report_memory_plot(&script, m, tool_is_png(r->picture));
        ok = tool_plot(&script, r->picture) && ok;
    }
    if (r->format == CLI_JSON)
        return cli_put_json(report_memory_json(m)) && ok;
    report_memory_text(&text, m, cli_use_colour(r->colour));
    return cli_put_text(&text) && ok;
}

static int measure_memory(const request *r)
{
    tacho_memory_options o = TACHO_MEMORY_OPTIONS_INIT;
    tacho_memory m;
    tacho_error err;
    cli_output file = {.path = NULL};
    if ((r->picture && !tool_can_run("gnuplot", "gnuplot-nox", r->picture)) ||
        (r->output && !cli_output_open(&file, r->output)))
        return CLI_INPUT;
    o.cpu = r->examine.cpu;
    o.afresh = true;
    o.stop = cli_signals_asked;
    cli_signals_ask();
    const int result = tacho_memory_host(&m, &o, &err);
    if (result)
        cli_output_drop(&file);
    if (result == TACHO_ERR_CANCELLED)
        return cli_input_error("%s", cli_signals_words());
    return result ? cli_status(result, &err) : show_memory(r, &file, &m) ? CLI_OK : CLI_INPUT;
}

static int run_doctor(void *asked)
{
    const request *r = asked;
    tacho_doctor_report *report;
    tacho_error err;
    if ((r->picture || r->output) && !r->memory)
        return cli_usage_error("%s goes with --memory", r->picture ? "--svg" : "--output");
    if (r->memory)
        return measure_memory(r);
    /* It waits for its children, which a caller's setting could make vanish. */
    signal(SIGCHLD, SIG_DFL);
    int result = tacho_doctor_examine(&report, &r->examine, &err);
    if (result)
        return cli_status(result, &err);
    int status = show(r, report) ? CLI_OK : CLI_INPUT;
    if (report->verdict == TACHO_DOCTOR_UNFIT)
        status = cli_input_error("unfit for measuring: %s", report->reasons[0]);
    tacho_doctor_free(report);
    return status;
}

CLI_DEFINE(cli_doctor, "doctor", "is this machine fit for measuring? what to change", "[options]", options,
           help_doctor, run_doctor, request, .examine = TACHO_DOCTOR_OPTIONS_INIT);
