/* learn_internal.h - a processor while it is learnt: two labs with the same experiments, the processor's and
 * that of the core in the simulator which learning starts from; then what is made of their findings. */
#ifndef TACHO_LEARN_LEARN_INTERNAL_H
#define TACHO_LEARN_LEARN_INTERNAL_H

#include "base/arena.h"
#include "base/str.h"
#include "study/learn/lab.h"
#include "study/learn/learn_forms.h"
#include "tacho/learn.h"

typedef struct learning {
    tacho_learnt result; /* first: what the user holds */
    bool no_memory;      /* for a text */
    bool ports_unnamed;  /* ports that were found have not the names that they have on `from` */
    arena memory;        /* all texts and lists of the result */
    tacho_learn_options options;
    const tacho_arch *from;        /* NULL: from scratch */
    const char **doubts;           /* of each parameter, why what was found is not believed; NULL */
    const char **doubts_by_blocks; /* those that blocks have raised */
    char name[32];                 /* of the model */
    subject *own, *reference;      /* `reference`: of `from` */
    lab lab, other;                /* of `own`, of `reference` */
    learnt_form *learnt;           /* one for each of result.forms */
    tacho_learn_form *forms;       /* result.forms, while they are made */
    size_t learnt_count;
    tacho_learn_progress progress;
    double start;       /* seconds_now */
    double weight_done; /* of steps that took time */
    double seconds_of_weight, weight_left, step_start, step_weight;
} learning;

/* ---- texts of the result; "" where there is no memory, which no_memory tells ---- */

const char *learning_text(learning *l, const char *format, ...) TACHO_PRINTF(2, 3);

/* ---- progress (learn_progress.c) ---- */

/** How much work the stages are; then each step begins and ends. */
void learning_plan(learning *l);
void learning_stage(learning *l, tacho_learn_stage stage, size_t count);
void learning_step(learning *l, const char *name);
/** `count` steps since the last learning_step. */
void learning_steps_end(learning *l, size_t count);

/* ---- stages; @return 0 or an error, with its message ---- */

/** Whether --only has the part or, if not NULL, the name. */
bool learning_wants(const learning *l, const char *part, const char *name);
/** Runs the experiments (learn_findings.c). */
int learning_experiment(learning *l, tacho_error *err);
/** Makes result.findings and result.curves of what both labs have. */
int learning_conclude(learning *l, tacho_error *err);

enum {
    LEARN_MODES = 2
};
/** Mean errors of a model on blocks, by mode; NaN: there are none. @return 0 or an error */
typedef int learn_errors(const void *payload, const tacho_arch *model, double out[LEARN_MODES],
                         tacho_error *err);
/** Adds to l->doubts those of these findings that are not to be believed (learn_doubt.c). */
int learning_doubt(learning *l, const tacho_learn_finding *findings, size_t count, tacho_error *err);
/** The same by what blocks tell; where no parameter is to blame, of all rows of forms. *any: the model is to
 * be made anew. */
int learning_doubt_by_blocks(learning *l, const tacho_arch *model, learn_errors *errors, const void *payload,
                             bool *any, tacho_error *err);

/** The forms of the budget: result.forms (learn_rows.c). */
int learning_forms(learning *l, tacho_error *err);
/** Whether the core with this row predicts the recorded loops of `own` better than it does without
 *  (learn_adopt.c). */
int learning_adopt(learning *l, const char *row, unsigned source, bool *better, tacho_error *err);
/** The sections [params] and [sources] (learn_write.c). */
void learning_put_parameters(tacho_str *out, const learning *l);
void learning_put_sources(tacho_str *out, const learning *l);
/** The model as text, with the scores that there are at its head: result.text (learn_write.c). */
int learning_write(learning *l, tacho_error *err);
/** Finds what only a whole model tells; NULL: there is none. *found: learning_conclude is due (learn_fit.c).
 */
int learning_fit(learning *l, const tacho_arch *model, bool *found, tacho_error *err);
/** A part is done: hands out the model of what is found by now (learn.c). @return 0 or an error */
int learning_part_done(learning *l, const char *part, tacho_error *err);
/** Makes the model anew from what is found and not doubted by now. *model: freed, and then NULL where it
 * cannot be loaded. */
typedef int learn_reload(learning *l, tacho_arch **model, tacho_error *err);
/** Times blocks, doubts by them, and scores the model: result.scores (learn_judge.c). */
int learning_judge(learning *l, tacho_arch **model, learn_reload *reload, tacho_error *err);

#endif
