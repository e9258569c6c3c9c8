/* test_hot.c - hot places: records and files of perf_event, made by hand and then damaged; mappings as
 * processes come and go; made-up samples over this program's own code, whose addresses are known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include <math.h>

#include "base/hash.h"
#include "base/mem.h"
#include "program/hot/ring.h"
#include "tacho/hot_diff.h"

/* Code to sample. probe_chain: a loop that seldom enters the one inside it. probe_ways: a loop with a block
 * that by its looks is skipped. probe_straight: none. */
__asm__(".text\n.p2align 6\n"
        ".globl probe_chain\n.type probe_chain,@function\n"
        "probe_chain: mov $1000, %ecx\n"
        ".globl probe_chain_head\nprobe_chain_head: imul %rax, %rax\n"
        "test $4095, %eax\n"
        "jz 2f\n"
        "1: dec %ecx\n"
        "jnz probe_chain_head\n"
        "ret\n"
        "2: mov $9, %edx\n"
        ".globl probe_inner\nprobe_inner: dec %edx\n"
        "jnz probe_inner\n"
        "jmp 1b\n"
        ".globl probe_chain_end\nprobe_chain_end:\n"
        ".size probe_chain, . - probe_chain\n"
        ".globl probe_ways\n.type probe_ways,@function\n"
        "probe_ways: mov $1000, %ecx\n"
        ".globl probe_ways_head\nprobe_ways_head: cmp %rax, %rdx\n"
        "je 3f\n"
        ".globl probe_ways_usual\nprobe_ways_usual: add $1, %rdx\n"
        "jmp 4f\n"
        ".globl probe_ways_other\nprobe_ways_other:\n"
        "3: imul %rdx, %rdx\n"
        "4: dec %ecx\n"
        "jnz probe_ways_head\n"
        "ret\n"
        ".size probe_ways, . - probe_ways\n"
        ".globl probe_straight\n.type probe_straight,@function\n"
        "probe_straight: add %rax, %rax\n"
        "add %rdx, %rdx\n"
        "ret\n"
        ".size probe_straight, . - probe_straight\n");
extern const uint8_t probe_chain[], probe_chain_head[], probe_inner[], probe_chain_end[], probe_ways_head[],
    probe_ways_usual[], probe_ways_other[], probe_straight[];

static uint64_t at(const uint8_t *code)
{
    return (uint64_t)(uintptr_t)code;
}

static hot_tally *own_tally(void)
{
    hot_tally *b = tally_new();
    assert_non_null(b);
    assert_int_equal(tally_fork(b, 0, (uint64_t)getpid()), 0);
    assert_int_equal(tally_read_maps(b, (uint64_t)getpid()), 0);
    return b;
}

static void sample(hot_tally *b, uint64_t address, int count)
{
    for (int i = 0; i < count; i++)
        assert_int_equal(tally_sample(b, (uint64_t)getpid(), address, 2), 0);
}

static tacho_hot *find(hot_tally *b, const tacho_hot_find_options *options)
{
    tacho_hot *hot;
    tacho_error err = {.message = ""};
    assert_int_equal(tally_finish(b), 0);
    if (tacho_hot_find(&hot, &b->profile, options, &err))
        fail_msg("%s", err.message);
    return hot;
}

/* ---- places ---- */

static void test_places__loops_blocks_and_shares(void **state)
{
    hot_tally *b = own_tally();
    sample(b, at(probe_chain_head), 60);
    sample(b, at(probe_inner), 10);
    sample(b, at(probe_straight), 20);
    sample(b, at(probe_straight) + 3, 10);
    tacho_hot *hot = find(b, NULL);
    assert_int_equal(hot->count, 3);
    const tacho_hot_place *p = &hot->places[0];
    assert_true(p->is_loop && p->has_inner);
    assert_string_equal(p->loop->function, "probe_chain");
    assert_int_equal(p->loop->start - p->loop->function_address, probe_chain_head - probe_chain);
    assert_int_equal(p->samples, 60);
    assert_true(fabs(p->share - 0.6) < 1e-9);
    assert_true(p->share_low > 0.49 && p->share_low < 0.6 && p->share_high > 0.6 && p->share_high < 0.71);
    assert_int_equal(p->loop->path_count, 2); /* around without the inner loop */
    assert_false(hot->places[1].is_loop);
    assert_string_equal(hot->places[1].loop->function, "probe_straight");
    assert_int_equal(hot->places[1].samples, 30);
    assert_int_equal(hot->places[1].insn_count, 3);
    assert_int_equal(hot->places[1].insns[0].samples, 20);
    assert_int_equal(hot->places[1].insns[1].samples, 10);
    assert_true(fabs(hot->places[1].insns[1].share - 1.0 / 3) < 1e-9);
    assert_true(hot->places[2].is_loop && !hot->places[2].has_inner);
    assert_true(fabs(hot->covered - 1) < 1e-9);
    assert_true(hot->elsewhere == 0);
    assert_int_equal(hot->function_count, 2);
    assert_string_equal(hot->functions[0].name, "probe_chain");
    assert_int_equal(hot->functions[0].samples, 70);
    assert_int_equal(hot->functions[0].end - hot->functions[0].start, probe_chain_end - probe_chain);
    assert_true(fabs(hot->functions[1].share - 0.3) < 1e-9);
    tacho_hot_free(hot);
    tally_free(b);
}

static void test_places__a_loop_that_spends_its_time_inside_is_not_one(void **state)
{
    hot_tally *b = own_tally();
    sample(b, at(probe_chain_head), 10);
    sample(b, at(probe_inner), 60);
    tacho_hot *hot = find(b, NULL);
    assert_int_equal(hot->count, 2);
    assert_true(hot->places[0].is_loop && !hot->places[0].has_inner);
    assert_int_equal(hot->places[0].loop->start - hot->places[0].loop->function_address,
                     probe_inner - probe_chain);
    assert_false(hot->places[1].is_loop);
    tacho_hot_free(hot);
    tally_free(b);
}

/* Whether the path of the loop in probe_ways goes through the multiplication. */
static bool goes_other_way(const tacho_hot_place *p)
{
    uint64_t other = p->loop->start + (uint64_t)(probe_ways_other - probe_ways_head);
    for (size_t i = 0; i < p->loop->path_count; i++)
        if (p->loop->blocks[p->loop->path[i]].start == other)
            return true;
    return false;
}

static void test_places__the_path_goes_where_samples_are(void **state)
{
    for (int other = 0; other < 2; other++) {
        hot_tally *b = own_tally();
        sample(b, at(probe_ways_head), 30);
        sample(b, at(other ? probe_ways_other : probe_ways_usual), 50);
        tacho_hot *hot = find(b, NULL);
        assert_int_equal(hot->count, 1);
        assert_int_equal(goes_other_way(&hot->places[0]), other);
        tacho_hot_free(hot);
        tally_free(b);
    }
}

static void test_places__the_path_goes_where_counts_are(void **state)
{
    char name[4096] = "";
    assert_true(readlink("/proc/self/exe", name, sizeof name - 1) > 0);
    hot_tally *b = own_tally();
    sample(b, at(probe_ways_head), 50);
    tacho_hot *plain = find(b, NULL);
    uint64_t head = plain->places[0].loop->start;
    tacho_hot_free(plain);
    const char *object = strrchr(name, '/') + 1;
    tacho_extract_block blocks[] = {
        {.byte_count = 5, .insn_count = 2, .address = head, .count = 1000, .counted = true, .object = object},
        {.byte_count = 6,
         .insn_count = 2,
         .address = head + (uint64_t)(probe_ways_usual - probe_ways_head),
         .count = 1,
         .counted = true,
         .object = object},
        {.byte_count = 4,
         .insn_count = 1,
         .address = head + (uint64_t)(probe_ways_other - probe_ways_head),
         .count = 999,
         .counted = true,
         .object = object}};
    const tacho_extract counts = {.blocks = blocks, .count = 3};
    tacho_hot_find_options o = TACHO_HOT_FIND_OPTIONS_INIT;
    tacho_hot *hot;
    o.counts = &counts;
    o.core_hz = 2e9;
    b->profile.seconds_per_weight = 1e-6; /* 50 samples of weight 2: 100 us, 200,000 cycles */
    assert_int_equal(tacho_hot_find(&hot, &b->profile, &o, NULL), 0);
    assert_true(goes_other_way(&hot->places[0]));
    assert_true(hot->places[0].executions == 1000);
    assert_true(fabs(hot->places[0].observed_cycles - 200) < 1e-6);
    assert_string_equal(hot->places[0].observed_by, "count");
    tacho_hot_free(hot);
    tally_free(b);
}

static void test_places__branch_records_give_the_cycles_of_a_round(void **state)
{
    hot_tally *b = own_tally();
    uint64_t head = at(probe_inner), end = head + 2; /* dec edx is 2 bytes */
    const hot_branch branches[] = {
        {end, head, 7}, {end, head, 5}, {end, head, 6}, {at(probe_chain_head), head, 9}};
    sample(b, head, 50);
    assert_int_equal(tally_branches(b, (uint64_t)getpid(), branches, 4), 0);
    tacho_hot *hot = find(b, NULL);
    assert_int_equal(hot->count, 1);
    assert_string_equal(hot->places[0].observed_by, "lbr");
    assert_true(fabs(hot->places[0].observed_cycles - 6) < 1e-9);
    tacho_hot_free(hot);
    tally_free(b);
}

static void test_places__rounds_of_a_loop_inside_are_not_its_own(void **state)
{
    hot_tally *b = own_tally();
    uint64_t head = at(probe_chain_head), inner = at(probe_inner);
    const hot_branch branches[] = {{inner + 2, inner, 1},  {inner + 2, inner, 1}, {inner + 2, inner, 1},
                                   {inner + 2, inner, 1},  {inner + 2, inner, 1}, {inner - 7, head, 50},
                                   {inner - 7, head, 100}, {inner - 7, head, 100}};
    sample(b, head, 50);
    assert_int_equal(tally_branches(b, (uint64_t)getpid(), branches, 8), 0);
    tacho_hot *hot = find(b, NULL);
    assert_int_equal(hot->count, 1);
    assert_true(hot->places[0].has_inner);
    assert_string_equal(hot->places[0].observed_by, "lbr");
    assert_true(fabs(hot->places[0].observed_cycles - 75) < 1e-9);
    tacho_hot_free(hot);
    tally_free(b);
}

static void test_places__what_is_not_analysed_is_elsewhere(void **state)
{
    static const hot_file_id none;
    hot_tally *b = own_tally();
    uint64_t pid = (uint64_t)getpid();
    assert_int_equal(tally_map(b, pid, 0x1000, 0x1000, 0, "//anon", &none), 0);
    assert_int_equal(tally_map(b, pid, 0x3000, 0x1000, 0, "/nosuch/file", &none), 0);
    sample(b, 0x1234, 10);
    sample(b, 0x3234, 20);
    sample(b, 0x9000, 30); /* nothing is there */
    sample(b, at(probe_straight), 40);
    tacho_hot *hot = find(b, NULL);
    assert_int_equal(hot->count, 1);
    assert_true(fabs(hot->elsewhere - 0.6) < 1e-9);
    assert_int_equal(hot->warning_count, 1);
    assert_non_null(strstr(hot->warnings[0], "/nosuch/file"));
    assert_int_equal(b->profile.object_count, 4);
    assert_string_equal(b->profile.objects[1].path, "[unknown]");
    tacho_hot_free(hot);
    tally_free(b);
}

/* The map that JIT compilers write for perf; this process stands for one. */
static tacho_hot *find_generated(const char *warning)
{
    static const hot_file_id none;
    hot_tally *b = tally_new();
    uint64_t pid = (uint64_t)getpid();
    assert_int_equal(tally_map(b, pid, 0x10000, 0x10000, 0, "//anon", &none), 0);
    assert_int_equal(tally_map(b, pid + 1, 0x10000, 0x10000, 0, "//anon", &none), 0);
    sample(b, 0x10100, 30);
    sample(b, 0x1013f, 20);
    sample(b, 0x10140, 10); /* behind it */
    sample(b, 0x10200, 40);
    assert_int_equal(tally_sample(b, pid + 1, 0x10100, 20), 0); /* of another process */
    tacho_hot *hot = find(b, NULL);
    assert_true(hot->elsewhere == 1);
    assert_int_equal(hot->count, 0);
    assert_int_equal(hot->warning_count, 1);
    assert_non_null(strstr(hot->warnings[0], warning));
    for (size_t i = 0; i < hot->function_count; i++)
        assert_int_equal(hot->functions[i].object->process, pid);
    tally_free(b);
    return hot;
}

static void write_map(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void test_places__generated_functions_have_names(void **state)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
    unlink(path);
    write_map(path,
              "10100 40 former\nnonsense\n10200 0 empty\n 10100\n10200 10 second one\n10100 40 Foo::bar()\n"
              "-1 ffffffffffffffff wrong\n10300 5");
    tacho_hot *hot = find_generated("81.8 % of the samples lie in code made at run time that /tmp/perf-");
    assert_int_equal(hot->function_count, 2);
    const tacho_hot_function *first = &hot->functions[0], *second = &hot->functions[1];
    assert_string_equal(first->name, "Foo::bar()");
    assert_int_equal(first->samples, 50);
    assert_int_equal(first->start, 0x10100);
    assert_int_equal(first->end, 0x10140);
    assert_true(fabs(first->share - 100.0 / 220) < 1e-9);
    assert_string_equal(second->name, "second one");
    tacho_hot_free(hot);
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    hot = find_generated("it is no regular file");
    assert_int_equal(hot->function_count, 0);
    tacho_hot_free(hot);
    unlink(path);
    assert_int_equal(symlink("/etc/passwd", path), 0);
    hot = find_generated("it is no regular file");
    tacho_hot_free(hot);
    unlink(path);
}

/* ---- jitdump files ---- */

static void put_number(FILE *f, uint64_t value, size_t bytes)
{
    fwrite(&value, 1, bytes, f); /* little-endian, as the machine is */
}

static void put_load(FILE *f, uint64_t start, uint64_t index, const char *name, const uint8_t *code,
                     size_t size)
{
    put_number(f, 0, 4);
    put_number(f, 56 + strlen(name) + 1 + size, 4);
    put_number(f, 1, 8);                  /* time */
    put_number(f, (uint64_t)getpid(), 8); /* process, thread */
    put_number(f, start, 8);
    put_number(f, start, 8);
    put_number(f, size, 8);
    put_number(f, index, 8);
    fwrite(name, 1, strlen(name) + 1, f);
    fwrite(code, 1, size, f);
}

/* `cut`: of the last record */
static void write_dump(const char *path, const char *magic, size_t cut)
{
    static const uint8_t spin[] = {0x0f, 0xaf, 0xc0, 0xff, 0xc9, 0x75, 0xf9, 0xc3}, /* imul; dec; jnz; ret */
        nops[16] = {0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0xc3};
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(magic, f);
    put_number(f, 1, 4);
    put_number(f, 40, 8); /* size of the head, with the machine */
    for (int i = 0; i < 3; i++)
        put_number(f, 0, 8);
    put_load(f, 0x10100, 1, "former", nops, sizeof nops);
    put_load(f, 0x10100, 2, "spins", spin, sizeof spin);
    put_load(f, 0x50000, 3, "moves", spin, sizeof spin);
    put_number(f, 1, 4); /* moved to 0x10200 */
    put_number(f, 64, 4);
    put_number(f, 2, 8);
    put_number(f, (uint64_t)getpid(), 8);
    put_number(f, 0x10200, 8);
    put_number(f, 0x50000, 8);
    put_number(f, 0x10200, 8);
    put_number(f, sizeof spin, 8);
    put_number(f, 3, 8);
    put_load(f, 0x10300, 4, "cut", spin, sizeof spin);
    assert_int_equal(fflush(f), 0);
    assert_int_equal(ftruncate(fileno(f), ftell(f) - (long)cut), 0);
    fclose(f);
}

static tacho_hot *find_dumped(const char *path)
{
    static const hot_file_id none;
    const uint64_t pid = (uint64_t)getpid();
    hot_tally *b = tally_new();
    assert_int_equal(tally_map(b, pid, 0x10000, 0x10000, 0, "//anon", &none), 0);
    assert_int_equal(tally_map(b, pid, 0x90000, 0x1000, 0, path, &none), 0);
    sample(b, 0x10100, 60);
    sample(b, 0x10203, 30);
    sample(b, 0x10300, 10);
    tacho_hot *hot = find(b, NULL);
    tally_free(b);
    return hot;
}

static void test_places__generated_code_that_was_left_is_analysed(void **state)
{
    char path[64];
    (void)state;
    snprintf(path, sizeof path, "/tmp/jit-%d.dump", (int)getpid());
    unlink(path);
    write_dump(path, "DTiJ", 1);
    tacho_hot *hot = find_dumped(path);
    assert_int_equal(hot->count, 2);
    assert_string_equal(hot->places[0].loop->function, "spins");
    assert_true(hot->places[0].is_loop && hot->places[1].is_loop);
    assert_int_equal(hot->places[0].loop->start, 0x10100);
    assert_int_equal(hot->places[0].loop->code_bytes, 7);
    assert_string_equal(hot->places[1].loop->function, "moves");
    assert_int_equal(hot->places[1].loop->start, 0x10200);
    assert_true(fabs(hot->elsewhere - 0.1) < 1e-9);
    tacho_hot_free(hot);
    write_dump(path, "JiTD", 0); /* of a machine with the other order of bytes */
    hot = find_dumped(path);
    assert_int_equal(hot->count, 0);
    assert_true(hot->elsewhere == 1);
    assert_non_null(strstr(hot->warnings[0], "no jitdump file"));
    tacho_hot_free(hot);
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    hot = find_dumped(path);
    assert_non_null(strstr(hot->warnings[0], "no regular file"));
    tacho_hot_free(hot);
    unlink(path);
}

/* Opening a pipe would wait for its writer. */
static void test_places__in_no_regular_file_are_elsewhere(void **state)
{
    static const hot_file_id none;
    hot_tally *b = tally_new();
    char directory[] = "/tmp/tacho-hot-XXXXXX", pipe[64];
    assert_non_null(mkdtemp(directory));
    snprintf(pipe, sizeof pipe, "%s/pipe", directory);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    const char *const paths[] = {pipe, directory, "/dev/null/", "/dev/tty", "/dev/full"};
    const size_t count = sizeof paths / sizeof *paths;
    for (uint64_t i = 0; i < count; i++) {
        assert_int_equal(tally_map(b, 1, 0x1000 * (i + 1), 0x1000, 0, paths[i], &none), 0);
        assert_int_equal(tally_sample(b, 1, 0x1000 * (i + 1), 1), 0);
    }
    alarm(20);
    tacho_hot *hot = find(b, NULL);
    alarm(0);
    assert_int_equal(hot->count, 0);
    assert_true(hot->elsewhere == 1);
    assert_int_equal(hot->warning_count, count);
    tacho_hot_free(hot);
    tally_free(b);
    tacho_hot_profile *p;
    tacho_error err;
    alarm(20);
    assert_int_equal(tacho_hot_read(&p, pipe, &err), TACHO_ERR_INPUT);
    alarm(0);
    assert_non_null(strstr(err.message, "no regular file"));
    unlink(pipe);
    rmdir(directory);
}

static void test_places__a_file_that_has_changed_is_not_analysed(void **state)
{
    hot_tally *b = own_tally();
    sample(b, at(probe_straight), 40);
    assert_int_equal(tally_finish(b), 0);
    b->objects[0].inode++;
    tacho_hot *hot;
    assert_int_equal(tacho_hot_find(&hot, &b->profile, NULL, NULL), 0);
    assert_int_equal(hot->count, 0);
    assert_non_null(strstr(hot->warnings[0], "changed"));
    tacho_hot_free(hot);
    tally_free(b);
}

static void test_places__the_device_of_a_file_may_have_two_numbers(void **state)
{
    hot_tally *b = own_tally();
    sample(b, at(probe_straight), 40);
    assert_int_equal(tally_finish(b), 0);
    b->objects[0].device_minor++;
    tacho_hot *hot;
    assert_int_equal(tacho_hot_find(&hot, &b->profile, NULL, NULL), 0);
    assert_int_equal(hot->count, 1);
    assert_int_equal(hot->warning_count, 0);
    tacho_hot_free(hot);
    tally_free(b);
}

static void test_places__memory_runs_out(void **state)
{
    for (unsigned long n = 1;; n++) {
        hot_tally *b = own_tally();
        sample(b, at(probe_ways_head), 50);
        sample(b, at(probe_straight), 40);
        assert_int_equal(tally_finish(b), 0);
        tacho_hot *hot;
        tacho_mem_fail_at(n);
        int rc = tacho_hot_find(&hot, &b->profile, NULL, NULL);
        tacho_mem_fail_at(0);
        if (!rc && hot->count == 2) {
            tacho_hot_free(hot);
            tally_free(b);
            return;
        }
        if (rc)
            assert_int_equal(rc, TACHO_ERR_MEMORY);
        else
            tacho_hot_free(
                hot); /* the file could not be read for want of memory, and is said to be elsewhere */
        tally_free(b);
        assert_true(n < 100000);
    }
}

/* ---- by ptrace ---- */

/* Whenever it does, the command is ended and its memory given back; nothing waits for ever. */
static void test_ptrace__memory_runs_out(void **state)
{
    char name[] = "true", *const argv[] = {name, NULL};
    tacho_hot_options options = TACHO_HOT_OPTIONS_INIT;
    options.via = TACHO_HOT_PTRACE;
    for (unsigned long n = 1; n < 12; n++) {
        tacho_hot_profile *p;
        tacho_error err = {.message = ""};
        tacho_mem_fail_at(n);
        int rc = tacho_hot_run(&p, argv, &options, &err);
        tacho_mem_fail_at(0);
        if (rc == TACHO_ERR_UNSUPPORTED) {
            print_message("skipped: %s\n", err.message);
            skip();
        }
        if (!rc) {
            tacho_hot_profile_free(p);
            continue;
        }
        assert_int_equal(rc, TACHO_ERR_MEMORY);
        assert_true(err.message[0]);
    }
}

/* ---- mappings ---- */

/* Random mappings, against a picture of each page; a copy made halfway stays as it was. */
static void test_maps__are_what_was_mapped_last(void **state)
{
    enum {
        PAGES = 300
    };
    hot_maps *maps = NULL, *copy = NULL;
    hot_map page[PAGES] = {{0}}, then[PAGES];
    uint64_t random = 1;
    for (uint32_t n = 1; n <= 4000; n++) {
        random = hash_mix(random);
        uint64_t start = random % PAGES, end = start + 1 + (random >> 32) % 20;
        hot_map m = {start, end < PAGES ? end : PAGES, (random >> 20 & 0xff) + 1000, n};
        assert_int_equal(maps_put(&maps, &m, hash_mix(n)), 0);
        for (uint64_t k = m.start; k < m.end; k++)
            page[k] = (hot_map){k, k + 1, m.offset + k - m.start, n};
        if (n == 2000) {
            copy = maps_share(maps);
            memcpy(then, page, sizeof then);
        }
    }
    for (uint64_t k = 0; k < PAGES; k++) {
        const hot_map *m = maps_find(maps, k), *former = maps_find(copy, k);
        assert_int_equal(m ? m->object : 0, page[k].object);
        assert_int_equal(m ? m->offset + k - m->start : 0, page[k].offset);
        assert_int_equal(former ? former->object : 0, then[k].object);
        assert_int_equal(former ? former->offset + k - former->start : 0, then[k].offset);
    }
    maps_drop(maps);
    assert_non_null(copy);
    maps_drop(copy);
}

static void test_maps__memory_runs_out(void **state)
{
    for (unsigned long fail = 1; fail < 40; fail++) {
        hot_maps *maps = NULL;
        for (uint64_t n = 0; n < 64; n++)
            maps_put(&maps, &(hot_map){100 * n, 100 * n + 100, 0, 1}, hash_mix(n));
        hot_maps *copy = maps_share(maps);
        tacho_mem_fail_at(fail);
        int rc = maps_put(&maps, &(hot_map){250, 2860, 0, 2}, hash_mix(99));
        tacho_mem_fail_at(0);
        assert_int_equal(maps_count(copy), 64);
        assert_int_equal(maps_find(copy, 300)->object, 1);
        assert_true(rc || maps_find(maps, 300)->object == 2);
        maps_drop(maps);
        maps_drop(copy);
        if (!rc) {
            assert_true(fail > 3);
            return;
        }
    }
    fail_msg("no end");
}

/* In quadratic time and memory this would take minutes and gigabytes. */
static void test_tally__many_processes_with_many_mappings(void **state)
{
    enum {
        MAPPINGS = 20000,
        PROCESSES = 300000
    };
    static const hot_file_id none;
    hot_tally *b = tally_new();
    for (uint64_t n = MAPPINGS; n > 0; n--)
        assert_int_equal(tally_map(b, UINT32_MAX, n << 12, 4096, 0, "/a", &none), 0);
    for (uint64_t pid = PROCESSES; pid > 0; pid--) {
        assert_int_equal(tally_fork(b, UINT32_MAX, pid), 0);
        assert_ptr_equal(tally_process(b, pid)->maps, tally_process(b, UINT32_MAX)->maps);
        if (pid % 8 == 0)
            assert_int_equal(tally_map(b, pid, 4096 * (pid % MAPPINGS), 8192, 0, "/b", &none), 0);
    }
    assert_int_equal(b->profile.process_count, PROCESSES + 1);
    assert_int_equal(maps_count(tally_process(b, 8)->maps), MAPPINGS - 1);
    assert_int_equal(maps_count(tally_process(b, 9)->maps), MAPPINGS);
    tally_free(b);
}

static void test_tally__mappings_cover_each_other(void **state)
{
    static const hot_file_id none;
    hot_tally *b = tally_new();
    assert_int_equal(tally_map(b, 1, 0x1000, 0x4000, 0x10000, "/a", &none), 0);
    assert_int_equal(tally_map(b, 1, 0x2000, 0x1000, 0, "/b", &none), 0);
    const hot_process *p = tally_process(b, 1);
    assert_int_equal(maps_count(p->maps), 3);
    const hot_map *low = tally_find(p, 0x1fff), *middle = tally_find(p, 0x2000),
                  *high = tally_find(p, 0x3001);
    assert_int_equal(low->offset, 0x10000);
    assert_int_equal(middle->offset, 0);
    assert_int_equal(high->offset, 0x12000);
    assert_int_equal(high->start, 0x3000);
    assert_null(tally_find(p, 0x5000));
    assert_null(tally_find(p, 0xfff));
    assert_null(tally_find(p, UINT64_MAX));
    assert_int_equal(tally_map(b, 1, 0, 0x10000, 0, "/c", &none), 0);
    assert_int_equal(maps_count(tally_process(b, 1)->maps), 1);
    assert_int_equal(tally_map(b, 1, UINT64_MAX - 5, 100, 0, "/d", &none), 0); /* beyond the end */
    assert_int_equal(maps_count(tally_process(b, 1)->maps), 1);
    tally_free(b);
}

/* A file that was replaced is another one; so often that comparing with all of them would take minutes. */
static void test_tally__one_path_many_files(void **state)
{
    enum {
        FILES = 400000
    };
    hot_tally *b = tally_new();
    for (uint64_t n = 1; n <= FILES; n++) {
        hot_file_id id = {.inode = n};
        assert_int_equal(tally_map(b, 1, 0x1000, 0x1000, 0, "/a", &id), 0);
        if (n <= 2)
            assert_int_equal(tally_map(b, 1, 0x1000, 0x1000, 0, "/a", &id), 0);
    }
    assert_int_equal(b->profile.object_count, FILES);
    tally_free(b);
}

static void test_tally__processes_come_and_go(void **state)
{
    static const hot_file_id none;
    hot_tally *b = tally_new();
    assert_int_equal(tally_map(b, 1, 0x1000, 0x1000, 0, "/a", &none), 0);
    assert_int_equal(tally_fork(b, 1, 2), 0);
    assert_int_equal(tally_exec(b, 1), 0);
    assert_null(tally_find(tally_process(b, 1), 0x1000));
    assert_non_null(tally_find(tally_process(b, 2), 0x1000));
    assert_int_equal(tally_thread(b, 2), 0);
    tally_exit(b, 2);
    assert_non_null(tally_process(b, 2)); /* the other thread lives */
    tally_exit(b, 2);
    assert_null(tally_process(b, 2));
    tally_exit(b, 77);
    tally_free(b);
}

/* ---- records ---- */

static size_t put(uint8_t *out, size_t used, uint64_t value, size_t bytes)
{
    memcpy(out + used, &value, bytes);
    return used + bytes;
}

static size_t put_header(uint8_t *out, uint32_t type, uint16_t misc)
{
    return put(out, put(out, put(out, 0, type, 4), misc, 2), 0, 2);
}

static size_t end_record(uint8_t *out, size_t used)
{
    put(out, 6, used, 2);
    return used;
}

enum {
    FORM_BITS = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD
};

static size_t make_sample(uint8_t *out, uint64_t ip, uint32_t pid, uint64_t time, uint64_t period)
{
    size_t n = put_header(out, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
    n = put(out, n, ip, 8);
    n = put(out, n, pid, 4);
    n = put(out, n, pid, 4);
    n = put(out, n, time, 8);
    return end_record(out, put(out, n, period, 8));
}

static size_t make_mapping(uint8_t *out, uint32_t pid, uint64_t start, uint64_t time, const char *path)
{
    size_t n = put_header(out, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
    n = put(out, n, pid, 4);
    n = put(out, n, pid, 4);
    n = put(out, n, start, 8);
    n = put(out, n, 0x1000, 8);
    n = put(out, n, 0, 8);
    n = put(out, n, 8, 4);  /* major */
    n = put(out, n, 1, 4);  /* minor */
    n = put(out, n, 42, 8); /* inode */
    n = put(out, n, 0, 8);
    n = put(out, n, 5, 4); /* read and execute */
    n = put(out, n, 0, 4);
    size_t room = (strlen(path) + 8) / 8 * 8;
    memset(out + n, 0, room);
    memcpy(out + n, path, strlen(path));
    n += room;
    n = put(out, n, pid, 4); /* identification */
    n = put(out, n, pid, 4);
    return end_record(out, put(out, n, time, 8));
}

static void test_record__is_read(void **state)
{
    const record_form form = {.sample_type = FORM_BITS, .ids = true};
    uint8_t bytes[256];
    uint64_t time, id;
    record r;
    size_t n = make_sample(bytes, 0x401000, 77, 1234, 500);
    assert_int_equal(perf_record_read(&r, bytes, n, &form), 0);
    assert_int_equal(r.address, 0x401000);
    assert_int_equal(r.pid, 77);
    assert_int_equal(r.period, 500);
    assert_int_equal(record_when(&time, &id, bytes, n, &form), 0);
    assert_int_equal(time, 1234);
    n = make_mapping(bytes, 77, 0x400000, 999, "/bin/something");
    assert_int_equal(perf_record_read(&r, bytes, n, &form), 0);
    assert_int_equal(r.file.inode, 42);
    assert_string_equal(r.path, "/bin/something");
    assert_true(r.executable);
    assert_int_equal(record_when(&time, &id, bytes, n, &form), 0);
    assert_int_equal(time, 999);
}

static void test_record__branches_and_what_stands_before_them(void **state)
{
    const record_form form = {.sample_type = FORM_BITS | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW |
                                             PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_READ,
                              .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID};
    uint8_t bytes[512];
    record r;
    size_t n = make_sample(bytes, 0x10, 1, 2, 3);
    n = put(bytes, n, 1, 8); /* a group of one: value, id */
    n = put(bytes, n, 5, 8);
    n = put(bytes, n, 6, 8);
    n = put(bytes, n, 2, 8); /* two callers */
    n = put(bytes, n, 0x20, 8);
    n = put(bytes, n, 0x30, 8);
    n = put(bytes, n, 4, 4); /* raw */
    n = put(bytes, n, 0, 4);
    n = put(bytes, n, 2, 8); /* branches */
    n = put(bytes, n, 0x105, 8);
    n = put(bytes, n, 0x100, 8);
    n = put(bytes, n, 12 << 4 | 2, 8);
    n = put(bytes, n, 0x106, 8);
    n = put(bytes, n, 0x101, 8);
    n = end_record(bytes, put(bytes, n, 13 << 4, 8));
    assert_int_equal(perf_record_read(&r, bytes, n, &form), 0);
    assert_int_equal(r.branch_count, 2);
    assert_int_equal(r.branches[0].from, 0x105);
    assert_int_equal(r.branches[0].cycles, 12);
    assert_int_equal(r.branches[1].cycles, 13);
}

static void test_record__damage_is_seen(void **state)
{
    const record_form form = {.sample_type = FORM_BITS, .ids = true};
    uint8_t bytes[256], *copy;
    record r;
    uint64_t time, id;
    for (int kind = 0; kind < 2; kind++) {
        size_t n = kind ? make_mapping(bytes, 77, 0x400000, 999, "/bin/s") : make_sample(bytes, 1, 2, 3, 4);
        for (size_t size = 0; size < n;
             size++) { /* nothing beyond `size` is looked at: the sanitizer watches */
            copy = malloc(size + 1);
            memcpy(copy, bytes, size);
            if (size >= 8)
                put(copy, 6, size, 2);
            if (size < 8 || !kind || size < 8 + 64)
                assert_int_equal(perf_record_read(&r, copy, size, &form), -1);
            else
                perf_record_read(&r, copy, size, &form);
            record_when(&time, &id, copy, size, &form);
            free(copy);
        }
    }
    size_t n = make_sample(bytes, 1, 2, 3, 4);
    put(bytes, 6, 0, 2);
    assert_int_equal(perf_record_read(&r, bytes, n, &form), -1);
}

/* ---- rings ---- */

enum {
    RING_BYTES = 512
};

/* A ring as the kernel fills it, but in plain memory. */
typedef struct fake_ring {
    struct perf_event_mmap_page page;
    uint8_t data[RING_BYTES];
} fake_ring;

static void write_ring(fake_ring *f, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        f->data[(f->page.data_head + i) % RING_BYTES] = bytes[i];
    f->page.data_head += size;
}

static void write_sample(fake_ring *f, uint64_t ip, uint64_t time)
{
    uint8_t bytes[64];
    write_ring(f, bytes, make_sample(bytes, ip, 9, time, 1));
}

static void write_mapping(fake_ring *f, uint64_t time, const char *path)
{
    uint8_t bytes[256];
    write_ring(f, bytes, make_mapping(bytes, 9, 0x400000, time, path));
}

typedef struct rings {
    fake_ring a, b;
    ring list[2];
    ring_set set;
    hot_tally *tally;
} rings;

static rings *make_rings(void)
{
    rings *r = calloc(1, sizeof *r);
    r->list[0] = (ring){.fd = -1, .page = &r->a.page, .data = r->a.data, .size = RING_BYTES};
    r->list[1] = (ring){.fd = -1, .page = &r->b.page, .data = r->b.data, .size = RING_BYTES};
    r->set = (ring_set){.rings = r->list, .count = 2, .form = {.sample_type = FORM_BITS, .ids = true}};
    r->tally = tally_new();
    return r;
}

static void free_rings(rings *r)
{
    tacho_mem_free(r->set.bytes);
    tacho_mem_free(r->set.waiting);
    tally_free(r->tally);
    free(r);
}

static uint64_t samples_of(const rings *r, const char *path)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < r->tally->profile.object_count; i++)
        sum += strcmp(r->tally->objects[i].path, path) ? 0 : r->tally->objects[i].samples;
    return sum;
}

static void test_ring__records_of_several_processors_are_put_down_in_order(void **state)
{
    rings *r = make_rings();
    write_mapping(&r->b, 10, "/first");
    write_sample(&r->a, 0x400001, 20);
    write_sample(&r->a, 0x400001, 40);
    assert_int_equal(ring_drain(&r->set, r->tally, false), 0);
    assert_int_equal(r->tally->profile.samples, 0); /* an earlier one might be on its way */
    write_mapping(&r->b, 30, "/second");            /* it was */
    write_sample(&r->a, 0x400001, 50);
    assert_int_equal(ring_drain(&r->set, r->tally, false), 0);
    assert_int_equal(samples_of(r, "/first"), 1);
    assert_int_equal(samples_of(r, "/second"), 1);
    assert_int_equal(r->tally->profile.samples, 2); /* that of 50 waits */
    assert_int_equal(ring_drain(&r->set, r->tally, true), 0);
    assert_int_equal(samples_of(r, "/second"), 2);
    assert_int_equal(r->set.damaged, 0);
    free_rings(r);
}

static void test_ring__goes_round(void **state)
{
    rings *r = make_rings();
    write_mapping(&r->a, 1, "/file");
    for (int i = 0; i < 200; i++) {
        write_sample(&r->a, 0x400000, 10 + (uint64_t)i);
        assert_int_equal(ring_drain(&r->set, r->tally, true), 0);
        assert_int_equal(r->a.page.data_tail, r->a.page.data_head);
    }
    assert_int_equal(samples_of(r, "/file"), 200);
    assert_int_equal(r->set.damaged, 0);
    free_rings(r);
}

static void test_ring__nonsense_is_left_out_and_ends(void **state)
{
    static const uint16_t sizes[] = {0, 7, 400, 65535}; /* none, less than a header, more than there is */
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        rings *r = make_rings();
        uint8_t header[16] = {PERF_RECORD_SAMPLE};
        write_mapping(&r->a, 1, "/file");
        write_sample(&r->a, 0x400000, 2);
        memcpy(header + 6, &sizes[i], 2);
        write_ring(&r->a, header, sizeof header);
        assert_int_equal(ring_drain(&r->set, r->tally, true), 0);
        assert_int_equal(r->set.damaged, 1);
        assert_int_equal(r->a.page.data_tail, r->a.page.data_head);
        assert_int_equal(samples_of(r, "/file"), 1);
        write_sample(&r->a, 0x400000, 3);
        assert_int_equal(ring_drain(&r->set, r->tally, true), 0);
        assert_int_equal(samples_of(r, "/file"), 2);
        free_rings(r);
    }
}

/* ---- files ---- */

/* A perf.data with a mapping and three samples, the later one first in the file. */
static size_t make_file(uint8_t *out, uint64_t event)
{
    struct perf_event_attr a = {.type = PERF_TYPE_SOFTWARE,
                                .size = sizeof a,
                                .config = event,
                                .sample_type = FORM_BITS,
                                .sample_period = 1000000,
                                .sample_id_all = 1};
    size_t attr_bytes = sizeof a + 16, data = 104 + attr_bytes, n;
    memset(out, 0, data);
    memcpy(out, "PERFILE2", 8);
    put(out, 8, 104, 8);
    put(out, 16, attr_bytes, 8);
    put(out, 24, 104, 8);
    put(out, 32, attr_bytes, 8);
    put(out, 40, data, 8);
    memcpy(out + 104, &a, sizeof a);
    put(out, 104 + sizeof a, 104, 8);
    n = data;
    n += make_sample(out + n, 0x400123, 9, 30, 7);
    n += make_mapping(out + n, 9, 0x400000, 10, "/nosuch/program");
    n += make_sample(out + n, 0x400123, 9, 20, 7);
    n += make_sample(out + n, 0x400123, 9, 5, 7); /* before anything was mapped */
    put(out, 48, n - data, 8);
    return n;
}

static void test_file__is_read_in_order_of_time(void **state)
{
    uint8_t bytes[2048];
    tacho_hot_profile *p;
    tacho_error err = {.message = ""};
    size_t n = make_file(bytes, PERF_COUNT_SW_CPU_CLOCK);
    assert_int_equal(hot_read_data(&p, "test", bytes, n, &err), 0);
    assert_int_equal(p->samples, 3);
    assert_int_equal(p->object_count, 2);
    assert_string_equal(p->objects[0].path, "/nosuch/program");
    assert_int_equal(p->objects[0].samples, 2);
    assert_int_equal(p->objects[0].inode, 42);
    assert_int_equal(p->places[0].offset, 0x123);
    assert_true(p->places[0].weight == 14);
    assert_string_equal(p->event, "cpu-clock");
    assert_true(p->seconds_per_weight == 1e-9);
    assert_true(p->hz == 1000);
    tacho_hot_profile_free(p);
}

static void test_file__of_another_event_is_no_time(void **state)
{
    uint8_t bytes[2048];
    tacho_hot_profile *p;
    size_t n = make_file(bytes, PERF_COUNT_SW_PAGE_FAULTS);
    assert_int_equal(hot_read_data(&p, "test", bytes, n, NULL), 0);
    assert_int_equal(p->warning_count, 1);
    assert_true(isnan(p->seconds_per_weight));
    tacho_hot_profile_free(p);
}

static void test_file__damage_is_told(void **state)
{
    uint8_t bytes[2048], *copy;
    tacho_hot_profile *p;
    tacho_error err;
    size_t n = make_file(bytes, PERF_COUNT_SW_CPU_CLOCK);
    for (size_t size = 0; size < n; size++) {
        copy = malloc(size + 1);
        memcpy(copy, bytes, size);
        err.message[0] = '\0';
        assert_int_equal(hot_read_data(&p, "test", copy, size, &err), TACHO_ERR_INPUT);
        assert_null(p);
        assert_true(err.message[0]);
        free(copy);
    }
    put(bytes, 104 + sizeof(struct perf_event_attr) + 16 + 6, 0, 2); /* the first record has no size */
    assert_int_equal(hot_read_data(&p, "test", bytes, n, &err), TACHO_ERR_INPUT);
    assert_non_null(strstr(err.message, "damaged record"));
    put(bytes, 8, 16, 8);
    assert_int_equal(hot_read_data(&p, "test", bytes, n, &err), TACHO_ERR_INPUT);
    assert_non_null(strstr(err.message, "pipe"));
}

/* As many build-ids as mappings: each is to be found at once. */
static void test_file__has_many_build_ids(void **state)
{
    enum {
        FILES = 60000,
        ENTRY_BYTES = 8 + 4 + 24 + 32
    };
    const size_t one = sizeof(struct perf_event_attr) + 16, limit = (size_t)FILES * 300;
    uint8_t *bytes = calloc(1, limit);
    make_file(bytes, PERF_COUNT_SW_CPU_CLOCK);
    size_t data = 104 + one, n = data;
    char path[32];
    for (uint32_t i = 0; i < FILES; i++) {
        snprintf(path, sizeof path, "/file%u", i);
        n += make_mapping(bytes + n, 9, 0x400000, 10, path);
        n += make_sample(bytes + n, 0x400123, 9, 10, 7);
    }
    put(bytes, 48, n - data, 8);
    bytes[72] = 1 << 2; /* build-ids */
    put(bytes, n, n + 16, 8);
    put(bytes, n + 8, (uint64_t)FILES * ENTRY_BYTES + 1, 8);
    n += 16;
    for (uint32_t i = 0; i < FILES; i++, n += ENTRY_BYTES) {
        put(bytes, n + 6, ENTRY_BYTES, 2);
        put(bytes, n + 12, i + 1, 4);
        snprintf((char *)bytes + n + 36, 32, "/file%u", FILES - 1 - i);
    }
    tacho_hot_profile *p;
    tacho_error err = {.message = ""};
    if (hot_read_data(&p, "test", bytes, n + 1, &err))
        fail_msg("%s", err.message);
    assert_int_equal(p->object_count, FILES);
    for (size_t i = 0; i < p->object_count; i++) {
        uint32_t id, number = (uint32_t)atoi(p->objects[i].path + 5);
        memcpy(&id, p->objects[i].build_id, sizeof id);
        assert_int_equal(id, FILES - number);
    }
    tacho_hot_profile_free(p);
    free(bytes);
}

/* Each would take memory for all of the file, so that a file of 1 MB took gigabytes. */
static void test_file__events_do_not_share_their_numbers(void **state)
{
    uint8_t bytes[4096], copy[4096];
    tacho_hot_profile *p;
    tacho_error err;
    size_t n = make_file(bytes, PERF_COUNT_SW_CPU_CLOCK), one = sizeof(struct perf_event_attr) + 16;
    size_t data = 104 + one, size = n + one;
    memcpy(copy, bytes, data);
    memcpy(copy + data, bytes + 104, one);
    memcpy(copy + data + one, bytes + data, n - data);
    put(copy, 32, 2 * one, 8);
    put(copy, 40, data + one, 8);
    for (size_t i = 0; i < 2; i++) {
        put(copy, 104 + i * one + offsetof(struct perf_event_attr, sample_type),
            FORM_BITS | PERF_SAMPLE_IDENTIFIER, 8);
        put(copy, 104 + i * one + one - 8, 8, 8);
    }
    assert_int_equal(hot_read_data(&p, "test", copy, size, NULL), 0);
    tacho_hot_profile_free(p);
    for (size_t i = 0; i < 2; i++) {
        put(copy, 104 + i * one + one - 16, 0, 8);
        put(copy, 104 + i * one + one - 8, size, 8);
    }
    assert_int_equal(hot_read_data(&p, "test", copy, size, &err), TACHO_ERR_INPUT);
    assert_non_null(strstr(err.message, "numbers"));
}

static void test_file__random_damage_does_no_harm(void **state)
{
    uint8_t bytes[2048];
    uint64_t random = 1;
    for (int i = 0; i < 20000; i++) {
        tacho_hot_profile *p;
        size_t n = make_file(bytes, PERF_COUNT_SW_CPU_CLOCK);
        uint8_t *copy = malloc(n);
        memcpy(copy, bytes, n);
        for (int k = 0; k < 4; k++) {
            random = hash_mix(random);
            copy[8 + random % (n - 8)] = (uint8_t)(random >> 40);
        }
        if (!hot_read_data(&p, "test", copy, n, NULL))
            tacho_hot_profile_free(p);
        free(copy);
    }
}

/* ---- several runs as one side of a comparison ---- */

/* Two runs: all samples find the places, and each run's time is divided by its own. */
static void test_side__each_run_is_divided_by_its_own_samples(void **state)
{
    (void)state;
    hot_tally *runs[] = {own_tally(), own_tally()};
    sample(runs[0], at(probe_chain_head), 75);
    sample(runs[0], at(probe_straight), 25);
    sample(runs[1], at(probe_straight), 10);
    sample(runs[1], at(probe_chain_head), 10);
    tacho_hot_profile *profiles[2];
    for (int i = 0; i < 2; i++) {
        assert_int_equal(tally_finish(runs[i]), 0);
        profiles[i] = &runs[i]->profile;
        profiles[i]->command = true;
        profiles[i]->user_seconds = i ? 2 : 4;
        profiles[i]->system_seconds = 0.5;
    }
    tacho_hot_side *side;
    assert_int_equal(tacho_hot_side_make(&side, profiles, 2, NULL, NULL), 0);
    tally_free(runs[0]);
    tally_free(runs[1]);
    assert_int_equal(side->runs, 2);
    assert_int_equal(side->unit, TACHO_HOT_SECONDS);
    assert_int_equal(side->profile->samples, 120);
    assert_int_equal(side->hot->count, 2);
    assert_int_equal(side->hot->places[0].samples, 85);
    assert_float_equal(side->places[0], 3, 1e-9);
    assert_float_equal(side->places[1], 1, 1e-9);
    assert_float_equal(side->places[2], 1, 1e-9);
    assert_float_equal(side->places[3], 1, 1e-9);
    assert_float_equal(side->functions[0] + side->functions[1], 4, 1e-9);
    assert_float_equal(side->own[1], 2, 1e-9);
    assert_float_equal(side->kernel[0], 0.5, 1e-9);
    tacho_hot_side_free(side);
}

/* ---- what a change is worth ---- */

/* Half of the time in the place, whose cycles become half; a fifth of the time in the kernel. */
static void test_worth__is_the_share_times_the_gain(void **state)
{
    (void)state;
    const tacho_hot_profile p = {.user_seconds = 4, .system_seconds = 1, .samples = 100};
    const tacho_hot_place place = {.share = 0.5, .share_low = 0.4, .share_high = 0.6, .observed_cycles = NAN};
    tacho_hot_worth w;
    tacho_hot_worth_of(&w, &p, &place, 4, 2);
    assert_float_equal(w.gain, 0.5, 1e-12);
    assert_float_equal(w.worth, 0.5 * 0.5 * 0.8, 1e-12);
    assert_float_equal(w.low, 0.4 * 0.5 * 0.8, 1e-12);
    assert_float_equal(w.high, 0.6 * 0.5 * 0.8, 1e-12);
    assert_false(w.limited);
}

static void test_worth__waits_stay(void **state)
{
    (void)state;
    const tacho_hot_profile p = {.user_seconds = NAN, .system_seconds = NAN, .samples = 75, .kernel = 25};
    tacho_hot_place place = {.share = 0.5, .observed_cycles = 20};
    tacho_hot_worth w;
    tacho_hot_worth_of(&w, &p, &place, 4, 2);
    assert_float_equal(w.gain, 0.5, 1e-12);
    assert_float_equal(w.worth, 0.5 * 2 / 20 * 0.75, 1e-12);
    assert_true(w.limited);
    place.observed_cycles = 3; /* faster than predicted: no more than all of it can be saved */
    tacho_hot_worth_of(&w, &p, &place, 4, 2);
    assert_float_equal(w.worth, 0.5 * 0.5 * 0.75, 1e-12);
    assert_false(w.limited);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_side__each_run_is_divided_by_its_own_samples),
        cmocka_unit_test(test_worth__is_the_share_times_the_gain),
        cmocka_unit_test(test_worth__waits_stay),
        cmocka_unit_test(test_places__loops_blocks_and_shares),
        cmocka_unit_test(test_places__a_loop_that_spends_its_time_inside_is_not_one),
        cmocka_unit_test(test_places__the_path_goes_where_samples_are),
        cmocka_unit_test(test_places__the_path_goes_where_counts_are),
        cmocka_unit_test(test_places__branch_records_give_the_cycles_of_a_round),
        cmocka_unit_test(test_places__rounds_of_a_loop_inside_are_not_its_own),
        cmocka_unit_test(test_places__what_is_not_analysed_is_elsewhere),
        cmocka_unit_test(test_places__generated_functions_have_names),
        cmocka_unit_test(test_places__generated_code_that_was_left_is_analysed),
        cmocka_unit_test(test_places__in_no_regular_file_are_elsewhere),
        cmocka_unit_test(test_places__a_file_that_has_changed_is_not_analysed),
        cmocka_unit_test(test_places__the_device_of_a_file_may_have_two_numbers),
        cmocka_unit_test(test_places__memory_runs_out),
        cmocka_unit_test(test_ptrace__memory_runs_out),
        cmocka_unit_test(test_maps__are_what_was_mapped_last),
        cmocka_unit_test(test_maps__memory_runs_out),
        cmocka_unit_test(test_tally__many_processes_with_many_mappings),
        cmocka_unit_test(test_tally__mappings_cover_each_other),
        cmocka_unit_test(test_tally__one_path_many_files),
        cmocka_unit_test(test_tally__processes_come_and_go),
        cmocka_unit_test(test_record__is_read),
        cmocka_unit_test(test_record__branches_and_what_stands_before_them),
        cmocka_unit_test(test_record__damage_is_seen),
        cmocka_unit_test(test_ring__records_of_several_processors_are_put_down_in_order),
        cmocka_unit_test(test_ring__goes_round),
        cmocka_unit_test(test_ring__nonsense_is_left_out_and_ends),
        cmocka_unit_test(test_file__is_read_in_order_of_time),
        cmocka_unit_test(test_file__of_another_event_is_no_time),
        cmocka_unit_test(test_file__has_many_build_ids),
        cmocka_unit_test(test_file__damage_is_told),
        cmocka_unit_test(test_file__events_do_not_share_their_numbers),
        cmocka_unit_test(test_file__random_damage_does_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
