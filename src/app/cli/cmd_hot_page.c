/* cmd_hot_page.c - the page of hot places, with their timelines. */
#include "app/cli/cmd_hot.h"

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
    kept_trace trace = {0};
    tacho_str picture = {0}, strip = {0};
    report_hot_worths worths = {0};
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
    tacho_str_free(&picture);
    tacho_str_free(&strip);
    report_hot_worths_free(&worths);
    tacho_kept_trace_free(&trace);
}
