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
 * aliases tell it), and addresses that come from what is not integer arithmetic. */
#ifndef TACHO_DEPS_H
#define TACHO_DEPS_H

#include <stdbool.h>

#include "decode.h"
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
    uint32_t distance;               /**< iterations; 0: the same one */
    uint8_t kind;                    /**< a tacho_dependency_kind */
    uint8_t flags;                   /**< FLAGS: tacho_flag_group bits */
    tacho_reg reg;                   /**< REGISTER: the whole register (RAX, ZMM3) */
    tacho_mem mem;                   /**< MEMORY: the load's address, as the instruction has it */
    uint8_t bytes;                   /**< MEMORY: that are read of what the store wrote */
    uint8_t load_bytes, store_bytes; /**< MEMORY: sizes of the accesses, 255: 255 or more */
    int16_t offset; /**< MEMORY: of the load's first byte in what was stored; negative: before it */
    double share;   /**< of the iterations, in which it is; at least options.share */
} tacho_dependency;

/** A load's data come from one store that wrote all of them; else they cannot be forwarded, and the load
 * waits until the store is in the cache. */
static inline bool tacho_dependency_forwards(const tacho_dependency *d)
{
    return d->offset >= 0 && d->bytes == d->load_bytes;
}

/** Initialise with TACHO_DEPS_OPTIONS_INIT. */
typedef struct tacho_deps_options {
    size_t size; /**< sizeof(tacho_deps_options) */
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
    bool no_alias; /**< as in tacho_predict_options */
} tacho_deps_options;
#define TACHO_DEPS_OPTIONS_INIT                                                                              \
    {                                                                                                        \
        sizeof(tacho_deps_options), TACHO_INIT_DISTINCT, NULL, 0, NULL, 0, 512, 3, 0.8, false, false, false, \
            NULL, NULL, false                                                                                \
    }

/** Why an access to memory has no part in dependencies, or how far it was followed. */
typedef struct tacho_deps_access {
    uint32_t insn;
    uint8_t operand; /**< of that instruction */
    bool read, write;
    bool unknown; /**< its address could not be computed in some iteration */
} tacho_deps_access;

typedef struct tacho_deps {
    const tacho_insn *insns;
    size_t insn_count;
    const tacho_dependency *dependencies; /**< by target, source, distance, kind */
    size_t count;
    const tacho_deps_access *accesses; /**< all accesses to memory, by instruction */
    size_t access_count;
    uint32_t iterations;  /**< that were looked at */
    size_t unknown_count; /**< accesses with unknown addresses */
} tacho_deps;

/** Finds the dependencies of `size` bytes of code.
 *  @return 0 and *out (tacho_deps_free); TACHO_ERR_INPUT (no code, or a byte that is none: err->offset),
 *  TACHO_ERR_LIMIT (longer than TACHO_MAX_BLOCK_*, see predict.h), TACHO_ERR_CANCELLED (by options.progress),
 *  TACHO_ERR_USAGE, TACHO_ERR_MEMORY */
TACHO_API int tacho_deps_find(tacho_deps **out, const uint8_t *code, size_t size,
                              const tacho_deps_options *options, tacho_error *err);
TACHO_API void tacho_deps_free(tacho_deps *deps);

/** "register", "flags", "memory". */
TACHO_API const char *tacho_dependency_kind_name(tacho_dependency_kind kind);

#ifdef __cplusplus
}
#endif
#endif
