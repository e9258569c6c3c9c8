/* call.c - what JavaScript calls: a request goes in and an answer comes out, both JSON. The objects in an
 * answer are those of doc/JSON.md, made by the tables that the program makes them by. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/report/measure/report_measure.h"
#include "app/report/report.h"
#include "app/report/tables/report_insn.h"
#include "app/report/predict/report_deps.h"
#include "typed_code.h"
#include "base/mem.h"
#include "request.h"

#define EXPORT(name) __attribute__((export_name(#name)))

/* One call at a time, and what it used is kept for the next one. */
static struct {
    tacho_predictor *predictor, *elsewhere;
    tacho_explainer *explainer;
    kept_trace trace;
    tacho_str answer;
} kept;

typedef struct call {
    request request;
    report_subject subject;
    char *warnings[3];
    char place[300], other_core[REPORT_MEMORY_WARNING_SIZE];
    bool with_data; /* of which the next two are */
    tacho_memory memory;
    tacho_data_prediction data;
} call;

static int take(tacho_str *out, json_t *json)
{
    char *text = json ? json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(REPORT_JSON_DIGITS)) : NULL;
    if (text)
        tacho_str_puts(out, text);
    out->failed |= !text;
    free(text);
    json_decref(json);
    return 0;
}

/* ---- predictions ---- */

static int prepare(call *c)
{
    request *r = &c->request;
    if (request_arch(r) || request_options(r) || request_code(r))
        return r->err.code;
    if (!json_object_get(r->json, "alignment"))
        r->predict.alignment = r->region.alignment;
    if (r->listing.pieces && r->predict.mode != TACHO_MODE_UNROLL) { /* a loop of several */
        r->predict.mode = TACHO_MODE_LOOP;
        r->predict.pieces = r->listing.pieces;
        r->predict.piece_count = r->listing.piece_count;
    }
    c->subject = (report_subject){.input = request_text(r, "input", "code"),
                                  .region = &r->region,
                                  .region_count = 1,
                                  .arch = r->arch,
                                  .listing = &r->listing,
                                  .warnings = c->warnings,
                                  .warning_count = *r->warning != '\0'};
    c->warnings[0] = r->warning;
    return 0;
}

/* `memory`: the name of a core of whose machine there is a description, or the text of one; without it, that
 * of the core that is predicted. */
static int find_memory(call *c)
{
    request *r = &c->request;
    const char *text = request_text(r, "memory", r->arch->name);
    tacho_error why = {.message = ""};
    int result = strchr(text, '\n') ? tacho_memory_read(&c->memory, text, strlen(text), &why)
                                    : tacho_memory_find(&c->memory, text, &why);
    if (result)
        tacho_error_set(&r->err, result, "memory: %s", why.message);
    if (!result && *report_memory_warning(c->other_core, &c->memory, r->arch))
        c->warnings[c->subject.warning_count++] = c->other_core;
    return result;
}

/* With the data behind the first level, where the request has `data`. */
static int predict_data(call *c)
{
    request *r = &c->request;
    uint32_t level;
    const char *where = request_text(r, "data", NULL);
    c->with_data = where != NULL;
    if (!where || find_memory(c) || tacho_memory_level_named(&level, &c->memory, where, &r->err))
        return r->err.code;
    return tacho_data_predict(&c->data, &c->memory, level, c->subject.prediction, kept.elsewhere,
                              r->region.bytes, r->region.byte_count, &r->predict, &r->err);
}

static int predict_by(call *c, typeof(tacho_predict) *function)
{
    request *r = &c->request;
    return function(kept.predictor, r->arch, r->region.bytes, r->region.byte_count, &r->predict,
                    &c->subject.prediction, &r->err)
               ?: predict_data(c);
}

static json_t *with_data(const call *c, json_t *object)
{
    if (c->with_data)
        json_object_set_new(object, "data", report_data_json(&(report_data){&c->data, c->memory.processor}));
    return object;
}

static int predict(call *c)
{
    return predict_by(c, tacho_predict);
}

/* As the program does: a warning where the result would be another one at another place that the code may
 * get. */
static int warn_of_place(call *c)
{
    request *r = &c->request;
    report_places places;
    bool open = r->region.place_step && r->region.place_step < 64;
    if (!open || c->subject.prediction->mode != TACHO_MODE_LOOP || json_object_get(r->json, "alignment"))
        return 0;
    int result = report_places_predict(&places, kept.elsewhere, &c->subject, &r->predict, &r->err);
    if (!result && *report_places_warning(&places, &c->subject, c->place, sizeof c->place))
        c->warnings[c->subject.warning_count++] = c->place;
    return result;
}

static int explain(call *c)
{
    request *r = &c->request;
    int result = tacho_explain(kept.explainer, c->subject.prediction, r->region.bytes, r->region.byte_count,
                               &r->predict, &c->subject.explanation, &r->err);
    return result ? result : warn_of_place(c);
}

static int put_prediction(call *c, tacho_str *out)
{
    return prepare(c) || predict(c) ? c->request.err.code : take(out, with_data(c, report_json(&c->subject)));
}

static int put_bounds(call *c, tacho_str *out)
{
    return prepare(c) || predict_by(c, tacho_predict_bounds)
               ? c->request.err.code
               : take(out, with_data(c, report_json(&c->subject)));
}

static int put_explanation(call *c, tacho_str *out)
{
    return prepare(c) || predict(c) || explain(c) ? c->request.err.code
                                                  : take(out, with_data(c, report_json(&c->subject)));
}

static int predict_traced(call *c)
{
    request *r = &c->request;
    if (prepare(c))
        return r->err.code;
    tacho_kept_trace_start(&kept.trace, r->trace_iterations);
    r->predict.trace = &kept.trace.listener;
    int result = predict(c);
    if (result == KEPT_TRACE_TOO_LONG)
        return tacho_error_set(&r->err, TACHO_ERR_LIMIT, "more than %d µops to trace; fewer iterations help",
                               KEPT_TRACE_MAX_UOPS);
    if (result == KEPT_TRACE_NO_MEMORY)
        return tacho_no_memory(&r->err);
    r->predict.trace = NULL;
    tacho_kept_trace_finish(&kept.trace);
    return result;
}

static int put_trace(call *c, tacho_str *out)
{
    if (predict_traced(c))
        return c->request.err.code;
    report_trace_json(out, &c->subject, &kept.trace);
    return 0;
}

/* What the page of --html shows, but for the 64 places of the code. */
static int put_page(call *c, tacho_str *out)
{
    if (predict_traced(c) || explain(c))
        return c->request.err.code;
    tacho_str_puts(out, "{\"trace\": ");
    report_trace_json(out, &c->subject, &kept.trace);
    tacho_str_puts(out, ", \"report\": ");
    take(out, with_data(c, report_page_json(&c->subject, &kept.trace, NULL)));
    tacho_str_putc(out, '}');
    return 0;
}

/* ---- tables ---- */

static int put_deps(call *c, tacho_str *out)
{
    request *r = &c->request;
    tacho_deps *found;
    if (request_options(r) || request_code(r) ||
        tacho_deps_find(&found, r->region.bytes, r->region.byte_count, &r->deps, &r->err))
        return r->err.code;
    const report_deps report = {.input = request_text(r, "input", "code"),
                                .region = &r->region,
                                .region_count = 1,
                                .options = &r->deps,
                                .deps = found,
                                .listing = &r->listing};
    take(out, report_deps_json(&report));
    tacho_deps_free(found);
    return 0;
}

static int put_insn(call *c, tacho_str *out)
{
    request *r = &c->request;
    insn_forms forms = {0};
    json_t *list = json_array();
    const char *form = request_text(r, "form", "");
    if (!request_options(r) && !request_arch(r) && !tacho_forms_find(form, &forms, &r->err))
        for (size_t i = 0; i < forms.count; i++)
            json_array_append_new(list, report_insn_json(r->arch, forms.ids[i]));
    tacho_mem_free(forms.ids);
    if (r->err.code)
        json_decref(list);
    return r->err.code ? r->err.code : take(out, list);
}

enum {
    MOST_FORMS = 100 /* in one answer */
};

static int put_forms(call *c, tacho_str *out)
{
    request *r = &c->request;
    insn_forms forms = {0};
    if (request_options(r) || request_arch(r) ||
        tacho_forms_search(request_text(r, "search", ""), r->arch, &forms, &r->err))
        return r->err.code;
    json_t *list = json_array();
    for (size_t i = 0; i < forms.count && i < MOST_FORMS; i++)
        json_array_append_new(list, report_insn_json(r->arch, forms.ids[i]));
    tacho_mem_free(forms.ids);
    return take(out, json_pack("{s:I, s:o}", "count", (json_int_t)forms.count, "forms", list));
}

static int put_parts(call *c, tacho_str *out)
{
    request *r = &c->request;
    json_t *list = request_options(r) ? NULL : parts_json(r, request_text(r, "assembly", ""));
    return list ? take(out, list) : r->err.code;
}

static int put_arch(call *c, tacho_str *out)
{
    request *r = &c->request;
    return request_options(r) || request_arch(r) ? r->err.code : take(out, report_arch_json(r->arch));
}

static int put_archs(call *c, tacho_str *out)
{
    return take(out, report_archs_json());
}

static int put_memories(call *c, tacho_str *out)
{
    json_t *list = json_array();
    for (size_t i = 0; tacho_memory_known(&c->memory, i); i++)
        json_array_append_new(
            list, json_pack("{s:s, s:s}", "core", c->memory.core, "processor", c->memory.processor));
    return take(out, list);
}

static int put_words(call *c, tacho_str *out)
{
    return take(out, report_words_json());
}

static int put_assembly(call *c, tacho_str *out)
{
    request *r = &c->request;
    json_t *o = request_options(r) ? NULL : assembly_json(r, request_text(r, "assembly", ""));
    return o ? take(out, o) : r->err.code;
}

static int put_version(call *c, tacho_str *out)
{
    tacho_str_printf(out, "\"%s\"", tacho_version());
    return 0;
}

/* ---- requests and answers ---- */

static const struct {
    const char *name;
    int (*put)(call *c, tacho_str *out);
} calls[] = {
    {"predict", put_prediction}, {"bounds", put_bounds},   {"explain", put_explanation},
    {"trace", put_trace},        {"page", put_page},       {"deps", put_deps},
    {"insn", put_insn},          {"arch", put_arch},       {"archs", put_archs},
    {"forms", put_forms},        {"parts", put_parts},     {"assemble", put_assembly},
    {"words", put_words},        {"version", put_version}, {"memories", put_memories},
};

static int answer(call *c, tacho_str *out)
{
    const char *name = request_text(&c->request, "call", "");
    if (!json_is_object(c->request.json))
        return tacho_error_set(&c->request.err, TACHO_ERR_USAGE,
                               "a request is an object in JSON, without the character U+0000");
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (!strcmp(name, calls[i].name))
            return calls[i].put(c, out);
    return tacho_error_set(&c->request.err, TACHO_ERR_USAGE, "there is no call '%s'", name);
}

/* Of assembly text: the line of the instruction at a place in the code. */
static uint64_t line_of(const request *r, int64_t offset)
{
    const tacho_typed *t = offset < 0 ? NULL : tacho_listing_typed(&r->listing, (uint64_t)offset);
    return t ? t->line : r->err.line;
}

static json_t *error_json(const request *r)
{
    const tacho_error *err = &r->err;
    uint64_t line = line_of(r, err->offset);
    static const char *const names[] = {"",      "input",       "usage",     "memory", "system",
                                        "limit", "unsupported", "cancelled", "failed"};
    bool known = err->code < 0 && err->code > -(int)(sizeof names / sizeof *names);
    json_t *o = json_pack("{s:s, s:o}", "code", names[known ? -err->code : 0], "message",
                          report_json_string(err->message));
    if (err->offset >= 0)
        json_object_set_new(o, "offset", json_integer(err->offset));
    if (line)
        json_object_set_new(o, "line", json_integer((json_int_t)line));
    if (json_array_size(r->problems))
        json_object_set(o, "problems", r->problems);
    return json_pack("{s:o}", "error", o);
}

static bool ready(void)
{
    if (!kept.predictor)
        kept.predictor = tacho_predictor_new();
    if (!kept.explainer)
        kept.explainer = tacho_explainer_new();
    if (!kept.elsewhere)
        kept.elsewhere = tacho_predictor_new();
    return kept.predictor && kept.explainer && kept.elsewhere;
}

/** Room for a request of so many bytes. */
EXPORT(tacho_room) void *tacho_room(size_t size);
void *tacho_room(size_t size)
{
    return malloc(size);
}

/** Takes the room. @return where the answer stands, which lives until the next call: an object with `result`,
 *  or with `error`; NULL: memory ran out */
EXPORT(tacho_call) const char *tacho_call(char *text, size_t size);
const char *tacho_call(char *text, size_t size)
{
    static call c;
    c = (call){.request = {.json = json_loadb(text, size, 0, NULL),
                           .err = {.offset = -1},
                           .predict = TACHO_PREDICT_OPTIONS_INIT,
                           .deps = TACHO_DEPS_OPTIONS_INIT}};
    free(text);
    tacho_str_clear(&kept.answer);
    tacho_str_puts(&kept.answer, "{\"result\": ");
    int result = ready() ? answer(&c, &kept.answer) : tacho_no_memory(&c.request.err);
    if (!result && !kept.answer.failed) {
        tacho_str_putc(&kept.answer, '}');
    } else {
        tacho_str_free(&kept.answer);
        if (!result)
            tacho_no_memory(&c.request.err);
        c.request.err.code = c.request.err.code ? c.request.err.code : result;
        take(&kept.answer, error_json(&c.request));
    }
    request_free(&c.request);
    json_decref(c.request.json);
    return kept.answer.failed ? NULL : kept.answer.data;
}

/** Bytes of the answer. */
EXPORT(tacho_answer_size) size_t tacho_answer_size(void);
size_t tacho_answer_size(void)
{
    return kept.answer.length;
}
