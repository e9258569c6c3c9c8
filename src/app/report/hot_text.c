/* hot_text.c - hot places for people: how samples were taken, a table of all places, then the hottest ones
 * with their instructions, samples beside predicted ports, under their source lines. */

#include "app/report/report_hot.h"

enum {
    SHOWN_OBJECTS = 8,
    SHOWN_FUNCTIONS = 8,
    NAME_COLUMNS = 27,
    SOURCE_COLUMNS = 18
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

static void sampling_text(tacho_str *out, const tacho_hot_profile *p, bool colour)
{
    tacho_str text = {0};
    tacho_str_printf(&text, "%" PRIu64 " by %s", p->samples, p->event);
    if (isfinite(p->hz))
        tacho_str_printf(&text, ", %.0f a second of processor time", p->hz);
    tacho_str_printf(&text, "; %" PRIu64 " lost", p->lost);
    if (p->throttled)
        tacho_str_printf(&text, "; held back by the kernel %" PRIu64 " time%s", p->throttled,
                         tacho_plural(p->throttled));
    if (p->kernel)
        tacho_str_printf(&text, "; %" PRIu64 " more in the kernel", p->kernel);
    report_line_text(out, colour, "samples", &text);
    if (*p->missing) {
        report_label(out, colour, "");
        tacho_str_puts(out, "not better because: ");
        report_wrapped(out, p->missing, 33);
    }
    if (*p->skid)
        report_line(out, colour, "", "%s", p->skid);
}

static void run_text(tacho_str *out, const tacho_hot_profile *p, bool colour)
{
    tacho_str text = {0};
    tacho_str_printf(&text, "%" PRIu64 " process%s, %" PRIu64 " further thread%s", p->process_count,
                     p->process_count == 1 ? "" : "es", p->thread_count, p->thread_count == 1 ? "" : "s");
    if (isfinite(p->seconds))
        tacho_str_printf(&text, "; %.2f s", p->seconds);
    if (isfinite(p->user_seconds))
        tacho_str_printf(&text, ", of a processor %.2f s in the program and %.2f s in the kernel",
                         p->user_seconds, p->system_seconds);
    report_line_text(out, colour, "run", &text);
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
    if (*p->no_watch)
        report_line(out, colour, "", "no line is watched until it is touched again: %s", p->no_watch);
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
    if (p->object_count > SHOWN_OBJECTS)
        report_line(out, colour, "", "and %zu more", p->object_count - SHOWN_OBJECTS);
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
    if (hot->function_count > SHOWN_FUNCTIONS)
        report_line(out, colour, "", "and %zu more", hot->function_count - SHOWN_FUNCTIONS);
}

void report_hot_head(tacho_str *out, const report_hot *h, const tacho_str *sharing, bool colour)
{
    tacho_str title = {0};
    report_hot_subject(&title, h);
    report_bold_text(out, colour, &title);
    tacho_str_putc(out, '\n');
    if (h->threads)
        report_threads_text(out, h->threads, sharing, colour);
    if (h->profile->causal)
        report_causal_text(out, h->profile->causal, colour);
    sampling_text(out, h->profile, colour);
    run_text(out, h->profile, colour);
    windows_text(out, h->profile, colour);
    objects_text(out, h->profile, colour);
    functions_text(out, h->hot, colour);
    if (!h->hot->count)
        return;
    tacho_str_printf(out,
                     "\nInnermost loops, and basic blocks outside of them; cycles per iteration (execution)\n"
                     "are predicted for %s\n",
                     h->arch->name);
    report_compared_text(out, colour, h->arch);
    tacho_str_putc(out, '\n');
}

/* ---- the table ---- */

void report_hot_places_start(code_table *t)
{
    code_table_start(t, "   #", "place", 7, 2);
    code_table_title(t, "%", 0);
    code_table_title(t, "95 %", 1);
    code_table_title(t, "samples", 2);
    code_table_title(t, "predicted", 0);
    code_table_title(t, "observed", 0);
    code_table_title(t, "source", 0);
    code_table_title(t, "limit as predicted", 0);
}

/* At most so many columns of ASCII text; in place. */
static void cut(char *text, size_t most)
{
    if (tacho_str_columns(text) > most && strlen(text) > most)
        memcpy(text + most - 2, "..", sizeof "..");
}

const char *report_hot_limit(const report_hot *h, const report_hot_place *p, char *out, size_t size)
{
    const tacho_prediction *prediction = p->subject.prediction;
    if (!prediction)
        snprintf(out, size, "not predicted");
    else if (*report_missing(prediction, out, size))
        return out;
    else if (report_hot_waits(p))
        report_hot_wait_cell(h, p, out, size);
    else if (report_hot_contradicts(p))
        snprintf(out, size, "not as predicted");
    else
        report_limit(prediction, "", out, size);
    return out;
}

void report_hot_row(code_table *t, const report_hot *h, const report_hot_place *p)
{
    const tacho_hot_place *place = p->place;
    char name[NAME_COLUMNS + 20], number[TACHO_NUMBER_SIZE], text[200], cycles[REPORT_RESULT_SIZE];
    report_loop_place(place->loop, NAME_COLUMNS, name, sizeof name);
    cut(name, NAME_COLUMNS);
    snprintf(text, sizeof text, "%s%s", place->is_loop ? "loop " : "", name);
    snprintf(number, sizeof number, "%4zu", p->number);
    code_table_row(t, "", number, report_plain(text));
    code_table_cellf(t, "%.2f", 100 * place->share);
    code_table_cellf(t, "%.1f-%.1f", 100 * place->share_low, 100 * place->share_high);
    code_table_cellf(t, "%" PRIu64, place->samples);
    code_table_cell(t, report_prediction_cell(cycles, p->subject.prediction));
    code_table_cell(t, report_number(number, place->observed_cycles));
    snprintf(text, sizeof text, "%s", place->object->name);
    if (place->loop->source_file)
        snprintf(text, sizeof text, "%.100s:%u", tacho_base_name(place->loop->source_file),
                 place->loop->source_first);
    cut(text, SOURCE_COLUMNS);
    code_table_cell(t, text);
    code_table_cell(t, report_hot_limit(h, p, text, sizeof text));
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
        report_warning_text(out, colour, h->profile->warnings[i]);
    for (size_t i = 0; i < hot->warning_count; i++)
        report_warning_text(out, colour, hot->warnings[i]);
}

/* ---- one place ---- */

static void title(tacho_str *out, const report_hot_place *p, bool colour)
{
    char name[200], text[320];
    tacho_str rest = {0};
    const tacho_hot_place *place = p->place;
    snprintf(text, sizeof text, "[%zu] %s %s in %s: %.1f %% of the samples", p->number,
             place->is_loop ? "loop" : "block", report_hot_name(place->loop, name, sizeof name),
             place->object->name, 100 * place->share);
    report_paint(out, colour, REPORT_BOLD, text);
    tacho_str_printf(&rest, "(%.1f to %.1f; %" PRIu64 " sample%s)", 100 * place->share_low,
                     100 * place->share_high, place->samples, tacho_plural(place->samples));
    if (tacho_str_columns(text) + 1 + rest.length > report_line_columns())
        tacho_str_putc(out, '\n');
    else
        tacho_str_putc(out, ' ');
    report_wrapped_text(out, &rest, 0);
}

static void place_text(tacho_str *out, const tacho_hot_place *place, bool colour)
{
    const tacho_loop *l = place->loop;
    char lines[100];
    tacho_str at = {0};
    tacho_str_printf(&at, "0x%" PRIx64 "-0x%" PRIx64 " in ", l->start, l->end);
    report_put_plain(&at, l->section);
    tacho_str_puts(&at, " of ");
    report_put_plain(&at, place->object->path);
    if (place->is_loop)
        tacho_str_printf(&at, "; %zu block%s%s", l->block_count, l->block_count == 1 ? "" : "s",
                         place->has_inner ? ", around other loops that the path does not enter" : "");
    report_line_text(out, colour, "at", &at);
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
    tacho_str_puts(out, p->place->is_loop ? "\n" : ", as if it were repeated\n");
    report_missing_names(out, colour, prediction);
}

static void observed_text(tacho_str *out, const report_hot *h, const report_hot_place *p, bool colour)
{
    const tacho_hot_place *place = p->place;
    char number[TACHO_NUMBER_SIZE], gap[TACHO_NUMBER_SIZE], low[TACHO_NUMBER_SIZE], high[TACHO_NUMBER_SIZE];
    char words[400];
    tacho_str text = {0};
    if (isfinite(place->executions)) {
        report_label(out, colour, "executed");
        tacho_str_printf(out, "%.0f %ss, counted in another run\n", place->executions,
                         report_hot_round(place));
    }
    if (!isfinite(place->observed_cycles)) {
        tacho_str_printf(
            &text, "not%s%s", p->subject.prediction ? ": limits and advice rest on the prediction alone" : "",
            h->command && isnan(place->executions) ? " (--count observes it in a second run)" : "");
        report_line_text(out, colour, "observed", &text);
        return;
    }
    tacho_str_printf(&text, "%s cycles per %s", report_number(number, place->observed_cycles),
                     report_hot_round(place));
    if (isfinite(place->observed_low))
        tacho_str_printf(&text, ", %s to %s", report_number(low, place->observed_low),
                         report_number(high, place->observed_high));
    if (isfinite(report_hot_gap(p)))
        tacho_str_printf(&text, ": %s times the prediction", report_number(gap, report_hot_gap(p)));
    tacho_str_printf(&text, " (%s)", report_hot_observed_by(place));
    report_line_text(out, colour, "observed", &text);
    if (*report_hot_gap_words(h, p, words, sizeof words))
        report_line(out, colour, "", "%s", words);
}

/* What limits the code, and what would help: where it was not observed to be something else. */
static void why_text(tacho_str *out, const report_hot *h, const report_hot_place *p, bool colour)
{
    const report_subject *s = &p->subject;
    if (report_hot_waits(p)) {
        report_hot_remedies_text(out, h, p, colour);
        return;
    }
    if (report_hot_contradicts(p)) {
        report_line(out, colour, "advice",
                    "none: the predicted limit does not explain the time taken here (JSON has both)");
        return;
    }
    report_bottleneck_text(out, colour, s->prediction);
    report_topdown_text(out, s->prediction);
    report_help_text(out, s);
}

/* ---- instructions ---- */

typedef struct annotating {
    const report_hot *h;
    const tacho_prediction *prediction; /* NULL: none */
    uint32_t notes;                     /* shown */
    report_unit units[TACHO_MAX_PORTS];
    size_t unit_count;
    code_table table;
    const tacho_hot_insn *last; /* with a source line */
} annotating;

static void insn_row(annotating *a, const tacho_hot_insn *insn)
{
    const tacho_prediction *p = a->prediction;
    code_table *t = &a->table;
    const tacho_insn_report *r = p && insn->on_path >= 0 && (size_t)insn->on_path < p->instruction_count
                                     ? p->instructions[insn->on_path]
                                     : NULL;
    char text[REPORT_HOT_INSN_SIZE + 2] = "| ", address[24], notes[REPORT_NOTES_SIZE];
    report_hot_insn(a->h, insn, text + (r || !p ? 0 : 2));
    snprintf(address, sizeof address, "%8" PRIx64, insn->address);
    code_table_row(t, "", address, text);
    if (insn->share >= 0.0005)
        code_table_cellf(t, "%.1f", 100 * insn->share);
    else
        code_table_cell(t, "");
    code_table_cellf(t, "%" PRIu64, insn->samples);
    for (size_t i = 0; p && i < a->unit_count; i++)
        code_table_number(t, r ? report_unit_uops(r, a->units[i].ports) : NAN, false);
    if (p)
        code_table_number(t, r ? r->critical_latency : NAN, false);
    code_table_cell(t, report_note_letters(r ? r->notes & a->notes : 0, notes));
}

static void source_row(annotating *a, const tacho_hot_insn *insn)
{
    const char *text;
    TACHO_FREED tacho_str line = {0};
    size_t length = source_line(a->h->sources, insn->source_file, insn->source_line, &text);
    tacho_str_printf(&line, "  %s:%u", tacho_base_name(insn->source_file), insn->source_line);
    if (length)
        tacho_str_printf(&line, "  %.*s", (int)length, text);
    code_table_line(&a->table, REPORT_DIM, line.failed ? "" : line.data, true);
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

static void block_rows(annotating *a, const tacho_hot_place *place, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        const tacho_hot_insn *insn = &place->insns[i];
        bool new_line = insn->source_file && (!a->last || a->last->source_line != insn->source_line ||
                                              a->last->source_file != insn->source_file);
        if (new_line)
            source_row(a, insn);
        insn_row(a, insn);
        a->last = insn->source_file ? insn : a->last;
    }
}

static void start_table(annotating *a, const report_hot *h, const tacho_prediction *p)
{
    *a = (annotating){.h = h, .prediction = p, .notes = p ? report_shown_notes(p) : 0};
    if (p)
        a->unit_count = report_units(p->arch, a->units);
    code_table_start(&a->table, " address", "instruction", 3 + a->unit_count + (p != NULL), 1);
    code_table_title(&a->table, "%", 0);
    code_table_title(&a->table, "samples", 1);
    for (size_t i = 0; i < a->unit_count; i++)
        code_table_title(&a->table, a->units[i].title, 0);
    if (p)
        code_table_title(&a->table, "crit", 0);
    code_table_title(&a->table, "notes", 0);
}

static void legend_text(tacho_str *out, const annotating *a, const report_subject *s, uint32_t shown)
{
    uint32_t ports = 0;
    for (size_t i = 0; i < a->unit_count; i++)
        ports |= shown >> (2 + i) & 1 ? a->units[i].ports : 0;
    report_units_legend(out, s, ports);
    report_notes_text(out, s);
}

static void annotate(tacho_str *out, const report_hot *h, const report_hot_place *p, bool colour)
{
    const tacho_hot_place *place = p->place;
    const tacho_prediction *prediction = p->subject.prediction;
    annotating a;
    size_t at = 0, left_out = 0;
    start_table(&a, h, prediction);
    for (size_t b = 0; b < place->loop->block_count; b++) {
        size_t end = block_end(place, &place->loop->blocks[b], at);
        if (is_shown(place, &place->loop->blocks[b], at, end))
            block_rows(&a, place, at, end);
        else
            left_out += end - at;
        at = end;
    }
    tacho_str_printf(out, "\nInstructions: share of the place's samples%s\n",
                     prediction ? ", and the µops predicted on ports" : "");
    uint32_t shown = code_table_put(out, &a.table, colour);
    if (left_out)
        tacho_str_printf(out, "  ...  %zu instruction%s in blocks without samples left out\n", left_out,
                         tacho_plural(left_out));
    if (prediction && prediction->instruction_count + left_out < place->insn_count)
        report_legend_line(out, p->subject.said, "|", "not on the path that is predicted");
    if (prediction)
        legend_text(out, &a, &p->subject, shown);
}

void report_hot_text(tacho_str *out, const report_hot *h, const report_hot_place *p, bool colour)
{
    title(out, p, colour);
    place_text(out, p->place, colour);
    predicted_text(out, h, p, colour);
    observed_text(out, h, p, colour);
    report_hot_causes_text(out, h, p, colour);
    if (p->subject.prediction)
        why_text(out, h, p, colour);
    annotate(out, h, p, colour);
    report_warnings_text(out, &p->subject, colour);
}
