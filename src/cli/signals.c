/* signals.c - signals that would end the program. */
#include "cli/signals.h"

#include <signal.h>
#include <stddef.h>
#include <time.h>

enum {
    SAME_SECONDS = 1,
    SHARED_SECONDS = 2
};

static volatile sig_atomic_t asked, urgent; /* numbers of signals */
static volatile sig_atomic_t by_terminal, held;
static struct timespec asked_at; /* written before `asked`, once */

static double seconds_since_asked(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - asked_at.tv_sec) + (double)(now.tv_nsec - asked_at.tv_nsec) * 1e-9;
}

static void end_by(int number)
{
    signal(number, SIG_DFL);
    raise(number);
}

static void note_signal(int number, siginfo_t *info, void *context)
{
    (void)context;
    bool terminal = info->si_code == SI_KERNEL && (number == SIGINT || number == SIGQUIT);
    if (!asked) {
        clock_gettime(CLOCK_MONOTONIC, &asked_at);
        by_terminal = terminal;
        asked = number;
    } else if (!terminal && seconds_since_asked() < SAME_SECONDS) {
        return;
    } else if (held && !urgent) {
        urgent = number;
    } else {
        end_by(number);
    }
}

static void catch (int number)
{
    struct sigaction act = {.sa_sigaction = note_signal, .sa_flags = SA_SIGINFO};
    sigaction(number, &act, NULL);
}

void cli_signals_ask(void)
{
    static const int ending[] = {SIGINT, SIGTERM, SIGQUIT, SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU};
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        catch (ending[i]);
    if (signal(SIGHUP, SIG_IGN) != SIG_IGN) /* nohup stays in force */
        catch (SIGHUP);
    signal(SIGCHLD, SIG_DFL); /* a caller's setting could make children vanish */
}

bool cli_signals_asked(void *payload)
{
    (void)payload;
    return asked != 0;
}

int cli_signals_number(void)
{
    return asked;
}

bool cli_signals_shared(void)
{
    return asked && by_terminal && seconds_since_asked() < SHARED_SECONDS;
}

void cli_signals_hold(void)
{
    held = 1;
    catch (SIGPIPE);
}

bool cli_signals_urgent(void)
{
    return urgent != 0;
}

void cli_signals_release(void)
{
    held = 0;
    if (urgent)
        end_by(urgent);
}
