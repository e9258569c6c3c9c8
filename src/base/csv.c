/* csv.c - comma-separated values. A quote opens a quoted field only at the field's start, so that a stray
 * one elsewhere does not swallow the lines after it. */
#include "base/csv.h"

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
