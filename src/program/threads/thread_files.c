/* thread_files.c - a thread's files below /proc/PID/task/TID:
 *
 * - schedstat: for how long it has run and has waited for a processor, and how often it was given one;
 * - syscall: the system call in which it waits, with arguments, or that it runs or is ready to;
 * - comm: its name. */
#include "program/threads/thread_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/proc.h"

/* Many threads need many descriptors; hot_perf.c puts the limit back. */
static int open_at(int directory, uint64_t tid, const char *name)
{
    char path[48];
    snprintf(path, sizeof path, "%llu/%s", (unsigned long long)tid, name);
    const int fd = openat(directory, path, O_RDONLY | O_CLOEXEC);
    return fd < 0 && errno == EMFILE && proc_allow_more_files()
               ? openat(directory, path, O_RDONLY | O_CLOEXEC)
               : fd;
}

/* From its start. @return false with errno */
static bool read_text(int fd, char *out, size_t size)
{
    const ssize_t n = pread(fd, out, size - 1, 0);
    out[n > 0 ? n : 0] = '\0';
    return n > 0;
}

bool thread_files_open(thread_files *out, int directory, uint64_t tid)
{
    out->call = open_at(directory, tid, "syscall");
    if (out->call < 0)
        return false;
    out->times = open_at(directory, tid, "schedstat");
    if (out->times >= 0)
        return true;
    const int error = errno;
    close(out->call);
    errno = error;
    return false;
}

void thread_files_close(const thread_files *f)
{
    close(f->call);
    close(f->times);
}

bool thread_files_times(const thread_files *f, thread_times *out)
{
    char text[80], *end;
    if (!read_text(f->times, text, sizeof text))
        return false;
    out->running = 1e-9 * (double)strtoull(text, &end, 10);
    out->ready = 1e-9 * (double)strtoull(end, &end, 10);
    out->slices = strtoull(end, &end, 10);
    return true;
}

bool thread_files_call(const thread_files *f, thread_call *out, bool *waits)
{
    char text[200];
    errno = 0;
    if (!read_text(f->call, text, sizeof text))
        return false;
    *waits = calls_parse(text, out);
    return out->sp != 0;
}

bool thread_files_outside(pid_t pid, pid_t tid, bool usual)
{
    char path[64], text[200];
    const char *name;
    thread_call call;
    snprintf(path, sizeof path, "/proc/%d/task/%d/syscall", (int)pid, (int)tid);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const bool there = fd >= 0 && read_text(fd, text, sizeof text);
    if (fd >= 0)
        close(fd);
    if (!there || !calls_parse(text, &call))
        return usual;
    const tacho_wait_kind kind = calls_kind(pid, &call, &name);
    return kind == TACHO_WAIT_IO || kind == TACHO_WAIT_SLEEP || kind == TACHO_WAIT_OTHER;
}

void thread_files_name(int directory, uint64_t tid, char out[16])
{
    char text[32];
    const int fd = open_at(directory, tid, "comm");
    if (fd < 0)
        return;
    if (read_text(fd, text, sizeof text)) {
        text[strcspn(text, "\n")] = '\0';
        snprintf(out, 16, "%.15s", text);
    }
    close(fd);
}
