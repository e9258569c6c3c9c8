/* learn_internal.h - a processor while it is learnt: two labs with the same experiments, the processor's and
 * that of the core in the simulator which learning starts from; then what is made of their findings. What
 * fails first is kept; from then on all that takes a `learning` does nothing. */
#ifndef TACHO_LEARN_LEARN_INTERNAL_H
#define TACHO_LEARN_LEARN_INTERNAL_H

#include "base/arena.h"
#include "learn/learn_forms.h"
#include "tacho/learn.h"

enum {
    LEARN_MODES = 2,
    LEARN_HALVES = 2
};

/* Of the time that learning may take: when no other experiment begins (on a host that is so busy, nothing is
 * learnt of ports and forms), when forms are done, those that blocks have asked for, and when no other round
 * of lessons begins: one may take a tenth. */
#define LEARN_EXPERIMENTS_END 0.6
#define LEARN_FORMS_END       0.75
#define LEARN_MORE_FORMS_END  0.85
#define LEARN_LESSONS_END     0.9

/** A block that was timed. */
typedef struct learn_block {
    subject_loop loop;
    bool held;        /* it judges; else it teaches */
    double predicted; /* by the model that was asked last; NaN: it does not predict it */
} learn_block;

/** What became of a parameter beside what was found. */
typedef struct learn_parameter {
    const char *doubt;           /* why what was found is not believed; NULL */
    const char *doubt_by_blocks; /* ... where blocks have raised that */
    const char *taught;          /* the value that blocks have taught; NULL */
    const char *lesson;          /* ... and by what */
    bool gave_way;               /* ... or that it does not fit to what was found */
} learn_parameter;

/** Of a stage. */
typedef struct learn_cost {
    double left, done; /* loops that are expected; that were timed */
    double took;       /* seconds, for these */
} learn_cost;

typedef struct learning {
    tacho_learnt result; /* first: what the user holds */
    int failed;          /* the first failure */
    tacho_error *err;    /* its message */
    bool ports_unnamed;  /* ports that were found have not the names that they have on `from` */
    arena memory;        /* all texts and lists of the result */
    tacho_learn_options options;
    const tacho_arch *from;             /* NULL: from scratch */
    tacho_arch *model;                  /* as made last; NULL: it cannot be loaded */
    void (*reload)(struct learning *l); /* makes it anew from what is found and not doubted by now */
    tacho_predictor *predictor;
    learn_parameter *parameters; /* of each parameter of tacho_arch */
    char name[32];               /* of the model */
    learn_block *blocks;         /* NULL: not chosen yet */
    size_t block_count, block_capacity;
    const char *judged_by;    /* "blocks of programs", "made-up blocks", or both */
    subject *own, *reference; /* `reference`: of `from` */
    lab lab, other;           /* of `own`, of `reference` */
    learnt_form *learnt;      /* one for each of result.forms */
    tacho_learn_form *forms;  /* result.forms, while they are made */
    size_t learnt_count;
    tacho_learn_progress progress;
    double start, step_start; /* seconds_now */
    size_t step_loops;        /* that were timed before the step */
    learn_cost costs[TACHO_LEARN_STAGE_COUNT];
    size_t predictions; /* of loops and blocks, so far ... */
    double predicting;  /* ... and the seconds that they took */
} learning;

/* ---- texts of the result; "" where there is no memory, which fails ---- */

const char *learning_text(learning *l, const char *format, ...) TACHO_PRINTF(2, 3);

/* ---- progress (learn_progress.c) ---- */

/** How much work the stages are; then each step begins and ends. */
void learning_plan(learning *l);
void learning_stage(learning *l, tacho_learn_stage stage, size_t count);
void learning_step(learning *l, const char *name);
/** Says what the step has come to. */
void learning_look_at(learning *l, const char *name);
/** `count` steps since the last learning_step. */
void learning_steps_end(learning *l, size_t count);
/** Whatever is left of the stage is not to come any more. */
void learning_stage_end(learning *l);
/** Whether this machine is asked: not the simulator, nor a record alone. */
bool learning_measures(const learning *l);
/** Whether that share of the time that learning may take is over; without measuring it does not count. */
bool learning_late(const learning *l, double share);

/* ---- stages ---- */

/** Whether --only has the part or, if not NULL, the name. */
bool learning_wants(const learning *l, const char *part, const char *name);
/** Runs the experiments (learn_findings.c). */
void learning_experiment(learning *l);
/** Makes result.findings and result.curves of what both labs have. */
void learning_conclude(learning *l);

/** Chooses blocks, and times them, unless that is done: l->blocks (learn_judge.c). */
void learning_blocks(learning *l, const tacho_arch *model);
void learning_blocks_free(learning *l);
/** Sets `predicted` of all. */
void learning_predict(learning *l, const tacho_arch *model, bool bounds);
/** What the simulator says of a loop; NaN. */
double learning_cycles(learning *l, const tacho_arch *arch, const subject_loop *loop);
/** A share of the cycles that were measured; 1: it is not predicted. */
double learn_error(const subject_loop *loop, double predicted);
double learn_block_error(const learn_block *b);
/** Mean errors of a half by mode, as predicted last, and of this model; NaN: there are none. */
void learning_errors_now(const learning *l, bool held, double out[LEARN_MODES]);
void learning_errors(learning *l, const tacho_arch *model, bool held, double out[LEARN_MODES]);
/** result.scores, by the half that judges. */
void learning_score(learning *l, const tacho_arch *model);
/** Adds to doubts those of these findings that are not to be believed (learn_doubt.c). */
void learning_doubt(learning *l, const tacho_learn_finding *findings, size_t count);
/** The same by what blocks tell; where no parameter is to blame, of all rows of forms. @return whether the
 * model is to be made anew */
bool learning_doubt_by_blocks(learning *l, bool held);

/** The forms of the budget: l->learnt; then result.forms (learn_rows.c). */
void learning_choose_forms(learning *l);
void learning_forms(learning *l);
/** More forms, in the order of `forms`, which are not among them yet. */
void learning_more_forms(learning *l, const uint32_t *forms, size_t count);
/** Decides anew on rows that were adopted, with the parameters and other rows of now, and on those that were
 *  refused, too; until that share of the time is over, the others stay as they are. */
void learning_rows_again(learning *l, bool refused, double share);
/** What two models are told apart by: the loops that they predict otherwise. */
typedef struct learn_vote {
    size_t count;     /* of these loops */
    double errors[2]; /* mean errors of both on them */
} learn_vote;
/** What the first of two models is known to predict of loops, by their numbers; < 0: not known yet. Start
 *  with {0}; tacho_mem_free. */
typedef struct learn_known {
    double *cycles;
    size_t count, capacity;
} learn_known;
/** Without and with something that is in question, until enough loops have told them apart; `known` may be
 *  NULL (learn_rows.c). */
learn_vote learn_compare(learning *l, const tacho_arch *const arch[2], const loop_list *loops,
                         learn_known *known);
/** Whether what is in question is adopted: the second is much nearer. */
bool learn_is_nearer(const learn_vote *v);
/** The sections [params], [insns] and [sources] (learn_write.c). */
void learning_put_parameters(tacho_str *out, const learning *l);
void learning_put_rows(tacho_str *out, const learning *l);
void learning_put_sources(tacho_str *out, const learning *l);
/** The model as text, with the scores that there are at its head: result.text (learn_write.c). */
void learning_write(learning *l);
/** Finds what only a whole model tells (learn_fit.c). @return whether learning_conclude is due */
bool learning_fit(learning *l);
/** Whether that is how a parameter is found, so that of a set of ports "-" can be an answer. */
bool learning_fits(const char *name);
/** What blocks have made of a proposal: for the journal, and for who asked (learn.c). */
void learning_note(learning *l, const char *format, ...) TACHO_PRINTF(2, 3);
/** A part is done: hands out the model of what is found by now (learn.c). */
void learning_part_done(learning *l, const char *part);
/** What the blocks that teach make doubtful of the model, each with its experiment (learn_teach.c). */
void learning_teach(learning *l);
/** Times blocks, doubts by them, learns from them, and scores the model: result.scores (learn_judge.c). */
void learning_judge(learning *l);

/* What a parameter of a core is taken to be where no experiment has decided it and no built-in core is asked
 * (--from-scratch): the mechanism is off, or as on most cores. */

typedef struct learn_neutral {
    const char *name;  /* of the parameter; NULL: of any for which there is no other */
    const char *value; /* as in params.txt */
    const char
        *why; /* why that is neutral, and, where no experiment finds the parameter, why there is none */
} learn_neutral;

/** Of every parameter of tacho_arch; all together are a legal core. NULL: there is no such parameter. */
const learn_neutral *learn_neutral_of(const char *name);

/* ---- blocks that a model is judged by: made up of instruction forms, the same ones everywhere ---- */

/** Adds the instructions of the `number`-th block to a loop: 3 to 12 of the forms, drawn by their shares
 * (learn_form_shares), or the first more often where that is NULL, with registers from a few, so that some
 * depend on others, and addresses that do not alias. Nothing is added where the forms allow none: those that
 * are no part of blocks, and those whose time depends on values.
 *  @return 0; TACHO_ERR_MEMORY, TACHO_ERR_LIMIT */
int learn_block_make(subject_loop *out, const uint32_t *forms, const double *shares, size_t count,
                     uint64_t number, tacho_error *err);

#endif
