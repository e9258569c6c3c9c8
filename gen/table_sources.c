/* table_sources.c - sources.txt, and from which sources the figures of a row come. */
#include "table_parts.h"

#include <stdlib.h>
#include <string.h>

source *sources;
static size_t source_count;

const source *source_find(const char *id)
{
    for (size_t i = 0; i < source_count; i++)
        if (strcmp(sources[i].id, id) == 0)
            return &sources[i];
    return NULL;
}

void read_sources(const char *dir)
{
    reader r;
    char *f[4];
    reader_open(&r, dir, "sources.txt", false);
    while (reader_next(&r)) {
        if (split(r.line, '\t', f, 4) != 4) {
            problem(&r, "a source has four fields: id, class, core, text");
            continue;
        }
        if (source_find(f[0]))
            problem(&r, "source %s is defined twice", f[0]);
        if (strcmp(f[1], "measured") && strcmp(f[1], "adjusted") && strcmp(f[1], "estimated") &&
            strcmp(f[1], "absent") && strcmp(f[1], "document"))
            problem(&r, "class %s is none of measured, adjusted, estimated, absent, document", f[1]);
        sources = grow(sources, source_count, sizeof *sources);
        sources[source_count++] = (source){copy(f[0]), copy(f[1]), copy(f[2]), copy(f[3])};
    }
}

/* ---- rows' sources ---- */

static const char *const FIELD_NAMES[TACHO_FIELD_COUNT][2] = {
    {"ports", "ports and µops"},      {"front_end", "decoding"},  {"indexed", "indexed variant"},
    {"same_reg", "same registers"},   {"latency", "latencies"},   {"divider", "divider"},
    {"throughput", "own throughput"}, {"fusion", "macro-fusion"},
};

row_source *row_sources;
size_t row_source_count;

static bool in_list(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *p = list; (p = strstr(p, word)) != NULL; p++)
        if ((p == list || p[-1] == ' ') && (p[length] == ' ' || p[length] == '\0'))
            return true;
    return false;
}

static tacho_origin origin_of(const arch *a, const source *s)
{
    if (strcmp(s->class_, "absent") == 0)
        return TACHO_ORIGIN_ABSENT;
    if (strcmp(s->class_, "measured") == 0)
        return in_list(a->names[NAME_CORE], s->core)         ? TACHO_ORIGIN_MEASURED
               : in_list(a->names[NAME_SAME_CORES], s->core) ? TACHO_ORIGIN_SAME_CORE
                                                             : TACHO_ORIGIN_OTHER_CORE;
    return strcmp(s->class_, "adjusted") == 0 ? TACHO_ORIGIN_OTHER_CORE : TACHO_ORIGIN_ESTIMATED;
}

/* One sentence part for each distinct source: "ports and µops, fusion: uops.info, Skylake; latencies: ..." */
static char *describe(const source *const *by_field)
{
    char out[2048] = "";
    bool done[TACHO_FIELD_COUNT] = {false};
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
        snprintf(out + strlen(out), sizeof out - strlen(out), "%s%s%s%s", *out ? "; " : "", all ? "" : names,
                 all ? "" : ": ", by_field[i]->text);
    }
    return copy(out);
}

static unsigned row_source_add(const arch *a, const source *const *by_field)
{
    row_source s = {describe(by_field), 0};
    for (unsigned i = 0; i < TACHO_FIELD_COUNT; i++)
        if (by_field[i])
            s.origins |= (uint32_t)origin_of(a, by_field[i]) << 4 * i;
    for (size_t i = 0; i < row_source_count; i++) {
        if (row_sources[i].origins == s.origins && strcmp(row_sources[i].text, s.text) == 0) {
            free(s.text);
            return (unsigned)i;
        }
    }
    row_sources = grow(row_sources, row_source_count, sizeof *row_sources);
    row_sources[row_source_count] = s;
    return (unsigned)row_source_count++;
}

/* Patterns: combinations of sources in which a microarchitecture's own name is @, so that cores whose rows
 * are the same but for who measured them share figures. */
static char *patterns[MAX_PATTERNS];
size_t pattern_count;

bool is_of_core(const char *id, const char *core)
{
    size_t length = strlen(core);
    return *core && strncmp(id, core, length) == 0 && (id[length] == '\0' || id[length] == '-');
}

static unsigned pattern_number(const source *const *by_field, const char *own)
{
    char text[1024] = "";
    for (unsigned f = 0; f < TACHO_FIELD_COUNT; f++) {
        size_t used = strlen(text);
        const char *id = by_field[f] ? by_field[f]->id : "";
        if (is_of_core(id, own))
            snprintf(text + used, sizeof text - used, "@%s;", id + strlen(own));
        else
            snprintf(text + used, sizeof text - used, "%s;", id);
    }
    for (unsigned i = 0; i < pattern_count; i++)
        if (strcmp(patterns[i], text) == 0)
            return i;
    if (pattern_count == MAX_PATTERNS) {
        fprintf(stderr, "tacho-gen-tables: more than %d combinations of sources\n", MAX_PATTERNS);
        exit(1);
    }
    patterns[pattern_count] = copy(text);
    return (unsigned)pattern_count++;
}

/* The pattern's number, which stands for these sources on `a` from now on; `own`: as which core's rows they
 * are written. Where it stands for others already, one in which all is named. */
unsigned pattern_add(arch *a, const source *const *by_field, const char *own)
{
    unsigned i = pattern_number(by_field, own);
    if (a->patterns[i].set && memcmp(a->patterns[i].by_field, by_field, sizeof a->patterns[i].by_field) != 0)
        i = pattern_number(by_field, "");
    if (!a->patterns[i].set) {
        a->patterns[i].set = true;
        memcpy(a->patterns[i].by_field, by_field, sizeof a->patterns[i].by_field);
        a->patterns[i].row_source = row_source_add(a, by_field);
    }
    return i;
}

/* "source 12 ports=ICL latency=SKL" or "source 1 all=SKL" */
void read_row_source(reader *r, arch *a, char *line)
{
    char *words[MAX_LIST];
    const source *by_field[TACHO_FIELD_COUNT] = {NULL};
    long n;
    size_t count = split(line, ' ', words, MAX_LIST);
    if (count < 3 || !read_number(words[1], 4095, &n)) {
        problem(r, "a source line reads: source NUMBER FIELD=SOURCE ...");
        return;
    }
    if (a->row_patterns[n])
        problem(r, "source %ld is defined twice", n);
    for (size_t i = 2; i < count; i++) {
        char *id = strchr(words[i], '=');
        bool known = false;
        if (id)
            *id++ = '\0';
        const source *s = id ? source_find(id) : NULL;
        for (unsigned f = 0; f < TACHO_FIELD_COUNT; f++) {
            if (strcmp(words[i], "all") == 0 || strcmp(words[i], FIELD_NAMES[f][0]) == 0) {
                by_field[f] = s;
                known = true;
            }
        }
        if (!known)
            problem(r, "%s is not a field with a source", words[i]);
        else if (!s)
            problem(r, "source %s is not in sources.txt", id ? id : "");
    }
    a->row_patterns[n] = pattern_add(a, by_field, a->name) + 1;
}
