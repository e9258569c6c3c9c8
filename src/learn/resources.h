/* resources.h - what µops compete for: sets of ports, found from how long instructions take alone and among
 * each other, without names or counters.
 *
 * Instructions that take one slot and whose copies are independent are timed alone: c a cycle are c ports.
 * In pairs, so many of each that either alone would fill its ports, they take (a + b) / |A u B| cycles. The
 * smallest number of ports that explains all unions is taken; the ports' numbers mean nothing. Where slots
 * hide a union, only its least size is known. */
#ifndef TACHO_LEARN_RESOURCES_H
#define TACHO_LEARN_RESOURCES_H

#include "learn/lab.h"

/* ---- independent instances of a form, and loops of two kinds of them ---- */

enum {
    STREAM_BYTES = 320,
    STREAM_INSTANCES = 10
};

/** Instances one behind the other, each with what ends its dependencies, if it needs that. */
typedef struct stream {
    uint8_t code[STREAM_BYTES];
    uint16_t ends[STREAM_INSTANCES]; /* where each ends */
    unsigned count;                  /* of instances; 0: the form has none */
    bool chained;                    /* each waits for the last one */
    bool broken;                     /* there are instructions of other forms that end dependencies */
    unsigned breaks;                 /* how many, if they write general registers */
} stream;

/** One instance, whose registers and memory no other stream uses: the form must not read what it writes. */
bool stream_of_own_registers(stream *out, uint32_t form);
/** As many as have registers of their own; with instructions that end what dependencies they have still. */
bool stream_of_instances(stream *out, uint32_t form, bool breaks);
/** Half of the instances, where there are ten: so that two streams have no registers in common. */
stream stream_half(const stream *s, bool second);
/** Adds `a_count` instances of `a` and `b_count` of `b` to the newest loop, evenly mixed. */
void lab_mix(lab *l, const stream *a, unsigned a_count, const stream *b, unsigned b_count);

enum {
    RESOURCE_SETS = 32,
    RESOURCE_GROUPS = 8
};

/** A set of ports, and an instruction whose only µop must have one of them. */
typedef struct resource_set {
    uint16_t ports;
    unsigned capacity; /* their number; µops a cycle */
    bool loads;        /* it only loads */
    uint32_t form;
    stream blocker; /* independent instances */
} resource_set;

/** What the links of chains take beyond the one cycle that they are counted as, and what chains do not show.
 */
typedef struct latency_links {
    double flags;                 /* from flags to a general register */
    double to_general, to_vector; /* from one file of registers to the other */
    double load;                  /* cycles from an address to a general register */
    double sums;      /* that a sum comes earlier to another addition, which is all that a chain shows */
    bool only_loads;  /* the form has no other µop */
    bool round_trips; /* memory is renamed for forms of which a round trip through it takes little */
} latency_links;

typedef struct resources {
    latency_links links;
    unsigned issue_width;
    resource_set sets[RESOURCE_SETS];
    unsigned count;
    unsigned ports;                   /* how many there are */
    unsigned solutions;               /* with so many ports */
    uint16_t compute;                 /* all those that compute: what a µop has that no blocked set shows */
    uint16_t alu;                     /* of a plain addition of general registers */
    uint16_t branches;                /* 0: not found */
    uint16_t fusion[RESOURCE_GROUPS]; /* macro-fusion groups found so far: bit c: condition c may follow */
    unsigned fusion_count;
    uint16_t loads, store_addresses, store_data, store_data_alu; /* as the parameters of tacho_arch */
} resources;

/** Finds l->resources, and the parameters ports, load_ports, store_address_ports, store_data_ports,
 *  store_data_alu_ports, alu_ports and dividers. Needs issue_width. What cannot be found is undecided.
 *  @return 0; what subject_time returns, TACHO_ERR_UNSUPPORTED where no set was found */
int learn_resources(lab *l);
/** Gives the ports of `l` the core's numbers: in l->resources, and in findings of ports. Ports that the
 * core's own table has in the same sets get each other's names. @return false, with nothing changed, where
 * the sets are not the core's */
bool resources_name_as(lab *l, const tacho_arch *core);
/** NULL is allowed. */
void resources_free(resources *r);

/* ---- the smallest number of ports that explains which sets of them overlap by how much ---- */

enum {
    SOLVE_SETS = RESOURCE_SETS,
    SOLVE_PORTS = 16,
    SOLVE_MOST = 64 /* solutions that are counted */
};

/** Sizes of sets and of the unions of two of them. */
typedef struct port_puzzle {
    unsigned count;
    unsigned size[SOLVE_SETS];
    unsigned least[SOLVE_SETS][SOLVE_SETS], most[SOLVE_SETS][SOLVE_SETS]; /* of the union */
    uint16_t ports[SOLVE_SETS]; /* the solution; 0: the set contradicts those before it */
    unsigned port_count;
    unsigned solutions; /* with that number of ports; at most SOLVE_MOST */
} port_puzzle;

/** Fills in the solution. The order of the sets matters where they contradict each other: the last ones are
 *  left out then. @return false: there are too many ports */
bool port_puzzle_solve(port_puzzle *p);

/* ---- how sets of ports are found ---- */

enum {
    INSTANCES_ALONE = 120, /* instances in the loop of a form alone */
    FILLED_CYCLES = 16,    /* of a mix */
    PROBES = 12            /* instances among others */
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

#endif
