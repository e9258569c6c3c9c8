/* eval_bins.c - see eval_bins.h. */
#include "study/eval/eval_bins.h"

#include <math.h>
#include <string.h>

/* The bin of so many cycles, -1: beyond. */
static int bin(double cycles)
{
    double k = floor(cycles * EVAL_HEAT_PER_CYCLE + 0.5);
    return k < EVAL_HEAT_BINS ? (int)k : -1;
}

void tacho_eval_heat_fill(eval_heat *out, const tacho_eval_result *r, size_t predictor)
{
    memset(out, 0, sizeof *out);
    for (size_t b = 0; b < r->block_count; b++) {
        double cycles = r->predictors[predictor].predictions[b].cycles;
        int x = bin(r->blocks[b].measured), y = isnan(cycles) ? -1 : bin(cycles);
        if (x < 0 || isnan(cycles))
            continue;
        if (y < 0) {
            out->beyond++;
            continue;
        }
        uint32_t n = ++out->counts[y][x];
        out->most = n > out->most ? n : out->most;
        out->shown++;
    }
}

size_t tacho_eval_heat_measured(const tacho_eval_result *r)
{
    size_t n = 0;
    for (size_t b = 0; b < r->block_count; b++)
        n += bin(r->blocks[b].measured) >= 0;
    return n;
}

double tacho_eval_error_at(size_t point)
{
    return 0.001 * pow(10, (double)point / EVAL_ERROR_PER_DECADE);
}

/* The first point that is not below the error; EVAL_ERROR_POINTS: none. */
static size_t point_of(double error)
{
    if (error <= tacho_eval_error_at(0))
        return 0;
    double at = ceil(log10(error / 0.001) * EVAL_ERROR_PER_DECADE - 1e-9);
    return at < EVAL_ERROR_POINTS ? (size_t)at : EVAL_ERROR_POINTS;
}

void tacho_eval_error_shares(double out[EVAL_ERROR_POINTS], const tacho_eval_result *r, size_t predictor)
{
    size_t counts[EVAL_ERROR_POINTS + 1] = {0}, blocks = 0, sum = 0;
    for (size_t b = 0; b < r->block_count; b++) {
        double measured = r->blocks[b].measured, cycles = r->predictors[predictor].predictions[b].cycles;
        if (isnan(cycles))
            continue;
        counts[point_of(fabs(measured - cycles) / measured)]++;
        blocks++;
    }
    for (size_t i = 0; i < EVAL_ERROR_POINTS; i++) {
        sum += counts[i];
        out[i] = blocks ? (double)sum / (double)blocks : NAN;
    }
}
