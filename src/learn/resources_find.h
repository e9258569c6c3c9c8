/* resources_find.h - between the files that find sets of ports. */
#ifndef TACHO_LEARN_RESOURCES_FIND_H
#define TACHO_LEARN_RESOURCES_FIND_H

#include "learn/learn_stream.h"
#include "learn/resources.h"

enum {
    ALONE = 120,        /* instances in the loop of a form alone */
    FILLED_CYCLES = 16, /* of a mix */
    PROBES = 12         /* instances among others */
};

/* A form whose instances need one slot each, and whose throughput is a whole number a cycle. */
typedef struct candidate {
    uint32_t form;
    stream s;
    bool loads, own;
    double rate;       /* a cycle */
    unsigned capacity; /* 0: not of use */
    int like;          /* the candidate whose set it has; itself: the first; -1 not known yet */
} candidate;

typedef struct candidates {
    candidate *items;
    unsigned count;
} candidates;

/** Gathers candidates and times them alone and with NOPs; end with tacho_mem_free(out->items). */
void candidates_find(lab *l, candidates *out, unsigned issue_width);
/** Fills in `like`. */
void candidates_compare(lab *l, candidates *c);

/** What fills slots (lab_filler), of 6 and of 8 bytes: what gives the front end the fewest lines of its cache
 * to read depends on what is between them. */
void resources_nop(const lab *l, stream *out, bool long_one);
/** A loop with so many of each that each alone would take FILLED_CYCLES. */
void resources_mixed(lab *l, const candidate *a, const candidate *b);

/** The first of the most frequent forms that only stores a register: a general one, or a vector of 128 bits.
 */
bool resources_store(candidate *out, bool vector);

/** Of stores of a general register, and of a vector. @return whether both together are faster than either */
bool stores_time(lab *l, candidate stores[2]);
/** Where the data of stores go; `apart`: as stores_time says. */
void stores_place(lab *l, resources *r, const candidate stores[2], bool apart);
/** Which set the branch that ends a loop is in. */
void branches_place(lab *l, resources *r);
int resources_report(lab *l, const resources *r);

#endif
