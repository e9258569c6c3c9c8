/* elf_writer.h - an ELF file in memory, section by section. */
#ifndef TACHO_INPUT_ELF_WRITER_H
#define TACHO_INPUT_ELF_WRITER_H

#include <elf.h>

#include "base/str.h"

/** A section. */
typedef struct elf_part {
    const char *name; /* borrowed; NULL: in `own_name` */
    char own_name[96];
    tacho_str text;       /* its bytes, where they are made for it; freed with the writer */
    const uint8_t *bytes; /* else; borrowed */
    size_t size;
    Elf64_Shdr header;
} elf_part;

/** Start with {0}. */
typedef struct elf_writer {
    elf_part *parts; /* by number, from 1 */
    size_t count, capacity;
    bool failed; /* memory ran out */
} elf_writer;

/** A new section; never NULL, and valid until the next one is added. */
elf_part *elf_writer_add(elf_writer *w, const char *name, uint32_t type, uint64_t flags);
/** Appends a number, little end first. */
void elf_put(tacho_str *s, uint64_t value, unsigned bytes);
/** Ends with the file (free it with tacho_mem_free), and the writer empty. `type`: ET_REL ...
 *  @return 0 or TACHO_ERR_MEMORY */
int elf_writer_finish(elf_writer *w, uint16_t type, char **file, size_t *size);

#endif
