/* coverage.c - which share of the run's dependencies the static analyses find, and which share of what they
 * say the run shows. */
#include <math.h>

#include "study/depsrun/depsrun.h"

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
