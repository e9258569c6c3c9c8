/* rows_reader.c - lines of a text table, and what is wrong in them. */

#include "base/hash.h"
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

/* ---- equal items, stored once ---- */

typedef struct rows_run {
    uint32_t start, count;
} rows_run;

void rows_tables_init(rows_tables *t)
{
    *t = (rows_tables){
        .groups = {.name = "port groups", .item = sizeof(tacho_port_group)},
        .variants = {.name = "variants", .item = sizeof(gen_variant)},
        .latencies = {.name = "latencies", .item = sizeof(tacho_latency)},
        .figures = {.name = "figures", .item = sizeof(gen_figures)},
    };
}

static void rows_pool_free(rows_pool *p)
{
    TACHO_MEM_FREE(p->items, p->runs, p->slots);
    *p = (rows_pool){.name = p->name, .item = p->item};
}

void rows_tables_free(rows_tables *t)
{
    rows_pool_free(&t->groups);
    rows_pool_free(&t->variants);
    rows_pool_free(&t->latencies);
    rows_pool_free(&t->figures);
    tacho_mem_free(t->sources);
    arena_free(&t->texts);
}

char *rows_copy(rows_tables *t, const char *text)
{
    static char nothing[1];
    char *copy = arena_text(&t->texts, text);
    if (!copy)
        t->full = "memory";
    return copy ? copy : nothing;
}

static size_t run_hash(const rows_pool *p, const void *items, size_t count)
{
    return hash_bytes(items, count * p->item);
}

static bool rehash(rows_pool *p)
{
    size_t count = p->slot_count ? 2 * p->slot_count : 1024;
    uint32_t *slots = tacho_mem_zalloc(count, sizeof *slots);
    if (!slots)
        return false;
    tacho_mem_free(p->slots);
    p->slots = slots;
    p->slot_count = count;
    for (size_t i = 0; i < p->run_count; i++) {
        size_t s = run_hash(p, p->items + p->runs[i].start * p->item, p->runs[i].count);
        while (p->slots[s & (count - 1)])
            s++;
        p->slots[s & (count - 1)] = (uint32_t)i + 1;
    }
    return true;
}

uint32_t rows_pool_add(rows_tables *t, rows_pool *p, const void *items, size_t count)
{
    if (count == 0 || t->full)
        return 0;
    if ((2 * p->run_count >= p->slot_count && !rehash(p)) ||
        tacho_mem_grow(&p->items, &p->capacity, p->count + count, p->item) ||
        tacho_mem_grow(&p->runs, &p->run_capacity, p->run_count + 1, sizeof *p->runs)) {
        t->full = "memory";
        return 0;
    }
    size_t s = run_hash(p, items, count);
    for (; p->slots[s & (p->slot_count - 1)]; s++) {
        const rows_run *run = &p->runs[p->slots[s & (p->slot_count - 1)] - 1];
        if (run->count == count && memcmp(p->items + run->start * p->item, items, count * p->item) == 0)
            return run->start;
    }
    if (p->count + count > GEN_NONE) {
        t->full = p->name;
        return 0;
    }
    memcpy(p->items + p->count * p->item, items, count * p->item);
    p->runs[p->run_count] = (rows_run){(uint32_t)p->count, (uint32_t)count};
    p->slots[s & (p->slot_count - 1)] = (uint32_t)++p->run_count;
    p->count += count;
    return (uint32_t)(p->count - count);
}
