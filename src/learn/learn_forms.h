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

#endif
