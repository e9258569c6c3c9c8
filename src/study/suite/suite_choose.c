/* suite_choose.c - choosing blocks by a keyed hash of their bytes, so that nothing depends on the order
 * of the rows. With strata, blocks go to the parts one after the other, stratum by stratum and by their keys
 * within each, always to the part that has the least of what is its due. So every stratum, and the whole, is
 * divided as the shares say to within a block or so. */
#include "study/suite/suite_choose.h"

#include <string.h>

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

/* The strata of all blocks; `rows` are sorted. */
static int find_strata(tacho_suite_choice *c, const tacho_suite *s, const keyed_row *rows, uint64_t seed,
                       tacho_error *err)
{
    names n = {0};
    int rc = 0;
    for (size_t i = 0; i < s->row_count && !rc; i++) {
        uint32_t block = c->block_of[rows[i].number];
        rc = add_names(&n, tacho_suite_cell(s, rows[i].row, s->app), err);
        if (!rc && (i + 1 == s->row_count || c->block_of[rows[i + 1].number] != block)) {
            c->blocks[block].stratum = stratum_of(&n, seed);
            rc = n.text.failed ? tacho_no_memory(err) : 0;
            clear_names(&n);
        }
    }
    free_names(&n);
    return rc;
}

static void find_blocks(tacho_suite_choice *c, const tacho_suite *s, const keyed_row *rows)
{
    for (size_t i = 0; i < s->row_count; i++) {
        if (!i || compare_rows(&rows[i], &rows[i - 1]))
            c->blocks[c->block_count++] = (tacho_suite_block){.key = rows[i].key};
        c->block_of[rows[i].number] = (uint32_t)(c->block_count - 1);
    }
}

static int find(tacho_suite_choice *c, const tacho_suite *s, uint64_t seed, bool by_app, tacho_error *err)
{
    if (by_app && s->app < 0)
        return tacho_error_set(err, TACHO_ERR_INPUT, "%s: --by-app needs a column 'app'",
                               s->files[0].table.name);
    if (s->row_count >= UINT32_MAX)
        return tacho_error_set(err, TACHO_ERR_LIMIT, "more than %u rows", UINT32_MAX - 1);
    keyed_row *rows = tacho_mem_zalloc(s->row_count + 1, sizeof *rows);
    c->blocks = tacho_mem_zalloc(s->row_count + 1, sizeof *c->blocks);
    c->block_of = tacho_mem_zalloc(s->row_count + 1, sizeof *c->block_of);
    int rc = rows && c->blocks && c->block_of ? 0 : tacho_no_memory(err);
    if (!rc) {
        for (size_t i = 0; i < s->row_count; i++) {
            const tacho_suite_row *row = &s->rows[i];
            rows[i] = (keyed_row){tacho_suite_key(row->code, row->code_size, seed), row, (uint32_t)i};
        }
        tacho_sort(rows, s->row_count, sizeof *rows, compare_rows);
        find_blocks(c, s, rows);
        rc = by_app ? find_strata(c, s, rows, seed, err) : 0;
    }
    tacho_mem_free(rows);
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
