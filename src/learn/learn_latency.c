/* learn_latency.c - latencies as rows of insns.txt have them. */
#include "learn/learn_forms.h"

#include "base/mem.h"

enum {
    MOST_PAIRS = 64,
    TOO_LONG = 25 /* cycles that a chain takes only with something else in it */
};

typedef struct pair {
    unsigned source, target;
    int cycles, address, index, memory, same; /* -1 none */
} pair;

typedef struct pairs {
    pair items[MOST_PAIRS];
    unsigned count;
} pairs;

static pair *find_pair(pairs *all, unsigned source, unsigned target)
{
    for (unsigned i = 0; i < all->count; i++)
        if (all->items[i].source == source && all->items[i].target == target)
            return &all->items[i];
    if (all->count == MOST_PAIRS)
        return NULL;
    all->items[all->count] = (pair){source, target, -1, -1, -1, -1, -1};
    return &all->items[all->count++];
}

static bool is_flags(const tacho_form *f, unsigned operand)
{
    return f->operands[operand].kind == TACHO_OPERAND_FLAGS;
}

static bool is_memory(const tacho_form *f, unsigned operand)
{
    return f->operands[operand].kind == TACHO_OPERAND_MEM;
}

static bool is_modified(const tacho_form *f)
{
    return f->operand_count && uses_memory(f, TACHO_READ) && uses_memory(f, TACHO_WRITE);
}

static bool is_general(const tacho_form *f, unsigned operand)
{
    const unsigned class_ = uses_class(f, operand);
    return is_flags(f, operand) || (class_ >= TACHO_REG_R8L && class_ <= TACHO_REG_R64);
}

/* Without what the links in its chain take more than they were counted for. */
static double without_links(const tacho_form *f, const tacho_measured_latency *m, const latency_links *links)
{
    double cycles = m->cycles;
    const bool address = m->path == TACHO_PATH_ADDRESS || m->path == TACHO_PATH_ADDRESS_INDEX;
    if (m->status != TACHO_LATENCY_AT_MOST)
        return cycles;
    if (is_flags(f, m->target))
        cycles -= links->flags;
    if (uses_vector(f, m->target) && (address || is_general(f, m->source)))
        cycles -= links->to_general;
    else if (uses_vector(f, m->source) && is_general(f, m->target))
        cycles -= links->to_vector;
    return fmax(cycles, 1);
}

static void take(pairs *all, const tacho_form *f, const tacho_measured_latency *m, double throughput,
                 const latency_links *links, bool *missing)
{
    pair *p = find_pair(all, m->source, m->target);
    const bool by_store = m->source != m->target && (m->path == TACHO_PATH_MEMORY || is_memory(f, m->target));
    *missing |= m->status == TACHO_LATENCY_NOT_MEASURED && !by_store;
    bool known = m->status == TACHO_LATENCY_OK || m->status == TACHO_LATENCY_AT_MOST ||
                 m->status == TACHO_LATENCY_ROUND_TRIP;
    if (p && m->status == TACHO_LATENCY_INDEPENDENT && links->round_trips) { /* it has what was stored */
        p->address = m->path == TACHO_PATH_ADDRESS ? 0 : p->address;
        p->index = m->path == TACHO_PATH_ADDRESS_INDEX ? 0 : p->index;
    }
    if (!p || !known || isnan(m->cycles) || (m->cycles >= TOO_LONG && throughput < 2))
        return;
    double cycles = without_links(f, m, links);
    if (m->path == TACHO_PATH_REGISTER)
        cycles += links->sums;
    int whole = (int)floor(cycles + 0.5);
    switch (m->path) {
    case TACHO_PATH_REGISTER:
        p->cycles = whole || !is_flags(f, m->source) ? whole : -1;
        break;
    case TACHO_PATH_ADDRESS:
        p->address = is_modified(f) ? -1 : whole;
        break;
    case TACHO_PATH_ADDRESS_INDEX:
        p->index = is_modified(f) ? -1 : whole;
        break;
    case TACHO_PATH_SAME_REGISTER:
        p->same = whole;
        break;
    case TACHO_PATH_MEMORY: /* of what is read and written: from one instance to the next; else by a store */
        if (m->status == TACHO_LATENCY_OK ? m->source == m->target
                                          : links->round_trips && is_general(f, m->target))
            p->memory = whole;
        break;
    }
}

/* Flags come with the result; a source that no chain reached is like another one to the same result. */
static void complete(pairs *all, const tacho_form *f)
{
    for (unsigned i = 0; i < all->count; i++)
        for (unsigned k = 0; k < all->count; k++) {
            pair *l = &all->items[i];
            const pair *o = &all->items[k];
            if (is_flags(f, l->target) && l->cycles < 0 && o->source == l->source && o->target != l->target)
                l->cycles = o->cycles;
            if (l->address < 0 && l->index >= 0)
                l->address = l->index;
            if (l->index < 0 && l->address >= 0)
                l->index = l->address;
            /* a chain of pointers is quicker on some cores: a parameter says so */
            if (is_memory(f, l->source) && l->address < l->index)
                l->address = l->index;
        }
}

/* What is loaded from where the stack pointer says: no chain can be built, as the pointer moves on. */
static void add_stack_load(pairs *all, const tacho_form *f, const latency_links *links)
{
    for (unsigned s = f->visible_count; s < f->operand_count; s++)
        if (f->operands[s].kind == TACHO_OPERAND_MEM && f->operands[s].access & TACHO_READ &&
            f->operands[0].kind == TACHO_OPERAND_REG && links->load > 0) {
            pair *p = find_pair(all, s, 0);
            if (p && p->address < 0)
                p->address = (int)links->load;
        }
}

static size_t put(char *out, size_t size, size_t n, const char *before, int value)
{
    if (n < size)
        n += (size_t)snprintf(out + n, size - n, "%s", before);
    if (value >= 0 && n < size)
        n += (size_t)snprintf(out + n, size - n, "%d", value);
    return n;
}

void latency_text(const tacho_form *f, const tacho_characterisation *c, const latency_links *links,
                  bool idiom, char *out, size_t size, bool *missing)
{
    pairs all = {.count = 0};
    size_t n = 0;
    *missing = false;
    for (unsigned i = 0; i < c->latency_count; i++)
        take(&all, f, &c->latencies[i], c->throughput.cycles, links, missing);
    complete(&all, f);
    if (links->only_loads)
        add_stack_load(&all, f, links);
    for (unsigned i = 0; i < all.count && n + 64 < size; i++) {
        pair *p = &all.items[i];
        if (idiom && f->operands[p->source].kind == TACHO_OPERAND_REG)
            p->same = 0;
        if (is_memory(f, p->target)) { /* what it takes is a part of round trips */
            p->cycles = -1;
            p->address = p->address ? -1 : 0;
            p->index = p->index ? -1 : 0;
        }
        if (p->cycles < 0 && p->address < 0 && p->index < 0 && p->memory < 0)
            continue;
        if (links->round_trips && links->only_loads && is_general(f, p->target) && p->address >= 0 &&
            p->memory < 0)
            p->memory = 0;
        n += (size_t)snprintf(out + n, size - n, "%s%u>%u=", n ? " " : "", p->source, p->target);
        n = put(out, size, n, "", p->cycles);
        if (p->address < 0 && p->index < 0 && p->memory < 0 && p->same < 0)
            continue;
        n = put(out, size, n, ",", p->address);
        n = put(out, size, n, ",", p->index);
        if (p->memory >= 0 || p->same >= 0)
            n = put(out, size, n, ",", p->memory);
        if (p->same >= 0)
            n = put(out, size, n, ",", p->same);
    }
    if (!n)
        snprintf(out, size, "-");
}

execution latency_execution(const tacho_characterisation *c)
{
    execution how = {false, false, NAN};
    for (unsigned i = 0; i < c->latency_count; i++) {
        const tacho_measured_latency *m = &c->latencies[i];
        if (m->path == TACHO_PATH_SAME_REGISTER && m->status == TACHO_LATENCY_OK)
            how.same = m->cycles;
        if (m->path != TACHO_PATH_REGISTER || m->status != TACHO_LATENCY_OK)
            continue;
        how.by_renamer |= m->cycles < 0.9;
        how.by_ports |= m->cycles >= 0.9;
    }
    return how;
}

tacho_characterisation *lab_characterise(lab *l, uint32_t form)
{
    tacho_characterisation *c = l->failed ? NULL : tacho_mem_zalloc(1, sizeof *c);
    if (!l->failed)
        l->failed = c ? subject_characterise(l->s, form, c, l->err) : tacho_no_memory(l->err);
    if (!l->failed)
        return c;
    tacho_mem_free(c);
    return NULL;
}

/* The latency of a form from an operand to another; NaN not measured. */
static double measure_pair(lab *l, const char *name, unsigned source, tacho_path path)
{
    uint32_t form;
    double cycles = NAN;
    tacho_characterisation *c = tacho_form_find(name, &form, NULL) ? NULL : lab_characterise(l, form);
    for (unsigned i = 0; c && i < c->latency_count && isnan(cycles); i++)
        if (c->latencies[i].source == source && c->latencies[i].path == path)
            cycles = c->latencies[i].cycles;
    tacho_mem_free(c);
    return cycles;
}

void latency_find_links(lab *l, latency_links *out)
{
    const double test = measure_pair(l, "TEST (R64, R64)", 0, TACHO_PATH_REGISTER),
                 there = measure_pair(l, "MOVQ (XMM, R64)", 1, TACHO_PATH_REGISTER),
                 load = measure_pair(l, "MOV (R64, M64)", 1, TACHO_PATH_ADDRESS_INDEX);
    *out = (latency_links){.flags = test > 1 ? round(test) - 1 : 0, .load = isnan(load) ? 0 : round(load)};
    if (there > 1) { /* the way back was counted as one cycle */
        const double both = round(there) + 1, back = floor(both / 2);
        out->to_general = back - 1;
        out->to_vector = both - back - 1;
    }
}
