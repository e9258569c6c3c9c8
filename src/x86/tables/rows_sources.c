/* rows_sources.c - where figures come from, and from which sources those of a row. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "x86/tables/table_rows.h"

const rows_source *rows_source_find(const rows_tables *t, const char *id)
{
    for (size_t i = 0; i < t->source_count; i++)
        if (strcmp(t->sources[i].id, id) == 0)
            return &t->sources[i];
    return NULL;
}

void rows_read_source(const rows_reader *r, rows_tables *t)
{
    char *f[4];
    if (!rows_fields(r, f, 4, 4, "a source has four fields: id, class, core, text"))
        return;
    if (!*f[0] || !*f[2] || f[3][strspn(f[3], " \t")] == '\0')
        rows_problem(r, "a source has no empty field");
    if (rows_source_find(t, f[0]))
        rows_problem(r, "source %s is defined twice", f[0]);
    if (!TEXT_IS_ONE_OF(f[1], "measured", "adjusted", "estimated", "absent", "document"))
        rows_problem(r, "class %s is none of measured, adjusted, estimated, absent, document", f[1]);
    if (tacho_mem_grow(&t->sources, &t->source_capacity, t->source_count + 1, sizeof *t->sources)) {
        t->full = "memory";
        return;
    }
    t->sources[t->source_count++] =
        (rows_source){rows_copy(t, f[0]), rows_copy(t, f[1]), rows_copy(t, f[2]), rows_copy(t, f[3])};
}

/* ---- rows' sources ---- */

static const char *const FIELD_NAMES[TACHO_FIELD_COUNT][2] = {
    {"ports", "ports and µops"},      {"front_end", "decoding"},  {"indexed", "indexed variant"},
    {"same_reg", "same registers"},   {"latency", "latencies"},   {"divider", "divider"},
    {"throughput", "own throughput"}, {"fusion", "macro-fusion"},
};

static bool in_list(const char *list, const char *word)
{
    size_t length = strlen(word);
    if (!length)
        return false;
    for (const char *p = list; (p = strstr(p, word)) != NULL; p++)
        if ((p == list || p[-1] == ' ') && (p[length] == ' ' || p[length] == '\0'))
            return true;
    return false;
}

static tacho_origin origin_of(const rows_arch *a, const rows_source *s)
{
    if (strcmp(s->class_, "absent") == 0)
        return TACHO_ORIGIN_ABSENT;
    if (strcmp(s->class_, "measured") == 0)
        return in_list(a->names[ROWS_NAME_CORE], s->core)         ? TACHO_ORIGIN_MEASURED
               : in_list(a->names[ROWS_NAME_SAME_CORES], s->core) ? TACHO_ORIGIN_SAME_CORE
                                                                  : TACHO_ORIGIN_OTHER_CORE;
    return strcmp(s->class_, "adjusted") == 0 ? TACHO_ORIGIN_OTHER_CORE : TACHO_ORIGIN_ESTIMATED;
}

void rows_describe(const rows_source *const *by_field, char *out, size_t size)
{
    bool done[TACHO_FIELD_COUNT] = {false};
    *out = '\0';
    for (unsigned i = 0; i < TACHO_FIELD_COUNT; i++) {
        if (done[i] || !by_field[i])
            continue;
        bool all = true;
        char names[512] = "";
        for (unsigned j = 0; j < TACHO_FIELD_COUNT; j++) {
            if (by_field[j] != by_field[i]) {
                all = false;
                continue;
            }
            done[j] = true;
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", *names ? ", " : "",
                     FIELD_NAMES[j][1]);
        }
        snprintf(out + strlen(out), size - strlen(out), "%s%s%s%s", *out ? "; " : "", all ? "" : names,
                 all ? "" : ": ", by_field[i]->text);
    }
}

uint32_t rows_origins(const rows_arch *a, const rows_source *const *by_field)
{
    uint32_t origins = 0;
    for (unsigned i = 0; i < TACHO_FIELD_COUNT; i++)
        if (by_field[i])
            origins |= (uint32_t)origin_of(a, by_field[i]) << 4 * i;
    return origins;
}

void rows_read_row_source(const rows_reader *r, rows_arch *a)
{
    char *words[ROWS_MAX_LIST];
    const rows_source *by_field[TACHO_FIELD_COUNT] = {NULL};
    long n;
    size_t count = rows_split(r->line, ' ', words, ROWS_MAX_LIST);
    if (count < 3 || !rows_number(words[1], ROWS_MAX_SOURCE - 1, &n)) {
        rows_problem(r, "a source line reads: source NUMBER FIELD=SOURCE ...");
        return;
    }
    if (a->row_sources[n])
        rows_problem(r, "source %ld is defined twice", n);
    for (size_t i = 2; i < count; i++) {
        char *id = strchr(words[i], '=');
        bool known = false;
        if (id)
            *id++ = '\0';
        const rows_source *s = id ? rows_source_find(a->tables, id) : NULL;
        for (unsigned f = 0; f < TACHO_FIELD_COUNT; f++) {
            if (strcmp(words[i], "all") == 0 || strcmp(words[i], FIELD_NAMES[f][0]) == 0) {
                by_field[f] = s;
                known = true;
            }
        }
        if (!known)
            rows_problem(r, "%s is not a field with a source", words[i]);
        else if (!s)
            rows_problem(r, "source %s is not in %s", id ? id : "", a->tables->sources_name);
    }
    a->row_sources[n] = (uint16_t)(a->add_source(a, by_field) + 1);
}
