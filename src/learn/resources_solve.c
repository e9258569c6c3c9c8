/* resources_solve.c - ports are alike until a set takes some of them and not others: a set is added by saying
 * how many ports it takes of each kind, and how many new ones. */
#include "learn/resources_solve.h"

enum {
    MOST_STEPS = 200000
};

/* Ports that are in the same sets so far. */
typedef struct cell {
    uint32_t sets; /* bit i: set i */
    unsigned count;
} cell;

typedef struct search {
    port_puzzle *p;
    unsigned order[SOLVE_SETS]; /* of the sets that take part */
    unsigned count, limit;      /* of sets, of ports */
    unsigned steps, solutions;
    cell best[SOLVE_PORTS];
    unsigned best_count;
} search;

typedef struct state {
    cell cells[SOLVE_PORTS];
    unsigned count, ports;
} state;

static void add_set(search *s, const state *at, unsigned n);

/* Whether the new set, of which `taken` ports of each cell, goes with those before it. */
static bool fits(const search *s, const state *at, const unsigned *taken, unsigned n)
{
    const port_puzzle *p = s->p;
    const unsigned new_set = s->order[n];
    for (unsigned k = 0; k < n; k++) {
        const unsigned other = s->order[k];
        unsigned shared = 0;
        for (unsigned c = 0; c < at->count; c++)
            if (at->cells[c].sets >> other & 1)
                shared += taken[c];
        unsigned joint = p->size[new_set] + p->size[other] - shared;
        if (joint < p->least[new_set][other] || joint > p->most[new_set][other])
            return false;
    }
    return true;
}

static void take(search *s, const state *at, const unsigned *taken, unsigned fresh, unsigned n)
{
    state next = {.ports = at->ports + fresh};
    const uint32_t bit = (uint32_t)1 << s->order[n];
    for (unsigned c = 0; c < at->count; c++) {
        if (taken[c])
            next.cells[next.count++] = (cell){at->cells[c].sets | bit, taken[c]};
        if (at->cells[c].count > taken[c])
            next.cells[next.count++] = (cell){at->cells[c].sets, at->cells[c].count - taken[c]};
    }
    if (fresh)
        next.cells[next.count++] = (cell){bit, fresh};
    add_set(s, &next, n + 1);
}

/* Chooses how many ports of cell `c` and those after it the set has, of which `left` more are wanted. */
static void choose(search *s, const state *at, unsigned *taken, unsigned c, unsigned left, unsigned n)
{
    if (s->solutions >= SOLVE_MOST || ++s->steps > MOST_STEPS)
        return;
    if (c == at->count) {
        if (at->ports + left <= s->limit && fits(s, at, taken, n))
            take(s, at, taken, left, n);
        return;
    }
    for (unsigned k = (left < at->cells[c].count ? left : at->cells[c].count) + 1; k-- > 0;) {
        taken[c] = k;
        choose(s, at, taken, c + 1, left - k, n);
    }
}

static void add_set(search *s, const state *at, unsigned n)
{
    unsigned taken[SOLVE_PORTS] = {0};
    if (n < s->count) {
        choose(s, at, taken, 0, s->p->size[s->order[n]], n);
        return;
    }
    if (!s->solutions++) {
        for (unsigned c = 0; c < at->count; c++)
            s->best[c] = at->cells[c];
        s->best_count = at->count;
    }
}

static bool explain(search *s, unsigned from, unsigned most)
{
    const state nothing = {.count = 0};
    for (s->limit = from; s->limit <= most; s->limit++) {
        s->solutions = s->steps = 0;
        add_set(s, &nothing, 0);
        if (s->solutions)
            return true;
    }
    return false;
}

static void number_ports(search *s)
{
    unsigned port = 0;
    for (unsigned i = 0; i < s->p->count; i++)
        s->p->ports[i] = 0;
    for (unsigned c = 0; c < s->best_count; c++)
        for (unsigned k = 0; k < s->best[c].count; k++, port++)
            for (unsigned i = 0; i < s->p->count; i++)
                if (s->best[c].sets >> i & 1)
                    s->p->ports[i] |= (uint16_t)(1U << port);
    s->p->port_count = port;
    s->p->solutions = s->solutions;
}

bool port_puzzle_solve(port_puzzle *p)
{
    search s = {.p = p, .count = 0};
    unsigned ports = 1;
    for (unsigned i = 0; i < p->count; i++) {
        s.order[s.count++] = i;
        if (explain(&s, ports, SOLVE_PORTS))
            ports = s.limit;
        else
            s.count--;
    }
    if (!s.count || !explain(&s, ports, SOLVE_PORTS))
        return false;
    number_ports(&s);
    return true;
}
