/* find.c - the dependencies of a block: it is executed on made-up numbers, iteration after iteration, and
 * each time it is noted who wrote what is read. */
#include <stdlib.h>
#include <string.h>

#include "deps/deps.h"
#include "util/alias.h"
#include "tacho/predict.h"
#include "util/mem.h"

enum {
    MIN_ITERATIONS = 10, /* fewer would not show what is there in each of them */
    MAX_SEEDS = 100,
    MAX_WINDOW = 1000000,
    ASK_EVERY = 4096 /* instructions */
};
#define CODE_ADDRESS 0x400000 /* where programs usually begin */

/* What is given out, with what it stands in. */
typedef struct result {
    tacho_deps out;
    tacho_insn *insns;
    tacho_dependency *dependencies;
    tacho_deps_access *accesses;
} result;

typedef struct search {
    const tacho_deps_options *options;
    const tacho_insn *insns;
    size_t count;
    uint32_t iterations;
    semantics semantics;
    machine machine;
    writers writers;
    findings findings;
    tacho_deps_access *accesses;
    size_t access_count;
    uint32_t since_asked; /* instructions executed since options.progress was asked */
    bool cancelled;
} search;

static int no_memory(tacho_error *err)
{
    return tacho_error_set(err, TACHO_ERR_MEMORY, "out of memory");
}

/* ---- what is asked ---- */

static int check(const tacho_deps_options *o, size_t size, tacho_error *err)
{
    if (o->size != sizeof *o)
        return tacho_error_set(err, TACHO_ERR_USAGE, "options of another version of the library");
    if (!size)
        return tacho_error_set(err, TACHO_ERR_INPUT, "there is no code");
    if (size > TACHO_MAX_BLOCK_BYTES)
        return tacho_error_set(err, TACHO_ERR_LIMIT, "more than %d bytes of code", TACHO_MAX_BLOCK_BYTES);
    if (!o->seeds || o->seeds > MAX_SEEDS || !o->window || o->window > MAX_WINDOW)
        return tacho_error_set(err, TACHO_ERR_USAGE, "seeds: 1 to %d; window: 1 to %d instructions",
                               MAX_SEEDS, MAX_WINDOW);
    if (!(o->share > 0 && o->share <= 1))
        return tacho_error_set(err, TACHO_ERR_USAGE, "share: above 0, at most 1");
    return alias_check(o->aliases, o->alias_count, err);
}

static int decode(result *r, const uint8_t *code, size_t size, tacho_error *err)
{
    size_t capacity = 0, count = 0;
    for (size_t at = 0; at < size; at += r->insns[count++].length) {
        if (count == TACHO_MAX_BLOCK_INSNS)
            return tacho_error_set(err, TACHO_ERR_LIMIT, "more than %d instructions", TACHO_MAX_BLOCK_INSNS);
        if (tacho_mem_grow(&r->insns, &capacity, count + 1, sizeof *r->insns))
            return no_memory(err);
        int bad = tacho_decode(&r->insns[count], code + at, size - at, err);
        if (bad) {
            if (err)
                err->offset = (int64_t)at;
            return bad;
        }
    }
    r->out.insns = r->insns;
    r->out.insn_count = count;
    return 0;
}

static int list_accesses(result *r, tacho_error *err)
{
    size_t capacity = 0, n = 0;
    for (size_t i = 0; i < r->out.insn_count; i++)
        for (int k = 0; k < r->insns[i].operand_count; k++) {
            const tacho_operand *o = &r->insns[i].operands[k];
            if (o->kind != TACHO_OPERAND_MEM || !(o->access & (TACHO_READ | TACHO_WRITE)))
                continue;
            if (tacho_mem_grow(&r->accesses, &capacity, n + 1, sizeof *r->accesses))
                return no_memory(err);
            r->accesses[n++] = (tacho_deps_access){.insn = (uint32_t)i,
                                                   .operand = (uint8_t)k,
                                                   .read = o->access & TACHO_READ,
                                                   .write = o->access & TACHO_WRITE};
        }
    r->out.accesses = r->accesses;
    r->out.access_count = n;
    return 0;
}

/* ---- running ---- */

static uint8_t at_most_255(uint32_t n)
{
    return (uint8_t)(n < 255 ? n : 255);
}

/* How many of so many bytes a store wrote last. */
static uint32_t bytes_of(const machine *m, const store *from, uint64_t address, uint32_t bytes)
{
    uint32_t n = 0;
    int64_t before = (int64_t)(address - from->address); /* bytes that the store wrote before these */
    uint32_t first = before < 0 ? (uint32_t)-before : 0;
    int64_t end = (int64_t)from->bytes - before;
    for (uint32_t i = first; i < bytes && (int64_t)i < end; i++)
        n += machine_writer(m, address + i) == from;
    return n;
}

/* The bytes of a load that one store wrote are one dependency, also with another's between them. */
static void note_load(search *s, const tacho_operand *o, uint64_t address, uint32_t bytes, uint32_t insn,
                      uint32_t iteration)
{
    const machine *m = &s->machine;
    for (uint32_t i = 0, run; i < bytes; i += run) {
        const store *from = machine_writer(m, address + i);
        for (run = 1; i + run < bytes && machine_writer(m, address + i + run) == from;)
            run++;
        if (!from || bytes_of(m, from, address, i))
            continue;
        uint32_t n = run + bytes_of(m, from, address + i + run, bytes - i - run);
        uint64_t back = (uint64_t)(iteration - from->iteration) * s->count + insn - from->insn;
        if (back > s->options->window)
            continue;
        int64_t offset = (int64_t)(address - from->address);
        tacho_dependency d = {.source = from->insn,
                              .target = insn,
                              .distance = iteration - from->iteration,
                              .kind = TACHO_DEPENDENCY_MEMORY,
                              .mem = o->mem,
                              .bytes = at_most_255(n),
                              .load_bytes = at_most_255(bytes),
                              .store_bytes = at_most_255(from->bytes),
                              .offset = (int16_t)offset};
        findings_note(&s->findings, &d, iteration);
    }
}

static uint32_t access_bytes(const tacho_operand *o)
{
    uint32_t bytes = o->width_bits / 8;
    return bytes <= MACHINE_MAX_ACCESS ? bytes : 0;
}

/* Loads before the instruction is executed, stores after it. */
static void note_accesses(search *s, uint32_t insn, uint32_t iteration, const addresses *a, unsigned access,
                          size_t first)
{
    for (size_t k = first; k < s->access_count && s->accesses[k].insn == insn; k++) {
        int operand = s->accesses[k].operand;
        const tacho_operand *o = &s->insns[insn].operands[operand];
        uint32_t bytes = access_bytes(o);
        if (!(o->access & access))
            continue;
        s->accesses[k].unknown |= !a->of[operand].known || !bytes;
        bytes *= a->repeats;
        if (!a->of[operand].known || !bytes)
            continue;
        if (access == TACHO_READ && !s->options->no_memory)
            note_load(s, o, a->of[operand].bits, bytes, insn, iteration);
        else if (access == TACHO_WRITE)
            machine_store(&s->machine, a->of[operand].bits, bytes, insn, iteration);
    }
}

static void run_iteration(search *s, uint32_t iteration)
{
    uint64_t address = CODE_ADDRESS;
    size_t access = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        const tacho_insn *insn = &s->insns[i];
        addresses a;
        address += insn->length;
        s->machine.next_insn = address;
        while (access < s->access_count && s->accesses[access].insn < i)
            access++;
        machine_addresses(&s->machine, &s->semantics, insn, &a);
        note_accesses(s, i, iteration, &a, TACHO_READ, access);
        writers_note(&s->writers, &s->findings, s->options, &s->semantics, insn, i, iteration);
        machine_execute(&s->machine, &s->semantics, insn, &a);
        note_accesses(s, i, iteration, &a, TACHO_WRITE, access);
        machine_end_insn(&s->machine);
    }
}

/* Whether there is no going on. */
static bool is_over(search *s)
{
    const tacho_deps_options *o = s->options;
    if (o->progress && s->since_asked >= ASK_EVERY) {
        s->since_asked = 0;
        s->cancelled |= o->progress(o->payload) != 0;
    }
    return s->cancelled || s->machine.failed || s->findings.failed;
}

static bool run(search *s)
{
    for (uint32_t seed = 1; seed <= s->options->seeds && !is_over(s); seed++) {
        machine_start(&s->machine, s->options, seed);
        s->writers = (writers){.x87_top = 0};
        for (uint32_t i = 0; i < s->iterations && !is_over(s); i++) {
            run_iteration(s, i);
            s->since_asked += (uint32_t)s->count;
        }
        findings_end_run(&s->findings, s->iterations, s->options->share);
    }
    return !s->cancelled && !s->machine.failed && !s->findings.failed;
}

/* ---- what is given out ---- */

static int in_order(const void *a, const void *b)
{
    const tacho_dependency *x = a, *y = b;
    if (x->target != y->target)
        return x->target < y->target ? -1 : 1;
    if (x->distance != y->distance)
        return x->distance < y->distance ? -1 : 1;
    if (x->source != y->source)
        return x->source < y->source ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->flags != y->flags)
        return x->flags < y->flags ? -1 : 1;
    return memcmp(&x->reg, &y->reg, sizeof x->reg);
}

static int collect(result *r, const findings *f, uint32_t seeds)
{
    size_t n = 0;
    r->dependencies = tacho_mem_zalloc(f->count + 1, sizeof *r->dependencies);
    if (!r->dependencies)
        return -1;
    for (size_t i = 0; i < f->count; i++)
        if (f->list[i].runs == seeds)
            r->dependencies[n++] = f->list[i].d;
    qsort(r->dependencies, n, sizeof *r->dependencies, in_order);
    r->out.dependencies = r->dependencies;
    r->out.count = n;
    for (size_t k = 0; k < r->out.access_count; k++)
        r->out.unknown_count += r->accesses[k].unknown;
    return 0;
}

static int search_block(result *r, const tacho_deps_options *o, tacho_error *err)
{
    uint32_t fill = (uint32_t)((o->window + r->out.insn_count - 1) / r->out.insn_count) + 1;
    search s = {.options = o,
                .insns = r->insns,
                .count = r->out.insn_count,
                .iterations = fill < MIN_ITERATIONS ? MIN_ITERATIONS : fill,
                .accesses = r->accesses,
                .access_count = r->out.access_count};
    bool good = !semantics_make(&s.semantics) && run(&s) && !collect(r, &s.findings, o->seeds);
    r->out.iterations = s.iterations;
    semantics_free(&s.semantics);
    machine_free(&s.machine);
    findings_free(&s.findings);
    if (s.cancelled)
        return tacho_error_set(err, TACHO_ERR_CANCELLED, "the search was ended");
    return good ? 0 : no_memory(err);
}

int tacho_deps_find(tacho_deps **out, const uint8_t *code, size_t size, const tacho_deps_options *options,
                    tacho_error *err)
{
    static const tacho_deps_options defaults = TACHO_DEPS_OPTIONS_INIT;
    const tacho_deps_options *o = options ? options : &defaults;
    int bad = check(o, size, err);
    *out = NULL;
    if (bad)
        return bad;
    result *r = tacho_mem_zalloc(1, sizeof *r);
    if (!r)
        return no_memory(err);
    if ((bad = decode(r, code, size, err)) || (bad = list_accesses(r, err)) ||
        (bad = search_block(r, o, err))) {
        tacho_deps_free(&r->out);
        return bad;
    }
    *out = &r->out;
    return 0;
}

void tacho_deps_free(tacho_deps *deps)
{
    result *r = (result *)deps; /* its first member */
    if (!r)
        return;
    tacho_mem_free(r->insns);
    tacho_mem_free(r->dependencies);
    tacho_mem_free(r->accesses);
    tacho_mem_free(r);
}

const char *tacho_dependency_kind_name(tacho_dependency_kind kind)
{
    static const char *const names[] = {"register", "flags", "memory"};
    return (unsigned)kind < TACHO_DEPENDENCY_KIND_COUNT ? names[kind] : "";
}
