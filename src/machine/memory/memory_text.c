/* memory_text.c - a description of memory as a text: a line for each level, TLB and point, its figures behind
 * their names; the descriptions that tacho has; and what follows from one. Touches no file, and knows nothing
 * of this machine: it is in the browser's module, too. */
#include <math.h>

#include "base/mem.h"
#include "base/str.h"
#include "machine/memory/memory_internal.h"

#define HEAD           "tacho memory 1"
#define NO_DESCRIPTION "this is no description of a memory: those begin with '" HEAD "'"

/* ---- figures: what a line has behind its keyword, each a name and a number ---- */

typedef struct figure {
    const char *name;
    size_t at; /* in what the line describes */
    enum {
        REAL,
        U64,
        U32
    } kind;
    double least, most; /* from 1 on it must be there */
} figure;

#define MOST_BYTES  1e15
#define MOST_CYCLES 1e6

static const figure of_machine[] = {
    {"clock_ghz", offsetof(tacho_memory, clock_ghz), REAL, 0.01, 100},
    {"vector_bytes", offsetof(tacho_memory, vector_bytes), U32, 16, 64},
    {"prefetch_bytes", offsetof(tacho_memory, prefetch_bytes), REAL, 0, MOST_BYTES},
    {"walk_4k", offsetof(tacho_memory, walk_cycles[TACHO_MEMORY_4K]), REAL, 0, MOST_CYCLES},
    {"walk_2m", offsetof(tacho_memory, walk_cycles[TACHO_MEMORY_2M]), REAL, 0, MOST_CYCLES},
    {.name = NULL}};
static const figure of_level[] = {
    {"bytes", offsetof(tacho_memory_level, bytes), U64, 1, MOST_BYTES},
    {"cpuid", offsetof(tacho_memory_level, cpuid_bytes), U64, 0, MOST_BYTES},
    {"latency", offsetof(tacho_memory_level, latency_cycles), REAL, 1, MOST_CYCLES},
    {"random", offsetof(tacho_memory_level, random_cycles), REAL, 0, MOST_CYCLES},
    {"set_lines", offsetof(tacho_memory_level, set_lines), REAL, 0, MOST_BYTES},
    {"set_cycles", offsetof(tacho_memory_level, set_cycles), REAL, 0, MOST_CYCLES},
    {"load", offsetof(tacho_memory_level, load_bytes_per_cycle), REAL, 1e-3, MOST_CYCLES},
    {"store", offsetof(tacho_memory_level, store_bytes_per_cycle), REAL, 1e-3, MOST_CYCLES},
    {"copy", offsetof(tacho_memory_level, copy_bytes_per_cycle), REAL, 1e-3, MOST_CYCLES},
    {"past_store", offsetof(tacho_memory_level, past_store_bytes_per_cycle), REAL, 1e-3, MOST_CYCLES},
    {"past_copy", offsetof(tacho_memory_level, past_copy_bytes_per_cycle), REAL, 1e-3, MOST_CYCLES},
    {.name = NULL}};
static const figure of_tlb[] = {{"entries", offsetof(tacho_memory_tlb, entries), U32, 1, 1e6},
                                {"miss", offsetof(tacho_memory_tlb, miss_cycles), REAL, 0, MOST_CYCLES},
                                {.name = NULL}};
static const figure of_point[] = {
    {"bytes", offsetof(tacho_memory_point, bytes), U64, 1, MOST_BYTES},
    {"4k", offsetof(tacho_memory_point, cycles[TACHO_MEMORY_4K]), REAL, 1, MOST_CYCLES},
    {"2m", offsetof(tacho_memory_point, cycles[TACHO_MEMORY_2M]), REAL, 0, MOST_CYCLES},
    {.name = NULL}};

/* ---- writing ---- */

static void put_figures(tacho_str *out, const char *head, const figure *f, const void *of)
{
    tacho_str_puts(out, head);
    for (; f->name; f++) {
        const char *at = (const char *)of + f->at;
        if (f->kind == U64)
            tacho_str_printf(out, " %s %llu", f->name, (unsigned long long)*(const uint64_t *)at);
        else if (f->kind == U32)
            tacho_str_printf(out, " %s %u", f->name, *(const uint32_t *)at);
        else if (isfinite(*(const double *)at))
            tacho_str_printf(out, " %s %.6g", f->name, *(const double *)at);
    }
    tacho_str_putc(out, '\n');
}

char *tacho_memory_write(const tacho_memory *m)
{
    char level[16];
    tacho_str out = {0};
    tacho_str_printf(&out, HEAD "\nprocessor %s\n", m->processor);
    if (*m->core)
        tacho_str_printf(&out, "core %s\n", m->core);
    put_figures(&out, "machine", of_machine, m);
    for (uint32_t i = 0; i < m->level_count; i++) {
        snprintf(level, sizeof level, "level %s", m->levels[i].name);
        put_figures(&out, level, of_level, &m->levels[i]);
    }
    for (uint32_t i = 0; i < m->tlb_count; i++)
        put_figures(&out, "tlb", of_tlb, &m->tlb[i]);
    for (uint32_t i = 0; i < m->point_count; i++)
        put_figures(&out, "point", of_point, &m->points[i]);
    if (out.failed) {
        tacho_str_free(&out);
        return NULL;
    }
    return out.data;
}

void tacho_memory_text_free(char *text)
{
    tacho_mem_free(text);
}

/* ---- reading ---- */

static void set_figure(const figure *f, void *of, double value)
{
    char *at = (char *)of + f->at;
    if (f->kind == U64)
        *(uint64_t *)at = (uint64_t)value;
    else if (f->kind == U32)
        *(uint32_t *)at = (uint32_t)value;
    else
        *(double *)at = value;
}

/* Pairs of a name and a number; a number that is not there is NaN. @return NULL, or what is wrong */
static const char *take_figures(char *at, const figure *figures, void *of, char why[100])
{
    uint32_t found = 0;
    char *end, *rest;
    for (const figure *f = figures; f->name; f++)
        set_figure(f, of, f->kind == REAL ? NAN : 0);
    for (char *name = strtok_r(at, " \t", &rest); name; name = strtok_r(NULL, " \t", &rest)) {
        const char *number = strtok_r(NULL, " \t", &rest);
        const figure *f = figures;
        while (f->name && strcmp(f->name, name))
            f++;
        snprintf(why, 100, "'%.30s' is no figure of such a line", name);
        if (!f->name)
            return why;
        double value = number ? strtod(number, &end) : NAN;
        snprintf(why, 100, "'%.30s' needs a number from %g to %g", name, f->least, f->most);
        if (!number || *end || !(value >= f->least && value <= f->most))
            return why;
        set_figure(f, of, value);
        found |= 1u << (f - figures);
    }
    for (const figure *f = figures; f->name; f++)
        if (f->least >= 1 && !(found >> (f - figures) & 1)) {
            snprintf(why, 100, "'%.30s' is missing", f->name);
            return why;
        }
    return NULL;
}

static const char *take_level(tacho_memory *m, char *rest, char why[100])
{
    char *figures = strpbrk(rest, " \t");
    if (m->level_count == TACHO_MEMORY_LEVELS)
        return "there are more than four levels";
    tacho_memory_level *l = &m->levels[m->level_count];
    if (!figures || figures == rest || (size_t)(figures - rest) >= sizeof l->name)
        return "a level needs a name of at most 7 letters, and figures";
    snprintf(l->name, sizeof l->name, "%.*s", (int)(figures - rest), rest);
    const char *wrong = take_figures(figures, of_level, l, why);
    if (!wrong && m->level_count && l->bytes <= m->levels[m->level_count - 1].bytes)
        return "a level has more bytes than the one before";
    m->level_count++;
    return wrong;
}

static const char *take_tlb(tacho_memory *m, char *rest, char why[100])
{
    if (m->tlb_count == sizeof m->tlb / sizeof *m->tlb)
        return "there are more than two levels of the TLB";
    return take_figures(rest, of_tlb, &m->tlb[m->tlb_count++], why);
}

static const char *take_point(tacho_memory *m, char *rest, char why[100])
{
    if (m->point_count == TACHO_MEMORY_POINTS)
        return "there are too many points";
    tacho_memory_point *p = &m->points[m->point_count];
    const char *wrong = take_figures(rest, of_point, p, why);
    if (!wrong && m->point_count && p->bytes <= m->points[m->point_count - 1].bytes)
        return "points are in the order of their bytes";
    m->point_count++;
    return wrong;
}

/* The text behind a keyword and a blank; NULL: the line begins otherwise. */
static char *behind(char *line, const char *keyword)
{
    size_t n = strlen(keyword);
    return strncmp(line, keyword, n) || (line[n] != ' ' && line[n] != '\t')
               ? NULL
               : line + n + strspn(line + n, " \t");
}

static const char *take_line(tacho_memory *m, char *line, char why[100])
{
    char *rest;
    if ((rest = behind(line, "processor")))
        snprintf(m->processor, sizeof m->processor, "%s", rest);
    else if ((rest = behind(line, "core")))
        snprintf(m->core, sizeof m->core, "%s", rest);
    else if ((rest = behind(line, "machine")))
        return take_figures(rest, of_machine, m, why);
    else if ((rest = behind(line, "level")))
        return take_level(m, rest, why);
    else if ((rest = behind(line, "tlb")))
        return take_tlb(m, rest, why);
    else if ((rest = behind(line, "point")))
        return take_point(m, rest, why);
    else
        return "a line begins with processor, core, machine, level, tlb or point, or is a comment (#)";
    return NULL;
}

static int wrong_line(tacho_error *err, uint64_t line, const char *why)
{
    int code = tacho_error_set(err, TACHO_ERR_INPUT, "line %llu: %s", (unsigned long long)line, why);
    if (err)
        err->line = line;
    return code;
}

static int read_lines(tacho_memory *m, char *text, tacho_error *err)
{
    char why[100], *next;
    uint64_t number = 1;
    for (char *line = text; line; line = next, number++) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        line[strcspn(line, "\r")] = '\0';
        if (number == 1 && strcmp(line, HEAD))
            return wrong_line(err, 1, NO_DESCRIPTION);
        const char *wrong = number == 1 || !*line || *line == '#' ? NULL : take_line(m, line, why);
        if (wrong)
            return wrong_line(err, number, wrong);
    }
    return m->level_count ? TACHO_OK : tacho_error_set(err, TACHO_ERR_INPUT, "there is no line 'level'");
}

int tacho_memory_read(tacho_memory *out, const char *text, size_t size, tacho_error *err)
{
    *out = (tacho_memory){.clock_ghz = NAN, .prefetch_bytes = NAN, .walk_cycles = {NAN, NAN}};
    if (size > TACHO_MEMORY_MAX_FILE_BYTES)
        return tacho_error_set(err, TACHO_ERR_LIMIT, "a description of a memory has at most %d bytes",
                               TACHO_MEMORY_MAX_FILE_BYTES);
    if (memchr(text, '\0', size))
        return tacho_error_set(err, TACHO_ERR_INPUT, "a byte that is 0: " NO_DESCRIPTION);
    tacho_str copy = {0};
    tacho_str_append(&copy, text, size);
    tacho_str_putc(&copy, '\n');
    int result = copy.failed ? tacho_no_memory(err) : read_lines(out, copy.data, err);
    tacho_str_free(&copy);
    return result;
}

/* ---- those that tacho has: data/memory, one after the other ---- */

/* The next one from `at` on; its size. */
static size_t next_text(const char **at)
{
    const char *begin = strstr(*at, HEAD), *end = begin ? strstr(begin + 1, HEAD) : NULL;
    *at = begin;
    return !begin ? 0 : end ? (size_t)(end - begin) : strlen(begin);
}

bool tacho_memory_known(tacho_memory *out, size_t index)
{
    const char *at = memory_texts;
    size_t size;
    for (size_t i = 0; (size = next_text(&at)) != 0; i++, at += size)
        if (i == index)
            return !tacho_memory_read(out, at, size, NULL);
    return false;
}

int tacho_memory_find(tacho_memory *out, const char *name, tacho_error *err)
{
    TACHO_FREED tacho_str names = {0};
    for (size_t i = 0; tacho_memory_known(out, i); i++) {
        if (tacho_str_same(name, out->core))
            return TACHO_OK;
        tacho_str_printf(&names, "%s%s", i ? ", " : "", out->core);
    }
    return tacho_error_set(err, TACHO_ERR_UNSUPPORTED,
                           "there is no description of the memory of a machine with %s, only with %s", name,
                           names.data ? names.data : "");
}

/* ---- what follows from it ---- */

uint32_t tacho_memory_level_of(const tacho_memory *m, uint64_t bytes)
{
    uint32_t i = 0;
    while (i + 1 < m->level_count && m->levels[i].bytes < bytes)
        i++;
    return i;
}

double tacho_memory_load_cycles(const tacho_memory *m, uint64_t bytes, tacho_memory_pages pages)
{
    double before = NAN, at = log((double)(bytes ? bytes : 1)), before_at = at;
    for (uint32_t i = 0; i < m->point_count; i++) {
        const tacho_memory_point *p = &m->points[i];
        double cycles = p->cycles[isfinite(p->cycles[pages]) ? pages : TACHO_MEMORY_4K];
        double p_at = log((double)p->bytes);
        if (p_at >= at)
            return isnan(before) ? cycles
                                 : before + (cycles - before) * (at - before_at) / (p_at - before_at);
        before = cycles;
        before_at = p_at;
    }
    return before;
}

int tacho_memory_level_named(uint32_t *out, const tacho_memory *m, const char *text, tacho_error *err)
{
    uint64_t bytes;
    TACHO_FREED tacho_str names = {0};
    for (*out = 0; *out < m->level_count; ++*out) {
        if (tacho_str_same(text, m->levels[*out].name))
            return TACHO_OK;
        tacho_str_printf(&names, "%s, ", m->levels[*out].name);
    }
    if (!tacho_parse_size(text, &bytes))
        return tacho_error_set(err, TACHO_ERR_USAGE, "data lie in %sor are of a size such as 512K, not '%s'",
                               names.data ? names.data : "", text);
    *out = tacho_memory_level_of(m, bytes);
    return TACHO_OK;
}
