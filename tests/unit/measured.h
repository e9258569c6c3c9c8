/* measured.h - tests whose assertions are of times. Each has a process of its own. Where one of its
 * assertions does not hold it is done again, a few times: a machine that others use is quiet at another
 * moment, and what is broken fails each time. Each time is told ("again: ..."; tests/summary.sh,
 * bench/first-try count them). Where a loop gets less than STARVED of a processor after all attempts, nothing
 * can be told, and the test is left out ("skipped: ..."): what is broken fails on a machine that is less
 * busy. A crash, a leak or a sanitizer's report is no assertion and counts at once. */
#ifndef TESTS_UNIT_MEASURED_H
#define TESTS_UNIT_MEASURED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

enum {
    MEASURED_ATTEMPTS = 3
};
#define STARVED 0.6

/* The part of a processor that a loop of half a second gets. */
static inline double measured_share(void)
{
    struct timespec from, now, used_from, used;
    double elapsed;
    clock_gettime(CLOCK_MONOTONIC, &from);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used_from);
    do {
        clock_gettime(CLOCK_MONOTONIC, &now);
        elapsed = (double)(now.tv_sec - from.tv_sec) + 1e-9 * (double)(now.tv_nsec - from.tv_nsec);
    } while (elapsed < 0.5);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return ((double)(used.tv_sec - used_from.tv_sec) + 1e-9 * (double)(used.tv_nsec - used_from.tv_nsec)) /
           elapsed;
}

static inline bool measured_passes(const struct CMUnitTest *test)
{
    bool assertion = false;
    for (int attempt = 1; attempt <= MEASURED_ATTEMPTS; attempt++) {
        int status = -1;
        assertion = false;
        fflush(NULL);
        pid_t pid = fork();
        if (pid == 0) {
            if (_cmocka_run_group_tests(test->name, test, 1, NULL, NULL)) {
                fflush(NULL);
                _exit(1); /* what a test that was cut off leaves behind is no leak */
            }
            exit(0);
        }
        if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status) > 1)
            break;
        if (!WEXITSTATUS(status))
            return true;
        assertion = true;
        if (attempt < MEASURED_ATTEMPTS)
            print_message("again: %s: attempt %d of %d failed\n", test->name, attempt, MEASURED_ATTEMPTS);
    }
    if (assertion && measured_share() < STARVED) {
        print_message("skipped: %s: the processors are too busy with something else\n", test->name);
        return true;
    }
    return false;
}

/** @return the number of tests that failed */
static inline int measured_run(const struct CMUnitTest *tests, size_t count)
{
    int failed = 0;
    for (size_t i = 0; i < count; i++)
        failed += !measured_passes(&tests[i]);
    return failed;
}

#endif
