/* suite_groups.c - the rows of a suite that hold the same block, and one row for all of them. */
#include "study/suite/suite_choose.h"

#include <string.h>

#include "base/csv.h"
#include "base/mem.h"

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
