/* agreement.c - how near predictions are to the cycles in a CSV file (columns hex, cycles, and if present
 * flags: rows with flags are left out; with --flag only those with that one are taken). Prints the share
 * within 1 %, MAPE and Kendall's tau-b (both sides rounded to 0.02 cycles), and with --worst N the rows that
 * differ most. For development and the figures of the closing notes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tacho/tools.h>

typedef struct row {
    char *hex;
    double expected, predicted;
} row;

static row *rows;
static size_t count, capacity, failures, zero, exact;

static double tau_b(double step)
{
    double concordant = 0, discordant = 0, tie_x = 0, tie_y = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++) {
            double x = round(rows[i].expected / step) - round(rows[j].expected / step);
            double y = round(rows[i].predicted / step) - round(rows[j].predicted / step);
            if (x == 0 && y == 0)
                continue;
            tie_x += x == 0;
            tie_y += y == 0;
            concordant += x * y > 0;
            discordant += x * y < 0;
        }
    return (concordant - discordant) /
           sqrt((concordant + discordant + tie_x) * (concordant + discordant + tie_y));
}

static int by_error(const void *a, const void *b)
{
    const row *x = a, *y = b;
    double ex = fabs(x->predicted / x->expected - 1), ey = fabs(y->predicted / y->expected - 1);
    return ex < ey ? 1 : ex > ey ? -1 : 0;
}

static void usage(void)
{
    fprintf(stderr, "usage: agreement [--init distinct|aligned|same] [--bounds-only] [--no-memory-deps] "
                    "[--simple-memory] [--flag FLAG] [--worst N] ARCH FILE.csv\n");
    exit(2);
}

static int column(char **field, int n, const char *name)
{
    for (int i = 0; i < n; i++)
        if (!strcmp(field[i], name))
            return i;
    return -1;
}

static int split(char *line, char **field, int max)
{
    int n = 0;
    line[strcspn(line, "\r\n")] = 0;
    for (char *p = line; p && n < max; n++) {
        field[n] = p;
        p = strchr(p, ',');
        if (p)
            *p++ = 0;
    }
    return n;
}

static typeof(tacho_predict) *predict = tacho_predict; /* or by bounds */

static void predict_row(tacho_predictor *p, const tacho_arch *arch, const tacho_predict_options *o,
                        const char *hex, double expected)
{
    uint8_t bytes[65536];
    tacho_error err;
    long n = tacho_hex_decode(bytes, hex, strlen(hex), &err);
    const tacho_prediction *r;
    if (n <= 0 || n > (long)sizeof bytes || predict(p, arch, bytes, (size_t)n, o, &r, &err)) {
        failures++;
        return;
    }
    if (expected <= 0) {
        zero++;
        return;
    }
    if (count == capacity) {
        capacity = capacity ? 2 * capacity : 1024;
        rows = realloc(rows, capacity * sizeof *rows);
    }
    exact += r->cycles_den != 0;
    rows[count++] = (row){strdup(hex), expected, r->cycles};
}

int main(int argc, char **argv)
{
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    const char *flag = NULL;
    long worst = 0;
    int i = 1;
    o.details = o.bounds = false;
    o.ignore_isa = true; /* as the other predictor does */
    for (; i < argc && argv[i][0] == '-'; i++) {
        if (!strcmp(argv[i], "--init") && i + 1 < argc)
            o.init = !strcmp(argv[++i], "same")    ? TACHO_INIT_SAME
                     : !strcmp(argv[i], "aligned") ? TACHO_INIT_ALIGNED
                                                   : TACHO_INIT_DISTINCT;
        else if (!strcmp(argv[i], "--bounds-only"))
            predict = tacho_predict_bounds;
        else if (!strcmp(argv[i], "--no-memory-deps"))
            o.no_memory_deps = true;
        else if (!strcmp(argv[i], "--simple-memory"))
            o.variants |= TACHO_VARIANT_SIMPLE_MEMORY;
        else if (!strcmp(argv[i], "--flag") && i + 1 < argc)
            flag = argv[++i];
        else if (!strcmp(argv[i], "--worst") && i + 1 < argc)
            worst = atol(argv[++i]);
        else
            usage();
    }
    if (argc - i != 2)
        usage();
    tacho_error err;
    const tacho_arch *arch = tacho_arch_find(argv[i], &err);
    FILE *f = fopen(argv[i + 1], "r");
    if (!arch || !f) {
        fprintf(stderr, "agreement: %s\n", arch ? "cannot open the file" : err.message);
        return 1;
    }
    size_t path_length = strlen(argv[i + 1]);
    bool loops = path_length > 6 && !strcmp(argv[i + 1] + path_length - 6, "_L.csv");
    o.mode = loops ? TACHO_MODE_LOOP : TACHO_MODE_UNROLL;
    static char line[1 << 20];
    char *field[16];
    if (!fgets(line, sizeof line, f))
        return 1;
    int n = split(line, field, 16);
    int hex = column(field, n, "hex"), cycles = column(field, n, "cycles"), flags = column(field, n, "flags");
    if (hex < 0 || cycles < 0)
        return 1;
    tacho_predictor *p = tacho_predictor_new();
    while (fgets(line, sizeof line, f)) {
        n = split(line, field, 16);
        const char *flagged = flags >= 0 && flags < n ? field[flags] : "";
        if (n <= cycles || (flag ? !strstr(flagged, flag) : flagged[0]))
            continue;
        predict_row(p, arch, &o, field[hex], atof(field[cycles]));
    }
    double within = 0, error = 0;
    for (size_t k = 0; k < count; k++) {
        double e = fabs(rows[k].predicted / rows[k].expected - 1);
        /* references have two decimals */
        within += e <= 0.01 || fabs(rows[k].predicted - rows[k].expected) <= 0.0051;
        error += e;
    }
    printf("%s %s: %zu rows, %zu failed, %zu without a reference; within 1 %%: %.2f %%, MAPE %.3f %%, tau "
           "%.4f; %zu exact\n",
           tacho_arch_name(arch), loops ? "loop" : "unroll", count, failures, zero, 100 * within / count,
           100 * error / count, tau_b(0.02), exact);
    qsort(rows, count, sizeof *rows, by_error);
    for (long k = 0; k < worst && k < (long)count; k++)
        printf("%.4f %.4f %+.1f%% %s\n", rows[k].expected, rows[k].predicted,
               100 * (rows[k].predicted / rows[k].expected - 1), rows[k].hex);
    tacho_predictor_free(p);
    return 0;
}
