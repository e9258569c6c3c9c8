/* prediction.c - what follows from a prediction, for all who show it, and the words for it, as in JSON: one
 * place for each rule. */
#include "tacho/predict.h"

#include <math.h>
#include <string.h>

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

/* ---- words ---- */

const char *tacho_bound_name(tacho_bound bound)
{
    static const char *const names[] = {"predecode",       "decode",        "dsb",     "lsd",
                                        "issue",           "ports",         "divider", "dependencies",
                                        "start_intervals", "port_conflicts"};
    return (unsigned)bound < TACHO_BOUND_COUNT ? names[bound] : "";
}

const char *tacho_bottleneck_names(uint32_t bottlenecks, const char *separator, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (uint32_t left = bottlenecks; left; left &= left - 1) {
        const char *name = tacho_bound_name((tacho_bound)__builtin_ctz(left));
        size_t before = used ? strlen(separator) : 0, n = strlen(name);
        if (used + before + n >= size)
            break;
        memcpy(out + used, separator, before);
        memcpy(out + used + before, name, n + 1);
        used += before + n;
    }
    return out;
}

const char *tacho_slot_reason_name(tacho_slot_reason reason)
{
    static const char *const names[] = {
        "predecode", "decode",          "ms",  "dsb",       "lsd",         "rename", "ports",
        "divider",   "start_intervals", "rob", "scheduler", "dependencies"};
    return (unsigned)reason < TACHO_SLOT_REASON_COUNT ? names[reason] : "";
}

const char *tacho_uop_source_name(tacho_uop_source source)
{
    static const char *const names[] = {"MITE", "DSB", "LSD", "mixed"};
    return (unsigned)source < 4 ? names[source] : "";
}

const char *tacho_mode_name(tacho_mode mode)
{
    static const char *const names[] = {"auto", "loop", "unroll"};
    return (unsigned)mode < 3 ? names[mode] : "";
}

const char *tacho_work_name(tacho_work work)
{
    static const char *const names[] = {"iteration", "element", "byte"};
    return (unsigned)work < 3 ? names[work] : "";
}
