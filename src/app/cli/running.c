/* running.c - signals that would end the program, and commands that it runs for its user. */
#include <fcntl.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "app/cli/running.h"

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

/* While there are temporary files and processes of others: the next signal, too, is only noted. So is a
 * broken pipe. */
static void cli_signals_hold(void)
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

/* The end of that: if the next one has come the program ends by it, here. A pipe that breaks from now on
 * ends it as before. */
static void cli_signals_release(void)
{
    if (held)
        sigaction(SIGPIPE, &pipe_before, NULL);
    held = 0;
    if (urgent)
        end_by(urgent);
}

/* ---- commands that tacho runs for its user ---- */

#define CLI_REQUEST running
const cli_option running_rows[] = {
    {CLI_SWITCH, "show-output", 0, NULL, "the command's output goes to standard error", CLI_AT(shown)},
    {CLI_STRING, "command-output", 0, "WHERE",
     "where the command's standard output goes: null, stderr, stdout\n(where the report does not), or a file",
     CLI_AT(where)},
    {CLI_SWITCH, "ignore-failure", 0, NULL, "a command that fails is reported on as others are",
     CLI_AT(ignore_failure)},
    {.kind = CLI_END},
};

static bool is_standard_output(const char *path)
{
    return !path || !strcmp(path, "-");
}

static int open_file(running *r, const char *path)
{
    if (!cli_output_open(&r->file, path))
        return CLI_INPUT;
    if (!cli_output_begin(&r->file)) {
        cli_output_drop(&r->file);
        return CLI_INPUT;
    }
    /* One of its own for the command: what it leaves running must not keep the lock. */
    r->output = open(path, O_WRONLY | O_CLOEXEC);
    if (r->output >= 0)
        return CLI_OK;
    cli_error("cannot write %s: %s", path, strerror(errno));
    cli_output_drop(&r->file);
    r->file = (cli_output){.path = NULL};
    return CLI_INPUT;
}

static void choose_usual(running *r, running_times times, const char *report)
{
    if (times == RUNNING_ONCE)
        r->output = is_standard_output(report) ? STDERR_FILENO : STDOUT_FILENO;
}

int running_open(running *r, running_times times, const char *report)
{
    r->output = -1;
    r->errors = r->shown ? STDERR_FILENO : -1;
    if (!r->where && r->shown)
        r->where = "stderr";
    if (!r->where)
        choose_usual(r, times, report);
    else if (!strcmp(r->where, "null"))
        return open_file(r, "/dev/null");
    else if (!strcmp(r->where, "stderr"))
        r->output = STDERR_FILENO;
    else if (strcmp(r->where, "stdout") != 0)
        return is_standard_output(r->where)
                   ? cli_usage_error("--command-output: null, stderr, stdout or a file, not '%s'", r->where)
                   : open_file(r, r->where);
    else if (is_standard_output(report))
        return cli_usage_error("--command-output stdout: the report goes there%s",
                               times == RUNNING_ONCE ? "; -o FILE puts it elsewhere" : "");
    else
        r->output = STDOUT_FILENO;
    return CLI_OK;
}

void running_close(running *r)
{
    if (r->file.path) {
        close(r->output);
        cli_output_end(&r->file);
    }
    r->file = (cli_output){.path = NULL};
}

static const char all_the_same[] = "(--ignore-failure: report on it all the same)";

int running_judge(const running *r, const tacho_extract_run *end, bool quiet)
{
    if (cli_signals_asked(NULL)) {
        running_say_signal("");
        return CLI_PARTIAL;
    }
    if (!end->ended || (!end->signal && !end->exit_status) || (r->ignore_failure && quiet))
        return CLI_OK;
    char how[120];
    if (end->signal)
        snprintf(how, sizeof how, "was ended by signal %d (%s)", end->signal, strsignal(end->signal));
    else
        snprintf(how, sizeof how, "ended with status %d", end->exit_status);
    if (!r->ignore_failure)
        return cli_input_error("the command %s %s", how, all_the_same);
    cli_note("the command %s", how);
    return CLI_OK;
}

int running_failed(int rc, const tacho_error *err)
{
    if (cli_signals_asked(NULL))
        cli_error("%s: %s", cli_signals_words(), err->message);
    else if (rc == TACHO_ERR_FAILED)
        cli_error("%s %s", err->message, all_the_same);
    else
        cli_error("%s", err->message);
    return rc == TACHO_ERR_USAGE ? CLI_USAGE : rc == TACHO_ERR_LIMIT ? CLI_PARTIAL : CLI_INPUT;
}

void running_say_signal(const char *rest)
{
    cli_note("%s: this is what there is%s", cli_signals_words(), rest);
}

/* ---- a command that tacho runs and watches ---- */

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
    bool come = cli_signals_asked(NULL);
    w->before |= come;
    return come && (w->foreign || !cli_signals_shared());
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
