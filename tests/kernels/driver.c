/* driver.c [--count] KERNEL.so...: loads kernels as hooks.h says and calls each twice, on memory full of
 * NaNs. Prints "file checksum values bytes" for each; a kernel that does not keep to the rules is an error.
 *
 * With --count, under callgrind with --collect-atstart=no: the second call's region is dumped, named by the
 * file. */
#include "../../kernels/hooks.h"
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_TOGGLE_COLLECT    (void)0
#define CALLGRIND_DUMP_STATS_AT(at) (void)(at)
#endif

#define MEMORY_BYTES ((size_t)1 << 20)

struct region {
    const char *file;
    int begun, ended;
    int counted;
};

static void stop_with(const char *file, const char *message)
{
    fprintf(stderr, "%s: %s\n", file, message);
    exit(1);
}

static void on_start(void *payload)
{
    struct region *region = payload;
    region->begun++;
    if (region->counted)
        CALLGRIND_TOGGLE_COLLECT;
}

static void on_stop(void *payload)
{
    struct region *region = payload;
    if (region->counted)
        CALLGRIND_TOGGLE_COLLECT;
    region->ended++;
}

static void on_fail(void *payload, const char *message)
{
    stop_with(((struct region *)payload)->file, message);
}

static void *find(void *library, const char *file, const char *name)
{
    void *symbol = dlsym(library, name);
    if (!symbol)
        stop_with(file, name);
    return symbol;
}

static void run(const char *file, void *memory, int count)
{
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        stop_with(file, dlerror());
    struct region region = {.file = file};
    struct tacho_kernel_hooks *hooks = find(library, file, "tacho_kernel_hooks");
    struct tacho_kernel_outcome *outcome = find(library, file, "tacho_kernel_outcome");
    void (*prepare)(void);
    int (*kernel)(int, char **);
    *(void **)&prepare = find(library, file, "tacho_kernel_prepare");
    *(void **)&kernel = find(library, file, "tacho_kernel_main");
    *hooks = (struct tacho_kernel_hooks){.start = on_start,
                                         .stop = on_stop,
                                         .fail = on_fail,
                                         .payload = &region,
                                         .memory = memory,
                                         .memory_bytes = MEMORY_BYTES};
    double first = 0;
    for (int call = 0; call < 2; call++) {
        char *argv[] = {"kernel", NULL};
        memset(memory, 0xff, MEMORY_BYTES);
        region = (struct region){.file = file, .counted = count && call};
        prepare();
        if (kernel(1, argv))
            stop_with(file, "returns an error");
        if (region.begun != 1 || region.ended != 1 || outcome->starts != 1 || outcome->stops != 1)
            stop_with(file, "not one region");
        if (!isfinite(outcome->checksum) || !outcome->values)
            stop_with(file, "no finite checksum");
        if (call && memcmp(&first, &outcome->checksum, sizeof first))
            stop_with(file, "computes something else when called again");
        first = outcome->checksum;
    }
    if (count)
        CALLGRIND_DUMP_STATS_AT(file);
    printf("%s %.17g %zu %zu\n", file, outcome->checksum, outcome->values, outcome->bytes);
    dlclose(library);
}

int main(int argc, char **argv)
{
    int count = argc > 1 && !strcmp(argv[1], "--count");
    void *memory = mmap(NULL, MEMORY_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        stop_with("mmap", "no memory");
    for (int i = 1 + count; i < argc; i++)
        run(argv[i], memory, count);
    return 0;
}
