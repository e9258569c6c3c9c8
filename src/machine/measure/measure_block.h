/* measure_block.h - a block as it is measured: decoded, found harmless, with what its plan needs. */
#ifndef TACHO_MEASURE_BLOCK_H
#define TACHO_MEASURE_BLOCK_H

#include "machine/measure/codegen.h"
#include "tacho/measure.h"

/** A decoded block. Free with measure_block_free. */
typedef struct measure_block {
    tacho_insn *insns;
    uint32_t *offsets; /**< count + 1 */
    size_t count;
    uint16_t gprs_used;    /**< bit n: a part of general register n is read or written */
    uint16_t gprs_written; /**< conditionally or not */
    uint32_t vectors_used; /**< bit n: vector register n is or may be read or written */
    bool uses_ymm, uses_zmm, uses_mmx;
    bool uses_x87;       /**< or MMX */
    bool ends_in_branch; /**< a direct one */
    uint32_t notes;
    const tacho_listing *listing; /**< for messages */
    tacho_measurement *out;       /**< receives the status when the block must not run */
} measure_block;

/** What a block's own loop needs so that it runs a known number of iterations. */
typedef struct own_loop {
    bool counted;           /**< false: there is no such register */
    uint8_t reg;            /**< its initial value decides */
    uint64_t base;          /**< value at which the loop ends */
    int64_t step;           /**< added by each iteration */
    unsigned bits;          /**< 32 or 64 */
    unsigned compared_bits; /**< of these, the ones that the branch's flags depend on */
    uint64_t most;          /**< iterations that it can be made to run */
} own_loop;

/** Decodes and checks; `listing` is how messages write instructions, or NULL. @return 0 also for blocks that
 *  must not run: then out->status is REJECTED. TACHO_ERR_INPUT, TACHO_ERR_LIMIT, TACHO_ERR_MEMORY */
int measure_block_make(measure_block *b, const uint8_t *code, size_t size, const tacho_listing *listing,
                       tacho_measurement *out, tacho_error *err);
void measure_block_free(measure_block *b);

/** Whether the block's last instruction is a branch to its first. */
bool measure_block_is_loop(const measure_block *b);

/** Whether branch `i` goes to another instruction of the block than the next, or to its end. */
bool measure_branch_stays(const measure_block *b, size_t i);

/** Finds the register that counts the block's own loop; `gpr` are the initial values of the others. */
own_loop measure_own_loop(const measure_block *b, const uint64_t gpr[16]);

/** Initial values of the general registers. */
void measure_initial_registers(uint64_t gpr[16], const tacho_measure_options *options);

/** Initial values of all registers and of memory. */
void measure_initial_state(runner_plan *plan, const tacho_measure_options *options);

/** TACHO_MEASURE_* notes on the accesses of the single-stepped instructions in the report. *pattern: a hash
 * of which loads meet which stores, to compare two initial states by. */
uint32_t measure_access_notes(const codegen_block *b, const runner_plan *plan, const runner_report *r,
                              uint64_t *pattern);

#endif
