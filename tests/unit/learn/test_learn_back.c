/* test_learn_back.c - what the experiments about what waits, memory and branches find on simulated cores is
 * what these cores are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "../../support/sanitized.h"
#include "learn/lab.h"
#include "tacho/arch.h"

/* Needs of the others, and the part that is tested. */
static bool runs(const experiment *x, const char *part)
{
    return !strcmp(x->part, part) || !strcmp(x->name, "issue-width");
}

static void compare(const lab *l, const tacho_arch *core, const char *name, const char *expected)
{
    char text[80];
    tacho_arch_parameter p;
    const finding *f = lab_finding(l, name);
    for (size_t i = 0; !expected && !tacho_arch_parameter_get(i, &p); i++)
        if (!strcmp(p.name, name)) {
            tacho_arch_parameter_text(core, i, text, sizeof text);
            expected = text;
        }
    if (!f || f->state != FINDING_MEASURED)
        fail_msg("%s: %s was not found: %s", tacho_arch_name(core), name, f ? f->why : "no experiment");
    if (!expected || strcmp(f->value, expected) != 0)
        fail_msg("%s: %s was found to be %s; it is %s", tacho_arch_name(core), name, f->value, expected);
}

/* `names`: parameters that must be found to be the core's own, or NAME=VALUE. */
static void check(const char *part, const char *core_name, const char *changed, const char *value,
                  const char *names)
{
    char list[1000], *rest = NULL;
    tacho_error err;
    tacho_arch *core = tacho_arch_copy(tacho_arch_find(core_name, &err));
    assert_non_null(core);
    if (changed && tacho_arch_parameter_set(core, changed, value, &err))
        fail_msg("%s", err.message);
    subject *s = subject_of_core(core, &err);
    assert_non_null(s);
    lab l = {.s = s, .err = &err};
    for (const experiment *x = learn_experiments; x->part; x++) {
        if (runs(x, part) && lab_run(&l, x))
            fail_msg("%s: %s: %s", core_name, x->name, err.message);
    }
    assert_true(strlen(names) < sizeof list);
    strcpy(list, names);
    for (char *name = strtok_r(list, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
        char *equals = strchr(name, '=');
        if (equals)
            *equals = 0;
        compare(&l, core, name, equals ? equals + 1 : NULL);
    }
    lab_free(&l);
    subject_free(s);
    tacho_arch_free(core);
}

typedef struct truth {
    const char *core, *changed, *value, *names;
} truth;

#define INTEL                                                                                                \
    "rob_entries rs_entries rs_address_entries free_general_registers alu_scheduler_entries "                \
    "address_scheduler_entries vector_scheduler_entries vector_queue_entries vector_second_ports "
#define AMD "rob_entries free_general_registers alu_scheduler_entries address_scheduler_entries "

static void test_queues(void **state)
{
    (void)state;
    /* Of two schedulers of vectors no more is seen than the number of their places, and that not exactly; nor
     * exactly of one for ALUs that addresses share, and are bound in. */
    static const truth truths[] = {
        {"SNB", NULL, NULL, INTEL},
        {"CLX", NULL, NULL, INTEL},
        {"ICL", "store_buffer_by_group", "no", INTEL "store_buffer_entries"},
        {"ADL", "store_buffer_by_group", "no", INTEL "store_buffer_entries"},
        {"ZEN2", NULL, NULL, AMD "vector_scheduler_entries vector_queue_entries rs_entries"},
        {"ZEN3", "shared_scheduler_entries", "0",
         AMD "store_buffer_entries vector_scheduler_entries=66 vector_queue_entries=62"},
        {"ZEN3", NULL, NULL, "rob_entries alu_scheduler_entries=95 address_scheduler_entries=74"},
        {"ZEN5", NULL, NULL, AMD "store_buffer_entries vector_scheduler_entries=76"},
        {"SKL", "rob_entries", "300", "rob_entries rs_entries"},
        {"ZEN3", "alu_scheduler_entries", "60", "rob_entries alu_scheduler_entries=59"},
    };
    for (size_t i = 0; i < sizeof truths / sizeof *truths; i += SANITIZED ? 4 : 1)
        check("queues", truths[i].core, truths[i].changed, truths[i].value, truths[i].names);
}

#define LOADS                                                                                                \
    "load_latency_cycles scaled_index_cycles fast_pointer_chasing split_access_cycles mem256_two_cycles "
#define STORES                                                                                               \
    "store_forward_cycles forward_missed_cycles blocked_load_cycles renames_memory renames_stack "           \
    "paired_stores_same_line store_gather_lines stores_made_most "
#define PLAIN LOADS STORES "store_forward_vector_cycles forward_waiting_loads "
#define RENAMES                                                                                              \
    "renames_zero_extended renames_words renames_across_lines renames_as_measured renames_bytes "            \
    "renames_any_base renames_plain_load_ops renames_a_cycle "

static void test_memory(void **state)
{
    (void)state;
    static const truth truths[] = {
        {"SNB", NULL, NULL, PLAIN},
        {"HSW", NULL, NULL, PLAIN},
        {"SKL", NULL, NULL, PLAIN},
        {"CLX", NULL, NULL, LOADS STORES "store_forward_vector_cycles"},
        {"ICL", NULL, NULL, PLAIN},
        {"ADL", NULL, NULL, PLAIN RENAMES},
        {"ZEN2", NULL, NULL, LOADS STORES RENAMES},
        {"ZEN3", NULL, NULL, PLAIN},
        {"ZEN4", NULL, NULL, PLAIN RENAMES},
        {"ZEN5", NULL, NULL, PLAIN RENAMES},
        {"SKL", "load_latency_cycles", "7", LOADS},
        {"SKL", "store_forward_cycles", "6", PLAIN},
        {"ZEN5", "store_gather_lines", "5", PLAIN},
        {"ZEN5", "renames_across_lines", "no", PLAIN RENAMES},
        {"ZEN4", "scaled_index_cycles", "0", LOADS},
        {"ZEN4", "stores_made_most", "5", "stores_made_most"},
        {"ZEN3", NULL, NULL, "stores_made_most stores_made_anywhere"},
        {"ZEN4", NULL, NULL, "stores_made_most stores_made_anywhere"},
        {"ZEN4", "stores_made_anywhere", "no", "stores_made_anywhere"},
    };
    for (size_t i = 0; i < sizeof truths / sizeof *truths; i += SANITIZED ? 4 : 1)
        check("memory", truths[i].core, truths[i].changed, truths[i].value, truths[i].names);
}

static void test_latencies(void **state)
{
    (void)state;
    static const truth truths[] = {
        {"SNB", NULL, NULL, "fp_add_forward_cycles bypass_ports bypass_fp_cycles"},
        {"SKL", NULL, NULL, "fp_add_forward_cycles bypass_fp_cycles"},
        {"ADL", NULL, NULL, "fp_add_forward_cycles fp_add_forward_bits bypass_ports bypass_fp_cycles"},
        {"ZEN4", NULL, NULL, "fp_add_forward_cycles bypass_ports bypass_fp_cycles"},
        {"ZEN5", NULL, NULL, "fp_add_forward_cycles fp_add_forward_bits bypass_ports bypass_fp_cycles"},
    };
    for (size_t i = 0; i < sizeof truths / sizeof *truths; i += SANITIZED ? 4 : 1)
        check("latencies", truths[i].core, truths[i].changed, truths[i].value, truths[i].names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_queues),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_latencies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
