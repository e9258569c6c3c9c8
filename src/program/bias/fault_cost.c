/* fault_cost.c - the processor time of a page fault, which is another one on each machine: memory is mapped,
 * each of its pages touched, and given back. */
#include <sys/mman.h>

#include "base/number.h"
#include "base/seconds.h"
#include "program/bias/bias_internal.h"

enum {
    FAULT_PAGES = 1024,
    FAULT_ROUNDS = 9
};

static double fault_round(void)
{
    size_t bytes = (size_t)FAULT_PAGES * PLACE_PAGE;
    double since = seconds_by(CLOCK_THREAD_CPUTIME_ID);
    char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return NAN;
    madvise(p, bytes, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < FAULT_PAGES; i++)
        ((volatile char *)p)[i * PLACE_PAGE] = 1;
    munmap(p, bytes);
    return (seconds_by(CLOCK_THREAD_CPUTIME_ID) - since) / FAULT_PAGES;
}

double counted_fault_seconds(void)
{
    double rounds[FAULT_ROUNDS];
    size_t n = 0;
    for (int i = 0; i < FAULT_ROUNDS; i++) {
        double seconds = fault_round();
        if (seconds > 0)
            rounds[n++] = seconds;
    }
    return numbers_median(rounds, n);
}
