/* host.c - what CPUID says of this machine. Leaves and bits: Intel SDM, volume 2A, CPUID, and volume 1,
 * chapter 13 (XCR0); AMD64 manual, volume 3, appendix E. */
#include "learn/subject.h"

#include "base/ask_cpuid.h"
#include "base/mem.h"
#include "machine/doctor/doctor_internal.h"

enum {
    AVX_STATE = 0x6,     /* SSE and AVX */
    AVX512_STATE = 0xe6, /* ... masks, and both halves of what AVX-512 adds */
    AMX_STATE = 0x60000  /* tiles */
};

typedef struct place {
    uint32_t leaf;
    uint8_t subleaf, reg, bit;
    uint32_t state; /* of XCR0 that must be there */
} place;

#define AT(extension, leaf, subleaf, reg, bit)                                                               \
    [TACHO_EXTENSION_##extension] = {leaf, subleaf, CPUID_##reg, bit, 0}
#define AVX(extension, leaf, subleaf, reg, bit)                                                              \
    [TACHO_EXTENSION_##extension] = {leaf, subleaf, CPUID_##reg, bit, AVX_STATE}
#define BIG(extension, leaf, subleaf, reg, bit)                                                              \
    [TACHO_EXTENSION_##extension] = {leaf, subleaf, CPUID_##reg, bit, AVX512_STATE}
#define AMX(extension, bit) [TACHO_EXTENSION_##extension] = {7, 0, CPUID_EDX, bit, AMX_STATE}

/* Leaf 0: none tells. */
static const place places[TACHO_EXTENSION_COUNT] = {
    AT(SSE3, 1, 0, ECX, 0),
    AT(PCLMULQDQ, 1, 0, ECX, 1),
    AT(MONITOR, 1, 0, ECX, 3),
    AT(VMX, 1, 0, ECX, 5),
    AT(SMX, 1, 0, ECX, 6),
    AT(SSSE3, 1, 0, ECX, 9),
    AVX(FMA, 1, 0, ECX, 12),
    AT(CX16, 1, 0, ECX, 13),
    AT(SSE41, 1, 0, ECX, 19),
    AT(SSE42, 1, 0, ECX, 20),
    AT(MOVBE, 1, 0, ECX, 22),
    AT(POPCNT, 1, 0, ECX, 23),
    AT(AES, 1, 0, ECX, 25),
    AT(XSAVE, 1, 0, ECX, 27),
    AVX(AVX, 1, 0, ECX, 28),
    AVX(F16C, 1, 0, ECX, 29),
    AT(RDRAND, 1, 0, ECX, 30),
    AT(FSGSBASE, 7, 0, EBX, 0),
    AT(SGX, 7, 0, EBX, 2),
    AT(BMI1, 7, 0, EBX, 3),
    AVX(AVX2, 7, 0, EBX, 5),
    AT(BMI2, 7, 0, EBX, 8),
    AT(INVPCID, 7, 0, EBX, 10),
    AT(RTM, 7, 0, EBX, 11),
    BIG(AVX512F, 7, 0, EBX, 16),
    BIG(AVX512DQ, 7, 0, EBX, 17),
    AT(RDSEED, 7, 0, EBX, 18),
    AT(ADX, 7, 0, EBX, 19),
    AT(SMAP, 7, 0, EBX, 20),
    BIG(AVX512_IFMA, 7, 0, EBX, 21),
    AT(CLFLUSHOPT, 7, 0, EBX, 23),
    AT(CLWB, 7, 0, EBX, 24),
    BIG(AVX512PF, 7, 0, EBX, 26),
    BIG(AVX512ER, 7, 0, EBX, 27),
    BIG(AVX512CD, 7, 0, EBX, 28),
    AT(SHA, 7, 0, EBX, 29),
    BIG(AVX512BW, 7, 0, EBX, 30),
    BIG(AVX512VL, 7, 0, EBX, 31),
    BIG(AVX512_VBMI, 7, 0, ECX, 1),
    AT(PKU, 7, 0, ECX, 4),
    AT(WAITPKG, 7, 0, ECX, 5),
    BIG(AVX512_VBMI2, 7, 0, ECX, 6),
    AT(CET_SS, 7, 0, ECX, 7),
    AT(GFNI, 7, 0, ECX, 8),
    AVX(VAES, 7, 0, ECX, 9),
    AVX(VPCLMULQDQ, 7, 0, ECX, 10),
    BIG(AVX512_VNNI, 7, 0, ECX, 11),
    BIG(AVX512_BITALG, 7, 0, ECX, 12),
    BIG(AVX512_VPOPCNTDQ, 7, 0, ECX, 14),
    AT(RDPID, 7, 0, ECX, 22),
    AT(KEYLOCKER, 0x19, 0, EBX, 0),
    AT(KEYLOCKER_WIDE, 0x19, 0, EBX, 2),
    AT(MOVDIRI, 7, 0, ECX, 27),
    AT(MOVDIR64B, 7, 0, ECX, 28),
    AT(ENQCMD, 7, 0, ECX, 29),
    BIG(AVX512_4VNNIW, 7, 0, EDX, 2),
    BIG(AVX512_4FMAPS, 7, 0, EDX, 3),
    AT(UINTR, 7, 0, EDX, 5),
    BIG(AVX512_VP2INTERSECT, 7, 0, EDX, 8),
    AT(SERIALIZE, 7, 0, EDX, 14),
    AT(TSXLDTRK, 7, 0, EDX, 16),
    AT(PCONFIG, 7, 0, EDX, 18),
    AMX(AMX_BF16, 22),
    BIG(AVX512_FP16, 7, 0, EDX, 23),
    AMX(AMX_TILE, 24),
    AMX(AMX_INT8, 25),
    AVX(AVX_VNNI, 7, 1, EAX, 4),
    BIG(AVX512_BF16, 7, 1, EAX, 5),
    AT(HRESET, 7, 1, EAX, 22),
    AT(XSAVEOPT, 0xd, 1, EAX, 0),
    AT(XSAVEC, 0xd, 1, EAX, 1),
    AT(XSAVES, 0xd, 1, EAX, 3),
    AT(PTWRITE, 0x14, 0, EBX, 4),
    AT(LAHF, 0x80000001, 0, ECX, 0),
    AT(SVM, 0x80000001, 0, ECX, 2),
    AT(LZCNT, 0x80000001, 0, ECX, 5),
    AT(SSE4A, 0x80000001, 0, ECX, 6),
    AVX(XOP, 0x80000001, 0, ECX, 11),
    AT(LWP, 0x80000001, 0, ECX, 15),
    AVX(FMA4, 0x80000001, 0, ECX, 16),
    AT(TBM, 0x80000001, 0, ECX, 21),
    AT(MONITORX, 0x80000001, 0, ECX, 29),
    AT(RDTSCP, 0x80000001, 0, EDX, 27),
    AT(3DNOW, 0x80000001, 0, EDX, 31),
    AT(CLZERO, 0x80000008, 0, EBX, 0),
    AT(INVLPGB, 0x80000008, 0, EBX, 3),
    AT(RDPRU, 0x80000008, 0, EBX, 4),
    AT(MCOMMIT, 0x80000008, 0, EBX, 8),
    AT(SNP, 0x8000001f, 0, EAX, 4),
};

bool host_has(tacho_extension extension)
{
    uint32_t r[4];
    if (extension == TACHO_EXTENSION_NONE)
        return true;
    if ((unsigned)extension >= TACHO_EXTENSION_COUNT || !places[extension].leaf)
        return false;
    const place *p = &places[extension];
    if (!cpuid_ask(p->leaf, p->subleaf, r) || !(r[p->reg] >> p->bit & 1))
        return false;
    return !p->state || (cpuid_kept_state() & p->state) == p->state;
}

/* The first processor's: all have the same, or the system would say so. "unknown" where it is not told. */
static void find_microcode(char *out, size_t size, const char *root)
{
    char *text;
    snprintf(out, size, "unknown");
    if (doctor_read_all(root, "/proc/cpuinfo", &text))
        return;
    const char *line = doctor_find_line(text, "microcode"), *colon = line ? strchr(line, ':') : NULL;
    if (colon) {
        colon += 1 + strspn(colon + 1, " \t");
        snprintf(out, size, "%.*s", (int)strcspn(colon, " \t\n"), colon);
    }
    tacho_mem_free(text);
}

bool host_models(const char *identity, char family[32], char models[16])
{
    char vendor[16];
    unsigned own_family, model;
    if (sscanf(identity, "%15s family %x model %x", vendor, &own_family, &model) < 3)
        return false;
    const char *maker = !strcmp(vendor, "GenuineIntel")   ? "Intel"
                        : !strcmp(vendor, "AuthenticAMD") ? "AMD"
                                                          : NULL;
    if (!maker)
        return false;
    snprintf(family, 32, "%s:0x%X", maker, own_family);
    snprintf(models, 16, "0x%X", model);
    return true;
}

void host_identity(char out[HOST_NAME_SIZE], const char *root)
{
    char microcode[32];
    const cpuid_signature s = cpuid_who();
    cpuid_description c;
    cpuid_describe(&c);
    find_microcode(microcode, sizeof microcode, root);
    snprintf(out, HOST_NAME_SIZE, "%s family 0x%X model 0x%X stepping %u, microcode %s (%s)", s.vendor,
             s.family, s.model, s.stepping, microcode, c.brand);
}
