/* fastest.c CORE HEX HEX...: which of these pieces of code is the fastest, as a JIT compiler would ask: all
 * by their bounds, then those that are within a tenth of the best by simulation. Needs libtacho alone
 * (doc/howto/jit.md). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tacho/tacho.h>

static double cycles(tacho_predictor *predictor, const tacho_arch *core, const uint8_t *code, size_t size,
                     bool fast)
{
    tacho_predict_options options = TACHO_PREDICT_OPTIONS_INIT;
    const tacho_prediction *p;
    if ((fast ? tacho_predict_bounds : tacho_predict)(predictor, core, code, size, &options, &p, NULL) ||
        tacho_prediction_is_lower_bound(p))
        return INFINITY;
    return p->cycles;
}

static size_t read_hex(uint8_t *out, size_t capacity, const char *hex)
{
    size_t n = 0;
    unsigned byte;
    for (; n < capacity && sscanf(hex, "%2x", &byte) == 1; hex += 2)
        out[n++] = (uint8_t)byte;
    return *hex ? 0 : n;
}

int main(int argc, char **argv)
{
    enum {
        MOST = 16
    };
    uint8_t code[MOST][256];
    size_t sizes[MOST], count = argc > 2 ? (size_t)argc - 2 : 0, best = 0;
    double bounds[MOST], least = INFINITY, best_cycles = INFINITY;
    tacho_error err = {0};
    const tacho_arch *core = count ? tacho_arch_find(argv[1], &err) : NULL;
    tacho_predictor *predictor = tacho_predictor_new();
    if (!core || !predictor || count > MOST) {
        fprintf(stderr, "%s\n", err.message[0] ? err.message : "usage: fastest CORE HEX... (at most 16)");
        tacho_predictor_free(predictor);
        return 2;
    }
    for (size_t i = 0; i < count; i++) {
        sizes[i] = read_hex(code[i], sizeof code[i], argv[i + 2]);
        bounds[i] = cycles(predictor, core, code[i], sizes[i], true);
        least = fmin(least, bounds[i]);
    }
    for (size_t i = 0; i < count; i++) {
        const double c =
            bounds[i] <= 1.1 * least ? cycles(predictor, core, code[i], sizes[i], false) : INFINITY;
        if (c < best_cycles)
            best_cycles = c, best = i;
    }
    tacho_predictor_free(predictor);
    if (isinf(best_cycles))
        return fprintf(stderr, "none of them can be predicted\n"), 1;
    return printf("%zu: %.2f cycles\n", best, best_cycles) < 0;
}
