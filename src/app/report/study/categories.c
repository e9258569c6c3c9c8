/* categories.c - categories of blocks for people, as JSON, and as CSV. */
#include "app/report/study/report_study.h"
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

/* The blocks and the weight of all topics. */
static tacho_cluster_tally all(const report_categories *r)
{
    tacho_cluster_tally sum = {0};
    for (uint32_t k = 0; k < r->model->topic_count; k++) {
        sum.blocks += r->model->topics[k].training.blocks;
        sum.weight += r->model->topics[k].training.weight;
    }
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
    double blocks = (double)all(r).blocks, weight = all(r).weight;
    report_grid_start(&g, r->weight ? 10 : 9, 2);
    for (int h = 0; h < 10; h++)
        if (h != 3 || r->weight)
            report_grid_cell(&g, heads[h]);
    for (uint32_t k = 0; k < r->model->topic_count; k++) {
        const tacho_cluster_tally *t = &r->model->topics[k].training;
        composition c = composition_of(t);
        TACHO_FREED tacho_str words = {0};
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
    }
    report_grid_put(out, &g, colour);
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
    report_grid_put(out, &g, colour);
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
    report_paint(out, colour, REPORT_BOLD, r->suite);
    tacho_str_printf(out, ": %s block%s in %u categor%s by the ports of %s µops on %s\n",
                     report_count(number, all(r).blocks), tacho_plural(all(r).blocks), m->topic_count,
                     m->topic_count == 1 ? "y" : "ies", all(r).blocks == 1 ? "its" : "their", m->arch->name);
    tacho_str_printf(out,
                     "perplexity %.4f (%.4f without the topics' own part) of %u words; %u pass%s from the "
                     "best of %u start%s, seed %llu\n",
                     m->perplexity, m->perplexity_blocks, m->word_count, m->passes,
                     m->passes == 1 ? "" : "es", m->starts, tacho_plural(m->starts),
                     (unsigned long long)m->seed);
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

/* ---- JSON and CSV ---- */

#define root(at) ((const report_categories *)report_root(at))

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

static report_value words_shown(const report_at *at)
{
    tacho_str words = {0};
    put_words(&words, root(at)->model, (uint32_t)at->index, WORDS_SHOWN);
    return report_text_made(at, &words);
}

static double part_of(double x, double all)
{
    return all > 0 ? x / all : NAN;
}

#define RECORD tacho_cluster_topic
GETTER(share, report_real(part_of((double)r->training.blocks, (double)all(root(at)).blocks)))
GETTER(weight_share, report_real(part_of(r->training.weight, all(root(at)).weight)))
GETTER(load, report_real(composition_of(&r->training).load))
GETTER(store, report_real(composition_of(&r->training).store))
GETTER(scalar, report_real(composition_of(&r->training).scalar))
GETTER(vector, report_real(composition_of(&r->training).vector))
GETTER(words, report_list(words_json(root(at)->model, (uint32_t)at->index)))
GETTER(no_app, report_null())
static const report_field categories[] = {
    MEMBERS2(name, description, "of the category"),
    {NAMED("blocks", training.blocks, NULL)},
    {MADE(REAL, "share", share, NULL)},
    {NAMED("weight", training.weight, NULL)},
    {MADE(REAL, "weight_share", weight_share, "its blocks, and their part of all")},
    {MADE(REAL, "load", load, NULL)},
    {MADE(REAL, "store", store, NULL)},
    {MADE(REAL, "scalar", scalar, NULL)},
    {MADE(REAL, "vector", vector, "what the µops of its blocks do, parts of 1; null without blocks")},
    {MADE_CELL(TEXT, "words", words_shown)},
    {MADE(LIST, "words", words, "of its topic, those of at least 5 %: list of {`ports`, `share`}")},
    {MADE_CELL(TEXT, "app", no_app)},
    {CELL("category", name)},
};
#undef RECORD

#define RECORD tacho_suite_app
OBJECT_OF(shares, root(at)->model->topic_count, root(at)->model->topics[i].name,
          report_json_real(r->shares[i]))
static const report_field apps[] = {
    MEMBERS2(name, blocks, "of the application"),
    {MADE(OBJECT, "shares", shares, "by category; null where nothing counts")},
};
#undef RECORD

#define RECORD tacho_cluster_model
ROOM_BY(seed, snprintf(at->room, REPORT_ROOM, "%" PRIu64, r->seed))
static const report_field model[] = {
    {NAMED("words", word_count, "combinations of ports that there are")},
    MEMBERS2(starts, passes, NULL),
    {MADE(TEXT, "seed", seed, "how the model was made")},
    {NAMED("model_blocks", blocks, "learned from")},
};
#undef RECORD

#define RECORD report_categories
GETTER(arch, report_text_value(r->model->arch->name))
GETTER(categories_of, report_list(report_records_json(ROWS(categories), r->model->topics,
                                                      r->model->topic_count, sizeof *r->model->topics, at)))
static const report_field suite[] = {
    {SCHEMA("tacho-categories-1")},
    {MEMBER(suite, "the file")},
    {MADE(TEXT, "arch", arch, "whose ports are meant")},
    {MEMBER(rows, "of the suite")},
    {OF("topics", model, topic_count, "how many categories")},
    MEMBERS2(without_words, undecodable, "rows without a category: no µop needs a port, no valid code"),
    {MEMBER(partly_known, "rows with instructions without figures")},
    {OF("uops", model, uops, "weighted, that the next two rest on")},
    {OF("perplexity", model, perplexity, NULL)},
    {OF("perplexity_blocks", model, perplexity_blocks, "without the topics' own part of the bound")},
    {PART_AT(model, ROWS(model))},
    {MEMBER(weight, NULL, .none = REPORT_NO_TEXT)},
    {NAMED("application_weight", app_weight, "columns; null: each block once", .none = REPORT_NO_TEXT)},
    {MADE(LIST, "categories", categories_of, "of all blocks", .table = ROWS(categories))},
    {RECORDS("applications", apps, app_count, ROWS(apps), "in order")},
    {RECORD_IN("all", all, ROWS(apps), "all blocks, alike")},
};
#undef RECORD
TABLE(report_categories_table, suite, "tacho-categories-1");

const char report_categories_columns[] =
    "app,category,blocks,share,load,store,scalar,vector,words,description";

void report_categories_csv(tacho_str *out, const report_categories *r)
{
    report_record_csv(out, report_categories_columns, ROWS(categories), r->model->topics,
                      r->model->topic_count, sizeof *r->model->topics, &(report_at){.record = r});
    for (size_t a = 0; a < r->app_count; a++)
        for (uint32_t k = 0; k < r->model->topic_count; k++) {
            char share[TACHO_NUMBER_SIZE];
            tacho_csv_put(out, r->apps[a].name, strlen(r->apps[a].name));
            tacho_str_printf(out, ",%s,,%s,,,,,,\n", r->model->topics[k].name,
                             tacho_format_number(share, r->apps[a].shares[k], 6));
        }
}
