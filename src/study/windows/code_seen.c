/* code_seen.c - the instructions that windows have met, by process and address. Their pointers stay: code
 * that was written anew (by a JIT compiler, or another program after exec) gets an entry of its own. */
#include <string.h>
#include <sys/uio.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/hash_index.h"
#include "base/mem.h"
#include "study/windows/windows.h"
#include "x86/decode/insn_struct.h"

enum {
    PAGE = 4096
};

typedef struct seen_code {
    pid_t process;
    uint64_t address, window; /* in which it was looked at last */
    tacho_insn *insn;         /* NULL: not decoded */
    uint8_t bytes[TACHO_MAX_INSN_BYTES];
    uint8_t size; /* of bytes, as many as there are */
} seen_code;

struct code_seen {
    seen_code *list;
    size_t count, capacity;
    hash_index by_place;
    arena insns;
};

code_seen *code_seen_new(void)
{
    return tacho_mem_zalloc(1, sizeof(code_seen));
}

void code_seen_free(code_seen *c)
{
    if (!c)
        return;
    hash_index_free(&c->by_place);
    arena_free(&c->insns);
    TACHO_MEM_FREE(c->list, c);
}

static uint64_t hash_of(pid_t process, uint64_t address)
{
    return hash_mix(hash_mix((uint64_t)process) ^ address);
}

/* @return NULL: not seen yet */
static seen_code *find(const code_seen *c, pid_t process, uint64_t address)
{
    for (hash_probe p = hash_find(&c->by_place, hash_of(process, address)); hash_next(&p);) {
        seen_code *s = &c->list[p.item];
        if (s->process == process && s->address == address)
            return s;
    }
    return NULL;
}

/* @return bytes, 0: none can be read */
static size_t read_code(pid_t process, uint64_t address, uint8_t out[TACHO_MAX_INSN_BYTES])
{
    size_t in_page = PAGE - address % PAGE;
    struct iovec here = {out, TACHO_MAX_INSN_BYTES},
                 there = {(void *)(uintptr_t)address, TACHO_MAX_INSN_BYTES};
    ssize_t n = process_vm_readv(process, &here, 1, &there, 1, 0);
    if (n < 0 && in_page < TACHO_MAX_INSN_BYTES) { /* near the end of a mapping */
        here.iov_len = there.iov_len = in_page;
        n = process_vm_readv(process, &here, 1, &there, 1, 0);
    }
    return n > 0 ? (size_t)n : 0;
}

static seen_code *add(code_seen *c, pid_t process, uint64_t address)
{
    if (tacho_mem_grow(&c->list, &c->capacity, c->count + 1, sizeof *c->list) ||
        hash_add_item(&c->by_place, hash_of(process, address), (uint32_t)c->count))
        return NULL;
    c->list[c->count] = (seen_code){.process = process, .address = address};
    return &c->list[c->count++];
}

/* @return false: memory ran out */
static bool decode(code_seen *c, seen_code *s)
{
    tacho_insn insn;
    s->insn = NULL;
    if (tacho_decode(&insn, s->bytes, s->size, NULL))
        return true;
    s->insn = arena_alloc(&c->insns, sizeof *s->insn);
    if (s->insn)
        *s->insn = insn;
    return s->insn;
}

bool code_seen_at(code_seen *c, pid_t process, uint64_t address, uint64_t window, const tacho_insn **insn,
                  bool *failed)
{
    seen_code *s = find(c, process, address);
    if (!s || s->window != window) {
        uint8_t bytes[TACHO_MAX_INSN_BYTES];
        size_t n = read_code(process, address, bytes);
        if (!n)
            return false;
        size_t used = s && s->insn ? s->insn->length : s ? s->size : 0;
        bool same = s && n >= used && !memcmp(bytes, s->bytes, used);
        s = s ? s : add(c, process, address);
        if (!s) {
            *failed = true;
            return false;
        }
        s->window = window;
        if (!same) {
            memcpy(s->bytes, bytes, n);
            s->size = (uint8_t)n;
            if (!decode(c, s)) {
                *failed = true;
                return false;
            }
        }
    }
    *insn = s->insn;
    return true;
}
