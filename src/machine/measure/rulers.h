/* rulers.h - rulers and canaries: fixed code of known duration, beside what is timed. For programs in which
 * something is measured, each of which includes it once: it needs no libc. See protocol.h for the samples. */
#ifndef TACHO_MEASURE_RULERS_H
#define TACHO_MEASURE_RULERS_H

#include "machine/measure/protocol.h"

#define TEXT(x)     #x
#define NUMBER(x)   TEXT(x)
#define TICKS_START "lfence\n rdtsc\n lfence\n mov %%eax, %%esi\n"
#define TICKS_END   "lfence\n rdtsc\n lfence\n sub %%esi, %%eax\n"

/* Ticks that `body`, which may use rcx and rdi, takes when repeated so often. */
#define DEFINE_RULER(name, before, times, body)                                                              \
    static uint32_t name(void)                                                                               \
    {                                                                                                        \
        uint32_t ticks;                                                                                      \
        __asm__ volatile(".p2align 6\n" before TICKS_START ".rept " NUMBER(times) "\n" body                  \
                                                                                  "\n.endr\n" TICKS_END      \
                         : "=a"(ticks)                                                                       \
                         :                                                                                   \
                         : "rcx", "rdx", "rsi", "rdi", "cc", "memory");                                      \
        return ticks;                                                                                        \
    }

#define OPERANDS "mov $3, %%ecx\n mov $5, %%edi\n"
DEFINE_RULER(time_nops, "", 2000, "nop")
DEFINE_RULER(time_short_chain, OPERANDS, 100, "imul %%rcx, %%rcx")
DEFINE_RULER(time_long_chain, OPERANDS, 800, "imul %%rcx, %%rcx")
DEFINE_RULER(time_short_adds, OPERANDS, 300, "add %%rdi, %%rcx")
DEFINE_RULER(time_long_adds, OPERANDS, 2400, "add %%rdi, %%rcx")
_Static_assert(RUNNER_NOPS == 2000 && RUNNER_CHAIN_SHORT == 100 && RUNNER_CHAIN_LONG == 800 &&
                   RUNNER_ADDS_SHORT == 300 && RUNNER_ADDS_LONG == 2400 && RUNNER_CHASE_LOADS == 80 &&
                   RUNNER_ALU_ADDS == 8 * 30 * 8,
               "the assembler's repetitions and the protocol's");

/* As many independent additions as any core can execute: they show whoever shares the execution units. Few
 * rounds of a long loop, so that its end is predicted. */
static __attribute__((noinline)) uint32_t time_alu(void)
{
    uint32_t ticks;
    __asm__ volatile("mov $8, %%ecx\n" TICKS_START ".p2align 6\n1:\n"
                     ".rept 30\n"
                     " add $1, %%r8\n add $1, %%r9\n add $1, %%r10\n add $1, %%r11\n"
                     " add $1, %%r12\n add $1, %%r13\n add $1, %%r14\n add $1, %%rdi\n"
                     ".endr\n dec %%ecx\n jnz 1b\n" TICKS_END
                     : "=a"(ticks)
                     :
                     : "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "cc",
                       "memory");
    return ticks;
}

static struct line {
    struct line *next;
    uint8_t rest[56];
} ring[RUNNER_CHASE_LINES] __attribute__((aligned(4096)));

/* Before the first canary. */
static void rulers_prepare(void)
{
    enum {
        STRIDE = 7 /* has no factor in common with the number of lines */
    };
    for (unsigned i = 0; i < RUNNER_CHASE_LINES; i++)
        ring[i].next = &ring[(i + STRIDE) % RUNNER_CHASE_LINES];
}

static uint32_t time_chase(void)
{
    uint32_t ticks;
    struct line *at = ring;
    __asm__ volatile(".p2align 6\n" TICKS_START ".rept 80\n mov (%1), %1\n .endr\n" TICKS_END
                     : "=a"(ticks), "+D"(at)
                     :
                     : "rdx", "rsi", "cc", "memory");
    return ticks;
}

/* One copy of the code for all places, so that they compare. @return whether nothing disturbed them */
static __attribute__((noinline)) int
rulers_take_canaries(runner_sample *s, int place, const uint32_t limits[RUNNER_CANARIES], uint32_t slack)
{
    int clean = 1;
    /* It takes two times for the code to be where it stays, whatever ran before. */
    time_nops();
    time_nops();
    s->canary[RUNNER_CANARY_NOPS][place] = time_nops();
    time_alu();
    time_alu();
    s->canary[RUNNER_CANARY_ALU][place] = time_alu();
    time_chase(); /* what ran before may have thrown its lines out */
    s->canary[RUNNER_CANARY_CHASE][place] = time_chase();
    const uint64_t chain = s->chain[1] - s->chain[0];
    for (int kind = 0; kind < RUNNER_CANARIES; kind++)
        clean &= !limits[kind] || s->canary[kind][place] <= (chain * limits[kind] >> 16) + slack;
    return clean;
}

static __attribute__((noinline)) void take_multiplications(runner_sample *s)
{
    s->chain[0] = time_short_chain();
    s->chain[1] = time_long_chain();
}

/* Has the chains' code in the second-level cache at least: execution does not wait for it then. A block can
 * flush the code, and what comes slowly from memory looks like a slow clock, by which all cycles are fewer.
 */
static void fetch_chains(void)
{
    enum {
        BYTES = (RUNNER_CHAIN_SHORT + RUNNER_CHAIN_LONG) * 4 + 256, /* and what is around them */
        LINE_BYTES = 64
    };
    const volatile uint8_t *code = (const volatile uint8_t *)(uintptr_t)take_multiplications;
    for (unsigned at = 0; at < BYTES; at += LINE_BYTES)
        (void)code[at];
    __asm__ volatile("lfence" : : : "memory");
}

static void rulers_take_chains(runner_sample *s, uint32_t with_adds)
{
    fetch_chains();
    take_multiplications(s);
    if (with_adds) {
        s->adds[0] = time_short_adds();
        s->adds[1] = time_long_adds();
    }
}

#endif
