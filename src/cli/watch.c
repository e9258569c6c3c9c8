/* watch.c - a command that tacho runs and watches. */
#include "cli/watch.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/signals.h"

static volatile sig_atomic_t interrupts, terminations;

/* A SIGINT that a process has sent is meant for tacho alone. */
static void note_signal(int signal, siginfo_t *info, void *context)
{
    (void)context;
    if (signal == SIGINT && info->si_code != SI_USER && info->si_code != SI_TKILL)
        interrupts++;
    else
        terminations++;
}

void cli_watch_begin(cli_watch *w, bool quiet)
{
    struct sigaction act = {.sa_sigaction = note_signal, .sa_flags = SA_SIGINFO};
    w->signals = -1;
    w->shown = !quiet && isatty(STDERR_FILENO) ? 0 : -1;
    cli_signals_catch(note_signal);
    sigaction(SIGPIPE, &act, NULL); /* its temporary files are removed before it ends by that, too */
}

int cli_watch_progress(const tacho_extract_progress *p, void *payload)
{
    cli_watch *w = payload;
    if (w->shown >= 0 && p->seconds - w->shown >= 0.5) {
        w->shown = p->seconds;
        fprintf(stderr, "\r\033[K%.0f s", p->seconds);
        if (p->stops)
            fprintf(stderr, ", %.1f million stops", (double)p->stops / 1e6);
    }
    return terminations > 0 || interrupts > 1;
}

int cli_watch_asked_to_end(void *payload)
{
    cli_watch *w = payload;
    int signals = (int)interrupts + (int)terminations;
    if (w->signals < 0)
        w->signals = signals;
    return signals > w->signals;
}

bool cli_watch_interrupted(void)
{
    return interrupts > 0 || terminations > 0;
}

void cli_watch_end(const cli_watch *w)
{
    if (w->shown > 0)
        fputs("\r\033[K", stderr);
}

void cli_watch_say_end(const tacho_extract_run *run)
{
    if (!run->ended)
        cli_note("the run was ended after %.1f s: the counts are those until then", run->seconds);
    else if (run->signal)
        cli_note("the command was ended by signal %d (%s)", run->signal, strsignal(run->signal));
    else if (run->exit_status)
        cli_note("the command ended with status %d", run->exit_status);
}
