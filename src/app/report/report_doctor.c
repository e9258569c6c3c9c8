/* report_doctor.c - the doctor's findings: the verdict first, then group by group what was found; beneath
 * what is not good, why it matters and what to do. Lines stay within 100 columns. */
#include "app/report/report_doctor.h"

#include <stdio.h>
#include <string.h>

#include "app/report/report.h"

#define RED    "\033[31m"
#define GREEN  "\033[32m"
#define YELLOW "\033[33m"

enum {
    STATE_COLUMNS = 12,
    TITLE_COLUMNS = 24,
    TITLE_AT = 2 + STATE_COLUMNS,
    VALUE_AT = TITLE_AT + TITLE_COLUMNS,
    REASON_AT = 13 /* behind a label */
};

static const char *const group_words[TACHO_DOCTOR_GROUP_COUNT] = {
    [TACHO_DOCTOR_COUNTERS] = "Performance counters",
    [TACHO_DOCTOR_CLOCK] = "Clocks",
    [TACHO_DOCTOR_FREQUENCY] = "Frequency",
    [TACHO_DOCTOR_SHARING] = "Who else uses the processor",
    [TACHO_DOCTOR_NOISE] = "What gets in the way",
    [TACHO_DOCTOR_MEMORY] = "Memory",
    [TACHO_DOCTOR_SANDBOX] = "Running unknown code safely",
};

static const char *const clock_words[TACHO_DOCTOR_CLOCK_COUNT] = {
    [TACHO_DOCTOR_CLOCK_PERF] = "perf: core cycles from performance counters",
    [TACHO_DOCTOR_CLOCK_TSC_CALIBRATED] =
        "tsc-calibrated: the time stamp counter, with chains of known latency beside each sample",
    [TACHO_DOCTOR_CLOCK_TSC] = "tsc: the time stamp counter alone, which does not give core cycles",
};

static const char *const verdict_words[TACHO_DOCTOR_VERDICT_COUNT] = {
    [TACHO_DOCTOR_FIT] = "Fit for measuring",
    [TACHO_DOCTOR_FIT_WITH_CARE] = "Fit for measuring, with care",
    [TACHO_DOCTOR_UNFIT] = "Unfit for measuring",
};

static const char *state_style(tacho_doctor_state state)
{
    return state == TACHO_DOCTOR_GOOD         ? GREEN
           : state == TACHO_DOCTOR_ACCEPTABLE ? YELLOW
           : state == TACHO_DOCTOR_BAD        ? RED
                                              : REPORT_DIM;
}

static void head(tacho_str *out, const tacho_doctor_report *r, bool colour)
{
    char line[200];
    snprintf(line, sizeof line, "%s: CPU %d, %s", verdict_words[r->verdict], r->cpu, r->processor);
    report_paint(out, colour, REPORT_BOLD, line);
    tacho_str_puts(out, "\n\n");
    report_label(out, colour, "clock");
    report_wrapped(out, clock_words[r->clock], REASON_AT);
    for (size_t i = 0; i < r->reason_count; i++) {
        report_label(out, colour, i ? "" : r->verdict == TACHO_DOCTOR_UNFIT ? "unfit for" : "care for");
        report_wrapped(out, r->reasons[i], REASON_AT);
    }
}

static void padded(tacho_str *out, const char *text, int columns)
{
    int width = columns - (int)tacho_str_columns(text);
    tacho_str_printf(out, "%s%*s", text, width > 0 ? width : 1, "");
}

static void finding(tacho_str *out, const tacho_doctor_finding *f, bool colour)
{
    char state[STATE_COLUMNS + 1];
    snprintf(state, sizeof state, "%-*s", STATE_COLUMNS,
             f->unfit ? "unfit" : tacho_doctor_state_name(f->state));
    tacho_str_puts(out, "  ");
    report_paint(out, colour, state_style(f->state), state);
    padded(out, f->title, TITLE_COLUMNS);
    report_wrapped(out, f->value, VALUE_AT);
    if (!f->advice)
        return;
    tacho_str_printf(out, "%*s", TITLE_AT, "");
    report_wrapped(out, f->why, TITLE_AT);
    tacho_str_printf(out, "%*s-> ", TITLE_AT, "");
    report_wrapped(out, f->advice, TITLE_AT + 3);
    if (f->command)
        tacho_str_printf(out, "%*s   $ %s\n", TITLE_AT, "", f->command);
}

void report_doctor_text(tacho_str *out, const tacho_doctor_report *r, bool colour)
{
    head(out, r, colour);
    for (size_t i = 0; i < r->finding_count; i++) {
        const tacho_doctor_finding *f = &r->findings[i];
        if (!i || f->group != r->findings[i - 1].group) {
            tacho_str_putc(out, '\n');
            report_paint(out, colour, REPORT_BOLD, group_words[f->group]);
            tacho_str_putc(out, '\n');
        }
        finding(out, f, colour);
    }
    if (r->quick)
        tacho_str_puts(
            out, "\nWithout --quick, drift of the clock and disturbances are measured too (1 second).\n");
}

static json_t *finding_json(const tacho_doctor_finding *f)
{
    json_t *figures = json_object();
    for (size_t i = 0; i < f->figure_count; i++)
        json_object_set_new(figures, f->figures[i].name,
                            json_pack("{s:f, s:s?}", "value", f->figures[i].value, "unit",
                                      *f->figures[i].unit ? f->figures[i].unit : NULL));
    return json_pack("{s:s, s:s, s:s, s:s, s:b, s:o, s:s, s:s?, s:s?, s:o}", "id", f->id, "group",
                     tacho_doctor_group_name(f->group), "title", f->title, "state",
                     tacho_doctor_state_name(f->state), "unfit", f->unfit, "value",
                     report_json_string(f->value), "why", f->why, "advice", f->advice, "command", f->command,
                     "figures", figures);
}

json_t *report_doctor_json(const tacho_doctor_report *r)
{
    json_t *reasons = json_array(), *findings = json_array();
    for (size_t i = 0; i < r->reason_count; i++)
        json_array_append_new(reasons, report_json_string(r->reasons[i]));
    for (size_t i = 0; i < r->finding_count; i++)
        json_array_append_new(findings, finding_json(&r->findings[i]));
    return json_pack("{s:s, s:s, s:b, s:o, s:s, s:o, s:i, s:b, s:f, s:o}", "schema", "tacho-doctor-1",
                     "verdict", tacho_doctor_verdict_name(r->verdict), "fit",
                     r->verdict != TACHO_DOCTOR_UNFIT, "reasons", reasons, "clock",
                     tacho_doctor_clock_name(r->clock), "processor", report_json_string(r->processor), "cpu",
                     r->cpu, "quick", r->quick, "seconds", r->seconds, "findings", findings);
}
