/* sample_cost.c - what a sample by the CPU clock, or a visit of a breakpoint, takes of the time of the
 * thread: found on the calling thread, which does the same short piece of work many times while it is
 * sampled. Most pieces have no sample in them; of those that take longest about as many as there were samples
 * have one. */
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/search.h"
#include "base/seconds.h"
#include "program/hot/hot_causal_seen.h"
#include "program/hot/ring.h"

enum {
    LEAST_NS = 250000, /* between samples: above the rates that the kernel allows everywhere */
    PIECES = 1 << 14,
    TURNS = 12000, /* of a piece, a multiplication each: some ten microseconds */
    LEAST_SAMPLES = 8,
    RING_PAGES = 64,
    PAGE_BYTES = 4096
};
static const double for_seconds = 0.05;

/* Of a processor: other threads do not count. */
static double thread_seconds(void)
{
    return seconds_by(CLOCK_THREAD_CPUTIME_ID);
}

static __attribute__((noinline)) void work(void)
{
    uint64_t x = 3;
    for (int i = 0; i < TURNS; i++)
        __asm__ volatile("imul %0, %0" : "+r"(x));
}

ORDER_NUMBERS(by_length, double);

/* @return NaN: too few */
static double excess(double *pieces, size_t count, size_t samples)
{
    tacho_sort(pieces, count, sizeof *pieces, by_length);
    if (samples < LEAST_SAMPLES || samples > count / 2)
        return __builtin_nan("");
    /* the others have had something else happen to them, too */
    return pieces[count - samples + samples / 4] - pieces[count / 2];
}

/* How many there are in the ring; all are alike. */
static size_t samples_in(const void *records)
{
    const struct perf_event_mmap_page *page = records;
    const struct perf_event_header *first = (const void *)((const char *)records + PAGE_BYTES);
    uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
    return head && first->size ? (size_t)(head / first->size) : 0;
}

static size_t time_pieces(double *pieces)
{
    double begin = thread_seconds(), last = begin;
    size_t count = 0;
    while (count < PIECES && last - begin < for_seconds) {
        work();
        double now = thread_seconds();
        pieces[count++] = now - last;
        last = now;
    }
    return count;
}

double sample_cost(const struct perf_event_attr *like)
{
    struct perf_event_attr a = *like;
    double out = 0, *pieces = tacho_mem_alloc(PIECES * sizeof *pieces);
    a.sample_period = a.sample_period > LEAST_NS ? a.sample_period : LEAST_NS;
    const double period = (double)a.sample_period * 1e-9;
    a.inherit = a.enable_on_exec = a.mmap = a.mmap2 = a.comm = a.comm_exec = a.task = 0;
    int fd = pieces ? (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC) : -1;
    size_t bytes = (1 + RING_PAGES) * (size_t)PAGE_BYTES;
    void *records = fd >= 0 ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
    if (records != MAP_FAILED) {
        ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
        const size_t count = time_pieces(pieces);
        const double found = excess(pieces, count, samples_in(records));
        out = found > 0 && found < period ? found : 0;
        munmap(records, bytes);
    }
    if (fd >= 0)
        close(fd);
    tacho_mem_free(pieces);
    return out;
}

/* Of a piece, whose beginning is visited once. */
double visit_cost(const struct perf_event_attr *samples)
{
    struct perf_event_attr a = hot_causal_breakpoint(samples, (uintptr_t)work);
    double median[2] = {0}, *pieces = tacho_mem_alloc(PIECES * sizeof *pieces);
    a.inherit = 0;
    for (int with = 0; pieces && with < 2; with++) {
        const int fd = with ? (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC) : -1;
        if (with && fd < 0)
            break;
        const size_t count = time_pieces(pieces);
        tacho_sort(pieces, count, sizeof *pieces, by_length);
        median[with] = pieces[count / 2];
        if (with)
            close(fd);
    }
    tacho_mem_free(pieces);
    return median[1] > median[0] ? median[1] - median[0] : 0;
}
