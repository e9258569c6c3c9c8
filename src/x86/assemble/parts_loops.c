/* parts_loops.c - the innermost loops of an assembled text, each along its likeliest path: as the tools find
 * them in the object file of the same text (binary/loops). */
#include <string.h>

#include "base/mem.h"
#include "base/search.h"
#include "x86/assemble/parts.h"
#include "x86/flow/code_search.h"

typedef struct search {
    const tacho_assembly *a;
    found_parts *out;
    tacho_error *err;
    input_image image;
    function_list functions;
    span_list spans;
    code_reader reader;
    arena work; /* of one span */
} search;

/* ---- the text as an object file ---- */

static int open_image(search *s)
{
    const tacho_assembly *a = s->a;
    input_image *image = &s->image;
    image->relocatable = true;
    image->sections = arena_alloc(&s->out->memory, (a->section_count + 1) * sizeof *image->sections);
    image->symbols = arena_alloc(&s->out->memory, (a->symbol_count + 1) * sizeof *image->symbols);
    if (!image->sections || !image->symbols)
        return tacho_no_memory(s->err);
    for (size_t i = 0; i < a->section_count; i++) {
        const tacho_assembled_section *c = &a->sections[i];
        if (c->bytes && c->byte_count)
            image->sections[image->section_count++] = (input_section){.name = (char *)c->name,
                                                                      .bytes = c->bytes,
                                                                      .address = c->place,
                                                                      .size = c->byte_count,
                                                                      .index = i + 1,
                                                                      .executable = c->executable};
    }
    for (int global = 0; global < 2; global++)
        for (size_t i = 0; i < a->symbol_count; i++) {
            const tacho_assembled_symbol *y = &a->symbols[i];
            if ((y->global || y->weak) == global && symbol_is_kept(y) && !y->object &&
                y->section < a->section_count)
                image->symbols[image->symbol_count++] =
                    (input_symbol){.name = y->name,
                                   .value = y->value,
                                   .size = y->size,
                                   .section = y->section + 1u,
                                   .type = y->function ? SYMBOL_FUNCTION : SYMBOL_NO_TYPE,
                                   .global = global};
        }
    return 0;
}

/* Fixups are in the order of sections and places. */
static int load_relocs(reloc_list *out, const input_section *of, void *payload)
{
    const search *s = payload;
    const tacho_assembly *a = s->a;
    if (out->of == of)
        return 0;
    out->of = of;
    out->count = 0;
    size_t i;
    COUNT_BEFORE(i, a->fixup_count, a->fixups[i].section + 1u < of->index);
    for (; i < a->fixup_count && a->fixups[i].section + 1u == of->index; i++) {
        const tacho_assembled_fixup *f = &a->fixups[i];
        if (tacho_mem_grow(&out->items, &out->capacity, out->count + 1, sizeof *out->items))
            return tacho_no_memory(s->err);
        const tacho_assembled_symbol *y = f->symbol < a->symbol_count ? &a->symbols[f->symbol] : NULL;
        out->items[out->count++] =
            (reloc){.offset = f->offset,
                    .section = y ? input_find_section(&s->image, y->section + (size_t)1) : NULL,
                    .value = y ? y->value : 0,
                    .addend = f->addend,
                    .name = y && symbol_is_kept(y) ? y->name : ""};
    }
    return 0;
}

/* ---- the graph of one span ---- */

/* Functions that do not return are the libraries', so that there is something for the linker to do. */
static bool returns(cfg *g, const cfg_insn *call, void *reader)
{
    const code_reader *by = reader;
    const reloc *r = tacho_relocs_find(&by->relocs, by->span->start + call->offset, call->length);
    (void)g;
    return !r || tacho_function_returns(r->name);
}

static int add_loop(const cfg *g, uint32_t header, const uint32_t *members, uint32_t count, void *payload)
{
    search *s = payload;
    const code_span *span = s->reader.span;
    loop_path p;
    path_code c;
    int rc = tacho_path_find(&p, g, &s->work, header, members, count, NULL);
    if (!rc)
        rc = tacho_path_code(&c, g, header, &p, span, &s->out->memory);
    if (rc)
        return tacho_no_memory(s->err);
    const cfg_block *first = &g->blocks[p.blocks[0]], *last = &g->blocks[p.blocks[p.block_count - 1]];
    const tacho_part part = {.kind = TACHO_PART_LOOP,
                             .section = (uint32_t)(span->section->index - 1),
                             .start = span->start + first->start,
                             .end = span->start + last->end,
                             .name = span->name ? span->name : "",
                             .code = c.code,
                             .code_bytes = c.code_bytes,
                             .pieces = c.pieces,
                             .piece_count = c.piece_count,
                             .alignment = c.piece_count ? c.pieces[0].address % 64 : 0,
                             .flags = c.flags,
                             .depth = g->blocks[header].depth,
                             .heat = c.heat};
    return parts_add(s->out, &part, s->err);
}

static int search_span(search *s, const code_span *span)
{
    static const uint32_t entry = 0;
    cfg g;
    arena_reset(&s->work);
    if (span->end - span->start > CFG_MAX_BYTES)
        return 0;
    int rc = tacho_span_graph(&g, &s->work, &s->reader, span, &entry, 1, false);
    if (!rc)
        rc = tacho_cfg_find_loops(&g);
    if (rc == TACHO_ERR_LIMIT) /* its flow of control is too entangled */
        return 0;
    if (!rc)
        rc = tacho_cfg_each_loop(&g, &s->work, add_loop, s);
    return rc == TACHO_ERR_MEMORY ? tacho_no_memory(s->err) : rc;
}

ORDER_AS(hottest_first, tacho_part,
         ORDER(b->heat, a->heat) ?: ORDER(a->section, b->section) ?: ORDER(a->start, b->start));

int parts_find_loops(found_parts *f, const tacho_assembly *a, tacho_error *err)
{
    search s = {.a = a, .out = f, .err = err};
    s.reader = (code_reader){.image = &s.image, .load = load_relocs, .returns = returns, .payload = &s};
    int rc = open_image(&s);
    if (!rc)
        rc = tacho_functions_add(&s.functions, &s.image, err);
    if (!rc) {
        tacho_functions_sort(&s.functions);
        rc = tacho_spans_of_image(&s.spans, &s.image, &s.functions, NULL, err);
    }
    for (size_t i = 0; i < s.spans.count && !rc; i++)
        rc = search_span(&s, &s.spans.spans[i]);
    tacho_sort(f->list, f->out.count, sizeof *f->list, hottest_first);
    TACHO_MEM_FREE(s.functions.items, s.spans.spans, s.reader.relocs.items, s.reader.table_relocs.items);
    arena_free(&s.work);
    return rc;
}
