/* memory_model.h - cycles of an iteration by what its operands access. */
#ifndef TACHO_HOT_MEMORY_MODEL_H
#define TACHO_HOT_MEMORY_MODEL_H

#include "tacho/hot.h"

/** The operands of a place, which may be changed: what if? */
typedef struct memory_model {
    const tacho_memory *machine;
    const tacho_arch *arch;
    size_t count;
    double predicted, uops; /* of an iteration */
    double window;          /* µops that the core has under way */
    double scheduler;       /* ... that can wait for operands; 0: not known */
    bool all_in_flight;     /* as many accesses as the core can have, whatever stands between them */
    double chains;          /* that are gone along at a time */
    tacho_hot_operand operands[TACHO_HOT_MOST_OPERANDS];
    const tacho_hot_reuse *reuse[TACHO_HOT_MOST_OPERANDS]; /* of their lines, where that was watched; NULL */
    bool past[TACHO_HOT_MOST_OPERANDS]; /* non-temporal stores: they do not read lines first */

    /* what comes of it */
    double cycles;
    double chain, random, stream; /* of an iteration: beyond the first level's; accesses; lines, with the
                                     loads and stores that wait for them */
    double in_flight;             /* NaN: nothing is at random */
    double latency[TACHO_HOT_MOST_OPERANDS], tlb[TACHO_HOT_MOST_OPERANDS]; /* of one access, and its part */
    double set[TACHO_HOT_MOST_OPERANDS];  /* of one access, at least: its lines are in few sets */
    double part[TACHO_HOT_MOST_OPERANDS]; /* of chain, or of random + stream */
    int32_t level[TACHO_HOT_MOST_OPERANDS];
    bool by_reuse[TACHO_HOT_MOST_OPERANDS]; /* ... which follows from watched lines */
} memory_model;

void memory_model_run(memory_model *m);
/** Whether an operand is the first of those that share its lines, and what it accesses is known. */
bool memory_model_is_lead(const tacho_hot_operand *o);
/** Lines an iteration. */
double memory_model_lines(const tacho_hot_operand *o);
/** Whether two go to and fro in the same data: an unrolled loop's, as a rule. */
bool memory_model_is_same_data(const tacho_hot_operand *a, const tacho_hot_operand *b);
/** Whether a chain of loads, not many accesses at a time, decides. */
bool memory_model_is_chain(const memory_model *m);
/** Whether an operand's lines are not there when it comes to them. */
bool memory_model_is_random(const tacho_hot_operand *o);
/** Remedies that follow from the operands. */
void memory_remedies(tacho_hot_memory *out, const memory_model *m, double observed);

#endif
