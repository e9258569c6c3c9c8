/* run_command.h - commands of the program, run within a fuzz target. */
#ifndef TACHO_FUZZ_PROGRAM_H
#define TACHO_FUZZ_PROGRAM_H

#include "given.h"

enum {
    PROGRAM_WORDS = 24,
    PROGRAM_FILES = 3
};

/** A command line, NULL behind its last word. In words, @1, @2 and @3 stand for files, % for the value. */
typedef const char *program_line[PROGRAM_WORDS];

/** Runs a line: the next piece of the input is the value where one is wanted; the others become the files.
 * What is printed is dropped. Aborts where the exit status is none, or an error has no message. */
void program_run(const program_line line, given *in);

#endif
