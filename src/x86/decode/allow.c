/* allow.c - the list of what may run: instruction sets that only compute with what every program may use, and
 * of those sets the kinds of instructions that do; of sets with other purposes a few instructions.
 *
 * By what Zydis (which has it from XED) calls ISA sets and categories. What is new is in no row, and does not
 * run until somebody has read what it does (Intel SDM, volume 2; AMD APM, volumes 3 to 5) and the
 * differential test (tests/robust/steps.c) has executed it, where a processor has it. Left out on purpose:
 *  - what speaks to the hypervisor, an enclave or a device, sleeps, traces, or changes rights;
 *  - what depends on keys or tiles that the system must grant: Key Locker, AMX;
 *  - what its makers have given up, so that no processor is left to test it on: 3DNow!, XOP, FMA4, TBM, LWP,
 *    PadLock and the sets of the Xeon Phis. MPX stays: elsewhere its instructions are NOPs. */
#include <stdbool.h>

#include "x86/decode/allow.h"
#include "x86/decode/mnemonic_list.h"

typedef enum allow_rule {
    NOTHING = 0,
    COMPUTES, /* all of it, as far as its kind is listed, too */
    FEW       /* what is_one_of_the_few says */
} allow_rule;

typedef struct allow_row {
    uint8_t rule;
    const char *refusal; /* of what may not run */
} allow_row;

#define ALL_ROW(unused, set)   [ZYDIS_ISA_SET_##set] = {COMPUTES, "is of a kind that is not allowed to run"}
#define SOME_ROW(refusal, set) [ZYDIS_ISA_SET_##set] = {FEW, refusal}
#define NONE_ROW(refusal, set) [ZYDIS_ISA_SET_##set] = {NOTHING, refusal}
#define ALL(...)               EACH(ALL_ROW, , __VA_ARGS__)
#define SIZES(set)             ALL(set##_128, set##_256, set##_512)
#define SOME(...)              EACH(SOME_ROW, __VA_ARGS__)
#define NONE(...)              EACH(NONE_ROW, __VA_ARGS__)
#define NAMED(name, ...)       NONE("is of an instruction set that is not allowed to run (" name ")", __VA_ARGS__)
#define ELSEWHERE              "is for a part of the processor that blocks cannot use"

/* clang-format off */
static const allow_row rows[ZYDIS_ISA_SET_MAX_VALUE + 1] = {
    /* general registers */
    ALL(I86, I186, I286PROTECTED, I286REAL, I386, I486, I486REAL, PENTIUMREAL, PPRO, CMOV, LONGMODE, LAHF,
        CMPXCHG16B, MOVBE, POPCNT, LZCNT, BMI1, BMI2, ADOX_ADCX, RDRAND, RDSEED, PAUSE, FAT_NOP, MPX),
    /* what the processor tells of itself */
    ALL(RDPMC, RDTSCP, RDPID),
    /* caches and the order of accesses */
    ALL(CLFSH, CLFLUSHOPT, CLWB, CLDEMOTE, CLZERO, SERIALIZE, MOVDIR, SSE_PREFETCH, PREFETCH_NOP,
        PREFETCHWT1),
    /* x87 and MMX */
    ALL(X87, FCMOV, SSE3X87, PENTIUMMMX, SSE2MMX, SSSE3MMX, FXSAVE, FXSAVE64),
    /* vectors of 128 and 256 bits */
    ALL(SSE, SSE2, SSE3, SSSE3, SSE4, SSE42, SSE4A, SSEMXCSR, AES, PCLMULQDQ, SHA, GFNI, AVX, AVX2,
        AVX2GATHER, AVXAES, AVX_GFNI, AVX_VNNI, F16C, FMA, VAES, VPCLMULQDQ),
    /* AVX-512 */
    ALL(AVX512F_128N, AVX512F_KOP, AVX512F_SCALAR, AVX512BW_128N, AVX512BW_KOP, AVX512DQ_128N, AVX512DQ_KOP,
        AVX512DQ_SCALAR, AVX512_FP16_128N, AVX512_FP16_SCALAR),
    SIZES(AVX512F), SIZES(AVX512BW), SIZES(AVX512CD), SIZES(AVX512DQ), SIZES(AVX512_BF16),
    SIZES(AVX512_BITALG), SIZES(AVX512_FP16), SIZES(AVX512_GFNI), SIZES(AVX512_IFMA), SIZES(AVX512_VAES),
    SIZES(AVX512_VBMI), SIZES(AVX512_VBMI2), SIZES(AVX512_VNNI), SIZES(AVX512_VP2INTERSECT),
    SIZES(AVX512_VPCLMULQDQ), SIZES(AVX512_VPOPCNTDQ),
    /* sets of which a few may run */
    SOME("changes the shadow stack", CET), SOME("changes the rights to memory", PKU),
    SOME("changes a segment", RDWRFSGS), SOME("starts or ends a transaction", RTM),
    SOME("loads the rights to memory", XSAVE, XSAVEC, XSAVEOPT),
    /* sets of which none may */
    NONE("is for the hypervisor", VTX, VMFUNC, SVM),
    NONE("puts the processor to sleep", MONITOR, MONITORX, WAITPKG),
    NONE(ELSEWHERE, SGX, SGX_ENCLV, UINTR, ENQCMD), NAMED("AMX", AMX_BF16, AMX_INT8, AMX_TILE),
    NAMED("KL", KEYLOCKER, KEYLOCKER_WIDE), NAMED("RDPRU", RDPRU), NAMED("PTWRITE", PT),
    NAMED("MCOMMIT", MCOMMIT), NAMED("TSXLDTRK", TSX_LDTRK), NAMED("3DNow!", AMD3DNOW), NAMED("XOP", XOP),
    NAMED("FMA4", FMA4), NAMED("TBM", TBM), NAMED("LWP", LWP),
    NAMED("PadLock", PADLOCK_ACE, PADLOCK_PHE, PADLOCK_PMM, PADLOCK_RNG),
    NAMED("AVX-512ER", AVX512ER_512, AVX512ER_SCALAR), NAMED("AVX-512PF", AVX512PF_512),
    NAMED("AVX-512_4FMAPS", AVX512_4FMAPS_512, AVX512_4FMAPS_SCALAR),
    NAMED("AVX-512_4VNNIW", AVX512_4VNNIW_512),
    NAMED("KNC", KNCE, KNCJKBR, KNCSTREAM, KNCV, KNC_MISC, KNC_PF_HINT), NAMED("INVLPGB", AMD_INVLPGB),
    NAMED("HRESET", HRESET), NAMED("INVPCID", INVPCID), NAMED("PCONFIG", PCONFIG), NAMED("SMAP", SMAP),
    NAMED("SMX", SMX), NAMED("SNP", SNP), NAMED("TDX", TDX), NAMED("XSAVES", XSAVES),
};

#define KIND(unused, category) [ZYDIS_CATEGORY_##category] = true
#define KINDS(...)             EACH(KIND, , __VA_ARGS__)

static const bool kinds[ZYDIS_CATEGORY_MAX_VALUE + 1] = {
    KINDS(ADOX_ADCX, BINARY, BITBYTE, BMI1, BMI2, CMOV, COND_BR, UNCOND_BR, CONVERT, DATAXFER, FLAGOP,
          LOGICAL, LZCNT, MISC, MPX, NOP, WIDENOP, POP, PUSH, ROTATE, SHIFT, SEMAPHORE, SETCC, STRINGOP),
    KINDS(RDRAND, RDSEED, RDPID, CLDEMOTE, CLFLUSHOPT, CLWB, CLZERO, SERIALIZE, MOVDIR, PREFETCH,
          PREFETCHWT1, FCMOV, X87_ALU, MMX, SSE, STTNI, AES, PCLMULQDQ, SHA, GFNI, AVX, AVX2, AVX2GATHER,
          VEX),
    KINDS(VAES, VPCLMULQDQ, VFMA, BROADCAST, LOGICAL_FP, AVX512, AVX512_BITALG, AVX512_VBMI,
          AVX512_VP2INTERSECT, BLEND, COMPRESS, EXPAND, CONFLICT, FP16, GATHER, SCATTER, IFMA, KMASK,
          VBMI2),
};
/* clang-format on */

/* Instructions of a kind, or of a set, of which most may not run. */
static bool is_one_of_the_few(ZydisMnemonic mnemonic)
{
    return IN_LIST(mnemonic, /* what the processor tells of itself */
                   RDTSC, RDTSCP, RDPMC, XGETBV, SMSW, STR, SLDT, SGDT, SIDT, LAR, LSL, VERR, VERW, RDPKRU,
                   RDFSBASE, RDGSBASE, XTEST) ||
           IN_LIST(mnemonic, /* NOPs without a shadow stack, which the sandbox never has */
                   ENDBR32, ENDBR64, RDSSPD, RDSSPQ) ||
           IN_LIST(mnemonic, /* stores */
                   XSAVE, XSAVE64, XSAVEC, XSAVEC64, XSAVEOPT, XSAVEOPT64);
}

const char *allow_refuses(const ZydisDecodedInstruction *zi)
{
    const ZydisISASet set = zi->meta.isa_set;
    const ZydisInstructionCategory kind = zi->meta.category;
    if (set > ZYDIS_ISA_SET_MAX_VALUE || !rows[set].refusal)
        return "is of an instruction set that is not on the list of what may run";
    if (rows[set].rule == NOTHING)
        return rows[set].refusal;
    bool listed = rows[set].rule == COMPUTES && kind <= ZYDIS_CATEGORY_MAX_VALUE && kinds[kind];
    if (listed || is_one_of_the_few(zi->mnemonic))
        return NULL;
    return kind == ZYDIS_CATEGORY_SYSTEM ? "is for the operating system" : rows[set].refusal;
}
