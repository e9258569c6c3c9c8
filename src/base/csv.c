/* csv.c - comma-separated values: records, and the rows of a file in constant memory. A quote opens a quoted
 * field only at the field's start, so that a stray one elsewhere does not swallow the lines after it. */
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/csv.h"
#include "base/mem.h"

static size_t line_end(const char *text, size_t length, size_t end, size_t *next)
{
    *next = end < length ? end + 1 : length;
    return end && text[end - 1] == '\r' ? end - 1 : end;
}

/* Whether a line ends here by CR alone; what stands behind a CR at the end of the text is not known. */
static bool is_lone_return(const char *text, size_t length, size_t at)
{
    return text[at] == '\r' && at + 1 < length && text[at + 1] != '\n';
}

size_t tacho_csv_record(const char *text, size_t length, size_t *next)
{
    const char *newline = memchr(text, '\n', length);
    size_t plain = newline ? (size_t)(newline - text) : length;
    const char *returned = plain ? memchr(text, '\r', plain) : NULL;
    if (returned && is_lone_return(text, length, (size_t)(returned - text))) {
        newline = returned;
        plain = (size_t)(returned - text);
    }
    if (!plain || !memchr(text, '"', plain))
        return newline ? line_end(text, length, plain, next) : (size_t)-1;
    bool quoted = false, at_start = true;
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        if (c == '"' && quoted && i + 1 < length && text[i + 1] == '"')
            i++;
        else if (c == '"' && (quoted || at_start))
            quoted = !quoted;
        else if (!quoted && (c == '\n' || is_lone_return(text, length, i)))
            return line_end(text, length, i, next);
        at_start = !quoted && c == ',';
    }
    return (size_t)-1;
}

void tacho_csv_field(char *record, size_t length, char **field, size_t *field_length, char **rest)
{
    char *end = record + length;
    *rest = NULL;
    if (!length || *record != '"') {
        char *comma = length ? memchr(record, ',', length) : NULL;
        *field = record;
        *field_length = comma ? (size_t)(comma - record) : length;
        *rest = comma ? comma + 1 : NULL;
        return;
    }
    char *in = record + 1, *out = record;
    while (in < end && (*in != '"' || (in + 1 < end && in[1] == '"'))) {
        in += *in == '"';
        *out++ = *in++;
    }
    *field = record;
    *field_length = (size_t)(out - record);
    char *comma = in < end ? memchr(in, ',', (size_t)(end - in)) : NULL;
    *rest = comma ? comma + 1 : NULL;
}

/* Where a field that is still quoted ends: at its comma, or with the record. */
static size_t field_end(const char *field, size_t length)
{
    size_t i = 0;
    if (length && *field == '"')
        for (i = 1; i < length && (field[i] != '"' || (i + 1 < length && field[i + 1] == '"')); i++)
            i += field[i] == '"';
    const char *comma = i < length ? memchr(field + i, ',', length - i) : NULL;
    return comma ? (size_t)(comma - field) : length;
}

static bool is_called(const char *field, size_t length, const char *name)
{
    tacho_str_trim(&field, &length);
    if (length >= 2 && field[0] == '"' && field[length - 1] == '"') {
        field++;
        length -= 2;
        tacho_str_trim(&field, &length);
    }
    return length == strlen(name) && tacho_str_same_n(field, name, length);
}

int tacho_csv_column(const char *record, size_t length, const char *name)
{
    for (int column = 0;; column++) {
        size_t n = field_end(record, length);
        if (is_called(record, n, name))
            return column;
        if (n == length)
            return -1;
        record += n + 1;
        length -= n + 1;
    }
}

static bool needs_quotes(const char *text, size_t length)
{
    unsigned low = 0; /* characters up to the comma; hex, numbers and words have none */
    for (size_t i = 0; i < length; i++)
        low |= text[i] <= ',';
    for (size_t i = 0; low && i < length; i++)
        if (text[i] <= ',' && (text[i] == ',' || text[i] == '"' || text[i] == '\n' || text[i] == '\r'))
            return true;
    return false;
}

void tacho_csv_put(tacho_str *out, const char *text, size_t length)
{
    bool spaced = length && (text[0] == ' ' || text[length - 1] == ' ');
    if (!spaced && !needs_quotes(text, length)) {
        tacho_str_append(out, text, length);
        return;
    }
    tacho_str_putc(out, '"');
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '"')
            tacho_str_putc(out, '"');
        tacho_str_putc(out, text[i]);
    }
    tacho_str_putc(out, '"');
}

/* ---- the rows of a file ---- */

enum {
    READ_BYTES = 64 << 10
};

static const char too_long[] = "a line longer than 1 MiB (or a quote that is not closed)";

/* @return ROWS_ERROR */
static int cannot_read(const rows *r, const char *why)
{
    char message[600];
    tacho_format_fit(message, sizeof message, "%s: cannot be read: %s", r->name, why);
    r->caller.say(message);
    return ROWS_ERROR;
}

bool rows_open(rows *r, const char *path, const rows_caller *caller)
{
    struct stat s;
    *r = (rows){.name = path, .caller = *caller, .in.fd = STDIN_FILENO, .max_record = TACHO_CSV_MAX_RECORD};
    if (!strcmp(path, "-"))
        r->name = "standard input";
    else if ((r->in.fd = open(path, O_RDONLY | O_CLOEXEC)) < 0)
        return cannot_read(r, strerror(errno)) >= 0;
    if (!fstat(r->in.fd, &s) && S_ISREG(s.st_mode))
        r->size = (uint64_t)s.st_size;
    return true;
}

void rows_close(rows *r)
{
    tacho_mem_free(r->data);
    tacho_input_end(&r->in);
    if (r->in.fd > STDIN_FILENO)
        close(r->in.fd);
}

bool rows_is_file(const rows *r, const char *path)
{
    struct stat a, b;
    return !fstat(r->in.fd, &a) && !stat(path, &b) && S_ISREG(a.st_mode) && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

bool rows_are_compressed(const rows *r)
{
    return tacho_input_is_compressed(&r->in);
}

double rows_part_read(const rows *r)
{
    return r->size ? (double)r->given / (double)r->size : 0;
}

uint64_t rows_whole_bytes(const rows *r)
{
    return r->given;
}

/* Waits for input, or the caller's wish to stop. @return false: that */
static bool wait_for_more(const rows *r)
{
    const rows_caller *c = &r->caller;
    if (tacho_input_pending(&r->in))
        return !c->stop(NULL);
    struct pollfd either[] = {{r->in.fd, POLLIN, 0}, {c->stop_descriptor(), POLLIN, 0}};
    while (!c->stop(NULL) && poll(either, 2, -1) < 0 && errno == EINTR)
        continue;
    return !c->stop(NULL);
}

/* @return ROWS_GIVEN, ROWS_STOPPED, or ROWS_ERROR with a message */
static int read_more(rows *r)
{
    if (r->at) {
        memmove(r->data, r->data + r->at, r->length - r->at);
        r->length -= r->at;
        r->at = 0;
    }
    if (tacho_mem_grow(&r->data, &r->capacity, r->length + READ_BYTES, 1)) {
        r->caller.say("out of memory");
        return ROWS_ERROR;
    }
    if (!wait_for_more(r))
        return ROWS_STOPPED;
    ssize_t n = tacho_input_read(&r->in, r->data + r->length, READ_BYTES);
    if (n < 0)
        return cannot_read(r, tacho_input_why(&r->in));
    if (rows_are_compressed(r))
        r->size = 0;
    r->ended = n == 0;
    r->length += (size_t)n;
    return ROWS_GIVEN;
}

/* ---- records ---- */

/* Moves on by `bytes`. */
static void pass(rows *r, size_t bytes)
{
    r->at += bytes;
    r->given += bytes;
}

/* Drops what is left of a line that was too long. @return false when more has to be read */
static bool drop_line(rows *r)
{
    size_t left = r->length - r->at;
    const char *newline = left ? memchr(r->data + r->at, '\n', left) : NULL;
    pass(r, newline ? (size_t)(newline + 1 - r->data) - r->at : left);
    r->dropping = !newline && !r->ended;
    return !r->dropping;
}

/* The next record that has been read, its end excluded; NULL with `problem` for one that is too long. */
static int record_read(rows *r, char **record, size_t *length)
{
    size_t n = (size_t)-1, next, left = r->length - r->at;
    r->problem = NULL;
    if (r->dropping && !drop_line(r))
        return ROWS_NOT_YET;
    left = r->length - r->at;
    if (left)
        n = tacho_csv_record(r->data + r->at, left, &next);
    if (n == (size_t)-1 ? left > r->max_record : n > r->max_record) {
        r->problem = too_long;
        r->dropping = n == (size_t)-1;
        pass(r, r->dropping ? left : next);
        *record = NULL;
        *length = 0;
        return ROWS_GIVEN;
    }
    if (n == (size_t)-1 && !r->ended)
        return ROWS_NOT_YET;
    if (n == (size_t)-1 && (!left || r->whole_only))
        return ROWS_END;
    if (n == (size_t)-1)
        n = next = left;
    *record = r->data + r->at;
    *length = n;
    pass(r, next);
    return ROWS_GIVEN;
}

static int next_record(rows *r, char **record, size_t *length)
{
    int got;
    while ((got = record_read(r, record, length)) == ROWS_NOT_YET)
        if ((got = read_more(r)) != ROWS_GIVEN)
            break;
    return got;
}

bool rows_header(rows *r, const char *line)
{
    char *record;
    size_t length;
    bool whole_only = r->whole_only;
    r->started = true;
    r->whole_only = false;
    int got = next_record(r, &record, &length);
    r->whole_only = whole_only;
    return got == ROWS_GIVEN && !r->problem && length == strcspn(line, "\n") && !memcmp(record, line, length);
}

/* ---- rows ---- */

/* The first record says where the hex is: in the column that it calls so; else it is a row itself.
 * @return whether it is the header */
static bool find_column(rows *r, char **record, size_t *size)
{
    if (*size >= 3 && !memcmp(*record, "\xef\xbb\xbf", 3)) {
        *record += 3;
        *size -= 3;
    }
    int column = tacho_csv_column(*record, *size, "hex");
    r->column = column < 0 ? 0 : (size_t)column;
    return column >= 0;
}

/* The field of a record that is the hex; "" where it has too few. @return false when it is no row: the
 * header, or empty */
static bool find_hex(rows *r, char *record, size_t size, const char **hex, size_t *length)
{
    char *field = record, *end = record + size, *rest = record;
    bool first = !r->started, some = false;
    if (first && size && *record == '#') /* a comment at the beginning */
        return false;
    r->started = true;
    if (first && find_column(r, &record, &size))
        return false;
    rest = record;
    for (size_t k = 0; k <= r->column; k++) {
        *length = 0;
        if (!rest)
            continue;
        tacho_csv_field(rest, (size_t)(end - rest), &field, length, &rest);
        *hex = field;
        tacho_str_trim(hex, length);
        some |= *length || rest;
    }
    *hex = *length ? *hex : "";
    r->rest = rest;
    r->rest_length = rest ? (size_t)(end - rest) : 0;
    return some;
}

int rows_next_read(rows *r, const char **hex, size_t *length)
{
    char *record;
    size_t size;
    int got;
    while ((got = record_read(r, &record, &size)) == ROWS_GIVEN) {
        if (r->problem) {
            r->started = true;
            r->rest = NULL;
            *hex = "";
            *length = 0;
        } else if (!find_hex(r, record, size, hex, length))
            continue;
        r->number++;
        return ROWS_GIVEN;
    }
    return got;
}

static char shown(char c)
{
    return (unsigned char)c < 0x20 || (unsigned char)c > 0x7e ? '?' : c;
}

void rows_make_text(char *hex, size_t length)
{
    for (size_t i = 0; i < length; i++)
        hex[i] = shown(hex[i]);
}

bool rows_is_shown(const char *text, const char *hex, size_t length)
{
    size_t i = 0;
    while (i < length && (text[i] == hex[i] || text[i] == shown(hex[i])))
        i++;
    return i == length;
}

int rows_next_hex(rows *r, const char **hex, size_t *length)
{
    int got;
    while ((got = rows_next_read(r, hex, length)) == ROWS_NOT_YET)
        if ((got = read_more(r)) != ROWS_GIVEN)
            break;
    return got;
}
