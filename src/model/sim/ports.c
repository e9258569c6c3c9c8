/* ports.c - which port a µop goes to. On Intel's cores the renamer binds the µop to one: uiCA paper,
 * section 4.1.2, for 8 ports; the others from the pipeline model's table. The choice is made at issue, for
 * good, from the numbers of µops that wait for each port. These are the numbers at the start of the cycle (or
 * of the one before), so the order of the ports of a set is worked out once a cycle.
 *
 * On AMD's cores the scheduler chooses when the µop leaves it. Older µops go first there, too, so the choice
 * is known when the µop is renamed: the allowed port that is free first once the µop is ready. Which port is
 * taken if several are free is not documented. Here it is the one that the block's µops need least, so that
 * µops with many ports leave the scarce ports to µops with few. */
#include "base/hash.h"
#include "model/sim/inner_loop.h"

#include <string.h>

static int lowest_bit(uint32_t mask)
{
    return __builtin_ctz(mask);
}

static int use_of(const sim *s, int port, port_count what)
{
    return s->rn.uses.lane[port_lane((uint32_t)port, what)];
}

bool ports_list(sim *s, uint32_t mask)
{
    const int count = __builtin_popcount(mask);
    s->choices[mask].listed = (uint8_t)(count <= PORTS_LISTED ? count : 0);
    if (count > PORTS_LISTED)
        return false;
    uint32_t mask_left = mask;
    for (int k = 0; k < PORTS_LISTED; k++) {
        s->choices[mask].list[k] =
            (uint8_t)port_lane(mask_left ? (uint32_t)lowest_bit(mask_left) : NO_PORT, USE_KEY);
        mask_left &= mask_left - 1;
    }
    return true;
}

void ports_list_in_turn(sim *s, port_rule rule, uint32_t mask)
{
    program *g = &s->prog;
    const uint8_t first = (uint8_t)lowest_bit(mask);
    g->in_turn[rule - PORT_LOADS] = first;
    for (uint32_t m = mask; m; m &= m - 1)
        g->after[rule - PORT_LOADS][lowest_bit(m)] = m & (m - 1) ? (uint8_t)lowest_bit(m & (m - 1)) : first;
}

/* For even and odd slots: the least used; the second least unless it has port_margin more. Among equals the
 * highest number comes first. */
static void order_8(const sim *s, uint32_t mask, port_choice *c)
{
    uint32_t first = UINT32_MAX, second = UINT32_MAX;
    for (uint32_t m = mask; m; m &= m - 1) {
        int p = lowest_bit(m);
        uint32_t key = (uint32_t)use_of(s, p, USE_START) << 8 | (0xffu - (uint32_t)p);
        uint32_t larger = key > first ? key : first;
        first = key < first ? key : first;
        second = larger < second ? larger : second;
    }
    c->order[0] = c->order[2] = (uint8_t)(0xff - (first & 0xff));
    c->order[1] = c->order[3] = (second >> 8) - (first >> 8) >= s->arch->port_margin
                                    ? c->order[0]
                                    : (uint8_t)(0xff - (second & 0xff));
}

static void put_in_order(uint32_t *a, uint32_t *b)
{
    const uint32_t low = min_u32(*a, *b), high = max_u32(*a, *b);
    *a = low;
    *b = high;
}

/* The keys of up to PORTS_LISTED ports in order; behind them those of NO_PORT. */
static void sort_listed(const sim *s, const port_choice *c, uint32_t keys[PORTS_LISTED])
{
    static const uint8_t network[][2] = {{0, 3}, {1, 4}, {0, 2}, {1, 3}, {0, 1},
                                         {2, 4}, {1, 2}, {3, 4}, {2, 3}};
    for (int k = 0; k < PORTS_LISTED; k++)
        keys[k] = s->rn.uses.lane[c->list[k]];
#pragma GCC unroll 9
    for (size_t k = 0; k < sizeof network / sizeof *network; k++)
        put_in_order(&keys[network[k][0]], &keys[network[k][1]]);
}

/* The same of any number. */
static void sort_many(const sim *s, uint32_t mask, uint32_t *keys)
{
    for (uint32_t count = 0; mask; mask &= mask - 1) {
        const uint32_t key = (uint32_t)use_of(s, lowest_bit(mask), USE_KEY);
        uint32_t at = count++;
        for (; at && keys[at - 1] > key; at--)
            keys[at] = keys[at - 1];
        keys[at] = key;
    }
}

/* Those with less than port_margin more than the least used, that one first. Among equals the highest number
 * comes first. */
void ports_order_by_turn(const sim *s, uint32_t mask, port_choice *c)
{
    uint32_t keys[TACHO_MAX_PORTS], too_many;
    if (c->listed)
        sort_listed(s, c, keys);
    else
        sort_many(s, mask, keys);
    too_many = (keys[0] >> PORT_KEY_BITS) + s->arch->port_margin;
    const uint32_t count = c->listed ? c->listed : (uint32_t)__builtin_popcount(mask);
    for (c->count = 0; c->count < count && keys[c->count] >> PORT_KEY_BITS < too_many; c->count++)
        c->order[c->count] = (uint8_t)(PORT_KEY_NUMBER - (keys[c->count] & PORT_KEY_NUMBER));
}

/* For each of four slots. Among equals the lowest number is the least used, the highest the most used. */
static void order_6(const sim *s, uint32_t mask, port_choice *c)
{
    static const uint8_t by_slot[3][4] = {{0, 5, 1, 0}, {1, 5, 0, 1}, {5, 1, 0, 5}};
    int least = lowest_bit(mask), most = least;
    for (uint32_t m = mask; m; m &= m - 1) {
        int p = lowest_bit(m);
        if (use_of(s, p, USE_START) < use_of(s, least, USE_START))
            least = p;
        if (use_of(s, p, USE_START) >= use_of(s, most, USE_START))
            most = p;
    }
    bool uneven = use_of(s, most, USE_START) - use_of(s, least, USE_START) >= s->arch->port_margin;
    for (int slot = 0; slot < 4; slot++)
        if (uneven)
            c->order[slot] = (uint8_t)least;
        else if (mask == ((1u << 0) | (1u << 1) | (1u << 5)))
            c->order[slot] = by_slot[least == 0 ? 0 : least == 1 ? 1 : 2][slot];
        else
            c->order[slot] = (uint8_t)(slot % 2 == 0 ? least : most);
}

/* The uiCA paper's simple model: any of them, equally likely. */
static int choose_any(uint32_t mask, uint32_t seq)
{
    uint32_t nth = (uint32_t)(hash_mix(seq) % (uint32_t)__builtin_popcount(mask));
    while (nth--)
        mask &= mask - 1;
    return lowest_bit(mask);
}

/* A µop that can take any of n ports needs an n-th of each. */
void ports_rank(sim *s, uint32_t ops)
{
    enum {
        WHOLE = 720720 /* a multiple of all numbers of ports */
    };
    const op *all = s->prog.ops;
    uint64_t need[TACHO_MAX_PORTS] = {0};
    uint8_t *rank = s->prog.spare_first;
    for (uint32_t k = 0; k < ops; k++)
        for (uint32_t m = all[k].ports; m; m &= m - 1)
            need[lowest_bit(m)] += WHOLE / (uint32_t)__builtin_popcount(all[k].ports);
    for (uint8_t p = 0; p < TACHO_MAX_PORTS; p++) {
        uint32_t at = p;
        for (; at && need[p] < need[rank[at - 1]]; at--)
            rank[at] = rank[at - 1];
        rank[at] = p;
    }
    memset(s->prog.ranked, 0, sizeof s->prog.ranked);
    for (uint32_t place = 0; place < TACHO_MAX_PORTS; place++) {
        const uint32_t port = rank[place], low = port % 4;
        for (uint32_t four = 1u << low; four < 16; four = (four + 1) | 1u << low)
            s->prog.ranked[port / 4][four] |= (uint16_t)(1u << place);
    }
}

port_places ports_places(const program *g, uint32_t mask)
{
    return (port_places)(g->ranked[0][mask & 15] | g->ranked[1][mask >> 4 & 15] |
                         g->ranked[2][mask >> 8 & 15] | g->ranked[3][mask >> 12 & 15]) *
           IN_EACH_CYCLE;
}

static int choose_by_slot(sim *s, uint32_t mask, uint32_t slot)
{
    port_choice *c = &s->choices[mask];
    c->stamp = s->stamp;
    if (s->arch->port_policy == TACHO_PORTS_6)
        order_6(s, mask, c);
    else
        order_8(s, mask, c);
    return c->order[slot & 3];
}

int ports_choose_among(sim *s, const op *u, uint32_t slot, int32_t ready)
{
    switch (u->rule) {
    case PORT_ANY:
        return ports_place(&s->prog, choose_any(u->ports, (uint32_t)s->next_seq));
    case PORT_AT_DISPATCH:
        return reservations_free_port(s, u->places, ready).place;
    default:
        return choose_by_slot(s, u->ports, slot);
    }
}
