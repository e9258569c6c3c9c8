/* bounds_memory.c - bounds that depend on addresses. Addresses are known because the registers' values are
 * followed for a few iterations (model/block/registers.h).
 *
 * Two results: which loads of the block read what its stores wrote, in the same or an earlier iteration, and
 * how many cycles stores take where two leave together only if they go to one line (as stores leave in order,
 * each goes together with the one after it, or alone). What is the same in two iterations running counts as
 * permanent. Stores further back than FORWARD_DISTANCE_MAX iterations are overlooked. */
#include "model/bounds/bounds.h"

#include "base/hash.h"
#include "model/block/registers.h"

enum {
    WARM_ITERATIONS = FORWARD_DISTANCE_MAX,
    FEW_ITERATIONS = 4,   /* one to warm up, three to compare */
    MAX_FEW = 24,         /* loads or stores; more are looked up in a table */
    LINE_WORDS = 8,       /* after which all are that move by 8 bytes */
    LINE_ITERATIONS = 64, /* after which addresses that move by a constant are at the same place of a line */
    WINDOW_UOPS = 900     /* after which a store is in the cache */
};
#define NOT_COVERED UINT64_MAX

/* What an instruction has to do in an iteration. */
typedef enum insn_work {
    STORES = 1,
    STEPS = 2 /* changes registers that addresses come from */
} insn_work;

/* A store that was followed. */
typedef struct followed_store {
    uint64_t address;
    uint32_t bytes, iteration;
    uint16_t insn;
    uint8_t access;
} followed_store;

typedef struct tracker {
    const block *b;
    register_values v;
    stored_word *words;  /* that were written, from 1; the first one stands for all others */
    uint32_t word_count; /* of these */
    uint32_t *place;     /* [mask + 1] of each word in `words`, by open addressing; 0: unused */
    uint32_t mask;
    followed_store *stores; /* by number, from 1 */
    uint32_t store_count;
    uint32_t iteration;
    uint16_t needed;    /* registers that addresses come from */
    uint8_t *work;      /* [insn] insn_work */
    uint64_t *store_at; /* [store of an iteration] where it went in the one before */
    uint32_t store_next;
    uint64_t step;        /* by which the first one moved from the first iteration to the second, ... */
    bool uneven;          /* ... and some other did not, or in another iteration */
    bool splits;          /* it matters which accesses cross a line */
    bool through_memory;  /* some of them from what was loaded: stores and loads are followed */
    forwardings *out;     /* NULL: loads are not noted */
    uint32_t next, found; /* while confirming: in the list */
} tracker;

/* Where the word's number is, or would be. */
static uint32_t *place_of(const tracker *t, uint64_t address)
{
    uint32_t k = (uint32_t)hash_mix(address) & t->mask;
    while (t->place[k] && t->words[t->place[k]].address != address)
        k = (k + 1) & t->mask;
    return &t->place[k];
}

static const memory_word *word_at(void *payload, uint64_t address)
{
    const tracker *t = payload;
    const stored_word *w = &t->words[*place_of(t, address)];
    return w->last ? &w->word : NULL;
}

/* The youngest store that the access overlaps, NULL if there is none. */
static const followed_store *youngest_store(tracker *t, uint64_t address, unsigned bytes)
{
    uint64_t first = word_of(address);
    uint32_t youngest = 0;
    for (uint64_t word = first; word - first < bytes + (address - first); word += WORD_BYTES) {
        const stored_word *w = &t->words[*place_of(t, word)];
        uint32_t store = w->last ? stored_word_youngest(w, address, bytes) : 0;
        youngest = store > youngest ? store : youngest;
    }
    return youngest ? &t->stores[youngest] : NULL;
}

/* What the last iteration but one has found and the last one confirms. */
static void note_load(tracker *t, uint32_t insn, uint32_t access, const followed_store *s, bool same_start)
{
    uint32_t distance = t->iteration - s->iteration;
    if (!t->out || t->iteration < WARM_ITERATIONS || distance > FORWARD_DISTANCE_MAX ||
        distance * t->b->uop_count > WINDOW_UOPS)
        return;
    forwarding f = {(uint16_t)insn, s->insn, (uint8_t)access, s->access, (uint8_t)distance, same_start};
    if (t->iteration == WARM_ITERATIONS) {
        t->out->list[t->out->count++] = f;
        return;
    }
    for (; t->next < t->out->count; t->next++) {
        forwarding before = t->out->list[t->next];
        if (before.load_insn > f.load_insn ||
            (before.load_insn == f.load_insn && before.load_access > f.load_access))
            return;
        if (!memcmp(&before, &f, sizeof f))
            t->out->list[t->found++] = f;
    }
}

/* All of what is loaded is among what was stored. */
static bool covers(uint64_t address, unsigned bytes, uint64_t stored, unsigned stored_bytes)
{
    return bytes <= stored_bytes && address - stored <= stored_bytes - bytes;
}

static void load(tracker *t, uint32_t insn, const block_insn *bi, uint32_t access)
{
    const mem_access *m = &bi->mem[access];
    uint64_t address = registers_load_address(&t->v, m);
    unsigned bytes = registers_access_bytes(m);
    const followed_store *s = youngest_store(t, address, bytes);
    if (s && covers(address, bytes, s->address, s->bytes))
        note_load(t, insn, access, s, address == s->address);
}

static void store(tracker *t, uint32_t insn, const block_insn *bi, uint32_t access)
{
    const mem_access *m = &bi->mem[access];
    followed_store *s = &t->stores[++t->store_count];
    *s = (followed_store){.address = registers_store_address(&t->v, bi, m),
                          .bytes = registers_access_bytes(m),
                          .iteration = t->iteration,
                          .insn = (uint16_t)insn,
                          .access = (uint8_t)access};
    followed_value v = registers_stored(&t->v, bi, m, word_at, t);
    uint64_t first = word_of(s->address);
    for (uint64_t word = first; word - first < s->bytes + (s->address - first); word += WORD_BYTES) {
        uint32_t *place = place_of(t, word);
        if (!*place) {
            *place = ++t->word_count;
            t->words[*place] = (stored_word){.address = word};
        }
        stored_word_write(&t->words[*place], s->address, s->bytes, t->store_count, v);
    }
}

static void access_memory(tracker *t, uint32_t insn, const block_insn *bi)
{
    for (uint32_t m = 0; t->out && m < bi->mem_count; m++)
        if (bi->mem[m].read && !bi->mem[m].unknown_address)
            load(t, insn, bi, m);
    for (uint32_t m = 0; m < bi->mem_count; m++)
        if (bi->mem[m].write && !bi->mem[m].unknown_address)
            store(t, insn, bi, m);
}

typedef struct access_counts {
    uint32_t loads, stores;
    uint32_t words; /* that its stores lie in, at most */
} access_counts;

static access_counts count_accesses(const block *b)
{
    access_counts n = {0, 0, 0};
    for (uint32_t i = 0; i < b->insn_count; i++)
        for (int m = 0; m < b->insns[i].mem_count; m++) {
            const mem_access *a = &b->insns[i].mem[m];
            n.loads += a->read;
            n.stores += a->write;
            n.words += a->write ? 1 + (registers_access_bytes(a) + WORD_BYTES - 2) / WORD_BYTES : 0;
        }
    return n;
}

/* ---- stores that leave in one cycle ---- */

typedef struct store_pairs {
    uint64_t waiting; /* line (or part of one) of a store that another one may still join in its cycle */
    bool waits;
    uint32_t cycles;
} store_pairs;

/* `unit`: store_write_bytes */
static void leave(store_pairs *p, uint64_t address, uint32_t bytes, uint32_t unit)
{
    const uint64_t line = address / (unit ? unit : 64), last = unit ? (address + bytes - 1) / unit : line;
    bool together = p->waits && p->waiting == line;
    p->cycles += !together + (uint32_t)(last - line);
    p->waits = !together || unit;
    p->waiting = last;
}

/* Where stores to several lines go two a cycle: those of 64 bytes go alone, those that cross a line as two.
 */
static void leave_gathered(store_pairs *p, bool whole, bool splits)
{
    const bool together = p->waits && !whole;
    p->cycles += !together;
    p->waits = !together && !whole;
    if (splits && !whole)
        leave_gathered(p, false, false);
}

static void note_step(tracker *t, uint64_t address)
{
    const uint64_t step = address - t->store_at[t->store_next];
    if (t->iteration == 1 && !t->store_next)
        t->step = step;
    t->uneven |= t->iteration && step != t->step;
    t->store_at[t->store_next++] = address;
}

/* The data µops of the instruction's stores. */
static void leave_all(store_pairs *p, tracker *t, const block_insn *bi)
{
    for (uint32_t k = 0; k < bi->uop_count; k++) {
        const uop *u = &t->b->uops[bi->uop_first + k];
        if (u->kind != UOP_STORE_DATA)
            continue;
        const mem_access *m = &bi->mem[u->mem];
        const uint64_t address = m->unknown_address ? 0 : registers_store_address(&t->v, bi, m);
        note_step(t, address);
        if (t->b->arch->store_gather_lines)
            leave_gathered(p, registers_access_bytes(m) == 64,
                           t->splits && registers_cross_line(&t->v, bi, m));
        else
            leave(p, address, m->unknown_address ? 1 : registers_access_bytes(m),
                  t->b->arch->store_write_bytes);
    }
}

/* ---- iterations ---- */

static void run_iteration(tracker *t, store_pairs *pairs, bool all)
{
    for (uint32_t i = 0; i < t->b->insn_count; i++) {
        const block_insn *bi = &t->b->insns[i];
        if (pairs && t->work[i] & STORES)
            leave_all(pairs, t, bi);
        if (bi->mem_count && t->through_memory)
            access_memory(t, i, bi);
        if (all || t->work[i] & STEPS)
            registers_step(&t->v, bi, word_at, t);
    }
    registers_advance(&t->v, t->b);
    t->iteration++;
    t->store_next = 0;
}

/* From one iteration to the next, every register moves by whole lines or not at all. */
static bool moves_by_lines(const register_values *before, const register_values *after, uint32_t registers)
{
    uint64_t moved = 0;
    for (uint32_t left = registers; left; left &= left - 1)
        moved |= before->r[__builtin_ctz(left)] ^ after->r[__builtin_ctz(left)];
    return !(moved & 63);
}

/* Each of these registers has moved by the same distance in two iterations. */
static bool moves_evenly(const register_values v[3], uint32_t registers)
{
    uint64_t uneven = 0;
    for (uint32_t left = registers; left; left &= left - 1) {
        const int r = __builtin_ctz(left);
        uneven |= (v[2].r[r] - v[1].r[r]) ^ (v[1].r[r] - v[0].r[r]);
    }
    return !uneven;
}

/* ---- few stores ---- */

/* The search for blocks with few accesses, which needs no table. If each address moves by the same distance
 * in every iteration (by 0, or as a register that is loaded afresh), three iterations show everything: a load
 * reads what a store wrote `distance` iterations before if both move alike and the store is that many steps
 * ahead. */
typedef struct few_accesses {
    uint64_t address[FEW_ITERATIONS][MAX_FEW]; /* of the stores */
    followed_value data[FEW_ITERATIONS][MAX_FEW];
    uint16_t insn[MAX_FEW];
    uint8_t access[MAX_FEW], bytes[MAX_FEW];
    uint64_t load_address[FEW_ITERATIONS][MAX_FEW];
    uint16_t load_insn[MAX_FEW];
    uint8_t load_access[MAX_FEW], load_bytes[MAX_FEW];
    uint32_t loads, stores;      /* of the current iteration, so far */
    uint32_t iteration, earlier; /* stores of iterations before */
    stored_word word;            /* that was asked for last */
} few_accesses;

/* From the oldest store to the youngest. */
static const memory_word *few_word_at(void *payload, uint64_t address)
{
    few_accesses *f = payload;
    stored_word *w = &f->word;
    *w = (stored_word){.address = address};
    for (uint32_t k = 0; k <= f->iteration; k++)
        for (uint32_t n = 0; n < (k < f->iteration ? f->earlier : f->stores); n++)
            if (accesses_meet(address, WORD_BYTES, f->address[k][n], f->bytes[n]))
                stored_word_write(w, f->address[k][n], f->bytes[n], 1, f->data[k][n]);
    return w->last ? &w->word : NULL;
}

static void note_accesses(few_accesses *f, register_values *v, const block_insn *bi, uint32_t insn)
{
    uint32_t k = f->iteration;
    for (uint8_t m = 0; m < bi->mem_count; m++) {
        if (bi->mem[m].unknown_address)
            continue;
        if (bi->mem[m].read) {
            f->load_address[k][f->loads] = registers_load_address(v, &bi->mem[m]);
            f->load_insn[f->loads] = (uint16_t)insn;
            f->load_bytes[f->loads] = (uint8_t)registers_access_bytes(&bi->mem[m]);
            f->load_access[f->loads++] = m;
        }
        if (bi->mem[m].write) {
            f->address[k][f->stores] = registers_store_address(v, bi, &bi->mem[m]);
            f->data[k][f->stores] = registers_stored(v, bi, &bi->mem[m], few_word_at, f);
            f->insn[f->stores] = (uint16_t)insn;
            f->bytes[f->stores] = (uint8_t)registers_access_bytes(&bi->mem[m]);
            f->access[f->stores++] = m;
        }
    }
}

static void few_iteration(few_accesses *f, register_values *v, const block *b, bool steps)
{
    f->loads = f->stores = 0;
    for (uint32_t i = 0; i < b->insn_count; i++) {
        if (b->insns[i].mem_count)
            note_accesses(f, v, &b->insns[i], i);
        if (steps && b->insns[i].value_op != VALUE_NONE)
            registers_step(v, &b->insns[i], few_word_at, f);
    }
    registers_advance(v, b);
    f->earlier = f->stores;
}

/* The iterations from the store to the load that it overlaps, FORWARD_DISTANCE_MAX + 1 if there is no
 * overlap; and at which byte of the store the load begins, NOT_COVERED if the store did not write all that is
 * loaded. */
static uint32_t distance_of(const few_accesses *f, uint32_t load, uint32_t store, uint64_t *offset)
{
    uint32_t last = f->iteration;
    uint64_t at = f->address[last][store], step = 0, step_before = 0;
    if (last) { /* else the addresses are constant */
        step = at - f->address[last - 1][store];
        step_before = f->address[last - 1][store] - f->address[last - 2][store];
        if (f->load_address[last][load] - f->load_address[last - 1][load] != step ||
            f->load_address[last - 1][load] - f->load_address[last - 2][load] != step_before)
            return FORWARD_DISTANCE_MAX + 1;
    }
    uint32_t distance = f->insn[store] < f->load_insn[load] ? 0 : 1;
    if (distance && step != step_before)
        return FORWARD_DISTANCE_MAX + 1;
    for (at -= distance * step; distance <= FORWARD_DISTANCE_MAX; distance++, at -= step) {
        uint64_t from = f->load_address[last][load];
        if (accesses_meet(from, f->load_bytes[load], at, f->bytes[store])) {
            *offset = covers(from, f->load_bytes[load], at, f->bytes[store]) ? from - at : NOT_COVERED;
            return distance;
        }
    }
    return distance;
}

/* The youngest store that the load overlaps counts, and only if it wrote all that is loaded. */
static void resolve_loads(const few_accesses *f, memory_facts *out, const block *b)
{
    for (uint32_t l = 0; l < f->loads; l++) {
        uint32_t best = FORWARD_DISTANCE_MAX + 1, from = 0;
        uint64_t offset_in_best = NOT_COVERED;
        for (uint32_t s = 0; s < f->stores; s++) {
            uint64_t offset;
            uint32_t distance = distance_of(f, l, s, &offset);
            if (distance <= FORWARD_DISTANCE_MAX && distance <= best) {
                best = distance;
                from = s;
                offset_in_best = offset;
            }
        }
        if (best <= FORWARD_DISTANCE_MAX && offset_in_best != NOT_COVERED &&
            best * b->uop_count <= WINDOW_UOPS)
            out->forwardings.list[out->forwardings.count++] =
                (forwarding){f->load_insn[l], f->insn[from], f->load_access[l],
                             f->access[from], (uint8_t)best, offset_in_best == 0};
    }
}

/* @return whether the accesses are few enough */
static bool few_forwardings(memory_facts *out, const bounds_input *in, access_counts counts)
{
    few_accesses f;
    register_values v;
    if (counts.stores > MAX_FEW || counts.loads > MAX_FEW)
        return false;
    bool constant = registers_keep_addresses(in->b); /* what holds in one iteration holds in all */
    f.earlier = f.iteration = 0;
    registers_init(&v, in->b->arch, in->options);
    few_iteration(&f, &v, in->b, !constant);
    while (!constant && f.iteration + 1 < FEW_ITERATIONS) {
        f.iteration++;
        few_iteration(&f, &v, in->b, true);
    }
    resolve_loads(&f, out, in->b);
    return true;
}

/* Whether one of these registers gets a value from memory that is followed. */
static bool loads_what_matters(const block *b, uint16_t registers)
{
    for (uint32_t i = 0; i < b->insn_count; i++)
        for (int k = 0; k < b->insns[i].mem_count; k++)
            if (b->insns[i].mem[k].read && b->insns[i].value_op != VALUE_UNKNOWN &&
                b->insns[i].value_target < 16 && (registers >> b->insns[i].value_target & 1))
                return true;
    return false;
}

static bool stores_data(const block *b, const block_insn *bi)
{
    for (uint32_t k = 0; k < bi->uop_count && bi->mem_count; k++)
        if (b->uops[bi->uop_first + k].kind == UOP_STORE_DATA)
            return true;
    return false;
}

/* The tracker and its tables, for so many iterations; where `notes_loads`, loads are looked up, too. */
static int start_tracker(tracker *t, const bounds_input *in, uint32_t iterations, bool notes_loads)
{
    uint32_t size = 16;
    access_counts n = {0, 0, 0};
    const uint16_t needed = registers_needed(in->b);
    const bool through_memory = notes_loads || loads_what_matters(in->b, needed);
    if (through_memory)
        n = count_accesses(in->b);
    while (3 * size < 4 * n.words * iterations)
        size *= 2;
    *t = (tracker){.b = in->b,
                   .mask = size - 1,
                   .needed = needed,
                   .splits = block_notices_splits(in->b, in->options),
                   .through_memory = through_memory};
    t->place = arena_alloc(in->memory, size * sizeof *t->place);
    t->words = arena_alloc_raw(in->memory, (n.words * iterations + 1) * sizeof *t->words);
    t->stores = arena_alloc_raw(in->memory, (n.stores * iterations + 1) * sizeof *t->stores);
    t->work = arena_alloc_raw(in->memory, in->b->insn_count);
    t->store_at = arena_alloc(in->memory, (in->b->uop_count + 1u) * sizeof *t->store_at);
    if (!t->place || !t->words || !t->stores || !t->work || !t->store_at)
        return TACHO_ERR_MEMORY;
    t->words[0] = (stored_word){.last = 0};
    registers_init(&t->v, in->b->arch, in->options);
    for (uint32_t i = 0; i < in->b->insn_count; i++)
        t->work[i] = (uint8_t)((registers_matter(&in->b->insns[i], needed) ? STEPS : 0) |
                               (stores_data(in->b, &in->b->insns[i]) ? STORES : 0));
    return 0;
}

static int many_forwardings(memory_facts *out, const bounds_input *in)
{
    tracker t;
    if (start_tracker(&t, in, WARM_ITERATIONS + 2, true))
        return TACHO_ERR_MEMORY;
    t.out = &out->forwardings;
    while (t.iteration < WARM_ITERATIONS + 2)
        run_iteration(&t, NULL, false);
    out->forwardings.count = t.found;
    return 0;
}

/* Whether after so many iterations all is as it was before them, by whole lines further on. Where several
 * lines are gathered it is of no account which one waits. */
static bool comes_again(const tracker *t, const store_pairs *before, const store_pairs *after,
                        uint32_t iterations)
{
    const uint32_t unit = t->b->arch->store_write_bytes ? t->b->arch->store_write_bytes : 64;
    const int64_t moved = (int64_t)(t->step * iterations);
    return !t->uneven && moved % 64 == 0 && before->waits == after->waits &&
           (!after->waits || t->b->arch->store_gather_lines ||
            (int64_t)(after->waiting - before->waiting) == moved / (int64_t)unit);
}

/* Cycles that the stores of an iteration take, in pairs, over so many iterations from the second on: where
 * the next one begins is known after the first. `v` becomes the registers after none, one and two of them;
 * `again`: further iterations take as long. */
static int store_cycles_of(double *out, const bounds_input *in, uint32_t iterations, register_values v[3],
                           uint16_t *needed, bool *again)
{
    tracker t;
    store_pairs pairs = {.waits = false}, before;
    if (start_tracker(&t, in, iterations + 1, false))
        return TACHO_ERR_MEMORY;
    *needed = t.needed;
    v[0] = t.v;
    run_iteration(&t, &pairs, true);
    v[1] = t.v;
    pairs.cycles = 0;
    before = pairs;
    for (uint32_t k = 0; k < iterations; k++) {
        run_iteration(&t, &pairs, false);
        if (!k)
            v[2] = t.v;
    }
    *again = comes_again(&t, &before, &pairs, iterations);
    *out = (double)pairs.cycles / iterations;
    return 0;
}

/* Cycles that the stores of an iteration take, in pairs. Where addresses do not move by whole lines, and it
 * matters where they lie, all positions in a line are tried. */
static int store_cycles(double *out, const bounds_input *in)
{
    const bool anywhere = in->b->arch->store_gather_lines && !block_notices_splits(in->b, in->options);
    register_values v[3];
    uint16_t needed;
    bool again;
    int rc = store_cycles_of(out, in, 2, v, &needed, &again);
    if (rc || anywhere || moves_by_lines(&v[0], &v[1], UINT16_MAX) ||
        (moves_by_lines(&v[0], &v[1], needed) && moves_evenly(v, needed)))
        return rc;
    rc = store_cycles_of(out, in, LINE_WORDS, v, &needed, &again);
    return rc || again ? rc : store_cycles_of(out, in, LINE_ITERATIONS, v, &needed, &again);
}

int bounds_memory(memory_facts *out, const bounds_input *in)
{
    const block *b = in->b;
    *out = (memory_facts){.store_cycles = 0};
    if (b->has_store && b->has_load && !in->options->no_memory_deps) {
        access_counts counts = count_accesses(b);
        out->forwardings.list = arena_alloc_raw(in->memory, counts.loads * sizeof(forwarding));
        if (!out->forwardings.list || (!few_forwardings(out, in, counts) && many_forwardings(out, in)))
            return TACHO_ERR_MEMORY;
    }
    return b->has_store && b->arch->paired_stores_same_line ? store_cycles(&out->store_cycles, in) : 0;
}
