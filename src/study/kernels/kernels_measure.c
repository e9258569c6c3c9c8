/* kernels_measure.c - core cycles of a variant's region: samples by the loader, in fresh processes, put
 * together as tacho measure does (machine/measure/estimate.h). The paper takes the smallest of four
 * measurements; here the lower part of many samples is averaged, of which none was disturbed as far as the
 * canaries can tell. */

#include "base/mem.h"
#include "base/seconds.h"
#include "machine/measure/job.h"
#include "study/kernels/kernels_internal.h"
#include "study/kernels/loader.h"

static const quality_plan quality = {.samples = 60, .min_passes = 4, .max_passes = 12, .seconds = 3};

enum {
    WARM_UPS = 3,
    ATTEMPTS = 20,                   /* for each sample that is wanted */
    FEWEST = ESTIMATE_FEWEST * 5 / 4 /* samples of a long region: some may turn out to be disturbed */
};
#define PASS_SECONDS      4.0 /* of sampling: long regions get fewer samples, or take longer for the fewest */
#define MOST_PASS_SECONDS 15.0
#define PAUSE_SECONDS     0.004
#define MAX_PAUSE_SECONDS 0.25

typedef struct measuring {
    tacho_kernels *k;
    tacho_measurer *m;
    kernels_run run;
    job *job; /* what estimates are made of; its block is empty */
    tacho_measurement result;
    tacho_error *err;
} measuring;

static double most_seconds(const measuring *s)
{
    return fmin(MOST_PASS_SECONDS, s->k->options.seconds / 2);
}

static void make_plan(const measuring *s, const clock_profile *profile)
{
    loader_control *c = s->run.control;
    memset(c, 0, offsetof(loader_control, samples));
    c->sample_count = quality.samples;
    c->attempts = quality.samples * ATTEMPTS;
    c->warm_ups = WARM_UPS;
    c->fewest = FEWEST;
    c->most_seconds = most_seconds(s);
    c->seconds = fmin(PASS_SECONDS, c->most_seconds);
    c->event_count = s->m->counters.count ? 1 : 0;
    memcpy(c->event, s->m->counters.attributes[0], sizeof c->event);
    estimate_limits(profile, c->limits, &c->slack);
}

static bool is_too_long(const loader_control *c, uint32_t taken)
{
    for (uint32_t i = 0; i < taken; i++)
        if (c->samples[i].run[1] == UINT32_MAX)
            return true;
    return false;
}

static void take_pass(measuring *s, const clock_profile *profile, bool disturbed, tacho_kernel_status *status,
                      char message[KERNELS_MESSAGE_SIZE])
{
    const loader_control *c = s->run.control;
    pass_estimate *pass = &s->job->passes[s->job->pass_count++];
    uint32_t taken = c->samples_taken < quality.samples ? c->samples_taken : quality.samples;
    if (is_too_long(c, taken)) {
        *status = TACHO_KERNEL_FAILED;
        snprintf(message, KERNELS_MESSAGE_SIZE, "its region takes too long to be measured");
        return;
    }
    if (disturbed && !taken) {
        *status = TACHO_KERNEL_TIMEOUT;
        snprintf(message, KERNELS_MESSAGE_SIZE, "no sample was taken in %g s", c->most_seconds);
        return;
    }
    estimate_pass(profile, c->samples, taken, estimate_unit_of(s->m->clock.clock), true, 1, 1, s->m->scratch,
                  pass);
    s->result.samples += c->attempts_made;
    s->result.accepted += pass->accepted;
}

/* Another process. `disturbed`: it takes samples as they come. */
static int run_pass(measuring *s, size_t variant, bool disturbed, tacho_kernel_status *status,
                    char message[KERNELS_MESSAGE_SIZE])
{
    if (kernels_is_stopped(s->k))
        return kernels_cancelled(s->err);
    char loader[KERNELS_PATH_SIZE], object[KERNELS_PATH_SIZE];
    measurer_look(s->m);
    clock_profile profile = s->m->profile;
    if (disturbed)
        memset(profile.canary, 0, sizeof profile.canary);
    kernels_loader_path(s->k, loader);
    kernels_object_path(s->k, variant, object);
    const char *const argv[] = {loader, "measure", object, NULL};
    make_plan(s, &profile);
    int rc = kernels_run_loader(&s->run, argv, s->k->options.seconds, status, message, s->err);
    if (!rc && *status == TACHO_KERNEL_COUNTED)
        take_pass(s, &profile, disturbed, status, message);
    return rc;
}

/* Passes until they agree, or it is enough. While they are disturbed the pauses grow. */
static int measure_passes(measuring *s, size_t variant, tacho_kernel_status *status,
                          char message[KERNELS_MESSAGE_SIZE])
{
    job *j = s->job;
    double started = seconds_now(), pause = PAUSE_SECONDS;
    for (;;) {
        int rc = run_pass(s, variant, false, status, message);
        if (rc || *status != TACHO_KERNEL_COUNTED)
            return rc;
        if (j->pass_count >= quality.min_passes && job_conclude(s->m, j, &quality))
            return 0;
        if (job_is_enough(j, &quality, seconds_now() - started))
            break;
        pause = estimate_undisturbed(&s->m->profile, &j->passes[j->pass_count - 1])
                    ? PAUSE_SECONDS
                    : fmin(2 * pause, MAX_PAUSE_SECONDS);
        seconds_pause(pause);
    }
    int rc = job_has_number(j) ? 0 : run_pass(s, variant, true, status, message);
    if (!rc && *status == TACHO_KERNEL_COUNTED)
        job_conclude(s->m, j, &quality);
    return rc;
}

static int measure_variant(measuring *s, size_t variant)
{
    tacho_kernel_variant *v = &s->k->variants[variant];
    tacho_kernel_status status = TACHO_KERNEL_COUNTED;
    char message[KERNELS_MESSAGE_SIZE] = "";
    memset(s->job, 0, sizeof *s->job);
    s->result = (tacho_measurement){.mode = TACHO_MODE_UNROLL, .clock = s->m->clock.clock};
    s->job->out = &s->result;
    int rc = measure_passes(s, variant, &status, message);
    if (rc)
        return rc;
    if (status == TACHO_KERNEL_COUNTED && s->result.cycles > 0) {
        status = s->result.status == TACHO_MEASURED_OK ? TACHO_KERNEL_OK : TACHO_KERNEL_UNSTABLE;
        v->cycles = s->result.cycles;
        v->uncertainty = s->result.uncertainty;
        v->passes = s->result.passes;
        snprintf(message, sizeof message, "%s", s->result.message);
    } else if (status == TACHO_KERNEL_COUNTED) {
        status = TACHO_KERNEL_FAILED;
        snprintf(message, sizeof message,
                 "it could not be measured: passes of %g s had fewer than %d undisturbed samples (%u of %u "
                 "in all)",
                 most_seconds(s), ESTIMATE_FEWEST, s->result.accepted, s->result.samples);
    }
    v->status = status;
    v->message = *message ? arena_text(&s->k->texts, message) : "";
    return v->message ? kernels_write_variant(s->k, variant, s->err) : tacho_no_memory(s->err);
}

static int measure_all(measuring *s)
{
    tacho_kernels *k = s->k;
    size_t count = 0, done = 0;
    int rc = 0;
    for (size_t i = 0; i < k->result.variant_count; i++)
        count += k->variants[i].status == TACHO_KERNEL_COUNTED;
    for (size_t i = 0; i < k->result.variant_count && !rc; i++)
        if (k->variants[i].status == TACHO_KERNEL_COUNTED) {
            rc = measure_variant(s, i);
            if (k->options.progress)
                k->options.progress(k->options.payload, "measured", ++done, count);
        }
    return rc;
}

int tacho_kernels_measure(tacho_kernels *k, tacho_measurer *m, tacho_error *err)
{
    measuring s = {.k = k, .m = m, .err = err};
    tacho_kernels_view(k);
    if (!k->result.status_count[TACHO_KERNEL_COUNTED])
        return 0;
    if (k->result.clock != TACHO_CLOCK_AUTO && k->result.clock != m->clock.clock)
        return tacho_error_set(err, TACHO_ERR_USAGE,
                               "the study has been measured by another clock (%s), and cannot go on with %s",
                               tacho_clock_name(k->result.clock), tacho_clock_name(m->clock.clock));
    double started = seconds_now();
    cpu_set_t cpu;
    CPU_ZERO(&cpu);
    CPU_SET(m->host.cpu, &cpu);
    k->result.clock = m->clock.clock;
    s.job = tacho_mem_zalloc(1, sizeof *s.job);
    int rc = kernels_run_open(&s.run, k, &cpu, err)
             ?: (s.job ? kernels_write_loader(k, err) : tacho_no_memory(err))
             ?: measure_all(&s);
    kernels_run_close(&s.run);
    tacho_mem_free(s.job);
    k->result.measure_seconds += seconds_now() - started;
    return rc;
}
