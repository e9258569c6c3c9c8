/* path_values.c - what instructions do to general registers, as far as it is sums and multiples. Numbers of
 * 32 bits are taken not to overflow, and not to be below 0. */
#include "program/hot/path_values.h"

#include "program/hot/loop_registers.h"
#include "x86/decode/ops.h"
#include "x86/decode/regs.h"

static const path_value unknown;

static path_value constant(int64_t c)
{
    return (path_value){.known = true, .constant = c};
}

static path_value plus(path_value a, const path_value *b, int64_t times)
{
    a.known = a.known && b->known;
    a.constant += times * b->constant;
    for (int i = 0; i < PATH_REGISTERS; i++)
        a.times[i] += times * b->times[i];
    return a.known ? a : unknown;
}

void path_values_start(path_values *v)
{
    memset(v, 0, sizeof *v);
    for (int i = 0; i < PATH_REGISTERS; i++) {
        v->registers[i].known = true;
        v->registers[i].times[i] = 1;
    }
}

static bool is_whole(const tacho_operand *o)
{
    return o->kind == TACHO_OPERAND_REG && reg_is_general(o->reg) && o->width_bits >= 32;
}

static path_value value_of(const path_values *v, const tacho_operand *o)
{
    return o->kind == TACHO_OPERAND_IMM    ? constant(o->imm)
           : o->kind == TACHO_OPERAND_AGEN ? path_address(v, &o->mem)
           : is_whole(o)                   ? v->registers[o->reg.number % PATH_REGISTERS]
                                           : unknown;
}

path_value path_address(const path_values *v, const tacho_mem *m)
{
    path_value out = constant(m->disp);
    if (m->vsib || m->base.class_ == TACHO_REG_RIP || m->segment.class_ != TACHO_REG_NONE)
        return unknown;
    if (reg_is_general(m->base))
        out = plus(out, &v->registers[m->base.number % PATH_REGISTERS], 1);
    if (reg_is_general(m->index))
        out = plus(out, &v->registers[m->index.number % PATH_REGISTERS], m->scale);
    return out;
}

/* What it writes to its first operand, a general register. */
static path_value result_of(const path_values *v, const tacho_insn *insn)
{
    const tacho_operand *to = &insn->operands[0], *last = &insn->operands[insn->visible_count - 1];
    const path_value zero = constant(0), one = constant(1), by = value_of(v, last),
                     first = value_of(v, &insn->operands[insn->visible_count == 3]);
    switch (insn->operation) {
    case OP_MOVE:
    case OP_SIGNED:
    case OP_LEA:
        return by;
    case OP_INC:
        return plus(value_of(v, to), &one, 1);
    case OP_DEC:
        return plus(value_of(v, to), &one, -1);
    case OP_ADD:
        return plus(first, &by, 1);
    case OP_SUB:
        return plus(first, &by, -1);
    case OP_XOR:
        return last->kind == TACHO_OPERAND_REG && reg_is_same(to->reg, last->reg) ? zero : unknown;
    case OP_SHL:
        return last->kind == TACHO_OPERAND_IMM && last->imm >= 0 && last->imm < 32
                   ? plus(zero, &first, (int64_t)1 << last->imm)
                   : unknown;
    case OP_IMUL:
        return last->kind == TACHO_OPERAND_IMM && insn->visible_count == 3 ? plus(zero, &first, last->imm)
                                                                           : unknown;
    default:
        return unknown;
    }
}

void path_values_step(path_values *v, const tacho_insn *insn)
{
    path_value first = unknown;
    const bool whole =
        insn->visible_count && is_whole(&insn->operands[0]) && (insn->operands[0].access & TACHO_WRITE);
    if (whole)
        first = result_of(v, insn);
    for (unsigned i = 0; i < insn->operand_count; i++) {
        const tacho_operand *o = &insn->operands[i];
        if (o->kind == TACHO_OPERAND_REG && reg_is_general(o->reg) && (o->access & TACHO_WRITE))
            v->registers[o->reg.number % PATH_REGISTERS] = whole && !i ? first : unknown;
    }
    for (int i = 0; insn->is_call && i < PATH_REGISTERS; i++)
        if (!(KEPT_IN_CALLS >> i & 1))
            v->registers[i] = unknown;
}

uint64_t path_value_of(const path_value *v, const uint64_t registers[PATH_REGISTERS])
{
    uint64_t out = (uint64_t)v->constant;
    for (int i = 0; i < PATH_REGISTERS; i++)
        out += (uint64_t)v->times[i] * registers[i];
    return out;
}

/* ---- loads ---- */

static int slot_of(tacho_reg r)
{
    return reg_is_general(r)  ? r.number % PATH_REGISTERS
           : reg_is_vector(r) ? PATH_REGISTERS + r.number % PATH_VECTORS
                              : -1;
}

uint64_t path_loads_address(const path_loads *l, const tacho_mem *m)
{
    int base = slot_of(m->base), index = slot_of(m->index);
    return (base < 0 ? 0 : l->of[base]) | (index < 0 ? 0 : l->of[index]);
}

uint64_t path_loads_step(path_loads *l, const tacho_insn *insn, uint64_t operands)
{
    uint64_t all = operands;
    const tacho_operand *a = &insn->operands[0], *b = &insn->operands[1];
    const bool zeroes = insn->operation == OP_XOR && insn->visible_count == 2 && operands_are_one_reg(a, b);
    for (unsigned i = 0; i < insn->operand_count && !zeroes; i++) {
        const tacho_operand *o = &insn->operands[i];
        int slot = o->kind == TACHO_OPERAND_REG && (o->access & TACHO_READ) ? slot_of(o->reg) : -1;
        all |= slot >= 0 ? l->of[slot] : 0;
        if (o->kind == TACHO_OPERAND_MEM || o->kind == TACHO_OPERAND_AGEN)
            all |= path_loads_address(l, &o->mem);
    }
    for (unsigned i = 0; i < insn->operand_count; i++) {
        const tacho_operand *o = &insn->operands[i];
        int slot = o->kind == TACHO_OPERAND_REG && (o->access & TACHO_WRITE) ? slot_of(o->reg) : -1;
        if (slot >= 0)
            l->of[slot] = o->access & TACHO_CONDITIONAL ? l->of[slot] | all : all;
    }
    for (int i = 0; insn->is_call && i < PATH_REGISTERS; i++)
        l->of[i] = KEPT_IN_CALLS >> i & 1 ? l->of[i] : 0;
    return zeroes ? 0 : all;
}
