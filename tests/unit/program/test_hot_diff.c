/* test_hot_diff.c - two versions of a program: made-up places and times, whose matches and sums are known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <math.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"
#include "tacho/hot_diff.h"

enum {
    MAX_PLACES = 24,
    MAX_RUNS = 6,
    MAX_CODE = 16
};

/* ---- made-up sides ---- */

typedef struct made_place {
    const char *function, *inlined;
    const char *file;
    uint32_t first, last; /* lines */
    const char *code;     /* in hex, a blank between instructions */
    bool block;
    double seconds;
} made_place;

typedef struct made_side {
    tacho_hot_side side;
    tacho_hot_profile profile;
    tacho_hot hot;
    tacho_hot_object object;
    tacho_hot_place places[MAX_PLACES];
    tacho_loop loops[MAX_PLACES];
    tacho_loop_block blocks[MAX_PLACES];
    tacho_hot_insn insns[MAX_PLACES][MAX_CODE];
    uint8_t bytes[MAX_PLACES][MAX_CODE][16];
    tacho_hot_function functions[MAX_PLACES];
    double own[MAX_RUNS], kernel[MAX_RUNS];
    double place_times[MAX_RUNS * MAX_PLACES], function_times[MAX_RUNS * MAX_PLACES];
} made_side;

static void make_code(made_side *s, size_t n, const char *code, uint64_t address)
{
    tacho_hot_place *p = &s->places[n];
    for (; code && *code && p->insn_count < MAX_CODE; code += *code == ' ') {
        uint8_t *bytes = s->bytes[n][p->insn_count];
        tacho_hot_insn *insn = &s->insns[n][p->insn_count];
        unsigned byte, length = 0;
        for (; *code && *code != ' ' && sscanf(code, "%2x", &byte) == 1; code += 2)
            bytes[length++] = (uint8_t)byte;
        *insn = (tacho_hot_insn){
            .address = address, .bytes = bytes, .length = length, .on_path = (int32_t)p->insn_count};
        address += length;
        p->insn_count++;
    }
    p->insns = s->insns[n];
}

/* Each function lies at a multiple of 4096 and has its places behind each other. `more`: seconds that each
 * function has beside its places; `beside`: seconds of other code. */
static made_side *make(const made_place *places, size_t count, double more, double beside)
{
    made_side *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->object = (tacho_hot_object){.path = "/p/program", .name = "program"};
    for (size_t i = 0; i < count; i++) {
        const made_place *m = &places[i];
        size_t f = 0;
        while (f < s->hot.function_count && strcmp(s->functions[f].name, m->function) != 0)
            f++;
        if (f == s->hot.function_count) {
            s->functions[f] =
                (tacho_hot_function){&s->object, m->function, 4096 * (f + 1), 4096 * (f + 2), 0, 0, 0};
            s->function_times[f] = more;
            s->own[0] += more;
            s->hot.function_count++;
        }
        uint64_t at = s->functions[f].start + 64 * i;
        s->loops[i] = (tacho_loop){.function = m->function,
                                   .inlined = m->inlined,
                                   .source_file = m->file,
                                   .source_first = m->first,
                                   .source_last = m->last,
                                   .start = at};
        s->places[i] = (tacho_hot_place){.object = &s->object, .is_loop = !m->block, .loop = &s->loops[i]};
        make_code(s, i, m->code, at);
        s->place_times[i] = m->seconds;
        s->function_times[f] += m->seconds;
        s->own[0] += m->seconds;
    }
    s->own[0] += beside;
    s->kernel[0] = 0.25;
    s->hot.count = count;
    s->hot.places = s->places;
    s->hot.functions = s->functions;
    s->profile.samples = 1000000;
    s->profile.weight = s->profile.weight_squares = 1e6;
    s->side = (tacho_hot_side){&s->profile, &s->hot,        TACHO_HOT_SECONDS, 1,   s->own,
                               s->kernel,   s->place_times, s->function_times, NULL};
    return s;
}

/* Copies of the first run, each with its own factor. */
static void repeat(made_side *s, const double *factors, size_t runs)
{
    const size_t p = s->hot.count, f = s->hot.function_count;
    for (size_t r = runs; r-- > 0;) {
        s->own[r] = s->own[0] * factors[r];
        s->kernel[r] = s->kernel[0] * factors[r];
        for (size_t i = 0; i < p; i++)
            s->place_times[r * p + i] = s->place_times[i] * factors[r];
        for (size_t i = 0; i < f; i++)
            s->function_times[r * f + i] = s->function_times[i] * factors[r];
    }
    s->side.runs = runs;
}

static const double steady[] = {1, 1.001, 0.999, 1, 1};

static tacho_hot_diff *compare(made_side *a, made_side *b)
{
    tacho_hot_diff *d;
    tacho_error err;
    assert_int_equal(tacho_hot_diff_make(&d, &a->side, &b->side, 0.001, &err), 0);
    double before = 0, after = 0, change = 0;
    for (size_t i = 0; i < d->count; i++) {
        before += d->changes[i].before.value;
        after += d->changes[i].after.value;
        change += d->changes[i].change.value;
    }
    assert_float_equal(before, d->whole.before.value, 1e-9);
    assert_float_equal(after, d->whole.after.value, 1e-9);
    assert_float_equal(change, d->whole.change.value, 1e-9);
    return d;
}

static void drop(tacho_hot_diff *d, made_side *a, made_side *b)
{
    tacho_hot_diff_free(d);
    free(a);
    free(b);
}

/* The change that has this place. */
static const tacho_hot_change *with(const tacho_hot_diff *d, bool is_b, uint32_t place)
{
    for (size_t i = 0; i < d->count; i++) {
        const tacho_hot_change *c = &d->changes[i];
        for (size_t k = 0; c->part == TACHO_HOT_PLACES && k < (is_b ? c->b_count : c->a_count); k++)
            if ((is_b ? c->b : c->a)[k] == place)
                return c;
    }
    fail_msg("no change has place %u", place);
    return NULL;
}

/* imul rax,rax; add rax,1; dec ecx; jne: with other registers; with one instruction more; other code */
#define CHAIN       "480fafc0 4883c001 ffc9 75f4"
#define CHAIN_MOVED "480fafdb 4883c301 ffce 7580"
#define CHAIN_LONG  "480fafdb 480fafdb 4883c301 ffce 7580"
#define COPY        "488b0e 48890f 4883c608 4883c708 4839d6 75ed"
#define VECTOR      "c5fe6f06 c5fe7f07 4883c620 4883c720 4839d6 75eb"

/* ---- sums ---- */

static void test_diff__the_slower_loop_is_first_and_parts_add_up(void **state)
{
    (void)state;
    const made_place old[] = {{.function = "f", .code = CHAIN, .seconds = 1},
                              {.function = "g", .code = COPY, .seconds = 2},
                              {.function = "g", .code = CHAIN, .seconds = 0.5}};
    const made_place new[] = {{.function = "g", .code = COPY, .seconds = 2},
                              {.function = "f", .code = CHAIN_LONG, .seconds = 1.75},
                              {.function = "g", .code = CHAIN_MOVED, .seconds = 0.5}};
    made_side *a = make(old, 3, 0.1, 0.2), *b = make(new, 3, 0.1, 0.2);
    repeat(a, steady, 5);
    repeat(b, steady, 5);
    tacho_hot_diff *d = compare(a, b);
    const tacho_hot_change *c = &d->changes[0];
    assert_int_equal(c->part, TACHO_HOT_PLACES);
    assert_int_equal(c->state, TACHO_HOT_SLOWER);
    assert_int_equal(c->a[0], 0);
    assert_int_equal(c->b[0], 1);
    assert_int_equal(c->matched, TACHO_HOT_BY_NAME);
    assert_float_equal(c->change.value, 0.75, 1e-9);
    assert_float_equal(c->share, 1, 1e-9);
    assert_float_equal(d->whole.change.value, 0.75, 1e-9);
    assert_int_equal(d->whole.state, TACHO_HOT_SLOWER);
    for (size_t i = 1; i < d->count; i++)
        assert_int_equal(d->changes[i].state, TACHO_HOT_SAME);
    assert_int_equal(d->count, 3 + 2 + 2); /* places, functions, other code, the kernel */
    drop(d, a, b);
}

static void test_diff__intervals_come_from_pairs_of_runs(void **state)
{
    (void)state;
    /* differences 1, 2, 3: mean 2, standard error 1 / sqrt 3, Student's t with 2 degrees of freedom 4.30265
     */
    const made_place place[] = {{.function = "f", .code = CHAIN, .seconds = 1}};
    made_side *a = make(place, 1, 0, 0), *b = make(place, 1, 0, 0);
    const double one[] = {10, 20, 30}, two[] = {11, 22, 33};
    repeat(a, one, 3);
    repeat(b, two, 3);
    tacho_hot_diff *d = compare(a, b);
    const tacho_hot_change *c = with(d, false, 0);
    assert_float_equal(c->before.value, 20, 1e-9);
    assert_float_equal(c->change.value, 2, 1e-9);
    assert_float_equal(c->change.high, 2 + 4.302653 / sqrt(3), 1e-5);
    /* p of t = 2 sqrt 3: 1 - t / sqrt(2 + t^2) */
    assert_float_equal(c->p, 1 - 2 * sqrt(3) / sqrt(14), 1e-9);
    assert_int_equal(c->state, TACHO_HOT_SAME); /* p = 0.074 */
    drop(d, a, b);
}

static void test_diff__one_run_of_each_leaves_the_error_of_sampling(void **state)
{
    (void)state;
    const made_place old[] = {{.function = "f", .code = CHAIN, .seconds = 1},
                              {.function = "g", .code = COPY, .seconds = 1}};
    const made_place new[] = {{.function = "f", .code = CHAIN, .seconds = 2},
                              {.function = "g", .code = COPY, .seconds = 1}};
    made_side *a = make(old, 2, 0, 0), *b = make(new, 2, 0, 0);
    a->profile.weight = a->profile.weight_squares = 1000;
    b->profile.weight = b->profile.weight_squares = 1500;
    a->kernel[0] = NAN;
    tacho_hot_diff *d = compare(a, b);
    const tacho_hot_change *c = &d->changes[0];
    double error = sqrt(4 * 0.25 / 1000 + 9 * (2.0 / 9) / 1500);
    assert_float_equal(c->change.value, 1, 1e-9);
    assert_float_equal(c->change.low, 1 - 1.959964 * error, 1e-5);
    assert_int_equal(c->state, TACHO_HOT_SLOWER);
    assert_true(isnan(d->whole.change.low));
    assert_false(d->kernel);
    assert_float_equal(d->whole.before.value, 2, 1e-9);
    drop(d, a, b);
}

/* Nothing differs but for noise: at most a twentieth of comparisons may call any of 16 places different. */
static void test_diff__noise_is_no_difference(void **state)
{
    (void)state;
    uint64_t seed = 7;
    int wrong = 0;
    for (int n = 0; n < 300; n++) {
        made_place places[16];
        char names[16][8];
        for (int i = 0; i < 16; i++) {
            snprintf(names[i], sizeof names[i], "f%d", i);
            places[i] = (made_place){.function = names[i], .code = CHAIN, .seconds = 1};
        }
        made_side *sides[2] = {make(places, 16, 0, 0), make(places, 16, 0, 0)};
        for (int k = 0; k < 2; k++) {
            made_side *s = sides[k];
            repeat(s, steady, 5);
            for (size_t r = 0; r < 5; r++) {
                s->own[r] = 0;
                for (size_t i = 0; i < 16; i++) {
                    double noise = 0;
                    for (int j = 0; j < 6; j++)
                        noise += (double)(hash_mix(seed++) >> 11) * 0x1p-53 - 0.5;
                    s->place_times[r * 16 + i] = s->function_times[r * 16 + i] = 1 + 0.1 * noise;
                    s->own[r] += s->place_times[r * 16 + i];
                }
            }
        }
        tacho_hot_diff *d = compare(sides[0], sides[1]);
        bool any = false;
        for (size_t i = 0; i < d->count; i++)
            any |= d->changes[i].state != TACHO_HOT_SAME;
        wrong += any;
        drop(d, sides[0], sides[1]);
    }
    assert_true(wrong <= 15 + 8);
}

static void test_diff__small_parts_are_put_down_to_what_they_are_in(void **state)
{
    (void)state;
    const made_place old[] = {{.function = "f", .code = CHAIN, .seconds = 1},
                              {.function = "f", .code = COPY, .seconds = 0.002},
                              {.function = "tiny", .code = COPY, .seconds = 0.001}};
    made_side *a = make(old, 3, 0, 0), *b = make(old, 3, 0, 0);
    tacho_hot_diff *d;
    assert_int_equal(tacho_hot_diff_make(&d, &a->side, &b->side, 0.01, NULL), 0);
    assert_int_equal(d->count,
                     3); /* f's loop; other code, the kernel; nothing of f's own is left to be seen */
    for (size_t i = 0; i < d->count; i++)
        if (d->changes[i].part == TACHO_HOT_OTHER)
            assert_float_equal(d->changes[i].before.value, 0.003, 1e-9);
    drop(d, a, b);
}

/* ---- elapsed time ---- */

/* The first thread, two workers that wait for a lock, and two of a pool, one after the other. */
typedef struct made_threads {
    tacho_hot_threads all, *run;
    tacho_hot_thread threads[5];
    tacho_thread_wait waits[2];
    tacho_thread_share joiner, waiters[2];
} made_threads;

static void make_threads(made_threads *m, made_side *s, double seconds, double lock_seconds, uint64_t lock_at)
{
    static const char *const names[] = {"prog", "prog", "prog", "pool-1", "pool-2"};
    *m = (made_threads){.run = &m->all};
    for (int i = 0; i < 5; i++)
        m->threads[i] = (tacho_hot_thread){.name = names[i],
                                           .start = i == 1 || i == 2 ? "work.part.0" : NULL,
                                           .to = seconds,
                                           .running = seconds};
    m->threads[0].running = 0;
    m->threads[1].running = m->threads[2].running = seconds - lock_seconds;
    m->threads[3].to = m->threads[4].from = m->threads[3].running = m->threads[4].running = seconds / 2;
    m->joiner = (tacho_thread_share){0, seconds};
    for (uint32_t i = 0; i < 2; i++)
        m->waiters[i] = (tacho_thread_share){i + 1, lock_seconds};
    m->waits[0] = (tacho_thread_wait){
        .kind = TACHO_WAIT_JOIN, .call = "pthread_join", .thread_count = 1, .waiters = &m->joiner};
    m->waits[1] = (tacho_thread_wait){.kind = TACHO_WAIT_LOCK,
                                      .call = "pthread_mutex_lock",
                                      .data = lock_at,
                                      .thread_count = 2,
                                      .waiters = m->waiters};
    m->all = (tacho_hot_threads){
        .seconds = seconds, .threads = m->threads, .thread_count = 5, .waits = m->waits, .wait_count = 2};
    s->side.threads = &m->run;
}

static void test_diff__elapsed_time_is_divided_for_each_kind_of_threads(void **state)
{
    (void)state;
    const made_place place[] = {{.function = "f", .code = CHAIN, .seconds = 1}};
    made_side *a = make(place, 1, 0, 0), *b = make(place, 1, 0, 0);
    made_threads of_a, of_b;
    make_threads(&of_a, a, 10, 6, 0x1000);
    make_threads(&of_b, b, 7, 2, 0x2000);
    tacho_hot_diff *d = compare(a, b);
    double sums[2] = {0};
    const tacho_hot_role *last = NULL;
    size_t roles = 0, seen = 0;
    assert_float_equal(d->elapsed.change.value, -3, 1e-9);
    for (size_t i = 0; i < d->elapsed_count; i++) {
        const tacho_hot_change *c = &d->elapsed_changes[i];
        roles += c->role != last;
        last = c->role;
        sums[0] += c->before.value;
        sums[1] += c->after.value;
        if (tacho_same_text(c->role->name, "work") && c->part == TACHO_HOT_WAITS) {
            assert_true(c->role->by_start);
            assert_float_equal(c->role->threads[0], 2, 1e-9);
            assert_float_equal(c->before.value, 6, 1e-9);
            assert_float_equal(c->change.value, -4, 1e-9);
            assert_float_equal(c->share, 4.0 / 3, 1e-9);
            seen++;
        }
        if (tacho_same_text(c->role->name, "pool") && c->part == TACHO_HOT_RUNS) {
            assert_false(c->role->by_start);
            assert_float_equal(c->after.value, 7, 1e-9);
            seen++;
        }
        if (c->role->first && c->part == TACHO_HOT_WAITS && c->wait->kind == TACHO_WAIT_JOIN) {
            assert_float_equal(c->change.value, -3, 1e-9);
            seen++;
        }
    }
    assert_int_equal(seen, 3);
    assert_int_equal(roles, 3);
    assert_float_equal(sums[0], 3 * 10, 1e-9);
    assert_float_equal(sums[1], 3 * 7, 1e-9);
    assert_string_equal(d->elapsed_changes[0].role->name, "work"); /* with the largest change */
    drop(d, a, b);
}

/* ---- matching ---- */

static void test_match__names_source_and_code(void **state)
{
    (void)state;
    const made_place old[] = {
        {.function = "compress", .code = CHAIN, .seconds = 1},
        {.function = "caller", .file = "/src/a.c", .first = 10, .last = 14, .code = COPY, .seconds = 1},
        {.function = "before", .file = "/src/b.c", .first = 50, .last = 53, .code = CHAIN, .seconds = 1},
        {.function = "gone", .file = "/src/c.c", .first = 5, .last = 6, .code = COPY, .seconds = 1}};
    const made_place new[] = {
        {.function = "main",
         .inlined = "caller",
         .file = "/new/a.c",
         .first = 12,
         .last = 17,
         .code = COPY,
         .seconds = 1},
        {.function = "compress.constprop.0", .code = CHAIN_LONG, .seconds = 1},
        {.function = "after", .file = "/src/b.c", .first = 50, .last = 53, .code = CHAIN_MOVED, .seconds = 1},
        {.function = "new", .file = "/src/d.c", .first = 5, .last = 6, .code = CHAIN, .seconds = 1}};
    made_side *a = make(old, 4, 0, 0), *b = make(new, 4, 0, 0);
    repeat(a, steady, 5);
    repeat(b, steady, 5);
    tacho_hot_diff *d = compare(a, b);
    const tacho_hot_change *c = with(d, false, 0);
    assert_int_equal(c->b[0], 1);
    assert_int_equal(c->matched, TACHO_HOT_BY_NAME);
    c = with(d, false, 1);
    assert_int_equal(c->b[0], 0);
    assert_int_equal(c->matched, TACHO_HOT_BY_NAME);
    c = with(d, false, 2);
    assert_int_equal(c->b[0], 2);
    assert_int_equal(c->matched, TACHO_HOT_BY_SOURCE);
    assert_float_equal(c->likeness, 1, 1e-9);
    assert_int_equal(with(d, false, 3)->state, TACHO_HOT_GONE);
    assert_int_equal(with(d, true, 3)->state, TACHO_HOT_NEW);
    drop(d, a, b);
}

/* One loop became three: a vector loop and the one for the rest of the same lines; another loop of the
 * function stays what it was. */
static void test_match__several_loops_of_one(void **state)
{
    (void)state;
    const made_place old[] = {
        {.function = "f", .file = "a.c", .first = 10, .last = 12, .code = COPY, .seconds = 4},
        {.function = "f", .file = "a.c", .first = 30, .last = 31, .code = CHAIN, .seconds = 2}};
    const made_place new[] = {
        {.function = "f", .file = "a.c", .first = 30, .last = 31, .code = CHAIN_MOVED, .seconds = 2},
        {.function = "f", .file = "a.c", .first = 10, .last = 12, .code = VECTOR, .seconds = 1},
        {.function = "f", .file = "a.c", .first = 10, .last = 12, .code = COPY, .seconds = 0.5}};
    made_side *a = make(old, 2, 0, 0), *b = make(new, 3, 0, 0);
    repeat(a, steady, 5);
    repeat(b, steady, 5);
    tacho_hot_diff *d = compare(a, b);
    const tacho_hot_change *c = &d->changes[0];
    assert_int_equal(c->a_count, 1);
    assert_int_equal(c->b_count, 2);
    assert_int_equal(c->b[0], 1);
    assert_int_equal(c->b[1], 2);
    assert_int_equal(c->state, TACHO_HOT_FASTER);
    assert_float_equal(c->change.value, -2.5, 1e-9);
    assert_int_equal(with(d, false, 1)->b[0], 0);
    drop(d, a, b);
}

/* The last loops of a function are the same, however different their code. */
static void test_match__the_only_loop_of_a_function(void **state)
{
    (void)state;
    const made_place old[] = {{.function = "f", .code = CHAIN, .seconds = 1}};
    const made_place new[] = {{.function = "f", .code = VECTOR, .seconds = 1}};
    made_side *a = make(old, 1, 0, 0), *b = make(new, 1, 0, 0);
    tacho_hot_diff *d = compare(a, b);
    assert_int_equal(with(d, false, 0)->b_count, 1);
    drop(d, a, b);
}

/* In the same file, what lies at one place is the same, whatever path was seen. */
static void test_match__a_program_and_itself(void **state)
{
    (void)state;
    const made_place old[] = {{.function = "f", .code = CHAIN, .seconds = 1},
                              {.function = "f", .code = COPY, .seconds = 1}};
    const made_place new[] = {{.function = "f", .code = COPY, .seconds = 1},
                              {.function = "f", .code = CHAIN, .seconds = 1}};
    made_side *a = make(old, 2, 0, 0), *b = make(new, 2, 0, 0);
    a->object.inode = b->object.inode = 7;
    tacho_hot_diff *d = compare(a, b);
    assert_int_equal(with(d, false, 0)->b[0], 0);
    assert_int_equal(with(d, false, 1)->b[0], 1);
    drop(d, a, b);
    a = make(old, 2, 0, 0), b = make(new, 2, 0, 0);
    a->object.inode = 7;
    b->object.inode = 8;
    d = compare(a, b);
    assert_int_equal(with(d, false, 0)->b[0], 1);
    drop(d, a, b);
}

/* ---- reasons ---- */

static const tacho_prediction *predict(tacho_predictor *p, const made_side *s)
{
    uint8_t code[256];
    size_t size = 0;
    const tacho_prediction *out;
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    o.mode = TACHO_MODE_LOOP;
    for (size_t i = 0; i < s->places[0].insn_count; i++) {
        memcpy(code + size, s->insns[0][i].bytes, s->insns[0][i].length);
        size += s->insns[0][i].length;
    }
    assert_int_equal(tacho_predict(p, tacho_arch_find("SKL", NULL), code, size, &o, &out, NULL), 0);
    return out;
}

static const char *reason(const tacho_hot_reasons *r, const char *kind)
{
    for (size_t i = 0; i < r->count; i++)
        if (!strcmp(r->list[i].kind, kind))
            return r->list[i].text;
    return "";
}

/* Reasons for the change of the first place of both. Windows have seen causes of them, NULL: have not been.
 */
static void reasons_by(tacho_hot_reasons *out, const made_place *old, const made_place *new,
                       double executions_a, double executions_b, const tacho_hot_known *of_a,
                       const tacho_hot_known *of_b)
{
    made_side *a = make(old, 1, 0, 0), *b = make(new, 1, 0, 0);
    tacho_predictor *pa = tacho_predictor_new(), *pb = tacho_predictor_new();
    a->places[0].executions = executions_a;
    b->places[0].executions = executions_b;
    a->places[0].observed_cycles = b->places[0].observed_cycles = NAN;
    tacho_hot_diff *d = compare(a, b);
    tacho_hot_known known[2] = {{.prediction = predict(pa, a)}, {.prediction = predict(pb, b)}};
    if (of_a) {
        a->profile.window_count = b->profile.window_count = 10;
        a->places[0].window_rounds = b->places[0].window_rounds = 100;
        known[0].causes = of_a->causes;
        known[0].told = of_a->told;
        known[1].causes = of_b->causes;
        known[1].told = of_b->told;
    }
    assert_int_equal(tacho_hot_why(out, with(d, false, 0), &a->side, &b->side, &known[0], &known[1]), 0);
    tacho_predictor_free(pa);
    tacho_predictor_free(pb);
    drop(d, a, b);
}

static void reasons_of(tacho_hot_reasons *out, const made_place *old, const made_place *new,
                       double executions_a, double executions_b)
{
    reasons_by(out, old, new, executions_a, executions_b, NULL, NULL);
}

static void test_why__causes_that_windows_show(void **state)
{
    (void)state;
    const made_place old = {.function = "f", .code = CHAIN, .seconds = 1};
    const made_place new = {.function = "f", .code = CHAIN_MOVED, .seconds = 3};
    const tacho_hot_cause
        missed = {.kind = TACHO_HOT_MISPREDICTION, .insn = 3, .share = 0.25, .a_round = 1, .most = 4},
        rarely = {.kind = TACHO_HOT_MISPREDICTION, .insn = 3, .share = 0.22, .a_round = 1, .most = 4};
    const tacho_hot_known none = {.told = 0}, one = {.causes = &missed, .told = 1},
                          other = {.causes = &rarely, .told = 1};
    tacho_hot_reasons r;
    reasons_by(&r, &old, &new, NAN, NAN, &none, &one);
    assert_string_equal(reason(&r, "causes"),
                        "windows show misprediction: in each iteration 0.25 times by jnz (up to 4 "
                        "cycles); in A none that matters");
    assert_null(strstr(reason(&r, "same_code"), "--windows"));
    reasons_by(&r, &old, &new, NAN, NAN, &one, &none);
    assert_non_null(
        strstr(reason(&r, "causes"), "in each iteration none that matters; in A 0.25 times by jnz"));
    reasons_by(&r, &old, &new, NAN, NAN, &one, &other);
    assert_string_equal(reason(&r, "causes"), "");
    reasons_by(&r, &old, &new, NAN, NAN, NULL, NULL);
    assert_non_null(strstr(reason(&r, "same_code"), "--windows"));
}

static void test_why__a_longer_chain(void **state)
{
    (void)state;
    const made_place old = {.function = "f", .code = CHAIN, .seconds = 1};
    const made_place new = {.function = "f", .code = CHAIN_LONG, .seconds = 2};
    tacho_hot_reasons r;
    reasons_of(&r, &old, &new, 100, 100);
    assert_string_equal(reason(&r, "cycles"), "predicted 7 cycles per iteration, 4 in A (+75 %)");
    assert_string_equal(
        reason(&r, "dependencies"),
        "the longest chain of dependencies takes 7 cycles per iteration, 4 in A: 2 imul, add");
    assert_string_equal(reason(&r, "instructions"), "5 instructions, 4 in A; added: imul");
    assert_string_equal(reason(&r, "iterations"),
                        "100 iterations a run, as in A: each takes 2 times as long");
    assert_string_equal(reason(&r, "same_code"), "");
}

static void test_why__more_iterations_of_the_same(void **state)
{
    (void)state;
    const made_place old = {.function = "f", .code = CHAIN, .seconds = 1};
    const made_place new = {.function = "f", .code = CHAIN_MOVED, .seconds = 3};
    tacho_hot_reasons r;
    reasons_of(&r, &old, &new, 100, 300);
    assert_string_equal(reason(&r, "cycles"), "predicted 4 cycles per iteration, as in A");
    assert_string_equal(
        reason(&r, "iterations"),
        "300 iterations a run, 100 in A: +2 of the change is by their number, +0 by the time of each");
    assert_non_null(strstr(reason(&r, "same_code"), "how often it runs"));
    assert_string_equal(reason(&r, "instructions"), "");
}

/* A loop that goes four times as far in each iteration is not as much slower as it looks. */
static void test_why__vectors(void **state)
{
    (void)state;
    const made_place old = {.function = "f", .code = COPY, .seconds = 2};
    const made_place new = {.function = "f", .code = VECTOR, .seconds = 1};
    tacho_hot_reasons r;
    reasons_of(&r, &old, &new, NAN, NAN);
    assert_non_null(strstr(reason(&r, "cycles"), "which works on 32 bytes where that of A works on 8: "));
    assert_non_null(strstr(reason(&r, "instructions"), "added: 2 vmovdqu; no longer: 2 mov"));
}

/* Blocks outside of loops are their function's. */
static void test_match__blocks(void **state)
{
    (void)state;
    const made_place old[] = {{.function = "f", .block = true, .code = CHAIN, .seconds = 1},
                              {.function = "f", .block = true, .code = COPY, .seconds = 1}};
    const made_place new[] = {{.function = "f", .block = true, .code = CHAIN_MOVED, .seconds = 1},
                              {.function = "f", .block = true, .code = "90 c3", .seconds = 1.5}};
    made_side *a = make(old, 2, 0, 0), *b = make(new, 2, 0, 0);
    tacho_hot_diff *d = compare(a, b);
    assert_int_equal(d->count, 3); /* f, other code, the kernel */
    const tacho_hot_change *f = NULL;
    for (size_t i = 0; i < d->count; i++)
        f = d->changes[i].part == TACHO_HOT_FUNCTION ? &d->changes[i] : f;
    assert_non_null(f);
    assert_float_equal(f->before.value, 2, 1e-9);
    assert_float_equal(f->after.value, 2.5, 1e-9);
    assert_int_equal(f->block_count, 3);
    assert_float_equal(f->blocks[0].change.value, 1.5, 1e-9); /* new */
    assert_int_equal(f->blocks[0].a_count, 0);
    assert_int_equal(f->blocks[0].b[0], 1);
    assert_int_equal(f->blocks[1].b_count, 0); /* gone */
    assert_int_equal(f->blocks[2].a[0], 0);
    assert_int_equal(f->blocks[2].b[0], 0);
    drop(d, a, b);
}

/* ---- alignment ---- */

static void test_align__what_was_added_stands_alone(void **state)
{
    (void)state;
    const made_place old[] = {{.function = "f", .code = CHAIN, .seconds = 1}};
    const made_place new[] = {{.function = "f", .code = CHAIN_LONG, .seconds = 1}};
    made_side *a = make(old, 1, 0, 0), *b = make(new, 1, 0, 0);
    tacho_hot_pair pairs[16];
    size_t count;
    assert_int_equal(tacho_hot_align(pairs, &count, &a->places[0], &b->places[0]), 0);
    assert_int_equal(count, 5);
    const int32_t expected[5][2] = {{0, 0}, {-1, 1}, {1, 2}, {2, 3}, {3, 4}};
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(pairs[i].a, expected[i][0]);
        assert_int_equal(pairs[i].b, expected[i][1]);
        assert_int_equal(pairs[i].same, i != 1);
    }
    free(a);
    free(b);
}

/* ---- errors ---- */

static void test_diff__units_must_agree(void **state)
{
    (void)state;
    const made_place place[] = {{.function = "f", .code = CHAIN, .seconds = 1}};
    made_side *a = make(place, 1, 0, 0), *b = make(place, 1, 0, 0);
    tacho_hot_diff *d;
    tacho_error err;
    b->side.unit = TACHO_HOT_CORE_CYCLES;
    assert_int_equal(tacho_hot_diff_make(&d, &a->side, &b->side, 0.001, &err), TACHO_ERR_USAGE);
    assert_non_null(strstr(err.message, "cannot be compared"));
    assert_null(d);
    drop(d, a, b);
}

static void test_diff__memory_runs_out(void **state)
{
    (void)state;
    const made_place old[] = {{.function = "f", .code = CHAIN, .seconds = 1},
                              {.function = "g", .code = COPY, .seconds = 1}};
    made_side *a = make(old, 2, 0.1, 0), *b = make(old, 2, 0.1, 0);
    tacho_hot_diff *d;
    int rc = TACHO_ERR_MEMORY;
    for (unsigned long n = 1; rc && n < 1000; n++) {
        tacho_mem_fail_at(n);
        rc = tacho_hot_diff_make(&d, &a->side, &b->side, 0.001, NULL);
        tacho_mem_fail_at(0);
        assert_true(rc == 0 || rc == TACHO_ERR_MEMORY);
        assert_true((rc == 0) == (d != NULL));
    }
    assert_int_equal(rc, 0);
    drop(d, a, b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_diff__the_slower_loop_is_first_and_parts_add_up),
        cmocka_unit_test(test_diff__intervals_come_from_pairs_of_runs),
        cmocka_unit_test(test_diff__one_run_of_each_leaves_the_error_of_sampling),
        cmocka_unit_test(test_diff__noise_is_no_difference),
        cmocka_unit_test(test_diff__small_parts_are_put_down_to_what_they_are_in),
        cmocka_unit_test(test_match__names_source_and_code),
        cmocka_unit_test(test_match__several_loops_of_one),
        cmocka_unit_test(test_match__the_only_loop_of_a_function),
        cmocka_unit_test(test_match__blocks),
        cmocka_unit_test(test_match__a_program_and_itself),
        cmocka_unit_test(test_why__causes_that_windows_show),
        cmocka_unit_test(test_why__a_longer_chain),
        cmocka_unit_test(test_why__more_iterations_of_the_same),
        cmocka_unit_test(test_why__vectors),
        cmocka_unit_test(test_align__what_was_added_stands_alone),
        cmocka_unit_test(test_diff__units_must_agree),
        cmocka_unit_test(test_diff__elapsed_time_is_divided_for_each_kind_of_threads),
        cmocka_unit_test(test_diff__memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
