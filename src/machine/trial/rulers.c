/* rulers.c - the core's clock by chains of known latency (machine/measure/ticks.h), and caches full of other
 * things.
 */
#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/numbers.h"
#include "machine/measure/measure_clock.h"
#include "machine/measure/ticks.h"
#include "machine/trial/trial_internal.h"

enum {
    READINGS = 16,
    SHORT_LOOPS = 4,
    LONG_LOOPS = 68,
    LINE_BYTES = 64,
    LEVELS = 8,
    FIRST_TRIES = 5,
    MOST_TRIES = 100
};

typedef uint64_t timed_chain(uint64_t loops);

/* Core cycles a tick. The difference of a long and a short chain does not contain what reading the clock
 * costs. A disturbance mostly falls into the long chain, which makes the result smaller. So the upper
 * quartile of several results is that of an undisturbed pair, as long as more than a quarter of them are
 * undisturbed. */
static double cycles_a_tick(timed_chain *chain)
{
    double readings[READINGS];
    for (int i = 0; i < READINGS; i++) {
        uint64_t shorter = chain(SHORT_LOOPS), longer = chain(LONG_LOOPS);
        readings[i] = longer > shorter ? (double)(LONG_LOOPS - SHORT_LOOPS) * TICKS_CHAIN_CYCLES /
                                             (double)(longer - shorter)
                                       : 0;
    }
    numbers_sort(readings, READINGS);
    return readings[READINGS * 3 / 4];
}

double rulers_agree(double before, double after)
{
    return fabs(before - after) <= 0.01 * before ? (before + after) / 2 : NAN;
}

/* Other work beside can make the two differ for a while; where they always do, it is not tried for ever. */
static void try_ruler(tacho_trials *t)
{
    if (t->has_ruler || t->ruler_tries >= MOST_TRIES)
        return;
    t->ruler_tries++;
    t->has_ruler = !isnan(rulers_agree(cycles_a_tick(ticks_of_imuls), cycles_a_tick(ticks_of_adds)));
}

void trial_rulers_prepare(tacho_trials *t)
{
    t->tsc_hz = clock_tsc_hz();
    for (int i = 0; i < FIRST_TRIES; i++)
        try_ruler(t);
}

double rulers_core_hz(tacho_trials *t)
{
    try_ruler(t);
    return t->has_ruler && t->cpu >= 0 ? cycles_a_tick(ticks_of_imuls) * t->tsc_hz : NAN;
}

/* ---- caches ---- */

/* Bytes of the largest cache of a processor, 0: not known. */
static size_t largest_cache(int cpu)
{
    size_t most = 0;
    for (int level = 0; level < LEVELS; level++) {
        char path[96];
        unsigned long kilobytes = 0;
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index%d/size", cpu, level);
        FILE *f = fopen(path, "re");
        if (f && fscanf(f, "%luK", &kilobytes) == 1 && kilobytes * 1024 > most)
            most = kilobytes * 1024;
        if (f)
            fclose(f);
    }
    return most;
}

int evictor_prepare(tacho_trials *t, tacho_error *err)
{
    const size_t usual = (size_t)64 << 20, limit = (size_t)1 << 30;
    size_t largest = largest_cache(t->cpu >= 0 ? t->cpu : 0);
    t->cache_bytes = largest ? 2 * largest : usual;
    if (t->cache_bytes > limit)
        t->cache_bytes = limit;
    t->cache = tacho_mem_alloc(t->cache_bytes);
    return t->cache ? 0
                    : tacho_error_set(err, TACHO_ERR_MEMORY, "no memory to clean the caches with: %zu bytes",
                                      t->cache_bytes);
}

void evictor_run(tacho_trials *t)
{
    for (size_t at = 0; t->cache && at < t->cache_bytes; at += LINE_BYTES)
        t->cache[at]++;
}
