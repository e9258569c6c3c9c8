/* observed.c - the time that one round of a place took: from the processor's records of branches, which carry
 * cycles, or from its share of the time and the number of its executions. */

#include "program/hot/hot_find.h"

enum {
    MIN_SAMPLES = 16 /* fewer, and the time is not known to a factor of 1.6 */
};

/* Whether one of the loop's own blocks begins there: not one of a loop inside. */
static bool has_block_at(const tacho_loop *loop, uint64_t address)
{
    for (size_t i = 0; i < loop->block_count; i++)
        if (loop->blocks[i].start == address)
            return true;
    return false;
}

/* Of the rounds within the loop, those to the place that was jumped to most often. */
static bool by_branches(const hot_file *file, tacho_hot_place *p)
{
    const tacho_loop *loop = p->loop;
    uint64_t best = 0, count = 0, target = 0;
    double cycles = 0, best_cycles = 0;
    for (size_t i = 0; i < file->round_count; i++) {
        const tacho_hot_round *r = &file->rounds[i];
        if (r->low < loop->start || r->high >= loop->end || !has_block_at(loop, r->target))
            continue;
        if (r->target != target)
            cycles = (double)(count = 0);
        target = r->target;
        count += r->count;
        cycles += r->cycles;
        if (count > best) {
            best = count;
            best_cycles = cycles;
        }
    }
    if (!best)
        return false;
    p->observed_cycles = best_cycles / (double)best;
    p->observed_by = "lbr";
    return true;
}

/* Core cycles that a unit of the samples' weight stands for; NaN: not known. What was lost is made up for. */
static double cycles_per_weight(const hot_search *s)
{
    const tacho_hot_profile *p = s->profile;
    double unit =
        isfinite(p->cycles_per_weight) ? p->cycles_per_weight : p->seconds_per_weight * s->options.core_hz;
    return p->samples ? unit * (double)(p->samples + p->lost) / (double)p->samples : NAN;
}

/* A loop is executed as often as its most frequent block: its header, unless that has nothing but a jump. */
static double executions_of(const hot_file *file, const tacho_hot_place *p)
{
    double most = -1;
    for (size_t i = 0; i < p->loop->block_count; i++) {
        double count = file_count_at(file, p->loop->blocks[i].start);
        most = count > most && (p->loop->blocks[i].on_path || !p->loop->path_count) ? count : most;
    }
    return most >= 0 ? most : NAN;
}

void hot_observe(const hot_search *s, const hot_file *file, tacho_hot_place *p)
{
    p->executions = executions_of(file, p);
    if (p->is_loop && by_branches(file, p))
        return;
    double cycles = p->weight * cycles_per_weight(s) / p->executions;
    if (!isfinite(cycles) || p->samples < MIN_SAMPLES)
        return;
    p->observed_cycles = cycles;
    p->observed_by = "count";
}
