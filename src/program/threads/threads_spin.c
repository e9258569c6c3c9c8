/* threads_spin.c - loops that spin: they only look whether another thread has changed something. Such a loop
 *
 * - writes no memory, but for a lock word that it tries to take (XCHG, CMPXCHG, LOCK);
 * - reads memory, always at the same addresses: registers that make them are written in the loop only from
 *   such memory (which also tells it from the search of a list);
 * - has PAUSE, or does nothing but move, compare and branch. */
#include "program/threads/threads_log.h"

#include "base/search.h"
#include "tacho/hot.h"
#include "x86/decode/ops.h"
#include "x86/decode/regs.h"

enum {
    MOST_SPIN_INSNS = 24
};

typedef struct spin_code {
    tacho_insn insns[MOST_SPIN_INSNS];
    size_t count;
} spin_code;

static const tacho_operand *memory_of(const tacho_insn *insn)
{
    for (unsigned i = 0; i < insn->operand_count; i++)
        if (insn->operands[i].kind == TACHO_OPERAND_MEM)
            return &insn->operands[i];
    return NULL;
}

static bool is_move(const tacho_insn *insn)
{
    return insn_is(insn, INSN_MOVES);
}

static bool pauses(const tacho_insn *insn)
{
    return insn_is(insn, INSN_WAITS) && !insn_is(insn, INSN_LEAVES);
}

static bool only_looks(const tacho_insn *insn)
{
    return is_move(insn) || pauses(insn) || tacho_insn_is(insn, TACHO_INSN_BRANCH) ||
           tacho_insn_is(insn, TACHO_INSN_NOP) ||
           IS_ONE_OF(insn->operation, OP_CMP, OP_TEST, OP_XCHG, OP_CMPXCHG);
}

static bool is_written(const spin_code *c, tacho_reg r)
{
    for (size_t i = 0; reg_is_general(r) && i < c->count; i++)
        if (insn_writes_reg(&c->insns[i], r))
            return true;
    return false;
}

/* Whether a register has the same value each time instruction `at` uses it: nothing in the loop writes it, or
 * the last to do so loads it from where such a register says. */
static bool is_steady(const spin_code *c, size_t at, tacho_reg r)
{
    if (!is_written(c, r))
        return true;
    for (size_t back = 1; back <= c->count; back++) {
        const tacho_insn *before = &c->insns[(at + 2 * c->count - back) % c->count];
        if (!insn_writes_reg(before, r))
            continue;
        const tacho_operand *m = memory_of(before);
        return m && is_move(before) && !is_written(c, m->mem.base) && !is_written(c, m->mem.index);
    }
    return true;
}

static bool judge_insn(const spin_code *c, size_t at, bool *reads)
{
    const tacho_insn *insn = &c->insns[at];
    const tacho_operand *m = memory_of(insn);
    if (!m)
        return true;
    *reads |= m->access & TACHO_READ;
    if (m->access & TACHO_WRITE && !(insn->operation == OP_XCHG || tacho_insn_is(insn, TACHO_INSN_LOCK)))
        return false;
    return is_steady(c, at, m->mem.base) && is_steady(c, at, m->mem.index);
}

static bool decode_all(spin_code *c, const tacho_hot_place *place)
{
    c->count = 0;
    for (size_t i = 0; i < place->insn_count; i++) {
        const tacho_hot_insn *it = &place->insns[i];
        if (c->count == MOST_SPIN_INSNS || tacho_decode(&c->insns[c->count++], it->bytes, it->length, NULL))
            return false;
    }
    return c->count > 0;
}

bool threads_is_spin(const tacho_hot_place *place)
{
    spin_code c;
    bool reads = false, any_pause = false, looks = true;
    if (!place->is_loop || place->has_inner || !decode_all(&c, place))
        return false;
    for (size_t i = 0; i < c.count; i++) {
        const tacho_insn *insn = &c.insns[i];
        if (tacho_insn_is(insn, TACHO_INSN_CALL) || tacho_insn_is(insn, TACHO_INSN_RET) ||
            !judge_insn(&c, i, &reads))
            return false;
        any_pause |= pauses(insn);
        looks &= only_looks(insn);
    }
    return any_pause || (looks && reads);
}
