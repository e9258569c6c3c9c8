/* overlap.h - how much code a core looks at ahead of what it waits for. A loop is a chain of dependent
 * instructions that begins anew in each iteration, and n others behind it. As long as the next chain finds
 * room while the last one still runs, the two overlap; where the others fill what both must be in, the
 * chain's whole length is in each iteration (H. Wong's method, without cache misses). */
#ifndef TACHO_LEARN_OVERLAP_H
#define TACHO_LEARN_OVERLAP_H

#include "learn/lab.h"

/** What a chain is made of. */
typedef struct window_chain {
    const char *first, *link; /* the first reads nothing of the chain before */
    double latency, interval; /* of a link; between two that do not wait for each other */
} window_chain;

typedef struct window_spec {
    const char *title, *x_name;
    const window_chain *chain;
    const char *behind; /* once after the chain; NULL: nothing */
    const char *const *others;
    unsigned other_count;
    unsigned fewest_links; /* of the chain; 0: many, for what a link more or less is to be told from */
    unsigned most;         /* others that are tried */
} window_spec;

typedef struct window {
    /* The last number of others beside which chains overlap, where that ends at once (`jump`); else, as the
     * chain's own links leave one by one, the number at which the overlap would begin if its growth were a
     * straight line. NaN: no bend. */
    double width;
    double error; /* of the mean, in others */
    bool jump;
} window;

/** The chain of general registers: multiplications that keep their value, from RBX to RAX. */
void window_integer_chain(lab *l, window_chain *out);
/** The chain of vector registers to XMM0, of those that overlap the one of the largest latency. `latency` is
 *  NaN if there is none. */
void window_vector_chain(lab *l, window_chain *out);
/** A finding that is no parameter: µops of the counter that a loop has behind it. Needs issue_width. */
#define WINDOW_COUNTER "counter_uops"
void window_counter(lab *l);
window window_find(lab *l, const window_spec *spec);

#endif
