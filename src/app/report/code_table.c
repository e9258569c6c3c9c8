/* code_table.c - tables with a line for each instruction: what is left out of a line that is too short. */
#include "app/report/grid_parts.h"
#include "base/mem.h"

enum {
    FIRST = 2,         /* column of figures */
    ENOUGH = 40,       /* columns for the code, for which others are spared */
    LEAST = 12,        /* however narrow the line */
    ENOUGH_WORDS = 32, /* of the last column, after which others are spared */
    LEAST_LAST = 20,   /* of the last column, if it is of words: these go on in the next line */
    GAP = GRID_GAP
};

void code_table_start(code_table *t, const char *before, const char *code, size_t columns, size_t words)
{
    *t = (code_table){.titles = 0};
    report_grid_start(&t->cells, FIRST + columns, words);
    report_grid_cell(&t->cells, before);
    report_grid_cell(&t->cells, code);
}

void code_table_title(code_table *t, const char *title, unsigned spare)
{
    report_grid_cell(&t->cells, title);
    t->spare[t->titles++] = spare;
}

static void add_line(code_table *t, code_line line)
{
    if (tacho_mem_grow(&t->list, &t->capacity, t->count + 1, sizeof *t->list))
        t->cells.failed = true;
    else
        t->list[t->count++] = line;
}

void code_table_line(code_table *t, const char *style, const char *text, bool at_start)
{
    add_line(t, (code_line){.style = style, .at = t->lines.length, .at_start = at_start});
    tacho_str_puts(&t->lines, text);
    tacho_str_append(&t->lines, "", 1);
}

void code_table_row(code_table *t, const char *style, const char *before, const char *code)
{
    add_line(t, (code_line){.style = style, .is_row = true, .at = grid_rows(&t->cells)});
    report_grid_cell(&t->cells, before);
    report_grid_cell(&t->cells, code);
}

void code_table_cell(code_table *t, const char *text)
{
    report_grid_cell(&t->cells, text);
}

void code_table_number(code_table *t, double value, bool zero)
{
    char text[TACHO_NUMBER_SIZE] = "";
    if (isfinite(value) && (value >= 0.005 || zero))
        report_number(text, value);
    report_grid_cell(&t->cells, text);
}

/* ---- writing ---- */

typedef struct layout {
    const code_table *t;
    size_t widths[FIRST + CODE_TABLE_FIGURES];
    uint32_t shown; /* bit i: column FIRST + i */
} layout;

static bool is_shown(const layout *l, size_t column)
{
    return column < FIRST || l->shown >> (column - FIRST) & 1;
}

static void measure(layout *l)
{
    const report_grid *g = &l->t->cells;
    for (size_t c = 0; c < g->columns; c++) {
        size_t most = 0;
        for (size_t r = 1; r < grid_rows(g); r++) {
            size_t n = tacho_str_columns(grid_cell_at(g, r, c));
            most = n > most ? n : most;
        }
        size_t title = tacho_str_columns(grid_cell_at(g, 0, c));
        l->widths[c] = most > title ? most : title;
        if (c >= FIRST && most)
            l->shown |= 1u << (c - FIRST);
    }
}

/* What the line leaves for the code; below 0: it is too short. */
static long room(const layout *l)
{
    size_t used = l->widths[0] + GAP;
    for (size_t c = FIRST; c < l->t->cells.columns; c++)
        if (is_shown(l, c))
            used += l->widths[c] + (grid_is_left(&l->t->cells, c) ? GAP : 1);
    return (long)report_line_columns() - (long)used;
}

/* @return whether there was one */
static bool spare_one(layout *l)
{
    size_t most = 0;
    for (size_t i = 1; i < l->t->titles; i++)
        if (l->shown >> i & 1 && (!(l->shown >> most & 1) || l->t->spare[i] > l->t->spare[most]))
            most = i;
    if (!(l->shown >> most & 1) || !l->t->spare[most])
        return false;
    l->shown &= ~(1u << most);
    return true;
}

/* Takes from the last column, down to `least`, what the code lacks. */
static void narrow_last(layout *l, size_t wanted, size_t least)
{
    size_t *width = &l->widths[l->t->cells.columns - 1];
    long lacking = (long)wanted - room(l);
    if (lacking > 0 && *width > least)
        *width = *width - least > (size_t)lacking ? *width - (size_t)lacking : least;
}

static void fit(layout *l)
{
    size_t wanted = l->widths[1] < ENOUGH ? l->widths[1] : ENOUGH;
    narrow_last(l, wanted, ENOUGH_WORDS);
    while (room(l) < (long)wanted && spare_one(l))
        continue;
    narrow_last(l, wanted, LEAST_LAST);
    size_t most = room(l) > LEAST ? (size_t)room(l) : LEAST;
    l->widths[1] = l->widths[1] < most ? l->widths[1] : most;
}

static void put_code_row(tacho_str *out, const layout *l, size_t row, const char *style, bool colour)
{
    const report_grid *g = &l->t->cells;
    const char *code = grid_cell_at(g, row, 1);
    bool alone = tacho_str_columns(code) > l->widths[1];
    TACHO_FREED tacho_str line = {0};
    grid_put_cell(&line, grid_cell_at(g, row, 0), l->widths[0], false);
    grid_pad(&line, GAP);
    report_paint(&line, colour && *style, style, code);
    size_t written = tacho_str_columns(code);
    if (alone) {
        grid_end_line(out, &line);
        grid_pad(&line, l->widths[0] + GAP);
        written = 0;
    }
    grid_pad(&line, l->widths[1] - written);
    size_t at = l->widths[0] + GAP + l->widths[1];
    const char *last = "";
    for (size_t c = FIRST; c < g->columns; c++) {
        bool left = grid_is_left(g, c);
        if (!is_shown(l, c))
            continue;
        grid_pad(&line, left ? GAP : 1);
        at += left ? GAP : 1;
        if (left && c + 1 == g->columns)
            last = grid_cell_at(g, row, c);
        else
            grid_put_cell(&line, grid_cell_at(g, row, c), l->widths[c], left);
        at += c + 1 == g->columns ? 0 : l->widths[c];
    }
    grid_put_words(out, &line, last, l->widths[g->columns - 1], at);
}

static void put_line(tacho_str *out, const layout *l, const code_line *line, bool colour)
{
    TACHO_FREED tacho_str text = {0};
    grid_pad(&text, line->at_start ? 0 : l->widths[0] + GAP);
    report_put_plain(&text, l->t->lines.data + line->at);
    if (!text.failed && tacho_str_columns(text.data) > report_line_columns())
        report_cut(&text, report_line_columns());
    report_paint(out, colour && *line->style, line->style, text.failed ? "" : text.data);
    tacho_str_putc(out, '\n');
    out->failed |= text.failed;
}

static void put_titles(tacho_str *out, const layout *l, bool colour)
{
    TACHO_FREED tacho_str head = {0};
    put_code_row(&head, l, 0, "", false);
    if (head.length)
        head.data[--head.length] = '\0'; /* the end of the line is not painted */
    report_paint(out, colour, REPORT_DIM, head.failed ? "" : head.data);
    tacho_str_putc(out, '\n');
}

static void put_all(tacho_str *out, layout *l, bool colour)
{
    measure(l);
    fit(l);
    put_titles(out, l, colour);
    for (size_t i = 0; i < l->t->count; i++) {
        const code_line *line = &l->t->list[i];
        if (line->is_row)
            put_code_row(out, l, line->at, line->style, colour);
        else
            put_line(out, l, line, colour);
    }
}

uint32_t code_table_put(tacho_str *out, code_table *t, bool colour)
{
    layout l = {.t = t};
    out->failed |= t->cells.failed || t->lines.failed;
    if (!out->failed)
        put_all(out, &l, colour);
    grid_free(&t->cells);
    tacho_str_free(&t->lines);
    tacho_mem_free(t->list);
    return l.shown;
}
