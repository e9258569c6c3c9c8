/* fuzz_kernels.c - what a study of kernels reads; the first byte chooses: the source of a kernel; its flags
 * and lists of words; callgrind's totals; or, of an earlier run, variants.csv, blocks.csv (which end in a
 * byte 0xff each) and an object file. Of what is taken over the parts must fit together. */
#include <errno.h>
#include <math.h>
#include <unistd.h>

#include "fuzz.h"
#include "given.h"
#include "kernels/kernels.h"
#include "util/file.h"

enum {
    VARIANTS = 3
};
static given in;
static char *variants, *blocks;
static size_t variants_size, blocks_size;

int __wrap_access(const char *path, int mode);
int __wrap_access(const char *path, int mode)
{
    return 0;
}

int __wrap_tacho_file_read(const char *path, size_t limit, char **data, size_t *size);
int __wrap_tacho_file_read(const char *path, size_t limit, char **data, size_t *size)
{
    given object = in;
    bool first = strstr(path, "variants.csv"), second = strstr(path, "blocks.csv");
    *size = first ? variants_size : second ? blocks_size : in.left;
    *data = first    ? tacho_mem_strndup(variants, *size)
            : second ? tacho_mem_strndup(blocks, *size)
                     : given_bytes(&object, in.left);
    return *data ? 0 : -1;
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
    variants = given_piece(&in, &variants_size);
    blocks = given_piece(&in, &blocks_size);
    if (kernels_read_journal(&k, &err))
        check(err.message[0]);
    else
        for (int i = 0; i < VARIANTS; i++)
            check_variant(&list[i]);
    for (int i = 0; i < VARIANTS; i++)
        tacho_mem_free(own[i].blocks);
    arena_free(&k.texts);
    tacho_mem_free(variants);
    tacho_mem_free(blocks);
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
