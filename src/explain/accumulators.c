/* accumulators.c - advice on reductions: where the critical cycle is one register that is only added to (or
 * multiplied, compared ...), the block is unrolled with several such registers and simulated (the classic
 * remedy: Intel, Optimization Reference Manual, on unrolling; Fog, Optimizing subroutines). The copies are
 * the block as it is, without the branches between them: what a compiler could fold is not folded. */
#include <stdio.h>
#include <string.h>

#include "decode/encode.h"
#include "explain/explain.h"

enum {
    MOST_COPIES = 8,
    MOST_INSNS = 512 /* unrolled */
};

/* Operations whose order over the iterations can be changed (in floating point: up to rounding). */
static const char *const reductions[] = {
    "ADD",         "SUB",          "IMUL",         "AND",          "OR",           "XOR",
    "ADDSS",       "ADDSD",        "ADDPS",        "ADDPD",        "SUBSS",        "SUBSD",
    "SUBPS",       "SUBPD",        "MULSS",        "MULSD",        "MULPS",        "MULPD",
    "MINSS",       "MINSD",        "MINPS",        "MINPD",        "MAXSS",        "MAXSD",
    "MAXPS",       "MAXPD",        "PADDB",        "PADDW",        "PADDD",        "PADDQ",
    "PSUBB",       "PSUBW",        "PSUBD",        "PSUBQ",        "PMULLW",       "PMULLD",
    "PAND",        "POR",          "PXOR",         "PMINSD",       "PMINUD",       "PMINUB",
    "PMINSW",      "PMAXSD",       "PMAXUD",       "PMAXUB",       "PMAXSW",       "VADDSS",
    "VADDSD",      "VADDPS",       "VADDPD",       "VSUBSS",       "VSUBSD",       "VSUBPS",
    "VSUBPD",      "VMULSS",       "VMULSD",       "VMULPS",       "VMULPD",       "VMINSS",
    "VMINSD",      "VMINPS",       "VMINPD",       "VMAXSS",       "VMAXSD",       "VMAXPS",
    "VMAXPD",      "VPADDB",       "VPADDW",       "VPADDD",       "VPADDQ",       "VPSUBB",
    "VPSUBW",      "VPSUBD",       "VPSUBQ",       "VPMULLD",      "VPAND",        "VPOR",
    "VPXOR",       "VPMINSD",      "VPMINUD",      "VPMINUB",      "VPMINSW",      "VPMAXSD",
    "VPMAXUD",     "VPMAXUB",      "VPMAXSW",      "VFMADD231SS",  "VFMADD231SD",  "VFMADD231PS",
    "VFMADD231PD", "VFNMADD231SS", "VFNMADD231SD", "VFNMADD231PS", "VFNMADD231PD", NULL};
static const char *const not_commutative[] = {"VSUBSS", "VSUBSD", "VSUBPS", "VSUBPD", "VPSUBB",
                                              "VPSUBW", "VPSUBD", "VPSUBQ", NULL};
static const char *const fused[] = {"VFMADD231SS",  "VFMADD231SD",  "VFMADD231PS",
                                    "VFMADD231PD",  "VFNMADD231SS", "VFNMADD231SD",
                                    "VFNMADD231PS", "VFNMADD231PD", NULL};
static const char *const compares[] = {"CMP", "TEST", NULL};

static bool is_operand(const tacho_operand *o, tacho_reg reg)
{
    return o->kind == TACHO_OPERAND_REG && tacho_reg_same_full(o->reg, reg);
}

/* How often the register is an operand that is read, an address included. */
static int reads_of(const tacho_insn *insn, tacho_reg reg)
{
    int n = 0;
    for (int i = 0; i < insn->operand_count; i++) {
        const tacho_operand *o = &insn->operands[i];
        n += is_operand(o, reg) && (o->access & TACHO_READ);
        if (o->kind == TACHO_OPERAND_MEM || o->kind == TACHO_OPERAND_AGEN)
            n += tacho_reg_same_full(o->mem.base, reg) + tacho_reg_same_full(o->mem.index, reg);
    }
    return n;
}

/* reg = reg op something else. */
static bool accumulates(const tacho_insn *insn, tacho_reg reg)
{
    if (!insn_is(insn, reductions) || !is_operand(&insn->operands[0], reg) || insn->mask ||
        insn->operands[0].width_bits < 32 || reads_of(insn, reg) != 1)
        return false;
    if (insn->imm_bytes)
        return false;
    bool three = insn->visible_count == 3 && !insn_is(insn, fused);
    if (!three)
        return insn->operands[0].access & TACHO_READ;
    return is_operand(&insn->operands[1], reg) ||
           (is_operand(&insn->operands[2], reg) && !insn_is(insn, not_commutative));
}

/* Whether only reductions touch the register, and the critical cycle is these. */
static bool is_accumulator(const subject *s, tacho_reg reg)
{
    for (size_t i = 0; i < s->p->instruction_count; i++) {
        const tacho_insn *insn = insn_at(s, i);
        bool touches = insn_reads_reg(insn, reg) || insn_writes_reg(insn, reg);
        if (touches && !accumulates(insn, reg))
            return false;
        if (!touches && (s->p->instructions[i].notes & TACHO_NOTE_CRITICAL))
            return false;
    }
    return true;
}

static bool is_used(const subject *s, tacho_reg reg)
{
    for (size_t i = 0; i < s->p->instruction_count; i++)
        if (insn_reads_reg(insn_at(s, i), reg) || insn_writes_reg(insn_at(s, i), reg))
            return true;
    return false;
}

/* Registers of the same kind that the block does not use; returns how many. */
static uint32_t find_free(const subject *s, tacho_reg like, uint8_t *out, uint32_t wanted)
{
    uint32_t n = 0;
    bool general = like.class_ <= TACHO_REG_R64;
    for (uint8_t k = 0; k < 16 && n < wanted; k++) {
        tacho_reg reg = {like.class_, k};
        if (!(general && k == 4) && !is_used(s, reg))
            out[n++] = k;
    }
    return n;
}

/* Instructions at the end that only the last copy has: the branch, and the compare that it needs. */
static uint32_t loop_end(const subject *s)
{
    uint32_t n = (uint32_t)s->p->instruction_count;
    if (s->p->mode != TACHO_MODE_LOOP || !insn_at(s, n - 1)->is_branch)
        return n;
    n--;
    return n && insn_is(insn_at(s, n - 1), compares) ? n - 1 : n;
}

/* One copy of the block with `reg` renamed; false where an instruction cannot be. */
static bool put_copy(const subject *s, tacho_reg reg, uint8_t to, uint32_t end, uint8_t *out, size_t *size)
{
    for (uint32_t i = 0; i < end; i++) {
        uint8_t n = encode_renamed(insn_at(s, i), reg, to, out + *size);
        if (!n)
            return false;
        *size += n;
    }
    return true;
}

static void add_unrolled(subject *s, variant_list *out, tacho_reg reg, uint32_t copies, const uint8_t *others,
                         const uint32_t *insns, uint32_t insn_count)
{
    uint32_t count = (uint32_t)s->p->instruction_count, end = loop_end(s);
    uint8_t *bytes = explain_alloc(s, (size_t)copies * count * TACHO_MAX_INSN_BYTES);
    variant *v = bytes ? explain_add(s, out) : NULL;
    if (!v)
        return;
    v->size = 0;
    for (uint32_t k = 0; k < copies; k++)
        if (!put_copy(s, reg, k + 1 < copies ? others[k] : reg.number, k + 1 < copies ? end : count, bytes,
                      &v->size)) {
            out->count--;
            return;
        }
    v->code = bytes;
    v->iterations = copies;
    v->reg = reg;
    explain_set_insns(s, v, insns, insn_count);
}

static void find_accumulators(subject *s, variant_list *out)
{
    uint8_t others[MOST_COPIES];
    uint32_t *insns = explain_alloc(s, (s->p->instruction_count + 1) * sizeof *insns), count = 0;
    if (!insns || !s->p->critical_cycle_length)
        return;
    for (uint32_t i = 0; i < s->p->instruction_count; i++)
        if (s->p->instructions[i].notes & TACHO_NOTE_CRITICAL)
            insns[count++] = i;
    const tacho_operand *target = &insn_at(s, insns[0])->operands[0];
    if (target->kind != TACHO_OPERAND_REG || target->reg.number > 15 || !is_accumulator(s, target->reg))
        return;
    uint32_t free = find_free(s, target->reg, others, MOST_COPIES - 1);
    for (uint32_t copies = 2; copies <= free + 1 && copies * s->p->instruction_count <= MOST_INSNS; copies++)
        if (copies <= 4 || copies % 2 == 0)
            add_unrolled(s, out, target->reg, copies, others, insns, count);
}

/* Vector operations on integers have names that begin with P or VP. */
static bool is_floating_point(const tacho_insn *insn)
{
    const char *name = tacho_mnemonic_name(insn->mnemonic);
    return insn->operands[0].reg.class_ >= TACHO_REG_XMM && name[name[0] == 'V'] != 'P';
}

static void say_accumulators(const subject *s, const variant *v, char *out, size_t size)
{
    char insns[EXPLAIN_INSNS_TEXT];
    snprintf(out, size, "%u accumulators in place of %s (%s), the code unrolled %u times%s", v->iterations,
             tacho_reg_name(v->reg), explain_insns_text(v, insns, sizeof insns), v->iterations,
             is_floating_point(insn_at(s, v->insns[0])) ? " (results may be rounded differently)" : "");
}

const advice_kind explain_accumulators = {"accumulators", TACHO_WHAT_DEPENDENCIES, find_accumulators,
                                          say_accumulators};
