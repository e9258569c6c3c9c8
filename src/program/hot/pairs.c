/* pairs.c - which samples make a pair, and which samples are kept.
 *
 * The CPU clock's event takes a sample whenever the thread has had a processor for so long. So two samples
 * that are one period apart have nothing else between them; where more time has passed the thread had to wait
 * in between, and how long is not known: two periods may be one, and as long a wait for another program. */
#include <math.h>

#include "base/hash.h"
#include "base/mem.h"
#include "program/hot/hot_internal.h"
#include "x86/decode/regs.h"

enum {
    MOST_DISTANCE = 1 << 20, /* bytes of code */
    FIRST_LOOK = 64 /* samples of a process: then its mappings are looked at; and when these have doubled */
};
static const double period_slack = 0.1, most_seconds = 0.05;

static pairs_thread *thread_of(hot_pairs *p, uint64_t thread)
{
    uint64_t hash = hash_mix(thread);
    for (hash_probe probe = hash_find(&p->by_thread, hash); hash_next(&probe);)
        if (p->threads[probe.item].thread == thread)
            return &p->threads[probe.item];
    if (tacho_mem_grow(&p->threads, &p->thread_capacity, p->thread_count + 1, sizeof *p->threads) ||
        hash_add_item(&p->by_thread, hash, (uint32_t)p->thread_count))
        return NULL;
    p->threads[p->thread_count] = (pairs_thread){.thread = thread};
    return &p->threads[p->thread_count++];
}

/* @return NaN: not known */
static double time_between(const pairs_thread *t, const pairs_sample *s)
{
    const double time = s->time - t->time;
    if (s->cycles)
        return s->period;
    if (s->period > 0)
        return fabs(time - s->period) < period_slack * s->period ? time : NAN;
    return time > 0 && time < most_seconds ? time : NAN;
}

static bool is_near(const pairs_thread *t, const pairs_sample *s, uint32_t object, uint64_t offset)
{
    uint64_t distance = offset > t->last.offset ? offset - t->last.offset : t->last.offset - offset;
    return t->process == s->process && t->object == object && distance < MOST_DISTANCE &&
           t->last.registers[RSP] == s->registers[RSP];
}

/* @return NULL: it is not kept. Each has the same chance (Vitter's algorithm R) */
static hot_pair *place_for(hot_pairs *p, int *rc)
{
    uint64_t number = p->seen++;
    if (number >= PAIRS_MOST) {
        p->random = hash_mix(p->random + 1);
        uint64_t at = p->random % p->seen;
        return at < PAIRS_MOST ? &p->list[at] : NULL;
    }
    if (tacho_mem_grow(&p->list, &p->capacity, p->count + 1, sizeof *p->list)) {
        *rc = TACHO_ERR_MEMORY;
        return NULL;
    }
    return &p->list[p->count++];
}

int pairs_add(hot_tally *b, const pairs_sample *s)
{
    hot_process *process = tally_process(b, s->process);
    const hot_map *m = process ? tally_find(process, s->address) : NULL;
    pairs_thread *t = thread_of(&b->pairs, s->thread);
    int rc = 0;
    if (!t)
        return TACHO_ERR_MEMORY;
    if (!m || b->objects[m->object].kind != TACHO_HOT_OBJECT_FILE) {
        t->process = 0;
        return 0;
    }
    hot_moment now = {.offset = m->offset + (s->address - m->start)};
    for (int i = 0; i < PAIRS_REGISTERS; i++)
        now.registers[i] = s->registers[i];
    /* ptrace stops a thread again that has not had a processor since */
    if (t->process == s->process && t->object == m->object && !memcmp(&t->last, &now, sizeof now))
        return 0;
    double time = is_near(t, s, m->object, now.offset) ? time_between(t, s) : NAN;
    hot_pair *pair = place_for(&b->pairs, &rc);
    if (pair)
        *pair = (hot_pair){m->object, s->process, time > 0 ? time : NAN, t->last, now, s->thread, s->time};
    b->pairs.in_cycles = s->cycles;
    *t = (pairs_thread){s->thread, s->process, s->time, m->object, now};
    const uint64_t samples = ++process->samples;
    return !rc && samples >= FIRST_LOOK && !(samples & (samples - 1)) ? areas_read(&b->pairs, s->process)
                                                                      : rc;
}

void pairs_finish(hot_pairs *p, const uint32_t *rank)
{
    for (size_t i = 0; i < p->count; i++)
        p->list[i].object = rank[p->list[i].object];
    areas_sort(p);
    hash_index_free(&p->by_thread);
    tacho_mem_free(p->threads);
    p->threads = NULL;
    p->thread_count = p->thread_capacity = 0;
}

void pairs_free(hot_pairs *p)
{
    hash_index_free(&p->by_thread);
    TACHO_MEM_FREE(p->threads, p->list, p->areas);
}
