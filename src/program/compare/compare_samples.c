/* compare_samples.c - samples that somebody else has taken, or tacho compare --save before. */

#include "base/mem.h"
#include "base/str.h"
#include "base/table.h"
#include "program/compare/compare_samples.h"

/* What is where in the file; TACHO_TABLE_NONE: nowhere. */
typedef struct columns {
    int side, value, block, layout;
    int of_side[2]; /* a column for each side */
} columns;

static bool wrong(const tacho_table *t, size_t row, const char *what, const char *wanted, const char *text,
                  tacho_error *err)
{
    return !tacho_error_set(err, TACHO_ERR_INPUT, "%s: line %zu: %s is %s, not '%s'", t->name, t->lines[row],
                            what, wanted, text);
}

static bool find_columns(const tacho_table *t, const char *metric, columns *c, tacho_error *err)
{
    c->side = tacho_table_column(t, "side");
    c->block = tacho_table_column(t, "block");
    c->layout = tacho_table_column(t, "layout");
    c->of_side[0] = tacho_table_column(t, "a");
    c->of_side[1] = tacho_table_column(t, "b");
    c->value = metric ? tacho_table_column(t, metric) : tacho_table_column(t, "value");
    if (!metric && c->value < 0)
        c->value = tacho_table_column(t, "cpu");
    if (c->side >= 0 && c->value >= 0)
        return true;
    if (c->side < 0 && !metric && c->of_side[0] >= 0 && c->of_side[1] >= 0)
        return true;
    bool has_side = c->side >= 0;
    if (has_side || metric)
        return !tacho_error_set(err, TACHO_ERR_INPUT, "%s: no column '%s'%s", t->name,
                                !has_side ? "side"
                                : metric  ? metric
                                          : "value",
                                has_side && !metric ? ", nor 'cpu'; --metric says which it is" : "");
    return !tacho_error_set(
        err, TACHO_ERR_INPUT,
        "%s: wanted a header with the columns side and value (or cpu; or --metric NAME), or with "
        "the columns a and b",
        t->name);
}

static bool take_value(const tacho_table *t, size_t row, int column, double *out, tacho_error *err)
{
    int found = tacho_table_number(t, row, column, out);
    if (found > 0 && *out > 0)
        return true;
    if (!found) {
        *out = NAN;
        return true;
    }
    return wrong(t, row, tacho_table_column_name(t, (size_t)column), "a number above 0",
                 tacho_table_cell(t, row, column), err);
}

/* A block's, or a layout's: `none` where the field is empty or missing. */
static bool take_number(const tacho_table *t, size_t row, int column, uint32_t none, uint32_t *out,
                        tacho_error *err)
{
    const char *text = tacho_table_cell(t, row, column);
    unsigned long long n;
    *out = none;
    if (!*text)
        return true;
    if (!tacho_parse_u64(text, &n) || n >= TACHO_NO_BLOCK)
        return wrong(t, row, tacho_table_column_name(t, (size_t)column), "a whole number", text, err);
    *out = (uint32_t)n;
    return true;
}

static bool take_row(const tacho_table *t, size_t row, const columns *c, compare_samples *out,
                     tacho_error *err)
{
    if (c->side < 0) {
        for (uint32_t side = 0; side < 2; side++) {
            tacho_sample s = {.side = side, .block = TACHO_NO_BLOCK};
            if (!take_value(t, row, c->of_side[side], &s.value, err))
                return false;
            if (!isnan(s.value)) /* columns may differ in length */
                out->samples[out->count++] = s;
        }
        return true;
    }
    const char *side = tacho_table_cell(t, row, c->side);
    tacho_sample s = {.side = tacho_str_same(side, "b")};
    if (!s.side && !tacho_str_same(side, "a"))
        return wrong(t, row, "side", "A or B", side, err);
    if (!take_value(t, row, c->value, &s.value, err) ||
        !take_number(t, row, c->block, TACHO_NO_BLOCK, &s.block, err) ||
        !take_number(t, row, c->layout, 0, &s.layout, err))
        return false;
    out->layouts |= *tacho_table_cell(t, row, c->layout) != '\0';
    out->samples[out->count++] = s;
    return true;
}

static void name_metric(const tacho_table *t, const columns *c, const char *unit, compare_samples *out)
{
    const char *name = c->value < 0 ? "value" : tacho_table_column_name(t, (size_t)c->value), *own = "";
    if (TEXT_IS_ONE_OF(name, "cpu", "user", "system", "elapsed"))
        own = "s";
    else if (!strcmp(name, "cycles"))
        own = "cycles";
    snprintf(out->metric, sizeof out->metric, "%s", name);
    snprintf(out->unit, sizeof out->unit, "%s", unit ? unit : own);
}

bool tacho_compare_samples_read(compare_samples *out, const char *path, const char *metric, const char *unit,
                                tacho_error *err)
{
    tacho_table t = {0};
    columns c;
    *out = (compare_samples){0};
    if (tacho_table_read(&t, path, NULL, err))
        return false;
    bool good = find_columns(&t, metric, &c, err);
    if (good && !(out->samples = tacho_mem_zalloc(2 * t.row_count + 1, sizeof *out->samples)))
        good = !tacho_no_memory(err);
    for (size_t row = 0; good && row < t.row_count; row++)
        good = take_row(&t, row, &c, out, err);
    if (good && !out->count)
        good = !tacho_error_set(err, TACHO_ERR_INPUT, "%s: no samples", path);
    if (good)
        name_metric(&t, &c, unit, out);
    tacho_table_free(&t);
    if (!good)
        tacho_compare_samples_free(out);
    return good;
}

void tacho_compare_samples_free(compare_samples *s)
{
    tacho_mem_free(s->samples);
    s->samples = NULL;
}
