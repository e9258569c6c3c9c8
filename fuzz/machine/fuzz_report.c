/* fuzz_report.c - the measuring side under attack: blocks of every kind of plan, and reports that no runner
 * ever wrote. Whatever they say, there is a status and nothing else happens.
 *
 * The input: a byte that chooses block and mode, then the reports, each as it comes: how the process ended,
 * the counts, and bytes that are repeated to fill what the counts say is there. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "given.h"
#include "machine/measure/job.h"

enum {
    COUNTS = offsetof(runner_report, stage), /* they are between this and the faults */
    FEW_STEPS = 40                           /* more take long */
};

static given input;

static __attribute__((noinline)) void take(void *out, size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((uint8_t *)out)[i] = given_byte(&input);
}

/* Repeats what is next in the input over `size` bytes. */
static void fill(void *out, size_t size)
{
    uint8_t pattern[sizeof(runner_sample)];
    const size_t n = 1 + given_byte(&input) % sizeof pattern;
    take(pattern, n);
    for (size_t at = 0; at < size; at += n)
        memcpy((uint8_t *)out + at, pattern, size - at < n ? size - at : n);
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Instead of the process: linked in place of child_run. */
int __wrap_child_run(child_host *h, double seconds, child_end *end, int *signal, tacho_error *err);
int __wrap_child_run(child_host *h, double seconds, child_end *end, int *signal, tacho_error *err)
{
    runner_report *r = (runner_report *)(uintptr_t)h->report;
    const uint8_t how = given_byte(&input);
    (void)seconds;
    (void)err;
    take((uint8_t *)r + COUNTS, offsetof(runner_report, faults) - COUNTS);
    if (how & 1) { /* as if it had ended well, or nothing further would be looked at */
        r->stage = RUNNER_STAGE_DONE;
        r->failure = RUNNER_OK;
        r->samples_taken = r->attempts_made = h->plan->sample_count;
        r->fault_count = least(r->fault_count, h->plan->max_faults);
        r->short_faults = least(r->short_faults, r->fault_count);
        r->step_count %= how & 4 ? RUNNER_MAX_STEPS + 1 : FEW_STEPS;
    }
    fill(r->faults, least(r->fault_count, RUNNER_MAX_FAULTS) * sizeof *r->faults);
    fill(r->steps, least(r->step_count, RUNNER_MAX_STEPS) * sizeof *r->steps);
    fill(r->samples, least(r->samples_taken, RUNNER_MAX_SAMPLES) * sizeof *r->samples);
    *end = how < 0xc0 ? (child_report_is_possible(h->plan, r) ? CHILD_EXITED : CHILD_NONSENSE)
           : how & 2  ? CHILD_KILLED
                      : CHILD_TIMEOUT;
    *signal = *end == CHILD_KILLED ? how & 31 : 0;
    return 0;
}

static const char *const blocks[] = {
    "\x48\x0f\xaf\xc0",                                 /* imul rax, rax */
    "\x48\x8b\x06\x48\x89\x47\x08",                     /* mov rax, [rsi]; mov [rdi + 8], rax */
    "\x48\x0f\xaf\xc0\x49\xff\xcf\x75\xf7",             /* imul rax, rax; dec r15; jnz */
    "\x48\x8b\x1b\x48\x85\xdb\x75\xf8",                 /* mov rbx, [rbx]; test rbx, rbx; jnz */
    "\x48\x83\xc3\x08\x48\x39\xcb\x75\xf7",             /* add rbx, 8; cmp rbx, rcx; jne */
    "\x48\x8b\x1b\x48\x8d\x5b\x08\x48\x39\xd9\x77\xf4", /* mov rbx, [rbx]; lea rbx, [rbx + 8]; cmp rcx, rbx;
                                                           ja */
    "\xd8\xc3\x0f\x57\xc1",                             /* fadd st, st(3); xorps xmm0, xmm1 */
    "\x50\x48\x01\xc8\x48\x01\xda\x48\x01\xfe\x4c\x01\xc5\x4d\x01\xd1\x4d\x01\xe3\x4d\x01\xf5\x49\x01\xc7",
};

static void run_job(tacho_measurer *m, job *j, const uint8_t *code, const tacho_measure_options *o)
{
    static const quality_plan quality = {24, 2, 8, 0.5};
    tacho_error err;
    if (job_prepare(m, j, code, strlen((const char *)code), o, &err))
        abort();
    if (j->done || job_scout(m, j, &err))
        return;
    for (int i = 0; i < 3 && !j->done; i++) {
        if (job_pass(m, j, &quality, i == 2, &err))
            return;
        if (!j->done)
            job_conclude(m, j, &quality);
    }
    if (!*tacho_measure_status_name(j->out->status))
        abort();
}

static tacho_measurer *make_measurer(void)
{
    tacho_measurer *m = calloc(1, sizeof *m);
    runner_report *report = calloc(1, sizeof *report);
    if (!m || !report)
        abort();
    m->host = (child_host)CHILD_HOST_INIT;
    m->host.plan = calloc(1, RUNNER_CODE_OFFSET + RUNNER_PLACES * RUNNER_CODE_BYTES);
    if (!m->host.plan)
        abort();
    m->host.report = report;
    m->host.code = (uint8_t *)m->host.plan + RUNNER_CODE_OFFSET;
    m->clock.clock = TACHO_CLOCK_TSC_CALIBRATED;
    m->has_sse41 = m->has_avx = true;
    m->own_pages = 6;
    return m;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static tacho_measurer *m;
    static job j;
    tacho_measurement out = {0};
    tacho_measure_options o = TACHO_MEASURE_OPTIONS_INIT;
    if (!m)
        m = make_measurer();
    input = given_start(data, size);
    const uint8_t choice = given_byte(&input);
    memset(&j, 0, sizeof j);
    j.out = &out;
    m->is_intel = choice & 1;
    m->profile = (clock_profile){.tsc_hz = 2e9,
                                 .granularity = choice & 2 ? 26 : 1,
                                 .imul_latency = 3,
                                 .core_clock = 1.5,
                                 .multiplier = choice & 1 ? 30 : 0,
                                 .start = 100,
                                 .canary = {500, 400, 480},
                                 .chains_agree = true};
    o.mode = (tacho_mode)(choice >> 2 & 1   ? TACHO_MODE_LOOP
                          : choice >> 3 & 1 ? TACHO_MODE_UNROLL
                                            : TACHO_MODE_AUTO);
    run_job(m, &j, (const uint8_t *)blocks[choice >> 4 & 7], &o);
    job_free(&j);
    return 0;
}
