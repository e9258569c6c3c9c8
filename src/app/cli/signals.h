/* signals.h - signals that would end the program, where there is something to be ended in order first: the
 * first one asks for that, the next one ends the program at once. */
#ifndef TACHO_CLI_SIGNALS_H
#define TACHO_CLI_SIGNALS_H

#include <stdbool.h>

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

/** While there are temporary files and processes of others: the next signal, too, is only noted. So is a
 * broken pipe. */
void cli_signals_hold(void);
/** Whether the next one has come. */
bool cli_signals_urgent(void);
/** The end of that: if the next one has come the program ends by it, here. A pipe that breaks from now on
 * ends it as before. */
void cli_signals_release(void);

#endif
