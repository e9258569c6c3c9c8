/* fuzz_compare.c - what commands write, as the runs of a comparison: the first byte chooses the expression by
 * which the number is found and the options, outputs end in 0xff bytes. What is concluded from such numbers
 * must be numbers in order, or none. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "program/compare/compare_internal.h"

enum {
    MAX_RUNS = 64,
    MAX_BYTES = 4000,
    END = 0xff
};

static const char *const patterns[] = {"^total: *([^ ]+)", "([0-9.]+) *ms", "(.*)", "(x)?([0-9]+)"};

/* The numbers in the outputs, in blocks of A B B A. @return how many */
static size_t take(comparing *c, char *text, size_t size, tacho_sample *out)
{
    double values[TACHO_COMPARE_MAX_METRICS];
    size_t count = 0, tried = 0;
    for (char *at = text, *end = text + size; at < end && tried < MAX_RUNS; tried++) {
        char *stop = memchr(at, END, (size_t)(end - at));
        stop = stop ? stop : end;
        *stop = '\0';
        tacho_trial trial = {.output = at, .output_size = (size_t)(stop - at)};
        tacho_error err = {.message = ""};
        int rc = metrics_take(c, &trial, "A", values, &err);
        if (rc && !err.message[0])
            abort();
        if (!rc && !(values[c->out->metric] > 0 && isfinite(values[c->out->metric])))
            abort();
        if (!rc) {
            uint32_t k = (uint32_t)count;
            out[count++] = (tacho_sample){values[c->out->metric], k % 4 == 1 || k % 4 == 2, k / 4, k / 4 % 3};
        }
        at = stop + 1;
    }
    return count;
}

static void judge(const tacho_sample *samples, size_t count, unsigned options)
{
    tacho_judge_options o = TACHO_JUDGE_OPTIONS_INIT;
    tacho_judgement j;
    tacho_error err = {.message = ""};
    o.resamples = 100;
    o.higher_is_better = options & 1;
    if (tacho_judge(samples, count, options & 2, &o, &j, &err)) {
        if (!err.message[0])
            abort();
        return;
    }
    bool interval = !isnan(j.ratio_low);
    if ((j.verdict != TACHO_VERDICT_NONE && !interval) ||
        (interval &&
         !(j.ratio_low <= j.ratio && j.ratio <= j.ratio_high && j.p_value >= 0 && j.p_value <= 1)))
        abort();
    tacho_judgement_free(&j);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tacho_compare_options o = TACHO_COMPARE_OPTIONS_INIT;
    tacho_compare_result result = {0};
    comparing c = {.options = &o, .out = &result};
    tacho_sample samples[MAX_RUNS];
    tacho_error err;
    if (!size || size > MAX_BYTES)
        return 0;
    o.pattern = patterns[data[0] % (sizeof patterns / sizeof *patterns)];
    char *text = malloc(size);
    if (!text || metrics_choose(&c, &err))
        abort();
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    size_t count = take(&c, text, size - 1, samples);
    judge(samples, count, data[0] >> 6);
    metrics_free(&c);
    tacho_compare_free(&result);
    free(text);
    return 0;
}
