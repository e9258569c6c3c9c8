/* test_learn_front.c - what the experiments of the front end and the renamer find on simulated cores is what
 * these cores are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "study/learn/lab.h"
#include "tacho/arch.h"

static bool is_of_front(const experiment *x)
{
    return !strcmp(x->part, "front-end") || !strcmp(x->part, "rename");
}

static void run_all(lab *l)
{
    tacho_error err;
    for (const experiment *x = learn_experiments; x->part; x++) {
        l->running = x;
        if (is_of_front(x) && x->run(l, &err))
            fail_msg("%s: %s", x->name, err.message);
    }
}

/* What of the core is not as was found; false where it is no parameter. */
static bool truth_of(const tacho_arch *core, const char *name, char *text, size_t size)
{
    tacho_arch_parameter p;
    for (size_t i = 0; !tacho_arch_parameter_get(i, &p); i++)
        if (!strcmp(p.name, name)) {
            tacho_arch_parameter_text(core, i, text, size);
            return true;
        }
    return false;
}

static void compare(const lab *l, const tacho_arch *core)
{
    char text[80];
    unsigned wrong = 0;
    for (size_t i = 0; i < l->finding_count; i++) {
        const finding *f = &l->findings[i];
        if (f->state != FINDING_MEASURED || !truth_of(core, f->name, text, sizeof text))
            continue;
        if (strcmp(text, f->value) != 0) {
            print_error("%s: %s was found to be %s; it is %s\n", tacho_arch_name(core), f->name, f->value,
                        text);
            wrong++;
        }
    }
    if (wrong)
        fail_msg("%u findings are wrong", wrong);
}

/* Each core, and the findings that it must have. */
static const struct {
    const char *core, *measured;
} cores[] = {
    {"SNB", "issue_width retire_width"},  {"HSW", "issue_width retire_width"},
    {"SKL", "issue_width retire_width"},  {"CLX", "issue_width retire_width"},
    {"ICL", "issue_width retire_width"},  {"ADL", "issue_width retire_width"},
    {"ZEN2", "issue_width retire_width"}, {"ZEN4", "issue_width retire_width"},
    {"ZEN5", "issue_width retire_width"},
};

static void test_findings_are_what_the_core_is(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cores / sizeof *cores; i++) {
        tacho_error err;
        const tacho_arch *core = tacho_arch_find(cores[i].core, &err);
        char names[1000], *rest = NULL;
        assert_non_null(core);
        subject *s = subject_of_core(core, &err);
        assert_non_null(s);
        lab l = {.s = s};
        run_all(&l);
        compare(&l, core);
        snprintf(names, sizeof names, "%s", cores[i].measured);
        for (char *name = strtok_r(names, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
            const finding *f = lab_finding(&l, name);
            if (!f || f->state != FINDING_MEASURED)
                fail_msg("%s: %s was not found: %s", cores[i].core, name, f ? f->why : "nothing said");
        }
        lab_free(&l);
        subject_free(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_findings_are_what_the_core_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
