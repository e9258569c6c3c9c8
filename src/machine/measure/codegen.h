/* codegen.h - the machine code of a measurement: a block between readings of a counter. */
#ifndef TACHO_MEASURE_CODEGEN_H
#define TACHO_MEASURE_CODEGEN_H

#include <stdbool.h>

#include "machine/measure/protocol.h"
#include "x86/decode/insn_struct.h"

/** Widest vector registers that the block touches; those are set before it. */
typedef enum codegen_vectors {
    CODEGEN_XMM = 0, /**< legacy encodings only */
    CODEGEN_XMM_VEX, /**< at least the processor has AVX: upper halves are cleared */
    CODEGEN_YMM,
    CODEGEN_ZMM
} codegen_vectors;

enum {
    CODEGEN_TRACED_COPIES = 8, /**< iterations that are single-stepped */
    CODEGEN_HOME_MMX = 16      /**< MM6 and MM7 */
};

typedef struct codegen_block {
    const tacho_insn *insns;
    const uint32_t *offsets; /**< of each instruction, and at the end the block's size */
    size_t count;
    codegen_vectors vectors;
    bool wide_masks;    /**< mask registers have 64 bits (AVX512BW) */
    unsigned x87_depth; /**< values on the x87 stack before the block, 0..8 */
    bool rdpmc;         /**< read a performance counter, else the TSC */
    bool sled;          /**< take the lines of the DSB before each run */
    bool in_loop; /**< both runs are one code, repeated as often as a counter says; else each has its own */
    bool own_branch; /**< the loop's branch is the block's last instruction, else one is added */
    bool laps;       /**< the loop is run again from the same general registers, as often as the run says */
    bool drop_last;  /**< leave out the last instruction (a branch that is replaced) */
    uint8_t counter; /**< of the loop: a register's number, RUNNER_COUNTER_VECTOR and on, or _NONE */
    /** Where the reading before the block and the runner's token stay while the block runs: a vector register
     * below 16 that it does not touch, or CODEGEN_HOME_MMX */
    uint8_t home;
    uint32_t copies[2];      /**< of the block in the short and in the long run; with in_loop the same */
    uint64_t data_start;     /**< where the lowest RIP-relative target goes */
    uint64_t return_address; /**< child_return_address() */

    /* Set by codegen_make: where the block's first copy begins. */
    uint64_t start[2];    /**< in the short and the long run */
    uint64_t trace_start; /**< in what is single-stepped */
} codegen_block;

/** Offset from a 64-byte boundary that the lowest RIP-relative target should have for as many of these
 * operands as can be to be aligned naturally, 0..63. */
unsigned codegen_data_offset(const codegen_block *b);

/** Where the RIP-relative operand of instruction `i` points in the runner; 0 where it has none. */
uint64_t codegen_rip_target(const codegen_block *b, size_t i);

/** Writes the code to `code` (RUNNER_CODE_BYTES, at RUNNER_CODE in the runner) and its entries to the plan.
 *  @return 0, or TACHO_ERR_LIMIT when it does not fit */
int codegen_make(codegen_block *b, runner_plan *plan, uint8_t *code, tacho_error *err);

#endif
