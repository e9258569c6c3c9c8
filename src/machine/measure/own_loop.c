/* own_loop.c - how often a block's own loop runs, from the initial value of one register.
 *
 * A loop is counted when its last flags come from stepping a register (DEC, INC, ADD or SUB with an
 * immediate), or from comparing a register that is stepped by one such instruction with an immediate or with
 * a register that the block does not write, and no other branch stays in the block. Then the initial value is
 * the value at the end minus the steps, as long as that does not wrap around to where the branch is not
 * taken: a register of 32 bits has the same 20 steps of 2^28 before the end as it has 4 steps before. Loops
 * of other kinds are given a counter of their own instead (job_add_counter). */

#include "machine/measure/measure_block.h"
#include "x86/decode/ops.h"
#include "x86/decode/written.h"

static bool is_gpr(const tacho_operand *o)
{
    return o->kind == TACHO_OPERAND_REG && (o->reg.class_ == TACHO_REG_R32 || o->reg.class_ == TACHO_REG_R64);
}

/* Whether the instruction adds a constant to a register of 32 or 64 bits. */
static bool steps(const tacho_insn *insn, uint8_t *reg, int64_t *step, unsigned *bits)
{
    const tacho_operand *o = insn->operands;
    if (!insn->visible_count || !is_gpr(&o[0]) || !(o[0].access & TACHO_WRITE))
        return false;
    *reg = o[0].reg.number;
    *bits = o[0].reg.class_ == TACHO_REG_R64 ? 64 : 32;
    if (insn->operation == OP_INC || insn->operation == OP_DEC) {
        *step = insn->operation == OP_INC ? 1 : -1;
        return true;
    }
    if ((insn->operation == OP_ADD || insn->operation == OP_SUB) && insn->visible_count == 2 &&
        o[1].kind == TACHO_OPERAND_IMM) {
        *step = insn->operation == OP_ADD ? o[1].imm : -o[1].imm;
        return true;
    }
    if (insn->operation == OP_LEA && o[1].kind == TACHO_OPERAND_AGEN &&
        o[1].mem.base.class_ == TACHO_REG_R64 && o[1].mem.base.number == *reg &&
        o[1].mem.index.class_ == TACHO_REG_NONE && *bits == 64) {
        *step = o[1].mem.disp;
        return true;
    }
    return false;
}

/* The one instruction that writes `reg`; -1 when there is none or there are several. */
static long only_writer(const measure_block *b, uint8_t reg)
{
    long found = -1;
    for (size_t i = 0; i < b->count; i++)
        if (tacho_insn_general_written(&b->insns[i]) >> reg & 1) {
            if (found >= 0)
                return -1;
            found = (long)i;
        }
    return found;
}

/* The last instruction whose flags the branch sees. */
static long flags_of_branch(const measure_block *b)
{
    uint8_t needed = b->insns[b->count - 1].flags_read;
    for (size_t i = b->count - 1; i-- > 0;)
        if (b->insns[i].flags_written & needed)
            return (b->insns[i].flags_written & needed) == needed ? (long)i : -1;
    return -1;
}

static bool step_of(const measure_block *b, uint8_t reg, own_loop *out)
{
    uint8_t stepped;
    long writer = only_writer(b, reg);
    return writer >= 0 && steps(&b->insns[writer], &stepped, &out->step, &out->bits) && stepped == reg &&
           out->step;
}

/* Register `counted` is compared with `other`. */
static bool compared(const measure_block *b, const tacho_operand *counted, const tacho_operand *other,
                     const uint64_t gpr[16], own_loop *out)
{
    if (!is_gpr(counted) || !step_of(b, counted->reg.number, out) || counted->width_bits > out->bits)
        return false;
    out->compared_bits = counted->width_bits;
    out->reg = counted->reg.number;
    if (other->kind == TACHO_OPERAND_IMM)
        out->base = (uint64_t)other->imm;
    else if (is_gpr(other) && !(b->gprs_written >> other->reg.number & 1))
        out->base = gpr[other->reg.number];
    else
        return false;
    return true;
}

static uint64_t step_size(const own_loop *l)
{
    return l->step < 0 ? 0 - (uint64_t)l->step : (uint64_t)l->step;
}

/* How far from its value at the end the counter can start, with the branch taken all the way: for flags of
 * the step itself the end is 0. Whether the branch ends the loop there, single steps show (own_loop_holds).
 */
static uint64_t room(const own_loop *l, const tacho_insn *branch, bool swapped)
{
    static const struct {
        uint8_t condition;
        bool is_signed, below; /* taken for values below the end; else above */
    } rows[] = {{IF_BELOW, false, true},      {IF_NOT_ABOVE, false, true},  {IF_LESS, true, true},
                {IF_NOT_GREATER, true, true}, {IF_NOT_BELOW, false, false}, {IF_ABOVE, false, false},
                {IF_NOT_LESS, true, false},   {IF_GREATER, true, false}};
    const uint64_t most = l->compared_bits == 64 ? UINT64_MAX : UINT32_MAX, half = most / 2 + 1;
    const bool from_below = l->step > 0;
    const unsigned condition = insn_condition(branch);
    if (branch->operation != OP_IF)
        return 0;
    if (condition == IF_NOT_ZERO)
        return most;
    if (condition == (from_below != swapped ? IF_SIGN : IF_NOT_SIGN))
        return half - 1;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const uint64_t least_is_0 = (l->base & most) ^ (rows[i].is_signed ? half : 0);
        if (condition == rows[i].condition && (rows[i].below != swapped) == from_below)
            return from_below ? least_is_0 : most - least_is_0;
    }
    return 0;
}

/* Whether each iteration goes through all of the block, once: no other branch leads past an instruction, or
 * back. */
static bool is_straight(const measure_block *b)
{
    for (size_t i = 0; i + 1 < b->count; i++)
        if (b->insns[i].is_branch && measure_branch_stays(b, i))
            return false;
    return true;
}

own_loop measure_own_loop(const measure_block *b, const uint64_t gpr[16])
{
    own_loop out = {0};
    bool swapped = false;
    const tacho_insn *last = &b->insns[b->count - 1];
    long setter = last->is_conditional && is_straight(b) ? flags_of_branch(b) : -1;
    if (setter < 0)
        return out;
    const tacho_insn *insn = &b->insns[setter];
    if (steps(insn, &out.reg, &out.step, &out.bits) && insn->operation != OP_LEA) {
        out.counted = only_writer(b, out.reg) == setter && out.step;
        out.compared_bits = out.bits;
    } else if (insn->operation == OP_CMP) {
        const tacho_operand *o = insn->operands;
        out.counted = compared(b, &o[0], &o[1], gpr, &out);
        swapped = !out.counted;
        out.counted = out.counted || compared(b, &o[1], &o[0], gpr, &out);
    }
    if (out.counted)
        out.most = room(&out, last, swapped) / step_size(&out);
    return out;
}
