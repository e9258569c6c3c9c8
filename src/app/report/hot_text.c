/* hot_text.c - hot places for people: how samples were taken, a table of all places, then the hottest ones
 * with their instructions, samples beside predicted ports, under their source lines. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/report/grid.h"
#include "app/report/report_hot.h"
#include "x86/arch/port_digits.h"

enum {
    SHOWN_OBJECTS = 8,
    SHOWN_FUNCTIONS = 8,
    NAME_COLUMNS = 34
};

static void lines_of(const tacho_loop *l, char *out, size_t size)
{
    if (!l->source_file)
        snprintf(out, size, "0x%" PRIx64 "-0x%" PRIx64, l->start, l->end);
    else if (l->source_last > l->source_first)
        snprintf(out, size, "%.60s:%u-%u", tacho_base_name(l->source_file), l->source_first, l->source_last);
    else
        snprintf(out, size, "%.60s:%u", tacho_base_name(l->source_file), l->source_first);
}

/* ---- the head ---- */

static void subject_text(tacho_str *out, const report_hot *h)
{
    if (h->file) {
        report_put_plain(out, h->file);
    } else if (h->pid) {
        tacho_str_printf(out, "process %ld", h->pid);
    } else {
        for (char *const *arg = h->command; *arg; arg++) {
            tacho_str_puts(out, arg == h->command ? "" : " ");
            report_put_plain(out, *arg);
        }
    }
}

static void sampling_text(tacho_str *out, const tacho_hot_profile *p, bool colour)
{
    report_label(out, colour, "samples");
    tacho_str_printf(out, "%" PRIu64 " by %s", p->samples, p->event);
    if (isfinite(p->hz))
        tacho_str_printf(out, ", %.0f a second of processor time", p->hz);
    tacho_str_printf(out, "; %" PRIu64 " lost", p->lost);
    if (p->throttled)
        tacho_str_printf(out, "; held back by the kernel %" PRIu64 " time%s", p->throttled,
                         tacho_plural(p->throttled));
    if (p->kernel)
        tacho_str_printf(out, "; %" PRIu64 " more in the kernel", p->kernel);
    tacho_str_putc(out, '\n');
    if (*p->missing) {
        report_label(out, colour, "");
        tacho_str_puts(out, "not better because: ");
        report_wrapped(out, p->missing, 33);
    }
    if (*p->skid) {
        report_label(out, colour, "");
        report_wrapped(out, p->skid, 13);
    }
}

static void run_text(tacho_str *out, const tacho_hot_profile *p, bool colour)
{
    report_label(out, colour, "run");
    tacho_str_printf(out, "%" PRIu64 " process%s, %" PRIu64 " further thread%s", p->process_count,
                     p->process_count == 1 ? "" : "es", p->thread_count, p->thread_count == 1 ? "" : "s");
    if (isfinite(p->seconds))
        tacho_str_printf(out, "; %.2f s", p->seconds);
    if (isfinite(p->user_seconds))
        tacho_str_printf(out, ", of a processor %.2f s in the program and %.2f s in the kernel",
                         p->user_seconds, p->system_seconds);
    tacho_str_putc(out, '\n');
}

static void windows_text(tacho_str *out, const tacho_hot_profile *p, bool colour)
{
    if (!p->windows)
        return;
    report_label(out, colour, "windows");
    if (p->window_count)
        tacho_str_printf(
            out, "%" PRIu64 ", of %" PRIu64 " instructions in all, executed one by one; %.2f %% of the run\n",
            p->window_count, p->window_insns, 100 * p->window_seconds / p->seconds);
    else
        tacho_str_printf(out, "none: %s\n",
                         *p->no_windows ? p->no_windows : "the run is too short for one, or seldom executes");
}

static void objects_text(tacho_str *out, const tacho_hot_profile *p, bool colour)
{
    for (size_t i = 0; i < p->object_count && i < SHOWN_OBJECTS; i++) {
        const tacho_hot_object *o = &p->objects[i];
        report_label(out, colour, i ? "" : "code");
        tacho_str_printf(out, "%5.1f %%  ", 100 * o->weight / p->weight);
        report_put_plain(out, o->path);
        if (o->process && p->process_count > 1)
            tacho_str_printf(out, " of process %" PRIu64, o->process);
        tacho_str_printf(out, "%s\n",
                         o->dump                               ? " (made at run time; from its jitdump file)"
                         : o->kind == TACHO_HOT_OBJECT_MEMORY  ? " (made at run time; not analysed)"
                         : o->kind == TACHO_HOT_OBJECT_UNKNOWN ? " (nothing is known of these addresses)"
                                                               : "");
    }
    if (p->object_count > SHOWN_OBJECTS) {
        report_label(out, colour, "");
        tacho_str_printf(out, "and %zu more\n", p->object_count - SHOWN_OBJECTS);
    }
}

static void functions_text(tacho_str *out, const tacho_hot *hot, bool colour)
{
    for (size_t i = 0; i < hot->function_count && i < SHOWN_FUNCTIONS; i++) {
        const tacho_hot_function *f = &hot->functions[i];
        report_label(out, colour, i ? "" : "functions");
        tacho_str_printf(out, "%5.1f %%  ", 100 * f->share);
        if (f->name)
            report_put_plain(out, f->name);
        else
            tacho_str_printf(out, "0x%" PRIx64, f->start);
        tacho_str_puts(out, "  ");
        report_put_plain(out, f->object->name);
        tacho_str_putc(out, '\n');
    }
    if (hot->function_count > SHOWN_FUNCTIONS) {
        report_label(out, colour, "");
        tacho_str_printf(out, "and %zu more\n", hot->function_count - SHOWN_FUNCTIONS);
    }
}

void report_hot_head(tacho_str *out, const report_hot *h, bool colour)
{
    tacho_str title = {0};
    subject_text(&title, h);
    report_paint(out, colour, REPORT_BOLD, title.failed ? "" : title.data);
    tacho_str_free(&title);
    tacho_str_puts(out, "\n\n");
    sampling_text(out, h->profile, colour);
    run_text(out, h->profile, colour);
    windows_text(out, h->profile, colour);
    objects_text(out, h->profile, colour);
    functions_text(out, h->hot, colour);
    if (!h->hot->count)
        return;
    tacho_str_printf(
        out,
        "\nInnermost loops, and basic blocks outside of them; cycles per iteration (execution) are "
        "predicted for %s\n\n",
        h->arch->name);
    char line[200];
    snprintf(line, sizeof line, "   #  share %%       95 %%    samples   cycles observed        %-*s  %s",
             NAME_COLUMNS, "place", "source, limit");
    report_paint(out, colour, REPORT_DIM, line);
    tacho_str_putc(out, '\n');
}

/* ---- the table ---- */

static void number_cell(tacho_str *out, double value, int width)
{
    char text[TACHO_NUMBER_SIZE];
    tacho_str_printf(out, " %*s", width, report_number(text, value));
}

void report_hot_row(tacho_str *out, const report_hot *h, const report_hot_place *p)
{
    const tacho_hot_place *place = p->place;
    const tacho_prediction *prediction = p->subject.prediction;
    char name[200], interval[32], lines[100], limits[160], missing[200], cycles[REPORT_RESULT_SIZE];
    report_hot_name(place->loop, name, sizeof name);
    lines_of(place->loop, lines, sizeof lines);
    snprintf(interval, sizeof interval, "%.1f-%.1f", 100 * place->share_low, 100 * place->share_high);
    tacho_str_printf(out, "%4zu %8.2f %10s %10" PRIu64, p->number, 100 * place->share, interval,
                     place->samples);
    tacho_str_printf(out, " %8s", report_prediction_cell(cycles, prediction));
    number_cell(out, place->observed_cycles, 8);
    size_t columns = tacho_str_columns(name);
    bool cut = columns > NAME_COLUMNS;
    if (cut)
        snprintf(name + NAME_COLUMNS - 2, sizeof name - (NAME_COLUMNS - 2), "..");
    tacho_str_printf(out, " %-6s ", place->is_loop ? "loop" : "block");
    report_put_plain(out, name);
    for (size_t i = cut ? NAME_COLUMNS : columns; i < NAME_COLUMNS; i++)
        tacho_str_putc(out, ' ');
    tacho_str_puts(out, "  ");
    report_put_plain(out, place->object->name);
    if (place->loop->source_file)
        tacho_str_printf(out, " %s", lines);
    if (prediction && *report_limit(prediction, "limit: ", limits, sizeof limits))
        tacho_str_printf(out, ", %s", limits);
    if (prediction && *report_missing(prediction, missing, sizeof missing))
        tacho_str_printf(out, ", %s", missing);
    if (p->subject.error)
        tacho_str_puts(out, ", not predicted");
    tacho_str_putc(out, '\n');
}

static void put_warning(tacho_str *out, const char *text)
{
    tacho_str_puts(out, "warning: ");
    report_put_plain(out, text);
    tacho_str_putc(out, '\n');
}

void report_hot_foot(tacho_str *out, const report_hot *h, bool colour)
{
    const tacho_hot *hot = h->hot;
    double rest = 1 - hot->covered - hot->elsewhere;
    if (!h->profile->samples)
        return;
    tacho_str_printf(out, "\n%.1f %% of the samples are in these places", 100 * hot->covered);
    if (hot->elsewhere > 0)
        tacho_str_printf(out, ", %.1f %% in code that is not analysed", 100 * hot->elsewhere);
    tacho_str_printf(out, ", %.1f %% in smaller ones\n", 100 * (rest > 0 ? rest : 0));
    for (size_t i = 0; i < h->profile->warning_count; i++)
        put_warning(out, h->profile->warnings[i]);
    for (size_t i = 0; i < hot->warning_count; i++)
        put_warning(out, hot->warnings[i]);
}

/* ---- one place ---- */

static void title(tacho_str *out, const report_hot_place *p, bool colour)
{
    char name[200], text[320];
    const tacho_hot_place *place = p->place;
    snprintf(text, sizeof text, "[%zu] %s %s in %s: %.1f %% of the samples", p->number,
             place->is_loop ? "loop" : "block", report_hot_name(place->loop, name, sizeof name),
             place->object->name, 100 * place->share);
    report_paint(out, colour, REPORT_BOLD, text);
    tacho_str_printf(out, " (%.1f to %.1f; %" PRIu64 " sample%s)\n", 100 * place->share_low,
                     100 * place->share_high, place->samples, tacho_plural(place->samples));
}

static void place_text(tacho_str *out, const tacho_hot_place *place, bool colour)
{
    const tacho_loop *l = place->loop;
    char lines[100];
    report_label(out, colour, "at");
    tacho_str_printf(out, "0x%" PRIx64 "-0x%" PRIx64 " in ", l->start, l->end);
    report_put_plain(out, l->section);
    tacho_str_puts(out, " of ");
    report_put_plain(out, place->object->path);
    if (place->is_loop)
        tacho_str_printf(out, "; %zu block%s%s", l->block_count, l->block_count == 1 ? "" : "s",
                         place->has_inner ? ", around other loops that the path does not enter" : "");
    tacho_str_putc(out, '\n');
    if (l->source_file) {
        lines_of(l, lines, sizeof lines);
        report_label(out, colour, "source");
        tacho_str_printf(out, "%s (", lines);
        report_put_plain(out, l->source_file);
        tacho_str_puts(out, ")\n");
    }
    if (l->block_count > 1 && l->path_count)
        report_loop_path_text(out, l, colour);
}

static void observed_text(tacho_str *out, const report_hot *h, const report_hot_place *p, bool colour)
{
    const tacho_hot_place *place = p->place;
    char number[TACHO_NUMBER_SIZE], gap[TACHO_NUMBER_SIZE], low[TACHO_NUMBER_SIZE], high[TACHO_NUMBER_SIZE];
    char words[400];
    if (isfinite(place->executions)) {
        report_label(out, colour, "executed");
        tacho_str_printf(out, "%.0f %ss, counted in another run\n", place->executions,
                         report_hot_round(place));
    }
    if (!isfinite(place->observed_cycles))
        return;
    report_label(out, colour, "observed");
    tacho_str_printf(out, "%s cycles per %s (%s)", report_number(number, place->observed_cycles),
                     report_hot_round(place), report_hot_observed_by(place));
    if (isfinite(place->observed_low))
        tacho_str_printf(out, ", %s to %s", report_number(low, place->observed_low),
                         report_number(high, place->observed_high));
    if (isfinite(report_hot_gap(p)))
        tacho_str_printf(out, ": %s times the prediction", report_number(gap, report_hot_gap(p)));
    tacho_str_putc(out, '\n');
    if (*report_hot_gap_words(h, p, words, sizeof words)) {
        report_label(out, colour, "");
        report_wrapped(out, words, 13);
    }
}

static void predicted_text(tacho_str *out, const report_hot *h, const report_hot_place *p, bool colour)
{
    const tacho_prediction *prediction = p->subject.prediction;
    char cycles[REPORT_RESULT_SIZE], exact[48], missing[200];
    if (!prediction) {
        report_label(out, colour, "not predicted");
        tacho_str_printf(out, ": %s\n", p->subject.error);
        return;
    }
    report_label(out, colour, "predicted");
    tacho_str_printf(out, "%s cycle%s per %s for %s", report_prediction_cycles(cycles, prediction),
                     prediction->cycles == 1 ? "" : "s", report_hot_round(p->place), h->arch->name);
    if (prediction->cycles_den > 1 && !prediction->unknown_count)
        tacho_str_printf(out, " (exactly %s)", report_exact(prediction, exact));
    if (*report_missing(prediction, missing, sizeof missing))
        tacho_str_printf(out, ": %s", missing);
    tacho_str_puts(out, p->place->is_loop ? "\n" : ", as if control went from its end back to its start\n");
    report_missing_names(out, colour, prediction);
    report_bottleneck_text(out, colour, prediction);
    report_compared_text(out, colour, prediction->arch);
}

/* ---- instructions ---- */

typedef struct columns {
    unsigned ports;
    bool latency;
    size_t notes;
} columns;

static columns columns_for(const report_hot *h, const tacho_prediction *p)
{
    columns c = {.ports = p ? h->arch->ports : 0, .notes = 5};
    for (size_t i = 0; p && i < p->instruction_count; i++) {
        size_t n = 0;
        for (size_t k = 0; k < report_note_count; k++)
            n += (p->instructions[i].notes & report_notes[k].bit) != 0;
        c.notes = n > c.notes ? n : c.notes;
        c.latency |= p->instructions[i].critical_latency > 0;
    }
    return c;
}

static void amount(tacho_str *out, double value, int width)
{
    char text[TACHO_NUMBER_SIZE] = "";
    if (isfinite(value) && value >= 0.005)
        report_number(text, value);
    tacho_str_printf(out, " %*s", width, text);
}

typedef struct annotating {
    tacho_str *out;
    const report_hot *h;
    const tacho_prediction *prediction;
    columns columns;
    const tacho_hot_insn *last; /* with a source line */
    bool colour;
} annotating;

static void insn_text(const annotating *a, const tacho_hot_insn *insn)
{
    tacho_str *out = a->out;
    const tacho_prediction *p = a->prediction;
    const columns *c = &a->columns;
    const tacho_insn_report *r = p && insn->on_path >= 0 && (size_t)insn->on_path < p->instruction_count
                                     ? &p->instructions[insn->on_path]
                                     : NULL;
    char text[200] = "(bad)", notes[40] = "";
    size_t n = 0;
    tacho_insn decoded;
    if (!tacho_decode(&decoded, insn->bytes, insn->length, NULL))
        tacho_insn_write(&decoded, a->h->syntax, insn->address, TACHO_TARGETS_ABSOLUTE, text, sizeof text);
    for (size_t k = 0; r && k < report_note_count; k++)
        if (r->notes & report_notes[k].bit)
            notes[n++] = report_notes[k].letter;
    notes[n] = '\0';
    amount(out, 100 * insn->share, 6);
    tacho_str_printf(out, " %7" PRIu64, insn->samples);
    for (unsigned port = 0; port < c->ports; port++)
        amount(out, r ? r->ports[port] : NAN, 4);
    if (c->latency)
        amount(out, r ? r->critical_latency : NAN, 4);
    tacho_str_printf(out, "  %-*s %8" PRIx64 "  %s%s\n", (int)c->notes, notes, insn->address,
                     r || !p ? "" : "| ", text);
}

static void source_text(tacho_str *out, const report_hot *h, const tacho_hot_insn *insn, bool colour)
{
    const char *text;
    tacho_str line = {0};
    size_t length = source_line(h->sources, insn->source_file, insn->source_line, &text);
    tacho_str_printf(&line, "  %s:%u", tacho_base_name(insn->source_file), insn->source_line);
    if (length)
        tacho_str_printf(&line, "  %.*s", (int)length, text);
    report_paint(out, colour, REPORT_DIM, line.failed ? "" : line.data);
    tacho_str_putc(out, '\n');
    tacho_str_free(&line);
}

static void notes_text(tacho_str *out, const tacho_prediction *p)
{
    uint32_t seen = 0;
    for (size_t i = 0; p && i < p->instruction_count; i++)
        seen |= p->instructions[i].notes;
    for (size_t k = 0; k < report_note_count; k++)
        if (seen & report_notes[k].bit)
            report_note_text(out, &report_notes[k]);
}

/* The instructions of a block: [*first, returned). */
static size_t block_end(const tacho_hot_place *place, const tacho_loop_block *b, size_t first)
{
    while (first < place->insn_count && place->insns[first].address < b->end)
        first++;
    return first;
}

/* What control was never seen in, and what is not predicted, is left out. */
static bool is_shown(const tacho_hot_place *place, const tacho_loop_block *b, size_t first, size_t end)
{
    uint64_t samples = 0;
    for (size_t i = first; i < end; i++)
        samples += place->insns[i].samples;
    return samples || b->on_path;
}

static void block_text(annotating *a, const tacho_hot_place *place, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        const tacho_hot_insn *insn = &place->insns[i];
        bool new_line = insn->source_file && (!a->last || a->last->source_line != insn->source_line ||
                                              a->last->source_file != insn->source_file);
        if (new_line)
            source_text(a->out, a->h, insn, a->colour);
        insn_text(a, insn);
        a->last = insn->source_file ? insn : a->last;
    }
}

static void annotation_head(const annotating *a)
{
    const columns *c = &a->columns;
    tacho_str head = {0};
    tacho_str_printf(a->out, "\nInstructions: share of the place's samples%s\n",
                     c->ports ? ", and the µops predicted on each port" : "");
    tacho_str_puts(&head, "      % samples");
    for (unsigned port = 0; port < c->ports; port++)
        tacho_str_printf(&head, "   p%c", port_digit(port));
    tacho_str_printf(&head, "%s  %-*s  address  instruction", c->latency ? " crit" : "", (int)c->notes,
                     "notes");
    report_paint(a->out, a->colour, REPORT_DIM, head.failed ? "" : head.data);
    tacho_str_putc(a->out, '\n');
    tacho_str_free(&head);
}

static void annotate(tacho_str *out, const report_hot *h, const report_hot_place *p, bool colour)
{
    const tacho_hot_place *place = p->place;
    annotating a = {out, h, p->subject.prediction, columns_for(h, p->subject.prediction), NULL, colour};
    size_t at = 0, left_out = 0;
    annotation_head(&a);
    for (size_t b = 0; b < place->loop->block_count; b++) {
        size_t end = block_end(place, &place->loop->blocks[b], at);
        if (is_shown(place, &place->loop->blocks[b], at, end))
            block_text(&a, place, at, end);
        else
            left_out += end - at;
        at = end;
    }
    if (left_out)
        tacho_str_printf(out, "  ...  %zu instruction%s in blocks without samples left out\n", left_out,
                         tacho_plural(left_out));
    if (a.prediction && a.prediction->instruction_count + left_out < place->insn_count)
        tacho_str_puts(out, "  |    not on the path that is predicted\n");
    notes_text(out, a.prediction);
}

void report_hot_text(tacho_str *out, const report_hot *h, const report_hot_place *p, bool colour)
{
    const report_subject *s = &p->subject;
    title(out, p, colour);
    place_text(out, p->place, colour);
    predicted_text(out, h, p, colour);
    observed_text(out, h, p, colour);
    report_hot_causes_text(out, h, p, colour);
    if (s->prediction) {
        report_topdown_text(out, &s->prediction->topdown);
        report_help_text(out, s);
    }
    report_hot_remarks_text(out, h, p->place);
    annotate(out, h, p, colour);
    for (size_t i = 0; i < s->warning_count; i++)
        tacho_str_printf(out, "%swarning: %s\n", i ? "" : "\n", s->warnings[i]);
    for (size_t i = 0; s->prediction && i < s->prediction->warning_count; i++)
        tacho_str_printf(out, "%swarning: %s\n", i || s->warning_count ? "" : "\n",
                         s->prediction->warnings[i]);
}
