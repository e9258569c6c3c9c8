/* thread_files.h - what /proc tells of one thread, without stopping it. */
#ifndef TACHO_THREAD_FILES_H
#define TACHO_THREAD_FILES_H

#include "program/threads/threads_calls.h"

/** Descriptors, which are kept open: it is looked at often. */
typedef struct thread_files {
    int call, times;
} thread_files;

/** The kernel's account of a thread. */
typedef struct thread_times {
    double running, ready; /* seconds: had a processor; waited for one */
    uint64_t slices;       /* how often it was given one */
} thread_times;

/** `directory`: /proc/PID/task. @return false with errno */
bool thread_files_open(thread_files *out, int directory, uint64_t tid);
void thread_files_close(const thread_files *f);
/** @return false with errno: it has ended, or that may not be read; so, too, of the next */
bool thread_files_times(const thread_files *f, thread_times *out);
/** Its system call, and whether it waits in it (else it runs, or is ready to). */
bool thread_files_call(const thread_files *f, thread_call *out, bool *waits);
/** Whether a thread waits for what comes from outside of the program: a file, a time. `usual`: where it waits
 * no longer. */
bool thread_files_outside(pid_t pid, pid_t tid, bool usual);
/** Its name, cut; as it was where it cannot be read. */
void thread_files_name(int directory, uint64_t tid, char out[16]);

#endif
