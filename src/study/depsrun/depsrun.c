/* depsrun.c - the dependencies of a run: the steps, and what owns the result. */
#include "study/depsrun/depsrun.h"

#include <stdarg.h>

#include "base/mem.h"
#include "base/options_take.h"

int depsrun_warn(depsrun *d, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int rc = warnings_add(&d->warnings, 0, format, args);
    va_end(args);
    d->result.warnings = d->warnings.list;
    d->result.warning_count = d->warnings.count;
    return rc ? tacho_no_memory(d->err) : 0;
}

OPTIONS_DEFINE(deps_run, TACHO_DEPS_RUN_OPTIONS_INIT)

static int check(const tacho_deps_run_options *o, char *const argv[], tacho_error *err)
{
    if (!argv || !argv[0])
        return tacho_error_set(err, TACHO_ERR_USAGE, "no command");
    if (!(o->hot >= 0 && o->hot <= 1) || !o->lifetime_count ||
        o->lifetime_count > TACHO_DEPS_RUN_MAX_LIFETIMES)
        return tacho_error_set(err, TACHO_ERR_USAGE, "hot: 0 to 1; 1 to %d lifetimes",
                               TACHO_DEPS_RUN_MAX_LIFETIMES);
    return 0;
}

static int observe(depsrun *d, char *const argv[])
{
    trace *t = tacho_mem_zalloc(1, sizeof *t);
    if (!t)
        return tacho_no_memory(d->err);
    t->lifetimes = d->options.lifetimes;
    t->lifetime_count = d->options.lifetime_count;
    int rc = depsrun_watch(d, argv, t);
    shadow_free(&t->shadow); /* it may be large */
    t->shadow = (shadow){0};
    if (!rc)
        rc = depsrun_collect(d, t);
    trace_free(t);
    tacho_mem_free(t);
    return rc;
}

int tacho_deps_run_command(tacho_deps_run **out, char *const argv[], const tacho_deps_run_options *options,
                           tacho_error *err)
{
    tacho_deps_run_options o;
    *out = NULL;
    int rc = OPTIONS_TAKE(deps_run, &o, options, err);
    if (rc || (rc = check(&o, argv, err)))
        return rc;
    depsrun *d = tacho_mem_zalloc(1, sizeof *d);
    if (!d)
        return tacho_no_memory(err);
    d->options = o;
    d->options.deps.size = sizeof o.deps;
    d->err = err;
    d->options.deps.no_registers = d->options.deps.no_flags = true;
    d->options.deps.no_memory = false;
    d->result.run = (tacho_extract_run){.via = TACHO_EXTRACT_VIA_VALGRIND, .exit_status = -1};
    rc = observe(d, argv);
    rc = rc ? rc : depsrun_symbols(d);
    rc = rc ? rc : depsrun_judge(d);
    if (rc)
        tacho_deps_run_free(&d->result);
    else
        *out = &d->result;
    return rc;
}

void tacho_deps_run_free(tacho_deps_run *result)
{
    depsrun *d = (depsrun *)result;
    if (!d)
        return;
    for (size_t i = 0; i < d->path_count; i++)
        tacho_mem_free(d->paths[i]);
    warnings_free(&d->warnings);
    TACHO_MEM_FREE(d->paths, d->insns, d->blocks, d->dependencies, d->functions, d->claims);
    arena_free(&d->texts);
    tacho_mem_free(d);
}

const char *tacho_deps_run_verdict_name(tacho_deps_run_verdict verdict)
{
    static const char *const names[] = {"found", "missed", "across", "cold", "no_code", "unjudged"};
    return (unsigned)verdict < sizeof names / sizeof *names ? names[verdict] : "";
}

const char *tacho_deps_run_reason_name(tacho_deps_run_reason reason)
{
    static const char *const names[] = {
        "",     "not_analysed", "budget", "not_reached", "not_modelled",  "address_unknown", "far",
        "rare", "beyond",       "call",   "branch",      "other_pointer", "same_pointer"};
    _Static_assert(sizeof names / sizeof *names == TACHO_DEPS_RUN_REASON_COUNT, "each has a name");
    return (unsigned)reason < sizeof names / sizeof *names ? names[reason] : "";
}

const char *tacho_deps_run_part_name(tacho_deps_run_part part)
{
    static const char *const names[] = {"block", "function", "between"};
    return (unsigned)part < sizeof names / sizeof *names ? names[part] : "";
}
