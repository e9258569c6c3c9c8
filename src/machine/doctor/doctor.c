/* doctor.c - the examination: choose the CPU, stay on it, ask and measure, then judge. */
#include "machine/doctor/doctor_internal.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/cpus.h"
#include "base/mem.h"
#include "base/options_take.h"
#include "base/seconds.h"

#define CLOCK_SECONDS       0.5
#define QUICK_CLOCK_SECONDS 0.05
#define JITTER_SECONDS      0.3

/* Sets of up to DOCTOR_MAX_CPUS. */
typedef struct cpus {
    cpu_set_t *set;
    size_t bytes;
} cpus;

static int read_allowed(cpus *c, tacho_error *err)
{
    c->bytes = CPU_ALLOC_SIZE(DOCTOR_MAX_CPUS);
    c->set = tacho_mem_zalloc(1, c->bytes);
    if (!c->set)
        return tacho_no_memory(err);
    if (sched_getaffinity(0, c->bytes, c->set))
        return tacho_error_set(err, TACHO_ERR_SYSTEM, "cannot find out which CPUs this process may use: %s",
                               strerror(errno));
    return TACHO_OK;
}

static int pin(const cpus *c, int cpu, tacho_error *err)
{
    cpu_set_t *one = tacho_mem_zalloc(1, c->bytes);
    if (!one)
        return tacho_no_memory(err);
    CPU_SET_S(cpu, c->bytes, one);
    int result =
        sched_setaffinity(0, c->bytes, one)
            ? tacho_error_set(err, TACHO_ERR_SYSTEM, "cannot stay on CPU %d: %s", cpu, strerror(errno))
            : TACHO_OK;
    tacho_mem_free(one);
    return result;
}

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
    doctor_host h = {.privileged = geteuid() == 0};
    cpus allowed = {0};
    *out = NULL;
    int result = OPTIONS_TAKE(doctor, &o, options, err);
    if (!result)
        result = read_allowed(&allowed, err);
    if (!result)
        result = cpus_choose(o.cpu, &h.cpu, err);
    if (!result)
        result = pin(&allowed, h.cpu, err);
    if (!result) {
        h.quick = o.quick;
        h.cpu_count = (size_t)CPU_COUNT_S(allowed.bytes, allowed.set);
        result = examine_pinned(out, &h, err);
        /* Back to where it was; that was allowed before. */
        sched_setaffinity(0, allowed.bytes, allowed.set);
    }
    tacho_mem_free(allowed.set);
    return result;
}
