/* address.c - the stores in flight, by address: which of them a load reads from. What the addresses are,
 * block/registers.c follows (seeds: staticdeps, section on the heuristic). */
#include "sim/sim.h"

void values_reset(sim *s)
{
    registers_init(&s->rn.values, s->arch, s->options);
    s->last_store = NULL;
}

enum {
    STORE_PROBES = 16
};

/* Where the search for a store to `address` begins. */
static uint64_t place_of(uint64_t address)
{
    return address * 0x9e3779b97f4a7c15u >> 32;
}

/* The remembered store to `address`, NULL if there is none. */
static store_entry *find_store(sim *s, uint64_t address)
{
    uint64_t h = place_of(address);
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
    uint64_t h = place_of(address);
    store_entry *oldest = NULL;
    for (uint64_t k = 0; k < STORE_PROBES; k++) {
        store_entry *e = &s->stores[(h + k) & (SIM_STORES - 1)];
        bool used = e->run == s->run;
        if (used && e->address == address)
            return e;
        if (!used || !oldest || e->last_seq[0] < oldest->last_seq[0])
            oldest = e;
        if (!used)
            break; /* no store was ever put further on */
    }
    *oldest = (store_entry){.run = s->run, .address = address, .last_seq = {-1, -1}};
    return oldest;
}

static const stored_value *stored_at_address(void *payload, uint64_t address)
{
    const store_entry *e = find_store(payload, address);
    return e ? &e->stored : NULL;
}

void values_step(sim *s, const block_insn *bi)
{
    registers_step(&s->rn.values, bi, stored_at_address, s);
}

void values_record_store(sim *s, const block_insn *bi, const mem_access *m, bool data, int32_t start)
{
    store_entry *e = s->last_store; /* the data µop follows its address µop */
    if (!data || !e || s->last_store_by != m || e->last_seq[0] < e->last_seq[1])
        e = store_slot(s, registers_store_address(&s->rn.values, bi, m));
    s->last_store = e;
    s->last_store_by = m;
    e->last_seq[data] = s->next_seq;
    if (!data) {
        e->address_start = start;
        return;
    }
    e->data_start = start;
    e->stored = registers_stored(&s->rn.values, bi, m);
}

const store_entry *values_find_store(sim *s, const mem_access *m)
{
    const store_entry *e = find_store(s, registers_load_address(&s->rn.values, m));
    if (!e)
        return NULL;
    for (int part = 0; part < 2; part++)
        if (e->last_seq[part] < 0 || s->next_seq - e->last_seq[part] > SIM_FORWARD_WINDOW)
            return NULL; /* not both renamed, or in the cache by now */
    return e;
}
