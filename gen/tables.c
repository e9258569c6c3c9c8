/* tables.c - reads and checks the text tables in data/ and writes them as one C source for the library.
 *
 *   tacho-gen-tables [--no-mnemonics] DATA_DIR OUT.c
 *
 * Grammar of the tables: data/README.md. Every problem is reported with file, line and reason; then nothing
 * is written. Equal variants, latency lists, operand lists and figures are stored once. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gen_text.h"
#include "x86/arch/parameters.h"
#include "x86/arch/port_digits.h"
#include "x86/decode/decode_names.h"
#include "x86/insndb/key.h"
#include "x86/insndb/tables.h"

enum {
    MAX_PROBLEMS = 80,
    MAX_LIST = 256
};

/* ---- reading ---- */

typedef struct reader {
    char path[4096];
    FILE *in;
    char *line;
    size_t size, number;
} reader;

static unsigned problems;

static void problem(const reader *r, const char *format, ...) TACHO_PRINTF(2, 3);
static void problem(const reader *r, const char *format, ...)
{
    va_list args;
    if (++problems > MAX_PROBLEMS)
        return;
    va_start(args, format);
    fprintf(stderr, "%s:%zu: ", r->path, r->number);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

static bool reader_open(reader *r, const char *dir, const char *name, bool optional)
{
    memset(r, 0, sizeof *r);
    if (snprintf(r->path, sizeof r->path, "%s/%s", dir, name) >= (int)sizeof r->path) {
        errno = ENAMETOOLONG;
        die(dir);
    }
    r->in = fopen(r->path, "r");
    if (!r->in && !optional)
        die(r->path);
    return r->in != NULL;
}

/* The next line that is neither empty nor a comment, or NULL at the end (then closed). */
static char *reader_next(reader *r)
{
    while (getline(&r->line, &r->size, r->in) > 0) {
        r->number++;
        r->line[strcspn(r->line, "\r\n")] = '\0';
        if (r->line[0] != '#' && r->line[0] != '\0')
            return r->line;
    }
    free(r->line);
    fclose(r->in);
    return NULL;
}

static void *grow(void *items, size_t count, size_t item)
{
    if (count & (count - 1))
        return items;
    void *p = realloc(items, (count ? 2 * count : 1) * item);
    if (!p)
        die("memory");
    return p;
}

static bool read_number(const char *s, long max, long *out)
{
    char *end;
    errno = 0;
    *out = strtol(s, &end, 0);
    return *s && *end == '\0' && errno == 0 && *out >= 0 && *out <= max;
}

/* ---- pools: arrays of equal-sized items in which runs are stored once ---- */

typedef struct pool {
    const char *name;
    size_t item, count, capacity;
    unsigned char *items;
    struct {
        uint32_t start, count;
    } * runs;
    size_t run_count;
    uint32_t *slots; /* hash of runs: number + 1 */
    size_t slot_count;
} pool;

static uint32_t hash_bytes(const void *data, size_t size)
{
    const unsigned char *p = data;
    uint32_t h = 2166136261u;
    while (size--)
        h = (h ^ *p++) * 16777619u;
    return h;
}

static void pool_rehash(pool *p)
{
    size_t count = p->slot_count ? 2 * p->slot_count : 1024;
    free(p->slots);
    p->slots = calloc(count, sizeof *p->slots);
    if (!p->slots)
        die("memory");
    p->slot_count = count;
    for (size_t i = 0; i < p->run_count; i++) {
        size_t s = hash_bytes(p->items + p->runs[i].start * p->item, p->runs[i].count * p->item);
        while (p->slots[s & (count - 1)])
            s++;
        p->slots[s & (count - 1)] = (uint32_t)i + 1;
    }
}

/* Index of the first of `count` items equal to these, added if there are none. */
static uint32_t pool_add(pool *p, const void *items, size_t count)
{
    if (count == 0)
        return 0;
    if (2 * p->run_count >= p->slot_count)
        pool_rehash(p);
    size_t s = hash_bytes(items, count * p->item);
    for (; p->slots[s & (p->slot_count - 1)]; s++) {
        size_t run = p->slots[s & (p->slot_count - 1)] - 1;
        if (p->runs[run].count == count &&
            memcmp(p->items + p->runs[run].start * p->item, items, count * p->item) == 0)
            return p->runs[run].start;
    }
    while (p->count + count > p->capacity) {
        p->capacity = p->capacity ? 2 * p->capacity : 1024;
        p->items = realloc(p->items, p->capacity * p->item);
        if (!p->items)
            die("memory");
    }
    memcpy(p->items + p->count * p->item, items, count * p->item);
    p->runs = grow(p->runs, p->run_count, sizeof *p->runs);
    p->runs[p->run_count].start = (uint32_t)p->count;
    p->runs[p->run_count].count = (uint32_t)count;
    p->slots[s & (p->slot_count - 1)] = (uint32_t)++p->run_count;
    p->count += count;
    if (p->count > GEN_NONE) {
        fprintf(stderr, "tacho-gen-tables: more than %d %s\n", GEN_NONE, p->name);
        exit(1);
    }
    return (uint32_t)(p->count - count);
}

static pool operand_pool = {.name = "operands", .item = sizeof(tacho_form_operand)};
static pool group_pool = {.name = "port groups", .item = sizeof(tacho_port_group)};
static pool variant_pool = {.name = "variants", .item = sizeof(gen_variant)};
static pool latency_pool = {.name = "latencies", .item = sizeof(tacho_latency)};
static pool figures_pool = {.name = "figures", .item = sizeof(gen_figures)};

/* ---- sources.txt ---- */

typedef struct source {
    char *id, *class_, *core, *text;
} source;

static source *sources;
static size_t source_count;

static const source *source_find(const char *id)
{
    for (size_t i = 0; i < source_count; i++)
        if (strcmp(sources[i].id, id) == 0)
            return &sources[i];
    return NULL;
}

static void read_sources(const char *dir)
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

/* ---- forms.txt ---- */

typedef struct form {
    uint64_t key;
    char *name;
    gen_form out;
    size_t line;
} form;

static form *forms;
static size_t form_count;
static uint16_t *hash_slots;
static size_t hash_size;

static long form_find(uint64_t key)
{
    if (!hash_slots)
        return -1;
    for (uint32_t s = tacho_key_hash(key);; s++) {
        uint16_t id = hash_slots[s & (hash_size - 1)];
        if (id == GEN_NONE)
            return -1;
        if (forms[id].key == key)
            return id;
    }
}

static void hash_insert(size_t id)
{
    uint32_t s = tacho_key_hash(forms[id].key);
    while (hash_slots[s & (hash_size - 1)] != GEN_NONE)
        s++;
    hash_slots[s & (hash_size - 1)] = (uint16_t)id;
}

static void form_add(form f)
{
    forms = grow(forms, form_count, sizeof *forms);
    forms[form_count++] = f;
    if (2 * form_count > hash_size) {
        hash_size = hash_size ? 2 * hash_size : 64;
        hash_slots = realloc(hash_slots, hash_size * sizeof *hash_slots);
        if (!hash_slots)
            die("memory");
        memset(hash_slots, 0xFF, hash_size * sizeof *hash_slots);
        for (size_t i = 0; i < form_count; i++)
            hash_insert(i);
    } else {
        hash_insert(form_count - 1);
    }
}

static bool read_access(const char *s, size_t length, uint8_t *out)
{
    *out = 0;
    for (size_t i = 0; i < length; i++) {
        const char *p = strchr("rwc-", s[i]);
        if (!p || !*p)
            return false;
        *out |= (uint8_t[]){TACHO_READ, TACHO_WRITE, TACHO_CONDITIONAL, 0}[p - "rwc-"];
    }
    return length > 0;
}

/* "rw" or "rw:64" */
static bool read_access_width(const char *s, tacho_form_operand *op)
{
    long width;
    size_t length = strcspn(s, ":");
    if (!read_access(s, length, &op->access))
        return false;
    if (s[length] == ':') {
        if (!read_number(s + length + 1, 65535, &width))
            return false;
        op->width_bits = (uint16_t)width;
    }
    return true;
}

static bool read_reg(const char *s, size_t length, tacho_reg *out)
{
    for (uint8_t c = TACHO_REG_R8L; c <= TACHO_REG_OTHER; c++) {
        if (c == TACHO_REG_FLAGS)
            continue;
        for (uint8_t n = 0; n < 32; n++) {
            const char *name = tacho_reg_name((tacho_reg){c, n});
            if (strlen(name) == length && strncmp(name, s, length) == 0 && strcmp(name, "unknown") != 0) {
                *out = (tacho_reg){c, n};
                return true;
            }
        }
    }
    return false;
}

static bool read_flag_groups(const char *s, size_t length, uint8_t *out)
{
    *out = 0;
    for (size_t i = 0; i < length; i++) {
        if (s[i] != 'C' && s[i] != 'S' && s[i] != '-')
            return false;
        *out |= s[i] == 'C' ? TACHO_FLAG_C : s[i] == 'S' ? TACHO_FLAG_SPAZO : 0;
    }
    return length > 0;
}

/* "flags=rw:C:CS", "rsp=rw:64", "[rbx+al]=r:8" */
static bool read_suppressed(const char *s, tacho_form_operand *op)
{
    const char *equal = strchr(s, '=');
    op->visibility = TACHO_SUPPRESSED;
    if (strncmp(s, "flags=", 6) == 0) {
        op->kind = TACHO_OPERAND_FLAGS;
        size_t access = strcspn(s + 6, ":");
        const char *read = s + 6 + access, *write = *read ? strchr(read + 1, ':') : NULL;
        return write && read_access(s + 6, access, &op->access) &&
               read_flag_groups(read + 1, (size_t)(write - read - 1), &op->flags_read) &&
               read_flag_groups(write + 1, strlen(write + 1), &op->flags_written);
    }
    if (s[0] == '[') {
        size_t base = strcspn(s + 1, "+]");
        op->kind = TACHO_OPERAND_MEM;
        if (!read_reg(s + 1, base, &op->base))
            return false;
        if (s[1 + base] == '+') {
            const char *index = s + 2 + base;
            if (!read_reg(index, strcspn(index, "]"), &op->index))
                return false;
        }
    } else {
        op->kind = TACHO_OPERAND_REG;
        if (!read_reg(s, (size_t)(equal - s), &op->reg))
            return false;
    }
    return read_access_width(equal + 1, op);
}

static void operand_of_kind(form_kind kind, tacho_form_operand *op)
{
    bool fixed;
    tacho_reg reg = tacho_kind_reg(kind, &fixed);
    op->width_bits = tacho_kind_width(kind);
    op->visibility = TACHO_EXPLICIT;
    if (reg.class_ != TACHO_REG_NONE) {
        op->kind = TACHO_OPERAND_REG;
        if (fixed) {
            op->reg = reg;
            op->visibility = TACHO_IMPLICIT;
        }
    } else if (tacho_kind_is_memory(kind)) {
        op->kind = TACHO_OPERAND_MEM;
    } else if (kind >= KIND_AGEN) {
        op->kind = TACHO_OPERAND_AGEN;
    } else if (kind == KIND_REL8 || kind == KIND_REL32) {
        op->kind = TACHO_OPERAND_REL;
    } else {
        op->kind = TACHO_OPERAND_IMM;
        if (kind == KIND_ONE)
            op->visibility = TACHO_IMPLICIT;
    }
}

static void read_form(reader *r, char **f)
{
    char why[256], name[256], *words[MAX_LIST];
    form_key key;
    tacho_form_operand ops[MAX_LIST];
    if (!tacho_key_parse(&key, f[0], why, sizeof why)) {
        problem(r, "%s: %s", f[0], why);
        return;
    }
    form out = {.key = tacho_key_pack(&key), .line = r->number};
    form_key back = tacho_key_unpack(out.key);
    tacho_key_name(&back, name, sizeof name);
    if (strcmp(name, f[0]) != 0)
        problem(r, "%s: the regular name is %s", f[0], name);
    long other = form_find(out.key);
    if (other >= 0) {
        problem(r, "%s: the same key as %s in line %zu", f[0], forms[other].name, forms[other].line);
        return;
    }
    const char *encoding = strlen(f[1]) == 1 ? strchr("LVE", f[1][0]) : NULL;
    if (!encoding || !*encoding) {
        problem(r, "%s: encoding %s is none of L, V, E", f[0], f[1]);
        return;
    }
    memset(ops, 0, sizeof ops);
    size_t n = f[2][0] ? split(f[2], ' ', words, MAX_LIST) : 0, visible = 0;
    for (size_t i = 0; i < n; i++) {
        bool suppressed = strchr(words[i], '=') != NULL, good;
        if (suppressed) {
            good = read_suppressed(words[i], &ops[i]);
        } else if (i != visible || visible == key.kind_count) {
            problem(r, "%s: operand %s: visible operands are those of the name, and come first", f[0],
                    words[i]);
            return;
        } else {
            operand_of_kind(key.kinds[visible++], &ops[i]);
            good = read_access_width(words[i], &ops[i]);
        }
        if (!good)
            problem(r, "%s: operand %s cannot be read", f[0], words[i]);
    }
    if (visible != key.kind_count)
        problem(r, "%s: %zu visible operands, the name has %u", f[0], visible, key.kind_count);
    out.name = copy(f[0]); /* only now: what was refused above is forgotten */
    out.out.operands = (uint16_t)pool_add(&operand_pool, ops, n);
    out.out.operand_count = (uint8_t)n;
    out.out.visible_encoding = (uint8_t)(visible | (size_t)(encoding - "LVE") << 4);
    form_add(out);
}

static void read_forms(const char *dir, const char *name, bool optional)
{
    reader r;
    char *f[3];
    if (!reader_open(&r, dir, name, optional))
        return;
    while (reader_next(&r)) {
        size_t n = split(r.line, '\t', f, 3);
        if (n == 2)
            f[n++] = r.line + strlen(r.line);
        if (n == 3)
            read_form(&r, f);
        else
            problem(&r, "a form has three fields: name, encoding, operands");
    }
}

/* ---- arch/NAME/ ---- */

/* Rows of params.txt beside the parameters of tacho_arch. */
enum {
    NAME_LONG,
    NAME_TABLE,
    NAME_CORE,
    NAME_SAME_CORES,
    NAME_ALIASES,
    NAME_CPUID_MODELS,
    NAME_CPUID_FAMILY,
    NAME_COMPARED,
    NAME_COUNT
};
static const char *const NAMES[NAME_COUNT] = {"long_name", "table",        "core",         "same_cores",
                                              "aliases",   "cpuid_models", "cpuid_family", "compared"};
static const char *const VENDORS[] = {[GEN_INTEL] = "Intel", [GEN_AMD] = "AMD"};

enum {
    MAX_PARAMETERS = 128,
    MAX_PATTERNS = 512
};

/* What a pattern of sources stands for on one microarchitecture. */
typedef struct pattern_sources {
    bool set;
    const source *by_field[TACHO_FIELD_COUNT];
    unsigned row_source;
} pattern_sources;

typedef struct arch {
    char *name;
    char *names[NAME_COUNT];
    tacho_arch values;
    const source *value_sources[MAX_PARAMETERS];
    const source *extensions[TACHO_EXTENSION_COUNT]; /* NULL: it has not that one */
    char *fusion_names[GEN_MAX_FUSION_GROUPS];
    uint16_t fusion[GEN_MAX_FUSION_GROUPS];
    unsigned fusion_count;
    uint16_t *figures;
    size_t form_count;
    unsigned row_patterns[4096]; /* by number in insns.txt: pattern + 1 */
    pattern_sources patterns[MAX_PATTERNS];
} arch;

static arch **archs;
static size_t arch_count;

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
static const arch *read_parent(const reader *r, const char *line, const arch *child)
{
    const char *name = line + strlen("inherit ");
    const arch *parent = arch_find(name);
    if (!parent || parent == child)
        problem(r, "%s is not a microarchitecture that comes before this one in archs.txt", name);
    return parent == child ? NULL : parent;
}

/* "Intel:6" or "AMD:0x1A" */
static bool read_family(const char *text, unsigned *vendor, long *family)
{
    for (*vendor = 0; *vendor < sizeof VENDORS / sizeof *VENDORS; ++*vendor) {
        size_t length = strlen(VENDORS[*vendor]);
        if (strncmp(text, VENDORS[*vendor], length) == 0 && text[length] == ':')
            return read_number(text + length + 1, 15 + 255, family);
    }
    return false;
}

/* "0x8E", "0x40-0x4F" or "0x8E:10-15" */
static bool read_model(const char *text, gen_model *out)
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
static int read_compared(const char *text)
{
    static const char *const words[] = {"-", "model", "measurements"};
    for (int i = 0; i < 3; i++)
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

/* ---- rows' sources ---- */

static const char *const FIELD_NAMES[TACHO_FIELD_COUNT][2] = {
    {"ports", "ports and µops"},      {"front_end", "decoding"},  {"indexed", "indexed variant"},
    {"same_reg", "same registers"},   {"latency", "latencies"},   {"divider", "divider"},
    {"throughput", "own throughput"}, {"fusion", "macro-fusion"},
};

typedef struct row_source {
    char *text;
    uint32_t origins;
} row_source;

static row_source *row_sources;
static size_t row_source_count;

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
static size_t pattern_count;

/* Whether `id` is `core`, or `core` with a suffix. */
static bool is_of_core(const char *id, const char *core)
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
static unsigned pattern_add(arch *a, const source *const *by_field, const char *own)
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
static void read_row_source(reader *r, arch *a, char *line)
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

/* ---- insns.txt ---- */

/* "0156*2+23" */
static bool read_ports(const arch *a, char *text, tacho_port_group *out, size_t *count, long *sum)
{
    char *words[MAX_LIST];
    *count = 0;
    *sum = 0;
    if (strcmp(text, "-") == 0)
        return true;
    size_t n = split(text, '+', words, MAX_LIST);
    for (size_t i = 0; i < n; i++) {
        long times = 1;
        char *star = strchr(words[i], '*');
        if (star)
            *star++ = '\0';
        if (star && (!read_number(star, 65535, &times) || times == 0))
            return false;
        out[i] = (tacho_port_group){0, (uint16_t)times};
        for (const char *p = words[i]; *p; p++) {
            int port = port_of_digit(*p);
            if (port < 0 || port >= a->values.ports || out[i].ports & 1u << port)
                return false;
            out[i].ports |= (uint16_t)(1u << port);
        }
        if (out[i].ports == 0)
            return false;
        *sum += times;
    }
    *count = n;
    return true;
}

static bool read_setting(const char *word, const char *key, uint16_t *out)
{
    long value;
    size_t length = strlen(key);
    if (strncmp(word, key, length) != 0 || word[length] != '=' ||
        !read_number(word + length + 1, 65534, &value))
        return false;
    *out = (uint16_t)value;
    return true;
}

static uint16_t read_variant(reader *r, const arch *a, const char *name, char *text, bool *locked)
{
    char *words[MAX_LIST];
    tacho_port_group groups[MAX_LIST];
    size_t count, n = split(text, ' ', words, MAX_LIST);
    long sum;
    gen_variant v;
    memset(&v, 0, sizeof v);
    if (!read_ports(a, words[0], groups, &count, &sum)) {
        problem(r, "%s: ports %s cannot be read, or there is no such port", name, words[0]);
        return 0;
    }
    uint16_t uops = GEN_NONE, slots = GEN_NONE, mite = GEN_NONE, simple = 4;
    for (size_t i = 1; i < n; i++) {
        if (strcmp(words[i], "complex") == 0)
            v.complex_decoder = 1;
        else if (strcmp(words[i], "locked") == 0 && locked)
            *locked = true;
        else if (!read_setting(words[i], "u", &uops) && !read_setting(words[i], "s", &slots) &&
                 !read_setting(words[i], "d", &mite) && !read_setting(words[i], "ms", &v.ms) &&
                 !read_setting(words[i], "simple", &simple) && !read_setting(words[i], "div", &v.div) &&
                 !read_setting(words[i], "tp", &v.tp))
            problem(r, "%s: %s cannot be read", name, words[i]);
    }
    if (uops == sum)
        problem(r, "%s: u=%u says what the ports say", name, uops);
    v.uops = uops == GEN_NONE ? (uint16_t)sum : uops;
    v.slots = slots == GEN_NONE ? (v.uops ? v.uops : 1) : slots;
    v.mite = mite == GEN_NONE ? v.slots : mite;
    v.simple = (uint8_t)simple;
    if (v.slots < 1 || v.mite < 1)
        problem(r, "%s: at least one µop is decoded and issued", name);
    if (v.mite > GEN_MAX_DECODED)
        problem(r, "%s: %u µops from the decoders, of at most %d", name, v.mite, GEN_MAX_DECODED);
    if (simple > 15)
        problem(r, "%s: %u simple decoders", name, simple);
    v.groups = (uint16_t)pool_add(&group_pool, groups, count);
    v.group_count = (uint8_t)count;
    return (uint16_t)pool_add(&variant_pool, &v, 1);
}

static bool read_cycles(const char *s, int16_t *out)
{
    char *end;
    if (*s == '\0') {
        *out = TACHO_NO_LATENCY;
        return true;
    }
    long value = strtol(s, &end, 10);
    *out = (int16_t)value;
    return *end == '\0' && value >= 0 && value < 32768;
}

static void read_latencies(reader *r, const form *f, char *text, gen_figures *out)
{
    char *words[MAX_LIST], *values[6];
    tacho_latency list[MAX_LIST];
    memset(list, 0, sizeof list);
    if (strcmp(text, "-") == 0)
        return;
    size_t n = split(text, ' ', words, MAX_LIST);
    for (size_t i = 0; i < n; i++) {
        unsigned from, to;
        int used = 0;
        int16_t *const fields[] = {&list[i].cycles, &list[i].address, &list[i].address_index, &list[i].memory,
                                   &list[i].same_register};
        if (sscanf(words[i], "%u>%u=%n", &from, &to, &used) != 2 || !used) {
            problem(r, "%s: latency %s cannot be read", f->name, words[i]);
            return;
        }
        if (from >= f->out.operand_count || to >= f->out.operand_count) {
            problem(r, "%s: latency %s: the form has %u operands", f->name, words[i], f->out.operand_count);
            return;
        }
        list[i].source = (uint8_t)from;
        list[i].target = (uint8_t)to;
        for (size_t j = 0; j < i; j++)
            if (list[j].source == from && list[j].target == to)
                problem(r, "%s: two latencies %u>%u", f->name, from, to);
        size_t k = split(words[i] + used, ',', values, 6);
        for (size_t j = 0; j < 5; j++) {
            *fields[j] = TACHO_NO_LATENCY;
            if (j < k && !read_cycles(values[j], fields[j]))
                problem(r, "%s: %s is not a number of cycles", f->name, values[j]);
        }
        if (k > 5)
            problem(r, "%s: latency %u>%u has more than five numbers", f->name, from, to);
    }
    out->latencies = (uint16_t)pool_add(&latency_pool, list, n);
    out->latency_count = (uint8_t)n;
}

static void read_row(reader *r, arch *a, char **f)
{
    char why[256];
    form_key key;
    gen_figures out;
    long n;
    bool locked = false, override = f[0][0] == '!';
    memset(&out, 0, sizeof out);
    if (override)
        f[0]++;
    if (!tacho_key_parse(&key, f[0], why, sizeof why)) {
        problem(r, "%s: %s", f[0], why);
        return;
    }
    long id = form_find(tacho_key_pack(&key));
    if (id < 0) {
        problem(r, "%s is not in forms.txt", f[0]);
        return;
    }
    if ((a->figures[id] != GEN_NONE) != override) {
        problem(r, override ? "%s has no figures to replace" : "%s has figures already", f[0]);
        return;
    }
    out.base = read_variant(r, a, f[0], f[1], &locked);
    out.locked = locked;
    out.indexed = strcmp(f[2], ".") == 0 ? GEN_NONE : read_variant(r, a, f[0], f[2], NULL);
    out.same = strcmp(f[3], ".") == 0 ? GEN_NONE : read_variant(r, a, f[0], f[3], NULL);
    read_latencies(r, &forms[id], f[4], &out);
    for (unsigned i = 1; i <= a->fusion_count; i++)
        if (strcmp(a->fusion_names[i], f[5]) == 0)
            out.fusion_group = (uint8_t)i;
    if (strcmp(f[5], "-") != 0 && out.fusion_group == 0)
        problem(r, "%s: fusion group %s is not in fusion.txt", f[0], f[5]);
    if (!read_number(f[6], 4095, &n) || !a->row_patterns[n])
        problem(r, "%s: source %s is not defined above", f[0], f[6]);
    else
        out.source = (uint16_t)(a->row_patterns[n] - 1);
    a->figures[id] = (uint16_t)pool_add(&figures_pool, &out, 1);
    a->form_count += !override;
}

/* "inherit SKL" or "inherit SKL own" */
typedef struct inheritance {
    const arch *parent;
    bool own; /* what was measured on the parent's core was measured on this one, too, with the same result */
} inheritance;

enum {
    MAX_PARENTS = 4
};

static void read_inheritance(const reader *r, const arch *a, char *line, inheritance *list, size_t *count)
{
    char *space = strchr(line + strlen("inherit "), ' ');
    bool own = space && strcmp(space, " own") == 0;
    if (space)
        *space = '\0';
    if ((space && !own) || *count == MAX_PARENTS) {
        problem(r, "a table inherits as: inherit NAME, or inherit NAME own; %d times at most", MAX_PARENTS);
        return;
    }
    const arch *parent = read_parent(r, line, a);
    if (parent)
        list[(*count)++] = (inheritance){parent, own};
}

/* The same figures with the fusion group and sources as `a` has them. */
static uint16_t inherit_row(const reader *r, arch *a, const inheritance *from, uint16_t index)
{
    const arch *parent = from->parent;
    gen_figures g = ((const gen_figures *)(const void *)figures_pool.items)[index];
    const source *by_field[TACHO_FIELD_COUNT];
    unsigned group = 0;
    for (unsigned i = 1; g.fusion_group && i <= a->fusion_count; i++)
        if (strcmp(a->fusion_names[i], parent->fusion_names[g.fusion_group]) == 0)
            group = i;
    if (g.fusion_group && !group)
        problem(r, "fusion group %s of %s is not in fusion.txt", parent->fusion_names[g.fusion_group],
                parent->name);
    g.fusion_group = (uint8_t)group;
    memcpy(by_field, parent->patterns[g.source].by_field, sizeof by_field);
    for (unsigned f = 0; f < TACHO_FIELD_COUNT && from->own; f++) {
        char id[64];
        if (!by_field[f] || !is_of_core(by_field[f]->id, parent->name))
            continue;
        snprintf(id, sizeof id, "%s%s", a->name, by_field[f]->id + strlen(parent->name));
        by_field[f] = source_find(id);
        if (!by_field[f])
            problem(r, "source %s is not in sources.txt", id);
    }
    g.source = (uint16_t)pattern_add(a, by_field, from->own ? a->name : parent->name);
    return (uint16_t)pool_add(&figures_pool, &g, 1);
}

static void inherit_rows(const reader *r, arch *a, const inheritance *from)
{
    for (size_t id = 0; id < form_count; id++) {
        if (a->figures[id] != GEN_NONE || from->parent->figures[id] == GEN_NONE)
            continue;
        a->figures[id] = inherit_row(r, a, from, from->parent->figures[id]);
        a->form_count++;
    }
}

static void inherit_fusion(arch *a, const arch *parent)
{
    if (a->fusion_count)
        return;
    memcpy(a->fusion, parent->fusion, sizeof a->fusion);
    memcpy(a->fusion_names, parent->fusion_names, sizeof a->fusion_names);
    a->fusion_count = parent->fusion_count;
}

static void read_insns(const char *dir, const char *name, arch *a, bool optional)
{
    reader r;
    char *f[8];
    inheritance parents[MAX_PARENTS];
    size_t parent_count = 0;
    if (!reader_open(&r, dir, name, optional))
        return;
    memset(a->row_patterns, 0, sizeof a->row_patterns);
    while (reader_next(&r)) {
        if (strncmp(r.line, "inherit ", 8) == 0) {
            read_inheritance(&r, a, r.line, parents, &parent_count);
            if (parent_count)
                inherit_fusion(a, parents[0].parent);
        } else if (strncmp(r.line, "source ", 7) == 0) {
            read_row_source(&r, a, r.line);
        } else if (split(r.line, '\t', f, 8) == 7) {
            read_row(&r, a, f);
        } else {
            problem(&r,
                    "a row has seven fields: name, base, indexed, same registers, latencies, fusion, source");
        }
    }
    for (size_t i = 0; i < parent_count; i++)
        inherit_rows(&r, a, &parents[i]);
}

static arch *new_arch(const char *name)
{
    arch *a = calloc(1, sizeof *a);
    if (!a)
        die("memory");
    a->name = copy(name);
    a->figures = malloc((form_count + 1) * sizeof *a->figures);
    if (!a->figures)
        die("memory");
    memset(a->figures, 0xFF, (form_count + 1) * sizeof *a->figures);
    archs = grow(archs, arch_count, sizeof *archs);
    return archs[arch_count++] = a;
}

static void read_archs(const char *data)
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
        read_insns(dir, "insns.txt", a, false);
        read_insns(dir, "extra.txt", a, true);
    }
}

/* ---- writing ---- */

static FILE *out;

static void put_u16(const char *name, const uint16_t *items, size_t count)
{
    fprintf(out, "const uint16_t %s[] = {", name);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s%u,", i % 24 ? "" : "\n", items[i]);
    fprintf(out, "\n};\n");
}

static void put_string(const char *s)
{
    fputc('"', out);
    for (; *s; s++)
        fprintf(out, *s == '"' || *s == '\\' ? "\\%c" : "%c", *s);
    fputc('"', out);
}

/* tacho_mnemonic_name answers from a buffer here, hence the two passes. */
static void put_mnemonics(void)
{
    uint16_t count = 0;
    uint32_t offset = 0;
    while (strcmp(tacho_mnemonic_name(count), "INVALID") != 0 || count == 0)
        count++;
    fprintf(out, "const uint16_t tacho_gen_mnemonic_count = %u;\nconst char tacho_gen_mnemonic_text[] =\n",
            count);
    char last[64] = "";
    for (uint16_t i = 0; i < count; i++) {
        const char *name = tacho_mnemonic_name(i);
        fprintf(out, "\"%s\\0\"%s", name, i % 8 == 7 ? "\n" : "");
        if (i > 1 && strcmp(last, name) >= 0)
            die("the mnemonics are not in the order of the alphabet");
        snprintf(last, sizeof last, "%s", name);
    }
    fprintf(out, ";\nconst uint16_t tacho_gen_mnemonic_offset[] = {");
    for (uint16_t i = 0; i < count; i++) {
        fprintf(out, "%s%u,", i % 24 ? "" : "\n", offset);
        offset += (uint32_t)strlen(tacho_mnemonic_name(i)) + 1;
    }
    fprintf(out, "\n};\n");
    uint8_t *uses = calloc(count, 1);
    if (!uses)
        die("memory");
    for (size_t i = 0; i < form_count; i++) {
        form_key key = tacho_key_unpack(forms[i].key);
        uint8_t u = 0;
        if (key.opcode != KEY_NO_OPCODE)
            u |= GEN_USES_OPCODE;
        if (key.attr == ATTR_RM_LOW || key.attr == ATTR_RM_HIGH)
            u |= GEN_USES_RM;
        if (key.attr == ATTR_WORD || key.attr == ATTR_O64)
            u |= GEN_USES_WORD;
        if (key.attr == ATTR_REPE || key.attr == ATTR_REPNE)
            u |= GEN_USES_REP;
        if (key.attr >= ATTR_VECTOR && (key.attr - ATTR_VECTOR) & ATTR_EVEX)
            u |= GEN_USES_EVEX;
        for (unsigned k = 0; k < key.kind_count; k++) {
            bool fixed;
            tacho_kind_reg(key.kinds[k], &fixed);
            u |= fixed ? GEN_USES_FIXED : 0;
            u |= key.kinds[k] == KIND_ZERO ? GEN_USES_ZERO : 0;
            u |= key.kinds[k] == KIND_M ? GEN_USES_ANY_WIDTH : 0;
        }
        uses[key.mnemonic] |= u;
    }
    fprintf(out, "const uint8_t tacho_gen_mnemonic_uses[] = {");
    for (uint16_t i = 0; i < count; i++)
        fprintf(out, "%s%u,", i % 24 ? "" : "\n", uses[i]);
    fprintf(out, "\n};\n");
    free(uses);
}

static void put_forms(void)
{
    fprintf(out, "const uint32_t tacho_gen_form_count = %zu;\nconst uint64_t tacho_gen_keys[] = {",
            form_count);
    for (size_t i = 0; i < form_count; i++)
        fprintf(out, "%s0x%llxu,", i % 6 ? "" : "\n", (unsigned long long)forms[i].key);
    fprintf(out, "\n0};\nconst gen_form tacho_gen_forms[] = {");
    for (size_t i = 0; i < form_count; i++)
        fprintf(out, "%s{%u,%u,%u},", i % 8 ? "" : "\n", forms[i].out.operands, forms[i].out.operand_count,
                forms[i].out.visible_encoding);
    fprintf(out, "\n{0,0,0}};\nconst uint32_t tacho_gen_hash_mask = %zu;\n", hash_size - 1);
    put_u16("tacho_gen_hash", hash_slots, hash_size);
    fprintf(out, "const tacho_form_operand tacho_gen_operands[] = {\n");
    for (size_t i = 0; i < operand_pool.count; i++) {
        const tacho_form_operand *o = &((const tacho_form_operand *)(const void *)operand_pool.items)[i];
        fprintf(out, "{%u,%u,%u,%u,%u,%u,{%u,%u},{%u,%u},{%u,%u}},\n", o->kind, o->access, o->visibility,
                o->flags_read, o->flags_written, o->width_bits, o->reg.class_, o->reg.number, o->base.class_,
                o->base.number, o->index.class_, o->index.number);
    }
    fprintf(out, "{0}};\n");
}

static void put_figures(void)
{
    fprintf(out, "const tacho_port_group tacho_gen_groups[] = {\n");
    for (size_t i = 0; i < group_pool.count; i++) {
        const tacho_port_group *g = &((const tacho_port_group *)(const void *)group_pool.items)[i];
        fprintf(out, "{%u,%u},\n", g->ports, g->count);
    }
    fprintf(out, "{0,0}};\nconst gen_variant tacho_gen_variants[] = {\n");
    for (size_t i = 0; i < variant_pool.count; i++) {
        const gen_variant *v = &((const gen_variant *)(const void *)variant_pool.items)[i];
        fprintf(out, "{%u,%u,%u,%u,%u,%u,%u,%u,%u,%u},\n", v->uops, v->slots, v->mite, v->ms, v->div, v->tp,
                v->groups, v->group_count, v->complex_decoder, v->simple);
    }
    fprintf(out, "{0}};\nconst tacho_latency tacho_gen_latencies[] = {\n");
    for (size_t i = 0; i < latency_pool.count; i++) {
        const tacho_latency *l = &((const tacho_latency *)(const void *)latency_pool.items)[i];
        fprintf(out, "{%u,%u,%d,%d,%d,%d,%d},\n", l->source, l->target, l->cycles, l->address,
                l->address_index, l->memory, l->same_register);
    }
    fprintf(out, "{0}};\nconst gen_figures tacho_gen_figures[] = {\n");
    for (size_t i = 0; i < figures_pool.count; i++) {
        const gen_figures *g = &((const gen_figures *)(const void *)figures_pool.items)[i];
        fprintf(out, "{%u,%u,%u,%u,%u,%u,%u,%u},\n", g->base, g->indexed, g->same, g->latencies, g->source,
                g->latency_count, g->fusion_group, g->locked);
    }
    fprintf(out, "{0}};\n");
}

static size_t put_row_sources(void)
{
    uint32_t offset = 0;
    fprintf(out, "const uint16_t tacho_gen_source_count = %zu;\nconst char tacho_gen_source_text[] =\n",
            row_source_count);
    for (size_t i = 0; i < row_source_count; i++) {
        put_string(row_sources[i].text);
        fprintf(out, "\"\\0\"\n");
    }
    fprintf(out, "\"\";\nconst gen_source tacho_gen_sources[] = {\n");
    for (size_t i = 0; i < row_source_count; i++) {
        fprintf(out, "{%u,0x%x},\n", offset, row_sources[i].origins);
        offset += (uint32_t)strlen(row_sources[i].text) + 1;
    }
    fprintf(out, "{0,0}};\n");
    return offset + row_source_count * sizeof(gen_source);
}

static void put_value(const arch *a, size_t i)
{
    tacho_arch_parameter p;
    char text[80];
    tacho_arch_parameter_get(i, &p);
    tacho_arch_parameter_text(&a->values, i, text, sizeof text);
    fprintf(out, "  .arch.%s = ", p.name);
    switch (p.type) {
    case TACHO_PARAMETER_BOOL:
        fprintf(out, "%d", *text == 'y');
        break;
    case TACHO_PARAMETER_PORTS: {
        unsigned mask = 0;
        for (const char *c = text; port_of_digit(*c) >= 0; c++)
            mask |= 1u << port_of_digit(*c);
        fprintf(out, "0x%x", mask);
        break;
    }
    case TACHO_PARAMETER_UNROLL:
        fprintf(out, "{");
        for (unsigned n = 0; n <= TACHO_LSD_UNROLL_MAX; n++)
            fprintf(out, "%u,", a->values.lsd_unroll[n]);
        fprintf(out, "}");
        break;
    default:
        fprintf(out, "%s", strcmp(text, "unlimited") == 0 ? "TACHO_SLOTS_UNLIMITED" : text);
    }
    fprintf(out, ",\n");
}

static void put_models(const char *list)
{
    char *text = copy(list), *words[MAX_LIST];
    size_t n = strcmp(list, "-") == 0 ? 0 : split(text, ' ', words, MAX_LIST);
    for (size_t i = 0; i < n; i++) {
        gen_model m = {0};
        read_model(words[i], &m);
        fprintf(out, "{0x%x, 0x%x, %u, %u}, ", m.first, m.last, m.first_stepping, m.last_stepping);
    }
    free(text);
}

static void put_strings(const char *list)
{
    char *text = copy(list), *words[MAX_LIST];
    size_t n = strcmp(list, "-") == 0 ? 0 : split(text, ' ', words, MAX_LIST);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "\"%s\", ", words[i]);
    free(text);
}

/* Figures by form, in pages: microarchitectures that have the same figures for the forms of a page share it.
 */
static pool page_pool = {.name = "pages of figures", .item = GEN_PAGE_FORMS * sizeof(uint16_t)};

static size_t put_pages(const char *name, const uint16_t *figures)
{
    size_t count = (form_count + GEN_PAGE_FORMS - 1) / GEN_PAGE_FORMS;
    uint16_t *pages = calloc(count + 1, sizeof *pages);
    if (!pages)
        die("memory");
    for (size_t i = 0; i < count; i++) {
        uint16_t page[GEN_PAGE_FORMS];
        for (size_t k = 0; k < GEN_PAGE_FORMS; k++)
            page[k] = i * GEN_PAGE_FORMS + k < form_count ? figures[i * GEN_PAGE_FORMS + k] : GEN_NONE;
        pages[i] = (uint16_t)pool_add(&page_pool, page, 1);
    }
    fprintf(out, "static ");
    put_u16(name, pages, count + 1);
    free(pages);
    return count * sizeof *pages;
}

static size_t put_sources(const char *name, const arch *a)
{
    uint16_t numbers[MAX_PATTERNS];
    size_t count = 0;
    for (size_t i = 0; i < pattern_count; i++) {
        numbers[i] = a->patterns[i].set ? (uint16_t)a->patterns[i].row_source : 0;
        if (a->patterns[i].set)
            count = i + 1;
    }
    fprintf(out, "static ");
    put_u16(name, numbers, count ? count : 1);
    return count * sizeof *numbers;
}

static void put_extension_sources(size_t i)
{
    fprintf(out, "static const char *const extensions_%zu[TACHO_EXTENSION_COUNT] = {0,\n", i);
    for (int e = 1; e < TACHO_EXTENSION_COUNT; e++) {
        if (!archs[i]->extensions[e])
            continue;
        fprintf(out, "[%d] = ", e);
        put_string(archs[i]->extensions[e]->text);
        fprintf(out, ",\n");
    }
    fprintf(out, "};\n");
}

static void put_extensions(const arch *a)
{
    unsigned long long bits[2] = {0, 0};
    for (unsigned e = 1; e < TACHO_EXTENSION_COUNT; e++)
        bits[e / 64] |= (unsigned long long)(a->extensions[e] != NULL) << e % 64;
    fprintf(out, "  .arch.extensions = {0x%llx, 0x%llx},\n", bits[0], bits[1]);
}

/* What belongs to one microarchitecture; returns its size in bytes. */
static size_t put_parts(size_t i)
{
    const arch *a = archs[i];
    char name[64];
    tacho_arch_parameter p;
    snprintf(name, sizeof name, "pages_%zu", i);
    size_t bytes = put_pages(name, a->figures);
    snprintf(name, sizeof name, "sources_%zu", i);
    bytes += put_sources(name, a);
    fprintf(out, "static const char *const aliases_%zu[] = {", i);
    put_strings(a->names[NAME_ALIASES]);
    fprintf(out, "0};\nstatic const char *const cores_%zu[] = {", i);
    put_strings(a->names[NAME_CORE]);
    if (strcmp(a->names[NAME_SAME_CORES], "-") != 0)
        put_strings(a->names[NAME_SAME_CORES]);
    fprintf(out, "0};\nstatic const gen_model models_%zu[] = {", i);
    put_models(a->names[NAME_CPUID_MODELS]);
    fprintf(out, "{GEN_NONE, 0, 0, 0}};\nstatic const gen_parameter parameters_%zu[] = {\n", i);
    for (size_t k = 0; tacho_arch_parameter_get(k, &p) == 0; k++) {
        fprintf(out, "{\"%s\", ", p.name);
        put_string(a->value_sources[k]->text);
        fprintf(out, "},\n");
    }
    fprintf(out, "{0, 0}};\n");
    put_extension_sources(i);
    return bytes + sizeof(gen_arch);
}

static void put_archs(void)
{
    fprintf(out, "const uint32_t tacho_gen_arch_count = %zu;\nconst gen_arch tacho_gen_archs[] = {\n",
            arch_count);
    for (size_t i = 0; i < arch_count; i++) {
        const arch *a = archs[i];
        unsigned vendor = 0;
        long family = 0;
        read_family(a->names[NAME_CPUID_FAMILY], &vendor, &family);
        fprintf(out, " {\n  .arch.name = \"%s\",\n  .arch.index = %zu,\n  .arch.long_name = ", a->name, i);
        put_string(a->names[NAME_LONG]);
        fprintf(out, ",\n  .arch.table = ");
        put_string(a->names[NAME_TABLE]);
        fprintf(out, ",\n  .arch.compared = %d,\n", read_compared(a->names[NAME_COMPARED]));
        put_extensions(a);
        for (size_t k = 0; k < tacho_arch_parameter_count(); k++)
            put_value(a, k);
        fprintf(out,
                "  .aliases = aliases_%zu, .cores = cores_%zu, .parameters = parameters_%zu, "
                ".extension_sources = "
                "extensions_%zu,\n"
                "  .models = models_%zu, .pages = pages_%zu, .sources = sources_%zu,\n"
                "  .vendor = %u, .family = %ld,\n"
                "  .fusion = {",
                i, i, i, i, i, i, i, vendor, family);
        for (unsigned g = 0; g < GEN_MAX_FUSION_GROUPS; g++)
            fprintf(out, "0x%x,", a->fusion[g]);
        fprintf(out, "},\n },\n");
    }
    fprintf(out, "{.arch.name = 0}};\n");
}

int main(int argc, char **argv)
{
    bool mnemonics = true, sizes = true;
    for (; argc > 1 && argv[1][0] == '-'; argv++, argc--) {
        if (strcmp(argv[1], "--no-mnemonics") == 0)
            mnemonics = false; /* for tests: the decoder's whole list would hide what they are about */
        else if (strcmp(argv[1], "--quiet") == 0)
            sizes = false;
        else
            break;
    }
    if (argc != 3) {
        fprintf(stderr, "usage: tacho-gen-tables [--no-mnemonics] [--quiet] DATA_DIR OUT.c\n");
        return 2;
    }
    if (tacho_arch_parameter_count() > MAX_PARAMETERS) {
        fprintf(stderr, "tacho-gen-tables: more than %d parameters\n", MAX_PARAMETERS);
        return 1;
    }
    read_sources(argv[1]);
    read_forms(argv[1], "forms.txt", false);
    read_forms(argv[1], "forms_extra.txt", true);
    read_archs(argv[1]);
    if (form_count >= GEN_NONE) {
        fprintf(stderr, "tacho-gen-tables: too many forms\n");
        return 1;
    }
    if (problems) {
        fprintf(stderr, "tacho-gen-tables: %u problems; nothing written\n", problems);
        return 1;
    }
    out = fopen(argv[2], "w");
    if (!out)
        die(argv[2]);
    fprintf(out, "/* Generated by gen/tables.c from data/. */\n"
                 "#include \"x86/decode/decode_names.h\"\n#include \"x86/insndb/tables.h\"\n");
    if (mnemonics)
        put_mnemonics();
    put_forms();
    put_figures();
    size_t source_bytes = put_row_sources();
    size_t *arch_bytes = calloc(arch_count + 1, sizeof *arch_bytes);
    if (!arch_bytes)
        die("memory");
    for (size_t i = 0; i < arch_count; i++)
        arch_bytes[i] = put_parts(i);
    put_u16("tacho_gen_pages", (const uint16_t *)(const void *)page_pool.items,
            page_pool.count * GEN_PAGE_FORMS);
    put_archs();
    if (ferror(out) | fclose(out))
        die(argv[2]);
    size_t form_bytes = form_count * (sizeof(uint64_t) + sizeof(gen_form)) + hash_size * 2 +
                        operand_pool.count * operand_pool.item;
    size_t figure_bytes = figures_pool.count * figures_pool.item + latency_pool.count * latency_pool.item +
                          variant_pool.count * variant_pool.item + group_pool.count * group_pool.item;
    if (!sizes) {
        free(arch_bytes);
        return 0;
    }
    printf("%zu forms: %zu bytes (%zu operands)\n", form_count, form_bytes, operand_pool.count);
    printf("figures, shared by all microarchitectures: %zu bytes (%zu records, %zu latencies, %zu variants); "
           "sources: %zu bytes (%zu)\n",
           figure_bytes, figures_pool.count, latency_pool.count, variant_pool.count, source_bytes,
           row_source_count);
    printf("which figures: %zu bytes (%zu pages)\n", page_pool.count * page_pool.item, page_pool.count);
    for (size_t i = 0; i < arch_count; i++)
        printf("%s: %zu forms, %zu bytes of its own\n", archs[i]->name, archs[i]->form_count, arch_bytes[i]);
    free(arch_bytes);
    return 0;
}
