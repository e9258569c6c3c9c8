/* walk.h - which results a loop of instructions hands from iteration to iteration, and through what. */
#ifndef TACHO_CHARACTERISE_WALK_H
#define TACHO_CHARACTERISE_WALK_H

#include "x86/decode/insn_struct.h"

/** What carries a value: a whole register, a group of flags, the memory that the code touches (as one). */
enum {
    CARRIER_GENERAL = 0,
    CARRIER_VECTOR = 16,
    CARRIER_K = 48,
    CARRIER_MM = 56,
    CARRIER_ST = 64,
    CARRIER_C = 72,
    CARRIER_SPAZO,
    CARRIER_MEMORY,
    CARRIER_COUNT,
    CARRIER_NONE = 255
};

typedef enum step_role {
    STEP_INSTANCE, /**< of the form that is measured */
    STEP_LINK,     /**< takes its result to its source */
    STEP_BREAK     /**< ends another dependency */
} step_role;

/** An instruction of the loop; an instance has the pair that is measured: from what it reads to what it
 *  writes. CARRIER_NONE: it has no such pair. */
typedef struct walk_step {
    tacho_insn insn;
    step_role role;
    uint8_t from, to;
} walk_step;

typedef struct walk_result {
    bool target; /**< a dependency from iteration to iteration passes through measured pairs, and besides only
                    through links */
    bool other;  /**< one passes through another pair of an instance */
} walk_result;

/** Sets of carriers: what an instruction reads and writes. A register of which a part is written, or that
 * may be written, is also read. */
typedef struct carriers {
    uint64_t bits[2];
} carriers;

void walk_accesses(const tacho_insn *insn, carriers *reads, carriers *writes);
walk_result walk(const walk_step *steps, unsigned count);
/** The same where no two instructions access the same memory. */
walk_result walk_registers(const walk_step *steps, unsigned count);

/** Whether a dependency from iteration to iteration is in this carrier where an iteration ends. */
bool walk_carries(const walk_step *steps, unsigned count, unsigned carrier);

uint8_t carrier_of_reg(tacho_reg reg); /**< CARRIER_NONE for what is not followed */

static inline bool carriers_has(const carriers *set, unsigned c)
{
    return set->bits[c >> 6] >> (c & 63) & 1;
}
static inline void carriers_add(carriers *set, unsigned c)
{
    if (c < CARRIER_COUNT)
        set->bits[c >> 6] |= (uint64_t)1 << (c & 63);
}

#endif
