/* bias_json.c - a bias sweep as JSON and CSV. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/report/report.h"
#include "app/report/report_bias.h"
#include "base/csv.h"

static json_t *real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *texts_json(const char *const *texts, uint32_t count)
{
    json_t *out = json_array();
    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(out, report_json_string(texts[i]));
    return out;
}

static json_t *point_json(const report_bias *r, const tacho_bias_point *p)
{
    json_t *counters = json_object();
    for (uint32_t c = 0; c < r->bias->counter_count; c++)
        json_object_set_new(counters, r->bias->counter_names[c], real(p->counters[c]));
    return json_pack("{s:o, s:o, s:o, s:o, s:i, s:b, s:o}", "position", real(p->position), "label",
                     report_json_string(p->label), "value", real(p->value), "ratio", real(p->ratio), "runs",
                     (int)p->runs, "spike", p->spike, "counters", counters);
}

static json_t *insn_json(const tacho_bias_insn *i)
{
    return json_pack("{s:I, s:o, s:o, s:I, s:o, s:o, s:o}", "address", (json_int_t)i->address, "object",
                     report_json_string(i->object), "symbol", report_json_string(i->symbol), "offset",
                     (json_int_t)i->offset, "asm", report_json_string(i->assembly), "source",
                     report_json_string(i->source), "line", i->line ? json_integer(i->line) : json_null());
}

static json_t *pairs_json(const tacho_bias_why *w)
{
    json_t *out = json_array();
    for (uint32_t i = 0; i < w->pair_count; i++) {
        const tacho_bias_pair *p = &w->pairs[i];
        json_array_append_new(
            out, json_pack("{s:o, s:o, s:I, s:I, s:f, s:f}", "store", insn_json(&p->store), "load",
                           insn_json(&p->load), "store_address", (json_int_t)p->store_address, "load_address",
                           (json_int_t)p->load_address, "slow_per_1000", p->slow, "fast_per_1000", p->fast));
    }
    return out;
}

static json_t *place_in_64(uint32_t at)
{
    return at < 64 ? json_integer(at) : json_null();
}

static json_t *counted_json(const tacho_bias_counted *c)
{
    if (!c->counter)
        return json_null();
    return json_pack("{s:s, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o}", "counter", c->counter, "slow",
                     real(c->slow), "fast", real(c->fast), "pearson", real(c->pearson), "time",
                     c->waits ? "waiting" : "cpu", "more_seconds", real(c->more_seconds), "each_seconds",
                     real(c->each_seconds), "known_seconds", real(c->known_seconds), "least_seconds",
                     real(c->least_seconds), "most_seconds", real(c->most_seconds));
}

/* Per 1,000 instructions; null where nothing was looked at. */
static json_t *rates_json(const tacho_bias_why *w, double slow, double fast)
{
    return w->looked ? json_pack("{s:o, s:o}", "slow", real(slow), "fast", real(fast)) : json_null();
}

static json_t *why_json(const tacho_bias_why *w)
{
    if (!w->sentence)
        return json_null();
    json_t *hot = w->hot_bytes ? insn_json(&w->hot) : json_null();
    if (w->hot_bytes) {
        json_object_set_new(hot, "bytes", json_integer(w->hot_bytes));
        json_object_set_new(hot, "slow_modulo_64", place_in_64(w->hot_slow));
        json_object_set_new(hot, "fast_modulo_64", place_in_64(w->hot_fast));
        json_object_set_new(hot, "predicted_slow", real(w->predicted_slow));
        json_object_set_new(hot, "predicted_fast", real(w->predicted_fast));
        json_object_set_new(hot, "predicted_arch", report_json_string(w->predicted_arch));
    }
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "sentence",
                     report_json_string(w->sentence), "counted", counted_json(&w->counted),
                     "instructions_slow", w->looked ? json_integer((json_int_t)w->insns_slow) : json_null(),
                     "instructions_fast", w->looked ? json_integer((json_int_t)w->insns_fast) : json_null(),
                     "aliased_per_1000", rates_json(w, w->aliased_slow, w->aliased_fast),
                     "line_crossing_per_1000", rates_json(w, w->line_slow, w->line_fast),
                     "page_crossing_per_1000", rates_json(w, w->page_slow, w->page_fast), "pairs",
                     pairs_json(w), "hot_loop", hot);
}

static json_t *advice_json(const tacho_bias_advice *a)
{
    if (!a->sentence)
        return json_null();
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:b}", "sentence", report_json_string(a->sentence), "tried",
                     report_json_string(a->tried), "ratio", real(a->ratio), "low", real(a->low), "high",
                     real(a->high), "helps", a->helps);
}

static json_t *correlations_json(const tacho_bias_factor *f)
{
    json_t *out = json_array();
    for (uint32_t i = 0; i < f->correlation_count; i++)
        json_array_append_new(out, json_pack("{s:s, s:o, s:o}", "counter", f->correlations[i].counter,
                                             "pearson", real(f->correlations[i].pearson), "spearman",
                                             real(f->correlations[i].spearman)));
    return out;
}

static json_t *extreme_json(const tacho_bias_factor *f, uint32_t at)
{
    if (f->missing || !f->point_count || isnan(f->effect.value))
        return json_null();
    return json_pack("{s:o, s:o}", "position", real(f->points[at].position), "label",
                     report_json_string(f->points[at].label));
}

static json_t *verdict_json(const tacho_bias_factor *f)
{
    return isfinite(f->effect.value) ? json_boolean(f->biased) : json_null();
}

/* Beside the effect: what it is, and the others. */
static void put_effects(json_t *out, const tacho_bias_factor *f)
{
    json_object_set_new(out, "effect_of",
                        isfinite(f->effect.value) ? json_string(tacho_bias_effect_name(f)) : json_null());
    json_object_set_new(out, "loss", real(f->loss.value));
    json_object_set_new(out, "loss_low", real(f->loss.low));
    json_object_set_new(out, "loss_high", real(f->loss.high));
    json_object_set_new(out, "spread", real(f->spread.value));
    json_object_set_new(out, "spread_low", real(f->spread.low));
    json_object_set_new(out, "spread_high", real(f->spread.high));
}

static json_t *factor_json(const report_bias *r, const tacho_bias_factor *f)
{
    json_t *points = json_array();
    const char *cause = tacho_bias_cause_name(f->cause);
    for (uint32_t i = 0; i < f->point_count; i++)
        json_array_append_new(points, point_json(r, &f->points[i]));
    json_t *out = json_pack(
        "{s:s, s:o, s:o, s:o, s:o, s:s?, s:o, s:o, s:o, s:o, s:i, s:o, s:o, s:o, s:i, s:i, s:b, "
        "s:o, s:o, s:o, "
        "s:o, s:o}",
        "name", f->name, "effect", real(f->effect.value), "low", real(f->effect.low), "high",
        real(f->effect.high), "biased", verdict_json(f), "cause", *cause ? cause : NULL, "period_bytes",
        real(f->period_bytes), "gain", real(f->gain.value), "gain_low", real(f->gain.low), "gain_high",
        real(f->gain.high), "rounds", (int)f->rounds, "slowest", extreme_json(f, f->slow), "fastest",
        extreme_json(f, f->fast), "median", real(f->median), "passes", (int)f->passes, "step_bytes",
        (int)f->step_bytes, "partial", f->partial, "noise", real(f->noise), "correlations",
        correlations_json(f), "why", why_json(&f->why), "advice", advice_json(&f->advice), "points", points);
    put_effects(out, f);
    return out;
}

json_t *report_bias_json(const report_bias *r)
{
    const tacho_bias *b = r->bias;
    json_t *factors = json_array(), *command = json_array();
    for (char *const *a = r->argv; *a; a++)
        json_array_append_new(command, report_json_string(*a));
    for (uint32_t i = 0; i < b->factor_count; i++) {
        json_t *f = factor_json(r, &b->factors[i]);
        json_object_set_new(f, "missing", report_json_string(b->factors[i].missing));
        json_object_set_new(f, "notes", texts_json(b->factors[i].notes, b->factors[i].note_count));
        json_array_append_new(factors, f);
    }
    return json_pack("{s:s, s:o, s:s, s:s?, s:s, s:o, s:f, s:f, s:b, s:o, s:o}", "schema", "tacho-bias-1",
                     "command", command, "metric", b->metric, "unit", *b->metric_unit ? b->metric_unit : NULL,
                     "clock", b->clock, "cpu", b->cpu >= 0 ? json_integer(b->cpu) : json_null(), "confidence",
                     r->confidence, "seconds", b->seconds, "partial", b->partial, "notes",
                     texts_json(b->notes, b->note_count), "factors", factors);
}

static void put_text(tacho_str *out, const char *text)
{
    tacho_csv_put(out, text ? text : "", text ? strlen(text) : 0);
}

static void put_number(tacho_str *out, double value)
{
    if (isfinite(value))
        tacho_str_printf(out, "%.9g", value);
}

static void put_numbers(tacho_str *out, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        tacho_str_putc(out, ',');
        put_number(out, values[i]);
    }
}

void report_bias_csv(tacho_str *out, const report_bias *r)
{
    tacho_str_puts(
        out, "name,effect,low,high,biased,period_bytes,cause,gain,gain_low,gain_high,median,noise,slowest,"
             "fastest,points,passes,rounds,error,effect_of,loss,loss_low,loss_high,spread,spread_low,spread_"
             "high\n");
    for (uint32_t i = 0; i < r->bias->factor_count; i++) {
        const tacho_bias_factor *f = &r->bias->factors[i];
        const double effect[] = {f->effect.value, f->effect.low, f->effect.high};
        const double others[] = {f->gain.value, f->gain.low, f->gain.high, f->median, f->noise};
        const double further[] = {f->loss.value,   f->loss.low,   f->loss.high,
                                  f->spread.value, f->spread.low, f->spread.high};
        bool judged = isfinite(f->effect.value);
        tacho_str_puts(out, f->name);
        put_numbers(out, effect, 3);
        tacho_str_printf(out, ",%s,", !judged ? "" : f->biased ? "true" : "false");
        put_number(out, f->period_bytes);
        tacho_str_printf(out, ",%s", tacho_bias_cause_name(f->cause));
        put_numbers(out, others, 5);
        tacho_str_putc(out, ',');
        put_text(out, judged ? f->points[f->slow].label : NULL);
        tacho_str_putc(out, ',');
        put_text(out, judged ? f->points[f->fast].label : NULL);
        tacho_str_printf(out, ",%u,%u,%u,", f->point_count, f->passes, f->rounds);
        put_text(out, f->missing);
        tacho_str_printf(out, ",%s", judged ? tacho_bias_effect_name(f) : "");
        put_numbers(out, further, 6);
        tacho_str_putc(out, '\n');
    }
}

void report_bias_points(tacho_str *out, const report_bias *r)
{
    const tacho_bias *b = r->bias;
    tacho_str_puts(out, "factor,position,label,value,ratio,runs,spike");
    for (uint32_t c = 0; c < b->counter_count; c++) {
        tacho_str_putc(out, ',');
        put_text(out, b->counter_names[c]);
    }
    tacho_str_putc(out, '\n');
    for (uint32_t i = 0; i < b->factor_count; i++)
        for (uint32_t k = 0; k < b->factors[i].point_count; k++) {
            const tacho_bias_point *p = &b->factors[i].points[k];
            tacho_str_printf(out, "%s,", b->factors[i].name);
            put_number(out, p->position);
            tacho_str_putc(out, ',');
            put_text(out, p->label);
            put_numbers(out, &p->value, 1);
            put_numbers(out, &p->ratio, 1);
            tacho_str_printf(out, ",%u,%s", p->runs, p->spike ? "true" : "false");
            put_numbers(out, p->counters, b->counter_count);
            tacho_str_putc(out, '\n');
        }
}
