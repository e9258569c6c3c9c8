/* watch.c - a command that tacho runs and watches. */
#include "app/cli/watch.h"

#include "app/cli/progress_line.h"
#include "app/cli/signals.h"

void cli_watch_begin(cli_watch *w, bool quiet)
{
    *w = (cli_watch){.foreign = false};
    if (quiet)
        cli_progress_off();
    cli_signals_ask();
    cli_signals_hold();
}

int cli_watch_progress(const tacho_extract_progress *p, void *payload)
{
    cli_watch *w = payload;
    if (p->stops)
        cli_progress("%.0f s, %.1f million stops", p->seconds, (double)p->stops / 1e6);
    else
        cli_progress("%.0f s", p->seconds);
    if (cli_signals_urgent())
        return 2;
    bool asked = cli_signals_asked(NULL);
    w->before |= asked;
    return asked && (w->foreign || !cli_signals_shared());
}

/* Ctrl-C in a terminal may have ended the command before it was asked about the command's progress again. */
int cli_watch_asked_to_end(void *payload)
{
    cli_watch *w = payload;
    if (!w->follows)
        w->before |= cli_signals_shared();
    w->follows = true;
    return cli_signals_asked(NULL) && !w->before;
}

void cli_watch_end(void)
{
    cli_progress_clear();
    cli_signals_release();
}

int cli_watch_command(cli_watch *w, running *r, const char *report, bool quiet)
{
    int status = running_open(r, RUNNING_ONCE, report);
    if (!status)
        cli_watch_begin(w, quiet);
    return status;
}

int cli_watch_judge(running *r, int rc, const tacho_error *err, const tacho_extract_run *end, bool quiet)
{
    running_close(r);
    cli_watch_end();
    if (rc)
        return running_failed(rc, err);
    int status = running_judge(r, end, quiet);
    if (!end->ended && !status)
        cli_note("the run was ended after %.1f s: the counts are those until then", end->seconds);
    return status;
}
