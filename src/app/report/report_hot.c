/* report_hot.c - what the reports on hot places share, and the advice on all of them together. */
#include "app/report/report_hot.h"
#include "base/mem.h"
#include "base/search.h"

void report_hot_start(report_hot_place *out, const tacho_hot_place *place, size_t number)
{
    report_loop_start(&out->loop, place->loop, number, NULL, 0);
    out->place = place;
    out->number = number;
    out->subject = (report_subject){.input = place->object->path,
                                    .region_count = 1,
                                    .warnings = out->loop.warnings,
                                    .warning_count = out->loop.warning_count};
}

double report_hot_gap(const report_hot_place *p)
{
    const tacho_prediction *prediction = p->subject.prediction;
    return prediction && prediction->cycles > 0 ? p->place->observed_cycles / prediction->cycles : NAN;
}

bool report_hot_contradicts(const report_hot_place *p)
{
    const double much = 2;
    return report_hot_gap(p) > much;
}

const char *report_hot_name(const tacho_loop *loop, char *out, size_t size)
{
    report_loop_place(loop, (int)size - 1, out, size);
    return out;
}

const char *report_hot_insn(const report_hot *h, const tacho_hot_insn *insn, char out[REPORT_HOT_INSN_SIZE])
{
    tacho_insn decoded;
    strcpy(out, "(bad)");
    if (!tacho_decode(&decoded, insn->bytes, insn->length, NULL))
        tacho_insn_write(&decoded, h->syntax, insn->address, TACHO_TARGETS_ABSOLUTE, out,
                         REPORT_HOT_INSN_SIZE);
    return out;
}

void report_hot_subject(tacho_str *out, const report_hot *h)
{
    if (h->file)
        report_put_plain(out, h->file);
    if (h->pid)
        tacho_str_printf(out, "process %ld", h->pid);
    for (char *const *arg = h->command; arg && *arg; arg++) {
        tacho_str_puts(out, arg == h->command ? "" : " ");
        report_put_plain(out, *arg);
    }
}

const char *report_hot_round(const tacho_hot_place *place)
{
    return place->is_loop ? "iteration" : "execution";
}

const char *report_hot_observed_by(const tacho_hot_place *place)
{
    return !strcmp(place->observed_by, "lbr")     ? "from the processor's branch records"
           : !strcmp(place->observed_by, "count") ? "from its share of the time, divided by its executions"
                                                  : "from how far its registers advanced between samples";
}

const char *report_hot_gap_words(const report_hot *h, const report_hot_place *p, char *out, size_t size)
{
    const double much = 1.25;
    double gap = report_hot_gap(p);
    const char *other = h->own_arch ? "" : "; and the prediction is for another core than this machine's";
    out[0] = '\0';
    if (gap > much && *report_hot_wait_words(h, p, out, size))
        return out;
    if (gap > much && p->told && *report_hot_cause_sum(p, out, size))
        return out;
    if (gap > much)
        snprintf(out, size,
                 "not part of the prediction: cache misses, mispredicted branches, 4K aliasing, other paths "
                 "through the code, effects of the code before and after%s",
                 other);
    else if (gap < 1 / much)
        snprintf(out, size,
                 "%sother paths through the code are shorter than the predicted one, or the processor "
                 "overlaps it with the code before and after%s",
                 p->place->is_loop ? "" : "a block is predicted as if it were repeated; ", other);
    return out;
}

/* ---- advice, by what it is worth for the whole program ---- */

enum {
    SHOWN_WORTHS = 10
};

/* The text is taken over. */
static void add(report_hot_worths *w, const report_hot *h, const report_hot_place *p, const char *kind,
                char *text, double before, double after)
{
    const size_t n = w->count;
    char name[200];
    report_hot_name(p->place->loop, name, sizeof name);
    char *place = tacho_mem_strndup(name, strlen(name));
    if (!text || !place || tacho_mem_grow(&w->list, &w->capacity, n + 1, sizeof *w->list)) {
        TACHO_MEM_FREE(text, place);
        w->failed = true;
        return;
    }
    report_hot_worth *one = &w->list[w->count++];
    *one = (report_hot_worth){.place = p->number,
                              .order = n,
                              .kind = kind,
                              .name = place,
                              .text = text,
                              .before = before,
                              .after = after,
                              .observed = p->place->observed_cycles};
    tacho_hot_worth_of(&one->worth, h->profile, p->place, before, after);
}

void report_hot_worths_add(report_hot_worths *w, const report_hot *h, const report_hot_place *p)
{
    const tacho_explanation *e = p->subject.explanation;
    const bool waits = report_hot_waits(p);
    for (size_t i = 0; p->subject.prediction && e && !waits && i < e->advice_count; i++)
        add(w, h, p, e->advice[i].kind, tacho_mem_strndup(e->advice[i].text, strlen(e->advice[i].text)),
            e->advice[i].cycles_before, e->advice[i].cycles_after);
    for (size_t i = 0; waits && i < p->memory.remedy_count; i++) {
        tacho_str text = {0};
        report_hot_remedy_words(&text, h, p, &p->memory.remedies[i]);
        char *copy = text.failed ? NULL : tacho_mem_strndup(text.data, text.length);
        tacho_str_free(&text);
        add(w, h, p, p->memory.remedies[i].kind, copy, p->place->observed_cycles,
            p->memory.remedies[i].after);
    }
}

ORDER_AS(worth_most_first, report_hot_worth,
         ORDER(b->worth.worth, a->worth.worth) ?: ORDER(a->order, b->order));

void report_hot_worths_sort(report_hot_worths *w)
{
    tacho_sort(w->list, w->count, sizeof *w->list, worth_most_first);
}

void report_hot_worths_free(report_hot_worths *w)
{
    for (size_t i = 0; i < w->count; i++)
        TACHO_MEM_FREE(w->list[i].name, w->list[i].text);
    tacho_mem_free(w->list);
}

/* ---- text ---- */

static void one_text(tacho_str *out, const report_hot_worth *w)
{
    tacho_str line = {0};
    char observed[TACHO_NUMBER_SIZE], before[TACHO_NUMBER_SIZE], interval[32];
    snprintf(interval, sizeof interval, "%.1f-%.1f", 100 * w->worth.low, 100 * w->worth.high);
    tacho_str_printf(out, "%9.1f %10s  ", 100 * w->worth.worth, interval);
    tacho_str_printf(&line, "[%zu] %s: %s", w->place, w->name, w->text);
    if (w->worth.limited)
        tacho_str_printf(&line, " (of the part that is predicted: %s of %s observed cycles)",
                         report_number(before, w->before), report_number(observed, w->observed));
    report_wrapped_text(out, &line, 22);
}

void report_hot_worths_text(tacho_str *out, const report_hot_worths *w, bool colour)
{
    if (!w->count)
        return;
    tacho_str_puts(out, "\nWhat each advice is worth for the whole program: its simulated gain times the "
                        "place's share of\nthe processor time. Those on one place do not add up.\n\n");
    report_paint(out, colour, REPORT_DIM, "  worth %       95 %  place: advice");
    tacho_str_putc(out, '\n');
    for (size_t i = 0; i < w->count && i < SHOWN_WORTHS; i++)
        one_text(out, &w->list[i]);
    if (w->count > SHOWN_WORTHS)
        tacho_str_printf(out, "           and %zu that are worth less\n", w->count - SHOWN_WORTHS);
}

/* ---- JSON ---- */

#define RECORD report_hot_worth
static const report_field fields[] = {
    {NAMED("place", place, "its number")},
    {NAMED("kind", kind, NULL)},
    {NAMED("text", text, "of the advice, as in the place's `prediction.advice`")},
    {NAMED("cycles_before", before, NULL)},
    {NAMED("cycles_after", after, "predicted for it")},
    {NAMED("gain", worth.gain, "of the predicted cycles")},
    {NAMED("worth", worth.worth, NULL)},
    {NAMED("worth_low", worth.low, NULL)},
    {NAMED("worth_high", worth.high,
           "share of the program's processor time that it takes away; and the 95 % interval (of the place's "
           "share)")},
    {NAMED("limited", worth.limited, "far more cycles were observed than are predicted: those stay")},
};
#undef RECORD
TABLE(report_hot_worth_table, fields, NULL);

json_t *report_hot_worths_json(const report_hot_worths *w)
{
    return report_records_json(&report_hot_worth_table, w->list, w->count, sizeof *w->list, NULL);
}
