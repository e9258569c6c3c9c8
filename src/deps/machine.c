/* machine.c - registers and memory of numbers. What memory held before the block is a number made of its
 * address, so that it is the same whenever, and in whatever pieces, it is read. */
#include <string.h>

#include "deps/deps.h"
#include "util/hash.h"
#include "util/mem.h"

#define SAME_VALUE 0x12345600u /* with TACHO_INIT_SAME: as in predicting and measuring */

/* A number that nothing else has. */
static value fresh_number(machine *m)
{
    return known(hash_mix(m->seed ^ ++m->fresh << 20));
}

/* All registers and words of memory begin with one value. */
static bool holds_same(const machine *m)
{
    return m->options->init == TACHO_INIT_SAME && !m->options->no_alias;
}

static void start_registers(machine *m)
{
    const tacho_deps_options *o = m->options;
    for (int r = 0; r < 16; r++) {
        uint64_t bits = fresh_number(m).bits;
        if (holds_same(m))
            bits = SAME_VALUE;
        else if (o->init == TACHO_INIT_ALIGNED || r == 4) /* the stack pointer is aligned */
            bits &= ~(uint64_t)63;
        if (o->known_values && (o->known_mask >> r & 1) && !o->no_alias)
            bits = o->known_values[r];
        m->general[r] = known(bits);
    }
    for (size_t i = 0; i < o->alias_count; i++)
        m->general[o->aliases[i].reg & 15] =
            known(m->general[o->aliases[i].base & 15].bits + (uint64_t)o->aliases[i].offset);
    for (int r = 0; r < VECTOR_REGISTERS; r++)
        for (int l = 0; l < LANES; l++)
            m->vector[r][l] = holds_same(m) ? known(SAME_VALUE) : fresh_number(m);
}

void machine_start(machine *m, const tacho_deps_options *options, uint64_t seed)
{
    m->options = options;
    m->seed = hash_mix(seed);
    m->fresh = 0;
    m->backwards = false;
    m->store_count = m->memory_used = 0;
    if (m->memory)
        memset(m->memory, 0, m->memory_slots * sizeof *m->memory);
    start_registers(m);
}

void machine_free(machine *m)
{
    tacho_mem_free(m->memory);
    tacho_mem_free(m->stores);
    *m = (machine){0};
}

/* ---- registers ---- */

value machine_read_general(const machine *m, tacho_reg r)
{
    value v = m->general[r.number & 15];
    switch (r.class_) {
    case TACHO_REG_R8L:
        v.bits &= 0xff;
        break;
    case TACHO_REG_R8H:
        v.bits = v.bits >> 8 & 0xff;
        break;
    case TACHO_REG_R16:
        v.bits &= 0xffff;
        break;
    case TACHO_REG_R32:
        v.bits &= 0xffffffff;
        break;
    default:
        break;
    }
    return v;
}

void machine_write_general(machine *m, tacho_reg r, value v)
{
    value *whole = &m->general[r.number & 15];
    uint64_t kept = r.class_ == TACHO_REG_R8L   ? ~(uint64_t)0xff
                    : r.class_ == TACHO_REG_R8H ? ~(uint64_t)0xff00
                    : r.class_ == TACHO_REG_R16 ? ~(uint64_t)0xffff
                                                : 0;
    if (r.class_ == TACHO_REG_R8H)
        v.bits <<= 8;
    if (r.class_ == TACHO_REG_R32)
        v.bits &= 0xffffffff;
    *whole = (value){(whole->bits & kept) | (v.bits & (kept ? ~kept : ~(uint64_t)0)),
                     v.known && (!kept || whole->known)};
}

/* ---- memory ---- */

value machine_address(const machine *m, const tacho_mem *mem)
{
    uint64_t address = (uint64_t)mem->disp + (mem->base.class_ == TACHO_REG_RIP ? m->next_insn : 0);
    bool all = true, narrow = mem->base.class_ == TACHO_REG_R32 || mem->index.class_ == TACHO_REG_R32;
    if (mem->vsib || mem->segment.class_ == TACHO_REG_SEG)
        return UNKNOWN;
    if (mem->base.class_ == TACHO_REG_R64 || mem->base.class_ == TACHO_REG_R32) {
        value base = machine_read_general(m, mem->base);
        address += base.bits;
        all &= base.known;
    }
    if (mem->index.class_ == TACHO_REG_R64 || mem->index.class_ == TACHO_REG_R32) {
        value index = machine_read_general(m, mem->index);
        address += index.bits * mem->scale;
        all &= index.known;
    }
    return (value){narrow ? (uint32_t)address : address, all};
}

static uint8_t first_byte(const machine *m, uint64_t address)
{
    if (holds_same(m))
        return (uint8_t)((uint64_t)SAME_VALUE >> 8 * (address & 7));
    return (uint8_t)hash_mix(m->seed + address);
}

static const memory_byte *find_byte(const machine *m, uint64_t address)
{
    for (size_t i = hash_mix(address) & (m->memory_slots - 1); m->memory_slots && m->memory[i].store;
         i = (i + 1) & (m->memory_slots - 1))
        if (m->memory[i].address == address)
            return &m->memory[i];
    return NULL;
}

const store *machine_writer(const machine *m, uint64_t address)
{
    const memory_byte *b = find_byte(m, address);
    return b ? &m->stores[b->store - 1] : NULL;
}

value machine_load(const machine *m, uint64_t address, unsigned bytes)
{
    value v = known(0);
    for (unsigned i = 0; i < bytes && i < 8; i++) {
        const memory_byte *b = find_byte(m, address + i);
        v.known &= !b || b->known;
        v.bits |= (uint64_t)(b ? b->bits : first_byte(m, address + i)) << 8 * i;
    }
    return v;
}

/* Half of the slots stay free. @return -1 when memory runs out */
static int grow_memory(machine *m)
{
    if (2 * (m->memory_used + 1) <= m->memory_slots)
        return 0;
    size_t slots = m->memory_slots ? 2 * m->memory_slots : 4096, old_slots = m->memory_slots;
    memory_byte *old = m->memory, *memory = tacho_mem_zalloc(slots, sizeof *memory);
    if (!memory)
        return -1;
    for (size_t k = 0; k < old_slots; k++)
        if (old[k].store) {
            size_t i = hash_mix(old[k].address) & (slots - 1);
            while (memory[i].store)
                i = (i + 1) & (slots - 1);
            memory[i] = old[k];
        }
    tacho_mem_free(old);
    m->memory = memory;
    m->memory_slots = slots;
    return 0;
}

static memory_byte *byte_at(machine *m, uint64_t address)
{
    if (grow_memory(m)) {
        m->failed = true;
        return NULL;
    }
    size_t i = hash_mix(address) & (m->memory_slots - 1);
    while (m->memory[i].store && m->memory[i].address != address)
        i = (i + 1) & (m->memory_slots - 1);
    m->memory_used += !m->memory[i].store;
    m->memory[i].address = address;
    return &m->memory[i];
}

void machine_store(machine *m, uint64_t address, uint32_t bytes, uint32_t insn, uint32_t iteration)
{
    if (tacho_mem_grow(&m->stores, &m->store_capacity, m->store_count + 1, sizeof *m->stores)) {
        m->failed = true;
        return;
    }
    m->stores[m->store_count++] = (store){address, insn, iteration, bytes};
    for (uint32_t i = 0; i < bytes; i++) {
        memory_byte *b = byte_at(m, address + i);
        if (!b)
            return;
        b->store = (uint32_t)m->store_count;
        b->known = false;
    }
}

void machine_store_bits(machine *m, uint64_t address, unsigned bytes, value v)
{
    if (m->pending_count == sizeof m->pending / sizeof *m->pending)
        return; /* of an instruction that writes more than is followed: unknown */
    m->pending[m->pending_count].address = address;
    m->pending[m->pending_count].bytes = (uint8_t)(bytes < 8 ? bytes : 8);
    m->pending[m->pending_count++].bits = v;
}

void machine_end_insn(machine *m)
{
    for (size_t p = 0; p < m->pending_count; p++)
        for (unsigned i = 0; m->pending[p].bits.known && i < m->pending[p].bytes && !m->failed; i++) {
            memory_byte *b = byte_at(m, m->pending[p].address + i);
            if (!b)
                break;
            b->known = true;
            b->bits = (uint8_t)(m->pending[p].bits.bits >> 8 * i);
        }
    m->pending_count = 0;
}
