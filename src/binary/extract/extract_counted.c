/* extract_counted.c - from executions of single instructions to blocks: instructions that follow each other
 * belong together as long as nothing ends the block and they were executed equally often. Where something
 * leads into straight-line code, what follows was executed more often. */
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "binary/extract/callgrind.h"

/* A file's code, as it is loaded. */
typedef struct image {
    const uint8_t *bytes;
    size_t size;
    Elf64_Phdr *segments;
    size_t segment_count;
} image;

typedef struct counted_insn {
    uint64_t address; /* first, to be searched for */
    uint64_t count;
    uint32_t object;
    bool used;  /* part of a block */
    bool known; /* `count` is how often it was begun */
} counted_insn;

typedef struct maker {
    const callgrind_counts *counts;
    extract_set *set;
    tacho_extract_run *run;
    tacho_error *err;
    uint32_t object;
    const char *name;
    image image;
    counted_insn *insns; /* of the object */
    size_t insn_count;
    uint64_t unreadable; /* instructions whose bytes are not there */
} maker;

static bool open_image(image *out, const char *path)
{
    struct stat s;
    const Elf64_Ehdr *h;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    *out = (image){0};
    if (fd < 0)
        return false;
    bool ok = !fstat(fd, &s) && (size_t)s.st_size >= sizeof *h;
    void *p = ok ? mmap(NULL, (size_t)s.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    close(fd);
    if (p == MAP_FAILED)
        return false;
    h = p;
    *out = (image){.bytes = p, .size = (size_t)s.st_size};
    if (memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 || h->e_ident[EI_CLASS] != ELFCLASS64 ||
        h->e_phentsize != sizeof(Elf64_Phdr) || h->e_phoff > out->size ||
        h->e_phnum > (out->size - h->e_phoff) / sizeof(Elf64_Phdr))
        return true; /* without segments, nothing is found in it */
    out->segment_count = h->e_phnum;
    out->segments = tacho_mem_alloc(h->e_phnum * sizeof(Elf64_Phdr));
    if (out->segments)
        memcpy(out->segments, out->bytes + h->e_phoff, h->e_phnum * sizeof(Elf64_Phdr));
    else
        out->segment_count = 0;
    return true;
}

static void close_image(image *m)
{
    tacho_mem_free(m->segments);
    if (m->bytes)
        munmap((void *)(uintptr_t)m->bytes, m->size);
    *m = (image){0};
}

/* The bytes at an address, and how many there are up to the end of its segment. */
static const uint8_t *bytes_at(const image *m, uint64_t address, size_t *size)
{
    for (size_t i = 0; i < m->segment_count; i++) {
        const Elf64_Phdr *p = &m->segments[i];
        if (p->p_type != PT_LOAD || address < p->p_vaddr || address - p->p_vaddr >= p->p_filesz ||
            p->p_offset > m->size || p->p_filesz > m->size - p->p_offset)
            continue;
        *size = p->p_filesz - (address - p->p_vaddr);
        return m->bytes + p->p_offset + (address - p->p_vaddr);
    }
    return NULL;
}

static uint64_t times_repeated(const maker *m, uint64_t address)
{
    uint8_t key[EXTRACT_PLACE_BYTES];
    extract_place_key(key, m->object, address);
    const tacho_bytemap_entry *e = tacho_bytemap_find(&m->counts->repeated, key, sizeof key);
    return e ? e->count : 0;
}

/* Decodes instruction i, and sets how often it was begun. */
static bool read_insn(maker *m, counted_insn *i, tacho_insn *insn, const uint8_t **bytes)
{
    size_t size;
    *bytes = bytes_at(&m->image, i->address, &size);
    if (!*bytes || tacho_decode(insn, *bytes, size, NULL)) {
        m->unreadable++;
        return false;
    }
    uint64_t again = (insn->rep || insn->repne) && extract_end_of(insn) == EXTRACT_GOES_ON
                         ? times_repeated(m, i->address)
                         : 0;
    if (!i->known)
        i->count -= again < i->count ? again : i->count;
    i->known = i->used = true;
    return true;
}

static counted_insn *insn_at(const maker *m, uint64_t address)
{
    size_t i = tacho_count_below(m->insns, m->insn_count, sizeof *m->insns, address);
    return i < m->insn_count && m->insns[i].address == address ? &m->insns[i] : NULL;
}

/* The block that begins with this instruction. */
static int add_block(maker *m, counted_insn *i)
{
    tacho_insn insn;
    const uint8_t *bytes;
    extract_piece p = {.address = i->address, .counted = true};
    for (counted_insn *next = i; next && !next->used; next = insn_at(m, next->address + insn.length)) {
        if (!read_insn(m, next, &insn, &bytes))
            break;
        if (next != i && next->count != p.count) {
            next->used = false; /* begins another one */
            break;
        }
        p.count = next->count;
        p.bytes = p.bytes ? p.bytes : bytes;
        extract_end end = extract_end_of(&insn);
        m->run->executed_insns += next->count;
        if (end == EXTRACT_BRANCH)
            p.branch_bytes = insn.length;
        if (end != EXTRACT_GOES_ON)
            break;
        p.byte_count += insn.length;
        p.insn_count++;
    }
    m->run->executed_blocks += p.insn_count ? p.count : 0;
    return p.count ? extract_add(m->set, m->name, &p, m->err) : 0;
}

ORDER_BY_TWO(by_place, counted_insn, object, address);

/* All instructions, object by object. NULL: memory ran out */
static counted_insn *collect(const callgrind_counts *c, size_t *count)
{
    const tacho_bytemap *map = &c->executed;
    counted_insn *insns = tacho_mem_alloc((map->used + 1) * sizeof *insns);
    *count = 0;
    for (size_t i = 0; insns && i < map->slot_count; i++) {
        const tacho_bytemap_entry *e = &map->slots[i];
        if (!e->key_length)
            continue;
        counted_insn *insn = &insns[(*count)++];
        *insn = (counted_insn){.count = e->count};
        memcpy(&insn->object, e->key, sizeof insn->object);
        memcpy(&insn->address, e->key + 4, sizeof insn->address);
    }
    if (insns && *count)
        tacho_sort(insns, *count, sizeof *insns, by_place);
    return insns;
}

static int add_object(maker *m, const char *path)
{
    m->unreadable = 0;
    m->name = extract_text(m->set, tacho_base_name(path), m->err);
    if (!m->name)
        return TACHO_ERR_MEMORY;
    int rc = open_image(&m->image, path)
                 ? 0
                 : extract_warn(m->set, m->err, "%s cannot be read any more: its code is left out", path);
    for (size_t i = 0; i < m->insn_count && !rc && m->image.bytes; i++)
        if (!m->insns[i].used)
            rc = add_block(m, &m->insns[i]);
    if (!rc && m->unreadable)
        rc = extract_warn(m->set, m->err, "%s: %llu instruction%s not in the file, and left out", m->name,
                          (unsigned long long)m->unreadable, m->unreadable == 1 ? " is" : "s are");
    close_image(&m->image);
    return rc;
}

int callgrind_blocks(const callgrind_counts *c, extract_set *x, tacho_extract_run *out, tacho_error *err)
{
    maker m = {.counts = c, .set = x, .run = out, .err = err};
    size_t count;
    TACHO_MEM_FREED counted_insn *insns = collect(c, &count);
    int rc = insns ? 0 : tacho_no_memory(err);
    for (size_t i = 0; i < count && !rc; i += m.insn_count) {
        m.insns = insns + i;
        m.object = insns[i].object;
        for (m.insn_count = 1; i + m.insn_count < count && insns[i + m.insn_count].object == m.object;)
            m.insn_count++;
        rc = add_object(&m, c->objects[m.object]);
    }
    return rc;
}
