/* table_parts.h - the tables while they are read, checked and written: one microarchitecture after the other,
 * all in memory until the end. The parts of tacho-gen-tables, in their order:
 *
 *   table_reader.c   lines of text, and what is wrong in them
 *   table_pool.c     equal items stored once
 *   table_sources.c  sources.txt, and which of them the figures of a row come from
 *   table_forms.c    forms.txt: the forms of instructions
 *   table_arch.c     a microarchitecture: params.txt, extensions.txt, fusion.txt
 *   table_insns.c    its figures: insns.txt, also those of others that it inherits
 *   table_write.c    all of it as C */
#ifndef TACHO_GEN_TABLE_PARTS_H
#define TACHO_GEN_TABLE_PARTS_H

#include <stdio.h>

#include "gen_text.h"
#include "tacho/error.h"
#include "x86/insndb/key.h"
#include "x86/insndb/tables.h"

enum {
    MAX_LIST = 256
};

/* ---- table_reader.c ---- */

typedef struct reader {
    char path[4096];
    FILE *in;
    char *line;
    size_t size, number;
} reader;

/* How many were reported. */
extern unsigned problems;
void problem(const reader *r, const char *format, ...) TACHO_PRINTF(2, 3);
/* @return false: it is not there, which an `optional` one need not be */
bool reader_open(reader *r, const char *dir, const char *name, bool optional);
/* The next line that is neither empty nor a comment, or NULL at the end (then closed). */
char *reader_next(reader *r);
/* Room for one more than `count` items of `item` bytes. */
void *grow(void *items, size_t count, size_t item);
/* A whole number from 0 to `max`. */
bool read_number(const char *s, long max, long *out);

/* ---- table_pool.c ---- */

/* An array of equal-sized items in which runs are stored once. */
typedef struct pool {
    const char *name;
    size_t item, count, capacity;
    unsigned char *items;
    struct {
        uint32_t start, count;
    } * runs;
    size_t run_count;
    uint32_t *slots; /* hash of runs: number + 1 */
    size_t slot_count;
} pool;

extern pool operand_pool, group_pool, variant_pool, latency_pool, figures_pool;
/* Index of the first of `count` items equal to these, added if there are none. */
uint32_t pool_add(pool *p, const void *items, size_t count);

/* ---- table_sources.c ---- */

typedef struct source {
    char *id, *class_, *core, *text;
} source;

extern source *sources;
const source *source_find(const char *id);
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
unsigned pattern_add(arch *a, const source *const *by_field, const char *own);
/* "source 12 ports=ICL latency=SKL" or "source 1 all=SKL" */
void read_row_source(reader *r, arch *a, char *line);

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
long form_find(uint64_t key);
void read_forms(const char *dir, const char *name, bool optional);

/* ---- table_arch.c ---- */

/* Rows of params.txt beside the parameters of tacho_arch. */
enum {
    NAME_LONG,
    NAME_TABLE,
    NAME_CORE,
    NAME_SAME_CORES,
    NAME_ALIASES,
    NAME_CPUID_MODELS,
    NAME_CPUID_FAMILY,
    NAME_COMPARED,
    NAME_COUNT
};

enum {
    MAX_PARAMETERS = 128,
    MAX_PATTERNS = 512
};

/* What a pattern of sources stands for on one microarchitecture. */
typedef struct pattern_sources {
    bool set;
    const source *by_field[TACHO_FIELD_COUNT];
    unsigned row_source;
} pattern_sources;

struct arch {
    char *name;
    char *names[NAME_COUNT];
    tacho_arch values;
    const source *value_sources[MAX_PARAMETERS];
    const source *extensions[TACHO_EXTENSION_COUNT]; /* NULL: it has not that one */
    char *fusion_names[GEN_MAX_FUSION_GROUPS];
    uint16_t fusion[GEN_MAX_FUSION_GROUPS];
    unsigned fusion_count;
    uint16_t *figures;
    bool *inherited; /* those of the form are another core's */
    size_t form_count;
    unsigned row_patterns[4096]; /* by number in insns.txt: pattern + 1 */
    pattern_sources patterns[MAX_PATTERNS];
};

extern arch **archs;
extern size_t arch_count;
/* "inherit SKL": one that comes before the child. NULL with a problem */
const arch *read_parent(const reader *r, const char *line, const arch *child);
/* "Intel:6" or "AMD:0x1A" */
bool read_family(const char *text, unsigned *vendor, long *family);
/* "0x8E", "0x40-0x4F" or "0x8E:10-15" */
bool read_model(const char *text, gen_model *out);
/* A tacho_compared by its name; -1 for other words. */
int read_compared(const char *text);
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
