/* watch.h - a command that tacho runs and watches: signals, progress on a terminal, what became of it. */
#ifndef TACHO_CLI_WATCH_H
#define TACHO_CLI_WATCH_H

#include "cli/cli.h"

typedef struct cli_watch {
    double shown; /* when progress was last shown, in seconds; negative: it is not */
    int signals;  /* that had come when what follows the run began; negative: it has not */
} cli_watch;

/** Before the run. Ctrl-C reaches the command, too, which may end by it; the second one ends the run, as
 * other signals do at once that would end a program. */
void cli_watch_begin(cli_watch *w, bool quiet);
/** For the library's options, with the cli_watch as payload. */
int cli_watch_progress(const tacho_extract_progress *p, void *payload);
/** For what follows the run, with the same payload. @return not 0: a signal has come since the first call */
int cli_watch_asked_to_end(void *payload);
/** Whether there was a Ctrl-C already, or another signal to end. */
bool cli_watch_interrupted(void);
/** After the run. */
void cli_watch_end(const cli_watch *w);
/** Says how the command ended, if that is not as it should be. */
void cli_watch_say_end(const tacho_extract_run *run);

#endif
