/* path_values.h - general registers along a path, as sums of what they were at its start; and which loads
 * their values are made of. */
#ifndef TACHO_HOT_PATH_VALUES_H
#define TACHO_HOT_PATH_VALUES_H

#include "program/hot/hot_find.h"

enum {
    PATH_REGISTERS = PAIRS_REGISTERS,
    PATH_VECTORS = 32,
    PATH_MOST_INSNS = 512,
    PATH_MOST_OPERANDS = TACHO_HOT_MOST_OPERANDS
};

/** constant + sum of times[i] * (register i at the start); not known: nothing is said */
typedef struct path_value {
    bool known;
    int64_t constant, times[PATH_REGISTERS];
} path_value;

typedef struct path_values {
    path_value registers[PATH_REGISTERS];
} path_values;

void path_values_start(path_values *v);
void path_values_step(path_values *v, const tacho_insn *insn);
path_value path_address(const path_values *v, const tacho_mem *m);
/** With the registers as they were at the start. */
uint64_t path_value_of(const path_value *v, const uint64_t registers[PATH_REGISTERS]);

/** For general registers, then vector registers: bit n for the n-th operand, whose loaded value it is made
 * of.
 */
typedef struct path_loads {
    uint64_t of[PATH_REGISTERS + PATH_VECTORS];
} path_loads;

uint64_t path_loads_address(const path_loads *l, const tacho_mem *m);
/** `operands`: bits of those of the instruction. @return of which loaded values its results are made */
uint64_t path_loads_step(path_loads *l, const tacho_insn *insn, uint64_t operands);

#endif
