/* sim_trace.c - collects what happens to each µop, and tells the listener when the µop retires. Looks at the
 * units, never changes them.
 *
 * The machine knows when values are ready, not who makes them; the tracer keeps a register table of its own
 * with their producers. */
#include "model/sim/sim_trace.h"

#include "base/names.h"

enum {
    UOPS = 4096,     /* µops and records that are remembered; power of two */
    EDGES = 8 * UOPS /* power of two */
};

/* Who makes the value of a unit or temporary. */
typedef struct traced_value {
    int32_t seq; /* -1: known from the start */
    uint8_t out;
    int64_t through; /* number of the eliminated move that passed it on, -1 none */
} traced_value;

/* A µop with a port, as a producer. */
typedef struct traced_uop {
    uint64_t number;
    uint32_t insn, iteration;
    const op *u;
    int32_t start, base;
} traced_uop;

typedef struct traced_record {
    tacho_trace_uop told;
    int32_t rob;
    uint32_t first_edge; /* in the ring */
} traced_record;

struct sim_trace {
    const tacho_trace_listener *listener;
    int status;
    int32_t decoded; /* when the instruction that was decoded last was predecoded */
    int32_t queued[SIM_IDQ], predecoded[SIM_IDQ];
    uint8_t source[SIM_IDQ];
    traced_value values[SLOT_COUNT];
    struct {
        uint8_t slot;
        traced_value value;
    } late[LATE_RESULTS];
    uint32_t late_count;
    int32_t load_fence, store_fence, next_load_fence, next_store_fence, last_load,
        last_store; /* µops, -1 none */
    traced_uop uops[UOPS];
    traced_record records[UOPS];
    tacho_trace_edge edges[EDGES];
    uint64_t record_head, record_tail, slots;
    uint32_t edge_tail;
    int32_t rob_head, rob_tail; /* at the end of the previous cycle */
};

sim_trace *sim_trace_new(arena *a, const tacho_trace_listener *listener)
{
    sim_trace *t = arena_alloc(a, sizeof *t);
    if (!t)
        return NULL;
    t->listener = listener;
    for (int k = 0; k < SLOT_COUNT; k++)
        t->values[k] = (traced_value){.seq = -1, .through = -1};
    t->decoded = -1;
    t->load_fence = t->store_fence = t->last_load = t->last_store = -1;
    return t;
}

int sim_trace_status(const sim_trace *t)
{
    return t->status;
}

void sim_trace_decoded(sim *s)
{
    const predecoder *p = &s->fe.pre;
    s->trace->decoded = p->times[p->iq_popped & (SIM_IQ - 1)];
}

void sim_trace_queued(sim *s, delivery_source source)
{
    sim_trace *t = s->trace;
    uint32_t at = (s->fe.idq_head + s->fe.idq_count - 1) & (SIM_IDQ - 1);
    t->queued[at] = s->cycle;
    t->source[at] = (uint8_t)source;
    t->predecoded[at] = source <= FROM_MS && s->fe.source == FROM_MITE ? t->decoded : -1;
}

static tacho_trace_kind kind_at_rename(const block_insn *bi)
{
    return bi->eliminable                      ? TACHO_TRACE_ELIMINATED
           : bi->notes & TACHO_NOTE_ZERO_IDIOM ? TACHO_TRACE_ZERO_IDIOM
           : bi->notes & TACHO_NOTE_NOP        ? TACHO_TRACE_NOP
           : bi->has_form                      ? TACHO_TRACE_RENAMED
                                               : TACHO_TRACE_UNKNOWN;
}

/* The instruction that an inserted µop is for comes after it in the queue. */
static uint32_t insn_at_head(const sim *s)
{
    uint32_t lam = s->fe.idq[s->fe.idq_head & (SIM_IDQ - 1)] & ~IDQ_FLAGS;
    if (lam == s->prog.lam_sync)
        lam = s->fe.idq[(s->fe.idq_head + 1) & (SIM_IDQ - 1)] & ~IDQ_FLAGS;
    return s->prog.lams[lam].insn;
}

static traced_record *new_record(sim *s)
{
    sim_trace *t = s->trace;
    uint32_t head = s->fe.idq_head & (SIM_IDQ - 1);
    traced_record *r = &t->records[t->record_tail & (UOPS - 1)];
    *r = (traced_record){.rob = s->rob.tail, .first_edge = t->edge_tail};
    r->told = (tacho_trace_uop){.number = t->record_tail,
                                .instruction = insn_at_head(s),
                                .iteration = s->issued_iterations,
                                .slot = t->slots,
                                .source = (tacho_trace_source)t->source[head],
                                .port = -1,
                                .predecoded = t->predecoded[head],
                                .queued = t->queued[head],
                                .issued = s->cycle,
                                .ready = -1,
                                .dispatched = -1,
                                .executed = -1,
                                .waited_for = -1};
    t->record_tail++;
    return r;
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

static tacho_trace_carrier carrier_of(uint8_t slot)
{
    if (slot >= TEMP_BASE)
        return TACHO_TRACE_INTERNAL;
    return slot == UNIT_FLAG_C || slot == UNIT_FLAG_SPAZO ? TACHO_TRACE_FLAGS : TACHO_TRACE_REGISTER;
}

/* A µop that is still remembered; NULL otherwise. */
static const traced_uop *producer_of(const sim *s, int32_t seq)
{
    return seq < 0 || s->next_seq - seq >= SIM_ROB ? NULL : &s->trace->uops[seq & (UOPS - 1)];
}

static tacho_trace_edge *add_edge(sim *s, traced_record *r, const traced_uop *p, tacho_trace_carrier carrier,
                                  int32_t ready)
{
    sim_trace *t = s->trace;
    tacho_trace_edge *e = &t->edges[t->edge_tail++ & (EDGES - 1)];
    r->told.edge_count++;
    *e = (tacho_trace_edge){.producer = p->number,
                            .instruction = p->insn,
                            .iteration = p->iteration,
                            .through = -1,
                            .carrier = carrier,
                            .reg = register_of(UNIT_NONE),
                            .ready = ready,
                            .latency = ready - p->start};
    return e;
}

static void add_value_edge(sim *s, traced_record *r, uint8_t slot, const traced_value *v)
{
    const traced_uop *p = producer_of(s, v->seq);
    if (!p)
        return;
    tacho_trace_edge *e = add_edge(s, r, p, carrier_of(slot), p->base + op_latency(&p->u->out[v->out]));
    e->reg = register_of(slot);
    e->through = v->through;
}

static void add_order_edge(sim *s, traced_record *r, int32_t seq)
{
    const traced_uop *p = producer_of(s, seq);
    if (p)
        add_edge(s, r, p, TACHO_TRACE_ORDER, p->base + p->u->first_latency);
}

static bool is_fence(const sim *s, const op *u)
{
    return u->insn < s->b->insn_count && (u->flags & OP_FIRST_OF_INSN) &&
           (s->b->insns[u->insn].load_fence || s->b->insns[u->insn].store_fence);
}

/* As the renamer orders accesses and fences. */
static void follow_order(sim *s, traced_record *r, const op *u)
{
    sim_trace *t = s->trace;
    if (is_fence(s, u)) {
        const block_insn *bi = &s->b->insns[u->insn];
        if (bi->load_fence)
            add_order_edge(s, r, t->last_load);
        if (bi->store_fence)
            add_order_edge(s, r, t->last_store);
        t->next_load_fence = bi->load_fence ? s->next_seq : t->load_fence;
        t->next_store_fence = bi->store_fence ? s->next_seq : t->store_fence;
    } else if (u->kind == UOP_LOAD) {
        add_order_edge(s, r, t->load_fence);
        t->last_load = s->next_seq;
    } else if (u->kind != UOP_COMPUTE) {
        add_order_edge(s, r, t->store_fence);
        t->last_store = s->next_seq;
    }
}

static void add_memory_edges(sim *s, traced_record *r, const op *u, const load_source *from)
{
    const store_record *e = from->store;
    const traced_uop *address = producer_of(s, e->last_seq[0]), *data = producer_of(s, e->last_seq[1]);
    int32_t forward = block_forward_cycles(s->arch, u->ports, u->flags & OP_VECTOR_LOAD);
    if (from->renamed) {
        if (data)
            add_edge(s, r, data, TACHO_TRACE_MEMORY, from->available);
        return;
    }
    if (address)
        add_edge(s, r, address, TACHO_TRACE_MEMORY,
                 from->blocked || from->aliased ? from->available
                                                : e->address_start + s->arch->load_latency_cycles + forward);
    if (data)
        add_edge(s, r, data, TACHO_TRACE_MEMORY,
                 from->blocked || from->aliased ? from->available : e->data_start + 1 + forward);
}

static void write_values(sim *s, const op *u)
{
    sim_trace *t = s->trace;
    uint32_t now = u->out_count - u->late_count;
    for (uint32_t k = 0; k < u->out_count; k++) {
        const traced_value v = {.seq = s->next_seq, .out = (uint8_t)k, .through = -1};
        if (k < now)
            t->values[u->out[k].slot] = v;
        else if (t->late_count < sizeof t->late / sizeof *t->late) {
            t->late[t->late_count].slot = u->out[k].slot;
            t->late[t->late_count++].value = v;
        }
    }
}

/* The operand that came last, if the µop could have been dispatched before it came; of the two parts of a
 * store that a load reads from, the later one, if the load's own latency had passed before. */
static int32_t find_waited_for(const sim *s, const traced_record *r, bool forwarded_late)
{
    const sim_trace *t = s->trace;
    int32_t last = -1, latest = s->cycle + s->arch->issue_to_dispatch_cycles - 1;
    for (uint32_t k = 0; k < r->told.edge_count; k++) {
        const tacho_trace_edge *e = &t->edges[(r->first_edge + k) & (EDGES - 1)];
        if ((e->carrier == TACHO_TRACE_MEMORY) == forwarded_late && e->ready > latest) {
            last = (int32_t)k;
            latest = e->ready;
        }
    }
    return last;
}

static void name_inserted(const sim *s, tacho_trace_uop *u)
{
    if ((s->fe.idq[s->fe.idq_head & (SIM_IDQ - 1)] & ~IDQ_FLAGS) == s->prog.lam_sync) {
        u->kind = TACHO_TRACE_STACK_SYNC;
        return;
    }
    u->kind = TACHO_TRACE_HIGH8_MERGE;
    u->source = TACHO_TRACE_FROM_RENAMER;
    u->predecoded = u->queued = -1;
}

void sim_trace_uop(sim *s, const uop_times *times, const load_source *from)
{
    sim_trace *t = s->trace;
    const op *u = times->u;
    traced_record *r = new_record(s);
    tacho_trace_uop *told = &r->told;
    _Static_assert((int)TACHO_TRACE_STORE_DATA == UOP_STORE_DATA, "in the same order");
    told->kind = (tacho_trace_kind)u->kind;
    told->uop = u->number;
    if (u->insn >= s->b->insn_count)
        name_inserted(s, told);
    told->ports = u->ports;
    told->port = (int8_t)times->port;
    told->ready = times->ready;
    told->dispatched = times->start;
    told->executed = times->end;
    for (uint32_t k = 0; k < u->in_count; k++)
        add_value_edge(s, r, u->in[k], &t->values[u->in[k]]);
    if (from->store)
        add_memory_edges(s, r, u, from);
    if (s->any_fence)
        follow_order(s, r, u);
    told->waited_for = find_waited_for(s, r, times->forwarded_late);
    t->uops[s->next_seq & (UOPS - 1)] =
        (traced_uop){told->number, told->instruction, told->iteration, u, times->start, times->base};
    write_values(s, u);
}

void sim_trace_issued(sim *s, bool empty)
{
    if (empty) {
        traced_record *r = new_record(s);
        r->told.kind = kind_at_rename(&s->b->insns[r->told.instruction]);
    }
    s->trace->slots++;
}

void sim_trace_moved(sim *s, const block_insn *bi)
{
    sim_trace *t = s->trace;
    traced_record *r = new_record(s);
    r->told.kind = kind_at_rename(bi);
    add_value_edge(s, r, bi->move_source, &t->values[bi->move_source]);
    for (int k = 0; bi->adds_constant && k < 2; k++)
        if (bi->sum_flags[k] != UNIT_NONE)
            t->values[bi->sum_flags[k]] = t->values[bi->move_source];
    t->values[bi->move_target] = t->values[bi->move_source];
    t->values[bi->move_target].through = (int64_t)r->told.number;
    t->slots++;
}

void sim_trace_completed(sim *s, const block_insn *bi)
{
    sim_trace *t = s->trace;
    for (uint32_t k = 0; k < t->late_count; k++)
        t->values[t->late[k].slot] = t->late[k].value;
    t->late_count = 0;
    for (int k = 0; k < bi->kill_count; k++)
        t->values[bi->kills[k]] = (traced_value){.seq = -1, .through = -1};
    if (bi->uop_count && (bi->load_fence || bi->store_fence)) {
        t->load_fence = t->next_load_fence;
        t->store_fence = t->next_store_fence;
    }
}

static void report(sim *s, const traced_record *r)
{
    sim_trace *t = s->trace;
    tacho_trace_edge edges[UOP_MAX_IN + 4];
    tacho_trace_uop u = r->told;
    for (uint32_t k = 0; k < u.edge_count; k++)
        edges[k] = t->edges[(r->first_edge + k) & (EDGES - 1)];
    u.edges = edges;
    u.retired = s->cycle;
    t->status = t->listener->uop(&u, t->listener->payload);
}

void sim_trace_retired(sim *s)
{
    sim_trace *t = s->trace;
    for (; t->record_head != t->record_tail; t->record_head++) {
        const traced_record *r = &t->records[t->record_head & (UOPS - 1)];
        if (r->rob >= s->rob.head)
            break;
        if (t->listener->uop && !t->status)
            report(s, r);
    }
}

void sim_trace_cycle(sim *s)
{
    sim_trace *t = s->trace;
    tacho_trace_cycle c = {.cycle = s->cycle,
                           .iq = s->fe.pre.iq_count,
                           .idq = s->fe.idq_count,
                           .rob = (uint32_t)(s->rob.tail - s->rob.head),
                           .scheduler = s->reserved.occupancy,
                           .issued = (uint32_t)(s->rob.tail - t->rob_tail),
                           .retired = (uint32_t)(s->rob.head - t->rob_head),
                           .iterations = s->counted_iterations};
    t->rob_head = s->rob.head;
    t->rob_tail = s->rob.tail;
    if (t->listener->cycle && !t->status)
        t->status = t->listener->cycle(&c, t->listener->payload);
}

NAMES_OF(tacho_trace_kind_name, tacho_trace_kind, "", "compute", "load", "store-address", "store-data",
         "stack-sync", "high8-merge", "eliminated", "zero-idiom", "nop", "renamed", "unknown")
NAMES_OF(tacho_trace_source_name, tacho_trace_source, "", "MITE", "MS", "DSB", "LSD", "renamer")
NAMES_OF(tacho_trace_carrier_name, tacho_trace_carrier, "", "register", "flags", "memory", "internal",
         "order")
