/* categories_plot.c - categories by application as stacked bars (as in the BHive paper's figures 3 and 4), as
 * a script for gnuplot. Colours are M. Okabe's and K. Ito's ("Color Universal Design", 2008), the same for a
 * kind of category in every figure; several categories of one kind have shades of it. */
#include <math.h>
#include <string.h>

#include "app/report/categories.h"
#include "app/report/eval_tables.h"
#include "app/report/plot.h"

enum {
    BARS_SHOWN = 60,
    NAME_COLUMNS = 28,
    WIDTH = 620, /* of the bars; in pixels of an SVG, as all lengths */
    BAR = 26,
    TOP = 62,
    BOTTOM = 66,
    LETTER = 8,
    LEGEND_ROW = 22
};

static const struct {
    const char *name;
    unsigned colour;
} kinds[] = {{"Scalar", 0x009e73}, {"Vec", 0xe69f00},   {"Scalar/Vec", 0xf0e442}, {"Ld", 0x0072b2},
             {"St", 0xd55e00},     {"Ld/St", 0xcc79a7}, {"Empty", 0x999999}};

/* ---- colours ---- */

/* How many topics before this one are of its kind: their names begin alike. */
static unsigned place_in_kind(const tacho_cluster_model *m, uint32_t topic)
{
    const char *name = m->topics[topic].name;
    size_t length = strcspn(name, "-");
    unsigned place = 0;
    for (uint32_t k = 0; k < topic; k++)
        place += strcspn(m->topics[k].name, "-") == length && !memcmp(m->topics[k].name, name, length);
    return place;
}

static unsigned colour_of(const tacho_cluster_model *m, uint32_t topic)
{
    static const double mixtures[] = {0, 0.35, 0.6, -0.35, 0.78, -0.6}; /* with white; below 0: black */
    const char *name = m->topics[topic].name;
    size_t length = strcspn(name, "-");
    unsigned colour = 0x555555, mixed = 0; /* of names that are not ours */
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strlen(kinds[i].name) == length && !memcmp(kinds[i].name, name, length))
            colour = kinds[i].colour;
    double mixture = mixtures[place_in_kind(m, topic) % (sizeof mixtures / sizeof *mixtures)];
    for (int shift = 16; shift >= 0; shift -= 8) {
        double part = colour >> shift & 255;
        part += mixture > 0 ? (255 - part) * mixture : part * mixture;
        mixed |= (unsigned)(part + 0.5) << shift;
    }
    return mixed;
}

/* Black or white, whichever is better to read on the colour (luminance of sRGB, roughly). */
static const char *text_colour(unsigned colour)
{
    double light = 0.2126 * pow((colour >> 16 & 255) / 255.0, 2.2) +
                   0.7152 * pow((colour >> 8 & 255) / 255.0, 2.2) + 0.0722 * pow((colour & 255) / 255.0, 2.2);
    return light > 0.25 ? "#000000" : "#ffffff";
}

/* ---- the frame ---- */

/* The name of a bar: cut where it is long, with the number of blocks. */
static void bar_name(tacho_str *out, const tacho_suite_app *a)
{
    char number[TACHO_NUMBER_SIZE];
    size_t seen = 0;
    for (const char *c = a->name; *c; c++) {
        seen += ((unsigned char)*c & 0xc0) != 0x80;
        if (seen > NAME_COLUMNS) {
            tacho_str_puts(out, "…");
            break;
        }
        tacho_str_putc(out, *c);
    }
    tacho_str_printf(out, " (%s)", report_count(number, a->blocks));
}

static size_t shown_bars(const report_categories *r)
{
    return r->app_count < BARS_SHOWN ? r->app_count : BARS_SHOWN;
}

/* Bar `i` of shown_bars + 1: the last is all blocks. */
static const tacho_suite_app *bar(const report_categories *r, size_t i)
{
    return i < shown_bars(r) ? &r->apps[i] : &r->all;
}

/* Its place from the top; that of all blocks stands apart. */
static double bar_place(const report_categories *r, size_t i)
{
    return (double)i + (i && i == shown_bars(r) ? 0.5 : 0);
}

static size_t label_width(const report_categories *r)
{
    size_t most = 0;
    for (size_t i = 0; i <= shown_bars(r); i++) {
        tacho_str name = {0};
        bar_name(&name, bar(r, i));
        size_t columns = tacho_str_columns(name.data ? name.data : "");
        most = columns > most ? columns : most;
        tacho_str_free(&name);
    }
    return (most + 3) * LETTER;
}

static size_t legend_width(const tacho_cluster_model *m)
{
    size_t most = 0;
    for (uint32_t k = 0; k < m->topic_count; k++)
        most = strlen(m->topics[k].name) > most ? strlen(m->topics[k].name) : most;
    return (most + 8) * LETTER;
}

static void put_frame(tacho_str *out, const report_categories *r, bool png)
{
    double last = bar_place(r, shown_bars(r));
    size_t left = label_width(r), right = legend_width(r->model), width = left + WIDTH + right;
    size_t height = TOP + BOTTOM + (size_t)((last + 1) * BAR), legend = r->model->topic_count * LEGEND_ROW;
    height = height < TOP + BOTTOM + legend ? TOP + BOTTOM + legend : height;
    report_plot_terminal(out, width, height, png);
    tacho_str_printf(out,
                     "set lmargin at screen %.5f\nset rmargin at screen %.5f\n"
                     "set tmargin at screen %.5f\nset bmargin at screen %.5f\n",
                     (double)left / (double)width, (double)(left + WIDTH) / (double)width,
                     1 - (double)TOP / (double)height, (double)BOTTOM / (double)height);
    tacho_str_printf(out,
                     "set border 1 lc rgb '#888888'\nset tics nomirror out textcolor rgb '#333333'\n"
                     "set xrange [0:100]\nset yrange [%.3f:-0.5]\nset xtics 0,20,100\n"
                     "set grid xtics back lc rgb '#dddddd' lt 1\n"
                     "set key at screen %.5f, screen %.5f left top reverse Left vertical width 0 "
                     "samplen 1.6 spacing 1.25 textcolor rgb '#333333'\n",
                     last + 0.5, (double)(left + WIDTH + 2 * LETTER) / (double)width,
                     1 - (double)(TOP - 4) / (double)height);
}

static void put_titles(tacho_str *out, const report_categories *r)
{
    tacho_str title = {0};
    tacho_str_printf(&title, "Basic blocks by what they ask of the ports (%s): %s", r->model->arch->name,
                     r->suite);
    tacho_str_puts(out, "set title ");
    report_plot_quoted(out, title.data ? title.data : "");
    tacho_str_puts(out, " noenhanced offset 0,0.2\nset xlabel ");
    tacho_str_clear(&title);
    if (r->app_weight)
        tacho_str_printf(&title, "%% of executed blocks, by '%s' (in brackets: blocks)", r->app_weight);
    else
        tacho_str_puts(&title, "% of blocks (in brackets: how many)");
    if (r->app_count > BARS_SHOWN)
        tacho_str_printf(&title, "; the %d applications with most blocks of %zu", BARS_SHOWN, r->app_count);
    report_plot_quoted(out, title.data ? title.data : "");
    tacho_str_puts(out, " noenhanced textcolor rgb '#333333'\n");
    out->failed |= title.failed;
    tacho_str_free(&title);
}

/* ---- the bars ---- */

static void put_names(tacho_str *out, const report_categories *r)
{
    tacho_str_puts(out, "set ytics scale 0 (");
    for (size_t i = 0; i <= shown_bars(r); i++) {
        tacho_str name = {0};
        bar_name(&name, bar(r, i));
        tacho_str_puts(out, i ? ", " : "");
        report_plot_quoted(out, name.data ? name.data : "");
        tacho_str_printf(out, " %.3f", bar_place(r, i));
        out->failed |= name.failed;
        tacho_str_free(&name);
    }
    tacho_str_puts(out, ")\n");
}

/* The parts of all bars that are a topic's, with their figures where there is room. */
static void put_parts(tacho_str *out, const report_categories *r, uint32_t topic)
{
    unsigned colour = colour_of(r->model, topic);
    tacho_str_printf(out, "$topic%u << TACHO_END\n", topic);
    tacho_str labels = {0};
    for (size_t i = 0; i <= shown_bars(r); i++) {
        const tacho_suite_app *a = bar(r, i);
        double from = 0, place = bar_place(r, i), share = 100 * a->shares[topic];
        for (uint32_t k = 0; k < topic; k++)
            from += 100 * a->shares[k];
        if (!(share > 0))
            continue;
        tacho_str_printf(out, "%.5f %.3f %.5f %.5f %.3f %.3f\n", from, place, from, from + share,
                         place - 0.38, place + 0.38);
        if (share >= 4.5)
            tacho_str_printf(&labels, "set label '%.0f' at %.5f,%.3f center front tc rgb '%s'\n", share,
                             from + share / 2, place, text_colour(colour));
    }
    tacho_str_puts(out, "TACHO_END\n");
    tacho_str_puts(out, labels.data ? labels.data : "");
    out->failed |= labels.failed;
    tacho_str_free(&labels);
}

static bool has_part(const report_categories *r, uint32_t topic)
{
    for (size_t i = 0; i <= shown_bars(r); i++)
        if (bar(r, i)->shares[topic] > 0)
            return true;
    return false;
}

void report_plot_categories(tacho_str *script, const report_categories *r, bool png)
{
    put_frame(script, r, png);
    put_titles(script, r);
    put_names(script, r);
    for (uint32_t k = 0; k < r->model->topic_count; k++)
        if (has_part(r, k))
            put_parts(script, r, k);
    tacho_str_puts(script, "set style fill solid 1.0 border rgb '#ffffff'\nplot NaN notitle");
    for (uint32_t k = 0; k < r->model->topic_count; k++) {
        if (!has_part(r, k))
            continue;
        tacho_str_printf(script, ", \\\n $topic%u using 1:2:3:4:5:6 with boxxyerror lc rgb '#%06x' title ", k,
                         colour_of(r->model, k));
        report_plot_quoted(script, r->model->topics[k].name);
    }
    tacho_str_putc(script, '\n');
}
