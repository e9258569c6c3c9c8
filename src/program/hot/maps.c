/* maps.c - mappings as a treap (Seidel and Aragon, "Randomized search trees", 1996): ordered by address, and
 * as a heap by random ranks, so that it is balanced in whatever order the mappings come in. Nodes count their
 * owners, and a node with several owners is copied before it changes. So forking a process costs nothing, and
 * changing a mapping costs as much as a search. */
#include "program/hot/maps.h"

#include "base/hash.h"
#include "base/mem.h"

struct hot_maps {
    hot_map map;
    uint64_t rank; /* not above its parent's */
    struct hot_maps *below, *above;
    size_t owners;
};

hot_maps *maps_share(hot_maps *t)
{
    if (t)
        t->owners++;
    return t;
}

void maps_drop(hot_maps *t)
{
    if (!t || --t->owners)
        return;
    maps_drop(t->below);
    maps_drop(t->above);
    tacho_mem_free(t);
}

static hot_maps *make(const hot_map *m, uint64_t rank)
{
    hot_maps *t = tacho_mem_zalloc(1, sizeof *t);
    if (t)
        *t = (hot_maps){.map = *m, .rank = rank, .owners = 1};
    return t;
}

/* The node as one that may be changed, its own or a copy. NULL: memory ran out, and it is as before */
static hot_maps *own(hot_maps *t)
{
    if (t->owners == 1)
        return t;
    hot_maps *copy = make(&t->map, t->rank);
    if (!copy)
        return NULL;
    copy->below = maps_share(t->below);
    copy->above = maps_share(t->above);
    t->owners--;
    return copy;
}

/* Mappings that begin below the address, and the others. Of both the nodes on the side where they were cut
 * are owned. If memory runs out nothing is lost, but some are on the wrong side. */
static void split(hot_maps *t, uint64_t address, hot_maps **below, hot_maps **above, bool *failed)
{
    hot_maps *node = t ? own(t) : NULL;
    *failed |= t && !node;
    if (!node) {
        *below = t;
        *above = NULL;
    } else if (node->map.start < address) {
        split(node->above, address, &node->above, above, failed);
        *below = node;
    } else {
        split(node->below, address, below, &node->below, failed);
        *above = node;
    }
}

/* All of `low` lies below all of `high`. If memory runs out, some are lost. */
static hot_maps *join(hot_maps *low, hot_maps *high, bool *failed)
{
    if (!low || !high)
        return low ? low : high;
    bool low_first = low->rank >= high->rank;
    hot_maps *node = own(low_first ? low : high);
    if (!node) {
        *failed = true;
        maps_drop(high);
        return low;
    }
    if (low_first)
        node->above = join(node->above, high, failed);
    else
        node->below = join(low, node->below, failed);
    return node;
}

static hot_maps *last_of(hot_maps *t)
{
    while (t && t->above)
        t = t->above;
    return t;
}

/* What of a mapping lies behind `end`. */
static hot_maps *rest_of(const hot_maps *t, uint64_t end, uint64_t rank, bool *failed)
{
    if (!t || t->map.end <= end)
        return NULL;
    hot_map rest = {end, t->map.end, t->map.offset + (end - t->map.start), t->map.object};
    hot_maps *node = make(&rest, hash_mix(rank));
    *failed |= !node;
    return node;
}

int maps_put(hot_maps **t, const hot_map *m, uint64_t rank)
{
    hot_maps *low, *high, *covered, *node = make(m, rank), *rest = NULL;
    bool failed = !node;
    if (!node)
        return -1;
    split(*t, m->start, &low, &high, &failed);
    split(high, m->end, &covered, &high, &failed);
    hot_maps *before = last_of(low);
    if (!failed)
        rest = rest_of(covered ? last_of(covered) : before, m->end, rank, &failed);
    if (!failed && before && before->map.end > m->start)
        before->map.end = m->start;
    maps_drop(covered);
    low = join(low, node, &failed);
    low = join(low, rest, &failed);
    *t = join(low, high, &failed);
    return failed ? -1 : 0;
}

const hot_map *maps_find(const hot_maps *t, uint64_t address)
{
    const hot_maps *last = NULL;
    while (t) {
        if (t->map.start <= address)
            last = t;
        t = t->map.start <= address ? t->above : t->below;
    }
    return last && last->map.end > address ? &last->map : NULL;
}

size_t maps_count(const hot_maps *t)
{
    return t ? 1 + maps_count(t->below) + maps_count(t->above) : 0;
}
