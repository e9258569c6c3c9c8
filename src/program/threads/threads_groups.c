/* threads_groups.c - before a log is judged: waits for one thing are one group, samples lie in loops that
 * spin or not, and all is sorted. */
#include <string.h>

#include "base/hash.h"
#include "program/threads/threads_judging.h"

ORDER_BY_TWO(by_first, log_span, first, thread);
ORDER_BY_TWO(by_thread, log_sample, thread, time);

static bool same_place(const threads_log *l, uint32_t a, uint32_t b)
{
    if (a == b || a == LOG_NONE || b == LOG_NONE)
        return a == b;
    const log_place *one = &l->places[a], *other = &l->places[b];
    return one->address == other->address && one->object && other->object &&
           !strcmp(one->object, other->object);
}

static bool same_thing(const threads_log *l, const log_wait *a, const log_wait *b)
{
    if (a->kind != b->kind || !a->name != !b->name || !a->data != !b->data)
        return false;
    if (a->name)
        return a->offset == b->offset && !strcmp(a->name, b->name);
    if (a->kind == TACHO_WAIT_ALLOCATOR)
        return a->process == b->process;
    return a->data ? a->data == b->data && a->process == b->process
                   : same_place(l, a->place, b->place) && !strcmp(a->call, b->call);
}

static uint64_t hash_of(const threads_log *l, const log_wait *w)
{
    const uint64_t kind = hash_mix((uint64_t)w->kind);
    if (w->name)
        return hash_add(hash_add(kind, hash_bytes(w->name, strlen(w->name))), w->offset);
    if (w->kind == TACHO_WAIT_ALLOCATOR)
        return hash_add(kind, w->process);
    return w->data ? hash_add(hash_add(kind, w->data), w->process)
                   : hash_add(kind, w->place == LOG_NONE ? 0 : l->places[w->place].address);
}

/* Waits for one thing are one group. */
static bool find_groups(judging *j)
{
    const threads_log *l = j->l;
    hash_index first = {0}; /* waits */
    size_t count = 0;
    bool ok = true;
    for (uint32_t i = 0; i < l->wait_count && ok; i++) {
        const log_wait *w = &l->waits[i];
        const uint64_t hash = hash_of(l, w);
        hash_probe p;
        for (p = hash_find(&first, hash); hash_next(&p) && !same_thing(l, &l->waits[p.item], w);)
            ;
        if (p.item != HASH_INDEX_NONE) {
            j->group_of[i] = j->group_of[p.item];
            continue;
        }
        ok = !hash_add_item(&first, hash, i);
        j->group_of[i] = (uint32_t)count;
        j->waits[count++] = (tacho_thread_wait){.kind = w->kind,
                                                .call = w->call,
                                                .name = w->name,
                                                .offset = w->offset,
                                                .process = w->process,
                                                .data = w->data};
    }
    j->out.wait_count = count;
    hash_index_free(&first);
    return ok;
}

static void find_spins(judging *j)
{
    for (size_t i = 0; i < j->l->place_count; i++) {
        const log_place *p = &j->l->places[i];
        j->spin_of[i] = -1;
        for (size_t k = 0; k < j->loop_count; k++)
            if (p->object && !strcmp(p->object, j->loops[k].object) && p->address >= j->loops[k].start &&
                p->address < j->loops[k].end)
                j->spin_of[i] = (int32_t)k;
    }
}

static void find_samples(judging *j)
{
    const threads_log *l = j->l;
    tacho_sort(j->samples, l->sample_count, sizeof *j->samples, by_thread);
    for (size_t i = 0; i < l->thread_count; i++)
        j->now[i].span = LOG_NONE;
    for (size_t i = l->sample_count; i-- > 0;) {
        thread_now *t = &j->now[j->samples[i].thread];
        t->sample_end = t->sample_end ? t->sample_end : i + 1;
        t->sample = i;
        t->samples++;
        t->spinning_samples += j->samples[i].place != LOG_NONE && j->spin_of[j->samples[i].place] >= 0;
    }
}

#define ROOM(j, list, count)                                                                                 \
    (((j)->list = arena_alloc(&(j)->memory, ((count) + 1) * sizeof *(j)->list)) != NULL)

bool judging_prepare(judging *j)
{
    const threads_log *l = j->l;
    if (!ROOM(j, spans, l->span_count) || !ROOM(j, samples, l->sample_count) ||
        !ROOM(j, spin_of, l->place_count) || !ROOM(j, group_of, l->wait_count) ||
        !ROOM(j, waits, l->wait_count) || !ROOM(j, spins, j->loop_count) ||
        !ROOM(j, threads, l->thread_count) || !ROOM(j, now, l->thread_count) ||
        !ROOM(j, here, l->thread_count) || !ROOM(j, serial, l->moment_count) ||
        !ROOM(j, together, APART_THREADS * APART_THREADS))
        return false;
    if (l->span_count)
        memcpy(j->spans, l->spans, l->span_count * sizeof *j->spans);
    if (l->sample_count)
        memcpy(j->samples, l->samples, l->sample_count * sizeof *j->samples);
    tacho_sort(j->spans, l->span_count, sizeof *j->spans, by_first);
    find_spins(j);
    find_samples(j);
    return find_groups(j);
}
