/* kernels_plot.c - box plots of the predictors' errors, as in CesASMe's Figures 3 to 5: a box from the first
 * to the third quartile, the median in it, whiskers to the farthest error within 1.5 times the box's height.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/report/plot.h"
#include "app/report/report_kernels.h"
#include "base/mem.h"
#include "base/numbers.h"

/* What a box shows, in percent. */
typedef struct box {
    double low, q1, median, q3, high;
    size_t count;
} box;

static box box_of(const double *sorted, size_t n)
{
    box b = {NAN,
             tacho_quantile(sorted, n, 0.25),
             tacho_quantile(sorted, n, 0.5),
             tacho_quantile(sorted, n, 0.75),
             NAN,
             n};
    double reach = 1.5 * (b.q3 - b.q1);
    for (size_t i = 0; i < n; i++)
        if (sorted[i] >= b.q1 - reach) {
            b.low = sorted[i];
            break;
        }
    for (size_t i = n; i-- > 0;)
        if (sorted[i] <= b.q3 + reach) {
            b.high = sorted[i];
            break;
        }
    return b;
}

/* @return false when memory runs out */
static bool make_box(box *out, const tacho_kernels_result *r, size_t predictor, bool pruned)
{
    double *errors = tacho_mem_zalloc(r->variant_count + 1, sizeof *errors);
    size_t n = 0;
    for (size_t i = 0; errors && i < r->variant_count; i++) {
        const tacho_kernel_variant *v = &r->variants[i];
        double cycles = r->predictors[predictor].predictions[i].cycles;
        bool measured = v->status == TACHO_KERNEL_OK || v->status == TACHO_KERNEL_UNSTABLE;
        if (measured && !(pruned && v->memory_bound) && !isnan(cycles))
            errors[n++] = 100 * fabs(cycles - v->cycles) / v->cycles;
    }
    numbers_sort(errors, n);
    if (errors)
        *out = box_of(errors, n);
    tacho_mem_free(errors);
    return errors;
}

static void put_boxes(tacho_str *out, const tacho_kernels_result *r, bool pruned)
{
    tacho_str_printf(out, "$boxes%d << TACHO_END\n", pruned);
    for (size_t p = 0; p < r->predictor_count; p++) {
        box b;
        if (!make_box(&b, r, p, pruned)) {
            out->failed = true;
            return;
        }
        if (b.count)
            tacho_str_printf(out, "%.2f %.6g %.6g %.6g %.6g %.6g\n", (double)p + (pruned ? 0.19 : -0.19),
                             b.low, b.q1, b.median, b.q3, b.high);
    }
    tacho_str_puts(out, "-9 -9 -9 -9 -9 -9\nTACHO_END\n");
}

void report_kernels_plot(tacho_str *out, const report_kernels *k, bool png)
{
    const tacho_kernels_result *r = k->result;
    char title[200];
    size_t width = 160 + 110 * r->predictor_count;
    report_plot_terminal(out, width > 640 ? width : 640, 500, png);
    tacho_str_puts(out, "set border 3 lc rgb '#888888'\nset tics nomirror out textcolor rgb '#444444'\n"
                        "set grid ytics lc rgb '#dddddd' lt 1\n");
    put_boxes(out, r, false);
    put_boxes(out, r, true);
    snprintf(title, sizeof title, "Errors of predictions, %zu variants of %zu kernels",
             report_kernels_measured(r, false), r->kernel_count);
    tacho_str_puts(out, "set title ");
    report_plot_quoted(out, title);
    if (!report_kernels_same_core(k))
        tacho_str_puts(out, ".\"\\n\".'measured on another core than predicted'");
    tacho_str_puts(out, " noenhanced\nset ylabel 'error, % of the measured cycles'\n"
                        "set boxwidth 0.32\nset style fill solid 0.5 border\nset yrange [0:*]\n"
                        "set key top left Left reverse samplen 1.5\n");
    tacho_str_printf(out, "set xrange [-0.6:%zu.6]\nset xtics (",
                     r->predictor_count ? r->predictor_count - 1 : 0);
    for (size_t p = 0; p < r->predictor_count; p++) {
        tacho_str_puts(out, p ? ", " : "");
        report_plot_quoted(out, r->predictors[p].name);
        tacho_str_printf(out, " %zu", p);
    }
    tacho_str_puts(out, ") scale 0 rotate by -20 noenhanced\nplot");
    static const char *const words[] = {"all", "not bound by dependencies through memory"};
    static const char *const colours[] = {"#0072b2", "#e69f00"};
    for (int i = 0; i < 2; i++)
        tacho_str_printf(
            out,
            "%s$boxes%d using 1:3:2:6:5 with candlesticks whiskerbars 0.5 lw 1.3 lc rgb '%s' title '%s', "
            "\\\n $boxes%d using 1:4:4:4:4 with candlesticks lw 2 lc rgb '#222222' notitle",
            i ? ", \\\n " : " ", i, colours[i], words[i], i);
    tacho_str_putc(out, '\n');
}
