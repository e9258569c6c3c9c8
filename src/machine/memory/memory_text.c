/* memory_text.c - a description of memory as a text: a line for each level, TLB and point, its figures behind
 * their names; the descriptions that tacho has; and what follows from one. Touches no file, and knows nothing
 * of this machine: it is in the browser's module, too. */
#include <math.h>

#include "base/mem.h"
#include "base/str.h"
#include "machine/memory/memory_internal.h"

#define HEAD           "tacho memory 1"
#define NO_DESCRIPTION "this is no description of a memory: those begin with '" HEAD "'"

/* ---- writing ---- */

static void put_figure(tacho_str *out, const char *name, double value)
{
    if (isfinite(value))
        tacho_str_printf(out, " %s %.6g", name, value);
}

static void put_levels(tacho_str *out, const tacho_memory *m)
{
    for (uint32_t i = 0; i < m->level_count; i++) {
        const tacho_memory_level *l = &m->levels[i];
        tacho_str_printf(out, "level %s bytes %llu cpuid %llu", l->name, (unsigned long long)l->bytes,
                         (unsigned long long)l->cpuid_bytes);
        put_figure(out, "latency", l->latency_cycles);
        put_figure(out, "random", l->random_cycles);
        put_figure(out, "set_lines", l->set_lines);
        put_figure(out, "set_cycles", l->set_cycles);
        put_figure(out, "load", l->load_bytes_per_cycle);
        put_figure(out, "store", l->store_bytes_per_cycle);
        put_figure(out, "copy", l->copy_bytes_per_cycle);
        put_figure(out, "past_store", l->past_store_bytes_per_cycle);
        put_figure(out, "past_copy", l->past_copy_bytes_per_cycle);
        tacho_str_putc(out, '\n');
    }
}

char *tacho_memory_write(const tacho_memory *m)
{
    tacho_str out = {0};
    tacho_str_printf(&out, HEAD "\nprocessor %s\n", m->processor);
    if (*m->core)
        tacho_str_printf(&out, "core %s\n", m->core);
    tacho_str_puts(&out, "machine");
    put_figure(&out, "clock_ghz", m->clock_ghz);
    put_figure(&out, "vector_bytes", m->vector_bytes);
    put_figure(&out, "prefetch_bytes", m->prefetch_bytes);
    put_figure(&out, "walk_4k", m->walk_cycles[TACHO_MEMORY_4K]);
    put_figure(&out, "walk_2m", m->walk_cycles[TACHO_MEMORY_2M]);
    tacho_str_putc(&out, '\n');
    put_levels(&out, m);
    for (uint32_t i = 0; i < m->tlb_count; i++) {
        tacho_str_printf(&out, "tlb entries %u", m->tlb[i].entries);
        put_figure(&out, "miss", m->tlb[i].miss_cycles);
        tacho_str_putc(&out, '\n');
    }
    for (uint32_t i = 0; i < m->point_count; i++) {
        tacho_str_printf(&out, "point bytes %llu", (unsigned long long)m->points[i].bytes);
        put_figure(&out, "4k", m->points[i].cycles[TACHO_MEMORY_4K]);
        put_figure(&out, "2m", m->points[i].cycles[TACHO_MEMORY_2M]);
        tacho_str_putc(&out, '\n');
    }
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

typedef struct figure {
    const char *name;
    double *to;
    double least, most;
    bool found;
} figure;

static const double most_bytes = 1e15, most_cycles = 1e6;

/* Pairs of a name and a number. @return NULL, or what is wrong */
static const char *take_figures(char *at, figure *figures, size_t count, char why[100])
{
    char *end, *rest;
    for (char *name = strtok_r(at, " \t", &rest); name; name = strtok_r(NULL, " \t", &rest)) {
        const char *number = strtok_r(NULL, " \t", &rest);
        size_t i = 0;
        while (i < count && strcmp(figures[i].name, name))
            i++;
        snprintf(why, 100, "'%.30s' is no figure of such a line", name);
        if (i == count)
            return why;
        double value = number ? strtod(number, &end) : NAN;
        snprintf(why, 100, "'%.30s' needs a number from %g to %g", name, figures[i].least, figures[i].most);
        if (!number || *end || !(value >= figures[i].least && value <= figures[i].most))
            return why;
        *figures[i].to = value;
        figures[i].found = true;
    }
    for (size_t i = 0; i < count; i++)
        if (figures[i].least >= 1 && !figures[i].found) {
            snprintf(why, 100, "'%.30s' is missing", figures[i].name);
            return why;
        }
    return NULL;
}

static const char *take_machine(tacho_memory *m, char *rest, char why[100])
{
    double vector = 16;
    figure f[] = {{"clock_ghz", &m->clock_ghz, 0.01, 100, false},
                  {"vector_bytes", &vector, 16, 64, false},
                  {"prefetch_bytes", &m->prefetch_bytes, 0, most_bytes, false},
                  {"walk_4k", &m->walk_cycles[TACHO_MEMORY_4K], 0, most_cycles, false},
                  {"walk_2m", &m->walk_cycles[TACHO_MEMORY_2M], 0, most_cycles, false}};
    const char *wrong = take_figures(rest, f, sizeof f / sizeof *f, why);
    m->vector_bytes = (uint32_t)vector;
    return wrong;
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
    double bytes = 0, cpuid = 0;
    figure f[] = {{"bytes", &bytes, 1, most_bytes, false},
                  {"cpuid", &cpuid, 0, most_bytes, false},
                  {"latency", &l->latency_cycles, 1, most_cycles, false},
                  {"random", &l->random_cycles, 0, most_cycles, false},
                  {"set_lines", &l->set_lines, 0, most_bytes, false},
                  {"set_cycles", &l->set_cycles, 0, most_cycles, false},
                  {"load", &l->load_bytes_per_cycle, 1e-3, most_cycles, false},
                  {"store", &l->store_bytes_per_cycle, 1e-3, most_cycles, false},
                  {"copy", &l->copy_bytes_per_cycle, 1e-3, most_cycles, false},
                  {"past_store", &l->past_store_bytes_per_cycle, 1e-3, most_cycles, false},
                  {"past_copy", &l->past_copy_bytes_per_cycle, 1e-3, most_cycles, false}};
    l->random_cycles = l->set_lines = l->set_cycles = NAN;
    l->load_bytes_per_cycle = l->store_bytes_per_cycle = l->copy_bytes_per_cycle = NAN;
    l->past_store_bytes_per_cycle = l->past_copy_bytes_per_cycle = NAN;
    const char *wrong = take_figures(figures, f, sizeof f / sizeof *f, why);
    l->bytes = (uint64_t)bytes;
    l->cpuid_bytes = (uint64_t)cpuid;
    if (!wrong && m->level_count && l->bytes <= m->levels[m->level_count - 1].bytes)
        return "a level has more bytes than the one before";
    m->level_count++;
    return wrong;
}

static const char *take_tlb(tacho_memory *m, char *rest, char why[100])
{
    if (m->tlb_count == sizeof m->tlb / sizeof *m->tlb)
        return "there are more than two levels of the TLB";
    tacho_memory_tlb *t = &m->tlb[m->tlb_count++];
    double entries = 0;
    figure f[] = {{"entries", &entries, 1, 1e6, false}, {"miss", &t->miss_cycles, 0, most_cycles, false}};
    t->miss_cycles = NAN;
    const char *wrong = take_figures(rest, f, sizeof f / sizeof *f, why);
    t->entries = (uint32_t)entries;
    return wrong;
}

static const char *take_point(tacho_memory *m, char *rest, char why[100])
{
    if (m->point_count == TACHO_MEMORY_POINTS)
        return "there are too many points";
    tacho_memory_point *p = &m->points[m->point_count];
    double bytes = 0;
    *p = (tacho_memory_point){.cycles = {NAN, NAN}};
    figure f[] = {{"bytes", &bytes, 1, most_bytes, false},
                  {"4k", &p->cycles[TACHO_MEMORY_4K], 1, most_cycles, false},
                  {"2m", &p->cycles[TACHO_MEMORY_2M], 0, most_cycles, false}};
    const char *wrong = take_figures(rest, f, sizeof f / sizeof *f, why);
    p->bytes = (uint64_t)bytes;
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
        return take_machine(m, rest, why);
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
