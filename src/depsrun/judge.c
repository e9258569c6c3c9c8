/* judge.c - which dependencies of the run the static analysis finds, as in section 4.4 of the staticdeps
 * paper: block by block, by source and target alone, those whose source and target lie in one block that is
 * executed often enough; and why it misses others. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "depsrun/depsrun.h"
#include "util/mem.h"
#include "util/seconds.h"

/* A share that any dependency seen in one iteration reaches. */
#define ANY_SHARE 1e-9

/* A block that is being judged. */
typedef struct analysis {
    depsrun *d;
    const tacho_deps_run_block *block;
    tacho_deps *deps;  /* NULL: it could not be analysed */
    tacho_deps *loose; /* with any share, once it is asked for */
} analysis;

static bool has(const tacho_deps *deps, uint32_t source, uint32_t target)
{
    for (size_t i = 0; deps && i < deps->count; i++)
        if (deps->dependencies[i].source == source && deps->dependencies[i].target == target)
            return true;
    return false;
}

/* @return 0, also when the block cannot be analysed; TACHO_ERR_MEMORY, TACHO_ERR_CANCELLED */
static int analyse(const analysis *a, const tacho_deps_options *options, tacho_deps **out)
{
    const tacho_deps_run_insn *insns = a->d->insns + a->block->first_insn;
    tacho_error unwanted;
    size_t size = 0, n = 0;
    for (uint32_t i = 0; i < a->block->insn_count; i++)
        size += insns[i].length;
    uint8_t *bytes = tacho_mem_alloc(size);
    if (!bytes)
        return depsrun_no_memory(a->d);
    for (uint32_t i = 0; i < a->block->insn_count; n += insns[i++].length)
        memcpy(bytes + n, insns[i].bytes, insns[i].length);
    *out = NULL;
    int rc = tacho_deps_find(out, bytes, size, options, &unwanted);
    tacho_mem_free(bytes);
    if (rc == TACHO_ERR_USAGE || rc == TACHO_ERR_MEMORY || rc == TACHO_ERR_CANCELLED)
        return tacho_error_set(a->d->err, rc, "%s", unwanted.message);
    return 0;
}

/* ---- why one is missed ---- */

/* The access of an instruction; NULL: there is none of that kind. Where there are several, one with an
 * unknown address. */
static const tacho_deps_access *access_of(const tacho_deps *deps, uint32_t insn, bool write)
{
    const tacho_deps_access *found = NULL;
    for (size_t i = 0; i < deps->access_count; i++) {
        const tacho_deps_access *a = &deps->accesses[i];
        if (a->insn == insn && (write ? a->write : a->read) && (!found || a->unknown))
            found = a;
    }
    return found;
}

static bool same_reg(tacho_reg a, tacho_reg b)
{
    return a.class_ == TACHO_REG_NONE ? b.class_ == TACHO_REG_NONE : tacho_reg_same_full(a, b);
}

static bool same_pointer(const tacho_deps *deps, const tacho_deps_access *a, const tacho_deps_access *b)
{
    const tacho_mem *x = &deps->insns[a->insn].operands[a->operand].mem,
                    *y = &deps->insns[b->insn].operands[b->operand].mem;
    return same_reg(x->base, y->base) && same_reg(x->index, y->index);
}

static int find_reason(analysis *a, tacho_deps_run_dependency *d)
{
    uint32_t source = d->source - a->block->first_insn, target = d->target - a->block->first_insn;
    const tacho_deps_access *store = a->deps ? access_of(a->deps, source, true) : NULL,
                            *load = a->deps ? access_of(a->deps, target, false) : NULL;
    tacho_deps_options any = a->d->options.deps;
    any.share = ANY_SHARE;
    any.seeds = 1;
    int rc = a->deps && !a->loose ? analyse(a, &any, &a->loose) : 0;
    if (rc)
        return rc;
    if (!a->deps)
        d->reason = TACHO_DEPS_RUN_NOT_ANALYSED;
    else if (!store || !load)
        d->reason = TACHO_DEPS_RUN_NOT_MODELLED;
    else if (store->unknown || load->unknown)
        d->reason = TACHO_DEPS_RUN_ADDRESS_UNKNOWN;
    else if (d->shortest > a->d->options.deps.window)
        d->reason = TACHO_DEPS_RUN_FAR;
    else if (has(a->loose, source, target))
        d->reason = TACHO_DEPS_RUN_RARE;
    else
        d->reason =
            same_pointer(a->deps, store, load) ? TACHO_DEPS_RUN_SAME_POINTER : TACHO_DEPS_RUN_OTHER_POINTER;
    return 0;
}

/* ---- verdicts ---- */

/* The block of a dependency that is to be judged; else NULL with its verdict. */
static const tacho_deps_run_block *block_of(const depsrun *d, tacho_deps_run_dependency *dep)
{
    uint32_t source = d->insns[dep->source].block, target = d->insns[dep->target].block;
    if (source == TACHO_DEPS_RUN_NO_BLOCK || target == TACHO_DEPS_RUN_NO_BLOCK)
        dep->verdict = TACHO_DEPS_RUN_NO_CODE;
    else if (source != target)
        dep->verdict = TACHO_DEPS_RUN_ACROSS;
    else if (!d->blocks[target].hot)
        dep->verdict = TACHO_DEPS_RUN_COLD;
    else
        return &d->blocks[target];
    return NULL;
}

static int judge_block(analysis *a, tacho_deps_run_dependency *const *list, size_t count)
{
    int rc = analyse(a, &a->d->options.deps, &a->deps);
    for (size_t i = 0; i < count && !rc; i++) {
        tacho_deps_run_dependency *d = list[i];
        uint32_t first = a->block->first_insn;
        bool found = has(a->deps, d->source - first, d->target - first);
        rc = found ? 0 : find_reason(a, d);
        if (!rc)
            d->verdict = found ? TACHO_DEPS_RUN_FOUND : TACHO_DEPS_RUN_MISSED;
    }
    tacho_deps_free(a->deps);
    tacho_deps_free(a->loose);
    return rc;
}

static int by_target(const void *a, const void *b)
{
    uint32_t x = (*(tacho_deps_run_dependency *const *)a)->target,
             y = (*(tacho_deps_run_dependency *const *)b)->target;
    return (x > y) - (x < y);
}

static int judge_all(depsrun *d)
{
    size_t count = 0, next;
    int rc = 0;
    tacho_deps_run_dependency **list = tacho_mem_zalloc(d->result.dependency_count + 1, sizeof(void *));
    if (!list)
        return depsrun_no_memory(d);
    for (size_t i = 0; i < d->result.dependency_count; i++)
        if (block_of(d, &d->dependencies[i])) {
            d->dependencies[i].verdict = TACHO_DEPS_RUN_UNJUDGED;
            list[count++] = &d->dependencies[i];
        }
    qsort(list, count, sizeof *list, by_target); /* block by block */
    for (size_t i = 0; i < count && !rc; i = next) {
        analysis a = {.d = d, .block = block_of(d, list[i])};
        for (next = i + 1; next < count && block_of(d, list[next]) == a.block;)
            next++;
        rc = judge_block(&a, list + i, next - i);
    }
    tacho_mem_free(list);
    return rc;
}

/* ---- coverage ---- */

static double share(uint64_t part, uint64_t rest)
{
    return part + rest ? (double)part / (double)(part + rest) : NAN;
}

static void add(tacho_deps_run_sum *sum, uint64_t count)
{
    sum->dependencies++;
    sum->count += count;
}

static void cover(const depsrun *d, uint32_t lifetime, tacho_deps_run_coverage *out)
{
    *out = (tacho_deps_run_coverage){.lifetime = d->options.lifetimes[lifetime]};
    for (size_t i = 0; i < d->result.dependency_count; i++) {
        const tacho_deps_run_dependency *dep = &d->dependencies[i];
        if (!dep->within[lifetime])
            continue;
        add(&out->verdicts[dep->verdict], dep->within[lifetime]);
        if (dep->verdict == TACHO_DEPS_RUN_MISSED)
            add(&out->reasons[dep->reason], dep->within[lifetime]);
    }
    const tacho_deps_run_sum *found = &out->verdicts[TACHO_DEPS_RUN_FOUND],
                             *missed = &out->verdicts[TACHO_DEPS_RUN_MISSED];
    out->cov_u = share(found->dependencies, missed->dependencies);
    out->cov_w = share(found->count, missed->count);
}

/* ---- for how long ---- */

typedef struct limit {
    const tacho_deps_run_options *options;
    double end; /* moment; 0: none */
} limit;

static int is_over(void *payload)
{
    const limit *l = payload;
    const tacho_deps_options *deps = &l->options->deps;
    bool asked = deps->progress && deps->progress(deps->payload);
    return asked || (l->end > 0 && seconds_now() >= l->end);
}

static int judge_in_time(depsrun *d)
{
    const tacho_deps_run_options options = d->options;
    limit l = {&options, options.timeout_seconds > 0 ? seconds_now() + options.timeout_seconds : 0};
    d->options.deps.progress = is_over;
    d->options.deps.payload = &l;
    int rc = judge_all(d);
    d->options = options;
    d->result.judged = rc != TACHO_ERR_CANCELLED;
    return d->result.judged
               ? rc
               : depsrun_warn(d, "the judging was ended: what is found and missed, and cov_u and "
                                 "cov_w, are of the pairs judged until then");
}

int depsrun_judge(depsrun *d)
{
    int rc = judge_in_time(d);
    for (uint32_t i = 0; i < d->options.lifetime_count && !rc; i++)
        cover(d, i, &d->result.coverage[i]);
    d->result.lifetime_count = d->options.lifetime_count;
    return rc;
}
