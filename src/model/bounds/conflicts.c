/* conflicts.c - the cycles that chains of one cycle an iteration are expected to lose because µops get their
 * port at issue, long before it is known which of them will be ready together. It is an expectation, not a
 * limit, for predictions without a simulation. */
#include "model/bounds/flow.h"

/* The probability that two µops which become ready together were given the same port, all allowed ports being
 * equally likely. */
static double same_port(const flow *f, uint16_t a, uint16_t b)
{
    const tacho_arch *arch = f->b->arch;
    uint16_t in_turn =
        arch->load_ports | arch->store_data_ports | arch->store_address_ports; /* evenly used */
    int common = __builtin_popcount(a & b & (uint16_t)~in_turn);
    return common ? (double)common / (__builtin_popcount(a) * __builtin_popcount(b)) : 0;
}

/* The cycles that a chain of one carried value is expected to lose in an iteration. Each link waits a cycle
 * when an older µop that becomes ready with it was given its port. The µops that follow from the chain become
 * ready at fixed distances after it, so they meet it again in every cycle. */
static double expected_conflicts(const flow *f, int32_t last)
{
    double lost = 0;
    for (int32_t n = last; n >= 0; n = f->nodes[n].from) {
        double free = 1;
        for (int32_t w = 0; w < f->node_count; w++) {
            int32_t after = f->nodes[w].start - f->nodes[n].start;
            bool older = after > 0 || (after == 0 && w < n);
            if (older)
                free *= 1 - same_port(f, f->nodes[n].u->ports, f->nodes[w].u->ports);
        }
        lost += 1 - free;
    }
    return lost;
}

/* The links of the chains that take one cycle an iteration each. */
typedef struct chain_links {
    const uop *u[UNIT_COUNT];
    uint32_t count;
} chain_links;

/* The cycles that the youngest of several chains loses to the others. While the chains are level, the older
 * ones' links go first. The chain that has lost a cycle is then the oldest, until another one has lost as
 * many. So the chains are level half of the time. */
static double lost_to_chains(const flow *f, const chain_links *l)
{
    double worst = 0;
    for (uint32_t k = 0; k < l->count; k++) {
        double free = 1;
        for (uint32_t j = 0; j < l->count; j++)
            free *= l->u[j] < l->u[k] ? 1 - same_port(f, l->u[k]->ports, l->u[j]->ports) : 1;
        worst = 1 - free > worst ? 1 - free : worst;
    }
    return worst / 2 / (1 - worst / 2);
}

/* µops of an iteration that can go to a port of the chains. */
static uint32_t rivals(const flow *f, const chain_links *l)
{
    uint32_t ports = 0, count = 0;
    for (uint32_t k = 0; k < l->count; k++)
        ports |= l->u[k]->ports;
    for (uint32_t k = 0; k < f->b->uop_count; k++)
        count += (f->b->uops[k].ports & ports) != 0;
    return count;
}

/* Only several chains lose cycles: a single chain's µops are kept apart, because ports are chosen by the
 * numbers of waiting µops, and ports with time to spare are, too; chains of one cycle an iteration drift
 * against each other. */
int flow_conflicts(double *lost, flow *f, const carried_nodes *c, const int32_t *weight, uint32_t stride,
                   insn_results *r)
{
    uint32_t chains = 0;
    bool bound_early = f->b->arch->port_policy != TACHO_PORTS_AT_DISPATCH;
    chain_links links = {.count = 0};
    *lost = 0;
    for (uint32_t k = 0; k < c->units && bound_early; k++)
        chains += weight[k * stride + k] == 1;
    for (uint32_t k = 0; k < c->units && chains > 1; k++) {
        if (weight[k * stride + k] != 1)
            continue;
        if (flow_start_trace(f))
            return TACHO_ERR_MEMORY;
        flow_run(f, c, (int32_t)k, r);
        int32_t last = f->slot_node[c->unit[k]];
        double more = expected_conflicts(f, last);
        *lost = more > *lost ? more : *lost;
        if (last >= 0)
            links.u[links.count++] = f->nodes[last].u;
    }
    if (links.count > 2 || (links.count == 2 && rivals(f, &links) > 2)) {
        double more = lost_to_chains(f, &links);
        *lost = more > *lost ? more : *lost;
    }
    return 0;
}
