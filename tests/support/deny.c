/* deny.c - deny WHAT[,WHAT...] COMMAND...: runs the command as on a host that lacks something. WHAT is a
 * system call, which fails with EPERM (a container without ptrace, a kernel without perf_event_open), or one
 * of threads     no thread can be started proc        /proc is empty override    files and directories are
 * closed to root, too, where their modes say so reader      standard output is a pipe that nobody reads any
 * more What cannot be done there, tests must skip with the reason. Statuses of its own: 126 wrong usage, or
 * it cannot be had here; 127 no such command. */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <unistd.h>

/* ---- system calls ---- */

static int add_call(scmp_filter_ctx filter, const char *name)
{
    int call = seccomp_syscall_resolve_name(name);
    if (call == __NR_SCMP_ERROR) {
        fprintf(stderr, "deny: no system call '%s'\n", name);
        return -1;
    }
    /* What personality was is no secret, also where it cannot be changed. */
    const struct scmp_arg_cmp changes = {.arg = 0, .op = SCMP_CMP_NE, .datum_a = 0xffffffff};
    if (call == SCMP_SYS(personality))
        return seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(EPERM), call, 1, &changes);
    return seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), call, 0);
}

/* Processes can be started all the same. The flags of clone3 lie in memory, which a filter does not see: the
 * C library takes clone where there is no clone3. */
static int deny_threads(scmp_filter_ctx filter)
{
    const struct scmp_arg_cmp thread = {
        .arg = 0, .op = SCMP_CMP_MASKED_EQ, .datum_a = CLONE_THREAD, .datum_b = CLONE_THREAD};
    int rc = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
    return rc ? rc : seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(EAGAIN), SCMP_SYS(clone), 1, &thread);
}

/* ---- the rest ---- */

static int write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    ssize_t n = write(fd, text, strlen(text));
    close(fd);
    return n == (ssize_t)strlen(text) ? 0 : -1;
}

/* Mounts of its own: root may have them, others in a name space in which they are who they were. */
static int own_mounts(void)
{
    char users[64], groups[64];
    if (!unshare(CLONE_NEWNS))
        return 0;
    snprintf(users, sizeof users, "%u %u 1", getuid(), getuid());
    snprintf(groups, sizeof groups, "%u %u 1", getgid(), getgid());
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) || write_file("/proc/self/uid_map", users))
        return -1;
    return write_file("/proc/self/setgroups", "deny") || write_file("/proc/self/gid_map", groups) ? -1 : 0;
}

static int deny_proc(void)
{
    if (own_mounts() || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL))
        return -1;
    return mount("none", "/proc", "tmpfs", MS_RDONLY, NULL);
}

/* The program that root executes gets no capability that is not in this set any more. */
static int deny_override(void)
{
    if (getuid())
        return 0;
    return prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE) || prctl(PR_CAPBSET_DROP, CAP_DAC_READ_SEARCH) ? -1 : 0;
}

static int deny_reader(void)
{
    int ends[2];
    if (pipe(ends) || dup2(ends[1], STDOUT_FILENO) < 0)
        return -1;
    close(ends[0]);
    return close(ends[1]);
}

static int add(scmp_filter_ctx filter, const char *what)
{
    int rc = !strcmp(what, "threads")    ? deny_threads(filter)
             : !strcmp(what, "proc")     ? deny_proc()
             : !strcmp(what, "override") ? deny_override()
             : !strcmp(what, "reader")   ? deny_reader()
                                         : add_call(filter, what);
    if (rc)
        fprintf(stderr, "deny: %s: cannot be denied here\n", what);
    return rc;
}

static int deny(char *list)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    int rc = filter ? 0 : -1;
    for (char *what = strtok(list, ","); what && !rc; what = strtok(NULL, ","))
        rc = add(filter, what);
    rc = rc ? rc : seccomp_load(filter);
    seccomp_release(filter);
    return rc;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: deny WHAT[,WHAT...] COMMAND...\n");
        return 126;
    }
    if (deny(argv[1])) {
        fprintf(stderr, "deny: the filter cannot be had here\n");
        return 126;
    }
    execvp(argv[2], argv + 2);
    fprintf(stderr, "deny: %s: %s\n", argv[2], strerror(errno));
    return 127;
}
