/* relocs.c - the relocations of an object file's section: what its branches, calls and tables really refer
 * to. */

#include "base/mem.h"
#include "base/search.h"
#include "binary/loops/rela.h"

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

static int read_table(reloc_list *out, const input *in, const input_image *image, const rela_table *t)
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

int relocs_load(reloc_list *out, const input *in, const input_image *image, const input_section *of)
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
            rc = read_table(out, in, image, &t);
    }
    tacho_sort(out->items, out->count, sizeof *out->items, by_offset);
    return rc;
}

void relocs_free(reloc_list *list)
{
    tacho_mem_free(list->items);
    *list = (reloc_list){0};
}
