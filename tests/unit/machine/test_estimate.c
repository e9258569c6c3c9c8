/* From ticks to cycles: made-up samples whose truth is known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
/* cmocka wants these before it */
#include <cmocka.h>

#include "base/hash.h"
#include "machine/measure/estimate.h"

enum {
    SAMPLES = 200,
    OVERHEAD = 60 /* cycles that reading the clock costs */
};

/* A machine to make samples with. */
typedef struct machine {
    double core_clock; /* core cycles a tick */
    double step;       /* ticks that the clock moves by */
    uint64_t random;
    double disturbed; /* share of samples in which everything takes half as long again */
    double wobble;    /* of the core clock, relative, from sample to sample */
    double turn;      /* iterations of a turn of the loop; 0: one */
} machine;

static double uniform(machine *m)
{
    m->random++;
    return (double)(hash_mix(m->random) >> 11) / 9007199254740992.0;
}

/* What a clock that moves in steps shows of so many cycles, at a random moment. */
static uint32_t ticks(machine *m, double cycles, double slower)
{
    double clock = m->core_clock * (1 + m->wobble * (uniform(m) - 0.5));
    double length = (cycles + OVERHEAD) * slower / clock, start = uniform(m) * 1e6;
    double first = floor(start / m->step), last = floor((start + length) / m->step);
    return (uint32_t)(floor(last * m->step) - floor(first * m->step)); /* a reading is a whole number */
}

static const double canary_cycles[RUNNER_CANARIES] = {500, 400, 480};

static void make_samples(machine *m, runner_sample *s, size_t count, double cycles, double iterations)
{
    for (size_t i = 0; i < count; i++) {
        const double slower = uniform(m) < m->disturbed ? 1.5 : 1;
        s[i] = (runner_sample){0};
        for (unsigned kind = 0; kind < RUNNER_CANARIES; kind++)
            for (unsigned place = 0; place < 3; place++)
                s[i].canary[kind][place] = ticks(m, canary_cycles[kind], slower);
        s[i].chain[0] = ticks(m, 3.0 * RUNNER_CHAIN_SHORT, 1);
        s[i].chain[1] = ticks(m, 3.0 * RUNNER_CHAIN_LONG, 1);
        s[i].adds[0] = ticks(m, RUNNER_ADDS_SHORT, 1);
        s[i].adds[1] = ticks(m, RUNNER_ADDS_LONG, 1);
        s[i].more = (uint32_t)(uniform(m) * (RUNNER_MOST_MORE + 1));
        const double more = s[i].more * fmax(m->turn, 1);
        s[i].run[0] = ticks(m, cycles * (iterations + more), slower);
        s[i].run[1] = ticks(m, cycles * (2 * iterations + more), slower);
    }
}

static runner_sample samples[SAMPLES];
static double scratch[2 * SAMPLES];

static clock_profile profile_of(machine m, double tsc_hz)
{
    clock_profile p = {.tsc_hz = tsc_hz, .granularity = (uint32_t)ceil(m.step)};
    m.disturbed = 0;
    make_samples(&m, samples, SAMPLES, 1, 1000);
    assert_true(estimate_profile(samples, SAMPLES, &p));
    return p;
}

/* Of durations as clock_step has them, some of which are no multiples. */
static double step_of(machine m, unsigned odd)
{
    enum {
        LENGTHS = 64
    };
    uint32_t durations[16 * LENGTHS];
    const size_t count = sizeof durations / sizeof *durations;
    for (size_t i = 0; i < count; i++)
        durations[i] = ticks(&m, 3.0 * (double)(i % LENGTHS), 1) + (i < odd);
    return estimate_step(durations, count);
}

static void test_step__is_found_whole_or_not(void **state)
{
    (void)state;
    const double steps[] = {1, 2, 3, 4, 7, 10, 16, 20, 24.4539, 25, 26, 100.0 / 3, 40.5, 100};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        for (uint64_t seed = 0; seed < 20; seed++) {
            machine m = {.core_clock = 0.7 + 0.05 * (double)seed,
                         .step = steps[i],
                         .wobble = 0.05,
                         .random = seed << 32};
            assert_true(fabs(step_of(m, 0) - steps[i]) < 0.1);
            if (steps[i] >= 16) /* a reading more at times does not hide it */
                assert_true(fabs(step_of(m, 30) - steps[i]) < 0.1);
        }
    assert_float_equal(estimate_step(NULL, 0), 1, 0);
}

static void test_profile__finds_clock_and_latency(void **state)
{
    (void)state;
    const double steps[] = {26, 24.4539};
    for (unsigned i = 0; i < 2; i++) {
        clock_profile p = profile_of((machine){.core_clock = 1.47, .step = steps[i]}, 2.6e9);
        assert_int_equal(p.imul_latency, 3);
        assert_true(p.chains_agree);
        assert_true(fabs(p.core_clock - 1.47) < 0.005 && fabs(p.adds_clock - 1.47) < 0.005);
        assert_int_equal(p.multiplier, 0); /* 38.2 */
        for (unsigned kind = 0; kind < RUNNER_CANARIES; kind++)
            assert_true(fabs(p.canary[kind] - canary_cycles[kind] - OVERHEAD) < 8);
    }
}

/* The doctor's share of undisturbed samples is that of the samples that a measurement keeps. */
static void test_profile__a_sample_is_clean_if_all_its_canaries_are(void **state)
{
    (void)state;
    machine m = {.core_clock = 1.47, .step = 26};
    const clock_profile p = profile_of(m, 2.6e9);
    make_samples(&m, samples, 1, 1, 1000);
    assert_true(estimate_is_clean(&p, samples));
    for (unsigned kind = 0; kind < RUNNER_CANARIES; kind++)
        for (unsigned place = 0; place < 3; place++) {
            const uint32_t usual = samples->canary[kind][place];
            samples->canary[kind][place] = usual + usual / 4;
            assert_false(estimate_is_clean(&p, samples));
            samples->canary[kind][place] = usual;
        }
}

static void test_profile__a_whole_multiple_is_found_and_exact(void **state)
{
    (void)state;
    machine m = {
        .core_clock = 1.25, .step = 2, .wobble = 0.002, .random = 5}; /* 35 over 28, as on Ice Lake servers */
    clock_profile p = profile_of(m, 2.8e9);
    pass_estimate e;
    assert_int_equal(p.multiplier, 35);
    make_samples(&m, samples, SAMPLES, 2.5, 400);
    estimate_pass(&p, samples, SAMPLES, ESTIMATE_CALIBRATED, false, 400, 1, scratch, &e);
    assert_true(fabs(e.core_clock - 1.25) < 1e-9);
    assert_true(fabs(e.cycles - 2.5) < 0.005);
}

static void test_profile__chains_that_disagree_are_told(void **state)
{
    (void)state;
    machine m = {.core_clock = 1.5, .step = 1};
    clock_profile p = {.tsc_hz = 2e9};
    make_samples(&m, samples, SAMPLES, 1, 1000);
    for (size_t i = 0; i < SAMPLES; i++)
        samples[i].adds[1] = samples[i].adds[1] * 5 / 4;
    assert_true(estimate_profile(samples, SAMPLES, &p));
    assert_false(p.chains_agree);
}

static void test_pass__clocks_with_coarse_steps_are_not_biased(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 80; seed++) {
        /* Counters of 2,600 and 2,445 MHz that a clock of 100 MHz drives, as on Zen 4, and on Zen 3 servers.
         */
        const double step = seed % 2 ? 26 : 24.4539;
        machine m = {.core_clock = 1.45 + 0.001 * (double)seed, .step = step, .random = seed << 32};
        clock_profile p = profile_of(m, step * 1e8);
        pass_estimate e;
        make_samples(&m, samples, SAMPLES, 1.0, 1000);
        estimate_pass(&p, samples, SAMPLES, ESTIMATE_CALIBRATED, false, 1000, 1, scratch, &e);
        assert_true(fabs(e.cycles - 1.0) < 0.008);
        assert_true(e.error < 0.008);
    }
}

/* The clock wanders by 1 % around its mean from sample to sample: the chosen runs are not those with a fast
 * one. */
static void test_pass__a_changing_clock_does_not_bias(void **state)
{
    (void)state;
    double sum = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        machine m = {.core_clock = 1.47, .step = 1, .wobble = 0.02, .random = seed << 32};
        clock_profile p = profile_of(m, 2.6e9);
        pass_estimate e;
        assert_int_equal(p.multiplier, 0);
        make_samples(&m, samples, SAMPLES, 3, 3000);
        estimate_pass(&p, samples, SAMPLES, ESTIMATE_CALIBRATED, true, 3000, 1, scratch, &e);
        sum += e.cycles;
    }
    assert_true(fabs(sum / 20 - 3) < 0.006);
}

/* Turns of 30 iterations, up to 15 of them beside the 240 and 480 that count. */
static void test_pass__further_turns_are_taken_off(void **state)
{
    (void)state;
    machine m = {.core_clock = 1.5, .step = 1, .random = 11, .turn = 30};
    clock_profile p = profile_of(m, 2.6e9);
    pass_estimate e;
    make_samples(&m, samples, SAMPLES, 2, 240);
    estimate_pass(&p, samples, SAMPLES, ESTIMATE_CALIBRATED, false, 240, m.turn, scratch, &e);
    assert_true(fabs(e.cycles - 2) < 0.01);
    assert_true(e.error < 0.01);
    assert_true(fabs(e.run - 2 * 240 - OVERHEAD) < 4);
}

static void test_pass__disturbed_samples_do_not_count(void **state)
{
    (void)state;
    machine m = {.core_clock = 1.5, .step = 2, .disturbed = 0.4, .random = 9};
    clock_profile p = profile_of(m, 2e9);
    pass_estimate e;
    make_samples(&m, samples, SAMPLES, 3.25, 300);
    estimate_pass(&p, samples, SAMPLES, ESTIMATE_CALIBRATED, false, 300, 1, scratch, &e);
    assert_true(fabs(e.cycles - 3.25) < 0.01);
    assert_in_range(e.accepted, SAMPLES / 5, SAMPLES * 6 / 10);
}

static void test_pass__counters_and_plain_ticks_are_taken_as_they_are(void **state)
{
    (void)state;
    machine m = {.core_clock = 2, .step = 1, .random = 3};
    clock_profile p = profile_of(m, 2e9);
    pass_estimate e;
    make_samples(&m, samples, SAMPLES, 4, 250);
    estimate_pass(&p, samples, SAMPLES, ESTIMATE_TICKS, false, 250, 1, scratch, &e);
    assert_true(fabs(e.cycles - 2) < 0.02); /* 2 ticks are 4 cycles */
    estimate_pass(&p, samples, SAMPLES, ESTIMATE_CALIBRATED, true, 250, 1, scratch, &e);
    assert_true(fabs(e.cycles - 4) < 0.03);
}

/* A block that knew which run was the short one was slow in that one only, and had any number that it liked.
 */
static void test_pass__short_runs_that_are_slow_are_not_steady(void **state)
{
    (void)state;
    machine m = {.core_clock = 2, .step = 1, .random = 3};
    clock_profile p = profile_of(m, 2e9);
    pass_estimate e;
    p.start = 100;
    make_samples(&m, samples, SAMPLES, 24, 160);
    estimate_pass(&p, samples, SAMPLES, ESTIMATE_CALIBRATED, true, 160, 1, scratch, &e);
    assert_true(estimate_is_steady(&p, &e));
    for (size_t i = 0; i < SAMPLES; i++)
        samples[i].run[0] += 150; /* 300 cycles of 3,840 */
    estimate_pass(&p, samples, SAMPLES, ESTIMATE_CALIBRATED, true, 160, 1, scratch, &e);
    assert_true(fabs(e.cycles - 22.1) < 0.1);
    assert_false(estimate_is_steady(&p, &e));
    /* Of a run of seven iterations the usual start is a third: 49 cycles more make 30 cycles 23. */
    assert_false(estimate_is_steady(&p, &(pass_estimate){.cycles = 23, .run = 359, .start = 198}));
    assert_true(estimate_is_steady(&p, &(pass_estimate){.cycles = 30, .run = 310, .start = 100}));
    /* The iterations that both runs have more are no start of the short one. */
    make_samples(&m, samples, SAMPLES, 300, 20);
    estimate_pass(&p, samples, SAMPLES, ESTIMATE_CALIBRATED, true, 20, 1, scratch, &e);
    assert_true(fabs(e.cycles - 300) < 1);
    assert_true(fabs(e.start) < 100);
    assert_true(estimate_is_steady(&p, &e));
}

static void test_pass__impossible_figures_are_known(void **state)
{
    (void)state;
    assert_false(estimate_is_possible(0.0174, 2)); /* MOV, AND: was ok on a busy Zen 5 */
    assert_false(estimate_is_possible(-1, 1));
    assert_true(estimate_is_possible(1.0 / 12, 1)); /* NOPs on Zen 4 */
    assert_true(estimate_is_possible(NAN, 1));      /* none at all: said elsewhere */
}

static void test_pass__too_few_samples_give_no_number(void **state)
{
    (void)state;
    machine m = {.core_clock = 1.5, .step = 2};
    clock_profile p = profile_of(m, 2e9);
    pass_estimate e;
    estimate_pass(&p, samples, 8, ESTIMATE_CALIBRATED, false, 300, 1, scratch, &e);
    assert_true(isnan(e.cycles));
    assert_false(estimate_undisturbed(&p, &e));
}

static pass_estimate found(double cycles)
{
    return (pass_estimate){.cycles = cycles,
                           .error = 0.001,
                           .start = 100,
                           .run = 4000,
                           .core_clock = 1.5,
                           .canary = {500, 400, 480},
                           .accepted = 100};
}

static void test_passes__most_have_to_agree(void **state)
{
    (void)state;
    clock_profile p = {.canary = {500, 400, 480}};
    double sorted[8];
    passes_estimate e;
    const pass_estimate good[] = {found(1.001), found(0.999), found(1.34), found(1.000)};
    estimate_passes(&p, good, 4, sorted, &e);
    assert_true(e.stable);
    assert_int_equal(e.agreeing, 3);
    assert_true(fabs(e.cycles - 1.0) < 1e-9);
    assert_true(e.high < 1.01);
    const pass_estimate apart[] = {found(1.0), found(1.0), found(1.0), found(1.3), found(1.3)};
    estimate_passes(&p, apart, 5, sorted, &e);
    assert_false(e.stable);
    assert_true(e.low < 1.01 && e.high > 1.29);
}

static void test_passes__disturbed_ones_do_not_count(void **state)
{
    (void)state;
    clock_profile p = {.canary = {500, 400, 480}};
    double sorted[8];
    passes_estimate e;
    pass_estimate list[] = {found(2.0), found(2.6), found(2.6), found(2.6), found(2.002)};
    for (int i = 1; i < 4; i++)
        list[i].canary[RUNNER_CANARY_ALU] = 600;
    estimate_passes(&p, list, 5, sorted, &e);
    assert_true(e.stable);
    assert_int_equal(e.usable, 2);
    assert_true(fabs(e.cycles - 2.001) < 1e-6);
    estimate_passes(&p, list + 1, 3, sorted, &e); /* nothing else: a figure, but not called stable */
    assert_int_equal(e.usable, 0);
    assert_false(e.stable);
    assert_true(fabs(e.cycles - 2.6) < 1e-9);
}

static void test_learning__a_single_low_value_is_not_believed(void **state)
{
    (void)state;
    clock_profile p = {0};
    for (int i = 0; i < 20; i++)
        estimate_learn(&p, (const double[RUNNER_CANARIES]){600 + i / 4., 500 + i / 4., 600 + i / 4.});
    estimate_learn(&p, (const double[RUNNER_CANARIES]){300, 200, 300});
    assert_true(p.canary[RUNNER_CANARY_ALU] > 590);
    for (int i = 0; i < 6; i++) /* but one that comes back is */
        estimate_learn(&p, (const double[RUNNER_CANARIES]){450, 400, 450});
    assert_true(p.canary[RUNNER_CANARY_ALU] < 460);
}

static void test_learning__what_nothing_comes_near_to_is_forgotten(void **state)
{
    (void)state;
    clock_profile p = {0};
    for (int i = 0; i < 300; i++)
        estimate_learn(&p, (const double[RUNNER_CANARIES]){600, 500, 600});
    for (int i = 0; i < 8; i++)
        estimate_learn(&p, (const double[RUNNER_CANARIES]){450, 400, 450});
    for (int i = 0; i < ESTIMATE_HISTORY; i++)
        estimate_learn(&p, (const double[RUNNER_CANARIES]){600, 500, 600});
    assert_true(p.canary[RUNNER_CANARY_ALU] < 460); /* it may be noise, for some time */
    for (int i = 0; i < ESTIMATE_HISTORY * ESTIMATE_DISTURBED; i++)
        estimate_learn(&p, (const double[RUNNER_CANARIES]){600, 500, 600});
    assert_true(p.canary[RUNNER_CANARY_ALU] > 590);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_step__is_found_whole_or_not),
        cmocka_unit_test(test_profile__finds_clock_and_latency),
        cmocka_unit_test(test_profile__a_sample_is_clean_if_all_its_canaries_are),
        cmocka_unit_test(test_profile__a_whole_multiple_is_found_and_exact),
        cmocka_unit_test(test_profile__chains_that_disagree_are_told),
        cmocka_unit_test(test_pass__clocks_with_coarse_steps_are_not_biased),
        cmocka_unit_test(test_pass__a_changing_clock_does_not_bias),
        cmocka_unit_test(test_pass__further_turns_are_taken_off),
        cmocka_unit_test(test_pass__disturbed_samples_do_not_count),
        cmocka_unit_test(test_pass__counters_and_plain_ticks_are_taken_as_they_are),
        cmocka_unit_test(test_pass__short_runs_that_are_slow_are_not_steady),
        cmocka_unit_test(test_pass__too_few_samples_give_no_number),
        cmocka_unit_test(test_passes__most_have_to_agree),
        cmocka_unit_test(test_pass__impossible_figures_are_known),
        cmocka_unit_test(test_passes__disturbed_ones_do_not_count),
        cmocka_unit_test(test_learning__a_single_low_value_is_not_believed),
        cmocka_unit_test(test_learning__what_nothing_comes_near_to_is_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
