/* loops_graph.c - a file opened for looking at its code, and the graph of one piece of it: where its
 * relocations, jump tables and imports say that control goes. */

#include "base/mem.h"
#include "binary/loops/finder.h"

/* ---- relocations ---- */

ORDER_BY(by_offset, reloc, offset);

bool rela_open(rela_table *out, const input_image *image, Elf_Scn *scn, const GElf_Shdr *header)
{
    GElf_Shdr symbol_header;
    Elf_Scn *symbol_scn = elf_getscn(image->elf, header->sh_link);
    size_t entry = gelf_fsize(image->elf, ELF_T_RELA, 1, EV_CURRENT);
    *out = (rela_table){elf_getdata(scn, NULL), symbol_scn ? elf_getdata(symbol_scn, NULL) : NULL, 0, 0};
    if (!out->data || !out->data->d_buf || !out->symbols || !out->symbols->d_buf || !entry ||
        !gelf_getshdr(symbol_scn, &symbol_header))
        return false;
    out->count = out->data->d_size / entry;
    out->strings = symbol_header.sh_link;
    return true;
}

bool rela_get(const rela_table *t, size_t i, GElf_Rela *r, GElf_Sym *symbol)
{
    return i < t->count && i < INT32_MAX && gelf_getrela(t->data, (int)i, r) &&
           gelf_getsym(t->symbols, (int)GELF_R_SYM(r->r_info), symbol);
}

static int read_relocations(reloc_list *out, const input *in, const input_image *image, const rela_table *t)
{
    for (size_t i = 0; i < t->count; i++) {
        GElf_Rela r;
        GElf_Sym s;
        if (!rela_get(t, i, &r, &s))
            continue;
        if (tacho_mem_grow(&out->items, &out->capacity, out->count + 1, sizeof *out->items))
            return tacho_no_memory(in->err);
        const char *name = s.st_name ? elf_strptr(image->elf, t->strings, s.st_name) : NULL;
        bool here = s.st_shndx && s.st_shndx < SHN_LORESERVE;
        out->items[out->count++] = (reloc){.offset = r.r_offset,
                                           .section = here ? input_find_section(image, s.st_shndx) : NULL,
                                           .value = s.st_value,
                                           .addend = r.r_addend,
                                           .name = name ? name : ""};
    }
    return 0;
}

/* The relocations of one section of an object file; none in other files. */
static int relocs_load(reloc_list *out, const input *in, const input_image *image, const input_section *of)
{
    if (out->of == of)
        return 0;
    out->count = 0;
    out->of = of;
    int rc = 0;
    for (Elf_Scn *scn = NULL; image->relocatable && !rc && (scn = elf_nextscn(image->elf, scn));) {
        GElf_Shdr h;
        rela_table t;
        if (gelf_getshdr(scn, &h) && h.sh_type == SHT_RELA && h.sh_info == of->index &&
            rela_open(&t, image, scn, &h))
            rc = read_relocations(out, in, image, &t);
    }
    tacho_sort(out->items, out->count, sizeof *out->items, by_offset);
    return rc;
}

static void relocs_free(reloc_list *list)
{
    tacho_mem_free(list->items);
    *list = (reloc_list){0};
}

/* ---- imports ---- */

/* The names of functions that an executable gets from elsewhere: calls go to a stub that jumps through a
 * pointer, or go through the pointer themselves; the dynamic linker's relocations say whose pointer it is. */

ORDER_BY(by_slot, import, slot);

static int read_imports(import_list *out, const input *in, const input_image *image, const rela_table *t)
{
    for (size_t i = 0; i < t->count; i++) {
        GElf_Rela r;
        GElf_Sym s;
        if (!rela_get(t, i, &r, &s) || !s.st_name)
            continue;
        unsigned type = (unsigned)GELF_R_TYPE(r.r_info);
        const char *name = type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT
                               ? elf_strptr(image->elf, t->strings, s.st_name)
                               : NULL;
        if (!name || !*name)
            continue;
        if (tacho_mem_grow(&out->items, &out->capacity, out->count + 1, sizeof *out->items))
            return tacho_no_memory(in->err);
        out->items[out->count++] = (import){r.r_offset, name};
    }
    return 0;
}

/* The functions that an executable gets from elsewhere; none in object files. */
static int imports_list(import_list *out, const input *in, const input_image *image)
{
    int rc = 0;
    if (!image->elf || image->relocatable)
        return 0;
    for (Elf_Scn *scn = NULL; !rc && (scn = elf_nextscn(image->elf, scn));) {
        GElf_Shdr h;
        rela_table t;
        if (gelf_getshdr(scn, &h) && h.sh_type == SHT_RELA && rela_open(&t, image, scn, &h))
            rc = read_imports(out, in, image, &t);
    }
    tacho_sort(out->items, out->count, sizeof *out->items, by_slot);
    return rc;
}

/* The name of the function whose pointer lies there; NULL unknown. */
static const char *at_slot(const import_list *list, uint64_t slot)
{
    const import key = {slot, NULL};
    const import *hit = tacho_find_sorted(&key, list->items, list->count, sizeof key, by_slot);
    return hit ? hit->name : NULL;
}

const char *imports_slot_of(const import_list *list, const tacho_insn *insn, uint64_t next)
{
    const tacho_operand *op = &insn->operands[0];
    if (op->kind != TACHO_OPERAND_MEM || op->mem.base.class_ != TACHO_REG_RIP)
        return NULL;
    return at_slot(list, next + (uint64_t)op->mem.disp);
}

const char *imports_at_stub(const import_list *list, const input_section *section, size_t offset)
{
    enum {
        MOST_INSNS = 2 /* ENDBR64 and the jump */
    };
    for (int k = 0; k < MOST_INSNS && offset < section->size; k++) {
        tacho_insn insn;
        if (tacho_decode(&insn, section->bytes + offset, section->size - offset, NULL))
            return NULL;
        offset += insn.length;
        if (insn.is_branch)
            return imports_slot_of(list, &insn, section->address + offset);
    }
    return NULL;
}

/* ---- functions ---- */

/* What of a file is to be looked at for loops: its functions, as symbols and .eh_frame have them, or what the
 * options choose. */

int functions_list(function_list *out, const input *in, const input_image *image)
{
    int rc = tacho_functions_add(out, image, in->err) ?: frames_list(out, in, image);
    if (!rc)
        tacho_functions_sort(out);
    return rc;
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
    return tacho_spans_add(out, span, in->err);
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
        return tacho_spans_add(out, (code_span){s, o->range_start, o->range_end, NULL}, in->err);
    }
    int rc = input_elf_select(in, image, &chosen);
    if (rc < 0)
        return rc;
    return tacho_spans_add(out,
                           (code_span){chosen.section, chosen.start, chosen.end,
                                       tacho_functions_name(f, chosen.section, chosen.start)},
                           in->err);
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
    return tacho_spans_of_image(out, image, functions, only.section, in->err);
}

/* ---- the graph ---- */

static int load_relocs(reloc_list *out, const input_section *of, void *payload)
{
    const finder *f = payload;
    return relocs_load(out, &f->in, &f->image, of);
}

static bool returns(cfg *g, const cfg_insn *call, void *reader)
{
    const code_reader *r = reader;
    const char *name = loop_callee(r->payload, g, call);
    return !name || tacho_function_returns(name);
}

int finder_open(finder *f)
{
    int rc = input_open_image(&f->in, &f->image, &f->text_object, &f->text_size);
    f->reader = (code_reader){.image = &f->image, .load = load_relocs, .returns = returns, .payload = f};
    if (!rc)
        rc = functions_list(&f->functions, &f->in, &f->image);
    return rc ? rc : imports_list(&f->imports, &f->in, &f->image);
}

void finder_close(finder *f)
{
    input_image_close(&f->image);
    TACHO_MEM_FREE(f->text_object, f->functions.items, f->imports.items, f->spans.spans);
    relocs_free(&f->reader.relocs);
    relocs_free(&f->reader.table_relocs);
    arena_free(&f->work);
}

int finder_graph(finder *f, const code_span *span, const uint32_t *entries, size_t entry_count,
                 bool reached_only, cfg *g)
{
    arena_reset(&f->work);
    f->span = span;
    return tacho_span_graph(g, &f->work, &f->reader, span, entries, entry_count, reached_only);
}
