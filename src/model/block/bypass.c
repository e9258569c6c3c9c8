/* bypass.c - bypass delays: results that are a cycle late for units of another kind, as 240 pairs of
 * instructions show that were measured on Cascade Lake.
 *
 * Floating-point arithmetic has the results of vector µops of one cycle late, and has its own late for them
 * if they go to port 0 or 1. Shuffles, on port 5 alone, have no part in it. Multiplications of integers are
 * late for µops of one cycle, too; that they have all their operands late is in their timing.
 *
 * Measured on Cascade Lake, chains of two: `psllw` (ports 0 and 1) and `addps` take 7.0 cycles instead of 5,
 * `pshufb` (port 5) and `addps` 5.0; `paddd` (ports 0, 1 and 5) and `addps` 6.4, and `sqrtps` 14.5 instead of
 * 13, where a third and a half of the `paddd` are on port 5; `pmulld`, which takes that port from nobody, and
 * `andps` 11.0.
 *
 * On Zen 3 (vector_domains) all that vector units compute has its domain, floats or others, to which shuffles
 * of floats belong; each crossing takes a cycle: `addps` and `pshufb` 6.0, `paddd` and `andps` 4.0. */
#include "model/block/block.h"
#include "x86/decode/operations.h"

/* Of the longest way to a vector register; 0: there is none. */
static int cycles_to_vector(const uop *u)
{
    int longest = 0;
    for (int o = 0; o < u->out_count; o++)
        if (unit_is_vector(u->out[o].slot) && u->out[o].latency > longest)
            longest = u->out[o].latency;
    return longest;
}

/* Where each instruction has its domain. Those that only move to a general register have none: they take what
 * comes as it is. Nor have µops of no instruction, which work on general registers. */
static bypass_kind domain_of(const block *b, const uop *u)
{
    bool writes = false, reads = false;
    for (int o = 0; o < u->out_count; o++)
        writes |= unit_is_vector(u->out[o].slot);
    for (int i = 0; i < u->in_count; i++)
        reads |= unit_is_vector(u->in[i]);
    if (u->kind != UOP_COMPUTE || u->insn == b->insn_count || (!writes && !reads))
        return BYPASS_NONE;
    const tacho_insn *insn = b->insns[u->insn].insn;
    if (!writes && insn_is(insn, INSN_MOVES))
        return BYPASS_NONE;
    return insn_is_of_floats(insn) ? BYPASS_FLOATS : BYPASS_LOGIC;
}

bypass_kind block_bypass_kind(const block *b, const uop *u)
{
    const tacho_arch *arch = b->arch;
    if (arch->vector_domains)
        return domain_of(b, u);
    int cycles = u->kind == UOP_COMPUTE && (u->ports & arch->bypass_ports) ? cycles_to_vector(u) : 0;
    if (cycles == 1)
        return BYPASS_LOGIC;
    if (cycles && u->div_cycles)
        return BYPASS_FLOATS;
    if (u->ports != arch->bypass_ports || cycles < arch->bypass_fp_cycles)
        return BYPASS_NONE;
    return cycles == arch->bypass_fp_cycles ? BYPASS_FLOATS : BYPASS_INTEGERS;
}

typedef struct kind_units {
    unit_set reads, writes;
} kind_units;

static bool meet(const unit_set *a, const unit_set *b)
{
    return (a->bits[0] & b->bits[0]) | (a->bits[1] & b->bits[1]);
}

static void note(kind_units *k, const uop *u)
{
    for (int i = 0; i < u->in_count; i++)
        unit_set_add(&k->reads, u->in[i]);
    for (int o = 0; o < u->out_count; o++)
        unit_set_add(&k->writes, u->out[o].slot);
}

/* Moves that the renamer executes may lead from any register to any other. */
bool block_has_bypass(const block *b)
{
    kind_units long_ones = {{{0}}, {{0}}}, logic = {{{0}}, {{0}}};
    bool moves = false;
    if (!b->arch->bypass_ports && !b->arch->vector_domains)
        return false;
    for (uint32_t k = 0; k < b->uop_count; k++) {
        bypass_kind kind = block_bypass_kind(b, &b->uops[k]);
        if (kind != BYPASS_NONE)
            note(kind == BYPASS_LOGIC ? &logic : &long_ones, &b->uops[k]);
    }
    for (uint32_t i = 0; i < b->insn_count; i++)
        moves |= b->insns[i].eliminable && !b->insns[i].move_gpr;
    bool both = meet(&long_ones.writes, &long_ones.writes) && meet(&logic.writes, &logic.writes);
    return both && (moves || meet(&long_ones.writes, &logic.reads) || meet(&logic.writes, &long_ones.reads));
}
