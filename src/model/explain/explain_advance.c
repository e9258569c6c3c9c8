/* explain_advance.c - advice on code between markers inside a loop whose increment is elsewhere: memory is
 * read and written at the same place, and no register of its address ever changes. Repeated as it stands,
 * each iteration reads what the one before wrote; the real loop does not. */
#include "model/explain/explain_internal.h"

static bool same_place(const tacho_mem *a, const tacho_mem *b)
{
    return mem_is_beside(a, b) && a->disp == b->disp;
}

/* An operand of instruction `i` that accesses memory in this way, NULL without one. */
static const tacho_mem *access_of(const subject *s, size_t i, uint8_t access)
{
    const tacho_insn *insn = insn_at(s, i);
    for (int k = 0; k < insn->visible_count; k++)
        if (insn->operands[k].kind == TACHO_OPERAND_MEM && (insn->operands[k].access & access) &&
            !insn->operands[k].mem.vsib)
            return &insn->operands[k].mem;
    return NULL;
}

/* The address has a register other than RSP, and no register that the code changes. */
static bool stays(const subject *s, const tacho_mem *m)
{
    const tacho_reg rsp = {TACHO_REG_R64, 4};
    bool base = reg_is_general(m->base) && !tacho_reg_same_full(m->base, rsp);
    if (!base && !reg_is_general(m->index))
        return false;
    for (size_t i = 0; i < s->p->instruction_count; i++)
        if (insn_writes_reg(insn_at(s, i), m->base) || insn_writes_reg(insn_at(s, i), m->index))
            return false;
    return true;
}

/* The instruction that last writes what instruction `load` reads, if none before it does in its iteration;
 * the number of instructions if there is none. */
static size_t writer_of(const subject *s, size_t load, const tacho_mem *place)
{
    size_t count = s->p->instruction_count, found = count;
    for (size_t i = 0; i < count; i++) {
        const tacho_mem *m = access_of(s, i, TACHO_WRITE);
        if (!m || !same_place(m, place))
            continue;
        if (i < load)
            return count;
        found = i;
    }
    return found;
}

/* The repetition is an assumption: no branch at the end closes the code. */
static bool is_assumed(const subject *s)
{
    return !s->options.piece_count && !s->options.no_memory_deps && !s->options.advance &&
           !insn_at(s, s->p->instruction_count - 1)->is_branch;
}

static void find_advance(subject *s, variant_list *out)
{
    size_t count = s->p->instruction_count;
    for (size_t i = 0; is_assumed(s) && i < count; i++) {
        const tacho_mem *place = access_of(s, i, TACHO_READ);
        size_t writer = place && stays(s, place) ? writer_of(s, i, place) : count;
        if (writer == count)
            continue;
        uint32_t *insns = explain_alloc(s, 2 * sizeof *insns);
        variant *v = insns ? explain_add(s, out) : NULL;
        if (!v)
            return;
        insns[0] = (uint32_t)i;
        insns[1] = (uint32_t)writer;
        v->insns = insns;
        v->insn_count = writer == i ? 1 : 2;
        v->options.advance = true;
        return;
    }
}

ADVICE(advance, MEMORY_DEPENDENCIES, .find = find_advance,
       .words = {
           "addresses that advance from iteration to iteration: with the increment included, or --advance (",
           ")"});
