/* loader.c - the program in which a kernel runs: loads its shared object, calls it again and again, and times
 * the region between kernel_start and kernel_stop, has callgrind count in it, or notes the path through it
 * (loader_path.c).
 *
 * Samples are as tacho measure takes them (machine/measure/rulers.h): chains and canaries, an empty region,
 * canaries, the kernel, canaries. Before each timed call there is one that is not timed, so that code, data
 * and branch predictors are warm. */
#include <dlfcn.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <x86intrin.h>

#include "base/seconds.h"
#include "hooks.h"
#include "machine/measure/rulers.h"
#include "study/kernels/loader_path.h"

loader_control *control;
static struct tacho_kernel_outcome *outcome;
static void (*prepare)(void);
static int (*kernel)(int, char **);

_Noreturn void loader_fail(const char *what, const char *detail)
{
    snprintf(control->message, sizeof control->message, "%s%s%s", what, *detail ? ": " : "", detail);
    control->stage = LOADER_STAGE_FAILED;
    _exit(1);
}

static void on_fail(void *payload, const char *message)
{
    loader_fail(message, "");
}

/* ---- the clock ---- */

static volatile struct perf_event_mmap_page *counter; /* NULL: the time stamp counter */

static void open_counter(void)
{
    if (!control->event_count)
        return;
    int fd = (int)syscall(SYS_perf_event_open, control->event, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    void *page =
        fd < 0 ? MAP_FAILED : mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
    if (page == MAP_FAILED)
        loader_fail("the counter of core cycles cannot be opened", "");
    counter = page;
}

static uint32_t counter_index; /* argument of rdpmc */

static uint64_t read_clock(void)
{
    _mm_lfence();
    uint64_t now = counter ? (uint64_t)__rdpmc((int)counter_index) : __rdtsc();
    _mm_lfence();
    return now;
}

/* A counter is narrower than 64 bits. */
static uint32_t elapsed(uint64_t from, uint64_t to)
{
    uint64_t ticks = to - from;
    unsigned unused = counter ? 64u - counter->pmc_width : 0;
    ticks = unused < 64 ? ticks << unused >> unused : ticks;
    return ticks > UINT32_MAX ? UINT32_MAX : (uint32_t)ticks;
}

/* ---- regions ---- */

static uint64_t started, stopped;
bool timed;

/* A client request of callgrind (Valgrind manual, "Client request reference"): counting on or off, but for
 * jumps, which are always counted. Outside of valgrind this does nothing. */
static void toggle_collect(void)
{
    volatile uint64_t request[6] = {(uint64_t)('C' << 24 | 'T' << 16) + 2};
    uint64_t result = 0;
    __asm__ volatile("rolq $3, %%rdi\n rolq $13, %%rdi\n rolq $61, %%rdi\n rolq $51, %%rdi\n"
                     "xchgq %%rbx, %%rbx\n"
                     : "+d"(result)
                     : "a"(request)
                     : "cc", "memory");
}

static void on_start_timed(void *payload)
{
    control->stage = LOADER_STAGE_REGION;
    started = read_clock();
}

static void on_stop_timed(void *payload)
{
    stopped = read_clock();
    control->stage = LOADER_STAGE_OUTSIDE;
}

static void on_start_counted(void *payload)
{
    control->stage = LOADER_STAGE_REGION;
    if (timed)
        toggle_collect();
}

static void on_stop_counted(void *payload)
{
    if (timed)
        toggle_collect();
    control->stage = LOADER_STAGE_OUTSIDE;
}

/* ---- the kernel ---- */

static void call_kernel(void)
{
    char name[] = "kernel", *argv[] = {name, NULL}, number[40];
    prepare();
    control->stage = LOADER_STAGE_OUTSIDE;
    int status = kernel(1, argv);
    control->starts = outcome->starts;
    control->stops = outcome->stops;
    control->values = outcome->values;
    control->bytes = outcome->bytes;
    control->checksum = outcome->checksum;
    snprintf(number, sizeof number, "%d", status);
    if (status)
        loader_fail("main of the kernel returned", number);
    if (!outcome->starts)
        loader_fail("the kernel never called kernel_start (polybench_start_instruments)", "");
    if (outcome->starts != 1 || outcome->stops != 1)
        loader_fail(outcome->stops ? "the kernel starts or stops its region several times"
                                   : "the kernel starts its region and never stops it",
                    "");
}

static void *symbol(void *object, const char *name)
{
    void *found = dlsym(object, name);
    if (!found)
        loader_fail("the object lacks a symbol of the kernels' runtime", name);
    return found;
}

static void *get_memory(void)
{
    void *p = mmap((void *)LOADER_MEMORY, LOADER_MEMORY_BYTES, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        loader_fail("no memory for the kernel's arrays", "");
    return p;
}

/* What is done at the beginning and at the end of a region. */
typedef struct loader_task {
    const char *name;
    void (*start)(void *payload), (*stop)(void *payload);
} loader_task;

static const loader_task tasks[] = {{"count", on_start_counted, on_stop_counted},
                                    {"measure", on_start_timed, on_stop_timed},
                                    {"trace", loader_start_traced, loader_stop_traced}};

static void load(const char *path, const loader_task *task)
{
    control->stage = LOADER_STAGE_LOADING;
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!object)
        loader_fail("the object cannot be loaded", dlerror());
    struct tacho_kernel_hooks *hooks = symbol(object, "tacho_kernel_hooks");
    outcome = symbol(object, "tacho_kernel_outcome");
    *(void **)&prepare = symbol(object, "tacho_kernel_prepare");
    *(void **)&kernel = symbol(object, "tacho_kernel_main");
    *hooks = (struct tacho_kernel_hooks){.start = task->start,
                                         .stop = task->stop,
                                         .fail = on_fail,
                                         .memory = get_memory(),
                                         .memory_bytes = LOADER_MEMORY_BYTES};
    if (task->start == loader_start_traced)
        loader_find_text(object);
}

/* ---- samples ---- */

static bool is_scheduled(void)
{
    if (!counter)
        return true;
    bool there = counter->cap_user_rdpmc && counter->index;
    counter_index = there ? counter->index - 1 : 0;
    return there;
}

static void run_empty(void)
{
    void (*volatile start)(void *) = on_start_timed;
    void (*volatile stop)(void *) = on_stop_timed;
    start(NULL);
    stop(NULL);
}

static int take_canaries(runner_sample *s, int place)
{
    time_chase(); /* the kernel may have displaced its lines */
    return rulers_take_canaries(s, place, control->limits, control->slack);
}

/* @return whether nothing disturbed it */
static bool take_sample(runner_sample *s)
{
    rulers_take_chains(s, 0);
    if (!is_scheduled() || !take_canaries(s, 0))
        return false;
    run_empty();
    run_empty();
    s->run[0] = elapsed(started, stopped);
    if (!take_canaries(s, 1))
        return false;
    call_kernel();
    call_kernel();
    s->run[1] = elapsed(started, stopped);
    return take_canaries(s, 2) && is_scheduled();
}

static void take_samples(void)
{
    const double start = seconds_now();
    uint32_t wanted = control->sample_count < RUNNER_MAX_SAMPLES ? control->sample_count : RUNNER_MAX_SAMPLES;
    for (uint32_t i = 0; i < control->warm_ups; i++)
        take_sample(&control->samples[0]);
    uint32_t taken = 0;
    for (uint32_t i = 0; i < control->attempts && taken < wanted; i++) {
        if (seconds_now() - start >= (taken < control->fewest ? control->most_seconds : control->seconds))
            break;
        control->attempts_made = i + 1;
        taken += take_sample(&control->samples[taken]);
        control->samples_taken = taken;
    }
}

/* ---- the process ---- */

int main(int argc, char **argv)
{
    control = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, LOADER_CONTROL_FD, 0);
    if (argc != 3 || control == MAP_FAILED)
        return 2;
    size_t task = 0;
    while (task < sizeof tasks / sizeof *tasks && strcmp(argv[1], tasks[task].name))
        task++;
    if (task == sizeof tasks / sizeof *tasks)
        return 2;
    rulers_prepare();
    load(argv[2], &tasks[task]);
    if (tasks[task].start == on_start_timed) {
        open_counter();
        take_samples();
    } else {
        call_kernel();
        timed = true;
        call_kernel();
    }
    if (tasks[task].start == loader_start_traced)
        loader_collect_code();
    control->stage = LOADER_STAGE_DONE;
    _exit(0);
}
