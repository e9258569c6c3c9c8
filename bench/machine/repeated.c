/* repeated.c - two CSV files of the same blocks in the same order, measured twice, or measured here and
 * elsewhere: how many agree.
 *
 *   repeated [--reference] FIRST SECOND LABEL
 *
 * Columns are found by their names: cycles, and status where there is one: then only rows that both call ok
 * count. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINE = 1 << 20,
    WORST = 10
};

typedef struct table {
    FILE *file;
    char *line, *field[64];
    int fields, cycles, status;
} table;

/* Fields before `error` are never quoted in what is compared here. */
static int next(table *t)
{
    if (!fgets(t->line, LINE, t->file))
        return 0;
    t->line[strcspn(t->line, "\r\n")] = '\0';
    t->fields = 0;
    for (char *rest = t->line; rest && t->fields < 64;)
        t->field[t->fields++] = strsep(&rest, ",");
    return 1;
}

static void open_table(table *t, const char *path)
{
    *t = (table){fopen(path, "r"), malloc(LINE), {0}, 0, -1, -1};
    if (!t->file || !t->line || !next(t)) {
        fprintf(stderr, "repeated: %s cannot be read\n", path);
        exit(1);
    }
    for (int i = 0; i < t->fields; i++) {
        if (!strcmp(t->field[i], "cycles"))
            t->cycles = i;
        if (!strcmp(t->field[i], "status"))
            t->status = i;
    }
    if (t->cycles < 0) {
        fprintf(stderr, "repeated: %s has no column cycles\n", path);
        exit(1);
    }
}

static int is_ok(const table *t)
{
    return (t->status < 0 || !strcmp(t->field[t->status], "ok")) && *t->field[t->cycles];
}

typedef struct difference {
    double relative, first, second;
    char hex[80];
} difference;

static int by_size(const void *a, const void *b)
{
    double x = fabs(((const difference *)a)->relative), y = fabs(((const difference *)b)->relative);
    return x < y ? 1 : x > y ? -1 : 0;
}

static double share_within(const difference *d, size_t count, double limit)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        n += fabs(d[i].relative) <= limit;
    return count ? 100.0 * (double)n / (double)count : NAN;
}

int main(int argc, char **argv)
{
    int reference = argc > 1 && !strcmp(argv[1], "--reference");
    if (argc != 4 + reference) {
        fprintf(stderr, "usage: repeated [--reference] FIRST SECOND LABEL\n");
        return 2;
    }
    argv += reference;
    table a, b;
    open_table(&a, argv[1]);
    open_table(&b, argv[2]);
    difference *list = NULL;
    size_t rows = 0, count = 0, ok_first = 0;
    double sum = 0;
    while (next(&a) && next(&b)) {
        rows++;
        if (strcmp(a.field[0], b.field[0])) {
            fprintf(stderr, "repeated: row %zu is of different blocks\n", rows);
            return 1;
        }
        ok_first += (size_t)is_ok(reference ? &b : &a);
        if (!is_ok(&a) || !is_ok(&b))
            continue;
        list = realloc(list, (count + 1) * sizeof *list);
        if (!list)
            return 1;
        double x = atof(a.field[a.cycles]), y = atof(b.field[b.cycles]);
        list[count] = (difference){(y - x) / x, x, y, ""};
        sum += list[count].relative;
        snprintf(list[count++].hex, sizeof list->hex, "%.76s", a.field[0]);
    }
    qsort(list, count, sizeof *list, by_size);
    printf("%s: %zu blocks, %.1f %% ok; of %zu that are ok %s: within 1 %% %.2f %%, 2 %% %.2f %%, 3 %% %.2f "
           "%%, mean %+.2f %%\n",
           argv[3], rows, rows ? 100.0 * (double)ok_first / (double)rows : NAN, count,
           reference ? "here" : "both times", share_within(list, count, 0.01),
           share_within(list, count, 0.02), share_within(list, count, 0.03),
           count ? 100 * sum / (double)count : NAN);
    for (size_t i = 0; i < count && i < WORST && fabs(list[i].relative) > 0.01; i++)
        printf("  %+.1f %%  %.3f %.3f  %s\n", 100 * list[i].relative, list[i].first, list[i].second,
               list[i].hex);
    free(list);
    free(a.line);
    free(b.line);
    return 0;
}
