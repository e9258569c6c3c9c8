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
 * - The reorder buffer is full: what its oldest entry finally waits for; or it is being executed
 *   (`dependencies`), or done (the buffer's size).
 * - The scheduler is full: what most of the µops in it finally wait for. The oldest alone would not tell:
 *   where loads queue for their ports, it is one that waits for a load on its way.
 *
 * A µop waits for the divider, for a port, for its turn to start again, or for an operand. Then it finally
 * waits for what the µop that makes the operand waits for; when that one is on its way already, for its
 * latency (`dependencies`). */
#include "model/sim/sim.h"

enum {
    CAUSE_GONE = 0xff,   /* on its way to a port, or further */
    CAUSE_ISSUED = 0xfe, /* waits only for the cycles from issue to dispatch */
    CAUSE_REASON = 0x0f, /* else: a tacho_slot_reason, and for ports which */
    CAUSE_PORT = 4
};

/* ---- who makes what a µop waits for ---- */

static int32_t result_ready(const uop_times *p, uint8_t slot)
{
    for (int k = 0; k < p->u->out_count; k++)
        if (p->u->out[k].slot == slot)
            return p->base + op_latency(&p->u->out[k]);
    return SIM_LONG_AGO;
}

/* The µop whose result was the last operand to come; -1 where none of those in sight explains it. */
static int32_t last_producer(const sim *s, const uop_times *i)
{
    const sim_tally *t = s->tally;
    int32_t best = -1, latest = i->operands - 2;
    for (int k = 0; k < i->u->in_count; k++) {
        int32_t w = t->writer[i->u->in[k]];
        if (w < 0 || s->next_seq - w >= TALLY_UOPS)
            continue;
        int32_t ready = result_ready(&t->uops[w & (TALLY_UOPS - 1)], i->u->in[k]);
        if (ready > latest && ready <= i->operands) { /* later: overwritten by the renamer since */
            best = w;
            latest = ready;
        }
    }
    return best;
}

static void note_writers(sim_tally *t, const op *u, int32_t seq)
{
    if (u->flags & OP_FIRST_OF_INSN) {
        for (uint32_t k = 0; k < t->late_count; k++)
            t->writer[t->late[k].slot] = t->late[k].seq;
        t->late_count = 0;
    }
    for (int k = 0; k < u->out_count; k++) {
        bool late = k >= u->out_count - u->late_count;
        if (!late)
            t->writer[u->out[k].slot] = seq;
        else if (t->late_count < sizeof t->late / sizeof *t->late)
            t->late[t->late_count++] = (late_writer){u->out[k].slot, seq};
    }
}

void account_start(sim_tally *t)
{
    for (int k = 0; k < SLOT_COUNT; k++)
        t->writer[k] = -1;
    t->late_count = 0;
}

void account_uop(sim *s, const uop_times *times)
{
    sim_tally *t = s->tally;
    t->uops[s->next_seq & (TALLY_UOPS - 1)] = *times;
    t->producer[s->next_seq & (TALLY_UOPS - 1)] = last_producer(s, times);
    note_writers(t, times->u, s->next_seq);
    if (tally_counts(t, s->issued_iterations) && times->u->insn < s->b->insn_count && !times->with_load)
        t->insns[times->u->insn].dispatched[times->port]++;
}

void account_move(sim_tally *t, const block_insn *bi)
{
    for (int k = 0; bi->adds_constant && k < 2; k++)
        if (bi->sum_flags[k] != UNIT_NONE)
            t->writer[bi->sum_flags[k]] = t->writer[bi->move_source];
    t->writer[bi->move_target] = t->writer[bi->move_source];
}

/* ---- the back end ---- */

/* Its operands are there: it waits for its initiation interval to end, or for a scheduler entry. */
static uint8_t why_not_ready(const sim *s, const op *u)
{
    if (!(u->flags & OP_THROTTLED))
        return TACHO_SLOT_SCHEDULER;
    return s->b->insns[u->insn].variant->div_cycles ? TACHO_SLOT_DIVIDER : TACHO_SLOT_START_INTERVALS;
}

/* What a µop finally waits for in this cycle; the causes of older ones are known. */
static uint8_t cause_of(const sim *s, int32_t seq, int32_t oldest)
{
    const sim_tally *t = s->tally;
    const uop_times *i = &t->uops[seq & (TALLY_UOPS - 1)];
    if (i->start <= s->cycle)
        return CAUSE_GONE;
    if (i->operands > s->cycle) {
        if (i->operands <= i->issued + s->arch->issue_to_dispatch_cycles)
            return CAUSE_ISSUED;
        int32_t p = t->producer[seq & (TALLY_UOPS - 1)];
        uint8_t cause = p >= oldest ? t->cause[p & (TALLY_UOPS - 1)] : CAUSE_GONE;
        return cause >= CAUSE_ISSUED ? TACHO_SLOT_DEPENDENCIES : cause;
    }
    if (i->ready > s->cycle)
        return why_not_ready(s, i->u);
    if (i->u->div_cycles && divider_busy(s, s->cycle))
        return TACHO_SLOT_DIVIDER;
    return (uint8_t)(TACHO_SLOT_PORTS | i->port << CAUSE_PORT);
}

/* What most of the waiting µops among [first, end) finally wait for; `none` if none waits. */
static tacho_slot_reason most_wait_for(const sim *s, int32_t first, int32_t end, tacho_slot_reason none)
{
    sim_tally *t = s->tally;
    uint16_t votes[UINT8_MAX + 1] = {0}; /* by cause */
    uint32_t for_ports = 0;
    tacho_slot_reason most = none;
    for (int32_t q = first; q < end; q++)
        votes[t->cause[q & (TALLY_UOPS - 1)] = cause_of(s, q, first)]++;
    t->blamed_port = 0;
    for (int p = 0; p < TACHO_MAX_PORTS; p++) {
        const uint16_t *of = &votes[TACHO_SLOT_PORTS];
        for_ports += of[p << CAUSE_PORT];
        if (of[p << CAUSE_PORT] > of[t->blamed_port << CAUSE_PORT])
            t->blamed_port = p;
    }
    votes[TACHO_SLOT_PORTS] = (uint16_t)for_ports;
    for (int k = 0; k < TACHO_SLOT_REASON_COUNT; k++)
        if (votes[k] > votes[most])
            most = (tacho_slot_reason)k;
    return most;
}

/* What the oldest entry of the reorder buffer waits for. */
static tacho_slot_reason oldest_waits_for(const sim *s)
{
    const reorder_buffer *r = &s->rob;
    int32_t first = s->tally->first_uop[r->head & (SIM_ROB - 1)], end = s->next_seq;
    if (r->head + 1 != r->tail)
        end = s->tally->first_uop[(r->head + 1) & (SIM_ROB - 1)];
    bool executing = false;
    for (int32_t q = first; q < end; q++)
        executing |= s->tally->uops[q & (TALLY_UOPS - 1)].end >= s->cycle;
    return most_wait_for(s, first, end, executing ? TACHO_SLOT_DEPENDENCIES : TACHO_SLOT_ROB);
}

/* Why the store buffer is full. If its oldest store waits to retire, that store's reason counts. Otherwise
 * the cache takes one store after the other; together with the stores that wait for their ports, the port is
 * what is lacking. */
static tacho_slot_reason store_buffer_reason(const sim *s)
{
    const store_buffer *b = &s->stored;
    if (s->rob.head != s->rob.tail && b->commit[b->head & (SIM_STORE_BUFFER - 1)] > s->cycle + 1)
        return oldest_waits_for(s);
    s->tally->blamed_port = __builtin_ctz(s->arch->store_data_ports);
    return TACHO_SLOT_PORTS;
}

static tacho_slot_reason back_end_reason(const sim *s)
{
    const reorder_buffer *r = &s->rob;
    if (store_buffer_full(s, s->arch->store_buffer_by_group ? s->arch->issue_width : 1))
        return store_buffer_reason(s);
    if (r->head == r->tail)
        return TACHO_SLOT_SCHEDULER;
    if ((uint32_t)(r->tail - r->head) + s->arch->issue_width > s->arch->rob_entries)
        return oldest_waits_for(s);
    return most_wait_for(s, s->tally->first_uop[r->head & (SIM_ROB - 1)], s->next_seq, TACHO_SLOT_SCHEDULER);
}

/* ---- the front end, and the account ---- */

/* Whether the decoders could have taken one more instruction in the cycle before. */
static bool decoders_left_one(const sim *s)
{
    const predecoder *p = &s->fe.pre;
    return p->iq_visible >= (p->iq_count && s->prog.insns[p->iq_first].fusible ? 2u : 1u);
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
    if (s->counted_iterations < t->from_iteration || s->counted_iterations >= t->to_iteration)
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
