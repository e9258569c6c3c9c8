/* proc.c - files of /proc; memory of other processes. */
#include "base/proc.h"

#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/str.h"

bool proc_parse_map(const char *line, proc_map *out)
{
    char rights[5] = "";
    *out->path = '\0';
    int found = sscanf(
        line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %" SCNx64 ":%" SCNx64 " %" SCNu64 " %4199[^\n]",
        &out->start, &out->end, rights, &out->offset, &out->major, &out->minor, &out->inode, out->path);
    if (found < 7 || strlen(rights) != 4 || out->start >= out->end)
        return false;
    out->write = rights[1] == 'w';
    out->execute = rights[2] == 'x';
    out->is_private = rights[3] == 'p';
    return true;
}

FILE *proc_open_maps(pid_t pid)
{
    char path[40];
    snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    return fopen(path, "re");
}

bool proc_next_code(FILE *maps, proc_map *out)
{
    char line[PROC_PATH_BYTES + 200];
    while (maps && fgets(line, sizeof line, maps))
        if (proc_parse_map(line, out) && out->execute)
            return true;
    return false;
}

bool proc_is_memory(const char *path)
{
    static const char *const memory[] = {"//anon", "/memfd:", "/dev/zero", "/SYSV", "/dev/shm/"};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        if (tacho_starts_with(path, memory[i]))
            return true;
    return *path != '/' && !tacho_starts_with(path, "[vdso");
}

DIR *proc_open_tasks(pid_t pid)
{
    char path[40];
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    return opendir(path);
}

pid_t proc_next_task(DIR *tasks)
{
    for (const struct dirent *e; tasks && (e = readdir(tasks));)
        if (e->d_name[0] != '.')
            return (pid_t)strtol(e->d_name, NULL, 10);
    return 0;
}

bool proc_allow_more_files(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= limit.rlim_max)
        return false;
    limit.rlim_cur = limit.rlim_max;
    return !setrlimit(RLIMIT_NOFILE, &limit);
}

ssize_t proc_read_memory(pid_t pid, uint64_t address, void *out, size_t bytes)
{
    const struct iovec here = {out, bytes}, there = {(void *)(uintptr_t)address, bytes};
    return process_vm_readv(pid, &here, 1, &there, 1, 0);
}

/* What /proc/TID/stat has after the name, which may contain anything. @return "" where there is none */
static const char *after_name(pid_t tid, char *text, size_t size)
{
    char path[40];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)tid);
    FILE *f = fopen(path, "re");
    size_t n = f ? fread(text, 1, size - 1, f) : 0;
    if (f)
        fclose(f);
    text[n] = '\0';
    const char *name_end = strrchr(text, ')');
    return name_end ? name_end : "";
}

bool proc_is_running(pid_t tid)
{
    char text[512];
    return tacho_starts_with(after_name(tid, text, sizeof text), ") R");
}

int proc_cpu(pid_t tid)
{
    enum {
        FIELD = 39, /* "processor"; the first after the name is the third */
        FIRST = 3
    };
    char text[1024];
    const char *at = after_name(tid, text, sizeof text);
    for (int field = FIRST - 1; *at && field < FIELD; field++) {
        at = strchr(at, ' ');
        if (!at)
            return -1;
        at++;
    }
    return *at ? (int)strtol(at, NULL, 10) : -1;
}

double proc_run_seconds(pid_t tid)
{
    char path[40];
    unsigned long long ns;
    snprintf(path, sizeof path, "/proc/%d/schedstat", (int)tid);
    FILE *f = fopen(path, "re");
    bool ok = f && fscanf(f, "%llu", &ns) == 1;
    if (f)
        fclose(f);
    return ok ? (double)ns * 1e-9 : __builtin_nan("");
}

bool proc_has_signals(pid_t tid)
{
    char path[40], line[128];
    unsigned long long mask, own = 0, shared = 0, blocked = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)tid);
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof line, f)) {
        if (sscanf(line, "SigPnd: %llx", &mask) == 1)
            own = mask;
        else if (sscanf(line, "ShdPnd: %llx", &mask) == 1)
            shared = mask;
        else if (sscanf(line, "SigBlk: %llx", &mask) == 1)
            blocked = mask;
    }
    if (f)
        fclose(f);
    return (own | shared) & ~blocked;
}

/* By short slices (Linux 6.12; sched(7)), or by a higher priority among threads of real time. */
void proc_be_quick(bool on)
{
    const uint64_t slice_ns = 100000;
    struct sched_param real_time;
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime, deadline, period;
    } a = {.size = sizeof a, .nice = getpriority(PRIO_PROCESS, 0), .runtime = on ? slice_ns : 0};
    const int policy = sched_getscheduler(0);
    if (policy == SCHED_OTHER)
        syscall(SYS_sched_setattr, 0, &a, 0);
    if ((policy != SCHED_FIFO && policy != SCHED_RR) || sched_getparam(0, &real_time))
        return;
    real_time.sched_priority += on ? 1 : -1;
    sched_setparam(0, &real_time);
}
