/* code_search.h - what is looked through for loops: functions and what lies between them, relocations, jump
 * tables; and what a loop's path is like. */
#ifndef TACHO_FLOW_CODE_SEARCH_H
#define TACHO_FLOW_CODE_SEARCH_H

#include "x86/flow/code_image.h"
#include "x86/flow/path.h"

/** A piece of code to look at: a function, or what lies between functions. Offsets in the section. */
typedef struct code_span {
    const input_section *section;
    size_t start, end;
    const char *name; /* borrowed from the image; NULL unknown */
} code_span;

/** In the order of sections, which is that of their array, and of places. */
static inline bool span_is_before(const code_span *s, const input_section *section, uint64_t offset)
{
    return s->section < section || (s->section == section && s->end <= offset);
}

typedef struct span_list {
    code_span *spans;
    size_t count, capacity;
} span_list;

/** Where functions begin, sorted by section and place: to name the targets of calls. */
typedef struct function_start {
    const input_section *section;
    size_t offset, size;
    const char *name; /* NULL: it is known to begin there, but not what it is called */
    uint8_t rank;     /* of several names of one place, the lowest is taken */
} function_start;

typedef struct function_list {
    function_start *items;
    size_t count, capacity;
} function_list;

/* code_spans.c: all return 0 or TACHO_ERR_MEMORY. */
/** Adds all symbols that name code. */
TACHO_PRIVATE int tacho_functions_add(function_list *out, const input_image *image, tacho_error *err);
/** Sorts them; of several of one place one stays. */
TACHO_PRIVATE void tacho_functions_sort(function_list *f);
/** Where function i ends: as its size says, else where the next one begins. */
TACHO_PRIVATE size_t tacho_functions_end(const function_list *f, size_t i);
/** The name of the function that begins there; NULL if none does. */
TACHO_PRIVATE const char *tacho_functions_name(const function_list *f, const input_section *section,
                                               size_t offset);
TACHO_PRIVATE int tacho_spans_add(span_list *out, code_span span, tacho_error *err);
/** Adds the functions of all executable sections, or of `only`, and what lies between them. */
TACHO_PRIVATE int tacho_spans_of_image(span_list *out, const input_image *image, const function_list *f,
                                       const input_section *only, tacho_error *err);

typedef struct reloc {
    uint64_t offset;              /* first, to be searched for */
    const input_section *section; /* of the symbol; NULL: not in this file */
    uint64_t value;               /* of the symbol */
    int64_t addend;
    const char *name; /* "" for section symbols */
} reloc;

typedef struct reloc_list {
    reloc *items;
    size_t count, capacity;
    const input_section *of; /* NULL: none loaded yet */
} reloc_list;

/** The first one within [offset, offset + length). */
TACHO_PRIVATE const reloc *tacho_relocs_find(const reloc_list *list, uint64_t offset, uint64_t length);

/** Says where control goes in code of an image: by relocations, jump tables, and calls that do not return. */
typedef struct code_reader {
    const input_image *image;
    /* Loads the relocations of a section. @return 0 or an error */
    int (*load)(reloc_list *out, const input_section *of, void *payload);
    bool (*returns)(cfg *g, const cfg_insn *call, void *reader);
    void *payload;
    const code_span *span;   /* whose graph was made last */
    cfg_code code;           /* of that graph */
    reloc_list relocs;       /* of its section */
    reloc_list table_relocs; /* of the section a table was last found in */
    uint64_t steps;          /* of searches */
    const uint64_t *marks;   /* addresses that code refers to, sorted; NULL: not known */
    size_t mark_count;
} code_reader;
/** code_spans.c: the graph of one span, at most CFG_MAX_BYTES, which lives as long as the reader reads no
 * other one. `reached_only`: without the code that nothing leads to.
 *  @return 0, TACHO_ERR_MEMORY or TACHO_ERR_LIMIT */
TACHO_PRIVATE int tacho_span_graph(cfg *g, arena *memory, code_reader *r, const code_span *span,
                                   const uint32_t *entries, size_t entry_count, bool reached_only);

/** False for functions that are known not to return: "abort". */
TACHO_PRIVATE bool tacho_function_returns(const char *name);

/* path.c: what is on a path, and how hot it looks */
typedef struct path_code {
    const tacho_piece *pieces; /* with addresses */
    size_t piece_count;
    const uint8_t *code; /* NULL without a path */
    size_t code_bytes;
    uint32_t flags; /* TACHO_LOOP_* */
    uint32_t insn_count, vector_count, memory_count, call_count;
    double heat;
} path_code;
/** The path of a loop of the span. A path in one piece stays where it is, the others' bytes and pieces come
 * from `memory`. @return 0 or TACHO_ERR_MEMORY */
TACHO_PRIVATE int tacho_path_code(path_code *out, const cfg *g, uint32_t header, const loop_path *p,
                                  const code_span *span, arena *memory);

#endif
