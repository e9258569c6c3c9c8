/* test_process.c - running other programs: much text both ways, ends of all kinds, and nothing left behind.
 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/process.h"
#include "base/seconds.h"

typedef struct ran {
    tacho_process_end end;
    tacho_str out, errors;
    double seconds;
} ran;

static ran run_shell(const char *script, const char *input, size_t input_size, tacho_process limits)
{
    ran r = {0};
    const char *argv[] = {"sh", "-c", script, NULL};
    char path[4096];
    assert_true(tacho_process_find("sh", path, sizeof path));
    limits.path = path;
    limits.argv = argv;
    limits.file = -1;
    limits.seconds = limits.seconds > 0 ? limits.seconds : 60;
    limits.file_bytes = limits.file_bytes ? limits.file_bytes : 64 << 20;
    double start = seconds_now();
    assert_int_equal(tacho_process_run_text(&limits, input, input_size, &r.out, &r.errors, &r.end), 0);
    r.seconds = seconds_now() - start;
    return r;
}

static void release(ran *r)
{
    tacho_str_free(&r->out);
    tacho_str_free(&r->errors);
}

static void test_process__texts_go_through(void **state)
{
    const size_t size = 5 << 20;
    char *text = malloc(size);
    assert_non_null(text);
    for (size_t i = 0; i < size; i++)
        text[i] = (char)(i * 2654435761u >> 13);
    ran r = run_shell("tee /proc/self/fd/2", text, size, (tacho_process){0});
    assert_int_equal(r.end.exit_status, 0);
    assert_int_equal(r.out.length, size);
    assert_memory_equal(r.out.data, text, size);
    release(&r);
    r = run_shell("exec <&-; echo out; echo err >&2", text, size, (tacho_process){0}); /* reads nothing */
    assert_int_equal(r.end.exit_status, 0);
    assert_string_equal(r.out.data, "out\n");
    assert_string_equal(r.errors.data, "err\n");
    release(&r);
    free(text);
}

static void test_process__ends(void **state)
{
    ran r = run_shell("exit 42", "", 0, (tacho_process){0});
    assert_int_equal(r.end.exit_status, 42);
    assert_int_equal(r.end.signal, 0);
    assert_false(r.end.timed_out);
    assert_string_equal(r.out.data, "");
    release(&r);
    r = run_shell("kill -SEGV $$", "", 0, (tacho_process){0});
    assert_int_equal(r.end.exit_status, -1);
    assert_int_equal(r.end.signal, SIGSEGV);
    release(&r);
    r = run_shell("cat /dev/zero", "", 0, (tacho_process){.file_bytes = 100000});
    assert_int_not_equal(r.end.exit_status, 0);
    assert_in_range(r.out.length, 1, 100000);
    release(&r);
    r = run_shell("while :; do :; done", "", 0, (tacho_process){.cpu_seconds = 1});
    assert_int_equal(r.end.signal, SIGXCPU);
    release(&r);
}

/* Not a zombie that nobody has reaped yet. (An empty command line says less: a process that is just executing
 * another program has none for a moment.) */
static bool alive(long pid)
{
    char path[64], line[512] = "";
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    FILE *f = fopen(path, "r");
    if (f && !fgets(line, sizeof line, f)) /* it has gone since */
        *line = '\0';
    if (f)
        fclose(f);
    const char *state = strrchr(line, ')'); /* behind the program's name */
    return state && !strchr("ZX", state[2]);
}

static void wait_until_gone(long pid)
{
    assert_true(pid > 1);
    for (int i = 0; i < 1000 && alive(pid); i++)
        usleep(10000);
    assert_false(alive(pid));
}

static void test_process__what_hangs_is_killed_with_its_children(void **state)
{
    ran r = run_shell("trap '' TERM; sleep 1000 & echo $!; wait", "", 0, (tacho_process){.seconds = 0.3});
    assert_true(r.end.timed_out);
    assert_int_equal(r.end.exit_status, -1);
    assert_true(r.seconds >= 0.3 && r.seconds < 100);
    wait_until_gone(atol(r.out.data));
    release(&r);
}

static void test_process__what_is_left_running_is_killed(void **state)
{
    ran r = run_shell("sleep 1000 & echo $!", "", 0, (tacho_process){0});
    assert_false(r.end.timed_out);
    assert_int_equal(r.end.exit_status, 0);
    wait_until_gone(atol(r.out.data));
    release(&r);
    r = run_shell("exec 4>&-; sleep 0.2; exit 3", "", 0, (tacho_process){0}); /* closes what is not its own */
    assert_false(r.end.timed_out);
    assert_int_equal(r.end.exit_status, 3);
    release(&r);
}

static void test_process__signals_are_as_usual(void **state)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    sigset_t all, mask;
    sigaction(SIGTERM, &ignore, &before);
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &mask);
    ran r = run_shell("kill -TERM $$", "", 0, (tacho_process){0});
    sigprocmask(SIG_SETMASK, &mask, NULL);
    sigaction(SIGTERM, &before, NULL);
    assert_int_equal(r.end.signal, SIGTERM);
    release(&r);
}

static void test_process__descriptors_are_not_inherited(void **state)
{
    int extra = dup(2); /* not closed on exec */
    assert_true(extra > 2);
    ran r = run_shell("for f in /proc/self/fd/*; do echo ${f##*/}; done | sort -n | tr '\\n' ' '", "", 0,
                      (tacho_process){0});
    close(extra);
    assert_int_equal(r.end.exit_status, 0);
    assert_true(!strncmp(r.out.data, "0 1 2 ", 6));
    /* one more is the directory that the shell lists */
    assert_true(strlen(r.out.data) <= strlen("0 1 2 3 4 "));
    release(&r);
}

static void test_process__what_cannot_start(void **state)
{
    char path[4096];
    tacho_process_end end;
    tacho_str out = {0}, errors = {0};
    const char *argv[] = {"x", NULL};
    tacho_process p = {.path = "/nowhere/x", .argv = argv, .file = -1, .seconds = 1, .file_bytes = 100};
    assert_false(tacho_process_find("no-such-program-of-tacho", path, sizeof path));
    assert_false(tacho_process_find("/nowhere/x", path, sizeof path));
    assert_false(tacho_process_find("/tmp/", path, sizeof path)); /* a folder, which could be entered */
    assert_int_equal(tacho_process_run_text(&p, "", 0, &out, &errors, &end), -1);
    assert_int_equal(errno, ENOENT);
    p.path = "/bin/sh";
    p.directory = "/nowhere";
    assert_int_equal(tacho_process_run_text(&p, "", 0, &out, &errors, &end), -1);
    assert_int_equal(errno, ENOENT);
    tacho_str_free(&out);
    tacho_str_free(&errors);
}

/* Descriptors used to be put aside beyond those that a process may have: "Invalid argument". */
static void test_process__few_descriptors_are_enough_or_the_reason(void **state)
{
    struct rlimit was, few;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &was), 0);
    few = was;
    for (few.rlim_cur = 16; few.rlim_cur >= 4; few.rlim_cur--) {
        char path[4096];
        tacho_process_end end;
        tacho_str out = {0}, errors = {0};
        const char *argv[] = {"true", NULL};
        tacho_process p = {.argv = argv, .file = -1, .seconds = 60, .file_bytes = 100};
        assert_true(tacho_process_find("true", path, sizeof path));
        p.path = path;
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
        int result = tacho_process_run_text(&p, "", 0, &out, &errors, &end), error = errno;
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &was), 0);
        if (result)
            assert_int_equal(error, EMFILE);
        assert_true(!result || few.rlim_cur < 16);
        tacho_str_free(&out);
        tacho_str_free(&errors);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_process__texts_go_through),
        cmocka_unit_test(test_process__ends),
        cmocka_unit_test(test_process__what_hangs_is_killed_with_its_children),
        cmocka_unit_test(test_process__what_is_left_running_is_killed),
        cmocka_unit_test(test_process__signals_are_as_usual),
        cmocka_unit_test(test_process__descriptors_are_not_inherited),
        cmocka_unit_test(test_process__what_cannot_start),
        cmocka_unit_test(test_process__few_descriptors_are_enough_or_the_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
