/* test_arch_load.c - microarchitectures from texts: what is written of a built-in one is read as the same;
 * what is inherited; every kind of problem with its line; copies and the order of freeing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
#include <cpuid.h>
#include "form_row.h"
#include "base/mem.h"
#include "base/str.h"
#include "../../support/support.h"
#include "x86/arch/loaded.h"

static tacho_arch *load(const char *text)
{
    tacho_error err = {.message = ""};
    tacho_arch *arch;
    if (tacho_arch_load(&arch, text, strlen(text), NULL, &err))
        fail_msg("%s", err.message);
    return arch;
}

static uint32_t form(const char *name)
{
    uint32_t id;
    assert_int_equal(tacho_form_find(name, &id, NULL), 0);
    return id;
}

/* ---- there and back ---- */

static void put_conditions(tacho_str *out, unsigned conditions)
{
    static const char *const names[] = {"O", "NO", "B", "NB", "Z", "NZ", "BE", "NBE",
                                        "S", "NS", "P", "NP", "L", "NL", "LE", "NLE"};
    const char *before = "";
    for (unsigned c = 0; c < 16; c++)
        if (conditions & 1u << c) {
            tacho_str_printf(out, "%s%s", before, names[c]);
            before = " ";
        }
}

static void put_model(tacho_str *out, const tacho_arch *a)
{
    tacho_arch_parameter p;
    tacho_figures f;
    char text[80];
    tacho_str_puts(out, "tacho model 1\nname again\n[insns]\nsource 7 all=mine\n");
    for (uint32_t id = 0; id < tacho_form_count(); id++) {
        if (tacho_form_figures(a, id, &f))
            continue;
        form_row(out, id, &f, 7);
        tacho_str_putc(out, '\n');
    }
    tacho_str_puts(out, "[fusion]\n");
    for (unsigned g = 1; g < GEN_MAX_FUSION_GROUPS && arch_tables(a)->fusion[g]; g++) {
        tacho_str_printf(out, "G%u\t", g - 1);
        put_conditions(out, arch_tables(a)->fusion[g]);
        tacho_str_putc(out, '\n');
    }
    tacho_str_puts(out, "[params]\n");
    for (size_t i = 0; tacho_arch_parameter_get(i, &p) == 0; i++) {
        tacho_arch_parameter_text(a, i, text, sizeof text);
        tacho_str_printf(out, "%s\t%s\tassumed\n", p.name, text);
    }
    tacho_str_puts(out, "[extensions]\n");
    for (int e = 1; e < TACHO_EXTENSION_COUNT; e++)
        if (tacho_arch_has_extension(a, (tacho_extension)e))
            tacho_str_printf(out, "%s\tmine\n", tacho_extension_name((tacho_extension)e));
    tacho_str_puts(out, "[sources]\nmine\tmeasured\tagain\tmeasured by the test\n");
}

static void variants_are_same(const tacho_variant *a, const tacho_variant *b)
{
    assert_int_equal(a->uops, b->uops);
    assert_int_equal(a->retire_slots, b->retire_slots);
    assert_int_equal(a->uops_mite, b->uops_mite);
    assert_int_equal(a->uops_ms, b->uops_ms);
    assert_int_equal(a->complex_decoder, b->complex_decoder);
    assert_int_equal(a->simple_decoders, b->simple_decoders);
    assert_int_equal(a->div_cycles, b->div_cycles);
    assert_int_equal(a->tp_cycles, b->tp_cycles);
    assert_int_equal(a->group_count, b->group_count);
    if (a->group_count)
        assert_memory_equal(a->groups, b->groups, a->group_count * sizeof *a->groups);
}

static void figures_are_same(const tacho_arch *a, const tacho_arch *b, uint32_t id)
{
    tacho_figures of_a, of_b;
    int rc = tacho_form_figures(a, id, &of_a);
    assert_int_equal(tacho_form_figures(b, id, &of_b), rc);
    if (rc)
        return;
    variants_are_same(&of_a.base, &of_b.base);
    variants_are_same(&of_a.indexed, &of_b.indexed);
    variants_are_same(&of_a.same_register, &of_b.same_register);
    assert_int_equal(of_a.has_indexed, of_b.has_indexed);
    assert_int_equal(of_a.has_same_register, of_b.has_same_register);
    assert_int_equal(of_a.locked, of_b.locked);
    assert_int_equal(of_a.fusion_group, of_b.fusion_group);
    assert_int_equal(of_a.latency_count, of_b.latency_count);
    if (of_a.latency_count)
        assert_memory_equal(of_a.latencies, of_b.latencies, of_a.latency_count * sizeof *of_a.latencies);
}

static void values_are_same(const tacho_arch *a, const tacho_arch *b)
{
    char of_a[80], of_b[80];
    for (size_t i = 0; i < tacho_arch_parameter_count(); i++) {
        tacho_arch_parameter_text(a, i, of_a, sizeof of_a);
        tacho_arch_parameter_text(b, i, of_b, sizeof of_b);
        assert_string_equal(of_a, of_b);
    }
    assert_memory_equal(a->extensions, b->extensions, sizeof a->extensions);
    assert_memory_equal(arch_tables(a)->fusion, arch_tables(b)->fusion, sizeof arch_tables(a)->fusion);
}

static void test_arch_load__what_is_written_is_read(void **state)
{
    for (size_t i = 0; i < tacho_arch_count(); i++) {
        tacho_str text = {0};
        tacho_figures f;
        put_model(&text, tacho_arch_get(i));
        tacho_arch *again = load(text.data);
        values_are_same(tacho_arch_get(i), again);
        for (uint32_t id = 0; id < tacho_form_count(); id++)
            figures_are_same(tacho_arch_get(i), again, id);
        assert_string_equal(tacho_arch_name(again), "again");
        assert_int_equal(tacho_form_figures(again, form("ADD_01 (R64, R64)"), &f), 0);
        assert_string_equal(tacho_arch_source_text(again, f.source), "measured by the test");
        assert_int_equal(tacho_arch_source_origin(again, f.source, TACHO_FIELD_PORTS), TACHO_ORIGIN_MEASURED);
        assert_string_equal(tacho_arch_extension_source(again, TACHO_EXTENSION_SSE3), "measured by the test");
        assert_string_equal(tacho_arch_param_source(again, "rob_entries"), "assumed");
        tacho_arch_free(again);
        tacho_str_free(&text);
    }
}

/* ---- what is inherited ---- */

static double cycles(const tacho_arch *arch, const char *code)
{
    const tacho_prediction *p;
    tacho_predictor *predictor = tacho_predictor_new();
    tacho_error err = {.message = ""};
    test_block block;
    assert_int_equal(test_block_make(&block, code, &err), 0);

    assert_int_equal(tacho_predict(predictor, arch, block.bytes, block.size, NULL, &p, &err), 0);
    double found = p->cycles;
    tacho_predictor_free(predictor);
    test_block_free(&block);
    return found;
}

static void test_arch_load__two_lines_are_a_model(void **state)
{
    static const char waits[] =
        "imul rax, rax\n imul rax, rax\n imul rax, rax\n imul rbx, rcx\n imul rdx, rcx";
    const tacho_arch *skl = tacho_arch_find("SKL", NULL);
    tacho_arch *a = load("inherit skylake\nrob_entries\t100\tassumed"), *set = tacho_arch_copy(skl);
    assert_int_equal(a->rob_entries, 100);
    assert_int_equal(a->rs_entries, skl->rs_entries);
    assert_string_equal(tacho_arch_name(a), "model");
    assert_string_equal(tacho_arch_long_name(a), "changed from Skylake (client)");
    assert_string_equal(tacho_arch_param_source(a, "rob_entries"), "assumed");
    assert_string_equal(tacho_arch_param_source(a, "rs_entries"), tacho_arch_param_source(skl, "rs_entries"));
    assert_null(tacho_arch_alias(a, 0));
    assert_true(tacho_arch_same_core(a, skl));
    assert_int_equal(tacho_arch_compared(a), TACHO_COMPARED_NOT);
    assert_true(tacho_arch_is_loaded(a));
    assert_false(tacho_arch_is_loaded(skl));
    for (uint32_t id = 0; id < tacho_form_count(); id++)
        figures_are_same(skl, a, id);
    assert_int_equal(tacho_arch_parameter_set(set, "rob_entries", "100", NULL), 0);
    assert_true(cycles(a, waits) == cycles(set, waits));
    tacho_arch_free(set);
    tacho_arch_free(a);
}

static void test_arch_load__rows_replace_inherited_ones(void **state)
{
    tacho_figures f, skl;
    tacho_arch *a = load("tacho model 1\n# a comment\nname slow+1\n\ninherit SKL\n[insns]\r\n"
                         "source 1 ports=user latency=mine\n"
                         "IMUL (R64, R64)\t1*2\t.\t.\t0>0=9 1>0=9\tnew\t1\n"
                         "!ADD_01 (R64, R64)\t0156\t.\t.\t0>0=2\tG1\t1\n"
                         "[fusion]\nnew\tZ\nG0\tNZ\n"
                         "[extensions]\n-AVX2 AVX-512F\tuser\n"
                         "[sources]\nmine\tmeasured\tSKL\tby a stopwatch\n");
    uint32_t imul = form("IMUL (R64, R64)");
    assert_string_equal(tacho_arch_name(a), "slow+1");
    assert_int_equal(tacho_form_figures(a, imul, &f), 0);
    assert_int_equal(f.base.uops, 2);
    assert_int_equal(f.latencies[1].cycles, 9);
    assert_string_equal(tacho_arch_source_text(a, f.source),
                        "ports and µops: given by the model's author; latencies: by a stopwatch");
    assert_int_equal(tacho_arch_source_origin(a, f.source, TACHO_FIELD_PORTS), TACHO_ORIGIN_ESTIMATED);
    assert_int_equal(tacho_arch_source_origin(a, f.source, TACHO_FIELD_LATENCY), TACHO_ORIGIN_MEASURED);
    assert_int_equal(tacho_arch_source_fields(a, f.source, TACHO_ORIGIN_SAME_CORE), 1);
    assert_string_equal(tacho_arch_source_text(tacho_arch_find("SKL", NULL), f.source), "unknown");
    assert_true(arch_tables(a)->fusion[1] == 1u << 5 && arch_tables(a)->fusion[f.fusion_group] == 1u << 4);
    assert_int_equal(tacho_form_figures(a, form("ADD_01 (R64, R64)"), &f), 0);
    assert_int_equal(f.fusion_group, 2);
    assert_int_equal(tacho_form_figures(tacho_arch_find("SKL", NULL), form("SUB_29 (R64, R64)"), &skl), 0);
    assert_int_equal(tacho_form_figures(a, form("SUB_29 (R64, R64)"), &f), 0);
    assert_int_equal(f.source, skl.source);
    assert_int_equal(tacho_arch_source_fields(a, f.source, TACHO_ORIGIN_SAME_CORE), 0);
    assert_false(tacho_arch_has_extension(a, TACHO_EXTENSION_AVX2));
    assert_true(tacho_arch_has_extension(a, TACHO_EXTENSION_AVX512F));
    assert_true(cycles(a, "imul rax, rax") == 9);
    tacho_arch_free(a);
}

/* What was measured on the inherited core is not this core's own if it says that it is another one. */
static void test_arch_load__a_core_of_its_own(void **state)
{
    static const struct {
        const char *rows;
        tacho_origin origin;
    } cases[] = {{"", TACHO_ORIGIN_MEASURED},
                 {"core\tNEW\tuser\n", TACHO_ORIGIN_OTHER_CORE},
                 {"core\tNEW\tuser\nsame_cores\tX SKL\tuser\n", TACHO_ORIGIN_SAME_CORE}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[200];
        tacho_figures f;
        snprintf(text, sizeof text, "inherit SKL\n%s", cases[i].rows);
        tacho_arch *a = load(text);
        assert_int_equal(tacho_form_figures(a, form("IMUL (R64, R64)"), &f), 0);
        assert_int_equal(tacho_arch_source_origin(a, f.source, TACHO_FIELD_PORTS), cases[i].origin);
        assert_int_equal(tacho_arch_same_core(a, tacho_arch_find("SKL", NULL)),
                         cases[i].origin != TACHO_ORIGIN_OTHER_CORE);
        tacho_arch_free(a);
    }
}

/* It is this machine's if it says its processor's model, or inherits it. */
static void test_arch_load__this_machine(void **state)
{
    unsigned a = 0, b = 0, c, d, unused;
    char text[200];
    assert_true(__get_cpuid(0, &unused, &b, &c, &d) && __get_cpuid(1, &a, &unused, &unused, &unused));
    const char *vendor = b == signature_INTEL_ebx ? "Intel" : b == signature_AMD_ebx ? "AMD" : NULL;
    const unsigned family = (a >> 8 & 15) + (a >> 20 & 255);
    const tacho_arch *native = tacho_arch_find("native", NULL);
    for (unsigned other = 0; vendor && other < 2; other++) {
        snprintf(text, sizeof text,
                 "inherit SNB\ncore\tX\tuser\ncpuid_models\t0x0-0xFF\tuser\ncpuid_family\t%s:%u\tuser",
                 vendor, family + other);
        tacho_arch *arch = load(text);
        assert_int_equal(tacho_arch_is_native(arch), !other);
        tacho_arch_free(arch);
    }
    for (unsigned other = 0; native && other < 2; other++) {
        assert_true(tacho_arch_is_native(native));
        snprintf(text, sizeof text, "inherit %s\n%s", tacho_arch_name(native), other ? "core\tX\tuser" : "");
        tacho_arch *arch = load(text);
        assert_int_equal(tacho_arch_is_native(arch), !other);
        tacho_arch_free(arch);
    }
}

static void test_arch_load__names(void **state)
{
    static const struct {
        const char *given, *name;
    } cases[] = {
        {"mine", "mine"}, {"my core", "my-core"}, {"", "model"}, {"-x", "mx"}, {"Zähler", "Z--hler"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tacho_arch_load_options o = TACHO_ARCH_LOAD_OPTIONS_INIT;
        tacho_arch *a;
        o.name = cases[i].given;
        assert_int_equal(tacho_arch_load(&a, "inherit SKL", 11, &o, NULL), 0);
        assert_string_equal(tacho_arch_name(a), cases[i].name);
        tacho_arch_free(a);
    }
    tacho_arch *a =
        load("inherit SKL\nlong_name\tMine\tuser\naliases\tx y\tuser\ncompared\tmeasurements\tuser\n"
             "table\tnone\tuser\ncpuid_models\t0x10-0x20\tuser\ncpuid_family\tAMD:0x1A\tuser");
    assert_string_equal(tacho_arch_long_name(a), "Mine");
    assert_string_equal(tacho_arch_alias(a, 1), "y");
    assert_null(tacho_arch_alias(a, 2));
    assert_string_equal(tacho_arch_table(a), "none");
    assert_int_equal(tacho_arch_compared(a), TACHO_COMPARED_NOT);
    tacho_arch_free(a);
}

/* ---- problems ---- */

#define SKL "inherit SKL\n"
#define ROW "[insns]\nsource 1 all=user\n"
static const struct {
    const char *text;
    uint64_t line;
    const char *words;
} bad[] = {
    {"", 0, "there is nothing in it"},
    {"# only this\n", 1, "there is nothing in it"},
    {"\x7f"
     "ELF",
     1, "control character"},
    {"\n\n\xff", 3, "not UTF-8"},
    {"rob_entries\t256\tassumed", 1, "begins with 'tacho model 1'"},
    {"tacho model 2\n", 1, "version 2"},
    {"tacho model 1\n", 0, "predecode_block_bytes has no value"},
    {"inherit SKYL\n", 1, "no microarchitecture SKYL; did you mean"},
    {"inherit native\n", 1, "by its own name"},
    {SKL "inherit ICL", 2, "only one core"},
    {SKL "rob_entries\t256\tassumed\ninherit ICL", 3, "before all rows"},
    {SKL "name a b", 2, "letters, digits"},
    {SKL "name abcdefghijklmnopqrstuvwxyz012345", 2, "31 bytes"},
    {SKL "name skylake", 2, "is a built-in core's name"},
    {SKL "name a\nname b", 3, "has a name already"},
    {SKL "[param]", 2, "[param] is no section"},
    {SKL "rob_entries 256 assumed", 2, "here are spaces"},
    {SKL "rob_entries\t256", 2, "a parameter has three fields"},
    {SKL "rob_size\t256\tuser", 2, "rob_size is not a parameter"},
    {SKL "rob_entries\tlarge\tuser", 2, "rob_entries cannot be large"},
    {SKL "rob_entries\t200\tme", 2, "source me is not in [sources]"},
    {SKL "rob_entries\t200\tuser\nrob_entries\t200\tuser", 3, "has a value already"},
    {SKL "rob_entries\t4\tuser", 2, "rob_entries is 4"},
    {SKL "issue_width\t8\tuser\n\nrob_entries\t12\tuser", 4, "at least 16"},
    {SKL "ports\t6\tuser", 2, "ports"},
    {SKL "ports\t14\tuser", 2, "at most 12"},
    {SKL "load_ports\t2z\tuser", 2, "load_ports cannot be 2z"},
    {SKL "cpuid_models\tany\tuser", 2, "cpuid_models cannot be any"},
    {SKL "long_name\ta \"b\"\tuser", 2, "long_name cannot be"},
    {SKL "[sources]\nx\tmeasured\ty", 3, "a source has four fields"},
    {SKL "[sources]\nuser\tmeasured\ty\tz", 3, "defined twice"},
    {SKL "[sources]\nx\tmeasured\ty\t", 3, "no empty field"}, /* of nobody, and accepted */
    {SKL "[sources]\nx\tmeasured\t\tz", 3, "no empty field"},
    {SKL "[sources]\nx\tmeasured\t\t\t\tz", 3, "no empty field"},
    {SKL "[sources]\nx\tguessed\ty\tz", 3, "class guessed"},
    {SKL "[extensions]\nAVX3\tuser", 3, "AVX3 is not an extension"},
    {SKL "[extensions]\nAVX2\tuser", 3, "AVX2 is there already"},
    {SKL "[extensions]\n-AVX-512F\tuser", 3, "not there to be taken away"},
    {SKL "[extensions]\nAVX2 user", 3, "here are spaces"},
    {SKL "[fusion]\nG0\tQ", 3, "Q is not a condition"},
    {SKL "[fusion]\nG9\tZ\nG9\tNZ", 4, "G9 is defined twice"},
    {SKL "[fusion]\n1\tZ\n2\tZ\n3\tZ\n4\tZ\n5\tZ\n6\tZ\n7\tZ\n8\tZ\n9\tZ\n10\tZ\n11\tZ\n12\tZ\n13\tZ", 15,
     "too many"},
    {SKL "[insns]\nsource 4096 all=user", 3, "a source line reads"},
    {SKL "[insns]\nsource 1 colour=user", 3, "colour is not a field"},
    {SKL "[insns]\nsource 1 all=me", 3, "source me is not in [sources]"},
    {SKL ROW "source 1 all=user", 4, "source 1 is defined twice"},
    {SKL ROW "IMUL (R64, R64)\t1", 4, "a row has seven fields"},
    {SKL ROW "IMUL (R64, R64)\t1\t.\t.\t-\t-\t1\t1", 4, "a row has seven fields"},
    {SKL ROW "IMUL (R65, R64)\t1\t.\t.\t-\t-\t1", 4, "R65"},
    {SKL ROW "IMUL (R64, XMM)\t1\t.\t.\t-\t-\t1", 4, "not in the table of forms"},
    {SKL ROW "ADD (R64, R64)\t1\t.\t.\t-\t-\t1", 4, "did you mean ADD_01 (R64, R64)?"},
    {SKL ROW "!KANDB (K, K, K)\t1\t.\t.\t-\t-\t1", 4, "no figures to replace"},
    {SKL ROW "IMUL (R64, R64)\t1\t.\t.\t-\t-\t1\nIMUL (R64, R64)\t1\t.\t.\t-\t-\t1", 5,
     "has figures already"},
    {SKL ROW "IMUL (R64, R64)\t8\t.\t.\t-\t-\t1", 4, "ports 8 cannot be read"},
    {SKL ROW "IMUL (R64, R64)\t1*20000+1\t.\t.\t-\t-\t1", 4, "more than 20000 µops"},
    {SKL ROW "IMUL (R64, R64)\t1*20001\t.\t.\t-\t-\t1", 4, "ports 1"},
    {SKL ROW "IMUL (R64, R64)\t1 d=145\t.\t.\t-\t-\t1", 4, "of at most 144"},
    {SKL ROW "IMUL (R64, R64)\t1 div=251\t.\t.\t-\t-\t1", 4, "busy for 251 cycles, of at most 250"},
    {SKL ROW "IMUL (R64, R64)\t1 u=1\t.\t.\t-\t-\t1", 4, "says what the ports say"},
    {SKL ROW "IMUL (R64, R64)\t1 s=0\t.\t.\t-\t-\t1", 4, "at least one µop"},
    {SKL ROW "IMUL (R64, R64)\t1 simple=16\t.\t.\t-\t-\t1", 4, "simple decoders"},
    {SKL ROW "IMUL (R64, R64)\t1\t1 locked\t.\t-\t-\t1", 4, "locked cannot be read"},
    {SKL ROW "IMUL (R64, R64)\t1\t.\t.\t0-1=3\t-\t1", 4, "latency 0-1=3 cannot be read"},
    {SKL ROW "IMUL (R64, R64)\t1\t.\t.\t0>5=3\t-\t1", 4, "the form has 3 operands"},
    {SKL ROW "IMUL (R64, R64)\t1\t.\t.\t0>0=3 0>0=3\t-\t1", 4, "two latencies 0>0"},
    {SKL ROW "IMUL (R64, R64)\t1\t.\t.\t0>0=-3\t-\t1", 4, "not a number of cycles"},
    {SKL ROW "IMUL (R64, R64)\t1\t.\t.\t0>0=1,2,3,4,5,6\t-\t1", 4, "more than five numbers"},
    {SKL ROW "IMUL (R64, R64)\t1\t.\t.\t-\tG7\t1", 4, "fusion group G7 is not in [fusion]"},
    {SKL ROW "IMUL (R64, R64)\t1\t.\t.\t-\t-\t2", 4, "source 2 is not defined above"},
};

static void test_arch_load__problems_have_their_line(void **state)
{
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        tacho_error err = {.message = ""};
        tacho_arch *a = NULL;
        if (tacho_arch_load(&a, bad[i].text, strlen(bad[i].text), NULL, &err) != TACHO_ERR_INPUT ||
            err.line != bad[i].line || !strstr(err.message, bad[i].words))
            fail_msg("%s\nis: %d, line %llu: %s", bad[i].text, err.code, (unsigned long long)err.line,
                     err.message);
        assert_null(a);
    }
}

typedef struct told {
    uint64_t lines[TACHO_MAX_MODEL_PROBLEMS];
    size_t count;
} told;

static void tell(void *context, uint64_t line, const char *text)
{
    told *t = context;
    assert_true(t->count < TACHO_MAX_MODEL_PROBLEMS && *text);
    t->lines[t->count++] = line;
}

static void test_arch_load__all_problems_are_told_in_order(void **state)
{
    static const char text[] = "inherit SKL\n[insns]\nx\nrow\n[params]\nrob_entries\t0\tuser\n[sources]\ny\n";
    tacho_arch_load_options o = TACHO_ARCH_LOAD_OPTIONS_INIT;
    told t = {.count = 0};
    tacho_arch *a;
    o.problem = tell;
    o.context = &t;
    assert_int_equal(tacho_arch_load(&a, text, strlen(text), &o, NULL), TACHO_ERR_INPUT);
    assert_int_equal(t.count, 4);
    assert_true(t.lines[0] == 3 && t.lines[1] == 4 && t.lines[2] == 6 && t.lines[3] == 8);
    tacho_str many = {0};
    tacho_str_puts(&many, "inherit SKL\n");
    for (int i = 0; i < 1000; i++)
        tacho_str_puts(&many, "x\n");
    t.count = 0;
    assert_int_equal(tacho_arch_load(&a, many.data, many.length, &o, NULL), TACHO_ERR_INPUT);
    assert_int_equal(t.count, TACHO_MAX_MODEL_PROBLEMS);
    tacho_str_free(&many);
    assert_int_equal(tacho_arch_load(&a, text, TACHO_MAX_MODEL_BYTES + 1, &o, NULL), TACHO_ERR_LIMIT);
    o.size = 3;
    assert_int_equal(tacho_arch_load(&a, text, 3, &o, NULL), TACHO_ERR_USAGE);
}

/* ---- lives ---- */

static void test_arch_load__copies_outlive_it(void **state)
{
    tacho_figures f;
    tacho_arch *a = load(SKL ROW "IMUL (R64, R64)\t1\t.\t.\t0>0=7 1>0=7\t-\t1"), *b = tacho_arch_copy(a);
    assert_int_equal(tacho_arch_parameter_set(b, "rob_entries", "64", NULL), 0);
    assert_int_equal(tacho_arch_original(b)->rob_entries, a->rob_entries);
    assert_true(tacho_arch_is_loaded(b));
    tacho_arch_free(a);
    assert_true(cycles(b, "imul rax, rax") == 7);
    assert_int_equal(tacho_form_figures(b, form("IMUL (R64, R64)"), &f), 0);
    assert_string_equal(tacho_arch_source_text(b, f.source), "given by the model's author");
    tacho_arch_free(b);
    tacho_arch_free(NULL);
}

/* A predictor remembers instructions by core; the next one may lie where the last one lay. */
static void test_arch_load__predictors_tell_them_apart(void **state)
{
    tacho_predictor *predictor = tacho_predictor_new();
    test_block block;
    assert_int_equal(test_block_make(&block, "imul rax, rax", NULL), 0);

    for (int latency = 1; latency < 40; latency++) {
        char text[200];
        const tacho_prediction *p;
        snprintf(text, sizeof text, SKL ROW "IMUL (R64, R64)\t1\t.\t.\t0>0=%d 1>0=%d\t-\t1", latency,
                 latency);
        tacho_arch *a = load(text);
        assert_int_equal(tacho_predict(predictor, a, block.bytes, block.size, NULL, &p, NULL), 0);
        assert_true(p->cycles == latency);
        tacho_arch_free(a);
    }
    tacho_predictor_free(predictor);
    test_block_free(&block);
}

static void test_arch_load__memory_may_run_out(void **state)
{
    static const char text[] =
        SKL "name x\naliases\ta b\tuser\n[extensions]\n-AVX2\tuser\n[fusion]\nnew\tZ\n" ROW
            "IMUL (R64, R64)\t1+0*2\t.\t.\t0>0=9 1>0=9\tnew\t1\n[sources]\na\tabsent\t-\tb\n";
    for (unsigned long n = 1;; n++) {
        tacho_arch *a = NULL;
        tacho_mem_fail_at(n);
        int rc = tacho_arch_load(&a, text, strlen(text), NULL, NULL);
        tacho_mem_fail_at(0);
        tacho_arch_free(a);
        if (!rc)
            break;
        assert_int_equal(rc, TACHO_ERR_MEMORY);
        assert_null(a);
        assert_true(n < 1000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arch_load__what_is_written_is_read),
        cmocka_unit_test(test_arch_load__two_lines_are_a_model),
        cmocka_unit_test(test_arch_load__rows_replace_inherited_ones),
        cmocka_unit_test(test_arch_load__a_core_of_its_own),
        cmocka_unit_test(test_arch_load__this_machine),
        cmocka_unit_test(test_arch_load__names),
        cmocka_unit_test(test_arch_load__problems_have_their_line),
        cmocka_unit_test(test_arch_load__all_problems_are_told_in_order),
        cmocka_unit_test(test_arch_load__copies_outlive_it),
        cmocka_unit_test(test_arch_load__predictors_tell_them_apart),
        cmocka_unit_test(test_arch_load__memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
