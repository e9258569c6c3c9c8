/* relocs.c - the relocations of an object file's section: what its branches, calls and tables really refer
 * to. */
#include <gelf.h>
#include <stdlib.h>

#include "loops/finder.h"
#include "util/mem.h"

static int by_offset(const void *a, const void *b)
{
    const reloc *x = a, *y = b;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

static int add(reloc_list *out, const input *in, const input_image *image, const GElf_Rela *r,
               Elf_Data *symbols, size_t strings)
{
    GElf_Sym s;
    if (!gelf_getsym(symbols, (int)GELF_R_SYM(r->r_info), &s))
        return 0;
    if (tacho_mem_grow(&out->items, &out->capacity, out->count + 1, sizeof *out->items))
        return input_no_memory(in);
    const char *name = s.st_name ? elf_strptr(image->elf, strings, s.st_name) : NULL;
    out->items[out->count++] =
        (reloc){r->r_offset,
                (uint32_t)GELF_R_TYPE(r->r_info),
                s.st_shndx && s.st_shndx < SHN_LORESERVE ? input_find_section(image, s.st_shndx) : NULL,
                s.st_value,
                r->r_addend,
                name ? name : ""};
    return 0;
}

static int read_table(reloc_list *out, const input *in, const input_image *image, Elf_Scn *scn,
                      const GElf_Shdr *h)
{
    GElf_Shdr symbol_header;
    Elf_Scn *symbol_scn = elf_getscn(image->elf, h->sh_link);
    Elf_Data *data = elf_getdata(scn, NULL), *symbols = symbol_scn ? elf_getdata(symbol_scn, NULL) : NULL;
    size_t entry = gelf_fsize(image->elf, ELF_T_RELA, 1, EV_CURRENT);
    if (!data || !data->d_buf || !symbols || !symbols->d_buf || !entry ||
        !gelf_getshdr(symbol_scn, &symbol_header))
        return 0;
    int rc = 0;
    for (size_t i = 0; i < data->d_size / entry && i < INT32_MAX && !rc; i++) {
        GElf_Rela r;
        if (gelf_getrela(data, (int)i, &r))
            rc = add(out, in, image, &r, symbols, symbol_header.sh_link);
    }
    return rc;
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
        if (gelf_getshdr(scn, &h) && h.sh_type == SHT_RELA && h.sh_info == of->index)
            rc = read_table(out, in, image, scn, &h);
    }
    if (out->count)
        qsort(out->items, out->count, sizeof *out->items, by_offset);
    return rc;
}

const reloc *relocs_find(const reloc_list *list, uint64_t offset, uint64_t length)
{
    size_t low = 0, high = list->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list->items[middle].offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low < list->count && list->items[low].offset - offset < length ? &list->items[low] : NULL;
}

void relocs_free(reloc_list *list)
{
    tacho_mem_free(list->items);
    *list = (reloc_list){0};
}
