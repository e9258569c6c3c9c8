/* deps_result.c - what the two searches for dependencies share: the options checked, the instructions
 * decoded, their accesses to memory listed, and what was found put in order. */

#include "base/mem.h"
#include "base/names.h"
#include "base/options_take.h"
#include "base/search.h"
#include "model/block/addresses.h"
#include "model/deps/deps_internal.h"
#include "tacho/predict.h"

enum {
    MAX_SEEDS = 100,
    MAX_WINDOW = 1000000,
    MAX_BUDGET = 1000000000
};

OPTIONS_DEFINE(deps, TACHO_DEPS_OPTIONS_INIT)

static int check(const tacho_deps_options *o, size_t size, tacho_error *err)
{
    if (!size)
        return tacho_error_set(err, TACHO_ERR_INPUT, "there is no code");
    if (size > TACHO_MAX_BLOCK_BYTES)
        return tacho_error_set(err, TACHO_ERR_LIMIT, "more than %d bytes of code", TACHO_MAX_BLOCK_BYTES);
    if (!o->seeds || o->seeds > MAX_SEEDS || !o->window || o->window > MAX_WINDOW)
        return tacho_error_set(err, TACHO_ERR_USAGE, "seeds: 1 to %d; window: 1 to %d instructions",
                               MAX_SEEDS, MAX_WINDOW);
    if (!o->budget || o->budget > MAX_BUDGET)
        return tacho_error_set(err, TACHO_ERR_USAGE, "budget: 1 to %d instructions", MAX_BUDGET);
    if (!(o->share > 0 && o->share <= 1))
        return tacho_error_set(err, TACHO_ERR_USAGE, "share: above 0, at most 1");
    return alias_check(o->aliases, o->alias_count, err);
}

static int decode(found_deps *r, const uint8_t *code, size_t size, tacho_error *err)
{
    size_t capacity = 0, count = 0;
    for (size_t at = 0; at < size; at += r->insns[count++].length) {
        if (count == TACHO_MAX_BLOCK_INSNS)
            return tacho_error_set(err, TACHO_ERR_LIMIT, "more than %d instructions", TACHO_MAX_BLOCK_INSNS);
        if (tacho_mem_grow(&r->insns, &capacity, count + 1, sizeof *r->insns))
            return tacho_no_memory(err);
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

static int list_accesses(found_deps *r, tacho_error *err)
{
    size_t capacity = 0, n = 0;
    for (size_t i = 0; i < r->out.insn_count; i++)
        for (int k = 0; k < r->insns[i].operand_count; k++) {
            const tacho_operand *o = &r->insns[i].operands[k];
            if (o->kind != TACHO_OPERAND_MEM || !(o->access & (TACHO_READ | TACHO_WRITE)))
                continue;
            if (tacho_mem_grow(&r->accesses, &capacity, n + 1, sizeof *r->accesses))
                return tacho_no_memory(err);
            r->accesses[n++] = (tacho_deps_access){.insn = (uint32_t)i,
                                                   .operand = (uint8_t)k,
                                                   .read = o->access & TACHO_READ,
                                                   .write = o->access & TACHO_WRITE};
        }
    r->out.accesses = r->accesses;
    r->out.access_count = n;
    return 0;
}

static int in_order(const void *a, const void *b)
{
    const tacho_dependency *x = a, *y = b;
    int order = ORDER(x->target, y->target) ?: ORDER(x->distance, y->distance);
    order = order ?: ORDER(x->source, y->source) ?: ORDER(x->kind, y->kind) ?: ORDER(x->flags, y->flags);
    return order ?: memcmp(&x->reg, &y->reg, sizeof x->reg);
}

int deps_result_collect(found_deps *r, const findings *f, bool (*keep)(const found *it, const void *payload),
                        const void *payload)
{
    size_t n = 0;
    r->dependencies = tacho_mem_zalloc(f->count + 1, sizeof *r->dependencies);
    if (!r->dependencies)
        return -1;
    for (size_t i = 0; i < f->count; i++)
        if (keep(&f->list[i], payload))
            r->dependencies[n++] = f->list[i].d;
    tacho_sort(r->dependencies, n, sizeof *r->dependencies, in_order);
    r->out.dependencies = r->dependencies;
    r->out.count = n;
    for (size_t k = 0; k < r->out.access_count; k++)
        r->out.unknown_count += r->accesses[k].unknown;
    return 0;
}

int deps_result_make(tacho_deps **out, const uint8_t *code, size_t size, const tacho_deps_options *options,
                     deps_search *search, tacho_error *err)
{
    tacho_deps_options o;
    *out = NULL;
    int bad = OPTIONS_TAKE(deps, &o, options, err);
    if (bad || (bad = check(&o, size, err)))
        return bad;
    found_deps *r = tacho_mem_zalloc(1, sizeof *r);
    if (!r)
        return tacho_no_memory(err);
    if ((bad = decode(r, code, size, err)) || (bad = list_accesses(r, err)) || (bad = search(r, &o, err)))
        tacho_deps_free(&r->out);
    else
        *out = &r->out;
    return bad;
}

void tacho_deps_free(tacho_deps *deps)
{
    found_deps *r = (found_deps *)deps; /* its first member */
    if (!r)
        return;
    TACHO_MEM_FREE(r->insns, r->dependencies, r->accesses, r->steps, r);
}

NAMES_OF(tacho_dependency_kind_name, tacho_dependency_kind, "", "register", "flags", "memory")

/* ---- which stores a load reads ---- */

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

/* Bytes of a load that one store wrote are one dependency, also if bytes of another store lie between them.
 */
static void note_source(const moment *now, const machine *m, const store *from, tacho_dependency *d)
{
    uint64_t back =
        (uint64_t)(now->iteration - from->iteration) * now->r->out.insn_count + now->number - from->insn;
    d->distance = now->iteration - from->iteration;
    if (now->counts) {
        back = m->time - from->time;
        d->distance = now->counts[from->insn] - from->iteration + (from->insn >= now->number);
    }
    if (back > now->options->window)
        return;
    d->source = from->insn;
    d->back = (uint32_t)back;
    d->store_bytes = at_most_255(from->bytes);
    findings_note(now->findings, d, now->iteration);
}

static void note_load(const moment *now, const machine *m, const tacho_operand *o, uint64_t address,
                      uint32_t bytes)
{
    for (uint32_t i = 0, run; i < bytes; i += run) {
        const store *from = machine_writer(m, address + i);
        for (run = 1; i + run < bytes && machine_writer(m, address + i + run) == from;)
            run++;
        if (!from || bytes_of(m, from, address, i))
            continue;
        uint32_t n = run + bytes_of(m, from, address + i + run, bytes - i - run);
        tacho_dependency d = {.target = now->number,
                              .kind = TACHO_DEPENDENCY_MEMORY,
                              .mem = o->mem,
                              .bytes = at_most_255(n),
                              .load_bytes = at_most_255(bytes),
                              .offset = (int16_t)(int64_t)(address - from->address)};
        note_source(now, m, from, &d);
    }
}

static uint32_t access_bytes(const tacho_operand *o)
{
    uint32_t bytes = o->width_bits / 8;
    return bytes <= MACHINE_MAX_ACCESS ? bytes : 0;
}

void loads_note(const moment *now, machine *m, const addresses *a, unsigned access)
{
    const found_deps *r = now->r;
    for (size_t k = now->first_access; k < r->out.access_count && r->accesses[k].insn == now->number; k++) {
        int operand = r->accesses[k].operand;
        const tacho_operand *o = &r->insns[now->number].operands[operand];
        uint32_t bytes = access_bytes(o);
        if (!(o->access & access))
            continue;
        r->accesses[k].unknown |= !a->of[operand].known || !bytes;
        bytes *= a->repeats;
        if (!a->of[operand].known || !bytes)
            continue;
        if (access == TACHO_READ && !now->options->no_memory)
            note_load(now, m, o, a->of[operand].bits, bytes);
        else if (access == TACHO_WRITE)
            machine_store(m, a->of[operand].bits, bytes, now->number, now->iteration);
    }
}
