/* extensions.c - the names of the instruction set's extensions. */
#include <strings.h>

#include "base/each.h"
#include "tacho/extension.h"

#define NAME(extension, name)  [TACHO_EXTENSION_##extension] = name
#define AS_IT_IS(unused, name) [TACHO_EXTENSION_##name] = #name
#define SAME(...)              EACH(AS_IT_IS, , __VA_ARGS__)

/* clang-format off */
static const char *const names[TACHO_EXTENSION_COUNT] = {
    [TACHO_EXTENSION_NONE] = "",
    SAME(SSE3, SSSE3), NAME(SSE41, "SSE4.1"), NAME(SSE42, "SSE4.2"),
    SAME(POPCNT, CX16, LAHF, RDTSCP, MONITOR, AES, PCLMULQDQ, XSAVE, XSAVEOPT, XSAVEC, XSAVES, AVX, F16C,
         RDRAND, FSGSBASE, AVX2, FMA, BMI1, BMI2, LZCNT, MOVBE, INVPCID, RTM, ADX),
    SAME(RDSEED, SMAP, CLFLUSHOPT, CLWB, SGX, PKU, RDPID, SHA, GFNI, VAES, VPCLMULQDQ),
    NAME(AVX512F, "AVX-512F"), NAME(AVX512CD, "AVX-512CD"), NAME(AVX512ER, "AVX-512ER"),
    NAME(AVX512PF, "AVX-512PF"), NAME(AVX512BW, "AVX-512BW"), NAME(AVX512DQ, "AVX-512DQ"),
    NAME(AVX512VL, "AVX-512VL"), NAME(AVX512_IFMA, "AVX-512_IFMA"), NAME(AVX512_VBMI, "AVX-512_VBMI"),
    NAME(AVX512_VBMI2, "AVX-512_VBMI2"), NAME(AVX512_VNNI, "AVX-512_VNNI"),
    NAME(AVX512_BITALG, "AVX-512_BITALG"), NAME(AVX512_VPOPCNTDQ, "AVX-512_VPOPCNTDQ"),
    NAME(AVX512_4VNNIW, "AVX-512_4VNNIW"), NAME(AVX512_4FMAPS, "AVX-512_4FMAPS"),
    NAME(AVX512_VP2INTERSECT, "AVX-512_VP2INTERSECT"), NAME(AVX512_BF16, "AVX-512_BF16"),
    NAME(AVX512_FP16, "AVX-512_FP16"), NAME(AVX_VNNI, "AVX-VNNI"), NAME(AMX_TILE, "AMX-TILE"),
    NAME(AMX_INT8, "AMX-INT8"), NAME(AMX_BF16, "AMX-BF16"), SAME(MOVDIRI, MOVDIR64B), NAME(KEYLOCKER, "KL"),
    NAME(KEYLOCKER_WIDE, "WIDE-KL"), NAME(CET_SS, "CET-SS"),
    SAME(PCONFIG, PTWRITE, WAITPKG, SERIALIZE, ENQCMD, UINTR, HRESET, TSXLDTRK, VMX, SMX, TDX, SVM, SNP,
         INVLPGB, SSE4A, CLZERO, MONITORX, RDPRU, MCOMMIT), NAME(3DNOW, "3DNow!"),
    SAME(FMA4, XOP, TBM, LWP), NAME(PADLOCK, "PadLock"), SAME(KNC),
};
/* clang-format on */

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
