/* test_threads.c - what is judged of threads: runs that are made up, a letter for a moment of each thread,
 * whose waits, losses and serial parts are known; and loops that spin, or do not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <math.h>

#include "base/mem.h"
#include "base/str.h"
#include "program/threads/threads_calls.h"
#include "program/threads/threads_log.h"
#include "tacho/hot.h"

static const double moment = 0.001;

/* ---- made-up runs ---- */

/* What the letters mean. '#' runs (in `work`), '~' runs (in `spin`), 'S' runs (in `single`), 'l' runs (in the
 * kernel, for L). */
static const struct {
    char letter;
    log_wait wait;
} waits[] = {
    {'L', {.kind = TACHO_WAIT_LOCK, .call = "pthread_mutex_lock", .name = "table_lock", .data = 0x1000}},
    {'M', {.kind = TACHO_WAIT_LOCK, .call = "pthread_mutex_lock", .data = 0x2000}},
    {'N', {.kind = TACHO_WAIT_LOCK, .call = "pthread_mutex_lock", .data = 0x2000}}, /* made in `single` ... */
    {'O', {.kind = TACHO_WAIT_LOCK, .call = "pthread_mutex_lock", .data = 0x2000}}, /* ... for `spin` */
    {'B', {.kind = TACHO_WAIT_BARRIER, .call = "pthread_barrier_wait", .name = "step", .data = 0x3000}},
    {'C', {.kind = TACHO_WAIT_CONDITION, .call = "pthread_cond_wait", .name = "not_full", .data = 0x4000}},
    {'J', {.kind = TACHO_WAIT_JOIN, .call = "pthread_join"}},
    {'R', {.kind = TACHO_WAIT_IO, .call = "read"}},
    {'P', {.kind = TACHO_WAIT_PEER, .call = "poll"}},
};

enum {
    WORK,
    SPIN,
    SINGLE,
    LOCKS
};

static void add_places(threads_log *l)
{
    static const char *const functions[] = {"work", "spin", "single", "locks"};
    for (uint32_t i = 0; i < 4; i++)
        log_add_place(l, &(log_place){.object = "/bin/made-up",
                                      .address = 0x100 * (i + 1),
                                      .function = functions[i],
                                      .source_file = "made-up.c",
                                      .source_line = 10 * (i + 1)});
}

static uint32_t wait_of(threads_log *l, char letter)
{
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++)
        if (waits[i].letter == letter) {
            log_wait w = waits[i].wait;
            w.place = LOCKS;
            w.made = letter == 'N' || letter == 'O' ? SINGLE : LOG_NONE;
            w.made_for = letter == 'N' ? WORK : letter == 'O' ? SPIN : LOG_NONE;
            return log_add_wait(l, &w);
        }
    return LOG_NONE;
}

/* A line for each thread; ' ': it is not there. Whoever waits for L waits for thread `holder`. */
static void make(threads_log *l, uint32_t processors, uint32_t holder, const char *const *lines, size_t count)
{
    *l = (threads_log){.processors = processors};
    add_places(l);
    for (size_t i = 0; i < count; i++)
        log_add_thread(l, 1, 100 + i, "made-up");
    for (size_t m = 0; m < strlen(lines[0]); m++) {
        log_add_moment(l, moment * (double)m);
        for (uint32_t i = 0; i < count; i++) {
            const char c = lines[i][m];
            const uint32_t wait = wait_of(l, c);
            if (c == ' ')
                continue;
            log_state(l, i, wait, c == 'L' ? holder : LOG_NONE);
            if (wait != LOG_NONE)
                continue;
            log_add_sample(l, &(log_sample){.time = moment * ((double)m + 0.5),
                                            .thread = i,
                                            .place = c == '~'   ? SPIN
                                                     : c == 'S' ? SINGLE
                                                                : WORK,
                                            .wait = c == 'l' ? wait_of(l, 'L') : LOG_NONE});
            log_ran(l, i, moment, 0, false);
        }
    }
}

static tacho_hot_threads *judge(threads_log *l)
{
    static const log_spin spin = {"/bin/made-up", 0x200, 0x210};
    tacho_hot_threads *t;
    assert_false(l->failed);
    assert_int_equal(threads_judge(&t, l, &spin, 1), 0);
    return t;
}

#define JUDGE(processors, holder, ...)                                                                       \
    static const char *const lines[] = {__VA_ARGS__};                                                        \
    threads_log l;                                                                                           \
    make(&l, processors, holder, lines, sizeof lines / sizeof *lines);                                       \
    tacho_hot_threads *t = judge(&l)
#define DONE                                                                                                 \
    tacho_hot_threads_free(t);                                                                               \
    log_free(&l)

static void assert_seconds(double seen, double moments)
{
    if (fabs(seen - moment * moments) > 1e-9)
        fail_msg("%.6f s are not %g moments", seen, moments);
}

/* ---- tests ---- */

static void test_lock__its_waits_its_holder_and_what_it_costs(void **state)
{
    JUDGE(4, 0, "##########", "LLLLLLLLLL", "LLLLLLLLLL");
    assert_int_equal(t->finding, TACHO_THREADS_WAIT);
    assert_int_equal(t->wait_count, 1);
    assert_string_equal(t->waits[0].name, "table_lock");
    assert_int_equal(t->waits[0].thread_count, 2);
    assert_seconds(t->waits[0].seconds, 20);
    assert_seconds(t->waits[0].longest, 10);
    assert_seconds(t->waits[0].lost, 20);
    assert_string_equal(t->waits[0].places[0].function, "locks");
    assert_string_equal(t->waits[0].holders[0].function, "work");
    assert_null(t->waits[0].holders[0].call);
    assert_seconds(t->running, 10);
    assert_true(fabs(t->limit - 1) < 1e-9);
    DONE;
}

static void test_lock__of_two_processors_only_one_is_lost(void **state)
{
    JUDGE(2, 0, "##########", "LLLLLLLLLL", "LLLLLLLLLL");
    assert_seconds(t->waits[0].seconds, 20);
    assert_seconds(t->waits[0].lost, 10);
    DONE;
}

static void test_lock__held_across_a_read(void **state)
{
    JUDGE(2, 0, "RRRRRRRR##", "LLLLLLLLLL");
    assert_int_equal(t->finding, TACHO_THREADS_WAIT);
    assert_int_equal(t->waits[0].kind, TACHO_WAIT_LOCK);
    assert_string_equal(t->waits[0].holders[0].call, "read");
    assert_seconds(t->waits[0].holders[0].seconds, 8);
    DONE;
}

static void test_lock__that_does_not_matter_is_not_named(void **state)
{
    JUDGE(2, 0, "####################", "###########L########");
    assert_int_equal(t->finding, TACHO_THREADS_FINE);
    assert_seconds(t->waits[0].seconds, 1);
    DONE;
}

static void test_lock__costs_nothing_where_all_processors_are_busy(void **state)
{
    JUDGE(2, 0, "##########", "##########", "LLLLLLLLLL");
    assert_seconds(t->waits[0].seconds, 10);
    assert_seconds(t->waits[0].lost, 0);
    assert_int_equal(t->finding, TACHO_THREADS_FINE);
    DONE;
}

static void test_locks__without_names_are_told_apart_by_address(void **state)
{
    JUDGE(4, 0, "##########", "LLLLLLLMMM", "LLLLLLLMMM");
    assert_int_equal(t->wait_count, 2);
    assert_seconds(t->waits[0].seconds, 14);
    assert_seconds(t->waits[1].seconds, 6);
    assert_int_equal(t->waits[1].data, 0x2000);
    assert_int_equal(t->waits[1].maker_count, 0);
    DONE;
}

static void test_locks__without_names_are_told_apart_by_who_made_them(void **state)
{
    JUDGE(4, 0, "##########", "NNNNNNNMMM", "NNNNNNNMMM");
    assert_int_equal(t->wait_count, 2);
    assert_seconds(t->waits[0].seconds, 14);
    assert_int_equal(t->waits[0].data, t->waits[1].data);
    assert_int_equal(t->waits[0].maker_count, 2);
    assert_string_equal(t->waits[0].makers[0].function, "single");
    assert_string_equal(t->waits[0].makers[1].function, "work");
    assert_int_equal(t->waits[1].maker_count, 0);
    DONE;
}

/* Where one has been freed another one comes to lie. */
static void test_locks__without_names_are_told_apart_by_whom_they_were_made_for(void **state)
{
    JUDGE(4, 0, "##########", "NNNNNNNOOO", "NNNNNNNOOO");
    assert_int_equal(t->wait_count, 2);
    assert_seconds(t->waits[0].seconds, 14);
    assert_string_equal(t->waits[0].makers[1].function, "work");
    assert_string_equal(t->waits[1].makers[1].function, "spin");
    DONE;
}

/* A thread that sleeps for half of each moment is seen to at two of ten: the kernel's account has the sum,
 * also where it comes late, and where half of the moments are forgotten. */
static void test_waits__shorter_than_the_time_between_two_looks(void **state)
{
    for (int way = 0; way < 3; way++) {
        threads_log l = {.processors = 2, .most = way == 2 ? 7 : 0};
        add_places(&l);
        log_add_thread(&l, 1, 100, "works");
        log_add_thread(&l, 1, 101, "waits");
        for (int m = 0; m < 10; m++) {
            const bool late = way == 1 && m == 5;
            log_add_moment(&l, moment * m);
            for (uint32_t i = 0; i < 2 && m; i++)
                log_ran(&l, i, moment * (!i ? 1 : late ? 0 : way == 1 && m == 6 ? 1 : 0.5), 0, i && !late);
            log_state(&l, 0, LOG_NONE, LOG_NONE);
            log_state(&l, 1, m % 5 == 1 ? wait_of(&l, 'L') : LOG_NONE, 0);
        }
        log_ran(&l, 1, 0, 0, false);
        assert_true(!l.thinned == (way != 2));
        tacho_hot_threads *t = judge(&l);
        assert_int_equal(t->wait_count, 1);
        assert_seconds(t->waits[0].seconds, 4.5);
        assert_seconds(t->waits[0].lost, 4.5);
        assert_seconds(t->waits[0].holders[0].seconds, 4.5);
        assert_seconds(t->threads[1].waits[TACHO_WAIT_LOCK], 4.5);
        assert_seconds(t->lost, 4.5);
        DONE;
    }
}

static void test_lock__whose_system_calls_take_the_time(void **state)
{
    JUDGE(2, 0, "#ll##ll##l", "ll##ll####");
    assert_true(isnan(t->waits[0].calls)); /* where the kernel has no samples, that is not known */
    tacho_hot_threads_free(t);
    l.in_kernel = 1;
    t = judge(&l);
    assert_int_equal(t->finding, TACHO_THREADS_WAIT);
    assert_int_equal(t->wait_count, 1);
    assert_seconds(t->waits[0].seconds, 0);
    assert_seconds(t->waits[0].calls, 9);
    assert_seconds(t->waits[0].lost, 9);
    assert_seconds(t->lost, 9);
    DONE;
}

static void test_barrier__all_wait_for_one(void **state)
{
    JUDGE(4, LOG_NONE, "SSSSSSSSSS", "##BBBBBBBB", "##BBBBBBBB", "JJJJJJJJJJ");
    assert_int_equal(t->finding, TACHO_THREADS_WAIT);
    assert_int_equal(t->waits[0].kind, TACHO_WAIT_BARRIER);
    assert_seconds(t->waits[0].seconds, 16);
    assert_string_equal(t->waits[0].holders[0].function, "single");
    DONE;
}

static void test_pool__that_is_idle_is_no_loss(void **state)
{
    JUDGE(4, LOG_NONE, "PPPPPPPPPP", "PPPPPPPPPP", "PPPPPPPPPP");
    assert_int_equal(t->finding, TACHO_THREADS_IDLE);
    assert_seconds(t->lost, 0);
    DONE;
}

static void test_queue__one_has_work_and_others_wait_for_a_condition(void **state)
{
    JUDGE(4, LOG_NONE, "SSSSSSSSSS", "#CCCCCCCCC", "#CCCCCCCCC");
    assert_int_equal(t->finding, TACHO_THREADS_SERIAL);
    assert_seconds(t->serial, 9);
    assert_string_equal(t->serial_places[0].function, "single");
    assert_int_equal(t->waits[0].kind, TACHO_WAIT_CONDITION);
    assert_seconds(t->waits[0].lost, 0);
    DONE;
}

static void test_serial_part__by_work_not_by_time(void **state)
{
    JUDGE(4, LOG_NONE, "SSSJJJSSSJJJ", "   ###   ###", "   ###   ###");
    assert_int_equal(t->finding, TACHO_THREADS_SERIAL);
    assert_seconds(t->serial, 6);
    assert_seconds(t->serial_work, 6);
    assert_seconds(t->parallel_work, 12);
    assert_true(fabs(t->limit - 3) < 1e-9);
    DONE;
}

static void test_spin__is_no_work(void **state)
{
    JUDGE(2, LOG_NONE, "##########", "~~~~~~~~~~");
    assert_int_equal(t->finding, TACHO_THREADS_SPIN);
    assert_string_equal(t->spins[0].place.function, "spin");
    assert_seconds(t->spins[0].place.seconds, 10);
    assert_seconds(t->spins[0].lost, 10);
    assert_seconds(t->spinning, 10);
    assert_true(fabs(t->limit - 1) < 1e-9);
    assert_int_equal(t->lanes[1].first, 1);
    assert_true(t->lanes[1].bins[5].spinning > 0.99F);
    DONE;
}

static void test_crowd__waits_for_processors(void **state)
{
    static const char *const lines[] = {"##########", "##########", "##########", "##########"};
    threads_log l;
    make(&l, 2, LOG_NONE, lines, 4);
    for (int i = 0; i < 4; i++) {
        l.threads[i].running /= 2;
        l.threads[i].ready = l.threads[i].running;
        l.spans[i].running /= 2;
        l.spans[i].ready = l.spans[i].running;
    }
    tacho_hot_threads *t = judge(&l);
    assert_int_equal(t->finding, TACHO_THREADS_CROWDED);
    assert_seconds(t->ready, 20);
    assert_seconds(t->crowded, 10);
    assert_true(fabs(t->lanes[0].bins[50].ready - 0.5F) < 0.01F);
    DONE;
}

static void test_starved__a_long_wait_is_named_by_its_length(void **state)
{
    static const char *const lines[] = {"##########", "##########", "LLLLLLLLLL", "LLLLLLLLLL"};
    threads_log l;
    make(&l, 2, 0, lines, 4);
    for (int i = 0; i < 2; i++) {
        l.threads[i].running /= 4;
        l.threads[i].ready = 3 * l.threads[i].running;
    }
    tacho_hot_threads *t = judge(&l);
    assert_true(t->starved);
    assert_int_equal(t->finding, TACHO_THREADS_WAIT);
    assert_string_equal(t->waits[0].name, "table_lock");
    tacho_hot_threads_free(t);
    l.cost = 12 * moment; /* what looking takes, no other program has */
    t = judge(&l);
    assert_false(t->starved);
    DONE;
}

static void test_apart__two_that_never_have_work_at_once(void **state)
{
    JUDGE(4, 0, "##LL##LL##LL##LL", "LL##LL##LL##LL##", "################");
    assert_int_equal(t->apart_count, 1);
    assert_int_equal(t->apart[0].one, 0);
    assert_int_equal(t->apart[0].other, 1);
    assert_seconds(t->apart[0].together, 0);
    DONE;
}

static void test_memory__that_runs_out_is_told(void **state)
{
    static const char *const lines[] = {"##########", "LLLLLLLLLL", "BBBBBBBBBB"};
    threads_log l;
    int rc = TACHO_ERR_MEMORY;
    make(&l, 2, 0, lines, 3);
    for (unsigned long n = 1; rc; n++) {
        tacho_hot_threads *t;
        tacho_mem_fail_at(n);
        rc = threads_judge(&t, &l, NULL, 0);
        tacho_mem_fail_at(0);
        assert_true(n < 1000);
        assert_true(rc == 0 || (rc == TACHO_ERR_MEMORY && !t));
        tacho_hot_threads_free(t);
    }
    log_free(&l);
}

static void test_log__a_thread_that_is_seen_late(void **state)
{
    threads_log l = {.processors = 2};
    for (int m = 0; m < 10; m++)
        log_add_moment(&l, moment * m);
    assert_int_equal(log_add_thread(&l, 1, 100, "late"), 0);
    log_began(&l, 0, 3.5 * moment);
    log_state(&l, 0, LOG_NONE, LOG_NONE);
    log_began(&l, 0, 0);
    assert_int_equal(l.span_count, 1);
    assert_int_equal(l.spans[0].first, 6);
    assert_int_equal(l.spans[0].end, 10);
    log_free(&l);
}

/* Two threads in turn, one of which has samples; who looks comes less often as the log is thinned. What would
 * be told of all moments is told of a part of them. */
static void test_log__that_grows_too_long_is_thinned(void **state)
{
    enum {
        MOMENTS = 4096,
        MOST = 128
    };
    threads_log l = {.processors = 2, .most = MOST};
    add_places(&l);
    log_add_thread(&l, 1, 100, "one");
    log_add_thread(&l, 1, 101, "other");
    for (uint32_t m = 0; m < MOMENTS; m += 1U << l.thinned) {
        const uint32_t works = m / 256 % 2;
        log_add_moment(&l, moment * m);
        log_state(&l, works, LOG_NONE, LOG_NONE);
        log_state(&l, !works, wait_of(&l, 'C'), LOG_NONE);
        log_ran(&l, works, moment * (1U << l.thinned), 0, false);
        for (uint32_t i = 0; i < 1U << l.thinned; i++)
            log_add_sample(&l, &(log_sample){.time = moment * (m + i + 0.5),
                                             .place = works ? LOG_NONE : WORK,
                                             .wait = LOG_NONE});
        assert_true(l.span_count <= MOST + 2 && l.sample_count <= MOST + 1 && l.moment_count <= MOST + 1);
    }
    assert_in_range(l.thinned, 5, 6);
    assert_true(l.moment_count > MOST / 4 && l.sample_count > MOST / 4);
    tacho_hot_threads *t = judge(&l);
    assert_true(fabs(t->seconds - moment * MOMENTS) < 0.05 * moment * MOMENTS);
    assert_true(fabs(t->running - moment * MOMENTS) < 0.05 * moment * MOMENTS);
    assert_true(fabs(t->waits[0].seconds - t->seconds) < 1e-9);
    DONE;
}

/* A log that was saved is judged as before; none that is cut off or damaged is taken. */
static void test_log__saved_and_loaded(void **state)
{
    static const char *const lines[] = {"#####LLLLL####", "LLLLL#####CCCC", "  RRRR~~~~NN  "};
    threads_log l, other;
    char *bytes;
    size_t size;
    make(&l, 2, 0, lines, 3);
    l.threads[1].start = SINGLE;
    l.begun = 7;
    FILE *f = open_memstream(&bytes, &size);
    assert_non_null(f);
    assert_true(log_save(&l, f));
    fclose(f);
    assert_int_equal(log_load(&other, (uint8_t *)bytes, size), 0);
    tacho_hot_threads *one = judge(&l), *two = judge(&other);
    assert_int_equal(two->wait_count, one->wait_count);
    for (size_t i = 0; i < one->wait_count; i++) {
        assert_true(tacho_same_text(two->waits[i].name, one->waits[i].name));
        assert_string_equal(two->waits[i].places[0].function, one->waits[i].places[0].function);
        assert_int_equal(two->waits[i].maker_count, two->waits[i].data == 0x2000 ? 2 : 0);
        assert_true(two->waits[i].seconds == one->waits[i].seconds &&
                    two->waits[i].lost == one->waits[i].lost);
    }
    assert_string_equal(two->threads[1].start, "single");
    assert_int_equal(two->begun, 7);
    assert_true(two->running == one->running && two->limit == one->limit);
    tacho_hot_threads_free(one);
    tacho_hot_threads_free(two);
    log_free(&other);
    for (size_t n = 0; n < size; n++) {
        assert_int_equal(log_load(&other, (uint8_t *)bytes, n), n < 8 ? 1 : TACHO_ERR_INPUT);
        log_free(&other);
        bytes[n] = (char)~bytes[n];
        if (!log_load(&other, (uint8_t *)bytes, size))
            tacho_hot_threads_free(judge(&other));
        log_free(&other);
        bytes[n] = (char)~bytes[n];
    }
    free(bytes);
    log_free(&l);
}

static void test_lanes__threads_of_one_name_one_after_the_other(void **state)
{
    JUDGE(4, LOG_NONE, "##########", "##        ", "  ##      ", "   ##     ");
    assert_int_equal(t->lane_count, 3);
    assert_int_equal(t->lanes[1].thread_count, 2);
    assert_int_equal(t->lanes[2].first, 3);
    assert_int_equal(t->without_lane, 0);
    assert_true(t->lanes[1].bins[40].running > 0.99F);
    DONE;
}

static void test_calls__as_the_kernel_writes_them(void **state)
{
    thread_call c;
    assert_true(calls_parse("202 0x55c0 0x189 0x0 0x0 0x0 0xffffffff 0x7ffd10 0x7f0a\n", &c));
    assert_int_equal(c.number, 202);
    assert_int_equal(c.arguments[0], 0x55c0);
    assert_int_equal(c.arguments[5], 0xffffffff);
    assert_int_equal(c.sp, 0x7ffd10);
    assert_int_equal(c.pc, 0x7f0a);
    assert_false(calls_parse("running\n", &c));
    assert_int_not_equal(c.sp, 0);
    assert_true(calls_parse("-1 0x7ffd10 0x7f0a\n", &c)); /* a page fault */
    assert_int_equal(c.number, -1);
    assert_int_not_equal(c.sp, 0);
    assert_false(calls_parse("-1 0x0 0x0\n", &c)); /* it has ended */
    assert_int_equal(c.sp, 0);
    assert_false(calls_parse("", &c));
    assert_true(calls_is_futex((uint64_t)-38, 0x81) && calls_is_futex((uint64_t)-38, 0x189));
    assert_false(calls_is_futex((uint64_t)-38, 0x1000) || calls_is_futex(0x81, 0x81));
}

/* ---- loops ---- */

static bool spins(const char *hex)
{
    uint8_t bytes[64];
    tacho_hot_insn insns[16];
    size_t length = 0, count = 0;
    for (unsigned byte; sscanf(hex + 2 * length, "%2x", &byte) == 1; length++)
        bytes[length] = (uint8_t)byte;
    for (size_t at = 0; at < length;) {
        tacho_insn *insn = tacho_insn_new();
        assert_int_equal(tacho_decode(insn, bytes + at, length - at, NULL), 0);
        insns[count++] = (tacho_hot_insn){.bytes = bytes + at, .length = (uint32_t)tacho_insn_length(insn)};
        at += tacho_insn_length(insn);
        tacho_insn_free(insn);
    }
    return threads_is_spin(&(tacho_hot_place){.is_loop = true, .insns = insns, .insn_count = count});
}

static void test_loops__that_only_look(void **state)
{
    assert_true(spins("f3908b0585c074f8"));     /* pause; mov eax, [rip+..]; test eax, eax; jz */
    assert_true(spins("8b0785c074fa"));         /* mov eax, [rdi]; test eax, eax; jz */
    assert_true(spins("488b45f88b0085c074f5")); /* mov rax, [rbp-8]; mov eax, [rax]; test; jz */
    assert_true(spins("89c8870785c075f8"));     /* mov eax, ecx; xchg [rdi], eax; test; jnz */
    assert_true(spins("f390833f007ef9"));       /* pause; cmp dword [rdi], 0; jle */
}

static void test_loops__that_do_more(void **state)
{
    assert_false(spins("488b004885c075f8"));   /* mov rax, [rax]; test rax, rax; jnz: a list */
    assert_false(spins("803c070048ffc075f7")); /* cmp byte [rdi+rax], 0; inc rax; jnz: a string */
    assert_false(spins("03044f48ffc975f8"));   /* add eax, [rdi+2*rcx]; dec rcx; jnz: a sum */
    assert_false(spins("8907ffc975fa"));       /* mov [rdi], eax; dec ecx; jnz: stores */
    assert_false(spins("f0ff07ffc975f9"));     /* lock inc dword [rdi]; dec ecx; jnz: counts */
    assert_false(spins("ffc975fc"));           /* dec ecx; jnz: reads nothing */
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lock__its_waits_its_holder_and_what_it_costs),
        cmocka_unit_test(test_lock__of_two_processors_only_one_is_lost),
        cmocka_unit_test(test_lock__held_across_a_read),
        cmocka_unit_test(test_lock__that_does_not_matter_is_not_named),
        cmocka_unit_test(test_lock__costs_nothing_where_all_processors_are_busy),
        cmocka_unit_test(test_locks__without_names_are_told_apart_by_address),
        cmocka_unit_test(test_locks__without_names_are_told_apart_by_who_made_them),
        cmocka_unit_test(test_locks__without_names_are_told_apart_by_whom_they_were_made_for),
        cmocka_unit_test(test_waits__shorter_than_the_time_between_two_looks),
        cmocka_unit_test(test_lock__whose_system_calls_take_the_time),
        cmocka_unit_test(test_barrier__all_wait_for_one),
        cmocka_unit_test(test_pool__that_is_idle_is_no_loss),
        cmocka_unit_test(test_queue__one_has_work_and_others_wait_for_a_condition),
        cmocka_unit_test(test_serial_part__by_work_not_by_time),
        cmocka_unit_test(test_spin__is_no_work),
        cmocka_unit_test(test_crowd__waits_for_processors),
        cmocka_unit_test(test_starved__a_long_wait_is_named_by_its_length),
        cmocka_unit_test(test_apart__two_that_never_have_work_at_once),
        cmocka_unit_test(test_memory__that_runs_out_is_told),
        cmocka_unit_test(test_log__a_thread_that_is_seen_late),
        cmocka_unit_test(test_log__that_grows_too_long_is_thinned),
        cmocka_unit_test(test_log__saved_and_loaded),
        cmocka_unit_test(test_lanes__threads_of_one_name_one_after_the_other),
        cmocka_unit_test(test_calls__as_the_kernel_writes_them),
        cmocka_unit_test(test_loops__that_only_look),
        cmocka_unit_test(test_loops__that_do_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
