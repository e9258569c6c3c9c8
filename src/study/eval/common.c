/* common.c - only the blocks that all predictors have a prediction for: what makes predictors comparable that
 * do not know all instructions. */
#include <math.h>

#include "base/mem.h"
#include "study/eval/eval_internal.h"

#define GONE UINT32_MAX

static bool is_common(const tacho_eval *e, size_t block)
{
    for (size_t p = 0; p < e->result.predictor_count; p++)
        if (isnan(e->own_predictors[p].predictions[block].cycles))
            return false;
    return true;
}

static void move_block(tacho_eval *e, size_t from, size_t to)
{
    e->blocks[to] = e->blocks[from];
    for (size_t p = 0; p < e->result.predictor_count; p++)
        e->own_predictors[p].predictions[to] = e->own_predictors[p].predictions[from];
}

static void renumber(const eval_group *own, tacho_eval_group *g, const uint32_t *numbers)
{
    size_t kept = 0;
    for (size_t i = 0; i < g->member_count; i++)
        if (numbers[own->members[i]] != GONE)
            own->members[kept++] = numbers[own->members[i]];
    g->member_count = kept;
}

/* Groups in which nothing is left go. */
static void renumber_groups(tacho_eval *e, const uint32_t *numbers)
{
    for (size_t i = 0; i < e->result.grouping_count; i++) {
        eval_grouping *own = &e->own_groupings[i];
        size_t kept = 0;
        for (size_t g = 0; g < e->groupings[i].group_count; g++) {
            renumber(&own->own[g], &own->groups[g], numbers);
            if (!own->groups[g].member_count) {
                tacho_mem_free(own->own[g].members);
                continue;
            }
            own->groups[kept] = own->groups[g];
            own->own[kept++] = own->own[g];
        }
        e->groupings[i].group_count = kept;
    }
}

int tacho_eval_keep_common(tacho_eval *e, size_t *left_out, tacho_error *err)
{
    size_t count = e->result.block_count, kept = 0;
    uint32_t *numbers = tacho_mem_zalloc(count + 1, sizeof *numbers);
    if (!numbers || eval_fill_predictors(e)) {
        tacho_mem_free(numbers);
        return tacho_no_memory(err);
    }
    for (size_t block = 0; block < count; block++) {
        bool common = is_common(e, block);
        numbers[block] = common ? (uint32_t)kept : GONE;
        if (common)
            move_block(e, block, kept++);
    }
    renumber_groups(e, numbers);
    tacho_mem_free(numbers);
    e->result.block_count = kept;
    for (size_t p = 0; p < e->result.predictor_count; p++)
        e->own_predictors[p].filled = kept;
    eval_index_blocks(e);
    *left_out = count - kept;
    return 0;
}
