/* cmd_kernels.c - tacho kernels: variants of whole C kernels, measured, and predictions of their blocks
 * lifted and judged. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/cli/cmd_kernels.h"
#include "app/cli/running.h"
#include "app/cli/signals.h"
#include "app/cli/tool.h"
#include "app/report/report.h"
#include "app/report/report_kernels.h"

enum {
    O_LIST = 1,
    O_WRITE,
    O_KERNELS,
    O_COMPILERS,
    O_LEVELS,
    O_VECTORS,
    O_TRANSFORMS,
    O_FLAGS,
    O_SIZE,
    O_DATASET,
    O_LIMIT,
    O_MODELS,
    O_ARCH,
    O_BUILD_ONLY,
    O_NO_MEASURE,
    O_OUTPUT,
    O_RESUME,
    O_JOBS,
    O_TIMEOUT,
    O_MAX_MISS,
    O_MAX_MISSING,
    O_MEMORY_BOUND,
    O_CLOCK,
    O_CPU,
    O_PLOT,
    O_FORMAT,
    O_JSON,
    O_COLOUR,
    O_QUIET
};

static const cli_option options[] = {
    {O_LIST, "list", 'l', NULL, "list the kernels and the number of variants; nothing is built"},
    {O_WRITE, "write", 0, "DIR", "write tacho's own kernels into DIR, to read or to change"},
    {O_KERNELS, "kernels", 'k', "LIST", "only these kernels"},
    {O_COMPILERS, "compilers", 0, "LIST", "default gcc,clang"},
    {O_LEVELS, "levels", 0, "LIST", "default O1,O2,O3"},
    {O_VECTORS, "vectors", 0, "LIST scalar|sse2|avx|avx2|native",
     "of scalar, sse2, avx, avx2, native; default sse2,avx2"},
    {O_TRANSFORMS, "transforms", 0, "LIST",
     "of none, unroll, interchange, graphite (gcc), polly (clang),\nrestrict, fast-math; default all but the "
     "last; "
     "below O2 none"},
    {O_TRANSFORMS, "transform", 0, "LIST", NULL},
    {O_FLAGS, "flags", 0, "FLAGS", "further flags for all compilations, separated by spaces"},
    {O_SIZE, "size", 'n', "N", "-DN=N for tacho's own kernels (default: fits 24 KiB)"},
    {O_DATASET, "dataset", 0, "NAME", "for PolyBench: MINI (default), SMALL, MEDIUM, LARGE, EXTRALARGE"},
    {O_LIMIT, "limit", 0, "N", "only the first N variants, of all kernels the first ways first"},
    {O_MODELS, "models", 'm', "LIST",
     "predictors as for tacho eval; trace:MODEL is asked along the\n"
     "run (default: tacho, without memory dependencies, both along\n"
     "the run, its bounds, and the tools that are installed)"},
    {O_ARCH, "arch", 'a', "ARCH", "microarchitecture to predict (default native)"},
    {O_BUILD_ONLY, "build-only", 0, NULL, "build and count, then stop"},
    {O_NO_MEASURE, "no-measure", 0, NULL, "build, count and predict"},
    {O_OUTPUT, "output", 'o', "DIR", "keep objects, counts and measurements in DIR"},
    {O_RESUME, "resume", 0, NULL, "with --output: go on with what DIR has"},
    {O_JOBS, "jobs", 'j', "N", "build and predict N at a time (default: processors)"},
    {O_TIMEOUT, "timeout", 0, "S", "deadline of a compilation, a count, a measuring pass (default 60)"},
    {O_MAX_MISS, "max-miss", 0, "SHARE",
     "leave out variants of whose accesses more than SHARE miss the\nfirst-level data cache (default 0.15)"},
    {O_MAX_MISSING, "max-missing", 0, "SHARE",
     "let a predictor have no number for blocks with so large a share\nof the executed instructions (default "
     "0)"},
    {O_MEMORY_BOUND, "memory-bound", 0, "SHARE",
     "bound by dependencies through memory: without them, tacho\npredicts a time shorter by SHARE (default "
     "0.4)"},
    {O_CLOCK, "clock", 0, "CLOCK auto|perf|tsc-calibrated|tsc",
     "auto (default), perf, tsc-calibrated or tsc, as for tacho measure"},
    {O_CPU, "cpu", 0, "N", "logical processor to measure on"},
    {O_PLOT, "plot", 0, "FILE", "box plots of the errors: .svg or .png (with gnuplot)"},
    {O_FORMAT, "format", 'f', "FORMAT text|json|csv|markdown",
     "text (default), json, csv (a row a variant) or markdown"},
    {O_JSON, "json", 0, NULL, "the same as --format json"},
    {O_COLOUR, "color", 0, "WHEN auto|always|never", "auto (default), always or never"},
    {O_QUIET, "quiet", 'q', NULL, "no progress"},
    {0, NULL, 0, NULL, NULL},
};

static const char more[] =
    "DIR is searched for C files that call kernel_start or polybench_start_instruments: a directory\n"
    "of PolyBench/C, or one that --write has made; without it tacho's own kernels are taken.\n"
    "Each variant is built once. The same object is counted under callgrind (valgrind) and measured;\n"
    "a predictor's cycles are the sum over its basic blocks of executions times predicted cycles.\n"
    "Measuring comes after building, alone: leave the machine quiet then.\n\n"
    "The kernels are C programs that run here with your rights: take those that you trust.\n"
    "Ctrl-C: what there is by then; with --output, --resume goes on.\n\n"
    "Exit status: 0 done, 1 there is nothing to build, count or measure with, or a signal came before\n"
    "anything was built, 2 wrong usage, 3 some variants failed, or a signal ended the study.\n\n"
    "Examples:\n"
    "  tacho kernels --list\n"
    "  tacho kernels --kernels gemm,jacobi_2d --levels O2 -a ICL\n"
    "  tacho kernels -a ICL -o study --plot errors.svg\n"
    "  tacho kernels -a SKL -o study --resume --models tacho,llvm-mca --format csv\n"
    "  tacho kernels ~/polybench-c-4.2 --compilers gcc --levels O3 -a ICL\n";

typedef struct request {
    tacho_kernels_options kernels;
    tacho_measurer_options machine;
    const char *models, *arch, *plot, *write;
    bool list, build_only, no_measure, quiet;
    int format, colour;
} request;

enum {
    FORMAT_TEXT = 0,
    FORMAT_JSON,
    FORMAT_CSV,
    FORMAT_MARKDOWN
};

/* ---- options ---- */

static bool take_share(const char *option, const char *value, double *out)
{
    char *end;
    *out = strtod(value, &end);
    if (end > value && !*end && *out >= 0 && *out <= 1)
        return true;
    cli_error("%s is a share from 0 to 1, not '%s'", option, value);
    return false;
}

static bool take_choice(const char *option, const char *value, const char *choices, int *out)
{
    return (*out = cli_choice(option, value, choices)) >= 0;
}

/* Options that are texts. NULL: another one. */
static const char **text_of(request *r, int id)
{
    switch (id) {
    case O_WRITE:
        return &r->write;
    case O_KERNELS:
        return &r->kernels.kernels;
    case O_COMPILERS:
        return &r->kernels.compilers;
    case O_LEVELS:
        return &r->kernels.levels;
    case O_VECTORS:
        return &r->kernels.vectors;
    case O_TRANSFORMS:
        return &r->kernels.transforms;
    case O_FLAGS:
        return &r->kernels.extra_flags;
    case O_DATASET:
        return &r->kernels.dataset;
    case O_MODELS:
        return &r->models;
    case O_ARCH:
        return &r->arch;
    case O_OUTPUT:
        return &r->kernels.work;
    default:
        return NULL;
    }
}

static bool *switch_of(request *r, int id)
{
    switch (id) {
    case O_LIST:
        return &r->list;
    case O_BUILD_ONLY:
        return &r->build_only;
    case O_NO_MEASURE:
        return &r->no_measure;
    case O_RESUME:
        return &r->kernels.resume;
    case O_QUIET:
        return &r->quiet;
    default:
        return NULL;
    }
}

static bool take_cpu(request *r, const char *option, const char *value)
{
    uint32_t cpu;
    if (!cli_number32(option, value, 0, 65535, &cpu))
        return false;
    r->machine.cpu = (int)cpu;
    return true;
}

static bool take_option(request *r, int id, const char *option, const char *value)
{
    const char **text = text_of(r, id);
    bool *on = switch_of(r, id);
    int choice;
    if (text) {
        *text = value;
        return true;
    }
    if (on)
        return *on = true;
    switch (id) {
    case O_SIZE:
        return cli_number32(option, value, 1, 1 << 20, &r->kernels.n);
    case O_LIMIT:
        return cli_number32(option, value, 1, 1 << 20, &r->kernels.limit);
    case O_JOBS:
        return cli_number32(option, value, 1, 256, &r->kernels.jobs);
    case O_TIMEOUT:
        return cli_seconds(option, value, &r->kernels.seconds);
    case O_MAX_MISS:
        return take_share(option, value, &r->kernels.max_miss);
    case O_MAX_MISSING:
        return take_share(option, value, &r->kernels.max_missing);
    case O_MEMORY_BOUND:
        return take_share(option, value, &r->kernels.memory_bound);
    case O_CLOCK:
        if (!take_choice(option, value, "auto|perf|tsc-calibrated|tsc", &choice))
            return false;
        r->machine.clock = (tacho_clock)choice;
        return true;
    case O_CPU:
        return take_cpu(r, option, value);
    case O_PLOT:
        r->plot = value;
        return tool_is_picture("--plot", value);
    case O_FORMAT:
        return take_choice(option, value, "text|json|csv|markdown", &r->format);
    case O_JSON:
        r->format = FORMAT_JSON;
        return true;
    default:
        return take_choice(option, value, "auto|always|never", &r->colour);
    }
}

static bool take_directory(request *r, const char *value)
{
    if (r->kernels.directory)
        cli_error("only one directory of kernels: '%s' is too many", value);
    else
        r->kernels.directory = value;
    return r->kernels.directory == value;
}

const cli_command cli_kernels;

/* @return -1 when there is something to do, else an exit status */
static int parse(request *r, int argc, char **argv)
{
    cli_parser p;
    const char *value;
    cli_parse_start(&p, &cli_kernels, argc, argv);
    for (int id; (id = cli_next(&p, &value)) != CLI_END;) {
        if (id == CLI_HELP)
            return cli_help(&cli_kernels);
        if (id == CLI_WRONG ||
            !(id == CLI_POSITIONAL ? take_directory(r, value) : take_option(r, id, p.typed, value)))
            return CLI_USAGE;
    }
    if (r->kernels.resume && !r->kernels.work)
        return cli_usage_error("--resume needs --output DIR, which has the results so far");
    if (r->plot && (r->build_only || r->no_measure))
        return cli_usage_error("--plot shows errors, for which kernels must be measured");
    return -1;
}

/* ---- doing it ---- */

static bool line_is_open; /* of progress */

static void show_progress(void *payload, const char *what, size_t done, size_t count)
{
    line_is_open = done != count;
    fprintf(stderr, "\r%s: %zu of %zu%s", what, done, count, done == count ? "        \n" : "  ");
}

/* A study that a signal has ended is reported as far as it came, where that is not nothing. */
static int failed(int rc, const tacho_error *err)
{
    if (line_is_open)
        fputc('\n', stderr);
    line_is_open = false;
    if (rc == TACHO_ERR_CANCELLED)
        return CLI_PARTIAL;
    cli_error("%s", err->message);
    return rc == TACHO_ERR_USAGE ? CLI_USAGE : CLI_INPUT;
}

static void list(const tacho_kernels_result *r, tacho_str *out)
{
    for (size_t i = 0; i < r->kernel_count; i++) {
        const tacho_kernel *k = &r->kernels[i];
        tacho_str_printf(out, "%-20s %s%s%s%s\n", k->name, k->summary, *k->category ? " (" : "", k->category,
                         *k->category ? ")" : "");
    }
    tacho_str_printf(out, "%zu kernel%s in %zu variant%s\n", r->kernel_count, tacho_plural(r->kernel_count),
                     r->variant_count, tacho_plural(r->variant_count));
    for (size_t i = 0; i < r->note_count; i++)
        cli_note("%s%s", r->notes[i].text, r->notes[i].variants ? "; there are no such variants" : "");
}

static int measure(const request *r, tacho_kernels *k)
{
    tacho_error err;
    tacho_measurer *m = tacho_measurer_new(&r->machine, &err);
    if (!m) {
        cli_error("%s", err.message);
        return CLI_INPUT;
    }
    int rc = tacho_kernels_measure(k, m, &err);
    tacho_measurer_free(m);
    return rc ? failed(rc, &err) : CLI_OK;
}

static int predict(tacho_kernels *k, const kernels_models *models, const tacho_arch *arch)
{
    tacho_error err;
    for (size_t i = 0; i < models->count; i++) {
        int rc = tacho_kernels_predict(k, models->names[i], NULL, arch, NULL, &err);
        if (rc)
            return failed(rc, &err);
    }
    int rc = tacho_kernels_score(k, &err);
    return rc ? failed(rc, &err) : CLI_OK;
}

static bool write_report(const request *r, const report_kernels *report, tacho_str *out)
{
    if (r->format == FORMAT_JSON)
        report_put_json(out, report_kernels_json(report), 12);
    else if (r->format == FORMAT_CSV)
        report_kernels_csv(out, report);
    else if (r->format == FORMAT_MARKDOWN)
        report_kernels_markdown(out, report);
    else
        report_kernels_text(out, report, cli_use_colour(r->colour));
    if (out->failed)
        cli_error("out of memory");
    return !out->failed;
}

static bool plot(const request *r, const report_kernels *report)
{
    static const char *const argv[] = {"gnuplot", "-d", "-", NULL};
    tacho_str script = {0};
    report_kernels_plot(&script, report, tool_is_png(r->plot));
    bool good = tool_run(argv, "gnuplot-nox", &script, r->plot);
    tacho_str_free(&script);
    return good;
}

static void say_ended(const request *r)
{
    char rest[4200] = "";
    if (r->kernels.work)
        snprintf(rest, sizeof rest, "; --resume goes on with what is in %.4000s", r->kernels.work);
    running_say_signal(rest);
}

/* @param ended whether a signal has ended the study */
static int report(const request *r, tacho_kernels *k, bool ended, tacho_str *text)
{
    const tacho_arch *native = tacho_arch_find("native", NULL);
    const report_kernels out = {tacho_kernels_view(k), native, r->kernels.max_miss, r->kernels.memory_bound};
    bool drawn = !r->plot || (!ended && plot(r, &out));
    if (!write_report(r, &out, text))
        return CLI_INPUT;
    if (ended)
        say_ended(r);
    if (!drawn && !ended)
        return CLI_INPUT;
    size_t bad = report_kernels_failed(out.result);
    if (bad)
        cli_note("%zu of %zu variants failed", bad, out.result->variant_count);
    return bad || ended ? CLI_PARTIAL : CLI_OK;
}

static int nothing_built(void)
{
    tacho_error err;
    return running_failed(tacho_error_set(&err, TACHO_ERR_CANCELLED, "nothing was built"), &err);
}

static bool has_built(tacho_kernels *k)
{
    const tacho_kernels_result *r = tacho_kernels_view(k);
    return r->status_count[TACHO_KERNEL_PENDING] < r->variant_count;
}

static int study(const request *r, tacho_kernels *k, const kernels_models *models, const tacho_arch *arch,
                 tacho_str *text)
{
    tacho_error err;
    int rc = tacho_kernels_build(k, &err), status = rc ? failed(rc, &err) : CLI_OK;
    if (!status && !r->build_only && !r->no_measure)
        status = measure(r, k);
    if (!status && !r->build_only)
        status = predict(k, models, arch);
    bool ended = status == CLI_PARTIAL;
    if (ended && !has_built(k))
        return nothing_built();
    return status && !ended ? status : report(r, k, ended, text);
}

/* The report is in `text`, and the study gone, before anything is written to a reader that may leave. */
static int study_anew(const request *r, const kernels_models *models, const tacho_arch *arch, tacho_str *text)
{
    tacho_kernels *k;
    tacho_error err;
    int rc = tacho_kernels_new(&k, &r->kernels, &err), status = CLI_OK;
    if (rc)
        return rc == TACHO_ERR_CANCELLED ? nothing_built() : failed(rc, &err);
    if (r->list)
        list(tacho_kernels_view(k), text);
    else
        status = study(r, k, models, arch, text);
    tacho_kernels_free(k);
    return status;
}

/* @return CLI_OK, or an exit status with a message */
static int choose(request *r, kernels_models *models, const tacho_arch **arch, bool *fallback)
{
    const tacho_arch *archs[CLI_MAX_ARCHS];
    int count = cli_find_archs(r->arch, archs, fallback);
    if (count != 1)
        return count < 0 ? CLI_USAGE
                         : cli_usage_error("one microarchitecture at a time: -a %s", archs[0]->name);
    *arch = archs[0];
    if (r->plot && !tool_can_run("gnuplot", "gnuplot-nox", r->plot))
        return CLI_INPUT;
    return r->list || r->build_only ? CLI_OK : kernels_choose_models(models, r->models, *arch);
}

static int run(int argc, char **argv)
{
    static const tacho_kernels_options kernels = TACHO_KERNELS_OPTIONS_INIT;
    static const tacho_measurer_options machine = TACHO_MEASURER_OPTIONS_INIT;
    static kernels_models models;
    request r = {.kernels = kernels, .machine = machine};
    const tacho_arch *arch = NULL;
    bool fallback = false;
    tacho_str text = {0};
    tacho_error err;
    int status = parse(&r, argc, argv);
    if (status >= 0)
        return status;
    if (r.write) {
        int rc = tacho_kernels_write_suite(r.write, &err);
        return rc ? failed(rc, &err) : CLI_OK;
    }
    status = choose(&r, &models, &arch, &fallback);
    if (status)
        return status;
    if (!r.quiet && isatty(STDERR_FILENO))
        r.kernels.progress = show_progress;
    r.kernels.stop = cli_signals_asked;
    cli_signals_ask();
    cli_signals_keep_pipe();
    status = study_anew(&r, &models, arch, &text);
    if (text.length && !text.failed)
        fwrite(text.data, 1, text.length, stdout);
    tacho_str_free(&text);
    if (!r.list && !r.build_only)
        cli_note_fallback(status, fallback);
    return status;
}

const cli_command cli_kernels = {
    "kernels",         run,     "whole C kernels: variants, measured, and predictions lifted and judged",
    "[DIR] [OPTIONS]", options, more};
