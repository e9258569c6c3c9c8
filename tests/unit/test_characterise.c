/* test_characterise.c - instructions made from forms, and the chains that latencies are measured by. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "characterise/instance.h"
#include "insndb/tables.h"

static bool is_expected_refusal(const char *why)
{
    return strcmp(why, "has no encoding that could be made") != 0;
}

static void test_instance__every_form_is_made_or_says_why_not(void **state)
{
    unsigned made = 0, refused = 0, failed = 0;
    (void)state;
    for (uint32_t id = 0; id < tacho_form_count(); id++) {
        instance_choice choice;
        tacho_insn insn;
        const char *why = NULL;
        char name[128];
        instance_defaults(&choice, id);
        tacho_form_name(id, name, sizeof name);
        if (instance_make(&insn, id, &choice, &why) == TACHO_OK) {
            tacho_form form;
            tacho_figures figures;
            tacho_insndb_match(&tacho_gen_archs[0].arch, &insn, &form, &figures);
            assert_int_equal(form.id, id);
            made++;
            continue;
        }
        assert_non_null(why);
        if (is_expected_refusal(why)) {
            refused++;
        } else {
            failed++;
            if (getenv("VERBOSE"))
                print_message("%s: %s\n", name, why);
        }
    }
    print_message("%u forms made, %u must not run, %u cannot be made\n", made, refused, failed);
    assert_true(made + failed > 0 && made >= (made + failed) * 9 / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_instance__every_form_is_made_or_says_why_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
