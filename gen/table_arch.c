/* table_arch.c - archs.txt, and what a microarchitecture is beside its figures: params.txt, extensions.txt
 * and fusion.txt. */
#include "table_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "x86/arch/parameters.h"

static const char *const NAMES[NAME_COUNT] = {"long_name", "table",        "core",         "same_cores",
                                              "aliases",   "cpuid_models", "cpuid_family", "compared"};
static const char *const VENDORS[] = {[GEN_INTEL] = "Intel", [GEN_AMD] = "AMD"};

arch **archs;
size_t arch_count;

static arch *arch_find(const char *name)
{
    for (size_t i = 0; i < arch_count; i++)
        if (strcmp(archs[i]->name, name) == 0)
            return archs[i];
    return NULL;
}

static int parameter_index(const char *name)
{
    tacho_arch_parameter p;
    for (size_t i = 0; tacho_arch_parameter_get(i, &p) == 0; i++)
        if (strcmp(p.name, name) == 0)
            return (int)i;
    return -1;
}

static int name_index(const char *name)
{
    for (int i = 0; i < NAME_COUNT; i++)
        if (strcmp(NAMES[i], name) == 0)
            return i;
    return -1;
}

/* "inherit SKL": parameters that are not given are those of SKL. */
const arch *read_parent(const reader *r, const char *line, const arch *child)
{
    const char *name = line + strlen("inherit ");
    const arch *parent = arch_find(name);
    if (!parent || parent == child)
        problem(r, "%s is not a microarchitecture that comes before this one in archs.txt", name);
    return parent == child ? NULL : parent;
}

/* "Intel:6" or "AMD:0x1A" */
bool read_family(const char *text, unsigned *vendor, long *family)
{
    for (*vendor = 0; *vendor < sizeof VENDORS / sizeof *VENDORS; ++*vendor) {
        size_t length = strlen(VENDORS[*vendor]);
        if (strncmp(text, VENDORS[*vendor], length) == 0 && text[length] == ':')
            return read_number(text + length + 1, 15 + 255, family);
    }
    return false;
}

/* "0x8E", "0x40-0x4F" or "0x8E:10-15" */
bool read_model(const char *text, gen_model *out)
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

static bool models_valid(const char *list)
{
    char *text = copy(list), *words[MAX_LIST];
    gen_model m;
    bool good = true;
    size_t n = strcmp(list, "-") == 0 ? 0 : split(text, ' ', words, MAX_LIST);
    for (size_t i = 0; i < n; i++)
        good &= read_model(words[i], &m);
    free(text);
    return good;
}

/* A tacho_compared by its name; -1 for other words. */
int read_compared(const char *text)
{
    static const char *const words[] = {"-", "model", "measurements", "instructions"};
    for (int i = 0; i < 4; i++)
        if (strcmp(words[i], text) == 0)
            return i;
    return -1;
}

static bool name_valid(int name, const char *value)
{
    unsigned vendor;
    long family;
    switch (name) {
    case NAME_CPUID_MODELS:
        return models_valid(value);
    case NAME_CPUID_FAMILY:
        return read_family(value, &vendor, &family);
    case NAME_COMPARED:
        return read_compared(value) >= 0;
    default:
        return *value && !strpbrk(value, "\"\\");
    }
}

static void read_parameter(const reader *r, arch *a, char **f)
{
    int i = parameter_index(f[0]), n = name_index(f[0]);
    if (i < 0 && n < 0) {
        problem(r, "%s is not a parameter", f[0]);
        return;
    }
    const source *s = source_find(f[2]);
    if (!s)
        problem(r, "%s: source %s is not in sources.txt", f[0], f[2]);
    if (n >= 0 ? a->names[n] != NULL : a->value_sources[i] != NULL) {
        problem(r, "%s has a value already", f[0]);
        return;
    }
    bool good = n >= 0 ? name_valid(n, f[1]) : tacho_arch_parameter_parse(&a->values, (size_t)i, f[1]);
    if (!good)
        problem(r, "%s cannot be %s", f[0], f[1]);
    if (n >= 0)
        a->names[n] = copy(f[1]);
    else
        a->value_sources[i] = s ? s : sources;
}

static void inherit_parameters(arch *a, const arch *parent)
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

static void read_params(const char *dir, arch *a)
{
    reader r;
    char *f[4];
    const arch *parent = NULL;
    tacho_arch_parameter p;
    reader_open(&r, dir, "params.txt", false);
    while (reader_next(&r)) {
        if (strncmp(r.line, "inherit ", 8) == 0)
            parent = read_parent(&r, r.line, a);
        else if (split(r.line, '\t', f, 4) < 3)
            problem(&r, "a parameter has three fields: name, value, source");
        else
            read_parameter(&r, a, f);
    }
    if (parent)
        inherit_parameters(a, parent);
    for (size_t i = 0; tacho_arch_parameter_get(i, &p) == 0; i++)
        if (!a->value_sources[i])
            problem(&r, "%s has no value", p.name);
    if (a->values.ports > TACHO_MAX_BOUND_PORTS && a->values.port_policy != TACHO_PORTS_AT_DISPATCH)
        problem(&r, "ports: with port_policy %u there are at most %d", a->values.port_policy,
                TACHO_MAX_BOUND_PORTS);
    if (!a->names[NAME_CPUID_FAMILY])
        a->names[NAME_CPUID_FAMILY] = copy("Intel:6");
    if (!a->names[NAME_COMPARED])
        a->names[NAME_COMPARED] = copy("-");
    for (int i = 0; i < NAME_COUNT; i++)
        if (!a->names[i]) {
            problem(&r, "%s has no value", NAMES[i]);
            a->names[i] = copy("");
        }
}

static int condition_code(const char *name)
{
    static const char *const CONDITIONS[] = {"O", "NO", "B", "NB", "Z", "NZ", "BE", "NBE",
                                             "S", "NS", "P", "NP", "L", "NL", "LE", "NLE"};
    for (int i = 0; i < 16; i++)
        if (strcmp(CONDITIONS[i], name) == 0)
            return i;
    return -1;
}

static void read_fusion(const char *dir, arch *a)
{
    reader r;
    char *f[2], *words[MAX_LIST];
    if (!reader_open(&r, dir, "fusion.txt", true))
        return;
    while (reader_next(&r)) {
        if (split(r.line, '\t', f, 2) != 2) {
            problem(&r, "a fusion group has two fields: name, conditions");
            continue;
        }
        if (a->fusion_count + 1 == GEN_MAX_FUSION_GROUPS) {
            problem(&r, "too many fusion groups");
            continue;
        }
        unsigned group = ++a->fusion_count; /* 0: none */
        a->fusion_names[group] = copy(f[0]);
        size_t n = split(f[1], ' ', words, MAX_LIST);
        for (size_t i = 0; i < n; i++) {
            int code = condition_code(words[i]);
            if (code < 0)
                problem(&r, "%s is not a condition", words[i]);
            else
                a->fusion[group] |= (uint16_t)(1u << code);
        }
    }
}

/* "AVX2" or "-AVX2" */
static void read_extension(const reader *r, arch *a, const char *word, const source *s)
{
    bool remove = *word == '-';
    tacho_extension e = tacho_extension_find(word + remove);
    if (!e)
        problem(r, "%s is not an extension of the instruction set", word + remove);
    else if ((a->extensions[e] != NULL) != remove)
        problem(r, remove ? "%s is not there to be taken away" : "%s is there already", word + remove);
    else
        a->extensions[e] = remove ? NULL : s;
}

static void read_extensions(const char *dir, arch *a)
{
    reader r;
    char *f[3], *words[MAX_LIST];
    reader_open(&r, dir, "extensions.txt", false);
    while (reader_next(&r)) {
        if (strncmp(r.line, "inherit ", 8) == 0) {
            const arch *parent = read_parent(&r, r.line, a);
            if (parent)
                memcpy(a->extensions, parent->extensions, sizeof a->extensions);
            continue;
        }
        if (split(r.line, '\t', f, 3) < 2) {
            problem(&r, "a row of extensions has two fields: names, source");
            continue;
        }
        const source *s = source_find(f[1]);
        if (!s)
            problem(&r, "source %s is not in sources.txt", f[1]);
        size_t n = split(f[0], ' ', words, MAX_LIST);
        for (size_t i = 0; i < n; i++)
            read_extension(&r, a, words[i], s ? s : sources);
    }
}

static arch *new_arch(const char *name)
{
    arch *a = calloc(1, sizeof *a);
    if (!a)
        die("memory");
    a->name = copy(name);
    a->figures = malloc((form_count + 1) * sizeof *a->figures);
    a->inherited = calloc(form_count + 1, sizeof *a->inherited);
    if (!a->figures || !a->inherited)
        die("memory");
    memset(a->figures, 0xFF, (form_count + 1) * sizeof *a->figures);
    archs = grow(archs, arch_count, sizeof *archs);
    return archs[arch_count++] = a;
}

void read_archs(const char *data)
{
    reader r;
    char dir[4096 - 64];
    reader_open(&r, data, "archs.txt", false);
    while (reader_next(&r)) {
        if (arch_find(r.line)) {
            problem(&r, "%s is there already", r.line);
            continue;
        }
        arch *a = new_arch(r.line);
        if (snprintf(dir, sizeof dir, "%s/arch/%s", data, a->name) >= (int)sizeof dir) {
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
