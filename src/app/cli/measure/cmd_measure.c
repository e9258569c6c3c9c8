/* cmd_measure.c - tacho measure: options, and the regions of one input. */
#include <signal.h>

#include "app/cli/measure/cmd_measure.h"
#include "app/cli/output.h"
#include "app/cli/source.h"

#define CLI_REQUEST measure_request

static const cli_option options[] = {
    {CLI_CHOICE, "mode", 'm', "MODE auto|loop|unroll",
     "auto (default: loop where the code ends in a branch),\nloop or unroll", CLI_AT(measure.mode)},
    {CLI_GROUP, .rows = init_rows, CLI_TO(state)},
    {CLI_TITLE, .help = "Input, and which part of it"},
    {CLI_GROUP, .rows = source_rows, CLI_TO(source)},
    {CLI_GROUP, .rows = source_parts_rows, CLI_TO(source)},
    {CLI_WHOLE, "top", 0, "N", "with --loops: the first N of them, or all (default 10)", CLI_AT(source.top),
     .high = UINT32_MAX, .word = "all"},
    {CLI_STRING, "insn", 0, "FORM",
     "latencies and throughput of an instruction form, in place\nof INPUT: 'VPADDD (YMM, YMM, YMM)'",
     CLI_AT(insn)},
    {CLI_TITLE, .help = "Many blocks"},
    {CLI_STRING, "batch", 0, "FILE",
     "a block a line: CSV with hex in the column that a\nheader calls so, else the first; - for standard "
     "input; writes CSV",
     CLI_AT(source.batch)},
    {CLI_STRING, "output", 'o', "FILE", "with --batch: where the results go", CLI_AT(output)},
    {CLI_SWITCH, "resume", 0, NULL, "with --batch and --output: go on after the rows that FILE has",
     CLI_AT(resume)},
    {CLI_WHOLE, "jobs", 'j', "N", "with --batch: measure on the last N processors at once\n(default 1)",
     CLI_AT(jobs), .low = 1, .high = 256},
    {CLI_TITLE, .help = "Measuring"},
    {CLI_SET, "quick", 'q', NULL, "fewer and shorter passes", CLI_AT(measure.quality),
     .low = TACHO_QUALITY_QUICK},
    {CLI_SET, "thorough", 0, NULL, "more and longer passes", CLI_AT(measure.quality),
     .low = TACHO_QUALITY_THOROUGH},
    {CLI_CHOICE, "clock", 0, "CLOCK auto|perf|tsc-calibrated|tsc",
     "auto (default: the first that works), perf,\ntsc-calibrated or tsc", CLI_AT(machine.clock)},
    {CLI_STRING, "events", 'e', "LIST",
     "count these events too (libpfm4's names, at most 2);\nneeds performance counters",
     CLI_AT(machine.events)},
    {CLI_WHOLE, "cpu", 0, "N",
     "logical processor to measure on (default: the last one\nthat this process may use)",
     CLI_AT(machine.cpu), .high = 4095, CLI_SETS(cpu_given)},
    {CLI_WHOLE, "pages", 0, "N",
     "physical pages, 1 to 16: the first pages that the block\ntouches have one each (default: as many as "
     "the first-level\ncache holds), the others share them; 1: BHive's method",
     CLI_AT(measure.pages), .low = 1, .high = 16},
    {CLI_WHOLE, "max-pages", 0, "N", "pages that the block may touch (default and most: 4096)",
     CLI_AT(measure.max_pages), .low = 1, .high = 4096},
    {CLI_SECONDS, "timeout", 0, "SECONDS", "deadline of each pass (default 2)", CLI_AT(measure.seconds),
     .least = 0.01, .most = 600},
    {CLI_TITLE, .help = "Data beyond the first level"},
    {CLI_STRING, "footprint", 0, "SIZE|curve",
     "run a loop over real, separate arrays, all of them\ntogether of this size (512K, 64M); curve: of sizes "
     "from 16K on",
     CLI_AT(footprint)},
    {CLI_SWITCH, "huge-pages", 0, NULL, "with --footprint: arrays in 2 MiB pages, where there are any",
     CLI_AT(huge_pages)},
    {CLI_STRING, "memory", 0, "FILE",
     "with --footprint --also-predict: this description of the\nmemory, not the one that tacho doctor "
     "--memory has kept",
     CLI_AT(memory)},
    {CLI_FILE, "svg", 0, "FILE", "with --footprint curve: draw it, .svg or .png (with gnuplot)",
     CLI_AT(picture), .ends = "svg|png"},
    {CLI_TITLE, .help = "Reports"},
    {CLI_SWITCH, "also-predict", 0, NULL, "put a prediction and its error beside each result",
     CLI_AT(predict)},
    {CLI_STRING, "arch", 'a', "ARCH",
     "for --also-predict and --insn: microarchitecture whose\ntable is shown beside (default native)",
     CLI_AT(arch)},
    CLI_FORMAT_ROWS("text|json|csv", "text (default), json or csv"),
    {CLI_GROUP, .rows = listing_rows, CLI_TO(source)},
    CLI_COLOUR_ROW,
    {.kind = CLI_END},
};

/* Options of how a block that is given is run. */
static bool has_block_options(const measure_request *r)
{
    static const tacho_measure_options defaults = TACHO_MEASURE_OPTIONS_INIT;
    const tacho_measure_options *m = &r->measure;
    return r->predict || r->machine.events || r->source.style || m->mode != defaults.mode ||
           r->state.known_mask || r->state.init != TACHO_INIT_DISTINCT || m->pages != defaults.pages ||
           m->max_pages != defaults.max_pages || m->seconds < defaults.seconds ||
           m->seconds > defaults.seconds;
}

static bool check_request(measure_request *r)
{
    const char *wrong = NULL;
    if (!r->source.batch && (r->output || r->resume || r->jobs > 1))
        wrong = "--output, --resume and --jobs go with --batch";
    else if (r->resume && !r->output)
        wrong = "--resume needs --output FILE: the results that are there";
    else if (r->source.batch && r->format >= 0 && r->format != CLI_CSV)
        wrong = "--batch writes CSV; --format json and text do not apply";
    else if (r->cpu_given && r->jobs > 1)
        wrong = "--cpu is one processor; with --jobs the last ones are taken (taskset chooses among them)";
    else if (r->arch && !r->predict && !r->insn)
        wrong = "--arch is for --also-predict and --insn: a measurement is of this machine";
    else if (r->insn && (r->source.input || r->source.hex || r->source.batch))
        wrong = "--insn makes its own code: it does not go with INPUT, --hex or --batch";
    else if (r->insn && has_block_options(r))
        wrong = "--insn chooses modes, values and limits itself: --mode, --init, --pages, --max-pages, "
                "--timeout, --events, --output-syntax and --also-predict do not apply";
    else if (r->footprint && (r->insn || r->source.batch || r->state.known_mask ||
                              r->state.init != TACHO_INIT_DISTINCT || r->measure.mode == TACHO_MODE_UNROLL))
        wrong = "--footprint measures one loop, whose registers it sets: it does not go with --insn, "
                "--batch, --init and --mode unroll";
    else if (!r->footprint && (r->memory || r->picture || r->huge_pages))
        wrong = "--memory, --svg and --huge-pages go with --footprint";
    else if (r->memory && !r->predict)
        wrong = "--memory is for the predictions of --also-predict";
    if (wrong)
        return cli_error("%s", wrong);
    r->source.done = "measured";
    r->source.one_block = r->measure.mode ? "--mode: it measures loops" : NULL;
    if ((!r->insn && !source_check(&r->source)))
        return false;
    r->measure.init = r->state.init;
    r->measure.known_mask = r->state.known_mask;
    r->measure.known_values = r->state.known;
    return true;
}

/* ---- one input ---- */

int measure_open(tacho_measurer **out, const tacho_measurer_options *machine)
{
    tacho_error err;
    *out = tacho_measurer_new(machine, &err);
    if (*out)
        return CLI_OK;
    cli_error("%s%s", err.message,
              err.code == TACHO_ERR_SYSTEM ? " ('tacho doctor' says what this machine lacks)" : "");
    return err.code == TACHO_ERR_USAGE ? CLI_USAGE : CLI_INPUT;
}

void measure_reject(tacho_measurement *out, const tacho_measurer *m, tacho_mode mode, const char *why)
{
    *out = (tacho_measurement){.status = TACHO_MEASURED_REJECTED,
                               .clock = tacho_measurer_clock(m)->clock,
                               .mode = mode,
                               .cycles = NAN,
                               .uncertainty = NAN,
                               .low = NAN,
                               .high = NAN,
                               .core_clock = NAN,
                               .offset = -1};
    snprintf(out->message, sizeof out->message, "%.190s", why);
}

void measure_predict(report_measured *m, tacho_predictor *predictor, const tacho_arch *arch,
                     const tacho_measure_options *measured, char *message, size_t size)
{
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    const tacho_prediction *p;
    tacho_error err;
    o.mode = m->result->mode ? m->result->mode : measured->mode;
    o.init = measured->init;
    o.known_mask = measured->known_mask;
    o.known_values = measured->known_mask ? measured->known_values : NULL;
    o.listing = measured->listing;
    o.ignore_isa = report_has_cycles(m->result) && cli_is_native(arch); /* it did */
    o.details = false;
    m->arch = arch->name;
    m->predicted = NAN;
    m->predicted_at_least = false;
    m->prediction_error = NULL;
    if (!tacho_predict(predictor, arch, m->code, m->code_size, &o, &p, &err)) {
        m->predicted = p->cycles;
        m->predicted_at_least = tacho_prediction_is_lower_bound(p);
        return;
    }
    snprintf(message, size, "%s", err.message);
    m->prediction_error = message;
}

typedef struct run {
    const measure_request *request;
    const source_parts *parts;
    measure_tools with;
    json_t *list;
    tacho_str out;
    bool colour;
    size_t failed;
} run;

static void show(run *r, const report_measured *m)
{
    TACHO_FREED tacho_str hex = {0};
    switch (r->request->format) {
    case CLI_JSON:
        r->out.failed |= json_array_append_new(r->list, report_measure_json(m)) != 0;
        return;
    case CLI_CSV:
        tacho_str_hex(&hex, m->code, m->code_size);
        report_measure_csv_row(&r->out, hex.data ? hex.data : "", hex.length, m);
        return;
    default:
        if (!report_has_cycles(m->result))
            return; /* the message has said it all */
        if (r->out.length)
            tacho_str_putc(&r->out, '\n');
        report_measure_text(&r->out, m, r->colour);
    }
}

static void explain_failure(const run *r, const report_measured *m)
{
    char place[CLI_OFFSET_SIZE];
    const tacho_measurement *result = m->result;
    cli_error("%s: %s%s%s%s: %s", m->input, m->region ? m->region : "", m->region ? ": " : "",
              cli_offset(place, 0, result->offset, ""), tacho_measure_status_name(result->status),
              result->message);
}

/* Why a loop cannot run although each of its instructions can; NULL: it can. */
static const char *cannot_run_alone(const tacho_loop *loop)
{
    return !loop->code             ? "no path through the loop was found"
           : loop->piece_count > 1 ? "its path leaves out code that lies between, so it cannot run alone"
                                   : NULL;
}

/* @return 0, or an error that ends the program's work */
static int measure_part(run *r, size_t n, tacho_error *err)
{
    char message[TACHO_ERROR_MESSAGE_SIZE];
    source_part part;
    source_part_get(&r->request->source, r->parts, n, &part);
    tacho_measure_options measure = r->request->measure;
    measure.listing = &part.listing;
    tacho_measure_job job = {.code = part.region.bytes, .code_size = part.region.byte_count};
    const char *why = r->parts->loops ? cannot_run_alone(&r->parts->loops->loops[n]) : NULL;
    if (why)
        measure_reject(&job.result, r->with.measurer, TACHO_MODE_LOOP, why);
    else if (tacho_measure_many(r->with.measurer, &job, 1, &measure, err))
        return err->code;
    report_measured m = {.input = source_name(&r->request->source),
                         .region = part.region.name,
                         .code = part.region.bytes,
                         .code_size = part.region.byte_count,
                         .result = &job.result,
                         .clock = tacho_measurer_clock(r->with.measurer)};
    if (r->with.predictor)
        measure_predict(&m, r->with.predictor, r->with.arch, &measure, message, sizeof message);
    if (!report_has_cycles(&job.result)) {
        r->failed++;
        explain_failure(r, &m);
    }
    show(r, &m);
    return 0;
}

static bool write_results(run *r)
{
    return r->request->format == CLI_JSON && !r->out.failed ? cli_put_results(r->list)
                                                            : cli_put_text(&r->out);
}

static int measure_parts(run *r)
{
    tacho_error err;
    const size_t count = r->parts->end - r->parts->first;
    if (r->request->format == CLI_CSV)
        report_measure_csv_header(&r->out, r->with.predictor != NULL);
    for (size_t i = r->parts->first; i < r->parts->end; i++)
        if (measure_part(r, i, &err))
            return cli_input_error("%s", err.message);
    if (!write_results(r))
        return CLI_INPUT;
    return !r->failed ? CLI_OK : r->failed < count ? CLI_PARTIAL : CLI_INPUT;
}

/* Of one loop, which has been chosen. */
static int measure_arrays(const run *r)
{
    const measure_request *q = r->request;
    source_part part;
    if (r->parts->end - r->parts->first != 1)
        return cli_usage_error(
            "--footprint measures one loop, and %s has %zu: choose one with --symbol, --region or --range",
            source_name(&q->source), r->parts->end - r->parts->first);
    source_part_get(&q->source, r->parts, r->parts->first, &part);
    return measure_footprint(q, &r->with, &part.region);
}

static int measure_found(measure_request *q, const tacho_arch *arch, const source_parts *parts)
{
    run r = {.request = q, .parts = parts, .with.arch = arch, .colour = cli_use_colour(q->colour)};
    int status;
    r.list = json_array();
    r.with.predictor = arch ? tacho_predictor_new() : NULL;
    if (!r.list || (arch && !r.with.predictor))
        status = cli_input_error("out of memory");
    else if (!(status = measure_open(&r.with.measurer, &q->machine)))
        status = q->footprint ? measure_arrays(&r) : measure_parts(&r);
    tacho_measurer_free(r.with.measurer);
    tacho_predictor_free(r.with.predictor);
    json_decref(r.list);
    tacho_str_free(&r.out);
    return status;
}

static int measure_input(measure_request *r, const tacho_arch *arch)
{
    TACHO_ENDS(source_parts_free) source_parts parts = {0};
    if (r->source.list_regions)
        return source_list(&r->source);
    return source_parts_each(&r->source, &parts) ?: measure_found(r, arch, &parts);
}

static int measure_form(const measure_request *r)
{
    tacho_error err;
    const tacho_arch *arch = r->arch ? cli_find_core(r->arch, &err) : NULL;
    if (r->arch && !arch)
        return cli_usage_error("%s", err.message);
    tacho_measurer *m;
    int status =
        measure_open(&m, &r->machine) ?: measure_insn(r->insn, m, &r->measure, arch, (cli_format)r->format);
    tacho_measurer_free(m);
    return status;
}

/* A prediction for another core than this is no error of the prediction. */
static void note_other_core(int status, const tacho_arch *arch)
{
    const tacho_arch *native = tacho_arch_find("native", NULL);
    if (arch && (status == CLI_OK || status == CLI_PARTIAL) &&
        !(native && tacho_arch_same_core(native, arch)) && !cli_is_native(arch))
        cli_note("this machine is not %s: the prediction is for another core", arch->name);
}

static int run_measure(void *asked)
{
    measure_request *r = asked;
    const tacho_arch *archs[CLI_MAX_ARCHS] = {0};
    bool fallback = false;
    if (!check_request(r))
        return CLI_USAGE;
    if (r->predict) {
        int count = cli_find_archs(r->arch, archs, &fallback);
        if (count < 0)
            return CLI_USAGE;
        if (count > 1)
            return cli_usage_error("--also-predict: one microarchitecture");
    }
    if (r->format < 0)
        r->format = CLI_TEXT;
    /* It waits for its children, which a caller's setting could make vanish. */
    signal(SIGCHLD, SIG_DFL);
    if (r->insn)
        return measure_form(r);
    int status = r->source.batch ? measure_batch(r, archs[0]) : measure_input(r, archs[0]);
    source_free(&r->source);
    cli_note_fallback(status, fallback);
    note_other_core(status, fallback ? NULL : archs[0]);
    return status;
}

CLI_DEFINE(cli_measure, "measure", "cycles per iteration of a block, measured on this machine",
           "[INPUT] [options]", options, help_measure, run_measure, measure_request, .source = SOURCE_INIT,
           .machine = TACHO_MEASURER_OPTIONS_INIT, .measure = TACHO_MEASURE_OPTIONS_INIT, .jobs = 1,
           .format = -1);
