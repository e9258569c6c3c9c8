/* written.c - the registers that instructions change, beyond what their operands say.
 *
 * From the operands, and for the few instructions that change, or read, more than they name from their pages
 * in Intel's SDM, volume 2. What is not certain counts as changed. */
#include <string.h>

#include "x86/decode/mnemonic_list.h"
#include "x86/decode/regs.h"
#include "x86/decode/written.h"

/* CMPS and SCAS move their pointers on; the decoder library names them as addresses only. (CMPSD is also an
 * SSE instruction, whose operands are visible.) */
static bool moves_pointers(const tacho_insn *insn)
{
    return !insn->visible_count &&
           IN_LIST(insn->mnemonic, CMPSB, CMPSW, CMPSD, CMPSQ, SCASB, SCASW, SCASD, SCASQ);
}

uint16_t tacho_insn_general_written(const tacho_insn *insn)
{
    uint16_t written = 0;
    for (const tacho_operand *o = insn->operands; o < insn->operands + insn->operand_count; o++) {
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
    if (IN_LIST(mnemonic, VZEROALL, FXRSTOR, FXRSTOR64))
        return LOWER_SIXTEEN;
    if (IN_LIST(mnemonic, XRSTOR, XRSTOR64, XRSTORS, XRSTORS64))
        return ALL_VECTORS;
    if (IN_LIST(mnemonic, AESENCWIDE128KL, AESENCWIDE256KL, AESDECWIDE128KL, AESDECWIDE256KL))
        return WIDE_KEY_LOCKER;
    if (IN_LIST(mnemonic, ENCODEKEY128, ENCODEKEY256))
        return ENCODE_KEY;
    if (IN_LIST(mnemonic, PCMPESTRM, PCMPISTRM, VPCMPESTRM, VPCMPISTRM))
        return 1;
    return 0;
}

static uint32_t vectors_read_unnamed(uint16_t mnemonic)
{
    if (IN_LIST(mnemonic, FXSAVE, FXSAVE64, VZEROUPPER))
        return LOWER_SIXTEEN;
    if (IN_LIST(mnemonic, XSAVE, XSAVE64, XSAVEC, XSAVEC64, XSAVEOPT, XSAVEOPT64, XSAVES, XSAVES64))
        return ALL_VECTORS;
    return mnemonic == ZYDIS_MNEMONIC_LOADIWKEY ? 1 | 2 | 4 : mnemonic == ZYDIS_MNEMONIC_SHA256RNDS2;
}

uint32_t insn_vectors_written(const tacho_insn *insn)
{
    uint32_t written = vectors_written_unnamed(insn->mnemonic);
    for (const tacho_operand *o = insn->operands; o < insn->operands + insn->operand_count; o++)
        if (o->kind == TACHO_OPERAND_REG && reg_is_vector(o->reg) && (o->access & TACHO_WRITE))
            written |= UINT32_C(1) << o->reg.number;
    return written;
}

/* V4FMADDPS and the like read four registers: the operand names one, whose two lowest bits do not count. */
static uint32_t vectors_of(const tacho_insn *insn, const tacho_operand *o)
{
    bool four = IN_LIST(insn->mnemonic, V4FMADDPS, V4FMADDSS, V4FNMADDPS, V4FNMADDSS, VP4DPWSSD, VP4DPWSSDS);
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
    bool pair = IN_LIST(insn->mnemonic, VP2INTERSECTD, VP2INTERSECTQ);
    uint8_t written = 0;
    if (IN_LIST(insn->mnemonic, XRSTOR, XRSTOR64, XRSTORS, XRSTORS64))
        return UINT8_MAX;
    for (const tacho_operand *o = insn->operands; o < insn->operands + insn->operand_count; o++)
        if (o->kind == TACHO_OPERAND_REG && o->reg.class_ == TACHO_REG_K && (o->access & TACHO_WRITE))
            written |= (uint8_t)(pair ? 3 << (o->reg.number & 6) : 1 << o->reg.number);
    return written;
}

bool insn_loads_mxcsr(const tacho_insn *insn)
{
    return IN_LIST(insn->mnemonic, LDMXCSR, VLDMXCSR, FXRSTOR, FXRSTOR64, XRSTOR, XRSTOR64, XRSTORS,
                   XRSTORS64);
}

bool insn_is_x87(const tacho_insn *insn)
{
    bool first_map = true; /* in the others these bytes are AESENC, PSUBUSB ... */
    if (insn->opcode_offset)
        first_map = !memchr("\x0f\x38\x3a", insn->bytes[insn->opcode_offset - 1], 3);
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
    return IN_LIST(insn->mnemonic, CVTPI2PS, CVTPI2PD, EMMS, FEMMS, FWAIT, FXSAVE, FXSAVE64, FXRSTOR,
                   FXRSTOR64, XSAVE, XSAVE64, XSAVEC, XSAVEC64, XSAVEOPT, XSAVEOPT64, XSAVES, XSAVES64,
                   XRSTOR, XRSTOR64, XRSTORS, XRSTORS64);
}
