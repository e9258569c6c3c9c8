/* many_judge.c - the verdicts on many commands: the interval of a ratio and a rank test must agree that there
 * is a difference, both corrected for as many comparisons as there are. */
#include <math.h>

#include "base/mem.h"
#include "base/options_take.h"
#include "study/compare/many_internal.h"

/* ---- each for itself ---- */

static size_t count_outliers(const tacho_sample *samples, size_t count, uint32_t side,
                             const tacho_distribution *d)
{
    enum {
        FEWEST = 8
    };
    size_t n = 0;
    double range = d->q3 - d->q1;
    for (size_t i = 0; i < count && d->count >= FEWEST; i++)
        n +=
            samples[i].side == side && fmax(d->q1 - samples[i].value, samples[i].value - d->q3) > 1.5 * range;
    return n;
}

static int describe(const tacho_sample *samples, size_t count, const tacho_judge_options *o,
                    tacho_many_judgement *out)
{
    const tacho_judged_side *sides[TACHO_COMPARE_MAX_COMMANDS];
    shape_drifting drift;
    for (uint32_t c = 0; c < out->count; c++) {
        tacho_many_row *row = &out->rows[c];
        if (shape_side(samples, count, c, o, &row->side))
            return -1;
        sides[c] = &row->side;
        row->outliers = count_outliers(samples, count, c, &row->side.values);
    }
    if (shape_drift(samples, count, sides, o, &drift) ||
        shape_step(samples, count, sides, (uint32_t)out->count, &out->step))
        return -1;
    out->drifts = drift.drifts;
    out->drift_rho = drift.rho;
    out->drift_p = drift.p;
    out->drift_change = drift.change;
    return 0;
}

/* ---- compared with the baseline ---- */

/* What the verdict on a row rests on. */
typedef struct weighed {
    separation apart; /* of few units */
    double by_units;
    bool few;
} weighed;

static int weigh(const many *m, const tacho_judge_options *o, size_t c, tacho_many_judgement *out,
                 weighed *to, tacho_error *err)
{
    tacho_many_row *row = &out->rows[c];
    tacho_judge_options each = *o;
    judging j;
    each.confidence = many_confidence(o, m->commands - 1);
    int rc = many_pair(m, 0, c, &j, err);
    if (rc)
        return rc;
    bool both = !isnan(row->ratio);
    row->units = both ? j.units : 0;
    to->few = row->units < out->units_needed;
    if (both && to->few)
        rc = separation_judge(&j, &each, &to->apart);
    else if (both)
        rc = (to->by_units = judging_error_by_units(&j)) < 0 || judging_rank_test(&j, &row->p_value);
    if (both && to->few && !rc && to->apart.is_clear)
        row->p_value = to->apart.p;
    judging_free(&j);
    return rc ? tacho_no_memory(err) : 0;
}

static void conclude(const tacho_judge_options *o, const many_contrast *r, const weighed *w,
                     tacho_many_judgement *out, tacho_many_row *row)
{
    if (w->few) {
        if (!w->apart.is_clear)
            return;
        row->by_separation = true;
        row->ratio_low = w->apart.low;
        row->ratio_high = w->apart.high;
        row->verdict = judging_verdict(o, true, row->ratio, &row->interesting);
        return;
    }
    row->ratio_low = exp(r->log_ratio - out->critical * r->error);
    row->ratio_high = exp(r->log_ratio + out->critical * r->error);
    row->standard_error = r->error;
    double found = out->critical + tacho_student_quantile(0.95, row->units - 1);
    row->detectable = fmax(found * fmax(r->error, w->by_units), out->step);
    bool apart = row->ratio_low > 1 || row->ratio_high < 1;
    bool differ = apart && row->p_corrected <= 1 - o->confidence + 1e-12;
    row->verdict = judging_verdict(o, differ, row->ratio, &row->interesting);
}

/* Holm's correction is for all comparisons that there are, also those which nothing can be said of. */
static int correct(tacho_many_judgement *out, tacho_error *err)
{
    double p[TACHO_COMPARE_MAX_COMMANDS];
    for (size_t c = 1; c < out->count; c++)
        p[c - 1] = isnan(out->rows[c].p_value) ? 1 : out->rows[c].p_value;
    if (tacho_holm(p, out->count - 1))
        return tacho_no_memory(err);
    for (size_t c = 1; c < out->count; c++)
        out->rows[c].p_corrected = isnan(out->rows[c].p_value) ? NAN : p[c - 1];
    return 0;
}

static int compare_all(const many_resampled *s, const tacho_judge_options *o, tacho_many_judgement *out,
                       tacho_error *err)
{
    many_contrast ratios[TACHO_COMPARE_MAX_COMMANDS];
    weighed what[TACHO_COMPARE_MAX_COMMANDS] = {{.few = true}};
    for (uint32_t c = 1; c < out->count; c++)
        ratios[c - 1] = (many_contrast){.b = c};
    int rc = many_contrasts(s, o->confidence, ratios, out->count - 1, &out->critical, err);
    for (size_t c = 0; c < out->count && !rc; c++) {
        rc = many_median(s, o->confidence, c, &out->rows[c].median, err);
        out->rows[c].ratio = s->medians[c] / s->medians[0];
        if (c && !rc)
            rc = weigh(s->m, o, c, out, &what[c], err);
    }
    rc = rc ? rc : correct(out, err);
    for (size_t c = 1; c < out->count && !rc; c++)
        conclude(o, &ratios[c - 1], &what[c], out, &out->rows[c]);
    return rc ? rc : many_ranks(s, o, out, err);
}

/* ---- all ---- */

static void prepare(const many *m, const tacho_judge_options *o, tacho_many_judgement *out)
{
    const tacho_many_row nothing = {.median = {NAN, NAN, NAN},
                                    .ratio = NAN,
                                    .ratio_low = NAN,
                                    .ratio_high = NAN,
                                    .p_value = NAN,
                                    .p_corrected = NAN,
                                    .standard_error = NAN,
                                    .detectable = NAN,
                                    .rank_low = 1,
                                    .rank_high = (uint32_t)m->commands};
    for (size_t c = 0; c < m->commands; c++)
        out->rows[c] = nothing;
    out->count = m->commands;
    out->confidence = o->confidence;
    out->paired = m->paired;
    out->has_layouts = m->layouts;
    out->units_needed = many_units_needed(o, m->commands);
    out->units_needed_for_ranks = many_units_needed_for_ranks(o, m->commands);
}

int tacho_judge_many(const tacho_sample *samples, size_t count, size_t commands, bool layouts,
                     const tacho_judge_options *options, tacho_many_judgement *out, tacho_error *err)
{
    tacho_judge_options o;
    many m;
    *out = (tacho_many_judgement){0};
    int rc = OPTIONS_TAKE(judge, &o, options, err);
    rc = rc ? rc : judging_check(&o, count, err);
    if (!rc && (commands < 2 || commands > TACHO_COMPARE_MAX_COMMANDS))
        rc = tacho_error_set(err, TACHO_ERR_USAGE, "2 to %d commands", TACHO_COMPARE_MAX_COMMANDS);
    rc = rc ? rc : many_make(&m, samples, count, commands, layouts, err);
    if (rc)
        return rc;
    out->rows = tacho_mem_zalloc(commands, sizeof *out->rows);
    if (out->rows) {
        size_t with_value = 0;
        prepare(&m, &o, out);
        rc = describe(samples, count, &o, out) || many_whole_blocks(&m, &out->blocks) ? tacho_no_memory(err)
                                                                                      : 0;
        for (size_t c = 0; c < commands; c++)
            with_value += out->rows[c].side.values.count;
        out->left_out = with_value - m.first_value[commands];
        many_resampled s;
        rc = rc ? rc : many_resample(&m, &o, o.resamples, &s, err);
        if (!rc) {
            rc = compare_all(&s, &o, out, err);
            many_resampled_free(&s);
        }
    } else {
        rc = tacho_no_memory(err);
    }
    many_free(&m);
    if (rc)
        tacho_many_judgement_free(out);
    return rc;
}

void tacho_many_judgement_free(tacho_many_judgement *j)
{
    tacho_mem_free(j->rows);
    *j = (tacho_many_judgement){0};
}
