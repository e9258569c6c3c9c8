/* threads_judge.c - from what was seen moment by moment to what matters. Time stands still between moments:
 * what a thread does at one it does until the next. */
#include <math.h>

#include "base/names.h"
#include "program/threads/threads_judging.h"

/* A sample says where a thread is so long before and after it. */
static const double near_seconds = 0.25;

/* What happens at a moment. */
typedef struct moment {
    double time, seconds;
    uint32_t present, active, useful, blamed; /* present: without those that only wait for work or time */
} moment;

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

static void note_holders(judging *j, const moment *m, uint32_t waiter, uint32_t group, double seconds)
{
    const log_span *span = &j->spans[j->now[waiter].span];
    const uint32_t holder = span->holder;
    if (j->waits[group].kind > TACHO_WAIT_JOIN)
        return;
    if (holder != LOG_NONE) {
        j->waits[group].owned = true;
        const log_wait *w = wait_of(j, holder);
        const uint32_t place = w ? w->place : place_while(j, holder, span, m->time);
        amounts_add(&j->holders, group, place, w ? j->spans[j->now[holder].span].wait : LOG_NONE, seconds);
        return;
    }
    if (log_is_mutex(&j->l->waits[span->wait]))
        return; /* it is being handed over */
    for (size_t n = 0; n < j->here_count; n++) {
        const thread_now *t = &j->now[j->here[n]];
        if (t->active && !t->spins)
            amounts_add(&j->holders, group, place_of(j, j->here[n], m->time), LOG_NONE, seconds / m->useful);
    }
}

static double span_seconds(const judging *j, const log_span *s)
{
    const double *moments = j->l->moments;
    const size_t last = j->l->moment_count - 1;
    const double end = s->end <= last ? moments[s->end] : moments[last] + j->last_seconds;
    return end - moments[s->first];
}

/* Short waits end unseen, or are seen and end before the next moment. By the kernel's account it is known how
 * long the thread slept in all: what it did so unseen counts as waits of the kind in which it was seen, and
 * ran before the next moment. */
static double seconds_of_wait(const judging *j, const moment *m, uint32_t thread)
{
    const log_span *s = &j->spans[j->now[thread].span];
    const double ran = s->running * m->seconds / span_seconds(j, s);
    return fmax(m->seconds + ran * (j->now[thread].unseen - 1), 0);
}

static void note_wait(judging *j, const moment *m, uint32_t thread, double lost)
{
    const uint32_t wait = j->spans[j->now[thread].span].wait, group = j->group_of[wait];
    const log_wait *w = &j->l->waits[wait];
    tacho_thread_wait *out = &j->waits[group];
    const double seconds = seconds_of_wait(j, m, thread);
    const double times = m->seconds > 0 ? seconds / m->seconds : 1;
    out->seconds += seconds;
    amounts_add(&j->of_threads, group, thread, LOG_NONE, seconds);
    if (is_held(w->kind) || (w->kind == TACHO_WAIT_IO && !m->useful)) {
        out->lost += lost * times;
        j->out.lost += lost * (times - 1);
    }
    j->threads[thread].waits[w->kind] += seconds;
    amounts_add(&j->places, group, w->place, LOG_NONE, seconds);
    note_holders(j, m, thread, group, seconds);
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
    const uint32_t lane = j->now[thread].lane;
    const double both = s->running + s->ready, bin = j->out.seconds / TACHO_THREAD_BINS;
    const float running = both > 0 ? (float)(s->running / both) : 1;
    const double from = (m->time - j->l->moments[0]) / bin, to = from + m->seconds / bin;
    for (int n = (int)from; lane != LOG_NONE && n < to && n < TACHO_THREAD_BINS; n++) {
        const double low = from > n ? from : n, high = to < n + 1 ? to : n + 1;
        note_in_bin(&j->lanes[lane].bins[n], wait_of(j, thread), j->now[thread].spins, running,
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

/* For each thread. */
static void find_unseen(judging *j)
{
    const double most = 10; /* what is seen stands for so much, or its cause is not known */
    for (size_t i = 0; i < j->l->span_count; i++) {
        const log_span *s = &j->spans[i];
        thread_now *t = &j->now[s->thread];
        if (s->wait == LOG_NONE)
            t->slept += s->slept;
        else
            t->unseen += s->running;
    }
    for (size_t i = 0; i < j->l->thread_count; i++) {
        thread_now *t = &j->now[i];
        t->unseen = t->unseen > 0 ? fmin(fmax(t->slept / t->unseen, 0), most) : 1;
    }
}

static void judge_moments(judging *j)
{
    const threads_log *l = j->l;
    size_t next = 0;
    const size_t last = l->moment_count - 1;
    j->last_seconds = last ? (l->moments[last] - l->moments[0]) / (double)last : 0; /* the mean */
    j->out.seconds = j->last_seconds * (double)l->moment_count;
    j->most_present = most_present(j);
    find_unseen(j);
    for (uint32_t n = 0; n < l->moment_count; n++) {
        moment m = {.time = l->moments[n],
                    .seconds = n < last ? l->moments[n + 1] - l->moments[n] : j->last_seconds};
        set_spans(j, &next, n);
        judge_moment(j, &m);
        j->serial[n] = m.useful == 1 && j->most_present > 1;
    }
}

/* Processor time in the kernel for waiting and waking is lost, too. */
static void note_call(judging *j, const log_wait *w, uint32_t group, double seconds)
{
    j->waits[group].calls += seconds;
    if (!is_held(w->kind))
        return;
    j->waits[group].lost += seconds;
    j->out.lost += seconds;
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
        if (s->wait != LOG_NONE)
            note_call(j, &j->l->waits[s->wait], j->group_of[s->wait], seconds);
        COUNT_BEFORE(after, l->moment_count, l->moments[after] <= s->time);
        if (s->place != LOG_NONE && j->spin_of[s->place] >= 0)
            continue;
        *(after && j->serial[after - 1] ? &j->out.serial_work : &j->out.parallel_work) += seconds;
        if (after && j->serial[after - 1])
            amounts_add(&j->alone, 0, s->place, LOG_NONE, seconds);
    }
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
    bool ok = judging_prepare(j);
    if (ok && l->moment_count) {
        judge_moments(j);
        divide_work(j);
        ok = judging_finish(j);
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

NAMES_OF(tacho_wait_kind_name, tacho_wait_kind, "", "lock", "allocator", "barrier", "condition", "semaphore",
         "join", "futex", "io", "peer", "child", "sleep", "other")

NAMES_OF(tacho_threads_finding_name, tacho_threads_finding, "", "fine", "one-thread", "idle", "wait", "spin",
         "serial", "crowded")
