/* eval_limits.c - limits on the figures of an evaluation, for CI. */
#include "app/cli/study/cmd_eval.h"

/* What can have a limit, and where it is; shares are given in percent. Of failures, which are counted, this
 * is their share of all. */
static const struct {
    const char *name;
    bool percent;
    size_t at;
} figures[] = {{"MAPE", true, offsetof(tacho_score, mape.value)},
               {"median", true, offsetof(tacho_score, median.value)},
               {"q3", true, offsetof(tacho_score, q3.value)},
               {"worst", true, offsetof(tacho_score, worst)},
               {"failures", true, offsetof(tacho_score, failures)},
               {"tau", false, offsetof(tacho_score, kendall_tau.value)},
               {"within-1", true, offsetof(tacho_score, within_1)},
               {"within-5", true, offsetof(tacho_score, within_5)},
               {"within-10", true, offsetof(tacho_score, within_10)}};
enum {
    FIGURES = sizeof figures / sizeof *figures
};

static double figure_of(const tacho_score *s, int figure)
{
    const size_t blocks = s->count + s->failures, at = figures[figure].at;
    if (at == offsetof(tacho_score, failures))
        return blocks ? (double)s->failures / (double)blocks : NAN;
    return *(const double *)(const void *)((const char *)s + at);
}

static int find_figure(const char *name, size_t length)
{
    for (int i = 0; i < FIGURES; i++)
        if (strlen(figures[i].name) == length && tacho_str_same_n(figures[i].name, name, length))
            return i;
    return -1;
}

bool eval_threshold_parse(eval_threshold *out, const char *option, const char *value, bool above)
{
    const char *equals = strrchr(value, '='), *name = value;
    char *end;
    *out = (eval_threshold){.text = value, .above = above};
    for (const char *c = value; equals && c < equals; c++) /* names of models may have colons */
        if (*c == ':')
            name = c + 1;
    out->figure = equals ? find_figure(name, (size_t)(equals - name)) : -1;
    if (out->figure < 0) {
        char names[200];
        size_t at = 0;
        for (int i = 0; i < FIGURES; i++)
            at += (size_t)snprintf(names + at, sizeof names - at, "%s%s", i ? ", " : "", figures[i].name);
        return cli_error("%s %s: wanted FIGURE=LIMIT or PREDICTOR:FIGURE=LIMIT, such as MAPE=2; figures: %s",
                         option, value, names);
    }
    out->limit = strtod(equals + 1, &end);
    if (*end == '%' && figures[out->figure].percent)
        end++;
    if (end == equals + 1 || *end || !isfinite(out->limit))
        return cli_error("%s %s: '%s' is no number%s", option, value, equals + 1,
                         figures[out->figure].percent ? " of percent" : "");
    out->limit /= figures[out->figure].percent ? 100 : 1;
    return eval_take_name(out->predictor, value, name > value ? (size_t)(name - 1 - value) : 0);
}

/* A figure that is not to be had keeps no limit. */
static bool holds(const eval_threshold *limit, const tacho_eval_predictor *p)
{
    bool percent = figures[limit->figure].percent;
    double value = figure_of(&p->overall, limit->figure), scale = percent ? 100 : 1;
    bool good = limit->above ? value <= limit->limit : value >= limit->limit;
    const char *unit = percent ? " %" : "", *name = figures[limit->figure].name;
    if (!good && isnan(value))
        cli_error("%s: %s is not available, so it is not %s %g%s", p->name, name,
                  limit->above ? "at most" : "at least", limit->limit * scale, unit);
    else if (!good)
        cli_error("%s: %s is %.4g%s, %s the limit of %g%s", p->name, name, value * scale, unit,
                  limit->above ? "above" : "below", limit->limit * scale, unit);
    return good;
}

int eval_check_limits(const eval_request *request, const tacho_eval_result *r)
{
    const eval_threshold *limits = request->limits;
    bool all = true, wrong = false;
    for (size_t i = 0; i < request->limit_count; i++) {
        bool found = false;
        for (size_t p = 0; p < r->predictor_count; p++) {
            if (*limits[i].predictor && strcmp(limits[i].predictor, r->predictors[p].name))
                continue;
            found = true;
            all &= holds(&limits[i], &r->predictors[p]);
        }
        if (!found)
            wrong = !cli_error("limit %s: there is no predictor '%s'", limits[i].text, limits[i].predictor);
    }
    return wrong ? CLI_USAGE : all ? CLI_OK : EVAL_BROKEN_LIMIT;
}
