/* results.h - where the rows of a batch go: a file or standard output, as soon as they are there. */
#ifndef TACHO_CLI_RESULTS_H
#define TACHO_CLI_RESULTS_H

#include "app/cli/rows.h"

/** The results of a shard are complete when their last line has an end: it is written after the next line has
 * come, or with the number of rows at the end of the input. */
typedef struct results {
    const char *name; /* for messages */
    char *file;       /* NULL: standard output */
    shard shard;
    int fd;
    bool made; /* the file was not there before */
    bool held; /* the end of the last line is not written yet */
    bool has_header, has_rows;
    bool complete; /* what was there had its end */
} results;

/** Opens `output` ("%s" in it is the shard's number; NULL: standard output), which must not be `input`;
 * `keep`: with what it has, else empty. @return false with a message */
bool results_open(results *r, const char *output, const shard *s, const rows *input, bool keep);
/** Nothing has been written, now or before. */
bool results_empty(const results *r);
/** Empties a file that was opened to be kept. @return false with a message */
bool results_begin(results *r);
/** Writes whole lines, the first of all being the header. @return false with a message */
bool results_write(results *r, const tacho_str *lines);
/** Goes on behind the first `bytes`, whole lines, with rows or only the header, and cuts off the rest;
 * `complete`: they have the end of a shard. @return false with a message */
bool results_go_on(results *r, uint64_t bytes, bool has_rows, bool complete);
/** The input has ended, after so many rows. @return false with a message */
bool results_end(results *r, uint64_t input_rows);
/** A signal has ended the work after so many rows of the input: says so. @return the exit status */
int results_say_stopped(const results *r, uint64_t input_rows);
/** Closes; what was not ended stays so. */
void results_close(results *r);
/** Closes where nothing was written: gone if it was not there. */
void results_drop(results *r);

#endif
