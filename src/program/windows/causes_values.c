/* causes_values.c - subnormal numbers: operands, and results, of floating-point arithmetic with SSE and AVX.
 * Operands are looked at before the instruction, the result when the next one is about to be executed. x87
 * and masked instructions are not looked at, comparisons and moves neither: these are not slower. */
#include <string.h>

#include "program/windows/causes_internal.h"
#include "x86/decode/regs.h"

enum {
    MXCSR_DENORMALS_ARE_ZERO = 1 << 6
};

float_arithmetic causes_floats(const tacho_insn *insn)
{
    return insn->length && !insn->mask ? tacho_insn_floats(insn) : (float_arithmetic){0};
}

static bool is_single(uint8_t kind)
{
    return kind == FLOAT_SS || kind == FLOAT_PS;
}

static bool any_subnormal(uint8_t kind, const uint8_t *at, size_t bytes)
{
    size_t each = is_single(kind) ? 4 : 8;
    size_t count = kind == FLOAT_SS || kind == FLOAT_SD ? 1 : bytes / each;
    for (size_t i = 0; i < count; i++, at += each) {
        uint64_t value = 0;
        memcpy(&value, at, each);
        uint64_t fraction = each == 4 ? value & 0x7fffff : value & 0xfffffffffffff;
        uint64_t exponent = each == 4 ? value >> 23 & 0xff : value >> 52 & 0x7ff;
        if (!exponent && fraction)
            return true;
    }
    return false;
}

static void see_result(causes *c, const step *s)
{
    uint8_t value[64];
    awaited_result *r = &c->result;
    if (!r->waits || !s->values)
        return;
    r->waits = false;
    if (s->values->vector(s->values->payload, r->number, value) && any_subnormal(r->kind, value, r->bytes))
        c->steps[c->step_count - 2].seen |= SEEN_SUBNORMAL;
}

static bool operand_subnormal(const step *s, const tacho_operand *o, uint8_t kind, bool widens)
{
    uint8_t value[64];
    size_t bytes = o->width_bits / 8u;
    bytes = widens ? s->insn->operands[0].width_bits / 16u : bytes;
    bool scalar = kind == FLOAT_SS || kind == FLOAT_SD;
    size_t least = scalar ? (is_single(kind) ? 4u : 8u) : bytes;
    if (bytes > sizeof value || bytes < least)
        return false;
    if (o->kind == TACHO_OPERAND_REG)
        return reg_is_vector(o->reg) && s->values->vector(s->values->payload, o->reg.number, value) &&
               any_subnormal(kind, value, least);
    if (o->kind != TACHO_OPERAND_MEM)
        return false;
    for (size_t i = 0; i < s->access_count; i++)
        if (!s->accesses[i].store && s->accesses[i].bytes <= sizeof value && s->accesses[i].bytes >= least)
            return s->values->memory(s->values->payload, s->accesses[i].address, value, least) &&
                   any_subnormal(kind, value, least);
    return false;
}

void causes_see_values(causes *c, const step *s, logged_step *l)
{
    see_result(c, s);
    const float_arithmetic notes = c->notes[l->site];
    uint32_t mxcsr;
    if (!notes.operation || !s->values || !s->values->mxcsr(s->values->payload, &mxcsr))
        return;
    bool widens = notes.reads == FLOAT_PS && notes.writes == FLOAT_PD; /* of the lower half */
    l->seen |= SEEN_VALUES;
    for (int i = 0; i < s->insn->visible_count; i++) {
        const tacho_operand *o = &s->insn->operands[i];
        if ((o->access & TACHO_READ) && !(mxcsr & MXCSR_DENORMALS_ARE_ZERO) &&
            operand_subnormal(s, o, notes.reads, widens))
            l->seen |= SEEN_SUBNORMAL;
        if ((o->access & TACHO_WRITE) && o->kind == TACHO_OPERAND_REG && reg_is_vector(o->reg))
            c->result = (awaited_result){true, notes.writes, o->reg.number, o->width_bits / 8u};
    }
}
