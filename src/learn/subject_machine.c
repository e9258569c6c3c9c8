/* subject_machine.c - this machine answers: loops are measured, and those that are not stable again. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "learn/host.h"
#include "learn/subject.h"

enum {
    ATTEMPTS = 6,
    FEW_ATTEMPTS = 3,
    LOOPS_A_MEASURER = 1000 /* what a measurer takes for an undisturbed machine gets old */
};

static int renew_measurer(subject *s, tacho_error *err)
{
    tacho_measurer_free(s->measurer);
    s->measured = 0;
    tacho_error own, *why = err ? err : &own;
    s->measurer = tacho_measurer_new(&s->measuring, why);
    return s->measurer ? 0 : why->code;
}

static bool is_final(const subject_loop *loop)
{
    return loop->status != TACHO_MEASURED_UNSTABLE && loop->status != TACHO_MEASURED_TIMEOUT;
}

/* Jobs share one set of values. */
static bool same_values(const subject_loop *a, const subject_loop *b)
{
    return a->mode == b->mode && a->known == b->known && !memcmp(a->values, b->values, sizeof a->values);
}

/* Those of `loops` that have the mode and values of the first. */
static int measure_alike(subject *s, subject_loop **loops, size_t count, tacho_error *err)
{
    tacho_measure_options o = TACHO_MEASURE_OPTIONS_INIT;
    tacho_measure_job *jobs = tacho_mem_zalloc(count, sizeof *jobs);
    size_t n = 0;
    if (!jobs)
        return tacho_no_memory(err);
    o.mode = loops[0]->mode;
    o.known_values = loops[0]->values;
    o.known_mask = loops[0]->known;
    o.quality = s->quality;
    o.stop = s->stop;
    o.stop_payload = s->payload;
    for (size_t i = 0; i < count; i++)
        if (same_values(loops[i], loops[0]))
            jobs[n++] = (tacho_measure_job){.code = loops[i]->code, .code_size = loops[i]->size};
    int failed = s->measured > LOOPS_A_MEASURER ? renew_measurer(s, err) : 0;
    s->measured += n;
    if (!failed)
        failed = tacho_measure_many(s->measurer, jobs, n, &o, err);
    for (size_t i = 0, k = 0; !failed && i < count; i++)
        if (same_values(loops[i], loops[0])) {
            const tacho_measurement *r = &jobs[k++].result;
            loops[i]->status = r->status;
            loops[i]->cycles = r->cycles;
            loops[i]->uncertainty = r->uncertainty;
        }
    tacho_mem_free(jobs);
    return failed;
}

/* One batch for each mode and set of values. */
static int measure_once(subject *s, subject_loop **loops, size_t count, tacho_error *err)
{
    int failed = 0;
    for (size_t i = 0; i < count; i++)
        loops[i]->status = TACHO_MEASURED_TIMEOUT;
    for (size_t i = 0; i < count && !failed; i++) {
        bool first = true;
        for (size_t k = 0; k < i; k++)
            first &= !same_values(loops[k], loops[i]);
        if (first)
            failed = measure_alike(s, loops + i, count - i, err);
    }
    return failed;
}

/* Whether code is disturbed that is stable on any processor. */
static int is_busy(subject *s, bool *busy, tacho_error *err)
{
    subject_loop chain = {.mode = TACHO_MODE_LOOP}, *loop = &chain;
    int failed = subject_add(loop, "imul rax, rax", 50, err);
    if (!failed)
        failed = measure_once(s, &loop, 1, err);
    *busy = loop->status != TACHO_MEASURED_OK;
    subject_loop_free(loop);
    return failed;
}

/* Time helps where the machine is busy. */
static int wait_for_quiet(subject *s, unsigned attempt, tacho_error *err)
{
    const struct timespec tenth = {.tv_nsec = 100000000};
    for (unsigned i = 0; i < 5u << attempt; i++) {
        int failed = subject_check_stop(s, err);
        if (failed)
            return failed;
        nanosleep(&tenth, NULL);
    }
    return renew_measurer(s, err);
}

/* What is not stable is put aside, and tried again when the others are done: where it is the code that makes
 * it so, and not a busy machine, only some times. What stays so is not asked again in this process. */
static int measure(subject *s, subject_loop **loops, size_t count, tacho_error *err)
{
    int failed = 0;
    bool busy = true;
    for (unsigned attempt = 0; attempt < (busy ? ATTEMPTS : FEW_ATTEMPTS) && count && !failed; attempt++) {
        size_t left = 0, asked = count;
        failed = measure_once(s, loops, count, err);
        for (size_t i = 0; i < count && !failed; i++)
            if (!is_final(loops[i]))
                loops[left++] = loops[i];
            else
                failed = subject_keep_answer(s, loops[i], err);
        count = left;
        const bool many = left > asked / 4 && left > 2 && attempt + 1 < ATTEMPTS;
        if (!failed && many)
            failed = is_busy(s, &busy, err);
        if (!failed && many && busy)
            failed = wait_for_quiet(s, attempt, err);
    }
    for (size_t i = 0; i < count && !failed; i++) {
        loops[i]->cycles = NAN;
        failed = subject_keep_answer(s, loops[i], err);
    }
    return failed;
}

subject *subject_of_machine(const tacho_measurer_options *measurer, tacho_quality quality, tacho_error *err)
{
    subject *s = subject_new(err);
    if (!s)
        return NULL;
    s->ask = measure;
    s->quality = quality;
    s->measuring = measurer ? *measurer : (tacho_measurer_options)TACHO_MEASURER_OPTIONS_INIT;
    host_identity(s->identity, "");
    if (!renew_measurer(s, err))
        return s;
    subject_free(s);
    return NULL;
}
