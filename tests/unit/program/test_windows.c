/* test_windows.c - windows of a process of our own: what is told of its instructions, and that it does not
 * notice. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/mem.h"
#include "program/windows/windows.h"
#include "x86/decode/insn_struct.h"

enum {
    MOST = 200,
    TRIES = 200
};

static const double value_in_memory = 2.5;

static void load_and_add(void)
{
    __asm__ volatile("movups (%0), %%xmm1\n"
                     "xorl %%ecx, %%ecx\n"
                     "1: movq (%0), %%rdx\n"
                     "addq $3, %%rcx\n"
                     "jmp 1b\n" ::"r"(&value_in_memory)
                     : "rcx", "rdx", "xmm1", "memory");
}

/* The child is about to run the function, or in it. */
static pid_t start(void (*child)(void))
{
    volatile bool *begun =
        mmap(NULL, sizeof *begun, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(begun != MAP_FAILED);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (!pid) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        *begun = true;
        child();
        _exit(0);
    }
    while (!*begun)
        usleep(1000);
    munmap((void *)begun, sizeof *begun);
    return pid;
}

static void end(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

/* A window, tried again while the thread does not run yet. */
static visit_end visit_thread(windows *w, pid_t pid)
{
    visit_end got = VISIT_ELSEWHERE;
    for (int i = 0; i < TRIES && got == VISIT_ELSEWHERE; i++) {
        got = windows_visit(
            w, &(visit){.process = pid, .thread = pid, .kept = pid, .most = MOST, .seconds = 1.5});
        if (got == VISIT_ELSEWHERE)
            usleep(10000);
    }
    if (got == VISIT_REFUSED) {
        printf("skipped: ptrace: %s\n", strerror(errno));
        end(pid);
        skip();
    }
    return got;
}

typedef struct noted {
    int begun, ended, steps, loads;
    uint64_t former_count, process;
    const tacho_insn *add;
    bool odd; /* something that was told is not so */
    double seconds;
    const windows *w;
} noted;

static void note_begin(void *payload, uint64_t process, uint64_t thread, double seconds)
{
    noted *n = payload;
    n->begun++;
    n->odd |= process != thread;
    n->process = process;
    n->seconds = seconds;
    n->former_count = 0;
}

static void note_values(noted *n, const step *s)
{
    double in_register[8] = {-1}, in_memory = -1;
    uint32_t mxcsr = 0;
    n->odd |= !s->values->memory(s->values->payload, (uint64_t)(uintptr_t)&value_in_memory, &in_memory, 8);
    n->odd |= !s->values->vector(s->values->payload, 1, (uint8_t *)in_register);
    n->odd |= !s->values->mxcsr(s->values->payload, &mxcsr);
    n->odd |= s->values->vector(s->values->payload, 32, (uint8_t *)in_register + 32);
    n->odd |= in_memory != value_in_memory || in_register[0] != value_in_memory;
    n->odd |= (mxcsr & 0x1f80) != 0x1f80; /* all exceptions masked, as a process begins */
}

static void note_step(void *payload, const step *s)
{
    noted *n = payload;
    n->odd |= s->process != n->process || s->index != (uint64_t)(n->steps % MOST) || !s->insn;
    n->steps++;
    if (s->access_count == 1 && s->accesses[0].address == (uint64_t)(uintptr_t)&value_in_memory) {
        n->loads++;
        n->odd |= s->accesses[0].bytes != 8 || s->accesses[0].store;
        note_values(n, s);
    }
    if (s->registers->rcx && n->former_count)
        n->odd |= s->registers->rcx != n->former_count && s->registers->rcx != n->former_count + 3;
    n->former_count = s->registers->rcx;
    const windows_object *o = windows_object_at(n->w, s->object);
    n->odd |= *o->path != '/' || !o->inode || o->process;
}

static void note_end(void *payload, double taken)
{
    noted *n = payload;
    n->ended++;
}

static const step_observer watcher = {.begin = note_begin, .step = note_step, .end = note_end};

static void test_windows__tell_of_each_instruction(void **state)
{
    (void)state;
    windows *w = windows_new();
    noted n = {.w = w};
    step_observer o = watcher;
    o.payload = &n;
    assert_true(windows_add(w, &o));
    pid_t pid = start(load_and_add);
    for (int i = 0; i < 3; i++)
        assert_int_equal(visit_thread(w, pid), VISIT_DONE);
    assert_false(n.odd);
    assert_int_equal(n.begun, 3);
    assert_int_equal(n.ended, 3);
    assert_true(n.steps == 3 * MOST && n.loads > MOST - 3);
    assert_true(n.seconds == 1.5);
    assert_int_equal(windows_count(w), 3);
    assert_int_equal(windows_steps(w), n.steps);
    assert_false(windows_failed(w));
    end(pid);
    windows_free(w);
}

/* The same code in two processes is the same instruction. */
static void note_code(void *payload, const step *s)
{
    noted *n = payload;
    if (s->registers->rdx && s->insn && !s->access_count && !s->insn->is_branch) {
        n->odd |= n->add && n->add != s->insn;
        n->add = s->insn;
    }
}

static void test_windows__code_of_two_processes_is_the_same(void **state)
{
    (void)state;
    windows *w = windows_new();
    noted n = {.w = w};
    assert_true(windows_add(w, &(step_observer){.step = note_code, .payload = &n}));
    for (int i = 0; i < 2; i++) {
        pid_t pid = start(load_and_add);
        usleep(20000);
        assert_int_equal(visit_thread(w, pid), VISIT_DONE);
        end(pid);
    }
    assert_non_null(n.add);
    assert_false(n.odd);
    windows_free(w);
}

static void sleep_for_ever(void)
{
    for (;;)
        pause();
}

static void test_windows__leave_alone_what_waits(void **state)
{
    (void)state;
    windows *w = windows_new();
    pid_t pid = start(sleep_for_ever);
    usleep(50000);
    const visit v = {.process = pid, .thread = pid, .kept = pid, .most = MOST};
    assert_int_equal(windows_visit(w, &v), VISIT_ELSEWHERE);
    assert_int_equal(windows_count(w), 0);
    end(pid);
    assert_int_equal(windows_visit(w, &v), VISIT_ELSEWHERE); /* there is none any more */
    windows_free(w);
}

static void test_windows__what_is_traced_already_is_refused(void **state)
{
    (void)state;
    windows *w = windows_new();
    pid_t pid = start(load_and_add), tracer = fork();
    assert_true(tracer >= 0);
    if (!tracer) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        ptrace(PTRACE_SEIZE, pid, NULL, NULL);
        sleep_for_ever();
    }
    usleep(100000);
    errno = 0;
    visit_end got = windows_visit(w, &(visit){.process = pid, .thread = pid, .kept = pid, .most = MOST});
    assert_true(got == VISIT_REFUSED && errno == EPERM);
    end(tracer);
    end(pid);
    windows_free(w);
}

/* ---- the program does not notice ---- */

static volatile sig_atomic_t alarms;

static void on_alarm(int signal)
{
    (void)signal;
    alarms++;
}

static void *count_up(void *payload)
{
    uint64_t *sum = payload;
    for (uint64_t i = 0; i < 20000000; i++)
        __asm__ volatile("add %1, %0" : "+r"(*sum) : "r"(i));
    return NULL;
}

/* Pushed flags have none by which a later POPF would stop the program. */
static bool flags_are_clean(void)
{
    uint64_t flags;
    __asm__ volatile("pushf\npop %0\npush %0\npopf" : "=r"(flags)::"memory", "cc");
    return !(flags & 0x100);
}

static __attribute__((noinline)) bool runs_true(bool by_vfork)
{
    int status = 0;
    pid_t child = by_vfork ? vfork() : fork();
    if (!child) {
        execl("/bin/true", "true", (char *)NULL);
        _exit(7);
    }
    return child > 0 && waitpid(child, &status, 0) == child && !status;
}

/* Ends with 0 if all is as it should be; each failure has a number. */
static void do_this_and_that(void)
{
    const struct itimerval often = {{0, 2000}, {0, 2000}};
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    signal(SIGALRM, on_alarm);
    for (int round = 0; round < 6; round++) {
        uint64_t sums[2] = {0};
        pthread_t thread;
        struct epoll_event event;
        setitimer(ITIMER_REAL, &often, NULL);
        if (pthread_create(&thread, NULL, count_up, &sums[1]))
            _exit(1);
        count_up(&sums[0]);
        pthread_join(thread, NULL);
        if (sums[0] != sums[1] || sums[0] != 199999990000000u)
            _exit(2);
        if (!alarms)
            _exit(3);
        setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
        for (int i = 0; i < 2000; i++) {
            if (!flags_are_clean())
                _exit(4);
            if (epoll_wait(epoll, &event, 1, 0) < 0 || (i % 500 == 0 && epoll_wait(epoll, &event, 1, 1) < 0))
                _exit(5);
        }
        if (!runs_true(round % 2))
            _exit(8);
    }
    _exit(0);
}

static void test_windows__the_program_does_not_notice(void **state)
{
    (void)state;
    windows *w = windows_new();
    pid_t pid = start(do_this_and_that);
    siginfo_t info = {0};
    for (;;) {
        assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT), 0);
        if (info.si_pid && info.si_code != CLD_TRAPPED && info.si_code != CLD_STOPPED)
            break;
        if (windows_visit(w, &(visit){.process = pid, .thread = pid, .kept = pid, .most = 20}) ==
            VISIT_REFUSED)
            break;
        usleep(500);
    }
    int status = -1;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    printf("%d windows\n", (int)windows_count(w));
    windows_free(w);
}

static void test_windows__without_memory_end_early(void **state)
{
    (void)state;
    windows *w = windows_new();
    pid_t pid = start(load_and_add);
    assert_int_equal(visit_thread(w, pid), VISIT_DONE);
    uint64_t steps = windows_steps(w);
    end(pid);
    pid = start(load_and_add);
    usleep(50000);
    tacho_mem_fail_at(1);
    visit_end got = windows_visit(w, &(visit){.process = pid, .thread = pid, .kept = pid, .most = MOST});
    tacho_mem_fail_at(0);
    assert_true(got != VISIT_DONE || (windows_failed(w) && windows_steps(w) == steps));
    end(pid);
    windows_free(w);
}

static void test_windows__take_so_many_observers(void **state)
{
    (void)state;
    windows *w = windows_new();
    for (int i = 0; i < WINDOWS_MOST_OBSERVERS; i++)
        assert_true(windows_add(w, &watcher));
    assert_false(windows_add(w, &watcher));
    windows_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_windows__tell_of_each_instruction),
        cmocka_unit_test(test_windows__code_of_two_processes_is_the_same),
        cmocka_unit_test(test_windows__leave_alone_what_waits),
        cmocka_unit_test(test_windows__what_is_traced_already_is_refused),
        cmocka_unit_test(test_windows__the_program_does_not_notice),
        cmocka_unit_test(test_windows__without_memory_end_early),
        cmocka_unit_test(test_windows__take_so_many_observers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
