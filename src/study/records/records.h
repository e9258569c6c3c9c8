/* records.h - optimisation records while they are read. */
#ifndef TACHO_RECORDS_RECORDS_H
#define TACHO_RECORDS_RECORDS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/hash_index.h"
#include "base/str.h"
#include "tacho/opt_records.h"

typedef struct records {
    tacho_opt_records out; /* first: the public pointer is to this */
    tacho_remark *list;
    size_t count, capacity;
    arena memory;
    hash_index texts; /* of files, functions, passes: each is kept once */
    const char **kept;
    size_t kept_count, kept_capacity;
} records;

/* records_match.c */
/** A remark that is of interest is copied; others are not. `pass` may be NULL: then `about` says what it is.
 * @return -1: no memory */
int records_add(records *r, const tacho_remark *remark);
/** What a pass of this name is about. @return -1: of no interest */
int records_about(const char *pass);
/** What a text is about, where there is no pass. @return -1: it does not say */
int records_about_text(const char *text);

/* All return 0, TACHO_ERR_INPUT with a message without the file's name, TACHO_ERR_MEMORY without one,
 * TACHO_ERR_UNSUPPORTED with one. */
/* records_clang.c */
int records_clang(records *r, const char *data, size_t size, tacho_error *err);
/* records_gcc.c */
int records_gcc(records *r, const char *data, size_t size, tacho_error *err);
/* records_read.c: 1: there is no remark in it */
int records_text(records *r, const char *data, size_t size, tacho_error *err);
/* records_read.c */
/** The same of any of these; 1: it is none */
int records_take(records *r, const char *data, size_t size, tacho_error *err);

#endif
