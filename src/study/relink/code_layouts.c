/* code_layouts.c - programs of which each has its code elsewhere: one link for each side and layout.
 *
 * A layout has the same numbers for both sides: what has the same name there, and is the same, lies alike. */
#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/scratch.h"
#include "study/relink/relink.h"

enum {
    SIDES = 2
};
static const size_t largest_object = (size_t)1 << 30;
static const double look_seconds = 0.2;

/* A file of a side's. */
typedef struct linked_object {
    const char *path;
    char *data;
    size_t size;
    uint64_t name_key; /* of its name without directories, and the how manieth of that name it is */
} linked_object;

struct code_layouts {
    code_layouts_options o;
    char temporary[PATH_MAX];
    arena memory; /* of the caller's thread */
    linked_object *objects[SIDES];
    char ***argv; /* of each side and layout */
    tacho_compare_code *counts;
    pthread_t caller;
    atomic_bool stopped;
    atomic_uint done;
};

/* ---- one program ---- */

/* What a thread has of its own for a program. */
typedef struct linking {
    code_layouts *c;
    uint32_t side, layout;
    uint64_t seed;
    arena memory;
    const char *folder; /* where its object files are */
    const char **paths; /* of the object files, in their order */
    uint32_t count;
    tacho_error *err;
} linking;

typedef struct ranked {
    uint64_t key;
    uint32_t object;
} ranked;

static const char *text(linking *l, const char *format, ...) TACHO_PRINTF(2, 3);
static const char *text(linking *l, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *out = arena_vformat(&l->memory, format, args);
    va_end(args);
    if (!out)
        tacho_no_memory(l->err);
    return out;
}

static int by_rank(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    return x->key != y->key ? (x->key < y->key ? -1 : 1) : x->object < y->object ? -1 : 1;
}

/* Writes a file of its own, whose path comes next in the command. */
static int put_object(linking *l, const char *name, const char *data, size_t size)
{
    const char *own = text(l, "%05u-%s", l->count, name),
               *path = own ? text(l, "%s/%s", l->folder, own) : NULL;
    if (!path)
        return TACHO_ERR_MEMORY;
    if (tacho_scratch_write(l->folder, own, data, size))
        return tacho_error_set(l->err, TACHO_ERR_SYSTEM, "%s: %s", path, strerror(errno));
    l->paths[l->count++] = path;
    return 0;
}

static int reorder_one(linking *l, const linked_object *object)
{
    const char *name = tacho_base_name(object->path);
    reordered moved;
    if (reorder_object(object->data, object->size, hash_mix(l->seed ^ object->name_key), &moved))
        return tacho_no_memory(l->err);
    int rc =
        put_object(l, name, moved.data ? moved.data : object->data, moved.data ? moved.size : object->size);
    tacho_mem_free(moved.data);
    if (!l->layout) { /* the same in all */
        tacho_compare_code *n = &l->c->counts[l->side];
        n->objects++;
        n->moved_objects += moved.sections > 0;
        n->whole_objects += moved.is_whole;
        n->sections += moved.sections;
    }
    return rc;
}

static int put_room(linking *l)
{
    char *data;
    size_t size;
    if (reorder_room(l->seed, &data, &size))
        return tacho_no_memory(l->err);
    int rc = put_object(l, "room.o", data, size);
    tacho_mem_free(data);
    return rc;
}

static int put_objects(linking *l)
{
    const tacho_compare_link *link = &l->c->o.links[l->side];
    const linked_object *objects = l->c->objects[l->side];
    ranked *order = arena_alloc(&l->memory, link->object_count * sizeof *order);
    l->paths = arena_alloc(&l->memory, (link->object_count + 1) * sizeof *l->paths);
    if (!order || !l->paths)
        return tacho_no_memory(l->err);
    for (uint32_t i = 0; i < link->object_count; i++)
        order[i] = (ranked){hash_mix(~l->seed ^ objects[i].name_key), i};
    qsort(order, link->object_count, sizeof *order, by_rank);
    int rc = put_room(l);
    for (uint32_t i = 0; i < link->object_count && !rc; i++)
        rc = reorder_one(l, &objects[order[i].object]);
    return rc;
}

static bool asks_to_stop(void *payload)
{
    code_layouts *c = payload;
    if (c->o.stop && c->o.stop(c->o.payload))
        c->stopped = true;
    return c->stopped;
}

static int run_link(linking *l, const char *path)
{
    extern char **environ;
    static char *const none[] = {NULL};
    const tacho_command *command = &l->c->o.commands[l->side];
    relink_place place = {.directory = command->directory,
                          .environment = command->environment ? command->environment
                                         : environ            ? environ
                                                              : none,
                          .temporary = l->folder,
                          .stop = asks_to_stop,
                          .look = look_seconds,
                          .payload = l->c};
    tacho_str line = {0};
    bool stopped = false;
    relink_fill_in(&line, l->c->o.links[l->side].link, path, l->paths, l->count);
    int rc = line.failed ? tacho_no_memory(l->err) : relink_link(&place, line.data, path, &stopped, l->err);
    tacho_str_free(&line);
    return rc;
}

static char **argv_of(const code_layouts *c, uint32_t side, uint32_t layout)
{
    return c->argv[side * c->o.layouts + layout];
}

static int link_program(linking *l)
{
    const char *path = argv_of(l->c, l->side, l->layout)[0];
    const char *folder = text(l, "%.*s", (int)(strlen(path) - strlen(tacho_base_name(path)) - 1), path);
    l->folder = folder ? text(l, "%s/.objects", folder) : NULL;
    if (!l->folder)
        return TACHO_ERR_MEMORY;
    if (mkdir(folder, 0700) || mkdir(l->folder, 0700))
        return tacho_error_set(l->err, TACHO_ERR_SYSTEM, "%s: %s", l->folder, strerror(errno));
    int rc = put_objects(l);
    rc = rc ? rc : run_link(l, path);
    tacho_scratch_remove(l->folder);
    return rc;
}

/* ---- all of them ---- */

static int link_turn(void *payload, void *state, size_t index, tacho_error *err)
{
    code_layouts *c = payload;
    linking l = {.c = c, .side = index % SIDES, .layout = (uint32_t)(index / SIDES), .err = err};
    (void)state;
    l.seed = hash_mix(hash_mix(c->o.seed) + l.layout);
    int rc = link_program(&l);
    arena_free(&l.memory);
    unsigned done = atomic_fetch_add(&c->done, 1) + 1;
    if (pthread_equal(pthread_self(), c->caller) && c->o.tell &&
        c->o.tell(done, SIDES * c->o.layouts, c->o.payload))
        c->stopped = true;
    return rc;
}

static int read_objects(code_layouts *c, uint32_t side, tacho_error *err)
{
    const tacho_compare_link *link = &c->o.links[side];
    linked_object *list = arena_alloc(&c->memory, link->object_count * sizeof *list);
    if (!list)
        return tacho_no_memory(err);
    c->objects[side] = list;
    for (uint32_t i = 0; i < link->object_count; i++) {
        const char *directory = c->o.commands[side].directory, *name = tacho_base_name(link->objects[i]);
        uint64_t before = 0;
        char path[PATH_MAX];
        list[i].path = link->objects[i];
        for (uint32_t k = 0; k < i; k++)
            before += !strcmp(tacho_base_name(list[k].path), name);
        list[i].name_key = hash_mix(hash_bytes(name, strlen(name)) + before);
        snprintf(path, sizeof path, "%s%s%s", directory && *list[i].path != '/' ? directory : "",
                 directory && *list[i].path != '/' ? "/" : "", list[i].path);
        if (tacho_file_read_regular(path, largest_object, &list[i].data, &list[i].size))
            return tacho_error_set(err, TACHO_ERR_INPUT, "%s: %s", list[i].path, strerror(errno));
    }
    return 0;
}

/* The command with its program of the layout: paths of all are equally long where the names are. */
static char **make_argv(code_layouts *c, uint32_t side, uint32_t layout)
{
    char *const *given = c->o.commands[side].argv;
    char path[PATH_MAX + 300];
    size_t argc = 0;
    while (given[argc])
        argc++;
    char **out = arena_alloc(&c->memory, (argc + 1) * sizeof *out);
    snprintf(path, sizeof path, "%s/%05u%c/%.255s", c->temporary, layout, "ab"[side],
             tacho_base_name(given[0]));
    if (!out || !(out[0] = arena_text(&c->memory, path)))
        return NULL;
    memcpy(out + 1, given + 1, (argc - 1) * sizeof *out);
    return out;
}

static int prepare(code_layouts *c, tacho_error *err)
{
    c->argv = arena_alloc(&c->memory, (size_t)SIDES * c->o.layouts * sizeof *c->argv);
    if (!c->argv)
        return tacho_no_memory(err);
    int rc = tacho_scratch_make(c->temporary, sizeof c->temporary, err);
    for (uint32_t side = 0; side < SIDES && !rc; side++) {
        for (uint32_t i = 0; i < c->o.layouts && !rc; i++)
            if (!(c->argv[side * c->o.layouts + i] = make_argv(c, side, i)))
                rc = tacho_no_memory(err);
        rc = rc ? rc : read_objects(c, side, err);
    }
    return rc;
}

/* Links whose result does not depend on the object files would be one layout, many times. */
static int check_that_code_moves(const code_layouts *c, uint32_t side, tacho_error *err)
{
    char *data[2] = {NULL, NULL};
    size_t size[2] = {0, 0};
    bool read = c->o.layouts > 1;
    for (uint32_t i = 0; i < 2 && read; i++)
        read = !tacho_file_read(argv_of(c, side, i)[0], largest_object, &data[i], &size[i]);
    bool same = read && size[0] == size[1] && !memcmp(data[0], data[1], size[0]);
    TACHO_MEM_FREE(data[0], data[1]);
    return same ? tacho_error_set(err, TACHO_ERR_INPUT,
                                  "the code of %c cannot be moved: its link command makes the same program "
                                  "of its object files in any order (link-time optimisation, archives?)",
                                  "AB"[side])
                : 0;
}

int code_layouts_make(code_layouts **out, const code_layouts_options *options, tacho_compare_code *counts,
                      bool *stopped, tacho_error *err)
{
    code_layouts *c = tacho_mem_zalloc(1, sizeof *c);
    if (!c)
        return tacho_no_memory(err);
    *out = c;
    c->o = *options;
    c->counts = counts;
    c->caller = pthread_self();
    int rc = prepare(c, err);
    parallel_loop loop = {.count = (size_t)SIDES * c->o.layouts,
                          .threads = parallel_processors(),
                          .turn = link_turn,
                          .cancelled = asks_to_stop,
                          .payload = c};
    rc = rc ? rc : parallel_run(&loop, err);
    *stopped |= c->stopped;
    rc = rc == PARALLEL_CANCELLED ? 0 : rc;
    for (uint32_t side = 0; side < SIDES && !rc && !c->stopped; side++)
        rc = check_that_code_moves(c, side, err);
    return rc;
}

char *const *code_layouts_argv(const code_layouts *c, uint32_t side, uint32_t layout)
{
    return argv_of(c, side, layout);
}

void code_layouts_free(code_layouts *c)
{
    if (!c)
        return;
    for (uint32_t side = 0; side < SIDES; side++)
        for (uint32_t i = 0; c->objects[side] && i < c->o.links[side].object_count; i++)
            tacho_mem_free(c->objects[side][i].data);
    if (*c->temporary)
        tacho_scratch_remove(c->temporary);
    arena_free(&c->memory);
    tacho_mem_free(c);
}
