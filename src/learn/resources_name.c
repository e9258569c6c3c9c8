/* resources_name.c - ports are found without names. Where the instructions that fill the sets have as many
 * ports on a known core, a port is named after the one that is in the same sets there. */
#include "learn/resources.h"

#include <stdio.h>
#include <string.h>

#include "tacho/insndb.h"
#include "x86/arch/port_digits.h"

enum {
    PORTS = 16
};

/* The same sets on both sides; they may have more or fewer ports than there. */
typedef struct naming {
    uint16_t own[RESOURCE_SETS], core[RESOURCE_SETS];
    unsigned count;
    uint8_t names[PORTS]; /* of each port that was found */
} naming;

static void pair(naming *n, uint16_t own, uint16_t core)
{
    if (own && core && n->count < RESOURCE_SETS) {
        n->own[n->count] = own;
        n->core[n->count++] = core;
    }
}

static uint16_t ports_of(const tacho_arch *core, const char *parameter)
{
    tacho_arch_parameter p;
    for (size_t i = 0; !tacho_arch_parameter_get(i, &p); i++)
        if (!strcmp(p.name, parameter))
            return (uint16_t)tacho_arch_parameter_number(core, i);
    return 0;
}

static void pair_all(naming *n, const resources *r, const tacho_arch *core)
{
    tacho_figures f;
    pair(n, r->loads, ports_of(core, "load_ports"));
    pair(n, r->store_addresses, ports_of(core, "store_address_ports"));
    pair(n, r->store_data, ports_of(core, "store_data_ports"));
    pair(n, r->alu, ports_of(core, "alu_ports"));
    for (unsigned i = 0; i < r->count; i++)
        if (r->sets[i].kind == RESOURCE_COMPUTE && !tacho_form_figures(core, r->sets[i].form, &f) &&
            f.base.group_count == 1 && f.base.groups[0].count == 1 &&
            __builtin_popcount(r->sets[i].ports) == __builtin_popcount(f.base.groups[0].ports))
            pair(n, r->sets[i].ports, f.base.groups[0].ports);
}

static uint16_t named(const naming *n, uint16_t ports)
{
    uint16_t out = 0;
    for (unsigned port = 0; port < PORTS; port++)
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
    for (unsigned port = 0; port < PORTS; port++)
        n->names[port] = (uint8_t)port;
    for (bool better = true; better;) {
        better = false;
        for (unsigned a = 0; a < PORTS; a++)
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
    for (size_t i = 0; !tacho_arch_parameter_get(i, &p); i++)
        if (!strcmp(p.name, name))
            return p.type == TACHO_PARAMETER_PORTS;
    return false;
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
    for (unsigned port = 0; port < PORTS; port++)
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
