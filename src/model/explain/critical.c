/* critical.c - the names of what carries the critical dependency cycle: for each instruction on it, what it
 * writes that the next one on it reads. */
#include <stdio.h>
#include <string.h>

#include "model/explain/critical.h"
#include "x86/decode/regs.h"

static void add(critical_carriers *c, const char *name)
{
    for (size_t i = 0; i < c->count; i++)
        if (!strcmp(c->names[i], name))
            return;
    if (c->count == CRITICAL_MOST_CARRIERS)
        c->more = true;
    else
        snprintf(c->names[c->count++], sizeof c->names[0], "%s", name);
}

static bool reads_register(const tacho_insn *insn, tacho_reg reg)
{
    for (const tacho_operand *o = insn->operands; o < insn->operands + insn->operand_count; o++)
        if ((operand_is_reg(o, reg) && (o->access & TACHO_READ)) || operand_is_addressed_by(o, reg))
            return true;
    return false;
}

/* General-purpose registers by their full name: users look for rax even where eax is written. */
static tacho_reg full(tacho_reg reg)
{
    if (reg_is_general(reg))
        reg.class_ = TACHO_REG_R64;
    return reg;
}

/* A register that both write: the second waits for what it overwrites, in part (mov al, ...) or for nothing
 * (a false dependency). */
static void add_overwritten(critical_carriers *out, const tacho_insn *from, const tacho_insn *to)
{
    for (unsigned i = 0; i < from->operand_count && i < TACHO_MAX_OPERANDS; i++) {
        const tacho_operand *o = &from->operands[i];
        if (o->kind == TACHO_OPERAND_REG && o->access & TACHO_WRITE && o->reg.class_ != TACHO_REG_FLAGS &&
            insn_writes_reg(to, o->reg))
            add(out, tacho_reg_name(full(o->reg)));
    }
}

static void add_edge(critical_carriers *out, const tacho_insn *from, const tacho_insn *to)
{
    bool found = false;
    for (unsigned i = 0; i < from->operand_count && i < TACHO_MAX_OPERANDS; i++) {
        const tacho_operand *o = &from->operands[i];
        bool flags = o->reg.class_ == TACHO_REG_FLAGS;
        if (o->kind == TACHO_OPERAND_REG && o->access & TACHO_WRITE && !flags && reads_register(to, o->reg)) {
            add(out, tacho_reg_name(full(o->reg)));
            found = true;
        }
    }
    unsigned flags = from->flags_written & to->flags_read;
    if (!found && flags)
        add(out, flags & TACHO_FLAG_SPAZO ? "the flags" : "the carry flag");
    else if (!found && insn_accesses_memory(from, TACHO_WRITE) && insn_accesses_memory(to, TACHO_READ))
        add(out, "memory");
    else if (!found)
        add_overwritten(out, from, to);
}

/* Place of the i-th step in the prediction's list, which begins anywhere. */
static size_t place_of(const tacho_prediction *p, size_t i)
{
    size_t first = 0;
    for (size_t k = 1; k < p->critical_cycle_length; k++)
        if (p->critical_cycle[k] < p->critical_cycle[first])
            first = k;
    return (first + i) % p->critical_cycle_length;
}

uint32_t tacho_critical_insn(const tacho_prediction *p, size_t i)
{
    return p->critical_cycle[place_of(p, i)];
}

double tacho_critical_latency(const tacho_prediction *p, size_t i)
{
    return p->critical_latencies[place_of(p, i)];
}

bool tacho_critical_wraps(const tacho_prediction *p, size_t i)
{
    return tacho_critical_insn(p, i + 1) <= tacho_critical_insn(p, i);
}

static void add_step(const tacho_prediction *p, size_t i, critical_carriers *out)
{
    uint32_t from = tacho_critical_insn(p, i), to = tacho_critical_insn(p, i + 1);
    if (from < p->instruction_count && to < p->instruction_count)
        add_edge(out, p->instructions[from]->insn, p->instructions[to]->insn);
}

void tacho_critical_carrier(const tacho_prediction *p, size_t i, critical_carriers *out)
{
    *out = (critical_carriers){0};
    add_step(p, i, out);
}

void tacho_critical_carriers(const tacho_prediction *p, critical_carriers *out)
{
    *out = (critical_carriers){0};
    for (size_t i = 0; i < p->critical_cycle_length; i++)
        add_step(p, i, out);
}
