/* confirm.c - is it so? Places that looked slow or fast are run again, in turn with usual ones. Runs of the
 * sweep chose them, so that only these runs can say what they are like. */

#include "base/number.h"
#include "base/seconds.h"
#include "program/bias/bias_internal.h"

enum {
    ARM_USUAL,
    ARM_SLOW,
    ARM_FAST,
    ARM_AGAIN, /* a page, or what else should be a period, after the slow one */
    ARM_NEXT,  /* the curve's period after or before it */
    ARM_COUNT = CONFIRM_ARMS
};

typedef struct arms {
    bias_place again; /* where there is a period to be tried */
    const bias_place *usual[CONFIRM_USUAL];
    uint32_t usual_count;
    bool has_again;
    const bias_place *next;
    double within; /* the curve's period, in steps; NaN: none */
    double values[ARM_COUNT][CONFIRM_ROUNDS];
    uint32_t rounds;
} arms;

/* exp of the median difference of two lists, and its interval. */
static tacho_estimate ratio_of(const double *a, const double *b, uint32_t count, double confidence)
{
    double d[PAIR_ROUNDS];
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!isnan(a[i] - b[i]))
            d[n++] = a[i] - b[i];
    numbers_sort(d, n);
    tacho_estimate e = tacho_median_interval(d, n, confidence);
    return (tacho_estimate){exp(e.value), exp(e.low), exp(e.high)};
}

typedef struct contender {
    double value; /* as log; the larger the further out */
    uint32_t place;
    double runs[CONTENDER_RUNS];
} contender;

ORDER_BY_FALLING(furthest_first, contender, value);

static int run_contender(bias *b, const bias_series *s, contender *c, uint32_t run)
{
    int rc = sweep_run(b, &s->places[c->place], 0, &c->runs[run], NULL);
    if (isnan(c->runs[run]))
        c->runs[run] = s->medians[c->place];
    return rc;
}

/* Whether there is time for more than the rounds that are to come. */
static bool has_time(const bias *b, const bias_series *s)
{
    return seconds_now() + 3 * CONFIRM_ROUNDS * b->run_seconds < s->until;
}

/* Of many places the one that looks furthest out is one of those that had bad luck; some of them are run
 * again, and the median of these runs chooses. `sign`: 1 the slowest, -1 the fastest. */
static int find_extreme(bias *b, const bias_series *s, int sign, uint32_t *out)
{
    contender *list = bias_alloc(b, s->count * sizeof *list);
    uint32_t count = s->count < CONTENDERS ? s->count : CONTENDERS;
    int rc = list ? 0 : TACHO_ERR_MEMORY;
    for (uint32_t i = 0; i < s->count && !rc; i++)
        list[i] = (contender){.value = isnan(s->medians[i]) ? -INFINITY : sign * s->medians[i], .place = i};
    if (!rc)
        tacho_sort(list, s->count, sizeof *list, furthest_first);
    uint32_t runs = 0;
    for (; runs < CONTENDER_RUNS && s->count > 2 && !rc && (runs ? has_time(b, s) : seconds_now() < b->until);
         runs++)
        for (uint32_t i = 0; i < count && !rc && !b->stopped; i++)
            rc = run_contender(b, s, &list[i], runs);
    for (uint32_t i = 0; i < count && runs && !rc && !b->stopped; i++) {
        numbers_sort(list[i].runs, runs);
        double median = list[i].runs[runs / 2];
        list[i].value = isnan(median) ? -INFINITY : sign * median;
    }
    if (rc)
        return rc;
    tacho_sort(list, count, sizeof *list, furthest_first);
    *out = list[0].place;
    return 0;
}

typedef struct near {
    double distance;
    uint32_t place;
} near;

ORDER_BY(by_distance, near, distance);

/* Those next to the median; the extremes only where there is nothing else. */
static int find_usual(bias *b, const bias_series *s, arms *a)
{
    near *list = bias_alloc(b, s->count * sizeof *list);
    if (!list)
        return TACHO_ERR_MEMORY;
    for (uint32_t i = 0; i < s->count; i++) {
        double distance = fabs(s->medians[i] - s->centre);
        list[i] = (near){isnan(distance) ? INFINITY : distance, i};
    }
    tacho_sort(list, s->count, sizeof *list, by_distance);
    uint32_t most = s->count < 3 * CONFIRM_USUAL ? 1 : CONFIRM_USUAL;
    for (uint32_t i = 0; i < s->count && a->usual_count < most; i++)
        if (s->count <= 2 || (list[i].place != s->out->slow && list[i].place != s->out->fast))
            a->usual[a->usual_count++] = &s->places[list[i].place];
    return 0;
}

/* The slow place one period on. */
static int find_again(bias *b, const bias_series *s, arms *a)
{
    uint32_t slow = s->out->slow;
    a->within = curve_period(s);
    if (!isnan(a->within)) {
        uint32_t steps = (uint32_t)a->within;
        a->next = slow + steps < s->count ? &s->places[slow + steps]
                  : slow >= steps         ? &s->places[slow - steps]
                                          : NULL;
    }
    a->has_again = !isnan(s->period_bytes);
    if (!a->has_again)
        return 0;
    a->again = s->places[slow];
    return series_move(b, s->kind, (uint32_t)(a->again.position + s->period_bytes), &a->again);
}

/* Whether the place of an arm is as slow, or nearly. */
static bool is_slow_too(const arms *a, int arm, double slow, double confidence)
{
    tacho_estimate e = ratio_of(a->values[arm], a->values[ARM_USUAL], a->rounds, confidence);
    return e.low > 1 && log(e.value) > log(slow) / 2;
}

static int run_round(bias *b, const bias_series *s, arms *a)
{
    const bias_place *places[ARM_COUNT] = {a->usual[a->rounds % a->usual_count], &s->places[s->out->slow],
                                           &s->places[s->out->fast], a->has_again ? &a->again : NULL,
                                           a->next};
    uint32_t first = bias_random(b, ARM_COUNT), down = bias_random(b, 2);
    int rc = 0;
    for (uint32_t i = 0; i < ARM_COUNT && !rc; i++) {
        uint32_t arm = (first + (down ? ARM_COUNT - i : i)) % ARM_COUNT;
        a->values[arm][a->rounds] = NAN;
        if (places[arm])
            rc = sweep_run(b, places[arm], 0, &a->values[arm][a->rounds], NULL);
    }
    a->rounds += !rc && !b->stopped;
    return rc;
}

void bias_no_verdict(tacho_bias_factor *f)
{
    f->effect = f->loss = f->gain = f->spread = (tacho_estimate){NAN, NAN, NAN};
    f->period_bytes = NAN;
}

static bool is_effect(tacho_estimate e, double threshold)
{
    return e.low > 1 && e.value >= 1 + threshold;
}

/* What makes it biased is what is shown as its effect: luck with the layout lies between the slowest and the
 * fastest place, whichever of the two is the rare one. */
void bias_give_verdict(tacho_bias_factor *f, double threshold, tacho_estimate loss, tacho_estimate gain,
                       tacho_estimate spread)
{
    f->biased = is_effect(spread, threshold);
    f->effect = spread;
    f->loss = loss;
    f->gain = gain;
    f->spread = spread;
}

static void judge(bias *b, bias_series *s, const arms *a)
{
    tacho_bias_factor *f = s->out;
    double confidence = b->options.confidence, threshold = b->options.threshold;
    tacho_estimate slow = ratio_of(a->values[ARM_SLOW], a->values[ARM_USUAL], a->rounds, confidence);
    tacho_estimate fast = ratio_of(a->values[ARM_USUAL], a->values[ARM_FAST], a->rounds, confidence);
    f->partial |= b->stopped;
    f->rounds = a->rounds;
    tacho_estimate spread = ratio_of(a->values[ARM_SLOW], a->values[ARM_FAST], a->rounds, confidence);
    if (isnan(slow.low) || isnan(fast.low) || isnan(spread.low))
        return; /* so few say nothing */
    bias_give_verdict(f, threshold, slow, fast, spread);
    bool slower = is_effect(slow, threshold);
    /* Where the fastest place alone stands out, any other is as good an example of a slow one. */
    s->slow_side = slower || !is_effect(fast, threshold) ? &s->places[f->slow] : a->usual[0];
    f->period_bytes = NAN;
    if (!slower)
        return;
    if (s->step_bytes && is_slow_too(a, ARM_NEXT, slow.value, confidence))
        f->period_bytes = a->within * s->step_bytes;
    else if (is_slow_too(a, ARM_AGAIN, slow.value, confidence))
        f->period_bytes = s->period_bytes;
}

/* Says what is missing to an interval as good as usual. */
static int note_rounds(bias *b, tacho_bias_factor *f)
{
    const char *why = b->stopped ? "the sweep was ended" : "time did not allow for more (--max-time)";
    if (f->rounds < CONFIRM_ROUNDS)
        return bias_note(
            b, f, "only %u of %d rounds compare the slowest and the fastest place with usual ones, as %s%s",
            f->rounds, CONFIRM_ROUNDS, why,
            isnan(f->effect.value) ? ": too few for a verdict" : ": the intervals are wider because of that");
    return isnan(f->effect.value)
               ? bias_note(b, f,
                           "no verdict: %u round%s too few for intervals of this confidence, or "
                           "the core's clock was not steady in too many of them",
                           f->rounds, f->rounds == 1 ? " is" : "s are")
               : 0;
}

/* Some rounds are worth a little more time than there is, as without them all before was for nothing. */
static bool wants_round(const bias *b, double until, uint32_t rounds)
{
    enum {
        FEWEST = 8
    };
    double now = seconds_now();
    return now < until || (rounds < FEWEST && now < b->until + b->options.max_seconds / 10);
}

int confirm_series(bias *b, bias_series *s)
{
    arms a = {.usual_count = 0};
    tacho_bias_factor *f = s->out;
    bias_no_verdict(f);
    uint32_t contenders = s->count < 3 ? 0 : s->count < CONTENDERS ? s->count : CONTENDERS;
    bias_begin(b, s->kind, TACHO_BIAS_CONFIRMING,
               2 * contenders * CONTENDER_RUNS + CONFIRM_ROUNDS * (isnan(s->period_bytes) ? 3 : 4));
    int rc = find_extreme(b, s, 1, &f->slow);
    rc = rc ? rc : find_extreme(b, s, -1, &f->fast);
    rc = rc || s->count < 2 ? rc : find_usual(b, s, &a);
    if (rc || !a.usual_count)
        return rc ? rc : bias_note(b, f, "one place only, so that there is nothing to compare it with");
    rc = find_again(b, s, &a);
    b->now.runs_all += a.next ? CONFIRM_ROUNDS : 0;
    while (a.rounds < CONFIRM_ROUNDS && !rc && !b->stopped && wants_round(b, s->until, a.rounds))
        rc = run_round(b, s, &a);
    if (!rc)
        judge(b, s, &a);
    return rc ? rc : note_rounds(b, f);
}

/* What was found above the noise of a few runs has to be there in others, too; in one where time is over. */
int confirm_spikes(bias *b, bias_series *s, tacho_bias_point *points)
{
    enum {
        ROUNDS = 5
    };
    arms a = {.usual_count = 0};
    int rc = find_usual(b, s, &a);
    uint32_t spikes = 0;
    for (uint32_t i = 0; i < s->count; i++)
        spikes += points[i].spike;
    bias_begin(b, s->kind, TACHO_BIAS_CONFIRMING, 2 * ROUNDS * spikes);
    for (uint32_t i = 0; i < s->count && !rc && a.usual_count; i++) {
        double d[ROUNDS];
        size_t n = 0;
        uint32_t rounds = seconds_now() < s->until ? ROUNDS : 1;
        for (uint32_t k = 0; points[i].spike && k < rounds && !rc && !b->stopped; k++) {
            double there = NAN, usual = NAN;
            rc = sweep_run(b, &s->places[i], 0, &there, NULL);
            rc = rc ? rc : sweep_run(b, a.usual[k % a.usual_count], 0, &usual, NULL);
            if (!rc && !isnan(there - usual))
                d[n++] = there - usual;
        }
        if (points[i].spike && n)
            points[i].spike = numbers_median(d, n) > log1p(b->options.threshold);
    }
    return rc;
}

/* Of pairs of runs at two places, the ratio of a to b. @return 0; value NaN where there were too few */
static int confirm_pairs(bias *b, const bias_place *first, const bias_place *second, uint32_t rounds,
                         tacho_estimate *out)
{
    double x[PAIR_ROUNDS], y[PAIR_ROUNDS];
    uint32_t n = 0;
    int rc = 0;
    for (; n < rounds && n < PAIR_ROUNDS && !rc && !b->stopped && wants_round(b, b->until, n); n++) {
        bool turned = bias_random(b, 2);
        rc = sweep_run(b, turned ? second : first, 0, turned ? &y[n] : &x[n], NULL);
        rc = rc ? rc : sweep_run(b, turned ? first : second, 0, turned ? &x[n] : &y[n], NULL);
    }
    *out = ratio_of(x, y, rc || b->stopped ? (n ? n - 1 : 0) : n, b->options.confidence);
    return rc;
}

/* ---- what would help, tried ---- */

/* What would help against a cause, tried: the layout nearest to the slow one that carries the advice out is
 * run against it. */

enum {
    ROUNDS = 25
};

/* Whether places of the factor are distances, so that something can be moved on by some bytes. */
static bool is_distance(tacho_bias_kind kind)
{
    return kind == TACHO_BIAS_ENVIRONMENT || kind == TACHO_BIAS_STACK || kind == TACHO_BIAS_HEAP ||
           kind == TACHO_BIAS_BUFFERS;
}

/* The distance in bytes from the slow place at which the program is as fast as usual: 64, 128 ..., as the
 * optimisation manual recommends for lines of the second-level cache (rule 9 in seeds: bias-thesis, section
 * 4.1). 0: there is none. */
static uint32_t find_padding(const bias_series *s, double threshold)
{
    for (uint32_t bytes = 64; s->step_bytes && bytes <= 1024; bytes *= 2) {
        uint32_t at = ((uint32_t)(s->slow_side - s->places) + bytes / s->step_bytes) % s->count;
        if (bytes % s->step_bytes == 0 && s->medians[at] - s->centre < threshold)
            return bytes;
    }
    return 0;
}

static const char *what_to_pad(tacho_bias_kind kind)
{
    return kind == TACHO_BIAS_BUFFERS || kind == TACHO_BIAS_ALLOCATOR
               ? "allocate one of the two arrays with %u bytes of padding before what is used of it"
           : kind == TACHO_BIAS_HEAP
               ? "put %u bytes between the two: pad the allocation, or align it otherwise"
               : "move the variable on the stack by %u bytes: pad the frame or the structure, or "
                 "keep the value in a register";
}

static int try_it(bias *b, bias_series *s, const bias_place *place, const bias_place *slow)
{
    tacho_bias_advice *a = &s->out->advice;
    tacho_estimate e;
    bias_begin(b, s->kind, TACHO_BIAS_ADVISING, 2 * ROUNDS);
    int rc = confirm_pairs(b, place, slow, ROUNDS, &e);
    /* Where that says nothing either way, others say more. */
    if (!rc && !b->stopped && !(e.high < 1 || e.low > 1) && !(e.high - e.low < b->options.threshold)) {
        bias_begin(b, s->kind, TACHO_BIAS_ADVISING, 2 * PAIR_ROUNDS);
        rc = confirm_pairs(b, place, slow, PAIR_ROUNDS, &e);
    }
    if (rc || b->stopped)
        return rc;
    a->tried = place->label;
    a->ratio = e.value;
    a->low = e.low;
    a->high = e.high;
    a->helps = e.high < 1 && e.value <= 1 - b->options.threshold;
    return 0;
}

/* Padding by moving the whole factor on. */
static int advise_moving(bias *b, bias_series *s)
{
    tacho_bias_advice *a = &s->out->advice;
    uint32_t bytes = find_padding(s, log1p(b->options.threshold));
    bias_place place = *s->slow_side;
    if (!bytes)
        return 0;
    double to = place.position + bytes;
    int rc = series_move(b, s->kind, (uint32_t)to, &place);
    place.label = bias_text(b, "+%.0f bytes", to);
    const char *what = what_to_pad(s->kind);
    a->sentence = bias_text(b, what, bytes);
    return rc ? rc : !place.label || !a->sentence ? TACHO_ERR_MEMORY : try_it(b, s, &place, s->slow_side);
}

/* Of an allocator whose arrays agree: with padding, by the library that moves every other one, and which is
 * there on both sides. */
static int advise_padding(bias *b, bias_series *s)
{
    enum {
        BYTES = 256
    };
    bias_place place = *s->slow_side, slow = place;
    if (!variants_are_glibc(&place) || !variants_can_shift(b))
        return b->err->code;
    int rc = variants_shift_buffers(b, &place, BYTES);
    rc = rc ? rc : variants_shift_buffers(b, &slow, 0);
    place.label = bias_text(b, "%s, every other large allocation %d bytes later", place.label, BYTES);
    s->out->advice.sentence = bias_text(b, what_to_pad(s->kind), BYTES);
    return rc                                         ? rc
           : !place.label || !s->out->advice.sentence ? TACHO_ERR_MEMORY
                                                      : try_it(b, s, &place, &slow);
}

static int advise_fastest(bias *b, bias_series *s, const char *sentence)
{
    s->out->advice.sentence = sentence;
    return try_it(b, s, &s->places[s->out->fast], s->slow_side);
}

int advise(bias *b, bias_series *s)
{
    bool linked = s->kind == TACHO_BIAS_LINK_ORDER || s->kind == TACHO_BIAS_CODE;
    switch (s->out->cause) {
    case TACHO_BIAS_ALIASING:
        return is_distance(s->kind)              ? advise_moving(b, s)
               : s->kind == TACHO_BIAS_ALLOCATOR ? advise_padding(b, s)
                                                 : 0;
    case TACHO_BIAS_LINE_CROSSING:
    case TACHO_BIAS_PAGE_CROSSING:
        return advise_fastest(
            b, s, "align the data to 64 bytes (aligned_alloc, _Alignas), or its rows to a multiple of it");
    case TACHO_BIAS_PAGE_FAULTS:
        return advise_fastest(b, s,
                              "keep memory instead of giving it back and asking for it again: buffers that "
                              "are used again, higher thresholds for mapping and trimming (mallopt, "
                              "GLIBC_TUNABLES), or another allocator");
    case TACHO_BIAS_SET_CONFLICTS:
        return advise_fastest(b, s,
                              "give the arrays distances that are no multiples of 4096: pad each by 64 bytes "
                              "more than the one before it, or the rows of a matrix by a line");
    case TACHO_BIAS_TLB:
        return advise_fastest(b, s,
                              "have what is used together lie in few pages: align it to pages, or take huge "
                              "pages (madvise, GLIBC_TUNABLES=glibc.malloc.hugetlb=1)");
    case TACHO_BIAS_CODE_ALIGNMENT:
        return advise_fastest(
            b, s,
            "align the loop (gcc: -falign-loops=64, clang: -falign-loops=64), so that its place does "
            "not depend on what comes before it");
    default:
        return linked && s->out->cause == TACHO_BIAS_UNKNOWN
                   ? advise_fastest(b, s,
                                    "link in this order, or align functions and loops (-falign-functions=64 "
                                    "-falign-loops=64), so that places do not depend on the order")
                   : 0;
    }
}
