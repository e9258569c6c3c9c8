/* table_sources.c - sources.txt, and from which sources the figures of rows come. */
#include "table_parts.h"

#include <stdlib.h>
#include <string.h>

void read_sources(const char *dir)
{
    rows_reader r;
    reader_open(&r, dir, "sources.txt", false);
    while (reader_next(&r))
        rows_read_source(&r, &tables);
}

row_source *row_sources;
size_t row_source_count;

static unsigned row_source_add(const arch *a, const rows_source *const *by_field)
{
    char text[2048];
    rows_describe(by_field, text, sizeof text);
    row_source s = {copy(text), rows_origins(&a->rows, by_field)};
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

static unsigned pattern_number(const rows_source *const *by_field, const char *own)
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
unsigned pattern_add(arch *a, const rows_source *const *by_field, const char *own)
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

unsigned own_pattern_add(rows_arch *a, const rows_source *const *by_field)
{
    return pattern_add((arch *)a, by_field, a->name);
}
