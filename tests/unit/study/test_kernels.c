/* test_kernels.c - the parts of tacho kernels that need no compiler to run for long: lifting, misses, the
 * list of variants, kernels of directories, what is kept of a study. */
#include <elf.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/process.h"
#include "base/file.h"
#include "base/str.h"
#include "objects.h"
#include "study/kernels/kernels_internal.h"
#include "study/kernels/loader.h"
#include "x86/decode/insn_struct.h"

static char scratch[4096];

static const char program[] =
    "#include \"kernel.h\"\n"
    "int main(void) { double *a = kernel_alloc(800); kernel_fill(a, 100, 1);\n"
    "    kernel_start(); a[0] += a[1]; kernel_stop(); return kernel_result(a, 100); }\n";

static int need_gcc(void **state)
{
    char path[4096];
    if (!tacho_process_find("gcc", path, sizeof path)) {
        printf("skipped: gcc is not installed\n");
        skip();
    }
    return 0;
}

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[5000];
    snprintf(path, sizeof path, "%s/%s", scratch, folder);
    mkdir(path, 0700);
    if (tacho_scratch_write(path, name, text, strlen(text)))
        fail_msg("%s/%s cannot be written", path, name);
}

static tacho_kernels *open_study(tacho_kernels_options *o)
{
    tacho_kernels *k;
    tacho_error err;
    if (tacho_kernels_new(&k, o, &err))
        fail_msg("%s", err.message);
    return k;
}

static void refuse(tacho_kernels_options *o, int code, const char *part)
{
    tacho_kernels *k;
    tacho_error err = {0};
    int rc = tacho_kernels_new(&k, o, &err);
    if (rc != code || k || !strstr(err.message, part))
        fail_msg("%d, '%s' instead of %d, '%s'", rc, err.message, code, part);
}

/* ---- lifting ---- */

static const kernels_piece three[] = {{.insn_count = 4, .executions = 100},
                                      {.insn_count = 2, .executions = 10, .least_cycles = 0.5},
                                      {.insn_count = 20, .executions = 1}};

static void test_lift__is_the_sum_of_executions_times_cycles(void **state)
{
    const double cycles[] = {2.5, 1, 7};
    double lifted, coverage;
    kernels_lift(three, 3, cycles, 0, &lifted, &coverage);
    assert_float_equal(lifted, 267, 1e-9);
    assert_float_equal(coverage, 1, 0);
}

static void test_lift__takes_what_it_takes_at_least(void **state)
{
    const double cycles[] = {2.5, 0.25, 7};
    double lifted, coverage;
    kernels_lift(three, 3, cycles, 0, &lifted, &coverage);
    assert_float_equal(lifted, 262, 1e-9);
}

static void test_lift__a_block_without_a_number_fails_the_kernel(void **state)
{
    const double cycles[] = {2.5, 1, NAN};
    double lifted, coverage;
    kernels_lift(three, 3, cycles, 0, &lifted, &coverage);
    assert_true(isnan(lifted));
    assert_float_equal(coverage, 420. / 440, 1e-12);
}

static void test_lift__small_shares_may_be_allowed_to_lack(void **state)
{
    const double cycles[] = {2.5, 1, NAN};
    double lifted, coverage;
    kernels_lift(three, 3, cycles, 0.05, &lifted, &coverage);
    assert_float_equal(lifted, 260, 1e-9);
    kernels_lift(three, 3, cycles, 0.045, &lifted, &coverage);
    assert_true(isnan(lifted));
}

static void test_lift__nothing_gives_nothing(void **state)
{
    const double none[] = {NAN, NAN, NAN};
    double lifted, coverage;
    kernels_lift(three, 0, NULL, 1, &lifted, &coverage);
    assert_true(isnan(lifted));
    kernels_lift(three, 3, none, 1, &lifted, &coverage);
    assert_true(isnan(lifted));
    assert_float_equal(coverage, 0, 0);
}

/* ---- misses ---- */

#define EVENTS "\nevents: Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw\n"

static void test_misses__come_from_the_totals(void **state)
{
    uint64_t accesses = 0, misses = 0;
    assert_true(kernels_read_misses("version: 1" EVENTS "\ntotals: 5000 800 200 3 90 11 1 2 3\n", &accesses,
                                    &misses));
    assert_int_equal(accesses, 1000);
    assert_int_equal(misses, 101);
}

static void test_misses__zeros_at_the_end_are_left_out_by_callgrind(void **state)
{
    uint64_t accesses = 0, misses = 1;
    assert_true(kernels_read_misses("x" EVENTS "\ntotals: 5000 800\n", &accesses, &misses));
    assert_int_equal(accesses, 800);
    assert_int_equal(misses, 0);
}

static void test_misses__without_a_simulated_cache_there_are_none(void **state)
{
    uint64_t accesses, misses;
    assert_false(kernels_read_misses("version: 1\nevents: Ir\n\ntotals: 5000\n", &accesses, &misses));
    assert_false(kernels_read_misses("version: 1" EVENTS, &accesses, &misses));
    assert_false(kernels_read_misses("", &accesses, &misses));
}

/* ---- merging ---- */

static uint64_t hash_of(const char *bytes, uint32_t size, uint64_t count)
{
    const tacho_kernel_block b = {.bytes = (const uint8_t *)bytes, .byte_count = size, .count = count};
    return kernels_hash_region(&b, 1);
}

static void test_merge__places_of_constants_and_functions_do_not_count(void **state)
{
    /* addsd xmm0, [rip + N]; call N */
    uint64_t h = hash_of("\xf2\x0f\x58\x05\x10\0\0\0\xe8\x01\0\0\0", 13, 7);
    assert_true(h == hash_of("\xf2\x0f\x58\x05\x90\1\0\0\xe8\xff\2\0\0", 13, 7));
    assert_false(h == hash_of("\xf2\x0f\x58\x0d\x10\0\0\0\xe8\x01\0\0\0", 13, 7)); /* xmm1 */
    assert_false(h == hash_of("\xf2\x0f\x58\x05\x10\0\0\0\xe8\x01\0\0\0", 13, 8));
}

static void test_merge__other_distances_count(void **state)
{
    /* add rax, [rbx + N]; jnz N */
    uint64_t h = hash_of("\x48\x03\x43\x08\x75\xfa", 6, 7);
    assert_true(h == hash_of("\x48\x03\x43\x08\x75\xfa", 6, 7));
    assert_false(h == hash_of("\x48\x03\x43\x10\x75\xfa", 6, 7));
    assert_false(h == hash_of("\x48\x03\x43\x08\x75\xf0", 6, 7));
}

/* ---- variants ---- */

static const tacho_kernel_variant *variant_named(const tacho_kernels_result *r, const char *id)
{
    for (size_t i = 0; i < r->variant_count; i++)
        if (!strcmp(r->variants[i].id, id))
            return &r->variants[i];
    fail_msg("there is no %s", id);
    return NULL;
}

static void test_variants__are_the_product_of_the_lists(void **state)
{
    need_gcc(state);
    tacho_kernels_options o = TACHO_KERNELS_OPTIONS_INIT;
    o.kernels = "gemm,atax";
    o.compilers = "gcc";
    o.levels = "O1,O2";
    o.vectors = "scalar,sse2";
    o.transforms = "none,unroll";
    tacho_kernels *k = open_study(&o);
    const tacho_kernels_result *r = tacho_kernels_view(k);
    assert_int_equal(r->kernel_count, 2);
    /* 2 kernels, 2 vectors: O1 with none, O2 with both */
    assert_int_equal(r->variant_count, 2 * 2 * 3);
    assert_string_equal(variant_named(r, "gemm-gcc-O2-scalar-unroll")->flags,
                        "-O2 -fno-tree-vectorize -funroll-loops -fno-tree-loop-distribute-patterns");
    assert_string_equal(variant_named(r, "atax-gcc-O1-sse2-none")->flags,
                        "-O1 -fno-tree-loop-distribute-patterns");
    assert_int_equal(r->status_count[TACHO_KERNEL_PENDING], r->variant_count);
    for (size_t i = 0; i < r->variant_count; i++)
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(r->variants[i].id, r->variants[j].id);
    tacho_kernels_free(k);
}

static void test_variants__a_limit_keeps_something_of_every_kernel(void **state)
{
    need_gcc(state);
    tacho_kernels_options o = TACHO_KERNELS_OPTIONS_INIT;
    o.kernels = "gemm,atax,prefix_sum";
    o.compilers = "gcc";
    o.n = 12;
    o.limit = 4;
    tacho_kernels *k = open_study(&o);
    const tacho_kernels_result *r = tacho_kernels_view(k);
    assert_int_equal(r->variant_count, 4);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(r->variants[i].kernel, i);
        assert_non_null(strstr(r->variants[i].flags, " -DN=12"));
    }
    assert_int_equal(r->variants[3].kernel, 0);
    tacho_kernels_free(k);
}

static void test_variants__a_word_that_comes_twice_counts_once(void **state)
{
    need_gcc(state);
    tacho_kernels_options o = TACHO_KERNELS_OPTIONS_INIT;
    o.kernels = "gemm,gemm";
    o.compilers = "gcc,gcc";
    o.levels = "O2,O2";
    o.vectors = "sse2";
    o.transforms = "none,none";
    tacho_kernels *k = open_study(&o);
    assert_int_equal(tacho_kernels_view(k)->variant_count, 1);
    tacho_kernels_free(k);
}

static void test_variants__what_is_not_known_is_refused(void **state)
{
    need_gcc(state);
    tacho_kernels_options o = TACHO_KERNELS_OPTIONS_INIT;
    o.levels = "O7";
    refuse(&o, TACHO_ERR_USAGE, "O7");
    o = (tacho_kernels_options)TACHO_KERNELS_OPTIONS_INIT;
    o.vectors = "avx3";
    refuse(&o, TACHO_ERR_USAGE, "did you mean avx");
    o = (tacho_kernels_options)TACHO_KERNELS_OPTIONS_INIT;
    o.kernels = "gem";
    refuse(&o, TACHO_ERR_USAGE, "gemm");
    o = (tacho_kernels_options)TACHO_KERNELS_OPTIONS_INIT;
    o.compilers = "no-such-compiler";
    refuse(&o, TACHO_ERR_UNSUPPORTED, "no-such-compiler");
    o = (tacho_kernels_options)TACHO_KERNELS_OPTIONS_INIT;
    o.dataset = "mini; rm";
    refuse(&o, TACHO_ERR_USAGE, "MINI");
    o = (tacho_kernels_options)TACHO_KERNELS_OPTIONS_INIT;
    o.compilers = "gcc";
    o.transforms = "polly";
    refuse(&o, TACHO_ERR_USAGE, "no way");
    o = (tacho_kernels_options)TACHO_KERNELS_OPTIONS_INIT;
    o.size--;
    refuse(&o, TACHO_ERR_USAGE, "initialised");
}

static void test_variants__a_missing_compiler_is_said_once(void **state)
{
    need_gcc(state);
    tacho_kernels_options o = TACHO_KERNELS_OPTIONS_INIT;
    o.compilers = "no-such-compiler,gcc";
    tacho_kernels *k = open_study(&o);
    const tacho_kernels_result *r = tacho_kernels_view(k);
    size_t said = 0;
    for (size_t i = 0; i < r->note_count; i++)
        said += strstr(r->notes[i].text, "apt-get install no-such-compiler") != NULL;
    assert_int_equal(said, 1);
    for (size_t i = 0; i < r->variant_count; i++)
        assert_string_equal(r->variants[i].compiler, "gcc");
    tacho_kernels_free(k);
}

/* ---- directories ---- */

static void set_directory(tacho_kernels_options *o, char path[5000], const char *name)
{
    snprintf(path, 5000, "%s/%s", scratch, name);
    *o = (tacho_kernels_options)TACHO_KERNELS_OPTIONS_INIT;
    o->directory = path;
    o->compilers = "gcc";
}

static void test_directory__kernels_are_files_that_start_a_region(void **state)
{
    need_gcc(state);
    char path[5000];
    tacho_kernels_options o;
    write_file("mixed", "one.c", program);
    write_file("mixed", "helper.c", "int helper(void) { return 1; }\n");
    write_file("mixed", "notes.txt", "kernel_start");
    write_file("mixed/below", "two.c",
               "/* two.c - sums of\n * all (adding\n * up; more).\n *\n * Not (this). */\nvoid "
               "polybench_start_instruments(void);\n");
    write_file("mixed/below", "one.c", program);
    write_file("mixed/utilities", "template.c", program);
    set_directory(&o, path, "mixed");
    tacho_kernels *k = open_study(&o);
    const tacho_kernels_result *r = tacho_kernels_view(k);
    assert_int_equal(r->kernel_count, 3);
    assert_string_equal(r->kernels[0].name, "one");
    assert_string_equal(r->kernels[0].category, "below"); /* the folder */
    assert_string_equal(r->kernels[1].name, "two");
    assert_string_equal(r->kernels[1].summary, "sums of all");
    assert_string_equal(r->kernels[1].category, "adding up");
    assert_true(r->kernels[1].polybench);
    assert_string_equal(r->kernels[2].name, "one.2");
    assert_string_equal(r->kernels[2].category, "");
    tacho_kernels_free(k);
}

static void test_directory__without_kernels_is_refused(void **state)
{
    need_gcc(state);
    char path[5000];
    tacho_kernels_options o;
    write_file("none", "helper.c", "int helper(void) { return 1; }\n");
    set_directory(&o, path, "none");
    refuse(&o, TACHO_ERR_INPUT, "no kernels");
    set_directory(&o, path, "not-there");
    refuse(&o, TACHO_ERR_INPUT, "No such file");
    set_directory(&o, path, "none/helper.c");
    refuse(&o, TACHO_ERR_INPUT, "Not a directory");
}

static void test_suite__written_out_it_is_a_directory_of_the_same_kernels(void **state)
{
    need_gcc(state);
    char path[5000];
    tacho_kernels_options o, own = TACHO_KERNELS_OPTIONS_INIT;
    tacho_error err;
    set_directory(&o, path, "written");
    assert_int_equal(tacho_kernels_write_suite(path, &err), 0);
    tacho_kernels *a = open_study(&o), *b = open_study(&own);
    const tacho_kernels_result *x = tacho_kernels_view(a), *y = tacho_kernels_view(b);
    assert_int_equal(x->kernel_count, y->kernel_count);
    assert_true(x->kernel_count >= 30);
    for (size_t i = 0; i < x->kernel_count; i++) {
        bool found = false;
        for (size_t j = 0; j < y->kernel_count; j++)
            found |= !strcmp(x->kernels[i].name, y->kernels[j].name) &&
                     !strcmp(x->kernels[i].category, y->kernels[j].category);
        assert_true(found);
        assert_true(*x->kernels[i].summary && *x->kernels[i].category);
    }
    tacho_kernels_free(a);
    tacho_kernels_free(b);
    assert_int_equal(tacho_kernels_write_suite(path, &err), TACHO_ERR_SYSTEM);
    assert_non_null(strstr(err.message, "is there already"));
}

/* ---- what is kept ---- */

/* An object without code in which `size` bytes are executable. */
static void write_object(tacho_kernels *k, size_t variant, size_t size)
{
    char path[KERNELS_PATH_SIZE];
    const Elf64_Ehdr h = {.e_phoff = sizeof h, .e_phnum = 1};
    const Elf64_Phdr p = {.p_type = PT_LOAD, .p_flags = PF_X, .p_filesz = size};
    kernels_object_path(k, variant, path);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(&h, sizeof h, 1, f) + fwrite(&p, sizeof p, 1, f), 2);
    fclose(f);
}

static void count_one(tacho_kernels *k, size_t variant, uint64_t count)
{
    write_object(k, variant, variant + 5);
    static const char add[] = "\x48\x01\xd8\x75\xfb";
    tacho_error err;
    kernels_outcome o = {.status = TACHO_KERNEL_COUNTED,
                         .file_hash = kernels_hash_object(k, variant),
                         .instructions = 2 * count,
                         .accesses = 70,
                         .misses = 7,
                         .bytes = 64,
                         .checksum = 1.5};
    o.blocks = calloc(1, sizeof *o.blocks);
    o.objects = calloc(1, sizeof *o.objects);
    o.code = malloc(5);
    memcpy(o.code, add, 5);
    o.blocks[0] = (tacho_kernel_block){
        .bytes = o.code, .byte_count = 5, .insn_count = 2, .address = 64, .count = count};
    o.objects[0] = "a,\"b\".so";
    o.block_count = 1;
    assert_int_equal(kernels_commit(k, variant, &o, &err), 0);
    kernels_outcome_free(&o);
}

static void fail_one(tacho_kernels *k, size_t variant, const char *message)
{
    tacho_error err;
    kernels_outcome o = {.status = TACHO_KERNEL_TIMEOUT, .checksum = NAN};
    snprintf(o.message, sizeof o.message, "%s", message);
    assert_int_equal(kernels_commit(k, variant, &o, &err), 0);
    kernels_outcome_free(&o);
}

static void append(const char *path, const char *text)
{
    FILE *f = fopen(path, "a");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void study_of(tacho_kernels_options *o, char path[5000], bool resume)
{
    snprintf(path, 5000, "%s/study", scratch);
    *o = (tacho_kernels_options)TACHO_KERNELS_OPTIONS_INIT;
    o->kernels = "gemm,atax,prefix_sum";
    o->compilers = "gcc";
    o->levels = "O2";
    o->vectors = "sse2";
    o->transforms = "none";
    o->work = path;
    o->resume = resume;
}

static void test_journal__a_study_goes_on_with_what_is_there(void **state)
{
    need_gcc(state);
    char path[5000], file[5100];
    tacho_kernels_options o;
    study_of(&o, path, false);
    tacho_kernels *k = open_study(&o);
    refuse(&o, TACHO_ERR_SYSTEM, "cannot write ");
    count_one(k, 0, 1000);
    count_one(k, 1, 2000);
    count_one(k, 1, 3000); /* again: the last time counts */
    fail_one(k, 2, "a \"message\", with\ta comma");
    tacho_kernels_free(k);
    snprintf(file, sizeof file, "%s/variants.csv", path);
    append(file, "prefix_sum-gcc-O2-sse2-none,0,ok"); /* cut off */
    study_of(&o, path, false);
    refuse(&o, TACHO_ERR_USAGE, "has results already");
    study_of(&o, path, true);
    k = open_study(&o);
    const tacho_kernels_result *r = tacho_kernels_view(k);
    assert_int_equal(r->variants[0].status, TACHO_KERNEL_COUNTED);
    assert_int_equal(r->variants[0].block_count, 1);
    assert_int_equal(r->variants[0].blocks[0].byte_count, 5);
    assert_memory_equal(r->variants[0].blocks[0].bytes, "\x48\x01\xd8\x75\xfb", 5);
    assert_string_equal(r->variants[0].blocks[0].object, "a,\"b\".so");
    assert_int_equal(r->variants[0].accesses, 70);
    assert_float_equal(r->variants[0].checksum, 1.5, 0);
    assert_true(isnan(r->variants[0].cycles));
    assert_int_equal(r->variants[1].block_count, 1);
    assert_int_equal(r->variants[1].blocks[0].count, 3000);
    assert_int_equal(r->variants[2].status, TACHO_KERNEL_TIMEOUT);
    assert_string_equal(r->variants[2].message, "a \"message\", with\ta comma");
    tacho_kernels_free(k);
}

static void test_journal__what_rests_on_other_flags_or_on_nothing_is_done_again(void **state)
{
    need_gcc(state);
    char path[5000], object[KERNELS_PATH_SIZE];
    tacho_kernels_options o;
    study_of(&o, path, true);
    o.n = 9;
    tacho_kernels *k = open_study(&o);
    assert_int_equal(tacho_kernels_view(k)->status_count[TACHO_KERNEL_PENDING], 3);
    tacho_kernels_free(k);
    study_of(&o, path, true);
    k = open_study(&o);
    kernels_object_path(k, 0, object);
    tacho_kernels_free(k);
    unlink(object);
    k = open_study(&o);
    const tacho_kernels_result *r = tacho_kernels_view(k);
    assert_int_equal(r->variants[0].status, TACHO_KERNEL_PENDING);
    assert_int_equal(r->variants[1].status, TACHO_KERNEL_COUNTED);
    tacho_kernels_free(k);
}

static void test_journal__a_row_of_an_object_that_was_built_otherwise_since_does_not_count(void **state)
{
    need_gcc(state);
    char path[5000];
    tacho_kernels_options o;
    study_of(&o, path, true);
    tacho_kernels *k = open_study(&o);
    count_one(k, 0, 1000);
    count_one(k, 1, 2000);
    tacho_kernels_free(k);
    k = open_study(&o);
    assert_int_equal(tacho_kernels_view(k)->variants[0].status, TACHO_KERNEL_COUNTED);
    write_object(k, 0, 40);
    tacho_kernels_free(k);
    k = open_study(&o);
    const tacho_kernels_result *r = tacho_kernels_view(k);
    assert_int_equal(r->variants[0].status, TACHO_KERNEL_PENDING);
    assert_int_equal(r->variants[1].status, TACHO_KERNEL_COUNTED);
    tacho_kernels_free(k);
}

static void test_journal__with_another_limit_of_misses_rows_count_that_agree_with_it(void **state)
{
    need_gcc(state);
    char path[5000];
    tacho_kernels_options o;
    tacho_error err;
    study_of(&o, path, true);
    tacho_kernels *k = open_study(&o);
    count_one(k, 0, 1000); /* a tenth of the accesses miss */
    k->variants[0].cycles = 5;
    assert_int_equal(kernels_set_status(k, 0, TACHO_KERNEL_OK, "", &err), 0);
    count_one(k, 1, 2000);
    assert_int_equal(kernels_set_status(k, 1, TACHO_KERNEL_CACHE_MISSES, "10 %", &err), 0);
    tacho_kernels_free(k);
    o.max_miss = 0.05;
    k = open_study(&o);
    const tacho_kernels_result *r = tacho_kernels_view(k);
    assert_int_equal(r->variants[0].status, TACHO_KERNEL_PENDING);
    assert_true(isnan(r->variants[0].cycles));
    assert_int_equal(r->clock, TACHO_CLOCK_AUTO);
    assert_int_equal(r->variants[1].status, TACHO_KERNEL_CACHE_MISSES);
    tacho_kernels_free(k);
    o.max_miss = 0.2;
    k = open_study(&o);
    r = tacho_kernels_view(k);
    assert_int_equal(r->variants[0].status, TACHO_KERNEL_OK);
    assert_int_equal(r->variants[1].status, TACHO_KERNEL_PENDING);
    assert_string_equal(r->variants[1].message, "");
    tacho_kernels_free(k);
}

static void test_journal__what_failed_or_had_less_time_is_tried_again(void **state)
{
    need_gcc(state);
    char path[5000];
    tacho_kernels_options o;
    tacho_error err;
    study_of(&o, path, true);
    o.seconds = 5;
    tacho_kernels *k = open_study(&o);
    assert_int_equal(kernels_set_status(k, 0, TACHO_KERNEL_TIMEOUT, "did not end in 5 s", &err), 0);
    assert_int_equal(kernels_set_status(k, 1, TACHO_KERNEL_NOT_COMPILED, "did not end in 5 s", &err), 0);
    assert_int_equal(kernels_set_status(k, 2, TACHO_KERNEL_CRASHED, "signal 11", &err), 0);
    tacho_kernels_free(k);
    for (o.seconds = 4; o.seconds <= 6; o.seconds++) {
        k = open_study(&o);
        const tacho_kernels_result *r = tacho_kernels_view(k);
        bool again = o.seconds > 5;
        assert_int_equal(r->variants[0].status, again ? TACHO_KERNEL_PENDING : TACHO_KERNEL_TIMEOUT);
        assert_int_equal(r->variants[1].status, TACHO_KERNEL_PENDING);
        assert_int_equal(r->variants[2].status, TACHO_KERNEL_PENDING);
        tacho_kernels_free(k);
    }
}

static void test_journal__rows_of_another_processor_do_not_count(void **state)
{
    need_gcc(state);
    char path[5000], id[200];
    tacho_kernels_options o;
    study_of(&o, path, true);
    tacho_kernels *k = open_study(&o);
    const uint64_t here = k->own[0].source_hash;
    assert_int_equal(kernels_hash_source(k, 0), here);
    k->result.processor = "Another CPU @ 2.10GHz";
    k->own[0].source_hash = kernels_hash_source(k, 0);
    assert_true(k->own[0].source_hash != here);
    count_one(k, 0, 1000);
    snprintf(id, sizeof id, "%s", k->variants[0].id);
    tacho_kernels_free(k);
    k = open_study(&o);
    assert_string_equal(k->variants[0].id, id);
    assert_int_equal(k->variants[0].status, TACHO_KERNEL_PENDING);
    k->signature ^= 0x10; /* another model with the same name */
    assert_true(kernels_hash_source(k, 0) != here);
    tacho_kernels_free(k);
}

static void test_journal__of_another_version_is_refused(void **state)
{
    need_gcc(state);
    char path[5000], file[5100];
    tacho_kernels_options o;
    study_of(&o, path, true);
    snprintf(file, sizeof file, "%s/variants.csv", path);
    unlink(file);
    append(file, "id,source,status,message,seal\n");
    refuse(&o, TACHO_ERR_INPUT, "no column 'same_as': another version of tacho has made it");
}

static int set_up(void **state)
{
    return tacho_scratch_make(scratch, sizeof scratch, NULL);
}

/* ---- the path through a region ---- */

/* What the loader is told of an object's code. To be freed */
static loader_control *plan_of(const char *text)
{
    loader_control *c = tacho_mem_zalloc(1, sizeof *c);
    char path[5000];
    size_t size;
    tacho_error err;
    char *object = make_object(text, &size);
    assert_int_equal(tacho_scratch_write(scratch, "planned.o", object, size), 0);
    snprintf(path, sizeof path, "%s/planned.o", scratch);
    assert_int_equal(kernels_plan_breakpoints(c, path, &err), 0);
    tacho_mem_free(object);
    return c;
}

static void test_plan__has_all_branches(void **state)
{
    loader_control *c = plan_of("f: testl %eax, %eax\n jz 1f\n call g\n1: jmp *%rcx\ng: nop\n ret\n");
    static const uint8_t lengths[] = {2, 0, 2, 0, 5, 0, 0, 0, 0, 2, 0, 1, 1},
                         kinds[] = {BRANCH_IF, BRANCH_CALL, BRANCH_JUMP, BRANCH_RETURN};
    assert_int_equal(c->text_size, sizeof lengths);
    uint16_t branches = 0;
    for (size_t i = 0; i < sizeof lengths; i++) {
        assert_int_equal(c->text[i].length, lengths[i]);
        if (!c->text[i].branch)
            continue;
        assert_int_equal(c->text[i].branch, ++branches);
        assert_int_equal(c->branches[branches].kind, kinds[branches - 1]);
    }
    assert_int_equal(branches, 4);
    tacho_mem_free(c);
}

/* Then it is stepped through. */
static void test_plan__leaves_alone_what_cannot_be_told(void **state)
{
    static const char *const texts[] = {
        "jmp 1f+1\n1: movl $1, %eax\n", /* into an instruction */
        "nop\n syscall\n ret\n",        /* the kernel's */
        "jmp *%fs:0x10\n",              /* a segment's base is not known */
        "nop\n .byte 6\n",              /* none */
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        loader_control *c = plan_of(texts[i]);
        assert_int_equal(c->text_size, 0);
        tacho_mem_free(c);
    }
}

/* A path of two stretches of NOPs, each from code of its own: of the run, the second's is executed three
 * times as often, whatever the number of windows is that lie in it. */
static void test_windows__of_stretches_weigh_what_their_code_is_executed(void **state)
{
    enum {
        EACH = 8000
    };
    static const uint8_t nop[] = {0x90};
    static uint32_t order[2 * EACH];
    const double executions[] = {1000000, 3000000};
    const uint64_t ends[] = {EACH, 2 * EACH};
    const tacho_arch *arch = tacho_arch_find("SKL", NULL);
    kernels_windows windows;
    kernels_step steps[2];
    tacho_insn insn;
    tacho_error err;
    for (size_t i = 0; i < 2; i++)
        assert_true(kernels_decode_step(&steps[i], 0x1000 * (i + 1), nop, sizeof nop, &insn));
    for (size_t i = 0; i < 2 * EACH; i++)
        order[i] = i >= EACH;
    const kernels_path path = {.steps = steps,
                               .order = order,
                               .count = 2 * EACH,
                               .total = 4000000,
                               .executions = executions,
                               .step_count = 2,
                               .stretch_ends = ends,
                               .stretch_count = 2};
    assert_int_equal(kernels_cut_windows(&path, arch, &windows, &err), 0);
    assert_int_equal(windows.count, 2);
    for (size_t i = 0; i < 2; i++)
        assert_float_equal(windows.pieces[i].executions * windows.pieces[i].insn_count, executions[i], 1e-3);
    kernels_free_windows(&windows);
}

/* What libraries execute under callgrind may be other code: its share is that of the rest. */
static void test_windows__add_up_to_the_run(void **state)
{
    static const uint8_t nop[] = {0x90};
    static uint32_t order[100000];
    const double executions[] = {1000, 0};
    kernels_windows windows;
    kernels_step steps[2];
    tacho_insn insn;
    tacho_error err;
    double sum = 0;
    for (size_t i = 0; i < 2; i++)
        assert_true(kernels_decode_step(&steps[i], 0x1000 * (i + 1), nop, sizeof nop, &insn));
    for (size_t i = 0; i < 100000; i++)
        order[i] = i % 2;
    const kernels_path path = {.steps = steps,
                               .order = order,
                               .count = 100000,
                               .total = 5000000,
                               .executions = executions,
                               .step_count = 2};
    assert_int_equal(kernels_cut_windows(&path, tacho_arch_find("SKL", NULL), &windows, &err), 0);
    assert_int_equal(windows.count, 24);
    for (size_t i = 0; i < windows.count; i++)
        sum += windows.pieces[i].executions * windows.pieces[i].insn_count;
    assert_float_equal(sum, 5000000, 1e-3);
    kernels_free_windows(&windows);
}

/* callgrind takes caches with a power of 2 of sets; of 48 KiB that is 12 ways, and not 32 KiB. */
static void test_misses__caches_keep_their_size(void **state)
{
    static const struct {
        uint64_t bytes, cpuid, ways;
        const char *option;
    } rows[] = {{32768, 32768, 8, "--D1=32768,8,64"},         {60000, 49152, 8, "--D1=49152,12,64"},
                {1048576, 1048576, 16, "--D1=1048576,16,64"}, {1048576, 1310720, 16, "--D1=1048576,16,64"},
                {1310720, 0, 16, "--D1=1310720,20,64"},       {100, 0, 16, "--D1=64,1,64"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const tacho_memory_level l = {.bytes = rows[i].bytes, .cpuid_bytes = rows[i].cpuid};
        char option[48];
        kernels_cache_option(option, "--D1", &l, rows[i].ways);
        assert_string_equal(option, rows[i].option);
    }
}

static int tear_down(void **state)
{
    tacho_scratch_remove(scratch);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lift__is_the_sum_of_executions_times_cycles),
        cmocka_unit_test(test_lift__takes_what_it_takes_at_least),
        cmocka_unit_test(test_lift__a_block_without_a_number_fails_the_kernel),
        cmocka_unit_test(test_lift__small_shares_may_be_allowed_to_lack),
        cmocka_unit_test(test_lift__nothing_gives_nothing),
        cmocka_unit_test(test_plan__has_all_branches),
        cmocka_unit_test(test_plan__leaves_alone_what_cannot_be_told),
        cmocka_unit_test(test_windows__of_stretches_weigh_what_their_code_is_executed),
        cmocka_unit_test(test_windows__add_up_to_the_run),
        cmocka_unit_test(test_misses__come_from_the_totals),
        cmocka_unit_test(test_misses__zeros_at_the_end_are_left_out_by_callgrind),
        cmocka_unit_test(test_misses__without_a_simulated_cache_there_are_none),
        cmocka_unit_test(test_misses__caches_keep_their_size),
        cmocka_unit_test(test_merge__places_of_constants_and_functions_do_not_count),
        cmocka_unit_test(test_merge__other_distances_count),
        cmocka_unit_test(test_variants__are_the_product_of_the_lists),
        cmocka_unit_test(test_variants__a_limit_keeps_something_of_every_kernel),
        cmocka_unit_test(test_variants__a_word_that_comes_twice_counts_once),
        cmocka_unit_test(test_variants__what_is_not_known_is_refused),
        cmocka_unit_test(test_variants__a_missing_compiler_is_said_once),
        cmocka_unit_test(test_directory__kernels_are_files_that_start_a_region),
        cmocka_unit_test(test_directory__without_kernels_is_refused),
        cmocka_unit_test(test_suite__written_out_it_is_a_directory_of_the_same_kernels),
        cmocka_unit_test(test_journal__a_study_goes_on_with_what_is_there),
        cmocka_unit_test(test_journal__what_rests_on_other_flags_or_on_nothing_is_done_again),
        cmocka_unit_test(test_journal__a_row_of_an_object_that_was_built_otherwise_since_does_not_count),
        cmocka_unit_test(test_journal__with_another_limit_of_misses_rows_count_that_agree_with_it),
        cmocka_unit_test(test_journal__what_failed_or_had_less_time_is_tried_again),
        cmocka_unit_test(test_journal__rows_of_another_processor_do_not_count),
        cmocka_unit_test(test_journal__of_another_version_is_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
