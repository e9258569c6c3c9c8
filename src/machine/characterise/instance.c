/* instance.c - from a form of the table to an instruction of that form: its key says the kinds of operands
 * and what of the encoding matters, src/x86/decode/instantiate.c makes the bytes, and the table's own match
 * confirms that they have the form. */
#include <string.h>

#include "machine/characterise/instance.h"
#include "x86/arch/arch_struct.h"
#include "x86/decode/danger.h"
#include "x86/decode/encode.h"

form_kind instance_kind(uint32_t form, unsigned operand)
{
    form_key key = tacho_form_key(form);
    return operand < key.kind_count ? (form_kind)key.kinds[operand] : KIND_NONE;
}

/* ---- registers ---- */

static bool is_general(unsigned class_)
{
    return class_ >= TACHO_REG_R8L && class_ <= TACHO_REG_R64;
}

/* Both are numbers of the same file of registers. */
static bool same_file(unsigned a, unsigned b)
{
    bool vectors = a >= TACHO_REG_XMM && a <= TACHO_REG_ZMM && b >= TACHO_REG_XMM && b <= TACHO_REG_ZMM;
    return a == b || (is_general(a) && is_general(b)) || vectors;
}

static bool uses_fixed(const tacho_form *form, unsigned class_, unsigned number)
{
    for (const tacho_form_operand *o = form->operands; o < form->operands + form->operand_count; o++)
        if ((same_file(o->reg.class_, class_) && o->reg.class_ != TACHO_REG_NONE &&
             o->reg.number == number) ||
            (is_general(class_) && ((o->base.class_ != TACHO_REG_NONE && o->base.number == number) ||
                                    (o->index.class_ != TACHO_REG_NONE && o->index.number == number))))
            return true;
    return false;
}

static bool has_high_byte(const form_key *key)
{
    for (unsigned i = 0; i < key->kind_count; i++)
        if (key->kinds[i] == KIND_R8H)
            return true;
    return false;
}

/* Candidates in the order of preference; 255 ends them. Registers that need no REX prefix come last for
 * general operands, so that all operands have the same length of code. */
static const uint8_t *candidates(const form_key *key, unsigned class_)
{
    static const uint8_t general[] = {8, 9, 10, 11, 12, 13, 3, 5, 2, 1, 0, 255};
    static const uint8_t low[] = {8, 9, 10, 11, 3, 2, 1, 0, 255};
    static const uint8_t high[] = {12, 13, 5, 255};
    static const uint8_t legacy[] = {0, 3, 1, 2, 255};
    static const uint8_t vector[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 255};
    static const uint8_t mask[] = {1, 2, 3, 4, 5, 6, 255};
    static const uint8_t stack[] = {1, 2, 3, 4, 5, 6, 7, 255};
    static const uint8_t segment[] = {0, 3, 4, 5, 2, 255};
    static const uint8_t control[] = {0, 2, 3, 4, 8, 255};
    if (is_general(class_))
        return has_high_byte(key)          ? legacy
               : key->attr == ATTR_RM_LOW  ? low
               : key->attr == ATTR_RM_HIGH ? high
                                           : general;
    if (class_ >= TACHO_REG_XMM && class_ <= TACHO_REG_ZMM)
        return vector;
    return class_ == TACHO_REG_K                              ? mask
           : class_ == TACHO_REG_ST || class_ == TACHO_REG_MM ? stack
           : class_ == TACHO_REG_SEG                          ? segment
           : class_ == TACHO_REG_BND                          ? legacy
                                                              : control;
}

static int nth_register(const tacho_form *form, const form_key *key, unsigned operand, unsigned n)
{
    bool fixed;
    tacho_reg r = tacho_kind_reg((form_kind)key->kinds[operand], &fixed);
    if (fixed)
        return n ? -1 : r.number;
    for (const uint8_t *at = candidates(key, r.class_); *at != 255; at++)
        if (!uses_fixed(form, r.class_, *at) && n-- == 0)
            return *at;
    return -1;
}

int instance_register(uint32_t form, unsigned operand, unsigned n)
{
    tacho_form f;
    form_key key = tacho_form_key(form);
    return tacho_form_get(form, &f) || operand >= key.kind_count ? -1 : nth_register(&f, &key, operand, n);
}

void instance_defaults(instance_choice *out, uint32_t form)
{
    form_key key = tacho_form_key(form);
    memset(out, 0, sizeof *out);
    out->base = 6;
    out->index = INSTANCE_NO_INDEX;
    out->imm8 = 5;
    out->imm32 = 0x12345678;
    for (unsigned i = 0; i < key.kind_count; i++) {
        unsigned before = 0;
        bool fixed;
        tacho_reg r = tacho_kind_reg((form_kind)key.kinds[i], &fixed);
        for (unsigned k = 0; k < i; k++) {
            tacho_reg other = tacho_kind_reg((form_kind)key.kinds[k], &fixed);
            before += !fixed && same_file(other.class_, r.class_);
        }
        int number = r.class_ == TACHO_REG_NONE ? 0 : instance_register(form, i, before);
        out->reg[i] = (uint8_t)(number < 0 ? 0 : number);
        if (key.kinds[i] >= KIND_VSIB_XMM && key.kinds[i] <= KIND_VSIB_ZMM)
            out->index = 12;
    }
}

/* ---- operands ---- */

static void put_immediate(tacho_operand *o, form_kind kind, const instance_choice *choice)
{
    o->kind = TACHO_OPERAND_IMM;
    o->imm = kind == KIND_I8    ? choice->imm8
             : kind == KIND_ONE ? 1
             : kind == KIND_I16 ? 0x1234
             : kind == KIND_I32 ? choice->imm32
             : kind == KIND_I64 ? 0x123456789abcdef0
                                : 0;
}

static void put_address(tacho_operand *o, const instance_choice *choice)
{
    o->mem.base = (tacho_reg){TACHO_REG_R64, choice->base};
    o->mem.disp = choice->disp;
    if (choice->index != INSTANCE_NO_INDEX) {
        o->mem.index = (tacho_reg){TACHO_REG_R64, choice->index};
        o->mem.scale = 1;
    }
}

static void put_broadcast(tacho_operand *o, form_kind kind)
{
    static const uint8_t counts[] = {2, 4, 8, 16, 32, 2, 4, 8, 16, 2, 4, 8};
    o->mem.broadcast = counts[kind - KIND_M16_1TO2];
}

static void put_vsib(tacho_operand *o, form_kind kind)
{
    o->mem.vsib = true;
    o->mem.index.class_ = (uint8_t)(TACHO_REG_XMM + (kind - KIND_VSIB_XMM));
}

static void put_memory(tacho_operand *o, form_kind kind, const instance_choice *choice)
{
    o->kind = TACHO_OPERAND_MEM;
    o->width_bits = tacho_kind_width(kind);
    if (kind >= KIND_MOFFS8) {
        o->mem.disp = 0x123456789a00;
        return;
    }
    put_address(o, choice);
    if (kind >= KIND_M16_1TO2 && kind <= KIND_M64_1TO8)
        put_broadcast(o, kind);
    if (kind >= KIND_VSIB_XMM && kind <= KIND_VSIB_ZMM)
        put_vsib(o, kind);
}

static void put_agen(tacho_operand *o, unsigned shape, const instance_choice *choice)
{
    o->kind = TACHO_OPERAND_AGEN;
    o->mem.disp = shape & SHAPE_D8 ? 8 : shape & SHAPE_D32 ? 0x1000 : 0;
    if (shape == SHAPE_RIP) {
        o->mem.base.class_ = TACHO_REG_RIP;
        return;
    }
    if (shape & SHAPE_BASE)
        o->mem.base = (tacho_reg){TACHO_REG_R64, choice->base};
    if (shape & SHAPE_INDEX) {
        uint8_t index = choice->index == INSTANCE_NO_INDEX ? 7 : choice->index;
        o->mem.index = (tacho_reg){TACHO_REG_R64, index};
        o->mem.scale = shape & SHAPE_SCALED ? 2 : 1;
    }
}

static bool put_operand(tacho_operand *o, form_kind kind, uint8_t number, const instance_choice *choice)
{
    bool fixed;
    tacho_reg r = tacho_kind_reg(kind, &fixed);
    memset(o, 0, sizeof *o);
    if (r.class_ != TACHO_REG_NONE) {
        o->kind = TACHO_OPERAND_REG;
        o->reg = r;
        o->reg.number = fixed ? r.number : number;
    } else if (kind >= KIND_AGEN) {
        put_agen(o, kind - KIND_AGEN, choice);
    } else if (tacho_kind_is_memory(kind)) {
        put_memory(o, kind, choice);
    } else if (kind == KIND_REL8 || kind == KIND_REL32) {
        return false;
    } else {
        put_immediate(o, kind, choice);
    }
    return true;
}

/* ---- the instruction ---- */

static void put_attributes(insn_wanted *w, unsigned attr)
{
    unsigned vector = attr >= ATTR_VECTOR ? attr - ATTR_VECTOR : 0;
    w->lock = attr == ATTR_LOCK;
    w->rep = attr == ATTR_REPE;
    w->repne = attr == ATTR_REPNE;
    w->operand_size = attr == ATTR_WORD ? 16 : attr == ATTR_O64 ? 64 : 0;
    w->zeroing = vector & ATTR_ZEROING;
    w->sae = vector & ATTR_SAE;
    w->rounding = vector & ATTR_ER;
}

static bool has_form(const tacho_insn *insn, void *payload)
{
    const uint32_t *wanted = payload;
    tacho_form form;
    tacho_figures figures;
    tacho_insndb_match(tacho_arch_get(0), insn, &form, &figures);
    return form.operands && form.id == *wanted;
}

static const char *must_not_run(const tacho_insn *insn)
{
    if (insn->is_branch || insn->is_call || insn->is_ret)
        return "is a branch";
    return tacho_decode_danger(insn);
}

int instance_make(tacho_insn *out, uint32_t form, const instance_choice *choice, const char **why)
{
    form_key key = tacho_form_key(form);
    insn_wanted w = {.mnemonic = key.mnemonic,
                     .encoding = tacho_form_encoding(form),
                     .opcode = key.opcode,
                     .operand_count = key.kind_count};
    put_attributes(&w, key.attr);
    for (unsigned i = 0; i < key.kind_count; i++)
        if (!put_operand(&w.operands[i], (form_kind)key.kinds[i], choice->reg[i], choice)) {
            *why = "is a branch";
            return TACHO_ERR_UNSUPPORTED;
        }
    for (unsigned i = 0; i < key.kind_count; i++)
        if (w.operands[i].mem.vsib)
            w.operands[i].mem.index.number = choice->index;
    if (!tacho_insn_instantiate(out, &w, has_form, &form)) {
        *why = "has no encoding that could be made";
        return TACHO_ERR_UNSUPPORTED;
    }
    *why = must_not_run(out);
    return *why ? TACHO_ERR_UNSUPPORTED : TACHO_OK;
}
