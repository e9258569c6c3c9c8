/* groups.c - divisions of the blocks of an evaluation. */
#include <string.h>

#include "base/mem.h"
#include "study/eval/eval_internal.h"

int tacho_eval_add_grouping(tacho_eval *e, const char *name, tacho_error *err)
{
    size_t n = e->result.grouping_count;
    for (size_t i = 0; i < n; i++)
        if (!strcmp(e->groupings[i].name, name))
            return tacho_error_set(err, TACHO_ERR_USAGE, "there are two groupings named '%s'", name);
    const char *copy = eval_text(e, name);
    if (!copy || tacho_mem_grow(&e->groupings, &e->grouping_capacity, n + 1, sizeof *e->groupings) ||
        tacho_mem_grow(&e->own_groupings, &e->own_grouping_capacity, n + 1, sizeof *e->own_groupings))
        return tacho_no_memory(err);
    e->groupings[n] = (tacho_eval_grouping){.name = copy};
    e->own_groupings[n] = (eval_grouping){0};
    e->result.grouping_count++;
    return (int)n;
}

/* @return the group's number, or an error */
static int64_t find_or_add(tacho_eval *e, int grouping, const char *name, tacho_error *err)
{
    eval_grouping *g = &e->own_groupings[grouping];
    size_t n = e->groupings[grouping].group_count;
    for (size_t i = 0; i < n; i++)
        if (!strcmp(g->groups[i].name, name))
            return (int64_t)i;
    if (n == TACHO_EVAL_MAX_GROUPS)
        return tacho_error_set(err, TACHO_ERR_LIMIT, "more than %d groups by %s", TACHO_EVAL_MAX_GROUPS,
                               e->groupings[grouping].name);
    const char *copy = eval_text(e, name);
    if (!copy || tacho_mem_grow(&g->groups, &g->capacity, n + 1, sizeof *g->groups) ||
        tacho_mem_grow(&g->own, &g->own_capacity, n + 1, sizeof *g->own))
        return tacho_no_memory(err);
    g->groups[n] = (tacho_eval_group){.name = copy};
    g->own[n] = (eval_group){0};
    e->groupings[grouping].group_count++;
    return (int64_t)n;
}

int tacho_eval_add_group(tacho_eval *e, int grouping, const char *name, tacho_error *err)
{
    if (grouping < 0 || (size_t)grouping >= e->result.grouping_count)
        return tacho_error_set(err, TACHO_ERR_USAGE, "no grouping %d", grouping);
    int64_t number = find_or_add(e, grouping, name, err);
    return number < 0 ? (int)number : 0;
}

int tacho_eval_put(tacho_eval *e, int grouping, int64_t block, const char *group, tacho_error *err)
{
    if (grouping < 0 || (size_t)grouping >= e->result.grouping_count || block < 0 ||
        (uint64_t)block >= e->result.block_count)
        return tacho_error_set(err, TACHO_ERR_USAGE, "no grouping %d, or no block %lld", grouping,
                               (long long)block);
    int64_t number = find_or_add(e, grouping, group, err);
    if (number < 0)
        return (int)number;
    tacho_eval_group *g = &e->own_groupings[grouping].groups[number];
    eval_group *own = &e->own_groupings[grouping].own[number];
    if (g->member_count && g->members[g->member_count - 1] == block)
        return 0;
    if (g->member_count && g->members[g->member_count - 1] > block)
        return tacho_error_set(err, TACHO_ERR_USAGE, "blocks of a group must come in ascending order");
    if (tacho_mem_grow(&own->members, &own->capacity, g->member_count + 1, sizeof *own->members))
        return tacho_no_memory(err);
    own->members[g->member_count++] = (uint32_t)block;
    g->members = own->members;
    return 0;
}
