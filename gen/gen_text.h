/* gen_text.h - what the build-time tools share: splitting lines, and giving up. */
#ifndef TACHO_GEN_TEXT_H
#define TACHO_GEN_TEXT_H

#include <stddef.h>

/** Ends the program: its name, `what` and the text of errno go to standard error. */
_Noreturn void die(const char *what);

/** Cuts `line` at each `separator`, at most into `max` fields; these point into it. @return their number. */
size_t split(char *line, char separator, char **fields, size_t max);

/** A copy of its own; never NULL. */
char *copy(const char *s);

#endif
