/* suite_corpus.c - a suite's rows as documents, and what categories mean for its applications. */
#include "study/suite/suite_corpus.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/search.h"

/* A row's weight; without a figure 0, so that nothing is learned from it. */
static int row_weight(const tacho_suite *s, const tacho_suite_row *row, int column, double *out,
                      tacho_error *err)
{
    const char *text = tacho_suite_cell(s, row, column);
    char place[300], *end;
    *out = column < 0 ? 1 : 0;
    if (column < 0 || !*text)
        return 0;
    *out = strtod(text, &end);
    if (end != text && !*end && *out >= 0 && *out <= TACHO_CLUSTER_MAX_WEIGHT)
        return 0;
    return tacho_error_set(err, TACHO_ERR_INPUT, "%s: %s is a number from 0 to %g, not '%s'",
                           tacho_suite_place(s, row, place, sizeof place), s->names[column],
                           TACHO_CLUSTER_MAX_WEIGHT, text);
}

static void keep_message(tacho_suite_corpus *c, tacho_suite_corpus_row *out, const char *message)
{
    out->document = TACHO_SUITE_UNDECODABLE;
    out->message = c->messages.length;
    tacho_str_append(&c->messages, message, strlen(message) + 1);
    c->undecodable++;
}

/* @return an error where it is no use to go on */
static int add_row(tacho_suite_corpus *c, size_t i, int column, tacho_error *err)
{
    const tacho_suite_row *row = &c->suite->rows[i];
    tacho_corpus_block seen;
    double weight;
    tacho_suite_corpus_row *out = &c->rows[i];
    int rc = row_weight(c->suite, row, column, &weight, err);
    if (rc)
        return rc;
    rc = tacho_corpus_add(c->corpus, row->code, row->code_size, weight, &seen, err);
    if (rc == TACHO_ERR_MEMORY)
        return rc;
    if (rc) {
        keep_message(c, out, err->message);
        return 0;
    }
    *out = (tacho_suite_corpus_row){.document = seen.document,
                                    .instructions = seen.instructions,
                                    .unknown_instructions = seen.unknown_instructions};
    c->without_words += seen.document < 0;
    c->partly_known += seen.document >= 0 && seen.unknown_instructions;
    return 0;
}

int tacho_suite_corpus_fill(tacho_suite_corpus *c, const tacho_suite *s, tacho_corpus *corpus,
                            const char *weight, tacho_error *err)
{
    int column = weight ? tacho_suite_column(s, weight) : TACHO_TABLE_NONE, rc = 0;
    *c = (tacho_suite_corpus){.suite = s, .corpus = corpus};
    if (weight && column < 0)
        return tacho_error_set(err, TACHO_ERR_INPUT, "%s: --weight: there is no column '%s'",
                               s->files[0].table.name, weight);
    c->rows = tacho_mem_zalloc(s->row_count + 1, sizeof *c->rows);
    for (size_t i = 0; c->rows && !rc && i < s->row_count; i++)
        rc = add_row(c, i, column, err);
    return rc ? rc : !c->rows || c->messages.failed ? tacho_no_memory(err) : 0;
}

void tacho_suite_corpus_free(tacho_suite_corpus *c)
{
    tacho_corpus_free(c->corpus);
    tacho_mem_free(c->rows);
    tacho_str_free(&c->messages);
    *c = (tacho_suite_corpus){0};
}

/* ---- applications ---- */

/* The application of that name, made if there is none; NULL when memory runs out. */
static tacho_suite_app *find_app(tacho_suite_apps *a, const char *name, size_t length)
{
    uint64_t hash = tacho_suite_key((const uint8_t *)name, length, 0);
    hash_probe p = hash_find(&a->by_name, hash);
    while (hash_next(&p) && (strncmp(a->list[p.item].name, name, length) || a->list[p.item].name[length]))
        continue;
    if (p.item != HASH_INDEX_NONE)
        return &a->list[p.item];
    char *copy = tacho_mem_strndup(name, length);
    if (!copy || tacho_mem_grow(&a->list, &a->capacity, a->count + 1, sizeof *a->list) ||
        hash_add_item(&a->by_name, hash, (uint32_t)a->count)) {
        tacho_mem_free(copy);
        return NULL;
    }
    a->list[a->count] = (tacho_suite_app){.name = copy};
    return &a->list[a->count++];
}

static void add_block(tacho_suite_app *app, uint8_t category, double weight)
{
    app->blocks++;
    app->shares[category] += weight;
}

static int add_to_apps(tacho_suite_apps *a, const tacho_suite *s, const tacho_suite_row *row,
                       uint8_t category, tacho_error *err)
{
    const char *apps = tacho_suite_cell(s, row, s->app), *name;
    size_t length;
    double weight = 1;
    if (a->weighted) {
        unsigned long long count = 0; /* where it is not known */
        if (tacho_suite_read_count(s, row, &count, err) < 0)
            return TACHO_ERR_INPUT;
        weight = (double)count;
    }
    add_block(&a->all, category, weight);
    while (tacho_suite_next_app(&apps, &name, &length)) {
        tacho_suite_app *app = find_app(a, name, length);
        if (!app)
            return tacho_no_memory(err);
        add_block(app, category, weight);
    }
    return 0;
}

/* Whether any block has a count: what a static extraction writes has the column, but nothing in it. */
static bool has_counts(const tacho_suite *s)
{
    for (size_t i = 0; s->count >= 0 && i < s->row_count; i++)
        if (*tacho_suite_cell(s, &s->rows[i], s->count))
            return true;
    return false;
}

ORDER_AS(compare_apps, tacho_suite_app, ORDER(b->blocks, a->blocks) ?: strcmp(a->name, b->name));

/* Weights become shares; NaN where there is no weight. */
static void finish_app(tacho_suite_app *app)
{
    double sum = 0;
    for (int k = 0; k < TACHO_CLUSTER_MAX_TOPICS; k++)
        sum += app->shares[k];
    for (int k = 0; k < TACHO_CLUSTER_MAX_TOPICS; k++)
        app->shares[k] = sum > 0 ? app->shares[k] / sum : NAN;
}

int tacho_suite_apps_make(tacho_suite_apps *a, const tacho_suite_corpus *c, const uint8_t *categories,
                          tacho_error *err)
{
    int rc = 0;
    *a = (tacho_suite_apps){.all = {.name = "all"}, .weighted = has_counts(c->suite)};
    for (size_t i = 0; i < c->suite->row_count && !rc; i++)
        if (c->rows[i].document >= 0)
            rc = add_to_apps(a, c->suite, &c->suite->rows[i], categories[c->rows[i].document], err);
    if (rc)
        return rc;
    tacho_sort(a->list, a->count, sizeof *a->list, compare_apps);
    for (size_t k = 0; k < a->count; k++)
        finish_app(&a->list[k]);
    finish_app(&a->all);
    return 0;
}

void tacho_suite_apps_free(tacho_suite_apps *a)
{
    for (size_t k = 0; k < a->count; k++)
        tacho_mem_free(a->list[k].name);
    tacho_mem_free(a->list);
    hash_index_free(&a->by_name);
    *a = (tacho_suite_apps){0};
}

/* ---- a keyed hash of a block's bytes, by which blocks are chosen ---- */

/* Up to eight bytes, the first one lowest, whatever the machine's own order. */
static uint64_t word(const uint8_t *bytes, size_t count)
{
    uint64_t w = 0;
    for (size_t i = 0; i < count && i < 8; i++)
        w |= (uint64_t)bytes[i] << 8 * i;
    return w;
}

uint64_t tacho_suite_key(const uint8_t *code, size_t size, uint64_t seed)
{
    uint64_t h = hash_add(hash_mix(seed), size);
    for (size_t at = 0; at < size; at += 8)
        h = hash_add(h, word(code + at, size - at));
    return hash_mix(h);
}
