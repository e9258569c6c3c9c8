/* kernels.h - whole kernels in C: variants of them are built, counted and measured, and the predictions that
 * are made of their basic blocks are lifted to whole kernels and judged.
 *
 * Method: CesASMe (T. Bastian et al., "CesASMe and Staticdeps", 2024), sections 2 and 4; doc/KERNELS.md. A
 * kernel is a C program with one region between kernel_start and kernel_stop (or PolyBench's
 * polybench_start_instruments and polybench_stop_instruments). A variant is the kernel, compiled in one way
 * as a shared object; the same object is run under callgrind, which counts executions of instructions and
 * misses of the first-level data cache, and measured. Linux on x86-64 only.
 *
 * One thread at a time may use a study; it starts threads of its own.
 *
 * Tools: may change with each minor version. */
#ifndef TACHO_KERNELS_H
#define TACHO_KERNELS_H

#include "measure.h"
#include "memory.h"
#include "models.h"
#include "options.h"
#include "stats.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A kernel. Strings live as long as the study. */
typedef struct tacho_kernel {
    const char
        *name; /**< "gemm"; the file's base name, with '_' for what is no letter, digit, '.', '+', '-' */
    const char *summary;  /**< from the file's first line; "" */
    const char *category; /**< from the first line, or the folder that the file lies in; "" */
    const char *path;     /**< NULL: of tacho's own suite */
    bool polybench;       /**< written against polybench.h */
} tacho_kernel;

/** How far a variant came. */
typedef enum tacho_kernel_status {
    TACHO_KERNEL_PENDING = 0,  /**< nothing has been done yet */
    TACHO_KERNEL_COUNTED,      /**< built and counted, not measured */
    TACHO_KERNEL_OK,           /**< measured */
    TACHO_KERNEL_UNSTABLE,     /**< measured, but the passes disagree */
    TACHO_KERNEL_MERGED,       /**< its code is that of an earlier variant, `same_as` */
    TACHO_KERNEL_CACHE_MISSES, /**< too many accesses miss the first-level data cache: left out */
    TACHO_KERNEL_NOT_COMPILED, /**< the compiler refused it */
    TACHO_KERNEL_CRASHED,      /**< it ran, and stopped by a signal */
    TACHO_KERNEL_TIMEOUT,      /**< it ran, and did not end */
    TACHO_KERNEL_FAILED,       /**< it ran, and its region or its result are not what they should be */
    TACHO_KERNEL_STATUS_COUNT
} tacho_kernel_status;

/** A basic block of a variant's region. */
typedef struct tacho_kernel_block {
    const uint8_t *bytes; /**< with the branch at its end */
    uint32_t byte_count, insn_count;
    uint64_t address;   /**< in its file */
    uint64_t count;     /**< executions in one run of the region */
    const char *object; /**< base name of the file: the variant's, or a library that it calls */
} tacho_kernel_block;

/** What is said of a variant by a predictor. */
typedef struct tacho_kernel_prediction {
    double cycles;       /**< of the whole region; NaN: failed */
    double coverage;     /**< share of the executed instructions that lie in blocks with a prediction */
    const char *message; /**< why it failed; "" */
    bool lower_bound;    /**< it may really be more: blocks have instructions without figures */
} tacho_kernel_prediction;

typedef struct tacho_kernel_variant {
    const char *id; /**< "gemm-gcc-O3-avx2-unroll"; of two compilers whose programs have one name, the second
                         one's is gcc.2 here */
    size_t kernel;  /**< number of the kernel */
    const char *compiler, *level, *vectors, *transform; /**< as they were asked for: "gcc", "O3", "avx2" */
    const char *flags;                                  /**< of the compiler, that make this variant */
    tacho_kernel_status status;
    const char *message; /**< what is wrong; "" */
    int64_t same_as;     /**< the earlier variant with the same code; -1 none */

    /** Of one run of the region, once counted. */
    uint64_t instructions, accesses, misses; /**< misses: of the first-level data cache, simulated */
    uint64_t bytes;                          /**< of the arrays that the kernel asked for */
    double checksum;                         /**< of its results; NaN without any */
    const tacho_kernel_block *blocks;
    size_t block_count;

    double cycles;      /**< measured, of one run of the region; NaN */
    double uncertainty; /**< relative; NaN */
    uint32_t passes;

    double mispredictions; /**< branches that are not foreseen in one run of the region, by an idealised
                              predictor with the microarchitecture's history; NaN: not stepped through */
    double memory_share;   /**< of the predicted cycles: what goes away when dependencies through memory are
                              ignored; NaN where that was not predicted */
    bool memory_bound;     /**< memory_share is at least options.memory_bound */
} tacho_kernel_variant;

/** A predictor's answers, and how it did. */
typedef struct tacho_kernels_predictor {
    const char *name, *version;
    double seconds;                             /**< that predicting all blocks took */
    const tacho_kernel_prediction *predictions; /**< one for each variant */
    tacho_score all;    /**< over the variants that were measured; valid once scored, as is the next */
    tacho_score pruned; /**< ... without those that are bound by dependencies through memory */
} tacho_kernels_predictor;

/** What could not be generated, said once: a compiler that is missing ... */
typedef struct tacho_kernels_note {
    const char *text;
    size_t variants; /**< that are not there because of it; 0: none */
} tacho_kernels_note;

/** What a study is of. Lists are comma-separated. Initialise with TACHO_KERNELS_OPTIONS_INIT. */
typedef struct tacho_kernels_options {
    size_t size;
    const char *directory;   /**< of kernels, searched with all below it; NULL: tacho's own suite */
    const char *kernels;     /**< names; NULL: all */
    const char *compilers;   /**< programs; "gcc,clang" */
    const char *levels;      /**< "O1,O2,O3" */
    const char *vectors;     /**< tacho_kernels_choices("vectors"); "sse2,avx2" */
    const char *transforms;  /**< tacho_kernels_choices("transforms"); NULL: none, unroll, interchange,
                                graphite, polly, restrict. Levels below O2 are built with "none" only */
    const char *extra_flags; /**< for all of them, separated by spaces; NULL */
    uint32_t n;              /**< -DN= of tacho's own kernels; 0: their default */
    const char *dataset;     /**< of PolyBench: "MINI" */
    uint32_t limit;          /**< at most so many variants: of all kernels the first ways first; 0: all */
    const char *work; /**< directory for objects and results so far, made if need be; NULL: a temporary one */
    bool resume;      /**< what `work` has is used; else it must be empty or not there */
    unsigned jobs;    /**< builds at a time; 0: as there are processors */
    double seconds;   /**< deadline of one compilation, one count, one pass of measuring; 60 */
    double max_miss;  /**< share of accesses that may miss the first-level data cache; 0.15 */
    double max_missing;  /**< share of the executed instructions that may lie in blocks without a prediction;
                            0, as in the paper */
    double memory_bound; /**< share of the predicted time that dependencies through memory must be; 0.4 */
    const tacho_memory *memory; /**< what this machine's takes, for predictors named "memory:..."; must
                                            outlive the study; NULL: there are none */
    /** May be NULL; calls come from one thread at a time. `what`: "built", "measured", "stepped" (for
     *  predictors along the trace), "run in caches" (for those named "memory:..."), or the name of the model
     *  that is asked. */
    void (*progress)(void *payload, const char *what, size_t done, size_t count);
    /** Asked ten times a second and before each step, also from threads of the study's own: true ends what is
     * under way, with TACHO_ERR_CANCELLED; what is done by then stays done. While the last ones are measured
     * it is asked between runs and when a signal comes in. May be NULL */
    bool (*stop)(void *payload);
    void *payload;
} tacho_kernels_options;
#define TACHO_KERNELS_OPTIONS_INIT                                                                           \
    TACHO_OPTIONS_INIT(kernels, .compilers = "gcc,clang", .levels = "O1,O2,O3", .vectors = "sse2,avx2",      \
                       .dataset = "MINI", .seconds = 60, .max_miss = 0.15, .memory_bound = 0.4)
TACHO_OPTIONS(kernels);

/** All of it. */
typedef struct tacho_kernels_result {
    const tacho_kernel *kernels;
    size_t kernel_count;
    const tacho_kernel_variant *variants;
    size_t variant_count;
    const tacho_kernels_predictor *predictors;
    size_t predictor_count;
    const tacho_kernels_note *notes;
    size_t note_count;
    size_t status_count[TACHO_KERNEL_STATUS_COUNT]; /**< variants by status */
    const tacho_arch *arch;                         /**< that was predicted; NULL: nothing was */
    tacho_clock clock;                              /**< that measured; AUTO: nothing was */
    const char *processor;                          /**< this machine's, as it names itself; "" */
    const char *compilers;                          /**< versions, one a line */
    double build_seconds, measure_seconds;          /**< of real time, in this process */
} tacho_kernels_result;

/** A study. */
typedef struct tacho_kernels tacho_kernels;

/** Finds the kernels, the compilers and what they can do, and makes the list of variants.
 *  @return 0 and *out (tacho_kernels_free); TACHO_ERR_INPUT (no such directory, no kernels in it),
 *  TACHO_ERR_USAGE (unknown names in a list; `work` is not empty), TACHO_ERR_UNSUPPORTED (no compiler at
 *  all), TACHO_ERR_SYSTEM, TACHO_ERR_MEMORY, TACHO_ERR_CANCELLED */
TACHO_API int tacho_kernels_new(tacho_kernels **out, const tacho_kernels_options *options, tacho_error *err);
TACHO_API void tacho_kernels_free(tacho_kernels *k);

/** Builds and counts all variants that are pending. What goes wrong with a variant is its status.
 *  @return 0; TACHO_ERR_UNSUPPORTED (valgrind is not installed), TACHO_ERR_SYSTEM, TACHO_ERR_MEMORY,
 *  TACHO_ERR_CANCELLED */
TACHO_API int tacho_kernels_build(tacho_kernels *k, tacho_error *err);
/** Measures all that are counted, one after the other, alone.
 *  @param m a measurer, whose clock and processor are used
 *  @return 0; TACHO_ERR_USAGE (the study has been measured by another clock), TACHO_ERR_SYSTEM,
 *  TACHO_ERR_MEMORY, TACHO_ERR_CANCELLED */
TACHO_API int tacho_kernels_measure(tacho_kernels *k, tacho_measurer *m, tacho_error *err);
/** Predicts the blocks of all counted variants with a model (models.h) and lifts the predictions: cycles of a
 *  region are the sum over its blocks of executions times predicted cycles. All models of a study must be
 *  for one microarchitecture, which must outlive it.
 *  "trace:" before the model's name: it is asked for windows of the trace of each region instead, which is
 *  stepped through once for all models, and these predictions are lifted. tacho's own models are told which
 *  branches are not foreseen ("trace:tacho-no-mispredictions": none are).
 *  "memory:" before all that ("memory:tacho", "memory:trace:tacho"): a piece takes at least what the lines
 * take that it brings from behind the first level, by callgrind's counts with the sizes of options.memory.
 *  @param name that the predictor gets; NULL: the model's
 *  @return 0; what tacho_model_open returns; TACHO_ERR_USAGE (another microarchitecture, the name is taken);
 *  TACHO_ERR_CANCELLED */
TACHO_API int tacho_kernels_predict(tacho_kernels *k, const char *model, const char *name,
                                    const tacho_arch *arch, const tacho_model_options *options,
                                    tacho_error *err);
/** Whether the name begins with "trace:", perhaps behind "memory:"; *model is then what follows. */
TACHO_API bool tacho_kernels_along_path(const char **model);
/** Whether the name begins with "memory:"; *model is then what follows. */
TACHO_API bool tacho_kernels_with_memory(const char **model);
/** Finds out which variants are bound by dependencies through memory (for which "trace:tacho" and
 *  "trace:tacho-no-memory-deps", else "tacho" and "tacho-no-memory-deps", must have been asked), and scores
 *  all predictors on the variants with the status OK or UNSTABLE. @return 0, TACHO_ERR_MEMORY */
TACHO_API int tacho_kernels_score(tacho_kernels *k, tacho_error *err);
/** What there is so far. */
TACHO_API const tacho_kernels_result *tacho_kernels_view(tacho_kernels *k);

/** Writes tacho's own suite, with its runtime, into a directory, which is made if need be.
 *  @return 0, TACHO_ERR_SYSTEM (also: a file of that name is there) */
TACHO_API int tacho_kernels_write_suite(const char *directory, tacho_error *err);

/** "ok", "cache-misses"; static storage. */
TACHO_API const char *tacho_kernel_status_name(tacho_kernel_status status);
/** The names that a list may have, "vectors" or "transforms", separated by '|'; static storage. */
TACHO_API const char *tacho_kernels_choices(const char *list);

#ifdef __cplusplus
}
#endif
#endif
