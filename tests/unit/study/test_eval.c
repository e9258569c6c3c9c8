/* test_eval.c - evaluations: blocks by their code, groups, scores, threads. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/hash.h"
#include "base/mem.h"
#include "tacho/eval.h"

static tacho_error err;

static void test_eval__blocks_are_found_by_their_code(void **state)
{
    tacho_eval *e = tacho_eval_new();
    char hex[20];
    assert_int_equal(tacho_eval_find_block(e, "90"), -1);
    for (int i = 0; i < 5000; i++) {
        snprintf(hex, sizeof hex, "48%04x", i % 4000);
        assert_int_equal(tacho_eval_add_block(e, hex, 1 + i, NULL, &err), i);
    }
    assert_int_equal(tacho_eval_find_block(e, "48000A"), 10);
    assert_int_equal(tacho_eval_next_block(e, 10), 4010);
    assert_int_equal(tacho_eval_next_block(e, 4010), -1);
    assert_int_equal(tacho_eval_find_block(e, "480f9f"), 3999);
    assert_int_equal(tacho_eval_next_block(e, 3999), -1);
    assert_int_equal(tacho_eval_find_block(e, "480fa0"), -1);
    assert_int_equal(tacho_eval_next_block(e, 5000), -1);
    tacho_eval_free(e);
}

static void test_eval__refuses_what_makes_no_sense(void **state)
{
    tacho_eval *e = tacho_eval_new();
    assert_int_equal(tacho_eval_add_block(e, "90", 0, "", &err), TACHO_ERR_USAGE);
    assert_int_equal(tacho_eval_add_block(e, "90", NAN, "", &err), TACHO_ERR_USAGE);
    assert_int_equal(tacho_eval_add_block(e, "90", 1, "", &err), 0);
    assert_int_equal(tacho_eval_add_predictor(e, "a", &err), 0);
    assert_int_equal(tacho_eval_add_predictor(e, "a", &err), TACHO_ERR_USAGE);
    assert_int_equal(tacho_eval_predict(e, 1, 0, 1, NULL, &err), TACHO_ERR_USAGE);
    assert_int_equal(tacho_eval_predict(e, 0, 1, 1, NULL, &err), TACHO_ERR_USAGE);
    assert_int_equal(tacho_eval_add_grouping(e, "g", &err), 0);
    assert_int_equal(tacho_eval_add_grouping(e, "g", &err), TACHO_ERR_USAGE);
    assert_int_equal(tacho_eval_put(e, 1, 0, "x", &err), TACHO_ERR_USAGE);
    assert_int_equal(tacho_eval_put(e, 0, 1, "x", &err), TACHO_ERR_USAGE);
    assert_int_equal(tacho_eval_add_block(e, "91", 1, "", &err), 1);
    assert_int_equal(tacho_eval_put(e, 0, 1, "x", &err), 0);
    assert_int_equal(tacho_eval_put(e, 0, 1, "x", &err), 0);
    assert_int_equal(tacho_eval_put(e, 0, 0, "x", &err), TACHO_ERR_USAGE);
    assert_int_equal(tacho_eval_view(e)->groupings[0].groups[0].member_count, 1);
    tacho_eval_free(e);
}

static void test_eval__groups_are_not_as_many_as_blocks(void **state)
{
    tacho_eval *e = tacho_eval_new();
    char name[20];
    int g = tacho_eval_add_grouping(e, "address", &err), result = 0;
    for (int i = 0; !result && i <= TACHO_EVAL_MAX_GROUPS; i++) {
        tacho_eval_add_block(e, "90", 1, NULL, &err);
        snprintf(name, sizeof name, "%d", i);
        result = tacho_eval_put(e, g, i, name, &err);
        assert_int_equal(result, i < TACHO_EVAL_MAX_GROUPS ? 0 : TACHO_ERR_LIMIT);
    }
    assert_non_null(strstr(err.message, "groups by address"));
    tacho_eval_free(e);
}

static void test_eval__what_was_not_predicted_has_failed(void **state)
{
    tacho_eval *e = tacho_eval_new();
    tacho_score_options o = TACHO_SCORE_OPTIONS_INIT;
    tacho_eval_add_block(e, "90", 2, "first", &err);
    tacho_eval_add_predictor(e, "p", &err);
    tacho_eval_add_block(e, "91", 2, NULL, &err);
    tacho_eval_add_block(e, "92", 2, NULL, &err);
    tacho_eval_add_block(e, "93", 2, NULL, &err);
    tacho_eval_predict(e, 0, 0, 3, "unused", &err);
    tacho_eval_predict(e, 0, 1, NAN, "it crashed", &err);
    tacho_eval_predict(e, 0, 2, -1, NULL, &err);
    assert_int_equal(tacho_eval_score(e, &o, 10, 1, &err), 0);
    const tacho_eval_result *r = tacho_eval_view(e);
    assert_int_equal(r->predictors[0].overall.count, 1);
    assert_int_equal(r->predictors[0].overall.failures, 3);
    assert_int_equal(r->predictors[0].worst_count, 1);
    assert_int_equal(r->predictors[0].worst[0], 0);
    assert_string_equal(r->blocks[0].note, "first");
    assert_string_equal(r->predictors[0].predictions[0].message, "");
    assert_string_equal(r->predictors[0].predictions[1].message, "it crashed");
    assert_string_equal(r->predictors[0].predictions[2].message, "no prediction");
    assert_true(isnan(r->predictors[0].predictions[2].cycles) &&
                isnan(r->predictors[0].predictions[3].cycles));
    tacho_eval_free(e);
}

/* 1000 blocks, three predictors, two groupings. */
static tacho_eval *make(void)
{
    tacho_eval *e = tacho_eval_new();
    char hex[20];
    if (!e)
        return NULL;
    for (int p = 0; p < 3; p++) {
        char name[8] = {'p', (char)('0' + p)};
        if (tacho_eval_add_predictor(e, name, &err) != p)
            goto fail;
    }
    if (tacho_eval_add_grouping(e, "parity", &err) || tacho_eval_add_grouping(e, "tens", &err) < 0)
        goto fail;
    for (uint64_t i = 0; i < 1000; i++) {
        double measured = 1 + (double)(hash_mix(i) % 1000) / 100;
        snprintf(hex, sizeof hex, "48%06x", (unsigned)i);
        if (tacho_eval_add_block(e, hex, measured, NULL, &err) < 0 ||
            tacho_eval_put(e, 0, (int64_t)i, i % 2 ? "odd" : "even", &err) ||
            (i < 10 && tacho_eval_put(e, 1, (int64_t)i, "first", &err)))
            goto fail;
        for (int p = 0; p < 3; p++)
            if (tacho_eval_predict(e, p, (int64_t)i,
                                   measured * (1 + p * (double)(hash_mix(i + 5) % 100) / 1000), NULL, &err))
                goto fail;
    }
    return e;
fail:
    tacho_eval_free(e);
    return NULL;
}

static void test_eval__groups_are_scored_alone(void **state)
{
    tacho_eval *e = make();
    tacho_score_options o = TACHO_SCORE_OPTIONS_INIT;
    double measured[500], predicted[500];
    o.resamples = 50;
    assert_non_null(e);
    assert_int_equal(tacho_eval_score(e, &o, 3, 1, &err), 0);
    const tacho_eval_result *r = tacho_eval_view(e);
    assert_string_equal(r->groupings[0].groups[0].name, "even");
    assert_int_equal(r->groupings[0].groups[1].member_count, 500);
    assert_int_equal(r->groupings[1].groups[0].member_count, 10);
    for (int p = 0; p < 3; p++) {
        tacho_score s;
        for (size_t i = 0; i < 500; i++) {
            measured[i] = r->blocks[2 * i + 1].measured;
            predicted[i] = r->predictors[p].predictions[2 * i + 1].cycles;
        }
        assert_int_equal(tacho_score_compute(measured, predicted, 500, &o, &s, &err), 0);
        assert_memory_equal(&s, &r->predictors[p].by_group[0][1], sizeof s);
    }
    assert_true(r->predictors[2].overall.mape.value > r->predictors[1].overall.mape.value);
    assert_int_equal(r->predictors[1].worst_count, 3);
    const tacho_eval_predictor *second = &r->predictors[1];
    for (int i = 0; i < 3; i++) {
        size_t b = second->worst[i];
        double error = fabs(second->predictions[b].cycles - r->blocks[b].measured) / r->blocks[b].measured;
        assert_true(fabs(error - second->overall.worst) < 0.0005);
    }
    tacho_eval_free(e);
}

static void test_eval__threads_change_nothing(void **state)
{
    tacho_eval *a = make(), *b = make();
    tacho_score_options o = TACHO_SCORE_OPTIONS_INIT;
    o.resamples = 100;
    assert_int_equal(tacho_eval_score(a, &o, 10, 1, &err), 0);
    assert_int_equal(tacho_eval_score(b, &o, 10, 5, &err), 0);
    const tacho_eval_result *x = tacho_eval_view(a), *y = tacho_eval_view(b);
    for (int p = 0; p < 3; p++) {
        assert_memory_equal(&x->predictors[p].overall, &y->predictors[p].overall, sizeof(tacho_score));
        assert_memory_equal(x->predictors[p].by_group[0], y->predictors[p].by_group[0],
                            3 * sizeof(tacho_score));
        assert_memory_equal(x->predictors[p].worst, y->predictors[p].worst, 10 * sizeof(uint32_t));
    }
    /* And again with other options. */
    o.resamples = 0;
    assert_int_equal(tacho_eval_score(a, &o, 2000, 2, &err), 0);
    assert_int_equal(tacho_eval_view(a)->predictors[0].worst_count, 0); /* it makes no errors */
    assert_in_range(tacho_eval_view(a)->predictors[2].worst_count, 900, 1000);
    assert_true(isnan(tacho_eval_view(a)->predictors[0].overall.mape.low));
    tacho_eval_free(a);
    tacho_eval_free(b);
}

static void test_eval__bad_options_are_an_error_from_any_thread(void **state)
{
    tacho_eval *e = make();
    tacho_score_options o = TACHO_SCORE_OPTIONS_INIT;
    o.confidence = 2;
    assert_int_equal(tacho_eval_score(e, &o, 3, 4, &err), TACHO_ERR_USAGE);
    assert_non_null(strstr(err.message, "confidence"));
    tacho_eval_free(e);
}

/* Whether `block` is in the group of this name. */
static bool in_group(const tacho_eval_grouping *g, const char *name, uint32_t block)
{
    for (size_t i = 0; i < g->group_count; i++)
        for (size_t k = 0; !strcmp(g->groups[i].name, name) && k < g->groups[i].member_count; k++)
            if (g->groups[i].members[k] == block)
                return true;
    return false;
}

static const char *const codes[] = {
    "48 01 d8",         /* add rax, rbx */
    "zz",               /* no code */
    "480fafc0480fafc0", /* imul rax, rax, twice */
    "06",               /* no instruction */
    "48 01 d8",         /* again */
};

static tacho_eval *make_small(void)
{
    tacho_eval *e = tacho_eval_new();
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        assert_int_equal(tacho_eval_add_block(e, codes[i], 2, i == 2 ? "seen" : NULL, &err), (int64_t)i);
    return e;
}

static void count_calls(void *payload, size_t done, size_t count)
{
    size_t *last = payload;
    assert_true(done > last[0] && done <= count && count == 5);
    last[0] = done;
}

static void test_eval__models_predict_what_is_code(void **state)
{
    tacho_eval *e = make_small();
    tacho_eval_run_options o = TACHO_EVAL_RUN_OPTIONS_INIT;
    size_t last[1] = {0};
    o.threads = 3;
    o.bottlenecks = "bottleneck";
    o.progress = count_calls;
    o.payload = last;
    int p = tacho_eval_add_predictor(e, "mine", &err);
    assert_int_equal(tacho_eval_run_model(e, p, "tacho", tacho_arch_find("SKL", &err), &o, &err), 0);
    assert_int_equal(last[0], 5);
    const tacho_eval_result *r = tacho_eval_view(e);
    const tacho_eval_prediction *of = r->predictors[p].predictions;
    assert_true(of[0].cycles == 1 && of[4].cycles == 1 && of[2].cycles == 6);
    assert_true(isnan(of[1].cycles) && isnan(of[3].cycles));
    assert_true(*of[1].message && *of[3].message);
    assert_true(r->predictors[p].seconds > 0);
    assert_int_equal(strncmp(r->predictors[p].version, "tacho ", 6), 0);
    assert_true(in_group(&r->groupings[0], "dependencies", 2));
    assert_false(in_group(&r->groupings[0], "dependencies", 1));
    assert_int_equal(tacho_eval_run_model(e, -1, "tacho", tacho_arch_find("SKL", &err), &o, &err),
                     TACHO_ERR_USAGE); /* there is such a grouping */
    tacho_eval_free(e);
}

static void test_eval__lengths_are_instructions(void **state)
{
    tacho_eval *e = make_small();
    assert_int_equal(tacho_eval_group_by_length(e, &err), 0);
    const tacho_eval_grouping *g = tacho_eval_view(e)->groupings;
    assert_string_equal(g->name, "length");
    assert_int_equal(g->group_count, 2);
    assert_true(in_group(g, "1", 0) && in_group(g, "1", 4) && in_group(g, "2", 2));
    assert_int_equal(g->groups[0].member_count, 2);
    assert_int_equal(g->groups[1].member_count, 1);
    tacho_eval_free(e);
}

static void test_eval__content_is_what_instructions_do(void **state)
{
    static const struct {
        const char *code, *in, *not_in;
    } cases[] = {
        {"4889d8", "register moves", "loads"}, /* mov rax, rbx */
        {"0f28c1", "register moves", "x87"},   /* movaps xmm0, xmm1 */
        {"0f28c1", "vectors", "stores"},
        {"488b03", "loads", "register moves"}, /* mov rax, [rbx] */
        {"488903", "stores", "loads"},         /* mov [rbx], rax */
        {"480103", "loads", "vectors"},        /* add [rbx], rax */
        {"480103", "stores", "branches"},
        {"d8c1", "x87", "vectors"}, /* fadd st(1) */
        {"48f7f1", "divisions and roots", "x87"},
        {"f20f51c0", "divisions and roots", "loads"}, /* sqrtsd */
        {"ebfe", "branches", "stores"},
        {"c3", "branches", "stores"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tacho_eval *e = tacho_eval_new();
        tacho_eval_add_block(e, cases[i].code, 1, NULL, &err);
        assert_int_equal(tacho_eval_group_by_content(e, &err), 0);
        const tacho_eval_grouping *g = tacho_eval_view(e)->groupings;
        if (!in_group(g, cases[i].in, 0))
            fail_msg("%s is not in %s", cases[i].code, cases[i].in);
        assert_false(in_group(g, cases[i].not_in, 0));
        tacho_eval_free(e);
    }
}

static void test_eval__the_worst_blocks_are_explained(void **state)
{
    tacho_eval *e = make_small();
    tacho_score_options score = TACHO_SCORE_OPTIONS_INIT;
    tacho_model_options o = TACHO_MODEL_OPTIONS_INIT;
    int p = tacho_eval_add_predictor(e, "p", &err);
    tacho_eval_predict(e, p, 2, 100, NULL, &err);
    tacho_eval_predict(e, p, 0, 2, NULL, &err);
    assert_int_equal(tacho_eval_score(e, &score, 1, 1, &err), 0);
    assert_int_equal(tacho_eval_explain(e, tacho_arch_find("SKL", &err), &o, &err), 0);
    const tacho_eval_result *r = tacho_eval_view(e);
    assert_int_equal(strncmp(r->blocks[2].note, "seen; limited by dependencies; ", 31), 0);
    assert_string_equal(r->blocks[0].note, ""); /* not among the worst */
    tacho_eval_free(e);
}

static void test_eval__only_what_all_predict_is_kept(void **state)
{
    tacho_eval *e = tacho_eval_new();
    const char *const hex[] = {"90", "91", "90", "92", "93"};
    size_t left_out;
    int p = tacho_eval_add_predictor(e, "p", &err), q = tacho_eval_add_predictor(e, "q", &err);
    int g = tacho_eval_add_grouping(e, "g", &err);
    for (int i = 0; i < 5; i++) {
        tacho_eval_add_block(e, hex[i], 1 + i, NULL, &err);
        tacho_eval_put(e, g, i, i == 1 ? "gone" : i % 2 ? "odd" : "even", &err);
        if (i != 1)
            tacho_eval_predict(e, p, i, 10 + i, NULL, &err);
        if (i != 0)
            tacho_eval_predict(e, q, i, 20 + i, NULL, &err);
    }
    assert_int_equal(tacho_eval_keep_common(e, &left_out, &err), 0);
    assert_int_equal(left_out, 2);
    const tacho_eval_result *r = tacho_eval_view(e);
    assert_int_equal(r->block_count, 3);
    for (int i = 0; i < 3; i++)
        assert_true(r->blocks[i].measured == 3 + i && r->predictors[p].predictions[i].cycles == 12 + i &&
                    r->predictors[q].predictions[i].cycles == 22 + i);
    assert_int_equal(tacho_eval_find_block(e, "90"), 0);
    assert_int_equal(tacho_eval_next_block(e, 0), -1);
    assert_int_equal(tacho_eval_find_block(e, "91"), -1);
    assert_int_equal(tacho_eval_find_block(e, "93"), 2);
    assert_int_equal(r->groupings[0].group_count, 2);
    assert_string_equal(r->groupings[0].groups[0].name, "even");
    assert_true(in_group(r->groupings, "even", 0) && in_group(r->groupings, "even", 2));
    assert_true(in_group(r->groupings, "odd", 1));
    assert_int_equal(tacho_eval_add_block(e, "91", 1, NULL, &err), 3);
    assert_int_equal(tacho_eval_find_block(e, "91"), 3);
    assert_true(isnan(tacho_eval_view(e)->predictors[p].predictions[3].cycles));
    tacho_eval_free(e);
}

static void test_eval__out_of_memory_anywhere(void **state)
{
    tacho_score_options o = TACHO_SCORE_OPTIONS_INIT;
    int result = TACHO_ERR_MEMORY;
    o.resamples = 2;
    for (unsigned long n = 1; result; n++) {
        tacho_mem_fail_at(n);
        tacho_eval *e = make();
        result = e ? tacho_eval_score(e, &o, 3, 1, &err) : TACHO_ERR_MEMORY;
        tacho_mem_fail_at(0);
        assert_true(result == 0 || result == TACHO_ERR_MEMORY);
        tacho_eval_free(e);
        assert_true(n < 1000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_eval__blocks_are_found_by_their_code),
        cmocka_unit_test(test_eval__refuses_what_makes_no_sense),
        cmocka_unit_test(test_eval__groups_are_not_as_many_as_blocks),
        cmocka_unit_test(test_eval__what_was_not_predicted_has_failed),
        cmocka_unit_test(test_eval__groups_are_scored_alone),
        cmocka_unit_test(test_eval__threads_change_nothing),
        cmocka_unit_test(test_eval__bad_options_are_an_error_from_any_thread),
        cmocka_unit_test(test_eval__models_predict_what_is_code),
        cmocka_unit_test(test_eval__lengths_are_instructions),
        cmocka_unit_test(test_eval__content_is_what_instructions_do),
        cmocka_unit_test(test_eval__the_worst_blocks_are_explained),
        cmocka_unit_test(test_eval__only_what_all_predict_is_kept),
        cmocka_unit_test(test_eval__out_of_memory_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
