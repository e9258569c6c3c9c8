/* learn_immediates.c - large immediates in the cache of µops. On Intel's cores one takes two places, and a
 * cycle gives one of them. */
#include <math.h>

#include "learn/experiments.h"

enum {
    MOVES = 64,
    MOST_NOPS = 8,
    LEAST_WIDTH = 3,
    MOST_WIDTH = 8
};

/* The mean relative difference of the curve from what a DSB of that width gives, if a cycle ends with a large
 * immediate or not. */
static double misfit(const curve *c, unsigned width, bool ends, double issue)
{
    double sum = 0;
    unsigned n = 0;
    for (size_t i = 0; c && i < c->count; i++) {
        double k = c->points[i].x, cycles = ends ? ceil((k + 2) / width) : fmax(1, (k + 2) / width),
               expected = fmax(cycles, (k + 1) / issue);
        if (isnan(c->points[i].cycles))
            continue;
        sum += fabs(c->points[i].cycles / expected - 1);
        n++;
    }
    return n ? sum / n : INFINITY;
}

static int say_what_ends(lab *l, const curve *c)
{
    double best[2] = {INFINITY, INFINITY}, issue = lab_number(l, "issue_width", 4);
    unsigned width[2] = {0};
    for (unsigned w = LEAST_WIDTH; w <= MOST_WIDTH; w++)
        for (unsigned ends = 0; ends < 2; ends++) {
            double now = misfit(c, w, ends, issue);
            if (now < best[ends]) {
                best[ends] = now;
                width[ends] = w;
            }
        }
    bool ends = best[1] < best[0];
    if (best[ends] > 0.1 || best[ends] > 0.8 * best[!ends])
        return lab_undecided(l, "dsb_extra_slot_ends_cycle",
                             "NOPs beside large immediates show no steps, nor that there are none");
    if (ends)
        lab_about(l, "places_by_immediates", width[1], 0);
    return lab_yes(l, "dsb_extra_slot_ends_cycle", ends);
}

/* So many that a loop of them is too long for a loop stream detector. */
static double moves_for(const lab *l, unsigned nops)
{
    return fmax(MOVES, ceil((lab_number(l, "idq_entries", 0) + 8) / (nops + 1)));
}

int learn_immediates(lab *l)
{
    for (unsigned k = 0; k <= MOST_NOPS; k++) {
        lab_loop(l, TACHO_MODE_LOOP);
        for (unsigned n = 0; n < (unsigned)moves_for(l, k); n++) {
            lab_code(l, 1, "mov rax, 0x123456789abcdef0");
            lab_nops(l, 3, k);
        }
    }
    lab_loop(l, TACHO_MODE_LOOP);
    lab_nops(l, 10, MOVES);
    lab_time(l);
    curve *c = lab_curve(l, "NOPs behind each move of an immediate of 64 bits", "NOPs", "cycles a move");
    for (unsigned k = 0; k <= MOST_NOPS; k++)
        curve_add(l, c, k, lab_timed(l, k) / moves_for(l, k));
    double nop = lab_timed(l, MOST_NOPS + 1) / MOVES, each = curve_at(c, 0);
    if (!(each > 0 && nop > 0)) {
        lab_untimed(l, "dsb_extra_slots");
        return lab_untimed(l, "dsb_extra_slot_ends_cycle");
    }
    const bool extra = each >= 0.9 && each >= 1.5 * nop;
    lab_yes(l, "dsb_extra_slots", extra);
    return extra ? say_what_ends(l, c)
                 : lab_moot(l, "dsb_extra_slot_ends_cycle", "large immediates take no places of their own");
}
