/* test_trial.c - runs of a command: where things lie, how it ended, what it took. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <signal.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/mem.h"
#include "machine/trial/trial_layout.h"
#include "tacho/trial.h"

static char *probe;
static tacho_error err;

typedef struct places {
    uintptr_t stack, heap, mapping;
    long pad, cpu; /* as wide as the others: nothing between them, as places are compared whole */
} places;

static tacho_trials *make(tacho_trials_options o)
{
    o.output_bytes = 4096;
    tacho_trials *t = tacho_trials_new(&o, &err);
    if (!t)
        fail_msg("%s", err.message);
    return t;
}

static tacho_trial run(tacho_trials *t, char *rounds, char *status, const tacho_layout *layout)
{
    char *argv[] = {probe, rounds, status, NULL};
    tacho_command c = {.argv = argv};
    tacho_trial out;
    if (tacho_trials_run(t, &c, layout, &out, &err))
        fail_msg("%s", err.message);
    return out;
}

static places look(tacho_trials *t, const tacho_layout *layout)
{
    tacho_trial out = run(t, NULL, NULL, layout);
    places p;
    assert_int_equal(out.exit_status, 0);
    assert_int_equal(sscanf(out.output,
                            "stack %" SCNuPTR " heap %" SCNuPTR " mapping %" SCNuPTR
                            " pad %ld argument - cpu %ld",
                            &p.stack, &p.heap, &p.mapping, &p.pad, &p.cpu),
                     5);
    return p;
}

/* Whether stack, heap and mappings can be moved here; says so where not. */
static bool can_move(tacho_trials *t)
{
    char *argv[] = {probe, NULL};
    tacho_command c = {.argv = argv};
    tacho_layout l = {.fixed = true, .heap_bytes = 16};
    tacho_trial out;
    if (!tacho_trials_run(t, &c, &l, &out, &err))
        return true;
    print_message("skipped: %s\n", err.message);
    return false;
}

static void test_layout__each_part_moves_by_what_was_asked(void **state)
{
    tacho_trials *t = make((tacho_trials_options)TACHO_TRIALS_OPTIONS_INIT);
    if (can_move(t)) {
        places base = look(t, &(tacho_layout){.fixed = true, .padded = true});
        places again = look(t, &(tacho_layout){.fixed = true, .padded = true});
        assert_memory_equal(&base, &again, sizeof base);
        places moved = look(t, &(tacho_layout){.fixed = true, .padded = true, .stack_bytes = 1616});
        assert_int_equal(base.stack - moved.stack, 1616);
        assert_int_equal(moved.heap, base.heap);
        assert_int_equal(moved.mapping, base.mapping);
        moved = look(t, &(tacho_layout){.fixed = true, .padded = true, .heap_bytes = 4080});
        assert_int_equal(moved.heap % 4096, (base.heap + 4080) % 4096);
        assert_int_equal(moved.stack, base.stack);
        moved = look(t, &(tacho_layout){.fixed = true, .padded = true, .mmap_pages = 5});
        assert_int_equal(base.mapping - moved.mapping, 5 * 4096);
        assert_int_equal(moved.stack, base.stack);
        moved = look(t, &(tacho_layout){.fixed = true, .padded = true, .environment_bytes = 160});
        assert_int_equal(base.stack - moved.stack, 160);
        assert_int_equal(moved.pad, 160);
        assert_int_equal(look(t, NULL).pad, -1);
    }
    tacho_trials_free(t);
}

static void test_layout__drawn_ones_differ_and_repeat(void **state)
{
    tacho_trials *t = make((tacho_trials_options)TACHO_TRIALS_OPTIONS_INIT);
    tacho_layout a = tacho_layout_draw(1), b = tacho_layout_draw(2), c = tacho_layout_draw(1);
    assert_true(c.fixed && c.padded);
    assert_int_equal(a.environment_bytes, c.environment_bytes);
    assert_int_equal(a.stack_bytes, c.stack_bytes);
    assert_int_equal(a.heap_bytes, c.heap_bytes);
    assert_int_equal(a.mmap_pages, c.mmap_pages);
    assert_true(a.fixed && a.padded && a.stack_bytes % TACHO_LAYOUT_STEP == 0 && a.stack_bytes < 4096);
    if (can_move(t)) {
        places first = look(t, &a), again = look(t, &c), other = look(t, &b);
        assert_memory_equal(&first, &again, sizeof first);
        assert_int_not_equal(first.stack, other.stack);
        assert_int_not_equal(first.mapping, other.mapping);
    }
    tacho_trials_free(t);
}

static void test_layout__the_pad_comes_last_in_place_of_another(void **state)
{
    char first[] = "A=1", old[] = "TACHO_PAD=00", last[] = "TACHO_PADDED=1",
         *given[] = {first, old, last, NULL};
    const tacho_layout l = {.padded = true, .environment_bytes = 3};
    (void)state;
    const char **e = layout_environment(&l, given);
    assert_non_null(e);
    assert_ptr_equal(e[0], first);
    assert_ptr_equal(e[1], last);
    assert_string_equal(e[2], "TACHO_PAD=000");
    assert_null(e[3]);
    tacho_mem_free(e);
    tacho_mem_fail_at(1);
    assert_null(layout_environment(&l, given));
    tacho_mem_fail_at(0);
}

static void test_layout__what_is_out_of_range_is_an_error(void **state)
{
    const tacho_layout wrong[] = {{.stack_bytes = 8},
                                  {.heap_bytes = 24},
                                  {.environment_bytes = TACHO_LAYOUT_MAX_PAD + 1},
                                  {.mmap_pages = TACHO_LAYOUT_MAX_PAGES + 1}};
    tacho_trials *t = make((tacho_trials_options)TACHO_TRIALS_OPTIONS_INIT);
    char *argv[] = {probe, NULL};
    tacho_command c = {.argv = argv};
    tacho_trial out;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(tacho_trials_run(t, &c, &wrong[i], &out, &err), TACHO_ERR_USAGE);
    tacho_trials_free(t);
}

static void test_run__ends(void **state)
{
    tacho_trials *t = make((tacho_trials_options)TACHO_TRIALS_OPTIONS_INIT);
    assert_int_equal(run(t, "1", "7", NULL).exit_status, 7);
    tacho_trial crashed = run(t, "1", "crash", NULL);
    assert_int_equal(crashed.signal, SIGABRT);
    assert_int_equal(crashed.exit_status, -1);
    char *nothing[] = {"no-such-command", NULL}, *folder[] = {"/tmp", NULL};
    tacho_command c = {.argv = nothing};
    tacho_trial out;
    assert_int_equal(tacho_trials_run(t, &c, NULL, &out, &err), TACHO_ERR_INPUT);
    assert_non_null(strstr(err.message, "no-such-command"));
    c.argv = folder;
    assert_int_equal(tacho_trials_run(t, &c, NULL, &out, &err), TACHO_ERR_INPUT);
    char *real[] = {probe, NULL};
    c = (tacho_command){.argv = real, .input = "/no/such/file"};
    assert_int_equal(tacho_trials_run(t, &c, NULL, &out, &err), TACHO_ERR_INPUT);
    assert_non_null(strstr(err.message, "/no/such/file"));
    c = (tacho_command){.argv = real, .directory = "/no/such/folder"};
    assert_int_equal(tacho_trials_run(t, &c, NULL, &out, &err), TACHO_ERR_INPUT);
    tacho_trials_free(t);
}

static void test_run__time_and_cycles_fit_the_work(void **state)
{
    tacho_trials *t = make((tacho_trials_options)TACHO_TRIALS_OPTIONS_INIT);
    tacho_trial little = run(t, "1000000", NULL, NULL), much = run(t, "60000000", NULL, NULL);
    /* No core has 10 GHz; starting a process takes what it takes, and counts as processor time alone. */
    const double least = 6e7 * 2.5 / 10e9;
    assert_true(little.cpu_seconds > 0 && much.cpu_seconds > least && much.elapsed_seconds > least);
    assert_true(fabs(much.user_seconds + much.system_seconds - much.cpu_seconds) < 1e-9);
    if (isnan(much.cycles))
        print_message("skipped: the clock of this core is not known\n");
    else /* a multiplication takes 3 cycles, and others more; then there are the store and load between two */
        assert_true(much.cycles / 6e7 > 2.5);
    tacho_trials_free(t);
}

static void test_run__time_runs_out(void **state)
{
    tacho_trials_options o = TACHO_TRIALS_OPTIONS_INIT;
    o.timeout_seconds = 0.2;
    tacho_trials *t = make(o);
    tacho_trial out = run(t, "100000000000", NULL, NULL);
    assert_true(out.timed_out && !out.stopped);
    assert_int_equal(out.exit_status, -1);
    tacho_trials_free(t);
}

static volatile sig_atomic_t alarms;

static void on_alarm(int number)
{
    alarms += number == SIGALRM;
}

static bool wants_end(void *payload)
{
    return alarms > 0 && payload == &alarms;
}

static void test_run__a_signal_ends_it_when_the_caller_wants_so(void **state)
{
    tacho_trials_options o = TACHO_TRIALS_OPTIONS_INIT;
    o.timeout_seconds = 60;
    o.stop = wants_end;
    o.payload = (void *)&alarms;
    tacho_trials *t = make(o);
    struct sigaction act = {.sa_handler = on_alarm};
    struct itimerval soon = {.it_value = {0, 200000}, .it_interval = {0, 200000}}, off = {0};
    sigaction(SIGALRM, &act, NULL);
    setitimer(ITIMER_REAL, &soon, NULL);
    tacho_trial out = run(t, "100000000000", NULL, NULL);
    setitimer(ITIMER_REAL, &off, NULL);
    assert_true(out.stopped && !out.timed_out);
    tacho_trials_free(t);
}

static void test_run__input_environment_and_processor(void **state)
{
    char name[] = "/tmp/tacho-trial-XXXXXX";
    int fd = mkstemp(name);
    assert_true(fd >= 0 && write(fd, "hello", 5) == 5);
    close(fd);
    tacho_trials_options o = TACHO_TRIALS_OPTIONS_INIT;
    o.clean_cache = true;
    tacho_trials *t = make(o);
    char *argv[] = {probe, "7", NULL}, *environment[] = {"TACHO_PAD=xyz", NULL};
    tacho_command c = {.argv = argv, .input = name, .environment = environment};
    tacho_trial out;
    assert_int_equal(tacho_trials_run(t, &c, NULL, &out, &err), 0);
    assert_non_null(strstr(out.output, "input hello"));
    assert_non_null(strstr(out.output, "pad 3 argument 7"));
    assert_int_equal(out.output_size, strlen(out.output));
    int cpu;
    assert_int_equal(sscanf(strstr(out.output, "cpu"), "cpu %d", &cpu), 1);
    assert_int_equal(cpu, tacho_trials_cpu(t));
    unlink(name);
    tacho_trials_free(t);
}

static void test_new__what_there_is_not(void **state)
{
    tacho_trials_options o = TACHO_TRIALS_OPTIONS_INIT;
    o.cpu = 1000;
    assert_null(tacho_trials_new(&o, &err));
    assert_int_equal(err.code, TACHO_ERR_USAGE);
    o = (tacho_trials_options)TACHO_TRIALS_OPTIONS_INIT;
    o.events = "no-such-event";
    assert_null(tacho_trials_new(&o, &err));
    assert_non_null(strstr(err.message, "no-such-event"));
    o = (tacho_trials_options)TACHO_TRIALS_OPTIONS_INIT;
    tacho_trials *t = make(o);
    if (*tacho_trials_counters_missing(t)) {
        o.clock = TACHO_CLOCK_PERF;
        assert_null(tacho_trials_new(&o, &err));
        assert_string_equal(err.message, tacho_trials_counters_missing(t));
        assert_int_equal(tacho_trials_clock(t), TACHO_CLOCK_TSC_CALIBRATED);
    }
    tacho_trials_free(t);
}

int main(int argc, char **argv)
{
    probe = argc > 1 ? argv[1] : "";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layout__each_part_moves_by_what_was_asked),
        cmocka_unit_test(test_layout__drawn_ones_differ_and_repeat),
        cmocka_unit_test(test_layout__the_pad_comes_last_in_place_of_another),
        cmocka_unit_test(test_layout__what_is_out_of_range_is_an_error),
        cmocka_unit_test(test_run__ends),
        cmocka_unit_test(test_run__time_and_cycles_fit_the_work),
        cmocka_unit_test(test_run__time_runs_out),
        cmocka_unit_test(test_run__a_signal_ends_it_when_the_caller_wants_so),
        cmocka_unit_test(test_run__input_environment_and_processor),
        cmocka_unit_test(test_new__what_there_is_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
