/* compare_hooks.c - what is run before and after the runs of a command, by the shell and not timed. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/process.h"
#include "program/compare/compare_run.h"

typedef enum hook {
    SETUP,
    PREPARE,
    CONCLUDE,
    CLEANUP,
    HOOKS
} hook;
static const char *const hook_names[HOOKS] = {"setup", "preparation", "conclusion", "cleanup"};

static const char *find(const comparing *c, hook which, uint32_t command)
{
    const tacho_compare_hooks *hooks = c->options->hooks ? &c->options->hooks[command] : NULL;
    const char *const of_command[HOOKS] = {hooks ? hooks->setup : NULL, hooks ? hooks->prepare : NULL,
                                           hooks ? hooks->conclude : NULL, hooks ? hooks->cleanup : NULL};
    return which == PREPARE && c->options->prepare ? c->options->prepare : of_command[which];
}

static int run(comparing *c, hook which, uint32_t command, tacho_error *err)
{
    const char *text = find(c, which, command);
    bool ends = which == CONCLUDE || which == CLEANUP;      /* what was begun is ended, also after a signal */
    bool has_limit = which == PREPARE || which == CONCLUDE; /* the others may be builds */
    double seconds = has_limit ? c->options->trials.timeout_seconds : 0;
    int shown = c->options->trials.errors;
    tacho_process_end end;
    if (!text)
        return 0;
    const char *argv[] = {"sh", "-c", text, NULL};
    tacho_process p = {.path = c->shell,
                       .argv = argv,
                       .input = c->null,
                       .output = shown < 0 ? c->null : shown,
                       .errors = shown < 0 ? c->null : shown,
                       .file = -1,
                       .seconds = seconds > 0 ? seconds : INFINITY,
                       .stop = ends ? NULL : compare_asks_to_stop,
                       .payload = c};
    if (tacho_process_run(&p, &end))
        return tacho_error_set(err, TACHO_ERR_SYSTEM, "cannot run sh: %s", strerror(errno));
    if (end.stopped || (!end.timed_out && end.exit_status == 0))
        return 0;
    if (end.timed_out)
        return tacho_error_set(err, TACHO_ERR_INPUT, "the %s '%s' did not end within %g s", hook_names[which],
                               text, seconds);
    return tacho_error_set(err, TACHO_ERR_INPUT, "the %s '%s' ended with %s %d", hook_names[which], text,
                           end.signal ? "signal" : "status", end.signal ? end.signal : end.exit_status);
}

int hooks_prepare(comparing *c, tacho_error *err)
{
    bool any = false;
    for (uint32_t i = 0; i < COMPARE_SIDES; i++)
        for (int which = SETUP; which < HOOKS; which++)
            any |= find(c, (hook)which, i) != NULL;
    if (any && !tacho_process_find("sh", c->shell, sizeof c->shell))
        return tacho_error_set(err, TACHO_ERR_SYSTEM, "there is no sh to prepare runs with");
    return 0;
}

int hooks_before_all(comparing *c, tacho_error *err)
{
    int rc = 0;
    while (c->setups < COMPARE_SIDES && !rc && !c->stopped)
        rc = run(c, SETUP, c->setups++, err);
    return rc;
}

int hooks_before_run(comparing *c, uint32_t command, tacho_error *err)
{
    return run(c, PREPARE, command, err);
}

int hooks_after_run(comparing *c, uint32_t command, int rc, tacho_error *err)
{
    tacho_error own;
    int failed = run(c, CONCLUDE, command, rc ? &own : err);
    return rc ? rc : failed;
}

void hooks_after_all(comparing *c)
{
    tacho_error err;
    for (uint32_t i = 0; i < c->setups; i++)
        if (run(c, CLEANUP, i, &err) && !*c->out->cleanup_failed)
            snprintf(c->out->cleanup_failed, sizeof c->out->cleanup_failed, "%s", err.message);
}
