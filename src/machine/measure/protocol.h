/* protocol.h - what the measuring side and the runner share: where things lie in the runner's memory, the
 * plan that it is given, and the report that it gives back.
 *
 * The runner is a program of its own (runner.c) that is started for each pass over a block. All of its
 * address space but [RUNNER_BASE, RUNNER_END) belongs to the block. What the block must not change is mapped
 * read-only while it runs: plan, code, report, and the runner's own image. The runner writes its report
 * through a descriptor (pwrite), which a block cannot do because it cannot make system calls. What it can
 * write to (stack, registers to be loaded) is written anew before each run and believed by nobody after. */
#ifndef TACHO_MEASURE_PROTOCOL_H
#define TACHO_MEASURE_PROTOCOL_H

#include <stdint.h>

/** Virtual addresses in the runner. Code and RIP-relative data are in reach of 32-bit displacements. */
#define RUNNER_BASE     0x6ff000000000u /* the runner's own image, linked to this address */
#define RUNNER_PLAN     0x6ff010000000u /* runner_plan, read-only */
#define RUNNER_REPORT   0x6ff018000000u /* runner_report, read-only */
#define RUNNER_CODE     0x6ff020000000u
#define RUNNER_STACK    0x6ff030000000u
#define RUNNER_START    0x6ff034000000u /* runner_start_values */
#define RUNNER_END      0x6ff040000000u
#define RUNNER_RIP_DATA 0x6ff060000000u /* what RIP-relative operands of the block are moved to */
#define RUNNER_BOTTOM                                                                                        \
    0x10000u /* what Linux lets unprivileged processes map from, unless it is set otherwise */
#define RUNNER_TOP 0x7ffffffff000u /* end of user space with four-level page tables */

enum {
    RUNNER_PLAN_FD = 3,
    RUNNER_DATA_FD = 4,
    RUNNER_REPORT_FD = 5,
    RUNNER_FDS_END = 6,
    RUNNER_PAGE = 4096,
    RUNNER_MAX_DATA_PAGES = 16,
    RUNNER_IMAGE_BYTES = 512,
    RUNNER_MOST_MORE = 15,
    RUNNER_MAX_FAULTS = 4096,
    RUNNER_MAX_SAMPLES = 2048,
    RUNNER_MAX_STEPS = 1024,
    RUNNER_MAX_ARRAYS = 16,
    RUNNER_MAX_EVENTS = 4,
    RUNNER_STACK_BYTES = 64 << 10,
    RUNNER_SIGNAL_STACK_BYTES = 64 << 10,
    RUNNER_KEPT_STACK = 2048, /* at most is in use when a block is entered */
    RUNNER_RETURN = 64,       /* generated code returns to this many bytes after the image's entry */
    RUNNER_FILTER_MAX = 128,  /* instructions of the seccomp filter */
    RUNNER_EVENT_BYTES = 128, /* struct perf_event_attr, as this side knows it */
    RUNNER_CODE_BYTES = 512 << 10,
    RUNNER_PLACES = 17, /* for code and for data; one a plan. No factor in common with the blocks under way,
                         so that a block's passes get different ones */
    RUNNER_NOPS = 2000, /* front-end canary */
    RUNNER_ALU_ADDS = 1920,  /* canary for the execution units: independent additions */
    RUNNER_CHASE_LINES = 40, /* memory canary: lines, each loaded twice */
    RUNNER_CHASE_LOADS = 80,
    RUNNER_CHAIN_SHORT = 100, /* multiplications in the two chains whose difference is the ruler */
    RUNNER_CHAIN_LONG = 800,
    RUNNER_ADDS_SHORT = 300, /* additions in the chains that check it */
    RUNNER_ADDS_LONG = 2400
};

/** Where a looped run counts: a general-purpose register's number, or one of these. */
enum {
    RUNNER_COUNTER_VECTOR = 16, /**< and so on: the low half of vector register n - 16 */
    RUNNER_COUNTER_NONE = 255
};

/** How far the runner got. */
typedef enum runner_stage {
    RUNNER_STAGE_NONE = 0,
    RUNNER_STAGE_DISCOVER, /* in the sandbox; runs the block to find the pages that it touches */
    RUNNER_STAGE_TRACE,
    RUNNER_STAGE_TIME,
    RUNNER_STAGE_DONE
} runner_stage;

/** Why it stopped early. */
typedef enum runner_failure {
    RUNNER_OK = 0,
    RUNNER_FAILED_SYSTEM, /* a system call during set-up; `detail` is errno, `address` says which */
    RUNNER_FAILED_SIGNAL, /* the block: `detail` is the signal, `code` its si_code, `address`, `rip` */
    RUNNER_FAILED_FAULTS, /* more pages than allowed */
    RUNNER_FAILED_FETCH   /* the block went to `address`, where there is no code */
} runner_failure;

/** Which call failed, for RUNNER_FAILED_SYSTEM. */
enum {
    RUNNER_CALL_NONE = 0, /* the stack is too deep to be kept */
    RUNNER_CALL_MMAP,
    RUNNER_CALL_MUNMAP,
    RUNNER_CALL_SIGNALS,
    RUNNER_CALL_SEGMENTS,
    RUNNER_CALL_PERF,
    RUNNER_CALL_MPROTECT,
    RUNNER_CALL_CLOSE,
    RUNNER_CALL_SECCOMP
};

/** Registers before the first instruction of the block, in the plan. */
typedef struct runner_context {
    uint64_t gpr[16];
    uint64_t flags;
    uint64_t ones[2] __attribute__((aligned(16))); /**< what a counter in a vector register is lowered by */
    uint64_t x87_value;                            /**< a double */
    uint64_t masks[8];
    uint32_t mxcsr;
    uint8_t vectors[32][64] __attribute__((aligned(64)));
} runner_context;

/** What differs from run to run: written by the runner just before each, loaded before the block's first
 * instruction, and not looked at again. */
typedef struct runner_start_values {
    uint64_t home[2];    /**< 0, and the token */
    uint64_t iterations; /**< of a looped run: initial value of the counter */
    uint64_t laps;       /**< of a run that has some */
    uint64_t flags;
    uint64_t after_sled; /**< where the sled goes at its end */
    uint32_t counter;    /**< argument of RDPMC */
} runner_start_values;

/** What the runner finds again when a block has ended: it stays, with the reading of the counter before the
 * block, in a register that the block does not touch (codegen_block.home). The upper half is the argument of
 * RDPMC. */
enum {
    RUNNER_TOKEN_LONG = 1, /**< the long run */
    RUNNER_TOKEN_WARM = 2, /**< it was to warm the caches; the timed one follows */
    RUNNER_TOKEN_TRACE = 4,
    RUNNER_TOKEN_EVENT = 8,                    /**< times the event's number */
    RUNNER_TOKEN_MORE = 8 * RUNNER_MAX_EVENTS, /**< times the turns beside those of the plan */
    RUNNER_TOKEN_COUNTER = 32                  /**< bit of the upper half */
};

/** One of the two runs of each sample. */
typedef struct runner_run {
    uint64_t entry;      /* of the generated code */
    uint64_t timed;      /* where its timed part starts */
    uint64_t iterations; /* of a looped run: initial value of the counter */
    uint64_t laps;       /* how often it is run from the same registers, with codegen_block.laps */
} runner_run;

/** Fixed code that shows whether something disturbs the core. */
enum {
    RUNNER_CANARY_NOPS = 0, /**< the front end */
    RUNNER_CANARY_CHASE,    /**< the first-level data cache */
    RUNNER_CANARY_ALU,      /**< the execution units: the first to suffer from a sibling thread */
    RUNNER_CANARIES
};

/** Ticks of one sample, in the order of measuring: chains, canaries, a run, canaries, the other run,
 *  canaries. */
typedef struct runner_sample {
    uint32_t canary[RUNNER_CANARIES][3]; /* TSC; of each kind before, between and after the runs */
    uint32_t chain[2], adds[2];          /* TSC, short and long; adds only where the plan asks for it */
    uint32_t run[2];                     /* of the short and of the long run; counter or TSC */
    uint32_t more;                       /* turns that both had beside those of the plan */
} runner_sample;

/** A single-stepped instruction of the block: the registers before it. */
typedef struct runner_step {
    uint64_t rip;
    uint64_t gpr[16];
} runner_step;

/** Memory that the block has to itself. */
typedef struct runner_array {
    uint64_t address, bytes; /**< whole pages, outside of [RUNNER_BASE, RUNNER_END) */
} runner_array;

/** What is to be done. */
typedef struct runner_plan {
    runner_context context;
    runner_array arrays[RUNNER_MAX_ARRAYS]; /**< there from the start, and kept from run to run */
    uint32_t array_count, huge_arrays;      /**< huge_arrays: in huge pages where there are any */
    uint32_t filter_length;                 /**< instructions of `filter` */
    uint32_t max_faults;
    uint32_t
        data_pages; /**< physical pages: each for the next page that the block touches first, then in turn */
    uint32_t sample_count, warm_ups;
    uint32_t attempts; /**< at most so many samples are begun */
    /** A sample is given up when a canary takes more ticks than so many 65536ths of the difference of its
     * chains, and the slack; 0: no limit. */
    uint32_t limits[RUNNER_CANARIES], slack;
    uint32_t measure_adds;
    uint32_t rulers_only; /**< samples without a block */
    uint32_t place;       /**< of code and data: each has other physical pages */
    uint32_t event_count; /**< 0: TSC; else event 0 is what the runs are timed with */
    runner_run runs[2];
    /** What a turn of the loop more adds to the counter's initial value, and the counter's bits; 0: all runs
     * have the same number. Both runs of a sample have up to RUNNER_MOST_MORE more, as chance has it: where
     * the end of the short one can be predicted, the long one is taken for it, and pays for that. */
    uint64_t more, counter_bits;
    uint64_t trace_iterations;                    /**< initial value of the counter while tracing */
    uint64_t trace_entry, trace_start, trace_end; /**< entry 0: none */
    uint64_t fs_base, gs_base;
    uint64_t filter[RUNNER_FILTER_MAX]; /**< struct sock_filter */
    uint8_t events[RUNNER_MAX_EVENTS][RUNNER_EVENT_BYTES];
    /** Each page before each run, repeated; short, because it takes room in the first-level cache, too. */
    uint8_t image[RUNNER_IMAGE_BYTES] __attribute__((aligned(64)));
} runner_plan;

/** What came of it. */
typedef struct runner_report {
    uint8_t stack[RUNNER_KEPT_STACK]; /**< the runner's, while the block runs */
    uint32_t stage, failure, detail, code;
    uint64_t address, rip;
    uint32_t fault_count, step_count;
    uint32_t short_faults; /**< of fault_count, those of the first short run */
    uint32_t visits;       /**< of trace_start while tracing */
    uint32_t samples_taken, attempts_made;
    uint64_t event_short[RUNNER_MAX_EVENTS], event_long[RUNNER_MAX_EVENTS]; /**< sums over samples_taken */
    uint64_t faults[RUNNER_MAX_FAULTS]; /**< page addresses, in the order of first touch */
    runner_step steps[RUNNER_MAX_STEPS];
    runner_sample samples[RUNNER_MAX_SAMPLES];
} runner_report;

/** Offset of the first place for code in the plan's file. */
#define RUNNER_CODE_OFFSET ((sizeof(runner_plan) + RUNNER_PAGE - 1) / RUNNER_PAGE * RUNNER_PAGE)

#endif
