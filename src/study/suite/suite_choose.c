/* suite_choose.c - choosing blocks by a keyed hash of their bytes, so that nothing depends on the order
 * of the rows. With strata, blocks go to the parts one after the other, stratum by stratum and by their keys
 * within each, always to the part that has the least of what is its due. So every stratum, and the whole, is
 * divided as the shares say to within a block or so. */
#include "study/suite/suite_choose.h"

#include "base/csv.h"
#include "base/mem.h"
#include "base/search.h"

/* ---- blocks ---- */

typedef struct keyed_row {
    uint64_t key;
    const tacho_suite_row *row;
    uint32_t number;
} keyed_row;

static int compare_rows(const void *a, const void *b)
{
    const keyed_row *x = a, *y = b;
    int order = ORDER(x->key, y->key) ?: ORDER(x->row->code_size, y->row->code_size);
    return order ?: memcmp(x->row->code, y->row->code, x->row->code_size);
}

ORDER_AS(compare_names, char *const, strcmp(*a, *b));

/* The applications of some rows, cut from a copy of their lists. */
typedef struct names {
    char **list;
    size_t count, capacity;
    tacho_str text;
} names;

static int add_names(names *n, const char *apps, tacho_error *err)
{
    const char *name;
    size_t length;
    while (tacho_suite_next_app(&apps, &name, &length)) {
        if (tacho_mem_grow(&n->list, &n->capacity, n->count + 1, sizeof *n->list) ||
            !(n->list[n->count] = tacho_mem_strndup(name, length)))
            return tacho_no_memory(err);
        n->count++;
    }
    return 0;
}

static void clear_names(names *n)
{
    for (size_t i = 0; i < n->count; i++)
        tacho_mem_free(n->list[i]);
    n->count = 0;
    tacho_str_clear(&n->text);
}

static void free_names(names *n)
{
    clear_names(n);
    tacho_mem_free(n->list);
    tacho_str_free(&n->text);
}

/* A number for the set of names, whatever their order. */
static uint64_t stratum_of(names *n, uint64_t seed)
{
    tacho_sort(n->list, n->count, sizeof *n->list, compare_names);
    for (size_t i = 0; i < n->count; i++)
        if (!i || strcmp(n->list[i], n->list[i - 1])) {
            tacho_str_puts(&n->text, n->list[i]);
            tacho_str_putc(&n->text, ';');
        }
    return tacho_suite_key((const uint8_t *)n->text.data, n->text.length, seed);
}

/* The strata of all blocks. */
static int find_strata(tacho_suite_choice *c, const tacho_suite *s, const keyed_row *sorted, uint64_t seed,
                       tacho_error *err)
{
    names n = {0};
    int rc = 0;
    for (size_t i = 0; i < s->row_count && !rc; i++) {
        uint32_t block = c->block_of[sorted[i].number];
        rc = add_names(&n, tacho_suite_cell(s, sorted[i].row, s->app), err);
        if (!rc && (i + 1 == s->row_count || c->block_of[sorted[i + 1].number] != block)) {
            c->blocks[block].stratum = stratum_of(&n, seed);
            rc = n.text.failed ? tacho_no_memory(err) : 0;
            clear_names(&n);
        }
    }
    free_names(&n);
    return rc;
}

static void find_blocks(tacho_suite_choice *c, const tacho_suite *s, const keyed_row *sorted)
{
    for (size_t i = 0; i < s->row_count; i++) {
        if (!i || compare_rows(&sorted[i], &sorted[i - 1]))
            c->blocks[c->block_count++] = (tacho_suite_block){.key = sorted[i].key};
        c->block_of[sorted[i].number] = (uint32_t)(c->block_count - 1);
    }
}

static int find(tacho_suite_choice *c, const tacho_suite *s, uint64_t seed, bool by_app, tacho_error *err)
{
    if (by_app && s->app < 0)
        return tacho_error_set(err, TACHO_ERR_INPUT, "%s: --by-app needs a column 'app'",
                               s->files[0].table.name);
    if (s->row_count >= UINT32_MAX)
        return tacho_error_set(err, TACHO_ERR_LIMIT, "more than %u rows", UINT32_MAX - 1);
    keyed_row *sorted = tacho_mem_zalloc(s->row_count + 1, sizeof *sorted);
    c->blocks = tacho_mem_zalloc(s->row_count + 1, sizeof *c->blocks);
    c->block_of = tacho_mem_zalloc(s->row_count + 1, sizeof *c->block_of);
    int rc = sorted && c->blocks && c->block_of ? 0 : tacho_no_memory(err);
    if (!rc) {
        for (size_t i = 0; i < s->row_count; i++) {
            const tacho_suite_row *row = &s->rows[i];
            sorted[i] = (keyed_row){tacho_suite_key(row->code, row->code_size, seed), row, (uint32_t)i};
        }
        tacho_sort(sorted, s->row_count, sizeof *sorted, compare_rows);
        find_blocks(c, s, sorted);
        rc = by_app ? find_strata(c, s, sorted, seed, err) : 0;
    }
    tacho_mem_free(sorted);
    return rc;
}

void tacho_suite_choice_free(tacho_suite_choice *c)
{
    tacho_mem_free(c->blocks);
    tacho_mem_free(c->block_of);
    *c = (tacho_suite_choice){0};
}

/* ---- choice ---- */

/* Blocks are there in the order of their keys, so that equal strata need no other comparison but of place. */
static int compare_strata(const void *a, const void *b)
{
    const tacho_suite_block *x = *(tacho_suite_block *const *)a, *y = *(tacho_suite_block *const *)b;
    return ORDER(x->stratum, y->stratum) ?: ORDER(x, y);
}

/* Of each stratum and all together as exactly as can be: each block goes where, of chosen and not chosen,
 * more are lacking of what their share of the blocks so far would be. */
static int choose_of_strata(tacho_suite_choice *c, uint64_t count, tacho_error *err)
{
    uint64_t others = c->block_count - count, chosen = 0;
    tacho_suite_block **order = tacho_mem_zalloc(c->block_count + 1, sizeof *order);
    if (!order)
        return tacho_no_memory(err);
    for (size_t i = 0; i < c->block_count; i++)
        order[i] = &c->blocks[i];
    tacho_sort(order, c->block_count, sizeof *order, compare_strata);
    for (size_t i = 0; i < c->block_count; i++) {
        __int128 lack = (__int128)count * (i + 1) - (__int128)chosen * c->block_count;
        __int128 others_lack = (__int128)others * (i + 1) - (__int128)(i - chosen) * c->block_count;
        order[i]->chosen = lack >= others_lack;
        chosen += order[i]->chosen;
    }
    tacho_mem_free(order);
    return 0;
}

int tacho_suite_choose(tacho_suite_choice *c, const tacho_suite *s, uint64_t count, uint64_t seed,
                       bool by_app, tacho_error *err)
{
    int rc = find(c, s, seed, by_app, err);
    if (rc)
        return rc;
    if (count > c->block_count)
        count = c->block_count;
    if (by_app)
        return choose_of_strata(c, count, err);
    for (size_t i = 0; i < c->block_count; i++)
        c->blocks[i].chosen = i < count;
    return 0;
}

/* ---- rows with the same block ---- */

static bool same_code(const tacho_suite_row *a, const tacho_suite_row *b)
{
    return a->code_size == b->code_size && !memcmp(a->code, b->code, a->code_size);
}

/* Puts row `i` where its block is. @return -1 when memory runs out */
static int add(tacho_suite_groups *g, const tacho_suite *s, uint32_t i)
{
    const tacho_suite_row *row = &s->rows[i];
    uint64_t hash = tacho_suite_key(row->code, row->code_size, 0);
    hash_probe first = hash_find(&g->firsts, hash);
    while (hash_next(&first) && !same_code(row, &s->rows[first.item]))
        continue;
    if (first.item == HASH_INDEX_NONE) {
        g->last[i] = i;
        return hash_add_item(&g->firsts, hash, i);
    }
    g->next[g->last[first.item]] = i + 1;
    g->last[first.item] = i;
    g->last[i] = TACHO_SUITE_NOT_FIRST;
    return 0;
}

int tacho_suite_groups_make(tacho_suite_groups *g, const tacho_suite *s, tacho_error *err)
{
    if (s->row_count >= UINT32_MAX)
        return tacho_error_set(err, TACHO_ERR_LIMIT, "more than %u rows", UINT32_MAX - 1);
    *g = (tacho_suite_groups){.next = tacho_mem_zalloc(s->row_count + 1, sizeof *g->next),
                              .last = tacho_mem_zalloc(s->row_count + 1, sizeof *g->last)};
    bool ok = g->next && g->last;
    for (size_t i = 0; ok && i < s->row_count; i++)
        ok = !add(g, s, (uint32_t)i);
    return ok ? 0 : tacho_no_memory(err);
}

void tacho_suite_groups_free(tacho_suite_groups *g)
{
    hash_index_free(&g->firsts);
    tacho_mem_free(g->next);
    tacho_mem_free(g->last);
}

/* ---- the fields of a block ---- */

static void put_all_apps(tacho_str *out, const tacho_suite *s, const tacho_suite_groups *g, uint32_t first)
{
    tacho_str all = {0};
    for (uint32_t i = first + 1; i; i = g->next[i - 1]) {
        tacho_str_puts(&all, tacho_suite_cell(s, &s->rows[i - 1], s->app));
        tacho_str_putc(&all, ';');
    }
    if (!all.failed)
        tacho_suite_put_apps(out, all.data);
    out->failed |= all.failed;
    tacho_str_free(&all);
}

/* @return TACHO_ERR_INPUT where a count is no number */
static int put_sum(tacho_str *out, const tacho_suite *s, const tacho_suite_groups *g, uint32_t first,
                   tacho_error *err)
{
    unsigned long long sum = 0, count;
    bool known = false;
    for (uint32_t i = first + 1; i; i = g->next[i - 1]) {
        int got = tacho_suite_read_count(s, &s->rows[i - 1], &count, err);
        if (got < 0)
            return got;
        if (!got)
            continue;
        sum = sum > UINT64_MAX - count ? UINT64_MAX : sum + count;
        known = true;
    }
    if (known)
        tacho_str_printf(out, "%llu", sum);
    return 0;
}

static void put_first(tacho_str *out, const tacho_suite *s, const tacho_suite_groups *g, uint32_t first,
                      int column)
{
    for (uint32_t i = first + 1; i; i = g->next[i - 1]) {
        const char *text = tacho_suite_cell(s, &s->rows[i - 1], column);
        if (*text) {
            tacho_csv_put(out, text, strlen(text));
            return;
        }
    }
}

int tacho_suite_groups_put(const tacho_suite_groups *g, const tacho_suite *s, uint32_t first, tacho_str *out,
                           tacho_error *err)
{
    tacho_str_hex(out, s->rows[first].code, s->rows[first].code_size);
    for (size_t c = 1; c < s->column_count; c++) {
        tacho_str_putc(out, ',');
        if ((int)c == s->app)
            put_all_apps(out, s, g, first);
        else if ((int)c != s->count)
            put_first(out, s, g, first, (int)c);
        else if (put_sum(out, s, g, first, err))
            return TACHO_ERR_INPUT;
    }
    tacho_str_putc(out, '\n');
    return 0;
}
