/* cpus.c - the logical processors that this process may use, and their data caches. */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ask_cpuid.h"
#include "base/cpus.h"
#include "base/file.h"
#include "base/mem.h"

int cpus_allowed(cpus *out, tacho_error *err)
{
    *out = (cpus){{0}};
    if (sched_getaffinity(0, sizeof *out, (cpu_set_t *)out->bits) == 0)
        return TACHO_OK;
    return tacho_error_set(err, TACHO_ERR_SYSTEM, "cannot find out which CPUs this process may use: %s",
                           strerror(errno));
}

bool cpus_have(const cpus *c, int cpu)
{
    return cpu >= 0 && cpu < CPUS_MOST && CPU_ISSET_S(cpu, sizeof *c, (const cpu_set_t *)c->bits);
}

unsigned cpus_count(const cpus *c)
{
    return (unsigned)CPU_COUNT_S(sizeof *c, (const cpu_set_t *)c->bits);
}

int cpus_choose(int wanted, int *cpu, tacho_error *err)
{
    cpus all;
    int failed = cpus_allowed(&all, err);
    if (failed)
        return failed;
    *cpu = wanted;
    for (int i = 0; wanted < 0 && i < CPUS_MOST; i++)
        if (cpus_have(&all, i))
            *cpu = i;
    if (cpus_have(&all, *cpu))
        return TACHO_OK;
    return tacho_error_set(
        err, TACHO_ERR_USAGE,
        "this process may not use CPU %d, or there is none ('taskset -p $$' shows which it may)", *cpu);
}

int cpus_stay_on(int cpu, tacho_error *err)
{
    cpus one = {{0}};
    CPU_SET_S(cpu, sizeof one, (cpu_set_t *)one.bits);
    if (!sched_setaffinity(0, sizeof one, (cpu_set_t *)one.bits))
        return TACHO_OK;
    return tacho_error_set(err, TACHO_ERR_SYSTEM, "cannot stay on CPU %d: %s", cpu, strerror(errno));
}

void cpus_return_to(const cpus *before)
{
    sched_setaffinity(0, sizeof *before, (const cpu_set_t *)before->bits);
}

/* ---- /sys/devices/system/cpu/cpuN/cache (Documentation/ABI/testing/sysfs-devices-system-cpu) ---- */

enum {
    MOST_INDEXES = 16,
    MOST_BYTES = 4096
};

typedef struct cache_folder {
    const char *root;
    int cpu, index;
} cache_folder;

static bool read_text(const cache_folder *f, const char *name, char out[32])
{
    char path[512], *text;
    size_t size;
    if (snprintf(path, sizeof path, "%s/sys/devices/system/cpu/cpu%d/cache/index%d/%s", f->root, f->cpu,
                 f->index, name) >= (int)sizeof path ||
        tacho_file_read_regular(path, MOST_BYTES, &text, &size))
        return false;
    snprintf(out, 32, "%.*s", (int)strcspn(text, "\n"), text);
    tacho_mem_free(text);
    return true;
}

/* "48K", "2M", "12"; 0: there is none, or it is no number. */
static uint64_t read_size(const cache_folder *f, const char *name)
{
    char text[32], *end;
    if (!read_text(f, name, text) || *text < '0' || *text > '9')
        return 0;
    uint64_t value = strtoull(text, &end, 10);
    unsigned shift = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
    return value >> 32 ? 0 : value << shift;
}

static bool read_one(const cache_folder *f, data_cache *out)
{
    char type[32];
    if (!read_text(f, "type", type) || (strcmp(type, "Data") && strcmp(type, "Unified")))
        return false;
    *out = (data_cache){.level = (unsigned)read_size(f, "level"),
                        .bytes = read_size(f, "size"),
                        .line_bytes = (uint32_t)read_size(f, "coherency_line_size"),
                        .ways = (uint32_t)read_size(f, "ways_of_associativity"),
                        .sets = (uint32_t)read_size(f, "number_of_sets")};
    return out->level && out->bytes;
}

static size_t from_libc(data_cache out[CACHES_MOST])
{
    static const int names[][3] = {
        {_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL1_DCACHE_LINESIZE, _SC_LEVEL1_DCACHE_ASSOC},
        {_SC_LEVEL2_CACHE_SIZE, _SC_LEVEL2_CACHE_LINESIZE, _SC_LEVEL2_CACHE_ASSOC},
        {_SC_LEVEL3_CACHE_SIZE, _SC_LEVEL3_CACHE_LINESIZE, _SC_LEVEL3_CACHE_ASSOC},
    };
    size_t n = 0;
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        long bytes = sysconf(names[i][0]), line = sysconf(names[i][1]), ways = sysconf(names[i][2]);
        if (bytes <= 0)
            continue;
        data_cache *c = &out[n++];
        *c = (data_cache){.level = i + 1, .bytes = (uint64_t)bytes};
        c->line_bytes = line > 0 ? (uint32_t)line : 0;
        c->ways = ways > 0 ? (uint32_t)ways : 0;
        c->sets = c->line_bytes && c->ways ? (uint32_t)(c->bytes / c->line_bytes / c->ways) : 0;
    }
    return n;
}

/* "Deterministic cache parameters": Intel SDM, volume 2A, CPUID, leaf 4; AMD has the same as 8000001Dh. */
static size_t from_cpuid(data_cache out[CACHES_MOST])
{
    enum {
        DATA = 1,
        UNIFIED = 3
    };
    const uint32_t leaf = strcmp(cpuid_who().vendor, "AuthenticAMD") ? 4 : 0x8000001d;
    uint32_t r[4];
    size_t n = 0;
    for (uint32_t i = 0; n < CACHES_MOST && cpuid_ask(leaf, i, r) && r[CPUID_EAX] & 31; i++) {
        const uint32_t type = r[CPUID_EAX] & 31, b = r[CPUID_EBX];
        data_cache c = {.level = r[CPUID_EAX] >> 5 & 7,
                        .line_bytes = (b & 0xfff) + 1,
                        .ways = (b >> 22) + 1,
                        .sets = r[CPUID_ECX] + 1};
        c.bytes = (uint64_t)c.line_bytes * ((b >> 12 & 0x3ff) + 1) * c.ways * c.sets;
        if (type == DATA || type == UNIFIED)
            out[n++] = c;
    }
    return n;
}

size_t caches_read(const char *root, int cpu, data_cache out[CACHES_MOST])
{
    size_t n = 0;
    if (!*root && cpuid_is_pretended())
        return from_cpuid(out);
    for (int index = 0; index < MOST_INDEXES && n < CACHES_MOST; index++) {
        data_cache one;
        if (!read_one(&(cache_folder){root, cpu, index}, &one))
            continue;
        size_t at = n++;
        for (; at && out[at - 1].level > one.level; at--)
            out[at] = out[at - 1];
        out[at] = one;
    }
    /* Hypervisors may hide what CPUID says of each cache; the C library knows older leaves, too. */
    return n || *root ? n : from_libc(out);
}
