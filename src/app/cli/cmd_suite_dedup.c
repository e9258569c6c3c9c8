/* cmd_suite_dedup.c - tacho suite dedup: one or several suites as one in which every block stands once. */
#include <string.h>

#include "app/cli/cmd_suite.h"
#include "base/csv.h"
#include "base/hash_index.h"
#include "base/mem.h"

#define CLI_REQUEST suite_files
static const cli_option options[] = {
    SUITE_FILES_ROW,
    SUITE_OUTPUT_ROW("where the suite goes (default: standard output)"),
    {.kind = CLI_END},
};

static const char more[] =
    "Blocks are the same if their bytes are. Where a block stands in several rows, the first one stays,\n"
    "with the applications of all and the sum of the counts that are known; an empty field gets the\n"
    "first one that is not. Suites may have different columns; the result has all of them.\n\n"
    "Examples:\n"
    "  tacho suite dedup blocks.csv > once.csv\n"
    "  tacho suite dedup gzip.csv sqlite.csv redis.csv -o all.csv\n";

/* The rows that hold the same block, as lists. */
typedef struct groups {
    hash_index firsts; /* the first row of each block */
    uint32_t *next;    /* 1 + the next row of the same block; 0: none */
    uint32_t *last;    /* of the block that this row is the first of */
} groups;

static bool same_code(const suite_row *a, const suite_row *b)
{
    return a->code_size == b->code_size && !memcmp(a->code, b->code, a->code_size);
}

/* Puts row `i` where its block is. @return -1 when memory runs out */
static int add(groups *g, const suite *s, uint32_t i)
{
    const suite_row *row = &s->rows[i];
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
    g->last[i] = UINT32_MAX; /* not the first one */
    return 0;
}

static bool make_groups(groups *g, const suite *s)
{
    if (s->row_count >= UINT32_MAX) {
        cli_error("more than %u rows", UINT32_MAX - 1);
        return false;
    }
    *g = (groups){.next = tacho_mem_zalloc(s->row_count + 1, sizeof *g->next),
                  .last = tacho_mem_zalloc(s->row_count + 1, sizeof *g->last)};
    bool ok = g->next && g->last;
    for (size_t i = 0; ok && i < s->row_count; i++)
        ok = !add(g, s, (uint32_t)i);
    if (!ok)
        cli_error("out of memory");
    return ok;
}

static void free_groups(groups *g)
{
    hash_index_free(&g->firsts);
    tacho_mem_free(g->next);
    tacho_mem_free(g->last);
}

/* ---- the fields of a block ---- */

static bool listed(const tacho_str *list, const char *name, size_t length)
{
    const char *rest = list->data, *other;
    size_t other_length;
    while (rest && tacho_suite_next_app(&rest, &other, &other_length))
        if (other_length == length && !memcmp(other, name, length))
            return true;
    return false;
}

static void put_all_apps(tacho_str *out, const suite *s, const groups *g, uint32_t first)
{
    tacho_str list = {0};
    for (uint32_t i = first + 1; i; i = g->next[i - 1]) {
        const char *rest = suite_cell(s, &s->rows[i - 1], s->app), *name;
        size_t length;
        while (tacho_suite_next_app(&rest, &name, &length))
            if (!listed(&list, name, length)) {
                if (list.length)
                    tacho_str_putc(&list, ';');
                tacho_str_append(&list, name, length);
            }
    }
    if (list.length)
        tacho_csv_put(out, list.data, list.length);
    out->failed |= list.failed;
    tacho_str_free(&list);
}

/* @return false with a message where a count is no number */
static bool put_sum(tacho_str *out, const suite *s, const groups *g, uint32_t first)
{
    unsigned long long sum = 0, count;
    bool known = false;
    for (uint32_t i = first + 1; i; i = g->next[i - 1]) {
        int got = suite_read_count(s, &s->rows[i - 1], &count);
        if (got < 0)
            return false;
        if (!got)
            continue;
        sum = sum > UINT64_MAX - count ? UINT64_MAX : sum + count;
        known = true;
    }
    if (known)
        tacho_str_printf(out, "%llu", sum);
    return true;
}

static void put_first(tacho_str *out, const suite *s, const groups *g, uint32_t first, int column)
{
    for (uint32_t i = first + 1; i; i = g->next[i - 1]) {
        const char *text = suite_cell(s, &s->rows[i - 1], column);
        if (*text) {
            tacho_csv_put(out, text, strlen(text));
            return;
        }
    }
}

static bool put_block(tacho_str *out, const suite *s, const groups *g, uint32_t first)
{
    suite_put_hex(out, &s->rows[first]);
    for (size_t c = 1; c < s->column_count; c++) {
        tacho_str_putc(out, ',');
        if ((int)c == s->app)
            put_all_apps(out, s, g, first);
        else if ((int)c != s->count)
            put_first(out, s, g, first, (int)c);
        else if (!put_sum(out, s, g, first))
            return false;
    }
    tacho_str_putc(out, '\n');
    return true;
}

/* ---- the command ---- */

static bool write_blocks(const suite *s, const groups *g, suite_output *to)
{
    size_t blocks = 0;
    suite_put_names(&to->text, s);
    for (size_t i = 0; i < s->row_count; i++) {
        if (g->last[i] == UINT32_MAX)
            continue;
        blocks++;
        if (!put_block(&to->text, s, g, (uint32_t)i) || !suite_output_flush(to))
            return false;
    }
    if (!suite_output_end(to))
        return false;
    fprintf(stderr, "%zu row%s, %zu different block%s\n", s->row_count, tacho_plural(s->row_count), blocks,
            tacho_plural(blocks));
    return true;
}

static int run_dedup(int argc, char **argv)
{
    suite_files r = {.output = NULL};
    suite s = {0};
    groups g = {0};
    suite_output to = {0};
    int status = cli_parse(&cli_suite_dedup, &r, argc, argv);
    if (status >= 0)
        return status;
    bool ok = suite_read_all(&s, &r.files) && make_groups(&g, &s) && suite_output_open(&to, r.output) &&
              write_blocks(&s, &g, &to);
    status = ok ? suite_status(&s) : CLI_INPUT;
    suite_output_close(&to);
    free_groups(&g);
    suite_free(&s);
    return status;
}

const cli_command cli_suite_dedup = {"suite dedup",          run_dedup, "every block once; merges suites",
                                     "[options] [FILE ...]", options,   more};
