/* memory.c - loops that wait for memory, each for one reason that is known, and what makes each faster.
 *
 *   cc -O2 -g -o memory memory.c
 *   ./memory PROGRAM [plain|WAY] [SECONDS]
 *
 * prints nanoseconds an iteration. README.md lists programs and ways. */
#define _GNU_SOURCE
#include <emmintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define KERNEL static __attribute__((noinline))
#define MB     ((size_t)1 << 20)

static uint64_t state = 88172645463325252u;

static uint64_t draw(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Memory that is there, in 4 KiB or in huge pages. */
static void *take(size_t bytes, int huge)
{
    const size_t page = 2 * MB;
    char *p = mmap(NULL, bytes + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) {
        perror("mmap");
        exit(1);
    }
    p += page - (uintptr_t)p % page;
    madvise(p, bytes, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    memset(p, 1, bytes);
    return p;
}

/* The same full of ordinary numbers: products of others could be too small for normal ones, which takes time.
 */
static double *take_numbers(size_t count)
{
    double *p = take(count * sizeof *p, 0);
    for (size_t i = 0; i < count; i++)
        p[i] = 1;
    return p;
}

/* ---- a chain: each line has the address of the next, in an order by chance ---- */

static void **link_lines(size_t bytes, int huge)
{
    size_t n = bytes / 64;
    char *lines = take(bytes, huge);
    uint32_t *order = malloc(n * sizeof *order);
    for (size_t i = 0; i < n; i++)
        order[i] = (uint32_t)i;
    for (size_t i = n - 1; i > 0; i--) {
        size_t k = draw() % i;
        uint32_t kept = order[i];
        order[i] = order[k];
        order[k] = kept;
    }
    for (size_t i = 0; i < n; i++)
        *(void **)(lines + (size_t)order[i] * 64) = lines + (size_t)order[(i + 1) % n] * 64;
    free(order);
    return (void **)lines;
}

KERNEL void **chase(void **p, size_t count)
{
    do
        p = *p;
    while (--count);
    return p;
}

KERNEL void **chase_two(void **p, size_t count)
{
    void **q = p;
    for (int i = 0; i < 100; i++)
        q = *q;
    for (count /= 2; count; count--) {
        p = *p;
        q = *q;
    }
    return (void **)((uintptr_t)p ^ (uintptr_t)q);
}

/* ---- streams ---- */

KERNEL void triad(double *a, const double *b, const double *c, size_t n)
{
    for (size_t i = 0; i < n; i++)
        a[i] = b[i] + 3 * c[i];
}

KERNEL void triad_past(double *a, const double *b, const double *c, size_t n)
{
    for (size_t i = 0; i < n; i += 2)
        _mm_stream_pd(a + i, _mm_add_pd(_mm_load_pd(b + i), _mm_mul_pd(_mm_set1_pd(3), _mm_load_pd(c + i))));
}

KERNEL void fill(double *a, size_t n, double value)
{
    const __m128d v = _mm_set1_pd(value);
    for (size_t i = 0; i < n; i += 2)
        _mm_store_pd(a + i, v);
}

KERNEL void fill_past(double *a, size_t n, double value)
{
    const __m128d v = _mm_set1_pd(value);
    for (size_t i = 0; i < n; i += 2)
        _mm_stream_pd(a + i, v);
}

/* ---- a matrix by columns, and by rows ---- */

/* `length` of a row in memory. */
KERNEL double columns(const double *m, size_t n, size_t length)
{
    double sum = 0;
    for (size_t c = 0; c < n; c++)
        for (size_t r = 0; r < n; r++)
            sum += m[r * length + c];
    return sum;
}

KERNEL double rows(const double *m, size_t n)
{
    double sum = 0;
    for (size_t r = 0; r < n; r++)
        for (size_t c = 0; c < n; c++)
            sum += m[r * n + c];
    return sum;
}

/* Rows [i, last) of the product. */
KERNEL void multiply(double *c, const double *a, const double *b, size_t n, size_t i, size_t last)
{
    for (; i < last; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            for (size_t k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
}

KERNEL void multiply_interchanged(double *c, const double *a, const double *b, size_t n, size_t i,
                                  size_t last)
{
    for (; i < last; i++)
        for (size_t k = 0; k < n; k++) {
            const double x = a[i * n + k];
            for (size_t j = 0; j < n; j++)
                c[i * n + j] += x * b[k * n + j];
        }
}

KERNEL void multiply_blocked(double *c, const double *a, const double *b, size_t n, size_t first, size_t last)
{
    enum {
        BLOCK = 32
    };
    for (size_t kk = 0; kk < n; kk += BLOCK)
        for (size_t jj = 0; jj < n; jj += BLOCK)
            for (size_t i = first; i < last; i++)
                for (size_t k = kk; k < kk + BLOCK; k++) {
                    const double x = a[i * n + k];
                    for (size_t j = jj; j < jj + BLOCK; j++)
                        c[i * n + j] += x * b[k * n + j];
                }
}

/* ---- random places ---- */

KERNEL uint64_t gather(const uint32_t *table, const uint32_t *index, size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += table[index[i]];
    return sum;
}

KERNEL uint64_t gather_ahead(const uint32_t *table, const uint32_t *index, size_t n, size_t ahead)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        __builtin_prefetch(&table[index[i + ahead]]);
        sum += table[index[i]];
    }
    return sum;
}

/* Finds numbers in a table of those that there are, each at the place that it says: work on each that is
 * found is a chain, so that little else is in flight. */
static inline uint64_t mix(uint64_t x)
{
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdu;
    return x ^ x >> 29;
}

static inline uint64_t work(uint64_t sum, uint64_t found)
{
#pragma GCC unroll 24
    for (int i = 0; i < 24; i++)
        sum = (sum * 3 ^ found) + (uint64_t)i;
    return sum;
}

KERNEL uint64_t probe(const uint64_t *table, size_t mask, const uint64_t *keys, size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum = work(sum, table[mix(keys[i]) & mask]);
    return sum;
}

KERNEL uint64_t probe_ahead(const uint64_t *table, size_t mask, const uint64_t *keys, size_t n, size_t ahead)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        __builtin_prefetch(&table[mix(keys[i + ahead]) & mask]);
        sum = work(sum, table[mix(keys[i]) & mask]);
    }
    return sum;
}

KERNEL void histogram(uint32_t *counts, const uint32_t *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        counts[values[i]]++;
}

/* ---- nodes of 64 bytes, of which 8 are used ---- */

typedef struct node {
    uint64_t value, second;
    char other[48];
} node;

KERNEL uint64_t nodes(const node *list, size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += list[i].value;
    return sum;
}

/* Two numbers of each. */
KERNEL uint64_t pairs(const node *list, size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += list[i].value ^ list[i].second;
    return sum;
}

typedef struct packed_pair {
    uint64_t value, second;
} packed_pair;

KERNEL uint64_t packed_pairs(const packed_pair *list, size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += list[i].value ^ list[i].second;
    return sum;
}

KERNEL uint64_t packed(const uint64_t *list, size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += list[i];
    return sum;
}

/* ---- what comes in between ---- */

/* A list from its first to its last node, and then a load of each of other lines. */
KERNEL void **between(void **p, size_t nodes, const uint64_t *lines, size_t others, size_t rounds)
{
    uint64_t sum = 0;
    for (size_t r = 0; r < rounds; r++) {
        for (size_t i = 0; i < nodes; i++)
            p = *p;
        for (size_t i = 0; i < others; i++)
            sum += lines[8 * i];
    }
    return p + (sum == 1);
}

/* One part of a table after the other: each word says which one is next in its part. */
KERNEL uint32_t parts(const uint32_t *table, const uint32_t *order, size_t rounds, size_t n)
{
    uint32_t at = 0;
    for (size_t r = 0; r < rounds; r++) {
        const uint32_t *part = table + order[r];
        for (size_t i = 0; i < n; i++)
            at = part[at];
    }
    return at;
}

/* ---- programs ---- */

static double end;
static double counted, since;
static volatile uint64_t kept;

static void start(double seconds)
{
    since = now();
    end = since + seconds;
}

static int goes_on(double iterations)
{
    counted += iterations;
    return now() < end;
}

static void run_chase(size_t bytes, int huge, int two, double seconds)
{
    void **p = link_lines(bytes, huge), **first = p;
    const size_t n = (size_t)1 << 20;
    start(seconds);
    do
        if (two)
            kept += (uintptr_t)chase_two(first + 8 * (draw() % (bytes / 64)), n);
        else
            p = chase(p, n);
    while (goes_on((double)n));
    kept += (uintptr_t)p;
}

static void run_streams(const char *name, const char *way, double seconds)
{
    const size_t n = 16 * MB;
    double *a = take(3 * n * 8, 1), *b = a + n, *c = b + n;
    const int stores = !strcmp(name, "fill"), past = !strcmp(way, "past");
    start(seconds);
    do
        if (stores && past)
            fill_past(a, 3 * n, counted);
        else if (stores)
            fill(a, 3 * n, counted);
        else if (past)
            triad_past(a, b, c, n);
        else
            triad(a, b, c, n);
    while (goes_on((double)(stores ? 3 * n / 2 : n)));
}

static void run_matrix(const char *way, double seconds)
{
    const size_t n = 4096, length = n + (strcmp(way, "padded") ? 0 : 8);
    double *m = take_numbers(n * length);
    start(seconds);
    do
        kept += (uint64_t)(!strcmp(way, "rows") ? rows(m, n) : columns(m, n, length));
    while (goes_on((double)(n * n)));
}

static void run_product(const char *way, double seconds)
{
    const size_t n = 2048, some = 64, few = 2;
    double *a = take_numbers(n * n), *b = take_numbers(n * n), *c = take_numbers(n * n);
    const int blocked = !strcmp(way, "blocked");
    const size_t step = blocked ? some : few;
    size_t i = 0;
    start(seconds);
    do {
        if (!strcmp(way, "interchanged"))
            multiply_interchanged(c, a, b, n, i, i + step);
        else if (blocked)
            multiply_blocked(c, a, b, n, i, i + step);
        else
            multiply(c, a, b, n, i, i + step);
        i = (i + step) % n;
    } while (goes_on((double)(step * n * n)));
}

static void run_random(const char *name, const char *way, double seconds)
{
    const int huge = !strcmp(way, "huge");
    const size_t n = 4 * MB, room = 256, bytes = 256 * MB,
                 asked = !strncmp(way, "ahead-", 6) ? (size_t)atoi(way + 6) : 0,
                 ahead = asked < room ? asked : room;
    uint32_t *table = take(bytes, huge), *index = take((n + room) * 4, 1);
    uint64_t *keys = take((n + room) * 8, 1);
    for (size_t i = 0; i < n + room; i++) {
        index[i] = (uint32_t)(draw() % (bytes / 4));
        keys[i] = draw();
    }
    const size_t mask = bytes / 8 - 1;
    start(seconds);
    do
        if (!strcmp(name, "histogram"))
            histogram(table, index, n);
        else if (!strcmp(name, "probe"))
            kept += ahead ? probe_ahead((uint64_t *)table, mask, keys, n, ahead)
                          : probe((uint64_t *)table, mask, keys, n);
        else
            kept += ahead ? gather_ahead(table, index, n, ahead) : gather(table, index, n);
    while (goes_on((double)n));
}

static void run_nodes(const char *name, const char *way, double seconds)
{
    const size_t n = 4 * MB;
    const node *list = take(n * sizeof *list, 1);
    const int are_packed = !strcmp(way, "packed");
    start(seconds);
    do
        if (!strcmp(name, "pairs"))
            kept += are_packed ? packed_pairs((const packed_pair *)list, n) : pairs(list, n);
        else
            kept += are_packed ? packed((const uint64_t *)list, n) : nodes(list, n);
    while (goes_on((double)n));
}

/* A list of 384 KB, and then 4 MB of other lines: the second level has room for the list, but not for both.
 * `alone`: nothing comes in between. */
static void run_between(int alone, double seconds)
{
    const size_t bytes = 3 * MB / 8, nodes = bytes / 64, others = alone ? 0 : 4 * MB / 64, rounds = 1000;
    void **p = link_lines(bytes, 0);
    const uint64_t *lines = take(4 * MB, 1);
    start(seconds);
    do
        p = between(p, nodes, lines, others, rounds);
    while (goes_on((double)(nodes * rounds)));
    kept += (uintptr_t)p;
}

/* A table of 256 MB by parts of 128 KB, in an order by chance: in each a chain through its 2,048 lines goes
 * round 128 times. All that is accessed is as large as in chase-262144, but lines are come back to soon.
 * `apart`: it goes on to the next part when it has been once round. */
static void run_parts(int apart, double seconds)
{
    const size_t lines = 2048, words = 16, count = 2048, rounds = 1000, n = apart ? lines : 128 * lines;
    uint32_t *table = take(count * lines * words * 4, 1), *order = take(rounds * 4, 0);
    for (size_t i = 0, at = 0; i < lines; i++, at = (at * 5 + 1) % lines)
        for (size_t k = 0; k < count; k++)
            table[(k * lines + at) * words] = (uint32_t)((at * 5 + 1) % lines * words);
    start(seconds);
    do {
        for (size_t i = 0; i < rounds; i++)
            order[i] = (uint32_t)(draw() % count * lines * words);
        kept += parts(table, order, rounds, n);
    } while (goes_on((double)(n * rounds)));
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "", *way = argc > 2 ? argv[2] : "plain";
    const double seconds = argc > 3 ? atof(argv[3]) : 5;
    if (!strncmp(name, "chase-", 6) && atoi(name + 6) > 0)
        run_chase((size_t)atoi(name + 6) * 1024, !strcmp(way, "huge"), !strcmp(way, "two"), seconds);
    else if (!strcmp(name, "triad") || !strcmp(name, "fill"))
        run_streams(name, way, seconds);
    else if (!strcmp(name, "between"))
        run_between(!strcmp(way, "alone"), seconds);
    else if (!strcmp(name, "parts"))
        run_parts(!strcmp(way, "apart"), seconds);
    else if (!strcmp(name, "columns"))
        run_matrix(way, seconds);
    else if (!strcmp(name, "product"))
        run_product(way, seconds);
    else if (!strcmp(name, "gather") || !strcmp(name, "probe") || !strcmp(name, "histogram"))
        run_random(name, way, seconds);
    else if (!strcmp(name, "nodes") || !strcmp(name, "pairs"))
        run_nodes(name, way, seconds);
    else
        return fprintf(stderr, "usage: memory PROGRAM [WAY] [SECONDS]; see README.md\n"), 2;
    printf("%.3f\n", (now() - since) / counted * 1e9);
    return 0;
}
