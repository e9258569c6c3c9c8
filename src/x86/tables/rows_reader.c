/* rows_reader.c - lines of a text table, and what is wrong in them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "x86/tables/table_rows.h"

void rows_problem(const rows_reader *r, const char *format, ...)
{
    char text[TACHO_ERROR_MESSAGE_SIZE];
    va_list args;
    va_start(args, format);
    tacho_vformat_fit(text, sizeof text, format, args);
    va_end(args);
    r->report(r, text);
}

char *rows_next(rows_reader *r)
{
    while (r->at < r->end) {
        const char *begin = r->at, *newline = memchr(begin, '\n', (size_t)(r->end - begin));
        size_t length = (size_t)((newline ? newline : r->end) - begin);
        r->at = newline ? newline + 1 : r->end;
        r->number++;
        if (tacho_mem_grow(&r->line, &r->capacity, length + 1, 1)) {
            r->no_memory = true;
            return NULL;
        }
        memcpy(r->line, begin, length);
        r->line[length] = '\0';
        r->line[strcspn(r->line, "\r")] = '\0';
        if (r->line[0] != '#' && r->line[0] != '\0')
            return r->line;
    }
    return NULL;
}

void rows_end(rows_reader *r)
{
    tacho_mem_free(r->line);
    r->line = NULL;
    r->capacity = 0;
}

size_t rows_split(char *line, char separator, char **fields, size_t max)
{
    size_t n = 0;
    for (char *p = line; p && n < max; n++) {
        fields[n] = p;
        p = strchr(p, separator);
        if (p)
            *p++ = '\0';
    }
    return n;
}

size_t rows_fields(const rows_reader *r, char **fields, size_t least, size_t max, const char *wanted)
{
    bool spaces = !strchr(r->line, '\t') && strchr(r->line, ' ');
    size_t n = rows_split(r->line, '\t', fields, max);
    if (n < least)
        rows_problem(r, "%s%s", wanted, spaces ? "; between fields stands a TAB, here are spaces" : "");
    return n < least ? 0 : n;
}

bool rows_number(const char *s, long max, long *out)
{
    char *end;
    errno = 0;
    *out = strtol(s, &end, 0);
    return *s >= '0' && *s <= '9' && *end == '\0' && errno == 0 && *out >= 0 && *out <= max;
}
