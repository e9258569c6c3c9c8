/* delays.c - a thread is seized and stopped (ptrace) for its delay, and let go after it, so that nothing is
 * traced between delays. Those that wait are not stopped: their clocks inherit from whoever wakes them. */
#include "program/causal/delays.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "base/seconds.h"
#include "program/windows/windows.h"

static const double least_owed = 60e-6, /* seconds; stopping takes some microseconds */
    usual_gap = 0.002, short_gap = 30e-6, most_end = 1;

static bool is_asked(const thread_clock *t)
{
    return t->asked > 0 && !(t->gone > 0);
}

static void let_go(const thread_clock *t, int signal)
{
    ptrace(PTRACE_DETACH, (pid_t)t->thread, NULL, (void *)(intptr_t)signal);
}

static void ask(delays *d, thread_clock *t)
{
    clocks_asks(t, seconds_now());
    if (!ptrace(PTRACE_SEIZE, (pid_t)t->thread, NULL, NULL)) {
        ptrace(PTRACE_INTERRUPT, (pid_t)t->thread, NULL, NULL);
        return;
    }
    d->refused += errno != ESRCH;
    d->error = errno != ESRCH ? errno : d->error;
    clocks_spared(t, seconds_now());
}

/* One that was asked has stopped, perhaps for another reason. @return whether it stands for its delay */
static bool take_stop(delays *d, const clocks *c, thread_clock *t, int status)
{
    const double now = seconds_now();
    const bool asked = status >> 16 == PTRACE_EVENT_STOP && WSTOPSIG(status) == SIGTRAP;
    if (asked && visit_stands_in((pid_t)t->thread) != VISIT_IN_WAIT && clocks_owed(c, t) > 0) {
        clocks_stands(t, now);
        d->count++;
        return true;
    }
    clocks_spared(t, now);
    let_go(t, status >> 16 ? 0 : WSTOPSIG(status));
    return false;
}

/* @return seconds until something is to be done with it */
static double see_to(delays *d, clocks *c, thread_clock *t)
{
    int status;
    if (!(t->stood > 0))
        switch (visit_await((pid_t)t->thread, d->kept, WNOHANG, &status)) {
        case VISIT_SAYS_NOTHING:
            return short_gap;
        case VISIT_IS_GONE:
            clocks_spared(t, seconds_now());
            return usual_gap;
        case VISIT_STANDS:
            if (!take_stop(d, c, t, status))
                return usual_gap;
        }
    const double now = seconds_now(), left = clocks_left(c, t, now);
    if (left > 0)
        return left;
    clocks_goes(c, t, now);
    let_go(t, 0);
    return usual_gap;
}

double delays_turn(delays *d, clocks *c)
{
    double next = usual_gap;
    windows_bury(d->kept); /* some end when they are to stop */
    for (size_t i = 0; i < c->count; i++) {
        thread_clock *t = &c->list[i];
        if (!is_asked(t) && clocks_owed(c, t) > least_owed)
            ask(d, t);
        if (is_asked(t))
            next = fmin(next, see_to(d, c, t));
    }
    return next;
}

void delays_end(delays *d, clocks *c)
{
    const double end = seconds_now() + most_end;
    bool some = true;
    clocks_begin(c, seconds_now()); /* nobody owes anything */
    while (some && seconds_now() < end) {
        some = false;
        for (size_t i = 0; i < c->count; i++)
            if (is_asked(&c->list[i])) {
                see_to(d, c, &c->list[i]);
                some = true;
            }
        seconds_pause(some ? short_gap : 0);
    }
    windows_bury(d->kept);
}
