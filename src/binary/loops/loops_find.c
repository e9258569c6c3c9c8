/* loops_find.c - the search for loops, one piece of the code at a time. Each piece has its own graph, which
 * is freed when its loops are kept. So memory holds the largest function and the loops, not the whole file.
 */

#include "base/mem.h"
#include "base/names.h"
#include "base/options_take.h"
#include "binary/loops/finder.h"

/* ---- one loop ---- */

char *loop_text(finder *f, const char *text)
{
    return arena_text(&f->out->memory, text);
}

/* The function at an address, or that a stub there leads to. */
static const char *name_at(const finder *f, uint64_t address)
{
    for (size_t i = 0; i < f->image.section_count; i++) {
        const input_section *s = &f->image.sections[i];
        if (address < s->address || address - s->address >= s->size ||
            (f->image.relocatable && s != f->span->section))
            continue;
        const char *name = tacho_functions_name(&f->functions, s, address - s->address);
        return name ? name : imports_at_stub(&f->imports, s, address - s->address);
    }
    return NULL;
}

const char *loop_callee(const finder *f, const cfg *g, const cfg_insn *call)
{
    size_t at = f->span->start + call->offset;
    const reloc *r = tacho_relocs_find(&f->reader.relocs, at, call->length);
    if (r && *r->name)
        return r->name;
    if (r)
        return r->section
                   ? tacho_functions_name(&f->functions, r->section,
                                          r->value + (uint64_t)r->addend + (at + call->length - r->offset))
                   : NULL;
    tacho_insn insn;
    int64_t distance;
    uint64_t next = loop_address(f, call->offset) + call->length;
    if (tacho_decode(&insn, g->code->bytes + call->offset, call->length, NULL) ||
        tacho_insn_flow_of(&insn, &distance) != FLOW_CALL)
        return NULL;
    if (insn.operands[0].kind != TACHO_OPERAND_REL)
        return imports_slot_of(&f->imports, &insn, next);
    return name_at(f, next + (uint64_t)distance);
}

static int set_blocks(finder *f, const cfg *g, const loop_path *p, tacho_loop *loop)
{
    tacho_loop_block *blocks = arena_alloc(&f->out->memory, p->block_count * sizeof *blocks);
    uint32_t *path = arena_alloc(&f->out->memory, (p->step_count + 1u) * sizeof *path);
    if (!blocks || !path)
        return TACHO_ERR_MEMORY;
    for (uint32_t i = 0; i < p->block_count; i++) {
        const cfg_block *b = &g->blocks[p->blocks[i]];
        blocks[i] = (tacho_loop_block){loop_address(f, b->start), loop_address(f, b->end), false};
    }
    for (uint32_t i = 0; i < p->step_count; i++) {
        size_t at;
        COUNT_BEFORE(at, p->block_count, p->blocks[at] <= p->steps[i]);
        at -= at > 0;
        path[i] = (uint32_t)at;
        blocks[at].on_path = true;
    }
    loop->blocks = blocks;
    loop->block_count = p->block_count;
    loop->path = path;
    loop->path_count = p->step_count;
    loop->start = blocks[0].start;
    loop->end = blocks[p->block_count - 1].end;
    return 0;
}

static int set_branches(finder *f, const loop_path *p, tacho_loop *loop)
{
    tacho_loop_branch *branches = arena_alloc(&f->out->memory, (p->branch_count + 1u) * sizeof *branches);
    if (!branches)
        return TACHO_ERR_MEMORY;
    for (uint32_t i = 0; i < p->branch_count; i++)
        branches[i] = (tacho_loop_branch){loop_address(f, p->branches[i].offset), p->branches[i].taken,
                                          (uint8_t)p->branches[i].reason};
    loop->branches = branches;
    loop->branch_count = p->branch_count;
    return 0;
}

static int set_code(finder *f, const cfg *g, uint32_t header, const loop_path *p, tacho_loop *loop)
{
    path_code c;
    int rc = tacho_path_code(&c, g, header, p, f->span, &f->out->memory);
    if (rc)
        return rc;
    loop->pieces = c.pieces;
    loop->piece_count = c.piece_count;
    loop->alignment = c.piece_count ? input_alignment(c.pieces[0].address) : 0;
    loop->code = c.code;
    loop->code_bytes = c.code_bytes;
    loop->flags = c.flags;
    loop->insn_count = c.insn_count;
    loop->vector_count = c.vector_count;
    loop->memory_count = c.memory_count;
    loop->call_count = c.call_count;
    loop->heat = c.heat;
    return 0;
}

static int set_callee(finder *f, const cfg *g, const loop_path *p, tacho_loop *loop)
{
    for (uint32_t i = 0; i < p->step_count; i++) {
        const cfg_block *b = &g->blocks[p->steps[i]];
        for (uint32_t k = b->first; k < b->first + b->count; k++) {
            const char *name = g->insns[k].flow == FLOW_CALL ? loop_callee(f, g, &g->insns[k]) : NULL;
            if (name) {
                loop->callee = loop_symbol(f, name);
                return loop->callee ? 0 : TACHO_ERR_MEMORY;
            }
            if (g->insns[k].flow == FLOW_CALL)
                return 0;
        }
    }
    return 0;
}

/* ---- source lines ---- */

enum {
    MAX_FILES = 8
};

typedef struct file_lines {
    const char *name;
    uint32_t count, first, last;
    const char *inlined; /* the function that all were inlined from; NULL none */
} file_lines;

static void note_line(file_lines *files, const char *name, uint32_t line)
{
    int i = 0;
    while (i < MAX_FILES - 1 && files[i].name && strcmp(files[i].name, name))
        i++;
    file_lines *file = &files[i];
    if (file->name && strcmp(file->name, name))
        return;
    if (!file->name || line < file->first)
        file->first = line;
    if (!file->name || line > file->last)
        file->last = line;
    file->name = name;
    file->count++;
}

/* How many inlined calls all of them came through, from the function outside in. */
static uint32_t common_calls(const line_place *places, uint32_t count)
{
    uint32_t common = count ? places[0].call_count : 0;
    for (uint32_t i = 1; i < count; i++) {
        uint32_t same = 0;
        while (same < common && same < places[i].call_count &&
               places[i].calls[same].id == places[0].calls[same].id)
            same++;
        common = same;
    }
    return common;
}

/* The file that most of the instructions on the path (without one: in the loop) come from, and the lines
 * there, as seen from the innermost function that all of them belong to: what is inlined into the loop counts
 * as its call. */
static int lines_of(finder *f, debug_lines *d, const input_section *section, const cfg *g,
                    const uint32_t *blocks, uint32_t count, file_lines *best)
{
    file_lines files[MAX_FILES] = {{0}};
    uint32_t insns = 0, known = 0;
    *best = (file_lines){0};
    for (uint32_t i = 0; i < count; i++)
        insns += g->blocks[blocks[i]].count;
    line_place *places = d && section ? arena_alloc_raw(&f->work, insns * sizeof *places) : NULL;
    if (!places)
        return d && section ? TACHO_ERR_MEMORY : 0;
    for (uint32_t i = 0; i < count; i++) {
        const cfg_block *b = &g->blocks[blocks[i]];
        for (uint32_t k = b->first; k < b->first + b->count; k++)
            known += lines_find(d, section, f->span->start + g->insns[k].offset, &places[known]);
    }
    uint32_t common = common_calls(places, known);
    const char *inlined = common ? places[0].calls[common - 1].function : NULL;
    for (uint32_t i = 0; i < known; i++) {
        const line_place *p = &places[i];
        const line_call *call = p->call_count > common ? &p->calls[common] : NULL;
        if (!call)
            note_line(files, p->file, p->line);
        else if (call->file && call->line)
            note_line(files, call->file, call->line);
    }
    for (int i = 0; i < MAX_FILES; i++)
        if (files[i].count > best->count)
            *best = files[i];
    best->inlined = inlined;
    return 0;
}

/* The section of the object with the text's lines that is this section: of the same name, as the first,
 * second ... of that name. */
static const input_section *text_section(const finder *f)
{
    const input_section *section = f->span->section;
    size_t number = 0;
    if (!f->text_object)
        return section;
    for (const input_section *s = f->image.sections; s < section; s++)
        number += !strcmp(s->name, section->name);
    for (size_t i = 0; i < f->text_image.section_count; i++) {
        const input_section *s = &f->text_image.sections[i];
        if (!strcmp(s->name, section->name) && number-- == 0)
            return s->size == section->size && !memcmp(s->bytes, section->bytes, s->size) ? s : NULL;
    }
    return NULL;
}

static int set_lines(finder *f, const cfg *g, const loop_path *p, tacho_loop *loop)
{
    const uint32_t *blocks = p->step_count ? p->steps : p->blocks;
    uint32_t count = p->step_count ? p->step_count : p->block_count;
    file_lines text, source = {0};
    int rc = lines_of(f, f->text, f->text ? text_section(f) : NULL, g, blocks, count, &text);
    if (!rc && f->source != f->text)
        rc = lines_of(f, f->source, f->span->section, g, blocks, count, &source);
    if (rc)
        return rc;
    loop->typed = input_source_of(&f->in, f->span->section, &loop->typed_count);
    loop->line_first = text.first;
    loop->line_last = text.last;
    if (!source.count)
        return 0;
    if (!f->last_file || strcmp(f->last_file, source.name)) {
        f->last_file = loop_text(f, source.name);
        if (!f->last_file)
            return TACHO_ERR_MEMORY;
    }
    loop->source_file = f->last_file;
    loop->source_first = source.first;
    loop->source_last = source.last;
    loop->inlined = source.inlined ? loop_symbol(f, source.inlined) : NULL;
    return source.inlined && !loop->inlined ? TACHO_ERR_MEMORY : 0;
}

int loop_keep(finder *f, const cfg *g, uint32_t header, const loop_path *p)
{
    loops_result *r = f->out;
    if (tacho_mem_grow(&r->list, &r->capacity, r->loops.count + 1, sizeof *r->list))
        return TACHO_ERR_MEMORY;
    tacho_loop *loop = &r->list[r->loops.count];
    *loop = (tacho_loop){.function = f->span_name,
                         .section = f->span->section->name,
                         .function_address = loop_address(f, 0),
                         .place_step = f->span->section->place_step,
                         .depth = g->blocks[header].depth};
    if (set_blocks(f, g, p, loop) || set_branches(f, p, loop) || set_callee(f, g, p, loop) ||
        set_lines(f, g, p, loop) || set_code(f, g, header, p, loop))
        return TACHO_ERR_MEMORY;
    r->loops.count++;
    return 0;
}

/* ---- one piece of code ---- */

static int add_loop(const cfg *g, uint32_t header, const uint32_t *members, uint32_t count, void *payload)
{
    finder *f = payload;
    loop_path p;
    f->too_many = f->out->loops.count >= TACHO_MAX_LOOPS;
    return (f->too_many ? TACHO_ERR_LIMIT : tacho_path_find(&p, g, &f->work, header, members, count, NULL))
               ?: loop_keep(f, g, header, &p);
}

static int add_loops(finder *f, const cfg *g)
{
    int rc = tacho_cfg_each_loop(g, &f->work, add_loop, f);
    return f->too_many ? 0 : rc;
}

static int left_out(const finder *f, const char *why)
{
    return input_warn(&f->in, "%.80s at 0x%llx is left out: %s", f->span->name ? f->span->name : "the code",
                      (unsigned long long)loop_address(f, 0), why);
}

static int search_span(finder *f, const code_span *span)
{
    static const uint32_t entry = 0;
    cfg g;
    if (span->end - span->start > CFG_MAX_BYTES) {
        f->span = span;
        return left_out(f, "it is larger than 32 MB");
    }
    int rc = finder_graph(f, span, &entry, 1, false, &g) ?: tacho_cfg_find_loops(&g);
    if (rc == TACHO_ERR_LIMIT)
        return left_out(f, "its flow of control is too entangled");
    if (rc)
        return rc;
    f->out->loops.insn_count += g.insn_count;
    f->span_name = span->name ? loop_symbol(f, span->name) : NULL;
    return span->name && !f->span_name ? TACHO_ERR_MEMORY : add_loops(f, &g);
}

static void show_progress(finder *f, bool last)
{
    enum {
        STEP = 1 << 18
    };
    if (!f->options->progress || (!last && f->bytes_done - f->bytes_shown < STEP))
        return;
    f->bytes_shown = f->bytes_done;
    f->options->progress(f->bytes_done, f->bytes_all, f->options->payload);
}

static int search_spans(finder *f)
{
    int rc = 0;
    for (size_t i = 0; i < f->spans.count; i++)
        f->bytes_all += f->spans.spans[i].end - f->spans.spans[i].start;
    for (size_t i = 0; i < f->spans.count && !rc && !f->too_many; i++) {
        rc = search_span(f, &f->spans.spans[i]);
        f->bytes_done += f->spans.spans[i].end - f->spans.spans[i].start;
        show_progress(f, i + 1 == f->spans.count);
    }
    if (f->too_many && !rc)
        rc = input_warn(&f->in, "there are more than %d loops; the rest is left out", TACHO_MAX_LOOPS);
    f->out->loops.function_count = f->spans.count;
    return rc == TACHO_ERR_MEMORY ? tacho_no_memory(f->in.err) : rc;
}

/* ---- the whole input ---- */

/* Equally hot ones in the order of sections, as their names lie (keep_names): as parts of texts are. */
ORDER_AS(hottest_first, tacho_loop,
         ORDER(b->heat, a->heat) ?: ORDER(a->section, b->section) ?: ORDER(a->start, b->start));

/* Which debug information leads where: assembly text without .loc leads to its own lines. */
static int open_lines(finder *f)
{
    const input *in = &f->in;
    int rc = lines_open(&f->source, in, &f->image, in->out->data, in->out->size);
    if (rc || in->out->code.kind != TACHO_INPUT_ASSEMBLY)
        return rc;
    f->text = f->source;
    if (!f->text_object)
        return 0;
    f->text = NULL;
    rc = input_elf_open(in, &f->text_image, f->text_object, f->text_size);
    return rc ? rc : lines_open(&f->text, in, &f->text_image, f->text_object, f->text_size);
}

static void close_lines(finder *f)
{
    if (f->text != f->source)
        lines_close(f->text);
    lines_close(f->source);
    input_image_close(&f->text_image);
}

static int search(finder *f)
{
    return finder_open(f)
           ?: open_lines(f)
           ?: spans_choose(&f->spans, &f->in, &f->image, &f->functions)
           ?: search_spans(f);
}

/* Section names belong to the image, which goes. The copies lie in the order of the sections. */
static int keep_names(finder *f)
{
    loops_result *r = f->out;
    const char *last = NULL, *copy = NULL;
    size_t size = 1;
    for (size_t i = 0; i < f->image.section_count; i++)
        size += strlen(f->image.sections[i].name) + 1;
    char *end = arena_alloc_raw(&r->memory, size);
    if (!end)
        return tacho_no_memory(f->in.err);
    for (size_t i = 0; i < r->loops.count; i++) {
        if (r->list[i].section != last) {
            last = r->list[i].section;
            copy = end;
            end = stpcpy(end, last) + 1;
        }
        r->list[i].section = copy;
    }
    return 0;
}

OPTIONS_DEFINE(loops, TACHO_LOOPS_OPTIONS_INIT)

static int find(tacho_loops **out, const char *path, const void *data, size_t size, const char *name,
                const tacho_loops_options *options, tacho_error *err)
{
    tacho_loops_options o;
    finder f = {.options = &o};
    *out = NULL;
    int rc = OPTIONS_TAKE(loops, &o, options, err);
    if (rc || (rc = input_start(&f.in, path, data, size, name, &o.code, err)))
        return rc;
    loops_result *r = f.out = tacho_mem_zalloc(1, sizeof *r);
    if (!r) {
        tacho_code_free(&f.in.out->code);
        return tacho_no_memory(f.in.err);
    }
    r->code = f.in.out;
    rc = search(&f) ?: keep_names(&f);
    close_lines(&f);
    finder_close(&f);
    if (rc) {
        tacho_loops_free(&r->loops);
        return rc;
    }
    tacho_sort(r->list, r->loops.count, sizeof *r->list, hottest_first);
    r->loops.kind = r->code->code.kind;
    r->loops.loops = r->list;
    r->loops.warnings = r->code->code.warnings;
    r->loops.warning_count = r->code->code.warning_count;
    *out = &r->loops;
    return 0;
}

int tacho_loops_load(tacho_loops **out, const char *path, const tacho_loops_options *options,
                     tacho_error *err)
{
    return find(out, path, NULL, 0, NULL, options, err);
}

int tacho_loops_from_memory(tacho_loops **out, const void *data, size_t size, const char *name,
                            const tacho_loops_options *options, tacho_error *err)
{
    return find(out, NULL, data, size, name, options, err);
}

void tacho_loops_free(tacho_loops *loops)
{
    if (!loops)
        return;
    loops_result *r = (loops_result *)loops;
    tacho_code_free(&r->code->code);
    tacho_mem_free(r->list);
    arena_free(&r->memory);
    tacho_mem_free(r);
}

NAMES_OF(tacho_branch_reason_name, tacho_branch_reason, "", "stays", "avoids_calls", "in_line", "unequal",
         "not_taken", "longer", "often")

const char *tacho_loop_flag_name(uint32_t flag)
{
    static const char *const names[] = {"calls",     "calls_elsewhere", "indirect_jump",
                                        "bad_bytes", "irreducible",     "cold_place",
                                        "waits",     "no_path",         "switch"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (flag == 1u << i)
            return names[i];
    return "";
}
