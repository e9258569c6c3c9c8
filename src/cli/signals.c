/* signals.c - signals that would end the program. */
#include "cli/signals.h"

#include <stddef.h>
#include <time.h>

void cli_signals_catch(void (*note)(int, siginfo_t *, void *))
{
    static const int ending[] = {SIGINT, SIGTERM, SIGQUIT, SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU};
    struct sigaction act = {.sa_sigaction = note, .sa_flags = SA_SIGINFO};
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        sigaction(ending[i], &act, NULL);
    if (signal(SIGHUP, SIG_IGN) != SIG_IGN) /* nohup stays in force */
        sigaction(SIGHUP, &act, NULL);
    signal(SIGCHLD, SIG_DFL); /* a caller's setting could make children vanish */
}

static volatile sig_atomic_t asked;
static struct timespec asked_at;

static void note_signal(int number, siginfo_t *info, void *context)
{
    struct timespec now;
    (void)info;
    (void)context;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (!asked)
        asked_at = now;
    else if (now.tv_sec - asked_at.tv_sec > 1) {
        signal(number, SIG_DFL);
        raise(number);
    }
    asked = number;
}

void cli_signals_ask(void)
{
    cli_signals_catch(note_signal);
}

bool cli_signals_asked(void *payload)
{
    (void)payload;
    return asked != 0;
}
