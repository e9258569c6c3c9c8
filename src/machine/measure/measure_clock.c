/* measure_clock.c - the clocks of this machine: how fast the time stamp counter is, and what the core does
 * beside it. */
#include <math.h>
#include <string.h>
#include <x86intrin.h>

#include "base/ask_cpuid.h"
#include "base/seconds.h"
#include "machine/measure/measure_clock.h"

enum {
    PROFILE_SAMPLES = 300,
    PROFILE_WARM_UPS = 50,
    LOOK_SAMPLES = 100,
    LOOK_WARM_UPS = 10,
    MAX_LOOKS = 60,
    LOOKS_THAT_AGREE = 5,
    LOOK_NANOSECONDS = 5000000, /* between them */
    LEAF_TSC = 0x15
};

static double from_cpuid(void)
{
    uint32_t r[4];
    return cpuid_ask(LEAF_TSC, 0, r) && r[CPUID_EAX] && r[CPUID_EBX]
               ? (double)r[CPUID_ECX] * r[CPUID_EBX] / r[CPUID_EAX]
               : 0;
}

/* A pair of readings, the tightest of several. */
static void read_both(double *seconds, uint64_t *ticks)
{
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < 20; i++) {
        uint64_t before = __rdtsc();
        double s = seconds_by(CLOCK_MONOTONIC_RAW);
        uint64_t after = __rdtsc();
        if (after - before < best) {
            best = after - before;
            *seconds = s;
            *ticks = before + (after - before) / 2;
        }
    }
}

double clock_tsc_hz(void)
{
    double hz = from_cpuid();
    if (hz > 0)
        return hz;
    double start = 0, end = 0;
    uint64_t from = 0, to = 0;
    read_both(&start, &from);
    nanosleep(&(struct timespec){0, 20000000}, NULL);
    read_both(&end, &to);
    return (double)(to - from) / (end - start);
}

double clock_step(void)
{
    enum {
        LENGTHS = 64, /* multiplications between two readings */
        TIMES = 16
    };
    uint32_t durations[LENGTHS * TIMES];
    uint64_t product = 3;
    for (unsigned i = 0; i < LENGTHS * TIMES; i++) {
        _mm_lfence();
        uint64_t before = __rdtsc();
        for (unsigned k = 0; k < i % LENGTHS; k++)
            __asm__ volatile("imul %0, %0" : "+r"(product));
        _mm_lfence();
        durations[i] = (uint32_t)(__rdtsc() - before);
    }
    return estimate_step(durations, LENGTHS * TIMES);
}

int clock_samples(child_host *h, uint32_t samples, uint32_t warm_ups, tacho_error *err)
{
    runner_plan *plan = h->plan;
    const runner_report *r = h->report;
    child_end end;
    int signal;
    memset(plan, 0, sizeof *plan);
    plan->rulers_only = 1;
    plan->measure_adds = 1;
    plan->data_pages = 1;
    plan->warm_ups = warm_ups;
    plan->sample_count = plan->attempts = samples;
    int failed = child_run(h, 5, &end, &signal, err);
    if (failed)
        return failed;
    if (end == CHILD_EXITED && r->stage == RUNNER_STAGE_DONE && r->samples_taken == samples)
        return 0;
    return tacho_error_set(
        err, TACHO_ERR_SYSTEM,
        "the sandbox does not work here: it stopped at stage %u (signal %d, call %llu: %s)", r->stage, signal,
        (unsigned long long)r->address, strerror((int)r->detail));
}

/* One look at the clocks. */
static int examine_once(child_host *h, uint32_t samples, uint32_t warm_ups, clock_profile *out,
                        tacho_error *err)
{
    int failed = clock_samples(h, samples, warm_ups, err);
    if (!failed && !estimate_profile(h->report->samples, samples, out))
        return tacho_error_set(err, TACHO_ERR_SYSTEM, "the time stamp counter does not count");
    return failed;
}

/* How many looks found what was learnt from them. */
static unsigned agreeing(const clock_profile *p)
{
    unsigned n = 0;
    for (uint32_t i = 0; i < p->history_count; i++)
        n += p->history[RUNNER_CANARY_ALU][i] < p->canary[RUNNER_CANARY_ALU] * 1.02;
    return n;
}

int clock_examine(child_host *h, clock_profile *out, tacho_error *err)
{
    const double hz = clock_tsc_hz();
    const uint32_t step = (uint32_t)ceil(clock_step());
    double best = INFINITY;
    clock_profile learnt = {0};
    out->chains_agree = false;
    for (int i = 0; i < MAX_LOOKS && (agreeing(&learnt) < LOOKS_THAT_AGREE || !out->chains_agree); i++) {
        clock_profile look = {.tsc_hz = hz, .granularity = step};
        if (i)
            nanosleep(&(struct timespec){0, LOOK_NANOSECONDS}, NULL);
        int failed = examine_once(h, PROFILE_SAMPLES, PROFILE_WARM_UPS, &look, err);
        if (failed)
            return failed;
        estimate_learn(&learnt, look.canary);
        /* The one that was disturbed least is believed about the clocks; a neighbour makes chains disagree.
         */
        if (look.chains_agree > out->chains_agree ||
            (look.chains_agree == out->chains_agree && look.canary[RUNNER_CANARY_ALU] < best)) {
            best = look.canary[RUNNER_CANARY_ALU];
            *out = look;
        }
    }
    out->disturbed = learnt.disturbed;
    memcpy(out->canary, learnt.canary, sizeof out->canary);
    memcpy(out->history, learnt.history, sizeof out->history);
    out->history_count = learnt.history_count;
    return 0;
}

int clock_look(child_host *h, clock_profile *p, tacho_error *err)
{
    clock_profile look = {.tsc_hz = p->tsc_hz, .granularity = p->granularity};
    int failed = examine_once(h, LOOK_SAMPLES, LOOK_WARM_UPS, &look, err);
    if (!failed)
        estimate_learn(p, look.canary);
    return failed;
}
