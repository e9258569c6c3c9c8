/* record_host.c - writes what CPUID says of this processor in the lines of the files beside it, which
 * hosted.c reads back: a comment, then both numbers of each leaf and subleaf that is not all 0, EAX, EBX,
 * ECX, EDX. Left out is what tells one processor from its like: serial number, APIC numbers, and the
 * hypervisor's own leaves. */
#include <inttypes.h>
#include <stdio.h>

#include "base/ask_cpuid.h"

enum {
    HYPERVISOR = 0x40000000,
    SERIAL_NUMBER = 3,
    TOPOLOGY = 0xb,
    TOPOLOGY_2 = 0x1f,
    AMD_TOPOLOGY_2 = (int)0x80000026,
    AMD_TOPOLOGY = (int)0x8000001e,
    MOST_SUBLEAVES = 32
};

static const uint32_t with_subleaves[] = {4, 7, 0xd, 0x14, 0x18, 0x8000001d};

static void put(uint32_t leaf, uint32_t subleaf, uint32_t r[4])
{
    if (leaf == 1)
        r[CPUID_EBX] &= 0x00ffffff; /* the APIC's number */
    if (r[0] | r[1] | r[2] | r[3])
        printf("%08" PRIx32 " %" PRIu32 " %08" PRIx32 " %08" PRIx32 " %08" PRIx32 " %08" PRIx32 "\n", leaf,
               subleaf, r[CPUID_EAX], r[CPUID_EBX], r[CPUID_ECX], r[CPUID_EDX]);
}

static uint32_t subleaves_of(uint32_t leaf)
{
    for (size_t i = 0; i < sizeof with_subleaves / sizeof *with_subleaves; i++)
        if (with_subleaves[i] == leaf)
            return MOST_SUBLEAVES;
    return 1;
}

static void put_leaf(uint32_t leaf)
{
    uint32_t r[4];
    if (leaf == SERIAL_NUMBER || leaf == TOPOLOGY || leaf == TOPOLOGY_2 || leaf == (uint32_t)AMD_TOPOLOGY ||
        leaf == (uint32_t)AMD_TOPOLOGY_2)
        return;
    for (uint32_t i = 0; i < subleaves_of(leaf) && cpuid_ask(leaf, i, r); i++)
        put(leaf, i, r);
}

static void put_range(uint32_t first)
{
    enum {
        MOST_LEAVES = 0x40
    };
    uint32_t r[4];
    const uint32_t last = cpuid_ask(first, 0, r) ? r[CPUID_EAX] : 0;
    for (uint32_t leaf = first; leaf <= last && leaf - first < MOST_LEAVES; leaf++)
        put_leaf(leaf);
}

int main(void)
{
    const cpuid_signature s = cpuid_who();
    cpuid_description c;
    uint32_t r[4];
    cpuid_describe(&c);
    printf("# %s family %u model %u stepping %u, %s%s%s\n", s.vendor, s.family, s.model, s.stepping, c.brand,
           c.hypervisor ? "; under a hypervisor: " : "", c.hypervisor_vendor);
    put_range(0);
    if (c.hypervisor && cpuid_ask(HYPERVISOR, 0, r))
        put(HYPERVISOR, 0, r);
    put_range(0x80000000);
    return fflush(stdout) != 0;
}
