/* explain_insns.c - advice on single instructions: fusion, wide divisions, the renamer, false dependencies.
 */
#include <stdio.h>
#include <string.h>

#include "model/explain/explain_internal.h"
#include "x86/decode/encode.h"
#include "x86/decode/ops.h"

/* ---- macro-fusion: a compare that stands apart from its branch ---- */

/* The instruction that sets the flags which the last one, a conditional branch, reads; -1 where it is not in
 * the block. */
static int find_flag_writer(const subject *s)
{
    int last = (int)s->p->instruction_count - 1;
    const tacho_insn *branch = insn_at(s, (size_t)last);
    if (!branch->is_conditional || !branch->flags_read)
        return -1;
    for (int i = last - 1; i >= 0; i--)
        if (insn_at(s, (size_t)i)->flags_written & branch->flags_read)
            return i;
    return -1;
}

/* Neither reads nor writes what the other writes. */
static bool may_swap(const tacho_insn *a, const tacho_insn *b)
{
    const tacho_insn *pair[2] = {a, b};
    for (int k = 0; k < 2; k++) {
        const tacho_insn *one = pair[k], *other = pair[1 - k];
        if (one->flags_written & (other->flags_read | other->flags_written))
            return false;
        if (insn_accesses_memory(one, TACHO_WRITE) && insn_accesses_memory(other, TACHO_READ | TACHO_WRITE))
            return false;
        for (const tacho_operand *o = one->operands; o < one->operands + one->operand_count; o++)
            if (o->kind == TACHO_OPERAND_REG && (o->access & TACHO_WRITE) &&
                (insn_reads_reg(other, o->reg) || insn_writes_reg(other, o->reg)))
                return false;
    }
    return !a->is_branch && !b->is_branch && !b->is_call && !b->is_ret && !b->serializing;
}

/* The compare moved down to its branch, where that changes no result. */
static void find_macro_fusion(subject *s, variant_list *out)
{
    uint32_t last = (uint32_t)s->p->instruction_count - 1;
    int writer = find_flag_writer(s);
    if (writer < 0 || (uint32_t)writer + 1 >= last)
        return;
    const tacho_insn *compare = insn_at(s, (size_t)writer);
    for (uint32_t i = (uint32_t)writer + 1; i < last; i++)
        if (!may_swap(compare, insn_at(s, i)))
            return;
    uint8_t *bytes = explain_alloc(s, s->size);
    variant *v = bytes ? explain_add(s, out) : NULL;
    if (!v)
        return;
    uint32_t from = s->p->instructions[writer]->code_offset, to = s->p->instructions[last]->code_offset;
    memcpy(bytes, s->code, s->size);
    memmove(bytes + from, bytes + from + compare->length, to - from - compare->length);
    memcpy(bytes + to - compare->length, compare->bytes, compare->length);
    v->code = bytes;
    explain_set_insns(s, v, (const uint32_t[]){(uint32_t)writer, last}, 2);
}

static void say_macro_fusion(const subject *s, const variant *v, char *out, size_t size)
{
    snprintf(out, size, "moving instruction %u directly before the branch, instruction %u (macro-fusion)",
             v->insns[0], v->insns[1]);
}

/* ---- unlamination ---- */

static bool is_unlaminated_by_index(const subject *s, uint32_t i)
{
    uint8_t bytes[TACHO_MAX_INSN_BYTES];
    const tacho_insn_report *r = s->p->instructions[i];
    if (!(r->notes & TACHO_NOTE_UNLAMINATED))
        return false;
    for (const tacho_operand *o = r->insn->operands; o < r->insn->operands + r->insn->visible_count; o++)
        if (o->kind == TACHO_OPERAND_MEM && o->mem.index.class_ != TACHO_REG_NONE && !o->mem.vsib)
            return encode_without_index(r->insn, bytes) > 0;
    return false;
}

ADVICE(macro_fusion, COUNT, .find = find_macro_fusion, .say = say_macro_fusion);
ADVICE(unlamination, COUNT, .wanted = is_unlaminated_by_index, .rewrite = encode_without_index,
       .words = {"no index register in the address of ", " (it undoes micro-fusion; use a pointer)"});

/* ---- wide divisions ---- */

/* Advice on divisions that are wider than their operands: DIV by a 64-bit register where the code before it
 * shows that the upper halves of RAX and the divisor are zero, and RDX is. The 32-bit division then has the
 * same quotient and remainder, and its results are zero-extended as well. */

/* The last instruction before `at`, in the same iteration, that writes the register; NULL without one. */
static const tacho_insn *writer_before(const subject *s, uint32_t at, tacho_reg reg)
{
    while (at-- > 0)
        if (insn_writes_reg(insn_at(s, at), reg))
            return insn_at(s, at);
    return NULL;
}

/* It leaves the upper half zero: a 32-bit write that always happens. */
static bool zero_extends(const tacho_insn *insn, tacho_reg reg)
{
    for (int i = 0; insn && i < insn->operand_count; i++) {
        const tacho_operand *o = &insn->operands[i];
        if (operand_is_reg(o, reg) && (o->access & TACHO_WRITE))
            return o->reg.class_ == TACHO_REG_R32 && !(o->access & TACHO_CONDITIONAL);
    }
    return false;
}

static bool zeroes(const tacho_insn *insn, tacho_reg reg)
{
    return insn && insn->operation == OP_XOR && zero_extends(insn, reg) &&
           operands_are_one_reg(&insn->operands[0], &insn->operands[1]);
}

static bool is_too_wide(const subject *s, uint32_t i)
{
    const tacho_reg rax = {TACHO_REG_R64, 0}, rdx = {TACHO_REG_R64, 2};
    const tacho_insn *insn = insn_at(s, i);
    const tacho_operand *divisor = &insn->operands[0];
    return insn->operation == OP_DIV && insn->operand_size == 64 && divisor->kind == TACHO_OPERAND_REG &&
           zeroes(writer_before(s, i, rdx), rdx) && zero_extends(writer_before(s, i, rax), rax) &&
           zero_extends(writer_before(s, i, divisor->reg), divisor->reg);
}

ADVICE(narrow_division, COUNT, .wanted = is_too_wide, .rewrite = encode_with_32_bits,
       .words = {"a 32-bit division in ", ", whose operands have no more bits"});

/* ---- what the renamer does with registers ---- */

/* Advice on what the renamer does with registers: merging AH..DH into their registers, and moves that find no
 * free slot to be eliminated with (uiCA paper, section 4.1.4). */

static void find_high8_merge(subject *s, variant_list *out)
{
    tacho_arch *arch;
    variant *v = explain_add_noted(s, out, TACHO_NOTE_HIGH8_MERGE, &arch);
    if (v)
        v->options.ideal |= TACHO_IDEAL_HIGH8_MERGES;
}

/* Moves that can be eliminated on some cores, but are executed here. */
static bool is_executed_move(const subject *s, uint32_t i)
{
    const tacho_insn_report *r = s->p->instructions[i];
    tacho_form form;
    tacho_figures f;
    return r->uops_executed > 0 && r->insn->visible_count == 2 &&
           r->insn->operands[0].kind == TACHO_OPERAND_REG && r->insn->operands[1].kind == TACHO_OPERAND_REG &&
           !tacho_insndb_match(s->p->arch, r->insn, &form, &f) && f.base.uops == 0 && f.has_same_register;
}

static void find_move_elimination(subject *s, variant_list *out)
{
    tacho_arch *arch;
    uint32_t count;
    const uint32_t *insns = explain_find_insns(s, is_executed_move, &count);
    variant *v = count ? explain_add_arch(s, out, &arch) : NULL;
    if (!v)
        return;
    v->insns = insns;
    v->insn_count = count;
    if (arch->move_elim_slots_gpr)
        arch->move_elim_slots_gpr = TACHO_SLOTS_UNLIMITED;
    if (arch->move_elim_slots_simd)
        arch->move_elim_slots_simd = TACHO_SLOTS_UNLIMITED;
}

static void say_move_elimination(const subject *s, const variant *v, char *out, size_t size)
{
    char insns[EXPLAIN_INSNS_TEXT];
    snprintf(out, size,
             "always eliminating the move%s of %s (the %u slots for shared registers run out; overwrite "
             "copies, or what they are copied from, sooner)",
             v->insn_count == 1 ? "" : "s", explain_insns_text(v, insns, sizeof insns),
             s->p->instructions[v->insns[0]]->insn->operands[0].reg.class_ >= TACHO_REG_XMM
                 ? s->p->arch->move_elim_slots_simd
                 : s->p->arch->move_elim_slots_gpr);
}

ADVICE(high8_merge, COUNT, .find = find_high8_merge,
       .words = {"no write of ah, bh, ch or dh before ",
                 ", where it has to be merged into the whole register (a µop that is issued alone)"});
ADVICE(move_elimination, COUNT, .find = find_move_elimination, .say = say_move_elimination);

/* ---- waiting for a value that does not matter ---- */

/* Advice on waiting for a value that does not matter: destinations that are read although they are
 * overwritten (popcnt, lzcnt, tzcnt on some cores, bsf and bsr, as uops.info shows), instructions that keep
 * the upper part of a vector register, and writes of 8 or 16 bits of a register, which keep the rest (Agner
 * Fog, Optimizing subroutines in assembly language, on false dependencies and partial registers). */

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
    for (const tacho_operand *o = insn->operands; o < insn->operands + insn->operand_count; o++) {
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
