/* bounds.h - what each component alone would allow: analytical limits in cycles per iteration. They know the
 * block and its layout, and nothing of the simulator. */
#ifndef TACHO_BOUNDS_H
#define TACHO_BOUNDS_H

#include "model/block/dsb_layout.h"

/* The critical dependency cycle: the chain of latencies that returns to itself an iteration (or more) later.
 */
typedef struct critical_cycle {
    double iterations; /* that it spans */
    uint32_t *insns;   /* in order; one entry an instruction on it */
    double *latencies; /* cycles that it adds there */
    uint32_t count;
} critical_cycle;

/* What the bound of ports comes from: µops that can go nowhere else. */
typedef struct busiest_ports {
    uint16_t ports;   /* bit n: port n; 0: none, or the bound is that of stores on their way to the cache */
    uint32_t *cycles; /* [insn]: of these ports, that the instruction's µops hold; NULL without `ports`, or
                         details */
} busiest_ports;

/* What bounds come from. */
typedef struct bounds_reasons {
    critical_cycle critical; /* with details */
    busiest_ports busiest;
} bounds_reasons;

typedef struct bounds_input {
    const block *b;
    const dsb_layout *layout;
    const tacho_predict_options *options;
    tacho_uop_source source;
    bool decoded; /* the predecoder and the decoders are of interest */
    arena *memory;
    bool conflicts; /* TACHO_BOUND_PORT_CONFLICTS is wanted */
    bool crowded;   /* so many vector µops wait that what takes one cycle takes two */
} bounds_input;

/* Fills `out`; NaN where a component does not apply. @return 0 or TACHO_ERR_MEMORY */
int bounds_compute(double out[TACHO_BOUND_COUNT], bounds_reasons *why, const bounds_input *in);

/* The bounds that apply to µops from `source`; bits 1 << tacho_bound. */
uint32_t bounds_applying(tacho_uop_source source);

/* Whether the move needs no µop. (It may need one all the same, when the elimination slots run out.) */
bool bounds_eliminates(const tacho_arch *arch, const block_insn *bi);

/* bounds_memory.c */
enum {
    FORWARD_DISTANCE_MAX = 4, /* iterations from a store to the load that reads from it */
};
/* Which store a load reads from in the steady state. */
typedef struct forwarding {
    uint16_t load_insn, store_insn;
    uint8_t load_access, store_access;
    uint8_t distance; /* iterations */
    bool same_start;  /* the load begins where the store does */
} forwarding;
typedef struct forwardings {
    forwarding *list; /* ordered by load_insn */
    uint32_t count;
} forwardings;
typedef struct memory_facts {
    forwardings forwardings;
    double store_cycles; /* of an iteration, where stores to different lines leave one by one; else 0 */
} memory_facts;
int bounds_memory(memory_facts *out, const bounds_input *in);

/* bounds_front_end.c; NaN when memory runs out */
double bounds_predecode(const bounds_input *in);
double bounds_decode(const bounds_input *in);
double bounds_dsb(const bounds_input *in);

/* bounds.c */
/* µops that synchronise RSP with the stack engine, in an iteration of the steady state. */
typedef struct stack_syncs {
    uint32_t count;
    uint8_t *before; /* [insn], NULL without any */
} stack_syncs;

/* dependencies.c */
/* *conflicts: the bound with what chains lose to each other over ports, NaN if they lose nothing; it is for
 * predictions without a simulation only. */
int bounds_dependencies(double *cycles, double *conflicts, critical_cycle *critical, const bounds_input *in,
                        const stack_syncs *syncs, const forwardings *memory);

enum {
    NO_PATH = INT32_MIN / 2
};

#endif
