/* pattern.c - do the retirements repeat? This is the third way in which steady.c finds the steady state. It
 * sees only when iterations retire, which says nothing about the rest of the machine's state. How long a
 * pattern must have repeated depends on what could still disturb it:
 *
 * - It is as slow as the highest bound, and no chain of latencies takes more than half of that. Nothing can
 *   be faster, and a cycle that is lost somewhere is made up for. A port that is busy in every cycle stays
 *   so, however full the scheduler becomes. Where the front end is the limit, the scheduler must not fill.
 * - It is as slow as a chain from iteration to iteration. A cycle that one of its links loses to an older µop
 *   is lost for good. That happens when the scheduler is full, at intervals of up to the time that all its
 *   µops take to leave.
 * - Otherwise several limits are in balance, and the balance can tip although nothing shows before.
 *
 * When an iteration will retire is known as soon as it is issued: the cycles of retirements can lie far ahead
 * of the simulated one. */
#include "model/sim/steady.h"

#include <math.h>
#include <string.h>

static int32_t retired_at(const sim *s, uint32_t iteration)
{
    return s->retired[iteration].cycle;
}

static int32_t cycles_between(const sim *s, uint32_t first, uint32_t last)
{
    return retired_at(s, last) - retired_at(s, first);
}

static bool same(double a, double b)
{
    return fabs(a - b) < 1e-9;
}

/* Sets the pace to `each` cycles per iteration. Sets none where no pattern of this pace is short enough to be
 * looked for. */
static void set_pace(retirement_pace *p, double each, uint32_t most_cycles)
{
    *p = (retirement_pace){.period = 0};
    for (uint32_t period = 1; each > 0 && period <= PATTERN_PERIOD_MAX && each * period <= most_cycles;
         period++) {
        int32_t cycles = (int32_t)(each * period + 0.5);
        if (!same(each * period, cycles))
            continue;
        p->period = period;
        p->cycles = cycles;
        return;
    }
}

/* Whether the stack engine's offset drifts: it changes in each iteration and is never reset. Only its limited
 * width ends that, by one more µop after many iterations, which no bound counts. */
static bool stack_drifts(const sim *s)
{
    int delta = 0;
    for (uint32_t k = 0; s->b->has_stack && k < s->b->insn_count; k++) {
        if (s->prog.insns[k].uses_rsp || s->prog.insns[k].resets_stack)
            return false;
        delta += s->prog.insns[k].stack_delta;
    }
    return delta != 0;
}

void pattern_reset(retirement_pattern *p, const sim *s, const steady_bounds *bounds)
{
    double highest = bounds->highest;
    bool has_slack = 2 * bounds->chain <= highest && !(same(bounds->uops, highest) && stack_drifts(s));
    p->by_front_end = same(bounds->front_end, highest);
    p->filled = UINT32_MAX;
    memset(p->runs, 0, sizeof p->runs);
    p->next_look = p->next_long_look = 0;
    p->before_least = 0;
    uint32_t cycles = s->options->min_cycles;
    set_pace(&p->at_bound, has_slack ? highest : 0, cycles);
    set_pace(&p->at_chain, bounds->chain, cycles);
    double iterations = fmin(PATTERN_CHAIN_ITERATIONS * bounds->chain, cycles / 4 * STEADY_TIPPING_QUARTERS);
    p->chain_window = (int32_t)fmax(iterations, cycles / 5 * PATTERN_CHAIN_FIFTHS);
}

/* The begin of the run of iterations up to `last` in which each retires the same number of cycles after the
 * one `period` before it. What an earlier call has found is not searched again. */
static uint32_t begin_of_run(retirement_pattern *p, const sim *s, uint32_t last, uint32_t period)
{
    pattern_run *known = &p->runs[period];
    int32_t cycles = cycles_between(s, last - period, last);
    uint32_t begin = last;
    while (begin > period && begin > known->last &&
           cycles_between(s, begin - 1 - period, begin - 1) == cycles)
        begin--;
    if (begin == known->last)
        begin = known->begin;
    *known = (pattern_run){.begin = begin, .last = last};
    return begin;
}

/* Whether the distances between retirements, going back from the last one to `first`, repeat every `period`
 * iterations. */
static bool repeats(retirement_pattern *p, const sim *s, uint32_t last, uint32_t first, uint32_t period)
{
    return begin_of_run(p, s, last, period) <= first + period;
}

/* More µops are in flight after some periods than before them. */
static bool fills(const sim *s, uint32_t last, uint32_t first, uint32_t period)
{
    uint32_t earlier = last - (last - first) / period * period;
    return s->retired[last].in_flight > s->retired[earlier].in_flight ||
           sim_store_buffer_fills(s, earlier, last);
}

static void note(steady_state *d, const sim *s, uint32_t last, uint32_t first, uint32_t period)
{
    d->period_iterations = period;
    d->period_cycles = (uint32_t)cycles_between(s, last - period, last);
    d->window_from = first + 1; /* the ports' turns need not have the same period */
    d->window_to = last + 1;
    d->exact = false;
}

/* The period of a pattern that has kept the pace since cycle `since`, 0 if there is none. The pace's `first`
 * is then the iteration with which it began. */
static uint32_t kept_since(retirement_pattern *pattern, retirement_pace *p, const sim *s, uint32_t last,
                           int32_t since)
{
    if (!p->period || since < STEADY_WARM_UP_CYCLES || retired_at(s, 0) > since)
        return 0;
    while (retired_at(s, p->first + 1) <= since)
        p->first++;
    uint32_t most = (last - p->first) / PATTERN_PERIODS;
    if (most > PATTERN_PERIOD_MAX)
        most = PATTERN_PERIOD_MAX;
    int32_t cycles = p->cycles;
    const retirement *begin = &s->retired[p->first], *before = &s->retired[last], *after = begin;
    const int32_t from = begin->cycle, to = before->cycle;
    for (uint32_t period = p->period; period <= most; period += p->period, cycles += p->cycles) {
        before -= p->period;
        after += p->period;
        if (to - before->cycle == cycles && after->cycle - from == cycles &&
            repeats(pattern, s, last, p->first, period))
            return period;
    }
    return 0;
}

/* The cycle that lies `cycles` before the last retirement, but no later than after a third of the run. */
static int32_t begin_of(const sim *s, uint32_t last, uint32_t cycles)
{
    int32_t end = retired_at(s, last), begin = end - (int32_t)cycles;
    return begin < end / 3 ? begin : end / 3;
}

static bool check_bound(steady_state *d, const sim *s, uint32_t last)
{
    retirement_pattern *p = &d->pattern;
    int32_t since = begin_of(s, last, s->options->min_cycles / PATTERN_BOUND_SHARE);
    uint32_t period = kept_since(p, &p->at_bound, s, last, since);
    if (!period || (p->by_front_end && fills(s, last, p->at_bound.first, period)))
        return false;
    note(d, s, last, p->at_bound.first, period);
    return true;
}

/* Whether a pattern that began before the scheduler was full began early enough, and has gone on long enough
 * after that. */
static bool outlasts_filling(retirement_pattern *p, const sim *s, uint32_t last, uint32_t period)
{
    if (p->filled >= last ||
        cycles_between(s, p->filled, last) < (int32_t)(s->options->min_cycles / PATTERN_FULL_SHARE))
        return false;
    int32_t since = begin_of(s, last, s->options->min_cycles / PATTERN_FILLING_SHARE);
    uint32_t first = p->at_chain.first;
    while (first && retired_at(s, first) > since)
        first--;
    return retired_at(s, first) <= since && retired_at(s, first) >= STEADY_WARM_UP_CYCLES &&
           repeats(p, s, last, first, period);
}

static bool check_chain(steady_state *d, const sim *s, uint32_t last)
{
    retirement_pattern *p = &d->pattern;
    uint32_t period = kept_since(p, &p->at_chain, s, last, retired_at(s, last) - p->chain_window);
    uint32_t first = p->at_chain.first;
    if (!period)
        return false;
    bool full = p->filled < s->issued_iterations;
    if (full ? p->filled > first && !outlasts_filling(p, s, last, period) : fills(s, last, first, period))
        return false;
    /* The store buffer is large: it still fills long after the scheduler is full. */
    if (full && s->arch->averages_after_filling && sim_store_buffer_fills(s, first, last))
        return false;
    note(d, s, last, first, period);
    return true;
}

/* Whether the pattern has repeated for as many cycles as it takes to trust it. */
static bool repeats_for_long(steady_state *d, const sim *s, uint32_t last, uint32_t period)
{
    double each = (double)cycles_between(s, last - period, last) / period;
    if (same(each, d->bounds.chain))
        return false;
    int32_t since = retired_at(s, last) - steady_cycles_to_watch(d, s, each, PATTERN_SHARE);
    uint32_t first = last;
    while (first && retired_at(s, first) > since)
        first--;
    return retired_at(s, first) <= since && retired_at(s, first) >= PATTERN_WARM_UP_CYCLES &&
           repeats(&d->pattern, s, last, first, period);
}

static bool check_any(steady_state *d, const sim *s, uint32_t last)
{
    int32_t least = (int32_t)(s->options->min_cycles / PATTERN_SHARE);
    if (last < 2 * PATTERN_PERIODS || retired_at(s, last) < PATTERN_WARM_UP_CYCLES + least)
        return false;
    retirement_pattern *p = &d->pattern;
    while (p->before_least < last && cycles_between(s, p->before_least + 1, last) >= least)
        p->before_least++;
    const uint32_t first = p->before_least;
    if (retired_at(s, first) < PATTERN_WARM_UP_CYCLES || cycles_between(s, first, last) < least ||
        s->retired[last].in_flight > s->retired[first].in_flight + s->arch->issue_width ||
        sim_store_buffer_fills(s, first, last))
        return false;
    for (uint32_t period = 1; period <= PATTERN_PERIOD_MAX; period++) {
        if ((last - first) / PATTERN_PERIODS < period)
            return false;
        if (cycles_between(s, last - 1, last) != cycles_between(s, last - 1 - period, last - period) ||
            !repeats(&d->pattern, s, last, first, period))
            continue;
        if (!repeats_for_long(d, s, last, period))
            return false;
        note(d, s, last, first, period);
        return true;
    }
    return false;
}

bool pattern_check(steady_state *d, const sim *s)
{
    retirement_pattern *p = &d->pattern;
    uint32_t issued = s->issued_iterations;
    if (s->held_up && p->filled == UINT32_MAX)
        p->filled = issued;
    if (s->cycle < p->next_look || issued < 3 || issued >= s->retired_capacity)
        return false;
    p->next_look = s->cycle + PATTERN_LOOK_CYCLES;
    if (check_bound(d, s, issued - 1) || check_chain(d, s, issued - 1))
        return true;
    if (s->cycle < p->next_long_look)
        return false;
    p->next_long_look = s->cycle + PATTERN_LONG_LOOK_CYCLES;
    return check_any(d, s, issued - 1);
}
