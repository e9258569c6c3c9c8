/* categories.c - categories of blocks for people, as JSON, and as CSV. */
#include "app/report/categories.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/report/eval_tables.h"
#include "app/report/grid.h"
#include "app/report/report.h"
#include "base/csv.h"

enum {
    WORDS_SHOWN = 3
};

/* Part of a whole's µops; NaN where there are none. */
typedef struct composition {
    double load, store, scalar, vector;
} composition;

static composition composition_of(const tacho_cluster_tally *t)
{
    double all = 0;
    for (int k = 0; k < TACHO_UOP_KIND_COUNT; k++)
        all += t->uops[k];
    if (!(all > 0))
        return (composition){NAN, NAN, NAN, NAN};
    return (composition){t->uops[TACHO_UOP_LOAD] / all,
                         (t->uops[TACHO_UOP_STORE_ADDRESS] + t->uops[TACHO_UOP_STORE_DATA]) / all,
                         t->uops[TACHO_UOP_SCALAR] / all, t->uops[TACHO_UOP_VECTOR] / all};
}

/* The expected share of a word in a topic. */
static double word_share(const tacho_cluster_model *m, uint32_t topic, uint32_t word)
{
    const double *lambda = m->lambda + (size_t)topic * m->word_count;
    double sum = 0;
    for (uint32_t w = 0; w < m->word_count; w++)
        sum += lambda[w];
    return lambda[word] / sum;
}

/* The word that comes next after `last` by share, then by number; -1: none of at least 5 %. */
static int next_word(const tacho_cluster_model *m, uint32_t topic, int last)
{
    int best = -1;
    double most = 0, before = last < 0 ? INFINITY : word_share(m, topic, (uint32_t)last);
    for (int w = 0; w < (int)m->word_count; w++) {
        double share = word_share(m, topic, (uint32_t)w);
        if (share > most && (share < before || (share == before && w > last))) {
            best = w;
            most = share;
        }
    }
    return most >= 0.05 ? best : -1;
}

/* The topic's words from the most probable one on, "p0156 62 %, p06 21 %": those of at least 5 %, at most
 * `most`; "" where there is none. */
static void put_words(tacho_str *out, const tacho_cluster_model *m, uint32_t topic, uint32_t most)
{
    char ports[20];
    uint32_t shown = 0;
    for (int w = next_word(m, topic, -1); w >= 0 && shown < most; w = next_word(m, topic, w), shown++)
        tacho_str_printf(out, "%s%s %.0f %%", shown ? ", " : "",
                         tacho_ports_text(m->words[w], ports, sizeof ports),
                         100 * word_share(m, topic, (uint32_t)w));
}

static uint64_t all_blocks(const report_categories *r)
{
    uint64_t sum = 0;
    for (uint32_t k = 0; k < r->model->topic_count; k++)
        sum += r->tallies[k].blocks;
    return sum;
}

static double all_weight(const report_categories *r)
{
    double sum = 0;
    for (uint32_t k = 0; k < r->model->topic_count; k++)
        sum += r->tallies[k].weight;
    return sum;
}

/* ---- text ---- */

static void put_percent(report_grid *g, double share)
{
    if (isnan(share))
        report_grid_cell(g, "");
    else
        report_grid_cellf(g, "%.1f", 100 * share);
}

static void put_table(tacho_str *out, const report_categories *r, bool colour)
{
    static const char *const heads[] = {"category",          "blocks",     "% of blocks", "% of weight",
                                        "% loads",           "% stores",   "% scalar",    "% vector",
                                        "µops of its topic", "description"};
    char number[TACHO_NUMBER_SIZE];
    report_grid g;
    double blocks = (double)all_blocks(r), weight = all_weight(r);
    report_grid_start(&g, r->weight ? 10 : 9, 2);
    for (int h = 0; h < 10; h++)
        if (h != 3 || r->weight)
            report_grid_cell(&g, heads[h]);
    for (uint32_t k = 0; k < r->model->topic_count; k++) {
        const tacho_cluster_tally *t = &r->tallies[k];
        composition c = composition_of(t);
        tacho_str words = {0};
        put_words(&words, r->model, k, WORDS_SHOWN);
        report_grid_cell(&g, r->model->topics[k].name);
        report_grid_cell(&g, report_count(number, t->blocks));
        put_percent(&g, blocks > 0 ? (double)t->blocks / blocks : NAN);
        if (r->weight)
            put_percent(&g, weight > 0 ? t->weight / weight : NAN);
        put_percent(&g, c.load);
        put_percent(&g, c.store);
        put_percent(&g, c.scalar);
        put_percent(&g, c.vector);
        report_grid_cell(&g, words.data ? words.data : "");
        report_grid_cell(&g, r->model->topics[k].description);
        out->failed |= words.failed;
        tacho_str_free(&words);
    }
    report_grid_text(out, &g, colour);
    report_grid_free(&g);
}

static void put_apps(tacho_str *out, const report_categories *r, bool colour)
{
    char number[TACHO_NUMBER_SIZE];
    report_grid g;
    tacho_str_printf(out, "\nCategories by application, %% of %s\n",
                     r->app_weight ? r->app_weight : "blocks");
    report_grid_start(&g, r->model->topic_count + 2, 0);
    report_grid_cell(&g, "application");
    report_grid_cell(&g, "blocks");
    for (uint32_t k = 0; k < r->model->topic_count; k++)
        report_grid_cell(&g, r->model->topics[k].name);
    for (size_t a = 0; a <= r->app_count; a++) {
        const tacho_suite_app *app = a < r->app_count ? &r->apps[a] : &r->all;
        report_grid_cell(&g, app->name);
        report_grid_cell(&g, report_count(number, app->blocks));
        for (uint32_t k = 0; k < r->model->topic_count; k++)
            put_percent(&g, app->shares[k]);
    }
    report_grid_text(out, &g, colour);
    report_grid_free(&g);
}

static void put_rows(tacho_str *out, size_t count, const char *one, const char *several)
{
    char number[TACHO_NUMBER_SIZE];
    if (count)
        tacho_str_printf(out, "%s block%s %s\n", report_count(number, count), count > 1 ? "s" : "",
                         count > 1 ? several : one);
}

static void put_head(tacho_str *out, const report_categories *r, bool colour)
{
    char number[TACHO_NUMBER_SIZE];
    const tacho_cluster_model *m = r->model;
    tacho_str name = {0};
    report_put_plain(&name, r->suite);
    report_paint(out, colour, REPORT_BOLD, name.data ? name.data : "");
    tacho_str_free(&name);
    tacho_str_printf(out, ": %s block%s in %u categor%s by the ports of %s µops on %s\n",
                     report_count(number, all_blocks(r)), tacho_plural(all_blocks(r)), m->topic_count,
                     m->topic_count == 1 ? "y" : "ies", all_blocks(r) == 1 ? "its" : "their", m->arch->name);
    if (r->fit)
        tacho_str_printf(out, "perplexity %.4f (%.4f without the topics' own part) of %u words; ",
                         r->fit->perplexity, r->fit->perplexity_blocks, m->word_count);
    if (r->trained)
        tacho_str_printf(out, "%s learning, %u pass%s from the best of %u start%s, seed %llu\n",
                         m->method == TACHO_CLUSTER_ONLINE ? "stochastic" : "batch", m->passes,
                         m->passes == 1 ? "" : "es", m->starts, m->starts == 1 ? "" : "s",
                         (unsigned long long)m->seed);
    else
        tacho_str_printf(out, "the model is of %s other block%s\n", report_count(number, m->blocks),
                         tacho_plural(m->blocks));
    put_rows(out, r->partly_known, "has instructions without figures there: judged by the others",
             "have instructions without figures there: judged by the others");
    put_rows(out, r->without_words, "has no category: no µop of it needs a port",
             "have no category: no µop of theirs needs a port");
    put_rows(out, r->undecodable, "has no category: it cannot be decoded",
             "have no category: they cannot be decoded");
    tacho_str_putc(out, '\n');
}

void report_categories_text(tacho_str *out, const report_categories *r, bool colour)
{
    put_head(out, r, colour);
    put_table(out, r, colour);
    if (r->app_count)
        put_apps(out, r, colour);
}

/* ---- JSON ---- */

static json_t *real_or_null(double value)
{
    return isnan(value) ? json_null() : json_real(value);
}

static json_t *words_json(const tacho_cluster_model *m, uint32_t topic)
{
    json_t *list = json_array();
    char ports[20];
    for (int w = next_word(m, topic, -1); w >= 0; w = next_word(m, topic, w))
        json_array_append_new(list, json_pack("{s:s, s:f}", "ports",
                                              tacho_ports_text(m->words[w], ports, sizeof ports), "share",
                                              word_share(m, topic, (uint32_t)w)));
    return list;
}

static json_t *category_json(const report_categories *r, uint32_t k)
{
    const tacho_cluster_tally *t = &r->tallies[k];
    composition c = composition_of(t);
    uint64_t blocks = all_blocks(r);
    double weight = all_weight(r);
    return json_pack("{s:s, s:s, s:I, s:o, s:f, s:o, s:o, s:o, s:o, s:o, s:o}", "name",
                     r->model->topics[k].name, "description", r->model->topics[k].description, "blocks",
                     (json_int_t)t->blocks, "share",
                     real_or_null(blocks ? (double)t->blocks / (double)blocks : NAN), "weight", t->weight,
                     "weight_share", real_or_null(weight > 0 ? t->weight / weight : NAN), "load",
                     real_or_null(c.load), "store", real_or_null(c.store), "scalar", real_or_null(c.scalar),
                     "vector", real_or_null(c.vector), "words", words_json(r->model, k));
}

static json_t *app_json(const report_categories *r, const tacho_suite_app *a)
{
    json_t *shares = json_object(), *name = json_string(a->name);
    for (uint32_t k = 0; k < r->model->topic_count; k++)
        json_object_set_new(shares, r->model->topics[k].name, real_or_null(a->shares[k]));
    return json_pack("{s:o, s:I, s:o}", "name", name ? name : json_null(), "blocks", (json_int_t)a->blocks,
                     "shares", shares);
}

json_t *report_categories_json(const report_categories *r)
{
    const tacho_cluster_model *m = r->model;
    json_t *categories = json_array(), *apps = json_array(), *suite = json_string(r->suite);
    char seed[24];
    for (uint32_t k = 0; k < m->topic_count; k++)
        json_array_append_new(categories, category_json(r, k));
    for (size_t a = 0; a < r->app_count; a++)
        json_array_append_new(apps, app_json(r, &r->apps[a]));
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)m->seed);
    return json_pack(
        "{s:s, s:o, s:s, s:b, s:I, s:i, s:I, s:I, s:I, s:o, s:o, s:o, s:i, s:s, s:i, s:i, s:s, s:I, s:s?, "
        "s:s?, s:o, s:o, s:o}",
        "schema", "tacho-categories-1", "suite", suite ? suite : json_null(), "arch", m->arch->name,
        "trained", r->trained, "rows", (json_int_t)r->rows, "topics", (int)m->topic_count, "without_words",
        (json_int_t)r->without_words, "undecodable", (json_int_t)r->undecodable, "partly_known",
        (json_int_t)r->partly_known, "uops", r->fit ? json_real(r->fit->uops) : json_null(), "perplexity",
        r->fit ? json_real(r->fit->perplexity) : json_null(), "perplexity_blocks",
        r->fit ? json_real(r->fit->perplexity_blocks) : json_null(), "words", (int)m->word_count, "method",
        m->method == TACHO_CLUSTER_ONLINE ? "online" : "batch", "starts", (int)m->starts, "passes",
        (int)m->passes, "seed", seed, "model_blocks", (json_int_t)m->blocks, "weight", r->weight,
        "application_weight", r->app_weight, "categories", categories, "applications", apps, "all",
        app_json(r, &r->all));
}

/* ---- CSV ---- */

static void put_number(tacho_str *out, double value)
{
    char number[TACHO_NUMBER_SIZE];
    tacho_str_printf(out, ",%s", tacho_format_number(number, value, 6));
}

void report_categories_csv(tacho_str *out, const report_categories *r)
{
    uint64_t blocks = all_blocks(r);
    tacho_str_puts(out, "app,category,blocks,share,load,store,scalar,vector,words,description\n");
    for (uint32_t k = 0; k < r->model->topic_count; k++) {
        const tacho_cluster_tally *t = &r->tallies[k];
        composition c = composition_of(t);
        tacho_str words = {0};
        put_words(&words, r->model, k, WORDS_SHOWN);
        tacho_str_printf(out, ",%s,%llu", r->model->topics[k].name, (unsigned long long)t->blocks);
        put_number(out, blocks ? (double)t->blocks / (double)blocks : NAN);
        put_number(out, c.load);
        put_number(out, c.store);
        put_number(out, c.scalar);
        put_number(out, c.vector);
        tacho_str_putc(out, ',');
        tacho_csv_put(out, words.data ? words.data : "", words.length);
        tacho_str_printf(out, ",%s\n", r->model->topics[k].description);
        out->failed |= words.failed;
        tacho_str_free(&words);
    }
    for (size_t a = 0; a < r->app_count; a++)
        for (uint32_t k = 0; k < r->model->topic_count; k++) {
            tacho_csv_put(out, r->apps[a].name, strlen(r->apps[a].name));
            tacho_str_printf(out, ",%s,", r->model->topics[k].name);
            put_number(out, r->apps[a].shares[k]);
            tacho_str_puts(out, ",,,,,,\n");
        }
}
