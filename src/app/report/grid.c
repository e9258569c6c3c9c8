/* grid.c - tables of texts, and how they look on a terminal. */
#include "app/report/grid_parts.h"
#include "base/mem.h"

enum {
    NAME_COLUMNS = 30, /* of the first column; longer names have a line of their own */
    HEAD_COLUMNS = 14, /* names of columns are broken into lines so wide, if the cells below are no wider */
    LEAST_WORDS = 12,  /* columns of words, which go on in further lines */
    GAP = GRID_GAP
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

bool grid_is_left(const report_grid *g, size_t column)
{
    return column == 0 || column + g->words >= g->columns;
}

size_t grid_rows(const report_grid *g)
{
    return g->count / g->columns;
}

const char *grid_cell_at(const report_grid *g, size_t row, size_t column)
{
    return g->text.data + g->starts[row * g->columns + column];
}

void grid_free(report_grid *g)
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
    size_t width = 0, rows = grid_rows(g), head = tacho_str_columns(grid_cell_at(g, 0, column));
    for (size_t r = 1; r < rows; r++) {
        size_t w = tacho_str_columns(grid_cell_at(g, r, column));
        if (w > width && (column || w <= NAME_COLUMNS))
            width = w;
    }
    if (head > width)
        width = head < HEAD_COLUMNS ? head : width > HEAD_COLUMNS ? width : HEAD_COLUMNS;
    return width;
}

void grid_pad(tacho_str *out, size_t columns)
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
        grid_pad(out, room);
    tacho_str_append(out, text, bytes);
    if (left && !last)
        grid_pad(out, room);
}

void grid_put_cell(tacho_str *out, const char *text, size_t width, bool left)
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
        size_t n = head_lines(grid_cell_at(p->g, 0, c), p->widths[c]);
        lines = n > lines ? n : lines;
    }
    for (size_t line = 0; line < lines; line++) {
        TACHO_FREED tacho_str row = {0};
        size_t first = line + 1 == lines ? strlen(grid_cell_at(p->g, 0, 0)) : 0;
        put_bytes(&row, grid_cell_at(p->g, 0, 0), first, p->widths[0], true, p->from == p->to);
        for (size_t c = p->from; c < p->to; c++) {
            const char *text = grid_cell_at(p->g, 0, c);
            size_t n = head_lines(text, p->widths[c]), skip = lines - n;
            for (size_t k = skip; k < line && *text; k++)
                text += head_line(text, p->widths[c]);
            grid_pad(&row, GAP);
            size_t bytes = line < skip ? 0 : head_line(text, p->widths[c]);
            while (bytes && text[bytes - 1] == ' ')
                bytes--;
            put_bytes(&row, text, bytes, p->widths[c], grid_is_left(p->g, c), c + 1 == p->to);
        }
        while (row.length && row.data[row.length - 1] == ' ')
            row.data[--row.length] = '\0';
        report_paint(out, colour, REPORT_DIM, row.data ? row.data : "");
        tacho_str_putc(out, '\n');
        out->failed |= row.failed;
    }
}

/* Writes a line of a table without blanks at its end, and empties it. */
void grid_end_line(tacho_str *out, tacho_str *line)
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
void grid_put_words(tacho_str *out, tacho_str *line, const char *text, size_t width, size_t at)
{
    TACHO_FREED tacho_str words = {0};
    for (bool first = true; *text; first = false) {
        const size_t n = words_in(text, width);
        tacho_str_clear(&words);
        tacho_str_append(&words, text, n);
        const size_t columns = words.failed ? 0 : tacho_str_columns(words.data);
        if (!first || columns > width) { /* a single word that is too long begins further left */
            const size_t more = columns > width ? columns - width : 0;
            grid_end_line(out, line);
            grid_pad(line, at > more ? at - more : 0);
        }
        tacho_str_append(line, text, n);
        text += n + strspn(text + n, " ");
    }
    line->failed |= words.failed;
    grid_end_line(out, line);
}

static void put_row(tacho_str *out, const part *p, size_t r)
{
    const char *name = grid_cell_at(p->g, r, 0);
    TACHO_FREED tacho_str line = {0};
    size_t at = p->widths[0];
    if (tacho_str_columns(name) > p->widths[0]) {
        tacho_str_puts(out, name);
        tacho_str_putc(out, '\n');
        name = "";
    }
    grid_put_cell(&line, name, p->widths[0], true);
    for (size_t c = p->from; c + 1 < p->to; c++) {
        const char *text = grid_cell_at(p->g, r, c);
        grid_pad(&line, GAP);
        grid_put_cell(&line, text, p->widths[c], grid_is_left(p->g, c));
        at += GAP + p->widths[c];
    }
    size_t last = p->to - 1;
    const char *text = p->from < p->to ? grid_cell_at(p->g, r, last) : "";
    grid_pad(&line, p->from < p->to ? GAP : 0);
    if (!grid_is_left(p->g, last))
        grid_put_cell(&line, text, p->widths[last], false);
    grid_put_words(out, &line, grid_is_left(p->g, last) ? text : "", p->widths[last], at + GAP);
}

/* The last column, if it is of words, takes what those from `from` on leave, where that is enough. */
static void narrow_words(const report_grid *g, size_t *widths, size_t from)
{
    size_t used = widths[0], last = g->columns - 1;
    if (!last || !grid_is_left(g, last))
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
    size_t rows = grid_rows(g);
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
    grid_free(g);
}
