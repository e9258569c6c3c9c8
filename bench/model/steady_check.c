/* steady_check.c - are the exact values exact? For each block of a suite (CSV, first column hex), as copies
 * or as a loop (without --mode: as its last instruction says), the prediction is compared with a plain
 * simulation that runs for very long and looks for no steady state. Lists the blocks that differ by more than
 * what both ends of the long run can hold, and how many of how many are exact.
 *
 *   steady [--cycles N] [--mode loop|unroll] [--every N] ARCH FILE.csv */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tacho/tools.h>
#include "model/sim/sim.h"

typedef struct tally {
    uint32_t blocks, exact, wrong;
    double cycles; /* simulated */
    double worst;
} tally;

static void usage(void)
{
    fprintf(stderr, "usage: steady [--cycles N] [--mode loop|unroll] [--every N] ARCH FILE.csv\n");
    exit(2);
}

/* Cycles per iteration in the later three quarters of a long run. */
static double long_run(sim *s, arena *a, const tacho_arch *arch, const uint8_t *code, size_t size,
                       tacho_predict_options o, uint32_t cycles)
{
    block b;
    dsb_layout layout;
    arena_reset(a);
    o.min_cycles = cycles;
    if (tacho_block_build(&b, a, NULL, arch, code, size, &o, NULL) || dsb_layout_make(&layout, &b, a) ||
        sim_prepare(s, a, &b, &layout, &o))
        exit(1);
    sim_reset(s);
    while ((uint32_t)s->cycle < cycles || sim_iterations(s) < 8)
        sim_tick(s);
    uint32_t last = sim_iterations(s) - 1, first = last / 4;
    return (double)(s->retired[last].cycle - s->retired[first].cycle) / (last - first);
}

int main(int argc, char **argv)
{
    uint32_t cycles = 20000, every = 1;
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    o.bounds = o.details = false;
    o.ignore_isa = true; /* it is about the model, whatever the code */
    int at = 1;
    for (; at + 1 < argc && argv[at][0] == '-'; at += 2)
        if (!strcmp(argv[at], "--cycles"))
            cycles = (uint32_t)strtoul(argv[at + 1], NULL, 10);
        else if (!strcmp(argv[at], "--every"))
            every = (uint32_t)strtoul(argv[at + 1], NULL, 10);
        else if (!strcmp(argv[at], "--mode"))
            o.mode = !strcmp(argv[at + 1], "loop") ? TACHO_MODE_LOOP : TACHO_MODE_UNROLL;
        else
            usage();
    if (argc - at != 2 || cycles < 1000 || every == 0)
        usage();
    tacho_error err;
    const tacho_arch *arch = tacho_arch_find(argv[at], &err);
    FILE *f = arch ? fopen(argv[at + 1], "r") : NULL;
    if (!f) {
        fprintf(stderr, "steady: %s\n", arch ? "cannot open the file" : err.message);
        return 1;
    }
    static char line[65536];
    static uint8_t bytes[32768];
    sim *machine = calloc(1, sizeof *machine);
    arena memory = {0};
    tacho_predictor *p = tacho_predictor_new();
    tally t = {0};
    for (uint32_t n = 0; machine && p && fgets(line, sizeof line, f); n++) {
        long size = n % every ? 0 : tacho_hex_decode(bytes, line, strcspn(line, ",\r\n"), NULL);
        const tacho_prediction *r;
        if (size <= 0 || tacho_predict(p, arch, bytes, (size_t)size, &o, &r, NULL))
            continue;
        t.blocks++;
        t.cycles += r->simulated_cycles;
        if (!r->cycles_den)
            continue;
        t.exact++;
        double truth = long_run(machine, &memory, arch, bytes, (size_t)size, o, cycles);
        double off = r->cycles / truth - 1, allowed = 0.002 + 20.0 * truth / cycles;
        if (fabs(off) <= allowed)
            continue;
        t.wrong++;
        t.worst = fmax(t.worst, fabs(off));
        line[strcspn(line, ",\r\n")] = 0;
        printf("%s exact %d/%d = %.4f after %u cycles, long run %.4f (%+.2f %%)\n", line, (int)r->cycles_num,
               (int)r->cycles_den, r->cycles, r->simulated_cycles, truth, 100 * off);
    }
    printf("%s %s: %u blocks, %u exact (%.2f %%), %u of them differ from %u cycles of plain simulation, by "
           "at most %.2f %%; %.0f cycles simulated a block\n",
           arch->name, o.mode == TACHO_MODE_LOOP ? "loop" : "unroll", t.blocks, t.exact,
           100.0 * t.exact / (t.blocks ? t.blocks : 1), t.wrong, cycles, 100 * t.worst,
           t.cycles / (t.blocks ? t.blocks : 1));
    tacho_predictor_free(p);
    arena_free(&memory);
    free(machine);
    fclose(f);
    return 0;
}
