/* tlb.c - how many translations of pages a processor keeps for data at its first level: CPUID leaf 0x18
 * (Intel, SDM volume 2, CPUID) or 0x80000005 (AMD, APM volume 3, appendix E). Virtual machines may hide
 * both. */
#include <cpuid.h>

#include "study/bias/set_cache.h"

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
    unsigned a, b, c, d, last = 0;
    for (unsigned i = 0; i <= last && i < MOST_SUBLEAVES; i++) {
        if (!__get_cpuid_count(0x18, i, &a, &b, &c, &d))
            return false;
        last = i ? last : a;
        unsigned type = d & 31, level = d >> 5 & 7;
        if ((type != DATA_TLB && type != LOAD_TLB) || level != 1 || !(b & 1) || !(b >> 16) || !c)
            continue;
        *ways = b >> 16;
        *entries = *ways * c;
        return true;
    }
    return false;
}

static bool read_amd(uint32_t *entries, uint32_t *ways)
{
    unsigned a, b, c, d;
    if (!__get_cpuid(0x80000005, &a, &b, &c, &d) || !(b >> 16 & 255) || !(b >> 24))
        return false;
    *entries = b >> 16 & 255;
    *ways = b >> 24 == ANY_WAY ? *entries : b >> 24;
    return true;
}

bool tlb_read(uint32_t *entries, uint32_t *ways)
{
    unsigned a, b, c, d;
    *entries = USUAL_ENTRIES;
    *ways = USUAL_WAYS;
    if (!__get_cpuid(0, &a, &b, &c, &d))
        return false;
    return b == signature_INTEL_ebx ? read_intel(entries, ways) : read_amd(entries, ways);
}
