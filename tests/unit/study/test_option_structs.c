/* test_option_structs.c - structs of options of callers that were compiled with an older or a newer tacho. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/options_take.h"
#include "tacho/tools.h"

static const uint8_t code[] = {0x48, 0x01, 0xd8}; /* add rax, rbx */
static char *const no_command[] = {"/there/is/no/such/program", NULL};
static const tacho_command commands[] = {{.argv = no_command}, {.argv = no_command}};

static const tacho_arch *skl(void)
{
    return tacho_arch_find("SKL", NULL);
}

static int predict(const tacho_predict_options *o, double *figure, tacho_error *err)
{
    tacho_predictor *p = tacho_predictor_new();
    const tacho_prediction *r;
    int rc = tacho_predict(p, skl(), code, sizeof code, o, &r, err);
    *figure = rc ? 0 : r->cycles + (double)r->instruction_count;
    tacho_predictor_free(p);
    return rc;
}

static int explain(const tacho_predict_options *o, double *figure, tacho_error *err)
{
    tacho_predictor *p = tacho_predictor_new();
    tacho_explainer *e = tacho_explainer_new();
    const tacho_prediction *r;
    const tacho_explanation *x;
    assert_int_equal(tacho_predict(p, skl(), code, sizeof code, NULL, &r, err), 0);
    int rc = tacho_explain(e, r, code, sizeof code, o, &x, err);
    *figure = rc ? 0 : (double)x->advice_count;
    tacho_explainer_free(e);
    tacho_predictor_free(p);
    return rc;
}

static int deps(const tacho_deps_options *o, double *figure, tacho_error *err)
{
    tacho_deps *d;
    int rc = tacho_deps_find(&d, code, sizeof code, o, err);
    *figure = rc ? 0 : (double)d->count;
    tacho_deps_free(d);
    return rc;
}

static int follow(const tacho_deps_options *o, double *figure, tacho_error *err)
{
    tacho_deps *d;
    int rc = tacho_deps_follow(&d, code, sizeof code, o, err);
    *figure = rc ? 0 : (double)d->count;
    tacho_deps_free(d);
    return rc;
}

static int read_code(const tacho_code_options *o, double *figure, tacho_error *err)
{
    tacho_code *c;
    int rc = tacho_code_from_memory(&c, "add %rbx, %rax", 14, "text", o, err);
    *figure = rc ? 0 : (double)c->regions[0].byte_count;
    tacho_code_free(c);
    return rc;
}

static int loops(const tacho_loops_options *o, double *figure, tacho_error *err)
{
    tacho_loops *l;
    const char text[] = "1: add %rbx, %rax\n jnz 1b\n";
    int rc = tacho_loops_from_memory(&l, text, sizeof text - 1, "text", o, err);
    *figure = rc ? 0 : (double)l->count;
    tacho_loops_free(l);
    return rc;
}

static int extract(const tacho_extract_options *o, double *figure, tacho_error *err)
{
    tacho_extract *x;
    int rc = tacho_extract_new(&x, o, err);
    *figure = rc ? 0 : (double)x->count;
    tacho_extract_free(x);
    return rc;
}

static int extract_run(const tacho_extract_run_options *o, double *figure, tacho_error *err)
{
    tacho_extract *x;
    *figure = 0;
    assert_int_equal(tacho_extract_new(&x, NULL, err), 0);
    int rc = tacho_extract_run_command(x, no_command, o, NULL, err);
    tacho_extract_free(x);
    return rc;
}

static int deps_run(const tacho_deps_run_options *o, double *figure, tacho_error *err)
{
    tacho_deps_run *d;
    *figure = 0;
    int rc = tacho_deps_run_command(&d, no_command, o, err);
    tacho_deps_run_free(d);
    return rc;
}

static int hot(const tacho_hot_options *o, double *figure, tacho_error *err)
{
    tacho_hot_profile *p;
    char *const argv[] = {"true", NULL};
    *figure = 0;
    int rc = tacho_hot_run(&p, argv, o, err);
    tacho_hot_profile_free(p);
    return rc;
}

static int hot_find(const tacho_hot_find_options *o, double *figure, tacho_error *err)
{
    static const tacho_hot_profile nothing = {0};
    tacho_hot *h;
    int rc = tacho_hot_find(&h, &nothing, o, err);
    *figure = rc ? 0 : (double)h->count;
    tacho_hot_free(h);
    return rc;
}

static int measurer(const tacho_measurer_options *o, double *figure, tacho_error *err)
{
    *figure = 0;
    tacho_measurer *m = tacho_measurer_new(o, err);
    int rc = m ? 0 : err->code;
    tacho_measurer_free(m);
    return rc;
}

static int measure(const tacho_measure_options *o, double *figure, tacho_error *err)
{
    tacho_measurement r;
    tacho_measurer *m = tacho_measurer_new(NULL, err);
    *figure = 0;
    int rc = m || !o ? 0 : tacho_measure(NULL, code, sizeof code, o, &r, err);
    if (m)
        rc = tacho_measure(m, code, sizeof code, o, &r, err);
    tacho_measurer_free(m);
    return rc;
}

static int characterise(const tacho_characterise_options *o, double *figure, tacho_error *err)
{
    tacho_characterisation c;
    *figure = 0;
    int rc = tacho_characterise(NULL, UINT32_MAX, o, &c, err);
    return strcmp(err->message, "no such form") ? rc : 0;
}

static int doctor(const tacho_doctor_options *o, double *figure, tacho_error *err)
{
    tacho_doctor_report *r;
    *figure = 0;
    int rc = tacho_doctor_examine(&r, o, err);
    tacho_doctor_free(r);
    return rc;
}

static int memory(const tacho_memory_options *o, double *figure, tacho_error *err)
{
    tacho_memory m;
    *figure = 0;
    return tacho_memory_measure(&m, o, err);
}

static int trials(const tacho_trials_options *o, double *figure, tacho_error *err)
{
    tacho_trials *t = tacho_trials_new(o, err);
    *figure = 0;
    int rc = t ? 0 : err->code;
    tacho_trials_free(t);
    return rc;
}

static int bias(const tacho_bias_options *o, double *figure, tacho_error *err)
{
    tacho_bias *b = NULL;
    *figure = 0;
    int rc = tacho_bias_sweep(&b, commands, o, err);
    if (!rc)
        tacho_bias_free(b);
    return rc;
}

static int compare(const tacho_compare_options *o, double *figure, tacho_error *err)
{
    tacho_compare_result r;
    *figure = 0;
    int rc = tacho_compare(commands, o, &r, err);
    tacho_compare_free(&r);
    return rc;
}

static int judge(const tacho_judge_options *o, double *figure, tacho_error *err)
{
    tacho_sample s[16] = {{0}};
    tacho_judgement j;
    for (uint32_t i = 0; i < 16; i++)
        s[i] = (tacho_sample){.side = i & 1, .block = i / 2, .value = 1 + 0.125 * (i % 5)};
    int rc = tacho_judge(s, 16, false, o, &j, err);
    *figure = rc ? 0 : j.ratio_low;
    tacho_judgement_free(&j);
    return rc;
}

static int score(const tacho_score_options *o, double *figure, tacho_error *err)
{
    static const double measured[] = {1, 2, 3}, predicted[] = {1, 3, 2};
    tacho_score s;
    int rc = tacho_score_compute(measured, predicted, 3, o, &s, err);
    *figure = rc ? 0 : s.mape.low;
    return rc;
}

static int eval_score(const tacho_score_options *o, double *figure, tacho_error *err)
{
    tacho_eval *e = tacho_eval_new();
    *figure = 0;
    int rc = tacho_eval_score(e, o, 3, 1, err);
    tacho_eval_free(e);
    return rc;
}

static int eval_run(const tacho_eval_run_options *o, double *figure, tacho_error *err)
{
    tacho_eval *e = tacho_eval_new();
    *figure = 0;
    assert_int_equal(tacho_eval_add_block(e, "4801d8", 1, NULL, err), 0);
    int rc = tacho_eval_run_model(e, -1, "tacho", skl(), o, err);
    tacho_eval_free(e);
    return rc;
}

static int eval_explain(const tacho_model_options *o, double *figure, tacho_error *err)
{
    tacho_eval *e = tacho_eval_new();
    *figure = 0;
    int rc = tacho_eval_explain(e, skl(), o, err);
    tacho_eval_free(e);
    return rc;
}

static int model(const tacho_model_options *o, double *figure, tacho_error *err)
{
    tacho_model *m;
    *figure = 0;
    int rc = tacho_model_open(&m, "tacho", skl(), o, err);
    if (!rc)
        tacho_model_close(m);
    return rc;
}

static int kernels(const tacho_kernels_options *o, double *figure, tacho_error *err)
{
    tacho_kernels *k;
    *figure = 0;
    int rc = tacho_kernels_new(&k, o, err);
    tacho_kernels_free(k);
    return rc;
}

static int cluster(const tacho_cluster_options *o, double *figure, tacho_error *err)
{
    tacho_corpus *c;
    tacho_corpus_block b;
    tacho_cluster_model *m = NULL;
    assert_int_equal(tacho_corpus_new(&c, skl(), err), 0);
    assert_int_equal(tacho_corpus_add(c, code, sizeof code, 1, &b, err), 0);
    int rc = tacho_cluster_train(&m, c, o, err);
    *figure = rc ? 0 : (double)m->topic_count;
    tacho_cluster_model_free(m);
    tacho_corpus_free(c);
    return rc;
}

static int suite_filter(const tacho_suite_filter_options *o, double *figure, tacho_error *err)
{
    tacho_suite_verdict v;
    int rc = tacho_suite_filter(&v, code, sizeof code, o, err);
    *figure = rc ? 0 : v.reasons;
    return rc;
}

/* ---- each of them ---- */

typedef struct subject {
    const char *name;
    size_t size;
    const void *macro;
    int (*init)(void *out, size_t size);
    int (*call)(const void *options, double *figure, tacho_error *err);
    bool refuses_only; /* the rest takes long, or differs from host to host */
} subject;

/* X(struct, its macro, function, refuses_only) */
#define SUBJECTS(X)                                                                                          \
    X(predict, PREDICT, predict, false)                                                                      \
    X(predict, PREDICT, explain, false)                                                                      \
    X(deps, DEPS, deps, false)                                                                               \
    X(deps, DEPS, follow, false)                                                                             \
    X(code, CODE, read_code, false)                                                                          \
    X(loops, LOOPS, loops, false)                                                                            \
    X(extract, EXTRACT, extract, false)                                                                      \
    X(extract_run, EXTRACT_RUN, extract_run, false)                                                          \
    X(deps_run, DEPS_RUN, deps_run, false)                                                                   \
    X(hot, HOT, hot, true)                                                                                   \
    X(hot_find, HOT_FIND, hot_find, false)                                                                   \
    X(measurer, MEASURER, measurer, true)                                                                    \
    X(measure, MEASURE, measure, true)                                                                       \
    X(characterise, CHARACTERISE, characterise, false)                                                       \
    X(doctor, DOCTOR, doctor, true)                                                                          \
    X(memory, MEMORY, memory, true)                                                                          \
    X(trials, TRIALS, trials, false)                                                                         \
    X(bias, BIAS, bias, false)                                                                               \
    X(compare, COMPARE, compare, false)                                                                      \
    X(judge, JUDGE, judge, false)                                                                            \
    X(score, SCORE, score, false)                                                                            \
    X(score, SCORE, eval_score, false)                                                                       \
    X(eval_run, EVAL_RUN, eval_run, false)                                                                   \
    X(model, MODEL, eval_explain, false)                                                                     \
    X(model, MODEL, model, false)                                                                            \
    X(kernels, KERNELS, kernels, true)                                                                       \
    X(cluster, CLUSTER, cluster, false)                                                                      \
    X(suite_filter, SUITE_FILTER, suite_filter, false)

#define WRAP(type, TYPE, function, refuses_only)                                                             \
    static const tacho_##type##_options function##_macro = TACHO_##TYPE##_OPTIONS_INIT;                      \
    static int function##_init(void *out, size_t size)                                                       \
    {                                                                                                        \
        return tacho_##type##_options_init(out, size);                                                       \
    }                                                                                                        \
    static int function##_call(const void *options, double *figure, tacho_error *err)                        \
    {                                                                                                        \
        return function(options, figure, err);                                                               \
    }
SUBJECTS(WRAP)

#define ROW(type, TYPE, function, refuses_only)                                                              \
    {#function,   sizeof(tacho_##type##_options), &function##_macro, function##_init, function##_call,       \
     refuses_only},
static const subject subjects[] = {SUBJECTS(ROW)};

enum {
    SUBJECT_COUNT = sizeof subjects / sizeof *subjects,
    LARGER = 24 /* bytes more than we know */
};

/* The defaults in a heap block of exactly so many bytes, behind which nothing may be read. */
static void *options_of(const subject *s, size_t size)
{
    void *o = malloc(size < sizeof size ? sizeof size : size);
    assert_non_null(o);
    assert_int_equal(s->init(o, size), 0);
    return o;
}

static void check(const subject *s, void *options, int rc, double figure)
{
    size_t size;
    double got;
    tacho_error err = {.message = ""};
    memcpy(&size, options, sizeof size);
    void *before = malloc(size);
    assert_non_null(before);
    memcpy(before, options, size);
    int their = s->call(options, &got, &err);
    if (their != rc || !(got == figure || (isnan(got) && isnan(figure))))
        fail_msg("%s with a struct of %zu bytes: %d (%s) and %g, not %d and %g", s->name, size, their,
                 err.message, got, rc, figure);
    assert_memory_equal(before, options, size);
    free(before);
    free(options);
}

static void test_options__an_older_and_a_newer_caller_get_the_defaults(void **state)
{
    (void)state;
    for (const subject *s = subjects; s < subjects + SUBJECT_COUNT; s++) {
        double figure;
        tacho_error err;
        if (s->refuses_only)
            continue;
        int rc = s->call(NULL, &figure, &err);
        assert_int_not_equal(rc, TACHO_ERR_USAGE);
        for (size_t size = sizeof(size_t); size <= s->size + LARGER; size += sizeof(size_t))
            check(s, options_of(s, size), rc, figure);
    }
}

static void test_options__what_we_do_not_know_is_refused(void **state)
{
    (void)state;
    for (const subject *s = subjects; s < subjects + SUBJECT_COUNT; s++)
        for (size_t at = s->size; at < s->size + LARGER; at += LARGER - 1) {
            char *o = options_of(s, s->size + LARGER);
            o[at] = 1;
            check(s, o, TACHO_ERR_USAGE, 0);
        }
}

static void test_options__a_size_that_none_has_is_refused(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, sizeof(size_t) + 1, 1 << 20, SIZE_MAX - 7};
    for (const subject *s = subjects; s < subjects + SUBJECT_COUNT; s++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            size_t *o = malloc(sizeof *o);
            double figure;
            tacho_error err;
            assert_non_null(o);
            *o = sizes[i];
            assert_int_equal(s->call(o, &figure, &err), TACHO_ERR_USAGE);
            assert_non_null(strstr(err.message, "the options were not initialised"));
            assert_int_equal(s->init(o, sizes[i]), TACHO_ERR_USAGE);
            free(o);
        }
}

static void test_options__the_function_and_the_macro_agree(void **state)
{
    (void)state;
    for (const subject *s = subjects; s < subjects + SUBJECT_COUNT; s++) {
        void *o = options_of(s, s->size);
        if (s->call == kernels_call) { /* its texts may be at two places */
            tacho_kernels_options *k = o;
            assert_string_equal(k->compilers, kernels_macro.compilers);
            assert_string_equal(k->levels, kernels_macro.levels);
            assert_string_equal(k->vectors, kernels_macro.vectors);
            assert_string_equal(k->dataset, kernels_macro.dataset);
            k->compilers = kernels_macro.compilers;
            k->levels = kernels_macro.levels;
            k->vectors = kernels_macro.vectors;
            k->dataset = kernels_macro.dataset;
        }
        assert_memory_equal(o, s->macro, s->size);
        free(o);
    }
}

/* Of every member: those that the caller has are his, the others ours. */
static void test_options__members_are_taken_as_far_as_they_go(void **state)
{
    (void)state;
    for (const subject *s = subjects; s < subjects + SUBJECT_COUNT; s++)
        for (size_t size = sizeof(size_t); size <= s->size; size += sizeof(size_t)) {
            uint8_t *given = options_of(s, size), *out = options_of(s, s->size),
                    *own = options_of(s, s->size);
            memset(given + sizeof size, 0x5a, size - sizeof size);
            assert_int_equal(options_take(out, s->size, given, NULL), 0);
            assert_memory_equal(out, &s->size, sizeof size);
            assert_memory_equal(out + sizeof size, given + sizeof size, size - sizeof size);
            assert_memory_equal(out + size, own + size, s->size - size);
            free(given);
            free(own);
            free(out);
        }
}

static void test_options__a_struct_inside_another_is_a_part_of_it(void **state)
{
    (void)state;
    tacho_eval_run_options run = TACHO_EVAL_RUN_OPTIONS_INIT;
    tacho_loops_options l = TACHO_LOOPS_OPTIONS_INIT;
    double figure;
    tacho_error err;
    run.model.size = l.code.size = 4096; /* nothing behind it is looked at */
    assert_int_equal(eval_run(&run, &figure, &err), 0);
    assert_int_equal(loops(&l, &figure, &err), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options__an_older_and_a_newer_caller_get_the_defaults),
        cmocka_unit_test(test_options__what_we_do_not_know_is_refused),
        cmocka_unit_test(test_options__a_size_that_none_has_is_refused),
        cmocka_unit_test(test_options__the_function_and_the_macro_agree),
        cmocka_unit_test(test_options__members_are_taken_as_far_as_they_go),
        cmocka_unit_test(test_options__a_struct_inside_another_is_a_part_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
