/* cmd_predict_versions.c - tacho predict A B: two versions of a loop, side by side. */
#include "app/cli/cli.h"
#include "app/cli/predict/cmd_predict.h"
#include "app/cli/output.h"
#include "base/str.h"

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
    tacho_predict_options o = *r->options;
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
    tacho_str out = {0};
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
    report_versions_text(&out, r->colour, inputs, predictions);
    bool put = predict_put_text(r, &out);
    tacho_str_free(&out);
    return put;
}

/* @return false with a message */
static bool can_compare(const predict_request *r)
{
    if (r->arch_count > 1)
        return cli_error("two INPUTs are compared on one microarchitecture: give one -a ARCH");
    if (r->format == CLI_CSV)
        return cli_error("two INPUTs are compared in text or JSON, not in CSV");
    if (pictures_wanted(r->pictures))
        return cli_error("%s shows one INPUT", pictures_option_name(r->pictures));
    return true;
}

int predict_versions(const predict_request *r, source *other)
{
    version v[VERSIONS] = {{.source = r->source}, {.source = other}};
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
