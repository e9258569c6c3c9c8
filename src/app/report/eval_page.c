/* eval_page.c - the page of an evaluation: the JSON of the report and the numbers of its pictures, which the
 * page's script draws. */
#include <math.h>
#include <stdlib.h>

#include "app/report/eval_bins.h"
#include "app/report/eval_tables.h"
#include "app/report/page.h"
#include "base/mem.h"

extern const char report_eval_html[], report_eval_style[], report_eval_script[];

static json_t *heat_json(const report_heat *heat)
{
    json_t *bins = json_array();
    for (int y = 0; y < REPORT_HEAT_BINS; y++)
        for (int x = 0; x < REPORT_HEAT_BINS; x++)
            if (heat->counts[y][x])
                json_array_append_new(bins, json_pack("[i,i,I]", x, y, (json_int_t)heat->counts[y][x]));
    return json_pack("{s:I, s:I, s:o}", "blocks", (json_int_t)heat->shown, "beyond", (json_int_t)heat->beyond,
                     "bins", bins);
}

static json_t *heats_json(const tacho_eval_result *r, report_heat *room)
{
    json_t *maps = json_array();
    for (size_t p = 0; p < r->predictor_count; p++) {
        report_heat_fill(room, r, p);
        json_array_append_new(maps, heat_json(room));
    }
    return json_pack("{s:i, s:i, s:I, s:o}", "cycles", REPORT_HEAT_CYCLES, "bins_per_cycle",
                     REPORT_HEAT_PER_CYCLE, "measured", (json_int_t)report_heat_measured(r), "maps", maps);
}

static json_t *errors_json(const tacho_eval_result *r)
{
    double shares[REPORT_ERROR_POINTS];
    json_t *at = json_array(), *all = json_array();
    for (size_t i = 0; i < REPORT_ERROR_POINTS; i++)
        json_array_append_new(at, json_real(report_error_at(i)));
    for (size_t p = 0; p < r->predictor_count; p++) {
        report_error_shares(shares, r, p);
        json_t *list = isnan(shares[0]) ? json_null() : json_array();
        for (size_t i = 0; i < REPORT_ERROR_POINTS && json_is_array(list); i++)
            json_array_append_new(list, json_real(shares[i]));
        json_array_append_new(all, list);
    }
    return json_pack("{s:o, s:o}", "at", at, "shares", all);
}

void report_eval_page(tacho_str *out, const report_eval *e)
{
    report_heat *room = tacho_mem_alloc(sizeof *room);
    json_t *report = room ? report_eval_json(e) : NULL;
    if (report) {
        json_object_set_new(report, "heat", heats_json(e->result, room));
        json_object_set_new(report, "errors", errors_json(e->result));
    }
    char *text = report ? json_dumps(report, JSON_COMPACT | JSON_REAL_PRECISION(8)) : NULL;
    const char *const parts[] = {text, NULL};
    if (text)
        report_page_put(out, report_eval_html, report_eval_style, report_eval_script, parts);
    out->failed |= !text;
    free(text);
    json_decref(report);
    tacho_mem_free(room);
}
