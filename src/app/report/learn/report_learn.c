/* report_learn.c - what was learnt of a processor: text, curves, JSON. */
#include "app/report/learn/report_learn.h"
#include "app/report/report.h"
#include "base/mem.h"

enum {
    NAME_COLUMNS = 30,
    SHOWN_FORMS = 20
};

/* ---- the experiments ---- */

static void put_listed(tacho_str *out, const tacho_learn_experiment *e)
{
    tacho_str_printf(out, "  %s\n", e->name);
    if (*e->parameters) {
        tacho_str_puts(out, "      finds ");
        report_wrapped(out, e->parameters, 12);
    }
    tacho_str_puts(out, "      ");
    report_wrapped(out, e->method, 6);
}

/* Whether no experiment before the i-th one is of its part. */
static bool is_first_of_part(size_t i)
{
    tacho_learn_experiment e, before;
    tacho_learn_experiment_get(i, &e);
    for (size_t k = 0; k < i; k++)
        if (!tacho_learn_experiment_get(k, &before) && !strcmp(before.part, e.part))
            return false;
    return true;
}

void report_learn_experiments(tacho_str *out)
{
    tacho_learn_experiment part, e;
    for (size_t i = 0; !tacho_learn_experiment_get(i, &part); i++) {
        if (!is_first_of_part(i))
            continue;
        tacho_str_printf(out, "%s%s\n", i ? "\n" : "", part.part);
        for (size_t k = i; !tacho_learn_experiment_get(k, &e); k++)
            if (!strcmp(e.part, part.part))
                put_listed(out, &e);
    }
}

json_t *report_learn_experiments_json(void)
{
    tacho_learn_experiment e;
    json_t *list = json_array();
    for (size_t i = 0; !tacho_learn_experiment_get(i, &e); i++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s}", "part", e.part, "name", e.name,
                                              "parameters", e.parameters, "method", e.method));
    return list;
}

/* ---- how good it is ---- */

static void put_percent(tacho_str *out, double share)
{
    char number[TACHO_NUMBER_SIZE];
    tacho_str_printf(out, " %7s", isnan(share) ? "-" : tacho_format_number(number, 100 * share, 2));
}

static void put_scores(tacho_str *out, const tacho_learnt *l)
{
    if (!l->score_count)
        return;
    tacho_str_printf(out, "\nHow good it is, on the %zu blocks a mode that judge it:\n",
                     l->scores[0].score.count);
    tacho_str_puts(out, "  error in %          mean  median     tau  not predicted\n");
    for (size_t i = 0; i < l->score_count; i++) {
        const tacho_learn_score *s = &l->scores[i];
        tacho_str_printf(out, "  %-8s %-8s", s->model, s->mode == TACHO_MODE_LOOP ? "loops" : "unrolled");
        put_percent(out, s->score.mape.value);
        put_percent(out, s->score.median.value);
        tacho_str_printf(out, isnan(s->score.kendall_tau.value) ? "       -" : "  %6.4f",
                         s->score.kendall_tau.value);
        tacho_str_printf(out, "  %zu\n", s->score.failures);
    }
}

/* ---- parameters ---- */

static void put_name(tacho_str *out, const char *name, const char *value)
{
    tacho_str_printf(out, "  %-*s %s", NAME_COLUMNS, name, value);
}

static size_t count_of(const tacho_learnt *l, tacho_learn_state state)
{
    size_t count = 0;
    for (size_t i = 0; i < l->finding_count; i++)
        count += l->findings[i].state == state;
    return count;
}

static void put_differences(tacho_str *out, const tacho_learnt *l)
{
    bool any = false;
    for (size_t i = 0; i < l->finding_count; i++) {
        const tacho_learn_finding *f = &l->findings[i];
        if (!f->differs)
            continue;
        if (!any)
            tacho_str_printf(out, "\nParameters that differ from those of %s:\n", l->core);
        any = true;
        put_name(out, f->name, f->model);
        tacho_str_printf(out, "  instead of %s (%s)\n", f->core, f->experiment ? f->experiment : "");
    }
}

static void put_state(tacho_str *out, const tacho_learnt *l, tacho_learn_state state, const char *title)
{
    if (!count_of(l, state))
        return;
    tacho_str_printf(out, "\n%s:\n", title);
    for (size_t i = 0; i < l->finding_count; i++) {
        const tacho_learn_finding *f = &l->findings[i];
        if (f->state != state)
            continue;
        put_name(out, f->name, f->value ? f->value : "");
        if (isfinite(f->low) && isfinite(f->high) && f->low < f->high)
            tacho_str_printf(out, "  (%.4g to %.4g)", f->low, f->high);
        if (*f->why && f->value)
            tacho_str_printf(out, "\n%*s", NAME_COLUMNS + 3, "");
        if (*f->why)
            report_wrapped(out, f->why, NAME_COLUMNS + 3);
        else
            tacho_str_putc(out, '\n');
    }
}

/* ---- forms ---- */

static void put_forms(tacho_str *out, const tacho_learnt *l)
{
    size_t differ = 0, measured = 0;
    for (size_t i = 0; i < l->form_count; i++) {
        differ += l->forms[i].differs;
        measured += l->forms[i].measured;
    }
    if (!l->form_count)
        return;
    tacho_str_printf(out, "\nInstruction forms: %zu timed", measured);
    if (l->core)
        tacho_str_printf(out, ", of which %zu differ from %s", differ, l->core);
    tacho_str_puts(out, differ ? ":\n" : "\n");
    size_t shown = 0;
    for (size_t i = 0; i < l->form_count && shown < SHOWN_FORMS; i++)
        if (l->forms[i].differs) {
            shown++;
            tacho_str_printf(out, "  %-40s ", l->forms[i].name);
            report_wrapped(out, l->forms[i].why, 43);
        }
    if (differ > shown)
        tacho_str_printf(out, "  and %zu more; --json lists them\n", differ - shown);
}

void report_learn_text(tacho_str *out, const report_learn *r, bool colour)
{
    (void)colour;
    const tacho_learnt *l = r->learnt;
    tacho_str_printf(out, "%s\n", l->processor);
    tacho_str_printf(out, l->core ? "learnt with %s as a start" : "learnt from nothing%s",
                     l->core ? l->core : "");
    tacho_str_printf(out, ": %zu loops timed in %.0f s\n", l->loops, l->seconds);
    if (l->answered || l->open)
        tacho_str_printf(out, "record: %zu questions answered, %zu left open\n", l->answered, l->open);
    if (r->file)
        tacho_str_printf(out, "model: %s\n", r->file);
    if (*l->problem)
        tacho_str_printf(out, "The model cannot be used as it is: %s\n", l->problem);
    put_scores(out, l);
    if (l->core)
        put_differences(out, l);
    put_forms(out, l);
    put_state(out, l, TACHO_LEARN_FOUND, "Parameters that experiments found");
    put_state(out, l, TACHO_LEARN_DOUBTED,
              "What was found, and is doubted: the model has what it started from");
    put_state(out, l, TACHO_LEARN_UNDECIDED, "Parameters that experiments could not determine");
    put_state(out, l, TACHO_LEARN_MOOT, "Parameters without effect here");
    size_t rest = count_of(l, TACHO_LEARN_NOT_TRIED);
    if (rest)
        tacho_str_printf(out, "\n%zu other parameters: %s%s\n", rest,
                         l->core ? "as on " : "neutral values, since no experiment is about them",
                         l->core ? l->core : "");
}

/* ---- the curves behind what an experiment found: drawn with characters ---- */

enum {
    COLUMNS = 64,
    ROWS_HIGH = 16
};

const char *report_learn_find(const char *name)
{
    tacho_learn_experiment e;
    size_t length = strlen(name);
    for (size_t i = 0; !tacho_learn_experiment_get(i, &e); i++) {
        if (!strcmp(e.name, name))
            return e.name;
        for (const char *at = e.parameters; (at = strstr(at, name)); at += length)
            if ((at == e.parameters || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
                return e.name;
    }
    return NULL;
}

typedef struct range {
    double low, high;
} range;

static void widen(range *r, double value)
{
    if (isfinite(value)) {
        r->low = fmin(r->low, value);
        r->high = fmax(r->high, value);
    }
}

static range x_range(const tacho_learn_curve *c)
{
    range r = {INFINITY, -INFINITY};
    for (size_t i = 0; i < c->count; i++)
        widen(&r, c->points[i].x);
    return r;
}

static range y_range(const tacho_learn_curve *c)
{
    range r = {INFINITY, -INFINITY};
    for (size_t i = 0; i < c->count; i++) {
        widen(&r, c->points[i].cycles);
        widen(&r, c->points[i].core);
    }
    return r;
}

static int place(range r, double value, int steps)
{
    return r.high > r.low ? (int)lround((value - r.low) / (r.high - r.low) * (steps - 1)) : 0;
}

typedef char picture[ROWS_HIGH][COLUMNS + 1];

static void draw_point(picture p, range xs, range ys, double x, double y, char mark)
{
    if (!isfinite(y) || !isfinite(x))
        return;
    char *cell = &p[ROWS_HIGH - 1 - place(ys, y, ROWS_HIGH)][place(xs, x, COLUMNS)];
    *cell = *cell == ' ' || *cell == ':' || *cell == mark ? mark : '#';
}

static void draw(tacho_str *out, const tacho_learn_curve *c, const char *core)
{
    picture p;
    range xs = x_range(c), ys = y_range(c);
    bool bends = isfinite(c->bend) && c->bend >= xs.low && c->bend <= xs.high;
    for (int row = 0; row < ROWS_HIGH; row++) {
        memset(p[row], ' ', COLUMNS);
        p[row][COLUMNS] = '\0';
        if (bends)
            p[row][place(xs, c->bend, COLUMNS)] = ':';
    }
    for (size_t i = 0; i < c->count; i++) {
        draw_point(p, xs, ys, c->points[i].x, c->points[i].core, 'o');
        draw_point(p, xs, ys, c->points[i].x, c->points[i].cycles, '*');
    }
    for (int row = 0; row < ROWS_HIGH; row++) {
        char label[32] = "";
        if (row == 0 || row == ROWS_HIGH - 1)
            snprintf(label, sizeof label, "%.4g", row ? ys.low : ys.high);
        size_t length = strlen(p[row]);
        while (length && p[row][length - 1] == ' ')
            length--;
        tacho_str_printf(out, "  %8s |%.*s\n", label, (int)length, p[row]);
    }
    tacho_str_printf(out, "  %8s +", "");
    for (int i = 0; i < COLUMNS; i++)
        tacho_str_putc(out, bends && i == place(xs, c->bend, COLUMNS) ? '^' : '-');
    char left[32], right[32];
    snprintf(left, sizeof left, "%.4g", xs.low);
    snprintf(right, sizeof right, "%.4g", xs.high);
    tacho_str_printf(out, "\n%11s%-*s%s\n", "", COLUMNS - (int)strlen(right), left, right);
    tacho_str_printf(out, "  * %s over %s", c->y_name, c->x_name);
    if (core)
        tacho_str_printf(out, "; o the same on %s in the simulator; # both", core);
    if (isfinite(c->bend))
        tacho_str_printf(out, "; bend at %.4g", c->bend);
    tacho_str_putc(out, '\n');
}

static void put_finding(tacho_str *out, const tacho_learn_finding *f, const char *core)
{
    static const char *const states[] = {"not tried", "", "could not be determined", "without effect here"};
    tacho_str_printf(out, "  %s: %s", f->name, f->state == TACHO_LEARN_FOUND ? f->value : states[f->state]);
    if (isfinite(f->low) && isfinite(f->high) && f->low < f->high)
        tacho_str_printf(out, " (%.4g to %.4g)", f->low, f->high);
    if (*f->why)
        tacho_str_printf(out, ": %s", f->why);
    if (core && f->core)
        tacho_str_printf(out, "; %s: %s", core, f->core);
    tacho_str_putc(out, '\n');
}

static bool get_experiment(const char *name, tacho_learn_experiment *e)
{
    for (size_t i = 0; !tacho_learn_experiment_get(i, e); i++)
        if (!strcmp(e->name, name))
            return true;
    return false;
}

void report_learn_explain(tacho_str *out, const tacho_learnt *l, const char *experiment)
{
    tacho_learn_experiment e;
    if (!get_experiment(experiment, &e))
        return;
    tacho_str_printf(out, "%s\n\n%s (%s)\n", l->processor, e.name, e.part);
    tacho_str_puts(out, "  ");
    report_wrapped(out, e.method, 2);
    tacho_str_putc(out, '\n');
    for (size_t i = 0; i < l->finding_count; i++)
        if (l->findings[i].experiment && !strcmp(l->findings[i].experiment, experiment))
            put_finding(out, &l->findings[i], l->core);
    for (size_t i = 0; i < l->curve_count; i++)
        if (!strcmp(l->curves[i].experiment, experiment) && l->curves[i].count) {
            tacho_str_printf(out, "\n%s\n", l->curves[i].title);
            draw(out, &l->curves[i], l->core);
        }
}

/* ---- what was learnt of a processor, as JSON ---- */

#define RECORD tacho_learn_finding
static const char *state_name(tacho_learn_state state)
{
    static const char *const names[] = {"not_tried", "found", "undecided", "moot", "doubted"};
    return names[state];
}

static const report_field findings[] = {
    {MEMBER(name, "the parameter")},
    {MEMBER(experiment, "that is about it", .none = REPORT_NO_TEXT)},
    {WORD("state", state, state_name, "found, undecided, moot, doubted, not_tried")},
    {MEMBER(value, "that was found, as in params.txt; null unless found", .none = REPORT_NO_TEXT)},
    MEMBERS2(low, high, "the range that the measurements allow"),
    {MEMBER(why, "of undecided, moot and doubted", .none = REPORT_ZERO)},
    {MEMBER(core, "the same on the core that learning started from", .none = REPORT_NO_TEXT)},
    {MEMBER(model, "what the model has", .none = REPORT_NO_TEXT)},
    {MEMBER(differs, "the model has not the core's value")},
};
#undef RECORD

#define RECORD tacho_learn_point
static const report_field points[] = {
    {MEMBER(x, NULL)},
    {MEMBER(cycles, "measured; null: could not be")},
    {MEMBER(core, "the same on the core that learning started from")},
};
#undef RECORD

#define RECORD tacho_learn_curve
static const report_field curves[] = {
    {MEMBER(experiment, "its name")},
    {MEMBER(title, NULL)},
    {MEMBER(x_name, NULL)},
    {MEMBER(y_name, "in words: what was measured over what")},
    {MEMBER(bend, "the `x` that the value follows from")},
    {RECORDS("points", points, count, ROWS(points), "in their order")},
};
#undef RECORD

#define RECORD tacho_learn_form
static const report_field forms[] = {
    {MEMBER(name, "the form")},
    {MEMBER(row, "as in insns.txt", .none = REPORT_NO_TEXT)},
    {MEMBER(measured, "else by analogy, or not at all")},
    {MEMBER(differs, "from the core that learning started from")},
    {MEMBER(why, "what differs, or could not be found", .none = REPORT_ZERO)},
};
#undef RECORD

#define RECORD tacho_learn_score
static const report_field scores[] = {
    {MEMBER(model, "learnt, the name of the core that learning started from, bounds (of the learnt model)")},
    {WORD("mode", mode, tacho_mode_name, "loop, unroll")},
    {NAMED("count", score.count, NULL)},
    {NAMED("failures", score.failures, "blocks with a prediction, and without")},
    {NAMED("mean_error", score.mape.value, NULL)},
    {NAMED("median_error", score.median.value, "shares of the measured cycles")},
    {NAMED("kendall_tau", score.kendall_tau.value, "of the ranking")},
};
#undef RECORD

#define RECORD tacho_learnt
static const report_field learnt[] = {
    {MEMBER(processor, "in words")},
    {MEMBER(core, "that learning started from; null: from nothing", .none = REPORT_NO_TEXT)},
    {MEMBER(problem, "why the model cannot be used as it is", .none = REPORT_ZERO)},
    {MEMBER(loops, "that were timed, without those that the journal had")},
    {MEMBER(answered, "questions that records of measurements answered")},
    {MEMBER(open, "that they did not")},
    {MEMBER(seconds, "that it took")},
    {RECORDS("scores", scores, score_count, ROWS(scores), "on the blocks that judge")},
    {RECORDS("parameters", findings, finding_count, ROWS(findings), "all")},
    {RECORDS("forms", forms, form_count, ROWS(forms), "those that were looked at")},
    {RECORDS("curves", curves, curve_count, ROWS(curves), "of the experiments")},
};
#undef RECORD

#define RECORD report_learn
static const report_field report[] = {
    {SCHEMA("tacho-learn-1")},
    {MEMBER(file, "where the model is; null: it was not written", .none = REPORT_NO_TEXT)},
    {PART_AT(learnt, ROWS(learnt))},
};
#undef RECORD
TABLE(report_learn_table, report, "tacho-learn-1");
