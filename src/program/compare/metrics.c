/* metrics.c - what is measured of a run: times, cycles, events, and a number that the command writes. */
#include <limits.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/text_pattern.h"
#include "program/compare/compare_internal.h"

static const struct {
    const char *name, *unit;
} built_in[METRICS] = {[METRIC_CPU] = {"cpu", "s"},
                       [METRIC_USER] = {"user", "s"},
                       [METRIC_SYSTEM] = {"system", "s"},
                       [METRIC_ELAPSED] = {"elapsed", "s"},
                       [METRIC_CYCLES] = {"cycles", "cycles"},
                       [METRIC_CORE_CLOCK] = {"core_clock", "Hz"},
                       [METRIC_PAGE_FAULTS] = {"page_faults", ""},
                       [METRIC_SWITCHES] = {"switches", ""}};

static int add(comparing *c, const char *name, const char *unit, tacho_error *err)
{
    tacho_metric *m = &c->out->metrics[c->out->metric_count];
    if (c->out->metric_count == TACHO_COMPARE_MAX_METRICS || strlen(name) >= sizeof m->name)
        return tacho_error_set(err, TACHO_ERR_USAGE, "too many metrics, or too long a name: '%s'", name);
    snprintf(m->name, sizeof m->name, "%s", name);
    snprintf(m->unit, sizeof m->unit, "%s", unit);
    m->median[0] = m->median[1] = NAN;
    c->out->metric_count++;
    return 0;
}

static int find(const comparing *c, const char *name)
{
    for (size_t i = 0; i < c->out->metric_count; i++)
        if (!strcmp(c->out->metrics[i].name, name))
            return (int)i;
    return -1;
}

static int compile(comparing *c, tacho_error *err)
{
    const char *pattern = c->options->pattern;
    char why[120];
    const char *bad = tacho_regex_compile(&c->pattern, pattern, why, sizeof why);
    if (bad)
        return tacho_error_set(err, TACHO_ERR_USAGE, "'%s' %s", pattern, bad);
    c->has_pattern = true;
    return add(c, "value", c->options->unit ? c->options->unit : "", err);
}

/* The events that are to be counted: those wanted, and the metric if it is none of ours. */
static int choose_events(comparing *c, const char *metric, tacho_error *err)
{
    const char *wanted = c->options->trials.events ? c->options->trials.events : "";
    for (const char *at = wanted; *at;) {
        char name[128];
        size_t n = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", (int)n, at);
        if (find(c, name) >= 0)
            return tacho_error_set(err, TACHO_ERR_USAGE, "'%s' twice", name);
        if (add(c, name, "", err))
            return err->code;
        c->event_count++;
        at += n + (at[n] == ',');
    }
    if (find(c, metric) < 0 && strcmp(metric, "value")) {
        c->metric_is_event = true;
        if (add(c, metric, "", err))
            return err->code;
        c->event_count++;
    }
    tacho_str all = {0};
    tacho_str_printf(&all, "%s%s%s", wanted, *wanted && c->metric_is_event ? "," : "",
                     c->metric_is_event ? metric : "");
    c->events = all.data;
    return all.failed ? tacho_no_memory(err) : 0;
}

int metrics_choose(comparing *c, tacho_error *err)
{
    const tacho_compare_options *o = c->options;
    const char *metric = o->metric ? o->metric : o->pattern ? "value" : "cpu";
    int rc = 0;
    if (!strcmp(metric, "value") && !o->pattern)
        return tacho_error_set(err, TACHO_ERR_USAGE,
                               "the metric 'value' is what a regular expression finds in the output");
    if (!*metric || strchr(metric, ','))
        return tacho_error_set(err, TACHO_ERR_USAGE, "'%s' is no metric", metric);
    for (size_t i = 0; i < METRICS && !rc; i++)
        rc = add(c, built_in[i].name, built_in[i].unit, err);
    rc = rc ? rc : choose_events(c, metric, err);
    rc = rc || !o->pattern ? rc : compile(c, err);
    c->out->metric = rc ? 0 : (size_t)find(c, metric);
    return rc;
}

static int take_output(const comparing *c, const tacho_trial *trial, const char *what, double *out,
                       tacho_error *err)
{
    regmatch_t found[2];
    char text[64], *end;
    if (regexec(&c->pattern, trial->output, 2, found, 0) || found[1].rm_so < 0)
        return tacho_error_set(err, TACHO_ERR_INPUT, "%s: nothing in its output matches '%s'%s", what,
                               c->options->pattern,
                               trial->output_size ? "" : ": it wrote nothing to standard output");
    const char *from = trial->output + found[1].rm_so, *to = trial->output + found[1].rm_eo;
    snprintf(text, sizeof text, "%.*s", (int)(to - from < INT_MAX ? to - from : INT_MAX), from);
    *out = strtod(text, &end);
    end += strspn(end, " \t");
    bool number = end != text && end - text == to - from && isfinite(*out);
    if (!number || fabs(*out) > JUDGE_MOST)
        return tacho_error_set(
            err, TACHO_ERR_INPUT, "%s: '%.*s', which '%s' finds in its output, is no number%s", what,
            (int)(to - from < 60 ? to - from : 60), from, c->options->pattern, number ? " up to 1e100" : "");
    return 0;
}

int metrics_take(const comparing *c, const tacho_trial *trial, const char *what, double *values,
                 tacho_error *err)
{
    values[METRIC_CPU] = trial->cpu_seconds;
    values[METRIC_USER] = trial->user_seconds;
    values[METRIC_SYSTEM] = trial->system_seconds;
    values[METRIC_ELAPSED] = trial->elapsed_seconds;
    values[METRIC_CYCLES] = trial->cycles;
    values[METRIC_CORE_CLOCK] = trial->core_hz;
    values[METRIC_PAGE_FAULTS] = (double)trial->page_faults;
    values[METRIC_SWITCHES] = (double)trial->switches_forced;
    memcpy(values + METRICS, trial->events, c->event_count * sizeof *values);
    int rc = c->has_pattern ? take_output(c, trial, what, &values[METRICS + c->event_count], err) : 0;
    double decides = values[c->out->metric];
    if (rc || isnan(decides) || decides >= JUDGE_LEAST)
        return rc;
    return tacho_error_set(err, TACHO_ERR_INPUT, "%s: its metric '%s' is %g: ratios need values %s", what,
                           c->out->metrics[c->out->metric].name, decides,
                           decides > 0 ? "of 1e-100 or more" : "above 0");
}

void metrics_free(comparing *c)
{
    if (c->has_pattern)
        regfree(&c->pattern);
    tacho_mem_free(c->events);
}
