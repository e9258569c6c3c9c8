/* tlb.c - how many translations of pages a processor keeps for data at its first level: CPUID leaf 0x18
 * (Intel, SDM volume 2, CPUID) or 0x80000005 (AMD, APM volume 3, appendix E). Virtual machines may hide
 * both. */

#include <string.h>

#include "base/ask_cpuid.h"
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
