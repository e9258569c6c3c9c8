/* choose.c - an instruction's operands as Zydis's encoder takes them, in GNU's preferred order: which size a
 * memory operand has that says none, which encoding is tried first, how a number is written. */
#include "x86/assemble/assembling.h"
#include "x86/decode/mnemonic_list.h"

#define Z(m) ZYDIS_MNEMONIC_##m

static bool is_general(ZydisRegister r)
{
    switch (ZydisRegisterGetClass(r)) {
    case ZYDIS_REGCLASS_GPR8:
    case ZYDIS_REGCLASS_GPR16:
    case ZYDIS_REGCLASS_GPR32:
    case ZYDIS_REGCLASS_GPR64:
        return true;
    default:
        return false;
    }
}

/* ---- what GNU's assembler takes and Zydis spells otherwise ---- */

static void insert_operand(as_insn *insn, unsigned at, as_operand o)
{
    if (insn->operand_count >= TACHO_ASSEMBLE_MAX_OPERANDS)
        return;
    memmove(&insn->operands[at + 1], &insn->operands[at], (insn->operand_count - at) * sizeof o);
    insn->operands[at] = o;
    insn->operand_count++;
}

static as_operand register_operand(ZydisRegister r)
{
    return (as_operand){.kind = AS_REG, .reg = r};
}

static void swap_first(as_insn *insn)
{
    as_operand o = insn->operands[0];
    insn->operands[0] = insn->operands[1];
    insn->operands[1] = o;
}

static bool is_reg(const as_insn *insn, unsigned i, ZydisRegister r)
{
    return i < insn->operand_count && insn->operands[i].kind == AS_REG && insn->operands[i].reg == r;
}

static bool is_kind(const as_insn *insn, unsigned i, int kind)
{
    return i < insn->operand_count && insn->operands[i].kind == kind;
}

static uint16_t popping(uint16_t m)
{
    static const uint16_t pairs[][2] = {{Z(FADD), Z(FADDP)},   {Z(FMUL), Z(FMULP)}, {Z(FSUB), Z(FSUBP)},
                                        {Z(FSUBR), Z(FSUBRP)}, {Z(FDIV), Z(FDIVP)}, {Z(FDIVR), Z(FDIVRP)}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i][0] == m)
            return pairs[i][1];
    return m;
}

static bool is_float_arithmetic(uint16_t m)
{
    return popping(m) != m || att_swapped(m) != m || m == Z(FADDP) || m == Z(FMULP);
}

static bool is_float_register(const as_insn *insn, unsigned i)
{
    return is_kind(insn, i, AS_REG) && ZydisRegisterGetClass(insn->operands[i].reg) == ZYDIS_REGCLASS_X87;
}

static void normalise_float(as_insn *insn, uint16_t *m)
{
    if (!is_float_arithmetic(*m)) {
        if (!insn->operand_count &&
            IN_LIST(*m, FXCH, FUCOM, FUCOMP, FCOM, FCOMP, FCOMI, FCOMIP, FUCOMI, FUCOMIP))
            insert_operand(insn, 0, register_operand(ZYDIS_REGISTER_ST1));
        return;
    }
    bool pops = popping(*m) == *m;
    if (!insn->operand_count) {
        *m = popping(*m);
        insert_operand(insn, 0, register_operand(ZYDIS_REGISTER_ST0));
        insert_operand(insn, 0, register_operand(ZYDIS_REGISTER_ST1));
        pops = true;
    } else if (insn->operand_count == 1 && is_float_register(insn, 0)) {
        insert_operand(insn, pops ? 1 : 0, register_operand(ZYDIS_REGISTER_ST0));
    }
    if (insn->att && insn->operand_count == 2 && is_float_register(insn, 0) &&
        (pops || !is_reg(insn, 0, ZYDIS_REGISTER_ST0)))
        *m = att_swapped(*m);
}

static bool is_shift(uint16_t m)
{
    return IN_LIST(m, SHL, SHR, SAR, ROL, ROR, RCL, RCR);
}

/* Operands that one of the two leaves out, or takes in another order. */
static void normalise(as_insn *insn, uint16_t *m)
{
    unsigned n = insn->operand_count;
    if (ZydisMnemonicGetString((ZydisMnemonic)*m)[0] == 'f')
        normalise_float(insn, m);
    else if (is_shift(*m) && n == 1)
        insert_operand(insn, 1, (as_operand){.kind = AS_IMM, .value = as_number(1)});
    else if (IN_LIST(*m, SHLD, SHRD) && n == 2)
        insert_operand(insn, 2, register_operand(ZYDIS_REGISTER_CL));
    else if (*m == Z(IMUL) && n == 2 && is_kind(insn, 1, AS_IMM))
        insert_operand(insn, 1, insn->operands[0]);
    else if (IN_LIST(*m, TEST, XCHG) && n == 2 && is_kind(insn, 1, AS_MEM))
        swap_first(insn);
    else if (IN_LIST(*m, BLENDVPS, BLENDVPD, PBLENDVB, SHA256RNDS2) && n == 3 &&
             is_reg(insn, 2, ZYDIS_REGISTER_XMM0))
        insn->operand_count--;
    else if (IN_LIST(*m, MONITOR, MONITORX, MWAIT, MWAITX) ||
             (*m == Z(XLAT) && n == 1 && insn->operands[0].base == ZYDIS_REGISTER_RBX))
        insn->operand_count = 0;
    else if (*m == Z(MOV) && n == 2 && is_kind(insn, 0, AS_REG) && is_kind(insn, 1, AS_REG) &&
             ZydisRegisterGetClass(insn->operands[0].reg) == ZYDIS_REGCLASS_SEGMENT &&
             as_register_bytes(insn->operands[1].reg) >= 4 && is_general(insn->operands[1].reg))
        insn->operands[1].reg =
            ZYDIS_REGISTER_AX + (ZydisRegister)ZydisRegisterGetId(insn->operands[1].reg); /* 16 bits of it */
    else if (*m == Z(INT) && n == 1 && is_kind(insn, 0, AS_IMM) &&
             insn->operands[0].value.symbol == AS_NONE && insn->operands[0].value.number == 3) {
        *m = Z(INT3);
        insn->operand_count = 0;
    } else if (IN_LIST(*m, AAM, AAD))
        *m = 0; /* not in 64-bit mode */
}

/* ---- sizes ---- */

/* The size by which a register operand sets that of the others; a count or a port does not. */
static unsigned register_bytes(const as_insn *insn, uint16_t m)
{
    for (unsigned i = 0; i < insn->operand_count; i++) {
        const as_operand *o = &insn->operands[i];
        if (o->kind != AS_REG || (i && is_shift(m)) || (IN_LIST(m, IN, OUT) && o->reg == ZYDIS_REGISTER_DX) ||
            (m == Z(MOV) && ZydisRegisterGetClass(o->reg) == ZYDIS_REGCLASS_SEGMENT))
            continue;
        if (i == 2 && IN_LIST(m, SHLD, SHRD))
            continue;
        unsigned bytes = as_register_bytes(o->reg);
        if (bytes)
            return bytes;
    }
    return 0;
}

/* Whether the suffix says another size than the registers. */
static bool suffix_contradicts(const as_insn *insn, const as_meaning *meaning, uint16_t m)
{
    bool any = false;
    if (!meaning->size || meaning->how == AS_HOW_EXTEND)
        return false;
    for (unsigned i = 0; i < insn->operand_count; i++) {
        const as_operand *o = &insn->operands[i];
        if (o->kind != AS_REG || !is_general(o->reg) || (i && is_shift(m)) || o->port)
            continue;
        if (as_register_bytes(o->reg) == meaning->size)
            return false;
        any = true;
    }
    return any && !IN_LIST(m, MOVMSKPS, MOVMSKPD, PMOVMSKB, CRC32);
}

/* No instruction has another one; sizes of what is not read as one number come last. */
static const uint16_t all_sizes[] = {1, 2, 4, 8, 16, 32, 64, 10, 6, 28, 108, 14, 94, 512, 576, 0, 48, 2688};

static unsigned list_sizes(const as_insn *insn, const as_meaning *meaning, uint16_t m, const as_operand *mem,
                           uint16_t *out, unsigned *sure)
{
    unsigned n = 0;
    *sure = 0; /* how many of the first are taken without a look at the others */
    bool sizeless = IN_LIST(m, LEA, PREFETCHT0, PREFETCHT1, PREFETCHT2, PREFETCHNTA, PREFETCHW, PREFETCH,
                            PREFETCHWT1, CLFLUSH, CLFLUSHOPT, CLWB, CLDEMOTE, INVLPG);
    if (sizeless) {
        memcpy(out, all_sizes, sizeof all_sizes);
        *sure = sizeof all_sizes / sizeof *all_sizes;
        return *sure;
    }
    if (mem->size) {
        out[n++] = mem->size;
    } else if (meaning->how == AS_HOW_EXTEND) {
        out[n++] = meaning->value;
    } else if (meaning->size && !mem->broadcast) {
        out[n++] = meaning->size;
    } else if (IN_LIST(m, PUSH, POP, CALL, JMP)) {
        out[n++] = 8;
    }
    if (n) {
        *sure = n;
        return n;
    }
    unsigned bytes = register_bytes(insn, m);
    if (IN_LIST(m, FLDENV, FNSTENV, FRSTOR, FNSAVE)) {
        out[n++] = 28;
        out[n++] = 108;
        *sure = n;
        return n;
    }
    if (mem->broadcast) {
        out[n++] = 4;
        out[n++] = 8;
        out[n++] = 2;
        *sure = n;
        return n;
    }
    if (bytes) {
        out[n++] = (uint16_t)bytes;
        *sure = 1;
    }
    for (size_t i = 0; i < sizeof all_sizes / sizeof *all_sizes; i++)
        if (all_sizes[i] != bytes || !bytes)
            out[n++] = all_sizes[i];
    return n;
}

/* ---- requests ---- */

static bool fits(int64_t v, unsigned bytes)
{
    return bytes >= 8 || (v >= -((int64_t)1 << (bytes * 8 - 1)) && v < (int64_t)1 << (bytes * 8));
}

static int64_t sign_extended(int64_t v, unsigned bytes)
{
    unsigned shift = 64 - bytes * 8;
    return bytes >= 8 ? v : (int64_t)((uint64_t)v << shift) >> shift;
}

enum {
    IMMEDIATE_WAYS = 4
};

/* The number as the encoder may want it. @return false: in this way it cannot be said */
static bool number_for(int64_t v, unsigned width, int way, int64_t *out)
{
    switch (way) {
    case 0:
        *out = width && width < 8 ? sign_extended(v, width) : v;
        return !width || width >= 8 || fits(v, width);
    case 1:
        *out = v;
        return !width || fits(v, width);
    case 2:
        *out = v & 0xff;
        return v >= -128 && v < 256;
    default:
        *out = (int8_t)v;
        return v >= -128 && v < 256;
    }
}

static bool memory_request(as_try *t, const as_operand *o, ZydisEncoderOperand *out, unsigned size)
{
    const as_value *v = &o->value;
    bool address32 = ZydisRegisterGetClass(o->base) == ZYDIS_REGCLASS_GPR32 ||
                     ZydisRegisterGetClass(o->index) == ZYDIS_REGCLASS_GPR32 || o->base == ZYDIS_REGISTER_EIP;
    out->type = ZYDIS_OPERAND_TYPE_MEMORY;
    out->mem.base = o->base;
    out->mem.index = o->index;
    out->mem.scale = o->scale;
    out->mem.size = (ZyanU16)size;
    t->patch_sib = false;
    t->sib_scale = 0;
    if (o->index == ZYDIS_REGISTER_NONE && o->base != ZYDIS_REGISTER_RIP && o->base != ZYDIS_REGISTER_EIP &&
        (o->riz || o->base == ZYDIS_REGISTER_NONE)) {
        out->mem.index = address32 ? ZYDIS_REGISTER_EAX : ZYDIS_REGISTER_RAX;
        out->mem.scale = o->scale ? o->scale : 1;
        t->patch_sib = true;
    } else if (o->index == ZYDIS_REGISTER_NONE) {
        out->mem.scale = 0;
    }
    bool symbolic = v->symbol != AS_NONE || v->minus != AS_NONE;
    bool relative = o->base == ZYDIS_REGISTER_RIP || o->base == ZYDIS_REGISTER_EIP;
    int64_t disp = symbolic ? 0 : address32 ? (int32_t)v->number : v->number;
    if (!symbolic && disp != (int32_t)disp)
        return false;
    if (address32 && !symbolic && !fits(v->number, 4))
        return false;
    t->patch_disp = symbolic || relative || t->insn->displacement == 32;
    t->disp = disp;
    if (t->patch_disp)
        out->mem.displacement = AS_SENTINEL;
    else if (t->insn->displacement == 8 && !disp) {
        out->mem.displacement = 1;
        t->patch_disp = true;
    } else
        out->mem.displacement = disp;
    return true;
}

static bool fill(as_try *t, unsigned mem_size, unsigned width, int way, bool insert_mask)
{
    const as_insn *insn = t->insn;
    ZydisEncoderRequest *r = &t->request;
    unsigned n = 0;
    for (unsigned i = 0; i < insn->operand_count; i++) {
        const as_operand *o = &insn->operands[i];
        ZydisEncoderOperand *out = &r->operands[n++];
        *out = (ZydisEncoderOperand){0};
        switch (o->kind) {
        case AS_REG:
            out->type = ZYDIS_OPERAND_TYPE_REGISTER;
            out->reg.value = o->reg;
            break;
        case AS_MEM:
            if (!memory_request(t, o, out, mem_size))
                return false;
            break;
        default:
            out->type = ZYDIS_OPERAND_TYPE_IMMEDIATE;
            if (o->value.symbol != AS_NONE || o->value.minus != AS_NONE)
                out->imm.s = width == 1 ? 0x12 : width == 2 ? 0x1234 : AS_SENTINEL;
            else if (!number_for(o->value.number, width, way, &out->imm.s) ||
                     (o->value.wide && width != 8 && width != 0))
                return false;
            break;
        }
        if (!i && insert_mask) {
            r->operands[n] = (ZydisEncoderOperand){.type = ZYDIS_OPERAND_TYPE_REGISTER};
            r->operands[n++].reg.value = ZYDIS_REGISTER_K0 + (ZydisRegister)t->mask;
        }
        if (n >= ZYDIS_ENCODER_MAX_OPERANDS && i + 1 < insn->operand_count)
            return false;
    }
    r->operand_count = (ZyanU8)n;
    return true;
}

/* Whether the memory operand has the size that was asked for: of some instructions the encoder takes any. */
static bool has_size(const as_try *t, unsigned length, unsigned size)
{
    ZydisDecodedInstruction d;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    if (!zydis_decode(&d, operands, t->bytes, length))
        return false;
    for (unsigned i = 0; i < d.operand_count_visible; i++)
        if (operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY && operands[i].mem.type == ZYDIS_MEMOP_TYPE_MEM)
            return operands[i].size == 8 * size;
    return true;
}

static bool encode_request(as_try *t)
{
    ZyanUSize length = sizeof t->bytes;
    if (!ZYAN_SUCCESS(ZydisEncoderEncodeInstruction(&t->request, t->bytes, &length)))
        return false;
    for (unsigned i = 0; i < t->request.operand_count && !t->request.evex.broadcast; i++)
        if (t->request.operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
            !has_size(t, (unsigned)length, t->request.operands[i].mem.size))
            return false;
    t->length = (uint8_t)length;
    return true;
}

/* With the register that the immediate's upper bits name: of the last two operands the one that encodes. */
static bool encode_is4(as_try *t)
{
    ZydisEncoderRequest *r = &t->request;
    if (encode_request(t))
        return true;
    unsigned n = r->operand_count;
    if (n < 4 || !(r->allowed_encodings & (ZYDIS_ENCODABLE_ENCODING_VEX | ZYDIS_ENCODABLE_ENCODING_XOP)))
        return false;
    unsigned last = r->operands[n - 1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE ? n - 2 : n - 1;
    /* of four registers FMA4's last but one, as if the last were memory; the last of the others */
    bool fma4 = strncmp(ZydisMnemonicGetString(r->mnemonic), "vf", 2) == 0;
    for (unsigned k = 0; k < 2; k++) {
        unsigned i = (k == 0) == fma4 ? last - 1 : last;
        if (r->operands[i].type != ZYDIS_OPERAND_TYPE_REGISTER)
            continue;
        r->operands[i].reg.is4 = ZYAN_TRUE;
        if (encode_request(t))
            return true;
        r->operands[i].reg.is4 = ZYAN_FALSE;
    }
    return false;
}

static bool encode_broadcast(as_try *t, const as_operand *mem)
{
    if (!mem || !(mem->broadcast || mem->element)) {
        t->request.evex.broadcast = ZYDIS_BROADCAST_MODE_INVALID;
        return encode_is4(t);
    }
    for (unsigned n = 2; n <= 32; n *= 2) {
        if (mem->broadcast && mem->broadcast != n)
            continue;
        t->request.evex.broadcast = zydis_broadcast_mode(n);
        if (encode_is4(t))
            return true;
    }
    return false;
}

/* x87: st alone may be there or not. */
static bool encode_with_st(as_try *t, const as_operand *mem)
{
    if (encode_broadcast(t, mem))
        return true;
    ZydisEncoderRequest *r = &t->request;
    if (ZydisMnemonicGetString(r->mnemonic)[0] != 'f' || r->operand_count > 1)
        return false;
    const ZydisEncoderOperand st = {.type = ZYDIS_OPERAND_TYPE_REGISTER, .reg.value = ZYDIS_REGISTER_ST0};
    ZydisEncoderOperand one = r->operands[0];
    unsigned n = r->operand_count++;
    r->operands[0] = st;
    r->operands[1] = one;
    if (encode_request(t))
        return true;
    r->operands[0] = one;
    r->operands[1] = st;
    if (n && encode_request(t))
        return true;
    r->operands[0] = one;
    r->operand_count--;
    return false;
}

/* Encodings in GNU's order of preference. */
static bool encode_best(as_try *t, unsigned mem_size, unsigned width, int way)
{
    const as_insn *insn = t->insn;
    static const ZydisEncodableEncoding legacy =
                                            ZYDIS_ENCODABLE_ENCODING_LEGACY | ZYDIS_ENCODABLE_ENCODING_3DNOW,
                                        vex = ZYDIS_ENCODABLE_ENCODING_VEX | ZYDIS_ENCODABLE_ENCODING_XOP;
    enum {
        OLD,
        EVEX_MASKED,
        EVEX,
        WAYS
    };
    static const uint8_t usual[] = {OLD, EVEX_MASKED, EVEX}, evex_first[] = {EVEX_MASKED, EVEX, OLD};
    bool later =
        IN_LIST(t->request.mnemonic, VPDPBUSD, VPDPBUSDS, VPDPWSSD, VPDPWSSDS, VPMADD52LUQ, VPMADD52HUQ);
    const uint8_t *order =
        later && insn->encoding != AS_VEX && insn->encoding != AS_VEX3 ? evex_first : usual;
    for (int i = 0; i < WAYS; i++) {
        bool evex = order[i] != OLD;
        if (evex ? insn->encoding == AS_VEX || insn->encoding == AS_VEX3 || !t->vector
                 : t->needs_evex || insn->encoding == AS_EVEX)
            continue;
        if (t->mask && order[i] == EVEX)
            continue;
        t->request.allowed_encodings = evex             ? ZYDIS_ENCODABLE_ENCODING_EVEX
                                       : insn->encoding ? vex
                                                        : legacy | vex;
        if (!fill(t, mem_size, width, way, order[i] == EVEX_MASKED))
            return false;
        if (encode_with_st(t, t->memory))
            return true;
    }
    return false;
}

static bool encode_number(as_try *t, unsigned mem_size, unsigned width)
{
    unsigned of = width ? width : mem_size <= 8 ? mem_size : 0;
    for (int way = 0; way < (t->immediates ? IMMEDIATE_WAYS : 1); way++)
        if (encode_best(t, mem_size, of, way))
            return true;
    return false;
}

static void look(as_try *t)
{
    as_insn *insn = t->insn;
    t->needs_evex = insn->rounding || insn->sae;
    const char *name = ZydisMnemonicGetString(t->request.mnemonic);
    t->vector = name[0] == 'v' || name[0] == 'k';
    for (const as_operand *o = insn->operands; o < insn->operands + insn->operand_count; o++) {
        if (o->kind == AS_MEM)
            t->memory = o;
        t->immediates += o->kind == AS_IMM;
        if (o->mask)
            t->mask = o->mask;
        t->request.evex.zeroing_mask |= o->zeroing;
        t->needs_evex |= o->mask || o->zeroing || o->broadcast || o->element;
    }
    t->request.evex.rounding = insn->rounding;
    t->request.evex.sae = insn->sae || insn->rounding; /* rounding is written with it */
}

int as_encode_by_zydis(as_try *t, const as_meaning *meaning)
{
    as_insn *insn = t->insn;
    uint16_t m = meaning->mnemonic;
    normalise(insn, &m);
    if (!m)
        return AS_NO_FORM;
    if (meaning->size && !insn->operand_count && !(meaning->size == 8 && IN_LIST(m, RET, LEAVE)))
        return AS_NO_FORM; /* "retw": a size that the encoder would not hear of */
    if (m == Z(RET) && meaning->size == 2)
        return AS_NO_FORM;
    t->request = (ZydisEncoderRequest){.machine_mode = ZYDIS_MACHINE_MODE_LONG_64, .mnemonic = m};
    look(t);
    if (suffix_contradicts(insn, meaning, m))
        return AS_CONTRADICTION;
    unsigned width = meaning->how == AS_HOW_EXTEND ? meaning->size : register_bytes(insn, m);
    if (!width && meaning->size <= 8)
        width = meaning->size;
    if (width > 8)
        width = 0;
    if (meaning->size == 2 && IN_LIST(m, PUSH, POP, RET, LEAVE, ENTER))
        t->request.operand_size_hint = ZYDIS_OPERAND_SIZE_HINT_16;
    if (m == Z(PUSH) && t->immediates)
        width = meaning->size == 2 ? 2 : 8;
    if (!t->memory)
        return encode_number(t, 0, width) ? AS_DONE : AS_NO_FORM;
    uint16_t sizes[sizeof all_sizes / sizeof *all_sizes + 1];
    unsigned sure, count = list_sizes(insn, meaning, m, t->memory, sizes, &sure);
    bool found = false;
    as_try first = *t;
    for (unsigned i = 0; i < count; i++) {
        as_try next = *t;
        if (!encode_number(&next, sizes[i], width))
            continue;
        if (i < sure) {
            *t = next;
            return AS_DONE;
        }
        if (found && (next.length != first.length || memcmp(next.bytes, first.bytes, next.length)))
            return AS_AMBIGUOUS;
        found = true;
        first = next;
    }
    if (!found)
        return AS_NO_FORM;
    *t = first;
    return AS_DONE;
}
