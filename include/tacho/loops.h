/* loops.h - the innermost loops of a function, an object file, an executable or assembly text: where they
 * are, along which path they most likely run, and the bytes of that path, ready for tacho_predict.
 *
 * Everything in the result belongs to it and lives until tacho_loops_free.
 *
 * Tools: may change with each minor version. */
#ifndef TACHO_LOOPS_H
#define TACHO_LOOPS_H

#include "assemble.h"
#include "code.h"
#include "options.h"
#include "predict.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Most loops that are listed; a warning says if there are more. */
enum {
    TACHO_MAX_LOOPS = 1000000
};

typedef struct tacho_loop_block {
    uint64_t start, end; /**< addresses; end excluded */
    bool on_path;
} tacho_loop_block;

/** A conditional branch on the path. */
typedef struct tacho_loop_branch {
    uint64_t address;
    bool taken;
    uint8_t reason; /**< a tacho_branch_reason */
} tacho_loop_branch;

/** Addresses are virtual ones in executables, offsets in the section in object files and assembly text, else
 *  offsets in the code. */
typedef struct tacho_loop {
    const char *function; /**< NULL where no symbol names it */
    const char *section;
    uint64_t function_address;      /**< where the function, or what was taken for one, begins */
    uint64_t start, end;            /**< of all its blocks */
    uint32_t depth;                 /**< 1: not inside another loop of its function */
    uint32_t flags;                 /**< TACHO_LOOP_* */
    double heat;                    /**< how hot it looks; see doc/rooms/binary.md */
    const tacho_loop_block *blocks; /**< by address */
    size_t block_count;
    const uint32_t *path; /**< block numbers in the order of execution */
    size_t path_count;
    const tacho_loop_branch *branches; /**< in the order of execution */
    size_t branch_count;
    const tacho_piece *pieces; /**< of the path, for tacho_predict_options; with true addresses */
    size_t piece_count;
    uint32_t alignment;  /**< where the path's first byte lies in a block of 64 bytes, as in tacho_region */
    uint32_t place_step; /**< as in tacho_region */
    const uint8_t *code; /**< the path's bytes; NULL without a path */
    size_t code_bytes;
    uint32_t insn_count;                             /**< on the path, as are: */
    uint32_t vector_count, memory_count, call_count; /**< instructions with vector or x87 registers; that
                                                          access memory; that call */
    const char *callee;                              /**< of the first call on the path, NULL unknown */
    const char *source_file; /**< most of its instructions come from there; NULL without debug information */
    uint32_t source_first, source_last; /**< lines there; 0 unknown */
    uint32_t line_first, line_last;     /**< of the assembly text that was read; 0 for other input */
    const tacho_typed
        *typed; /**< with options.code.keep_source: what was typed in its section; NULL unknown */
    size_t typed_count;
    const char
        *inlined; /**< the function that all of its path was inlined from; NULL: from none, or unknown */
} tacho_loop;

typedef struct tacho_loops {
    tacho_input_kind kind;
    const tacho_loop *loops; /**< hottest-looking first */
    size_t count;
    size_t function_count, insn_count; /**< that were looked at */
    char *const *warnings;             /**< sentences for people */
    size_t warning_count;
} tacho_loops;

/** How to look. Initialise with TACHO_LOOPS_OPTIONS_INIT. */
typedef struct tacho_loops_options {
    size_t size;
    tacho_code_options code; /**< symbol, section and range choose what is looked at; NULL: all sections with
                                  code. Markers do not matter */
    void (*progress)(uint64_t done_bytes, uint64_t all_bytes,
                     void *payload); /**< NULL or called now and then */
    void *payload;
    bool keep_mangled; /**< names of functions are those of symbols: "_Z3addii" in place of "add(int, int)" */
} tacho_loops_options;
#define TACHO_LOOPS_OPTIONS_INIT TACHO_OPTIONS_INIT(loops, .code = TACHO_CODE_OPTIONS_INIT)
TACHO_OPTIONS(loops);

/** Finds the innermost loops of `path` ("-": standard input).
 *  @return 0 and *out, perhaps without loops; TACHO_ERR_INPUT, TACHO_ERR_SYSTEM, TACHO_ERR_LIMIT ... */
TACHO_API int tacho_loops_load(tacho_loops **out, const char *path, const tacho_loops_options *options,
                               tacho_error *err);
/** The same from memory; `name` is used in messages. */
TACHO_API int tacho_loops_from_memory(tacho_loops **out, const void *data, size_t size, const char *name,
                                      const tacho_loops_options *options, tacho_error *err);
TACHO_API void tacho_loops_free(tacho_loops *loops);

/** "stays", "avoids_calls", "in_line", "unequal", "not_taken", "longer", "often". */
TACHO_API const char *tacho_branch_reason_name(tacho_branch_reason reason);
/** The name of one TACHO_LOOP_* bit as in JSON: "calls", "irreducible" ...; "" for others. */
TACHO_API const char *tacho_loop_flag_name(uint32_t flag);

#ifdef __cplusplus
}
#endif
#endif
