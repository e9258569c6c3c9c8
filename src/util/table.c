/* table.c - reading a whole CSV file. Fields are cut and unquoted where they lie. */
#include "util/table.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/csv.h"
#include "util/file.h"
#include "util/mem.h"
#include "util/str.h"

#define MAX_BYTES ((size_t)16 << 30)
enum {
    MAX_COLUMNS = 1000
};

typedef struct reader {
    tacho_table *t;
    size_t at, size, line;
    size_t cell_capacity, line_capacity;
    size_t unclosed; /* line of a record whose quotes do not end; 0: none */
} reader;

static int no_memory(const tacho_table *t, tacho_error *err)
{
    return tacho_error_set(err, TACHO_ERR_MEMORY, "%s: out of memory", t->name);
}

/* Whether the last record ends with the text: not within quotes. */
static bool ends(char *record, size_t length)
{
    size_t next;
    record[length] = '\n'; /* for the 0 byte after the text */
    bool good = tacho_csv_record(record, length + 1, &next) != (size_t)-1;
    record[length] = '\0';
    return good;
}

/* The next record that is not empty. @return false at the end, and where quotes do not end */
static bool next_record(reader *r, char **record, size_t *length, size_t *line)
{
    while (r->at < r->size) {
        size_t next, left = r->size - r->at;
        *record = r->t->data + r->at;
        *length = tacho_csv_record(*record, left, &next);
        *line = r->line + 1;
        if (*length == (size_t)-1) {
            *length = next = left;
            r->unclosed = ends(*record, left) ? 0 : *line;
            if (r->unclosed)
                return false;
        }
        for (const char *c = *record; (c = memchr(c, '\n', (size_t)(*record + next - c))); c++)
            r->line++;
        r->at += next;
        if (*length)
            return true;
    }
    return false;
}

/* Cuts the next field off; where it starts in the table's data. */
static size_t take_field(tacho_table *t, char **record, size_t *length)
{
    char *field, *rest;
    size_t n;
    tacho_csv_field(*record, *length, &field, &n, &rest);
    *length = rest ? (size_t)(*record + *length - rest) : 0;
    *record = rest;
    const char *trimmed = field;
    tacho_str_trim(&trimmed, &n);
    size_t start = (size_t)(trimmed - t->data);
    t->data[start + n] = '\0';
    return start;
}

static int read_names(reader *r, char *record, size_t length, tacho_error *err)
{
    tacho_table *t = r->t;
    size_t capacity = 0;
    while (record) {
        if (t->column_count == MAX_COLUMNS)
            return tacho_error_set(err, TACHO_ERR_LIMIT, "%s: more than %d columns", t->name, MAX_COLUMNS);
        if (tacho_mem_grow(&t->names, &capacity, t->column_count + 1, sizeof *t->names))
            return no_memory(t, err);
        t->names[t->column_count++] = take_field(t, &record, &length);
    }
    return 0;
}

static int add_row(reader *r, char *record, size_t length, size_t line, tacho_error *err)
{
    tacho_table *t = r->t;
    size_t first = t->row_count * t->column_count;
    if (tacho_mem_grow(&t->cells, &r->cell_capacity, first + t->column_count, sizeof *t->cells) ||
        tacho_mem_grow(&t->lines, &r->line_capacity, t->row_count + 1, sizeof *t->lines))
        return no_memory(t, err);
    for (size_t c = 0; c < t->column_count; c++)
        t->cells[first + c] = record ? take_field(t, &record, &length) : r->size;
    t->lines[t->row_count++] = line;
    return 0;
}

/* Whether one of the record's fields is the first of `names`. */
static bool is_header(const char *record, size_t length, const char *names)
{
    char first[64];
    snprintf(first, sizeof first, "%.*s", (int)strcspn(names, ","), names);
    return tacho_csv_column(record, length, first) >= 0;
}

/* Appends the names that were not in the file to the data, after its end. */
static int given_names(reader *r, const char *names, tacho_error *err)
{
    size_t n = strlen(names);
    char *data = tacho_mem_resize(r->t->data, r->size + n + 2);
    if (!data)
        return no_memory(r->t, err);
    r->t->data = data;
    memcpy(data + r->size + 1, names, n + 1);
    return read_names(r, data + r->size + 1, n, err);
}

static int check_quotes(const reader *r, tacho_error *err)
{
    return r->unclosed ? tacho_error_set(err, TACHO_ERR_INPUT, "%s: line %zu: a quoted field does not end",
                                         r->t->name, r->unclosed)
                       : 0;
}

/* Fields end at a byte that is 0: what came after one in the file would be lost. */
static int check_text(const reader *r, tacho_error *err)
{
    const char *start = r->t->data, *zero = memchr(start, '\0', r->size);
    size_t line = 1;
    if (!zero)
        return 0;
    for (const char *c = start; (c = memchr(c, '\n', (size_t)(zero - c))); c++)
        line++;
    return tacho_error_set(err, TACHO_ERR_INPUT, "%s: line %zu: a byte that is 0: this is no text",
                           r->t->name, line);
}

static int read_rows(reader *r, const char *without_header, tacho_error *err)
{
    char *record;
    size_t length, line;
    if (!next_record(r, &record, &length, &line))
        return r->unclosed ? check_quotes(r, err)
                           : tacho_error_set(err, TACHO_ERR_INPUT, "%s: there is nothing in it", r->t->name);
    bool header = !without_header || is_header(record, length, without_header);
    size_t start = (size_t)(record - r->t->data);
    int result = header ? read_names(r, record, length, err) : given_names(r, without_header, err);
    if (!result && !header)
        result = add_row(r, r->t->data + start, length, line, err);
    while (!result && next_record(r, &record, &length, &line))
        result = add_row(r, record, length, line, err);
    return result ? result : check_quotes(r, err);
}

int tacho_table_read(tacho_table *out, const char *path, const char *without_header, tacho_error *err)
{
    reader r = {.t = out};
    *out = (tacho_table){.name = strcmp(path, "-") ? path : "standard input"};
    if (tacho_file_read(path, MAX_BYTES, &out->data, &r.size)) {
        int code = errno == ENOMEM ? TACHO_ERR_MEMORY : errno == EFBIG ? TACHO_ERR_LIMIT : TACHO_ERR_INPUT;
        return tacho_error_set(err, code, "%s: cannot be read: %s", out->name, strerror(errno));
    }
    if (r.size >= 3 && !memcmp(out->data, "\xef\xbb\xbf", 3))
        r.at = 3;
    int result = check_text(&r, err);
    if (!result)
        result = read_rows(&r, without_header, err);
    if (result)
        tacho_table_free(out);
    return result;
}

void tacho_table_free(tacho_table *t)
{
    tacho_mem_free(t->data);
    tacho_mem_free(t->cells);
    tacho_mem_free(t->lines);
    tacho_mem_free(t->names);
    *t = (tacho_table){0};
}

const char *tacho_table_column_name(const tacho_table *t, size_t column)
{
    return t->data + t->names[column];
}

int tacho_table_column(const tacho_table *t, const char *name)
{
    for (size_t c = 0; c < t->column_count; c++)
        if (tacho_str_same(tacho_table_column_name(t, c), name))
            return (int)c;
    return TACHO_TABLE_NONE;
}

int tacho_table_number(const tacho_table *t, size_t row, int column, double *out)
{
    const char *text = tacho_table_cell(t, row, column);
    char *end;
    if (!*text)
        return 0;
    *out = strtod(text, &end);
    return *end || !isfinite(*out) ? -1 : 1;
}
