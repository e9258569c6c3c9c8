/* rows_insns.c - rows of insns.txt: the figures of a form on a microarchitecture. */
#include <string.h>

#include "x86/arch/port_digits.h"
#include "x86/tables/table_rows.h"

/* "0156*2+23" */
static bool read_ports(const rows_arch *a, char *text, tacho_port_group *out, size_t *count, long *sum)
{
    char *words[ROWS_MAX_LIST];
    *count = 0;
    *sum = 0;
    if (strcmp(text, "-") == 0)
        return true;
    size_t n = rows_split(text, '+', words, ROWS_MAX_LIST);
    for (size_t i = 0; i < n; i++) {
        long times = 1;
        char *star = strchr(words[i], '*');
        if (star)
            *star++ = '\0';
        if (star && (!rows_number(star, ROWS_MAX_UOPS, &times) || times == 0))
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
    return n < ROWS_MAX_LIST;
}

static bool read_setting(const char *word, const char *key, uint16_t *out)
{
    long value;
    size_t length = strlen(key);
    if (strncmp(word, key, length) != 0 || word[length] != '=' ||
        !rows_number(word + length + 1, ROWS_MAX_UOPS, &value))
        return false;
    *out = (uint16_t)value;
    return true;
}

/* `on_ports`: the µops that the ports say. */
static void check_variant(const rows_reader *r, const char *name, const gen_variant *v, long on_ports)
{
    if (v->uops > ROWS_MAX_UOPS || on_ports > ROWS_MAX_UOPS)
        rows_problem(r, "%s: more than %d µops", name, ROWS_MAX_UOPS);
    if (v->slots < 1 || v->mite < 1)
        rows_problem(r, "%s: at least one µop is decoded and issued", name);
    if (v->mite > GEN_MAX_DECODED)
        rows_problem(r, "%s: %u µops from the decoders, of at most %d", name, v->mite, GEN_MAX_DECODED);
    if (v->div > ROWS_MAX_DIVISION)
        rows_problem(r, "%s: the divider is busy for %u cycles, of at most %d", name, v->div,
                     ROWS_MAX_DIVISION);
    if (v->simple > 15)
        rows_problem(r, "%s: %u simple decoders", name, v->simple);
}

static uint16_t read_variant(const rows_reader *r, rows_arch *a, const char *name, char *text, bool *locked)
{
    char *words[ROWS_MAX_LIST];
    tacho_port_group groups[ROWS_MAX_LIST];
    size_t count, n = rows_split(text, ' ', words, ROWS_MAX_LIST);
    long sum;
    gen_variant v;
    memset(&v, 0, sizeof v);
    if (!read_ports(a, words[0], groups, &count, &sum)) {
        rows_problem(r, "%s: ports %s cannot be read, or there is no such port", name, words[0]);
        return 0;
    }
    sum = sum > ROWS_MAX_UOPS ? ROWS_MAX_UOPS + 1 : sum;
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
            rows_problem(r, "%s: %s cannot be read", name, words[i]);
    }
    if (uops == sum)
        rows_problem(r, "%s: u=%u says what the ports say", name, uops);
    v.uops = uops == GEN_NONE ? (uint16_t)sum : uops;
    v.slots = slots == GEN_NONE ? (v.uops ? v.uops : 1) : slots;
    v.mite = mite == GEN_NONE ? v.slots : mite;
    v.simple = (uint8_t)(simple < 255 ? simple : 255);
    check_variant(r, name, &v, sum);
    v.groups = (uint16_t)rows_pool_add(a->tables, &a->tables->groups, groups, count);
    v.group_count = (uint8_t)count;
    return (uint16_t)rows_pool_add(a->tables, &a->tables->variants, &v, 1);
}

static bool read_cycles(const char *s, int16_t *out)
{
    long value = TACHO_NO_LATENCY;
    if (*s && !rows_number(s, INT16_MAX, &value))
        return false;
    *out = (int16_t)value;
    return true;
}

/* "0>2=" with what follows; false: it cannot be read. */
static bool read_pair(char *word, long *from, long *to, char **cycles)
{
    char *greater = strchr(word, '>'), *equal = strchr(word, '=');
    if (!greater || !equal || greater > equal)
        return false;
    *greater = *equal = '\0';
    *cycles = equal + 1;
    bool good = rows_number(word, UINT8_MAX, from) && rows_number(greater + 1, UINT8_MAX, to);
    *greater = '>';
    *equal = '=';
    return good;
}

static void read_latencies(const rows_reader *r, rows_tables *t, const char *name, long operands, char *text,
                           gen_figures *out)
{
    char *words[ROWS_MAX_LIST], *values[6], *cycles;
    tacho_latency list[ROWS_MAX_LIST];
    memset(list, 0, sizeof list);
    if (strcmp(text, "-") == 0)
        return;
    size_t n = rows_split(text, ' ', words, ROWS_MAX_LIST);
    for (size_t i = 0; i < n; i++) {
        long from, to;
        int16_t *const fields[] = {&list[i].cycles, &list[i].address, &list[i].address_index, &list[i].memory,
                                   &list[i].same_register};
        if (n == ROWS_MAX_LIST || !read_pair(words[i], &from, &to, &cycles)) {
            rows_problem(r, "%s: latency %s cannot be read", name, words[i]);
            return;
        }
        if (from >= operands || to >= operands) {
            rows_problem(r, "%s: latency %s: the form has %ld operands", name, words[i], operands);
            return;
        }
        list[i].source = (uint8_t)from;
        list[i].target = (uint8_t)to;
        for (size_t j = 0; j < i; j++)
            if (list[j].source == from && list[j].target == to)
                rows_problem(r, "%s: two latencies %ld>%ld", name, from, to);
        size_t k = rows_split(cycles, ',', values, 6);
        for (size_t j = 0; j < 5; j++) {
            *fields[j] = TACHO_NO_LATENCY;
            if (j < k && !read_cycles(values[j], fields[j]))
                rows_problem(r, "%s: %s is not a number of cycles", name, values[j]);
        }
        if (k > 5)
            rows_problem(r, "%s: latency %ld>%ld has more than five numbers", name, from, to);
    }
    out->latencies = (uint16_t)rows_pool_add(t, &t->latencies, list, n);
    out->latency_count = (uint8_t)n;
}

/* The form that a row is about; negative: a problem, or the row is of no account. */
static int64_t row_form(const rows_reader *r, const rows_arch *a, const char *name, bool override,
                        bool beside)
{
    char why[256];
    form_key key;
    if (!tacho_key_parse(&key, name, why, sizeof why)) {
        rows_problem(r, "%s: %s", name, why);
        return -1;
    }
    int64_t form = a->tables->find_form(tacho_key_pack(&key));
    if (form < 0) {
        bool near = a->tables->nearest_form && a->tables->nearest_form(name, why, sizeof why);
        rows_problem(r, "%s is not in %s%s%s%s", name, a->tables->forms_name, near ? "; did you mean " : "",
                     near ? why : "", near ? "?" : "");
        return -1;
    }
    bool own = a->figures[form] != GEN_NONE, others = a->has_others && a->has_others(a, form);
    if (own && beside)
        return -1;
    if (override ? !own && !others : own) {
        rows_problem(r, override ? "%s has no figures to replace" : "%s has figures already", name);
        return -1;
    }
    return form;
}

int64_t rows_read_insn(const rows_reader *r, rows_arch *a, bool beside)
{
    char *f[8], *name;
    gen_figures out;
    long n;
    size_t count = rows_fields(
        r, f, 7, 8, "a row has seven fields: name, base, indexed, same registers, latencies, fusion, source");
    if (count > 7)
        rows_problem(
            r, "a row has seven fields: name, base, indexed, same registers, latencies, fusion, source");
    if (count != 7)
        return -1;
    bool locked = false, override = f[0][0] == '!';
    name = f[0] + override;
    int64_t form = row_form(r, a, name, override, beside);
    if (form < 0)
        return -1;
    memset(&out, 0, sizeof out);
    out.base = read_variant(r, a, name, f[1], &locked);
    out.locked = locked;
    out.indexed = strcmp(f[2], ".") == 0 ? GEN_NONE : read_variant(r, a, name, f[2], NULL);
    out.same = strcmp(f[3], ".") == 0 ? GEN_NONE : read_variant(r, a, name, f[3], NULL);
    read_latencies(r, a->tables, name, a->tables->operand_count(form), f[4], &out);
    out.fusion_group = (uint8_t)rows_fusion_group(a, f[5]);
    if (strcmp(f[5], "-") != 0 && out.fusion_group == 0)
        rows_problem(r, "%s: fusion group %s is not in %s", name, f[5], a->tables->fusion_name);
    if (!rows_number(f[6], ROWS_MAX_SOURCE - 1, &n) || !a->row_sources[n])
        rows_problem(r, "%s: source %s is not defined above", name, f[6]);
    else
        out.source = (uint16_t)(a->row_sources[n] - 1);
    a->form_count += a->figures[form] == GEN_NONE;
    a->figures[form] = (uint16_t)rows_pool_add(a->tables, &a->tables->figures, &out, 1);
    return form;
}
