/* memory_pages.c - what translation takes (chains through a line of each page; huge pages whose entries were
 * invalidated), and how far ahead of a sequence of loads lines are fetched (a sequence that stops). */
#include <sys/mman.h>

#include "base/hash.h"
#include "base/number.h"
#include "machine/costs/costs.h"
#include "machine/measure/ticks.h"
#include "machine/memory/memory_internal.h"

enum {
    LINE = TACHO_MEMORY_LINE_BYTES,
    PAGE = 4096,
    FEWEST_PAGES = 4,
    MOST_PAGES = 8192,
    PAGE_STEP = PAGE + LINE, /* so that the lines lie in all sets of the first level */
    AHEAD_LINES = 64,
    AHEAD_TRAINING = 12,
    AHEAD_SAMPLES = 60
};
static const double low = 0.1; /* the quantile */

/* ---- translation ---- */

int memory_time_reach(memory_bench *b, memory_reach *out, bool one_set)
{
    out->count = 0;
    for (double n = FEWEST_PAGES;
         out->count < MEMORY_REACHES && n <= MOST_PAGES * 1.001 && (n + 1) * PAGE_STEP < (double)b->bytes;
         n *= pow(2, 0.25)) {
        if (memory_is_stopped(b))
            return TACHO_ERR_CANCELLED;
        out->pages[out->count] = (uint32_t)(n + 0.5);
        const double cycles = memory_time_chain(b, out->pages[out->count], one_set ? PAGE : PAGE_STEP),
                     before = out->cycles[out->count];
        out->cycles[out->count] = before > 0 && before < cycles ? before : cycles;
        out->count++;
    }
    return TACHO_OK;
}

/* How many of the first numbers of pages take less than a quarter of what an octave more takes, above
 * `before`.
 */
static uint32_t count_within(const memory_reach *r, const double *more, uint32_t from, double before,
                             double least)
{
    const uint32_t octave = 4;
    for (uint32_t i = from; i < r->count; i++) {
        const double after = more[i + octave < r->count ? i + octave : r->count - 1] - before;
        if (after >= least && more[i] - before > after / 4)
            return i;
    }
    return r->count;
}

/* By what loads of a line in each page take more than as many lines side by side. */
void memory_find_tlbs(tacho_memory *m, const memory_reach *r)
{
    const double hit = 2, walk = 8; /* a miss of the first level costs at least this, and a walk */
    double more[MEMORY_REACHES];
    if (!r->count)
        return;
    for (uint32_t i = 0; i < r->count; i++)
        more[i] = r->cycles[i] - memory_cycles_at(m, (double)r->pages[i] * LINE);
    const uint32_t first = count_within(r, more, 0, 0, hit), after = first + 2;
    if (!first || after >= r->count)
        return;
    m->tlb[m->tlb_count++] = (tacho_memory_tlb){r->pages[first - 1], more[after]};
    m->walk_cycles[TACHO_MEMORY_4K] = more[r->count - 1];
    const uint32_t second = count_within(r, more, after, more[after], walk);
    if (second < r->count)
        m->tlb[m->tlb_count++] = (tacho_memory_tlb){r->pages[second - 1], more[r->count - 1] - more[after]};
}

/* ---- lines in one set ---- */

/* By what a load of one of so many takes more than one of as many in all sets, which needs as many pages. */
void memory_find_sets(tacho_memory *m, const memory_reach *r, const memory_reach *set)
{
    for (uint32_t level = 0; level + 1 < m->level_count && r->count == set->count; level++) {
        const double more = (m->levels[level].latency_cycles + m->levels[level + 1].latency_cycles) / 2;
        uint32_t held = 0;
        while (held < set->count &&
               set->cycles[held] - r->cycles[held] + memory_cycles_at(m, (double)r->pages[held] * LINE) <
                   more)
            held++;
        m->levels[level].set_lines = held ? set->pages[held - 1] : 0;
        if (held == set->count) /* at least: by its size, or more */
            m->levels[level].set_lines =
                fmax(m->levels[level].set_lines, (double)m->levels[level].bytes / PAGE);
    }
}

/* Of as many lines as this cache holds several times and the one before does not. */
void memory_time_sets(memory_bench *b)
{
    tacho_memory *m = b->out;
    for (uint32_t level = 1; level + 1 < m->level_count; level++) {
        const double lines = sqrt(m->levels[level - 1].set_lines * m->levels[level].set_lines);
        if (!(lines * PAGE < (double)b->bytes) || !(lines > m->levels[level - 1].set_lines))
            continue;
        for (int round = 0; round < 3; round++) /* fmin leaves NaN out */
            m->levels[level].set_cycles =
                fmin(m->levels[level].set_cycles, memory_time_many(b, (uint64_t)lines, PAGE));
    }
}

/* Huge pages whose entries were invalidated by a change of protection; and the same ones again. */
double memory_time_huge_walk(memory_bench *b)
{
    enum {
        PAGES = 24,
        ROUNDS = 200
    };
    double fresh[ROUNDS], again[ROUNDS];
    uint64_t pages = b->bytes / MEMORY_HUGE_PAGE;
    if (pages > PAGES)
        pages = PAGES;
    costs_link_places(b->memory, pages, MEMORY_HUGE_PAGE - 3 * LINE);
    for (int i = 0; i < ROUNDS; i++) {
        memory_chain c = {b->memory, pages & ~(uint64_t)7};
        if (mprotect(b->memory, pages * MEMORY_HUGE_PAGE, PROT_READ) ||
            mprotect(b->memory, pages * MEMORY_HUGE_PAGE, PROT_READ | PROT_WRITE))
            return NAN;
        fresh[i] = memory_time_pass(b, memory_follow, &c);
        c.at = b->memory;
        again[i] = memory_time_pass(b, memory_follow, &c);
    }
    numbers_sort(fresh, ROUNDS);
    numbers_sort(again, ROUNDS);
    double more = numbers_quantile(fresh, ROUNDS, low) - numbers_quantile(again, ROUNDS, low);
    return fmax(0, more / (double)(pages & ~(uint64_t)7));
}

/* ---- prefetching ---- */

/* Ticks of a load `ahead` lines behind the last of some loads, one line after the other. */
static double time_ahead(const char *from, int ahead)
{
    const uint64_t wait = 2000; /* ticks, until what is fetched has come */
    for (int i = 0; i < AHEAD_TRAINING; i++) {
        (void)*(const volatile char *)(from + i * LINE);
        __asm__ volatile("lfence" : : : "memory");
    }
    for (uint64_t start = ticks_now(); ticks_now() - start < wait;)
        ;
    const uint64_t start = ticks_now();
    (void)*(const volatile char *)(from + (AHEAD_TRAINING - 1 + ahead) * LINE);
    return (double)(ticks_now() - start);
}

int memory_find_prefetching(memory_bench *b)
{
    double ticks[AHEAD_SAMPLES], far[AHEAD_LINES + 2];
    uint64_t random = 7;
    for (int ahead = 0; ahead <= AHEAD_LINES + 1; ahead++) {
        if (memory_is_stopped(b))
            return TACHO_ERR_CANCELLED;
        for (int i = 0; i < AHEAD_SAMPLES; i++) {
            /* Anywhere, so that it is in no cache; the last one is far from what was loaded. */
            const uint64_t place = hash_draw(&random, (uint32_t)(b->bytes / PAGE - 8)) * (uint64_t)PAGE;
            ticks[i] = time_ahead(b->memory + place, ahead > AHEAD_LINES ? 6 * PAGE / LINE : ahead);
        }
        far[ahead] = numbers_median(ticks, AHEAD_SAMPLES);
    }
    int reached = 0;
    const double limit = (far[0] + far[AHEAD_LINES + 1]) / 2;
    for (int ahead = 1; ahead <= AHEAD_LINES; ahead++)
        if (far[ahead] < limit)
            reached = ahead;
    b->out->prefetch_bytes = reached * LINE;
    return TACHO_OK;
}
