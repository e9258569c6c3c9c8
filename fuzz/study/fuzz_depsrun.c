/* fuzz_depsrun.c - lackey's trace, damaged, of code that is anything: 64 bytes that lie at 0x1000, then the
 * trace. What comes of it must add up. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fuzz.h"
#include "study/depsrun/depsrun.h"

enum {
    CODE_BYTES = 64,
    CODE_AT = 0x1000
};

static void learn(trace_insn *insn, void *payload)
{
    uint64_t at = insn->out.loaded_at - CODE_AT;
    if (at < CODE_BYTES)
        depsrun_decode(insn, (const uint8_t *)payload + at, CODE_BYTES - at);
}

static void check(const tacho_deps_run *r)
{
    for (size_t i = 0; i < r->block_count; i++)
        if (!r->blocks[i].insn_count || !r->blocks[i].count)
            abort();
    for (size_t i = 0; i < r->dependency_count; i++) {
        const tacho_deps_run_dependency *d = &r->dependencies[i];
        if (!d->count || d->within[0] != d->count || d->within[1] > d->count || d->within[2] > d->within[1] ||
            (d->verdict == TACHO_DEPS_RUN_MISSED) != (d->reason != TACHO_DEPS_RUN_NOT_MISSED))
            abort();
    }
    uint64_t sum = 0;
    for (int k = 0; k < TACHO_DEPS_RUN_VERDICT_COUNT; k++)
        sum += r->coverage[0].verdicts[k].dependencies;
    if (sum != r->dependency_count)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    depsrun *d = tacho_mem_zalloc(1, sizeof *d);
    trace *t = tacho_mem_zalloc(1, sizeof *t);
    uint8_t code[CODE_BYTES] = {0};
    size_t n = size < CODE_BYTES ? size : CODE_BYTES;
    if (!d || !t)
        abort();
    memcpy(code, data, n);
    d->options = (tacho_deps_run_options)TACHO_DEPS_RUN_OPTIONS_INIT;
    d->options.deps.no_registers = d->options.deps.no_flags = true;
    d->options.deps.seeds = 1;
    d->options.deps.window = 32; /* instructions: the time is for traces */
    d->options.deps.budget = 1000;
    t->lifetimes = d->options.lifetimes;
    t->lifetime_count = d->options.lifetime_count;
    t->learn = learn;
    t->payload = code;
    trace_feed(t, (const char *)data + n, size - n);
    if (!t->failed && !depsrun_collect(d, t) && !depsrun_judge(d))
        check(&d->result);
    trace_free(t);
    tacho_mem_free(t);
    tacho_deps_run_free(&d->result);
    return 0;
}
