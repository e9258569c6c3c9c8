/* test_cluster.c - categories of blocks: the words of blocks, categories that are clear, the same model with
 * any number of threads, models from hostile files. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "study/cluster/model.h"
#include "tacho/tools.h"

/* ---- blocks ---- */

static const tacho_arch *haswell(void)
{
    const tacho_arch *arch = tacho_arch_find("HSW", NULL);
    assert_non_null(arch);
    return arch;
}

static int add_hex(tacho_corpus *c, const char *hex, double weight, tacho_corpus_block *out)
{
    uint8_t code[256];
    tacho_error err;
    long size = tacho_hex_decode(code, hex, strlen(hex), &err);
    assert_true(size >= 0);
    return tacho_corpus_add(c, code, (size_t)size, weight, out, &err);
}

static tacho_corpus *new_corpus(void)
{
    tacho_corpus *c;
    assert_int_equal(tacho_corpus_new(&c, haswell(), NULL), 0);
    return c;
}

/* The µops of one block by kind, through a model with one topic. */
static void check_uops(const char *hex, const char *expected, uint32_t unknown)
{
    tacho_corpus *c = new_corpus();
    tacho_corpus_block b;
    tacho_cluster_options o = TACHO_CLUSTER_OPTIONS_INIT;
    tacho_cluster_model *m;
    char text[400] = "", ports[20];
    assert_int_equal(add_hex(c, hex, 1, &b), 0);
    assert_int_equal(b.unknown_instructions, unknown);
    assert_int_equal(b.document, b.uops ? 0 : -1);
    o.topics = o.starts = 1;
    if (b.uops) {
        assert_int_equal(tacho_cluster_train(&m, c, &o, NULL), 0);
        const double *u = m->topics[0].training.uops;
        size_t used =
            (size_t)snprintf(text, sizeof text, "%g load %g address %g data %g scalar %g vector:", u[0], u[1],
                             u[2], u[3], u[4]);
        for (uint32_t w = 0; w < m->word_count; w++)
            if (m->lambda[w] > 0.5)
                used +=
                    (size_t)snprintf(text + used, sizeof text - used, " %g*%s", round(m->lambda[w] - o.beta),
                                     tacho_ports_text(m->words[w], ports, sizeof ports));
        tacho_cluster_model_free(m);
    }
    assert_string_equal(text, expected);
    tacho_corpus_free(c);
}

static void test_corpus__words_are_the_ports_of_unfused_uops(void **state)
{
    /* add rax, [rbx] */
    check_uops("480303", "1 load 0 address 0 data 1 scalar 0 vector: 1*p23 1*p0156", 0);
    /* mov [rbx], rax; mov [rbx+rcx], rax: an indexed address cannot go to port 7 */
    check_uops("488903", "0 load 1 address 1 data 0 scalar 0 vector: 1*p4 1*p237", 0);
    check_uops("4889040b", "0 load 1 address 1 data 0 scalar 0 vector: 1*p23 1*p4", 0);
    /* vmulps ymm0, ymm1, [rbx]; imul rax, rbx */
    check_uops("c5f45903480fafc3", "1 load 0 address 0 data 1 scalar 1 vector: 1*p1 1*p01 1*p23", 0);
    /* cmp rax, rbx; jne: one µop where they macro-fuse */
    check_uops("4839d875fb", "0 load 0 address 0 data 1 scalar 0 vector: 1*p6", 0);
}

static void test_corpus__moves_have_words_idioms_have_none(void **state)
{
    check_uops("4889d8", "0 load 0 address 0 data 1 scalar 0 vector: 1*p0156", 0); /* mov rax, rbx */
    check_uops("c5f828c1", "0 load 0 address 0 data 0 scalar 1 vector: 1*p5", 0);  /* vmovaps xmm0, xmm1 */
    check_uops("31c090", "", 0);                                                   /* xor eax, eax; nop */
    check_uops("62f16c4858c34801d8", "0 load 0 address 0 data 1 scalar 0 vector: 1*p0156", 1); /* AVX-512 */
}

static void test_corpus__refuses_what_is_no_block(void **state)
{
    tacho_corpus *c = new_corpus();
    tacho_corpus_block b;
    assert_int_equal(add_hex(c, "", 1, &b), TACHO_ERR_INPUT);
    assert_int_equal(add_hex(c, "06", 1, &b), TACHO_ERR_INPUT);
    assert_int_equal(add_hex(c, "90", -1, &b), TACHO_ERR_USAGE);
    assert_int_equal(add_hex(c, "90", NAN, &b), TACHO_ERR_USAGE);
    assert_int_equal(add_hex(c, "90", INFINITY, &b), TACHO_ERR_USAGE);
    assert_int_equal(add_hex(c, "90", 2 * TACHO_CLUSTER_MAX_WEIGHT, &b), TACHO_ERR_USAGE);
    assert_int_equal(tacho_corpus_documents(c), 0);
    tacho_corpus_free(c);
}

static void test_corpus__blocks_with_the_same_words_are_one_document(void **state)
{
    tacho_corpus *c = new_corpus();
    tacho_corpus_block a, b, d;
    assert_int_equal(add_hex(c, "4803034801d8", 1, &a), 0); /* add rax, [rbx]; add rax, rbx */
    assert_int_equal(add_hex(c, "4801d8", 1, &b), 0);
    assert_int_equal(add_hex(c, "4829d8488b03482b5908", 1, &d), 0); /* sub; mov load; sub with load */
    assert_int_equal(a.document, 0);
    assert_int_equal(b.document, 1);
    assert_int_equal(d.document, 2);                            /* two loads */
    assert_int_equal(add_hex(c, "31c0480b034821d8", 1, &d), 0); /* xor eax, eax; or rax, [rbx]; and */
    assert_int_equal(d.document, 0);
    assert_int_equal(tacho_corpus_documents(c), 3);
    tacho_corpus_free(c);
}

/* Four kinds of blocks, each with a mixture of its own words. */
static const struct {
    const char *name, *parts[3];
} clear_kinds[] = {
    {"Scalar", {"4801d8", "4829d8", "4821d8"}},    /* add, sub, and */
    {"Vec", {"c5f458c2", "c5fc58c2", "c5f459c2"}}, /* vaddps, vmulps */
    {"Ld", {"488b03", "488b4108", "488b5210"}},    /* mov loads */
    {"St", {"488903", "48894108", "48895210"}},    /* mov stores */
};

enum {
    KINDS = 4,
    CLEAR_BLOCKS = 400
};

static size_t clear_block(char *hex, size_t size, size_t i)
{
    size_t used = 0, kind = i % KINDS, parts = 3 + i / KINDS % 7;
    for (size_t k = 0; k < parts; k++)
        used += (size_t)snprintf(hex + used, size - used, "%s", clear_kinds[kind].parts[(i + k) % 3]);
    if (i % 5 == 0) /* something else besides */
        snprintf(hex + used, size - used, "%s", clear_kinds[(kind + 1) % KINDS].parts[0]);
    return kind;
}

static tacho_corpus *clear_corpus(bool backwards, size_t *documents)
{
    tacho_corpus *c = new_corpus();
    tacho_corpus_block b;
    char hex[300];
    for (size_t k = 0; k < CLEAR_BLOCKS; k++) {
        size_t i = backwards ? CLEAR_BLOCKS - 1 - k : k;
        clear_block(hex, sizeof hex, i);
        assert_int_equal(add_hex(c, hex, (double)(1 + i % 3), &b), 0);
        if (documents)
            documents[i] = (size_t)b.document;
    }
    return c;
}

static tacho_cluster_model *clear_model(tacho_corpus *c, uint64_t seed, uint32_t threads)
{
    tacho_cluster_options o = TACHO_CLUSTER_OPTIONS_INIT;
    tacho_cluster_model *m;
    tacho_error err;
    o.topics = KINDS;
    o.seed = seed;
    o.threads = threads;
    assert_int_equal(tacho_cluster_train(&m, c, &o, &err), 0);
    return m;
}

static void test_cluster__finds_and_names_clear_categories_with_any_seed(void **state)
{
    size_t documents[CLEAR_BLOCKS];
    tacho_corpus *c = clear_corpus(false, documents);
    for (uint64_t seed = 0; seed < 8; seed++) {
        tacho_cluster_model *m = clear_model(c, seed, 1);
        uint8_t categories[CLEAR_BLOCKS];
        char hex[300];
        assert_int_equal(tacho_cluster_classify(m, c, 1, categories, NULL), 0);
        for (uint32_t k = 0; k < KINDS; k++)
            assert_string_equal(m->topics[k].name, clear_kinds[k].name);
        for (size_t i = 0; i < CLEAR_BLOCKS; i++)
            assert_int_equal(categories[documents[i]], clear_block(hex, sizeof hex, i));
        tacho_cluster_model_free(m);
    }
    tacho_corpus_free(c);
}

static void assert_same(const tacho_cluster_model *a, const tacho_cluster_model *b)
{
    assert_memory_equal(a->lambda, b->lambda, (size_t)a->topic_count * a->word_count * sizeof *a->lambda);
    for (uint32_t k = 0; k < a->topic_count; k++) {
        assert_string_equal(a->topics[k].name, b->topics[k].name);
        assert_memory_equal(&a->topics[k].training, &b->topics[k].training, sizeof a->topics[k].training);
    }
    assert_true(a->perplexity == b->perplexity && a->perplexity_blocks == b->perplexity_blocks);
    assert_true(a->passes == b->passes && a->blocks == b->blocks && a->uops == b->uops);
}

static void test_cluster__the_same_model_with_any_threads_and_order(void **state)
{
    tacho_corpus *c = clear_corpus(false, NULL), *turned = clear_corpus(true, NULL);
    tacho_cluster_model *one = clear_model(c, 9, 1), *four = clear_model(c, 9, 4),
                        *other = clear_model(turned, 9, 3);
    assert_same(one, four);
    assert_same(one, other);
    tacho_cluster_model_free(one);
    tacho_cluster_model_free(four);
    tacho_cluster_model_free(other);
    tacho_corpus_free(c);
    tacho_corpus_free(turned);
}

static void test_cluster__judges_what_it_was_trained_on_as_in_training(void **state)
{
    tacho_corpus *c = clear_corpus(false, NULL);
    tacho_cluster_model *m = clear_model(c, 1, 1);
    uint8_t judged[CLEAR_BLOCKS];
    uint64_t counts[KINDS] = {0};
    assert_int_equal(tacho_cluster_classify(m, c, 2, judged, NULL), 0);
    for (size_t d = 0; d < tacho_corpus_documents(c); d++)
        counts[judged[d]]++;
    for (int k = 0; k < KINDS; k++) {
        assert_true(counts[k] > 0);
        assert_int_equal(m->topics[k].training.blocks, CLEAR_BLOCKS / KINDS);
    }
    tacho_cluster_model_free(m);
    tacho_corpus_free(c);
}

/* A weight is the same as so many rows, but for stochastic learning. */
static void test_cluster__weights_are_repetitions(void **state)
{
    tacho_corpus *weighted = clear_corpus(false, NULL), *repeated = new_corpus();
    tacho_corpus_block b;
    char hex[300];
    for (size_t i = 0; i < CLEAR_BLOCKS; i++) {
        clear_block(hex, sizeof hex, i);
        for (size_t n = 0; n < 1 + i % 3; n++)
            assert_int_equal(add_hex(repeated, hex, 1, &b), 0);
    }
    tacho_cluster_model *a = clear_model(weighted, 1, 1), *d = clear_model(repeated, 1, 1);
    assert_memory_equal(a->lambda, d->lambda, (size_t)a->topic_count * a->word_count * sizeof *a->lambda);
    assert_int_equal(a->blocks, CLEAR_BLOCKS);
    assert_true(d->blocks > a->blocks && d->uops == a->uops);
    tacho_cluster_model_free(a);
    tacho_cluster_model_free(d);
    tacho_corpus_free(weighted);
    tacho_corpus_free(repeated);
}

static void test_cluster__degenerate_inputs(void **state)
{
    tacho_cluster_options o = TACHO_CLUSTER_OPTIONS_INIT;
    tacho_cluster_model *m;
    tacho_corpus *c = new_corpus();
    tacho_corpus_block b;
    tacho_error err;
    uint8_t category = 99;
    assert_int_equal(tacho_cluster_train(&m, c, &o, &err), TACHO_ERR_INPUT);
    assert_null(m);
    assert_int_equal(add_hex(c, "488b03", 0, &b), 0);
    assert_int_equal(tacho_cluster_train(&m, c, &o, &err), TACHO_ERR_INPUT); /* no weight */
    tacho_corpus_free(c);

    static const uint32_t topics[] = {1, 6, TACHO_CLUSTER_MAX_TOPICS}; /* the last: more than words */
    for (int t = 0; t < 3; t++) {
        c = new_corpus();
        assert_int_equal(add_hex(c, "488b03488b4108", 1, &b), 0);
        o.topics = topics[t];
        assert_int_equal(tacho_cluster_train(&m, c, &o, &err), 0);
        assert_int_equal(tacho_cluster_classify(m, c, 1, &category, &err), 0);
        assert_string_equal(m->topics[category].name, "Ld");
        assert_int_equal(category, 0); /* categories without blocks come last */
        if (topics[t] > 2)
            assert_string_equal(m->topics[2].name, "Empty-2");
        assert_true(isfinite(m->perplexity) && m->perplexity_blocks >= 1);
        tacho_cluster_model_free(m);
        tacho_corpus_free(c);
    }
}

static void test_cluster__options_are_checked(void **state)
{
    tacho_corpus *c = clear_corpus(false, NULL);
    tacho_cluster_options good = TACHO_CLUSTER_OPTIONS_INIT, o[9];
    tacho_cluster_model *m;
    tacho_error err;
    for (int i = 0; i < 9; i++)
        o[i] = good;
    o[0].topics = 0;
    o[1].topics = TACHO_CLUSTER_MAX_TOPICS + 1;
    o[2].alpha = -1;
    o[3].beta = 0;
    o[4].beta = NAN;
    o[5].passes = 0;
    o[6].tolerance = -1;
    o[7].starts = 0;
    o[8].size = 1;
    for (int i = 0; i < 9; i++) {
        err.message[0] = '\0';
        assert_int_equal(tacho_cluster_train(&m, c, &o[i], &err), TACHO_ERR_USAGE);
        assert_true(err.message[0]);
        assert_null(m);
    }
    tacho_corpus_free(c);
}

/* ---- names ---- */

static tacho_cluster_tally tally(double loads, double stores, double scalar, double vector)
{
    return (tacho_cluster_tally){.uops = {loads, stores, stores, scalar, vector}};
}

static void test_names__by_what_uops_do(void **state)
{
    const struct {
        tacho_cluster_tally t;
        category_class class;
    } cases[] = {
        {tally(1, 0, 9, 0), CATEGORY_SCALAR},        {tally(1, 0, 1, 3), CATEGORY_VECTOR},
        {tally(1, 0, 2, 3), CATEGORY_SCALAR_VECTOR}, {tally(6, 1, 5, 0), CATEGORY_LOAD},
        {tally(1, 6, 5, 0), CATEGORY_STORE},         {tally(4, 4, 5, 0), CATEGORY_LOAD_STORE},
        {tally(0, 0, 0, 0), CATEGORY_EMPTY},         {tally(1, 1, 1, 1), CATEGORY_SCALAR_VECTOR},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(category_class_of(&cases[i].t), cases[i].class);
}

static void test_names__of_one_kind_are_numbered_by_size(void **state)
{
    tacho_cluster_tally t[4] = {tally(9, 0, 1, 0), tally(1, 0, 9, 0), tally(9, 0, 2, 0), tally(0, 9, 0, 0)};
    tacho_cluster_topic topics[4];
    uint32_t order[4];
    t[0].weight = 1;
    t[2].weight = 2;
    category_order(t, 4, order);
    for (int k = 0; k < 4; k++)
        topics[k].training = t[order[k]];
    category_name_all(topics, 4);
    assert_string_equal(topics[0].name, "Scalar");
    assert_string_equal(topics[1].name, "Ld-1");
    assert_true(topics[1].training.weight == 2);
    assert_string_equal(topics[2].name, "Ld-2");
    assert_string_equal(topics[3].name, "St");
    assert_string_equal(topics[2].description, "mostly loads");
}

/* ---- memory ---- */

static int everything(void)
{
    tacho_corpus *c;
    tacho_corpus_block b;
    tacho_cluster_options o = TACHO_CLUSTER_OPTIONS_INIT;
    tacho_cluster_model *m = NULL;
    uint8_t categories[2];
    o.topics = 2;
    o.starts = 2;
    o.screening = 1;
    o.passes = 2;
    int rc = tacho_corpus_new(&c, haswell(), NULL);
    rc = rc ? rc : add_hex(c, "488b03", 1, &b);
    rc = rc ? rc : add_hex(c, "4801d8", 1, &b);
    rc = rc ? rc : tacho_cluster_train(&m, c, &o, NULL);
    rc = rc ? rc : tacho_cluster_classify(m, c, 1, categories, NULL);
    tacho_cluster_model_free(m);
    tacho_corpus_free(c);
    return rc;
}

static void test_memory__every_allocation_may_fail(void **state)
{
    for (unsigned long n = 1; n < 1000; n++) {
        tacho_mem_fail_at(n);
        int rc = everything();
        tacho_mem_fail_at(0);
        if (!rc) {
            assert_true(n > 20);
            return;
        }
        assert_int_equal(rc, TACHO_ERR_MEMORY);
    }
    fail_msg("still failing at the 1000th allocation");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_corpus__words_are_the_ports_of_unfused_uops),
        cmocka_unit_test(test_corpus__moves_have_words_idioms_have_none),
        cmocka_unit_test(test_corpus__refuses_what_is_no_block),
        cmocka_unit_test(test_corpus__blocks_with_the_same_words_are_one_document),
        cmocka_unit_test(test_cluster__finds_and_names_clear_categories_with_any_seed),
        cmocka_unit_test(test_cluster__the_same_model_with_any_threads_and_order),
        cmocka_unit_test(test_cluster__judges_what_it_was_trained_on_as_in_training),
        cmocka_unit_test(test_cluster__weights_are_repetitions),
        cmocka_unit_test(test_cluster__degenerate_inputs),
        cmocka_unit_test(test_cluster__options_are_checked),
        cmocka_unit_test(test_names__by_what_uops_do),
        cmocka_unit_test(test_names__of_one_kind_are_numbered_by_size),
        cmocka_unit_test(test_memory__every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
