/* loading.h - a model of a core while it is read. */
#ifndef TACHO_TABLES_LOADING_H
#define TACHO_TABLES_LOADING_H

#include "x86/arch/loaded.h"
#include "x86/tables/table_rows.h"

enum {
    LOADING_NAME_BYTES = 32,
    LOADING_LINE_BYTES = 1000 /* of lines that are no figures of forms */
};

/* What the rows of a part of the text say. */
typedef enum loading_section {
    SECTION_PARAMS, /* also before the first head of a section */
    SECTION_EXTENSIONS,
    SECTION_FUSION,
    SECTION_INSNS,
    SECTION_SOURCES,
    SECTION_UNKNOWN,
} loading_section;

typedef struct load_problem {
    size_t line, number;
    const char *text;
} load_problem;

typedef struct loading {
    rows_arch arch; /* first, so that one is the other */
    rows_tables tables;
    const char *text;
    size_t size;
    char name[LOADING_NAME_BYTES];
    bool named;   /* by the text */
    bool refused; /* it is no model */
    size_t name_line, inherit_line;
    const gen_arch *parent;         /* NULL: nothing is inherited */
    unsigned inherited_groups;      /* of macro-fusion */
    rows_source *inherited_sources; /* of the parent's extensions, of each that is there */
    loaded_source *sources;         /* of figures */
    size_t source_count, source_capacity;
    load_problem *problems;
    size_t problem_count, problem_capacity;
} loading;

/* load_text.c: reads all rows, and what they inherit; then problems are in `l`. */
void loading_read(loading *l);
/* load_text.c: whether it is text at all; what is not in a row alone. */
void loading_check_text(loading *l);

#endif
