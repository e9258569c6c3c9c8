/* load_text.c - the text of a model: its head, its sections, and what it inherits. The sections may stand in
 * any order: sources are read first, then parameters, extensions and macro-fusion, at last figures. */
#include <ctype.h>
#include <strings.h>

#include "base/mem.h"
#include "base/str.h"
#include "x86/arch/parameters.h"
#include "x86/tables/loading.h"

/* ---- what is wrong beyond single rows ---- */

/* Enough for it to be read no further. */
static bool loading_is_over(const loading *l)
{
    return l->refused || l->tables.full || l->problem_count >= TACHO_MAX_MODEL_PROBLEMS;
}

/* Of no row: the problem is in `line`. */
static void loading_problem(loading *l, size_t line, const char *format, ...)
{
    char text[TACHO_ERROR_MESSAGE_SIZE];
    va_list args;
    if (loading_is_over(l))
        return;
    va_start(args, format);
    tacho_vformat_fit(text, sizeof text, format, args);
    va_end(args);
    if (tacho_mem_grow(&l->problems, &l->problem_capacity, l->problem_count + 1, sizeof *l->problems)) {
        l->tables.full = "memory";
        return;
    }
    l->problems[l->problem_count] = (load_problem){line, l->problem_count, rows_copy(&l->tables, text)};
    l->problem_count++;
}

/* ---- text ---- */

/* Bytes of the character at `at`; 0: it is none in UTF-8. */
static size_t character(const unsigned char *at, size_t left)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t n = at[0] < 0x80 ? 1 : at[0] >> 5 == 6 ? 2 : at[0] >> 4 == 14 ? 3 : at[0] >> 3 == 30 ? 4 : 0;
    if (n < 2 || n > left)
        return n == 1;
    uint32_t code = at[0] & (0x7Fu >> n);
    for (size_t i = 1; i < n; i++) {
        if (at[i] >> 6 != 2)
            return 0;
        code = code << 6 | (at[i] & 0x3F);
    }
    return code < least[n] || code > 0x10FFFF || code >> 11 == 0x1B ? 0 : n;
}

/* Sources and names are shown on terminals and in JSON. C1 controls are two bytes from 0xC2. */
static bool is_control(const unsigned char *at)
{
    return (at[0] < 0x20 && !strchr("\t\n\r", at[0])) || at[0] == 0 || at[0] == 0x7F ||
           (at[0] == 0xC2 && at[1] < 0xA0);
}

void loading_check_text(loading *l)
{
    const unsigned char *at = (const unsigned char *)l->text;
    size_t line = 1, n;
    for (size_t i = 0; i < l->size; i += n) {
        n = character(at + i, l->size - i);
        if (!n || is_control(at + i)) {
            loading_problem(l, line, "no text: byte 0x%02X is %s", at[i],
                            n ? "a control character" : "not UTF-8");
            l->refused = true;
            return;
        }
        line += at[i] == '\n';
    }
}

/* ---- names ---- */

static bool is_name(const char *name)
{
    size_t n = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._+-");
    return *name && !name[n] && isalnum((unsigned char)*name);
}

static void loading_check_name(loading *l)
{
    const size_t line = l->named ? l->name_line : 0;
    tacho_error unwanted;
    if (!is_name(l->name))
        loading_problem(l, line,
                        "a name has letters, digits and . _ + - only, and begins with one of the first two");
    else if (tacho_str_same(l->name, "native") || tacho_str_same(l->name, "all") ||
             tacho_arch_find(l->name, &unwanted))
        loading_problem(l, line, "%s is a built-in core's name; 'name ANOTHER' before all rows gives another",
                        l->name);
}

/* ---- parameters ---- */

/* The row that a complaint about several parameters is about: the last one of those that it names. */
static size_t line_of(const loading *l, const char *message)
{
    tacho_arch_parameter p;
    size_t line = 0;
    for (size_t i = 0; tacho_arch_parameter_get(i, &p) == 0; i++)
        if (l->arch.value_lines[i] > line && strstr(message, p.name))
            line = l->arch.value_lines[i];
    return line;
}

static void report_last(const rows_reader *r, const char *text)
{
    loading_problem(r->context, line_of(r->context, text), "%s", text);
}

static void loading_check_arch(loading *l)
{
    const rows_reader end = {.report = report_last, .context = l};
    const tacho_arch *a = &l->arch.values, *parent = l->parent ? &l->parent->arch : NULL;
    tacho_error err;
    rows_check_parameters(&end, &l->arch);
    if (l->problem_count)
        return; /* values that could not be read fit nowhere */
    if (tacho_arch_check(a, &err))
        loading_problem(l, line_of(l, err.message), "%s", err.message);
    else if (parent && a->ports < parent->ports)
        loading_problem(l, line_of(l, "ports"), "ports cannot be %u: rows of %s name %u ports", a->ports,
                        parent->name, parent->ports);
}

/* ---- sections and lines ---- */

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

/* A line before all rows. @return false: it is none such */
static bool read_head(loading *l, const rows_reader *r)
{
    if (tacho_starts_with(r->line, "inherit "))
        read_inherit(l, r, r->line + strlen("inherit "));
    else if (tacho_starts_with(r->line, "name "))
        read_name(l, r, r->line + strlen("name "));
    else
        return false;
    return true;
}

/* The section that a line is the head of; -1: it is a row. */
static int section_of(const char *line)
{
    int known = tacho_text_index(line, sections, SECTION_UNKNOWN);
    return line[0] != '[' ? -1 : known < 0 ? SECTION_UNKNOWN : known;
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
        if (tacho_starts_with(r->line, "source "))
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
    if (tacho_starts_with(r->line, "inherit "))
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
        } else if (in_head && (tacho_starts_with(r.line, "inherit ") || tacho_starts_with(r.line, "name "))) {
            if (first)
                read_head(l, &r);
        } else if (tacho_starts_with(r.line, "inherit ")) {
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
