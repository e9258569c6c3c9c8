/* counters.c - performance counters: whether there are any, and events by their names (libpfm4, which is
 * loaded when a name is looked up: its tables would take a fifth of the program's start). */
#include <errno.h>
#include <linux/perf_event.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"
#include "machine/measure/counters.h"
#include "machine/measure/ticks.h"

static void only_user(struct perf_event_attr *a)
{
    a->size = sizeof *a;
    a->exclude_kernel = 1;
    a->exclude_hv = 1;
    a->disabled = 0;
}

void counters_cycles(struct perf_event_attr *a)
{
    memset(a, 0, sizeof *a);
    a->type = PERF_TYPE_HARDWARE;
    a->config = PERF_COUNT_HW_CPU_CYCLES;
    a->pinned = 1;
    only_user(a);
}

static int open_event(struct perf_event_attr *a)
{
    return (int)syscall(SYS_perf_event_open, a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static const char *no_event(int error)
{
    switch (error) {
    case ENOENT:
    case EOPNOTSUPP:
    case ENODEV:
        return "this machine has no performance counters, or they stand still (as in most virtual machines)";
    case EACCES:
    case EPERM:
        return "performance counters are not allowed: sysctl kernel.perf_event_paranoid=2, or a container's "
               "seccomp profile";
    case ENOSYS:
        return "this kernel has no performance counters";
    default:
        return NULL;
    }
}

void counters_why_not(int error, char *why, size_t size)
{
    const char *known = no_event(error);
    snprintf(why, size, "%s", known ? known : strerror(error));
}

/* Some virtual machines have counters that stand still: a chain of multiplications takes more cycles than it
 * has instructions, on every core. */
static bool it_counts(int fd)
{
    enum {
        LOOPS = 10
    };
    uint64_t before, after;
    if (read(fd, &before, sizeof before) != sizeof before)
        return false;
    ticks_of_imuls(LOOPS);
    return read(fd, &after, sizeof after) == sizeof after && after - before >= LOOPS * TICKS_IMULS;
}

int counters_try(bool *by_rdpmc)
{
    struct perf_event_attr a;
    counters_cycles(&a);
    int fd = open_event(&a);
    *by_rdpmc = false;
    if (fd < 0)
        return errno;
    const size_t size = (size_t)sysconf(_SC_PAGESIZE);
    struct perf_event_mmap_page *page = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
    if (page != MAP_FAILED) {
        *by_rdpmc = page->cap_user_rdpmc && page->index;
        munmap(page, size);
    }
    const bool counts = it_counts(fd);
    close(fd);
    return counts ? 0 : ENOENT;
}

const char *counters_missing(char *why, size_t size)
{
    bool by_rdpmc;
    int error = counters_try(&by_rdpmc);
    if (!error && by_rdpmc)
        return NULL;
    if (error)
        counters_why_not(error, why, size);
    else
        snprintf(why, size,
                 "counters cannot be read by RDPMC: echo 1 > /sys/bus/event_source/devices/cpu/rdpmc");
    return why;
}

static void add(counter_set *out, const struct perf_event_attr *a, const char *name)
{
    _Static_assert(sizeof *a <= RUNNER_EVENT_BYTES, "room for the kernel's attributes");
    memcpy(out->attributes[out->count], a, sizeof *a);
    snprintf(out->names[out->count++], sizeof out->names[0], "%s", name);
}

/* What is used of libpfm4. */
typedef struct pfm {
    __typeof__(pfm_initialize) *initialize;
    __typeof__(pfm_get_os_event_encoding) *get_os_event_encoding;
    __typeof__(pfm_strerror) *strerror;
} pfm;

static int load_pfm(pfm *out, tacho_error *err)
{
    static const char *const names[] = {"pfm_initialize", "pfm_get_os_event_encoding", "pfm_strerror"};
    if (!tacho_file_functions("libpfm.so.4", names, sizeof names / sizeof *names, out))
        return tacho_error_set(err, TACHO_ERR_UNSUPPORTED,
                               "events by name need libpfm4 (libpfm.so.4), which is not installed");
    if (out->initialize() != PFM_SUCCESS)
        return tacho_error_set(err, TACHO_ERR_SYSTEM, "libpfm4 does not know this processor's events");
    return 0;
}

int counters_encode(struct perf_event_attr *out, const char *name, tacho_error *err)
{
    pfm names = {0};
    memset(out, 0, sizeof *out);
    out->size = sizeof *out;
    pfm_perf_encode_arg_t arg = {.attr = out, .size = sizeof arg};
    int failed = load_pfm(&names, err);
    if (failed)
        return failed;
    failed = names.get_os_event_encoding(name, PFM_PLM3, PFM_OS_PERF_EVENT, &arg);
    if (failed != PFM_SUCCESS)
        return tacho_error_set(err, TACHO_ERR_UNSUPPORTED, "event '%s': %s; 'perf list' shows what there is",
                               name, names.strerror(failed));
    only_user(out);
    return 0;
}

static int add_named(counter_set *out, const char *name, tacho_error *err)
{
    struct perf_event_attr a;
    int failed = counters_encode(&a, name, err);
    if (failed)
        return failed;
    int fd = open_event(&a);
    if (fd < 0)
        return tacho_error_set(err, TACHO_ERR_UNSUPPORTED, "event '%s' cannot be counted here: %s", name,
                               strerror(errno));
    close(fd);
    add(out, &a, name);
    return 0;
}

static void add_cache_misses(counter_set *out)
{
    struct perf_event_attr a;
    memset(&a, 0, sizeof a);
    a.type = PERF_TYPE_HW_CACHE;
    a.config =
        PERF_COUNT_HW_CACHE_L1D | PERF_COUNT_HW_CACHE_OP_READ << 8 | PERF_COUNT_HW_CACHE_RESULT_MISS << 16;
    only_user(&a);
    int fd = open_event(&a);
    if (fd < 0)
        return;
    close(fd);
    add(out, &a, "l1d-read-misses");
    out->cache_misses = true;
}

int counters_find(counter_set *out, const char *events, tacho_error *err)
{
    struct perf_event_attr a;
    memset(out, 0, sizeof *out);
    counters_cycles(&a);
    add(out, &a, "cycles");
    add_cache_misses(out);
    if (!events)
        return 0;
    for (const char *at = events; *at;) {
        char name[48];
        size_t n = strcspn(at, ",");
        if (out->count >= RUNNER_MAX_EVENTS - (out->cache_misses ? 0u : 1u) || n >= sizeof name)
            return tacho_error_set(err, TACHO_ERR_LIMIT,
                                   "at most %u further events, each with a name below %zu letters",
                                   RUNNER_MAX_EVENTS - 2u, sizeof name);
        snprintf(name, sizeof name, "%.*s", (int)n, at);
        int failed = add_named(out, name, err);
        if (failed)
            return failed;
        at += n + (at[n] == ',');
    }
    return 0;
}
