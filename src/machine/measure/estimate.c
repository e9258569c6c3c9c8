/* estimate.c - from ticks to cycles.
 *
 * A sample counts when the canaries around its runs took their usual time, the chains show a possible clock,
 * and the sample before counted, too. Of these samples the short and the long run are each averaged between
 * quantiles, and the difference is divided by the difference of iterations (uiCA paper, section 5.3; never
 * the minimum of differences, which can be below what is possible, and never the plain mean). Where the time
 * stamp counter moves in steps of many ticks, the limits are widened by a step: the values between which it
 * alternates are all needed for the average to be right.
 *
 * Ticks become cycles by the difference of two chains of dependent multiplications. Where the core runs at a
 * whole multiple of 100 MHz this identifies the multiple, and the conversion is exact. */

#include "base/number.h"
#include "machine/measure/estimate.h"

#define CHAIN_MULTIPLICATIONS ((double)(RUNNER_CHAIN_LONG - RUNNER_CHAIN_SHORT))
#define CHAIN_ADDITIONS       ((double)(RUNNER_ADDS_LONG - RUNNER_ADDS_SHORT))
#define BASE_HZ               1e8
#define SINGLE_CANARY         1.02  /* more than usual is a disturbance */
#define DISTURBED             1.025 /* the same for the canaries of a whole pass */
/* What the short run may take beside its iterations: what a run of NOPs takes (100 cycles on Zen 5) and half
 * of that, but no more than a share of the iterations; and a share of these. Honest blocks seldom take more
 * than 5 %. So a block, or a neighbour that slows short runs down in all passes, can make a chain look at
 * most 7 % shorter than it is, or a seventh where runs are short. */
#define START_MORE       0.5
#define START_MORE_SHARE 0.10
#define START_SHARE      0.06

enum {
    EPOCHS = 4,
    MIN_EPOCH = ESTIMATE_FEWEST / EPOCHS, /* samples that an epoch needs */
    PLACES = 3,                           /* of the canaries in a sample */
    SLACK = 4                             /* ticks: a fence more or less */
};

/* Mean of the values between two quantiles, `slack` further out. Sorts them. */
static double middle_mean(double *values, size_t count, double from, double to, double slack)
{
    numbers_sort(values, count);
    double low = numbers_quantile_below(values, count, from) - slack,
           high = numbers_quantile_below(values, count, to) + slack, sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (values[i] >= low && values[i] <= high) {
            sum += values[i];
            n++;
        }
    return sum / (double)n;
}

estimate_unit estimate_unit_of(tacho_clock clock)
{
    return clock == TACHO_CLOCK_PERF             ? ESTIMATE_CYCLES
           : clock == TACHO_CLOCK_TSC_CALIBRATED ? ESTIMATE_CALIBRATED
                                                 : ESTIMATE_TICKS;
}

/* Which number of a sample. */
#define MEMBER(name) offsetof(runner_sample, name)

typedef struct sample_set {
    const runner_sample *samples;
    const bool *used; /* NULL: all are */
    size_t count;
    double slack;
    double *scratch;
} sample_set;

/* Of a number of the samples. */
static double mean_of(const sample_set *s, size_t member, double from, double to)
{
    size_t n = 0;
    for (size_t i = 0; i < s->count; i++)
        if (!s->used || s->used[i])
            s->scratch[n++] = *(const uint32_t *)((const char *)&s->samples[i] + member);
    return n ? middle_mean(s->scratch, n, from, to, s->slack) : NAN;
}

/* ---- the clocks ---- */

/* Whether nearly all durations are within so many ticks of a multiple of the step. */
static bool are_multiples(const uint32_t *durations, size_t count, double step, double tolerance)
{
    size_t others = 0;
    for (size_t i = 0; i < count && others * 20 <= count; i++)
        others += fabs(durations[i] - nearbyint(durations[i] / step) * step) > tolerance;
    return count && others * 20 <= count;
}

double estimate_step(const uint32_t *durations, size_t count)
{
    enum {
        LARGEST = 128,
        SMALLEST = 16 /* of those that may not be whole: of smaller ones everything is a multiple, nearly */
    };
    const double fine = 0.25, tolerance = 1 + fine; /* a duration is a difference of two whole numbers */
    double longest = 1, first = 0;
    for (size_t i = 0; i < count; i++)
        longest = fmax(longest, fmin(durations[i], 100 * LARGEST));
    for (double step = LARGEST; step >= SMALLEST; step *= 1 - fine / longest) {
        bool all = are_multiples(durations, count, step, tolerance);
        if (all && first == 0)
            first = step;
        else if (!all && first > 0)
            return (first + step) / 2;
    }
    for (unsigned step = SMALLEST; step > 1; step--)
        if (are_multiples(durations, count, step, 0))
            return step;
    return 1;
}

/* The multiple of the base clock that a ratio of clocks is, 0 when it is none. */
static uint32_t whole_multiple(double core_clock, double tsc_hz)
{
    const double tolerance = 0.1; /* of a step of the base clock: chance would find one in five */
    double multiple = core_clock * tsc_hz / BASE_HZ, nearest = nearbyint(multiple);
    return nearest >= 4 && nearest <= 100 && fabs(multiple - nearest) < tolerance ? (uint32_t)nearest : 0;
}

/* The multiple that nearly all samples agree on. */
static uint32_t find_multiplier(const runner_sample *samples, size_t count, const clock_profile *p)
{
    size_t votes[101] = {0}, best = 0;
    const double cycles = CHAIN_MULTIPLICATIONS * p->imul_latency;
    for (size_t i = 0; i < count; i++)
        votes[whole_multiple(cycles / ((double)samples[i].chain[1] - samples[i].chain[0]), p->tsc_hz)]++;
    for (size_t m = 1; m <= 100; m++)
        if (votes[m] > votes[best] || !best)
            best = m;
    return votes[best] * 10 >= count * 9 ? (uint32_t)best : 0;
}

bool estimate_profile(const runner_sample *samples, size_t count, clock_profile *out)
{
    double scratch[RUNNER_MAX_SAMPLES];
    if (count < 2 * MIN_EPOCH || count > RUNNER_MAX_SAMPLES)
        return false;
    const sample_set all = {samples, NULL, count, out->granularity, scratch};
#define MEAN(name) mean_of(&all, MEMBER(name), 0.1, 0.75)
    double imul = (MEAN(chain[1]) - MEAN(chain[0])) / CHAIN_MULTIPLICATIONS;
    double add = (MEAN(adds[1]) - MEAN(adds[0])) / CHAIN_ADDITIONS;
    if (!(imul > 0) || !(add > 0))
        return false;
    double latency = imul / add;
    out->imul_latency = (uint32_t)nearbyint(latency);
    out->chains_agree = fabs(latency - out->imul_latency) < 0.05 * latency && out->imul_latency > 0;
    out->core_clock = out->imul_latency / imul;
    out->adds_clock = 1 / add;
    for (unsigned kind = 0; kind < RUNNER_CANARIES; kind++)
        out->canary[kind] = MEAN(canary[kind][1]) * out->core_clock;
#undef MEAN
    out->multiplier = out->chains_agree ? find_multiplier(samples, count, out) : 0;
    return true;
}

/* ---- undisturbed samples ---- */

static double chain_difference(const runner_sample *s)
{
    return (double)s->chain[1] - s->chain[0];
}

/* In terms of the sample's chains, because the core's clock changes. */
void estimate_limits(const clock_profile *p, uint32_t limits[RUNNER_CANARIES], uint32_t *slack)
{
    const double chain_cycles = CHAIN_MULTIPLICATIONS * p->imul_latency;
    for (unsigned kind = 0; kind < RUNNER_CANARIES; kind++) {
        double limit = p->canary[kind] * SINGLE_CANARY / chain_cycles * 65536;
        limits[kind] = limit > 0 && limit < UINT32_MAX ? (uint32_t)limit : 0;
    }
    *slack = SLACK + p->granularity;
}

bool estimate_is_clean(const clock_profile *p, const runner_sample *s)
{
    uint32_t limits[RUNNER_CANARIES], slack;
    bool clean = true;
    estimate_limits(p, limits, &slack);
    for (unsigned kind = 0; kind < RUNNER_CANARIES; kind++)
        for (unsigned place = 0; place < PLACES; place++)
            clean &=
                !limits[kind] || s->canary[kind][place] <= chain_difference(s) * limits[kind] / 65536 + slack;
    return clean;
}

static bool chain_is_clean(const clock_profile *p, const runner_sample *s, double usual)
{
    double ticks = chain_difference(s);
    if (p->multiplier)
        return whole_multiple(CHAIN_MULTIPLICATIONS * p->imul_latency / ticks, p->tsc_hz) > 0;
    return fabs(ticks - usual) <= 0.02 * usual + 2 * p->granularity;
}

/* Marks them. @return their number */
static size_t find_clean(const clock_profile *p, const runner_sample *samples, size_t count, double *scratch,
                         bool *clean)
{
    bool before = true;
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        scratch[i] = chain_difference(&samples[i]);
    numbers_sort(scratch, count);
    double usual = numbers_quantile_below(scratch, count, 0.5);
    for (size_t i = 0; i < count; i++) {
        bool now = chain_is_clean(p, &samples[i], usual) && estimate_is_clean(p, &samples[i]);
        clean[i] = now && before;
        before = now;
        n += clean[i];
    }
    return n;
}

/* ---- a pass ---- */

typedef struct pass_view {
    const clock_profile *profile;
    const runner_sample *samples;
    const bool *clean;
    estimate_unit unit;
    double from, to, iterations;
    double each; /* ticks of a turn, about: what a run took is lessened by its further turns */
    double *scratch;
} pass_view;

/* Core cycles a tick, from the samples [first, end). */
static double clock_of(const pass_view *p, size_t first, size_t end)
{
    const sample_set some = {p->samples + first, p->clean + first, end - first, p->profile->granularity,
                             p->scratch};
    const double to = p->profile->multiplier ? 0.75 : 0.90;
    double ticks = mean_of(&some, MEMBER(chain[1]), 0.1, to) - mean_of(&some, MEMBER(chain[0]), 0.1, to);
    double ratio = CHAIN_MULTIPLICATIONS * p->profile->imul_latency / ticks;
    uint32_t multiple = p->profile->multiplier ? whole_multiple(ratio, p->profile->tsc_hz) : 0;
    return multiple ? multiple * BASE_HZ / p->profile->tsc_hz : ratio;
}

/* Ticks of the short or the long run. */
static double run_of(const pass_view *p, size_t first, size_t end, size_t member)
{
    const double slack = p->unit == ESTIMATE_CYCLES ? 0 : p->profile->granularity;
    size_t n = 0;
    for (size_t i = first; i < end; i++)
        if (p->clean[i])
            p->scratch[n++] = *(const uint32_t *)((const char *)&p->samples[i] + member) -
                              p->each * (p->samples[i].more % (RUNNER_MOST_MORE + 1));
    return n ? middle_mean(p->scratch, n, p->from, p->to, slack) : NAN;
}

/* Ticks of an iteration. */
static double ticks_of(const pass_view *p, size_t first, size_t end)
{
    return (run_of(p, first, end, MEMBER(run[1])) - run_of(p, first, end, MEMBER(run[0]))) / p->iterations;
}

static double cycles_of(const pass_view *p, size_t first, size_t end)
{
    return ticks_of(p, first, end) * (p->unit == ESTIMATE_CALIBRATED ? clock_of(p, first, end) : 1);
}

static size_t clean_between(const bool *clean, size_t first, size_t end)
{
    size_t n = 0;
    for (size_t i = first; i < end; i++)
        n += clean[i];
    return n;
}

/* Mean of the epochs, and what its standard error is by their differences. */
static void average_epochs(const pass_view *p, size_t count, pass_estimate *out)
{
    double value[EPOCHS], sum = 0, squares = 0;
    unsigned n = 0;
    for (unsigned e = 0; e < EPOCHS; e++) {
        size_t first = count * e / EPOCHS, end = count * (e + 1) / EPOCHS;
        if (clean_between(p->clean, first, end) < MIN_EPOCH)
            continue;
        value[n] = cycles_of(p, first, end);
        sum += value[n++];
    }
    if (n < 2)
        return;
    out->cycles = sum / n;
    for (unsigned i = 0; i < n; i++)
        squares += (value[i] - out->cycles) * (value[i] - out->cycles);
    out->error = sqrt(squares / (n - 1) / n);
    out->core_clock = clock_of(p, 0, count);
    /* The long run has as many iterations more than the short one has. */
    out->run = run_of(p, 0, count, MEMBER(run[0])) * (p->unit == ESTIMATE_CALIBRATED ? out->core_clock : 1);
    out->start = out->run - out->cycles * p->iterations;
    const sample_set all = {p->samples, p->clean, count, p->profile->granularity, p->scratch};
    for (unsigned kind = 0; kind < RUNNER_CANARIES; kind++)
        out->canary[kind] = mean_of(&all, MEMBER(canary[kind][1]), 0.1, 0.75) * out->core_clock;
}

void estimate_pass(const clock_profile *profile, const runner_sample *samples, size_t count,
                   estimate_unit unit, bool loop, double iterations, double turn, double *scratch,
                   pass_estimate *out)
{
    *out = (pass_estimate){.cycles = NAN, .error = NAN, .start = NAN, .run = NAN, .core_clock = NAN};
    if (count < ESTIMATE_FEWEST || count > RUNNER_MAX_SAMPLES)
        return;
    bool clean[RUNNER_MAX_SAMPLES];
    pass_view p = {.profile = profile,
                   .samples = samples,
                   .clean = clean,
                   .unit = unit,
                   .from = loop ? 0.05 : 0.10,
                   .to = loop ? 0.40 : 0.75,
                   .iterations = iterations,
                   .scratch = scratch};
    if (unit == ESTIMATE_CALIBRATED && !profile->multiplier) {
        /* Where the core's clock changes, the fastest runs are those with the fastest clock: both ends are
         * cut alike. */
        p.from = 0.10;
        p.to = 0.90;
    }
    out->accepted = (uint32_t)find_clean(profile, samples, count, scratch, clean);
    p.each = fmax(ticks_of(&p, 0, count), 0) * turn;
    average_epochs(&p, count, out);
}

/* ---- several passes ---- */

/* The least of sorted values that several others are near to. */
static double least_repeated(const double *sorted, size_t count)
{
    const double near = 1.02;
    size_t several = count / 50 > 4 ? count / 50 : 4;
    for (size_t i = 0; i + several <= count; i++)
        if (sorted[i + several - 1] <= sorted[i] * near)
            return (sorted[i] + sorted[i + several - 1]) / 2;
    return sorted[0];
}

static void learn(clock_profile *p, const double canary[RUNNER_CANARIES])
{
    double sorted[ESTIMATE_HISTORY];
    uint32_t count = p->history_count < ESTIMATE_HISTORY ? p->history_count + 1 : ESTIMATE_HISTORY;
    for (unsigned kind = 0; kind < RUNNER_CANARIES; kind++) {
        p->history[kind][p->history_count % ESTIMATE_HISTORY] = canary[kind];
        memcpy(sorted, p->history[kind], count * sizeof *sorted);
        numbers_sort(sorted, count);
        p->canary[kind] = least_repeated(sorted, count);
    }
    p->history_count++;
}

void estimate_learn(clock_profile *p, const double canary[RUNNER_CANARIES])
{
    bool disturbed = false;
    for (unsigned kind = 0; kind < RUNNER_CANARIES; kind++)
        disturbed |= p->history_count >= ESTIMATE_FIRST && canary[kind] > p->canary[kind] * DISTURBED;
    if (!disturbed || ++p->disturbed % ESTIMATE_DISTURBED == 0)
        learn(p, canary);
}

/* How near two passes have to be to agree: cycles. */
static double allowed_difference(double cycles)
{
    return fmax(0.01 * cycles, 0.02);
}

bool estimate_undisturbed(const clock_profile *p, const pass_estimate *pass)
{
    bool clean = pass->cycles > 0 && pass->error <= allowed_difference(pass->cycles) / 2;
    for (unsigned kind = 0; kind < RUNNER_CANARIES; kind++)
        clean &= pass->canary[kind] <= p->canary[kind] * DISTURBED;
    return clean;
}

bool estimate_is_possible(double cycles, size_t instructions)
{
    enum {
        MOST_A_CYCLE = 16 /* Zen 4 joins NOPs, and issues 12 */
    };
    return !(cycles * MOST_A_CYCLE < (double)instructions);
}

bool estimate_is_steady(const clock_profile *p, const pass_estimate *pass)
{
    const double counted = pass->run - pass->start;
    const double more = fmin(START_MORE * p->start, START_MORE_SHARE * counted);
    return !(pass->start > p->start + more + START_SHARE * counted);
}

static size_t sort_passes(const clock_profile *p, const pass_estimate *passes, size_t count, bool undisturbed,
                          double *sorted)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (undisturbed ? estimate_undisturbed(p, &passes[i]) : passes[i].cycles > 0)
            sorted[n++] = passes[i].cycles;
    numbers_sort(sorted, n);
    return n;
}

void estimate_passes(const clock_profile *p, const pass_estimate *passes, size_t count, double *sorted,
                     passes_estimate *out)
{
    size_t n = sort_passes(p, passes, count, true, sorted), first = 0, best = 0;
    *out = (passes_estimate){NAN, NAN, NAN, false, (uint32_t)n, 0};
    if (!n)
        n = sort_passes(p, passes, count, false, sorted);
    if (!n)
        return;
    /* The largest set that agrees; of several the fastest: disturbances only slow down. */
    for (size_t i = 0; i < n; i++) {
        size_t k = i;
        while (k < n && sorted[k] - sorted[i] <= allowed_difference(sorted[i]))
            k++;
        if (k - i > best) {
            best = k - i;
            first = i;
        }
    }
    out->agreeing = (uint32_t)best;
    out->stable = out->usable >= 2 && best * 3 >= n * 2;
    if (!out->stable) {
        first = 0;
        best = n;
    }
    double sum = 0;
    for (size_t i = first; i < first + best; i++)
        sum += sorted[i];
    out->cycles = out->stable ? sum / (double)best : numbers_quantile_below(sorted, n, 0.5);
    out->low = sorted[first];
    out->high = sorted[first + best - 1];
}
