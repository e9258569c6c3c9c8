/* doctor.c - the examination: choose the CPU, stay on it, ask and measure, then judge. */
#include <string.h>

#include "base/cpus.h"
#include "base/mem.h"
#include "base/options_take.h"
#include "base/seconds.h"
#include "machine/doctor/doctor_internal.h"
#include "machine/measure/counters.h"

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
