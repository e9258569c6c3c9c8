/* test_learn_ports.c - sets of ports and rows of forms, found on cores in the simulator and compared with
 * what their tables say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "learn/lab.h"
#include "learn/learn_forms.h"
#include "learn/resources.h"

/* ---- the puzzle ---- */

static unsigned bits(uint16_t mask)
{
    return (unsigned)__builtin_popcount(mask);
}

/* Unions of made-up sets; those larger than `visible` only by that bound. */
static port_puzzle puzzle_of(const uint16_t *sets, unsigned count, unsigned visible)
{
    port_puzzle p = {.count = count};
    for (unsigned a = 0; a < count; a++) {
        p.size[a] = bits(sets[a]);
        for (unsigned b = 0; b < count; b++) {
            unsigned joint = bits(sets[a] | sets[b]);
            p.least[a][b] = joint < visible ? joint : visible;
            p.most[a][b] = joint < visible ? joint : bits(sets[a]) + bits(sets[b]);
        }
    }
    return p;
}

static void assert_alike(const uint16_t *a, const uint16_t *b, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        for (unsigned k = 0; k <= i; k++)
            assert_int_equal(bits(a[i] & a[k]), bits(b[i] & b[k]));
}

static void test_puzzle(void **state)
{
    (void)state;
    const uint16_t sets[] = {0x23, 0x41, 0x03, 0x22, 0x01, 0x02, 0x20, 0x0c};
    port_puzzle p = puzzle_of(sets, 8, 16);
    assert_true(port_puzzle_solve(&p));
    assert_int_equal(p.port_count, 6);
    assert_int_equal(p.solutions, 1);
    assert_alike(p.ports, sets, 8);
}

static void test_puzzle_behind_slots(void **state)
{
    (void)state;
    const uint16_t sets[] = {0x23, 0x41, 0x03, 0x22, 0x01, 0x02, 0x20};
    port_puzzle p = puzzle_of(sets, 7, 4);
    assert_true(port_puzzle_solve(&p));
    assert_int_equal(p.port_count, 4);
    assert_alike(p.ports, sets, 7);
}

/* A set of one port that is neither in a set of two nor outside of it. */
static void test_contradiction(void **state)
{
    (void)state;
    const uint16_t sets[] = {0x07, 0x03, 0x04};
    port_puzzle p = puzzle_of(sets, 3, 16);
    p.least[2][0] = p.least[0][2] = p.most[2][0] = p.most[0][2] = 3;
    p.least[2][1] = p.least[1][2] = p.most[2][1] = p.most[1][2] = 4;
    assert_true(port_puzzle_solve(&p));
    assert_int_equal(p.ports[2], 0);
    assert_int_equal(p.ports[1] & (uint16_t)~p.ports[0], 0);
}

/* ---- cores ---- */

typedef struct student {
    lab l;
    tacho_arch *arch;
} student;

static student learn_core(const char *name, unsigned width)
{
    static tacho_error err;
    student s = {.arch = tacho_arch_copy(tacho_arch_find(name, &err))};
    assert_non_null(s.arch);
    s.l.s = subject_of_core(s.arch, &err);
    s.l.err = &err;
    assert_non_null(s.l.s);
    for (const experiment *x = learn_experiments; x->part; x++)
        if (x->run == learn_issue_width || x->run == learn_copies || x->run == learn_decoders ||
            x->run == learn_immediate_sums || x->run == learn_resources)
            assert_int_equal(lab_run(&s.l, x), 0);
    assert_true(lab_number(&s.l, "issue_width", 0) == width);
    return s;
}

static void end(student *s)
{
    subject *of = s->l.s;
    lab_free(&s->l);
    subject_free(of);
    tacho_arch_free(s->arch);
}

/* Learnt once. */
static student skl;

static int learn_skl(void **state)
{
    (void)state;
    skl = learn_core("SKL", 4);
    return 0;
}

static int end_skl(void **state)
{
    (void)state;
    end(&skl);
    return 0;
}

static uint16_t true_ports(const tacho_arch *arch, uint32_t form)
{
    tacho_figures f;
    assert_int_equal(tacho_form_figures(arch, form, &f), 0);
    return f.base.group_count ? f.base.groups[0].ports : 0;
}

/* All sets that were found overlap as those of their forms do; `least` of them are there. */
static void assert_sets(const student *s, unsigned least)
{
    const resources *r = s->l.resources;
    uint16_t found[RESOURCE_SETS], real[RESOURCE_SETS];
    assert_true(r->count >= least);
    for (unsigned i = 0; i < r->count; i++) {
        found[i] = r->sets[i].ports;
        real[i] = true_ports(s->arch, r->sets[i].form);
    }
    assert_alike(found, real, r->count);
}

static void test_sets(void **state)
{
    (void)state;
    student icl = learn_core("ICL", 5), adl = learn_core("ADL", 6);
    assert_sets(&skl, 8);
    assert_sets(&icl, 9);
    assert_sets(&adl, 11);
    end(&icl);
    end(&adl);
}

static void assert_found(const student *s, const char *name, const char *value)
{
    const finding *f = lab_finding(&s->l, name);
    assert_non_null(f);
    assert_int_equal(f->state, FINDING_MEASURED);
    assert_string_equal(f->value, value);
}

static void test_memory(void **state)
{
    (void)state;
    student zen4 = learn_core("ZEN4", 6);
    const resources *a = skl.l.resources, *b = zen4.l.resources;
    assert_found(&skl, "ports", "8");
    assert_found(&skl, "store_data_alu_ports", "-");
    assert_int_equal(bits(a->loads), 2);
    assert_int_equal(bits(a->store_addresses), 1); /* port 7; what 2 and 3 take does not show */
    assert_int_equal(a->store_addresses & a->loads, 0);
    assert_int_equal(bits(a->store_data), 1);
    assert_int_equal(bits(a->alu), 4);
    assert_int_equal(bits(a->branches), 2);
    assert_int_equal(bits(b->loads), 3);
    assert_int_equal(bits(b->store_addresses), 2);
    assert_int_equal(b->store_addresses & (uint16_t)~b->loads, 0);
    assert_int_equal(bits(b->store_data_alu), 2);
    assert_int_equal(bits(b->store_data), 1);
    assert_int_equal(b->store_data & b->store_data_alu, 0);
    assert_int_equal(bits(b->alu), 4);
    assert_sets(&zen4, 12);
    assert_true(resources_name_as(&zen4.l, zen4.arch));
    assert_found(&zen4, "alu_ports", "0123");
    assert_found(&zen4, "load_ports", "567");
    zen4.l.resources->loads = 0; /* as in a record of walks over pages that were measured badly */
    assert_false(resources_name_as(&zen4.l, zen4.arch));
    end(&zen4);
}

/* Two of Zen 5's six ALUs had the names of vector ports of Zen 4, with whose rows they then competed. */
static void test_names_of_more_ports(void **state)
{
    (void)state;
    student zen5 = learn_core("ZEN5", 8);
    tacho_error err;
    const uint16_t vectors = 1U << 10 | 1U << 11 | 1U << 12 | 1U << 13;
    assert_true(resources_name_as(&zen5.l, tacho_arch_find("ZEN4", &err)));
    assert_int_equal(bits(zen5.l.resources->alu), 6);
    assert_int_equal(zen5.l.resources->alu & 15, 15);
    assert_int_equal(zen5.l.resources->alu & vectors, 0);
    end(&zen5);
}

/* Loads go by two ports on Zen 2 as those of vectors on Zen 3; they had the names of Zen 3's second and third
 * port, so that rows of vectors had one port left. */
static void test_names_of_loads(void **state)
{
    (void)state;
    student zen2 = learn_core("ZEN2", 6);
    tacho_error err;
    assert_true(resources_name_as(&zen2.l, tacho_arch_find("ZEN3", &err)));
    assert_found(&zen2, "load_ports", "56");
    end(&zen2);
}

/* ---- rows ---- */

static void learn_named(student *s, const char *name, learnt_form *out)
{
    uint32_t form;
    tacho_error err;
    assert_int_equal(tacho_form_find(name, &form, &err), 0);
    learn_form(&s->l, form, out);
    assert_int_equal(s->l.failed, 0);
}

/* µops of a variant as text, in which each port is what it is on the real core: `names` from port 0 on. */
static void renamed(const char *row, unsigned column, const char *names, char *out, size_t size)
{
    for (; column; column--)
        row = strchr(row, '\t') + 1;
    size_t n = 0;
    for (bool ports = true; *row && *row != '\t' && n + 1 < size; row++) {
        ports &= *row != ' ' && *row != '*';
        ports |= *row == '+';
        out[n++] = ports && *row >= '0' && *row <= '9' ? names[*row - '0'] : *row;
    }
    out[n] = '\0';
}

/* How the ports of SKL are called: by sets of one port, and what is left of the sets of two. */
static void names_on_skl(const resources *r, const tacho_arch *arch, char names[TACHO_MAX_PORTS + 1])
{
    memset(names, '?', TACHO_MAX_PORTS);
    for (unsigned round = 0; round < TACHO_MAX_PORTS; round++)
        for (unsigned i = 0; i < r->count; i++) {
            uint16_t left = r->sets[i].ports, real = true_ports(arch, r->sets[i].form);
            for (unsigned p = 0; p < TACHO_MAX_PORTS; p++)
                if (names[p] != '?' && left >> p & 1) {
                    left &= (uint16_t) ~(1U << p);
                    real &= (uint16_t) ~(1U << (names[p] - '0'));
                }
            if (bits(left) == 1 || (round > 4 && left && r->sets[i].loads))
                names[__builtin_ctz(left)] = (char)('0' + __builtin_ctz(real));
        }
    names[__builtin_ctz(r->store_addresses)] = '7';
    names[__builtin_ctz(r->store_data)] = '4';
    names[TACHO_MAX_PORTS] = '\0';
}

static void sort_digits(char *text)
{
    for (char *p = text; *p; p++)
        for (char *q = p + 1; *p >= '0' && *p <= '9' && *q >= '0' && *q <= '9'; q++)
            if (*q < *p) {
                char other = *p;
                *p = *q;
                *q = other;
            }
}

static void test_rows(void **state)
{
    (void)state;
    static const struct {
        const char *form, *base, *latencies;
    } rows[] = {
        {"ADD_01 (R64, R64)", "0156", "0>0=1 1>0=1 0>2=1 1>2=1"},
        {"IMUL (R64, R64)", "1", "0>0=3 1>0=3 0>2=3 1>2=3"},
        {"SHL (R64, I8)", "06", "0>0=1 0>2=1"},
        {"CMOVZ (R64, R64)", "06 complex simple=3", "1>0=1 2>0=1"},
        {"CVTSI2SD (XMM, R64)", "5+01 complex simple=3", "0>0=4 1>0=7"},
        {"ADD (R64, M64)", "0156+23 s=1", "0>0=1 1>0=,6,6 0>2=1 1>2=,6,6"},
        {"MOV (R64, M64)", "23", "1>0=,5,5"},
        {"MOV (M64, R64)", "7+4 s=1", "-"},
        {"CMP (M64, I32)", "0156+23 s=1", "0>2=,6,6"},
        {"VADDPS (YMM, YMM, YMM)", "01", "1>0=4 2>0=4"},
        {"VPERMD (YMM, YMM, YMM)", "5", "1>0=3 2>0=3"},
        {"VDIVPS (YMM, YMM, YMM)", "0 div=5", "1>0=11 2>0=11"},
        {"MOV_89 (R64, R64)", "-", NULL},
        {"NOP", "-", "-"},
    };
    char names[TACHO_MAX_PORTS + 1], text[256];
    names_on_skl(skl.l.resources, skl.arch, names);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        learnt_form f;
        learn_named(&skl, rows[i].form, &f);
        assert_int_equal(f.state, LEARNT_MEASURED);
        renamed(f.row, 1, names, text, sizeof text);
        sort_digits(text);
        if (strcmp(text, rows[i].base))
            fail_msg("%s: %s in place of %s (%s)", rows[i].form, text, rows[i].base, f.row);
        if (rows[i].latencies && !strstr(f.row, rows[i].latencies))
            fail_msg("%s: no latencies %s", f.row, rows[i].latencies);
        assert_non_null(learn_source_line(f.source));
    }
}

static void test_idioms_and_variants(void **state)
{
    (void)state;
    learnt_form f;
    learn_named(&skl, "XOR_31 (R64, R64)", &f);
    assert_non_null(strstr(f.row, "\t.\t-\t"));
    learn_named(&skl, "MOV_89 (R64, R64)", &f); /* eliminated; where it is not, any ALU */
    assert_non_null(strstr(f.row, "\t-\t.\t0123\t"));
    learn_named(&skl, "VADDPS (XMM, XMM, M128)", &f); /* un-laminated with an index register */
    assert_non_null(strstr(f.row, " s=1\t"));
    assert_non_null(strstr(f.row, " d=1\t"));
    learn_named(&skl, "ADD_LOCK (M64, R64)", &f);
    assert_non_null(strstr(f.row, " locked\t"));
    learn_named(&skl, "JZ (Rel8)", &f);
    assert_int_equal(f.state, LEARNT_MEASURED);
    learn_named(&skl, "VPADDD (ZMM, ZMM, ZMM)", &f);
    assert_int_equal(f.state, LEARNT_NOT_RUN);
    assert_string_equal(f.row, "");
}

static void test_fusion(void **state)
{
    (void)state;
    static const char *const forms[] = {"CMP_39 (R64, R64)", "TEST (R64, R64)", "INC (R64)",
                                        "OR_09 (R64, R64)"};
    char text[1024];
    learnt_form f;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        learn_named(&skl, forms[i], &f);
    assert_int_equal(f.group, 0);
    assert_int_equal(learn_fusion_text(&skl.l, text, sizeof text), 0);
    assert_string_equal(text, "G0\tB NB Z NZ BE NBE L NL LE NLE\n"
                              "G1\tO NO B NB Z NZ BE NBE S NS P NP L NL LE NLE\n"
                              "G2\tZ NZ L NL LE NLE\n");
    assert_int_equal(learn_fusion_text(&skl.l, text, 20), TACHO_ERR_LIMIT);
}

static void test_sisters(void **state)
{
    (void)state;
    learnt_form forms[2] = {{0}};
    learn_named(&skl, "OR (R64, M64)", &forms[0]);
    forms[1] = (learnt_form){.state = LEARNT_NOT_MEASURED, .cycles = forms[0].cycles};
    assert_int_equal(tacho_form_find("OR (R32, M32)", &forms[1].form, NULL), 0);
    learn_by_analogy(forms, 2);
    assert_int_equal(forms[1].state, LEARNT_BY_ANALOGY);
    assert_memory_equal(forms[1].row, "OR (R32, M32)\t", 14);
    assert_non_null(strstr(learn_source_line(forms[1].source), "ports=sister"));
}

/* Of what was stored by the same registers just before some forms have the value at once: others not. */
static void test_renamed_memory(void **state)
{
    (void)state;
    student adl = learn_core("ADL", 6);
    static const char *const rows[][2] = {{"IMUL (R32, M32)", "1>0=,8,8,3"},
                                          {"ADD (M64, I8)", "0>0=,0,0,1 0>2=,0,0,1"},
                                          {"MOV (R64, M64)", "1>0=,5,5,1"},
                                          {"MOVSX (R32, M8)", "1>0=,6,6,6"}};
    const experiment *x = learn_experiments;
    while (x->run != learn_memory_renaming)
        x++;
    assert_int_equal(lab_run(&adl.l, x), 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        learnt_form f;
        learn_named(&adl, rows[i][0], &f);
        if (!strstr(f.row, rows[i][1]))
            fail_msg("%s: no latencies %s", f.row, rows[i][1]);
    }
    end(&adl);
}

/* ---- another core ---- */

static void test_differs(void **state)
{
    (void)state;
    tacho_error err;
    subject *same = subject_of_core(skl.arch, &err),
            *other = subject_of_core(tacho_arch_find("HSW", &err), &err);
    static const struct {
        const char *form;
        bool differs;
    } rows[] = {{"ADD_01 (R64, R64)", false},
                {"MOV (M64, R64)", false},
                {"CDQE", true}, /* by what is decoded beside it */
                {"VADDPS (XMM, XMM, XMM)", true},
                {"VDIVPS (YMM, YMM, YMM)", true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t form;
        char why[160];
        assert_int_equal(tacho_form_find(rows[i].form, &form, &err), 0);
        assert_false(learn_form_differs(&skl.l, same, form, why, sizeof why));
        assert_string_equal(why, "");
        const bool differs = learn_form_differs(&skl.l, other, form, why, sizeof why);
        assert_int_equal(skl.l.failed, 0);
        if (differs != rows[i].differs)
            fail_msg("%s: %s", rows[i].form, why);
        assert_int_equal(*why != '\0', differs);
    }
    subject_free(same);
    subject_free(other);
}

static void test_order(void **state)
{
    (void)state;
    const size_t all = tacho_form_count();
    uint32_t *forms = calloc(all, sizeof *forms);
    bool *seen = calloc(all, sizeof *seen);
    uint32_t first;
    assert_int_equal(learn_form_order(forms, all), all);
    assert_int_equal(tacho_form_find("MOV (R64, M64)", &first, NULL), 0);
    assert_int_equal(forms[0], first);
    for (size_t i = 0; i < all; i++) {
        assert_false(seen[forms[i]]);
        seen[forms[i]] = true;
    }
    free(forms);
    free(seen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_puzzle),         cmocka_unit_test(test_puzzle_behind_slots),
        cmocka_unit_test(test_contradiction),  cmocka_unit_test(test_sets),
        cmocka_unit_test(test_memory),         cmocka_unit_test(test_names_of_more_ports),
        cmocka_unit_test(test_names_of_loads), cmocka_unit_test(test_renamed_memory),
        cmocka_unit_test(test_rows),           cmocka_unit_test(test_idioms_and_variants),
        cmocka_unit_test(test_fusion),         cmocka_unit_test(test_sisters),
        cmocka_unit_test(test_differs),        cmocka_unit_test(test_order),
    };
    return cmocka_run_group_tests(tests, learn_skl, end_skl);
}
