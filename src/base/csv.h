/* csv.h - comma-separated values as RFC 4180 has them: splitting a stream into records, fields, quoting; the
 * rows of a file, one at a time. */
#ifndef TACHO_BASE_CSV_H
#define TACHO_BASE_CSV_H

#include "base/gzip_input.h"

/** Records that are longer are refused, so that a line without an end costs no memory. */
enum {
    TACHO_CSV_MAX_RECORD = 1 << 20, /**< of a batch's input */
    TACHO_CSV_MAX_RESULT = 16 << 20 /**< of what may be a batch's result, whose rows have more than the hex */
};

/** Length of the first record in `text`, its line end excluded (LF, CR LF or CR); *next is where the
 * following one starts. Line ends inside quoted fields belong to the field.
 *  @return (size_t)-1 when the record does not end within `length` (at the end of the input: then all of it
 *  is the record). */
size_t tacho_csv_record(const char *text, size_t length, size_t *next);

/** The first field of a record, unquoted in place if it is quoted. *rest is where the next field starts,
 *  NULL after the last one. */
void tacho_csv_field(char *record, size_t length, char **field, size_t *field_length, char **rest);

/** Which field of a record, counted from 0, is called `name`: quotes and white space around it and case do
 * not matter. This is how tacho knows a header line. @return -1: none is */
int tacho_csv_column(const char *record, size_t length, const char *name);

/** Appends a field, quoted where it has to be. */
void tacho_csv_put(tacho_str *out, const char *text, size_t length);

/* ---- the rows of a CSV file with machine code in hex, one at a time, in constant memory. gzip may have
 * compressed it; lines at its beginning that start with '#' are comments. The hex is in the column
 * that a header line calls `hex`; without one in the first ---- */

/** Whoever reads. */
typedef struct rows_caller {
    void (*say)(const char *message); /* is told of what went wrong */
    bool (*stop)(void *payload);      /* whether to end; called with NULL */
    int (*stop_descriptor)(void);     /* can be read when that is so */
} rows_caller;

typedef struct rows {
    const char *name; /* for messages */
    rows_caller caller;
    tacho_input in;
    char *data;
    size_t capacity, length, at; /* what is read and not given out yet: [at, length) */
    uint64_t given;              /* bytes of the file before `at` */
    uint64_t size;               /* of the file; 0: not known, or compressed */
    bool ended, started;
    size_t column; /* of the hex */
    bool dropping; /* the rest of a line that was too long */

    /* To be set after rows_open. */
    size_t max_record; /* bytes of a record */
    bool whole_only;   /* a last line without an end is no row */

    /* Of the last row that was given. */
    uint64_t number;     /* among all rows of the file, from 1; at the end: how many there are */
    const char *problem; /* why it could not be read; its hex is "" then; else NULL */
    const char *rest;    /* behind its hex and the comma; NULL: nothing is there */
    size_t rest_length;
} rows;

/** Opens `path` ("-": standard input). @return false with a message */
bool rows_open(rows *r, const char *path, const rows_caller *caller);
void rows_close(rows *r);
/** Whether gzip has compressed the file, as far as it was read. */
bool rows_are_compressed(const rows *r);
/** Whether `path` is the file (not a pipe or a device) that is read. */
bool rows_is_file(const rows *r, const char *path);

enum {
    ROWS_END = 0,
    ROWS_GIVEN = 1,
    ROWS_NOT_YET = 2,
    ROWS_ERROR = -1,
    ROWS_STOPPED = -2 /* by the caller */
};
/** The next row's hex, without white space around it; a header line and empty lines are passed over.
 * A row longer than max_record (1 MiB) has a `problem`.
 *  @return ROWS_GIVEN, ROWS_END, ROWS_STOPPED, or ROWS_ERROR with a message. *hex lives until the next call.
 */
int rows_next_hex(rows *r, const char **hex, size_t *length);
/** The same of what has been read already. @return also ROWS_NOT_YET: more would have to be read */
int rows_next_read(rows *r, const char **hex, size_t *length);

/** Of hex that is none: what is no text becomes '?', so that it can be shown. */
void rows_make_text(char *hex, size_t length);
/** Whether `shown` is `hex`, or what that has become. */
bool rows_is_shown(const char *shown, const char *hex, size_t length);

/** Whether the file begins with exactly this line (its end does not count); reads past it. */
bool rows_header(rows *r, const char *line);

/** Share of the file that was read; 0 where its size is not known. */
double rows_part_read(const rows *r);
/** Bytes of the file up to the end of the last row that was given. */
uint64_t rows_whole_bytes(const rows *r);

#endif
