/* registers.c - following values through the registers; see registers.h. */
#include "block/registers.h"

#include "util/hash.h"

#define SAME_VALUE 0x12345600u /* what the reference measurements used; any multiple of 64 would do */

static uint64_t fresh_value(register_values *v)
{
    uint64_t value = hash_mix(++v->fresh);
    return v->arbitrary ? value : value & ~(uint64_t)63;
}

void registers_init(register_values *v, const tacho_arch *arch, const tacho_predict_options *options)
{
    *v = (register_values){.arch = arch, .same = options->init == TACHO_INIT_SAME};
    for (int k = 0; k < 16; k++)
        v->r[k] = v->same ? SAME_VALUE : fresh_value(v);
    for (int k = 0; k < 16; k++)
        if (options->known_values && (options->known_mask >> k & 1))
            v->r[k] = options->known_values[k];
}

uint64_t registers_load_address(const register_values *v, const mem_access *m)
{
    uint64_t address = (uint64_t)m->disp;
    if (m->base < 16)
        address += v->r[m->base];
    else if (m->base == UNIT_NONE)
        address += 0x40000000; /* where RIP-relative and absolute data lie */
    if (m->index < 16)
        address += v->r[m->index] * m->scale;
    return address;
}

uint64_t registers_store_address(const register_values *v, const block_insn *bi, const mem_access *m)
{
    uint64_t address = registers_load_address(v, m);
    return m->implicit_stack && m->write ? address + (uint64_t)bi->stack_delta : address;
}

stored_value registers_stored(const register_values *v, const block_insn *bi, const mem_access *m)
{
    bool moves = (bi->value_op == VALUE_MOV || bi->value_op == VALUE_PUSH) && bi->value_target >= 16;
    if (moves && bi->value_source < 16)
        return (stored_value){v->r[bi->value_source], m->bytes, true};
    if (moves && bi->insn->operands[bi->insn->visible_count - 1].kind == TACHO_OPERAND_IMM)
        return (stored_value){(uint64_t)bi->value_imm, m->bytes, true};
    return (stored_value){0, m->bytes, false};
}

static uint64_t loaded_value(register_values *v, const mem_access *m, unsigned bytes, stored_at *lookup,
                             void *payload)
{
    const stored_value *stored = lookup(payload, registers_load_address(v, m));
    if (stored)
        return stored->known && stored->bytes >= bytes ? stored->value : fresh_value(v);
    if (v->same)
        return SAME_VALUE;
    return fresh_value(v);
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

static mem_access address_parts(const tacho_mem *m, const tacho_arch *arch)
{
    return (mem_access){
        .base = block_unit(arch, m->base), .index = block_unit(arch, m->index), .scale = m->scale};
}

static uint64_t address_operand(const register_values *v, const block_insn *bi)
{
    const tacho_mem *m = &bi->insn->operands[1].mem;
    mem_access access = address_parts(m, v->arch);
    access.disp = bi->value_disp;
    return registers_load_address(v, &access);
}

/* The second operand: an immediate, a register, or what lies in memory. */
static uint64_t source_value(register_values *v, const block_insn *bi, stored_at *lookup, void *payload)
{
    if (bi->value_source < 16)
        return v->r[bi->value_source];
    if (bi->insn->visible_count > 1 && bi->insn->operands[1].kind == TACHO_OPERAND_MEM && bi->mem_count)
        return loaded_value(v, &bi->mem[0], bi->insn->operands[1].width_bits / 8, lookup, payload);
    return (uint64_t)bi->value_imm;
}

static void pop(register_values *v, const block_insn *bi, stored_at *lookup, void *payload)
{
    uint64_t value = loaded_value(v, &bi->mem[0], 8, lookup, payload);
    if (bi->value_target != UNIT_RSP)
        v->r[UNIT_RSP] += (uint64_t)bi->stack_delta;
    v->r[bi->value_target] = value;
}

void registers_step(register_values *v, const block_insn *bi, stored_at *lookup, void *payload)
{
    switch (bi->value_op) {
    case VALUE_NONE:
        return;
    case VALUE_POP:
        if (bi->value_target < 16 && bi->mem_count) {
            pop(v, bi, lookup, payload);
            return;
        }
        v->r[UNIT_RSP] += (uint64_t)bi->stack_delta;
        return;
    case VALUE_PUSH:
        v->r[UNIT_RSP] += (uint64_t)bi->stack_delta;
        return;
    case VALUE_UNKNOWN:
        for (uint32_t m = bi->written_gprs; m; m &= m - 1)
            v->r[__builtin_ctz(m)] = fresh_value(v);
        v->r[UNIT_RSP] += (uint64_t)bi->stack_delta;
        return;
    default:
        break;
    }
    if (bi->value_target >= 16)
        return; /* the target is memory */
    uint64_t *target = &v->r[bi->value_target];
    uint64_t value = bi->value_op == VALUE_LEA ? address_operand(v, bi)
                                               : compute(bi, *target, source_value(v, bi, lookup, payload));
    *target = truncated(value, bi->value_width);
}

uint16_t registers_of_address(const mem_access *m)
{
    return (uint16_t)((m->base < 16 ? 1u << m->base : 0) | (m->index < 16 ? 1u << m->index : 0));
}

/* What the value of the instruction's target comes from; `stored`: the registers that the block stores. */
static uint16_t value_sources(const block_insn *bi, const tacho_arch *arch, uint16_t stored)
{
    uint16_t from = bi->value_source < 16 ? (uint16_t)(1u << bi->value_source) : 0;
    for (int i = 0; i < bi->insn->visible_count; i++)
        if (bi->insn->operands[i].kind == TACHO_OPERAND_MEM ||
            bi->insn->operands[i].kind == TACHO_OPERAND_AGEN) {
            mem_access access = address_parts(&bi->insn->operands[i].mem, arch);
            from |= registers_of_address(&access);
        }
    return bi->mem_count ? from | stored : from;
}

uint16_t registers_needed(const block *b)
{
    uint16_t needed = b->has_stack ? 1u << UNIT_RSP : 0, stored = 0, before;
    for (uint32_t i = 0; i < b->insn_count; i++) {
        const block_insn *bi = &b->insns[i];
        for (int k = 0; k < bi->mem_count; k++) {
            needed |= registers_of_address(&bi->mem[k]);
            stored |= (uint16_t)(bi->mem[k].write && bi->value_source < 16 ? 1u << bi->value_source : 0);
        }
    }
    do {
        before = needed;
        for (uint32_t i = 0; i < b->insn_count; i++)
            if (registers_matter(&b->insns[i], needed))
                needed |= value_sources(&b->insns[i], b->arch, stored);
    } while (needed != before);
    return needed;
}

bool registers_matter(const block_insn *bi, uint16_t needed)
{
    uint16_t target = bi->value_target < 16 ? (uint16_t)(1u << bi->value_target) : 0;
    return bi->value_op != VALUE_NONE &&
           (((target | bi->written_gprs) & needed) || bi->stack_delta || bi->value_op == VALUE_PUSH);
}

bool registers_keep_addresses(const block *b)
{
    uint32_t used = 0, written = b->has_stack ? 1u << UNIT_RSP : 0;
    for (uint32_t i = 0; i < b->insn_count; i++) {
        const block_insn *bi = &b->insns[i];
        written |= bi->written_gprs;
        for (int m = 0; m < bi->mem_count; m++)
            used |= registers_of_address(&bi->mem[m]);
    }
    return !(used & written);
}

bool registers_never_meet(const block *b, const tacho_predict_options *options)
{
    enum {
        MAX_LOADS = 64
    };
    uint64_t loads[MAX_LOADS];
    uint32_t count = 0;
    register_values v;
    if (!registers_keep_addresses(b))
        return false;
    registers_init(&v, b->arch, options);
    for (uint32_t i = 0; i < b->insn_count; i++)
        for (int k = 0; k < b->insns[i].mem_count; k++) {
            const mem_access *m = &b->insns[i].mem[k];
            if (!m->read || m->unknown_address)
                continue;
            if (count == MAX_LOADS)
                return false;
            loads[count++] = registers_load_address(&v, m);
        }
    for (uint32_t i = 0; i < b->insn_count; i++)
        for (int k = 0; k < b->insns[i].mem_count; k++) {
            const mem_access *m = &b->insns[i].mem[k];
            if (!m->write || m->unknown_address)
                continue;
            uint64_t address = registers_store_address(&v, &b->insns[i], m);
            for (uint32_t l = 0; l < count; l++)
                if (loads[l] == address)
                    return false;
        }
    return true;
}
