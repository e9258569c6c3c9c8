/* extract_run.c - the blocks of a run: how it is watched, and for how long. */
#include "binary/extract/extract_run.h"

#include <stdio.h>
#include <string.h>

#include "base/seconds.h"

int run_is_over(run_watch *w, uint64_t stops)
{
    const tacho_extract_run_options *o = w->options;
    const tacho_extract_progress p = {seconds_now() - w->started, stops};
    int asked = o->progress ? o->progress(&p, o->payload) : 0;
    bool late = o->timeout_seconds > 0 && p.seconds >= o->timeout_seconds;
    return asked > 1 ? RUN_IS_KILLED : asked || late ? RUN_ENDS : RUN_GOES_ON;
}

int tacho_extract_run_command(tacho_extract *result, char *const argv[],
                              const tacho_extract_run_options *options, tacho_extract_run *out,
                              tacho_error *err)
{
    static const tacho_extract_run_options defaults = TACHO_EXTRACT_RUN_OPTIONS_INIT;
    extract_set *x = (extract_set *)result;
    tacho_extract_run unwanted;
    run_watch w = {.options = options ? options : &defaults, .started = seconds_now()};
    if (w.options->size != sizeof *w.options || !argv || !argv[0])
        return tacho_error_set(err, TACHO_ERR_USAGE, "no command, or options that were not initialised");
    out = out ? out : &unwanted;
    *out = (tacho_extract_run){.via = w.options->via, .exit_status = -1};
    if (out->via == TACHO_EXTRACT_VIA_AUTO)
        out->via = run_has_valgrind() ? TACHO_EXTRACT_VIA_VALGRIND : TACHO_EXTRACT_VIA_PTRACE;
    int rc = extract_begin(x, argv[0], err);
    if (rc)
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

const char *tacho_extract_via_name(tacho_extract_via via)
{
    static const char *const names[] = {"auto", "ptrace", "step", "valgrind"};
    return (unsigned)via < sizeof names / sizeof *names ? names[via] : "";
}
