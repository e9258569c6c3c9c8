/* cmd_kernels.c - tacho kernels: variants of whole C kernels, measured, and predictions of their blocks
 * lifted and judged. */
#include "app/cli/running.h"
#include "app/report/report.h"
#include "app/report/study/report_study.h"
#include "base/ask_cpuid.h"

enum {
    KERNELS_MAX_MODELS = 64
};

/** Models to ask, by name. */
typedef struct kernels_models {
    char names[KERNELS_MAX_MODELS][TACHO_MODEL_NAME_SIZE];
    size_t count;
} kernels_models;

static bool add(kernels_models *m, const char *name)
{
    if (m->count == KERNELS_MAX_MODELS || !*name || strlen(name) >= TACHO_MODEL_NAME_SIZE)
        return cli_error("--models: more than %d, or a name that is empty or too long: '%.80s'",
                         KERNELS_MAX_MODELS, name);
    strcpy(m->names[m->count++], name);
    return true;
}

static int add_list(kernels_models *m, const char *list)
{
    for (cli_word name; cli_next_word(&list, name);) {
        static const char gone[] = "--models walk:";
        if ((tacho_starts_with(name, "walk:") && cli_is_gone("kernels", gone, strlen(gone))) || !add(m, name))
            return CLI_USAGE;
    }
    return CLI_OK;
}

/* What LLVM calls this machine's core where another one is predicted: AMD's since Zen 3. NULL: not known.
 * (Families and models: AMD's processor programming references.) */
static const char *host_for_llvm(void)
{
    const cpuid_signature s = cpuid_who();
    const bool is_zen4 =
        (s.model >= 0x10 && s.model <= 0x1f) || (s.model >= 0x60 && s.model <= 0x7f) || s.model >= 0xa0;
    return strcmp(s.vendor, "AuthenticAMD") != 0 ? NULL
           : s.family == 0x1a                    ? "znver5"
           : s.family == 0x19                    ? is_zen4 ? "znver4" : "znver3"
                                                 : NULL;
}

/* Whether the plain name stands for one that has a version, too. */
static bool is_wanted(const tacho_model_list *list, const tacho_model_info *model)
{
    if (model->missing || strchr(model->name, ':'))
        return false;
    if (!model->external)
        return !strcmp(model->name, "tacho") || !strcmp(model->name, "tacho-no-memory-deps") ||
               !strcmp(model->name, "tacho-bounds");
    for (size_t i = 0; !strcmp(model->name, "llvm-mca") && i < list->count; i++)
        if (!list->models[i].missing && tacho_starts_with(list->models[i].name, "llvm-mca-") &&
            !strchr(list->models[i].name, ':'))
            return false;
    return true;
}

/* Older versions of other tools do not know all the processors that later ones do. */
static bool can_be_opened(const char *name, const tacho_arch *arch)
{
    tacho_model *model;
    tacho_error err;
    if (tacho_model_open(&model, name, arch, NULL, &err))
        return false;
    tacho_model_close(model);
    return true;
}

static int add_usual(kernels_models *m, const tacho_arch *arch)
{
    tacho_model_list *list;
    tacho_error err;
    char newest[TACHO_MODEL_NAME_SIZE] = "";
    bool good = true;
    if (tacho_model_list_make(&list, arch, &err))
        return cli_input_error("%s", err.message);
    for (size_t i = 0; i < list->count && good; i++) {
        const char *name = list->models[i].name;
        if (!is_wanted(list, &list->models[i]) || (list->models[i].external && !can_be_opened(name, arch)))
            continue;
        good = add(m, name);
        if (tacho_starts_with(name, "llvm-mca"))
            snprintf(newest, sizeof newest, "%s", name);
    }
    tacho_model_list_free(list);
    const char *host = cli_is_native(arch) ? NULL : host_for_llvm();
    if (good)
        good = add(m, "trace:tacho") && add(m, "trace:tacho-no-memory-deps");
    if (good && *newest && host) {
        char name[2 * TACHO_MODEL_NAME_SIZE];
        snprintf(name, sizeof name, "%s@%s", newest, host);
        if (can_be_opened(name, arch))
            good = add(m, name);
    }
    return good ? CLI_OK : CLI_INPUT;
}

/* `list` by commas; NULL: all of ours and of the tools that are installed, and the newest llvm-mca for the
 *  processor of this machine, where that is not `arch`. @return an exit status, with a message */
static int kernels_choose_models(kernels_models *m, const char *list, const tacho_arch *arch)
{
    m->count = 0;
    int status = list ? add_list(m, list) : add_usual(m, arch);
    for (size_t i = 0; i < m->count && !status; i++) {
        const char *name = m->names[i];
        tacho_model *model;
        tacho_error err;
        tacho_kernels_along_path(&name);
        int rc = tacho_model_open(&model, name, arch, NULL, &err);
        if (!rc)
            tacho_model_close(model);
        status = cli_status(rc, &err);
    }
    return status;
}

/* ---- tacho kernels: variants of whole C kernels, measured, and predictions of their blocks lifted and
 * judged ---- */

typedef struct request {
    tacho_kernels_options kernels;
    tacho_measurer_options machine;
    const char *models, *arch, *write, *memory_file;
    bool list, build_only, no_measure, quiet;
    int format, colour;
    cli_name max_miss_option; /* as it was given; "" */
    tacho_memory memory;      /* of this machine, where it is known */
} request;
#define CLI_REQUEST request

static const cli_option options[] = {
    {CLI_STRING, "", 0, "DIR", NULL, CLI_AT(kernels.directory), .once = true},
    {CLI_SWITCH, "list", 'l', NULL, "list the kernels and the number of variants; nothing is built",
     CLI_AT(list)},
    {CLI_STRING, "write", 0, "DIR", "write tacho's own kernels into DIR, to read or to change",
     CLI_AT(write)},
    {CLI_STRING, "kernels", 'k', "LIST", "only these kernels", CLI_AT(kernels.kernels)},
    {CLI_STRING, "compilers", 0, "LIST", "default gcc,clang", CLI_AT(kernels.compilers)},
    {CLI_STRING, "levels", 0, "LIST", "default O1,O2,O3", CLI_AT(kernels.levels)},
    {CLI_STRING, "vectors", 0, "LIST scalar|sse2|avx|avx2|native",
     "of scalar, sse2, avx, avx2, native; default sse2,avx2", CLI_AT(kernels.vectors)},
    {CLI_STRING, "transforms", 0, "LIST",
     "of none, unroll, interchange, graphite (gcc), polly (clang),\nrestrict, fast-math; default all but the "
     "last; below O2 none",
     CLI_AT(kernels.transforms), .also = "transform"},
    {CLI_STRING, "flags", 0, "FLAGS", "further flags for all compilations, separated by spaces",
     CLI_AT(kernels.extra_flags)},
    {CLI_WHOLE, "size", 'n', "N", "-DN=N for tacho's own kernels (default: fits 24 KiB)", CLI_AT(kernels.n),
     .low = 1, .high = 1 << 20},
    {CLI_STRING, "dataset", 0, "NAME", "for PolyBench: MINI (default), SMALL, MEDIUM, LARGE, EXTRALARGE",
     CLI_AT(kernels.dataset)},
    {CLI_WHOLE, "limit", 0, "N", "only the first N variants, of all kernels the first ways first",
     CLI_AT(kernels.limit), .low = 1, .high = 1 << 20},
    {CLI_STRING, "models", 'm', "MODELS",
     "predictors as for tacho eval; trace:MODEL is asked along the\n"
     "run; memory: before these adds what misses the first level\n"
     "(default: tacho, with and without memory dependencies, also\n"
     "along the run; its bounds; and the tools that are installed)",
     CLI_AT(models)},
    {CLI_STRING, "arch", 'a', "ARCH", "microarchitecture to predict (default native)", CLI_AT(arch)},
    {CLI_SWITCH, "build-only", 0, NULL, "build and count, then stop", CLI_AT(build_only)},
    {CLI_SWITCH, "no-measure", 0, NULL, "build, count and predict", CLI_AT(no_measure)},
    {CLI_STRING, "output", 'o', "DIR", "keep objects, counts and measurements in DIR", CLI_AT(kernels.work)},
    {CLI_SWITCH, "resume", 0, NULL, "with --output: go on with what DIR has", CLI_AT(kernels.resume)},
    {CLI_WHOLE, "jobs", 'j', "N", "build and predict N at a time (default: processors)", CLI_AT(kernels.jobs),
     .low = 1, .high = 256},
    {CLI_SECONDS, "timeout", 0, "S", "deadline of a compilation, a count, a measuring pass (default 60)",
     CLI_AT(kernels.seconds)},
    {CLI_REAL, "max-miss", 0, "SHARE",
     "leave out variants of whose accesses more than SHARE miss the\nfirst-level data cache (default 0.15; "
     "with memory:MODEL none)",
     CLI_AT(kernels.max_miss), .most = 1, CLI_MARK(max_miss_option)},
    {CLI_REAL, "max-missing", 0, "SHARE",
     "let a predictor have no number for blocks with so large a share\nof the executed instructions (default "
     "0)",
     CLI_AT(kernels.max_missing), .most = 1},
    {CLI_REAL, "memory-bound", 0, "SHARE",
     "bound by dependencies through memory: without them, tacho\npredicts a time shorter by SHARE (default "
     "0.4)",
     CLI_AT(kernels.memory_bound), .most = 1},
    {CLI_STRING, "memory", 0, "FILE",
     "what memory takes, for memory:MODEL, from FILE ('doctor --memory\n-o') and not as this machine was "
     "measured",
     CLI_AT(memory_file)},
    {CLI_CHOICE, "clock", 0, "CLOCK auto|perf|tsc-calibrated|tsc",
     "auto (default), perf, tsc-calibrated or tsc, as for tacho measure", CLI_AT(machine.clock)},
    {CLI_WHOLE, "cpu", 0, "N", "logical processor to measure on", CLI_AT(machine.cpu), .high = 4095},
    CLI_FORMAT_ROWS("text|json|csv", "text (default), json or csv (a row a variant)"),
    CLI_COLOUR_ROW,
    {CLI_SWITCH, "quiet", 'q', NULL, "no progress", CLI_AT(quiet)},
    {.kind = CLI_END},
};

/* ---- doing it ---- */

static void show_progress(void *payload, const char *what, size_t done, size_t count)
{
    if (!strcmp(what, "stepped"))
        what = "followed from branch to branch (trace)";
    else if (!strcmp(what, "run in caches"))
        what = "run in simulated caches (memory)";
    (done == count ? cli_progress_last : cli_progress)("%s: %zu of %zu", what, done, count);
}

/* A study that a signal has ended is reported as far as it came, where that is not nothing. */
static int status_of(int rc, const tacho_error *err)
{
    return rc == TACHO_ERR_CANCELLED ? CLI_PARTIAL : cli_status(rc, err);
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
    if (!m)
        return cli_input_error("%s", err.message);
    int rc = tacho_kernels_measure(k, m, &err);
    tacho_measurer_free(m);
    return status_of(rc, &err);
}

/* Those that are asked along a path, or those that are not. @return as predict */
static int ask(tacho_kernels *k, const kernels_models *models, const tacho_arch *arch, bool along_path)
{
    tacho_error err;
    for (size_t i = 0; i < models->count; i++) {
        const char *model = models->names[i];
        if (tacho_kernels_along_path(&model) != along_path)
            continue;
        int rc = tacho_kernels_predict(k, models->names[i], NULL, arch, NULL, &err);
        if (rc)
            return status_of(rc, &err);
    }
    return CLI_OK;
}

/* Paths take minutes, the others seconds: what a signal ends has these. @return an exit status */
static int predict(tacho_kernels *k, const kernels_models *models, const tacho_arch *arch)
{
    tacho_error err;
    int status = ask(k, models, arch, false);
    status = status ? status : ask(k, models, arch, true);
    return status ? status : status_of(tacho_kernels_score(k, &err), &err);
}

static void write_report(const request *r, const report_kernels *report, tacho_str *out)
{
    if (r->format == CLI_JSON)
        report_put_json(out, report_kernels_json(report), 12);
    else if (r->format == CLI_CSV)
        report_kernels_csv(out, report);
    else
        report_kernels_text(out, report, cli_use_colour(r->colour));
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
    write_report(r, &out, text);
    if (ended)
        say_ended(r);
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
    int status = status_of(tacho_kernels_build(k, &err), &err);
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
        return rc == TACHO_ERR_CANCELLED ? nothing_built() : status_of(rc, &err);
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
    return r->list || r->build_only ? CLI_OK : kernels_choose_models(models, r->models, *arch);
}

static bool look_behind(const kernels_models *models)
{
    for (size_t i = 0; i < models->count; i++) {
        const char *name = models->names[i];
        if (tacho_kernels_with_memory(&name))
            return true;
    }
    return false;
}

/* Where predictors look behind the first level, nothing is left out for what it misses there. */
static int take_memory(request *r, const tacho_arch *arch)
{
    const int status = cli_memory_of(&r->memory, r->memory_file, arch);
    r->kernels.memory = &r->memory;
    if (!*r->max_miss_option)
        r->kernels.max_miss = 1;
    return status;
}

/* Of larger data sets the usual predictors look there, too, where the memory of the core's machine is known.
 * @return CLI_OK, or an exit status with a message */
static int choose_memory(request *r, kernels_models *models, const tacho_arch *arch)
{
    const bool usual = !r->models && strcmp(r->kernels.dataset, "MINI") != 0 && !r->no_measure;
    if (look_behind(models))
        return take_memory(r, arch);
    if (!usual)
        return r->memory_file ? cli_usage_error("--memory is for predictors named memory:MODEL: --models")
                              : CLI_OK;
    if (!r->memory_file && (!cli_memory_fits(arch) || tacho_memory_kept(&r->memory, NULL))) {
        if (!r->quiet)
            cli_note("what misses the first level is left out: 'tacho doctor --memory' measures what "
                     "predictions of it need");
        return CLI_OK;
    }
    for (size_t i = 0; i < 2 && models->count < KERNELS_MAX_MODELS; i++)
        strcpy(models->names[models->count++], i ? "memory:trace:tacho" : "memory:tacho");
    return take_memory(r, arch);
}

static int run(void *asked)
{
    static kernels_models models;
    request *r = asked;
    const tacho_arch *arch = NULL;
    bool fallback = false;
    tacho_str text = {0};
    tacho_error err;
    if (r->kernels.resume && !r->kernels.work)
        return cli_usage_error("--resume needs --output DIR, which has the results so far");
    if (r->write)
        return status_of(tacho_kernels_write_suite(r->write, &err), &err);
    int status = choose(r, &models, &arch, &fallback);
    if (!status && !r->list && !r->build_only)
        status = choose_memory(r, &models, arch);
    if (status)
        return status;
    if (r->quiet)
        cli_progress_off();
    cli_progress_into_log();
    r->kernels.progress = show_progress;
    r->kernels.stop = cli_signals_asked;
    cli_signals_ask();
    cli_signals_keep_pipe();
    status = study_anew(r, &models, arch, &text);
    if (!cli_put_text(&text))
        status = CLI_INPUT;
    if (!r->list && !r->build_only)
        cli_note_fallback(status, fallback);
    return status;
}

CLI_DEFINE(cli_kernels, "kernels", "whole C kernels: variants, measured, and predictions lifted and judged",
           "[DIR] [OPTIONS]", options, help_kernels, run, request, .kernels = TACHO_KERNELS_OPTIONS_INIT,
           .machine = TACHO_MEASURER_OPTIONS_INIT);
