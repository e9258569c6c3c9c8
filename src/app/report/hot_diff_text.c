/* hot_diff_text.c - two versions of a program for people: the whole change, a table of its parts, which add
 * up to it, then those that differ, with reasons and the code of both side by side. */

#include "app/report/report_hot_diff.h"

enum {
    CODE_COLUMNS = 46, /* of each side */
    CHANGE_COLUMNS = 6,
    SHOWN_BLOCKS = 5,
    SHOWN_ROWS = 10, /* at least */
    TIME_SIZE = 32,
    INTERVAL_SIZE = 80
};

bool report_hot_change_shown(const tacho_hot_change *c)
{
    return (c->part == TACHO_HOT_PLACES || c->part == TACHO_HOT_FUNCTION) && c->state != TACHO_HOT_SAME;
}

/* ---- numbers ---- */

/* So many digits that the whole has four or five; `sign`: with its sign. */
static const char *time_text(const report_hot_diff *d, char out[TIME_SIZE], double value, bool sign)
{
    const double whole = fmax(d->diff->whole.before.value, d->diff->whole.after.value);
    const int digits = whole > 0 ? 3 - (int)floor(log10(whole)) : 3;
    const int decimals = digits < 0 ? 0 : digits > 6 ? 6 : digits;
    if (!isfinite(value))
        snprintf(out, TIME_SIZE, "-");
    else
        snprintf(out, TIME_SIZE, sign ? "%+.*f" : "%.*f", decimals, value);
    return out;
}

static const char *interval_text(const report_hot_diff *d, char out[INTERVAL_SIZE], const tacho_estimate *e,
                                 bool sign)
{
    char low[TIME_SIZE], high[TIME_SIZE];
    *out = '\0';
    if (isfinite(e->low))
        snprintf(out, INTERVAL_SIZE, "%s to %s", time_text(d, low, e->low, sign),
                 time_text(d, high, e->high, sign));
    return out;
}

static const char *unit_words(const report_hot_diff *d)
{
    static const char *const words[] = {"s of processor time", "core cycles", "samples"};
    return words[d->side[0]->unit];
}

/* ---- the head ---- */

static void time_line(tacho_str *out, const report_hot_diff *d, int i, bool colour)
{
    const tacho_hot_change *w = &d->diff->whole;
    const tacho_estimate *e = i ? &w->after : &w->before;
    const size_t runs = d->side[i]->runs;
    char value[TIME_SIZE], interval[INTERVAL_SIZE];
    report_label(out, colour, i ? "B" : "A");
    tacho_str_printf(out, "%s %s a run", time_text(d, value, e->value, false), unit_words(d));
    if (*interval_text(d, interval, e, false))
        tacho_str_printf(out, " (95 %%: %s)", interval);
    tacho_str_printf(out, "; %zu run%s, %" PRIu64 " samples\n", runs, tacho_plural(runs),
                     d->side[i]->profile->samples);
}

static void whole_line(tacho_str *out, const report_hot_diff *d, const tacho_hot_change *w, bool elapsed,
                       bool colour)
{
    static const char *const words[] = {"no difference beyond chance", "B is faster", "B is slower"};
    char value[TIME_SIZE], interval[INTERVAL_SIZE];
    report_label(out, colour, elapsed ? "elapsed" : "change");
    tacho_str_printf(out, "%s %s a run", time_text(d, value, w->change.value, true),
                     elapsed || d->side[0]->unit == TACHO_HOT_SECONDS ? "s" : unit_words(d));
    if (w->before.value > 0)
        tacho_str_printf(out, ", %+.1f %%", 100 * w->change.value / w->before.value);
    if (*interval_text(d, interval, &w->change, true))
        tacho_str_printf(out, " (95 %%: %s): %s", interval, words[w->state]);
    tacho_str_putc(out, '\n');
}

void report_hot_diff_head(tacho_str *out, const report_hot_diff *d, bool colour)
{
    const tacho_hot_profile *p = d->side[0]->profile;
    for (int i = 0; i < 2; i++) {
        tacho_str title = {0};
        tacho_str_puts(&title, i ? "B: " : "A: ");
        report_hot_subject(&title, &d->of[i]);
        report_bold_text(out, colour, &title);
    }
    tacho_str_putc(out, '\n');
    time_line(out, d, 0, colour);
    time_line(out, d, 1, colour);
    whole_line(out, d, &d->diff->whole, false, colour);
    if (d->diff->elapsed_count)
        whole_line(out, d, &d->diff->elapsed, true, colour);
    report_label(out, colour, "samples");
    tacho_str_printf(out, "by %s", p->event);
    if (isfinite(p->hz))
        tacho_str_printf(out, ", %.0f a second of processor time", p->hz);
    tacho_str_puts(out, d->side[0]->runs > 1 ? "; A and B ran in turns\n" : "\n");
    if (d->side[0]->runs == 1)
        report_line(
            out, colour, "",
            "one run of each: intervals are those of sampling; how much runs differ from each other is "
            "not known");
    if (!d->diff->kernel)
        report_line(out, colour, "", "the kernel's time is not known, and not in these times");
}

/* ---- the table ---- */

static const tacho_loop *loop_of(const report_hot_diff *d, const tacho_hot_change *c, int i)
{
    const uint32_t *numbers = i ? c->b : c->a;
    return (i ? c->b_count : c->a_count) ? d->of[i].hot->places[numbers[0]].loop : NULL;
}

static void put_place(tacho_str *out, const report_hot_diff *d, const tacho_hot_change *c)
{
    char a[160] = "", b[160] = "";
    const tacho_loop *x = loop_of(d, c, 0), *y = loop_of(d, c, 1), *one = y ? y : x;
    if (x)
        report_hot_name(x, a, sizeof a);
    if (y)
        report_hot_name(y, b, sizeof b);
    const tacho_hot *hot = d->of[y ? 1 : 0].hot;
    tacho_str_puts(out, hot->places[(y ? c->b : c->a)[0]].is_loop ? "loop " : "block ");
    report_put_plain(out, x ? a : b);
    if (x && y && strcmp(a, b) != 0) {
        tacho_str_puts(out, " -> ");
        report_put_plain(out, b);
    }
    if (c->a_count > 1 || c->b_count > 1)
        tacho_str_printf(out, " (%zu -> %zu)", c->a_count, c->b_count);
    if (one->source_file)
        tacho_str_printf(out, ", %s:%u", tacho_base_name(one->source_file), one->source_first);
}

static bool has_places(const report_hot_diff *d, const tacho_hot_function *f, int i)
{
    for (size_t k = 0; k < d->diff->count; k++) {
        const tacho_hot_change *c = &d->diff->changes[k];
        const tacho_loop *loop = c->part == TACHO_HOT_PLACES ? loop_of(d, c, i) : NULL;
        if (loop && loop->start >= f->start && loop->start < f->end)
            return true;
    }
    return false;
}

static void put_function(tacho_str *out, const report_hot_diff *d, const tacho_hot_change *c)
{
    const int i = c->a_count ? 0 : 1;
    const tacho_hot_function *f = &d->of[i].hot->functions[(i ? c->b : c->a)[0]];
    tacho_str_puts(out, has_places(d, f, i) ? "rest of " : "function ");
    if (f->name)
        report_put_plain(out, f->name);
    else
        tacho_str_printf(out, "0x%" PRIx64 " in %s", f->start, f->object->name);
}

static void put_name(tacho_str *out, const report_hot_diff *d, const tacho_hot_change *c)
{
    switch (c->part) {
    case TACHO_HOT_PLACES:
        put_place(out, d, c);
        break;
    case TACHO_HOT_FUNCTION:
        put_function(out, d, c);
        break;
    case TACHO_HOT_OTHER:
        tacho_str_puts(out, "all other code");
        break;
    default:
        tacho_str_puts(out, "the kernel");
    }
}

static void add_row(code_table *t, const report_hot_diff *d, const char *number, const char *name,
                    const tacho_hot_change *c, const char *state)
{
    char text[INTERVAL_SIZE] = "";
    code_table_row(t, "", number, name);
    code_table_cell(t, time_text(d, text, c->change.value, true));
    code_table_cell(t, interval_text(d, text, &c->change, true));
    if (isfinite(c->share))
        code_table_cellf(t, "%.0f %%", 100 * c->share);
    else
        code_table_cell(t, "");
    code_table_cell(t, time_text(d, text, c->before.value, false));
    code_table_cell(t, time_text(d, text, c->after.value, false));
    code_table_cell(t, state);
}

static void start_changes(code_table *t, const char *of)
{
    static const char *const titles[CHANGE_COLUMNS] = {"change", "95 %", "of it", "A", "B", "state"};
    static const unsigned spare[CHANGE_COLUMNS] = {0, 0, 1, 0, 0, 0};
    code_table_start(t, "   #", of, CHANGE_COLUMNS, 1);
    for (size_t i = 0; i < CHANGE_COLUMNS; i++)
        code_table_title(t, titles[i], spare[i]);
}

static const char *state_text(const tacho_hot_change *c)
{
    return isfinite(c->p) ? tacho_hot_state_name(c->state) : "";
}

/* The name is freed. */
static void add_named(code_table *t, const report_hot_diff *d, const char *number, tacho_str *name,
                      const tacho_hot_change *c, const char *state)
{
    add_row(t, d, number, name->failed ? "" : name->data, c, state);
    t->lines.failed |= name->failed;
    tacho_str_free(name);
}

static void add_part(code_table *t, const report_hot_diff *d, size_t i)
{
    const tacho_hot_change *c = &d->diff->changes[i];
    tacho_str name = {0};
    char number[24];
    put_name(&name, d, c);
    snprintf(number, sizeof number, "%4zu", i);
    add_named(t, d, number, &name, c, tacho_hot_state_name(c->state));
}

/* Parts that are the same as far as one can tell, and whose change is a small part of the largest, are left
 * out. */
static bool is_left_out(const report_hot_diff *d, size_t i)
{
    const tacho_hot_change *c = &d->diff->changes[i];
    return i >= SHOWN_ROWS && c->state == TACHO_HOT_SAME &&
           fabs(c->change.value) <
               fmax(0.02 * fabs(d->diff->changes[0].change.value), 0.005 * d->diff->whole.before.value);
}

static void add_left_out(code_table *t, const report_hot_diff *d)
{
    tacho_hot_change rest = {.share = 0, .change = {0, NAN, NAN}};
    size_t count = 0;
    char name[48];
    for (size_t i = 0; i < d->diff->count; i++) {
        const tacho_hot_change *c = &d->diff->changes[i];
        if (!is_left_out(d, i))
            continue;
        rest.before.value += c->before.value;
        rest.after.value += c->after.value;
        rest.change.value += c->change.value;
        rest.share += c->share;
        count++;
    }
    snprintf(name, sizeof name, "%zu more part%s", count, tacho_plural(count));
    if (count)
        add_row(t, d, "", name, &rest, "same");
}

static void changes_text(tacho_str *out, const report_hot_diff *d, bool colour)
{
    code_table t;
    start_changes(&t, "place");
    for (size_t i = 0; i < d->diff->count; i++)
        if (!is_left_out(d, i))
            add_part(&t, d, i);
    add_left_out(&t, d);
    add_row(&t, d, "", "the whole", &d->diff->whole, state_text(&d->diff->whole));
    code_table_put(out, &t, colour);
}

/* ---- elapsed time ---- */

static void put_role(tacho_str *out, const tacho_hot_role *r)
{
    if (r->name && !r->first)
        report_put_plain(out, r->name);
    tacho_str_puts(out, r->first ? "the first thread" : !r->name ? "other threads" : r->by_start ? "()" : "");
    if (!r->first)
        tacho_str_printf(out, ", %.3g -> %.3g threads", r->threads[0], r->threads[1]);
}

/* `where`: in any case. */
static void put_elapsed_part(tacho_str *out, const tacho_hot_change *c, bool where)
{
    static const char *const words[] = {"runs", "only looks (spins)", "ready, no processor", "waits for ",
                                        "not there"};
    tacho_str_puts(out, words[c->part - TACHO_HOT_RUNS]);
    if (c->part != TACHO_HOT_WAITS)
        return;
    if (!c->wait) {
        tacho_str_puts(out, "other things");
        return;
    }
    tacho_thread_wait w = *c->wait;
    w.data = 0; /* another one in each run */
    report_thread_wait_words(out, &w);
    if (w.place_count && (where || (!w.name && c->wait->data))) {
        tacho_str_puts(out, " in ");
        report_thread_place(out, &w.places[0]);
    }
}

static void elapsed_table(tacho_str *out, const report_hot_diff *d, bool colour)
{
    const tacho_hot_diff *diff = d->diff;
    code_table t;
    start_changes(&t, "thread");
    for (size_t i = 0; i < diff->elapsed_count; i++) {
        const tacho_hot_change *c = &diff->elapsed_changes[i];
        tacho_str name = {0};
        if (!i || c->role != c[-1].role) {
            put_role(&name, c->role);
            code_table_row(&t, "", "", name.failed ? "" : name.data);
            for (size_t k = 0; k < CHANGE_COLUMNS; k++)
                code_table_cell(&t, "");
            t.lines.failed |= name.failed;
            tacho_str_free(&name);
        }
        if (fmax(c->before.value, c->after.value) <
            0.01 * fmax(diff->elapsed.before.value, diff->elapsed.after.value))
            continue;
        tacho_str_puts(&name, "  ");
        put_elapsed_part(&name, c, false);
        add_named(&t, d, "", &name, c, state_text(c));
    }
    add_row(&t, d, "", "the run", &diff->elapsed, state_text(&diff->elapsed));
    code_table_put(out, &t, colour);
}

/* What changes most, of what is a reason: not that something ends later. */
static const tacho_hot_change *elapsed_reason(const tacho_hot_diff *diff)
{
    const double much = 0.3;
    const tacho_hot_change *most = NULL;
    for (size_t i = 0; i < diff->elapsed_count; i++) {
        const tacho_hot_change *c = &diff->elapsed_changes[i];
        const bool follows = c->part == TACHO_HOT_ABSENT ||
                             (c->part == TACHO_HOT_WAITS && (!c->wait || c->wait->kind == TACHO_WAIT_JOIN ||
                                                             c->wait->kind == TACHO_WAIT_CHILD));
        const bool chance = isfinite(c->p) && c->state == TACHO_HOT_SAME;
        if (!follows && !chance && c->share > much && !(most && most->share >= c->share))
            most = c;
    }
    return most;
}

static void elapsed_text(tacho_str *out, const report_hot_diff *d, bool colour)
{
    const tacho_hot_change *reason = elapsed_reason(d->diff);
    char change[TIME_SIZE];
    if (!d->diff->elapsed_count)
        return;
    tacho_str_puts(
        out, "\nWhere elapsed time is: of one thread of each kind, B less A; its parts add up to the run\n");
    if (reason) {
        tacho_str line = {0};
        tacho_str_printf(&line, "%.0f %% of the change, %s s: ", 100 * reason->share,
                         time_text(d, change, reason->change.value, true));
        put_role(&line, reason->role);
        tacho_str_puts(&line, ": ");
        put_elapsed_part(&line, reason, true);
        report_wrapped_text(out, &line, 0);
    }
    tacho_str_putc(out, '\n');
    elapsed_table(out, d, colour);
}

void report_hot_diff_table(tacho_str *out, const report_hot_diff *d, bool colour)
{
    tacho_str_printf(out, "\nWhere the change is: %s a run, B less A; the parts add up to the whole\n\n",
                     d->side[0]->unit == TACHO_HOT_SECONDS ? "seconds" : unit_words(d));
    changes_text(out, d, colour);
    size_t same = 0;
    while (same < d->diff->count && d->diff->changes[same].state == TACHO_HOT_SAME)
        same++;
    if (same == d->diff->count && isfinite(d->diff->whole.p))
        tacho_str_puts(
            out,
            "\nEach part's change may be chance; more runs (--runs), or longer ones, would tell more.\n");
    elapsed_text(out, d, colour);
    for (int i = 0; i < 2; i++)
        for (size_t w = 0; w < d->of[i].profile->warning_count + d->of[i].hot->warning_count; w++) {
            const size_t first = d->of[i].profile->warning_count;
            TACHO_FREED tacho_str text = {0};
            tacho_str_printf(&text, "%c: %s", "AB"[i],
                             w < first ? d->of[i].profile->warnings[w] : d->of[i].hot->warnings[w - first]);
            report_warning_text(out, colour, text.failed ? "" : text.data);
            out->failed |= text.failed;
        }
}

/* ---- a change in full ---- */

static void predicted_line(tacho_str *out, const report_hot_change *c, int i, bool colour)
{
    const report_hot_place *p = c->place[i];
    const report_hot *h = &c->in->of[i];
    char cycles[REPORT_RESULT_SIZE], limit[160], name[200], observed[TACHO_NUMBER_SIZE];
    if (!p)
        return;
    report_label(out, colour, i ? "B" : "A");
    tacho_str_puts(out, p->place->is_loop ? "loop " : "block ");
    report_put_plain(out, report_hot_name(p->place->loop, name, sizeof name));
    tacho_str_puts(out, " in ");
    report_put_plain(out, p->place->object->name);
    if (!p->subject.prediction) {
        tacho_str_printf(out, ", not predicted: %s\n", p->subject.error);
        return;
    }
    tacho_str_printf(out, ": %s cycles per %s for %s",
                     report_prediction_cycles(cycles, p->subject.prediction), report_hot_round(p->place),
                     h->arch->name);
    if (*report_limit(p->subject.prediction, "", limit, sizeof limit))
        tacho_str_printf(out, " (%s)", limit);
    if (isfinite(p->place->observed_cycles))
        tacho_str_printf(out, "; observed %s", report_number(observed, p->place->observed_cycles));
    tacho_str_putc(out, '\n');
}

/* An instruction in its column, without what finds no room. */
static void put_insn(tacho_str *out, const report_hot_change *c, int i, int32_t number)
{
    char text[REPORT_HOT_INSN_SIZE], cell[CODE_COLUMNS + 1] = "", share[12] = "";
    const tacho_hot_insn *insn = number >= 0 ? &c->place[i]->place->insns[number] : NULL;
    if (insn && insn->share >= 0.0005)
        snprintf(share, sizeof share, "%.1f", 100 * insn->share);
    if (insn)
        snprintf(cell, sizeof cell, "%5s  %s", share, report_hot_insn(&c->in->of[i], insn, text));
    tacho_str_printf(out, i ? "%.*s" : "%-*s", CODE_COLUMNS, cell);
}

static void code_text(tacho_str *out, const report_hot_change *c, bool colour)
{
    char line[120];
    if (!c->pair_count)
        return;
    tacho_str_puts(out,
                   "\nThe path of both, aligned, with each instruction's share of its place's samples:\n");
    snprintf(line, sizeof line, "      %%  %-*s     %%  B", CODE_COLUMNS - 2, "A");
    report_paint(out, colour, REPORT_DIM, line);
    tacho_str_putc(out, '\n');
    for (size_t i = 0; i < c->pair_count; i++) {
        const tacho_hot_pair *p = &c->pairs[i];
        tacho_str_puts(out, "  ");
        put_insn(out, c, 0, p->a);
        tacho_str_puts(out, p->a < 0 ? " > " : p->b < 0 ? " <" : p->same ? "   " : " | ");
        if (p->b >= 0)
            put_insn(out, c, 1, p->b);
        tacho_str_putc(out, '\n');
    }
    tacho_str_puts(out, "  <, >: on one side alone; |: with other kinds of operands\n");
}

static void title(tacho_str *out, const report_hot_change *c, bool colour)
{
    const report_hot_diff *d = c->in;
    const tacho_hot_change *change = c->change;
    char text[TIME_SIZE];
    tacho_str line = {0};
    tacho_str_printf(&line, "[%zu] %s: ", c->number, tacho_hot_state_name(change->state));
    put_name(&line, d, change);
    tacho_str_printf(&line, ": %s %s", time_text(d, text, change->change.value, true),
                     tacho_hot_unit_name(d->side[0]->unit));
    if (isfinite(change->share))
        tacho_str_printf(&line, ", %.0f %% of the whole change", 100 * change->share);
    report_bold_text(out, colour, &line);
}

/* What a function's time went to, apart from its loops that have lines of their own. */
static void blocks_text(tacho_str *out, const report_hot_change *c, bool colour)
{
    const size_t count = c->change->block_count;
    for (size_t i = 0; i < count && i < SHOWN_BLOCKS; i++) {
        const tacho_hot_change *b = &c->change->blocks[i];
        char change[TIME_SIZE], before[TIME_SIZE], after[TIME_SIZE];
        report_label(out, colour, i ? "" : "in it");
        tacho_str_printf(out, "%s  (%s -> %s)  ", time_text(c->in, change, b->change.value, true),
                         time_text(c->in, before, b->before.value, false),
                         time_text(c->in, after, b->after.value, false));
        put_place(out, c->in, b);
        tacho_str_printf(out, "%s\n", !b->a_count ? ", only in B" : !b->b_count ? ", only in A" : "");
    }
    report_label(out, colour, "");
    if (count > SHOWN_BLOCKS)
        tacho_str_printf(out, "and %zu more. ", count - SHOWN_BLOCKS);
    tacho_str_puts(out, "Samples slip from block to block. Of the first:\n");
}

void report_hot_diff_text(tacho_str *out, const report_hot_change *c, bool colour)
{
    const char *match = tacho_hot_match_name(c->of->matched);
    title(out, c, colour);
    if (c->change->block_count)
        blocks_text(out, c, colour);
    predicted_line(out, c, 0, colour);
    predicted_line(out, c, 1, colour);
    if (match && c->of->part == TACHO_HOT_PLACES) {
        report_label(out, colour, "matched");
        tacho_str_printf(out, "by %s; %.0f %% of the code is alike\n", match, 100 * c->of->likeness);
    }
    for (size_t i = 0; i < c->reasons.count; i++) {
        report_label(out, colour, i ? "" : "why");
        tacho_str_puts(out, "- ");
        report_wrapped(out, c->reasons.list[i].text, 15);
    }
    code_text(out, c, colour);
}
