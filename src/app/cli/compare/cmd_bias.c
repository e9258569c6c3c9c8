/* cmd_bias.c - tacho bias: how memory layout changes a program's time, and why. */
#include "app/cli/running.h"
#include "app/report/report.h"
#include "app/report/compare/report_compare.h"

typedef struct request {
    tacho_bias_options sweep;
    tacho_command command;
    running running;
    const char *plot, *save;
    char *objects[TACHO_BIAS_MAX_OBJECTS];
    double seconds; /* for all; 0: not given */
    int format, colour;
    bool quick, quiet;
} request;
#define CLI_REQUEST request

static bool take_factors(void *target, const char *option, const char *value)
{
    tacho_bias_options *o = target;
    char choices[200] = "";
    for (int k = 0; k < TACHO_BIAS_KIND_COUNT; k++)
        snprintf(choices + strlen(choices), sizeof choices - strlen(choices), "%s%s", k ? "|" : "",
                 tacho_bias_kind_name((tacho_bias_kind)k));
    o->factors = 0;
    for (cli_word name; cli_next_word(&value, name);) {
        int kind = cli_choice(option, name, choices);
        if (kind < 0)
            return false;
        o->factors |= 1u << kind;
    }
    return true;
}

static bool take_bytes(const char *option, const char *value, uint32_t most, uint32_t *out)
{
    if (!cli_number32(option, value, TACHO_LAYOUT_STEP, most, out))
        return false;
    if (*out % TACHO_LAYOUT_STEP)
        return cli_error("%s is a multiple of %d bytes, to which stacks and allocations are aligned, not %s",
                         option, TACHO_LAYOUT_STEP, value);
    return true;
}

static bool take_step(void *target, const char *option, const char *value)
{
    return take_bytes(option, value, 4096, target);
}

static bool take_span(void *target, const char *option, const char *value)
{
    return take_bytes(option, value, 65536, target);
}

static bool take_object(void *target, const char *option, const char *value)
{
    request *r = target;
    if (r->sweep.object_count == TACHO_BIAS_MAX_OBJECTS)
        return cli_error("--objects takes at most %d files", TACHO_BIAS_MAX_OBJECTS);
    r->objects[r->sweep.object_count++] = (char *)(uintptr_t)value;
    r->sweep.objects = r->objects;
    return true;
}

static const cli_option options[] = {
    {CLI_COMMAND, "--", 0, NULL, NULL, CLI_AT(command.argv)},
    {CLI_CALL, "factors", 0, "LIST",
     "of environment, stack, heap, mappings, argument, directory,\nallocator, buffers, link-order, code; "
     "default: all that\ncan be changed here",
     CLI_AT(sweep), .take = take_factors},
    {CLI_CALL, "step", 0, "BYTES", "between places (default 16, or more where time is short)",
     CLI_AT(sweep.step_bytes), .take = take_step},
    {CLI_CALL, "span", 0, "BYTES", "in which places lie (default 4096)", CLI_AT(sweep.span_bytes),
     .take = take_span},
    {CLI_WHOLE, "passes", 0, "N",
     "runs at each place, 2 or more (default 5, or at least 3\nwhere time is short)", CLI_AT(sweep.passes),
     .low = 2, .high = TACHO_BIAS_MAX_PASSES},
    {CLI_SWITCH, "quick", 0, NULL,
     "about 20 seconds: environment, heap and buffers (with --link: code), places\nas close as that allows",
     CLI_AT(quick)},
    {CLI_SECONDS, "max-time", 0, "SECONDS", "for all (default 300)", CLI_AT(seconds)},
    {CLI_SECONDS, "timeout", 0, "SECONDS", "for a run (default: the time for all)",
     CLI_AT(sweep.timeout_seconds)},
    {CLI_STRING, "metric", 0, "NAME",
     "cycles, cpu, elapsed, or a counter's event (default: cycles,\nor cpu where the core's clock is not "
     "steady)",
     CLI_AT(sweep.metric)},
    {CLI_STRING, "events", 'e', "LIST", "count these too (libpfm4's names) and correlate them",
     CLI_AT(sweep.events)},
    {CLI_PERCENT, "threshold", 0, "PERCENT", "effects below it are of no interest (default 2)",
     CLI_AT(sweep.threshold), .most = 1000},
    {CLI_PERCENT, "confidence", 0, "PERCENT", "of intervals (default 95)", CLI_AT(sweep.confidence),
     .least = 51, .most = 99.9},
    {CLI_STRING, "link", 0, "COMMAND",
     "for link-order and code: how the program is linked, with\n{out} and {objects} in it, run by the shell",
     CLI_AT(sweep.link)},
    {CLI_CALL, "objects", 0, "FILE...", "its object files, up to the next option or --", CLI_ALL,
     .take = take_object, .many = true},
    {CLI_STRING, "input", 0, "FILE", "the command's standard input (default: nothing)",
     CLI_AT(command.input)},
    {CLI_GROUP, .rows = running_rows, CLI_TO(running)},
    {CLI_SET, "no-why", 0, NULL, "do not look for causes", CLI_AT(sweep.why), .low = false},
    {CLI_FILE, "plot", 0, "FILE", "the curves: .svg or .png (with gnuplot)", CLI_AT(plot), .ends = "svg|png"},
    {CLI_STRING, "save", 0, "FILE", "all points as CSV", CLI_AT(save)},
    {CLI_WHOLE, "seed", 0, "N", "of the order of the runs (default 1)", CLI_AT(sweep.seed),
     .high = UINT64_MAX},
    {CLI_WHOLE, "cpu", 0, "N", "processor to run on (default: the last one that this\nprocess may use)",
     CLI_AT(sweep.cpu), .high = 4095},
    {CLI_SWITCH, "quiet", 'q', NULL, "no progress", CLI_AT(quiet)},
    CLI_FORMAT_ROWS("text|json|csv", "text (default), json or csv"),
    CLI_COLOUR_ROW,
    {.kind = CLI_END},
};

/* What is not given is what shows most in little time. */
static void be_quick(request *r)
{
    const double seconds = 15; /* and what causes and advice take besides */
    tacho_bias_options *s = &r->sweep;
    s->max_seconds = r->seconds > 0 ? r->seconds : seconds;
    if (!s->factors)
        s->factors = s->link
                         ? 1u << TACHO_BIAS_CODE
                         : 1u << TACHO_BIAS_ENVIRONMENT | 1u << TACHO_BIAS_HEAP | 1u << TACHO_BIAS_BUFFERS;
}

static int check(request *r)
{
    const uint32_t linked = 1u << TACHO_BIAS_LINK_ORDER | 1u << TACHO_BIAS_CODE;
    const tacho_bias_options *s = &r->sweep;
    if (r->quick)
        be_quick(r);
    else if (r->seconds > 0)
        r->sweep.max_seconds = r->seconds;
    if (!r->command.argv)
        return cli_usage_error("no command: tacho bias [options] -- COMMAND ...");
    if ((!s->link) != (!s->object_count))
        return cli_usage_error("--link and --objects go together");
    if (s->link && (!strstr(s->link, "{out}") || !strstr(s->link, "{objects}")))
        return cli_usage_error("--link needs {out} and {objects} in it, as in 'cc -o {out} {objects} -lm'");
    if (s->factors & linked && !s->link)
        return cli_usage_error("the factors link-order and code need --link and --objects");
    return CLI_OK;
}

/* ---- while it runs ---- */

static int show_progress(const tacho_bias_progress *p, void *payload)
{
    (void)payload;
    char left[64] = "";
    if (isfinite(p->seconds_left))
        snprintf(left, sizeof left, ", about %.0f s left for all", p->seconds_left);
    cli_progress("%s, %s: %u of %u%s", tacho_bias_kind_name(p->kind), tacho_bias_phase_name(p->phase),
                 p->runs_done < p->runs_all ? p->runs_done + 1 : p->runs_all, p->runs_all, left);
    return cli_signals_asked(NULL);
}

/* ---- what is written ---- */

static bool write_points(cli_output *to, const report_bias *report)
{
    tacho_str out = {0};
    report_bias_points(&out, report);
    return cli_output_write(to, &out);
}

static bool draw(const char *path, const report_bias *report)
{
    TACHO_FREED tacho_str script = {0};
    if (report_bias_plot(&script, report, tool_is_png(path)))
        return tool_plot(&script, path);
    cli_error("%s: there is no curve to draw", path);
    return false;
}

static bool show(const request *r, const report_bias *report)
{
    tacho_str out = {0};
    if (r->format == CLI_JSON)
        report_put_json(&out, report_bias_json(report), 12);
    else if (r->format == CLI_CSV)
        report_bias_csv(&out, report);
    else
        report_bias_text(&out, report, cli_use_colour(r->colour));
    return cli_put_text(&out);
}

/* Whether there are figures of any factor; says so where there are none. */
static bool has_figures(const tacho_bias *b)
{
    for (uint32_t i = 0; i < b->factor_count; i++)
        if (!b->factors[i].missing)
            return true;
    return cli_error("no factor could be swept; %s: %s", b->factors[0].name, b->factors[0].missing);
}

static int report(const request *r, cli_output *saved, const tacho_bias *result)
{
    const report_bias report = {result, r->command.argv, r->sweep.confidence};
    bool ok = show(r, &report);
    ok = (!r->save || write_points(saved, &report)) && ok;
    ok = (!r->plot || draw(r->plot, &report)) && ok;
    if (!result->partial)
        ok = has_figures(result) && ok;
    else if (cli_signals_asked(NULL))
        running_say_signal("");
    else
        cli_note("the time was not enough for all (--max-time); the result is what there was by then");
    return !ok ? CLI_INPUT : result->partial ? CLI_PARTIAL : CLI_OK;
}

static int sweep(request *r, cli_output *saved)
{
    tacho_bias *result = NULL;
    tacho_error err;
    int status = running_open(&r->running, RUNNING_OFTEN, NULL);
    if (status)
        return status;
    r->sweep.output = r->running.output;
    r->sweep.errors = r->running.errors;
    r->sweep.ignore_failure = r->running.ignore_failure;
    r->sweep.stop = cli_signals_asked;
    r->sweep.progress = show_progress;
    if (r->quiet)
        cli_progress_off();
    cli_signals_ask();
    cli_signals_keep_pipe();
    int rc = tacho_bias_sweep(&result, &r->command, &r->sweep, &err);
    cli_progress_clear();
    running_close(&r->running);
    if (rc)
        return running_failed(rc, &err);
    status = report(r, saved, result);
    tacho_bias_free(result);
    return status;
}

static int run_bias(void *asked)
{
    request *r = asked;
    cli_output saved = {.path = NULL};
    int status = check(r);
    if (status)
        return status;
    if (r->plot && !tool_can_run("gnuplot", "gnuplot-nox", r->plot))
        return CLI_INPUT;
    if (r->save && !cli_output_open(&saved, r->save))
        return CLI_INPUT;
    status = sweep(r, &saved);
    cli_output_drop(&saved); /* what was not written to */
    return status;
}

CLI_DEFINE(cli_bias, "bias", "how memory layout changes a program's time, and why",
           "[options] -- COMMAND [ARGUMENT...]", options, help_bias, run_bias, request,
           .sweep = TACHO_BIAS_OPTIONS_INIT, .running = RUNNING_INIT);
