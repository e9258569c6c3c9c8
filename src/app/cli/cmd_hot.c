/* cmd_hot.c - tacho hot: samples a program, finds its hot loops and blocks, and analyses each. */
#include <limits.h>
#include <unistd.h>

#include "app/cli/cmd_hot.h"

#define CLI_REQUEST hot_request
static const cli_option options[] = {
    {CLI_COMMAND, "--", 0, NULL, NULL, CLI_AT(command)},
    {CLI_STRING, "arch", 'a', "ARCH",
     "microarchitecture of the predictions (default: native, else\nSKL with a note)", CLI_AT(archs),
     .also = "mcpu"},
    {CLI_WHOLE, "pid", 'p', "PID", "sample this process, in place of a command", CLI_AT(pid), .low = 1,
     .high = INT_MAX},
    {CLI_WORDS, "", 0, "FILE", NULL, CLI_AT(files)},
    {CLI_SWITCH, "diff", 0, NULL,
     "compare two versions: commands (-- A ... -- B ...) that run in\nturns, or files of 'perf record'",
     CLI_AT(diff)},
    {CLI_WHOLE, "runs", 'n', "N", "with --diff: runs of each command (default 5)", CLI_AT(runs), .low = 1,
     .high = HOT_MAX_RUNS},
    {CLI_STRING, "perf-data", 'i', "FILE", "take the samples that 'perf record' has written to FILE",
     CLI_AT(perf_data), .also = "input"},
    {CLI_WHOLE, "frequency", 'F', "HZ",
     "samples a second of processor time (default 997; with\n--threads or --via ptrace 499, with --progress "
     "1999)",
     CLI_AT(sampling.hz), .low = 1, .high = TACHO_HOT_MAX_HZ, .also = "freq"},
    {CLI_SECONDS, "seconds", 0, "S", "sample for S seconds; a command is ended then",
     CLI_AT(sampling.seconds)},
    {CLI_CHOICE, "via", 0, "HOW auto|cycles|clock|ptrace",
     "cycles (counter), clock (perf_event without counters),\nptrace (without perf_event), or auto: the "
     "first that works",
     CLI_AT(sampling.via)},
    {CLI_PERCENT, "windows", 0, "PERCENT",
     "of the run's time for windows: some hundred instructions\neach, executed one by one (default 1; 0: "
     "none)",
     CLI_AT(sampling.windows), .most = TACHO_HOT_MAX_WINDOWS, CLI_MARK(windows_option)},
    {CLI_SWITCH, "threads", 0, NULL,
     "also look at threads that wait: for what, and who has it; what a\nlock costs, and what could run at "
     "once; with --diff, by what\nelapsed time changed",
     CLI_AT(sampling.threads)},
    {CLI_STRING, "progress", 0, "POINT",
     "causal profiling: how often POINT (a function, FILE:LINE or\n0x...) would be passed if hot places took "
     "less time",
     CLI_AT(sampling.progress_point)},
    {CLI_STRING, "what-if", 0, "PLACE",
     "with --progress: of this place (a function, FILE:LINE or\nFILE:FROM-TO) only",
     CLI_AT(sampling.what_if)},
    {CLI_SWITCH, "count", 0, NULL,
     "run the command a second time, counting how often blocks are\nexecuted: observed cycles beside the "
     "predicted ones",
     CLI_AT(count)},
    {CLI_WHOLE, "top", 0, "N", "report on the N hottest places in full (default 10), or all", CLI_AT(top),
     .high = UINT32_MAX, .word = "all"},
    {CLI_PERCENT, "min-share", 0, "PERCENT", "leave out places with less of the samples (default 0.5)",
     CLI_AT(min_share), .most = 100},
    {CLI_STRING, "save", 0, "FILE",
     "keep the samples, as 'perf record' does: for --perf-data, and\nfor --diff of two such files; what "
     "--threads saw, too",
     CLI_AT(sampling.save)},
    {CLI_STRING, "output", 'o', "FILE",
     "where the report goes; without it to standard output, and the\ncommand's own standard output to "
     "standard error",
     CLI_AT(output)},
    {CLI_GROUP, .rows = running_rows, CLI_TO(running), CLI_MARK(run_option)},
    {CLI_FILE, "html", 0, "FILE", "also a page: source, assembly and timelines together", CLI_AT(html),
     .ends = "html"},
    {CLI_FILE, "roofline", 0, "FILE",
     "draw the places by operations a byte and a cycle, under what the\nmachine allows (tacho doctor "
     "--memory): .svg, or the page .html",
     CLI_AT(roofline), .ends = "svg|html"},
    {CLI_CHOICE, "output-syntax", 0, "SYNTAX auto|att|intel",
     "of instructions in reports: intel (default), or att", CLI_AT(style)},
    CLI_FORMAT_ROWS("text|json|csv", "text (default), json or csv"),
    CLI_COLOUR_ROW,
    {CLI_SWITCH, "no-demangle", 0, NULL, "names of C++ and Rust functions as symbols have them",
     CLI_AT(keep_mangled)},
    {CLI_SWITCH, "quiet", 'q', NULL, "say nothing on standard error but errors", CLI_AT(quiet)},
    {.kind = CLI_END},
};

static const char more[] =
    "All processes and threads of the command are sampled, in the program's own code (user mode), also in\n"
    "shared libraries; neither root nor performance counters are needed. Ctrl-C: the report of what was "
    "seen\n"
    "by then. A command that fails is an error.\n\n"
    "Examples:\n"
    "  tacho hot -- gzip -k -f big.txt\n"
    "  tacho hot --pid 4711 --seconds 10 --html hot.html\n"
    "  perf record -o p.data ./app; tacho hot --perf-data p.data -a ICX --json\n"
    "  tacho hot --count --top 3 -o report.txt -- ./kernel 100\n"
    "  tacho hot --diff --html diff.html -- ./old input -- ./new input\n";

static int check_experiments(const hot_request *r)
{
    const tacho_hot_options *o = &r->sampling;
    if (o->what_if && !o->progress_point)
        return cli_usage_error(
            "--what-if needs --progress POINT: what the program does once for each piece of "
            "its work, as a function that it calls then");
    if (!o->progress_point)
        return CLI_OK;
    if (r->perf_data)
        return cli_usage_error("--progress does not go with --perf-data: the program does not run now");
    if (o->threads || o->save || *r->windows_option || r->count)
        return cli_usage_error("--progress does not go with %s: experiments change when threads run",
                               o->threads ? "--threads"
                               : o->save  ? "--save"
                               : r->count ? "--count"
                                          : "--windows");
    if (o->via && o->via != TACHO_HOT_CLOCK)
        return cli_usage_error("--progress goes with samples by the clock only: not --via %s",
                               tacho_hot_via_name(o->via));
    if (r->format == CLI_CSV)
        return cli_usage_error("--progress has no CSV: text and --json tell of experiments");
    return CLI_OK;
}

static int check(const hot_request *r)
{
    if (r->files.count)
        return cli_usage_error("'%s': a command stands after --: tacho hot %s", r->files.list[0],
                               cli_hot.usage);
    if (r->runs)
        return cli_usage_error("--runs goes with --diff: other commands are run once");
    int sources = (r->command != NULL) + (r->pid != 0) + (r->perf_data != NULL);
    if (!sources)
        return cli_usage_error("nothing to sample: -- and a command, --pid PID or --perf-data FILE");
    if (sources > 1)
        return cli_usage_error("a command, --pid or --perf-data: only one of them");
    if (r->count && !r->command)
        return cli_usage_error("--count runs a command again; %s gives none",
                               r->pid ? "--pid" : "--perf-data");
    if (*r->run_option && !r->command)
        return cli_usage_error("%s goes with a command", r->run_option);
    if (r->perf_data && (r->sampling.hz > 0 || r->sampling.seconds > 0 || r->sampling.via))
        return cli_usage_error("%s does not go with --perf-data: the samples have been taken",
                               r->sampling.hz > 0        ? "--frequency"
                               : r->sampling.seconds > 0 ? "--seconds"
                                                         : "--via");
    if (r->sampling.save && r->perf_data)
        return cli_usage_error("--save does not go with --perf-data: the samples are in a file");
    if (r->sampling.save && r->sampling.via == TACHO_HOT_PTRACE)
        return cli_usage_error("--save does not go with --via ptrace: it keeps samples by perf_event");
    if (r->sampling.threads && r->perf_data)
        return cli_usage_error(
            "--threads does not go with --perf-data: what the file has of threads is told in any case");
    if (r->sampling.threads && r->sampling.via == TACHO_HOT_PTRACE)
        return cli_usage_error("--threads does not go with --via ptrace, which stops threads");
    if (r->sampling.threads && r->format == CLI_CSV)
        return cli_usage_error("--threads has no CSV: text, --json and --html tell of threads");
    int status = check_experiments(r);
    if (status)
        return status;
    if (r->perf_data && *r->windows_option)
        return cli_usage_error("--windows does not go with --perf-data: the program does not run now");
    return CLI_OK;
}

/* ---- sampling ---- */

static int progress(double seconds, void *payload)
{
    const tacho_extract_progress p = {.seconds = seconds};
    return cli_watch_progress(&p, payload);
}

static int sample(hot_request *r, tacho_hot_profile **out)
{
    tacho_error err;
    cli_watch w;
    if (r->perf_data) {
        int rc = tacho_hot_read(out, r->perf_data, &err);
        if (rc)
            cli_error("%s", err.message);
        return rc ? CLI_INPUT : CLI_OK;
    }
    int status = r->command ? running_open(&r->running, RUNNING_ONCE, r->output) : CLI_OK;
    if (status)
        return status;
    r->input_offset = lseek(STDIN_FILENO, 0, SEEK_CUR);
    cli_watch_begin(&w, r->quiet);
    w.foreign = r->pid != 0;
    r->sampling.progress = progress;
    r->sampling.payload = &w;
    r->sampling.output = r->running.output;
    int rc = r->command ? tacho_hot_run(out, r->command, &r->sampling, &err)
                        : tacho_hot_attach(out, (pid_t)r->pid, &r->sampling, &err);
    running_close(&r->running);
    cli_watch_end();
    return rc ? running_failed(rc, &err) : CLI_OK;
}

/* Where nothing else says when to end, a signal is how the sampling of a process is to end. */
static bool is_endless(const hot_request *r)
{
    return r->pid && !(r->sampling.seconds > 0);
}

/* @return as running_judge */
static int judge(const hot_request *r, const tacho_hot_profile *p)
{
    const tacho_extract_run end = {
        .ended = p->ended || !p->command, .exit_status = p->exit_status, .signal = p->signal};
    if (is_endless(r))
        return CLI_OK;
    if (!end.ended && !cli_signals_asked(NULL) && !r->quiet)
        cli_note("the run was ended after %.1f s", p->seconds);
    return running_judge(&r->running, &end, r->quiet);
}

int hot_no_samples(const char *command, const tacho_hot_profile *p)
{
    return cli_input_error(
        "no samples: '%s' took too little processor time (%.3f s of its own) for %.0f samples a second",
        command, p->user_seconds > 0 ? p->user_seconds : 0, p->hz);
}

static int no_samples(const hot_request *r, const tacho_hot_profile *p)
{
    if (r->perf_data)
        return cli_input_error("%s: no samples of a program's own code%s", r->perf_data,
                               p->kernel ? ", only of the kernel" : "");
    if (r->pid)
        return cli_input_error("no samples: process %llu did not run in %.2f s", (unsigned long long)r->pid,
                               p->seconds);
    return hot_no_samples(r->command[0], p);
}

/* ---- the report ---- */

static void write_text(tacho_str *out, const hot_request *r, hot_analyst *a, bool colour)
{
    const report_hot *h = a->report;
    size_t top = r->top < h->hot->count ? (size_t)r->top : h->hot->count;
    report_said said = {.instructions = 0};
    TACHO_FREED tacho_str sharing = {0};
    code_table table;
    report_hot_places_start(&table);
    for (size_t i = 0; i < h->hot->count; i++) {
        hot_analyse(a, i, false, NULL);
        report_hot_row(&table, h, &a->place);
        report_threads_sharing(&sharing, h, &a->place);
    }
    report_hot_head(out, h, &sharing, colour);
    TACHO_FREED tacho_str places = {0};
    code_table_put(h->hot->count ? out : &places, &table, colour);
    report_hot_foot(out, h, colour);
    TACHO_ENDS(report_hot_worths_free) report_hot_worths worths = {0};
    TACHO_FREED tacho_str full = {0};
    for (size_t i = 0; i < top; i++) {
        hot_analyse(a, i, true, NULL);
        a->place.subject.said = &said;
        if (!report_hot_contradicts(&a->place) || report_hot_waits(&a->place))
            report_hot_worths_add(&worths, h, &a->place);
        tacho_str_putc(&full, '\n');
        report_hot_text(&full, h, &a->place, colour);
    }
    report_hot_worths_sort(&worths);
    report_hot_worths_text(out, &worths, colour);
    if (full.length)
        tacho_str_append(out, full.data, full.length);
    report_said_text(out, &said);
    out->failed |= full.failed || worths.failed;
    report_said_free(&said);
}

static void write_json(tacho_str *out, const hot_request *r, hot_analyst *a)
{
    TACHO_ENDS(report_hot_worths_free) report_hot_worths worths = {0};
    json_t *places = json_array();
    for (size_t i = 0; i < a->report->hot->count; i++) {
        hot_analyse(a, i, i < r->top, NULL);
        report_hot_worths_add(&worths, a->report, &a->place);
        json_array_append_new(places, report_hot_place_json(a->report, &a->place));
    }
    report_hot_worths_sort(&worths);
    const tacho_hot_roofline *roofline = hot_analyst_roofline(a);
    out->failed |= worths.failed || !roofline;
    if (roofline)
        report_put_json(out, report_hot_json(a->report, places, &worths, roofline), 12);
    else
        json_decref(places);
}

static void write_csv(tacho_str *out, hot_analyst *a)
{
    report_hot_csv_head(out);
    for (size_t i = 0; i < a->report->hot->count; i++) {
        hot_analyse(a, i, false, NULL);
        report_hot_csv_row(out, a->report, &a->place);
    }
}

/* Where results go. */
typedef struct outputs {
    cli_output report, page, roofline;
} outputs;

static void draw_roofline(tacho_str *out, const hot_request *r, hot_analyst *a)
{
    const tacho_hot_roofline *roofline = hot_analyst_roofline(a);
    if (!a->report->memory && !r->quiet)
        cli_note("%s: bandwidths are not known%s", r->roofline,
                 a->report->file ? " of the machine that the samples are from"
                                 : "; 'tacho doctor --memory' measures them once");
    out->failed |= !roofline;
    if (roofline)
        report_roofline_svg(out, roofline, a->report);
}

static int write_outputs(const hot_request *r, outputs *o, hot_analyst *a)
{
    TACHO_FREED tacho_str text = {0}, page = {0}, picture = {0};
    const bool to_file = r->output && strcmp(r->output, "-") != 0;
    const bool in_page = r->roofline && tool_ends_in(r->roofline, ".html");
    if (r->format == CLI_JSON)
        write_json(&text, r, a);
    else if (r->format == CLI_CSV)
        write_csv(&text, a);
    else
        write_text(&text, r, a, r->colour == 1 || (!to_file && cli_use_colour(r->colour)));
    if (r->html || in_page)
        hot_page(&page, a, r->top);
    if (in_page)
        tacho_str_append(&picture, page.data, page.length);
    else if (r->roofline)
        draw_roofline(&picture, r, a);
    picture.failed |= in_page && page.failed;
    bool ok = cli_output_write(&o->report, &text) && (!r->html || cli_output_write(&o->page, &page)) &&
              (!r->roofline || cli_output_write(&o->roofline, &picture));
    return ok ? CLI_OK : CLI_INPUT;
}

static int report(const hot_request *r, outputs *o, const report_hot *h)
{
    hot_analyst a;
    int status = hot_analyst_start(&a, h) ? write_outputs(r, o, &a) : cli_input_error("out of memory");
    hot_analyst_free(&a);
    return status;
}

/* ---- all of it ---- */

static int find_and_report(const hot_request *r, outputs *out, const tacho_hot_profile *profile,
                           const tacho_arch *arch, const tacho_hot_find_options *o)
{
    tacho_hot *hot;
    tacho_hot_threads *threads;
    TACHO_ENDS(source_lines_free) source_lines sources = {0};
    tacho_memory memory;
    tacho_error err;
    if (tacho_hot_find(&hot, profile, o, &err))
        return cli_input_error("%s", err.message);
    if (tacho_hot_threads_find(&threads, profile, hot, &err)) {
        tacho_hot_free(hot);
        return cli_input_error("%s", err.message);
    }
    const bool kept = !r->perf_data && !tacho_memory_kept(&memory, NULL);
    const report_hot h = {.command = r->command,
                          .pid = (long)r->pid,
                          .file = r->perf_data,
                          .profile = profile,
                          .hot = hot,
                          .threads = threads,
                          .arch = arch,
                          .memory = kept ? &memory : NULL,
                          .own_arch = cli_is_native(arch),
                          .core_hz = o->core_hz,
                          .sources = &sources,
                          .syntax = r->style == 1 ? TACHO_SYNTAX_ATT : TACHO_SYNTAX_INTEL};
    int status = report(r, out, &h);
    tacho_hot_threads_free(threads);
    tacho_hot_free(hot);
    return status;
}

/* @param uncounted whether a signal has come before the end of the counting */
static int analyse(const hot_request *r, outputs *out, const tacho_hot_profile *profile,
                   const tacho_arch *arch, bool *uncounted)
{
    tacho_hot_find_options o = TACHO_HOT_FIND_OPTIONS_INIT;
    tacho_extract *counts = NULL;
    o.keep_mangled = r->keep_mangled;
    o.min_share = r->min_share;
    if (r->count && !cli_signals_asked(NULL) && !hot_count(r, &counts, &o.core_hz))
        return CLI_INPUT;
    if (!r->count && profile->pairs && profile->via != TACHO_HOT_CYCLES)
        o.core_hz = hot_find_clock();
    *uncounted = r->count && cli_signals_asked(NULL);
    o.counts = counts;
    int status = find_and_report(r, out, profile, arch, &o);
    tacho_extract_free(counts);
    return status;
}

/* That they can be written is found out before the run. */
static bool open_outputs(outputs *o, const hot_request *r)
{
    return cli_output_open(&o->report, r->output) && (!r->html || cli_output_open(&o->page, r->html)) &&
           (!r->roofline || cli_output_open(&o->roofline, r->roofline));
}

/* What was not written to. */
static void drop_outputs(outputs *o)
{
    cli_output_drop(&o->report);
    cli_output_drop(&o->page);
    cli_output_drop(&o->roofline);
}

static int sample_and_analyse(hot_request *r, outputs *o, const tacho_arch *arch, bool fallback)
{
    tacho_hot_profile *profile;
    int status = sample(r, &profile);
    if (status)
        return status;
    int judged = judge(r, profile);
    bool none = !profile->samples && !profile->threads, uncounted = false;
    status = judged == CLI_INPUT ? judged : CLI_OK;
    if (!status && (!none || r->format != CLI_TEXT))
        status = analyse(r, o, profile, arch, &uncounted);
    if (none && !status)
        status = no_samples(r, profile);
    if (*profile->not_saved)
        status = cli_input_error("%s", profile->not_saved);
    const char *nothing = profile->causal && !status ? profile->causal->nothing : NULL;
    if (nothing)
        cli_note("--progress: %s", nothing);
    if (!status && (judged == CLI_PARTIAL || uncounted || nothing))
        status = CLI_PARTIAL;
    cli_note_fallback(status, fallback && !none && !r->quiet);
    tacho_hot_profile_free(profile);
    return status;
}

static int run_hot(void *asked)
{
    hot_request *r = asked;
    const tacho_arch *archs[CLI_MAX_ARCHS];
    outputs o = {0};
    bool fallback;
    int status = r->diff ? hot_diff_check(r) : check(r);
    if (status)
        return status;
    if (r->sampling.via == TACHO_HOT_PTRACE && r->sampling.hz > TACHO_HOT_MAX_PTRACE_HZ)
        return cli_usage_error("--via ptrace takes at most %d samples a second", TACHO_HOT_MAX_PTRACE_HZ);
    int count = cli_find_archs(r->archs, archs, &fallback);
    if (count != 1)
        return count < 0 ? CLI_USAGE : cli_usage_error("one microarchitecture at a time, not %d", count);
    status = !open_outputs(&o, r) ? CLI_INPUT
             : r->diff            ? hot_diff(r, &o.report, &o.page, archs[0], fallback)
                                  : sample_and_analyse(r, &o, archs[0], fallback);
    drop_outputs(&o);
    return status;
}

CLI_DEFINE(cli_hot, "hot", "the hot loops and blocks of a program, each analysed",
           "[options] -- COMMAND [ARGUMENT]... | --pid PID | --perf-data FILE\n"
           "       tacho hot --diff [options] -- A [ARGUMENT]... -- B [ARGUMENT]... | --diff A.data B.data",
           options, more, run_hot, hot_request, .sampling = TACHO_HOT_OPTIONS_INIT, .running = RUNNING_INIT,
           .min_share = 0.005, .top = 10);
