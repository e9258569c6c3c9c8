/* core_diff.h - the parameters and the instruction timing in which two microarchitectures differ. */
#ifndef TACHO_X86_CORE_DIFF_H
#define TACHO_X86_CORE_DIFF_H

#include "base/private.h"
#include "tacho/arch.h"
#include "tacho/insndb.h"

/** What is compared of a form. */
typedef enum core_quantity {
    CORE_UOPS,
    CORE_ISSUED,
    CORE_DECODED,
    CORE_LATENCY,
    CORE_THROUGHPUT,
    CORE_DIFF_QUANTITIES
} core_quantity;

/** A form that both have, with different timing. */
typedef struct core_form_change {
    uint32_t id;
    double of[CORE_DIFF_QUANTITIES][2]; /**< NaN: unknown */
    bool other_ports;
} core_form_change;

typedef struct core_parameter_change {
    size_t number;
    tacho_arch_parameter p;
    char of[2][80];
} core_parameter_change;

typedef struct core_diff {
    const tacho_arch *of[2];
    core_parameter_change *parameters;
    size_t parameter_count;
    core_form_change *forms;
    size_t form_count;
    uint32_t shared, only[2]; /**< forms: with timing on both, on one alone */
    uint32_t changed[CORE_DIFF_QUANTITIES], other_ports;
} core_diff;

/** @return 0, MEMORY; in any case to be freed */
TACHO_PRIVATE int tacho_core_diff_make(core_diff *out, const tacho_arch *from, const tacho_arch *to,
                                       tacho_error *err);
TACHO_PRIVATE void tacho_core_diff_free(core_diff *d);
/** Whether both figures are not the same; unknown ones are. */
TACHO_PRIVATE bool tacho_core_differs(const double of[2]);

#endif
