/* stream.c - blocks whose passes are interleaved: some are under way at a time, and each is passed over in
 * turn until its result is there, while the others' go on. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/options_take.h"
#include "base/seconds.h"
#include "machine/measure/job.h"

/* See doc/MEASURING.md for what these cost and give. */
static const quality_plan qualities[] = {
    [TACHO_QUALITY_QUICK] = {100, 2, 8, 0.5},
    [TACHO_QUALITY_DEFAULT] = {160, 5, 20, 5},
    [TACHO_QUALITY_THOROUGH] = {400, 12, 60, 20},
};

/* At least between two passes over the same block; longer while disturbances last. */
#define PAUSE_SECONDS     0.004
#define MAX_PAUSE_SECONDS 0.064

enum {
    WINDOW = 64 /* blocks under way */
};

/* A block under way. */
typedef struct place {
    job job;
    tacho_measure_job *given; /* NULL: the place is free */
    double started, due;      /* moments */
    double pause;             /* seconds before the next pass */
} place;

typedef struct stream {
    tacho_measurer *measurer;
    const tacho_measure_options *options;
    const quality_plan *quality;
    tacho_measure_next *next;
    tacho_measure_done *done;
    void *payload;
    place *places;
    bool more; /* blocks to come */
    tacho_error *err;
} stream;

/* Where not one pass found enough undisturbed samples, disturbed ones are better than none. */
static int give_up(const stream *s, job *j)
{
    int failed = job_has_number(j) ? 0 : job_pass(s->measurer, j, s->options, s->quality, true, s->err);
    if (!failed && !j->done)
        job_conclude(s->measurer, j, s->quality);
    j->done = true;
    return failed;
}

/* Another pass. While all are disturbed the pauses grow. */
static int pass_over(const stream *s, place *p)
{
    job *j = &p->job;
    int failed = job_pass(s->measurer, j, s->options, s->quality, false, s->err);
    if (failed || j->done)
        return failed;
    const uint32_t pass = j->pass_count - 1;
    const pass_estimate *e = &j->passes[pass];
    if (p->given->pass_cycles && pass < p->given->pass_capacity)
        p->given->pass_cycles[pass] = e->cycles;
    j->done = j->pass_count >= s->quality->min_passes && job_conclude(s->measurer, j, s->quality);
    if (!j->done && job_is_enough(j, s->quality, seconds_now() - p->started))
        return give_up(s, j);
    p->pause = estimate_undisturbed(&s->measurer->profile, e) ? PAUSE_SECONDS
                                                              : fmin(2 * p->pause, MAX_PAUSE_SECONDS);
    p->due = seconds_now() + p->pause;
    return 0;
}

/* What is wrong with the block itself is a status of it. */
static int begin(const stream *s, place *p)
{
    job *j = &p->job;
    memset(p, 0, offsetof(place, given));
    p->pause = PAUSE_SECONDS;
    p->started = p->due = seconds_now();
    j->out = &p->given->result;
    int failed = job_prepare(s->measurer, j, p->given->code, p->given->code_size, s->options, s->err);
    if (failed == TACHO_ERR_INPUT || failed == TACHO_ERR_LIMIT) {
        j->out->status = TACHO_MEASURED_REJECTED;
        j->out->offset = s->err->offset;
        snprintf(j->out->message, sizeof j->out->message, "%.190s", s->err->message);
        j->done = true;
        return 0;
    }
    return failed || j->done ? failed : job_scout(s->measurer, j, s->options, s->err);
}

static void finish(const stream *s, place *p)
{
    tacho_measure_job *given = p->given;
    job_free(&p->job);
    p->given = NULL;
    s->done(s->payload, given);
}

/* Puts a block into a free place; those that are finished at once make room for the next. */
static int fill(stream *s, place *p)
{
    while (!p->given && s->more) {
        s->more = s->next(s->payload, &p->given);
        if (!s->more) {
            p->given = NULL;
            return 0;
        }
        int failed = begin(s, p);
        if (failed)
            return failed;
        if (p->job.done)
            finish(s, p);
    }
    return 0;
}

static bool is_stopped(const stream *s)
{
    return s->options->stop && s->options->stop(s->options->stop_payload);
}

/* Goes round once. *busy: blocks under way; *due: when the first of them is to go on */
static int go_round(stream *s, size_t *busy, double *due)
{
    *busy = 0;
    *due = INFINITY;
    for (size_t i = 0; i < WINDOW; i++) {
        place *p = &s->places[i];
        if (is_stopped(s))
            return tacho_error_set(s->err, TACHO_ERR_CANCELLED, "the measurements were ended");
        measurer_look(s->measurer);
        int failed = fill(s, p);
        if (!failed && p->given && p->due <= seconds_now()) {
            failed = pass_over(s, p);
            if (!failed && p->job.done)
                finish(s, p);
        }
        if (failed)
            return failed;
        if (p->given) {
            *busy += 1;
            *due = fmin(*due, p->due);
        }
    }
    return 0;
}

static int run(stream *s)
{
    size_t busy;
    double due;
    do {
        int failed = go_round(s, &busy, &due);
        if (failed)
            return failed;
        if (busy == WINDOW || (busy && !s->more))
            seconds_pause(due - seconds_now());
    } while (busy || s->more);
    return 0;
}

OPTIONS_DEFINE(measure, TACHO_MEASURE_OPTIONS_INIT)

static int check_options(const tacho_measure_options *o, tacho_error *err)
{
    if (o->pages > RUNNER_MAX_DATA_PAGES)
        return tacho_error_set(err, TACHO_ERR_USAGE, "physical pages: 1 to %d", RUNNER_MAX_DATA_PAGES);
    if (o->max_pages < 1 || o->max_pages > RUNNER_MAX_FAULTS)
        return tacho_error_set(err, TACHO_ERR_USAGE, "virtual pages: 1 to %d", RUNNER_MAX_FAULTS);
    if (!(o->seconds >= 0.01 && o->seconds <= 600))
        return tacho_error_set(err, TACHO_ERR_USAGE, "deadline: 0.01 to 600 seconds");
    if ((unsigned)o->quality > TACHO_QUALITY_THOROUGH)
        return tacho_error_set(err, TACHO_ERR_USAGE, "no such quality");
    return 0;
}

int tacho_measure_stream(tacho_measurer *m, tacho_measure_next *next, tacho_measure_done *done, void *payload,
                         const tacho_measure_options *options, tacho_error *err)
{
    tacho_measure_options o;
    tacho_error own;
    stream s = {.measurer = m,
                .options = &o,
                .next = next,
                .done = done,
                .payload = payload,
                .more = true,
                .err = err ? err : &own};
    s.err->offset = -1;
    int failed = OPTIONS_TAKE(measure, &o, options, s.err);
    if (failed || (failed = check_options(&o, s.err)))
        return failed;
    s.quality = &qualities[o.quality];
    s.places = tacho_mem_zalloc(WINDOW, sizeof *s.places);
    if (!s.places)
        return tacho_no_memory(err);
    failed = run(&s);
    for (size_t i = 0; i < WINDOW; i++)
        if (s.places[i].given)
            job_free(&s.places[i].job);
    tacho_mem_free(s.places);
    return failed;
}

/* ---- an array of blocks ---- */

typedef struct array {
    tacho_measure_job *jobs;
    size_t count, given;
} array;

static bool next_of_array(void *payload, tacho_measure_job **out)
{
    array *a = payload;
    if (a->given == a->count)
        return false;
    *out = &a->jobs[a->given++];
    return true;
}

static void done_of_array(void *payload, tacho_measure_job *given)
{
}

int tacho_measure_many(tacho_measurer *m, tacho_measure_job *jobs, size_t count,
                       const tacho_measure_options *options, tacho_error *err)
{
    array a = {jobs, count, 0};
    return tacho_measure_stream(m, next_of_array, done_of_array, &a, options, err);
}

int tacho_measure(tacho_measurer *m, const uint8_t *code, size_t size, const tacho_measure_options *options,
                  tacho_measurement *out, tacho_error *err)
{
    tacho_measure_job one = {.code = code, .code_size = size};
    int failed = tacho_measure_many(m, &one, 1, options, err);
    *out = one.result;
    return failed;
}
