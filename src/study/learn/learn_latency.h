/* learn_latency.h - what the latencies of a form say. */
#ifndef TACHO_LEARN_LATENCY_H
#define TACHO_LEARN_LATENCY_H

#include "study/learn/learn_uses.h"

/** From the latencies between registers: what takes less than a cycle is done by the renamer. */
typedef struct execution {
    bool by_renamer, by_ports;
    double same; /* cycles with one register for all operands; NaN not measured */
} execution;

execution latency_execution(const tacho_characterisation *c);
/** As in insns.txt. `idiom`: with one register for all operands nothing is waited for. `missing`: a chain had
 *  no stable time. */
void latency_text(const tacho_form *f, const tacho_characterisation *c, bool idiom, char *out, size_t size,
                  bool *missing);

#endif
