/* pictures.c - options and files of traces and graphs. Each kind of file is told by its extension. */
#include "app/cli/predict/cmd_predict.h"

#include "app/cli/output.h"

#define CLI_REQUEST pictures
const cli_option pictures_rows[] = {
    {CLI_SWITCH, "timeline", 0, NULL, "what each µop does in each cycle, as text", CLI_AT(timeline)},
    {CLI_WHOLE, "timeline-max-iterations", 0, "N",
     "of the timeline: the first N iterations (default 10;\n0: all that were traced)",
     CLI_AT(timeline_iterations), .high = KEPT_TRACE_MAX_ITERATIONS, CLI_SETS(iterations_given)},
    {CLI_WHOLE, "timeline-max-cycles", 0, "N", "and the first N cycles (default 80; 0: all)",
     CLI_AT(timeline_cycles), .high = 1000000, CLI_SETS(timeline)},
    {CLI_FILE, "trace", 0, "FILE", "the timeline of every µop: a page for browsers (.html)\nor JSON (.json)",
     CLI_AT(trace), .ends = "html|json"},
    {CLI_WHOLE, "trace-iterations", 0, "N",
     "of traces and what is made of them: the first N\niterations (default: up to 2000 µops)",
     CLI_AT(trace_iterations), .low = 1, .high = KEPT_TRACE_MAX_ITERATIONS},
    {CLI_FILE, "graph", 0, "FILE", "the dependency graph: .dot, or with Graphviz .svg, .png", CLI_AT(graph),
     .ends = "svg|dot|png"},
    {CLI_FILE, "html", 0, "FILE", "one page for browsers with all of it", CLI_AT(html), .ends = "html"},
    {.kind = CLI_END},
};

bool pictures_write_files(const pictures *p)
{
    return p->trace || p->graph || p->html;
}

const char *pictures_trace_option(const pictures *p)
{
    return p->trace      ? "--trace"
           : p->graph    ? "--graph"
           : p->html     ? "--html"
           : p->timeline ? "--timeline"
                         : NULL;
}

const char *pictures_option_name(const pictures *p)
{
    const char *trace = pictures_trace_option(p);
    return trace ? trace : "--align all";
}

static bool wants_trace(const pictures *p)
{
    return pictures_trace_option(p) != NULL;
}

static bool wants_alignments(const pictures *p)
{
    return p->align || p->html;
}

bool pictures_wanted(const pictures *p)
{
    return wants_trace(p) || wants_alignments(p);
}

void pictures_prepare(pictures *p, tacho_predict_options *options)
{
    if (!wants_trace(p))
        return;
    uint32_t iterations = p->trace_iterations;
    if (p->iterations_given && p->timeline_iterations > iterations)
        iterations = p->timeline_iterations;
    tacho_kept_trace_start(&p->data, iterations);
    options->trace = &p->data.listener;
}

void pictures_explain(int result, tacho_error *err)
{
    if (result == KEPT_TRACE_TOO_LONG)
        snprintf(err->message, sizeof err->message, "more than %d µops to trace; fewer iterations help",
                 KEPT_TRACE_MAX_UOPS);
    else if (result == KEPT_TRACE_NO_MEMORY)
        snprintf(err->message, sizeof err->message, "out of memory for the trace");
}

static bool put_page(const char *path, const report_page_files *page, json_t *data)
{
    tacho_str text = {0};
    report_page_put(&text, page, data);
    return cli_output_text(path, &text);
}

static bool write_trace(const pictures *p, const report_subject *s)
{
    tacho_str json = {0};
    if (tool_ends_in(p->trace, ".html"))
        return put_page(p->trace, &report_page_page,
                        json_pack("{s:o, s:n}", "trace", report_trace_object(s, &p->data), "report"));
    report_trace_json(&json, s, &p->data);
    return cli_output_text(p->trace, &json);
}

static bool write_graph(const pictures *p, const report_subject *s)
{
    insn_graph graph;
    tacho_str dot = {0};
    bool ok = !tacho_insn_graph_build(&graph, s->prediction, &p->data);
    if (ok)
        report_graph_dot(&dot, &graph, s);
    else
        cli_error("%s: out of memory", p->graph);
    tacho_insn_graph_free(&graph);
    return ok && tool_graph(&dot, p->graph);
}

/* Of one of several, a part of the page; `trace` and `report` are taken over. */
static bool write_page(pictures *p, json_t *trace, json_t *report)
{
    if (report && p->loop)
        report_loop_json(report, p->loop);
    json_t *one = json_pack("{s:o, s:o}", "trace", trace, "report", report);
    if (!p->several)
        return put_page(p->html, &report_page_page, one);
    p->cores = p->cores ? p->cores : json_array();
    p->failed |= json_array_append_new(p->cores, one) != 0;
    return true;
}

void pictures_refused(pictures *p, const report_subject *s)
{
    if (p->several)
        write_page(p, json_null(), report_json(s));
}

bool pictures_end(pictures *p)
{
    if (!p->several)
        return true;
    json_t *cores = p->failed ? NULL : json_incref(p->cores);
    return put_page(p->html, &report_cores_page, json_pack("{s:o}", "cores", cores));
}

bool pictures_page_only(const pictures *p)
{
    return p->html && !p->trace && !p->graph && !p->align && !p->timeline;
}

static bool find_alignments(pictures *p, const report_subject *s, const tacho_predict_options *options)
{
    tacho_error err = {0};
    tacho_predictor *predictor = tacho_predictor_new();
    int rc =
        predictor ? report_alignments_predict(&p->alignments, predictor, s, options, &err) : TACHO_ERR_MEMORY;
    if (rc)
        cli_error("at another place of the code: %s", predictor ? err.message : "out of memory");
    tacho_predictor_free(predictor);
    return rc == 0;
}

bool pictures_write(pictures *p, const report_subject *s, const tacho_predict_options *options,
                    const report_data *data)
{
    json_t *page = NULL;
    tacho_kept_trace_finish(&p->data);
    if (wants_alignments(p) && !find_alignments(p, s, options))
        return false;
    bool ok = !p->trace || write_trace(p, s);
    ok = (!p->graph || write_graph(p, s)) && ok;
    if (p->html)
        page = report_page_json(s, &p->data, &p->alignments);
    if (page && data)
        json_object_set_new(page, "data", report_data_json(data));
    return (!p->html || write_page(p, report_trace_object(s, &p->data), page)) && ok;
}

void pictures_text(const pictures *p, tacho_str *out, const report_subject *s)
{
    if (p->align) {
        tacho_str_putc(out, '\n');
        report_alignments_text(out, s, &p->alignments);
    }
    if (!p->timeline)
        return;
    tacho_str_putc(out, '\n');
    report_timeline(out, s, &p->data, (report_timeline_limits){p->timeline_iterations, p->timeline_cycles});
}

void pictures_json(const pictures *p, json_t *out, const report_subject *s)
{
    if (p->align)
        json_object_set_new(out, "alignments", report_alignments_json(&p->alignments));
    if (!p->timeline)
        return;
    json_t *trace = report_trace_object(s, &p->data);
    json_object_set_new(out, "trace", trace ? trace : json_null());
}

void pictures_csv_header(const pictures *p, tacho_str *out)
{
    if (p->align)
        report_alignments_csv_header(out);
    else
        report_csv_header(out, true);
}

void pictures_csv(const pictures *p, tacho_str *out, const report_subject *s)
{
    report_alignments_csv(out, s, &p->alignments);
}

void pictures_free(pictures *p)
{
    tacho_kept_trace_free(&p->data);
    json_decref(p->cores);
}
