/* parts.c - which part of an assembly text is meant: what stands between markers; of several blocks the
 * innermost loops, as somebody who pastes a function means them; else all. */
#include <stdio.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/search.h"
#include "tacho/assemble.h"
#include "x86/assemble/region_markers.h"
#include "x86/decode/insn_struct.h"
#include "x86/flow/code_search.h"

/* What a caller holds, and what it points into. */
typedef struct found_parts {
    tacho_parts out; /* first: the public pointer is to this */
    tacho_part *list;
    size_t capacity;
    arena memory;
} found_parts;

/* @return 0 or TACHO_ERR_MEMORY */
static int parts_add(found_parts *f, const tacho_part *part, tacho_error *err)
{
    if (tacho_mem_grow(&f->list, &f->capacity, f->out.count + 1, sizeof *f->list))
        return tacho_no_memory(err);
    f->list[f->out.count++] = *part;
    f->out.parts = f->list;
    return 0;
}

/* ---- loops: each along its likeliest path, as binary/loops finds them in the text's object file ---- */

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
    return !r || tacho_function_returns(r->name);
}

static int add_loop(const cfg *g, uint32_t header, const uint32_t *members, uint32_t count, void *payload)
{
    search *s = payload;
    const code_span *span = s->reader.span;
    loop_path p;
    path_code c;
    int rc = tacho_path_find(&p, g, &s->work, header, members, count, NULL)
                 ?: tacho_path_code(&c, g, header, &p, span, &s->out->memory);
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
    int rc = tacho_span_graph(&g, &s->work, &s->reader, span, &entry, 1, false) ?: tacho_cfg_find_loops(&g);
    if (rc == TACHO_ERR_LIMIT) /* its flow of control is too entangled */
        return 0;
    if (!rc)
        rc = tacho_cfg_each_loop(&g, &s->work, add_loop, s);
    return rc == TACHO_ERR_MEMORY ? tacho_no_memory(s->err) : rc;
}

ORDER_AS(hottest_first, tacho_part,
         ORDER(b->heat, a->heat) ?: ORDER(a->section, b->section) ?: ORDER(a->start, b->start));

/* parts.c: adds the innermost loops of all sections with code, hottest-looking first. */
static int parts_find_loops(found_parts *f, const tacho_assembly *a, tacho_error *err)
{
    search s = {.a = a, .out = f, .err = err};
    s.reader = (code_reader){.image = &s.image, .load = load_relocs, .returns = returns, .payload = &s};
    int rc = open_image(&s) ?: tacho_functions_add(&s.functions, &s.image, err);
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

typedef struct text_search {
    const tacho_assembly *a;
    const char *text, *end;
    found_parts *out;
    tacho_error *err;
} text_search;

/* ---- markers ---- */

static const char *line_end(const text_search *s, const char *at)
{
    const char *newline = memchr(at, '\n', (size_t)(s->end - at));
    return newline ? newline : s->end;
}

/* The marker in a comment of the line. */
static bool line_marker(const char *line, const char *end, region_marker *m)
{
    for (const char *c = line; c < end; c++)
        if (strchr("#/*;", *c) && tacho_region_marker(c + 1, end, m))
            return true;
    return false;
}

/* The instructions between two lines, of the section that the first of them is in. */
static void fill_marked(const text_search *s, tacho_part *p, uint64_t last)
{
    const tacho_statement *t, *first = NULL, *end = s->a->statements + s->a->statement_count;
    size_t at;
    COUNT_BEFORE(at, s->a->statement_count, s->a->statements[at].line <= p->marker_line);
    for (t = s->a->statements + at; t < end && t->line < last; t++) {
        if (!t->length || (first && t->section != first->section))
            continue;
        if (!first || t->offset < p->start)
            p->start = t->offset;
        first = first ? first : t;
        p->end = t->offset + t->length > p->end ? t->offset + t->length : p->end;
        p->line_last = t->line;
    }
    if (first) {
        p->section = first->section;
        p->line_first = first->line;
    }
}

/* What a marker in line `number` does. */
static int take_marker(text_search *s, region_list *list, const region_marker *m, uint64_t number)
{
    tacho_error wrong = {.message = ""};
    size_t which = 0;
    region_step step = tacho_region_step(list, m, &which, &wrong);
    if (step == REGION_WRONG)
        return tacho_error_set(s->err, wrong.code, "line %llu: %s", (unsigned long long)number,
                               wrong.message);
    tacho_part part = {.kind = TACHO_PART_MARKED, .name = ""};
    if (step == REGION_BEGINS) {
        part.marker_line = number;
        part.name = arena_text_n(&s->out->memory, m->name, m->length);
        if (!part.name)
            return tacho_no_memory(s->err);
    }
    int rc = step == REGION_ENDS ? 0 : parts_add(s->out, &part, s->err);
    if (!rc && step != REGION_BEGINS)
        fill_marked(s, &s->out->list[which], number);
    return rc;
}

static int find_marked(text_search *s)
{
    region_list list = {.count = 0};
    region_marker m;
    uint64_t number = 1;
    for (const char *at = s->text; at < s->end; number++) {
        const char *line = at, *end = line_end(s, line);
        at = end < s->end ? end + 1 : end;
        int rc = line_marker(line, end, &m) ? take_marker(s, &list, &m, number) : 0;
        if (rc)
            return rc;
    }
    for (size_t i = 0; i < list.open_count; i++)
        fill_marked(s, &s->out->list[list.open[i].number], UINT64_MAX);
    return 0;
}

/* ---- lines ---- */

/* The bytes of a section that a part executes, in runs that are sorted by their places. */
typedef struct run {
    uint64_t start, end;
    tacho_part *part;
    uint32_t section;
} run;

ORDER_BY_TWO(by_place, run, section, start);

/* A run for each part, or for each piece of its path. @return how many there are; `out` is filled if given */
static size_t list_runs(const found_parts *f, const tacho_assembly *a, run *out)
{
    size_t n = 0;
    for (size_t i = 0; i < f->out.count; i++) {
        tacho_part *p = &f->list[i];
        if (out && !p->piece_count)
            out[n] = (run){p->start, p->end, p, p->section};
        for (size_t k = 0; k < p->piece_count && out; k++) {
            size_t from = p->pieces[k].code_offset;
            size_t to = k + 1 < p->piece_count ? p->pieces[k + 1].code_offset : p->code_bytes;
            uint64_t at = p->pieces[k].address - a->sections[p->section].place;
            out[n + k] = (run){at, at + (to - from), p, p->section};
        }
        n += p->piece_count ? p->piece_count : 1;
    }
    return n;
}

static int find_lines(const text_search *s)
{
    size_t count = list_runs(s->out, s->a, NULL);
    run *runs = tacho_mem_alloc((count + 1) * sizeof *runs);
    if (!runs)
        return tacho_no_memory(s->err);
    list_runs(s->out, s->a, runs);
    tacho_sort(runs, count, sizeof *runs, by_place);
    for (size_t i = 0; i < s->a->statement_count; i++) {
        const tacho_statement *t = &s->a->statements[i];
        size_t n;
        COUNT_BEFORE(n, count,
                     runs[n].section < t->section ||
                         (runs[n].section == t->section && runs[n].start <= t->offset));
        tacho_part *p = n ? runs[n - 1].part : NULL;
        if (!p || !t->length || p->section != t->section || t->offset >= runs[n - 1].end ||
            t->kind == TACHO_STATEMENT_ALIGN)
            continue;
        if (!p->line_first || t->line < p->line_first)
            p->line_first = t->line;
        if (t->line > p->line_last)
            p->line_last = t->line;
    }
    tacho_mem_free(runs);
    return 0;
}

/* ---- all ---- */

static bool is_code(const tacho_assembled_section *s)
{
    return s->executable && s->byte_count;
}

/* A text without markers. */
static int find_unmarked(text_search *s)
{
    const tacho_assembled_section *sections = s->a->sections;
    uint32_t first = TACHO_SECTION_NONE;
    bool several = false, others = false;
    for (uint32_t i = (uint32_t)s->a->section_count; i-- > 0;)
        if (is_code(&sections[i])) {
            others |= first != TACHO_SECTION_NONE;
            several |= others || tacho_has_several_blocks(sections[i].bytes, sections[i].byte_count);
            first = i;
        }
    if (first == TACHO_SECTION_NONE)
        return tacho_error_set(s->err, TACHO_ERR_INPUT, "the text has no instructions");
    int rc = several ? parts_find_loops(s->out, s->a, s->err) : 0;
    if (!rc && !s->out->out.count) {
        const tacho_part all = {.kind = several ? TACHO_PART_STRAIGHT : TACHO_PART_ALL,
                                .section = first,
                                .end = sections[first].byte_count,
                                .name = ""};
        rc = parts_add(s->out, &all, s->err);
        if (others && !s->out->out.note)
            s->out->out.note = "other sections with code are left out";
    }
    return rc ? rc : find_lines(s);
}

static void fill_code(const text_search *s)
{
    for (size_t i = 0; i < s->out->out.count; i++) {
        tacho_part *p = &s->out->list[i];
        if (p->kind == TACHO_PART_LOOP)
            continue;
        p->code_bytes = (size_t)(p->end - p->start);
        p->code = p->code_bytes ? s->a->sections[p->section].bytes + p->start : NULL;
        p->alignment = (uint32_t)((s->a->sections[p->section].place + p->start) % 64);
    }
}

int tacho_assembly_parts(tacho_parts **out, const tacho_assembly *assembly, const char *text, size_t size,
                         tacho_error *err)
{
    found_parts *f = tacho_mem_zalloc(1, sizeof *f);
    text_search s = {assembly, text, text + size, f, err};
    *out = NULL;
    if (!f)
        return tacho_no_memory(err);
    f->out.note = assembly->note;
    int rc = find_marked(&s);
    if (!rc && !f->out.count)
        rc = find_unmarked(&s);
    if (rc) {
        tacho_parts_free(&f->out);
        return rc;
    }
    fill_code(&s);
    *out = &f->out;
    return 0;
}

void tacho_parts_free(tacho_parts *parts)
{
    found_parts *f = (found_parts *)parts;
    if (!f)
        return;
    tacho_mem_free(f->list);
    arena_free(&f->memory);
    tacho_mem_free(f);
}

static const char *ordinal(size_t n, char *out, size_t size)
{
    static const char *const words[] = {"first", "second", "third", "fourth", "fifth"};
    snprintf(out, size, "number %zu", n + 1);
    return n < sizeof words / sizeof *words ? words[n] : out;
}

static void say_which(const tacho_parts *parts, size_t which, char *out, size_t size)
{
    const tacho_part *p = &parts->parts[which];
    char number[32], loop[110] = "its innermost loop", place[100] = "";
    *out = '\0';
    if (p->kind == TACHO_PART_MARKED && parts->count > 1)
        snprintf(out, size, "this is the %s of %zu regions between markers%s%.80s",
                 ordinal(which, number, sizeof number), parts->count, *p->name ? ": " : "", p->name);
    if (p->kind == TACHO_PART_STRAIGHT)
        snprintf(out, size,
                 "there are several blocks but no loop: this code is treated as one straight block that is "
                 "repeated");
    if (p->kind != TACHO_PART_LOOP)
        return;
    if (parts->count > 1 && !which)
        snprintf(loop, sizeof loop, "the hottest-looking of its %zu innermost loops", parts->count);
    else if (parts->count > 1)
        snprintf(loop, sizeof loop, "the %s of its %zu innermost loops, by how hot they look",
                 ordinal(which, number, sizeof number), parts->count);
    if (*p->name)
        snprintf(place, sizeof place, " in %.80s,", p->name);
    snprintf(out, size,
             "the code has several blocks: this is %s,%s lines %llu to %llu; markers (# LLVM-MCA-BEGIN, "
             "-END) choose another part",
             loop, place, (unsigned long long)p->line_first, (unsigned long long)p->line_last);
}

void tacho_parts_note(const tacho_parts *parts, size_t which, char *out, size_t size)
{
    say_which(parts, which, out, size);
    const size_t n = strlen(out);
    if (parts->note)
        snprintf(out + n, size - n, "%s%s", n ? "; " : "", parts->note);
}
