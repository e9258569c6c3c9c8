/* bounds_check.c - over a corpus (CSV with hex in the first column): is any bound that applies above the
 * simulated cycles? Lists the blocks where one is, by how much, and how many there are for each bound. Exact
 * fractions are compared as they are; an average over a window counts when it is more than 1 % below the
 * bound. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tacho/tools.h>

typedef struct tally {
    unsigned long blocks, failed, above[TACHO_BOUND_COUNT], highest_is[TACHO_BOUND_COUNT];
    double worst[TACHO_BOUND_COUNT];
    double error; /* of the highest bound against the simulation */
} tally;

static void check_block(tally *t, const tacho_prediction *r, const char *hex, bool quiet)
{
    double slack = r->cycles_den ? 1e-6 : 0.01 * r->cycles, highest = 0;
    int which = 0;
    t->blocks++;
    for (int k = 0; k < TACHO_BOUND_COUNT; k++) {
        if (!tacho_bound_applies((tacho_bound)k, r->source) || isnan(r->bounds[k]))
            continue;
        if (r->bounds[k] > highest) {
            highest = r->bounds[k];
            which = k;
        }
        double above = r->bounds[k] - r->cycles;
        if (above <= slack)
            continue;
        t->above[k]++;
        t->worst[k] = fmax(t->worst[k], above / r->cycles);
        if (!quiet)
            printf("%s %.4f above %.4f%s %s\n", tacho_bound_name((tacho_bound)k), r->bounds[k], r->cycles,
                   r->cycles_den ? "" : " (average)", hex);
    }
    t->highest_is[which]++;
    t->error += fabs(highest / r->cycles - 1);
}

static void report(const tally *t, const tacho_arch *arch, tacho_mode mode)
{
    printf("# %s %s: %lu blocks, %lu failed; the highest bound is %.3f %% from the simulated cycles\n",
           tacho_arch_name(arch), tacho_mode_name(mode), t->blocks, t->failed,
           t->blocks ? 100 * t->error / (double)t->blocks : 0);
    for (int k = 0; k < TACHO_BOUND_COUNT; k++)
        printf("#   %-15s highest in %7lu, above the simulation in %lu (by at most %.2f %%)\n",
               tacho_bound_name((tacho_bound)k), t->highest_is[k], t->above[k], 100 * t->worst[k]);
}

static void run(tacho_predictor *p, const tacho_arch *arch, const tacho_predict_options *o, FILE *f,
                bool quiet)
{
    static char line[1 << 18];
    static uint8_t bytes[65536];
    tally t = {0};
    rewind(f);
    while (fgets(line, sizeof line, f)) {
        tacho_error err;
        const tacho_prediction *r;
        line[strcspn(line, ",\r\n")] = 0;
        if (!strcmp(line, "hex"))
            continue;
        long n = strlen(line) / 2 > sizeof bytes ? -1 : tacho_hex_decode(bytes, line, strlen(line), &err);
        if (n <= 0 || tacho_predict(p, arch, bytes, (size_t)n, o, &r, &err))
            t.failed++;
        else
            check_block(&t, r, line, quiet);
    }
    report(&t, arch, o->mode);
}

int main(int argc, char **argv)
{
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    bool quiet = false;
    int i = 1;
    o.details = false;
    o.ignore_isa = true; /* it is about the model, whatever the code */
    for (; i < argc && argv[i][0] == '-'; i++) {
        if (!strcmp(argv[i], "--quiet"))
            quiet = true;
        else if (!strcmp(argv[i], "--same"))
            o.init = TACHO_INIT_SAME;
        else
            i = argc;
    }
    if (argc - i < 2) {
        fprintf(stderr, "usage: bounds [--quiet] [--same] FILE.csv ARCH...\n");
        return 2;
    }
    FILE *f = fopen(argv[i], "r");
    if (!f) {
        perror(argv[i]);
        return 1;
    }
    tacho_predictor *p = tacho_predictor_new();
    for (i++; i < argc; i++) {
        tacho_error err;
        const tacho_arch *arch = tacho_arch_find(argv[i], &err);
        if (!arch) {
            fprintf(stderr, "bounds: %s\n", err.message);
            return 1;
        }
        for (o.mode = TACHO_MODE_LOOP; o.mode <= TACHO_MODE_UNROLL; o.mode++)
            run(p, arch, &o, f, quiet);
    }
    tacho_predictor_free(p);
    fclose(f);
    return 0;
}
