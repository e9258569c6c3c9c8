/* plot.c - scripts for gnuplot: the data inside, nothing read from other files. */
#include "app/report/plot.h"

/* In single quotes nothing has a meaning but the quote, which comes as a string of its own: gnuplot 5.4 does
 * not take a doubled one at the beginning. What is not printable is left out. */
void report_plot_quoted(tacho_str *out, const char *text)
{
    tacho_str_putc(out, '\'');
    for (const char *c = text; *c; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            continue;
        if (*c == '\'')
            tacho_str_puts(out, "'.\"'\".'");
        else
            tacho_str_putc(out, *c);
    }
    tacho_str_putc(out, '\'');
}

void report_plot_terminal(tacho_str *out, size_t width, size_t height, bool png)
{
    if (png)
        tacho_str_printf(out,
                         "set terminal pngcairo size %zu,%zu noenhanced fontscale 1.5 linewidth 1.5 font "
                         "'sans,9' background '#ffffff'\n",
                         width * 3 / 2, height * 3 / 2);
    else
        tacho_str_printf(out,
                         "set terminal svg size %zu,%zu dynamic noenhanced font 'sans-serif,12' background "
                         "'#ffffff'\n",
                         width, height);
    tacho_str_puts(out, "set encoding utf8\n");
}
