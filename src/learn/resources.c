/* resources.c - sets of ports: from which forms compete to which ports there are. */
#include "learn/resources.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "machine/characterise/instance.h"
#include "learn/learn_uses.h"
#include "learn/resources_find.h"
#include "learn/resources_solve.h"

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

static bool is_legacy_vector(uint32_t form)
{
    tacho_form f;
    if (tacho_form_encoding(form) != TACHO_ENC_LEGACY || tacho_form_get(form, &f))
        return false;
    for (unsigned i = 0; i < f.visible_count; i++)
        if (uses_class(&f, i) == TACHO_REG_XMM)
            return true;
    return false;
}

/* Loads before what computes, then by how many forms there are. */
static int by_trust(const void *a, const void *b)
{
    const class_ *x = a, *y = b;
    if (x->members != y->members)
        return (x->members < y->members) - (x->members > y->members);
    return (x->of > y->of) - (x->of < y->of);
}

static bool has_operand(uint32_t form, tacho_operand_kind kind)
{
    tacho_form f;
    if (tacho_form_get(form, &f))
        return false;
    for (unsigned i = 0; i < f.visible_count; i++)
        if (f.operands[i].kind == kind)
            return true;
    return false;
}

/* What a form costs beside its ports: one of vectors without VEX has to merge with the upper halves of
 * registers where others use these; a constant takes places in the cache of µops and at issue; where the
 * renamer adds constants, an address may take no port at all. */
static unsigned hindrances(const lab *l, uint32_t form)
{
    const bool adds = lab_number(l, "immediate_sum_bits", 1) > 0;
    return 2 * is_legacy_vector(form) + has_operand(form, TACHO_OPERAND_IMM) +
           2 * (adds && has_operand(form, TACHO_OPERAND_AGEN));
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

/* General registers of 32 and 64 bits only. */
static bool is_general(uint32_t form)
{
    tacho_form f;
    bool general = !tacho_form_get(form, &f) && f.visible_count;
    for (unsigned i = 0; i < f.visible_count && general; i++) {
        const unsigned kind = uses_class(&f, i);
        general = kind == TACHO_REG_NONE || kind == TACHO_REG_R32 || kind == TACHO_REG_R64;
    }
    return general;
}

/* Vectors only. */
static bool is_of_vectors(uint32_t form)
{
    tacho_form f;
    bool all = !tacho_form_get(form, &f) && f.visible_count;
    for (unsigned i = 0; i < f.visible_count && all; i++)
        all = uses_vector(&f, i);
    return all;
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
    *s = (resource_set){.ports = ports,
                        .capacity = c->of->capacity,
                        .kind = c->of->loads ? RESOURCE_LOAD : RESOURCE_COMPUTE,
                        .form = c->of->form};
    s->blocker = c->of->s;
    if (s->kind == RESOURCE_LOAD)
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
        if (s->kind != RESOURCE_COMPUTE || !is_general(s->form))
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
