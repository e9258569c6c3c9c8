/* doctor_clock.c - how good the time stamp counter is here, and what the core's clock is in its ticks, by the
 * rulers that a measurement has beside each sample (machine/measure/rulers.h).
 *
 * Core cycles a tick: the difference of a long and a short chain of known latency, so that what reading costs
 * is not in it. Of the two sets of samples, long and short, the trimmed means are subtracted: single
 * differences are as coarse as the counter's steps, their mean is not. The canaries have a known time as long
 * as nobody else uses the core. */
#include <math.h>

#include "base/mem.h"
#include "base/number.h"
#include "base/seconds.h"
#include "machine/doctor/doctor_internal.h"
#include "machine/measure/measure_clock.h"
#include "machine/measure/ticks.h"

enum {
    LOOKS = 60, /* each is a process of its own */
    LOOK_SAMPLES = 200,
    WARM_UPS = 50,
    MOST = 3 * LOOKS * LOOK_SAMPLES,
    IMUL_CYCLES = 3, /* of a multiplication in a chain */
    ADD_CYCLES = 1
};
static const double look_seconds = 0.008; /* from one look to the next */

typedef enum series {
    IMUL,
    ADD,
    RATIO,  /* sample by sample; canaries are in cycles by it */
    CANARY, /* the first of each kind */
    SERIES_COUNT = CANARY + RUNNER_CANARIES
} series;

typedef struct samples {
    size_t counts[SERIES_COUNT];
    double values[SERIES_COUNT][MOST];
} samples;

static doctor_quantiles quantiles(double *values, size_t count)
{
    numbers_sort(values, count);
    return (doctor_quantiles){numbers_quantile(values, count, 0.05), numbers_quantile(values, count, 0.5),
                              numbers_quantile(values, count, 0.95)};
}

/* Cycles a tick: of the values from the 10 % to the 75 % quantile; sorts. */
static double ratio_of(samples *s, series of, double cycles)
{
    double *values = s->values[of], sum = 0;
    size_t count = s->counts[of], from = count / 10, to = count - count / 4;
    numbers_sort(values, count);
    for (size_t i = from; i < to; i++)
        sum += values[i];
    return sum > 0 ? cycles * (double)(to - from) / sum : 0;
}

/* Share of values that are no more than 1 % and two steps of the counter above the 5 % quantile; sorts. */
static double share_clean(double *values, size_t count, double step)
{
    double limit = 1.01 * quantiles(values, count).low + 2 * step;
    size_t n = 0;
    while (n < count && values[n] <= limit)
        n++;
    return count ? (double)n / (double)count : 0;
}

static double find_read_cost(double *scratch)
{
    for (size_t i = 0; i < LOOK_SAMPLES; i++) {
        uint64_t start = ticks_now();
        scratch[i] = (double)(ticks_now() - start);
    }
    return quantiles(scratch, LOOK_SAMPLES).median;
}

static void keep(samples *s, series of, double value)
{
    s->values[of][s->counts[of]++] = value;
}

static void take(samples *s, const runner_sample *r)
{
    const double imul = (double)r->chain[1] - r->chain[0];
    const double ratio = imul > 0 ? IMUL_CYCLES * (RUNNER_CHAIN_LONG - RUNNER_CHAIN_SHORT) / imul : 0;
    keep(s, IMUL, imul);
    keep(s, ADD, (double)r->adds[1] - r->adds[0]);
    keep(s, RATIO, ratio);
    for (int kind = 0; kind < RUNNER_CANARIES; kind++)
        for (int place = 0; place < 3; place++)
            keep(s, CANARY + (series)kind, r->canary[kind][place] * ratio);
}

static void summarise(samples *s, doctor_clocks *out)
{
    const double cycles = IMUL_CYCLES * (RUNNER_CHAIN_LONG - RUNNER_CHAIN_SHORT);
    out->imul = ratio_of(s, IMUL, cycles);
    out->add = ratio_of(s, ADD, ADD_CYCLES * (RUNNER_ADDS_LONG - RUNNER_ADDS_SHORT));
    const double step_cycles = out->granularity * out->imul;
    out->drift = quantiles(s->values[RATIO], s->counts[RATIO]);
    out->drift_step = step_cycles / cycles;
    out->clean = 1;
    for (series kind = CANARY; kind < SERIES_COUNT; kind++)
        out->clean = fmin(out->clean, share_clean(s->values[kind], s->counts[kind], step_cycles));
}

static int take_samples(samples *s, int cpu, tacho_error *err)
{
    child_host h = CHILD_HOST_INIT;
    int failed = child_host_open(&h, cpu, err);
    const double start = seconds_now();
    for (int look = 0; look < LOOKS && !failed; look++) {
        seconds_pause(start + look * look_seconds - seconds_now());
        failed = clock_samples(&h, LOOK_SAMPLES, WARM_UPS, err);
        for (int i = 0; i < LOOK_SAMPLES && !failed; i++)
            take(s, &h.report->samples[i]);
    }
    child_host_close(&h);
    return failed;
}

int doctor_measure_clocks(doctor_clocks *out, int cpu, tacho_error *err)
{
    samples *s = tacho_mem_zalloc(1, sizeof *s);
    *out = (doctor_clocks){0};
    if (!s)
        return tacho_no_memory(err);
    out->granularity = clock_step();
    out->read_cost = find_read_cost(s->values[RATIO]);
    out->tsc_mhz = clock_tsc_hz() / 1e6;
    int failed = take_samples(s, cpu, err);
    if (!failed)
        summarise(s, out);
    tacho_mem_free(s);
    return failed;
}
