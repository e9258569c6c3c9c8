/* alias_4k.c - 4K aliasing: a store is taken for the one that a load reads from, because the lower 12 bits of
 * their addresses meet (L. E. Melhus, thesis on measurement bias, University of Oslo 2013, section 4.1;
 * LD_BLOCKS_PARTIAL.ADDRESS_ALIAS of the Intel optimization manual). When the addresses have been compared in
 * full, the load begins again.
 *
 * Most distances between addresses are not known from the code. Known are those between offsets from one
 * register, and what the options say of pointers and registers. To find them, registers are followed a second
 * time from other numbers: a distance that is the same both times is known. What comes from memory counts as
 * unknown. */
#include "model/sim/sim.h"

#include <string.h>

enum {
    LOOKED_AT = 3, /* iterations, to see whether there are such distances */
    MOST_STORES = 32
};

void aliases_reset(sim *s)
{
    registers_init_other(&s->aliases.other, s->arch, s->options);
    memset(s->aliases.last, 0, sizeof s->aliases.last);
}

void aliases_record_store(sim *s, store_record *r, const block_insn *bi)
{
    r->other_address = registers_store_address(&s->aliases.other, bi, r->by);
    uint64_t first = word_of(r->address);
    for (uint64_t word = first; word - first < r->bytes + (r->address - first); word += WORD_BYTES)
        s->aliases.last[word % PAGE_BYTES / WORD_BYTES] = s->store_count;
}

/* They share bytes modulo PAGE_BYTES, at addresses whose distance is known. */
static bool meets(const sim *s, const store_record *r, const mem_access *m, uint64_t address, unsigned bytes)
{
    uint64_t distance = address - r->address;
    return distance == registers_load_address(&s->aliases.other, m) - r->other_address &&
           (distance % PAGE_BYTES < r->bytes || -distance % PAGE_BYTES < bytes);
}

load_source aliases_find(sim *s, const mem_access *m, int32_t start)
{
    uint64_t address = registers_load_address(&s->rn.values, m), first = word_of(address);
    unsigned bytes = registers_access_bytes(m);
    uint32_t youngest = 0;
    for (uint64_t word = first; word - first < bytes + (address - first); word += WORD_BYTES) {
        uint32_t store = s->aliases.last[word % PAGE_BYTES / WORD_BYTES];
        if (store > youngest && store_forward_in_flight(s, store, start) &&
            store_number(s, store)->address_start <= start &&
            meets(s, store_number(s, store), m, address, bytes))
            youngest = store;
    }
    if (!youngest)
        return (load_source){.available = SIM_LONG_AGO};
    return (load_source){.store = store_number(s, youngest),
                         .aliased = true,
                         .available = start + s->arch->alias_4k_cycles + s->arch->load_latency_cycles};
}

/* ---- before the run ---- */

/* Both ways to follow the registers, and the stores of the iterations so far. */
typedef struct survey {
    register_values v, other;
    uint64_t at[MOST_STORES], other_at[MOST_STORES];
    unsigned bytes[MOST_STORES];
    uint32_t stores;
    bool constant; /* all addresses are the same in each iteration */
} survey;

/* Whether the load can be a multiple of a page from a store: it is one, or addresses change and it is far
 * enough away. */
static bool may_alias(const survey *v, const mem_access *m)
{
    uint64_t at = registers_load_address(&v->v, m), other_at = registers_load_address(&v->other, m);
    for (uint32_t k = 0; k < v->stores; k++) {
        uint64_t distance = at - v->at[k];
        bool far = distance + PAGE_BYTES / 2 > PAGE_BYTES,
             meets =
                 distance % PAGE_BYTES < v->bytes[k] || -distance % PAGE_BYTES < registers_access_bytes(m);
        if (distance == other_at - v->other_at[k] && far && (meets || !v->constant))
            return true;
    }
    return false;
}

/* @return whether a load is found that can be so, or there is no room to tell */
static bool survey_insn(survey *v, const block_insn *bi)
{
    for (int k = 0; k < bi->mem_count; k++) {
        const mem_access *m = &bi->mem[k];
        if (m->read && !m->unknown_address && may_alias(v, m))
            return true;
        if (!m->write || m->unknown_address)
            continue;
        if (v->stores == MOST_STORES)
            return true;
        v->at[v->stores] = registers_store_address(&v->v, bi, m);
        v->other_at[v->stores] = registers_store_address(&v->other, bi, m);
        v->bytes[v->stores++] = registers_access_bytes(m);
    }
    if (!v->constant) {
        registers_step(&v->v, bi, registers_no_word, NULL);
        registers_step(&v->other, bi, registers_no_word, NULL);
    }
    return false;
}

bool aliases_possible(const block *b, const tacho_predict_options *options)
{
    survey v;
    if (!b->arch->alias_4k_cycles || (options->variants & TACHO_VARIANT_SIMPLE_MEMORY))
        return false;
    v.stores = 0;
    v.constant = registers_keep_addresses(b);
    registers_init(&v.v, b->arch, options);
    registers_init_other(&v.other, b->arch, options);
    for (uint32_t k = 0; k < LOOKED_AT; k++) {
        for (uint32_t i = 0; i < b->insn_count; i++)
            if (survey_insn(&v, &b->insns[i]))
                return true;
        registers_advance(&v.v, b);
        registers_advance(&v.other, b);
    }
    return false;
}
