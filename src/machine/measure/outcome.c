/* outcome.c - what became of a child that did not finish, in words. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "machine/measure/job.h"
#include "x86/decode/ops.h"

void job_set_status(job *j, tacho_measure_status status, int64_t offset)
{
    j->out->cycles = j->out->uncertainty = j->out->low = j->out->high = NAN;
    j->out->status = status;
    j->out->offset = offset;
    j->done = true;
}

/* Offset in the block of an address in one of its copies; -1 when it is in none. */
static int64_t offset_of(const job *j, uint64_t rip)
{
    const codegen_block *c = &j->code;
    const uint64_t size = c->offsets[c->count - c->drop_last];
    const uint64_t copies[] = {c->copies[0], c->copies[1], c->own_branch ? 1 : CODEGEN_TRACED_COPIES};
    const uint64_t starts[] = {c->start[0], c->start[1], c->trace_start};
    for (int i = 0; i < 3; i++)
        if (rip >= starts[i] && rip < starts[i] + size * copies[i])
            return (int64_t)((rip - starts[i]) % size);
    return -1;
}

static const tacho_insn *insn_at(const job *j, int64_t offset)
{
    for (size_t i = 0; i < j->block.count; i++)
        if (j->block.offsets[i] == offset)
            return &j->block.insns[i];
    return NULL;
}

static bool is_undefined(const tacho_insn *insn)
{
    return insn_is(insn, INSN_UNDEFINED);
}

static const char *signal_words(const runner_report *c, bool undefined)
{
    enum {
        FROM_KERNEL = 0x80
    };
    switch (c->detail) {
    case SIGILL:
        return undefined ? "is undefined by intent (SIGILL)" : "is not known to this processor (SIGILL)";
    case SIGFPE:
        return "divides by zero, or the quotient is too large (SIGFPE); --init chooses other values";
    case SIGSEGV:
        return c->code == FROM_KERNEL ? "accesses an address that is not canonical, or one that has to be "
                                        "aligned and is not (SIGSEGV)"
                                      : "accesses an address that cannot be mapped (SIGSEGV)";
    case SIGBUS:
        return "accesses memory that does not exist (SIGBUS)";
    case SIGTRAP:
        return "is a breakpoint (SIGTRAP)";
    default:
        return "was stopped by a signal";
    }
}

static void crashed_by_signal(job *j, const runner_report *c)
{
    char text[96] = "the block";
    int64_t offset = offset_of(j, c->rip);
    const tacho_insn *insn = offset >= 0 ? insn_at(j, offset) : NULL;
    if (insn)
        tacho_listing_write(j->block.listing, insn, (uint64_t)offset, text, sizeof text);
    bool unknown = c->detail == SIGILL && insn && !is_undefined(insn);
    job_set_status(j, unknown ? TACHO_MEASURED_UNSUPPORTED : TACHO_MEASURED_CRASHED, offset);
    size_t n = (size_t)snprintf(j->out->message, sizeof j->out->message, "'%s' %s", text,
                                signal_words(c, insn && is_undefined(insn)));
    const bool is_ours = c->address >= RUNNER_BASE && c->address < RUNNER_END;
    if (c->detail == SIGSEGV && c->address && n < sizeof j->out->message)
        snprintf(j->out->message + n, sizeof j->out->message - n, ": 0x%llx%s",
                 (unsigned long long)c->address, is_ours ? ", where the sandbox lies" : "");
}

static const char *call_name(uint64_t which)
{
    static const char *const names[] = {"a deeper stack",  "mmap",     "munmap", "sigaction", "arch_prctl",
                                        "perf_event_open", "mprotect", "close",  "seccomp"};
    return which < sizeof names / sizeof *names ? names[which] : "";
}

int job_explain_end(job *j, const runner_report *c, child_end end, int signal, uint32_t max_pages,
                    tacho_error *err)
{
    char *message = j->out->message;
    const size_t size = sizeof j->out->message;
    if (end == CHILD_TIMEOUT) {
        job_set_status(j, TACHO_MEASURED_TIMEOUT, -1);
        snprintf(message, size, "did not end in time: an endless loop, or --timeout is too short");
    } else if (end == CHILD_KILLED) {
        job_set_status(
            j, signal == SIGXCPU || signal == SIGKILL ? TACHO_MEASURED_TIMEOUT : TACHO_MEASURED_CRASHED, -1);
        snprintf(message, size,
                 signal == SIGSYS    ? "made a system call, and was killed (SIGSYS)"
                 : signal == SIGKILL ? "was killed twice from outside (SIGKILL), as where memory is short"
                                     : "was killed by signal %d, which the sandbox could not handle",
                 signal);
    } else if (end == CHILD_NONSENSE) {
        job_set_status(j, TACHO_MEASURED_CRASHED, -1);
        snprintf(message, size, "spoilt the sandbox: its report cannot be true");
    } else if (c->failure == RUNNER_FAILED_SYSTEM)
        return tacho_error_set(err, TACHO_ERR_SYSTEM, "the sandbox cannot be set up: %s: %s",
                               call_name(c->address), strerror((int)c->detail));
    else if (c->failure == RUNNER_FAILED_SIGNAL)
        crashed_by_signal(j, c);
    else if (c->failure == RUNNER_FAILED_FAULTS) {
        job_set_status(j, TACHO_MEASURED_CRASHED, -1);
        snprintf(message, size, "touches more than %u pages%s", max_pages,
                 max_pages < RUNNER_MAX_FAULTS ? "; --max-pages allows more" : "");
    } else if (c->failure == RUNNER_FAILED_FETCH) {
        job_set_status(j, TACHO_MEASURED_CRASHED, -1);
        snprintf(message, size, "went to 0x%llx, where there is no code", (unsigned long long)c->address);
    } else {
        job_set_status(j, TACHO_MEASURED_CRASHED, -1);
        snprintf(message, size, "ended by itself");
    }
    return 0;
}
