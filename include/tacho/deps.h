/* deps.h - which instructions of a block wait for which: through registers, flags and memory, within an
 * iteration and across iterations.
 *
 * The block is taken as the body of an endless loop. Dependencies through memory are found as staticdeps does
 * (T. Bastian, H. Pompougnac, A. Dutilleul, F. Rastello, arXiv 2402.14567, section 3.3): registers and memory
 * begin with random numbers, integer arithmetic is computed on them over as many iterations as a reorder
 * buffer can hold, and a load that reads bytes which an earlier store wrote depends on it. Here with sizes,
 * byte by byte.
 *
 * What cannot be seen: that pointers meet because of what was before the loop (options.init, known_values and
 * aliases tell it), and addresses that come from what is not integer arithmetic.
 *
 * Core: stable within a major version. */
#ifndef TACHO_DEPS_H
#define TACHO_DEPS_H

#include <stdbool.h>

#include "decode.h"
#include "options.h"
#include "state.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What carries a dependency. */
typedef enum tacho_dependency_kind {
    TACHO_DEPENDENCY_REGISTER = 0,
    TACHO_DEPENDENCY_FLAGS,
    TACHO_DEPENDENCY_MEMORY,
    TACHO_DEPENDENCY_KIND_COUNT
} tacho_dependency_kind;

/** `target` needs what `source` wrote `distance` iterations before. A plain value. */
typedef struct tacho_dependency {
    uint32_t source, target;         /**< numbers of instructions, from 0 */
    uint32_t distance;               /**< iterations; 0: the same one; of a followed function: below */
    uint32_t longest;                /**< the greatest distance; the same but in a followed function */
    uint32_t back;                   /**< instructions executed from source to target, fewest */
    uint8_t kind;                    /**< a tacho_dependency_kind */
    uint8_t flags;                   /**< FLAGS: tacho_flag_group bits */
    tacho_reg reg;                   /**< REGISTER: the whole register (RAX, ZMM3) */
    tacho_mem mem;                   /**< MEMORY: the load's address, as the instruction has it */
    uint8_t bytes;                   /**< MEMORY: that are read of what the store wrote */
    uint8_t load_bytes, store_bytes; /**< MEMORY: sizes of the accesses, 255: 255 or more */
    int16_t offset; /**< MEMORY: of the load's first byte in what was stored; negative: before it */
    double share;   /**< of the iterations, in which it is; at least options.share. In a followed function: of
                       the target's executions, on average of the seeds */
} tacho_dependency;

/** A load's data come from one store that wrote all of them; else they cannot be forwarded, and the load
 * waits until the store is in the cache. */
static inline bool tacho_dependency_forwards(const tacho_dependency *d)
{
    return d->offset >= 0 && d->bytes == d->load_bytes;
}

/** Initialise with TACHO_DEPS_OPTIONS_INIT. */
typedef struct tacho_deps_options {
    size_t size;
    tacho_init init;
    const uint64_t *known_values; /**< initial values of general registers where known_mask has the bit */
    uint16_t known_mask;
    const tacho_alias *aliases; /**< borrowed */
    size_t alias_count;         /**< 0..TACHO_MAX_ALIASES */
    uint32_t window; /**< how far back a dependency can matter, in instructions; 512, more than the reorder
                        buffer of any core that tacho knows */
    uint32_t seeds;  /**< runs with other random numbers, 1..100; a dependency must be in all of them; 3 */
    double
        share; /**< of the iterations that a dependency must be in, above 0 and at most 1; 0.8 (staticdeps) */
    bool no_registers, no_flags, no_memory; /**< leave these out */
    /** NULL, or asked every few thousand executed instructions; not 0: the search is given up. */
    int (*progress)(void *payload);
    void *payload;
    bool no_alias;    /**< as in tacho_predict_options */
    uint64_t address; /**< of the first byte of code; 0x400000, where programs usually begin */
    uint64_t budget;  /**< tacho_deps_follow: instructions executed a seed, 1..1e9; 1,000,000. What they store
                         may take 2 GB, of all seeds together. */
} tacho_deps_options;
#define TACHO_DEPS_OPTIONS_INIT                                                                              \
    TACHO_OPTIONS_INIT(deps, .window = 512, .seeds = 3, .share = 0.8, .address = 0x400000, .budget = 1000000)
TACHO_OPTIONS(deps);

/** Why an access to memory has no part in dependencies, or how far it was followed. */
typedef struct tacho_deps_access {
    uint32_t insn;
    uint8_t operand; /**< of that instruction */
    bool read, write;
    bool unknown; /**< its address could not be computed in some iteration */
} tacho_deps_access;

/** How the execution of a function by tacho_deps_follow went at an instruction. */
typedef struct tacho_deps_step {
    uint64_t count;        /**< executions, the same for all seeds */
    uint64_t undetermined; /**< of a conditional branch: those whose way was chosen */
} tacho_deps_step;

typedef struct tacho_deps {
    const tacho_insn *insns; /**< one behind another, see tacho_insn_at */
    size_t insn_count;
    const tacho_dependency *dependencies; /**< by target, distance, source, kind */
    size_t count;
    const tacho_deps_access *accesses; /**< all accesses to memory, by instruction */
    size_t access_count;
    uint32_t iterations;  /**< that were looked at; of a followed function: calls of it */
    size_t unknown_count; /**< accesses with unknown addresses */
    /* of a followed function */
    const tacho_deps_step *steps; /**< by instruction; NULL: the code was taken as a loop */
    uint64_t executed;            /**< instructions, a seed */
    uint32_t returned;            /**< of `iterations`: that came to an end by themselves */
    uint64_t calls;               /**< executed, and not followed */
    uint64_t undetermined;        /**< branches executed whose way was chosen */
} tacho_deps;

/** Finds the dependencies of `size` bytes of code.
 *  @return 0 and *out (tacho_deps_free); TACHO_ERR_INPUT (no code, or a byte that is none: err->offset),
 *  TACHO_ERR_LIMIT (longer than TACHO_MAX_BLOCK_*, see predict.h), TACHO_ERR_CANCELLED (by options.progress),
 *  TACHO_ERR_USAGE, TACHO_ERR_MEMORY */
TACHO_API int tacho_deps_find(tacho_deps **out, const uint8_t *code, size_t size,
                              const tacho_deps_options *options, tacho_error *err);
/** Finds the dependencies of a function, given from its first instruction on: not as the body of a loop, but
 *  executed from its start, branch after branch, again with random numbers in place of data.
 *
 *  A conditional branch goes as its flags say where these are of a number that is the same with all seeds: a
 *  counter with a constant bound, the difference of a pointer and an end computed from it. Else its way is
 *  chosen, in up to 32 passes with other choices: loops are left after a number of iterations that differs
 *  from pass to pass (20, 12, 5, 100, ...), branches that skip a loop do so in a quarter of the passes, other
 *  branches go both ways. In every other pass words of up to 4 bytes that memory first holds are small
 *  numbers, as indices are. A loop with a constant number of iterations is left after 40 in all but the first
 *  pass, if that one did not come to its end within half of the budget.
 *
 *  In each pass the function is called twice, with new numbers in what a call may change, so that the second
 *  call finds in memory what the first one has written.
 *
 *  Calls are not followed: what the callee may change of registers is a new random number afterwards; memory
 *  is kept. Returns, jumps out of the code or to where no register points, and what stops the program end
 *  a call of the function.
 *
 *  `distance` is how often the source was executed after the execution that wrote, plus one where it stands
 *  at or behind the target: in a plain loop, iterations; the smallest that was seen. A dependency must have
 * been seen with all seeds (where memory holds small numbers, with one), in however small a share of the
 * executions: options.share is not looked at.
 *  @return as tacho_deps_find */
TACHO_API int tacho_deps_follow(tacho_deps **out, const uint8_t *code, size_t size,
                                const tacho_deps_options *options, tacho_error *err);
TACHO_API void tacho_deps_free(tacho_deps *deps);

/** "register", "flags", "memory". */
TACHO_API const char *tacho_dependency_kind_name(tacho_dependency_kind kind);

#ifdef __cplusplus
}
#endif
#endif
