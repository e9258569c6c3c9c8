/* tally.c - a profile as it grows: processes and what is mapped in them, from the same events that tell of
 * samples, so that each sample is put down to the file that lay there at that time. */
#include <limits.h>
#include <signal.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/proc.h"
#include "base/search.h"
#include "base/str.h"
#include "program/causal/causal.h"
#include "program/hot/hot_windows.h"
#include "program/threads/threads.h"

enum {
    MAX_SAME_PATH = 256 /* files of one path that are told apart; from then on each mapping is one more */
};

hot_tally *tally_new(void)
{
    hot_tally *b = tacho_mem_zalloc(1, sizeof *b);
    if (!b)
        return NULL;
    double unknown = __builtin_nan("");
    if (getrandom(&b->seed, sizeof b->seed, GRND_NONBLOCK) != sizeof b->seed)
        b->seed = hash_mix((uint64_t)time(NULL) << 32 ^ (uint64_t)getpid());
    b->profile.event = b->event;
    b->profile.missing = b->missing;
    b->profile.no_windows = b->no_windows;
    b->profile.no_watch = b->no_watch;
    b->profile.not_saved = b->not_saved;
    b->profile.skid = "";
    b->profile.hz = b->profile.seconds = b->profile.user_seconds = b->profile.system_seconds = unknown;
    b->profile.seconds_per_weight = b->profile.cycles_per_weight = unknown;
    return b;
}

static void forget_maps(hot_process *p)
{
    maps_drop(p->maps);
    p->maps = NULL;
}

static void free_processes(hot_tally *b)
{
    for (size_t i = 0; i < b->process_count; i++)
        forget_maps(&b->processes[i]);
    hash_index_free(&b->by_pid);
    tacho_mem_free(b->processes);
    b->processes = NULL;
    b->process_count = b->process_capacity = 0;
}

void tally_free(hot_tally *b)
{
    if (!b)
        return;
    hot_windows_free(b->windows);
    threads_free(b->threads);
    if (b->threads_saved)
        log_free(b->threads_saved);
    tacho_mem_free(b->threads_saved);
    causal_free(b->causal);
    free_processes(b);
    pairs_free(&b->pairs);
    warnings_free(&b->warnings);
    TACHO_MEM_FREE(b->objects, b->places, b->rounds);
    hash_index_free(&b->by_path);
    hash_index_free(&b->by_place);
    hash_index_free(&b->by_round);
    arena_free(&b->texts);
    tacho_mem_free(b);
}

int tally_warn(hot_tally *b, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int rc = warnings_add(&b->warnings, HOT_MAX_WARNINGS, format, args);
    va_end(args);
    b->profile.warnings = b->warnings.list;
    b->profile.warning_count = b->warnings.count;
    return rc;
}

/* ---- objects ---- */

/* Names of mappings without a file, or of files that only hold code made at run time. */
static tacho_hot_kind kind_of(const char *path)
{
    if (tacho_starts_with(path, "[vdso"))
        return TACHO_HOT_OBJECT_VDSO;
    if (proc_is_memory(path))
        return TACHO_HOT_OBJECT_MEMORY;
    return TACHO_HOT_OBJECT_FILE;
}

static bool same_file(const tacho_hot_object *o, const hot_file_id *id)
{
    if (o->build_id_bytes && id->build_id_bytes)
        return o->build_id_bytes == id->build_id_bytes &&
               !memcmp(o->build_id, id->build_id, o->build_id_bytes);
    return !o->inode || !id->inode ||
           (o->inode == id->inode && o->device_major == id->major && o->device_minor == id->minor);
}

uint64_t tally_hash(const hot_tally *b, const char *path)
{
    uint64_t hash = b->seed;
    for (const char *c = path; *c; c++)
        hash = hash_mix(hash ^ (uint8_t)*c);
    return hash;
}

/* The number of an object, which is new if need be. */
static int object_of(hot_tally *b, tacho_hot_kind kind, const char *path, const hot_file_id *id, uint64_t pid,
                     uint32_t *out)
{
    static const char *const names[] = {"", "[vdso]", "[memory]", "[unknown]"};
    if (kind != TACHO_HOT_OBJECT_FILE)
        path = names[kind];
    uint64_t process = kind == TACHO_HOT_OBJECT_MEMORY ? pid : 0;
    uint64_t hash = hash_mix(tally_hash(b, path) ^ process);
    hash_probe probe = hash_find(&b->by_path, hash);
    int tries = 0;
    for (; tries < MAX_SAME_PATH && hash_next(&probe); tries++) {
        const tacho_hot_object *o = &b->objects[probe.item];
        if (o->kind == kind && o->process == process && !strcmp(o->path, path) && same_file(o, id)) {
            *out = probe.item;
            return 0;
        }
    }
    char *copy = arena_text(&b->texts, path);
    if (!copy ||
        tacho_mem_grow(&b->objects, &b->object_capacity, b->profile.object_count + 1, sizeof *b->objects) ||
        (tries < MAX_SAME_PATH && hash_add_item(&b->by_path, hash, (uint32_t)b->profile.object_count)))
        return TACHO_ERR_MEMORY;
    tacho_hot_object *o = &b->objects[b->profile.object_count];
    *o = (tacho_hot_object){.path = copy, .name = tacho_base_name(copy), .kind = kind, .process = process};
    if (kind == TACHO_HOT_OBJECT_FILE) {
        o->inode = id->inode;
        o->device_major = id->major;
        o->device_minor = id->minor;
        o->build_id_bytes = id->build_id_bytes;
        memcpy(o->build_id, id->build_id, sizeof o->build_id);
    }
    *out = (uint32_t)b->profile.object_count++;
    return 0;
}

/* ---- processes ---- */

/* Also one that is gone. */
static hot_process *find_process(const hot_tally *b, uint64_t pid)
{
    hash_probe probe = hash_find(&b->by_pid, hash_mix(b->seed ^ pid));
    while (hash_next(&probe))
        if (b->processes[probe.item].pid == pid)
            return &b->processes[probe.item];
    return NULL;
}

hot_process *tally_process(const hot_tally *b, uint64_t pid)
{
    hot_process *p = find_process(b, pid);
    return p && p->threads ? p : NULL;
}

static hot_process *make_process(hot_tally *b, uint64_t pid)
{
    hot_process *known = find_process(b, pid);
    if (known && known->threads)
        return known;
    if (!known) {
        size_t n = b->process_count;
        if (n >= HASH_INDEX_NONE - 1 ||
            tacho_mem_grow(&b->processes, &b->process_capacity, n + 1, sizeof *b->processes) ||
            hash_add_item(&b->by_pid, hash_mix(b->seed ^ pid), (uint32_t)n))
            return NULL;
        known = &b->processes[b->process_count++];
    }
    *known = (hot_process){.pid = pid, .threads = 1};
    b->profile.process_count++;
    return known;
}

int tally_fork(hot_tally *b, uint64_t parent, uint64_t pid)
{
    hot_process *p = make_process(b, pid);
    const hot_process *from = tally_process(b, parent);
    if (!p)
        return TACHO_ERR_MEMORY;
    p->threads = 1;
    if (from == p)
        from = NULL;
    forget_maps(p);
    if (from) {
        p->stale = from->stale;
        p->maps = maps_share(from->maps);
        p->dump = from->dump;
    }
    return 0;
}

int tally_thread(hot_tally *b, uint64_t pid)
{
    hot_process *p = make_process(b, pid);
    if (!p)
        return TACHO_ERR_MEMORY;
    p->threads++;
    b->profile.thread_count++;
    return 0;
}

void tally_exit(hot_tally *b, uint64_t pid)
{
    hot_process *p = tally_process(b, pid);
    if (p && !--p->threads)
        forget_maps(p);
}

size_t tally_signal(const hot_tally *b, int signal)
{
    size_t there = 0;
    for (size_t i = 0; i < b->process_count; i++)
        if (b->processes[i].threads && b->processes[i].pid && b->processes[i].pid <= INT_MAX &&
            !kill((pid_t)b->processes[i].pid, signal))
            there++;
    return there;
}

int tally_exec(hot_tally *b, uint64_t pid)
{
    hot_process *p = make_process(b, pid);
    if (!p)
        return TACHO_ERR_MEMORY;
    forget_maps(p);
    areas_forget(&b->pairs, pid);
    p->dump = NULL;
    p->samples = 0;
    p->stale = true;
    return 0;
}

/* ---- mappings ---- */

const hot_map *tally_find(const hot_process *p, uint64_t address)
{
    return maps_find(p->maps, address);
}

/* jit-PID.dump, as perf's tools know it */
static bool is_dump(const char *path)
{
    const char *name = tacho_base_name(path);
    size_t length = strlen(name);
    return *path == '/' && tacho_starts_with(name, "jit-") && length > 9 &&
           !strcmp(name + length - 5, ".dump");
}

int tally_map(hot_tally *b, uint64_t pid, uint64_t start, uint64_t length, uint64_t offset, const char *path,
              const hot_file_id *id)
{
    hot_process *p = make_process(b, pid);
    hot_map m = {.start = start, .end = start + length, .offset = offset};
    tacho_hot_kind kind = kind_of(path);
    if (!p || object_of(b, kind, path, id, pid, &m.object))
        return TACHO_ERR_MEMORY;
    if (is_dump(path))
        p->dump = b->objects[m.object].path;
    if (!length || start + length < start)
        return 0;
    if (kind == TACHO_HOT_OBJECT_MEMORY)
        m.offset = start; /* code there has no other name than its address */
    else if (kind == TACHO_HOT_OBJECT_VDSO)
        m.offset = 0;
    return maps_put(&p->maps, &m, hash_mix(b->seed ^ ++b->rank)) ? TACHO_ERR_MEMORY : 0;
}

int tally_read_maps(hot_tally *b, uint64_t pid)
{
    proc_map m;
    hot_process *p = make_process(b, pid);
    if (!p)
        return TACHO_ERR_MEMORY;
    FILE *f = proc_open_maps((pid_t)pid);
    int rc = 0;
    p->stale = false;
    if (!f)
        return 0;
    forget_maps(p);
    while (!rc && proc_next_code(f, &m)) {
        const hot_file_id id = {.inode = m.inode, .major = m.major, .minor = m.minor};
        rc = tally_map(b, pid, m.start, m.end - m.start, m.offset, m.path, &id);
    }
    fclose(f);
    return rc;
}

/* ---- samples ---- */

static int count_at(hot_tally *b, uint32_t object, uint64_t offset, double weight)
{
    uint64_t hash = hash_mix(hash_mix(b->seed ^ object) ^ offset);
    hash_probe probe = hash_find(&b->by_place, hash);
    while (hash_next(&probe) &&
           (b->places[probe.item].offset != offset || b->places[probe.item].object != object))
        ;
    uint32_t at = probe.item;
    if (at == HASH_INDEX_NONE) {
        at = (uint32_t)b->profile.place_count;
        if (at == HASH_INDEX_NONE - 1 ||
            tacho_mem_grow(&b->places, &b->place_capacity, at + (size_t)1, sizeof *b->places) ||
            hash_add_item(&b->by_place, hash, at))
            return TACHO_ERR_MEMORY;
        b->places[at] = (tacho_hot_sample){.offset = offset, .object = object};
        b->profile.place_count++;
    }
    b->places[at].samples++;
    b->places[at].weight += weight;
    b->objects[object].samples++;
    b->objects[object].weight += weight;
    return 0;
}

int tally_sample(hot_tally *b, uint64_t pid, uint64_t address, double weight)
{
    static const hot_file_id none;
    const hot_process *p = tally_process(b, pid);
    const hot_map *m = p ? tally_find(p, address) : NULL;
    uint32_t object;
    uint64_t offset = m ? m->offset + (address - m->start) : address;
    if (m)
        object = m->object;
    else if (object_of(b, TACHO_HOT_OBJECT_UNKNOWN, "", &none, 0, &object))
        return TACHO_ERR_MEMORY;
    b->profile.samples++;
    b->profile.weight += weight;
    b->profile.weight_squares += weight * weight;
    return count_at(b, object, offset, weight);
}

/* ---- rounds of loops, from branch records ---- */

static int count_round(hot_tally *b, const tacho_hot_round *r)
{
    uint64_t hash =
        hash_mix(hash_mix(hash_mix(hash_mix(b->seed ^ r->object) ^ r->target) ^ r->low) ^ r->high);
    hash_probe probe = hash_find(&b->by_round, hash);
    while (hash_next(&probe)) {
        const tacho_hot_round *k = &b->rounds[probe.item];
        if (k->object == r->object && k->target == r->target && k->low == r->low && k->high == r->high)
            break;
    }
    uint32_t at = probe.item;
    if (at == HASH_INDEX_NONE) {
        at = (uint32_t)b->profile.round_count;
        if (tacho_mem_grow(&b->rounds, &b->round_capacity, at + (size_t)1, sizeof *b->rounds) ||
            hash_add_item(&b->by_round, hash, at))
            return TACHO_ERR_MEMORY;
        b->rounds[at] = *r;
        b->rounds[at].count = 0;
        b->rounds[at].cycles = 0;
        b->profile.round_count++;
    }
    b->rounds[at].count++;
    b->rounds[at].cycles += r->cycles;
    return 0;
}

/* From the jump `i` back to the one before it to the same place, if both and all between are in one mapping.
 */
static int round_before(hot_tally *b, const hot_map *m, const hot_branch *branches, size_t count, size_t i)
{
    uint64_t target = branches[i].to, low = target, high = branches[i].from, cycles = 0;
    for (size_t k = i; k < count; k++) {
        const hot_branch *x = &branches[k];
        if (k > i && x->to == target) {
            tacho_hot_round r = {.object = m->object,
                                 .target = target - m->start + m->offset,
                                 .low = low - m->start + m->offset,
                                 .high = high - m->start + m->offset,
                                 .cycles = (double)cycles};
            return count_round(b, &r);
        }
        if (!x->cycles || x->from < m->start || x->from >= m->end || x->to < m->start || x->to >= m->end)
            return 0;
        cycles += x->cycles;
        low = x->to < low ? x->to : x->from < low ? x->from : low;
        high = x->from > high ? x->from : x->to > high ? x->to : high;
    }
    return 0;
}

int tally_branches(hot_tally *b, uint64_t pid, const hot_branch *branches, size_t count)
{
    const hot_process *p = tally_process(b, pid);
    int rc = 0;
    for (size_t i = 0; p && i + 1 < count && !rc; i++) {
        const hot_map *m = branches[i].to <= branches[i].from ? tally_find(p, branches[i].to) : NULL;
        if (m)
            rc = round_before(b, m, branches, count, i);
    }
    return rc;
}

/* ---- the end ---- */

static int by_samples(const void *a, const void *b, void *payload)
{
    const tacho_hot_object *objects = payload;
    const tacho_hot_object *x = &objects[*(const uint32_t *)a], *y = &objects[*(const uint32_t *)b];
    return ORDER(y->weight, x->weight) ?: strcmp(x->path, y->path);
}

ORDER_BY_TWO(by_place, tacho_hot_sample, object, offset);

ORDER_AS(by_target, tacho_hot_round,
         ORDER(a->object, b->object) ?: ORDER(a->target, b->target) ?: ORDER(a->low, b->low)
             ?: ORDER(a->high, b->high));

/* Objects without samples go, the others come in order. */
static int sort_objects(hot_tally *b)
{
    size_t count = b->profile.object_count;
    uint32_t *order = tacho_mem_zalloc(count + 1, 2 * sizeof *order), *rank = order ? order + count : NULL;
    tacho_hot_object *sorted = tacho_mem_zalloc(count + 1, sizeof *sorted);
    if (!order || !sorted) {
        tacho_mem_free(order);
        tacho_mem_free(sorted);
        return TACHO_ERR_MEMORY;
    }
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    qsort_r(order, count, sizeof *order, by_samples, b->objects);
    b->profile.object_count = 0;
    for (size_t i = 0; i < count; i++) {
        rank[order[i]] = (uint32_t)i;
        sorted[i] = b->objects[order[i]];
        b->profile.object_count += sorted[i].samples > 0;
    }
    for (size_t i = 0; i < b->profile.place_count; i++)
        b->places[i].object = rank[b->places[i].object];
    for (size_t i = 0; i < b->profile.round_count; i++)
        b->rounds[i].object = rank[b->rounds[i].object];
    pairs_finish(&b->pairs, rank);
    tacho_mem_free(order);
    tacho_mem_free(b->objects);
    b->objects = sorted;
    return 0;
}

int tally_finish(hot_tally *b)
{
    tacho_hot_profile *p = &b->profile;
    for (size_t i = 0; i < p->object_count; i++) {
        const hot_process *of = b->objects[i].process ? find_process(b, b->objects[i].process) : NULL;
        b->objects[i].dump = of ? of->dump : NULL;
    }
    free_processes(b);
    if (sort_objects(b))
        return TACHO_ERR_MEMORY;
    tacho_sort(b->places, p->place_count, sizeof *b->places, by_place);
    tacho_sort(b->rounds, p->round_count, sizeof *b->rounds, by_target);
    p->objects = b->objects;
    p->places = b->places;
    p->rounds = b->rounds;
    p->pairs = b->pairs.count ? &b->pairs : NULL;
    return 0;
}
