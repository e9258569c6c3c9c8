/* eval_page.c - the page of an evaluation: the JSON of the report and the numbers of its pictures, which the
 * page's script draws. */
#include <math.h>

#include "app/report/eval_tables.h"
#include "app/report/page.h"
#include "base/mem.h"

enum {
    MOST_POINTS = 2000 /* blocks: of more, only bins are shown */
};

/* Where there are few blocks: each one's number, measured and predicted cycles. */
static json_t *points_json(const tacho_eval_result *r, size_t predictor)
{
    json_t *points = json_array();
    for (size_t b = 0; b < r->block_count; b++) {
        double measured = r->blocks[b].measured, cycles = r->predictors[predictor].predictions[b].cycles;
        if (measured <= EVAL_HEAT_CYCLES && cycles <= EVAL_HEAT_CYCLES)
            json_array_append_new(points, json_pack("[I,f,f]", (json_int_t)b, measured, cycles));
    }
    return points;
}

static json_t *blocks_json(const tacho_eval_result *r)
{
    json_t *blocks = json_array();
    for (size_t b = 0; b < r->block_count; b++)
        json_array_append_new(blocks, report_block_asm_json(r->blocks[b].hex));
    return blocks;
}

static json_t *heat_json(const eval_heat *heat)
{
    json_t *bins = json_array();
    for (int y = 0; y < EVAL_HEAT_BINS; y++)
        for (int x = 0; x < EVAL_HEAT_BINS; x++)
            if (heat->counts[y][x])
                json_array_append_new(bins, json_pack("[i,i,I]", x, y, (json_int_t)heat->counts[y][x]));
    return json_pack("{s:I, s:I, s:o}", "blocks", (json_int_t)heat->shown, "beyond", (json_int_t)heat->beyond,
                     "bins", bins);
}

static json_t *heats_json(const tacho_eval_result *r, eval_heat *room)
{
    json_t *maps = json_array();
    const bool few = r->block_count <= MOST_POINTS;
    for (size_t p = 0; p < r->predictor_count; p++) {
        tacho_eval_heat_fill(room, r, p);
        json_array_append_new(maps, heat_json(room));
        json_object_set_new(json_array_get(maps, p), "points", few ? points_json(r, p) : json_null());
    }
    return json_pack("{s:o, s:i, s:i, s:I, s:o}", "block_asm", few ? blocks_json(r) : json_null(), "cycles",
                     EVAL_HEAT_CYCLES, "bins_per_cycle", EVAL_HEAT_PER_CYCLE, "measured",
                     (json_int_t)tacho_eval_heat_measured(r), "maps", maps);
}

static json_t *errors_json(const tacho_eval_result *r)
{
    double shares[EVAL_ERROR_POINTS];
    json_t *at = json_array(), *all = json_array();
    for (size_t i = 0; i < EVAL_ERROR_POINTS; i++)
        json_array_append_new(at, json_real(tacho_eval_error_at(i)));
    for (size_t p = 0; p < r->predictor_count; p++) {
        tacho_eval_error_shares(shares, r, p);
        json_t *list = isnan(shares[0]) ? json_null() : json_array();
        for (size_t i = 0; i < EVAL_ERROR_POINTS && json_is_array(list); i++)
            json_array_append_new(list, json_real(shares[i]));
        json_array_append_new(all, list);
    }
    return json_pack("{s:o, s:o}", "at", at, "shares", all);
}

void report_eval_draw(tacho_str *out, const report_eval *e)
{
    eval_heat *room = tacho_mem_alloc(sizeof *room);
    json_t *report = room ? report_eval_json(e) : NULL;
    if (report) {
        json_object_set_new(report, "heat", heats_json(e->result, room));
        json_object_set_new(report, "errors", errors_json(e->result));
    }
    report_page_put(out, &report_eval_page, report);
    tacho_mem_free(room);
}
