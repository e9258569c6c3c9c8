/* bounds.c - one limit a component. Sources: uiCA paper, section 4.1, and for the idea of looking at each
 * component alone the Facile paper (Abel, Sharma, Reineke 2023). */

#include "base/number.h"
#include "model/bounds/bounds.h"

/* ---- ports ---- */

/* How long an iteration's µops need their ports and the divider, and the initiation intervals of instructions
 * that are not fully pipelined. */

enum {
    MAX_SETS = 64, /* distinct port sets that are told apart; further ones are left out */
    FEW_PORTS = 10,
    FEW_UNIONS = 1 << FEW_PORTS
};

typedef struct port_use {
    uint16_t set[MAX_SETS];
    uint32_t count[MAX_SETS];
    uint32_t n, total;
} port_use;

static void count_uop(port_use *use, uint16_t ports)
{
    use->total++;
    for (uint32_t j = 0; j < use->n; j++)
        if (use->set[j] == ports) {
            use->count[j]++;
            return;
        }
    if (use->n == MAX_SETS)
        return;
    use->set[use->n] = ports;
    use->count[use->n++] = 1;
}

/* A load whose place can be that of its instruction's store. */
static bool may_leave_with_store(const tacho_arch *arch, const block_insn *bi, const uop *u)
{
    return arch->stores_at_load_unit && u->kind == UOP_LOAD && bi->mem_count && bi->mem[u->mem].write;
}

/* Once for each cycle that it holds its port. */
static void count_held(port_use *use, const block *b, const block_insn *bi, const uop *u)
{
    if (may_leave_with_store(b->arch, bi, u))
        return;
    for (uint32_t n = u->ports && !u->needs_no_port ? block_port_cycles(b->arch, bi, u) : 0; n; n--)
        count_uop(use, u->ports);
}

static void count_insn(port_use *use, const block *b, const block_insn *bi)
{
    if (bi->eliminable && !bounds_eliminates(b->arch, bi))
        count_uop(use, b->uops[bi->uneliminated_first].ports);
    for (uint32_t k = 0; k < bi->uop_count; k++)
        count_held(use, b, bi, &b->uops[bi->uop_first + k]);
}

static void count_block(port_use *use, const bounds_input *in, const stack_syncs *syncs)
{
    const block *b = in->b;
    use->n = use->total = 0;
    for (uint32_t i = 0; i < b->insn_count; i++)
        count_insn(use, b, &b->insns[i]);
    for (uint32_t k = 0; k < syncs->count; k++)
        count_uop(use, b->arch->alu_ports);
}

typedef struct port_maximum {
    uint32_t uops, ports; /* their quotient */
    uint32_t set;
} port_maximum;

/* The µops that can go nowhere but to `ports`. */
static void weigh_union(port_maximum *best, const port_use *use, uint32_t ports)
{
    uint32_t uops = 0, size = bits_in_16(ports);
    if (use->total * best->ports <= best->uops * size)
        return; /* not even all of them would be more */
    for (uint32_t j = 0; j < use->n; j++)
        uops += use->set[j] & ~ports ? 0 : use->count[j];
    if (uops * best->ports > best->uops * size)
        *best = (port_maximum){uops, size, ports};
}

/* The busiest set of ports is a union of sets that occur, in which each set shares a port with another one.
 * These are all such unions, beginning with the single sets. `known`: a bit for each set of ports, all clear.
 */
static port_maximum find_busiest(const port_use *use, uint16_t *unions, uint64_t *known)
{
    port_maximum best = {0, 1, 0};
    uint32_t n = 0;
    for (uint32_t j = 0; j < use->n; j++) {
        known[use->set[j] / 64] |= (uint64_t)1 << use->set[j] % 64;
        unions[n++] = use->set[j];
    }
    for (uint32_t k = 0; k < n; k++) {
        weigh_union(&best, use, unions[k]);
        for (uint32_t j = 0; j < use->n; j++) {
            uint16_t more = unions[k] | use->set[j];
            if (!(unions[k] & use->set[j]) || (known[more / 64] >> more % 64 & 1))
                continue;
            known[more / 64] |= (uint64_t)1 << more % 64;
            unions[n++] = more;
        }
    }
    return best;
}

/* The same for many ports: there are as many unions as sets and ports allow. */
static bool find_busiest_of_many(port_maximum *best, const port_use *use, uint32_t ports, arena *a)
{
    uint32_t most = (uint32_t)1 << (use->n < ports ? use->n : ports);
    uint16_t *unions = arena_alloc_raw(a, most * sizeof *unions);
    uint64_t *known = arena_alloc(a, ((size_t)1 << ports) / 64 * sizeof *known);
    if (!unions || !known)
        return false;
    *best = find_busiest(use, unions, known);
    return true;
}

/* Cycles of these ports that the instruction's µops hold, as they can go nowhere else. */
static uint32_t cycles_held(const block *b, const block_insn *bi, uint32_t ports)
{
    port_use use = {.n = 0};
    uint32_t cycles = 0;
    count_insn(&use, b, bi);
    for (uint32_t j = 0; j < use.n; j++)
        cycles += use.set[j] & ~ports ? 0 : use.count[j];
    return cycles;
}

static bool explain_ports(busiest_ports *out, const bounds_input *in, uint32_t ports)
{
    const block *b = in->b;
    *out = (busiest_ports){.ports = (uint16_t)ports};
    if (!ports || !in->options->details)
        return true;
    out->cycles = arena_alloc_raw(in->memory, b->insn_count * sizeof *out->cycles);
    for (uint32_t i = 0; out->cycles && i < b->insn_count; i++)
        out->cycles[i] = cycles_held(b, &b->insns[i], ports);
    return out->cycles;
}

static double bounds_ports(const bounds_input *in, const stack_syncs *syncs, double store_cycles,
                           busiest_ports *busiest)
{
    port_use use;
    port_maximum best;
    count_block(&use, in, syncs);
    if (in->b->arch->ports <= FEW_PORTS) {
        uint16_t unions[FEW_UNIONS];
        uint64_t known[FEW_UNIONS / 64] = {0};
        best = find_busiest(&use, unions, known);
    } else if (!find_busiest_of_many(&best, &use, in->b->arch->ports, in->memory)) {
        return NAN;
    }
    double cycles = (double)best.uops / best.ports;
    if (!explain_ports(busiest, in, store_cycles > cycles ? 0 : best.set))
        return NAN;
    return store_cycles > cycles ? store_cycles : cycles;
}

static double bounds_divider(const block *b)
{
    double cycles = 0;
    for (uint32_t i = 0; i < b->uop_count; i++)
        cycles += b->uops[i].div_cycles;
    return cycles / b->arch->dividers;
}

/* Instructions of one form share one initiation interval. */
static double bounds_start_intervals(const block *b)
{
    uint32_t most = 0;
    bool any = false;
    for (uint32_t i = 0; i < b->insn_count; i++) {
        if (!b->insns[i].tp_cycles || b->insns[i].throttle_owner != i)
            continue;
        uint32_t cycles = 0;
        for (uint32_t k = i; k < b->insn_count; k++)
            cycles += b->insns[k].throttle_owner == i ? b->insns[k].tp_cycles : 0;
        most = cycles > most ? cycles : most;
        any = true;
    }
    return any ? most : NAN;
}

/* How many cycles the renamer needs for an iteration's fused µops: groups of at most the issue
 * width, in order; µops that are unlaminated stay together (uiCA paper, section 4.1.6). The stack engine's
 * synchronising µops take slots too. */

/* Where the stack engine's offset is flushed. It is known after the first instruction that flushes or resets
 * it. Where there is no such instruction nothing is counted: pushes alone need a µop only about every 24
 * pushes. */
static int bounds_stack_syncs(stack_syncs *out, const bounds_input *in)
{
    const block *b = in->b;
    int offset = 0;
    bool moved = false;
    *out = (stack_syncs){0, NULL};
    bool anchored = false;
    for (uint32_t i = 0; b->has_stack && i < b->insn_count; i++)
        anchored |= b->insns[i].uses_rsp || b->insns[i].resets_stack;
    if (!anchored)
        return 0;
    out->before = arena_alloc(in->memory, b->insn_count);
    if (!out->before)
        return TACHO_ERR_MEMORY;
    for (uint32_t k = 0; k < 2 * b->insn_count; k++) {
        uint32_t i = k % b->insn_count;
        const block_insn *bi = &b->insns[i];
        bool syncs = bi->uses_rsp && !bi->fused_into_previous &&
                     (bi->always_syncs || (b->arch->stack_sync_when_moved ? moved : offset != 0));
        offset = (syncs ? 0 : offset) + bi->stack_delta;
        moved = (moved && !syncs) || bi->stack_delta;
        bool overflows = offset > b->arch->stack_offset_most || offset < -b->arch->stack_offset_most;
        if (overflows || bi->resets_stack) {
            offset = 0;
            moved = false;
        }
        if (k < b->insn_count)
            continue;
        out->before[i] = (uint8_t)(syncs + overflows);
        out->count += out->before[i];
    }
    return 0;
}

typedef struct issue_state {
    uint32_t cycles, used; /* slots of the current cycle */
} issue_state;

static void issue_slots(issue_state *s, uint32_t slots, uint32_t room, uint32_t width)
{
    if (s->used && s->used + room > width) {
        s->cycles++;
        s->used = 0;
    }
    s->used += slots;
    for (; s->used >= width; s->used = s->used > width ? s->used - width : 0)
        s->cycles++;
}

static void issue_iteration(issue_state *s, const block *b, const stack_syncs *syncs)
{
    uint32_t width = b->arch->issue_width;
    for (uint32_t i = 0; i < b->insn_count; i++) {
        const block_insn *bi = &b->insns[i];
        for (uint32_t k = 0; syncs->before && k < syncs->before[i]; k++)
            issue_slots(s, 1, 1, width);
        for (uint32_t k = bi->laminated_first; k < bi->laminated_first + bi->laminated_count; k++)
            issue_slots(s, b->laminated[k].count, block_issue_room(b, bi, k), width);
    }
}

/* Whether slots can stay empty. */
static bool any_waits(const block *b)
{
    bool waits = false;
    for (uint32_t i = 0; i < b->insn_count; i++)
        for (uint32_t k = 0; k < b->insns[i].laminated_count; k++)
            waits |= block_issue_room(b, &b->insns[i], b->insns[i].laminated_first + k) > 1;
    return waits;
}

static double bounds_issue(const bounds_input *in, const stack_syncs *syncs)
{
    const block *b = in->b;
    uint32_t width = b->arch->issue_width, slots = b->issue_slots + syncs->count;
    if (!any_waits(b))
        return (double)slots / width;
    /* the number of slots used at an iteration's start recurs within `width` iterations */
    issue_state s = {0, 0}, at_start[17];
    uint32_t first[17];
    bool seen[17] = {false};
    for (uint32_t iteration = 0;; iteration++) {
        if (seen[s.used])
            return (double)(s.cycles - at_start[s.used].cycles) / (iteration - first[s.used]);
        seen[s.used] = true;
        at_start[s.used] = s;
        first[s.used] = iteration;
        issue_iteration(&s, b, syncs);
    }
}

/* From the LSD, the last µop of the unrolled loop ends its group. */
static double bounds_lsd(const bounds_input *in)
{
    const dsb_layout *l = in->layout;
    const stack_syncs none = {0, NULL};
    issue_state s = {0, 0};
    if (in->source != TACHO_SOURCE_LSD || !l->fits_lsd)
        return NAN;
    for (uint32_t k = 0; k < l->lsd_unroll; k++)
        issue_iteration(&s, in->b, &none);
    return (double)(s.cycles + (s.used > 0)) / l->lsd_unroll;
}

uint32_t bounds_applying(tacho_uop_source source)
{
    const uint32_t decoders = 1u << TACHO_BOUND_PREDECODE | 1u << TACHO_BOUND_DECODE;
    const uint32_t one_source = decoders | 1u << TACHO_BOUND_DSB | 1u << TACHO_BOUND_LSD;
    const uint32_t others = ((1u << TACHO_BOUND_COUNT) - 1) & ~one_source;
    switch (source) {
    case TACHO_SOURCE_MITE:
        return others | decoders;
    case TACHO_SOURCE_DSB:
        return others | 1u << TACHO_BOUND_DSB;
    case TACHO_SOURCE_LSD:
        return others | 1u << TACHO_BOUND_LSD;
    default:
        return others;
    }
}

bool tacho_bound_applies(tacho_bound bound, tacho_uop_source source)
{
    return bounds_applying(source) >> bound & 1;
}

/* Whether µops come clearly faster than they leave, vectors of one cycle among them. */
static bool fills_vector_schedulers(const double bounds[TACHO_BOUND_COUNT], const block *b)
{
    bool quick = false;
    for (uint32_t k = 0; k < b->uop_count && b->arch->vector_quick_places && !quick; k++)
        quick = block_is_quick(b->arch, &b->uops[k]);
    if (!quick)
        return false;
    double come = fmax(bounds[TACHO_BOUND_ISSUE], bounds[TACHO_BOUND_DSB]);
    double leave = fmax(fmax(bounds[TACHO_BOUND_DEPENDENCIES], bounds[TACHO_BOUND_PORTS]),
                        fmax(bounds[TACHO_BOUND_DIVIDER], bounds[TACHO_BOUND_START_INTERVALS]));
    return leave > 1.25 * come;
}

int bounds_compute(double out[TACHO_BOUND_COUNT], bounds_reasons *why, const bounds_input *in)
{
    stack_syncs syncs;
    memory_facts memory;
    critical_cycle *critical = in->options->details ? &why->critical : NULL;
    *why = (bounds_reasons){.critical.count = 0};
    if (bounds_stack_syncs(&syncs, in) || bounds_memory(&memory, in))
        return TACHO_ERR_MEMORY;
    out[TACHO_BOUND_PREDECODE] = in->decoded ? bounds_predecode(in) : NAN;
    out[TACHO_BOUND_DECODE] = in->decoded ? bounds_decode(in) : NAN;
    out[TACHO_BOUND_DSB] = bounds_dsb(in);
    out[TACHO_BOUND_LSD] = bounds_lsd(in);
    out[TACHO_BOUND_ISSUE] = bounds_issue(in, &syncs);
    out[TACHO_BOUND_PORTS] = bounds_ports(in, &syncs, memory.store_cycles, &why->busiest);
    if (isnan(out[TACHO_BOUND_PORTS]))
        return TACHO_ERR_MEMORY;
    out[TACHO_BOUND_DIVIDER] = bounds_divider(in->b);
    out[TACHO_BOUND_START_INTERVALS] = bounds_start_intervals(in->b);
    int rc = bounds_dependencies(&out[TACHO_BOUND_DEPENDENCIES], &out[TACHO_BOUND_PORT_CONFLICTS], critical,
                                 in, &syncs, &memory.forwardings);
    if (rc || !fills_vector_schedulers(out, in->b))
        return rc;
    bounds_input crowded = *in;
    crowded.crowded = true;
    return bounds_dependencies(&out[TACHO_BOUND_DEPENDENCIES], &out[TACHO_BOUND_PORT_CONFLICTS], critical,
                               &crowded, &syncs, &memory.forwardings);
}
