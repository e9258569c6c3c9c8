/* learn_uses.h - how often an instance of a form uses each set of ports, and how many slots it takes. */
#ifndef TACHO_LEARN_USES_H
#define TACHO_LEARN_USES_H

#include "learn/learn_forms.h"

typedef struct form_uses {
    tacho_form form;
    double cycles;               /* an instance in the fastest loop */
    bool at_most;                /* ... which has other instructions, too */
    double slots, slots_indexed; /* NaN not measured; indexed: with an index register in the address */
    double uses[RESOURCE_SETS];
    double loads_indexed; /* uses of the widest set of loads with an index register */
    bool divides;         /* quotients and square roots share what is busy */
    bool locked;
    bool chained; /* instances wait for each other */
} form_uses;

/** NaN where a loop was not stable, or the form has no instances. */
void uses_measure(lab *l, uint32_t form, const tacho_characterisation *c, form_uses *out);

bool uses_memory(const tacho_form *f, unsigned access); /* an operand in memory with that access */
/** The class of an operand's register; of one in memory or of flags TACHO_REG_NONE. */
unsigned uses_class(const tacho_form *f, unsigned operand);
bool uses_vector(const tacho_form *f, unsigned operand);
/** The set of loads with the most ports; NULL there is none. */
const resource_set *uses_widest_loads(const resources *r);

#endif
