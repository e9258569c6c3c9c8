/* encode_bytes.c - the bytes of an instruction, once it is known what its mnemonic stands for: those that
 * Zydis's encoder makes, changed where the GNU assembler chooses otherwise, and by hand what has few forms:
 * branches, string instructions, NOPs, moves of 64-bit constants. Prefixes stand in GNU's order. */

#include "base/search.h"
#include "x86/assemble/assembling.h"
#include "x86/decode/mnemonic_list.h"

#define Z(m) ZYDIS_MNEMONIC_##m

/* ---- prefixes ---- */

enum {
    SEGMENT_GROUP,
    ADDRESS_GROUP,
    DATA_GROUP,
    REPEAT_GROUP,
    LOCK_GROUP,
    GROUPS
};

static int group_of(uint8_t byte)
{
    if (IS_ONE_OF(byte, 0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65))
        return SEGMENT_GROUP;
    switch (byte) {
    case 0x67:
        return ADDRESS_GROUP;
    case 0x66:
        return DATA_GROUP;
    case 0xf2:
    case 0xf3:
        return REPEAT_GROUP;
    case 0xf0:
        return LOCK_GROUP;
    default:
        return -1;
    }
}

static uint8_t segment_byte(ZydisRegister r)
{
    static const uint8_t bytes[] = {0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65};
    return bytes[r - ZYDIS_REGISTER_ES];
}

/* Puts the prefixes that were written, and that of a segment, to those that are there, in GNU's order: one of
 * each group. @return false: two of a group */
static bool add_prefixes(as_try *t)
{
    const as_insn *insn = t->insn;
    uint8_t groups[GROUPS] = {0}, out[2 * ZYDIS_MAX_INSTRUCTION_LENGTH];
    unsigned at = 0, n = 0;
    for (int g; at < t->length && (g = group_of(t->bytes[at])) >= 0; at++)
        groups[g] = t->bytes[at];
    uint8_t wanted[sizeof insn->prefixes + 1];
    unsigned count = insn->prefix_count;
    memcpy(wanted, insn->prefixes, count);
    const as_operand *mem = t->memory;
    if (mem && mem->reg != ZYDIS_REGISTER_NONE) {
        bool stack = mem->base == ZYDIS_REGISTER_RSP || mem->base == ZYDIS_REGISTER_RBP ||
                     mem->base == ZYDIS_REGISTER_ESP || mem->base == ZYDIS_REGISTER_EBP;
        if (mem->reg != (stack ? ZYDIS_REGISTER_SS : ZYDIS_REGISTER_DS))
            wanted[count++] = segment_byte(mem->reg);
    }
    for (unsigned i = 0; i < count; i++) {
        uint8_t *slot = &groups[group_of(wanted[i])];
        if (*slot && *slot != wanted[i])
            return false;
        if (*slot == 0x66 && n < ZYDIS_MAX_INSTRUCTION_LENGTH)
            out[n++] =
                0x66; /* "data16 cs nopw ...": padding, as objdump writes it and GNU does not read it */
        *slot = wanted[i];
    }
    for (int g = 0; g < GROUPS; g++)
        if (groups[g])
            out[n++] = groups[g];
    uint8_t first = at < t->length ? t->bytes[at] : 0;
    bool vector = first == 0xc4 || first == 0xc5 || first == 0x62;
    if (vector && (groups[DATA_GROUP] || groups[REPEAT_GROUP] || groups[LOCK_GROUP] || insn->rex))
        return false;
    if (insn->rex) {
        out[n++] = insn->rex | ((first & 0xf0) == 0x40 ? first : 0);
        at += (first & 0xf0) == 0x40;
    }
    if (n + t->length - at > ZYDIS_MAX_INSTRUCTION_LENGTH)
        return false;
    memcpy(out + n, t->bytes + at, t->length - at);
    t->length = (uint8_t)(n + t->length - at);
    memcpy(t->bytes, out, t->length);
    return true;
}

static void insert_byte(as_try *t, unsigned at, uint8_t byte)
{
    memmove(t->bytes + at + 1, t->bytes + at, t->length - at);
    t->bytes[at] = byte;
    t->length++;
}

/* ---- what Zydis chooses otherwise ---- */

static unsigned skip_prefixes(const as_try *t)
{
    unsigned at = 0;
    while (at < t->length && group_of(t->bytes[at]) >= 0)
        at++;
    return at;
}

/* The prefixes of an operand size of 16 or 64 bits, on code without them. @return where its opcode is */
static unsigned give_operand_size(as_try *t, unsigned size)
{
    unsigned at = skip_prefixes(t);
    if ((t->bytes[at] & 0xf0) == 0x40) {
        if (size == 8)
            t->bytes[at] |= 8;
        at++;
    } else if (size == 8)
        insert_byte(t, at++, 0x48);
    if (size == 2) {
        insert_byte(t, 0, 0x66);
        at++;
    }
    return at;
}

/* c5 becomes c4. */
static void make_vex3(as_try *t)
{
    unsigned at = skip_prefixes(t);
    if (t->bytes[at] != 0xc5 || t->length >= ZYDIS_MAX_INSTRUCTION_LENGTH)
        return;
    uint8_t second = t->bytes[at + 1];
    t->bytes[at] = 0xc4;
    insert_byte(t, at + 1, (second & 0x80) | 0x61);
    t->bytes[at + 2] = second & 0x7f;
}

static void make_vex2(as_try *t)
{
    unsigned at = skip_prefixes(t);
    if (t->bytes[at] != 0xc4 || (t->bytes[at + 1] & 0x7f) != 0x61 || (t->bytes[at + 2] & 0x80))
        return;
    t->bytes[at] = 0xc5;
    t->bytes[at + 1] = (t->bytes[at + 1] & 0x80) | t->bytes[at + 2];
    memmove(t->bytes + at + 2, t->bytes + at + 3, t->length - at - 3);
    t->length--;
}

/* Opcodes that load and store the same: of the first map, and of 0F. */
static bool is_store(unsigned map, uint8_t opcode, bool *known)
{
    static const uint8_t pairs[][2] = {{0x10, 0x11}, {0x28, 0x29}, {0x6f, 0x7f}};
    *known = true;
    if (!map) {
        *known = (opcode < 0x40 && (opcode & 7) < 4) || (opcode >= 0x88 && opcode <= 0x8b);
        return !(opcode & 2);
    }
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i][0] == opcode || pairs[i][1] == opcode)
            return opcode == pairs[i][1];
    *known = false;
    return false;
}

static uint8_t other_way(unsigned map, uint8_t opcode)
{
    if (!map)
        return opcode ^ 2;
    return opcode >= 0x6f ? opcode ^ 0x10 : opcode ^ 1;
}

static uint8_t swap_bits(uint8_t byte, unsigned a, unsigned b)
{
    uint8_t x = byte >> a & 1, y = byte >> b & 1;
    byte = (uint8_t)(byte & ~(1u << a | 1u << b));
    return (uint8_t)(byte | x << b | y << a);
}

/* Between registers: the opcode that loads, or that stores. */
static void turn(as_try *t, bool store)
{
    bool vex3 = t->insn->encoding == AS_VEX3, known;
    unsigned at = skip_prefixes(t), map = 0, extension = at, opcode;
    bool rex = (t->bytes[at] & 0xf0) == 0x40, vex, evex = t->bytes[at] == 0x62;
    if (t->bytes[at] == 0xc5)
        make_vex3(t);
    vex = t->bytes[at] == 0xc4;
    if (vex || evex)
        opcode = at + (vex ? 3 : 4), map = (t->bytes[at + 1] & (vex ? 31 : 7)) == 1 ? 1 : 2;
    else {
        opcode = at + rex;
        if (t->bytes[opcode] == 0x0f)
            opcode++, map = 1;
    }
    uint8_t *modrm = &t->bytes[opcode + 1];
    bool now = map < 2 && opcode + 1 < t->length && is_store(map, t->bytes[opcode], &known);
    if (map < 2 && opcode + 1 < t->length && known && now != store && *modrm >= 0xc0) {
        t->bytes[opcode] = other_way(map, t->bytes[opcode]);
        *modrm = (uint8_t)(0xc0 | (*modrm & 7) << 3 | (*modrm >> 3 & 7));
        if (rex)
            t->bytes[extension] = swap_bits(t->bytes[extension], 0, 2);
        else if (vex)
            t->bytes[extension + 1] = swap_bits(t->bytes[extension + 1], 5, 7);
        else if (evex)
            t->bytes[extension + 1] = swap_bits(swap_bits(t->bytes[extension + 1], 5, 7), 4, 6);
    }
    if (!vex3)
        make_vex2(t);
}

/* ---- the end of an attempt ---- */

static bool is_symbolic(const as_value *v)
{
    return v->symbol != AS_NONE || v->minus != AS_NONE;
}

/* A field of `fix.size` bytes, at `offset`. */
static void add_fix(as_state *s, const as_try *t, const as_operand *o, unsigned offset, as_fix fix)
{
    fix.place = as_here(s);
    fix.place.at += offset;
    fix.value = o->value;
    fix.column = (uint32_t)(o->text - s->line_start + 1);
    fix.after = (uint8_t)(t->length - offset - fix.size);
    as_add_fix(s, fix);
}

/* Fills in displacement and immediates, and emits. */
static int finish(as_state *s, as_try *t)
{
    ZydisDecodedInstruction d;
    as_insn *insn = t->insn;
    if (t->patch_sib) {
        if (!zydis_decode(&d, NULL, t->bytes, t->length) || !d.raw.sib.offset)
            return AS_NO_FORM;
        t->bytes[d.raw.sib.offset] = (uint8_t)((t->bytes[d.raw.sib.offset] & ~0x38) | 4 << 3);
    }
    unsigned opcode = skip_prefixes(t) + ((t->bytes[skip_prefixes(t)] & 0xf0) == 0x40);
    if (t->bytes[opcode] == 0x0f && (t->bytes[opcode + 1] & 0xfc) == 0x20)
        t->bytes[opcode + 2] |= 0xc0; /* control and debug registers */
    if (insn->sae && !insn->rounding && t->bytes[skip_prefixes(t)] == 0x62)
        t->bytes[skip_prefixes(t) + 3] &= 0x9f; /* the vector length, which means nothing there */
    if (insn->encoding == AS_VEX3)
        make_vex3(t);
    if (insn->direction)
        turn(t, insn->direction == 's');
    if (!add_prefixes(t) || !zydis_decode(&d, NULL, t->bytes, t->length))
        return AS_NO_FORM;
    if (t->patch_disp) {
        const as_value *v = &t->memory->value;
        bool relative = t->memory->base == ZYDIS_REGISTER_RIP || t->memory->base == ZYDIS_REGISTER_EIP;
        unsigned bytes = d.raw.disp.size / 8u;
        as_put(t->bytes + d.raw.disp.offset, (uint64_t)t->disp, bytes);
        if (is_symbolic(v)) {
            if (bytes != 4)
                return AS_NO_FORM;
            add_fix(s, t, t->memory, d.raw.disp.offset,
                    (as_fix){.size = 4, .relative = relative, .sign = true});
        }
    }
    for (unsigned i = 0, k = 0; i < insn->operand_count; i++) {
        const as_operand *o = &insn->operands[i];
        if (o->kind != AS_IMM)
            continue;
        if (is_symbolic(&o->value) && k < 2) {
            unsigned bytes = d.raw.imm[k].size / 8u;
            if (!bytes)
                return AS_NO_FORM;
            as_put(t->bytes + d.raw.imm[k].offset, 0, bytes);
            add_fix(s, t, o, d.raw.imm[k].offset,
                    (as_fix){.size = (uint8_t)bytes, .sign = bytes == 4 && d.operand_width == 64});
        }
        k++;
    }
    as_emit(s, t->bytes, t->length);
    return AS_DONE;
}

/* ---- by hand ---- */

static void append(as_try *t, uint64_t value, unsigned bytes)
{
    as_put(t->bytes + t->length, value, bytes);
    t->length = (uint8_t)(t->length + bytes);
}

/* The prefixes of an operand size, and of a register of that number that the byte before the last one, or the
 * opcode, names. */
static void append_size(as_try *t, unsigned size, unsigned number)
{
    const unsigned rex = (size == 8 ? 0x48 : 0) | (number > 7 ? 0x41 : 0);
    if (size == 2)
        append(t, 0x66, 1);
    if (rex)
        append(t, rex, 1);
}

/* Instructions whose last byte, or last four, are how far they go. */
static int short_branch(as_state *s, as_try *t, const as_operand *o, unsigned size)
{
    t->memory = NULL;
    append(t, 0, size);
    if (!add_prefixes(t))
        return AS_NO_FORM;
    add_fix(s, t, o, t->length - size, (as_fix){.size = (uint8_t)size, .relative = true, .branch = true});
    as_emit(s, t->bytes, t->length);
    return AS_DONE;
}

/* jmp and jcc, whose length the layout finds. */
static int relaxed_branch(as_state *s, as_try *t, const as_operand *o, uint8_t opcode)
{
    t->bytes[0] = opcode;
    t->length = 1;
    t->memory = NULL;
    if (!add_prefixes(t) || t->length > sizeof((as_frag *)0)->prefixes)
        return AS_NO_FORM;
    as_frag *f = as_add_frag(s, AS_FRAG_BRANCH, t->length + 1u);
    if (!f)
        return AS_FAILED;
    f->opcode = opcode;
    f->prefix_length = (uint8_t)(t->length - 1);
    memcpy(f->prefixes, t->bytes, f->prefix_length);
    f->target = o->value;
    f->column = (uint32_t)(o->text - s->line_start + 1);
    s->total += t->length + 5u;
    return AS_DONE;
}

static int far_branch(as_state *s, as_try *t, const as_meaning *m)
{
    as_insn *insn = t->insn;
    unsigned size = m->size ? m->size : 4;
    if (m->value == 0xcb) {
        const as_operand *o = &insn->operands[0];
        append_size(t, size == 4 || size == 8 ? size : 2, 0);
        append(t, insn->operand_count ? 0xca : 0xcb, 1);
        if (insn->operand_count) {
            if (insn->operand_count != 1 || o->kind != AS_IMM || is_symbolic(&o->value) ||
                o->value.number < 0 || o->value.number > 0xffff)
                return AS_NO_FORM;
            append(t, (uint64_t)o->value.number, 2);
        }
        return finish(s, t);
    }
    /* as "push", which differs in the middle of its ModRM byte */
    if (insn->operand_count != 1 || insn->operands[0].kind != AS_MEM)
        return AS_NO_FORM;
    as_operand *o = &insn->operands[0];
    if (!m->size && o->size)
        size = o->size == 6 ? 4 : o->size == 10 ? 8 : o->size == 4 ? 2 : o->size;
    o->size = 8;
    const as_meaning push = {Z(PUSH), 0, AS_HOW_PLAIN, 0};
    int result = as_encode_by_zydis(t, &push);
    if (result != AS_DONE)
        return result;
    unsigned at = give_operand_size(t, size);
    t->bytes[at + 1] = (uint8_t)((t->bytes[at + 1] & ~0x38) | m->value << 3);
    return finish(s, t);
}

static int branch(as_state *s, as_try *t, const as_meaning *m)
{
    as_insn *insn = t->insn;
    const as_operand *o = &insn->operands[0];
    if (insn->operand_count != 1)
        return AS_NO_FORM;
    if (o->kind == AS_MEM && (o->far || o->size == 6 || o->size == 10) &&
        (m->value == 0xeb || m->value == 0xe8))
        return far_branch(s, t, &(as_meaning){m->mnemonic, 0, AS_HOW_FAR, m->value == 0xeb ? 5 : 3});
    if (!o->target || o->indirect || o->kind == AS_REG) {
        as_meaning indirect = {m->mnemonic, m->size, AS_HOW_PLAIN, 0};
        if (m->value != 0xeb && m->value != 0xe8)
            return AS_NO_FORM;
        if (o->kind == AS_IMM)
            return AS_NO_FORM;
        int result = as_encode_by_zydis(t, &indirect);
        return result == AS_DONE ? finish(s, t) : result;
    }
    if (o->value.first != ZYDIS_REGISTER_NONE)
        return AS_NO_FORM;
    switch (m->value) {
    case 0xe8:
        append(t, 0xe8, 1);
        return short_branch(s, t, o, 4);
    case 0xc7:
        append(t, 0xf8c7, 2);
        return short_branch(s, t, o, 4);
    case 0xe0:
    case 0xe1:
    case 0xe2:
    case 0xe3:
        if (m->size == 4)
            append(t, 0x67, 1);
        append(t, m->value, 1);
        return short_branch(s, t, o, 1);
    default:
        if (insn->displacement == 32) {
            append(t, m->value == 0xeb ? 0xe9u : 0x0fu | (m->value + 0x10u) << 8, m->value == 0xeb ? 1 : 2);
            return short_branch(s, t, o, 4);
        }
        return relaxed_branch(s, t, o, m->value);
    }
}

static int nop(as_state *s, as_try *t, const as_meaning *m)
{
    as_insn *insn = t->insn;
    as_operand *o = &insn->operands[0];
    if (!insn->operand_count) {
        append(t, 0x90, 1);
        return finish(s, t);
    }
    if (insn->operand_count != 1 || o->kind == AS_IMM)
        return AS_NO_FORM;
    unsigned size = m->size ? m->size : o->kind == AS_REG ? as_register_bytes(o->reg) : o->size ? o->size : 4;
    if (size != 2 && size != 4 && size != 8)
        return AS_NO_FORM;
    /* as "seto", which has another opcode and a byte as its operand */
    if (o->kind == AS_REG) {
        if (as_register_bytes(o->reg) != size)
            return AS_CONTRADICTION;
        unsigned number = (unsigned)ZydisRegisterGetId(o->reg);
        append_size(t, size, number);
        append(t, 0x1f0f, 2);
        append(t, 0xc0 | (number & 7), 1);
        return finish(s, t);
    }
    o->size = 1;
    const as_meaning seto = {Z(SETO), 0, AS_HOW_PLAIN, 0};
    int result = as_encode_by_zydis(t, &seto);
    if (result != AS_DONE)
        return result;
    unsigned at = give_operand_size(t, size);
    t->bytes[at + 1] = 0x1f;
    return finish(s, t);
}

static bool is_accumulator(ZydisRegister r)
{
    return r == ZYDIS_REGISTER_AX || r == ZYDIS_REGISTER_EAX || r == ZYDIS_REGISTER_RAX;
}

/* movs and its like. */
static bool is_string_memory(const as_operand *o, bool destination, bool *address32)
{
    ZydisRegister r64 = destination ? ZYDIS_REGISTER_RDI : ZYDIS_REGISTER_RSI;
    ZydisRegister r32 = destination ? ZYDIS_REGISTER_EDI : ZYDIS_REGISTER_ESI;
    if (o->kind != AS_MEM || (o->base != r64 && o->base != r32) || o->index != ZYDIS_REGISTER_NONE ||
        o->value.number || is_symbolic(&o->value))
        return false;
    *address32 = o->base == r32;
    return !destination || o->reg == ZYDIS_REGISTER_NONE || o->reg == ZYDIS_REGISTER_ES;
}

static int string(as_state *s, as_try *t, const as_meaning *m)
{
    as_insn *insn = t->insn;
    unsigned size = m->size, n = insn->operand_count;
    bool address32 = false;
    const as_operand *source = NULL;
    if (n > 2)
        return AS_NO_FORM;
    for (unsigned i = 0; i < n; i++) {
        const as_operand *o = &insn->operands[i];
        unsigned bytes = o->kind == AS_REG ? as_register_bytes(o->reg) : o->size;
        if (o->kind == AS_REG) {
            bool port = o->reg == ZYDIS_REGISTER_DX && (m->value == 0x6c || m->value == 0x6e);
            bool accumulator = o->reg == ZYDIS_REGISTER_AL || is_accumulator(o->reg);
            if (!port && (!accumulator || m->value < 0xaa))
                return AS_NO_FORM;
            if (port)
                bytes = 0;
        } else if (is_string_memory(o, false, &address32)) {
            source = o;
        } else if (!is_string_memory(o, true, &address32)) {
            return AS_NO_FORM;
        }
        if (bytes && size && bytes != size)
            return AS_NO_FORM;
        if (bytes)
            size = bytes;
    }
    if (!size)
        return AS_AMBIGUOUS;
    if (size > 8 || (size == 8 && m->value < 0xa4))
        return AS_NO_FORM;
    if (address32)
        append(t, 0x67, 1);
    append_size(t, size, 0);
    append(t, m->value | (size > 1), 1);
    insn->operand_count = 0;
    t->memory = source;
    t->patch_disp = false;
    return finish(s, t);
}

/* A move of a 64-bit constant, or of the accumulator from or to a 64-bit address. */
static int move_absolute(as_state *s, as_try *t, const as_meaning *m)
{
    as_insn *insn = t->insn;
    const as_operand *to = &insn->operands[0], *from = &insn->operands[1];
    if (insn->operand_count != 2)
        return AS_NO_FORM;
    const as_operand *reg = to->kind == AS_REG ? to : from, *other = reg == to ? from : to;
    unsigned size = reg->kind == AS_REG ? as_register_bytes(reg->reg) : 0;
    unsigned number = reg->kind == AS_REG ? (unsigned)ZydisRegisterGetId(reg->reg) : 0;
    if (reg->kind != AS_REG || !size || size > 8 || (m->size && m->size != size) ||
        ZydisRegisterGetClass(reg->reg) == ZYDIS_REGCLASS_MASK ||
        ZydisRegisterGetClass(reg->reg) == ZYDIS_REGCLASS_MMX)
        return AS_NO_FORM;
    if (other->kind == AS_IMM && other == from) {
        if (size != 8)
            return AS_NO_FORM;
        append_size(t, 8, number);
        append(t, 0xb8 | (number & 7), 1);
    } else {
        if (other->kind != AS_MEM || number || other->base != ZYDIS_REGISTER_NONE ||
            other->index != ZYDIS_REGISTER_NONE || reg->reg == ZYDIS_REGISTER_AH)
            return AS_NO_FORM;
        append_size(t, size, 0);
        append(t, 0xa0u | (size > 1) | (other == to ? 2u : 0u), 1);
        t->memory = other;
    }
    append(t, is_symbolic(&other->value) ? 0 : (uint64_t)other->value.number, 8);
    t->patch_disp = t->patch_sib = false;
    if (!add_prefixes(t))
        return AS_NO_FORM;
    if (is_symbolic(&other->value))
        add_fix(s, t, other, t->length - 8u, (as_fix){.size = 8});
    as_emit(s, t->bytes, t->length);
    return AS_DONE;
}

/* Exchanges with the accumulator have a short form. */
static bool exchange(as_try *t, const as_meaning *m)
{
    const as_insn *insn = t->insn;
    if (m->mnemonic != Z(XCHG) || insn->operand_count != 2 || insn->operands[0].kind != AS_REG ||
        insn->operands[1].kind != AS_REG)
        return false;
    ZydisRegister a = insn->operands[0].reg, b = insn->operands[1].reg;
    unsigned size = as_register_bytes(a);
    if (size != as_register_bytes(b) || (m->size && m->size != size) ||
        (!is_accumulator(a) && !is_accumulator(b)))
        return false;
    if (a == ZYDIS_REGISTER_EAX && b == ZYDIS_REGISTER_EAX) {
        append(t, 0xc087, 2);
        return true;
    }
    unsigned other = (unsigned)ZydisRegisterGetId(is_accumulator(a) ? b : a);
    append_size(t, a == ZYDIS_REGISTER_RAX && b == a ? 4 : size, other);
    append(t, 0x90 | (other & 7), 1);
    return true;
}

static int plain(as_state *s, as_try *t, const as_meaning *m)
{
    as_insn *insn = t->insn;
    if (exchange(t, m))
        return finish(s, t);
    if (m->mnemonic == Z(MOV)) {
        const as_operand *memory = insn->operands[0].kind == AS_MEM ? &insn->operands[0] : &insn->operands[1];
        if (memory->kind == AS_MEM && memory->base == ZYDIS_REGISTER_NONE &&
            memory->index == ZYDIS_REGISTER_NONE && !is_symbolic(&memory->value) &&
            memory->value.number != (int32_t)memory->value.number)
            return move_absolute(s, t, m);
    }
    const as_operand table = insn->operands[0];
    int result = as_encode_by_zydis(t, m);
    if (result == AS_DONE && m->mnemonic == Z(XLAT) && table.kind == AS_MEM)
        t->memory = &table; /* for its segment */
    return result == AS_DONE ? finish(s, t) : result;
}

static int compare(as_state *s, as_try *t, const as_meaning *m)
{
    as_insn *insn = t->insn;
    if (insn->operand_count >= TACHO_ASSEMBLE_MAX_OPERANDS)
        return AS_NO_FORM;
    insn->operands[insn->operand_count++] = (as_operand){.kind = AS_IMM, .value = as_number(m->value)};
    return plain(s, t, m);
}

/* Behind a FWAIT. */
static int waiting(as_state *s, as_try *t, const as_meaning *m)
{
    static const uint8_t wait = 0x9b;
    size_t before = as_section_now(s)->size;
    as_emit(s, &wait, 1);
    int result = plain(s, t, m);
    as_section *now = as_section_now(s);
    if (result != AS_DONE && now->size > before) {
        now->size--;
        now->frags[now->frag_count - 1].fixed--;
    }
    return result;
}

static int attempt(as_state *s, const as_insn *insn, const as_meaning *m)
{
    static int (*const ways[])(as_state *, as_try *, const as_meaning *) = {
        [AS_HOW_PLAIN] = plain,          [AS_HOW_BRANCH] = branch,  [AS_HOW_NOP] = nop,
        [AS_HOW_COMPARE] = compare,      [AS_HOW_WAIT] = waiting,   [AS_HOW_STRING] = string,
        [AS_HOW_MOVABS] = move_absolute, [AS_HOW_FAR] = far_branch, [AS_HOW_EXTEND] = plain};
    as_insn copy = *insn;
    as_try t = {.insn = &copy};
    return ways[m->how](s, &t, m);
}

/* Why nothing fitted, in words. */
static void report(as_state *s, const as_insn *insn, size_t length, int meanings, int why)
{
    int shown = (int)(length < 60 ? length : 60);
    if (!meanings) {
        as_unknown_instruction(s, insn, length, false);
    } else if (why == AS_AMBIGUOUS && insn->att) {
        as_problem(s, TACHO_ERR_INPUT, insn->name, insn->name_length,
                   "the size of the memory operand of '%.*s' is not known: add a suffix, as in '%.*sl'",
                   shown, insn->name, shown, insn->name);
    } else if (why == AS_AMBIGUOUS) {
        as_problem(s, TACHO_ERR_INPUT, insn->name, insn->name_length,
                   "the size of the memory operand of '%.*s' is not known: write 'dword ptr' or the like",
                   shown, insn->name);
    } else if (why == AS_CONTRADICTION) {
        as_problem(s, TACHO_ERR_INPUT, insn->name, insn->name_length,
                   "the suffix of '%.*s' says another size than its registers", shown, insn->name);
    } else {
        as_problem(s, TACHO_ERR_INPUT, insn->name, insn->name_length,
                   insn->operand_count ? "'%.*s' does not take these operands"
                                       : "'%.*s' does not stand without operands",
                   shown, insn->name);
    }
}

bool as_instruction(as_state *s, as_insn *insn)
{
    as_meaning meanings[AS_MEANINGS];
    size_t length = insn->name_length;
    if (length > 2 && as_is_word(insn->name + length - 2, 2, ".s")) { /* "mov.s": the other direction */
        insn->direction = insn->direction ? insn->direction : 'x';
        length -= 2;
    }
    int count = as_meanings(insn->name, length, insn->att, meanings), why = AS_NO_FORM;
    if (insn->direction == 'x')
        insn->direction = 'l';
    for (int i = 0; i < count; i++) {
        int result = attempt(s, insn, &meanings[i]);
        if (result == AS_DONE)
            return !s->failed;
        if (result == AS_FAILED)
            return false;
        if (why == AS_NO_FORM)
            why = result;
    }
    report(s, insn, length, count, why);
    return false;
}
