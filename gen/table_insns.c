/* table_insns.c - insns.txt: the figures of a microarchitecture, and those that it inherits. */
#include "table_parts.h"

#include <stdlib.h>
#include <string.h>

/* "inherit SKL", "inherit SKL own" or "inherit SKL alone" */
typedef struct inheritance {
    const arch *parent;
    bool alone; /* without what the parent has inherited */
    bool own; /* what was measured on the parent's core was measured on this one, too, with the same result */
} inheritance;

enum {
    MAX_PARENTS = 4
};

static void read_inheritance(const rows_reader *r, const arch *a, char *line, inheritance *list,
                             size_t *count)
{
    char *space = strchr(line + strlen("inherit "), ' ');
    bool own = space && strcmp(space, " own") == 0, alone = space && strcmp(space, " alone") == 0;
    if (space)
        *space = '\0';
    if ((space && !own && !alone) || *count == MAX_PARENTS) {
        rows_problem(
            r, "a table inherits as: inherit NAME, inherit NAME own, or inherit NAME alone; %d times at most",
            MAX_PARENTS);
        return;
    }
    const arch *parent = read_parent(r, line, a);
    if (parent)
        list[(*count)++] = (inheritance){parent, alone, own};
}

/* The same figures with the fusion group and sources as `a` has them. */
static uint16_t inherit_row(const rows_reader *r, arch *a, const inheritance *from, uint16_t index)
{
    const arch *parent = from->parent;
    gen_figures g = ((const gen_figures *)(const void *)tables.figures.items)[index];
    const rows_source *by_field[TACHO_FIELD_COUNT];
    unsigned group = 0;
    for (unsigned i = 1; g.fusion_group && i <= a->rows.fusion_count; i++)
        if (strcmp(a->rows.fusion_names[i], parent->rows.fusion_names[g.fusion_group]) == 0)
            group = i;
    if (g.fusion_group && !group)
        rows_problem(r, "fusion group %s of %s is not in fusion.txt",
                     parent->rows.fusion_names[g.fusion_group], parent->rows.name);
    g.fusion_group = (uint8_t)group;
    memcpy(by_field, parent->patterns[g.source].by_field, sizeof by_field);
    for (unsigned f = 0; f < TACHO_FIELD_COUNT && from->own; f++) {
        char id[64];
        if (!by_field[f] || !is_of_core(by_field[f]->id, parent->rows.name))
            continue;
        snprintf(id, sizeof id, "%s%s", a->rows.name, by_field[f]->id + strlen(parent->rows.name));
        by_field[f] = rows_source_find(&tables, id);
        if (!by_field[f])
            rows_problem(r, "source %s is not in sources.txt", id);
    }
    g.source = (uint16_t)pattern_add(a, by_field, from->own ? a->rows.name : parent->rows.name);
    return (uint16_t)pool_add(&tables.figures, &g, 1);
}

static void inherit_rows(const rows_reader *r, arch *a, const inheritance *from)
{
    for (size_t id = 0; id < form_count; id++) {
        if (a->rows.figures[id] != GEN_NONE || from->parent->rows.figures[id] == GEN_NONE ||
            (from->alone && from->parent->places[id].inherited))
            continue;
        a->places[id] = from->parent->places[id];
        a->places[id].inherited = true;
        a->rows.figures[id] = inherit_row(r, a, from, from->parent->rows.figures[id]);
        a->rows.form_count++;
    }
}

static void inherit_fusion(arch *a, const arch *parent)
{
    if (a->rows.fusion_count)
        return;
    memcpy(a->rows.fusion, parent->rows.fusion, sizeof a->rows.fusion);
    memcpy(a->rows.fusion_names, parent->rows.fusion_names, sizeof a->rows.fusion_names);
    a->rows.fusion_count = parent->rows.fusion_count;
}

void read_insns(const char *dir, const char *name, arch *a, insns_file which)
{
    rows_reader r;
    inheritance parents[MAX_PARENTS];
    size_t parent_count = 0;
    if (!reader_open(&r, dir, name, which != INSNS_OWN))
        return;
    memset(a->rows.row_sources, 0, sizeof a->rows.row_sources);
    while (reader_next(&r)) {
        if (strncmp(r.line, "inherit ", 8) == 0) {
            read_inheritance(&r, a, r.line, parents, &parent_count);
            if (parent_count)
                inherit_fusion(a, parents[0].parent);
        } else if (strncmp(r.line, "source ", 7) == 0) {
            rows_read_row_source(&r, &a->rows);
        } else {
            int64_t form = rows_read_insn(&r, &a->rows, which == INSNS_BESIDE);
            if (form >= 0)
                a->places[form] = (row_place){.file = r.name, .line = r.number};
        }
    }
    for (size_t i = 0; i < parent_count; i++)
        inherit_rows(&r, a, &parents[i]);
}
