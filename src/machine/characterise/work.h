/* work.h - the loops of one form: what is measured (characterise.c), and what follows from it (conclude.c).
 */
#ifndef TACHO_CHARACTERISE_WORK_H
#define TACHO_CHARACTERISE_WORK_H

#include "machine/characterise/chain.h"

enum {
    MAX_TASKS = 2 * (TACHO_MAX_MEASURED_LATENCIES + LINK_COUNT) + 8,
    SPACED = 8, /* instructions, with NOPs, for each that computes: one of these comes in a cycle */
    NOP_BYTES = 5,
    THROUGHPUT_KINDS = 3, /* see chain_for_throughput */
    NO_TASK = -1
};

/* A loop to measure. */
typedef struct task {
    chain c;
    uint8_t code[CHAIN_MAX_BYTES + CHAIN_MAX_STEPS * SPACED * NOP_BYTES];
    tacho_mode mode;
    bool done;
    unsigned spaces; /* NOPs behind it: see add_spaced */
    unsigned instances;
    tacho_measurement result;
} task;

typedef struct work {
    tacho_time_blocks *time;
    void *payload; /* for `time` */
    uint32_t form;
    const tacho_characterise_options *options;
    tacho_characterisation *out;
    task *tasks;
    unsigned count;
    int latency_task[TACHO_MAX_MEASURED_LATENCIES], spaced_task[TACHO_MAX_MEASURED_LATENCIES];
    int link_task[LINK_COUNT], spaced_link_task[LINK_COUNT];
    int throughput_task[THROUGHPUT_KINDS][2]; /* unrolled, looped */
    double independent; /* cycles an instance in the fastest loop without dependencies of its own; NaN none */
} work;

/** Fills latencies and throughput of work.out from the results of the tasks. */
void characterise_conclude(work *w);

#endif
