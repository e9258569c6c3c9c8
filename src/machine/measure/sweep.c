/* sweep.c - a loop that walks through arrays of its own, from their beginning to their end, lap by lap, so
 * that its data are where so many bytes have their place. The short run has one lap, which brings them there;
 * what the long one takes more, its further laps, is what counts. Canaries say nothing beside runs that empty
 * the caches: low quantiles count in their place. */
#include <stdio.h>

#include "base/mem.h"
#include "base/number.h"
#include "base/options_take.h"
#include "machine/measure/job.h"

enum {
    PASSES_MOST = 24,
    SAMPLES_LEAST = 4,
    SAMPLES_MOST = 400,
    WARM_UPS = 1
};
static const double pass_seconds = 0.1, low = 0.1,
                    lap_cycles = 30000; /* of all laps of a long run, at least */
static const uint64_t least_iterations = 250, most_bytes = 768 << 20;

static bool is_possible(const tacho_measure_sweep *s)
{
    uint64_t bytes = 0;
    bool ok = s->array_count <= TACHO_MEASURE_MAX_ARRAYS && s->iterations >= least_iterations &&
              s->iterations <= (uint64_t)1 << 32;
    for (size_t i = 0; ok && i < s->array_count; i++) {
        const tacho_measure_array *a = &s->arrays[i];
        ok = a->bytes && a->bytes <= most_bytes && !((a->address | a->bytes) % RUNNER_PAGE) &&
             a->address >= RUNNER_BOTTOM && a->address < RUNNER_TOP - a->bytes &&
             (a->address >= RUNNER_END || a->address + a->bytes <= RUNNER_BASE);
        for (size_t k = 0; ok && k < i; k++)
            ok = a->address + a->bytes <= s->arrays[k].address ||
                 s->arrays[k].address + s->arrays[k].bytes <= a->address;
        bytes += a->bytes;
    }
    return ok && bytes <= most_bytes;
}

/* Ticks that runs take where nothing disturbs them. */
static double ticks_of(const runner_report *r, int is_long, double *scratch)
{
    for (uint32_t i = 0; i < r->samples_taken; i++)
        scratch[i] = r->samples[i].run[is_long];
    numbers_sort(scratch, r->samples_taken);
    return numbers_quantile(scratch, r->samples_taken, low);
}

/* Cycles an iteration, of a pass's samples. */
static double cycles_of(const tacho_measurer *m, const job *j, double *scratch)
{
    const runner_report *r = m->host.report;
    double a_tick = 1;
    const double ticks = ticks_of(r, 1, scratch) - ticks_of(r, 0, scratch);
    for (uint32_t i = 0; i < r->samples_taken; i++)
        scratch[i] = (double)r->samples[i].chain[1] - r->samples[i].chain[0];
    numbers_sort(scratch, r->samples_taken);
    if (estimate_unit_of(m->clock.clock) == ESTIMATE_CALIBRATED)
        a_tick = (RUNNER_CHAIN_LONG - RUNNER_CHAIN_SHORT) * (double)m->profile.imul_latency /
                 numbers_quantile(scratch, r->samples_taken, 0.25);
    return ticks * a_tick / (double)(j->iterations[1] - j->iterations[0]);
}

static int take_pass(tacho_measurer *m, job *j, const tacho_measure_sweep *s, uint32_t samples,
                     tacho_error *err)
{
    int failed = job_make_plan(m, j, false, err);
    if (failed)
        return failed;
    runner_plan *plan = m->host.plan;
    for (size_t i = 0; i < s->array_count; i++)
        plan->arrays[i] = (runner_array){s->arrays[i].address, s->arrays[i].bytes};
    plan->array_count = (uint32_t)s->array_count;
    plan->huge_arrays = s->huge_pages;
    for (int i = 0; i < 2; i++)
        plan->runs[i].laps = j->iterations[i] / s->iterations;
    plan->more = 0;
    plan->warm_ups = WARM_UPS;
    plan->sample_count = plan->attempts = samples;
    return job_run_plan(m, j, err);
}

static void conclude(const tacho_measurer *m, tacho_measurement *out, double *cycles, uint32_t count)
{
    numbers_sort(cycles, count);
    const double low_part = numbers_quantile(cycles, count, 0.25),
                 middle = numbers_quantile(cycles, count, 0.5);
    out->low = cycles[0];
    out->high = cycles[count - 1];
    out->cycles = low_part;
    out->uncertainty = (middle - cycles[0]) / low_part;
    out->core_clock = m->profile.core_clock;
    out->passes = count;
    out->status = out->uncertainty > 0.1 ? TACHO_MEASURED_UNSTABLE : TACHO_MEASURED_OK;
    if (out->status != TACHO_MEASURED_OK)
        snprintf(out->message, sizeof out->message,
                 "passes disagree: %.3g to %.3g cycles; others use the caches, or this processor", out->low,
                 middle);
}

static int sweep(tacho_measurer *m, job *j, const tacho_measure_sweep *s, tacho_error *err)
{
    const tacho_measure_options *options = j->options;
    double cycles[PASSES_MOST];
    const uint32_t passes = options->quality == TACHO_QUALITY_QUICK     ? 5
                            : options->quality == TACHO_QUALITY_DEFAULT ? 11
                                                                        : PASSES_MOST;
    uint32_t samples = SAMPLES_LEAST;
    j->turns[0] = j->turns[1] = s->iterations;
    j->iterations[0] = s->iterations;
    j->iterations[1] = (1 + (uint64_t)ceil(lap_cycles / (double)s->iterations)) * s->iterations;
    j->code.copies[0] = j->code.copies[1] = 1;
    j->code.laps = true;
    for (uint32_t n = 0; n < passes; n++) {
        if (options->stop && options->stop(options->stop_payload))
            return tacho_error_set(err, TACHO_ERR_CANCELLED, "it was interrupted");
        measurer_look(m);
        int failed = take_pass(m, j, s, samples, err);
        if (failed || j->done)
            return failed;
        cycles[n] = cycles_of(m, j, m->scratch);
        j->out->samples += m->host.report->samples_taken;
        j->out->accepted += m->host.report->samples_taken;
        j->out->pages = m->host.report->fault_count;
        const double all = (double)(j->iterations[0] + j->iterations[0] + j->iterations[1]);
        const double seconds = cycles[n] * all / m->profile.core_clock / m->profile.tsc_hz;
        samples = (uint32_t)fmax(SAMPLES_LEAST, fmin(SAMPLES_MOST, pass_seconds / seconds));
    }
    conclude(m, j->out, cycles, passes);
    return 0;
}

/* All registers have values that the walk rests on: none of them is changed to count. */
static int prepare(tacho_measurer *m, job *j, const uint8_t *code, size_t size,
                   const tacho_measure_options *options, tacho_error *err)
{
    int failed = job_prepare(m, j, code, size, options, err);
    if (failed || j->done)
        return failed;
    if (!measure_block_is_loop(&j->block))
        job_stop(j, TACHO_MEASURED_REJECTED, -1,
                 "only a loop can walk through arrays: this does not end in a branch to its beginning");
    else if (j->code.own_branch)
        job_add_counter(j);
    return 0;
}

int tacho_measure_sweep_run(tacho_measurer *m, const uint8_t *code, size_t size,
                            const tacho_measure_options *options, const tacho_measure_sweep *s,
                            tacho_measurement *out, tacho_error *err)
{
    tacho_measure_options o;
    int failed = OPTIONS_TAKE(measure, &o, options, err);
    if (failed)
        return failed;
    if (!is_possible(s))
        return tacho_error_set(err, TACHO_ERR_USAGE, "no such walk: of %llu iterations through %zu arrays",
                               (unsigned long long)s->iterations, s->array_count);
    job *j = tacho_mem_zalloc(1, sizeof *j);
    if (!j)
        return tacho_no_memory(err);
    j->out = out;
    failed = prepare(m, j, code, size, &o, err);
    if (!failed && !j->done)
        failed = sweep(m, j, s, err);
    out->notes = j->block.notes;
    out->repetitions[0] = j->iterations[0];
    out->repetitions[1] = j->iterations[1];
    job_free(j);
    tacho_mem_free(j);
    return failed;
}
