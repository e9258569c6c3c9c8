/* loop_data.h - the arrays that a loop walks through, and what that takes where they lie beyond the
 * first-level cache: predicted by an execution-cache-memory model, and what is needed to measure it over real
 * arrays.
 *
 * Model: J. Treibig, G. Hager, "Introducing a Performance Model for Bandwidth-Limited Loop Kernels" (2009);
 * J. Hofmann et al., "On the accuracy and usefulness of analytic energy models for contemporary multicore
 * processors" (2018) and "Bridging the Architecture Gap" (2020) for which cores overlap transfers. The time
 * in the core is the simulator's; transfers take what the machine's streams of loads, stores and copies were
 * measured to take (tacho/memory.h).
 *
 * Tools: may change with each minor version. */
#ifndef TACHO_LOOP_DATA_H
#define TACHO_LOOP_DATA_H

#include <stdbool.h>

#include "measure.h"
#include "memory.h"
#include "predict.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TACHO_MAX_STREAMS = 32
};

/** Accesses that move on together, each iteration by as many bytes. */
typedef struct tacho_stream {
    uint32_t insn;   /**< the first instruction that has one */
    int64_t step;    /**< bytes an iteration; not 0 */
    uint64_t first;  /**< lowest address in the first iteration, from tacho_streams.registers on */
    uint64_t span;   /**< bytes from there to the highest one's end */
    double lines;    /**< cache lines that an iteration touches and no earlier one has */
    uint64_t behind; /**< bytes behind another stream that has had the same lines before; 0: there is none */
    bool read, write;
} tacho_stream;

/** What a loop accesses. A plain value. */
typedef struct tacho_streams {
    tacho_stream list[TACHO_MAX_STREAMS];
    uint32_t count;
    uint32_t loads, stores;   /**< an iteration, of all addresses */
    uint32_t scattered_loads; /**< an iteration: at addresses that move by other bytes each time */
    uint32_t scattered_stores;
    uint32_t scattered[TACHO_MAX_STREAMS]; /**< instructions that have such a load, ascending */
    uint32_t scattered_count;
    double bytes;           /**< an iteration, of all streams */
    uint64_t registers[16]; /**< initial values for which no two streams meet */
} tacho_streams;

/** Finds them. @return 0; TACHO_ERR_INPUT (bytes that are no code), TACHO_ERR_LIMIT (more streams),
 *  TACHO_ERR_MEMORY */
TACHO_API int tacho_streams_find(tacho_streams *out, const uint8_t *code, size_t size, tacho_error *err);

/** A level's part in a prediction. */
typedef struct tacho_data_level {
    const char *name;       /**< the memory's; borrowed */
    double lines_read;      /**< an iteration, from there; those that are written, too */
    double lines_written;   /**< to there */
    double transfer_cycles; /**< that these lines take */
    double latency_cycles;  /**< an iteration, with scattered loads served by this level; NaN: it has none */
    double cycles;          /**< an iteration, with all data in this level */
    const char *limit;      /**< "core", "transfer" or "latency"; static */
} tacho_data_level;

typedef struct tacho_data_prediction {
    tacho_data_level levels[TACHO_MEMORY_LEVELS]; /**< as the memory has them */
    uint32_t level_count;
    uint32_t level;        /**< the one that was asked for */
    double core_cycles;    /**< an iteration, with all data in the first level */
    double exposed_cycles; /**< of these, loads and stores that no transfer overlaps; 0 on AMD's cores */
    tacho_streams streams;
} tacho_data_prediction;

/** Predicts a loop whose data lie in `level` (of the memory's), for `p`, its prediction with data in the
 * first level: tacho_predict's of the same code, core and options. Scattered loads are simulated by
 * `predictor`, another one than p belongs to.
 *  @return 0; TACHO_ERR_USAGE (no such level), TACHO_ERR_UNSUPPORTED (the level has no figures), as
 *  tacho_streams_find and tacho_predict */
TACHO_API int tacho_data_predict(tacho_data_prediction *out, const tacho_memory *memory, uint32_t level,
                                 const tacho_prediction *p, tacho_predictor *predictor, const uint8_t *code,
                                 size_t size, const tacho_predict_options *options, tacho_error *err);

/** Measures the loop over arrays of its own, `bytes` of them together, as far as they are streams (what else
 * it accesses stays in the first level). *iterations: of a walk through them. The options' init and
 * known_values are not looked at. @return as tacho_measure_sweep_run; TACHO_ERR_UNSUPPORTED: it has no
 * streams, or `bytes` is too little or too much for them */
TACHO_API int tacho_streams_measure(tacho_measurement *out, uint64_t *iterations, tacho_measurer *m,
                                    const tacho_streams *s, const uint8_t *code, size_t size, uint64_t bytes,
                                    bool huge_pages, const tacho_measure_options *options, tacho_error *err);

#ifdef __cplusplus
}
#endif
#endif
