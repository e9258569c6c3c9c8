/* train.c - from a corpus to a model: several random beginnings, the better ones followed further, topics in
 * order and with names. */

#include "base/hash.h"
#include "base/mem.h"
#include "base/options_take.h"
#include "study/cluster/model.h"

enum {
    FINALISTS = 2
};

/* ---- options ---- */

static int check_number(const char *name, double value, double low, double high, tacho_error *err)
{
    if (value >= low && value <= high)
        return 0;
    return tacho_error_set(err, TACHO_ERR_USAGE, "%s is from %g to %g, not %g", name, low, high, value);
}

OPTIONS_DEFINE(cluster, TACHO_CLUSTER_OPTIONS_INIT)

static int check_options(tacho_cluster_options *o, const tacho_cluster_options *given, tacho_error *err)
{
    int rc = OPTIONS_TAKE(cluster, o, given, err);
    if (rc || (rc = check_number("the number of topics", o->topics, 1, TACHO_CLUSTER_MAX_TOPICS, err)) ||
        (o->alpha != 0 && (rc = check_number("alpha", o->alpha, 1e-4, 1000, err))) ||
        (rc = check_number("beta", o->beta, 1e-4, 1000, err)) ||
        (rc = check_number("the number of starts", o->starts, 1, TACHO_CLUSTER_MAX_STARTS, err)) ||
        (rc = check_number("the number of passes", o->passes, 1, 1e6, err)) ||
        (rc = check_number("screening", o->screening, 1, 1e6, err)) ||
        (rc = check_number("the tolerance", o->tolerance, 0, 1, err)))
        return rc;
    if (o->alpha == 0)
        o->alpha = 1.0 / o->topics;
    if (!o->threads)
        o->threads = 1;
    return 0;
}

/* ---- learning ---- */

/* A random beginning, and how far it was followed. */
typedef struct candidate {
    double *lambda;
    double perplexity;
    uint32_t passes;
} candidate;

typedef struct learner {
    const tacho_cluster_options *options;
    const lda_documents *docs;
    lda_model model;
    double *lambdas; /* of all candidates */
    candidate *candidates;
    uint32_t count; /* of those that are still followed, in the order of their perplexity */
} learner;

/* Follows a candidate for this many further passes. @return 0 or TACHO_ERR_MEMORY */
static int follow(const learner *l, candidate *c, uint32_t passes)
{
    const tacho_cluster_options *o = l->options;
    uint32_t left = o->passes - c->passes, made = 0;
    lda_training t = {
        .passes = passes < left ? passes : left, .tolerance = o->tolerance, .threads = o->threads};
    lda_model m = l->model;
    lda_bound bound;
    m.lambda = c->lambda;
    int rc = t.passes ? lda_train(&m, l->docs, &t, &made) : 0;
    if (rc || (rc = lda_evaluate(&m, l->docs, o->threads, &bound)))
        return rc;
    c->passes += made;
    c->perplexity = lda_perplexity(&bound, true);
    return 0;
}

static int follow_all(learner *l, uint32_t passes)
{
    int rc = 0;
    for (uint32_t i = 0; i < l->count && !rc; i++)
        rc = follow(l, &l->candidates[i], passes);
    for (uint32_t i = 1; i < l->count; i++) {
        candidate c = l->candidates[i];
        uint32_t at = i;
        for (; at && c.perplexity < l->candidates[at - 1].perplexity; at--)
            l->candidates[at] = l->candidates[at - 1];
        l->candidates[at] = c;
    }
    return rc;
}

/* The first start has the seed that was given, the others have those that follow from it. */
static void start_all(learner *l)
{
    uint64_t r = l->options->seed;
    lda_model m = l->model;
    size_t size = (size_t)m.topics * m.words;
    l->count = l->options->starts;
    for (uint32_t i = 0; i < l->count; i++) {
        candidate *c = &l->candidates[i];
        *c = (candidate){.lambda = l->lambdas + i * size};
        m.lambda = c->lambda;
        lda_start(&m, i ? hash_next_random(&r) : l->options->seed);
    }
}

/* Follows all candidates for a few passes, the better half of them for as many again, and so on; the last two
 * to the end. @return 0 or TACHO_ERR_MEMORY */
static int learn(learner *l)
{
    int rc = 0;
    start_all(l);
    while (l->count > FINALISTS && !rc) {
        rc = follow_all(l, l->options->screening);
        l->count = (l->count + 1) / 2 > FINALISTS ? (l->count + 1) / 2 : FINALISTS;
    }
    rc = rc ? rc : follow_all(l, l->options->passes);
    if (!rc)
        memcpy(l->model.lambda, l->candidates[0].lambda,
               (size_t)l->model.topics * l->model.words * sizeof *l->model.lambda);
    return rc;
}

/* ---- the model ---- */

static int classify_all(const lda_model *m, const corpus_view *v, const tacho_corpus *c, unsigned threads,
                        tacho_cluster_tally *tallies)
{
    TACHO_MEM_FREED uint8_t *sorted = tacho_mem_alloc(2 * (c->document_count + 1));
    if (!sorted)
        return TACHO_ERR_MEMORY;
    uint8_t *categories = sorted + c->document_count + 1;
    int rc = model_classify(m, &v->docs, threads, sorted);
    for (size_t d = 0; !rc && d < c->document_count; d++)
        categories[v->order[d]] = sorted[d];
    if (!rc)
        model_sum(c, categories, tallies, m->topics);
    return rc;
}

/* Brings topics into the order of their names. */
static void put_in_order(lda_model *m, const tacho_cluster_tally *tallies, double *room)
{
    uint32_t order[TACHO_CLUSTER_MAX_TOPICS];
    size_t row = m->words * sizeof *room;
    category_order(tallies, m->topics, order);
    for (uint32_t k = 0; k < m->topics; k++)
        memcpy(room + (size_t)k * m->words, m->lambda + (size_t)order[k] * m->words, row);
    memcpy(m->lambda, room, m->topics * row);
}

static int finish(learner *l, model_parts *p, const corpus_view *v, const tacho_corpus *c)
{
    tacho_cluster_tally tallies[TACHO_CLUSTER_MAX_TOPICS];
    tacho_cluster_model *m = &p->model;
    lda_bound bound;
    unsigned threads = l->options->threads;
    int rc = classify_all(&l->model, v, c, threads, tallies);
    if (rc)
        return rc;
    put_in_order(&l->model, tallies, l->lambdas);
    /* Sums over topics are formed in the new order from here on, as by those who read the model. */
    if ((rc = classify_all(&l->model, v, c, threads, tallies)) ||
        (rc = lda_evaluate(&l->model, l->docs, threads, &bound)))
        return rc;
    for (uint32_t k = 0; k < m->topic_count; k++) {
        p->topics[k].training = tallies[k];
        m->blocks += tallies[k].blocks;
    }
    category_name_all(p->topics, m->topic_count);
    m->passes = l->candidates[0].passes;
    m->documents = l->docs->count;
    m->uops = bound.words;
    m->perplexity = lda_perplexity(&bound, true);
    m->perplexity_blocks = lda_perplexity(&bound, false);
    return 0;
}

static int train(model_parts *p, const tacho_corpus *c, const tacho_cluster_options *o)
{
    tacho_cluster_model *m = &p->model;
    corpus_view view;
    int rc = corpus_view_make(&view, c);
    if (rc)
        return rc;
    m->alpha = o->alpha;
    m->beta = o->beta;
    m->seed = o->seed;
    m->starts = o->starts;
    learner l = {.options = o, .docs = &view.docs, .model = model_lda(m)};
    l.lambdas = tacho_mem_zalloc((size_t)o->starts * o->topics, c->word_count * sizeof *l.lambdas);
    l.candidates = tacho_mem_zalloc(o->starts, sizeof *l.candidates);
    rc = l.lambdas && l.candidates ? learn(&l) : TACHO_ERR_MEMORY;
    rc = rc ? rc : finish(&l, p, &view, c);
    tacho_mem_free(l.lambdas);
    tacho_mem_free(l.candidates);
    corpus_view_free(&view);
    return rc;
}

int tacho_cluster_train(tacho_cluster_model **out, tacho_corpus *corpus, const tacho_cluster_options *options,
                        tacho_error *err)
{
    tacho_cluster_options o;
    double weight = 0;
    *out = NULL;
    int rc = check_options(&o, options, err);
    if (rc)
        return rc;
    for (size_t d = 0; d < corpus->document_count; d++)
        weight += corpus->documents[d].weight;
    if (!(weight > 0))
        return tacho_error_set(err, TACHO_ERR_INPUT, "no block has a µop on a port, and weight");
    model_parts *p = model_new(corpus->arch, o.topics, corpus->words, corpus->word_count);
    rc = p ? train(p, corpus, &o) : TACHO_ERR_MEMORY;
    if (rc) {
        tacho_cluster_model_free(p ? &p->model : NULL);
        return tacho_error_set(err, rc, "out of memory");
    }
    *out = &p->model;
    return 0;
}
