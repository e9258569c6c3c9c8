/* cmd_hot_diff.c - tacho hot --diff: two commands run in turns, or two files; how they differ, place by
 * place. */
#include <fcntl.h>
#include <unistd.h>

#include "app/cli/cmd_hot.h"
#include "app/report/report_hot_diff.h"
#include "base/mem.h"

enum {
    SIDES = 2,
    DEFAULT_RUNS = 5,
    FINER = 5 /* places that are looked for are so much smaller than those that are shown: one that is small
                 on one side has its counterpart, too */
};

/* ---- what was asked for ---- */

static int check_sources(const hot_request *r)
{
    if (r->pid || r->perf_data)
        return cli_usage_error("%s does not go with --diff: two commands, or two files",
                               r->pid ? "--pid" : "--perf-data");
    if (!r->command == !r->files.count)
        return cli_usage_error(
            "--diff compares two commands (-- A ... -- B ...) or two files of 'perf record'");
    if (r->files.count && r->files.count != SIDES)
        return cli_usage_error("--diff compares two files, not %zu", r->files.count);
    if (r->files.count && (r->runs || r->count || *r->run_option || *r->windows_option))
        return cli_usage_error("%s goes with commands, not with files", r->runs          ? "--runs"
                                                                        : r->count       ? "--count"
                                                                        : *r->run_option ? r->run_option
                                                                                         : "--windows");
    if (r->files.count && (r->sampling.hz > 0 || r->sampling.via))
        return cli_usage_error("%s does not go with files: the samples have been taken",
                               r->sampling.hz > 0 ? "--frequency" : "--via");
    return CLI_OK;
}

int hot_diff_check(const hot_request *r)
{
    int status = check_sources(r);
    if (status)
        return status;
    if (r->sampling.seconds > 0)
        return cli_usage_error("--seconds does not go with --diff: what takes how long is the question");
    if (r->roofline)
        return cli_usage_error("--roofline is of one program: it does not go with --diff");
    if (r->sampling.save)
        return cli_usage_error("--save is of one program: it does not go with --diff");
    if (r->sampling.threads && (r->files.count || r->sampling.via == TACHO_HOT_PTRACE))
        return cli_usage_error("--threads does not go with %s", r->files.count
                                                                    ? "files: what they have of threads is "
                                                                      "compared in any case"
                                                                    : "--via ptrace, which stops threads");
    if (r->sampling.progress_point)
        return cli_usage_error("--progress is of one program: it does not go with --diff");
    if (r->format == CLI_CSV)
        return cli_usage_error("--diff writes text or JSON, not CSV");
    return CLI_OK;
}

/* "A ... -- B ...": cut in two. @return an exit status */
static int split_commands(hot_request *r, char **commands[SIDES])
{
    char **between = r->command;
    while (*between && strcmp(*between, "--") != 0)
        between++;
    if (between == r->command || !*between || !between[1])
        return cli_usage_error("command %c is missing: -- A ... -- B ...", between == r->command ? 'A' : 'B');
    for (char **word = between + 1; *word; word++)
        if (!strcmp(*word, "--"))
            return cli_usage_error("--diff compares two commands: there is a third one");
    *between = NULL;
    commands[0] = r->command;
    commands[1] = between + 1;
    return CLI_OK;
}

/* ---- runs ---- */

/* The profiles of both sides. */
typedef struct runs {
    tacho_hot_profile **list[SIDES];
    size_t count[SIDES];
    tacho_hot_profile *windowed[SIDES]; /* further runs, which are not compared; NULL: there are none */
} runs;

static void free_runs(runs *all)
{
    for (int i = 0; i < SIDES; i++) {
        for (size_t k = 0; k < all->count[i]; k++)
            tacho_hot_profile_free(all->list[i][k]);
        tacho_mem_free(all->list[i]);
        tacho_hot_profile_free(all->windowed[i]);
    }
}

static bool start_runs(runs *all, size_t most)
{
    *all = (runs){.count = {0}};
    for (int i = 0; i < SIDES; i++)
        all->list[i] = tacho_mem_zalloc(most, sizeof *all->list[i]);
    return all->list[0] && all->list[1] ? true : cli_error("out of memory");
}

/* What a run shows of how far all have come. */
typedef struct turn {
    cli_watch watch;
    uint32_t number, all;
} turn;

static int progress(double seconds, void *payload)
{
    turn *t = payload;
    cli_progress("run %u of %u: %.0f s", t->number, t->all, seconds);
    if (cli_signals_urgent())
        return 2;
    return cli_signals_asked(NULL) && !cli_signals_shared();
}

/* Each run reads the standard input from where it was; where it is no file, nothing. */
static void prepare_input(const hot_request *r)
{
    if (r->input_offset >= 0)
        lseek(STDIN_FILENO, r->input_offset, SEEK_SET);
}

static bool open_nothing(void)
{
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    bool done = nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0;
    if (nothing > STDIN_FILENO)
        close(nothing);
    return done;
}

/* One run. @return CLI_OK and *out, or an exit status; CLI_PARTIAL: a signal came */
static int run_once(hot_request *r, char *const argv[], turn *t, tacho_hot_profile **out)
{
    tacho_error err;
    prepare_input(r);
    cli_watch_begin(&t->watch, r->quiet);
    r->sampling.progress = progress;
    r->sampling.payload = t;
    r->sampling.output = r->running.output;
    int rc = tacho_hot_run(out, argv, &r->sampling, &err);
    cli_watch_end();
    if (rc)
        return running_failed(rc, &err);
    if (cli_signals_asked(NULL))
        return CLI_PARTIAL;
    const tacho_hot_profile *p = *out;
    const tacho_extract_run end = {.ended = p->ended, .exit_status = p->exit_status, .signal = p->signal};
    int status = running_judge(&r->running, &end, r->quiet);
    if (!status && !p->samples && !p->threads)
        status = hot_no_samples(argv[0], p);
    return status;
}

/* A B B A A B ...: what changes steadily while they run falls on both alike. */
static int run_in_turns(hot_request *r, char **commands[SIDES], runs *all)
{
    const uint32_t count = r->runs ? r->runs : DEFAULT_RUNS;
    const double windows = r->sampling.windows;
    turn t = {.all = SIDES * count};
    r->sampling.windows = 0; /* they would cost time that is compared */
    int status = CLI_OK;
    for (uint32_t n = 0; n < SIDES * count && !status; n++) {
        const int side = (n % SIDES != 0) != (n / SIDES % 2 != 0);
        tacho_hot_profile *p = NULL;
        t.number = n + 1;
        status = run_once(r, commands[side], &t, &p);
        if (!status)
            all->list[side][all->count[side]++] = p;
        else
            tacho_hot_profile_free(p);
    }
    r->sampling.windows = windows;
    r->sampling.threads = false;
    for (int side = 0; side < SIDES && windows > 0 && !status; side++) {
        status = run_once(r, commands[side], &t, &all->windowed[side]);
        if (status) { /* it is NULL, or of no use */
            tacho_hot_profile_free(all->windowed[side]);
            all->windowed[side] = NULL;
        }
    }
    return status;
}

static int run_commands(hot_request *r, char **commands[SIDES], runs *all)
{
    if (!start_runs(all, r->runs ? r->runs : DEFAULT_RUNS))
        return CLI_INPUT;
    r->input_offset = lseek(STDIN_FILENO, 0, SEEK_CUR);
    if (r->input_offset < 0 && !open_nothing())
        return cli_input_error("/dev/null cannot be opened");
    int status = running_open(&r->running, RUNNING_OFTEN, r->output);
    if (status)
        return status;
    int dropped = r->running.output < 0 ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;
    r->running.output = dropped >= 0 ? dropped : r->running.output;
    status = run_in_turns(r, commands, all);
    if (dropped >= 0) {
        close(dropped);
        r->running.output = -1;
    }
    running_close(&r->running);
    if (status != CLI_PARTIAL)
        return status;
    if (!all->count[0] || !all->count[1]) {
        return cli_input_error("%s: one of the two has not run", cli_signals_words());
    }
    if (!r->quiet)
        running_say_signal("");
    return status;
}

static int read_files(const hot_request *r, runs *all)
{
    tacho_error err;
    if (!start_runs(all, 1))
        return CLI_INPUT;
    for (int i = 0; i < SIDES; i++) {
        if (tacho_hot_read(&all->list[i][0], r->files.list[i], &err))
            return cli_input_error("%s", err.message);
        all->count[i] = 1;
        if (!all->list[i][0]->samples && !all->list[i][0]->threads)
            return cli_input_error("%s: no samples of a program's own code", r->files.list[i]);
    }
    return CLI_OK;
}

/* ---- the report ---- */

/* What a report is made of. */
typedef struct differ {
    const hot_request *request;
    report_hot_diff report;
    hot_analyst analyst[SIDES];
    tacho_hot_pair *pairs; /* of the change that is being reported */
    report_hot_change change;
} differ;

/* Predicts the first places of a change, and compares them. */
static bool look_at(differ *d, size_t number, bool full)
{
    report_hot_change *c = &d->change;
    *c = (report_hot_change){
        .in = &d->report, .change = &d->report.diff->changes[number], .number = number, .full = full};
    c->of = c->change->block_count ? &c->change->blocks[0] : c->change;
    if (c->of->part != TACHO_HOT_PLACES || (c->change->part == TACHO_HOT_FUNCTION && !full))
        return true;
    for (int i = 0; i < SIDES; i++) {
        if (!(i ? c->of->b_count : c->of->a_count))
            continue;
        hot_analyse(&d->analyst[i], (i ? c->of->b : c->of->a)[0], full, NULL);
        c->place[i] = &d->analyst[i].place;
    }
    if (!full)
        return true;
    const tacho_hot_place *a = c->place[0] ? c->place[0]->place : NULL,
                          *b = c->place[1] ? c->place[1]->place : NULL;
    tacho_hot_known known[SIDES] = {{0}};
    for (int i = 0; i < SIDES; i++)
        if (c->place[i])
            known[i] =
                (tacho_hot_known){c->place[i]->subject.prediction, c->place[i]->causes, c->place[i]->told};
    tacho_mem_free(d->pairs);
    d->pairs = a && b ? tacho_mem_zalloc(a->insn_count + b->insn_count + 1, sizeof *d->pairs) : NULL;
    c->pairs = d->pairs;
    return !(a && b && (!d->pairs || tacho_hot_align(d->pairs, &c->pair_count, a, b))) &&
           !tacho_hot_why(&c->reasons, c->of, d->report.side[0], d->report.side[1], &known[0], &known[1]);
}

static bool write_text(differ *d, tacho_str *out, bool colour)
{
    const tacho_hot_diff *diff = d->report.diff;
    uint64_t shown = 0;
    bool good = true;
    report_hot_diff_head(out, &d->report, colour);
    report_hot_diff_table(out, &d->report, colour);
    for (size_t i = 0; i < diff->count && shown < d->request->top && good; i++) {
        if (!report_hot_change_shown(&diff->changes[i]))
            continue;
        good = look_at(d, i, true);
        tacho_str_putc(out, '\n');
        report_hot_diff_text(out, &d->change, colour);
        shown++;
    }
    return good;
}

static json_t *make_json(differ *d)
{
    const tacho_hot_diff *diff = d->report.diff;
    json_t *changes = json_array();
    uint64_t shown = 0;
    for (size_t i = 0; i < diff->count; i++) {
        const bool full = report_hot_change_shown(&diff->changes[i]) && shown < d->request->top;
        shown += full;
        if (!look_at(d, i, full)) {
            json_decref(changes);
            return NULL;
        }
        json_array_append_new(changes, report_hot_change_json(&d->change));
    }
    return report_hot_diff_json(&d->report, changes);
}

static bool write_report(differ *d, cli_output *out, cli_output *page)
{
    const hot_request *r = d->request;
    tacho_str text = {0};
    bool to_file = r->output && strcmp(r->output, "-") != 0, good = true;
    if (r->format == CLI_JSON)
        report_put_json(&text, make_json(d), 12);
    else
        good = write_text(d, &text, r->colour == 1 || (!to_file && cli_use_colour(r->colour)));
    text.failed |= !good;
    good = cli_output_write(out, &text);
    if (!good || !r->html)
        return good;
    tacho_str drawn = {0};
    report_page_put(&drawn, &report_hot_diff_page, json_pack("{s:o}", "diff", make_json(d)));
    return cli_output_write(page, &drawn);
}

static int report(differ *d, cli_output *out, cli_output *page)
{
    bool good = true;
    for (int i = 0; i < SIDES; i++)
        good = hot_analyst_start(&d->analyst[i], &d->report.of[i]) && good;
    good = good ? write_report(d, out, page) : cli_error("out of memory");
    for (int i = 0; i < SIDES; i++)
        hot_analyst_free(&d->analyst[i]);
    tacho_mem_free(d->pairs);
    return good ? CLI_OK : CLI_INPUT;
}

/* ---- all of it ---- */

/* @return false with a message */
static bool make_side(hot_request *r, char **command, const runs *all, int i, tacho_hot_side **out,
                      double *core_hz)
{
    tacho_hot_find_options o = TACHO_HOT_FIND_OPTIONS_INIT;
    tacho_extract *counts = NULL;
    tacho_error err;
    o.min_share = r->min_share / FINER;
    o.keep_mangled = r->keep_mangled;
    if (r->count && !cli_signals_asked(NULL)) {
        r->command = command;
        if (!hot_count(r, &counts, &o.core_hz))
            return false;
    }
    if (!r->count && r->command && all->list[i][0]->pairs)
        o.core_hz = hot_find_clock();
    *core_hz = o.core_hz;
    o.counts = counts;
    o.windowed = all->windowed[i];
    int rc = tacho_hot_side_make(out, all->list[i], all->count[i], &o, &err);
    tacho_extract_free(counts);
    return rc ? cli_error("%s", err.message) : true;
}

static int compare_sides(hot_request *r, char **commands[SIDES], const runs *all, const tacho_arch *arch,
                         cli_output *out, cli_output *page)
{
    tacho_hot_side *side[SIDES] = {NULL};
    source_lines sources[SIDES] = {{0}, {0}};
    tacho_hot_diff *diff = NULL;
    differ d = {.request = r};
    tacho_error err;
    double core_hz[SIDES];
    bool good = true;
    for (int i = 0; i < SIDES && good; i++)
        good = make_side(r, commands[i], all, i, &side[i], &core_hz[i]);
    if (good && tacho_hot_diff_make(&diff, side[0], side[1], r->min_share, &err))
        good = cli_error("%s", err.message);
    d.report.diff = diff;
    for (int i = 0; i < SIDES && good; i++) {
        d.report.side[i] = side[i];
        d.report.of[i] = (report_hot){.command = commands[i],
                                      .file = r->files.count ? r->files.list[i] : NULL,
                                      .profile = side[i]->profile,
                                      .hot = side[i]->hot,
                                      .arch = arch,
                                      .own_arch = cli_is_native(arch),
                                      .core_hz = core_hz[i],
                                      .sources = &sources[i],
                                      .syntax = r->style == 1 ? TACHO_SYNTAX_ATT : TACHO_SYNTAX_INTEL};
    }
    int status = good ? report(&d, out, page) : CLI_INPUT;
    for (int i = 0; i < SIDES; i++) {
        source_lines_free(&sources[i]);
        tacho_hot_side_free(side[i]);
    }
    tacho_hot_diff_free(diff);
    return status;
}

int hot_diff(hot_request *r, cli_output *out, cli_output *page, const tacho_arch *arch, bool fallback)
{
    char **commands[SIDES] = {NULL, NULL};
    runs all = {.count = {0}};
    int status = r->command ? split_commands(r, commands) : CLI_OK;
    if (status)
        return status;
    if (!*r->windows_option)
        r->sampling.windows = 0;
    status = r->files.count ? read_files(r, &all) : run_commands(r, commands, &all);
    if (status == CLI_OK || status == CLI_PARTIAL) {
        int written = compare_sides(r, commands, &all, arch, out, page);
        status = written ? written : status;
    }
    cli_note_fallback(status, fallback && !r->quiet);
    free_runs(&all);
    return status;
}
