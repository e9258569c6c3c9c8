/* machine.c - registers and memory of numbers. What memory held before the block is a number made from its
 * address, so that it is the same at any time and in whatever pieces it is read. */

#include "base/hash.h"
#include "base/mem.h"
#include "model/deps/deps_internal.h"

#define SAME_VALUE 0x12345600u /* with TACHO_INIT_SAME: as in predicting and measuring */

enum {
    SMALL_NUMBERS = 24
};

/* A number that nothing else has. */
value machine_fresh(machine *m)
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
        uint64_t bits = machine_fresh(m).bits;
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
            m->vector[r][l] = holds_same(m) ? known(SAME_VALUE) : machine_fresh(m);
}

void machine_start(machine *m, const tacho_deps_options *options, uint64_t seed)
{
    m->options = options;
    m->seed = hash_mix(seed);
    m->fresh = 0;
    m->backwards = false;
    m->store_count = m->memory_used = 0;
    m->flags.known = 0;
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

/* With small numbers: each aligned word of 4 bytes holds one of a few, as counts and indices do. */
static uint8_t first_byte(const machine *m, uint64_t address, bool small)
{
    if (holds_same(m))
        return (uint8_t)((uint64_t)SAME_VALUE >> 8 * (address & 7));
    if (small)
        return address & 3 ? 0 : (uint8_t)(hash_mix(m->seed + address) % SMALL_NUMBERS);
    return (uint8_t)hash_mix(m->seed + address);
}

static const memory_word *find_word(const machine *m, uint64_t number)
{
    for (size_t i = hash_mix(number) & (m->memory_slots - 1); m->memory_slots && m->memory[i].written;
         i = (i + 1) & (m->memory_slots - 1))
        if (m->memory[i].number == number)
            return &m->memory[i];
    return NULL;
}

const store *machine_writer(const machine *m, uint64_t address)
{
    const memory_word *w = find_word(m, address >> 3);
    return w && w->written >> (address & 7) & 1 ? &m->stores[w->store[address & 7]] : NULL;
}

value machine_load(const machine *m, uint64_t address, unsigned bytes)
{
    value v = known(0);
    bool small = m->small_numbers && bytes <= 4;
    const memory_word *w = NULL;
    for (unsigned i = 0; i < bytes && i < 8; i++) {
        unsigned at = (unsigned)(address + i) & 7;
        if (!i || !at)
            w = find_word(m, (address + i) >> 3);
        bool written = w && w->written >> at & 1;
        v.known &= !written || w->known >> at & 1;
        v.bits |= (written ? w->bits >> 8 * at & 0xff : first_byte(m, address + i, small)) << 8 * i;
    }
    return v;
}

/* Whether so many stores and slots may be had. */
static bool may_take(machine *m, size_t store_count, size_t slots)
{
    m->full |= m->most_bytes && store_count * sizeof *m->stores + slots * sizeof *m->memory > m->most_bytes;
    return !m->full;
}

/* Half of the slots stay free. @return -1 when memory runs out */
static int grow_memory(machine *m)
{
    if (2 * (m->memory_used + 1) <= m->memory_slots)
        return 0;
    size_t slots = m->memory_slots ? 2 * m->memory_slots : 1024, old_slots = m->memory_slots;
    if (!may_take(m, m->store_capacity, slots))
        return -1;
    memory_word *old = m->memory, *memory = tacho_mem_zalloc(slots, sizeof *memory);
    if (!memory)
        return -1;
    for (size_t k = 0; k < old_slots; k++)
        if (old[k].written) {
            size_t i = hash_mix(old[k].number) & (slots - 1);
            while (memory[i].written)
                i = (i + 1) & (slots - 1);
            memory[i] = old[k];
        }
    tacho_mem_free(old);
    m->memory = memory;
    m->memory_slots = slots;
    return 0;
}

/* The word, which the caller writes bytes of; NULL when memory runs out. */
static memory_word *word_at(machine *m, uint64_t number)
{
    if (grow_memory(m)) {
        m->failed = true;
        return NULL;
    }
    size_t i = hash_mix(number) & (m->memory_slots - 1);
    while (m->memory[i].written && m->memory[i].number != number)
        i = (i + 1) & (m->memory_slots - 1);
    m->memory_used += !m->memory[i].written;
    m->memory[i].number = number;
    return &m->memory[i];
}

void machine_store(machine *m, uint64_t address, uint32_t bytes, uint32_t insn, uint32_t iteration)
{
    if ((m->store_count == m->store_capacity && !may_take(m, 2 * m->store_capacity, m->memory_slots)) ||
        tacho_mem_grow(&m->stores, &m->store_capacity, m->store_count + 1, sizeof *m->stores)) {
        m->failed = true;
        return;
    }
    m->stores[m->store_count] = (store){address, insn, iteration, bytes, m->time};
    memory_word *w = NULL;
    for (uint32_t i = 0; i < bytes; i++) {
        unsigned at = (unsigned)(address + i) & 7;
        if ((!i || !at) && !(w = word_at(m, (address + i) >> 3)))
            return;
        w->store[at] = (uint32_t)m->store_count;
        w->written |= (uint8_t)(1 << at);
        w->known &= (uint8_t) ~(1 << at);
    }
    m->store_count++;
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
    for (size_t p = 0; p < m->pending_count; p++) {
        memory_word *w = NULL;
        for (unsigned i = 0; m->pending[p].bits.known && i < m->pending[p].bytes && !m->failed; i++) {
            uint64_t address = m->pending[p].address + i;
            unsigned at = (unsigned)address & 7;
            if ((!i || !at) && !(w = word_at(m, address >> 3)))
                break;
            w->written |= (uint8_t)(1 << at);
            w->known |= (uint8_t)(1 << at);
            w->bits &= ~((uint64_t)0xff << 8 * at);
            w->bits |= (m->pending[p].bits.bits >> 8 * i & 0xff) << 8 * at;
        }
    }
    m->pending_count = 0;
}
