/* input.h - what the files of src/binary/input share. An input is a named byte buffer; reading it makes an
 * image (sections and symbols), and regions are spans of the image's sections. */
#ifndef TACHO_INPUT_INPUT_H
#define TACHO_INPUT_INPUT_H

#include "base/arena.h"
#include "base/str.h"
#include "base/warnings.h"
#include "tacho/assemble.h"
#include "tacho/code.h"
#include "x86/flow/code_image.h"
#include "x86/flow/code_search.h"

/** What was typed in a section. */
typedef struct input_typed {
    const char *section;
    size_t first, count; /* in input_code.typed */
} input_typed;

/** A tacho_code and what its regions point into. */
typedef struct input_code {
    tacho_code code; /* first: the public pointer is to this */
    size_t region_capacity;
    warnings warnings;
    char *data; /* the bytes: a file's, or those assembled or decoded from it */
    size_t size;
    /* what was typed, by section and place */
    arena source;
    tacho_typed *typed;
    input_typed *typed_in; /* by section */
    size_t typed_in_count;
    uint8_t *places; /* of assembled sections, by ELF number: where they begin in a block of 64 bytes */
    size_t place_count;
} input_code;

/** The input being read. */
typedef struct input {
    const char *name;
    const tacho_code_options *options;
    tacho_error *err;
    input_code *out;
} input;

/** As tacho_assembly_parts says it. */
#define INPUT_NO_INSTRUCTIONS "the text has no instructions"

/** Fails with "NAME: line L: ..." or "NAME: offset O: ..."; line 0 and offset -1 are left out. */
int input_fail(const input *in, int code, uint64_t line, int64_t offset, const char *format, ...)
    TACHO_PRINTF(5, 6);
/** Adds a sentence to the code's warnings; at most 20 are kept. */
int input_warn(const input *in, const char *format, ...) TACHO_PRINTF(2, 3);

/** Where an address lies in a block of 64 bytes. This is the rule for all that is predicted: the addresses of
 *  the input are kept; sections that have none yet, and code without a file, begin at 0. */
static inline uint32_t input_alignment(uint64_t address)
{
    return (uint32_t)(address % 64);
}
/** Adds [start, end) of a section. */
int input_add_region(const input *in, const char *name, const input_section *section, size_t start,
                     size_t end, uint64_t line);

/** Machine code alone: it lies nowhere. */
static inline input_section input_section_of_bytes(char *name, const char *data, size_t size)
{
    return (input_section){.name = name, .bytes = (const uint8_t *)data, .size = size, .executable = true};
}

/** Part of a section. */
typedef struct input_span {
    const input_section *section;
    size_t start, end;
    const char *name; /* NULL or borrowed */
} input_span;

/* elf.c */
bool input_is_elf(const char *data, size_t size);
int input_elf_open(const input *in, input_image *image, char *data, size_t size);
void input_image_close(input_image *image);
const input_symbol *input_find_symbol(const input_image *image, const char *name);
/** The address of what lies at this offset of the file, as its segments say. @return false: it is in none */
bool input_address_of(const input_image *image, uint64_t offset, uint64_t *out);
/** Whether the symbol names a function, or a place in code. */
bool input_names_code(const input_image *image, const input_symbol *symbol);
/** Resolves --symbol, --section and --range. @return 1 with *span, 0 if none of them was given, negative. */
int input_elf_select(const input *in, const input_image *image, input_span *span);
/** What is analysed when nothing was asked for: .text, or the only section with code. */
int input_elf_default(const input *in, const input_image *image, input_span *span);

/* image.c */
/** Opens the input as an image: an ELF file as it is, assembly text as what it is assembled to, other code as
 * one section. Where assembly text says itself which source lines it comes from (.loc), *lines is another
 * object of the same code that has the lines of the text instead (else NULL); free it with tacho_mem_free. */
int input_open_image(const input *in, input_image *image, char **lines, size_t *lines_size);

/* code.c */
/** What the input is: the kind asked for, else by content; fails for files that are nothing of that. */
int input_find_kind(const input *in);
/** Reads a file ("-": standard input), or copies memory (`data`), and makes *in of it.
 *  @return 0 with in->out, to be freed with tacho_code_free */
int input_start(input *in, const char *path, const void *data, size_t size, const char *name,
                const tacho_code_options *options, tacho_error *err);
/** The same of a file that somebody else has named: it must be a regular one (tacho_file_read_regular). */
int input_start_regular(input *in, const char *path, const tacho_code_options *options, tacho_error *err);

/* regions.c: IACA's and OSACA's byte markers */
/** Adds a region for each pair of markers in the span. @return the number of regions, or negative. */
int input_byte_markers(const input *in, const input_span *span);

/* What the names and mnemonics of assembly text are of. */
static inline bool input_is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '$';
}

/* asm_text.c: comment markers */
/** A region between two comment markers: numbers of the labels put there. */
typedef struct input_marked {
    char *name;
    uint64_t line;
    int begin, end; /* -1: the start or the end of the text */
} input_marked;

typedef struct input_text {
    tacho_str text; /* to be assembled */
    input_marked *regions;
    size_t region_count, region_capacity;
    int label_count;
} input_text;

/** Replaces comment markers by labels, line by line, and refuses directives that read files. */
int input_scan_text(const input *in, const char *text, size_t size, input_text *out);
void input_text_free(input_text *text);

/* regions.c */
/** Leaves the one that the options ask for, if they do. */
int input_choose_region(const input *in);

/** own.c: of a text that is no assembly: what it seems to be, and how it is compiled. @return whether that is
 *  known */
bool input_describe_source(const input *in, const char *text, size_t size, char *out, size_t out_size);

/* assemble.c */
/** Runs the GNU assembler on `text`; `lines`: with debug information, which leads to the lines of the text.
 *  @return 0 with the object file in *object. */
int input_run_assembler(const input *in, const char *text, size_t size, bool lines, char **object,
                        size_t *object_size);
bool input_has_assembler(void);
/** What would have been right, where that can be guessed from a text that no assembler takes; "" unknown.
 *  `both_tried`: it was read as AT&T's and as Intel's syntax. */
const char *input_assembly_hint(const input *in, const char *text, size_t size, bool both_tried);

/* own.c */
/** Which lines an object file leads to. */
typedef enum input_lines {
    INPUT_NO_LINES,
    INPUT_LINES_OF_TEXT,
    INPUT_LINES_OF_SOURCE, /* those that the text itself names by .loc */
} input_lines;
enum {
    INPUT_WARNS = 1,
    INPUT_KEEPS_TYPED = 2 /* if the options ask for that */
};
/** Assembles a text from input_scan_text, by the assembler that the options ask for. `what`: INPUT_*, of the
 * above. @return 0 with the object file in *object */
int input_assemble(const input *in, const tacho_str *text, input_lines lines, unsigned what, char **object,
                   size_t *object_size);

/* object.c */
/** Makes an object file of what was assembled. */
int input_write_object(const input *in, const tacho_assembly *a, bool lines, char **object, size_t *size);

/** What was typed in a section, by address; NULL unknown: what the GNU assembler reads is not kept. */
const tacho_typed *input_source_of(const input *in, const input_section *section, size_t *count);

/* ---- what .eh_frame says of an ELF file's functions ---- */

/** What is called for each function that .eh_frame describes, with the address of its table of exceptions, 0:
 * it has none. Not 0 ends the reading and is returned. */
typedef struct frame_reader {
    int (*each)(uint64_t start, uint64_t size, uint64_t table, void *payload);
    void *payload;
} frame_reader;
int frames_read(const input_image *image, const frame_reader *f);
/** Adds what .eh_frame says of functions. */
int frames_list(function_list *out, const input *in, const input_image *image);
/** Calls `each` with the places where the exceptions of a function are handled, as its table says. */
int frames_pads(const input_image *image, uint64_t function, uint64_t table,
                int (*each)(uint64_t address, void *payload), void *payload);

#endif
