/* model.h - models of categories, as learning (train.c) makes them. */
#ifndef TACHO_CLUSTER_MODEL_H
#define TACHO_CLUSTER_MODEL_H

#include "study/cluster/corpus.h"

/* A model and what it points to. */
typedef struct model_parts {
    tacho_cluster_model model; /* first: what users see */
    uint16_t words[CORPUS_WORDS];
    double *lambda;
    tacho_cluster_topic topics[TACHO_CLUSTER_MAX_TOPICS];
} model_parts;

/* Without lambda's values and topics' names. @return NULL when memory runs out */
model_parts *model_new(const tacho_arch *arch, uint32_t topics, const uint16_t *words, uint32_t word_count);

/* What a category is by its tally. */
typedef enum category_class {
    CATEGORY_SCALAR,
    CATEGORY_VECTOR,
    CATEGORY_SCALAR_VECTOR,
    CATEGORY_LOAD,
    CATEGORY_STORE,
    CATEGORY_LOAD_STORE,
    CATEGORY_EMPTY,
    CATEGORY_CLASSES
} category_class;

category_class category_class_of(const tacho_cluster_tally *t);
/* The order of topics with these tallies: by class, the one with most weight first. */
void category_order(const tacho_cluster_tally *tallies, uint32_t topics, uint32_t *order);
/* Names topics that are in this order, by their tallies. */
void category_name_all(tacho_cluster_topic *topics, uint32_t count);

/* The categories of documents, in a view's order. @return 0 or TACHO_ERR_MEMORY */
int model_classify(const lda_model *m, const lda_documents *docs, unsigned threads, uint8_t *categories);
/* The model as lda.h has it. */
lda_model model_lda(const tacho_cluster_model *m);
/* Adds up documents by category. */
void model_sum(const tacho_corpus *c, const uint8_t *categories, tacho_cluster_tally *tallies,
               uint32_t topics);

#endif
