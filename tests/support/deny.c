/* deny.c - deny CALL[,CALL...] COMMAND...: runs the command as on a host that refuses these system calls
 * (EPERM): a container without ptrace, a kernel without perf_event_open. What cannot be done there, tests
 * must skip with the reason. Statuses of its own: 126 wrong usage or no filter, 127 no such command. */
#include <errno.h>
#include <seccomp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

static int deny(char *calls)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    int rc = filter ? 0 : -1;
    for (char *name = strtok(calls, ","); name && !rc; name = strtok(NULL, ","))
        rc = add_call(filter, name);
    rc = rc ? rc : seccomp_load(filter);
    seccomp_release(filter);
    return rc;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: deny CALL[,CALL...] COMMAND...\n");
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
