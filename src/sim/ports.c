/* ports.c - which port the renamer binds a µop to. uiCA paper, section 4.1.2, for 8 ports; the others from
 * the pipeline model's table. Decided from the numbers of µops that wait for each port, at issue, for good.
 */
#include "sim/sim.h"
#include "util/hash.h"

static int lowest_bit(uint32_t mask)
{
    return __builtin_ctz(mask);
}

/* The allowed port with the lowest count; among equals the highest number. */
static int least_used(uint32_t mask, const uint16_t *usage)
{
    int best = -1;
    for (uint32_t m = mask; m; m &= m - 1) {
        int p = lowest_bit(m);
        if (best < 0 || usage[p] <= usage[best])
            best = p;
    }
    return best;
}

static int choose_8(const sim *s, uint32_t mask, uint32_t slot)
{
    const uint16_t *usage = s->rn.usage_start;
    int first = least_used(mask, usage);
    if (slot % 2 == 0)
        return first;
    int second = least_used(mask & ~(1u << first), usage);
    return usage[second] - usage[first] >= 3 ? first : second;
}

static int choose_10(const sim *s, uint32_t mask, uint32_t slot, const uint16_t *sets, uint32_t set_count)
{
    const uint16_t *usage = s->rn.usage_previous;
    int order[TACHO_MAX_PORTS], n = 0, minimum = usage[least_used(mask, usage)];
    for (uint32_t left = mask; left;) {
        int p = least_used(left, usage);
        if (usage[p] < minimum + 5)
            order[n++] = p;
        left &= ~(1u << p);
    }
    uint32_t nth = 0;
    for (uint32_t i = 0; i < set_count; i++)
        nth += sets[i] == mask;
    if (slot == 4)
        nth = 0;
    else if (slot == 3 && nth == 0)
        nth = 1;
    return order[nth % (uint32_t)n];
}

static int choose_6(const sim *s, uint32_t mask, uint32_t slot)
{
    static const int8_t by_slot[3][4] = {{0, 5, 1, 0}, {1, 5, 0, 1}, {5, 1, 0, 5}};
    const uint16_t *usage = s->rn.usage_start;
    int least = least_used(mask, usage), most = least;
    for (uint32_t m = mask; m; m &= m - 1)
        if (usage[lowest_bit(m)] > usage[most])
            most = lowest_bit(m);
    if (usage[most] - usage[least] >= 3)
        return least;
    if (mask == ((1u << 0) | (1u << 1) | (1u << 5)))
        return by_slot[least == 0 ? 0 : least == 1 ? 1 : 2][slot & 3];
    if (most == least)
        most = lowest_bit(mask);
    return slot % 2 == 0 ? least : most;
}

/* The ports of a set in turn. */
static int alternate(uint32_t mask, uint32_t *turn)
{
    uint32_t m = mask;
    for (uint32_t k = 0; k < *turn; k++)
        m &= m - 1;
    *turn = m & (m - 1) ? *turn + 1 : 0;
    return lowest_bit(m);
}

/* The uiCA paper's simple model: any of them, equally likely. */
static int choose_any(uint32_t mask, uint32_t seq)
{
    uint32_t nth = (uint32_t)(hash_mix(seq) % (uint32_t)__builtin_popcount(mask));
    while (nth--)
        mask &= mask - 1;
    return lowest_bit(mask);
}

int ports_choose(sim *s, const uop *u, uint32_t slot, const uint16_t *group_sets, uint32_t group_count)
{
    uint32_t mask = u->ports;
    renamer *rn = &s->rn;
    if ((mask & (mask - 1)) == 0)
        return lowest_bit(mask);
    if (s->options->variants & TACHO_VARIANT_SIMPLE_PORT_ASSIGNMENT)
        return choose_any(mask, (uint32_t)s->next_seq);
    if (mask == s->arch->load_ports)
        return alternate(mask, &rn->load_toggle);
    if (s->arch->port_policy == TACHO_PORTS_10) {
        if (mask == s->arch->store_data_ports)
            return alternate(mask, &rn->store_data_toggle);
        if (mask == s->arch->store_address_ports)
            return alternate(mask, &rn->store_address_toggle);
        return choose_10(s, mask, slot, group_sets, group_count);
    }
    if (s->arch->port_policy == TACHO_PORTS_6)
        return choose_6(s, mask, slot);
    return choose_8(s, mask, slot);
}
