/* resources.c - sets of ports: from which forms compete to which ports there are. */

#include "base/mem.h"
#include "learn/learn_forms.h"
#include "machine/characterise/instance.h"

/* ---- stores ---- */

/* A store's capacity is what its addresses and its data allow together. */
static bool stores_time(lab *l, candidate stores[2])
{
    lab_clear(l);
    for (unsigned v = 0; v < 2; v++) {
        lab_loop(l, TACHO_MODE_LOOP);
        if (resources_store(&stores[v], v))
            lab_mix(l, &stores[v].s, INSTANCES_ALONE, &stores[v].s, 0);
    }
    lab_loop(l, TACHO_MODE_LOOP);
    if (stores[0].s.count && stores[1].s.count)
        lab_mix(l, &stores[0].s, INSTANCES_ALONE / 2, &stores[1].s, INSTANCES_ALONE / 2);
    lab_time(l);
    for (unsigned v = 0; v < 2; v++) {
        stores[v].rate = INSTANCES_ALONE / lab_timed(l, v);
        stores[v].capacity = stores[v].rate >= 0.9 ? (unsigned)floor(stores[v].rate + 0.15) : 0;
    }
    const double both = INSTANCES_ALONE / lab_timed(l, 2);
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
        if (!r->sets[i].loads && !(r->sets[n].ports & (uint16_t)~r->sets[i].ports) && !is_used(uses[i]))
            return false;
    return true;
}

/* The smallest of the computing sets that is used; 0: none. */
static uint16_t smallest_used(const resources *r, const double *uses)
{
    const resource_set *best = NULL;
    for (unsigned i = 0; i < r->count; i++) {
        const resource_set *s = &r->sets[i];
        if (!s->loads && is_used(uses[i]) && is_consistent(r, i, uses) &&
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

/* Where the data of stores go; `apart`: as stores_time says. */
static void stores_place(lab *l, resources *r, const candidate stores[2], bool apart)
{
    double uses[2][RESOURCE_SETS] = {{0}};
    for (unsigned v = 0; v < 2; v++)
        if (stores[v].s.count)
            uses_of(l, r, &stores[v].s, PROBES, uses[v]);
    place_data(r, stores, apart, smallest_used(r, uses[0]), smallest_used(r, uses[1]));
}

/* ---- branches ---- */

/* Which set the branch that ends a loop is in: the ports that all sets share of which the counter uses one;
 * a loop's time is a whole number of cycles, so that one use may look like more. */
static void branches_place(lab *l, resources *r)
{
    double uses[RESOURCE_SETS] = {0};
    const stream none = {.count = 0};
    uint16_t ports = r->compute;
    bool found = false;
    uses_of(l, r, &none, 0, uses);
    for (unsigned i = 0; i < r->count; i++)
        if (!r->sets[i].loads && uses[i] > 0.6) {
            ports &= r->sets[i].ports;
            found = true;
        }
    r->branches = found && ports ? ports : r->alu;
}

/* ---- parameters ---- */

static int resources_report(lab *l, const resources *r)
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

/* Of the rate of one set: a slower mix was disturbed. */
#define SLOWEST_MIX 0.85

enum {
    FEW_FORMS = 2 /* that have a set in common: less may have other reasons for their throughput */
};

/* A set by the form that stands for it. */
typedef struct class_ {
    const candidate *of;
    unsigned members;
    bool stores;
} class_;

typedef struct finder {
    lab *l;
    candidates c;
    class_ classes[SOLVE_SETS];
    unsigned count, width;
    candidate stores[2]; /* of a general register, of a vector */
    bool stores_apart;
    port_puzzle puzzle;
} finder;

/* ---- classes ---- */

static execution find_execution(lab *l, uint32_t form)
{
    tacho_characterisation *c = lab_characterise(l, form);
    const execution how = c ? latency_execution(c) : (execution){false, false, NAN};
    tacho_mem_free(c);
    return how;
}

/* How many of a form's visible operands are what: `general` counts what is no other register, too. */
typedef struct operands {
    unsigned all, general, vectors, narrow_vectors, immediates, addresses;
} operands;

static operands operands_of(uint32_t form)
{
    operands o = {0};
    tacho_form f;
    for (unsigned i = 0; !tacho_form_get(form, &f) && i < f.visible_count; i++) {
        const unsigned kind = uses_class(&f, i);
        o.all++;
        o.general += kind == TACHO_REG_NONE || kind == TACHO_REG_R32 || kind == TACHO_REG_R64;
        o.vectors += uses_vector(&f, i);
        o.narrow_vectors += kind == TACHO_REG_XMM;
        o.immediates += f.operands[i].kind == TACHO_OPERAND_IMM;
        o.addresses += f.operands[i].kind == TACHO_OPERAND_AGEN;
    }
    return o;
}

/* Loads before what computes, then by how many forms there are. */
static int by_trust(const void *a, const void *b)
{
    const class_ *x = a, *y = b;
    if (x->members != y->members)
        return (x->members < y->members) - (x->members > y->members);
    return (x->of > y->of) - (x->of < y->of);
}

/* What a form costs beside its ports: one of vectors without VEX has to merge with the upper halves of
 * registers where others use these; a constant takes places in the cache of µops and at issue; where the
 * renamer adds constants, an address may take no port at all. */
static unsigned hindrances(const lab *l, uint32_t form)
{
    const bool adds = lab_number(l, "immediate_sum_bits", 1) > 0;
    const operands o = operands_of(form);
    const bool legacy = o.narrow_vectors && tacho_form_encoding(form) == TACHO_ENC_LEGACY;
    return 2u * legacy + (o.immediates > 0) + 2u * (adds && o.addresses);
}

/* The form that fills the set: of those with the fewest hindrances the most frequent one. */
static const candidate *filler_of(const lab *l, const candidates *c, unsigned first)
{
    const candidate *found = &c->items[first];
    for (unsigned i = first; i < c->count && hindrances(l, found->form); i++)
        if (c->items[i].like == (int)first && c->items[i].own >= found->own &&
            hindrances(l, c->items[i].form) < hindrances(l, found->form))
            found = &c->items[i];
    return found;
}

static void find_classes(finder *f)
{
    for (unsigned i = 0; i < f->c.count && f->count < SOLVE_SETS; i++) {
        const candidate *c = &f->c.items[i];
        unsigned members = 0;
        for (unsigned k = 0; c->like == (int)i && k < f->c.count; k++)
            members += f->c.items[k].like == (int)i;
        if (members < FEW_FORMS)
            continue;
        c = filler_of(f->l, &f->c, i);
        if (c->loads || !find_execution(f->l, c->form).by_renamer)
            f->classes[f->count++] = (class_){c, members, false};
    }
    qsort(f->classes, f->count, sizeof *f->classes, by_trust);
    f->stores_apart = stores_time(f->l, f->stores);
    if (f->stores[0].capacity && f->count < SOLVE_SETS)
        f->classes[f->count++] = (class_){&f->stores[0], FEW_FORMS, true};
}

/* ---- unions ---- */

static unsigned larger(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

/* What a mix shows: `rate` µops a cycle of two sets. Mixes are slower than ports allow, never faster; and no
 * faster than slots allow. What computes shares no ports with loads and the addresses of stores: where a
 * mix with a store is slower, that is due to the store's data. */
static void set_union(finder *f, unsigned a, unsigned b, double rate)
{
    port_puzzle *p = &f->puzzle;
    const class_ *x = &f->classes[a], *y = &f->classes[b];
    unsigned least = larger(p->size[a], p->size[b]), most = p->size[a] + p->size[b];
    bool loads = x->of->loads != y->of->loads;
    const double part = !loads ? 0.93 : x->stores || y->stores ? 0.85 : 0.75;
    bool visible = rate < part * fmin(most, f->width);
    if ((x->stores && !y->of->loads) || (y->stores && !x->of->loads) || (!visible && loads)) {
        least = most;
    } else if (rate > SLOWEST_MIX * least) {
        unsigned whole = (unsigned)ceil(0.99 * rate - 0.1);
        least = larger(least, whole < most ? whole : most);
        if (visible && least < f->width) /* else it may be slots that they lack */
            most = least;
    }
    p->least[a][b] = p->least[b][a] = least;
    p->most[a][b] = p->most[b][a] = most;
}

static bool is_general(uint32_t form)
{
    const operands o = operands_of(form);
    return o.all && o.general == o.all;
}

static bool is_of_vectors(uint32_t form)
{
    const operands o = operands_of(form);
    return o.all && o.vectors == o.all;
}

/* Slots hide unions that are nearly as large. Where none of the others shows a port that general registers
 * and vectors share, these share none either. */
static void part_files(finder *f)
{
    port_puzzle *p = &f->puzzle;
    for (unsigned part = 0; part < 2; part++)
        for (unsigned a = 0; a < f->count; a++)
            for (unsigned b = 0; b < f->count; b++) {
                const candidate *x = f->classes[a].of, *y = f->classes[b].of;
                const unsigned all = p->size[a] + p->size[b];
                if (x->loads || f->classes[a].stores || !is_general(x->form) || y->loads ||
                    f->classes[b].stores || !is_of_vectors(y->form))
                    continue;
                if (p->most[a][b] < all && p->most[a][b] + 1 < f->width)
                    return;
                if (part)
                    p->least[a][b] = p->least[b][a] = p->most[a][b] = p->most[b][a] = all;
            }
}

static void find_unions(finder *f)
{
    port_puzzle *p = &f->puzzle;
    size_t n = 0;
    p->count = f->count;
    lab_clear(f->l);
    for (unsigned a = 0; a < f->count; a++) {
        p->size[a] = f->classes[a].of->capacity;
        for (unsigned b = 0; b < a; b++)
            resources_mixed(f->l, f->classes[a].of, f->classes[b].of);
    }
    lab_time(f->l);
    for (unsigned a = 0; a < f->count; a++)
        for (unsigned b = 0; b < a; b++)
            set_union(f, a, b, (double)(p->size[a] + p->size[b]) * FILLED_CYCLES / lab_timed(f->l, n++));
    part_files(f);
}

/* ---- the result ---- */

static void put_set(resources *r, const class_ *c, uint16_t ports)
{
    if (c->stores)
        r->store_addresses = ports;
    if (!ports || r->count == RESOURCE_SETS || c->stores)
        return;
    resource_set *s = &r->sets[r->count++];
    *s = (resource_set){
        .ports = ports, .capacity = c->of->capacity, .loads = c->of->loads, .form = c->of->form};
    s->blocker = c->of->s;
    if (s->loads)
        r->loads |= ports;
    else
        r->compute |= ports;
}

/* Of what takes general registers, the set with the most ports; where as many instructions are executed as
 * there are slots, that set is not seen, and has all ports of such sets. */
static void find_alu(const finder *f, resources *r)
{
    uint16_t all = 0, widest = 0;
    unsigned ports = 0;
    for (unsigned i = 0; i < r->count; i++) {
        const resource_set *s = &r->sets[i];
        if (s->loads || !is_general(s->form))
            continue;
        all |= s->ports;
        if (s->capacity > ports) {
            ports = s->capacity;
            widest = s->ports;
        }
    }
    execution how = {false, false, NAN};
    for (unsigned i = 0, tried = 0; i < f->c.count && !how.by_ports && tried < 8; i++) {
        const candidate *c = &f->c.items[i];
        if (c->loads || !is_general(c->form) || !(c->rate > 0.97 * f->width))
            continue;
        tried++;
        how = find_execution(f->l, c->form);
        how.by_ports &= !how.by_renamer;
    }
    r->alu = how.by_ports ? all : widest;
}

static void complete(finder *f, resources *r)
{
    r->issue_width = f->width;
    r->ports = f->puzzle.port_count;
    r->solutions = f->puzzle.solutions;
    for (unsigned i = 0; i < f->count; i++)
        put_set(r, &f->classes[i], f->puzzle.ports[i]);
    find_alu(f, r);
    stores_place(f->l, r, f->stores, f->stores_apart);
    branches_place(f->l, r);
    latency_find_links(f->l, &r->links);
    resources_report(f->l, r);
}

int learn_resources(lab *l)
{
    finder *f = tacho_mem_zalloc(1, sizeof *f);
    resources *r = tacho_mem_zalloc(1, sizeof *r);
    if (!l->failed && !(f && r))
        l->failed = tacho_no_memory(l->err);
    if (!l->failed) {
        f->l = l;
        f->width = (unsigned)lab_number(l, "issue_width", 4);
        candidates_find(l, &f->c, f->width);
        candidates_compare(l, &f->c);
        find_classes(f);
        find_unions(f);
        if (!l->failed && !port_puzzle_solve(&f->puzzle))
            l->failed =
                tacho_error_set(l->err, TACHO_ERR_UNSUPPORTED, "no sets of ports explain what was measured");
        complete(f, r);
        tacho_mem_free(f->c.items);
    }
    if (!l->failed) {
        resources_free(l->resources);
        l->resources = r;
        r = NULL;
    }
    TACHO_MEM_FREE(f, r);
    return l->failed;
}

void resources_free(resources *r)
{
    tacho_mem_free(r);
}
