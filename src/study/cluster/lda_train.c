/* lda_train.c - learning topics: from all documents at once, or from a few at a time (stochastic). */
#include <math.h>

#include "base/hash.h"
#include "base/mem.h"
#include "study/cluster/lda.h"
#include "study/cluster/numeric.h"
#include "tacho/error.h"

enum {
    START_SHAPE = 100
};

void lda_start(lda_model *m, uint64_t seed)
{
    uint64_t r = seed;
    for (size_t i = 0; i < (size_t)m->topics * m->words; i++)
        m->lambda[i] = numeric_gamma_variate(&r, START_SHAPE);
}

/* lambda moves towards what the statistics say, all the way if `step` is 1. */
static void move_topics(lda_model *m, const double *statistics, double scale, double step)
{
    for (uint32_t k = 0; k < m->topics; k++)
        for (uint32_t w = 0; w < m->words; w++) {
            double *lambda = &m->lambda[(size_t)k * m->words + w];
            double target = m->eta + scale * statistics[(size_t)w * m->topics + k];
            *lambda = step < 1 ? (1 - step) * *lambda + step * target : target;
        }
}

/* ---- all documents at once ---- */

static int batch_pass(lda_model *m, const lda_documents *docs, const lda_training *t, lda_tables *tables,
                      double *statistics, double *perplexity)
{
    lda_bound bound;
    lda_step s = {.model = m, .docs = docs, .tables = tables, .statistics = statistics, .bound = &bound};
    int rc = lda_tables_make(tables, m);
    if (rc || (rc = lda_step_run(&s, t->threads)))
        return rc;
    *perplexity = lda_perplexity(&bound, true); /* of the topics before */
    move_topics(m, statistics, 1, 1);
    return 0;
}

/* ---- a few at a time ---- */

/* The documents in the order in which they are learned from: one entry for each that a document stands for.
 */
typedef struct order {
    uint32_t *documents;
    size_t count;
    uint64_t random;
    uint64_t step;
} order;

static int order_make(order *o, const lda_documents *docs, const lda_training *t)
{
    *o = (order){.random = ~t->seed + t->passes_before};
    for (size_t d = 0; d < docs->count; d++)
        o->count += docs->rows[d];
    o->documents = tacho_mem_alloc((o->count + 1) * sizeof *o->documents);
    if (!o->documents)
        return TACHO_ERR_MEMORY;
    size_t at = 0;
    for (size_t d = 0; d < docs->count; d++)
        for (uint64_t i = 0; i < docs->rows[d]; i++)
            o->documents[at++] = (uint32_t)d;
    o->step = t->passes_before * ((o->count + t->batch_documents - 1) / t->batch_documents);
    return 0;
}

static void shuffle(order *o)
{
    for (size_t i = o->count; i > 1; i--) {
        size_t j = hash_next_random(&o->random) % i;
        uint32_t d = o->documents[i - 1];
        o->documents[i - 1] = o->documents[j];
        o->documents[j] = d;
    }
}

static int stochastic_pass(lda_model *m, const lda_documents *docs, const lda_training *t, order *o,
                           lda_tables *tables, double *statistics)
{
    lda_step s = {.model = m, .docs = docs, .tables = tables, .statistics = statistics};
    shuffle(o);
    for (size_t at = 0; at < o->count; at += s.chosen_count) {
        s.chosen = o->documents + at;
        s.chosen_count = o->count - at < t->batch_documents ? o->count - at : t->batch_documents;
        int rc = lda_tables_make(tables, m);
        if (rc || (rc = lda_step_run(&s, t->threads)))
            return rc;
        double step = numeric_exp(-t->decay * numeric_log(t->offset + (double)++o->step));
        move_topics(m, statistics, (double)o->count / (double)s.chosen_count, step);
    }
    return 0;
}

static int train(lda_model *m, const lda_documents *docs, const lda_training *t, order *o, lda_tables *tables,
                 double *statistics, uint32_t *passes)
{
    double last = INFINITY, perplexity = 0;
    for (*passes = 0; *passes < t->passes;) {
        int rc;
        if (t->batch_documents) {
            lda_bound bound;
            rc = stochastic_pass(m, docs, t, o, tables, statistics);
            rc = rc ? rc : lda_evaluate(m, docs, t->threads, &bound);
            perplexity = rc ? 0 : lda_perplexity(&bound, true);
        } else {
            rc = batch_pass(m, docs, t, tables, statistics, &perplexity);
        }
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
    lda_tables tables = {0};
    order o = {0};
    double *statistics = tacho_mem_alloc((size_t)m->topics * m->words * sizeof *statistics);
    int rc = statistics ? 0 : TACHO_ERR_MEMORY;
    if (!rc && t->batch_documents)
        rc = order_make(&o, docs, t);
    if (!rc)
        rc = train(m, docs, t, &o, &tables, statistics, passes);
    lda_tables_free(&tables);
    tacho_mem_free(o.documents);
    tacho_mem_free(statistics);
    return rc;
}
