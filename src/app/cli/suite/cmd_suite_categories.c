/* cmd_suite_categories.c - a suite with the categories of its blocks: as CSV, and as a table. */
#include "app/cli/suite/cmd_suite.h"

#include <string.h>

#include "app/report/study/categories.h"
#include "app/report/report.h"
#include "base/csv.h"
#include "base/mem.h"

#define CLI_REQUEST result_request
const cli_option result_rows[] = {
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
    suite_output to = {0};
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
    ok = ok && suite_output_end(&to);
    suite_output_close(&to);
    return ok;
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

int categories_write(const result_request *r, const tacho_cluster_model *m, const tacho_suite_corpus *c)
{
    tacho_error err;
    tacho_suite_apps apps = {0};
    int status = CLI_INPUT;
    uint8_t *categories = tacho_mem_zalloc(tacho_corpus_documents(c->corpus) + 1, 1);
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
    tacho_suite_apps_free(&apps);
    tacho_mem_free(categories);
    return status;
}
