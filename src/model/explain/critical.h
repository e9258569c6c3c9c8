/* critical.h - what the critical dependency cycle goes through. */
#ifndef TACHO_EXPLAIN_CRITICAL_H
#define TACHO_EXPLAIN_CRITICAL_H

#include "base/private.h"
#include "tacho/predict.h"

/** The i-th instruction of the cycle, counted from the one that is first in the block. */
TACHO_PRIVATE uint32_t tacho_critical_insn(const tacho_prediction *p, size_t i);
/** Cycles that it adds there. */
TACHO_PRIVATE double tacho_critical_latency(const tacho_prediction *p, size_t i);
enum {
    CRITICAL_MOST_CARRIERS = 16
};
typedef struct critical_carriers {
    char names[CRITICAL_MOST_CARRIERS][24]; /**< "rax", "carry flag", "memory" */
    size_t count;
    bool more; /**< there are others */
} critical_carriers;
TACHO_PRIVATE void tacho_critical_carriers(const tacho_prediction *p, critical_carriers *out);
/** What the i-th instruction of the cycle hands on to the next. */
TACHO_PRIVATE void tacho_critical_carrier(const tacho_prediction *p, size_t i, critical_carriers *out);
/** Whether the next is one of a later iteration. */
TACHO_PRIVATE bool tacho_critical_wraps(const tacho_prediction *p, size_t i);

#endif
