/* watch.h - while a command runs once and is watched: signals, and progress on a terminal. */
#ifndef TACHO_CLI_WATCH_H
#define TACHO_CLI_WATCH_H

#include "app/cli/running.h"

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
