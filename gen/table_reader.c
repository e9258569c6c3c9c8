/* table_reader.c - files of rows, and what is wrong in them. */
#include "table_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_PROBLEMS = 80
};

rows_tables tables;
rows_pool operand_pool = {.name = "operands", .item = sizeof(tacho_form_operand)};
unsigned problems;

static void report(const rows_reader *r, const char *text)
{
    if (++problems <= MAX_PROBLEMS)
        fprintf(stderr, "%s:%zu: %s\n", r->name, r->number, text);
}

/* All of a file. */
static char *read_whole(FILE *in, size_t *size)
{
    size_t capacity = 1 << 16;
    char *text = malloc(capacity);
    *size = 0;
    while (text) {
        *size += fread(text + *size, 1, capacity - *size, in);
        if (*size < capacity)
            return ferror(in) ? NULL : text;
        capacity *= 2;
        text = realloc(text, capacity);
    }
    return NULL;
}

bool reader_open(rows_reader *r, const char *dir, const char *name, bool optional)
{
    char path[4096];
    size_t size;
    if (snprintf(path, sizeof path, "%s/%s", dir, name) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        die(dir);
    }
    *r = (rows_reader){.name = rows_copy(&tables, path), .report = report};
    FILE *in = fopen(path, "r");
    if (!in && !optional)
        die(path);
    if (!in)
        return false;
    char *text = read_whole(in, &size);
    if (!text)
        die(path);
    fclose(in);
    r->context = text;
    r->at = text;
    r->end = text + size;
    return true;
}

static void check_room(void)
{
    if (!tables.full)
        return;
    fprintf(stderr, "tacho-gen-tables: more than %d %s\n", GEN_NONE, tables.full);
    exit(1);
}

char *reader_next(rows_reader *r)
{
    check_room();
    if (rows_next(r))
        return r->line;
    if (r->no_memory)
        die("memory");
    rows_end(r);
    free(r->context);
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

uint32_t pool_add(rows_pool *p, const void *items, size_t count)
{
    uint32_t at = rows_pool_add(&tables, p, items, count);
    check_room();
    return at;
}
