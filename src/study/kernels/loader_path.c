/* loader_path.c - the path through a region: in the object's own code from branch to branch, by breakpoints,
 * elsewhere step by step, by the trap flag; of a long region through stretches, which a timer begins. */
#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/seconds.h"
#include "study/kernels/loader_path.h"

/* Where this program's own code is: by the linker. */
extern const char __executable_start[], etext[];

static bool is_own(uint64_t address)
{
    return address >= (uint64_t)__executable_start && address < (uint64_t)etext;
}

#define TRAP_FLAG  0x100
#define BREAKPOINT 0xcc

static uint8_t *text;                            /* the object's code; NULL: it is stepped through, too */
static uint8_t first_bytes[LOADER_BRANCHES_MAX]; /* of branches, where breakpoints are */
static uint64_t came_in;                         /* where control came into the object's code */

static bool in_text(uint64_t address)
{
    return text && address - (uint64_t)text < control->text_size;
}

/* Before the next instruction of the trace. */
static void take_registers(const ucontext_t *u)
{
    static const int order[LOADER_REGISTERS] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                                                REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                                REG_R12, REG_R13, REG_R14, REG_R15};
    const uint64_t place = control->trace_count;
    if (place >= LOADER_TRACE_MAX || place < control->registers_count * LOADER_SNAPSHOT)
        return;
    loader_registers *r = &control->registers[control->registers_count++];
    r->place = place;
    for (int i = 0; i < LOADER_REGISTERS; i++)
        r->values[i] = (uint64_t)u->uc_mcontext.gregs[order[i]];
}

/* ---- stretches of it ---- */

static bool in_stretch;          /* breakpoints are set */
static double region_seconds;    /* of the first call's region; before its end: when it began */
static double resumed, free_for; /* the stretch that comes next: the time that passes before it */

/* Time of this thread, which others do not delay. */
static double seconds_used(void)
{
    return seconds_by(CLOCK_THREAD_CPUTIME_ID);
}

static bool is_long(void)
{
    return text && control->instructions > LOADER_TRACE_MAX;
}

static void set_breakpoints(bool set)
{
    for (uint64_t i = 0; text && set != in_stretch && i < control->text_size; i++) {
        const uint16_t number = control->text[i].branch;
        if (!number)
            continue;
        if (set)
            first_bytes[number] = text[i];
        text[i] = set ? BREAKPOINT : first_bytes[number];
    }
    in_stretch = set;
}

static void set_alarm(double seconds)
{
    const double least = 2e-6, s = seconds < least ? least : seconds; /* 0 would mean never */
    const struct itimerval t = {.it_value = {(time_t)s, (suseconds_t)((s - (double)(time_t)s) * 1e6)}};
    setitimer(ITIMER_REAL, &t, NULL);
}

/* A stretch begins somewhere in its share of the time. */
static void wait_for_stretch(void)
{
    const uint64_t number = control->stretch_count;
    const double share =
        region_seconds / LOADER_STRETCHES * (1 - (double)LOADER_TRACE_MAX / (double)control->instructions);
    if (number == LOADER_STRETCHES)
        return;
    free_for = share * ((number > 0) + loader_spread(number + 1) - loader_spread(number));
    resumed = seconds_used();
    set_alarm(free_for);
}

static void end_stretch(void)
{
    if (!in_stretch)
        return;
    set_breakpoints(false);
    if (control->stretch_count < LOADER_STRETCHES)
        control->stretch_ends[control->stretch_count++] = loader_traced(control);
}

/* In a handler, between two instructions. */
static void end_full_stretch(greg_t *g)
{
    const uint64_t each = LOADER_TRACE_MAX / LOADER_STRETCHES,
                   end = is_long() ? each * (control->stretch_count + 1) : LOADER_TRACE_MAX;
    if (control->trace_count < end)
        return;
    end_stretch();
    g[REG_EFL] &= ~(greg_t)TRAP_FLAG;
    if (is_long())
        wait_for_stretch();
}

static void on_alarm(int number, siginfo_t *info, void *context)
{
    greg_t *g = ((ucontext_t *)context)->uc_mcontext.gregs;
    const uint64_t rip = (uint64_t)g[REG_RIP];
    const double left = free_for - (seconds_used() - resumed), near = 2e-5;
    if (control->stage != LOADER_STAGE_REGION)
        return;
    if (left > near || is_own(rip)) {
        set_alarm(left > near ? left : near);
        return;
    }
    set_breakpoints(true);
    if (in_text(rip))
        came_in = rip;
    else
        g[REG_EFL] |= TRAP_FLAG;
}

static void note(uint64_t address)
{
    if (control->trace_count < LOADER_TRACE_MAX)
        control->trace[control->trace_count] = address;
    control->trace_count++;
}

static bool read_memory(uint64_t address, uint64_t *value, void *payload)
{
    memcpy(value, (const void *)address, sizeof *value);
    return true;
}

static bool write_memory(uint64_t address, uint64_t value, void *payload)
{
    memcpy((void *)address, &value, sizeof value);
    return true;
}

/* Does what the branch does whose first byte is a breakpoint. */
static void take_branch(const branch *b, uint64_t address, greg_t *g)
{
    static const branch_memory memory = {read_memory, write_memory, NULL};
    struct user_regs_struct r = {.rax = (uint64_t)g[REG_RAX],
                                 .rcx = (uint64_t)g[REG_RCX],
                                 .rdx = (uint64_t)g[REG_RDX],
                                 .rbx = (uint64_t)g[REG_RBX],
                                 .rsp = (uint64_t)g[REG_RSP],
                                 .rbp = (uint64_t)g[REG_RBP],
                                 .rsi = (uint64_t)g[REG_RSI],
                                 .rdi = (uint64_t)g[REG_RDI],
                                 .r8 = (uint64_t)g[REG_R8],
                                 .r9 = (uint64_t)g[REG_R9],
                                 .r10 = (uint64_t)g[REG_R10],
                                 .r11 = (uint64_t)g[REG_R11],
                                 .r12 = (uint64_t)g[REG_R12],
                                 .r13 = (uint64_t)g[REG_R13],
                                 .r14 = (uint64_t)g[REG_R14],
                                 .r15 = (uint64_t)g[REG_R15],
                                 .eflags = (uint64_t)g[REG_EFL]};
    if (!branch_take(b, address, &r, &memory))
        loader_fail("a branch of its region leads nowhere", "");
    g[REG_RIP] = (greg_t)r.rip;
    g[REG_RSP] = (greg_t)r.rsp;
    g[REG_RCX] = (greg_t)r.rcx;
}

/* At a breakpoint: what was executed since control came in is known. Outside of the object each step is seen.
 */
static void on_branch(ucontext_t *u)
{
    greg_t *g = u->uc_mcontext.gregs;
    const uint64_t address = (uint64_t)g[REG_RIP] - 1;
    while (came_in < address) {
        const uint8_t length = control->text[came_in - (uint64_t)text].length;
        if (!length)
            loader_fail("control came into the middle of an instruction", "");
        note(came_in);
        came_in += length;
    }
    take_registers(u);
    note(address);
    take_branch(&control->branches[control->text[address - (uint64_t)text].branch], address, g);
    came_in = (uint64_t)g[REG_RIP];
    if (!in_text(came_in))
        g[REG_EFL] |= TRAP_FLAG;
    end_full_stretch(g);
}

/* After an instruction, with the address of the next one, or at a breakpoint. */
static void on_trap(int number, siginfo_t *info, void *context)
{
    ucontext_t *u = context;
    greg_t *g = u->uc_mcontext.gregs;
    const uint64_t rip = (uint64_t)g[REG_RIP];
    if (is_own(rip))
        return;
    if (in_text(rip - 1) && info->si_code == SI_KERNEL) {
        on_branch(u);
        return;
    }
    take_registers(u);
    if (in_text(rip)) {
        came_in = rip;
        g[REG_EFL] &= ~(greg_t)TRAP_FLAG;
    } else {
        note(rip);
        end_full_stretch(g);
    }
}

void loader_find_text(void *object)
{
    const struct link_map *map;
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    if (!control->text_size || dlinfo(object, RTLD_DI_LINKMAP, &map))
        return;
    const uint64_t start = map->l_addr + control->text_address, first = start / page * page;
    if (!mprotect((void *)first, start + control->text_size - first, PROT_READ | PROT_WRITE | PROT_EXEC))
        text = (uint8_t *)start;
}

void loader_start_traced(void *payload)
{
    struct sigaction trap = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO},
                     timer = {.sa_sigaction = on_alarm, .sa_flags = SA_SIGINFO | SA_RESTART};
    control->stage = LOADER_STAGE_REGION;
    if (!timed) {
        region_seconds = seconds_used();
        return;
    }
    sigaddset(&trap.sa_mask, SIGALRM);
    sigaction(SIGTRAP, &trap, NULL);
    if (is_long()) {
        sigaction(SIGALRM, &timer, NULL);
        wait_for_stretch();
        return;
    }
    set_breakpoints(true);
    __asm__ volatile("pushfq\n orq %0, (%%rsp)\n popfq\n" : : "i"(TRAP_FLAG) : "cc", "memory");
}

void loader_stop_traced(void *payload)
{
    __asm__ volatile("pushfq\n andq %0, (%%rsp)\n popfq\n" : : "i"(~TRAP_FLAG) : "cc", "memory");
    control->stage = LOADER_STAGE_OUTSIDE;
    setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
    if (!timed)
        region_seconds = seconds_used() - region_seconds;
    else
        end_stretch();
}

/* The bytes at an address, as many as there are. */
static void read_code(loader_code *out, uint64_t address)
{
    const uint64_t page = 4096, first = page - address % page;
    size_t here = first < LOADER_INSN_BYTES ? (size_t)first : LOADER_INSN_BYTES;
    struct iovec to = {out->bytes, LOADER_INSN_BYTES};
    struct iovec from[] = {{(void *)address, here}, {(void *)(address + here), LOADER_INSN_BYTES - here}};
    ssize_t n = process_vm_readv(getpid(), &to, 1, from, here < LOADER_INSN_BYTES ? 2 : 1, 0);
    if (n <= 0) { /* the call may be forbidden; what was executed is there */
        memcpy(out->bytes, (const void *)address, here);
        n = (ssize_t)here;
    }
    out->address = address;
    out->size = (uint8_t)n;
}

void loader_collect_code(void)
{
    uint32_t used = 0;
    for (uint64_t i = 0; i < loader_traced(control); i++) {
        uint64_t address = control->trace[i];
        loader_code *code = &control->code[loader_find(control, address)];
        if (code->address)
            continue;
        if (++used > LOADER_CODE_MAX / 2)
            loader_fail("its region has too many different instructions to be stepped through", "");
        read_code(code, address);
    }
}
