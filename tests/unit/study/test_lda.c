/* test_lda.c - Latent Dirichlet Allocation without blocks: its functions, planted topics, an independent
 * implementation beside ours, the same bytes with any number of threads. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/hash.h"
#include "study/cluster/lda.h"

/* ---- functions ---- */

static void near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance * fmax(1, fabs(b))))
        fail_msg("%.17g is not %.17g", a, b);
}

static void test_numeric__agrees_with_the_c_library(void **state)
{
    for (double x = -700; x < 700; x += 0.137)
        near(numeric_exp(x) / exp(x), 1, 1e-14);
    for (double x = 1e-300; x < 1e300; x *= 1.37)
        near(numeric_log(x), log(x), 1e-14);
    for (double x = 1e-4; x < 1e9; x *= 1.0137) {
        near(numeric_log_gamma(x), lgamma(x), 1e-13);
        near(numeric_digamma(x + 1) - numeric_digamma(x), 1 / x, 1e-12);
        double both[3] = {fmax(x, 0.01), 1 + x, 2.5};
        numeric_exp_digamma(both, both, 3);
        near(log(both[0]), numeric_digamma(fmax(x, 0.01)), 1e-13);
        near(log(both[1]), numeric_digamma(1 + x), 1e-13);
        near(log(both[2]), numeric_digamma(2.5), 1e-13);
    }
    double tiny = 1e-4;
    numeric_exp_digamma(&tiny, &tiny, 1);
    assert_true(tiny == 0);
    assert_true(numeric_exp(-1000) == 0 && isinf(numeric_exp(1000)));
    near(numeric_digamma(1), -0.57721566490153286, 1e-14); /* Euler's constant */
    near(numeric_digamma(0.5), -1.9635100260214235, 1e-14);
    near(numeric_digamma(1e6), 13.815510057964191, 1e-14);
}

static void test_numeric__variates_have_mean_and_variance(void **state)
{
    uint64_t r = 1;
    double sum = 0, squares = 0;
    for (int i = 0; i < 20000; i++) {
        double x = numeric_gamma_variate(&r, 100);
        sum += x;
        squares += x * x;
    }
    double mean = sum / 20000;
    near(mean, 1, 0.005);
    near(sqrt(squares / 20000 - mean * mean), 0.1, 0.005);
}

/* ---- made-up documents ---- */

enum {
    WORDS = 12,
    TOPICS = 4,
    LENGTH = 20,
    DOCUMENTS = 1500
};

typedef struct made_up {
    size_t starts[DOCUMENTS + 1];
    uint16_t words[DOCUMENTS * WORDS];
    uint32_t counts[DOCUMENTS * WORDS];
    double weights[DOCUMENTS];
    uint64_t rows[DOCUMENTS];
    uint8_t topic_of[DOCUMENTS][WORDS]; /* that most of the word's occurrences come from */
    double topics[TOPICS][WORDS];
    lda_documents docs;
} made_up;

static double uniform(uint64_t *r)
{
    return (double)(hash_next_random(r) >> 11) * 0x1p-53;
}

static uint32_t draw(uint64_t *r, const double *shares, uint32_t count)
{
    double x = uniform(r);
    uint32_t k = 0;
    for (; k + 1 < count && x >= shares[k]; k++)
        x -= shares[k];
    return k;
}

/* Topic k: words 3k to 3k + 2 most of the time, each other one now and then. */
static void make_topics(made_up *m)
{
    static const double own[] = {0.6, 0.25, 0.1};
    for (int k = 0; k < TOPICS; k++)
        for (int w = 0; w < WORDS; w++)
            m->topics[k][w] = w / 3 == k ? own[w % 3] : 0.05 / 9;
}

static void make_document(made_up *m, size_t d, uint64_t *r)
{
    uint32_t counts[WORDS][TOPICS] = {{0}};
    double shares[TOPICS], sum = 0;
    for (int k = 0; k < TOPICS; k++) /* few topics in a document: the third power of uniform numbers */
        sum += shares[k] = pow(uniform(r), 4);
    for (int k = 0; k < TOPICS; k++)
        shares[k] /= sum;
    for (int i = 0; i < LENGTH; i++) {
        uint32_t k = draw(r, shares, TOPICS);
        counts[draw(r, m->topics[k], WORDS)][k]++;
    }
    size_t at = m->starts[d];
    for (int w = 0; w < WORDS; w++) {
        uint32_t all = 0, best = 0;
        for (uint32_t k = 0; k < TOPICS; k++) {
            all += counts[w][k];
            best = counts[w][k] > counts[w][best] ? k : best;
        }
        m->topic_of[d][w] = (uint8_t)best;
        if (all) {
            m->words[at] = (uint16_t)w;
            m->counts[at++] = all;
        }
    }
    m->starts[d + 1] = at;
    m->weights[d] = 1;
}

static made_up *make_documents(size_t count, uint64_t seed)
{
    made_up *m = calloc(1, sizeof *m);
    uint64_t r = seed;
    assert_non_null(m);
    make_topics(m);
    for (size_t d = 0; d < count; d++)
        make_document(m, d, &r);
    m->docs = (lda_documents){count, WORDS, m->starts, m->words, m->counts, m->weights};
    return m;
}

/* For each planted topic the one that is most like it; half the sum of differences is at most `most`. */
static void match_topics(const made_up *m, const double *lambda, double most, uint32_t *match)
{
    bool taken[TOPICS] = {false};
    for (int k = 0; k < TOPICS; k++) {
        double nearest = 2;
        for (uint32_t j = 0; j < TOPICS; j++) {
            double sum = 0, distance = 0;
            for (int w = 0; w < WORDS; w++)
                sum += lambda[j * WORDS + w];
            for (int w = 0; w < WORDS; w++)
                distance += fabs(lambda[j * WORDS + w] / sum - m->topics[k][w]) / 2;
            if (distance < nearest) {
                nearest = distance;
                match[k] = j;
            }
        }
        if (nearest > most)
            fail_msg("planted topic %d is %.3f from the nearest one", k, nearest);
        assert_false(taken[match[k]]);
        taken[match[k]] = true;
    }
}

static void test_lda__recovers_planted_topics(void **state)
{
    made_up *m = make_documents(DOCUMENTS, 5);
    double lambda[TOPICS * WORDS];
    lda_model model = {TOPICS, WORDS, 0.25, 0.1, lambda};
    lda_training t = {.passes = 60, .threads = 2};
    uint32_t done, match[TOPICS];
    uint8_t *topics = malloc(m->starts[DOCUMENTS]);
    lda_start(&model, 3);
    assert_int_equal(lda_train(&model, &m->docs, &t, &done), 0);
    assert_int_equal(done, 60);
    match_topics(m, lambda, 0.06, match);
    assert_int_equal(lda_infer(&model, &m->docs, 2, topics, NULL), 0);
    double all = 0, good = 0;
    for (size_t d = 0; d < DOCUMENTS; d++)
        for (size_t i = m->starts[d]; i < m->starts[d + 1]; i++) {
            all += m->counts[i];
            good += topics[i] == match[m->topic_of[d][m->words[i]]] ? m->counts[i] : 0;
        }
    if (good < 0.95 * all)
        fail_msg("only %.1f %% of the words have their topic", 100 * good / all);
    free(topics);
    free(m);
}

/* ---- an independent implementation ---- */

static double psi(double x) /* by its recurrence and three terms of its series, far out */
{
    double below = 0;
    for (; x < 300; x++)
        below += 1 / x;
    return log(x) - 1 / (2 * x) - 1 / (12 * x * x) + 1 / (120 * x * x * x * x) - below;
}

/* Algorithm 1 of Hoffman, Blei and Bach as it is written: a document for each row, phi for each word. */
static void naive_pass(double lambda[TOPICS][WORDS], const made_up *m, double alpha, double eta)
{
    double log_beta[TOPICS][WORDS], next[TOPICS][WORDS];
    for (int k = 0; k < TOPICS; k++) {
        double sum = 0;
        for (int w = 0; w < WORDS; w++)
            sum += lambda[k][w];
        for (int w = 0; w < WORDS; w++) {
            log_beta[k][w] = psi(lambda[k][w]) - psi(sum);
            next[k][w] = eta;
        }
    }
    for (size_t d = 0; d < m->docs.count; d++)
        for (uint64_t row = 0; row < m->rows[d]; row++) {
            double gamma[TOPICS] = {1, 1, 1, 1}, phi[WORDS][TOPICS];
            for (int round = 0; round <= LDA_DOCUMENT_ROUNDS; round++) {
                double sum = 0, change = 0, last[TOPICS];
                for (int k = 0; k < TOPICS; k++)
                    sum += gamma[k];
                for (size_t i = m->starts[d]; i < m->starts[d + 1]; i++) {
                    double norm = 0;
                    int w = m->words[i];
                    for (int k = 0; k < TOPICS; k++)
                        norm += phi[w][k] = exp(psi(gamma[k]) - psi(sum) + log_beta[k][w]);
                    for (int k = 0; k < TOPICS; k++)
                        phi[w][k] /= norm;
                }
                if (round == LDA_DOCUMENT_ROUNDS)
                    break;
                memcpy(last, gamma, sizeof last);
                for (int k = 0; k < TOPICS; k++) {
                    gamma[k] = alpha;
                    for (size_t i = m->starts[d]; i < m->starts[d + 1]; i++)
                        gamma[k] += m->counts[i] * phi[m->words[i]][k];
                    change += fabs(gamma[k] - last[k]) / TOPICS;
                }
                if (change < LDA_DOCUMENT_CHANGE)
                    round = LDA_DOCUMENT_ROUNDS - 1; /* phi once more */
            }
            for (size_t i = m->starts[d]; i < m->starts[d + 1]; i++)
                for (int k = 0; k < TOPICS; k++)
                    next[k][m->words[i]] += m->counts[i] * phi[m->words[i]][k];
        }
    memcpy(lambda, next, sizeof next);
}

static void test_lda__agrees_with_a_naive_implementation(void **state)
{
    made_up *m = make_documents(120, 11);
    double naive[TOPICS][WORDS], lambda[TOPICS * WORDS];
    lda_model model = {TOPICS, WORDS, 0.3, 0.07, lambda};
    lda_training t = {.passes = 6, .threads = 1};
    uint32_t done;
    for (size_t d = 0; d < 120; d++) /* some documents stand for several */
        m->weights[d] = (double)(m->rows[d] = 1 + d % 3);
    lda_start(&model, 17);
    memcpy(naive, lambda, sizeof naive);
    for (int pass = 0; pass < 6; pass++)
        naive_pass(naive, m, 0.3, 0.07);
    assert_int_equal(lda_train(&model, &m->docs, &t, &done), 0);
    for (int k = 0; k < TOPICS; k++)
        for (int w = 0; w < WORDS; w++)
            near(lambda[k * WORDS + w], naive[k][w], 1e-9);
    free(m);
}

/* ---- perplexity ---- */

static double perplexity_after(const made_up *m, uint32_t topics, uint32_t passes)
{
    double lambda[TOPICS * WORDS];
    lda_model model = {topics, WORDS, 0.25, 0.1, lambda};
    lda_training t = {.passes = passes, .threads = 2};
    lda_bound b;
    uint32_t done;
    lda_start(&model, 3);
    assert_int_equal(lda_train(&model, &m->docs, &t, &done), 0);
    assert_int_equal(lda_evaluate(&model, &m->docs, 1, &b), 0);
    assert_true(b.words == (double)LENGTH * (double)m->docs.count);
    assert_true(lda_perplexity(&b, true) > lda_perplexity(&b, false));
    return lda_perplexity(&b, true);
}

static void test_lda__perplexity_falls(void **state)
{
    made_up *m = make_documents(DOCUMENTS, 5);
    double one = perplexity_after(m, TOPICS, 1), last = one, single = perplexity_after(m, 1, 3);
    for (uint32_t passes = 2; passes <= 32; passes *= 2) {
        double now = perplexity_after(m, TOPICS, passes);
        assert_true(now < last);
        last = now;
    }
    assert_true(last < 0.8 * single);
    assert_true(single < WORDS);
    /* One topic knows the words' frequencies: the perplexity is exp of their entropy, and a little more. */
    double counts[WORDS] = {0}, all = 0, entropy = 0;
    for (size_t i = 0; i < m->starts[DOCUMENTS]; i++) {
        counts[m->words[i]] += m->counts[i];
        all += m->counts[i];
    }
    for (int w = 0; w < WORDS; w++)
        entropy -= counts[w] / all * log(counts[w] / all);
    near(single, exp(entropy), 0.01);
    free(m);
}

static void test_lda__the_same_bytes_with_any_number_of_threads(void **state)
{
    made_up *m = make_documents(DOCUMENTS, 5);
    double lambda[4][TOPICS * WORDS];
    static const unsigned threads[4] = {1, 2, 4, 40};
    for (int i = 0; i < 4; i++) {
        lda_model model = {TOPICS, WORDS, 0.25, 0.1, lambda[i]};
        lda_training t = {.passes = 3, .threads = threads[i]};
        uint32_t done;
        lda_start(&model, 1);
        assert_int_equal(lda_train(&model, &m->docs, &t, &done), 0);
        assert_memory_equal(lambda[i], lambda[0], sizeof lambda[0]);
    }
    free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numeric__agrees_with_the_c_library),
        cmocka_unit_test(test_numeric__variates_have_mean_and_variance),
        cmocka_unit_test(test_lda__recovers_planted_topics),
        cmocka_unit_test(test_lda__agrees_with_a_naive_implementation),
        cmocka_unit_test(test_lda__perplexity_falls),
        cmocka_unit_test(test_lda__the_same_bytes_with_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
