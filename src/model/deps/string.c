/* string.c - string instructions. Their direction is forwards, or as STD and CLD in the block say. Repeated
 * ones are followed where RCX is known and small enough. How far SCAS and CMPS go depends on what they
 * compare, and is not followed. */
#include "model/deps/deps_internal.h"
#include "x86/decode/regs.h"

static bool is_repeated(const tacho_insn *insn)
{
    return insn->rep || insn->repne;
}

static bool is_pointer(tacho_reg r)
{
    return r.number == RSI || r.number == RDI;
}

/* The register that counts is as wide as the pointers. */
static tacho_reg counter(const tacho_insn *insn)
{
    uint8_t class_ = TACHO_REG_R64;
    for (int i = 0; i < insn->operand_count; i++)
        if (insn->operands[i].kind == TACHO_OPERAND_MEM)
            class_ = insn->operands[i].mem.base.class_;
    return (tacho_reg){class_, RCX};
}

void string_addresses(const machine *m, unsigned op, const tacho_insn *insn, addresses *a)
{
    value count = is_repeated(insn) ? machine_read_general(m, counter(insn)) : known(1);
    for (int i = 0; i < insn->operand_count; i++) {
        unsigned bytes = insn->operands[i].width_bits / 8;
        if (insn->operands[i].kind != TACHO_OPERAND_MEM)
            continue;
        bool followed = !is_repeated(insn) ||
                        (op == OP_STRING && count.known && bytes && count.bits <= MACHINE_MAX_ACCESS / bytes);
        a->repeats = followed ? (uint32_t)count.bits : 0;
        if (!followed)
            a->of[i] = UNKNOWN;
        else if (m->backwards && a->repeats)
            a->of[i].bits -= (uint64_t)(a->repeats - 1) * bytes;
    }
}

/* RSI and RDI after so many steps. */
static void move_pointers(machine *m, const tacho_insn *insn, value count)
{
    for (const tacho_operand *o = insn->operands; o < insn->operands + insn->operand_count; o++) {
        if (o->kind != TACHO_OPERAND_MEM || !is_pointer(o->mem.base) || (count.known && !count.bits))
            continue;
        value v = machine_read_general(m, o->mem.base);
        uint64_t bytes = count.bits * (o->width_bits / 8);
        v.bits += m->backwards ? -bytes : bytes;
        v.known &= count.known;
        machine_write_general(m, o->mem.base, v);
    }
}

/* The operand of this kind, memory or a register of numbers, that is read (written); -1: none. */
static int operand_of(const tacho_insn *insn, bool written)
{
    unsigned access = written ? TACHO_WRITE : TACHO_READ;
    for (int i = 0; i < insn->operand_count; i++) {
        const tacho_operand *o = &insn->operands[i];
        bool data = o->kind == TACHO_OPERAND_MEM || (o->kind == TACHO_OPERAND_REG && !o->reg.number);
        if (data && o->access & access)
            return i;
    }
    return -1;
}

/* Element `step` of operand `i`: its address in memory; a register's does not matter. */
static value element(const machine *m, const tacho_insn *insn, const addresses *a, int i, uint32_t step)
{
    uint32_t place = m->backwards ? a->repeats - 1 - step : step;
    return (value){a->of[i].bits + (uint64_t)place * (insn->operands[i].width_bits / 8), a->of[i].known};
}

/* Copies element by element. A read of what this instruction itself has written before is not followed. */
static void move_data(machine *m, const tacho_insn *insn, const addresses *a)
{
    int from = operand_of(insn, false), to = operand_of(insn, true);
    if (from < 0 || to < 0)
        return;
    bool both =
        insn->operands[from].kind == TACHO_OPERAND_MEM && insn->operands[to].kind == TACHO_OPERAND_MEM;
    uint64_t bytes = (uint64_t)a->repeats * (insn->operands[to].width_bits / 8);
    uint64_t apart = a->of[to].bits - a->of[from].bits;
    bool meet = both && a->repeats > 1 && (apart < bytes || -apart < bytes);
    for (uint32_t step = 0; step < a->repeats; step++) {
        addresses at = *a;
        at.of[from] = element(m, insn, a, from, step);
        at.of[to] = element(m, insn, a, to, step);
        operand_write(m, insn, to, &at, meet ? UNKNOWN : operand_read(m, insn, from, &at));
    }
}

void string_execute(machine *m, unsigned op, const tacho_insn *insn, const addresses *a)
{
    value count = is_repeated(insn) ? machine_read_general(m, counter(insn)) : known(1);
    bool stops_early = op == OP_SCAN && is_repeated(insn);
    int to = op == OP_STRING ? operand_of(insn, true) : -1;
    if (to >= 0 && a->repeats)
        move_data(m, insn, a);
    else if (to >= 0 && !(count.known && !count.bits))
        operand_write(m, insn, to, a, UNKNOWN);
    move_pointers(m, insn, stops_early ? UNKNOWN : count);
    if (is_repeated(insn))
        machine_write_general(m, counter(insn), stops_early ? UNKNOWN : known(0));
}
