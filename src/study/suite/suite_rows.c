/* suite_rows.c - suites in memory: one or several CSV files as one list of blocks with the columns of all. */
#include "study/suite/suite_rows.h"

#include "base/csv.h"
#include "base/mem.h"
#include "tacho/code.h"

/* ---- columns ---- */

static const char *canonical(const char *name)
{
    return tacho_str_same(name, "apps") ? "app" : tacho_str_same(name, "hex") ? "hex" : name;
}

int tacho_suite_column(const tacho_suite *s, const char *name)
{
    for (size_t c = 0; c < s->column_count; c++)
        if (tacho_str_same(s->names[c], canonical(name)))
            return (int)c;
    return TACHO_TABLE_NONE;
}

/* Adds a column to the suite; files that were read before do not have it. */
static int add_column(tacho_suite *s, const char *name, tacho_error *err)
{
    if (tacho_mem_grow(&s->names, &s->column_capacity, s->column_count + 1, sizeof *s->names))
        return tacho_no_memory(err);
    for (size_t f = 0; f < s->file_count; f++) {
        tacho_suite_file *file = &s->files[f];
        if (tacho_mem_grow(&file->columns, &file->capacity, s->column_count + 1, sizeof *file->columns))
            return tacho_no_memory(err);
        file->columns[s->column_count] = TACHO_TABLE_NONE;
    }
    s->names[s->column_count++] = name;
    return 0;
}

/* Says which of the suite's columns those of the last file are. */
static int map_columns(tacho_suite *s, tacho_error *err)
{
    tacho_suite_file *file = &s->files[s->file_count - 1];
    const tacho_table *t = &file->table;
    if (tacho_mem_grow(&file->columns, &file->capacity, s->column_count + 1, sizeof *file->columns))
        return tacho_no_memory(err);
    for (size_t c = 0; c < s->column_count; c++)
        file->columns[c] = TACHO_TABLE_NONE;
    if (!s->column_count && add_column(s, "hex", err)) /* first, wherever it stands in the files */
        return TACHO_ERR_MEMORY;
    for (size_t c = 0; c < t->column_count; c++) {
        const char *name = canonical(tacho_table_column_name(t, c));
        int column = tacho_suite_column(s, name);
        if (!*name)
            continue;
        if (column < 0) {
            column = (int)s->column_count;
            if (add_column(s, name, err))
                return TACHO_ERR_MEMORY;
        } else if (file->columns[column] != TACHO_TABLE_NONE) {
            return tacho_error_set(err, TACHO_ERR_INPUT, "%s: two columns are called '%s'%s", t->name, name,
                                   strcmp(name, "app") ? "" : " (or 'apps')");
        }
        file->columns[column] = (int)c;
    }
    s->app = tacho_suite_column(s, "app");
    s->address = tacho_suite_column(s, "address");
    s->count = tacho_suite_column(s, "count");
    return 0;
}

/* ---- reading ---- */

/* A column without a name, such as the second one of a file that does not name its columns, is empty. */
static int check_columns(const tacho_table *t, tacho_error *err)
{
    for (size_t c = 0; c < t->column_count; c++)
        for (size_t row = 0; row < t->row_count && !*tacho_table_column_name(t, c); row++)
            if (*tacho_table_cell(t, row, (int)c))
                return tacho_error_set(
                    err, TACHO_ERR_INPUT,
                    "%s: line %zu: field %zu belongs to no column; the first line of a suite names its "
                    "columns: hex,app,address,count",
                    t->name, t->lines[row], c + 1);
    return 0;
}

static void say_bad(const tacho_suite *s, const tacho_table *t, size_t row, const char *why)
{
    char message[TACHO_ERROR_MESSAGE_SIZE + 300];
    if (!s->bad_row)
        return;
    tacho_format_fit(message, sizeof message, "%s: line %zu: %s; the row is left out", t->name, t->lines[row],
                     why);
    s->bad_row(s, message);
}

static int add_rows(tacho_suite *s, tacho_suite_file *file, tacho_error *err)
{
    const tacho_table *t = &file->table;
    size_t bytes = 0, used = 0;
    int column = tacho_table_column(t, "hex");
    for (size_t row = 0; row < t->row_count; row++)
        bytes += strlen(tacho_table_cell(t, row, column)) / 2;
    file->code = tacho_mem_alloc(bytes + 1);
    if (!file->code ||
        tacho_mem_grow(&s->rows, &s->row_capacity, s->row_count + t->row_count, sizeof *s->rows))
        return tacho_no_memory(err);
    for (size_t row = 0; row < t->row_count; row++) {
        const char *hex = tacho_table_cell(t, row, column);
        uint8_t *code = file->code + used;
        long size = tacho_hex_decode(code, hex, strlen(hex), err);
        bool bad = size <= 0 || size > UINT32_MAX;
        if (bad && !s->keep_bad) {
            s->bad_rows++;
            say_bad(s, t, row,
                    size < 0   ? err->message
                    : size > 0 ? "the block is too long"
                               : "the block is empty");
            continue;
        }
        size = bad ? 0 : size;
        s->rows[s->row_count++] = (tacho_suite_row){code, (uint32_t)size, (uint32_t)(file - s->files), row};
        used += (size_t)size;
    }
    return 0;
}

int tacho_suite_read(tacho_suite *s, const char *path, tacho_error *err)
{
    if (tacho_mem_grow(&s->files, &s->file_capacity, s->file_count + 1, sizeof *s->files))
        return tacho_no_memory(err);
    tacho_suite_file *file = &s->files[s->file_count];
    *file = (tacho_suite_file){0};
    /* The column without a name catches what a file without names has in a second one. */
    int rc = tacho_table_read(&file->table, path, "hex,", err);
    if (rc)
        return rc;
    s->file_count++;
    if ((rc = check_columns(&file->table, err)) || (rc = map_columns(s, err)))
        return rc;
    return add_rows(s, file, err);
}

void tacho_suite_free(tacho_suite *s)
{
    for (size_t f = 0; f < s->file_count; f++) {
        tacho_table_free(&s->files[f].table);
        tacho_mem_free(s->files[f].code);
        tacho_mem_free(s->files[f].columns);
    }
    TACHO_MEM_FREE(s->files, s->names, s->rows);
    *s = (tacho_suite){0};
}

/* ---- fields ---- */

const char *tacho_suite_cell(const tacho_suite *s, const tacho_suite_row *row, int column)
{
    const tacho_suite_file *file = &s->files[row->file];
    return column < 0 ? "" : tacho_table_cell(&file->table, row->row, file->columns[column]);
}

/* The next item of a list with ";". */
static bool next_item(const char **rest, const char **item, size_t *length)
{
    if (!**rest)
        return false;
    *item = *rest;
    *length = strcspn(*rest, ";");
    *rest += *length + ((*rest)[*length] == ';');
    tacho_str_trim(item, length);
    return true;
}

bool tacho_suite_has_value(const tacho_suite *s, const tacho_suite_row *row, int column, const char *value)
{
    const char *field = tacho_suite_cell(s, row, column), *item;
    size_t n, length = strlen(value);
    if (!strcmp(field, value))
        return true;
    while (*value && (column == s->app ? tacho_suite_next_app : next_item)(&field, &item, &n))
        if (n == length && !memcmp(item, value, n))
            return true;
    return false;
}

const char *tacho_suite_place(const tacho_suite *s, const tacho_suite_row *row, char *out, size_t size)
{
    const tacho_table *t = &s->files[row->file].table;
    tacho_format_fit(out, size, "%s: line %zu", t->name, t->lines[row->row]);
    return out;
}

int tacho_suite_read_count(const tacho_suite *s, const tacho_suite_row *row, unsigned long long *out,
                           tacho_error *err)
{
    char place[300];
    const char *text = tacho_suite_cell(s, row, s->count);
    if (!*text)
        return 0;
    if (tacho_parse_u64(text, out))
        return 1;
    return tacho_error_set(err, TACHO_ERR_INPUT, "%s: the count is a whole number, not '%s'",
                           tacho_suite_place(s, row, place, sizeof place), text);
}

/* ---- writing ---- */

void tacho_suite_put_other_names(tacho_str *out, const tacho_suite *s)
{
    for (size_t c = 1; c < s->column_count; c++) {
        tacho_str_putc(out, ',');
        tacho_csv_put(out, s->names[c], strlen(s->names[c]));
    }
}

void tacho_suite_put_names(tacho_str *out, const tacho_suite *s)
{
    tacho_str_puts(out, "hex");
    tacho_suite_put_other_names(out, s);
    tacho_str_putc(out, '\n');
}

static bool is_listed(const char *list, const char *name, size_t length)
{
    const char *other;
    size_t n;
    while (list && tacho_suite_next_app(&list, &other, &n))
        if (n == length && !memcmp(other, name, n))
            return true;
    return false;
}

void tacho_suite_put_apps(tacho_str *out, const char *apps)
{
    TACHO_FREED tacho_str list = {0};
    const char *name;
    size_t length;
    while (tacho_suite_next_app(&apps, &name, &length)) {
        if (is_listed(list.data, name, length))
            continue;
        if (list.length)
            tacho_str_putc(&list, ';');
        tacho_str_append(&list, name, length);
    }
    if (list.length)
        tacho_csv_put(out, list.data, list.length);
    out->failed |= list.failed;
}

void tacho_suite_put_field(tacho_str *out, const tacho_suite *s, const tacho_suite_row *row, int column)
{
    const char *text = tacho_suite_cell(s, row, column);
    if (column == s->app)
        tacho_suite_put_apps(out, text);
    else
        tacho_csv_put(out, text, strlen(text));
}

void tacho_suite_put_other_fields(tacho_str *out, const tacho_suite *s, const tacho_suite_row *row)
{
    for (size_t c = 1; c < s->column_count; c++) {
        tacho_str_putc(out, ',');
        tacho_suite_put_field(out, s, row, (int)c);
    }
}

void tacho_suite_put_code(tacho_str *out, const tacho_suite *s, const tacho_suite_row *row)
{
    const char *text = tacho_suite_cell(s, row, 0);
    if (row->code_size)
        tacho_str_hex(out, row->code, row->code_size);
    else
        tacho_csv_put(out, text, strlen(text));
}

void tacho_suite_put_row(tacho_str *out, const tacho_suite *s, const tacho_suite_row *row)
{
    tacho_suite_put_code(out, s, row);
    tacho_suite_put_other_fields(out, s, row);
    tacho_str_putc(out, '\n');
}

/* ---- lists of applications ---- */

/* Whether the character at `at` ends a name that starts at `start`. A "+" that stands beside another, or at
 * an end, belongs to the name. */
static bool separates(const char *start, const char *at)
{
    if (*at == ';')
        return true;
    return *at == '+' && at > start && at[-1] != '+' && at[1] != '+' && at[1] && at[1] != ';';
}

bool tacho_suite_next_app(const char **rest, const char **name, size_t *length)
{
    while (**rest) {
        const char *start = *rest, *end = start;
        while (*end && !separates(start, end))
            end++;
        *rest = *end ? end + 1 : end;
        *name = start;
        *length = (size_t)(end - start);
        tacho_str_trim(name, length);
        if (*length)
            return true;
    }
    return false;
}
