/* extract.h - the basic blocks of programs: of files (what can be reached in them) and of runs (what was
 * executed, how often), as suites of blocks are made of.
 *
 * A block is the longest piece of straight-line code that is entered only at its start: it ends before a
 * jump, call, return, system call or trap (which, as in BHive, is not part of it), and before an instruction
 * that something else leads to.
 *
 * Tools: may change with each minor version. */
#ifndef TACHO_EXTRACT_H
#define TACHO_EXTRACT_H

#include <stdbool.h>
#include "error.h"
#include "options.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tacho_extract_block {
    const uint8_t *bytes;
    uint32_t byte_count, insn_count; /**< never 0 */
    uint64_t address; /**< virtual address in the ELF file; in object files the offset in the section; for
                         code that comes from no file, where it lay in memory */
    uint64_t count;   /**< executions, of all processes and threads; 0 where `counted` is false */
    bool counted;     /**< it comes from a run */
    const char *app;  /**< the application; several, joined by ";", after merging */
    const char
        *object; /**< base name of the ELF file that it lies in; "[vdso]"; "[memory]": generated code */
} tacho_extract_block;

/** What became of the code of one file. The last five add up to code_bytes. */
typedef struct tacho_extract_cover {
    const char *object;
    uint64_t function_count;   /**< that symbols and .eh_frame know of */
    uint64_t unresolved_count; /**< indirect jumps whose targets are not known (or not all) */
    uint64_t code_bytes;       /**< in sections with code */
    uint64_t reached_bytes;    /**< instructions that something known leads to, branches included */
    uint64_t padding_bytes;    /**< NOP, INT3 and zeros that nothing leads to */
    uint64_t inside_bytes;     /**< in functions, but nothing known leads there */
    uint64_t outside_bytes;    /**< in no function, and nothing known leads there: data, or unknown code */
    uint64_t large_bytes;      /**< in functions of more than 32 MB, which are not looked at */
} tacho_extract_cover;

/** What to keep. Initialise with TACHO_EXTRACT_OPTIONS_INIT. */
typedef struct tacho_extract_options {
    size_t size;
    uint32_t min_insns; /**< shorter blocks are left out; default 1 */
    uint32_t max_insns; /**< longer ones, too; 0 (default): none */
    bool with_branch;   /**< the jump, call or return that ends a block is part of it; blocks of nothing else
                           are left out all the same */
    bool unique;     /**< blocks of the same bytes become one: the first one's address and object, the sum of
                          the counts, all applications */
    const char *app; /**< the application; NULL: base name of the file or command. Copied */
} tacho_extract_options;
#define TACHO_EXTRACT_OPTIONS_INIT TACHO_OPTIONS_INIT(extract, .min_insns = 1)
TACHO_OPTIONS(extract);

typedef struct tacho_extract {
    const tacho_extract_block
        *blocks; /**< in the order in which files were given, then by object and address */
    size_t count;
    uint64_t left_out;                 /**< blocks that were shorter or longer than asked for */
    const tacho_extract_cover *covers; /**< one for each file */
    size_t cover_count;
    char *const *warnings; /**< sentences for people */
    size_t warning_count;
} tacho_extract;

/** An empty set of blocks. @return 0 and *out, to be freed; TACHO_ERR_USAGE, TACHO_ERR_MEMORY */
TACHO_API int tacho_extract_new(tacho_extract **out, const tacho_extract_options *options, tacho_error *err);
TACHO_API void tacho_extract_free(tacho_extract *x);

/** Adds the blocks of an ELF file (executable, shared library, object file): those that symbols, the entry
 * point, .init_array, .eh_frame, landing pads of exceptions, direct branches and calls, and jump tables lead
 * to, and no others: what else lies among code may be data.
 *  @param path "-": standard input
 *  @return 0; TACHO_ERR_INPUT (no ELF file, damaged, no code), TACHO_ERR_LIMIT, TACHO_ERR_MEMORY; the set
 * keeps what it had */
TACHO_API int tacho_extract_file(tacho_extract *x, const char *path, tacho_error *err);
/** The same from memory; `name` stands for the path. */
TACHO_API int tacho_extract_memory(tacho_extract *x, const void *data, size_t size, const char *name,
                                   tacho_error *err);

/** How a run is watched. */
typedef enum tacho_extract_via {
    TACHO_EXTRACT_VIA_AUTO = 0, /**< VALGRIND where it is installed, else PTRACE */
    TACHO_EXTRACT_VIA_PTRACE,   /**< the program runs on the processor and stops at the end of each block, by
                                     breakpoints; generated code is stepped through */
    TACHO_EXTRACT_VIA_STEP,     /**< the same, stepping through all code: nothing of the program is changed */
    TACHO_EXTRACT_VIA_VALGRIND, /**< by the program valgrind (its tool callgrind), on the processor that it
                                     emulates, without AVX-512; code that comes from no file has no bytes and
                                   is left out */
} tacho_extract_via;

typedef struct tacho_extract_progress {
    double seconds; /**< since the start */
    uint64_t stops; /**< of the program so far; 0 with valgrind */
} tacho_extract_progress;

/** How to run a command. Initialise with TACHO_EXTRACT_RUN_OPTIONS_INIT. */
typedef struct tacho_extract_run_options {
    size_t size;
    tacho_extract_via via;
    double timeout_seconds; /**< then the run is ended; 0 (default): never */
    int output;             /**< descriptor of the command's standard output; -1 (default): the caller's */
    /** NULL, or called about ten times a second by the calling thread; not 0: the run is ended; more than 1:
     * without the time to end in order that it has else. */
    int (*progress)(const tacho_extract_progress *progress, void *payload);
    void *payload;
} tacho_extract_run_options;
#define TACHO_EXTRACT_RUN_OPTIONS_INIT TACHO_OPTIONS_INIT(extract_run, .output = -1)
TACHO_OPTIONS(extract_run);

/** What became of a run. */
typedef struct tacho_extract_run {
    tacho_extract_via via;  /**< that was used; never AUTO */
    bool ended;             /**< the command ended by itself; false: it was ended before */
    int exit_status;        /**< of the command; -1: it was ended by a signal */
    int signal;             /**< that ended it; 0 none */
    uint64_t process_count; /**< the command, and what it forked */
    uint64_t thread_count;  /**< beside the first of each process; 0 with valgrind */
    uint64_t executed_blocks,
        executed_insns; /**< in all of them; blocks and branches that are left out included */
    uint64_t
        lost_count; /**< times that control was elsewhere than expected, so that a block was not counted */
    double seconds;
} tacho_extract_run;

/** Runs a command (argv[0] is looked for in PATH) and adds the blocks that it executed, in all its threads,
 * in processes that it forks and programs that these execute. What was seen is kept also when the command
 * fails or is ended. Standard input and error are the caller's. Signals to the command reach it. Children of
 * the caller are not waited for.
 *  @param out NULL or what became of the run
 *  @return 0; TACHO_ERR_INPUT: the command cannot be executed; TACHO_ERR_UNSUPPORTED: valgrind is not
 * installed; TACHO_ERR_SYSTEM: it cannot be traced; TACHO_ERR_MEMORY */
TACHO_API int tacho_extract_run_command(tacho_extract *x, char *const argv[],
                                        const tacho_extract_run_options *options, tacho_extract_run *out,
                                        tacho_error *err);
/** "ptrace", "step", "valgrind"; "auto". */
TACHO_API const char *tacho_extract_via_name(tacho_extract_via via);

#ifdef __cplusplus
}
#endif
#endif
