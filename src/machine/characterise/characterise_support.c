/* characterise_support.c - the instructions of a chain, each an instance of a form of the table.
 *
 * Dependencies are ended by what needs no other result: a move of a constant into a general register, of a
 * register that nothing writes into a vector register, `test` of such a register for the flags. Zeroing
 * idioms would do too, but not on all cores, and would put zeros where values were. */
#include <stdio.h>
#include <string.h>

#include "machine/characterise/chain.h"
#include "x86/decode/ops.h"
#include "x86/insndb/key.h"

enum {
    DIVIDEND = 0x12340678,
    DIVISOR = 0x77,
    DIVISOR_HIGH_BYTE = 0x7777,
    MEMORY_ADDRESS = 0x12600600,
    SHIFT_COUNT = 5
};

bool chain_divides(uint32_t form)
{
    tacho_form f;
    uint8_t op = tacho_form_get(form, &f) ? OP_NONE : tacho_mnemonic_operation(f.mnemonic);
    return op == OP_DIV || op == OP_IDIV;
}

/* All but the 8-bit divisions, whose dividend is AX. */
static bool uses_rdx(uint32_t form)
{
    form_kind kind = instance_kind(form, 0);
    return kind != KIND_R8L && kind != KIND_R8H && kind != KIND_M8;
}

void chain_values(uint32_t form, uint64_t values[16], uint16_t *mask)
{
    values[CHAIN_BASE] = values[CHAIN_SAME_BASE] = MEMORY_ADDRESS;
    *mask = 1u << CHAIN_BASE | 1u << CHAIN_SAME_BASE;
    for (unsigned i = 0; i < KEY_MAX_KINDS; i++)
        if (instance_kind(form, i) == KIND_CL) {
            values[1] = SHIFT_COUNT;
            *mask |= 1u << 1;
        }
    if (!chain_divides(form))
        return;
    bool high = instance_kind(form, 0) == KIND_R8H;
    for (unsigned r = 0; r < 16; r++)
        if (r != CHAIN_BASE && r != CHAIN_SAME_BASE && r != 4)
            values[r] = high ? DIVISOR_HIGH_BYTE : DIVISOR;
    values[0] = DIVIDEND;
    if (uses_rdx(form))
        values[2] = 0;
    *mask = (uint16_t) ~(1u << 4);
}

/* Memory starts as words that are pointers: their byte 3 is 0x20. */
static void choose_divisor_in_memory(builder *b)
{
    form_kind kind = instance_kind(b->form.id, 0);
    b->choice.disp = kind == KIND_M8 ? 3 : kind == KIND_M16 ? 2 : 0;
}

void builder_start(builder *b, chain *out, uint32_t form)
{
    memset(out, 0, sizeof *out);
    memset(b, 0, sizeof *b);
    b->c = out;
    out->failed = tacho_form_get(form, &b->form) != 0;
    if (out->failed)
        return;
    instance_defaults(&b->choice, form);
    b->choice.imm32 = DIVIDEND;
    b->vex = tacho_form_encoding(form) != TACHO_ENC_LEGACY;
    b->divides = chain_divides(form);
    b->gathers = tacho_mnemonic_families(b->form.mnemonic) & INSN_GATHERS;
    if (b->divides)
        choose_divisor_in_memory(b);
    b->widest = TACHO_REG_XMM;
    for (unsigned i = 0; i < b->form.visible_count; i++) {
        bool fixed;
        tacho_reg r = tacho_kind_reg(instance_kind(form, i), &fixed);
        if (r.class_ >= TACHO_REG_XMM && r.class_ <= TACHO_REG_ZMM && r.class_ > b->widest)
            b->widest = r.class_;
    }
}

static walk_step *next_step(chain *c, step_role role)
{
    if (c->count == CHAIN_MAX_STEPS) {
        c->failed = true;
        return NULL;
    }
    walk_step *step = &c->steps[c->count++];
    *step = (walk_step){.role = role, .from = CARRIER_NONE, .to = CARRIER_NONE};
    return step;
}

void put_instance(builder *b, uint8_t from, uint8_t to)
{
    const char *why;
    walk_step *step = next_step(b->c, STEP_INSTANCE);
    if (!step)
        return;
    step->from = from;
    step->to = to;
    b->c->failed |= instance_make(&step->insn, b->form.id, &b->choice, &why) != 0;
}

void put_support(builder *b, step_role role, const char *name, const instance_choice *choice)
{
    uint32_t form;
    const char *why;
    walk_step *step = next_step(b->c, role);
    b->c->failed |=
        !step || tacho_form_find(name, &form, NULL) || instance_make(&step->insn, form, choice, &why);
}

void put_registers(builder *b, step_role role, const char *name, int first, int second)
{
    instance_choice choice = {
        .base = CHAIN_BASE, .index = INSTANCE_NO_INDEX, .imm8 = 0x44, .imm32 = DIVIDEND};
    choice.reg[0] = (uint8_t)first;
    choice.reg[1] = choice.reg[2] = (uint8_t)second;
    put_support(b, role, name, &choice);
}

bool instance_updates(const builder *b, carriers *out)
{
    tacho_insn insn;
    carriers reads, writes;
    const char *why;
    if (instance_make(&insn, b->form.id, &b->choice, &why))
        return false;
    walk_accesses(&insn, &reads, &writes);
    for (unsigned i = 0; i < 2; i++)
        out->bits[i] = reads.bits[i] & writes.bits[i];
    return true;
}

static void break_general(builder *b, unsigned number)
{
    instance_choice choice = {.reg = {(uint8_t)number}, .imm32 = b->divides && number == 2 ? 0 : DIVIDEND};
    put_support(b, STEP_BREAK, "MOV (R32, I32)", &choice);
}

static void break_vector(builder *b, unsigned number)
{
    static const char *const moves[] = {"VMOVAPS (XMM, XMM)", "VMOVAPS (YMM, YMM)", "VMOVAPS (ZMM, ZMM)"};
    static const char *const ones[] = {"VPCMPEQD (XMM, XMM, XMM)", "VPCMPEQD (YMM, YMM, YMM)",
                                       "VPCMPEQD (YMM, YMM, YMM)"};
    unsigned width = b->widest - TACHO_REG_XMM;
    bool is_mask = b->gathers && b->form.visible_count == 3 && instance_kind(b->form.id, 2) >= KIND_XMM &&
                   instance_kind(b->form.id, 2) <= KIND_ZMM && b->choice.reg[2] == number;
    put_registers(b, STEP_BREAK,
                  is_mask  ? ones[width]
                  : b->vex ? moves[width]
                           : "MOVAPS (XMM, XMM)",
                  (int)number, CHAIN_CONSTANT);
}

void put_break(builder *b, unsigned carrier)
{
    if (carrier < CARRIER_VECTOR) {
        if (carrier != 4)
            break_general(b, carrier - CARRIER_GENERAL);
    } else if (carrier < CARRIER_K) {
        break_vector(b, carrier - CARRIER_VECTOR);
    } else if (carrier < CARRIER_MM) {
        put_registers(b, STEP_BREAK, "KXNORW (K, K, K)", (int)carrier - CARRIER_K, 7);
    } else if (carrier < CARRIER_ST) {
        put_registers(b, STEP_BREAK, "MOVQ (MM, MM)", (int)carrier - CARRIER_MM, 0);
    } else if (carrier == CARRIER_C || carrier == CARRIER_SPAZO) {
        put_registers(b, STEP_BREAK, "TEST (R64, R64)", CHAIN_CONSTANT, CHAIN_CONSTANT);
    } else if (carrier == CARRIER_MEMORY) {
        put_registers(b, STEP_BREAK, "MOV (M64, R64)", 0, CHAIN_CONSTANT);
    }
}

void put_breaks(builder *b, const carriers *keep)
{
    carriers updates;
    if (!instance_updates(b, &updates)) {
        b->c->failed = true;
        return;
    }
    for (unsigned c = 0; c < CARRIER_COUNT; c++) {
        bool with_carry =
            c == CARRIER_SPAZO && carriers_has(&updates, CARRIER_C) && !carriers_has(keep, CARRIER_C);
        bool flags_kept = (c == CARRIER_C || c == CARRIER_SPAZO) &&
                          (carriers_has(keep, CARRIER_C) || carriers_has(keep, CARRIER_SPAZO));
        if (carriers_has(&updates, c) && !carriers_has(keep, c) && !with_carry && !flags_kept)
            put_break(b, c);
    }
    if (b->gathers && !carriers_has(keep, CARRIER_VECTOR + b->choice.index)) {
        instance_choice zero = {.reg = {b->choice.index, b->choice.index, b->choice.index}};
        put_support(b, STEP_BREAK, "VPXOR (XMM, XMM, XMM)", &zero);
    }
}

size_t chain_bytes(const chain *c, uint8_t out[CHAIN_MAX_BYTES])
{
    size_t length = 0;
    for (unsigned i = 0; i < c->count; i++) {
        memcpy(out + length, c->steps[i].insn.bytes, c->steps[i].insn.length);
        length += c->steps[i].insn.length;
    }
    return length;
}

void chain_format(const chain *c, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (unsigned i = 0; i < c->count && used + 1 < size; i++) {
        char text[120];
        tacho_insn_format(&c->steps[i].insn, 0, 1, text, sizeof text);
        int n = snprintf(out + used, size - used, "%s%s", i ? "; " : "", text);
        used += n > 0 ? (size_t)n : 0;
    }
    if (used >= size && size > 4)
        memcpy(out + size - 4, "...", 4);
}
