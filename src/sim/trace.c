/* trace.c - collects what happens to each µop, and tells the listener when the µop retires. Looks at the
 * units, never changes them.
 *
 * µops in flight are followed by their sequence numbers (which leave the rings of the machine only after
 * retirement); what ends at rename has none, so that records have numbers of their own. */
#include "sim/trace.h"

#include <string.h>

enum {
    SEQ_RING = 2 * SIM_RING, /* so that producers of µops in flight are still known */
    RECORDS = 2 * SIM_RING   /* records in flight: each has a µop, or an entry of the reorder buffer */
};

typedef struct traced_edge {
    int32_t producer; /* sequence number */
    int64_t through;
    uint8_t edge, out, unit;
} traced_edge;

typedef struct traced_seq {
    int32_t seq; /* whose edges these are */
    uint64_t number;
    uint32_t insn, iteration;
    const uop *u;
    int32_t dispatched, base, finished;
    uint32_t edge_count;
    traced_edge edges[SIM_EDGES];
} traced_seq;

typedef struct traced_record {
    int32_t seq; /* -1: ended at rename */
    int32_t rob;
    uint64_t slot;
    uint32_t insn, iteration, uop;
    uint8_t kind, source;
    int32_t predecoded, queued, issued;
    traced_edge moved; /* ELIMINATED: what it passes on; producer -1: known from the start */
} traced_record;

/* A unit whose value an eliminated move passed on. */
typedef struct passed_on {
    int32_t seq; /* whose value; only while the unit still has it */
    uint64_t number;
} passed_on;

struct sim_trace {
    const tacho_trace_listener *listener;
    int status;
    iq_entry decoded; /* last */
    bool any_decoded;
    int32_t queued[SIM_IDQ], predecoded[SIM_IDQ];
    traced_seq seqs[SEQ_RING];
    traced_record records[RECORDS];
    uint64_t record_head, record_tail, slots;
    passed_on passed[UNIT_COUNT];
    int32_t rob_head, rob_tail; /* at the end of the previous cycle */
};

sim_trace *sim_trace_new(arena *a, const tacho_trace_listener *listener)
{
    sim_trace *t = arena_alloc(a, sizeof *t);
    if (!t)
        return NULL;
    t->listener = listener;
    for (int u = 0; u < UNIT_COUNT; u++)
        t->passed[u].seq = -1;
    return t;
}

int sim_trace_status(const sim_trace *t)
{
    return t->status;
}

static traced_seq *seq_of(sim_trace *t, int32_t seq)
{
    return &t->seqs[seq & (SEQ_RING - 1)];
}

void sim_trace_decoded(sim *s, const iq_entry *e)
{
    s->trace->decoded = *e;
    s->trace->any_decoded = true;
}

void sim_trace_queued(sim *s)
{
    sim_trace *t = s->trace;
    uint32_t at = (s->fe.idq_head + s->fe.idq_count - 1) & (SIM_IDQ - 1);
    const idq_entry *e = &s->fe.idq[at];
    bool decoded = t->any_decoded && e->source <= FROM_MS && e->iteration == t->decoded.at.iteration &&
                   (e->insn == t->decoded.at.insn || e->flags & IDQ_STACK_SYNC);
    t->queued[at] = s->cycle;
    t->predecoded[at] = decoded ? t->decoded.predecoded : -1;
}

static traced_edge *add_edge(sim_trace *t, int32_t consumer, int32_t producer)
{
    traced_seq *c = seq_of(t, consumer);
    if (c->seq != consumer) {
        c->seq = consumer;
        c->edge_count = 0;
    }
    traced_edge *e = &c->edges[c->edge_count++];
    *e = (traced_edge){.producer = producer, .through = -1, .unit = UNIT_NONE};
    return e;
}

/* The number of the move that brought this value into the unit, or -1. */
static int64_t passed_through(const sim_trace *t, uint8_t unit, int32_t seq)
{
    return seq >= 0 && unit < UNIT_COUNT && t->passed[unit].seq == seq ? (int64_t)t->passed[unit].number : -1;
}

void sim_trace_operand(sim *s, const uop_instance *i, int edge, int32_t producer, uint8_t out)
{
    traced_edge *e = add_edge(s->trace, i->seq, producer);
    e->edge = (uint8_t)edge;
    e->out = out;
    if (edge < i->u->in_count)
        e->unit = i->u->in[edge];
    e->through = passed_through(s->trace, e->unit, producer);
}

void sim_trace_forward(sim *s, const uop_instance *load, int32_t address, int32_t data)
{
    add_edge(s->trace, load->seq, address)->edge = SIM_EDGE_FORWARD_ADDRESS;
    add_edge(s->trace, load->seq, data)->edge = SIM_EDGE_FORWARD_DATA;
}

static tacho_trace_kind kind_of_uop(const uop *u)
{
    switch (u->kind) {
    case UOP_LOAD:
        return TACHO_TRACE_LOAD;
    case UOP_STORE_ADDRESS:
        return TACHO_TRACE_STORE_ADDRESS;
    case UOP_STORE_DATA:
        return TACHO_TRACE_STORE_DATA;
    default:
        return TACHO_TRACE_COMPUTE;
    }
}

static tacho_trace_kind kind_at_rename(const block_insn *bi)
{
    return bi->eliminable                      ? TACHO_TRACE_ELIMINATED
           : bi->notes & TACHO_NOTE_ZERO_IDIOM ? TACHO_TRACE_ZERO_IDIOM
           : bi->notes & TACHO_NOTE_NOP        ? TACHO_TRACE_NOP
           : bi->has_form                      ? TACHO_TRACE_RENAMED
                                               : TACHO_TRACE_UNKNOWN;
}

static traced_record *new_record(sim *s, uint32_t insn, uint32_t iteration)
{
    sim_trace *t = s->trace;
    traced_record *r = &t->records[t->record_tail & (RECORDS - 1)];
    *r = (traced_record){.seq = -1,
                         .rob = s->rob_tail,
                         .slot = t->slots,
                         .insn = insn,
                         .iteration = iteration,
                         .source = s->fe.idq[s->fe.idq_head].source,
                         .predecoded = t->predecoded[s->fe.idq_head],
                         .queued = t->queued[s->fe.idq_head],
                         .issued = s->cycle,
                         .moved = {.producer = -1, .through = -1}};
    t->record_tail++;
    return r;
}

static void record_uop(sim *s, uint32_t insn, const uop_instance *i)
{
    sim_trace *t = s->trace;
    const block_insn *bi = &s->b->insns[insn];
    traced_record *r = new_record(s, insn, i->iteration);
    r->seq = i->seq;
    traced_seq *q = seq_of(t, i->seq);
    q->number = t->record_tail - 1;
    q->insn = insn;
    q->iteration = i->iteration;
    q->u = i->u;
    r->kind = (uint8_t)kind_of_uop(i->u);
    if (i->insn < s->b->insn_count) {
        uint32_t at = (uint32_t)(i->u - s->b->uops);
        r->uop = bi->eliminable ? at - bi->uneliminated_first : at - bi->uop_first;
    } else if (s->fe.idq[s->fe.idq_head].flags & IDQ_STACK_SYNC) {
        r->kind = TACHO_TRACE_STACK_SYNC;
    } else {
        r->kind = TACHO_TRACE_HIGH8_MERGE;
        r->source = TACHO_TRACE_FROM_RENAMER;
        r->predecoded = r->queued = -1;
    }
}

static void record_at_rename(sim *s, uint32_t insn, uint32_t iteration)
{
    sim_trace *t = s->trace;
    const block_insn *bi = &s->b->insns[insn];
    traced_record *r = new_record(s, insn, iteration);
    r->kind = (uint8_t)kind_at_rename(bi);
    if (!bi->eliminable)
        return;
    int32_t producer = s->rn.rat[bi->move_target].seq;
    r->moved.producer = producer >= 0 && s->next_seq - producer < SIM_RING - 64 ? producer : -1;
    r->moved.unit = bi->move_source;
    r->moved.out = s->rn.rat[bi->move_target].out;
    r->moved.through = passed_through(t, bi->move_source, producer);
    t->passed[bi->move_target] = (passed_on){producer, t->record_tail - 1};
}

void sim_trace_issued(sim *s)
{
    const rob_entry *r = &s->rob[s->rob_tail & (SIM_ROB - 1)];
    const idq_entry *e = &s->fe.idq[s->fe.idq_head];
    if (e->flags & IDQ_STACK_SYNC) /* belongs to what follows it in the queue */
        e = &s->fe.idq[(s->fe.idq_head + 1) & (SIM_IDQ - 1)];
    if (r->first_seq == s->next_seq)
        record_at_rename(s, e->insn, e->iteration);
    for (int32_t seq = r->first_seq; seq != s->next_seq; seq++)
        record_uop(s, e->insn, sim_uop(s, seq));
    s->trace->slots++;
}

void sim_trace_finished(sim *s, const uop_instance *i, int32_t cycle)
{
    traced_seq *q = seq_of(s->trace, i->seq);
    q->dispatched = i->dispatched_at;
    q->base = i->base;
    q->finished = cycle;
}

static tacho_reg register_of(uint8_t unit)
{
    static const struct {
        uint8_t first, class_;
    } files[] = {{UNIT_TMM, TACHO_REG_TMM},    {UNIT_BND, TACHO_REG_BND},   {UNIT_OTHER, TACHO_REG_OTHER},
                 {UNIT_SEG, TACHO_REG_SEG},    {UNIT_X87, TACHO_REG_ST},    {UNIT_K, TACHO_REG_K},
                 {UNIT_VECTOR, TACHO_REG_ZMM}, {UNIT_HIGH8, TACHO_REG_R8H}, {UNIT_GPR, TACHO_REG_R64}};
    if (unit == UNIT_FLAG_C || unit == UNIT_FLAG_SPAZO)
        return (tacho_reg){TACHO_REG_FLAGS, unit == UNIT_FLAG_C ? TACHO_FLAG_C : TACHO_FLAG_SPAZO};
    for (size_t k = 0; unit < UNIT_COUNT && k < sizeof files / sizeof *files; k++)
        if (unit >= files[k].first)
            return (tacho_reg){files[k].class_, (uint8_t)(unit - files[k].first)};
    return (tacho_reg){TACHO_REG_NONE, 0};
}

static tacho_trace_carrier carrier_of(const traced_edge *e)
{
    if (e->edge == SIM_EDGE_FORWARD_ADDRESS || e->edge == SIM_EDGE_FORWARD_DATA)
        return TACHO_TRACE_MEMORY;
    if (e->edge >= UOP_MAX_IN)
        return TACHO_TRACE_ORDER;
    if (e->unit >= TEMP_BASE)
        return TACHO_TRACE_INTERNAL;
    return e->unit == UNIT_FLAG_C || e->unit == UNIT_FLAG_SPAZO ? TACHO_TRACE_FLAGS : TACHO_TRACE_REGISTER;
}

static void fill_edge(sim *s, const traced_edge *e, tacho_trace_edge *out)
{
    const traced_seq *p = seq_of(s->trace, e->producer);
    *out = (tacho_trace_edge){.producer = p->number,
                              .instruction = p->insn,
                              .iteration = p->iteration,
                              .through = e->through,
                              .carrier = carrier_of(e),
                              .reg = register_of(e->unit)};
    if (e->edge == SIM_EDGE_FORWARD_ADDRESS)
        out->ready = p->dispatched + s->arch->load_latency_cycles + s->arch->store_forward_cycles;
    else if (e->edge == SIM_EDGE_FORWARD_DATA)
        out->ready = p->dispatched + 1 + s->arch->store_forward_cycles;
    else
        out->ready = p->base + p->u->out[e->out].latency;
    out->latency = out->ready - p->dispatched;
}

/* Of the operands the last one, if the µop could have been dispatched before it came; of the two parts of a
 * store that a load reads from the later one, if the load's own latency had passed before. */
static int32_t find_waited_for(const sim *s, const uop_instance *i, const tacho_trace_edge *edges, uint32_t n)
{
    bool slow_load = i->base > i->dispatched_at - i->load_discount;
    int32_t last = -1, limit = i->issued + s->arch->issue_to_dispatch_cycles - 1;
    for (uint32_t k = 0; k < n; k++) {
        if ((edges[k].carrier == TACHO_TRACE_MEMORY) != slow_load)
            continue;
        if (edges[k].ready > (last < 0 ? limit : edges[last].ready))
            last = (int32_t)k;
    }
    return last;
}

/* Of a µop that was dispatched. */
static void fill_execution(sim *s, const traced_record *r, tacho_trace_uop *u, tacho_trace_edge *edges)
{
    const uop_instance *i = sim_uop(s, r->seq);
    const traced_seq *q = seq_of(s->trace, r->seq);
    uint32_t n = q->seq == r->seq ? q->edge_count : 0;
    for (uint32_t k = 0; k < n; k++)
        fill_edge(s, &q->edges[k], &edges[k]);
    u->ports = i->u->ports;
    u->port = i->port;
    u->ready = i->operands;
    u->dispatched = i->dispatched_at;
    u->executed = q->finished;
    u->edge_count = n;
    u->waited_for = find_waited_for(s, i, edges, n);
}

static void report(sim *s, uint64_t number)
{
    sim_trace *t = s->trace;
    const traced_record *r = &t->records[number & (RECORDS - 1)];
    tacho_trace_edge edges[SIM_EDGES];
    tacho_trace_uop u = {.number = number,
                         .instruction = r->insn,
                         .iteration = r->iteration,
                         .uop = r->uop,
                         .slot = r->slot,
                         .kind = (tacho_trace_kind)r->kind,
                         .source = (tacho_trace_source)r->source,
                         .port = -1,
                         .predecoded = r->predecoded,
                         .queued = r->queued,
                         .issued = r->issued,
                         .ready = -1,
                         .dispatched = -1,
                         .executed = -1,
                         .retired = s->cycle,
                         .edges = edges,
                         .waited_for = -1};
    if (r->seq >= 0) {
        fill_execution(s, r, &u, edges);
    } else if (r->moved.producer >= 0) {
        fill_edge(s, &r->moved, &edges[0]);
        u.edge_count = 1;
    }
    t->status = t->listener->uop(&u, t->listener->payload);
}

void sim_trace_retired(sim *s)
{
    sim_trace *t = s->trace;
    while (t->record_head != t->record_tail &&
           t->records[t->record_head & (RECORDS - 1)].rob == s->rob_head) {
        if (t->listener->uop && !t->status)
            report(s, t->record_head);
        t->record_head++;
    }
}

void sim_trace_cycle(sim *s)
{
    sim_trace *t = s->trace;
    tacho_trace_cycle c = {.cycle = s->cycle,
                           .iq = s->fe.pre.iq_count,
                           .idq = s->fe.idq_count,
                           .rob = (uint32_t)(s->rob_tail - s->rob_head),
                           .scheduler = s->sched.occupancy,
                           .issued = (uint32_t)(s->rob_tail - t->rob_tail),
                           .retired = (uint32_t)(s->rob_head - t->rob_head),
                           .iterations = s->iterations};
    t->rob_head = s->rob_head;
    t->rob_tail = s->rob_tail;
    if (t->listener->cycle && !t->status)
        t->status = t->listener->cycle(&c, t->listener->payload);
}

const char *tacho_trace_kind_name(tacho_trace_kind kind)
{
    static const char *const names[] = {"compute",    "load",        "store-address", "store-data",
                                        "stack-sync", "high8-merge", "eliminated",    "zero-idiom",
                                        "nop",        "renamed",     "unknown"};
    return (unsigned)kind < TACHO_TRACE_KIND_COUNT ? names[kind] : "";
}

const char *tacho_trace_source_name(tacho_trace_source source)
{
    static const char *const names[] = {"MITE", "MS", "DSB", "LSD", "renamer"};
    return (unsigned)source < sizeof names / sizeof *names ? names[source] : "";
}

const char *tacho_trace_carrier_name(tacho_trace_carrier carrier)
{
    static const char *const names[] = {"register", "flags", "memory", "internal", "order"};
    return (unsigned)carrier < sizeof names / sizeof *names ? names[carrier] : "";
}
