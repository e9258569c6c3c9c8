/* unroll.c - advice on unrolling, and the unrolled code itself. Copies of the block follow each other. Where
 * the number of iterations is known, the copies lack the branches between them and what only these need. A
 * compiler would fold steps of pointers into displacements; here they stay, so that the code does the same.
 */
#include <stdio.h>
#include <string.h>

#include "model/explain/explain_internal.h"
#include "x86/decode/encode.h"
#include "x86/decode/ops.h"

enum {
    MOST_INSNS = 512 /* unrolled */
};

static bool counts(const tacho_insn *insn)
{
    uint8_t op = insn->operation;
    return op == OP_INC || op == OP_DEC || op == OP_ADD || op == OP_SUB;
}

/* A register is stepped by a constant, and nothing else reads it: its last copy can do the steps of all. */
static bool is_counter(const subject *s, uint32_t i)
{
    const tacho_insn *insn = insn_at(s, i);
    const tacho_operand *target = &insn->operands[0];
    if (!counts(insn) || target->kind != TACHO_OPERAND_REG || target->width_bits < 32 ||
        (insn->visible_count == 2 && !insn->imm_bytes))
        return false;
    for (uint32_t k = 0; k < s->p->instruction_count; k++)
        if (k != i &&
            (insn_reads_reg(insn_at(s, k), target->reg) || insn_writes_reg(insn_at(s, k), target->reg)))
            return false;
    return true;
}

/* Whether it is a constant, a register that the block does not change, or one that is stepped by a constant.
 */
static bool is_predictable(const subject *s, const tacho_operand *o)
{
    if (o->kind != TACHO_OPERAND_REG)
        return o->kind == TACHO_OPERAND_IMM;
    for (uint32_t k = 0; k < s->p->instruction_count; k++) {
        const tacho_insn *insn = insn_at(s, k);
        bool steps = counts(insn) && (insn->visible_count == 1 || insn->imm_bytes);
        if (insn_writes_reg(insn, o->reg) && !steps)
            return false;
    }
    return true;
}

/* The number of iterations is known before the loop: copies need no branch of their own. */
static bool is_counted(const subject *s, uint32_t i)
{
    const tacho_insn *insn = insn_at(s, i);
    return insn->operation == OP_CMP && is_predictable(s, &insn->operands[0]) &&
           is_predictable(s, &insn->operands[1]);
}

/* Only the branch, which is the last instruction, reads the flags of the instruction before it. */
static bool flags_for_branch_only(const subject *s, uint32_t i)
{
    uint8_t pending = insn_at(s, i)->flags_written;
    for (uint32_t k = 0; pending && k < i; k++) {
        if (insn_at(s, k)->flags_read & pending)
            return false;
        pending &= (uint8_t)~insn_at(s, k)->flags_written;
    }
    return true;
}

/* How many instructions each copy but the last has. Where each iteration decides whether there is another
 * one, copies keep the branch. */
static uint32_t length_of_copies(const subject *s)
{
    uint32_t n = (uint32_t)s->p->instruction_count;
    if (s->p->mode != TACHO_MODE_LOOP || !insn_at(s, n - 1)->is_branch)
        return n;
    bool counted = n > 1 && (is_counted(s, n - 2) || is_counter(s, n - 2)) && flags_for_branch_only(s, n - 2);
    return counted ? n - 2 : n;
}

static bool put_copy(const subject *s, tacho_reg reg, uint8_t to, uint32_t end, uint8_t *out, size_t *size)
{
    for (uint32_t i = 0; i < end; i++) {
        const tacho_insn *insn = insn_at(s, i);
        uint8_t n = insn->length;
        if (reg.class_ == TACHO_REG_NONE)
            memcpy(out + *size, insn->bytes, n);
        else
            n = encode_renamed(insn, reg, to, out + *size);
        if (!n)
            return false;
        *size += n;
    }
    return true;
}

variant *explain_add_unrolled(subject *s, variant_list *list, uint32_t copies, tacho_reg reg,
                              const uint8_t *others)
{
    uint32_t count = (uint32_t)s->p->instruction_count, end = length_of_copies(s);
    if (copies * count > MOST_INSNS)
        return NULL;
    uint8_t *bytes = explain_alloc(s, (size_t)copies * count * TACHO_MAX_INSN_BYTES);
    variant *v = bytes ? explain_add(s, list) : NULL;
    if (!v)
        return NULL;
    v->size = 0;
    for (uint32_t k = 0; k < copies; k++) {
        bool last = k + 1 == copies;
        uint8_t to = last || reg.class_ == TACHO_REG_NONE ? reg.number : others[k];
        if (!put_copy(s, reg, to, last ? count : end, bytes, &v->size)) {
            list->count--;
            return NULL;
        }
    }
    v->code = bytes;
    v->iterations = copies;
    v->reg = reg;
    return v;
}

static void find_unroll(subject *s, variant_list *out)
{
    if (s->p->mode == TACHO_MODE_LOOP && insn_at(s, s->p->instruction_count - 1)->is_branch)
        for (uint32_t copies = 2; copies <= UNROLL_MOST; copies *= 2)
            explain_add_unrolled(s, out, copies, (tacho_reg){TACHO_REG_NONE, 0}, NULL);
}

static void say_unroll(const subject *s, const variant *v, char *out, size_t size)
{
    snprintf(out, size, "unrolling the loop %u times", v->iterations);
}

ADVICE(unroll, COUNT, .find = find_unroll, .say = say_unroll, .step = 0.05);

/* ---- reductions ---- */

/* Advice on reductions: where the critical cycle is one register that is only added to (or multiplied,
 * compared ...), the block is unrolled with several such registers and simulated (the classic remedy: Intel,
 * Optimization Reference Manual, on unrolling; Fog, Optimizing subroutines; see unroll.c). */

/* How many operands read the register, in an address, too. */
static int reads_of(const tacho_insn *insn, tacho_reg reg)
{
    int n = 0;
    for (const tacho_operand *o = insn->operands; o < insn->operands + insn->operand_count; o++)
        n += (operand_is_reg(o, reg) && (o->access & TACHO_READ)) || operand_is_addressed_by(o, reg);
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
