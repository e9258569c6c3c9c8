/* eval.c - filling an evaluation: blocks, found by their code; predictors. */
#include "study/eval/eval_internal.h"

#include <ctype.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"
#include "tacho/code.h"

/* ---- blocks by their code ---- */

static uint64_t code_hash(const char *hex)
{
    uint64_t h = 0;
    for (; *hex; hex++)
        h = hash_add(h, (uint64_t)tolower((unsigned char)*hex));
    return h;
}

/* Good until the next one is added. @return NULL: there is no block with this code */
static same_code *codes_find(const codes *c, const char *hex)
{
    hash_probe p = hash_find(&c->by_hex, code_hash(hex));
    while (hash_next(&p) && !tacho_str_same(c->list[p.item].hex, hex))
        continue;
    return p.item == HASH_INDEX_NONE ? NULL : &c->list[p.item];
}

/* Adds a code that is not there yet, with its first block. @return -1 when memory runs out */
static int codes_add(codes *c, const char *hex, uint32_t block)
{
    if (tacho_mem_grow(&c->list, &c->capacity, c->count + 1, sizeof *c->list) ||
        hash_add_item(&c->by_hex, code_hash(hex), (uint32_t)c->count))
        return -1;
    c->list[c->count++] = (same_code){hex, block, block};
    return 0;
}

/* Forgets all codes. There is room for as many as there were. */
static void codes_clear(codes *c)
{
    hash_index_clear(&c->by_hex);
    c->count = 0;
}

static void codes_free(codes *c)
{
    hash_index_free(&c->by_hex);
    tacho_mem_free(c->list);
    *c = (codes){0};
}

const char *eval_text(tacho_eval *e, const char *text)
{
    return text && *text ? arena_text(&e->texts, text) : "";
}

long eval_code_of(const tacho_eval_block *block, eval_code *code)
{
    size_t n = strlen(block->hex);
    if (tacho_mem_grow(&code->data, &code->capacity, n / 2 + 1, 1))
        return -2;
    long size = tacho_hex_decode(code->data, block->hex, n, NULL);
    return size < 0 ? -1 : size;
}

tacho_eval *tacho_eval_new(void)
{
    return tacho_mem_zalloc(1, sizeof(tacho_eval));
}

static void free_predictor(const eval_predictor *p)
{
    TACHO_MEM_FREE(p->predictions, p->scores, p->by_group, p->worst);
}

static void free_grouping(const eval_grouping *g, size_t count)
{
    for (size_t i = 0; i < count; i++)
        tacho_mem_free(g->own[i].members);
    tacho_mem_free(g->groups);
    tacho_mem_free(g->own);
}

void tacho_eval_free(tacho_eval *e)
{
    if (!e)
        return;
    for (size_t i = 0; i < e->result.predictor_count; i++)
        free_predictor(&e->own_predictors[i]);
    for (size_t i = 0; i < e->result.grouping_count; i++)
        free_grouping(&e->own_groupings[i], e->groupings[i].group_count);
    tacho_mem_free(e->blocks);
    tacho_mem_free(e->next);
    codes_free(&e->codes);
    TACHO_MEM_FREE(e->groupings, e->own_groupings, e->predictors, e->own_predictors);
    arena_free(&e->texts);
    tacho_mem_free(e);
}

/* ---- blocks by their code ---- */

/* The block becomes the last of those with its code. @return -1 when memory runs out */
static int index_block(tacho_eval *e, size_t number)
{
    same_code *same = codes_find(&e->codes, e->blocks[number].hex);
    uint32_t block = (uint32_t)number + 1;
    e->next[number] = 0;
    if (!same)
        return codes_add(&e->codes, e->blocks[number].hex, block);
    e->next[same->last - 1] = block;
    same->last = block;
    return 0;
}

/* Finds all blocks anew by their code, after some were taken out. */
static void index_blocks(tacho_eval *e)
{
    codes_clear(&e->codes);
    for (size_t i = 0; i < e->result.block_count; i++)
        index_block(e, i); /* there is room: there were as many before */
}

int64_t tacho_eval_find_block(const tacho_eval *e, const char *hex)
{
    const same_code *same = codes_find(&e->codes, hex);
    return same ? (int64_t)same->first - 1 : -1;
}

int64_t tacho_eval_next_block(const tacho_eval *e, int64_t block)
{
    return block >= 0 && (uint64_t)block < e->result.block_count ? (int64_t)e->next[block] - 1 : -1;
}

int64_t tacho_eval_add_block(tacho_eval *e, const char *hex, double measured, const char *note,
                             tacho_error *err)
{
    size_t n = e->result.block_count;
    if (!(measured > 0) || isinf(measured))
        return tacho_error_set(err, TACHO_ERR_USAGE, "measured: %g cycles, which must be above 0", measured);
    if (n == INT32_MAX)
        return tacho_error_set(err, TACHO_ERR_LIMIT, "more than %d blocks", INT32_MAX);
    if (tacho_mem_grow(&e->blocks, &e->block_capacity, n + 1, sizeof *e->blocks) ||
        tacho_mem_grow(&e->next, &e->next_capacity, n + 1, sizeof *e->next))
        return tacho_no_memory(err);
    tacho_eval_block b = {eval_text(e, hex), measured, eval_text(e, note)};
    if (!b.hex || !b.note)
        return tacho_no_memory(err);
    e->blocks[n] = b;
    if (index_block(e, n))
        return tacho_no_memory(err);
    e->result.block_count++;
    return (int64_t)n;
}

/* ---- predictors ---- */

int eval_fill_predictors(tacho_eval *e)
{
    for (size_t i = 0; i < e->result.predictor_count; i++) {
        eval_predictor *p = &e->own_predictors[i];
        if (tacho_mem_grow(&p->predictions, &p->capacity, e->result.block_count + 1, sizeof *p->predictions))
            return -1;
        while (p->filled < e->result.block_count)
            p->predictions[p->filled++] = (tacho_eval_prediction){NAN, "", false};
    }
    return 0;
}

int tacho_eval_add_predictor(tacho_eval *e, const char *name, tacho_error *err)
{
    size_t n = e->result.predictor_count;
    for (size_t i = 0; i < n; i++)
        if (!strcmp(e->predictors[i].name, name))
            return tacho_error_set(err, TACHO_ERR_USAGE, "there are two predictors named '%s'", name);
    const char *copy = eval_text(e, name);
    if (!copy || tacho_mem_grow(&e->predictors, &e->predictor_capacity, n + 1, sizeof *e->predictors) ||
        tacho_mem_grow(&e->own_predictors, &e->own_predictor_capacity, n + 1, sizeof *e->own_predictors))
        return tacho_no_memory(err);
    e->predictors[n] = (tacho_eval_predictor){.name = copy, .version = "", .seconds = NAN};
    e->own_predictors[n] = (eval_predictor){0};
    e->result.predictor_count++;
    return (int)n;
}

int tacho_eval_predict(tacho_eval *e, int predictor, int64_t block, double cycles, const char *message,
                       tacho_error *err)
{
    if (predictor < 0 || (size_t)predictor >= e->result.predictor_count || block < 0 ||
        (uint64_t)block >= e->result.block_count)
        return tacho_error_set(err, TACHO_ERR_USAGE, "no predictor %d, or no block %lld", predictor,
                               (long long)block);
    bool good = cycles >= 0 && !isinf(cycles);
    const char *why = good ? "" : message && *message ? message : "no prediction";
    if (eval_fill_predictors(e) || !(why = eval_text(e, why)))
        return tacho_no_memory(err);
    e->own_predictors[predictor].predictions[block] =
        (tacho_eval_prediction){good ? cycles : NAN, why, false};
    return 0;
}

int tacho_eval_mark_lower_bound(tacho_eval *e, int predictor, int64_t block, tacho_error *err)
{
    if (predictor < 0 || (size_t)predictor >= e->result.predictor_count || block < 0 ||
        (uint64_t)block >= e->own_predictors[predictor].filled)
        return tacho_error_set(err, TACHO_ERR_USAGE, "no predictor %d, or no block %lld", predictor,
                               (long long)block);
    tacho_eval_prediction *p = &e->own_predictors[predictor].predictions[block];
    p->lower_bound = !isnan(p->cycles);
    return 0;
}

void tacho_eval_fail_lower_bounds(tacho_eval *e)
{
    for (size_t i = 0; i < e->result.predictor_count; i++)
        for (size_t b = 0; b < e->own_predictors[i].filled; b++)
            if (e->own_predictors[i].predictions[b].lower_bound)
                e->own_predictors[i].predictions[b] = (tacho_eval_prediction){
                    NAN, "only a lower bound: some of its instructions have no figures", false};
}

void tacho_eval_set_seconds(tacho_eval *e, int predictor, double seconds)
{
    if (predictor >= 0 && (size_t)predictor < e->result.predictor_count)
        e->predictors[predictor].seconds = seconds;
}

const tacho_eval_result *tacho_eval_view(tacho_eval *e)
{
    eval_fill_predictors(e);
    for (size_t i = 0; i < e->result.predictor_count; i++)
        e->predictors[i].predictions = e->own_predictors[i].predictions;
    for (size_t i = 0; i < e->result.grouping_count; i++)
        e->groupings[i].groups = e->own_groupings[i].groups;
    e->result.blocks = e->blocks;
    e->result.groupings = e->groupings;
    e->result.predictors = e->predictors;
    return &e->result;
}

/* only the blocks that all predictors have a prediction for: what makes predictors comparable that
 * do not know all instructions. */

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
    TACHO_MEM_FREED uint32_t *numbers = tacho_mem_zalloc(count + 1, sizeof *numbers);
    if (!numbers || eval_fill_predictors(e))
        return tacho_no_memory(err);
    for (size_t block = 0; block < count; block++) {
        bool common = is_common(e, block);
        numbers[block] = common ? (uint32_t)kept : GONE;
        if (common)
            move_block(e, block, kept++);
    }
    renumber_groups(e, numbers);
    e->result.block_count = kept;
    for (size_t p = 0; p < e->result.predictor_count; p++)
        e->own_predictors[p].filled = kept;
    index_blocks(e);
    *left_out = count - kept;
    return 0;
}

/* ---- divisions of the blocks of an evaluation ---- */

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
