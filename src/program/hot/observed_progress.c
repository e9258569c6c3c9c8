/* observed_progress.c - cycles of an iteration, by how far a loop has come between two samples of its thread.
 *
 * A register that the loop changes once in each iteration, by a constant, counts iterations. Where two
 * samples lie in one execution of the loop (the stack is the same, and all registers that the loop does not
 * write) the difference of that register is the number of iterations between them. It must be a multiple of
 * the step, of the right sign, and the same by each such register; pairs that are not so come from two
 * executions, and where there are many of them nothing is said. The time between them is that of the
 * processor.
 *
 * What the samples themselves take is taken off.
 *
 * A loop that is over too soon for that may lie in one that is not (and calls nothing): the time of an
 * iteration of the outer one, times the inner one's share of it, divided by the iterations of the inner one
 * in it. How many these are is told by the register that the inner one compares at its end: by how far it was
 * from its limit in samples, at most and in the mean, where that says that they are always as many. */

#include "program/hot/loop_registers.h"

enum {
    FEWEST_PAIRS = 12,
    MOST_ODD = 10,    /* one pair in so many may be of two executions */
    FEWEST_LEFT = 30, /* samples, to tell how many iterations a loop has */
    FEWEST_ITERATIONS = 16,
    MOST_NESTED = 4
};
/* The iterations between two moments. @return false: they are not of one execution; *odd: although all that
 * the loop keeps is the same */
static bool count_between(const loop_registers *p, const hot_pair *pair, double *out, bool *odd)
{
    bool known = false, same = true;
    *odd = false;
    *out = 0;
    for (unsigned i = 0; i < LOOP_REGISTERS; i++) {
        const register_use *u = &p->uses[i];
        int64_t moved = (int64_t)(pair->after.registers[i] - pair->before.registers[i]);
        if (register_stays(u) && moved)
            return false;
        if (!register_counts(u))
            continue;
        moved = u->half ? (int32_t)(uint32_t)moved : moved;
        double count = (double)(moved / u->step);
        /* one register may have been changed in this iteration and another not yet */
        same = same && !(moved % u->step) && count >= 0 && (!known || fabs(count - *out) <= 1);
        *out = count;
        known = true;
    }
    *odd = known && !same;
    return known && same;
}

/* ---- all pairs of a loop ---- */

typedef struct sums {
    double time, count, time_squares, count_squares, products;
    uint64_t pairs, odd;
} sums;

/* How far the counter is from its limit. @return NaN: it is beyond */
static double iterations_left(const loop_registers *l, const loop_bound *bound, const hot_moment *m)
{
    const register_use *u = &l->uses[bound->counter];
    uint64_t limit = bound->limit < 0 ? (uint64_t)bound->number : m->registers[bound->limit];
    int64_t left = (int64_t)(limit - m->registers[bound->counter]);
    left = (u->half ? (int32_t)(uint32_t)left : left) / u->step;
    return left >= 0 ? (double)left : NAN;
}

/* Odd pairs between which the execution ended, if an iteration takes what the others say: so many were left
 * that there was time for them. Where executions are shorter than the samples' distance, the others say far
 * too much, and that is not so. */
static uint64_t count_ends(const loop_registers *p, const hot_file *file, double sample_time, const sums *s)
{
    const loop_bound bound = loop_bound_of(p);
    const double iteration = s->time / s->count;
    uint64_t ends = 0;
    for (size_t i = 0; bound.counter >= 0 && i < file->pair_count; i++) {
        const found_pair *pair = &file->pairs[i];
        double count;
        bool odd;
        if (isnan(pair->pair->time) || !loop_has_address(p, pair->before) ||
            !loop_has_address(p, pair->after) || count_between(p, pair->pair, &count, &odd) || !odd)
            continue;
        ends += iterations_left(p, &bound, &pair->pair->before) * iteration < pair->pair->time - sample_time;
    }
    return ends;
}

static void sum_up(const loop_registers *p, const hot_file *file, double sample_time, sums *out)
{
    for (size_t i = 0; i < file->pair_count; i++) {
        const found_pair *pair = &file->pairs[i];
        double count, time = pair->pair->time - sample_time;
        bool odd;
        if (isnan(time) || !loop_has_address(p, pair->before) || !loop_has_address(p, pair->after))
            continue;
        if (!count_between(p, pair->pair, &count, &odd)) {
            out->odd += odd;
            continue;
        }
        out->pairs++;
        out->time += time;
        out->count += count;
        out->time_squares += time * time;
        out->count_squares += count * count;
        out->products += time * count;
    }
    out->odd -= count_ends(p, file, sample_time, out);
}

/* Of a ratio of sums, by its linear approximation (Cochran, Sampling Techniques, 6.3). */
static double standard_error(const sums *s)
{
    double ratio = s->time / s->count, n = (double)s->pairs;
    double squares = s->time_squares - 2 * ratio * s->products + ratio * ratio * s->count_squares;
    return sqrt(fmax(squares, 0) * n / (n - 1)) / s->count;
}

/* ---- how many iterations a loop has ---- */

/* Of an execution of the loop, where all have as many. @return NaN: not known; *error: relative */
static double iterations_of(const loop_registers *l, const hot_file *file, double *error)
{
    const double slack = 0.15;
    const loop_bound bound = loop_bound_of(l);
    double most = 0, sum = 0, count = 0;
    for (size_t i = 0; bound.counter >= 0 && i < file->pair_count; i++) {
        if (isnan(file->pairs[i].pair->time) || !loop_has_address(l, file->pairs[i].after))
            continue;
        double left = iterations_left(l, &bound, &file->pairs[i].pair->after);
        if (isnan(left))
            return NAN;
        most = fmax(most, left);
        sum += left;
        count++;
    }
    if (count < FEWEST_LEFT || most < FEWEST_ITERATIONS)
        return NAN;
    *error = 1 / most + 1 / count;
    most *= 1 + 1 / count;
    return fabs(2 * sum / count / most - 1) < slack ? most : NAN;
}

/* ---- a place ---- */

/* @param share of the time of an iteration of the outer loop, that goes to as many executions of the place */
typedef struct within {
    double share, executions, error;
} within;

static bool conclude(const sums *sum, double unit, const within *in, tacho_hot_place *p)
{
    if (sum->pairs < FEWEST_PAIRS || sum->odd * MOST_ODD > sum->pairs || sum->count < FEWEST_PAIRS)
        return false;
    double cycles = sum->time / sum->count * unit * in->share / in->executions;
    double reach = 1.96 * standard_error(sum) * unit * in->share / in->executions + in->error * cycles;
    if (!isfinite(cycles))
        return false;
    p->observed_cycles = cycles;
    p->observed_low = fmax(cycles - reach, 0);
    p->observed_high = cycles + reach;
    p->observed_by = "progress";
    return true;
}

static double weight_inside(const found_blocks *found, uint32_t header)
{
    double sum = 0;
    for (uint32_t b = 0; b < found->g->block_count; b++)
        sum += loop_has_block(found->g, b, header) ? found->weights[b] : 0;
    return sum;
}

int progress_observe(const hot_search *s, const hot_file *file, finder *f, const found_blocks *found,
                     uint32_t header, tacho_hot_place *place)
{
    const hot_pairs *pairs = s->profile->pairs;
    within in = {1, 1, 0};
    if (!pairs || !file->pair_count)
        return 0;
    double unit = pairs->in_cycles ? 1 : s->options.core_hz;
    for (int level = 0; level < MOST_NESTED && header != CFG_NONE && in.executions > 0; level++) {
        loop_registers l;
        sums sum = {0};
        double error = 0;
        int rc = loop_registers_find(&l, f, found->g, header);
        if (rc)
            return rc < 0 ? rc : 0;
        if (level && l.calls)
            return 0;
        if (level)
            in.share = place->weight / weight_inside(found, header);
        sum_up(&l, file, pairs->in_cycles ? 0 : pairs->sample_seconds, &sum);
        if (conclude(&sum, unit, &in, place))
            return 0;
        in.executions *= l.calls ? NAN : iterations_of(&l, file, &error);
        in.error += error;
        header = found->g->blocks[header].header;
    }
    return 0;
}
