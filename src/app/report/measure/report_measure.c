/* report_measure.c - measurements as text, JSON and CSV. */
#include "app/report/measure/report_measure.h"

#include "app/report/report.h"

enum {
    DECIMALS = 4
};

bool report_has_cycles(const tacho_measurement *m)
{
    return !isnan(m->cycles);
}

uint64_t report_measure_failed(tacho_str *out, const uint64_t by_status[REPORT_MEASURE_STATUSES])
{
    uint64_t count = 0;
    for (int i = TACHO_MEASURED_UNSTABLE + 1; i < REPORT_MEASURE_STATUSES; i++) {
        if (by_status[i])
            tacho_str_printf(out, "%s%llu %s", count ? ", " : "", (unsigned long long)by_status[i],
                             tacho_measure_status_name((tacho_measure_status)i));
        count += by_status[i];
    }
    return count;
}

/* (predicted - measured) / measured; NaN where one is missing. */
static double prediction_error(const report_measured *m)
{
    return m->arch && m->result->cycles > 0 ? (m->predicted - m->result->cycles) / m->result->cycles : NAN;
}

/* ---- text ---- */

static void throughput(tacho_str *out, const tacho_measurement *r, bool colour)
{
    char cycles[TACHO_NUMBER_SIZE], percent[TACHO_NUMBER_SIZE];
    report_label(out, colour, "measured");
    report_paintf(out, colour, REPORT_BOLD, "%s cycles per iteration", report_number(cycles, r->cycles));
    tacho_str_printf(out, " ± %s %%, %s\n", tacho_format_number(percent, 100 * r->uncertainty, 2),
                     r->mode == TACHO_MODE_LOOP ? "in a loop" : "unrolled");
    if (r->status != TACHO_MEASURED_OK)
        report_line(out, colour, "status", "%s: %s", tacho_measure_status_name(r->status), r->message);
}

static void how(tacho_str *out, const report_measured *m, bool colour)
{
    char ratio[TACHO_NUMBER_SIZE], words[REPORT_WORDS_SIZE];
    const tacho_measurement *r = m->result;
    tacho_str runs = {0};
    report_line(out, colour, "clock", "%s on CPU %d: %s", report_words(tacho_clock_name(r->clock), words),
                m->clock->cpu, m->clock->promise);
    if (!r->passes)
        return;
    report_line(out, colour, "samples", "%u pass%s of a process each, %u of %u samples undisturbed",
                r->passes, r->passes == 1 ? "" : "es", r->accepted, r->samples);
    tacho_str_printf(&runs, "the difference of %" PRIu64 " and %" PRIu64 " iterations", r->repetitions[0],
                     r->repetitions[1]);
    if (r->clock == TACHO_CLOCK_TSC_CALIBRATED)
        tacho_str_printf(&runs, "; %s core cycles a tick",
                         tacho_format_number(ratio, r->core_clock, DECIMALS));
    report_line_text(out, colour, "runs", &runs);
    if (r->pages)
        report_line(out, colour, "memory", "%u page%s touched", r->pages, tacho_plural(r->pages));
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
        double error = prediction_error(m);
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
    for (uint32_t i = 0; i < r->event_count; i++)
        report_line(out, colour, i ? "" : "events", "%s %s an iteration",
                    report_number(count, r->events[i].per_iteration), r->events[i].name);
}

void report_measure_text(tacho_str *out, const report_measured *m, bool colour)
{
    const tacho_measurement *r = m->result;
    report_paint(out, colour, REPORT_BOLD, m->input);
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
    for (uint32_t left = r->notes; left; left &= left - 1)
        report_line(out, colour, left == r->notes ? "notes" : "", "%s: %s",
                    tacho_measure_note_name(left & -left), tacho_measure_note_text(left & -left));
}

/* ---- JSON and CSV ---- */

#define root(at) ((const report_measured *)report_root(at))

#define RECORD tacho_measurement
LIST_OF(notes, TACHO_MEASURE_NOTE_COUNT, r->notes >> i & 1, json_string(tacho_measure_note_name(1u << i)))
LIST_OF(iterations, 2, true, json_integer((json_int_t)r->repetitions[i]))
OBJECT_OF(events_of, r->event_count, r->events[i].name, report_json_real(r->events[i].per_iteration))
GETTER(error_cell, report_text_value(report_has_cycles(r) ? NULL : r->message))
static const report_field measurement[] = {
    {MEMBER(cycles, "core cycles per iteration, null unless `status` is `ok` or `unstable`",
            .cell = DECIMALS)},
    {MEMBER(uncertainty, "relative: half the range of the passes that agree, at least their standard error",
            .cell = 5)},
    MEMBERS2(low, high, "lowest and highest pass that counted"),
    {WORD("status", status, tacho_measure_status_name,
          "`ok`, `unstable`, `unsupported`, `crashed`, `timeout`, `rejected`")},
    {WORD("clock", clock, tacho_clock_name, "`perf`, `tsc-calibrated`, `tsc`")},
    {WORD("mode", mode, tacho_mode_name, "`loop`, `unroll`")},
    {MADE(LIST, "notes", notes, "list of words, explained in `tacho-measure(1)`")},
    {MEMBER(message, NULL, .none = REPORT_ZERO)},
    {MEMBER(offset,
            "why there is no number, or why it is not stable; the instruction that it is about (byte offset)",
            .none = REPORT_BELOW_0)},
    MEMBERS3(passes, samples, accepted, "passes (processes); samples begun; those that were undisturbed"),
    {MEMBER(pages, "virtual pages that the block touched")},
    {MADE(LIST, "iterations", iterations, "of the short and of the long run")},
    {MADE(OBJECT, "events", events_of, "further events, per iteration")},
    {MADE_CELL(TEXT, "error", error_cell)},
};
#undef RECORD

#define RECORD tacho_measure_clock
GETTER(core_clock, report_real(root(at)->result->core_clock))
static const report_field clock_details[] = {
    {MEMBER(cpu, "its number")},
    {MEMBER(tsc_hz, NULL)},
    {NAMED("tsc_step_ticks", granularity, "of the time stamp counter, and the steps in which it moves")},
    {MADE(REAL, "core_cycles_per_tick", core_clock, "of it")},
    {MEMBER(multiplier, "of 100 MHz", .none = REPORT_ZERO)},
    {MEMBER(promise, "what these clocks can")},
    {NAMED("no_counters", counters, "why there are none", .none = REPORT_ZERO)},
};
#undef RECORD

#define RECORD report_measured
ONLY(is_predicted, r->arch)
ONLY(has_predicted, !isnan(r->predicted))
GETTER(relative_error, report_real(prediction_error(r)))
static const report_field predicted[] = {
    {MEMBER(arch, "microarchitecture")},
    {NAMED("cycles", predicted, "what is predicted")},
    {NAMED("lower_bound", predicted_at_least, "as in tacho-predict-1", .known = has_predicted)},
    {MADE(REAL, "relative_error", relative_error, "(predicted - measured) / measured")},
    {NAMED("error", prediction_error, "why there is no prediction", .none = REPORT_NO_TEXT)},
};

GETTER(code, report_hex(r->code, r->code_size))
static const report_field measured[] = {
    {SCHEMA("tacho-measure-1")},
    MEMBERS2(input, region, NULL, .none = REPORT_NO_TEXT),
    {MADE(HEX, "hex", code, "what was measured")},
    {PART_AT(result, ROWS(measurement))},
    {RECORD_AT("clock_details", clock, ROWS(clock_details), "of the machine")},
    {RECORD_BY("prediction", ROWS(predicted), "with `--also-predict`", .only = is_predicted)},
    {CELL("arch", arch)},
    {CELL("predicted", predicted), .cell = DECIMALS},
    {MADE_CELL(REAL, "prediction_error", relative_error), .cell = 5},
    {CELL("lower_bound", predicted_at_least), .known = has_predicted},
};
TABLE(report_measured_table, measured, "tacho-measure-1");

/* Of a batch: the code as it was given. */
typedef struct csv_row {
    const char *hex;
    size_t hex_length;
    const report_measured *measured;
} csv_row;
#undef RECORD

#define RECORD csv_row
GETTER(given_hex, report_text_n(r->hex, r->hex_length))
static const report_field row[] = {
    {MADE_CELL(TEXT, "hex", given_hex)},
    {PART_AT(measured, &report_measured_table)},
};
#undef RECORD
#define COLUMNS_OF_ALL "hex,cycles,uncertainty,status,clock,notes,error,mode"
const char report_measure_columns[] = COLUMNS_OF_ALL ",arch,predicted,prediction_error,lower_bound";

static const char *columns_of(bool is_with_prediction)
{
    return is_with_prediction ? report_measure_columns : COLUMNS_OF_ALL;
}

void report_measure_csv_header(tacho_str *out, bool with_prediction)
{
    report_record_head(out, columns_of(with_prediction), ROWS(row), NULL);
}

void report_measure_csv_row(tacho_str *out, const char *hex, size_t hex_length, const report_measured *m)
{
    report_record_row(out, columns_of(m->arch), ROWS(row), &(csv_row){hex, hex_length, m}, NULL);
}
