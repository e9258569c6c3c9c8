/* code_objects.c - mappings of the processes in which windows were taken, read when an address is met that
 * none of the known ones holds. A process that executes another program is another process here; it is told
 * by the file that /proc/PID/exe stands for. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/proc.h"
#include "program/windows/windows.h"

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

struct code_objects {
    windows_object *objects;
    size_t object_count, object_capacity;
    code_process *programs; /* the last of a process is what it executes */
    size_t program_count, program_capacity;
    code_map *maps;
    size_t map_count, map_capacity;
    uint32_t now; /* the program that was entered */
    bool read;    /* its mappings were read in this window */
    arena texts;
};

code_objects *code_objects_new(void)
{
    static const windows_object unknown = {.path = ""};
    code_objects *o = tacho_mem_zalloc(1, sizeof *o);
    if (o && !tacho_mem_grow(&o->objects, &o->object_capacity, 1, sizeof *o->objects)) {
        o->objects[o->object_count++] = unknown;
        return o;
    }
    tacho_mem_free(o);
    return NULL;
}

void code_objects_free(code_objects *o)
{
    if (!o)
        return;
    arena_free(&o->texts);
    TACHO_MEM_FREE(o->objects, o->programs, o->maps, o);
}

const windows_object *code_objects_at(const code_objects *o, uint32_t number)
{
    return &o->objects[number];
}

uint32_t code_objects_enter(code_objects *o, pid_t process)
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

bool code_objects_find(code_objects *o, uint64_t address, uint32_t *object, uint64_t *offset)
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
