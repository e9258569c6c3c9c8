/* test_hot_memory.c - what places access and wait for: made-up samples over this program's own code, whose
 * loops are known, and a machine whose memory is made up, too. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/hash.h"
#include "program/hot/memory_model.h"
#include "program/hot/hot_operands.h"
#include "program/hot/path_values.h"
#include "x86/decode/regs.h"

/* probe_chase: a linked list, whose nodes have a value. probe_gather: through an array of indices.
 * probe_rows: down a column, by a register. probe_list: 8 of 64 bytes. probe_fill, probe_past: stores, of
 * which the second ones are non-temporal. */
__asm__(".text\n.p2align 6\n"
        ".globl probe_chase\n.type probe_chase,@function\n"
        "probe_chase: add 8(%rdi), %rax\n"
        "mov (%rdi), %rdi\n"
        "dec %rcx\n"
        "jnz probe_chase\n"
        "ret\n"
        ".size probe_chase, . - probe_chase\n"
        ".globl probe_gather\n.type probe_gather,@function\n"
        "probe_gather: mov (%rsi,%rdx,4), %eax\n"
        "add (%rdi,%rax,4), %r8d\n"
        "inc %rdx\n"
        "cmp %rcx, %rdx\n"
        "jne probe_gather\n"
        "ret\n"
        ".size probe_gather, . - probe_gather\n"
        ".globl probe_rows\n.type probe_rows,@function\n"
        "probe_rows: addsd (%rax), %xmm0\n"
        "add %rdx, %rax\n"
        "dec %rcx\n"
        "jnz probe_rows\n"
        "ret\n"
        ".size probe_rows, . - probe_rows\n"
        ".globl probe_list\n.type probe_list,@function\n"
        "probe_list: mov %rcx, %rax\n"
        "shl $6, %rax\n"
        "add (%rdi,%rax), %r8\n"
        "inc %rcx\n"
        "cmp %rdx, %rcx\n"
        "jne probe_list\n"
        "ret\n"
        ".size probe_list, . - probe_list\n"
        ".globl probe_fill\n.type probe_fill,@function\n"
        "probe_fill: movaps %xmm0, (%rdi,%rcx)\n"
        "add $16, %rcx\n"
        "cmp %rdx, %rcx\n"
        "jne probe_fill\n"
        "ret\n"
        ".size probe_fill, . - probe_fill\n"
        ".globl probe_past\n.type probe_past,@function\n"
        "probe_past: movntps %xmm0, (%rdi,%rcx)\n"
        "add $16, %rcx\n"
        "cmp %rdx, %rcx\n"
        "jne probe_past\n"
        "ret\n"
        ".size probe_past, . - probe_past\n");
extern const uint8_t probe_chase[], probe_gather[], probe_rows[], probe_list[], probe_fill[], probe_past[];

enum {
    SAMPLES = 2000,
    MB = 1 << 20
};
static const double period = 1e-3, hz = 1e9;
static const uint64_t data = (uint64_t)1 << 40;

typedef struct made {
    hot_tally *b;
    uint64_t registers[PAIRS_REGISTERS], random;
    double time;
} made;

static made start(void)
{
    made m = {.b = tally_new(), .random = 1};
    assert_non_null(m.b);
    assert_int_equal(tally_fork(m.b, 0, (uint64_t)getpid()), 0);
    assert_int_equal(tally_read_maps(m.b, (uint64_t)getpid()), 0);
    return m;
}

static void sample(made *m, const uint8_t *code)
{
    const uint64_t address = (uint64_t)(uintptr_t)code;
    m->time += period;
    assert_int_equal(tally_sample(m->b, (uint64_t)getpid(), address, 1), 0);
    const pairs_sample s = {.process = (uint64_t)getpid(),
                            .thread = 7,
                            .address = address,
                            .time = m->time,
                            .period = period,
                            .registers = m->registers};
    assert_int_equal(pairs_add(m->b, &s), 0);
}

static tacho_hot *conclude(made *m)
{
    tacho_hot_find_options o = TACHO_HOT_FIND_OPTIONS_INIT;
    tacho_hot *hot;
    o.core_hz = hz;
    assert_int_equal(tally_finish(m->b), 0);
    assert_int_equal(tacho_hot_find(&hot, &m->b->profile, &o, NULL), 0);
    assert_int_equal(hot->count, 1);
    return hot;
}

static uint64_t draw(made *m, uint64_t below)
{
    m->random = hash_mix(m->random + 1);
    return m->random % below;
}

static void assert_near(double got, double wanted, double slack)
{
    if (!(fabs(got - wanted) <= slack * wanted))
        fail_msg("%g is not %g", got, wanted);
}

/* A chain over 64 MB: the load of it, and the value beside it. */
static tacho_hot *chase(made *m, uint64_t bytes)
{
    *m = start();
    for (int i = 0; i < SAMPLES; i++, m->registers[RCX] -= 1000) {
        m->registers[RDI] = data + draw(m, bytes / 64) * 64;
        sample(m, probe_chase + (i % 2 ? 4 : 0));
    }
    return conclude(m);
}

static void test_memory__a_chain(void **state)
{
    (void)state;
    made m;
    tacho_hot *hot = chase(&m, 64 * MB);
    const tacho_hot_place *p = &hot->places[0];
    assert_int_equal(p->operand_count, 2);
    const tacho_hot_operand *value = &p->operands[0], *next = &p->operands[1];
    assert_int_equal(next->pattern, TACHO_HOT_CHAIN);
    assert_false(next->in_order);
    assert_int_equal(next->shares, 0);
    assert_int_equal(value->from, 1);
    assert_near(value->line_bytes, 16, 0);
    assert_int_equal(next->samples, SAMPLES);
    assert_near(next->footprint, 64 * MB, 0.1);
    assert_true(next->footprint_low < 64 * MB && next->footprint_high >= 0.99 * 64 * MB);
    tacho_hot_free(hot);
    tally_free(m.b);
}

/* Samples lie behind the load whose register the address needs, or before it: then the address of the last
 * iteration counts. */
static void test_memory__a_gather(void **state)
{
    (void)state;
    made m = start();
    m.registers[RSI] = data;
    m.registers[RDI] = data + 1024 * (uint64_t)MB;
    for (int i = 0; i < SAMPLES; i++, m.registers[RDX] += 1000) {
        m.registers[RAX] = draw(&m, 8 * MB);
        sample(&m, probe_gather + (i % 2 ? 3 : 0));
    }
    tacho_hot *hot = conclude(&m);
    const tacho_hot_operand *index = &hot->places[0].operands[0], *table = &hot->places[0].operands[1];
    assert_int_equal(index->pattern, TACHO_HOT_STRIDE);
    assert_int_equal(index->stride, 4);
    assert_near(index->footprint, 4 * 1000.0 * SAMPLES, 0.01);
    assert_int_equal(table->pattern, TACHO_HOT_RANDOM);
    assert_int_equal(table->from, 0);
    assert_int_equal(table->samples, SAMPLES);
    assert_near(table->footprint, 32 * MB, 0.1);
    tacho_hot_free(hot);
    tally_free(m.b);
}

static void test_memory__rows_and_strides(void **state)
{
    (void)state;
    made m = start();
    m.registers[RDX] = 4096;
    for (uint64_t i = 0; i < SAMPLES; i++) {
        m.registers[RAX] = data + draw(&m, 1024) * 4096 + i * 8 % 4096;
        m.registers[RCX] = draw(&m, 1024);
        sample(&m, probe_rows);
    }
    tacho_hot *hot = conclude(&m);
    assert_int_equal(hot->places[0].operands[0].pattern, TACHO_HOT_ROWS);
    assert_int_equal(hot->places[0].operands[0].stride, 4096);
    assert_near(hot->places[0].operands[0].footprint, 4 * MB, 0.01);
    tacho_hot_free(hot);
    tally_free(m.b);
    m = start();
    m.registers[RDI] = data;
    for (uint64_t i = 0; i < SAMPLES; i++, m.registers[RCX] += 500)
        sample(&m, probe_list);
    hot = conclude(&m);
    const tacho_hot_operand *o = &hot->places[0].operands[0];
    assert_int_equal(o->pattern, TACHO_HOT_STRIDE);
    assert_int_equal(o->stride, 64);
    assert_near(o->line_bytes, 8, 0);
    assert_near(o->footprint, 64 * 500.0 * SAMPLES, 0.01);
    tacho_hot_free(hot);
    tally_free(m.b);
}

/* ---- addresses alone ---- */

static void test_memory__to_and_fro(void **state)
{
    (void)state;
    enum {
        COUNT = 1000
    };
    static uint64_t now[COUNT], before[COUNT];
    static double lines[COUNT];
    uint64_t random = 1;
    for (int i = 0; i < COUNT; i++) {
        const uint64_t block = data + (uint64_t)i * 4096;
        random = hash_mix(random);
        before[i] = block + random % 65536;
        now[i] = block + hash_mix(random) % 65536;
        lines[i] = 20000;
    }
    tacho_hot_operand o = {.pattern = TACHO_HOT_STRIDE, .stride = 8, .bytes = 8};
    const seen_addresses seen = {now, before, lines, COUNT};
    assert_int_equal(operand_summarise(&o, &seen), 0);
    assert_near(o.footprint, 4096.0 * COUNT, 0.05);
    assert_near(o.reach, 65536, 0.1);
    for (int i = 0; i < COUNT; i++)
        lines[i] = 500; /* no more than what lies between */
    assert_int_equal(operand_summarise(&o, &seen), 0);
    assert_true(isnan(o.reach));
    const seen_addresses few = {now, before, lines, 7};
    assert_int_equal(operand_summarise(&o, &few), 0);
    assert_int_equal(o.pattern, TACHO_HOT_UNSEEN);
    assert_true(isnan(o.footprint));
}

/* Addresses of no known step that move on by nearly the same from sample to sample are no random ones; two
 * arrays far apart are not as large as what lies between them. */
static void test_memory__in_order_and_apart(void **state)
{
    (void)state;
    enum {
        COUNT = 1000
    };
    static uint64_t now[COUNT], before[COUNT];
    static double lines[COUNT];
    for (uint64_t i = 0; i < COUNT; i++) {
        before[i] = data + (i * MB + hash_mix(i) % 65536) % (64 * MB);
        now[i] = data + ((i + 1) * MB + hash_mix(i + COUNT) % 65536) % (64 * MB);
        lines[i] = NAN;
    }
    tacho_hot_operand o = {.bytes = 8};
    const seen_addresses seen = {now, before, lines, COUNT};
    assert_int_equal(operand_summarise(&o, &seen), 0);
    assert_int_equal(o.pattern, TACHO_HOT_SEQUENCE);
    for (uint64_t i = 0; i < COUNT; i++)
        now[i] = data + (i % 2 ? (uint64_t)1 << 35 : 0) + i * 1024;
    o = (tacho_hot_operand){.bytes = 8, .pattern = TACHO_HOT_STRIDE, .stride = 8};
    assert_int_equal(operand_summarise(&o, &seen), 0);
    assert_near(o.footprint, 2 * 1024.0 * COUNT, 0.02);
}

static void test_memory__mappings(void **state)
{
    (void)state;
    static const char text[] = "7f0000000000-7f0000400000 rw-p 00000000 00:00 0 \n"
                               "Rss:                4096 kB\nAnonHugePages:      3072 kB\n"
                               "7f0010000000-7f0010001000 rw-p 00000000 00:00 0 \nRss: 4 kB\n"
                               "7f0020000000-7f0020400000 rw-p 00000000 00:00 0 \n"
                               "Rss:                   0 kB\nKernelPageSize:     2048 kB\n";
    hot_pairs p = {0};
    for (int twice = 0; twice < 2; twice++) {
        FILE *f = fmemopen((void *)(uintptr_t)text, sizeof text - 1, "r");
        assert_non_null(f);
        assert_int_equal(areas_take(&p, 5, f), 0);
        fclose(f);
    }
    areas_sort(&p);
    assert_int_equal(p.area_count, 2);
    assert_near(areas_find(&p, 5, 0x7f0000000000)->huge, 0.75, 0);
    assert_near(areas_find(&p, 5, 0x7f00203fffff)->huge, 1, 0);
    assert_null(areas_find(&p, 5, 0x7f0000400000));
    assert_null(areas_find(&p, 6, 0x7f0000000000));
    /* By records, of a process that nobody could look at: its heap grows; small ones are of no interest. */
    assert_int_equal(areas_add(&p, 6, 0x560000000000, 0x560000020000, NAN), 0);
    assert_int_equal(areas_add(&p, 6, 0x560000000000, 0x560000400000, NAN), 0);
    assert_int_equal(areas_add(&p, 6, 0x550000000000, 0x550000001000, NAN), 0);
    areas_sort(&p);
    assert_int_equal(p.area_count, 3);
    assert_true(isnan(areas_find(&p, 6, 0x5600003fffff)->huge));
    areas_forget(&p, 6);
    assert_null(areas_find(&p, 6, 0x560000000000));
    /* What was known of one that has grown is known still. */
    assert_int_equal(areas_add(&p, 5, 0x7f0020000000, 0x7f0020600000, NAN), 0);
    assert_int_equal(areas_add(&p, 5, 0x7f0000000000, 0x7f0000600000, NAN), 0);
    areas_sort(&p);
    assert_near(areas_find(&p, 5, 0x7f0000000000)->huge, 0.75, 0);
    assert_near(areas_find(&p, 5, 0x7f00203fffff)->huge, 1, 0);
    assert_true(isnan(areas_find(&p, 5, 0x7f0000500000)->huge));
    pairs_free(&p);
}

/* ---- what it waits for ---- */

/* Latencies 4, 14, 50, 400; with small pages 100 more from 1 MB on. */
static tacho_memory machine(void)
{
    tacho_memory m = {.level_count = 4, .vector_bytes = 32};
    static const uint64_t bytes[] = {32 << 10, 512 << 10, 8 * MB, (uint64_t)1 << 34};
    static const double latency[] = {4, 14, 50, 400};
    for (int i = 0; i < 4; i++) {
        m.levels[i] = (tacho_memory_level){.bytes = bytes[i],
                                           .latency_cycles = latency[i],
                                           .set_lines = NAN,
                                           .set_cycles = NAN,
                                           .load_bytes_per_cycle = 32 >> i,
                                           .store_bytes_per_cycle = 16 >> i,
                                           .copy_bytes_per_cycle = 16 >> i,
                                           .past_store_bytes_per_cycle = NAN,
                                           .past_copy_bytes_per_cycle = NAN};
        snprintf(m.levels[i].name, sizeof m.levels[i].name, i < 3 ? "L%d" : "memory", i + 1);
        const double walk = i > 1 ? 100 : 0;
        m.points[m.point_count++] =
            (tacho_memory_point){i < 3 ? bytes[i] / 2 : 16 * MB, {latency[i] + walk, latency[i]}};
        m.points[m.point_count++] = (tacho_memory_point){bytes[i], {latency[i] + walk, latency[i]}};
    }
    return m;
}

static const tacho_prediction *predict(tacho_predictor **p, const tacho_hot_place *place)
{
    const tacho_prediction *out;
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    o.mode = TACHO_MODE_LOOP;
    *p = tacho_predictor_new();
    assert_int_equal(tacho_predict(*p, tacho_arch_find("ZEN3", NULL), place->loop->code,
                                   place->loop->code_bytes, &o, &out, NULL),
                     0);
    return out;
}

static void test_memory__a_chain_waits(void **state)
{
    (void)state;
    made m;
    tacho_predictor *predictor;
    tacho_hot_memory out;
    const tacho_memory here = machine();
    tacho_hot *hot = chase(&m, 64 * MB);
    tacho_hot_place p = hot->places[0];
    const tacho_prediction *prediction = predict(&predictor, &p);
    tacho_hot_operand operands[2] = {p.operands[0], p.operands[1]};
    operands[0].huge = operands[1].huge = 0;
    operands[1].shares = -1;
    operands[0].shares = 1; /* the chain's load is the first in its line */
    p.operands = operands;
    p.observed_cycles = prediction->cycles + 550;
    tacho_hot_memory_of(&out, &here, &p, prediction);
    assert_int_equal(out.limit, TACHO_HOT_WAIT_LATENCY);
    assert_true(out.dependent);
    assert_int_equal(out.operand, 1);
    assert_int_equal(out.waits[1].level, 3);
    assert_near(out.waits[1].cycles, 496, 1e-6); /* 400 and 100, less the first level's 4 */
    assert_near(out.waits[1].tlb_cycles, 496 * 100.0 / 500, 1e-6);
    assert_near(out.explained, 496.0 / 550, 1e-6);
    assert_true(out.remedy_count >= 2);
    for (size_t i = 0; i < out.remedy_count; i++)
        assert_true(out.remedies[i].after < p.observed_cycles && out.remedies[i].after >= prediction->cycles);
    p.observed_cycles = prediction->cycles * 1.2; /* nothing to explain */
    tacho_hot_memory_of(&out, &here, &p, prediction);
    assert_int_equal(out.limit, TACHO_HOT_NO_WAIT);
    assert_int_equal(out.remedy_count, 0);
    p.observed_cycles = 5000; /* far more than memory takes */
    tacho_hot_memory_of(&out, &here, &p, prediction);
    assert_int_equal(out.limit, TACHO_HOT_NO_WAIT);
    p.observed_cycles = 600;
    tacho_hot_memory_of(&out, NULL, &p, prediction);
    assert_true(out.no_machine && out.limit == TACHO_HOT_NO_WAIT && isnan(out.explained));
    tacho_predictor_free(predictor);
    tacho_hot_free(hot);
    tally_free(m.b);
}

/* One operand, by the model alone. */
static memory_model model_of(const tacho_memory *here, tacho_hot_operand o)
{
    memory_model m = {.machine = here,
                      .arch = tacho_arch_find("ZEN3", NULL),
                      .count = 1,
                      .predicted = 1,
                      .uops = 4,
                      .window = 256,
                      .chains = 1};
    o.from = o.shares = -1;
    o.reach = NAN;
    m.operands[0] = o;
    memory_model_run(&m);
    return m;
}

/* As many lines of one set as were measured, one after the other as they come into it; a line more a row, and
 * they are in all sets. */
static void check_sets(const tacho_memory *here, tacho_hot_operand rows)
{
    tacho_memory sets = *here;
    sets.levels[1].set_lines = 600;
    sets.levels[1].set_cycles = 7;
    sets.levels[2].set_cycles = 20;
    rows.bytes = 8;
    memory_model m = model_of(&sets, rows);
    assert_int_equal(m.level[0], 1);
    assert_near(m.random, 7 * 7.0 / 8 + 20.0 / 8, 1e-9); /* each line comes from L3 once */
    assert_near(m.tlb[0], 0, 0);
    sets.levels[1].set_lines = 500;
    assert_int_equal(model_of(&sets, rows).level[0], 2);
    rows.stride += 64;
    assert_int_equal(model_of(&sets, rows).level[0], 0);
    rows.footprint *= 2;
    m = model_of(&sets, rows);
    assert_int_equal(m.level[0], 1);
    assert_true(m.random < 7 && m.set[0] < 1);
}

static void test_memory__the_model(void **state)
{
    (void)state;
    tacho_memory here = machine();
    tacho_hot_operand stream = {
        .pattern = TACHO_HOT_STRIDE, .stride = 16, .bytes = 16, .loads = true, .footprint = 64 * MB};
    memory_model m = model_of(&here, stream);
    assert_near(m.cycles, 16.0 / 4, 1e-9); /* the core's cycle passes meanwhile */
    m.arch = tacho_arch_find("SKL", NULL);
    memory_model_run(&m); /* from behind the first level, and half a cycle of loads */
    assert_near(m.cycles, 16.0 / 4 - 16.0 / 32 + 0.5, 1e-9);
    stream.footprint = 16 << 10;
    assert_near(model_of(&here, stream).cycles, 1, 1e-9);
    /* a column of 512 rows of 4 KiB: a line of each takes the place of a page */
    tacho_hot_operand rows = {.pattern = TACHO_HOT_ROWS,
                              .stride = 4096,
                              .bytes = 64,
                              .loads = true,
                              .footprint = 2 * MB,
                              .huge = 1};
    m = model_of(&here, rows);
    assert_int_equal(m.level[0], 2);
    check_sets(&here, rows);
    tacho_hot_operand random = {
        .pattern = TACHO_HOT_RANDOM, .bytes = 4, .loads = true, .footprint = 64 * MB, .huge = 1};
    m = model_of(&here, random);
    assert_near(m.cycles, 401.0 / m.in_flight, 1e-9); /* with the iteration's own work */
    assert_true(m.in_flight > 4 && !memory_model_is_chain(&m));
    here.levels[3].random_cycles = 40; /* ten at a time */
    memory_model_run(&m);
    assert_near(m.cycles, 40.1, 1e-9);
    m.uops = 256; /* one iteration at a time */
    memory_model_run(&m);
    assert_near(m.cycles, 401, 1e-9);
}

/* Two arrays are read and a third is written, 16 bytes an iteration: past the caches it takes what the
 * machine's copies with non-temporal stores take; without such figures what a line takes that is read. */
static void test_memory__stores_past_the_caches(void **state)
{
    (void)state;
    tacho_memory here = machine();
    tacho_hot_operand o = {
        .pattern = TACHO_HOT_STRIDE, .stride = 16, .bytes = 16, .stores = true, .footprint = 64 * MB};
    memory_model m = model_of(&here, o);
    const double load = 16.0 / 4, store = 16.0 / 2;
    assert_near(m.cycles, store, 1e-9);
    m.past[0] = true;
    memory_model_run(&m);
    assert_near(m.cycles, load, 1e-9);
    here.levels[3].past_store_bytes_per_cycle = 3;
    here.levels[3].past_copy_bytes_per_cycle = 2.5;
    memory_model_run(&m);
    assert_near(m.cycles, 16 / 3.0, 1e-9);
    for (m.count = 1; m.count < 3; m.count++) {
        m.operands[m.count] = m.operands[0];
        m.operands[m.count].first = m.operands[m.count].last = m.count << 32;
        m.operands[m.count].loads = true;
        m.operands[m.count].stores = false;
    }
    memory_model_run(&m);
    assert_near(m.cycles, 16 / 2.5 + load, 1e-9);
    m.past[0] = false;
    memory_model_run(&m);
    assert_near(m.cycles, store + load, 1e-9);
}

/* Each of its touches with so many bytes until the next one, by the interval's ends and in between. */
static tacho_hot_reuse reuse_of(double low, double bytes, double high)
{
    tacho_hot_reuse r = {.watched = 40, .touched = 40};
    for (size_t i = 0; i < TACHO_HOT_REUSE_PARTS; i++) {
        r.low[i] = low / 64;
        r.lines[i] = bytes / 64;
        r.high[i] = high / 64;
    }
    return r;
}

static memory_model watched_model(const tacho_memory *here, tacho_hot_operand o, const tacho_hot_reuse *r)
{
    memory_model m = model_of(here, o);
    m.reuse[0] = r;
    memory_model_run(&m);
    return m;
}

/* Watched lines count where they certainly contradict the footprint. */
static void test_memory__watched_lines(void **state)
{
    (void)state;
    const tacho_memory here = machine();
    tacho_hot_operand o = {
        .pattern = TACHO_HOT_CHAIN, .bytes = 8, .loads = true, .footprint = 256 << 10, .huge = 1};
    tacho_hot_reuse far = reuse_of(4 * MB, 4 * MB, 6 * MB), near = reuse_of(0, 256 << 10, 400 << 10),
                    either = reuse_of(300 << 10, 4 * MB, INFINITY),
                    never = reuse_of(16 * MB, INFINITY, INFINITY);
    memory_model m = watched_model(&here, o, &far);
    assert_true(m.by_reuse[0] && m.level[0] == 2); /* others have pushed it out */
    assert_near(m.latency[0], 50, 1e-9);
    m = watched_model(&here, o, &never);
    assert_int_equal(m.level[0], 3);
    assert_near(m.latency[0], 400, 1e-9);
    m = watched_model(&here, o, &either); /* not certain */
    assert_true(!m.by_reuse[0] && m.level[0] == 1);
    o.footprint = 64 * MB;
    m = watched_model(&here, o, &near); /* it stays in parts of it */
    assert_true(m.by_reuse[0] && m.level[0] == 1);
    assert_near(m.latency[0], 14, 1e-9);
    tacho_hot_reuse nearest = reuse_of(0, 4 << 10, 16 << 10); /* the first level would not let it wait */
    m = watched_model(&here, o, &nearest);
    assert_true(m.by_reuse[0] && m.level[0] == 1);
    assert_near(m.latency[0], 14, 1e-9);
    for (size_t i = 0; i < TACHO_HOT_REUSE_PARTS / 4; i++) /* a quarter of memory's 400 is more than that */
        near.low[TACHO_HOT_REUSE_PARTS - 1 - i] = INFINITY;
    m = watched_model(&here, o, &near);
    assert_int_equal(m.level[0], 3);
    assert_near(m.latency[0], 0.75 * 14 + 0.25 * 400, 1e-9);
    o = (tacho_hot_operand){
        .pattern = TACHO_HOT_STRIDE, .stride = 16, .bytes = 16, .loads = true, .footprint = 16 << 10};
    assert_near(watched_model(&here, o, &never).cycles, 16.0 / 4, 1e-9);
    o.stride = 4096; /* lines of one set may be pushed out by few */
    o.footprint = 64 * MB;
    near = reuse_of(0, 256 << 10, 400 << 10);
    assert_false(watched_model(&here, o, &near).by_reuse[0]);
}

/* What a loop of stores over 64 MB waits for, observed to take 9 cycles. */
static tacho_hot_memory of_stores(const uint8_t *code)
{
    tacho_predictor *predictor;
    tacho_hot_memory out;
    tacho_memory here = machine();
    here.levels[3].past_store_bytes_per_cycle = 4;
    made m = start();
    m.registers[RDI] = data;
    for (uint64_t i = 0; i < SAMPLES; i++, m.registers[RCX] += 64 * MB / SAMPLES / 16 * 16)
        sample(&m, code);
    tacho_hot *hot = conclude(&m);
    tacho_hot_place p = hot->places[0];
    p.observed_cycles = 9;
    tacho_hot_memory_of(&out, &here, &p, predict(&predictor, &p));
    tacho_predictor_free(predictor);
    tacho_hot_free(hot);
    tally_free(m.b);
    return out;
}

static void test_memory__stores_that_go_past_the_caches_are_not_advised_to(void **state)
{
    (void)state;
    const tacho_hot_memory plain = of_stores(probe_fill), past = of_stores(probe_past);
    assert_near(plain.cycles, 16.0 / 2, 1e-9);
    assert_int_equal(plain.remedy_count, 1);
    assert_string_equal(plain.remedies[0].kind, "non-temporal");
    assert_near(past.cycles, 16.0 / 4, 1e-9);
    assert_int_equal(past.remedy_count, 0);
}

/* ---- the roofline ---- */

static void test_roofline__peaks(void **state)
{
    (void)state;
    tacho_hot_peak p[TACHO_HOT_MOST_PEAKS];
    assert_int_equal(tacho_hot_peaks(p, tacho_arch_find("ZEN3", NULL), true, 8), 3);
    assert_near(p[0].operations, 2, 0);
    assert_near(p[1].operations, 8, 0);
    assert_near(p[2].operations, 16, 0);
    assert_int_equal(tacho_hot_peaks(p, tacho_arch_find("SKX", NULL), true, 4), 3);
    assert_near(p[2].operations, 64, 0);
    assert_int_equal(tacho_hot_peaks(p, tacho_arch_find("SNB", NULL), true, 8), 2); /* it has no FMA */
    assert_int_equal(tacho_hot_peaks(p, tacho_arch_find("SKL", NULL), false, 4), 2);
    assert_near(p[0].operations, 4, 0);
    assert_near(p[1].operations, 24, 0);
    /* products that are added: VNNI's would be above additions of bytes alone */
    assert_int_equal(tacho_hot_peaks(p, tacho_arch_find("SKL", NULL), false, 1), 3);
    assert_string_equal(p[2].name, "products");
    assert_near(p[2].operations, 128, 0); /* VPMADDUBSW, two a cycle */
    assert_int_equal(tacho_hot_peaks(p, tacho_arch_find("ICX", NULL), false, 1), 3);
    assert_near(p[2].operations, 256, 0); /* VPDPBUSD */
    assert_int_equal(tacho_hot_peaks(p, tacho_arch_find("ZEN4", NULL), true, 2), 1);
    assert_string_equal(p[0].name, "FMA"); /* of bfloat16; it adds none of FP16 */
    assert_int_equal(tacho_hot_peaks(p, tacho_arch_find("SNB", NULL), true, 2), 0);
}

/* A byte count by level: what shares another operand's lines is the first level's. */
static void test_roofline__work_of_a_place(void **state)
{
    (void)state;
    const tacho_memory here = machine();
    const tacho_hot_insn insns[] = {
        {.bytes = (const uint8_t *)"\xf2\x0f\x10\x07", .length = 4, .on_path = 0}, /* movsd xmm0, [rdi] */
        {.bytes = (const uint8_t *)"\xf2\x0f\x58\x47\x08",
         .length = 5,
         .on_path = 1},                                                             /* addsd xmm0, [rdi+8] */
        {.bytes = (const uint8_t *)"\xf2\x0f\x11\x06", .length = 4, .on_path = 2},  /* movsd [rsi], xmm0 */
        {.bytes = (const uint8_t *)"\xf2\x0f\x58\xc0", .length = 4, .on_path = -1}, /* addsd xmm0, xmm0 */
    };
    const tacho_hot_operand operands[] = {{.insn = 0, .loads = true, .bytes = 8, .shares = -1},
                                          {.insn = 1, .loads = true, .bytes = 8, .shares = 0},
                                          {.insn = 2, .stores = true, .bytes = 8, .shares = -1}};
    const tacho_hot_place place = {
        .insns = insns, .insn_count = 4, .operands = operands, .operand_count = 3, .observed_cycles = 5};
    const tacho_hot_memory memory = {.waits = {{.level = 3}, {.level = -1}, {.level = 1}}};
    tacho_hot_work w;
    tacho_hot_work_of(&w, &memory, &here, &place, NULL);
    assert_true(w.floats && w.observed && w.element_bytes == 8);
    assert_near(w.operations, 1, 0);
    assert_near(w.bytes, 24, 0);
    assert_near(w.level_bytes[0], 8, 0);
    assert_near(w.level_bytes[1], 8, 0);
    assert_near(w.level_bytes[3], 8, 0);
    assert_near(w.cycles, 5, 0);
    tacho_hot_work_of(&w, &memory, NULL, &place, NULL);
    assert_true(isnan(w.level_bytes[0]));
}

/* The lowest roof holds; the first level serves all bytes. Without operations there is none. */
static void test_roofline__roofs(void **state)
{
    (void)state;
    const tacho_memory here = machine();
    const tacho_hot_place half = {.share = 0.5};
    const tacho_hot_work work = {.floats = true,
                                 .element_bytes = 8,
                                 .operations = 2,
                                 .bytes = 16,
                                 .level_bytes = {8, 0, 0, 8},
                                 .cycles = 4};
    tacho_hot_point points[] = {{.place = &half, .work = work}, {.place = &half, .work = work}};
    points[1].work.operations = points[1].work.element_bytes = 0;
    points[1].work.floats = false;
    tacho_hot_roofline r = {.points = points, .count = 2};
    assert_int_equal(tacho_hot_roofline_find(&r, tacho_arch_find("ZEN3", NULL), &here), 0);
    assert_int_equal(r.peak_count, 3);
    assert_near(points[0].per_byte, 0.125, 0);
    assert_near(points[0].per_cycle, 0.5, 0);
    assert_near(
        points[0].roof,
        fmin(2 / 8.0 * tacho_hot_bandwidth(&here.levels[3]), 2 / 16.0 * tacho_hot_bandwidth(&here.levels[0])),
        1e-9);
    assert_true(isnan(points[1].roof) && !points[1].limit);
    points[0].work.bytes = points[0].work.level_bytes[0] = points[0].work.level_bytes[3] = 0;
    assert_int_equal(tacho_hot_roofline_find(&r, tacho_arch_find("ZEN3", NULL), NULL), 0);
    assert_true(isinf(points[0].per_byte));
    assert_near(points[0].roof, 16, 0);
    assert_string_equal(points[0].limit, "FMA");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory__a_chain),
        cmocka_unit_test(test_memory__a_gather),
        cmocka_unit_test(test_memory__rows_and_strides),
        cmocka_unit_test(test_memory__to_and_fro),
        cmocka_unit_test(test_memory__in_order_and_apart),
        cmocka_unit_test(test_memory__mappings),
        cmocka_unit_test(test_memory__a_chain_waits),
        cmocka_unit_test(test_memory__the_model),
        cmocka_unit_test(test_memory__stores_past_the_caches),
        cmocka_unit_test(test_memory__watched_lines),
        cmocka_unit_test(test_memory__stores_that_go_past_the_caches_are_not_advised_to),
        cmocka_unit_test(test_roofline__peaks),
        cmocka_unit_test(test_roofline__work_of_a_place),
        cmocka_unit_test(test_roofline__roofs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
