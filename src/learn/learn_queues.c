/* learn_queues.c - how many µops are in flight: in the reorder buffer, in general registers, in the store
 * buffer. What it says of the places of a bend follows from simulated cores of all kinds, whose sizes are
 * known: a whole group of µops has to find room, and the counter of the loop takes a place, too. */
#include <math.h>

#include "learn/experiments.h"
#include "learn/overlap.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *const nops[] = {"nop dword ptr [rax+1]"};
static const char *const idioms[] = {"pxor xmm15, xmm15"}, *const vex_idioms[] = {
                                                               "vpxor xmm15, xmm15, xmm15"};
static const char *const moves[] = {"mov ecx, 1"};
static const char *const stores[] = {"mov [rsi], rbx"};

/* µops that must find room beside those that are counted. */
static double group_of(const lab *l)
{
    return lab_number(l, "issue_width", 4) + lab_number(l, WINDOW_COUNTER, 1);
}

static void with_both_chains(lab *l, window_spec *spec, window out[2])
{
    window_chain chains[2];
    window_vector_chain(l, &chains[0]);
    window_integer_chain(l, &chains[1]);
    for (int k = 0; k < 2; k++) {
        spec->chain = &chains[k];
        out[k] = window_find(l, spec);
    }
}

/* Of those that are known. */
static double mean_of(double a, double b)
{
    return isnan(a) ? b : isnan(b) ? a : (a + b) / 2;
}

/* The size that so many of some kind behind a chain show, `each` of them in an entry. */
static double size_by(const lab *l, const window w[2], double each)
{
    double size = mean_of(w[0].width, w[1].width) / each + group_of(l);
    /* Narrow groups come a little earlier than on the average of their places. */
    return size + 0.27 * (6 - lab_number(l, "issue_width", 6));
}

/* NOPs and zero idioms must show the same size, where both could be timed. Joined NOPs are two in an entry.
 */
int learn_reorder_buffer(lab *l)
{
    window w[2], second[2];
    window_spec by_nops = {"reorder buffer", "NOPs behind a chain", NULL, NULL, nops, COUNT(nops), 0, 768},
                by_idioms = by_nops;
    by_idioms.title = "reorder buffer by zero idioms";
    by_idioms.x_name = "zero idioms behind a chain";
    const bool joined = lab_is(l, JOINED_NOPS); /* as in lab_filler */
    by_idioms.others = joined ? vex_idioms : idioms;
    window_counter(l);
    with_both_chains(l, &by_nops, w);
    with_both_chains(l, &by_idioms, second);
    double nop_size = size_by(l, w, joined ? 2 : 1), idiom_size = size_by(l, second, 1),
           size = isnan(nop_size) || (joined && !isnan(idiom_size)) ? idiom_size : nop_size,
           error = fmax(w[0].error, w[1].error);
    if (isnan(size))
        return lab_undecided(l, "rob_entries", "no bend up to %u NOPs", by_nops.most);
    if (fabs(nop_size - idiom_size) > fmax(4, 0.03 * size))
        return lab_undecided(l, "rob_entries", "NOPs show %.0f, zero idioms %.0f entries", nop_size,
                             idiom_size);
    /* All that are known are made of parts of eight. */
    double even = 8 * round(size / 8);
    double value = fabs(even - size) <= 1.5 ? even : round(size);
    error = isnan(error) ? 2 : fmax(error, fabs(value - size));
    return lab_found(l, "rob_entries", size - error, size + error, "%.0f", value);
}

int learn_general_registers(lab *l)
{
    window w[2];
    window_spec spec = {
        "general registers", "MOVs of a constant behind a chain", NULL, NULL, moves, COUNT(moves), 0, 768};
    with_both_chains(l, &spec, w);
    double width = w[0].width, most = lab_number(l, "rob_entries", NAN);
    if (isnan(width) || isnan(most))
        return lab_undecided(l, "free_general_registers", "no bend up to %u MOVs", spec.most);
    const bool never = width + group_of(l) > 0.95 * most;
    return lab_about(l, "free_general_registers", never ? 0 : width + group_of(l), never ? 0 : 2);
}

int learn_store_buffer(lab *l)
{
    window_chain chain;
    const window_spec spec = {"store buffer", "stores behind a chain", &chain, NULL,
                              stores,         COUNT(stores),           0,      320};
    window_integer_chain(l, &chain);
    const window w = window_find(l, &spec);
    double most = lab_number(l, "rob_entries", NAN);
    if (isnan(w.width) || !w.jump || w.width > 0.9 * most)
        return lab_undecided(l, "store_buffer_entries",
                             "stores behind a chain show no bend before the reorder buffer's (%.0f)", most);
    return lab_about(l, "store_buffer_entries", w.width, 1);
}
