/* models.h - every predictor behind one interface: tacho's simulator and its variants, its bounds, the uiCA
 * paper's baseline, and other people's tools where they are installed.
 *
 * A model is opened by name for one microarchitecture and then asked about any number of blocks. Names:
 *
 *   tacho                     the simulator (predict.h)
 *   tacho-bounds              the highest of the bounds, nothing simulated
 *   tacho-no-memory-deps      the simulator, ignoring dependencies from stores to loads
 *   tacho-no-mispredictions   the simulator, foreseeing all branches
 *   tacho-no-micro-fusion     ... the simulator with one part simplified: "tacho-" and the name of the
 *                             variant (tacho_variant_name), with '-' for '_'
 *   baseline                  the two formulas of the uiCA paper, section 6.1
 *   llvm-mca, llvm-mca-19     LLVM's, each installed version; ":steady" and ":rthroughput" after the name ask
 *                             for another figure than cycles by iterations. "@znver4" behind a version asks
 *                             for that processor (-mcpu), whatever the microarchitecture
 *   osaca, uica, iaca         the tools of these names
 *   anything.json             a description of a command that predicts (doc/HOWTO-add-a-predictor.md)
 *
 * tacho_model_list says which there are. A model belongs to one thread at a time; several threads may each
 * have their own. What a model says of a block does not depend on the other blocks or on their order.
 *
 * Tools: may change with each minor version. */
#ifndef TACHO_MODELS_H
#define TACHO_MODELS_H

#include <stdbool.h>
#include "arch.h"
#include "options.h"
#include "predict.h"
#include "state.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A throughput model, opened for one microarchitecture. */
typedef struct tacho_model tacho_model;

/** Machine code to predict. Borrowed. */
typedef struct tacho_model_block {
    const uint8_t *code;
    size_t size; /**< bytes */
    /** Values of the general registers before it, by their numbers (RAX, RCX, RDX, RBX, RSP ...); NULL: as
     *  options.init says. Only our own simulator and bounds look at them. */
    const uint64_t *registers;
    /** Where the pieces lie of code that comes from several places, or from one place several times: as in
     *  tacho_predict_options. Only our own models look at them; NULL: the code is contiguous. */
    const tacho_piece *pieces;
    size_t piece_count;
    const uint32_t *mispredicted; /**< branches that are not foreseen, as in tacho_predict_options; only our
                                       own simulator looks at them. NULL: none */
    size_t mispredicted_count;
    /** The block is no loop but a stretch of a longer run, as in tacho_predict_options: of its `instructions`
     *  the first `warm_up` do not count. Models that know only loops take it as a loop; its cycles are then
     *  multiplied by the share of the instructions that count. */
    bool once;
    uint32_t warm_up, instructions;
} tacho_model_block;

/** What became of a block. */
typedef enum tacho_model_status {
    TACHO_MODEL_OK = 0,
    TACHO_MODEL_UNSUPPORTED, /**< the model says that it cannot predict this block */
    TACHO_MODEL_FAILED,      /**< it crashed, or what it said is no prediction */
    TACHO_MODEL_TIMEOUT,     /**< it took longer than options.timeout_seconds */
    TACHO_MODEL_STATUS_COUNT
} tacho_model_status;

enum {
    TACHO_MODEL_NAME_SIZE = 64,
    TACHO_MODEL_BOTTLENECK_SIZE = 96,
    TACHO_MODEL_MESSAGE_SIZE = 160
};

/** A model's answer for one block. A plain value. */
typedef struct tacho_model_result {
    double cycles; /**< core cycles per iteration; NaN unless OK */
    tacho_model_status status;
    char bottleneck[TACHO_MODEL_BOTTLENECK_SIZE]; /**< names joined by ';'; "none" where the model says that
                                                     there is no single one; "" where it says nothing */
    char message[TACHO_MODEL_MESSAGE_SIZE];       /**< why there is no number, one line; "" when OK */
    bool lower_bound; /**< the model says that the cycles may really be more, as it lacks figures of some of
                         the instructions (tacho_prediction_is_lower_bound) */
} tacho_model_result;

/** How to predict. Initialise with TACHO_MODEL_OPTIONS_INIT. */
typedef struct tacho_model_options {
    size_t size;
    /** AUTO: loop where the code ends in a branch, else unroll. Tools that know no unrolled mode (llvm-mca,
     *  OSACA, IACA) say the same in both; where one decides by itself and the other mode is asked for, the
     *  block is UNSUPPORTED. */
    tacho_mode mode;
    tacho_init init;        /**< only our own models look at it */
    double timeout_seconds; /**< external tools: for a block; a process that is given n blocks may take
                               1 + n / 100 times as long. More than 0 */
    bool ignore_isa;        /**< only our own models look at it, as in tacho_predict_options */
    /** Asked some times a second while external tools run, by any thread, with `stop_payload`: whether to end
     * with TACHO_ERR_CANCELLED. NULL: never */
    bool (*stop)(void *payload);
    void *stop_payload;
} tacho_model_options;
#define TACHO_MODEL_OPTIONS_INIT TACHO_OPTIONS_INIT(model, .timeout_seconds = 10)
TACHO_OPTIONS(model);

/** Opens the model `name` for `arch`, which must outlive it. For our own models `arch` may be a changed copy
 *  (tacho_arch_parameter_set); other tools see only its name. `options` are copied; NULL: the defaults.
 *  @return 0 and *out (tacho_model_close); TACHO_ERR_USAGE (no such model; the message names the nearest),
 *  TACHO_ERR_UNSUPPORTED (the tool is not installed, or does not know this microarchitecture),
 *  TACHO_ERR_INPUT (a bad description file), TACHO_ERR_SYSTEM, TACHO_ERR_MEMORY, TACHO_ERR_CANCELLED */
TACHO_API int tacho_model_open(tacho_model **out, const char *name, const tacho_arch *arch,
                               const tacho_model_options *options, tacho_error *err);
/** Predicts `count` blocks into results[0..count). A block for which there is no prediction is a result, not
 *  an error. External tools are faster with many blocks at once.
 *  @return 0; TACHO_ERR_MEMORY, TACHO_ERR_SYSTEM (a process could not be started), TACHO_ERR_CANCELLED:
 *  `results` are then undefined */
TACHO_API int tacho_model_run(tacho_model *model, const tacho_model_block *blocks, size_t count,
                              tacho_model_result *results, tacho_error *err);
TACHO_API void tacho_model_close(tacho_model *model);

/** The name that it was opened by. */
TACHO_API const char *tacho_model_name(const tacho_model *model);
/** What the tool says of its version, where it does, and what it was asked for where that is not the
 *  microarchitecture's own name: "LLVM version 19.1.7, -mcpu=skylake", "for ICL"; ours: libtacho's. */
TACHO_API const char *tacho_model_version(const tacho_model *model);
/** Whether it is another program than tacho. */
TACHO_API bool tacho_model_is_external(const tacho_model *model);
/** "ok", "unsupported", "failed", "timeout". */
TACHO_API const char *tacho_model_status_name(tacho_model_status status);

/** A model that can be asked for by name. Strings belong to the list. */
typedef struct tacho_model_info {
    const char *name, *summary; /**< the summary: one line without a full stop */
    bool external;              /**< another program than tacho */
    const char *missing;        /**< NULL where it can be opened; else why not: not installed (with the Debian
                                   package, if there is one), or does not know the microarchitecture */
} tacho_model_info;

typedef struct tacho_model_list {
    tacho_model_info *models;
    size_t count;
} tacho_model_list;

/** All models with a name of their own, whether they can be opened here or not: ours first; of llvm-mca each
 *  version that is installed. `arch` may be NULL: then only what is installed counts.
 *  @return 0 and *out (tacho_model_list_free), or TACHO_ERR_MEMORY */
TACHO_API int tacho_model_list_make(tacho_model_list **out, const tacho_arch *arch, tacho_error *err);
TACHO_API void tacho_model_list_free(tacho_model_list *list);

#ifdef __cplusplus
}
#endif
#endif
