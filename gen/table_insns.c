/* table_insns.c - insns.txt: the figures of a microarchitecture, and those that it inherits. */
#include "table_parts.h"

#include <stdlib.h>
#include <string.h>

#include "x86/arch/port_digits.h"

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

static void read_row(reader *r, arch *a, char **f, insns_file which)
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
    if (which == INSNS_BESIDE && a->figures[id] != GEN_NONE)
        return;
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

/* "inherit SKL", "inherit SKL own" or "inherit SKL alone" */
typedef struct inheritance {
    const arch *parent;
    bool alone; /* without what the parent has inherited */
    bool own; /* what was measured on the parent's core was measured on this one, too, with the same result */
} inheritance;

enum {
    MAX_PARENTS = 4
};

static void read_inheritance(const reader *r, const arch *a, char *line, inheritance *list, size_t *count)
{
    char *space = strchr(line + strlen("inherit "), ' ');
    bool own = space && strcmp(space, " own") == 0, alone = space && strcmp(space, " alone") == 0;
    if (space)
        *space = '\0';
    if ((space && !own && !alone) || *count == MAX_PARENTS) {
        problem(
            r, "a table inherits as: inherit NAME, inherit NAME own, or inherit NAME alone; %d times at most",
            MAX_PARENTS);
        return;
    }
    const arch *parent = read_parent(r, line, a);
    if (parent)
        list[(*count)++] = (inheritance){parent, alone, own};
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
        if (a->figures[id] != GEN_NONE || from->parent->figures[id] == GEN_NONE ||
            (from->alone && from->parent->inherited[id]))
            continue;
        a->inherited[id] = true;
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

void read_insns(const char *dir, const char *name, arch *a, insns_file which)
{
    reader r;
    char *f[8];
    inheritance parents[MAX_PARENTS];
    size_t parent_count = 0;
    if (!reader_open(&r, dir, name, which != INSNS_OWN))
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
            read_row(&r, a, f, which);
        } else {
            problem(&r,
                    "a row has seven fields: name, base, indexed, same registers, latencies, fusion, source");
        }
    }
    for (size_t i = 0; i < parent_count; i++)
        inherit_rows(&r, a, &parents[i]);
}
