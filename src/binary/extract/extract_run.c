/* extract_run.c - the blocks of a run: how it is watched, and for how long. */
#include "binary/extract/extract_run.h"

#include <stdio.h>
#include <string.h>

#include "base/options_take.h"
#include "base/seconds.h"

int run_is_over(run_watch *w, uint64_t stops)
{
    const tacho_extract_run_options *o = w->options;
    const tacho_extract_progress p = {seconds_now() - w->started, stops};
    int asked = o->progress ? o->progress(&p, o->payload) : 0;
    bool late = o->timeout_seconds > 0 && p.seconds >= o->timeout_seconds;
    return asked > 1 ? RUN_IS_KILLED : asked || late ? RUN_ENDS : RUN_GOES_ON;
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

const char *tacho_extract_via_name(tacho_extract_via via)
{
    static const char *const names[] = {"auto", "ptrace", "step", "valgrind"};
    return (unsigned)via < sizeof names / sizeof *names ? names[via] : "";
}
