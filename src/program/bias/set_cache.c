/* set_cache.c - a cache with sets, in which what was used longest ago goes first. Processors choose what goes
 * by cheaper rules that come near to it. */
#include "program/bias/window.h"

#include <string.h>

#include "base/ask_cpuid.h"
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

/* how many translations of pages a processor keeps for data at its first level: CPUID leaf 0x18
 * (Intel, SDM volume 2, CPUID) or 0x80000005 (AMD, APM volume 3, appendix E). Virtual machines may hide
 * both. */

enum {
    DATA_TLB = 1,
    LOAD_TLB = 4,
    MOST_SUBLEAVES = 64,
    ANY_WAY = 255,
    USUAL_ENTRIES = 64,
    USUAL_WAYS = 4
};

static bool read_intel(uint32_t *entries, uint32_t *ways)
{
    uint32_t r[4], last = 0;
    for (unsigned i = 0; i <= last && i < MOST_SUBLEAVES; i++) {
        if (!cpuid_ask(0x18, i, r))
            return false;
        last = i ? last : r[CPUID_EAX];
        const uint32_t type = r[CPUID_EDX] & 31, level = r[CPUID_EDX] >> 5 & 7, b = r[CPUID_EBX];
        if ((type != DATA_TLB && type != LOAD_TLB) || level != 1 || !(b & 1) || !(b >> 16) || !r[CPUID_ECX])
            continue;
        *ways = b >> 16;
        *entries = *ways * r[CPUID_ECX];
        return true;
    }
    return false;
}

static bool read_amd(uint32_t *entries, uint32_t *ways)
{
    uint32_t r[4];
    if (!cpuid_ask(0x80000005, 0, r))
        return false;
    const uint32_t b = r[CPUID_EBX];
    if (!(b >> 16 & 255) || !(b >> 24))
        return false;
    *entries = b >> 16 & 255;
    *ways = b >> 24 == ANY_WAY ? *entries : b >> 24;
    return true;
}

bool tlb_read(uint32_t *entries, uint32_t *ways)
{
    *entries = USUAL_ENTRIES;
    *ways = USUAL_WAYS;
    return strcmp(cpuid_who().vendor, "GenuineIntel") ? read_amd(entries, ways) : read_intel(entries, ways);
}
