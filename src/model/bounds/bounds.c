/* bounds.c - one limit a component. Sources: uiCA paper, section 4.1, and for the idea of looking at each
 * component alone the Facile paper (Abel, Sharma, Reineke 2023). */
#include "model/bounds/bounds.h"

#include <math.h>

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
