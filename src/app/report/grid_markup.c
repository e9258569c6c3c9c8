/* grid_markup.c - tables of texts as GitHub's Markdown, and any text in it. */
#include "app/report/grid.h"

#include <string.h>

void report_put_markdown(tacho_str *out, const char *text)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '&')
            tacho_str_puts(out, "&amp;");
        else if (c == '<')
            tacho_str_puts(out, "&lt;");
        else if (c == '>')
            tacho_str_puts(out, "&gt;");
        else if (c < 0x20 || c == 0x7f)
            tacho_str_putc(out, ' ');
        else {
            if (strchr("\\`*_[]#|~!$", c))
                tacho_str_putc(out, '\\');
            tacho_str_putc(out, (char)c);
        }
    }
}

static void markdown_row(tacho_str *out, const report_grid *g, size_t row)
{
    for (size_t c = 0; c < g->columns; c++) {
        tacho_str_puts(out, c ? " | " : "| ");
        report_put_markdown(out, report_grid_at(g, row, c));
    }
    tacho_str_puts(out, " |\n");
}

void report_grid_markdown(tacho_str *out, const report_grid *g)
{
    if (g->failed) {
        out->failed = true;
        return;
    }
    tacho_str_putc(out, '\n');
    markdown_row(out, g, 0);
    for (size_t c = 0; c < g->columns; c++)
        tacho_str_puts(out, report_grid_is_left(g, c) ? "|---" : "|--:");
    tacho_str_puts(out, "|\n");
    for (size_t r = 1; r < report_grid_rows(g); r++)
        markdown_row(out, g, r);
    tacho_str_putc(out, '\n');
}
