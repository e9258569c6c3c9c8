/* test_causes.c - what windows show of instructions, on streams of steps that are made up. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/hash.h"
#include "base/mem.h"
#include "machine/costs/costs.h"
#include "program/windows/causes.h"
#include "tacho/hot.h"
#include "../../support/support.h"

/* ---- a program that is made up: what each step sees ---- */

enum {
    CODE = 0x401000,
    MOST_INSNS = 16
};

typedef struct stream {
    causes *c;
    step_observer o;
    tacho_insn insns[MOST_INSNS];
    uint64_t addresses[MOST_INSNS];
    uint8_t vectors[32][64], memory[64];
    uint32_t mxcsr;
    uint64_t index, thread;
    step_access accesses[2];
    size_t access_count;
    step_values values;
} stream;

static bool give_vector(void *payload, unsigned number, uint8_t out[64])
{
    memcpy(out, ((stream *)payload)->vectors[number], 64);
    return true;
}

static bool give_mxcsr(void *payload, uint32_t *out)
{
    *out = ((stream *)payload)->mxcsr;
    return true;
}

static bool give_memory(void *payload, uint64_t address, void *out, size_t bytes)
{
    (void)address;
    memcpy(out, ((stream *)payload)->memory, bytes);
    return true;
}

/* Instructions one behind the other, told apart by their numbers. */
static void start(stream *s, const char *code)
{
    test_block b;
    tacho_error err;
    *s = (stream){.c = causes_new(), .mxcsr = 0x1f80, .thread = 7};
    assert_non_null(s->c);
    s->o = causes_observer(s->c);
    s->values = (step_values){give_vector, give_mxcsr, give_memory, s};
    if (test_block_make(&b, code, &err))
        fail_msg("%s: %s", code, err.message);
    size_t at = 0;
    for (size_t i = 0; at < b.size; i++) {
        assert_true(i < MOST_INSNS);
        assert_int_equal(tacho_decode(&s->insns[i], b.bytes + at, b.size - at, &err), 0);
        s->addresses[i] = CODE + at;
        at += s->insns[i].length;
    }
    test_block_free(&b);
}

static void begin(stream *s, double seconds)
{
    s->index = 0;
    s->o.begin(s->o.payload, 1, s->thread, seconds);
}

static void end(stream *s)
{
    s->o.end(s->o.payload, 0.0005);
}

static void take(stream *s, size_t number)
{
    step one = {.process = 1,
                .thread = s->thread,
                .address = s->addresses[number],
                .index = s->index++,
                .insn = &s->insns[number],
                .accesses = s->accesses,
                .access_count = s->access_count,
                .values = &s->values,
                .object = 1,
                .offset = s->addresses[number] - CODE};
    s->o.step(s->o.payload, &one);
    s->access_count = 0;
}

static void load(stream *s, size_t number, uint64_t address, uint32_t bytes)
{
    s->accesses[s->access_count++] = (step_access){address, bytes, false};
    take(s, number);
}

static void store(stream *s, size_t number, uint64_t address, uint32_t bytes)
{
    s->accesses[s->access_count++] = (step_access){address, bytes, true};
    take(s, number);
}

/* The only one of this kind; NULL: there is none. */
static const cause *find(stream *s, cause_kind kind)
{
    const cause *list, *found = NULL;
    size_t n = causes_find(s->c, &list);
    assert_false(causes_failed(s->c));
    for (size_t i = 0; i < n; i++)
        if (list[i].kind == kind) {
            assert_null(found);
            found = &list[i];
        }
    return found;
}

static void assert_at(const stream *s, uint32_t site, size_t number)
{
    assert_int_not_equal(site, CAUSES_NONE);
    assert_int_equal(causes_site_at(s->c, site)->offset, s->addresses[number] - CODE);
}

static void assert_none(stream *s)
{
    const cause *list;
    assert_int_equal(causes_find(s->c, &list), 0);
    assert_false(causes_failed(s->c));
}

static void stop(stream *s)
{
    causes_free(s->c);
}

/* ---- lines, pages ---- */

static void test_crossings__a_load_and_a_store_each_by_itself(void **state)
{
    (void)state;
    stream s;
    start(&s, "mov rax, [rdi]; mov [rsi], rax; movdqu xmm0, [rdi]");
    begin(&s, 0);
    for (uint64_t i = 0; i < 8; i++) {
        load(&s, 0, 0x10000 + 8 * i + 4, 8); /* the eighth lies in two lines */
        store(&s, 1, 0x20800 + 64 * i, 8);
        load(&s, 2, 0x30fe8 + 8 * i, 16); /* the third lies in two lines, which are of two pages */
    }
    end(&s);
    const cause *list;
    assert_int_equal(causes_find(s.c, &list), 2);
    assert_int_equal(list[0].kind, CAUSE_LINE_CROSSING);
    assert_at(&s, list[0].site, 0);
    assert_true(list[0].executions == 8 && list[0].times == 1 && list[0].windows == 1 && !list[0].is_store);
    assert_true(list[0].share == 0.125 && list[0].low < 0.02 && list[0].high > 0.6); /* of one window */
    assert_int_equal(list[1].kind, CAUSE_PAGE_CROSSING);
    assert_at(&s, list[1].site, 2);
    assert_int_equal(list[1].times, 1);
    stop(&s);
}

static void test_crossings__what_is_within_a_line_is_none(void **state)
{
    (void)state;
    stream s;
    start(&s, "mov rax, [rdi]; mov [rsi], rax");
    begin(&s, 0);
    for (uint64_t i = 0; i < 64; i++) {
        load(&s, 0, 0x10a00 + 56, 8);
        store(&s, 1, 0x20000, 64);
    }
    end(&s);
    assert_none(&s);
    stop(&s);
}

/* ---- store forwarding ---- */

static void test_forwarding__a_load_wider_than_the_store_waits(void **state)
{
    (void)state;
    stream s;
    start(&s, "mov [rdi], al; mov rax, [rdi]; nop");
    for (int w = 0; w < 4; w++) {
        begin(&s, w);
        for (int i = 0; i < 10; i++) {
            store(&s, 0, 0x1003, 1);
            take(&s, 2);
            load(&s, 1, 0x1000, 8);
        }
        end(&s);
    }
    const cause *one = find(&s, CAUSE_FORWARDING);
    assert_non_null(one);
    assert_at(&s, one->site, 1);
    assert_at(&s, one->other, 0);
    assert_true(one->executions == 40 && one->times == 40 && one->windows == 4 && one->share == 1);
    /* All of four windows alike: no more is known than of four executions. */
    assert_true(one->low > 0.5 && one->low < 0.52 && one->high > 0.9999);
    stop(&s);
}

static void test_forwarding__within_the_store_or_long_after_it_nothing_waits(void **state)
{
    (void)state;
    stream s;
    start(&s, "mov [rdi], rax; mov al, [rdi]; mov rcx, [rdi]; nop");
    begin(&s, 0);
    for (int i = 0; i < 10; i++) {
        store(&s, 0, 0x1000, 8);
        load(&s, 1, 0x1007, 1);
        load(&s, 2, 0x1008, 8); /* beside it */
        for (int k = 0; k < 48; k++)
            take(&s, 3);
        load(&s, 2, 0x1004, 8); /* by now it is in the cache */
    }
    end(&s);
    assert_none(&s);
    stop(&s);
}

static void test_forwarding__the_youngest_store_decides(void **state)
{
    (void)state;
    stream s;
    start(&s, "mov [rdi], rax; mov [rdi], ecx; mov rax, [rdi]; mov ecx, [rdi]");
    begin(&s, 0);
    store(&s, 0, 0x1000, 8);
    store(&s, 1, 0x1004, 4);
    load(&s, 3, 0x1000, 4); /* the older one has it all */
    load(&s, 2, 0x1000, 8);
    end(&s);
    const cause *one = find(&s, CAUSE_FORWARDING);
    assert_at(&s, one->site, 2);
    assert_at(&s, one->other, 1);
    stop(&s);
}

static void test_aliasing__a_multiple_of_a_page_apart(void **state)
{
    (void)state;
    stream s;
    start(&s, "mov [rdi], rax; mov rcx, [rsi]");
    begin(&s, 0);
    for (uint64_t i = 0; i < 10; i++) {
        store(&s, 0, 0x10010 + 8 * i, 8);
        load(&s, 1, 0x5000c + 8 * i, 8);
    }
    end(&s);
    const cause *one = find(&s, CAUSE_ALIAS_4K);
    assert_at(&s, one->site, 1);
    assert_at(&s, one->other, 0);
    assert_int_equal(one->times, 10);
    assert_null(find(&s, CAUSE_FORWARDING));
    stop(&s);
}

/* ---- subnormal numbers ---- */

static void set_doubles(stream *s, unsigned number, double low, double high)
{
    memcpy(s->vectors[number], (double[2]){low, high}, 16);
}

static void test_subnormal__operands_results_and_memory(void **state)
{
    (void)state;
    stream s;
    start(&s, "mulsd xmm0, xmm1; addpd xmm2, xmm1; mulsd xmm3, [rdi]; paddd xmm0, xmm0; nop");
    begin(&s, 0);
    for (int i = 0; i < 6; i++) {
        set_doubles(&s, 0, 1e-200, 0);
        set_doubles(&s, 1, i < 4 ? 1e-110 : 1, 1);
        take(&s, 0);
        set_doubles(&s, 0, i < 4 ? 1e-310 : 1e-200, 0); /* the product */
        set_doubles(&s, 2, 1, i == 5 ? 1e-310 : 1);     /* the upper one */
        take(&s, 1);
        set_doubles(&s, 2, 1, 2);
        set_doubles(&s, 3, 1, 1e-310); /* of a scalar's register only the lowest number is an operand */
        memcpy(s.memory, &(double){i == 0 ? 5e-324 : 0}, 8);
        load(&s, 2, 0x1000, 8);
        set_doubles(&s, 3, 0, 1e-310);
        take(&s, 3); /* of integers */
        take(&s, 4);
    }
    end(&s);
    const cause *list;
    assert_int_equal(causes_find(s.c, &list), 3);
    static const uint64_t times[] = {4, 1, 1};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(list[i].kind, CAUSE_SUBNORMAL);
        assert_at(&s, list[i].site, i);
        assert_true(list[i].executions == 6 && list[i].times == times[i]);
    }
    stop(&s);
}

static void test_subnormal__taken_as_zero_they_cost_nothing(void **state)
{
    (void)state;
    stream s;
    start(&s, "mulss xmm0, xmm1; nop");
    s.mxcsr |= 1 << 6;
    begin(&s, 0);
    memcpy(s.vectors[1], &(float){1e-40f}, 4);
    take(&s, 0);
    take(&s, 1);
    end(&s);
    assert_none(&s);
    s.mxcsr &= ~(1u << 6);
    stop(&s);
}

static void test_subnormal__a_conversion_reads_the_lower_half(void **state)
{
    (void)state;
    stream s;
    start(&s, "cvtps2pd xmm0, xmm1; nop");
    memcpy(s.vectors[1], (float[4]){1, 1, 1e-40f, 1e-40f}, 16);
    set_doubles(&s, 0, 1, 1);
    begin(&s, 0);
    take(&s, 0);
    take(&s, 1);
    memcpy(s.vectors[1], (float[4]){1, 1e-40f, 1, 1}, 16);
    take(&s, 0);
    take(&s, 1);
    end(&s);
    assert_int_equal(find(&s, CAUSE_SUBNORMAL)->times, 1);
    stop(&s);
}

/* ---- branches ---- */

/* A loop whose first branch goes as `outcome` says. */
static void branch_stream(stream *s, int windows, int rounds, bool (*outcome)(int window, int round))
{
    start(s, "jz .+3; nop; nop; jmp .-4");
    for (int w = 0; w < windows; w++) {
        begin(s, 0.3 * w);
        for (int i = 0; i < rounds; i++) {
            take(s, 0);
            if (!outcome(w, i))
                take(s, 1);
            take(s, 2);
            take(s, 3);
        }
        end(s);
    }
}

static bool by_chance(int window, int round)
{
    return hash_mix((uint64_t)window * 1000 + (uint64_t)round) & 1;
}

static bool one_in_ten(int window, int round)
{
    return hash_mix((uint64_t)window * 1000 + (uint64_t)round) % 10 == 0;
}

static bool every_third(int window, int round)
{
    return (window * 7 + round) % 3 == 0;
}

/* A pattern of 24, from anywhere. */
static bool in_a_pattern(int window, int round)
{
    return 0x5c3e91 >> (window * 5 + round) % 24 & 1;
}

/* A loop of 70 rounds, from anywhere in it: no window sees its end twice. */
static bool seldom(int window, int round)
{
    return (window * 13 + round) % 70 == 0;
}

/* A loop of 8 rounds, of which a window sees a little more than one. */
static bool eighth(int window, int round)
{
    return (window * 3 + round) % 8 == 0;
}

static bool always(int window, int round)
{
    (void)window, (void)round;
    return true;
}

static void test_branches__by_chance_half_are_wrong(void **state)
{
    (void)state;
    stream s;
    branch_stream(&s, 20, 60, by_chance);
    const cause *one = find(&s, CAUSE_MISPREDICTION);
    assert_non_null(one);
    assert_at(&s, one->site, 0);
    assert_true(one->share > 0.42 && one->share < 0.55 && one->low > 0.38);
    assert_true(one->taken > 0.45 && one->taken < 0.55);
    stop(&s);
}

static void test_branches__by_chance_and_seldom(void **state)
{
    (void)state;
    stream s;
    branch_stream(&s, 20, 60, one_in_ten);
    const cause *one = find(&s, CAUSE_MISPREDICTION);
    assert_true(one->share > 0.07 && one->share < 0.12 && one->low > 0.05 && one->high < 0.15);
    stop(&s);
}

static void test_branches__patterns_are_foretold(void **state)
{
    (void)state;
    bool (*const patterns[])(int, int) = {every_third, in_a_pattern, seldom, always};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        stream s;
        branch_stream(&s, 20, 60, patterns[i]);
        const cause *one = find(&s, CAUSE_MISPREDICTION);
        if (one && one->low > 0.002)
            fail_msg("pattern %zu: %g wrong", i, one->share);
        stop(&s);
    }
}

/* The end of a loop is foretold by those of other windows, where a window shows only one. */
static void test_branches__loops_that_are_almost_as_long_as_a_window(void **state)
{
    (void)state;
    for (int rounds = 3; rounds < 24; rounds++) {
        stream s;
        branch_stream(&s, 100, rounds, eighth);
        const cause *one = find(&s, CAUSE_MISPREDICTION);
        if (one && one->low > 0.002)
            fail_msg("%d rounds: %g wrong", rounds, one->share);
        stop(&s);
    }
}

static void test_branches__of_few_nothing_is_said(void **state)
{
    (void)state;
    stream s;
    branch_stream(&s, 2, 200, by_chance);
    assert_none(&s);
    stop(&s);
    branch_stream(&s, 9, 3, by_chance);
    assert_none(&s);
    stop(&s);
}

/* ---- where accesses go ---- */

/* Pairs of windows 5 ms apart, each of `loads`. */
static void reach_stream(stream *s, int pairs, int loads, uint64_t (*address)(int window, int i))
{
    start(s, "mov rax, [rdi]; nop");
    for (int w = 0; w < 2 * pairs; w++) {
        begin(s, 0.5 * (w / 2) + 0.005 * (w % 2));
        for (int i = 0; i < loads; i++) {
            load(s, 0, address(w, i), 8);
            take(s, 1);
        }
        end(s);
    }
}

/* Of 16 MB. */
static uint64_t anywhere(int window, int i)
{
    return 0x10000000 + hash_mix((uint64_t)window * 4096 + (uint64_t)i) % (16 << 20) / 8 * 8;
}

/* Of 16 KB. */
static uint64_t near_by(int window, int i)
{
    return 0x10000000 + hash_mix((uint64_t)window * 4096 + (uint64_t)i) % (16 << 10) / 8 * 8;
}

/* Of 16 KB, which are others every time but the same 5 ms later. */
static uint64_t in_turn(int window, int i)
{
    return near_by(window, i) + (uint64_t)(window / 2) * (1 << 20);
}

/* Through 16 MB by 64 bytes; a window begins anywhere. */
static uint64_t walk(int window, int i)
{
    return 0x10000000 + (hash_mix((uint64_t)window) % (16 << 20) / 64 * 64 + (uint64_t)i * 64) % (16 << 20);
}

/* Through 16 KB. */
static uint64_t short_walk(int window, int i)
{
    return 0x10000000 + (walk(window, i) & 0x3fff);
}

/* Through one of two pieces of 4 KB, far from each other. */
static uint64_t two_walks(int window, int i)
{
    return 0x10000000 + (walk(window, i) & 0xfff) + (hash_mix((uint64_t)window) >> 60 & 1) * (1 << 24);
}

static uint64_t least_bytes(uint64_t (*address)(int window, int i), int pairs, cause *out)
{
    stream s;
    reach_stream(&s, pairs, 200, address);
    const cause *one = find(&s, CAUSE_CACHE);
    *out = one ? *one : (cause){0};
    if (one)
        assert_at(&s, one->site, 0);
    stop(&s);
    return out->least_bytes;
}

static void test_reach__at_random_in_much_memory(void **state)
{
    (void)state;
    cause one;
    uint64_t bytes = least_bytes(anywhere, 40, &one);
    assert_true(bytes > 4 << 20 && bytes < 20 << 20);
    assert_true(one.walk == CAUSE_WALK_OTHER && !one.dependent && one.share > 0.99 &&
                one.executions == 16000);
    assert_true(fabs(one.reach_seconds - 0.0045) < 1e-9);
    assert_int_equal(least_bytes(near_by, 40, &one), 0);
    assert_int_equal(least_bytes(in_turn, 40, &one), 0);
    assert_int_equal(least_bytes(anywhere, 4, &one), 0); /* of few nothing is said */
}

static void test_reach__by_strides(void **state)
{
    (void)state;
    cause one;
    uint64_t bytes = least_bytes(walk, 40, &one);
    assert_true(bytes > 2 << 20 && bytes < 16 << 20);
    assert_true(one.walk == CAUSE_WALK_STRIDE && one.stride == 64);
    assert_int_equal(least_bytes(short_walk, 40, &one), 0);
    assert_int_equal(least_bytes(two_walks, 40, &one), 0);
}

static void test_reach__a_list_is_told_by_its_addresses(void **state)
{
    (void)state;
    stream s;
    start(&s, "mov rdi, [rdi]; add rsi, 8; mov rax, [rsi]; lea rbx, [rax+rax]; mov rcx, [rbx]");
    for (int w = 0; w < 20; w++) {
        begin(&s, 0.005 * w);
        for (int i = 0; i < 100; i++) {
            load(&s, 0, anywhere(w, i), 8);
            take(&s, 1);
            load(&s, 2, 0x7000, 8);
            take(&s, 3);
            load(&s, 4, 0x20000000 + anywhere(w, i), 8);
        }
        end(&s);
    }
    const cause *list;
    assert_int_equal(causes_find(s.c, &list), 2);
    assert_at(&s, list[0].site, 0);
    assert_true(list[0].dependent);
    assert_at(&s, list[1].site, 4);
    assert_false(list[1].dependent); /* on another load */
    stop(&s);
}

/* ---- lines that are shared ---- */

static void sharing_stream(stream *s, uint64_t second, bool in_turn_)
{
    start(s, "mov [rdi], rax; mov [rsi], rcx");
    for (int w = 0; w < 12; w++) {
        uint64_t other = in_turn_ ? hash_mix((uint64_t)w) & 1 : w >= 6;
        s->thread = 7 + other;
        begin(s, w);
        for (int i = 0; i < 20; i++)
            store(s, other, other ? second : 0x5000, 8);
        end(s);
    }
}

static void test_sharing__two_threads_in_turn(void **state)
{
    (void)state;
    const cause *list;
    stream s;
    sharing_stream(&s, 0x5010, true);
    assert_int_equal(causes_find(s.c, &list), 2);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(list[i].kind, CAUSE_FALSE_SHARING);
        assert_true(list[i].share == 1 && list[i].process == 1 && list[i].other != list[i].site);
        bool second = causes_site_at(s.c, list[i].site)->offset != 0;
        assert_int_equal(list[i].data, second ? 0x5010 : 0x5000);
        assert_int_equal(list[i].other_thread, second ? 7 : 8);
    }
    stop(&s);
    sharing_stream(&s, 0x5004, true);
    assert_int_equal(causes_find(s.c, &list), 2);
    assert_int_equal(list[0].kind, CAUSE_TRUE_SHARING);
    stop(&s);
}

static void test_sharing__one_after_the_other_or_apart_is_none(void **state)
{
    (void)state;
    stream s;
    sharing_stream(&s, 0x5010, false);
    assert_none(&s);
    stop(&s);
    sharing_stream(&s, 0x5040, true);
    assert_none(&s);
    stop(&s);
}

/* One thread writes, if it does; another one reads there ten times as often. */
static void one_way_stream(stream *s, uint64_t second, bool writes)
{
    start(s, "mov [rdi], rax; mov rcx, [rsi]; nop");
    for (int w = 0; w < 12; w++) {
        const bool reader = hash_mix((uint64_t)w) & 1;
        s->thread = 7 + reader;
        begin(s, w);
        for (int i = 0; i < 20; i++)
            if (reader)
                load(s, 1, second, 8);
            else if (writes && i % 10 == 0)
                store(s, 0, 0x5000, 8);
            else
                take(s, 2);
        end(s);
    }
}

static void test_sharing__one_writes_another_one_only_reads(void **state)
{
    (void)state;
    const cause *list;
    stream s;
    for (uint64_t second = 0x5000; second <= 0x5010; second += 0x10) {
        one_way_stream(&s, second, true);
        assert_int_equal(causes_find(s.c, &list), 2);
        for (uint32_t i = 0; i < 2; i++) {
            assert_int_equal(list[i].kind, second == 0x5000 ? CAUSE_TRUE_SHARING : CAUSE_FALSE_SHARING);
            assert_true(list[i].one_way);
            assert_int_equal(list[i].is_store, list[i].other_thread == 8);
            assert_int_equal(list[i].data, list[i].is_store ? 0x5000 : second);
            /* two writes of twenty instructions: the reader's line is another one in a tenth of its reads at
             * most */
            assert_float_equal(list[i].share, list[i].is_store ? 1 : 0.1, 1e-9);
        }
        stop(&s);
    }
    one_way_stream(&s, 0x5000, false); /* read by one, written by none */
    assert_none(&s);
    stop(&s);
    one_way_stream(&s, 0x5040, true);
    assert_none(&s);
    stop(&s);
}

/* ---- what it costs ---- */

static tacho_hot_cause made_up_cause(tacho_hot_cause_kind kind, double share)
{
    return (tacho_hot_cause){.kind = kind,
                             .executions = 100,
                             .times = (uint64_t)(100 * share),
                             .windows = 10,
                             .share = share,
                             .share_low = 0.8 * share,
                             .share_high = 1,
                             .a_round = 0.5};
}

/* Weighed beside a prediction of 100 cycles for SKL: a misprediction takes 16. */
static tacho_hot_cause weighed(const tacho_hot_cause *made, double observed)
{
    static const uint8_t nop[] = {0x90};
    const tacho_hot_insn insn = {.bytes = nop, .length = 1, .on_path = -1};
    const tacho_hot_place place = {.insns = &insn,
                                   .insn_count = 1,
                                   .observed_cycles = observed,
                                   .observed_low = NAN,
                                   .observed_high = NAN,
                                   .causes = made,
                                   .cause_count = 1};
    const tacho_prediction prediction = {.cycles = 100, .arch = tacho_arch_find("SKL", NULL)};
    tacho_hot_costs *weights = tacho_hot_costs_new();
    tacho_hot_cause out;
    assert_non_null(weights);
    size_t told = tacho_hot_weigh(weights, &place, &prediction, &out);
    assert_int_equal(told, out.told);
    tacho_hot_costs_free(weights);
    return out;
}

static bool is(double x, double y)
{
    return fabs(x - y) < 1e-9;
}

static void test_weigh__a_share_of_executions_and_no_more_than_was_observed(void **state)
{
    (void)state;
    tacho_hot_cause half = made_up_cause(TACHO_HOT_MISPREDICTION, 0.5), one = weighed(&half, NAN);
    assert_true(one.told && is(one.cycles_most, 16) && is(one.least, 3.2) && is(one.most, 4));
    one = weighed(&half, 103); /* three of them */
    assert_true(one.told && is(one.least, 3) && is(one.most, 3));
    one = weighed(&half, 101); /* less than 2 % */
    assert_true(!one.told && is(one.most, 1));
    one = weighed(&half, 90);
    assert_true(!one.told && is(one.most, 0));
    tacho_hot_cause rare = made_up_cause(TACHO_HOT_MISPREDICTION, 0.25); /* 2 % at most, 1.6 % at least */
    assert_false(weighed(&rare, NAN).told);
}

static void test_weigh__of_few_executions_nothing_is_told(void **state)
{
    (void)state;
    tacho_hot_cause few = made_up_cause(TACHO_HOT_MISPREDICTION, 1);
    assert_true(weighed(&few, NAN).told);
    few.executions = 29;
    assert_false(weighed(&few, NAN).told);
    few = made_up_cause(TACHO_HOT_MISPREDICTION, 1);
    few.windows = 2;
    assert_false(weighed(&few, NAN).told);
    few = made_up_cause(TACHO_HOT_MISPREDICTION, 1);
    few.times = 4;
    assert_false(weighed(&few, NAN).told);
}

static void test_weigh__data_that_fit_cost_nothing(void **state)
{
    (void)state;
    tacho_hot_cause small = made_up_cause(TACHO_HOT_CACHE, 1);
    small.least_bytes = 16 << 10;
    small.reach_seconds = 5e-3;
    tacho_hot_cause one = weighed(&small, NAN);
    assert_true(!one.told && one.most == 0 && one.level == 0);
}

/* Windows so near each other say little of the time between them; what an iteration took says more. */
static void test_weigh__data_behind_a_level_by_what_was_observed(void **state)
{
    (void)state;
    tacho_hot_cause large = made_up_cause(TACHO_HOT_CACHE, 1);
    large.a_round = 1;
    large.dependent = true;
    large.least_bytes = (uint64_t)1 << 40;
    large.reach_seconds = 1e-9;
    tacho_hot_cause one = weighed(&large, NAN);
    assert_true(!one.told && one.level == 0);
    one = weighed(&large, 101); /* too little time for any level */
    assert_true(!one.told && one.level == 0);
    one = weighed(&large, 1e6);
    const data_cache *caches;
    costs *machine = costs_new();
    size_t n = costs_caches(machine, &caches);
    if (n) /* memory is slower than the first level, on any machine */
        assert_true(one.level == caches[n - 1].level && one.most > 5);
    costs_free(machine);
}

/* ---- memory ---- */

static void test_causes__out_of_memory_anywhere(void **state)
{
    (void)state;
    for (unsigned long n = 1;; n++) {
        stream s;
        const cause *list;
        start(&s, "mov [rdi], al; mov rax, [rdi]; jz .+2");
        tacho_mem_fail_at(n);
        for (int w = 0; w < 8; w++) {
            begin(&s, 0.005 * w);
            for (uint64_t i = 0; i < 40; i++) {
                store(&s, 0, anywhere(w, (int)i), 1);
                load(&s, 1, anywhere(w, (int)i), 8);
                take(&s, 2);
            }
            end(&s);
        }
        size_t count = causes_find(s.c, &list);
        bool failed = causes_failed(s.c);
        tacho_mem_fail_at(0);
        stop(&s);
        assert_true(!failed || !count);
        if (!failed)
            break;
        assert_true(n < 1000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_crossings__a_load_and_a_store_each_by_itself),
        cmocka_unit_test(test_crossings__what_is_within_a_line_is_none),
        cmocka_unit_test(test_forwarding__a_load_wider_than_the_store_waits),
        cmocka_unit_test(test_forwarding__within_the_store_or_long_after_it_nothing_waits),
        cmocka_unit_test(test_forwarding__the_youngest_store_decides),
        cmocka_unit_test(test_aliasing__a_multiple_of_a_page_apart),
        cmocka_unit_test(test_subnormal__operands_results_and_memory),
        cmocka_unit_test(test_subnormal__taken_as_zero_they_cost_nothing),
        cmocka_unit_test(test_subnormal__a_conversion_reads_the_lower_half),
        cmocka_unit_test(test_branches__by_chance_half_are_wrong),
        cmocka_unit_test(test_branches__by_chance_and_seldom),
        cmocka_unit_test(test_branches__patterns_are_foretold),
        cmocka_unit_test(test_branches__loops_that_are_almost_as_long_as_a_window),
        cmocka_unit_test(test_branches__of_few_nothing_is_said),
        cmocka_unit_test(test_reach__at_random_in_much_memory),
        cmocka_unit_test(test_reach__by_strides),
        cmocka_unit_test(test_reach__a_list_is_told_by_its_addresses),
        cmocka_unit_test(test_sharing__two_threads_in_turn),
        cmocka_unit_test(test_sharing__one_writes_another_one_only_reads),
        cmocka_unit_test(test_sharing__one_after_the_other_or_apart_is_none),
        cmocka_unit_test(test_weigh__a_share_of_executions_and_no_more_than_was_observed),
        cmocka_unit_test(test_weigh__of_few_executions_nothing_is_told),
        cmocka_unit_test(test_weigh__data_that_fit_cost_nothing),
        cmocka_unit_test(test_weigh__data_behind_a_level_by_what_was_observed),
        cmocka_unit_test(test_causes__out_of_memory_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
