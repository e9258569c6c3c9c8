/* report_measure.c - measurements as text, JSON and CSV. */
#include "app/report/report_measure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/report/grid.h"
#include "app/report/report.h"
#include "base/csv.h"
#include "tacho/predict.h"

enum {
    DECIMALS = 4,
    VALUE_AT = 13 /* behind a label */
};

bool report_has_cycles(const tacho_measurement *m)
{
    return !isnan(m->cycles);
}

double report_prediction_error(const report_measured *m)
{
    return m->arch && m->result->cycles > 0 ? (m->predicted - m->result->cycles) / m->result->cycles : NAN;
}

/* ---- text ---- */

static void throughput(tacho_str *out, const tacho_measurement *r, bool colour)
{
    char cycles[TACHO_NUMBER_SIZE], percent[TACHO_NUMBER_SIZE], line[160];
    report_label(out, colour, "measured");
    snprintf(line, sizeof line, "%s cycles per iteration", report_number(cycles, r->cycles));
    report_paint(out, colour, REPORT_BOLD, line);
    tacho_str_printf(out, " ± %s %%, %s\n", tacho_format_number(percent, 100 * r->uncertainty, 2),
                     r->mode == TACHO_MODE_LOOP ? "in a loop" : "unrolled");
    if (r->status != TACHO_MEASURED_OK) {
        report_label(out, colour, "status");
        tacho_str_printf(out, "%s: ", tacho_measure_status_name(r->status));
        report_wrapped(out, r->message, VALUE_AT);
    }
}

static void how(tacho_str *out, const report_measured *m, bool colour)
{
    char ratio[TACHO_NUMBER_SIZE], line[400], words[REPORT_WORDS_SIZE];
    const tacho_measurement *r = m->result;
    report_label(out, colour, "clock");
    snprintf(line, sizeof line, "%s on CPU %d: %s", report_words(tacho_clock_name(r->clock), words),
             m->clock->cpu, m->clock->promise);
    report_wrapped(out, line, VALUE_AT);
    if (!r->passes)
        return;
    report_label(out, colour, "samples");
    tacho_str_printf(out, "%u pass%s of a process each, %u of %u samples undisturbed\n", r->passes,
                     r->passes == 1 ? "" : "es", r->accepted, r->samples);
    report_label(out, colour, "runs");
    tacho_str_printf(out, "the difference of %llu and %llu iterations", (unsigned long long)r->repetitions[0],
                     (unsigned long long)r->repetitions[1]);
    if (r->clock == TACHO_CLOCK_TSC_CALIBRATED)
        tacho_str_printf(out, "; %s core cycles a tick", tacho_format_number(ratio, r->core_clock, DECIMALS));
    tacho_str_puts(out, "\n");
    if (r->pages) {
        report_label(out, colour, "memory");
        tacho_str_printf(out, "%u page%s touched\n", r->pages, r->pages == 1 ? "" : "s");
    }
}

static void prediction(tacho_str *out, const report_measured *m, bool colour)
{
    char cycles[TACHO_NUMBER_SIZE];
    if (!m->arch)
        return;
    report_label(out, colour, "predicted");
    if (isnan(m->predicted))
        tacho_str_printf(out, "nothing for %s: %s\n", m->arch,
                         m->prediction_error ? m->prediction_error : "");
    else {
        tacho_str_printf(out, "%s%s for %s", m->predicted_at_least ? "at least " : "",
                         report_number(cycles, m->predicted), m->arch);
        double error = report_prediction_error(m);
        if (fabs(error) < 0.0005)
            tacho_str_puts(out, ": what was measured, to 0.1 %");
        else if (!isnan(error))
            tacho_str_printf(out, ": %.1f %% %s than measured", 100 * fabs(error),
                             error < 0 ? "less" : "more");
        tacho_str_puts(out, m->predicted_at_least ? "; some instructions have no figures\n" : "\n");
    }
}

static void events(tacho_str *out, const tacho_measurement *r, bool colour)
{
    char count[TACHO_NUMBER_SIZE];
    for (uint32_t i = 0; i < r->event_count; i++) {
        report_label(out, colour, i ? "" : "events");
        tacho_str_printf(out, "%s %s an iteration\n", report_number(count, r->events[i].per_iteration),
                         r->events[i].name);
    }
}

void report_measure_text(tacho_str *out, const report_measured *m, bool colour)
{
    const tacho_measurement *r = m->result;
    char line[320];
    tacho_str name = {0};
    report_put_plain(&name, m->input);
    report_paint(out, colour, REPORT_BOLD, name.data && !name.failed ? name.data : "");
    tacho_str_free(&name);
    if (m->region) {
        tacho_str_puts(out, " (");
        report_put_plain(out, m->region);
        tacho_str_putc(out, ')');
    }
    tacho_str_printf(out, ": %zu byte%s\n\n", m->code_size, tacho_plural(m->code_size));
    throughput(out, r, colour);
    prediction(out, m, colour);
    how(out, m, colour);
    events(out, r, colour);
    bool first = true;
    for (uint32_t i = 0; i < TACHO_MEASURE_NOTE_COUNT; i++) {
        if (!(r->notes >> i & 1))
            continue;
        report_label(out, colour, first ? "notes" : "");
        snprintf(line, sizeof line, "%s: %s", tacho_measure_note_name(1u << i),
                 tacho_measure_note_text(1u << i));
        report_wrapped(out, line, VALUE_AT);
        first = false;
    }
}

/* ---- JSON ---- */

static json_t *real_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *notes_json(uint32_t notes)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < TACHO_MEASURE_NOTE_COUNT; i++)
        if (notes >> i & 1)
            json_array_append_new(list, json_string(tacho_measure_note_name(1u << i)));
    return list;
}

static json_t *events_json(const tacho_measurement *r)
{
    json_t *object = json_object();
    for (uint32_t i = 0; i < r->event_count; i++)
        json_object_set_new(object, r->events[i].name, real_or_null(r->events[i].per_iteration));
    return object;
}

static json_t *hex_json(const report_measured *m)
{
    tacho_str hex = {0};
    for (size_t i = 0; i < m->code_size; i++)
        tacho_str_printf(&hex, "%02x", m->code[i]);
    json_t *j = json_string(hex.data ? hex.data : "");
    tacho_str_free(&hex);
    return j;
}

static json_t *clock_json(const report_measured *m)
{
    const tacho_measure_clock *c = m->clock;
    return json_pack("{s:i, s:f, s:i, s:o, s:o, s:s, s:s?}", "cpu", c->cpu, "tsc_hz", c->tsc_hz,
                     "tsc_step_ticks", (int)c->granularity, "core_cycles_per_tick",
                     real_or_null(m->result->core_clock), "multiplier",
                     c->multiplier ? json_integer(c->multiplier) : json_null(), "promise", c->promise,
                     "no_counters", *c->counters ? c->counters : NULL);
}

json_t *report_measure_json(const report_measured *m)
{
    const tacho_measurement *r = m->result;
    json_t *j = json_pack(
        "{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:s, s:s, s:o, s:o, s:o}", "schema", "tacho-measure-1",
        "input", report_json_string(m->input), "region", report_json_string(m->region), "hex", hex_json(m),
        "cycles", real_or_null(r->cycles), "uncertainty", real_or_null(r->uncertainty), "low",
        real_or_null(r->low), "high", real_or_null(r->high), "status", tacho_measure_status_name(r->status),
        "clock", tacho_clock_name(r->clock), "mode", tacho_mode_name(r->mode), "notes", notes_json(r->notes),
        "message", report_json_string(*r->message ? r->message : NULL), "offset",
        r->offset >= 0 ? json_integer(r->offset) : json_null());
    json_t *more = json_pack("{s:i, s:i, s:i, s:i, s:[I,I], s:o, s:o}", "passes", (int)r->passes, "samples",
                             (int)r->samples, "accepted", (int)r->accepted, "pages", (int)r->pages,
                             "iterations", (json_int_t)r->repetitions[0], (json_int_t)r->repetitions[1],
                             "events", events_json(r), "clock_details", clock_json(m));
    if (m->arch)
        json_object_set_new(more, "prediction",
                            json_pack("{s:s, s:o, s:o, s:o, s:o}", "arch", m->arch, "cycles",
                                      real_or_null(m->predicted), "lower_bound",
                                      isnan(m->predicted) ? json_null() : json_boolean(m->predicted_at_least),
                                      "relative_error", real_or_null(report_prediction_error(m)), "error",
                                      report_json_string(m->prediction_error)));
    json_object_update(j, more);
    json_decref(more);
    return j;
}

/* ---- CSV ---- */

void report_measure_csv_header(tacho_str *out, bool predicted)
{
    tacho_str_puts(out, "hex,cycles,uncertainty,status,clock,notes,error");
    tacho_str_puts(out, predicted ? ",mode,arch,predicted,prediction_error,lower_bound\n" : ",mode\n");
}

static void put_number(tacho_str *out, double value, int decimals)
{
    char number[TACHO_NUMBER_SIZE];
    tacho_str_putc(out, ',');
    tacho_str_puts(out, tacho_format_number(number, value, decimals));
}

void report_measure_csv_row(tacho_str *out, const char *hex, size_t hex_length, const report_measured *m)
{
    const tacho_measurement *r = m->result;
    tacho_csv_put(out, hex, hex_length);
    put_number(out, r->cycles, DECIMALS);
    put_number(out, r->uncertainty, 5);
    tacho_str_printf(out, ",%s,%s,", tacho_measure_status_name(r->status), tacho_clock_name(r->clock));
    for (uint32_t i = 0, some = 0; i < TACHO_MEASURE_NOTE_COUNT; i++)
        if (r->notes >> i & 1)
            tacho_str_printf(out, "%s%s", some++ ? ";" : "", tacho_measure_note_name(1u << i));
    tacho_str_putc(out, ',');
    if (!report_has_cycles(r))
        tacho_csv_put(out, r->message, strlen(r->message));
    tacho_str_printf(out, ",%s", tacho_mode_name(r->mode));
    if (m->arch) {
        tacho_str_printf(out, ",%s", m->arch);
        put_number(out, m->predicted, DECIMALS);
        put_number(out, report_prediction_error(m), 5);
        tacho_str_printf(out, ",%s", isnan(m->predicted) ? "" : m->predicted_at_least ? "true" : "false");
    }
    tacho_str_putc(out, '\n');
}
