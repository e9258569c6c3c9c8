/* functions.c - where functions begin and end, as symbols say, and what lies between them.
 *
 * A function symbol with a size says both. A function symbol without one, or a global label without a type
 * (hand-written assembly), extends to the next such symbol. Local labels without a type are places inside
 * functions. A symbol inside another function's extent is an entry of that function. */
#include <elf.h>
#include <string.h>

#include "base/mem.h"
#include "base/search.h"
#include "binary/loops/finder.h"

static bool names_code(const input_symbol *s)
{
    bool function = s->type == STT_FUNC || s->type == STT_GNU_IFUNC;
    return s->section && (function || (s->type == STT_NOTYPE && s->global)) &&
           strncmp(s->name, INPUT_LABEL, strlen(INPUT_LABEL)) != 0;
}

/* The offset of a symbol in its section; false if it does not lie in it. */
static bool place_of(const input_image *image, const input_symbol *s, const input_section **section,
                     size_t *offset)
{
    *section = input_find_section(image, s->section);
    uint64_t base = *section && !image->relocatable ? (*section)->address : 0;
    if (!*section || s->value < base || s->value - base >= (*section)->size)
        return false;
    *offset = s->value - base;
    return true;
}

static int by_place(const void *a, const void *b)
{
    const function_start *x = a, *y = b;
    int order = ORDER(x->section, y->section) ?: ORDER(x->offset, y->offset) ?: ORDER(x->rank, y->rank);
    return order ?: (x->name && y->name ? strcmp(x->name, y->name) : 0);
}

int functions_list(function_list *out, const input *in, const input_image *image)
{
    for (size_t i = 0; i < image->symbol_count; i++) {
        const input_symbol *s = &image->symbols[i];
        const input_section *section;
        size_t offset;
        if (!names_code(s) || !place_of(image, s, &section, &offset) || !section->executable)
            continue;
        if (tacho_mem_grow(&out->items, &out->capacity, out->count + 1, sizeof *out->items))
            return tacho_no_memory(in->err);
        size_t size = s->size > section->size - offset ? section->size - offset : (size_t)s->size;
        uint8_t rank = (uint8_t)((s->size ? 0 : 4) + (s->global ? 0 : 2) + (s->name[0] == '_'));
        out->items[out->count++] = (function_start){section, offset, size, s->name, rank};
    }
    int rc = frames_list(out, in, image);
    if (rc)
        return rc;
    tacho_sort(out->items, out->count, sizeof *out->items, by_place);
    size_t kept = 0;
    for (size_t i = 0; i < out->count; i++) {
        const function_start *f = &out->items[i], *last = kept ? &out->items[kept - 1] : NULL;
        if (!last || last->section != f->section || last->offset != f->offset)
            out->items[kept++] = *f;
    }
    out->count = kept;
    return 0;
}

/* The first function at or after the place. */
static size_t first_from(const function_list *f, const input_section *section, size_t offset)
{
    size_t at;
    COUNT_BEFORE(at, f->count,
                 f->items[at].section < section ||
                     (f->items[at].section == section && f->items[at].offset < offset));
    return at;
}

const char *functions_name(const function_list *f, const input_section *section, size_t offset)
{
    size_t i = first_from(f, section, offset);
    return i < f->count && f->items[i].section == section && f->items[i].offset == offset ? f->items[i].name
                                                                                          : NULL;
}

int spans_add(span_list *out, const input *in, code_span span)
{
    if (span.end <= span.start)
        return 0;
    if (tacho_mem_grow(&out->spans, &out->capacity, out->count + 1, sizeof *out->spans))
        return tacho_no_memory(in->err);
    out->spans[out->count++] = span;
    return 0;
}

size_t functions_end(const function_list *f, size_t i)
{
    const function_start *s = &f->items[i];
    if (s->size)
        return s->offset + s->size;
    bool next = i + 1 < f->count && f->items[i + 1].section == s->section;
    return next ? f->items[i + 1].offset : s->section->size;
}

/* Functions, and what lies between them, of one section within [start, end). */
static int add_section(span_list *out, const input *in, const function_list *f, const input_section *section,
                       size_t start, size_t end)
{
    size_t at = start;
    int rc = 0;
    for (size_t i = first_from(f, section, start); i < f->count && f->items[i].section == section && !rc;
         i++) {
        const function_start *s = &f->items[i];
        size_t stop = functions_end(f, i);
        if (s->offset < at || s->offset >= end)
            continue;
        rc = spans_split(out, in, (code_span){section, at, s->offset, NULL});
        if (!rc)
            rc = spans_add(out, in, (code_span){section, s->offset, stop < end ? stop : end, s->name});
        at = stop;
    }
    return rc || at >= end ? rc : spans_split(out, in, (code_span){section, at, end, NULL});
}

/* The last local label at or before the place, where no function is known. */
static void name_by_labels(span_list *out, const input_image *image)
{
    for (size_t i = 0; i < image->symbol_count; i++) {
        const input_symbol *s = &image->symbols[i];
        const input_section *section;
        size_t offset, at;
        if (s->type != STT_NOTYPE || s->global || !strncmp(s->name, INPUT_LABEL, strlen(INPUT_LABEL)) ||
            !place_of(image, s, &section, &offset))
            continue;
        COUNT_BEFORE(at, out->count, span_is_before(&out->spans[at], section, offset));
        code_span *span = at < out->count ? &out->spans[at] : NULL;
        if (span && span->section == section && span->start == offset && !span->name)
            span->name = s->name;
    }
}

/* A symbol that was asked for: a function, or a place inside one, from where it goes up to the function's
 * end. */
static int choose_symbol(span_list *out, const input *in, const input_image *image, const function_list *f)
{
    code_span span;
    input_span chosen;
    int rc = input_elf_select(in, image, &chosen);
    if (rc < 0)
        return rc;
    const input_symbol *s = input_find_symbol(image, in->options->symbol);
    const bool ends = !s || s->size; /* by .eh_frame, or the symbol's size */
    span = (code_span){chosen.section, chosen.start, ends ? chosen.end : chosen.section->size,
                       in->options->symbol};
    for (size_t i = 0; i < f->count && !ends; i++) {
        const function_start *next = &f->items[i];
        if (next->section == span.section && next->offset > span.start && next->offset < span.end)
            span.end = next->offset;
    }
    return spans_add(out, in, span);
}

static int choose_range(span_list *out, const input *in, const input_image *image, const function_list *f)
{
    input_span chosen;
    const tacho_code_options *o = in->options;
    if (in->out->code.kind == TACHO_INPUT_RAW || in->out->code.kind == TACHO_INPUT_HEX) {
        const input_section *s = &image->sections[0];
        if (o->range_start > o->range_end || o->range_end > s->size)
            return input_fail(in, TACHO_ERR_INPUT, 0, -1,
                              "the range is not within the %zu bytes of the input", s->size);
        return spans_add(out, in, (code_span){s, o->range_start, o->range_end, NULL});
    }
    int rc = input_elf_select(in, image, &chosen);
    if (rc < 0)
        return rc;
    return spans_add(out, in,
                     (code_span){chosen.section, chosen.start, chosen.end,
                                 functions_name(f, chosen.section, chosen.start)});
}

int spans_choose(span_list *out, const input *in, const input_image *image, const function_list *functions)
{
    const tacho_code_options *o = in->options;
    if (o->symbol)
        return choose_symbol(out, in, image, functions);
    if (o->has_range)
        return choose_range(out, in, image, functions);
    input_span only = {0};
    int rc = o->section ? input_elf_select(in, image, &only) : 0;
    if (rc < 0)
        return rc;
    rc = 0;
    for (size_t i = 0; i < image->section_count && !rc; i++) {
        const input_section *s = &image->sections[i];
        if (only.section ? s == only.section : s->executable)
            rc = add_section(out, in, functions, s, 0, s->size);
    }
    name_by_labels(out, image);
    return rc;
}
