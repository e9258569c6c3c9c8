/* ask_cpuid.c - CPUID, in one place. */
#include "base/ask_cpuid.h"

#include <string.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

static cpuid_source *pretended;

void cpuid_pretend(cpuid_source *source)
{
    pretended = source;
}

bool cpuid_is_pretended(void)
{
    return pretended;
}

bool cpuid_ask(uint32_t leaf, uint32_t subleaf, uint32_t out[4])
{
    memset(out, 0, 4 * sizeof *out);
    if (pretended)
        return pretended(leaf, subleaf, out);
#if defined(__x86_64__) || defined(__i386__)
    /* The hypervisor's leaves are outside the ranges that the processor tells. */
    const uint32_t highest =
        leaf >> 28 == 4 ? UINT32_MAX : (uint32_t)__get_cpuid_max(leaf & 0x80000000u, NULL);
    if (leaf > highest)
        return false;
    __cpuid_count(leaf, subleaf, out[CPUID_EAX], out[CPUID_EBX], out[CPUID_ECX], out[CPUID_EDX]);
    return true;
#else
    return false;
#endif
}

cpuid_signature cpuid_who(void)
{
    cpuid_signature s = {0};
    uint32_t r[4];
    if (cpuid_ask(0, 0, r)) {
        memcpy(s.vendor, &r[CPUID_EBX], 4);
        memcpy(s.vendor + 4, &r[CPUID_EDX], 4);
        memcpy(s.vendor + 8, &r[CPUID_ECX], 4);
    }
    if (cpuid_ask(1, 0, r)) {
        const uint32_t a = r[CPUID_EAX];
        s.family = (a >> 8 & 15) + ((a >> 8 & 15) == 15 ? a >> 20 & 255 : 0);
        s.model = (a >> 4 & 15) | (a >> 12 & 0xF0);
        s.stepping = a & 15;
    }
    return s;
}

static void ask_brand(char brand[49])
{
    uint32_t r[4];
    for (unsigned i = 0; i < 3; i++) {
        if (!cpuid_ask(0x80000002u + i, 0, r))
            return;
        memcpy(brand + 16 * i, r, sizeof r);
    }
    size_t blank = strspn(brand, " "), length = strlen(brand + blank);
    memmove(brand, brand + blank, length + 1);
    while (length && brand[length - 1] == ' ')
        brand[--length] = '\0';
}

void cpuid_describe(cpuid_description *out)
{
    uint32_t r[4];
    *out = (cpuid_description){0};
    out->hypervisor = cpuid_ask(1, 0, r) && (r[CPUID_ECX] >> 31 & 1);
    if (out->hypervisor && cpuid_ask(0x40000000, 0, r))
        memcpy(out->hypervisor_vendor, &r[CPUID_EBX], 12);
    out->invariant_tsc = cpuid_ask(0x80000007u, 0, r) && (r[CPUID_EDX] >> 8 & 1);
    ask_brand(out->brand);
}

uint64_t cpuid_kept_state(void)
{
    enum {
        STATES = 13,
        OSXSAVE = 1 << 27
    };
    uint32_t r[4];
    if (!cpuid_ask(1, 0, r) || !(r[CPUID_ECX] & OSXSAVE))
        return 0;
    if (pretended) /* a system that keeps all that there is */
        return cpuid_ask(STATES, 0, r) ? (uint64_t)r[CPUID_EDX] << 32 | r[CPUID_EAX] : 0;
#if defined(__x86_64__) || defined(__i386__)
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
#else
    return 0;
#endif
}
