/* model.h - models of categories, as learning (train.c) makes them. */
#ifndef TACHO_CLUSTER_MODEL_H
#define TACHO_CLUSTER_MODEL_H

#include "base/hash_index.h"
#include "model/block/cache.h"
#include "study/cluster/lda.h"
#include "tacho/cluster.h"

/* ---- blocks as documents: what tacho/cluster.h keeps to itself ---- */

enum {
    CORPUS_PORT_SETS = 1 << TACHO_MAX_PORTS,
    CORPUS_WORDS = 1023 /* distinct sets of ports that are told apart */
};

/* A word of a document, and how often. */
typedef struct corpus_word {
    uint16_t word;
    uint32_t count;
} corpus_word;

typedef struct corpus_document {
    size_t first; /* of its words, in the order of their numbers */
    uint32_t word_count;
    uint64_t rows;
    double weight;
    double uops[TACHO_UOP_KIND_COUNT]; /* of all its rows, weighted */
} corpus_document;

struct tacho_corpus {
    const tacho_arch *arch;
    tacho_arch fixed; /* without what makes a µop's ports depend on other instructions */
    uint32_t word_count;
    uint16_t words[CORPUS_WORDS];      /* ports of each word */
    int16_t word_of[CORPUS_PORT_SETS]; /* by ports; -1: none */
    arena memory;
    insn_cache *cache;
    corpus_word *parts;
    size_t part_count, part_capacity;
    corpus_document *documents;
    size_t document_count, document_capacity;
    hash_index by_parts; /* documents */
};

/* The corpus as documents in an order that does not depend on that in which they were added; document d of
 * `docs` is documents[order[d]]. Free with corpus_view_free. @return 0 or TACHO_ERR_MEMORY */
typedef struct corpus_view {
    lda_documents docs;
    uint32_t *order;
} corpus_view;

int corpus_view_make(corpus_view *out, const tacho_corpus *c);
void corpus_view_free(corpus_view *v);

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
