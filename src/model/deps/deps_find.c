/* deps_find.c - the dependencies of a block: it is executed on made-up numbers, iteration after iteration,
 * and each access notes who wrote what is read. */
#include "base/hash.h"
#include "base/mem.h"
#include "model/deps/deps_internal.h"
#include "x86/decode/regs.h"

enum {
    MIN_ITERATIONS = 10, /* fewer iterations would not show what happens in each of them */
    ASK_EVERY = 4096     /* instructions */
};

typedef struct search {
    const tacho_deps_options *options;
    const found_deps *r;
    uint32_t iterations;
    machine machine;
    writers writers;
    findings findings;
    uint32_t since_asked; /* instructions executed since options.progress was asked */
    bool cancelled;
} search;

static void run_iteration(search *s, uint32_t iteration)
{
    const tacho_deps *deps = &s->r->out;
    uint64_t address = s->options->address;
    moment now = {.options = s->options, .r = s->r, .findings = &s->findings, .iteration = iteration};
    for (uint32_t i = 0; i < deps->insn_count; i++) {
        const tacho_insn *insn = &deps->insns[i];
        addresses a;
        address += insn->length;
        s->machine.next_insn = address;
        now.number = i;
        while (now.first_access < deps->access_count && deps->accesses[now.first_access].insn < i)
            now.first_access++;
        machine_addresses(&s->machine, insn, &a);
        loads_note(&now, &s->machine, &a, TACHO_READ);
        writers_note(&s->writers, &s->findings, s->options, insn, i, iteration);
        machine_execute(&s->machine, insn, &a);
        loads_note(&now, &s->machine, &a, TACHO_WRITE);
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

/* Ends a run of so many iterations: those that are in too few of them have failed. */
static void end_run(findings *f, uint32_t iterations, double share)
{
    for (size_t i = 0; i < f->count; i++) {
        found *it = &f->list[i];
        double of =
            iterations > it->d.distance ? (double)it->count / (double)(iterations - it->d.distance) : 0;
        it->runs += of >= share;
        it->d.share = of < it->d.share ? of : it->d.share;
        it->count = it->last_iteration = 0;
    }
}

static bool run(search *s)
{
    for (uint32_t seed = 1; seed <= s->options->seeds && !is_over(s); seed++) {
        machine_start(&s->machine, s->options, seed);
        s->writers = (writers){.x87_top = 0};
        for (uint32_t i = 0; i < s->iterations && !is_over(s); i++) {
            run_iteration(s, i);
            s->since_asked += (uint32_t)s->r->out.insn_count;
        }
        end_run(&s->findings, s->iterations, s->options->share);
    }
    return !s->cancelled && !s->machine.failed && !s->findings.failed;
}

static bool in_all_runs(const found *it, const void *seeds)
{
    return it->runs == *(const uint32_t *)seeds;
}

/* What the distance says of a block. */
static void complete(found_deps *r)
{
    for (size_t i = 0; i < r->out.count; i++) {
        tacho_dependency *d = &r->dependencies[i];
        d->longest = d->distance;
        d->back = d->distance * (uint32_t)r->out.insn_count + d->target - d->source;
    }
}

static int search_block(found_deps *r, const tacho_deps_options *o, tacho_error *err)
{
    uint32_t fill = (uint32_t)((o->window + r->out.insn_count - 1) / r->out.insn_count) + 1;
    search s = {.options = o, .r = r, .iterations = fill < MIN_ITERATIONS ? MIN_ITERATIONS : fill};
    s.machine.most_bytes = DEPS_MAX_BYTES;
    bool good = run(&s) && !deps_result_collect(r, &s.findings, in_all_runs, &o->seeds);
    bool full = s.machine.full;
    complete(r);
    r->out.iterations = s.iterations;
    machine_free(&s.machine);
    findings_free(&s.findings);
    if (s.cancelled)
        return tacho_error_set(err, TACHO_ERR_CANCELLED, "the search was ended");
    if (full)
        return tacho_error_set(err, TACHO_ERR_LIMIT,
                               "what it stores takes more than %d MB to follow; a smaller window takes less",
                               DEPS_MAX_BYTES >> 20);
    return good ? 0 : tacho_no_memory(err);
}

int tacho_deps_find(tacho_deps **out, const uint8_t *code, size_t size, const tacho_deps_options *options,
                    tacho_error *err)
{
    return deps_result_make(out, code, size, options, search_block, err);
}

/* Dependencies of an unrolled block, re-rolled: (source, target, distance), with the share
 * of the iterations in which each was seen (staticdeps, section 3.4); of a followed function (source,
 * target).
 */

static uint64_t hash_of(const findings *f, const tacho_dependency *d)
{
    uint64_t h = hash_add(d->source, (uint64_t)d->target << 32 | (f->followed ? 0 : d->distance));
    h = hash_add(h, (uint64_t)d->kind << 32 | (uint64_t)d->flags << 24 | (uint64_t)d->reg.class_ << 8 |
                        d->reg.number);
    return hash_mix(h);
}

static bool same(const findings *f, const tacho_dependency *a, const tacho_dependency *b)
{
    return a->source == b->source && a->target == b->target && (f->followed || a->distance == b->distance) &&
           a->kind == b->kind && a->flags == b->flags && reg_is_same(a->reg, b->reg);
}

/* The one that is the same as `d`, made if there is none; NULL when memory runs out. */
static found *find(findings *f, const tacho_dependency *d)
{
    uint64_t hash = hash_of(f, d);
    hash_probe p = hash_find(&f->by_hash, hash);
    while (hash_next(&p) && !same(f, &f->list[p.item].d, d))
        continue;
    if (p.item != HASH_INDEX_NONE)
        return &f->list[p.item];
    if (tacho_mem_grow(&f->list, &f->capacity, f->count + 1, sizeof *f->list) ||
        hash_add_item(&f->by_hash, hash, (uint32_t)f->count))
        return NULL;
    f->list[f->count] = (found){.d = *d};
    f->list[f->count].d.share = 1;
    f->list[f->count].d.longest = d->distance;
    return &f->list[f->count++];
}

static void note_followed(const findings *f, found *it, const tacho_dependency *d)
{
    if (d->distance < it->d.distance)
        it->d.distance = d->distance;
    if (d->distance > it->d.longest)
        it->d.longest = d->distance;
    if (d->back < it->d.back)
        it->d.back = d->back;
    if (it->last != f->moment)
        it->times += f->weight;
    it->last = f->moment;
    it->seeds[0] |= f->seeds[0];
    it->seeds[1] |= f->seeds[1];
}

void findings_note(findings *f, const tacho_dependency *d, uint32_t iteration)
{
    found *it = f->failed ? NULL : find(f, d);
    f->failed = !it;
    if (it && f->followed) {
        note_followed(f, it, d);
        return;
    }
    if (!it || it->last_iteration == iteration + 1)
        return;
    it->last_iteration = iteration + 1;
    it->count++;
}

void findings_free(findings *f)
{
    tacho_mem_free(f->list);
    hash_index_free(&f->by_hash);
    *f = (findings){0};
}
