/* static.c - the blocks of a file.
 *
 * The sections with code are cut into tiles: functions, as symbols and .eh_frame tell them, and what lies
 * between. A tile's graph is followed from its entries only. What leads out of a tile (calls, jumps from a
 * function into the middle of another one) makes entries of other tiles, whose graphs are made again, until
 * nothing new is found; then all are cut into blocks. */

#include "base/mem.h"
#include "binary/extract/extract_internal.h"

enum {
    LOOKS_AT_CODE = 100, /* so often at each byte; stripped of all that helps, gdb needs 21 */
    LEAST_BYTES = 1 << 26
};

/* Where a direct branch or call leads that leaves the graph, or calls into it. */
static int enter_target(searcher *s, const cfg *g, const cfg_insn *i)
{
    const code_span *span = s->f.span;
    size_t at = span->start + i->offset;
    const reloc *r = tacho_relocs_find(&s->f.reader.relocs, at, i->length);
    tacho_insn insn;
    int64_t distance;
    if (tacho_decode(&insn, g->code->bytes + i->offset, i->length, NULL))
        return 0;
    tacho_insn_flow_of(&insn, &distance);
    if (insn.operands[0].kind != TACHO_OPERAND_REL)
        return 0;
    if (r)
        return r->section
                   ? tiles_enter(s, r->section, r->value + (uint64_t)r->addend + (at + i->length - r->offset))
                   : 0;
    uint64_t place = at + i->length + (uint64_t)distance;
    return s->f.image.relocatable ? tiles_enter(s, span->section, place)
                                  : tiles_enter_address(s, span->section->address + place);
}

static int enter_targets(searcher *s, const cfg *g)
{
    int rc = 0;
    for (uint32_t k = 0; k < g->insn_count && !rc; k++) {
        const cfg_insn *i = &g->insns[k];
        bool leaves = (i->flow == FLOW_JUMP || i->flow == FLOW_BRANCH) && i->target == CFG_NONE;
        if (leaves || i->flow == FLOW_CALL || i->flow == FLOW_STOP)
            rc = enter_target(s, g, i);
    }
    return rc;
}

static int make_graph(searcher *s, const tile *t, cfg *g)
{
    int rc = finder_graph(&s->f, &t->span, t->entries, t->entry_count, true, g);
    return rc == TACHO_ERR_MEMORY ? tacho_no_memory(s->err) : rc;
}

static size_t tile_bytes(const tile *t)
{
    return t->span.end - t->span.start;
}

/* Bytes of code that are looked at in all, each time anew, to find entries. */
static uint64_t most_bytes(const searcher *s)
{
    uint64_t code = 0;
    for (size_t i = 0; i < s->tile_count; i++)
        code += tile_bytes(&s->tiles[i]);
    return LEAST_BYTES + LOOKS_AT_CODE * code;
}

static int find_entries(searcher *s)
{
    uint64_t left = most_bytes(s);
    int rc = 0;
    bool given_up = false;
    while (!given_up && tiles_settle(s, &rc)) {
        for (size_t i = 0; i < s->tile_count && !rc && !given_up; i++) {
            tile *t = &s->tiles[i];
            cfg g;
            if (!t->dirty)
                continue;
            t->dirty = false;
            given_up = tile_bytes(t) > left;
            left -= given_up ? 0 : tile_bytes(t);
            rc = make_graph(s, t, &g) ?: enter_targets(s, &g);
        }
    }
    if (given_up && !rc)
        rc = extract_warn(s->set, s->err,
                          "%s: one piece of code leads to the next so often that not all were followed",
                          s->cover.object);
    return rc;
}

/* Sections of an object file all begin at 0: its blocks are told apart by the section's name. */
static int name_object(searcher *s, const input_section *section, const char *file)
{
    TACHO_FREED tacho_str name = {0};
    if (s->section == section)
        return 0;
    s->section = section;
    tacho_str_puts(&name, file);
    if (s->f.image.relocatable && strcmp(section->name, ".text") != 0)
        tacho_str_printf(&name, "(%s)", section->name);
    s->object = name.failed ? NULL : extract_text(s->set, name.data, s->err);
    if (name.failed)
        tacho_no_memory(s->err);
    return s->object ? 0 : TACHO_ERR_MEMORY;
}

static int add_blocks(searcher *s, const char *file)
{
    int rc = 0;
    for (size_t i = 0; i < s->tile_count && !rc; i++) {
        const tile *t = &s->tiles[i];
        cfg g;
        s->cover.code_bytes += tile_bytes(t);
        rc = name_object(s, t->span.section, file);
        if (!rc && !t->entry_count) {
            blocks_count_rest(s, t);
            continue;
        }
        if (!rc)
            rc = make_graph(s, t, &g);
        if (!rc)
            rc = blocks_add(s, t, &g);
    }
    return rc;
}

static int search(searcher *s, const char *file)
{
    if (!input_is_elf(s->f.in.out->data, s->f.in.out->size))
        return input_fail(
            &s->f.in, TACHO_ERR_INPUT, 0, -1,
            "not an ELF file; blocks are found in executables, shared libraries and object files");
    s->cover.object = file;
    int rc = finder_open(&s->f)
             ?: tiles_make(s)
             ?: roots_find(s)
             ?: marks_find(s)
             ?: find_entries(s)
             ?: extract_begin(s->set, file, s->err)
             ?: add_blocks(s, file)
             ?: extract_cover(s->set, &s->cover, s->err);
    const tacho_code *code = &s->f.in.out->code;
    for (size_t i = 0; i < code->warning_count && !rc; i++)
        rc = extract_warn(s->set, s->err, "%s: %s", file, code->warnings[i]);
    return rc;
}

static int add_file(tacho_extract *x, const char *path, const void *data, size_t size, const char *name,
                    tacho_error *err)
{
    static const tacho_code_options elf = {.size = sizeof elf, .kind = TACHO_INPUT_ELF};
    TACHO_ENDS(tiles_free) searcher s = {.set = (extract_set *)x, .err = err};
    int rc = input_start(&s.f.in, path, data, size, name, &elf, err);
    if (rc)
        return rc;
    rc = search(&s, path && !strcmp(path, "-") ? "stdin" : tacho_base_name(path ? path : name));
    tacho_mem_free(s.marks);
    finder_close(&s.f);
    tacho_code_free(&s.f.in.out->code);
    return rc;
}

int tacho_extract_file(tacho_extract *x, const char *path, tacho_error *err)
{
    return add_file(x, path, NULL, 0, NULL, err);
}

int tacho_extract_memory(tacho_extract *x, const void *data, size_t size, const char *name, tacho_error *err)
{
    return add_file(x, NULL, data, size, name, err);
}
