/* danger.c - what an instruction does beyond computing, for those who run it outside its program: where it
 * goes, what it needs rights for, what its time depends on, what it leaves on the x87 stack.
 *
 * What may run is a list; here are the reasons that are better than not being on it, and what
 * depends on operands. From Zydis's categories and attributes (Intel SDM, volume 2). */
#include <string.h>

#include "x86/decode/danger.h"
#include "x86/decode/mnemonic_list.h"
#include "x86/decode/ops.h"
#include "x86/decode/written.h"

/* ---- the list of what may run ---- */

/* The list of what may run: instruction sets that only compute with what every program may use, and
 * of those sets the kinds of instructions that do; of sets with other purposes a few instructions.
 *
 * By what Zydis (which has it from XED) calls ISA sets and categories. What is new is in no row, and does not
 * run until somebody has read what it does (Intel SDM, volume 2; AMD APM, volumes 3 to 5) and the
 * differential test (tests/robust/steps.c) has executed it, where a processor has it. Left out on purpose:
 *  - what speaks to the hypervisor, an enclave or a device, sleeps, traces, or changes rights;
 *  - what depends on keys or tiles that the system must grant: Key Locker, AMX;
 *  - what its makers have given up, so that no processor is left to test it on: 3DNow!, XOP, FMA4, TBM, LWP,
 *    PadLock and the sets of the Xeon Phis. MPX stays: elsewhere its instructions are NOPs. */

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

static const char *allow_refuses(const ZydisDecodedInstruction *zi)
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

static const char *by_mnemonic(const tacho_insn *insn)
{
    uint16_t m = insn->mnemonic;
    if (IN_LIST(m, POPF, POPFD, POPFQ))
        return "sets flags of the whole process (trap, alignment check)";
    if (IN_LIST(m, LFS, LGS, LSS))
        return "changes a segment";
    if (IN_LIST(m, CLI, STI))
        return "is for the operating system";
    return NULL;
}

static bool writes_segment(const tacho_insn *insn)
{
    for (int i = 0; i < insn->operand_count; i++)
        if (insn->operands[i].kind == TACHO_OPERAND_REG && insn->operands[i].reg.class_ == TACHO_REG_SEG &&
            (insn->operands[i].access & TACHO_WRITE))
            return true;
    return false;
}

static bool is_direct_branch(const tacho_insn *insn)
{
    for (int i = 0; i < insn->visible_count; i++)
        if (insn->operands[i].kind == TACHO_OPERAND_REL)
            return insn->is_branch;
    return false;
}

/* Encodings of which the decoder says what not every processor does. Branches with an operand-size prefix:
 * AMD's take the distance for one of 16 bits, and leave 16 bits of the address (APM, volume 3, JMP, Jcc),
 * Intel's ignore the prefix. PAUSE with REX.B is XCHG with R8 (seen on a Zen 5). */
static bool is_taken_differently(const tacho_insn *insn)
{
    if (insn->mnemonic == ZYDIS_MNEMONIC_PAUSE)
        return (insn->bytes[insn->opcode_offset - 1] & 0xf1) == 0x41;
    return insn->is_branch && memchr(insn->bytes, 0x66, insn->opcode_offset);
}

static const char *by_category(const ZydisDecodedInstruction *zi)
{
    switch (zi->meta.category) {
    case ZYDIS_CATEGORY_SYSCALL:
    case ZYDIS_CATEGORY_SYSRET:
        return "is a system call";
    case ZYDIS_CATEGORY_INTERRUPT:
        return "is an interrupt";
    case ZYDIS_CATEGORY_CALL:
        return "is a call";
    case ZYDIS_CATEGORY_RET:
        return "is a return";
    case ZYDIS_CATEGORY_IO:
    case ZYDIS_CATEGORY_IOSTRINGOP:
        return "needs access to devices";
    default:
        return NULL;
    }
}

const char *tacho_decode_transfer(const tacho_insn *insn)
{
    ZydisDecodedInstruction zi;
    if (!zydis_decode(&zi, NULL, insn->bytes, insn->length))
        return "is not an instruction";
    switch (zi.meta.category) {
    case ZYDIS_CATEGORY_SYSCALL:
    case ZYDIS_CATEGORY_SYSRET:
    case ZYDIS_CATEGORY_INTERRUPT:
    case ZYDIS_CATEGORY_CALL:
    case ZYDIS_CATEGORY_RET:
        return by_category(&zi);
    case ZYDIS_CATEGORY_COND_BR:
    case ZYDIS_CATEGORY_UNCOND_BR:
        return "is a branch";
    default:
        return IN_LIST(zi.mnemonic, UD0, UD1, UD2, HLT) ? "does not go on" : NULL;
    }
}

const char *tacho_decode_danger(const tacho_insn *insn)
{
    ZydisDecodedInstruction zi;
    if (!zydis_decode(&zi, NULL, insn->bytes, insn->length))
        return "is not an instruction";
    if (zi.attributes & ZYDIS_ATTRIB_IS_PRIVILEGED)
        return "is privileged";
    if (zi.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
        return "is a far transfer";
    const char *why = by_category(&zi);
    if (!why)
        why = by_mnemonic(insn);
    if (!why && writes_segment(insn))
        why = "changes a segment";
    if (!why && zi.meta.branch_type != ZYDIS_BRANCH_TYPE_NONE && !is_direct_branch(insn))
        why = "jumps to an address that only its program knows";
    if (!why && is_taken_differently(insn))
        why = "has a prefix that processors take differently";
    return why ? why : allow_refuses(&zi);
}

/* Highest stack position that an operand names, plus one. */
static unsigned deepest(const tacho_insn *insn)
{
    unsigned depth = 0;
    for (const tacho_operand *o = insn->operands; o < insn->operands + insn->operand_count; o++)
        if (o->kind == TACHO_OPERAND_REG && o->reg.class_ == TACHO_REG_ST && (o->access & TACHO_READ) &&
            o->reg.number + 1u > depth)
            depth = o->reg.number + 1u;
    return depth;
}

/* Change of the depth by the instruction: +1 a push. *need: values that must be on the stack before. */
static int x87_change(const tacho_insn *insn, unsigned *need)
{
    *need = 0;
    if (!insn_is_x87(insn))
        return 0;
    const char *name = tacho_mnemonic_name(insn->mnemonic);
    *need = deepest(insn);
    if (IN_LIST(insn->mnemonic, FLDCW, FLDENV))
        return 0;
    if (!strncmp(name, "FLD", 3) || IN_LIST(insn->mnemonic, FILD, FBLD))
        return 1;
    if (IN_LIST(insn->mnemonic, FPTAN, FSINCOS, FXTRACT)) {
        *need = 1;
        return 1;
    }
    if (IN_LIST(insn->mnemonic, FCOMPP, FUCOMPP)) {
        *need = 2;
        return -2;
    }
    bool pops = (name[strlen(name) - 1] == 'P' && !IN_LIST(insn->mnemonic, FNOP, FDECSTP, FINCSTP)) ||
                IN_LIST(insn->mnemonic, FPATAN, FYL2X, FYL2XP1);
    if (pops && !*need)
        *need = 1;
    return pops ? -1 : 0;
}

void tacho_x87_stack_step(x87_stack *s, const tacho_insn *insn)
{
    unsigned need;
    int change = x87_change(insn, &need);
    if (s->depth - (int)need < s->lowest)
        s->lowest = s->depth - (int)need;
    s->depth += change;
    if (s->depth > s->highest)
        s->highest = s->depth;
}

bool tacho_x87_stack_is_unbalanced(const x87_stack *s)
{
    return s->depth || s->highest - s->lowest > 8;
}

/* A string instruction that is done as often as RCX says; other instructions ignore the prefixes, or take
 * them for something else. */
static bool is_repeated(const tacho_insn *insn)
{
    return (insn->rep || insn->repne) && (insn->operation == OP_STRING || insn->operation == OP_SCAN);
}

decode_timing tacho_decode_input_timing(const tacho_insn *insn)
{
    if (insn_is(insn, INSN_DIVIDES) || is_repeated(insn) ||
        IN_LIST(insn->mnemonic, FPREM, FPREM1, FSIN, FCOS, FSINCOS, FPTAN, FPATAN, F2XM1, FYL2X, FYL2XP1,
                FBLD, FBSTP))
        return DECODE_TIMING_VALUES;
    if (IN_LIST(insn->mnemonic, CPUID, XGETBV, RDPMC, RDTSCP, RDRAND, RDSEED))
        return DECODE_TIMING_INTERCEPTED;
    return DECODE_TIMING_FIXED;
}
