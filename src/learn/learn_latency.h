/* learn_latency.h - what the latencies of a form say. */
#ifndef TACHO_LEARN_LATENCY_H
#define TACHO_LEARN_LATENCY_H

#include "learn/learn_uses.h"

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
