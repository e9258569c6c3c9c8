/* test_eval_report.c EXPECTED [--update] | --page FILE: evaluations as text, JSON and CSV,
 * of a result made by hand with names that mean something in each of these languages and figures that are not
 * to be had. EXPECTED has what each of them is; with --update it is written anew. With --page the page of
 * that result is written, for a browser to look at (tests/cli/eval-page.sh). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "app/report/layout.h"
#include "app/report/report.h"
#include "app/report/study/report_study.h"
#include "base/file.h"
#include "base/mem.h"

#define NONE                                                                                                 \
    {                                                                                                        \
        NAN, NAN, NAN                                                                                        \
    }
#define PLAIN(x)                                                                                             \
    {                                                                                                        \
        x, NAN, NAN                                                                                          \
    }
#define NOTHING(failures)                                                                                    \
    {                                                                                                        \
        0, failures, NONE, NONE, NONE, NONE, NONE, NAN, NAN, NAN, NAN, NAN                                   \
    }

enum {
    MESSAGES = 60 /* different ones */
};

/* The third does not decode after its first instruction. */
static const tacho_eval_block blocks[] = {
    {"4801d8", 1, ""},
    {"48 83F8 00 4989C5", 0.5, "a note with <b>, | and \"quotes\"\nin two lines"},
    {"90060f0b", 4, ""},
    {"66666666666666666666666690666666666666666666666666669066", 1e9, ""},
};
static const uint32_t one[] = {0}, two[] = {1, 2}, worst[] = {1, 2, 0};
static const tacho_eval_group apps[] = {{"µ|<lib>&co_$%#{~^}", one, 1},
                                        {"[a],b \"c\"\n#2; a name that is longer than its column", two, 2}};
static const tacho_eval_group lengths[] = {{"1-2", NULL, 0}, {"3-4", one, 1}};
static const tacho_eval_grouping groupings[] = {{"application", apps, 2}, {"length", lengths, 2}};

static const tacho_eval_prediction good[] = {
    {1.01, "", false}, {0.25, "", false}, {6, "", false}, {NAN, "bad_bytes {6}\nat 2", false}};
static const tacho_eval_prediction none[] = {
    {NAN, "timed out", false}, {NAN, "crashed", false}, {NAN, "timed out", false}, {NAN, "timed out", false}};

static const tacho_score good_apps[] = {
    {1, 0, PLAIN(0.01), PLAIN(0.01), PLAIN(0.01), PLAIN(0.01), NONE, 0.01, 0.01, 1, 1, 1},
    {2, 0, PLAIN(0.5), PLAIN(0.5), PLAIN(0.5), PLAIN(0.5), PLAIN(1), 0.5, 0, 0, 0, 0}};
static const tacho_score good_lengths[] = {
    NOTHING(0), {1, 0, PLAIN(0.01), PLAIN(0.01), PLAIN(0.01), PLAIN(0.01), NONE, 0.01, 0.01, 1, 1, 1}};
static const tacho_score none_apps[] = {NOTHING(1), NOTHING(2)}, none_lengths[] = {NOTHING(0), NOTHING(1)};
static const tacho_score *const good_groups[] = {good_apps, good_lengths}, *const none_groups[] = {
                                                                               none_apps, none_lengths};
static const tacho_eval_predictor predictors[] = {
    {"<script>|uiCA & \"co\", µ",
     good,
     {3,
      1,
      {1.01 / 3, 0.0101, 0.5},
      {0.5, 0.01, 0.5},
      PLAIN(0.255),
      PLAIN(0.5),
      {1, -1, 1},
      0.5,
      0.01 / 3,
      1. / 3,
      1. / 3,
      1. / 3},
     good_groups,
     worst,
     3,
     "LLVM <1>, \"x\"",
     1.25,
     0},
    {"none", none, NOTHING(4), none_groups, NULL, 0, "", NAN, 0},
};
static const eval_reason left_out[] = {{"no usable number", 1234}, {"<unstable>", 1}};

static tacho_eval_result result = {
    blocks, 4, groupings, 2, predictors, 2, {sizeof(tacho_score_options), 1000, 0.95, UINT64_MAX, 0.01}};
static const report_eval subject = {&result, "dir/a_b & \"c\".csv", false, "ICL", left_out, 2};

static void put_json(tacho_str *out, json_t *j)
{
    char *text = json_dumps(j, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
    tacho_str_puts(out, text ? text : "no JSON");
    tacho_str_putc(out, '\n');
    free(text);
    json_decref(j);
}

static void put_all(tacho_str *out, const report_eval *e)
{
    tacho_str_puts(out, "==== text\n");
    report_eval_text(out, e, false);
    tacho_str_puts(out, "==== JSON\n");
    put_json(out, report_eval_json(e));
    tacho_str_puts(out, "==== CSV\n");
    report_eval_csv(out, e);
}

static const char *expected_path;
static bool update;

static void test_eval_report__is_what_it_was(void **state)
{
    tacho_str all = {0};
    char *expected = NULL;
    size_t size;
    put_all(&all, &subject);
    assert_false(all.failed);
    if (update) {
        FILE *f = fopen(expected_path, "wb");
        assert_non_null(f);
        fwrite(all.data, 1, all.length, f);
        assert_int_equal(fclose(f), 0);
    }
    assert_int_equal(tacho_file_read(expected_path, 1 << 20, &expected, &size), 0);
    assert_string_equal(all.data, expected);
    tacho_mem_free(expected);
    tacho_str_free(&all);
}

/* All that text has to show, at its widest. */
static void test_eval_report__text_keeps_to_its_columns(void **state)
{
    enum {
        MANY = 9
    };
    static tacho_eval_predictor many[MANY];
    static char names[MANY][64];
    for (int p = 0; p < MANY; p++) {
        many[p] = predictors[0];
        snprintf(names[p], sizeof names[p], "%s%d", p % 2 ? "p" : "a predictor with a long name, µ-", p);
        many[p].name = names[p];
    }
    tacho_eval_result r = result;
    r.predictors = many;
    r.predictor_count = MANY;
    report_eval e = subject;
    e.result = &r;
    tacho_str all = {0};
    report_eval_text(&all, &e, false);
    assert_false(all.failed);
    size_t pairs = 0;
    for (char *line = strtok(all.data, "\n"); line; line = strtok(NULL, "\n")) {
        assert_true(tacho_str_columns(line) <= report_line_columns());
        assert_true(line[strlen(line) - 1] != ' ');
        for (const char *at = line; (at = strstr(at, "1.00 / ")); at++)
            pairs++;
    }
    assert_int_equal(pairs, 2 * MANY); /* the groups with one block, nobody left out */
    tacho_str_free(&all);
}

static void test_eval_report__one_predictor_has_intervals_by_group(void **state)
{
    tacho_eval_result r = result;
    r.predictor_count = 1;
    report_eval e = subject;
    e.result = &r;
    tacho_str all = {0};
    report_eval_text(&all, &e, false);
    const char *by = strstr(all.data, "\nBy application\n");
    assert_non_null(by);
    assert_non_null(strstr(by, "Kendall's tau\nµ|<lib>&co_$%#{~^}       1       0    1.00"));
    tacho_str_free(&all);
}

/* Messages that differ in each block do not fill the report, and none is forgotten in the counts. */
static void test_eval_report__counts_messages_that_it_does_not_list(void **state)
{
    static char texts[MESSAGES][32];
    static tacho_eval_prediction failures[2 * MESSAGES];
    static tacho_eval_block many[2 * MESSAGES];
    for (int i = 0; i < 2 * MESSAGES; i++) {
        snprintf(texts[i % MESSAGES], sizeof *texts, "message %02d", i % MESSAGES);
        failures[i] = (tacho_eval_prediction){NAN, i >= MESSAGES + 1 ? "often" : texts[i % MESSAGES], false};
        many[i] = blocks[0];
    }
    tacho_eval_predictor p = {"p", failures, NOTHING(2 * MESSAGES), NULL, NULL, 0, "", NAN, 0};
    tacho_eval_result r = {many, 2 * MESSAGES, NULL, 0, &p, 1, result.options};
    report_eval e = {&r, "m.csv", false, NULL, NULL, 0};
    json_t *j = report_eval_json(&e), *of = json_array_get(json_object_get(j, "predictors"), 0);
    json_t *list = json_object_get(of, "failure_messages");
    json_int_t sum = json_integer_value(json_object_get(of, "failures_with_other_messages"));
    assert_int_equal(sum, 11);
    for (size_t i = 0; i < json_array_size(list); i++)
        sum += json_integer_value(json_object_get(json_array_get(list, i), "count"));
    assert_int_equal(sum, 2 * MESSAGES);
    assert_string_equal(json_string_value(json_object_get(json_array_get(list, 0), "message")), "often");
    assert_string_equal(json_string_value(json_object_get(json_array_get(list, 1), "message")), "message 00");
    json_decref(j);
    tacho_str text = {0};
    report_eval_text(&text, &e, false);
    assert_non_null(strstr(text.data, "\n          59  often\n           2  message 00\n"));
    assert_non_null(strstr(text.data, "\n          56  with 56 other messages\n"));
    tacho_str_free(&text);
}

static void test_eval_bins__count_every_block_once(void **state)
{
    static const tacho_eval_block at[] = {{"90", 0.4999, ""}, {"90", 1.7501, ""}, {"90", 10.06, ""},
                                          {"90", 10.07, ""},  {"90", 1, ""},      {"90", 2, ""}};
    static const tacho_eval_prediction to[] = {{0.5, "", false}, {1.7499, "", false}, {0, "", false},
                                               {1, "", false},   {10.07, "", false},  {NAN, "", false}};
    tacho_eval_predictor p = {"p", to, NOTHING(1), NULL, NULL, 0, "", NAN, 0};
    tacho_eval_result r = {at, 6, NULL, 0, &p, 1, result.options};
    static eval_heat heat;
    tacho_eval_heat_fill(&heat, &r, 0);
    assert_int_equal(heat.shown, 3);
    assert_int_equal(heat.beyond, 1);
    assert_int_equal(heat.most, 1);
    assert_int_equal(heat.counts[4][4], 1);
    assert_int_equal(heat.counts[14][14], 1);
    assert_int_equal(heat.counts[0][80], 1);
    assert_int_equal(tacho_eval_heat_measured(&r), 5);
}

static void test_eval_bins__shares_of_errors(void **state)
{
    static const tacho_eval_block at[] = {
        {"90", 1, ""}, {"90", 1, ""}, {"90", 1, ""}, {"90", 1, ""}, {"90", 1, ""}};
    static const tacho_eval_prediction to[] = {
        {1, "", false}, {1.1, "", false}, {0.99, "", false}, {12, "", false}, {NAN, "", false}};
    tacho_eval_predictor p = {"p", to, NOTHING(1), NULL, NULL, 0, "", NAN, 0};
    tacho_eval_result r = {at, 5, NULL, 0, &p, 1, result.options};
    double shares[EVAL_ERROR_POINTS];
    tacho_eval_error_shares(shares, &r, 0);
    assert_true(shares[0] == 0.25);
    assert_true(shares[EVAL_ERROR_PER_DECADE - 1] == 0.25 && shares[EVAL_ERROR_PER_DECADE] == 0.5);
    assert_true(shares[2 * EVAL_ERROR_PER_DECADE - 1] == 0.5 && shares[2 * EVAL_ERROR_PER_DECADE] == 0.75);
    assert_true(shares[EVAL_ERROR_POINTS - 1] == 0.75);
    assert_true(fabs(tacho_eval_error_at(EVAL_ERROR_POINTS - 1) - 10) < 1e-9);
    r.block_count = 0;
    tacho_eval_error_shares(shares, &r, 0);
    assert_true(isnan(shares[0]));
}

/* Runs it. @return bytes that come out; 0 when gnuplot fails or says anything */
static size_t drawn(const tacho_str *script, const char *begins)
{
    char path[] = "/tmp/tacho-test-XXXXXX", command[100], start[8] = "";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, script->data, script->length), script->length);
    close(fd);
    snprintf(command, sizeof command, "LC_ALL=C.UTF-8 gnuplot -d %s 2>&1", path);
    FILE *f = popen(command, "r");
    assert_non_null(f);
    size_t n = fread(start, 1, sizeof start, f), all = n;
    char rest[4096];
    while ((n = fread(rest, 1, sizeof rest, f)) > 0)
        all += n;
    bool ok = pclose(f) == 0 && !memcmp(start, begins, strlen(begins));
    unlink(path);
    return ok ? all : 0;
}

/* Also with names that mean something in gnuplot, and with nothing to show. */
static void test_eval_plot__gnuplot_draws_it(void **state)
{
    if (system("gnuplot --version >/dev/null 2>&1")) {
        printf("skipped: no gnuplot (Debian: apt-get install gnuplot-nox)\n");
        skip();
    }
    tacho_eval_predictor named[] = {predictors[0], predictors[1]};
    named[0].name =
        "'.`touch /tmp/tacho-test-was-here`.\"\\n$(@{x} a name too long for any title or legend there is";
    tacho_eval_result r = result;
    r.predictors = named;
    report_eval e = subject;
    e.result = &r;
    for (int png = 0; png < 2; png++) {
        const char *begins = png ? "\x89PNG" : "<?xml";
        tacho_str script = {0};
        report_plot_heat_maps(&script, &e, png);
        assert_false(script.failed);
        assert_true(drawn(&script, begins) > 2000);
        tacho_str_free(&script);
    }
    assert_int_not_equal(access("/tmp/tacho-test-was-here", F_OK), 0);
}

/* What it allocates fails one after the other: there is no report, and no crash. */
static void test_eval_report__runs_out_of_memory(void **state)
{
    for (unsigned long n = 1;; n++) {
        tacho_str text = {0}, page = {0};
        tacho_mem_fail_at(n);
        report_eval_text(&text, &subject, false);
        report_eval_draw(&page, &subject);
        tacho_mem_fail_at(0);
        bool failed = text.failed || page.failed;
        tacho_str_free(&page);
        tacho_str_free(&text);
        if (!failed) {
            assert_true(n > 10);
            break;
        }
    }
}

static bool write_page(const char *path)
{
    tacho_str page = {0};
    report_eval_draw(&page, &subject);
    FILE *f = fopen(path, "wb");
    bool ok = f && !page.failed && fwrite(page.data, 1, page.length, f) == page.length;
    ok = f && fclose(f) == 0 && ok;
    tacho_str_free(&page);
    return ok;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_eval_report__is_what_it_was),
        cmocka_unit_test(test_eval_report__text_keeps_to_its_columns),
        cmocka_unit_test(test_eval_report__one_predictor_has_intervals_by_group),
        cmocka_unit_test(test_eval_report__counts_messages_that_it_does_not_list),
        cmocka_unit_test(test_eval_bins__count_every_block_once),
        cmocka_unit_test(test_eval_bins__shares_of_errors),
        cmocka_unit_test(test_eval_plot__gnuplot_draws_it),
        cmocka_unit_test(test_eval_report__runs_out_of_memory),
    };
    if (argc < 2)
        return 2;
    if (!strcmp(argv[1], "--page"))
        return argc < 3 || !write_page(argv[2]);
    expected_path = argv[1];
    update = argc > 2 && !strcmp(argv[2], "--update");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
