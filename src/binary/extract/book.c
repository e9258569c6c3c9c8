/* book.c - what was executed, and cutting it into blocks that do not overlap. */
#include "binary/extract/tracer.h"

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"

enum {
    MAX_PIECE_BYTES = 1 << 20,
    CHUNK_BYTES = 256
};

/* ---- objects ---- */

static int read_segments(book *b, book_object *o, int fd)
{
    Elf64_Ehdr h;
    Elf64_Phdr p;
    if (pread(fd, &h, sizeof h, 0) != sizeof h || memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 ||
        h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_phentsize != sizeof p)
        return 0;
    o->segments = arena_alloc(&b->memory, h.e_phnum * sizeof *o->segments);
    if (!o->segments && h.e_phnum)
        return TACHO_ERR_MEMORY;
    for (size_t i = 0; i < h.e_phnum; i++)
        if (pread(fd, &p, sizeof p, (off_t)(h.e_phoff + i * sizeof p)) == sizeof p && p.p_type == PT_LOAD)
            o->segments[o->segment_count++] = (book_segment){p.p_offset, p.p_filesz, p.p_vaddr};
    return 0;
}

int64_t book_object_of(book *b, const char *path, const char *read_from)
{
    uint64_t hash = hash_bytes(path, strlen(path));
    hash_probe p = hash_find(&b->by_path, hash);
    while (hash_next(&p) && strcmp(b->objects[p.item].path, path) != 0)
        continue;
    if (p.item != HASH_INDEX_NONE)
        return p.item;
    char *copy = arena_text(&b->memory, path);
    if (!copy || tacho_mem_grow(&b->objects, &b->object_capacity, b->object_count + 1, sizeof *b->objects))
        return -1;
    book_object o = {.path = copy, .name = tacho_base_name(copy)};
    int fd = read_from ? open(read_from, O_RDONLY | O_CLOEXEC) : -1;
    int rc = fd >= 0 ? read_segments(b, &o, fd) : 0;
    if (fd >= 0)
        close(fd);
    if (rc || hash_add_item(&b->by_path, hash, (uint32_t)b->object_count))
        return -1;
    b->objects[b->object_count++] = o;
    return (int64_t)b->object_count - 1;
}

uint64_t book_address(const book *b, uint32_t object, uint64_t offset)
{
    const book_object *o = &b->objects[object];
    for (size_t i = 0; i < o->segment_count; i++)
        if (offset >= o->segments[i].offset && offset - o->segments[i].offset < o->segments[i].size)
            return offset - o->segments[i].offset + o->segments[i].address;
    return offset;
}

/* ---- records ---- */

typedef struct text { /* code as it is read */
    uint8_t *bytes;
    size_t count, capacity;
    bool ended;
    book_reader read;
    void *payload;
} text;

/* Reads on until `wanted` bytes are there, if there are that many. @return false when memory runs out */
static bool fill(text *t, size_t wanted)
{
    while (t->count < wanted && !t->ended) {
        if (tacho_mem_grow(&t->bytes, &t->capacity, t->count + CHUNK_BYTES, 1))
            return false;
        size_t n = t->read(t->count, t->bytes + t->count, CHUNK_BYTES, t->payload);
        t->ended = n < CHUNK_BYTES;
        t->count += n;
    }
    return true;
}

/* Decodes up to what ends the piece. @return false when memory runs out */
static bool decode_piece(text *t, book_record *out)
{
    for (;;) {
        tacho_insn insn;
        if (!fill(t, out->byte_count + TACHO_MAX_INSN_BYTES))
            return false;
        if (out->byte_count > MAX_PIECE_BYTES ||
            tacho_decode(&insn, t->bytes + out->byte_count, t->count - out->byte_count, NULL))
            return true;
        out->end = (uint8_t)extract_end_of(&insn);
        if (out->end != EXTRACT_GOES_ON) {
            out->branch = branch_of(&insn);
            return true;
        }
        out->byte_count += insn.length;
        out->insn_count++;
    }
}

static book_record *add_record(book *b, const book_record *made, const uint8_t *bytes)
{
    size_t size = made->byte_count + made->branch.length;
    book_record *r = arena_alloc_raw(&b->memory, sizeof *r);
    uint8_t *copy = arena_alloc_raw(&b->memory, size);
    if (!r || !copy ||
        tacho_mem_grow(&b->records, &b->record_capacity, b->record_count + 1, sizeof *b->records))
        return NULL;
    *r = *made;
    if (size)
        memcpy(copy, bytes, size);
    r->bytes = copy;
    b->records[b->record_count++] = r;
    return r;
}

book_record *book_record_of(book *b, uint32_t object, uint64_t address, book_reader read, void *payload)
{
    uint8_t key[EXTRACT_PLACE_BYTES];
    extract_place_key(key, object, address);
    tacho_bytemap_entry *e = tacho_bytemap_at(&b->by_place, key, sizeof key);
    text t = {.read = read, .payload = payload};
    book_record *found = NULL;
    if (!e)
        return NULL;
    int32_t first = e->count ? e->value : -1;
    for (int32_t i = first; i >= 0 && !found; i = b->records[i]->other) {
        book_record *r = b->records[i];
        size_t size = r->byte_count + r->branch.length;
        if (!fill(&t, size))
            break;
        if (t.count >= size && (size ? !memcmp(t.bytes, r->bytes, size) : t.ended))
            found = r;
    }
    book_record made = {.object = object, .other = first, .address = address};
    if (!found && decode_piece(&t, &made) && (found = add_record(b, &made, t.bytes))) {
        e->value = (int32_t)b->record_count - 1;
        e->count = 1;
    }
    tacho_mem_free(t.bytes);
    return found;
}

/* ---- the end ---- */

ORDER_AS(by_place, book_record *const,
         ORDER((*a)->object, (*b)->object) ?: ORDER((*a)->address, (*b)->address)
             ?: ORDER((*a)->byte_count, (*b)->byte_count));

static uint64_t end_of(const book_record *r)
{
    return r->address + r->byte_count;
}

/* Whether `inner` is the end of `outer`, byte by byte. */
static bool is_end_of(const book_record *inner, const book_record *outer)
{
    size_t size = inner->byte_count + inner->branch.length;
    return inner->object == outer->object && inner->address > outer->address &&
           end_of(inner) == end_of(outer) && inner->branch.length == outer->branch.length &&
           !memcmp(inner->bytes, outer->bytes + (inner->address - outer->address), size);
}

/* Shortens the record so that it ends before the address. @return false: no instruction of it begins there */
static bool cut(book_record *r, uint64_t address)
{
    uint32_t at = 0, count = 0;
    tacho_insn insn;
    while (at < address - r->address &&
           !tacho_decode(&insn, r->bytes + at, r->byte_count + r->branch.length - at, NULL)) {
        at += insn.length;
        count++;
    }
    if (at != address - r->address)
        return false;
    r->byte_count = at;
    r->insn_count = count;
    r->branch.length = 0;
    r->end = EXTRACT_GOES_ON;
    return true;
}

/* The first record that begins inside this one and ends with it goes on in its place, as often. */
static void cut_at_next(book *b, size_t i)
{
    book_record *r = b->records[i];
    for (size_t k = i + 1; k < b->record_count; k++) {
        book_record *next = b->records[k];
        if (next->object != r->object || next->address > end_of(r))
            return;
        if (is_end_of(next, r) && cut(r, next->address)) {
            next->count += r->count;
            return;
        }
    }
}

int book_finish(book *b, extract_set *x, uint64_t *executed_blocks, uint64_t *executed_insns)
{
    int rc = 0;
    tacho_sort(b->records, b->record_count, sizeof(book_record *), by_place);
    const char *name = NULL;
    for (size_t i = 0; i < b->record_count && !rc; i++) {
        book_record *r = b->records[i];
        if (!i || b->records[i - 1]->object != r->object) {
            name = extract_text(x, b->objects[r->object].name, b->err);
            rc = name ? 0 : TACHO_ERR_MEMORY;
        }
        cut_at_next(b, i);
        if (!r->count || rc)
            continue;
        *executed_blocks += r->insn_count ? r->count : 0;
        *executed_insns += r->count * (r->insn_count + (r->branch.length != 0));
        const extract_piece p = {.bytes = r->bytes,
                                 .byte_count = r->byte_count,
                                 .insn_count = r->insn_count,
                                 .branch_bytes = r->end == EXTRACT_BRANCH ? r->branch.length : 0,
                                 .address = r->address,
                                 .count = r->count,
                                 .counted = true};
        rc = extract_add(x, name, &p, b->err);
    }
    return rc;
}

void book_free(book *b)
{
    tacho_mem_free(b->objects);
    hash_index_free(&b->by_path);
    tacho_mem_free(b->records);
    tacho_bytemap_free(&b->by_place);
    arena_free(&b->memory);
}
