/* test_records.c - optimisation records: what is read of each form, and which remarks are on a place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "base/scratch.h"
#include "study/records/records.h"

static tacho_error err;

/* Written to a file, as the only one, or the second of a folder's. @return the records; NULL: `expected` */
static tacho_opt_records *read_as(const char *name, const char *text, int expected)
{
    char folder[4096];
    const char *paths[] = {folder};
    tacho_opt_records *r;
    if (tacho_scratch_make(folder, sizeof folder, &err) ||
        tacho_scratch_write(folder, name, text, strlen(text)))
        fail_msg("no scratch folder");
    size_t length = strlen(folder);
    if (!strstr(name, ".opt"))
        snprintf(folder + length, sizeof folder - length, "/%s", name);
    int rc = tacho_opt_records_read(&r, paths, 1, &err);
    folder[length] = '\0';
    tacho_scratch_remove(folder);
    if (rc != expected)
        fail_msg("%s: %d: %s", text, rc, rc ? err.message : "");
    return r;
}

static void check(const tacho_remark *r, tacho_remark_kind kind, tacho_remark_about about, const char *file,
                  uint32_t line, const char *text)
{
    assert_int_equal(r->kind, kind);
    assert_int_equal(r->about, about);
    assert_string_equal(r->file, file);
    assert_int_equal(r->line, line);
    assert_string_equal(r->text, text);
}

#ifdef TACHO_WITH_YAML
static const char yaml[] = "--- !Missed\n"
                           "Pass:            loop-vectorize\n"
                           "Name:            MissedDetails\n"
                           "DebugLoc:        { File: 'src/a.c', Line: 7, Column: 5 }\n"
                           "Function:        _Z1fPdi\n"
                           "Args:\n"
                           "  - String:          loop not vectorized\n"
                           "...\n"
                           "--- !Analysis\n"
                           "Pass:            asm-printer\n"
                           "Name:            InstructionCount\n"
                           "DebugLoc:        { File: 'src/a.c', Line: 7, Column: 5 }\n"
                           "Function:        _Z1fPdi\n"
                           "Args:\n"
                           "  - NumInstructions: '4'\n"
                           "...\n"
                           "--- !Passed\n"
                           "Pass:            inline\n"
                           "Name:            Inlined\n"
                           "DebugLoc:        { File: 'src/a.c', Line: 8, Column: 9 }\n"
                           "Function:        _Z1fPdi\n"
                           "Args:\n"
                           "  - Callee:          g\n"
                           "    DebugLoc:        { File: 'src/b.c', Line: 99, Column: 1 }\n"
                           "  - String:          ' inlined into '\n"
                           "  - Caller:          f\n"
                           "...\n";

static void test_read__clang(void **state)
{
    tacho_opt_records *r = read_as("a.opt.yaml", yaml, 0);
    assert_true(r->count == 2 && r->files == 1);
    check(&r->list[0], TACHO_REMARK_MISSED, TACHO_ABOUT_VECTORISATION, "src/a.c", 7, "loop not vectorized");
    assert_string_equal(r->list[0].function, "f(double*, int)");
    check(&r->list[1], TACHO_REMARK_DONE, TACHO_ABOUT_INLINING, "src/a.c", 8, "g inlined into f");
    tacho_opt_records_free(r);
    static const char *const damaged[] = {"--- !Missed\nPass: [", "--- !Other\nPass: inline\n...\n",
                                          "--- !Missed\n\t\n", "--- !Missed &a\nArgs: *b\n..."};
    for (size_t i = 0; i < 3; i++)
        assert_null(read_as("a.opt.yaml", damaged[i], TACHO_ERR_INPUT));
    tacho_opt_records_free(read_as("a.opt.yaml", damaged[3], 0));
}
#endif

static const char json[] =
    "[{\"format\": \"1\"}, [{\"id\": \"1\", \"name\": \"x\", \"children\": [{\"id\": \"2\", \"name\": "
    "\"vect\"}]},"
    "{\"id\": \"3\", \"name\": \"slp\"}],"
    "[{\"kind\": \"failure\", \"pass\": \"2\", \"function\": \"f\", \"location\": {\"file\": \"a.c\", "
    "\"line\": 3, "
    "\"column\": 2}, \"message\": [\"couldn't vectorize \", {\"expr\": \"x_1\"}, \"\\nmore\"],"
    "\"children\": [{\"kind\": \"failure\", \"pass\": \"2\", \"location\": {\"file\": \"a.c\", \"line\": 3}, "
    "\"message\": [\"inner\"]}]},"
    "{\"kind\": \"failure\", \"pass\": \"2\", \"inlining_chain\": [{\"fndecl\": \"g\"}, {\"fndecl\": "
    "\"h\"}], "
    "\"location\": {\"file\": \"a.c\", \"line\": 4}, \"message\": [\"not vectorized: no\"]},"
    "{\"kind\": \"failure\", \"pass\": \"3\", \"location\": {\"file\": \"a.c\", \"line\": 4}, \"message\": "
    "[\"x\"]},"
    "{\"kind\": \"note\", \"pass\": \"2\", \"location\": {\"file\": \"a.c\", \"line\": 4}, \"message\": "
    "[\"x\"]}]]";

static void test_read__gcc(void **state)
{
    tacho_opt_records *r = read_as("a.opt-record.json", json, 0);
    assert_int_equal(r->count, 2);
    check(&r->list[0], TACHO_REMARK_MISSED, TACHO_ABOUT_VECTORISATION, "a.c", 3, "couldn't vectorize x_1");
    check(&r->list[1], TACHO_REMARK_REASON, TACHO_ABOUT_VECTORISATION, "a.c", 4, "not vectorized: no");
    assert_string_equal(r->list[0].pass, "vect");
    assert_string_equal(r->list[1].function, "h");
    tacho_opt_records_free(r);
    static const char *const damaged[] = {"[{", "[{}]", "[{}, [], {}]", "[{}, 1, []]"};
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++)
        assert_null(read_as("a.opt-record.json", damaged[i], TACHO_ERR_INPUT));
}

static void test_read__text(void **state)
{
    tacho_opt_records *r = read_as("log.txt",
                                   "gcc -O3 -c a.c\n"
                                   "/x/a.c:7:26: missed: couldn't vectorize loop\n"
                                   "/x/a.c:3:58: missed: not vectorized: unsupported use in stmt.\n"
                                   "/x/a.c:9:2: missed:   statement clobbers memory: g (i_9);\n"
                                   "/x/a.c:24:23: optimized: loop vectorized using 16 byte vectors\n"
                                   "a.c:1: warning: missed: not a remark\n"
                                   "a.c:24:23: optimized:  Inlining g/0 into f/1.",
                                   0);
    assert_int_equal(r->count, 5);
    check(&r->list[0], TACHO_REMARK_MISSED, TACHO_ABOUT_VECTORISATION, "/x/a.c", 7,
          "couldn't vectorize loop");
    check(&r->list[2], TACHO_REMARK_REASON, TACHO_ABOUT_VECTORISATION, "/x/a.c", 9,
          "statement clobbers memory: g (i_9);");
    check(&r->list[4], TACHO_REMARK_DONE, TACHO_ABOUT_INLINING, "a.c", 24, "Inlining g/0 into f/1.");
    assert_int_equal(r->list[4].column, 23);
    tacho_opt_records_free(r);
    assert_null(read_as("log.txt", "nothing here\n", TACHO_ERR_INPUT));
    assert_null(read_as("log.txt", "REMARKS", TACHO_ERR_INPUT));
}

static void test_read__a_folder_without_records(void **state)
{
    const char *nowhere[] = {"/nowhere/at/all"}, *device[] = {"/dev/null"};
    tacho_opt_records *r;
    assert_null(read_as("x.opt", "", TACHO_ERR_INPUT)); /* a name that is no record's */
    assert_non_null(strstr(err.message, "-fsave-optimization-record"));
    assert_int_equal(tacho_opt_records_read(&r, nowhere, 1, &err), TACHO_ERR_INPUT);
    assert_int_equal(tacho_opt_records_read(&r, device, 1, &err), TACHO_ERR_INPUT);
    tacho_opt_records_free(read_as("x.opt.yaml", "", 0)); /* of a file without functions */
}

/* ---- places ---- */

static tacho_hot_insn code[] = {{.source_file = "/home/u/p/src/a.c", .source_line = 10},
                                {.source_file = "/home/u/p/src/a.c", .source_line = 13},
                                {.source_file = "/home/u/p/src/b.h", .source_line = 3},
                                {.source_file = NULL}};
static tacho_loop loop = {.function = "f(int)"};
static const tacho_hot_place place = {.loop = &loop, .insns = code, .insn_count = 4, .is_loop = true};

static tacho_remark remark(tacho_remark_kind kind, tacho_remark_about about, const char *function,
                           const char *file, uint32_t line, const char *text)
{
    return (tacho_remark){kind, about, "pass", function, file, line, 1, text};
}

static void test_of__lines_of_the_code(void **state)
{
    const tacho_remark list[] = {
        remark(TACHO_REMARK_REASON, TACHO_ABOUT_VECTORISATION, "f(int)", "src/a.c", 10, "why"),
        remark(TACHO_REMARK_MISSED, TACHO_ABOUT_VECTORISATION, "f(int)", "../src/a.c", 12, "between"),
        remark(TACHO_REMARK_MISSED, TACHO_ABOUT_VECTORISATION, "g", "a.c", 10, "of another function"),
        remark(TACHO_REMARK_MISSED, TACHO_ABOUT_INLINING, "f(int)", "a.c", 12, "a line without code"),
        remark(TACHO_REMARK_MISSED, TACHO_ABOUT_INLINING, NULL, "b.h", 3, "of no function"),
        remark(TACHO_REMARK_MISSED, TACHO_ABOUT_MEMORY, "f(int)", "other/a.c", 10, "another file"),
        remark(TACHO_REMARK_MISSED, TACHO_ABOUT_MEMORY, "f(int)", "aa.c", 10, "another file"),
        remark(TACHO_REMARK_MISSED, TACHO_ABOUT_MEMORY, "f(int)", "a.c", 14, "behind it"),
        remark(TACHO_REMARK_DONE, TACHO_ABOUT_UNROLLING, "f", "a.c", 13, "as C has it"),
    };
    const tacho_opt_records all = {.list = list, .count = sizeof list / sizeof *list};
    const char *expected[] = {"between", "why", "as C has it", "of no function"};
    const tacho_remark *found[8];
    assert_int_equal(tacho_opt_records_of(&all, &place, found, 8), 4);
    for (int i = 0; i < 4; i++)
        assert_string_equal(found[i]->text, expected[i]);
    assert_int_equal(tacho_opt_records_of(&all, &place, found, 2), 4);
    loop.function = NULL;
    assert_int_equal(tacho_opt_records_of(&all, &place, found, 8), 5);
    loop.function = "f(int)";
}

static void test_of__each_once(void **state)
{
    static const char text[] = "twice";
    const tacho_remark list[] = {remark(TACHO_REMARK_DONE, TACHO_ABOUT_OTHER, "f", "a.c", 10, text),
                                 remark(TACHO_REMARK_DONE, TACHO_ABOUT_OTHER, "f", "a.c", 10, text)};
    const tacho_opt_records all = {.list = list, .count = 1}, twice = {.list = list, .count = 2};
    const tacho_remark *found[8];
    assert_int_equal(tacho_opt_records_of(&all, &place, found, 8), 1);
    /* the file's name is the same text in all remarks that were read */
    assert_int_equal(tacho_opt_records_of(&twice, &place, found, 8), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifdef TACHO_WITH_YAML
        cmocka_unit_test(test_read__clang),
#endif
        cmocka_unit_test(test_read__gcc),
        cmocka_unit_test(test_read__text),
        cmocka_unit_test(test_read__a_folder_without_records),
        cmocka_unit_test(test_of__lines_of_the_code),
        cmocka_unit_test(test_of__each_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
