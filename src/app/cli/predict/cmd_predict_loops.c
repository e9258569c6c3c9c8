/* cmd_predict_loops.c - tacho predict --loops: finds the innermost loops of an input, predicts the likeliest
 * path of each, shows all of them in a table and the first ones in full. */
#include "app/cli/predict/cmd_predict.h"
#include "app/cli/output.h"
#include "base/mem.h"

enum {
    TEXT_REPORTS = 10, /* without --top */
    PAGE_LOOPS = 50
};

typedef struct run {
    predict_request *request;
    const source_parts *parts;
    const tacho_loops *loops; /* of the parts */
    tacho_predictor *predictor;
    tacho_explainer *explainer;
    tacho_str out;
    size_t done, failed, refused; /* refused: among those failed, what the core cannot execute */
    bool refusal;                 /* the latest one is */
    bool drawing;                 /* the page of several loops is made */
    bool unwritten;               /* a picture could not be written, or what there was no memory for */
    bool lacks_memory;            /* for a prediction, or the reasons behind one */
    const char *separator;        /* before the next object */
    report_loop current;
    report_said said; /* by the reports in text */
    source_part part; /* its path */
    char message[TACHO_ERROR_MESSAGE_SIZE + 60];
    char **common; /* warnings for the whole input */
    size_t common_count;
} run;

/* ---- progress ---- */

static void predicting(const run *r, size_t done)
{
    if (r->loops->count >= 256)
        cli_progress("predicting: %zu of %zu loops", done, r->loops->count);
}

/* ---- one loop ---- */

static void start_loop(run *r, size_t i)
{
    source_part_get(&r->request->source, r->parts, i, &r->part);
    if (!r->parts->implied || r->request->format == CLI_TEXT)
        r->part.region.name = NULL;
    report_loop_start(&r->current, &r->loops->loops[i], i, r->common, r->common_count);
}

static tacho_predict_options options_for(const run *r, bool details)
{
    const tacho_loop *loop = r->current.loop;
    tacho_predict_options o = r->request->options;
    o.mode = TACHO_MODE_LOOP;
    o.pieces = loop->pieces;
    o.piece_count = loop->piece_count;
    o.details = details;
    if (!details) {
        o.run_iterations = 0;
        o.trace = NULL;
    }
    if (!r->request->alignment_given)
        o.alignment = loop->alignment;
    return o;
}

static const char *failure(run *r, const tacho_error *err)
{
    char at[CLI_OFFSET_SIZE];
    r->lacks_memory |= err->code == TACHO_ERR_MEMORY;
    snprintf(r->message, sizeof r->message, "%s%s", cli_offset(at, 0, err->offset, " of the path"),
             err->message);
    return r->message;
}

/* Predicts, and with `details` explains, the current loop's path; what did not work is in the subject's
 * error. */
static report_subject predict(run *r, const tacho_arch *arch, bool details)
{
    const tacho_loop *loop = r->current.loop;
    report_subject s = {.input = source_name(&r->request->source),
                        .region = &r->part.region,
                        .region_count = 1,
                        .arch = arch,
                        .listing = &r->part.listing,
                        .warnings = r->current.warnings,
                        .warning_count = r->current.warning_count,
                        .all_what_ifs = r->request->all_what_ifs};
    tacho_error err = {.offset = -1};
    r->refusal = false;
    if (!loop->code) {
        s.error = "no path through the loop was found";
        return s;
    }
    const bool drawn = details && (!r->request->pictures.several || r->drawing);
    tacho_predict_options o = options_for(r, details);
    o.listing = &r->part.listing;
    if (drawn)
        pictures_prepare(&r->request->pictures, &o);
    int result =
        r->request->predict(r->predictor, arch, loop->code, loop->code_bytes, &o, &s.prediction, &err);
    if (!result && details && r->request->predict == tacho_predict)
        result =
            tacho_explain(r->explainer, s.prediction, loop->code, loop->code_bytes, &o, &s.explanation, &err);
    if (result) {
        s.prediction = NULL;
        r->refusal = predict_is_refusal(&o, &err);
        pictures_explain(result, &err);
        s.error = failure(r, &err);
    } else if (drawn)
        r->unwritten |= !pictures_write(&r->request->pictures, &s, &o, NULL);
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
    r->refused += r->refusal;
    if (r->refusal && r->request->all_archs)
        return;
    cli_progress_clear();
    if (loop->function)
        cli_error("%s: %s+0x%llx on %s: %s", s->input, loop->function,
                  (unsigned long long)(loop->start - loop->function_address), s->arch->name, s->error);
    else
        cli_error("%s: 0x%llx on %s: %s", s->input, (unsigned long long)loop->start, s->arch->name, s->error);
}

static void flush(run *r)
{
    r->unwritten |= !predict_put_text(r->request, &r->out);
}

/* ---- text ---- */

static void add_row(run *r, report_loop_list *list, size_t i)
{
    predict_request *q = r->request;
    report_loop_cells cells = {.count = q->arch_count};
    _Static_assert(sizeof cells.cycles / sizeof *cells.cycles >= CLI_MAX_ARCHS, "a cell for each");
    start_loop(r, i);
    for (size_t a = 0; a < q->arch_count; a++) {
        report_subject s = predict(r, q->archs[a], false);
        count_result(r, &s);
        report_prediction_cell(cells.cycles[a], s.prediction);
        cells.failed |= s.error && !(r->refusal && q->arch_count > 1);
        cells.refused |= r->refusal;
        if (s.prediction && q->arch_count == 1) {
            report_limit(s.prediction, "limit: ", cells.limit, sizeof cells.limit);
            report_missing(s.prediction, cells.missing, sizeof cells.missing);
        } else if (s.prediction && s.prediction->unknown_count)
            snprintf(cells.missing, sizeof cells.missing, "figures are missing");
    }
    report_loop_list_add(list, &r->current, &cells);
}

static void write_report(run *r, size_t i, const tacho_arch *arch)
{
    start_loop(r, i);
    report_subject s = predict(r, arch, true);
    tacho_str_putc(&r->out, '\n');
    report_loop_text(&r->out, &r->current, r->request->colours);
    s.warning_count -= r->current.common_count; /* these stand under the table */
    s.said = &r->said;
    if (s.prediction) {
        report_text(&r->out, &s, r->request->colours);
        pictures_text(&r->request->pictures, &r->out, &s);
    } else
        tacho_str_printf(&r->out, "not predicted: %s\n", s.error);
    flush(r);
}

static void write_title(run *r)
{
    predict_request *q = r->request;
    size_t count = r->loops->count, functions = r->loops->function_count;
    tacho_str title = {0};
    char number[32];
    snprintf(number, sizeof number, count ? "%zu" : "no", count);
    tacho_str_printf(&title, "%s innermost loop%s in %zu function%s (%zu instruction%s) of %s%s%s", number,
                     tacho_plural(count), functions, tacho_plural(functions), r->loops->insn_count,
                     tacho_plural(r->loops->insn_count), q->pane ? "the code" : source_name(&q->source),
                     count > 1 ? ", hottest-looking first" : "",
                     count > 1 && q->pane ? "; --loop N shows one of them alone" : "");
    report_wrapped_text(&r->out, &title, 0);
    if (!count)
        return;
    if (q->arch_count == 1)
        tacho_str_printf(
            &r->out,
            "Cycles per iteration on %s along the likeliest path; instructions on it, with vector\n"
            "registers, with memory\n\n",
            q->archs[0]->name);
    else
        tacho_str_puts(&r->out, "Cycles per iteration along the likeliest path\n\n");
}

static void write_list(run *r)
{
    predict_request *q = r->request;
    report_loop_list list;
    if (r->parts->first == r->parts->end)
        return;
    report_loop_list_start(&list, q->archs, q->arch_count);
    for (size_t i = r->parts->first; i < r->parts->end; i++) {
        add_row(r, &list, i);
        predicting(r, i);
    }
    cli_progress_clear();
    report_loop_list_put(&r->out, &list, q->colours);
}

/* One loop of one core: its report says all. */
static void write_only(run *r)
{
    start_loop(r, r->parts->first);
    report_subject s = predict(r, r->request->archs[0], true);
    count_result(r, &s);
    if (s.error && !r->done)
        return;
    report_loop_text(&r->out, &r->current, r->request->colours);
    report_text(&r->out, &s, r->request->colours);
    pictures_text(&r->request->pictures, &r->out, &s);
    flush(r);
}

static void write_text(run *r)
{
    predict_request *q = r->request;
    size_t count = r->loops->count, top = count;
    if (q->arch_count > 1)
        top = 0; /* a column each says it all */
    else if (q->source.top == SOURCE_TOP_DEFAULT)
        top = count < TEXT_REPORTS ? count : TEXT_REPORTS;
    else if (q->source.top < count)
        top = q->source.top;
    if (*r->parts->said && !q->pane)
        tacho_str_printf(&r->out, "%s\n\n", r->parts->said);
    if (r->parts->end - r->parts->first == 1 && q->arch_count == 1 &&
        (r->parts->implied || q->source.loop != SOURCE_ALL_LOOPS)) {
        write_only(r);
        return;
    }
    write_title(r);
    write_list(r);
    for (size_t i = 0; i < r->common_count; i++) {
        tacho_str_puts(&r->out, i ? "" : "\n");
        report_warning_text(&r->out, q->colours, r->common[i]);
    }
    flush(r);
    for (size_t i = 0; i < top; i++)
        write_report(r, i, q->archs[0]);
    report_said_text(&r->out, &r->said);
    report_said_free(&r->said);
    flush(r);
    if (top < count && q->arch_count == 1 && q->source.top == SOURCE_TOP_DEFAULT)
        printf("\n%zu more loop%s in the table; --top N or --top all reports on more of them.\n", count - top,
               count - top == 1 ? " is" : "s are");
}

/* ---- JSON and CSV ---- */

static void write_object(run *r, const tacho_arch *arch, bool details)
{
    report_subject s = predict(r, arch, details);
    count_result(r, &s);
    json_t *object = report_json(&s);
    report_loop_json(object, &r->current);
    if (s.prediction && details)
        pictures_json(&r->request->pictures, object, &s);
    fputs(r->separator, stdout);
    r->separator = ",\n";
    json_dumpf(object, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    json_decref(object);
}

static void write_json(run *r)
{
    predict_request *q = r->request;
    bool several = (!r->parts->implied && q->source.loop == SOURCE_ALL_LOOPS) ||
                   (r->parts->end - r->parts->first) * q->arch_count != 1;
    r->separator = several ? "[\n" : "";
    for (size_t i = r->parts->first; i < r->parts->end; i++) {
        start_loop(r, i);
        predicting(r, i);
        for (size_t a = 0; a < q->arch_count; a++)
            write_object(r, q->archs[a], !several || i < q->source.top);
    }
    cli_progress_clear();
    if (several)
        fputs(r->parts->first == r->parts->end ? "[]\n" : "\n]\n", stdout);
    else
        fputc('\n', stdout);
}

/* Whoever has not asked for loops gets the columns that a prediction has. */
static void write_csv_head(run *r)
{
    if (r->request->pictures.align || r->parts->implied)
        pictures_csv_header(&r->request->pictures, &r->out);
    else
        report_loop_csv_head(&r->out);
}

static void write_csv_row(run *r, const report_subject *s)
{
    if (r->request->pictures.align && s->prediction)
        pictures_csv(&r->request->pictures, &r->out, s);
    else if (!r->request->pictures.align && r->parts->implied)
        report_csv_region(&r->out, s);
    else if (!r->request->pictures.align)
        report_loop_csv_row(&r->out, &r->current, s);
}

static void write_csv(run *r)
{
    for (size_t i = 0; i < r->common_count; i++)
        cli_note("%s", r->common[i]);
    write_csv_head(r);
    for (size_t i = r->parts->first; i < r->parts->end; i++) {
        start_loop(r, i);
        predicting(r, i);
        for (size_t a = 0; a < r->request->arch_count; a++) {
            report_subject s = predict(r, r->request->archs[a], pictures_wanted(&r->request->pictures));
            count_result(r, &s);
            write_csv_row(r, &s);
        }
        if (r->out.length > 65536)
            flush(r);
    }
    cli_progress_clear();
    flush(r);
}

/* The page of several loops, those hottest-looking first. */
static void write_page(run *r)
{
    predict_request *q = r->request;
    const size_t count = r->parts->end - r->parts->first;
    const uint64_t top = q->source.top == SOURCE_TOP_DEFAULT ? PAGE_LOOPS : q->source.top;
    const size_t most = top < count ? (size_t)top : count;
    size_t predicted = 0;
    r->drawing = true;
    for (size_t i = 0; i < most; i++) {
        start_loop(r, r->parts->first + i);
        q->pictures.loop = &r->current;
        report_subject s = predict(r, q->archs[0], true);
        predicted += !s.error;
        if (s.error)
            pictures_refused(&q->pictures, &s);
    }
    r->drawing = false;
    q->pictures.loop = NULL;
    if (predicted)
        r->unwritten |= !pictures_end(&q->pictures);
    if (most < count)
        cli_note("%s has %zu of %zu loops; --top N or --top all: more of them", q->pictures.html, most,
                 count);
}

static int report(run *r)
{
    if (r->request->pictures.several)
        write_page(r);
    if (r->request->format == CLI_JSON)
        write_json(r);
    else if (r->request->format == CLI_CSV)
        write_csv(r);
    else
        write_text(r);
    if (r->request->all_archs && predict_leaves_out(r->refused, r->failed, r->done + r->failed))
        r->failed = 0;
    if (r->failed && r->done)
        cli_error("%zu of %zu predictions failed", r->failed, r->done + r->failed);
    if (r->unwritten)
        return CLI_INPUT;
    if (r->lacks_memory && !r->failed) { /* the table has all loops, but some have no report */
        cli_error("out of memory: the reports are not whole");
        return CLI_PARTIAL;
    }
    return !r->failed ? CLI_OK : r->done ? CLI_PARTIAL : CLI_INPUT;
}

/* Whether nobody knows where a loop will lie in a block of 64 bytes. */
static bool is_place_open(const run *r)
{
    for (size_t i = 0; i < r->loops->count; i++)
        if (r->loops->loops[i].place_step && r->loops->loops[i].place_step < 64)
            return true;
    return false;
}

/* What is said of the whole input. */
static int collect_warnings(run *r)
{
    r->common = tacho_mem_zalloc(r->loops->warning_count + 2, sizeof *r->common);
    if (!r->common)
        return cli_input_error("out of memory");
    if (r->parts->implied && r->request->format != CLI_TEXT)
        r->common[r->common_count++] = (char *)r->parts->said;
    for (size_t i = 0; i < r->loops->warning_count; i++)
        r->common[r->common_count++] = r->loops->warnings[i];
    if (is_place_open(r))
        r->common[r->common_count++] = "the sections ask for an alignment of less than 64 bytes, so the "
                                       "linker decides where in a 64-byte block a loop lies; sections are "
                                       "assumed to begin at a multiple of 64 (--alignment changes that)";
    return CLI_OK;
}

/* A file takes one result, and a table has no room for pictures. */
static int check_pictures(const run *r)
{
    predict_request *q = r->request;
    if (!pictures_wanted(&q->pictures))
        return CLI_OK;
    const char *option = pictures_option_name(&q->pictures);
    if (q->arch_count > 1 && (q->format == CLI_TEXT || pictures_write_files(&q->pictures)))
        return cli_usage_error("%s shows one microarchitecture: give one -a ARCH", option);
    if (r->parts->end - r->parts->first < 2 || !pictures_write_files(&q->pictures))
        return CLI_OK;
    if (!q->source.top)
        return cli_usage_error("--top 0: no loop would be on the page");
    q->pictures.several = pictures_page_only(&q->pictures);
    if (q->pictures.several)
        return CLI_OK;
    return cli_input_error(
        "a file holds one result, and %s has %zu loops: choose one with --loop N, from 0 to %zu",
        source_name(&q->source), r->parts->end - r->parts->first, r->parts->end - 1);
}

static int predict_found(run *r)
{
    return collect_warnings(r) ?: check_pictures(r) ?: report(r);
}

int predict_loops(predict_request *request, const source_parts *parts)
{
    TACHO_MEM_FREED run *r = tacho_mem_zalloc(1, sizeof *r);
    int status = CLI_INPUT;
    if (r) {
        r->request = request;
        r->parts = parts;
        r->loops = parts->loops;
        r->predictor = tacho_predictor_new();
        r->explainer = tacho_explainer_new();
    }
    if (!r || !r->predictor || !r->explainer)
        cli_error("out of memory");
    else
        status = predict_found(r);
    if (r) {
        tacho_predictor_free(r->predictor);
        tacho_explainer_free(r->explainer);
        tacho_str_free(&r->out);
        tacho_mem_free(r->common);
    }
    return status;
}
