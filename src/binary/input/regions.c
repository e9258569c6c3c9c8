/* regions.c - of several regions between markers, the one that is asked for by name or number. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/suggest.h"
#include "binary/input/input.h"

/* Its number; region_count: there is none. A name counts before a number. */
static size_t find_region(const tacho_code *code, const char *wanted)
{
    char *end;
    for (size_t i = 0; i < code->region_count; i++)
        if (code->regions[i].name && !strcmp(code->regions[i].name, wanted))
            return i;
    if (*wanted < '0' || *wanted > '9')
        return code->region_count;
    unsigned long long number = strtoull(wanted, &end, 10);
    return !*end && number < code->region_count ? (size_t)number : code->region_count;
}

/* "alpha, beta, 2, ..." */
static void list_names(const tacho_code *code, tacho_str *out)
{
    enum {
        LISTED_BYTES = 150
    };
    for (size_t i = 0; i < code->region_count; i++) {
        const char *name = code->regions[i].name;
        if (out->length > LISTED_BYTES) {
            tacho_str_puts(out, ", ...");
            return;
        }
        tacho_str_puts(out, i ? ", " : "");
        if (name)
            tacho_str_printf(out, "%.40s", name);
        else
            tacho_str_printf(out, "%zu", i);
    }
}

static int unknown_region(const input *in, const tacho_code *code, const char *wanted)
{
    tacho_suggest s = {.wanted = wanted};
    tacho_str names = {0};
    if (!code->marked)
        return input_fail(in, TACHO_ERR_INPUT, 0, -1, "no region '%.80s': the input has no markers", wanted);
    for (size_t i = 0; i < code->region_count; i++)
        if (code->regions[i].name)
            tacho_suggest_offer(&s, code->regions[i].name);
    const char *near = tacho_suggest_text(&s);
    if (!*near)
        list_names(code, &names);
    int result = input_fail(in, TACHO_ERR_INPUT, 0, -1, "no region '%.80s'%s%s", wanted,
                            *near ? near : "; there are: ", names.length && !names.failed ? names.data : "");
    tacho_str_free(&names);
    return result;
}

int input_choose_region(const input *in)
{
    tacho_code *code = &in->out->code;
    const char *wanted = in->options->region;
    if (!wanted)
        return 0;
    size_t chosen = code->marked ? find_region(code, wanted) : code->region_count;
    if (chosen == code->region_count)
        return unknown_region(in, code, wanted);
    for (size_t i = 0; i < code->region_count; i++)
        if (i != chosen)
            tacho_mem_free(code->regions[i].name);
    code->regions[0] = code->regions[chosen];
    code->region_count = 1;
    return 0;
}
