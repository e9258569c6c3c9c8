/* threads_calls.h - what a system call waits for. */
#ifndef TACHO_THREADS_CALLS_H
#define TACHO_THREADS_CALLS_H

#include <sys/types.h>

#include "tacho/hot_threads.h"

/** A thread in a system call, as /proc/PID/task/TID/syscall has it (proc_pid_syscall(5)). */
typedef struct thread_call {
    long number; /* below 0: it is in none */
    uint64_t arguments[6], sp, pc;
} thread_call;

/** @return false: it runs, or is ready to, or has ended (sp is 0). A thread that waits in no system call
 * (number -1) waits for a page, or is stopped. */
bool calls_parse(const char *text, thread_call *out);
/** Whether a thread that is in the kernel is in futex(2): by its registers RAX, of which the kernel has made
 * an error (-ENOSYS), and RSI, which has the operation. */
bool calls_is_futex(uint64_t rax, uint64_t rsi);
/** What it waits for, and the call's name; TACHO_WAIT_FUTEX: something at the address of the first argument.
 */
tacho_wait_kind calls_kind(pid_t pid, const thread_call *call, const char **name);

#endif
