/* fuzz_places.c - the search for hot places: eight bytes say where in the file samples lie, then comes the
 * map of a JIT compiler, which ends in a byte 0xff, and then the ELF file, which is its own debug file, too.
 * Shares must be shares, and places must lie in what was read. */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "fuzz.h"
#include "given.h"
#include "tacho/hot.h"

enum {
    IN_FILE = 3,
    IN_MEMORY = 2,
    SAMPLES = IN_FILE + IN_MEMORY
};
static char *map;
static size_t map_size;
static given file;

int __wrap_tacho_file_read_regular(const char *path, size_t limit, char **data, size_t *size);
int __wrap_tacho_file_read_regular(const char *path, size_t limit, char **data, size_t *size)
{
    given all = file;
    bool is_map = strstr(path, ".map") != NULL;
    *size = is_map ? map_size : file.left;
    *data = is_map ? tacho_mem_strndup(map, map_size) : given_bytes(&all, all.left);
    return *data ? 0 : -1;
}

/* The JIT compiler's map is a file of this user. */
static int about(struct stat *out)
{
    *out = (struct stat){.st_mode = S_IFREG | 0600, .st_uid = geteuid()};
    return 0;
}

int __wrap_lstat(const char *path, struct stat *out);
int __wrap_lstat(const char *path, struct stat *out)
{
    return about(out);
}

int __wrap_lstat64(const char *path, struct stat *out);
int __wrap_lstat64(const char *path, struct stat *out)
{
    return about(out);
}

static void check(int ok)
{
    if (!ok)
        abort();
}

static void check_place(const tacho_hot_place *p)
{
    const tacho_loop *l = p->loop;
    check(p->share >= 0 && p->share <= 1 + 1e-9 && p->share_low <= p->share_high);
    check(p->samples <= SAMPLES && l->path_count <= l->block_count);
    for (size_t i = 0; i < p->insn_count; i++) {
        volatile uint8_t sum = 0;
        for (uint32_t k = 0; k < p->insns[i].length; k++)
            sum = (uint8_t)(sum + p->insns[i].bytes[k]);
        check(!i || p->insns[i].address > p->insns[i - 1].address);
    }
}

static void check_hot(const tacho_hot *h)
{
    for (size_t i = 0; i < h->count; i++)
        check_place(&h->places[i]);
    for (size_t i = 0; i < h->function_count; i++)
        check(h->functions[i].share >= 0 && h->functions[i].share <= 1 + 1e-9);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tacho_hot_find_options o = TACHO_HOT_FIND_OPTIONS_INIT;
    tacho_hot_sample samples[SAMPLES];
    const tacho_hot_object objects[] = {{.path = "/fuzz/file",
                                         .name = "file",
                                         .kind = TACHO_HOT_OBJECT_FILE,
                                         .samples = IN_FILE,
                                         .weight = IN_FILE},
                                        {.path = "[memory]",
                                         .name = "[memory]",
                                         .kind = TACHO_HOT_OBJECT_MEMORY,
                                         .process = 7,
                                         .samples = IN_MEMORY,
                                         .weight = IN_MEMORY}};
    given in = given_start(data, size);
    uint64_t offset = 0;
    for (uint32_t i = 0; i < SAMPLES; i++) {
        offset = i == IN_FILE ? 0 : offset;
        offset += 1u + (i % IN_FILE ? given_byte(&in) : given_byte(&in) * 16u);
        samples[i] = (tacho_hot_sample){.offset = offset, .samples = 1, .weight = 1, .object = i >= IN_FILE};
    }
    const tacho_hot_profile profile = {.via = TACHO_HOT_CLOCK,
                                       .event = "",
                                       .skid = "",
                                       .missing = "",
                                       .samples = SAMPLES,
                                       .weight = SAMPLES,
                                       .weight_squares = SAMPLES,
                                       .objects = objects,
                                       .object_count = 2,
                                       .places = samples,
                                       .place_count = SAMPLES};
    tacho_hot *hot;
    tacho_error err;
    map = given_piece(&in, &map_size);
    file = in;
    if (tacho_hot_find(&hot, &profile, &o, &err))
        abort();
    check_hot(hot);
    tacho_hot_free(hot);
    tacho_mem_free(map);
    return 0;
}
