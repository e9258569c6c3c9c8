/* corpus.h - blocks as documents: what tacho/cluster.h keeps to itself. */
#ifndef TACHO_CLUSTER_CORPUS_H
#define TACHO_CLUSTER_CORPUS_H

#include "base/hash_index.h"
#include "model/block/cache.h"
#include "study/cluster/lda.h"
#include "tacho/cluster.h"

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

#endif
