/* costs.c - loops that time what a line shared with another thread, accesses across lines and pages, loads
 * from behind a cache, and subnormal numbers take. Each figure is found when it is first asked for. */
#include <math.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/seconds.h"
#include "machine/costs/costs.h"

/* ---- time ---- */

enum {
    RUNS = 9
};

/* An iteration takes a cycle: it is a chain of decrements. */
static void cycles_loop(void *payload, uint64_t iterations)
{
    __asm__ volatile("1: dec %0\n jnz 1b" : "+r"(iterations)::"cc");
}

static double seconds_for(void (*loop)(void *payload, uint64_t iterations), void *payload,
                          uint64_t iterations)
{
    double since = seconds_now();
    loop(payload, iterations);
    return (seconds_now() - since) / (double)iterations;
}

/* Cycles an iteration of a loop that is given a number of iterations. */
static double cycles_of(void (*loop)(void *payload, uint64_t iterations), void *payload, uint64_t iterations)
{
    const uint64_t cycles = 50000;
    double cycle = INFINITY, fastest = INFINITY;
    for (int i = 0; i < RUNS; i++) {
        cycle = fmin(cycle, seconds_for(cycles_loop, NULL, cycles));
        fastest = fmin(fastest, seconds_for(loop, payload, iterations));
    }
    return fastest / cycle;
}

/* ---- sharing ---- */

/* Stores to a line that another processor writes: two threads on two processors, each with a counter of its
 * own, in one line or in two. */

enum {
    COUNTS = 20000,
    FAR = 32 /* words: 256 bytes, which no prefetcher takes for neighbours */
};

typedef struct other_thread {
    _Alignas(256) volatile uint64_t words[2 * FAR];
    _Alignas(256) atomic_bool end;
    atomic_bool runs, lost; /* one of them is set at its start: on its processor or not */
    int cpu;
} other_thread;

static void *write_on(void *payload)
{
    other_thread *o = payload;
    if (cpus_stay_on(o->cpu, NULL)) {
        atomic_store(&o->lost, true);
        return NULL;
    }
    while (!atomic_load_explicit(&o->end, memory_order_relaxed)) {
        for (int i = 0; i < 100; i++)
            o->words[0]++;
        atomic_store_explicit(&o->runs, true, memory_order_relaxed);
    }
    return NULL;
}

static void count_loop(void *payload, uint64_t iterations)
{
    volatile uint64_t *word = payload;
    for (uint64_t i = 0; i < iterations; i++)
        (*word)++;
}

static cost time_beside(other_thread *o)
{
    pthread_t thread;
    tacho_error unwanted;
    if (parallel_start_thread(&thread, write_on, o, &unwanted))
        return (cost){NAN, NAN};
    while (!atomic_load_explicit(&o->runs, memory_order_relaxed) && !atomic_load(&o->lost))
        sched_yield();
    double apart = cycles_of(count_loop, (void *)&o->words[FAR], COUNTS);
    double together = cycles_of(count_loop, (void *)&o->words[1], COUNTS);
    atomic_store_explicit(&o->end, true, memory_order_relaxed);
    pthread_join(thread, NULL);
    double more = atomic_load(&o->lost) ? NAN : costs_more(apart, together);
    return (cost){isnan(more) ? NAN : 0, more};
}

static cost time_sharing(void)
{
    cpus before;
    int first = -1, last = -1;
    if (cpus_allowed(&before, NULL))
        return (cost){NAN, NAN};
    for (int i = 0; i < CPUS_MOST; i++)
        if (cpus_have(&before, i)) {
            first = first < 0 ? i : first;
            last = i;
        }
    if (first >= last)
        return (cost){NAN, NAN};
    other_thread o = {.cpu = last};
    if (cpus_stay_on(first, NULL))
        return (cost){NAN, NAN};
    cost out = time_beside(&o);
    cpus_return_to(&before);
    return out;
}

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
    return cycles_of(loop, at, ITERATIONS);
}

static double crossing_more(void (*loop)(void *, uint64_t), char *usual, char *slow)
{
    double before = time_at(loop, usual);
    return costs_more(before, time_at(loop, slow)) / 4;
}

static cost time_crossing(bool store, bool pages)
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

static void time_walks(uint64_t bytes, double out[COST_WALKS])
{
    walk_memory m = {.lines = bytes / LINE};
    m.bytes = m.lines > 1 ? map_bytes(bytes) : NULL;
    for (int i = 0; i < COST_WALKS; i++)
        out[i] = NAN;
    if (!m.bytes)
        return;
    link_lines(&m);
    out[COST_CHAIN] = cycles_of(walk_chain, &m, WALK_LOADS);
    out[COST_RANDOM] = cycles_of(walk_random, &m, WALK_LOADS);
    out[COST_SEQUENCE] = cycles_of(walk_sequence, &m, WALK_LOADS);
    munmap(m.bytes, bytes);
}

/* ---- numbers ---- */

/* Arithmetic with subnormal numbers: operations that do not wait for each other, and chains of them. */

enum {
    OPERATIONS = 20000
};

typedef struct numbers {
    double a, b;
} numbers;

/* Operations of `a` and `b`. */
#define ALONE(name, operation)                                                                               \
    static void name(void *payload, uint64_t iterations)                                                     \
    {                                                                                                        \
        const numbers *n = payload;                                                                          \
        for (uint64_t i = 0; i < iterations; i++)                                                            \
            __asm__ volatile(operation : : "x"(n->a), "x"(n->b) : "xmm4");                                   \
    }
/* The result is the next one's `a`. */
#define CHAIN(name, operation)                                                                               \
    static void name(void *payload, uint64_t iterations)                                                     \
    {                                                                                                        \
        const numbers *n = payload;                                                                          \
        double a = n->a;                                                                                     \
        for (uint64_t i = 0; i < iterations; i++)                                                            \
            __asm__ volatile(operation : "+x"(a) : "x"(n->b));                                               \
    }

ALONE(add, "movapd %0, %%xmm4\n addsd %1, %%xmm4")
CHAIN(add_chain, "addsd %1, %0")
ALONE(multiply, "movapd %0, %%xmm4\n mulsd %1, %%xmm4")
CHAIN(multiply_chain, "mulsd %1, %0")
ALONE(divide, "movapd %0, %%xmm4\n divsd %1, %%xmm4")
CHAIN(divide_chain, "divsd %1, %0")
ALONE(root, "pxor %%xmm4, %%xmm4\n sqrtsd %0, %%xmm4")
ALONE(fused, "vxorpd %%xmm4, %%xmm4, %%xmm4\n vfmadd231sd %0, %1, %%xmm4")
CHAIN(fused_chain, "vfmadd213sd %0, %1, %0")
ALONE(convert, "pxor %%xmm4, %%xmm4\n cvtsd2ss %0, %%xmm4")

static cost time_subnormal(cost_arithmetic a)
{
    static const struct {
        void (*alone)(void *, uint64_t), (*chain)(void *, uint64_t);
        numbers slow, usual;
    } rows[COST_ARITHMETICS] = {
        [COST_ADD] = {add, add_chain, {1e-310, 0}, {1.5, 0}},
        [COST_MULTIPLY] = {multiply, multiply_chain, {1e-310, 1}, {1.5, 1}},
        [COST_DIVIDE] = {divide, divide_chain, {1e-310, 1}, {1.5, 1}},
        [COST_ROOT] = {root, NULL, {1e-310, 1}, {1.5, 1}},
        [COST_FUSED] = {fused, fused_chain, {1e-310, 0}, {1.5, 0}},
        [COST_CONVERT] = {convert, NULL, {1e-40, 0}, {1.5, 0}},
    };
    numbers slow = rows[a].slow, usual = rows[a].usual;
    if (a == COST_FUSED && !__builtin_cpu_supports("fma"))
        return (cost){NAN, NAN};
    double more =
        costs_more(cycles_of(rows[a].alone, &usual, OPERATIONS), cycles_of(rows[a].alone, &slow, OPERATIONS));
    if (!rows[a].chain)
        return (cost){more, more};
    double chain =
        costs_more(cycles_of(rows[a].chain, &usual, OPERATIONS), cycles_of(rows[a].chain, &slow, OPERATIONS));
    return (cost){fmin(more, chain), fmax(more, chain)};
}

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

double costs_more(double usual, double slow)
{
    const double noise = 0.25;
    return !(slow - usual >= noise) ? isnan(slow - usual) ? NAN : 0 : slow - usual;
}

/* ---- figures ---- */

cost costs_subnormal(costs *c, cost_arithmetic a)
{
    if (!c->subnormal_known[a])
        c->subnormal[a] = time_subnormal(a);
    c->subnormal_known[a] = true;
    return c->subnormal[a];
}

cost costs_crossing(costs *c, bool store, bool pages)
{
    if (!c->crossing_known[store][pages])
        c->crossing[store][pages] = time_crossing(store, pages);
    c->crossing_known[store][pages] = true;
    return c->crossing[store][pages];
}

size_t costs_caches(const costs *c, const data_cache **out)
{
    *out = c->caches;
    return c->cache_count;
}

/* In memory well larger than the cache before and well smaller than this one: their geometric mean; of memory
 * four times the last cache. */
static const double *walks_in(costs *c, size_t number)
{
    uint64_t before = number ? c->caches[number - 1].bytes : 0, bytes;
    if (number == c->cache_count)
        bytes = 4 * before < most_memory ? 4 * before : most_memory;
    else
        bytes = (uint64_t)sqrt((double)(before ? before : c->caches[number].bytes / 4) *
                               (double)c->caches[number].bytes);
    if (!c->walks_known[number])
        time_walks(bytes, c->walks[number]);
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
        c->sharing = time_sharing();
    c->sharing_known = true;
    return c->sharing;
}
