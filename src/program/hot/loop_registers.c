/* loop_registers.c - which registers a loop changes by a constant in each iteration, which it leaves alone,
 * and which it compares to go on. */

#include "program/hot/loop_registers.h"
#include "x86/decode/ops.h"
#include "x86/decode/regs.h"

bool loop_has_block(const cfg *g, uint32_t b, uint32_t header)
{
    for (; b != CFG_NONE; b = g->blocks[b].header)
        if (b == header)
            return true;
    return false;
}

/* Whether each iteration goes through the block exactly once: it is in no loop inside, and no way leads
 * around the loop without it. */
static bool is_in_each(const loop_registers *p, uint32_t b)
{
    const cfg *g = p->g;
    uint32_t count = 0, next;
    if (b == p->header)
        return true;
    if (g->blocks[b].header != p->header || g->blocks[b].is_header)
        return false;
    memset(p->seen, 0, g->block_count * sizeof *p->seen);
    p->todo[count++] = p->header;
    while (count) {
        const cfg_block *at = &g->blocks[p->todo[--count]];
        for (uint32_t k = 0; (next = tacho_cfg_successor(g, at, k)) != CFG_NONE; k++) {
            if (next == p->header)
                return false;
            if (next == b || p->seen[next] || !loop_has_block(g, next, p->header))
                continue;
            p->seen[next] = true;
            p->todo[count++] = next;
        }
    }
    return true;
}

/* Whether it adds a constant to a general register. */
static bool is_step(const tacho_insn *insn, int64_t *step)
{
    const tacho_operand *to = &insn->operands[0], *by = &insn->operands[insn->visible_count == 2];
    if (!insn->visible_count || to->kind != TACHO_OPERAND_REG || to->width_bits < 32)
        return false;
    switch (insn->operation) {
    case OP_INC:
        *step = 1;
        return true;
    case OP_DEC:
        *step = -1;
        return true;
    case OP_ADD:
    case OP_SUB:
        *step = insn->operation == OP_ADD ? by->imm : -by->imm;
        return insn->visible_count == 2 && by->kind == TACHO_OPERAND_IMM;
    case OP_LEA:
        *step = by->mem.disp;
        return insn->visible_count == 2 && by->kind == TACHO_OPERAND_AGEN && !by->mem.scale &&
               reg_is_same_full(by->mem.base, to->reg);
    default:
        return false;
    }
}

static void note_writes(loop_registers *p, const tacho_insn *insn, bool in_each)
{
    int64_t step = 0;
    bool steps = is_step(insn, &step) && in_each;
    for (unsigned i = 0; i < insn->operand_count; i++) {
        const tacho_operand *o = &insn->operands[i];
        if (o->kind != TACHO_OPERAND_REG || !(o->access & TACHO_WRITE) || !reg_is_general(o->reg))
            continue;
        register_use *use =
            &p->uses[o->reg.class_ == TACHO_REG_R8H ? o->reg.number : o->reg.number % LOOP_REGISTERS];
        bool half = o->width_bits == 32;
        use->other |= !steps || (use->moves && use->half != half);
        use->moves |= steps;
        use->half = half;
        use->step += step;
    }
}

static void note_call(loop_registers *p)
{
    p->calls = true;
    for (unsigned i = 0; i < LOOP_REGISTERS; i++)
        p->uses[i].other |= !(KEPT_IN_CALLS >> i & 1);
}

/* @return false: something in the loop is not understood */
static bool note_block(loop_registers *p, uint32_t number)
{
    const cfg_block *b = &p->g->blocks[number];
    bool in_each = is_in_each(p, number);
    for (uint32_t i = b->first; i < b->first + b->count; i++) {
        const cfg_insn *at = &p->g->insns[i];
        tacho_insn insn;
        if (tacho_decode(&insn, p->g->code->bytes + at->offset, at->length, NULL))
            return false;
        note_writes(p, &insn, in_each);
        if (at->flow == FLOW_CALL)
            note_call(p);
    }
    return !b->irreducible;
}

int loop_registers_find(loop_registers *out, finder *f, const cfg *g, uint32_t header)
{
    *out = (loop_registers){.f = f, .g = g, .header = header};
    out->seen = arena_alloc(&f->work, (g->block_count + 1u) * sizeof *out->seen);
    out->todo = arena_alloc(&f->work, (g->block_count + 1u) * sizeof *out->todo);
    if (!out->seen || !out->todo)
        return TACHO_ERR_MEMORY;
    for (uint32_t b = 0; b < g->block_count; b++)
        if (loop_has_block(g, b, header) && !note_block(out, b))
            return 1;
    return 0;
}

bool loop_has_address(const loop_registers *l, uint64_t address)
{
    uint64_t start = loop_address(l->f, 0);
    size_t n;
    if (address < start || address - start >= l->g->code->size)
        return false;
    uint64_t offset = address - start;
    COUNT_BEFORE(n, l->g->block_count, l->g->blocks[n].start <= offset);
    return n && offset < l->g->blocks[n - 1].end && loop_has_block(l->g, (uint32_t)n - 1, l->header);
}

/* ---- the comparison at its end ---- */

/* The one block that goes back, which is also the only one that leaves. @return CFG_NONE: there is no such */
static uint32_t only_end(const loop_registers *l)
{
    uint32_t end = CFG_NONE, next;
    for (uint32_t b = 0; b < l->g->block_count; b++) {
        if (!loop_has_block(l->g, b, l->header))
            continue;
        const cfg_block *block = &l->g->blocks[b];
        bool back = false, out = false;
        for (uint32_t k = 0; (next = tacho_cfg_successor(l->g, block, k)) != CFG_NONE; k++) {
            back |= next == l->header;
            out |= !loop_has_block(l->g, next, l->header);
        }
        if (back != out || block->indirect || (back && end != CFG_NONE))
            return CFG_NONE;
        end = back ? b : end;
    }
    return end;
}

static bool counts_by(const loop_registers *l, const tacho_operand *o, int *out)
{
    *out = o->reg.number % LOOP_REGISTERS;
    return o->kind == TACHO_OPERAND_REG && reg_is_general(o->reg) && o->width_bits >= 32 &&
           register_counts(&l->uses[*out]);
}

static bool stays_at(const loop_registers *l, const tacho_operand *o, loop_bound *out)
{
    if (o->kind == TACHO_OPERAND_IMM) {
        out->limit = -1;
        out->number = o->imm;
        return true;
    }
    out->limit = o->reg.number % LOOP_REGISTERS;
    return o->kind == TACHO_OPERAND_REG && reg_is_general(o->reg) && register_stays(&l->uses[out->limit]);
}

static loop_bound bound_by(const loop_registers *l, const tacho_insn *insn)
{
    loop_bound out = {-1, -1, 0};
    const tacho_operand *a = &insn->operands[0], *b = &insn->operands[1];
    int counter;
    bool with_zero = insn->operation == OP_ADD || insn->operation == OP_SUB || insn->operation == OP_INC ||
                     insn->operation == OP_DEC ||
                     (insn->operation == OP_TEST && a->kind == b->kind && reg_is_same(a->reg, b->reg));
    if (with_zero && counts_by(l, a, &counter))
        return (loop_bound){counter, -1, 0};
    if (insn->operation == OP_CMP && ((counts_by(l, a, &counter) && stays_at(l, b, &out)) ||
                                      (counts_by(l, b, &counter) && stays_at(l, a, &out))))
        out.counter = counter;
    return out;
}

loop_bound loop_bound_of(const loop_registers *l)
{
    const loop_bound none = {-1, -1, 0};
    uint32_t end = only_end(l);
    if (end == CFG_NONE)
        return none;
    const cfg_block *b = &l->g->blocks[end];
    for (uint32_t i = b->first + b->count; i-- > b->first;) {
        const cfg_insn *at = &l->g->insns[i];
        tacho_insn insn;
        if (tacho_decode(&insn, l->g->code->bytes + at->offset, at->length, NULL))
            return none;
        if (insn.flags_written)
            return insn.operand_count > 1 ? bound_by(l, &insn) : none;
    }
    return none;
}
