/* resources_solve.h - the smallest number of ports that explains which sets of them overlap by how much. */
#ifndef TACHO_LEARN_RESOURCES_SOLVE_H
#define TACHO_LEARN_RESOURCES_SOLVE_H

#include <stdbool.h>
#include <stdint.h>

enum {
    SOLVE_SETS = 32,
    SOLVE_PORTS = 16
};

/** Sizes of sets and of the unions of two of them. */
typedef struct port_puzzle {
    unsigned count;
    unsigned size[SOLVE_SETS];
    unsigned least[SOLVE_SETS][SOLVE_SETS], most[SOLVE_SETS][SOLVE_SETS]; /* of the union */
    uint16_t ports[SOLVE_SETS]; /* the solution; 0: the set contradicts those before it */
    unsigned port_count;
    unsigned solutions; /* with that number of ports; at most SOLVE_MOST are counted */
} port_puzzle;

enum {
    SOLVE_MOST = 64
};

/** Fills in the solution. The order of the sets matters where they contradict each other: the last ones are
 *  left out then. @return false: there are too many ports */
bool port_puzzle_solve(port_puzzle *p);

#endif
