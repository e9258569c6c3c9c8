/* code_image.h - code with its symbols, as a file or an assembled text has them. */
#ifndef TACHO_FLOW_CODE_IMAGE_H
#define TACHO_FLOW_CODE_IMAGE_H

#include <stdbool.h>

#include "base/search.h"
#include "tacho/assemble.h"

/** A run of bytes with an address: a section, or a segment of a file without sections. */
typedef struct input_section {
    char *name;
    const uint8_t *bytes;
    uint64_t address;
    size_t size;
    size_t index;        /* the ELF section number */
    uint32_t place_step; /* its address is right but for multiples of this; 64 also where it is right; 0: it
                            has none */
    bool executable;
} input_section;

/** ELF's types of symbols that can name code. */
enum {
    SYMBOL_NO_TYPE = 0,
    SYMBOL_FUNCTION = 2,
    SYMBOL_INDIRECT_FUNCTION = 10
};

typedef struct input_symbol {
    const char *name; /* points into the file */
    uint64_t value, size;
    size_t section; /* ELF section number, 0 undefined */
    uint8_t type;
    bool global;
} input_symbol;

typedef struct input_image {
    input_section *sections;
    size_t section_count, section_capacity;
    input_symbol *symbols;
    size_t symbol_count, symbol_capacity;
    bool relocatable;
    bool stripped; /* no table but that of dynamic linking */
    void *elf;     /* libelf's handle */
} input_image;

/** What labels that stand for region markers begin with. */
#define INPUT_LABEL "__tacho_marker_"

/** Whether an object file has it: local names that a compiler makes have no symbols. */
static inline bool symbol_is_kept(const tacho_assembled_symbol *y)
{
    bool local = y->section < TACHO_SECTION_ABSOLUTE && !y->global && !y->weak;
    return y->name[0] && !(local && (!strncmp(y->name, ".L", 2) || !strcmp(y->name, ".")));
}

/** By its ELF number; NULL if there is none. */
static inline const input_section *input_find_section(const input_image *image, size_t index)
{
    size_t at;
    COUNT_BEFORE(at, image->section_count, image->sections[at].index < index);
    return at < image->section_count && image->sections[at].index == index ? &image->sections[at] : NULL;
}

/** The section that holds this address; NULL if none does. */
static inline const input_section *input_section_at(const input_image *image, uint64_t address)
{
    for (size_t i = 0; i < image->section_count; i++) {
        const input_section *s = &image->sections[i];
        if (address >= s->address && address - s->address < s->size)
            return s;
    }
    return NULL;
}

#endif
