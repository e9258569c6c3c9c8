/* rows_arch.c - what a microarchitecture is beside its figures: parameters, extensions, macro-fusion. */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "x86/arch/parameters.h"
#include "x86/tables/table_rows.h"

static const char *const NAMES[ROWS_NAME_COUNT] = {"long_name",    "table",    "core",
                                                   "same_cores",   "aliases",  "cpuid_models",
                                                   "cpuid_family", "compared", "checked"};

const char *rows_name_text(rows_name name)
{
    return NAMES[name];
}

bool rows_family(const char *text, unsigned *vendor, long *family)
{
    static const char *const vendors[] = {[GEN_INTEL] = "Intel", [GEN_AMD] = "AMD"};
    for (*vendor = 0; *vendor < sizeof vendors / sizeof *vendors; ++*vendor) {
        size_t length = strlen(vendors[*vendor]);
        if (strncmp(text, vendors[*vendor], length) == 0 && text[length] == ':')
            return rows_number(text + length + 1, 15 + 255, family);
    }
    return false;
}

bool rows_model(const char *text, gen_model *out)
{
    unsigned model, last, low = 0, high = 15;
    int used = 0, more = 0;
    if (sscanf(text, "0x%x%n", &model, &used) != 1)
        return false;
    last = model;
    if (sscanf(text + used, "-0x%x%n", &last, &more) == 1)
        used += more;
    if (text[used] == ':') {
        const char *steppings = text + used + 1;
        used = 0;
        if (sscanf(steppings, "%u-%u%n", &low, &high, &used) != 2 || steppings[used])
            return false;
    } else if (text[used]) {
        return false;
    }
    *out = (gen_model){(uint16_t)model, (uint16_t)last, (uint8_t)low, (uint8_t)high};
    return model <= last && last < 256 && low <= high && high < 16;
}

static bool models_valid(rows_tables *t, const char *list)
{
    char *text = rows_copy(t, list), *words[ROWS_MAX_LIST];
    gen_model m;
    bool good = true;
    size_t n = strcmp(list, "-") == 0 ? 0 : rows_split(text, ' ', words, ROWS_MAX_LIST);
    for (size_t i = 0; i < n; i++)
        good &= rows_model(words[i], &m);
    return good;
}

int rows_compared(const char *text)
{
    return TEXT_INDEX(text, "-", "model", "measurements", "instructions");
}

static bool name_valid(rows_tables *t, int name, const char *value)
{
    unsigned vendor;
    long family;
    switch (name) {
    case ROWS_NAME_CPUID_MODELS:
        return models_valid(t, value);
    case ROWS_NAME_CPUID_FAMILY:
        return rows_family(value, &vendor, &family);
    case ROWS_NAME_COMPARED:
        return rows_compared(value) >= 0;
    default:
        return *value && !strpbrk(value, "\"\\");
    }
}

static void refuse_value(const rows_reader *r, size_t i, char **f)
{
    tacho_arch_parameter p;
    char words[120];
    tacho_arch_parameter_get(i, &p);
    tacho_arch_parameter_describe(&p, p.min, words, sizeof words);
    rows_problem(r, "%s cannot be %s: it is %s", f[0], f[1], words);
}

void rows_read_parameter(const rows_reader *r, rows_arch *a)
{
    char *f[4];
    if (!rows_fields(r, f, 3, 4, "a parameter has three fields: name, value, source"))
        return;
    if (!strcmp(f[0], "way_miss_cycles")) /* files of 1.0 have it: a property of measurements, not of cores */
        return;
    bool is_old;
    int i = tacho_arch_parameter_find(f[0], &is_old), n = tacho_text_index(f[0], NAMES, ROWS_NAME_COUNT);
    if (i < 0 && n < 0) {
        rows_problem(r, "%s is not a parameter", f[0]);
        return;
    }
    const rows_source *s = rows_source_find(a->tables, f[2]);
    if (!s)
        rows_problem(r, "%s: source %s is not in %s", f[0], f[2], a->tables->sources_name);
    if (n >= 0 ? a->names[n] != NULL : a->value_sources[i] != NULL) {
        rows_problem(r, "%s has a value already", f[0]);
        return;
    }
    bool good =
        n >= 0 ? name_valid(a->tables, n, f[1]) : tacho_arch_parameter_parse(&a->values, (size_t)i, f[1]);
    if (!good && n < 0)
        refuse_value(r, (size_t)i, f);
    else if (!good)
        rows_problem(r, "%s cannot be %s", f[0], f[1]);
    if (n >= 0) {
        a->names[n] = rows_copy(a->tables, f[1]);
    } else {
        a->value_sources[i] = s ? s : a->tables->sources;
        a->values.old_names |= is_old;
        a->value_lines[i] = r->number;
    }
}

void rows_check_parameters(const rows_reader *r, const rows_arch *a)
{
    tacho_arch_parameter p;
    for (size_t i = 0; tacho_arch_parameter_get(i, &p) == 0; i++)
        if (!a->value_sources[i])
            rows_problem(r, "%s has no value", p.name);
    if (a->values.ports > TACHO_MAX_BOUND_PORTS && a->values.port_policy != TACHO_PORTS_AT_DISPATCH)
        rows_problem(r, "ports: with port_policy %u there are at most %d", a->values.port_policy,
                     TACHO_MAX_BOUND_PORTS);
}

static int condition_code(const char *name)
{
    return TEXT_INDEX(name, "O", "NO", "B", "NB", "Z", "NZ", "BE", "NBE", "S", "NS", "P", "NP", "L", "NL",
                      "LE", "NLE");
}

unsigned rows_fusion_group(const rows_arch *a, const char *name)
{
    for (unsigned i = 1; i <= a->fusion_count; i++)
        if (strcmp(a->fusion_names[i], name) == 0)
            return i;
    return 0;
}

void rows_read_fusion(const rows_reader *r, rows_arch *a, unsigned inherited)
{
    char *f[2], *words[ROWS_MAX_LIST];
    if (!rows_fields(r, f, 2, 2, "a fusion group has two fields: name, conditions"))
        return;
    unsigned group = rows_fusion_group(a, f[0]);
    if (group > inherited) {
        rows_problem(r, "fusion group %s is defined twice", f[0]);
        return;
    }
    if (!group && a->fusion_count + 1 == GEN_MAX_FUSION_GROUPS) {
        rows_problem(r, "too many fusion groups");
        return;
    }
    if (!group) {
        group = ++a->fusion_count; /* 0: none */
        a->fusion_names[group] = rows_copy(a->tables, f[0]);
    }
    a->fusion[group] = 0;
    size_t n = rows_split(f[1], ' ', words, ROWS_MAX_LIST);
    for (size_t i = 0; i < n; i++) {
        int code = condition_code(words[i]);
        if (code < 0)
            rows_problem(r, "%s is not a condition", words[i]);
        else
            a->fusion[group] |= (uint16_t)(1u << code);
    }
}

/* "AVX2" or "-AVX2" */
static void read_extension(const rows_reader *r, rows_arch *a, const char *word, const rows_source *s)
{
    bool remove = *word == '-';
    tacho_extension e = tacho_extension_find(word + remove);
    if (!e)
        rows_problem(r, "%s is not an extension of the instruction set", word + remove);
    else if ((a->extensions[e] != NULL) != remove)
        rows_problem(r, remove ? "%s is not there to be taken away" : "%s is there already", word + remove);
    else
        a->extensions[e] = remove ? NULL : s;
}

void rows_read_extensions(const rows_reader *r, rows_arch *a)
{
    char *f[3], *words[ROWS_MAX_LIST];
    if (!rows_fields(r, f, 2, 3, "a row of extensions has two fields: names, source"))
        return;
    const rows_source *s = rows_source_find(a->tables, f[1]);
    if (!s)
        rows_problem(r, "source %s is not in %s", f[1], a->tables->sources_name);
    size_t n = rows_split(f[0], ' ', words, ROWS_MAX_LIST);
    for (size_t i = 0; i < n; i++)
        read_extension(r, a, words[i], s ? s : a->tables->sources);
}