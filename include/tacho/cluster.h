/* cluster.h - categories of basic blocks by what they ask of the ports, found by Latent Dirichlet Allocation
 * (BHive paper, section V).
 *
 * Documents are blocks; their words are the combinations of ports that their µops can use ("p0156"). A µop's
 * category is its most probable topic in the block, a block's that of most of its µops (of several equally
 * frequent ones the one with the larger share of the block, then the one with the lower number).
 *
 * What counts as a word is fixed by the instruction table, not by chance: each unfused µop of each
 * instruction with figures; pairs that macro-fuse are one instruction; a move that the renamer may eliminate
 * is counted as if it does not (else 2 % of compiled blocks had no words at all); NOPs, zero idioms and
 * instructions without figures have no words.
 *
 * Results depend on the blocks and the options only: they are the same, to the last bit, with any number of
 * threads, on any machine, and (as long as weights are whole numbers) whatever the order of the blocks.
 *
 * Tools: may change with each minor version. */
#ifndef TACHO_CLUSTER_H
#define TACHO_CLUSTER_H

#include "arch.h"
#include "options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- blocks as documents ---- */

/** What a µop does. */
typedef enum tacho_uop_kind {
    TACHO_UOP_LOAD = 0,
    TACHO_UOP_STORE_ADDRESS,
    TACHO_UOP_STORE_DATA,
    TACHO_UOP_SCALAR, /**< computes, of an instruction that names no vector, mask or x87 register */
    TACHO_UOP_VECTOR, /**< computes, of one that does */
    TACHO_UOP_KIND_COUNT
} tacho_uop_kind;

/** Blocks that were added; those with the same words are one document. One thread at a time. */
typedef struct tacho_corpus tacho_corpus;

typedef struct tacho_cluster_model tacho_cluster_model;

/** What was seen of a block. */
typedef struct tacho_corpus_block {
    int64_t document;    /**< its number, from 0 in the order of first appearance; -1: it has no words */
    uint32_t uops;       /**< words */
    uint32_t other_uops; /**< µops on ports that are no word */
    uint32_t instructions, unknown_instructions; /**< all, and those without figures */
} tacho_corpus_block;

/** An empty corpus whose words are all combinations of ports in the table of `arch`. Free with
 *  tacho_corpus_free. @return 0 or TACHO_ERR_MEMORY */
TACHO_API int tacho_corpus_new(tacho_corpus **out, const tacho_arch *arch, tacho_error *err);
TACHO_API void tacho_corpus_free(tacho_corpus *corpus);

/** The largest weight of a block; sums of any number of them are finite. */
#define TACHO_CLUSTER_MAX_WEIGHT 1e30

/** Adds a block that counts `weight` times (0: it is classified, but nothing is learned from it).
 *  @return 0 and *out, also when it has no words; TACHO_ERR_INPUT (undecodable, empty), TACHO_ERR_LIMIT (too
 *  long), TACHO_ERR_USAGE (a weight that is not from 0 to TACHO_CLUSTER_MAX_WEIGHT), TACHO_ERR_MEMORY: it is
 *  not added. */
TACHO_API int tacho_corpus_add(tacho_corpus *corpus, const uint8_t *code, size_t size, double weight,
                               tacho_corpus_block *out, tacho_error *err);
/** Different documents so far. */
TACHO_API size_t tacho_corpus_documents(const tacho_corpus *corpus);

/* ---- learning ---- */

enum {
    TACHO_CLUSTER_MAX_TOPICS = 64,
    TACHO_CLUSTER_MAX_STARTS = 1000,
    TACHO_CLUSTER_NAME_SIZE = 24
};

/** How to learn. Initialise with TACHO_CLUSTER_OPTIONS_INIT, then change. */
typedef struct tacho_cluster_options {
    size_t size;
    uint32_t topics;    /**< categories, 1..TACHO_CLUSTER_MAX_TOPICS; 6 */
    double alpha;       /**< prior of a block's topics, 1e-4..1000; 0: 1 / topics */
    double beta;        /**< prior of a topic's words (also called eta), 1e-4..1000; 1/13 */
    uint64_t seed;      /**< 1 */
    uint32_t starts;    /**< random starting points. All are followed for `screening` passes, the better half
                             of them (by perplexity) for as many again, and so on; the last two are followed to
                             the end, and the better one is the result. 1..TACHO_CLUSTER_MAX_STARTS; 10 */
    uint32_t screening; /**< 5 */
    uint32_t passes;    /**< over all blocks, at most; 200 */
    double tolerance; /**< a pass that lowers the perplexity by a smaller share than this is the last one; 0:
                           all passes; 1e-5 */
    uint32_t threads; /**< 1 */
} tacho_cluster_options;
#define TACHO_CLUSTER_OPTIONS_INIT                                                                           \
    TACHO_OPTIONS_INIT(cluster, .topics = 6, .beta = 1.0 / 13, .seed = 1, .starts = 10, .screening = 5,      \
                       .passes = 200, .tolerance = 1e-5, .threads = 1)
TACHO_OPTIONS(cluster);

/** A category in numbers. */
typedef struct tacho_cluster_tally {
    uint64_t blocks;
    double weight;                     /**< of these blocks */
    double uops[TACHO_UOP_KIND_COUNT]; /**< µops in these blocks by what they do, weighted */
} tacho_cluster_tally;

/** What a model says of a category. */
typedef struct tacho_cluster_topic {
    /** By what the µops of its blocks do, with a store's two µops counted once. More computing than
     *  accesses: "Scalar", "Vec" (at least 2/3 of the computing is vector), or "Scalar/Vec"; else "Ld"
     *  (at least 2/3 of the accesses are loads), "St", or "Ld/St"; "Empty" without a block. If several have
     *  the same name: "Scalar-1", "Scalar-2" ..., the one with most weight first. */
    char name[TACHO_CLUSTER_NAME_SIZE];
    const char *description; /**< of what the name says, in words; static */
    tacho_cluster_tally training;
} tacho_cluster_topic;

/** A model; read only. Topics are in the order of names above. */
struct tacho_cluster_model {
    const tacho_arch *arch;
    uint32_t topic_count, word_count;
    double alpha, beta;
    const uint16_t *words; /**< ports (bit p: port p) of each word */
    const double *lambda;  /**< [topic_count][word_count]: Dirichlet parameters of the topics' words */
    const tacho_cluster_topic *topics;
    uint64_t seed;
    uint32_t starts, passes;    /**< passes: those that led to the result */
    uint64_t blocks, documents; /**< learned from: all, and different ones */
    double uops;                /**< words, weighted */
    /** Of the blocks learned from: exp(-bound / µops), with the variational bound of the log likelihood.
     * Lower is better, and a model that knew nothing would have the number of words. With the topics' part of
     * the bound, as scikit-learn has it; _blocks without it, for comparing models of few blocks */
    double perplexity, perplexity_blocks;
};

/** Finds categories. @return 0 and *out (free with tacho_cluster_model_free); TACHO_ERR_USAGE (an option out
 *  of its range), TACHO_ERR_INPUT (no block with words and weight), TACHO_ERR_MEMORY */
TACHO_API int tacho_cluster_train(tacho_cluster_model **out, tacho_corpus *corpus,
                                  const tacho_cluster_options *options, tacho_error *err);
TACHO_API void tacho_cluster_model_free(tacho_cluster_model *model);

/* ---- using a model ---- */

/** The category of each document, that is of each block with that document: categories[] has room for
 *  tacho_corpus_documents; as scikit-learn's `transform`, a document is judged by itself.
 *  @return 0; TACHO_ERR_USAGE (the corpus has other words than the model), TACHO_ERR_MEMORY */
TACHO_API int tacho_cluster_classify(const tacho_cluster_model *model, tacho_corpus *corpus, uint32_t threads,
                                     uint8_t *categories, tacho_error *err);

/** A set of ports as words are written: "p0156". @return out */
TACHO_API const char *tacho_ports_text(uint16_t ports, char *out, size_t size);

#ifdef __cplusplus
}
#endif
#endif
