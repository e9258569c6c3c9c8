/* report_doctor.c - the doctor's findings: the verdict first, then group by group what was found; beneath
 * what is not good, why it matters and what to do. Lines stay within 100 columns. */
#include "app/report/measure/report_measure.h"

#include "app/report/report.h"

enum {
    STATE_COLUMNS = 12,
    TITLE_COLUMNS = 24,
    TITLE_AT = 2 + STATE_COLUMNS,
    VALUE_AT = TITLE_AT + TITLE_COLUMNS
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
    return state == TACHO_DOCTOR_GOOD         ? REPORT_GREEN
           : state == TACHO_DOCTOR_ACCEPTABLE ? REPORT_YELLOW
           : state == TACHO_DOCTOR_BAD        ? REPORT_RED
                                              : REPORT_DIM;
}

static void head(tacho_str *out, const tacho_doctor_report *r, bool colour)
{
    report_paintf(out, colour, REPORT_BOLD, "%s: CPU %d, %s", verdict_words[r->verdict], r->cpu,
                  r->processor);
    tacho_str_puts(out, "\n\n");
    report_line(out, colour, "clock", "%s", clock_words[r->clock]);
    for (size_t i = 0; i < r->reason_count; i++)
        report_line(out, colour,
                    i                                  ? ""
                    : r->verdict == TACHO_DOCTOR_UNFIT ? "unfit for"
                                                       : "care for",
                    "%s", r->reasons[i]);
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
}

/* ---- JSON ---- */

#define RECORD tacho_doctor_figure
static const report_field figures[] = {
    {MEMBER(value, "a number; shares are fractions")},
    {MEMBER(unit, "of it", .none = REPORT_ZERO)},
};
#undef RECORD

#define RECORD tacho_doctor_finding
static json_t *figures_json(const tacho_doctor_finding *f)
{
    json_t *o = json_object();
    for (size_t i = 0; i < f->figure_count; i++)
        json_object_set_new(o, f->figures[i].name, report_record_json(ROWS(figures), &f->figures[i], NULL));
    return o;
}

GETTER(figures_of, report_object(figures_json(r)))
static const report_field findings[] = {
    {MEMBER(id, "below")},
    {WORD("group", group, tacho_doctor_group_name,
          "`counters`, `clock`, `frequency`, `sharing`, `noise`, `memory`, `sandbox`")},
    {MEMBER(title, "a few words")},
    {WORD("state", state, tacho_doctor_state_name, "`good`, `acceptable`, `bad`, `unknown`")},
    {MEMBER(unfit, "alone makes the machine unfit")},
    {MEMBER(value, "what was found, for people")},
    {MEMBER(why, "why it matters for measuring")},
    {MEMBER(advice, NULL, .none = REPORT_NO_TEXT)},
    {MEMBER(command, "what to change, and how", .none = REPORT_NO_TEXT)},
    {MADE(OBJECT, "figures", figures_of, "by name; one that could not be had is missing",
          .table = ROWS(figures))},
};
#undef RECORD

#define RECORD tacho_doctor_report
GETTER(fit, report_bool(r->verdict != TACHO_DOCTOR_UNFIT))
static const report_field examination[] = {
    {SCHEMA("tacho-doctor-1")},
    {WORD("verdict", verdict, tacho_doctor_verdict_name,
          "`fit`, `fit_with_care` (something is bad), `unfit`")},
    {MADE(BOOL, "fit", fit, "false only for `unfit`, as the exit status")},
    {TEXTS("reasons", reasons, reason_count,
           "for `unfit` what makes it so, for `fit_with_care` what is bad")},
    {WORD("clock", clock, tacho_doctor_clock_name,
          "what a measurement would use: `perf`, `tsc-calibrated`, `tsc`")},
    MEMBERS2(processor, cpu, "its name; number of the CPU that was examined"),
    {MEMBER(seconds, "that the measuring took")},
    {RECORDS("findings", findings, finding_count, ROWS(findings), "always all, in this order")},
};
#undef RECORD
TABLE(report_doctor_table, examination, "tacho-doctor-1");
