/* policy.h - the way of branches whose flags do not say it. */
#ifndef TACHO_DEPS_POLICY_H
#define TACHO_DEPS_POLICY_H

#include "model/deps/deps_internal.h"
#include "x86/decode/insn_struct.h"

enum {
    POLICY_OUTSIDE = UINT32_MAX, /* a place that is no instruction of the code */
    POLICY_PASSES = 8            /* executions of a function with different choices */
};

/** A jump, conditional or not, to a place that it names. */
typedef struct branch {
    uint32_t target; /* an instruction, or POLICY_OUTSIDE */
    int8_t leaves; /* 1: its target lies outside of a loop around it, 0: what follows it does, -1: neither */
    bool skips;    /* its target lies behind a loop, or outside of the code */
    uint32_t stayed; /* times that it stayed in the loop since it last left it */
    uint32_t times;  /* choices in this pass */
} branch;

typedef struct policy {
    branch *branches; /* by instruction; other instructions' are unused */
    uint32_t count;
    uint32_t pass;
    uint32_t most_stays; /* of loops whose number of iterations is known; 0: no limit */
} policy;

/** @return -1: memory ran out */
int policy_make(policy *p, const tacho_insn *insns, uint32_t count);
void policy_free(policy *p);
/** Begins a pass. */
void policy_start(policy *p, uint32_t pass, bool hurried);
/** Whether a branch is taken, if its flags say so. */
bool policy_known(policy *p, uint32_t insn, bool taken);
/** Whether it is taken, if its flags do not say. `likely`: what its comparison for equality has given with
 * all seeds, by other numbers; -1: nothing. */
bool policy_choose(policy *p, uint32_t insn, int likely);

#endif
