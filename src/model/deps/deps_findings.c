/* deps_findings.c - dependencies of an unrolled block, re-rolled: (source, target, distance), with the share
 * of the iterations in which each was seen (staticdeps, section 3.4); of a followed function (source,
 * target).
 */
#include "base/hash.h"
#include "base/mem.h"
#include "model/deps/deps_internal.h"
#include "x86/decode/regs.h"

static uint64_t hash_of(const findings *f, const tacho_dependency *d)
{
    uint64_t h = hash_add(d->source, (uint64_t)d->target << 32 | (f->followed ? 0 : d->distance));
    h = hash_add(h, (uint64_t)d->kind << 32 | (uint64_t)d->flags << 24 | (uint64_t)d->reg.class_ << 8 |
                        d->reg.number);
    return hash_mix(h);
}

static bool same(const findings *f, const tacho_dependency *a, const tacho_dependency *b)
{
    return a->source == b->source && a->target == b->target && (f->followed || a->distance == b->distance) &&
           a->kind == b->kind && a->flags == b->flags && reg_is_same(a->reg, b->reg);
}

/* The one that is the same as `d`, made if there is none; NULL when memory runs out. */
static found *find(findings *f, const tacho_dependency *d)
{
    uint64_t hash = hash_of(f, d);
    hash_probe p = hash_find(&f->by_hash, hash);
    while (hash_next(&p) && !same(f, &f->list[p.item].d, d))
        continue;
    if (p.item != HASH_INDEX_NONE)
        return &f->list[p.item];
    if (tacho_mem_grow(&f->list, &f->capacity, f->count + 1, sizeof *f->list) ||
        hash_add_item(&f->by_hash, hash, (uint32_t)f->count))
        return NULL;
    f->list[f->count] = (found){.d = *d};
    f->list[f->count].d.share = 1;
    f->list[f->count].d.longest = d->distance;
    return &f->list[f->count++];
}

static void note_followed(const findings *f, found *it, const tacho_dependency *d)
{
    if (d->distance < it->d.distance)
        it->d.distance = d->distance;
    if (d->distance > it->d.longest)
        it->d.longest = d->distance;
    if (d->back < it->d.back)
        it->d.back = d->back;
    if (it->last != f->moment)
        it->times += f->weight;
    it->last = f->moment;
    it->seeds[0] |= f->seeds[0];
    it->seeds[1] |= f->seeds[1];
}

void findings_note(findings *f, const tacho_dependency *d, uint32_t iteration)
{
    found *it = f->failed ? NULL : find(f, d);
    f->failed = !it;
    if (it && f->followed) {
        note_followed(f, it, d);
        return;
    }
    if (!it || it->last_iteration == iteration + 1)
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
    hash_index_free(&f->by_hash);
    *f = (findings){0};
}
