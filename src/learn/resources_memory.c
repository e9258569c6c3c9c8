/* resources_memory.c - what stores and the loop's branch take, and which parameters follow. */
#include <math.h>

#include "learn/learn_plan.h"
#include "learn/resources_find.h"

/* ---- stores ---- */

/* A store's capacity is what its addresses and its data allow together. */
bool stores_time(lab *l, candidate stores[2])
{
    lab_clear(l);
    for (unsigned v = 0; v < 2; v++) {
        lab_loop(l, TACHO_MODE_LOOP);
        if (resources_store(&stores[v], v))
            lab_mix(l, &stores[v].s, ALONE, &stores[v].s, 0);
    }
    lab_loop(l, TACHO_MODE_LOOP);
    if (stores[0].s.count && stores[1].s.count)
        lab_mix(l, &stores[0].s, ALONE / 2, &stores[1].s, ALONE / 2);
    lab_time(l);
    for (unsigned v = 0; v < 2; v++) {
        stores[v].rate = ALONE / lab_timed(l, v);
        stores[v].capacity = stores[v].rate >= 0.9 ? (unsigned)floor(stores[v].rate + 0.15) : 0;
    }
    const double both = ALONE / lab_timed(l, 2);
    return both > stores[0].rate + 0.3 && both > stores[1].rate + 0.3;
}

static bool is_used(double uses)
{
    return uses > 0.7 && uses < 1.5;
}

/* A µop that must have one of the set's ports must have one of any larger set, too. Else it was another µop
 * of the blocking instruction that it waited for. */
static bool is_consistent(const resources *r, unsigned n, const double *uses)
{
    for (unsigned i = 0; i < r->count; i++)
        if (r->sets[i].kind == RESOURCE_COMPUTE && !(r->sets[n].ports & (uint16_t)~r->sets[i].ports) &&
            !is_used(uses[i]))
            return false;
    return true;
}

/* The smallest of the computing sets that is used; 0: none. */
static uint16_t smallest_used(const resources *r, const double *uses)
{
    const resource_set *best = NULL;
    for (unsigned i = 0; i < r->count; i++) {
        const resource_set *s = &r->sets[i];
        if (s->kind == RESOURCE_COMPUTE && is_used(uses[i]) && is_consistent(r, i, uses) &&
            (!best || s->capacity < best->capacity))
            best = s;
    }
    return best ? best->ports : 0;
}

static uint16_t new_ports(resources *r, unsigned count)
{
    uint16_t ports = 0;
    for (; count && r->ports < TACHO_MAX_PORTS; count--)
        ports |= (uint16_t)(1U << r->ports++);
    return ports;
}

/* Where nothing that computes is in the way, the data have ports of their own. */
static void place_data(resources *r, const candidate stores[2], bool apart, uint16_t general, uint16_t vector)
{
    r->store_data = general ? general : new_ports(r, stores[0].capacity ? stores[0].capacity : 1);
    if (!general && !vector && !apart)
        return;
    r->store_data_alu = r->store_data;
    r->store_data = vector ? vector : stores[1].capacity ? new_ports(r, stores[1].capacity) : r->store_data;
}

/* Uses of each set by an instance, from loops that the set's blocking instructions fill; with no instances,
 * by the loop's counter: what one and two rounds of blocking instructions take beyond these. */
static void uses_of(lab *l, const resources *r, const stream *of, unsigned count, double *uses)
{
    lab_clear(l);
    for (unsigned i = 0; i < r->count; i++) {
        const resource_set *s = &r->sets[i];
        const unsigned blocks = s->capacity * 2 * FILLED_CYCLES;
        lab_loop(l, TACHO_MODE_LOOP);
        lab_mix(l, &s->blocker, blocks, of, count);
        lab_loop(l, TACHO_MODE_LOOP);
        lab_mix(l, &s->blocker, count ? blocks : 2 * blocks, of, 0);
    }
    lab_time(l);
    for (unsigned i = 0; i < r->count; i++) {
        const unsigned capacity = r->sets[i].capacity;
        const double with = lab_timed(l, 2 * i), without = lab_timed(l, 2 * i + 1);
        uses[i] = count ? (with - without) * capacity / count : (2 * with - without) * capacity;
    }
}

void stores_place(lab *l, resources *r, const candidate stores[2], bool apart)
{
    double uses[2][RESOURCE_SETS] = {{0}};
    for (unsigned v = 0; v < 2; v++)
        if (stores[v].s.count)
            uses_of(l, r, &stores[v].s, PROBES, uses[v]);
    place_data(r, stores, apart, smallest_used(r, uses[0]), smallest_used(r, uses[1]));
}

/* ---- branches ---- */

/* The ports that all sets share of which the counter uses one; a loop's time is a whole number of cycles, so
 * that one use may look like more. */
void branches_place(lab *l, resources *r)
{
    double uses[RESOURCE_SETS] = {0};
    const stream none = {.count = 0};
    uint16_t ports = r->compute;
    bool found = false;
    uses_of(l, r, &none, 0, uses);
    for (unsigned i = 0; i < r->count; i++)
        if (r->sets[i].kind == RESOURCE_COMPUTE && uses[i] > 0.6) {
            ports &= r->sets[i].ports;
            found = true;
        }
    r->branches = found && ports ? ports : r->alu;
}

/* ---- parameters ---- */

int resources_report(lab *l, const resources *r)
{
    const struct {
        const char *name;
        uint16_t ports;
    } sets[] = {{"load_ports", r->loads},
                {"store_address_ports", r->store_addresses},
                {"store_data_ports", r->store_data},
                {"store_data_alu_ports", r->store_data_alu},
                {"alu_ports", r->alu}};
    lab_about(l, "ports", r->ports, 0);
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        char text[TACHO_MAX_PORTS + 1];
        plan_ports_text(sets[i].ports, text, sizeof text);
        lab_found(l, sets[i].name, NAN, NAN, "%s", *text ? text : "-");
    }
    return l->failed;
}
