/* observed_progress.c - cycles of an iteration, by how far a loop has come between two samples of its thread.
 *
 * A register that the loop changes once in each iteration, by a constant, counts iterations. Where two
 * samples lie in one execution of the loop (the stack is the same, and all registers that the loop does not
 * write) the difference of that register is the number of iterations between them. It must be a multiple of
 * the step, of the right sign, and the same by each such register; pairs that are not so come from two
 * executions, and where there are many of them nothing is said. The time between them is that of the
 * processor.
 *
 * What the samples themselves take is taken off. */
#include <math.h>
#include <string.h>

#include "base/search.h"
#include "binary/loops/cfg.h"
#include "study/hot/hot_find.h"
#include "x86/decode/ops.h"
#include "x86/decode/regs.h"

enum {
    FEWEST_PAIRS = 12,
    MOST_ODD = 10, /* one pair in so many may be of two executions */
    REGISTERS = PAIRS_REGISTERS,
    KEPT_IN_CALLS = 1 << 3 | 1 << 4 | 1 << 5 | 0xf << 12 /* RBX RSP RBP R12..R15: the System V ABI */
};

/* What the loop does to a register in one iteration. */
typedef struct register_use {
    int64_t step;
    bool moves; /* by the step */
    bool other; /* it is written otherwise, too */
    bool half;  /* 32 bits of it */
} register_use;

typedef struct progress {
    const finder *f;
    const cfg *g;
    uint32_t header;
    register_use uses[REGISTERS];
    bool *seen; /* blocks, of a search */
    uint32_t *todo;
} progress;

static bool is_inside(const cfg *g, uint32_t b, uint32_t header)
{
    for (; b != CFG_NONE; b = g->blocks[b].header)
        if (b == header)
            return true;
    return false;
}

/* Whether each iteration goes through the block exactly once: it is in no loop inside, and no way leads
 * around the loop without it. */
static bool is_in_each(progress *p, uint32_t b)
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
        for (uint32_t k = 0; (next = cfg_successor(g, at, k)) != CFG_NONE; k++) {
            if (next == p->header)
                return false;
            if (next == b || p->seen[next] || !is_inside(g, next, p->header))
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

static void note_writes(progress *p, const tacho_insn *insn, bool in_each)
{
    int64_t step = 0;
    bool steps = is_step(insn, &step) && in_each;
    for (unsigned i = 0; i < insn->operand_count; i++) {
        const tacho_operand *o = &insn->operands[i];
        if (o->kind != TACHO_OPERAND_REG || !(o->access & TACHO_WRITE) || !reg_is_general(o->reg))
            continue;
        register_use *use =
            &p->uses[o->reg.class_ == TACHO_REG_R8H ? o->reg.number : o->reg.number % REGISTERS];
        bool half = o->width_bits == 32;
        use->other |= !steps || (use->moves && use->half != half);
        use->moves |= steps;
        use->half = half;
        use->step += step;
    }
}

static void note_call(progress *p)
{
    for (unsigned i = 0; i < REGISTERS; i++)
        p->uses[i].other |= !(KEPT_IN_CALLS >> i & 1);
}

/* @return false: something in the loop is not understood */
static bool note_block(progress *p, uint32_t number)
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

/* The iterations between two moments. @return false: they are not of one execution; *odd: although all that
 * the loop keeps is the same */
static bool count_between(const progress *p, const hot_pair *pair, double *out, bool *odd)
{
    bool known = false, same = true;
    *odd = false;
    *out = 0;
    for (unsigned i = 0; i < REGISTERS; i++) {
        const register_use *u = &p->uses[i];
        int64_t moved = (int64_t)(pair->after.registers[i] - pair->before.registers[i]);
        if (!u->moves && !u->other && moved)
            return false;
        if (!u->moves || u->other || !u->step)
            continue;
        moved = u->half ? (int32_t)(uint32_t)moved : moved;
        double count = (double)(moved / u->step);
        /* one register may have been changed in this iteration and another not yet */
        same = same && !(moved % u->step) && count >= 0 && (!known || fabs(count - *out) <= 1);
        *out = count;
        known = true;
    }
    *odd = known && !same;
    return known && same;
}

/* ---- all pairs of a loop ---- */

typedef struct sums {
    double time, count, time_squares, count_squares, products;
    uint64_t pairs, odd;
} sums;

static bool is_of_loop(const progress *p, uint64_t address)
{
    uint64_t start = loop_address(p->f, 0);
    size_t n;
    if (address < start || address - start >= p->g->code->size)
        return false;
    uint64_t offset = address - start;
    COUNT_BEFORE(n, p->g->block_count, p->g->blocks[n].start <= offset);
    return n && offset < p->g->blocks[n - 1].end && is_inside(p->g, (uint32_t)n - 1, p->header);
}

static void sum_up(const progress *p, const hot_file *file, double sample_time, sums *out)
{
    for (size_t i = 0; i < file->pair_count; i++) {
        const found_pair *pair = &file->pairs[i];
        double count, time = pair->pair->time - sample_time;
        bool odd;
        if (!is_of_loop(p, pair->before) || !is_of_loop(p, pair->after))
            continue;
        if (!count_between(p, pair->pair, &count, &odd)) {
            out->odd += odd;
            continue;
        }
        out->pairs++;
        out->time += time;
        out->count += count;
        out->time_squares += time * time;
        out->count_squares += count * count;
        out->products += time * count;
    }
}

/* Of a ratio of sums, by its linear approximation (Cochran, Sampling Techniques, 6.3). */
static double standard_error(const sums *s)
{
    double ratio = s->time / s->count, n = (double)s->pairs;
    double squares = s->time_squares - 2 * ratio * s->products + ratio * ratio * s->count_squares;
    return sqrt(fmax(squares, 0) * n / (n - 1)) / s->count;
}

static void conclude(const sums *sum, double unit, tacho_hot_place *p)
{
    if (sum->pairs < FEWEST_PAIRS || sum->odd * MOST_ODD > sum->pairs || sum->count < FEWEST_PAIRS)
        return;
    double cycles = sum->time / sum->count * unit, reach = 1.96 * standard_error(sum) * unit;
    if (!isfinite(cycles))
        return;
    p->observed_cycles = cycles;
    p->observed_low = fmax(cycles - reach, 0);
    p->observed_high = cycles + reach;
    p->observed_by = "progress";
}

int progress_observe(const hot_search *s, const hot_file *file, finder *f, const cfg *g, uint32_t header,
                     tacho_hot_place *place)
{
    const hot_pairs *pairs = s->profile->pairs;
    progress p = {.f = f, .g = g, .header = header};
    sums sum = {0};
    if (!pairs || !file->pair_count)
        return 0;
    p.seen = arena_alloc(&f->work, (g->block_count + 1u) * sizeof *p.seen);
    p.todo = arena_alloc(&f->work, (g->block_count + 1u) * sizeof *p.todo);
    if (!p.seen || !p.todo)
        return TACHO_ERR_MEMORY;
    for (uint32_t b = 0; b < g->block_count; b++)
        if (is_inside(g, b, header) && !note_block(&p, b))
            return 0;
    sum_up(&p, file, pairs->in_cycles ? 0 : pairs->sample_seconds, &sum);
    conclude(&sum, pairs->in_cycles ? 1 : s->options.core_hz, place);
    return 0;
}
