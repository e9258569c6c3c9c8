/* rela.h - a table of relocations with the symbols that it refers to, as libelf gives them. */
#ifndef TACHO_LOOPS_RELA_H
#define TACHO_LOOPS_RELA_H

#include <gelf.h>

#include "binary/loops/finder.h"

typedef struct rela_table {
    Elf_Data *data, *symbols;
    size_t count, strings;
} rela_table;

/** @return false where the table or its symbols cannot be read */
bool rela_open(rela_table *out, const input_image *image, Elf_Scn *scn, const GElf_Shdr *header);
/** Relocation i and its symbol. @return false where there is none */
bool rela_get(const rela_table *t, size_t i, GElf_Rela *r, GElf_Sym *symbol);

#endif
