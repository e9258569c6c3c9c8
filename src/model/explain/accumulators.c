/* accumulators.c - advice on reductions: where the critical cycle is one register that is only added to (or
 * multiplied, compared ...), the block is unrolled with several such registers and simulated (the classic
 * remedy: Intel, Optimization Reference Manual, on unrolling; Fog, Optimizing subroutines; see unroll.c). */
#include <stdio.h>

#include "model/explain/explain_internal.h"
#include "x86/decode/ops.h"

/* How many operands read the register, in an address, too. */
static int reads_of(const tacho_insn *insn, tacho_reg reg)
{
    int n = 0;
    for (int i = 0; i < insn->operand_count; i++) {
        const tacho_operand *o = &insn->operands[i];
        n += (operand_is_reg(o, reg) && (o->access & TACHO_READ)) || operand_is_addressed_by(o, reg);
    }
    return n;
}

/* reg = reg op something else. */
static bool accumulates(const tacho_insn *insn, tacho_reg reg)
{
    if (!insn_is(insn, INSN_REDUCES) || !operand_is_reg(&insn->operands[0], reg) || insn->mask ||
        insn->operands[0].width_bits < 32 || reads_of(insn, reg) != 1)
        return false;
    if (insn->imm_bytes)
        return false;
    bool three = insn->visible_count == 3 && !insn_is(insn, INSN_FUSES);
    if (!three)
        return insn->operands[0].access & TACHO_READ;
    return operand_is_reg(&insn->operands[1], reg) ||
           (operand_is_reg(&insn->operands[2], reg) && !insn_is(insn, INSN_ORDERED));
}

/* Of several operations on one register the order matters, unless all add. */
static bool may_mix(const tacho_insn *a, const tacho_insn *b)
{
    return a->mnemonic == b->mnemonic || (insn_is(a, INSN_SUMS) && insn_is(b, INSN_SUMS));
}

static bool is_critical(const subject *s, uint32_t i)
{
    return s->p->instructions[i]->notes & TACHO_NOTE_CRITICAL;
}

/* Whether only reductions of one kind touch the register, nobody wants their flags, and the critical cycle is
 * these. */
static bool is_accumulator(const subject *s, tacho_reg reg)
{
    const tacho_insn *first = NULL;
    for (uint32_t i = 0; i < s->p->instruction_count; i++) {
        const tacho_insn *insn = insn_at(s, i);
        if (!insn_reads_reg(insn, reg) && !insn_writes_reg(insn, reg)) {
            if (is_critical(s, i))
                return false;
            continue;
        }
        first = first ? first : insn;
        if (!accumulates(insn, reg) || !may_mix(first, insn) || explain_flags_used(s, i))
            return false;
    }
    return true;
}

static void find_accumulators(subject *s, variant_list *out)
{
    uint8_t others[UNROLL_MOST];
    uint32_t count;
    const uint32_t *insns = explain_find_insns(s, is_critical, &count);
    if (!count)
        return;
    const tacho_operand *target = &insn_at(s, insns[0])->operands[0];
    if (target->kind != TACHO_OPERAND_REG || target->reg.number > 15 || !is_accumulator(s, target->reg))
        return;
    uint32_t free = explain_free_registers(s, target->reg, others, UNROLL_MOST - 1);
    for (uint32_t copies = 2; copies <= free + 1; copies++) {
        variant *v =
            copies <= 4 || copies % 2 == 0 ? explain_add_unrolled(s, out, copies, target->reg, others) : NULL;
        if (v) {
            v->insns = insns;
            v->insn_count = count;
        }
    }
}

static void say_accumulators(const subject *s, const variant *v, char *out, size_t size)
{
    char insns[EXPLAIN_INSNS_TEXT];
    snprintf(out, size, "%u accumulators in place of %s (%s), the code unrolled %u times%s", v->iterations,
             tacho_reg_name(v->reg), explain_insns_text(v, insns, sizeof insns), v->iterations,
             insn_is(insn_at(s, v->insns[0]), INSN_FLOATS) ? " (results may be rounded differently)" : "");
}

ADVICE(accumulators, DEPENDENCIES, .find = find_accumulators, .say = say_accumulators, .step = 0.05);
