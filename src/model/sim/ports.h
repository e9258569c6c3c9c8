/* ports.h - the numbers of µops that wait for each port, and what the choice of a port follows from; see
 * ports.c. */
#ifndef TACHO_SIM_PORTS_H
#define TACHO_SIM_PORTS_H

#include "model/sim/program.h"

typedef struct sim sim;

enum {
    PORTS_LISTED = 5,
    PORT_KEY_BITS = 4, /* for a port's number below its use */
    PORT_KEY_NUMBER = (1 << PORT_KEY_BITS) - 1
};

/* For each port, the µops that are bound to it and have not left. A word holds four ports, 16 bits each.
 * A new cycle reads and writes whole words, a µop only its lane. */
typedef enum port_count {
    USE_NOW,
    USE_START,    /* of this cycle */
    USE_PREVIOUS, /* cycle, at its start */
    USE_KEY,      /* at the start of this cycle or, by port_counts_age_cycles, of the one before; then the
                     higher number */
    USES
} port_count;

enum {
    PORT_WORDS = TACHO_MAX_PORTS / 4,
    NO_PORT = 4 * PORT_WORDS - 1 /* of the last word, after the last port that a renamer binds µops to */
};

typedef union port_counts {
    uint64_t word[USES][PORT_WORDS];
    uint16_t lane[PORT_WORDS * USES * 4];
} port_counts;

static inline uint32_t port_lane(uint32_t port, port_count what)
{
    return what * (4 * PORT_WORDS) + port;
}

/* What the port policy says for one set of ports in one cycle. */
typedef struct port_choice {
    uint64_t stamp; /* cycle in which it was made */
    uint8_t count;
    uint8_t listed; /* ports in `list`; 0: there are too many */
    uint8_t used;   /* µops of that set issued in the cycle */
    uint8_t order[TACHO_MAX_BOUND_PORTS];
    uint8_t
        list[PORTS_LISTED]; /* where the keys of the set's ports are, then NO_PORT's; constant during a run */
} port_choice;

/* ports.c */
int ports_choose_among(sim *s, const op *u, uint32_t slot, int32_t ready);
/* Notes the ports of a set; false if there are too many. */
bool ports_list(sim *s, uint32_t mask);
/* The same for a set whose ports are taken in turn. */
void ports_list_in_turn(sim *s, port_rule rule, uint32_t mask);
/* For cores that take ports by turn: orders those of a set, once a cycle at most. */
void ports_order_by_turn(const sim *s, uint32_t mask, port_choice *c);
/* Orders the ports by how much the program's first `ops` µops need each. */
void ports_rank(sim *s, uint32_t ops);
port_places ports_places(const program *g, uint32_t mask);
static inline int ports_place(const program *g, int port)
{
    return __builtin_ctzll(ports_places(g, 1u << port));
}

#endif
