/* store_forward.c - the stores in flight, by address: which of them a load reads from, byte by byte. What the
 * addresses are, model/block/registers.h follows (seeds: staticdeps, section on the heuristic).
 *
 * A load gets its data from the youngest older store in flight that it overlaps, if that wrote all of its
 * bytes; else it waits until that store is in the first-level cache, and so are all older ones (Intel
 * optimization manual: store forwarding; the load must be contained in the store). */
#include "base/hash.h"
#include "model/sim/sim.h"

void store_forward_reset(sim *s)
{
    registers_init(&s->rn.values, s->arch, s->options);
    s->store_count = 0;
    memory_renaming_reset(s);
    waiting_reset(s);
    if (s->track_aliases)
        aliases_reset(s);
}

enum {
    LINE_BYTES = 64,
    WORD_PROBES = 16
};

/* Where the search for a word begins. */
static uint64_t place_of(uint64_t address)
{
    return address / WORD_BYTES * 0x9e3779b97f4a7c15u >> 32;
}

static const stored_word *find_word(const sim *s, uint64_t address)
{
    uint64_t h = place_of(address);
    for (uint64_t k = 0; k < WORD_PROBES; k++) {
        const word_entry *e = &s->words[(h + k) & (SIM_WORDS - 1)];
        if (e->run != s->run)
            return NULL; /* a new one would have been put here */
        if (e->stored.address == address)
            return &e->stored;
    }
    return NULL;
}

/* The entry for a word: its own, an unused one, or the one whose store is longest ago. */
static stored_word *word_slot(sim *s, uint64_t address)
{
    uint64_t h = place_of(address);
    word_entry *oldest = NULL;
    for (uint64_t k = 0; k < WORD_PROBES; k++) {
        word_entry *e = &s->words[(h + k) & (SIM_WORDS - 1)];
        bool used = e->run == s->run;
        if (used && e->stored.address == address)
            return &e->stored;
        if (!used || !oldest || e->stored.last < oldest->stored.last)
            oldest = e;
        if (!used)
            break; /* no word was ever put further on */
    }
    *oldest = (word_entry){.run = s->run, .stored = {.address = address}};
    return &oldest->stored;
}

static const memory_word *word_at_address(void *payload, uint64_t address)
{
    const stored_word *w = find_word(payload, address);
    return w ? &w->word : NULL;
}

void store_forward_step(sim *s, const block_insn *bi)
{
    registers_step(&s->rn.values, bi, word_at_address, s);
    if (s->track_aliases)
        registers_step(&s->aliases.other, bi, registers_no_word, NULL);
}

void store_forward_advance(sim *s)
{
    registers_advance(&s->rn.values, s->b);
    if (s->track_aliases)
        registers_advance(&s->aliases.other, s->b);
}

bool store_forward_split(const sim *s, const block_insn *bi, const mem_access *m)
{
    uint16_t from = registers_of_address(m);
    if (!from || (from & ~s->rn.values.constant) || m->unknown_address || !m->bytes)
        return false;
    return registers_store_address(&s->rn.values, bi, m) % LINE_BYTES + m->bytes > LINE_BYTES;
}

uint64_t store_forward_hash_places(const sim *s, uint64_t h)
{
    const register_values *v = &s->rn.values;
    for (uint32_t left = v->constant & s->prog.address_registers; left; left &= left - 1)
        h = hash_add(h, v->r[__builtin_ctz(left)] % LINE_BYTES);
    return h;
}

/* The record of the store that a µop belongs to: the latest one, or a new one. */
static store_record *record_of(sim *s, const block_insn *bi, const mem_access *m)
{
    store_record *r = store_number(s, s->store_count);
    if (s->store_count && r->by == m && r->iteration == s->issued_iterations)
        return r;
    r = store_number(s, ++s->store_count);
    *r = (store_record){.address = registers_store_address(&s->rn.values, bi, m),
                        .bytes = registers_access_bytes(m),
                        .by = m,
                        .iteration = s->issued_iterations,
                        .insn = (uint32_t)(bi - s->b->insns),
                        .address_start = SIM_LONG_AGO,
                        .data_start = SIM_LONG_AGO,
                        .commit = STORE_INCOMPLETE,
                        .last_seq = {-1, -1}};
    memory_renaming_note_store(s, r->insn);
    return r;
}

static int32_t operands_of(const sim *s, const op *u)
{
    int32_t latest = s->earliest;
    for (uint32_t k = 0; k < u->in_count; k++)
        latest = rat_ready(s->rn.rat[u->in[k]]) > latest ? rat_ready(s->rn.rat[u->in[k]]) : latest;
    return latest;
}

void store_forward_record_store(sim *s, const block_insn *bi, const mem_access *m, const op *u, int32_t start)
{
    bool data = u->kind == UOP_STORE_DATA;
    store_record *r = record_of(s, bi, m);
    int32_t *part = data ? &r->data_start : &r->address_start;
    bool written = r->last_seq[1] >= 0;
    if (data && s->renames)
        r->register_ready = operands_of(s, u);
    *part = start > *part ? start : *part;
    r->last_seq[data] = s->next_seq;
    r->general = data && block_may_rename(bi, u->mem, false);
    if (!data || written)
        return;
    if (s->track_aliases)
        aliases_record_store(s, r, bi);
    followed_value v = registers_stored(&s->rn.values, bi, m, word_at_address, s);
    uint64_t first = word_of(r->address);
    for (uint64_t word = first; word - first < r->bytes + (r->address - first); word += WORD_BYTES)
        stored_word_write(word_slot(s, word), r->address, r->bytes, s->store_count, v);
}

bool store_forward_in_flight(sim *s, uint32_t number, int32_t start)
{
    int32_t commit = store_number(s, number)->commit;
    return number && s->store_count - number < SIM_STORE_RECORDS && commit > start &&
           commit != STORE_INCOMPLETE;
}

static load_source forwarded(const sim *s, const op *u, const store_record *r)
{
    int32_t by_address = r->address_start + s->arch->load_latency_cycles, by_data = r->data_start + 1;
    return (load_source){.store = r,
                         .available = (by_address > by_data ? by_address : by_data) +
                                      block_forward_cycles(s->arch, u->ports, u->flags & OP_VECTOR_LOAD)};
}

/* The simpler model: the youngest store that begins where the load does. */
static load_source find_same_address(sim *s, const op *u, uint64_t address, int32_t start)
{
    const stored_word *w = find_word(s, word_of(address));
    uint32_t store = w ? w->writer[address - word_of(address)] : 0;
    if (!store_forward_in_flight(s, store, start) || store_number(s, store)->address != address)
        return (load_source){.available = SIM_LONG_AGO};
    return forwarded(s, u, store_number(s, store));
}

/* The youngest store in flight that any byte is from. */
static load_source find_by_bytes(sim *s, const op *u, const mem_access *m, uint64_t address, int32_t start)
{
    unsigned bytes = registers_access_bytes(m);
    uint64_t first = word_of(address);
    uint32_t youngest = 0;
    for (uint64_t word = first; word - first < bytes + (address - first); word += WORD_BYTES) {
        const stored_word *w = find_word(s, word);
        if (!w || !store_forward_in_flight(s, w->last, start))
            continue; /* then no older one is */
        uint32_t store = stored_word_youngest(w, address, bytes);
        youngest = store > youngest ? store : youngest;
    }
    if (!store_forward_in_flight(s, youngest, start))
        return s->track_aliases ? aliases_find(s, m, start) : (load_source){.available = SIM_LONG_AGO};
    const store_record *r = store_number(s, youngest);
    if (address - r->address > r->bytes - bytes || bytes > r->bytes)
        return (load_source){.store = r,
                             .blocked = true,
                             .available =
                                 r->commit + s->arch->blocked_load_cycles + s->arch->load_latency_cycles};
    return forwarded(s, u, r);
}

load_source store_forward_find_source(sim *s, const op *u, const mem_access *m, int32_t start)
{
    uint64_t address = registers_load_address(&s->rn.values, m);
    load_source from = s->options->variants & TACHO_VARIANT_SIMPLE_MEMORY
                           ? find_same_address(s, u, address, start)
                           : find_by_bytes(s, u, m, address, start);
    bool same = from.store && !from.blocked && !from.aliased && from.store->address == address;
    if (s->renames && memory_renaming_guesses(s, u, m, same ? from.store : NULL)) {
        from.renamed = true;
        from.available = from.store->register_ready;
    } else if (s->waits && from.store && !from.blocked && !from.aliased) {
        from.available = waiting_enter(s, u, start, from.available,
                                       block_forwards_at_once(u->flags & OP_VECTOR_LOAD, same));
    }
    return from;
}
