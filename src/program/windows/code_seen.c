/* code_seen.c - the instructions that windows have met, by process and address. Their pointers stay, and are
 * the same in all processes that have the file mapped; code that was written anew (by a JIT compiler) gets
 * another. */
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/hash_index.h"
#include "base/mem.h"
#include "base/proc.h"
#include "program/windows/windows.h"
#include "x86/decode/insn_struct.h"

enum {
    PAGE = 4096
};

typedef struct seen_code {
    uint64_t address, window; /* in which it was looked at last */
    uint32_t program, object;
    uint64_t offset;
    tacho_insn *insn; /* NULL: not decoded */
    uint8_t bytes[TACHO_MAX_INSN_BYTES];
    uint8_t size; /* of bytes, as many as there are */
} seen_code;

struct code_seen {
    code_objects *objects;
    uint32_t program;
    pid_t process;
    uint64_t window;
    seen_code *list;
    size_t count, capacity;
    hash_index by_address, by_offset; /* the second: what was the first at its place in its file */
    arena insns;
};

code_seen *code_seen_new(void)
{
    code_seen *c = tacho_mem_zalloc(1, sizeof *c);
    if (c && (c->objects = code_objects_new()))
        return c;
    tacho_mem_free(c);
    return NULL;
}

void code_seen_free(code_seen *c)
{
    if (!c)
        return;
    code_objects_free(c->objects);
    hash_index_free(&c->by_address);
    hash_index_free(&c->by_offset);
    arena_free(&c->insns);
    TACHO_MEM_FREE(c->list, c);
}

bool code_seen_enter(code_seen *c, pid_t process)
{
    c->process = process;
    c->window++;
    return (c->program = code_objects_enter(c->objects, process));
}

const code_objects *code_seen_objects(const code_seen *c)
{
    return c->objects;
}

static uint64_t hash_of(uint32_t number, uint64_t address)
{
    return hash_mix(hash_mix(number) ^ address);
}

/* @return NULL: not seen yet */
static seen_code *find(const code_seen *c, uint64_t address)
{
    for (hash_probe p = hash_find(&c->by_address, hash_of(c->program, address)); hash_next(&p);) {
        seen_code *s = &c->list[p.item];
        if (s->program == c->program && s->address == address)
            return s;
    }
    return NULL;
}

/* The same code, met in another process. */
static const seen_code *find_like(const code_seen *c, const seen_code *like)
{
    for (hash_probe p = hash_find(&c->by_offset, hash_of(like->object, like->offset)); hash_next(&p);) {
        const seen_code *s = &c->list[p.item];
        if (s->object == like->object && s->offset == like->offset)
            return s;
    }
    return NULL;
}

/* @return bytes, 0: none can be read */
static size_t read_code(pid_t process, uint64_t address, uint8_t out[TACHO_MAX_INSN_BYTES])
{
    size_t in_page = PAGE - address % PAGE;
    ssize_t n = proc_read_memory(process, address, out, TACHO_MAX_INSN_BYTES);
    if (n < 0 && in_page < TACHO_MAX_INSN_BYTES) /* near the end of a mapping */
        n = proc_read_memory(process, address, out, in_page);
    return n > 0 ? (size_t)n : 0;
}

static seen_code *add(code_seen *c, uint64_t address)
{
    seen_code s = {.address = address, .program = c->program};
    if (!code_objects_find(c->objects, address, &s.object, &s.offset) ||
        tacho_mem_grow(&c->list, &c->capacity, c->count + 1, sizeof *c->list) ||
        hash_add_item(&c->by_address, hash_of(c->program, address), (uint32_t)c->count) ||
        (!find_like(c, &s) && hash_add_item(&c->by_offset, hash_of(s.object, s.offset), (uint32_t)c->count)))
        return NULL;
    c->list[c->count] = s;
    return &c->list[c->count++];
}

static bool same_code(const seen_code *a, const seen_code *b)
{
    return b->insn && a->size >= b->insn->length && !memcmp(a->bytes, b->bytes, b->insn->length);
}

/* @return false: memory ran out */
static bool decode(code_seen *c, seen_code *s)
{
    const seen_code *like = find_like(c, s);
    tacho_insn insn;
    s->insn = NULL;
    if (like && like != s && same_code(s, like)) {
        s->insn = like->insn;
        return true;
    }
    if (tacho_decode(&insn, s->bytes, s->size, NULL))
        return true;
    s->insn = arena_alloc(&c->insns, sizeof *s->insn);
    if (s->insn)
        *s->insn = insn;
    return s->insn;
}

/* Looks at what was seen in an earlier window once more. */
static code_answer look_again(code_seen *c, seen_code *s, uint64_t address)
{
    seen_code now = {.size = 0};
    now.size = (uint8_t)read_code(c->process, address, now.bytes);
    if (!now.size)
        return CODE_NONE;
    bool same =
        s && (s->insn ? same_code(&now, s) : s->size == now.size && !memcmp(s->bytes, now.bytes, now.size));
    s = s ? s : add(c, address);
    if (!s)
        return CODE_NO_MEMORY;
    s->window = c->window;
    if (same)
        return CODE_THERE;
    memcpy(s->bytes, now.bytes, now.size);
    s->size = now.size;
    return decode(c, s) ? CODE_THERE : CODE_NO_MEMORY;
}

code_answer code_seen_at(code_seen *c, step *out)
{
    seen_code *s = find(c, out->address);
    if (!s || s->window != c->window) {
        code_answer answer = look_again(c, s, out->address);
        if (answer != CODE_THERE)
            return answer;
        s = find(c, out->address);
    }
    out->insn = s->insn;
    out->object = s->object;
    out->offset = s->offset;
    return CODE_THERE;
}
