/* loader.h - what the program that loads kernels (loader.c) and the library share: the plan, and what comes
 * back. It lies in memory that both have; a kernel that goes astray may have written anything to it.
 *
 *   loader count OBJECT      calls the kernel twice, under callgrind, which collects in the second region
 *   loader measure OBJECT    takes samples of the region's time
 *   loader trace OBJECT      goes through the region of the second call: in the object's own code from branch
 * to branch, by breakpoints, elsewhere step by step; of a long one through stretches, spread over its time
 *
 * The plan is descriptor 3. */
#ifndef TACHO_KERNELS_LOADER_H
#define TACHO_KERNELS_LOADER_H

#include "binary/extract/branch.h"
#include "machine/measure/protocol.h"

enum {
    LOADER_CONTROL_FD = 3,
    LOADER_MEMORY_BYTES = 64 << 20,
    LOADER_MESSAGE_SIZE = 160,
    LOADER_TRACE_MAX = 1 << 20, /* instructions */
    LOADER_STRETCHES = 24,      /* of a region that has more */
    LOADER_CODE_MAX = 1 << 14,  /* different ones; a power of 2 */
    LOADER_SNAPSHOT = 64,       /* instructions, or somewhat more, between two looks at the registers */
    LOADER_REGISTERS = 16,      /* general ones */
    LOADER_REGISTERS_MAX = LOADER_TRACE_MAX / LOADER_SNAPSHOT + 1, /* looks */
    LOADER_INSN_BYTES = 16,
    LOADER_TEXT_MAX = 1 << 16,    /* bytes of an object's code */
    LOADER_BRANCHES_MAX = 1 << 12 /* in it, and one that is none */
};
/** Where the kernel's arrays lie, if that place is free. */
#define LOADER_MEMORY 0x10000000000u

/** How far it came. */
typedef enum loader_stage {
    LOADER_STAGE_NONE = 0,
    LOADER_STAGE_LOADING, /* the object; its constructors run */
    LOADER_STAGE_OUTSIDE, /* in the kernel, outside the region */
    LOADER_STAGE_REGION,
    LOADER_STAGE_FAILED, /* `message` says why */
    LOADER_STAGE_DONE
} loader_stage;

/** An instruction that was stepped over. */
typedef struct loader_code {
    uint64_t address; /* 0: unused */
    uint8_t bytes[LOADER_INSN_BYTES];
    uint8_t size; /* bytes that could be read */
} loader_code;

/** What is known of a byte of the object's code. */
typedef struct loader_place {
    uint8_t length;  /* of the instruction that begins here; 0: none does */
    uint16_t branch; /* the number of the branch that it is; 0: none */
} loader_place;

/** The registers before an instruction of the trace. */
typedef struct loader_registers {
    uint64_t place;
    uint64_t values[LOADER_REGISTERS]; /* general ones, by number */
} loader_registers;

typedef struct loader_control {
    /* The plan, for measuring. */
    uint32_t sample_count; /* at most RUNNER_MAX_SAMPLES */
    uint32_t attempts, warm_ups;
    uint32_t fewest;              /* samples, for which it may take more */
    double seconds, most_seconds; /* no further sample is begun after so long; of the fewest */
    uint32_t limits[RUNNER_CANARIES], slack;
    uint32_t event_count; /* 0: TSC; else the first event is core cycles */
    uint8_t event[RUNNER_EVENT_BYTES];

    /* The plan, for tracing: the object's code by the addresses in its file. */
    uint64_t text_address, text_size; /* size 0: unknown; all is done step by step */
    loader_place text[LOADER_TEXT_MAX];
    branch branches[LOADER_BRANCHES_MAX]; /* from 1 */
    uint64_t instructions;                /* of the region, as counted */

    /* What comes back. */
    uint32_t stage;
    char message[LOADER_MESSAGE_SIZE];
    uint64_t starts, stops, values, bytes; /* of the last call */
    double checksum;
    uint32_t samples_taken, attempts_made;
    runner_sample samples[RUNNER_MAX_SAMPLES]; /* run[0] is an empty region, run[1] the kernel's */
    uint64_t trace_count;                      /* also those for which there was no room */
    uint64_t trace[LOADER_TRACE_MAX];          /* addresses, in the order of execution */
    uint64_t stretch_count, stretch_ends[LOADER_STRETCHES]; /* places in the trace */
    uint64_t registers_count;
    loader_registers registers[LOADER_REGISTERS_MAX]; /* in the order of places */
    loader_code code[LOADER_CODE_MAX];                /* see loader_find */
} loader_control;

/** Where the code of an address is, or would be. @return LOADER_CODE_MAX: there is no room */
static inline uint32_t loader_find(const loader_control *c, uint64_t address)
{
    uint32_t slot = (uint32_t)(address * 0x9fb21c651e98df25u >> 40);
    for (uint32_t tries = 0; tries < LOADER_CODE_MAX; tries++, slot++) {
        slot &= LOADER_CODE_MAX - 1;
        if (!c->code[slot].address || c->code[slot].address == address)
            return slot;
    }
    return LOADER_CODE_MAX;
}

/** Instructions in the trace. */
static inline uint64_t loader_traced(const loader_control *c)
{
    return c->trace_count < LOADER_TRACE_MAX ? c->trace_count : LOADER_TRACE_MAX;
}

/** A place in share `number` of a run, by multiples of the golden ratio: at even distances the same place of
 * a loop nest would be met again and again. @return 0 to 1 */
static inline double loader_spread(uint64_t number)
{
    const double golden = (double)number * 0.6180339887498949;
    return golden - (double)(uint64_t)golden;
}

#endif
