/* test_tools.c - other people's predictors: what they are called with and how they are understood, by
 * stand-ins (tests/models) that check the one and answer in the format of the other; that what fails fails
 * alone; and the real llvm-mca where it is installed. */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "../../support/model_answers.h"
#include "../../support/support.h"
#include "base/mem.h"
#include "base/file.h"
#include "study/models/models_internal.h"
#include "tacho/tools.h"

static const char *stand_ins; /* their directory */
static char scratch[4096];

static void refuse(const char *name, const char *arch, int code, const char *part)
{
    tacho_model *m;
    tacho_error err = {0};
    int rc = tacho_model_open(&m, name, arch_of(arch), NULL, &err);
    if (rc != code || m || !strstr(err.message, part))
        fail_msg("%s: %d, '%s' instead of %d, '%s'", name, rc, err.message, code, part);
}

static tacho_model_result run_bytes(tacho_model *m, const char *bytes, size_t size)
{
    tacho_model_result r;
    run(m, &(tacho_model_block){.code = (const uint8_t *)bytes, .size = size}, 1, &r);
    return r;
}

/* What is expected of a block: cycles, or a status and a part of the message. */
typedef struct expected {
    const char *bytes;
    size_t size;
    double cycles;
    tacho_model_status status;
    const char *message;
} expected;

static void compare(const tacho_model_result *r, const expected *e)
{
    if (r->status != e->status || !strstr(r->message, e->message))
        fail_msg("0x%02x: %s, '%s' instead of '%s'", (unsigned char)e->bytes[0],
                 tacho_model_status_name(r->status), r->message, e->message);
    if (e->status == TACHO_MODEL_OK)
        assert_true(fabs(r->cycles - e->cycles) < 1e-9);
    else
        assert_true(isnan(r->cycles));
}

/* All at once, in both orders, then each alone. */
static void check_all(tacho_model *m, const expected *e, size_t count)
{
    tacho_model_block blocks[32], reversed[32];
    tacho_model_result forward[32], backward[32];
    assert_true(count <= 32);
    for (size_t i = 0; i < count; i++)
        blocks[i] = reversed[count - 1 - i] =
            (tacho_model_block){.code = (const uint8_t *)e[i].bytes, .size = e[i].size};
    run(m, blocks, count, forward);
    run(m, reversed, count, backward);
    for (size_t i = 0; i < count; i++) {
        tacho_model_result alone;
        run(m, &blocks[i], 1, &alone);
        compare(&forward[i], &e[i]);
        compare(&backward[count - 1 - i], &e[i]);
        compare(&alone, &e[i]);
    }
}

/* ---- llvm-mca ---- */

static const expected mca_blocks[] = {
    {"\x48\x01\xd8", 3, 3.5, TACHO_MODEL_OK, ""},
    {"\x06", 1, 0, TACHO_MODEL_UNSUPPORTED, "invalid instruction encoding"},
    {"\x90", 1, 1.5, TACHO_MODEL_OK, ""},
    {"\x0f\x01", 2, 0, TACHO_MODEL_UNSUPPORTED, "invalid instruction mnemonic 'block'"},
    {"\x0f\x02", 2, 0, TACHO_MODEL_UNSUPPORTED, "invalid instruction mnemonic 'block'"},
    {"\x48\x01\xd8\x90", 4, 4.5, TACHO_MODEL_OK, ""},
    {"", 0, 0, TACHO_MODEL_UNSUPPORTED, "empty"},
    {"\x1e\x07\x03", 3, 0, TACHO_MODEL_UNSUPPORTED, "no figures for lock block"},
    {"\xf1", 1, 0, TACHO_MODEL_FAILED, "died of signal 11"},
    {"\x50", 1, 1.5, TACHO_MODEL_OK, ""},
    {"\x16", 1, 0, TACHO_MODEL_FAILED, "died of signal 11"},
    {"\x17", 1, 0, TACHO_MODEL_FAILED, "said nothing"},
    {"\x51\x52", 2, 2.5, TACHO_MODEL_OK, ""},
};

static void test_tools__what_llvm_mca_cannot_do_fails_alone(void **state)
{
    tacho_model *m = open_model("llvm-mca-60", "ICX", NULL);
    assert_string_equal(tacho_model_version(m), "LLVM version 60.1.2, -mcpu=icelake-server");
    check_all(m, mca_blocks, sizeof mca_blocks / sizeof *mca_blocks);
    tacho_model_close(m);
}

static void test_tools__scores_of_llvm_mca(void **state)
{
    const expected steady[] = {{"\x48\x01\xd8", 3, 3, TACHO_MODEL_OK, ""},
                               {"\x0f\x01", 2, 0, TACHO_MODEL_UNSUPPORTED, "invalid instruction mnemonic"},
                               {"\x90", 1, 1, TACHO_MODEL_OK, ""}};
    const expected resources[] = {{"\x48\x01\xd8", 3, 3.5, TACHO_MODEL_OK, ""},
                                  {"\x90", 1, 1.5, TACHO_MODEL_OK, ""}};
    tacho_model *m = open_model("llvm-mca-60:steady", "ICX", NULL);
    check_all(m, steady, 3);
    tacho_model_close(m);
    m = open_model("llvm-mca-60:rthroughput", "ICX", NULL);
    check_all(m, resources, 2);
    tacho_model_close(m);
}

static void test_tools__a_block_that_hangs_costs_its_time_alone(void **state)
{
    const tacho_model_block blocks[] = {{.code = (const uint8_t *)"\x48\x01\xd8", .size = 3},
                                        {.code = (const uint8_t *)"\x0e", .size = 1},
                                        {.code = (const uint8_t *)"\x90", .size = 1}};
    tacho_model_options o = TACHO_MODEL_OPTIONS_INIT;
    tacho_model_result r[3];
    o.timeout_seconds = 3;
    tacho_model *m = open_model("llvm-mca-60", "ICX", &o);
    run(m, blocks, 3, r);
    tacho_model_close(m);
    assert_int_equal(r[0].status, TACHO_MODEL_OK);
    assert_int_equal(r[1].status, TACHO_MODEL_TIMEOUT);
    assert_true(strstr(r[1].message, "too long") != NULL);
    assert_int_equal(r[2].status, TACHO_MODEL_OK);
    assert_true(r[2].cycles == 1.5);
}

static void test_tools__more_blocks_than_a_batch(void **state)
{
    enum {
        MANY = 1203
    };
    static tacho_model_block blocks[MANY];
    static tacho_model_result results[MANY];
    static uint8_t bytes[MANY];
    for (size_t i = 0; i < MANY; i++) {
        bytes[i] = 0x50;
        blocks[i] = (tacho_model_block){.code = &bytes[i < MANY - 5 ? i : MANY - 5], .size = 1 + i % 5};
    }
    tacho_model *m = open_model("llvm-mca-60", "ICX", NULL);
    run(m, blocks, MANY, results);
    tacho_model_close(m);
    for (size_t i = 0; i < MANY; i++)
        assert_true(results[i].cycles == (double)(1 + i % 5) + 0.5);
}

static void test_tools__what_llvm_mca_cannot_be_opened(void **state)
{
    refuse("llvm-mca-60", "RKL", TACHO_ERR_UNSUPPORTED, "does not know -mcpu=rocketlake");
    refuse("llvm-mca-61", "ICX", TACHO_ERR_UNSUPPORTED, "apt-get install llvm-61");
    refuse("llvm-mca-60:best", "ICX", TACHO_ERR_USAGE, "llvm-mca-60");
    refuse("llvm-mca-", "ICX", TACHO_ERR_USAGE, "llvm-mca");
    refuse("llvm-mca-60@", "ICX", TACHO_ERR_USAGE, "llvm-mca");
    refuse("llvm-mca-60@rocketlake", "ICX", TACHO_ERR_UNSUPPORTED, "does not know -mcpu=rocketlake");
}

/* A core without a row there would be said to have no name, although nobody looked for one. */
static void test_tools__each_core_is_in_the_table_of_names(void **state)
{
    const tacho_arch *arch;
    for (size_t i = 0; (arch = tacho_arch_get(i)); i++)
        for (external_names names = NAMES_TACHO; names <= NAMES_LLVM; names++)
            if (!external_arch(names, arch))
                fail_msg("known_tools.c has no %s of %s", names == NAMES_TACHO ? "row" : "-mcpu",
                         tacho_arch_name(arch));
    assert_string_equal(external_arch(NAMES_LLVM, arch_of("ZEN3")), "znver3");
    assert_string_equal(external_arch(NAMES_OSACA, arch_of("ZEN4")), "ZEN4");
    assert_null(external_arch(NAMES_UICA, arch_of("ZEN5")));
}

static void test_tools__installed_versions_are_listed(void **state)
{
    tacho_model_list *list;
    int found = 0;
    assert_int_equal(tacho_model_list_make(&list, NULL, NULL), 0);
    for (size_t i = 0; i < list->count; i++)
        if (!strncmp(list->models[i].name, "llvm-mca-60", 11)) {
            assert_null(list->models[i].missing);
            assert_true(list->models[i].external);
            found++;
        }
    assert_int_equal(found, 3);
    tacho_model_list_free(list);
}

/* The real one: some blocks at once and alone, and a bad one among them. */
static void test_tools__the_real_llvm_mca(void **state)
{
    const expected good[] = {{"\x48\x01\xd8", 3, 1.03, TACHO_MODEL_OK, ""}, /* add rax, rbx */
                             {"\x06", 1, 0, TACHO_MODEL_UNSUPPORTED, "invalid instruction encoding"},
                             {"\x48\x0f\xaf\xc0", 4, 3.03, TACHO_MODEL_OK, ""}}; /* imul rax, rax */
    tacho_model *m;
    tacho_error err;
    if (tacho_model_open(&m, "llvm-mca", arch_of("SKL"), NULL, &err)) {
        assert_true(strstr(err.message, "apt-get install llvm") != NULL);
        printf("skipped: %s\n", err.message);
        skip();
    }
    check_all(m, good, 3);
    tacho_model_close(m);
    m = open_model("llvm-mca:steady", "SKL", NULL);
    tacho_model_result r = run_bytes(m, "\x48\x01\xd8", 3);
    assert_true(r.cycles == 1);
    tacho_model_close(m);
    m = open_model("llvm-mca@btver2:steady", "SKL", NULL); /* two cores' 64-bit divisions take unlike times */
    assert_non_null(strstr(tacho_model_version(m), "-mcpu=btver2"));
    tacho_model *skylake = open_model("llvm-mca:steady", "SKL", NULL);
    assert_true(run_bytes(m, "\x48\xf7\xf1", 3).cycles != run_bytes(skylake, "\x48\xf7\xf1", 3).cycles);
    tacho_model_close(skylake);
    tacho_model_close(m);
    m = open_model("llvm-mca:rthroughput", "SKL", NULL);
    r = run_bytes(m, "\x48\x01\xd8", 3);
    assert_true(r.cycles > 0.2 && r.cycles < 0.4); /* four ports; printed with a digit */
    tacho_model_close(m);
}

/* ---- osaca, uica, iaca ---- */

static void test_tools__osaca(void **state)
{
    const expected blocks[] = {
        {"\x48\x01\xd8", 3, 2, TACHO_MODEL_OK, ""},                                /* the chain */
        {"\x50\x50\x50\x50\x50\x50\x50\x50\x50\x50", 10, 2.5, TACHO_MODEL_OK, ""}, /* the port */
        {"\x90", 1, 0, TACHO_MODEL_FAILED, "KeyError: nop"},
        {"\x06", 1, 0, TACHO_MODEL_UNSUPPORTED, "offset 0x0"}};
    tacho_model *m = open_model("osaca", "ICX", NULL);
    check_all(m, blocks, 4);
    tacho_model_close(m);
    refuse("osaca", "RKL", TACHO_ERR_UNSUPPORTED, "RKL");
}

static void test_tools__uica(void **state)
{
    tacho_model_options o = TACHO_MODEL_OPTIONS_INIT;
    tacho_model *m = open_model("uica", "ICX", NULL);
    assert_string_equal(tacho_model_version(m), "for ICL"); /* it has no name for the server part */
    tacho_model_result r = run_bytes(m, "\x48\x01\xd8", 3);
    assert_int_equal(r.status, TACHO_MODEL_OK);
    assert_true(r.cycles == 3.25);
    assert_string_equal(r.bottleneck, "Issue;Ports");
    tacho_model_close(m);
    o.mode = TACHO_MODE_LOOP; /* it would take what has no branch at its end for unrolled */
    m = open_model("uica", "ICX", &o);
    r = run_bytes(m, "\x48\x01\xd8", 3);
    assert_int_equal(r.status, TACHO_MODEL_UNSUPPORTED);
    r = run_bytes(m, "\x75\xfe", 2);
    assert_int_equal(r.status, TACHO_MODEL_OK);
    tacho_model_close(m);
}

static void test_tools__iaca(void **state)
{
    tacho_model *m = open_model("iaca", "SKX", NULL);
    tacho_model_result r = run_bytes(m, "\x48\x01\xd8", 3);
    assert_int_equal(r.status, TACHO_MODEL_OK);
    assert_true(r.cycles == 3.5);
    assert_string_equal(r.bottleneck, "Backend");
    tacho_model_close(m);
    refuse("iaca", "ICX", TACHO_ERR_UNSUPPORTED, "ICX");
}

static void test_tools__what_is_not_installed(void **state)
{
    char *path = strdup(getenv("PATH"));
    assert_non_null(path);
    setenv("PATH", "/nowhere", 1);
    refuse("osaca", "ICX", TACHO_ERR_UNSUPPORTED, "osaca is not installed");
    refuse("uica", "ICX", TACHO_ERR_UNSUPPORTED, "uiCA.py is not installed");
    refuse("iaca", "SKX", TACHO_ERR_UNSUPPORTED, "iaca is not installed");
    refuse("llvm-mca", "ICX", TACHO_ERR_UNSUPPORTED, "apt-get install llvm");
    setenv("PATH", path, 1);
    free(path);
}

/* ---- descriptions ---- */

/* Writes a description beside the tool (a link to it) and returns its path. */
static const char *describe(const char *json)
{
    static char path[4200];
    assert_int_equal(tacho_scratch_write(scratch, "mine.json", json, strlen(json)), 0);
    snprintf(path, sizeof path, "%s/mine.json", scratch);
    return path;
}

static tacho_model_result described(const char *json, const char *bytes, size_t size)
{
    tacho_model *m = open_model(describe(json), "ICX", NULL);
    tacho_model_result r = run_bytes(m, bytes, size);
    tacho_model_close(m);
    if (r.status != TACHO_MODEL_OK)
        fail_msg("%s: %s", json, r.message);
    return r;
}

#define TOOL(what, more)                                                                                     \
    "{\"command\": [\"./tool\", \"" what "\", \"{arch}\", \"{mcpu}\", \"{mode}\", \"{hex}\"" more
#define ANSWER "\"pattern\": \"^answer: ([0-9.]+)\""

static void test_tools__a_description(void **state)
{
    tacho_model_result r =
        described(TOOL("bytes", "], \"input\": \"hex\", \"stdin\": true, \"iterations\": 100, " ANSWER "}"),
                  "\x90\x90", 2);
    assert_true(r.cycles == 2);
    r = described(
        TOOL("lines", ", \"{file}\"], \"input\": \"asm-att\", \"before\": \"# 1\\n# 2\\n\", " ANSWER "}"),
        "\x48\x01\xd8\x90", 4);
    assert_true(r.cycles == 4);
    r = described(TOOL("show", "], \"input\": \"hex\", \"archs\": {\"icelake-server\": \"lake\"}, "
                               "\"bottleneck_pattern\": \"limits: (.*)\", " ANSWER "}"),
                  "\x75\xfe", 2);
    assert_string_equal(r.bottleneck, "lake;icelake-server;loop");
    r = described(TOOL("disassemble", ", \"{file}\"], \"input\": \"object\", " ANSWER "}"), "\x48\x01\xd8",
                  3);
    assert_true(r.cycles == 1);
}

static void reads(const char *input, const char *more, const char *bytes, size_t size, const char *text)
{
    char json[500], path[4200];
    snprintf(json, sizeof json, TOOL("input", ", \"{file}\"], \"input\": \"%s\", %s " ANSWER "}"), input,
             more);
    assert_int_equal(tacho_scratch_write(scratch, "expected", text, strlen(text)), 0);
    snprintf(path, sizeof path, "%s/expected", scratch);
    setenv("TACHO_TEST_INPUT", path, 1);
    assert_true(described(json, bytes, size).cycles == 1);
}

static void test_tools__what_they_read(void **state)
{
    static const char loop[] = "\x48\x01\xd8\x74\x02\x49\xff\xcf\x75\xf6\x75\xf5";
    reads("hex", "", "\x48\x01\xd8", 3, "4801d8\n");
    reads("asm-att", "\"before\": \"# A\\n\", \"after\": \"# Z\\n\",", loop, 12,
          "# A\n.L0:\n\tadd %rbx, %rax\n\tjz elsewhere\n\tdec %r15\n\tjnz .L0\n\tjnz elsewhere\n# Z\n");
    reads("asm-intel", "", "\x48\x03\x03\x74\x00\x90", 6,
          "\t.intel_syntax noprefix\n\tadd rax, qword ptr [rbx]\n\tjz .L5\n.L5:\n\tnop\n");
}

/* The longest block, of the shortest instructions. */
static void test_tools__long_blocks(void **state)
{
    static uint8_t code[TACHO_MAX_BLOCK_BYTES + 1];
    const tacho_model_block blocks[] = {{.code = code, .size = TACHO_MAX_BLOCK_BYTES},
                                        {.code = code, .size = sizeof code}};
    tacho_model_result r[2];
    memset(code, 0x90, sizeof code);
    memcpy(code + 100, "\xeb\xfe", 2); /* to itself */
    tacho_model *m = open_model(describe(TOOL("lines", ", \"{file}\"], \"input\": \"asm-att\", " ANSWER "}")),
                                "ICX", NULL);
    run(m, blocks, 2, r);
    tacho_model_close(m);
    assert_int_equal(r[0].status, TACHO_MODEL_OK);
    assert_true(r[0].cycles == TACHO_MAX_BLOCK_BYTES - 1 + 1); /* an instruction of two bytes, a label */
    assert_int_equal(r[1].status, TACHO_MODEL_UNSUPPORTED);
}

static void *run_in_thread(void *payload)
{
    const tacho_model_block blocks[] = {{.code = (const uint8_t *)"\x48\x01\xd8", .size = 3},
                                        {.code = (const uint8_t *)"\x50", .size = 1}};
    size_t *right = payload;
    for (int i = 0; i < 5; i++) {
        tacho_model *m;
        tacho_model_result r[2];
        if (tacho_model_open(&m, i % 2 ? "osaca" : "llvm-mca-60", arch_of("ICX"), NULL, NULL))
            return NULL;
        if (!tacho_model_run(m, blocks, 2, r, NULL) && r[0].cycles == (i % 2 ? 2 : 3.5) &&
            r[1].cycles == (i % 2 ? 2 : 1.5))
            ++*right;
        tacho_model_close(m);
    }
    return NULL;
}

static void test_tools__threads(void **state)
{
    pthread_t threads[4];
    size_t right[4] = {0};
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_in_thread, &right[i]), 0);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(right[i], 5);
    }
}

static void test_tools__an_object_file_is_one(void **state)
{
    const tool_description tools[] = {{.input = TOOL_OBJECT}, {.input = TOOL_OBJECT, .iaca_markers = true}};
    for (int i = 0; i < 2; i++) { /* with markers, the region between them */
        tacho_code_options o = TACHO_CODE_OPTIONS_INIT;
        tacho_str file = {0};
        tacho_code *code;
        tacho_error err;
        assert_int_equal(tool_write(&file, &tools[i],
                                    &(tacho_model_block){.code = (const uint8_t *)"\x48\x01\xd8", .size = 3},
                                    &err),
                         0);
        if (tacho_code_from_memory(&code, file.data, file.length, "object", &o, &err))
            fail_msg("%s", err.message);
        assert_int_equal(code->kind, TACHO_INPUT_ELF);
        assert_int_equal(code->regions[0].byte_count, 3);
        assert_memory_equal(code->regions[0].bytes, "\x48\x01\xd8", 3);
        tacho_code_free(code);
        tacho_str_free(&file);
    }
}

static void test_tools__a_described_tool_may_fail(void **state)
{
    const expected blocks[] = {{"\x50", 1, 2.5, TACHO_MODEL_OK, ""},
                               {"\x90", 1, 0, TACHO_MODEL_UNSUPPORTED, "no nop here"},
                               {"\xcc", 1, 0, TACHO_MODEL_FAILED, "signal 11"},
                               {"\xcd\x03", 2, 0, TACHO_MODEL_FAILED, "said nothing"},
                               {"\xce", 1, 0, TACHO_MODEL_FAILED, "no number of cycles"},
                               {"\xcf", 1, 0, TACHO_MODEL_FAILED, "status 3"},
                               {"", 0, 0, TACHO_MODEL_UNSUPPORTED, "empty"},
                               {"\x51", 1, 2.5, TACHO_MODEL_OK, ""}};
    tacho_model *m = open_model(describe(TOOL("picky", "], \"input\": \"hex\", \"stdin\": true, " ANSWER
                                                       ", \"unsupported_pattern\": \"no .* here\", "
                                                       "\"timeout_seconds\": 3}")),
                                "ICX", NULL);
    check_all(m, blocks, sizeof blocks / sizeof *blocks);
    tacho_model_result r = run_bytes(m, "\xf4", 1);
    assert_int_equal(r.status, TACHO_MODEL_TIMEOUT);
    assert_true(isnan(r.cycles) && strstr(r.message, "too long"));
    tacho_model_close(m);
}

static void test_tools__bad_descriptions(void **state)
{
    static const struct {
        const char *json, *part;
    } bad[] = {
        {"", "line 1"},
        {"[]", "object"},
        {"{\"command\": [\"./tool\"], \"input\": \"hex\"}", "\"pattern\" is missing"},
        {"{\"command\": \"./tool\"}", "list of strings"},
        {"{\"command\": [\"./tool\", 1]}", "list of strings"},
        {"{\"command\": []}", "list of strings"},
        {"{\"input\": \"assembly\"}", "\"asm-att\""},
        {"{\"patern\": \"x\"}", "did you mean pattern"},
        {"{\"iterations\": 0}", "above 0"},
        {"{\"mode\": \"loop\"}", "by-branch"},
        {"{\"archs\": {\"Z80\": \"z\"}}", "Z80"},
        {"{\"archs\": {\"SKL\": 1}}", "strings"},
        {"{\"stdin\": 1}", "true or false"},
        {"{\"command\": [\"./tool\"], \"input\": \"hex\", \"before\": \"x\", " ANSWER "}", "assembly"},
        {"{\"command\": [\"./tool\"], \"input\": \"hex\", \"markers\": \"iaca\", " ANSWER "}", "raw"},
        {"{\"command\": [\"./tool\"], \"input\": \"hex\", \"pattern\": \"(\"}",
         "mine.json: the pattern '(' is no extended regular expression"},
        {"{\"command\": [\"./tool\"], \"input\": \"hex\", \"pattern\": \"x\"}", "no group"},
        {"{\"command\": [\"./tool\", \"{files}\"], \"input\": \"hex\", " ANSWER "}",
         "no placeholder {files}"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refuse(describe(bad[i].json), "ICX", TACHO_ERR_INPUT, bad[i].part);
    refuse("/nowhere/mine.json", "ICX", TACHO_ERR_INPUT, "No such file");
    refuse(describe("{\"command\": [\"no-such-tool-of-tacho\"], \"input\": \"hex\", " ANSWER "}"), "ICX",
           TACHO_ERR_UNSUPPORTED, "no-such-tool-of-tacho is not installed");
    refuse(describe(TOOL("show", "], \"input\": \"hex\", \"archs\": {\"SKL\": \"x\"}, " ANSWER "}")), "ICX",
           TACHO_ERR_UNSUPPORTED, "ICX");
}

static void out_of_memory(const char *name)
{
    int rc = TACHO_ERR_MEMORY;
    unsigned long n = 1;
    for (; n < 1000 && rc == TACHO_ERR_MEMORY; n++) {
        const tacho_model_block block = {.code = (const uint8_t *)"\x48\x01\xd8", .size = 3};
        tacho_model_result r;
        tacho_model *m;
        tacho_mem_fail_at(n);
        rc = tacho_model_open(&m, name, arch_of("ICX"), NULL, NULL);
        if (!rc)
            rc = tacho_model_run(m, &block, 1, &r, NULL);
        tacho_mem_fail_at(0);
        tacho_model_close(m);
        assert_true(rc || r.status == TACHO_MODEL_OK);
    }
    assert_int_equal(rc, 0);
    assert_true(n > 5);
}

static void test_tools__out_of_memory(void **state)
{
    out_of_memory("llvm-mca-60");
    out_of_memory("osaca");
    out_of_memory(describe(TOOL("bytes", "], \"input\": \"hex\", \"stdin\": true, " ANSWER "}")));
}

static int set_up(void **state)
{
    tacho_str path = {0};
    char from[8300], to[8300];
    tacho_str_printf(&path, "%s:%s", stand_ins, getenv("PATH"));
    setenv("PATH", path.data, 1);
    tacho_str_free(&path);
    if (tacho_scratch_make(scratch, sizeof scratch, NULL))
        return -1;
    setenv("TMPDIR", scratch, 1); /* so that what is left behind shows */
    snprintf(from, sizeof from, "%s/tool", stand_ins);
    snprintf(to, sizeof to, "%s/tool", scratch);
    return symlink(from, to);
}

/* The models' own directories are gone. */
static int tear_down(void **state)
{
    unsetenv("TMPDIR");
    const char *const ours[] = {"mine.json", "expected", "tool"};
    for (size_t i = 0; i < 3; i++) {
        char path[8300];
        snprintf(path, sizeof path, "%s/%s", scratch, ours[i]);
        unlink(path);
    }
    if (!rmdir(scratch))
        return 0;
    fprintf(stderr, "something was left in %s\n", scratch);
    tacho_scratch_remove(scratch);
    return -1;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tools__what_llvm_mca_cannot_do_fails_alone),
        cmocka_unit_test(test_tools__scores_of_llvm_mca),
        cmocka_unit_test(test_tools__a_block_that_hangs_costs_its_time_alone),
        cmocka_unit_test(test_tools__more_blocks_than_a_batch),
        cmocka_unit_test(test_tools__what_llvm_mca_cannot_be_opened),
        cmocka_unit_test(test_tools__each_core_is_in_the_table_of_names),
        cmocka_unit_test(test_tools__installed_versions_are_listed),
        cmocka_unit_test(test_tools__the_real_llvm_mca),
        cmocka_unit_test(test_tools__out_of_memory),
        cmocka_unit_test(test_tools__osaca),
        cmocka_unit_test(test_tools__uica),
        cmocka_unit_test(test_tools__iaca),
        cmocka_unit_test(test_tools__what_is_not_installed),
        cmocka_unit_test(test_tools__a_description),
        cmocka_unit_test(test_tools__what_they_read),
        cmocka_unit_test(test_tools__long_blocks),
        cmocka_unit_test(test_tools__threads),
        cmocka_unit_test(test_tools__an_object_file_is_one),
        cmocka_unit_test(test_tools__a_described_tool_may_fail),
        cmocka_unit_test(test_tools__bad_descriptions),
    };
    char absolute[4096];
    if (argc < 2 || !realpath(argv[1], absolute))
        return 1;
    stand_ins = absolute;
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
