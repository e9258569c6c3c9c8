/* predict_loops.c - tacho predict --loops: finds the innermost loops of an input, predicts the likeliest path
 * of each, shows all of them in a table and the first ones in full. */
#include "cli/predict_loops.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/loops.h"
#include "util/mem.h"

enum {
    TEXT_REPORTS = 10 /* without --top */
};

typedef struct run {
    const loops_request *request;
    tacho_loops *loops;
    tacho_predictor *predictor;
    tacho_explainer *explainer;
    tacho_str out;
    size_t done, failed;
    bool terminal, shown; /* standard error, for progress */
    bool first_object;
    report_loop current;
    tacho_region region; /* its path */
    tacho_listing listing;
    char message[TACHO_ERROR_MESSAGE_SIZE + 60];
} run;

bool loops_parse_top(const char *value, uint64_t *top)
{
    if (!strcmp(value, "all")) {
        *top = LOOPS_TOP_ALL;
        return true;
    }
    unsigned long long n;
    if (!tacho_parse_u64(value, &n) || n >= LOOPS_TOP_ALL) {
        cli_error("--top is a number of loops or all, not '%s'", value);
        return false;
    }
    *top = n;
    return true;
}

/* ---- progress ---- */

static void clear_progress(run *r)
{
    if (r->shown)
        fprintf(stderr, "\r%40s\r", "");
    r->shown = false;
}

static void searching(uint64_t done, uint64_t all, void *payload)
{
    run *r = payload;
    if (!r->terminal || !all)
        return;
    r->shown = true;
    fprintf(stderr, "\rlooking for loops: %3u %%", (unsigned)(100.0 * (double)done / (double)all));
}

static void predicting(run *r, size_t done)
{
    if (!r->terminal || done % 64 || r->loops->count < 256)
        return;
    r->shown = true;
    fprintf(stderr, "\rpredicting: %zu of %zu loops  ", done, r->loops->count);
}

/* ---- one loop ---- */

static void start_loop(run *r, size_t i)
{
    report_loop_start(&r->current, &r->loops->loops[i], i, r->loops->kind, r->loops->warnings,
                      r->loops->warning_count);
}

static tacho_predict_options options_for(const run *r, bool details)
{
    const tacho_loop *loop = r->current.loop;
    tacho_predict_options o = *r->request->predict;
    o.mode = TACHO_MODE_LOOP;
    o.pieces = loop->pieces;
    o.piece_count = loop->piece_count;
    o.details = details;
    if (!details)
        o.run_iterations = 0;
    if (!r->request->alignment_given)
        o.alignment = loop->alignment;
    return o;
}

static const char *failure(run *r, const tacho_error *err)
{
    if (err->offset >= 0)
        snprintf(r->message, sizeof r->message, "offset 0x%llx of the path: %s",
                 (unsigned long long)err->offset, err->message);
    else
        snprintf(r->message, sizeof r->message, "%s", err->message);
    return r->message;
}

/* Predicts, and with `details` explains, the current loop's path; what did not work is in the subject's
 * error. */
static report_subject predict(run *r, const tacho_arch *arch, bool details)
{
    const tacho_loop *loop = r->current.loop;
    report_subject s = {.input = r->request->name,
                        .region = &r->region,
                        .region_count = 1,
                        .arch = arch,
                        .warnings = r->current.warnings,
                        .warning_count = r->current.warning_count,
                        .all_what_ifs = r->request->all_what_ifs};
    tacho_error err = {.offset = -1};
    r->region = (tacho_region){.bytes = loop->code,
                               .byte_count = loop->code_bytes,
                               .address = loop->start,
                               .line = loop->line_first,
                               .alignment = loop->alignment,
                               .place_step = loop->place_step};
    r->listing = source_listing(r->request->style, loop->typed, loop->typed_count, loop->start);
    r->listing.pieces = loop->pieces;
    r->listing.piece_count = loop->piece_count;
    s.listing = &r->listing;
    if (!loop->code) {
        s.error = "no path through the loop was found";
        return s;
    }
    tacho_predict_options o = options_for(r, details);
    o.listing = &r->listing;
    int result = tacho_predict(r->predictor, arch, loop->code, loop->code_bytes, &o, &s.prediction, &err);
    if (!result && details)
        result =
            tacho_explain(r->explainer, s.prediction, loop->code, loop->code_bytes, &o, &s.explanation, &err);
    if (result) {
        s.prediction = NULL;
        s.error = failure(r, &err);
    }
    return s;
}

static void count_result(run *r, const report_subject *s)
{
    const tacho_loop *loop = r->current.loop;
    if (!s->error) {
        r->done++;
        return;
    }
    r->failed++;
    clear_progress(r);
    if (loop->function)
        cli_error("%s: %s+0x%llx on %s: %s", s->input, loop->function,
                  (unsigned long long)(loop->start - loop->function_address), s->arch->name, s->error);
    else
        cli_error("%s: 0x%llx on %s: %s", s->input, (unsigned long long)loop->start, s->arch->name, s->error);
}

static void flush(run *r)
{
    if (r->out.length)
        fwrite(r->out.data, 1, r->out.length, stdout);
    tacho_str_clear(&r->out);
}

/* ---- text ---- */

static void write_row(run *r, size_t i)
{
    const loops_request *q = r->request;
    report_loop_cells cells = {.count = q->arch_count};
    _Static_assert(sizeof cells.cycles / sizeof *cells.cycles >= CLI_MAX_ARCHS, "a cell for each");
    start_loop(r, i);
    for (size_t a = 0; a < q->arch_count; a++) {
        report_subject s = predict(r, q->archs[a], false);
        count_result(r, &s);
        report_prediction_cell(cells.cycles[a], s.prediction);
        cells.failed |= s.error != NULL;
        if (s.prediction && q->arch_count == 1) {
            report_limit(s.prediction, "limit: ", cells.limit, sizeof cells.limit);
            report_missing(s.prediction, cells.missing, sizeof cells.missing);
        } else if (s.prediction && s.prediction->unknown_count)
            snprintf(cells.missing, sizeof cells.missing, "figures are missing");
    }
    report_loop_row(&r->out, &r->current, &cells);
}

static void write_report(run *r, size_t i, const tacho_arch *arch)
{
    start_loop(r, i);
    report_subject s = predict(r, arch, true);
    tacho_str_putc(&r->out, '\n');
    report_loop_text(&r->out, &r->current, r->request->colour);
    s.warning_count -= r->current.common_count; /* these stand under the table */
    if (s.prediction)
        report_text(&r->out, &s, r->request->colour);
    else
        tacho_str_printf(&r->out, "not predicted: %s\n", s.error);
    flush(r);
}

static void write_title(run *r)
{
    const loops_request *q = r->request;
    size_t count = r->loops->count, functions = r->loops->function_count;
    char number[32];
    snprintf(number, sizeof number, count ? "%zu" : "no", count);
    tacho_str_printf(&r->out, "%s innermost loop%s in %zu function%s (%zu instructions) of %s%s\n", number,
                     count == 1 ? "" : "s", functions, functions == 1 ? "" : "s", r->loops->insn_count,
                     q->name, count > 1 ? ", hottest-looking first" : "");
    if (!count)
        return;
    tacho_str_printf(
        &r->out,
        "Cycles per iteration%s%s along the likeliest path; instructions on it, with vector registers, "
        "with memory\n\n",
        q->arch_count == 1 ? " on " : "", q->arch_count == 1 ? q->archs[0]->name : "");
    report_loop_head(&r->out, q->archs, q->arch_count, q->colour);
}

static void write_text(run *r)
{
    const loops_request *q = r->request;
    size_t count = r->loops->count, top = count;
    if (q->arch_count > 1)
        top = 0; /* a column each says it all */
    else if (q->top == LOOPS_TOP_DEFAULT)
        top = count < TEXT_REPORTS ? count : TEXT_REPORTS;
    else if (q->top < count)
        top = q->top;
    write_title(r);
    for (size_t i = 0; i < count; i++) {
        write_row(r, i);
        predicting(r, i);
        if (r->out.length > 65536 && !r->terminal)
            flush(r);
    }
    clear_progress(r);
    for (size_t i = 0; i < r->loops->warning_count; i++)
        tacho_str_printf(&r->out, "%swarning: %s\n", i ? "" : "\n", r->loops->warnings[i]);
    flush(r);
    for (size_t i = 0; i < top; i++)
        write_report(r, i, q->archs[0]);
    if (top < count && q->arch_count == 1 && q->top == LOOPS_TOP_DEFAULT)
        printf("\n%zu more loops are in the table; --top N or --top all reports on more of them.\n",
               count - top);
}

/* ---- JSON and CSV ---- */

static void write_object(run *r, const tacho_arch *arch, bool details)
{
    report_subject s = predict(r, arch, details);
    count_result(r, &s);
    json_t *object = report_json(&s);
    report_loop_json(object, &r->current);
    fputs(r->first_object ? "[\n" : ",\n", stdout);
    json_dumpf(object, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    json_decref(object);
    r->first_object = false;
}

static void write_json(run *r)
{
    r->first_object = true;
    for (size_t i = 0; i < r->loops->count; i++) {
        start_loop(r, i);
        predicting(r, i);
        for (size_t a = 0; a < r->request->arch_count; a++)
            write_object(r, r->request->archs[a], i < r->request->top);
    }
    clear_progress(r);
    fputs(r->first_object ? "[]\n" : "\n]\n", stdout);
}

static void write_csv(run *r)
{
    for (size_t i = 0; i < r->loops->warning_count; i++)
        cli_note("%s", r->loops->warnings[i]);
    report_loop_csv_head(&r->out);
    for (size_t i = 0; i < r->loops->count; i++) {
        start_loop(r, i);
        predicting(r, i);
        for (size_t a = 0; a < r->request->arch_count; a++) {
            report_subject s = predict(r, r->request->archs[a], false);
            count_result(r, &s);
            report_loop_csv_row(&r->out, &r->current, &s);
        }
        if (r->out.length > 65536)
            flush(r);
    }
    clear_progress(r);
    flush(r);
}

static int report(run *r)
{
    if (r->request->format == CLI_JSON)
        write_json(r);
    else if (r->request->format == CLI_CSV)
        write_csv(r);
    else
        write_text(r);
    if (r->failed && r->done)
        cli_error("%zu of %zu predictions failed", r->failed, r->done + r->failed);
    return !r->failed ? CLI_OK : r->done ? CLI_PARTIAL : CLI_INPUT;
}

static int find(run *r)
{
    const loops_request *q = r->request;
    tacho_loops_options o = TACHO_LOOPS_OPTIONS_INIT;
    tacho_error err;
    o.code = *q->code;
    o.code.keep_source = true;
    o.progress = searching;
    o.payload = r;
    if (q->hex)
        o.code.kind = TACHO_INPUT_HEX;
    int result = q->hex ? tacho_loops_from_memory(&r->loops, q->hex, strlen(q->hex), "--hex", &o, &err)
                        : tacho_loops_load(&r->loops, q->path, &o, &err);
    clear_progress(r);
    if (!result)
        return CLI_OK;
    cli_error("%s", err.message);
    return result == TACHO_ERR_USAGE ? CLI_USAGE : CLI_INPUT;
}

int predict_loops(const loops_request *request)
{
    run *r = tacho_mem_zalloc(1, sizeof *r);
    int status = CLI_INPUT;
    if (r) {
        r->request = request;
        r->terminal = isatty(STDERR_FILENO);
        r->predictor = tacho_predictor_new();
        r->explainer = tacho_explainer_new();
    }
    if (!r || !r->predictor || !r->explainer)
        cli_error("out of memory");
    else if (!(status = find(r)))
        status = report(r);
    if (r) {
        tacho_loops_free(r->loops);
        tacho_predictor_free(r->predictor);
        tacho_explainer_free(r->explainer);
        tacho_str_free(&r->out);
    }
    tacho_mem_free(r);
    return status;
}
