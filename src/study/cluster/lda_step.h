/* lda_step.h - the expectation step, as learning and evaluating use it. */
#ifndef TACHO_CLUSTER_LDA_STEP_H
#define TACHO_CLUSTER_LDA_STEP_H

#include "study/cluster/lda.h"

/* exp(E[log beta]) of the topics: [words][topics]. Start with {0}. */
typedef struct lda_tables {
    double *likelihood;
} lda_tables;

typedef struct lda_step {
    const lda_model *model;
    const lda_documents *docs;
    const lda_tables *tables;
    const uint32_t *chosen; /* documents, each for one of the rows that it stands for; NULL: all, whole */
    size_t chosen_count;
    double *statistics; /* [words][topics]: filled; NULL: not wanted */
    lda_bound *bound;   /* the same */
} lda_step;

/* Of the model's lambda as it is now. @return 0 or TACHO_ERR_MEMORY */
int lda_tables_make(lda_tables *out, const lda_model *m);
void lda_tables_free(lda_tables *t);

/* @return 0 or TACHO_ERR_MEMORY */
int lda_step_run(const lda_step *s, unsigned threads);

#endif
