/* rows.h - the rows of a CSV file whose first column is machine code in hex, one at a time, in constant
 * memory. */
#ifndef TACHO_CLI_ROWS_H
#define TACHO_CLI_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct rows {
    const char *name; /* for messages */
    int fd;
    char *data;
    size_t capacity, length, at; /* what is read and not given out yet: [at, length) */
    uint64_t given;              /* bytes of the file before `at` */
    uint64_t size;               /* of the file; 0: not known */
    bool ended, started;
    bool whole_only; /* a last line without an end is no row */
} rows;

/** Opens `path` ("-": standard input). @return false with a message */
bool rows_open(rows *r, const char *path);
void rows_close(rows *r);

/** The next row's first field, without white space around it; a header line and empty lines are passed over.
 *  @return 1, 0 at the end, -1 with a message. *hex lives until the next call. */
int rows_next(rows *r, const char **hex, size_t *length);

/** Whether a whole row is there, so that rows_next will not wait for more of the file. */
bool rows_ready(const rows *r);

/** Whether the file begins with exactly this line; reads past it. */
bool rows_header(rows *r, const char *line);

/** Share of the file that was read; 0 where its size is not known. */
double rows_part_read(const rows *r);
/** Bytes of the file up to the end of the last row that was given. */
uint64_t rows_whole_bytes(const rows *r);

#endif
