/* test_learn_front.c - what the experiments of the front end and the renamer find on simulated cores is what
 * these cores are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "learn/lab.h"
#include "tacho/arch.h"
#include "x86/arch/arch_struct.h"

static bool is_of_front(const experiment *x)
{
    return !strcmp(x->part, "front-end") || !strcmp(x->part, "rename");
}

static void run_all(lab *l)
{
    for (const experiment *x = learn_experiments; x->part; x++) {
        if (is_of_front(x) && lab_run(l, x))
            fail_msg("%s: %s", x->name, l->err->message);
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

/* Whether a loop of any number of µops takes the same with both. */
static bool unrolls_alike(const tacho_arch *core, const char *value)
{
    bool alike = true;
    tacho_error err;
    tacho_arch *found = tacho_arch_copy(core);
    assert_non_null(found);
    assert_int_equal(tacho_arch_parameter_set(found, "lsd_unroll", value, &err), 0);
    /* a shorter loop takes a cycle for its branch: nothing else is lost */
    for (unsigned n = 1; n <= core->issue_width; n++)
        alike &= n * found->lsd_unroll[n] % core->issue_width == 0;
    for (unsigned n = core->issue_width + 1u; n <= core->idq_entries && n <= TACHO_LSD_UNROLL_MAX; n++) {
        unsigned a = core->lsd_unroll[n], b = found->lsd_unroll[n], width = core->issue_width;
        alike &= (n * a + width - 1) / width * b == (n * b + width - 1) / width * a;
    }
    tacho_arch_free(found);
    return alike;
}

static void compare(const lab *l, const tacho_arch *core)
{
    char text[80];
    unsigned wrong = 0;
    for (size_t i = 0; i < l->finding_count; i++) {
        const finding *f = &l->findings[i];
        if (f->state != FINDING_MEASURED || !truth_of(core, f->name, text, sizeof text))
            continue;
        if (!strcmp(f->name, "lsd_unroll") ? !unrolls_alike(core, f->value) : strcmp(text, f->value) != 0) {
            print_error("%s: %s was found to be %s; it is %s\n", tacho_arch_name(core), f->name, f->value,
                        text);
            wrong++;
        }
    }
    if (wrong)
        fail_msg("%u findings are wrong", wrong);
}

#define MOVES  "move_elim_slots_gpr move_elim_slots_simd fuses_moves "
#define STACK  "stack_sync_always eliminates_stack_pointer "
#define RENAME MOVES STACK "immediate_sum_bits high8_renamed_apart fuses_at_line_start "
#define WIDTHS "issue_width fuses_nops retire_width dsb_holds_copies " RENAME
#define DECODE "predecode_block_bytes decoders lcp_penalty_cycles fusible_on_last_decoder pop_rsp_complex "
#define DSB    "dsb_width dsb_extra_slots dsb_rows "
#define LINES  "dsb_block_bytes dsb_line_uops dsb_lines_per_block dsb_needs_both_halves branch_ends_dsb_block "
#define INTEL  WIDTHS DECODE "pop_rsp_ends_decode lsd_enabled " DSB LINES
#define ZEN4   STACK "issue_width fuses_nops retire_width dsb_holds_copies dsb_extra_slots dsb_rows "
#define MS     "ms_width dsb_ms_stall_cycles dsb_ms_long_cycles "
#define LSD    "idq_entries lsd_unroll "
#define OLDER  "predecode_width predecode_taken_cycles dsb_extra_slot_ends_cycle high8_extract_cycles " MS

/* Each core, what of it is changed, and the findings that it must have. */
static const struct {
    const char *core, *name, *value, *measured;
} cores[] = {
    {"SNB", NULL, NULL, INTEL OLDER LSD},
    {"HSW", NULL, NULL, INTEL OLDER LSD},
    {"SKL", NULL, NULL, INTEL OLDER},
    {"CLX", NULL, NULL, INTEL OLDER},
    {"ICL", NULL, NULL, INTEL "predecode_width " MS LSD},
    {"ICX", NULL, NULL, INTEL "move_elim_except_slot"},
    {"ADL", NULL, NULL, INTEL LSD "move_elim_except_slot movzx_high8_alias_eliminated"},
    {"ZEN2", NULL, NULL, WIDTHS "dsb_extra_slots dsb_rows"}, /* microcode at the renamer hides dsb_width */
    {"ZEN2", "ms_own_groups", "no", WIDTHS DSB},
    {"ZEN4", NULL, NULL, ZEN4}, /* NOPs that are joined show neither dsb_width nor pairs at starts of lines */
    {"ZEN2", "fuses_nops", "yes", "issue_width fuses_nops retire_width"},
    {"ZEN5", NULL, NULL,
     WIDTHS DSB "dsb_line_uops dsb_again_cycles dsb_block_bytes dsb_row_constants issue_constants"},
    {"SKL", "issue_width", "3", "issue_width"},
    {"SKL", "retire_width", "6", "retire_width"},
    {"ADL", "decoders", "5", "decoders"},
    {"HSW", "decoders", "3", "decoders"},
    {"SKL", "predecode_width", "4", "predecode_width"},
    {"SKL", "predecode_block_bytes", "32", "predecode_block_bytes"},
    {"SKL", "lcp_penalty_cycles", "6", "lcp_penalty_cycles"},
    {"SKL", "fusible_on_last_decoder", "no", "fusible_on_last_decoder"},
    {"SKL", "pop_rsp_ends_decode", "yes", "pop_rsp_ends_decode"},
    {"SKL", "pop_rsp_complex", "no", "pop_rsp_complex"},
    {"SKL", "dsb_width", "5", "dsb_width"},
    {"SKL", "ms_width", "3", "ms_width"},
    {"HSW", "idq_entries", "60", "idq_entries"},
    {"HSW", "lsd_enabled", "no", "lsd_enabled"},
    {"CLX", "lsd_enabled", "yes", "lsd_enabled idq_entries lsd_unroll"},
    {"HSW", NULL, NULL, "move_elim_all_aliases"},
    {"SKL", "predecode_taken_cycles", "2", "predecode_taken_cycles"},
    {"IVB", NULL, NULL, "move_elim_all_aliases movzx_high8_alias_eliminated"},
    {"SKL", "move_elim_slots_gpr", "3", "move_elim_slots_gpr"},
    {"SKL", "move_elim_slots_simd", "6", "move_elim_slots_simd"},
    {"ICX", "move_elim_except_slot", "2", "move_elim_except_slot"},
    {"SKL", "fuses_moves", "yes", "fuses_moves"},
    {"ADL", "immediate_sum_bits", "8", "immediate_sum_bits"},
    {"SKL", "high8_extract_cycles", "2", "high8_extract_cycles"},
    {"ZEN5", "issue_constants", "12", "issue_constants"},
    {"ZEN5", "dsb_row_constants", "16", "dsb_row_constants"},
    {"SKL", "dsb_lines_per_block", "2", "dsb_lines_per_block dsb_line_uops"},
    {"SKL", "dsb_needs_both_halves", "no", "dsb_needs_both_halves"},
    {"HSW", "branch_ends_dsb_block", "no", "branch_ends_dsb_block"},
    {"ICL", "dsb_lines_per_block", "5", "dsb_lines_per_block dsb_line_uops"},
    {"ICL", "fuses_at_line_start", "yes", "fuses_at_line_start"},
    {"HSW", "dsb_ms_stall_cycles", "3", "dsb_ms_stall_cycles"},
};

static void check(const tacho_arch *core, const char *measured)
{
    tacho_error err;
    char names[2000], *rest = NULL;
    subject *s = subject_of_core(core, &err);
    assert_non_null(s);
    lab l = {.s = s, .err = &err};
    run_all(&l);
    compare(&l, core);
    snprintf(names, sizeof names, "%s", measured);
    for (char *name = strtok_r(names, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
        const finding *f = lab_finding(&l, name);
        if (!f || f->state != FINDING_MEASURED)
            fail_msg("%s: %s was not found: %s", tacho_arch_name(core), name, f ? f->why : "nothing said");
    }
    lab_free(&l);
    subject_free(s);
}

static void test_findings_are_what_the_core_is(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cores / sizeof *cores; i++) {
        tacho_error err;
        tacho_arch *core = tacho_arch_copy(tacho_arch_find(cores[i].core, &err));
        assert_non_null(core);
        if (cores[i].name)
            assert_int_equal(tacho_arch_parameter_set(core, cores[i].name, cores[i].value, &err), 0);
        check(core, cores[i].measured);
        tacho_arch_free(core);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_findings_are_what_the_core_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
