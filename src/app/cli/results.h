/* results.h - where the rows of a batch go: a file or standard output, as soon as they are there. */
#ifndef TACHO_CLI_RESULTS_H
#define TACHO_CLI_RESULTS_H

#include "base/csv_rows.h"

/** Rows that are read end with a signal, where signals are asked for. */
extern const rows_caller results_caller;

typedef struct results {
    const char *name; /* for messages */
    char *file;       /* NULL: standard output */
    int fd;
    bool made; /* the file was not there before */
} results;

/** Opens `output` (NULL: standard output), which must not be `input` (NULL: none is read); `keep`: with what
 * it has, else empty.
 * @return false with a message */
bool results_open(results *r, const char *output, const rows *input, bool keep);
/** Nothing has been written, now or before. */
bool results_empty(const results *r);
/** Empties a file that was opened to be kept. @return false with a message */
bool results_begin(results *r);
/** Writes whole lines, the first of all being the header. @return false with a message */
bool results_write(results *r, const tacho_str *lines);
/** Goes on behind the first `bytes`, whole lines, and cuts off the rest. @return false with a message */
bool results_go_on(results *r, uint64_t bytes);
/** A signal has ended the work after so many rows of the input: says so. @return the exit status */
int results_say_stopped(const results *r, uint64_t input_rows);
/** Closes. */
void results_close(results *r);
/** Closes where nothing was written: gone if it was not there. */
void results_drop(results *r);
/** Closes where what was written is not whole: empty, or gone if it was not there. */
void results_undo(results *r);

#endif
