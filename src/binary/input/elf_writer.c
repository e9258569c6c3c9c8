/* elf_writer.c - an ELF file in memory, section by section. */
#include "binary/input/elf_writer.h"

#include "base/mem.h"

elf_part *elf_writer_add(elf_writer *w, const char *name, uint32_t type, uint64_t flags)
{
    static elf_part lost;
    if (w->failed || tacho_mem_grow(&w->parts, &w->capacity, w->count + 1, sizeof *w->parts)) {
        w->failed = true;
        lost = (elf_part){.name = name};
        return &lost;
    }
    elf_part *p = &w->parts[w->count++];
    *p = (elf_part){.name = name, .header = {.sh_type = type, .sh_flags = flags, .sh_addralign = 1}};
    return p;
}

void elf_put(tacho_str *s, uint64_t value, unsigned bytes)
{
    char text[8];
    for (unsigned i = 0; i < bytes; i++)
        text[i] = (char)(value >> 8 * i);
    tacho_str_append(s, text, bytes);
}

static void pad(tacho_str *s, uint64_t alignment)
{
    while (!s->failed && s->length & (alignment - 1))
        tacho_str_putc(s, 0);
}

static void write_file(elf_writer *w, uint16_t type, tacho_str *out)
{
    Elf64_Ehdr header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                         .e_type = type,
                         .e_machine = EM_X86_64,
                         .e_version = EV_CURRENT,
                         .e_ehsize = sizeof header,
                         .e_shentsize = sizeof(Elf64_Shdr),
                         .e_shnum = (uint16_t)(w->count + 1),
                         .e_shstrndx = (uint16_t)w->count};
    tacho_str_append(out, (const char *)&header, sizeof header);
    for (size_t i = 0; i < w->count; i++) {
        elf_part *p = &w->parts[i];
        pad(out, p->header.sh_addralign > 16 ? 16 : p->header.sh_addralign ? p->header.sh_addralign : 1);
        p->header.sh_offset = out->length;
        p->header.sh_size = p->bytes ? p->size : p->text.length;
        if (p->header.sh_type != SHT_NOBITS)
            tacho_str_append(out,
                             p->bytes       ? (const char *)p->bytes
                             : p->text.data ? p->text.data
                                            : "",
                             p->header.sh_size);
    }
    pad(out, 8);
    header.e_shoff = out->length;
    const Elf64_Shdr none = {0};
    tacho_str_append(out, (const char *)&none, sizeof none);
    for (size_t i = 0; i < w->count; i++)
        tacho_str_append(out, (const char *)&w->parts[i].header, sizeof(Elf64_Shdr));
    if (!out->failed)
        memcpy(out->data, &header, sizeof header);
}

static void name_parts(elf_writer *w)
{
    elf_part *names = elf_writer_add(w, ".shstrtab", SHT_STRTAB, 0);
    tacho_str text = {0};
    tacho_str_append(&text, "", 1);
    for (size_t i = 0; i < w->count; i++) {
        const char *name = w->parts[i].name ? w->parts[i].name : w->parts[i].own_name;
        w->parts[i].header.sh_name = (uint32_t)text.length;
        tacho_str_append(&text, name, strlen(name) + 1);
    }
    w->failed |= text.failed;
    if (w->failed)
        tacho_str_free(&text);
    else
        names->text = text;
}

int elf_writer_finish(elf_writer *w, uint16_t type, char **file, size_t *size)
{
    tacho_str out = {0};
    name_parts(w);
    if (!w->failed)
        write_file(w, type, &out);
    for (size_t i = 0; i < w->count; i++) {
        w->failed |= w->parts[i].text.failed;
        tacho_str_free(&w->parts[i].text);
    }
    tacho_mem_free(w->parts);
    bool failed = w->failed || out.failed;
    *w = (elf_writer){0};
    if (failed) {
        tacho_str_free(&out);
        return TACHO_ERR_MEMORY;
    }
    *file = out.data;
    *size = out.length;
    return 0;
}
