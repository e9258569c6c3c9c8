/* set_cache.c - a cache with sets, in which what was used longest ago goes first. Processors choose what goes
 * by cheaper rules that come near to it. */
#include "study/bias/set_cache.h"

#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

enum {
    MOST_UNITS = 4096,
    KNOWN_SIZE = 1 << 14 /* of the table: twice what a window of 4,000 accesses to two lines each uses */
};

static bool is_power(uint32_t n)
{
    return n && !(n & (n - 1));
}

set_cache *set_cache_new(uint32_t sets, uint32_t ways, uint32_t unit_bytes)
{
    if (!is_power(sets) || !is_power(unit_bytes) || !ways || ways > MOST_UNITS || sets > MOST_UNITS / ways)
        return NULL;
    set_cache *c = tacho_mem_zalloc(1, sizeof *c);
    if (!c)
        return NULL;
    *c = (set_cache){.sets = sets, .ways = ways, .unit_bytes = unit_bytes};
    c->kept = tacho_mem_zalloc((size_t)sets * ways, sizeof *c->kept);
    c->used = tacho_mem_zalloc(sets, sizeof *c->used);
    c->known = tacho_mem_zalloc(KNOWN_SIZE, sizeof *c->known);
    if (c->kept && c->used && c->known)
        return c;
    set_cache_free(c);
    return NULL;
}

void set_cache_free(set_cache *c)
{
    if (c)
        TACHO_MEM_FREE(c->kept, c->used, c->known, c);
}

void set_cache_clear(set_cache *c)
{
    memset(c->used, 0, c->sets * sizeof *c->used);
    memset(c->known, 0, KNOWN_SIZE * sizeof *c->known);
    c->known_count = 0;
}

/* @return whether it was there. Of more than the table should hold, none is known. */
static bool know(set_cache *c, uint64_t unit)
{
    uint32_t at = (uint32_t)(hash_mix(unit) % KNOWN_SIZE);
    while (c->known[at] && c->known[at] != unit + 1)
        at = (at + 1) % KNOWN_SIZE;
    if (c->known[at])
        return true;
    if (c->known_count < KNOWN_SIZE / 2) {
        c->known[at] = unit + 1;
        c->known_count++;
    }
    return false;
}

bool set_cache_use(set_cache *c, uint64_t address)
{
    uint64_t unit = address / c->unit_bytes;
    uint32_t set = unit & (c->sets - 1), at = 0;
    uint64_t *kept = c->kept + (size_t)set * c->ways;
    while (at < c->used[set] && kept[at] != unit)
        at++;
    bool hit = at < c->used[set], thrown_out = !hit && know(c, unit);
    if (!hit && c->used[set] < c->ways)
        c->used[set]++;
    at = hit ? at : c->used[set] - 1;
    memmove(kept + 1, kept, at * sizeof *kept);
    kept[0] = unit;
    return thrown_out;
}
