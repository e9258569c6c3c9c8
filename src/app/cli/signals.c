/* signals.c - signals that would end the program. */
#include "app/cli/signals.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

enum {
    SAME_SECONDS = 1,
    SHARED_SECONDS = 2
};

static volatile sig_atomic_t asked, urgent; /* numbers of signals */
static volatile sig_atomic_t by_terminal, held;
static volatile sig_atomic_t pipe_broke;
static int news = -1;            /* an eventfd, which the first one counts up */
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

static void note_broken_pipe(int number)
{
    pipe_broke = number;
}

static void note_signal(int number, siginfo_t *info, void *context)
{
    (void)context;
    bool terminal = info->si_code == SI_KERNEL && (number == SIGINT || number == SIGQUIT);
    if (!asked) {
        clock_gettime(CLOCK_MONOTONIC, &asked_at);
        by_terminal = terminal;
        asked = number;
        int saved = errno;
        if (news >= 0 && write(news, &(uint64_t){1}, sizeof(uint64_t)) < 0)
            errno = saved;
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

static const int ending[] = {SIGINT, SIGTERM, SIGQUIT, SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU};
enum {
    ENDING_COUNT = sizeof ending / sizeof *ending
};
static bool asking, hang_up;

void cli_signals_ask(void)
{
    if (asking)
        return;
    asking = true;
    news = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    for (size_t i = 0; i < ENDING_COUNT; i++)
        catch (ending[i]);
    hang_up = signal(SIGHUP, SIG_IGN) != SIG_IGN; /* nohup stays in force */
    if (hang_up)
        catch (SIGHUP);
    signal(SIGCHLD, SIG_DFL); /* a caller's setting could make children vanish */
}

void cli_signals_leave(void)
{
    for (size_t i = 0; asking && i < ENDING_COUNT; i++)
        signal(ending[i], SIG_DFL);
    if (asking && hang_up)
        signal(SIGHUP, SIG_DFL);
    asking = false;
    if (asked)
        end_by(asked);
}

int cli_signals_descriptor(void)
{
    return news;
}

void cli_signals_keep_pipe(void)
{
    if (signal(SIGPIPE, note_broken_pipe) == SIG_IGN)
        signal(SIGPIPE, SIG_IGN);
}

void cli_signals_end_of_pipe(void)
{
    if (pipe_broke)
        end_by(SIGPIPE);
}

bool cli_signals_asked(void *payload)
{
    (void)payload;
    return asked != 0;
}

const char *cli_signals_words(void)
{
    static char words[80];
    snprintf(words, sizeof words, "ended by signal %d (%s)", asked, strsignal(asked));
    return words;
}

bool cli_signals_shared(void)
{
    return asked && by_terminal && seconds_since_asked() < SHARED_SECONDS;
}

static struct sigaction pipe_before; /* cli_signals_hold */

void cli_signals_hold(void)
{
    const struct sigaction act = {.sa_sigaction = note_signal, .sa_flags = SA_SIGINFO};
    if (!held)
        sigaction(SIGPIPE, &act, &pipe_before);
    held = 1;
}

bool cli_signals_urgent(void)
{
    return urgent != 0;
}

void cli_signals_release(void)
{
    if (held)
        sigaction(SIGPIPE, &pipe_before, NULL);
    held = 0;
    if (urgent)
        end_by(urgent);
}
