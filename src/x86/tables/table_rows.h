/* table_rows.h - the rows of the text tables (data/README.md has their grammar): read, checked, and kept as
 * the generated tables have them. The table generator reads data/ with it, the library the models of cores
 * that users give. In the order of work:
 *
 *   rows_reader.c    lines of a text, and what is wrong in them
 *   rows_sources.c   where figures come from
 *   rows_arch.c      parameters, extensions, macro-fusion groups
 *   rows_insns.c     figures of forms */
#ifndef TACHO_TABLES_TABLE_ROWS_H
#define TACHO_TABLES_TABLE_ROWS_H

#include "base/arena.h"
#include "tacho/error.h"
#include "x86/insndb/key.h"
#include "x86/arch/tables.h"

enum {
    ROWS_MAX_LIST = 256,
    ROWS_MAX_UOPS = 20000,
    ROWS_MAX_DIVISION = 250, /* cycles; the simulator looks a bounded time ahead */
    ROWS_MAX_PARAMETERS = 160,
    ROWS_MAX_SOURCE = 4096 /* numbers of sources in a table of figures are less */
};

/* ---- rows_reader.c ---- */

typedef struct rows_reader rows_reader;
struct rows_reader {
    const char *name;     /* of the text, for `report` */
    const char *at, *end; /* what was not read yet */
    char *line;           /* the last row; reading it cuts it up */
    size_t capacity, number;
    bool no_memory;
    void (*report)(const rows_reader *r, const char *text); /* of a problem in that row */
    void *context;                                          /* the reporter's */
};

void rows_problem(const rows_reader *r, const char *format, ...) TACHO_PRINTF(2, 3);
/* The next line that is neither empty nor a comment, or NULL at the end. */
char *rows_next(rows_reader *r);
void rows_end(rows_reader *r);
/* Cuts `line` at each `separator`, at most into `max` fields. @return their number */
size_t rows_split(char *line, char separator, char **fields, size_t max);
/* The same for the fields of a row. Where there are fewer than `least`, `wanted` is the problem. */
size_t rows_fields(const rows_reader *r, char **fields, size_t least, size_t max, const char *wanted);
/* A whole number from 0 to `max`. */
bool rows_number(const char *s, long max, long *out);

/* ---- equal items, stored once ---- */

/* An array of equal-sized items in which runs are stored once. */
typedef struct rows_pool {
    const char *name;
    size_t item, count, capacity;
    unsigned char *items;
    struct rows_run *runs;
    size_t run_count, run_capacity;
    uint32_t *slots; /* hash of runs: number + 1 */
    size_t slot_count;
} rows_pool;

typedef struct rows_source {
    char *id, *class_, *core, *text;
} rows_source;

/* What rows are read into. */
typedef struct rows_tables {
    arena texts;
    rows_source *sources;
    size_t source_count, source_capacity;
    rows_pool groups, variants, latencies, figures;
    /* The form with that key; negative: there is none. */
    int64_t (*find_form)(uint64_t key);
    unsigned (*operand_count)(int64_t form);
    /* NULL, or: the name of one that may be meant. @return false: none may */
    bool (*nearest_form)(const char *name, char *out, size_t size);
    const char *sources_name, *forms_name, *fusion_name; /* where they stand, in problems */
    const char *full; /* NULL, or what there was no room for, which makes the rest useless: "memory" */
} rows_tables;

/* For the items of the generated tables. */
void rows_tables_init(rows_tables *t);
/* With the texts; what else points into the pools is of no use then. */
void rows_tables_free(rows_tables *t);
/* Index of the first of `count` items equal to these, added if there are none. */
uint32_t rows_pool_add(rows_tables *t, rows_pool *p, const void *items, size_t count);
/* A copy that lives as long as the tables; "" when memory runs out. */
char *rows_copy(rows_tables *t, const char *text);

/* ---- rows_sources.c ---- */

const rows_source *rows_source_find(const rows_tables *t, const char *id);
/* "id class core text" */
void rows_read_source(const rows_reader *r, rows_tables *t);

typedef struct rows_arch rows_arch;
/* What users are told of figures from these sources: "ports and µops: ...; latencies: ..." */
void rows_describe(const rows_source *const *by_field, char *out, size_t size);
/* Four bits a field: a tacho_origin. */
uint32_t rows_origins(const rows_arch *a, const rows_source *const *by_field);
/* "source 12 ports=ICL latency=SKL" or "source 1 all=SKL" */
void rows_read_row_source(const rows_reader *r, rows_arch *a);

/* ---- rows_arch.c ---- */

/* Rows of parameters beside those of tacho_arch. */
typedef enum rows_name {
    ROWS_NAME_LONG,
    ROWS_NAME_TABLE,
    ROWS_NAME_CORE,
    ROWS_NAME_SAME_CORES,
    ROWS_NAME_ALIASES,
    ROWS_NAME_CPUID_MODELS,
    ROWS_NAME_CPUID_FAMILY,
    ROWS_NAME_COMPARED,
    ROWS_NAME_CHECKED, /* of models from files */
    ROWS_NAME_COUNT
} rows_name;

struct rows_arch {
    rows_tables *tables;
    const char *name;
    char *names[ROWS_NAME_COUNT];
    tacho_arch values;
    const rows_source *value_sources[ROWS_MAX_PARAMETERS];
    size_t value_lines[ROWS_MAX_PARAMETERS];
    const rows_source *extensions[TACHO_EXTENSION_COUNT]; /* NULL: it has not that one */
    const char *fusion_names[GEN_MAX_FUSION_GROUPS];
    uint16_t fusion[GEN_MAX_FUSION_GROUPS];
    unsigned fusion_count;
    uint16_t *figures;                     /* by form; GEN_NONE */
    size_t form_count;                     /* that have some */
    uint16_t row_sources[ROWS_MAX_SOURCE]; /* by number: what `add_source` said, + 1 */
    /* The gen_figures.source that stands for these sources from now on. */
    unsigned (*add_source)(rows_arch *a, const rows_source *const *by_field);
    /* NULL, or whether a form has figures that a row with ! replaces, though not in `figures`. */
    bool (*has_others)(const rows_arch *a, int64_t form);
};

const char *rows_name_text(rows_name name);
/* Reads "Intel:6" or "AMD:0x1A". */
bool rows_family(const char *text, unsigned *vendor, long *family);
/* "0x8E", "0x40-0x4F" or "0x8E:10-15" */
bool rows_model(const char *text, gen_model *out);
/* A tacho_compared by its name; -1 for other words. */
int rows_compared(const char *text);
/* "name value source [note]" */
void rows_read_parameter(const rows_reader *r, rows_arch *a);
/* What has no value, and what does not fit together, as problems of the row that was last. */
void rows_check_parameters(const rows_reader *r, const rows_arch *a);
/* "AVX2 -RTM source" */
void rows_read_extensions(const rows_reader *r, rows_arch *a);
/* "G0 B NB Z NZ"; `inherited`: the first groups, whose conditions a row may replace. */
void rows_read_fusion(const rows_reader *r, rows_arch *a, unsigned inherited);
/* The number of the fusion group of that name; 0: there is none. */
unsigned rows_fusion_group(const rows_arch *a, const char *name);

/* ---- rows_insns.c ---- */

/* "name base indexed same-registers latencies fusion source"; `beside`: of no account where the form has
 * figures. @return the form, negative: it has no figures from there */
int64_t rows_read_insn(const rows_reader *r, rows_arch *a, bool beside);

#endif
