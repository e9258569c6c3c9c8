/* extract_run.c - the blocks of a run: how it is watched, and for how long. */
#include "binary/extract/extract_run.h"

#include <signal.h>
#include <sys/wait.h>

#include "base/names.h"
#include "base/options_take.h"
#include "base/parallel.h"
#include "base/seconds.h"
#include "binary/extract/tracer.h"

/* ---- under ptrace ---- */

/* A run under ptrace, from start to blocks. A thread of its own starts and traces the command: ptrace wants
 * all from one thread, which waits for its own children only; the caller's thread looks at the clock. */

typedef struct tracing {
    tracer *tracer;
    char *const *argv;
    int rc;
    bool done;
    pthread_mutex_t lock; /* of `done` */
    pthread_cond_t end;
} tracing;

enum {
    RUN_GOES_ON = 0,
    RUN_ENDS,
    RUN_IS_KILLED /* at once */
};

/* Whether it is time to end the run: asks the caller, looks at the clock. */
static int run_is_over(run_watch *w, uint64_t stops)
{
    const tacho_extract_run_options *o = w->options;
    const tacho_extract_progress p = {seconds_now() - w->started, stops};
    int asked = o->progress ? o->progress(&p, o->payload) : 0;
    bool late = o->timeout_seconds > 0 && p.seconds >= o->timeout_seconds;
    return asked > 1 ? RUN_IS_KILLED : asked || late ? RUN_ENDS : RUN_GOES_ON;
}

static void *trace(void *payload)
{
    tracing *t = payload;
    t->rc = tracer_start(t->tracer, t->argv);
    if (!t->rc)
        tracer_run(t->tracer);
    pthread_mutex_lock(&t->lock);
    t->done = true;
    pthread_cond_signal(&t->end);
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

/* Until the run is over, or is to be ended, which is then done. */
static void wait_for_end(tracing *t, run_watch *w, double grace_seconds, tacho_extract_run *out)
{
    double asked = 0;
    out->ended = true;
    pthread_mutex_lock(&t->lock);
    while (!t->done) {
        parallel_wait_ms(&t->end, &t->lock, 100);
        int over = t->done ? RUN_GOES_ON : run_is_over(w, t->tracer->stops);
        if (t->done || (!asked && !over))
            continue;
        out->ended = false;
        if (!asked && grace_seconds > 0)
            tracer_end(t->tracer, SIGTERM);
        asked = asked ? asked : seconds_now();
        if (seconds_now() - asked >= grace_seconds || over == RUN_IS_KILLED)
            tracer_end(t->tracer, SIGKILL);
    }
    pthread_mutex_unlock(&t->lock);
}

int tracer_watch(tracer *t, char *const argv[], run_watch *w, double grace_seconds, tacho_extract_run *out,
                 tacho_error *err)
{
    tracing run = {.tracer = t, .argv = argv};
    pthread_t thread;
    t->err = t->book.err = err;
    t->output = w->options->output;
    pthread_mutex_init(&t->lock, NULL);
    pthread_mutex_init(&run.lock, NULL);
    parallel_condition_init(&run.end);
    int rc = parallel_start_thread(&thread, trace, &run, err);
    if (rc) {
        run.rc = rc;
    } else {
        wait_for_end(&run, w, grace_seconds, out);
        pthread_join(thread, NULL);
    }
    pthread_cond_destroy(&run.end);
    pthread_mutex_destroy(&run.lock);
    if (!run.rc)
        run.rc = tracer_failed(t, err);
    out->process_count = t->process_count;
    out->thread_count = t->thread_count;
    out->lost_count = t->lost;
    out->exit_status = t->root_ended && WIFEXITED(t->root_status) ? WEXITSTATUS(t->root_status) : -1;
    out->signal = t->root_ended && WIFSIGNALED(t->root_status) ? WTERMSIG(t->root_status) : 0;
    return run.rc;
}

static int run_by_ptrace(extract_set *x, char *const argv[], run_watch *w, bool step, tacho_extract_run *out,
                         tacho_error *err)
{
    TACHO_ENDS(tracer_free) tracer t = {.step_only = step};
    int rc = tracer_watch(&t, argv, w, 0, out, err)
                 ?: book_finish(&t.book, x, &out->executed_blocks, &out->executed_insns);
    if (!rc && t.foreign)
        rc = extract_warn(x, err, "a 32-bit program was executed; it ran unobserved");
    return rc;
}

OPTIONS_DEFINE(extract_run, TACHO_EXTRACT_RUN_OPTIONS_INIT)

int tacho_extract_run_command(tacho_extract *result, char *const argv[],
                              const tacho_extract_run_options *options, tacho_extract_run *out,
                              tacho_error *err)
{
    tacho_extract_run_options o;
    extract_set *x = (extract_set *)result;
    tacho_extract_run unwanted;
    run_watch w = {.options = &o, .started = seconds_now()};
    int rc = OPTIONS_TAKE(extract_run, &o, options, err);
    if (rc)
        return rc;
    if (!argv || !argv[0])
        return tacho_error_set(err, TACHO_ERR_USAGE, "no command");
    out = out ? out : &unwanted;
    *out = (tacho_extract_run){.via = o.via, .exit_status = -1};
    if (out->via == TACHO_EXTRACT_VIA_AUTO)
        out->via = run_has_valgrind() ? TACHO_EXTRACT_VIA_VALGRIND : TACHO_EXTRACT_VIA_PTRACE;
    if ((rc = extract_begin(x, argv[0], err)))
        return rc;
    if (out->via == TACHO_EXTRACT_VIA_VALGRIND)
        rc = run_by_valgrind(x, argv, &w, out, err);
    else
        rc = run_by_ptrace(x, argv, &w, out->via == TACHO_EXTRACT_VIA_STEP, out, err);
    out->seconds = seconds_now() - w.started;
    return rc;
}

const char *run_bad_end(const tacho_extract_run *run, char out[RUN_END_SIZE])
{
    *out = '\0';
    if (run->signal)
        snprintf(out, RUN_END_SIZE, ": it was ended by signal %d (%s)", run->signal, strsignal(run->signal));
    else if (run->exit_status > 0)
        snprintf(out, RUN_END_SIZE, ": it ended with status %d", run->exit_status);
    return out;
}

NAMES_OF(tacho_extract_via_name, tacho_extract_via, "", "auto", "ptrace", "step", "valgrind")
