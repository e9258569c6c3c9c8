/* cmd_hot_analyst.c - the prediction for a hot place: a loop's path as a loop, with its true addresses; a
 * block outside of loops, too, as if it were repeated: it is hot, so its µops come
 * from the DSB if they fit, which copies of it would not show. */
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
    a->place.subject.prediction = NULL;
    a->place.subject.explanation = NULL;
    if (err->offset >= 0)
        snprintf(a->message, sizeof a->message, "offset 0x%llx of the path: %s",
                 (unsigned long long)err->offset, err->message);
    else
        snprintf(a->message, sizeof a->message, "%s", err->message);
    a->place.subject.error = a->message;
}

static void predict(hot_analyst *a, size_t number, bool details, const tacho_trace_listener *trace)
{
    const tacho_hot_place *place = &a->report->hot->places[number];
    const tacho_loop *loop = place->loop;
    tacho_error err = {.offset = -1};
    report_hot_start(&a->place, place, number);
    report_subject *s = &a->place.subject;
    a->region = (tacho_region){.bytes = loop->code,
                               .byte_count = loop->code_bytes,
                               .address = loop->start,
                               .alignment = loop->alignment,
                               .place_step = loop->place_step};
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
