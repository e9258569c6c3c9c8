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
/** What chains have too much or too little of. */
typedef struct latency_links {
    double flags; /* cycles that the way from flags to a register takes beyond one */
    double sums;  /* that a sum comes earlier to another addition, which is all that a chain shows */
} latency_links;

/** As in insns.txt. `idiom`: with one register for all operands nothing is waited for. `missing`: a chain had
 *  no stable time. */
void latency_text(const tacho_form *f, const tacho_characterisation *c, const latency_links *links,
                  bool idiom, char *out, size_t size, bool *missing);
/** A test of a register takes a cycle; what its chain takes more is the way back from the flags.
 *  @return 0; what subject_time returns */
int latency_of_flags(lab *l, double *excess, tacho_error *err);

#endif
