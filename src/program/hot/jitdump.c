/* jitdump.c - code that a JIT compiler has made, from the file that it wrote for perf as it went: records of
 * functions with their names and bytes (the kernel tree's tools/perf/Documentation/jitdump-specification.txt;
 * V8 and others write it if they are told to). A process maps its file, which is how it is found. What
 * samples fell into becomes an ELF file in memory, which is looked through as other files are. Samples carry
 * no time here: where code was replaced, the last function at a place counts. */
#include <sys/stat.h>
#include <unistd.h>

#include "base/byte_reader.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "binary/input/elf_writer.h"
#include "program/hot/hot_find.h"

enum {
    MAX_DUMP_BYTES = 256 << 20,
    MAX_DUMPED = 60000, /* functions with samples */
    DUMP_MAGIC = 0x4A695444,
    CODE_LOAD = 0,
    CODE_MOVE = 1,
};

/* A function that was made, or moved. */
typedef struct dumped {
    uint64_t start, size, index; /* index: the compiler's own number of the code */
    const char *name;            /* ends with a zero byte in the dump */
    const uint8_t *code;
    bool hit;
} dumped;

typedef struct dump {
    char *text;
    size_t size;
    dumped *list;
    size_t count, capacity;
    hot_maps *places; /* the last one at each place, by its number in the list */
} dump;

static int add(dump *d, const dumped *f)
{
    const hot_map place = {f->start, f->start + f->size, 0, (uint32_t)d->count};
    if (!f->size || f->start + f->size < f->start || d->count == UINT32_MAX)
        return 0;
    if (tacho_mem_grow(&d->list, &d->capacity, d->count + 1, sizeof *d->list))
        return TACHO_ERR_MEMORY;
    d->list[d->count] = *f;
    return maps_put(&d->places, &place, hash_mix(d->count++)) ? TACHO_ERR_MEMORY : 0;
}

/* The part of a record behind its head. */
static int read_load(dump *d, byte_reader *r)
{
    dumped f = {0};
    bytes_pass(r, 16); /* process, thread, address again */
    f.start = bytes_take(r, 8);
    f.size = bytes_take(r, 8);
    f.index = bytes_take(r, 8);
    const char *end = r->failed ? NULL : memchr(r->at, 0, (size_t)(r->end - r->at));
    if (!end)
        return 0;
    f.name = (const char *)r->at;
    f.code = (const uint8_t *)end + 1;
    return f.size <= (uint64_t)(r->end - f.code) ? add(d, &f) : 0;
}

static int read_move(dump *d, byte_reader *r)
{
    bytes_pass(r, 24); /* process, thread, address, where it was */
    uint64_t start = bytes_take(r, 8);
    bytes_pass(r, 8);
    uint64_t index = bytes_take(r, 8);
    for (size_t i = d->count; !r->failed && i-- > 0;)
        if (d->list[i].index == index) {
            dumped f = d->list[i];
            f.start = start;
            return add(d, &f);
        }
    return 0;
}

/* A last record that was not written to its end is passed over. @return NULL with *rc, or what is wrong */
static const char *read_dump(dump *d, int *rc)
{
    byte_reader r = {(const uint8_t *)d->text, (const uint8_t *)d->text + d->size, false};
    *rc = 0;
    if (bytes_take(&r, 4) != DUMP_MAGIC)
        return "it is no jitdump file of this kind of machine";
    bytes_pass(&r, 4);
    uint64_t head = bytes_take(&r, 4);
    if (r.failed || head < 40 || head > d->size)
        return "its head is damaged";
    r.at = (const uint8_t *)d->text + head;
    while (!*rc && r.end - r.at >= 16) {
        byte_reader record = r;
        uint64_t kind = bytes_take(&record, 4), size = bytes_take(&record, 4);
        if (size < 16 || size > (uint64_t)(r.end - r.at))
            break;
        bytes_pass(&record, 8); /* the time */
        record.end = r.at + size;
        *rc = kind == CODE_LOAD ? read_load(d, &record) : kind == CODE_MOVE ? read_move(d, &record) : 0;
        r.at += size;
    }
    return NULL;
}

/* ---- an ELF file of what was hit ---- */

static void put_symbol(tacho_str *table, tacho_str *names, const dumped *f, size_t section)
{
    elf_put(table, names->length, 4);
    elf_put(table, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 2);
    elf_put(table, section, 2);
    elf_put(table, f->start, 8);
    elf_put(table, f->size, 8);
    tacho_str_append(names, f->name, strlen(f->name) + 1);
}

static int write_elf(const dump *d, char **file, size_t *size)
{
    elf_writer w = {0};
    tacho_str symbols = {0}, names = {0};
    tacho_str_append(&names, "", 1);
    for (unsigned i = 0; i < sizeof(Elf64_Sym); i++)
        tacho_str_putc(&symbols, 0);
    for (size_t i = 0; i < d->count && w.count < MAX_DUMPED; i++) {
        const dumped *f = &d->list[i];
        if (!f->hit)
            continue;
        elf_part *p = elf_writer_add(&w, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR);
        p->bytes = f->code;
        p->size = f->size;
        p->header.sh_addr = f->start;
        put_symbol(&symbols, &names, f, w.count);
    }
    elf_part *p = elf_writer_add(&w, ".symtab", SHT_SYMTAB, 0);
    p->header.sh_link = (uint32_t)w.count + 1;
    p->header.sh_info = 1;
    p->header.sh_entsize = sizeof(Elf64_Sym);
    p->text = symbols;
    elf_writer_add(&w, ".strtab", SHT_STRTAB, 0)->text = names;
    if (w.failed) {
        tacho_str_free(&symbols);
        tacho_str_free(&names);
    }
    return elf_writer_finish(&w, ET_EXEC, file, size);
}

/* Why it is not read; NULL: it is. */
static const char *open_dump(dump *d, const char *path)
{
    struct stat st;
    if (lstat(path, &st))
        return strerror(errno);
    if (!S_ISREG(st.st_mode))
        return "it is no regular file";
    if (st.st_uid != geteuid())
        return "it is another user's";
    if (!tacho_file_read_regular(path, MAX_DUMP_BYTES, &d->text, &d->size))
        return NULL;
    d->text = NULL;
    return errno == EFBIG ? "it is larger than 256 MB" : strerror(errno);
}

int jitdump_read(const tacho_hot_sample *samples, size_t count, const char *path, char **elf, size_t *size,
                 const char **why)
{
    dump d = {0};
    int rc = 0;
    *elf = NULL;
    *why = open_dump(&d, path);
    if (!*why)
        *why = read_dump(&d, &rc);
    for (size_t i = 0; !*why && !rc && i < count; i++) {
        const hot_map *place = maps_find(d.places, samples[i].offset);
        if (place)
            d.list[place->object].hit = true;
    }
    if (!*why && !rc)
        rc = write_elf(&d, elf, size);
    maps_drop(d.places);
    TACHO_MEM_FREE(d.text, d.list);
    return rc;
}
