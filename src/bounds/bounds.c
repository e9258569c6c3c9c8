/* bounds.c - one limit a component. Sources: uiCA paper, section 4.1, and for the idea of looking at each
 * component alone the Facile paper (Abel, Sharma, Reineke 2023). The front end's limits come from running the
 * simulator's own predecoder, decoders and DSB with nothing behind them that could hold them up. */
#include "bounds/bounds.h"

#include <math.h>

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

static double divider_bound(const block *b)
{
    double cycles = 0;
    for (uint32_t i = 0; i < b->insn_count; i++)
        cycles += b->insns[i].fused_into_previous ? 0 : b->insns[i].variant->div_cycles;
    return cycles;
}

static double lsd_bound(const sim *s)
{
    if (!s->use_lsd)
        return NAN;
    uint32_t extra = 0;
    for (uint32_t i = 0; s->arch->lsd_large_immediate_slots && i < s->b->insn_count; i++)
        extra += dsb_extra_slot(&s->b->insns[i]);
    double cycles =
        ceil((double)(s->b->issue_slots + extra) * s->lsd_unroll / s->arch->issue_width) / s->lsd_unroll;
    return cycles > extra ? cycles : extra;
}

/* Average cycles per iteration between the middle and the end of a run. */
static double steady(int32_t first, uint32_t from, int32_t last, uint32_t to)
{
    return to > from ? (double)(last - first) / (to - from) : NAN;
}

typedef struct alone_run {
    int32_t middle_cycle, last_cycle;
    uint32_t middle, last, done;
} alone_run;

static bool alone_continues(const sim *s, const alone_run *r)
{
    return s->cycle < ALONE_CYCLES_MAX && (s->cycle < ALONE_CYCLES || r->done < ALONE_ITERATIONS_MIN);
}

/* `iteration` has just been completed. */
static void alone_note(alone_run *r, sim *s, uint32_t iteration)
{
    if (iteration < r->done)
        return;
    r->done = iteration + 1;
    if (iteration < s->retired_capacity)
        s->retired[iteration].cycle = s->cycle;
}

static double alone_result(const alone_run *r, const sim *s)
{
    uint32_t last = r->done < s->retired_capacity ? r->done : s->retired_capacity;
    if (last < 2)
        return NAN;
    uint32_t middle = last / 2;
    uint32_t first = middle - (middle > 0);
    return steady(s->retired[first].cycle, first, s->retired[last - 1].cycle, last - 1);
}

static double predecode_bound(sim *s)
{
    alone_run r = {.done = 0};
    predecoder *p = &s->fe.pre;
    sim_reset(s);
    while (alone_continues(s, &r)) {
        predecoder_tick(s, p);
        for (; p->iq_count; p->iq_count--, p->iq_head = (p->iq_head + 1) & (SIM_IQ - 1))
            if (p->iq[p->iq_head].at.insn + 1 == s->b->insn_count)
                alone_note(&r, s, p->iq[p->iq_head].at.iteration);
        s->cycle++;
    }
    return alone_result(&r, s);
}

/* Empties the µop queue, noting iterations that are complete. */
static void drain_idq(sim *s, alone_run *r)
{
    front_end *fe = &s->fe;
    for (; fe->idq_count; fe->idq_count--, fe->idq_head = (fe->idq_head + 1) & (SIM_IDQ - 1)) {
        const idq_entry *e = &fe->idq[fe->idq_head];
        if ((e->flags & IDQ_LAST) && e->insn + 1u + s->b->insns[e->insn].fused_with_next == s->b->insn_count)
            alone_note(r, s, e->iteration);
    }
}

/* The decoders with an instruction queue that is always full. */
static double decode_bound(sim *s)
{
    alone_run r = {.done = 0};
    predecoder *p = &s->fe.pre;
    code_point next = {0, 0};
    sim_reset(s);
    while (alone_continues(s, &r)) {
        while (p->iq_count < s->arch->iq_width) {
            p->iq[(p->iq_head + p->iq_count++) & (SIM_IQ - 1)] = (iq_entry){next, -1000};
            bool last = next.insn + 1 == s->b->insn_count;
            next = last ? (code_point){0, next.iteration + 1} : (code_point){next.insn + 1, next.iteration};
        }
        if (s->fe.ms.active)
            sequencer_tick(s);
        else
            decoders_tick(s);
        drain_idq(s, &r);
        s->cycle++;
    }
    return alone_result(&r, s);
}

static double dsb_bound(sim *s)
{
    if (s->b->mode != TACHO_MODE_LOOP)
        return NAN;
    for (uint32_t i = 0; i < s->b->insn_count; i++)
        if (!s->insn_cached[i])
            return NAN;
    alone_run r = {.done = 0};
    sim_reset(s);
    s->fe.source = FROM_DSB;
    s->fe.dsb_position = s->dsb_first[0];
    while (alone_continues(s, &r)) {
        if (s->fe.ms.active)
            sequencer_tick(s);
        else
            dsb_tick(s);
        drain_idq(s, &r);
        s->cycle++;
    }
    return alone_result(&r, s);
}

int bounds_compute(double out[TACHO_BOUND_COUNT], critical_cycle *critical, sim *s, arena *a)
{
    const block *b = s->b;
    sim_tally *tally = s->tally;
    s->tally = NULL;
    out[TACHO_BOUND_PREDECODE] = predecode_bound(s);
    out[TACHO_BOUND_DECODE] = decode_bound(s);
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
