/* explain.h - what would help: a prediction repeated with parts of the machine taken as ideal, and with the
 * code, its place or the machine changed. Nothing here is a rule of thumb: every figure is a simulation.
 *
 * An explainer holds the memory that this needs and is reused; one thread at a time may use it. Everything in
 * an explanation belongs to the explainer and lives until its next use.
 *
 * Core: stable within a major version. */
#ifndef TACHO_EXPLAIN_H
#define TACHO_EXPLAIN_H

#include "predict.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What is taken as ideal in a what-if run. */
typedef enum tacho_what {
    TACHO_WHAT_FRONT_END = 0,       /**< the µop queue always holds the next µops */
    TACHO_WHAT_ISSUE,               /**< issue and retirement of twice as many µops a cycle */
    TACHO_WHAT_PORTS,               /**< µops that can use exactly `ports` never wait for one */
    TACHO_WHAT_ALL_PORTS,           /**< no µop ever waits for a port */
    TACHO_WHAT_DIVIDER,             /**< a division can start in every cycle */
    TACHO_WHAT_START_INTERVALS,     /**< the same for other instructions that are held back so */
    TACHO_WHAT_LATENCY,             /**< each µop of `instruction` takes one cycle: an instruction that is
                                         executed at all has at least that */
    TACHO_WHAT_LATENCIES,           /**< so do those of all instructions */
    TACHO_WHAT_MEMORY_DEPENDENCIES, /**< no load waits for a store */
    TACHO_WHAT_DEPENDENCIES,        /**< nothing waits for a result */
    TACHO_WHAT_BUFFERS,             /**< reorder buffer and scheduler as large as can be simulated */
    TACHO_WHAT_COUNT
} tacho_what;

/** The result of a what-if run. It is slower than the prediction where an improvement of one part increases
 * the contention among the others (the choice of ports does not look ahead). */
typedef struct tacho_what_if {
    tacho_what what;
    tacho_what also;     /**< a second part that is ideal at the same time; TACHO_WHAT_COUNT: none */
    uint16_t ports;      /**< TACHO_WHAT_PORTS: bit n: port n; else 0 */
    int32_t instruction; /**< TACHO_WHAT_LATENCY: its number; else -1 */
    double cycles;       /**< per iteration */
    int64_t cycles_num, cycles_den; /**< exact fraction; 0/0 where the steady state was not found */
    double gain;                    /**< 1 - cycles / the prediction's cycles */
    const char *text;               /**< what is ideal, for people */
} tacho_what_if;

/** A change that the simulation shows to make the code at least 1 % faster (2 % where one of the two results
 *  is not exact). */
typedef struct tacho_advice {
    const char *kind;             /**< see tacho_advice_kind */
    const uint32_t *instructions; /**< numbers of those concerned, rising */
    size_t instruction_count;
    double cycles_before, cycles_after; /**< per iteration of the given block */
    int64_t after_num, after_den;       /**< cycles_after as a fraction; 0/0 where not exact */
    const char *text;                   /**< a sentence without its full stop; the cycles are in it */
} tacho_advice;

typedef struct tacho_explanation {
    const tacho_what_if *what_ifs; /**< those that apply to the code, in the order of tacho_what; where none
                                      of them gains 1 %, also some with two parts */
    size_t what_if_count;
    const tacho_advice *advice; /**< largest gain first */
    size_t advice_count;
    uint32_t simulations; /**< that this took */
} tacho_explanation;

typedef struct tacho_explainer tacho_explainer;

/** @return NULL when memory runs out. */
TACHO_API tacho_explainer *tacho_explainer_new(void);
TACHO_API void tacho_explainer_free(tacho_explainer *explainer);

/** The predictor that it simulates with, for other predictions between two explanations: it remembers both.
 *  @return the explainer's own */
TACHO_API tacho_predictor *tacho_explainer_predictor(tacho_explainer *explainer);

/** Explains `prediction`, which was made with `details` and `bounds` of `size` bytes at `code` with `options`
 *  (NULL: the defaults) and must still be valid.
 *  @return 0 and *out; TACHO_ERR_USAGE (made without details or by bounds only, or the options are not
 * valid), TACHO_ERR_MEMORY. */
TACHO_API int tacho_explain(tacho_explainer *explainer, const tacho_prediction *prediction,
                            const uint8_t *code, size_t size, const tacho_predict_options *options,
                            const tacho_explanation **out, tacho_error *err);

/** Short name as in JSON: "front_end", "issue", "ports", "all_ports", "divider", "start_intervals",
 * "latency", "latencies", "memory_dependencies", "dependencies", "buffers". */
TACHO_API const char *tacho_what_name(tacho_what what);
/** The i-th kind of advice ("alignment", "false_dependency" ...), NULL after the last. */
TACHO_API const char *tacho_advice_kind(size_t i);

#ifdef __cplusplus
}
#endif
#endif
