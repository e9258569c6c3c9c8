/* space.c - an address space under observation: its mappings, the breakpoints in it, and for each place where
 * control came in, how to get to the end of the straight-line code that begins there.
 *
 * Breakpoints (INT3) are put only where what ends a piece of code begins, and only into private mappings that
 * are not writable: files' code, as a rule. Before the program unmaps such a mapping, or makes it writable,
 * they are taken out. What lies elsewhere (generated code) is read anew each time, and stepped through. */
#include <sys/ptrace.h>
#include <sys/uio.h>

#include "base/mem.h"
#include "base/proc.h"
#include "binary/extract/tracer.h"

enum {
    INT3 = 0xcc,
    PAGE = 4096
};

space *space_new(void)
{
    space *s = tacho_mem_zalloc(1, sizeof *s);
    if (s) {
        s->users = 1;
        s->stale = true;
    }
    return s;
}

space *space_copy(const space *s)
{
    space *copy = space_new();
    if (!copy || tacho_bytemap_copy(&copy->patches, &s->patches)) {
        tacho_mem_free(copy);
        return NULL;
    }
    return copy;
}

void space_drop(space *s)
{
    if (!s || --s->users)
        return;
    tacho_mem_free(s->regions);
    tacho_mem_free(s->all);
    tacho_bytemap_free(&s->plans);
    tacho_bytemap_free(&s->patches);
    arena_free(&s->memory);
    tacho_mem_free(s);
}

/* ---- mappings ---- */

static bool add_region(tracer *t, space *s, pid_t tid, const proc_map *m)
{
    char from[PROC_PATH_BYTES + 100];
    region r = {.start = m->start, .end = m->end, .offset = m->offset, .code = true};
    r.fixed = !m->write && m->is_private;
    bool file = m->path[0] == '/', named = m->path[0] == '[';
    snprintf(from, sizeof from, "/proc/%d/root%s", tid, m->path);
    int64_t object = book_object_of(&t->book, file || named ? m->path : "[memory]", file ? from : NULL);
    if (!file)
        r.offset = named ? 0 : m->start;
    r.object = (uint32_t)object;
    if (object < 0 || tacho_mem_grow(&s->regions, &s->region_capacity, s->region_count + 1, sizeof r))
        return false;
    s->regions[s->region_count++] = r;
    return true;
}

static void read_regions(tracer *t, space *s, pid_t tid)
{
    proc_map m;
    FILE *f = proc_open_maps(tid);
    if (!f && errno != ESRCH) /* that is a process which is ending */
        t->unseen = errno;
    s->region_count = 0;
    s->stale = false;
    while (proc_next_code(f, &m))
        if (!add_region(t, s, tid, &m))
            t->out_of_memory = true;
    if (f)
        fclose(f);
}

static const region *find_region(const space *s, uint64_t address)
{
    for (size_t i = 0; i < s->region_count; i++)
        if (address >= s->regions[i].start && address < s->regions[i].end)
            return &s->regions[i];
    return NULL;
}

bool space_has_code(const space *s, uint64_t start, uint64_t end)
{
    for (size_t i = 0; i < s->region_count; i++)
        if (s->regions[i].start < end && s->regions[i].end > start)
            return true;
    return s->stale;
}

static const region *region_at(tracer *t, space *s, pid_t tid, uint64_t address)
{
    const region *r = s->stale ? NULL : find_region(s, address);
    if (r)
        return r;
    read_regions(t, s, tid);
    return find_region(s, address);
}

const char *space_locate(tracer *t, space *s, pid_t tid, uint64_t address, uint64_t *in_file)
{
    const region *r = region_at(t, s, tid, address);
    const char *path = r ? t->book.objects[r->object].path : NULL;
    if (!path || *path != '/')
        return NULL;
    *in_file = book_address(&t->book, r->object, address - r->start + r->offset);
    return path;
}

/* ---- memory ---- */

size_t space_read(pid_t tid, uint64_t address, void *out, size_t size)
{
    size_t done = 0;
    while (done < size) { /* page by page, so that what lies before the end of a mapping is read */
        size_t part = PAGE - (address + done) % PAGE;
        part = part < size - done ? part : size - done;
        struct iovec here = {(char *)out + done, part}, there = {(void *)(uintptr_t)(address + done), part};
        if (process_vm_readv(tid, &here, 1, &there, 1, 0) != (ssize_t)part)
            break;
        done += part;
    }
    return done;
}

static bool read_word(uint64_t address, uint64_t *value, void *payload)
{
    return space_read(*(pid_t *)payload, address, value, sizeof *value) == sizeof *value;
}

static bool write_word(uint64_t address, uint64_t value, void *payload)
{
    struct iovec here = {&value, sizeof value}, there = {(void *)(uintptr_t)address, sizeof value};
    return process_vm_writev(*(pid_t *)payload, &here, 1, &there, 1, 0) == sizeof value;
}

branch_memory space_memory(pid_t *tid)
{
    return (branch_memory){read_word, write_word, tid};
}

/* ---- breakpoints ---- */

static const tacho_bytemap_entry *find_patch(const space *s, uint64_t address)
{
    const tacho_bytemap_entry *e = tacho_bytemap_find(&s->patches, (const uint8_t *)&address, sizeof address);
    return e && e->value >= 0 ? e : NULL;
}

bool space_patched(const space *s, uint64_t address)
{
    return find_patch(s, address) != NULL;
}

static bool poke_byte(pid_t tid, uint64_t address, uint8_t byte)
{
    uint64_t at = address & ~UINT64_C(7);
    errno = 0;
    long word = ptrace(PTRACE_PEEKTEXT, tid, (void *)(uintptr_t)at, NULL);
    if (errno)
        return false;
    memcpy((char *)&word + (address - at), &byte, 1);
    return !ptrace(PTRACE_POKETEXT, tid, (void *)(uintptr_t)at, (void *)word);
}

/* Puts a breakpoint, if there is none. A process that fork made may lack what was put after it began. */
static bool patch(tracer *t, space *s, pid_t tid, uint64_t address, uint8_t original)
{
    uint8_t there;
    tacho_bytemap_entry *e = tacho_bytemap_at(&s->patches, (const uint8_t *)&address, sizeof address);
    if (!e) {
        t->out_of_memory = true;
        return false;
    }
    if (!e->count++)
        e->value = -1;
    if (space_read(tid, address, &there, 1) != 1 || (there != INT3 && !poke_byte(tid, address, INT3)))
        return false;
    e->value = original;
    return true;
}

static void unpatch(space *s, pid_t tid, uint64_t address)
{
    const tacho_bytemap_entry *e = find_patch(s, address);
    if (!e)
        return;
    poke_byte(tid, address, (uint8_t)e->value);
    tacho_bytemap_at(&s->patches, (const uint8_t *)&address, sizeof address)->value = -1;
}

/* ---- plans ---- */

typedef struct task_reader {
    const space *space;
    pid_t tid;
    uint64_t address;
} task_reader;

/* Code as the program has it: without breakpoints. */
static size_t read_code(uint64_t distance, uint8_t *out, size_t size, void *payload)
{
    const task_reader *r = payload;
    uint64_t address = r->address + distance;
    size_t n = space_read(r->tid, address, out, size);
    for (size_t i = 0; i < n; i++) {
        const tacho_bytemap_entry *e = out[i] == INT3 ? find_patch(r->space, address + i) : NULL;
        if (e)
            out[i] = (uint8_t)e->value;
    }
    return n;
}

/* Whether a breakpoint lies inside the piece: code that overlaps in other ways than by its end. */
static bool is_patched_inside(const space *s, uint64_t start, uint64_t end)
{
    for (uint64_t a = start; a < end; a++)
        if (find_patch(s, a))
            return true;
    return false;
}

static void choose_mode(tracer *t, space *s, pid_t tid, plan *p, bool fixed)
{
    const branch *b = &p->record->branch;
    p->mode = PLAN_STEP;
    if (is_patched_inside(s, p->start, p->end))
        space_clear(s, tid, p->start, p->end + 1);
    if (b->kind == BRANCH_SYSCALL && !t->step_only)
        p->mode = PLAN_RUN;
    else if (b->kind >= BRANCH_JUMP && fixed && !t->step_only &&
             patch(t, s, tid, p->end, p->record->bytes[p->record->byte_count]))
        p->mode = PLAN_TRAP;
}

/* A place of its own in the table. */
static plan *keep_plan(tracer *t, space *s, const plan *made)
{
    plan *p = arena_alloc_raw(&s->memory, sizeof *p);
    tacho_bytemap_entry *e = tacho_bytemap_at(&s->plans, (const uint8_t *)&made->start, sizeof made->start);
    if (!p || !e || tacho_mem_grow(&s->all, &s->plan_capacity, s->plan_count + 1, sizeof *s->all)) {
        t->out_of_memory = true;
        return NULL;
    }
    *p = *made;
    s->all[s->plan_count++] = p;
    e->value = (int32_t)s->plan_count;
    return p;
}

plan *space_plan(tracer *t, space *s, pid_t tid, uint64_t address)
{
    const tacho_bytemap_entry *e = tacho_bytemap_find(&s->plans, (const uint8_t *)&address, sizeof address);
    plan *known = e && e->value ? s->all[e->value - 1] : NULL;
    if (known && !known->gone && known->fixed)
        return known;
    const region *r = region_at(t, s, tid, address);
    if (!r || t->out_of_memory)
        return NULL;
    task_reader reader = {s, tid, address};
    plan p = {.start = address, .fixed = r->fixed};
    p.record =
        book_record_of(&t->book, r->object, book_address(&t->book, r->object, address - r->start + r->offset),
                       read_code, &reader);
    if (!p.record) {
        t->out_of_memory = true;
        return NULL;
    }
    if (known && !known->gone && known->record == p.record)
        return known;
    p.end = address + p.record->byte_count;
    choose_mode(t, s, tid, &p, r->fixed && p.end < r->end);
    return keep_plan(t, s, &p);
}

/* `tid`: of a thread by which the breakpoints can be taken out; 0: they are gone with what was there. */
static void end_plans(space *s, pid_t tid, uint64_t start, uint64_t end)
{
    for (size_t i = 0; i < s->plan_count; i++) {
        plan *p = s->all[i];
        p->gone |= p->start < end && p->end + p->record->branch.length > start;
    }
    for (size_t i = 0; i < s->patches.slot_count; i++) {
        tacho_bytemap_entry *e = &s->patches.slots[i];
        uint64_t address;
        if (!e->key_length || e->value < 0)
            continue;
        memcpy(&address, e->key, sizeof address);
        if (address < start || address >= end)
            continue;
        if (tid)
            poke_byte(tid, address, (uint8_t)e->value);
        e->value = -1;
    }
    s->stale = true;
}

void space_clear(space *s, pid_t tid, uint64_t start, uint64_t end)
{
    end_plans(s, tid, start, end);
}

void space_forget(space *s, uint64_t start, uint64_t end)
{
    end_plans(s, 0, start, end);
}

void space_unpatch_plan(space *s, pid_t tid, plan *p)
{
    for (size_t i = 0; i < s->plan_count; i++)
        if (s->all[i]->end == p->end && s->all[i]->mode == PLAN_TRAP)
            s->all[i]->mode = PLAN_STEP;
    unpatch(s, tid, p->end);
}
