/* steps_run.c - executes single instructions in a process of their own.
 *
 * The process is always in its signal handler: that writes down what the latest instruction left, puts the
 * next one in place, and returns with that instruction's state in the signal's frame and the trap flag set. A
 * filter of system calls knows those that come from the instruction. */
#include <cpuid.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "steps.h"

enum {
    STACK_BYTES = 1 << 18,
    SECONDS = 10, /* for one instruction, on a busy machine */
    FLAG_TRAP = 0x100,
    FLAG_RESUME = 0x10000,
    FAULT_IS_FETCH = 0x10
};

/* The signal's frame has the state as XSAVE writes it (Intel SDM, volume 1, section 13.4): places of what is
 * in it, and the components' numbers. */
enum {
    X87 = 0,
    SSE = 1,
    UPPER_YMM = 2,
    MASKS = 5,
    UPPER_ZMM = 6,
    LATER_ZMM = 7,
    COMPONENTS = 8,
    MXCSR_AT = 24,
    ST_AT = 32,
    XMM_AT = 160,
    SOFTWARE_AT = 464,
    HEADER_AT = 512,
    SOFTWARE_MAGIC = 0x46505853
};

typedef struct steps_shared {
    volatile uint32_t next;
    uint32_t count;
    steps_case cases[STEPS_BATCH];
} steps_shared;

static steps_shared *shared;
static uint8_t *code, *stack;
static uint32_t places[COMPONENTS];
static bool running;

/* ---- the frame ---- */

/* Which components the frame has; *in_use: which of them are not as after a reset. */
static uint64_t components(const uint8_t *frame, uint64_t **in_use)
{
    uint32_t magic;
    uint64_t features = 1u << X87 | 1u << SSE;
    memcpy(&magic, frame + SOFTWARE_AT, sizeof magic);
    *in_use = NULL;
    if (magic != SOFTWARE_MAGIC)
        return features;
    memcpy(&features, frame + SOFTWARE_AT + 8, sizeof features);
    *in_use = (uint64_t *)(frame + HEADER_AT);
    return features;
}

static void copy_parts(uint8_t *frame, uint64_t which, steps_state *s, bool to_frame)
{
    struct {
        unsigned component, place, step, count, size;
        uint8_t *state;
        size_t state_step;
    } parts[] = {
        {X87, ST_AT, 16, 8, 10, s->x87[0], 10},
        {SSE, XMM_AT, 16, 16, 16, s->vectors[0], 64},
        {UPPER_YMM, places[UPPER_YMM], 16, 16, 16, s->vectors[0] + 16, 64},
        {UPPER_ZMM, places[UPPER_ZMM], 32, 16, 32, s->vectors[0] + 32, 64},
        {LATER_ZMM, places[LATER_ZMM], 64, 16, 64, s->vectors[16], 64},
        {MASKS, places[MASKS], 8, 8, 8, (uint8_t *)s->masks, 8},
    };
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++)
        for (unsigned i = 0; i < parts[p].count && which >> parts[p].component & 1; i++) {
            uint8_t *in_frame = frame + parts[p].place + (size_t)i * parts[p].step;
            uint8_t *in_state = parts[p].state + i * parts[p].state_step;
            memcpy(to_frame ? in_frame : in_state, to_frame ? in_state : in_frame, parts[p].size);
        }
}

static void save_vectors(uint8_t *frame, steps_state *s)
{
    uint64_t *in_use, which = components(frame, &in_use);
    if (in_use)
        which &= *in_use;
    memcpy(&s->mxcsr, frame + MXCSR_AT, sizeof s->mxcsr);
    s->x87_control = 0x37f; /* as after FNINIT, the rest zero */
    if (which >> X87 & 1) {
        memcpy(&s->x87_control, frame, sizeof s->x87_control);
        memcpy(&s->x87_status, frame + 2, sizeof s->x87_status);
        s->x87_tags = frame[4];
    }
    copy_parts(frame, which, s, false);
}

static void load_vectors(uint8_t *frame, steps_state *s)
{
    uint64_t *in_use, which = components(frame, &in_use) & ((1u << COMPONENTS) - 1);
    if (in_use)
        *in_use |= which & (1u << X87 | 1u << SSE | 1u << UPPER_YMM | 7u << MASKS);
    memcpy(frame + MXCSR_AT, &s->mxcsr, sizeof s->mxcsr);
    memcpy(frame, &s->x87_control, sizeof s->x87_control);
    memcpy(frame + 2, &s->x87_status, sizeof s->x87_status);
    frame[4] = s->x87_tags;
    copy_parts(frame, which, s, true);
    memset(s->vectors, 0, sizeof s->vectors); /* what the processor does not have */
    memset(s->masks, 0, sizeof s->masks);
    copy_parts(frame, which, s, false);
}

static const int gregs[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                              REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

static void save(const ucontext_t *u, steps_state *s)
{
    memset(s, 0, sizeof *s);
    for (int i = 0; i < 16; i++)
        s->gpr[i] = (uint64_t)u->uc_mcontext.gregs[gregs[i]];
    s->rip = (uint64_t)u->uc_mcontext.gregs[REG_RIP];
    s->flags = (uint64_t)u->uc_mcontext.gregs[REG_EFL] & ~(uint64_t)(FLAG_TRAP | FLAG_RESUME);
    s->segments = (uint64_t)u->uc_mcontext.gregs[REG_CSGSFS];
    save_vectors((uint8_t *)u->uc_mcontext.fpregs, s);
}

static void load(ucontext_t *u, steps_state *s)
{
    for (int i = 0; i < 16; i++)
        u->uc_mcontext.gregs[gregs[i]] = (greg_t)s->gpr[i];
    s->segments = (uint64_t)u->uc_mcontext.gregs[REG_CSGSFS];
    u->uc_mcontext.gregs[REG_RIP] = (greg_t)s->rip;
    u->uc_mcontext.gregs[REG_EFL] = (greg_t)(s->flags | FLAG_TRAP);
    load_vectors((uint8_t *)u->uc_mcontext.fpregs, s);
}

/* ---- the process ---- */

/* A trap is lost where the kernel, or what is below it, does the instruction's work: then the next one, which
 * is not there, is what the signal is about. */
static steps_end end_of(int number, const ucontext_t *u)
{
    bool fetch = number == SIGSEGV && (u->uc_mcontext.gregs[REG_ERR] & FAULT_IS_FETCH) &&
                 (uint64_t)u->uc_mcontext.gregs[REG_CR2] == steps_next();
    bool moved_on = (uint64_t)u->uc_mcontext.gregs[REG_RIP] == steps_next();
    switch (number) {
    case SIGTRAP:
        return STEPS_STEPPED;
    case SIGSYS:
        return STEPS_SYSTEM_CALL;
    case SIGILL:
        return STEPS_UNKNOWN;
    default:
        return !fetch ? STEPS_FAULTED : moved_on ? STEPS_STEPPED : STEPS_FETCHES_MORE;
    }
}

static void on_signal(int number, siginfo_t *info, void *context)
{
    ucontext_t *u = context;
    (void)info;
    if (running) {
        steps_case *done = &shared->cases[shared->next];
        done->end = end_of(number, u);
        save(u, &done->after);
        shared->next++;
    }
    running = true;
    if (shared->next >= shared->count)
        _exit(0);
    steps_case *c = &shared->cases[shared->next];
    memcpy(code + STEPS_PAGE - c->insn.length, c->insn.bytes, c->insn.length);
    load(u, &c->before);
}

/* System calls whose instruction lies, or ends, in the page of the code. */
static int filter_calls(void)
{
    enum {
        LOW = offsetof(struct seccomp_data, instruction_pointer),
        HIGH = LOW + 4
    };
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, HIGH),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 4),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, LOW),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, STEPS_CODE, 0, 2),
        BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, STEPS_CODE + STEPS_PAGE, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof rules / sizeof *rules, rules};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

static _Noreturn void be_stepped(void)
{
    static const int numbers[] = {SIGTRAP, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGSYS};
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    stack_t alternative = {.ss_sp = stack, .ss_size = STACK_BYTES};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigfillset(&action.sa_mask);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaction(numbers[i], &action, NULL);
    if (sigaltstack(&alternative, NULL) || filter_calls())
        _exit(1);
    raise(SIGTRAP);
    _exit(1);
}

/* ---- its parent ---- */

/* Waits until the process has ended, or does not get on. */
static void wait_for(pid_t child, int *status)
{
    const struct timespec limit = {.tv_sec = SECONDS};
    sigset_t ended;
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    for (uint32_t at = UINT32_MAX; waitpid(child, status, WNOHANG) == 0;) {
        if (sigtimedwait(&ended, NULL, &limit) >= 0 || errno == EINTR)
            continue;
        if (shared->next == at) {
            kill(child, SIGKILL);
            waitpid(child, status, 0);
            return;
        }
        at = shared->next;
    }
}

int steps_run(unsigned count)
{
    shared->count = count;
    shared->next = 0;
    while (shared->next < count) {
        int status = 0;
        pid_t child = fork();
        if (child < 0)
            return -1;
        if (!child)
            be_stepped();
        wait_for(child, &status);
        if (WIFEXITED(status) && WEXITSTATUS(status))
            return -1;
        if (shared->next < count)
            shared->cases[shared->next++].end =
                WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL ? STEPS_HANGS : STEPS_LOST;
    }
    return 0;
}

steps_case *steps_cases(void)
{
    return shared->cases;
}

uint8_t *steps_scratch(void)
{
    return (uint8_t *)(uintptr_t)STEPS_SCRATCH;
}

static bool map_at(uint64_t address, size_t size, int prot, int fd)
{
    void *wanted = (void *)(uintptr_t)address;
    int flags = MAP_SHARED | MAP_FIXED_NOREPLACE | (fd < 0 ? MAP_ANONYMOUS : 0);
    return mmap(wanted, size, prot, flags, fd, 0) == wanted;
}

static void *map_shared(size_t size, int fd)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | (fd < 0 ? MAP_ANONYMOUS : 0), fd, 0);
    return p == MAP_FAILED ? NULL : p;
}

static void find_places(void)
{
    unsigned a, b, c, d;
    for (unsigned i = UPPER_YMM; i < COMPONENTS; i++)
        if (__get_cpuid_count(0xd, i, &a, &b, &c, &d))
            places[i] = b;
}

int steps_open(const char **why)
{
    sigset_t ended;
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ended, NULL);
    find_places();
    int fd = memfd_create("steps", MFD_CLOEXEC);
    *why = "no file for the code";
    if (fd < 0 || ftruncate(fd, STEPS_PAGE))
        return -1;
    *why = "the fixed addresses cannot be had";
    /* Two pages, of which the second stays empty, so that nothing comes to lie there. */
    if (!map_at(STEPS_CODE + STEPS_PAGE, STEPS_PAGE, PROT_NONE, -1) ||
        !map_at(STEPS_CODE, STEPS_PAGE, PROT_READ | PROT_EXEC, fd) ||
        !map_at(STEPS_SCRATCH, STEPS_SCRATCH_BYTES, PROT_READ | PROT_WRITE, -1))
        return -1;
    *why = "out of memory";
    code = map_shared(STEPS_PAGE, fd);
    stack = map_shared(STACK_BYTES, -1);
    shared = map_shared(sizeof *shared, -1);
    close(fd);
    return code && stack && shared ? 0 : -1;
}
