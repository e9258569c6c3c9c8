/* clocks.c - who wakes a thread is not recorded (perf's records of switches do not say), and is guessed: the
 * thread that began to wait, or ended, just before or after is the one that handed over; else it is one of
 * those that run, and their mean is taken. Where none runs the waking comes from outside: the time of such a
 * wait is real, so that delays of that time are still owed. */
#include "program/causal/clocks.h"

#include <math.h>

#include "base/mem.h"

static const double handed_over = 100e-6, /* seconds from beginning to wait to the other's running */
    most_late = 200e-6; /* seconds from being let go to running that count as delay; more is for want of a
                           processor */

void clocks_free(clocks *c)
{
    tacho_mem_free(c->list);
}

void clocks_begin(clocks *c, double now)
{
    for (size_t i = 0; i < c->count; i++)
        c->list[i].behind = c->list[i].stolen = c->list[i].credit = 0;
    c->most = c->step = 0;
    c->began = now;
    c->ended.since = 0;
}

thread_clock *clocks_of(clocks *c, uint64_t thread)
{
    for (size_t i = c->count; i-- > 0;)
        if (c->list[i].thread == thread)
            return &c->list[i];
    return NULL;
}

void clocks_appears(clocks *c, uint64_t process, uint64_t thread, uint64_t parent, double time)
{
    const thread_clock *p = clocks_of(c, parent);
    const thread_clock t = {.process = process,
                            .thread = thread,
                            .behind = p ? p->behind : c->most,
                            .stolen = p ? p->stolen : 0,
                            .state = CLOCK_READY,
                            .since = time,
                            .spare = c->spare};
    if (clocks_of(c, thread))
        return;
    c->failed |= tacho_mem_grow(&c->list, &c->capacity, c->count + 1, sizeof t) != 0;
    if (!c->failed)
        c->list[c->count++] = t;
}

static void pass_time(clocks *c, double time)
{
    if (c->running < c->processors && time > c->told)
        c->spare += time - c->told;
    c->told = time > c->told ? time : c->told;
}

static void set_state(clocks *c, thread_clock *t, clock_state state, double time)
{
    c->running += (state == CLOCK_RUNS) - (t->state == CLOCK_RUNS);
    t->state = state;
    t->since = time;
    t->spare = c->spare;
    t->seen = false;
}

void clocks_ends(clocks *c, uint64_t thread, double time)
{
    thread_clock *t = clocks_of(c, thread);
    if (!t)
        return;
    pass_time(c, time);
    c->running -= t->state == CLOCK_RUNS;
    c->ended = *t;
    c->ended.since = time;
    *t = c->list[--c->count];
}

/* ---- waking ---- */

static bool stands(const thread_clock *t)
{
    return t->stood > 0 && !(t->gone > 0);
}

/* The clock of the thread that has woken this one. @return false: nobody has */
static bool find_waker(const clocks *c, const thread_clock *woken, double time, thread_clock *out, bool *sure)
{
    const thread_clock *last = &c->ended;
    size_t running = 0;
    *out = (thread_clock){.behind = 0};
    for (size_t i = 0; i < c->count; i++) {
        const thread_clock *t = &c->list[i];
        if (t == woken || stands(t))
            continue;
        if (t->state == CLOCK_RUNS) {
            out->behind += t->behind;
            out->credit += t->credit;
            out->stolen += t->stolen;
            running++;
        } else if (t->state == CLOCK_WAITS && !t->outside && t->since > last->since) {
            last = t;
        }
    }
    out->behind /= running ? (double)running : 1;
    out->credit /= running ? (double)running : 1;
    out->stolen /= running ? (double)running : 1;
    const bool handed = last->since > 0 && time - last->since <= handed_over;
    if (handed)
        *out = *last;
    *sure = handed || running < 2;
    return handed || running;
}

/* It goes on at the later one of two times by the clocks: when it began to wait, and when it was woken. What
 * samples save comes in steps, which may be longer than the wait, or be missing in it: what is over is kept
 * for the next one. */
static void inherit(const clocks *c, thread_clock *t, const thread_clock *by)
{
    const double most_steps = 4;
    const double all = fmin(t->own_behind + t->own_stolen + t->waited, by->behind + by->credit + by->stolen);
    t->stolen = fmin(by->stolen, all);
    t->behind = all - t->stolen;
    t->credit = fmin(by->behind + by->credit - t->behind, most_steps * c->step);
}

static void wake(const clocks *c, thread_clock *t, double time)
{
    bool sure;
    thread_clock by;
    if (t->outside || !find_waker(c, t, time, &by, &sure))
        return;
    t->waited = time - fmax(t->since, c->began);
    t->own_behind = t->behind;
    t->own_stolen = t->stolen;
    inherit(c, t, &by);
    t->woken = sure ? 0 : time;
}

/* Somebody waits: who has come just before was woken by that one, if it was not sure by whom. */
static void make_sure(clocks *c, const thread_clock *by, double time)
{
    for (size_t i = 0; i < c->count; i++) {
        thread_clock *t = &c->list[i];
        if (t == by || !(t->woken > c->began) || time - t->woken > handed_over)
            continue;
        inherit(c, t, by);
        t->woken = 0;
    }
}

/* Whether it has been asked to stand, and is not let go yet. */
static bool is_ours(const thread_clock *t, double time)
{
    return t->asked > 0 && time >= t->asked && (!(t->gone > 0) || time <= t->gone);
}

void clocks_runs(clocks *c, uint64_t process, uint64_t thread, double time)
{
    pass_time(c, time);
    if (!clocks_of(c, thread))
        clocks_appears(c, process, thread, 0, time);
    thread_clock *t = clocks_of(c, thread);
    if (!t || (is_ours(t, time) && (t->left > 0 || t->state == CLOCK_WAITS)))
        return;
    if (t->resumes) {
        const double late = time - t->gone;
        t->behind += fmin(late, most_late);
        t->stolen += c->running <= c->processors ? fmax(late - most_late, 0) : 0;
    } else if (t->state == CLOCK_WAITS) {
        wake(c, t, time);
    } else if (t->state == CLOCK_READY) {
        t->stolen += c->spare - t->spare;
    }
    t->resumes = false;
    set_state(c, t, CLOCK_RUNS, time);
}

void clocks_leaves(clocks *c, uint64_t thread, double time, bool preempted)
{
    thread_clock *t = clocks_of(c, thread);
    pass_time(c, time);
    if (!t || (t->state == CLOCK_WAITS && is_ours(t, time)))
        return;
    if (preempted || !is_ours(t, time)) {
        if (!preempted && !t->outside)
            make_sure(c, t, time);
        set_state(c, t, preempted ? CLOCK_READY : CLOCK_WAITS, time);
    } else if (!(t->left > 0)) { /* the delay begins */
        t->left = time;
        t->behind += t->gone > 0 && t->stood > 0 ? t->stood - time : 0;
    }
}

void clocks_saves(clocks *c, uint64_t thread, double saved)
{
    thread_clock *t = clocks_of(c, thread);
    if (!t)
        return;
    t->behind += saved;
    c->step = saved;
    t->woken = 0;
    c->most = fmax(c->most, t->behind);
}

void clocks_watched(clocks *c, uint64_t thread, double seconds)
{
    thread_clock *t = clocks_of(c, thread);
    if (t)
        t->stolen += seconds;
}

/* ---- delays ---- */

void clocks_asks(thread_clock *t, double time)
{
    t->asked = time;
    t->left = t->stood = t->gone = 0;
    t->resumes = false;
}

void clocks_stands(thread_clock *t, double time)
{
    t->stood = time;
}

void clocks_spared(thread_clock *t, double time)
{
    t->gone = time;
}

static double began(const thread_clock *t)
{
    return t->left > 0 ? t->left : t->stood;
}

void clocks_goes(clocks *c, thread_clock *t, double time)
{
    t->behind += time - fmax(began(t), c->began);
    t->gone = time;
    t->resumes = true;
}

double clocks_owed(const clocks *c, const thread_clock *t)
{
    return t->state == CLOCK_WAITS ? 0 : c->most - t->behind - t->credit;
}

double clocks_left(const clocks *c, const thread_clock *t, double now)
{
    return c->most - t->behind - t->credit - (now - began(t));
}

double clocks_time(clocks *c, uint64_t thread, double time)
{
    const thread_clock *t = clocks_of(c, thread);
    return time - (t ? t->behind + t->stolen : c->most);
}
