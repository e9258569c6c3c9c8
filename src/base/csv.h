/* csv.h - comma-separated values as RFC 4180 has them: splitting a stream into records, fields, quoting. */
#ifndef TACHO_BASE_CSV_H
#define TACHO_BASE_CSV_H

#include "base/str.h"

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

#endif
