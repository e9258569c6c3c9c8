/* frames.c - where functions begin and end by .eh_frame, the tables by which stacks are unwound: files
 * without symbols keep them. Only what that takes is read (System V ABI for x86-64, section 6.2; Linux
 * Standard Base, chapter on exception frames): of each frame description its start and length. Object files,
 * where both are relocated, are not read. */
#include <string.h>

#include "loops/finder.h"
#include "util/mem.h"

enum {
    /* how an address is written: DW_EH_PE_* */
    FORM_ABSOLUTE = 0x00,
    FORM_UDATA4 = 0x03,
    FORM_UDATA8 = 0x04,
    FORM_SDATA4 = 0x0b,
    FORM_SDATA8 = 0x0c,
    FORM_MASK = 0x0f,
    FROM_HERE = 0x10, /* relative to where it stands */
    FROM_MASK = 0x70,
    NO_FORM = 0xff
};

typedef struct reader {
    const uint8_t *at, *end;
    bool failed;
} reader;

static uint64_t take(reader *r, size_t bytes)
{
    uint64_t value = 0;
    if ((size_t)(r->end - r->at) < bytes) {
        r->failed = true;
        return 0;
    }
    memcpy(&value, r->at, bytes);
    r->at += bytes;
    return value;
}

static uint64_t take_leb(reader *r)
{
    uint64_t value = 0, byte;
    unsigned shift = 0;
    do {
        byte = take(r, 1);
        value |= shift < 64 ? (byte & 0x7f) << shift : 0;
        shift += 7;
    } while ((byte & 0x80) && !r->failed);
    return value;
}

static size_t form_bytes(uint8_t form)
{
    switch (form & FORM_MASK) {
    case FORM_UDATA4:
    case FORM_SDATA4:
        return 4;
    case FORM_ABSOLUTE:
    case FORM_UDATA8:
    case FORM_SDATA8:
        return 8;
    default:
        return 0;
    }
}

/* How the descriptions of this common entry write addresses; `r` stands behind its number 0. */
static uint8_t read_common(reader r)
{
    uint8_t form = FORM_ABSOLUTE;
    uint64_t version = take(&r, 1);
    const char *letter = (const char *)r.at;
    while (take(&r, 1) && !r.failed)
        ;
    take_leb(&r);
    take_leb(&r);
    if (version == 1)
        take(&r, 1);
    else
        take_leb(&r);
    if (r.failed || (*letter && *letter != 'z'))
        return NO_FORM;
    if (!*letter)
        return form;
    take_leb(&r);
    for (letter++; *letter && !r.failed; letter++) {
        if (*letter == 'R')
            form = (uint8_t)take(&r, 1);
        else if (*letter == 'P')
            take(&r, form_bytes((uint8_t)take(&r, 1)));
        else if (*letter == 'L')
            take(&r, 1);
        else if (*letter != 'S' && *letter != 'B')
            return NO_FORM;
    }
    return r.failed ? NO_FORM : form;
}

static int add_function(function_list *out, const input *in, const input_image *image, uint64_t start,
                        uint64_t size)
{
    for (size_t i = 0; i < image->section_count; i++) {
        const input_section *s = &image->sections[i];
        if (!s->executable || start < s->address || start - s->address >= s->size)
            continue;
        size_t left = s->size - (start - s->address);
        if (tacho_mem_grow(&out->items, &out->capacity, out->count + 1, sizeof *out->items))
            return input_no_memory(in);
        out->items[out->count++] =
            (function_start){s, start - s->address, size < left ? size : left, NULL, UINT8_MAX};
        return 0;
    }
    return 0;
}

/* A description: `r` stands behind the distance to its common entry. */
static int read_description(function_list *out, const input *in, const input_image *image,
                            const input_section *section, reader r, uint8_t form)
{
    size_t bytes = form_bytes(form);
    uint64_t here = section->address + (uint64_t)(r.at - section->bytes);
    if (!bytes || ((form & FROM_MASK) != FROM_HERE && (form & FROM_MASK)) || form == NO_FORM)
        return 0;
    uint64_t start = take(&r, bytes), size = take(&r, bytes);
    if (bytes == 4 && (form & FORM_MASK) == FORM_SDATA4)
        start = (uint64_t)(int64_t)(int32_t)start;
    if ((form & FROM_MASK) == FROM_HERE)
        start += here;
    return r.failed || !size ? 0 : add_function(out, in, image, start, size);
}

int frames_list(function_list *out, const input *in, const input_image *image)
{
    const input_section *section = NULL;
    size_t last_common = SIZE_MAX;
    uint8_t form = NO_FORM;
    int rc = 0;
    for (size_t i = 0; i < image->section_count && !image->relocatable; i++)
        if (!strcmp(image->sections[i].name, ".eh_frame"))
            section = &image->sections[i];
    for (size_t at = 0; section && !rc && section->size - at >= 8;) {
        reader r = {section->bytes + at, section->bytes + section->size, false};
        uint64_t length = take(&r, 4), id = take(&r, 4);
        if (length < 4 || length > section->size - at - 4) /* the end, or the 64-bit format */
            break;
        r.end = section->bytes + at + 4 + length;
        if (id && id <= at + 4) {
            size_t common = at + 4 - id;
            if (common != last_common && section->size - common >= 8) {
                reader c = {section->bytes + common + 8, section->bytes + section->size, false};
                form = read_common(c);
                last_common = common;
            }
            rc = read_description(out, in, image, section, r, form);
        }
        at += 4 + length;
    }
    return rc;
}
