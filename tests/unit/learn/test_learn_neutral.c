/* test_learn_neutral.c - every parameter has a value for where nothing has decided it, and all experiments
 * find parameters that there are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "learn/lab.h"
#include "learn/learn_internal.h"

/* What 0, "no" or no ports turn off, without a row of its own. */
static const char turned_off[] =
    "fuses_nops fuses_moves dsb_rows dsb_needs_both_halves dsb_extra_slots dsb_extra_slot_ends_cycle "
    "lsd_enabled lsd_unroll issue_constants issue_alu_uops move_elim_except_slot "
    "movzx_high8_alias_eliminated "
    "stack_sync_always simd_disabled_with_zmm_ports alu_scheduler_parts shared_scheduler_entries "
    "shared_scheduler_uops alu_balance_uops "
    "address_release_cycles fp_add_forward_cycles third_source_ports bypass_fp_cycles "
    "mem256_two_cycles scaled_index_cycles fast_pointer_chasing forward_missed_cycles "
    "forward_link_cycles renames_memory renames_stack renames_a_cycle store_gather_lines "
    "store_lines_ahead store_write_bytes stored_immediates_use_alu stores_made_most";

/* Of a parameter that is new somebody has to say so, or what else it is. */
static bool is_turned_off(const char *name)
{
    const experiment list = {.parameters = turned_off};
    return experiment_finds(&list, name);
}

static void test_every_parameter_has_a_value(void **state)
{
    (void)state;
    tacho_arch_parameter p;
    for (size_t i = 0; !tacho_arch_parameter_get(i, &p); i++) {
        const learn_neutral *n = learn_neutral_of(p.name);
        if (!n)
            fail_msg("%s has no neutral value", p.name);
        assert_true(n->value && n->why && strlen(n->why) > 8);
        if (!n->name && !is_turned_off(p.name))
            fail_msg("%s: is it off at %s? Else it needs a row in learn_neutral.c", p.name, n->value);
    }
    assert_null(learn_neutral_of("nonsense"));
}

static void test_all_values_together_are_a_legal_core(void **state)
{
    (void)state;
    tacho_error err;
    tacho_arch_parameter p;
    tacho_arch *core = tacho_arch_copy(tacho_arch_get(0));
    assert_non_null(core);
    for (size_t i = 0; !tacho_arch_parameter_get(i, &p); i++)
        if (tacho_arch_parameter_set(core, p.name, learn_neutral_of(p.name)->value, &err))
            fail_msg("%s: %s", p.name, err.message);
    if (tacho_arch_check(core, &err))
        fail_msg("%s", err.message);
    tacho_arch_free(core);
}

static void test_experiments_find_parameters_that_there_are(void **state)
{
    (void)state;
    char names[1000], *rest = NULL;
    for (const experiment *x = learn_experiments; x->part; x++) {
        assert_true(strlen(x->parameters) < sizeof names);
        strcpy(names, x->parameters);
        for (char *name = strtok_r(names, " ", &rest); name; name = strtok_r(NULL, " ", &rest))
            if (!learn_neutral_of(name))
                fail_msg("experiment %s: there is no parameter %s", x->name, name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_parameter_has_a_value),
        cmocka_unit_test(test_all_values_together_are_a_legal_core),
        cmocka_unit_test(test_experiments_find_parameters_that_there_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
