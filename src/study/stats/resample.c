/* resample.c - what scores and their differences share: bootstrap resamples. */
#include "study/stats/resample.h"

#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/number.h"
#include "base/options_take.h"
#include "study/stats/ranks.h"

OPTIONS_DEFINE(score, TACHO_SCORE_OPTIONS_INIT)

int score_check(const double *measured, const double *predicted, size_t count, const tacho_score_options *o,
                tacho_error *err)
{
    if (o->resamples > TACHO_MAX_RESAMPLES)
        return tacho_error_set(err, TACHO_ERR_USAGE, "at most %d resamples", TACHO_MAX_RESAMPLES);
    if (!(o->confidence > 0 && o->confidence < 1) || !(o->tau_step >= 0) || !isfinite(o->tau_step))
        return tacho_error_set(err, TACHO_ERR_USAGE,
                               "confidence must be between 0 and 1, the step of tau at least 0");
    if (count > INT32_MAX)
        return tacho_error_set(err, TACHO_ERR_USAGE, "more than %d blocks", INT32_MAX);
    for (size_t i = 0; i < count; i++)
        if (!(measured[i] > 0) || isinf(measured[i]) || isinf(predicted[i]))
            return tacho_error_set(err, TACHO_ERR_USAGE, "pair %zu: %g measured, %g predicted", i,
                                   measured[i], predicted[i]);
    return 0;
}

void score_round(double *numbers, size_t count, double step)
{
    for (size_t i = 0; step > 0 && i < count; i++)
        numbers[i] = round(numbers[i] / step);
}

void resample_draw(uint32_t *drawn, size_t count, uint64_t seed, uint32_t resample)
{
    uint64_t stream = hash_mix(hash_mix(seed) ^ resample);
    memset(drawn, 0, count * sizeof *drawn);
    for (size_t i = 0; i < count; i++) {
        uint64_t random = hash_mix(stream + i) >> 32;
        drawn[random * count >> 32]++;
    }
}

void resample_interval(double *values, size_t count, double confidence, tacho_estimate *out)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(values[i]))
            values[n++] = values[i];
    numbers_sort(values, n);
    out->low = tacho_quantile(values, n, (1 - confidence) / 2);
    out->high = tacho_quantile(values, n, (1 + confidence) / 2);
}
