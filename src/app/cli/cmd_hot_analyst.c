/* cmd_hot_analyst.c - the prediction for a hot place: a loop's path as a loop, with its true addresses; a
 * block outside of loops, too, as if it were repeated: it is hot, so its µops come
 * from the DSB if they fit, which copies of it would not show. The page, which needs these predictions with
 * timelines; counting executions, which tells what they are to be compared with. */
#include <fcntl.h>
#include <unistd.h>

#include "app/cli/cmd_hot.h"
#include "base/mem.h"

bool hot_analyst_start(hot_analyst *a, const report_hot *report)
{
    *a = (hot_analyst){.report = report};
    a->predictor = tacho_predictor_new();
    a->explainer = tacho_explainer_new();
    a->costs = tacho_hot_costs_new();
    a->roofline.points = tacho_mem_zalloc(report->hot->count + 1, sizeof *a->roofline.points);
    return a->predictor && a->explainer && a->costs && a->roofline.points;
}

void hot_analyst_free(hot_analyst *a)
{
    tacho_predictor_free(a->predictor);
    tacho_explainer_free(a->explainer);
    tacho_hot_costs_free(a->costs);
    TACHO_MEM_FREE(a->causes, a->roofline.points);
}

static void set_options(hot_analyst *a, const tacho_hot_place *place, const tacho_trace_listener *trace)
{
    static const tacho_predict_options defaults = TACHO_PREDICT_OPTIONS_INIT;
    const tacho_loop *loop = place->loop;
    a->options = defaults;
    a->options.mode = TACHO_MODE_LOOP;
    /* It was executed here; samples in a file may be another machine's. */
    a->options.ignore_isa = a->report->own_arch && !a->report->file;
    a->options.alignment = loop->alignment;
    a->options.trace = trace;
    a->options.pieces = loop->pieces;
    a->options.piece_count = loop->piece_count;
    a->listing = (tacho_listing){.syntax = a->report->syntax,
                                 .address = loop->start,
                                 .pieces = loop->pieces,
                                 .piece_count = loop->piece_count};
    a->options.listing = a->place.subject.listing = &a->listing;
}

static void note_failure(hot_analyst *a, const tacho_error *err)
{
    char at[CLI_OFFSET_SIZE];
    a->place.subject.prediction = NULL;
    a->place.subject.explanation = NULL;
    snprintf(a->message, sizeof a->message, "%s%s", cli_offset(at, 0, err->offset, " of the path"),
             err->message);
    a->place.subject.error = a->message;
}

static void predict(hot_analyst *a, size_t number, bool details, const tacho_trace_listener *trace)
{
    const tacho_hot_place *place = &a->report->hot->places[number];
    const tacho_loop *loop = place->loop;
    tacho_error err = {.offset = -1};
    report_hot_start(&a->place, place, number);
    report_subject *s = &a->place.subject;
    a->region = report_loop_region(loop);
    s->region = &a->region;
    s->arch = a->report->arch;
    if (!loop->code) {
        s->error = "no path through the loop was found";
        return;
    }
    set_options(a, place, trace);
    int rc =
        tacho_predict(a->predictor, s->arch, loop->code, loop->code_bytes, &a->options, &s->prediction, &err);
    if (!rc && details)
        rc = tacho_explain(a->explainer, s->prediction, loop->code, loop->code_bytes, &a->options,
                           &s->explanation, &err);
    if (rc)
        note_failure(a, &err);
}

/* Without memory there are none. */
static void weigh_causes(hot_analyst *a)
{
    report_hot_place *p = &a->place;
    p->causes = NULL;
    p->cause_count = p->told = 0;
    if (!p->place->cause_count ||
        tacho_mem_grow(&a->causes, &a->cause_capacity, p->place->cause_count, sizeof *a->causes))
        return;
    p->told = tacho_hot_weigh(a->costs, p->place, p->subject.prediction, a->causes);
    p->causes = a->causes;
    p->cause_count = p->place->cause_count;
}

void hot_analyse(hot_analyst *a, size_t number, bool details, const tacho_trace_listener *trace)
{
    const tacho_memory *machine = a->report->memory;
    report_hot_place *p = &a->place;
    predict(a, number, details, trace);
    weigh_causes(a);
    tacho_hot_memory_of(&p->memory, machine, p->place, p->subject.prediction);
    a->roofline.points[number].place = p->place;
    tacho_hot_work_of(&a->roofline.points[number].work, &p->memory, machine, p->place, p->subject.prediction);
}

const tacho_hot_roofline *hot_analyst_roofline(hot_analyst *a)
{
    a->roofline.count = a->report->hot->count;
    return tacho_hot_roofline_find(&a->roofline, a->report->arch, a->report->memory) ? NULL : &a->roofline;
}

/* ---- the page of hot places, with their timelines ---- */

enum {
    PAGE_UOPS = 500, /* of each timeline, about */
    PAGE_ITERATIONS = 40,
    PAGE_MIN_ITERATIONS = 4
};

static uint32_t iterations_for(const tacho_hot_place *place)
{
    uint32_t n = PAGE_UOPS / (place->loop->insn_count ? place->loop->insn_count : 1);
    return n < PAGE_MIN_ITERATIONS ? PAGE_MIN_ITERATIONS : n > PAGE_ITERATIONS ? PAGE_ITERATIONS : n;
}

/* A place, and its timeline, or null where it is only in the table. */
static void add_place(hot_analyst *a, size_t number, bool details, kept_trace *trace, json_t *places,
                      json_t *traces)
{
    const tacho_hot_place *place = &a->report->hot->places[number];
    json_t *timeline = NULL;
    tacho_kept_trace_start(trace, iterations_for(place));
    hot_analyse(a, number, details, details ? &trace->listener : NULL);
    json_array_append_new(places, report_hot_place_json(a->report, &a->place));
    if (details && a->place.subject.prediction) {
        tacho_kept_trace_finish(trace);
        timeline = report_trace_object(&a->place.subject, trace);
    }
    json_array_append_new(traces, timeline ? timeline : json_null());
}

void hot_page(tacho_str *out, hot_analyst *a, uint64_t top)
{
    TACHO_ENDS(tacho_kept_trace_free) kept_trace trace = {0};
    TACHO_FREED tacho_str picture = {0}, strip = {0};
    TACHO_ENDS(report_hot_worths_free) report_hot_worths worths = {0};
    json_t *places = json_array(), *traces = json_array();
    for (size_t i = 0; i < a->report->hot->count; i++) {
        add_place(a, i, i < top, &trace, places, traces);
        report_hot_worths_add(&worths, a->report, &a->place);
    }
    report_hot_worths_sort(&worths);
    const tacho_hot_roofline *roofline = hot_analyst_roofline(a);
    if (roofline)
        report_roofline_svg(&picture, roofline, a->report);
    if (a->report->threads)
        report_threads_svg(&strip, a->report->threads);
    out->failed |= strip.failed;
    out->failed |= worths.failed || picture.failed || !roofline;
    if (!out->failed)
        report_page_put(out, &report_hot_page,
                        json_pack("{s:o, s:O, s:s%, s:s%}", "hot",
                                  report_hot_json(a->report, json_incref(places), &worths, roofline),
                                  "traces", traces, "roofline", picture.data, picture.length, "strip",
                                  strip.length ? strip.data : "", strip.length));
    json_decref(places);
    json_decref(traces);
}

/* ---- tacho hot --count: how often each block is executed, from a second run of the command ---- */

double hot_find_clock(void)
{
    static char name[] = "true";
    char *argv[] = {name, NULL};
    const tacho_command command = {.argv = argv};
    const tacho_layout layout = {0};
    tacho_trials_options o = TACHO_TRIALS_OPTIONS_INIT;
    tacho_trial trial;
    tacho_error err;
    double hz = __builtin_nan("");
    tacho_trials *t = tacho_trials_new(&o, &err);
    for (int i = 0; t && i < 5 && !(hz > 0) && !tacho_trials_run(t, &command, &layout, &trial, &err); i++)
        hz = trial.core_hz;
    tacho_trials_free(t);
    return hz;
}

/* The second run reads what the first one has read. */
static void rewind_input(const hot_request *r)
{
    if (r->input_offset >= 0)
        lseek(STDIN_FILENO, r->input_offset, SEEK_SET);
    else if (!isatty(STDIN_FILENO) && !r->quiet)
        cli_note("--count: standard input is no file, so that the second run cannot read it again");
}

bool hot_count(const hot_request *r, tacho_extract **counts, double *core_hz)
{
    tacho_extract_options o = TACHO_EXTRACT_OPTIONS_INIT;
    tacho_extract_run_options run = TACHO_EXTRACT_RUN_OPTIONS_INIT;
    tacho_extract_run end = {.ended = true};
    tacho_error err;
    cli_watch w;
    o.with_branch = true;
    *core_hz = hot_find_clock();
    if (tacho_extract_new(counts, &o, &err))
        return cli_error("%s", err.message);
    rewind_input(r);
    cli_watch_begin(&w, r->quiet);
    run.progress = cli_watch_progress;
    run.payload = &w;
    run.output = open("/dev/null", O_WRONLY | O_CLOEXEC); /* wanted by nobody */
    int rc = tacho_extract_run_command(*counts, r->command, &run, &end, &err);
    if (run.output >= 0)
        close(run.output);
    cli_watch_end();
    if (rc)
        cli_error("--count: %s", err.message);
    if (rc || running_judge(&r->running, &end, true) == CLI_INPUT) {
        tacho_extract_free(*counts);
        *counts = NULL;
        return false;
    }
    if (!end.ended)
        cli_note("--count: executions are those of the first %.1f s", end.seconds);
    if (!(*core_hz > 0))
        cli_note("the core's clock could not be found: observed cycles are not known");
    return true;
}
