/* progress_line.h - how far a long command has come: a line on standard error that is written over, where
 * that is a terminal; in a log one now and then, of commands that ask for it. By one thread at a time. */
#ifndef TACHO_CLI_PROGRESS_LINE_H
#define TACHO_CLI_PROGRESS_LINE_H

#include <stdbool.h>

/** From now on nothing is shown. */
void cli_progress_off(void);
/** Where standard error is no terminal, cli_progress writes a line each minute from now on, or each
 * TACHO_PROGRESS seconds, as the environment has it. */
void cli_progress_into_log(void);
/** Shows the line, unless the one before has not stood long enough to be read. */
void cli_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));
/** Shows a line that stays. */
void cli_progress_last(const char *format, ...) __attribute__((format(printf, 1, 2)));
/** Takes the line away that is shown, before anything else is written. */
void cli_progress_clear(void);

#endif
