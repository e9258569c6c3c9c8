/* said.c - sentences and legends below a report, and that several reports in one text do not repeat them. */
#include <stdio.h>
#include <string.h>

#include "app/report/grid.h"
#include "app/report/units.h"

/* Whether the text was not said before; now it is. NULL: it never was. */
static bool report_said_now(report_said *said, const char *text)
{
    if (!said)
        return true;
    for (size_t at = 0; at < said->texts.length; at += strlen(said->texts.data + at) + 1)
        if (!strcmp(said->texts.data + at, text))
            return false;
    tacho_str_append(&said->texts, text, strlen(text) + 1);
    return true;
}

void report_said_free(report_said *said)
{
    tacho_str_free(&said->texts);
}

void report_warning_text(tacho_str *out, bool colour, const char *text)
{
    static const char label[] = "warning:";
    const size_t at = strlen(label) + 1;
    tacho_str plain = {0};
    report_put_plain(&plain, text);
    report_paint(out, colour, REPORT_YELLOW, label);
    tacho_str_putc(out, ' ');
    report_wrapped_text(out, &plain, at);
}

static void warn(tacho_str *out, const report_subject *s, bool colour, const char *text, size_t *count)
{
    tacho_str own = {0};
    report_own_words(&own, s->arch, text);
    if (!own.failed && report_said_now(s->said, own.data)) {
        tacho_str_puts(out, *count ? "" : "\n");
        report_warning_text(out, colour, own.data);
        ++*count;
    }
    out->failed |= own.failed;
    tacho_str_free(&own);
}

void report_warnings_text(tacho_str *out, const report_subject *s, bool colour)
{
    const tacho_prediction *p = s->prediction;
    size_t count = 0;
    char flow[300];
    for (size_t i = 0; i < s->warning_count; i++)
        warn(out, s, colour, s->warnings[i], &count);
    for (size_t i = 0; p && i < p->warning_count; i++)
        if (i != p->derived_warning)
            warn(out, s, colour, p->warnings[i], &count);
    if (p && *report_flow_warning(p, flow, sizeof flow))
        warn(out, s, colour, flow, &count);
}

void report_legend_line(tacho_str *out, report_said *said, const char *key, const char *text)
{
    char line[200];
    snprintf(line, sizeof line, "%-4s %s", key, text);
    if (!report_said_now(said, line))
        return;
    tacho_str_printf(out, "  %-4s ", key);
    report_wrapped(out, text, 7);
}

void report_notes_text(tacho_str *out, const report_subject *s)
{
    const tacho_prediction *p = s->prediction;
    uint32_t seen = 0, every = UINT32_MAX, shown = report_shown_notes(p);
    for (size_t i = 0; i < p->instruction_count; i++) {
        seen |= p->instructions[i]->notes;
        every &= p->instructions[i]->notes;
    }
    for (size_t k = 0; k < report_note_count; k++) {
        const report_note *note = &report_notes[k];
        char text[160];
        snprintf(text, sizeof text, "%s%s%s", note->words, note->more ? ": " : "",
                 note->more ? note->more : "");
        if (seen & shown & note->bit && note->bit != TACHO_NOTE_ESTIMATED)
            report_legend_line(out, s->said, (char[]){note->letter, '\0'}, text);
    }
    if (seen & ~shown & TACHO_NOTE_SAME_CORE)
        report_legend_line(out, s->said, "=",
                           every & TACHO_NOTE_SAME_CORE
                               ? "all figures measured on another product with the same core"
                               : "most figures measured on another product with the same core");
    if (s->said) {
        s->said->instructions += p->instruction_count;
        s->said->derived += p->derived_count;
        s->said->some |= (seen & shown & TACHO_NOTE_ESTIMATED) != 0;
    } else if (p->derived_warning < p->warning_count) {
        report_legend_line(out, NULL, "~", p->warnings[p->derived_warning]);
    }
}

void report_said_text(tacho_str *out, const report_said *said)
{
    if (said->derived)
        tacho_str_printf(out,
                         "\n%s%zu of the %zu instructions above have figures carried over or estimated\n",
                         said->some ? "~ " : "", said->derived, said->instructions);
}

void report_units_legend(tacho_str *out, const report_subject *s, uint32_t ports)
{
    report_unit units[TACHO_MAX_PORTS];
    tacho_str what = {0}, line = {0};
    report_units_text(&what, units, report_units(s->prediction->arch, units), ports);
    if (what.length && !what.failed && report_said_now(s->said, what.data)) {
        tacho_str_puts(&line, "  ");
        report_wrapped_text(&line, &what, 2);
        tacho_str_puts(out, line.failed ? "" : line.data);
    }
    tacho_str_free(&what);
    tacho_str_free(&line);
}
