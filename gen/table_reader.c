/* table_reader.c - lines of a text table, and what is wrong in them. */
#include "table_parts.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_PROBLEMS = 80
};

unsigned problems;

void problem(const reader *r, const char *format, ...)
{
    va_list args;
    if (++problems > MAX_PROBLEMS)
        return;
    va_start(args, format);
    fprintf(stderr, "%s:%zu: ", r->path, r->number);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

bool reader_open(reader *r, const char *dir, const char *name, bool optional)
{
    memset(r, 0, sizeof *r);
    if (snprintf(r->path, sizeof r->path, "%s/%s", dir, name) >= (int)sizeof r->path) {
        errno = ENAMETOOLONG;
        die(dir);
    }
    r->in = fopen(r->path, "r");
    if (!r->in && !optional)
        die(r->path);
    return r->in != NULL;
}

char *reader_next(reader *r)
{
    while (getline(&r->line, &r->size, r->in) > 0) {
        r->number++;
        r->line[strcspn(r->line, "\r\n")] = '\0';
        if (r->line[0] != '#' && r->line[0] != '\0')
            return r->line;
    }
    free(r->line);
    fclose(r->in);
    return NULL;
}

void *grow(void *items, size_t count, size_t item)
{
    if (count & (count - 1))
        return items;
    void *p = realloc(items, (count ? 2 * count : 1) * item);
    if (!p)
        die("memory");
    return p;
}

bool read_number(const char *s, long max, long *out)
{
    char *end;
    errno = 0;
    *out = strtol(s, &end, 0);
    return *s && *end == '\0' && errno == 0 && *out >= 0 && *out <= max;
}
