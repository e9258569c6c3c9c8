/* runner.c - the program in which a block runs: empties its memory, shuts itself in, finds the pages that the
 * block touches, and times it.
 *
 * It is freestanding, linked to one fixed address, and carried inside the library. Method: BHive (IISWC
 * 2019), section III, and the uiCA paper, section 5.3. Timed code is straight from the plan (codegen.c); this
 * file has no x86 decoder and takes no decisions about the result. */
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/syscall.h>

#include "measure/rulers.h"

/* All within one image at a fixed address: no tables for a dynamic linker. */
#pragma GCC visibility push(hidden)

#define CONTROL ((runner_control *)RUNNER_CONTROL)

enum { /* of the kernel's interface; its headers do not stand beside libc's */
    PROT_RW = 3,
    PROT_RX = 5,
    MAP_SHARED_FIXED = 0x11,
    MAP_PRIVATE_FIXED_ANONYMOUS = 0x32,
    ARCH_SET_GS_ = 0x1001,
    ARCH_SET_FS_ = 0x1002,
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

static _Noreturn void leave(void)
{
    for (;;)
        call6(SYS_exit_group, 0, 0, 0, 0, 0, 0);
}

static _Noreturn void fail(uint32_t failure, uint64_t address, uint32_t detail)
{
    CONTROL->failure = failure;
    CONTROL->address = address;
    CONTROL->detail = detail;
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

static void record_step(runner_control *c, const signal_frame *f)
{
    runner_step *s = &c->steps[c->step_count++];
    *s = (runner_step){.rip = f->rip,
                       .gpr = {f->rax, f->rcx, f->rdx, f->rbx, f->rsp, f->rbp, f->rsi, f->rdi, f->r8, f->r9,
                               f->r10, f->r11, f->r12, f->r13, f->r14, f->r15}};
}

static void on_step(runner_control *c, signal_frame *f)
{
    if (f->rip >= c->trace_start && f->rip < c->trace_end && c->step_count < RUNNER_MAX_STEPS)
        record_step(c, f);
    c->visits += f->rip == c->trace_start;
    if (f->rip == c->trace_end || c->step_count >= RUNNER_MAX_STEPS)
        f->eflags &= ~(uint64_t)FLAG_TRAP;
}

/* Where the block's physical pages begin in the data file. */
static uint64_t data_place(const runner_control *c)
{
    return (uint64_t)c->place * RUNNER_MAX_DATA_PAGES * RUNNER_PAGE;
}

/* Maps the page of a faulting access to one of the block's physical pages. @return 0 when it cannot be */
static int map_page(runner_control *c, uint64_t address)
{
    uint64_t page = address & ~(uint64_t)(RUNNER_PAGE - 1);
    if (page < RUNNER_BOTTOM || (page >= RUNNER_BASE && page < RUNNER_END) || page >= RUNNER_TOP)
        return 0;
    for (uint32_t i = 0; i < c->fault_count; i++)
        if (c->faults[i] == page)
            return 0;
    if (c->fault_count >= c->max_faults || c->fault_count >= RUNNER_MAX_FAULTS)
        fail(RUNNER_FAILED_FAULTS, address, 0);
    uint64_t physical = data_place(c) + page / RUNNER_PAGE % c->data_pages * RUNNER_PAGE;
    if (map(page, RUNNER_PAGE, PROT_RW, MAP_SHARED_FIXED, RUNNER_DATA_FD, physical) < 0)
        return 0;
    c->faults[c->fault_count++] = page;
    return 1;
}

static void on_signal(int number, signal_info *info, signal_frame *f)
{
    runner_control *c = CONTROL;
    if (number == SIGTRAP_ && c->stage == RUNNER_STAGE_TRACE && (f->eflags & FLAG_TRAP)) {
        on_step(c, f);
        return;
    }
    int fetch = number == SIGSEGV_ && info->code != SI_KERNEL_ && (f->error & FAULT_IS_FETCH);
    if (number == SIGSEGV_ && info->code != SI_KERNEL_ && !fetch && map_page(c, info->address))
        return;
    c->code = (uint32_t)info->code;
    c->rip = f->rip;
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

static struct perf_event_mmap_page *counters[RUNNER_MAX_EVENTS];

static void open_counters(runner_control *c)
{
    int leader = -1;
    for (uint32_t i = 0; i < c->event_count && i < RUNNER_MAX_EVENTS; i++) {
        long fd = call6(SYS_perf_event_open, (uint64_t)c->events[i], 0, (uint64_t)-1, (uint64_t)leader, 0, 0);
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

/* Keeps the registers that the caller needs, and comes back through runner_return, wherever the stack pointer
 * is then. */
void runner_enter(uint64_t entry);
extern const char runner_return[];
__asm__(".text\n"
        ".globl runner_enter\n"
        "runner_enter:\n"
        " push %rbx\n push %rbp\n push %r12\n push %r13\n push %r14\n push %r15\n"
        " sub $8, %rsp\n"
        " stmxcsr (%rsp)\n"
        " mov %rsp, runner_saved_rsp(%rip)\n"
        " jmp *%rdi\n"
        ".globl runner_return\n"
        "runner_return:\n"
        " mov runner_saved_rsp(%rip), %rsp\n"
        " push $2\n"
        " popfq\n"
        " ldmxcsr (%rsp)\n"
        " add $8, %rsp\n"
        " pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbp\n pop %rbx\n"
        " ret\n");
uint64_t runner_saved_rsp;

static void copy_lines(uint8_t *to, const uint8_t *from, uint64_t size)
{
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
}

static void fill_memory(runner_control *c)
{
    copy_lines((uint8_t *)RUNNER_DATA, c->image, (uint64_t)c->data_pages * RUNNER_PAGE);
}

/* Memory as the plan has it, in the caches and the TLB. */
static void prepare_memory(runner_control *c)
{
    if (!c->fault_count)
        return;
    fill_memory(c);
    uint32_t whole = c->fault_count <= c->data_pages ? c->fault_count : 0;
    for (uint32_t i = 0; i < c->fault_count; i++) {
        volatile uint8_t *page = (volatile uint8_t *)c->faults[i];
        for (uint32_t at = 0; at < (i < whole ? RUNNER_PAGE : 1); at += 64)
            (void)page[at];
    }
}

static void run(runner_control *c, const runner_run *r)
{
    prepare_memory(c);
    if (c->counter == RUNNER_COUNTER_MEMORY)
        c->context.loop_count = r->iterations;
    else if (c->counter < 16)
        c->context.gpr[c->counter] = r->iterations;
    c->context.after_sled = r->timed;
    runner_enter(r->entry);
}

static uint64_t reading(const uint32_t *half)
{
    return (uint64_t)half[1] << 32 | half[0];
}

/* Ticks, or counts of event `event`, of a run whose code an untimed one has just brought into the instruction
 * cache. */
static uint64_t time_run(runner_control *c, const runner_run *r, uint32_t event)
{
    run(c, r);
    if (c->event_count) {
        c->context.counter = counter_index(event);
        if (c->context.counter == UINT32_MAX) {
            c->unscheduled++;
            return 0;
        }
    }
    run(c, r);
    uint64_t ticks = reading(c->context.end) - reading(c->context.start);
    if (c->event_count) { /* a counter is narrower than 64 bits */
        unsigned unused = 64u - counters[event]->pmc_width;
        ticks = unused < 64 ? ticks << unused >> unused : ticks;
    }
    return ticks;
}

static uint32_t clamp(uint64_t ticks)
{
    return ticks > UINT32_MAX ? UINT32_MAX : (uint32_t)ticks;
}

/* @return whether it was taken: it is not when something disturbs the core, or has taken the counter away */
static int take_sample(runner_control *c, runner_sample *s, int long_first)
{
    const uint32_t unscheduled = c->unscheduled;
    rulers_take_chains(s, c->measure_adds);
    if (!rulers_take_canaries(s, 0, c->limits, c->slack))
        return 0;
    if (!c->rulers_only)
        s->run[long_first] = clamp(time_run(c, &c->runs[long_first], 0));
    if (!rulers_take_canaries(s, 1, c->limits, c->slack))
        return 0;
    if (!c->rulers_only)
        s->run[!long_first] = clamp(time_run(c, &c->runs[!long_first], 0));
    return rulers_take_canaries(s, 2, c->limits, c->slack) && c->unscheduled == unscheduled;
}

static void count_events(runner_control *c)
{
    for (uint32_t event = 1; event < c->event_count; event++) {
        c->event_short[event] += time_run(c, &c->runs[0], event);
        c->event_long[event] += time_run(c, &c->runs[1], event);
    }
}

static void discover(runner_control *c)
{
    enum {
        ENOUGH = 4 /* each run may meet other pages than the one before, where memory changed its way */
    };
    for (int i = 0; i < ENOUGH; i++) {
        uint32_t before = c->fault_count;
        run(c, &c->runs[1]);
        run(c, &c->runs[0]);
        if (c->fault_count == before)
            return;
    }
}

static void trace(runner_control *c)
{
    c->stage = RUNNER_STAGE_TRACE;
    prepare_memory(c);
    uint64_t flags = c->context.flags;
    c->context.flags |= FLAG_TRAP;
    if (c->counter < 16)
        c->context.gpr[c->counter] = c->trace_iterations;
    runner_enter(c->trace_entry);
    c->context.flags = flags;
}

static void time_block(runner_control *c)
{
    c->stage = RUNNER_STAGE_TIME;
    uint32_t wanted = c->sample_count < RUNNER_MAX_SAMPLES ? c->sample_count : RUNNER_MAX_SAMPLES;
    for (uint32_t i = 0; i < c->warm_ups; i++)
        take_sample(c, &c->samples[0], i & 1);
    uint32_t taken = 0;
    for (uint32_t i = 0; i < c->attempts && taken < wanted; i++) {
        c->attempts_made = i + 1;
        if (!take_sample(c, &c->samples[taken], taken & 1))
            continue;
        count_events(c);
        c->samples_taken = ++taken;
    }
}

/* ---- set-up ---- */

static void empty_memory(void)
{
    need(call6(SYS_munmap, 0, RUNNER_BASE, 0, 0, 0, 0), RUNNER_CALL_MUNMAP);
    need(call6(SYS_munmap, RUNNER_END, RUNNER_TOP - RUNNER_END, 0, 0, 0, 0), RUNNER_CALL_MUNMAP);
}

static void shut_in(runner_control *c)
{
    struct sock_fprog program = {(uint16_t)c->filter_length, (struct sock_filter *)c->filter};
    need(call6(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, (uint64_t)&program, 0, 0, 0), RUNNER_CALL_SECCOMP);
}

void runner_main(void);
void runner_main(void)
{
    runner_control *c = CONTROL;
    empty_memory();
    c->context.return_address = (uint64_t)runner_return;
    need(map(RUNNER_DATA, (uint64_t)c->data_pages * RUNNER_PAGE, PROT_RW, MAP_SHARED_FIXED, RUNNER_DATA_FD,
             data_place(c)),
         RUNNER_CALL_MMAP);
    rulers_prepare();
    set_up_signals();
    open_counters(c);
    need(call6(SYS_arch_prctl, ARCH_SET_FS_, c->fs_base, 0, 0, 0, 0), RUNNER_CALL_SEGMENTS);
    need(call6(SYS_arch_prctl, ARCH_SET_GS_, c->gs_base, 0, 0, 0, 0), RUNNER_CALL_SEGMENTS);
    shut_in(c);
    c->stage = RUNNER_STAGE_SET_UP;
    fill_memory(c); /* an earlier block's is there */
    if (!c->rulers_only) {
        c->stage = RUNNER_STAGE_DISCOVER;
        discover(c);
        if (c->trace_entry)
            trace(c);
    }
    time_block(c);
    c->stage = RUNNER_STAGE_DONE;
    leave();
}

/* The control area and a stack have to be there before C can run: the first stack goes with the rest. */
static _Noreturn __attribute__((used)) void start(void)
{
    if (map(RUNNER_CONTROL, RUNNER_CODE_OFFSET, PROT_RW, MAP_SHARED_FIXED, RUNNER_CONTROL_FD, 0) < 0)
        leave();
    need(map(RUNNER_CODE, RUNNER_CODE_BYTES, PROT_RX, MAP_SHARED_FIXED, RUNNER_CONTROL_FD,
             RUNNER_CODE_OFFSET + (uint64_t)CONTROL->place * RUNNER_CODE_BYTES),
         RUNNER_CALL_MMAP);
    need(map(RUNNER_STACK, RUNNER_STACK_BYTES + RUNNER_SIGNAL_STACK_BYTES, PROT_RW,
             MAP_PRIVATE_FIXED_ANONYMOUS, -1, 0),
         RUNNER_CALL_MMAP);
    __asm__ volatile("mov %0, %%rsp\n call runner_main\n ud2"
                     :
                     : "r"((uint64_t)RUNNER_STACK + RUNNER_STACK_BYTES));
    __builtin_unreachable();
}

__asm__(".text\n.globl _start\n_start:\n xor %ebp, %ebp\n and $-16, %rsp\n call start\n ud2\n");
