/* threads_judge.c - from what was seen moment by moment to what matters. Time stands still between moments:
 * what a thread does at one it does until the next. */
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "program/threads/threads_amounts.h"

enum {
    APART_THREADS = 64, /* pairs are looked at among so many */
    MOST_APART = 10,
    MANY_PLACES = 6 /* of a wait, of its holders, of the serial part */
};
static const double matters = 0.1, /* of what could be used */
    crowded_share = 0.5,           /* of the time: more threads than processors */
    near_seconds = 0.25;           /* a sample says where a thread is so long before and after it */

/* A thread while the moments go by. */
typedef struct thread_now {
    uint32_t span;             /* LOG_NONE: it is not there */
    size_t sample, sample_end; /* of the sorted ones: the last not after the moment, or the first */
    bool active, spins;
    double wanted; /* seconds */
    uint64_t samples, spinning_samples;
} thread_now;

/* What happens at a moment. */
typedef struct moment {
    double time, seconds;
    uint32_t present, active, useful, blamed; /* present: without those that only wait for work or time */
} moment;

typedef struct judging {
    tacho_hot_threads out; /* first: the public pointer is to this */
    arena memory;
    const threads_log *l;
    const log_spin *loops;
    size_t loop_count;
    log_span *spans;     /* by their first moment */
    log_sample *samples; /* by thread and time */
    int32_t *spin_of;    /* of each place: the loop, or -1 */
    uint32_t *group_of;  /* of each wait */
    tacho_thread_wait *waits;
    tacho_thread_spin *spins;
    tacho_hot_thread *threads;
    thread_now *now;
    uint32_t *here; /* the threads that are there */
    size_t here_count;
    double *together;                           /* APART_THREADS squared */
    amounts places, holders, alone, of_threads; /* the last by thread, not by place */
    uint32_t most_present;
    bool *serial; /* of each moment: one thread alone has work */
    double could;
} judging;

/* ---- preparing ---- */

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

static bool prepare(judging *j)
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

/* ---- one moment ---- */

/* The sample of a thread nearest to a moment; they must come in the order of time. @return NULL: none is near
 */
static const log_sample *sample_near(judging *j, uint32_t thread, double time)
{
    thread_now *t = &j->now[thread];
    if (!t->samples)
        return NULL;
    while (t->sample + 1 < t->sample_end && j->samples[t->sample + 1].time <= time)
        t->sample++;
    const log_sample *s = &j->samples[t->sample];
    if (t->sample + 1 < t->sample_end && fabs(s[1].time - time) < fabs(s->time - time))
        s++;
    return fabs(s->time - time) <= near_seconds ? s : NULL;
}

/* Where a thread is that runs. @return LOG_NONE: not known */
static uint32_t place_of(judging *j, uint32_t thread, double time)
{
    const log_sample *s = sample_near(j, thread, time);
    return s ? s->place : LOG_NONE;
}

/* Where a holder was while another thread waited: only what was seen in that very time counts. */
static uint32_t place_while(judging *j, uint32_t holder, const log_span *wait, double time)
{
    const log_sample *s = sample_near(j, holder, time);
    const bool is_last = wait->end >= j->l->moment_count;
    return s && s->time >= j->l->moments[wait->first] && (is_last || s->time <= j->l->moments[wait->end])
               ? s->place
               : LOG_NONE;
}

static const log_wait *wait_of(const judging *j, uint32_t thread)
{
    const uint32_t span = j->now[thread].span;
    return span == LOG_NONE || j->spans[span].wait == LOG_NONE ? NULL : &j->l->waits[j->spans[span].wait];
}

/* Whether another thread of the program holds it up, in a way that is a loss. */
static bool is_held(tacho_wait_kind kind)
{
    return kind == TACHO_WAIT_LOCK || kind == TACHO_WAIT_ALLOCATOR || kind == TACHO_WAIT_BARRIER;
}

/* Whether it waits for what may come from outside, or never. */
static bool is_idle(const log_wait *w)
{
    return w->kind >= TACHO_WAIT_PEER || (w->kind == TACHO_WAIT_FUTEX && w->place == LOG_NONE);
}

static void count_threads(judging *j, moment *m)
{
    for (size_t n = 0; n < j->here_count; n++) {
        const uint32_t i = j->here[n];
        thread_now *t = &j->now[i];
        const log_wait *w = wait_of(j, i);
        t->active = !w;
        m->present += !w || !is_idle(w);
        m->active += t->active;
        m->blamed += w && is_held(w->kind);
        if (!t->active)
            continue;
        const uint32_t place = place_of(j, i, m->time);
        t->spins = place != LOG_NONE && j->spin_of[place] >= 0;
        t->wanted += m->seconds;
        m->useful += !t->spins;
        m->blamed += t->spins;
    }
    if (!m->useful && !m->blamed) /* then files are what holds it up */
        for (size_t n = 0; n < j->here_count; n++) {
            const log_wait *w = wait_of(j, j->here[n]);
            m->blamed += w && w->kind == TACHO_WAIT_IO;
        }
}

/* How many more processors could be used now. */
static double lost_at(judging *j, const moment *m, uint32_t threads)
{
    const uint32_t processors = j->l->processors > 2 ? j->l->processors : 2;
    const uint32_t could = threads < processors ? threads : processors;
    const uint32_t used = m->useful < could ? m->useful : could;
    j->could += could * m->seconds;
    return (could - used) * m->seconds;
}

static void note_holders(judging *j, const moment *m, uint32_t waiter, uint32_t group)
{
    const log_span *span = &j->spans[j->now[waiter].span];
    const uint32_t holder = span->holder;
    if (j->waits[group].kind > TACHO_WAIT_JOIN)
        return;
    if (holder != LOG_NONE) {
        const log_wait *w = wait_of(j, holder);
        const uint32_t place = w ? w->place : place_while(j, holder, span, m->time);
        amounts_add(&j->holders, group, place, w ? j->spans[j->now[holder].span].wait : LOG_NONE, m->seconds);
        return;
    }
    if (log_is_mutex(&j->l->waits[span->wait]))
        return; /* it is being handed over */
    for (size_t n = 0; n < j->here_count; n++) {
        const thread_now *t = &j->now[j->here[n]];
        if (t->active && !t->spins)
            amounts_add(&j->holders, group, place_of(j, j->here[n], m->time), LOG_NONE,
                        m->seconds / m->useful);
    }
}

static void note_wait(judging *j, const moment *m, uint32_t thread, double lost)
{
    const uint32_t wait = j->spans[j->now[thread].span].wait, group = j->group_of[wait];
    const log_wait *w = &j->l->waits[wait];
    tacho_thread_wait *out = &j->waits[group];
    out->seconds += m->seconds;
    amounts_add(&j->of_threads, group, thread, LOG_NONE, m->seconds);
    if (is_held(w->kind) || (w->kind == TACHO_WAIT_IO && !m->useful))
        out->lost += lost;
    j->threads[thread].waits[w->kind] += m->seconds;
    amounts_add(&j->places, group, w->place, LOG_NONE, m->seconds);
    note_holders(j, m, thread, group);
}

static void note_in_bin(tacho_thread_bin *bin, const log_wait *w, bool spins, float running, float share)
{
    if (w) {
        *(is_held(w->kind) ? &bin->lock : &bin->waiting) += share;
        return;
    }
    bin->ready += (1 - running) * share;
    *(spins ? &bin->spinning : &bin->running) += running * share;
}

/* A moment may reach over several of them. */
static void note_in_bins(judging *j, const moment *m, uint32_t thread)
{
    const log_span *s = &j->spans[j->now[thread].span];
    const double both = s->running + s->ready, bin = j->out.seconds / TACHO_THREAD_BINS;
    const float running = both > 0 ? (float)(s->running / both) : 1;
    const double from = (m->time - j->l->moments[0]) / bin, to = from + m->seconds / bin;
    for (int n = (int)from; n < to && n < TACHO_THREAD_BINS; n++) {
        const double low = from > n ? from : n, high = to < n + 1 ? to : n + 1;
        note_in_bin(&j->threads[thread].bins[n], wait_of(j, thread), j->now[thread].spins, running,
                    (float)(high - low));
    }
}

/* Those who want to run at the same time. */
static void note_together(judging *j, const moment *m)
{
    const size_t count = j->l->thread_count < APART_THREADS ? j->l->thread_count : APART_THREADS;
    for (size_t a = 0; a < count; a++)
        for (size_t b = a + 1; j->now[a].span != LOG_NONE && j->now[a].active && b < count; b++)
            if (j->now[b].span != LOG_NONE && j->now[b].active)
                j->together[a * APART_THREADS + b] += m->seconds;
}

static void judge_moment(judging *j, moment *m)
{
    count_threads(j, m);
    const bool serial = m->useful == 1 && !m->blamed && j->most_present > 1;
    const double lost = lost_at(j, m, serial ? j->most_present : m->present);
    const double each = m->blamed ? lost / m->blamed : 0;
    j->out.lost += serial || m->blamed ? lost : 0;
    j->out.serial_lost += serial ? lost : 0;
    j->out.wanted += m->active * m->seconds;
    j->out.crowded += m->active > j->l->processors ? m->seconds : 0;
    for (size_t n = 0; n < j->here_count; n++) {
        const uint32_t i = j->here[n];
        note_in_bins(j, m, i);
        if (!j->now[i].active)
            note_wait(j, m, i, each);
        else if (j->now[i].spins)
            j->spins[j->spin_of[place_of(j, i, m->time)]].lost += each;
    }
    note_together(j, m);
    if (m->useful == 1 && j->most_present > 1)
        j->out.serial += m->seconds;
}

/* ---- all moments ---- */

/* Sets which spans, and threads, are at moment `number`. */
static void set_spans(judging *j, size_t *next, uint32_t number)
{
    size_t left = 0;
    for (; *next < j->l->span_count && j->spans[*next].first <= number; (*next)++) {
        const uint32_t thread = j->spans[*next].thread;
        if (j->now[thread].span == LOG_NONE)
            j->here[j->here_count++] = thread;
        j->now[thread].span = (uint32_t)*next;
    }
    for (size_t i = 0; i < j->here_count; i++) {
        thread_now *t = &j->now[j->here[i]];
        if (j->spans[t->span].end <= number)
            t->span = LOG_NONE;
        else
            j->here[left++] = j->here[i];
    }
    j->here_count = left;
}

/* The most threads that there are at once, but for those that are idle. */
static uint32_t most_present(judging *j)
{
    uint32_t most = 0;
    size_t next = 0;
    for (uint32_t n = 0; n < j->l->moment_count; n++) {
        uint32_t present = 0;
        set_spans(j, &next, n);
        for (size_t i = 0; i < j->here_count; i++) {
            const log_wait *w = wait_of(j, j->here[i]);
            present += !w || (!is_idle(w) && w->kind != TACHO_WAIT_JOIN);
        }
        most = present > most ? present : most;
    }
    for (size_t i = 0; i < j->here_count; i++)
        j->now[j->here[i]].span = LOG_NONE;
    j->here_count = 0;
    return most;
}

static void judge_moments(judging *j)
{
    const threads_log *l = j->l;
    size_t next = 0;
    const double mean = l->moment_count > 1 ? (l->moments[l->moment_count - 1] - l->moments[0]) /
                                                  (double)(l->moment_count - 1)
                                            : 0;
    j->out.seconds = mean * (double)l->moment_count;
    j->most_present = most_present(j);
    for (uint32_t n = 0; n < l->moment_count; n++) {
        moment m = {.time = l->moments[n],
                    .seconds = n + 1 < l->moment_count ? l->moments[n + 1] - l->moments[n] : mean};
        set_spans(j, &next, n);
        judge_moment(j, &m);
        j->serial[n] = m.useful == 1 && j->most_present > 1;
    }
}

/* Work is what has a processor: by samples, each of which stands for as much of its thread's time as others.
 */
static void divide_work(judging *j)
{
    const threads_log *l = j->l;
    for (size_t i = 0; i < l->sample_count; i++) {
        const log_sample *s = &j->samples[i];
        const double seconds = l->threads[s->thread].running / (double)j->now[s->thread].samples;
        size_t after;
        COUNT_BEFORE(after, l->moment_count, l->moments[after] <= s->time);
        if (s->place != LOG_NONE && j->spin_of[s->place] >= 0)
            continue;
        *(after && j->serial[after - 1] ? &j->out.serial_work : &j->out.parallel_work) += seconds;
        if (after && j->serial[after - 1])
            amounts_add(&j->alone, 0, s->place, LOG_NONE, seconds);
    }
}

/* ---- the result ---- */

static void finish_threads(judging *j)
{
    const threads_log *l = j->l;
    for (size_t i = 0; i < l->thread_count; i++) {
        tacho_hot_thread *t = &j->threads[i];
        t->process = l->threads[i].process;
        t->thread = l->threads[i].thread;
        t->name = l->threads[i].name;
        t->running = l->threads[i].running;
        t->ready = l->threads[i].ready;
        t->from = NAN;
        if (j->now[i].samples)
            t->spinning = t->running * (double)j->now[i].spinning_samples / (double)j->now[i].samples;
        j->out.running += t->running;
        j->out.ready += t->ready;
        j->out.spinning += t->spinning;
    }
    for (size_t i = 0; i < l->span_count; i++) {
        tacho_hot_thread *t = &j->threads[j->spans[i].thread];
        const uint32_t last =
            j->spans[i].end < l->moment_count ? j->spans[i].end : (uint32_t)l->moment_count - 1;
        const double first = l->moments[j->spans[i].first] - l->moments[0];
        t->from = t->from <= first ? t->from : first;
        t->to = l->moments[last] - l->moments[0];
    }
    j->out.threads = j->threads;
    j->out.thread_count = l->thread_count;
}

ORDER_AS(most_lost, tacho_thread_wait, ORDER(b->lost, a->lost) ?: ORDER(b->seconds, a->seconds));
ORDER_AS(most_waited, tacho_thread_wait,
         ORDER(is_held(b->kind), is_held(a->kind)) ?: ORDER(b->seconds, a->seconds));
ORDER_BY_FALLING(most_spun, tacho_thread_spin, lost);
ORDER_BY_FALLING(most_apart, tacho_threads_apart, by_chance);

/* How many threads wait for each thing, and for how long. */
static void finish_waiters(judging *j)
{
    for (size_t i = 0; i < j->of_threads.count; i++) {
        const amount *a = &j->of_threads.list[i];
        tacho_thread_wait *w = &j->waits[a->thing];
        w->thread_count++;
        w->longest = a->seconds > w->longest ? a->seconds : w->longest;
    }
}

static bool finish_waits(judging *j)
{
    finish_waiters(j);
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

/* Others have the processors that it wants. */
static bool is_starved(const tacho_hot_threads *o)
{
    const double could = o->wanted < o->processors * o->seconds ? o->wanted : o->processors * o->seconds;
    return o->ready > 0.2 * (o->ready + o->running) && o->running < 0.8 * could;
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

static bool finish(judging *j)
{
    tacho_hot_threads *o = &j->out;
    o->processors = j->l->processors;
    o->moments = j->l->moment_count;
    o->cost = j->l->cost;
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

int threads_judge(tacho_hot_threads **out, const threads_log *l, const log_spin *spins, size_t spin_count)
{
    judging *j = tacho_mem_zalloc(1, sizeof *j);
    *out = NULL;
    if (!j)
        return TACHO_ERR_MEMORY;
    j->l = l;
    j->loops = spins;
    j->loop_count = spin_count;
    bool ok = prepare(j);
    if (ok && l->moment_count) {
        judge_moments(j);
        divide_work(j);
        ok = finish(j);
    }
    amounts_free(&j->of_threads);
    amounts_free(&j->places);
    amounts_free(&j->holders);
    amounts_free(&j->alone);
    if (!ok) {
        tacho_hot_threads_free(&j->out);
        return TACHO_ERR_MEMORY;
    }
    *out = &j->out;
    return 0;
}

void tacho_hot_threads_free(tacho_hot_threads *threads)
{
    judging *j = (judging *)threads;
    if (!j)
        return;
    arena_free(&j->memory);
    tacho_mem_free(j);
}

const char *tacho_wait_kind_name(tacho_wait_kind kind)
{
    static const char *const names[] = {"lock",  "allocator", "barrier", "condition", "semaphore", "join",
                                        "futex", "io",        "peer",    "child",     "sleep",     "other"};
    return (unsigned)kind < TACHO_WAIT_KINDS ? names[kind] : "";
}

const char *tacho_threads_finding_name(tacho_threads_finding finding)
{
    static const char *const names[] = {"fine", "one-thread", "idle", "wait", "spin", "serial", "crowded"};
    return (unsigned)finding < TACHO_THREADS_FINDINGS ? names[finding] : "";
}
