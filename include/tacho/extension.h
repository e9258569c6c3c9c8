/* extension.h - extensions of the instruction set: which ones an instruction needs, and which ones a core
 * has.
 *
 * Named as CPUID's features are, but for the few that have none of their own. What every processor with
 * x86-64 has (x87, MMX, SSE2, CMOV, PAUSE ...) is no extension here, nor is what others execute as a NOP or
 * as without the prefix: ENDBR64, CLDEMOTE, MPX, PREFETCHW, XACQUIRE.
 *
 * Core: stable within a major version. */
#ifndef TACHO_EXTENSION_H
#define TACHO_EXTENSION_H

#include <stdbool.h>
#include "arch.h"
#include "decode.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tacho_extension {
    TACHO_EXTENSION_NONE = 0,
    TACHO_EXTENSION_SSE3,
    TACHO_EXTENSION_SSSE3,
    TACHO_EXTENSION_SSE41,
    TACHO_EXTENSION_SSE42,
    TACHO_EXTENSION_POPCNT,
    TACHO_EXTENSION_CX16, /**< CMPXCHG16B */
    TACHO_EXTENSION_LAHF, /**< LAHF and SAHF in 64-bit mode */
    TACHO_EXTENSION_RDTSCP,
    TACHO_EXTENSION_MONITOR,
    TACHO_EXTENSION_AES,
    TACHO_EXTENSION_PCLMULQDQ,
    TACHO_EXTENSION_XSAVE,
    TACHO_EXTENSION_XSAVEOPT,
    TACHO_EXTENSION_XSAVEC,
    TACHO_EXTENSION_XSAVES,
    TACHO_EXTENSION_AVX,
    TACHO_EXTENSION_F16C,
    TACHO_EXTENSION_RDRAND,
    TACHO_EXTENSION_FSGSBASE,
    TACHO_EXTENSION_AVX2,
    TACHO_EXTENSION_FMA,
    TACHO_EXTENSION_BMI1,
    TACHO_EXTENSION_BMI2,
    TACHO_EXTENSION_LZCNT,
    TACHO_EXTENSION_MOVBE,
    TACHO_EXTENSION_INVPCID,
    TACHO_EXTENSION_RTM,
    TACHO_EXTENSION_ADX,
    TACHO_EXTENSION_RDSEED,
    TACHO_EXTENSION_SMAP, /**< CLAC and STAC */
    TACHO_EXTENSION_CLFLUSHOPT,
    TACHO_EXTENSION_CLWB,
    TACHO_EXTENSION_SGX,
    TACHO_EXTENSION_PKU,
    TACHO_EXTENSION_RDPID,
    TACHO_EXTENSION_SHA,
    TACHO_EXTENSION_GFNI,
    TACHO_EXTENSION_VAES,
    TACHO_EXTENSION_VPCLMULQDQ,
    TACHO_EXTENSION_AVX512F,
    TACHO_EXTENSION_AVX512CD,
    TACHO_EXTENSION_AVX512ER,
    TACHO_EXTENSION_AVX512PF,
    TACHO_EXTENSION_AVX512BW,
    TACHO_EXTENSION_AVX512DQ,
    TACHO_EXTENSION_AVX512VL,
    TACHO_EXTENSION_AVX512_IFMA,
    TACHO_EXTENSION_AVX512_VBMI,
    TACHO_EXTENSION_AVX512_VBMI2,
    TACHO_EXTENSION_AVX512_VNNI,
    TACHO_EXTENSION_AVX512_BITALG,
    TACHO_EXTENSION_AVX512_VPOPCNTDQ,
    TACHO_EXTENSION_AVX512_4VNNIW,
    TACHO_EXTENSION_AVX512_4FMAPS,
    TACHO_EXTENSION_AVX512_VP2INTERSECT,
    TACHO_EXTENSION_AVX512_BF16,
    TACHO_EXTENSION_AVX512_FP16,
    TACHO_EXTENSION_AVX_VNNI,
    TACHO_EXTENSION_AMX_TILE,
    TACHO_EXTENSION_AMX_INT8,
    TACHO_EXTENSION_AMX_BF16,
    TACHO_EXTENSION_MOVDIRI,
    TACHO_EXTENSION_MOVDIR64B,
    TACHO_EXTENSION_KEYLOCKER,
    TACHO_EXTENSION_KEYLOCKER_WIDE,
    TACHO_EXTENSION_CET_SS, /**< shadow stacks */
    TACHO_EXTENSION_PCONFIG,
    TACHO_EXTENSION_PTWRITE,
    TACHO_EXTENSION_WAITPKG,
    TACHO_EXTENSION_SERIALIZE,
    TACHO_EXTENSION_ENQCMD,
    TACHO_EXTENSION_UINTR,
    TACHO_EXTENSION_HRESET,
    TACHO_EXTENSION_TSXLDTRK,
    TACHO_EXTENSION_VMX,
    TACHO_EXTENSION_SMX,
    TACHO_EXTENSION_TDX,
    TACHO_EXTENSION_SVM,
    TACHO_EXTENSION_SNP,
    TACHO_EXTENSION_INVLPGB,
    TACHO_EXTENSION_SSE4A,
    TACHO_EXTENSION_CLZERO,
    TACHO_EXTENSION_MONITORX,
    TACHO_EXTENSION_RDPRU,
    TACHO_EXTENSION_MCOMMIT,
    TACHO_EXTENSION_3DNOW,
    TACHO_EXTENSION_FMA4,
    TACHO_EXTENSION_XOP,
    TACHO_EXTENSION_TBM,
    TACHO_EXTENSION_LWP,
    TACHO_EXTENSION_PADLOCK, /**< VIA's */
    TACHO_EXTENSION_KNC,     /**< Knights Corner's vectors, masks and prefetches */
    TACHO_EXTENSION_COUNT
} tacho_extension;

/** As people and data/arch/NAME/extensions.txt write it, "AVX-512F", without a space; "" for other numbers.
 */
TACHO_API const char *tacho_extension_name(tacho_extension extension);
/** By that name, in any case. @return TACHO_EXTENSION_NONE for others */
TACHO_API tacho_extension tacho_extension_find(const char *name);
/** Whether the core has it: as CPUID tells of a product that has all that this core offers. */
TACHO_API bool tacho_arch_has_extension(const tacho_arch *arch, tacho_extension extension);
/** Where that is from; NULL for what the core has not. */
TACHO_API const char *tacho_arch_extension_source(const tacho_arch *arch, tacho_extension extension);
/** The first extension that the instruction needs and the core has not, TACHO_EXTENSION_NONE where it can be
 *  executed: also where the same bytes are another instruction there, as TZCNT is BSF and LZCNT is BSR. */
TACHO_API tacho_extension tacho_arch_lacks(const tacho_arch *arch, const tacho_insn *insn);
/** The extensions that the instruction needs: number 0 and 1, then, as for those that need no more than
 * x86-64, TACHO_EXTENSION_NONE. */
TACHO_API tacho_extension tacho_insn_extension(const tacho_insn *insn, size_t number);

#ifdef __cplusplus
}
#endif
#endif
