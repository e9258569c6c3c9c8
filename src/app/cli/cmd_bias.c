/* cmd_bias.c - tacho bias: how memory layout changes a program's time, and why. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/cli/cli.h"
#include "app/cli/output.h"
#include "app/cli/running.h"
#include "app/cli/signals.h"
#include "app/cli/tool.h"
#include "app/report/report.h"
#include "app/report/report_bias.h"

enum {
    O_FACTORS = 1,
    O_STEP,
    O_SPAN,
    O_PASSES,
    O_MAX_TIME,
    O_TIMEOUT,
    O_THRESHOLD,
    O_CONFIDENCE,
    O_SEED,
    O_CPU,
    O_METRIC,
    O_EVENTS,
    O_LINK,
    O_OBJECTS,
    O_INPUT,
    O_NO_WHY,
    O_PLOT,
    O_SAVE,
    O_QUIET,
    O_FORMAT,
    O_JSON,
    O_COLOUR
};

static const cli_option options[] = {
    {O_FACTORS, "factors", 0, "LIST",
     "of environment, stack, heap, mappings, argument, directory,\nallocator, buffers, link-order, code; "
     "default: all "
     "that\ncan be changed here"},
    {O_STEP, "step", 0, "BYTES", "between places (default 16, or more where time is short)"},
    {O_SPAN, "span", 0, "BYTES", "in which places lie (default 4096)"},
    {O_PASSES, "passes", 0, "N", "runs at each place (default 5, at least 3)"},
    {O_MAX_TIME, "max-time", 0, "SECONDS", "for all (default 300)"},
    {O_TIMEOUT, "timeout", 0, "SECONDS", "for a run (default: the time for all)"},
    {O_METRIC, "metric", 0, "NAME",
     "cycles, cpu, elapsed, or a counter's event (default: cycles,\nor cpu where the core's clock is not "
     "steady)"},
    {O_EVENTS, "events", 'e', "LIST", "count these too (libpfm4's names) and correlate them"},
    {O_THRESHOLD, "threshold", 0, "PERCENT", "effects below it are of no interest (default 2)"},
    {O_CONFIDENCE, "confidence", 0, "PERCENT", "of intervals (default 95)"},
    {O_LINK, "link", 0, "COMMAND",
     "for link-order and code: how the program is linked, with\n{out} and {objects} in it, run by the shell"},
    {O_OBJECTS, "objects", 0, "FILE...", "its object files, up to the next option or --"},
    {O_INPUT, "input", 0, "FILE", "the command's standard input (default: nothing)"},
    RUNNING_OPTIONS,
    {O_NO_WHY, "no-why", 0, NULL, "do not look for causes"},
    {O_PLOT, "plot", 0, "FILE", "the curves: .svg or .png (with gnuplot)"},
    {O_SAVE, "save", 0, "FILE", "all points as CSV"},
    {O_SEED, "seed", 0, "N", "of the order of the runs (default 1)"},
    {O_CPU, "cpu", 0, "N", "processor to run on (default: the last one that this\nprocess may use)"},
    {O_QUIET, "quiet", 'q', NULL, "no progress"},
    {O_FORMAT, "format", 'f', "FORMAT text|json|csv", "text (default), json or csv"},
    {O_JSON, "json", 0, NULL, "the same as --format json"},
    {O_COLOUR, "color", 0, "WHEN auto|always|never", "auto (default), always or never"},
    {0, NULL, 0, NULL, NULL},
};

static const char more[] =
    "The command is run again and again with its addresses fixed and one thing changed: where its\n"
    "stack begins, how large its environment is ... A factor is biased where its slowest place takes\n"
    "longer than usual ones, or its fastest less, by more than the threshold, as found by runs of\n"
    "their own. The program is not changed, and needs no privileges; its output is dropped.\n"
    "Ctrl-C: what there is by then. A command that fails is an error.\n\n"
    "Examples:\n"
    "  tacho bias -- ./program 1000\n"
    "  tacho bias --factors environment --plot curve.svg -- ./program\n"
    "  tacho bias --factors link-order,code --link 'cc -o {out} {objects} -lm' \\\n"
    "      --objects a.o b.o c.o -- ./program\n";

typedef struct request {
    tacho_bias_options sweep;
    tacho_command command;
    running running;
    const char *plot, *save;
    char *objects[TACHO_BIAS_MAX_OBJECTS];
    int format, colour;
    bool quiet, after_objects;
} request;

static bool percent(const char *option, const char *value, double low, double high, double *out)
{
    char *end;
    double n = strtod(value, &end);
    if (end == value || (*end && strcmp(end, "%")) || !(n >= low) || !(n <= high)) {
        cli_error("%s is a number of percent from %g to %g, not '%s'", option, low, high, value);
        return false;
    }
    *out = n / 100;
    return true;
}

static bool take_factors(request *r, const char *value)
{
    char choices[200] = "";
    for (int k = 0; k < TACHO_BIAS_KIND_COUNT; k++)
        snprintf(choices + strlen(choices), sizeof choices - strlen(choices), "%s%s", k ? "|" : "",
                 tacho_bias_kind_name((tacho_bias_kind)k));
    r->sweep.factors = 0;
    for (const char *at = value; *at || at == value;) {
        char name[32];
        size_t n = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", (int)n, at);
        int kind = cli_choice("--factors", name, choices);
        if (kind < 0)
            return false;
        r->sweep.factors |= 1u << kind;
        at += n + (at[n] == ',');
    }
    return true;
}

static bool take_bytes(const char *option, const char *value, uint32_t least, uint32_t most, uint32_t *out)
{
    if (!cli_number32(option, value, least, most, out))
        return false;
    if (*out % TACHO_LAYOUT_STEP) {
        cli_error("%s is a multiple of %d bytes, to which stacks and allocations are aligned, not %s", option,
                  TACHO_LAYOUT_STEP, value);
        return false;
    }
    return true;
}

static bool take_object(request *r, const char *value)
{
    if (r->sweep.object_count == TACHO_BIAS_MAX_OBJECTS) {
        cli_error("--objects takes at most %d files", TACHO_BIAS_MAX_OBJECTS);
        return false;
    }
    r->objects[r->sweep.object_count++] = (char *)(uintptr_t)value;
    r->sweep.objects = r->objects;
    return true;
}

static bool take(request *r, int id, const char *value)
{
    tacho_bias_options *s = &r->sweep;
    uint32_t cpu;
    switch (id) {
    case O_FACTORS:
        return take_factors(r, value);
    case O_STEP:
        return take_bytes("--step", value, TACHO_LAYOUT_STEP, 4096, &s->step_bytes);
    case O_SPAN:
        return take_bytes("--span", value, TACHO_LAYOUT_STEP, 65536, &s->span_bytes);
    case O_PASSES:
        return cli_number32("--passes", value, 2, TACHO_BIAS_MAX_PASSES, &s->passes);
    case O_MAX_TIME:
        return cli_seconds("--max-time", value, &s->max_seconds);
    case O_TIMEOUT:
        return cli_seconds("--timeout", value, &s->timeout_seconds);
    case O_THRESHOLD:
        return percent("--threshold", value, 0, 1000, &s->threshold);
    case O_CONFIDENCE:
        return percent("--confidence", value, 51, 99.9, &s->confidence);
    case O_SEED:
        return cli_number("--seed", value, 0, UINT64_MAX, &s->seed);
    case O_CPU:
        s->cpu = cli_number32("--cpu", value, 0, 4095, &cpu) ? (int)cpu : TACHO_CPU_ANY;
        return s->cpu != TACHO_CPU_ANY;
    case O_METRIC:
        s->metric = value;
        return true;
    case O_EVENTS:
        s->events = value;
        return true;
    case O_LINK:
        s->link = value;
        return true;
    case O_OBJECTS:
        return take_object(r, value);
    case O_INPUT:
        r->command.input = value;
        return true;
    case O_NO_WHY:
        s->why = false;
        return true;
    case O_PLOT:
        r->plot = value;
        return tool_is_picture("--plot", value);
    case O_SAVE:
        r->save = value;
        return true;
    case O_QUIET:
        r->quiet = true;
        return true;
    case O_JSON:
        r->format = CLI_JSON;
        return true;
    case O_FORMAT:
        r->format = cli_choice("--format", value, "text|json|csv");
        return r->format >= 0;
    case O_COLOUR:
        r->colour = cli_choice("--color", value, "auto|always|never");
        return r->colour >= 0;
    default:
        return running_option(&r->running, id, value);
    }
}

static int check(const request *r)
{
    const uint32_t linked = 1u << TACHO_BIAS_LINK_ORDER | 1u << TACHO_BIAS_CODE;
    const tacho_bias_options *s = &r->sweep;
    if (!r->command.argv)
        return cli_usage_error("no command: tacho bias [options] -- COMMAND ...");
    if ((!s->link) != (!s->object_count))
        return cli_usage_error("--link and --objects go together");
    if (s->link && (!strstr(s->link, "{out}") || !strstr(s->link, "{objects}")))
        return cli_usage_error("--link needs {out} and {objects} in it, as in 'cc -o {out} {objects} -lm'");
    if (s->factors & linked && !s->link)
        return cli_usage_error("the factors link-order and code need --link and --objects");
    return -1;
}

/* @return -1: go on; else the exit status */
static int parse(request *r, int argc, char **argv)
{
    const char *value;
    int id;
    cli_parser p;
    cli_parse_start(&p, &cli_bias, argc, argv);
    while (!r->command.argv && (id = cli_next(&p, &value)) != CLI_END) {
        if (id == CLI_HELP)
            return cli_help(&cli_bias);
        if (id == CLI_WRONG)
            return CLI_USAGE;
        if (id == CLI_POSITIONAL && p.only_positional)
            r->command.argv = argv + p.at - 1;
        else if (id == CLI_POSITIONAL && !r->after_objects)
            return cli_usage_error("the command stands behind --: tacho bias [options] -- %s ...", value);
        else if (id == CLI_POSITIONAL ? !take_object(r, value) : !take(r, id, value))
            return CLI_USAGE;
        else
            r->after_objects = id == O_OBJECTS || id == CLI_POSITIONAL;
    }
    return check(r);
}

/* ---- while it runs ---- */

typedef struct screen {
    bool shown, wanted;
    double last;
} screen;

static screen terminal;

static int show_progress(const tacho_bias_progress *p, void *payload)
{
    (void)payload;
    if (terminal.wanted && p->seconds - terminal.last >= 0.3) {
        fprintf(stderr, "\r\033[K%s, %s: %u of %u", tacho_bias_kind_name(p->kind),
                tacho_bias_phase_name(p->phase), p->runs_done < p->runs_all ? p->runs_done + 1 : p->runs_all,
                p->runs_all);
        if (isfinite(p->seconds_left))
            fprintf(stderr, ", about %.0f s left for all", p->seconds_left);
        terminal.last = p->seconds;
        terminal.shown = true;
    }
    return cli_signals_asked(NULL);
}

/* ---- what is written ---- */

static bool write_points(cli_output *to, const report_bias *report)
{
    tacho_str out = {0};
    report_bias_points(&out, report);
    if (out.failed)
        cli_error("out of memory");
    bool ok = !out.failed && cli_output_begin(to);
    if (ok) {
        fwrite(out.data, 1, out.length, to->file);
        ok = cli_output_end(to);
    }
    tacho_str_free(&out);
    return ok;
}

static bool draw(const char *path, const report_bias *report)
{
    const char *const argv[] = {"gnuplot", "-d", "-", NULL};
    tacho_str script = {0};
    bool any = report_bias_plot(&script, report, tool_is_png(path));
    bool ok = any && !script.failed && tool_run(argv, "gnuplot-nox", &script, path);
    if (!any)
        cli_error("%s: there is no curve to draw", path);
    tacho_str_free(&script);
    return ok;
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
    cli_error("no factor could be swept; %s: %s", b->factors[0].name, b->factors[0].missing);
    return false;
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
    terminal.wanted = !r->quiet && isatty(STDERR_FILENO);
    cli_signals_ask();
    cli_signals_keep_pipe();
    int rc = tacho_bias_sweep(&result, &r->command, &r->sweep, &err);
    if (terminal.shown)
        fputs("\r\033[K", stderr);
    running_close(&r->running);
    if (rc)
        return running_failed(rc, &err);
    status = report(r, saved, result);
    tacho_bias_free(result);
    return status;
}

static int run_bias(int argc, char **argv)
{
    request r = {.sweep = TACHO_BIAS_OPTIONS_INIT, .running = RUNNING_INIT};
    cli_output saved = {.path = NULL};
    int status = parse(&r, argc, argv);
    if (status >= 0)
        return status;
    if (r.save && !cli_output_open(&saved, r.save))
        return CLI_INPUT;
    status = sweep(&r, &saved);
    cli_output_drop(&saved); /* what was not written to */
    return status;
}

const cli_command cli_bias = {"bias",
                              run_bias,
                              "how memory layout changes a program's time, and why",
                              "[options] -- COMMAND [ARGUMENT...]",
                              options,
                              more};
