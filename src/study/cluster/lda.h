/* lda.h - Latent Dirichlet Allocation by variational Bayes. Knows documents and words, no processors.
 *
 * The model is that of D. M. Blei, A. Y. Ng, M. I. Jordan, "Latent Dirichlet allocation" (JMLR 3, 2003), with
 * a prior on the topics' words, too; the equations of inference are those of M. D. Hoffman, D. M. Blei,
 * F. Bach, "Online learning for latent Dirichlet allocation" (NIPS 2010), algorithm 1 (batch). All sums are
 * formed in an order that depends on the documents only: results are the same, to the last bit, with any
 * number of threads. */
#ifndef TACHO_CLUSTER_LDA_H
#define TACHO_CLUSTER_LDA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LDA_MAX_TOPICS = 64,
    LDA_DOCUMENT_ROUNDS = 100 /* of the iteration for one document, at most */
};
/* It ends when its topics' weights change by less, on average: as scikit-learn has it. */
#define LDA_DOCUMENT_CHANGE 1e-3

/* Documents, those that are equal as one. Document d has the words [starts[d], starts[d + 1]). */
typedef struct lda_documents {
    size_t count;
    uint32_t word_count; /* different words that there are */
    const size_t *starts;
    const uint16_t *words;
    const uint32_t *counts; /* how often the document has the word */
    const double *weights;  /* what the document counts for: how many it stands for, or more */
} lda_documents;

typedef struct lda_model {
    uint32_t topics, words;
    double alpha, eta; /* priors of a document's topics, and of a topic's words */
    double *lambda;    /* [topics][words]: the Dirichlet distributions of the topics' words */
} lda_model;

typedef struct lda_training {
    uint32_t passes;  /* at most */
    double tolerance; /* a pass that lowers the perplexity by a smaller part is the last one; 0: none is */
    unsigned threads;
} lda_training;

/* Words weighted, and the evidence lower bound: of the documents, and of the topics. */
typedef struct lda_bound {
    double words, documents, topics;
} lda_bound;

/* Fills lambda at random: each is gamma-distributed with mean 1 and variance 1/100. */
void lda_start(lda_model *m, uint64_t seed);

/* Goes on from lambda as it is. @return 0 or TACHO_ERR_MEMORY. *passes: how many there were */
int lda_train(lda_model *m, const lda_documents *docs, const lda_training *t, uint32_t *passes);

/* The bound of the documents, each with its own best topics. @return 0 or TACHO_ERR_MEMORY */
int lda_evaluate(const lda_model *m, const lda_documents *docs, unsigned threads, lda_bound *out);

/* The categories of words in documents: for each word of each document (as in docs->words) its most probable
 * topic, the lowest one if there are several, and for each document the topic's weights gamma
 * [count][topics]. Either may be NULL. @return 0 or TACHO_ERR_MEMORY */
int lda_infer(const lda_model *m, const lda_documents *docs, unsigned threads, uint8_t *word_topics,
              double *gamma);

/* exp(-bound / words): with the topics' part, as scikit-learn has it, or without. NaN where there are no
 * words
 */
double lda_perplexity(const lda_bound *b, bool with_topics);

/* The functions that variational Bayes needs, with the same result on every machine: only additions,
 * multiplications and divisions of doubles (IEEE 754), in a fixed order, and no C library's own. */

/* Relative errors are below 1e-14, or absolute ones where the result is near 0. */

/* 0 below -708, infinity above 709. */
double numeric_exp(double x);
/* x positive and normal. */
double numeric_log(double x);
/* The derivative of the logarithm of the gamma function; x positive. */
double numeric_digamma(double x);
/* exp(digamma(x)) of each, sooner; `out` may be `x`. */
void numeric_exp_digamma(double *out, const double *x, uint32_t count);
/* The logarithm of the gamma function; x positive. */
double numeric_log_gamma(double x);

/* Gamma-distributed with a whole shape and the mean 1 (scale 1 / shape); by hash_next_random(state). */
double numeric_gamma_variate(uint64_t *state, unsigned shape);

#endif
