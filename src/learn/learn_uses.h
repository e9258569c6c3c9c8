/* learn_uses.h - how often an instance of a form uses each set of ports, how many slots it takes, and what
 * its latencies say. */
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
    double decoded;       /* cycles that the complex decoder is busy with it; NaN not known */
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

/* ---- latencies (learn_latency.c) ---- */

/** From the latencies between registers: what takes less than a cycle is done by the renamer. */
typedef struct execution {
    bool by_renamer, by_ports;
    double same; /* cycles with one register for all operands; NaN not measured */
} execution;

execution latency_execution(const tacho_characterisation *c);
/** As in insns.txt. `idiom`: with one register for all operands nothing is waited for. `missing`: a chain had
 *  no stable time. */
void latency_text(const tacho_form *f, const tacho_characterisation *c, const latency_links *links,
                  bool idiom, char *out, size_t size, bool *missing);
/** A test of a register takes a cycle, and what its chain takes more is the way back from the flags. From
 *  general registers to vectors and back, only both ways together can be measured; as any loop goes both
 * ways, how they are shared out makes no difference. */
void latency_find_links(lab *l, latency_links *out);
/** subject_characterise; free it with tacho_mem_free. NULL: it failed. */
tacho_characterisation *lab_characterise(lab *l, uint32_t form);

#endif
