/* doctor_perf.c - whether cycles and instructions in user space can be counted (perf_event_open(2)), whether
 * what they count is true (some virtual machines have counters that stand still), and whether rdpmc reads
 * them. */
#include "machine/doctor/doctor_internal.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "machine/doctor/ticks.h"

enum {
    LOOPS = 200
};

static int open_counter(uint64_t event, int *error)
{
    struct perf_event_attr a = {
        .type = PERF_TYPE_HARDWARE,
        .size = sizeof a,
        .config = event,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };
    int fd = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    *error = fd < 0 ? errno : 0;
    return fd;
}

static uint64_t count(int fd)
{
    uint64_t n = 0;
    return read(fd, &n, sizeof n) == sizeof n ? n : 0;
}

static bool has_rdpmc(int fd)
{
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    const struct perf_event_mmap_page *page = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
    if (page == MAP_FAILED)
        return false;
    bool can = page->cap_user_rdpmc && page->index;
    munmap((void *)(uintptr_t)page, size);
    return can;
}

void doctor_ask_perf(doctor_perf *out)
{
    *out = (doctor_perf){0};
    int cycles = open_counter(PERF_COUNT_HW_CPU_CYCLES, &out->cycles_error);
    int instructions = open_counter(PERF_COUNT_HW_INSTRUCTIONS, &out->instructions_error);
    if (cycles >= 0 && instructions >= 0) {
        uint64_t c = count(cycles), i = count(instructions);
        doctor_time_imul(LOOPS);
        c = count(cycles) - c;
        i = count(instructions) - i;
        /* A chain of multiplications takes more cycles than it has instructions, on every core. */
        out->counts = i >= (uint64_t)LOOPS * DOCTOR_IMULS && c >= i;
    }
    if (cycles >= 0) {
        out->rdpmc = has_rdpmc(cycles);
        close(cycles);
    }
    if (instructions >= 0)
        close(instructions);
}
