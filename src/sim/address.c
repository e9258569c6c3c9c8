/* address.c - the values of the general-purpose registers, as numbers, to tell which loads and stores meet.
 *
 * Registers start with random numbers (or with what --init says); instructions that compilers use on
 * addresses compute with them; everything else gives a fresh random number. Two accesses are to the same
 * place when their addresses are the same number (seeds: staticdeps, section on the heuristic). */
#include "sim/sim.h"

#include "util/hash.h"

#define SAME_VALUE 0x12345600u /* what the reference measurements used; any multiple of 64 would do */

static uint64_t fresh_value(sim *s)
{
    return hash_mix(++s->rn.fresh) & ~(uint64_t)63;
}

void values_reset(sim *s)
{
    s->rn.fresh = 0;
    for (int r = 0; r < 16; r++)
        s->rn.values[r] = s->options->init == TACHO_INIT_SAME ? SAME_VALUE : fresh_value(s);
    for (int r = 0; r < 16; r++)
        if (s->options->known_values && (s->options->known_mask >> r & 1))
            s->rn.values[r] = s->options->known_values[r];
}

uint64_t values_address(const sim *s, const mem_access *m)
{
    uint64_t address = (uint64_t)m->disp;
    if (m->base != UNIT_NONE && m->base < 16)
        address += s->rn.values[m->base];
    else if (m->base == UNIT_NONE)
        address += 0x40000000; /* where RIP-relative and absolute data lie */
    if (m->index != UNIT_NONE && m->index < 16)
        address += s->rn.values[m->index] * m->scale;
    return address;
}

enum {
    STORE_PROBES = 16
};

/* The remembered store to `address`, NULL if there is none. */
static store_entry *find_store(sim *s, uint64_t address)
{
    uint64_t h = hash_mix(address);
    for (uint64_t k = 0; k < STORE_PROBES; k++) {
        store_entry *e = &s->stores[(h + k) & (SIM_STORES - 1)];
        if (e->run != s->run)
            return NULL; /* a new one would have been put here */
        if (e->address == address)
            return e;
    }
    return NULL;
}

/* A place for a store to `address`: its own, an unused one, or the one whose store is longest ago. */
static store_entry *store_slot(sim *s, uint64_t address)
{
    uint64_t h = hash_mix(address);
    store_entry *oldest = NULL;
    for (uint64_t k = 0; k < STORE_PROBES; k++) {
        store_entry *e = &s->stores[(h + k) & (SIM_STORES - 1)];
        if (e->run == s->run && e->address == address)
            return e;
        if (!oldest || (oldest->run == s->run && (e->run != s->run || e->last_seq[0] < oldest->last_seq[0])))
            oldest = e;
    }
    *oldest = (store_entry){.run = s->run, .address = address, .last_seq = {-1, -1}};
    return oldest;
}

static uint64_t loaded_value(sim *s, const mem_access *m, unsigned bytes)
{
    uint64_t address = values_address(s, m);
    const store_entry *e = find_store(s, address);
    if (e)
        return e->value_known && e->bytes >= bytes ? e->value : fresh_value(s);
    if (s->options->init == TACHO_INIT_SAME)
        return bytes == 4 ? (uint32_t)SAME_VALUE : SAME_VALUE;
    return fresh_value(s);
}

static uint64_t truncated(uint64_t value, unsigned bytes)
{
    return bytes == 4 ? (uint32_t)value : value;
}

static uint64_t compute(const block_insn *bi, uint64_t a, uint64_t b)
{
    unsigned count = (unsigned)b & (bi->value_width == 8 ? 63 : 31);
    switch (bi->value_op) {
    case VALUE_ADD:
        return a + b;
    case VALUE_SUB:
        return a - b;
    case VALUE_INC:
        return a + 1;
    case VALUE_DEC:
        return a - 1;
    case VALUE_AND:
        return a & b;
    case VALUE_OR:
        return a | b;
    case VALUE_XOR:
        return a ^ b;
    case VALUE_SHL:
        return a << count;
    case VALUE_SHR:
        return truncated(a, bi->value_width) >> count;
    case VALUE_MOVSXD:
        return (uint64_t)(int64_t)(int32_t)b;
    default:
        return b; /* MOV */
    }
}

static uint64_t address_operand(const sim *s, const block_insn *bi)
{
    const tacho_mem *m = &bi->insn->operands[1].mem;
    mem_access access = {.base = block_unit(s->arch, m->base),
                         .index = block_unit(s->arch, m->index),
                         .scale = m->scale,
                         .disp = m->disp};
    return values_address(s, &access);
}

/* The second operand: an immediate, a register, or what lies in memory. */
static uint64_t source_value(sim *s, const block_insn *bi)
{
    if (bi->value_source < 16)
        return s->rn.values[bi->value_source];
    if (bi->insn->visible_count > 1 && bi->insn->operands[1].kind == TACHO_OPERAND_MEM && bi->mem_count)
        return loaded_value(s, &bi->mem[0], bi->insn->operands[1].width_bits / 8);
    return (uint64_t)bi->value_imm;
}

static void push_or_pop(sim *s, const block_insn *bi)
{
    if (bi->value_op == VALUE_POP && bi->value_target < 16 && bi->mem_count) {
        uint64_t value = loaded_value(s, &bi->mem[0], 8);
        if (bi->value_target != UNIT_RSP)
            s->rn.values[UNIT_RSP] += (uint64_t)bi->stack_delta;
        s->rn.values[bi->value_target] = value;
        return;
    }
    s->rn.values[UNIT_RSP] += (uint64_t)bi->stack_delta;
}

void values_step(sim *s, const block_insn *bi)
{
    if (bi->value_op == VALUE_NONE)
        return;
    if (bi->value_op == VALUE_PUSH || bi->value_op == VALUE_POP) {
        push_or_pop(s, bi);
        return;
    }
    if (bi->value_op == VALUE_UNKNOWN) {
        for (uint32_t m = bi->written_gprs; m; m &= m - 1)
            s->rn.values[__builtin_ctz(m)] = fresh_value(s);
        s->rn.values[UNIT_RSP] += (uint64_t)bi->stack_delta;
        return;
    }
    if (bi->value_target >= 16)
        return; /* the target is memory: the store has been recorded */
    uint64_t *target = &s->rn.values[bi->value_target];
    uint64_t value =
        bi->value_op == VALUE_LEA ? address_operand(s, bi) : compute(bi, *target, source_value(s, bi));
    *target = truncated(value, bi->value_width);
}

/* A µop of a store to `m` leaves for its port in cycle `start`; the data is known when it is a plain move of
 * a followed register. */
void values_record_store(sim *s, const block_insn *bi, const mem_access *m, bool data, int32_t start)
{
    store_entry *e = store_slot(s, values_store_address(s, bi, m));
    if (data)
        e->data_start = start;
    else
        e->address_start = start;
    e->last_seq[data] = s->next_seq;
    e->bytes = m->bytes;
    e->value_known =
        (bi->value_op == VALUE_MOV || bi->value_op == VALUE_PUSH) && bi->value_target >= 16 &&
        (bi->value_source < 16 || bi->insn->operands[bi->insn->visible_count - 1].kind == TACHO_OPERAND_IMM);
    if (e->value_known)
        e->value = bi->value_source < 16 ? s->rn.values[bi->value_source] : (uint64_t)bi->value_imm;
}

uint64_t values_store_address(const sim *s, const block_insn *bi, const mem_access *m)
{
    uint64_t address = values_address(s, m);
    return m->implicit_stack && m->write ? address + (uint64_t)bi->stack_delta : address;
}

const store_entry *values_find_store(sim *s, const mem_access *m)
{
    const store_entry *e = find_store(s, values_address(s, m));
    if (!e)
        return NULL;
    for (int part = 0; part < 2; part++)
        if (e->last_seq[part] < 0 || s->next_seq - e->last_seq[part] > SIM_FORWARD_WINDOW)
            return NULL; /* not both renamed, or in the cache by now */
    return e;
}
