/* table_arch.c - archs.txt, and what a microarchitecture is beside its figures: params.txt, extensions.txt
 * and fusion.txt. */
#include "table_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "x86/arch/parameters.h"

arch **archs;
size_t arch_count;

const arch *arch_find(const char *name)
{
    for (size_t i = 0; i < arch_count; i++)
        if (strcasecmp(archs[i]->rows.name, name) == 0)
            return archs[i];
    return NULL;
}

/* "inherit SKL": parameters that are not given are those of SKL. */
const arch *read_parent(const rows_reader *r, const char *line, const arch *child)
{
    const char *name = line + strlen("inherit ");
    const arch *parent = arch_find(name);
    if (!parent || parent == child)
        rows_problem(r, "%s is not a microarchitecture that comes before this one in archs.txt", name);
    return parent == child ? NULL : parent;
}

static void inherit_parameters(rows_arch *a, const rows_arch *parent)
{
    char text[80];
    for (size_t i = 0; i < tacho_arch_parameter_count(); i++) {
        if (a->value_sources[i])
            continue;
        tacho_arch_parameter_text(&parent->values, i, text, sizeof text);
        tacho_arch_parameter_parse(&a->values, i, text);
        a->value_sources[i] = parent->value_sources[i];
    }
}

static void name_default(arch *a, rows_name name, const char *text)
{
    if (!a->rows.names[name])
        a->rows.names[name] = copy(text);
}

static void read_params(const char *dir, arch *a)
{
    rows_reader r;
    const arch *parent = NULL;
    reader_open(&r, dir, "params.txt", false);
    while (reader_next(&r)) {
        if (strncmp(r.line, "inherit ", 8) == 0)
            parent = read_parent(&r, r.line, a);
        else
            rows_read_parameter(&r, &a->rows);
    }
    if (parent)
        inherit_parameters(&a->rows, &parent->rows);
    rows_check_parameters(&r, &a->rows);
    if (a->rows.names[ROWS_NAME_CHECKED])
        rows_problem(&r, "checked is for models from files: a core of ours has 'compared'");
    name_default(a, ROWS_NAME_CPUID_FAMILY, "Intel:6");
    name_default(a, ROWS_NAME_COMPARED, "-");
    for (int i = 0; i < ROWS_NAME_CHECKED; i++) {
        if (!a->rows.names[i])
            rows_problem(&r, "%s has no value", rows_name_text((rows_name)i));
        name_default(a, (rows_name)i, "");
    }
}

static void read_fusion(const char *dir, arch *a)
{
    rows_reader r;
    if (!reader_open(&r, dir, "fusion.txt", true))
        return;
    while (reader_next(&r))
        rows_read_fusion(&r, &a->rows, 0);
}

static void read_extensions(const char *dir, arch *a)
{
    rows_reader r;
    reader_open(&r, dir, "extensions.txt", false);
    while (reader_next(&r)) {
        if (strncmp(r.line, "inherit ", 8) != 0) {
            rows_read_extensions(&r, &a->rows);
            continue;
        }
        const arch *parent = read_parent(&r, r.line, a);
        if (parent)
            memcpy(a->rows.extensions, parent->rows.extensions, sizeof a->rows.extensions);
    }
}

static arch *new_arch(const char *name)
{
    arch *a = calloc(1, sizeof *a);
    if (!a)
        die("memory");
    a->rows.name = copy(name);
    a->rows.tables = &tables;
    a->rows.add_source = own_pattern_add;
    a->rows.figures = malloc((form_count + 1) * sizeof *a->rows.figures);
    a->places = calloc(form_count + 1, sizeof *a->places);
    if (!a->rows.figures || !a->places)
        die("memory");
    memset(a->rows.figures, 0xFF, (form_count + 1) * sizeof *a->rows.figures);
    archs = grow(archs, arch_count, sizeof *archs);
    return archs[arch_count++] = a;
}

void read_archs(const char *data)
{
    rows_reader r;
    char dir[4096 - 64];
    reader_open(&r, data, "archs.txt", false);
    while (reader_next(&r)) {
        if (arch_find(r.line)) {
            rows_problem(&r, "%s is there already", r.line);
            continue;
        }
        arch *a = new_arch(r.line);
        if (snprintf(dir, sizeof dir, "%s/arch/%s", data, a->rows.name) >= (int)sizeof dir) {
            errno = ENAMETOOLONG;
            die(data);
        }
        read_params(dir, a);
        read_extensions(dir, a);
        read_fusion(dir, a);
        read_insns(dir, "insns.txt", a, INSNS_OWN);
        read_insns(dir, "extra.txt", a, INSNS_EXTRA);
        read_insns(dir, "published.txt", a, INSNS_BESIDE);
    }
}
