/* jit.c - names of functions that a JIT compiler has made, from the file that many of them write for perf:
 * /tmp/perf-PID.map, a line "START SIZE NAME" for each function, numbers in hexadecimal (the kernel tree's
 * tools/perf/Documentation/jit-interface.txt). Anybody can leave a file there: it is read only if it is a
 * regular one, of this user, and of at most 64 MB. Code that is not there any more is not analysed. */
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "program/hot/hot_find.h"

enum {
    MAX_MAP_BYTES = 64 << 20,
    MAX_NAME_BYTES = 1000
};

typedef struct jit_function {
    uint64_t start, end;
    const char *name; /* in the text of the map */
    size_t name_bytes, line;
} jit_function;

typedef struct jit_map {
    char path[64], *text;
    size_t size;
    jit_function *list;
    size_t count, capacity;
} jit_map;

/* Of several at one place the last one written comes last. */
ORDER_BY_TWO(by_start, jit_function, start, line);

/* A line of the map. @return false: it is none */
static bool read_line(const char *line, const char *end, jit_function *out)
{
    char *at;
    out->start = strtoull(line, &at, 16);
    if (at == line || at >= end || *at != ' ')
        return false;
    const char *second = at + 1;
    uint64_t size = strtoull(second, &at, 16);
    if (at == second || at >= end || *at != ' ' || !size || out->start + size < out->start)
        return false;
    out->end = out->start + size;
    out->name = at + 1;
    out->name_bytes = (size_t)(end - out->name);
    if (out->name_bytes > MAX_NAME_BYTES)
        out->name_bytes = MAX_NAME_BYTES;
    return out->name_bytes > 0;
}

static int read_map(jit_map *m)
{
    size_t number = 0;
    for (const char *line = m->text, *stop = m->text + m->size, *next; line < stop; line = next) {
        const char *end = memchr(line, '\n', (size_t)(stop - line));
        jit_function f = {.line = number++};
        end = end ? end : stop;
        next = end + 1;
        if (!read_line(line, end, &f))
            continue;
        if (tacho_mem_grow(&m->list, &m->capacity, m->count + 1, sizeof *m->list))
            return TACHO_ERR_MEMORY;
        m->list[m->count++] = f;
    }
    tacho_sort(m->list, m->count, sizeof *m->list, by_start);
    return 0;
}

/* The last written one that begins at the last place before the address, if it goes so far; NULL. */
static const jit_function *function_at(const jit_map *m, uint64_t address)
{
    size_t n;
    COUNT_BEFORE(n, m->count, m->list[n].start <= address);
    return n && m->list[n - 1].end > address ? &m->list[n - 1] : NULL;
}

static int add_function(hot_search *s, const tacho_hot_object *object, const jit_function *f,
                        uint64_t samples, double weight)
{
    if (!f || weight < search_threshold(s))
        return 0;
    char *name = arena_text_n(&s->memory, f->name, f->name_bytes);
    if (!name ||
        tacho_mem_grow(&s->functions, &s->function_capacity, s->hot.function_count + 1, sizeof *s->functions))
        return TACHO_ERR_MEMORY;
    s->functions[s->hot.function_count++] = (tacho_hot_function){.object = object,
                                                                 .name = name,
                                                                 .start = f->start,
                                                                 .end = f->end,
                                                                 .samples = samples,
                                                                 .weight = weight,
                                                                 .share = weight / s->profile->weight};
    return 0;
}

/* Samples are in the order of addresses: each function has its own together. */
static int add_functions(hot_search *s, const jit_map *m, uint32_t number, double *named)
{
    const tacho_hot_profile *p = s->profile;
    const jit_function *last = NULL;
    uint64_t samples = 0;
    double weight = 0;
    int rc = 0;
    for (size_t i = file_first_sample(p, number), end = file_first_sample(p, number + 1); i < end && !rc;
         i++) {
        const jit_function *f = function_at(m, p->places[i].offset);
        if (f != last) {
            rc = add_function(s, &p->objects[number], last, samples, weight);
            samples = 0;
            weight = 0;
        }
        last = f;
        samples += p->places[i].samples;
        weight += p->places[i].weight;
        *named += f ? p->places[i].weight : 0;
    }
    return rc ? rc : add_function(s, &p->objects[number], last, samples, weight);
}

/* Why it is not read; NULL: it is, or there is none. */
static const char *open_map(jit_map *m)
{
    struct stat st;
    if (lstat(m->path, &st))
        return NULL;
    if (!S_ISREG(st.st_mode))
        return "it is no regular file";
    if (st.st_uid != geteuid())
        return "it is another user's";
    if (!tacho_file_read_regular(m->path, MAX_MAP_BYTES, &m->text, &m->size))
        return NULL;
    m->text = NULL;
    return errno == EFBIG ? "it is larger than 64 MB" : strerror(errno);
}

int jit_search(hot_search *s, uint32_t number)
{
    const tacho_hot_object *object = &s->profile->objects[number];
    jit_map m = {.text = NULL};
    double named = 0;
    if (!object->process)
        return 0;
    snprintf(m.path, sizeof m.path, "/tmp/perf-%" PRIu64 ".map", object->process);
    const char *why = open_map(&m);
    int rc = why ? search_warn(s, "%s: names of code made at run time are not taken: %s", m.path, why) : 0;
    if (!rc && m.text)
        rc = read_map(&m);
    if (!rc && m.text)
        rc = add_functions(s, &m, number, &named);
    if (!rc && m.text)
        rc = search_warn(
            s, "%.1f %% of the samples lie in code made at run time that %s names; it is not analysed",
            100 * named / s->profile->weight, m.path);
    tacho_mem_free(m.text);
    tacho_mem_free(m.list);
    return rc;
}
