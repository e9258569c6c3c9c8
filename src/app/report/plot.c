/* plot.c - scripts for gnuplot: the data inside, nothing read from other files. */
#include "app/report/plot.h"

#include <stdio.h>
#include <string.h>

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

static void put_title(tacho_str *out, const report_subject *s, const char *what)
{
    char title[300];
    snprintf(title, sizeof title, "%s: %s on %s", what, report_title(s), s->arch->name);
    tacho_str_puts(out, "set title ");
    report_plot_quoted(out, title);
    tacho_str_puts(out, " noenhanced\n");
}

static void put_frame(tacho_str *out, bool png)
{
    tacho_str_puts(
        out, png ? "set terminal pngcairo size 1200,560 noenhanced font 'sans,11' background '#ffffff'\n"
                 : "set terminal svg size 1000,440 dynamic noenhanced font 'sans-serif,13' background "
                   "'#ffffff'\n");
    tacho_str_puts(out, "set encoding utf8\nset border 3 lc rgb '#888888'\nset tics nomirror out\n"
                        "set grid ytics lc rgb '#dddddd' lt 1\n");
}

void report_plot_occupancy(tacho_str *out, const report_subject *s, const report_trace *t, bool png)
{
    const tacho_arch *a = s->arch;
    put_frame(out, png);
    put_title(out, s, "How full the queues are");
    tacho_str_puts(out, "$queues << TACHO_END\n");
    size_t averaged = t->cycle_count;
    for (size_t k = 0; k < t->cycle_count; k++) {
        const tacho_trace_cycle *c = &t->cycles[k];
        tacho_str_printf(out, "%d %u %u %u %u\n", c->cycle, c->rob, c->scheduler, c->idq, c->iq);
        if (averaged == t->cycle_count && c->iterations >= s->prediction->averaged_from)
            averaged = k;
    }
    tacho_str_puts(out, "TACHO_END\n");
    if (averaged < t->cycle_count)
        tacho_str_printf(out,
                         "set arrow 1 from %zu, graph 0 to %zu, graph 1 nohead lc rgb '#888888' dt 2\n"
                         "set label 1 ' averaged from here' at %zu, graph 0.04 tc rgb '#666666'\n",
                         averaged, averaged, averaged);
    tacho_str_puts(out,
                   "set xlabel 'cycle'\nset ylabel 'full, %'\nset yrange [0:104]\nset key outside below\n");
    tacho_str_printf(out, "set xrange [0:%zu]\n", t->cycle_count ? t->cycle_count : 1);
    tacho_str_printf(
        out,
        "plot $queues using 1:(100.0*$2/%u) with steps lw 2 lc rgb '#2c6bd1' title 'reorder buffer (%u)', "
        "\\\n"
        " '' using 1:(100.0*$3/%u) with steps lw 2 lc rgb '#d07a12' title 'scheduler (%u)', \\\n"
        " '' using 1:(100.0*$4/%u) with steps lw 2 lc rgb '#2f8f52' title 'µop queue (%u)', \\\n"
        " '' using 1:(100.0*$5/%u) with steps lw 2 lc rgb '#8b52c7' title 'instruction queue (%u)'\n",
        a->rob_width, a->rob_width, a->rs_width, a->rs_width, a->idq_width, a->idq_width, a->iq_width,
        a->iq_width);
}

void report_plot_alignment(tacho_str *out, const report_subject *s, const report_alignments *a, bool png)
{
    static const char *const colours[] = {"#d07a12", "#2c6bd1", "#2f8f52", "#8b52c7"};
    double most = 0;
    bool any[4] = {false};
    put_frame(out, png);
    put_title(out, s, "Cycles per iteration by the place of the code");
    tacho_str_puts(out, "$places << TACHO_END\n");
    for (int k = 0; k < REPORT_ALIGNMENTS; k++) {
        tacho_str_printf(out, "%d %.6f %d\n", k, a->at[k].cycles, (int)a->at[k].source);
        most = a->at[k].cycles > most ? a->at[k].cycles : most;
        any[a->at[k].source] = true;
    }
    tacho_str_puts(out, "TACHO_END\nset boxwidth 0.8\nset style fill solid 1.0 noborder\n"
                        "set xlabel 'start of the code after a 64-byte boundary, bytes'\n"
                        "set ylabel 'cycles per iteration'\nset xtics 0,8,64\nset xrange [-1:64]\n"
                        "set key outside below\n");
    tacho_str_printf(out, "set yrange [0:%.6f]\nplot", most > 0 ? most * 1.08 : 1);
    const char *separator = " ";
    for (int source = 0; source < 4; source++)
        if (any[source]) {
            tacho_str_printf(
                out, "%s$places using 1:($3==%d?$2:1/0) with boxes lc rgb '%s' title 'µops from: %s'",
                separator, source, colours[source], tacho_uop_source_name((tacho_uop_source)source));
            separator = ", \\\n ";
        }
    tacho_str_putc(out, '\n');
}
