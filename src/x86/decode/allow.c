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

#define ALL(set)           [ZYDIS_ISA_SET_##set] = {COMPUTES, "is of a kind that is not allowed to run"}
#define SOME(set, refusal) [ZYDIS_ISA_SET_##set] = {FEW, refusal}
#define NONE(set, refusal) [ZYDIS_ISA_SET_##set] = {NOTHING, refusal}
#define NAMED(set, name)   NONE(set, "is of an instruction set that is not allowed to run (" name ")")
#define ELSEWHERE          "is for a part of the processor that blocks cannot use"

static const allow_row rows[ZYDIS_ISA_SET_MAX_VALUE + 1] = {
    /* general registers */
    ALL(I86),
    ALL(I186),
    ALL(I286PROTECTED),
    ALL(I286REAL),
    ALL(I386),
    ALL(I486),
    ALL(I486REAL),
    ALL(PENTIUMREAL),
    ALL(PPRO),
    ALL(CMOV),
    ALL(LONGMODE),
    ALL(LAHF),
    ALL(CMPXCHG16B),
    ALL(MOVBE),
    ALL(POPCNT),
    ALL(LZCNT),
    ALL(BMI1),
    ALL(BMI2),
    ALL(ADOX_ADCX),
    ALL(RDRAND),
    ALL(RDSEED),
    ALL(PAUSE),
    ALL(FAT_NOP),
    ALL(MPX),
    /* what the processor tells of itself */
    ALL(RDPMC),
    ALL(RDTSCP),
    ALL(RDPID),
    /* caches and the order of accesses */
    ALL(CLFSH),
    ALL(CLFLUSHOPT),
    ALL(CLWB),
    ALL(CLDEMOTE),
    ALL(CLZERO),
    ALL(SERIALIZE),
    ALL(MOVDIR),
    ALL(SSE_PREFETCH),
    ALL(PREFETCH_NOP),
    ALL(PREFETCHWT1),
    /* x87 and MMX */
    ALL(X87),
    ALL(FCMOV),
    ALL(SSE3X87),
    ALL(PENTIUMMMX),
    ALL(SSE2MMX),
    ALL(SSSE3MMX),
    ALL(FXSAVE),
    ALL(FXSAVE64),
    /* vectors of 128 and 256 bits */
    ALL(SSE),
    ALL(SSE2),
    ALL(SSE3),
    ALL(SSSE3),
    ALL(SSE4),
    ALL(SSE42),
    ALL(SSE4A),
    ALL(SSEMXCSR),
    ALL(AES),
    ALL(PCLMULQDQ),
    ALL(SHA),
    ALL(GFNI),
    ALL(AVX),
    ALL(AVX2),
    ALL(AVX2GATHER),
    ALL(AVXAES),
    ALL(AVX_GFNI),
    ALL(AVX_VNNI),
    ALL(F16C),
    ALL(FMA),
    ALL(VAES),
    ALL(VPCLMULQDQ),
    /* AVX-512 */
    ALL(AVX512F_128),
    ALL(AVX512F_128N),
    ALL(AVX512F_256),
    ALL(AVX512F_512),
    ALL(AVX512F_KOP),
    ALL(AVX512F_SCALAR),
    ALL(AVX512BW_128),
    ALL(AVX512BW_128N),
    ALL(AVX512BW_256),
    ALL(AVX512BW_512),
    ALL(AVX512BW_KOP),
    ALL(AVX512CD_128),
    ALL(AVX512CD_256),
    ALL(AVX512CD_512),
    ALL(AVX512DQ_128),
    ALL(AVX512DQ_128N),
    ALL(AVX512DQ_256),
    ALL(AVX512DQ_512),
    ALL(AVX512DQ_KOP),
    ALL(AVX512DQ_SCALAR),
    ALL(AVX512_BF16_128),
    ALL(AVX512_BF16_256),
    ALL(AVX512_BF16_512),
    ALL(AVX512_BITALG_128),
    ALL(AVX512_BITALG_256),
    ALL(AVX512_BITALG_512),
    ALL(AVX512_FP16_128),
    ALL(AVX512_FP16_128N),
    ALL(AVX512_FP16_256),
    ALL(AVX512_FP16_512),
    ALL(AVX512_FP16_SCALAR),
    ALL(AVX512_GFNI_128),
    ALL(AVX512_GFNI_256),
    ALL(AVX512_GFNI_512),
    ALL(AVX512_IFMA_128),
    ALL(AVX512_IFMA_256),
    ALL(AVX512_IFMA_512),
    ALL(AVX512_VAES_128),
    ALL(AVX512_VAES_256),
    ALL(AVX512_VAES_512),
    ALL(AVX512_VBMI_128),
    ALL(AVX512_VBMI_256),
    ALL(AVX512_VBMI_512),
    ALL(AVX512_VBMI2_128),
    ALL(AVX512_VBMI2_256),
    ALL(AVX512_VBMI2_512),
    ALL(AVX512_VNNI_128),
    ALL(AVX512_VNNI_256),
    ALL(AVX512_VNNI_512),
    ALL(AVX512_VP2INTERSECT_128),
    ALL(AVX512_VP2INTERSECT_256),
    ALL(AVX512_VP2INTERSECT_512),
    ALL(AVX512_VPCLMULQDQ_128),
    ALL(AVX512_VPCLMULQDQ_256),
    ALL(AVX512_VPCLMULQDQ_512),
    ALL(AVX512_VPOPCNTDQ_128),
    ALL(AVX512_VPOPCNTDQ_256),
    ALL(AVX512_VPOPCNTDQ_512),
    /* sets of which a few may run */
    SOME(CET, "changes the shadow stack"),
    SOME(PKU, "changes the rights to memory"),
    SOME(RDWRFSGS, "changes a segment"),
    SOME(RTM, "starts or ends a transaction"),
    SOME(XSAVE, "loads the rights to memory"),
    SOME(XSAVEC, "loads the rights to memory"),
    SOME(XSAVEOPT, "loads the rights to memory"),
    /* sets of which none may */
    NONE(VTX, "is for the hypervisor"),
    NONE(VMFUNC, "is for the hypervisor"),
    NONE(SVM, "is for the hypervisor"),
    NONE(MONITOR, "puts the processor to sleep"),
    NONE(MONITORX, "puts the processor to sleep"),
    NONE(WAITPKG, "puts the processor to sleep"),
    NONE(SGX, ELSEWHERE),
    NONE(SGX_ENCLV, ELSEWHERE),
    NONE(UINTR, ELSEWHERE),
    NONE(ENQCMD, ELSEWHERE),
    NAMED(AMX_BF16, "AMX"),
    NAMED(AMX_INT8, "AMX"),
    NAMED(AMX_TILE, "AMX"),
    NAMED(KEYLOCKER, "KL"),
    NAMED(KEYLOCKER_WIDE, "KL"),
    NAMED(RDPRU, "RDPRU"),
    NAMED(PT, "PTWRITE"),
    NAMED(MCOMMIT, "MCOMMIT"),
    NAMED(TSX_LDTRK, "TSXLDTRK"),
    NAMED(AMD3DNOW, "3DNow!"),
    NAMED(XOP, "XOP"),
    NAMED(FMA4, "FMA4"),
    NAMED(TBM, "TBM"),
    NAMED(LWP, "LWP"),
    NAMED(PADLOCK_ACE, "PadLock"),
    NAMED(PADLOCK_PHE, "PadLock"),
    NAMED(PADLOCK_PMM, "PadLock"),
    NAMED(PADLOCK_RNG, "PadLock"),
    NAMED(AVX512ER_512, "AVX-512ER"),
    NAMED(AVX512ER_SCALAR, "AVX-512ER"),
    NAMED(AVX512PF_512, "AVX-512PF"),
    NAMED(AVX512_4FMAPS_512, "AVX-512_4FMAPS"),
    NAMED(AVX512_4FMAPS_SCALAR, "AVX-512_4FMAPS"),
    NAMED(AVX512_4VNNIW_512, "AVX-512_4VNNIW"),
    NAMED(KNCE, "KNC"),
    NAMED(KNCJKBR, "KNC"),
    NAMED(KNCSTREAM, "KNC"),
    NAMED(KNCV, "KNC"),
    NAMED(KNC_MISC, "KNC"),
    NAMED(KNC_PF_HINT, "KNC"),
    NAMED(AMD_INVLPGB, "INVLPGB"),
    NAMED(HRESET, "HRESET"),
    NAMED(INVPCID, "INVPCID"),
    NAMED(PCONFIG, "PCONFIG"),
    NAMED(SMAP, "SMAP"),
    NAMED(SMX, "SMX"),
    NAMED(SNP, "SNP"),
    NAMED(TDX, "TDX"),
    NAMED(XSAVES, "XSAVES"),
};

#define KIND(category) [ZYDIS_CATEGORY_##category] = true

static const bool kinds[ZYDIS_CATEGORY_MAX_VALUE + 1] = {
    KIND(ADOX_ADCX),     KIND(BINARY),      KIND(BITBYTE),
    KIND(BMI1),          KIND(BMI2),        KIND(CMOV),
    KIND(COND_BR),       KIND(UNCOND_BR),   KIND(CONVERT),
    KIND(DATAXFER),      KIND(FLAGOP),      KIND(LOGICAL),
    KIND(LZCNT),         KIND(MISC),        KIND(MPX),
    KIND(NOP),           KIND(WIDENOP),     KIND(POP),
    KIND(PUSH),          KIND(ROTATE),      KIND(SHIFT),
    KIND(SEMAPHORE),     KIND(SETCC),       KIND(STRINGOP),
    KIND(RDRAND),        KIND(RDSEED),      KIND(RDPID),
    KIND(CLDEMOTE),      KIND(CLFLUSHOPT),  KIND(CLWB),
    KIND(CLZERO),        KIND(SERIALIZE),   KIND(MOVDIR),
    KIND(PREFETCH),      KIND(PREFETCHWT1), KIND(FCMOV),
    KIND(X87_ALU),       KIND(MMX),         KIND(SSE),
    KIND(STTNI),         KIND(AES),         KIND(PCLMULQDQ),
    KIND(SHA),           KIND(GFNI),        KIND(AVX),
    KIND(AVX2),          KIND(AVX2GATHER),  KIND(VEX),
    KIND(VAES),          KIND(VPCLMULQDQ),  KIND(VFMA),
    KIND(BROADCAST),     KIND(LOGICAL_FP),  KIND(AVX512),
    KIND(AVX512_BITALG), KIND(AVX512_VBMI), KIND(AVX512_VP2INTERSECT),
    KIND(BLEND),         KIND(COMPRESS),    KIND(EXPAND),
    KIND(CONFLICT),      KIND(FP16),        KIND(GATHER),
    KIND(SCATTER),       KIND(IFMA),        KIND(KMASK),
    KIND(VBMI2),
};

/* Instructions of a kind, or of a set, of which most may not run. */
static bool is_one_of_the_few(ZydisMnemonic mnemonic)
{
    return IN_LIST(
        mnemonic,
        /* what the processor tells of itself */
        ZYDIS_MNEMONIC_RDTSC, ZYDIS_MNEMONIC_RDTSCP, ZYDIS_MNEMONIC_RDPMC, ZYDIS_MNEMONIC_XGETBV,
        ZYDIS_MNEMONIC_SMSW, ZYDIS_MNEMONIC_STR, ZYDIS_MNEMONIC_SLDT, ZYDIS_MNEMONIC_SGDT,
        ZYDIS_MNEMONIC_SIDT, ZYDIS_MNEMONIC_LAR, ZYDIS_MNEMONIC_LSL, ZYDIS_MNEMONIC_VERR, ZYDIS_MNEMONIC_VERW,
        ZYDIS_MNEMONIC_RDPKRU, ZYDIS_MNEMONIC_RDFSBASE, ZYDIS_MNEMONIC_RDGSBASE, ZYDIS_MNEMONIC_XTEST,
        /* NOPs without a shadow stack, which the sandbox never has */
        ZYDIS_MNEMONIC_ENDBR32, ZYDIS_MNEMONIC_ENDBR64, ZYDIS_MNEMONIC_RDSSPD, ZYDIS_MNEMONIC_RDSSPQ,
        /* stores */
        ZYDIS_MNEMONIC_XSAVE, ZYDIS_MNEMONIC_XSAVE64, ZYDIS_MNEMONIC_XSAVEC, ZYDIS_MNEMONIC_XSAVEC64,
        ZYDIS_MNEMONIC_XSAVEOPT, ZYDIS_MNEMONIC_XSAVEOPT64);
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
