/* reorder.c - object files whose functions lie otherwise.
 *
 * Linkers put sections of code one after the other as they find them: files in the order of the command, the
 * sections of each in the order of its table. So the table is written in another order. GNU ld sorts sections
 * with names .text.sorted.* (since 2.36): they get numbers by chance in their names, which moves functions of
 * different files past each other, too. Where a section ends, room is added, so that the next one begins
 * elsewhere in its line. What a compiler puts apart as cold, hot or run once stays there.
 *
 * Not moved: code in other sections than .text and .text.*, archives, intermediate code of link-time
 * optimisation, object files with more sections than their header can count. */
#include "study/relink/relink.h"

#include <elf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "binary/input/elf_writer.h"

enum {
    TRAP = 0xcc /* what the room is filled with: nobody goes there */
};

static const char *const kept_apart[] = {".text.unlikely", ".text.startup", ".text.hot", ".text.exit",
                                         ".text.split"};
enum {
    KEPT_APART = sizeof kept_apart / sizeof *kept_apart
};

/* An object file that is read. */
typedef struct object_file {
    const char *data;
    size_t size;
    Elf64_Ehdr head;
    const char *names;
    size_t names_size;
    uint64_t key;
    uint32_t *order;    /* numbers of sections as they are to be written; the first is none */
    uint32_t *place;    /* where each section is in it */
    uint32_t code;      /* sections that move */
    struct keyed *keys; /* of them */
    bool is_whole;      /* one is .text itself */
} object_file;

typedef struct keyed {
    uint64_t key;
    uint32_t section;
} keyed;

static bool lies_within(const object_file *f, uint64_t at, uint64_t bytes)
{
    return at <= f->size && bytes <= f->size - at;
}

static Elf64_Shdr header_of(const object_file *f, uint32_t section)
{
    Elf64_Shdr out;
    memcpy(&out, f->data + f->head.e_shoff + section * sizeof out, sizeof out);
    return out;
}

static const char *name_of(const object_file *f, const Elf64_Shdr *h)
{
    return h->sh_name < f->names_size ? f->names + h->sh_name : "";
}

static bool begins_with(const char *name, const char *start)
{
    size_t n = strlen(start);
    return !strncmp(name, start, n) && (!name[n] || name[n] == '.');
}

static bool is_code(const object_file *f, const Elf64_Shdr *h)
{
    const uint64_t flags = SHF_ALLOC | SHF_EXECINSTR;
    return h->sh_type == SHT_PROGBITS && (h->sh_flags & flags) == flags && h->sh_size &&
           begins_with(name_of(f, h), ".text");
}

static bool is_kept_apart(const char *name)
{
    for (size_t i = 0; i < KEPT_APART; i++)
        if (begins_with(name, kept_apart[i]))
            return true;
    return false;
}

/* Whether a section is as the rest of this file takes it to be. */
static bool is_sound(const object_file *f, const Elf64_Shdr *h)
{
    bool relocates = h->sh_type == SHT_RELA || h->sh_type == SHT_REL || h->sh_flags & SHF_INFO_LINK;
    return h->sh_type != SHT_SYMTAB_SHNDX && h->sh_link < f->head.e_shnum &&
           (!relocates || h->sh_info < f->head.e_shnum) &&
           (h->sh_type == SHT_NOBITS || lies_within(f, h->sh_offset, h->sh_size)) &&
           (h->sh_type != SHT_SYMTAB || h->sh_size % sizeof(Elf64_Sym) == 0) &&
           (h->sh_type != SHT_GROUP || h->sh_size % sizeof(Elf64_Word) == 0);
}

/* @return false: it is no object file that this understands */
static bool read_head(object_file *f)
{
    Elf64_Ehdr *h = &f->head;
    if (f->size < sizeof *h)
        return false;
    memcpy(h, f->data, sizeof *h);
    if (memcmp(h->e_ident, ELFMAG, SELFMAG) || h->e_ident[EI_CLASS] != ELFCLASS64 ||
        h->e_ident[EI_DATA] != ELFDATA2LSB || h->e_machine != EM_X86_64 || h->e_type != ET_REL ||
        h->e_shentsize != sizeof(Elf64_Shdr) || h->e_shnum < 2 || h->e_shnum >= SHN_LORESERVE - 1 ||
        h->e_shstrndx >= h->e_shnum || !lies_within(f, h->e_shoff, (uint64_t)h->e_shnum * sizeof(Elf64_Shdr)))
        return false;
    Elf64_Shdr names = header_of(f, h->e_shstrndx);
    if (names.sh_type != SHT_STRTAB || !names.sh_size || !lies_within(f, names.sh_offset, names.sh_size) ||
        f->data[names.sh_offset + names.sh_size - 1])
        return false;
    f->names = f->data + names.sh_offset;
    f->names_size = names.sh_size;
    for (uint32_t i = 1; i < h->e_shnum; i++) {
        Elf64_Shdr s = header_of(f, i);
        if (!is_sound(f, &s))
            return false;
        f->code += is_code(f, &s);
        f->is_whole |= is_code(f, &s) && !strcmp(name_of(f, &s), ".text");
    }
    return true;
}

static uint64_t key_of(const object_file *f, const Elf64_Shdr *h)
{
    const char *name = name_of(f, h);
    return hash_mix(f->key ^ hash_bytes(name, strlen(name)));
}

static int by_key(const void *a, const void *b)
{
    const keyed *x = a, *y = b;
    return x->key != y->key ? (x->key < y->key ? -1 : 1) : x->section < y->section ? -1 : 1;
}

/* Groups come first, as they have to be before their members; sections of code change places. */
static int make_order(object_file *f)
{
    uint32_t all = f->head.e_shnum, next = 1, taken = 0;
    f->order = tacho_mem_zalloc(all, sizeof *f->order);
    f->place = tacho_mem_zalloc(all, sizeof *f->place);
    f->keys = tacho_mem_zalloc(f->code, sizeof *f->keys);
    if (!f->order || !f->place || !f->keys)
        return TACHO_ERR_MEMORY;
    for (uint32_t i = 1; i < all; i++) {
        Elf64_Shdr h = header_of(f, i);
        if (h.sh_type == SHT_GROUP)
            f->order[next++] = i;
        else if (is_code(f, &h))
            f->keys[taken++] = (keyed){key_of(f, &h), i};
    }
    qsort(f->keys, f->code, sizeof *f->keys, by_key);
    taken = 0;
    for (uint32_t i = 1; i < all; i++) {
        Elf64_Shdr h = header_of(f, i);
        if (h.sh_type != SHT_GROUP)
            f->order[next++] = is_code(f, &h) ? f->keys[taken++].section : i;
    }
    for (uint32_t i = 1; i < all; i++)
        f->place[f->order[i]] = i;
    return 0;
}

/* ---- what is written ---- */

static void put_room(tacho_str *out, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++)
        tacho_str_putc(out, (char)TRAP);
}

static void put_code(const object_file *f, const Elf64_Shdr *h, elf_part *p)
{
    const uint64_t key = key_of(f, h);
    tacho_str_append(&p->text, f->data + h->sh_offset, h->sh_size);
    put_room(&p->text, (uint32_t)(hash_mix(~key) % REORDER_LINE));
    p->bytes = NULL;
    if (is_kept_apart(p->name))
        return;
    snprintf(p->own_name, sizeof p->own_name, ".text.sorted.%016llx%s", (unsigned long long)key,
             p->name + strlen(".text"));
    p->name = NULL;
}

/* Symbols with the new numbers of the sections that they are in. */
static void put_symbols(const object_file *f, const Elf64_Shdr *h, elf_part *p)
{
    for (uint64_t at = 0; at < h->sh_size; at += sizeof(Elf64_Sym)) {
        Elf64_Sym s;
        memcpy(&s, f->data + h->sh_offset + at, sizeof s);
        s.st_shndx = s.st_shndx < f->head.e_shnum ? (Elf64_Section)f->place[s.st_shndx] : s.st_shndx;
        tacho_str_append(&p->text, (const char *)&s, sizeof s);
    }
    p->bytes = NULL;
}

/* A group: a word of flags, then the numbers of its sections. */
static void put_group(const object_file *f, const Elf64_Shdr *h, elf_part *p)
{
    for (uint64_t at = 0; at < h->sh_size; at += sizeof(Elf64_Word)) {
        Elf64_Word word;
        memcpy(&word, f->data + h->sh_offset + at, sizeof word);
        word = at && word < f->head.e_shnum ? f->place[word] : word;
        tacho_str_append(&p->text, (const char *)&word, sizeof word);
    }
    p->bytes = NULL;
}

static void put_section(const object_file *f, elf_writer *w, uint32_t section)
{
    Elf64_Shdr h = header_of(f, section);
    elf_part *p = elf_writer_add(w, name_of(f, &h), h.sh_type, h.sh_flags);
    bool relocates = h.sh_type == SHT_RELA || h.sh_type == SHT_REL || h.sh_flags & SHF_INFO_LINK;
    p->header = h;
    p->header.sh_link = f->place[h.sh_link];
    p->header.sh_info = relocates ? f->place[h.sh_info] : h.sh_info;
    p->bytes = (const uint8_t *)f->data + (h.sh_type == SHT_NOBITS ? 0 : h.sh_offset);
    p->size = h.sh_size;
    if (w->failed)
        return;
    if (is_code(f, &h))
        put_code(f, &h, p);
    else if (h.sh_type == SHT_SYMTAB)
        put_symbols(f, &h, p);
    else if (h.sh_type == SHT_GROUP)
        put_group(f, &h, p);
}

int reorder_object(const char *data, size_t size, uint64_t key, reordered *out)
{
    object_file f = {.data = data, .size = size, .key = key};
    elf_writer w = {0};
    *out = (reordered){0};
    if (!read_head(&f) || !f.code)
        return 0;
    int rc = make_order(&f);
    for (uint32_t i = 1; i < f.head.e_shnum && !rc; i++)
        put_section(&f, &w, f.order[i]);
    rc = rc ? rc : elf_writer_finish(&w, ET_REL, &out->data, &out->size);
    TACHO_MEM_FREE(f.order, f.place, f.keys);
    if (rc)
        return rc;
    out->data[EI_OSABI] = (char)f.head.e_ident[EI_OSABI];
    out->sections = f.code;
    out->is_whole = f.is_whole;
    return 0;
}

int reorder_room(uint64_t key, char **out, size_t *out_size)
{
    enum {
        RETAIN = 1 << 21 /* SHF_GNU_RETAIN: linkers do not take it for unused */
    };
    const uint64_t flags = SHF_ALLOC | SHF_EXECINSTR;
    elf_writer w = {0};
    for (size_t i = 0; i <= KEPT_APART; i++) {
        const char *name = i < KEPT_APART ? kept_apart[i] : ".text.sorted.";
        elf_part *p = elf_writer_add(&w, name, SHT_PROGBITS, flags | RETAIN);
        put_room(&p->text, (uint32_t)(hash_mix(key + i) % REORDER_PAGE));
    }
    elf_writer_add(&w, ".note.GNU-stack", SHT_PROGBITS, 0);
    return elf_writer_finish(&w, ET_REL, out, out_size);
}
