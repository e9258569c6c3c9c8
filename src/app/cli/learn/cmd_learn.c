/* cmd_learn.c - tacho learn: a model of a processor, found by timing code on it. */
#include <unistd.h>

#include "app/cli/tables/cmd_arch.h"
#include "app/cli/running.h"
#include "app/report/learn/report_learn.h"
#include "base/file.h"
#include "learn/learn_submit.h"

typedef struct request {
    tacho_learn_options learn;
    const char *of, *from, *output, *explain, *record, *questions, *answer, *log, *diff, *submit;
    cli_output *file; /* of the model */
    cli_words files;  /* of records, behind the first */
    const char *records[64];
    char place[LEARNT_PATH_SIZE], journal[LEARNT_PATH_SIZE + 8];
    const char *experiment;           /* that is to be explained */
    bool list, restart, quiet, saved; /* saved: a model was written while it runs */
    int format, colour;
} request;
#define CLI_REQUEST request

static const cli_option options[] = {
    {CLI_STRING, "output", 'o', "FILE",
     "where the model goes; without it, of this machine, to the\nuser's cache folder, where '-a native' "
     "finds it",
     CLI_AT(output)},
    {CLI_STRING, "from", 0, "ARCH",
     "the core to start from (default: this processor's, if it is a known one)", CLI_AT(from)},
    {CLI_SWITCH, "from-scratch", 0, NULL, "from no core", CLI_AT(learn.from_scratch)},
    {CLI_STRING, "of", 0, "ARCH", "learn that core in the simulator, not this machine", CLI_AT(of)},
    {CLI_STRING, "record", 0, "FILE",
     "what was measured elsewhere: journals of learning, CSV with\nhex, mode and cycles; nothing is timed "
     "here",
     CLI_AT(record)},
    {CLI_STRING, "from-program", 0, "FILE",
     "an ELF file, whose blocks teach and judge the model\n(default: those of the record, or made-up ones)",
     CLI_AT(learn.program)},
    {CLI_SWITCH, "also-measure", 0, NULL, "what the record does not answer this machine does",
     CLI_AT(learn.also_measure)},
    {CLI_STRING, "questions", 0, "FILE", "where the questions go that the record left open",
     CLI_AT(questions)},
    {CLI_STRING, "answer", 0, "FILE", "time such questions here; -o is the journal of the answers",
     CLI_AT(answer)},
    {CLI_SWITCH, "quick", 'q', NULL, "300 forms and 100 blocks, not 1500 and 300", CLI_AT(learn.quick)},
    {CLI_WHOLE, "forms", 0, "N", "instruction forms, the most frequent first", CLI_AT(learn.forms), .low = 1,
     .high = 100000},
    {CLI_WHOLE, "blocks", 0, "N", "blocks that the model is judged by, for each mode", CLI_AT(learn.blocks),
     .low = 2, .high = 100000},
    {CLI_SECONDS, "max-time", 0, "SECONDS",
     "that it may take: fewer forms, and fewer lessons of blocks,\nwhere there is none left (default: 30m; "
     "with --quick: 5m)",
     CLI_AT(learn.seconds)},
    {CLI_STRING, "only", 0, "LIST", "parts or experiments, and what they need; no model is written (--list)",
     CLI_AT(learn.only)},
    {CLI_STRING, "explain", 0, "NAME", "the curves of an experiment, or of the one that finds a parameter",
     CLI_AT(explain)},
    {CLI_STRING, "diff", 0, "MODEL", "in what the other MODEL, named behind it, differs", CLI_AT(diff)},
    {CLI_STRING, "submit", 0, "FILE",
     "writes the model of -o or this machine's, its journal, the\nmachine and its clock into one file, for "
     "the authors of tacho",
     CLI_AT(submit)},
    {CLI_SWITCH, "list", 0, NULL, "the experiments: part, name, parameters, method", CLI_AT(list)},
    {CLI_SWITCH, "resume", 0, NULL, "go on with what was measured before (FILE.journal)",
     CLI_AT(learn.resume)},
    {CLI_SWITCH, "restart", 0, NULL, "forget it, and begin anew", CLI_AT(restart)},
    {CLI_WHOLE, "cpu", 0, "N", "processor to measure on (default: the last one that this\nprocess may use)",
     CLI_AT(learn.measurer.cpu), .high = 4095},
    {CLI_SWITCH, "quiet", 0, NULL, "no progress", CLI_AT(quiet)},
    {CLI_STRING, "log", 0, "FILE", "a line for each part: what it found, minutes that are left", CLI_AT(log)},
    {CLI_WORDS, "", 0, "FILE", NULL, CLI_AT(files)},
    CLI_FORMAT_ROWS("text|json", "text (default) or json"),
    CLI_COLOUR_ROW,
    {.kind = CLI_END},
};

/* ---- what was asked for ---- */

static bool find_core(const char *name, const tacho_arch **out)
{
    tacho_error err;
    if (!name)
        return true;
    *out = cli_find_core(name, &err);
    return *out || cli_error("%s", err.message);
}

static bool needs_model(const request *r)
{
    return !r->learn.only && !r->explain;
}

/* Rules of what goes together. @return an exit status, with a message */
static int check_record(request *r)
{
    if (r->diff && r->files.count != 1)
        return cli_usage_error(
            "--diff takes two models or cores: --diff A.tacho B.tacho, --diff SKL mine.tacho");
    if (r->files.count && !r->record && !r->diff)
        return cli_usage_error("%s: files are read with --record only", r->files.list[0]);
    if (r->record && r->of)
        return cli_usage_error("--record and --of exclude each other");
    if ((r->learn.also_measure || r->questions) && !r->record)
        return cli_usage_error("%s is about what a --record does not answer",
                               r->questions ? "--questions" : "--also-measure");
    if (r->questions && r->learn.also_measure)
        return cli_usage_error("--questions and --also-measure exclude each other");
    if (r->answer && (r->record || r->explain || r->learn.only || !r->output))
        return cli_usage_error("--answer takes questions alone, and -o FILE, the journal of the answers");
    if (!r->record)
        return CLI_OK;
    r->learn.record_count = r->files.count + 1;
    if (r->learn.record_count > sizeof r->records / sizeof *r->records)
        return cli_usage_error("--record: more than %zu files", sizeof r->records / sizeof *r->records);
    r->records[0] = r->record;
    for (size_t i = 0; i < r->files.count; i++)
        r->records[i + 1] = r->files.list[i];
    r->learn.records = r->records;
    r->learn.questions = r->questions;
    return CLI_OK;
}

static int check(request *r)
{
    if (r->learn.from_scratch && r->from)
        return cli_usage_error("--from-scratch and --from exclude each other");
    if (r->learn.resume && r->restart)
        return cli_usage_error("--resume and --restart exclude each other");
    if (r->learn.only && r->explain)
        return cli_usage_error("--only and --explain exclude each other");
    int status = check_record(r);
    if (status)
        return status;
    if (!find_core(r->of, &r->learn.of) || !find_core(r->from, &r->learn.from))
        return CLI_USAGE;
    if (r->learn.from && tacho_arch_is_loaded(r->learn.from))
        return cli_usage_error("--from takes a built-in core, as a model inherits one");
    if (r->explain) {
        r->experiment = report_learn_find(r->explain);
        if (!r->experiment)
            return cli_usage_error(
                "--explain: there is no experiment and no parameter '%s' that one finds; --list shows them",
                r->explain);
        r->learn.only = r->experiment;
    }
    return CLI_OK;
}

/* Where the model and the journal go. A core in the simulator answers at once, and a record is kept where it
 * is: nothing need be kept. */
static bool find_places(request *r)
{
    const bool only_record = r->record && !r->learn.also_measure;
    if (r->output)
        snprintf(r->place, sizeof r->place, "%s", r->output);
    if (only_record || (r->of && !r->output))
        return true;
    if (!r->output && !tacho_learnt_path(r->place, sizeof r->place))
        return cli_error("there is no place to keep the result: HOME is not set; give one with -o FILE");
    if (!r->output && !cache_make_folders(r->place))
        return cli_error("%s: cannot be made: %s", r->place, strerror(errno));
    snprintf(r->journal, sizeof r->journal, r->answer ? "%s" : "%s.journal", r->place);
    r->learn.journal = r->journal;
    if (r->restart && unlink(r->journal) && !access(r->journal, F_OK))
        return cli_error("%s: cannot be removed", r->journal);
    if (!needs_model(r) && !r->output)
        r->learn.resume = true; /* a look at what is known */
    if (!r->learn.resume && !access(r->journal, F_OK))
        return cli_error("%s has what was measured before: --resume goes on with it, --restart forgets it",
                         r->journal);
    return true;
}

/* ---- while it runs ---- */

static void show_progress(void *payload, const tacho_learn_progress *p)
{
    static const char *const stages[] = {"experiments", "forms", "blocks", "lessons"};
    (void)payload;
    char left[64] = "";
    if (isfinite(p->seconds_left))
        snprintf(left, sizeof left, p->seconds_left < 90 ? ", about %.0f s left" : ", about %.0f min left",
                 p->seconds_left < 90 ? p->seconds_left : p->seconds_left / 60);
    cli_progress("%s: %zu of %zu%s%s, %zu loops timed%s", stages[p->stage], p->done, p->count,
                 *p->name ? ", " : "", p->name, p->loops, left);
}

/* A model that somebody uses already is replaced by a whole one only: without -o. One of an earlier run is
 * not replaced by one of nothing. */
static void take_part(void *payload, const tacho_learn_so_far *p)
{
    request *r = payload;
    char left[32] = "";
    if (p->text && r->output && (*p->part || !r->learn.resume))
        r->saved |= cli_output_meanwhile(r->file, p->text);
    if (!r->log || !*p->part)
        return;
    FILE *log = fopen(r->log, "a");
    if (isfinite(p->seconds_left))
        snprintf(left, sizeof left, "; %.0f min left", ceil(p->seconds_left / 60));
    bool good = log && fprintf(log, "%s: %s%s\n", p->part, *p->found ? p->found : "nothing", left) >= 0;
    if (log && fclose(log))
        good = false;
    if (!good)
        cli_error("cannot write %s", r->log);
    r->log = good ? r->log : NULL;
}

static int failed(const request *r, int rc, const tacho_error *err)
{
    if (rc != TACHO_ERR_CANCELLED)
        return cli_status(rc, err);
    if (r->saved || (r->output && r->learn.resume && needs_model(r)))
        cli_note("%s has the model of what was found until then", r->place);
    if (r->learn.journal)
        cli_note("%s; %s has what was measured: --resume goes on with it", cli_signals_words(), r->journal);
    else
        cli_note("%s", cli_signals_words());
    return CLI_PARTIAL;
}

/* ---- what is written ---- */

static bool show(const request *r, const tacho_learnt *l, bool written)
{
    tacho_str out = {0};
    const report_learn report = {l, written ? r->place : NULL};
    if (r->format == CLI_JSON)
        return cli_put_json(report_learn_json(&report));
    if (r->experiment)
        report_learn_explain(&out, l, r->experiment);
    else
        report_learn_text(&out, &report, cli_use_colour(r->colour));
    return cli_put_text(&out);
}

static bool write_model(cli_output *file, const tacho_learnt *l)
{
    tacho_str text = {0};
    tacho_str_puts(&text, l->text);
    return cli_output_begin(file) && cli_output_write(file, &text);
}

static bool write_questions(const request *r, const tacho_learnt *l)
{
    tacho_str text = {0};
    tacho_str_puts(&text, l->questions);
    return cli_output_text(r->questions, &text);
}

static void watch(request *r)
{
    r->learn.stop = cli_signals_asked;
    r->learn.progress = show_progress;
    if (r->quiet)
        cli_progress_off();
    cli_progress_into_log();
    cli_signals_ask();
}

static int answer(request *r)
{
    tacho_error err;
    size_t count;
    watch(r);
    int rc = tacho_learn_answer(r->answer, &r->learn, &count, &err);
    cli_progress_clear();
    if (rc)
        return failed(r, rc, &err);
    cli_note("%s: %zu answers", r->journal, count);
    return CLI_OK;
}

static int learn(request *r, cli_output *file)
{
    tacho_learnt *l;
    tacho_error err;
    watch(r);
    r->file = file;
    r->learn.part = take_part;
    r->learn.payload = r;
    int rc = tacho_learn(&l, &r->learn, &err);
    cli_progress_clear();
    if (rc)
        return failed(r, rc, &err);
    bool written = l->text && *r->place, ok = !written || write_model(file, l);
    ok = (!r->questions || write_questions(r, l)) && ok;
    ok = show(r, l, written) && ok;
    tacho_learnt_free(l);
    return ok ? CLI_OK : CLI_INPUT;
}

static int show_list(const request *r)
{
    tacho_str out = {0};
    if (r->format == CLI_JSON)
        return cli_put_json(report_learn_experiments_json()) ? CLI_OK : CLI_INPUT;
    report_learn_experiments(&out);
    return cli_put_text(&out) ? CLI_OK : CLI_INPUT;
}

static int show_difference(const request *r)
{
    const tacho_arch *from, *to;
    return find_core(r->diff, &from) && find_core(r->files.list[0], &to)
               ? arch_diff(from, to, (cli_format)r->format)
               : CLI_USAGE;
}

static int submit(request *r)
{
    if (r->output)
        snprintf(r->place, sizeof r->place, "%s", r->output);
    else if (!tacho_learnt_path(r->place, sizeof r->place))
        return cli_usage_error("--submit: -o names the model");
    if (access(r->place, R_OK))
        return cli_input_error(
            "--submit: there is no model of this machine at %s: learn one first, or name it with -o",
            r->place);
    tacho_str text = {0};
    tacho_error err;
    if (tacho_learn_submission(&text, r->place, &r->learn.measurer, &err))
        return cli_output_text(r->submit, &text) ? CLI_OK : CLI_INPUT;
    return cli_input_error("%s", err.message);
}

static int run_learn(void *asked)
{
    request *r = asked;
    TACHO_ENDS(cli_output_drop) cli_output file = {.path = NULL};
    int status = check(r);
    if (status)
        return status;
    if (r->list)
        return show_list(r);
    if (r->diff)
        return show_difference(r);
    if (r->submit)
        return submit(r);
    if (r->answer)
        return find_places(r) ? answer(r) : CLI_INPUT;
    if (!find_places(r) || (needs_model(r) && *r->place && !cli_output_open(&file, r->place)))
        return CLI_INPUT;
    return learn(r, &file);
}

CLI_DEFINE(cli_learn, "learn", "a model of this machine's processor, by timing code on it",
           "[options] [--record FILE...]", options, help_learn, run_learn, request,
           .learn = TACHO_LEARN_OPTIONS_INIT);
