/* sandbox.c - whether the kernel lets us do what running unknown code safely takes: a program that is only in
 * memory (memfd_create, execveat), and a filter of system calls (seccomp). Each is tried out in a child
 * process, which does nothing else. */
#include "machine/doctor/doctor_internal.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef MFD_EXEC
#define MFD_EXEC 0x10u
#endif

/* A whole program: it ends with status 0. */
typedef struct tiny_program {
    Elf64_Ehdr file;
    Elf64_Phdr segment;
    uint8_t code[9];
} tiny_program;

enum {
    TINY_ADDRESS = 0x400000
};

static const tiny_program tiny = {
    .file = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
             .e_type = ET_EXEC,
             .e_machine = EM_X86_64,
             .e_version = EV_CURRENT,
             .e_entry = TINY_ADDRESS + offsetof(tiny_program, code),
             .e_phoff = offsetof(tiny_program, segment),
             .e_ehsize = sizeof(Elf64_Ehdr),
             .e_phentsize = sizeof(Elf64_Phdr),
             .e_phnum = 1},
    .segment = {.p_type = PT_LOAD,
                .p_flags = PF_R | PF_X,
                .p_vaddr = TINY_ADDRESS,
                .p_filesz = sizeof(tiny_program),
                .p_memsz = sizeof(tiny_program),
                .p_align = 0x1000},
    /* xor edi, edi; mov eax, 231 (exit_group); syscall */
    .code = {0x31, 0xff, 0xb8, 0xe7, 0, 0, 0, 0x0f, 0x05},
};

static int create(int *error)
{
    int fd = (int)syscall(SYS_memfd_create, "tacho-doctor", MFD_CLOEXEC | MFD_EXEC);
    if (fd < 0 && errno == EINVAL) /* kernels before 6.3: always with the permission to execute */
        fd = (int)syscall(SYS_memfd_create, "tacho-doctor", MFD_CLOEXEC);
    *error = fd < 0 ? errno : 0;
    return fd;
}

/* In the child. @return an errno value; not at all where it works */
static int execute(int fd)
{
    char name[] = "tiny", *const argv[] = {name, NULL}, *const envp[] = {NULL};
    syscall(SYS_execveat, fd, "", argv, envp, AT_EMPTY_PATH);
    return errno;
}

static int install_filter(int unused)
{
    struct sock_filter allow_all = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {1, &allow_all};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        return errno;
    return 0;
}

/* @return 0 where the child ended with status 0; else an errno value, EPERM for a child that was killed */
static int try_in_child(int (*what)(int), int argument)
{
    int status = 0;
    pid_t child = fork();
    if (child < 0)
        return errno;
    if (!child)
        _exit(what(argument));
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return errno;
    return WIFEXITED(status) ? WEXITSTATUS(status) : EPERM;
}

void doctor_ask_sandbox(doctor_sandbox *out)
{
    *out = (doctor_sandbox){0};
    int fd = create(&out->memfd_error);
    if (fd >= 0) {
        out->exec_error = write(fd, &tiny, sizeof tiny) == sizeof tiny ? try_in_child(execute, fd) : EIO;
        close(fd);
    }
    out->seccomp_error = try_in_child(install_filter, 0);
}
