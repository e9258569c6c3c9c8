/* cmd_measure_footprint.c - tacho measure --footprint: a loop over arrays of its own, of one size or of many.
 */
#include "app/cli/measure/cmd_measure.h"
#include "app/cli/output.h"
#include "base/cpus.h"
#include "base/mem.h"

enum {
    MOST_POINTS = 64,
    CURVE_FROM = 16 << 10
};
static const uint64_t curve_least = 32 << 20, curve_most = 512 << 20;

typedef struct run {
    const measure_request *request;
    const measure_tools *with;
    const tacho_region *region;
    const tacho_prediction *prediction; /* NULL: none is wanted */
    tacho_predictor *other;
    tacho_memory memory;
    report_footprint out;
    report_footprint_point points[MOST_POINTS];
} run;

/* Two sizes an octave, up to four times the last cache. */
static void choose_curve(run *r)
{
    data_cache caches[CACHES_MOST];
    const size_t n = caches_read("", tacho_measurer_clock(r->with->measurer)->cpu, caches);
    const double last = n ? 4 * (double)caches[n - 1].bytes : 0;
    const double to = fmin(fmax(last, (double)curve_least), (double)curve_most);
    for (double bytes = CURVE_FROM; bytes <= to * 1.001 && r->out.count < MOST_POINTS; bytes *= sqrt(2))
        r->points[r->out.count++].bytes = (uint64_t)(bytes + 0.5);
}

static int choose_points(run *r)
{
    const char *footprint = r->request->footprint;
    if (tacho_str_same(footprint, "curve"))
        choose_curve(r);
    else if (tacho_parse_size(footprint, &r->points[0].bytes))
        r->out.count = 1;
    else
        return cli_usage_error("--footprint is a size such as 512K or 64M, or curve, not '%s'", footprint);
    return r->request->picture && r->out.count == 1
               ? cli_usage_error("--svg draws a curve: --footprint curve")
               : CLI_OK;
}

static int predict_first(run *r, tacho_error *err)
{
    const measure_request *q = r->request;
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    if (!r->with->arch)
        return CLI_OK;
    int status = cli_memory_of(&r->memory, q->memory, r->with->arch);
    if (status)
        return status;
    r->other = tacho_predictor_new();
    o.mode = TACHO_MODE_LOOP;
    if (!r->other)
        return cli_input_error("out of memory");
    return tacho_predict(r->with->predictor, r->with->arch, r->region->bytes, r->region->byte_count, &o,
                         &r->prediction, err)
               ? cli_input_error("%s", err->message)
               : CLI_OK;
}

/* @return 0, or an error that ends the program's work */
static int predict_point(run *r, report_footprint_point *p, tacho_error *err)
{
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    tacho_data_prediction d;
    o.mode = TACHO_MODE_LOOP;
    if (!r->prediction)
        return 0;
    int result =
        tacho_data_predict(&d, &r->memory, tacho_memory_level_of(&r->memory, p->bytes), r->prediction,
                           r->other, r->region->bytes, r->region->byte_count, &o, err);
    if (!result) {
        p->level = d.levels[d.level].name;
        p->predicted = d.levels[d.level].cycles;
    }
    return result;
}

/* What cannot be measured so is a status of it. */
static int measure_point(run *r, report_footprint_point *p, tacho_error *err)
{
    const measure_request *q = r->request;
    int result = tacho_streams_measure(&p->result, &p->iterations, r->with->measurer, &r->out.streams,
                                       r->region->bytes, r->region->byte_count, p->bytes, q->huge_pages,
                                       &q->measure, err);
    if (result == TACHO_ERR_UNSUPPORTED) {
        measure_reject(&p->result, r->with->measurer, TACHO_MODE_LOOP, err->message);
        result = 0;
    }
    p->predicted = NAN;
    return result ? result : predict_point(r, p, err);
}

static size_t count_failed(const run *r)
{
    size_t failed = 0;
    for (size_t i = 0; i < r->out.count; i++)
        failed += !report_has_cycles(&r->points[i].result);
    return failed;
}

static bool show(const run *r)
{
    const measure_request *q = r->request;
    tacho_str out = {0}, script = {0};
    bool ok = true;
    if (q->picture) {
        report_footprint_plot(&script, &r->out, tool_is_png(q->picture));
        ok = tool_plot(&script, q->picture);
    }
    if (q->format == CLI_JSON)
        return cli_put_json(report_footprint_json(&r->out)) && ok;
    if (q->format == CLI_CSV)
        report_footprint_csv(&out, &r->out, true);
    else
        report_footprint_text(&out, &r->out, cli_use_colour(q->colour));
    return cli_put_text(&out) && ok;
}

static int measure_all(run *r)
{
    tacho_error err;
    int status = choose_points(r);
    if (!status && r->request->picture && !tool_can_run("gnuplot", "gnuplot-nox", r->request->picture))
        status = CLI_INPUT;
    if (!status)
        status = predict_first(r, &err);
    if (status)
        return status;
    if (tacho_streams_find(&r->out.streams, r->region->bytes, r->region->byte_count, &err))
        return cli_input_error("%s: %s", r->out.input, err.message);
    const size_t wanted = r->out.count;
    r->out.count = 0;
    for (size_t i = 0; i < wanted; i++) {
        report_footprint_point *p = &r->points[r->out.count];
        p->bytes = r->points[i].bytes;
        if (measure_point(r, p, &err))
            return cli_input_error("%s: %s", r->out.input, err.message);
        /* A curve begins where its loop goes through the arrays often enough. */
        r->out.count += r->out.count || i + 1 == wanted || p->result.status != TACHO_MEASURED_REJECTED;
    }
    const size_t failed = count_failed(r);
    if (failed == r->out.count)
        return cli_input_error("%s: %s: %s", r->out.input,
                               tacho_measure_status_name(r->points[failed - 1].result.status),
                               r->points[failed - 1].result.message);
    return !show(r) ? CLI_INPUT : failed ? CLI_PARTIAL : CLI_OK;
}

int measure_footprint(const measure_request *q, const measure_tools *t, const tacho_region *region)
{
    TACHO_MEM_FREED run *r = tacho_mem_zalloc(1, sizeof *r);
    if (!r)
        return cli_input_error("out of memory");
    r->request = q;
    r->with = t;
    r->region = region;
    r->out = (report_footprint){.input = source_name(&q->source),
                                .region = region->name,
                                .huge_pages = q->huge_pages,
                                .points = r->points};
    int status = measure_all(r);
    tacho_predictor_free(r->other);
    return status;
}
