/* cmd_suite_perplexity.c - tacho suite perplexity: how well categories fit blocks that they were not made
 * from (BHive paper, section V.C). */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/cli/cmd_suite_corpus.h"
#include "app/cli/output.h"
#include "app/report/eval_tables.h"
#include "app/report/grid.h"
#include "app/report/report.h"
#include "base/csv.h"
#include "base/mem.h"

enum {
    MAX_MODELS = 64
};

typedef struct file_names {
    const char *list[MAX_MODELS];
    size_t count;
} file_names;

typedef struct request {
    learn_request learn;
    file_names models, train;
    bool learns; /* an option of learning was given */
    const char *hold_out, *weight;
    int format;
    cli_words files;
} request;
#define CLI_REQUEST request

static bool take_name(void *target, const char *option, const char *value)
{
    file_names *names = target;
    if (names->count == MAX_MODELS) {
        cli_error("at most %d files of a kind", MAX_MODELS);
        return false;
    }
    names->list[names->count++] = value;
    return true;
}

static const cli_option options[] = {
    SUITE_FILES_ROW,
    {CLI_CALL, "train", 0, "FILE",
     "learn from FILE, and from FILE and the suites together;\nmay be given again", CLI_AT(train),
     .take = take_name},
    {CLI_STRING, "hold-out", 0, "APPS",
     "the blocks of these applications (a,b) are judged: learn\nfrom the others, and from all",
     CLI_AT(hold_out)},
    {CLI_CALL, "model", 0, "FILE", "a model of tacho suite cluster; may be given again", CLI_AT(models),
     .take = take_name},
    {CLI_STRING, "weight", 0, "COLUMN", "blocks count so many times; default: once", CLI_AT(weight)},
    {CLI_GROUP, .rows = learn_rows, CLI_TO(learn), CLI_SETS(learns)},
    CLI_FORMAT_ROWS("text|json|csv", "text (default), json or csv"),
    {CLI_WHOLE, "jobs", 'j', "N", "threads (default: all processors); they change no result",
     CLI_AT(learn.options.threads), .low = 1, .high = 256},
    {.kind = CLI_END},
};

static const char more[] =
    "Perplexity says how well a model of categories fits blocks: the lower the better. If the blocks of\n"
    "new suites are about as perplexing to categories learned without them as to those learned with them,\n"
    "then the categories generalise, and the suites have nothing new in this respect. With --hold-out, a\n"
    "block that also belongs to other applications is judged, and not learned from.\n\n"
    "Examples:\n"
    "  tacho suite perplexity --hold-out sqlite,redis blocks.csv\n"
    "  tacho suite perplexity --train bhive.csv ours.csv\n"
    "  tacho suite perplexity --model model.json ours.csv\n";

/* A model and what it makes of the blocks. */
typedef struct outcome {
    char *name;
    const tacho_cluster_model *model;
    tacho_cluster_fit fit;
    size_t blocks,
        without_words; /* of those to be judged: with words on its microarchitecture, and without */
} outcome;

typedef struct outcomes {
    outcome list[MAX_MODELS + 2];
    tacho_cluster_model *models[MAX_MODELS + 2];
    size_t count;
    size_t undecodable; /* of those to be judged */
} outcomes;

static int check(const request *r)
{
    int kinds = (r->models.count > 0) + (r->train.count > 0) + (r->hold_out != NULL);
    if (kinds != 1)
        return cli_usage_error(
            "one of --train FILE, --hold-out APPS and --model FILE says what to compare with");
    if (r->models.count && r->learns)
        return cli_usage_error("options of learning do not go with --model: a model has learned");
    return -1;
}

/* ---- judging ---- */

static bool failed(const tacho_error *err)
{
    cli_error("%s", err->message);
    return false;
}

/* Takes over the model, and the name. @return false with a message */
static bool judge(outcomes *o, const request *r, char *name, tacho_cluster_model *model,
                  const suite_corpus *judged)
{
    tacho_error err;
    outcome *out = &o->list[o->count];
    o->models[o->count++] = model;
    *out = (outcome){.name = name, .model = model};
    if (!name) {
        cli_error("out of memory");
        return false;
    }
    if (tacho_cluster_evaluate(model, judged->corpus, r->learn.options.threads, &out->fit, &err))
        return failed(&err);
    o->undecodable = judged->undecodable;
    out->without_words = judged->without_words;
    out->blocks = judged->suite->row_count - out->without_words - o->undecodable;
    return true;
}

static bool judge_file(outcomes *o, const request *r, const char *path, const suite *s)
{
    suite_corpus c = {0};
    tacho_corpus *corpus;
    tacho_error err;
    tacho_cluster_model *model = corpus_read_model(path);
    if (!model)
        return false;
    if (tacho_corpus_new_like(&corpus, model, &err)) {
        tacho_cluster_model_free(model);
        return failed(&err);
    }
    if (!corpus_fill(&c, s, corpus, r->weight)) {
        tacho_cluster_model_free(model);
        corpus_free(&c);
        return false;
    }
    bool ok = judge(o, r, tacho_mem_strndup(path, strlen(path)), model, &c);
    corpus_free(&c);
    return ok;
}

/* Learns from some rows; `name` is that of the model. @return NULL with a message */
static tacho_cluster_model *learn(const request *r, const char *name, const suite *s, const tacho_arch *arch)
{
    suite_corpus c = {0};
    tacho_corpus *corpus;
    tacho_cluster_model *model = NULL;
    tacho_error err;
    if (tacho_corpus_new(&corpus, arch, &err)) {
        failed(&err);
        return NULL;
    }
    if (corpus_fill(&c, s, corpus, r->weight) &&
        tacho_cluster_train(&model, c.corpus, &r->learn.options, &err))
        cli_error("categories learned %s: %s", name, err.message);
    corpus_free(&c);
    return model;
}

static bool learn_and_judge(outcomes *o, const request *r, const char *name, const suite *from,
                            const suite_corpus *judged, const tacho_arch *arch)
{
    tacho_cluster_model *model = learn(r, name, from, arch);
    return model && judge(o, r, tacho_mem_strndup(name, strlen(name)), model, judged);
}

/* Learns from `without` and from `with`, and judges `judged`. */
static bool compare(outcomes *o, const request *r, const suite *without, const suite *with,
                    const suite *judged)
{
    suite_corpus c = {0};
    tacho_corpus *corpus;
    tacho_error err;
    const tacho_arch *arch = learn_arch(&r->learn);
    if (!arch)
        return false;
    if (tacho_corpus_new(&corpus, arch, &err))
        return failed(&err);
    bool ok = corpus_fill(&c, judged, corpus, r->weight) &&
              learn_and_judge(o, r, "without them", without, &c, arch) &&
              learn_and_judge(o, r, "with them", with, &c, arch);
    corpus_free(&c);
    return ok;
}

/* ---- suites ---- */

/* Some rows of a suite, as a suite that borrows all else. */
static bool select_rows(suite *out, const suite *s, const bool *chosen, bool wanted)
{
    *out = *s;
    out->rows = tacho_mem_alloc((s->row_count + 1) * sizeof *out->rows);
    out->row_count = 0;
    if (!out->rows) {
        cli_error("out of memory");
        return false;
    }
    for (size_t i = 0; i < s->row_count; i++)
        if (chosen[i] == wanted)
            out->rows[out->row_count++] = s->rows[i];
    return true;
}

static bool is_listed(const char *list, const char *name, size_t length)
{
    for (const char *at = list; *at;) {
        size_t n = strcspn(at, ",;");
        if (n == length && !memcmp(at, name, n))
            return true;
        at += n + (at[n] != '\0');
    }
    return false;
}

static bool belongs_to(const suite *s, const suite_row *row, const char *list)
{
    const char *apps = suite_cell(s, row, s->app), *name;
    size_t length;
    while (tacho_suite_next_app(&apps, &name, &length))
        if (is_listed(list, name, length))
            return true;
    return false;
}

/* Each of the names is an application of some row. @return false with a message */
static bool check_apps(const suite *s, const char *list)
{
    if (s->app < 0) {
        cli_error("%s: --hold-out needs a column 'app'", s->files[0].table.name);
        return false;
    }
    for (const char *at = list; *at;) {
        size_t n = strcspn(at, ",;"), i = 0;
        char name[200];
        snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name - 1), at);
        while (i < s->row_count && !belongs_to(s, &s->rows[i], name))
            i++;
        if (i == s->row_count) {
            cli_error("%s: no block is of the application '%s'", s->files[0].table.name, name);
            return false;
        }
        at += n + (at[n] != '\0');
    }
    return true;
}

/* Judges the chosen rows by what is learned from the others, and from all. */
static bool compare_chosen(outcomes *o, const request *r, const suite *s, const bool *chosen)
{
    suite judged = {0}, others = {0};
    bool ok = select_rows(&judged, s, chosen, true) && select_rows(&others, s, chosen, false) &&
              compare(o, r, &others, s, &judged);
    tacho_mem_free(judged.rows);
    tacho_mem_free(others.rows);
    return ok;
}

static bool *choose_none(const suite *s)
{
    bool *chosen = tacho_mem_zalloc(s->row_count + 1, sizeof *chosen);
    if (!chosen)
        cli_error("out of memory");
    return chosen;
}

static bool hold_out(outcomes *o, const request *r, const suite *s)
{
    bool *chosen = check_apps(s, r->hold_out) ? choose_none(s) : NULL;
    for (size_t i = 0; chosen && i < s->row_count; i++)
        chosen[i] = belongs_to(s, &s->rows[i], r->hold_out);
    bool ok = chosen && compare_chosen(o, r, s, chosen);
    tacho_mem_free(chosen);
    return ok;
}

/* The suites in r->train are read after those that are judged, as one with them. */
static bool train_on(outcomes *o, const request *r, suite *s)
{
    size_t first = s->row_count;
    for (size_t i = 0; i < r->train.count; i++)
        if (!suite_read(s, r->train.list[i]))
            return false;
    bool *chosen = choose_none(s);
    for (size_t i = 0; chosen && i < first; i++)
        chosen[i] = true;
    bool ok = chosen && compare_chosen(o, r, s, chosen);
    tacho_mem_free(chosen);
    return ok;
}

static bool run_request(outcomes *o, const request *r, suite *s)
{
    if (!suite_read_all(s, &r->files))
        return false;
    if (r->hold_out)
        return hold_out(o, r, s);
    if (r->train.count)
        return train_on(o, r, s);
    for (size_t i = 0; i < r->models.count; i++)
        if (!judge_file(o, r, r->models.list[i], s))
            return false;
    return true;
}

/* ---- what is shown ---- */

static void put_text(tacho_str *out, const outcomes *o)
{
    char number[TACHO_NUMBER_SIZE];
    report_grid g;
    tacho_str_printf(out, "perplexity of %s block%s", report_count(number, o->list[0].blocks),
                     tacho_plural(o->list[0].blocks));
    tacho_str_printf(out, " (%s µops)\n\n", tacho_format_number(number, o->list[0].fit.uops, 0));
    report_grid_start(&g, 5, 0);
    report_grid_cell(&g, "categories learned");
    report_grid_cell(&g, "from blocks");
    report_grid_cell(&g, "arch");
    report_grid_cell(&g, "perplexity");
    report_grid_cell(&g, "without the topics' part");
    for (size_t i = 0; i < o->count; i++) {
        const outcome *k = &o->list[i];
        report_grid_cell(&g, k->name);
        report_grid_cell(&g, report_count(number, k->model->blocks));
        report_grid_cell(&g, k->model->arch->name);
        report_grid_cellf(&g, "%.4f", k->fit.perplexity);
        report_grid_cellf(&g, "%.4f", k->fit.perplexity_blocks);
    }
    report_grid_text(out, &g, cli_use_colour(0));
    report_grid_free(&g);
}

static void put_json(tacho_str *out, const outcomes *o)
{
    json_t *list = json_array();
    for (size_t i = 0; i < o->count; i++) {
        const outcome *k = &o->list[i];
        json_t *name = json_string(k->name);
        json_array_append_new(
            list,
            json_pack("{s:o, s:s, s:I, s:I, s:I, s:i, s:f, s:f, s:f}", "name", name ? name : json_null(),
                      "arch", k->model->arch->name, "model_blocks", (json_int_t)k->model->blocks, "blocks",
                      (json_int_t)k->blocks, "without_words", (json_int_t)k->without_words, "topics",
                      (int)k->model->topic_count, "uops", k->fit.uops, "perplexity", k->fit.perplexity,
                      "perplexity_blocks", k->fit.perplexity_blocks));
    }
    report_put_json(out,
                    json_pack("{s:s, s:I, s:I, s:I, s:o}", "schema", "tacho-perplexity-1", "blocks",
                              (json_int_t)o->list[0].blocks, "without_words",
                              (json_int_t)o->list[0].without_words, "undecodable", (json_int_t)o->undecodable,
                              "models", list),
                    12);
}

static void put_csv(tacho_str *out, const outcomes *o)
{
    char number[TACHO_NUMBER_SIZE];
    tacho_str_puts(out, "name,arch,model_blocks,blocks,uops,perplexity,perplexity_blocks\n");
    for (size_t i = 0; i < o->count; i++) {
        const outcome *k = &o->list[i];
        tacho_csv_put(out, k->name, strlen(k->name));
        tacho_str_printf(out, ",%s,%llu,%zu", k->model->arch->name, (unsigned long long)k->model->blocks,
                         k->blocks);
        tacho_str_printf(out, ",%s", tacho_format_number(number, k->fit.uops, 3));
        tacho_str_printf(out, ",%s", tacho_format_number(number, k->fit.perplexity, 6));
        tacho_str_printf(out, ",%s\n", tacho_format_number(number, k->fit.perplexity_blocks, 6));
    }
}

static int show(const request *r, const outcomes *o, const suite *s)
{
    tacho_str text = {0};
    if (r->format == CLI_JSON)
        put_json(&text, o);
    else if (r->format == CLI_CSV)
        put_csv(&text, o);
    else
        put_text(&text, o);
    int status = cli_put_text(&text) ? suite_status(s) : CLI_INPUT;
    if (o->list[0].without_words)
        cli_note("not judged, as no µop needs a port: %zu of the blocks", o->list[0].without_words);
    for (size_t i = 1; i < o->count; i++)
        if (o->list[i].blocks != o->list[0].blocks)
            cli_note("%s: judges %zu block%s with a µop that needs a port on %s", o->list[i].name,
                     o->list[i].blocks, tacho_plural(o->list[i].blocks), o->list[i].model->arch->name);
    if (o->undecodable && status == CLI_OK) {
        cli_error("not judged, as they cannot be decoded: %zu of the blocks", o->undecodable);
        status = CLI_PARTIAL;
    }
    return status;
}

static int run_perplexity(int argc, char **argv)
{
    static request r;
    static outcomes o;
    suite s = {0};
    o = (outcomes){0};
    r = (request){.learn.options = TACHO_CLUSTER_OPTIONS_INIT};
    r.learn.options.threads = cli_processors();
    int status = cli_parse(&cli_suite_perplexity, &r, argc, argv);
    if (status < 0)
        status = check(&r);
    if (status >= 0)
        return status;
    status = run_request(&o, &r, &s) ? show(&r, &o, &s) : CLI_INPUT;
    for (size_t i = 0; i < o.count; i++) {
        tacho_cluster_model_free(o.models[i]);
        tacho_mem_free(o.list[i].name);
    }
    suite_free(&s);
    return status;
}

const cli_command cli_suite_perplexity = {
    "suite perplexity",
    run_perplexity,
    "how well categories fit blocks they were not learned from",
    "--train FILE | --hold-out APPS | --model FILE [options] [FILE ...]",
    options,
    more};
