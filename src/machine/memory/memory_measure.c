/* memory_measure.c - measures the levels of this machine's memory: chains of loads in an order by chance over
 * footprints from a few KiB to several times the last cache, and streams over a footprint of each level.
 * memory_pages.c has translation and prefetching.
 *
 * A machine that others use, too, disturbs by slowing down: each figure is the low quantile of many short
 * passes. Each pass is in cycles by a chain of multiplications before and after it, of which the shorter
 * counts: so a clock that changes does not matter. */
#include <sys/mman.h>
#include <unistd.h>

#include "base/ask_cpuid.h"
#include "base/cpus.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/seconds.h"
#include "machine/costs/costs.h"
#include "machine/measure/measure_clock.h"
#include "machine/measure/ticks.h"
#include "machine/memory/memory_internal.h"
#include "tacho/arch.h"

/* ---- streams ---- */

/* Eight vectors an iteration; what vectors there are is known when it runs. */
#define ALL(op, r)              op(0, r) op(1, r) op(2, r) op(3, r) op(4, r) op(5, r) op(6, r) op(7, r)
#define LOAD_(n, r, mov, size)  mov " " #n "*" #size "(%[from]), %%" #r #n "\n\t"
#define STORE_(n, r, mov, size) mov " %%" #r #n ", " #n "*" #size "(%[to])\n\t"

/* `first`: what the vectors hold that are stored. Not zero: on Zen 5 non-temporal stores of lines of zeros
 * take less than half the time. */
#define STREAM(name, first, moves, size, end)                                                                \
    static void name(char *to, const char *from, uint64_t bytes)                                             \
    {                                                                                                        \
        __asm__ volatile(first ".p2align 6\n1:\n\t" moves "sub $8*" #size ", %[bytes]\n\tja 1b" end          \
                         : [to] "+r"(to), [from] "+r"(from), [bytes] "+r"(bytes)                             \
                         :                                                                                   \
                         : "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7");  \
    }
#define ON(pointer, size) "add $8*" #size ", %[" #pointer "]\n\t"
#define STREAMS_OF(r, size, end)                                                                             \
    STREAM(load_##r, "", ALL(LOAD_##r, r) ON(from, size), size, end)                                         \
    STREAM(store_##r, ALL(LOAD_##r, r), ALL(STORE_##r, r) ON(to, size), size, end)                           \
    STREAM(copy_##r, "", ALL(LOAD_##r, r) ALL(STORE_##r, r) ON(from, size) ON(to, size), size, end)          \
    STREAM(past_store_##r, ALL(LOAD_##r, r), ALL(PAST_##r, r) ON(to, size), size, end)                       \
    STREAM(past_copy_##r, "", ALL(LOAD_##r, r) ALL(PAST_##r, r) ON(from, size) ON(to, size), size, end)
#define LOAD_xmm(n, r)  LOAD_(n, r, "movups", 16)
#define STORE_xmm(n, r) STORE_(n, r, "movups", 16)
#define PAST_xmm(n, r)  STORE_(n, r, "movntps", 16)
#define LOAD_ymm(n, r)  LOAD_(n, r, "vmovups", 32)
#define STORE_ymm(n, r) STORE_(n, r, "vmovups", 32)
#define PAST_ymm(n, r)  STORE_(n, r, "vmovntps", 32)
#define LOAD_zmm(n, r)  LOAD_(n, r, "vmovups", 64)
#define STORE_zmm(n, r) STORE_(n, r, "vmovups", 64)
#define PAST_zmm(n, r)  STORE_(n, r, "vmovntps", 64)
STREAMS_OF(xmm, 16, "")
STREAMS_OF(ymm, 32, "\n\tvzeroupper")
STREAMS_OF(zmm, 64, "\n\tvzeroupper")

uint32_t memory_streams(memory_stream *out[MEMORY_STREAMS])
{
    static memory_stream *const all[][MEMORY_STREAMS] = {
        {load_xmm, store_xmm, copy_xmm, past_store_xmm, past_copy_xmm},
        {load_ymm, store_ymm, copy_ymm, past_store_ymm, past_copy_ymm},
        {load_zmm, store_zmm, copy_zmm, past_store_zmm, past_copy_zmm}};
    const int widest = __builtin_cpu_supports("avx512f") ? 2 : __builtin_cpu_supports("avx") ? 1 : 0;
    for (int i = 0; i < MEMORY_STREAMS; i++)
        out[i] = all[widest][i];
    return 16u << widest;
}

enum {
    LINE = TACHO_MEMORY_LINE_BYTES,
    PAGE = 4096,
    PASSES = 48,
    WAYS = 20,        /* more than a core has lines on their way to its first level, or about as many */
    RULER_LOOPS = 24, /* 14400 cycles */
    PASS_CYCLES = 200000
};
static const uint64_t most_footprint = 512 << 20, least_footprint = 64 << 20;
/* Of passes: memory itself is not always as fast (refreshes, turns from reading to writing), which a chain
 * does not notice and a stream does. */
static const double low = 0.1, usual = 0.5;

/* ---- time ---- */

typedef void pass(void *payload);

/* Cycles of a pass. */
double memory_time_pass(memory_bench *b, pass *run, void *payload)
{
    uint64_t before = ticks_of_imuls(RULER_LOOPS), start = ticks_now();
    run(payload);
    uint64_t ticks = ticks_now() - start, after = ticks_of_imuls(RULER_LOOPS);
    b->cycles_per_tick = RULER_LOOPS * (double)TICKS_CHAIN_CYCLES / (double)(before < after ? before : after);
    return (double)ticks * b->cycles_per_tick;
}

static double time_passes(memory_bench *b, pass *run, void *payload, double quantile)
{
    double cycles[PASSES];
    for (int i = 0; i < PASSES; i++)
        cycles[i] = memory_time_pass(b, run, payload);
    numbers_sort(cycles, PASSES);
    return numbers_quantile(cycles, PASSES, quantile);
}

/* Of so many seconds that are meant for a part and those before it, none is left: what is measured once more
 * is then left out. */
static bool is_late(const memory_bench *b, double seconds)
{
    return seconds_now() - b->started > seconds;
}

bool memory_is_stopped(const memory_bench *b)
{
    return b->options->stop && b->options->stop(b->options->stop_payload);
}

/* ---- memory ---- */

/* Of this process, in huge pages. */
static uint64_t huge_bytes(void)
{
    char *text;
    size_t size;
    unsigned long long kib = 0;
    if (tacho_file_read_regular("/proc/self/smaps_rollup", 1 << 16, &text, &size))
        return 0;
    const char *line = strstr(text, "AnonHugePages:");
    if (line)
        sscanf(line, "AnonHugePages: %llu", &kib);
    tacho_mem_free(text);
    return kib << 10;
}

static void release(memory_bench *b)
{
    if (b->mapped)
        munmap(b->mapped, b->mapped_bytes);
    b->mapped = NULL;
}

/* @return 0; TACHO_ERR_UNSUPPORTED: the system gives no huge pages; TACHO_ERR_MEMORY */
static int acquire(memory_bench *b, tacho_memory_pages pages)
{
    const uint64_t had = huge_bytes();
    b->mapped_bytes = b->bytes + MEMORY_HUGE_PAGE;
    b->mapped = mmap(NULL, b->mapped_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (b->mapped == MAP_FAILED) {
        b->mapped = NULL;
        return TACHO_ERR_MEMORY;
    }
    b->memory = (char *)(((uintptr_t)b->mapped + MEMORY_HUGE_PAGE - 1) & ~(uintptr_t)(MEMORY_HUGE_PAGE - 1));
    int refused = madvise(b->mapped, b->mapped_bytes, pages ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    if (refused && pages)
        return TACHO_ERR_UNSUPPORTED;
    memset(b->memory, 1, b->bytes);
    return pages && huge_bytes() - had < b->bytes / 10 * 9 ? TACHO_ERR_UNSUPPORTED : TACHO_OK;
}

/* ---- chains ---- */

void memory_follow(void *payload)
{
    memory_chain *c = payload;
    void *at = c->at;
    for (uint64_t i = 0; i < c->loads; i += 8)
        __asm__ volatile(".rept 8\n\tmov (%0), %0\n\t.endr" : "+r"(at) : : "memory");
    c->at = at;
}

/* Cycles a load of a way through `count` places, all of which are loaded before where they fit into a cache.
 */
double memory_time_chain(memory_bench *b, uint64_t count, uint64_t stride)
{
    const uint64_t most_warm = 1 << 20, least = 256;
    costs_link_places(b->memory, count, stride);
    memory_chain c = {b->memory, count < most_warm ? 2 * count : most_warm};
    memory_follow(&c);
    c.loads = 4096;
    const double about = fmax(1, memory_time_pass(b, memory_follow, &c) / 4096);
    c.loads = least + ((uint64_t)(PASS_CYCLES / about) & ~(uint64_t)7);
    return time_passes(b, memory_follow, &c, low) / (double)c.loads;
}

/* What others did to the caches in the meantime makes single footprints slow: no smaller one takes longer. */
static void smooth_curve(tacho_memory *m, tacho_memory_pages pages)
{
    for (uint32_t i = m->point_count; i-- > 1;)
        m->points[i - 1].cycles[pages] = fmin(m->points[i - 1].cycles[pages], m->points[i].cycles[pages]);
}

/* The same of many ways at a time, through lines that are linked already. */
typedef struct chains {
    void *at[WAYS];
    uint64_t loads;
} chains;

static void follow_many(void *payload)
{
    chains *c = payload;
    void *at[WAYS];
    memcpy(at, c->at, sizeof at);
    for (uint64_t i = 0; i < c->loads; i += WAYS)
        for (int w = 0; w < WAYS; w++)
            at[w] = *(void *volatile *)at[w];
    memcpy(c->at, at, sizeof at);
}

double memory_time_many(memory_bench *b, uint64_t count, uint64_t stride)
{
    const uint64_t loads = 8000;
    memory_chain all = {b->memory, 2 * count < (1 << 20) ? 2 * count : 1 << 20};
    chains c = {.loads = loads};
    costs_link_places(b->memory, count, stride);
    memory_follow(&all);
    for (int w = 0; w < WAYS; w++)
        c.at[w] = b->memory + count * (uint64_t)w / WAYS * stride;
    return time_passes(b, follow_many, &c, low) / (double)loads;
}

/* Footprints, three of each octave. Those that a cache holds several times: a neighbour in the last cache, or
 * a program that ran in between, takes lines away, and they are loaded again before the next time only. */
static int time_curve(memory_bench *b, tacho_memory_pages pages)
{
    enum {
        SWEEPS = 4
    };
    tacho_memory *m = b->out;
    for (int sweep = 0; sweep < SWEEPS && !(sweep && is_late(b, pages ? 7 : 18)); sweep++) {
        uint32_t n = 0;
        for (double size = 4096; n < TACHO_MEMORY_POINTS && size <= (double)b->bytes * 1.001;
             size *= cbrt(2), n++) {
            tacho_memory_point *p = &m->points[n];
            if (memory_is_stopped(b))
                return TACHO_ERR_CANCELLED;
            p->bytes = (uint64_t)(size / LINE + 0.5) * LINE;
            if (!sweep || p->bytes <= m->levels[m->level_count - 2].cpuid_bytes)
                p->cycles[pages] =
                    fmin(p->cycles[pages], memory_time_chain(b, p->bytes / LINE, LINE)); /* not NaN */
        }
        m->point_count = n;
    }
    smooth_curve(m, pages);
    return TACHO_OK;
}

/* Of the best pages that there are. */
double memory_cycles_at(const tacho_memory *m, double bytes)
{
    return tacho_memory_load_cycles(m, (uint64_t)bytes, TACHO_MEMORY_2M);
}

/* ---- levels ---- */

/* A footprint that level `i` holds and the one before does not: of a last cache that others share a small
 * part, so many `times` the one before. */
static double footprint_of(const memory_bench *b, uint32_t i, double times)
{
    const tacho_memory *m = b->out;
    if (i + 1 == m->level_count)
        return (double)b->bytes;
    const double before = (double)(i ? m->levels[i - 1].cpuid_bytes : m->levels[0].cpuid_bytes / 4);
    return fmin(times * before, sqrt(before * (double)m->levels[i].cpuid_bytes));
}

/* The largest footprint whose loads are nearer to this level's than to the next one's. */
static void find_sizes(memory_bench *b)
{
    tacho_memory *m = b->out;
    for (uint32_t i = 0; i < m->level_count; i++)
        m->levels[i].latency_cycles = memory_cycles_at(m, footprint_of(b, i, 4));
    for (uint32_t i = 0; i + 1 < m->level_count; i++) {
        const double limit = (m->levels[i].latency_cycles + m->levels[i + 1].latency_cycles) / 2;
        for (uint32_t p = 0; p < m->point_count && memory_cycles_at(m, (double)m->points[p].bytes) < limit;
             p++)
            m->levels[i].bytes = m->points[p].bytes;
    }
}

typedef struct stream_pass {
    memory_stream *run;
    char *to;
    const char *from;
    uint64_t bytes, chunk, chunks, at;
} stream_pass;

/* Some chunks, from where the last pass ended. */
static void stream_on(void *payload)
{
    stream_pass *s = payload;
    for (uint64_t i = 0; i < s->chunks; i++) {
        s->run(s->to + s->at, s->from + s->at, s->chunk);
        s->at += s->chunk;
        if (s->at + s->chunk > s->bytes)
            s->at = 0;
    }
}

static double time_stream(memory_bench *b, memory_stream *run, bool copies, double footprint)
{
    const uint64_t pass_bytes = 2 << 20, step = 2048;
    stream_pass s = {.run = run, .to = b->memory, .from = b->memory};
    s.bytes = (uint64_t)(copies ? footprint / 2 : footprint) / step * step;
    s.chunk = s.bytes < pass_bytes ? s.bytes : pass_bytes;
    if (copies)
        s.from += s.bytes + step; /* not at a distance of whole pages */
    s.chunks = s.bytes / s.chunk;
    stream_on(&s);
    stream_on(&s);
    s.chunks = pass_bytes / s.chunk;
    return (double)(s.chunks * s.chunk) / time_passes(b, stream_on, &s, usual);
}

static void time_level(memory_bench *b, uint32_t level, memory_stream *const streams[MEMORY_STREAMS])
{
    tacho_memory_level *l = &b->out->levels[level];
    const double footprint = fmin(footprint_of(b, level, 8), (double)b->bytes - PAGE);
    double *const best[MEMORY_STREAMS] = {&l->load_bytes_per_cycle, &l->store_bytes_per_cycle,
                                          &l->copy_bytes_per_cycle, &l->past_store_bytes_per_cycle,
                                          &l->past_copy_bytes_per_cycle};
    const int count = level + 1 == b->out->level_count ? MEMORY_STREAMS : MEMORY_PAST_STORES;
    for (int i = 0; i < count; i++) {
        const bool copies = i == MEMORY_COPIES || i == MEMORY_PAST_COPIES;
        *best[i] = fmax(*best[i], time_stream(b, streams[i], copies, footprint)); /* not NaN */
    }
}

/* Neighbours take a part of the bandwidth of caches and memory that they share, for seconds: the best of
 * several rounds. */
static int time_streams(memory_bench *b)
{
    enum {
        ROUNDS = 16
    };
    memory_stream *streams[MEMORY_STREAMS];
    b->out->vector_bytes = memory_streams(streams);
    for (int round = 0; round < ROUNDS && !(round && is_late(b, 12)); round++)
        for (uint32_t i = 0; i < b->out->level_count; i++) {
            if (memory_is_stopped(b))
                return TACHO_ERR_CANCELLED;
            time_level(b, i, streams);
        }
    for (uint32_t i = 0; i < b->out->level_count; i++) {
        tacho_memory_level *l = &b->out->levels[i];
        const uint64_t lines = (uint64_t)footprint_of(b, i, 4) / LINE;
        l->random_cycles = l->latency_cycles;
        for (int round = 0; round < 3; round++)
            l->random_cycles = fmin(l->random_cycles, memory_time_many(b, lines, LINE));
    }
    return TACHO_OK;
}

/* ---- all of it ---- */

static uint64_t memory_bytes(bool available)
{
    return (uint64_t)sysconf(available ? _SC_AVPHYS_PAGES : _SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
}

static int ask_machine(memory_bench *b, int cpu, tacho_error *err)
{
    tacho_memory *m = b->out;
    data_cache caches[CACHES_MOST];
    const size_t count = caches_read("", cpu, caches);
    const tacho_arch *native = tacho_arch_find("native", NULL);
    cpuid_description c;
    cpuid_describe(&c);
    snprintf(m->processor, sizeof m->processor, "%s", *c.brand ? c.brand : "unknown processor");
    snprintf(m->core, sizeof m->core, "%s", native ? tacho_arch_name(native) : "");
    for (size_t i = 0; i < count && m->level_count + 1 < TACHO_MEMORY_LEVELS; i++) {
        tacho_memory_level *l = &m->levels[m->level_count++];
        snprintf(l->name, sizeof l->name, "L%u", caches[i].level % 10);
        l->bytes = l->cpuid_bytes = caches[i].bytes;
    }
    if (!m->level_count)
        return tacho_error_set(err, TACHO_ERR_UNSUPPORTED, "this machine does not tell of its caches");
    const uint64_t last = m->levels[m->level_count - 1].cpuid_bytes;
    tacho_memory_level *memory = &m->levels[m->level_count++];
    snprintf(memory->name, sizeof memory->name, "memory");
    memory->bytes = memory->cpuid_bytes = memory_bytes(false);
    for (uint32_t i = 0; i < m->level_count; i++) {
        tacho_memory_level *l = &m->levels[i];
        l->set_lines = l->set_cycles = l->past_store_bytes_per_cycle = l->past_copy_bytes_per_cycle = NAN;
    }
    b->bytes = 8 * last < least_footprint  ? least_footprint
               : 8 * last > most_footprint ? most_footprint
                                           : 8 * last;
    while (b->bytes > memory_bytes(true) / 2 && b->bytes > 2 * last)
        b->bytes /= 2;
    return b->bytes > memory_bytes(true) / 2
               ? tacho_error_set(
                     err, TACHO_ERR_MEMORY,
                     "measuring memory needs twice the last cache, %llu MB, and too little is free",
                     (unsigned long long)b->bytes >> 20)
               : TACHO_OK;
}

/* What the best pages that there are are for. */
static int measure_streams(memory_bench *b)
{
    find_sizes(b);
    return time_streams(b) ?: memory_find_prefetching(b);
}

/* Without huge pages nothing is known of them, and streams use small ones. */
static int measure_huge(memory_bench *b, bool *there)
{
    int result = memory_is_stopped(b) ? TACHO_ERR_CANCELLED : acquire(b, TACHO_MEMORY_2M);
    *there = !result;
    if (!result)
        result = time_curve(b, TACHO_MEMORY_2M);
    if (!result) {
        b->out->walk_cycles[TACHO_MEMORY_2M] = memory_time_huge_walk(b);
        result = measure_streams(b);
    }
    release(b);
    return result == TACHO_ERR_UNSUPPORTED ? TACHO_OK : result;
}

static int measure_small(memory_bench *b, bool all)
{
    memory_reach small = {0}, set = {0};
    int result = acquire(b, TACHO_MEMORY_4K) ?: time_curve(b, TACHO_MEMORY_4K);
    for (int sweep = 0; sweep < 3 && !result && !(sweep && is_late(b, 22)); sweep++)
        result = memory_time_reach(b, &small, false) ?: memory_time_reach(b, &set, true);
    if (!result && all)
        result = measure_streams(b);
    if (!result) {
        memory_find_tlbs(b->out, &small);
        memory_find_sets(b->out, &small, &set);
        memory_time_sets(b);
    }
    release(b);
    return result;
}

static int measure_all(memory_bench *b, tacho_error *err)
{
    tacho_memory *m = b->out;
    bool huge;
    for (uint32_t i = 0; i < TACHO_MEMORY_POINTS; i++)
        m->points[i].cycles[TACHO_MEMORY_4K] = m->points[i].cycles[TACHO_MEMORY_2M] = NAN;
    m->walk_cycles[TACHO_MEMORY_4K] = m->walk_cycles[TACHO_MEMORY_2M] = NAN;
    int result = measure_huge(b, &huge);
    if (!result)
        result = measure_small(b, !huge);
    if (result)
        return result == TACHO_ERR_MEMORY ? tacho_no_memory(err)
                                          : tacho_error_set(err, result, "it was interrupted");
    m->clock_ghz = b->cycles_per_tick * clock_tsc_hz() / 1e9;
    return TACHO_OK;
}

int tacho_memory_measure(tacho_memory *out, const tacho_memory_options *options, tacho_error *err)
{
    tacho_memory_options o;
    memory_bench b = {.options = &o, .out = out, .started = seconds_now()};
    cpus allowed;
    int cpu = 0;
    *out = (tacho_memory){0};
    int result = OPTIONS_TAKE(memory, &o, options, err)
                     ?: cpus_allowed(&allowed, err)
                     ?: cpus_choose(o.cpu, &cpu, err)
                     ?: ask_machine(&b, cpu, err)
                     ?: cpus_stay_on(cpu, err);
    if (!result) {
        result = measure_all(&b, err);
        cpus_return_to(&allowed);
    }
    return result;
}
