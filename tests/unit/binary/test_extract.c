/* test_extract.c - the set of blocks and the search in files, where the program cannot show it: memory that
 * runs out at each allocation, damaged files, merging of many blocks, and callgrind's
 * files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/hash.h"
#include "base/mem.h"
#include "binary/extract/callgrind.h"
#include "binary/extract/extract_internal.h"
#include "objects.h"

static tacho_extract *new_set(bool unique)
{
    tacho_extract_options o = TACHO_EXTRACT_OPTIONS_INIT;
    tacho_extract *x = NULL;
    o.unique = unique;
    assert_int_equal(tacho_extract_new(&x, &o, NULL), 0);
    return x;
}

static const char program[] =
    ".globl f,d\n.type f,@function\nf: test %edi,%edi\njz 1f\ncall g@plt\n1: xor %eax,%eax\n"
    "2: inc %eax\ncmp $9,%eax\njl 2b\nret\n.size f,.-f\n"
    ".type d,@object\nd: .quad 0x0123456789abcdef\n.size d,.-d\n"
    ".type k,@function\nk: call abort\nnop\nnop\n.size k,.-k\n";

static void test_extract__blocks_of_a_function(void **state)
{
    size_t size;
    char *object = make_object(program, &size);
    tacho_extract *x = new_set(false);
    static const struct {
        uint64_t address;
        uint32_t bytes, insns;
    } expected[] = {{0, 2, 1}, {9, 2, 1}, {11, 5, 2}};
    assert_int_equal(tacho_extract_memory(x, object, size, "dir/prog.o", NULL), 0);
    assert_int_equal(x->count, 3);
    for (size_t i = 0; i < x->count; i++) {
        assert_int_equal(x->blocks[i].address, expected[i].address);
        assert_int_equal(x->blocks[i].byte_count, expected[i].bytes);
        assert_int_equal(x->blocks[i].insn_count, expected[i].insns);
        assert_string_equal(x->blocks[i].app, "prog.o");
        assert_string_equal(x->blocks[i].object, "prog.o");
        assert_false(x->blocks[i].counted);
    }
    assert_int_equal(x->covers[0].function_count, 2);
    assert_int_equal(x->covers[0].reached_bytes, 24);
    assert_int_equal(x->covers[0].outside_bytes, 8); /* the object in .text */
    assert_int_equal(x->covers[0].padding_bytes, 2); /* after a call that does not return */
    tacho_extract_free(x);
    tacho_mem_free(object);
}

static void test_extract__memory_runs_out_at_each_allocation(void **state)
{
    size_t size;
    char *object = make_object(program, &size);
    int rc = TACHO_ERR_MEMORY;
    for (unsigned long n = 1; rc; n++) {
        tacho_error err = {.message = ""};
        tacho_extract_options o = TACHO_EXTRACT_OPTIONS_INIT;
        tacho_extract *x = NULL;
        o.unique = true;
        o.app = "app";
        assert_true(n < 1000);
        tacho_mem_fail_at(n);
        rc = tacho_extract_new(&x, &o, &err);
        if (!rc)
            rc = tacho_extract_memory(x, object, size, "prog.o", &err);
        tacho_mem_fail_at(0);
        if (rc) {
            assert_int_equal(rc, TACHO_ERR_MEMORY);
            assert_non_null(strstr(err.message, "out of memory"));
        } else {
            assert_int_equal(x->count, 3);
        }
        tacho_extract_free(x);
    }
    tacho_mem_free(object);
}

/* Every cut of a file, and every byte of it changed, is read or refused, with a message. */
static void test_extract__damaged_files(void **state)
{
    size_t size;
    char *object = make_object(program, &size);
    for (size_t i = 0; i < 2 * size; i++) {
        tacho_error err = {.message = ""};
        char *damaged = malloc(size);
        size_t length = i < size ? i : size;
        memcpy(damaged, object, size);
        if (i >= size)
            damaged[i - size] = (char)hash_mix(i);
        char *exact = malloc(length ? length : 1); /* a sanitizer sees reads past the end */
        memcpy(exact, damaged, length);
        tacho_extract *x = new_set(false);
        if (tacho_extract_memory(x, exact, length, "damaged", &err))
            assert_true(*err.message);
        tacho_extract_free(x);
        free(exact);
        free(damaged);
    }
    tacho_mem_free(object);
}

static void test_extract__merging_keeps_the_first_and_adds_up(void **state)
{
    enum {
        KINDS = 5000
    };
    extract_set *x = (extract_set *)new_set(true);
    uint64_t total = 0;
    for (uint32_t i = 0; i < 3 * KINDS; i++) {
        uint32_t bytes = i % KINDS;
        static const char *const apps[] = {"a", "aa", "a"};
        x->app = apps[i / KINDS];
        const extract_piece p = {.bytes = (const uint8_t *)&bytes,
                                 .byte_count = sizeof bytes,
                                 .insn_count = 1,
                                 .address = i,
                                 .count = i,
                                 .counted = true};
        assert_int_equal(extract_add(x, "object", &p, NULL), 0);
    }
    assert_int_equal(x->result.count, KINDS);
    for (uint32_t i = 0; i < KINDS; i++) {
        assert_int_equal(x->result.blocks[i].address, i);
        assert_string_equal(x->result.blocks[i].app, "a;aa");
        total += x->result.blocks[i].count;
    }
    assert_int_equal(total, 3ull * KINDS * (3 * KINDS - 1) / 2);
    tacho_extract_free(&x->result);
}

static void test_extract__what_ends_a_block(void **state)
{
    static const struct {
        uint8_t bytes[4];
        extract_end end;
    } cases[] = {
        {{0x90}, EXTRACT_GOES_ON},       {{0xf3, 0xa4}, EXTRACT_GOES_ON}, /* rep movsb */
        {{0x0f, 0xa2}, EXTRACT_GOES_ON},                                  /* cpuid */
        {{0x75, 0x00}, EXTRACT_BRANCH},                                   /* jnz */
        {{0xe2, 0x00}, EXTRACT_BRANCH},                                   /* loop */
        {{0xff, 0xd0}, EXTRACT_BRANCH},                                   /* call rax */
        {{0xff, 0xe0}, EXTRACT_BRANCH},                                   /* jmp rax */
        {{0xf2, 0xc3}, EXTRACT_BRANCH},                                   /* bnd ret */
        {{0x0f, 0x05}, EXTRACT_LEAVES},                                   /* syscall */
        {{0xcd, 0x80}, EXTRACT_LEAVES},                                   /* int 0x80 */
        {{0x0f, 0x0b}, EXTRACT_LEAVES},                                   /* ud2 */
        {{0xcc}, EXTRACT_LEAVES},                                         /* int3 */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tacho_insn insn;
        assert_int_equal(tacho_decode(&insn, cases[i].bytes, sizeof cases[i].bytes, NULL), 0);
        assert_int_equal(extract_end_of(&insn), cases[i].end);
    }
}

/* ---- counts ---- */

static uint64_t count_at(const tacho_bytemap *map, uint32_t object, uint64_t address)
{
    uint8_t key[12];
    memcpy(key, &object, 4);
    memcpy(key + 4, &address, 8);
    const tacho_bytemap_entry *e = tacho_bytemap_find(map, key, sizeof key);
    return e ? e->count : 0;
}

static const char *locate(uint64_t address, uint64_t *in_file, void *payload)
{
    *in_file = address - 0x10000;
    return address >= 0x10000 ? "/lib/plt.so" : NULL;
}

static void test_callgrind__counts_of_a_file(void **state)
{
    static const char text[] = "# callgrind format\nversion: 1\ndesc: Timerange: Basic block 0 - 64\n"
                               "positions: instr\nevents: Ir\n\n"
                               "ob=(1) /bin/a\nfl=(1) ???\nfn=(1) f\n0x1000 3\n+5 3\n"
                               "cob=(2) /lib/b.so\ncfn=(2) g\ncalls=3 0x2000\n* 999\n-5 1\n"
                               "calls=0 0x2000\n+2 999\n"
                               "+7 9\njcnd=6/9 *\n* \njump=1 +4\n* \n"
                               "ob=(2)\n0x2000 4\n"
                               "ob=(3) ???\n0x10020 5\n0x20 6\n"
                               "ob=(4) /usr/libexec/valgrind/vgpreload_core-amd64-linux.so\n0x10 7\n"
                               "ob=(1)\n* 1\ntotals: 9\n";
    callgrind_counts c = {0};
    callgrind_file file = {.locate = locate};
    char *copy = strdup(text);
    assert_int_equal(callgrind_parse(&c, copy, &file, NULL), 0);
    free(copy);
    assert_true(file.from_start);
    assert_int_equal(c.object_count, 3);
    assert_string_equal(c.objects[0], "/bin/a");
    assert_string_equal(c.objects[1], "/lib/b.so");
    assert_string_equal(c.objects[2], "/lib/plt.so");
    assert_int_equal(count_at(&c.executed, 0, 0x1000), 4);
    assert_int_equal(count_at(&c.executed, 0, 0x1005), 3);
    assert_int_equal(count_at(&c.executed, 0, 0x1007), 9);
    assert_int_equal(count_at(&c.repeated, 0, 0x1007), 6);
    assert_int_equal(count_at(&c.executed, 1, 0x2000), 4);
    assert_int_equal(count_at(&c.executed, 2, 0x20), 5);
    assert_int_equal(count_at(&c.executed, 0, 0x10), 1);
    assert_int_equal(c.unknown, 6); /* valgrind's own 7 are not the program's */
    callgrind_free(&c);
}

/* Two functions whose jumps lead into each other, one after the other: looking at them anew each time would
 * take minutes. */
static void test_extract__code_that_leads_on_and_on_is_not_followed_for_ever(void **state)
{
    enum {
        JUMPS = 20000
    };
    char *text = malloc(JUMPS * 120 + 300), *at = text;
    size_t size;
    tacho_extract *x;
    tacho_error err;
    assert_non_null(text);
    at += sprintf(at, ".globl f, g\n.type f, @function\n.type g, @function\nf:\n");
    for (int i = 0; i < JUMPS; i++)
        at += sprintf(at, ".Lf%d: nop\n.byte 0xe9\n.long .Lg%d - . - 4\n", i, i);
    at += sprintf(at, ".size f, . - f\ng:\n");
    for (int i = 0; i < JUMPS - 1; i++)
        at += sprintf(at, ".Lg%d: nop\n.byte 0xe9\n.long .Lf%d - . - 4\n", i, i + 1);
    at += sprintf(at, ".Lg%d: ret\n.size g, . - g\n", JUMPS - 1);
    char *object = make_object(text, &size);
    assert_int_equal(tacho_extract_new(&x, NULL, &err), 0);
    assert_int_equal(tacho_extract_memory(x, object, size, "on.o", &err), 0);
    assert_int_equal(x->warning_count, 1);
    assert_non_null(strstr(x->warnings[0], "on.o: one piece of code leads to the next so often"));
    assert_true(x->count > 100);
    tacho_extract_free(x);
    tacho_mem_free(object);
    free(text);
}

/* Time that grew with the square of their number would take minutes. */
static void test_callgrind__many_files(void **state)
{
    enum {
        FILES = 20000
    };
    char *text = malloc(FILES * 40 + 100), *at = text;
    assert_non_null(text);
    at += sprintf(at, "positions: instr\nevents: Ir\nfn=(1) f\n");
    for (int i = 0; i < FILES; i++)
        at += sprintf(at, "ob=(%d) /nowhere/%d\n0x%x 3\n", i, i, 16 * i);
    callgrind_counts c = {0};
    callgrind_file file = {0};
    tacho_extract_run run = {0};
    tacho_extract *x;
    tacho_error err;
    assert_int_equal(callgrind_parse(&c, text, &file, &err), 0);
    assert_int_equal(c.object_count, FILES);
    assert_string_equal(c.objects[FILES - 1], "/nowhere/19999");
    assert_int_equal(tacho_extract_new(&x, NULL, &err), 0);
    assert_int_equal(callgrind_blocks(&c, (extract_set *)x, &run, &err), 0);
    assert_int_equal(x->count, 0);
    assert_int_equal(x->warning_count, FILES); /* each cannot be read */
    tacho_extract_free(x);
    callgrind_free(&c);
    free(text);
}

static void test_callgrind__what_is_no_such_file(void **state)
{
    static const char *const texts[] = {
        "",      "no counts\n", "positions: line\n16 400\n",      "ob=(99999999999) x\n",
        "ob=(x", "0x",          "+\n-\n*\njcnd=\njump=1\ncalls=",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        callgrind_counts c = {0};
        callgrind_file file = {0};
        tacho_error err = {.message = ""};
        char *copy = strdup(texts[i]);
        assert_int_equal(callgrind_parse(&c, copy, &file, &err), TACHO_ERR_INPUT);
        assert_true(*err.message);
        free(copy);
        callgrind_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_callgrind__counts_of_a_file),
        cmocka_unit_test(test_extract__code_that_leads_on_and_on_is_not_followed_for_ever),
        cmocka_unit_test(test_callgrind__many_files),
        cmocka_unit_test(test_callgrind__what_is_no_such_file),
        cmocka_unit_test(test_extract__blocks_of_a_function),
        cmocka_unit_test(test_extract__memory_runs_out_at_each_allocation),
        cmocka_unit_test(test_extract__damaged_files),
        cmocka_unit_test(test_extract__merging_keeps_the_first_and_adds_up),
        cmocka_unit_test(test_extract__what_ends_a_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
