/* frames.c - where functions begin and end by .eh_frame, the tables by which stacks are unwound, which files
 * without symbols keep. Only what this takes is read (System V ABI for x86-64, section 6.2; Linux Standard
 * Base, chapter on exception frames): the start and length of each frame description, and from the table of
 * its exceptions the places where these are handled (Itanium C++ ABI, exception handling, "The language
 * specific data area"). Object files, where all of this is relocated, are not read. */

#include "base/byte_reader.h"
#include "base/mem.h"
#include "binary/input/input.h"

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
    FORM_ULEB = 0x01,
    FORM_UDATA2 = 0x02,
    NO_FORM = 0xff
};

/* How the descriptions of a common entry write addresses. */
typedef struct common {
    uint8_t form;
    uint8_t table_form; /* of the address of a function's exception table; NO_FORM: it has none */
    bool augmented;     /* a length and further data follow the function's length */
} common;

static uint64_t take_leb(byte_reader *r)
{
    uint64_t value = 0, byte;
    unsigned shift = 0;
    do {
        byte = bytes_take(r, 1);
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

/* `r` stands behind the common entry's number 0. */
static common read_common(byte_reader r)
{
    common c = {FORM_ABSOLUTE, NO_FORM, false}, unknown = {NO_FORM, NO_FORM, false};
    uint64_t version = bytes_take(&r, 1);
    const char *letter = (const char *)r.at;
    while (bytes_take(&r, 1) && !r.failed)
        ;
    take_leb(&r);
    take_leb(&r);
    if (version == 1)
        bytes_take(&r, 1);
    else
        take_leb(&r);
    if (r.failed || (*letter && *letter != 'z'))
        return unknown;
    if (!*letter)
        return c;
    c.augmented = true;
    take_leb(&r);
    for (letter++; *letter && !r.failed; letter++) {
        if (*letter == 'R')
            c.form = (uint8_t)bytes_take(&r, 1);
        else if (*letter == 'P')
            bytes_take(&r, form_bytes((uint8_t)bytes_take(&r, 1)));
        else if (*letter == 'L')
            c.table_form = (uint8_t)bytes_take(&r, 1);
        else if (*letter != 'S' && *letter != 'B')
            return unknown;
    }
    return r.failed ? unknown : c;
}

/* An address that is written as `form` says; `here` is the address of the place where r stands. */
static uint64_t take_address(byte_reader *r, uint8_t form, uint64_t here)
{
    size_t bytes = form_bytes(form);
    if (!bytes || ((form & FROM_MASK) != FROM_HERE && (form & FROM_MASK))) {
        r->failed = true;
        return 0;
    }
    uint64_t value = bytes_take(r, bytes);
    if (bytes == 4 && (form & FORM_MASK) == FORM_SDATA4)
        value = (uint64_t)(int64_t)(int32_t)value;
    return (form & FROM_MASK) == FROM_HERE && value ? value + here : value;
}

/* A description: `r` stands behind the distance to its common entry. */
static int read_description(const frame_reader *f, const input_section *section, byte_reader r, common c)
{
    const uint8_t *begin = r.at;
    uint64_t here = section->address + (uint64_t)(begin - section->bytes), table = 0;
    uint64_t start = take_address(&r, c.form, here);
    uint64_t size = bytes_take(&r, form_bytes(c.form));
    if (r.failed || !size)
        return 0;
    if (c.augmented && take_leb(&r) && !r.failed && c.table_form != NO_FORM) {
        table = take_address(&r, c.table_form, here + (uint64_t)(r.at - begin));
        table = r.failed ? 0 : table;
    }
    return f->each(start, size, table, f->payload);
}

int frames_read(const input_image *image, const frame_reader *f)
{
    const input_section *section = NULL;
    size_t last_common = SIZE_MAX;
    common c = {NO_FORM, NO_FORM, false};
    int rc = 0;
    for (size_t i = 0; i < image->section_count && !image->relocatable; i++)
        if (!strcmp(image->sections[i].name, ".eh_frame"))
            section = &image->sections[i];
    for (size_t at = 0; section && !rc && section->size - at >= 8;) {
        byte_reader r = {section->bytes + at, section->bytes + section->size, false};
        uint64_t length = bytes_take(&r, 4), id = bytes_take(&r, 4);
        if (length < 4 || length > section->size - at - 4) /* the end, or the 64-bit format */
            break;
        r.end = section->bytes + at + 4 + length;
        if (id && id <= at + 4) {
            size_t place = at + 4 - id;
            if (place != last_common && section->size - place >= 8) {
                byte_reader entry = {section->bytes + place + 8, section->bytes + section->size, false};
                c = read_common(entry);
                last_common = place;
            }
            rc = read_description(f, section, r, c);
        }
        at += 4 + length;
    }
    return rc;
}

/* ---- functions ---- */

typedef struct lister {
    function_list *out;
    const input *in;
    const input_image *image;
} lister;

static int add_function(uint64_t start, uint64_t size, uint64_t table, void *payload)
{
    const lister *l = payload;
    function_list *out = l->out;
    const input_section *s = input_section_at(l->image, start);
    if (!s || !s->executable)
        return 0;
    size_t left = s->size - (start - s->address);
    if (tacho_mem_grow(&out->items, &out->capacity, out->count + 1, sizeof *out->items))
        return tacho_no_memory(l->in->err);
    out->items[out->count++] =
        (function_start){s, start - s->address, size < left ? size : left, NULL, UINT8_MAX};
    return 0;
}

int frames_list(function_list *out, const input *in, const input_image *image)
{
    lister l = {out, in, image};
    return frames_read(image, &(frame_reader){add_function, &l});
}

/* ---- landing pads ---- */

/* A number in the table of call sites. */
static uint64_t take_site(byte_reader *r, uint8_t form)
{
    switch (form & FORM_MASK) {
    case FORM_ULEB:
        return take_leb(r);
    case FORM_UDATA2:
        return bytes_take(r, 2);
    case FORM_UDATA4:
        return bytes_take(r, 4);
    case FORM_UDATA8:
        return bytes_take(r, 8);
    default:
        r->failed = true;
        return 0;
    }
}

int frames_pads(const input_image *image, uint64_t function, uint64_t table,
                int (*each)(uint64_t address, void *payload), void *payload)
{
    const input_section *s = table ? input_section_at(image, table) : NULL;
    int rc = 0;
    if (!s)
        return 0;
    byte_reader r = {s->bytes + (table - s->address), s->bytes + s->size, false};
    uint8_t form = (uint8_t)bytes_take(&r, 1);
    uint64_t start = function;
    if (form != NO_FORM)
        start = take_address(&r, form, table + 1);
    if ((uint8_t)bytes_take(&r, 1) != NO_FORM)
        take_leb(&r); /* the distance to the table of types */
    form = (uint8_t)bytes_take(&r, 1);
    uint64_t bytes = take_leb(&r);
    if (r.failed || bytes > (uint64_t)(r.end - r.at))
        return 0;
    r.end = r.at + bytes;
    while (r.at < r.end && !r.failed && !rc) {
        take_site(&r, form);
        take_site(&r, form);
        uint64_t pad = take_site(&r, form);
        take_leb(&r);
        if (pad && !r.failed)
            rc = each(start + pad, payload);
    }
    return rc;
}
