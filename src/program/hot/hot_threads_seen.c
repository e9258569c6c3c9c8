/* hot_threads_seen.c - between sampling and what looks at threads; and from both to a judgement. */
#include "program/hot/hot_threads_seen.h"

#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "x86/decode/regs.h"

enum {
    STACK_OF_SAMPLE = 1024 /* bytes: the frames of libraries, down to the program's own */
};
static const double look_seconds = 0.004;

void hot_threads_ask(struct perf_event_attr *a)
{
    a->use_clockid = 1;
    a->clockid = CLOCK_MONOTONIC;
    if (a->sample_type & PERF_SAMPLE_REGS_USER) {
        a->sample_type |= PERF_SAMPLE_STACK_USER;
        a->sample_stack_user = STACK_OF_SAMPLE;
        a->sample_regs_user |= RECORD_USER_ADDRESS;
    }
}

void hot_threads_look(hot_tally *b)
{
    threads_look(b->threads, look_seconds);
}

bool hot_threads_sampled(hot_tally *b, const record *r)
{
    const bool in_kernel = (r->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
    if (!b->threads || (in_kernel && !(r->has_registers && r->user_address)))
        return false;
    stack_start at = {.thread = (pid_t)r->tid,
                      .pc = in_kernel ? r->user_address : r->address,
                      .sp = r->has_registers ? r->registers[RSP] : 0,
                      .frame = r->has_registers ? r->registers[RBP] : 0,
                      .bytes = r->stack ? r->stack : (const uint8_t *)"",
                      .count = r->stack_bytes};
    const uint64_t *registers = r->registers;
    at.whole = true;
    if (r->has_registers && threads_makes(b->threads, r->pid, &at, registers[RDI]))
        return true;
    at.whole = false;
    const thread_call futex = {.arguments = {registers[RDI], registers[RSI], registers[RDX]}};
    threads_sampled(b->threads, r->pid, r->tid, (double)r->time * 1e-9, &at,
                    in_kernel && calls_is_futex(registers[RAX], registers[RSI]) ? &futex : NULL);
    return false;
}

int tacho_hot_threads_find(tacho_hot_threads **out, const tacho_hot_profile *profile, const tacho_hot *hot,
                           tacho_error *err)
{
    const threads_log *log = (const threads_log *)profile->threads;
    size_t count = 0;
    *out = NULL;
    if (!log || log_unseen(log))
        return 0;
    log_spin *spins = tacho_mem_zalloc((hot ? hot->count : 0) + 1, sizeof *spins);
    if (!spins)
        return tacho_no_memory(err);
    for (size_t i = 0; hot && i < hot->count; i++) {
        const tacho_hot_place *p = &hot->places[i];
        if (threads_is_spin(p))
            spins[count++] = (log_spin){p->object->path, p->loop->start, p->loop->end};
    }
    int rc = threads_judge(out, log, spins, count);
    tacho_mem_free(spins);
    return rc ? tacho_no_memory(err) : 0;
}
