/* false_dependency.c - advice on waiting for a value that does not matter: destinations that are read
 * although they are overwritten (popcnt, lzcnt, tzcnt on some cores, bsf and bsr, as uops.info shows),
 * instructions that keep the upper part of a vector register, and writes of 8 or 16 bits of a register, which
 * keep the rest (Agner Fog, Optimizing subroutines in assembly language, on false dependencies and partial
 * registers). */
#include <stdio.h>
#include <string.h>

#include "model/explain/explain_internal.h"
#include "x86/decode/encode.h"
#include "x86/decode/ops.h"

static bool counts(const tacho_insn *insn)
{
    uint8_t op = insn->operation;
    return op == OP_POPCNT || op == OP_LZCNT || op == OP_TZCNT || op == OP_BIT_SCAN;
}

/* The destination is no source, except as the operand whose upper part a vector instruction keeps. */
static bool is_candidate(const subject *s, uint32_t at)
{
    const tacho_insn *insn = insn_at(s, at);
    const tacho_reg target = insn->operands[0].reg;
    bool count = counts(insn), merge = insn_is(insn, INSN_MERGES);
    if ((!count && !merge) || insn->operands[0].kind != TACHO_OPERAND_REG || insn->mask ||
        target.number > 15 || target.class_ == TACHO_REG_R16)
        return false;
    int first_source = merge && insn->encoding != TACHO_ENC_LEGACY ? 2 : 1;
    if (first_source == 2 && !tacho_reg_same_full(insn->operands[1].reg, target))
        return false;
    for (int i = first_source; i < insn->visible_count; i++)
        if (operand_is_reg(&insn->operands[i], target) || operand_is_addressed_by(&insn->operands[i], target))
            return false;
    return true;
}

static uint8_t zeroed_before(const tacho_insn *insn, uint8_t *out)
{
    uint8_t n = encode_zeroing(insn->operands[0].reg, insn->encoding != TACHO_ENC_LEGACY, out);
    if (!n)
        return 0;
    memcpy(out + n, insn->bytes, insn->length);
    return (uint8_t)(n + insn->length);
}

static void say_false_dependency(const subject *s, const variant *v, char *out, size_t size)
{
    char insns[EXPLAIN_INSNS_TEXT];
    bool vector = false, scan = false;
    for (uint32_t k = 0; k < v->insn_count; k++) {
        vector |= insn_at(s, v->insns[k])->operands[0].reg.class_ >= TACHO_REG_XMM;
        scan |= insn_at(s, v->insns[k])->operation == OP_BIT_SCAN;
    }
    const tacho_insn *first = insn_at(s, v->insns[0]);
    const char *idiom = !vector ? "xor" : first->encoding == TACHO_ENC_LEGACY ? "xorps" : "vxorps";
    const char *provided = vector ? ", if the upper part is not needed"
                           : scan ? ", if its source is never 0"
                                  : "";
    explain_insns_text(v, insns, sizeof insns);
    if (v->insn_count == 1)
        snprintf(out, size, "breaking the false dependency of %s on %s by %s before it%s", insns,
                 tacho_reg_name(first->operands[0].reg), idiom, provided);
    else
        snprintf(out, size, "breaking the false dependencies of %s on their destinations by %s before each%s",
                 insns, idiom, provided);
}

/* ---- writes of part of a register ---- */

/* More of the register is read somewhere than `bits`. */
static bool reads_more(const tacho_insn *insn, tacho_reg reg, unsigned bits)
{
    for (int i = 0; i < insn->operand_count; i++) {
        const tacho_operand *o = &insn->operands[i];
        bool more = o->width_bits > bits || o->reg.class_ == TACHO_REG_R8H;
        if ((operand_is_reg(o, reg) && (o->access & TACHO_READ) && more) || operand_is_addressed_by(o, reg))
            return true;
    }
    return false;
}

/* A move to 8 or 16 bits of a register of which the block reads no more. */
static bool is_partial_move(const subject *s, uint32_t at)
{
    const tacho_insn *insn = insn_at(s, at);
    uint8_t bytes[TACHO_MAX_INSN_BYTES];
    const tacho_operand *o = &insn->operands[1];
    if (insn->visible_count != 2 || (o->kind != TACHO_OPERAND_MEM && o->kind != TACHO_OPERAND_REG) ||
        !encode_widened_move(insn, bytes))
        return false;
    const tacho_operand *target = &insn->operands[0];
    for (size_t i = 0; i < s->p->instruction_count; i++)
        if (reads_more(insn_at(s, i), target->reg, target->width_bits))
            return false;
    return true;
}

ADVICE(false_dependency, DEPENDENCIES, .wanted = is_candidate, .rewrite = zeroed_before,
       .say = say_false_dependency);
ADVICE(partial_register, COUNT, .wanted = is_partial_move, .rewrite = encode_widened_move,
       .words = {"movzx to 32 bits in place of mov in ",
                 ", which waits for the rest of its register (if nobody needs that later)"});
