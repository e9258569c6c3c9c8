/* request.c - from the JSON of a call to code, core and options. A name that nobody knows is an error: a
 * mistyped option must not look as if it had no effect. */
#include "request.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "typed_code.h"
#include "base/mem.h"
#include "base/suggest.h"

static int usage(request *r, const char *format, ...) TACHO_PRINTF(2, 3);

static int usage(request *r, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tacho_vformat_fit(r->err.message, sizeof r->err.message, format, args);
    va_end(args);
    return r->err.code = TACHO_ERR_USAGE;
}

const char *request_text(const request *r, const char *name, const char *otherwise)
{
    const char *text = json_string_value(json_object_get(r->json, name));
    return text ? text : otherwise;
}

/* ---- core ---- */

static int set_parameter(request *r, const char *name, const json_t *value)
{
    char number[32];
    snprintf(number, sizeof number, "%lld", (long long)json_integer_value(value));
    const char *text = json_is_boolean(value)   ? (json_is_true(value) ? "yes" : "no")
                       : json_is_integer(value) ? number
                                                : json_string_value(value);
    if (!text)
        return usage(r, "set: the value of %s is a number, true, false or text", name);
    return tacho_arch_parameter_set(&r->changed, name, text, &r->err);
}

/* A core from a text, which stays until there is another text. */
static const tacho_arch *loaded(const char *text, tacho_error *err)
{
    static char *last;
    static tacho_arch *arch;
    if (last && !strcmp(last, text))
        return arch;
    tacho_mem_free(last);
    tacho_arch_free(arch);
    last = NULL;
    if (!tacho_arch_load(&arch, text, strlen(text), NULL, err))
        last = tacho_mem_strndup(text, strlen(text));
    return arch;
}

int request_arch(request *r)
{
    const char *name, *arch = request_text(r, "arch", NULL);
    json_t *value, *set = json_object_get(r->json, "set");
    if (!arch)
        return usage(r, "no arch: the name of a core, as archs() lists them, or the text of a model");
    r->arch = strchr(arch, '\n') ? loaded(arch, &r->err) : tacho_arch_find(arch, &r->err);
    if (!r->arch)
        return r->err.code;
    if (!json_object_size(set))
        return 0;
    r->changed = *r->arch;
    r->arch = &r->changed;
    json_object_foreach(set, name, value)
    {
        if (set_parameter(r, name, value))
            return r->err.code;
    }
    return tacho_arch_check(r->arch, &r->err);
}

/* ---- values ---- */

static int wrong(request *r, const char *name, const char *wanted)
{
    return usage(r, "%s is %s", name, wanted);
}

static int put_whole(request *r, const char *name, const json_t *value, uint32_t *out, json_int_t low,
                     json_int_t high)
{
    json_int_t n = json_integer_value(value);
    if (!json_is_integer(value) || n < low || n > high)
        return usage(r, "%s is a whole number from %lld to %lld", name, (long long)low, (long long)high);
    *out = (uint32_t)n;
    return 0;
}

static int put_switch(request *r, const char *name, const json_t *value, bool *out)
{
    if (!json_is_boolean(value))
        return wrong(r, name, "true or false");
    *out = json_is_true(value);
    return 0;
}

/* The place of a word in a list that has NULL at its end; -1: none. */
static int choice(const char *word, const char *const *words)
{
    for (int i = 0; word && words[i]; i++)
        if (!strcmp(word, words[i]))
            return i;
    return -1;
}

static int put_mode(request *r, const char *name, json_t *value)
{
    static const char *const words[] = {"auto", "loop", "unroll", NULL};
    int n = choice(json_string_value(value), words);
    r->predict.mode = (tacho_mode)n;
    return n < 0 ? wrong(r, name, "\"auto\", \"loop\" or \"unroll\"") : 0;
}

static int put_init(request *r, const char *name, json_t *value)
{
    static const char *const words[] = {"distinct", "aligned", "same", NULL};
    int n = choice(json_string_value(value), words);
    r->predict.init = r->deps.init = (tacho_init)n;
    return n < 0 ? wrong(r, name, "\"distinct\", \"aligned\" or \"same\"") : 0;
}

static int put_unknown(request *r, const char *name, json_t *value)
{
    static const char *const words[] = {"warn", "skip", "error", NULL};
    int n = choice(json_string_value(value), words);
    if (json_is_integer(value)) {
        r->predict.unknown = TACHO_UNKNOWN_LATENCY;
        return put_whole(r, name, value, &r->predict.unknown_latency, 1, TACHO_MAX_UNKNOWN_LATENCY);
    }
    r->predict.unknown = (tacho_unknown)n;
    return n < 0 ? wrong(r, name, "\"warn\", \"skip\", \"error\" or a latency in cycles") : 0;
}

static int put_variants(request *r, const char *name, json_t *value)
{
    size_t i;
    json_t *word;
    if (!json_is_array(value))
        return wrong(r, name, "a list");
    json_array_foreach(value, i, word)
    {
        unsigned k = 0;
        const char *text = json_string_value(word);
        while (text && k < TACHO_VARIANT_COUNT && strcmp(text, tacho_variant_name(k)))
            k++;
        if (!text || k == TACHO_VARIANT_COUNT)
            return usage(r, "variants: there is none called '%s'", text ? text : "");
        r->predict.variants |= 1u << k;
    }
    return 0;
}

static int general_register(const char *name)
{
    for (uint8_t n = 0; name && n < 16; n++)
        if (tacho_str_same(name, tacho_reg_name((tacho_reg){TACHO_REG_R64, n})))
            return n;
    return -1;
}

/* Numbers, or text where they are too large for one of JavaScript's. */
static bool get_u64(const json_t *value, uint64_t *out)
{
    unsigned long long n = 0;
    const char *text = json_string_value(value);
    bool negative = text && *text == '-';
    if (text && !tacho_parse_u64(text + negative, &n))
        return false;
    *out = text ? (negative ? 0 - n : n) : (uint64_t)json_integer_value(value);
    return text || json_is_integer(value);
}

static int put_registers(request *r, const char *name, json_t *value)
{
    const char *reg;
    json_t *number;
    if (!json_is_object(value))
        return wrong(r, name, "an object");
    json_object_foreach(value, reg, number)
    {
        int n = general_register(reg);
        if (n < 0)
            return usage(r, "%s: '%s' is not a 64-bit general-purpose register", name, reg);
        if (!get_u64(number, &r->known[n]))
            return usage(r, "%s: the value of %s is a whole number, or text with one", name, reg);
        r->predict.known_mask |= (uint16_t)(1u << n);
    }
    r->predict.known_values = r->deps.known_values = r->known;
    r->deps.known_mask = r->predict.known_mask;
    return 0;
}

/* {"rsi": "rdi"} or {"rsi": ["rdi", 8]} */
static int put_aliases(request *r, const char *name, json_t *value)
{
    const char *reg;
    json_t *of;
    if (!json_is_object(value))
        return wrong(r, name, "an object");
    json_object_foreach(value, reg, of)
    {
        bool pair = json_is_array(of);
        const json_t *offset = pair ? json_array_get(of, 1) : NULL;
        int n = general_register(reg),
            base = general_register(json_string_value(pair ? json_array_get(of, 0) : of));
        if (n < 0 || base < 0 || n == base || (offset && !json_is_integer(offset)))
            return usage(r, "%s: wanted {reg: other} or {reg: [other, bytes]} of 64-bit registers", name);
        if (r->predict.alias_count == TACHO_MAX_ALIASES)
            return usage(r, "%s: more than %d", name, TACHO_MAX_ALIASES);
        r->aliases[r->predict.alias_count++] =
            (tacho_alias){(uint8_t)n, (uint8_t)base, json_integer_value(offset)};
    }
    r->predict.aliases = r->deps.aliases = r->aliases;
    r->deps.alias_count = r->predict.alias_count;
    return 0;
}

/* ---- options ---- */

typedef int put(request *r, const char *name, json_t *value);
static const struct {
    const char *name;
    put *put; /* NULL: a whole number from `low` to `high`, or where `high` is 0 true or false, at `at` */
    size_t at;
    json_int_t low, high;
} rows[] = {
    {"mode", put_mode, 0, 0, 0},
    {"init", put_init, 0, 0, 0},
    {"registers", put_registers, 0, 0, 0},
    {"aliases", put_aliases, 0, 0, 0},
    {"no_alias", NULL, offsetof(request, predict.no_alias), 0, 0},
    {"alignment", NULL, offsetof(request, predict.alignment), 0, 63},
    {"min_cycles", NULL, offsetof(request, predict.min_cycles), 1, 1000000},
    {"min_iterations", NULL, offsetof(request, predict.min_iterations), 1, 100000},
    {"iterations", NULL, offsetof(request, predict.run_iterations), 1, TACHO_MAX_RUN_ITERATIONS},
    {"no_memory_deps", NULL, offsetof(request, predict.no_memory_deps), 0, 0},
    {"advance", NULL, offsetof(request, predict.advance), 0, 0},
    {"elements", NULL, offsetof(request, predict.elements), 1, UINT32_MAX},
    {"ignore_isa", NULL, offsetof(request, predict.ignore_isa), 0, 0},
    {"unknown", put_unknown, 0, 0, 0},
    {"variants", put_variants, 0, 0, 0},
    {"window", NULL, offsetof(request, deps.window), 1, 1000000},
    {"seeds", NULL, offsetof(request, deps.seeds), 1, 100},
    {"part", NULL, offsetof(request, part), 1, 1000000},
    {"trace_iterations", NULL, offsetof(request, trace_iterations), 1, 10000},
};
/* What request_text and others ask for. */
static const char *const others[] = {"call", "hex",  "assembly", "syntax", "input",  "arch",
                                     "set",  "form", "search",   "data",   "memory", NULL};

static int put_row(request *r, size_t i, json_t *value)
{
    const char *name = rows[i].name;
    char *at = (char *)r + rows[i].at;
    if (rows[i].put)
        return rows[i].put(r, name, value);
    if (rows[i].high)
        return put_whole(r, name, value, (uint32_t *)at, rows[i].low, rows[i].high);
    return put_switch(r, name, value, (bool *)at);
}

static int unknown_option(request *r, const char *name)
{
    tacho_suggest s = {.wanted = name};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        tacho_suggest_offer(&s, rows[i].name);
    return usage(r, "there is no option '%s'%s", name, tacho_suggest_text(&s));
}

int request_options(request *r)
{
    const char *name;
    json_t *value;
    json_object_foreach(r->json, name, value)
    {
        size_t i = 0;
        while (i < sizeof rows / sizeof *rows && strcmp(name, rows[i].name))
            i++;
        if (i == sizeof rows / sizeof *rows) {
            if (choice(name, others) < 0)
                return unknown_option(r, name);
        } else if (put_row(r, i, value))
            return r->err.code;
    }
    r->deps.no_alias = r->predict.no_alias;
    r->predict.listing = &r->listing;
    return 0;
}

/* ---- code ---- */

int request_code(request *r)
{
    const char *hex = request_text(r, "hex", NULL), *text = request_text(r, "assembly", NULL);
    if (text)
        return assembly_code(r, text);
    if (!hex)
        return usage(r, "no code: text as `assembly`, or machine code in hexadecimal digits as `hex`");
    r->bytes = tacho_mem_alloc(strlen(hex) / 2 + 1);
    if (!r->bytes)
        return tacho_no_memory(&r->err);
    long size = tacho_hex_decode(r->bytes, hex, strlen(hex), &r->err);
    if (size < 0)
        return r->err.code;
    r->region = (tacho_region){.bytes = r->bytes, .byte_count = (size_t)size};
    return 0;
}

void request_free(request *r)
{
    tacho_mem_free(r->bytes);
    assembly_free(r);
}
