/* memo.c - see predictor.h. Entries have different lengths, and lie one after the other in a ring of chunks.
 * A hash table says where each is; its buckets are cache lines of slots. A slot whose entry has been
 * overwritten is free. */
#include "model/predict/predictor.h"

#include "base/hash.h"
#include "base/mem.h"

enum {
    MAX_CODE_BYTES = 1024, /* longer code is not remembered */
    ANY_PLACE = 64,        /* in place of an alignment */
    CHUNK_BYTES = 1 << 18,
    CHUNKS = 64, /* 16 MB */
    UNIT_BYTES = 8,
    CHUNK_UNITS = CHUNK_BYTES / UNIT_BYTES,
    FIRST_BUCKETS = 1 << 9, /* on few pages; for twice as many predictions */
    BUCKETS = 1 << 15,
    BUCKET_SLOTS = 8,
    MAX_CONTEXTS = 16
};

#define NOWHERE UINT64_MAX

/* Where an entry is: its first unit, counted from the very first one. Or a note that the addresses of such
 * code are compared. If that is noted of other code by mistake, its bytes are compared without need. */
typedef struct memo_slot {
    uint64_t at : 40;
    uint64_t tag : 23;
    uint64_t compares_addresses : 1;
} memo_slot;

/* The members of a prediction that an entry keeps. */
/* clang-format off */
#define FOR_KEPT(USE)                                                                                        \
    USE(cycles) USE(cycles_num) USE(cycles_den) USE(period_iterations) USE(simulated_cycles)                 \
    USE(simulated_iterations) USE(averaged_from) USE(averaged_to) USE(mode) USE(source) USE(bottlenecks)     \
    USE(unknown_count) USE(skipped_count) USE(lacking_count) USE(derived_count) USE(busiest_ports)
/* clang-format on */

/* What follows: the bounds that apply, then the code. */
typedef struct memo_entry {
    uint64_t context;
    uint16_t code_bytes;
    bool is_outline;
    uint8_t place, mode, source;
    uint16_t bounds; /* bits: those that follow */
    uint16_t busiest_ports;
    uint32_t cycles_num, cycles_den, period_iterations;
    uint32_t simulated_cycles, simulated_iterations, averaged_from, averaged_to;
    uint32_t bottlenecks, unknown_count, skipped_count, lacking_count, derived_count;
    double cycles;
} memo_entry;

/* All but the code and its place that a prediction depends on. */
typedef struct memo_context {
    tacho_arch arch;
    uint32_t options[11];
    uint64_t number; /* 0: unused */
} memo_context;

/* What to look for. */
typedef struct memo_key {
    const uint8_t *code; /* or the outline */
    uint32_t size;
    uint64_t hash;
    bool is_outline;
    uint8_t place; /* alignment, or ANY_PLACE */
} memo_key;

struct memo {
    uint8_t *chunks[CHUNKS];
    memo_slot (*buckets)[BUCKET_SLOTS]; /* NULL before the first entry */
    uint32_t bucket_count, filled;      /* slots in the first ones */
    uint64_t next;                      /* unit */
    memo_context contexts[MAX_CONTEXTS];
    uint64_t contexts_seen;
    uint32_t context;   /* the current one's place */
    memo_key key, seen; /* that were not found; no code: nothing to keep */
    uint64_t found;
};

memo *memo_new(void)
{
    memo *m = tacho_mem_zalloc(1, sizeof *m);
    if (m)
        m->next = 1; /* all slots name unit 0, and are older than any entry */
    return m;
}

void memo_free(memo *m)
{
    if (!m)
        return;
    for (uint32_t k = 0; k < CHUNKS; k++)
        tacho_mem_free(m->chunks[k]);
    tacho_mem_free(m->buckets);
    tacho_mem_free(m);
}

bool memo_applies(const tacho_predict_options *o)
{
    return !o->details && !o->trace && !o->known_values && !o->piece_count && !o->alias_count &&
           !o->no_alias && !o->mispredicted_count && !o->once && !o->run_iterations && !o->advance &&
           !o->slow_load_count;
}

/* ---- contexts ---- */

static bool is_context(const memo_context *c, const tacho_arch *arch, const uint32_t *options)
{
    return c->number && !memcmp(c->options, options, sizeof c->options) &&
           !memcmp(&c->arch, arch, sizeof *arch);
}

/* The index of the microarchitecture with these options among those met last. */
static uint32_t find_context(memo *m, const tacho_arch *arch, const tacho_predict_options *o)
{
    const uint32_t options[] = {o->mode,
                                o->init,
                                o->min_cycles,
                                o->min_iterations,
                                o->no_memory_deps | o->bounds << 1 | o->ignore_isa << 2,
                                o->ideal,
                                o->ideal_port_set,
                                (uint32_t)o->ideal_latency_insn,
                                o->unknown,
                                o->unknown_latency,
                                o->variants};
    _Static_assert(sizeof options == sizeof m->contexts->options, "as many as are kept");
    for (uint32_t k = 0; k < MAX_CONTEXTS; k++) {
        uint32_t at = (m->context + k) % MAX_CONTEXTS;
        if (is_context(&m->contexts[at], arch, options))
            return at;
    }
    uint32_t at = (uint32_t)(m->contexts_seen++ % MAX_CONTEXTS);
    m->contexts[at] = (memo_context){.arch = *arch, .number = m->contexts_seen};
    memcpy(m->contexts[at].options, options, sizeof options);
    return at;
}

/* ---- entries ---- */

static memo_entry *entry_at(const memo *m, uint64_t unit)
{
    return (memo_entry *)(m->chunks[unit / CHUNK_UNITS % CHUNKS] + unit % CHUNK_UNITS * UNIT_BYTES);
}

static uint8_t *code_of(const memo_entry *e)
{
    return (uint8_t *)(e + 1) + (size_t)__builtin_popcount(e->bounds) * sizeof(double);
}

static size_t entry_bytes(const memo_entry *e)
{
    return (size_t)(code_of(e) - (uint8_t *)e) + e->code_bytes;
}

static bool is_there(const memo *m, memo_slot s)
{
    return s.at < m->next && s.at + (uint64_t)CHUNKS * CHUNK_UNITS >= m->next;
}

static memo_key make_key(const memo *m, const uint8_t *code, uint32_t size, bool is_outline, uint8_t place)
{
    uint64_t start = m->contexts[m->context].number << 23 | (uint64_t)place << 16 | size << 1 | is_outline;
    return (memo_key){code, size, hash_mix(hash_add(hash_bytes(code, size), start)), is_outline, place};
}

static memo_slot *bucket_of(const memo *m, uint64_t hash)
{
    return m->buckets[hash % m->bucket_count];
}

static uint32_t tag_of(uint64_t hash)
{
    return hash >> 41;
}

static bool is_entry(const memo *m, const memo_entry *e, const memo_key *k)
{
    return e->context == m->contexts[m->context].number && e->code_bytes == k->size &&
           e->is_outline == k->is_outline && e->place == k->place && !memcmp(code_of(e), k->code, k->size);
}

/* *compares: whether such code compares addresses, as far as is known. */
static const memo_entry *find_entry(const memo *m, const memo_key *k, bool *compares)
{
    memo_slot *slots = bucket_of(m, k->hash);
    for (uint32_t n = 0; n < BUCKET_SLOTS; n++) {
        if (slots[n].tag != tag_of(k->hash) || !is_there(m, slots[n]))
            continue;
        if (slots[n].compares_addresses) {
            *compares = true;
            return NULL;
        }
        const memo_entry *e = entry_at(m, slots[n].at);
        if (is_entry(m, e, k))
            return e;
    }
    return NULL;
}

static void read_entry(tacho_prediction *r, const memo_entry *e)
{
    const uint8_t *next = (const uint8_t *)(e + 1);
    for (int k = 0; k < TACHO_BOUND_COUNT; k++) {
        r->bounds[k] = NAN;
        if (e->bounds >> k & 1) {
            memcpy(&r->bounds[k], next, sizeof r->bounds[k]);
            next += sizeof r->bounds[k];
        }
    }
#define READ(member) r->member = (typeof(r->member))e->member;
    FOR_KEPT(READ)
}

bool memo_find(memo *m, tacho_prediction *r, insn_cache *c, const tacho_arch *arch,
               const tacho_predict_options *o)
{
    uint32_t size;
    bool compares = false;
    const uint8_t *code = insn_cache_code(c, &size);
    m->key.code = m->seen.code = NULL;
    if (!size || size > MAX_CODE_BYTES)
        return false;
    /* where the renamer adds immediates, each of them matters */
    const uint8_t *outline = arch->immediate_sum_bits ? NULL : insn_cache_outline(c);
    m->context = find_context(m, arch, o);
    m->key = make_key(m, outline ? outline : code, size, outline != NULL, (uint8_t)o->alignment);
    if (!m->buckets)
        return false;
    const memo_entry *e = find_entry(m, &m->key, &compares);
    if (!e && compares && outline) {
        m->key = make_key(m, code, size, false, m->key.place);
        e = find_entry(m, &m->key, &compares);
    }
    if (!e)
        return false;
    read_entry(r, e);
    m->found++;
    return true;
}

bool memo_find_seen(memo *m, tacho_prediction *r, const machine_view *seen, const tacho_arch *arch,
                    const tacho_predict_options *o)
{
    bool compares;
    m->context = find_context(m, arch, o);
    m->seen = make_key(m, (const uint8_t *)seen->hash, sizeof seen->hash, false, ANY_PLACE);
    const memo_entry *e = m->buckets ? find_entry(m, &m->seen, &compares) : NULL;
    if (!e)
        return false;
    read_entry(r, e);
    m->seen.code = NULL;
    m->found++;
    return true;
}

uint64_t memo_found_count(const memo *m)
{
    return m->found;
}

/* ---- keeping ---- */

/* Room for an entry, which is then the newest. @return where, NOWHERE when memory runs out */
static uint64_t add_entry(memo *m, size_t bytes)
{
    uint64_t units = (bytes + UNIT_BYTES - 1) / UNIT_BYTES, left = CHUNK_UNITS - m->next % CHUNK_UNITS;
    uint64_t at = units <= left ? m->next : m->next + left;
    uint8_t **chunk = &m->chunks[at / CHUNK_UNITS % CHUNKS];
    if (!*chunk && !(*chunk = tacho_mem_alloc(CHUNK_BYTES)))
        return NOWHERE;
    m->next = at + units;
    return at;
}

/* Takes a free slot of the bucket, or the oldest one's. */
static void fill_slot(memo *m, uint64_t hash, uint64_t at, bool compares)
{
    memo_slot *slots = bucket_of(m, hash), *victim = slots;
    for (uint32_t n = 0; n < BUCKET_SLOTS; n++) {
        if (!is_there(m, slots[n])) {
            victim = &slots[n];
            break;
        }
        victim = slots[n].at < victim->at ? &slots[n] : victim;
    }
    *victim = (memo_slot){.at = at, .tag = tag_of(hash), .compares_addresses = compares};
}

static memo_entry describe(const tacho_prediction *r, const memo_key *k, uint64_t context)
{
    memo_entry e = {
        .context = context, .code_bytes = (uint16_t)k->size, .is_outline = k->is_outline, .place = k->place};
#define KEEP(member) e.member = (typeof(e.member))r->member;
    FOR_KEPT(KEEP)
    for (int n = 0; n < TACHO_BOUND_COUNT; n++)
        e.bounds |= isnan(r->bounds[n]) ? 0 : (uint16_t)(1u << n);
    return e;
}

static bool fits(const tacho_prediction *r)
{
    return r->cycles_num >= 0 && r->cycles_num <= UINT32_MAX && r->cycles_den >= 0 &&
           r->cycles_den <= UINT32_MAX;
}

static void fill_entry(memo_entry *out, const memo_entry *e, const double *bounds, const uint8_t *code)
{
    uint8_t *next = (uint8_t *)(out + 1);
    *out = *e;
    for (uint32_t left = e->bounds; left; left &= left - 1, next += sizeof *bounds)
        memcpy(next, &bounds[__builtin_ctz(left)], sizeof *bounds);
    memcpy(next, code, e->code_bytes);
}

/* The first buckets are soon replaced by all: what they held is forgotten. */
static bool has_buckets(memo *m)
{
    if (m->buckets && (m->bucket_count == BUCKETS || m->filled++ < 2 * FIRST_BUCKETS))
        return true;
    const uint32_t count = m->buckets ? BUCKETS : FIRST_BUCKETS;
    tacho_mem_free(m->buckets);
    m->bucket_count = count;
    return (m->buckets = tacho_mem_zalloc(count, sizeof *m->buckets));
}

/* @return where, NOWHERE without memory */
static uint64_t keep(memo *m, const tacho_prediction *r, const memo_key *k)
{
    memo_entry e = describe(r, k, m->contexts[m->context].number);
    uint64_t at = add_entry(m, entry_bytes(&e));
    if (at == NOWHERE)
        return at;
    fill_entry(entry_at(m, at), &e, r->bounds, k->code);
    fill_slot(m, k->hash, at, false);
    return at;
}

void memo_keep(memo *m, const tacho_prediction *r, const insn_cache *c, const block *b,
               const tacho_predict_options *o)
{
    memo_key found = m->key;
    if ((!found.code && !m->seen.code) || !fits(r) || !has_buckets(m))
        return;
    if (m->seen.code)
        keep(m, r, &m->seen);
    if (!found.code || (found.is_outline && !insn_cache_is_confirmed(c)))
        return;
    bool compares = found.is_outline && (block_compares_addresses(b, o) || block_notices_splits(b, o));
    memo_key key =
        compares ? make_key(m, insn_cache_code(c, &found.size), found.size, false, found.place) : found;
    uint64_t at = keep(m, r, &key);
    if (compares && at != NOWHERE)
        fill_slot(m, found.hash, at, true);
}
