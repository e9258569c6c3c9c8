/* bias_counted.c - causes that the system counts: the slow layout has more page faults, or waits more often.
 *
 * That a counter goes with the time is not enough: what takes longer is also interrupted more often, which is
 * why forced switches are no cause. So each of the events in question has to take a time that it can take: a
 * page fault about what one takes on this machine, measured when it is needed; what waits for a disk or
 * another process no less than a switch, and no more than a tenth of a second. Migrations need no counting:
 * runs are on one processor. */

#include "program/bias/bias_internal.h"

enum {
    FEWEST_POINTS = 4, /* of which a correlation says something */
    AT_CPU = 1,        /* counters that every run has, as bias.c names them */
    AT_ELAPSED = 2
};
static const double least_correlation = 0.9;
/* Memory is also mapped and given back for it, and out of the caches. */
static const double most_with_a_fault = 3;

/* What an event takes, in seconds. 0: see counted_fault_seconds. */
typedef struct rule {
    const char *counter;
    tacho_bias_cause cause;
    bool waits; /* else it is processor time */
    double least, most;
} rule;
static const rule rules[] = {
    {"page-faults", TACHO_BIAS_PAGE_FAULTS, false, 0, 0},
    {"major-faults", TACHO_BIAS_MAJOR_FAULTS, true, 1e-5, 0.1},
    {"voluntary-switches", TACHO_BIAS_WAITING, true, 1e-6, 0.1},
};

static uint32_t find_counter(const bias *b, const char *name)
{
    uint32_t c = 0;
    while (c < b->result.counter_count && strcmp(b->counter_names[c], name))
        c++;
    return c;
}

/* Of the metric with a counter, over the places. NaN: too few, or one of them does not vary. */
static double correlation_with(const tacho_bias_factor *f, const char *counter)
{
    for (uint32_t i = 0; i < f->correlation_count && f->point_count >= FEWEST_POINTS; i++)
        if (!strcmp(f->correlations[i].counter, counter))
            return f->correlations[i].pearson;
    return NAN;
}

typedef struct times {
    double cpu, elapsed; /* that the slow side takes more */
    double shared;       /* real time by processor time where it is fast: 2 if it had half of the processor */
} times;

/* Whether the events, which take so much more of one of the two times, can be what the metric shows. */
static bool fits_metric(const bias *b, const times *t, bool waits)
{
    bool elapsed = !strcmp(b->result.metric, "elapsed");
    if (!elapsed)
        return !waits;
    return waits ? t->elapsed - t->cpu >= t->elapsed / 2
                 : t->elapsed > 0 && t->elapsed <= 2 * t->cpu * fmax(1, t->shared);
}

/* Times of which the system's part is known: cycles by counters are the program's own. */
static bool has_system_time(const bias *b)
{
    const char *metric = b->result.metric;
    bool counted = !strcmp(metric, "cycles") && !strcmp(b->result.clock, "perf");
    return !counted && TEXT_IS_ONE_OF(metric, "cycles", "cpu", "elapsed");
}

static const char *words_of(tacho_bias_cause cause)
{
    return cause == TACHO_BIAS_PAGE_FAULTS    ? "page faults"
           : cause == TACHO_BIAS_MAJOR_FAULTS ? "page faults that read from a disk"
                                              : "times that the program waits";
}

static const char *share_words(bias *b, double share)
{
    return share > 0.95 ? "all" : bias_text(b, "%.0f %%", 100 * share);
}

static const char *sentence(bias *b, const tacho_bias_factor *f)
{
    const tacho_bias_counted *c = &f->why.counted;
    const char *more = bias_text(
        b, "%.0f %s a run, %.0f in the fast layout; over all places %s varies with them (correlation %.2f)",
        c->slow, words_of(f->cause), c->fast, b->result.metric, c->pearson);
    if (f->cause != TACHO_BIAS_PAGE_FAULTS)
        return bias_text(b,
                         "%s. The slow layout waits %.3g ms longer, %.3g ms for each additional one, which "
                         "is plausible for one (%.3g to %.0f ms)",
                         more ? more : "", c->more_seconds * 1e3, c->each_seconds * 1e3,
                         c->least_seconds * 1e3, c->most_seconds * 1e3);
    const char *share = share_words(b, c->known_seconds / c->each_seconds);
    return bias_text(b,
                     "%s. At the %.2f µs that one takes here they account for %s of the %.3g ms by which the "
                     "slow layout's processor time is longer",
                     more ? more : "", c->known_seconds * 1e6, share ? share : "", c->more_seconds * 1e3);
}

/* Whether they explain it, with all that this rests on. */
static bool try_rule(const bias *b, const bias_series *s, const rule *r, const times *t,
                     tacho_bias_counted *out)
{
    uint32_t at = find_counter(b, r->counter);
    if (at == b->result.counter_count || !fits_metric(b, t, r->waits))
        return false;
    const tacho_bias_point *points = s->out->points;
    double slow = points[s->slow_side - s->places].counters[at], fast = points[s->out->fast].counters[at];
    double more = r->waits ? t->elapsed - t->cpu : t->cpu, known = NAN;
    double pearson = correlation_with(s->out, r->counter);
    if (!(slow > fast) || !(more > 0) || !(pearson >= least_correlation))
        return false;
    if (!r->least)
        known = counted_fault_seconds();
    *out = (tacho_bias_counted){.counter = b->counter_names[at],
                                .waits = r->waits,
                                .slow = slow,
                                .fast = fast,
                                .pearson = pearson,
                                .more_seconds = more,
                                .each_seconds = more / (slow - fast),
                                .known_seconds = known,
                                .least_seconds = r->least ? r->least : known / 2,
                                .most_seconds = r->least ? r->most : known * most_with_a_fault};
    return out->each_seconds >= out->least_seconds && out->each_seconds <= out->most_seconds;
}

int counted_find(bias *b, bias_series *s)
{
    tacho_bias_factor *f = s->out;
    const double *slow = f->points[s->slow_side - s->places].counters, *fast = f->points[f->fast].counters;
    const times t = {slow[AT_CPU] - fast[AT_CPU], slow[AT_ELAPSED] - fast[AT_ELAPSED],
                     fast[AT_ELAPSED] / fast[AT_CPU]};
    tacho_bias_counted found;
    for (size_t i = 0; i < sizeof rules / sizeof *rules && has_system_time(b); i++)
        if (try_rule(b, s, &rules[i], &t, &found)) {
            f->cause = rules[i].cause;
            f->why.counted = found;
            f->why.sentence = sentence(b, f);
            return f->why.sentence ? 0 : TACHO_ERR_MEMORY;
        }
    return 0;
}
