/* test_assemble.c - the library's own assembler: bytes, which are GNU's, of each kind of statement; syntaxes;
 * the lines, columns and words of problems; limits. bench/assemble compares it with the GNU assembler over
 * whole suites, tests/robust/assembled.sh over a sample. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "base/str.h"
#include "tacho/assemble.h"

static tacho_assembly *made;
static tacho_error err;

static int assemble_as(const char *text, tacho_syntax syntax, tacho_dialect dialect)
{
    tacho_assemble_options o = TACHO_ASSEMBLE_OPTIONS_INIT;
    tacho_assembly_free(made);
    o.syntax = syntax;
    o.dialect = dialect;
    err.message[0] = '\0';
    return tacho_assemble(&made, text, strlen(text), &o, &err);
}

static void expect_section(size_t section, const char *hex)
{
    tacho_str s = {0};
    tacho_str_puts(&s, "");
    tacho_str_hex(&s, made->sections[section].bytes, made->sections[section].byte_count);
    assert_string_equal(s.data ? s.data : "", hex);
    tacho_str_free(&s);
}

static void expect(const char *text, tacho_syntax syntax, const char *hex)
{
    if (assemble_as(text, syntax, TACHO_DIALECT_AUTO))
        fail_msg("'%s': %s", text, err.message);
    expect_section(0, hex);
}

static void att(const char *text, const char *hex)
{
    expect(text, TACHO_SYNTAX_ATT, hex);
}

static void intel(const char *text, const char *hex)
{
    expect(text, TACHO_SYNTAX_INTEL, hex);
}

static void refused(const char *text, tacho_syntax syntax, int code, const char *message)
{
    assert_int_equal(assemble_as(text, syntax, TACHO_DIALECT_AUTO), code);
    if (!strstr(err.message, message))
        fail_msg("'%s': '%s' lacks '%s'", text, err.message, message);
}

static void test_choices__are_gnus(void **state)
{
    att("add $1, %eax", "83c001");
    att("add $0x12345678, %eax", "0578563412");
    att("addl $-1, (%rax)", "8300ff");
    att("movq $1, %rax", "48c7c001000000");
    att("mov $0x80000000, %rax", "48b80000008000000000");
    att("mov %rbx, %rax", "4889d8");
    att("mov 0x1234, %eax", "8b042534120000");
    att("movabs 0x1234, %eax", "a13412000000000000");
    att("xchg %ebx, %eax", "93");
    att("xchg %eax, %eax", "87c0");
    att("int $3", "cc");
    att("vmovaps %xmm8, %xmm0", "c57829c0");
    att("vpdpbusd %xmm2, %xmm1, %xmm0", "62f2750850c2");
    att("{vex} vpdpbusd %xmm2, %xmm1, %xmm0", "c4e27150c2");
    att("{vex3} vaddps %xmm2, %xmm1, %xmm0", "c4e17058c2");
    att("{evex} vaddps %xmm2, %xmm1, %xmm0", "62f1740858c2");
    att("{load} mov %ebx, %eax", "8bc3");
    att("{store} vmovaps %xmm1, %xmm0", "c5f829c8");
    att("{disp32} mov (%rax), %eax", "8b8000000000");
    att("{disp8} mov (%rax), %eax", "8b4000");
    att("mov 0(%rbp), %eax", "8b4500");
    att("fsub %st, %st(1)", "dce1");
    att("finit", "9bdbe3");
    att("nopw 0x0(%rax,%rax,1)", "660f1f0400");
    att("data16 cs nopw 0x0(%rax,%rax,1)", "662e660f1f0400");
    att("vaddps 64(%rax){1to16}, %zmm1, %zmm2{%k1}{z}", "62f174d9585010");
    att("vaddps {rn-sae}, %zmm1, %zmm2, %zmm3", "62f16c1858d9");
    att("vminps {sae}, %zmm1, %zmm2, %zmm3", "62f16c185dd9");
    att("vpgatherdd (%rax,%zmm1,4), %zmm0{%k1}", "62f27d49900488");
}

static void test_intel__sizes_segments_and_addresses(void **state)
{
    intel("mov eax, DWORD PTR [rbx+rcx*4-16]", "8b448bf0");
    intel("mov eax, 16[rbx][rcx*4]", "8b448b10");
    intel("mov eax, [rax*1]", "8b040500000000");
    intel("mov eax, [rcx+rsp]", "8b040c");
    intel("mov rax, QWORD PTR fs:0x28", "64488b042528000000");
    intel("mov al, 0FFh", "b0ff");
    intel("movsx rax, eax", "4863c0");
    intel("vaddps zmm0{k1}{z}, zmm1, DWORD BCST [rax]", "62f174d95800");
    intel("vcmpps k1, zmm0, zmm1, {sae}, 3", "62f17c18c2c903");
    intel("rep movsb", "f3a4");
    intel("pushw 1", "666a01");
    intel("call [rax]", "ff10");
    intel("mov rax, OFFSET FLAT:x", "48c7c000000000");
}

static void test_branches__are_as_short_as_they_can_be(void **state)
{
    att("1: jmp 1b", "ebfe");
    att("jmp 1f\n1:", "eb00");
    att("jne elsewhere", "0f8500000000");
    att("f: call f", "e8fbffffff");
    assert_int_equal(assemble_as("jmp 1f\n.skip 127\n1:", TACHO_SYNTAX_ATT, TACHO_DIALECT_AUTO), 0);
    assert_int_equal(made->sections[0].byte_count, 129);
    assert_int_equal(assemble_as("jmp 1f\n.skip 128\n1:", TACHO_SYNTAX_ATT, TACHO_DIALECT_AUTO), 0);
    assert_int_equal(made->sections[0].byte_count, 133);
    att("{disp32} jmp 1f\n1:", "e900000000");
}

static void test_alignment__nops_are_gnus(void **state)
{
    att("nop\n.p2align 3", "900f1f8000000000");
    att("nop\n.p2align 4", "9066662e0f1f8400000000000f1f4000");
    att("nop\n.p2align 4,,7\nnop", "9090");
    att(".byte 1\n.balign 4, 0x90\n.byte 2", "010f1f0002");
}

static void test_data__in_code(void **state)
{
    att(".byte 1, 0x2, 'a\n.short -1\n.long 1f-.\n1:.quad 5", "010261ffff040000000500000000000000");
    att(".ascii \"a\\n\\101\"\n.asciz \"b\"\n.zero 2\n.fill 2,2,0x102", "610a416200000002010201");
    att("x = 5\nmov $x+1, %eax\n.set y, x*2\n.byte y", "b8060000000a");
    att(".section .debug_info,\"\",@progbits\n.long 7\n.text\nnop", "90");
}

static void test_names__plain_demangled_and_microsofts(void **state)
{
    intel("call foo(int)::lambda\nfoo(int)::lambda:\nret", "e800000000c3");
    att("main::{lambda(int)#1}::operator()(int) const:\nnop\njmp main::{lambda(int)#1}::operator()(int) "
        "const",
        "90ebfd");
    att("call operator new(unsigned long)\nmovl a::b(%rip), %eax", "e8000000008b0500000000");
    intel("lea rax, [rip+vtable for Foo+16]", "488d0500000000");
    intel(
        "?f@@YAHH@Z PROC\nmov eax, DWORD PTR ?x@@3HA ; it\njmp SHORT $LN1@f\n$LN1@f: ret 0\n?f@@YAHH@Z ENDP",
        "8b0500000000eb00c20000");
    assert_int_equal(made->dialect, TACHO_DIALECT_MSVC);
    intel("default rel\nglobal f\nf: mov eax, [x] ; load\nmov rcx, x\nadd eax, dword [rax+4]",
          "8b050000000048c7c100000000034004");
    assert_int_equal(made->dialect, TACHO_DIALECT_NASM);
}

static void test_syntax__intels_without_an_announcement(void **state)
{
    expect("add rax, rbx", TACHO_SYNTAX_AUTO, "4801d8");
    assert_int_equal(made->syntax, TACHO_SYNTAX_INTEL);
    expect("add %rbx, %rax", TACHO_SYNTAX_AUTO, "4801d8");
    expect("nop; add %rbx, %rax\n.intel_syntax noprefix\nadd rax, rbx", TACHO_SYNTAX_AUTO, "904801d84801d8");
    intel("mov [rax], rbx; mov byte ptr [rax+3], 1; mov rdx, [rax]", "488918c6400301488b10");
    expect("pop rax; inc ecx; push R10", TACHO_SYNTAX_AUTO, "58ffc14152");
    expect("rax: nop; jmp rax", TACHO_SYNTAX_AUTO, "90ebfd");
    assert_int_equal(made->syntax, TACHO_SYNTAX_ATT);
    refused("nop; retx", TACHO_SYNTAX_INTEL, TACHO_ERR_INPUT, "did you mean ret");
    expect("mov eax, 1 ; a number for the loop\nnop", TACHO_SYNTAX_AUTO, "b80100000090");
}

static void test_statements__know_their_places(void **state)
{
    att("# one\nf: nop; lock; incl (%rax) /* two\n lines */\n  .byte 1 # end", "90f0ff0001");
    assert_int_equal(made->statement_count, 4);
    const tacho_statement *s = made->statements;
    assert_int_equal(s[0].kind, TACHO_STATEMENT_LABEL);
    assert_int_equal(s[1].line, 2);
    assert_int_equal(s[1].column, 4);
    assert_int_equal(s[2].offset, 1);
    assert_int_equal(s[2].length, 3);
    assert_int_equal(s[3].line, 4);
    assert_int_equal(s[3].kind, TACHO_STATEMENT_DATA);
}

static void test_fixups__are_what_a_linker_needs(void **state)
{
    att("call f@PLT\nmov x+4(%rip), %eax\n.data\n.quad g", "e8000000008b0500000000");
    assert_int_equal(made->fixup_count, 3);
    assert_int_equal(made->fixups[0].elf_type, 4);
    assert_int_equal(made->fixups[0].addend, -4);
    assert_int_equal(made->fixups[1].addend, 0);
    assert_int_equal(made->fixups[2].section, 1);
    assert_string_equal(made->symbols[made->fixups[2].symbol].name, "g");
}

static void test_problems__have_line_column_and_a_proposal(void **state)
{
    refused("nop\n  addd %eax, %ebx", TACHO_SYNTAX_ATT, TACHO_ERR_INPUT,
            "line 2: column 3: no such instruction: 'addd'; did you mean add");
    refused("mov %foo, %eax", TACHO_SYNTAX_ATT, TACHO_ERR_INPUT, "column 5: there is no register '%foo'");
    refused("mov (%rax", TACHO_SYNTAX_ATT, TACHO_ERR_INPUT, "')' is missing");
    refused("add $1, (%rax)", TACHO_SYNTAX_ATT, TACHO_ERR_INPUT, "add a suffix, as in 'addl'");
    refused("addl %rax, %rbx", TACHO_SYNTAX_ATT, TACHO_ERR_INPUT, "another size than its registers");
    refused("add [rax], 1", TACHO_SYNTAX_INTEL, TACHO_ERR_INPUT, "dword ptr");
    refused("mov eax, [rbx", TACHO_SYNTAX_INTEL, TACHO_ERR_INPUT, "']' is missing");
    refused(".byt 1", TACHO_SYNTAX_ATT, TACHO_ERR_INPUT, "no such directive: '.byt'; did you mean .byte");
    refused("a: nop\na: nop", TACHO_SYNTAX_ATT, TACHO_ERR_INPUT, "'a' is already defined");
    refused("jmp 1b", TACHO_SYNTAX_ATT, TACHO_ERR_INPUT, "no label 1:");
    refused("loop x\n.skip 200\nx:", TACHO_SYNTAX_ATT, TACHO_ERR_INPUT, "too far away");
    refused(".macro m\n.endm", TACHO_SYNTAX_ATT, TACHO_ERR_UNSUPPORTED, "macros, repetitions and conditions");
    refused(".set a, b\n.set b, a\n.long a", TACHO_SYNTAX_ATT, TACHO_ERR_INPUT, "cannot be set to this");
    refused("bogus\nmore bogus\nnop", TACHO_SYNTAX_ATT, TACHO_ERR_INPUT, "line 1");
    assert_int_equal(made->problem_count, 2);
    assert_int_equal(made->problems[1].line, 2);
    tacho_assembly_free(made);
    assert_int_equal(tacho_assemble(&made, "a\0b", 3, NULL, &err), TACHO_ERR_INPUT);
    assert_non_null(strstr(err.message, "zero byte"));
}

static void test_limits__are_errors(void **state)
{
    char text[400];
    memset(text, '(', sizeof text);
    memcpy(text, ".long ", 6);
    text[sizeof text - 1] = '\0';
    refused(text, TACHO_SYNTAX_ATT, TACHO_ERR_LIMIT, "parentheses");
    refused(".skip 100000000000", TACHO_SYNTAX_ATT, TACHO_ERR_LIMIT, "MB");
    refused(".p2align 15\nnop\n.fill 60000000\n.skip 60000000", TACHO_SYNTAX_ATT, TACHO_ERR_LIMIT,
            "larger than");
    refused("vaddps %xmm0,%xmm0,%xmm0,%xmm0,%xmm0,%xmm0", TACHO_SYNTAX_ATT, TACHO_ERR_LIMIT, "operands");
    assert_int_equal(assemble_as("nop", (tacho_syntax)7, TACHO_DIALECT_AUTO), TACHO_ERR_USAGE);
}

/* What a text's parts are, as "kind start-end first-last name; ..." */
static const char *parts_of(const char *text)
{
    static char said[400];
    tacho_parts *found;
    size_t at = 0;
    assert_int_equal(assemble_as(text, TACHO_SYNTAX_AUTO, TACHO_DIALECT_AUTO), 0);
    if (tacho_assembly_parts(&found, made, text, strlen(text), &err))
        return err.message;
    said[0] = '\0';
    for (size_t i = 0; i < found->count && i < 4; i++) {
        const tacho_part *p = &found->parts[i];
        at += (size_t)snprintf(said + at, sizeof said - at, "%s%d.%u %u-%u %u-%u %s", i ? "; " : "",
                               (int)p->kind, p->section, (unsigned)p->start, (unsigned)p->end,
                               (unsigned)p->line_first, (unsigned)p->line_last, p->name);
    }
    tacho_parts_free(found);
    return said;
}

static void test_parts__are_what_is_meant(void **state)
{
    (void)state;
    assert_string_equal(parts_of("nop\nnop\n"), "0.0 0-2 1-2 ");
    assert_string_equal(parts_of("f: nop\n.L1: inc eax; jnz .L1\n"), "2.0 1-5 2-2 f");
    assert_string_equal(parts_of("1: inc eax; jnz 1b\n"), "0.0 0-4 1-1 ");
    assert_string_equal(parts_of("f: test edi, edi; je 1f\nnop\n1: ret\n"), "3.0 0-6 1-3 ");
    /* the outer loop of two is none; a loop that two branches close goes the longer way */
    assert_string_equal(parts_of("f:\n1: nop\n2: nop; dec eax; jnz 2b\ndec ecx; jnz 1b\nret\n"),
                        "2.0 1-6 3-3 f");
    assert_string_equal(parts_of("1: dec eax; je 1b\nnop; jmp 1b\n"), "2.0 0-7 1-2 ");
    assert_string_equal(parts_of(".section .a, \"ax\"\nf: dec eax; jnz f; ret\n.section .b, \"ax\"\ng: nop; "
                                 "dec eax; jnz g; ret\n"),
                        "2.1 0-4 2-2 f; 2.2 0-5 4-4 g");
    tacho_parts *found;
    char note[300];
    assert_int_equal(tacho_assembly_parts(&found, made, "", 0, &err), 0);
    assert_int_equal(found->count, 2);
    tacho_parts_note(found, 0, note, sizeof note);
    assert_non_null(strstr(note, "the hottest-looking of its 2 innermost loops, in f, lines 2 to 2"));
    tacho_parts_note(found, 1, note, sizeof note);
    assert_non_null(strstr(note, "the second of its 2 innermost loops, by how hot they look, in g"));
    tacho_parts_free(found);
    const tacho_part straight = {.kind = TACHO_PART_STRAIGHT, .name = ""};
    tacho_parts_note(&(tacho_parts){.parts = &straight, .count = 1}, 0, note, sizeof note);
    assert_non_null(strstr(note, "no loop"));
    static const char two[] = "je 1f\nnop\n1: ret\n.section .text.g,\"ax\"\nnop\n";
    assert_string_equal(parts_of(two), "3.0 0-4 1-3 ");
    assert_int_equal(tacho_assembly_parts(&found, made, two, strlen(two), &err), 0);
    tacho_parts_note(found, 0, note, sizeof note);
    tacho_parts_free(found);
    assert_non_null(strstr(note, "repeated; other sections with code are left out"));
}

static void test_parts__are_between_markers(void **state)
{
    (void)state;
    assert_string_equal(
        parts_of("nop\n# LLVM-MCA-BEGIN a\nnop\n# OSACA-BEGIN b\nnop\n# LLVM-MCA-END a\nnop\n# OSACA-END "
                 "b\nnop\n"),
        "1.0 1-3 3-5 a; 1.0 2-4 5-7 b");
    assert_string_equal(parts_of("/* LLVM-MCA-BEGIN x y */\nnop\nf: dec eax; jnz f; ret\n"),
                        "1.0 0-6 2-3 x y");
    assert_string_equal(parts_of("nop\n# OSACA-BEGIN\n# OSACA-END\n"), "1.0 0-0 0-0 ");
    assert_string_equal(parts_of("nop\n# OSACA-END\nnop\n"), "1.0 0-1 1-1 ");
    assert_string_equal(parts_of("; osaca-begin\nnop\n"), "1.0 0-1 2-2 ");
    assert_string_equal(parts_of("# LLVM-MCA-BEGINNING\nnop\n"), "0.0 0-1 2-2 ");
    assert_string_equal(parts_of("# OSACA-BEGIN a\nnop\n# OSACA-END b\n"),
                        "line 3: this end marker closes no open region named 'b'");
    assert_string_equal(parts_of("# OSACA-BEGIN a\n# OSACA-BEGIN b\n# OSACA-END\nnop\n"),
                        "line 3: several regions are open: the end marker must name the one that ends");
    assert_string_equal(parts_of("# OSACA-BEGIN\nnop\n# OSACA-BEGIN\n"),
                        "line 3: regions that overlap must have names, and this one has none");
    assert_string_equal(parts_of(".data\n.long 5\n"), "the text has no instructions");
    /* more in one another than there may be */
    static char many[1001 * 25 + 1];
    char *at = many;
    for (int i = 0; i < 1001; i++)
        at += sprintf(at, "# OSACA-BEGIN %d\nnop\n", i);
    assert_string_equal(parts_of(many), "line 2001: more than 1000 regions are open");
}

/* What disassemblers print: bytes count, then text; all else is passed over, and places stay. */
static void test_listings__are_read_as_code(void **state)
{
    (void)state;
    static const char gnu[] = "\na.out:     file format elf64-x86-64\n\n\nDisassembly of section .text:\n\n"
                              "0000000000001034 <f>:\nf():\nx.c:3\nint f(int a) { return a; }\n"
                              "    1034:\t31 c0                \txor    %eax,%eax\n"
                              "    1036:\t48 b8 88 77 66 55 44 \tmovabs $0x1122334455667788,%rax\n"
                              "    103d:\t33 22 11 \n"
                              "    1040:\tff c8                \tdec    %eax\n"
                              "    1042:\t75 fc                \tjne    1040 <f+0xc>\n"
                              "\t\t\t1043: R_X86_64_PC32\tg-0x4\n"
                              "    1044:\tc3                   \tret\n\t...\n\n"
                              "0000000000001050 <g>:\n"
                              "    1050: ff c1                        \tincl\t%ecx\n"
                              "    1052: 75 fc                        \tjne\t0x1050 <g>\n"
                              "    1054: c3                           \tretq\n";
    assert_string_equal(parts_of(gnu), "2.0 12-16 14-15 f; 2.0 28-32 21-22 g");
    assert_int_equal(made->sections[0].place, 0x34);
    assert_int_equal(made->sections[0].byte_count, 33);
    assert_int_equal(made->sections[0].bytes[18], 0xcc);
    /* a piece of one, Intel's syntax, and bytes that the text contradicts */
    assert_string_equal(parts_of("  40: 48 ff c8   \tdec rax\n  43: 75 fb   \tjne 40 <x>\n"), "0.0 0-5 1-2 ");
    assert_string_equal(parts_of("  40:\t90 \tud2\n"), "0.0 0-1 1-1 ");
    assert_string_equal(parts_of("  40:\t06 \t(bad)\n  41:\t90 \tnop\n"), "0.0 0-2 1-2 ");
    assert_int_equal(made->statements[0].kind, TACHO_STATEMENT_DATA);
    assert_int_equal(made->statements[1].kind, TACHO_STATEMENT_INSTRUCTION);
    /* perf annotate: no bytes; the NOP is as long as it was, branches go to addresses */
    assert_string_equal(parts_of(" Percent |\tSource code & Disassembly of a.out for cycles\n"
                                 "------------------------------------------------\n"
                                 "         : 5    0000000000001034 <f>:\n"
                                 "         : 6    f():\n"
                                 "    0.00 :   1034:   xor    %eax,%eax\n"
                                 "    0.00 :   1036:   nopl   0x0(%rax,%rax,1)\n"
                                 "   99.90 :   103e:   add    0x0(%rdi),%eax\n"
                                 "         : 9    i++;\n"
                                 "    0.10 :   1040:   jne    103e <f+0xa>\n"
                                 "    0.00 :   1042:   jmp    *%rax\n"),
                        "2.0 10-14 7-9 f");
    /* a comment of the source that goes on in lines that are not shown; what a comment quotes is no listing
     */
    static const char source[] = "0000000000000040 <f>:\n/* why\n  40:\t48 ff c8 \tdec %rax\n"
                                 "  43:\t75 fb \tjne 40 <f>\n";
    assert_string_equal(parts_of(source), "0.0 0-5 3-4 ");
    assert_string_equal(parts_of("/* was:\n0000000000000040 <f>:\n  40:\t90 \tnop\n*/\ndec %eax\n"),
                        "0.0 0-2 5-5 ");
    /* what is no instruction: its bytes, or a note that it is left out */
    assert_string_equal(parts_of("0000000000000040 <f>:\n  40:\t.byte 0x6\n  41:\tnop\n"), "0.0 0-2 2-3 ");
    assert_int_equal(made->statements[1].kind, TACHO_STATEMENT_DATA);
    assert_null(made->note);
    char note[400];
    static const char bad[] = "  40:\t90 \tnop\n  41:\t<unknown>\n  42:\t(bad)\n  43:\t48 ff c8 \tdec %rax\n "
                              " 46:\t75 fb \tjne 43 <f>\n";
    tacho_parts *found;
    assert_string_equal(parts_of(bad), "2.0 3-8 4-5 ");
    assert_memory_equal(made->sections[0].bytes, "\x90\xcc\xcc\x48", 4);
    assert_int_equal(tacho_assembly_parts(&found, made, bad, strlen(bad), &err), 0);
    tacho_parts_note(found, 0, note, sizeof note);
    tacho_parts_free(found);
    assert_non_null(strstr(note, "another part; line 2 of the listing, the first of 2, cannot be read"));
    /* labels that are numbers, or look like them, make no listing */
    assert_string_equal(parts_of("1: add %eax, %ebx\njne 1b\n"), "0.0 0-4 1-2 ");
    assert_string_equal(parts_of("fa: cdq\ndec %eax\njne fa\n"), "0.0 0-5 1-3 ");
}

static void test_source_code__is_named(void **state)
{
    (void)state;
    refused("#include <stdio.h>\nint main(void) {\n  return 0;\n}\n", TACHO_SYNTAX_AUTO, TACHO_ERR_INPUT,
            "this is C, and no assembly: compile it first (gcc -O3 -S -o - FILE)");
    refused("fn main() {\n  let a = 1;\n}\n", TACHO_SYNTAX_AUTO, TACHO_ERR_INPUT, "this is Rust");
}

/* Each allocation fails once: the message says so, and nothing leaks. */
static void test_memory__runs_out_at_each_place(void **state)
{
    static const char text[] = ".globl f\nf: mov x(%rip), %eax; jmp 1f\n.p2align 4\n1: addd\n";
    static const char good[] =
        ".file 1 \"a\" \"b\"\n.loc 1 5\nf: mov x(%rip), %eax; jmp 1f\n.p2align 4\n1:\n.data\n.quad f";
    const char *const texts[] = {text, good};
    for (int i = 0; i < 2; i++)
        for (unsigned long n = 1;; n++) {
            tacho_assembly *a;
            tacho_mem_fail_at(n);
            int result = tacho_assemble(&a, texts[i], strlen(texts[i]), NULL, &err);
            tacho_mem_fail_at(0);
            tacho_assembly_free(a);
            if (result != TACHO_ERR_MEMORY) {
                assert_int_equal(result, i ? 0 : TACHO_ERR_INPUT);
                break;
            }
            assert_null(a);
            assert_true(n < 1000);
        }
}

static int leave(void **state)
{
    tacho_assembly_free(made);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choices__are_gnus),
        cmocka_unit_test(test_intel__sizes_segments_and_addresses),
        cmocka_unit_test(test_branches__are_as_short_as_they_can_be),
        cmocka_unit_test(test_alignment__nops_are_gnus),
        cmocka_unit_test(test_data__in_code),
        cmocka_unit_test(test_names__plain_demangled_and_microsofts),
        cmocka_unit_test(test_syntax__intels_without_an_announcement),
        cmocka_unit_test(test_statements__know_their_places),
        cmocka_unit_test(test_fixups__are_what_a_linker_needs),
        cmocka_unit_test(test_problems__have_line_column_and_a_proposal),
        cmocka_unit_test(test_limits__are_errors),
        cmocka_unit_test(test_parts__are_what_is_meant),
        cmocka_unit_test(test_parts__are_between_markers),
        cmocka_unit_test(test_listings__are_read_as_code),
        cmocka_unit_test(test_source_code__is_named),
        cmocka_unit_test(test_memory__runs_out_at_each_place),
    };
    return cmocka_run_group_tests(tests, NULL, leave);
}
