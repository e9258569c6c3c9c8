/* grid_markup.c - tables of texts as Markdown and LaTeX, and any text in these. */
#include "app/report/grid.h"

#include <string.h>

/* ---- Markdown (GitHub's) ---- */

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

/* ---- LaTeX ---- */

static const char *latex_ascii(char c)
{
    switch (c) {
    case '\\':
        return "\\textbackslash{}";
    case '{':
        return "\\{";
    case '}':
        return "\\}";
    case '$':
        return "\\$";
    case '&':
        return "\\&";
    case '#':
        return "\\#";
    case '_':
        return "\\_";
    case '%':
        return "\\%";
    case '^':
        return "\\^{}";
    case '~':
        return "\\~{}";
    case '<':
        return "$<$";
    case '>':
        return "$>$";
    case '|':
        return "$|$";
    case '"':
        return "\\char`\\\"";
    default:
        return NULL;
    }
}

/* What of Unicode LaTeX knows without packages and tacho's own words need; NULL: other. */
static const char *latex_unicode(unsigned point)
{
    static const struct {
        unsigned point;
        const char *latex;
    } known[] = {{0xb1, "$\\pm$"},   {0xb5, "$\\mu$"},   {0xd7, "$\\times$"}, {0x3bc, "$\\mu$"},
                 {0x3c4, "$\\tau$"}, {0x2013, "--"},     {0x2014, "---"},     {0x2026, "\\dots{}"},
                 {0x2212, "$-$"},    {0x2264, "$\\le$"}, {0x2265, "$\\ge$"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].point == point)
            return known[i].latex;
    return NULL;
}

/* The code point that begins at `text`, and its length; a stray byte is its own number. */
static unsigned code_point(const char *text, size_t *length)
{
    const unsigned char *t = (const unsigned char *)text;
    size_t more = t[0] >= 0xf0 ? 3 : t[0] >= 0xe0 ? 2 : t[0] >= 0xc2 ? 1 : 0;
    unsigned point = more == 3 ? t[0] & 7u : more == 2 ? t[0] & 15u : more == 1 ? t[0] & 31u : t[0];
    *length = 1;
    for (size_t i = 1; i <= more; i++) {
        if ((t[i] & 0xc0) != 0x80)
            return t[0];
        point = point << 6 | (t[i] & 0x3fu);
    }
    *length = more + 1;
    return point;
}

/* Several of one of these would become another sign. */
static bool is_ligature(const char *text)
{
    return strchr("-`',!?", *text) && text[1] && strchr("-`',", text[1]);
}

static void put_latex(tacho_str *out, const char *text)
{
    for (const char *at = text; *at;) {
        size_t length;
        unsigned point = code_point(at, &length);
        const char *latex = point < 0x80 ? latex_ascii(*at) : latex_unicode(point);
        bool minus = *at == '-' && at[1] >= '0' && at[1] <= '9' && (at == text || strchr(" [", at[-1]));
        if (minus)
            latex = "$-$";
        if (latex)
            tacho_str_puts(out, latex);
        else if (point < 0x20 || point == 0x7f)
            tacho_str_putc(out, ' ');
        else if (point < 0x80)
            tacho_str_printf(out, is_ligature(at) ? "%c{}" : "%c", *at);
        else if (length > 1)
            tacho_str_printf(out, "U+%04X", point);
        else
            tacho_str_printf(out, "(byte %02X)", point);
        at += length;
    }
}

static void latex_row(tacho_str *out, const report_grid *g, size_t row)
{
    for (size_t c = 0; c < g->columns; c++) {
        if (c)
            tacho_str_puts(out, " & ");
        const char *text = report_grid_at(g, row, c);
        /* After \\ a bracket or a star would be taken for its argument. */
        if (!c && (*text == '[' || *text == '*'))
            tacho_str_puts(out, "{}");
        put_latex(out, text);
    }
    tacho_str_puts(out, " \\\\\n");
}

void report_grid_latex(tacho_str *out, const report_grid *g)
{
    if (g->failed) {
        out->failed = true;
        return;
    }
    tacho_str_puts(out, "\\begin{tabular}{");
    for (size_t c = 0; c < g->columns; c++)
        tacho_str_putc(out, report_grid_is_left(g, c) ? 'l' : 'r');
    tacho_str_puts(out, "}\n\\hline\n");
    latex_row(out, g, 0);
    tacho_str_puts(out, "\\hline\n");
    for (size_t r = 1; r < report_grid_rows(g); r++)
        latex_row(out, g, r);
    tacho_str_puts(out, "\\hline\n\\end{tabular}\n");
}
