/* experiments.c - the model of a core beside measured loops that show one mechanism each, by family.
 *
 *   bench/experiments [--rows FAMILY] ARCH FILE.csv
 *
 * FILE has the columns family, asm, hex (the bytes as measured: in mode L with the loop's own counter and
 * branch), mode (U: copies, L: a loop) and cycles of an iteration. Registers and memory are taken to have
 * been as `--init same` has them. Ours: bench/zen5-experiments.csv.gz, and bench/zen3-experiments.csv.gz (the
 * families of 2026-11, measured by `tacho measure --quick`). The families that agree least come first; --rows
 * lists a family's rows, or all rows (`all`). The error of a row is |predicted / measured - 1|. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/table.h"
#include "tacho/tools.h"

/* What a family has to reach, and what it should: the mean error. */
static const double MUST = 0.02, SHOULD = 0.005;

typedef struct family {
    const char *name; /* borrowed from the table */
    unsigned rows;
    double sum, worst; /* of errors */
} family;

typedef struct comparison {
    const tacho_arch *arch;
    const char *rows_of; /* or null */
    tacho_predictor *predictor;
    family *families;
    size_t family_count;
    unsigned refused;
} comparison;

static double mean_of(const family *f)
{
    return f->rows ? f->sum / f->rows : 0;
}

static family *family_of(comparison *k, const char *name)
{
    for (size_t i = 0; i < k->family_count; i++)
        if (!strcmp(k->families[i].name, name))
            return &k->families[i];
    k->families[k->family_count] = (family){.name = name};
    return &k->families[k->family_count++];
}

/* @return cycles, or NAN where the core cannot be predicted to run this */
static double predict(comparison *k, const char *hex, const char *mode)
{
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    uint8_t bytes[65536];
    const tacho_prediction *r;
    size_t digits = strlen(hex);
    if (digits > 2 * sizeof bytes)
        return NAN;
    long n = tacho_hex_decode(bytes, hex, digits, NULL);
    o.details = o.bounds = false;
    o.ignore_isa = true;
    o.init = TACHO_INIT_SAME;
    o.mode = mode[0] == 'L' ? TACHO_MODE_LOOP : TACHO_MODE_UNROLL;
    return n <= 0 || tacho_predict(k->predictor, k->arch, bytes, (size_t)n, &o, &r, NULL) ? NAN : r->cycles;
}

static void compare_row(comparison *k, const tacho_table *t, size_t row, const int columns[5])
{
    const char *name = tacho_table_cell(t, row, columns[0]), *mode = tacho_table_cell(t, row, columns[3]);
    double measured, predicted = predict(k, tacho_table_cell(t, row, columns[2]), mode);
    if (tacho_table_number(t, row, columns[4], &measured) != 1 || measured <= 0 || isnan(predicted)) {
        k->refused++;
        return;
    }
    double error = fabs(predicted / measured - 1);
    family *f = family_of(k, name);
    f->rows++;
    f->sum += error;
    f->worst = fmax(f->worst, error);
    if (k->rows_of && (!strcmp(k->rows_of, "all") || !strcmp(k->rows_of, name)))
        printf("%-30s %s %8.3f %8.3f %+7.1f %%  %s\n", name, mode, measured, predicted,
               100 * (predicted / measured - 1), tacho_table_cell(t, row, columns[1]));
}

static int by_mean(const void *a, const void *b)
{
    double x = mean_of(a), y = mean_of(b);
    return (x < y) - (x > y);
}

static void show(comparison *k)
{
    unsigned rows = 0, must = 0, should = 0;
    double sum = 0;
    qsort(k->families, k->family_count, sizeof *k->families, by_mean);
    printf("%-32s %6s %10s %10s\n", "family", "rows", "mean error", "worst");
    for (size_t i = 0; i < k->family_count; i++) {
        const family *f = &k->families[i];
        printf("%-32s %6u %8.2f %% %8.1f %%\n", f->name, f->rows, 100 * mean_of(f), 100 * f->worst);
        rows += f->rows, sum += f->sum;
        must += mean_of(f) <= MUST, should += mean_of(f) <= SHOULD;
    }
    printf("%s: %u rows, mean error %.2f %%, %u not predicted\n", tacho_arch_name(k->arch), rows,
           rows ? 100 * sum / rows : 0, k->refused);
    printf("families %u of %zu within 2 %%, %u within 0.5 %%\n", must, k->family_count, should);
}

static int compare_all(comparison *k, const tacho_table *t, tacho_error *err)
{
    static const char *const names[] = {"family", "asm", "hex", "mode", "cycles"};
    int columns[5];
    for (int i = 0; i < 5; i++)
        if ((columns[i] = tacho_table_column(t, names[i])) == TACHO_TABLE_NONE)
            return tacho_error_set(err, TACHO_ERR_INPUT, "%s: no column %s", t->name, names[i]);
    k->families = calloc(t->row_count + 1, sizeof *k->families);
    k->predictor = tacho_predictor_new();
    if (!k->families || !k->predictor)
        return tacho_error_set(err, TACHO_ERR_MEMORY, "out of memory");
    for (size_t row = 0; row < t->row_count; row++)
        compare_row(k, t, row, columns);
    return 0;
}

int main(int argc, char **argv)
{
    comparison k = {0};
    tacho_table t = {0};
    tacho_error err;
    if (argc == 5 && !strcmp(argv[1], "--rows")) {
        k.rows_of = argv[2];
        argv += 2, argc -= 2;
    }
    if (argc != 3) {
        fprintf(stderr, "usage: bench/experiments [--rows FAMILY|all] ARCH FILE.csv\n");
        return 2;
    }
    int rc = !(k.arch = tacho_arch_find(argv[1], &err)) || tacho_table_read(&t, argv[2], NULL, &err) ||
             compare_all(&k, &t, &err);
    if (rc)
        fprintf(stderr, "experiments: %s\n", err.message);
    else
        show(&k);
    tacho_predictor_free(k.predictor);
    free(k.families);
    tacho_table_free(&t);
    return rc;
}
