/* suite_choose.c - the rows of each block, and a choice of blocks by a keyed hash of their bytes, so that
 * nothing depends on the order of the rows. */
#include "study/suite/suite_choose.h"

#include "base/csv.h"
#include "base/mem.h"
#include "base/search.h"

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

/* ---- choice ---- */

typedef struct keyed_block {
    uint64_t key;
    const tacho_suite_row *row;
    uint32_t first; /* the row's number */
} keyed_block;

static int compare_blocks(const void *a, const void *b)
{
    const keyed_block *x = a, *y = b;
    int order = ORDER(x->key, y->key) ?: ORDER(x->row->code_size, y->row->code_size);
    return order ?: memcmp(x->row->code, y->row->code, x->row->code_size);
}

static size_t list_blocks(keyed_block *out, const tacho_suite *s, const tacho_suite_groups *g, uint64_t seed)
{
    size_t count = 0;
    for (size_t i = 0; i < s->row_count; i++)
        if (g->last[i] != TACHO_SUITE_NOT_FIRST)
            out[count++] = (keyed_block){tacho_suite_key(s->rows[i].code, s->rows[i].code_size, seed),
                                         &s->rows[i], (uint32_t)i};
    tacho_sort(out, count, sizeof *out, compare_blocks);
    return count;
}

int tacho_suite_choose(tacho_suite_choice *c, const tacho_suite *s, uint64_t count, uint64_t seed,
                       tacho_error *err)
{
    TACHO_ENDS(tacho_suite_groups_free) tacho_suite_groups g = {0};
    TACHO_MEM_FREED keyed_block *blocks = tacho_mem_zalloc(s->row_count + 1, sizeof *blocks);
    c->rows = tacho_mem_zalloc(s->row_count + 1, sizeof *c->rows);
    int rc = blocks && c->rows ? tacho_suite_groups_make(&g, s, err) : tacho_no_memory(err);
    if (!rc) {
        c->block_count = list_blocks(blocks, s, &g, seed);
        c->chosen_count = count < c->block_count ? (size_t)count : c->block_count;
        for (size_t b = 0; b < c->chosen_count; b++)
            for (uint32_t i = blocks[b].first + 1; i; i = g.next[i - 1])
                c->rows[i - 1] = true;
    }
    return rc;
}

void tacho_suite_choice_free(tacho_suite_choice *c)
{
    tacho_mem_free(c->rows);
    *c = (tacho_suite_choice){0};
}

/* ---- the fields of a block ---- */

static void put_all_apps(tacho_str *out, const tacho_suite *s, const tacho_suite_groups *g, uint32_t first)
{
    TACHO_FREED tacho_str all = {0};
    for (uint32_t i = first + 1; i; i = g->next[i - 1]) {
        tacho_str_puts(&all, tacho_suite_cell(s, &s->rows[i - 1], s->app));
        tacho_str_putc(&all, ';');
    }
    if (!all.failed)
        tacho_suite_put_apps(out, all.data);
    out->failed |= all.failed;
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
