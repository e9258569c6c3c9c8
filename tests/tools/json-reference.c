/* json-reference.c - json-reference [--update] doc/JSON.md: the lists of fields there are what the program's
 * descriptions say. What stands between "<!-- fields of NAME -->", or "<!-- columns of NAME -->", and "<!--
 * end -->" is written from them; without --update the file must have it already. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/cli/tables/cmd_arch.h"
#include "app/report/study/report_study.h"
#include "app/report/report.h"
#include "app/report/tables/report_insn.h"
#include "app/report/compare/report_compare.h"
#include "app/report/predict/report_deps.h"
#include "app/report/report_hot_diff.h"
#include "app/report/learn/report_learn.h"
#include "app/report/measure/report_measure.h"
#include "base/file.h"
#include "base/mem.h"

static const report_table *const tables[] = {
    &report_subject_table,
    &report_instruction_table,
    &report_alignment_table,
    &report_loop_table,
    &report_deps_table,
    &report_hot_table,
    &report_hot_place_table,
    &report_hot_diff_table_of,
    &report_hot_change_table,
    &report_hot_cause_table,
    &report_hot_memory_table,
    &arch_table,
    &arch_check_table,
    &arch_diff_table,
    &insn_table,
    &insn_cost_table,
    &report_categories_table,
    &report_doctor_table,
    &report_memory_table,
    &report_footprint_table,
    &report_data_table,
    &report_measured_table,
    &report_characterised_table,
    &report_compare_table,
    &report_side_table,
    &report_bias_table,
    &report_factor_table,
    &report_learn_table,
    &report_kernels_fields,
    &report_variant_table,
    &report_deps_run_table,
    &report_eval_table,
    &report_score_options_table,
    &report_predictor_table,
    &report_score_table,
};

static const struct {
    const char *name, *columns;
} files[] = {
    {"tacho-predict-1", report_prediction_columns},
    {"alignment", report_alignment_columns},
    {"loop", report_loop_columns},
    {"tacho-deps-1", report_deps_columns},
    {"tacho-hot-1", report_hot_columns},
    {"tacho-insn-1", insn_columns},
    {"tacho-categories-1", report_categories_columns},
    {"tacho-measure-1", report_measure_columns},
    {"tacho-characterisation-1", report_characterised_columns},
    {"tacho-compare-1", report_compare_columns},
    {"tacho-bias-1", report_bias_columns},
    {"points", report_points_columns},
    {"variant", report_kernels_columns},
    {"tacho-deps-run-1", report_deps_run_columns},
    {"tacho-eval-1", report_eval_columns},
};

enum {
    TABLES = sizeof tables / sizeof *tables,
    FILES = sizeof files / sizeof *files,
    COLUMNS_OF_TEXT = 100
};

/* ---- a table ---- */

/* The names that wait for a meaning, and their types. */
typedef struct row {
    tacho_str names, types;
} row;

static const char *type_name(const report_field *f)
{
    static const char *const names[REPORT_KIND] = {
        [REPORT_NULL] = "text",     [REPORT_REAL] = "number",         [REPORT_WHOLE] = "integer",
        [REPORT_BOOL] = "boolean",  [REPORT_TEXT] = "text",           [REPORT_HEX] = "text",
        [REPORT_LIST] = "list",     [REPORT_OBJECT] = "object",       [REPORT_INTERVAL] = "[low, high]",
        [REPORT_RECORD] = "object", [REPORT_RECORDS] = "list",        [REPORT_TEXTS] = "list",
        [REPORT_U8] = "integer",    [REPORT_U16] = "integer",         [REPORT_U32] = "integer",
        [REPORT_U64] = "integer",   [REPORT_I8] = "integer",          [REPORT_I16] = "integer",
        [REPORT_I32] = "integer",   [REPORT_I64] = "integer",         [REPORT_STRING] = "text",
        [REPORT_CHARS] = "text",    [REPORT_ANY] = "integer or text",
    };
    return names[f->kind & REPORT_KIND];
}

static bool may_be_null(const report_field *f)
{
    return f->kind & REPORT_OR_NULL || f->kind == REPORT_REAL || f->kind == REPORT_INTERVAL || f->none ||
           f->known;
}

static void add_type(tacho_str *types, const report_field *f)
{
    char type[100];
    snprintf(type, sizeof type, "%s%s%s%s", type_name(f), f->unit ? ", " : "", f->unit ? f->unit : "",
             may_be_null(f) ? " or null" : "");
    size_t n = strlen(type);
    for (const char *at = types->length ? types->data : ""; *at; at += strspn(at, "; ")) {
        size_t length = strcspn(at, ";");
        if (length == n && !strncmp(at, type, n))
            return;
        at += length;
    }
    tacho_str_printf(types, "%s%s", types->length ? "; " : "", type);
}

static void end_row(tacho_str *out, row *r, size_t depth, const char *meaning)
{
    tacho_str item = {0};
    tacho_str_printf(&item, "%s (%s): %s", r->names.data, r->types.data, meaning);
    tacho_str_printf(out, "%*s- ", (int)(2 * depth), "");
    report_wrapped(out, item.data, 2 * depth + 2);
    out->failed |= item.failed;
    tacho_str_free(&item);
    tacho_str_clear(&r->names);
    tacho_str_clear(&r->types);
}

static bool is_listed(const report_table *t)
{
    for (size_t i = 0; i < TABLES; i++)
        if (tables[i] == t)
            return true;
    return false;
}

static void put_fields(tacho_str *out, const report_table *t, size_t depth, row *r)
{
    for (const report_field *f = t->fields; f < t->fields + t->count; f++) {
        if (f->csv)
            continue;
        if (f->kind == REPORT_PART && f->table->name && !is_listed(f->table)) {
            fprintf(stderr, "%s: not among the tables\n", f->table->name);
            exit(1);
        }
        if (f->kind == REPORT_PART && f->table->name)
            tacho_str_printf(out, "%*s- those of `%s`, below\n", (int)(2 * depth), "", f->table->name);
        else if (f->kind == REPORT_PART)
            put_fields(out, f->table, depth, r);
        if (f->kind == REPORT_PART)
            continue;
        tacho_str_printf(&r->names, "%s`%s`", r->names.length ? ", " : "", f->name);
        add_type(&r->types, f);
        if (f->meaning)
            end_row(out, r, depth, f->meaning);
        if (f->meaning && f->table && !f->table->name)
            put_fields(out, f->table, depth + 1, r);
    }
}

static void put_table(tacho_str *out, const report_table *t)
{
    row r = {{0}, {0}};
    put_fields(out, t, 0, &r);
    if (r.names.length) {
        fprintf(stderr, "%s: the last field has no meaning\n", t->name);
        exit(1);
    }
    tacho_str_free(&r.names);
    tacho_str_free(&r.types);
}

static void put_columns(tacho_str *out, const char *columns)
{
    size_t at = 0;
    tacho_str_puts(out, "```\n");
    for (const char *name = columns; *name;) {
        size_t n = strcspn(name, ",");
        n += name[n] == ',';
        if (at + n > COLUMNS_OF_TEXT) {
            tacho_str_putc(out, '\n');
            at = 0;
        }
        tacho_str_append(out, name, n);
        at += n;
        name += n;
    }
    tacho_str_puts(out, "\n```\n");
}

/* ---- the file ---- */

static bool used_tables[TABLES], used_files[FILES];

static bool put_named(tacho_str *out, bool columns, const char *name, size_t length)
{
    for (size_t i = 0; i < (columns ? FILES : TABLES); i++) {
        const char *known = columns ? files[i].name : tables[i]->name;
        if (strlen(known) != length || strncmp(known, name, length) != 0)
            continue;
        columns ? put_columns(out, files[i].columns) : put_table(out, tables[i]);
        (columns ? used_files : used_tables)[i] = true;
        return true;
    }
    fprintf(stderr, "there is no description of %.*s\n", (int)length, name);
    return false;
}

/* The text with all that is written from the descriptions. */
static bool write_again(tacho_str *out, const char *text)
{
    static const char marks[2][24] = {"<!-- fields of ", "<!-- columns of "}, end[] = "<!-- end -->";
    for (const char *at = text;;) {
        const char *fields = strstr(at, marks[0]), *columns = strstr(at, marks[1]);
        bool second = columns && (!fields || columns < fields);
        const char *mark = second ? columns : fields;
        if (!mark) {
            tacho_str_puts(out, at);
            return true;
        }
        const char *name = mark + strlen(marks[second]), *line = strchr(name, '\n'),
                   *stop = strstr(name, end);
        if (!line || !stop) {
            fprintf(stderr, "no %s behind %.30s\n", end, mark);
            return false;
        }
        tacho_str_append(out, at, (size_t)(line + 1 - at));
        if (!put_named(out, second, name, strcspn(name, " ")))
            return false;
        at = stop;
    }
}

static bool all_used(void)
{
    bool all = true;
    for (size_t i = 0; i < TABLES + FILES; i++) {
        bool used = i < TABLES ? used_tables[i] : used_files[i - TABLES];
        if (!used)
            fprintf(stderr, "%s of %s are not there\n", i < TABLES ? "fields" : "columns",
                    i < TABLES ? tables[i]->name : files[i - TABLES].name);
        all &= used;
    }
    return all;
}

int main(int argc, char **argv)
{
    bool update = argc == 3 && !strcmp(argv[1], "--update");
    if (argc != 2 && !update)
        return 2;
    const char *path = argv[argc - 1];
    char *text;
    size_t size;
    if (tacho_file_read(path, 1 << 22, &text, &size)) {
        perror(path);
        return 1;
    }
    tacho_str out = {0};
    bool good = write_again(&out, text) && all_used() && !out.failed;
    bool same = good && !strcmp(out.data, text);
    if (good && !same && update) {
        FILE *f = fopen(path, "w");
        good = f && fwrite(out.data, 1, out.length, f) == out.length;
        good = f && !fclose(f) && good;
    } else if (good && !same) {
        fprintf(stderr,
                "%s is not what the descriptions say: json-reference --update %s, and read the difference\n",
                path, path);
        good = false;
    }
    tacho_str_free(&out);
    tacho_mem_free(text);
    return good ? 0 : 1;
}
