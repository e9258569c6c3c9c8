/* aliases.c - whether a load can be a multiple of a page from a store, at a distance that is known: before
 * the run, from registers that are followed twice. What comes of it: model/sim/stores.c. */
#include "model/block/registers.h"

enum {
    LOOKED_AT = 3, /* iterations, to see whether there are such distances */
    MOST_STORES = 32
};

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
    for (const mem_access *m = bi->mem; m < bi->mem + bi->mem_count; m++) {
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

bool registers_may_alias(const block *b, const tacho_predict_options *options)
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
