/* steady.c - has the machine been in this state before?
 *
 * The machine is a finite automaton once everything is taken relative to the current cycle and iteration;
 * when its state recurs at the end of an iteration, so does everything after it, and the cycles between the
 * two divided by the iterations are the exact throughput. A state is compared by a 64-bit hash of all that
 * can still have an effect: times that lie so far back that nothing depends on them any more count as equal.
 * Register values are not part of the state; where loads may meet stores, their relation must repeat in a
 * further period instead. The anchor that later states are compared with moves on at powers of two (Brent's
 * cycle detection).
 *
 * The choice of ports can go through very many states before one recurs, even where it does not matter. So a
 * second detector looks at the front end alone, up to the issued µops: when its state recurs, and the back
 * end has not held it up in the meantime and holds no more µops than before, the front end decides. */
#include "sim/sim.h"

#include <string.h>

#include "util/hash.h"

/* Times before `floor` cycles from now are all the same. */
static uint64_t relative(const sim *s, int32_t cycle, int32_t floor)
{
    int32_t r = cycle - s->cycle;
    return (uint64_t)(uint32_t)(r < floor ? floor : r);
}

static uint64_t hash_point(uint64_t h, code_point at, uint32_t base)
{
    return hash_add(h, (uint64_t)at.insn << 32 | (uint32_t)(at.iteration - base));
}

static uint64_t hash_predecoder(const sim *s, uint64_t h, uint32_t base)
{
    const predecoder *p = &s->fe.pre;
    h = hash_point(h, p->next, base);
    uint64_t place =
        p->has_block ? p->next_address - p->block : p->next_address % s->arch->predecode_block_bytes;
    h = hash_add(h, place | (uint64_t)p->has_block << 16 | (uint64_t)p->prepared << 17 |
                        (uint64_t)p->crossing << 18 | (uint64_t)p->pending << 20 | (uint64_t)p->stall << 32 |
                        (uint64_t)p->cycles_in_block << 48);
    for (uint32_t k = 0; k < p->iq_count; k++) {
        const iq_entry *e = &p->iq[(p->iq_head + k) & (SIM_IQ - 1)];
        h = hash_point(h, e->at, base);
        h = hash_add(h, relative(s, e->predecoded, -(int32_t)s->arch->decode_latency_cycles));
    }
    return h;
}

/* `base`: the iteration that others are counted from. */
static uint64_t hash_front_end(const sim *s, uint64_t h, uint32_t base)
{
    const front_end *fe = &s->fe;
    const sequencer *ms = &fe->ms;
    h = hash_add(h, fe->source | (uint64_t)fe->dsb_delayed << 4 | (uint64_t)(uint16_t)fe->stack_offset << 8 |
                        (uint64_t)fe->idq_count << 32);
    if (fe->source == FROM_MITE || fe->pre.prepared)
        h = hash_predecoder(s, h, base);
    if (fe->source == FROM_DSB)
        h = hash_add(hash_point(h, fe->dsb_at, base), fe->dsb_position);
    else if (fe->source == FROM_LSD)
        h = hash_add(h, (uint64_t)fe->lsd_next << 32 | (fe->lsd_iteration - base));
    if (fe->source == FROM_LSD)
        h = hash_add(h, fe->lsd_iteration % s->lsd_unroll);
    if (ms->active) {
        h = hash_add(h, (uint64_t)ms->next << 32 | ms->end);
        h = hash_add(h, ms->stall_before | (uint64_t)ms->stall_after << 16 | (uint64_t)ms->blank << 32);
    }
    for (uint32_t k = 0; k < fe->idq_count; k++) {
        const idq_entry *e = &fe->idq[(fe->idq_head + k) & (SIM_IDQ - 1)];
        h = hash_add(h, (uint64_t)e->laminated << 40 | (uint64_t)(e->iteration - base) << 8 | e->flags);
    }
    return h;
}

/* When the value is there, as far as a µop renamed from now on can tell. */
static uint64_t value_time(const sim *s, const rat_entry *r)
{
    if (r->seq < 0 || s->next_seq - r->seq >= SIM_RING - 64)
        return 0;
    const uop_instance *p = &s->ring[r->seq & (SIM_RING - 1)];
    if (p->base == SIM_NOT_YET)
        return (uint64_t)(s->next_seq - r->seq) << 32 | 0xffffffff;
    int32_t ready = p->base + p->u->out[r->out].latency - s->cycle;
    return ready < s->arch->issue_to_dispatch_cycles ? 0 : (uint64_t)ready;
}

static uint64_t hash_eliminator(const move_eliminator *m, uint64_t h, uint32_t now)
{
    for (uint32_t k = 1; k <= 4; k++)
        h = hash_add(h, m->in_use_history[(now - k) % ELIM_HISTORY] |
                            (uint64_t)m->done_history[(now - k) % ELIM_HISTORY] << 32);
    return h;
}

static uint64_t hash_renamer(const sim *s, uint64_t h)
{
    const renamer *rn = &s->rn;
    for (int u = 0; u < UNIT_COUNT; u++) {
        const rat_entry *r = &rn->rat[u];
        uint64_t time = value_time(s, r);
        uint64_t flags = r->by_load | r->by_move32 << 1 | r->zeroed << 2 | (uint64_t)(uint16_t)r->alias << 8;
        if (time || flags != (uint64_t)0xffff << 8)
            h = hash_add(hash_add(h, time), flags | (uint64_t)u << 32);
    }
    h = hash_eliminator(&rn->gpr, h, rn->active_cycles);
    h = hash_eliminator(&rn->simd, h, rn->active_cycles);
    h = hash_add(h, rn->high8_pending | rn->load_toggle << 8 | rn->store_data_toggle << 12 |
                        rn->store_address_toggle << 16);
    for (int p = 0; p < s->arch->ports; p++)
        h = hash_add(h, rn->usage[p] | (uint64_t)rn->usage_start[p] << 16 |
                            (uint64_t)rn->usage_previous[p] << 32);
    for (uint32_t k = 0; k < rn->pending_count; k++)
        h = hash_add(h, rn->pending[k].unit | (uint64_t)(s->next_seq - rn->pending[k].seq) << 8);
    return h;
}

static uint64_t hash_instance(const sim *s, uint64_t h, const uop_instance *i)
{
    uint64_t who = (uint64_t)(i->u->insn) << 16 | (uint8_t)i->port;
    if (i->dispatched_at != SIM_NOT_YET && i->base != SIM_NOT_YET)
        return hash_add(h, who | relative(s, i->base, -i->u->max_latency) << 32);
    if (i->dispatched_at != SIM_NOT_YET)
        return hash_add(h, who | 1u << 12 | relative(s, i->dispatched_at, -64) << 32);
    int32_t earliest = i->issued + s->arch->issue_to_dispatch_cycles;
    h = hash_add(h, who | relative(s, earliest, -2) << 32 | (uint64_t)(i->waiting_for == 0) << 13);
    return hash_add(h, relative(s, i->operands, i->waiting_for ? -1 : 0) |
                           (uint64_t)(uint8_t)i->load_discount << 32 |
                           (i->forward_data >= 0 ? (uint64_t)(i->seq - i->forward_data) << 40 : 0));
}

static uint64_t hash_backend(const sim *s, uint64_t h)
{
    for (int32_t r = s->rob_head; r != s->rob_tail; r++) {
        const rob_entry *e = &s->rob[r & (SIM_ROB - 1)];
        h = hash_add(h, e->insn | (uint64_t)e->open << 16 | relative(s, e->finish, -1) << 32);
        h = hash_add(h, e->iteration - s->iterations);
    }
    int32_t first = s->rob_head != s->rob_tail ? s->rob[s->rob_head & (SIM_ROB - 1)].first_seq : s->next_seq;
    for (int32_t q = first; q < s->next_seq; q++)
        h = hash_instance(s, h, &s->ring[q & (SIM_RING - 1)]);
    h = hash_add(h, relative(s, s->sched.divider_free, 0));
    h = hash_add(h, s->sched.dispatched_ports | (uint64_t)s->sched.dispatched_before << 16);
    for (uint32_t k = 0; s->any_throttle && k < s->b->insn_count; k++)
        h = hash_add(h, relative(s, s->tp_free[k], 0));
    return h;
}

static uint64_t hash_state(const sim *s)
{
    return hash_backend(s, hash_renamer(s, hash_front_end(s, 1, s->iterations)));
}

static uint64_t place_of(const sim *s)
{
    const front_end *fe = &s->fe;
    switch (fe->source) {
    case FROM_MITE:
        return fe->pre.next.insn | (fe->pre.next_address % s->arch->predecode_block_bytes) << 16 |
               (uint64_t)fe->pre.iq_count << 24;
    case FROM_DSB:
        return fe->dsb_position;
    default:
        return fe->lsd_next;
    }
}

static uint64_t front_end_fingerprint(const sim *s)
{
    return place_of(s) | (uint64_t)s->fe.idq_count << 48 | (uint64_t)s->fe.source << 60;
}

/* Cheap, and different for nearly all different states. */
static uint64_t fingerprint(const sim *s)
{
    const renamer *rn = &s->rn;
    uint64_t h = hash_add(front_end_fingerprint(s), (uint64_t)(s->rob_tail - s->rob_head) |
                                                        (uint64_t)s->sched.occupancy << 16 |
                                                        (uint64_t)rn->load_toggle << 32);
    if (s->rob_head != s->rob_tail) {
        const rob_entry *oldest = &s->rob[s->rob_head & (SIM_ROB - 1)];
        h = hash_add(h, relative(s, oldest->finish, -1) | (uint64_t)(s->next_seq - oldest->first_seq) << 32);
    }
    for (int p = 0; p + 4 <= TACHO_MAX_PORTS; p += 4) {
        uint64_t four;
        memcpy(&four, rn->usage + p, sizeof four);
        h = hash_add(h, four);
    }
    return h;
}

void steady_reset(steady_state *d)
{
    *d = (steady_state){.machine.next_anchor = 4, .front_end.next_anchor = 4};
}

static void set_anchor(recurrence *r, const sim *s, uint32_t iterations, uint64_t print, uint64_t hash)
{
    *r = (recurrence){.anchor_iteration = iterations,
                      .anchor_cycle = s->cycle,
                      .fingerprint = print,
                      .hash = hash,
                      .in_flight = sim_in_flight(s),
                      .next_anchor = 2 * iterations};
}

static void note_recurrence(steady_state *d, const recurrence *r, uint32_t period_iterations,
                            uint32_t period_cycles)
{
    d->from_iteration = d->window_from = r->anchor_iteration;
    d->window_to = r->anchor_iteration + period_iterations;
    d->period_iterations = period_iterations;
    d->period_cycles = period_cycles;
}

static bool check_machine(steady_state *d, const sim *s)
{
    recurrence *r = &d->machine;
    if (s->cycle < STEADY_WARM_UP_CYCLES)
        return false;
    if (s->iterations >= r->next_anchor) {
        set_anchor(r, s, s->iterations, fingerprint(s), hash_state(s));
        return false;
    }
    if (!r->anchor_iteration || fingerprint(s) != r->fingerprint || hash_state(s) != r->hash)
        return false;
    uint32_t iterations = s->iterations - r->anchor_iteration,
             cycles = (uint32_t)(s->cycle - r->anchor_cycle);
    if (s->track_memory && !r->period_iterations) { /* register values are no part of the state: once more */
        r->period_iterations = iterations;
        r->period_cycles = cycles;
        if (r->next_anchor <= s->iterations + iterations)
            r->next_anchor = s->iterations + iterations + 1;
        return false;
    }
    if (s->track_memory && (iterations != 2 * r->period_iterations || cycles != 2 * r->period_cycles))
        return false;
    note_recurrence(d, r, s->track_memory ? r->period_iterations : iterations,
                    s->track_memory ? r->period_cycles : cycles);
    return true;
}

static bool check_front_end(steady_state *d, const sim *s)
{
    recurrence *r = &d->front_end;
    uint32_t done = s->issued_iterations;
    if (s->held_up) {
        *r =
            (recurrence){.next_anchor = done + 8 + done / 4}; /* the back end decides, for a while at least */
        return false;
    }
    if (s->cycle < STEADY_WARM_UP_CYCLES)
        return false;
    if (done >= r->next_anchor) {
        set_anchor(r, s, done, front_end_fingerprint(s), hash_front_end(s, 1, done));
        return false;
    }
    if (!r->anchor_iteration || front_end_fingerprint(s) != r->fingerprint ||
        hash_front_end(s, 1, done) != r->hash)
        return false;
    uint32_t iterations = done - r->anchor_iteration, cycles = (uint32_t)(s->cycle - r->anchor_cycle);
    if (!r->period_iterations) {
        r->period_iterations = iterations;
        r->period_cycles = cycles;
    }
    if (cycles < STEADY_FRONT_END_CYCLES || sim_in_flight(s) > r->in_flight + 2) {
        if (r->next_anchor <= done + r->period_iterations)
            r->next_anchor = done + r->period_iterations + 1;
        return false;
    }
    note_recurrence(d, r, r->period_iterations, r->period_cycles);
    d->window_to = s->iterations > d->window_to ? s->iterations : d->window_to;
    return true;
}

static int32_t retired_at(const sim *s, uint32_t iteration)
{
    return s->retired[iteration].cycle;
}

/* Whether the distances between retirements, counted from the last one back, repeat after `period`
 * iterations. */
static bool repeats(const sim *s, uint32_t last, uint32_t first, uint32_t period)
{
    int32_t cycles = retired_at(s, last) - retired_at(s, last - period);
    for (uint32_t k = last; k >= first + period; k--)
        if (retired_at(s, k) - retired_at(s, k - period) != cycles)
            return false;
    return true;
}

/* Looks at the retirements of the last cycles. */
static bool check_retirements(steady_state *d, const sim *s)
{
    if (s->iterations < 2 * STEADY_RETIRE_PERIODS || s->iterations >= s->retired_capacity)
        return false;
    uint32_t last = s->iterations - 1, first = last;
    while (first && retired_at(s, last) - retired_at(s, first) < STEADY_RETIRE_CYCLES)
        first--;
    if (retired_at(s, first) < STEADY_WARM_UP_CYCLES)
        return false;
    if (retired_at(s, last) - retired_at(s, first) < STEADY_RETIRE_CYCLES ||
        s->retired[last].in_flight > s->retired[first].in_flight + s->arch->issue_width)
        return false;
    for (uint32_t period = 1; period <= STEADY_RETIRE_PERIOD_MAX; period++) {
        if ((last - first) / STEADY_RETIRE_PERIODS < period)
            return false;
        if (!repeats(s, last, first, period))
            continue;
        d->from_iteration = last + 1 - period;
        d->window_from = first + 1; /* the ports' turns need not have the same period */
        d->window_to = last + 1;
        d->period_iterations = period;
        d->period_cycles = (uint32_t)(retired_at(s, last) - retired_at(s, last - period));
        return true;
    }
    return false;
}

bool steady_check(steady_state *d, sim *s)
{
    bool found = false;
    if (s->iterations != d->seen_retired)
        found = check_machine(d, s);
    if (!found && s->issued_iterations != d->seen_issued) {
        found = check_front_end(d, s);
        s->held_up = false;
    }
    if (!found && s->cycle >= d->next_look) {
        d->next_look = s->cycle + STEADY_CHECK_CYCLES;
        found = check_retirements(d, s);
    }
    d->seen_retired = s->iterations;
    d->seen_issued = s->issued_iterations;
    return found;
}
