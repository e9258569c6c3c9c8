/* learn.h - a model of a processor that nobody has modelled: found by timing code on it.
 *
 * Experiments time loops that bend at a parameter's value; ports and µops of instruction forms are found from
 * throughputs alone and among each other, latencies from chains. Where a built-in core fits, the same loops
 * are simulated for it, and only what differs is written. The result is a model as text, for tacho_arch_load.
 * No performance counters and no privileges are needed; doc/LEARN.md says how.
 *
 * Everything in a result belongs to it and lives until tacho_learnt_free. One thread at a time.
 *
 * Tools: may change with each minor version. */
#ifndef TACHO_LEARN_H
#define TACHO_LEARN_H

#include "arch.h"
#include "measure.h"
#include "options.h"
#include "stats.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- experiments ---- */

typedef struct tacho_learn_experiment {
    const char *part;       /**< "front-end", "resources", "rename", "queues", "memory", "branches" */
    const char *name;       /**< "reorder-buffer" */
    const char *parameters; /**< that it finds, separated by spaces; "" none */
    const char *method;     /**< in a sentence or two */
} tacho_learn_experiment;

TACHO_API size_t tacho_learn_experiment_count(void);
/** @return 0, or TACHO_ERR_USAGE when there is no i-th experiment */
TACHO_API int tacho_learn_experiment_get(size_t i, tacho_learn_experiment *out);

/* ---- learning ---- */

/** What is being done. */
typedef enum tacho_learn_stage {
    TACHO_LEARN_EXPERIMENTS = 0,
    TACHO_LEARN_FORMS,
    TACHO_LEARN_BLOCKS,  /**< that the model is judged by */
    TACHO_LEARN_LESSONS, /**< that blocks teach: proposals of a round */
    TACHO_LEARN_STAGE_COUNT
} tacho_learn_stage;

typedef struct tacho_learn_progress {
    tacho_learn_stage stage;
    size_t done, count;  /**< of this stage */
    const char *name;    /**< of the experiment or form; "" */
    size_t loops;        /**< that were timed so far */
    double seconds_left; /**< for all; NaN: not known yet */
} tacho_learn_progress;

/** What is known when a part is done. */
typedef struct tacho_learn_so_far {
    const char *part;    /**< "front-end", "forms", "blocks"; "" at the beginning */
    const char *found;   /**< "issue_width 6, fuses_nops yes": what its experiments found, what became of a
                            proposal that blocks have made */
    const char *text;    /**< the model until then, which can be loaded. NULL: there is none, or no new one */
    double seconds_left; /**< NaN: not known */
} tacho_learn_so_far;

/** What to learn. Initialise with TACHO_LEARN_OPTIONS_INIT. */
typedef struct tacho_learn_options {
    size_t size;
    const tacho_arch *of; /**< a core in the simulator; NULL: this machine */
    const tacho_arch
        *from;         /**< the core to start from; NULL: the processor's own, or none where it is of none */
    bool from_scratch; /**< from no core */
    bool quick;
    const char *only;    /**< these parts or experiments alone, and those that they need; separated by commas;
                            "forms"    and "blocks" are parts, too. NULL: all */
    uint32_t forms;      /**< how many, the most frequent first; 0: 1500, or 300 when quick */
    uint32_t blocks;     /**< that the model is judged by, for each mode; as many teach. 0: 300, or 100 when
                            quick */
    const char *journal; /**< a file for what the processor has answered; NULL: none */
    bool resume;         /**< the journal may have answers already, which are used */
    const char *const *records; /**< files of measurements made elsewhere: journals of one processor, or CSV
                                   with columns hex, mode, cycles. Learning is about their processor: nothing
                                   is timed, what they do not answer stays open. `from` is then by default
                                   the core that a journal names. Not with `of` */
    size_t record_count;
    const char *program; /**< an ELF file, whose blocks teach and judge the model where the records have none;
                            NULL: they are made up */
    bool also_measure;   /**< what the records do not answer this machine does: it must be the journals' */
    bool questions;      /**< tacho_learnt.questions is wanted */
    tacho_measurer_options measurer;
    void (*progress)(void *payload, const tacho_learn_progress *p); /**< may be NULL */
    bool (*stop)(void *payload); /**< asked often; true ends it with TACHO_ERR_CANCELLED. May be NULL */
    void *payload;
    void (*part)(void *payload, const tacho_learn_so_far *so_far); /**< after each part, and every 40 forms;
                            may be NULL. What it is given lives until it returns */
    double seconds; /**< that measuring may take, and what is computed of it: fewer forms are measured, and
                       blocks teach less, where there is no time. 0: 1800, or 300 when quick */
} tacho_learn_options;
#define TACHO_LEARN_OPTIONS_INIT TACHO_OPTIONS_INIT(learn, .measurer = TACHO_MEASURER_OPTIONS_INIT)
TACHO_OPTIONS(learn);

/** What is known of a parameter. */
typedef enum tacho_learn_state {
    TACHO_LEARN_NOT_TRIED = 0, /**< no experiment is about it, or it was not run */
    TACHO_LEARN_FOUND,
    TACHO_LEARN_UNDECIDED, /**< the experiment could not tell: `why` */
    TACHO_LEARN_MOOT,      /**< without effect here: `why` */
    TACHO_LEARN_DOUBTED,   /**< found, but not believed: `why`. The model has what it started from */
} tacho_learn_state;

typedef struct tacho_learn_finding {
    const char *name;       /**< of the parameter */
    const char *experiment; /**< NULL: none */
    tacho_learn_state state;
    const char *value; /**< as in params.txt; NULL unless found */
    double low, high;  /**< the range that the measurements allow; NaN */
    const char *why;   /**< "" */
    const char *core;  /**< the same experiment's finding on the core that learning started from, its value
                          where that  found none; NULL: from scratch */
    const char *model; /**< what the model has */
    bool differs;      /**< the model's is not the core's */
} tacho_learn_finding;

typedef struct tacho_learn_point {
    double x, cycles; /**< NaN: could not be timed */
    double core;      /**< of the core that learning started from; NaN */
} tacho_learn_point;

typedef struct tacho_learn_curve {
    const char *experiment, *title, *x_name, *y_name;
    double bend; /**< the x that the value follows from; NaN */
    const tacho_learn_point *points;
    size_t count;
} tacho_learn_curve;

/** A form that is in the model. */
typedef struct tacho_learn_form {
    const char *name;
    const char *row; /**< as in insns.txt; NULL: none */
    const char
        *why; /**< what differs from the core that learning started from, or what could not be found; "" */
    bool measured; /**< false: by analogy, or not at all */
    bool differs;
} tacho_learn_form;

/** How a model did on blocks that it had not seen: the learnt one, the core that learning started from, and
 * the bounds of the learnt one. */
typedef struct tacho_learn_score {
    const char *model; /**< "learnt", "SKL", "bounds" */
    tacho_mode mode;   /**< UNROLL or LOOP */
    tacho_score score;
} tacho_learn_score;

typedef struct tacho_learnt {
    const char *processor; /**< in words */
    const char *core;      /**< that learning started from; NULL: from scratch */
    const char *text;      /**< the model; NULL: only parts were asked for */
    const char *problem;   /**< why tacho_arch_load does not take it, so that it was not judged; "" */
    const tacho_learn_finding *findings; /**< of all parameters, in the order of tacho_arch_parameter_get */
    size_t finding_count;
    const tacho_learn_curve *curves;
    size_t curve_count;
    const tacho_learn_form *forms;
    size_t form_count;
    const tacho_learn_score *scores;
    size_t score_count;
    size_t loops;          /**< that were timed, without those that the journal had */
    size_t answered, open; /**< questions that the records answered, and did not */
    const char *questions; /**< those that are open, for tacho_learn_answer; NULL: not wanted */
    double seconds;
} tacho_learnt;

/** Learns. @return 0 and *out; TACHO_ERR_USAGE (options), TACHO_ERR_INPUT (the journal: another processor's,
 * or not empty), TACHO_ERR_UNSUPPORTED (it cannot be measured here), TACHO_ERR_SYSTEM, TACHO_ERR_CANCELLED,
 *  TACHO_ERR_MEMORY */
TACHO_API int tacho_learn(tacho_learnt **out, const tacho_learn_options *options, tacho_error *err);
/** Times what others ask: `questions` is a CSV file with columns hex, mode (U, L) and registers, as
 *  tacho_learnt.questions has it. The answers go to the journal o->journal, which is a record for
 * tacho_learn; of `o`, `of`, `resume`, `measurer`, `progress`, `stop` count, too. *count: the answers that
 * there are now.
 *  @return as tacho_learn */
TACHO_API int tacho_learn_answer(const char *questions, const tacho_learn_options *o, size_t *count,
                                 tacho_error *err);
/** NULL is allowed. */
TACHO_API void tacho_learnt_free(tacho_learnt *learnt);
/** Who this machine's processor is, as `processor` of a result. @return `out` */
TACHO_API const char *tacho_learn_processor(char *out, size_t size);

#ifdef __cplusplus
}
#endif
#endif
