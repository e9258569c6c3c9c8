/* ticks.h - timing a few instructions with the time stamp counter. A fence before reading waits for all that
 * is older, one after it keeps back all that is younger (Intel SDM, volume 2B, RDTSC). The chains have a
 * latency that is the same on all cores by Intel since Sandy Bridge and by AMD since Zen (uops.info): 3
 * cycles a multiplication, one an addition. Where that does not hold, the two disagree. */
#ifndef TACHO_MEASURE_TICKS_H
#define TACHO_MEASURE_TICKS_H

#include <stdint.h>

static inline uint64_t ticks_now(void)
{
    uint32_t low, high;
    __asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
    return (uint64_t)high << 32 | low;
}

enum {
    TICKS_IMULS = 200,
    TICKS_ADDS = 600,
    TICKS_CHAIN_CYCLES = 600 /* of either, once */
};

/* Ticks for `loops` (at least 1) times a chain of TICKS_IMULS dependent multiplications, reading included. */
uint64_t ticks_of_imuls(uint64_t loops);
/* The same with TICKS_ADDS additions of registers (those of small constants need no time on some cores). */
uint64_t ticks_of_adds(uint64_t loops);

#endif
