/* signals.h - signals that would end the program, where there is something to be ended in order first. */
#ifndef TACHO_CLI_SIGNALS_H
#define TACHO_CLI_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/** From now on `note` is called for such signals: interrupt, hang-up (unless that is ignored, as under
 * nohup), quit, termination and others. A broken pipe is not among them. Also makes sure that children can be
 * waited for. */
void cli_signals_catch(void (*note)(int, siginfo_t *, void *));

/** The same for a program that goes on to an orderly end after the first signal, and is ended by the next;
 * but not by what comes within a second: who sends a signal to a process and to its group, as timeout does,
 * means one. */
void cli_signals_ask(void);
/** Whether the first one has come. @param payload is not looked at */
bool cli_signals_asked(void *payload);

#endif
