/* encode.c - instructions made from others: registers renamed, prefixes changed, by Zydis's encoder or by the
 * bit (Intel SDM, volume 2, chapter 2: REX, VEX and EVEX prefixes, ModRM and SIB). What comes out is decoded
 * again and compared with what it should be. */
#include <string.h>

#include "x86/decode/encode.h"
#include "x86/decode/mnemonic_list.h"
#include "x86/decode/regs.h"

static bool request_of(const tacho_insn *insn, ZydisEncoderRequest *request)
{
    ZydisDecodedInstruction zi;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    return zydis_decode(&zi, operands, insn->bytes, insn->length) &&
           ZYAN_SUCCESS(ZydisEncoderDecodedInstructionToEncoderRequest(&zi, operands,
                                                                       zi.operand_count_visible, request));
}

static uint8_t encode(const ZydisEncoderRequest *request, uint8_t *out)
{
    ZyanUSize length = TACHO_MAX_INSN_BYTES;
    return ZYAN_SUCCESS(ZydisEncoderEncodeInstruction(request, out, &length)) ? (uint8_t)length : 0;
}

/* Register `to` of the class of `was`, where `was` is a part of the register that `from` names. */
static bool rename_register(ZydisRegister *was, tacho_reg from, uint8_t to, bool *renamed)
{
    ZydisRegisterClass c = ZydisRegisterGetClass(*was);
    bool vector = c == ZYDIS_REGCLASS_XMM || c == ZYDIS_REGCLASS_YMM || c == ZYDIS_REGCLASS_ZMM;
    bool general = c == ZYDIS_REGCLASS_GPR16 || c == ZYDIS_REGCLASS_GPR32 || c == ZYDIS_REGCLASS_GPR64;
    if (!(reg_is_vector(from) ? vector : general) || ZydisRegisterGetId(*was) != from.number)
        return true;
    *was = ZydisRegisterEncode(c, to);
    *renamed = true;
    return *was != ZYDIS_REGISTER_NONE;
}

/* Byte registers are not renamed: their numbers mean different things with and without a REX prefix. */
static bool cannot_be_renamed(const tacho_insn *insn, tacho_reg reg)
{
    for (const tacho_operand *o = insn->operands; o < insn->operands + insn->operand_count; o++) {
        bool is_fixed = o->visibility != TACHO_EXPLICIT || o->reg.class_ == TACHO_REG_R8L ||
                        o->reg.class_ == TACHO_REG_R8H;
        if (is_fixed && (operand_is_reg(o, reg) || operand_is_addressed_by(o, reg)))
            return true;
    }
    return false;
}

/* The bytes are an instruction of that mnemonic. */
static uint8_t checked(const uint8_t *out, uint8_t length, uint16_t mnemonic)
{
    tacho_insn again;
    if (!length || tacho_decode(&again, out, length, NULL) || again.length != length ||
        again.mnemonic != mnemonic)
        return 0;
    return length;
}

uint8_t encode_renamed(const tacho_insn *insn, tacho_reg from, uint8_t to, uint8_t *out)
{
    ZydisEncoderRequest request;
    bool renamed = false;
    if (cannot_be_renamed(insn, from) || !request_of(insn, &request))
        return 0;
    for (ZydisEncoderOperand *o = request.operands; o < request.operands + request.operand_count; o++) {
        if (o->type == ZYDIS_OPERAND_TYPE_REGISTER && !rename_register(&o->reg.value, from, to, &renamed))
            return 0;
        if (o->type == ZYDIS_OPERAND_TYPE_MEMORY && (!rename_register(&o->mem.base, from, to, &renamed) ||
                                                     !rename_register(&o->mem.index, from, to, &renamed)))
            return 0;
    }
    if (!renamed) {
        memcpy(out, insn->bytes, insn->length);
        return insn->length;
    }
    return checked(out, encode(&request, out), insn->mnemonic);
}

uint8_t encode_zeroing(tacho_reg reg, bool vex, uint8_t *out)
{
    bool vector = reg_is_vector(reg);
    ZydisRegister r =
        ZydisRegisterEncode(vector ? ZYDIS_REGCLASS_XMM : ZYDIS_REGCLASS_GPR32, (ZyanU8)reg.number);
    ZydisEncoderRequest request = {.machine_mode = ZYDIS_MACHINE_MODE_LONG_64,
                                   .mnemonic = !vector ? ZYDIS_MNEMONIC_XOR
                                               : vex   ? ZYDIS_MNEMONIC_VXORPS
                                                       : ZYDIS_MNEMONIC_XORPS,
                                   .allowed_encodings =
                                       vex ? ZYDIS_ENCODABLE_ENCODING_VEX : ZYDIS_ENCODABLE_ENCODING_LEGACY,
                                   .operand_count = vector && vex ? 3 : 2};
    for (int i = 0; i < request.operand_count; i++) {
        request.operands[i].type = ZYDIS_OPERAND_TYPE_REGISTER;
        request.operands[i].reg.value = r;
    }
    return encode(&request, out);
}

uint8_t encode_widened_move(const tacho_insn *mov, uint8_t *out)
{
    ZydisEncoderRequest request;
    const tacho_reg target = mov->operands[0].reg;
    bool narrow = target.class_ == TACHO_REG_R8L || target.class_ == TACHO_REG_R16;
    if (mov->mnemonic != ZYDIS_MNEMONIC_MOV || mov->operands[0].kind != TACHO_OPERAND_REG || !narrow ||
        !request_of(mov, &request))
        return 0;
    request.mnemonic = ZYDIS_MNEMONIC_MOVZX;
    request.operand_size_hint = ZYDIS_OPERAND_SIZE_HINT_NONE;
    request.operands[0].reg.value = ZydisRegisterEncode(ZYDIS_REGCLASS_GPR32, target.number);
    return checked(out, encode(&request, out), ZYDIS_MNEMONIC_MOVZX);
}

static ZydisMnemonic whole_move(ZydisMnemonic scalar)
{
    switch (scalar) {
    case ZYDIS_MNEMONIC_MOVSS:
    case ZYDIS_MNEMONIC_MOVSD:
        return ZYDIS_MNEMONIC_MOVAPS;
    case ZYDIS_MNEMONIC_VMOVSS:
    case ZYDIS_MNEMONIC_VMOVSD:
        return ZYDIS_MNEMONIC_VMOVAPS;
    default:
        return scalar;
    }
}

/* Class of the register that can hold what is in memory; NONE where there is none. */
static ZydisRegisterClass class_for(const tacho_insn *insn)
{
    uint16_t bits = 0;
    for (const tacho_operand *o = insn->operands; o < insn->operands + insn->visible_count; o++)
        if (o->kind == TACHO_OPERAND_MEM)
            bits = o->mem.vsib || o->mem.broadcast ? 0 : o->width_bits;
    if (insn_names_vector_reg(insn))
        return bits == 256                               ? ZYDIS_REGCLASS_YMM
               : bits == 32 || bits == 64 || bits == 128 ? ZYDIS_REGCLASS_XMM
                                                         : ZYDIS_REGCLASS_INVALID;
    return bits == 64 ? ZYDIS_REGCLASS_GPR64 : bits == 32 ? ZYDIS_REGCLASS_GPR32 : ZYDIS_REGCLASS_INVALID;
}

uint8_t encode_register_for_memory(const tacho_insn *insn, uint8_t to, uint8_t *out)
{
    ZydisEncoderRequest request;
    ZydisRegisterClass c = class_for(insn);
    if (c == ZYDIS_REGCLASS_INVALID || insn->lock || insn->rep || insn->mnemonic == ZYDIS_MNEMONIC_XCHG ||
        !request_of(insn, &request))
        return 0;
    int replaced = 0;
    for (int i = 0; i < request.operand_count; i++) {
        if (request.operands[i].type != ZYDIS_OPERAND_TYPE_MEMORY)
            continue;
        memset(&request.operands[i], 0, sizeof request.operands[i]);
        request.operands[i].type = ZYDIS_OPERAND_TYPE_REGISTER;
        request.operands[i].reg.value = ZydisRegisterEncode(c, to);
        replaced++;
    }
    request.mnemonic = whole_move(request.mnemonic);
    request.operand_size_hint = ZYDIS_OPERAND_SIZE_HINT_NONE;
    request.address_size_hint = ZYDIS_ADDRESS_SIZE_HINT_NONE;
    request.prefixes &= ~(ZydisInstructionAttributes)ZYDIS_ATTRIB_HAS_SEGMENT;
    return replaced == 1 ? checked(out, encode(&request, out), (uint16_t)request.mnemonic) : 0;
}

/* Offset of the prefix byte that has the bit X for the index register, and that bit as it is for numbers
 * below 8; -1 where there is none. */
static int find_x_bit(const tacho_insn *insn, uint8_t *mask, bool *inverted)
{
    static const uint8_t escapes[] = {0x0f, 0x38, 0x3a};
    if (insn->encoding == TACHO_ENC_VEX || insn->encoding == TACHO_ENC_EVEX) {
        *mask = 0x40;
        *inverted = true;
        for (int i = 0; i < insn->opcode_offset; i++)
            if (insn->bytes[i] == 0xc4 || insn->bytes[i] == 0x62)
                return i + 1;
            else if (insn->bytes[i] == 0xc5)
                return -1;
        return -1;
    }
    *mask = 0x02;
    *inverted = false;
    int i = insn->opcode_offset - 1;
    while (i >= 0 && memchr(escapes, insn->bytes[i], sizeof escapes))
        i--;
    return i >= 0 && (insn->bytes[i] & 0xf0) == 0x40 ? i : -1;
}

static bool has_index(const uint8_t *bytes, uint8_t length)
{
    tacho_insn insn;
    if (tacho_decode(&insn, bytes, length, NULL))
        return true;
    for (int i = 0; i < insn.visible_count; i++)
        if (insn.operands[i].kind == TACHO_OPERAND_MEM && insn.operands[i].mem.index.class_ != TACHO_REG_NONE)
            return true;
    return false;
}

uint8_t encode_without_index(const tacho_insn *insn, uint8_t *out)
{
    enum {
        NO_INDEX = 4 << 3
    };
    uint8_t mask;
    bool inverted;
    int sib = insn->opcode_offset + 2;
    if (insn->modrm_rm != 4 || sib >= insn->length || insn->bytes[sib - 1] >> 6 == 3 ||
        insn->encoding == TACHO_ENC_OTHER)
        return 0;
    memcpy(out, insn->bytes, insn->length);
    out[sib] = (uint8_t)((out[sib] & ~0x38) | NO_INDEX);
    int x = find_x_bit(insn, &mask, &inverted);
    if (x >= 0)
        out[x] = (uint8_t)(inverted ? out[x] | mask : out[x] & ~mask);
    return has_index(out, insn->length) ? 0 : checked(out, insn->length, insn->mnemonic);
}

uint8_t encode_with_32_bits(const tacho_insn *insn, uint8_t *out)
{
    int rex = insn->opcode_offset - 1;
    if (insn->encoding != TACHO_ENC_LEGACY || rex < 0 || (insn->bytes[rex] & 0xf8) != 0x48)
        return 0;
    memcpy(out, insn->bytes, insn->length);
    out[rex] &= (uint8_t)~0x08;
    return checked(out, insn->length, insn->mnemonic);
}

uint8_t tacho_encode_dec(uint8_t reg, uint8_t *out)
{
    out[0] = (uint8_t)(0x48 | reg >> 3);
    out[1] = 0xff;
    out[2] = (uint8_t)(0xc8 | (reg & 7));
    return 3;
}

uint8_t tacho_encode_jnz_back(uint32_t distance, uint8_t *out)
{
    if (distance + 2 <= 128) {
        out[0] = 0x75;
        out[1] = (uint8_t) - (int)(distance + 2);
        return 2;
    }
    int32_t displacement = -(int32_t)(distance + 6);
    out[0] = 0x0f;
    out[1] = 0x85;
    memcpy(out + 2, &displacement, sizeof displacement);
    return 6;
}
