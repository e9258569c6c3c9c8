/* many_ratios.c - ratios of many commands, with intervals that hold at once.
 *
 * Resamples draw whole blocks, with the runs of all commands in them: so what a block's runs have in common,
 * and that ratios share a command, is in them. An interval reaches as many standard errors on each side as
 * the furthest of all ratios is off in the share of the resamples that is asked for (the studentised maximum:
 * J. Romano, M. Wolf, "Exact and Approximate Stepdown Methods for Multiple Hypothesis Testing", 2005),
 * further out for few blocks as the intervals of two commands are. */
#include <math.h>

#include "base/mem.h"
#include "base/numbers.h"
#include "study/compare/many_internal.h"
#include "study/stats/resample.h"

/* Logarithms of the medians of all commands in a resample. */
static void draw(const many *m, uint32_t *drawn, uint64_t seed, uint32_t resample, double *out)
{
    for (size_t c = 0; c < m->commands; c++) {
        size_t first = m->first_value[c];
        if (!m->paired)
            resample_draw(drawn, m->units[c], seed, (uint32_t)(resample * m->commands + c));
        else if (!c)
            resample_draw(drawn, m->units[c], seed, resample);
        out[c] = log(resample_median(m->values + first, m->first_value[c + 1] - first, drawn));
    }
}

static void take_medians(const many *m, uint32_t *drawn, double *out)
{
    for (size_t u = 0; u < m->first_value[m->commands]; u++)
        drawn[u] = 1;
    for (size_t c = 0; c < m->commands; c++) {
        size_t first = m->first_value[c];
        out[c] = resample_median(m->values + first, m->first_value[c + 1] - first, drawn);
    }
}

int many_resample(const many *m, const tacho_judge_options *o, uint32_t resamples, many_resampled *out,
                  tacho_error *err)
{
    size_t n = m->first_value[m->commands] + 1;
    uint32_t *drawn = tacho_mem_zalloc(n, sizeof *drawn);
    *out =
        (many_resampled){.m = m, .resamples = many_fewest_units(m) < TACHO_RATIO_MIN_UNITS ? 0 : resamples};
    out->logs = tacho_mem_zalloc((size_t)resamples * m->commands, sizeof *out->logs);
    int rc = drawn && out->logs ? 0 : tacho_no_memory(err);
    if (!rc) {
        take_medians(m, drawn, out->medians);
        for (uint32_t r = 0; r < out->resamples; r++)
            draw(m, drawn, o->seed, r, out->logs + r * m->commands);
    } else {
        many_resampled_free(out);
    }
    tacho_mem_free(drawn);
    return rc;
}

void many_resampled_free(many_resampled *s)
{
    tacho_mem_free(s->logs);
    s->logs = NULL;
}

/* What the logarithm of a ratio is off in a resample; NaN: one of the two was not drawn. */
static double off_by(const many_resampled *s, uint32_t r, const many_contrast *c)
{
    const double *logs = s->logs + r * s->m->commands;
    return logs[c->b] - logs[c->a] - c->log_ratio;
}

static void take_error(const many_resampled *s, many_contrast *c)
{
    double squares = 0;
    uint32_t n = 0;
    c->log_ratio = log(s->medians[c->b] / s->medians[c->a]);
    for (uint32_t r = 0; r < s->resamples; r++) {
        double off = off_by(s, r, c);
        squares += isnan(off) ? 0 : off * off;
        n += !isnan(off);
    }
    c->error = n ? sqrt(squares / n) : NAN;
}

int many_contrasts(const many_resampled *s, double confidence, many_contrast *list, size_t count,
                   double *critical, tacho_error *err)
{
    double *furthest = tacho_mem_zalloc((size_t)s->resamples + 1, sizeof *furthest);
    *critical = NAN;
    if (!furthest)
        return tacho_no_memory(err);
    for (size_t i = 0; i < count; i++) {
        take_error(s, &list[i]);
        for (uint32_t r = 0; r < s->resamples && list[i].error > 0; r++)
            furthest[r] = fmax(furthest[r], fabs(off_by(s, r, &list[i])) / list[i].error);
    }
    numbers_sort(furthest, s->resamples);
    if (s->resamples) {
        double share = tacho_normal_below(tacho_quantile(furthest, s->resamples, confidence));
        *critical = resample_normal_widened(fmin(share, 1 - 1e-9), many_fewest_units(s->m));
    }
    tacho_mem_free(furthest);
    return 0;
}

int many_median(const many_resampled *s, double confidence, size_t command, tacho_estimate *out,
                tacho_error *err)
{
    uint32_t n = 0;
    double *room = tacho_mem_zalloc((size_t)s->resamples + 1, sizeof *room);
    *out = (tacho_estimate){s->medians[command], NAN, NAN};
    if (!room)
        return tacho_no_memory(err);
    for (uint32_t r = 0; r < s->resamples; r++)
        if (!isnan(s->logs[r * s->m->commands + command]))
            room[n++] = s->logs[r * s->m->commands + command];
    numbers_sort(room, n);
    if (n) {
        double end = tacho_normal_below(resample_normal_widened((1 + confidence) / 2, s->m->units[command]));
        out->low = exp(tacho_quantile(room, n, 1 - end));
        out->high = exp(tacho_quantile(room, n, end));
    }
    tacho_mem_free(room);
    return 0;
}
