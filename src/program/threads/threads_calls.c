/* threads_calls.c - system calls that wait. */
#include "program/threads/threads_calls.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/str.h"

/* Calls that wait for what their first argument, a descriptor, leads to. */
#define OF_DESCRIPTOR TACHO_WAIT_KINDS

static const struct {
    short number;
    unsigned char kind;
    const char *name;
} rows[] = {
    {SYS_futex, TACHO_WAIT_FUTEX, "futex"},
    {SYS_read, OF_DESCRIPTOR, "read"},
    {SYS_write, OF_DESCRIPTOR, "write"},
    {SYS_pread64, OF_DESCRIPTOR, "pread"},
    {SYS_pwrite64, OF_DESCRIPTOR, "pwrite"},
    {SYS_readv, OF_DESCRIPTOR, "readv"},
    {SYS_writev, OF_DESCRIPTOR, "writev"},
    {SYS_preadv, OF_DESCRIPTOR, "preadv"},
    {SYS_pwritev, OF_DESCRIPTOR, "pwritev"},
    {SYS_sendfile, OF_DESCRIPTOR, "sendfile"},
    {SYS_fsync, TACHO_WAIT_IO, "fsync"},
    {SYS_fdatasync, TACHO_WAIT_IO, "fdatasync"},
    {SYS_sync, TACHO_WAIT_IO, "sync"},
    {SYS_syncfs, TACHO_WAIT_IO, "syncfs"},
    {SYS_sync_file_range, TACHO_WAIT_IO, "sync_file_range"},
    {SYS_msync, TACHO_WAIT_IO, "msync"},
    {SYS_open, TACHO_WAIT_IO, "open"},
    {SYS_openat, TACHO_WAIT_IO, "openat"},
    {SYS_close, TACHO_WAIT_IO, "close"},
    {SYS_fallocate, TACHO_WAIT_IO, "fallocate"},
    {SYS_flock, TACHO_WAIT_PEER, "flock"},
    {SYS_fcntl, TACHO_WAIT_PEER, "fcntl"},
    {SYS_poll, TACHO_WAIT_PEER, "poll"},
    {SYS_ppoll, TACHO_WAIT_PEER, "ppoll"},
    {SYS_select, TACHO_WAIT_PEER, "select"},
    {SYS_pselect6, TACHO_WAIT_PEER, "pselect"},
    {SYS_epoll_wait, TACHO_WAIT_PEER, "epoll_wait"},
    {SYS_epoll_pwait, TACHO_WAIT_PEER, "epoll_pwait"},
    {SYS_accept, TACHO_WAIT_PEER, "accept"},
    {SYS_accept4, TACHO_WAIT_PEER, "accept4"},
    {SYS_connect, TACHO_WAIT_PEER, "connect"},
    {SYS_recvfrom, TACHO_WAIT_PEER, "recv"},
    {SYS_recvmsg, TACHO_WAIT_PEER, "recvmsg"},
    {SYS_recvmmsg, TACHO_WAIT_PEER, "recvmmsg"},
    {SYS_sendto, TACHO_WAIT_PEER, "send"},
    {SYS_sendmsg, TACHO_WAIT_PEER, "sendmsg"},
    {SYS_wait4, TACHO_WAIT_CHILD, "wait4"},
    {SYS_waitid, TACHO_WAIT_CHILD, "waitid"},
    {SYS_vfork, TACHO_WAIT_CHILD, "vfork"},
    {SYS_clone, TACHO_WAIT_CHILD, "clone"},
    {435, TACHO_WAIT_CHILD, "clone3"}, /* with CLONE_VFORK */
    {SYS_nanosleep, TACHO_WAIT_SLEEP, "nanosleep"},
    {SYS_clock_nanosleep, TACHO_WAIT_SLEEP, "clock_nanosleep"},
    {SYS_pause, TACHO_WAIT_SLEEP, "pause"},
    {SYS_rt_sigsuspend, TACHO_WAIT_SLEEP, "sigsuspend"},
    {SYS_rt_sigtimedwait, TACHO_WAIT_SLEEP, "sigtimedwait"},
};

bool calls_parse(const char *text, thread_call *out)
{
    char *end;
    *out = (thread_call){.number = -1, .sp = 1};
    if (tacho_starts_with(text, "running"))
        return false;
    out->number = strtol(text, &end, 10);
    for (int i = 0; out->number >= 0 && i < 6; i++)
        out->arguments[i] = strtoull(end, &end, 16);
    out->sp = strtoull(end, &end, 16);
    out->pc = strtoull(end, &end, 16);
    return out->sp && out->pc;
}

bool calls_is_futex(uint64_t rax, uint64_t rsi)
{
    const uint64_t operation = rsi & (uint64_t)FUTEX_CMD_MASK;
    return rax == (uint64_t)-ENOSYS && operation <= FUTEX_LOCK_PI2;
}

static tacho_wait_kind kind_of_descriptor(pid_t pid, uint64_t number)
{
    char path[64], target[16];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)pid, (int)number);
    ssize_t n = readlink(path, target, sizeof target);
    const bool is_file = n > 0 && target[0] == '/' &&
                         (n < 8 || (memcmp(target, "/dev/pts", 8) && memcmp(target, "/dev/tty", 8)));
    return is_file ? TACHO_WAIT_IO : TACHO_WAIT_PEER;
}

tacho_wait_kind calls_kind(pid_t pid, const thread_call *call, const char **name)
{
    *name = call->number < 0 ? "a page fault, or a stop" : "a system call";
    if (!(call->sp >> 32)) /* 32-bit code has other numbers */
        return TACHO_WAIT_OTHER;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].number == call->number) {
            *name = rows[i].name;
            return rows[i].kind == OF_DESCRIPTOR ? kind_of_descriptor(pid, call->arguments[0])
                                                 : (tacho_wait_kind)rows[i].kind;
        }
    return TACHO_WAIT_OTHER;
}
