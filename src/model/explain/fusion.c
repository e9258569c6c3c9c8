/* fusion.c - advice on fusion: a compare that stands apart from its branch, and micro-fused pairs that an
 * index register makes the renamer take apart (unlamination; uiCA paper, section 4.1.1). */
#include <stdio.h>
#include <string.h>

#include "model/explain/explain_internal.h"
#include "x86/decode/encode.h"

/* ---- macro-fusion ---- */

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
        for (int i = 0; i < one->operand_count; i++) {
            const tacho_operand *o = &one->operands[i];
            if (o->kind == TACHO_OPERAND_REG && (o->access & TACHO_WRITE) &&
                (insn_reads_reg(other, o->reg) || insn_writes_reg(other, o->reg)))
                return false;
        }
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
    for (int k = 0; k < r->insn->visible_count; k++) {
        const tacho_operand *o = &r->insn->operands[k];
        if (o->kind == TACHO_OPERAND_MEM && o->mem.index.class_ != TACHO_REG_NONE && !o->mem.vsib)
            return encode_without_index(r->insn, bytes) > 0;
    }
    return false;
}

ADVICE(macro_fusion, COUNT, .find = find_macro_fusion, .say = say_macro_fusion);
ADVICE(unlamination, COUNT, .wanted = is_unlaminated_by_index, .rewrite = encode_without_index,
       .words = {"no index register in the address of ", " (it undoes micro-fusion; use a pointer)"});
