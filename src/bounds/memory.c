/* memory.c - what the addresses say, which are known because the registers' values are followed for a few
 * iterations (block/registers.h).
 *
 * Which loads of a block read what its stores wrote, in the same or an earlier iteration: what is the same in
 * two iterations running counts as permanent; stores further back than FORWARD_DISTANCE_MAX iterations are
 * overlooked. And how many cycles stores take where two leave together only for one line: as they leave in
 * order, each goes with the one after it or alone. */
#include "bounds/bounds.h"

#include "block/registers.h"
#include "util/hash.h"

#include <string.h>

enum {
    WARM_ITERATIONS = FORWARD_DISTANCE_MAX,
    LINE_ITERATIONS = 64, /* after which addresses that move by a constant are at the same place of a line */
    WINDOW_UOPS = 900     /* after which a store is in the cache; as in the simulator */
};

/* The latest store to an address. */
typedef struct last_store {
    uint64_t address;
    stored_value data;
    uint32_t iteration;
    uint16_t insn;
    uint8_t access;
    bool used;
} last_store;

typedef struct tracker {
    const block *b;
    register_values v;
    last_store *table;
    uint32_t mask;
    uint32_t iteration;
    forwardings *out;
    uint32_t next, found; /* while confirming: in the list */
} tracker;

/* The address's place, or the one where it would be. */
static last_store *place_of(tracker *t, uint64_t address)
{
    uint32_t k = (uint32_t)hash_mix(address) & t->mask;
    while (t->table[k].used && t->table[k].address != address)
        k = (k + 1) & t->mask;
    return &t->table[k];
}

static const stored_value *data_at(void *payload, uint64_t address)
{
    const last_store *s = place_of(payload, address);
    return s->used ? &s->data : NULL;
}

/* In the last two iterations: what the first of them has found and the second one confirms. */
static void note_load(tracker *t, uint32_t insn, uint32_t access, const last_store *s)
{
    uint32_t distance = t->iteration - s->iteration;
    if (t->iteration < WARM_ITERATIONS || t->iteration > WARM_ITERATIONS + 1 ||
        distance > FORWARD_DISTANCE_MAX || distance * t->b->uop_count > WINDOW_UOPS)
        return;
    forwarding f = {(uint16_t)insn, s->insn, (uint8_t)access, s->access, (uint8_t)distance};
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

static void access_memory(tracker *t, uint32_t insn, const block_insn *bi)
{
    for (uint32_t m = 0; m < bi->mem_count; m++) {
        if (bi->mem[m].unknown_address || !bi->mem[m].read)
            continue;
        const last_store *s = place_of(t, registers_load_address(&t->v, &bi->mem[m]));
        if (s->used)
            note_load(t, insn, m, s);
    }
    for (uint32_t m = 0; m < bi->mem_count; m++) {
        if (bi->mem[m].unknown_address || !bi->mem[m].write)
            continue;
        uint64_t address = registers_store_address(&t->v, bi, &bi->mem[m]);
        *place_of(t, address) = (last_store){.address = address,
                                             .data = registers_stored(&t->v, bi, &bi->mem[m]),
                                             .iteration = t->iteration,
                                             .insn = (uint16_t)insn,
                                             .access = (uint8_t)m,
                                             .used = true};
    }
}

static uint32_t count_accesses(const block *b, bool write)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->insn_count; i++)
        for (int m = 0; m < b->insns[i].mem_count; m++)
            n += write ? b->insns[i].mem[m].write : b->insns[i].mem[m].read;
    return n;
}

/* ---- two stores a cycle to one line ---- */

typedef struct store_pairs {
    uint64_t waiting; /* line of a store that may still find company in its cycle */
    bool waits;
    uint32_t cycles;
} store_pairs;

static void leave(store_pairs *p, uint64_t line)
{
    bool together = p->waits && p->waiting == line;
    p->cycles += !together;
    p->waits = !together;
    p->waiting = line;
}

/* The data µops of the instruction's stores. */
static void leave_all(store_pairs *p, const tracker *t, const block_insn *bi)
{
    for (uint32_t k = 0; k < bi->uop_count; k++) {
        const uop *u = &t->b->uops[bi->uop_first + k];
        if (u->kind != UOP_STORE_DATA || !bi->mem_count)
            continue;
        const mem_access *m = &bi->mem[u->mem];
        leave(p, m->unknown_address ? 0 : registers_store_address(&t->v, bi, m) / 64);
    }
}

/* ---- iterations ---- */

static void run_iteration(tracker *t, bool track_accesses, store_pairs *pairs)
{
    for (uint32_t i = 0; i < t->b->insn_count; i++) {
        const block_insn *bi = &t->b->insns[i];
        if (pairs)
            leave_all(pairs, t, bi);
        if (bi->mem_count && track_accesses)
            access_memory(t, i, bi);
        registers_step(&t->v, bi, data_at, t);
    }
    t->iteration++;
}

/* Every address moves by whole lines or not at all from one iteration to the next: by the registers. */
static bool moves_by_lines(const register_values *before, const register_values *after)
{
    uint64_t moved = 0;
    for (int r = 0; r < 16; r++)
        moved |= before->r[r] ^ after->r[r];
    return !(moved & 63);
}

static double store_cycles(tracker *t, bool track_accesses)
{
    store_pairs pairs = {.waits = false};
    register_values before = t->v;
    run_iteration(t, track_accesses, &pairs); /* where the next one begins is known after this one */
    uint32_t iterations = moves_by_lines(&before, &t->v) ? 2 : LINE_ITERATIONS;
    pairs.cycles = 0;
    for (uint32_t k = 0; k < iterations; k++)
        run_iteration(t, track_accesses, &pairs);
    return (double)pairs.cycles / iterations;
}

int bounds_memory(memory_facts *out, const bounds_input *in)
{
    const block *b = in->b;
    bool forwards = b->has_store && b->has_load && !in->options->no_memory_deps;
    bool pairs = b->has_store && b->arch->paired_stores_same_line;
    tracker t = {.b = b, .out = &out->forwardings};
    *out = (memory_facts){.store_cycles = 0};
    if (!forwards && !pairs)
        return 0;
    uint32_t iterations = WARM_ITERATIONS + 2 + (pairs ? LINE_ITERATIONS + 1 : 0), size = 16;
    while (size < 2 * count_accesses(b, true) * iterations)
        size *= 2;
    t.mask = size - 1;
    t.table = arena_alloc(in->memory, size * sizeof *t.table);
    out->forwardings.list = arena_alloc_raw(in->memory, (count_accesses(b, false) + 1) * sizeof(forwarding));
    if (!t.table || !out->forwardings.list)
        return TACHO_ERR_MEMORY;
    registers_init(&t.v, b->arch, in->options);
    while (forwards && t.iteration < WARM_ITERATIONS + 2)
        run_iteration(&t, true, NULL);
    out->forwardings.count = t.found;
    if (pairs)
        out->store_cycles = store_cycles(&t, forwards);
    return 0;
}
