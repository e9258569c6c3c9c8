/* test_input.c - hex, assembly text with its markers, ELF files, and inputs that mean harm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "objects.h"
#include "tacho/code.h"

static tacho_error err;

static tacho_code *load(const char *text, const tacho_code_options *options)
{
    tacho_code *code;
    err.message[0] = '\0';
    int result = tacho_code_from_memory(&code, text, strlen(text), "in", options, &err);
    assert_true(result == 0 || (err.message[0] && err.code == result && !code));
    return code;
}

static void check_region(const tacho_code *code, size_t i, const char *name, const char *hex)
{
    char text[200] = "";
    assert_non_null(code);
    assert_true(i < code->region_count);
    const tacho_region *r = &code->regions[i];
    if (name)
        assert_string_equal(r->name, name);
    else
        assert_null(r->name);
    for (size_t k = 0; k < r->byte_count && k < 90; k++)
        sprintf(text + 2 * k, "%02x", r->bytes[k]);
    assert_string_equal(text, hex);
}

/* Loads text that must fail with a message that has all of these parts. */
static void check_failure(const char *text, int code, const char *part1, const char *part2)
{
    assert_null(load(text, NULL));
    assert_int_equal(err.code, code);
    if (!strstr(err.message, part1) || !strstr(err.message, part2))
        fail_msg("message '%s' lacks '%s' or '%s'", err.message, part1, part2);
}

/* ---- hex ---- */

static void test_hex__accepts_the_usual_notations(void **state)
{
    static const char *const texts[] = {"4801d8",         "48 01 d8",        "48,01,D8",
                                        "0x48 0x01 0xd8", "\\x48\\x01\\xd8", " 48\t01\nd8 \r\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        uint8_t out[40];
        assert_int_equal(tacho_hex_decode(out, texts[i], strlen(texts[i]), &err), 3);
        assert_memory_equal(out, "\x48\x01\xd8", 3);
    }
    assert_int_equal(tacho_hex_decode(NULL, "", 0, &err), 0);
}

static void test_hex__tells_where_it_is_wrong(void **state)
{
    static const struct {
        const char *text;
        int offset;
    } cases[] = {{"480", 3}, {"48 0 1", 4}, {"48zz", 2}, {"4g", 1}, {"0", 1}, {"48\xff", 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t out[40];
        assert_int_equal(tacho_hex_decode(out, cases[i].text, strlen(cases[i].text), &err), TACHO_ERR_INPUT);
        assert_int_equal(err.offset, cases[i].offset);
    }
}

/* ---- assembly ---- */

static void test_assembly__both_syntaxes(void **state)
{
    tacho_code_options o = TACHO_CODE_OPTIONS_INIT;
    tacho_code *code = load("l: add %rbx,%rax; dec %r15; jnz l", NULL);
    check_region(code, 0, NULL, "4801d849ffcf75f8");
    tacho_code_free(code);
    o.syntax = TACHO_SYNTAX_INTEL;
    code = load("l: add rax, rbx; dec r15; jnz l", &o);
    check_region(code, 0, NULL, "4801d849ffcf75f8");
    tacho_code_free(code);
    code = load("mov rax, fs:[0x28]; mov gs:[rax], ebx", &o); /* a segment register before an address */
    check_region(code, 0, NULL, "64488b042528000000658918");
    tacho_code_free(code);
    assert_null(load("frobnicate\n", &o));
    assert_int_equal(err.line, 1);
    assert_null(load("nop\nfrobnicate\n", &o));
    assert_int_equal(err.line, 2);
    code = load(".intel_syntax noprefix\nadd rax, rbx\n", NULL);
    check_region(code, 0, NULL, "4801d8");
    assert_int_equal(code->regions[0].line, 1);
    tacho_code_free(code);
}

static void test_assembly__errors_have_the_line_of_the_users_text(void **state)
{
    check_failure("nop\n# LLVM-MCA-BEGIN\nnop\n# LLVM-MCA-END\nfrobnicate %eax\nalso wrong\n",
                  TACHO_ERR_INPUT, "in: line 5:", "no such instruction");
    assert_int_equal(err.line, 5);
    /* A compiler's line marker must not move the lines. */
    check_failure("# 100 \"other.c\"\nfrobnicate\n", TACHO_ERR_INPUT, "in: line 2:", "no such instruction");
    check_failure("addd rax, rbx\n", TACHO_ERR_INPUT, "line 1: column 1:", "did you mean add");
    check_failure("48 01 d8\n", TACHO_ERR_INPUT, "line 1:", "--hex");
    check_failure("", TACHO_ERR_INPUT, "no instructions", "");
    check_failure("# only a comment\n", TACHO_ERR_INPUT, "no instructions", "");
}

static void test_assembly__llvm_mca_regions(void **state)
{
    tacho_code *code = load("nop\n"
                            "# LLVM-MCA-BEGIN one\n add %eax,%ebx\n# LLVM-MCA-END\n"
                            "nop # llvm-mca-begin two words\n"
                            "cltd # LLVM-MCA-END two words\n",
                            NULL);
    check_region(code, 0, "one", "01c3");
    check_region(code, 1, "two words", "99");
    assert_int_equal(code->region_count, 2);
    assert_int_equal(code->regions[0].line, 2);
    assert_int_equal(code->regions[0].address, 1);
    tacho_code_free(code);
    /* Named regions may overlap. */
    code = load(
        "# LLVM-MCA-BEGIN a\nnop\n# LLVM-MCA-BEGIN b\ncltd\n# LLVM-MCA-END a\nret\n# LLVM-MCA-END b\n", NULL);
    check_region(code, 0, "a", "9099");
    check_region(code, 1, "b", "99c3");
    tacho_code_free(code);
}

static void test_assembly__other_comment_markers(void **state)
{
    static const char *const texts[] = {
        "nop\n# OSACA-BEGIN\ncltd\n# OSACA-END\nnop\n",
        "nop\n// OSACA-BEGIN\ncltd\n// OSACA-END\nnop\n",
        "nop\n; osaca-begin\ncltd ; osaca-end\nnop\n",
        "nop\n/* LLVM-MCA-BEGIN */ cltd\n/* LLVM-MCA-END */\nnop\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        tacho_code *code = load(texts[i], NULL);
        check_region(code, 0, NULL, "99");
        tacho_code_free(code);
    }
    tacho_code *code = load(".ascii \"# OSACA-BEGIN\"\n/*\n # OSACA-BEGIN */\nmov $'#', %al # x\n", NULL);
    assert_int_equal(code->region_count, 1);
    tacho_code_free(code);
}

static void test_assembly__region_without_end_runs_to_the_end_and_warns(void **state)
{
    tacho_code *code = load("nop\n# LLVM-MCA-BEGIN\ncltd\nret\n", NULL);
    check_region(code, 0, NULL, "99c3");
    assert_int_equal(code->warning_count, 1);
    assert_non_null(strstr(code->warnings[0], "line 2"));
    tacho_code_free(code);
    code = load("cltd\n# LLVM-MCA-END\nret\n", NULL);
    check_region(code, 0, NULL, "99");
    tacho_code_free(code);
}

static void test_assembly__wrong_markers_are_errors(void **state)
{
    check_failure("# LLVM-MCA-BEGIN\nnop\n# LLVM-MCA-BEGIN\nnop\n", TACHO_ERR_INPUT, "line 3", "names");
    check_failure("# LLVM-MCA-BEGIN a\n# LLVM-MCA-BEGIN a\nnop\n", TACHO_ERR_INPUT, "line 2", "already open");
    check_failure("# LLVM-MCA-BEGIN a\nnop\n# LLVM-MCA-END b\n", TACHO_ERR_INPUT, "line 3", "'b'");
    check_failure("# LLVM-MCA-BEGIN a\n# LLVM-MCA-BEGIN b\nnop\n# LLVM-MCA-END\n", TACHO_ERR_INPUT, "line 4",
                  "name");
    check_failure(".rept 2\n# LLVM-MCA-BEGIN\nnop\n.endr\n", TACHO_ERR_INPUT, "repeated block", "");
    check_failure("# LLVM-MCA-BEGIN\nnop\n.data\n# LLVM-MCA-END\n", TACHO_ERR_INPUT, "one section", "");
}

static void test_assembly__byte_markers(void **state)
{
    tacho_code *code = load("nop\nud2\nmovl $111,%ebx\n.byte 100,103,144\ncltd\nmovl $222,%ebx\n"
                            ".byte 100\n.byte 103\n.byte 144\nud2\nret\n"
                            "movl $111,%ebx\n.byte 100,103,144\nret\n",
                            NULL);
    check_region(code, 0, NULL, "99");
    check_region(code, 1, NULL, "c3");
    assert_int_equal(code->warning_count, 1);
    tacho_code_free(code);
    tacho_code_options o = TACHO_CODE_OPTIONS_INIT;
    o.ignore_markers = true;
    code = load("nop\n# LLVM-MCA-BEGIN\nnop\n", &o);
    check_region(code, 0, NULL, "9090");
    tacho_code_free(code);
}

static void test_assembly__symbols_and_sections(void **state)
{
    static const char text[] = "f: nop\nret\ng: cltd\nret\n.section .text.cold,\"ax\"\nh: hlt\n";
    tacho_code_options o = TACHO_CODE_OPTIONS_INIT;
    o.symbol = "f";
    tacho_code *code = load(text, &o);
    check_region(code, 0, "f", "90c3");
    tacho_code_free(code);
    o.symbol = "h";
    code = load(text, &o);
    check_region(code, 0, "h", "f4");
    tacho_code_free(code);
    o.symbol = NULL;
    o.section = ".text.cold";
    code = load(text, &o);
    check_region(code, 0, NULL, "f4");
    tacho_code_free(code);
    o.section = ".text.cool";
    assert_null(load(text, &o));
    assert_non_null(strstr(err.message, "did you mean .text.cold"));
    o.section = NULL;
    o.symbol = "ff";
    assert_null(load(text, &o));
    assert_non_null(strstr(err.message, "did you mean f"));
    o.symbol = NULL;
    o.has_range = true;
    o.range_start = 2;
    o.range_end = 4;
    code = load(text, &o);
    check_region(code, 0, NULL, "99c3");
    tacho_code_free(code);
    o.range_end = 5;
    assert_null(load(text, &o));
    check_failure(".section .text.a,\"ax\"\nnop\n.section .text.b,\"ax\"\nnop\n", TACHO_ERR_INPUT, ".text.a",
                  "--section");
}

/* ---- hostile text ---- */

static void test_hostile__files_are_not_read(void **state)
{
    check_failure("nop\n .InclUde \"/etc/passwd\"\n", TACHO_ERR_INPUT, "line 2:", "refused");
    check_failure("x:.incbin\"/etc/passwd\"\n", TACHO_ERR_INPUT, "line 1:", "refused");
    /* Put together by a macro, so that only the limit on open files stops it. */
    check_failure(".macro m a\n.\\a \"/etc/passwd\"\n.endm\nm include\n", TACHO_ERR_INPUT, "line ",
                  "refused");
    check_failure(".macro m a\n.\\a \"/etc/passwd\"\n.endm\nm incbin\n", TACHO_ERR_INPUT, "line ", "refused");
}

static void test_hostile__bombs_end_in_an_error(void **state)
{
    check_failure(".skip 100000000000\n", TACHO_ERR_LIMIT, "larger than", "");
    check_failure(".fill 1000000000,8,5\n", TACHO_ERR_LIMIT, "larger than", "");
    check_failure(".macro f\nnop\nf\n.endm\nf\n", TACHO_ERR_INPUT, "nested too deeply", "");
    check_failure(".rept 1000000000\n.rept 1000000000\nnop\n.endr\n.endr\n", TACHO_ERR_LIMIT, "the assembler",
                  "");
}

static void test_hostile__garbage_is_not_text(void **state)
{
    tacho_code *code;
    assert_int_equal(tacho_code_from_memory(&code, "nop\0nop", 7, "in", NULL, &err), TACHO_ERR_INPUT);
    assert_int_equal(err.offset, 3);
    check_failure("\xff\xfe\x80\x01\x02", TACHO_ERR_INPUT, "line 1", "");
    check_failure("MZ\x90", TACHO_ERR_INPUT, "", "");
    check_failure("!<arch>\nfoo.o/", TACHO_ERR_INPUT, "static library", "ar x");
}

static void test_hostile__ten_megabytes_of_assembly(void **state)
{
    enum {
        LINES = 700000
    };
    char *text = malloc(LINES * 15 + 1), *at = text;
    for (int i = 0; i < LINES; i++)
        at = stpcpy(at, "add %rax, %rbx\n");
    tacho_code *code = load(text, NULL);
    assert_non_null(code);
    assert_int_equal(code->regions[0].byte_count, 3 * LINES);
    tacho_code_free(code);
    free(text);
}

/* ---- ELF ---- */

/* Two functions, a local label and markers. */
static const char two_functions[] =
    ".globl f\n.type f,@function\nf: nop\nmovl $111,%ebx\n.byte 100,103,144\ncltd\n"
    "movl $222,%ebx\n.byte 100,103,144\nret\n.size f,.-f\n.globl g\ng: hlt\ncall x\n";

static void test_elf__symbols_markers_and_everything(void **state)
{
    size_t size;
    char *object = make_object(two_functions, &size);
    tacho_code *code;
    tacho_code_options o = TACHO_CODE_OPTIONS_INIT;
    assert_int_equal(tacho_code_from_memory(&code, object, size, "in", &o, &err), 0);
    assert_int_equal(code->kind, TACHO_INPUT_ELF);
    check_region(code, 0, NULL, "99");
    tacho_code_free(code);
    o.symbol = "g"; /* without a size: to the end; the relocated displacement is 0 */
    assert_int_equal(tacho_code_from_memory(&code, object, size, "in", &o, &err), 0);
    check_region(code, 0, "g", "f4e800000000");
    tacho_code_free(code);
    o.symbol = "x";
    assert_int_equal(tacho_code_from_memory(&code, object, size, "in", &o, &err), TACHO_ERR_INPUT);
    assert_non_null(strstr(err.message, "defined elsewhere"));
    tacho_mem_free(object);
}

static void test_elf__other_machines_are_named(void **state)
{
    size_t size;
    char *object = make_object(two_functions, &size);
    tacho_code *code;
    object[18] = (char)183; /* e_machine: AArch64 */
    assert_int_equal(tacho_code_from_memory(&code, object, size, "in", NULL, &err), TACHO_ERR_INPUT);
    assert_non_null(strstr(err.message, "AArch64"));
    tacho_mem_free(object);
}

static void test_elf__truncated_at_each_of_200_places(void **state)
{
    size_t size;
    char *object = make_object(two_functions, &size);
    for (size_t i = 0; i < 200; i++) {
        tacho_code *code;
        /* An exact copy, so that a sanitizer sees reads past the end. */
        size_t part = size * i / 200;
        char *copy = malloc(part ? part : 1);
        memcpy(copy, object, part);
        if (!tacho_code_from_memory(&code, copy, part, "in", NULL, &err))
            tacho_code_free(code);
        else
            assert_true(err.message[0]);
        free(copy);
    }
    tacho_mem_free(object);
}

static void test_elf__any_damaged_byte(void **state)
{
    size_t size;
    char *object = make_object(two_functions, &size);
    tacho_code_options o = TACHO_CODE_OPTIONS_INIT;
    for (size_t i = 0; i < size; i++)
        for (int k = 0; k < 3; k++) {
            tacho_code *code;
            char old = object[i];
            object[i] = (char)(k == 0 ? 0xff : k == 1 ? old ^ 1 : 0x7f);
            o.symbol = i % 2 ? "g" : NULL;
            o.kind = TACHO_INPUT_ELF; /* not as assembly text when the magic is gone */
            if (!tacho_code_from_memory(&code, object, size, "in", &o, &err))
                tacho_code_free(code);
            object[i] = old;
        }
    tacho_mem_free(object);
}

static void test_raw__ranges_and_markers(void **state)
{
    tacho_code_options o = TACHO_CODE_OPTIONS_INIT;
    o.kind = TACHO_INPUT_RAW;
    o.has_range = true;
    o.range_start = 1;
    o.range_end = 3;
    tacho_code *code = load("\x90\x99\xc3\x90", &o);
    check_region(code, 0, NULL, "99c3");
    assert_int_equal(code->regions[0].address, 1);
    tacho_code_free(code);
    o.range_end = 9;
    assert_null(load("\x90\x99\xc3\x90", &o));
    o.has_range = false;
    o.symbol = "f";
    assert_null(load("\x90", &o));
    assert_int_equal(err.code, TACHO_ERR_USAGE);
    o = (tacho_code_options)TACHO_CODE_OPTIONS_INIT;
    o.kind = TACHO_INPUT_HEX;
    code = load("90 bb6f000000 646790 99 bbde000000 646790", &o);
    check_region(code, 0, NULL, "99");
    tacho_code_free(code);
}

static void test_load__files_that_cannot_be_read(void **state)
{
    tacho_code *code;
    assert_int_equal(tacho_code_load(&code, "/nonexistent/file", NULL, &err), TACHO_ERR_INPUT);
    assert_non_null(strstr(err.message, "/nonexistent/file"));
    assert_int_equal(tacho_code_load(&code, "/", NULL, &err), TACHO_ERR_INPUT);
    assert_non_null(strstr(err.message, "directory"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hex__accepts_the_usual_notations),
        cmocka_unit_test(test_hex__tells_where_it_is_wrong),
        cmocka_unit_test(test_assembly__both_syntaxes),
        cmocka_unit_test(test_assembly__errors_have_the_line_of_the_users_text),
        cmocka_unit_test(test_assembly__llvm_mca_regions),
        cmocka_unit_test(test_assembly__other_comment_markers),
        cmocka_unit_test(test_assembly__region_without_end_runs_to_the_end_and_warns),
        cmocka_unit_test(test_assembly__wrong_markers_are_errors),
        cmocka_unit_test(test_assembly__byte_markers),
        cmocka_unit_test(test_assembly__symbols_and_sections),
        cmocka_unit_test(test_hostile__files_are_not_read),
        cmocka_unit_test(test_hostile__bombs_end_in_an_error),
        cmocka_unit_test(test_hostile__garbage_is_not_text),
        cmocka_unit_test(test_hostile__ten_megabytes_of_assembly),
        cmocka_unit_test(test_elf__symbols_markers_and_everything),
        cmocka_unit_test(test_elf__other_machines_are_named),
        cmocka_unit_test(test_elf__truncated_at_each_of_200_places),
        cmocka_unit_test(test_elf__any_damaged_byte),
        cmocka_unit_test(test_raw__ranges_and_markers),
        cmocka_unit_test(test_load__files_that_cannot_be_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
