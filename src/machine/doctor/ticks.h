/* ticks.h - timing a few instructions with the time stamp counter. A fence before reading waits for all that
 * is older, one after it keeps back all that is younger (Intel SDM, volume 2B, RDTSC). The chains have a
 * latency that is the same on all cores by Intel since Sandy Bridge and by AMD since Zen (uops.info): 3
 * cycles a multiplication, one an addition. Where that does not hold, the two disagree. */
#ifndef TACHO_DOCTOR_TICKS_H
#define TACHO_DOCTOR_TICKS_H

#include <stdint.h>

static inline uint64_t doctor_ticks(void)
{
    uint32_t low, high;
    __asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
    return (uint64_t)high << 32 | low;
}

enum {
    DOCTOR_IMULS = 200,
    DOCTOR_ADDS = 600,
    DOCTOR_CHAIN_CYCLES = 600, /* of either, once */
    DOCTOR_NOPS = 2000,
    DOCTOR_LOADS = 40
};

/* Ticks for `loops` (at least 1) times a chain of DOCTOR_IMULS dependent multiplications, reading included.
 */
uint64_t doctor_time_imul(uint64_t loops);
/* The same with DOCTOR_ADDS additions of registers (those of small constants need no time on some cores). */
uint64_t doctor_time_add(uint64_t loops);
/* The same with DOCTOR_NOPS one-byte NOPs: shows who else uses the front end. */
uint64_t doctor_time_nops(uint64_t loops);
/* The same with DOCTOR_LOADS loads, each from where the one before says. */
uint64_t doctor_time_chase(uint64_t loops, void *const *start);

#endif
