/* bounds.c - one limit a component. Sources: uiCA paper, section 4.1, and for the idea of looking at each
 * component alone the Facile paper (Abel, Sharma, Reineke 2023). */
#include <math.h>

#include "model/bounds/bounds.h"

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
