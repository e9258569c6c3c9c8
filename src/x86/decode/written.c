/* written.c - the registers that instructions change, beyond what their operands say.
 *
 * From the operands, and for the few instructions that change, or read, more than they name from their pages
 * in Intel's SDM, volume 2. What is not certain counts as changed. */
#include "x86/decode/mnemonic_list.h"
#include "x86/decode/regs.h"
#include "x86/decode/written.h"

/* CMPS and SCAS move their pointers on; the decoder library names them as addresses only. (CMPSD is also an
 * SSE instruction, whose operands are visible.) */
static bool moves_pointers(const tacho_insn *insn)
{
    return !insn->visible_count && IN_LIST(insn->mnemonic, ZYDIS_MNEMONIC_CMPSB, ZYDIS_MNEMONIC_CMPSW,
                                           ZYDIS_MNEMONIC_CMPSD, ZYDIS_MNEMONIC_CMPSQ, ZYDIS_MNEMONIC_SCASB,
                                           ZYDIS_MNEMONIC_SCASW, ZYDIS_MNEMONIC_SCASD, ZYDIS_MNEMONIC_SCASQ);
}

uint16_t tacho_insn_general_written(const tacho_insn *insn)
{
    uint16_t written = 0;
    for (int i = 0; i < insn->operand_count; i++) {
        const tacho_operand *o = &insn->operands[i];
        if (o->kind == TACHO_OPERAND_REG && reg_is_general(o->reg) && (o->access & TACHO_WRITE))
            written |= (uint16_t)(1u << o->reg.number);
        if (o->kind == TACHO_OPERAND_MEM && moves_pointers(insn))
            written |= (uint16_t)(1u << o->mem.base.number);
    }
    return written;
}

enum {
    LOWER_SIXTEEN = 0xffff,
    WIDE_KEY_LOCKER = 0xff, /* AESENCWIDE128KL ...: eight blocks, XMM0 to XMM7 */
    ENCODE_KEY = 0x7f       /* the handle, and what is reserved: XMM0 to XMM6 */
};

#define ALL_VECTORS UINT32_MAX

/* What no operand names. */
static uint32_t vectors_written_unnamed(uint16_t mnemonic)
{
    if (IN_LIST(mnemonic, ZYDIS_MNEMONIC_VZEROALL, ZYDIS_MNEMONIC_FXRSTOR, ZYDIS_MNEMONIC_FXRSTOR64))
        return LOWER_SIXTEEN;
    if (IN_LIST(mnemonic, ZYDIS_MNEMONIC_XRSTOR, ZYDIS_MNEMONIC_XRSTOR64, ZYDIS_MNEMONIC_XRSTORS,
                ZYDIS_MNEMONIC_XRSTORS64))
        return ALL_VECTORS;
    if (IN_LIST(mnemonic, ZYDIS_MNEMONIC_AESENCWIDE128KL, ZYDIS_MNEMONIC_AESENCWIDE256KL,
                ZYDIS_MNEMONIC_AESDECWIDE128KL, ZYDIS_MNEMONIC_AESDECWIDE256KL))
        return WIDE_KEY_LOCKER;
    if (IN_LIST(mnemonic, ZYDIS_MNEMONIC_ENCODEKEY128, ZYDIS_MNEMONIC_ENCODEKEY256))
        return ENCODE_KEY;
    if (IN_LIST(mnemonic, ZYDIS_MNEMONIC_PCMPESTRM, ZYDIS_MNEMONIC_PCMPISTRM, ZYDIS_MNEMONIC_VPCMPESTRM,
                ZYDIS_MNEMONIC_VPCMPISTRM))
        return 1;
    return 0;
}

static uint32_t vectors_read_unnamed(uint16_t mnemonic)
{
    if (IN_LIST(mnemonic, ZYDIS_MNEMONIC_FXSAVE, ZYDIS_MNEMONIC_FXSAVE64, ZYDIS_MNEMONIC_VZEROUPPER))
        return LOWER_SIXTEEN;
    if (IN_LIST(mnemonic, ZYDIS_MNEMONIC_XSAVE, ZYDIS_MNEMONIC_XSAVE64, ZYDIS_MNEMONIC_XSAVEC,
                ZYDIS_MNEMONIC_XSAVEC64, ZYDIS_MNEMONIC_XSAVEOPT, ZYDIS_MNEMONIC_XSAVEOPT64,
                ZYDIS_MNEMONIC_XSAVES, ZYDIS_MNEMONIC_XSAVES64))
        return ALL_VECTORS;
    return mnemonic == ZYDIS_MNEMONIC_LOADIWKEY ? 1 | 2 | 4 : mnemonic == ZYDIS_MNEMONIC_SHA256RNDS2;
}

uint32_t insn_vectors_written(const tacho_insn *insn)
{
    uint32_t written = vectors_written_unnamed(insn->mnemonic);
    for (int i = 0; i < insn->operand_count; i++) {
        const tacho_operand *o = &insn->operands[i];
        if (o->kind == TACHO_OPERAND_REG && reg_is_vector(o->reg) && (o->access & TACHO_WRITE))
            written |= UINT32_C(1) << o->reg.number;
    }
    return written;
}

/* V4FMADDPS and the like read four registers: the operand names one, whose two lowest bits do not count. */
static uint32_t vectors_of(const tacho_insn *insn, const tacho_operand *o)
{
    bool four =
        IN_LIST(insn->mnemonic, ZYDIS_MNEMONIC_V4FMADDPS, ZYDIS_MNEMONIC_V4FMADDSS, ZYDIS_MNEMONIC_V4FNMADDPS,
                ZYDIS_MNEMONIC_V4FNMADDSS, ZYDIS_MNEMONIC_VP4DPWSSD, ZYDIS_MNEMONIC_VP4DPWSSDS);
    tacho_reg reg = o->kind == TACHO_OPERAND_MEM ? o->mem.index : o->reg;
    if (!reg_is_vector(reg))
        return 0;
    if (four && !(o->access & TACHO_WRITE))
        return UINT32_C(0xf) << (reg.number & 28);
    return UINT32_C(1) << reg.number;
}

uint32_t tacho_insn_vectors_used(const tacho_insn *insn)
{
    uint32_t used = insn_vectors_written(insn) | vectors_read_unnamed(insn->mnemonic);
    for (int i = 0; i < insn->operand_count; i++)
        used |= vectors_of(insn, &insn->operands[i]);
    return used;
}

uint8_t insn_masks_written(const tacho_insn *insn)
{
    bool pair = IN_LIST(insn->mnemonic, ZYDIS_MNEMONIC_VP2INTERSECTD, ZYDIS_MNEMONIC_VP2INTERSECTQ);
    uint8_t written = 0;
    if (IN_LIST(insn->mnemonic, ZYDIS_MNEMONIC_XRSTOR, ZYDIS_MNEMONIC_XRSTOR64, ZYDIS_MNEMONIC_XRSTORS,
                ZYDIS_MNEMONIC_XRSTORS64))
        return UINT8_MAX;
    for (int i = 0; i < insn->operand_count; i++) {
        const tacho_operand *o = &insn->operands[i];
        if (o->kind == TACHO_OPERAND_REG && o->reg.class_ == TACHO_REG_K && (o->access & TACHO_WRITE))
            written |= (uint8_t)(pair ? 3 << (o->reg.number & 6) : 1 << o->reg.number);
    }
    return written;
}

bool insn_loads_mxcsr(const tacho_insn *insn)
{
    return IN_LIST(insn->mnemonic, ZYDIS_MNEMONIC_LDMXCSR, ZYDIS_MNEMONIC_VLDMXCSR, ZYDIS_MNEMONIC_FXRSTOR,
                   ZYDIS_MNEMONIC_FXRSTOR64, ZYDIS_MNEMONIC_XRSTOR, ZYDIS_MNEMONIC_XRSTOR64,
                   ZYDIS_MNEMONIC_XRSTORS, ZYDIS_MNEMONIC_XRSTORS64);
}

bool insn_is_x87(const tacho_insn *insn)
{
    bool first_map = true; /* in the others these bytes are AESENC, PSUBUSB ... */
    if (insn->opcode_offset)
        first_map = !IN_LIST(insn->bytes[insn->opcode_offset - 1], 0x0f, 0x38, 0x3a);
    return insn->encoding == TACHO_ENC_LEGACY && first_map && (insn->opcode & 0xf8) == 0xd8;
}

bool tacho_insn_touches_x87(const tacho_insn *insn)
{
    if (insn_is_x87(insn))
        return true;
    for (int i = 0; i < insn->operand_count; i++)
        if (insn->operands[i].kind == TACHO_OPERAND_REG &&
            (insn->operands[i].reg.class_ == TACHO_REG_MM || insn->operands[i].reg.class_ == TACHO_REG_ST))
            return true;
    /* Those that convert from memory leave the x87 unit in MMX's state, too; the others handle all of it. */
    return IN_LIST(insn->mnemonic, ZYDIS_MNEMONIC_CVTPI2PS, ZYDIS_MNEMONIC_CVTPI2PD, ZYDIS_MNEMONIC_EMMS,
                   ZYDIS_MNEMONIC_FEMMS, ZYDIS_MNEMONIC_FWAIT, ZYDIS_MNEMONIC_FXSAVE, ZYDIS_MNEMONIC_FXSAVE64,
                   ZYDIS_MNEMONIC_FXRSTOR, ZYDIS_MNEMONIC_FXRSTOR64, ZYDIS_MNEMONIC_XSAVE,
                   ZYDIS_MNEMONIC_XSAVE64, ZYDIS_MNEMONIC_XSAVEC, ZYDIS_MNEMONIC_XSAVEC64,
                   ZYDIS_MNEMONIC_XSAVEOPT, ZYDIS_MNEMONIC_XSAVEOPT64, ZYDIS_MNEMONIC_XSAVES,
                   ZYDIS_MNEMONIC_XSAVES64, ZYDIS_MNEMONIC_XRSTOR, ZYDIS_MNEMONIC_XRSTOR64,
                   ZYDIS_MNEMONIC_XRSTORS, ZYDIS_MNEMONIC_XRSTORS64);
}
