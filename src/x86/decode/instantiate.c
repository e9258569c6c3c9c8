/* instantiate.c - instructions from descriptions, by Zydis's encoder. It chooses the shortest encoding; where
 * another opcode of the same operands is wanted (the direction bit of moves and arithmetic, forms whose
 * register is in the opcode), that is made from its bytes (Intel SDM, volume 2, chapter 2). What comes out is
 * always decoded again. */
#include <string.h>

#include "x86/decode/encode.h"
#include "x86/decode/mnemonic_list.h"
#include "x86/decode/regs.h"

typedef struct attempt {
    const insn_wanted *wanted;
    ZydisEncoderRequest request;
    insn_accept accept;
    void *payload;
    tacho_insn *out;
} attempt;

static void put_memory(ZydisEncoderRequest *request, ZydisEncoderOperand *to, const tacho_operand *from)
{
    to->type = ZYDIS_OPERAND_TYPE_MEMORY;
    to->mem.base = reg_to_zydis(from->mem.base);
    to->mem.index = reg_to_zydis(from->mem.index);
    to->mem.scale = from->mem.index.class_ == TACHO_REG_NONE ? 0 : from->mem.scale;
    to->mem.displacement = from->mem.disp;
    to->mem.size = from->width_bits / 8;
    if (from->mem.broadcast)
        request->evex.broadcast = zydis_broadcast_mode(from->mem.broadcast);
}

static void put_operand(ZydisEncoderRequest *request, const tacho_operand *from)
{
    ZydisEncoderOperand *to = &request->operands[request->operand_count++];
    switch (from->kind) {
    case TACHO_OPERAND_REG:
        to->type = ZYDIS_OPERAND_TYPE_REGISTER;
        to->reg.value = reg_to_zydis(from->reg);
        to->reg.is4 =
            request->operand_count == 4 && request->allowed_encodings == ZYDIS_ENCODABLE_ENCODING_VEX;
        break;
    case TACHO_OPERAND_MEM:
    case TACHO_OPERAND_AGEN:
        put_memory(request, to, from);
        break;
    default:
        to->type = ZYDIS_OPERAND_TYPE_IMMEDIATE;
        to->imm.s = from->imm;
        break;
    }
}

static ZydisInstructionAttributes prefixes(const insn_wanted *w, bool compares)
{
    /* the same byte, which Zydis calls by what the instruction makes of it */
    return (w->lock ? ZYDIS_ATTRIB_HAS_LOCK : 0) |
           (w->rep ? (compares ? ZYDIS_ATTRIB_HAS_REPE : ZYDIS_ATTRIB_HAS_REP) : 0) |
           (w->repne ? ZYDIS_ATTRIB_HAS_REPNE : 0);
}

/* `other`: with REP for REPE; with K0 as the operand that Zydis counts among those of EVEX instructions
 * without a mask. */
static void make_request(attempt *a, bool other)
{
    static const ZydisEncodableEncoding encodings[] = {
        [TACHO_ENC_LEGACY] = ZYDIS_ENCODABLE_ENCODING_LEGACY,
        [TACHO_ENC_VEX] = ZYDIS_ENCODABLE_ENCODING_VEX,
        [TACHO_ENC_EVEX] = ZYDIS_ENCODABLE_ENCODING_EVEX,
    };
    const insn_wanted *w = a->wanted;
    a->request = (ZydisEncoderRequest){.machine_mode = ZYDIS_MACHINE_MODE_LONG_64,
                                       .allowed_encodings = encodings[w->encoding],
                                       .mnemonic = (ZydisMnemonic)w->mnemonic,
                                       .prefixes = prefixes(w, !other)};
    a->request.operand_size_hint = w->operand_size == 16   ? ZYDIS_OPERAND_SIZE_HINT_16
                                   : w->operand_size == 64 ? ZYDIS_OPERAND_SIZE_HINT_64
                                                           : ZYDIS_OPERAND_SIZE_HINT_NONE;
    a->request.evex.zeroing_mask = w->zeroing;
    a->request.evex.sae = w->sae || w->rounding;
    a->request.evex.rounding = w->rounding ? ZYDIS_ROUNDING_MODE_RN : ZYDIS_ROUNDING_MODE_INVALID;
    for (unsigned i = 0; i < w->operand_count; i++) {
        put_operand(&a->request, &w->operands[i]);
        if (other && w->encoding == TACHO_ENC_EVEX && i == 0) {
            const tacho_operand k0 = {.kind = TACHO_OPERAND_REG, .reg = {TACHO_REG_K, 0}};
            put_operand(&a->request, &k0);
        }
    }
}

/* The register operands are those that are wanted, in their order. */
static bool has_registers(const tacho_insn *insn, const insn_wanted *wanted)
{
    if (insn->visible_count != wanted->operand_count)
        return false;
    for (unsigned i = 0; i < wanted->operand_count; i++) {
        const tacho_operand *is = &insn->operands[i], *should = &wanted->operands[i];
        if (should->kind == TACHO_OPERAND_REG && !reg_is_same(is->reg, should->reg))
            return false;
    }
    return true;
}

static bool offer(attempt *a, const uint8_t *bytes, size_t length)
{
    return !tacho_decode(a->out, bytes, length, NULL) && a->out->length == length &&
           a->out->mnemonic == a->wanted->mnemonic && a->out->encoding == a->wanted->encoding &&
           (a->wanted->opcode == INSN_ANY_OPCODE || a->out->opcode == a->wanted->opcode) &&
           has_registers(a->out, a->wanted) && a->accept(a->out, a->payload);
}

static uint8_t swapped_bits(uint8_t byte, uint8_t high, uint8_t low)
{
    bool h = byte & high, l = byte & low;
    return (uint8_t)((byte & ~(high | low)) | (h ? low : 0) | (l ? high : 0));
}

/* The two-byte VEX prefix, which has no bit for ModRM.rm, as the three-byte one. @return the new length */
static uint8_t widen_vex(uint8_t *bytes, uint8_t length)
{
    if (bytes[0] != 0xc5 || length + 1 > TACHO_MAX_INSN_BYTES)
        return length;
    memmove(bytes + 2, bytes + 1, length - 1u);
    bytes[0] = 0xc4;
    bytes[1] = (uint8_t)((bytes[2] & 0x80) | 0x61);
    bytes[2] &= 0x7f;
    return (uint8_t)(length + 1);
}

/* The prefix's bits for the registers of ModRM.reg and ModRM.rm exchanged. @return false where the prefix
 * has no place for one of them. */
static bool swap_prefix(uint8_t *bytes, const tacho_insn *insn)
{
    if (insn->encoding == TACHO_ENC_LEGACY) {
        for (int i = 0; i < insn->opcode_offset; i++)
            if ((bytes[i] & 0xf0) == 0x40)
                bytes[i] = swapped_bits(bytes[i], 4, 1);
        return true;
    }
    for (int i = 0; i < insn->opcode_offset; i++)
        if (bytes[i] == 0xc4 || bytes[i] == 0x62) {
            bytes[i + 1] = swapped_bits(bytes[i + 1], 0x80, 0x20);
            return true;
        }
    return false;
}

/* The wanted opcode with its register operands the other way round, or all else as it is. */
static bool other_opcode(attempt *a, const uint8_t *bytes, uint8_t length, bool swap)
{
    uint8_t changed[TACHO_MAX_INSN_BYTES];
    tacho_insn insn;
    memcpy(changed, bytes, length);
    if (swap)
        length = widen_vex(changed, length);
    if (tacho_decode(&insn, changed, length, NULL))
        return false;
    unsigned modrm = insn.opcode_offset + 1u;
    changed[insn.opcode_offset] = (uint8_t)a->wanted->opcode;
    if (swap) {
        if (modrm >= length || changed[modrm] >> 6 != 3 || !swap_prefix(changed, &insn))
            return false;
        uint8_t old = changed[modrm];
        changed[modrm] = (uint8_t)((old & 0xc0) | (old & 7) << 3 | (old >> 3 & 7));
    }
    return offer(a, changed, length);
}

/* An opcode that holds its register replaced by one with ModRM; all values of ModRM.reg are tried. */
static bool opcode_with_modrm(attempt *a, const uint8_t *bytes, uint8_t length)
{
    uint8_t changed[TACHO_MAX_INSN_BYTES];
    tacho_insn insn;
    if (tacho_decode(&insn, bytes, length, NULL) || length + 1 > TACHO_MAX_INSN_BYTES)
        return false;
    unsigned at = insn.opcode_offset;
    memcpy(changed, bytes, at);
    memcpy(changed + at + 2, bytes + at + 1, length - at - 1u);
    changed[at] = (uint8_t)a->wanted->opcode;
    for (unsigned reg = 0; reg < 8; reg++) {
        changed[at + 1] = (uint8_t)(0xc0 | reg << 3 | (insn.opcode & 7));
        if (offer(a, changed, length + 1u))
            return true;
    }
    return false;
}

static bool try_request(attempt *a)
{
    uint8_t bytes[TACHO_MAX_INSN_BYTES];
    ZyanUSize length = sizeof bytes;
    if (!ZYAN_SUCCESS(ZydisEncoderEncodeInstruction(&a->request, bytes, &length)))
        return false;
    if (offer(a, bytes, length))
        return true;
    if (a->wanted->opcode == INSN_ANY_OPCODE)
        return false;
    return other_opcode(a, bytes, (uint8_t)length, true) || other_opcode(a, bytes, (uint8_t)length, false) ||
           opcode_with_modrm(a, bytes, (uint8_t)length);
}

static ZydisEncoderOperand *unsized_memory(attempt *a)
{
    for (unsigned i = 0; i < a->request.operand_count; i++)
        if (a->request.operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY && a->request.operands[i].mem.size == 0)
            return &a->request.operands[i];
    return NULL;
}

static bool try_sizes(attempt *a)
{
    static const uint16_t sizes[] = {0, 1, 2, 4, 8, 16, 32, 64, 6, 10, 14, 28, 48, 94, 108, 512, 576};
    ZydisEncoderOperand *memory = unsized_memory(a);
    if (!memory)
        return try_request(a);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        memory->mem.size = sizes[i];
        if (try_request(a))
            return true;
    }
    return false;
}

bool tacho_insn_instantiate(tacho_insn *out, const insn_wanted *wanted, insn_accept accept, void *payload)
{
    attempt a = {.wanted = wanted, .accept = accept, .payload = payload, .out = out};
    if (wanted->encoding > TACHO_ENC_EVEX || wanted->operand_count > INSN_MAX_WANTED)
        return false;
    make_request(&a, false);
    if (try_sizes(&a))
        return true;
    if (wanted->encoding != TACHO_ENC_EVEX && !wanted->rep)
        return false;
    make_request(&a, true);
    return try_sizes(&a);
}
