/* bottlenecks.c BLOCKS.txt [CORE...] - no component that is named as the bottleneck takes longer, alone, than
 * the whole: on all cores, in both modes, simulated and by bounds alone. Fields after the first are not
 * looked at. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/support.h"
#include "tacho/predict.h"

enum {
    SHOWN = 10
};

typedef struct check {
    tacho_predictor *predictor;
    const tacho_arch *arch;
    long looked_at, named, wrong;
} check;

static void look(check *c, const test_block *b, const tacho_prediction *p)
{
    c->looked_at++;
    c->named += p->bottlenecks != 0;
    for (int k = 0; k < TACHO_BOUND_COUNT; k++) {
        /* Runs that do not recur are averages of some hundred cycles. */
        if (!(p->bottlenecks >> k & 1) || p->bounds[k] <= 1.02 * p->cycles)
            continue;
        if (c->wrong++ < SHOWN) {
            printf("failed: %s, %s: %g cycles, and as its bottleneck %s, at %g: ", tacho_arch_name(c->arch),
                   p->mode == TACHO_MODE_LOOP ? "loop" : "unroll", p->cycles, tacho_bound_name(k),
                   p->bounds[k]);
            for (size_t i = 0; i < b->size; i++)
                printf("%02x", b->bytes[i]);
            putchar('\n');
        }
    }
}

static int predict(check *c, const test_block *b, bool loop, bool bounds_only)
{
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    const tacho_prediction *p;
    tacho_error err;
    o.mode = loop ? TACHO_MODE_LOOP : TACHO_MODE_UNROLL;
    o.details = false;
    o.ignore_isa = true;
    if ((bounds_only ? tacho_predict_bounds : tacho_predict)(c->predictor, c->arch, b->bytes, b->size, &o, &p,
                                                             &err)) {
        printf("failed: %s: %s\n", tacho_arch_name(c->arch), err.message);
        return 1;
    }
    look(c, b, p);
    return 0;
}

static int each(const test_block *b, long at, const char *rest, void *payload)
{
    check *c = payload;
    test_block code = {malloc(b->size ? b->size : 1), b->size};
    (void)at;
    (void)rest;
    if (!code.bytes)
        return 1;
    memcpy(code.bytes, b->bytes, b->size);
    int failed = predict(c, &code, false, false) || predict(c, &code, false, true);
    test_block_close_loop(&code);
    failed = failed || predict(c, &code, true, false) || predict(c, &code, true, true);
    test_block_free(&code);
    return failed;
}

int main(int argc, char **argv)
{
    check c = {.predictor = tacho_predictor_new()};
    int status = argc < 2 || !c.predictor;
    for (size_t i = 0; i < tacho_arch_count() && !status; i++) {
        bool wanted = argc == 2;
        c.arch = tacho_arch_get(i);
        for (int k = 2; k < argc; k++)
            wanted |= !strcmp(argv[k], tacho_arch_name(c.arch));
        status = wanted && test_corpus_each(argv[1], each, &c) <= 0;
    }
    printf("%ld predictions, %ld with a bottleneck, %ld times one above the result\n", c.looked_at, c.named,
           c.wrong);
    tacho_predictor_free(c.predictor);
    return status || c.wrong || !c.named;
}
