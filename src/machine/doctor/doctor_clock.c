/* doctor_clock.c - how good the time stamp counter is here, and what the core's clock is in its ticks.
 *
 * Core cycles a tick: the difference of a long and a short chain of known latency, so that what reading costs
 * is not in it. Of two sets of samples, long and short, the trimmed means are subtracted: single differences
 * are as coarse as the counter's steps, their mean is not. The canaries (NOPs and a pointer chase) have a
 * known time as long as nobody else uses the core. */
#include "machine/doctor/doctor_internal.h"

#include <time.h>

#include "base/mem.h"
#include "base/numbers.h"
#include "machine/doctor/ticks.h"
#include "machine/measure/measure_clock.h"

enum {
    MAX_ROUNDS = 4096,
    ROUND_US = 120, /* from one round to the next; a round takes about 40 */
    SHORT_LOOPS = 8,
    LONG_LOOPS = 56, /* under 20 us: seldom interrupted */
    NOP_LOOPS = 8,
    CHASE_LOOPS = 20,
    WARM_UP_MS = 20, /* until the core has its clock */
    LINE_BYTES = 64
};

typedef enum series {
    IMUL_SHORT,
    IMUL_LONG,
    ADD_SHORT,
    ADD_LONG,
    NOPS,
    CHASE,
    RATIO, /* sample by sample; NOPS and CHASE are in cycles by it */
    SERIES_COUNT
} series;

typedef struct samples {
    size_t count;
    double values[SERIES_COUNT][MAX_ROUNDS];
    _Alignas(LINE_BYTES) void *lines[DOCTOR_LOADS][LINE_BYTES / sizeof(void *)];
} samples;

static doctor_quantiles quantiles(double *values, size_t count)
{
    numbers_sort(values, count);
    return (doctor_quantiles){numbers_quantile(values, count, 0.05), numbers_quantile(values, count, 0.5),
                              numbers_quantile(values, count, 0.95)};
}

/* Of those from the 10 % to the 75 % quantile; sorts. */
static double trimmed_mean(double *values, size_t count)
{
    size_t from = count / 10, to = count - count / 4;
    double sum = 0;
    numbers_sort(values, count);
    for (size_t i = from; i < to; i++)
        sum += values[i];
    return sum / (double)(to - from);
}

/* Share of sorted values that are no more than 1 % and two steps of the counter above the 5 % quantile. */
static double share_clean(const double *sorted, size_t count, double step)
{
    double limit = 1.01 * numbers_quantile(sorted, count, 0.05) + 2 * step;
    size_t n = 0;
    while (n < count && sorted[n] <= limit)
        n++;
    return (double)n / (double)count;
}

/* ---- the time stamp counter alone ---- */

static double find_read_cost(double *scratch)
{
    for (size_t i = 0; i < MAX_ROUNDS; i++) {
        uint64_t start = doctor_ticks();
        scratch[i] = (double)(doctor_ticks() - start);
    }
    return quantiles(scratch, MAX_ROUNDS).median;
}

typedef struct instant {
    double nanoseconds, ticks;
} instant;

/* Both clocks at one time: the tightest of some readings. */
static instant now(void)
{
    instant best = {0, 0};
    uint64_t best_width = UINT64_MAX;
    for (int i = 0; i < 20; i++) {
        struct timespec t;
        uint64_t before = doctor_ticks();
        clock_gettime(CLOCK_MONOTONIC, &t);
        uint64_t width = doctor_ticks() - before;
        if (width < best_width) {
            best_width = width;
            best = (instant){(double)t.tv_sec * 1e9 + (double)t.tv_nsec, (double)before + (double)width / 2};
        }
    }
    return best;
}

static void wait_until(double nanoseconds)
{
    struct timespec t;
    do {
        doctor_time_imul(1);
        clock_gettime(CLOCK_MONOTONIC, &t);
    } while ((double)t.tv_sec * 1e9 + (double)t.tv_nsec < nanoseconds);
}

/* ---- chains and canaries ---- */

/* A ring of pointers through all lines, seven lines on each time so that no prefetcher runs ahead in it. */
static void make_ring(samples *s)
{
    for (size_t i = 0; i < DOCTOR_LOADS; i++)
        s->lines[i][0] = &s->lines[(i + 7) % DOCTOR_LOADS][0];
}

static void take_round(samples *s)
{
    size_t i = s->count++;
    double *at[SERIES_COUNT];
    for (int k = 0; k < SERIES_COUNT; k++)
        at[k] = &s->values[k][i];
    *at[IMUL_SHORT] = (double)doctor_time_imul(SHORT_LOOPS);
    *at[IMUL_LONG] = (double)doctor_time_imul(LONG_LOOPS);
    *at[NOPS] = (double)doctor_time_nops(NOP_LOOPS);
    *at[CHASE] = (double)doctor_time_chase(CHASE_LOOPS, &s->lines[0][0]);
    *at[ADD_SHORT] = (double)doctor_time_add(SHORT_LOOPS);
    *at[ADD_LONG] = (double)doctor_time_add(LONG_LOOPS);
    double ticks = *at[IMUL_LONG] - *at[IMUL_SHORT];
    *at[RATIO] = ticks > 0 ? (LONG_LOOPS - SHORT_LOOPS) * (double)DOCTOR_CHAIN_CYCLES / ticks : 0;
    *at[NOPS] *= *at[RATIO];
    *at[CHASE] *= *at[RATIO];
}

static void take_samples(samples *s, double seconds)
{
    double start = now().nanoseconds, end = start + seconds * 1e9;
    while (s->count < MAX_ROUNDS) {
        take_round(s);
        double next = start + (double)s->count * ROUND_US * 1e3;
        if (next >= end)
            break;
        wait_until(next);
    }
}

static double ratio_of(samples *s, series short_one, series long_one)
{
    double cycles = (LONG_LOOPS - SHORT_LOOPS) * (double)DOCTOR_CHAIN_CYCLES;
    double ticks = trimmed_mean(s->values[long_one], s->count) - trimmed_mean(s->values[short_one], s->count);
    return ticks > 0 ? cycles / ticks : 0;
}

static void summarise(samples *s, doctor_clocks *out)
{
    out->imul = ratio_of(s, IMUL_SHORT, IMUL_LONG);
    out->add = ratio_of(s, ADD_SHORT, ADD_LONG);
    double step_cycles = out->granularity * out->imul;
    out->drift = quantiles(s->values[RATIO], s->count);
    out->drift_step = step_cycles / ((LONG_LOOPS - SHORT_LOOPS) * DOCTOR_CHAIN_CYCLES);
    out->nops = quantiles(s->values[NOPS], s->count);
    out->chase = quantiles(s->values[CHASE], s->count);
    out->clean_nops = share_clean(s->values[NOPS], s->count, step_cycles);
    out->clean_chase = share_clean(s->values[CHASE], s->count, step_cycles);
}

int doctor_measure_clocks(doctor_clocks *out, double seconds)
{
    *out = (doctor_clocks){0};
    /* With room to align it: zalloc promises 16 bytes. */
    void *memory = tacho_mem_zalloc(1, sizeof(samples) + LINE_BYTES);
    if (!memory)
        return TACHO_ERR_MEMORY;
    samples *s = (samples *)(((uintptr_t)memory + LINE_BYTES - 1) & ~(uintptr_t)(LINE_BYTES - 1));
    make_ring(s);
    wait_until(now().nanoseconds + WARM_UP_MS * 1e6);
    instant start = now();
    out->granularity = clock_step();
    out->read_cost = find_read_cost(s->values[RATIO]);
    take_samples(s, seconds);
    instant end = now();
    out->tsc_mhz = (end.ticks - start.ticks) / (end.nanoseconds - start.nanoseconds) * 1e3;
    out->seconds = (end.nanoseconds - start.nanoseconds) / 1e9;
    summarise(s, out);
    tacho_mem_free(memory);
    return TACHO_OK;
}
