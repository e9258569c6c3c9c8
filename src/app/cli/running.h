/* running.h - what ends before its time: signals to the program, and commands that it runs for its user. */
#ifndef TACHO_CLI_RUNNING_H
#define TACHO_CLI_RUNNING_H

#include "app/cli/cli.h"
#include "app/cli/output.h"

/** From now on, for interrupt, hang-up (unless that is ignored, as under nohup), quit, termination and
 * others; not for a broken pipe. A further signal within a second counts as the same one, unless a terminal
 * sends it: timeout, for instance, sends one to the process and one to its group. Also makes sure that
 * children can be waited for. */
void cli_signals_ask(void);
/** Whether the first one has come. @param payload is not looked at */
bool cli_signals_asked(void *payload);
/** In words: "ended by signal 15 (Terminated)"; static storage. */
const char *cli_signals_words(void);
/** A descriptor that can be read from once the first one has come, for poll; -1: there is none. */
int cli_signals_descriptor(void);
/** Nothing is left that is to be ended in order: from now on each of them ends the program at once, and here
 * if it has come already. */
void cli_signals_leave(void);

/** While there are temporary files: a broken pipe does not end the program before cli_signals_end_of_pipe. */
void cli_signals_keep_pipe(void);
/** At the very end: if a pipe has broken since, the program ends by SIGPIPE, as other programs do. */
void cli_signals_end_of_pipe(void);
/** Whether it has just come from a terminal, so that a command in the same process group has got it, too, and
 * may be about to end by it. */
bool cli_signals_shared(void);

/** Whether the next one has come. */
bool cli_signals_urgent(void);

/* ---- commands that tacho runs for its user: one rule for all of them (doc/RUNNING.md). What they write
 * does not mix with the report, a command that fails is an error, and after a signal there is the
 * report of what was done until then ---- */

/** Of a command. */
typedef struct running {
    bool ignore_failure;
    const char *where; /* its standard output; NULL: not said */
    bool shown;        /* all of its output to standard error */
    /* Descriptors, once it is open; -1: as the library chooses. */
    int output, errors;
    cli_output file; /* what `output` leads to, if that is a file */
} running;
#define RUNNING_INIT                                                                                         \
    {                                                                                                        \
        .output = -1, .errors = -1                                                                           \
    }

/** Their options, in a running. */
extern const cli_option running_rows[];
/** Where the command's output goes if no option says so. Run once: to standard output, or to standard error
 * if the report goes to standard output (`report` is "-" or NULL). Run again and again: nowhere. */
typedef enum running_times {
    RUNNING_ONCE,
    RUNNING_OFTEN
} running_times;
/** Finds out the descriptors. @return CLI_OK, or an exit status with a message */
int running_open(running *r, running_times times, const char *report);
void running_close(running *r);

/** What has become of a command that was run once. @return CLI_OK: to be reported; CLI_PARTIAL: a signal to
 * tacho has ended it, what there is is to be reported, and a note said so; CLI_INPUT, with a message: it has
 * failed */
int running_judge(const running *r, const tacho_extract_run *end, bool quiet);
/** For a library function that has failed, perhaps because the command has. @return an exit status */
int running_failed(int rc, const tacho_error *err);
/** The note of CLI_PARTIAL: which signal it was; `rest`: further words. */
void running_say_signal(const char *rest);

/* ---- while a command runs once and is watched: signals, and progress on a terminal ---- */

typedef struct cli_watch {
    bool foreign; /* what is watched was not started by tacho, and gets no Ctrl-C */
    bool before;  /* the first signal came during the run, which it ended */
    bool follows; /* that has begun */
} cli_watch;

/** Before the run. The first signal ends it in order: the command is asked to end, then killed (a Ctrl-C
 * reaches it by itself); the second one kills it. */
void cli_watch_begin(cli_watch *w, bool quiet);
/** For the library's options, with the cli_watch as payload. */
int cli_watch_progress(const tacho_extract_progress *p, void *payload);
/** For what follows the run, with the same payload. @return not 0: the first signal has come since the run's
 * end */
int cli_watch_asked_to_end(void *payload);
/** After the run, when nothing of it is left. If there was a second signal the program ends here. */
void cli_watch_end(void);

/** Before a run whose output goes where `r` says; `report` as in running_open. @return CLI_OK, or an exit
 * status with a message */
int cli_watch_command(cli_watch *w, running *r, const char *report, bool quiet);
/** After that run: `rc`, `err` and, unless it failed, `end` are what the library said. @return as
 * running_judge, or another exit status with a message */
int cli_watch_judge(running *r, int rc, const tacho_error *err, const tacho_extract_run *end, bool quiet);

#endif
