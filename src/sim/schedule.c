/* schedule.c - the scheduler: µops wait for their operands, then for their port; the oldest ready one goes
 * first. uiCA paper, section 4.1.3; pipeline model, section 5.
 *
 * A µop's ready cycle is known as soon as all its producers have been dispatched; until then it hangs on
 * their lists of waiters. From then on it waits in a wheel of cycles, then in its port's queue. */
#include "sim/trace.h"

#include <string.h>

static bool in_window(const sim *s, int32_t seq)
{
    return seq >= 0 && s->next_seq - seq < SIM_RING - 64;
}

static void note_operand(uop_instance *i, int32_t cycle)
{
    if (cycle > i->operands)
        i->operands = cycle;
}

void scheduler_operand(sim *s, uop_instance *i, int edge, int32_t producer, uint8_t out)
{
    if (!in_window(s, producer))
        return;
    if (s->trace)
        sim_trace_operand(s, i, edge, producer, out);
    uop_instance *p = sim_uop(s, producer);
    if (p->base != SIM_NOT_YET) {
        note_operand(i, p->base + p->u->out[out].latency);
        return;
    }
    int32_t e = (i->seq & (SIM_RING - 1)) * SIM_EDGES + edge;
    s->edge_next[e] = p->waiters;
    s->edge_out[e] = out;
    p->waiters = e;
    i->waiting_for++;
}

static void wheel_insert(sim *s, uop_instance *i, int32_t cycle)
{
    if (cycle <= s->cycle)
        cycle = s->cycle + 1;
    if (cycle - s->cycle >= SIM_WHEEL)
        cycle = s->cycle + SIM_WHEEL - 1; /* looked at again there */
    int32_t *slot = &s->sched.wheel[cycle & (SIM_WHEEL - 1)];
    i->next_ready = *slot;
    *slot = i->seq;
}

/* Some instructions can only start every so many cycles, however many units there are. They take their turns
 * as their operands become known. */
static int32_t throttled_start(sim *s, const uop_instance *i)
{
    if (!i->u->first_of_insn || i->insn >= s->b->insn_count || !s->b->insns[i->insn].tp_cycles)
        return 0;
    int32_t *next = &s->tp_free[s->b->insns[i->insn].throttle_owner];
    int32_t start = *next > s->cycle ? *next : s->cycle;
    *next = start + s->b->insns[i->insn].tp_cycles;
    return start + 1;
}

/* All operands are known: when can it be dispatched? Operands that become ready just as the µop could first
 * be dispatched miss that chance by a cycle. */
void scheduler_ready_at(sim *s, uop_instance *i)
{
    int32_t earliest = i->issued + s->arch->issue_to_dispatch_cycles;
    int32_t ready = i->operands;
    if (ready < earliest)
        ready = earliest;
    else if (ready <= earliest + 1)
        ready++;
    int32_t start = throttled_start(s, i);
    i->operands = ready > start ? ready : start;
    wheel_insert(s, i, i->operands);
}

void scheduler_operands_done(sim *s, uop_instance *i)
{
    if (i->waiting_for == 0)
        scheduler_ready_at(s, i);
}

void scheduler_add(sim *s, uop_instance *i)
{
    s->sched.occupancy++;
    if (!i->u->needs_no_port)
        s->rn.usage[i->port]++;
}

static void queue_insert(port_queue *q, int32_t seq)
{
    if (q->head == q->tail) {
        q->head = q->tail = 0;
    } else if (q->tail == SIM_MAX_RS) {
        memmove(q->seq, q->seq + q->head, (q->tail - q->head) * sizeof *q->seq);
        q->tail -= q->head;
        q->head = 0;
    }
    uint32_t k = q->tail++;
    for (; k > q->head && q->seq[k - 1] > seq; k--)
        q->seq[k] = q->seq[k - 1];
    q->seq[k] = seq;
}

static void dispatch(sim *s, uop_instance *i, int port);

static void make_ready(sim *s, uop_instance *i)
{
    if (i->u->needs_no_port && !i->u->div_cycles) {
        dispatch(s, i, i->port);
        return;
    }
    queue_insert(i->u->div_cycles ? &s->sched.ready_divider : &s->sched.ready[i->port], i->seq);
    s->sched.ready_ports |= (uint16_t)(1u << i->port);
}

static void wheel_turn(sim *s)
{
    int32_t *slot = &s->sched.wheel[s->cycle & (SIM_WHEEL - 1)];
    int32_t seq = *slot;
    *slot = -1;
    while (seq >= 0) {
        uop_instance *i = sim_uop(s, seq);
        int32_t next = i->next_ready;
        if (i->operands > s->cycle)
            wheel_insert(s, i, i->operands);
        else
            make_ready(s, i);
        seq = next;
    }
}

static void finish(sim *s, uop_instance *i)
{
    rob_entry *r = &s->rob[i->rob & (SIM_ROB - 1)];
    int32_t cycle = i->base + i->u->max_latency;
    if (i->u->kind == UOP_STORE_ADDRESS)
        cycle = i->dispatched_at + s->arch->load_latency_cycles;
    if (i->u->first_of_insn && i->insn < s->b->insn_count &&
        cycle < i->dispatched_at + s->b->insns[i->insn].tp_cycles)
        cycle = i->dispatched_at + s->b->insns[i->insn].tp_cycles;
    if (cycle < i->dispatched_at + 2)
        cycle = i->dispatched_at + 2;
    if (cycle > r->finish)
        r->finish = cycle;
    r->open--;
    if (s->trace)
        sim_trace_finished(s, i, cycle);
}

static void wake(sim *s, uop_instance *p);

/* Both parts of the store that this load reads from are on their way. */
static void complete_forwarded(sim *s, uop_instance *load)
{
    const uop_instance *address = sim_uop(s, load->forward_address), *data = sim_uop(s, load->forward_data);
    int32_t available = address->dispatched_at + s->arch->load_latency_cycles;
    if (data->dispatched_at + 1 > available)
        available = data->dispatched_at + 1;
    available += s->arch->store_forward_cycles;
    int32_t own = load->dispatched_at + load->u->load_latency - load->load_discount;
    load->base = (own > available ? own : available) - load->u->load_latency;
    wake(s, load);
}

/* The µop's results have a time: tell those who wait for them. */
static void wake(sim *s, uop_instance *p)
{
    finish(s, p);
    for (int32_t e = p->waiters; e >= 0;) {
        int32_t next = s->edge_next[e];
        uop_instance *c = &s->ring[e / SIM_EDGES];
        int edge = e % SIM_EDGES;
        if (edge == SIM_EDGE_FORWARD_ADDRESS || edge == SIM_EDGE_FORWARD_DATA) {
            if (--c->forwards_open == 0 && c->dispatched_at != SIM_NOT_YET)
                complete_forwarded(s, c);
        } else {
            note_operand(c, p->base + p->u->out[s->edge_out[e]].latency);
            if (--c->waiting_for == 0)
                scheduler_ready_at(s, c);
        }
        e = next;
    }
    p->waiters = -1;
}

/* A load that reads what the two µops of an earlier store write. Those that have left the window are in the
 * cache. */
void scheduler_forward(sim *s, uop_instance *load, int32_t address, int32_t data)
{
    if (address < 0 || data < 0 || s->next_seq - address > SIM_FORWARD_WINDOW ||
        s->next_seq - data > SIM_FORWARD_WINDOW)
        return;
    load->forward_address = address;
    load->forward_data = data;
    if (s->trace)
        sim_trace_forward(s, load, address, data);
    const int32_t parts[2] = {address, data};
    for (int k = 0; k < 2; k++) {
        uop_instance *p = sim_uop(s, parts[k]);
        if (p->dispatched_at != SIM_NOT_YET)
            continue;
        int32_t e = (load->seq & (SIM_RING - 1)) * SIM_EDGES + SIM_EDGE_FORWARD_ADDRESS + k;
        s->edge_next[e] = p->waiters;
        p->waiters = e;
        load->forwards_open++;
    }
}

static void dispatch(sim *s, uop_instance *i, int port)
{
    i->dispatched_at = s->cycle;
    s->sched.occupancy--;
    if (!i->u->needs_no_port)
        s->sched.dispatched_ports |= (uint16_t)(1u << port);
    if (i->u->div_cycles)
        s->sched.divider_free = s->cycle + i->u->div_cycles;
    if (s->tally && i->iteration >= s->tally->from_iteration && i->iteration < s->tally->to_iteration &&
        i->insn < s->b->insn_count)
        s->tally->dispatched[i->insn * TACHO_MAX_PORTS + (uint32_t)port]++;
    if (i->forward_data >= 0) {
        if (i->forwards_open == 0)
            complete_forwarded(s, i);
        return;
    }
    i->base = s->cycle - i->load_discount;
    wake(s, i);
}

static int32_t peek(const port_queue *q)
{
    return q->head != q->tail ? q->seq[q->head] : INT32_MAX;
}

static bool is_empty(const port_queue *q)
{
    return q->head == q->tail;
}

/* The oldest ready µop of a port; divisions wait apart, in order, for the divider as well. */
static uop_instance *next_for_port(sim *s, int port)
{
    port_queue *q = &s->sched.ready[port], *divisions = &s->sched.ready_divider;
    bool division = !is_empty(divisions) && sim_uop(s, peek(divisions))->port == port;
    if (division && s->sched.divider_free <= s->cycle && peek(divisions) < peek(q))
        q = divisions;
    if (is_empty(q))
        return NULL;
    uop_instance *i = sim_uop(s, q->seq[q->head++]);
    if (is_empty(&s->sched.ready[port]) && is_empty(divisions))
        s->sched.ready_ports &= (uint16_t) ~(1u << port);
    return i;
}

/* From Ice Lake on two stores' data leave in one cycle only for one 64-byte line. */
static bool may_pair(const sim *s, const uop_instance *first, const uop_instance *second)
{
    return !s->arch->paired_stores_same_line || first->line == second->line;
}

static void dispatch_store_data(sim *s, uint32_t ports)
{
    uop_instance *picked[TACHO_MAX_PORTS];
    int at[TACHO_MAX_PORTS], n = 0;
    for (uint32_t m = ports; m; m &= m - 1) {
        at[n] = __builtin_ctz(m);
        picked[n] = next_for_port(s, at[n]);
        n += picked[n] != NULL;
    }
    if (n == 2 && !may_pair(s, picked[0], picked[1])) {
        int younger = picked[0]->seq > picked[1]->seq ? 0 : 1;
        make_ready(s, picked[younger]);
        picked[0] = picked[1 - younger];
        at[0] = at[1 - younger];
        n = 1;
    }
    for (int k = 0; k < n; k++)
        dispatch(s, picked[k], at[k]);
}

void sim_dispatch(sim *s)
{
    for (uint32_t m = s->sched.dispatched_before; m; m &= m - 1)
        s->rn.usage[__builtin_ctz(m)]--;
    s->sched.dispatched_before = s->sched.dispatched_ports;
    s->sched.dispatched_ports = 0;
    wheel_turn(s);
    uint32_t paired = s->arch->store_data_ports;
    bool pairs = paired & (paired - 1);
    uint32_t ports = s->sched.ready_ports;
    for (uint32_t m = pairs ? ports & ~paired : ports; m; m &= m - 1) {
        int port = __builtin_ctz(m);
        uop_instance *i = next_for_port(s, port);
        if (i)
            dispatch(s, i, port);
    }
    if (pairs && (ports & paired))
        dispatch_store_data(s, ports & paired);
}
