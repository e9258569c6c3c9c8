/* cmd_suite_apps.c - a suite's categories by application. */
#include "app/cli/cmd_suite_categories.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/search.h"

/* ---- applications ---- */

/* The application of that name, made if there is none; NULL when memory runs out. */
static report_category_app *find_app(category_apps *a, const char *name, size_t length)
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
    a->list[a->count] = (report_category_app){.name = copy};
    return &a->list[a->count++];
}

static void add_block(report_category_app *app, uint8_t category, double weight)
{
    app->blocks++;
    app->shares[category] += weight;
}

static bool add_row(category_apps *a, const suite *s, const suite_row *row, uint8_t category)
{
    const char *apps = suite_cell(s, row, s->app), *name;
    size_t length;
    double weight = 1;
    if (a->weighted) {
        unsigned long long count = 0; /* where it is not known */
        if (suite_read_count(s, row, &count) < 0)
            return false;
        weight = (double)count;
    }
    add_block(&a->all, category, weight);
    while (tacho_suite_next_app(&apps, &name, &length)) {
        report_category_app *app = find_app(a, name, length);
        if (!app) {
            cli_error("out of memory");
            return false;
        }
        add_block(app, category, weight);
    }
    return true;
}

/* Whether any block has a count: what a static extraction writes has the column, but nothing in it. */
static bool has_counts(const suite *s)
{
    for (size_t i = 0; s->count >= 0 && i < s->row_count; i++)
        if (*suite_cell(s, &s->rows[i], s->count))
            return true;
    return false;
}

static int compare_apps(const void *x, const void *y)
{
    const report_category_app *a = x, *b = y;
    if (a->blocks != b->blocks)
        return a->blocks > b->blocks ? -1 : 1;
    return strcmp(a->name, b->name);
}

/* Weights become shares; NaN where there is no weight. */
static void finish_app(report_category_app *app)
{
    double sum = 0;
    for (int k = 0; k < TACHO_CLUSTER_MAX_TOPICS; k++)
        sum += app->shares[k];
    for (int k = 0; k < TACHO_CLUSTER_MAX_TOPICS; k++)
        app->shares[k] = sum > 0 ? app->shares[k] / sum : NAN;
}

bool category_apps_make(category_apps *a, const suite_corpus *c, const uint8_t *categories)
{
    *a = (category_apps){.all = {.name = "all"}, .weighted = has_counts(c->suite)};
    for (size_t i = 0; i < c->suite->row_count; i++)
        if (c->rows[i].document >= 0 &&
            !add_row(a, c->suite, &c->suite->rows[i], categories[c->rows[i].document]))
            return false;
    tacho_sort(a->list, a->count, sizeof *a->list, compare_apps);
    for (size_t k = 0; k < a->count; k++)
        finish_app(&a->list[k]);
    finish_app(&a->all);
    return true;
}

void category_apps_free(category_apps *a)
{
    for (size_t k = 0; k < a->count; k++)
        tacho_mem_free(a->list[k].name);
    tacho_mem_free(a->list);
    hash_index_free(&a->by_name);
    *a = (category_apps){0};
}
