/* load_text.c - the text of a model: its head, its sections, and what it inherits. The sections may stand in
 * any order: sources are read first, then parameters, extensions and macro-fusion, at last figures. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "x86/arch/parameters.h"
#include "x86/tables/loading.h"

static const char *const sections[] = {
    [SECTION_PARAMS] = "[params]", [SECTION_EXTENSIONS] = "[extensions]", [SECTION_FUSION] = "[fusion]",
    [SECTION_INSNS] = "[insns]",   [SECTION_SOURCES] = "[sources]",
};

static const gen_arch *find_parent(const char *name)
{
    const tacho_arch *arch = strcasecmp(name, "native") ? tacho_arch_find(name, NULL) : NULL;
    return arch ? arch_tables(arch) : NULL;
}

static void read_inherit(loading *l, const rows_reader *r, const char *name)
{
    tacho_error err = {.message = "a built-in core is inherited by its own name"};
    if (l->inherit_line) {
        rows_problem(r, "only one core is inherited, and line %zu says which", l->inherit_line);
        return;
    }
    l->inherit_line = r->number;
    l->parent = find_parent(name);
    if (!l->parent && strcasecmp(name, "native"))
        tacho_arch_find(name, &err);
    if (!l->parent)
        rows_problem(r, "%s", err.message);
}

static void read_name(loading *l, const rows_reader *r, const char *name)
{
    if (l->named)
        rows_problem(r, "it has a name already");
    else if (strlen(name) >= sizeof l->name)
        rows_problem(r, "a name has at most %d bytes", LOADING_NAME_BYTES - 1);
    else
        snprintf(l->name, sizeof l->name, "%s", name);
    l->named = true;
    l->name_line = r->number;
}

static bool begins(const char *line, const char *word)
{
    return strncmp(line, word, strlen(word)) == 0;
}

/* A line before all rows. @return false: it is none such */
static bool read_head(loading *l, const rows_reader *r)
{
    if (begins(r->line, "inherit "))
        read_inherit(l, r, r->line + strlen("inherit "));
    else if (begins(r->line, "name "))
        read_name(l, r, r->line + strlen("name "));
    else
        return false;
    return true;
}

/* The section that a line is the head of; -1: it is a row. */
static int section_of(const char *line)
{
    if (line[0] != '[')
        return -1;
    for (int i = 0; i < SECTION_UNKNOWN; i++)
        if (strcmp(line, sections[i]) == 0)
            return i;
    return SECTION_UNKNOWN;
}

static void read_row(loading *l, const rows_reader *r, loading_section section)
{
    if (section != SECTION_INSNS && strlen(r->line) > LOADING_LINE_BYTES) {
        rows_problem(r, "a line of more than %d bytes", LOADING_LINE_BYTES);
        return;
    }
    switch (section) {
    case SECTION_PARAMS:
        rows_read_parameter(r, &l->arch);
        break;
    case SECTION_EXTENSIONS:
        rows_read_extensions(r, &l->arch);
        break;
    case SECTION_FUSION:
        rows_read_fusion(r, &l->arch, l->inherited_groups);
        break;
    case SECTION_INSNS:
        if (begins(r->line, "source "))
            rows_read_row_source(r, &l->arch);
        else
            rows_read_insn(r, &l->arch, false);
        break;
    default:
        rows_read_source(r, &l->tables);
    }
}

static void report(const rows_reader *r, const char *text)
{
    loading_problem(r->context, r->number, "%s", text);
}

/* The first row says what the text is. */
static bool read_first(loading *l, rows_reader *r)
{
    unsigned version;
    if (!rows_next(r)) {
        rows_problem(r, "no model of a core: there is nothing in it");
        return false;
    }
    if (begins(r->line, "inherit "))
        return read_head(l, r);
    if (strcmp(r->line, "tacho model 1") == 0)
        return true;
    if (sscanf(r->line, "tacho model %u", &version) == 1)
        rows_problem(r, "a model of version %u; this program knows version 1", version);
    else
        rows_problem(r, "no model of a core, which begins with 'tacho model 1' or 'inherit NAME'");
    return false;
}

/* All rows of these sections; the heads of all sections with those of the sources. */
static void read_sections(loading *l, unsigned wanted)
{
    rows_reader r = {.at = l->text, .end = l->text + l->size, .report = report, .context = l};
    bool first = wanted & 1u << SECTION_SOURCES, in_head = true;
    loading_section section = SECTION_PARAMS;
    bool good = first ? read_first(l, &r) : rows_next(&r) != NULL;
    l->refused |= !good;
    while (good && !loading_is_over(l) && rows_next(&r)) {
        int head = section_of(r.line);
        if (head >= 0 && head == SECTION_UNKNOWN && first)
            rows_problem(&r, "%.40s is no section: [params], [extensions], [fusion], [insns], [sources]",
                         r.line);
        if (head >= 0) {
            section = (loading_section)head;
            in_head = false;
        } else if (in_head && (begins(r.line, "inherit ") || begins(r.line, "name "))) {
            if (first)
                read_head(l, &r);
        } else if (begins(r.line, "inherit ")) {
            if (first)
                rows_problem(&r, "a core is inherited before all rows");
        } else {
            in_head = false;
            if (wanted & 1u << section && section != SECTION_UNKNOWN)
                read_row(l, &r, section);
        }
    }
    if (r.no_memory)
        l->tables.full = "memory";
    rows_end(&r);
}

/* ---- what is inherited ---- */

/* Sources as they are in the texts of a built-in core. */
static void inherit_extensions(loading *l)
{
    rows_source *s = l->inherited_sources;
    for (int e = 1; l->parent && e < TACHO_EXTENSION_COUNT; e++) {
        s[e].text = (char *)l->parent->extension_sources[e];
        l->arch.extensions[e] = s[e].text ? &s[e] : NULL;
    }
}

/* The groups of built-in cores are called G0, G1 ... in all their tables. */
static void inherit_fusion(loading *l)
{
    rows_arch *a = &l->arch;
    char name[8];
    for (unsigned g = 1; l->parent && g < GEN_MAX_FUSION_GROUPS && l->parent->fusion[g]; g++) {
        snprintf(name, sizeof name, "G%u", g - 1);
        a->fusion_names[g] = rows_copy(&l->tables, name);
        a->fusion[g] = l->parent->fusion[g];
        a->fusion_count = l->inherited_groups = g;
    }
}

static void inherit_parameters(loading *l)
{
    rows_arch *a = &l->arch;
    char text[80];
    for (size_t i = 0; l->parent && i < tacho_arch_parameter_count(); i++) {
        if (a->value_sources[i])
            continue;
        tacho_arch_parameter_text(&l->parent->arch, i, text, sizeof text);
        tacho_arch_parameter_parse(&a->values, i, text);
        rows_source *s = arena_alloc(&l->tables.texts, sizeof *s);
        if (!s) {
            l->tables.full = "memory";
            return;
        }
        s->text = (char *)l->parent->parameters[i].source;
        a->value_sources[i] = s;
    }
}

static char *joined(loading *l, const char *const *words)
{
    char text[512] = "";
    for (size_t used = 0; *words && used < sizeof text; words++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used ? " " : "", *words);
    return rows_copy(&l->tables, text);
}

static void name_default(loading *l, rows_name name, const char *text)
{
    if (!l->arch.names[name])
        l->arch.names[name] = rows_copy(&l->tables, text);
}

/* What is not said of its names. It is the parent's core, unless it says which. */
static void default_names(loading *l)
{
    char text[LOADING_LINE_BYTES];
    const gen_arch *parent = l->parent;
    if (parent && !l->arch.names[ROWS_NAME_CORE] && !l->arch.names[ROWS_NAME_SAME_CORES])
        l->arch.names[ROWS_NAME_SAME_CORES] = joined(l, parent->cores + (*parent->cores != NULL));
    name_default(l, ROWS_NAME_CORE, parent && *parent->cores ? *parent->cores : l->name);
    name_default(l, ROWS_NAME_SAME_CORES, "-");
    name_default(l, ROWS_NAME_ALIASES, "-");
    snprintf(text, sizeof text, "%s%s", parent ? "changed from " : l->name,
             parent ? parent->arch.long_name : "");
    name_default(l, ROWS_NAME_LONG, text);
    snprintf(text, sizeof text, "%s%s", parent ? "changed from: " : "those of a model from a file",
             parent ? parent->arch.table : "");
    name_default(l, ROWS_NAME_TABLE, text);
}

void loading_read(loading *l)
{
    if (loading_is_over(l))
        return;
    read_sections(l, 1u << SECTION_SOURCES);
    if (l->refused)
        return;
    inherit_extensions(l);
    inherit_fusion(l);
    if (!loading_is_over(l))
        read_sections(l, 1u << SECTION_PARAMS | 1u << SECTION_EXTENSIONS | 1u << SECTION_FUSION);
    inherit_parameters(l);
    loading_check_name(l);
    default_names(l);
    if (!loading_is_over(l))
        loading_check_arch(l);
    if (!loading_is_over(l))
        read_sections(l, 1u << SECTION_INSNS);
}
