/* assemble.h - machine code of assembly text, without an assembler.
 *
 * Reads AT&T and Intel syntax as gcc, clang and GNU objdump write them, and Intel's as users of MSVC and NASM
 * write it, and makes the bytes that the GNU assembler makes: its choice among equal encodings, the shortest
 * immediates, displacements and branches, its NOPs. Also reads what disassemblers print: listings of GNU's
 * and LLVM's objdump and of perf annotate --stdio, whose bytes are the code where they have some, at their
 * addresses modulo 64; headings name functions, all else in them is passed over. There are no macros,
 * repetitions or conditions: text that needs them fails with TACHO_ERR_UNSUPPORTED.
 *
 * Core: stable within a major version. */
#ifndef TACHO_ASSEMBLE_H
#define TACHO_ASSEMBLE_H

#include <stdbool.h>
#include "decode.h"
#include "options.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Limits of a text; more is TACHO_ERR_LIMIT. */
enum {
    TACHO_ASSEMBLE_MAX_TEXT = 64 << 20,      /**< bytes */
    TACHO_ASSEMBLE_MAX_LINE = 1 << 20,       /**< bytes of a statement */
    TACHO_ASSEMBLE_MAX_STATEMENTS = 8 << 20, /**< labels, instructions and data directives */
    TACHO_ASSEMBLE_MAX_CODE = 64 << 20,      /**< bytes of all sections */
    TACHO_ASSEMBLE_MAX_SECTIONS = 10000,
    TACHO_ASSEMBLE_MAX_NESTING = 32,   /**< of parentheses in an expression, and of sections */
    TACHO_ASSEMBLE_MAX_OPERANDS = 5,   /**< of an instruction */
    TACHO_ASSEMBLE_MAX_PROBLEMS = 100, /**< that are kept */
};

/** Whose Intel syntax it is; they differ in comments and in what a name alone means as an operand. */
typedef enum tacho_dialect {
    TACHO_DIALECT_AUTO = 0, /**< by what the text has of one: PROC, PTR ?name, default rel, [rel x] ... */
    TACHO_DIALECT_GNU,      /**< ';' separates statements; a name is the memory at it */
    TACHO_DIALECT_NASM,     /**< ';' begins a comment; a name is its address, [name] the memory */
    TACHO_DIALECT_MSVC,     /**< ';' begins a comment; a name is the memory at it, relative to RIP */
} tacho_dialect;

/** Initialise with TACHO_ASSEMBLE_OPTIONS_INIT. */
typedef struct tacho_assemble_options {
    size_t size;
    tacho_syntax syntax;   /**< AUTO: AT&T until the text says .intel_syntax; but Intel for a text without '%'
                                that only assembles so */
    tacho_dialect dialect; /**< of Intel syntax */
} tacho_assemble_options;
#define TACHO_ASSEMBLE_OPTIONS_INIT TACHO_OPTIONS_INIT(assemble, .syntax = TACHO_SYNTAX_AUTO)
TACHO_OPTIONS(assemble);

typedef enum tacho_statement_kind {
    TACHO_STATEMENT_INSTRUCTION = 0,
    TACHO_STATEMENT_LABEL,
    TACHO_STATEMENT_DATA,  /**< .byte and the like */
    TACHO_STATEMENT_ALIGN, /**< .p2align and the like */
} tacho_statement_kind;

/** A statement that has a place: what it became, and where it stands in the text. */
typedef struct tacho_statement {
    uint32_t section;     /**< its number */
    uint32_t length;      /**< bytes of code; 0 of a label */
    uint64_t offset;      /**< in the section */
    uint64_t line;        /**< 1-based */
    uint32_t column;      /**< 1-based, in bytes */
    uint32_t text_length; /**< from there, in bytes */
    uint32_t kind;        /**< a tacho_statement_kind */
    uint32_t syntax;      /**< a tacho_syntax, never AUTO */
    uint32_t source_file; /**< number of the .file in whose line it was, as .loc says; 0 none */
    uint32_t source_line;
} tacho_statement;

typedef struct tacho_assembled_section {
    const char *name;
    const uint8_t *bytes; /**< what needs the linker is 0 */
    size_t byte_count;
    uint32_t alignment; /**< a power of 2 */
    uint8_t executable, writable, zeros;
    uint8_t place; /**< where it begins in a block of 64 bytes: not 0 in listings of disassemblers */
} tacho_assembled_section;

/** Places outside any section: defined elsewhere; a number. */
#define TACHO_SECTION_NONE     UINT32_MAX
#define TACHO_SECTION_ABSOLUTE (UINT32_MAX - 1)

typedef struct tacho_assembled_symbol {
    const char *name;
    uint64_t value;   /**< offset in its section, or the number */
    uint64_t size;    /**< as .size says; 0 unknown */
    uint32_t section; /**< its number, or TACHO_SECTION_NONE, TACHO_SECTION_ABSOLUTE */
    uint8_t global, weak, function, object;
} tacho_assembled_symbol;

/** What a linker would fill in. */
typedef struct tacho_assembled_fixup {
    uint32_t section; /**< its number */
    uint32_t symbol;  /**< its number, or TACHO_SECTION_ABSOLUTE: none */
    uint64_t offset;
    int64_t addend;
    uint16_t elf_type; /**< R_X86_64_... */
    uint8_t size;      /**< bytes: 1, 2, 4, 8 */
} tacho_assembled_fixup;

/** What is wrong with the text. */
typedef struct tacho_problem {
    uint64_t line;   /**< 1-based */
    uint32_t column; /**< 1-based, in bytes */
    uint32_t length; /**< of the word that is wrong, at least 1 */
    int32_t code;    /**< a tacho_status */
    const char *message;
} tacho_problem;

/** Result of tacho_assemble; all in it lives as long as it does. */
typedef struct tacho_assembly {
    const tacho_assembled_section *sections; /**< with contents or labels; the first is .text */
    size_t section_count;
    const tacho_statement *statements; /**< in the order of the text */
    size_t statement_count;
    const tacho_assembled_symbol *symbols; /**< those that are named, also where they are not defined */
    size_t symbol_count;
    const tacho_assembled_fixup *fixups; /**< by section and offset */
    size_t fixup_count;
    const char *const *source_files; /**< by number, as .file says; NULL where it says nothing */
    size_t source_file_count;
    const tacho_problem *problems; /**< by line; then there are no sections or statements */
    size_t problem_count;
    tacho_syntax syntax; /**< in which the text began */
    tacho_dialect dialect;
    const char *note; /**< a sentence on lines of a listing that were left out; NULL: none was */
} tacho_assembly;

/** Assembles `size` bytes of text, which need not end in a zero byte.
 *  @return 0 and *out (free with tacho_assembly_free). TACHO_ERR_INPUT, TACHO_ERR_UNSUPPORTED: the text has
 *  problems, of which `err` has the first one, with its line, column, what stands there, and where there is
 *  one the nearest mnemonic; and *out has all (free it, too). TACHO_ERR_LIMIT, TACHO_ERR_MEMORY,
 *  TACHO_ERR_USAGE: *out is NULL */
TACHO_API int tacho_assemble(tacho_assembly **out, const char *text, size_t size,
                             const tacho_assemble_options *options, tacho_error *err);
TACHO_API void tacho_assembly_free(tacho_assembly *assembly);

typedef enum tacho_part_kind {
    TACHO_PART_ALL = 0,  /**< a section that is one straight block, or a loop of one */
    TACHO_PART_MARKED,   /**< what stands between markers of LLVM-MCA or OSACA */
    TACHO_PART_LOOP,     /**< of code with several blocks an innermost loop, along its likeliest path */
    TACHO_PART_STRAIGHT, /**< a section that has several blocks and no loop: it is taken as one block */
} tacho_part_kind;

/** What is special about a loop, bits. */
enum {
    TACHO_LOOP_CALLS = 1 << 0,           /**< a call lies on the path */
    TACHO_LOOP_CALLS_ELSEWHERE = 1 << 1, /**< only blocks off the path call */
    TACHO_LOOP_INDIRECT = 1 << 2,        /**< a jump inside it whose targets are not all known */
    TACHO_LOOP_BAD_BYTES = 1 << 3,       /**< a branch leads to bytes that are no instruction */
    TACHO_LOOP_IRREDUCIBLE = 1 << 4,     /**< entered at more than one place */
    TACHO_LOOP_COLD_PLACE = 1 << 5,      /**< in code that the compiler set apart as unlikely */
    TACHO_LOOP_WAITS = 1 << 6,           /**< PAUSE, a system call or a serialising instruction on the path */
    TACHO_LOOP_NO_PATH = 1 << 7,         /**< too large, or damaged: no path, nothing to predict */
    TACHO_LOOP_SWITCH = 1 << 8,          /**< a jump through a table lies on the path: one of its targets was
                                              taken */
};

/** Why a branch on the path is assumed to go as it does. */
typedef enum tacho_branch_reason {
    TACHO_BRANCH_STAYS = 0,    /**< its other way leaves the loop */
    TACHO_BRANCH_AVOIDS_CALLS, /**< its other way has more calls */
    TACHO_BRANCH_IN_LINE,      /**< its other way goes through blocks placed out of line */
    TACHO_BRANCH_UNEQUAL,      /**< its other way finds two values equal more often */
    TACHO_BRANCH_NOT_TAKEN,    /**< its other way has more taken branches */
    TACHO_BRANCH_LONGER,       /**< its other way executes fewer instructions */
    TACHO_BRANCH_OFTEN,        /**< a run has shown that its other way is taken less often */
} tacho_branch_reason;

/** A part of a text whose cycles somebody may want to know. */
typedef struct tacho_part {
    tacho_part_kind kind;
    uint32_t section;    /**< its number */
    uint64_t start, end; /**< in the section; end excluded. Markers may have nothing between them */
    uint64_t line_first, line_last; /**< of its instructions in the text (of a loop those on its path), from
                                       1; 0: it has none */
    uint64_t marker_line;           /**< of the marker before it; 0 none */
    const char *name;    /**< of the marker; of the function that it is in, or that begins with it; "" none */
    const uint8_t *code; /**< of a loop its likeliest path, for a prediction in mode LOOP; NULL: no path was
                              found through it */
    size_t code_bytes;
    const tacho_piece *pieces; /**< of a loop: where its path lies, for tacho_predict_options; else NULL */
    size_t piece_count;
    uint32_t alignment; /**< where its code begins in a block of 64 bytes */
    uint32_t flags;     /**< of a loop: TACHO_LOOP_*; 0 */
    uint32_t depth;     /**< of a loop: 1: not inside another one of its function; 0 */
    double heat;        /**< of a loop: how hot it looks; see doc/rooms/binary.md */
} tacho_part;

/** Which parts of a text are meant. */
typedef struct tacho_parts {
    const tacho_part *parts; /**< loops: the hottest-looking first; else in the order of the text */
    size_t count;            /**< at least 1 */
    const char *note;        /**< what is left out: of a listing, or other sections; NULL: nothing */
} tacho_parts;

/** Which parts of the text are meant: those between markers; else of all sections with code the innermost
 *  loops, along their likeliest paths, or all of the first one where it is one straight block or there is no
 *  loop. `tacho predict` takes the same ones.
 *  @param text what `assembly` was made of
 *  @param assembly must live as long as *out does
 *  @return 0 and *out (free with tacho_parts_free); TACHO_ERR_INPUT: the text has no instructions, or markers
 *  that do not fit together; TACHO_ERR_LIMIT, TACHO_ERR_MEMORY */
TACHO_API int tacho_assembly_parts(tacho_parts **out, const tacho_assembly *assembly, const char *text,
                                   size_t size, tacho_error *err);
TACHO_API void tacho_parts_free(tacho_parts *parts);
/** Writes to `out` that this one of the parts was taken, as a sentence for who has not chosen it: "the code
 *  has several blocks: this is the hottest-looking of its 3 innermost loops, in dot, lines 4 to 9; ...". ""
 *  where that is all, or what the only markers choose. Behind it, or alone, the note of the assembly. */
TACHO_API void tacho_parts_note(const tacho_parts *parts, size_t which, char *out, size_t size);

#ifdef __cplusplus
}
#endif
#endif
