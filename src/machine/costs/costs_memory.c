/* costs_memory.c - accesses that cross lines and pages; loads in memory of some size. */
#include <math.h>
#include <string.h>
#include <sys/mman.h>

#include "base/hash.h"
#include "machine/costs/costs.h"

enum {
    ITERATIONS = 10000,
    PAGE = 4096,
    LINE = 64,
    STREAMS = 8, /* loads at a time that do not wait for each other */
    WALK_LOADS = 8000
};

static char *map_bytes(size_t bytes)
{
    char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

/* ---- crossings ---- */

static void load_loop(void *payload, uint64_t iterations)
{
    for (uint64_t i = 0; i < iterations; i++)
        __asm__ volatile("movq (%0), %%r8\n movq (%0), %%r9\n movq (%0), %%r10\n movq (%0), %%r11"
                         :
                         : "r"(payload)
                         : "r8", "r9", "r10", "r11", "memory");
}

static void chain_loop(void *payload, uint64_t iterations)
{
    void *at = payload;
    for (uint64_t i = 0; i < iterations; i++)
        __asm__ volatile("movq (%0), %0\n movq (%0), %0\n movq (%0), %0\n movq (%0), %0"
                         : "+r"(at)::"memory");
}

static void store_loop(void *payload, uint64_t iterations)
{
    for (uint64_t i = 0; i < iterations; i++)
        __asm__ volatile("movq %0, (%0)\n movq %0, (%0)\n movq %0, (%0)\n movq %0, (%0)"
                         :
                         : "r"(payload)
                         : "memory");
}

/* The word at `at` has its own address. */
static double time_at(void (*loop)(void *, uint64_t), char *at)
{
    const void *self = at;
    memcpy(at, &self, sizeof self);
    return costs_time(loop, at, ITERATIONS);
}

static double crossing_more(void (*loop)(void *, uint64_t), char *usual, char *slow)
{
    double before = time_at(loop, usual);
    return costs_more(before, time_at(loop, slow)) / 4;
}

cost costs_time_crossing(bool store, bool pages)
{
    char *p = map_bytes(2 * PAGE);
    if (!p)
        return (cost){NAN, NAN};
    char *usual = p + 512, *slow = pages ? p + PAGE - 4 : p + 512 + LINE - 4;
    double alone = crossing_more(store ? store_loop : load_loop, usual, slow);
    double chain = store ? alone : crossing_more(chain_loop, usual, slow);
    munmap(p, 2 * PAGE);
    return (cost){fmin(alone, chain), fmax(alone, chain)};
}

/* ---- walks ---- */

typedef struct walk_memory {
    char *bytes;
    uint64_t lines, at;
    void *heads[STREAMS];
} walk_memory;

void costs_link_places(char *bytes, uint64_t count, uint64_t stride)
{
    uint64_t random = 1;
    for (uint64_t i = 0; i < count; i++)
        *(uint64_t *)(bytes + i * stride + 8) = i;
    for (uint64_t i = count - 1; i > 0; i--) {
        uint64_t *a = (uint64_t *)(bytes + i * stride + 8), kept = *a;
        uint64_t *b = (uint64_t *)(bytes + hash_draw(&random, (uint32_t)i) * stride + 8);
        *a = *b;
        *b = kept;
    }
    for (uint64_t i = 0; i < count; i++)
        *(void **)(bytes + i * stride) = bytes + *(uint64_t *)(bytes + i * stride + 8) * stride;
}

static void link_lines(walk_memory *m)
{
    costs_link_places(m->bytes, m->lines, LINE);
    for (int s = 0; s < STREAMS; s++)
        m->heads[s] = m->bytes + (m->lines * (uint64_t)s / STREAMS) * LINE;
}

static void walk_chain(void *payload, uint64_t iterations)
{
    walk_memory *m = payload;
    void *head = m->heads[0];
    for (uint64_t i = 0; i < iterations; i++)
        head = *(void *volatile *)head;
    m->heads[0] = head;
}

static void walk_random(void *payload, uint64_t iterations)
{
    walk_memory *m = payload;
    void *heads[STREAMS];
    memcpy(heads, m->heads, sizeof heads);
    for (uint64_t i = 0; i < iterations; i += STREAMS)
        for (int s = 0; s < STREAMS; s++)
            heads[s] = *(void *volatile *)heads[s];
    memcpy(m->heads, heads, sizeof heads);
}

static void walk_sequence(void *payload, uint64_t iterations)
{
    walk_memory *m = payload;
    uint64_t at = m->at;
    for (uint64_t i = 0; i < iterations; i++, at = at + 1 == m->lines ? 0 : at + 1)
        (void)*(volatile char *)(m->bytes + at * LINE);
    m->at = at;
}

void costs_time_walks(uint64_t bytes, double out[COST_WALKS])
{
    walk_memory m = {.lines = bytes / LINE};
    m.bytes = m.lines > 1 ? map_bytes(bytes) : NULL;
    for (int i = 0; i < COST_WALKS; i++)
        out[i] = NAN;
    if (!m.bytes)
        return;
    link_lines(&m);
    out[COST_CHAIN] = costs_time(walk_chain, &m, WALK_LOADS);
    out[COST_RANDOM] = costs_time(walk_random, &m, WALK_LOADS);
    out[COST_SEQUENCE] = costs_time(walk_sequence, &m, WALK_LOADS);
    munmap(m.bytes, bytes);
}
