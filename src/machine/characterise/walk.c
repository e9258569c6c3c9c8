/* walk.c - the dependencies of a loop, by its decoded operands.
 *
 * One iteration is walked through. For each carrier (register, flags, memory) it finds from which carriers
 * before the iteration its value was made, and what kind of path leads there: through the measured pair, or
 * through another pair of an instance. These are the edges of a graph; a cycle of them is a dependency from
 * iteration to iteration. */
#include <string.h>

#include "machine/characterise/chain.h"

enum {
    THROUGH_TARGET = 1,
    THROUGH_OTHER = 2,
    KINDS = 4
};

/* origins[c][k]: what the value of carrier c was made of, by paths of kind k */
typedef struct walk_state {
    carriers origins[CARRIER_COUNT][KINDS];
    bool memory; /* it is one carrier; else none */
} walk_state;

uint8_t carrier_of_reg(tacho_reg reg)
{
    if (reg_is_general(reg))
        return (uint8_t)(CARRIER_GENERAL + (reg.number & 15));
    if (reg_is_vector(reg))
        return (uint8_t)(CARRIER_VECTOR + (reg.number & 31));
    switch (reg.class_) {
    case TACHO_REG_K:
        return (uint8_t)(CARRIER_K + (reg.number & 7));
    case TACHO_REG_MM:
        return (uint8_t)(CARRIER_MM + (reg.number & 7));
    case TACHO_REG_ST:
        return (uint8_t)(CARRIER_ST + (reg.number & 7));
    default:
        return CARRIER_NONE;
    }
}

static bool keeps_rest(const tacho_operand *o)
{
    return (o->access & TACHO_CONDITIONAL) || o->reg.class_ == TACHO_REG_R8L ||
           o->reg.class_ == TACHO_REG_R8H || o->reg.class_ == TACHO_REG_R16;
}

static void add_register(const tacho_operand *o, carriers *reads, carriers *writes)
{
    uint8_t c = carrier_of_reg(o->reg);
    if (o->access & TACHO_WRITE)
        carriers_add(writes, c);
    if ((o->access & TACHO_READ) || ((o->access & TACHO_WRITE) && keeps_rest(o)))
        carriers_add(reads, c);
}

void walk_accesses(const tacho_insn *insn, carriers *reads, carriers *writes)
{
    memset(reads, 0, sizeof *reads);
    memset(writes, 0, sizeof *writes);
    for (const tacho_operand *o = insn->operands; o < insn->operands + insn->operand_count; o++) {
        if (o->kind == TACHO_OPERAND_REG)
            add_register(o, reads, writes);
        if (o->kind != TACHO_OPERAND_MEM && o->kind != TACHO_OPERAND_AGEN)
            continue;
        carriers_add(reads, carrier_of_reg(o->mem.base));
        carriers_add(reads, carrier_of_reg(o->mem.index));
        if (o->kind == TACHO_OPERAND_MEM && (o->access & TACHO_READ))
            carriers_add(reads, CARRIER_MEMORY);
        if (o->kind == TACHO_OPERAND_MEM && (o->access & TACHO_WRITE))
            carriers_add(writes, CARRIER_MEMORY);
    }
    for (unsigned g = 0; g < 2; g++) {
        unsigned group = g ? TACHO_FLAG_SPAZO : TACHO_FLAG_C;
        if (insn->flags_read & group)
            carriers_add(reads, CARRIER_C + g);
        if (insn->flags_written & group)
            carriers_add(writes, CARRIER_C + g);
    }
}

static void unite(carriers *to, const carriers *from)
{
    to->bits[0] |= from->bits[0];
    to->bits[1] |= from->bits[1];
}

static unsigned kind_of(const walk_step *step, unsigned from, unsigned to)
{
    if (step->role != STEP_INSTANCE)
        return 0;
    return step->from == from && step->to == to ? THROUGH_TARGET : THROUGH_OTHER;
}

static void take_step(walk_state *state, const walk_step *step)
{
    carriers reads, writes, made[CARRIER_COUNT][KINDS];
    walk_accesses(&step->insn, &reads, &writes);
    /* Tables know of reads that the decoder does not: flags that may stay as they were. */
    carriers_add(&reads, step->from);
    if (!state->memory)
        reads.bits[CARRIER_MEMORY >> 6] &= ~((uint64_t)1 << (CARRIER_MEMORY & 63));
    memset(made, 0, sizeof made);
    for (unsigned w = 0; w < CARRIER_COUNT; w++)
        for (unsigned r = 0; carriers_has(&writes, w) && r < CARRIER_COUNT; r++)
            for (unsigned k = 0; carriers_has(&reads, r) && k < KINDS; k++)
                unite(&made[w][k | kind_of(step, r, w)], &state->origins[r][k]);
    for (unsigned w = 0; w < CARRIER_COUNT; w++)
        if (carriers_has(&writes, w))
            memcpy(state->origins[w], made[w], sizeof made[w]);
}

/* reach[c]: what the value of c is made of over any number of iterations, by paths whose kinds are all in
 * the set `kinds` (bit k: kind k). */
static void close_over(const walk_state *state, unsigned kinds, carriers reach[CARRIER_COUNT])
{
    for (unsigned c = 0; c < CARRIER_COUNT; c++) {
        reach[c] = (carriers){{0, 0}};
        for (unsigned k = 0; k < KINDS; k++)
            if (kinds >> k & 1)
                unite(&reach[c], &state->origins[c][k]);
    }
    for (unsigned via = 0; via < CARRIER_COUNT; via++)
        for (unsigned c = 0; c < CARRIER_COUNT; c++)
            if (carriers_has(&reach[c], via))
                unite(&reach[c], &reach[via]);
}

/* An edge of kind k is part of a cycle of such edges. */
static bool on_cycle(const walk_state *state, unsigned k, carriers reach[CARRIER_COUNT])
{
    for (unsigned to = 0; to < CARRIER_COUNT; to++)
        for (unsigned from = 0; from < CARRIER_COUNT; from++)
            if (carriers_has(&state->origins[to][k], from) && (from == to || carriers_has(&reach[from], to)))
                return true;
    return false;
}

static void take_iteration(walk_state *state, const walk_step *steps, unsigned count, bool memory)
{
    memset(state, 0, sizeof *state);
    state->memory = memory;
    for (unsigned c = 0; c < CARRIER_COUNT; c++)
        carriers_add(&state->origins[c][0], c);
    for (unsigned i = 0; i < count; i++)
        take_step(state, &steps[i]);
}

static walk_result walk_loop(const walk_step *steps, unsigned count, bool memory)
{
    walk_state state;
    carriers reach[CARRIER_COUNT];
    walk_result result;
    take_iteration(&state, steps, count, memory);
    close_over(&state, 1u << 0 | 1u << THROUGH_TARGET, reach);
    result.target = on_cycle(&state, THROUGH_TARGET, reach);
    close_over(&state, (1u << KINDS) - 1, reach);
    result.other =
        on_cycle(&state, THROUGH_OTHER, reach) || on_cycle(&state, THROUGH_OTHER | THROUGH_TARGET, reach);
    return result;
}

walk_result walk(const walk_step *steps, unsigned count)
{
    return walk_loop(steps, count, true);
}

walk_result walk_registers(const walk_step *steps, unsigned count)
{
    return walk_loop(steps, count, false);
}

static bool is_written(const walk_step *steps, unsigned count, unsigned carrier)
{
    for (unsigned i = 0; i < count; i++) {
        carriers reads, writes;
        walk_accesses(&steps[i].insn, &reads, &writes);
        if (carriers_has(&writes, carrier))
            return true;
    }
    return false;
}

bool walk_carries(const walk_step *steps, unsigned count, unsigned carrier)
{
    walk_state state;
    if (!is_written(steps, count, carrier))
        return false;
    carriers reach[CARRIER_COUNT];
    take_iteration(&state, steps, count, true);
    close_over(&state, (1u << KINDS) - 1, reach);
    for (unsigned k = 1; k < KINDS; k++)
        unite(&state.origins[carrier][0], &state.origins[carrier][k]);
    for (unsigned c = 0; c < CARRIER_COUNT; c++)
        if (carriers_has(&state.origins[carrier][0], c) && (c == carrier || carriers_has(&reach[c], carrier)))
            return true;
    return false;
}
