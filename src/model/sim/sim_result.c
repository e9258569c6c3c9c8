/* sim_result.c - what follows from a prediction, for all who show it: one place for each rule. */
#include "tacho/predict.h"

#include <math.h>

bool tacho_prediction_is_lower_bound(const tacho_prediction *p)
{
    return p->unknown_count && p->unknown != TACHO_UNKNOWN_LATENCY;
}

bool tacho_prediction_uses_bound(const tacho_prediction *p, tacho_bound bound)
{
    switch (bound) {
    case TACHO_BOUND_PREDECODE:
    case TACHO_BOUND_DECODE:
        return p->source == TACHO_SOURCE_MITE || p->source == TACHO_SOURCE_MIXED;
    case TACHO_BOUND_DSB:
        return p->source == TACHO_SOURCE_DSB || p->source == TACHO_SOURCE_MIXED;
    case TACHO_BOUND_LSD:
        return p->source == TACHO_SOURCE_LSD;
    default:
        return true;
    }
}

/* A unit that serves only a part of the µops may have a bound above the result: it limits nothing. */
int tacho_prediction_next_limit(const tacho_prediction *p)
{
    int best = -1;
    for (int b = 0; b < TACHO_BOUND_COUNT; b++)
        if (p->bounds[b] > 0 && p->bounds[b] <= p->cycles * (1 + 1e-9) && !(p->bottlenecks >> b & 1) &&
            tacho_prediction_uses_bound(p, (tacho_bound)b) && (best < 0 || p->bounds[b] > p->bounds[best]))
            best = b;
    return best;
}

double tacho_prediction_ipc(const tacho_prediction *p)
{
    /* those left out are executed all the same: without them this would be no upper bound */
    size_t count = p->instruction_count ? p->instruction_count + p->skipped_count : 0;
    return p->cycles > 0 && count ? (double)count / p->cycles : NAN;
}

double tacho_prediction_uops_per_cycle(const tacho_prediction *p)
{
    double issued = 0;
    if (tacho_prediction_is_lower_bound(p)) /* what has no figures may have many µops */
        return NAN;
    for (size_t i = 0; i < p->instruction_count; i++)
        issued += p->instructions[i]->uops_issued;
    return p->cycles > 0 && p->instruction_count ? issued / p->cycles : NAN;
}

uint32_t tacho_prediction_work(const tacho_prediction *p, tacho_work work)
{
    return work == TACHO_WORK_ELEMENT ? p->elements.count
           : work == TACHO_WORK_BYTE  ? p->elements.stream_bytes
                                      : 1;
}

double tacho_prediction_cycles_per(const tacho_prediction *p, tacho_work work)
{
    uint32_t count = tacho_prediction_work(p, work);
    return count ? p->cycles / count : NAN;
}

tacho_work tacho_prediction_common_work(const tacho_prediction *a, const tacho_prediction *b)
{
    const tacho_elements *x = &a->elements, *y = &b->elements;
    bool given = (x->count && !x->smallest_bytes) || (y->count && !y->smallest_bytes);
    bool alike = x->smallest_bytes == y->smallest_bytes && x->largest_bytes == y->largest_bytes;
    if (x->count && y->count && (alike || given))
        return x->count != y->count ? TACHO_WORK_ELEMENT : TACHO_WORK_ITERATION;
    return x->stream_bytes && y->stream_bytes && x->stream_bytes != y->stream_bytes ? TACHO_WORK_BYTE
                                                                                    : TACHO_WORK_ITERATION;
}
