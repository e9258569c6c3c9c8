/* tiles.c - the sections with code, cut at the functions that symbols and .eh_frame know of, and the places
 * where each part is entered. */

#include "base/mem.h"
#include "binary/extract/extract_internal.h"

/* ---- places that code refers to ---- */

/* The places that code refers to. A jump table of unknown length ends at the latest at the next such place.
 * To find them, functions are decoded from one end to the other. Bytes among them that are no code give wrong
 * marks, which can only make a table seem shorter. */

static int add_mark(searcher *s, const tacho_insn *insn, uint64_t next)
{
    for (uint8_t i = 0; i < insn->operand_count; i++) {
        const tacho_operand *o = &insn->operands[i];
        if ((o->kind != TACHO_OPERAND_MEM && o->kind != TACHO_OPERAND_AGEN) ||
            o->mem.base.class_ != TACHO_REG_RIP)
            continue;
        if (tacho_mem_grow(&s->marks, &s->mark_capacity, s->mark_count + 1, sizeof *s->marks))
            return tacho_no_memory(s->err);
        s->marks[s->mark_count++] = next + (uint64_t)o->mem.disp;
    }
    return 0;
}

static int mark_tile(searcher *s, const code_span *span)
{
    int rc = 0;
    for (size_t at = span->start; at < span->end && !rc;) {
        tacho_insn insn;
        if (tacho_decode(&insn, span->section->bytes + at, span->end - at, NULL)) {
            at++;
            continue;
        }
        at += insn.length;
        rc = add_mark(s, &insn, span->section->address + at);
    }
    return rc;
}

ORDER_NUMBERS(by_address, uint64_t);

int marks_find(searcher *s)
{
    int rc = 0;
    if (s->f.image.relocatable) /* where references lead to, the linker knows */
        return 0;
    for (size_t i = 0; i < s->tile_count && !rc; i++)
        if (s->tiles[i].function)
            rc = mark_tile(s, &s->tiles[i].span);
    tacho_sort(s->marks, s->mark_count, sizeof *s->marks, by_address);
    s->f.reader.marks = s->marks;
    s->f.reader.mark_count = s->mark_count;
    return rc;
}

/* ---- places that the file names ---- */

/* The places in a file's code that the file itself names, beside symbols and .eh_frame: the entry point,
 * initialisation and termination functions (System V ABI, chapter 5: DT_INIT, DT_FINI and their arrays). */

static int enter_dynamic(searcher *s, Elf_Scn *scn)
{
    Elf_Data *d = elf_getdata(scn, NULL);
    size_t entry = gelf_fsize(s->f.image.elf, ELF_T_DYN, 1, EV_CURRENT);
    size_t count = d && d->d_buf && entry ? d->d_size / entry : 0;
    int rc = 0;
    for (size_t i = 0; i < count && i < INT32_MAX && !rc; i++) {
        GElf_Dyn dyn;
        if (!gelf_getdyn(d, (int)i, &dyn) || dyn.d_tag == DT_NULL)
            break;
        if (dyn.d_tag == DT_INIT || dyn.d_tag == DT_FINI)
            rc = tiles_enter_address(s, dyn.d_un.d_ptr);
    }
    return rc;
}

/* The 8 bytes at an address; 0 where there are none in the file. */
static uint64_t word_at(const searcher *s, uint64_t address)
{
    const input_section *section = input_section_at(&s->f.image, address);
    uint64_t word = 0;
    if (section && section->size - (address - section->address) >= sizeof word)
        memcpy(&word, section->bytes + (address - section->address), sizeof word);
    return word;
}

/* What relocations put into an array of pointers to functions. Without an array: what the dynamic linker
 * calls itself, to choose a function; and the stubs to which pointers to functions of other files lead until
 * these are looked up. */
static int enter_relocated(searcher *s, Elf_Scn *scn, const GElf_Shdr *relocations, const GElf_Shdr *array)
{
    rela_table t;
    GElf_Rela r;
    GElf_Sym symbol;
    int rc = 0;
    if (!rela_open(&t, &s->f.image, scn, relocations))
        return 0;
    for (size_t i = 0; i < t.count && !rc; i++) {
        if (!rela_get(&t, i, &r, &symbol))
            continue;
        const uint32_t type = GELF_R_TYPE(r.r_info);
        if (array ? type == R_X86_64_RELATIVE && r.r_offset - array->sh_addr < array->sh_size
                  : type == R_X86_64_IRELATIVE)
            rc = tiles_enter_address(s, (uint64_t)r.r_addend);
        else if (!array && type == R_X86_64_JUMP_SLOT)
            rc = tiles_enter_address(s, word_at(s, r.r_offset));
    }
    return rc;
}

static int enter_array(searcher *s, Elf_Scn *array_scn, const GElf_Shdr *array)
{
    Elf_Data *d = elf_getdata(array_scn, NULL);
    int rc = 0;
    for (size_t at = 0; d && d->d_buf && d->d_size - at >= 8 && !rc; at += 8) {
        uint64_t address;
        memcpy(&address, (const char *)d->d_buf + at, sizeof address);
        rc = tiles_enter_address(s, address);
    }
    for (Elf_Scn *scn = NULL; !rc && (scn = elf_nextscn(s->f.image.elf, scn));) {
        GElf_Shdr h;
        if (gelf_getshdr(scn, &h) && h.sh_type == SHT_RELA)
            rc = enter_relocated(s, scn, &h, array);
    }
    return rc;
}

static int enter_pad(uint64_t address, void *payload)
{
    return tiles_enter_address(payload, address);
}

static int enter_pads(uint64_t start, uint64_t size, uint64_t table, void *payload)
{
    searcher *s = payload;
    return frames_pads(&s->f.image, start, table, enter_pad, s);
}

int roots_find(searcher *s)
{
    GElf_Ehdr header;
    int rc = 0;
    if (s->f.image.relocatable || !gelf_getehdr(s->f.image.elf, &header))
        return 0;
    if (header.e_entry)
        rc = tiles_enter_address(s, header.e_entry);
    for (Elf_Scn *scn = NULL; !rc && (scn = elf_nextscn(s->f.image.elf, scn));) {
        GElf_Shdr h;
        if (!gelf_getshdr(scn, &h))
            continue;
        if (h.sh_type == SHT_DYNAMIC)
            rc = enter_dynamic(s, scn);
        else if (h.sh_type == SHT_RELA)
            rc = enter_relocated(s, scn, &h, NULL);
        else if (h.sh_type == SHT_INIT_ARRAY || h.sh_type == SHT_FINI_ARRAY || h.sh_type == SHT_PREINIT_ARRAY)
            rc = enter_array(s, scn, &h);
    }
    return rc ? rc : frames_read(&s->f.image, &(frame_reader){enter_pads, s});
}

/* ---- sections and tiles ---- */

static int add_tile(searcher *s, const input_section *section, size_t start, size_t end, const char *name,
                    bool function)
{
    if (end <= start)
        return 0;
    if (tacho_mem_grow(&s->tiles, &s->tile_capacity, s->tile_count + 1, sizeof *s->tiles))
        return tacho_no_memory(s->err);
    s->tiles[s->tile_count++] = (tile){.span = {section, start, end, name}, .function = function};
    return 0;
}

/* Functions that begin inside another one are entries of that. */
static int tile_section(searcher *s, const input_section *section)
{
    const function_list *f = &s->f.functions;
    size_t at = 0;
    int rc = 0;
    for (size_t i = 0; i < f->count && !rc; i++) {
        const function_start *start = &f->items[i];
        if (start->section != section)
            continue;
        s->cover.function_count++;
        if (start->offset >= at) {
            size_t end = tacho_functions_end(f, i);
            rc = add_tile(s, section, at, start->offset, NULL, false)
                     ?: add_tile(s, section, start->offset, end, start->name, true);
            at = end;
        }
        if (!rc)
            rc = tiles_enter(s, section, start->offset);
    }
    return rc ? rc : add_tile(s, section, at, section->size, NULL, false);
}

int tiles_make(searcher *s)
{
    int rc = 0;
    for (size_t i = 0; i < s->f.image.section_count && !rc; i++)
        if (s->f.image.sections[i].executable)
            rc = tile_section(s, &s->f.image.sections[i]);
    return rc;
}

/* The tile that holds the place; the number of tiles if none does. */
static size_t find_tile(const searcher *s, const input_section *section, uint64_t offset)
{
    size_t at;
    COUNT_BEFORE(at, s->tile_count, span_is_before(&s->tiles[at].span, section, offset));
    bool inside =
        at < s->tile_count && s->tiles[at].span.section == section && s->tiles[at].span.start <= offset;
    return inside ? at : s->tile_count;
}

int tiles_enter(searcher *s, const input_section *section, uint64_t offset)
{
    size_t i = find_tile(s, section, offset);
    if (i == s->tile_count || s->tiles[i].span.end - s->tiles[i].span.start > CFG_MAX_BYTES)
        return 0;
    if (tacho_mem_grow(&s->roots, &s->root_capacity, s->root_count + 1, sizeof *s->roots))
        return tacho_no_memory(s->err);
    s->roots[s->root_count++] = (root){i, (uint32_t)(offset - s->tiles[i].span.start)};
    return 0;
}

int tiles_enter_address(searcher *s, uint64_t address)
{
    const input_section *section = input_section_at(&s->f.image, address);
    return section && section->executable ? tiles_enter(s, section, address - section->address) : 0;
}

ORDER_BY_TWO(by_place, root, tile, offset);

ORDER_NUMBERS(by_number, uint32_t);

/* Adds those of the roots that are not among the entries yet. */
static int add_entries(searcher *s, tile *t, const root *roots, size_t count)
{
    size_t known = t->entry_count;
    for (size_t i = 0; i < count; i++) {
        if ((i && roots[i].offset == roots[i - 1].offset) ||
            tacho_find_sorted(&roots[i].offset, t->entries, known, sizeof *t->entries, by_number))
            continue;
        if (tacho_mem_grow(&t->entries, &t->entry_capacity, t->entry_count + 1, sizeof *t->entries))
            return tacho_no_memory(s->err);
        t->entries[t->entry_count++] = roots[i].offset;
    }
    t->dirty = t->entry_count > known;
    if (t->dirty)
        tacho_sort(t->entries, t->entry_count, sizeof *t->entries, by_number);
    return 0;
}

bool tiles_settle(searcher *s, int *rc)
{
    bool any = false;
    tacho_sort(s->roots, s->root_count, sizeof *s->roots, by_place);
    for (size_t i = 0; i < s->root_count && !*rc;) {
        size_t next = i + 1;
        while (next < s->root_count && s->roots[next].tile == s->roots[i].tile)
            next++;
        tile *t = &s->tiles[s->roots[i].tile];
        *rc = add_entries(s, t, &s->roots[i], next - i);
        any |= t->dirty;
        i = next;
    }
    s->root_count = 0;
    return any && !*rc;
}

void tiles_free(searcher *s)
{
    for (size_t i = 0; i < s->tile_count; i++)
        tacho_mem_free(s->tiles[i].entries);
    tacho_mem_free(s->tiles);
    tacho_mem_free(s->roots);
}
