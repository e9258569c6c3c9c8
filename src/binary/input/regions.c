/* regions.c - of several regions between markers, the one that is asked for by name or number. */

#include "base/mem.h"
#include "base/suggest.h"
#include "binary/input/input.h"

/* ---- byte markers ---- */

/* The byte markers of IACA and OSACA in machine code. IACA's headers put a ud2 before the start marker and
 * after the end marker, which thus lies outside the region. */

enum {
    MARKER_START,
    MARKER_END
};

/* mov $111,%ebx or mov $222,%ebx, then fs addr32 nop; and what MSVC's __writegsbyte makes. */
static const struct {
    uint8_t bytes[9];
    uint8_t length;
} markers[2][2] = {
    {{{0xbb, 0x6f, 0, 0, 0, 0x64, 0x67, 0x90}, 8}, {{0x65, 0xc6, 0x04, 0x25, 0x6f, 0, 0, 0, 0x6f}, 9}},
    {{{0xbb, 0xde, 0, 0, 0, 0x64, 0x67, 0x90}, 8}, {{0x65, 0xc6, 0x04, 0x25, 0xde, 0, 0, 0, 0xde}, 9}},
};

/* The first marker of that kind in [from, end): its offset, or `end`; *length is its length. */
static size_t find(const uint8_t *bytes, size_t from, size_t end, int kind, size_t *length)
{
    size_t best = end;
    for (int i = 0; i < 2; i++) {
        const uint8_t *hit =
            memmem(bytes + from, end - from, markers[kind][i].bytes, markers[kind][i].length);
        if (hit && (size_t)(hit - bytes) < best) {
            best = (size_t)(hit - bytes);
            *length = markers[kind][i].length;
        }
    }
    return best;
}

int input_byte_markers(const input *in, const input_span *span)
{
    const uint8_t *bytes = span->section->bytes;
    size_t length = 0, stop_length = 0, next_length = 0;
    size_t end = span->end, stop = span->start;
    size_t next = find(bytes, span->start, end, MARKER_START, &next_length);
    int count = 0;
    while (next < end) {
        size_t start = next;
        length = next_length;
        size_t from = start + length;
        if (stop < from) /* each byte is searched once, also with very many markers */
            stop = find(bytes, from, end, MARKER_END, &stop_length);
        next = find(bytes, from, end, MARKER_START, &next_length);
        size_t region_end = stop < next ? stop : next;
        int result = 0;
        if (stop > next || stop == end)
            result =
                input_warn(in,
                           "the start marker at offset 0x%zx of %s has no end marker; its region runs to "
                           "the %s",
                           start, span->section->name, next < end ? "next start marker" : "end");
        if (!result)
            result = input_add_region(in, NULL, span->section, from, region_end, 0);
        if (result)
            return result;
        count++;
    }
    return count;
}

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
    TACHO_FREED tacho_str names = {0};
    if (!code->marked)
        return input_fail(in, TACHO_ERR_INPUT, 0, -1, "no region '%.80s': the input has no markers", wanted);
    for (size_t i = 0; i < code->region_count; i++)
        if (code->regions[i].name)
            tacho_suggest_offer(&s, code->regions[i].name);
    const char *near = tacho_suggest_text(&s);
    if (!*near)
        list_names(code, &names);
    return input_fail(in, TACHO_ERR_INPUT, 0, -1, "no region '%.80s'%s%s", wanted,
                      *near ? near : "; there are: ", names.length && !names.failed ? names.data : "");
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
