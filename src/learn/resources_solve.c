/* resources_solve.c - ports are alike until a set takes some of them and not others: a set is added by saying
 * how many ports it takes of each kind, and how many new ones. */

#include "learn/resources.h"
#include "tacho/insndb.h"
#include "x86/arch/port_digits.h"

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

/* ---- names ---- */

/* Ports are found without names. Where the instructions that fill the sets have as many ports on a known
 * core, a port is named after the one that is in the same sets there. */

/* The same sets on both sides; they may have more or fewer ports than there. */
typedef struct naming {
    uint16_t own[RESOURCE_SETS], core[RESOURCE_SETS];
    unsigned count;
    uint8_t names[SOLVE_PORTS]; /* of each port that was found */
} naming;

static void pair(naming *n, uint16_t own, uint16_t core)
{
    if (own && core && n->count < RESOURCE_SETS) {
        n->own[n->count] = own;
        n->core[n->count++] = core;
    }
}

static uint16_t ports_of(const tacho_arch *core, const char *name)
{
    const int p = parameter_number(name);
    return p < 0 ? 0 : (uint16_t)tacho_arch_parameter_number(core, (size_t)p);
}

/* Where general registers and vectors are loaded by different ports of the core, those that are as many. */
static void pair_loads(naming *n, uint16_t own, const tacho_arch *core)
{
    static const char *const loads[] = {"MOV (R64, M64)", "MOVUPS (XMM, M128)"};
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
        uint32_t form;
        tacho_figures f;
        if (!tacho_form_find(loads[i], &form, NULL) && !tacho_form_figures(core, form, &f) &&
            f.base.group_count == 1 && __builtin_popcount(own) == __builtin_popcount(f.base.groups[0].ports))
            pair(n, own, f.base.groups[0].ports);
    }
}

static void pair_all(naming *n, const resources *r, const tacho_arch *core)
{
    tacho_figures f;
    pair_loads(n, r->loads, core);
    pair(n, r->loads, ports_of(core, "load_ports"));
    pair(n, r->store_addresses, ports_of(core, "store_address_ports"));
    pair(n, r->store_data, ports_of(core, "store_data_ports"));
    pair(n, r->alu, ports_of(core, "alu_ports"));
    for (unsigned i = 0; i < r->count; i++)
        if (!r->sets[i].loads && !tacho_form_figures(core, r->sets[i].form, &f) && f.base.group_count == 1 &&
            f.base.groups[0].count == 1 &&
            __builtin_popcount(r->sets[i].ports) == __builtin_popcount(f.base.groups[0].ports))
            pair(n, r->sets[i].ports, f.base.groups[0].ports);
}

static uint16_t named(const naming *n, uint16_t ports)
{
    uint16_t out = 0;
    for (unsigned port = 0; port < SOLVE_PORTS; port++)
        if (ports >> port & 1)
            out |= (uint16_t)(1u << n->names[port]);
    return out;
}

/* Of how many pairs of sets both ports are in, or neither. */
static unsigned alike(const naming *n, unsigned own, unsigned core)
{
    unsigned count = 0;
    for (unsigned i = 0; i < n->count; i++)
        count += (n->own[i] >> own & 1) == (n->core[i] >> core & 1);
    return count;
}

/* The names with which most ports are in most sets that their namesakes are in: two swap theirs as long as
 * that makes it better. Some instructions may have other ports on this processor, so that their sets do not
 * fit; but most must. */
static bool find_names(naming *n)
{
    unsigned same = 0, could_be = 0;
    for (unsigned port = 0; port < SOLVE_PORTS; port++)
        n->names[port] = (uint8_t)port;
    for (bool better = true; better;) {
        better = false;
        for (unsigned a = 0; a < SOLVE_PORTS; a++)
            for (unsigned b = 0; b < a; b++)
                if (alike(n, a, n->names[b]) + alike(n, b, n->names[a]) >
                    alike(n, a, n->names[a]) + alike(n, b, n->names[b])) {
                    const uint8_t name = n->names[a];
                    n->names[a] = n->names[b];
                    n->names[b] = name;
                    better = true;
                }
    }
    for (unsigned i = 0; i < n->count; i++) {
        could_be += __builtin_popcount(n->own[i]) == __builtin_popcount(n->core[i]);
        same += named(n, n->own[i]) == n->core[i];
    }
    return could_be > 0 && 3 * same >= 2 * could_be;
}

static bool is_of_ports(const char *name)
{
    tacho_arch_parameter p;
    const int i = parameter_number(name);
    return i >= 0 && !tacho_arch_parameter_get((size_t)i, &p) && p.type == TACHO_PARAMETER_PORTS;
}

static void name_finding(const naming *n, finding *f)
{
    uint16_t ports = 0;
    if (f->state != FINDING_MEASURED || !is_of_ports(f->name) || !strcmp(f->value, "-"))
        return;
    for (const char *c = f->value; *c; c++)
        ports |= (uint16_t)(1u << (port_of_digit(*c) & 15));
    ports = named(n, ports);
    char *to = f->value;
    for (unsigned port = 0; port < SOLVE_PORTS; port++)
        if (ports >> port & 1)
            *to++ = port_digit(port);
    *to = '\0';
}

bool resources_name_as(lab *l, const tacho_arch *core)
{
    resources *r = l->resources;
    naming n = {.count = 0};
    pair_all(&n, r, core);
    if (!r->loads || !r->alu || !find_names(&n)) /* where these are lost, all others say nothing */
        return false;
    for (unsigned i = 0; i < r->count; i++)
        r->sets[i].ports = named(&n, r->sets[i].ports);
    uint16_t *const masks[] = {&r->compute,         &r->alu,        &r->branches,      &r->loads,
                               &r->store_addresses, &r->store_data, &r->store_data_alu};
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++)
        *masks[i] = named(&n, *masks[i]);
    for (size_t i = 0; i < l->finding_count; i++)
        name_finding(&n, &l->findings[i]);
    return true;
}
