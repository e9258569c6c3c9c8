/* learn_latency.c - latencies as rows of insns.txt have them. */
#include "study/learn/learn_latency.h"

#include <math.h>
#include <stdio.h>

#include "base/mem.h"

enum {
    MOST_PAIRS = 64,
    TOO_LONG = 25 /* cycles that a chain takes only with something else in it */
};

typedef struct pair {
    unsigned source, target;
    int cycles, address, index, same; /* -1 none */
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
    all->items[all->count] = (pair){source, target, -1, -1, -1, -1};
    return &all->items[all->count++];
}

static bool is_flags(const tacho_form *f, unsigned operand)
{
    return f->operands[operand].kind == TACHO_OPERAND_FLAGS;
}

static bool is_modified(const tacho_form *f)
{
    return f->operand_count && uses_memory(f, TACHO_READ) && uses_memory(f, TACHO_WRITE);
}

static void take(pairs *all, const tacho_form *f, const tacho_measured_latency *m, double throughput,
                 const latency_links *links, bool *missing)
{
    pair *p = find_pair(all, m->source, m->target);
    *missing |= m->status == TACHO_LATENCY_NOT_MEASURED;
    bool known = m->status == TACHO_LATENCY_OK || m->status == TACHO_LATENCY_AT_MOST;
    if (!p || !known || isnan(m->cycles) || (m->cycles >= TOO_LONG && throughput < 2))
        return;
    double cycles = m->cycles;
    if (m->status == TACHO_LATENCY_AT_MOST && is_flags(f, m->target))
        cycles = fmax(1, cycles - links->flags);
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
    case TACHO_PATH_MEMORY:
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
            if (f->operands[l->source].kind == TACHO_OPERAND_MEM && l->address < l->index)
                l->address = l->index;
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
    for (unsigned i = 0; i < all.count && n + 64 < size; i++) {
        pair *p = &all.items[i];
        if (idiom && f->operands[p->source].kind == TACHO_OPERAND_REG)
            p->same = 0;
        if (f->operands[p->target].kind == TACHO_OPERAND_MEM ||
            (p->cycles < 0 && p->address < 0 && p->index < 0))
            continue;
        n += (size_t)snprintf(out + n, size - n, "%s%u>%u=", n ? " " : "", p->source, p->target);
        n = put(out, size, n, "", p->cycles);
        if (p->address < 0 && p->index < 0 && p->same < 0)
            continue;
        n = put(out, size, n, ",", p->address);
        n = put(out, size, n, ",", p->index);
        if (p->same >= 0)
            n = put(out, size, n, ",,", p->same);
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

int latency_of_flags(lab *l, double *excess, tacho_error *err)
{
    tacho_characterisation *c = tacho_mem_zalloc(1, sizeof *c);
    uint32_t test;
    tacho_form f;
    int failed = c ? 0 : tacho_no_memory(err);
    *excess = 0;
    if (!failed && !tacho_form_find("TEST (R64, R64)", &test, NULL) && !tacho_form_get(test, &f)) {
        failed = subject_characterise(l->s, test, c, err);
        for (unsigned i = 0; i < c->latency_count && !failed; i++)
            if (c->latencies[i].status == TACHO_LATENCY_AT_MOST && is_flags(&f, c->latencies[i].target) &&
                c->latencies[i].cycles > 1)
                *excess = round(c->latencies[i].cycles) - 1;
    }
    tacho_mem_free(c);
    return failed;
}
