/* findings.c - dependencies of an unrolled block, re-rolled: (source, target, distance), with the share of
 * the iterations in which each was seen (staticdeps, section 3.4). */
#include "deps/deps.h"
#include "util/hash.h"
#include "util/mem.h"

static uint64_t hash_of(const tacho_dependency *d)
{
    uint64_t h = hash_add(d->source, (uint64_t)d->target << 32 | d->distance);
    h = hash_add(h, (uint64_t)d->kind << 32 | (uint64_t)d->flags << 24 | (uint64_t)d->reg.class_ << 8 |
                        d->reg.number);
    return hash_mix(h);
}

static bool same(const tacho_dependency *a, const tacho_dependency *b)
{
    return a->source == b->source && a->target == b->target && a->distance == b->distance &&
           a->kind == b->kind && a->flags == b->flags && a->reg.class_ == b->reg.class_ &&
           a->reg.number == b->reg.number;
}

static size_t slot_of(const findings *f, const tacho_dependency *d)
{
    size_t i = hash_of(d) & (f->slot_count - 1);
    while (f->slots[i] && !same(&f->list[f->slots[i] - 1].d, d))
        i = (i + 1) & (f->slot_count - 1);
    return i;
}

/* @return -1 when memory runs out */
static int grow(findings *f)
{
    if (2 * (f->count + 1) <= f->slot_count)
        return 0;
    size_t count = f->slot_count ? 2 * f->slot_count : 256;
    uint32_t *slots = tacho_mem_zalloc(count, sizeof *slots);
    if (!slots)
        return -1;
    tacho_mem_free(f->slots);
    f->slots = slots;
    f->slot_count = count;
    for (size_t i = 0; i < f->count; i++)
        f->slots[slot_of(f, &f->list[i].d)] = (uint32_t)i + 1;
    return 0;
}

void findings_note(findings *f, const tacho_dependency *d, uint32_t iteration)
{
    if (f->failed || grow(f) || tacho_mem_grow(&f->list, &f->capacity, f->count + 1, sizeof *f->list)) {
        f->failed = true;
        return;
    }
    size_t slot = slot_of(f, d);
    if (!f->slots[slot]) {
        f->list[f->count] = (found){.d = *d};
        f->list[f->count].d.share = 1;
        f->slots[slot] = (uint32_t)++f->count;
    }
    found *it = &f->list[f->slots[slot] - 1];
    if (it->last_iteration == iteration + 1)
        return;
    it->last_iteration = iteration + 1;
    it->count++;
}

void findings_end_run(findings *f, uint32_t iterations, double share)
{
    for (size_t i = 0; i < f->count; i++) {
        found *it = &f->list[i];
        double of =
            iterations > it->d.distance ? (double)it->count / (double)(iterations - it->d.distance) : 0;
        it->runs += of >= share;
        it->d.share = of < it->d.share ? of : it->d.share;
        it->count = it->last_iteration = 0;
    }
}

void findings_free(findings *f)
{
    tacho_mem_free(f->list);
    tacho_mem_free(f->slots);
    *f = (findings){0};
}
