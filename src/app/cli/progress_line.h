/* progress_line.h - how far a long command has come: a line on standard error that is written over, where
 * that is a terminal. By one thread at a time. */
#ifndef TACHO_CLI_PROGRESS_LINE_H
#define TACHO_CLI_PROGRESS_LINE_H

#include <stdbool.h>

/** From now on nothing is shown. */
void cli_progress_off(void);
/** Whether lines are shown at all. */
bool cli_progress_is_on(void);
/** Shows the line, unless the one before has not stood long enough to be read. */
void cli_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));
/** Shows a line that stays. */
void cli_progress_last(const char *format, ...) __attribute__((format(printf, 1, 2)));
/** Takes the line away that is shown, before anything else is written. */
void cli_progress_clear(void);

#endif
