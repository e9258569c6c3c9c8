/* windows.c - stepping a thread that stands (ptrace(2)), and telling observers before each step. */
#include <cpuid.h>
#include <elf.h>
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "base/mem.h"
#include "base/names.h"
#include "base/proc.h"
#include "base/seconds.h"
#include "binary/extract/branch.h"
#include "program/windows/windows.h"
#include "x86/decode/insn_struct.h"

/* ---- vectors and memory of a thread ---- */

/* Vector registers and memory of a thread that stands. Registers come in XSAVE's standard form (Intel SDM
 * volume 1, 13.4), whose parts lie where CPUID leaf 13 says. */

enum {
    PART_SSE = 1,
    PART_AVX = 2,
    PART_ZMM_HIGH = 6, /* bytes 32..63 of the first 16 */
    PART_ZMM_16 = 7,   /* registers 16..31 */
    MXCSR_AT = 24,
    XMM_AT = 160,
    PARTS_AT = 512 /* which of them are not in their initial state (zeros) */
};

#ifndef NT_X86_XSTATE
#define NT_X86_XSTATE 0x202
#endif

static bool ask(thread_values *v)
{
    if (!v->asked) {
        struct iovec out = {v->state, sizeof v->state};
        v->asked = true;
        v->bytes = ptrace(PTRACE_GETREGSET, v->thread, (void *)NT_X86_XSTATE, &out) ? 0 : out.iov_len;
    }
    return v->bytes >= PARTS_AT + 8;
}

/* Copies bytes of a part that is there and not zeros. */
static void copy_part(thread_values *v, unsigned part, size_t at, void *out, size_t bytes)
{
    uint64_t parts;
    unsigned size, c, d;
    memcpy(&parts, v->state + PARTS_AT, sizeof parts);
    if (!(parts >> part & 1))
        return;
    if (part > PART_SSE && !v->begins[part] && !__get_cpuid_count(13, part, &size, &v->begins[part], &c, &d))
        return;
    if (v->begins[part] + at + bytes <= v->bytes)
        memcpy(out, v->state + v->begins[part] + at, bytes);
}

static bool vector_of(void *payload, unsigned number, uint8_t out[64])
{
    thread_values *v = payload;
    if (!ask(v) || number > 31)
        return false;
    memset(out, 0, 64);
    if (number > 15) {
        copy_part(v, PART_ZMM_16, 64 * (size_t)(number - 16), out, 64);
        return true;
    }
    copy_part(v, PART_SSE, XMM_AT + 16 * (size_t)number, out, 16);
    copy_part(v, PART_AVX, 16 * (size_t)number, out + 16, 16);
    copy_part(v, PART_ZMM_HIGH, 32 * (size_t)number, out + 32, 32);
    return true;
}

static bool mxcsr_of(void *payload, uint32_t *out)
{
    thread_values *v = payload;
    if (!ask(v))
        return false;
    memcpy(out, v->state + MXCSR_AT, sizeof *out);
    return true;
}

static bool memory_of(void *payload, uint64_t address, void *out, size_t bytes)
{
    const thread_values *v = payload;
    return proc_read_memory(v->process, address, out, bytes) == (ssize_t)bytes;
}

/* `out` refers to `v`; v->asked = false begins another step. */
static void thread_values_start(thread_values *v, pid_t process, pid_t thread, step_values *out)
{
    v->process = process;
    v->thread = thread;
    v->asked = false;
    *out = (step_values){.vector = vector_of, .mxcsr = mxcsr_of, .memory = memory_of, .payload = v};
}

/* the memory that an instruction is about to access, by its operands and the registers. */

enum {
    MOST_ACCESS_BYTES = 4096 /* what is larger (XSAVE) is not looked at by bytes */
};

/* Memory that the instruction is about to access: loads first. @return how many */
static size_t windows_accesses(const tacho_insn *insn, const struct user_regs_struct *registers,
                               step_access out[STEP_MAX_ACCESSES])
{
    const address_registers known = branch_registers(registers, registers->rip + insn->length);
    size_t n = 0;
    for (int store = 0; store < 2 && !insn->is_nop; store++)
        for (const tacho_operand *o = insn->operands; o < insn->operands + insn->operand_count; o++) {
            uint32_t bytes = o->width_bits / 8u;
            if (o->kind == TACHO_OPERAND_MEM && (o->access & (store ? TACHO_WRITE : TACHO_READ)) &&
                !o->mem.vsib && bytes && bytes <= MOST_ACCESS_BYTES && n < STEP_MAX_ACCESSES)
                out[n++] = (step_access){tacho_operand_address(o, &known), bytes, store};
        }
    return n;
}

/* ---- steps ---- */

enum {
    CODE_64 = 0x33, /* CS of 64-bit code */
    PUSHF = 0x9c,
    POPF = 0x9d,
    IRET = 0xcf,
    SYSTEM = 0x05, /* SYSCALL; SYSENTER: */
    SYSTEM_32 = 0x34,
    INTERRUPT_3 = 0xcc,
    INTERRUPT = 0xcd
};

struct windows {
    code_seen *code;
    step_observer observers[WINDOWS_MOST_OBSERVERS];
    size_t observer_count;
    const step_observer *told; /* of what goes on now */
    size_t told_count;
    uint64_t windows, steps;
    bool failed;
    thread_values values;
};

windows *windows_new(void)
{
    windows *w = tacho_mem_zalloc(1, sizeof *w);
    if (w && (w->code = code_seen_new()))
        return w;
    tacho_mem_free(w);
    return NULL;
}

void windows_free(windows *w)
{
    if (w)
        code_seen_free(w->code);
    tacho_mem_free(w);
}

bool windows_add(windows *w, const step_observer *observer)
{
    if (w->observer_count == WINDOWS_MOST_OBSERVERS)
        return false;
    w->observers[w->observer_count++] = *observer;
    return true;
}

GIVES(bool, windows_failed, windows, failed)
GIVES(uint64_t, windows_count, windows, windows)
GIVES(uint64_t, windows_steps, windows, steps)

const windows_object *windows_object_at(const windows *w, uint32_t number)
{
    return code_seen_object(w->code, number);
}

/* Whether the instruction goes into the kernel, or leaves a trace of being stepped. PUSHF would push the flag
 * by which it is, and a later POPF set it when nobody steps any more. Before POPF and IRET the kernel takes
 * that flag for the program's own, and does not clear it if a signal comes first and stepping ends there. */
static bool is_left_alone(const tacho_insn *insn)
{
    const bool two = insn->opcode_offset && insn->bytes[insn->opcode_offset - 1] == 0x0f;
    if (insn->encoding != TACHO_ENC_LEGACY)
        return false;
    if (two)
        return insn->opcode == SYSTEM || insn->opcode == SYSTEM_32;
    return insn->opcode == PUSHF || insn->opcode == POPF || insn->opcode == IRET ||
           insn->opcode == INTERRUPT_3 || insn->opcode == INTERRUPT;
}

static void tell(windows *w, step *s)
{
    step_access accesses[STEP_MAX_ACCESSES];
    s->accesses = accesses;
    s->access_count = s->insn ? windows_accesses(s->insn, s->registers, accesses) : 0;
    w->values.asked = false;
    for (size_t i = 0; i < w->told_count; i++)
        w->told[i].step(w->told[i].payload, s);
}

static void tell_begin(windows *w, const walk_thread *t)
{
    w->told = t->look ? &t->look->observer : w->observers;
    w->told_count = t->look ? 1 : w->observer_count;
    for (size_t i = 0; i < w->told_count; i++)
        if (w->told[i].begin)
            w->told[i].begin(w->told[i].payload, (uint64_t)t->process, (uint64_t)t->thread, t->seconds);
}

static void tell_end(windows *w, double taken)
{
    for (size_t i = 0; i < w->told_count; i++)
        if (w->told[i].end)
            w->told[i].end(w->told[i].payload, taken);
}

static walk_answer take_step(const walk_thread *t, int *signal)
{
    if (ptrace(PTRACE_SINGLESTEP, t->thread, NULL, (void *)(intptr_t)*signal))
        return WALK_GONE;
    *signal = 0;
    return t->await(t->payload, t->thread, signal);
}

/* @return whether the thread stands before an instruction that may be stepped, which is `now` */
static bool is_next(windows *w, const walk_thread *t, struct user_regs_struct *registers, step *now)
{
    if (ptrace(PTRACE_GETREGS, t->thread, NULL, registers) || registers->cs != CODE_64)
        return false;
    now->address = registers->rip;
    code_answer answer = code_seen_at(w->code, now);
    w->failed |= answer == CODE_NO_MEMORY;
    return answer == CODE_THERE && (t->through_calls || (now->insn && !is_left_alone(now->insn)));
}

bool windows_walk(windows *w, const walk_thread *t, int *signal)
{
    struct user_regs_struct registers;
    step_values values;
    step now = {.process = (uint64_t)t->process,
                .thread = (uint64_t)t->thread,
                .registers = &registers,
                .values = &values};
    walk_answer answer = WALK_ON;
    if (!code_seen_enter(w->code, t->process)) {
        w->failed = true;
        return true;
    }
    const double began = seconds_now();
    tell_begin(w, t);
    thread_values_start(&w->values, t->process, t->thread, &values);
    for (; now.index < t->most && answer == WALK_ON && is_next(w, t, &registers, &now); now.index++) {
        tell(w, &now);
        answer = take_step(t, signal);
        if (t->look && *t->look->enough && answer == WALK_ON)
            answer = WALK_ENDS;
    }
    w->windows += !t->look;
    w->steps += t->look ? 0 : now.index;
    tell_end(w, seconds_now() - began);
    return answer != WALK_GONE;
}

/* ---- threads that nobody traces ---- */

/* A window of a thread that nobody traces: it is seized (PTRACE_SEIZE), stopped where it executes,
 * stepped, and let go, after which nothing is left of it.
 *
 * The program is not to notice. So threads that wait are left alone; one that was in the kernel when it was
 * stopped goes on at once; a signal ends the window, and is delivered as it would have been. Some system
 * calls return EINTR when their thread is stopped, where they would else begin again (signal(7)): they are
 * begun again here.
 *
 * The stepping thread moves to the processor of the stepped one: each waits for the other, and processors
 * that wake each other up take longer than one that changes between them. */

enum {
    SYSCALL_BYTES = 2
};

/* Stops of seized threads are reported, too, though nobody asks for them. */
static bool is_end(const siginfo_t *info)
{
    return info->si_pid && info->si_code != CLD_STOPPED && info->si_code != CLD_TRAPPED;
}

visit_report visit_await(pid_t thread, pid_t kept, int options, int *status)
{
    siginfo_t info = {0};
    while (waitid(P_PID, (id_t)thread, &info, options | WEXITED | WSTOPPED | WNOWAIT | __WALL | __WNOTHREAD))
        if (errno != EINTR)
            return VISIT_IS_GONE;
    if (!info.si_pid)
        return VISIT_SAYS_NOTHING;
    if (is_end(&info) && thread == kept)
        return VISIT_IS_GONE;
    return waitpid(thread, status, __WALL | __WNOTHREAD) == thread && WIFSTOPPED(*status) ? VISIT_STANDS
                                                                                          : VISIT_IS_GONE;
}

static bool await_stop(const visit *v, int *status)
{
    return visit_await(v->thread, v->kept, 0, status) == VISIT_STANDS;
}

static walk_answer await_step(void *payload, pid_t thread, int *signal)
{
    int status;
    if (!await_stop(payload, &status))
        return WALK_GONE;
    if (status >> 16) /* the whole process is stopped, and remains so */
        return WALK_ENDS;
    if (WSTOPSIG(status) == SIGTRAP)
        return WALK_ON;
    *signal = WSTOPSIG(status);
    return WALK_ENDS;
}

static bool begins_again(uint64_t call)
{
    static const uint16_t calls[] = {SYS_epoll_wait,      SYS_epoll_pwait,  SYS_semop,   SYS_semtimedop,
                                     SYS_rt_sigtimedwait, SYS_io_getevents, SYS_recvmsg, SYS_recvfrom,
                                     SYS_accept,          SYS_accept4};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (calls[i] == call)
            return true;
    return false;
}

/* Whether a system call that gave this back will begin again, or is made to (linux/errno.h: from ERESTARTSYS
 * to ERESTART_RESTARTBLOCK). */
static bool was_waiting(pid_t thread, const struct user_regs_struct *r)
{
    const int64_t result = (int64_t)r->rax;
    return (result <= -512 && result >= -516) ||
           (result == -EINTR && begins_again(r->orig_rax) && !proc_has_signals(thread));
}

visit_where visit_stands_in(pid_t thread)
{
    struct user_regs_struct r;
    if (ptrace(PTRACE_GETREGS, thread, NULL, &r))
        return VISIT_IN_WAIT;
    if ((int64_t)r.orig_rax < 0)
        return VISIT_IN_PROGRAM;
    if (!was_waiting(thread, &r))
        return VISIT_BEHIND_CALL;
    if ((int64_t)r.rax == -EINTR) {
        r.rax = r.orig_rax;
        r.rip -= SYSCALL_BYTES;
        ptrace(PTRACE_SETREGS, thread, NULL, &r);
    }
    return VISIT_IN_WAIT;
}

static void move_to(pid_t thread)
{
    cpu_set_t cpus;
    int cpu = proc_cpu(thread);
    if (cpu < 0 || cpu >= CPU_SETSIZE)
        return;
    CPU_ZERO(&cpus);
    CPU_SET(cpu, &cpus);
    sched_setaffinity(0, sizeof cpus, &cpus);
}

static visit_end step_it(windows *w, const visit *v)
{
    const walk_thread t = {.process = v->process,
                           .thread = v->thread,
                           .most = v->most,
                           .await = await_step,
                           .payload = (void *)v,
                           .seconds = v->seconds,
                           .look = v->look};
    visit_end end = VISIT_ELSEWHERE;
    int status, signal = 0;
    if (ptrace(PTRACE_INTERRUPT, v->thread, NULL, NULL) || !await_stop(v, &status))
        return VISIT_ELSEWHERE;
    if (!(status >> 16)) {
        signal = WSTOPSIG(status);
    } else if (WSTOPSIG(status) == SIGTRAP && visit_stands_in(v->thread) == VISIT_IN_PROGRAM) {
        if (!windows_walk(w, &t, &signal))
            return VISIT_DONE;
        end = VISIT_DONE;
    }
    ptrace(PTRACE_DETACH, v->thread, NULL, (void *)(intptr_t)signal);
    return end;
}

void windows_bury(pid_t kept)
{
    siginfo_t info;
    for (;;) {
        info = (siginfo_t){0};
        if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL | __WNOTHREAD) || !is_end(&info) ||
            info.si_pid == kept || waitpid(info.si_pid, NULL, WNOHANG | __WALL | __WNOTHREAD) < 0)
            return;
    }
}

visit_end windows_visit(windows *w, const visit *v)
{
    cpu_set_t before;
    if (!proc_is_running(v->thread))
        return VISIT_ELSEWHERE;
    if (ptrace(PTRACE_SEIZE, v->thread, NULL, NULL))
        return errno == ESRCH ? VISIT_ELSEWHERE : VISIT_REFUSED;
    bool known = !sched_getaffinity(0, sizeof before, &before);
    if (known)
        move_to(v->thread);
    visit_end end = step_it(w, v);
    if (known)
        sched_setaffinity(0, sizeof before, &before);
    return end;
}
