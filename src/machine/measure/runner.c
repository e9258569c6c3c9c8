/* runner.c - the program in which a block runs: empties its memory, shuts itself in, finds the pages that the
 * block touches, and times it.
 *
 * It is freestanding, linked to one fixed address, and carried inside the library. Method: BHive (IISWC
 * 2019), section III, and the uiCA paper, section 5.3. Timed code is straight from the plan (codegen.c); this
 * file has no x86 decoder and takes no decisions about the result.
 *
 * The block can write to the runner's stacks and start values, and to nothing else here. So before a block is
 * entered the stack goes to the report (pwrite), which is mapped read-only, and when it has ended the stack
 * comes back from there; in between, from a run that warms the caches to the one that is timed, the runner
 * knows what it is doing from a token in a register that the block does not touch, from the plan and from the
 * report. No system call is made between these two runs: it would leave its traces in the caches. */
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/syscall.h>

#include "machine/measure/rulers.h"

/* All within one image at a fixed address: no tables for a dynamic linker. */
#pragma GCC visibility push(hidden)

#define PLAN   ((const runner_plan *)RUNNER_PLAN)
#define REPORT ((const volatile runner_report *)RUNNER_REPORT)
#define START  ((runner_start_values *)RUNNER_START)
#define STACK  (RUNNER_STACK + RUNNER_STACK_BYTES) /* its end */

enum { /* of the kernel's interface; its headers do not stand beside libc's */
    PROT_R = 1,
    PROT_RW = 3,
    PROT_RX = 5,
    MAP_SHARED_FIXED = 0x11,
    MAP_PRIVATE_FIXED_ANONYMOUS = 0x32,
    ARCH_SET_GS_ = 0x1001,
    ARCH_SET_FS_ = 0x1002,
    MADV_HUGE = 14,
    MADV_NO_HUGE = 15,
    SIGILL_ = 4,
    SIGTRAP_ = 5,
    SIGBUS_ = 7,
    SIGFPE_ = 8,
    SIGSEGV_ = 11,
    SI_KERNEL_ = 0x80,
    FLAG_TRAP = 0x100,
    FAULT_IS_FETCH = 0x10
};

/* ---- the kernel ---- */

static long call6(long n, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f)
{
    long result;
    register uint64_t r10 __asm__("r10") = d;
    register uint64_t r8 __asm__("r8") = e;
    register uint64_t r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

/* Compilers may call them, and there is no library. */
void *memset(void *to, int value, size_t size);
void *memset(void *to, int value, size_t size)
{
    void *at = to;
    __asm__ volatile("rep stosb" : "+D"(at), "+c"(size) : "a"(value) : "memory");
    return to;
}

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
    void *at = to;
    __asm__ volatile("rep movsb" : "+D"(at), "+S"(from), "+c"(size) : : "memory");
    return to;
}

static _Noreturn void leave(void)
{
    for (;;)
        call6(SYS_exit_group, 0, 0, 0, 0, 0, 0);
}

/* Writes to the report. */
static void put(const volatile void *member, const void *value, uint64_t size)
{
    if (call6(SYS_pwrite64, RUNNER_REPORT_FD, (uint64_t)value, size, (uint64_t)member - RUNNER_REPORT, 0,
              0) != (long)size)
        leave();
}
#define PUT(member, value)                                                                                   \
    do {                                                                                                     \
        const __typeof__(((runner_report *)0)->member) put_value = (value);                                  \
        put(&REPORT->member, &put_value, sizeof put_value);                                                  \
    } while (0)

static _Noreturn void fail(uint32_t failure, uint64_t address, uint32_t detail)
{
    PUT(failure, failure);
    PUT(address, address);
    PUT(detail, detail);
    leave();
}

static void need(long result, uint32_t which)
{
    if (result < 0)
        fail(RUNNER_FAILED_SYSTEM, which, (uint32_t)-result);
}

static long map(uint64_t address, uint64_t size, int prot, int flags, int fd, uint64_t offset)
{
    return call6(SYS_mmap, address, size, (uint64_t)prot, (uint64_t)flags, (uint64_t)fd, offset);
}

/* ---- signals ---- */

/* As the kernel lays them out for x86-64 (asm/sigcontext.h, asm-generic/siginfo.h). */
typedef struct signal_info {
    int32_t number, error, code, pad;
    uint64_t address;
} signal_info;

typedef struct signal_frame {
    uint64_t flags, link, stack[3];
    uint64_t r8, r9, r10, r11, r12, r13, r14, r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip, eflags;
    uint64_t segments, error;
} signal_frame;

typedef struct kernel_sigaction {
    void (*handler)(int, signal_info *, signal_frame *);
    uint64_t flags;
    void (*restorer)(void);
    uint64_t mask;
} kernel_sigaction;

static void record_step(const signal_frame *f)
{
    const uint32_t n = REPORT->step_count;
    const runner_step s = {.rip = f->rip,
                           .gpr = {f->rax, f->rcx, f->rdx, f->rbx, f->rsp, f->rbp, f->rsi, f->rdi, f->r8,
                                   f->r9, f->r10, f->r11, f->r12, f->r13, f->r14, f->r15}};
    put(&REPORT->steps[n], &s, sizeof s);
    PUT(step_count, n + 1);
}

static void on_step(signal_frame *f)
{
    if (f->rip >= PLAN->trace_start && f->rip < PLAN->trace_end && REPORT->step_count < RUNNER_MAX_STEPS)
        record_step(f);
    if (f->rip == PLAN->trace_start)
        PUT(visits, REPORT->visits + 1);
    /* An instruction that the kernel executes in the block's place (SGDT) does not stop: at the end it leads
     * past it. */
    if (f->rip < PLAN->trace_entry || f->rip >= PLAN->trace_end || REPORT->step_count >= RUNNER_MAX_STEPS)
        f->eflags &= ~(uint64_t)FLAG_TRAP;
}

/* Where the block's physical pages begin in the data file. */
static uint64_t data_place(void)
{
    return (uint64_t)PLAN->place * RUNNER_MAX_DATA_PAGES * RUNNER_PAGE;
}

/* As the plan has it. Always by the block's own addresses: AMD's first-level cache predicts a line's way by
 * the address that it was last used by, and takes a load through another one for a miss at first. */
static void fill_page(uint64_t page)
{
    for (uint64_t at = page; at < page + RUNNER_PAGE; at += sizeof PLAN->image)
        memcpy((void *)at, PLAN->image, sizeof PLAN->image);
}

/* Maps the page of a faulting access to one of the block's physical pages: the first ones that it touches
 * have one each. @return 0 when it cannot be */
static int map_page(uint64_t address)
{
    const uint64_t page = address & ~(uint64_t)(RUNNER_PAGE - 1);
    const uint32_t n = REPORT->fault_count;
    if (page < RUNNER_BOTTOM || (page >= RUNNER_BASE && page < RUNNER_END) || page >= RUNNER_TOP)
        return 0;
    for (uint32_t i = 0; i < n; i++)
        if (REPORT->faults[i] == page)
            return 0;
    if (n >= PLAN->max_faults || n >= RUNNER_MAX_FAULTS)
        fail(RUNNER_FAILED_FAULTS, address, 0);
    const uint64_t physical = data_place() + n % PLAN->data_pages * RUNNER_PAGE;
    if (map(page, RUNNER_PAGE, PROT_RW, MAP_SHARED_FIXED, RUNNER_DATA_FD, physical) < 0)
        return 0;
    if (n < PLAN->data_pages)
        fill_page(page);
    put(&REPORT->faults[n], &page, sizeof page);
    PUT(fault_count, n + 1);
    return 1;
}

static void on_signal(int number, signal_info *info, signal_frame *f)
{
    if (number == SIGTRAP_ && REPORT->stage == RUNNER_STAGE_TRACE && (f->eflags & FLAG_TRAP)) {
        on_step(f);
        return;
    }
    int fetch = number == SIGSEGV_ && info->code != SI_KERNEL_ && (f->error & FAULT_IS_FETCH);
    if (number == SIGSEGV_ && info->code != SI_KERNEL_ && !fetch && map_page(info->address))
        return;
    PUT(code, (uint32_t)info->code);
    PUT(rip, f->rip);
    fail(fetch ? RUNNER_FAILED_FETCH : RUNNER_FAILED_SIGNAL, info->address, (uint32_t)number);
}

void runner_restore(void);
__asm__(".text\n.globl runner_restore\nrunner_restore:\n mov $15, %eax\n syscall\n");

static void set_up_signals(void)
{
    enum {
        ON_STACK_WITH_INFO_AND_RESTORER = 0x08000000 | 0x04000000 | 4
    };
    static const int numbers[] = {SIGSEGV_, SIGBUS_, SIGILL_, SIGFPE_, SIGTRAP_};
    uint64_t stack[3] = {RUNNER_STACK + RUNNER_STACK_BYTES, 0, RUNNER_SIGNAL_STACK_BYTES};
    need(call6(SYS_sigaltstack, (uint64_t)stack, 0, 0, 0, 0, 0), RUNNER_CALL_SIGNALS);
    kernel_sigaction action = {on_signal, ON_STACK_WITH_INFO_AND_RESTORER, runner_restore, 0};
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
        need(call6(SYS_rt_sigaction, (uint64_t)numbers[i], (uint64_t)&action, 0, 8, 0, 0),
             RUNNER_CALL_SIGNALS);
}

/* ---- performance counters ---- */

static struct perf_event_mmap_page *counters[RUNNER_MAX_EVENTS] __attribute__((aligned(RUNNER_PAGE)));

static void open_counters(void)
{
    int leader = -1;
    for (uint32_t i = 0; i < PLAN->event_count && i < RUNNER_MAX_EVENTS; i++) {
        long fd =
            call6(SYS_perf_event_open, (uint64_t)PLAN->events[i], 0, (uint64_t)-1, (uint64_t)leader, 0, 0);
        need(fd, RUNNER_CALL_PERF);
        long page = call6(SYS_mmap, 0, RUNNER_PAGE, 1, 1, (uint64_t)fd, 0);
        need(page, RUNNER_CALL_PERF);
        uint64_t place = RUNNER_STACK + 0x1000000 + i * RUNNER_PAGE;
        need(call6(SYS_mremap, (uint64_t)page, RUNNER_PAGE, RUNNER_PAGE, 3, place, 0), RUNNER_CALL_PERF);
        counters[i] = (struct perf_event_mmap_page *)place;
        if (i == 0)
            leader = (int)fd;
    }
}

/* rdpmc's argument for an event; UINT32_MAX while it is not on the processor. */
static uint32_t counter_index(uint32_t event)
{
    volatile struct perf_event_mmap_page *page = counters[event];
    return page->cap_user_rdpmc && page->index ? page->index - 1 : UINT32_MAX;
}

/* ---- running generated code ---- */

/* Memory as the plan has it, in the caches and the TLB. Each physical page belongs to the first page that led
 * to it; of the others only the translation is fetched, before. */
static void prepare_memory(void)
{
    const uint32_t n = REPORT->fault_count, own = n < PLAN->data_pages ? n : PLAN->data_pages;
    for (uint32_t i = 0; i < own; i++)
        fill_page(REPORT->faults[i]);
    for (uint32_t i = n; i-- > 0;) {
        const volatile uint8_t *page = (const volatile uint8_t *)REPORT->faults[i];
        for (uint32_t at = 0; at < (i < own ? RUNNER_PAGE : 1); at += 64)
            (void)page[at];
    }
}

/* Enters generated code. What it finds in memory that the block can write is written here. */
static _Noreturn void enter(uint64_t token)
{
    /* Where both runs are one loop the short one warms the caches for both. */
    const int same_code = PLAN->runs[0].entry == PLAN->runs[1].entry;
    const int is_short = !(token & RUNNER_TOKEN_LONG) || (same_code && (token & RUNNER_TOKEN_WARM));
    const runner_run *r = &PLAN->runs[!is_short];
    const int trace = (token & RUNNER_TOKEN_TRACE) != 0;
    START->home[0] = 0;
    START->home[1] = token;
    START->counter = (uint32_t)(token >> RUNNER_TOKEN_COUNTER);
    START->flags = PLAN->context.flags | (trace ? FLAG_TRAP : 0);
    const uint64_t more = (uint32_t)token / RUNNER_TOKEN_MORE * PLAN->more;
    START->iterations = trace ? PLAN->trace_iterations : (r->iterations + more) & PLAN->counter_bits;
    START->after_sled = r->timed;
    START->laps = r->laps;
    prepare_memory();
    __asm__ volatile("mov %0, %%rsp\n jmp *%1"
                     :
                     : "r"((uint64_t)STACK), "r"(trace ? PLAN->trace_entry : r->entry)
                     : "memory");
    __builtin_unreachable();
}

/* Runs the block as the token says. @return ticks, or counts of the token's event, of the run that is timed;
 * UINT64_MAX when the counter was not on the processor */
uint64_t runner_run_block(uint64_t token);
__asm__(".text\n"
        ".globl runner_run_block\n"
        "runner_run_block:\n"
        " push %rbx\n push %rbp\n push %r12\n push %r13\n push %r14\n push %r15\n"
        " mov %rsp, %rsi\n"
        " jmp runner_leave_stack\n");

/* The former stack pointer is kept in the stack's last bytes, and so in the report's. */
#define STACK_WAS (STACK - sizeof(uint64_t))

_Noreturn void runner_leave_stack(uint64_t token, uint64_t rsp);
_Noreturn void runner_leave_stack(uint64_t token, uint64_t rsp)
{
    const uint64_t used = STACK - rsp;
    if (used > RUNNER_KEPT_STACK)
        fail(RUNNER_FAILED_SYSTEM, RUNNER_CALL_NONE, 0);
    *(volatile uint64_t *)STACK_WAS = rsp;
    put(&REPORT->stack[RUNNER_KEPT_STACK - used], (const void *)rsp, used);
    enter(token);
}

static _Noreturn void come_back(uint64_t ticks)
{
    const uint64_t kept_end = (uint64_t)REPORT->stack + RUNNER_KEPT_STACK;
    const uint64_t rsp = *(const uint64_t *)(kept_end - sizeof rsp);
    __asm__ volatile("mov %%rdi, %%rsp\n rep movsb\n"
                     " pop %%r15\n pop %%r14\n pop %%r13\n pop %%r12\n pop %%rbp\n pop %%rbx\n ret\n"
                     :
                     : "a"(ticks), "D"(rsp), "S"(kept_end - (STACK - rsp)), "c"(STACK - rsp)
                     : "memory");
    __builtin_unreachable();
}

/* Where generated code goes at its end: see RUNNER_RETURN and put_return (codegen.c). */
_Noreturn __attribute__((used)) void runner_resume(uint64_t end, uint64_t start, uint64_t token);
_Noreturn void runner_resume(uint64_t end, uint64_t start, uint64_t token)
{
    const uint32_t event = (uint32_t)token / RUNNER_TOKEN_EVENT % RUNNER_MAX_EVENTS;
    if (token & RUNNER_TOKEN_WARM) {
        const uint32_t counter = PLAN->event_count ? counter_index(event) : 0;
        if (counter == UINT32_MAX)
            come_back(UINT64_MAX);
        enter((uint64_t)counter << RUNNER_TOKEN_COUNTER | ((uint32_t)token & ~(uint32_t)RUNNER_TOKEN_WARM));
    }
    uint64_t ticks = end - start;
    if (PLAN->event_count) { /* a counter is narrower than 64 bits */
        unsigned unused = 64u - counters[event]->pmc_width;
        ticks = unused < 64 ? ticks << unused >> unused : ticks;
    }
    come_back(ticks);
}

/* Ticks, or counts of event `event`, of a run whose code an untimed one has just brought into the instruction
 * cache. */
static uint64_t time_run(int is_long, uint32_t event, uint32_t more)
{
    return runner_run_block((uint64_t)more * RUNNER_TOKEN_MORE | event * RUNNER_TOKEN_EVENT |
                            RUNNER_TOKEN_WARM | (is_long ? RUNNER_TOKEN_LONG : 0));
}

static uint32_t clamp(uint64_t ticks)
{
    return ticks > UINT32_MAX ? UINT32_MAX : (uint32_t)ticks;
}

/* @return whether it was taken */
static int take_run(runner_sample *s, int is_long, uint32_t more)
{
    if (PLAN->rulers_only)
        return 1;
    uint64_t ticks = time_run(is_long, 0, more);
    s->run[is_long] = clamp(ticks);
    return ticks != UINT64_MAX;
}

/* @return whether it was taken: it is not when something disturbs the core, or has taken the counter away */
static int take_sample(runner_sample *s, int long_first, uint32_t more)
{
    s->more = PLAN->more ? more : 0;
    rulers_take_chains(s, PLAN->measure_adds);
    return rulers_take_canaries(s, 0, PLAN->limits, PLAN->slack) && take_run(s, long_first, more) &&
           rulers_take_canaries(s, 1, PLAN->limits, PLAN->slack) && take_run(s, !long_first, more) &&
           rulers_take_canaries(s, 2, PLAN->limits, PLAN->slack);
}

static void count_events(uint64_t sums[2][RUNNER_MAX_EVENTS])
{
    for (uint32_t event = 1; event < PLAN->event_count; event++)
        for (int is_long = 0; is_long < 2; is_long++) {
            uint64_t count = time_run(is_long, event, 0);
            sums[is_long][event] += count != UINT64_MAX ? count : 0;
        }
}

static void discover(void)
{
    enum {
        ENOUGH = 4 /* each run may meet other pages than the one before, where memory changed its way */
    };
    for (int i = 0; i < ENOUGH; i++) {
        const uint32_t before = REPORT->fault_count;
        runner_run_block(0);
        if (i == 0)
            PUT(short_faults, REPORT->fault_count);
        runner_run_block(RUNNER_TOKEN_LONG | RUNNER_MOST_MORE * RUNNER_TOKEN_MORE);
        if (REPORT->fault_count == before)
            return;
    }
}

/* By chance, the same each time. */
static uint32_t draw_more(uint32_t *state)
{
    *state = *state * 1103515245u + 12345u;
    return (*state >> 16) % (RUNNER_MOST_MORE + 1);
}

static void time_block(void)
{
    enum {
        AT_ONCE = 16 /* samples that are written to the report; until then they are kept with the stack */
    };
    uint64_t sums[2][RUNNER_MAX_EVENTS] = {{0}};
    uint32_t wanted = PLAN->sample_count < RUNNER_MAX_SAMPLES ? PLAN->sample_count : RUNNER_MAX_SAMPLES;
    uint32_t taken = 0, attempts = 0, waiting = 0, chance = 0;
    runner_sample samples[AT_ONCE] = {0};
    for (uint32_t i = 0; i < PLAN->warm_ups; i++)
        take_sample(&samples[0], i & 1, draw_more(&chance));
    while (attempts < PLAN->attempts && taken < wanted) {
        attempts++;
        if (!take_sample(&samples[waiting], taken & 1, draw_more(&chance)))
            continue;
        count_events(sums);
        taken++;
        if (++waiting == AT_ONCE || taken == wanted) {
            if (waiting)
                put(&REPORT->samples[taken - waiting], samples, waiting * sizeof *samples);
            waiting = 0;
        }
    }
    if (waiting)
        put(&REPORT->samples[taken - waiting], samples, waiting * sizeof *samples);
    if (PLAN->event_count) {
        put(REPORT->event_short, sums[0], sizeof sums[0]);
        put(REPORT->event_long, sums[1], sizeof sums[1]);
    }
    PUT(attempts_made, attempts);
    PUT(samples_taken, taken);
}

/* ---- set-up ---- */

static void empty_memory(void)
{
    need(call6(SYS_munmap, 0, RUNNER_BASE, 0, 0, 0, 0), RUNNER_CALL_MUNMAP);
    need(call6(SYS_munmap, RUNNER_END, RUNNER_TOP - RUNNER_END, 0, 0, 0, 0), RUNNER_CALL_MUNMAP);
}

/* Memory of the block's own. A kernel without huge pages refuses the advice: then there are none. */
static void map_arrays(void)
{
    for (uint32_t i = 0; i < PLAN->array_count && i < RUNNER_MAX_ARRAYS; i++) {
        const runner_array *a = &PLAN->arrays[i];
        need(map(a->address, a->bytes, PROT_RW, MAP_PRIVATE_FIXED_ANONYMOUS, -1, 0), RUNNER_CALL_MMAP);
        call6(SYS_madvise, a->address, a->bytes, PLAN->huge_arrays ? MADV_HUGE : MADV_NO_HUGE, 0, 0, 0);
        for (uint64_t at = 0; at < a->bytes; at += RUNNER_PAGE)
            fill_page(a->address + at);
    }
}

static void lock(const void *start, uint64_t size)
{
    need(call6(SYS_mprotect, (uint64_t)start, (size + RUNNER_PAGE - 1) & ~(uint64_t)(RUNNER_PAGE - 1), PROT_R,
               0, 0, 0),
         RUNNER_CALL_MPROTECT);
}

/* All variables of this program are written during set-up, and are read-only from then on. */
static void lock_memory(void)
{
    lock(counters, sizeof counters);
    lock(ring, sizeof ring);
    need(call6(SYS_close, RUNNER_PLAN_FD, 0, 0, 0, 0, 0), RUNNER_CALL_CLOSE);
}

static void shut_in(void)
{
    struct sock_fprog program = {(uint16_t)PLAN->filter_length, (struct sock_filter *)PLAN->filter};
    need(call6(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, (uint64_t)&program, 0, 0, 0), RUNNER_CALL_SECCOMP);
}

void runner_main(void);
void runner_main(void)
{
    empty_memory();
    map_arrays();
    need(map(RUNNER_START, RUNNER_PAGE, PROT_RW, MAP_PRIVATE_FIXED_ANONYMOUS, -1, 0), RUNNER_CALL_MMAP);
    rulers_prepare();
    set_up_signals();
    open_counters();
    need(call6(SYS_arch_prctl, ARCH_SET_FS_, PLAN->fs_base, 0, 0, 0, 0), RUNNER_CALL_SEGMENTS);
    need(call6(SYS_arch_prctl, ARCH_SET_GS_, PLAN->gs_base, 0, 0, 0, 0), RUNNER_CALL_SEGMENTS);
    lock_memory();
    shut_in();
    PUT(stage, RUNNER_STAGE_DISCOVER);
    if (!PLAN->rulers_only)
        discover();
    if (PLAN->trace_entry) {
        PUT(stage, RUNNER_STAGE_TRACE);
        runner_run_block(RUNNER_TOKEN_TRACE);
    }
    PUT(stage, RUNNER_STAGE_TIME);
    time_block();
    PUT(stage, RUNNER_STAGE_DONE);
    leave();
}

/* Plan, report and a stack have to be there before C can run: the first stack goes with the rest. */
static _Noreturn __attribute__((used)) void start(void)
{
    if (map(RUNNER_REPORT, sizeof(runner_report), PROT_R, MAP_SHARED_FIXED, RUNNER_REPORT_FD, 0) < 0 ||
        map(RUNNER_PLAN, RUNNER_CODE_OFFSET, PROT_R, MAP_SHARED_FIXED, RUNNER_PLAN_FD, 0) < 0)
        leave();
    need(map(RUNNER_CODE, RUNNER_CODE_BYTES, PROT_RX, MAP_SHARED_FIXED, RUNNER_PLAN_FD,
             RUNNER_CODE_OFFSET + (uint64_t)PLAN->place * RUNNER_CODE_BYTES),
         RUNNER_CALL_MMAP);
    need(map(RUNNER_STACK, RUNNER_STACK_BYTES + RUNNER_SIGNAL_STACK_BYTES, PROT_RW,
             MAP_PRIVATE_FIXED_ANONYMOUS, -1, 0),
         RUNNER_CALL_MMAP);
    /* The last bytes of the stack are runner_leave_stack's. */
    __asm__ volatile("mov %0, %%rsp\n call runner_main\n ud2" : : "r"((uint64_t)STACK - 16));
    __builtin_unreachable();
}

extern const uint64_t runner_stack_end;
const uint64_t runner_stack_end = STACK;

/* The second half is where generated code goes at its end: RUNNER_RETURN. */
_Static_assert(RUNNER_RETURN == 64, "as below");
__asm__(".text\n.p2align 6\n.globl _start\n_start:\n xor %ebp, %ebp\n and $-16, %rsp\n call start\n ud2\n"
        ".p2align 6\n"
        " mov %rax, %rdi\n mov %rdx, %rsi\n mov %rcx, %rdx\n"
        " mov runner_stack_end(%rip), %rsp\n"
        " push $2\n popfq\n call runner_resume\n ud2\n");
