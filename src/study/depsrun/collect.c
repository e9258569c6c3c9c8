/* collect.c - instructions and dependencies in the order of the result, and the instructions cut into blocks:
 * where something ends one, where control comes in by other ways than from above, and where an instruction is
 * not next to the one before. */

#include "base/mem.h"
#include "base/search.h"
#include "study/depsrun/depsrun.h"

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
