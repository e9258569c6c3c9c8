/* cpuid.c - what the processor says of itself. Leaves as in the Intel SDM, volume 2A, CPUID (15h: time stamp
 * counter and core crystal clock, 16h: frequencies); AMD's manual has the same 80000007h; 40000000h is the
 * hypervisor's. */
#include "machine/doctor/doctor_internal.h"

#include <string.h>

#include "base/ask_cpuid.h"

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

/* Where the crystal's frequency is missing (leaf 15h of some cores), the counter runs at the base frequency.
 */
static double ask_tsc_mhz(void)
{
    uint32_t ratio[4], base[4];
    bool has_base = cpuid_ask(0x16, 0, base) && (base[CPUID_EAX] & 0xffff);
    if (cpuid_ask(0x15, 0, ratio) && ratio[CPUID_EAX] && ratio[CPUID_EBX] && ratio[CPUID_ECX])
        return (double)ratio[CPUID_ECX] * ratio[CPUID_EBX] / ratio[CPUID_EAX] / 1e6;
    return has_base ? (double)(base[CPUID_EAX] & 0xffff) : 0;
}

void doctor_ask_cpuid(doctor_cpuid *out)
{
    uint32_t r[4];
    *out = (doctor_cpuid){0};
    memcpy(out->vendor, cpuid_who().vendor, sizeof out->vendor);
    out->hypervisor = cpuid_ask(1, 0, r) && (r[CPUID_ECX] >> 31 & 1);
    if (out->hypervisor && cpuid_ask(0x40000000, 0, r))
        memcpy(out->hypervisor_vendor, &r[CPUID_EBX], 12);
    out->invariant_tsc = cpuid_ask(0x80000007u, 0, r) && (r[CPUID_EDX] >> 8 & 1);
    ask_brand(out->brand);
    out->tsc_mhz = ask_tsc_mhz();
}
