/* test_suite.c - what is done with the blocks of a suite. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "tacho/suite.h"

/* The numbers come from another program that does the same arithmetic: they must never change. */
static void test_key__is_the_same_everywhere(void **state)
{
    static const uint8_t add[] = {0x48, 0x01, 0xd8}, ten[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    assert_true(tacho_suite_key(add, 3, 0) == 0x9cd46cf6d7113a19u);
    assert_true(tacho_suite_key(add, 3, 1) == 0x77c4ad8137daf905u);
    assert_true(tacho_suite_key(NULL, 0, 0) == 0x79c9ab2b96eb125fu);
    assert_true(tacho_suite_key(ten, 10, 7) == 0x28c914f254de4391u);
}

static void test_key__zeros_at_the_end_count(void **state)
{
    static const uint8_t nops[16] = {0x90};
    for (size_t a = 1; a < 16; a++)
        for (size_t b = a + 1; b <= 16; b++)
            assert_true(tacho_suite_key(nops, a, 0) != tacho_suite_key(nops, b, 0));
}

static void check_apps(const char *list, const char *expected)
{
    char found[200] = "";
    const char *name;
    size_t length;
    while (tacho_suite_next_app(&list, &name, &length)) {
        strcat(found, *found ? "|" : "");
        strncat(found, name, length);
    }
    assert_string_equal(found, expected);
}

static void test_apps__are_separated_by_semicolons_or_single_plus_signs(void **state)
{
    check_apps("gzip", "gzip");
    check_apps("gzip;sqlite", "gzip|sqlite");
    check_apps("eigen-matmat+eigen-vecmat", "eigen-matmat|eigen-vecmat");
    check_apps(" a ;; b; ", "a|b");
    check_apps("a+b;c", "a|b|c");
    check_apps("", "");
    check_apps(";", "");
}

static void test_apps__a_name_may_have_plus_signs(void **state)
{
    check_apps("g++", "g++");
    check_apps("libstdc++6;c++filt", "libstdc++6|c++filt");
    check_apps("+x", "+x");
    check_apps("x+", "x+");
    check_apps("x+;y", "x+|y");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_key__is_the_same_everywhere),
        cmocka_unit_test(test_key__zeros_at_the_end_count),
        cmocka_unit_test(test_apps__are_separated_by_semicolons_or_single_plus_signs),
        cmocka_unit_test(test_apps__a_name_may_have_plus_signs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
