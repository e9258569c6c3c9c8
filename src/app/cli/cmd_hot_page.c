/* cmd_hot_page.c - the page of hot places, with their timelines. */
#include "app/cli/cmd_hot.h"
#include "app/report/report_trace.h"

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

/* A place with its timeline, or one that is only in the table. */
static json_t *one_place(hot_analyst *a, size_t number, bool details, report_trace *trace, tacho_str *traces,
                         report_hot_worths *worths)
{
    const tacho_hot_place *place = &a->report->hot->places[number];
    report_trace_start(trace, iterations_for(place));
    hot_analyse(a, number, details, details ? &trace->listener : NULL);
    report_hot_worths_add(worths, a->report, &a->place);
    json_t *json = report_hot_place_json(a->report, &a->place);
    tacho_str_puts(traces, number ? "," : "");
    if (details && a->place.subject.prediction) {
        report_trace_finish(trace);
        report_trace_json(traces, &a->place.subject, trace);
    } else {
        tacho_str_puts(traces, "null");
    }
    return json;
}

bool hot_write_page(cli_output *o, hot_analyst *a, uint64_t top)
{
    report_trace trace = {0};
    tacho_str traces = {0}, page = {0}, picture = {0}, strip = {0};
    report_hot_worths worths = {0};
    json_t *places = json_array();
    tacho_str_puts(&traces, "");
    for (size_t i = 0; i < a->report->hot->count; i++)
        json_array_append_new(places, one_place(a, i, i < top, &trace, &traces, &worths));
    report_hot_worths_sort(&worths);
    json_t *report = report_hot_json(a->report, places, &worths, &a->roofline);
    if (traces.failed || worths.failed) {
        json_decref(report);
        report = NULL;
    }
    report_roofline_svg(&picture, &a->roofline, a->report);
    if (a->report->threads)
        report_threads_svg(&strip, a->report->threads);
    report_hot_page(&page, report, traces.failed ? "" : traces.data, &picture, &strip);
    tacho_str_free(&picture);
    tacho_str_free(&strip);
    report_hot_worths_free(&worths);
    report_trace_free(&trace);
    tacho_str_free(&traces);
    return cli_output_write(o, &page);
}
