/* trial_layout.c - moving things in a program that waits before its first instruction.
 *
 * There the stack holds what the kernel has put down for the dynamic linker, from the stack pointer up: the
 * number of arguments, pointers to them, a null, pointers to the environment's strings, a null, the auxiliary
 * vector up to its AT_NULL (System V ABI for x86-64, section 3.4.1, "Initial Stack"). The strings and what
 * the vector points to lie above and stay where they are; the rest is only read from the stack pointer, so it
 * can be moved with it. The program break and a hole among the mappings are asked for by system calls that
 * the program itself is made to do. */
#include "machine/trial/trial_layout.h"

#include <elf.h>
#include <errno.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>

#include "base/hash.h"
#include "base/mem.h"

enum {
    PAGE_BYTES = 4096,
    MOST_WORDS = 1 << 18, /* on the initial stack: pointers to 2 MB of arguments and environment */
    SYSCALL_INSN = 0x050f,
    SYSCALL_BYTES = 2
};

tacho_layout tacho_layout_draw(uint64_t seed)
{
    enum {
        STEPS = PAGE_BYTES / TACHO_LAYOUT_STEP,
        PAGES = 256
    };
    tacho_layout l = {.fixed = true, .padded = true};
    l.environment_bytes = (uint32_t)(hash_next_random(&seed) % PAGE_BYTES);
    l.stack_bytes = (uint32_t)(hash_next_random(&seed) % STEPS * TACHO_LAYOUT_STEP);
    l.heap_bytes = (uint32_t)(hash_next_random(&seed) % STEPS * TACHO_LAYOUT_STEP);
    l.mmap_pages = (uint32_t)(hash_next_random(&seed) % PAGES);
    return l;
}

/* The list, and behind it, in the same block, the pad. */
const char **layout_environment(const tacho_layout *l, char *const *given)
{
    static const char name[] = "TACHO_PAD=";
    const size_t length = sizeof name - 1;
    size_t count = 0, kept = 0;
    while (given[count])
        count++;
    const char **out = tacho_mem_alloc((count + 2) * sizeof *out + length + l->environment_bytes + 1);
    if (!out)
        return NULL;
    char *pad = (char *)(out + count + 2);
    memcpy(pad, name, length);
    memset(pad + length, '0', l->environment_bytes);
    pad[length + l->environment_bytes] = '\0';
    for (size_t i = 0; i < count; i++)
        if (strncmp(given[i], name, length))
            out[kept++] = given[i];
    out[kept++] = pad;
    out[kept] = NULL;
    return out;
}

bool layout_moves(const tacho_layout *l)
{
    return l->stack_bytes || l->heap_bytes || l->mmap_pages;
}

/* ---- the program's memory ---- */

static bool read_words(pid_t pid, uint64_t address, uint64_t *out, size_t count)
{
    struct iovec here = {out, count * sizeof *out}, there = {(void *)(uintptr_t)address, here.iov_len};
    return process_vm_readv(pid, &here, 1, &there, 1, 0) == (ssize_t)here.iov_len;
}

static bool write_word(pid_t pid, uint64_t address, uint64_t word)
{
    return !ptrace(PTRACE_POKEDATA, pid, (void *)(uintptr_t)address, (void *)(uintptr_t)word);
}

/* ---- the stack ---- */

/* The words from the stack pointer to the end of the auxiliary vector. @return their number, 0: not found */
static size_t read_initial_stack(pid_t pid, uint64_t rsp, uint64_t *words)
{
    uint64_t *w = words, *end = words + MOST_WORDS;
    int nulls = 0; /* ends of the arguments and of the environment */
    while (w < end && read_words(pid, rsp + (uint64_t)(w - words) * sizeof *w, w, 1)) {
        nulls += w > words && !*w;
        w++;
        if (nulls == 2)
            break;
    }
    for (; nulls == 2 && w + 2 <= end && read_words(pid, rsp + (uint64_t)(w - words) * sizeof *w, w, 2);) {
        w += 2;
        if (w[-2] == AT_NULL)
            return (size_t)(w - words);
    }
    return 0;
}

static int move_stack(pid_t pid, struct user_regs_struct *regs, uint32_t bytes)
{
    uint64_t *words = tacho_mem_alloc(MOST_WORDS * sizeof *words);
    if (!words)
        return ENOMEM;
    size_t count = read_initial_stack(pid, regs->rsp, words);
    int error = count ? 0 : EFAULT;
    /* Upwards: what is overwritten is copied already. */
    for (size_t i = 0; i < count && !error; i++)
        error = write_word(pid, regs->rsp - bytes + i * sizeof *words, words[i]) ? 0 : EFAULT;
    tacho_mem_free(words);
    regs->rsp -= bytes;
    return error;
}

/* ---- system calls that the program does ---- */

static bool step(pid_t pid)
{
    int status;
    if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL))
        return false;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    return WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP;
}

/* Has the program do a system call. @return what it gave, a negative errno where it failed */
static int64_t do_call(pid_t pid, const struct user_regs_struct *regs, uint64_t number,
                       const uint64_t args[6])
{
    uint64_t code;
    struct user_regs_struct r = *regs;
    r.rax = number;
    r.rdi = args[0];
    r.rsi = args[1];
    r.rdx = args[2];
    r.r10 = args[3];
    r.r8 = args[4];
    r.r9 = args[5];
    r.orig_rax = UINT64_MAX; /* this is no system call to be begun again */
    if (!read_words(pid, regs->rip, &code, 1) ||
        !write_word(pid, regs->rip, (code & ~(uint64_t)0xffff) | SYSCALL_INSN))
        return -EFAULT;
    bool done = !ptrace(PTRACE_SETREGS, pid, NULL, &r) && step(pid) && !ptrace(PTRACE_GETREGS, pid, NULL, &r);
    done = write_word(pid, regs->rip, code) && done && r.rip == regs->rip + SYSCALL_BYTES;
    return done ? (int64_t)r.rax : -EIO;
}

static int move_break(pid_t pid, const struct user_regs_struct *regs, uint32_t bytes)
{
    int64_t now = do_call(pid, regs, SYS_brk, (const uint64_t[6]){0});
    if (now <= 0)
        return now ? (int)-now : ENOMEM;
    uint64_t wanted = (uint64_t)now + bytes;
    int64_t got = do_call(pid, regs, SYS_brk, (const uint64_t[6]){wanted});
    return got < 0 ? (int)-got : (uint64_t)got == wanted ? 0 : ENOMEM;
}

/* Memory that nobody may use, where the next mapping would have come. */
static int move_mappings(pid_t pid, const struct user_regs_struct *regs, uint32_t pages)
{
    const uint64_t args[6] = {0,          (uint64_t)pages * PAGE_BYTES,
                              PROT_NONE,  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                              UINT64_MAX, 0};
    int64_t got = do_call(pid, regs, SYS_mmap, args);
    return got < 0 && got > -PAGE_BYTES ? (int)-got : 0;
}

int layout_apply(pid_t pid, const tacho_layout *l)
{
    struct user_regs_struct regs;
    int error = ptrace(PTRACE_GETREGS, pid, NULL, &regs) ? errno : 0;
    if (!error && regs.cs != 0x33) /* a 32-bit program */
        error = ENOEXEC;
    if (!error && l->heap_bytes)
        error = move_break(pid, &regs, l->heap_bytes);
    if (!error && l->mmap_pages)
        error = move_mappings(pid, &regs, l->mmap_pages);
    if (!error && l->stack_bytes)
        error = move_stack(pid, &regs, l->stack_bytes);
    if (!error && ptrace(PTRACE_SETREGS, pid, NULL, &regs))
        error = errno;
    return error;
}
