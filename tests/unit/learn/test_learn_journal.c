/* test_learn_journal.c - what a processor has answered is kept, and read again: also where a line was cut
 * off, and never for another processor. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/file.h"
#include "learn/subject.h"

#define HEAD "# answers of a processor to tacho learn, 1: "

static char folder[256], path[300];

static int make_folder(void **state)
{
    (void)state;
    tacho_error err;
    int failed = tacho_scratch_make(folder, sizeof folder, &err);
    snprintf(path, sizeof path, "%s/x.journal", folder);
    return failed;
}

static int remove_folder(void **state)
{
    (void)state;
    tacho_scratch_remove(folder);
    return 0;
}

static void append(const char *text)
{
    FILE *f = fopen(path, "a");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static double time_nops(subject *s, unsigned count)
{
    subject_loop loop = {.mode = TACHO_MODE_LOOP};
    assert_int_equal(subject_add(&loop, "nop", count, NULL), 0);
    assert_int_equal(subject_time(s, &loop, 1, NULL), 0);
    double cycles = loop.cycles;
    subject_loop_free(&loop);
    return cycles;
}

static subject *simulated(const char *name)
{
    subject *s = subject_of_core(tacho_arch_find(name, NULL), NULL);
    assert_non_null(s);
    return s;
}

static void test_resumed(void **state)
{
    (void)state;
    double cycles[3];
    tacho_error err;
    subject *s = simulated("SKL");
    unlink(path);
    assert_int_equal(subject_journal(s, path, false, &err), 0);
    for (unsigned i = 0; i < 3; i++)
        cycles[i] = time_nops(s, 20 + 7 * i);
    assert_int_equal(s->timed, 3);
    subject_free(s);
    append("0123456789abcdef0123456789abcdef ok 3.5 0"); /* cut off */
    for (unsigned again = 0; again < 2; again++) {
        s = simulated("SKL");
        assert_int_equal(subject_journal(s, path, true, &err), 0);
        for (unsigned i = 0; i < 3; i++)
            assert_true(fabs(time_nops(s, 20 + 7 * i) - cycles[i]) < 1e-6);
        assert_int_equal(s->timed, 0);
        time_nops(s, 101 + again); /* behind the line that was cut off */
        assert_int_equal(s->timed, 1);
        subject_free(s);
    }
}

static void test_refused(void **state)
{
    (void)state;
    tacho_error err;
    subject *s = simulated("SKL");
    unlink(path);
    assert_int_equal(subject_journal(s, path, true, &err), 0);
    time_nops(s, 20);
    subject_free(s);
    s = simulated("SKL");
    assert_int_equal(subject_journal(s, path, false, &err), TACHO_ERR_INPUT);
    assert_non_null(strstr(err.message, "answers in it already"));
    subject_free(s);
    s = simulated("HSW");
    assert_int_equal(subject_journal(s, path, true, &err), TACHO_ERR_INPUT);
    assert_non_null(strstr(err.message, "another processor: SKL as modelled"));
    assert_non_null(strstr(err.message, "not HSW as modelled"));
    subject_free(s);
    unlink(path);
    append("something else\n");
    s = simulated("HSW");
    assert_int_equal(subject_journal(s, path, true, &err), TACHO_ERR_INPUT);
    assert_non_null(strstr(err.message, "no journal of tacho learn"));
    subject_free(s);
}

/* Of lines only whole and sound ones count; of several about the same code the last one. */
static void test_lines(void **state)
{
    (void)state;
    char text[] =
        HEAD "me\n"
             "# blocks: rob_width 224 is adopted\n" /* a remark, with a name of an earlier version */
             "00000000000000010000000000000002 ok 4 0.01 .\n"
             "00000000000000010000000000000002 ok 5 0.01 .\n"
             "00000000000000010000000000000003 unsupported nan 0 .\n"
             "00000000000000010000000000000004 ok 4 0.01\n"
             "00000000000000010000000000000004 ok -4 0.01 .\n"
             "00000000000000010000000000000004 ok inf 0.01 .\n"
             "00000000000000010000000000000004 fine 4 0.01 .\n"
             "00000000000000010000000000000004 ok 4x 0.01 .\n"
             "00000000000000010000000000000004 ok 4 0.01 . .\n"
             "0000000000000001000000000000000g ok 4 0.01 .\n"
             "4 ok 4 0.01 .\n"
             "00000000000000010000000000000004 ok 4 0.01 .";
    answers a = {0};
    tacho_error err;
    text[strlen(text) - 1] = '\0'; /* its dot */
    assert_int_equal(answers_parse(&a, text, "me", "it", &err), 0);
    assert_int_equal(a.count, 2);
    const answer *first = answers_find(&a, (const uint64_t[2]){1, 2});
    assert_non_null(first);
    assert_true(first->cycles == 5 && first->uncertainty == 0.01);
    assert_int_equal(answers_find(&a, (const uint64_t[2]){1, 3})->status, TACHO_MEASURED_UNSUPPORTED);
    answers_free(&a);
}

static bool stop_now(void *payload)
{
    return *(bool *)payload;
}

/* What was answered before the user cancelled stays. */
static void test_cancelled(void **state)
{
    (void)state;
    bool cancelled = false;
    tacho_error err;
    subject_loop loop = {.mode = TACHO_MODE_LOOP};
    subject *s = simulated("SKL");
    unlink(path);
    s->stop = stop_now;
    s->payload = &cancelled;
    assert_int_equal(subject_journal(s, path, false, &err), 0);
    time_nops(s, 20);
    cancelled = true;
    assert_int_equal(subject_add(&loop, "nop", 30, NULL), 0);
    assert_int_equal(subject_time(s, &loop, 1, &err), TACHO_ERR_CANCELLED);
    subject_loop_free(&loop);
    subject_free(s);
    s = simulated("SKL");
    assert_int_equal(subject_journal(s, path, true, &err), 0);
    time_nops(s, 20);
    assert_int_equal(s->timed, 0);
    subject_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_resumed),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_cancelled),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
