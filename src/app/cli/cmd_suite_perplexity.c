/* cmd_suite_perplexity.c - tacho suite perplexity: how well categories fit blocks that they were not made
 * from (BHive paper, section V.C). */
#include <stdio.h>

#include "app/cli/cmd_suite_corpus.h"
#include "app/cli/output.h"
#include "app/report/eval_tables.h"
#include "app/report/grid.h"
#include "app/report/report.h"
#include "base/mem.h"
#include "study/suite/suite_perplexity.h"

typedef struct file_names {
    const char *list[TACHO_SUITE_MAX_MODELS];
    size_t count;
} file_names;

typedef struct request {
    learn_request learn;
    file_names models, train;
    bool learns; /* an option of learning was given */
    const char *hold_out, *weight;
    int format;
    uint32_t jobs;
    cli_words files;
} request;
#define CLI_REQUEST request

static bool take_name(void *target, const char *option, const char *value)
{
    file_names *names = target;
    if (names->count == TACHO_SUITE_MAX_MODELS)
        return cli_error("at most %d files of a kind", TACHO_SUITE_MAX_MODELS);
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
    {CLI_WHOLE, "jobs", 'j', "N", "threads (default: all processors); they change no result", CLI_AT(jobs),
     .low = 1, .high = 256},
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

static bool judge_models(tacho_suite_perplexities *p, const tacho_suite_perplexity_options *o,
                         const request *r, const tacho_suite *s)
{
    tacho_error err;
    for (size_t i = 0; i < r->models.count; i++) {
        tacho_cluster_model *model = corpus_read_model(r->models.list[i]);
        if (!model || !suite_good(tacho_suite_judge(p, o, r->models.list[i], model, s, &err), &err))
            return false;
    }
    return true;
}

/* The suites to learn from are read after those that are judged, as one with them. */
static bool train_on(tacho_suite_perplexities *p, const tacho_suite_perplexity_options *o, const request *r,
                     tacho_suite *s)
{
    tacho_error err;
    size_t first = s->row_count;
    for (size_t i = 0; i < r->train.count; i++)
        if (!suite_load_one(s, r->train.list[i]))
            return false;
    bool *chosen = tacho_mem_zalloc(s->row_count + 1, sizeof *chosen);
    for (size_t i = 0; chosen && i < first; i++)
        chosen[i] = true;
    int rc = chosen ? tacho_suite_judge_rows(p, o, s, chosen, &err) : tacho_no_memory(&err);
    tacho_mem_free(chosen);
    return suite_good(rc, &err);
}

static bool run_request(tacho_suite_perplexities *p, const request *r, tacho_suite *s)
{
    tacho_error err;
    tacho_suite_perplexity_options o = {.learn = r->learn.options, .weight = r->weight};
    if (!suite_load(s, &r->files))
        return false;
    if (r->models.count)
        return judge_models(p, &o, r, s);
    if (!(o.arch = learn_arch(&r->learn)))
        return false;
    return r->hold_out ? suite_good(tacho_suite_judge_apps(p, &o, s, r->hold_out, &err), &err)
                       : train_on(p, &o, r, s);
}

/* ---- what is shown ---- */

static void put_text(tacho_str *out, const tacho_suite_perplexities *o)
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
        const tacho_suite_perplexity *k = &o->list[i];
        report_grid_cell(&g, k->name);
        report_grid_cell(&g, report_count(number, k->model->blocks));
        report_grid_cell(&g, k->model->arch->name);
        report_grid_cellf(&g, "%.4f", k->fit.perplexity);
        report_grid_cellf(&g, "%.4f", k->fit.perplexity_blocks);
    }
    report_grid_text(out, &g, cli_use_colour(0));
    report_grid_free(&g);
}

#define RECORD tacho_suite_perplexity
GETTER(arch, report_text_value(r->model->arch->name))
GETTER(model_blocks, report_whole(r->model->blocks))
GETTER(topics, report_whole(r->model->topic_count))
static const report_field models[] = {
    {MEMBER(name, NULL)},
    {MADE(TEXT, "arch", arch, NULL)},
    {MADE(WHOLE, "model_blocks", model_blocks,
          "the model, whose ports are meant, and how many blocks it learned from")},
    MEMBERS2(blocks, without_words, "judged and not judged, on that microarchitecture"),
    {MADE(WHOLE, "topics", topics, "categories")},
    {NAMED("uops", fit.uops, NULL, .cell = 3)},
    {NAMED("perplexity", fit.perplexity, NULL)},
    {NAMED("perplexity_blocks", fit.perplexity_blocks, "of the blocks; without the topics' own part")},
};
#undef RECORD

#define RECORD tacho_suite_perplexities
static const report_field fields[] = {
    {SCHEMA("tacho-perplexity-1")},
    {NAMED("blocks", list[0].blocks, NULL)},
    {NAMED("without_words", list[0].without_words, NULL)},
    {MEMBER(undecodable, "judged; not judged, by the first model: no µop needs a port; no valid code")},
    {RECORDS_IN("models", list, count, ROWS(models), "in order")},
};
#undef RECORD
TABLE(suite_perplexity_table, fields, "tacho-perplexity-1");
const char suite_perplexity_columns[] = "name,arch,model_blocks,blocks,uops,perplexity,perplexity_blocks";

static void put_csv(tacho_str *out, const tacho_suite_perplexities *o)
{
    report_record_csv(out, suite_perplexity_columns, ROWS(models), o->list, o->count, sizeof *o->list, NULL);
}

static int show(const request *r, const tacho_suite_perplexities *o, const tacho_suite *s)
{
    tacho_str text = {0};
    if (r->format == CLI_JSON)
        report_put_json(&text, report_record_json(&suite_perplexity_table, o, NULL), 12);
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

static int run_perplexity(void *asked)
{
    request *r = asked;
    static tacho_suite_perplexities o;
    tacho_suite s = {0};
    o = (tacho_suite_perplexities){0};
    int status = check(r);
    if (status >= 0)
        return status;
    r->learn.options.threads = r->jobs ? r->jobs : cli_processors();
    status = run_request(&o, r, &s) ? show(r, &o, &s) : CLI_INPUT;
    tacho_suite_perplexities_free(&o);
    tacho_suite_free(&s);
    return status;
}

CLI_DEFINE(cli_suite_perplexity, "suite perplexity",
           "how well categories fit blocks they were not learned from",
           "--train FILE | --hold-out APPS | --model FILE [options] [FILE ...]", options, more,
           run_perplexity, request, .learn.options = TACHO_CLUSTER_OPTIONS_INIT);
