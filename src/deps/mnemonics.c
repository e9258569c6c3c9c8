/* mnemonics.c - which instructions are understood, and as what. */
#include <string.h>

#include "decode/names.h"
#include "decode/regs.h"
#include "deps/steps.h"
#include "util/mem.h"

static const struct {
    const char *name;
    uint8_t op;
} names[] = {
    {"MOV", OP_MOVE},
    {"MOVABS", OP_MOVE},
    {"MOVZX", OP_MOVE},
    {"MOVNTI", OP_MOVE},
    {"MOVSX", OP_SIGNED},
    {"MOVSXD", OP_SIGNED},
    {"LEA", OP_LEA},
    {"ADD", OP_ADD},
    {"SUB", OP_SUB},
    {"INC", OP_INC},
    {"DEC", OP_DEC},
    {"NEG", OP_NEG},
    {"NOT", OP_NOT},
    {"AND", OP_AND},
    {"OR", OP_OR},
    {"XOR", OP_XOR},
    {"SHL", OP_SHL},
    {"SHR", OP_SHR},
    {"SAR", OP_SAR},
    {"ROL", OP_ROL},
    {"ROR", OP_ROR},
    {"SHLX", OP_SHL},
    {"SHRX", OP_SHR},
    {"SARX", OP_SAR},
    {"RORX", OP_ROR},
    {"SHLD", OP_SHLD},
    {"SHRD", OP_SHRD},
    {"IMUL", OP_IMUL},
    {"MUL", OP_MUL},
    {"MULX", OP_MULX},
    {"XCHG", OP_XCHG},
    {"XADD", OP_XADD},
    {"PUSH", OP_PUSH},
    {"POP", OP_POP},
    {"PUSHF", OP_PUSHF},
    {"PUSHFQ", OP_PUSHF},
    {"POPF", OP_POPF},
    {"POPFQ", OP_POPF},
    {"ENTER", OP_ENTER},
    {"LEAVE", OP_LEAVE},
    {"RET", OP_RET},
    {"SYSCALL", OP_SYSCALL},
    {"BSWAP", OP_BSWAP},
    {"MOVBE", OP_MOVBE},
    {"ANDN", OP_ANDN},
    {"BLSI", OP_BLSI},
    {"BLSR", OP_BLSR},
    {"BLSMSK", OP_BLSMSK},
    {"BZHI", OP_BZHI},
    {"BEXTR", OP_BEXTR},
    {"PEXT", OP_PEXT},
    {"PDEP", OP_PDEP},
    {"POPCNT", OP_POPCNT},
    {"TZCNT", OP_TZCNT},
    {"LZCNT", OP_LZCNT},
    {"CBW", OP_WIDEN},
    {"CWDE", OP_WIDEN},
    {"CDQE", OP_WIDEN},
    {"CWD", OP_SPREAD},
    {"CDQ", OP_SPREAD},
    {"CQO", OP_SPREAD},
    {"MOVSB", OP_STRING},
    {"MOVSW", OP_STRING},
    {"MOVSQ", OP_STRING},
    {"STOSB", OP_STRING},
    {"STOSW", OP_STRING},
    {"STOSD", OP_STRING},
    {"STOSQ", OP_STRING},
    {"LODSB", OP_STRING},
    {"LODSW", OP_STRING},
    {"LODSD", OP_STRING},
    {"LODSQ", OP_STRING},
    {"SCASB", OP_SCAN},
    {"SCASW", OP_SCAN},
    {"SCASD", OP_SCAN},
    {"SCASQ", OP_SCAN},
    {"CMPSB", OP_SCAN},
    {"CMPSW", OP_SCAN},
    {"CMPSD", OP_SCAN},
    {"CMPSQ", OP_SCAN},
    {"STD", OP_BACKWARDS},
    {"CLD", OP_FORWARDS},
    {"MOVAPS", OP_VECTOR},
    {"MOVUPS", OP_VECTOR},
    {"MOVAPD", OP_VECTOR},
    {"MOVUPD", OP_VECTOR},
    {"MOVDQA", OP_VECTOR},
    {"MOVDQU", OP_VECTOR},
    {"LDDQU", OP_VECTOR},
    {"MOVNTDQ", OP_VECTOR},
    {"MOVNTPS", OP_VECTOR},
    {"MOVNTPD", OP_VECTOR},
    {"VMOVAPS", OP_VECTOR},
    {"VMOVUPS", OP_VECTOR},
    {"VMOVAPD", OP_VECTOR},
    {"VMOVUPD", OP_VECTOR},
    {"VMOVDQA", OP_VECTOR},
    {"VMOVDQU", OP_VECTOR},
    {"VMOVDQA32", OP_VECTOR},
    {"VMOVDQA64", OP_VECTOR},
    {"VMOVDQU8", OP_VECTOR},
    {"VMOVDQU16", OP_VECTOR},
    {"VMOVDQU32", OP_VECTOR},
    {"VMOVDQU64", OP_VECTOR},
    {"VLDDQU", OP_VECTOR},
    {"MOVQ", OP_SCALAR},
    {"MOVD", OP_SCALAR},
    {"VMOVQ", OP_SCALAR},
    {"VMOVD", OP_SCALAR},
    {"MOVSD", OP_MOVSD},
    {"VMOVSD", OP_MOVSD},
    {"MOVLPS", OP_LOW},
    {"MOVLPD", OP_LOW},
    {"VMOVLPS", OP_LOW},
    {"VMOVLPD", OP_LOW},
    {"MOVHPS", OP_HIGH},
    {"MOVHPD", OP_HIGH},
    {"VMOVHPS", OP_HIGH},
    {"VMOVHPD", OP_HIGH},
    {"PUNPCKLQDQ", OP_UNPACK},
    {"VPUNPCKLQDQ", OP_UNPACK},
    {"MOVLHPS", OP_UNPACK},
    {"VMOVLHPS", OP_UNPACK},
    {"UNPCKLPD", OP_UNPACK},
    {"VUNPCKLPD", OP_UNPACK},
    {"MOVDDUP", OP_DUP},
    {"VMOVDDUP", OP_DUP},
    {"VPBROADCASTQ", OP_BROADCAST},
    {"VBROADCASTSD", OP_BROADCAST},
    {"PINSRQ", OP_INSERT},
    {"VPINSRQ", OP_INSERT},
    {"PEXTRQ", OP_EXTRACT},
    {"VPEXTRQ", OP_EXTRACT},
    {"PXOR", OP_VXOR},
    {"XORPS", OP_VXOR},
    {"XORPD", OP_VXOR},
    {"VPXOR", OP_VXOR},
    {"VXORPS", OP_VXOR},
    {"VXORPD", OP_VXOR},
    {"VPXORD", OP_VXOR},
    {"VPXORQ", OP_VXOR},
    {"PADDQ", OP_VADD},
    {"VPADDQ", OP_VADD},
    {"PSUBQ", OP_VSUB},
    {"VPSUBQ", OP_VSUB},
    {"PAND", OP_VAND},
    {"ANDPS", OP_VAND},
    {"ANDPD", OP_VAND},
    {"VPAND", OP_VAND},
    {"VANDPS", OP_VAND},
    {"VANDPD", OP_VAND},
    {"VPANDD", OP_VAND},
    {"VPANDQ", OP_VAND},
    {"POR", OP_VOR},
    {"ORPS", OP_VOR},
    {"ORPD", OP_VOR},
    {"VPOR", OP_VOR},
    {"VORPS", OP_VOR},
    {"VORPD", OP_VOR},
    {"VPORD", OP_VOR},
    {"VPORQ", OP_VOR},
    {"PANDN", OP_VANDN},
    {"ANDNPS", OP_VANDN},
    {"ANDNPD", OP_VANDN},
    {"VPANDN", OP_VANDN},
    {"VANDNPS", OP_VANDN},
    {"VANDNPD", OP_VANDN},
    {"VPANDND", OP_VANDN},
    {"VPANDNQ", OP_VANDN},
    {"PSUBB", OP_VZERO},
    {"PSUBW", OP_VZERO},
    {"PSUBD", OP_VZERO},
    {"PSUBSB", OP_VZERO},
    {"PSUBSW", OP_VZERO},
    {"PSUBUSB", OP_VZERO},
    {"PSUBUSW", OP_VZERO},
    {"PCMPGTB", OP_VZERO},
    {"PCMPGTW", OP_VZERO},
    {"PCMPGTD", OP_VZERO},
    {"PCMPGTQ", OP_VZERO},
    {"VPSUBB", OP_VZERO},
    {"VPSUBW", OP_VZERO},
    {"VPSUBD", OP_VZERO},
    {"VPSUBSB", OP_VZERO},
    {"VPSUBSW", OP_VZERO},
    {"VPSUBUSB", OP_VZERO},
    {"VPSUBUSW", OP_VZERO},
    {"VPCMPGTB", OP_VZERO},
    {"VPCMPGTW", OP_VZERO},
    {"VPCMPGTD", OP_VZERO},
    {"VPCMPGTQ", OP_VZERO},
    {"PCMPEQB", OP_VONES},
    {"PCMPEQW", OP_VONES},
    {"PCMPEQD", OP_VONES},
    {"PCMPEQQ", OP_VONES},
    {"VPCMPEQB", OP_VONES},
    {"VPCMPEQW", OP_VONES},
    {"VPCMPEQD", OP_VONES},
    {"VPCMPEQQ", OP_VONES},
};

int semantics_make(semantics *s)
{
    s->op_of = tacho_mem_zalloc(tacho_gen_mnemonic_count, 1);
    for (size_t i = 0; s->op_of && i < sizeof names / sizeof *names; i++) {
        uint16_t mnemonic = tacho_mnemonic_find(names[i].name, strlen(names[i].name));
        if (mnemonic)
            s->op_of[mnemonic] = names[i].op;
    }
    for (uint16_t mnemonic = 0; s->op_of && mnemonic < tacho_gen_mnemonic_count; mnemonic++)
        if (!strncmp(tacho_mnemonic_name(mnemonic), "CMOV", 4))
            s->op_of[mnemonic] = OP_CHOOSE;
    return s->op_of ? 0 : -1;
}

void semantics_free(semantics *s)
{
    tacho_mem_free(s->op_of);
    s->op_of = NULL;
}

unsigned semantics_op(const semantics *s, const tacho_insn *insn)
{
    unsigned op = s->op_of[insn->mnemonic];
    /* "MOVSD" and "CMPSD" are two instructions each. */
    if (op == OP_MOVSD && !insn_names_vector_reg(insn))
        return OP_STRING;
    return op == OP_SCAN && insn_names_vector_reg(insn) ? OP_NONE : op;
}

static bool same_operands(const tacho_insn *insn, int a, int b)
{
    const tacho_operand *x = &insn->operands[a], *y = &insn->operands[b];
    return x->kind == TACHO_OPERAND_REG && y->kind == TACHO_OPERAND_REG && x->reg.class_ == y->reg.class_ &&
           x->reg.number == y->reg.number;
}

bool semantics_waits_for_nothing(const semantics *s, const tacho_insn *insn)
{
    int last = insn->visible_count - 1;
    if (last < 1 || !same_operands(insn, last - 1, last))
        return false;
    const tacho_operand *to = &insn->operands[0];
    switch (semantics_op(s, insn)) {
    case OP_XOR:
    case OP_SUB:
        return last == 1 && to->width_bits >= 32;
    case OP_VXOR:
    case OP_VSUB:
    case OP_VZERO:
        return last <= 2 && to->reg.class_ != TACHO_REG_K;
    case OP_VONES:
        return last <= 2 && reg_is_vector(to->reg);
    default:
        return false;
    }
}
