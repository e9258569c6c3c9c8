/* test_arch.c - microarchitectures by name and alias; their parameters; macro-fusion. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
#include "tacho/decode.h"
#include "tacho/insndb.h"
#include "x86/arch/arch_struct.h"
#include "x86/decode/insn_struct.h"

static void test_arch__names_and_aliases_in_any_case(void **state)
{
    static const struct {
        const char *alias, *name;
    } CASES[] = {{"SKL", "SKL"},
                 {"skl", "SKL"},
                 {"skylake", "SKL"},
                 {"ICX", "ICX"},
                 {"Icelake-Server", "ICX"},
                 {"sandybridge", "SNB"},
                 {"ivybridge", "IVB"},
                 {"haswell", "HSW"},
                 {"broadwell", "BDW"},
                 {"kabylake", "KBL"},
                 {"coffeelake", "CFL"},
                 {"skylake-avx512", "SKX"},
                 {"cascadelake", "CLX"},
                 {"icelake-client", "ICL"},
                 {"tigerlake", "TGL"},
                 {"rocketlake", "RKL"},
                 {"raptorlake", "ADL"},
                 {"sapphirerapids", "SPR"},
                 {"emeraldrapids", "SPR"},
                 {"meteorlake", "MTL"},
                 {"graniterapids-d", "GNR"}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const tacho_arch *arch = tacho_arch_find(CASES[i].alias, NULL);
        assert_non_null(arch);
        assert_string_equal(arch->name, CASES[i].name);
    }
    assert_string_equal(tacho_arch_alias(tacho_arch_find("SKL", NULL), 0), "skylake");
    assert_null(tacho_arch_alias(tacho_arch_find("SKL", NULL), 1000));
    assert_null(tacho_arch_get(tacho_arch_count()));
}

static void test_arch__no_name_means_two(void **state)
{
    for (size_t i = 0; i < tacho_arch_count(); i++) {
        const tacho_arch *arch = tacho_arch_get(i);
        const char *alias;
        assert_ptr_equal(tacho_arch_find(arch->name, NULL), arch);
        for (size_t k = 0; (alias = tacho_arch_alias(arch, k)) != NULL; k++)
            assert_ptr_equal(tacho_arch_find(alias, NULL), arch);
    }
}

static void test_arch__unknown_names_suggest_the_nearest(void **state)
{
    tacho_error err;
    assert_null(tacho_arch_find("skylak", &err));
    assert_non_null(strstr(err.message, "skylake"));
    assert_null(tacho_arch_find("z80", &err));
    assert_non_null(strstr(err.message, "SKL"));
    assert_null(tacho_arch_find("", &err));
    assert_null(tacho_arch_find("skylak", NULL));
}

static void test_arch__native_is_known_or_explained(void **state)
{
    tacho_error err = {0};
    const tacho_arch *arch = tacho_arch_find("native", &err);
    assert_true(arch != NULL || strlen(err.message) > 0);
}

static void test_arch__every_parameter_has_a_source(void **state)
{
    for (size_t i = 0; i < tacho_arch_count(); i++) {
        tacho_arch_parameter p;
        for (size_t k = 0; tacho_arch_parameter_get(k, &p) == 0; k++)
            assert_non_null(tacho_arch_param_source(tacho_arch_get(i), p.name));
        assert_null(tacho_arch_param_source(tacho_arch_get(i), "frobs"));
    }
}

static void test_arch__parameters_of_skl_and_icx(void **state)
{
    const tacho_arch *skl = tacho_arch_find("SKL", NULL), *icx = tacho_arch_find("ICX", NULL);
    assert_int_equal(skl->issue_width, 4);
    assert_int_equal(skl->ports, 8);
    assert_int_equal(skl->load_ports, 1 << 2 | 1 << 3);
    assert_false(skl->lsd_enabled);
    assert_int_equal(skl->move_elim_slots_gpr, 4);
    assert_int_equal(icx->issue_width, 5);
    assert_int_equal(icx->store_data_ports, 1 << 4 | 1 << 9);
    assert_int_equal(icx->move_elim_slots_gpr, TACHO_SLOTS_UNLIMITED);
    assert_int_equal(icx->lsd_unroll[6], 6);
    assert_int_equal(icx->lsd_unroll[13], 2);
    assert_int_equal(icx->lsd_unroll[31], 1);
}

/* What an inheriting core has of its own, and what it has from the other. */
static void test_arch__parameters_are_inherited(void **state)
{
    const tacho_arch *snb = tacho_arch_find("SNB", NULL), *ivb = tacho_arch_find("IVB", NULL);
    const tacho_arch *clx = tacho_arch_find("CLX", NULL), *rkl = tacho_arch_find("RKL", NULL);
    assert_int_equal(snb->idq_entries, 28);
    assert_int_equal(ivb->idq_entries, 56);
    assert_int_equal(ivb->rob_entries, snb->rob_entries);
    assert_int_equal(snb->move_elim_slots_gpr, 0);
    assert_int_equal(ivb->move_elim_slots_gpr, 4);
    assert_false(clx->lsd_enabled);
    assert_int_equal(clx->lsd_unroll[5], 6);
    assert_int_equal(clx->rob_entries, 224);
    assert_int_equal(rkl->move_elim_slots_gpr, TACHO_SLOTS_UNLIMITED);
    assert_int_equal(rkl->ports, 10);
}

static void test_arch__changed_copies(void **state)
{
    tacho_arch a = *tacho_arch_find("SKL", NULL);
    tacho_error err;
    char text[80];
    tacho_arch_parameter p;
    for (size_t i = 0; tacho_arch_parameter_get(i, &p) == 0; i++) {
        tacho_arch_parameter_text(&a, i, text, sizeof text);
        assert_int_equal(tacho_arch_parameter_set(&a, p.name, text, &err), 0);
    }
    assert_memory_equal(&a, tacho_arch_find("SKL", NULL), sizeof a);
    assert_int_equal(tacho_arch_parameter_set(&a, "issue_width", "6", &err), 0);
    assert_int_equal(a.issue_width, 6);
    assert_int_equal(tacho_arch_parameter_set(&a, "store_address_ports", "23", &err), 0);
    assert_int_equal(a.store_address_ports, 12);
    assert_int_equal(tacho_arch_parameter_set(&a, "store_data_alu_ports", "0af", &err), 0);
    assert_int_equal(a.store_data_alu_ports, 0x8401);
    assert_int_equal(tacho_arch_parameter_set(&a, "store_data_alu_ports", "-", &err), 0);
    assert_int_equal(tacho_arch_parameter_set(&a, "lsd_unroll", "1-4:8 5:6", &err), 0);
    assert_int_equal(a.lsd_unroll[4], 8);
    assert_int_equal(a.lsd_unroll[6], 1);
    assert_int_equal(tacho_arch_parameter_set(&a, "move_elim_slots_gpr", "unlimited", &err), 0);
    assert_int_equal(a.move_elim_slots_gpr, TACHO_SLOTS_UNLIMITED);
    static const char *const BAD[][2] = {{"issue_width", "0"},    {"issue_width", "17"},
                                         {"issue_width", "-1"},   {"issue_width", "4x"},
                                         {"issue_width", ""},     {"lsd_enabled", "maybe"},
                                         {"load_ports", "2g"},    {"load_ports", ""},
                                         {"lsd_unroll", "4-1:2"}, {"port_policy", "7"},
                                         {"ports", "7"},          {"ports", "17"},
                                         {"lsd_unroll", "99:2"},  {"issue_widht", "4"},
                                         {"lsd_unroll", "1:2,"},  {"rob_entries", "99999999999999999999"}};
    tacho_arch before = a;
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        assert_int_equal(tacho_arch_parameter_set(&a, BAD[i][0], BAD[i][1], &err), TACHO_ERR_USAGE);
        assert_memory_equal(&a, &before, sizeof a);
    }
    assert_int_equal(tacho_arch_parameter_set(&a, "rob_width", "4x", &err), TACHO_ERR_USAGE);
    assert_memory_equal(&a, &before, sizeof a);
    assert_int_equal(tacho_arch_parameter_set(&a, "rob_width", "300", &err), 0); /* of the last version */
    assert_true(a.rob_entries == 300 && a.old_names);
    tacho_arch_parameter_set(&a, "issue_widht", "4", &err);
    assert_non_null(strstr(err.message, "issue_width"));
    assert_int_equal(tacho_arch_check(&a, &err), 0);
    assert_int_equal(tacho_arch_parameter_set(&a, "rob_entries", "8", &err), 0);
    assert_int_equal(tacho_arch_check(&a, &err), TACHO_ERR_USAGE);
    assert_non_null(strstr(err.message, "rob_entries"));
    a = *tacho_arch_find("ZEN5", NULL); /* with a part that has no ALU no prediction ended */
    assert_int_equal(tacho_arch_parameter_set(&a, "alu_scheduler_parts", "6", &err), 0);
    assert_int_equal(tacho_arch_check(&a, &err), 0);
    assert_int_equal(tacho_arch_parameter_set(&a, "alu_scheduler_parts", "7", &err), 0);
    assert_int_equal(tacho_arch_check(&a, &err), TACHO_ERR_USAGE);
    assert_int_equal(tacho_arch_parameter_get(1000, &p), TACHO_ERR_USAGE);
    for (size_t i = 0; i < tacho_arch_parameter_count(); i++)
        assert_true(strlen(tacho_arch_parameter_meaning(i)) > 5);
    assert_null(tacho_arch_parameter_meaning(1000));
}

/* As a program sees it that does not know the struct. */
static void test_arch__a_copy_is_read_and_changed_by_functions(void **state)
{
    (void)state;
    tacho_arch_parameter p;
    tacho_error err;
    const tacho_arch *skl = tacho_arch_find("SKL", NULL);
    tacho_arch *copy = tacho_arch_copy(skl);
    assert_non_null(copy);
    assert_string_equal(tacho_arch_name(copy), "SKL");
    assert_string_equal(tacho_arch_long_name(copy), skl->long_name);
    assert_string_equal(tacho_arch_table(copy), skl->table);
    assert_int_equal(tacho_arch_compared(copy), skl->compared);
    assert_int_equal(tacho_arch_parameter_set(copy, "issue_width", "6", &err), 0);
    for (size_t i = 0; tacho_arch_parameter_get(i, &p) == 0; i++) {
        int64_t real = tacho_arch_parameter_number(skl, i), changed = tacho_arch_parameter_number(copy, i);
        if (!strcmp(p.name, "issue_width"))
            assert_true(real == 4 && changed == 6);
        else
            assert_true(real == changed && real >= (p.type == TACHO_PARAMETER_UNROLL ? -1 : 0));
        if (!strcmp(p.name, "load_ports"))
            assert_int_equal(real, 12);
    }
    assert_int_equal(tacho_arch_parameter_number(skl, 1000), -1);
    tacho_arch_free(copy);
    tacho_arch_free(NULL);
}

static tacho_insn decode(const char *bytes, size_t n)
{
    tacho_insn insn;
    assert_int_equal(tacho_decode(&insn, (const uint8_t *)bytes, n, NULL), 0);
    return insn;
}

static bool fuses(const char *first, size_t first_size, const char *branch, size_t branch_size)
{
    const tacho_arch *skl = tacho_arch_find("SKL", NULL);
    tacho_insn a = decode(first, first_size), b = decode(branch, branch_size);
    tacho_form form;
    tacho_figures figures;
    assert_int_equal(tacho_insndb_match(skl, &a, &form, &figures), 0);
    return tacho_fusion_allowed(skl, figures.fusion_group, &b);
}

static void test_arch__macro_fusion(void **state)
{
    assert_true(fuses("\x48\xff\xc8", 3, "\x75\x00", 2));         /* dec; jnz */
    assert_false(fuses("\x48\xff\xc8", 3, "\x72\x00", 2));        /* dec; jb */
    assert_true(fuses("\x48\x39\xd8", 3, "\x72\x00", 2));         /* cmp; jb */
    assert_true(fuses("\x48\x39\xd8", 3, "\x0f\x82\0\0\0\0", 6)); /* cmp; jb near */
    assert_false(fuses("\x48\x39\xd8", 3, "\x70\x00", 2));        /* cmp; jo */
    assert_true(fuses("\x48\x85\xc0", 3, "\x70\x00", 2));         /* test; jo */
    assert_false(fuses("\x48\x85\xc0", 3, "\xe3\x00", 2));        /* test; jrcxz */
    assert_false(fuses("\x48\x85\xc0", 3, "\xeb\x00", 2));        /* test; jmp */
    assert_false(fuses("\x48\x89\xd8", 3, "\x75\x00", 2));        /* mov; jnz */
}

static void test_arch__origins_are_told_by_field(void **state)
{
    const tacho_arch *const on_skl = tacho_arch_find("SKL", NULL), *const on_icx =
                                                                       tacho_arch_find("ICX", NULL);
    tacho_figures skl, icx;
    uint32_t id;
    assert_int_equal(tacho_form_find("ADD_01 (R64, R64)", &id, NULL), 0);
    assert_int_equal(tacho_form_figures(on_skl, id, &skl), 0);
    assert_int_equal(tacho_form_figures(on_icx, id, &icx), 0);
    assert_true(tacho_arch_source_fields(on_icx, icx.source, TACHO_ORIGIN_SAME_CORE));
    assert_int_equal(tacho_arch_source_origin(on_icx, icx.source, TACHO_FIELD_PORTS), TACHO_ORIGIN_SAME_CORE);
    assert_int_equal(tacho_arch_source_origin(on_icx, icx.source, TACHO_FIELD_FRONT_END),
                     TACHO_ORIGIN_OTHER_CORE);
    assert_int_equal(tacho_arch_source_fields(on_skl, skl.source, TACHO_ORIGIN_SAME_CORE), 0);
    assert_true(tacho_arch_source_fields(on_icx, icx.source, TACHO_ORIGIN_OTHER_CORE) &
                1u << TACHO_FIELD_FRONT_END);
    assert_non_null(strstr(tacho_arch_source_text(on_skl, skl.source), "uops.info"));
    assert_int_equal(tacho_form_find("VADDPS (ZMM, ZMM, ZMM)", &id, NULL), 0);
    assert_int_equal(tacho_form_figures(on_skl, id, &skl), TACHO_ERR_UNSUPPORTED);
    assert_int_equal(tacho_form_figures(on_icx, id, &icx), 0);
    assert_int_equal(tacho_arch_source_origin(on_icx, icx.source, TACHO_FIELD_PORTS), TACHO_ORIGIN_ESTIMATED);
}

static void origin_is(const char *arch, const char *form, tacho_figure_field field, tacho_origin origin)
{
    tacho_figures figures;
    uint32_t id;
    assert_int_equal(tacho_form_find(form, &id, NULL), 0);
    assert_int_equal(tacho_form_figures(tacho_arch_find(arch, NULL), id, &figures), 0);
    assert_int_equal(tacho_arch_source_origin(tacho_arch_find(arch, NULL), figures.source, field), origin);
}

/* A row that is not repeated says of each core where its figures come from. */
static void test_arch__inherited_figures_keep_their_source(void **state)
{
    static const char *const MEASURED[] = {"SNB", "IVB", "HSW", "BDW", "SKL", "KBL",
                                           "CFL", "CLX", "ICL", "TGL", "RKL"};
    for (size_t i = 0; i < sizeof MEASURED / sizeof *MEASURED; i++)
        origin_is(MEASURED[i], "IMUL (R64, R64)", TACHO_FIELD_PORTS, TACHO_ORIGIN_MEASURED);
    origin_is("SKX", "IMUL (R64, R64)", TACHO_FIELD_PORTS, TACHO_ORIGIN_SAME_CORE);
    origin_is("SKX", "VPADDD (ZMM, ZMM, ZMM)", TACHO_FIELD_PORTS, TACHO_ORIGIN_SAME_CORE);
    origin_is("CLX", "VPADDD (ZMM, ZMM, ZMM)", TACHO_FIELD_PORTS, TACHO_ORIGIN_MEASURED);
    origin_is("TGL", "IMUL (R64, R64)", TACHO_FIELD_FRONT_END, TACHO_ORIGIN_OTHER_CORE);
    origin_is("ICX", "IMUL (R64, R64)", TACHO_FIELD_PORTS, TACHO_ORIGIN_SAME_CORE);
    origin_is("ADL", "IMUL (R64, R64)", TACHO_FIELD_PORTS, TACHO_ORIGIN_MEASURED);
    origin_is("SPR", "IMUL (R64, R64)", TACHO_FIELD_PORTS, TACHO_ORIGIN_SAME_CORE);
    origin_is("SPR", "VADDPH (ZMM, ZMM, ZMM)", TACHO_FIELD_PORTS, TACHO_ORIGIN_MEASURED);
    origin_is("SPR", "VCVTDQ2PD (ZMM, YMM)", TACHO_FIELD_PORTS, TACHO_ORIGIN_ESTIMATED);
    origin_is("MTL", "IMUL (R64, R64)", TACHO_FIELD_PORTS, TACHO_ORIGIN_MEASURED);
    origin_is("GNR", "IMUL (R64, R64)", TACHO_FIELD_PORTS, TACHO_ORIGIN_SAME_CORE);
    origin_is("GNR", "VMULPS (ZMM, ZMM, ZMM)", TACHO_FIELD_LATENCY, TACHO_ORIGIN_ESTIMATED);
    origin_is("IVB", "FADD (M32)", TACHO_FIELD_PORTS, TACHO_ORIGIN_ESTIMATED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arch__names_and_aliases_in_any_case),
        cmocka_unit_test(test_arch__no_name_means_two),
        cmocka_unit_test(test_arch__parameters_are_inherited),
        cmocka_unit_test(test_arch__changed_copies),
        cmocka_unit_test(test_arch__a_copy_is_read_and_changed_by_functions),
        cmocka_unit_test(test_arch__inherited_figures_keep_their_source),
        cmocka_unit_test(test_arch__unknown_names_suggest_the_nearest),
        cmocka_unit_test(test_arch__native_is_known_or_explained),
        cmocka_unit_test(test_arch__every_parameter_has_a_source),
        cmocka_unit_test(test_arch__parameters_of_skl_and_icx),
        cmocka_unit_test(test_arch__macro_fusion),
        cmocka_unit_test(test_arch__origins_are_told_by_field),
    };
    return cmocka_run_group_tests_name("arch", tests, NULL, NULL);
}
