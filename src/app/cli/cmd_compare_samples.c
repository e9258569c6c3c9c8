/* cmd_compare_samples.c - samples that somebody else has taken, or tacho compare --save before. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/cli/cmd_compare.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/table.h"

/* What is where in the file; TACHO_TABLE_NONE: nowhere. */
typedef struct columns {
    int side, command, name, value, block, layout;
    int of_side[2]; /* a column for each side */
} columns;

static bool wrong(const tacho_table *t, size_t row, const char *what, const char *wanted, const char *text)
{
    return cli_error("%s: line %zu: %s is %s, not '%s'", t->name, t->lines[row], what, wanted, text);
}

static bool find_columns(const tacho_table *t, const char *metric, columns *c)
{
    c->side = tacho_table_column(t, "side");
    c->command = tacho_table_column(t, "command");
    c->name = tacho_table_column(t, "name");
    c->block = tacho_table_column(t, "block");
    c->layout = tacho_table_column(t, "layout");
    c->of_side[0] = tacho_table_column(t, "a");
    c->of_side[1] = tacho_table_column(t, "b");
    c->value = metric ? tacho_table_column(t, metric) : tacho_table_column(t, "value");
    if (!metric && c->value < 0)
        c->value = tacho_table_column(t, "cpu");
    if ((c->side >= 0 || c->command >= 0) && c->value >= 0)
        return true;
    if (c->side < 0 && c->command < 0 && !metric && c->of_side[0] >= 0 && c->of_side[1] >= 0)
        return true;
    bool has_side = c->side >= 0 || c->command >= 0;
    if (has_side || metric)
        return cli_error("%s: no column '%s'%s", t->name,
                         !has_side ? "side"
                         : metric  ? metric
                                   : "value",
                         has_side && !metric ? ", nor 'cpu'; --metric says which it is" : "");
    return cli_error(
        "%s: wanted a header with the columns side and value (or cpu; or --metric NAME), or with "
        "the columns a and b",
        t->name);
}

static bool take_value(const tacho_table *t, size_t row, int column, double *out)
{
    int found = tacho_table_number(t, row, column, out);
    if (found > 0 && *out > 0)
        return true;
    if (!found) {
        *out = NAN;
        return true;
    }
    return wrong(t, row, tacho_table_column_name(t, (size_t)column), "a number above 0",
                 tacho_table_cell(t, row, column));
}

/* A block's, or a layout's: `none` where the field is empty or missing. */
static bool take_number(const tacho_table *t, size_t row, int column, uint32_t none, uint32_t *out)
{
    const char *text = tacho_table_cell(t, row, column);
    unsigned long long n;
    *out = none;
    if (!*text)
        return true;
    if (!tacho_parse_u64(text, &n) || n >= TACHO_NO_BLOCK)
        return wrong(t, row, tacho_table_column_name(t, (size_t)column), "a whole number", text);
    *out = (uint32_t)n;
    return true;
}

/* The number of a command, from 1, and its name. */
static bool take_command(const tacho_table *t, size_t row, const columns *c, compare_samples *out,
                         uint32_t *side)
{
    const char *text = tacho_table_cell(t, row, c->command);
    unsigned long long n;
    if (!tacho_parse_u64(text, &n) || !n || n > TACHO_COMPARE_MAX_COMMANDS)
        return wrong(t, row, "command", "a whole number from 1 to 100", text);
    *side = (uint32_t)n - 1;
    out->commands = n > out->commands ? (size_t)n : out->commands;
    if (c->name >= 0)
        snprintf(out->names[*side], sizeof *out->names, "%s", tacho_table_cell(t, row, c->name));
    return true;
}

static bool take_row(const tacho_table *t, size_t row, const columns *c, compare_samples *out)
{
    if (c->side < 0 && c->command < 0) {
        for (uint32_t side = 0; side < 2; side++) {
            tacho_sample s = {.side = side, .block = TACHO_NO_BLOCK};
            if (!take_value(t, row, c->of_side[side], &s.value))
                return false;
            if (!isnan(s.value)) /* columns may differ in length */
                out->samples[out->count++] = s;
        }
        return true;
    }
    const char *side = c->side < 0 ? "" : tacho_table_cell(t, row, c->side);
    tacho_sample s = {.side = tacho_str_same(side, "b")};
    if (c->side < 0 && !take_command(t, row, c, out, &s.side))
        return false;
    if (c->side >= 0 && !s.side && !tacho_str_same(side, "a"))
        return wrong(t, row, "side", "A or B", side);
    if (!take_value(t, row, c->value, &s.value) || !take_number(t, row, c->block, TACHO_NO_BLOCK, &s.block) ||
        !take_number(t, row, c->layout, 0, &s.layout))
        return false;
    out->layouts |= *tacho_table_cell(t, row, c->layout) != '\0';
    out->samples[out->count++] = s;
    return true;
}

static void name_metric(const tacho_table *t, const columns *c, const char *unit, compare_samples *out)
{
    static const char *const seconds[] = {"cpu", "user", "system", "elapsed"};
    const char *name = c->value < 0 ? "value" : tacho_table_column_name(t, (size_t)c->value), *own = "";
    for (size_t i = 0; i < sizeof seconds / sizeof *seconds; i++)
        if (!strcmp(name, seconds[i]))
            own = "s";
    if (!strcmp(name, "cycles"))
        own = "cycles";
    snprintf(out->metric, sizeof out->metric, "%s", name);
    snprintf(out->unit, sizeof out->unit, "%s", unit ? unit : own);
}

bool compare_samples_read(compare_samples *out, const char *path, const char *metric, const char *unit)
{
    tacho_table t = {0};
    tacho_error err;
    columns c;
    *out = (compare_samples){0};
    if (tacho_table_read(&t, path, NULL, &err))
        return cli_error("%s", err.message);
    bool good = find_columns(&t, metric, &c);
    out->of_many = good && c.side < 0 && c.command >= 0;
    out->commands = 2;
    if (out->of_many && !(out->names = tacho_mem_zalloc(TACHO_COMPARE_MAX_COMMANDS, sizeof *out->names)))
        good = cli_error("out of memory");
    if (good && !(out->samples = tacho_mem_zalloc(2 * t.row_count + 1, sizeof *out->samples)))
        good = cli_error("out of memory");
    for (size_t row = 0; good && row < t.row_count; row++)
        good = take_row(&t, row, &c, out);
    if (good && !out->count)
        good = cli_error("%s: no samples", path);
    if (good)
        name_metric(&t, &c, unit, out);
    tacho_table_free(&t);
    if (!good)
        compare_samples_free(out);
    return good;
}

void compare_samples_free(compare_samples *s)
{
    TACHO_MEM_FREE(s->samples, s->names);
    s->samples = NULL;
    s->names = NULL;
}
