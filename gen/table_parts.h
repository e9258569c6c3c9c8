/* table_parts.h - the tables while they are read, checked and written: one microarchitecture after the other,
 * all in memory until the end. What a row says, src/x86/tables/ knows. The parts of tacho-gen-tables, in
 * their order:
 *
 *   table_reader.c   files of rows, and what is wrong in them
 *   table_sources.c  sources.txt, and combinations of sources that cores share
 *   table_forms.c    forms.txt: the forms of instructions
 *   table_arch.c     a microarchitecture: params.txt, extensions.txt, fusion.txt
 *   table_insns.c    its figures: insns.txt, also those of others that it inherits
 *   table_write.c    all of it as C */
#ifndef TACHO_GEN_TABLE_PARTS_H
#define TACHO_GEN_TABLE_PARTS_H

#include <stdio.h>

#include "gen_text.h"
#include "x86/tables/table_rows.h"

/* ---- table_reader.c ---- */

/* All rows but those of forms.txt. */
extern rows_tables tables;
extern rows_pool operand_pool;
/* How many were reported. */
extern unsigned problems;
/* @return false: it is not there, which an `optional` one need not be */
bool reader_open(rows_reader *r, const char *dir, const char *name, bool optional);
/* The next row, or NULL at the end (then closed). */
char *reader_next(rows_reader *r);
/* Room for one more than `count` items of `item` bytes. */
void *grow(void *items, size_t count, size_t item);
/* As rows_pool_add, but the program ends where there is no room. */
uint32_t pool_add(rows_pool *p, const void *items, size_t count);

/* ---- table_sources.c ---- */

void read_sources(const char *dir);

typedef struct row_source {
    char *text;
    uint32_t origins;
} row_source;

extern row_source *row_sources;
extern size_t row_source_count;
extern size_t pattern_count; /* combinations of sources; table_sources.c */
typedef struct arch arch;
/* Whether `id` is `core`, or `core` with a suffix. */
bool is_of_core(const char *id, const char *core);
/* The number of the pattern that stands for these sources on `a` from now on; `own`: as which core's rows
 * they are written. */
unsigned pattern_add(arch *a, const rows_source *const *by_field, const char *own);
/* The same for its own rows: rows_arch.add_source. */
unsigned own_pattern_add(rows_arch *a, const rows_source *const *by_field);

/* ---- table_forms.c ---- */

typedef struct form {
    uint64_t key;
    char *name;
    gen_form out;
    size_t line;
} form;

extern form *forms;
extern size_t form_count;
extern uint16_t *hash_slots;
extern size_t hash_size;
/* -1: there is none */
int64_t form_find(uint64_t key);
unsigned form_operand_count(int64_t form);
void read_forms(const char *dir, const char *name, bool optional);

/* ---- table_arch.c ---- */

enum {
    MAX_PATTERNS = 512
};

/* What a pattern of sources stands for on one microarchitecture. */
typedef struct pattern_sources {
    bool set;
    const rows_source *by_field[TACHO_FIELD_COUNT];
    unsigned row_source;
} pattern_sources;

/* Where a form's figures stand. */
typedef struct row_place {
    const char *file; /* NULL: there are none */
    size_t line;
    bool inherited; /* it is another core's */
} row_place;

struct arch {
    rows_arch rows;    /* first, so that one is the other */
    row_place *places; /* of each form */
    pattern_sources patterns[MAX_PATTERNS];
};

extern arch **archs;
extern size_t arch_count;
/* By its name, in small letters or large ones; NULL: there is none. */
const arch *arch_find(const char *name);
/* "inherit SKL": one that comes before the child. NULL with a problem */
const arch *read_parent(const rows_reader *r, const char *line, const arch *child);
/* archs.txt, and the files of each. */
void read_archs(const char *data);

/* ---- table_insns.c ---- */

/* The files of a core's figures: its table; what is known besides, or better; and what is taken where neither
 * has the form. */
typedef enum insns_file {
    INSNS_OWN,
    INSNS_EXTRA,
    INSNS_BESIDE
} insns_file;

/* All but the first may be missing. */
void read_insns(const char *dir, const char *name, arch *a, insns_file which);

/* ---- table_write.c ---- */

/* What was written, in bytes. */
typedef struct written {
    size_t pages; /* of figures */
    size_t page_bytes, source_bytes;
    size_t *arch_bytes; /* of each microarchitecture's own; freed by the caller */
} written;
/* Ends the program where it cannot. */
void write_tables(const char *path, bool mnemonics, written *w);

#endif
