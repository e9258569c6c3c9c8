/* learn_plan.h - from uses of sets to µops. */
#ifndef TACHO_LEARN_PLAN_H
#define TACHO_LEARN_PLAN_H

#include "learn/learn_uses.h"

enum {
    PLAN_GROUPS = RESOURCE_SETS + 4
};

typedef struct plan_group {
    uint16_t ports;
    unsigned count;
} plan_group;

/** µops in the order in which they are formed: what computes, loads, addresses and data of stores. */
typedef struct uop_plan {
    plan_group groups[PLAN_GROUPS];
    unsigned count;
    unsigned slots, slots_indexed; /* indexed 0: as without */
    uint16_t store_indexed;        /* ports of the store's address with an index; 0: as without */
    unsigned divider, interval;    /* cycles; 0 none */
    bool eliminated, locked;
    bool complex;            /* one a cycle is decoded ... */
    unsigned beside_complex; /* ... and so many others */
    double distance;         /* the largest of a use from a whole number */
} uop_plan;

/** `computes`: what the latencies say of whether there is a result that takes a µop. */
void plan_uops(uop_plan *out, const resources *r, const form_uses *u, bool computes, bool eliminated,
               unsigned dividers);
/** PORTS s= ... as in insns.txt, in the variant with an index or without. */
void plan_text(const uop_plan *p, bool indexed, char *out, size_t size);
void plan_ports_text(uint16_t ports, char *out, size_t size);

#endif
