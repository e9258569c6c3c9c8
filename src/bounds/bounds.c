/* bounds.c - one limit a component. Sources: uiCA paper, section 4.1, and for the idea of looking at each
 * component alone the Facile paper (Abel, Sharma, Reineke 2023). The front end's limits come from running the
 * simulator's own predecoder, decoders and DSB with nothing behind them that could hold them up. */
#include "bounds/bounds.h"

#include <math.h>

#include "util/hash.h"

enum {
    ALONE_ITERATIONS_MIN = 16,
    ALONE_CYCLES = 400,
    ALONE_CYCLES_MAX = 20000
};

/* Least cycles that a set of µops needs on their ports: for each union of port sets, the µops that can go
 * nowhere else, divided by its size. */
static double ports_bound(const block *b)
{
    uint16_t sets[64];
    double count[64];
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->insn_count; i++) {
        const block_insn *bi = &b->insns[i];
        for (uint32_t k = 0; k < bi->uop_count; k++) {
            const uop *u = &b->uops[bi->uop_first + k];
            uint32_t j = 0;
            while (j < n && sets[j] != u->ports)
                j++;
            if (!u->ports || j == 64)
                continue;
            if (j == n) {
                sets[n] = u->ports;
                count[n++] = 0;
            }
            count[j]++;
        }
    }
    double bound = 0;
    for (uint32_t mask = 1; mask < 1u << b->arch->ports; mask++) {
        double inside = 0;
        for (uint32_t j = 0; j < n; j++)
            if ((sets[j] & mask) == sets[j])
                inside += count[j];
        double cycles = inside / __builtin_popcount(mask);
        bound = cycles > bound ? cycles : bound;
    }
    return bound;
}

/* Divisions block the divider; long ones also start only once in so many cycles. */
static double divider_bound(const block *b)
{
    double cycles = 0, throttled = 0;
    for (uint32_t i = 0; i < b->insn_count; i++) {
        if (b->insns[i].fused_into_previous || !b->insns[i].variant->div_cycles)
            continue;
        cycles += b->insns[i].variant->div_cycles;
        double same_form = 0;
        for (uint32_t k = i; b->insns[i].throttle_owner == i && k < b->insn_count; k++)
            same_form += b->insns[k].throttle_owner == i ? b->insns[k].tp_cycles : 0;
        throttled = same_form > throttled ? same_form : throttled;
    }
    return cycles > throttled ? cycles : throttled;
}

static double lsd_bound(const sim *s)
{
    if (!s->use_lsd)
        return NAN;
    double slots = (double)s->b->issue_slots * s->lsd_unroll;
    return ceil(slots / s->arch->issue_width) / s->lsd_unroll;
}

/* A component that runs alone: iterations it has completed, and the search for a state that recurs. */
typedef struct alone_run {
    uint32_t done;
    int32_t done_cycle;
    uint32_t anchor_done, next_anchor;
    int32_t anchor_cycle;
    uint64_t anchor_state;
    double result; /* cycles per iteration once the state has recurred, else NaN */
} alone_run;

static alone_run alone_start(sim *s)
{
    sim_reset(s);
    return (alone_run){.next_anchor = 1, .result = NAN};
}

static bool alone_continues(const sim *s, const alone_run *r)
{
    return isnan(r->result) &&
           (s->cycle < ALONE_CYCLES || (r->done < ALONE_ITERATIONS_MIN && s->cycle < ALONE_CYCLES_MAX));
}

/* The cycle is over; `done` iterations are complete, and `state` is all that the component's future depends
 * on. */
static void alone_step(sim *s, alone_run *r, uint32_t done, uint64_t state)
{
    s->cycle++;
    if (done == r->done)
        return;
    r->done = done;
    r->done_cycle = s->cycle;
    if (r->anchor_done && state == r->anchor_state)
        r->result = (double)(s->cycle - r->anchor_cycle) / (done - r->anchor_done);
    if (done < r->next_anchor)
        return;
    r->anchor_done = done;
    r->anchor_cycle = s->cycle;
    r->anchor_state = state;
    r->next_anchor = 2 * done;
}

/* Without a recurrence: from the last anchor to the last iteration. */
static double alone_result(const alone_run *r)
{
    if (!isnan(r->result))
        return r->result;
    return r->done > r->anchor_done ? (double)(r->done_cycle - r->anchor_cycle) / (r->done - r->anchor_done)
                                    : NAN;
}

static uint64_t sequencer_state(const sim *s)
{
    const sequencer *ms = &s->fe.ms;
    return ms->active
               ? hash_add((uint64_t)ms->next << 32 | ms->blank, ms->stall_before | ms->stall_after << 8)
               : 0;
}

static double predecode_bound(sim *s)
{
    alone_run r = alone_start(s);
    predecoder *p = &s->fe.pre;
    uint32_t bytes = s->arch->predecode_block_bytes;
    p->alone = true;
    while (alone_continues(s, &r)) {
        predecoder_tick(s, p);
        uint32_t done = r.done;
        for (; p->iq_count; p->iq_count--, p->iq_head = (p->iq_head + 1) & (SIM_IQ - 1))
            done += p->iq[p->iq_head].insn + 1 == s->b->insn_count;
        uint64_t state = hash_add(p->next | (uint64_t)p->pending_at << 32, p->pending | p->stall << 16);
        uint64_t place = p->has_block ? p->next_address - p->block : p->next_address % bytes;
        state = hash_add(state, place | (uint64_t)p->has_block << 16 | (uint64_t)p->crossing << 17 |
                                    (uint64_t)p->cycles_in_block << 20);
        alone_step(s, &r, done, state);
    }
    return alone_result(&r);
}

/* Empties the µop queue; returns how many iterations are complete. */
static uint32_t drain_idq(sim *s, uint32_t done)
{
    front_end *fe = &s->fe;
    for (; fe->idq_count; fe->idq_count--, fe->idq_head = (fe->idq_head + 1) & (SIM_IDQ - 1)) {
        done += (s->prog.lams[fe->idq[fe->idq_head]].flags & LAM_ITERATION_END) != 0;
    }
    return done;
}

/* The decoders with an instruction queue that is always full. */
static double decode_bound(sim *s)
{
    alone_run r = alone_start(s);
    predecoder *p = &s->fe.pre;
    uint32_t next = 0;
    while (alone_continues(s, &r)) {
        while (p->iq_count < s->arch->iq_width) {
            p->iq[(p->iq_head + p->iq_count++) & (SIM_IQ - 1)] = (iq_entry){next, -1000};
            next = sim_following(s, next);
        }
        if (s->fe.ms.active)
            sequencer_tick(s);
        else
            decoders_tick(s);
        uint32_t done = drain_idq(s, r.done);
        alone_step(s, &r, done,
                   hash_add(p->iq[p->iq_head].insn | (uint64_t)p->iq_count << 32, sequencer_state(s)));
    }
    return alone_result(&r);
}

static double dsb_bound(sim *s)
{
    if (s->b->mode != TACHO_MODE_LOOP || !s->dsb_entry_count)
        return NAN;
    for (uint32_t i = 0; i < s->b->insn_count; i++)
        if (!s->insn_cached[i])
            return NAN;
    alone_run r = alone_start(s);
    s->fe.source = FROM_DSB;
    s->fe.dsb_position = s->dsb_first[0];
    while (alone_continues(s, &r)) {
        if (s->fe.ms.active)
            sequencer_tick(s);
        else
            dsb_tick(s);
        uint32_t done = drain_idq(s, r.done);
        alone_step(s, &r, done,
                   hash_add(s->fe.dsb_position | (uint64_t)s->fe.dsb_delayed << 32, sequencer_state(s)));
    }
    return alone_result(&r);
}

int bounds_compute(double out[TACHO_BOUND_COUNT], critical_cycle *critical, sim *s, arena *a, bool decoded)
{
    const block *b = s->b;
    sim_tally *tally = s->tally;
    s->tally = NULL;
    out[TACHO_BOUND_PREDECODE] = decoded ? predecode_bound(s) : NAN;
    out[TACHO_BOUND_DECODE] = decoded ? decode_bound(s) : NAN;
    out[TACHO_BOUND_DSB] = dsb_bound(s);
    out[TACHO_BOUND_LSD] = lsd_bound(s);
    out[TACHO_BOUND_ISSUE] = (double)b->issue_slots / b->arch->issue_width;
    out[TACHO_BOUND_PORTS] = ports_bound(b);
    out[TACHO_BOUND_DIVIDER] = divider_bound(b);
    int rc = bounds_dependencies(critical, s, a);
    out[TACHO_BOUND_DEPENDENCIES] = critical->cycles;
    s->tally = tally;
    return rc;
}
