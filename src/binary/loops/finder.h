/* finder.h - what the search for the loops of a file needs beside src/x86/flow: what the file says of its
 * functions, imports, relocations and source lines. */
#ifndef TACHO_LOOPS_FINDER_H
#define TACHO_LOOPS_FINDER_H

#include <gelf.h>

#include "base/arena.h"
#include "binary/input/input.h"
#include "tacho/loops.h"
#include "x86/flow/code_search.h"

typedef struct import {
    uint64_t slot; /* address of the pointer */
    const char *name;
} import;

typedef struct import_list {
    import *items;
    size_t count, capacity;
} import_list;

/** The name of the function to which a call or jump through memory leads, `next` being the address of the
 * instruction after it; NULL unknown. */
const char *imports_slot_of(const import_list *list, const tacho_insn *insn, uint64_t next);
/** The function that a stub at this place leads to. */
const char *imports_at_stub(const import_list *list, const input_section *section, size_t offset);

/** All symbols that name code, and what .eh_frame knows beside them. */
int functions_list(function_list *out, const input *in, const input_image *image);
/** What is to be looked at, as the options say. */
int spans_choose(span_list *out, const input *in, const input_image *image, const function_list *functions);

/* lines.c */
typedef struct debug_lines debug_lines;
/** Debug information of an ELF file. @return NULL with *out set to NULL also where there is none */
int lines_open(debug_lines **out, const input *in, const input_image *image, const char *data, size_t size);
/** Where an inlined call stands. */
typedef struct line_call {
    uint64_t id;      /* two instructions of one id came through the same call */
    const char *file; /* NULL unknown */
    uint32_t line;
    const char *function; /* that is called, by its symbol where it has one; NULL unknown */
} line_call;

enum {
    LINE_MAX_CALLS = 8
};

/** Where an instruction comes from, and through which inlined calls, from the function outside in. */
typedef struct line_place {
    const char *file; /* lives as long as the debug information */
    uint32_t line;
    uint32_t call_count;
    line_call calls[LINE_MAX_CALLS];
} line_place;

/** @return whether it is known; false also when memory runs out */
bool lines_find(debug_lines *d, const input_section *section, size_t offset, line_place *out);
void lines_close(debug_lines *d);

/** What is handed out, and what owns it. */
typedef struct loops_result {
    tacho_loops loops; /* first: the public pointer is to this */
    tacho_loop *list;
    size_t capacity;
    arena memory;
    input_code *code; /* owns the bytes and the warnings */
} loops_result;

/** A search through one input. */
typedef struct finder {
    const tacho_loops_options *options;
    input in;
    input_image image, text_image;
    char *text_object; /* debug information of assembly text, where its own leads elsewhere */
    size_t text_size;
    function_list functions;
    import_list imports;
    span_list spans;
    code_reader reader;
    debug_lines *source, *text;
    loops_result *out;
    arena work; /* of one span */
    const code_span *span;
    const char *last_file; /* copied: the same name often comes again */
    const char *span_name; /* copied */
    uint64_t bytes_done, bytes_all, bytes_shown;
    bool too_many; /* loops: the rest is left out */
} finder;

/* loops_graph.c */
/** Opens the image of f->in, and lists its functions and imports. Goes with finder_close, also on failure. */
int finder_open(finder *f);
void finder_close(finder *f);
/** The graph of one span, at most CFG_MAX_BYTES, allocated from f->work, which is reset before; lives as long
 * as the span does. `reached_only`: without the code that nothing leads to.
 *  @return 0, TACHO_ERR_MEMORY or TACHO_ERR_LIMIT */
int finder_graph(finder *f, const code_span *span, const uint32_t *entries, size_t entry_count,
                 bool reached_only, cfg *g);

/* loops_find.c */
/** Keeps the loop of this path that is headed by block `header`: what is on it, where it comes from.
 * @return 0 or TACHO_ERR_MEMORY */
int loop_keep(finder *f, const cfg *g, uint32_t header, const loop_path *p);
/** Copied to where the result lives; NULL when memory runs out. */
char *loop_text(finder *f, const char *text);
enum {
    SYMBOL_MAX_READABLE = 8192
};
/** The name of a symbol as people write it; false: it is none of C++ or Rust, or gets too long. lines.c */
bool symbol_read(const char *name, char *out, size_t size);
/** The name of a symbol, copied there: as people write it, unless the options say otherwise. lines.c */
char *loop_symbol(finder *f, const char *name);
/** The address of an offset in the span that is looked at. */
static inline uint64_t loop_address(const finder *f, uint32_t offset)
{
    return f->span->section->address + f->span->start + offset;
}

/** The name of what a call calls; NULL where it cannot be told. */
const char *loop_callee(const finder *f, const cfg *g, const cfg_insn *call);

/* ---- a table of relocations with the symbols that it refers to, as libelf gives them ---- */

typedef struct rela_table {
    Elf_Data *data, *symbols;
    size_t count, strings;
} rela_table;

/** @return false where the table or its symbols cannot be read */
bool rela_open(rela_table *out, const input_image *image, Elf_Scn *scn, const GElf_Shdr *header);
/** Relocation i and its symbol. @return false where there is none */
bool rela_get(const rela_table *t, size_t i, GElf_Rela *r, GElf_Sym *symbol);

#endif
