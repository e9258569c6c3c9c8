/* loop_registers.h - what a loop does to general registers. */
#ifndef TACHO_HOT_LOOP_REGISTERS_H
#define TACHO_HOT_LOOP_REGISTERS_H

#include "program/hot/hot_find.h"

enum {
    LOOP_REGISTERS = PAIRS_REGISTERS,
    KEPT_IN_CALLS = 1 << 3 | 1 << 4 | 1 << 5 | 0xf << 12 /* RBX RSP RBP R12..R15: the System V ABI */
};

/** What the loop does to a register in one iteration. */
typedef struct register_use {
    int64_t step;
    bool moves; /* by the step */
    bool other; /* it is written otherwise, too */
    bool half;  /* 32 bits of it */
} register_use;

/** The comparison at the end of each iteration, by which a loop that nothing else leaves goes on or not. */
typedef struct loop_bound {
    int counter; /* a register that moves; -1: there is no such comparison */
    int limit;   /* a register that the loop does not write; -1: a number */
    int64_t number;
} loop_bound;

typedef struct loop_registers {
    const finder *f;
    const cfg *g;
    uint32_t header;
    bool calls;
    register_use uses[LOOP_REGISTERS];
    bool *seen; /* blocks, of a search */
    uint32_t *todo;
} loop_registers;

/** Looks at a loop with all in it. @return 0; 1: something in it is not understood; TACHO_ERR_MEMORY */
int loop_registers_find(loop_registers *out, finder *f, const cfg *g, uint32_t header);
static inline bool register_counts(const register_use *u)
{
    return u->moves && !u->other && u->step;
}
/** Whether the loop leaves it as it is. */
static inline bool register_stays(const register_use *u)
{
    return !u->moves && !u->other;
}
bool loop_has_block(const cfg *g, uint32_t b, uint32_t header);
/** Whether an address is in the loop. */
bool loop_has_address(const loop_registers *l, uint64_t address);
loop_bound loop_bound_of(const loop_registers *l);

#endif
