/* doctor.c - the examination: choose the CPU, stay on it, ask and measure, then judge. */
#include "machine/doctor/doctor_internal.h"

#include <unistd.h>

#include "base/cpus.h"
#include "base/mem.h"
#include "base/options_take.h"
#include "base/seconds.h"

#define CLOCK_SECONDS       0.5
#define QUICK_CLOCK_SECONDS 0.05
#define JITTER_SECONDS      0.3

static int measure(doctor_host *h, tacho_error *err)
{
    int result = doctor_measure_clocks(&h->clocks, h->quick ? QUICK_CLOCK_SECONDS : CLOCK_SECONDS);
    if (!result && !h->quick)
        result = doctor_measure_jitter(&h->jitter, h->clocks.granularity, h->clocks.tsc_mhz, JITTER_SECONDS);
    return result ? tacho_no_memory(err) : TACHO_OK;
}

static int examine_pinned(tacho_doctor_report **out, doctor_host *h, tacho_error *err)
{
    doctor_ask_cpuid(&h->cpuid);
    doctor_ask_perf(&h->perf);
    doctor_ask_sandbox(&h->sandbox);
    double start = seconds_now();
    doctor_read_usage("", h->cpu, &h->before);
    int result = measure(h, err);
    doctor_read_usage("", h->cpu, &h->after);
    h->seconds = seconds_now() - start;
    return result ? result : doctor_judge(out, "", h, err);
}

int tacho_doctor_examine(tacho_doctor_report **out, const tacho_doctor_options *options, tacho_error *err)
{
    tacho_doctor_options o;
    doctor_host h = {.cpu = 0};
    cpus allowed;
    *out = NULL;
    int result = OPTIONS_TAKE(doctor, &o, options, err);
    if (!result)
        result = cpus_allowed(&allowed, err);
    if (!result)
        result = cpus_choose(o.cpu, &h.cpu, err);
    if (!result)
        result = cpus_stay_on(h.cpu, err);
    if (!result) {
        h.quick = o.quick;
        h.cpu_count = cpus_count(&allowed);
        result = examine_pinned(out, &h, err);
        cpus_return_to(&allowed);
    }
    return result;
}
