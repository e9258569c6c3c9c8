/* train.c - from a corpus to a model: several random beginnings, the best of them followed to the end, topics
 * in order and with names. */
#include <math.h>
#include <string.h>

#include "cluster/model.h"
#include "cluster/numeric.h"
#include "util/mem.h"

/* ---- options ---- */

static int check_number(const char *name, double value, double low, double high, tacho_error *err)
{
    if (value >= low && value <= high)
        return 0;
    return tacho_error_set(err, TACHO_ERR_USAGE, "%s is from %g to %g, not %g", name, low, high, value);
}

static int check_options(tacho_cluster_options *o, const tacho_cluster_options *given, tacho_error *err)
{
    int rc;
    if (given->size != sizeof *given)
        return tacho_error_set(err, TACHO_ERR_USAGE, "options of another version of the library");
    *o = *given;
    if ((rc = check_number("the number of topics", o->topics, 1, TACHO_CLUSTER_MAX_TOPICS, err)) ||
        (o->alpha != 0 && (rc = check_number("alpha", o->alpha, 1e-4, 1000, err))) ||
        (rc = check_number("beta", o->beta, 1e-4, 1000, err)) ||
        (rc = check_number("the number of starts", o->starts, 1, TACHO_CLUSTER_MAX_STARTS, err)) ||
        (rc = check_number("the number of passes", o->passes, 1, 1e6, err)) ||
        (rc = check_number("screening", o->screening, 1, 1e6, err)) ||
        (rc = check_number("the tolerance", o->tolerance, 0, 1, err)) ||
        (rc = check_number("batch_blocks", o->batch_blocks, 1, 1e9, err)) ||
        (rc = check_number("decay", o->decay, 0.5, 1, err)) ||
        (rc = check_number("offset", o->offset, 0, 1e9, err)))
        return rc;
    if (o->alpha == 0)
        o->alpha = 1.0 / o->topics;
    if (!o->threads)
        o->threads = 1;
    return 0;
}

/* ---- learning ---- */

typedef struct learner {
    const tacho_cluster_options *options;
    const lda_documents *docs;
    lda_model model;
    double *best; /* lambda of the best start */
    uint32_t passes;
} learner;

static lda_training training_of(const learner *l, uint64_t seed)
{
    const tacho_cluster_options *o = l->options;
    return (lda_training){.seed = seed,
                          .passes = o->passes,
                          .tolerance = o->tolerance,
                          .threads = o->threads,
                          .batch_documents = o->method == TACHO_CLUSTER_ONLINE ? o->batch_blocks : 0,
                          .decay = o->decay,
                          .offset = o->offset};
}

/* The seed of a start: that of the first one is the user's. */
static uint64_t start_seed(const learner *l, uint32_t start)
{
    numeric_random r = {l->options->seed};
    uint64_t seed = l->options->seed;
    for (uint32_t i = 0; i < start; i++)
        seed = numeric_next(&r);
    return seed;
}

/* Finds the start with the lowest perplexity after a few passes. @return 0 or TACHO_ERR_MEMORY */
static int screen(learner *l, uint64_t *seed)
{
    double lowest = INFINITY;
    size_t bytes = (size_t)l->model.topics * l->model.words * sizeof *l->best;
    uint32_t screening =
        l->options->screening < l->options->passes ? l->options->screening : l->options->passes;
    for (uint32_t start = 0; start < l->options->starts; start++) {
        lda_training t = training_of(l, start_seed(l, start));
        lda_bound bound;
        uint32_t passes;
        t.passes = screening;
        lda_start(&l->model, t.seed);
        int rc = lda_train(&l->model, l->docs, &t, &passes);
        rc = rc ? rc : lda_evaluate(&l->model, l->docs, t.threads, &bound);
        if (rc)
            return rc;
        double perplexity = lda_perplexity(&bound, true);
        if (start && !(perplexity < lowest))
            continue;
        lowest = perplexity;
        *seed = t.seed;
        l->passes = passes;
        memcpy(l->best, l->model.lambda, bytes);
    }
    memcpy(l->model.lambda, l->best, bytes);
    return 0;
}

/* Stochastic learning is begun anew with the best seed, as its steps become smaller all the time. */
static int learn(learner *l)
{
    uint64_t seed = start_seed(l, 0);
    uint32_t passes = 0;
    int rc = 0;
    if (l->options->starts > 1 && (rc = screen(l, &seed)))
        return rc;
    lda_training t = training_of(l, seed);
    if (l->options->starts == 1 || t.batch_documents) {
        lda_start(&l->model, seed);
        l->passes = 0;
    }
    t.passes -= l->passes;
    rc = t.passes ? lda_train(&l->model, l->docs, &t, &passes) : 0;
    l->passes += passes;
    return rc;
}

/* ---- the model ---- */

static int classify_all(const lda_model *m, const corpus_view *v, const tacho_corpus *c, unsigned threads,
                        tacho_cluster_tally *tallies)
{
    uint8_t *sorted = tacho_mem_alloc(2 * (c->document_count + 1));
    if (!sorted)
        return TACHO_ERR_MEMORY;
    uint8_t *categories = sorted + c->document_count + 1;
    int rc = model_classify(m, &v->docs, threads, sorted);
    for (size_t d = 0; !rc && d < c->document_count; d++)
        categories[v->order[d]] = sorted[d];
    if (!rc)
        model_sum(c, categories, tallies, m->topics);
    tacho_mem_free(sorted);
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
    put_in_order(&l->model, tallies, l->best);
    /* Sums over topics are formed in the new order from here on, as by those who read the model. */
    if ((rc = classify_all(&l->model, v, c, threads, tallies)) ||
        (rc = lda_evaluate(&l->model, l->docs, threads, &bound)))
        return rc;
    for (uint32_t k = 0; k < m->topic_count; k++) {
        p->topics[k].training = tallies[k];
        m->blocks += tallies[k].blocks;
    }
    category_name_all(p->topics, m->topic_count);
    m->passes = l->passes;
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
    m->method = o->method;
    m->seed = o->seed;
    m->starts = o->starts;
    learner l = {.options = o, .docs = &view.docs, .model = model_lda(m)};
    l.best = tacho_mem_alloc((size_t)o->topics * c->word_count * sizeof *l.best);
    rc = l.best ? learn(&l) : TACHO_ERR_MEMORY;
    rc = rc ? rc : finish(&l, p, &view, c);
    tacho_mem_free(l.best);
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
