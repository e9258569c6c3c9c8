/* cmd_hot_count.c - tacho hot --count: how often each block is executed, from a second run of the command. */
#include <fcntl.h>
#include <unistd.h>

#include "app/cli/cmd_hot.h"

double hot_find_clock(void)
{
    static char name[] = "true";
    char *argv[] = {name, NULL};
    const tacho_command command = {.argv = argv};
    const tacho_layout layout = {0};
    tacho_trials_options o = TACHO_TRIALS_OPTIONS_INIT;
    tacho_trial trial;
    tacho_error err;
    double hz = __builtin_nan("");
    tacho_trials *t = tacho_trials_new(&o, &err);
    for (int i = 0; t && i < 5 && !(hz > 0) && !tacho_trials_run(t, &command, &layout, &trial, &err); i++)
        hz = trial.core_hz;
    tacho_trials_free(t);
    return hz;
}

/* The second run reads what the first one has read. */
static void rewind_input(const hot_request *r)
{
    if (r->input_offset >= 0)
        lseek(STDIN_FILENO, r->input_offset, SEEK_SET);
    else if (!isatty(STDIN_FILENO) && !r->quiet)
        cli_note("--count: standard input is no file, so that the second run cannot read it again");
}

bool hot_count(const hot_request *r, tacho_extract **counts, double *core_hz)
{
    tacho_extract_options o = TACHO_EXTRACT_OPTIONS_INIT;
    tacho_extract_run_options run = TACHO_EXTRACT_RUN_OPTIONS_INIT;
    tacho_extract_run end = {.ended = true};
    tacho_error err;
    cli_watch w;
    o.with_branch = true;
    *core_hz = hot_find_clock();
    if (tacho_extract_new(counts, &o, &err))
        return cli_error("%s", err.message);
    rewind_input(r);
    cli_watch_begin(&w, r->quiet);
    run.progress = cli_watch_progress;
    run.payload = &w;
    run.output = open("/dev/null", O_WRONLY | O_CLOEXEC); /* wanted by nobody */
    int rc = tacho_extract_run_command(*counts, r->command, &run, &end, &err);
    if (run.output >= 0)
        close(run.output);
    cli_watch_end();
    if (rc)
        cli_error("--count: %s", err.message);
    if (rc || running_judge(&r->running, &end, true) == CLI_INPUT) {
        tacho_extract_free(*counts);
        *counts = NULL;
        return false;
    }
    if (!end.ended)
        cli_note("--count: executions are those of the first %.1f s", end.seconds);
    if (!(*core_hz > 0))
        cli_note("the core's clock could not be found: observed cycles are not known");
    return true;
}
