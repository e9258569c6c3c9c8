/* classify.c - a model and blocks: their categories. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "study/cluster/model.h"
#include "x86/arch/port_digits.h"

/* ---- names of categories ---- */

static const struct {
    const char *name, *description;
} classes[CATEGORY_CLASSES] = {
    [CATEGORY_SCALAR] = {"Scalar", "mostly scalar arithmetic and control"},
    [CATEGORY_VECTOR] = {"Vec", "mostly vector and floating-point arithmetic"},
    [CATEGORY_SCALAR_VECTOR] = {"Scalar/Vec", "scalar and vector arithmetic"},
    [CATEGORY_LOAD] = {"Ld", "mostly loads"},
    [CATEGORY_STORE] = {"St", "mostly stores"},
    [CATEGORY_LOAD_STORE] = {"Ld/St", "loads and stores"},
    [CATEGORY_EMPTY] = {"Empty", "no block with weight is in it"},
};

category_class category_class_of(const tacho_cluster_tally *t)
{
    double loads = t->uops[TACHO_UOP_LOAD];
    double stores = (t->uops[TACHO_UOP_STORE_ADDRESS] + t->uops[TACHO_UOP_STORE_DATA]) / 2;
    double scalar = t->uops[TACHO_UOP_SCALAR], vector = t->uops[TACHO_UOP_VECTOR];
    double accesses = loads + stores, computing = scalar + vector;
    if (!(accesses + computing > 0))
        return CATEGORY_EMPTY;
    if (computing >= accesses)
        return 3 * vector >= 2 * computing   ? CATEGORY_VECTOR
               : 3 * scalar >= 2 * computing ? CATEGORY_SCALAR
                                             : CATEGORY_SCALAR_VECTOR;
    return 3 * loads >= 2 * accesses    ? CATEGORY_LOAD
           : 3 * stores >= 2 * accesses ? CATEGORY_STORE
                                        : CATEGORY_LOAD_STORE;
}

static bool comes_before(const tacho_cluster_tally *a, const tacho_cluster_tally *b)
{
    category_class x = category_class_of(a), y = category_class_of(b);
    return x != y ? x < y : a->weight > b->weight;
}

void category_order(const tacho_cluster_tally *tallies, uint32_t topics, uint32_t *order)
{
    for (uint32_t k = 0; k < topics; k++) {
        uint32_t at = k;
        for (; at && comes_before(&tallies[k], &tallies[order[at - 1]]); at--)
            order[at] = order[at - 1];
        order[at] = k;
    }
}

void category_name_all(tacho_cluster_topic *topics, uint32_t count)
{
    uint32_t of_class[CATEGORY_CLASSES] = {0}, numbered[CATEGORY_CLASSES] = {0};
    for (uint32_t k = 0; k < count; k++)
        of_class[category_class_of(&topics[k].training)]++;
    for (uint32_t k = 0; k < count; k++) {
        category_class class = category_class_of(&topics[k].training);
        char *name = topics[k].name;
        if (of_class[class] > 1)
            snprintf(name, TACHO_CLUSTER_NAME_SIZE, "%s-%u", classes[class].name, ++numbered[class]);
        else
            snprintf(name, TACHO_CLUSTER_NAME_SIZE, "%s", classes[class].name);
        topics[k].description = classes[class].description;
    }
}

const char *tacho_ports_text(uint16_t ports, char *out, size_t size)
{
    char text[18] = "p";
    size_t used = 1;
    for (unsigned p = 0; p < TACHO_MAX_PORTS; p++)
        if (ports >> p & 1)
            text[used++] = port_digit(p);
    text[used] = '\0';
    snprintf(out, size, "%s", text);
    return out;
}

model_parts *model_new(const tacho_arch *arch, uint32_t topics, const uint16_t *words, uint32_t word_count)
{
    model_parts *p = tacho_mem_zalloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->lambda = tacho_mem_zalloc(topics, word_count * sizeof *p->lambda);
    if (!p->lambda) {
        tacho_mem_free(p);
        return NULL;
    }
    memcpy(p->words, words, word_count * sizeof *words);
    p->model = (tacho_cluster_model){.arch = arch,
                                     .topic_count = topics,
                                     .word_count = word_count,
                                     .words = p->words,
                                     .lambda = p->lambda,
                                     .topics = p->topics};
    return p;
}

void tacho_cluster_model_free(tacho_cluster_model *model)
{
    model_parts *p = (model_parts *)model;
    if (p)
        tacho_mem_free(p->lambda);
    tacho_mem_free(p);
}

lda_model model_lda(const tacho_cluster_model *m)
{
    const model_parts *p = (const model_parts *)m;
    return (lda_model){m->topic_count, m->word_count, m->alpha, m->beta, p->lambda};
}

/* ---- categories ---- */

/* The most frequent topic of the document's words; then the one with the larger gamma, then the first. */
static uint8_t category_of(const lda_documents *docs, size_t d, const uint8_t *word_topics,
                           const double *gamma, uint32_t topics)
{
    uint64_t votes[LDA_MAX_TOPICS] = {0};
    uint32_t best = 0;
    for (size_t i = docs->starts[d]; i < docs->starts[d + 1]; i++)
        votes[word_topics[i]] += docs->counts[i];
    for (uint32_t k = 1; k < topics; k++)
        if (votes[k] > votes[best] || (votes[k] == votes[best] && gamma[k] > gamma[best]))
            best = k;
    return (uint8_t)best;
}

int model_classify(const lda_model *m, const lda_documents *docs, unsigned threads, uint8_t *categories)
{
    TACHO_MEM_FREED uint8_t *word_topics = tacho_mem_alloc(docs->starts[docs->count] + 1);
    TACHO_MEM_FREED double *gamma = tacho_mem_alloc((docs->count * m->topics + 1) * sizeof *gamma);
    int rc = word_topics && gamma ? lda_infer(m, docs, threads, word_topics, gamma) : TACHO_ERR_MEMORY;
    for (size_t d = 0; !rc && d < docs->count; d++)
        categories[d] = category_of(docs, d, word_topics, gamma + d * m->topics, m->topics);
    return rc;
}

static int check_words(const tacho_cluster_model *m, const tacho_corpus *c, tacho_error *err)
{
    if (m->arch != c->arch || m->word_count != c->word_count ||
        memcmp(m->words, c->words, m->word_count * sizeof *m->words) != 0)
        return tacho_error_set(err, TACHO_ERR_USAGE, "the corpus has other words than the model");
    return 0;
}

int tacho_cluster_classify(const tacho_cluster_model *model, tacho_corpus *corpus, uint32_t threads,
                           uint8_t *categories, tacho_error *err)
{
    corpus_view view;
    int rc = check_words(model, corpus, err);
    if (rc)
        return rc;
    TACHO_MEM_FREED uint8_t *sorted = tacho_mem_alloc(corpus->document_count + 1);
    lda_model m = model_lda(model);
    rc = sorted ? corpus_view_make(&view, corpus) : TACHO_ERR_MEMORY;
    if (!rc) {
        rc = model_classify(&m, &view.docs, threads, sorted);
        for (size_t d = 0; !rc && d < corpus->document_count; d++)
            categories[view.order[d]] = sorted[d];
        corpus_view_free(&view);
    }
    return rc ? tacho_error_set(err, rc, "out of memory") : 0;
}

void model_sum(const tacho_corpus *c, const uint8_t *categories, tacho_cluster_tally *tallies,
               uint32_t topics)
{
    memset(tallies, 0, topics * sizeof *tallies);
    for (size_t d = 0; d < c->document_count; d++) {
        const corpus_document *doc = &c->documents[d];
        tacho_cluster_tally *t = &tallies[categories[d]];
        t->blocks += doc->rows;
        t->weight += doc->weight;
        for (int k = 0; k < TACHO_UOP_KIND_COUNT; k++)
            t->uops[k] += doc->uops[k];
    }
}
