/* addresses.c - see addresses.h.
 *
 * The block is followed several times side by side, each time with other random numbers in its registers and
 * in memory (model/block/registers.h computes what moves, additions, lea, shifts, logic, push and pop make of
 * them; what else is written gets another random number). Where two addresses are equally far apart each
 * time, their distance does not depend on the numbers. So of each access it is enough to know by how much its
 * address changes from one set of numbers to the next: the accesses for which that is the same keep their
 * distances. After the uiCA paper, section 5.1; the paper's own rule, that the address registers are the same
 * and not modified, is the case in which this needs no computing. */

#include "base/hash.h"
#include "base/mem.h"
#include "model/block/addresses.h"
#include "model/block/registers.h"

enum {
    WORLDS = 4,  /* sets of initial values */
    WARMING = 4, /* repetitions of the block after which registers have their values of the steady state */
    REPETITIONS = 4, /* repetitions that are looked at then: a value passed on through another register shows
                        in the second */
    STORES = 32,     /* whose values are remembered */
    SEGMENT_FS = 4
};

/* Values in one of the worlds. */
typedef struct world {
    register_values v;
    uint64_t segment[2]; /* bases of FS and GS */
    struct {
        uint64_t address;
        unsigned bytes;
        followed_value value;
    } stores[STORES];
    uint32_t stored;  /* so far; the latest ones are kept */
    stored_word word; /* that was asked for last */
} world;

/* An instruction as model/block/registers.h wants it. */
typedef struct followed_insn {
    block_insn bi;
    uint8_t segment[INSN_MAX_MEM]; /* of its accesses: 0 none that matters, 1 FS, 2 GS */
    uint8_t operand[INSN_MAX_MEM];
} followed_insn;

/* How much an address changes from each world to the next. */
typedef struct signature {
    uint64_t change[WORLDS - 1];
} signature;

typedef struct follower {
    world worlds[WORLDS];
    signature first_load, first_store;
    bool loads, stores; /* there have been any */
    uint64_t unknown;   /* how many addresses were no single ones */
    address_relations *out;
} follower;

/* From the oldest of the stores that are kept to the youngest. */
static const memory_word *word_in_world(void *payload, uint64_t address)
{
    world *w = payload;
    uint32_t count = w->stored < STORES ? w->stored : STORES;
    w->word = (stored_word){.address = address};
    for (uint32_t i = count; i >= 1; i--) {
        uint32_t k = (w->stored - i) % STORES;
        if (accesses_meet(address, WORD_BYTES, w->stores[k].address, w->stores[k].bytes))
            stored_word_write(&w->word, w->stores[k].address, w->stores[k].bytes, 1, w->stores[k].value);
    }
    return w->word.last ? &w->word.word : NULL;
}

static void start_world(world *w, uint32_t number)
{
    static const tacho_predict_options options = TACHO_PREDICT_OPTIONS_INIT;
    registers_init(&w->v, tacho_arch_get(0), &options);
    w->v.arbitrary = true;
    w->v.fresh = (uint64_t)(number + 1) << 32;
    w->v.seed = (uint64_t)(number + 1) << 56;
    for (uint32_t k = 0; k < 16; k++)
        w->v.r[k] = hash_mix((uint64_t)(number + 1) << 40 | k);
    for (uint32_t k = 0; k < 2; k++)
        w->segment[k] = hash_mix((uint64_t)(number + 1) << 48 | k);
    w->stored = 0;
}

/* ---- what an instruction does, as model/block/registers.h wants it ---- */

/* Prefetches and NOPs name addresses, but nothing comes from there. */
static bool accesses_memory(const tacho_insn *insn, const tacho_operand *o)
{
    return o->kind == TACHO_OPERAND_MEM && (o->access & (TACHO_READ | TACHO_WRITE)) && !insn->is_nop &&
           !insn_is(insn, INSN_PREFETCHES);
}

static uint8_t unit_of(tacho_reg reg)
{
    return reg.class_ == TACHO_REG_R64 || reg.class_ == TACHO_REG_R32 ? reg.number : UNIT_NONE;
}

static mem_access access_of(const block_insn *bi, const tacho_operand *o)
{
    bool rip = o->mem.base.class_ == TACHO_REG_RIP;
    mem_access m = {.base = unit_of(o->mem.base),
                    .index = unit_of(o->mem.index),
                    .scale = o->mem.scale,
                    .bytes = (uint8_t)(o->width_bits > 512 ? 0 : o->width_bits / 8),
                    .read = o->access & TACHO_READ,
                    .write = o->access & TACHO_WRITE,
                    .unknown_address = o->mem.vsib,
                    .disp = block_displacement(bi, rip, o->mem.disp)};
    m.implicit_stack = bi->stack_delta && m.base == UNIT_RSP && o->visibility == TACHO_SUPPRESSED;
    if (m.index != UNIT_NONE && !m.scale)
        m.scale = 1; /* XLAT */
    return m;
}

static uint8_t segment_of(const tacho_operand *o)
{
    if (o->mem.segment.class_ != TACHO_REG_SEG)
        return 0;
    return o->mem.segment.number == SEGMENT_FS ? 1 : 2;
}

static void describe(followed_insn *out, const tacho_insn *insn, uint32_t end)
{
    block_insn *bi = &out->bi;
    *bi = (block_insn){.insn = insn, .length = insn->length, .address = end - insn->length};
    block_stack_effects(bi);
    block_value_semantics(bi);
    for (int i = 0; i < insn->operand_count; i++)
        if (accesses_memory(insn, &insn->operands[i]) && bi->mem_count < INSN_MAX_MEM) {
            out->segment[bi->mem_count] = segment_of(&insn->operands[i]);
            out->operand[bi->mem_count] = (uint8_t)i;
            bi->mem[bi->mem_count++] = access_of(bi, &insn->operands[i]);
        }
}

/* ---- following ---- */

static uint64_t address_in(const world *w, const followed_insn *fi, uint8_t access, bool store)
{
    const mem_access *m = &fi->bi.mem[access];
    uint8_t segment = fi->segment[access];
    uint64_t address = store ? registers_store_address(&w->v, &fi->bi, m) : registers_load_address(&w->v, m);
    return segment ? address + w->segment[segment - 1] : address;
}

static signature sign(follower *f, const followed_insn *fi, uint8_t access, bool store)
{
    signature s;
    uint64_t first = address_in(&f->worlds[0], fi, access, store);
    for (uint32_t k = 1; k < WORLDS; k++)
        s.change[k - 1] = address_in(&f->worlds[k], fi, access, store) - first;
    if (fi->bi.mem[access].unknown_address)
        s.change[0] = hash_mix(++f->unknown); /* unlike any other */
    return s;
}

static bool same(const signature *a, const signature *b)
{
    return !memcmp(a, b, sizeof *a);
}

static void note_load(follower *f, const signature *s, int32_t insn)
{
    address_relations *out = f->out;
    if (!f->loads)
        f->first_load = *s;
    f->loads = true;
    if (out->load_insn < 0 && !same(s, &f->first_load))
        out->load_insn = insn;
    if (out->meeting_insn < 0 && f->stores && (out->store_insn >= 0 || !same(s, &f->first_store)))
        out->meeting_insn = insn;
}

static void note_store(follower *f, const signature *s, int32_t insn)
{
    if (!f->stores)
        f->first_store = *s;
    f->stores = true;
    if (f->out->store_insn < 0 && !same(s, &f->first_store))
        f->out->store_insn = insn;
}

static void remember_store(world *w, const followed_insn *fi, uint8_t access)
{
    const mem_access *m = &fi->bi.mem[access];
    followed_value value = registers_stored(&w->v, &fi->bi, m, word_in_world, w);
    uint32_t place = w->stored++ % STORES;
    w->stores[place].address = address_in(w, fi, access, true);
    w->stores[place].bytes = registers_access_bytes(m);
    w->stores[place].value = value;
}

static void look_at(follower *f, const followed_insn *fi, int32_t insn)
{
    const block_insn *bi = &fi->bi;
    for (uint8_t m = 0; m < bi->mem_count; m++)
        if (bi->mem[m].read) {
            signature s = sign(f, fi, m, false);
            note_load(f, &s, insn);
        }
    for (uint8_t m = 0; m < bi->mem_count; m++)
        if (bi->mem[m].write) {
            signature s = sign(f, fi, m, true);
            note_store(f, &s, insn);
        }
}

static void step(world *w, const followed_insn *fi)
{
    for (uint8_t m = 0; m < fi->bi.mem_count; m++)
        if (fi->bi.mem[m].write)
            remember_store(w, fi, m);
    registers_step(&w->v, &fi->bi, word_in_world, w);
}

static void follow(address_relations *out, const followed_insn *insns, uint32_t count)
{
    follower f = {.out = out};
    for (uint32_t k = 0; k < WORLDS; k++)
        start_world(&f.worlds[k], k);
    for (uint32_t r = 0; r < WARMING + REPETITIONS; r++)
        for (uint32_t i = 0; i < count; i++) {
            if (r >= WARMING)
                look_at(&f, &insns[i], (int32_t)i);
            for (uint32_t k = 0; k < WORLDS; k++)
                step(&f.worlds[k], &insns[i]);
        }
}

int tacho_address_relations_find(address_relations *out, const address_block *b, tacho_error *err)
{
    *out = (address_relations){.meeting_insn = -1, .load_insn = -1, .store_insn = -1};
    for (uint32_t i = 0; i < b->count; i++)
        for (int k = 0; k < b->insns[i].operand_count; k++)
            out->accesses += accesses_memory(&b->insns[i], &b->insns[i].operands[k]);
    if (!out->accesses)
        return 0;
    followed_insn *insns = tacho_mem_zalloc(b->count, sizeof *insns);
    if (!insns)
        return tacho_no_memory(err);
    for (uint32_t i = 0; i < b->count; i++)
        describe(&insns[i], &b->insns[i], b->ends[i]);
    follow(out, insns, b->count);
    tacho_mem_free(insns);
    return 0;
}

/* ---- steps ---- */

/* An access that is followed. */
typedef struct followed_access {
    address_step step;
    uint8_t number; /* of the instruction's */
    bool irregular, moved;
    uint64_t last[WORLDS];
    signature from;
} followed_access;

static bool has_one_address(const mem_access *m)
{
    return !m->unknown_address && !m->implicit_stack && m->base != UNIT_RSP && m->bytes;
}

static void find_accesses(followed_access *out, uint32_t *count, const followed_insn *insns, uint32_t n)
{
    *count = 0;
    for (uint32_t i = 0; i < n; i++)
        for (uint8_t m = 0; m < insns[i].bi.mem_count; m++)
            if (has_one_address(&insns[i].bi.mem[m]))
                out[(*count)++] = (followed_access){
                    .step = {.insn = i, .operand = insns[i].operand[m], .bytes = insns[i].bi.mem[m].bytes},
                    .number = m};
}

/* Where it is in this repetition; from the second on, how far it has come. */
static void note_address(followed_access *x, const world *worlds, const followed_insn *fi, bool first)
{
    for (uint32_t k = 0; k < WORLDS; k++) {
        uint64_t address = address_in(&worlds[k], fi, x->number, false);
        int64_t step = (int64_t)(address - x->last[k]);
        x->irregular |= x->moved && step != x->step.step;
        if (!first) {
            x->step.step = step;
            x->moved = true;
        }
        x->last[k] = address;
    }
}

static void find_arrays(followed_access *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t k = 0;
        while (k < i && (!same(&list[k].from, &list[i].from) || list[k].step.step != list[i].step.step))
            k++;
        list[i].step.array = k < i ? list[k].step.array : i;
        list[i].step.offset = (int64_t)(list[i].last[0] - list[list[i].step.array].last[0]);
    }
}

/* What is followed, and where the results go. */
typedef struct steps_search {
    const followed_insn *insns;
    uint32_t insn_count;
    followed_access *list;
    uint32_t count;
    const block *moves;        /* what --advance adds, or NULL */
    const uint64_t *registers; /* of the first world; NULL: any */
} steps_search;

static void follow_steps(const steps_search *s)
{
    follower f = {.unknown = 0};
    followed_access *list = s->list;
    for (uint32_t k = 0; k < WORLDS; k++)
        start_world(&f.worlds[k], k);
    if (s->registers)
        memcpy(f.worlds[0].v.r, s->registers, sizeof f.worlds[0].v.r);
    for (uint32_t r = 0; r < WARMING + REPETITIONS; r++) {
        uint32_t next = 0;
        for (uint32_t i = 0; i < s->insn_count; i++) {
            for (; r >= WARMING && next < s->count && list[next].step.insn == i; next++) {
                note_address(&list[next], f.worlds, &s->insns[i], r == WARMING);
                if (r + 1 == WARMING + REPETITIONS)
                    list[next].from = sign(&f, &s->insns[i], list[next].number, false);
            }
            for (uint32_t k = 0; k < WORLDS; k++)
                step(&f.worlds[k], &s->insns[i]);
        }
        for (uint32_t k = 0; k < WORLDS && s->moves; k++)
            registers_advance(&f.worlds[k].v, s->moves);
    }
}

/* Into `out`, which has room for all accesses. */
static void find_steps(steps_search *s, address_step *out)
{
    find_accesses(s->list, &s->count, s->insns, s->insn_count);
    if (s->count)
        follow_steps(s);
    for (uint32_t i = 0; i < s->count; i++) {
        followed_access *x = &s->list[i];
        x->step.irregular = x->irregular;
        x->step.step = x->irregular ? 0 : x->step.step;
        x->step.first = x->last[0] - (uint64_t)x->step.step * (WARMING + REPETITIONS - 1);
    }
    find_arrays(s->list, s->count);
    for (uint32_t i = 0; i < s->count; i++)
        out[i] = s->list[i].step;
}

const address_step *address_steps_find(uint32_t *count, const block *b, arena *a)
{
    followed_insn *insns = arena_alloc(a, b->insn_count * sizeof *insns);
    followed_access *list = arena_alloc(a, (size_t)b->insn_count * INSN_MAX_MEM * sizeof *list);
    address_step *out = arena_alloc(a, (size_t)b->insn_count * INSN_MAX_MEM * sizeof *out);
    if (!insns || !list || !out)
        return NULL;
    for (uint32_t i = 0; i < b->insn_count; i++)
        describe(&insns[i], b->insns[i].insn, b->insns[i].offset + b->insns[i].length);
    steps_search s = {insns, b->insn_count, list, 0, b, NULL};
    find_steps(&s, out);
    *count = s.count;
    return out;
}

int tacho_address_steps_find(address_step **out, uint32_t *count, const address_block *b,
                             const uint64_t registers[16], tacho_error *err)
{
    const size_t most = (size_t)b->count * INSN_MAX_MEM;
    followed_insn *insns = tacho_mem_zalloc(b->count, sizeof *insns);
    followed_access *list = tacho_mem_zalloc(most, sizeof *list);
    *out = tacho_mem_zalloc(most, sizeof **out);
    const bool enough = insns && list && *out;
    *count = 0;
    if (enough) {
        for (uint32_t i = 0; i < b->count; i++)
            describe(&insns[i], &b->insns[i], b->ends[i]);
        steps_search s = {insns, b->count, list, 0, NULL, registers};
        find_steps(&s, *out);
        *count = s.count;
    }
    tacho_mem_free(insns);
    tacho_mem_free(list);
    if (enough)
        return 0;
    tacho_mem_free(*out);
    *out = NULL;
    return tacho_no_memory(err);
}

int alias_check(const tacho_alias *aliases, size_t count, tacho_error *err)
{
    if (count > TACHO_MAX_ALIASES)
        return tacho_error_set(err, TACHO_ERR_USAGE, "%zu aliases; at most %d", count, TACHO_MAX_ALIASES);
    for (size_t i = 0; i < count; i++) {
        const tacho_alias *a = &aliases[i];
        if (a->reg > 15 || a->base > 15 || a->reg == a->base)
            return tacho_error_set(err, TACHO_ERR_USAGE, "alias %zu: not two general registers", i);
        for (size_t k = 0; k < count; k++)
            if (aliases[k].reg == a->base || (k != i && aliases[k].reg == a->reg))
                return tacho_error_set(
                    err, TACHO_ERR_USAGE,
                    "alias %zu: a register is given once, by another one that is not itself given so", i);
    }
    return 0;
}
