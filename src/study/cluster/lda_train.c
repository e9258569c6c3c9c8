/* lda_train.c - learning topics, from all documents at once. */
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

static int pass_over_all(lda_model *m, const lda_documents *docs, const lda_training *t, lda_tables *tables,
                         double *statistics, double *perplexity)
{
    lda_bound bound;
    lda_step s = {.model = m, .docs = docs, .tables = tables, .statistics = statistics, .bound = &bound};
    int rc = lda_tables_make(tables, m);
    if (rc || (rc = lda_step_run(&s, t->threads)))
        return rc;
    *perplexity = lda_perplexity(&bound, true); /* of the topics before */
    for (uint32_t k = 0; k < m->topics; k++)
        for (uint32_t w = 0; w < m->words; w++)
            m->lambda[(size_t)k * m->words + w] = m->eta + statistics[(size_t)w * m->topics + k];
    return 0;
}

static int train(lda_model *m, const lda_documents *docs, const lda_training *t, lda_tables *tables,
                 double *statistics, uint32_t *passes)
{
    double last = INFINITY, perplexity = 0;
    for (*passes = 0; *passes < t->passes;) {
        int rc = pass_over_all(m, docs, t, tables, statistics, &perplexity);
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
    double *statistics = tacho_mem_alloc((size_t)m->topics * m->words * sizeof *statistics);
    int rc = statistics ? train(m, docs, t, &tables, statistics, passes) : TACHO_ERR_MEMORY;
    lda_tables_free(&tables);
    tacho_mem_free(statistics);
    return rc;
}
