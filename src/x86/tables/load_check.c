/* load_check.c - what is wrong with a model beyond its single rows. */
#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "x86/tables/loading.h"

void loading_problem(loading *l, size_t line, const char *format, ...)
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

bool loading_is_over(const loading *l)
{
    return l->refused || l->tables.full || l->problem_count >= TACHO_MAX_MODEL_PROBLEMS;
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

void loading_check_name(loading *l)
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

void loading_check_arch(loading *l)
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
