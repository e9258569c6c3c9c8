/* threads_groups.c - before a log is judged: waits for one thing are one group, samples lie in loops that
 * spin or not, and all is sorted. */
#include <math.h>

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
    return a->data ? a->data == b->data && a->process == b->process && a->made == b->made &&
                         a->made_for == b->made_for
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

/* Where a lock was made, and for whom. @return false: memory ran out */
static bool find_makers(judging *j, const log_wait *from, tacho_thread_wait *w)
{
    const uint32_t places[] = {from->made, from->made_for};
    if (from->made == LOG_NONE)
        return true;
    tacho_thread_place *list = arena_alloc(&j->memory, 2 * sizeof *list);
    for (; list && w->maker_count < 2 && places[w->maker_count] != LOG_NONE; w->maker_count++)
        amounts_fill(&list[w->maker_count], &j->l->places[places[w->maker_count]]);
    w->makers = list;
    return list != NULL;
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
        j->waits[count] = (tacho_thread_wait){.kind = w->kind,
                                              .call = w->call,
                                              .name = w->name,
                                              .offset = w->offset,
                                              .process = w->process,
                                              .data = w->data,
                                              .calls = l->in_kernel ? 0 : NAN};
        ok &= find_makers(j, w, &j->waits[count++]);
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

/* When each thread is there; those of one name that come one after the other share a lane. */
static void find_lives(judging *j)
{
    const threads_log *l = j->l;
    for (size_t i = 0; i < l->thread_count; i++)
        j->threads[i] = (tacho_hot_thread){
            .process = l->threads[i].process,
            .thread = l->threads[i].thread,
            .name = l->threads[i].name,
            .start = l->threads[i].start == LOG_NONE ? NULL : l->places[l->threads[i].start].function,
            .from = NAN};
    for (size_t i = 0; i < l->span_count; i++) {
        tacho_hot_thread *t = &j->threads[j->spans[i].thread];
        const uint32_t end = j->spans[i].end, last = (uint32_t)l->moment_count - 1;
        const double from = l->moments[j->spans[i].first] - l->moments[0];
        t->from = t->from <= from ? t->from : from;
        t->to = l->moments[end < last ? end : last] - l->moments[0];
    }
}

static void find_lanes(judging *j)
{
    double to[TACHO_THREAD_LANES];
    size_t count = 0;
    for (uint32_t i = 0; i < j->l->thread_count; i++) {
        const tacho_hot_thread *t = &j->threads[i];
        size_t k = 0;
        j->now[i].lane = LOG_NONE;
        if (isnan(t->from))
            continue;
        while (k < count && !(to[k] <= t->from && !strcmp(j->threads[j->lanes[k].first].name, t->name)))
            k++;
        j->out.without_lane += k == TACHO_THREAD_LANES;
        if (k == TACHO_THREAD_LANES)
            continue;
        if (k == count)
            j->lanes[count++].first = i;
        j->now[i].lane = (uint32_t)k;
        j->lanes[k].thread_count++;
        to[k] = t->to;
    }
    j->out.threads = j->threads;
    j->out.thread_count = j->l->thread_count;
    j->out.lanes = j->lanes;
    j->out.lane_count = count;
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
        !ROOM(j, lanes, TACHO_THREAD_LANES) || !ROOM(j, together, APART_THREADS * APART_THREADS))
        return false;
    if (l->span_count)
        memcpy(j->spans, l->spans, l->span_count * sizeof *j->spans);
    if (l->sample_count)
        memcpy(j->samples, l->samples, l->sample_count * sizeof *j->samples);
    tacho_sort(j->spans, l->span_count, sizeof *j->spans, by_first);
    find_spins(j);
    find_samples(j);
    find_lives(j);
    find_lanes(j);
    return find_groups(j);
}
