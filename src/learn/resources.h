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
#include "learn/learn_stream.h"

enum {
    RESOURCE_SETS = 32,
    RESOURCE_GROUPS = 8
};

typedef enum resource_kind {
    RESOURCE_COMPUTE,
    RESOURCE_LOAD,
    RESOURCE_STORE, /* its ports are those of the addresses */
} resource_kind;

/** A set of ports, and an instruction whose only µop (of a store: whose address) must have one of them. */
typedef struct resource_set {
    uint16_t ports;
    unsigned capacity; /* their number; µops a cycle */
    resource_kind kind;
    uint32_t form;
    stream blocker; /* independent instances */
} resource_set;

/** What the links of chains take beyond the one cycle that they are counted as, and what chains do not show.
 */
typedef struct latency_links {
    double flags;                 /* from flags to a general register */
    double to_general, to_vector; /* from one file of registers to the other */
    double load;                  /* cycles from an address to a general register */
    double sums;  /* that a sum comes earlier to another addition, which is all that a chain shows */
    bool renames; /* the form only loads, a general register, and memory is renamed */
    bool stack;   /* the form only loads, from where the stack pointer says */
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

#endif
