/* learn_plan.c - from uses of sets to µops.
 *
 * Sets of few ports come first: what uses one of them also shows in every larger set. Where slots show that
 * these would be too many µops, one that shows in two sets has the ports that both share. */
#include "learn/learn_forms.h"

#include "machine/characterise/instance.h"

enum {
    DECODED = 4,     /* more slots than these come from microcode */
    MOST_HIDDEN = 8, /* slots: of more, other things are a part, such as waiting for microcode */
};

static int whole(double x)
{
    return isnan(x) || x < 0 ? 0 : (int)floor(x + 0.4);
}

static bool within(uint16_t a, uint16_t b)
{
    return !(a & (uint16_t)~b);
}

static void add(uop_plan *p, uint16_t ports, unsigned count)
{
    if (!ports || !count)
        return;
    for (unsigned i = 0; i < p->count; i++)
        if (p->groups[i].ports == ports) {
            p->groups[i].count += count;
            return;
        }
    if (p->count + 2 < PLAN_GROUPS) /* with room for a store */
        p->groups[p->count++] = (plan_group){ports, count};
}

static unsigned total(const uop_plan *p)
{
    unsigned n = 0;
    for (unsigned i = 0; i < p->count; i++)
        n += p->groups[i].count;
    return n;
}

/* ---- what computes ---- */

/* Whether another set explains what a set shows only in part (they share ports, so that its blocking
 * instructions are in the way at times), or contradicts it: what must have one of few ports must have one of
 * more, or it was another µop of the blocking instruction that it met. */
static bool is_explained(const resources *r, const form_uses *u, unsigned i)
{
    for (unsigned k = 0; k < r->count; k++) {
        const resource_set *a = &r->sets[i], *b = &r->sets[k];
        if (k == i || b->loads || isnan(u->uses[k]))
            continue;
        if (within(a->ports, b->ports)
                ? u->uses[k] < 0.5
                : u->uses[i] < 0.85 && u->uses[k] > 0.9 && a->ports & b->ports && !within(b->ports, a->ports))
            return true;
    }
    return false;
}

/* The fastest loop has cycles for so many uses of a set. */
static int uses_of_set(const resources *r, const form_uses *u, unsigned i)
{
    if (isnan(u->uses[i]) || is_explained(r, u, i))
        return 0;
    return whole(fmin(u->uses[i], r->sets[i].capacity * u->cycles + 0.2));
}

/* The set of fewest ports that is not done yet. */
static int next_set(const resources *r, uint32_t done)
{
    int best = -1;
    for (unsigned i = 0; i < r->count; i++)
        if (!(done >> i & 1) && !r->sets[i].loads &&
            (best < 0 || r->sets[i].capacity < r->sets[best].capacity))
            best = (int)i;
    return best;
}

static void by_inclusion(uop_plan *p, const resources *r, const form_uses *u)
{
    uint32_t done = 0;
    for (int i; (i = next_set(r, done)) >= 0; done |= (uint32_t)1 << i) {
        int n = uses_of_set(r, u, (unsigned)i);
        for (unsigned g = 0; g < p->count; g++)
            if (within(p->groups[g].ports, r->sets[i].ports))
                n -= (int)p->groups[g].count;
        if (n > 0)
            add(p, r->sets[i].ports, (unsigned)n);
    }
}

/* One µop that shows in several sets has the ports that these share, as far as they share any; those that
 * show most come first, as a µop that keeps its port busy also slows down others a little. */
static uint16_t shared_ports(const resources *r, const form_uses *u)
{
    uint16_t ports = 0xffff;
    uint32_t done = 0;
    for (;;) {
        int most = -1;
        for (unsigned i = 0; i < r->count; i++)
            if (!(done >> i & 1) && !r->sets[i].loads && uses_of_set(r, u, i) > 0 &&
                (most < 0 || u->uses[i] > u->uses[most] + 0.1))
                most = (int)i;
        if (most < 0)
            return ports;
        done |= (uint32_t)1 << most;
        if (ports & r->sets[most].ports)
            ports &= r->sets[most].ports;
    }
}

static void plan_compute(uop_plan *p, const resources *r, const form_uses *u, unsigned most)
{
    by_inclusion(p, r, u);
    uint16_t shared = shared_ports(r, u);
    if (total(p) > most && most == 1 && shared && shared != 0xffff) {
        p->count = 0;
        add(p, shared, 1);
    }
}

/* Registers only: a slot for each µop. What shows more often holds its ports longer, or its set fills
 * unevenly; the µops of most ports are the least certain. */
static void limit_to_slots(uop_plan *p)
{
    while (total(p) > p->slots) {
        plan_group *most = NULL;
        for (unsigned i = 0; i < p->count; i++)
            if (p->groups[i].count > 1 &&
                (!most || __builtin_popcount(p->groups[i].ports) > __builtin_popcount(most->ports)))
                most = &p->groups[i];
        if (!most)
            return;
        most->count--;
    }
}

/* A lock stops what is behind it, which looks like uses of all sets: an addition is left. */
static void limit_locked(uop_plan *p, const resources *r)
{
    bool stops = false;
    for (unsigned i = 0; i < p->count; i++)
        stops |= p->groups[i].count > MOST_HIDDEN;
    if (stops) {
        p->count = 0;
        add(p, r->alu, 1);
    }
}

/* Whether all of the set's µops are hidden behind slots: nothing can fill it and leave slots. */
static bool is_hidden(const resources *r, uint16_t ports)
{
    for (unsigned i = 0; i < r->count; i++)
        if (r->sets[i].ports == ports)
            return false;
    return true;
}

/* ---- memory ---- */

static bool stores_vectors(const tacho_form *f)
{
    bool any = false;
    for (unsigned i = 0; i < f->operand_count; i++)
        any |= uses_vector(f, i);
    return any;
}

/* What the store's data take is not computing. */
static void take_away(uop_plan *p, uint16_t ports)
{
    for (unsigned i = 0; i < p->count; i++)
        if (p->groups[i].ports == ports && p->groups[i].count) {
            p->groups[i].count--;
            return;
        }
}

static uint16_t data_ports(const resources *r, const tacho_form *f)
{
    return r->store_data_alu && !stores_vectors(f) ? r->store_data_alu : r->store_data;
}

/* Of loads, the smallest set that all of them use; not one that is also the stores'. */
static uint16_t load_ports(const resources *r, const form_uses *u, unsigned loads)
{
    uint16_t ports = r->loads;
    unsigned capacity = TACHO_MAX_PORTS + 1;
    for (unsigned i = 0; i < r->count; i++) {
        const resource_set *s = &r->sets[i];
        if (s->loads && s->capacity < capacity && s->ports != r->store_addresses &&
            whole(u->uses[i]) >= (int)loads) {
            ports = s->ports;
            capacity = s->capacity;
        }
    }
    return ports;
}

static void plan_memory(uop_plan *p, const resources *r, const form_uses *u, bool loads, bool stores)
{
    const resource_set *widest = uses_widest_loads(r);
    const int stored = stores, shown = widest ? whole(u->uses[widest - r->sets]) : 0;
    const bool shared = within(r->store_addresses, r->loads);
    int loaded = !loads ? 0 : shown - (shared ? stored : 0);
    if (loads && (loaded < 1 || p->locked))
        loaded = 1;
    if (loaded > (int)p->slots)
        loaded = (int)p->slots;
    add(p, stores ? r->loads : load_ports(r, u, (unsigned)loaded), (unsigned)loaded);
    if (!stored)
        return;
    /* groups of equal ports are not joined here: the order tells them apart */
    p->groups[p->count++] = (plan_group){r->store_addresses, 1};
    p->groups[p->count++] = (plan_group){data_ports(r, &u->form), 1};
    if (!shared && whole(u->loads_indexed) > loaded)
        p->store_indexed = r->loads;
}

/* ---- all of it ---- */

static unsigned whole_slots(const resources *r, double slots, double cycles)
{
    double most = r->issue_width * cycles;
    double n = floor(fmin(slots, most + 0.2) + 0.35);
    return isnan(slots) || n < 1 ? 1 : n > 140 ? 140 : (unsigned)n;
}

/* What slots say of µops that no set shows. A load or a store is fused with one µop. */
static void add_hidden(uop_plan *p, const resources *r, bool loads, bool stores, bool computes)
{
    if (!is_hidden(r, r->alu))
        return;
    const unsigned found = total(p), slots = p->slots > MOST_HIDDEN || p->locked ? 1 : p->slots;
    unsigned wanted = computes;
    if (loads && stores)
        wanted += slots > 3 ? slots - 3 : 0;
    else if (loads || stores)
        wanted = slots > 1 ? slots - 1 : loads && computes;
    else if (slots > 1)
        wanted = slots;
    if (wanted > found)
        add(p, r->alu, wanted - found);
}

static double port_bound(const uop_plan *p, const resources *r)
{
    double bound = (double)p->slots / r->issue_width;
    for (unsigned i = 0; i < p->count; i++) {
        unsigned n = 0;
        for (unsigned k = 0; k < p->count; k++)
            n += within(p->groups[k].ports, p->groups[i].ports) ? p->groups[k].count : 0;
        bound = fmax(bound, (double)n / __builtin_popcount(p->groups[i].ports));
    }
    return bound;
}

/* An immediate of 16 bits, whose prefix stops predecoders: that is not the instruction's interval. */
static bool has_changing_prefix(const tacho_form *f)
{
    for (unsigned i = 0; i < f->visible_count; i++)
        if (instance_kind(f->id, i) == KIND_I16)
            return true;
    return false;
}

static void plan_intervals(uop_plan *p, const resources *r, const form_uses *u, unsigned dividers)
{
    const double bound = port_bound(p, r);
    if ((u->at_most && !u->divides) || (u->chained && !p->locked) || u->cycles < 1.5 ||
        bound >= 0.85 * u->cycles || has_changing_prefix(&u->form))
        return;
    if (u->divides)
        p->divider = (unsigned)floor(dividers * u->cycles + 0.45);
    else
        p->interval = (unsigned)floor(u->cycles + 0.5);
}

/* What waits in front of microcode or behind a lock looks like slots. */
static void fewer_slots(uop_plan *p)
{
    unsigned uops = total(p);
    if (p->slots > uops)
        p->slots = uops ? uops : 1;
}

static double distance_of(const resources *r, const form_uses *u)
{
    double most = isnan(u->slots) ? 1 : fabs(u->slots - round(u->slots));
    for (unsigned i = 0; i < r->count; i++)
        if (!isnan(u->uses[i]))
            most = fmax(most, fabs(u->uses[i] - round(u->uses[i])));
    return fmin(most, 1);
}

void plan_uops(uop_plan *out, const resources *r, const form_uses *u, bool computes, bool eliminated,
               unsigned dividers)
{
    const bool loads = uses_memory(&u->form, TACHO_READ), stores = uses_memory(&u->form, TACHO_WRITE);
    *out = (uop_plan){.locked = u->locked, .distance = distance_of(r, u)};
    out->slots = whole_slots(r, u->slots, u->cycles);
    out->complex = u->decoded > 0.7 && u->decoded < 1.3; /* a prefix that stops predecoders costs more */
    if (!isnan(u->slots_indexed)) {
        unsigned indexed = whole_slots(r, u->slots_indexed, u->cycles + 1);
        out->slots_indexed = indexed > out->slots ? indexed : 0;
    }
    const resource_set *widest = uses_widest_loads(r);
    const bool touches = stores || (loads && !(widest && u->uses[widest - r->sets] < 0.3 && !computes));
    if (eliminated && (!touches || (!loads && !stores))) {
        out->eliminated = true;
        return;
    }
    plan_compute(out, r, u, out->slots);
    if (!loads && !stores && !isnan(u->slots))
        limit_to_slots(out);
    if (out->locked)
        limit_locked(out, r);
    if (stores)
        take_away(out, data_ports(r, &u->form));
    add_hidden(out, r, loads, stores, computes);
    if (loads && stores && computes && !total(out))
        add(out, r->alu, 1);
    plan_memory(out, r, u, loads, stores);
    if (out->locked || (out->slots > MOST_HIDDEN && is_hidden(r, r->alu)))
        fewer_slots(out);
    plan_intervals(out, r, u, dividers);
}

/* ---- text ---- */

void plan_ports_text(uint16_t ports, char *out, size_t size)
{
    size_t n = 0;
    for (unsigned p = 0; p < TACHO_MAX_PORTS && n + 1 < size; p++)
        if (ports >> p & 1)
            out[n++] = "0123456789abcdef"[p];
    out[n] = '\0';
}

static void append(char *out, size_t size, size_t *n, const char *format, ...) TACHO_PRINTF(4, 5);
static void append(char *out, size_t size, size_t *n, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(out + *n, size - *n, format, args);
    va_end(args);
    *n += length < 0 ? 0 : (size_t)length;
    *n = *n < size ? *n : size - 1;
}

void plan_text(const uop_plan *p, bool indexed, char *out, size_t size)
{
    const unsigned slots = indexed && p->slots_indexed ? p->slots_indexed : p->slots;
    unsigned uops = 0;
    size_t n = 0;
    *out = '\0';
    for (unsigned i = 0; i < p->count; i++) {
        uint16_t mask = p->groups[i].ports;
        char ports[TACHO_MAX_PORTS + 1];
        if (!p->groups[i].count)
            continue;
        if (indexed && p->store_indexed && i + 2 == p->count)
            mask = p->store_indexed;
        plan_ports_text(mask, ports, sizeof ports);
        append(out, size, &n, "%s%s", n ? "+" : "", ports);
        if (p->groups[i].count > 1)
            append(out, size, &n, "*%u", p->groups[i].count);
        uops += p->groups[i].count;
    }
    if (!n)
        append(out, size, &n, "-");
    if (slots != (uops ? uops : 1))
        append(out, size, &n, " s=%u", slots);
    if (slots > DECODED)
        append(out, size, &n, " d=%d ms=%u complex simple=0", DECODED, slots - DECODED);
    else if (indexed && p->slots_indexed)
        append(out, size, &n, " d=%u", p->slots);
    if (p->complex && slots <= DECODED)
        append(out, size, &n, " complex simple=%u", p->beside_complex);
    if (p->divider)
        append(out, size, &n, " div=%u", p->divider);
    if (p->interval)
        append(out, size, &n, " tp=%u", p->interval);
    if (p->locked && !indexed)
        append(out, size, &n, " locked");
}
