/* roots.c - the places in a file's code that the file itself names, beside symbols and .eh_frame: the entry
 * point, initialisation and termination functions (System V ABI, chapter 5: DT_INIT, DT_FINI and their
 * arrays). */
#include <gelf.h>
#include <string.h>

#include "binary/extract/static.h"
#include "binary/loops/rela.h"

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
