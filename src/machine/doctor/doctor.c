/* doctor.c - the examination: choose the CPU, stay on it, ask and measure, then judge. */

#include "base/cpus.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/options_take.h"
#include "base/seconds.h"
#include "machine/doctor/doctor_internal.h"
#include "machine/measure/counters.h"
#include "machine/measure/measure_clock.h"
#include "machine/measure/ticks.h"

/* ---- the clock ---- */

/* How good the time stamp counter is here, and what the core's clock is in its ticks, by the rulers that a
 * measurement has beside each sample (machine/measure/rulers.h), and by its estimates of them: what the
 * doctor finds disturbed, a measurement gives up. */

enum {
    LOOKS = 60, /* each is a process of its own */
    LOOK_SAMPLES = 200,
    WARM_UPS = 50,
    MOST = LOOKS * LOOK_SAMPLES
};
static const double look_seconds = 0.008; /* from one look to the next */

typedef struct looks {
    clock_profile usual; /* with what canaries take undisturbed */
    size_t count;        /* of looks in which the counter counted */
    double imul[LOOKS], add[LOOKS];
    runner_sample samples[MOST];
    double ratios[MOST];
} looks;

static doctor_quantiles quantiles(double *values, size_t count)
{
    numbers_sort(values, count);
    return (doctor_quantiles){numbers_quantile(values, count, 0.05), numbers_quantile(values, count, 0.5),
                              numbers_quantile(values, count, 0.95)};
}

static double find_read_cost(double *scratch)
{
    for (size_t i = 0; i < LOOK_SAMPLES; i++) {
        uint64_t start = ticks_now();
        scratch[i] = (double)(ticks_now() - start);
    }
    return quantiles(scratch, LOOK_SAMPLES).median;
}

static void take(looks *l, const runner_sample *samples)
{
    clock_profile look = {.tsc_hz = l->usual.tsc_hz, .granularity = l->usual.granularity};
    if (!estimate_profile(samples, LOOK_SAMPLES, &look))
        return;
    estimate_learn(&l->usual, look.canary);
    l->imul[l->count] = look.core_clock;
    l->add[l->count] = look.adds_clock;
    memcpy(l->samples + l->count++ * LOOK_SAMPLES, samples, LOOK_SAMPLES * sizeof *samples);
}

static void summarise(looks *l, doctor_clocks *out)
{
    const size_t count = l->count * LOOK_SAMPLES;
    const double cycles = (double)l->usual.imul_latency * (RUNNER_CHAIN_LONG - RUNNER_CHAIN_SHORT);
    size_t clean = 0;
    if (!count || !l->usual.imul_latency)
        return;
    out->imul = quantiles(l->imul, l->count).median;
    out->add = quantiles(l->add, l->count).median;
    for (size_t i = 0; i < count; i++) {
        const runner_sample *s = &l->samples[i];
        clean += estimate_is_clean(&l->usual, s);
        l->ratios[i] = s->chain[1] > s->chain[0] ? cycles / (s->chain[1] - s->chain[0]) : 0;
    }
    out->drift = quantiles(l->ratios, count);
    out->drift_step = out->granularity * out->imul / cycles;
    out->clean = (double)clean / (double)count;
}

static int take_looks(looks *l, int cpu, tacho_error *err)
{
    child_host h = CHILD_HOST_INIT;
    int failed = child_host_open(&h, cpu, err) ?: clock_examine(&h, &l->usual, err);
    const double start = seconds_now();
    for (int look = 0; look < LOOKS && !failed; look++) {
        seconds_pause(start + look * look_seconds - seconds_now());
        failed = clock_samples(&h, LOOK_SAMPLES, WARM_UPS, err);
        if (!failed)
            take(l, h.report->samples);
    }
    child_host_close(&h);
    return failed;
}

/* Samples of the rulers of a measurement, in its sandbox, on a processor.
 * @return 0; TACHO_ERR_SYSTEM: the sandbox does not work; TACHO_ERR_MEMORY */
static int doctor_measure_clocks(doctor_clocks *out, int cpu, tacho_error *err)
{
    looks *l = tacho_mem_zalloc(1, sizeof *l);
    *out = (doctor_clocks){0};
    if (!l)
        return tacho_no_memory(err);
    out->granularity = clock_step();
    out->read_cost = find_read_cost(l->ratios);
    int failed = take_looks(l, cpu, err);
    out->tsc_mhz = l->usual.tsc_hz / 1e6;
    if (!failed)
        summarise(l, out);
    tacho_mem_free(l);
    return failed;
}

OPTIONS_DEFINE(doctor, TACHO_DOCTOR_OPTIONS_INIT)

static int examine_pinned(tacho_doctor_report **out, doctor_host *h, tacho_error *err)
{
    tacho_error why;
    memcpy(h->vendor, cpuid_who().vendor, sizeof h->vendor);
    cpuid_describe(&h->cpuid);
    h->counters_error = counters_try(&h->counters_by_rdpmc);
    double start = seconds_now();
    doctor_read_usage("", h->cpu, &h->before);
    const int failed = doctor_measure_clocks(&h->clocks, h->cpu, &why);
    doctor_read_usage("", h->cpu, &h->after);
    h->seconds = seconds_now() - start;
    if (failed == TACHO_ERR_MEMORY)
        return tacho_no_memory(err);
    h->sandbox = failed ? why.message : NULL;
    return doctor_judge(out, "", h, err);
}

int tacho_doctor_examine(tacho_doctor_report **out, const tacho_doctor_options *options, tacho_error *err)
{
    tacho_doctor_options o;
    doctor_host h = {.cpu = 0};
    cpus allowed;
    *out = NULL;
    int result = OPTIONS_TAKE(doctor, &o, options, err)
                     ?: cpus_allowed(&allowed, err)
                     ?: cpus_choose(o.cpu, &h.cpu, err)
                     ?: cpus_stay_on(h.cpu, err);
    if (!result) {
        h.cpu_count = cpus_count(&allowed);
        result = examine_pinned(out, &h, err);
        cpus_return_to(&allowed);
    }
    return result;
}
