/* ideal.c - what-if runs: parts of the machine that are taken as ideal, and loads that are slow. Nearly all
 * of it is a change of the block's µops before the run; the rest are the µops that need no port
 * (model/sim/schedulers.c) and the µop queue that is never short of µops (model/sim/sim.c). */
#include "model/block/block.h"

/* One cycle is the least latency: whoever waits for a result is woken in the next cycle. */
static void shorten(uop *u)
{
    for (int k = 0; k < u->out_count; k++)
        if (u->out[k].latency > 1)
            u->out[k].latency = 1;
    if (u->max_latency > 1)
        u->max_latency = 1;
    if (u->load_latency > 1)
        u->load_latency = 1;
}

void block_make_ideal_uop(uop *u, const tacho_predict_options *o)
{
    if ((o->ideal & TACHO_IDEAL_PORTS) || u->ports == o->ideal_port_set)
        u->needs_no_port = u->ports != 0;
    if (o->ideal & TACHO_IDEAL_DIVIDER)
        u->div_cycles = 0;
    if (o->ideal & TACHO_IDEAL_DEPENDENCIES)
        u->in_count = 0;
    if ((o->ideal & TACHO_IDEAL_LATENCIES) || u->insn == o->ideal_latency_insn)
        shorten(u);
}

static void idealise_insn(block_insn *bi, const tacho_predict_options *o)
{
    uint32_t unit = bi->variant->div_cycles ? TACHO_IDEAL_DIVIDER : TACHO_IDEAL_START_INTERVALS;
    if (o->ideal & unit)
        bi->tp_cycles = 0;
    if (o->ideal & TACHO_IDEAL_HIGH8_MERGES) {
        bi->merges_high8 = 0;
    }
}

static void slow_down(uop *u, int16_t cycles)
{
    for (int k = 0; k < u->out_count; k++)
        u->out[k].latency = (int16_t)(u->out[k].latency + cycles);
    u->max_latency = (int16_t)(u->max_latency + cycles);
    u->load_latency = (int16_t)(u->load_latency + cycles);
}

static void slow_loads(block *b, const tacho_predict_options *o)
{
    size_t next = 0;
    for (uint32_t i = 0; i < b->uop_count; i++) {
        while (next < o->slow_load_count && o->slow_loads[next] < b->uops[i].insn)
            next++;
        if (next < o->slow_load_count && o->slow_loads[next] == b->uops[i].insn &&
            b->uops[i].kind == UOP_LOAD)
            slow_down(&b->uops[i], (int16_t)o->slow_load_cycles);
    }
}

void block_make_ideal(block *b, const tacho_predict_options *o)
{
    slow_loads(b, o);
    if (!o->ideal && !o->ideal_port_set && o->ideal_latency_insn < 0)
        return;
    for (uint32_t i = 0; i < b->uop_count; i++)
        block_make_ideal_uop(&b->uops[i], o);
    for (uint32_t i = 0; i < b->insn_count; i++)
        idealise_insn(&b->insns[i], o);
}
