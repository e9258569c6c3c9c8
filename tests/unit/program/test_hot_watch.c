/* test_hot_watch.c - watchpoints on a process of our own, whose accesses are known: not how long waits are,
 * but what is touched again, in which order. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/seconds.h"
#include "program/hot/hot_watch.h"
#include "program/windows/windows.h"

enum {
    LOOKS = 60,
    PAUSE = 3000, /* microseconds from look to look */
    SMALL = 1 << 20,
    LARGE = 1 << 26
};
static const double most_seconds = 20;

/* Goes along memory by so many bytes, again and again; `from` is not changed. */
static void walk(char *from, uint64_t bytes, uint64_t stride)
{
    for (;;)
        __asm__ volatile("xorl %%ecx, %%ecx\n"
                         "1: movq (%0,%%rcx), %%rdx\n"
                         "addq %2, %%rcx\n"
                         "cmpq %1, %%rcx\n"
                         "jb 1b\n" ::"r"(from),
                         "r"(bytes), "r"(stride)
                         : "rcx", "rdx", "memory");
}

static pid_t start(uint64_t bytes, uint64_t stride)
{
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (!pid) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        memset(memory, 1, bytes);
        memset(memory, 1, bytes);
        walk(memory, bytes, stride);
    }
    munmap(memory, bytes);
    return pid;
}

static void end(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

static void skip_for(pid_t pid, const char *what, int error)
{
    printf("skipped: %s: %s\n", what, strerror(error));
    end(pid);
    skip();
}

/* Looks at a child until LOOKS of its lines were watched. Frees nothing: the list lives with the result. */
static hot_watch *look_at(pid_t pid)
{
    windows *engine = windows_new();
    hot_watch *w = hot_watch_new();
    assert_true(engine && w);
    const windows_look look = hot_watch_look(w);
    const double began = seconds_now();
    size_t count = 0;
    while (count < LOOKS && seconds_now() - began < most_seconds) {
        if (hot_watch_error(w))
            skip_for(pid, "perf_event", hot_watch_error(w));
        if (windows_visit(engine, &(visit){.process = pid,
                                           .thread = pid,
                                           .kept = pid,
                                           .most = WATCH_LOOK_STEPS,
                                           .look = &look}) == VISIT_REFUSED)
            skip_for(pid, "ptrace", errno);
        usleep(PAUSE);
        hot_watch_collect(w);
        hot_watch_lines(w, &count);
    }
    assert_int_equal(windows_count(engine), 0); /* looks are none */
    assert_int_equal(windows_steps(engine), 0);
    windows_free(engine);
    end(pid);
    if (count < LOOKS / 2) {
        hot_watch_free(w);
        printf("skipped: the processor was others'\n");
        skip();
    }
    return w;
}

/* Each word once in a walk: from touch to touch a whole walk, five times. */
static void test_watch__a_walk_that_comes_back(void **state)
{
    (void)state;
    size_t count, again = 0;
    hot_watch *w = look_at(start(SMALL, 8));
    const watched_line *l = hot_watch_lines(w, &count);
    for (size_t i = 0; i < count; i++) {
        for (int k = 1; k < WATCH_GAPS; k++)
            again += l[i].gaps[k].touched && l[i].gaps[k].time > 0;
        assert_false(l[i].store);
        assert_true(l[i].offset == l[0].offset && l[i].object == l[0].object);
    }
    assert_true(again > (WATCH_GAPS - 1) * count / 2);
    assert_true(hot_watch_cost(w) > 0);
    hot_watch_free(w);
}

/* By four bytes, eight at a time: three touches of a word, and then a walk. */
static void test_watch__several_touches_of_a_visit(void **state)
{
    (void)state;
    size_t count, soon = 0, last = 0;
    hot_watch *w = look_at(start(SMALL, 4));
    const watched_line *l = hot_watch_lines(w, &count);
    for (size_t i = 0; i < count; i++) {
        soon += l[i].gaps[1].touched && !(l[i].gaps[1].time > 0);
        last += l[i].gaps[WATCH_GAPS - 1].touched && l[i].gaps[WATCH_GAPS - 1].time > 0;
    }
    assert_true(soon > count / 8);
    assert_true(last > count / 2);
    hot_watch_free(w);
}

/* By lines, through more than a cache has: not at once, and replaced where it takes longer than that. */
static void test_watch__a_long_way_round(void **state)
{
    (void)state;
    size_t count;
    hot_watch *w = look_at(start(LARGE, 64));
    const watched_line *l = hot_watch_lines(w, &count);
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < WATCH_GAPS && (!k || l[i].gaps[k - 1].touched); k++)
            assert_true(!l[i].gaps[k].touched || l[i].gaps[k].time > 0);
    hot_watch_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_watch__a_walk_that_comes_back),
        cmocka_unit_test(test_watch__several_touches_of_a_visit),
        cmocka_unit_test(test_watch__a_long_way_round),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
