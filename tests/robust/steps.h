/* steps.h - single instructions, executed by this processor, against what the decoder says of them. */
#ifndef TACHO_TEST_STEPS_H
#define TACHO_TEST_STEPS_H

#include "x86/decode/insn_struct.h"

enum {
    STEPS_PAGE = 4096,
    STEPS_CODE = 0x20000000,    /* one page; instructions end where it ends, and the next cannot be fetched */
    STEPS_SCRATCH = 0x10000000, /* what memory operands point to */
    STEPS_SCRATCH_BYTES = 1 << 20,
    STEPS_BATCH = 1024
};

/* What programs can see of a processor's state; what this one does not have stays zero. */
typedef struct steps_state {
    uint64_t gpr[16], rip, flags, segments;
    uint32_t mxcsr;
    uint16_t x87_control, x87_status;
    uint8_t x87_tags, x87[8][10];
    uint64_t masks[8];
    uint8_t vectors[32][64];
} steps_state;

typedef enum steps_end {
    STEPS_NOT_RUN = 0,
    STEPS_STEPPED, /* it was executed, `after` is what it left */
    STEPS_UNKNOWN, /* the processor does not know it */
    STEPS_FAULTED, /* an address that cannot be, a division by zero ... */
    STEPS_FETCHES_MORE,
    STEPS_SYSTEM_CALL,
    STEPS_HANGS,
    STEPS_LOST /* and the process with it */
} steps_end;

typedef struct steps_case {
    tacho_insn insn;
    steps_state before, after;
    steps_end end;
} steps_case;

/* ---- running (steps_run.c) ---- */

/** Maps what is needed. @return 0, or -1 with the reason in *why */
int steps_open(const char **why);
/** Where the cases for the next steps_run are written. */
steps_case *steps_cases(void);
uint8_t *steps_scratch(void);
/** Runs the first `count` cases, each in the state that it has in `before`, and fills in the rest.
 *  @return 0, or -1: no process can be had */
int steps_run(unsigned count);
/** The first address behind the instruction. */
static inline uint64_t steps_next(void)
{
    return STEPS_CODE + STEPS_PAGE;
}

/* ---- what the decoder says (steps_claim.c) ---- */

/* Bits that may change. */
typedef struct steps_claim {
    uint8_t length, masks;
    bool repeats, branches, x87, mxcsr;
    bool uppers;      /* the vectors' bits from 128 on */
    bool float_flags; /* may be set */
    int64_t target;   /* of the branch, from the next instruction */
    uint32_t vectors;
    uint64_t gpr[16], flags;
} steps_claim;

void steps_claim_make(steps_claim *out, const tacho_insn *insn);
/** What happened otherwise, or NULL. */
const char *steps_judge(const steps_case *c, const steps_claim *claim);

/* ---- what is tried (steps_generate.c) ---- */

typedef struct steps_source {
    uint64_t random;
    uint8_t (*known)[TACHO_MAX_INSN_BYTES]; /* instructions to change a little */
    size_t known_count;
} steps_source;

uint32_t steps_random(steps_source *s);
/** Reads the instructions of the blocks that begin the file's lines, in hex. @return 0 or -1 */
int steps_read_known(steps_source *s, const char *path);
/** Bytes that may be an instruction: 15 of them. */
void steps_generate(steps_source *s, uint8_t *bytes);
/** Decodes them, and lets their memory operands point to the scratch memory. @return 0; -1: no instruction */
int steps_prepare(steps_source *s, steps_case *out, const uint8_t *bytes);

#endif
