/* cmd_suite_cluster.c - tacho suite cluster: categories of blocks. */
#include "app/cli/suite/cmd_suite.h"
#include "app/report/report.h"
#include "app/report/study/report_study.h"
#include "base/mem.h"

#define CLI_REQUEST result_request
static const cli_option result_rows[] = {
    SUITE_FILES_ROW,
    {CLI_STRING, "batch", 0, "FILE", "the same as FILE", CLI_AT(batch)},
    {CLI_STRING, "weight", 0, "COLUMN", "blocks count so many times (for instance: count);\ndefault: once",
     CLI_AT(weight)},
    {CLI_STRING, "output", 'o', "FILE",
     "where the suite goes, with the column category\n(default: standard output)", CLI_AT(output)},
    CLI_FORMAT_ROWS("text|json|csv", "of the table of categories, which is on standard output\nwith -o, else "
                                     "on standard error: text (default), json\nor csv"),
    {CLI_WHOLE, "jobs", 'j', "N", "threads (default: all processors); they change no result", CLI_AT(jobs),
     .low = 1, .high = 256},
    {.kind = CLI_END},
};

/* ---- the suite ---- */

/* Columns of the suite that are written anew. */
typedef struct new_columns {
    int category, note; /* TACHO_TABLE_NONE: they come last */
} new_columns;

static void put_note(tacho_str *out, const tacho_suite_corpus *c, const tacho_suite_corpus_row *row)
{
    if (row->document == TACHO_SUITE_UNDECODABLE) {
        const char *message = c->messages.data + row->message;
        tacho_csv_put(out, message, strlen(message));
    } else if (row->unknown_instructions) {
        tacho_str_printf(out, "%u of %u instructions without figures", row->unknown_instructions,
                         row->instructions);
    } else if (row->document == TACHO_SUITE_NO_WORDS) {
        tacho_str_puts(out, "no µop needs a port");
    }
}

static void put_field(tacho_str *out, const tacho_suite_corpus *c, size_t i, int column, const new_columns *n,
                      const char *category)
{
    if (column == n->category)
        tacho_str_puts(out, category);
    else if (column == n->note)
        put_note(out, c, &c->rows[i]);
    else
        tacho_suite_put_field(out, c->suite, &c->suite->rows[i], column);
}

static bool write_suite(const char *path, const tacho_cluster_model *m, const tacho_suite_corpus *c,
                        const uint8_t *categories)
{
    const tacho_suite *s = c->suite;
    const new_columns n = {tacho_suite_column(s, "category"), tacho_suite_column(s, "category_note")};
    TACHO_ENDS(suite_output_close) suite_output to = {0};
    bool ok = suite_output_open(&to, path);
    tacho_str_puts(&to.text, "hex");
    tacho_suite_put_other_names(&to.text, s);
    tacho_str_printf(&to.text, "%s%s\n", n.category < 0 ? ",category" : "",
                     n.note < 0 ? ",category_note" : "");
    for (size_t i = 0; ok && i < s->row_count; i++) {
        int64_t document = c->rows[i].document;
        const char *category = document < 0 ? "" : m->topics[categories[document]].name;
        tacho_str_hex(&to.text, s->rows[i].code, s->rows[i].code_size);
        for (int column = 1; column < (int)s->column_count; column++) {
            tacho_str_putc(&to.text, ',');
            put_field(&to.text, c, i, column, &n, category);
        }
        if (n.category < 0)
            tacho_str_printf(&to.text, ",%s", category);
        if (n.note < 0) {
            tacho_str_putc(&to.text, ',');
            put_note(&to.text, c, &c->rows[i]);
        }
        tacho_str_putc(&to.text, '\n');
        ok = suite_output_flush(&to);
    }
    return ok && suite_output_end(&to);
}

/* ---- the table ---- */

static bool put_table(const result_request *r, const report_categories *report)
{
    FILE *to = r->output && strcmp(r->output, "-") != 0 ? stdout : stderr;
    tacho_str text = {0};
    if (r->format == CLI_JSON) {
        report_put_json(&text, report_categories_json(report), 12);
    } else if (r->format == CLI_CSV) {
        report_categories_csv(&text, report);
    } else {
        report_categories_text(&text, report, to == stdout && cli_use_colour(0));
    }
    return cli_output_write(&(cli_output){.file = to}, &text);
}

static const char *suite_name(const tacho_suite *s)
{
    return s->file_count > 1 ? "several suites" : tacho_base_name(s->files[0].table.name);
}

static int status_of(const tacho_suite_corpus *c)
{
    size_t without = c->without_words + c->undecodable;
    int status = suite_status(c->suite);
    if (!without)
        return status;
    cli_error("%zu of %zu blocks have no category: no µop needs a port (%zu), or undecodable (%zu)", without,
              c->suite->row_count, c->without_words, c->undecodable);
    return CLI_PARTIAL;
}

static int write_all(const result_request *r, const report_categories *report, const tacho_suite_corpus *c,
                     const uint8_t *categories)
{
    bool ok = write_suite(r->output, report->model, c, categories) && put_table(r, report);
    return ok ? status_of(c) : CLI_INPUT;
}

/* Writes the suite with the categories of its rows, and the table. @return an exit status, with a message
 * where it is not CLI_OK */
static int categories_write(const result_request *r, const tacho_cluster_model *m,
                            const tacho_suite_corpus *c)
{
    tacho_error err;
    TACHO_ENDS(tacho_suite_apps_free) tacho_suite_apps apps = {0};
    int status = CLI_INPUT;
    TACHO_MEM_FREED uint8_t *categories = tacho_mem_zalloc(tacho_corpus_documents(c->corpus) + 1, 1);
    int rc =
        categories ? tacho_cluster_classify(m, c->corpus, r->jobs, categories, &err) : tacho_no_memory(&err);
    if (rc) {
        cli_error("%s", err.message);
    } else if (suite_good(tacho_suite_apps_make(&apps, c, categories, &err), &err)) {
        const report_categories report = {.suite = suite_name(c->suite),
                                          .model = m,
                                          .weight = r->weight,
                                          .rows = c->suite->row_count,
                                          .without_words = c->without_words,
                                          .undecodable = c->undecodable,
                                          .partly_known = c->partly_known,
                                          .app_weight = apps.weighted ? "count" : NULL,
                                          .apps = apps.list,
                                          .app_count = apps.count,
                                          .all = apps.all};
        status = write_all(r, &report, c, categories);
    }
    return status;
}

/* ---- the command ---- */

static bool take_arch(void *target, const char *option, const char *value)
{
    const tacho_arch *archs[CLI_MAX_ARCHS];
    bool fallback;
    if (cli_find_archs(value, archs, &fallback) == 1) {
        *(const tacho_arch **)target = archs[0];
        return true;
    }
    return cli_error("%s: categories are of one microarchitecture", option);
}

typedef struct request {
    const tacho_arch *arch; /* NULL: not given */
    tacho_cluster_options options;
    result_request result;
} request;
#undef CLI_REQUEST
#define CLI_REQUEST request

static const cli_option options[] = {
    {CLI_CALL, "arch", 'a', "ARCH",
     "microarchitecture whose ports are meant (default: HSW, as in the\npaper)", CLI_AT(arch),
     .take = take_arch},
    {CLI_WHOLE, "topics", 'k', "N", "categories (default: 6; 1 to 64)", CLI_AT(options.topics), .low = 1,
     .high = TACHO_CLUSTER_MAX_TOPICS},
    {CLI_REAL, "alpha", 0, "X", "prior of a block's categories (default: 1 / topics)", CLI_AT(options.alpha),
     .least = 1e-4, .most = 1000},
    {CLI_REAL, "beta", 0, "X", "prior of a category's µops (default: 1/13, that is 0.0769)",
     CLI_AT(options.beta), .least = 1e-4, .most = 1000},
    {CLI_WHOLE, "seed", 0, "S", "of the random beginnings (default: 1)", CLI_AT(options.seed),
     .high = UINT64_MAX},
    {CLI_WHOLE, "starts", 0, "N",
     "random beginnings, of which the better ones are followed\nfurther (default: 10)",
     CLI_AT(options.starts), .low = 1, .high = TACHO_CLUSTER_MAX_STARTS},
    {CLI_WHOLE, "passes", 0, "N", "over all blocks, at most (default: 200)", CLI_AT(options.passes), .low = 1,
     .high = 1000000},
    {CLI_REAL, "tolerance", 0, "X",
     "stop after a pass that lowers the perplexity by less than\nthis part (default: 1e-5; 0: never)",
     CLI_AT(options.tolerance), .most = 1},
    {CLI_GROUP, .rows = result_rows, CLI_TO(result)},
    {.kind = CLI_END},
};

/* What goes together. @return an exit status */
static int check(request *r)
{
    if (!r->result.jobs)
        r->result.jobs = cli_processors();
    r->options.threads = r->result.jobs;
    if (r->result.format && (!r->result.output || !strcmp(r->result.output, "-")))
        return cli_usage_error("--format: standard output has the suite; give it another place with -o FILE");
    if (r->result.batch && r->result.files.count)
        return cli_usage_error("--batch FILE is the same as FILE: give one of them");
    return CLI_OK;
}

/* Finds categories, and gives them to the suite's blocks. */
static int categorise(const request *r, const tacho_suite *s)
{
    TACHO_ENDS(tacho_suite_corpus_free) tacho_suite_corpus c = {0};
    tacho_cluster_model *model = NULL;
    tacho_corpus *corpus;
    tacho_error err;
    const tacho_arch *arch = r->arch ? r->arch : tacho_arch_find("HSW", &err);
    if (!arch || tacho_corpus_new(&corpus, arch, &err))
        return cli_input_error("%s", err.message);
    bool ok = suite_good(tacho_suite_corpus_fill(&c, s, corpus, r->result.weight, &err), &err);
    if (ok && tacho_cluster_train(&model, c.corpus, &r->options, &err))
        ok = cli_error("%s: %s", s->files[0].table.name, err.message);
    int status = ok ? categories_write(&r->result, model, &c) : CLI_INPUT;
    tacho_cluster_model_free(model);
    return status;
}

static int run_cluster(void *asked)
{
    request *r = asked;
    TACHO_ENDS(tacho_suite_free) tacho_suite s = {0};
    int status = check(r);
    if (status)
        return status;
    bool read = r->result.batch ? suite_load_one(&s, r->result.batch) : suite_load(&s, &r->result.files);
    return read ? categorise(r, &s) : CLI_INPUT;
}

CLI_DEFINE(cli_suite_cluster, "suite cluster", "categories of blocks by the ports of their µops",
           "[options] [FILE ...]", options, help_cluster, run_cluster, request,
           .options = TACHO_CLUSTER_OPTIONS_INIT);
