/* locate.c - which file, function and source line an instruction of a process is of: by its mappings, the
 * files' program headers, symbols and DWARF. What is not there is left out. */

#include "base/mem.h"
#include "binary/input/input.h"
#include "binary/loops/finder.h"
#include "program/bias/window.h"

enum {
    MOST_FILES = 16
};

typedef struct located_file {
    const char *path; /* in the sweep's memory */
    input in;
    input_image image;
    debug_lines *lines;
    bool open;
} located_file;

struct locator {
    bias *b;
    located_file files[MOST_FILES];
    size_t count;
};

locator *locate_start(bias *b)
{
    locator *l = tacho_mem_zalloc(1, sizeof *l);
    if (l)
        l->b = b;
    else
        tacho_no_memory(b->err);
    return l;
}

void locate_end(locator *l)
{
    for (size_t i = 0; l && i < l->count; i++) {
        lines_close(l->files[i].lines);
        if (l->files[i].open) {
            input_image_close(&l->files[i].image);
            tacho_code_free(&l->files[i].in.out->code);
        }
    }
    tacho_mem_free(l);
}

/* A file that cannot be read names nothing. NULL: too many of them. */
static located_file *open_file(locator *l, const char *path)
{
    static const tacho_code_options defaults = TACHO_CODE_OPTIONS_INIT;
    tacho_error unwanted;
    for (size_t i = 0; i < l->count; i++)
        if (!strcmp(l->files[i].path, path))
            return &l->files[i];
    if (l->count == MOST_FILES)
        return NULL;
    located_file *f = &l->files[l->count];
    if (!(f->path = bias_text(l->b, "%s", path)))
        return NULL;
    l->count++;
    if (*path != '/' || input_start(&f->in, f->path, NULL, 0, NULL, &defaults, &unwanted))
        return f;
    f->open = true;
    f->in.err = &unwanted;
    if (!input_is_elf(f->in.out->data, f->in.out->size) ||
        input_elf_open(&f->in, &f->image, f->in.out->data, f->in.out->size))
        return f;
    lines_open(&f->lines, &f->in, &f->image, f->in.out->data, f->in.out->size);
    f->in.err = NULL;
    return f;
}

/* The symbol that begins last before it, if it does not end before. */
static const input_symbol *symbol_at(const input_image *image, uint64_t address)
{
    const input_symbol *best = NULL;
    for (size_t i = 0; i < image->symbol_count; i++) {
        const input_symbol *s = &image->symbols[i];
        if (input_names_code(image, s) && s->value <= address && (!s->size || address - s->value < s->size) &&
            (!best || s->value > best->value))
            best = s;
    }
    return best;
}

static int name_it(locator *l, located_file *f, tacho_bias_insn *out)
{
    const input_symbol *s = symbol_at(&f->image, out->address);
    const input_section *section = f->image.elf ? input_section_at(&f->image, out->address) : NULL;
    line_place place = {0};
    if (s) {
        out->symbol = bias_text(l->b, "%s", s->name);
        out->offset = out->address - s->value;
    }
    if (f->lines && section &&
        lines_find(f->lines, section, (size_t)(out->address - section->address), &place) && place.file) {
        out->source = bias_text(l->b, "%s", tacho_base_name(place.file));
        out->line = place.line;
    }
    return (s && !out->symbol) || (out->line && !out->source) ? TACHO_ERR_MEMORY : 0;
}

int locate_insn(locator *l, const observation *o, uint64_t address, tacho_bias_insn *out)
{
    char assembly[256] = "";
    *out = (tacho_bias_insn){.address = address};
    for (size_t i = 0; i < o->insn_count; i++)
        if (o->insns[i].address == address && o->insns[i].insn)
            tacho_insn_format(o->insns[i].insn, address, 1, assembly, sizeof assembly);
    if (*assembly && !(out->assembly = bias_text(l->b, "%s", assembly)))
        return TACHO_ERR_MEMORY;
    for (size_t i = 0; i < o->map_count; i++) {
        const seen_map *m = &o->maps[i];
        if (address < m->start || address >= m->end || !*m->path)
            continue;
        located_file *f = open_file(l, m->path);
        if (!(out->object = bias_text(l->b, "%s", tacho_base_name(m->path))))
            return TACHO_ERR_MEMORY;
        if (!f)
            return 0;
        out->address = address - m->start + m->offset;
        input_address_of(&f->image, out->address, &out->address);
        return name_it(l, f, out);
    }
    return 0;
}
