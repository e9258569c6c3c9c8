/* code_seen.c - the instructions that windows have met, by process and address. Their pointers stay, and are
 * the same in all processes that have the file mapped; code that was written anew (by a JIT compiler) gets
 * another. */
#include <sys/stat.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/hash_index.h"
#include "base/mem.h"
#include "base/proc.h"
#include "program/windows/windows.h"
#include "x86/decode/insn_struct.h"

/* ---- files that code lies in ---- */

/* Mappings of the processes in which windows were taken, read when an address is met that none of the known
 * ones holds. A process that executes another program is another process here; it is told by the file that
 * /proc/PID/exe stands for. */

typedef struct code_map {
    uint64_t start, end, offset;
    uint32_t object;
    uint32_t program; /* whose it is */
} code_map;

typedef struct code_process {
    pid_t process;
    dev_t device;
    ino_t inode;
} code_process;

typedef struct code_objects {
    windows_object *objects;
    size_t object_count, object_capacity;
    code_process *programs; /* the last of a process is what it executes */
    size_t program_count, program_capacity;
    code_map *maps;
    size_t map_count, map_capacity;
    uint32_t now; /* the program that was entered */
    bool read;    /* its mappings were read in this window */
    arena texts;
} code_objects;

/* Begins a window in a process. @return a number that is another one for each program that it executes,
 *  from 1; 0: memory ran out */
static uint32_t code_objects_enter(code_objects *o, pid_t process)
{
    char path[40];
    struct stat exe = {0};
    snprintf(path, sizeof path, "/proc/%d/exe", (int)process);
    if (stat(path, &exe))
        exe.st_ino = 0;
    o->read = false;
    for (size_t i = o->program_count; i-- > 0;) {
        const code_process *p = &o->programs[i];
        if (p->process != process)
            continue;
        if (p->device == exe.st_dev && p->inode == exe.st_ino)
            return o->now = (uint32_t)i + 1;
        break;
    }
    if (tacho_mem_grow(&o->programs, &o->program_capacity, o->program_count + 1, sizeof *o->programs))
        return 0;
    o->programs[o->program_count++] = (code_process){process, exe.st_dev, exe.st_ino};
    return o->now = (uint32_t)o->program_count;
}

/* ---- mappings ---- */

static bool object_of(code_objects *o, const proc_map *m, uint32_t *out)
{
    const bool memory = proc_is_memory(m->path);
    const uint64_t process = memory ? (uint64_t)o->programs[o->now - 1].process : 0;
    const char *path = memory ? "" : m->path;
    for (size_t i = 1; i < o->object_count; i++) {
        const windows_object *k = &o->objects[i];
        if (k->inode == m->inode && k->major == m->major && k->minor == m->minor && k->process == process &&
            !strcmp(k->path, path)) {
            *out = (uint32_t)i;
            return true;
        }
    }
    char *kept = arena_text(&o->texts, path);
    if (!kept || tacho_mem_grow(&o->objects, &o->object_capacity, o->object_count + 1, sizeof *o->objects))
        return false;
    o->objects[o->object_count] = (windows_object){kept, m->major, m->minor, m->inode, process};
    *out = (uint32_t)o->object_count++;
    return true;
}

/* Those of the program as they are now, in place of what they were. */
static bool read_maps(code_objects *o)
{
    proc_map m;
    size_t kept = 0;
    for (size_t i = 0; i < o->map_count; i++)
        if (o->maps[i].program != o->now)
            o->maps[kept++] = o->maps[i];
    o->map_count = kept;
    FILE *f = proc_open_maps(o->programs[o->now - 1].process);
    bool ok = true;
    while (ok && proc_next_code(f, &m)) {
        code_map map = {m.start, m.end, m.offset, 0, o->now};
        ok = object_of(o, &m, &map.object) &&
             !tacho_mem_grow(&o->maps, &o->map_capacity, o->map_count + 1, sizeof *o->maps);
        if (ok)
            o->maps[o->map_count++] = map;
    }
    if (f)
        fclose(f);
    return ok;
}

static const code_map *map_at(const code_objects *o, uint64_t address)
{
    for (size_t i = 0; i < o->map_count; i++) {
        const code_map *m = &o->maps[i];
        if (m->program == o->now && address >= m->start && address < m->end)
            return m;
    }
    return NULL;
}

/* Of the process that was entered. @return false: memory ran out */
static bool code_objects_find(code_objects *o, uint64_t address, uint32_t *object, uint64_t *offset)
{
    const code_map *m = map_at(o, address);
    if (!m && !o->read) {
        o->read = true;
        if (!read_maps(o))
            return false;
        m = map_at(o, address);
    }
    *object = m ? m->object : 0;
    const char *path = o->objects[*object].path;
    *offset = *path == '/'   ? m->offset + (address - m->start)
              : *path == '[' ? address - m->start /* the kernel's code */
                             : address;
    return true;
}

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
    code_objects objects;
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
    static const windows_object unknown = {.path = ""};
    code_seen *c = tacho_mem_zalloc(1, sizeof *c);
    code_objects *o = c ? &c->objects : NULL;
    if (o && !tacho_mem_grow(&o->objects, &o->object_capacity, 1, sizeof *o->objects)) {
        o->objects[o->object_count++] = unknown;
        return c;
    }
    tacho_mem_free(c);
    return NULL;
}

void code_seen_free(code_seen *c)
{
    if (!c)
        return;
    arena_free(&c->objects.texts);
    arena_free(&c->insns);
    hash_index_free(&c->by_address);
    hash_index_free(&c->by_offset);
    TACHO_MEM_FREE(c->objects.objects, c->objects.programs, c->objects.maps, c->list, c);
}

bool code_seen_enter(code_seen *c, pid_t process)
{
    c->process = process;
    c->window++;
    return (c->program = code_objects_enter(&c->objects, process));
}

const windows_object *code_seen_object(const code_seen *c, uint32_t number)
{
    return &c->objects.objects[number];
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
    if (!code_objects_find(&c->objects, address, &s.object, &s.offset) ||
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
