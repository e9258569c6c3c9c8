/* cmd_deps.c - tacho deps: which instructions wait for which, in a block, a function, or a run. */
#include "app/cli/running.h"
#include "app/cli/source.h"
#include "app/report/predict/report_deps.h"
#include "app/report/report.h"
#include "app/report/study/report_study.h"

typedef struct request {
    source source;
    initial_state state;
    tacho_deps_options options;
    int format, colour;
    bool follow, budget, share;
    bool run;
    cli_name run_option,
        block_option; /* one that only --run has, and one that it does not; "": none was given */
    /* With --run: */
    tacho_deps_run_options watched;
    char **command;     /* ends in NULL; NULL: none was given */
    const char *output; /* "-", NULL: standard output */
    running running;
    bool quiet;
} request;
#define CLI_REQUEST request

enum {
    USUAL_TOP = 20 /* dependencies of a run in the text */
};

/* "any,1024,512" */
static bool take_lifetimes(void *target, const char *option, const char *value)
{
    tacho_deps_run_options *o = target;
    const char *rest = value;
    uint32_t n = 0;
    for (cli_word word; cli_next_word(&rest, word);) {
        unsigned long long limit;
        bool any = tacho_str_same(word, "any");
        bool good = n < TACHO_DEPS_RUN_MAX_LIFETIMES &&
                    (any || (tacho_parse_u64(word, &limit) && limit && limit <= INT64_MAX));
        if (!good)
            return cli_error(
                "--lifetimes: at most %d numbers of instructions, or 'any', such as any,1024,512, not '%s'",
                TACHO_DEPS_RUN_MAX_LIFETIMES, value);
        o->lifetimes[n++] = any ? TACHO_DEPS_RUN_FOREVER : limit;
    }
    o->lifetime_count = n;
    return true;
}

static void make_report(const request *r, const tacho_deps_run *run, tacho_str *out)
{
    const uint64_t top = r->source.top == SOURCE_TOP_DEFAULT ? USUAL_TOP : r->source.top;
    const report_deps_run report = {r->command, run, r->watched.hot,
                                    top < UINT32_MAX ? (uint32_t)top : UINT32_MAX};
    bool to_file = r->output && strcmp(r->output, "-") != 0;
    if (r->format == CLI_TEXT)
        report_deps_run_text(out, &report, r->colour == 1 || (!to_file && cli_use_colour(r->colour)));
    else if (r->format == CLI_CSV)
        report_deps_run_csv(out, &report);
    else
        report_put_json(out, report_deps_run_json(&report), 12);
}

/* @param judged as running_judge */
static int report(const request *r, const tacho_deps_run *run, int judged, cli_output *to)
{
    tacho_str text = {0};
    make_report(r, run, &text);
    return !cli_output_write(to, &text)               ? CLI_INPUT
           : run->run.ended && run->judged && !judged ? CLI_OK
                                                      : CLI_PARTIAL;
}

static int run_and_report(request *r, cli_output *to)
{
    tacho_deps_run *run;
    tacho_error err;
    cli_watch w;
    int status = cli_watch_command(&w, &r->running, r->output, r->quiet);
    if (status)
        return status;
    r->watched.deps = r->options;
    r->watched.output = r->running.output;
    r->watched.progress = cli_watch_progress;
    r->watched.deps.progress = cli_watch_asked_to_end;
    r->watched.payload = r->watched.deps.payload = &w;
    int rc = tacho_deps_run_command(&run, r->command, &r->watched, &err);
    status = cli_watch_judge(&r->running, rc, &err, rc ? NULL : &run->run, r->quiet);
    if (rc)
        return status;
    bool failed = status == CLI_INPUT;
    for (size_t i = 0; !failed && i < run->warning_count && (!r->quiet || !run->judged); i++)
        cli_note("%s", run->warnings[i]);
    if (!failed)
        status = report(r, run, status, to);
    tacho_deps_run_free(run);
    return status;
}

static int deps_run(request *r)
{
    cli_output to;
    if (!cli_output_open(&to, r->output))
        return CLI_INPUT;
    int status = run_and_report(r, &to);
    cli_output_drop(&to);
    return status;
}

/* ---- tacho deps: which instructions wait for which ---- */

static bool take_kinds(void *target, const char *option, const char *value)
{
    tacho_deps_options *o = target;
    bool wanted[TACHO_DEPENDENCY_KIND_COUNT] = {false};
    for (cli_word word; cli_next_word(&value, word);) {
        int kind = cli_choice(option, word, "register|flags|memory");
        if (kind < 0)
            return false;
        wanted[kind] = true;
    }
    o->no_registers = !wanted[TACHO_DEPENDENCY_REGISTER];
    o->no_flags = !wanted[TACHO_DEPENDENCY_FLAGS];
    o->no_memory = !wanted[TACHO_DEPENDENCY_MEMORY];
    return true;
}

static const cli_option options[] = {
    {CLI_GROUP, .rows = source_rows, CLI_TO(source), CLI_MARK(block_option)},
    {CLI_GROUP, .rows = source_parts_rows, CLI_TO(source), CLI_MARK(block_option)},
    {CLI_WHOLE, "top", 0, "N",
     "with --loops the first N of them (default 10), with --run so\nmany dependencies (default 20), or all",
     CLI_AT(source.top), .high = UINT32_MAX, .word = "all"},
    {CLI_GROUP, .rows = listing_rows, CLI_TO(source), CLI_MARK(block_option)},
    {CLI_GROUP, .rows = init_rows, CLI_TO(state), CLI_MARK(block_option)},
    {CLI_GROUP, .rows = alias_rows, CLI_TO(state), CLI_MARK(block_option)},
    {CLI_CALL, "kinds", 0, "LIST register|flags|memory", "only these: register, flags, memory (default: all)",
     CLI_AT(options), .take = take_kinds, CLI_MARK(block_option)},
    {CLI_WHOLE, "window", 0, "N", "instructions that a dependency may reach back (default 512)",
     CLI_AT(options.window), .low = 1, .high = 1000000},
    {CLI_WHOLE, "seeds", 0, "N",
     "runs with other random numbers, all of which must show a\ndependency (default 3)",
     CLI_AT(options.seeds), .low = 1, .high = 100},
    {CLI_PERCENT, "share", 0, "PERCENT",
     "of the iterations that a dependency must be in (default 80);\nnot with --follow, where any will do",
     CLI_AT(options.share), .least = 1, .most = 100, CLI_SETS(share)},
    {CLI_SWITCH, "follow", 0, NULL,
     "the code is a function: execute it from its start, branch\nafter branch, in place of taking it as a "
     "loop",
     CLI_AT(follow), CLI_MARK(block_option)},
    {CLI_WHOLE, "budget", 0, "N",
     "--follow: instructions executed a seed (default 1000000);\nwhat they store may take 2 GB with all "
     "seeds together",
     CLI_AT(options.budget), .low = 1, .high = 1000000000, CLI_SETS(budget)},
    CLI_FORMAT_ROWS("text|json|csv", "text (default), json or csv"),
    CLI_COLOUR_ROW,
    {CLI_SWITCH, "run", 0, NULL,
     "run a COMMAND under valgrind: the dependencies through memory\nthat it has, and how many of them are "
     "found without running it",
     CLI_AT(run)},
    {CLI_STRING, "output", 'o', "FILE", "--run: where the report goes; default: standard output",
     CLI_AT(output), CLI_MARK(run_option)},
    {CLI_PERCENT, "hot", 0, "PERCENT",
     "--run: judge blocks with at least this share of the hottest\none's executions (default 10)",
     CLI_AT(watched.hot), .most = 100, CLI_MARK(run_option)},
    {CLI_CALL, "lifetimes", 0, "LIST",
     "--run: most instructions from store to load that count\n(default any,1024,512)", CLI_AT(watched),
     .take = take_lifetimes, CLI_MARK(run_option)},
    {CLI_SECONDS, "timeout", 0, "S", "--run: end it after S seconds; what was seen is kept",
     CLI_AT(watched.timeout_seconds), CLI_MARK(run_option)},
    {CLI_GROUP, .rows = running_rows, CLI_TO(running), CLI_MARK(run_option)},
    {CLI_SWITCH, "quiet", 'q', NULL, "--run: say nothing on standard error but errors", CLI_AT(quiet),
     CLI_MARK(run_option)},
    {CLI_COMMAND, "--", 0, NULL, NULL, CLI_AT(command)},
    {.kind = CLI_END},
};

/* ---- what comes out ---- */

/* `first`: nothing was printed before. */
static bool print(const request *r, const report_deps *report, json_t *list, bool first)
{
    tacho_str out = {0};
    if (r->format == CLI_JSON)
        return !json_array_append_new(list, report_deps_json(report)) || cli_error("out of memory");
    if (r->format == CLI_CSV) {
        if (first)
            report_deps_csv_header(&out, report->region_count > 1, report->deps->steps);
        report_deps_csv(&out, report);
    } else {
        if (!first)
            tacho_str_putc(&out, '\n');
        report_deps_text(&out, report, cli_use_colour(r->colour));
    }
    return cli_put_text(&out);
}

/* --follow: nothing was chosen, and there is more than one function: a return, and something behind it. */
static void note_all(const request *r, const report_deps *report)
{
    const tacho_code_options *o = &r->source.code;
    const tacho_deps *deps = report->deps;
    bool chosen = o->symbol || o->section || o->has_range || report->region->name || report->region_count > 1;
    for (size_t i = 0; !chosen && i + 1 < deps->insn_count; i++)
        if (deps->insns[i].is_ret) {
            cli_note("%s: all of its code, %zu bytes with more than one function, is taken as one function; "
                     "--symbol, --range or markers choose a part",
                     report->input, report->region->byte_count);
            return;
        }
}

static bool one_region(const request *r, report_deps *report, json_t *list, bool first, bool is_elf)
{
    tacho_deps_options asked = r->options;
    tacho_deps *deps;
    tacho_error err;
    if (!report->region->bytes)
        return cli_error("%s: %s: no path through the loop was found", report->input, report->region->name);
    if (r->follow)
        asked.address = report->region->address;
    if ((r->follow ? tacho_deps_follow : tacho_deps_find)(&deps, report->region->bytes,
                                                          report->region->byte_count, &asked, &err)) {
        const char *name = report->region->name ? report->region->name : "";
        char at[CLI_OFFSET_SIZE];
        return cli_error("%s%s%s: %s%s", report->input, *name ? ": " : "", name,
                         cli_offset(at, 0, err.offset, ""), err.message);
    }
    report->deps = deps;
    if (is_elf && r->follow)
        note_all(r, report);
    bool good = print(r, report, list, first);
    tacho_deps_free(deps);
    return good;
}

static int run_parts(const request *r, const source_parts *parts)
{
    json_t *list = json_array();
    const size_t count = parts->end - parts->first;
    size_t failed = 0;
    source_part part;
    for (size_t i = 0; i < count; i++) {
        source_part_get(&r->source, parts, parts->first + i, &part);
        report_deps report = {.input = source_name(&r->source),
                              .listing = &part.listing,
                              .region = &part.region,
                              .region_number = parts->first + i,
                              .region_count = count,
                              .options = &r->options};
        failed +=
            !one_region(r, &report, list, failed == i, parts->code && parts->code->kind == TACHO_INPUT_ELF);
    }
    /* One object; of several regions a list, whether all of them came out or not. */
    bool good = r->format != CLI_JSON || !json_array_size(list) ||
                cli_put_json(json_incref(count == 1 ? json_array_get(list, 0) : list));
    if (failed && count > 1)
        cli_error("%zu of %zu %s failed", failed, count, parts->loops ? "loops" : "regions");
    json_decref(list);
    return !failed && good ? CLI_OK : failed < count && good ? CLI_PARTIAL : CLI_INPUT;
}

/* What goes together. @return an exit status */
static int check(request *r)
{
    for (char **word = r->command; word && *word && !r->run; word++)
        if (!source_input(&r->source, "", *word))
            return CLI_USAGE;
    if (*r->run_option && !r->run)
        return cli_usage_error("%s goes with --run", r->run_option);
    if (*r->block_option && r->run)
        return cli_usage_error("%s does not go with --run", r->block_option);
    if (r->share && r->follow)
        return cli_usage_error("--share does not go with --follow: of a function, a dependency counts that "
                               "is seen with all seeds, in whatever share of the executions");
    if (r->budget && !r->follow && !r->run)
        return cli_usage_error("--budget goes with --follow or --run");
    if (r->run && !r->command)
        return cli_usage_error("--run: nothing to run: -- and a command");
    return CLI_OK;
}

static int find_deps(request *r)
{
    TACHO_ENDS(source_parts_free) source_parts parts = {0};
    return source_parts_each(&r->source, &parts) ?: run_parts(r, &parts);
}

static int run_deps(void *asked)
{
    request *r = asked;
    int status = check(r);
    if (status)
        return status;
    if (r->run)
        return deps_run(r);
    r->source.done = "analysed";
    r->source.one_block = r->follow ? "--follow: it takes a function" : NULL;
    if (!source_check(&r->source))
        return CLI_USAGE;
    INITIAL_STATE_PUT(&r->options, &r->state);
    status = r->source.list_regions ? source_list(&r->source) : find_deps(r);
    source_free(&r->source);
    return status;
}

CLI_DEFINE(cli_deps, "deps", "dependencies, also through memory and across iterations",
           "[INPUT] | --run [options] -- COMMAND [ARGUMENT]...", options, help_deps, run_deps, request,
           .source = SOURCE_INIT, .options = TACHO_DEPS_OPTIONS_INIT, .watched = TACHO_DEPS_RUN_OPTIONS_INIT,
           .running = RUNNING_INIT);
