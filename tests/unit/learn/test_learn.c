/* test_learn.c - a core in the simulator is learnt as a whole: what differs from the core that learning
 * starts from is found, and nothing else; blocks are the same ones each time, and judge a model. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../../support/sanitized.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/seconds.h"
#include "learn/learn_internal.h"
#include "learn/subject.h"
#include "tacho/suite.h"
#include "x86/decode/insn_struct.h"

static const tacho_arch *core(const char *name)
{
    const tacho_arch *arch = tacho_arch_find(name, NULL);
    assert_non_null(arch);
    return arch;
}

static const tacho_learn_finding *finding_of(const tacho_learnt *l, const char *name)
{
    for (size_t i = 0; i < l->finding_count; i++)
        if (!strcmp(l->findings[i].name, name))
            return &l->findings[i];
    fail_msg("no finding of %s", name);
    return NULL;
}

static tacho_learnt *learn(const tacho_learn_options *o)
{
    tacho_learnt *l = NULL;
    tacho_error err;
    int failed = tacho_learn(&l, o, &err);
    if (failed)
        fail_msg("%s", err.message);
    return l;
}

/* ---- what differs ---- */

static void test_nothing_differs(void **state)
{
    (void)state;
    tacho_learn_options o = TACHO_LEARN_OPTIONS_INIT;
    o.of = core("HSW");
    o.only = SANITIZED ? "issue-width,retire-width,copies" : "issue-width,retire-width,copies,reorder-buffer";
    tacho_learnt *l = learn(&o);
    assert_string_equal(l->core, "HSW");
    assert_int_equal(l->finding_count, tacho_arch_parameter_count());
    for (size_t i = 0; i < l->finding_count; i++) {
        assert_non_null(l->findings[i].model);
        assert_false(l->findings[i].differs);
    }
    for (size_t i = 0; i < l->curve_count; i++) /* some have one title */
        for (size_t k = 0; k < l->curves[i].count; k++)
            assert_int_equal(
                memcmp(&l->curves[i].points[k].cycles, &l->curves[i].points[k].core, sizeof(double)), 0);
    assert_null(l->text);
    tacho_learnt_free(l);
}

static void test_what_differs(void **state)
{
    (void)state;
    tacho_learn_options o = TACHO_LEARN_OPTIONS_INIT;
    tacho_arch *changed = tacho_arch_copy(core("ICL"));
    assert_int_equal(tacho_arch_parameter_set(changed, "issue_width", "4", NULL), 0);
    o.of = changed;
    o.from = core("ICL");
    o.only = "issue-width";
    tacho_learnt *l = learn(&o);
    const tacho_learn_finding *f = finding_of(l, "issue_width");
    assert_int_equal(f->state, TACHO_LEARN_FOUND);
    assert_string_equal(f->value, "4");
    assert_string_equal(f->core, "5");
    assert_string_equal(f->model, "4");
    assert_true(f->differs);
    assert_string_equal(f->experiment, "issue-width");
    assert_true(l->curve_count > 0 && l->curves[0].count > 0 && isfinite(l->curves[0].points[0].core));
    assert_string_equal(finding_of(l, "renames_memory")->model, "no");
    tacho_learnt_free(l);
    tacho_arch_free(changed);
}

/* No core's parameter is used: what was not found is neutral. */
static void test_from_scratch(void **state)
{
    (void)state;
    tacho_learn_options o = TACHO_LEARN_OPTIONS_INIT;
    o.of = core("SKL");
    o.from_scratch = true;
    o.only = "issue-width";
    tacho_learnt *l = learn(&o);
    assert_null(l->core);
    for (size_t i = 0; i < l->finding_count; i++) {
        const tacho_learn_finding *f = &l->findings[i];
        assert_null(f->core);
        assert_non_null(f->model);
        if (f->state == TACHO_LEARN_FOUND)
            assert_string_equal(f->model, f->value);
    }
    assert_string_equal(finding_of(l, "issue_width")->model, "4");
    tacho_learnt_free(l);
}

static void test_refused(void **state)
{
    (void)state;
    tacho_learn_options o = TACHO_LEARN_OPTIONS_INIT;
    tacho_learnt *l = NULL;
    tacho_error err;
    o.of = core("SKL");
    o.only = "front-end,nonsense";
    assert_int_equal(tacho_learn(&l, &o, &err), TACHO_ERR_USAGE);
    assert_non_null(strstr(err.message, "'nonsense'"));
    assert_null(l);
    tacho_learnt_free(NULL);
}

static bool stop(void *payload)
{
    return --*(int *)payload < 0;
}

static void count_progress(void *payload, const tacho_learn_progress *p)
{
    (void)payload;
    assert_true(p->done <= p->count && p->stage < TACHO_LEARN_STAGE_COUNT && p->name);
}

static void test_stopped(void **state)
{
    (void)state;
    int loops = 5;
    tacho_learn_options o = TACHO_LEARN_OPTIONS_INIT;
    tacho_learnt *l = NULL;
    tacho_error err;
    o.of = core("SKL");
    o.stop = stop;
    o.progress = count_progress;
    o.payload = &loops;
    assert_int_equal(tacho_learn(&l, &o, &err), TACHO_ERR_CANCELLED);
    assert_null(l);
}

/* ---- the model ---- */

static double cycles_on(const tacho_arch *arch)
{
    double cycles;
    subject_loop loop = {.mode = TACHO_MODE_LOOP};
    tacho_predictor *p = tacho_predictor_new();
    assert_int_equal(subject_add(&loop, "nop", 20, NULL), 0);
    assert_int_equal(subject_predict(p, arch, &loop, false, &cycles, NULL), 0);
    tacho_predictor_free(p);
    subject_loop_free(&loop);
    return cycles;
}

/* The text says how good it is, loads, and predicts as the changed core does. */
static void test_model(void **state)
{
    (void)state;
    tacho_learn_options o = TACHO_LEARN_OPTIONS_INIT;
    tacho_arch *changed = tacho_arch_copy(core("ICL")), *model;
    tacho_error err;
    assert_int_equal(tacho_arch_parameter_set(changed, "issue_width", "4", NULL), 0);
    o.of = changed;
    o.from = core("ICL");
    o.forms = 40;
    o.blocks = 10;
    tacho_learnt *l = learn(&o);
    assert_non_null(l->text);
    assert_string_equal(l->problem, "");
    assert_int_equal(l->form_count, 41) /* and the counter */;
    assert_int_equal(l->score_count, 6);
    assert_non_null(strstr(l->text, "\ninherit ICL\n"));
    assert_non_null(strstr(l->text, "\nissue_width\t4\tlearnt\tissue-width\n"));
    assert_non_null(strstr(l->text, "\n# loops, learnt: mean error "));
    assert_non_null(strstr(l->text, "\n# unrolled, ICL: mean error "));
    if (tacho_arch_load(&model, l->text, strlen(l->text), NULL, &err))
        fail_msg("%s", err.message);
    assert_true(cycles_on(model) == cycles_on(changed));
    assert_true(cycles_on(model) > cycles_on(core("ICL")));
    tacho_arch_free(model);
    tacho_learnt_free(l);
    tacho_arch_free(changed);
}

/* Where memory runs out, whenever that is, it is an error like others. */
static void test_no_memory(void **state)
{
    (void)state;
    tacho_learn_options o = TACHO_LEARN_OPTIONS_INIT;
    tacho_learnt *l;
    tacho_error err;
    int failed = TACHO_ERR_MEMORY;
    o.of = core("SKL");
    o.only = "issue-width";
    for (unsigned long n = 1; failed; n += 1 + n / 8) {
        tacho_mem_fail_at(n);
        failed = tacho_learn(&l, &o, &err);
        tacho_mem_fail_at(0);
        assert_true(!failed || failed == TACHO_ERR_MEMORY);
        assert_true((l == NULL) == (failed != 0));
        tacho_learnt_free(l);
        assert_true(n < 1000000);
    }
}

/* ---- blocks ---- */

enum {
    FORMS = 500
};

static size_t forms_of(const tacho_arch *arch, uint32_t forms[FORMS])
{
    size_t count = 0;
    tacho_figures figures;
    for (uint32_t f = 0; f < tacho_form_count() && count < FORMS; f += 3)
        if (!tacho_form_figures(arch, f, &figures))
            forms[count++] = f;
    return count;
}

static void test_blocks(void **state)
{
    (void)state;
    uint32_t forms[FORMS];
    double shares[FORMS];
    size_t count = forms_of(core("SKL"), forms);
    assert_int_equal(learn_form_shares(forms, count, shares, NULL), 0);
    for (unsigned n = 0; n < 60; n++) {
        subject_loop one = {.mode = TACHO_MODE_LOOP}, again = {.mode = TACHO_MODE_LOOP};
        tacho_suite_filter_options o = TACHO_SUITE_FILTER_OPTIONS_INIT;
        tacho_suite_verdict v;
        assert_int_equal(learn_block_make(&one, forms, n % 2 ? shares : NULL, count, n, NULL), 0);
        assert_int_equal(learn_block_make(&again, forms, n % 2 ? shares : NULL, count, n, NULL), 0);
        assert_true(one.size && one.size == again.size && !memcmp(one.code, again.code, one.size));
        assert_int_equal(tacho_suite_filter(&v, one.code, one.size, &o, NULL), 0);
        assert_int_equal(v.reasons, 0);
        unsigned instructions = 0;
        for (size_t at = 0; at < one.size; instructions++) {
            tacho_insn insn;
            assert_int_equal(tacho_decode(&insn, one.code + at, one.size - at, NULL), 0);
            at += insn.length;
        }
        assert_true(instructions >= 3 && instructions <= 12);
        subject_loop_free(&one);
        subject_loop_free(&again);
    }
}

static void free_learning(learning *l)
{
    free(l->learnt);
    learning_blocks_free(l);
    lab_free(&l->lab);
    tacho_arch_free(l->model);
    tacho_predictor_free(l->predictor);
    arena_free(&l->memory);
    subject_free(l->own);
}

/* A model that is the truth has no error; one with another issue width has one; bounds are no higher. */
static void test_judge(void **state)
{
    (void)state;
    uint32_t forms[FORMS];
    tacho_error err;
    learning l = {.from = core("HSW"), .err = &err, .model = tacho_arch_copy(core("SKL"))};
    l.own = subject_of_core(core("SKL"), &err);
    l.options.blocks = 40;
    l.learnt_count = forms_of(core("SKL"), forms);
    l.learnt = calloc(l.learnt_count, sizeof *l.learnt);
    for (size_t i = 0; i < l.learnt_count; i++)
        l.learnt[i].form = forms[i];
    learning_conclude(&l);
    learning_judge(&l);
    assert_int_equal(l.failed, 0);
    assert_int_equal(l.result.score_count, 6);
    for (size_t i = 0; i < 6; i++) {
        const tacho_learn_score *s = &l.result.scores[i];
        static const char *const names[] = {"learnt", "HSW", "bounds"};
        assert_string_equal(s->model, names[i % 3]);
        assert_int_equal(s->mode, i < 3 ? TACHO_MODE_UNROLL : TACHO_MODE_LOOP);
        assert_true(s->score.count + s->score.failures >= 25);
        if (i % 3 == 0)
            assert_true(s->score.mape.value == 0 && s->score.kendall_tau.value > 0.999);
        else
            assert_true(s->score.mape.value > 0);
        if (i % 3 == 2)
            assert_true(s->score.bias < 0.0001);
    }
    free_learning(&l);
}

/* ---- what is not believed ---- */

static const tacho_learn_finding *believed(learning *l, const char *name)
{
    return finding_of(&l->result, name);
}

/* Zen 4 came out with a reorder buffer that no file could have, and without ports: nobody could load it. */
static void test_doubt(void **state)
{
    (void)state;
    tacho_error err;
    learning l = {.from = core("ZEN4"), .err = &err, .lab.err = &err};
    assert_int_equal(lab_found(&l.lab, "rob_entries", 639, 641, "640"), 0);
    assert_int_equal(lab_found(&l.lab, "load_ports", NAN, NAN, "-"), 0);
    assert_int_equal(lab_found(&l.lab, "retire_width", 7, 7, "7"), 0);
    /* what ZEN4 has, and no experiment has looked at, does not fit to it */
    assert_int_equal(lab_found(&l.lab, "paired_stores_same_line", 0, 0, "no"), 0);
    assert_int_equal(lab_found(&l.lab, "idq_entries", 8, 8, "8"), 0); /* less than dsb_width */
    learning_conclude(&l);
    assert_int_equal(l.failed, 0);
    static const char *const doubted[] = {"rob_entries", "load_ports", "idq_entries"};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(believed(&l, doubted[i])->state, TACHO_LEARN_DOUBTED);
        assert_false(believed(&l, doubted[i])->differs);
        assert_true(strlen(believed(&l, doubted[i])->why) > 0);
    }
    assert_string_equal(believed(&l, "rob_entries")->model, "320");
    assert_string_equal(believed(&l, "paired_stores_same_line")->model, "no");
    assert_string_equal(believed(&l, "store_write_bytes")->model, "0");
    assert_int_equal(believed(&l, "store_write_bytes")->state, TACHO_LEARN_NOT_TRIED);
    assert_string_equal(believed(&l, "rob_entries")->value, "640");
    assert_int_equal(believed(&l, "retire_width")->state, TACHO_LEARN_FOUND);
    assert_true(believed(&l, "retire_width")->differs);
    /* of ports without names nothing is believed, nor is it silent */
    assert_int_equal(lab_found(&l.lab, "store_data_ports", NAN, NAN, "23"), 0);
    l.ports_unnamed = true;
    learning_conclude(&l);
    assert_int_equal(l.failed, 0);
    assert_int_equal(believed(&l, "store_data_ports")->state, TACHO_LEARN_DOUBTED);
    assert_string_equal(believed(&l, "store_data_ports")->model, "e");
    assert_non_null(strstr(believed(&l, "store_data_ports")->why, "no names"));
    free_learning(&l);
}

static void reload_true(learning *l)
{
    tacho_arch_free(l->model);
    l->model = tacho_arch_copy(core("SKL"));
    learning_conclude(l);
}

/* A model is never worse than its start on the blocks that judge it. */
static void test_blocks_doubt(void **state)
{
    (void)state;
    uint32_t forms[FORMS];
    tacho_error err;
    learning l = {.from = core("SKL"), .err = &err, .lab.err = &err, .reload = reload_true};
    l.own = subject_of_core(core("SKL"), &err);
    l.options.blocks = 40;
    l.learnt_count = forms_of(core("SKL"), forms);
    l.learnt = calloc(l.learnt_count, sizeof *l.learnt);
    for (size_t i = 0; i < l.learnt_count; i++)
        l.learnt[i].form = forms[i];
    l.model = tacho_arch_copy(core("SKL"));
    assert_int_equal(lab_found(&l.lab, "issue_width", 3, 3, "3"), 0);
    assert_int_equal(tacho_arch_parameter_set(l.model, "issue_width", "3", &err), 0);
    learning_conclude(&l);
    assert_int_equal(l.failed, 0);
    assert_true(believed(&l, "issue_width")->differs);
    learning_judge(&l);
    assert_int_equal(l.failed, 0);
    assert_int_equal(believed(&l, "issue_width")->state, TACHO_LEARN_DOUBTED);
    assert_string_equal(believed(&l, "issue_width")->model, "4");
    assert_true(l.result.scores[0].score.mape.value == 0);
    /* worse still, and no parameter is left to blame: then the rows of forms are */
    snprintf(l.learnt[0].row, sizeof l.learnt[0].row, "row");
    assert_int_equal(tacho_arch_parameter_set(l.model, "issue_width", "3", &err), 0);
    learning_judge(&l);
    assert_int_equal(l.failed, 0);
    assert_string_equal(l.learnt[0].row, "");
    assert_true(l.result.scores[0].score.mape.value == 0);
    free_learning(&l);
}

static void reload_taught(learning *l)
{
    tacho_arch_parameter p;
    reload_true(l);
    for (size_t i = 0; !tacho_arch_parameter_get(i, &p); i++)
        if (l->parameters[i].taught)
            assert_int_equal(tacho_arch_parameter_set(l->model, p.name, l->parameters[i].taught, l->err), 0);
}

/* No experiment was run: only the blocks say that fewer are issued; loops of their forms decide, and the half
 * that judges agrees. The journal has it. */
static void test_blocks_teach(void **state)
{
    (void)state;
    uint32_t forms[FORMS];
    tacho_error err;
    learning l = {.from = core("SKL"), .err = &err, .lab.err = &err, .reload = reload_taught};
    tacho_arch *changed = tacho_arch_copy(core("SKL"));
    char folder[256], path[300], *journal;
    size_t size;
    double before[LEARN_MODES], after[LEARN_MODES];
    assert_int_equal(tacho_arch_parameter_set(changed, "issue_width", "3", &err), 0);
    assert_int_equal(tacho_scratch_make(folder, sizeof folder, &err), 0);
    snprintf(path, sizeof path, "%s/x.journal", folder);
    l.own = subject_of_core(changed, &err);
    l.options.blocks = 30;
    l.options.seconds = 1e9;
    l.learnt_count = forms_of(core("SKL"), forms);
    l.learnt = calloc(l.learnt_count, sizeof *l.learnt);
    for (size_t i = 0; i < l.learnt_count; i++)
        l.learnt[i].form = forms[i];
    assert_int_equal(subject_journal(l.own, path, false, &err), 0);
    learning_conclude(&l);
    assert_int_equal(l.failed, 0);
    l.model = tacho_arch_copy(core("SKL"));
    learning_blocks(&l, l.model);
    learning_errors(&l, l.model, true, before);
    learning_teach(&l);
    learning_errors(&l, l.model, true, after);
    assert_int_equal(l.failed, 0);
    for (unsigned m = 0; m < LEARN_MODES; m++)
        assert_true(before[m] > 0.005 && after[m] < 0.001);
    const tacho_learn_finding *f = believed(&l, "issue_width");
    assert_true(f->state == TACHO_LEARN_FOUND && f->differs);
    assert_string_equal(f->value, "3");
    assert_string_equal(f->experiment, "blocks");
    assert_non_null(strstr(f->why, "loops that tell 3 from 4: 0.0 % off"));
    assert_int_equal(tacho_file_read(path, 1 << 24, &journal, &size), 0);
    assert_non_null(strstr(journal, "\n# blocks: issue_width 3 is adopted\n"));
    tacho_mem_free(journal);
    free_learning(&l);
    tacho_arch_free(changed);
    tacho_scratch_remove(folder);
}

/* ---- by predictions ---- */

static void keep_model(learning *l)
{
    (void)l;
}

/* A core that differs from `start` in a parameter that no curve shows alone. */
static void check_told(const char *start, const char *name, const char *value, bool expected)
{
    tacho_error err;
    tacho_arch *other = tacho_arch_copy(core(start));
    learning l = {.from = core(start), .err = &err, .lab.err = &err, .reload = keep_model};
    assert_non_null(other);
    assert_int_equal(tacho_arch_parameter_set(other, name, value, &err), 0);
    assert_int_equal(tacho_arch_check(other, &err), 0);
    subject *own = subject_of_core(other, &err);
    l.lab.s = own;
    l.model = tacho_arch_copy(core(start));
    assert_true(own && l.model);
    for (const experiment *x = learn_experiments; x->part; x++)
        if (x->run == learn_by_model)
            assert_int_equal(lab_run(&l.lab, x), 0);
    const bool told = learning_fit(&l);
    assert_int_equal(l.failed, 0);
    const finding *f = lab_finding(&l.lab, name);
    if (told != expected || (told && (!is_found(f) || strcmp(f->value, value) != 0)))
        fail_msg("%s %s: found to be %s", name, value, f ? f->value : "nothing");
    lab_free(&l.lab);
    lab_free(&l.other);
    subject_free(own);
    tacho_predictor_free(l.predictor);
    tacho_arch_free(l.model);
    tacho_arch_free(other);
}

/* ZEN3, learnt from ZEN4, had loads bound as on ZEN4, and no domains of vectors. */
static void test_predictions_tell_parameters(void **state)
{
    (void)state;
    check_told("ZEN4", "address_release_cycles", "18", true);
    check_told("ZEN4", "vector_domains", "yes", true);
    check_told("ZEN4", "dsb_line_uops", "8", true);
    check_told("ZEN4", "dsb_line_places", "18", true);
    check_told("ZEN4", "stored_immediates_use_alu", "no", true);
    check_told("ZEN3", "issue_alu_uops", "0", true); /* on ZEN4 it goes with alu_balance_uops */
    check_told("ZEN4", "splits_indexed", "no", true);
    check_told("ZEN4", "rob_entries", "256", false); /* nothing of these */
    /* ICX had the rule of SKL, by which the ports of a chain are busy when its next link is ready */
    check_told("SKL", "port_policy", "10", true);
    check_told("SKL", "port_policy", "12", true);
    check_told("ICL", "port_policy", "8", true);
}

/* ---- ended early ---- */

typedef struct watcher {
    char *text, found[2000];
    unsigned parts;
    bool stop;
} watcher;

static void take_part(void *payload, const tacho_learn_so_far *p)
{
    watcher *w = payload;
    assert_non_null(p->text);
    free(w->text);
    w->text = strdup(p->text);
    w->stop = !strcmp(p->part, "front-end");
    snprintf(w->found, sizeof w->found, "%s", p->found);
    w->parts++;
}

static bool is_stopped(void *payload)
{
    return ((watcher *)payload)->stop;
}

/* Who ends learning has the model of the parts that were done, and it can be loaded: an hour's work was lost.
 */
static void test_ended_early(void **state)
{
    (void)state;
    tacho_learn_options o = TACHO_LEARN_OPTIONS_INIT;
    tacho_learnt *l = NULL;
    tacho_error err;
    tacho_arch *model = NULL, *changed = tacho_arch_copy(core("ZEN4"));
    watcher w = {0};
    assert_int_equal(tacho_arch_parameter_set(changed, "issue_width", "5", NULL), 0);
    o.of = changed;
    o.from = core("ZEN4");
    o.part = take_part;
    o.stop = is_stopped;
    o.payload = &w;
    assert_int_equal(tacho_learn(&l, &o, &err), TACHO_ERR_CANCELLED);
    assert_int_equal(w.parts, 2); /* before anything, and the first */
    assert_non_null(strstr(w.found, "issue_width 5"));
    if (tacho_arch_load(&model, w.text, strlen(w.text), NULL, &err))
        fail_msg("%s", err.message);
    char text[80] = "";
    tacho_arch_parameter p;
    for (size_t i = 0; !tacho_arch_parameter_get(i, &p); i++)
        if (!strcmp(p.name, "issue_width"))
            tacho_arch_parameter_text(model, i, text, sizeof text);
    assert_string_equal(text, "5");
    tacho_arch_free(model);
    tacho_arch_free(changed);
    free(w.text);
}

/* A limit of time is one for this machine: what the simulator answers depends on no clock. */
static void test_time(void **state)
{
    (void)state;
    learning l = {.options.seconds = 1000, .start = seconds_now() - 800};
    assert_true(learning_late(&l, 0.75));
    assert_false(learning_late(&l, 0.9));
    l.options.of = core("SKL");
    assert_false(learning_late(&l, 0.75));
}

static double left_after(learning *l, size_t steps, size_t loops, double seconds)
{
    l->step_start = seconds_now() - seconds;
    l->step_loops = l->progress.loops;
    l->progress.loops += loops;
    learning_steps_end(l, steps);
    return l->progress.seconds_left;
}

static bool is_about(double a, double b)
{
    return fabs(a - b) < 0.05 * b + 1;
}

/* By loops: experiments that ask for many come first, and made hours of the others and of the forms. What a
 * journal answers takes no time, and nothing takes longer than it may. */
static void test_time_left(void **state)
{
    (void)state;
    learning l = {
        .options = {.seconds = 1e6, .forms = 1000, .only = "front-end,forms"},
        .start = seconds_now(),
    };
    learning_plan(&l);
    learning_stage(&l, TACHO_LEARN_EXPERIMENTS, 10);
    assert_true(is_about(left_after(&l, 1, 1000, 100), 20 + 2500));
    learning_stage_end(&l);
    learning_stage(&l, TACHO_LEARN_FORMS, 1000);
    assert_true(is_about(left_after(&l, 500, 12500, 1250), 1250));
    assert_true(is_about(left_after(&l, 100, 0, 0.1), 1000));
    l.options.seconds = 100; /* no form begins after 75 */
    assert_true(is_about(left_after(&l, 1, 25, 2.5), 75));
    learning_stage_end(&l);
    assert_true(left_after(&l, 0, 0, 0) == 0);
}

/* What this processor says of itself is consistent. */
static void test_host(void **state)
{
    (void)state;
    char name[HOST_NAME_SIZE];
    host_identity(name, "/nowhere");
    assert_non_null(strstr(name, "microcode unknown"));
    assert_true(!host_has(TACHO_EXTENSION_AVX2) || host_has(TACHO_EXTENSION_AVX));
    assert_true(!host_has(TACHO_EXTENSION_AVX512VL) || host_has(TACHO_EXTENSION_AVX512F));
    assert_true(host_has(TACHO_EXTENSION_NONE) && !host_has(TACHO_EXTENSION_KNC));
    assert_int_equal(host_has(TACHO_EXTENSION_AVX2), __builtin_cpu_supports("avx2") != 0);
    assert_int_equal(host_has(TACHO_EXTENSION_POPCNT), __builtin_cpu_supports("popcnt") != 0);
    assert_int_equal(host_has(TACHO_EXTENSION_AVX512F), __builtin_cpu_supports("avx512f") != 0);
    assert_int_equal(host_has(TACHO_EXTENSION_GFNI), __builtin_cpu_supports("gfni") != 0);
    assert_int_equal(host_has(TACHO_EXTENSION_SSE4A), __builtin_cpu_supports("sse4a") != 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_differs),
        cmocka_unit_test(test_what_differs),
        cmocka_unit_test(test_model),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_from_scratch),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_stopped),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_judge),
        cmocka_unit_test(test_doubt),
        cmocka_unit_test(test_predictions_tell_parameters),
        cmocka_unit_test(test_ended_early),
        cmocka_unit_test(test_blocks_doubt),
        cmocka_unit_test(test_blocks_teach),
        cmocka_unit_test(test_host),
        cmocka_unit_test(test_time),
        cmocka_unit_test(test_time_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
