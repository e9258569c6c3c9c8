/* learn_curves.c - the curves behind what an experiment found: drawn with characters. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/report/report.h"
#include "app/report/report_learn.h"

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
