/* debug_file.c - what strip has taken out of a file and distributions pack apart: a file of symbols and debug
 * information, found as gdb does: by build-id under /usr/lib/debug/.build-id, or by the name that
 * .gnu_debuglink gives, beside the file, in .debug, or under /usr/lib/debug. Only one with the same build-id
 * is taken. */
#include <limits.h>

#include "base/file.h"
#include "base/mem.h"
#include "program/hot/hot_find.h"

enum {
    NOTE_BUILD_ID = 3, /* NT_GNU_BUILD_ID */
    MAX_DEBUG_BYTES = 1 << 30
};

#define DEBUG_ROOT "/usr/lib/debug"

uint32_t elf_build_id(Elf *elf, uint8_t out[TACHO_HOT_BUILD_ID_BYTES])
{
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
        GElf_Shdr h;
        GElf_Nhdr note;
        size_t name, desc, next = 0;
        Elf_Data *data;
        if (!gelf_getshdr(scn, &h) || h.sh_type != SHT_NOTE || !(data = elf_getdata(scn, NULL)))
            continue;
        while ((next = gelf_getnote(data, next, &note, &name, &desc)) > 0)
            if (note.n_type == NOTE_BUILD_ID && note.n_namesz == 4 && note.n_descsz &&
                note.n_descsz <= TACHO_HOT_BUILD_ID_BYTES &&
                !memcmp((const char *)data->d_buf + name, "GNU", 4)) {
                memcpy(out, (const char *)data->d_buf + desc, note.n_descsz);
                return note.n_descsz;
            }
    }
    return 0;
}

/* The name in .gnu_debuglink; NULL: there is none */
static const char *link_name(Elf *elf)
{
    size_t names = 0;
    if (elf_getshdrstrndx(elf, &names))
        return NULL;
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
        GElf_Shdr h;
        const char *name;
        Elf_Data *data;
        if (gelf_getshdr(scn, &h) && h.sh_type == SHT_PROGBITS &&
            (name = elf_strptr(elf, names, h.sh_name)) && !strcmp(name, ".gnu_debuglink") &&
            (data = elf_getdata(scn, NULL)) && data->d_buf && memchr(data->d_buf, 0, data->d_size) &&
            !strchr(data->d_buf, '/'))
            return data->d_buf;
    }
    return NULL;
}

void debug_file_close(debug_file *d)
{
    if (d->image.elf)
        elf_end(d->image.elf);
    tacho_mem_free(d->data);
    *d = (debug_file){.data = NULL};
}

/* Whether this file is the one. */
static bool try_file(debug_file *d, const char *path, const uint8_t *id, uint32_t id_bytes)
{
    uint8_t its[TACHO_HOT_BUILD_ID_BYTES];
    if (tacho_file_read_regular(path, MAX_DEBUG_BYTES, &d->data, &d->size)) {
        d->data = NULL;
        return false;
    }
    d->image.elf = elf_memory(d->data, d->size);
    if (d->image.elf && elf_build_id(d->image.elf, its) == id_bytes && !memcmp(its, id, id_bytes))
        return true;
    debug_file_close(d);
    return false;
}

bool debug_file_open(debug_file *d, const char *path, Elf *elf)
{
    static const char *const places[] = {"%.*s/%s", "%.*s/.debug/%s", DEBUG_ROOT "%.*s/%s"};
    uint8_t id[TACHO_HOT_BUILD_ID_BYTES];
    char name[PATH_MAX], hex[2 * TACHO_HOT_BUILD_ID_BYTES + 1] = "";
    uint32_t bytes = elf_build_id(elf, id);
    *d = (debug_file){.data = NULL};
    for (uint32_t i = 0; i < bytes; i++)
        snprintf(hex + 2 * i, 3, "%02x", id[i]);
    snprintf(name, sizeof name, DEBUG_ROOT "/.build-id/%.2s/%s.debug", hex, bytes ? hex + 2 : "");
    if (!bytes || try_file(d, name, id, bytes))
        return bytes > 0;
    const char *linked = link_name(elf), *slash = strrchr(path, '/');
    for (size_t i = 0; linked && slash && i < sizeof places / sizeof *places; i++) {
        snprintf(name, sizeof name, places[i], (int)(slash - path), path, linked);
        if (strcmp(name, path) != 0 && try_file(d, name, id, bytes))
            return true;
    }
    return false;
}

/* A symbol of the debug file, as one of the file itself; their sections have the same addresses. */
static int add_symbol(input_image *image, const GElf_Sym *sym, const char *name)
{
    const input_section *section = input_section_at(image, sym->st_value);
    if (!section || !section->executable)
        return 0;
    if (tacho_mem_grow(&image->symbols, &image->symbol_capacity, image->symbol_count + 1,
                       sizeof *image->symbols))
        return TACHO_ERR_MEMORY;
    image->symbols[image->symbol_count++] = (input_symbol){name,
                                                           sym->st_value,
                                                           sym->st_size,
                                                           section->index,
                                                           GELF_ST_TYPE(sym->st_info),
                                                           GELF_ST_BIND(sym->st_info) != STB_LOCAL};
    return 0;
}

static int add_table(input_image *image, Elf *elf, Elf_Scn *scn, const GElf_Shdr *h)
{
    Elf_Data *data = elf_getdata(scn, NULL);
    size_t entry = gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);
    size_t count = data && data->d_buf && entry ? data->d_size / entry : 0;
    int rc = 0;
    for (size_t i = 0; i < count && i < INT_MAX && !rc; i++) {
        GElf_Sym sym;
        if (!gelf_getsym(data, (int)i, &sym))
            break;
        unsigned type = GELF_ST_TYPE(sym.st_info);
        const char *name = sym.st_name ? elf_strptr(elf, h->sh_link, sym.st_name) : NULL;
        if (name && *name && sym.st_shndx != SHN_UNDEF && (type == STT_FUNC || type == STT_GNU_IFUNC))
            rc = add_symbol(image, &sym, name);
    }
    return rc;
}

int debug_file_symbols(const debug_file *d, input_image *image)
{
    int rc = 0;
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(d->image.elf, scn)) && !rc;) {
        GElf_Shdr h;
        if (!gelf_getshdr(scn, &h) || h.sh_type != SHT_SYMTAB)
            continue;
        image->stripped = false;
        rc = add_table(image, d->image.elf, scn, &h);
    }
    return rc;
}
