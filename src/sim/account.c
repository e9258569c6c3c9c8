/* account.c - why issue slots stay empty: one reason for each slot of a cycle (A. Yasin, A Top-Down Method
 * for Performance Analysis and Counters Architecture, ISPASS 2014; the reasons inside the back end follow the
 * idea of llvm-mca's bottleneck analysis, that what the waiting µops wait for tells).
 *
 * - The µop queue is empty, and the back end has room: the unit that delivered too little in the cycle
 *   before. Decoders that had left an instruction in their queue are to blame themselves; those that had
 *   none to take, the predecoder; and so for the cycles after a change from the DSB to the decoders. Stalls
 *   on the way into the microcode sequencer and out of it are the sequencer's.
 * - The LSD ends the cycle at the end of the loop: the LSD.
 * - The µop at the head of the queue does not fit what is left of the group, or must wait there (unlaminated
 *   pairs, high-byte merges, serialising instructions): the renamer.
 * - The reorder buffer is full: what its oldest entry waits for. The scheduler is full: what the oldest µop
 * in it waits for. That is the divider, a port, its turn to start again, an operand or its own latency (both
 *   `dependencies`); where it waits for nothing, the size of the buffer itself. */
#include "sim/sim.h"

void account_uop(sim *s, const uop_times *times)
{
    sim_tally *t = s->tally;
    t->uops[s->next_seq & (TALLY_UOPS - 1)] = *times;
    if (tally_counts(t, s->issued_iterations) && times->u->insn < s->b->insn_count)
        t->dispatched[times->u->insn * TACHO_MAX_PORTS + (uint32_t)times->port]++;
}

/* The oldest µop from `seq` on that has not left for its port; NULL if there is none. */
static const uop_times *oldest_waiting(const sim *s, int32_t seq, int32_t end)
{
    for (; seq < end; seq++) {
        const uop_times *i = &s->tally->uops[seq & (TALLY_UOPS - 1)];
        if (i->start > s->cycle)
            return i;
    }
    return NULL;
}

/* What a µop in the scheduler waits for; `full`: where it waits for nothing that others could give. */
static tacho_slot_reason reason_of_waiting(const sim *s, const uop_times *i, tacho_slot_reason full)
{
    if (i->operands > s->cycle)
        return i->operands > i->issued + s->arch->issue_to_dispatch_cycles ? TACHO_SLOT_DEPENDENCIES : full;
    if (i->ready > s->cycle)
        return s->b->insns[i->u->insn].variant->div_cycles ? TACHO_SLOT_DIVIDER : TACHO_SLOT_START_INTERVALS;
    if (i->u->div_cycles && divider_busy(s, s->cycle))
        return TACHO_SLOT_DIVIDER;
    s->tally->blamed_port = i->port;
    return TACHO_SLOT_PORTS;
}

static tacho_slot_reason back_end_reason(const sim *s)
{
    const reorder_buffer *r = &s->rob;
    bool rob_full = (uint32_t)(r->tail - r->head) + s->arch->issue_width > s->arch->rob_width;
    tacho_slot_reason full = rob_full ? TACHO_SLOT_ROB : TACHO_SLOT_SCHEDULER;
    if (r->head == r->tail)
        return full;
    int32_t first = s->tally->first_uop[r->head & (SIM_ROB - 1)], end = s->next_seq;
    if (rob_full && r->head + 1 != r->tail)
        end = s->tally->first_uop[(r->head + 1) & (SIM_ROB - 1)];
    const uop_times *i = oldest_waiting(s, first, end);
    if (i)
        return reason_of_waiting(s, i, full);
    bool executing = false;
    for (int32_t q = first; q < end && rob_full; q++)
        executing |= s->tally->uops[q & (TALLY_UOPS - 1)].end >= s->cycle;
    return executing ? TACHO_SLOT_DEPENDENCIES : full;
}

/* Whether the decoders could have taken one more instruction in the cycle before. */
static bool decoders_left_one(const sim *s)
{
    const predecoder *p = &s->fe.pre;
    uint32_t needed = p->iq_count && s->prog.insns[p->iq[p->iq_head].insn].fusible ? 2 : 1;
    if (p->iq_count < needed)
        return false;
    const iq_entry *e = &p->iq[(p->iq_head + needed - 1) & (SIM_IQ - 1)];
    return e->predecoded + s->arch->decode_latency_cycles < s->cycle;
}

static tacho_slot_reason front_end_reason(const sim *s)
{
    switch (s->tally->delivering) {
    case FROM_MS:
        return TACHO_SLOT_MS;
    case FROM_DSB:
        return TACHO_SLOT_DSB;
    case FROM_LSD:
        return TACHO_SLOT_LSD;
    default:
        return decoders_left_one(s) ? TACHO_SLOT_DECODE : TACHO_SLOT_PREDECODE;
    }
}

static tacho_slot_reason reason_of(const sim *s, issue_end why)
{
    switch (why) {
    case ISSUE_QUEUE_EMPTY:
        return front_end_reason(s);
    case ISSUE_LOOP_END:
        return TACHO_SLOT_LSD;
    case ISSUE_HELD_BACK:
        return TACHO_SLOT_RENAME;
    default:
        return back_end_reason(s);
    }
}

void account_slots(sim *s, uint32_t used, issue_end why)
{
    sim_tally *t = s->tally;
    uint32_t width = s->arch->issue_width, filled = used < width ? used : width;
    if (s->iterations < t->from_iteration || s->iterations >= t->to_iteration)
        return;
    t->slots += width;
    t->slots_used += filled;
    if (filled == width)
        return;
    tacho_slot_reason reason = reason_of(s, why);
    t->slots_lost[reason] += width - filled;
    if (reason == TACHO_SLOT_PORTS)
        t->slots_lost_to_port[t->blamed_port] += width - filled;
}

void account_delivery(sim *s)
{
    s->tally->delivering = s->fe.ms.active ? FROM_MS : s->fe.source;
}

void account_topdown(const sim_tally *t, tacho_topdown *out)
{
    double slots = (double)t->slots;
    if (!t->slots)
        return;
    *out = (tacho_topdown){.retiring = (double)t->slots_used / slots};
    for (int k = 0; k < TACHO_SLOT_REASON_COUNT; k++) {
        out->lost[k] = (double)t->slots_lost[k] / slots;
        if (k <= TACHO_SLOT_LSD)
            out->frontend += out->lost[k];
        else if (k == TACHO_SLOT_DEPENDENCIES)
            out->backend_dependencies += out->lost[k];
        else
            out->backend_core += out->lost[k];
    }
    for (int p = 0; p < TACHO_MAX_PORTS; p++)
        out->lost_to_port[p] = (double)t->slots_lost_to_port[p] / slots;
}
