/* steady.c - has the machine reached its steady state? */
#include "base/hash.h"
#include "model/sim/inner_loop.h"
#include "model/predict/steady.h"

/* ---- retirements ---- */

/* Do the retirements repeat? This is the third way in which the steady state is found. It sees only when
 * iterations retire, which says nothing about the rest of the machine's state. How long a pattern must have
 * repeated depends on what could still disturb it:
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

/* For how many cycles the machine must be watched; min_cycles / `share` where nothing can tip. A chain from
 * iteration to iteration that takes more than half of the cycles cannot make up for a cycle lost at each link
 * (when an older µop takes its port). That this does not happen can be a balance that tips, so it is watched
 * for longer. */
static int32_t steady_cycles_to_watch(const steady_state *d, const sim *s, double cycles_per_iteration,
                                      uint32_t share)
{
    bool may_tip = 2 * d->bounds.chain > cycles_per_iteration;
    return (int32_t)(may_tip ? s->options->min_cycles / 4 * STEADY_TIPPING_QUARTERS
                             : s->options->min_cycles / share);
}

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

static void pattern_reset(retirement_pattern *p, const sim *s, const steady_bounds *bounds)
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
    /* Bounds do not know what it takes to go on to other lines. */
    if (s->gathers && sim_store_buffer_fills(s, p->at_bound.first, last))
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

static bool pattern_check(steady_state *d, const sim *s)
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

/* ---- states ---- */

/* Has the machine been in this state before?
 *
 * The machine is a finite automaton once everything is taken relative to the current cycle and iteration;
 * when its state recurs at the end of an iteration, so does everything after it, and the cycles between the
 * two divided by the iterations are the exact throughput. A state is compared by a 64-bit hash of all that
 * can still have an effect: times that lie so far back that nothing depends on them any more count as equal.
 * Register values are not part of the state; where loads have met stores, their relation must repeat in a
 * further period instead.
 *
 * The choice of ports can go through very many states before one recurs, even where it does not matter. So a
 * second detector looks at the front end alone, up to the issued µops: when its state recurs, and the back
 * end has not held it up in the meantime and holds no more µops than before, the front end decides. A third
 * one, above, looks at the retirements alone. */

/* Times before `floor` cycles from now are all the same. */
static uint64_t relative(const sim *s, int32_t cycle, int32_t floor)
{
    int32_t r = cycle - s->cycle;
    return (uint64_t)(uint32_t)(r < floor ? floor : r);
}

/* `count` entries of a ring from the one at `first` on, each less `now`. A multiplication takes several
 * cycles, and there can be hundreds: two to a word, four words at a time. */
static uint64_t hash_ring(const uint32_t *ring, uint32_t size, uint32_t first, uint32_t count, uint32_t now)
{
    enum {
        WORDS = 4
    };
    const uint32_t straight = min_u32(count, size - first), words = (count / 2 / WORDS + 1) * WORDS;
    const uint64_t both = now * (((uint64_t)1 << 32) + 1);
    uint64_t inside[SIM_ROB / 2 + WORDS], h[WORDS] = {1, 2, 3, 4};
    for (uint32_t k = words - WORDS; k < words; k++)
        inside[k] = both; /* behind the last one */
    memcpy(inside, &ring[first], straight * sizeof *ring);
    memcpy((uint32_t *)inside + straight, ring, (count - straight) * sizeof *ring);
    for (uint32_t k = 0; k < words; k += WORDS)
        for (uint32_t n = 0; n < WORDS; n++)
            h[n] = (h[n] + inside[k + n] - both) * HASH_MULTIPLIER;
    return hash_add(hash_add(h[0], h[1]), hash_add(h[2], h[3]));
}

/* When each µop of the reorder buffer retires; none of them has. */
static uint64_t hash_retirements(const sim *s)
{
    const reorder_buffer *r = &s->rob;
    return hash_ring(r->retire, SIM_ROB, (uint32_t)r->head % SIM_ROB, (uint32_t)(r->tail - r->head),
                     (uint32_t)s->cycle * r->width);
}

static uint64_t hash_predecoder(const sim *s, uint64_t h)
{
    const predecoder *p = &s->fe.pre;
    h = hash_add(h, (uint64_t)(uint8_t)p->offset | (uint64_t)p->has_block << 16 |
                        (uint64_t)p->prepared << 17 | (uint64_t)p->crossing << 18 |
                        (uint64_t)p->pending << 20 | (uint64_t)p->stall << 32 |
                        (uint64_t)p->cycles_in_block << 48);
    h = hash_add(h, p->next | (uint64_t)p->iq_first << 16 | (uint64_t)p->iq_count << 32 |
                        (uint64_t)p->iq_visible << 48);
    int32_t visible = s->cycle - s->arch->decode_latency_cycles;
    for (uint32_t k = 0; k < p->group_count; k++) {
        const iq_group *g = &p->groups[(p->group_head + k) & (SIM_IQ - 1)];
        h = hash_add(h, g->count | (uint64_t)(uint32_t)(g->cycle > visible ? g->cycle - visible : 0) << 32);
    }
    return h;
}

/* The front end's state. Its queues hold consecutive instructions, so their ends say what is inside, except
 * for stack synchronisation. */
static uint64_t hash_front_end(const sim *s)
{
    const front_end *fe = &s->fe;
    const sequencer *ms = &fe->ms;
    uint64_t h = hash_add(1, fe->source | (uint64_t)fe->dsb_delayed << 4 | (uint64_t)fe->stack_moved << 5 |
                                 (uint64_t)(uint16_t)fe->stack_offset << 8 | (uint64_t)fe->idq_count << 32);
    if (fe->source == FROM_MITE || fe->pre.prepared)
        h = hash_predecoder(s, h);
    if (fe->source == FROM_DSB && s->arch->dsb_rows)
        h = hash_add(h, s->layout->tape_count ? s->layout->tape[fe->tape_next].state
                                              : dsb_rows_state(&fe->rows));
    else if (fe->source == FROM_DSB)
        h = hash_add(h, fe->dsb_position | (uint64_t)fe->dsb_bytes << 24 | (uint64_t)fe->dsb_insn << 32);
    else if (fe->source == FROM_LSD)
        h = hash_add(h, (uint64_t)fe->lsd_next << 32 | fe->lsd_iteration);
    if (ms->active) {
        h = hash_add(h, (uint64_t)ms->next << 32 | ms->end);
        h = hash_add(h, ms->stall_before | (uint64_t)ms->stall_after << 16 | (uint64_t)ms->blank << 32);
    }
    if (s->any_mispredicted)
        h = hash_add(h, relative(s, s->right_path, 0));
    const uint32_t first = fe->idq_head % SIM_IDQ;
    if (s->b->has_stack)
        return hash_add(h, hash_ring(fe->idq, SIM_IDQ, first, fe->idq_count, 0));
    return fe->idq_count ? hash_add(h, fe->idq[first]) : h;
}

static uint64_t hash_eliminator(const move_eliminator *m, uint64_t h, uint32_t now)
{
    for (uint32_t k = 1; k <= 4; k++)
        h = hash_add(h, m->in_use_history[(now - k) % ELIM_HISTORY] |
                            (uint64_t)m->done_history[(now - k) % ELIM_HISTORY] << 32);
    return h;
}

static uint64_t hash_value(const sim *s, uint64_t h, uint32_t slot)
{
    rat_value v = s->rn.rat[slot];
    uint64_t alias = s->limits_moves && slot < UNIT_COUNT ? (uint16_t)s->rn.alias[slot] : 0;
    int32_t floor = s->arch->issue_to_dispatch_cycles - 1 - s->any_bypass;
    return hash_add(h, relative(s, rat_ready(v), floor) | (uint64_t)rat_flags(v) << 32 | alias << 40);
}

static uint64_t hash_told(const sim *s, uint64_t h, uint32_t slot)
{
    const int32_t ready = rat_ready(s->rn.rat[slot]), told = s->rn.told[slot];
    return hash_add(h, relative(s, told < ready ? told : ready, s->arch->issue_to_dispatch_cycles - 1));
}

static uint64_t hash_renamer(const sim *s, uint64_t h)
{
    const renamer *rn = &s->rn;
    for (uint32_t k = 0; k < s->prog.unit_count; k++)
        h = hash_value(s, h, s->prog.units[k]);
    if (s->inside_insn) {
        for (uint32_t t = TEMP_BASE; t < SLOT_COUNT; t++)
            h = hash_value(s, h, t);
        for (uint32_t k = 0; k < rn->late_count; k++)
            h = hash_add(h, rn->late[k].slot | relative(s, rat_ready(rn->late[k].value), 0) << 32);
    }
    for (uint32_t k = 0; s->any_move && s->arch->immediate_sum_bits && k < 16; k += 4) {
        uint64_t four;
        memcpy(&four, &rn->sums[k], sizeof four);
        h = hash_add(h, four);
    }
    if (s->limits_moves) {
        h = hash_eliminator(&rn->gpr, h, rn->active_cycles);
        h = hash_eliminator(&rn->simd, h, rn->active_cycles);
    }
    if (s->any_fence) {
        int32_t floor = s->arch->issue_to_dispatch_cycles - 1 - FENCE_RELEASES_CYCLES;
        h = hash_add(h, relative(s, rn->load_fence, floor) | relative(s, rn->store_fence, floor) << 32);
        h = hash_add(h, relative(s, rn->last_load, floor) | relative(s, rn->last_store, floor) << 32);
    }
    if (s->queued)
        h = queues_hash(s, h);
    for (uint32_t k = 0; s->arch->alu_scheduler_parts && k < s->prog.unit_count; k++)
        h = hash_told(s, h, s->prog.units[k]);
    if (s->parted)
        h = parts_hash(s, h);
    h = hash_add(h, rn->high8_pending | rn->turns[0] << 8 | rn->turns[1] << 12 | rn->turns[2] << 16 |
                        (uint32_t)s->stored.made << 20);
    if (s->arch->port_policy == TACHO_PORTS_AT_DISPATCH)
        return h; /* which choose by the reservation tables */
    for (int k = 0; 4 * k < s->arch->ports; k++)
        h = hash_add(hash_add(h, rn->uses.word[USE_NOW][k]), rn->uses.word[USE_START][k]);
    return h;
}

/* 64 cycles of a reservation table, from `cycle`. */
static uint64_t excerpt(const uint64_t *bits, int32_t cycle)
{
    uint32_t word = (uint32_t)cycle / 64, shift = (uint32_t)cycle % 64;
    uint64_t low = bits[word % (SIM_HORIZON / 64)] >> shift;
    return shift ? low | bits[(word + 1) % (SIM_HORIZON / 64)] << (64 - shift) : low;
}

/* Starts that can still hold one back. */
static uint64_t hash_throttle(const sim *s, uint64_t h, uint32_t insn)
{
    const throttle *t = &s->throttles[insn];
    h = hash_add(h, relative(s, t->floor, 0));
    for (uint32_t k = 0; k < t->count; k++)
        if (t->starts[k] + s->b->insns[insn].tp_cycles > s->cycle)
            h = hash_add(h, relative(s, t->starts[k], -UINT16_MAX) | (uint64_t)insn << 32);
    return h;
}

/* When each store of the store buffer leaves it, if it can be full; when the youngest does, and whether it
 * takes one more with it. */
static uint64_t hash_stores(const sim *s, uint64_t h)
{
    const store_buffer *b = &s->stored;
    for (int32_t k = b->head; k < b->tail; k++)
        h = hash_add(h, (uint32_t)(b->commit[k & (SIM_STORE_BUFFER - 1)] - s->cycle));
    bool waits = b->last > s->cycle;
    if (b->line_free > s->cycle)
        h = hash_add(h, (uint32_t)(b->line_free - s->cycle));
    h = hash_add(h, b->since[0] | b->since[1] << 8 | b->late << 16);
    return hash_add(h, waits ? (uint32_t)(b->last - s->cycle) << 1 | b->alone : 0);
}

static uint64_t hash_backend(const sim *s, uint64_t h)
{
    const reservations *t = &s->reserved;
    const reorder_buffer *r = &s->rob;
    int32_t from = s->cycle >= 2 ? s->cycle - 2 : 0;
    for (int32_t c = from; c <= t->last; c += CYCLES_AT_ONCE)
        h = hash_add(h, reservations_from(t, c));
    for (int32_t c = s->cycle; s->any_wide_load && c <= t->last; c += 64)
        h = hash_add(hash_add(h, excerpt(t->loads, c)), excerpt(t->wide_loads, c));
    for (int32_t c = s->cycle; s->any_divider && c <= t->last + 256; c += 64)
        for (uint32_t d = 0; d < s->arch->dividers; d++)
            h = hash_add(h, excerpt(t->divider[d], c));
    for (int32_t c = s->cycle; s->any_closer && c <= t->last; c += 64)
        for (uint32_t k = 0; k < CLOSERS; k++)
            h = hash_add(hash_add(h, excerpt(t->closed[k], c)), excerpt(t->used[k], c));
    h = hash_add(h, hash_retirements(s));
    if (s->track_lines || s->track_memory)
        h = hash_stores(s, h);
    if (s->track_splits)
        h = store_forward_hash_places(s, h);
    if (s->waits)
        h = waiting_hash(s, h);
    if (s->links)
        h = waiting_links_hash(s, h);
    int32_t next = (int32_t)(r->next - (uint32_t)s->cycle * r->width);
    h = hash_add(h, (uint32_t)(next > 0 ? next : 0));
    for (uint32_t k = 0; s->any_throttle && k < s->b->insn_count; k++)
        h = hash_throttle(s, h, k);
    return h;
}

static uint64_t hash_machine(const sim *s, uint64_t front)
{
    return hash_add(hash_backend(s, 0), hash_renamer(s, front));
}

/* How many iterations are renamed in a run, if each takes so many cycles. */
static uint32_t most_iterations(const sim *s, double cycles)
{
    const double run = s->options->min_cycles / fmax(cycles, 0.1), least = s->options->min_iterations;
    return (uint32_t)(1.1 * fmax(run, least) + s->arch->rob_entries / fmax(1, s->b->fused_count) + 2);
}

void steady_reset(steady_state *d, const sim *s, const steady_bounds *bounds)
{
    d->bounds = *bounds;
    d->samples = (uint32_t)fmin(65536, 65536 * bounds->highest / STEADY_SAMPLE_CYCLES);
    d->epoch++;
    d->front_epoch++;
    d->seen_issued = 0;
    d->next_model = d->next_front = 0;
    uint32_t bytes = s->arch->predecode_block_bytes, step = bytes;
    while (step > 1 && s->b->size % bytes * (step / 2) % bytes == 0)
        step /= 2;
    d->step = s->b->mode == TACHO_MODE_UNROLL ? step : 1;
    d->distance = early_picks_distance(s);
    d->distance *= d->distance > 1 ? d->step : 1; /* which is a power of two */
    d->most = most_iterations(s, bounds->highest);
    pattern_reset(&d->pattern, s, bounds);
}

static void note_recurrence(steady_state *d, uint32_t from, uint32_t period_iterations,
                            uint32_t period_cycles)
{
    d->window_from = from;
    d->window_to = from + period_iterations;
    d->period_iterations = period_iterations;
    d->period_cycles = period_cycles;
    d->exact = true;
}

/* Cycles until all that has been issued is retired, and its stores are in the cache. */
static int32_t drain(const sim *s)
{
    int32_t retired = rob_last(&s->rob), stored = s->stored.last;
    return (stored > retired ? stored : retired) - s->cycle;
}

static state_seen seen_now(const sim *s, uint32_t epoch, uint64_t hash)
{
    return (state_seen){.hash = hash,
                        .epoch = epoch,
                        .iteration = s->issued_iterations,
                        .cycle = s->cycle,
                        .in_flight = s->reserved.occupancy + stores_inside(s),
                        .drain = drain(s)};
}

/* The entry where the state is remembered, or can be: an unused one, or the oldest. */
static state_seen *place_of(state_seen *states, uint32_t epoch, uint64_t hash)
{
    state_seen *oldest = NULL;
    for (uint64_t k = 0; k < STEADY_PROBES; k++) {
        state_seen *e = &states[(hash + k) & (STEADY_STATES - 1)];
        if (e->epoch != epoch || e->hash == hash)
            return e;
        if (!oldest || e->cycle < oldest->cycle)
            oldest = e;
    }
    return oldest;
}

static bool check_machine(steady_state *d, const sim *s, uint64_t hash)
{
    state_seen *e = place_of(d->machine, d->epoch, hash);
    uint32_t iterations = s->issued_iterations - e->iteration, cycles = (uint32_t)(s->cycle - e->cycle);
    if (e->epoch != d->epoch || e->hash != hash) {
        *e = seen_now(s, d->epoch, hash);
        return false;
    }
    if (s->forwards || s->gathers) { /* register values and lines are no part of the state: once more */
        if (!e->period_iterations) {
            e->period_iterations = iterations;
            e->period_cycles = cycles;
            return false;
        }
        if (iterations != 2 * e->period_iterations || cycles != 2 * e->period_cycles) {
            *e = seen_now(s, d->epoch, hash);
            return false;
        }
        iterations = e->period_iterations;
        cycles = e->period_cycles;
    }
    note_recurrence(d, e->iteration, iterations, cycles);
    return true;
}

/* How long the back end must not have delayed the front end. It is less where nothing can be faster or tip
 * (the retirements, above). */
static int32_t cycles_unhindered(const steady_state *d, const sim *s, const state_seen *e)
{
    double each = (double)e->period_cycles / e->period_iterations;
    if (fabs(each - d->bounds.highest) < 1e-9 && 2 * d->bounds.chain <= each && e->cycle <= s->cycle / 3)
        return (int32_t)(s->options->min_cycles / PATTERN_BOUND_SHARE);
    return steady_cycles_to_watch(d, s, each, STEADY_FRONT_END_SHARE);
}

static bool check_front_end(steady_state *d, const sim *s, uint64_t hash)
{
    state_seen *e = place_of(d->front, d->front_epoch, hash);
    if (e->epoch != d->front_epoch || e->hash != hash) {
        *e = seen_now(s, d->front_epoch, hash);
        return false;
    }
    uint32_t cycles = (uint32_t)(s->cycle - e->cycle);
    if (!e->period_iterations) {
        e->period_iterations = s->issued_iterations - e->iteration;
        e->period_cycles = cycles;
    }
    if ((int32_t)cycles < cycles_unhindered(d, s, e) ||
        s->reserved.occupancy + stores_inside(s) > e->in_flight || drain(s) > e->drain)
        return false;
    note_recurrence(d, e->iteration, e->period_iterations, e->period_cycles);
    d->window_to = s->issued_iterations;
    return true;
}

/* Whether a state may recur here. In unrolled code that is only where the addresses of copies repeat; `step`
 * is a power of two. */
static bool worth_a_look(const steady_state *d, const sim *s)
{
    return (s->issued_iterations ^ d->seen_issued) >= d->step && s->cycle >= STEADY_WARM_UP_CYCLES;
}

/* A few numbers, of which at least one differs between most different states. */
static state_glance glance(const sim *s)
{
    return (state_glance){.rob = (uint32_t)(s->rob.tail - s->rob.head),
                          .scheduler = s->reserved.occupancy,
                          .queue = s->fe.idq_count,
                          .drain = drain(s)};
}

static bool alike(const state_glance *a, const state_glance *b)
{
    return a->rob == b->rob && a->scheduler == b->scheduler && a->queue == b->queue && a->drain == b->drain;
}

/* Some states, about one in STEADY_SAMPLE_CYCLES, are hashed whenever they are met. */
static bool is_sample(const steady_state *d, const state_glance *g)
{
    uint32_t h = (g->rob << 24 ^ g->scheduler << 16 ^ g->queue << 8 ^ (uint32_t)g->drain) * 0x9e3779b1u;
    return (h ^ h >> 15) * 0x85ebca6bu >> 16 < d->samples;
}

/* Where equal states lie far apart: whether one can have been met here, or can still come. Of those that are
 * as far apart some are enough. */
static bool is_far_sample(const steady_state *d, const sim *s)
{
    return s->issued_iterations % d->distance % STEADY_FAR_SAMPLE < 2 &&
           (s->issued_iterations >= d->distance || s->issued_iterations + d->distance <= d->most);
}

/* Hashing the whole machine takes as long as simulating some cycles, and is of use only if it is done again
 * when the state recurs. So the state decides whether it is done: for samples, and for states that look like
 * the one chosen as a model. A model that has not been met again for a while is replaced; short periods may
 * contain no sample. */
static bool check_state(steady_state *d, sim *s)
{
    rob_retire(&s->rob, s->cycle - 1);
    const state_glance now = glance(s);
    bool like_model = alike(&now, &d->model), sample = is_sample(d, &now),
         replace = s->cycle >= d->next_model;
    if (d->distance > 1 && is_far_sample(d, s) && check_machine(d, s, hash_machine(s, hash_front_end(s))))
        return true;
    if (!like_model && !sample && !replace && s->cycle < d->next_front)
        return false;
    uint64_t front = hash_front_end(s);
    like_model = like_model && front == d->model_front;
    if (like_model || replace) {
        d->model = now;
        d->model_front = front;
        d->next_model = s->cycle + STEADY_MODEL_CYCLES;
    }
    bool look = like_model || replace || sample;
    bool found = look && d->distance == 1 && check_machine(d, s, hash_machine(s, front));
    d->next_front = s->cycle + STEADY_SPACING_CYCLES;
    d->front_epoch += s->held_up;
    s->held_up = false;
    return found || check_front_end(d, s, front);
}

bool steady_check(steady_state *d, sim *s)
{
    bool found = pattern_check(d, s) || (worth_a_look(d, s) && check_state(d, s));
    d->seen_issued = s->issued_iterations;
    return found;
}
