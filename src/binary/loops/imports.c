/* imports.c - the names of functions that an executable gets from elsewhere: calls go to a stub that jumps
 * through a pointer, or go through the pointer themselves; the dynamic linker's relocations say whose pointer
 * it is. */

#include "base/mem.h"
#include "base/search.h"
#include "binary/loops/rela.h"

ORDER_BY(by_slot, import, slot);

static int read_table(import_list *out, const input *in, const input_image *image, const rela_table *t)
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

int imports_list(import_list *out, const input *in, const input_image *image)
{
    int rc = 0;
    if (!image->elf || image->relocatable)
        return 0;
    for (Elf_Scn *scn = NULL; !rc && (scn = elf_nextscn(image->elf, scn));) {
        GElf_Shdr h;
        rela_table t;
        if (gelf_getshdr(scn, &h) && h.sh_type == SHT_RELA && rela_open(&t, image, scn, &h))
            rc = read_table(out, in, image, &t);
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
