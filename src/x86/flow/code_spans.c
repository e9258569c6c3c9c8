/* code_spans.c - where functions begin and end, as symbols say, and what lies between them; and
 * the graph of one such span.
 *
 * A function symbol with a size says both. A function symbol without one, or a global label without a type
 * (hand-written assembly), extends to the next such symbol. Local labels without a type are places inside
 * functions. A symbol inside another function's extent is an entry of that function. */
#include <string.h>

#include "base/mem.h"
#include "base/search.h"
#include "x86/flow/code_search.h"

static bool names_code(const input_symbol *s)
{
    bool function = s->type == SYMBOL_FUNCTION || s->type == SYMBOL_INDIRECT_FUNCTION;
    return s->section && (function || (s->type == SYMBOL_NO_TYPE && s->global)) &&
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

int tacho_functions_add(function_list *out, const input_image *image, tacho_error *err)
{
    for (size_t i = 0; i < image->symbol_count; i++) {
        const input_symbol *s = &image->symbols[i];
        const input_section *section;
        size_t offset;
        if (!names_code(s) || !place_of(image, s, &section, &offset) || !section->executable)
            continue;
        if (tacho_mem_grow(&out->items, &out->capacity, out->count + 1, sizeof *out->items))
            return tacho_no_memory(err);
        size_t size = s->size > section->size - offset ? section->size - offset : (size_t)s->size;
        uint8_t rank = (uint8_t)((s->size ? 0 : 4) + (s->global ? 0 : 2) + (s->name[0] == '_'));
        out->items[out->count++] = (function_start){section, offset, size, s->name, rank};
    }
    return 0;
}

void tacho_functions_sort(function_list *out)
{
    tacho_sort(out->items, out->count, sizeof *out->items, by_place);
    size_t kept = 0;
    for (size_t i = 0; i < out->count; i++) {
        const function_start *f = &out->items[i], *last = kept ? &out->items[kept - 1] : NULL;
        if (!last || last->section != f->section || last->offset != f->offset)
            out->items[kept++] = *f;
    }
    out->count = kept;
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

const char *tacho_functions_name(const function_list *f, const input_section *section, size_t offset)
{
    size_t i = first_from(f, section, offset);
    return i < f->count && f->items[i].section == section && f->items[i].offset == offset ? f->items[i].name
                                                                                          : NULL;
}

int tacho_spans_add(span_list *out, code_span span, tacho_error *err)
{
    if (span.end <= span.start)
        return 0;
    if (tacho_mem_grow(&out->spans, &out->capacity, out->count + 1, sizeof *out->spans))
        return tacho_no_memory(err);
    out->spans[out->count++] = span;
    return 0;
}

size_t tacho_functions_end(const function_list *f, size_t i)
{
    const function_start *s = &f->items[i];
    if (s->size)
        return s->offset + s->size;
    bool next = i + 1 < f->count && f->items[i + 1].section == s->section;
    return next ? f->items[i + 1].offset : s->section->size;
}

/* Functions, and what lies between them, of one section. */
static int add_section(span_list *out, const function_list *f, const input_section *section, tacho_error *err)
{
    size_t at = 0, end = section->size;
    int rc = 0;
    for (size_t i = first_from(f, section, 0); i < f->count && f->items[i].section == section && !rc; i++) {
        const function_start *s = &f->items[i];
        size_t stop = tacho_functions_end(f, i);
        if (s->offset < at || s->offset >= end)
            continue;
        rc = tacho_spans_split(out, (code_span){section, at, s->offset, NULL}, err);
        if (!rc)
            rc = tacho_spans_add(out, (code_span){section, s->offset, stop < end ? stop : end, s->name}, err);
        at = stop;
    }
    return rc || at >= end ? rc : tacho_spans_split(out, (code_span){section, at, end, NULL}, err);
}

/* The last local label at or before the place, where no function is known. */
static void name_by_labels(span_list *out, const input_image *image)
{
    for (size_t i = 0; i < image->symbol_count; i++) {
        const input_symbol *s = &image->symbols[i];
        const input_section *section;
        size_t offset, at;
        if (s->type != SYMBOL_NO_TYPE || s->global || !strncmp(s->name, INPUT_LABEL, strlen(INPUT_LABEL)) ||
            !place_of(image, s, &section, &offset))
            continue;
        COUNT_BEFORE(at, out->count, span_is_before(&out->spans[at], section, offset));
        code_span *span = at < out->count ? &out->spans[at] : NULL;
        if (span && span->section == section && span->start == offset && !span->name)
            span->name = s->name;
    }
}

int tacho_spans_of_image(span_list *out, const input_image *image, const function_list *f,
                         const input_section *only, tacho_error *err)
{
    int rc = 0;
    for (size_t i = 0; i < image->section_count && !rc; i++) {
        const input_section *s = &image->sections[i];
        if (only ? s == only : s->executable)
            rc = add_section(out, f, s, err);
    }
    name_by_labels(out, image);
    return rc;
}

/* ---- relocations, and the graph of a span ---- */

const reloc *tacho_relocs_find(const reloc_list *list, uint64_t offset, uint64_t length)
{
    size_t low = tacho_count_below(list->items, list->count, sizeof *list->items, offset);
    return low < list->count && list->items[low].offset - offset < length ? &list->items[low] : NULL;
}

static bool resolve(uint32_t offset, uint32_t length, uint32_t *target, void *payload)
{
    const code_reader *reader = payload;
    const code_span *span = reader->span;
    size_t at = span->start + offset;
    const reloc *r = tacho_relocs_find(&reader->relocs, at, length);
    if (!r)
        return false;
    uint64_t place = r->value + (uint64_t)r->addend + (at + length - r->offset);
    *target = CFG_NONE;
    if (r->section == span->section && place >= span->start && place < span->end)
        *target = (uint32_t)(place - span->start);
    return true;
}

int tacho_span_graph(cfg *g, arena *memory, code_reader *r, const code_span *span, const uint32_t *entries,
                     size_t entry_count, bool reached_only)
{
    int rc = r->load(&r->relocs, span->section, r->payload);
    if (rc)
        return rc;
    r->span = span;
    r->code = (cfg_code){.bytes = span->section->bytes + span->start,
                         .size = (uint32_t)(span->end - span->start),
                         .entries = entries,
                         .entry_count = entry_count,
                         .reached_only = reached_only,
                         .resolve = r->relocs.count ? resolve : NULL,
                         .cases = r->image->elf || r->image->relocatable ? tacho_table_cases : NULL,
                         .returns = r->returns,
                         .payload = r};
    return tacho_cfg_build(g, memory, &r->code);
}
