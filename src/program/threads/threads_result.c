/* threads_result.c - from sums to the report's figures, and what matters most. */
#include <math.h>

#include "program/threads/threads_judging.h"

enum {
    MOST_APART = 10,
    MANY_PLACES = 6 /* of a wait, of its holders, of the serial part */
};
static const double matters = 0.1, /* of what could be used */
    crowded_share = 0.5;           /* of the time: more threads than processors */

static void finish_threads(judging *j)
{
    const threads_log *l = j->l;
    for (size_t i = 0; i < l->thread_count; i++) {
        tacho_hot_thread *t = &j->threads[i];
        t->running = l->threads[i].running;
        t->ready = l->threads[i].ready;
        if (j->now[i].samples)
            t->spinning = t->running * (double)j->now[i].spinning_samples / (double)j->now[i].samples;
        j->out.running += t->running;
        j->out.ready += t->ready;
        j->out.spinning += t->spinning;
    }
}

ORDER_AS(most_lost, tacho_thread_wait, ORDER(b->lost, a->lost) ?: ORDER(b->seconds, a->seconds));
ORDER_AS(most_waited, tacho_thread_wait,
         ORDER(is_held(b->kind), is_held(a->kind)) ?: ORDER(b->seconds, a->seconds));
ORDER_BY_FALLING(most_spun, tacho_thread_spin, lost);
ORDER_BY_FALLING(most_apart, tacho_threads_apart, by_chance);

/* Which threads wait for each thing, and for how long. */
static bool finish_waiters(judging *j)
{
    tacho_thread_share *list = arena_alloc(&j->memory, (j->of_threads.count + 1) * sizeof *list);
    amounts_sort(&j->of_threads);
    for (size_t i = 0; list && i < j->of_threads.count; i++) {
        const amount *a = &j->of_threads.list[i];
        tacho_thread_wait *w = &j->waits[a->thing];
        list[i] = (tacho_thread_share){a->place, a->seconds};
        w->waiters = w->thread_count++ ? w->waiters : &list[i];
        w->longest = a->seconds > w->longest ? a->seconds : w->longest;
    }
    return list != NULL;
}

static bool finish_waits(judging *j)
{
    if (!finish_waiters(j))
        return false;
    amounts_sort(&j->places);
    amounts_sort(&j->holders);
    for (size_t i = 0; i < j->out.wait_count; i++) {
        tacho_thread_wait *w = &j->waits[i];
        if (!amounts_places(&j->places, j->l, (uint32_t)i, false, MANY_PLACES, &j->memory, &w->places,
                            &w->place_count) ||
            !amounts_places(&j->holders, j->l, (uint32_t)i, true, MANY_PLACES, &j->memory, &w->holders,
                            &w->holder_count))
            return false;
    }
    tacho_sort(j->waits, j->out.wait_count, sizeof *j->waits, j->out.starved ? most_waited : most_lost);
    j->out.waits = j->waits;
    return amounts_places(&j->alone, j->l, 0, true, MANY_PLACES, &j->memory, &j->out.serial_places,
                          &j->out.serial_place_count);
}

static void finish_spins(judging *j)
{
    size_t count = 0;
    for (size_t k = 0; k < j->loop_count; k++) {
        tacho_thread_spin s = j->spins[k];
        for (size_t i = 0; i < j->l->sample_count; i++) {
            const log_sample *at = &j->samples[i];
            if (at->place == LOG_NONE || j->spin_of[at->place] != (int32_t)k)
                continue;
            s.place.seconds += j->l->threads[at->thread].running / (double)j->now[at->thread].samples;
            if (!s.place.object)
                amounts_fill(&s.place, &j->l->places[at->place]);
        }
        if (s.place.object)
            j->spins[count++] = s;
    }
    tacho_sort(j->spins, count, sizeof *j->spins, most_spun);
    j->out.spins = j->spins;
    j->out.spin_count = count;
}

static double common(const tacho_hot_thread *a, const tacho_hot_thread *b)
{
    const double from = a->from > b->from ? a->from : b->from, to = a->to < b->to ? a->to : b->to;
    return to > from ? to - from : 0;
}

static bool finish_apart(judging *j)
{
    const double least = 0.05, rare = 0.1, seldom = 0.02, briefly = 0.5;
    const size_t count = j->out.thread_count < APART_THREADS ? j->out.thread_count : APART_THREADS;
    tacho_threads_apart *list = arena_alloc(&j->memory, (count * count + 1) * sizeof *list);
    size_t n = 0;
    for (uint32_t a = 0; list && a < count; a++)
        for (uint32_t b = a + 1; b < count; b++) {
            const tacho_hot_thread *one = &j->threads[a], *other = &j->threads[b];
            const double both = common(one, other), together = j->together[a * APART_THREADS + b];
            const double chance = both * j->now[a].wanted / (one->to - one->from) * j->now[b].wanted /
                                  (other->to - other->from);
            if (j->now[a].wanted > least * both && j->now[b].wanted > least * both &&
                both > briefly * j->out.seconds && chance > seldom * both && together < rare * chance)
                list[n++] = (tacho_threads_apart){a, b, together, chance};
        }
    tacho_sort(list, n, sizeof *list, most_apart);
    j->out.apart = list;
    j->out.apart_count = n < MOST_APART ? n : MOST_APART;
    return list != NULL;
}

/* Others have the processors that it wants: other programs, not the looking. */
static bool is_starved(const tacho_hot_threads *o)
{
    const double could = o->wanted < o->processors * o->seconds ? o->wanted : o->processors * o->seconds;
    return o->ready > 0.2 * (o->ready + o->running) && o->running + o->cost < 0.8 * could;
}

/* Of a starved program: whether much of its threads' time goes into waiting for one thing. */
static bool waits_much(const tacho_hot_threads *o)
{
    const double much = 0.3;
    const tacho_thread_wait *w = o->waits;
    return o->starved && o->wait_count && is_held(w->kind) &&
           w->seconds > much * (o->wanted * o->seconds + w->seconds);
}

static tacho_threads_finding find(const judging *j)
{
    const tacho_hot_threads *o = &j->out;
    const double wait = o->wait_count ? o->waits[0].lost : 0, spin = o->spin_count ? o->spins[0].lost : 0,
                 enough = matters * j->could;
    if ((wait >= enough && wait >= spin && wait >= o->serial_lost && wait > 0) || waits_much(o))
        return TACHO_THREADS_WAIT;
    if (spin >= enough && spin >= o->serial_lost && spin > 0)
        return TACHO_THREADS_SPIN;
    if (o->wanted < 0.5 && !(o->serial_lost > 0 && o->serial_lost >= enough))
        return TACHO_THREADS_IDLE;
    if (j->most_present <= 1)
        return TACHO_THREADS_ONE;
    if (o->serial_lost >= enough && o->serial_lost > 0)
        return TACHO_THREADS_SERIAL;
    if (o->crowded >= crowded_share * o->seconds && o->ready >= matters * (o->ready + o->running))
        return TACHO_THREADS_CROWDED;
    return TACHO_THREADS_FINE;
}

bool judging_finish(judging *j)
{
    tacho_hot_threads *o = &j->out;
    o->processors = j->l->processors;
    o->moments = j->l->moment_count;
    o->cost = j->l->cost;
    o->begun = j->l->begun;
    finish_threads(j);
    finish_spins(j);
    o->starved = is_starved(o);
    if (!finish_waits(j) || !finish_apart(j))
        return false;
    o->limit = o->serial_work > 0 ? (o->serial_work + o->parallel_work) / o->serial_work : NAN;
    o->wanted = o->seconds > 0 ? o->wanted / o->seconds : 0;
    o->finding = find(j);
    return !j->of_threads.failed && !j->places.failed && !j->holders.failed && !j->alone.failed;
}
