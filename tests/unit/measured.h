/* measured.h - tests whose assertions are of times. Each has a process of its own. Where one of its
 * assertions does not hold it is done again, a few times: a machine that others use is quiet at another
 * moment, and what is broken fails each time. Each time is told ("again: ..."; tests/summary.sh,
 * bench/first-try count them). A crash, a leak or a sanitizer's report is no assertion and counts at once. */
#ifndef TESTS_UNIT_MEASURED_H
#define TESTS_UNIT_MEASURED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

enum {
    MEASURED_ATTEMPTS = 3
};

static inline bool measured_passes(const struct CMUnitTest *test)
{
    for (int attempt = 1; attempt <= MEASURED_ATTEMPTS; attempt++) {
        int status = -1;
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
        if (attempt < MEASURED_ATTEMPTS)
            print_message("again: %s: attempt %d of %d failed\n", test->name, attempt, MEASURED_ATTEMPTS);
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
