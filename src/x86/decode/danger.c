/* danger.c - what an instruction does beyond computing, for those who run it outside its program: where it
 * goes, what it needs rights for, what its time depends on, what it leaves on the x87 stack.
 *
 * What may run is a list (allow.c); here are the reasons that are better than not being on it, and what
 * depends on operands. From Zydis's categories and attributes (Intel SDM, volume 2). */
#include <string.h>

#include "x86/decode/allow.h"
#include "x86/decode/danger.h"
#include "x86/decode/mnemonic_list.h"
#include "x86/decode/ops.h"
#include "x86/decode/written.h"

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

static bool decode_again(const tacho_insn *insn, ZydisDecodedInstruction *zi)
{
    ZydisDecoder decoder;
    ZydisDecoderContext context;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    /* With all modes of the decoder, as on the newest processors. */
    return ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, &context, insn->bytes, insn->length, zi)) &&
           zi->length == insn->length;
}

const char *tacho_decode_transfer(const tacho_insn *insn)
{
    ZydisDecodedInstruction zi;
    if (!decode_again(insn, &zi))
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
    if (!decode_again(insn, &zi))
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
    for (int i = 0; i < insn->operand_count; i++) {
        const tacho_operand *o = &insn->operands[i];
        if (o->kind == TACHO_OPERAND_REG && o->reg.class_ == TACHO_REG_ST && (o->access & TACHO_READ) &&
            o->reg.number + 1u > depth)
            depth = o->reg.number + 1u;
    }
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
