/* cpuid.c - what the processor says of itself. Leaves as in the Intel SDM, volume 2A, CPUID (15h: time stamp
 * counter and core crystal clock, 16h: frequencies); AMD's manual has the same 80000007h; 40000000h is the
 * hypervisor's. */
#include "machine/doctor/doctor_internal.h"

#include <cpuid.h>
#include <string.h>

typedef struct registers {
    unsigned a, b, c, d;
} registers;

static bool ask(unsigned leaf, registers *r)
{
    *r = (registers){0};
    return __get_cpuid_count(leaf, 0, &r->a, &r->b, &r->c, &r->d);
}

static void put(char *out, unsigned value)
{
    memcpy(out, &value, 4);
}

static void ask_brand(char brand[49])
{
    registers r;
    for (unsigned i = 0; i < 3; i++) {
        if (!ask(0x80000002u + i, &r))
            return;
        put(brand + 16 * i, r.a);
        put(brand + 16 * i + 4, r.b);
        put(brand + 16 * i + 8, r.c);
        put(brand + 16 * i + 12, r.d);
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
    registers ratio, base;
    bool has_base = ask(0x16, &base) && (base.a & 0xffff);
    if (ask(0x15, &ratio) && ratio.a && ratio.b && ratio.c)
        return (double)ratio.c * ratio.b / ratio.a / 1e6;
    return has_base ? (double)(base.a & 0xffff) : 0;
}

void doctor_ask_cpuid(doctor_cpuid *out)
{
    registers r;
    *out = (doctor_cpuid){0};
    if (ask(0, &r)) {
        put(out->vendor, r.b);
        put(out->vendor + 4, r.d);
        put(out->vendor + 8, r.c);
    }
    out->hypervisor = ask(1, &r) && (r.c >> 31 & 1);
    if (out->hypervisor) { /* outside the ranges that __get_cpuid_count knows */
        __cpuid(0x40000000, r.a, r.b, r.c, r.d);
        put(out->hypervisor_vendor, r.b);
        put(out->hypervisor_vendor + 4, r.c);
        put(out->hypervisor_vendor + 8, r.d);
    }
    out->invariant_tsc = ask(0x80000007u, &r) && (r.d >> 8 & 1);
    ask_brand(out->brand);
    out->tsc_mhz = ask_tsc_mhz();
}
