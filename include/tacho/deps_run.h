/* deps_run.h - the dependencies through memory that a run of a program really has, and how many of them the
 * static analyses find (deps.h: of a block as a loop, and of a whole function). Method: depsim and the
 * coverage of T. Bastian, H. Pompougnac, A. Dutilleul, F. Rastello, arXiv 2402.14567, section 4.4.
 *
 * The program runs under valgrind's tool lackey, which tells each instruction and each access to memory. A
 * load depends on the store that last wrote a byte that it reads. What system calls and other processes write
 * is not seen. One process is watched: the command's own, with its threads.
 *
 * Tools: may change with each minor version. */
#ifndef TACHO_DEPS_RUN_H
#define TACHO_DEPS_RUN_H

#include "deps.h"
#include "extract.h"
#include "options.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TACHO_DEPS_RUN_MAX_LIFETIMES = 8
};
#define TACHO_DEPS_RUN_FOREVER  UINT64_MAX /**< a lifetime without a limit */
#define TACHO_DEPS_RUN_NO_BLOCK UINT32_MAX

/** What the static analyses say of a dependency. */
typedef enum tacho_deps_run_verdict {
    TACHO_DEPS_RUN_FOUND = 0, /**< one of them has the same source and target, at whatever distance */
    TACHO_DEPS_RUN_MISSED,
    TACHO_DEPS_RUN_ACROSS,   /**< source and target lie in different blocks: not counted, but in BETWEEN */
    TACHO_DEPS_RUN_COLD,     /**< their block is not executed often enough: not counted */
    TACHO_DEPS_RUN_NO_CODE,  /**< source or target is no code of the program, or its bytes are not known: not
                                counted */
    TACHO_DEPS_RUN_UNJUDGED, /**< the judging was ended before it: not counted */
    TACHO_DEPS_RUN_VERDICT_COUNT
} tacho_deps_run_verdict;

/** Analyses, each with figures of its own. */
typedef enum tacho_deps_run_part {
    TACHO_DEPS_RUN_BLOCK = 0, /**< dependencies within a block, by tacho_deps_find of the block */
    TACHO_DEPS_RUN_FUNCTION,  /**< the same ones, by tacho_deps_follow of the function */
    TACHO_DEPS_RUN_BETWEEN,   /**< those between blocks of one function, by tacho_deps_follow */
    TACHO_DEPS_RUN_PART_COUNT
} tacho_deps_run_part;

/** Why one is missed: the first of these that holds. Of a dependency that both analyses miss, why that of the
 * function does, unless it could not be analysed. */
typedef enum tacho_deps_run_reason {
    TACHO_DEPS_RUN_NOT_MISSED = 0,
    TACHO_DEPS_RUN_NOT_ANALYSED,    /**< the block (function) could not be analysed: too long; or the function
                                       is not known */
    TACHO_DEPS_RUN_BUDGET,          /**< function: not executed, or not seen, before the budget was spent */
    TACHO_DEPS_RUN_NOT_REACHED,     /**< function: not executed */
    TACHO_DEPS_RUN_NOT_MODELLED,    /**< to the analysis, one of them does not access memory in that way */
    TACHO_DEPS_RUN_ADDRESS_UNKNOWN, /**< of the store or the load: not computed by integer arithmetic */
    TACHO_DEPS_RUN_FAR,             /**< never closer than the analysis' window */
    TACHO_DEPS_RUN_RARE,            /**< found, but in a smaller share of the iterations than asked for */
    TACHO_DEPS_RUN_BEYOND,          /**< function: found, but never closer than the window */
    TACHO_DEPS_RUN_CALL,            /**< function: the way to it has calls, which are not followed */
    TACHO_DEPS_RUN_BRANCH,          /**< function: the way depends on branches whose data are not known */
    TACHO_DEPS_RUN_OTHER_POINTER,   /**< the addresses come from different registers, which meet because of
                                       what was before the block */
    TACHO_DEPS_RUN_SAME_POINTER,    /**< from the same ones, which other code sets anew between executions */
    TACHO_DEPS_RUN_REASON_COUNT
} tacho_deps_run_reason;

/** An instruction that was executed. */
typedef struct tacho_deps_run_insn {
    uint64_t address;   /**< in the file; of code that lies in no file, in memory */
    uint64_t loaded_at; /**< in memory */
    uint64_t count;     /**< executions; a repeated string instruction counts once */
    const char *object; /**< base name of the file; NULL: not known, or code made by the program */
    const char *symbol; /**< the function; NULL: not known */
    uint64_t offset;    /**< in the function */
    uint32_t block;     /**< its block, or TACHO_DEPS_RUN_NO_BLOCK */
    uint8_t length;     /**< bytes; 0: they are not known */
    uint8_t bytes[TACHO_MAX_INSN_BYTES];
} tacho_deps_run_insn;

/** Straight-line code, entered only at its start; what ends it is part of it. */
typedef struct tacho_deps_run_block {
    uint32_t first_insn, insn_count; /**< consecutive ones of `insns` */
    uint64_t count;
    bool hot; /**< often enough to be judged */
} tacho_deps_run_block;

/** `target` read what `source` wrote. */
typedef struct tacho_deps_run_dependency {
    uint32_t source, target;                       /**< instructions */
    uint64_t count;                                /**< executions of the target in which it did */
    uint64_t within[TACHO_DEPS_RUN_MAX_LIFETIMES]; /**< of these: at most options.lifetimes[i] instructions
                                                      after the store */
    uint64_t shortest; /**< executed instructions from a store to a load; 0: in one instruction */
    tacho_deps_run_verdict verdict;
    tacho_deps_run_reason reason;                             /**< where MISSED */
    uint8_t judged_by, found_by;                              /**< bits: 1 << tacho_deps_run_part */
    tacho_deps_run_reason reasons[TACHO_DEPS_RUN_PART_COUNT]; /**< where judged by it and not found */
} tacho_deps_run_dependency;

/** What an analysis says of two instructions that the run has executed, in blocks that are executed often
 * enough. */
typedef struct tacho_deps_run_claim {
    uint32_t source, target;
    uint32_t dependency; /**< of `dependencies`; UINT32_MAX: the run does not have it */
    uint8_t by;          /**< bits: 1 << tacho_deps_run_part */
} tacho_deps_run_claim;

/** Dependencies, and executions of their targets. */
typedef struct tacho_deps_run_sum {
    uint64_t dependencies, count;
} tacho_deps_run_sum;

/** Of one analysis. */
typedef struct tacho_deps_run_figures {
    tacho_deps_run_sum found, missed;
    tacho_deps_run_sum reasons[TACHO_DEPS_RUN_REASON_COUNT]; /**< of those missed */
    double cov_u, cov_w;                                     /**< as below */
    uint64_t claimed;                                        /**< dependencies that it says there are */
    uint64_t shown;                                          /**< of these: that the run has */
    double precision;                                        /**< shown / claimed; NaN: none is claimed */
} tacho_deps_run_figures;

/** Of the dependencies that live at most `lifetime` instructions. */
typedef struct tacho_deps_run_coverage {
    uint64_t lifetime;
    tacho_deps_run_sum verdicts[TACHO_DEPS_RUN_VERDICT_COUNT];
    tacho_deps_run_sum reasons[TACHO_DEPS_RUN_REASON_COUNT]; /**< of those missed */
    double cov_u;            /**< found / (found + missed), by dependencies; NaN: there are none */
    double cov_w;            /**< the same by executions */
    uint64_t claimed, shown; /**< dependencies within a block that one of the analyses says there are; of
                                these: that the run has */
    double precision;        /**< shown / claimed; NaN: none is claimed */
    tacho_deps_run_figures parts[TACHO_DEPS_RUN_PART_COUNT];
} tacho_deps_run_coverage;

/** Initialise with TACHO_DEPS_RUN_OPTIONS_INIT. */
typedef struct tacho_deps_run_options {
    size_t size;
    tacho_deps_options deps; /**< of the static analyses; registers and flags are left out; if deps.progress
                                says so, the judging of what was seen is ended, and what was judged is kept */
    double hot; /**< blocks with at least this share of the hottest block's executions are judged, 0..1; 0.1
                   (staticdeps) */
    uint64_t lifetimes[TACHO_DEPS_RUN_MAX_LIFETIMES];
    uint32_t lifetime_count; /**< 1..TACHO_DEPS_RUN_MAX_LIFETIMES; forever, 1024, 512 (staticdeps) */
    double timeout_seconds; /**< then the run is ended, and after as many more the judging of it; 0 (default):
                               never */
    int output;             /**< descriptor of the command's standard output; -1 (default): the caller's */
    /** NULL, or called about ten times a second by the calling thread; not 0: the run is ended; more than 1:
     * without the time to end in order that it has else. */
    int (*progress)(const tacho_extract_progress *progress, void *payload);
    void *payload;
} tacho_deps_run_options;
#define TACHO_DEPS_RUN_OPTIONS_INIT                                                                          \
    TACHO_OPTIONS_INIT(deps_run, .deps = TACHO_DEPS_OPTIONS_INIT, .hot = 0.1,                                \
                       .lifetimes = {TACHO_DEPS_RUN_FOREVER, 1024, 512}, .lifetime_count = 3, .output = -1)
TACHO_OPTIONS(deps_run);

typedef struct tacho_deps_run {
    tacho_extract_run run;            /**< what became of the command */
    const tacho_deps_run_insn *insns; /**< all that was executed, by loaded_at */
    size_t insn_count;
    const tacho_deps_run_block *blocks; /**< by address */
    size_t block_count, hot_count;
    uint64_t hottest;                              /**< executions of the hottest block */
    const tacho_deps_run_dependency *dependencies; /**< those counted most first */
    size_t dependency_count;
    const tacho_deps_run_claim *claims; /**< by target, then source */
    size_t claim_count;
    tacho_deps_run_coverage coverage[TACHO_DEPS_RUN_MAX_LIFETIMES];
    uint32_t lifetime_count;
    bool judged;           /**< false: the judging was ended before all were */
    char *const *warnings; /**< sentences for people: what was not seen, and why */
    size_t warning_count;
} tacho_deps_run;

/** Runs a command (argv[0] is looked for in PATH) and judges the static analysis by what it did. What was
 * seen is kept also when the command fails or is ended. Standard input and error are the caller's. Signals to
 * the command reach it. Needs the program valgrind, whose processor has no AVX-512, some five to ten thousand
 * times the time of the command, and 48 KB of memory for each 4 KB that it writes.
 *  @return 0 and *out (tacho_deps_run_free); TACHO_ERR_INPUT: the command cannot be executed, or is no
 * program that valgrind runs; TACHO_ERR_UNSUPPORTED: valgrind is not installed; TACHO_ERR_SYSTEM: it cannot
 * be watched; TACHO_ERR_USAGE, TACHO_ERR_MEMORY */
TACHO_API int tacho_deps_run_command(tacho_deps_run **out, char *const argv[],
                                     const tacho_deps_run_options *options, tacho_error *err);
TACHO_API void tacho_deps_run_free(tacho_deps_run *result);

/** "found", "missed", "across", "cold", "no_code", "unjudged". */
TACHO_API const char *tacho_deps_run_verdict_name(tacho_deps_run_verdict verdict);
/** "not_analysed", "budget", "not_reached", "not_modelled", "address_unknown", "far", "rare", "beyond",
 * "call", "branch", "other_pointer", "same_pointer"; "" for NOT_MISSED. */
TACHO_API const char *tacho_deps_run_reason_name(tacho_deps_run_reason reason);
/** "block", "function", "between". */
TACHO_API const char *tacho_deps_run_part_name(tacho_deps_run_part part);

#ifdef __cplusplus
}
#endif
#endif
