/* costs.c - each figure is found when it is first asked for. */
#include "machine/costs/costs.h"

#include <math.h>
#include <sched.h>
#include <string.h>

#include "base/mem.h"
#include "base/seconds.h"

enum {
    RUNS = 9
};
static const uint64_t most_memory = 256 << 20;

struct costs {
    cost subnormal[COST_ARITHMETICS], crossing[2][2], sharing;
    bool subnormal_known[COST_ARITHMETICS], crossing_known[2][2], sharing_known;
    data_cache caches[CACHES_MOST];
    size_t cache_count;
    double walks[CACHES_MOST + 1][COST_WALKS]; /* in memory that this cache holds; the last: memory's */
    bool walks_known[CACHES_MOST + 1];
};

costs *costs_new(void)
{
    costs *c = tacho_mem_zalloc(1, sizeof *c);
    int cpu = sched_getcpu();
    if (c)
        c->cache_count = caches_read("", cpu < 0 ? 0 : cpu, c->caches);
    return c;
}

void costs_free(costs *c)
{
    tacho_mem_free(c);
}

/* ---- time ---- */

/* An iteration takes a cycle: it is a chain of decrements. */
static void cycles_loop(void *payload, uint64_t iterations)
{
    (void)payload;
    __asm__ volatile("1: dec %0\n jnz 1b" : "+r"(iterations)::"cc");
}

static double seconds_for(void (*loop)(void *payload, uint64_t iterations), void *payload,
                          uint64_t iterations)
{
    double since = seconds_now();
    loop(payload, iterations);
    return (seconds_now() - since) / (double)iterations;
}

double costs_time(void (*loop)(void *payload, uint64_t iterations), void *payload, uint64_t iterations)
{
    const uint64_t cycles = 50000;
    double cycle = INFINITY, fastest = INFINITY;
    for (int i = 0; i < RUNS; i++) {
        cycle = fmin(cycle, seconds_for(cycles_loop, NULL, cycles));
        fastest = fmin(fastest, seconds_for(loop, payload, iterations));
    }
    return fastest / cycle;
}

double costs_more(double usual, double slow)
{
    const double noise = 0.25;
    return !(slow - usual >= noise) ? isnan(slow - usual) ? NAN : 0 : slow - usual;
}

/* ---- figures ---- */

cost costs_subnormal(costs *c, cost_arithmetic a)
{
    if (!c->subnormal_known[a])
        c->subnormal[a] = costs_time_subnormal(a);
    c->subnormal_known[a] = true;
    return c->subnormal[a];
}

cost costs_crossing(costs *c, bool store, bool pages)
{
    if (!c->crossing_known[store][pages])
        c->crossing[store][pages] = costs_time_crossing(store, pages);
    c->crossing_known[store][pages] = true;
    return c->crossing[store][pages];
}

size_t costs_caches(const costs *c, const data_cache **out)
{
    *out = c->caches;
    return c->cache_count;
}

/* Half of the cache, and well more than the one before it holds. */
static const double *walks_in(costs *c, size_t number)
{
    uint64_t before = number ? c->caches[number - 1].bytes : 0, bytes;
    if (number == c->cache_count)
        bytes = 4 * before < most_memory ? 4 * before : most_memory;
    else
        bytes = (uint64_t)sqrt((double)(before ? before : c->caches[number].bytes / 4) *
                               (double)c->caches[number].bytes);
    if (!c->walks_known[number])
        costs_time_walks(bytes, c->walks[number]);
    c->walks_known[number] = true;
    return c->walks[number];
}

cost costs_behind(costs *c, size_t number, cost_walk walk)
{
    if (number >= c->cache_count)
        return (cost){NAN, NAN};
    const double *near = walks_in(c, 0), *far = walks_in(c, number + 1);
    double alone = costs_more(near[walk], far[walk]), chain = costs_more(near[COST_CHAIN], far[COST_CHAIN]);
    return walk == COST_SEQUENCE ? (cost){0, alone}
           : walk == COST_RANDOM ? (cost){fmin(alone, chain), chain}
                                 : (cost){chain, chain};
}

cost costs_sharing(costs *c)
{
    if (!c->sharing_known)
        c->sharing = costs_time_sharing();
    c->sharing_known = true;
    return c->sharing;
}
