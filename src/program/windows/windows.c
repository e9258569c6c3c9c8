/* windows.c - stepping a thread that stands (ptrace(2)), and telling observers before each step. */
#include <sys/ptrace.h>

#include "base/mem.h"
#include "base/seconds.h"
#include "program/windows/windows.h"
#include "x86/decode/insn_struct.h"

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

bool windows_failed(const windows *w)
{
    return w->failed;
}

uint64_t windows_count(const windows *w)
{
    return w->windows;
}

uint64_t windows_steps(const windows *w)
{
    return w->steps;
}

const windows_object *windows_object_at(const windows *w, uint32_t number)
{
    return code_objects_at(code_seen_objects(w->code), number);
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
    w->steps++;
    for (size_t i = 0; i < w->observer_count; i++)
        w->observers[i].step(w->observers[i].payload, s);
}

static void tell_begin(windows *w, const walk_thread *t)
{
    for (size_t i = 0; i < w->observer_count; i++)
        if (w->observers[i].begin)
            w->observers[i].begin(w->observers[i].payload, (uint64_t)t->process, (uint64_t)t->thread,
                                  t->seconds);
}

static void tell_end(windows *w, double taken)
{
    for (size_t i = 0; i < w->observer_count; i++)
        if (w->observers[i].end)
            w->observers[i].end(w->observers[i].payload, taken);
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
    w->windows++;
    const double began = seconds_now();
    tell_begin(w, t);
    thread_values_start(&w->values, t->process, t->thread, &values);
    for (; now.index < t->most && answer == WALK_ON && is_next(w, t, &registers, &now); now.index++) {
        tell(w, &now);
        answer = take_step(t, signal);
    }
    tell_end(w, seconds_now() - began);
    return answer != WALK_GONE;
}
