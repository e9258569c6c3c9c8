/* depsrun_judge_functions.c - which dependencies of the run are found by following the functions
 * (tacho_deps_follow) that have instructions executed often enough: within a block of theirs, and from one
 * block to another. */

#include "base/mem.h"
#include "study/depsrun/depsrun.h"

enum {
    NONE = UINT32_MAX,
    FARTHEST = 1000000 /* the widest window, in instructions */
};

typedef struct analysis {
    depsrun *d;
    const depsrun_function *function;
    tacho_deps *deps;  /* NULL: it could not be analysed */
    tacho_deps *loose; /* with the widest window, once it is asked for */
    uint32_t *starts;  /* offsets of the analysis' instructions */
} analysis;

/* @return 0, also when the function cannot be analysed */
static int analyse(const analysis *a, const tacho_deps_options *options, tacho_deps **out)
{
    tacho_deps_options at = *options;
    tacho_error unwanted;
    at.address = a->function->address;
    int rc = tacho_deps_follow(out, a->function->bytes, a->function->size, &at, &unwanted);
    if (rc == TACHO_ERR_USAGE || rc == TACHO_ERR_MEMORY || rc == TACHO_ERR_CANCELLED)
        return tacho_error_set(a->d->err, rc, "%s", unwanted.message);
    return 0;
}

/* ---- instructions of the run and of the analysis ---- */

static int list_starts(analysis *a)
{
    uint32_t at = 0;
    a->starts = tacho_mem_zalloc(a->deps->insn_count, sizeof *a->starts);
    for (size_t i = 0; a->starts && i < a->deps->insn_count; at += a->deps->insns[i++].length)
        a->starts[i] = at;
    return a->starts ? 0 : tacho_no_memory(a->d->err);
}

/* The analysis' number of an instruction of the run; NONE: to it, none begins there. */
static uint32_t number_of(const analysis *a, uint32_t insn)
{
    uint64_t offset = a->d->insns[insn].address - a->function->address;
    size_t at;
    COUNT_BEFORE(at, a->deps->insn_count, a->starts[at] < offset);
    return at < a->deps->insn_count && a->starts[at] == offset ? (uint32_t)at : NONE;
}

static bool is_judged(const analysis *a, uint32_t insn)
{
    const tacho_deps_run_insn *i = &a->d->insns[insn];
    return insn >= a->function->first_insn && insn <= a->function->last_insn &&
           i->block != TACHO_DEPS_RUN_NO_BLOCK && a->d->blocks[i->block].hot;
}

static tacho_deps_run_part part_of(const depsrun *d, uint32_t source, uint32_t target)
{
    return d->insns[source].block == d->insns[target].block ? TACHO_DEPS_RUN_FUNCTION
                                                            : TACHO_DEPS_RUN_BETWEEN;
}

/* The run's number of an instruction of the analysis, if it is to be judged; else NONE. */
static uint32_t insn_of(const analysis *a, uint32_t number)
{
    uint64_t address = a->function->address + a->starts[number];
    const uint32_t first = a->function->first_insn;
    size_t after; /* the first */
    COUNT_BEFORE(after, a->function->last_insn + 1 - first, a->d->insns[first + after].address < address);
    uint32_t at = first + (uint32_t)after;
    bool there = at <= a->function->last_insn && a->d->insns[at].address == address && is_judged(a, at);
    return there ? at : NONE;
}

/* ---- why one is missed ---- */

static tacho_deps_run_reason reason_not_executed(const analysis *a, uint32_t source, uint32_t target)
{
    if (a->deps->steps[source].count && a->deps->steps[target].count)
        return TACHO_DEPS_RUN_NOT_MISSED;
    return a->deps->returned < a->deps->iterations ? TACHO_DEPS_RUN_BUDGET : TACHO_DEPS_RUN_NOT_REACHED;
}

static int find_reason(analysis *a, const tacho_deps_run_dependency *d, uint32_t source, uint32_t target,
                       tacho_deps_run_reason *out)
{
    tacho_deps_options wide = a->d->options.deps;
    bool same = false;
    wide.window = FARTHEST;
    *out = reason_not_executed(a, source, target);
    *out = *out ? *out : depsrun_reason(a->deps, source, target, &same);
    if (!*out && d->shortest > a->d->options.deps.window)
        *out = TACHO_DEPS_RUN_FAR;
    else if (!*out && !a->deps->returned)
        *out = TACHO_DEPS_RUN_BUDGET;
    if (*out)
        return 0;
    int rc = a->loose ? 0 : analyse(a, &wide, &a->loose);
    if (depsrun_has(a->loose, source, target))
        *out = TACHO_DEPS_RUN_BEYOND;
    else if (a->deps->calls)
        *out = TACHO_DEPS_RUN_CALL;
    else if (a->deps->undetermined)
        *out = TACHO_DEPS_RUN_BRANCH;
    else
        *out = same ? TACHO_DEPS_RUN_SAME_POINTER : TACHO_DEPS_RUN_OTHER_POINTER;
    return rc;
}

/* ---- verdicts ---- */

static int judge_dependency(analysis *a, tacho_deps_run_dependency *dep)
{
    tacho_deps_run_reason reason = TACHO_DEPS_RUN_NOT_MISSED;
    uint32_t source = a->deps ? number_of(a, dep->source) : NONE,
             target = a->deps ? number_of(a, dep->target) : NONE;
    int rc = 0;
    if (!a->deps)
        reason = TACHO_DEPS_RUN_NOT_ANALYSED;
    else if (source == NONE || target == NONE)
        reason = TACHO_DEPS_RUN_NOT_MODELLED;
    else if (!depsrun_has(a->deps, source, target))
        rc = find_reason(a, dep, source, target, &reason);
    if (!rc)
        depsrun_note(dep, part_of(a->d, dep->source, dep->target), reason);
    return rc;
}

static int claim_all(const analysis *a)
{
    int rc = 0;
    for (size_t i = 0; i < a->deps->count && !rc; i++) {
        uint32_t source = insn_of(a, a->deps->dependencies[i].source),
                 target = insn_of(a, a->deps->dependencies[i].target);
        if (source != NONE && target != NONE)
            rc = depsrun_claim(a->d, source, target, part_of(a->d, source, target));
    }
    return rc;
}

/* ---- all functions ---- */

/* Dependencies that may be judged by their functions, in the order of their targets. */
typedef struct target_list {
    tacho_deps_run_dependency **items;
    size_t count;
} target_list;

ORDER_AS(by_target, tacho_deps_run_dependency *const,
         ORDER((*a)->target, (*b)->target) ?: ORDER((*a)->source, (*b)->source));

static int list_targets(depsrun *d, target_list *out)
{
    out->count = d->result.dependency_count;
    out->items = tacho_mem_zalloc(out->count + 1, sizeof *out->items);
    if (!out->items)
        return tacho_no_memory(d->err);
    for (size_t i = 0; i < out->count; i++)
        out->items[i] = &d->dependencies[i];
    tacho_sort(out->items, out->count, sizeof *out->items, by_target);
    return 0;
}

/* The first with this target, or a later one. */
static size_t first_from(const target_list *l, uint32_t target)
{
    size_t at;
    COUNT_BEFORE(at, l->count, l->items[at]->target < target);
    return at;
}

static int judge_function(depsrun *d, const depsrun_function *function, const target_list *list)
{
    analysis a = {.d = d, .function = function};
    int rc = analyse(&a, &d->options.deps, &a.deps);
    rc = rc || !a.deps ? rc : list_starts(&a);
    rc = rc || !a.deps ? rc : claim_all(&a);
    for (size_t i = first_from(list, function->first_insn);
         i < list->count && list->items[i]->target <= function->last_insn && !rc; i++)
        if (is_judged(&a, list->items[i]->source) && is_judged(&a, list->items[i]->target))
            rc = judge_dependency(&a, list->items[i]);
    tacho_deps_free(a.deps);
    tacho_deps_free(a.loose);
    tacho_mem_free(a.starts);
    return rc;
}

int depsrun_judge_functions(depsrun *d)
{
    target_list list;
    int rc = list_targets(d, &list);
    for (size_t i = 0; i < d->function_count && !rc; i++)
        rc = judge_function(d, &d->functions[i], &list);
    tacho_mem_free(list.items);
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

static void add_parts(const tacho_deps_run_dependency *dep, uint64_t count, tacho_deps_run_coverage *out)
{
    for (int p = 0; p < TACHO_DEPS_RUN_PART_COUNT; p++) {
        tacho_deps_run_figures *f = &out->parts[p];
        if (!(dep->judged_by >> p & 1))
            continue;
        bool found = dep->found_by >> p & 1;
        add(found ? &f->found : &f->missed, count);
        if (!found)
            add(&f->reasons[dep->reasons[p]], count);
    }
}

static void add_claim(const depsrun *d, const tacho_deps_run_claim *claim, uint32_t lifetime,
                      tacho_deps_run_coverage *out)
{
    bool shown = claim->dependency != UINT32_MAX && d->dependencies[claim->dependency].within[lifetime];
    bool counts = claim->by & ~(1 << TACHO_DEPS_RUN_BETWEEN);
    out->claimed += counts;
    out->shown += counts && shown;
    for (int p = 0; p < TACHO_DEPS_RUN_PART_COUNT; p++) {
        out->parts[p].claimed += claim->by >> p & 1;
        out->parts[p].shown += (claim->by >> p & 1) && shown;
    }
}

static void divide(tacho_deps_run_coverage *out)
{
    const tacho_deps_run_sum *found = &out->verdicts[TACHO_DEPS_RUN_FOUND],
                             *missed = &out->verdicts[TACHO_DEPS_RUN_MISSED];
    out->cov_u = share(found->dependencies, missed->dependencies);
    out->cov_w = share(found->count, missed->count);
    out->precision = share(out->shown, out->claimed - out->shown);
    for (int p = 0; p < TACHO_DEPS_RUN_PART_COUNT; p++) {
        tacho_deps_run_figures *f = &out->parts[p];
        f->cov_u = share(f->found.dependencies, f->missed.dependencies);
        f->cov_w = share(f->found.count, f->missed.count);
        f->precision = share(f->shown, f->claimed - f->shown);
    }
}

void depsrun_cover(const depsrun *d, uint32_t lifetime, tacho_deps_run_coverage *out)
{
    *out = (tacho_deps_run_coverage){.lifetime = d->options.lifetimes[lifetime]};
    for (size_t i = 0; i < d->result.dependency_count; i++) {
        const tacho_deps_run_dependency *dep = &d->dependencies[i];
        if (!dep->within[lifetime])
            continue;
        add(&out->verdicts[dep->verdict], dep->within[lifetime]);
        if (dep->verdict == TACHO_DEPS_RUN_MISSED)
            add(&out->reasons[dep->reason], dep->within[lifetime]);
        add_parts(dep, dep->within[lifetime], out);
    }
    for (size_t i = 0; i < d->result.claim_count; i++)
        add_claim(d, &d->claims[i], lifetime, out);
    divide(out);
}
