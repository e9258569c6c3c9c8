/* danger.h - instructions that cannot be run as part of a block outside their program. */
#ifndef TACHO_DECODE_DANGER_H
#define TACHO_DECODE_DANGER_H

#include "x86/decode/insn_struct.h"

/** Why the instruction must not be run ("is a system call"), or NULL. Static storage. */
TACHO_PRIVATE const char *tacho_decode_danger(const tacho_insn *insn);

/** Why execution may not go on with the instruction that lies behind this one ("is a call", "is a branch"),
 * or NULL. Static storage. */
TACHO_PRIVATE const char *tacho_decode_transfer(const tacho_insn *insn);

/** What else than the instruction and the core decides how long it takes. */
typedef enum decode_timing {
    DECODE_TIMING_FIXED = 0,
    DECODE_TIMING_VALUES,     /**< the values: division, square root, transcendental functions, repetition */
    DECODE_TIMING_INTERCEPTED /**< whether there is a virtual machine, or the state of something far away */
} decode_timing;
TACHO_PRIVATE decode_timing tacho_decode_input_timing(const tacho_insn *insn);

/** The x87 stack as a block changes it: numbers of values, counted from before the block. Start with {0}. */
typedef struct x87_stack {
    int depth, lowest, highest; /**< lowest: what was needed, below 0 */
} x87_stack;
TACHO_PRIVATE void tacho_x87_stack_step(x87_stack *s, const tacho_insn *insn);
/** Whether it over- or underflows when the block is repeated. */
TACHO_PRIVATE bool tacho_x87_stack_is_unbalanced(const x87_stack *s);

#endif
