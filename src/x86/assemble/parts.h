/* parts.h - what the files that find the parts of a text share, and object files of it. */
#ifndef TACHO_ASSEMBLE_PARTS_H
#define TACHO_ASSEMBLE_PARTS_H

#include <string.h>

#include "base/arena.h"
#include "tacho/assemble.h"

/** What a caller holds, and what it points into. */
typedef struct found_parts {
    tacho_parts out; /* first: the public pointer is to this */
    tacho_part *list;
    size_t capacity;
    arena memory;
} found_parts;

/** @return 0 or TACHO_ERR_MEMORY */
int parts_add(found_parts *f, const tacho_part *part, tacho_error *err);
/** parts_loops.c: adds the innermost loops of all sections with code, hottest-looking first. */
int parts_find_loops(found_parts *f, const tacho_assembly *a, tacho_error *err);

/** Whether an object file has it: local names that a compiler makes have no symbols. */
static inline bool symbol_is_kept(const tacho_assembled_symbol *y)
{
    bool local = y->section < TACHO_SECTION_ABSOLUTE && !y->global && !y->weak;
    return y->name[0] && !(local && (!strncmp(y->name, ".L", 2) || !strcmp(y->name, ".")));
}

#endif
