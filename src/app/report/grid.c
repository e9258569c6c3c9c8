/* grid.c - tables of texts, and of instructions, and how they look on a terminal. */
#include "app/report/report.h"
#include "base/mem.h"

enum {
    NAME_COLUMNS = 30, /* of the first column; longer names have a line of their own */
    HEAD_COLUMNS = 14, /* names of columns are broken into lines so wide, if the cells below are no wider */
    LEAST_WORDS = 12,  /* columns of words, which go on in further lines */
    GAP = 2
};

void report_grid_start(report_grid *g, size_t columns, size_t words)
{
    *g = (report_grid){.columns = columns, .words = words};
}

void report_put_plain(tacho_str *out, const char *text)
{
    for (; *text; text++)
        tacho_str_putc(out, (unsigned char)*text < 0x20 || *text == 0x7f ? ' ' : *text);
}

char *report_plain(char *text)
{
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            *c = ' ';
    return text;
}

void report_grid_cell(report_grid *g, const char *text)
{
    if (g->failed || tacho_mem_grow(&g->starts, &g->capacity, g->count + 1, sizeof *g->starts)) {
        g->failed = true;
        return;
    }
    g->starts[g->count++] = g->text.length;
    report_put_plain(&g->text, text);
    tacho_str_append(&g->text, "", 1);
    g->failed |= g->text.failed;
}

void report_grid_cells(report_grid *g, const char *const *texts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        report_grid_cell(g, texts[i]);
}

void report_grid_cellf(report_grid *g, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    report_grid_cell(g, text);
}

static bool is_left(const report_grid *g, size_t column)
{
    return column == 0 || column + g->words >= g->columns;
}

static size_t rows_of(const report_grid *g)
{
    return g->count / g->columns;
}

static const char *cell_at(const report_grid *g, size_t row, size_t column)
{
    return g->text.data + g->starts[row * g->columns + column];
}

static void free_grid(report_grid *g)
{
    tacho_str_free(&g->text);
    tacho_mem_free(g->starts);
    *g = (report_grid){0};
}

/* ---- on a terminal ---- */

/* Bytes of the first line that a column's name gives: all, or at most `columns` columns, cut after a
 * separator if there is one in the second half. */
static size_t head_line(const char *text, size_t columns)
{
    size_t bytes = 0, seen = 0, cut = 0;
    while (text[bytes]) {
        size_t next = bytes + 1;
        while (((unsigned char)text[next] & 0xc0) == 0x80)
            next++;
        if (seen == columns)
            return cut ? cut : bytes;
        bytes = next;
        seen++;
        if (seen > columns / 2 && strchr(" -_./:,", text[bytes - 1]))
            cut = bytes;
    }
    return bytes;
}

static size_t head_lines(const char *text, size_t columns)
{
    size_t lines = 0;
    for (; *text; text += head_line(text, columns))
        lines++;
    return lines;
}

static size_t column_width(const report_grid *g, size_t column)
{
    size_t width = 0, rows = rows_of(g), head = tacho_str_columns(cell_at(g, 0, column));
    for (size_t r = 1; r < rows; r++) {
        size_t w = tacho_str_columns(cell_at(g, r, column));
        if (w > width && (column || w <= NAME_COLUMNS))
            width = w;
    }
    if (head > width)
        width = head < HEAD_COLUMNS ? head : width > HEAD_COLUMNS ? width : HEAD_COLUMNS;
    return width;
}

static void pad(tacho_str *out, size_t columns)
{
    while (columns--)
        tacho_str_putc(out, ' ');
}

/* `bytes` of `text` in a column; blanks are not written at the end of a line. */
static void put_bytes(tacho_str *out, const char *text, size_t bytes, size_t width, bool left, bool last)
{
    size_t columns = 0;
    for (size_t i = 0; i < bytes; i++)
        columns += ((unsigned char)text[i] & 0xc0) != 0x80;
    size_t room = width > columns ? width - columns : 0;
    if (!left)
        pad(out, room);
    tacho_str_append(out, text, bytes);
    if (left && !last)
        pad(out, room);
}

static void put_cell(tacho_str *out, const char *text, size_t width, bool left)
{
    put_bytes(out, text, strlen(text), width, left, false);
}

/* A part of a wide table: the first column and [from, to). */
typedef struct part {
    const report_grid *g;
    const size_t *widths;
    size_t from, to;
} part;

static void put_head(tacho_str *out, const part *p, bool colour)
{
    size_t lines = 1;
    for (size_t c = p->from; c < p->to; c++) {
        size_t n = head_lines(cell_at(p->g, 0, c), p->widths[c]);
        lines = n > lines ? n : lines;
    }
    for (size_t line = 0; line < lines; line++) {
        TACHO_FREED tacho_str row = {0};
        size_t first = line + 1 == lines ? strlen(cell_at(p->g, 0, 0)) : 0;
        put_bytes(&row, cell_at(p->g, 0, 0), first, p->widths[0], true, p->from == p->to);
        for (size_t c = p->from; c < p->to; c++) {
            const char *text = cell_at(p->g, 0, c);
            size_t n = head_lines(text, p->widths[c]), skip = lines - n;
            for (size_t k = skip; k < line && *text; k++)
                text += head_line(text, p->widths[c]);
            pad(&row, GAP);
            size_t bytes = line < skip ? 0 : head_line(text, p->widths[c]);
            while (bytes && text[bytes - 1] == ' ')
                bytes--;
            put_bytes(&row, text, bytes, p->widths[c], is_left(p->g, c), c + 1 == p->to);
        }
        while (row.length && row.data[row.length - 1] == ' ')
            row.data[--row.length] = '\0';
        report_paint(out, colour, REPORT_DIM, row.data ? row.data : "");
        tacho_str_putc(out, '\n');
        out->failed |= row.failed;
    }
}

/* Writes a line of a table without blanks at its end, and empties it. */
static void end_line(tacho_str *out, tacho_str *line)
{
    while (line->length && line->data[line->length - 1] == ' ')
        line->data[--line->length] = '\0';
    tacho_str_puts(out, line->data ? line->data : "");
    tacho_str_putc(out, '\n');
    out->failed |= line->failed;
    tacho_str_clear(line);
}

/* The bytes of the first words of `text` that have room in `width` columns. */
static size_t words_in(const char *text, size_t width)
{
    size_t bytes = 0, columns = 0;
    for (size_t next = 0; text[next];) {
        while (text[next] == ' ')
            next++, columns++;
        for (; text[next] && text[next] != ' '; next++)
            columns += ((unsigned char)text[next] & 0xc0) != 0x80;
        if (bytes && columns > width)
            break;
        if (!tacho_starts_with(text + next, " %")) /* "4 %" is one word */
            bytes = next;
    }
    return bytes;
}

/* The last cell of a line, which goes on below column `at` where `width` columns have no room for it; a
 * longer word ends where they do. */
static void put_words(tacho_str *out, tacho_str *line, const char *text, size_t width, size_t at)
{
    TACHO_FREED tacho_str words = {0};
    for (bool first = true; *text; first = false) {
        const size_t n = words_in(text, width);
        tacho_str_clear(&words);
        tacho_str_append(&words, text, n);
        const size_t columns = words.failed ? 0 : tacho_str_columns(words.data);
        if (!first || columns > width) { /* a single word that is too long begins further left */
            const size_t more = columns > width ? columns - width : 0;
            end_line(out, line);
            pad(line, at > more ? at - more : 0);
        }
        tacho_str_append(line, text, n);
        text += n + strspn(text + n, " ");
    }
    line->failed |= words.failed;
    end_line(out, line);
}

static void put_row(tacho_str *out, const part *p, size_t r)
{
    const char *name = cell_at(p->g, r, 0);
    TACHO_FREED tacho_str line = {0};
    size_t at = p->widths[0];
    if (tacho_str_columns(name) > p->widths[0]) {
        tacho_str_puts(out, name);
        tacho_str_putc(out, '\n');
        name = "";
    }
    put_cell(&line, name, p->widths[0], true);
    for (size_t c = p->from; c + 1 < p->to; c++) {
        const char *text = cell_at(p->g, r, c);
        pad(&line, GAP);
        put_cell(&line, text, p->widths[c], is_left(p->g, c));
        at += GAP + p->widths[c];
    }
    size_t last = p->to - 1;
    const char *text = p->from < p->to ? cell_at(p->g, r, last) : "";
    pad(&line, p->from < p->to ? GAP : 0);
    if (!is_left(p->g, last))
        put_cell(&line, text, p->widths[last], false);
    put_words(out, &line, is_left(p->g, last) ? text : "", p->widths[last], at + GAP);
}

/* The last column, if it is of words, takes what those from `from` on leave, where that is enough. */
static void narrow_words(const report_grid *g, size_t *widths, size_t from)
{
    size_t used = widths[0], last = g->columns - 1;
    if (!last || !is_left(g, last))
        return;
    for (size_t c = from; c < last; c++)
        used += GAP + widths[c];
    size_t left = report_line_columns() > used + GAP ? report_line_columns() - used - GAP : 0;
    if (left >= LEAST_WORDS && widths[last] > left)
        widths[last] = left;
}

/* The column after the last that still fits beside the first one. */
static size_t part_end(const report_grid *g, const size_t *widths, size_t from)
{
    size_t used = widths[0], to = from;
    while (to < g->columns && (to == from || used + GAP + widths[to] <= report_line_columns()))
        used += GAP + widths[to++];
    return to;
}

static void put_grid(tacho_str *out, const report_grid *g, bool colour)
{
    size_t rows = rows_of(g);
    TACHO_MEM_FREED size_t *widths = tacho_mem_zalloc(g->columns, sizeof *widths);
    if (!widths || g->failed) {
        out->failed = true;
        return;
    }
    for (size_t c = 0; c < g->columns; c++)
        widths[c] = column_width(g, c);
    narrow_words(g, widths, 1);
    for (size_t from = 1; from < g->columns;) {
        part p = {g, widths, from, part_end(g, widths, from)};
        if (p.to == g->columns)
            narrow_words(g, widths, from);
        if (from > 1)
            tacho_str_putc(out, '\n');
        put_head(out, &p, colour);
        for (size_t r = 1; r < rows; r++)
            put_row(out, &p, r);
        from = p.to;
    }
}

void report_grid_put(tacho_str *out, report_grid *g, bool colour)
{
    put_grid(out, g, colour);
    free_grid(g);
}

/* ---- tables with a line for each instruction ---- */

enum {
    FIRST = 2,         /* column of figures */
    ENOUGH = 40,       /* columns for the code, for which others are spared */
    LEAST = 12,        /* however narrow the line */
    ENOUGH_WORDS = 32, /* of the last column, after which others are spared */
    LEAST_LAST = 20    /* of the last column, if it is of words: these go on in the next line */
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
    add_line(t, (code_line){.style = style, .is_row = true, .at = rows_of(&t->cells)});
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
        for (size_t r = 1; r < rows_of(g); r++) {
            size_t n = tacho_str_columns(cell_at(g, r, c));
            most = n > most ? n : most;
        }
        size_t title = tacho_str_columns(cell_at(g, 0, c));
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
            used += l->widths[c] + (is_left(&l->t->cells, c) ? GAP : 1);
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
    const char *code = cell_at(g, row, 1);
    bool alone = tacho_str_columns(code) > l->widths[1];
    TACHO_FREED tacho_str line = {0};
    put_cell(&line, cell_at(g, row, 0), l->widths[0], false);
    pad(&line, GAP);
    report_paint(&line, colour && *style, style, code);
    size_t written = tacho_str_columns(code);
    if (alone) {
        end_line(out, &line);
        pad(&line, l->widths[0] + GAP);
        written = 0;
    }
    pad(&line, l->widths[1] - written);
    size_t at = l->widths[0] + GAP + l->widths[1];
    const char *last = "";
    for (size_t c = FIRST; c < g->columns; c++) {
        bool left = is_left(g, c);
        if (!is_shown(l, c))
            continue;
        pad(&line, left ? GAP : 1);
        at += left ? GAP : 1;
        if (left && c + 1 == g->columns)
            last = cell_at(g, row, c);
        else
            put_cell(&line, cell_at(g, row, c), l->widths[c], left);
        at += c + 1 == g->columns ? 0 : l->widths[c];
    }
    put_words(out, &line, last, l->widths[g->columns - 1], at);
}

static void put_line(tacho_str *out, const layout *l, const code_line *line, bool colour)
{
    TACHO_FREED tacho_str text = {0};
    pad(&text, line->at_start ? 0 : l->widths[0] + GAP);
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
    free_grid(&t->cells);
    tacho_str_free(&t->lines);
    tacho_mem_free(t->list);
    return l.shown;
}
