/* depsrun.c - the dependencies of a run: the steps, and what owns the result. */
#include "study/depsrun/depsrun.h"

#include "base/mem.h"
#include "base/names.h"
#include "base/options_take.h"

/* ---- the order of the result ---- */

/* Instructions and dependencies in the order of the result, and the instructions cut into blocks: where
 * something ends one, where control comes in by other ways than from above, and where an instruction is not
 * next to the one before. */

ORDER_BY(by_place, trace_insn, out.loaded_at);

/* Before sorting, each instruction's number in the trace is kept in `block`. @return the numbers after it, by
 * those in the trace; NULL: memory ran out */
static uint32_t *sort_insns(trace *t)
{
    uint32_t *numbers = tacho_mem_zalloc(t->insn_count + 1, sizeof *numbers);
    if (!numbers)
        return NULL;
    for (size_t i = 0; i < t->insn_count; i++)
        t->insns[i].out.block = (uint32_t)i;
    tacho_sort(t->insns, t->insn_count, sizeof *t->insns, by_place);
    for (size_t i = 0; i < t->insn_count; i++) {
        numbers[t->insns[i].out.block] = (uint32_t)i;
        t->insns[i].out.block = TACHO_DEPS_RUN_NO_BLOCK;
    }
    return numbers;
}

/* ---- blocks ---- */

static bool begins_block(const trace_insn *insns, size_t i)
{
    const tacho_deps_run_insn *before = &insns[i - 1].out, *insn = &insns[i].out;
    return before->block == TACHO_DEPS_RUN_NO_BLOCK || insns[i - 1].ends || insns[i].entered ||
           before->loaded_at + before->length != insn->loaded_at;
}

static int cut_blocks(depsrun *d, trace *t)
{
    tacho_deps_run *r = &d->result;
    for (size_t i = 0; i < t->insn_count; i++) {
        tacho_deps_run_insn *insn = &t->insns[i].out;
        if (!insn->length)
            continue;
        if (!i || begins_block(t->insns, i)) {
            if (tacho_mem_grow(&d->blocks, &d->block_capacity, r->block_count + 1, sizeof *d->blocks))
                return tacho_no_memory(d->err);
            d->blocks[r->block_count++] =
                (tacho_deps_run_block){.first_insn = (uint32_t)i, .count = insn->count};
            r->run.executed_blocks += insn->count;
            r->hottest = insn->count > r->hottest ? insn->count : r->hottest;
        }
        insn->block = (uint32_t)r->block_count - 1;
        d->blocks[insn->block].insn_count++;
    }
    r->blocks = d->blocks;
    return 0;
}

static void mark_hot(depsrun *d)
{
    tacho_deps_run *r = &d->result;
    for (size_t i = 0; i < r->block_count; i++) {
        d->blocks[i].hot = (double)d->blocks[i].count >= d->options.hot * (double)r->hottest;
        r->hot_count += d->blocks[i].hot;
    }
}

/* ---- dependencies ---- */

ORDER_AS(by_count, tacho_deps_run_dependency,
         ORDER(b->count, a->count) ?: ORDER(a->target, b->target) ?: ORDER(a->source, b->source));

static int take_dependencies(depsrun *d, const trace *t, const uint32_t *numbers)
{
    d->dependencies = tacho_mem_zalloc(t->pair_count + 1, sizeof *d->dependencies);
    if (!d->dependencies)
        return tacho_no_memory(d->err);
    for (size_t i = 0; i < t->pair_count; i++) {
        d->dependencies[i] = t->pairs[i].out;
        d->dependencies[i].source = numbers[t->pairs[i].out.source];
        d->dependencies[i].target = numbers[t->pairs[i].out.target];
    }
    tacho_sort(d->dependencies, t->pair_count, sizeof *d->dependencies, by_count);
    d->result.dependencies = d->dependencies;
    d->result.dependency_count = t->pair_count;
    return 0;
}

int depsrun_collect(depsrun *d, trace *t)
{
    uint32_t *numbers = sort_insns(t);
    d->insns = tacho_mem_zalloc(t->insn_count + 1, sizeof *d->insns);
    int rc = numbers && d->insns ? take_dependencies(d, t, numbers) : tacho_no_memory(d->err);
    rc = rc ? rc : cut_blocks(d, t);
    tacho_mem_free(numbers);
    if (rc)
        return rc;
    mark_hot(d);
    for (size_t i = 0; i < t->insn_count; i++)
        d->insns[i] = t->insns[i].out;
    d->result.insns = d->insns;
    d->result.insn_count = t->insn_count;
    return 0;
}

int depsrun_warn(depsrun *d, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int rc = warnings_add(&d->warnings, 0, format, args);
    va_end(args);
    d->result.warnings = d->warnings.list;
    d->result.warning_count = d->warnings.count;
    return rc ? tacho_no_memory(d->err) : 0;
}

OPTIONS_DEFINE(deps_run, TACHO_DEPS_RUN_OPTIONS_INIT)

static int check(const tacho_deps_run_options *o, char *const argv[], tacho_error *err)
{
    if (!argv || !argv[0])
        return tacho_error_set(err, TACHO_ERR_USAGE, "no command");
    if (!(o->hot >= 0 && o->hot <= 1) || !o->lifetime_count ||
        o->lifetime_count > TACHO_DEPS_RUN_MAX_LIFETIMES)
        return tacho_error_set(err, TACHO_ERR_USAGE, "hot: 0 to 1; 1 to %d lifetimes",
                               TACHO_DEPS_RUN_MAX_LIFETIMES);
    return 0;
}

static int observe(depsrun *d, char *const argv[])
{
    trace *t = tacho_mem_zalloc(1, sizeof *t);
    if (!t)
        return tacho_no_memory(d->err);
    t->lifetimes = d->options.lifetimes;
    t->lifetime_count = d->options.lifetime_count;
    int rc = depsrun_watch(d, argv, t);
    shadow_free(&t->shadow); /* it may be large */
    t->shadow = (shadow){0};
    if (!rc)
        rc = depsrun_collect(d, t);
    trace_free(t);
    tacho_mem_free(t);
    return rc;
}

int tacho_deps_run_command(tacho_deps_run **out, char *const argv[], const tacho_deps_run_options *options,
                           tacho_error *err)
{
    tacho_deps_run_options o;
    *out = NULL;
    int rc = OPTIONS_TAKE(deps_run, &o, options, err);
    if (rc || (rc = check(&o, argv, err)))
        return rc;
    depsrun *d = tacho_mem_zalloc(1, sizeof *d);
    if (!d)
        return tacho_no_memory(err);
    d->options = o;
    d->options.deps.size = sizeof o.deps;
    d->err = err;
    d->options.deps.no_registers = d->options.deps.no_flags = true;
    d->options.deps.no_memory = false;
    d->result.run = (tacho_extract_run){.via = TACHO_EXTRACT_VIA_VALGRIND, .exit_status = -1};
    rc = observe(d, argv);
    rc = rc ? rc : depsrun_symbols(d);
    rc = rc ? rc : depsrun_judge(d);
    if (rc)
        tacho_deps_run_free(&d->result);
    else
        *out = &d->result;
    return rc;
}

void tacho_deps_run_free(tacho_deps_run *result)
{
    depsrun *d = (depsrun *)result;
    if (!d)
        return;
    for (size_t i = 0; i < d->path_count; i++)
        tacho_mem_free(d->paths[i]);
    warnings_free(&d->warnings);
    TACHO_MEM_FREE(d->paths, d->insns, d->blocks, d->dependencies, d->functions, d->claims);
    arena_free(&d->texts);
    tacho_mem_free(d);
}

NAMES_OF(tacho_deps_run_verdict_name, tacho_deps_run_verdict, "", "found", "missed", "across", "cold",
         "no_code", "unjudged")

const char *tacho_deps_run_reason_name(tacho_deps_run_reason reason)
{
    static const char *const names[] = {
        "",     "not_analysed", "budget", "not_reached", "not_modelled",  "address_unknown", "far",
        "rare", "beyond",       "call",   "branch",      "other_pointer", "same_pointer"};
    _Static_assert(sizeof names / sizeof *names == TACHO_DEPS_RUN_REASON_COUNT, "each has a name");
    return (unsigned)reason < sizeof names / sizeof *names ? names[reason] : "";
}

const char *tacho_deps_run_part_name(tacho_deps_run_part part)
{
    static const char *const names[] = {"block", "function", "between"};
    return (unsigned)part < sizeof names / sizeof *names ? names[part] : "";
}
