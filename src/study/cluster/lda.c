/* lda.c - variational Bayes for Latent Dirichlet Allocation: the step for one document, that for many, and
 * what is made of it. */
#include "study/cluster/lda.h"

#include <math.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/parallel.h"

enum {
    PIECES = 256,        /* at most; how documents are divided must not depend on the threads */
    PIECE_DOCUMENTS = 64 /* at least */
};

/* Keeps divisions finite; much smaller than any sum that is not 0. */
#define LEAST 1e-280

static double sum_of(const double *values, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += values[i];
    return sum;
}

/* The expectation step. */
typedef struct lda_step {
    const lda_model *model;
    const lda_documents *docs;
    const double *likelihood; /* exp(E[log beta]) of the topics: [words][topics] */
    double *statistics;       /* [words][topics]: filled; NULL: not wanted */
    lda_bound *bound;         /* the same */
} lda_step;

/* Of the model's lambda as it is now; *out is NULL the first time. */
static int find_likelihood(double **out, const lda_model *m)
{
    size_t n = (size_t)m->topics * m->words;
    if (!*out && !(*out = tacho_mem_alloc(n * sizeof **out)))
        return TACHO_ERR_MEMORY;
    for (uint32_t k = 0; k < m->topics; k++) {
        const double *lambda = m->lambda + (size_t)k * m->words;
        double sum = sum_of(lambda, m->words), all = numeric_digamma(sum);
        for (uint32_t w = 0; w < m->words; w++)
            (*out)[(size_t)w * m->topics + k] = numeric_exp(numeric_digamma(lambda[w]) - all);
    }
    return 0;
}

/* ---- one document ---- */

/* For a word with these likelihoods by topic: the sum over topics of likelihood times weight. */
static double likelihood_of(const double *likelihood, const double *weights, uint32_t topics)
{
    double sum = LEAST;
    for (uint32_t k = 0; k < topics; k++)
        sum += likelihood[k] * weights[k];
    return sum;
}

/* One round: from the topics' weights exp(digamma(gamma)) to the next gamma. The weights differ from
 * exp(E[log theta]) by a common factor only, which does not matter, as each word's shares are made to sum to
 * 1. */
static void document_round(const lda_step *s, size_t d, const double *weights, double *gamma)
{
    uint32_t topics = s->model->topics;
    double sums[LDA_MAX_TOPICS] = {0};
    for (size_t i = s->docs->starts[d]; i < s->docs->starts[d + 1]; i++) {
        const double *likelihood = s->likelihood + (size_t)s->docs->words[i] * topics;
        double share = s->docs->counts[i] / likelihood_of(likelihood, weights, topics);
        for (uint32_t k = 0; k < topics; k++)
            sums[k] += share * likelihood[k];
    }
    for (uint32_t k = 0; k < topics; k++)
        gamma[k] = s->model->alpha + weights[k] * sums[k];
}

/* From gamma and weights (exp(digamma(gamma)), but for a common factor) to where they no longer change. */
static void infer_document(const lda_step *s, size_t d, double *gamma, double *weights)
{
    uint32_t topics = s->model->topics;
    double last[LDA_MAX_TOPICS];
    for (int round = 0; round < LDA_DOCUMENT_ROUNDS; round++) {
        double change = 0;
        memcpy(last, gamma, topics * sizeof *last);
        document_round(s, d, weights, gamma);
        for (uint32_t k = 0; k < topics; k++)
            change += fabs(gamma[k] - last[k]);
        numeric_exp_digamma(weights, gamma, topics);
        if (change < LDA_DOCUMENT_CHANGE * topics)
            break;
    }
}

/* Adds what the document's words say of the topics: what Hoffman et al. call the sufficient statistics, still
 * to be multiplied by the likelihoods. */
static void add_statistics(const lda_step *s, size_t d, const double *weights, double weight, double *out)
{
    uint32_t topics = s->model->topics;
    for (size_t i = s->docs->starts[d]; i < s->docs->starts[d + 1]; i++) {
        size_t row = (size_t)s->docs->words[i] * topics;
        double share = weight * s->docs->counts[i] / likelihood_of(s->likelihood + row, weights, topics);
        for (uint32_t k = 0; k < topics; k++)
            out[row + k] += share * weights[k];
    }
}

/* The document's part of the evidence lower bound, divided by its weight (Hoffman et al., equation 4). */
static double document_bound(const lda_step *s, size_t d, const double *gamma, const double *weights,
                             double *words)
{
    uint32_t topics = s->model->topics;
    double alpha = s->model->alpha, sum = 0, bound = 0, count = 0;
    for (uint32_t k = 0; k < topics; k++)
        sum += gamma[k];
    double all = numeric_digamma(sum);
    for (size_t i = s->docs->starts[d]; i < s->docs->starts[d + 1]; i++) {
        const double *likelihood = s->likelihood + (size_t)s->docs->words[i] * topics;
        bound += s->docs->counts[i] * (numeric_log(likelihood_of(likelihood, weights, topics)) - all);
        count += s->docs->counts[i];
    }
    for (uint32_t k = 0; k < topics; k++)
        bound += (alpha - gamma[k]) * (numeric_digamma(gamma[k]) - all) + numeric_log_gamma(gamma[k]);
    *words = count;
    return bound - topics * numeric_log_gamma(alpha) + numeric_log_gamma(topics * alpha) -
           numeric_log_gamma(sum);
}

/* ---- many documents ---- */

/* The topics' part of the evidence lower bound. */
static double topics_bound(const lda_model *m)
{
    double bound = 0;
    for (uint32_t k = 0; k < m->topics; k++) {
        const double *lambda = m->lambda + (size_t)k * m->words;
        double sum = sum_of(lambda, m->words), all = numeric_digamma(sum);
        for (uint32_t w = 0; w < m->words; w++)
            bound += (m->eta - lambda[w]) * (numeric_digamma(lambda[w]) - all) + numeric_log_gamma(lambda[w]);
        bound += numeric_log_gamma(m->words * m->eta) - m->words * numeric_log_gamma(m->eta) -
                 numeric_log_gamma(sum);
    }
    return bound;
}

typedef struct step_work {
    const lda_step *step;
    size_t per_piece;
    double *sums; /* of each piece: statistics, words, bound */
    size_t sums_size;
} step_work;

static void start_document(const lda_step *s, double *gamma, double *weights)
{
    for (uint32_t k = 0; k < s->model->topics; k++)
        gamma[k] = weights[k] = 1;
}

static int step_piece(void *payload, void *state, size_t piece, tacho_error *err)
{
    const step_work *w = payload;
    const lda_step *s = w->step;
    size_t n = (size_t)s->model->topics * s->model->words, end = (piece + 1) * w->per_piece;
    double *sums = w->sums + piece * w->sums_size;
    for (size_t d = piece * w->per_piece; d < end && d < s->docs->count; d++) {
        double gamma[LDA_MAX_TOPICS], weights[LDA_MAX_TOPICS], words;
        double weight = s->docs->weights[d];
        if (!(weight > 0))
            continue;
        start_document(s, gamma, weights);
        infer_document(s, d, gamma, weights);
        if (s->statistics)
            add_statistics(s, d, weights, weight, sums);
        if (s->bound) {
            sums[n + 1] += weight * document_bound(s, d, gamma, weights, &words);
            sums[n] += weight * words;
        }
    }
    return 0;
}

static int run_step(const lda_step *s, unsigned threads)
{
    size_t n = (size_t)s->model->topics * s->model->words;
    step_work w = {.step = s, .per_piece = (s->docs->count + PIECES - 1) / PIECES, .sums_size = n + 2};
    if (w.per_piece < PIECE_DOCUMENTS)
        w.per_piece = PIECE_DOCUMENTS;
    size_t pieces = (s->docs->count + w.per_piece - 1) / w.per_piece;
    w.sums = tacho_mem_zalloc(pieces ? pieces : 1, w.sums_size * sizeof *w.sums);
    if (!w.sums)
        return TACHO_ERR_MEMORY;
    parallel_run(&(parallel_loop){.count = pieces, .threads = threads, .turn = step_piece, .payload = &w},
                 NULL);
    for (size_t p = 1; p < pieces; p++)
        for (size_t i = 0; i < w.sums_size; i++)
            w.sums[i] += w.sums[p * w.sums_size + i];
    for (size_t i = 0; s->statistics && i < n; i++)
        s->statistics[i] = w.sums[i] * s->likelihood[i];
    if (s->bound) {
        s->bound->words = w.sums[n];
        s->bound->documents = w.sums[n + 1];
        s->bound->topics = topics_bound(s->model);
    }
    tacho_mem_free(w.sums);
    return 0;
}

int lda_evaluate(const lda_model *m, const lda_documents *docs, unsigned threads, lda_bound *out)
{
    TACHO_MEM_FREED double *likelihood = NULL;
    int rc = find_likelihood(&likelihood, m);
    const lda_step s = {.model = m, .docs = docs, .likelihood = likelihood, .bound = out};
    return rc ? rc : run_step(&s, threads);
}

double lda_perplexity(const lda_bound *b, bool with_topics)
{
    return b->words > 0 ? numeric_exp(-(b->documents + (with_topics ? b->topics : 0)) / b->words) : NAN;
}

/* ---- topics of words ---- */

typedef struct infer_work {
    const lda_step *step;
    uint8_t *word_topics;
    double *gamma;
} infer_work;

static int infer_piece(void *payload, void *state, size_t piece, tacho_error *err)
{
    const infer_work *w = payload;
    const lda_step *s = w->step;
    uint32_t topics = s->model->topics;
    for (size_t d = piece * PIECE_DOCUMENTS; d < (piece + 1) * PIECE_DOCUMENTS && d < s->docs->count; d++) {
        double gamma[LDA_MAX_TOPICS], weights[LDA_MAX_TOPICS];
        start_document(s, gamma, weights);
        infer_document(s, d, gamma, weights);
        if (w->gamma)
            memcpy(w->gamma + d * topics, gamma, topics * sizeof *gamma);
        for (size_t i = s->docs->starts[d]; w->word_topics && i < s->docs->starts[d + 1]; i++) {
            const double *likelihood = s->likelihood + (size_t)s->docs->words[i] * topics;
            uint32_t best = 0;
            for (uint32_t k = 1; k < topics; k++)
                if (weights[k] * likelihood[k] > weights[best] * likelihood[best])
                    best = k;
            w->word_topics[i] = (uint8_t)best;
        }
    }
    return 0;
}

int lda_infer(const lda_model *m, const lda_documents *docs, unsigned threads, uint8_t *word_topics,
              double *gamma)
{
    TACHO_MEM_FREED double *likelihood = NULL;
    int rc = find_likelihood(&likelihood, m);
    const lda_step s = {.model = m, .docs = docs, .likelihood = likelihood};
    infer_work w = {&s, word_topics, gamma};
    parallel_loop loop = {.count = (docs->count + PIECE_DOCUMENTS - 1) / PIECE_DOCUMENTS,
                          .threads = threads,
                          .turn = infer_piece,
                          .payload = &w};
    if (!rc)
        parallel_run(&loop, NULL);
    return rc;
}

/* ---- learning topics ---- */

enum {
    START_SHAPE = 100
};

void lda_start(lda_model *m, uint64_t seed)
{
    uint64_t r = seed;
    for (size_t i = 0; i < (size_t)m->topics * m->words; i++)
        m->lambda[i] = numeric_gamma_variate(&r, START_SHAPE);
}

static int pass_over_all(lda_model *m, const lda_documents *docs, const lda_training *t, double **likelihood,
                         double *statistics, double *perplexity)
{
    lda_bound bound;
    int rc = find_likelihood(likelihood, m);
    const lda_step s = {
        .model = m, .docs = docs, .likelihood = *likelihood, .statistics = statistics, .bound = &bound};
    if (rc || (rc = run_step(&s, t->threads)))
        return rc;
    *perplexity = lda_perplexity(&bound, true); /* of the topics before */
    for (uint32_t k = 0; k < m->topics; k++)
        for (uint32_t w = 0; w < m->words; w++)
            m->lambda[(size_t)k * m->words + w] = m->eta + statistics[(size_t)w * m->topics + k];
    return 0;
}

static int train(lda_model *m, const lda_documents *docs, const lda_training *t, double **likelihood,
                 double *statistics, uint32_t *passes)
{
    double last = INFINITY, perplexity = 0;
    for (*passes = 0; *passes < t->passes;) {
        int rc = pass_over_all(m, docs, t, likelihood, statistics, &perplexity);
        if (rc)
            return rc;
        ++*passes;
        if (t->tolerance > 0 && last - perplexity < t->tolerance * perplexity)
            break;
        last = perplexity;
    }
    return 0;
}

int lda_train(lda_model *m, const lda_documents *docs, const lda_training *t, uint32_t *passes)
{
    TACHO_MEM_FREED double *likelihood = NULL;
    TACHO_MEM_FREED double *statistics = tacho_mem_alloc((size_t)m->topics * m->words * sizeof *statistics);
    return statistics ? train(m, docs, t, &likelihood, statistics, passes) : TACHO_ERR_MEMORY;
}
