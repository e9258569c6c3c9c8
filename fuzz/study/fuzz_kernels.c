/* fuzz_kernels.c - what a study of kernels reads; the first byte chooses: the source of a kernel; its flags
 * and lists of words; callgrind's totals; or, of an earlier run, variants.csv, blocks.csv (which end in a
 * byte 0xff each) and an object file. Of what is taken over the parts must fit together. */
#include <fcntl.h>
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "fuzz.h"
#include "given.h"
#include "study/kernels/kernels_internal.h"

enum {
    VARIANTS = 3
};
static given in;

int __wrap_access(const char *path, int mode);
int __wrap_access(const char *path, int mode)
{
    return 0;
}

/* Tables are read from descriptors: memory files, which are kept. */
static int tables[2];

static int table_of(const char *path)
{
    return strstr(path, "/fuzz/") != path ? -1 : strstr(path, "variants.csv") ? 0 : 1;
}

static void fill(int table)
{
    size_t size;
    char *text = given_piece(&in, &size);
    if (!tables[table])
        tables[table] = memfd_create("fuzz", MFD_CLOEXEC);
    if (ftruncate(tables[table], 0) || pwrite(tables[table], text, size, 0) != (ssize_t)size)
        abort();
    tacho_mem_free(text);
}

int __real_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...)
{
    int table = table_of(path);
    if (table < 0)
        return __real_open64(path, flags, 0600);
    lseek(tables[table], 0, SEEK_SET);
    return dup(tables[table]);
}

int __wrap_tacho_file_read(const char *path, size_t limit, char **data, size_t *size);
int __wrap_tacho_file_read(const char *path, size_t limit, char **data, size_t *size)
{
    given object = in;
    *data = given_rest(&object, size);
    return 0;
}

static void check(int ok)
{
    if (!ok)
        abort();
}

static void check_variant(const tacho_kernel_variant *v)
{
    check(v->same_as >= -1 && v->same_as < VARIANTS && v->message);
    check((unsigned)v->status < TACHO_KERNEL_STATUS_COUNT);
    check(v->status != TACHO_KERNEL_MERGED || v->same_as >= 0);
    for (size_t i = 0; i < v->block_count; i++)
        check(v->blocks[i].byte_count && v->blocks[i].object);
}

static void read_journal(void)
{
    static const char *const ids[VARIANTS] = {"a-gcc-O2", "a-gcc-O3", "b-gcc-O2"};
    tacho_kernel_variant list[VARIANTS] = {{.id = NULL}};
    kernels_variant own[VARIANTS] = {{.source_hash = 0}};
    tacho_kernels k = {.options = TACHO_KERNELS_OPTIONS_INIT, .work = "/fuzz", .variants = list, .own = own};
    tacho_error err = {.message = ""};
    for (int i = 0; i < VARIANTS; i++) {
        list[i] = (tacho_kernel_variant){
            .id = ids[i], .message = "", .same_as = -1, .cycles = NAN, .uncertainty = NAN, .checksum = NAN};
        own[i].source_hash = (uint64_t)i + 1;
    }
    k.result.variant_count = VARIANTS;
    fill(0);
    fill(1);
    if (kernels_read_journal(&k, &err))
        check(err.message[0] && !strstr(err.message, "cannot be read"));
    else
        for (int i = 0; i < VARIANTS; i++)
            check_variant(&list[i]);
    for (int i = 0; i < VARIANTS; i++)
        tacho_mem_free(own[i].blocks);
    arena_free(&k.texts);
}

static void read_source(const char *text)
{
    tacho_kernels k = {.options = TACHO_KERNELS_OPTIONS_INIT};
    tacho_error err;
    for (int i = 0; i < 2; i++)
        check(!kernels_add_source(&k, "a b", "/fuzz/a b.c", i, "folder", text, &err));
    for (size_t i = 0; i < k.result.kernel_count; i++) {
        check(k.kernels[i].name[0] && k.kernels[i].summary && k.kernels[i].category);
        check(!strpbrk(k.kernels[i].name, ", \n") && !strpbrk(k.kernels[i].summary, "\n\033"));
    }
    tacho_mem_free(k.kernels);
    tacho_mem_free(k.sources);
    arena_free(&k.texts);
}

static int take_word(void *payload, const char *word, size_t length)
{
    const char *list = payload;
    check(word >= list && length <= strlen(list) - (size_t)(word - list) && !memchr(word, ',', length));
    return 0;
}

static void read_words(char *text, size_t size)
{
    const char *words[2 * KERNELS_MAX_WORDS];
    kernels_each_word(text, take_word, text);
    size_t n = size < KERNELS_MAX_EXTRA ? kernels_split_flags(text, words, 1) : 1;
    check(n <= 1 + KERNELS_MAX_WORDS && (size >= KERNELS_MAX_EXTRA || !words[n]));
    for (size_t i = 1; i < n; i++)
        check(*words[i] && !strchr(words[i], ' '));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t accesses, misses;
    in = given_start(data, size);
    int what = given_byte(&in) & 3;
    if (what == 0) {
        read_journal();
        return 0;
    }
    size_t n;
    char *text = given_rest(&in, &n);
    if (what == 1)
        read_source(text);
    else if (what == 2)
        read_words(text, n);
    else
        kernels_read_misses(text, &accesses, &misses);
    tacho_mem_free(text);
    return 0;
}
