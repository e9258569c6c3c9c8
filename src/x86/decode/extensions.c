/* extensions.c - the names of the instruction set's extensions. */
#include <strings.h>

#include "tacho/extension.h"

#define NAME(extension, name) [TACHO_EXTENSION_##extension] = name
#define SAME(extension)       [TACHO_EXTENSION_##extension] = #extension

static const char *const names[TACHO_EXTENSION_COUNT] = {
    [TACHO_EXTENSION_NONE] = "",
    SAME(SSE3),
    SAME(SSSE3),
    NAME(SSE41, "SSE4.1"),
    NAME(SSE42, "SSE4.2"),
    SAME(POPCNT),
    SAME(CX16),
    SAME(LAHF),
    SAME(RDTSCP),
    SAME(MONITOR),
    SAME(AES),
    SAME(PCLMULQDQ),
    SAME(XSAVE),
    SAME(XSAVEOPT),
    SAME(XSAVEC),
    SAME(XSAVES),
    SAME(AVX),
    SAME(F16C),
    SAME(RDRAND),
    SAME(FSGSBASE),
    SAME(AVX2),
    SAME(FMA),
    SAME(BMI1),
    SAME(BMI2),
    SAME(LZCNT),
    SAME(MOVBE),
    SAME(INVPCID),
    SAME(RTM),
    SAME(ADX),
    SAME(RDSEED),
    SAME(SMAP),
    SAME(CLFLUSHOPT),
    SAME(CLWB),
    SAME(SGX),
    SAME(PKU),
    SAME(RDPID),
    SAME(SHA),
    SAME(GFNI),
    SAME(VAES),
    SAME(VPCLMULQDQ),
    NAME(AVX512F, "AVX-512F"),
    NAME(AVX512CD, "AVX-512CD"),
    NAME(AVX512ER, "AVX-512ER"),
    NAME(AVX512PF, "AVX-512PF"),
    NAME(AVX512BW, "AVX-512BW"),
    NAME(AVX512DQ, "AVX-512DQ"),
    NAME(AVX512VL, "AVX-512VL"),
    NAME(AVX512_IFMA, "AVX-512_IFMA"),
    NAME(AVX512_VBMI, "AVX-512_VBMI"),
    NAME(AVX512_VBMI2, "AVX-512_VBMI2"),
    NAME(AVX512_VNNI, "AVX-512_VNNI"),
    NAME(AVX512_BITALG, "AVX-512_BITALG"),
    NAME(AVX512_VPOPCNTDQ, "AVX-512_VPOPCNTDQ"),
    NAME(AVX512_4VNNIW, "AVX-512_4VNNIW"),
    NAME(AVX512_4FMAPS, "AVX-512_4FMAPS"),
    NAME(AVX512_VP2INTERSECT, "AVX-512_VP2INTERSECT"),
    NAME(AVX512_BF16, "AVX-512_BF16"),
    NAME(AVX512_FP16, "AVX-512_FP16"),
    NAME(AVX_VNNI, "AVX-VNNI"),
    NAME(AMX_TILE, "AMX-TILE"),
    NAME(AMX_INT8, "AMX-INT8"),
    NAME(AMX_BF16, "AMX-BF16"),
    SAME(MOVDIRI),
    SAME(MOVDIR64B),
    NAME(KEYLOCKER, "KL"),
    NAME(KEYLOCKER_WIDE, "WIDE-KL"),
    NAME(CET_SS, "CET-SS"),
    SAME(PCONFIG),
    SAME(PTWRITE),
    SAME(WAITPKG),
    SAME(SERIALIZE),
    SAME(ENQCMD),
    SAME(UINTR),
    SAME(HRESET),
    SAME(TSXLDTRK),
    SAME(VMX),
    SAME(SMX),
    SAME(TDX),
    SAME(SVM),
    SAME(SNP),
    SAME(INVLPGB),
    SAME(SSE4A),
    SAME(CLZERO),
    SAME(MONITORX),
    SAME(RDPRU),
    SAME(MCOMMIT),
    NAME(3DNOW, "3DNow!"),
    SAME(FMA4),
    SAME(XOP),
    SAME(TBM),
    SAME(LWP),
    NAME(PADLOCK, "PadLock"),
    SAME(KNC),
};

const char *tacho_extension_name(tacho_extension extension)
{
    return (unsigned)extension < TACHO_EXTENSION_COUNT ? names[extension] : "";
}

tacho_extension tacho_extension_find(const char *name)
{
    for (int i = 1; i < TACHO_EXTENSION_COUNT; i++)
        if (strcasecmp(names[i], name) == 0)
            return (tacho_extension)i;
    return TACHO_EXTENSION_NONE;
}
