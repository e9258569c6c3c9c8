/* cmd_predict_input.c - the regions of one input, predicted and reported; two versions of a loop. */
#include "app/cli/output.h"
#include "app/cli/predict/cmd_predict.h"
#include "app/report/measure/report_measure.h"
#include "base/mem.h"

typedef struct run {
    predict_request *request;
    const tacho_code *code;
    tacho_predictor *predictor;
    tacho_explainer *explainer; /* its predictor: for other places and other loads */
    char **warnings;            /* the code's and the request's, and room for one more */
    size_t warning_count;
    json_t *list;
    tacho_str out;
    report_said said;    /* by the reports in text of several regions */
    tacho_memory memory; /* with --data, and the level that is meant */
    uint32_t data_level;
    tacho_data_prediction data;   /* of the region that is under way */
    size_t done, failed, refused; /* refused: among those failed, what the core cannot execute */
    bool unwritten;               /* a file could not be written */
} run;

bool predict_is_refusal(const tacho_predict_options *o, const tacho_error *err)
{
    return err->code == TACHO_ERR_UNSUPPORTED && !o->ignore_isa &&
           (o->unknown == TACHO_UNKNOWN_WARN || o->unknown == TACHO_UNKNOWN_LATENCY);
}

bool predict_leaves_out(size_t refused, size_t failed, size_t all)
{
    if (failed == all || refused < failed)
        return false;
    if (refused)
        cli_note("%zu of %zu predictions left out: the microarchitecture cannot execute the code "
                 "(--ignore-isa predicts it all the same)",
                 refused, all);
    return true;
}

bool predict_put_text(const predict_request *r, tacho_str *text)
{
    tacho_str narrow = {0};
    if (!r->pane)
        return cli_put_text(text);
    report_narrow(&narrow, text);
    return cli_put_text(&narrow);
}

static bool is_refusal(const run *r, const tacho_error *err)
{
    return predict_is_refusal(&r->request->options, err);
}

/* What would help, to be put after the message. */
static const char *remedy(const run *r, const tacho_error *err)
{
    bool whole =
        !r->request->source.code.symbol && !r->request->source.code.has_range && r->code->region_count == 1;
    if (err->code == TACHO_ERR_LIMIT && whole)
        return " (with --symbol, --range or markers)";
    bool only = r->code->region_count * r->request->arch_count == 1;
    return only && is_refusal(r, err) ? "; --ignore-isa predicts it all the same" : "";
}

/* The whole message of a failed prediction: where, what, and what would help. */
static void describe_failure(const run *r, const report_subject *s, const tacho_error *err, char *out,
                             size_t size)
{
    char region[120] = "", place[CLI_OFFSET_SIZE], name[100];
    if (s->region_count > 1 || s->region->name) {
        report_region_name(s, name, sizeof name);
        snprintf(region, sizeof region, "%s: ", name);
    }
    snprintf(out, size, "%s: %s%s%s%s", s->input, region,
             cli_offset(place, s->region->address, err->offset, ""), err->message, remedy(r, err));
}

static void report(run *r, const report_subject *s)
{
    json_t *object;
    switch (r->request->format) {
    case CLI_JSON:
        object = report_json(s);
        if (s->prediction)
            pictures_json(&r->request->pictures, object, s);
        if (s->prediction && r->request->data)
            json_object_set_new(object, "data",
                                report_data_json(&(report_data){&r->data, r->memory.processor}));
        json_array_append_new(r->list, object);
        return;
    case CLI_CSV: {
        if (r->request->pictures.align) {
            if (s->prediction)
                pictures_csv(&r->request->pictures, &r->out, s);
            return;
        }
        report_csv_region(&r->out, s);
        return;
    }
    default:
        if (r->request->arch_count > 1) {
            report_text_row(&r->out, s, r->request->colours);
        } else if (s->prediction) {
            if (r->done + r->failed)
                tacho_str_putc(&r->out, '\n');
            if (r->request->pane && s->prediction->mode == TACHO_MODE_UNROLL)
                tacho_str_puts(&r->out, "no loop here: treated as straight code that is repeated\n\n");
            if (r->request->data)
                report_data_text(&r->out, &(report_data){&r->data, r->memory.processor}, r->request->colours);
            report_text(&r->out, s, r->request->colours);
            pictures_text(&r->request->pictures, &r->out, s);
        }
    }
}

/* A table of several microarchitectures: it says why a row has no cycles. */
static bool is_table(const run *r)
{
    return r->request->arch_count > 1 && r->request->format == CLI_TEXT;
}

/* Tables of several microarchitectures and CSV have no room for it. */
static bool explains(const run *r)
{
    if (r->request->predict != tacho_predict)
        return false;
    return r->request->format == CLI_JSON ||
           (r->request->format == CLI_TEXT && r->request->arch_count == 1) || r->request->pictures.several;
}

/* Adds a warning where the result would be another one at another place that the code may get. @return 0 or
 * an error of the prediction */
static int warn_of_place(run *r, report_subject *s, const tacho_predict_options *o, char *text, size_t size,
                         tacho_error *err)
{
    report_places places;
    const tacho_region *region = s->region;
    bool open = region->place_step && region->place_step < 64 && s->prediction->mode == TACHO_MODE_LOOP;
    if (!open || r->request->alignment_given || r->request->pictures.align)
        return 0;
    int result = report_places_predict(&places, tacho_explainer_predictor(r->explainer), s, o, err);
    if (!result && *report_places_warning(&places, s, text, size)) {
        r->warnings[s->warning_count++] = text;
    }
    return result;
}

static void predict_one(run *r, size_t region, size_t arch)
{
    char message[TACHO_ERROR_MESSAGE_SIZE + 400], place[300];
    tacho_error err;
    report_subject s = {.input = source_name(&r->request->source),
                        .region = &r->code->regions[region],
                        .region_number = region,
                        .region_count = r->code->region_count,
                        .arch = r->request->archs[arch],
                        .warnings = r->warnings,
                        .warning_count = r->warning_count,
                        .all_what_ifs = r->request->all_what_ifs,
                        .said = r->code->region_count > 1 ? &r->said : NULL};
    const tacho_listing listing =
        source_listing(r->request->source.style, s.region->typed, s.region->typed_count, s.region->address);
    tacho_predict_options o = r->request->options;
    s.listing = o.listing = &listing;
    err.offset = -1;
    if (!r->request->alignment_given)
        o.alignment = s.region->alignment;
    pictures_prepare(&r->request->pictures, &o);
    int result = r->request->predict(r->predictor, s.arch, s.region->bytes, s.region->byte_count, &o,
                                     &s.prediction, &err);
    if (!result && r->request->data)
        result = tacho_data_predict(&r->data, &r->memory, r->data_level, s.prediction,
                                    tacho_explainer_predictor(r->explainer), s.region->bytes,
                                    s.region->byte_count, &o, &err);
    if (!result && explains(r))
        result = tacho_explain(r->explainer, s.prediction, s.region->bytes, s.region->byte_count, &o,
                               &s.explanation, &err);
    if (!result && explains(r))
        result = warn_of_place(r, &s, &o, place, sizeof place, &err);
    if (result) {
        s.prediction = NULL;
        pictures_explain(result, &err);
        describe_failure(r, &s, &err, message, sizeof message);
        if (!is_table(r) && !(r->request->all_archs && is_refusal(r, &err)))
            cli_error("%s", message);
        s.error = is_table(r) ? err.message : message;
        pictures_refused(&r->request->pictures, &s);
    } else {
        const report_data data = {&r->data, r->memory.processor};
        r->unwritten |= !pictures_write(&r->request->pictures, &s, &o, r->request->data ? &data : NULL);
    }
    bool only = r->code->region_count * r->request->arch_count == 1;
    if (!result || !only)
        report(r, &s);
    r->refused += result && is_refusal(r, &err);
    r->done += !result;
    r->failed += result != 0;
    if (r->out.length > 65536 && r->request->format != CLI_JSON) {
        r->unwritten |= !predict_put_text(r->request, &r->out);
    }
}

static int predict_all(run *r)
{
    if (r->request->format == CLI_CSV)
        pictures_csv_header(&r->request->pictures, &r->out);
    if (is_table(r))
        report_text_row(&r->out, &(report_subject){0}, r->request->colours);
    for (size_t i = 0; i < r->code->region_count; i++)
        for (size_t a = 0; a < r->request->arch_count; a++)
            predict_one(r, i, a);
    if (r->done)
        r->unwritten |= !pictures_end(&r->request->pictures);
    report_said_text(&r->out, &r->said);
    if (!r->done && r->code->region_count * r->request->arch_count == 1)
        return CLI_INPUT;
    bool json = r->request->format == CLI_JSON && json_array_size(r->list);
    r->unwritten |= !(json ? cli_put_results(r->list) : predict_put_text(r->request, &r->out));
    if (r->request->all_archs && predict_leaves_out(r->refused, r->failed, r->done + r->failed))
        r->failed = 0;
    if (r->failed)
        cli_error("%zu of %zu predictions failed", r->failed, r->done + r->failed);
    if (r->unwritten)
        return CLI_INPUT;
    return !r->failed ? CLI_OK : r->done ? CLI_PARTIAL : CLI_INPUT;
}

/* A file takes one result. */
static int check_files(const run *r)
{
    const pictures *p = &r->request->pictures;
    if (p->several)
        return CLI_OK;
    if (p->html && is_table(r) && r->code->region_count == 1)
        return cli_usage_error("of several microarchitectures --html makes one page, and nothing else goes "
                               "with it: no timeline, trace, graph, plot or --align all");
    if (pictures_page_only(p) && is_table(r))
        return cli_usage_error("--html shows %zu regions of one microarchitecture, or one region of several: "
                               "give one -a ARCH, or --region",
                               r->code->region_count);
    if (pictures_wanted(p) && is_table(r))
        return cli_usage_error("%s shows one microarchitecture: give one -a ARCH", pictures_option_name(p));
    if (!pictures_write_files(p) || r->code->region_count * r->request->arch_count == 1)
        return CLI_OK;
    if (r->request->arch_count > 1)
        return cli_usage_error("a file holds one result: with %s give one -a ARCH", pictures_option_name(p));
    return cli_input_error(
        "a file holds one result, and %s has %zu regions: choose one with --symbol, --range or markers",
        source_name(&r->request->source), r->code->region_count);
}

static int find_memory(run *r)
{
    const char *data = r->request->data;
    if (!data)
        return CLI_OK;
    if (r->request->arch_count > 1)
        return cli_usage_error("--data is of one machine: give one -a ARCH");
    const int status = cli_memory_of(&r->memory, r->request->memory, r->request->archs[0]);
    return status ? status : cli_data_level(&r->data_level, &r->memory, data);
}

int predict_input(predict_request *request, const source_parts *parts)
{
    const tacho_code *code = parts->code;
    int status = CLI_OK;
    run r = {.request = request,
             .code = code,
             .predictor = tacho_predictor_new(),
             .warnings = tacho_mem_zalloc(code->warning_count + 2, sizeof(char *)),
             .explainer = tacho_explainer_new(),
             .list = json_array()};
    if (!r.predictor || !r.explainer || !r.warnings || !r.list) {
        cli_error("out of memory");
        status = CLI_INPUT;
    } else {
        if (*parts->said)
            r.warnings[r.warning_count++] = (char *)parts->said;
        for (size_t i = 0; i < code->warning_count; i++)
            r.warnings[r.warning_count++] = code->warnings[i];
        for (size_t i = 0; i < r.warning_count && request->format == CLI_CSV; i++)
            cli_note("%s", r.warnings[i]);
        request->pictures.several =
            pictures_page_only(&request->pictures) && (request->arch_count > 1) != (code->region_count > 1);
        status = check_files(&r) ?: find_memory(&r) ?: predict_all(&r);
    }
    json_decref(r.list);
    tacho_explainer_free(r.explainer);
    tacho_predictor_free(r.predictor);
    tacho_mem_free(r.warnings);
    tacho_str_free(&r.out);
    report_said_free(&r.said);
    return status;
}

/* ---- tacho predict A B: two versions of a loop, side by side ---- */

enum {
    VERSIONS = 2
};

typedef struct version {
    source *source;
    source_parts parts;
    source_part part;
    tacho_predictor *predictor; /* the prediction is its own */
    report_subject subject;
} version;

/* @return an exit status; unless CLI_OK with a message */
static int find_part(version *v)
{
    int status = source_parts_find(v->source, &v->parts);
    if (status)
        return status;
    const size_t count = v->parts.end - v->parts.first;
    if (count != 1)
        return cli_input_error("%s has %zu %s, and versions of one are compared: choose it with %s",
                               source_name(v->source), count, v->parts.loops ? "loops" : "regions",
                               v->parts.loops ? "--loop N, --symbol or --range" : "--region NAME");
    source_part_get(v->source, &v->parts, v->parts.first, &v->part);
    if (!v->part.region.bytes)
        return cli_input_error("%s: no path through the loop was found", source_name(v->source));
    if (*v->parts.said)
        cli_note("%s", v->parts.said);
    return CLI_OK;
}

static int predict_version(version *v, const predict_request *r)
{
    tacho_predict_options o = r->options;
    tacho_error err = {.offset = -1};
    int status = find_part(v);
    if (status)
        return status;
    o.listing = &v->part.listing;
    if (!r->alignment_given)
        o.alignment = v->part.region.alignment;
    if (v->parts.loops) {
        o.mode = TACHO_MODE_LOOP;
        o.pieces = v->part.listing.pieces;
        o.piece_count = v->part.listing.piece_count;
    }
    v->subject = (report_subject){.input = source_name(v->source),
                                  .region = &v->part.region,
                                  .region_count = 1,
                                  .arch = r->archs[0],
                                  .listing = &v->part.listing};
    if (r->predict(v->predictor, r->archs[0], v->part.region.bytes, v->part.region.byte_count, &o,
                   &v->subject.prediction, &err))
        return cli_input_error("%s: %s", v->subject.input, err.message);
    for (size_t i = 0; r->format == CLI_TEXT && i < v->subject.prediction->warning_count; i++)
        cli_note("%s: %s", v->subject.input, v->subject.prediction->warnings[i]);
    return CLI_OK;
}

static bool put_versions(const predict_request *r, const version *v)
{
    const char *const inputs[] = {v[0].subject.input, v[1].subject.input};
    const tacho_prediction *const predictions[] = {v[0].subject.prediction, v[1].subject.prediction};
    TACHO_FREED tacho_str out = {0};
    if (r->format == CLI_JSON) {
        json_t *list = json_array();
        for (int i = 0; i < VERSIONS; i++) {
            json_t *one = report_json(&v[i].subject);
            json_object_set_new(one, "compared", report_versions_json(predictions, i));
            json_array_append_new(list, one);
        }
        bool put = cli_put_results(list);
        json_decref(list);
        return put;
    }
    report_versions_text(&out, r->colours, inputs, predictions);
    return predict_put_text(r, &out);
}

/* @return false with a message */
static bool can_compare(const predict_request *r)
{
    if (r->arch_count > 1)
        return cli_error("two INPUTs are compared on one microarchitecture: give one -a ARCH");
    if (r->format == CLI_CSV)
        return cli_error("two INPUTs are compared in text or JSON, not in CSV");
    if (pictures_wanted(&r->pictures))
        return cli_error("%s shows one INPUT", pictures_option_name(&r->pictures));
    return true;
}

int predict_versions(predict_request *r, source *other)
{
    version v[VERSIONS] = {{.source = &r->source}, {.source = other}};
    int status = can_compare(r) ? CLI_OK : CLI_USAGE;
    for (int i = 0; i < VERSIONS && !status; i++) {
        v[i].predictor = tacho_predictor_new();
        status = v[i].predictor ? predict_version(&v[i], r) : cli_input_error("out of memory");
    }
    if (!status && !put_versions(r, v))
        status = CLI_INPUT;
    for (int i = 0; i < VERSIONS; i++) {
        tacho_predictor_free(v[i].predictor);
        source_parts_free(&v[i].parts);
    }
    return status;
}
