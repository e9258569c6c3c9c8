/* depsrun_judge.c - which dependencies of the run the static analyses find, as in section 4.4 of the
 * staticdeps paper: block by block, by source and target alone, those whose source and target lie in one
 * block that is executed often enough; and why they miss others. */

#include "base/mem.h"
#include "base/seconds.h"
#include "study/depsrun/depsrun.h"

/* A share that any dependency seen in one iteration reaches. */
#define ANY_SHARE 1e-9

/* A block that is being judged. */
typedef struct analysis {
    depsrun *d;
    const tacho_deps_run_block *block;
    tacho_deps *deps;  /* NULL: it could not be analysed */
    tacho_deps *loose; /* with any share, once it is asked for */
} analysis;

/* They are in the order of their targets. */
bool depsrun_has(const tacho_deps *deps, uint32_t source, uint32_t target)
{
    size_t at, count = deps ? deps->count : 0;
    COUNT_BEFORE(at, count, deps->dependencies[at].target < target);
    for (; at < count && deps->dependencies[at].target == target; at++)
        if (deps->dependencies[at].source == source)
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
    TACHO_MEM_FREED uint8_t *bytes = tacho_mem_alloc(size);
    if (!bytes)
        return tacho_no_memory(a->d->err);
    for (uint32_t i = 0; i < a->block->insn_count; n += insns[i++].length)
        memcpy(bytes + n, insns[i].bytes, insns[i].length);
    *out = NULL;
    int rc = tacho_deps_find(out, bytes, size, options, &unwanted);
    if (rc == TACHO_ERR_USAGE || rc == TACHO_ERR_MEMORY || rc == TACHO_ERR_CANCELLED)
        return tacho_error_set(a->d->err, rc, "%s", unwanted.message);
    return 0;
}

/* ---- why one is missed ---- */

/* The access of this kind of an instruction; NULL: there is none. Where there are several, one with an
 * unknown address. They are in the order of instructions. */
static const tacho_deps_access *access_of(const tacho_deps *deps, uint32_t insn, bool write)
{
    const tacho_deps_access *found = NULL;
    size_t at;
    COUNT_BEFORE(at, deps->access_count, deps->accesses[at].insn < insn);
    for (; at < deps->access_count && deps->accesses[at].insn == insn; at++) {
        const tacho_deps_access *a = &deps->accesses[at];
        if ((write ? a->write : a->read) && (!found || a->unknown))
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

tacho_deps_run_reason depsrun_reason(const tacho_deps *deps, uint32_t source, uint32_t target, bool *same)
{
    const tacho_deps_access *store = access_of(deps, source, true), *load = access_of(deps, target, false);
    if (!store || !load)
        return TACHO_DEPS_RUN_NOT_MODELLED;
    *same = same_pointer(deps, store, load);
    return store->unknown || load->unknown ? TACHO_DEPS_RUN_ADDRESS_UNKNOWN : TACHO_DEPS_RUN_NOT_MISSED;
}

/* Of one that the block's analysis misses. */
static int find_reason(analysis *a, const tacho_deps_run_dependency *d, tacho_deps_run_reason *out)
{
    uint32_t source = d->source - a->block->first_insn, target = d->target - a->block->first_insn;
    tacho_deps_options any = a->d->options.deps;
    bool same = false;
    any.share = ANY_SHARE;
    any.seeds = 1;
    int rc = a->deps && !a->loose ? analyse(a, &any, &a->loose) : 0;
    if (rc)
        return rc;
    *out = a->deps ? depsrun_reason(a->deps, source, target, &same) : TACHO_DEPS_RUN_NOT_ANALYSED;
    if (*out)
        return 0;
    if (d->shortest > a->d->options.deps.window)
        *out = TACHO_DEPS_RUN_FAR;
    else if (depsrun_has(a->loose, source, target))
        *out = TACHO_DEPS_RUN_RARE;
    else
        *out = same ? TACHO_DEPS_RUN_SAME_POINTER : TACHO_DEPS_RUN_OTHER_POINTER;
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

void depsrun_note(tacho_deps_run_dependency *dep, tacho_deps_run_part part, tacho_deps_run_reason reason)
{
    dep->judged_by |= (uint8_t)(1 << part);
    dep->reasons[part] = reason;
    if (!reason)
        dep->found_by |= (uint8_t)(1 << part);
}

static int judge_block(analysis *a, tacho_deps_run_dependency *const *list, size_t count)
{
    int rc = analyse(a, &a->d->options.deps, &a->deps);
    uint32_t first = a->block->first_insn;
    for (size_t i = 0; a->deps && i < a->deps->count && !rc; i++)
        rc = depsrun_claim(a->d, first + a->deps->dependencies[i].source,
                           first + a->deps->dependencies[i].target, TACHO_DEPS_RUN_BLOCK);
    for (size_t i = 0; i < count && !rc; i++) {
        tacho_deps_run_reason reason = TACHO_DEPS_RUN_NOT_MISSED;
        if (!depsrun_has(a->deps, list[i]->source - first, list[i]->target - first))
            rc = find_reason(a, list[i], &reason);
        if (!rc)
            depsrun_note(list[i], TACHO_DEPS_RUN_BLOCK, reason);
    }
    tacho_deps_free(a->deps);
    tacho_deps_free(a->loose);
    return rc;
}

ORDER_AS(by_target, tacho_deps_run_dependency *const, ORDER((*a)->target, (*b)->target));

/* Dependencies that are to be judged, block by block. @return NULL: memory ran out */
static tacho_deps_run_dependency **list_judged(depsrun *d, size_t *count)
{
    tacho_deps_run_dependency **list = tacho_mem_zalloc(d->result.dependency_count + 1, sizeof(void *));
    *count = 0;
    for (size_t i = 0; list && i < d->result.dependency_count; i++)
        if (block_of(d, &d->dependencies[i])) {
            d->dependencies[i].verdict = TACHO_DEPS_RUN_UNJUDGED;
            list[(*count)++] = &d->dependencies[i];
        }
    if (list)
        tacho_sort(list, *count, sizeof *list, by_target);
    return list;
}

static int judge_blocks(depsrun *d)
{
    size_t count, at = 0, next;
    int rc = 0;
    TACHO_MEM_FREED tacho_deps_run_dependency **list = list_judged(d, &count);
    if (!list)
        return tacho_no_memory(d->err);
    for (size_t b = 0; b < d->result.block_count && !rc; b++) {
        analysis a = {.d = d, .block = &d->blocks[b]};
        if (!a.block->hot)
            continue;
        for (next = at; next < count && d->insns[list[next]->target].block == b;)
            next++;
        rc = judge_block(&a, list + at, next - at);
        at = next;
    }
    return rc;
}

/* What both analyses say together. One that only the function's could find is not missed before that has been
 * asked.
 */
static void conclude(depsrun *d, bool all)
{
    for (size_t i = 0; i < d->result.dependency_count; i++) {
        tacho_deps_run_dependency *dep = &d->dependencies[i];
        unsigned block = 1 << TACHO_DEPS_RUN_BLOCK, both = block | 1 << TACHO_DEPS_RUN_FUNCTION;
        bool open = !all && !(dep->judged_by & both & ~block);
        if (dep->verdict != TACHO_DEPS_RUN_UNJUDGED || !(dep->judged_by & block))
            continue;
        if (dep->found_by & both)
            dep->verdict = TACHO_DEPS_RUN_FOUND;
        else if (!open) {
            const tacho_deps_run_reason *reasons = dep->reasons;
            bool followed = dep->judged_by & both & ~block &&
                            reasons[TACHO_DEPS_RUN_FUNCTION] != TACHO_DEPS_RUN_NOT_ANALYSED;
            dep->verdict = TACHO_DEPS_RUN_MISSED;
            dep->reason = reasons[followed ? TACHO_DEPS_RUN_FUNCTION : TACHO_DEPS_RUN_BLOCK];
        }
    }
}

static int judge_all(depsrun *d)
{
    int rc = judge_blocks(d);
    rc = rc ? rc : depsrun_judge_functions(d);
    conclude(d, !rc);
    return rc;
}

/* ---- claims ---- */

int depsrun_claim(depsrun *d, uint32_t source, uint32_t target, tacho_deps_run_part part)
{
    if (tacho_mem_grow(&d->claims, &d->claim_capacity, d->result.claim_count + 1, sizeof *d->claims))
        return tacho_no_memory(d->err);
    d->claims[d->result.claim_count++] =
        (tacho_deps_run_claim){source, target, UINT32_MAX, (uint8_t)(1 << part)};
    return 0;
}

ORDER_BY_TWO(by_pair, tacho_deps_run_claim, target, source);

/* One claim for each pair, and whether the run has it. */
static void merge_claims(depsrun *d)
{
    size_t n = 0;
    tacho_deps_run *r = &d->result;
    tacho_sort(d->claims, r->claim_count, sizeof *d->claims, by_pair);
    for (size_t i = 0; i < r->claim_count; i++)
        if (n && !by_pair(&d->claims[n - 1], &d->claims[i]))
            d->claims[n - 1].by |= d->claims[i].by;
        else
            d->claims[n++] = d->claims[i];
    for (size_t i = 0; n && i < r->dependency_count; i++) {
        tacho_deps_run_claim key = {.source = d->dependencies[i].source, .target = d->dependencies[i].target};
        tacho_deps_run_claim *at = tacho_find_sorted(&key, d->claims, n, sizeof *d->claims, by_pair);
        if (at)
            at->dependency = (uint32_t)i;
    }
    r->claims = d->claims;
    r->claim_count = n;
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
               : depsrun_warn(d, "the judging was ended: what is found and missed, and the shares, "
                                 "are of the pairs judged until then");
}

int depsrun_judge(depsrun *d)
{
    int rc = judge_in_time(d);
    if (!rc)
        merge_claims(d);
    for (uint32_t i = 0; i < d->options.lifetime_count && !rc; i++)
        depsrun_cover(d, i, &d->result.coverage[i]);
    d->result.lifetime_count = d->options.lifetime_count;
    return rc;
}
