/* learn_record.h - measurements that were made elsewhere, from which learning has its answers: journals of
 * learning, and CSV files of loops. */
#ifndef TACHO_LEARN_LEARN_RECORD_H
#define TACHO_LEARN_LEARN_RECORD_H

#include "base/str.h"
#include "learn/subject.h"

/** Rows of a CSV file: columns `hex`, `mode` (U: copies one behind the other; L: a loop, with its counter or
 *  without; no column: as the file's name ends, "_U.csv" or "_L.csv"), `cycles` an iteration (of a copy), and
 *  perhaps `flags` (what is not clean is passed over), `registers` (what they hold at first, "rbx=1f00;r8=0",
 *  in hexadecimal) and `app` (the row is a block of a program). */
typedef struct record_row {
    subject_loop loop; /* without the counter */
    bool block;        /* of a program */
} record_row;

/** The file's rows that can be used; `measured`: those without a number of cycles cannot. End with
 *  record_free_rows. @return 0; TACHO_ERR_INPUT, TACHO_ERR_MEMORY */
int record_read_rows(const char *path, bool measured, record_row **out, size_t *count, tacho_error *err);
void record_free_rows(record_row *rows, size_t count);
/** Such a file with what is asked for, without cycles; `out` has its text. */
void record_put_questions(tacho_str *out, const subject_loop *loops, size_t count);

/** The core that the processor is, where `identity` (as subject_identity) says so; else NULL. */
const tacho_arch *record_core(const char *identity);

#endif
