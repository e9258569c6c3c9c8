/* learn_forms.h - what an instruction form costs: a row in the grammar of insns.txt. */
#ifndef TACHO_LEARN_FORMS_H
#define TACHO_LEARN_FORMS_H

#include "learn/resources.h"

typedef enum learnt_state {
    LEARNT_NOT_RUN = 0,  /* the subject has no such instruction, or it must not be run: `why` */
    LEARNT_NOT_MEASURED, /* not stable: `why` */
    LEARNT_MEASURED,
    LEARNT_BY_ANALOGY, /* a sister's row */
} learnt_state;

/** Where a field's figures are from. */
typedef enum learnt_origin {
    LEARNT_FROM_NOTHING = 0,
    LEARNT_FROM_LOOPS,
    LEARNT_FROM_SISTER,
} learnt_origin;

enum {
    LEARNT_ROW = 1024,
    LEARNT_SOURCES = 27
};

typedef struct learnt_form {
    uint32_t form;
    learnt_state state;
    char row[LEARNT_ROW]; /* as in insns.txt: name to source number, separated by tabs; "" none */
    unsigned source;      /* the number at its end: see learn_source_line */
    learnt_origin ports, latency, front_end;
    unsigned group;     /* of macro-fusion, from 1; 0 none */
    double cycles;      /* an instance in the fastest loop */
    double uncertainty; /* of the uses: the largest distance of one from a whole number */
    char why[160];      /* what could not be found; "" nothing */
} learnt_form;

/** Needs l->resources. */
void learn_form(lab *l, uint32_t form, learnt_form *out);
/** Fills in from learnt forms what is not measured in others: latencies and ports of a sister (the same
 *  mnemonic and operands but for their widths, as fast), and rows of forms that have none. */
void learn_by_analogy(learnt_form *forms, size_t count);
/** The `source` line for rows with that number; NULL where there is none. Static storage. */
const char *learn_source_line(unsigned number);

/** Which branches take one slot with the form. @return the group, from 1, of l->resources->fusion; 0: none */
unsigned learn_fusion(lab *l, uint32_t form);
/** The groups of all forms learnt so far in the grammar of fusion.txt; "" none. */
int learn_fusion_text(const lab *l, char *out, size_t size);

/** Whether any loop of the form takes longer or shorter on the lab's subject than on `reference` by more than
 *  measurements vary; `why` then says which, else it is "". */
bool learn_form_differs(lab *l, subject *reference, uint32_t form, char *why, size_t size);

/** Forms by how often they occur in programs, the most frequent first, then all others.
 *  @return how many there are; writes at most `capacity` */
size_t learn_form_order(uint32_t *forms, size_t capacity);
/** How often each of these forms occurs, and those before it, in parts of any size. @return 0;
 * TACHO_ERR_MEMORY */
int learn_form_shares(const uint32_t *forms, size_t count, double *out, tacho_error *err);

/* How often an instance of a form uses each set of ports, how many slots it takes, and what its latencies
 * say. */

typedef struct form_uses {
    tacho_form form;
    double cycles;               /* an instance in the fastest loop */
    bool at_most;                /* ... which has other instructions, too */
    double slots, slots_indexed; /* NaN not measured; indexed: with an index register in the address */
    double uses[RESOURCE_SETS];
    double loads_indexed; /* uses of the widest set of loads with an index register */
    double decoded;       /* cycles that the complex decoder is busy with it; NaN not known */
    double beside;        /* NOPs that other decoders take meanwhile; NaN not known, or of no account */
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

/* ---- from uses of sets to µops ---- */

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
