/* hot_remedies.c - what would make a place wait less for memory: the estimate is made again with something
 * changed that its operands allow. What is observed beyond the prediction and not explained is taken to
 * change with it: the machine may be busier than when it was measured. */
#include <math.h>
#include <string.h>

#include "base/search.h"
#include "program/hot/memory_model.h"

enum {
    LINE = TACHO_MEMORY_LINE_BYTES
};

typedef struct remedies {
    tacho_hot_memory *out;
    const memory_model *now;
    double observed;
} remedies;

/* `then` is the changed model. */
static void add(const remedies *r, const char *kind, size_t operand, memory_model *then, uint32_t ahead)
{
    const double worth = 0.95; /* of what was observed, at most */
    memory_model_run(then);
    const double less = (r->now->cycles - then->cycles) / (r->now->cycles - r->now->predicted);
    const double after = fmax(r->observed - less * (r->observed - r->now->predicted), then->predicted);
    if (after > worth * r->observed || r->out->remedy_count >= TACHO_HOT_MOST_REMEDIES)
        return;
    r->out->remedies[r->out->remedy_count++] = (tacho_hot_remedy){kind, operand, after, ahead};
}

static void huge_pages(const remedies *r)
{
    memory_model then = *r->now;
    double tlb = 0;
    for (size_t i = 0; i < then.count; i++) {
        tlb += isfinite(then.operands[i].huge) ? r->out->waits[i].tlb_cycles : 0;
        then.operands[i].huge = isfinite(then.operands[i].huge) ? 1 : NAN;
    }
    if (tlb > 0)
        add(r, "huge-pages", r->out->operand, &then, 0);
}

/* Of addresses that can be had earlier: no chain is in them. */
static void prefetch(const remedies *r, size_t i)
{
    const tacho_hot_operand *o = &r->now->operands[i];
    const double insns = 4, width = 4; /* that compute the address again, and how many a cycle takes */
    const double enough =
        2; /* latencies vary: a line that is early waits in the cache, a late one is waited for */
    memory_model then = *r->now;
    if (o->pattern != TACHO_HOT_RANDOM ||
        (o->from >= 0 && r->now->operands[o->from].pattern == TACHO_HOT_CHAIN))
        return;
    then.all_in_flight = true;
    then.predicted += insns / width;
    memory_model_run(&then);
    add(r, "prefetch", i, &then, (uint32_t)ceil(enough * r->now->latency[i] / then.cycles));
}

static void interchange(const remedies *r, size_t i)
{
    memory_model then = *r->now;
    if (then.operands[i].pattern != TACHO_HOT_ROWS)
        return;
    then.reuse[i] = NULL;
    then.operands[i].pattern = TACHO_HOT_STRIDE;
    then.operands[i].stride = then.operands[i].bytes;
    add(r, "interchange", i, &then, 0);
}

/* Rows of a line more: each begins at another place of its page. */
static void padding(const remedies *r, size_t i)
{
    memory_model then = *r->now;
    tacho_hot_operand *o = &then.operands[i];
    if (o->pattern != TACHO_HOT_ROWS || o->stride % (2 * LINE))
        return;
    o->stride += o->stride < 0 ? -LINE : LINE;
    then.reuse[i] = NULL;
    add(r, "padding", i, &then, 0);
}

/* The used bytes of the lines alone. */
static void packing(const remedies *r, size_t i)
{
    memory_model then = *r->now;
    tacho_hot_operand *o = &then.operands[i];
    const double used = o->line_bytes / LINE;
    if (!(used <= 0.5) || (o->pattern == TACHO_HOT_STRIDE && llabs(o->stride) < LINE) ||
        o->pattern == TACHO_HOT_ROWS || o->pattern == TACHO_HOT_ONE_PLACE)
        return;
    o->footprint *= used;
    then.reuse[i] = NULL;
    if (o->pattern == TACHO_HOT_STRIDE)
        o->stride = (int64_t)round(o->line_bytes);
    add(r, "packing", i, &then, 0);
}

static void past_caches(const remedies *r, size_t i)
{
    memory_model then = *r->now;
    const tacho_hot_operand *o = &then.operands[i];
    if (!o->stores || o->loads || then.past[i] || memory_model_is_random(o) ||
        r->now->level[i] != (int32_t)then.machine->level_count - 1)
        return;
    memset(then.past, true, sizeof then.past);
    add(r, "non-temporal", i, &then, 0);
}

static void two_chains(const remedies *r, size_t i)
{
    memory_model then = *r->now;
    if (!r->out->dependent)
        return;
    then.chains = 2;
    add(r, "two-chains", i, &then, 0);
}

ORDER_AS(best_first, tacho_hot_remedy, ORDER(a->after, b->after));

void memory_remedies(tacho_hot_memory *out, const memory_model *m, double observed)
{
    const remedies r = {out, m, observed};
    const size_t i = out->operand;
    huge_pages(&r);
    prefetch(&r, i);
    interchange(&r, i);
    padding(&r, i);
    packing(&r, i);
    past_caches(&r, i);
    two_chains(&r, i);
    tacho_sort(out->remedies, out->remedy_count, sizeof *out->remedies, best_first);
}
