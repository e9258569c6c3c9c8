/* suite_perplexity.h - how well categories fit blocks that they were not made from (BHive paper, section
 * V.C). */
#ifndef TACHO_STUDY_SUITE_PERPLEXITY_H
#define TACHO_STUDY_SUITE_PERPLEXITY_H

#include "study/suite/suite_corpus.h"

enum {
    TACHO_SUITE_MAX_MODELS = 64
};

typedef struct tacho_suite_perplexity_options {
    tacho_cluster_options learn; /**< its threads judge, too */
    const tacho_arch *arch;      /**< of what is learned */
    const char *weight;          /**< a column; NULL: each block counts once */
} tacho_suite_perplexity_options;

/** A model and what it makes of the blocks. */
typedef struct tacho_suite_perplexity {
    char *name;
    tacho_cluster_model *model;
    tacho_cluster_fit fit;
    size_t blocks,
        without_words; /**< of those to be judged: with words on its microarchitecture, and without */
} tacho_suite_perplexity;

/** Start with {0}, end with tacho_suite_perplexities_free. */
typedef struct tacho_suite_perplexities {
    tacho_suite_perplexity list[TACHO_SUITE_MAX_MODELS];
    size_t count;
    size_t undecodable; /**< of those to be judged */
} tacho_suite_perplexities;

/** Judges the suite by a model, which belongs to *out then, also where that fails: at most
 *  TACHO_SUITE_MAX_MODELS, of which the next function makes two.
 *  @return 0, TACHO_ERR_INPUT, TACHO_ERR_MEMORY */
TACHO_PRIVATE int tacho_suite_judge(tacho_suite_perplexities *out, const tacho_suite_perplexity_options *o,
                                    const char *name, tacho_cluster_model *model, const tacho_suite *s,
                                    tacho_error *err);
/** Judges the chosen rows by what is learned from the others, and from all. @return as above */
TACHO_PRIVATE int tacho_suite_judge_rows(tacho_suite_perplexities *out,
                                         const tacho_suite_perplexity_options *o, const tacho_suite *s,
                                         const bool *chosen, tacho_error *err);
/** The same of the blocks of some applications ("a,b"), each of which must have a block. */
TACHO_PRIVATE int tacho_suite_judge_apps(tacho_suite_perplexities *out,
                                         const tacho_suite_perplexity_options *o, const tacho_suite *s,
                                         const char *apps, tacho_error *err);
TACHO_PRIVATE void tacho_suite_perplexities_free(tacho_suite_perplexities *p);

#endif
