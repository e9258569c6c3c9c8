/* table.c - reading a whole CSV file. Records are looked at as they come in, so that one that never ends
 * costs no memory; fields are cut and unquoted where they lie. */
#include "base/table.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/csv.h"
#include "base/mem.h"

#define MAX_BYTES ((size_t)16 << 30)
enum {
    MAX_COLUMNS = 1000,
    READ_BYTES = 64 << 10
};

typedef struct reader {
    tacho_table *t;
    tacho_error *err;
    tacho_input in;
    bool ended;
    size_t at, size, capacity; /* of the table's data: the next record, what is there */
    size_t empty;              /* a place in it that holds a 0 byte */
    size_t line;
    size_t cell_capacity, line_capacity;
} reader;

/* ---- records ---- */

static size_t count_lines(const char *start, const char *end)
{
    size_t lines = 0;
    for (const char *c = start; (c = memchr(c, '\n', (size_t)(end - c))); c++)
        lines++;
    return lines;
}

static int cannot_read(const reader *r)
{
    int number = r->in.problem ? 0 : errno;
    int code = number == ENOMEM ? TACHO_ERR_MEMORY : number == EFBIG ? TACHO_ERR_LIMIT : TACHO_ERR_INPUT;
    return tacho_error_set(r->err, code, "%s: cannot be read: %s", r->t->name, tacho_input_why(&r->in));
}

/* Fields end at a byte that is 0: what came after one in the file would be lost. */
static int check_text(const reader *r, size_t added)
{
    const char *data = r->t->data, *zero = memchr(data + r->size - added, '\0', added);
    if (!zero)
        return 0;
    return tacho_error_set(r->err, TACHO_ERR_INPUT, "%s: line %zu: a byte that is 0: this is no text",
                           r->t->name, r->line + count_lines(data + r->at, zero) + 1);
}

/* Pipes do not tell their size beforehand. */
static int read_more(reader *r)
{
    size_t want = r->size < READ_BYTES ? READ_BYTES : r->size;
    if (tacho_mem_grow(&r->t->data, &r->capacity, r->size + want + 1, 1))
        return tacho_no_memory(r->err);
    ssize_t n = tacho_input_read(&r->in, r->t->data + r->size, want);
    r->ended = n == 0;
    r->size += n > 0 ? (size_t)n : 0;
    r->t->data[r->size] = '\0';
    if (n > 0 && r->size > MAX_BYTES) {
        n = -1;
        errno = EFBIG;
    }
    return n < 0 ? cannot_read(r) : check_text(r, (size_t)n);
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

static int wrong_record(const reader *r, const char *what)
{
    return tacho_error_set(r->err, TACHO_ERR_INPUT, "%s: line %zu: %s", r->t->name, r->line + 1, what);
}

enum {
    RECORD_END = 0,
    RECORD_FOUND = 1
};

/* The next record that is not empty. @return RECORD_FOUND, RECORD_END, or an error */
static int next_record(reader *r, char **record, size_t *length, size_t *line)
{
    for (;;) {
        size_t next, left = r->size - r->at, n = (size_t)-1;
        *record = r->t->data + r->at;
        if (left)
            n = tacho_csv_record(*record, left, &next);
        bool whole = n != (size_t)-1;
        if (whole ? n > TACHO_CSV_MAX_RESULT : left > TACHO_CSV_MAX_RESULT)
            return wrong_record(r, "longer than 16 MiB (or a quoted field does not end)");
        if (!whole && !r->ended) {
            int result = read_more(r);
            if (result)
                return result;
            continue;
        }
        if (!left)
            return RECORD_END;
        if (!whole && !ends(*record, left))
            return wrong_record(r, "a quoted field does not end");
        if (!whole)
            n = next = left;
        *line = r->line + 1;
        *length = n;
        r->line += count_lines(*record, *record + next);
        r->at += next;
        if (n)
            return RECORD_FOUND;
    }
}

/* ---- fields ---- */

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

static int read_names(reader *r, char *record, size_t length)
{
    tacho_table *t = r->t;
    size_t capacity = 0;
    while (record) {
        if (t->column_count == MAX_COLUMNS)
            return tacho_error_set(r->err, TACHO_ERR_LIMIT, "%s: more than %d columns", t->name, MAX_COLUMNS);
        if (tacho_mem_grow(&t->names, &capacity, t->column_count + 1, sizeof *t->names))
            return tacho_no_memory(r->err);
        t->names[t->column_count++] = take_field(t, &record, &length);
    }
    return 0;
}

static int add_row(reader *r, char *record, size_t length, size_t line)
{
    tacho_table *t = r->t;
    size_t first = t->row_count * t->column_count;
    if (tacho_mem_grow(&t->cells, &r->cell_capacity, first + t->column_count, sizeof *t->cells) ||
        tacho_mem_grow(&t->lines, &r->line_capacity, t->row_count + 1, sizeof *t->lines))
        return tacho_no_memory(r->err);
    for (size_t c = 0; c < t->column_count; c++)
        t->cells[first + c] = record ? take_field(t, &record, &length) : r->empty;
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

static int read_rows(reader *r, const char *without_header)
{
    char *record;
    size_t length, line;
    int got;
    do /* comments at the beginning */
        got = next_record(r, &record, &length, &line);
    while (got == RECORD_FOUND && *record == '#');
    if (got == RECORD_END)
        return tacho_error_set(r->err, TACHO_ERR_INPUT, "%s: there is nothing in it", r->t->name);
    if (got < 0)
        return got;
    bool header = !without_header || is_header(record, length, without_header);
    int result = header ? read_names(r, record, length) : read_names(r, r->t->data, r->empty);
    if (!result && !header)
        result = add_row(r, record, length, line);
    while (!result && (got = next_record(r, &record, &length, &line)) == RECORD_FOUND)
        result = add_row(r, record, length, line);
    return result ? result : got;
}

/* The data begin with the names that the file may lack, and a 0 byte. A mark of the byte order is passed
 * over. */
static int begin(reader *r, const char *names)
{
    size_t n = strlen(names);
    int result = 0;
    if (tacho_mem_grow(&r->t->data, &r->capacity, n + 1, 1))
        return tacho_no_memory(r->err);
    memcpy(r->t->data, names, n + 1);
    r->empty = n;
    r->at = r->size = n + 1;
    while (!result && !r->ended && r->size - r->at < 3)
        result = read_more(r);
    if (!result && r->size - r->at >= 3 && !memcmp(r->t->data + r->at, "\xef\xbb\xbf", 3))
        r->at += 3;
    return result;
}

int tacho_table_read(tacho_table *out, const char *path, const char *without_header, tacho_error *err)
{
    bool standard = !strcmp(path, "-");
    reader r = {.t = out, .err = err};
    *out = (tacho_table){.name = standard ? "standard input" : path};
    r.in.fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (r.in.fd < 0)
        return cannot_read(&r);
    int result = begin(&r, without_header ? without_header : "");
    if (!result)
        result = read_rows(&r, without_header);
    tacho_input_end(&r.in);
    if (!standard)
        close(r.in.fd);
    if (result)
        tacho_table_free(out);
    return result;
}

void tacho_table_free(tacho_table *t)
{
    TACHO_MEM_FREE(t->data, t->cells, t->lines, t->names);
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
