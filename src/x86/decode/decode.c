/* decode.c - machine code to tacho_insn. Zydis stays within this folder.
 *
 * Decoded as the modelled cores decode: without CET and CLDEMOTE, whose encodings are NOPs there.
 * What is left out: far branches, 3DNow!, XOP and MVEX are decoded but nothing above has figures for them. */
#include <string.h>

#include "tacho/extension.h"
#include "x86/decode/mnemonic_list.h"
#include "x86/decode/ops.h"

/* The extensions of the instruction set that an instruction needs, from what Zydis (which has it from
 * XED) calls its ISA set. Where an AVX-512 instruction is shorter than 512 bits it needs AVX-512VL as well;
 * the forms with N in their set's name do not. */

#define TWO(set, first, second) [ZYDIS_ISA_SET_##set] = {TACHO_EXTENSION_##first, TACHO_EXTENSION_##second}
#define ONE(set, extension)     TWO(set, extension, NONE)
#define NEED(extension, set)    ONE(set, extension)
#define FOR(extension, ...)     EACH(NEED, extension, __VA_ARGS__)
#define ITSELF(unused, name)    ONE(name, name)
#define OWN(...)                EACH(ITSELF, , __VA_ARGS__)
#define SHORT(set, extension)   TWO(set##_128, extension, AVX512VL), TWO(set##_256, extension, AVX512VL)
#define VECTORS(set, extension) SHORT(set, extension), ONE(set##_512, extension)

/* Sets that are not here need nothing, or are something harmless where they are not known (MPX, CLDEMOTE,
 * PREFETCHWT1: NOPs). */
/* clang-format off */
static const struct {
    uint8_t first, second;
} NEEDS[ZYDIS_ISA_SET_MAX_VALUE + 1] = {
    OWN(AES, AMX_BF16, AMX_INT8, AMX_TILE, AVX, AVX2, AVX_VNNI, BMI1, BMI2, CLFLUSHOPT, CLWB, CLZERO,
        ENQCMD, F16C, FMA, FMA4, GFNI, HRESET, INVPCID, KEYLOCKER, KEYLOCKER_WIDE, LAHF, LWP, LZCNT),
    OWN(MCOMMIT, MONITOR, MONITORX, MOVBE, PCLMULQDQ, PCONFIG, PKU, POPCNT, RDPID, RDPRU, RDRAND, RDSEED,
        RDTSCP, RTM, SERIALIZE, SGX, SHA, SMAP, SMX, SNP, SSE3, SSE42, SSE4A, SSSE3),
    OWN(SVM, TBM, TDX, UINTR, VAES, VPCLMULQDQ, WAITPKG, XOP, XSAVE, XSAVEC, XSAVEOPT, XSAVES),
    FOR(ADX, ADOX_ADCX), FOR(3DNOW, AMD3DNOW), FOR(INVLPGB, AMD_INVLPGB), FOR(AVX2, AVX2GATHER),
    FOR(AVX512BW, AVX512BW_128N, AVX512BW_KOP), FOR(AVX512DQ, AVX512DQ_128N, AVX512DQ_KOP, AVX512DQ_SCALAR),
    FOR(AVX512ER, AVX512ER_512, AVX512ER_SCALAR), FOR(AVX512F, AVX512F_128N, AVX512F_KOP, AVX512F_SCALAR),
    FOR(AVX512PF, AVX512PF_512), FOR(AVX512_4FMAPS, AVX512_4FMAPS_512, AVX512_4FMAPS_SCALAR),
    FOR(AVX512_4VNNIW, AVX512_4VNNIW_512), FOR(AVX512_FP16, AVX512_FP16_128N, AVX512_FP16_SCALAR),
    FOR(CET_SS, CET), FOR(CX16, CMPXCHG16B),
    FOR(KNC, KNCE, KNCJKBR, KNCSTREAM, KNCV, KNC_MISC, KNC_PF_HINT),
    FOR(PADLOCK, PADLOCK_ACE, PADLOCK_PHE, PADLOCK_PMM, PADLOCK_RNG), FOR(PTWRITE, PT),
    FOR(FSGSBASE, RDWRFSGS), FOR(SGX, SGX_ENCLV), FOR(SSE3, SSE3X87), FOR(SSE41, SSE4),
    FOR(SSSE3, SSSE3MMX), FOR(TSXLDTRK, TSX_LDTRK), FOR(VMX, VMFUNC, VTX), TWO(AVXAES, AES, AVX),
    TWO(AVX_GFNI, GFNI, AVX),
    VECTORS(AVX512BW, AVX512BW), VECTORS(AVX512CD, AVX512CD), VECTORS(AVX512DQ, AVX512DQ),
    VECTORS(AVX512F, AVX512F), VECTORS(AVX512_BF16, AVX512_BF16), VECTORS(AVX512_BITALG, AVX512_BITALG),
    VECTORS(AVX512_FP16, AVX512_FP16), VECTORS(AVX512_IFMA, AVX512_IFMA),
    VECTORS(AVX512_VBMI2, AVX512_VBMI2), VECTORS(AVX512_VBMI, AVX512_VBMI),
    VECTORS(AVX512_VNNI, AVX512_VNNI), VECTORS(AVX512_VP2INTERSECT, AVX512_VP2INTERSECT),
    VECTORS(AVX512_VPOPCNTDQ, AVX512_VPOPCNTDQ),
    SHORT(AVX512_GFNI, GFNI), TWO(AVX512_GFNI_512, GFNI, AVX512F), SHORT(AVX512_VAES, VAES),
    TWO(AVX512_VAES_512, VAES, AVX512F), SHORT(AVX512_VPCLMULQDQ, VPCLMULQDQ),
    TWO(AVX512_VPCLMULQDQ_512, VPCLMULQDQ, AVX512F),
};
/* clang-format on */

/* Fills in `extensions` and `else_another`. */
static void isa_fill(tacho_insn *out, const ZydisDecodedInstruction *zi)
{
    out->extensions[0] = NEEDS[zi->meta.isa_set].first;
    out->extensions[1] = NEEDS[zi->meta.isa_set].second;
    if (zi->meta.isa_set == ZYDIS_ISA_SET_MOVDIR)
        out->extensions[0] =
            zi->mnemonic == ZYDIS_MNEMONIC_MOVDIRI ? TACHO_EXTENSION_MOVDIRI : TACHO_EXTENSION_MOVDIR64B;
    if (zi->mnemonic == ZYDIS_MNEMONIC_VPCLMULQDQ && out->extensions[0] == TACHO_EXTENSION_AVX)
        out->extensions[1] = TACHO_EXTENSION_PCLMULQDQ;
    out->else_another = zi->mnemonic == ZYDIS_MNEMONIC_TZCNT || zi->mnemonic == ZYDIS_MNEMONIC_LZCNT;
}

static uint8_t log2_bits(unsigned bits)
{
    uint8_t log = 0;
    while (bits > 1) {
        bits >>= 1;
        log++;
    }
    return log;
}

/* The modes 1 to 2, 1 to 4 ... are in this order. */
static const uint8_t broadcast_counts[] = {[ZYDIS_BROADCAST_MODE_1_TO_2] = 2, 4, 8, 16, 32};
_Static_assert(ZYDIS_BROADCAST_MODE_1_TO_32 - ZYDIS_BROADCAST_MODE_1_TO_2 == 4, "none between them");

unsigned zydis_broadcast_count(ZydisBroadcastMode mode)
{
    return mode < sizeof broadcast_counts ? broadcast_counts[mode] : 0;
}

ZydisBroadcastMode zydis_broadcast_mode(unsigned count)
{
    unsigned mode = ZYDIS_BROADCAST_MODE_1_TO_32;
    while (mode && broadcast_counts[mode] != count)
        mode--;
    return (ZydisBroadcastMode)mode; /* 0: none */
}

static uint8_t access_from_zydis(ZydisOperandActions actions)
{
    uint8_t access = 0;
    if (actions & ZYDIS_OPERAND_ACTION_MASK_READ)
        access |= TACHO_READ;
    if (actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
        access |= TACHO_WRITE;
    if (actions & (ZYDIS_OPERAND_ACTION_CONDREAD | ZYDIS_OPERAND_ACTION_CONDWRITE))
        access |= TACHO_CONDITIONAL;
    return access;
}

static void fill_memory(tacho_operand *out, const ZydisDecodedInstruction *zi, const ZydisDecodedOperand *op)
{
    tacho_mem *mem = &out->mem;
    out->kind = op->mem.type == ZYDIS_MEMOP_TYPE_AGEN ? TACHO_OPERAND_AGEN : TACHO_OPERAND_MEM;
    out->element_bits_log2 = log2_bits(op->element_size);
    mem->base = reg_from_zydis(op->mem.base);
    mem->index = reg_from_zydis(op->mem.index);
    if (op->mem.segment == ZYDIS_REGISTER_FS || op->mem.segment == ZYDIS_REGISTER_GS)
        mem->segment = reg_from_zydis(op->mem.segment);
    mem->scale = op->mem.index == ZYDIS_REGISTER_NONE ? 0 : op->mem.scale;
    mem->vsib = op->mem.type == ZYDIS_MEMOP_TYPE_VSIB;
    if (op->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN)
        return;
    mem->disp_bytes = zi->raw.disp.size / 8;
    mem->disp = op->mem.disp.has_displacement ? op->mem.disp.value : 0;
    if (zi->encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX)
        mem->broadcast =
            zi->avx.broadcast.is_static ? 0 : (uint8_t)zydis_broadcast_count(zi->avx.broadcast.mode);
}

static void fill_operand(tacho_operand *out, const ZydisDecodedInstruction *zi, const ZydisDecodedOperand *op)
{
    memset(out, 0, sizeof *out);
    out->access = access_from_zydis(op->actions);
    out->width_bits = op->size;
    out->visibility = op->visibility == ZYDIS_OPERAND_VISIBILITY_EXPLICIT   ? TACHO_EXPLICIT
                      : op->visibility == ZYDIS_OPERAND_VISIBILITY_IMPLICIT ? TACHO_IMPLICIT
                                                                            : TACHO_SUPPRESSED;
    switch (op->type) {
    case ZYDIS_OPERAND_TYPE_REGISTER:
        out->kind = TACHO_OPERAND_REG;
        out->reg = reg_from_zydis(op->reg.value);
        break;
    case ZYDIS_OPERAND_TYPE_MEMORY:
        fill_memory(out, zi, op);
        break;
    case ZYDIS_OPERAND_TYPE_IMMEDIATE:
        out->kind = op->imm.is_relative ? TACHO_OPERAND_REL : TACHO_OPERAND_IMM;
        out->imm = op->imm.value.s;
        out->width_bits = zi->raw.imm[0].size ? zi->raw.imm[0].size : 8;
        break;
    default:
        out->kind = TACHO_OPERAND_NONE;
    }
}

/* Scalar moves from register to register keep the rest of what they write to, which Zydis does not say: Intel
 * SDM, volume 2B, MOVSS and MOVSD. */
static bool keeps_rest(const ZydisDecodedInstruction *zi, const ZydisDecodedOperand *ops)
{
    return (zi->mnemonic == ZYDIS_MNEMONIC_MOVSS || zi->mnemonic == ZYDIS_MNEMONIC_MOVSD) &&
           zi->operand_count == 2 && ops[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
           ops[1].type == ZYDIS_OPERAND_TYPE_REGISTER;
}

/* String instructions have no operands of their own in our forms: everything about them is fixed. */
static bool is_string(const ZydisDecodedInstruction *zi)
{
    return zi->meta.category == ZYDIS_CATEGORY_STRINGOP || zi->meta.category == ZYDIS_CATEGORY_IOSTRINGOP;
}

static void fill_operands(tacho_insn *out, const ZydisDecodedInstruction *zi, const ZydisDecodedOperand *ops)
{
    unsigned imm = 0;
    for (unsigned i = 0; i < zi->operand_count && out->operand_count < TACHO_MAX_OPERANDS; i++) {
        tacho_operand *operand = &out->operands[out->operand_count];
        if (ops[i].encoding == ZYDIS_OPERAND_ENCODING_MASK && ops[i].reg.value == ZYDIS_REGISTER_K0)
            continue;
        if (ops[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
            (ops[i].reg.value == ZYDIS_REGISTER_RFLAGS || ops[i].reg.value == ZYDIS_REGISTER_EFLAGS ||
             ops[i].reg.value == ZYDIS_REGISTER_FLAGS))
            continue; /* flags_read and flags_written say it */
        fill_operand(operand, zi, &ops[i]);
        if (ops[i].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && imm < 2 && zi->raw.imm[imm].size)
            operand->width_bits = zi->raw.imm[imm++].size;
        if (is_string(zi))
            operand->visibility = TACHO_SUPPRESSED;
        /* 0F 1F /0 has one operand; what ModRM.reg says is part of the opcode. */
        if (zi->mnemonic == ZYDIS_MNEMONIC_NOP && zi->opcode == 0x1F && out->operand_count == 1)
            break;
        if (operand->visibility != TACHO_SUPPRESSED)
            out->visible_count++;
        out->operand_count++;
    }
    if (keeps_rest(zi, ops))
        out->operands[0].access |= TACHO_READ;
}

static uint8_t flag_groups(uint32_t flags)
{
    const uint32_t spazo =
        ZYDIS_CPUFLAG_SF | ZYDIS_CPUFLAG_PF | ZYDIS_CPUFLAG_AF | ZYDIS_CPUFLAG_ZF | ZYDIS_CPUFLAG_OF;
    return (flags & ZYDIS_CPUFLAG_CF ? TACHO_FLAG_C : 0) | (flags & spazo ? TACHO_FLAG_SPAZO : 0);
}

static bool is_serializing(const tacho_insn *insn)
{
    if (insn->mnemonic == ZYDIS_MNEMONIC_MOV)
        for (unsigned i = 0; i < insn->visible_count; i++)
            if (insn->operands[i].reg.class_ == TACHO_REG_CR || insn->operands[i].reg.class_ == TACHO_REG_DR)
                return true;
    return insn_is(insn, INSN_SERIALIZES);
}

static void fill_prefixes(tacho_insn *out, const ZydisDecodedInstruction *zi)
{
    bool operand_size = false, address_size = false;
    for (unsigned i = 0; i < zi->raw.prefix_count; i++) {
        /* Zydis calls the repeat prefixes of string instructions mandatory too. */
        bool mandatory = zi->raw.prefixes[i].type == ZYDIS_PREFIX_TYPE_MANDATORY && !is_string(zi);
        switch (zi->raw.prefixes[i].value) {
        case 0xF3:
            out->rep |= !mandatory;
            break;
        case 0xF2:
            out->repne |= !mandatory;
            break;
        case 0x66:
            operand_size |= !mandatory;
            break;
        case 0x67:
            address_size = true;
            break;
        }
    }
    /* Of F2 and F3 the last one counts. */
    if (out->rep && out->repne) {
        for (unsigned i = 0; i < zi->raw.prefix_count; i++) {
            uint8_t value = zi->raw.prefixes[i].value;
            if (value == 0xF3 || value == 0xF2) {
                out->rep = value == 0xF3;
                out->repne = value == 0xF2;
            }
        }
    }
    out->lock = (zi->attributes & ZYDIS_ATTRIB_HAS_LOCK) != 0;
    /* RET and ENTER always have 16-bit immediates: nothing changes its length there. */
    bool fixed16 = zi->mnemonic == ZYDIS_MNEMONIC_RET || zi->mnemonic == ZYDIS_MNEMONIC_ENTER;
    bool moffs = zi->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && zi->opcode >= 0xA0 && zi->opcode <= 0xA3;
    if (zi->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY)
        out->lcp = (operand_size && zi->raw.imm[0].size == 16 && !zi->raw.imm[0].is_relative && !fixed16) ||
                   (address_size && moffs);
}

static void fill_branch(tacho_insn *out, const ZydisDecodedInstruction *zi)
{
    bool near = zi->meta.branch_type != ZYDIS_BRANCH_TYPE_FAR;
    out->is_conditional =
        zi->meta.category == ZYDIS_CATEGORY_COND_BR && near && zi->mnemonic != ZYDIS_MNEMONIC_XBEGIN;
    out->is_branch = out->is_conditional || (zi->mnemonic == ZYDIS_MNEMONIC_JMP && near);
    out->is_call = zi->mnemonic == ZYDIS_MNEMONIC_CALL;
    out->is_ret = zi->mnemonic == ZYDIS_MNEMONIC_RET;
    out->is_nop = zi->mnemonic == ZYDIS_MNEMONIC_NOP;
}

static uint8_t opcode_offset(const ZydisDecodedInstruction *zi)
{
    if (zi->attributes & ZYDIS_ATTRIB_HAS_MODRM)
        return zi->raw.modrm.offset - 1;
    if (zi->raw.disp.size)
        return zi->raw.disp.offset - 1;
    if (zi->raw.imm[0].size)
        return zi->raw.imm[0].offset - 1;
    return zi->length - 1;
}

static void fill_vector(tacho_insn *out, const ZydisDecodedInstruction *zi)
{
    switch (zi->encoding) {
    case ZYDIS_INSTRUCTION_ENCODING_LEGACY:
        out->encoding = TACHO_ENC_LEGACY;
        break;
    case ZYDIS_INSTRUCTION_ENCODING_VEX:
        out->encoding = TACHO_ENC_VEX;
        break;
    case ZYDIS_INSTRUCTION_ENCODING_EVEX:
        out->encoding = TACHO_ENC_EVEX;
        out->mask = zi->raw.evex.aaa;
        out->zeroing = zi->raw.evex.z;
        out->rounding =
            zi->raw.evex.b && zi->raw.modrm.mod == 3 && zi->avx.rounding.mode != ZYDIS_ROUNDING_MODE_INVALID;
        out->sae = out->rounding || (zi->avx.has_sae && zi->raw.evex.b && zi->raw.modrm.mod == 3);
        break;
    default:
        out->encoding = TACHO_ENC_OTHER;
    }
}

static void init_decoder(ZydisDecoder *decoder)
{
    ZydisDecoderInit(decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    ZydisDecoderEnableMode(decoder, ZYDIS_DECODER_MODE_CET, ZYAN_FALSE);
    ZydisDecoderEnableMode(decoder, ZYDIS_DECODER_MODE_CLDEMOTE, ZYAN_FALSE);
}

bool zydis_decode(ZydisDecodedInstruction *out, ZydisDecodedOperand *operands, const uint8_t *bytes,
                  size_t length)
{
    ZydisDecoder decoder;
    ZydisDecoderContext context;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    return ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, &context, bytes, length, out)) &&
           out->length == length &&
           (!operands ||
            ZYAN_SUCCESS(ZydisDecoderDecodeOperands(&decoder, &context, out, operands, out->operand_count)));
}

static const char *decode_problem(ZyanStatus status)
{
    switch (status) {
    case ZYDIS_STATUS_NO_MORE_DATA:
        return "the instruction is cut off";
    case ZYDIS_STATUS_INSTRUCTION_TOO_LONG:
        return "the instruction is longer than 15 bytes";
    case ZYDIS_STATUS_ILLEGAL_LOCK:
        return "this instruction cannot have a LOCK prefix";
    case ZYDIS_STATUS_BAD_REGISTER:
        return "the instruction names a register that does not exist";
    default:
        return "not a valid instruction in 64-bit mode";
    }
}

static void find_places(decode_places *out, const ZydisDecodedInstruction *zi)
{
    *out = (decode_places){.disp_offset = zi->raw.disp.offset,
                           .disp_bytes = zi->raw.disp.size / 8,
                           .imm_offset = zi->raw.imm[0].offset,
                           .imm_bytes = zi->raw.imm[0].size / 8,
                           .imm_signed = zi->raw.imm[0].is_signed,
                           .two_imms = zi->raw.imm[1].size != 0};
}

int tacho_decode(tacho_insn *out, const uint8_t *bytes, size_t size, tacho_error *err)
{
    decode_places places;
    return tacho_decode_with_places(out, &places, bytes, size, err);
}

int tacho_decode_with_places(tacho_insn *out, decode_places *places, const uint8_t *bytes, size_t size,
                             tacho_error *err)
{
    ZydisDecoder decoder;
    ZydisDecoderContext context;
    ZydisDecodedInstruction zi;
    ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];

    init_decoder(&decoder);
    ZyanStatus status = ZydisDecoderDecodeInstruction(&decoder, &context, bytes, size, &zi);
    if (ZYAN_SUCCESS(status))
        status = ZydisDecoderDecodeOperands(&decoder, &context, &zi, ops, zi.operand_count);
    if (!ZYAN_SUCCESS(status)) {
        tacho_error_set(err, TACHO_ERR_INPUT, "%s", decode_problem(status));
        if (err)
            err->offset = 0;
        return TACHO_ERR_INPUT;
    }
    memset(out, 0, offsetof(tacho_insn, operands));
    memcpy(out->bytes, bytes, zi.length);
    out->length = zi.length;
    out->opcode_offset = opcode_offset(&zi);
    out->mnemonic = (uint16_t)zi.mnemonic;
    out->opcode = zi.opcode;
    out->operand_size = zi.operand_width;
    if (zi.attributes & ZYDIS_ATTRIB_HAS_MODRM)
        out->modrm_rm = zi.raw.modrm.rm & 7;
    if (zi.cpu_flags) {
        const ZydisAccessedFlags *flags = zi.cpu_flags;
        out->flags_read = flag_groups(flags->tested);
        out->flags_written = flag_groups(flags->modified | flags->set_0 | flags->set_1 | flags->undefined);
    }
    if (zi.raw.imm[0].size && !zi.raw.imm[0].is_relative)
        out->imm_bytes = zi.raw.imm[0].size / 8;
    isa_fill(out, &zi);
    fill_vector(out, &zi);
    fill_operands(out, &zi, ops);
    fill_prefixes(out, &zi);
    fill_branch(out, &zi);
    out->operation = operation_of(out);
    out->serializing = is_serializing(out);
    find_places(places, &zi);
    return TACHO_OK;
}
