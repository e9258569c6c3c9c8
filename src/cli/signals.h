/* signals.h - signals that would end the program, where there is something to be ended in order first: the
 * first one asks for that, the next one ends the program at once. */
#ifndef TACHO_CLI_SIGNALS_H
#define TACHO_CLI_SIGNALS_H

#include <stdbool.h>

/** From now on, for interrupt, hang-up (unless that is ignored, as under nohup), quit, termination and
 * others; a broken pipe is not among them. The next one is no other one where it comes within a second, and
 * not from a terminal: who sends a signal to a process and to its group, as timeout does, means one. Also
 * makes sure that children can be waited for. */
void cli_signals_ask(void);
/** Whether the first one has come. @param payload is not looked at */
bool cli_signals_asked(void *payload);
/** Which it was; 0: none. */
int cli_signals_number(void);
/** Whether it has just come from a terminal, so that a command in the same process group has got it, too, and
 * may be about to end by it. */
bool cli_signals_shared(void);

/** While there are temporary files and processes of others: the next signal, too, is only noted. So is a
 * broken pipe. */
void cli_signals_hold(void);
/** Whether the next one has come. */
bool cli_signals_urgent(void);
/** The end of that: if the next one has come the program ends by it, here. */
void cli_signals_release(void);

#endif
