/* elf.c - sections and symbols of ELF files (libelf behind it), and what part of them is asked for.
 *
 * Every offset and size in the file is checked against the file's end here; libelf checks the rest. Object
 * files are taken as they are: relocations are not applied, so displacements that the linker would fill in
 * are 0. */
#include <gelf.h>
#include <libelf.h>

#include "base/mem.h"
#include "base/suggest.h"
#include "binary/input/input.h"

bool input_is_elf(const char *data, size_t size)
{
    return size >= SELFMAG && !memcmp(data, ELFMAG, SELFMAG);
}

static int add_section(const input *in, input_image *image, input_section s, const char *name)
{
    if (tacho_mem_grow(&image->sections, &image->section_capacity, image->section_count + 1,
                       sizeof *image->sections))
        return tacho_no_memory(in->err);
    s.name = tacho_mem_strndup(name, strlen(name));
    if (!s.name)
        return tacho_no_memory(in->err);
    image->sections[image->section_count++] = s;
    return 0;
}

/* What the linker keeps of an offset in a section, within blocks of 64 bytes. */
static uint32_t place_step(uint64_t align)
{
    uint64_t power = align & -align;
    return !power ? 1 : power < 64 ? (uint32_t)power : 64;
}

/* Object files that were assembled here have no addresses, but a listing's sections have places. */
static uint8_t place_of(const input_code *code, size_t section)
{
    return section < code->place_count ? code->places[section] : 0;
}

static int read_sections(const input *in, input_image *image, char *data, size_t size)
{
    size_t names = 0;
    if (elf_getshdrstrndx(image->elf, &names))
        names = 0;
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(image->elf, scn));) {
        GElf_Shdr h;
        if (!gelf_getshdr(scn, &h) || !(h.sh_flags & SHF_ALLOC) ||
            (h.sh_type != SHT_PROGBITS && h.sh_type != SHT_X86_64_UNWIND)) /* that is .eh_frame, perhaps */
            continue;
        if (h.sh_offset > size || h.sh_size > size - h.sh_offset) {
            if (input_warn(in, "section %zu lies beyond the end of the file and is left out",
                           elf_ndxscn(scn)))
                return TACHO_ERR_MEMORY;
            continue;
        }
        const char *name = elf_strptr(image->elf, names, h.sh_name);
        input_section s = {.bytes = (const uint8_t *)data + h.sh_offset,
                           .address = h.sh_addr + place_of(in->out, elf_ndxscn(scn)),
                           .size = h.sh_size,
                           .index = elf_ndxscn(scn),
                           .place_step = image->relocatable ? place_step(h.sh_addralign) : 64,
                           .executable = (h.sh_flags & SHF_EXECINSTR) != 0};
        int result = add_section(in, image, s, name ? name : "?");
        if (result)
            return result;
    }
    return 0;
}

/* A file without section headers still says which parts are loaded as code. */
static int read_segments(const input *in, input_image *image, char *data, size_t size)
{
    size_t count = 0;
    if (elf_getphdrnum(image->elf, &count))
        return 0;
    for (size_t i = 0; i < count && i < 1000; i++) {
        GElf_Phdr h;
        char name[32];
        if (!gelf_getphdr(image->elf, (int)i, &h) || h.p_type != PT_LOAD || !(h.p_flags & PF_X) ||
            h.p_offset > size || h.p_filesz > size - h.p_offset)
            continue;
        snprintf(name, sizeof name, "segment %zu", i);
        input_section s = {.bytes = (const uint8_t *)data + h.p_offset,
                           .address = h.p_vaddr,
                           .size = h.p_filesz,
                           .index = SIZE_MAX,
                           .place_step = 64,
                           .executable = true};
        int result = add_section(in, image, s, name);
        if (result)
            return result;
    }
    return 0;
}

static int add_symbol(const input *in, input_image *image, const GElf_Sym *sym, const char *name,
                      size_t section)
{
    if (tacho_mem_grow(&image->symbols, &image->symbol_capacity, image->symbol_count + 1,
                       sizeof *image->symbols))
        return tacho_no_memory(in->err);
    image->symbols[image->symbol_count++] = (input_symbol){name,
                                                           sym->st_value,
                                                           sym->st_size,
                                                           section,
                                                           GELF_ST_TYPE(sym->st_info),
                                                           GELF_ST_BIND(sym->st_info) != STB_LOCAL};
    return 0;
}

static int read_symbol_table(const input *in, input_image *image, Elf_Scn *scn, const GElf_Shdr *h)
{
    Elf_Data *d = elf_getdata(scn, NULL);
    size_t entry = gelf_fsize(image->elf, ELF_T_SYM, 1, EV_CURRENT);
    size_t count = d && d->d_buf && entry ? d->d_size / entry : 0;
    for (size_t i = 0; i < count && i < INT32_MAX; i++) {
        GElf_Sym sym;
        if (!gelf_getsym(d, (int)i, &sym))
            break;
        unsigned type = GELF_ST_TYPE(sym.st_info);
        if (!sym.st_name || type == STT_SECTION || type == STT_FILE || type == STT_TLS)
            continue;
        const char *name = elf_strptr(image->elf, h->sh_link, sym.st_name);
        /* Reserved numbers (absolute, common, extended) name no section that could hold code here. */
        size_t section = sym.st_shndx < SHN_LORESERVE ? sym.st_shndx : SIZE_MAX;
        int result = name && *name ? add_symbol(in, image, &sym, name, section) : 0;
        if (result)
            return result;
    }
    return 0;
}

static int read_symbols(const input *in, input_image *image)
{
    image->stripped = true;
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(image->elf, scn));) {
        GElf_Shdr h;
        if (!gelf_getshdr(scn, &h) || (h.sh_type != SHT_SYMTAB && h.sh_type != SHT_DYNSYM))
            continue;
        image->stripped &= h.sh_type != SHT_SYMTAB;
        int result = read_symbol_table(in, image, scn, &h);
        if (result)
            return result;
    }
    return 0;
}

static const char *machine_name(unsigned machine)
{
    switch (machine) {
    case EM_386:
        return "32-bit x86";
    case EM_AARCH64:
        return "AArch64";
    case EM_ARM:
        return "32-bit ARM";
    case EM_RISCV:
        return "RISC-V";
    case EM_PPC64:
        return "PowerPC";
    case EM_S390:
        return "s390";
    default:
        return "another machine";
    }
}

static int check_header(const input *in, input_image *image)
{
    GElf_Ehdr h;
    if (elf_kind(image->elf) != ELF_K_ELF || !gelf_getehdr(image->elf, &h))
        return input_fail(in, TACHO_ERR_INPUT, 0, -1, "a damaged or truncated ELF file: %s", elf_errmsg(-1));
    if (h.e_machine != EM_X86_64)
        return input_fail(in, TACHO_ERR_INPUT, 0, -1,
                          "an ELF file for %s (machine %u); tacho analyses x86-64", machine_name(h.e_machine),
                          h.e_machine);
    if (h.e_ident[EI_DATA] != ELFDATA2LSB)
        return input_fail(in, TACHO_ERR_INPUT, 0, -1, "a big-endian ELF file, which x86-64 does not have");
    image->relocatable = h.e_type == ET_REL;
    return 0;
}

int input_elf_open(const input *in, input_image *image, char *data, size_t size)
{
    *image = (input_image){0};
    elf_version(EV_CURRENT);
    image->elf = elf_memory(data, size);
    if (!image->elf)
        return input_fail(in, TACHO_ERR_INPUT, 0, -1, "a damaged or truncated ELF file: %s", elf_errmsg(-1));
    int result = check_header(in, image) ?: read_sections(in, image, data, size);
    if (!result && !image->section_count)
        result = read_segments(in, image, data, size);
    if (!result && !image->section_count)
        result =
            input_fail(in, TACHO_ERR_INPUT, 0, -1,
                       "an ELF file without code (no sections or segments to be executed, or truncated)");
    if (!result)
        result = read_symbols(in, image);
    return result;
}

void input_image_close(input_image *image)
{
    for (size_t i = 0; i < image->section_count; i++)
        tacho_mem_free(image->sections[i].name);
    tacho_mem_free(image->sections);
    tacho_mem_free(image->symbols);
    if (image->elf)
        elf_end(image->elf);
    *image = (input_image){0};
}

const input_symbol *input_find_symbol(const input_image *image, const char *name)
{
    const input_symbol *best = NULL;
    for (size_t i = 0; i < image->symbol_count; i++) {
        const input_symbol *s = &image->symbols[i];
        if (!strcmp(s->name, name) && (!best || (!best->section && s->section)))
            best = s;
    }
    return best;
}

bool input_address_of(const input_image *image, uint64_t offset, uint64_t *out)
{
    size_t count = 0;
    if (!image->elf || elf_getphdrnum(image->elf, &count))
        return false;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr h;
        if (!gelf_getphdr(image->elf, (int)i, &h) || h.p_type != PT_LOAD || offset < h.p_offset ||
            offset - h.p_offset >= h.p_filesz)
            continue;
        *out = h.p_vaddr + (offset - h.p_offset);
        return true;
    }
    return false;
}

bool input_names_code(const input_image *image, const input_symbol *s)
{
    const input_section *section = input_find_section(image, s->section);
    bool code = s->type == STT_FUNC || s->type == STT_GNU_IFUNC || s->type == STT_NOTYPE;
    return code && section && section->executable && s->name && *s->name;
}

static int unknown_symbol(const input *in, const input_image *image)
{
    tacho_suggest s = {.wanted = in->options->symbol};
    for (size_t i = 0; i < image->symbol_count; i++)
        if (image->symbols[i].section && (s.count < TACHO_SUGGEST_MAX || image->symbol_count < 100000))
            tacho_suggest_offer(&s, image->symbols[i].name);
    const char *near = tacho_suggest_text(&s);
    if (!*near && image->stripped)
        near = "; the file is stripped: give the address of the function, 0x..., or --range";
    return input_fail(in, TACHO_ERR_INPUT, 0, -1, "no symbol '%.80s'%s", in->options->symbol, near);
}

/* The function that holds an address, by .eh_frame. */
typedef struct framed {
    uint64_t address;
    uint64_t start, size; /* size 0: none does */
} framed;

static int take_frame(uint64_t start, uint64_t size, uint64_t table, void *payload)
{
    framed *f = payload;
    if (f->address < start || f->address - start >= size)
        return 0;
    f->start = start;
    f->size = size;
    return 1;
}

/* An address in place of a name: files without symbols tell by .eh_frame where functions are. @return 1; 0:
 * it is no address, or no function is known there; negative */
static int select_address(const input *in, const input_image *image, input_span *span)
{
    const char *text = in->options->symbol;
    char *end;
    framed f = {.address = strtoull(text, &end, 16)};
    if (!tacho_starts_with(text, "0x") || !text[2] || *end)
        return 0;
    frames_read(image, &(frame_reader){take_frame, &f});
    const input_section *s = f.size ? input_section_at(image, f.start) : NULL;
    if (!s || !s->executable)
        return 0;
    if (f.start != f.address)
        return input_fail(in, TACHO_ERR_INPUT, 0, -1,
                          "no function begins at %s; one goes from 0x%llx to 0x%llx, as .eh_frame says", text,
                          (unsigned long long)f.start, (unsigned long long)(f.start + f.size));
    size_t start = f.start - s->address, left = s->size - start;
    *span = (input_span){s, start, start + (f.size < left ? f.size : left), text};
    if (input_warn(in, "%s: the function from 0x%llx to 0x%llx, as .eh_frame says", text,
                   (unsigned long long)f.start, (unsigned long long)(s->address + span->end)))
        return TACHO_ERR_MEMORY;
    return 1;
}

static int select_symbol(const input *in, const input_image *image, input_span *span)
{
    const input_symbol *sym = input_find_symbol(image, in->options->symbol);
    int selected = sym ? 0 : select_address(in, image, span);
    if (!sym)
        return selected ? selected : unknown_symbol(in, image);
    if (!sym->section)
        return input_fail(in, TACHO_ERR_INPUT, 0, -1, "symbol '%.80s' is used here but defined elsewhere",
                          in->options->symbol);
    const input_section *s = input_find_section(image, sym->section);
    uint64_t base = s && !image->relocatable ? s->address : 0;
    if (!s || sym->value < base || sym->value - base > s->size)
        return input_fail(in, TACHO_ERR_INPUT, 0, -1,
                          "symbol '%.80s' does not lie in a section with contents", in->options->symbol);
    size_t start = sym->value - base, end = s->size;
    if (sym->size && sym->size <= s->size - start)
        end = start + sym->size;
    for (size_t i = 0; i < image->symbol_count && !sym->size; i++) { /* no size: up to the next symbol */
        const input_symbol *o = &image->symbols[i];
        if (o->section == sym->section && o->value > sym->value && o->value - base < end &&
            !tacho_starts_with(o->name, INPUT_LABEL))
            end = o->value - base;
    }
    *span = (input_span){s, start, end, in->options->symbol};
    if (sym->type == STT_GNU_IFUNC &&
        input_warn(in,
                   "'%.80s' only chooses one of several functions when the program "
                   "starts (an ifunc); select that function",
                   in->options->symbol))
        return TACHO_ERR_MEMORY;
    return 1;
}

static const input_section *section_named(const input_image *image, const char *name)
{
    for (size_t i = 0; i < image->section_count; i++)
        if (!strcmp(image->sections[i].name, name))
            return &image->sections[i];
    return NULL;
}

static int unknown_section(const input *in, const input_image *image, const char *name)
{
    tacho_suggest s = {.wanted = name};
    for (size_t i = 0; i < image->section_count; i++)
        tacho_suggest_offer(&s, image->sections[i].name);
    return input_fail(in, TACHO_ERR_INPUT, 0, -1, "no section '%.80s' with contents%s", name,
                      tacho_suggest_text(&s));
}

/* Addresses are virtual ones; in object files, where sections have none, offsets in the section. */
static int select_range(const input *in, const input_image *image, const input_section *only,
                        input_span *span)
{
    const tacho_code_options *o = in->options;
    if (image->relocatable && !only) {
        input_span all;
        int result = input_elf_default(in, image, &all);
        if (result)
            return result;
        only = all.section;
    }
    for (size_t i = 0; i < image->section_count; i++) {
        const input_section *s = &image->sections[i];
        if ((only ? s == only : s->executable) && o->range_start >= s->address &&
            o->range_start - s->address < s->size) {
            if (o->range_end - s->address > s->size || o->range_end < o->range_start)
                return input_fail(in, TACHO_ERR_INPUT, 0, -1,
                                  "the range ends outside section %s, which is 0x%llx:0x%llx", s->name,
                                  (unsigned long long)s->address, (unsigned long long)(s->address + s->size));
            *span = (input_span){s, o->range_start - s->address, o->range_end - s->address, NULL};
            return 1;
        }
    }
    const input_section *text = only ? only : section_named(image, ".text");
    if (!text)
        text = &image->sections[0];
    return input_fail(in, TACHO_ERR_INPUT, 0, -1, "no code at 0x%llx; %s is 0x%llx:0x%llx",
                      (unsigned long long)o->range_start, text->name, (unsigned long long)text->address,
                      (unsigned long long)(text->address + text->size));
}

int input_elf_select(const input *in, const input_image *image, input_span *span)
{
    const tacho_code_options *o = in->options;
    const input_section *only = NULL;
    if (o->section) {
        only = section_named(image, o->section);
        if (!only)
            return unknown_section(in, image, o->section);
    }
    if (o->symbol)
        return select_symbol(in, image, span);
    if (o->has_range)
        return select_range(in, image, only, span);
    if (!only)
        return 0;
    *span = (input_span){only, 0, only->size, NULL};
    return 1;
}

int input_elf_default(const input *in, const input_image *image, input_span *span)
{
    const input_section *text = section_named(image, ".text"), *other = NULL, *first = NULL;
    char names[200] = "";
    size_t count = 0;
    for (size_t i = 0; i < image->section_count; i++) {
        const input_section *s = &image->sections[i];
        if (!s->executable || !s->size)
            continue;
        other = s;
        first = first ? first : s;
        if (count++ < 3) {
            size_t n = strlen(names);
            snprintf(names + n, sizeof names - n, "%s%.50s", n ? ", " : "", s->name);
        }
    }
    if (text && text->size)
        other = text;
    else if (count > 1 && in->options->any_section)
        other = first;
    else if (count > 1)
        return input_fail(in, TACHO_ERR_INPUT, 0, -1, ".text is empty; choose one of %s%s with --section",
                          names, count > 3 ? ", ..." : "");
    if (!other)
        return input_fail(in, TACHO_ERR_INPUT, 0, -1, "%s",
                          in->out->code.kind == TACHO_INPUT_ASSEMBLY ? INPUT_NO_INSTRUCTIONS
                                                                     : "it has no code");
    *span = (input_span){other, 0, other->size, NULL};
    return 0;
}
